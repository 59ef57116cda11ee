//! The link: its inputs to the game master, and its events for the recorder.

use std::fs::File;

use game_env::Millis;
use game_env::replay::Playback;
use game_project::{Action, RawConfig, State, Team};
use jiff::{Timestamp, ToSpan as _};
use reference_gm::project::console::Console;
use reference_gm::project::link::{Ending, host};
use reference_gm::project::{Master, Settings};
use reference_gm::recorder::Recorder;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio::sync::mpsc;
use tokio::time::Instant;
use wire::envelope::Envelope;
use wire::frame::{self, Decoder};
use wire::project::{AgentNumber, Dialect, Request, Writer};

use crate::conversation::settings;

/// The game begins with the last agent that joins. A request of an agent that does not wait comes with the same read.
#[tokio::test]
async fn a_request_right_behind_the_last_join_is_in_the_replay() {
    let mut bytes = Vec::new();
    let mut say = |agent, request: &Request| {
        let writer = Writer { dialect: Dialect::Spec, limit: 8192 };
        frame::write_with(&mut bytes, |out| writer.request(out, AgentNumber(agent), request)).unwrap();
    };
    say(1, &Request::Join { team: Team::Red });
    say(2, &Request::Join { team: Team::Blue });
    say(1, &Request::Play(Action::Discover));
    let (mut server, stream) = duplex(1 << 16);
    server.write_all(&bytes).await.unwrap();
    server.shutdown().await.unwrap();

    let config = RawConfig { team_size: 1, ..RawConfig::default() }.check().unwrap();
    let settings = Settings { start_when_full: true, ..settings(config, Dialect::Spec) };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.replay");
    let mut console = Console::new(Vec::new(), Recorder::create(&path).unwrap());
    let (_, commands) = mpsc::channel(1);
    let (master, ending) = host(stream, Master::new(settings), commands, &mut console).await;
    assert!(matches!(ending, Ending::ServerLost(None)), "{ending:?}");
    assert_eq!(master.statistics().unwrap().requests, 1);

    console.into_recorder().finish().unwrap().expect("a replay was written");
    let summary = Playback::<State>::open(File::open(&path).unwrap()).unwrap().run(&mut ()).unwrap();
    assert!(summary.completeness.is_complete());
    // The request, and the end when the server was lost.
    assert_eq!(summary.count, 2);
}

/// However long it took to come to the connection, and whatever the settings say.
#[tokio::test]
async fn moments_are_those_of_the_calendar() {
    let mut bytes = Vec::new();
    let mut say = |agent, request: &Request| {
        let writer = Writer { dialect: Dialect::Spec, limit: 8192 };
        frame::write_with(&mut bytes, |out| writer.request(out, AgentNumber(agent), request)).unwrap();
    };
    say(1, &Request::Join { team: Team::Red });
    say(2, &Request::Join { team: Team::Blue });
    say(1, &Request::Play(Action::Discover));
    say(1, &Request::Play(Action::Discover));
    let (mut server, stream) = duplex(1 << 16);
    server.write_all(&bytes).await.unwrap();
    server.shutdown().await.unwrap();
    let config = RawConfig { team_size: 1, ..RawConfig::default() }.check().unwrap();
    let settings =
        Settings { start_when_full: true, epoch: Timestamp::UNIX_EPOCH, ..settings(config, Dialect::Spec) };
    let mut console = Console::new(Vec::new(), Recorder::default());
    let (_, commands) = mpsc::channel(1);
    let before = Timestamp::now();
    host(stream, Master::new(settings), commands, &mut console).await;
    let after = Timestamp::now();
    let mut told = Vec::new();
    server.read_to_end(&mut told).await.unwrap();
    let (mut decoder, mut told) = (Decoder::new(u16::MAX), &told[..]);
    let mut until = None;
    while let Some(body) = decoder.next(&mut told) {
        let envelope = Envelope::parse(body.unwrap()).unwrap();
        if envelope.message_id == 904 {
            let payload: Value = serde_json::from_str(envelope.payload.unwrap().get()).unwrap();
            until = Some(payload["waitUntil"].as_str().unwrap().parse::<Timestamp>().unwrap());
        }
    }
    let until = until.expect("the second request comes too early");
    // A millisecond is lost where the two clocks are read one after the other, and where they are rounded.
    let rounding = 2.milliseconds();
    assert!((before + 700.milliseconds() - rounding..=after + 700.milliseconds()).contains(&until));
}

/// The server's last words before a game are its reason; those of an agent, which the server marks with its number, are
/// not.
#[tokio::test]
async fn a_server_that_refuses_a_game_master_says_why() {
    let refusal = |agent: i32| {
        format!(
            r#"{{"messageID":107,"agentID":{agent},"payload":{{"accepted":false,"agentID":0,"reason":"too late\u001b[2J; hint: go home"}}}}"#
        )
    };
    let ended = async |bodies: &[String]| {
        let mut bytes = Vec::new();
        bodies.iter().for_each(|body| frame::write(body.as_bytes(), &mut bytes).unwrap());
        let (mut server, stream) = duplex(1 << 16);
        server.write_all(&bytes).await.unwrap();
        server.shutdown().await.unwrap();
        let config = RawConfig { team_size: 1, ..RawConfig::default() }.check().unwrap();
        let mut console = Console::new(Vec::new(), Recorder::default());
        let (_, commands) = mpsc::channel(1);
        host(stream, Master::new(settings(config, Dialect::Spec)), commands, &mut console).await.1
    };
    let ending = ended(&[refusal(0)]).await;
    let Ending::Refused(reason) = ending else { panic!("{ending:?}") };
    assert_eq!(reason, "too late\\u{1b}[2J; hint: go home");
    for bodies in [&[refusal(1)][..], &[refusal(0), refusal(1)]] {
        let ending = ended(bodies).await;
        assert!(matches!(ending, Ending::ServerLost(None)), "{ending:?}");
    }
}

/// Agents of other implementations read nothing during a penalty: a connection that ends with the game is lost for them
/// before they have read who won.
#[tokio::test(start_paused = true)]
async fn the_connection_stays_for_agents_of_others_until_they_have_read_the_end() {
    for (blue, span) in [(r#""agentID":2"#, 0), (r#""agentID":2,"sentAgentID":null"#, 2_000)] {
        let (mut server, stream) = duplex(1 << 16);
        for agent in [
            r#""agentID":1,"payload":{"teamID":"red"}"#.to_owned(),
            format!(r#"{blue},"payload":{{"teamID":"blue"}}"#),
        ] {
            let mut bytes = Vec::new();
            frame::write(format!(r#"{{"messageID":6,{agent}}}"#).as_bytes(), &mut bytes).unwrap();
            server.write_all(&bytes).await.unwrap();
        }
        let config = RawConfig { team_size: 1, ..RawConfig::default() }.check().unwrap();
        let settings = Settings {
            start_when_full: true,
            time_limit: Some(Millis::new(1_000)),
            foreign_config: Some(config.clone()),
            ..settings(config, Dialect::Both)
        };
        let (_, commands) = mpsc::channel(1);
        let mut console = Console::new(Vec::new(), Recorder::default());
        let began = Instant::now();
        let hosted = host(stream, Master::new(settings), commands, &mut console);
        let seen = async {
            let mut told = Vec::new();
            server.read_to_end(&mut told).await.unwrap();
            let seen = began.elapsed();
            server.shutdown().await.unwrap();
            seen
        };
        let ((_, ending), seen) = tokio::join!(hosted, seen);
        assert!(matches!(ending, Ending::Done), "{ending:?}");
        assert_eq!(seen.as_millis(), 1_000 + span, "{blue}");
    }
}
