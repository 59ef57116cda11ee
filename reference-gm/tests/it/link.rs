//! What the link hands to the game master, and to whoever records the game.

use std::fs::File;

use game_env::replay::Playback;
use game_project::{RawConfig, State, Team};
use reference_gm::console::Console;
use reference_gm::link::{Ending, host};
use reference_gm::recorder::Recorder;
use reference_gm::{Master, Settings};
use tokio::io::{AsyncWriteExt as _, duplex};
use tokio::sync::mpsc;
use wire::frame;
use wire::project::{AgentNumber, Dialect, Request, Writer};

use crate::desk::settings;

/// The game begins with the last agent that joins. What somebody asks for who cannot wait comes with the same read.
#[tokio::test]
async fn a_request_right_behind_the_last_join_is_in_the_replay() {
    let mut bytes = Vec::new();
    let mut say = |agent, request: &Request| {
        let writer = Writer { dialect: Dialect::Spec, limit: 8192 };
        frame::write_with(&mut bytes, |out| writer.request(out, AgentNumber(agent), request)).unwrap();
    };
    say(1, &Request::Join { team: Team::Red });
    say(2, &Request::Join { team: Team::Blue });
    say(1, &Request::Discover);
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
