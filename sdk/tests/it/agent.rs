//! An agent on a stream, against the end of a game master that follows a script, in paused time.

use std::time::Duration;

use game_env::Millis;
use sdk::agent::{Agent, AgentError, Played, Report};
use sdk::driver::actor::BlunderKind;
use sdk::driver::session::End;
use sdk::prelude::*;
use sdk::strategy::{AsyncStrategy, Resignation, async_trait};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::time::{Instant, sleep};
use wire::envelope::Envelope;
use wire::frame;
use wire::project::{AgentNumber, Dialect, Notice, Request, Writer, read_request};

use crate::talk::start;

/// The game master's end of a connection.
struct Master {
    stream: DuplexStream,
    began: Instant,
}

impl Master {
    async fn says(&mut self, notice: &Notice) {
        let writer = Writer { dialect: Dialect::Spec, limit: 8192 };
        let mut out = Vec::new();
        frame::write_with(&mut out, |out| writer.notice(out, AgentNumber(3), None, notice)).unwrap();
        self.stream.write_all(&out).await.unwrap();
    }

    /// The agent's next request, and when it came.
    async fn hears(&mut self) -> (u64, Request) {
        let mut length = [0; 2];
        self.stream.read_exact(&mut length).await.unwrap();
        let mut body = vec![0; u16::from_le_bytes(length).into()];
        self.stream.read_exact(&mut body).await.unwrap();
        let envelope = Envelope::parse(&body).unwrap();
        let request = read_request(envelope.message_id, envelope.payload).unwrap();
        (self.millis(), request)
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap()
    }

    /// Lets the agent in and begins the game.
    async fn begins(&mut self) {
        assert_eq!(self.hears().await, (0, Request::Join { team: Team::Red }));
        self.says(&Notice::Joined { accepted: true, agent: Some(AgentNumber(3)), reason: None }).await;
        self.says(&Notice::GameStart(Box::new(start()))).await;
    }

    fn moved(x: u16, y: u16) -> Notice {
        Notice::Moved { to: Position::new(x, y), distance: Some(Distance::new(2)) }
    }
}

/// Connects both ends; returns the game master's end, and the task of the agent's end with its result and its reports.
fn connect(
    strategy: impl AsyncStrategy + 'static,
) -> (Master, tokio::task::JoinHandle<(Played, Vec<String>)>) {
    let (stream, ours) = duplex(4096);
    let playing = tokio::spawn(async move {
        let told = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let watch = {
            let told = told.clone();
            move |report: Report| told.lock().unwrap().push(report.to_string())
        };
        let played =
            Agent::builder(Team::Red).seed(Seed::new(7)).over(stream).play_watched(strategy, watch).await;
        let told = told.lock().unwrap().clone();
        (played, told)
    });
    (Master { stream: ours, began: Instant::now() }, playing)
}

/// Goes north and south.
#[derive(Default)]
struct Pacer {
    steps: usize,
    ended: Option<Option<Team>>,
}

impl Strategy for Pacer {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        self.steps += 1;
        view.step([Direction::North, Direction::South][self.steps % 2])
    }

    fn end(&mut self, _: &mut View<'_>, winner: Option<Team>) {
        assert_eq!(self.ended.replace(winner), None, "it ends once");
    }
}

/// Requests go out when the lock has ended, and game over ends it all.
#[tokio::test(start_paused = true)]
async fn it_plays_by_the_clock_until_the_game_is_over() {
    let (mut master, playing) = connect(Pacer::default());
    master.begins().await;
    assert_eq!(master.hears().await, (0, Request::Play(game_project::Action::Move(Direction::South))));
    sleep(Duration::from_millis(30)).await;
    master.says(&Master::moved(1, 2)).await;
    // One round trip is not enough to rely on, so the whole penalty of 100 ms counts from the answer.
    assert_eq!(master.hears().await, (130, Request::Play(game_project::Action::Move(Direction::North))));
    sleep(Duration::from_millis(30)).await;
    master.says(&Notice::TooEarly { wait_until: None, wait_for: Some(Millis::new(50)) }).await;
    let (then, _) = master.hears().await;
    assert_eq!(then, 210);
    master.says(&Notice::GameOver { winner: Team::Blue }).await;
    let (played, told) = playing.await.unwrap();
    assert_eq!(played, Played { end: End::Over { winner: Team::Blue }, blunders: 0 });
    assert_eq!(told, ["joined", "the game begins"]);
    let mut rest = Vec::new();
    assert_eq!(master.stream.read_to_end(&mut rest).await.unwrap(), 0, "it says nothing more and hangs up");
}

/// The server listens, and never sends anything.
#[tokio::test(start_paused = true)]
async fn nobody_waits_for_ever_to_be_let_in() {
    let (mut master, playing) = connect(Pacer::default());
    master.hears().await;
    let (played, told) = playing.await.unwrap();
    assert_eq!((played.end, master.millis()), (End::NoAnswer, 75_000));
    assert_eq!(told, [""; 0]);
}

/// The server listens, and sends bytes of another protocol.
#[tokio::test(start_paused = true)]
async fn a_server_of_another_kind_is_told_from_one() {
    let (mut master, playing) = connect(Pacer::default());
    master.hears().await;
    master.stream.write_all(b"SSH-2.0").await.unwrap();
    let (played, told) = playing.await.unwrap();
    assert_eq!((played.end, told), (End::NoServer(b"SSH-2.0".to_vec()), Vec::new()));
}

/// Frames may come in single bytes, and several at once.
#[tokio::test(start_paused = true)]
async fn bytes_may_come_in_any_pieces() {
    let (mut master, playing) = connect(Pacer::default());
    master.hears().await;
    let writer = Writer { dialect: Dialect::Union, limit: 8192 };
    let mut bytes = Vec::new();
    let notices = [
        Notice::Joined { accepted: true, agent: None, reason: None },
        Notice::GameStart(Box::new(start())),
        Master::moved(1, 4),
    ];
    for notice in &notices {
        frame::write_with(&mut bytes, |out| writer.notice(out, AgentNumber(3), None, notice)).unwrap();
    }
    // An empty frame is passed over.
    bytes.extend([0, 0]);
    for byte in bytes {
        master.stream.write_all(&[byte]).await.unwrap();
    }
    master.hears().await;
    drop(master);
    let (played, told) = playing.await.unwrap();
    assert_eq!(played.end, End::Unannounced { covered: 0, goals: 1 });
    assert_eq!(told, ["joined", "the game begins", "ignored an invalid message: the frame is empty"]);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_ends_ends_the_game() {
    for is_playing in [false, true] {
        let (mut master, playing) = connect(Pacer::default());
        if is_playing {
            master.begins().await;
        }
        master.hears().await;
        drop(master);
        let end = if is_playing { End::Unannounced { covered: 0, goals: 1 } } else { End::Closed };
        assert_eq!(playing.await.unwrap().0, Played { end, blunders: 0 });
    }
}

/// Some servers end with the first agent that leaves: the others would never hear who won.
#[tokio::test(start_paused = true)]
async fn the_server_may_close_the_connection_first() {
    for (closes, leaves) in [(Some(700), 700), (None, 2_000)] {
        let (mut master, playing) = connect(Pacer::default());
        master.begins().await;
        master.hears().await;
        master.says(&Notice::GameOver { winner: Team::Blue }).await;
        let began = Instant::now();
        let kept = match closes {
            Some(millis) => {
                sleep(Duration::from_millis(millis)).await;
                assert!(!playing.is_finished());
                drop(master);
                None
            }
            None => Some(master),
        };
        let (played, _) = playing.await.unwrap();
        assert_eq!(played.end, End::Over { winner: Team::Blue });
        assert_eq!(began.elapsed(), Duration::from_millis(leaves));
        drop(kept);
    }
}

/// Decides after a second.
struct Slow;

#[async_trait]
impl AsyncStrategy for Slow {
    async fn act(&mut self, view: &mut View<'_>) -> Choice {
        sleep(Duration::from_secs(1)).await;
        view.discover()
    }
}

/// While the agent decides, the server says who won and goes: the agent cannot write any more, but it can read.
#[tokio::test(start_paused = true)]
async fn the_last_message_is_read_where_nothing_can_be_written() {
    let (mut master, playing) = connect(Slow);
    master.begins().await;
    sleep(Duration::from_millis(500)).await;
    master.says(&Notice::GameOver { winner: Team::Red }).await;
    drop(master);
    assert_eq!(playing.await.unwrap().0.end, End::Over { winner: Team::Red });
}

/// A server that does not take what the agent sends holds it up for ten seconds at the most.
#[tokio::test(start_paused = true)]
async fn a_server_that_reads_nothing_is_given_up() {
    let (stream, server) = duplex(8);
    let began = Instant::now();
    let played = Agent::builder(Team::Red).over(stream).play(Pacer::default()).await;
    assert_eq!(played.end, End::Closed);
    assert_eq!(began.elapsed(), Duration::from_secs(10));
    drop(server);
}

/// Takes three seconds over every decision, and fails at the third.
#[derive(Default)]
struct Ponderer {
    decisions: u32,
    heard: Vec<String>,
}

#[async_trait]
impl AsyncStrategy for Ponderer {
    async fn act(&mut self, view: &mut View<'_>) -> Choice {
        sleep(Duration::from_secs(3)).await;
        self.decisions += 1;
        assert_ne!(self.decisions, 3, "lost in thought");
        view.discover()
    }

    async fn hear(&mut self, _: &mut View<'_>, notice: &Notice<AgentId>) {
        sleep(Duration::from_millis(1)).await;
        self.heard.push(format!("{notice:?}"));
    }

    async fn answer(&mut self, _: &mut View<'_>, _: Question) -> Option<Information> {
        panic!("no words")
    }

    async fn end(&mut self, _: &mut View<'_>, winner: Option<Team>) {
        assert_eq!(winner, Some(Team::Red));
        assert!(self.heard.last().unwrap().starts_with("GameOver"), "it has heard everything");
        panic!("{} things heard", self.heard.len());
    }
}

/// Messages that arrive while a slow strategy thinks wait until it is done; its failures cost it turns alone.
#[tokio::test(start_paused = true)]
async fn a_strategy_may_take_its_time_and_fail() {
    sdk::quiet_hook();
    let (mut master, playing) = connect(Ponderer::default());
    master.begins().await;
    assert_eq!(master.hears().await, (3_000, Request::Play(game_project::Action::Discover)));
    let unknown = Surroundings([None; 9]);
    master.says(&Notice::Discovered { distances: unknown }).await;
    master.says(&Notice::Asked { by: AgentNumber(1), leader: true, team: Team::Red }).await;
    // At the end of the lock, 200 ms, it is asked for an answer and panics; a move later its leader gets an empty one.
    let (then, answer) = master.hears().await;
    assert_eq!((then, answer.id()), (3_300, 4));
    // The lock of the answer ends 600 ms later; then it thinks.
    let (then, request) = master.hears().await;
    assert_eq!((then, request), (6_900, Request::Play(game_project::Action::Discover)));
    master.says(&Notice::Discovered { distances: unknown }).await;
    // From 7.1 s on it hears of that for 1 ms, thinks for 3 s and panics. The turn that it loses has passed meanwhile.
    let (then, request) = master.hears().await;
    assert_eq!((then, request), (13_101, Request::Play(game_project::Action::Discover)));
    master.says(&Notice::GameOver { winner: Team::Red }).await;
    let (played, told) = playing.await.unwrap();
    assert_eq!(played, Played { end: End::Over { winner: Team::Red }, blunders: 3 });
    let first: Vec<&str> = told.iter().map(|report| report.lines().next().unwrap()).collect();
    assert!(first[2].starts_with("the strategy of agent #2 panicked at 3.200 s: no words ("), "{}", first[2]);
    assert!(first[2].contains("agent.rs:"), "the place is told: {}", first[2]);
    assert!(first[3].contains("lost in thought"), "{}", first[3]);
    assert!(first[4].contains("4 things heard ("), "{}", first[4]);
}

/// Looks around. Panics when it is asked for the first time whether it gives up.
#[derive(Default)]
struct Undecided {
    has_panicked: bool,
}

impl Strategy for Undecided {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        view.discover()
    }

    fn gives_up(&mut self) -> Option<Resignation> {
        assert!(std::mem::replace(&mut self.has_panicked, true), "neither yes nor no");
        None
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_over_giving_up_costs_a_turn() {
    sdk::quiet_hook();
    let (mut master, playing) = connect(Undecided::default());
    master.begins().await;
    // The turn takes the time of a move.
    assert_eq!(master.hears().await, (100, Request::Play(game_project::Action::Discover)));
    master.says(&Notice::GameOver { winner: Team::Red }).await;
    let (played, told) = playing.await.unwrap();
    assert_eq!(played, Played { end: End::Over { winner: Team::Red }, blunders: 1 });
    assert!(
        told[2].starts_with("the strategy of agent #2 panicked at 0.000 s: neither yes nor no ("),
        "{told:?}"
    );
}

/// Nonsense is no panic, and is reported as what it is.
#[tokio::test(start_paused = true)]
async fn nonsense_is_told() {
    struct Putter;
    impl Strategy for Putter {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            view.put()
        }
    }
    let (stream, ours) = duplex(4096);
    let mut master = Master { stream: ours, began: Instant::now() };
    let mut blunders = Vec::new();
    let playing = Agent::builder(Team::Red).over(stream).play_watched(Putter, |report| {
        if let Report::Blunder(blunder) = report {
            blunders.push(blunder);
        }
    });
    let hosting = async {
        master.begins().await;
        sleep(Duration::from_millis(1_000)).await;
        drop(master);
    };
    let (played, ()) = tokio::join!(playing, hosting);
    assert_eq!(
        (played.end, played.blunders),
        (End::Unannounced { covered: 0, goals: 1 }, 4),
        "at 0, 300, 600 and 900 ms"
    );
    assert!(blunders.iter().all(|blunder| matches!(blunder.what, BlunderKind::Nonsense { .. })));
    assert!(blunders[0].view.contains('@'));
}

#[test]
fn nobody_to_connect_to_is_an_error() {
    let refused: Result<Played, AgentError> =
        Agent::builder(Team::Blue).server("127.0.0.1:0").run(Pacer::default(), |_| ());
    let error = refused.unwrap_err().to_string();
    assert!(error.starts_with("no communication server at 127.0.0.1:0: "), "{error}");
}

/// Answers `hello`, looks around, and then ends.
struct Brief {
    said: usize,
    read: std::sync::Arc<std::sync::Mutex<Vec<String>>>,
    lasts: usize,
}

impl wire::agent::Peer for Brief {
    fn exchange(
        &mut self,
        line: &[u8],
        _: Duration,
        read: &mut dyn FnMut(&[u8]) -> wire::agent::Progress,
    ) -> Result<Duration, wire::agent::Lost> {
        self.read.lock().unwrap().push(String::from_utf8(line.to_vec()).unwrap());
        if read(b"") == wire::agent::Progress::Done {
            return Ok(Duration::ZERO);
        }
        self.said += 1;
        if self.said > self.lasts {
            return Err(wire::agent::Lost::Ended("ended with exit code 9".to_owned()));
        }
        read(if self.said == 1 { b"{\"type\":\"ready\"}\n" } else { b"{\"do\":\"discover\"}\n" });
        Ok(Duration::ZERO)
    }

    fn finish(self: Box<Self>, _: bool) {}
}

/// A program that gives this number of answers, and all that it reads.
fn program(lasts: usize) -> (sdk::program::Program, std::sync::Arc<std::sync::Mutex<Vec<String>>>) {
    let read = std::sync::Arc::default();
    let brief = Brief { said: 0, read: std::sync::Arc::clone(&read), lasts };
    let real_time = game_env::Thinking::RealTime;
    (sdk::program::Program::new(Box::new(brief), Seed::new(7), real_time), read)
}

/// The program hears which agent it is, and the winner at the end.
#[tokio::test(start_paused = true)]
async fn a_program_plays_in_real_time() {
    let (strategy, read) = program(9);
    let (mut master, playing) = connect(sdk::agent::Blocking(strategy));
    master.begins().await;
    assert_eq!(master.hears().await.1, Request::Play(game_project::Action::Discover));
    master.says(&Notice::GameOver { winner: Team::Blue }).await;
    let (played, _) = playing.await.unwrap();
    assert_eq!(played.end, End::Over { winner: Team::Blue });
    let read = read.lock().unwrap();
    assert!(read[0].contains("\"agent\":2,\"teams\":[0,1,0,1]"), "{}", read[0]);
    assert!(read[0].contains("\"thinking\":\"real_time\""), "{}", read[0]);
    let end = r#"{"type":"end","now":0,"events":[],"winner":1,"points":[],"termination":"normal"}"#;
    assert_eq!(read.last().unwrap().trim_end(), end);
}

/// Its agent closes the connection, so that the game master knows.
#[tokio::test(start_paused = true)]
async fn an_agent_whose_program_has_failed_leaves_the_game() {
    let (strategy, read) = program(1);
    let (mut master, playing) = connect(strategy);
    master.begins().await;
    let (played, _) = playing.await.unwrap();
    let why = "the program of agent #2 ended with exit code 9 (at 0.000 s)";
    assert_eq!(played.end, End::GaveUp(why.to_owned()));
    assert_eq!(played.end.to_string(), format!("the agent has left the game: {why}"));
    assert_eq!(master.stream.read_to_end(&mut Vec::new()).await.unwrap(), 0, "it asks for nothing");
    assert_eq!(read.lock().unwrap().len(), 2, "it is told nothing after its end");
}
