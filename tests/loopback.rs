//! Whole games on the loopback address: communication server and game master in this process, over real TCP;
//! the agents are the caller's, in whatever process and language.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use cs::config::Config as ServerConfig;
use cs::server::{Listeners, Live, TcpPort};
use game_env::replay::{Playback, Summary};
use game_env::{AgentId, ByTeam, Disruption, Environment, Outcome, SimTime, Turn, Witness};
use game_project::statistics::Statistics;
use game_project::{Action, State};
use reference_gm::project::link::{Ending, Observer, host};
use reference_gm::project::players::header;
use reference_gm::project::{Master, News, Settings};
use reference_gm::recorder::Recorder;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::net::Listener;

/// Longer than any game of a test takes; never waited for when all is well.
pub const TIMEOUT: Duration = Duration::from_secs(60);

/// Results of a game.
#[derive(Debug)]
pub struct Played {
    /// The end of the game.
    pub outcome: Outcome,
    /// The game master's counts.
    pub statistics: Statistics,
    /// Messages that made no sense to the game master, and messages that it could not send.
    pub complaints: Vec<String>,
    /// The summary of the replay, which was played again and has every hash as it was.
    pub replay: Summary,
}

/// Hosts a game, lets agents play it, and plays its replay again.
///
/// `agents` gets the address at which the communication server listens for them, and is waited for. The settings have
/// to say when the game starts, since nobody commands it.
///
/// # Panics
///
/// If the game does not end by itself, or its replay is not the game that was played.
pub async fn play<F: Future>(
    settings: Settings,
    agents: impl FnOnce(SocketAddr) -> F,
) -> (Played, F::Output) {
    let folder = tempfile::tempdir().expect("a folder for the replay");
    let path = folder.path().join("game.replay");
    let mut observer = Listening {
        recorder: Recorder::create(&path).expect("a file for the replay"),
        complaints: Vec::new(),
    };
    let port = || TcpPort::bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a free port");
    let listeners = Listeners { agents: port(), gm: port() };
    let address = |port: &TcpPort| port.local_addr().expect("a port has an address");
    let (for_agents, for_gm) = (address(&listeners.agents), address(&listeners.gm));
    let server = tokio::spawn(async move {
        let config = ServerConfig::default();
        cs::server::run(listeners, &config, Live::default(), std::future::pending()).await
    });
    let stream = tcp::dial(for_gm).await.expect("the communication server listens");
    let (_operator, commands) = mpsc::channel(1);
    let (master, ending, told) = timeout(TIMEOUT, async {
        let hosting = host(stream, Master::new(settings), commands, &mut observer);
        let ((master, ending), told) = tokio::join!(hosting, agents(for_agents));
        server.await.expect("the communication server does not panic");
        (master, ending, told)
    })
    .await
    .expect("the game ends");
    assert!(matches!(ending, Ending::Done), "{ending:?}");
    let Listening { recorder, complaints, .. } = observer;
    let path = recorder.finish().expect("the replay is written").expect("a game was played");
    let file = File::open(path).expect("the replay is there");
    let mut playback = Playback::<State>::open(file).expect("a replay of this game");
    let replay = playback.run(&mut ()).expect("every hash is as recorded");
    let state = master.game().expect("a game was played");
    let Turn::Over(outcome) = state.turn() else { panic!("the game master left a game that is not over") };
    assert_eq!(replay.outcome, Some(outcome));
    let statistics = master.statistics().expect("a game was played").clone();
    (Played { outcome, statistics, complaints, replay }, told)
}

/// Records the game, and keeps the complaints of the game master.
struct Listening {
    recorder: Recorder,
    complaints: Vec<String>,
}

impl Observer for Listening {
    fn news(&mut self, master: &Master, news: &News) {
        match news {
            News::Started => {
                let header = header(master, &ByTeam::default()).expect("a game that has started is there");
                self.recorder.begin(&header).expect("the replay can be written");
            }
            News::Senseless { .. } | News::Unsent { .. } => self.complaints.push(format!("{news:?}")),
            _ => {}
        }
    }

    fn nonsense(&mut self, reason: &str) {
        self.complaints.push(reason.to_owned());
    }

    fn second(&mut self, _: &Master) {}
}

impl Witness<State> for Listening {
    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        self.recorder.action(state, now, agent, action);
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        self.recorder.disruption(state, now, disruption);
    }

    fn end(&mut self, state: &State, now: SimTime) {
        self.recorder.end(state, now);
    }
}
