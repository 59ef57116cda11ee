//! Whole games over real TCP: communication server, game master and agents in one process.

use std::fs::File;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use cs::router::Ending as ServerEnding;
use game_env::replay::{Playback, Summary};
use game_env::{ByTeam, Chance, Outcome, Seed, Termination};
use game_project::statistics::AgentStatistics;
use game_project::{RawConfig, State, Team};
use reference_gm::project::link::{Command, Ending, Order, host};
use reference_gm::project::{Master, Settings};
use reference_gm::recorder::Recorder;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinHandle};
use tokio::time::timeout;
use wire::project::Dialect;

use crate::agent::{Behaviour, End, play};
use crate::conversation::settings;
use crate::observed::{Observed, Progress, check_pieces};
use crate::server::{Server, TIMEOUT};

/// A game to be played.
struct Game {
    behaviours: Vec<Behaviour>,
    settings: Settings,
}

/// The results of a game.
struct Played {
    ends: Vec<End>,
    outcome: Option<Outcome>,
    requests: u64,
    premature: u32,
    /// Requests that were refused because a leader waited for its answer.
    leader_waited: u32,
    /// Number of agents whose loss was reported to the game master.
    lost: usize,
    ending: Ending,
    server: ServerEnding,
    replay: Summary,
}

fn quick() -> RawConfig {
    RawConfig {
        board_x: 5,
        board_y: 6,
        goal_area_height: 1,
        number_of_goals: 1,
        number_of_pieces: 8,
        sham_piece_probability: 0.1,
        move_penalty: 0,
        information_exchange_penalty: 0,
        discovery_penalty: 0,
        put_penalty: 0,
        check_for_sham_penalty: 0,
        destroy_piece_penalty: 0,
        ..RawConfig::default()
    }
}

fn game(raw: &RawConfig, behaviours: Vec<Behaviour>) -> Game {
    let settings = Settings { start_when_full: true, ..settings(raw.check().unwrap(), Dialect::Spec) };
    Game { behaviours, settings }
}

/// Two full teams of this behaviour.
pub(crate) fn teams(size: u64, behaviour: impl Fn(Team, u64) -> Behaviour) -> Vec<Behaviour> {
    (0..2 * size).map(|seed| behaviour(if seed % 2 == 0 { Team::Red } else { Team::Blue }, seed)).collect()
}

/// The controls of a test while a game is played.
struct Hands {
    progress: watch::Receiver<Progress>,
    commands: mpsc::Sender<Order>,
    stop_server: oneshot::Sender<()>,
    players: Vec<(Team, AbortHandle)>,
}

impl Hands {
    /// Waits until the game has this progress; returns it, or nothing if the game ends before.
    async fn wait_for(&mut self, mut wanted: impl FnMut(&Progress) -> bool) -> Option<Progress> {
        self.progress.wait_for(|progress| wanted(progress)).await.ok().map(|progress| *progress)
    }
}

/// Plays a game; `meddle` may give commands, and take the server away.
async fn run<F>(game: Game, meddle: impl FnOnce(Hands) -> F) -> Played
where
    F: Future<Output = Option<Hands>> + Send + 'static,
{
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.replay");
    let Server { agents, gm, stop, ended } = Server::start();
    let (mut journal, progress) = Observed::new(Recorder::create(&path).unwrap());
    let (commands, inbox) = mpsc::channel(4);
    let stream = TcpStream::connect(gm).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let players = seat(agents, &game.behaviours);
    let handles = game
        .behaviours
        .iter()
        .map(|behaviour| behaviour.team)
        .zip(players.iter().map(JoinHandle::abort_handle));
    let hands = Hands { progress, commands, stop_server: stop, players: handles.collect() };
    let meddling = tokio::spawn(meddle(hands));
    let hosted = timeout(TIMEOUT, host(stream, Master::new(game.settings), inbox, &mut journal)).await;
    let (master, ending) = hosted.expect("the game does not end");
    let lost = journal.lost();
    journal.into_recorder().finish().unwrap().expect("a replay was written");
    let ends = ends(players).await;
    // Kept until now: a dropped sender would stop the server.
    let hands = meddling.await.unwrap();
    let server = timeout(TIMEOUT, ended).await.expect("the communication server hangs").unwrap();
    drop(hands);
    let mut playback = Playback::<State>::open(File::open(&path).unwrap()).unwrap();
    let replay = playback.run(&mut ()).unwrap();
    let state = master.game().unwrap();
    check_pieces(state);
    let outcome = match game_env::Environment::turn(state) {
        game_env::Turn::Over(outcome) => Some(outcome),
        game_env::Turn::Act { .. } => None,
    };
    assert_eq!(replay.outcome, outcome);
    let statistics = master.statistics().unwrap();
    let premature = statistics.agents.iter().map(|agent| agent.counts.premature).sum();
    let waited = |agent: &AgentStatistics| agent.counts.reasons.get("leader-waits").copied();
    let leader_waited = statistics.agents.iter().filter_map(waited).sum();
    Played {
        ends,
        outcome,
        requests: statistics.requests,
        premature,
        leader_waited,
        lost,
        ending,
        server,
        replay,
    }
}

/// Connects agents with these behaviours, which then play.
pub(crate) fn seat(server: SocketAddr, behaviours: &[Behaviour]) -> Vec<JoinHandle<End>> {
    let play = |behaviour: Behaviour| async move {
        let stream = TcpStream::connect(server).await.unwrap();
        stream.set_nodelay(true).unwrap();
        if behaviour.mortal {
            // When its task is aborted, its connection is reset: what is on its way from it and to it is lost.
            stream.set_zero_linger().unwrap();
        }
        play(stream, behaviour).await
    };
    behaviours.iter().map(|behaviour| tokio::spawn(play(*behaviour))).collect()
}

/// Waits for the end of each agent.
pub(crate) async fn ends(players: Vec<JoinHandle<End>>) -> Vec<End> {
    let mut ends = Vec::new();
    for player in players {
        let end = timeout(TIMEOUT, player).await.expect("an agent hangs");
        ends.push(end.unwrap_or_else(|error| {
            assert!(error.is_cancelled(), "{error}");
            End::Killed
        }));
    }
    ends
}

/// Leaves a game alone.
async fn nothing(hands: Hands) -> Option<Hands> {
    Some(hands)
}

fn check_won(played: &Played) {
    let outcome = played.outcome.unwrap();
    assert_eq!(outcome.termination, Termination::Normal);
    let winner = Team::try_from(outcome.winner().unwrap()).unwrap();
    assert!(played.ends.iter().all(|end| *end == End::Told(winner)), "{:?}", played.ends);
    assert!(matches!(played.ending, Ending::Done), "{:?}", played.ending);
    assert_eq!(played.server, ServerEnding::GmLeft);
    assert!(played.replay.completeness.is_complete());
    assert!(played.requests >= played.replay.count);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_agents_play_to_the_end() {
    let raw = RawConfig { team_size: 1, ..quick() };
    check_won(&run(game(&raw, teams(1, Behaviour::sensible)), nothing).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixteen_agents_play_with_locks_until_they_have_enough() {
    let raw =
        RawConfig { team_size: 8, board_x: 9, board_y: 8, move_penalty: 10, put_penalty: 20, ..quick() };
    let patience = |team, seed| Behaviour { patience: 150, ..Behaviour::sensible(team, seed) };
    let played = run(game(&raw, teams(8, patience)), nothing).await;
    // By a goal or because everyone has left.
    assert!(matches!(played.outcome.unwrap().termination, Termination::Normal | Termination::AgentLost));
    assert!(played.ends.iter().all(|end| *end != End::Closed), "{:?}", played.ends);
    assert!(matches!(played.ending, Ending::Done), "{:?}", played.ending);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forty_agents_play_to_the_end() {
    let raw = RawConfig { team_size: 20, board_x: 12, board_y: 10, number_of_pieces: 30, ..quick() };
    check_won(&run(game(&raw, teams(20, Behaviour::sensible)), nothing).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_agents_play_until_they_are_stopped() {
    let raw = RawConfig {
        team_size: 100,
        board_x: 40,
        board_y: 40,
        goal_area_height: 5,
        number_of_goals: 200,
        number_of_pieces: 100,
        ..quick()
    };
    let played = run(game(&raw, teams(100, Behaviour::sensible)), |mut hands| async move {
        hands.wait_for(|game| game.requests > 20_000).await.expect("200 goals take longer");
        hands.commands.send(Command::Stop.into()).await.unwrap();
        Some(hands)
    })
    .await;
    let outcome = played.outcome.unwrap();
    assert_eq!(outcome.termination, Termination::Stopped);
    // The team with more points wins, and all agents receive this; on equal points no agent receives anything.
    let end = outcome.winner().map_or(End::Closed, |team| End::Told(Team::try_from(team).unwrap()));
    assert_eq!(played.ends, vec![end; 200]);
    assert!(played.requests > 20_000, "{}", played.requests);
    assert!(matches!(played.ending, Ending::Done), "{:?}", played.ending);
    let server = if outcome.winner().is_some() { ServerEnding::GmLeft } else { ServerEnding::GmLeftEarly };
    assert_eq!(played.server, server);
    assert!(played.replay.completeness.is_complete());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn floods_and_silence_disturb_nobody() {
    let raw =
        RawConfig { team_size: 4, number_of_goals: 5, move_penalty: 10, discovery_penalty: 10, ..quick() };
    let behaviour = |team, seed| match seed {
        0 | 1 => {
            Behaviour { floods: true, curious: true, patience: 2_000, ..Behaviour::sensible(team, seed) }
        }
        // Two of each team: one of them is not its leader.
        2..=5 => Behaviour { deaf: true, curious: true, patience: 200, ..Behaviour::sensible(team, seed) },
        _ => Behaviour { curious: true, patience: 60, ..Behaviour::sensible(team, seed) },
    };
    let played = run(game(&raw, teams(4, behaviour)), nothing).await;
    // Every agent can do all that it has the patience for, and then the game is over.
    assert!(played.outcome.is_some());
    assert!(played.premature > 1_000, "{} premature requests", played.premature);
    // Those that never answer were asked by their leaders first of all, and were refused from then on.
    assert!(played.leader_waited > 100, "{} were refused because a leader waited", played.leader_waited);
    assert!(played.ends.iter().all(|end| *end != End::Closed), "{:?}", played.ends);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agents_that_leave_one_after_the_other_end_the_game() {
    // Nobody can win here: all pieces are shams.
    let raw = RawConfig { sham_piece_probability: 1.0, team_size: 4, number_of_goals: 5, ..quick() };
    let leaving = |team, seed| Behaviour {
        patience: 3 + 7 * u32::try_from(seed).unwrap(),
        ..Behaviour::sensible(team, seed)
    };
    let played = run(game(&raw, teams(4, leaving)), nothing).await;
    assert!(matches!(played.ending, Ending::Done), "{:?}", played.ending);
    let outcome = played.outcome.unwrap();
    assert_eq!((outcome.winner(), outcome.termination), (None, Termination::AgentLost));
    assert_eq!(played.ends, vec![End::Left; 8]);
    assert_eq!(played.lost, 8, "the game master heard of everyone who left");
    assert_eq!(played.server, ServerEnding::GmLeft);
    assert!(played.replay.completeness.is_complete());
    // Each has made all the requests that it had the patience for, and had to wait for some.
    let patience: u64 = (0..8).map(|seed| 3 + 7 * seed).sum();
    assert!(played.requests >= patience, "{} requests", played.requests);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_goes_away_ends_it_for_everyone() {
    // Nobody can win here: all pieces are shams.
    let raw = RawConfig { sham_piece_probability: 1.0, team_size: 4, ..quick() };
    let played = run(game(&raw, teams(4, Behaviour::sensible)), |mut hands| async move {
        hands.wait_for(|game| game.begun).await.unwrap();
        hands.stop_server.send(()).unwrap();
        None
    })
    .await;
    assert!(matches!(played.ending, Ending::ServerLost(_)), "{:?}", played.ending);
    assert_eq!(played.outcome.unwrap().termination, Termination::Interrupted);
    assert!(played.ends.iter().all(|end| *end == End::Closed), "{:?}", played.ends);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_killed_ends_it_for_everyone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.replay");
    let server = Server::brittle();
    let raw = RawConfig { sham_piece_probability: 1.0, team_size: 4, ..quick() };
    let game = game(&raw, teams(4, Behaviour::sensible));
    let (mut journal, mut progress) = Observed::new(Recorder::create(&path).unwrap());
    let stream = TcpStream::connect(server.gm).await.unwrap();
    let (_commands, inbox) = mpsc::channel(1);
    let master = Master::new(game.settings);
    let hosted = tokio::spawn(async move {
        let (master, ending) = host(stream, master, inbox, &mut journal).await;
        journal.into_recorder().finish().unwrap().expect("a replay was written");
        (master, ending)
    });
    let players = seat(server.agents, &game.behaviours);
    let under_way = progress.wait_for(|game| game.requests >= 200);
    timeout(TIMEOUT, under_way).await.expect("the game does not get on").unwrap();
    server.ended.abort();
    let (master, ending) = timeout(TIMEOUT, hosted).await.expect("the game master hangs").unwrap();
    // Not after the last bytes, as with a server that is stopped: the connection breaks off.
    assert!(matches!(&ending, Ending::ServerLost(Some(_))), "{ending:?}");
    assert_eq!(ends(players).await, [End::Closed; 8]);
    check_pieces(master.game().unwrap());
    let replay = Playback::<State>::open(File::open(&path).unwrap()).unwrap().run(&mut ()).unwrap();
    assert!(replay.completeness.is_complete());
    assert_eq!(replay.outcome.unwrap().termination, Termination::Interrupted);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_stops_a_game() {
    let raw = RawConfig { sham_piece_probability: 1.0, team_size: 4, ..quick() };
    let played = run(game(&raw, teams(4, Behaviour::sensible)), |mut hands| async move {
        hands.wait_for(|game| game.begun).await.unwrap();
        hands.commands.send(Command::Stop.into()).await.unwrap();
        Some(hands)
    })
    .await;
    assert_eq!(played.outcome.unwrap().termination, Termination::Stopped);
    assert_eq!(played.outcome.unwrap().winner(), None);
    // On equal points no winner is sent: the connections are closed.
    assert!(played.ends.iter().all(|end| *end == End::Closed), "{:?}", played.ends);
    assert_eq!(played.server, ServerEnding::GmLeftEarly);
}

/// Number of requests that are served between two deaths. They stand for the second of a clock: a death can interrupt
/// a request, an answer, a question, or an agent with a piece in its hand, and this number of requests makes plenty
/// of these; nothing in server and game master happens by the mere passing of a second.
const REQUESTS_BETWEEN_DEATHS: u64 = 25;

fn mortal(team: Team, seed: u64) -> Behaviour {
    Behaviour { mortal: true, ..Behaviour::sensible(team, seed) }
}

/// Kills one random agent after the other until `enough` is said of how many each team has left.
async fn hunt(hands: &mut Hands, chance: &mut Chance, enough: impl Fn(&ByTeam<usize>) -> bool) {
    let mut left = ByTeam::new([0; 2]);
    for (team, _) in &hands.players {
        left[*team] += 1;
    }
    let mut due = 0;
    while !enough(&left) {
        due += REQUESTS_BETWEEN_DEATHS;
        let come = hands.wait_for(|game| game.requests >= due).await;
        assert!(come.is_some(), "the game is over while {left:?} are alive");
        let index = chance.below(u32::try_from(hands.players.len()).unwrap());
        let (team, player) = hands.players.swap_remove(index as usize);
        player.abort();
        left[team] -= 1;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_agents_are_killed_one_by_one_the_team_that_has_some_left_wins() {
    // Too many goals for a game that ends before the hunt.
    let raw = RawConfig { board_y: 8, goal_area_height: 2, number_of_goals: 6, team_size: 4, ..quick() };
    for seed in 0..3 {
        let (tell, told) = oneshot::channel();
        let played = run(game(&raw, teams(4, mortal)), move |mut hands| async move {
            let all = hands.players.len();
            let mut chance = Seed::new(seed).game();
            hunt(&mut hands, &mut chance, |left| left.iter().any(|count| *count == 0)).await;
            let survivors: Vec<Team> = hands.players.iter().map(|(team, _)| *team).collect();
            tell.send((all - survivors.len(), survivors[0])).unwrap();
            Some(hands)
        })
        .await;
        let (dead, team) = told.await.unwrap();
        assert!(dead >= 4);
        let outcome = played.outcome.unwrap();
        assert_eq!(outcome.termination, Termination::Normal, "{seed}");
        assert_eq!(Team::try_from(outcome.winner().unwrap()).unwrap(), team, "{seed}");
        assert_eq!(played.lost, dead, "the game master heard of every death, {seed}");
        assert_eq!(played.ends.iter().filter(|end| **end == End::Killed).count(), dead, "{seed}");
        assert_eq!(played.ends.iter().filter(|end| **end == End::Told(team)).count(), 8 - dead, "{seed}");
        assert!(matches!(played.ending, Ending::Done), "{:?}", played.ending);
        assert_eq!(played.server, ServerEnding::GmLeft);
        assert!(played.replay.completeness.is_complete());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_the_last_agent_is_killed_the_game_ends_without_a_winner() {
    let raw = RawConfig { sham_piece_probability: 1.0, team_size: 4, ..quick() };
    let played = run(game(&raw, teams(4, mortal)), |mut hands| async move {
        let mut chance = Seed::new(5).game();
        hunt(&mut hands, &mut chance, |left| left.iter().all(|count| *count == 0)).await;
        Some(hands)
    })
    .await;
    let outcome = played.outcome.unwrap();
    assert_eq!((outcome.winner(), outcome.termination), (None, Termination::AgentLost));
    assert_eq!((played.lost, played.ends), (8, vec![End::Killed; 8]));
    assert!(matches!(played.ending, Ending::Done), "{:?}", played.ending);
    assert_eq!(played.server, ServerEnding::GmLeft);
    assert!(played.replay.completeness.is_complete());
}

/// A connection of which a test may take away the rest of a message.
struct Breakable {
    stream: TcpStream,
    /// Whether the next message is the one that breaks off.
    breaks: Arc<AtomicBool>,
    broken: Arc<Notify>,
    is_broken: bool,
}

impl AsyncWrite for Breakable {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.is_broken {
            // Nobody wakes this task any more.
            return Poll::Pending;
        }
        let breaks = self.breaks.load(Ordering::Relaxed);
        // The length, and one byte of what should follow.
        let part = if breaks { &bytes[..3] } else { bytes };
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, part))?;
        if breaks {
            self.is_broken = true;
            self.broken.notify_one();
        }
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl AsyncRead for Breakable {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

/// The place in its output at which a game master is killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Death {
    /// Somewhere; its connection is reset.
    Reset,
    /// In the middle of a message.
    InMessage,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_master_that_is_killed_ends_it_for_everyone() {
    for death in [Death::Reset, Death::InMessage] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("game.replay");
        let server = Server::start();
        let raw = RawConfig { sham_piece_probability: 1.0, team_size: 4, ..quick() };
        let game = game(&raw, teams(4, Behaviour::sensible));
        let (mut journal, mut progress) = Observed::new(Recorder::create(&path).unwrap());
        let stream = TcpStream::connect(server.gm).await.unwrap();
        stream.set_nodelay(true).unwrap();
        if death == Death::Reset {
            stream.set_zero_linger().unwrap();
        }
        let (breaks, broken) = (Arc::new(AtomicBool::new(false)), Arc::new(Notify::new()));
        let stream = Breakable { stream, breaks: breaks.clone(), broken: broken.clone(), is_broken: false };
        let (_commands, inbox) = mpsc::channel(1);
        let master = Master::new(game.settings);
        let hosted = tokio::spawn(async move { host(stream, master, inbox, &mut journal).await });
        let players = seat(server.agents, &game.behaviours);
        let under_way = progress.wait_for(|game| game.requests >= 200);
        timeout(TIMEOUT, under_way).await.expect("the game does not get on").unwrap();
        if death == Death::InMessage {
            breaks.store(true, Ordering::Relaxed);
            timeout(TIMEOUT, broken.notified()).await.expect("nobody is told anything");
        }
        hosted.abort();
        assert!(hosted.await.unwrap_err().is_cancelled());
        let ended = timeout(TIMEOUT, server.ended).await.expect("the communication server hangs");
        assert_eq!(ended.unwrap(), ServerEnding::GmLost, "{death:?}");
        assert_eq!(ends(players).await, [End::Closed; 8], "{death:?}");
        // Nothing was finished, but what reached the disk can be played.
        let mut playback = Playback::<State>::open(File::open(&path).unwrap()).unwrap();
        let replay = playback.run(&mut ()).unwrap();
        assert!(!replay.completeness.is_complete(), "{death:?}");
        assert_eq!(replay.outcome, None, "{death:?}");
    }
}
