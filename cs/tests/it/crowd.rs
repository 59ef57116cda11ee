//! Many peers at once, over real sockets: ten thousand agents, and visitors who come and go.

use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Instant;

use serde_json::json;
use tcp::ReservedPort;
use tokio::net::TcpStream;

use crate::command_line;
use crate::fixture::{Client, Net, TIMEOUT, Tcp, id_of, over_tcp};

/// Number of agents that are wanted.
const CROWD: usize = 10_000;

/// Number of visitors that come and go, as fast as they can.
const VISITS: u64 = 2000;

/// As many agents as this process may have open files for. The server is another process.
fn room() -> usize {
    let files = rlimit::increase_nofile_limit(CROWD as u64 + 100).unwrap();
    let room = usize::try_from(files).unwrap().saturating_sub(100);
    if room < CROWD {
        println!("the system allows {files} open files: {room} agents instead of {CROWD}");
    }
    room.min(CROWD)
}

#[test]
fn ten_thousand_agents_at_once() {
    let agents = room();
    let folder = tempfile::tempdir().unwrap();
    let reserved = ReservedPort::new().unwrap();
    let port = reserved.number().to_string();
    let arguments = ["--log-directory", "", "--max-connections", "10000", "--metrics-port", &port];
    let (mut server, _, addresses) = command_line::started(folder.path(), &arguments);
    let [to_agents, to_gm, metrics] = addresses[..] else { panic!("{addresses:?}") };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let connect = async |address| Client::new(TcpStream::connect(address).await.unwrap());
        let mut gm = connect(to_gm).await;
        let mut crowd = Vec::with_capacity(agents);
        for id in 1..=agents {
            let mut client = connect(to_agents).await;
            client.send(r#"{"messageID":6,"agentID":0,"payload":{}}"#).await;
            assert_eq!(id_of(&gm.read().await), i64::try_from(id).unwrap());
            crowd.push(client);
        }
        // Everybody asks before anybody is answered.
        for client in &mut crowd {
            client.send(r#"{"messageID":3,"agentID":0,"payload":{}}"#).await;
        }
        for _ in 0..agents {
            let id = id_of(&gm.read().await);
            gm.send(format!(r#"{{"messageID":103,"agentID":{id},"payload":{{}}}}"#)).await;
        }
        for (client, id) in crowd.iter_mut().zip(1..) {
            assert_eq!(id_of(&client.read().await), id);
        }
        crowd.truncate(2);
        for _ in 2..agents {
            assert!(gm.read().await.contains("906"));
        }
        let start = Instant::now();
        while !command_line::metrics(metrics).contains("cs_agents 2\n")
            || !command_line::metrics(metrics).contains("cs_held_bytes 0\n")
        {
            assert!(start.elapsed() < TIMEOUT, "{}", command_line::metrics(metrics));
        }
    });
    server.kill().unwrap();
    server.wait().unwrap();
}

#[test]
fn visitors_come_and_go() {
    over_tcp(json!({}), async |net: Rc<Tcp>| {
        let (mut gm, mut witness) = net.gm_and_witness().await;
        for visits in 1..=VISITS {
            drop(visit(net.agents()).await);
            if visits % 100 == 0 {
                witness.client.send(r#"{"messageID":3,"agentID":0}"#).await;
                assert_eq!(id_of(&gm.read().await), witness.id);
            }
        }
        let all = |totals: &cs::router::Totals| totals.admitted == VISITS + 2 && totals.agents == 1;
        net.wait_for("the last visitor gone", all).await;
        net.rest_is_well(&mut gm, &mut witness, 1).await;
    });
}

/// Connects and says half a message. A connection that is closed like that leaves no waiting address behind,
/// of which there are not enough for long.
async fn visit(server: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(server).await.unwrap();
    stream.set_zero_linger().unwrap();
    stream.try_write(b"\x05").unwrap();
    stream
}
