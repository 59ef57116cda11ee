//! Hostile, broken and slow peers: nobody else notices them.

use std::rc::Rc;

use cs::router::{Ending, Role, Totals};
use serde_json::json;

use crate::fixture::{self, Client, Net, framed, id_of};

/// Plays each scenario over real sockets and over simulated ones, with this configuration.
macro_rules! scenarios {
    ($($name:ident: $config:tt;)*) => {
        mod over_sockets {
            use super::*;
            $(#[test] fn $name() { fixture::over_tcp(json!($config), super::$name) })*
        }
        mod simulated {
            use super::*;
            $(#[test] fn $name() { fixture::over_turmoil(json!($config), super::$name) })*
        }
    };
}

scenarios! {
    any_split_and_any_merge: {};
    empty_frames: {};
    the_longest_body: {"maxMessageBytes": 65_535};
    bodies_over_the_limit: {"maxMessageBytes": 8192};
    bodies_that_are_no_message: {"maxInvalidMessages": 200};
    a_claim_to_be_somebody_else: {};
    a_claim_that_somebody_else_is_lost: {};
    a_reader_that_never_reads: {"maxBytesForAgent": 262_144};
    a_reader_that_reads_late: {"maxBytesForAgent": 8_388_608};
    a_sender_that_never_finishes: {"messageMs": 300};
    a_connection_that_says_nothing: {"firstMessageMs": 300};
    too_many_invalid_messages: {"maxInvalidMessages": 10};
    too_many_connections: {"maxConnections": 2};
    a_second_game_master: {};
    a_game_master_that_dies_within_a_message: {};
    a_game_master_that_leaves: {};
    a_game_master_that_never_reads: {"maxBytesForGM": 262_144, "stallMs": 1000};
    a_game_master_that_reads_late: {"maxBytesForGM": 262_144, "maxMessageBytes": 65_535};
    newcomers_while_the_game_master_reads_nothing: {"maxBytesForGM": 262_144, "maxMessageBytes": 65_535};
    an_agent_that_reads_while_others_flood: {"maxBytesForGM": 262_144, "maxMessageBytes": 65_535, "maxBytesForAgent": 16_777_216};
    a_port_scanner_at_the_game_masters_door: {};
    agents_before_the_game_master: {};
    agents_without_a_game_master: {"gmWaitMs": 300};
    messages_to_nobody: {};
    a_lost_agent_is_kept_secret: {"reportLostAgents": false};
    many_who_come_and_go: {};
    the_end_by_signal: {};
}

async fn any_split_and_any_merge<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut agent = net.agent(&mut gm).await;
    let body = r#"{"messageID":7,"agentID":0,"payload":{"direction":"N"}}"#;
    let frame = framed(body);
    let expected = body.replace("\"agentID\":0", &format!("\"agentID\":{}", agent.id));
    for at in 0..frame.len() {
        agent.client.send_bytes(&frame[..at]).await.unwrap();
        agent.client.send_bytes(&frame[at..]).await.unwrap();
        assert_eq!(gm.read().await, expected);
    }
    for byte in frame.chunks(1) {
        agent.client.send_bytes(byte).await.unwrap();
    }
    assert_eq!(gm.read().await, expected);
    agent.client.send_bytes(&frame.repeat(200)).await.unwrap();
    for _ in 0..200 {
        assert_eq!(gm.read().await, expected);
    }
    // And back, the answers for both agents merged and cut.
    let answer = |id| framed(format!(r#"{{"messageID":108,"agentID":{id},"payload":{{}}}}"#));
    let answers = [answer(agent.id), answer(witness.id)].concat().repeat(10);
    for piece in answers.chunks(7) {
        gm.send_bytes(piece).await.unwrap();
    }
    for _ in 0..10 {
        assert_eq!(id_of(&agent.client.read().await), agent.id);
        assert_eq!(id_of(&witness.client.read().await), witness.id);
    }
    net.rest_is_well(&mut gm, &mut witness, 2).await;
}

async fn empty_frames<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut agent = net.agent(&mut gm).await;
    agent.client.send_bytes(&[0; 6]).await.unwrap();
    agent.client.send(r#"{"messageID":8}"#).await;
    assert_eq!(gm.read().await, format!(r#"{{"agentID":{},"messageID":8}}"#, agent.id));
    assert_eq!(net.server().live.totals().invalid, 3);
    net.log_names(&[&format!("agent {}", agent.id), "the frame is empty"]);
    net.rest_is_well(&mut gm, &mut witness, 2).await;
}

async fn the_longest_body<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut agent = net.agent(&mut gm).await;
    let body = |length: usize, id: i64| {
        let start = format!(r#"{{"messageID":4,"agentID":{id},"payload":""#);
        format!("{start}{:x<rest$}\"}}", "", rest = length - start.len() - 2)
    };
    agent.client.send(body(65_535, 0)).await;
    assert_eq!(gm.read().await, body(65_535, agent.id));
    gm.send(body(65_535, agent.id)).await;
    assert_eq!(agent.client.read().await, body(65_535, agent.id));
    // No room is left for a key that is not there.
    agent.client.send(body(65_535, 0).replace("agentID", "agentXX")).await;
    net.wait_for("an invalid message", |totals| totals.invalid == 1).await;
    net.rest_is_well(&mut gm, &mut witness, 2).await;
    net.log_names(&[&format!("agent {}", agent.id), "with the agent's id in it"]);
}

async fn bodies_over_the_limit<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut agent = net.agent(&mut gm).await;
    for length in [8193, 20_000, 65_535] {
        agent.client.send_bytes(&framed(vec![b'~'; length])).await.unwrap();
        agent.client.send(r#"{"messageID":8,"agentID":5}"#).await;
        assert_eq!(gm.read().await, format!(r#"{{"messageID":8,"agentID":{}}}"#, agent.id));
        net.log_names(&[&format!("agent {}", agent.id), &format!("{length} bytes"), "\"~~~~"]);
    }
    // The game master's are skipped as well.
    gm.send_bytes(&framed(vec![b'!'; 8193])).await.unwrap();
    net.rest_is_well(&mut gm, &mut witness, 2).await;
    net.log_names(&["game master (", "8193 bytes"]);
}

async fn bodies_that_are_no_message<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut agent = net.agent(&mut gm).await;
    let deep = "[".repeat(8000);
    let bodies: [(&[u8], &str); 7] = [
        (b"\xff\xfe\x00", r#"not UTF-8 from byte 0 on; it begins "\xff\xfe\x00""#),
        (
            b"GET / HTTP/1.1\r\n\r\n",
            r#"not JSON: a value is missing at byte 0; it begins "GET / HTTP/1.1\r\n"#,
        ),
        (deep.as_bytes(), "nested deeper than 128"),
        (b"[1,2]", "not an object"),
        (b"{\"payload\":{}}", "`messageID` is missing"),
        (b"{\"messageID\":\"seven\"}", "`messageID` is not an integer"),
        (b"{\"messageID\":7,\"MessageId\":8}", "`messageID` is given twice"),
    ];
    for (body, reason) in bodies {
        agent.client.send(body).await;
        agent.client.send(r#"{"messageID":8,"agentID":0}"#).await;
        assert_eq!(id_of(&gm.read().await), agent.id);
        net.log_names(&[&format!("agent {}", agent.id), reason]);
    }
    gm.send(r#"{"messageID":104,"payload":{}}"#).await;
    gm.send(r#"{"messageID":104,"agentID":"all"}"#).await;
    net.rest_is_well(&mut gm, &mut witness, 2).await;
    net.log_names(&["game master (", "does not say to whom"]);
}

async fn a_claim_to_be_somebody_else<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut agent = net.agent(&mut gm).await;
    for key in ["agentID", "AgentID", "AGENTID", r"agent\u0049D"] {
        let claim = |id| format!(r#"{{"{key}":{id},"messageID":9,"payload":{{"agentID":{}}}}}"#, witness.id);
        agent.client.send(claim(witness.id)).await;
        assert_eq!(gm.read().await, claim(agent.id));
    }
    // A second key for readers who believe the last one.
    agent.client.send(format!(r#"{{"agentID":0,"messageID":9,"AgentID":{}}}"#, witness.id)).await;
    net.rest_is_well(&mut gm, &mut witness, 2).await;
    net.log_names(&[&format!("agent {}", agent.id), "`agentID` is given twice"]);
}

async fn a_claim_that_somebody_else_is_lost<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut liar = net.agent(&mut gm).await;
    for spelling in ["messageID", "MESSAGEID", "message\\u0049D"] {
        let lost = witness.id;
        liar.client
            .send(format!(r#"{{"{spelling}":906,"agentID":{lost},"payload":{{"agentID":{lost}}}}}"#))
            .await;
    }
    liar.client.send(r#"{"messageID":3,"agentID":0,"payload":{}}"#).await;
    // The game master hears of what comes after, and of nothing else.
    assert_eq!(gm.read().await, format!(r#"{{"messageID":3,"agentID":{},"payload":{{}}}}"#, liar.id));
    net.log_names(&[&format!("agent {}", liar.id), "only the communication server"]);
    net.rest_is_well(&mut gm, &mut witness, 2).await;
}

async fn a_reader_that_never_reads<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let deaf = net.agent(&mut gm).await;
    let message = framed(format!(r#"{{"messageID":111,"agentID":{},"payload":"{:x<8000}"}}"#, deaf.id, ""));
    // The system takes some megabytes before anything waits in the server.
    while net.server().live.totals().dropped == 0 {
        gm.send_bytes(&message.repeat(16)).await.unwrap();
        tokio::task::yield_now().await;
    }
    let lost = gm.read().await;
    assert_eq!(lost, format!(r#"{{"messageID":906,"agentID":{0},"payload":{{"agentID":{0}}}}}"#, deaf.id));
    net.log_names(&[&format!("agent {}", deaf.id), "reads too slowly"]);
    net.rest_is_well(&mut gm, &mut witness, 1).await;
}

async fn a_reader_that_reads_late<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut late = net.agent(&mut gm).await;
    let message = format!(r#"{{"messageID":111,"agentID":{},"payload":"{:x<8000}"}}"#, late.id, "");
    for _ in 0..500 {
        gm.send(&message).await;
    }
    for _ in 0..500 {
        assert_eq!(late.client.read().await, message);
    }
    net.rest_is_well(&mut gm, &mut witness, 2).await;
}

async fn a_sender_that_never_finishes<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut agent = net.agent(&mut gm).await;
    agent.client.send_bytes(b"\xff\x00{\"messageID\":7").await.unwrap();
    agent.client.is_closed().await;
    assert_eq!(id_of(&gm.read().await), agent.id);
    net.log_names(&[&format!("agent {}", agent.id), "began a message and did not end it"]);
    net.rest_is_well(&mut gm, &mut witness, 1).await;
}

async fn a_connection_that_says_nothing<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut silent = net.connect(Role::Agent).await;
    silent.is_closed().await;
    net.log_names(&[&format!("agent {}", witness.id + 1), "sent nothing within"]);
    net.rest_is_well(&mut gm, &mut witness, 1).await;
}

async fn too_many_invalid_messages<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut agent = net.agent(&mut gm).await;
    agent.client.send_bytes(&framed("no JSON").repeat(9)).await.unwrap();
    agent.client.send(r#"{"messageID":8}"#).await;
    assert_eq!(id_of(&gm.read().await), agent.id);
    agent.client.send("no JSON").await;
    agent.client.is_closed().await;
    assert!(gm.read().await.contains("906"));
    net.log_names(&[&format!("agent {}", agent.id), "10 invalid messages"]);
    net.rest_is_well(&mut gm, &mut witness, 1).await;
}

async fn too_many_connections<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let agent = net.agent(&mut gm).await;
    let mut third = net.connect(Role::Agent).await;
    third.is_closed().await;
    net.log_names(&["an agent (", "refused", "maxConnections"]);
    // A place that becomes free is given away again, under a number of its own.
    drop(agent.client);
    assert!(gm.read().await.contains("906"));
    let fourth = net.agent(&mut gm).await;
    assert_eq!(fourth.id, agent.id + 1);
    net.rest_is_well(&mut gm, &mut witness, 2).await;
}

async fn a_second_game_master<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut second = net.connect(Role::Gm).await;
    second.is_closed().await;
    net.log_names(&["a game master (", "refused", "there is a game master already"]);
    net.log_names(&["game master (", "has sent its first message"]);
    net.rest_is_well(&mut gm, &mut witness, 1).await;
}

async fn a_game_master_that_dies_within_a_message<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut other = net.agent(&mut gm).await;
    let last = format!(r#"{{"messageID":104,"agentID":{},"payload":{{"winner":"red"}}}}"#, other.id);
    gm.send(&last).await;
    gm.send_bytes(b"\xff\x00{\"messageID\":104").await.unwrap();
    gm.shut_down().await;
    // Messages that were sent before still arrive.
    assert_eq!(other.client.read().await, last);
    other.client.is_closed().await;
    witness.client.is_closed().await;
    drop((witness, other));
    assert_eq!(net.over().await, Ending::GmLost);
    net.log_names(&["game master (", "within a message"]);
}

async fn a_game_master_that_leaves<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    // This agent does not close its end when asked, which is not waited for long.
    let lingering = net.agent(&mut gm).await;
    gm.send(format!(r#"{{"messageID":104,"agentID":{},"payload":{{"winner":"red"}}}}"#, witness.id)).await;
    gm.shut_down().await;
    witness.client.is_closed().await;
    drop(witness);
    assert_eq!(net.over().await, Ending::GmLeft);
    drop(lingering);
}

async fn a_game_master_that_never_reads<N: Net>(net: Rc<N>) {
    let (mut gm, witness) = net.gm_and_witness().await;
    // An agent without answers may send little, so it takes several of them to fill the buffers of the system.
    let mut flooding = vec![witness.client];
    for _ in 0..20 {
        flooding.push(net.agent(&mut gm).await.client);
    }
    let message = framed(format!(r#"{{"messageID":4,"agentID":0,"payload":"{:x<8000}"}}"#, ""));
    // Agents are slowed down by TCP, and the game master is taken for lost in the end.
    let flood = async {
        loop {
            for agent in &mut flooding {
                if agent.send_bytes(&message).await.is_err() {
                    return;
                }
            }
        }
    };
    let ending = tokio::select! {
        () = flood => net.over().await,
        ending = net.over() => ending,
    };
    assert_eq!(ending, Ending::GmLost);
    net.log_names(&["game master (", "read nothing"]);
    let held = net.server().live.totals().held_bytes;
    assert!(held < 3 * 262_144, "{held} bytes were held");
    drop(gm);
}

async fn a_game_master_that_reads_late<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut agents = Vec::new();
    for _ in 0..20 {
        agents.push(net.agent(&mut gm).await.client);
    }
    let sent = flood(&*net, &mut agents).await;
    // Not read before the game master reads.
    witness.client.send(r#"{"messageID":3,"agentID":0,"payload":{}}"#).await;
    let mut from_witness = 0;
    for _ in 0..=sent {
        from_witness += u32::from(id_of(&gm.read().await) == witness.id);
    }
    assert_eq!(from_witness, 1);
    net.rest_is_well(&mut gm, &mut witness, 21).await;
}

/// Sends messages of agents until the server reads no agent any more; returns their number.
async fn flood<N: Net>(net: &N, agents: &mut [Client<N::Stream>]) -> usize {
    let message = framed(format!(r#"{{"messageID":4,"agentID":0,"payload":"{:x<60000}"}}"#, ""));
    let before = net.server().live.totals().to_gm;
    let is_full = |totals: &Totals| totals.held_bytes >= 262_144;
    // One message at a time, so that the bytes which wait are those for the game master.
    let mut sent = 0;
    while !is_full(&net.server().live.totals()) {
        let agent = sent % agents.len();
        agents[agent].send_bytes(&message).await.unwrap();
        sent += 1;
        let has_come = |totals: &Totals| totals.to_gm == before + sent as u64;
        net.wait_for("a message", |totals| is_full(totals) || has_come(totals)).await;
    }
    sent
}

/// Their messages are read no sooner than those of others: otherwise the server would keep them without a limit.
async fn newcomers_while_the_game_master_reads_nothing<N: Net>(net: Rc<N>) {
    const NEWCOMERS: usize = 60;
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut agents = Vec::new();
    for _ in 0..20 {
        agents.push(net.agent(&mut gm).await.client);
    }
    let sent = flood(&*net, &mut agents).await;
    let before = net.server().live.totals();
    let message = framed(format!(r#"{{"messageID":4,"agentID":0,"payload":"{:x<3000}"}}"#, ""));
    let mut newcomers = Vec::new();
    for _ in 0..NEWCOMERS {
        let mut newcomer = net.connect(Role::Agent).await;
        newcomer.send_bytes(&message).await.unwrap();
        newcomers.push(newcomer);
    }
    let all = before.admitted + NEWCOMERS as u64;
    let after = net.wait_for("all newcomers", |totals| totals.admitted == all).await;
    assert_eq!(after.to_gm, before.to_gm);
    for _ in 0..sent + NEWCOMERS {
        gm.read().await;
    }
    net.rest_is_well(&mut gm, &mut witness, 21 + NEWCOMERS).await;
}

/// Agents that flood the game master delay only themselves.
async fn an_agent_that_reads_while_others_flood<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let mut late = net.agent(&mut gm).await;
    let mut agents = Vec::new();
    for _ in 0..20 {
        agents.push(net.agent(&mut gm).await.client);
    }
    let sent = flood(&*net, &mut agents).await;
    let message = format!(r#"{{"messageID":111,"agentID":{},"payload":"{:x<8000}"}}"#, late.id, "");
    for _ in 0..1_000 {
        gm.send(&message).await;
    }
    for _ in 0..1_000 {
        assert_eq!(late.client.read().await, message);
    }
    for _ in 0..sent {
        gm.read().await;
    }
    net.rest_is_well(&mut gm, &mut witness, 22).await;
}

async fn a_port_scanner_at_the_game_masters_door<N: Net>(net: Rc<N>) {
    for _ in 0..3 {
        drop(net.connect(Role::Gm).await);
    }
    net.wait_for("three scans", |totals| totals.admitted + totals.refused == 3 && !totals.gm).await;
    let (mut gm, mut witness) = net.gm_and_witness().await;
    net.rest_is_well(&mut gm, &mut witness, 1).await;
}

async fn agents_before_the_game_master<N: Net>(net: Rc<N>) {
    let mut early = net.connect(Role::Agent).await;
    early.send(r#"{"messageID":6,"agentID":0,"payload":{}}"#).await;
    early.send(r#"{"messageID":3,"agentID":0,"payload":{}}"#).await;
    net.wait_for("both messages", |totals| totals.to_gm == 2).await;
    let mut gm = net.connect(Role::Gm).await;
    assert_eq!(gm.read().await, r#"{"messageID":6,"agentID":1,"payload":{}}"#);
    assert_eq!(gm.read().await, r#"{"messageID":3,"agentID":1,"payload":{}}"#);
    let mut witness = net.agent(&mut gm).await;
    net.rest_is_well(&mut gm, &mut witness, 2).await;
}

async fn agents_without_a_game_master<N: Net>(net: Rc<N>) {
    let mut early = net.connect(Role::Agent).await;
    early.send(r#"{"messageID":6,"agentID":0,"payload":{}}"#).await;
    early.is_closed().await;
    net.log_names(&["agent 1 (", "no game master came"]);
    net.wait_for("nobody", |totals| totals.agents == 0).await;
}

async fn messages_to_nobody<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    let agent = net.agent(&mut gm).await;
    drop(agent.client);
    assert!(gm.read().await.contains("906"));
    for id in [agent.id, 0, -1, 999, i64::MAX] {
        gm.send(format!(r#"{{"messageID":108,"agentID":{id}}}"#)).await;
    }
    net.wait_for("five messages", |totals| totals.undeliverable == 5).await;
    net.rest_is_well(&mut gm, &mut witness, 1).await;
    assert_eq!(net.server().live.totals().invalid, 0);
}

async fn a_lost_agent_is_kept_secret<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    drop(net.agent(&mut gm).await);
    net.wait_for("one agent", |totals| totals.agents == 1).await;
    // The next thing that the game master hears is the witness.
    net.rest_is_well(&mut gm, &mut witness, 1).await;
}

async fn many_who_come_and_go<N: Net>(net: Rc<N>) {
    const VISITS: u64 = 500;
    let (mut gm, mut witness) = net.gm_and_witness().await;
    for visit in 0..VISITS {
        let mut visitor = net.connect(Role::Agent).await;
        if visit % 3 == 0 {
            visitor.send_bytes(b"\x05").await.unwrap();
        }
        drop(visitor);
        if visit % 50 == 0 {
            witness.client.send(r#"{"messageID":3,"agentID":0}"#).await;
            assert_eq!(id_of(&gm.read().await), witness.id);
        }
    }
    net.wait_for("all visitors gone", |totals| totals.admitted == VISITS + 2 && totals.agents == 1).await;
    net.rest_is_well(&mut gm, &mut witness, 1).await;
    // Nobody spoke, so the game master heard of nobody, and numbers are not used again.
    let next = net.agent(&mut gm).await;
    assert_eq!(next.id, i64::try_from(VISITS).unwrap() + 2);
}

async fn the_end_by_signal<N: Net>(net: Rc<N>) {
    let (mut gm, mut witness) = net.gm_and_witness().await;
    net.server().stop.send_replace(true);
    gm.is_closed().await;
    witness.client.is_closed().await;
    drop((gm, witness));
    assert_eq!(net.over().await, Ending::Stopped);
}
