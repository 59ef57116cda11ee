//! The agent in Python (`examples/python`), in whole games against our programs, and talked to line by line.

use std::collections::VecDeque;
use std::env;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::pin::pin;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use game_env::{AgentId, Environment, Millis, Seed, Termination};
use game_project::{
    Action, ActionKind, Area, Direction, Distance, Geometry, GoalBelief, Information, Penalties, Position,
    PutResult, RawConfig, State, Surroundings, Team,
};
use reference_gm::project::Settings;
use serde_json::value::RawValue;
use tcp::ReservedPort;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio::sync::oneshot;
use tokio::time::timeout;
use wire::envelope::Envelope;
use wire::frame::{self, Decoder};
use wire::project::{
    AgentNumber, Dialect, GameStart, Notice, PickUpFailure, Players, PutFailure, Request, Writer,
    read_notice, read_request,
};
use workspace_tests::loopback::{Played, TIMEOUT, play};
use workspace_tests::{programs, workspace};

use crate::console::{self, Step};
use crate::random::{self, Behaviour};

/// Runs Python. Neither installed packages (`-S`) nor the environment (`-I`) reach it, so that the code that runs here
/// needs the standard library alone.
fn python() -> Command {
    let mut command = Command::new(env::var_os("PYTHON").unwrap_or_else(|| "python3".into()));
    command.args(["-I", "-S", "-B"]).kill_on_drop(true).stdin(Stdio::null());
    command
}

async fn output(mut command: Command) -> Output {
    let output = timeout(TIMEOUT, command.output()).await.expect("Python ends");
    output.expect("Python can be started: install Python 3.9 or newer, or name it in the variable PYTHON")
}

fn agent() -> Command {
    let mut command = python();
    command.arg(workspace().join("examples/python/agent.py"));
    command
}

/// An agent in Python that plays at this address.
async fn plays(at: SocketAddr, team: Team, seed: u64) -> Output {
    plays_with(at, team, seed, &[]).await
}

/// The same with more on its command line.
async fn plays_with(at: SocketAddr, team: Team, seed: u64, words: &[&str]) -> Output {
    let mut command = agent();
    command.args(words);
    command.args(["--host", &at.ip().to_string(), "--port", &at.port().to_string()]);
    command.args(["--team", &team.to_string(), "--seed", &seed.to_string()]);
    output(command).await
}

/// An agent in Python that has a seat; any other end fails the test at once, since the other agents would wait for it.
async fn plays_to_the_end(at: SocketAddr, team: Team, seed: u64) -> Output {
    let output = plays(at, team, seed).await;
    assert_eq!((output.status.code(), texts(&output).1.as_str()), (Some(0), ""));
    output
}

fn quick() -> RawConfig {
    RawConfig {
        board_x: 7,
        board_y: 8,
        goal_area_height: 2,
        number_of_goals: 2,
        number_of_pieces: 6,
        sham_piece_probability: 0.3,
        move_penalty: 20,
        information_exchange_penalty: 10,
        discovery_penalty: 10,
        put_penalty: 10,
        check_for_sham_penalty: 10,
        ..RawConfig::default()
    }
}

fn settings(raw: &RawConfig, dialect: Dialect, seed: Seed) -> Settings {
    // As the game master's configuration has it: agents that need the union dialect do not expect landings.
    let raw = RawConfig { landing_pick_up: dialect == Dialect::Spec, ..raw.clone() };
    let settings = Settings::new(raw.check().unwrap(), seed, "2026-03-01T12:00:00Z".parse().unwrap());
    Settings { dialect, start_when_full: true, ..settings }
}

/// Returns the winner, which every one of these agents heard and printed.
fn check_won(played: &Played, agents: &[Output]) -> Team {
    let outcome = played.outcome;
    assert_eq!(outcome.termination, Termination::Normal);
    let winner = Team::try_from(outcome.winner().unwrap()).unwrap();
    for agent in agents {
        let (told, complaint) = texts(agent);
        assert_eq!((agent.status.code(), complaint.as_str()), (Some(0), ""));
        assert!(told.lines().any(|line| line == format!("{winner} wins")), "{told}");
    }
    assert_eq!(played.complaints, [""; 0]);
    assert!(played.replay.completeness.is_complete());
    winner
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    (text(&output.stdout), text(&output.stderr))
}

async fn two_against_two(dialect: Dialect, seed: u64) {
    let settings = settings(&quick(), dialect, Seed::new(seed));
    let (played, agents) = play(settings, |at| async move {
        let (first, second, third, fourth) = tokio::join!(
            plays_to_the_end(at, Team::Red, 1),
            plays_to_the_end(at, Team::Blue, 2),
            plays_to_the_end(at, Team::Red, 3),
            plays_to_the_end(at, Team::Blue, 4)
        );
        [first, second, third, fourth]
    })
    .await;
    check_won(&played, &agents);
    for agent in &played.statistics.agents {
        // No agent asks here, so every lock is known exactly.
        assert_eq!(agent.counts.premature, 0);
        assert!(agent.counts.granted.of(ActionKind::Move) > 0);
    }
}

/// The pages of the book that start Python; `console` runs the others.
#[test]
fn commands_of_the_book_that_start_python_print_what_it_shows() {
    let commands = console::run_pages(|steps| steps.iter().any(Step::needs_python));
    assert!(commands >= 4, "only {commands} commands were found");
}

/// Runs a program of the workspace in a folder; it must succeed. Returns its output.
#[cfg(target_os = "linux")]
fn printed(program: &str, words: &[&str], folder: &Path) -> String {
    let mut command = std::process::Command::new(programs().unwrap().join(program));
    let output = command.args(words).current_dir(folder).stdin(Stdio::null()).output().unwrap();
    let (out, err) = texts(&output);
    assert!(output.status.success(), "{program} {words:?}: {}\n{out}{err}", output.status);
    out
}

/// The function in the place of a language model plays well enough from the text of each decision alone.
#[test]
#[cfg(target_os = "linux")]
fn the_text_of_a_decision_is_enough_for_a_model() {
    let command =
        format!("python3 -I -S -B '{}'", workspace().join("examples/python/language_model.py").display());
    let words =
        ["--preset", "quick", "--virtual", "--games", "6", "--seed", "1", "--json", &command, "random"];
    let series = printed("bots", &words, workspace());
    let series: serde_json::Value = serde_json::from_str(&series).unwrap();
    let games = series["games"].as_array().unwrap();
    assert!(games.iter().all(|game| game["outcome"]["termination"] == "normal"), "{series}");
    assert!(series["wins"][0].as_u64().unwrap() >= 5, "{}", series["wins"]);
}

/// The functions around the model.
#[tokio::test]
async fn an_answer_of_a_model_is_read() {
    const CODE: &str = r##"
import random, sys
sys.path.insert(0, sys.argv[1])
import language_model
from language_model import fallback, parse, prompt
options = ["move N", "move E", "discover", "ask #1", "ask #12"]
assert parse("Not move E, since it is far. I choose: move N.", options) == "move N"
assert parse("ask #12", options) == "ask #12"
assert parse("ask #123", options) is None
assert parse("remove North", options) is None
assert parse("", options) is None
assert {fallback(options, random.Random(seed)) for seed in range(20)} == {"move N", "move E"}
assert fallback(["put"], random.Random(1)) == "put"
asked = prompt("clock 0.000 s", [str(number) for number in range(9)])
assert asked.endswith("\n\nYour last answers:\n1\n2\n3\n4\n5\n6\n7\n8\n\nclock 0.000 s"), asked
# A message lists at most 256 options; its text has all of them.
many = ["discover", *(f"ask #{number}" for number in range(1, 300))]
text = f"clock 0.000 s\n\noptions: {', '.join(many)}\n"
language_model.ask_model = lambda question, chance: "ask #299"
agent = language_model.Agent({"chance": 1})
assert agent.decide({"text": text})["do"] == "ask #299"
assert language_model.listed({"text": text}) == many
assert language_model.listed({"text": text, "options": options}) == options
print("all right")
"##;
    let mut command = python();
    command.args(["-c", CODE]).arg(workspace().join("examples/python"));
    assert_eq!(texts(&output(command).await), ("all right\n".to_owned(), String::new()));
}

/// The league file of an agent in another language than Rust is played in process.
#[test]
#[cfg(target_os = "linux")]
fn a_new_agent_plays_in_its_league() {
    for (game, matches) in [("project", 6), ("dots", 6)] {
        let above = tempfile::tempdir().unwrap();
        printed("bots", &["new", "mine", "--lang", "python", "--game", game], above.path());
        let folder = above.path().join("mine");
        let file = fs::read_to_string(folder.join("league.toml")).unwrap();
        assert!(file.contains("sets = 10"), "{file}");
        fs::write(folder.join("league.toml"), file.replace("sets = 10", "sets = 1")).unwrap();
        let told = printed("league", &["run", "league.toml"], &folder);
        let names: Vec<&str> = told.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
        for name in ["mine", "greedy", "random"] {
            assert!(names.contains(&name), "{told}");
        }
        let records = fs::read_to_string(folder.join("league.results/matches.jsonl")).unwrap();
        assert_eq!(records.lines().count(), matches, "{records}");
        assert_eq!(records.matches("\"termination\":\"normal\"").count(), matches, "{records}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_against_two_in_the_spec_dialect() {
    two_against_two(Dialect::Spec, 7).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_against_two_in_the_union_dialect() {
    two_against_two(Dialect::Union, 8).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_agents_are_beaten() {
    let (played, agents) = play(settings(&quick(), Dialect::Spec, Seed::new(9)), |at| async move {
        let plays_at_random = async |seed| {
            let stream = TcpStream::connect(at).await.unwrap();
            stream.set_nodelay(true).unwrap();
            random::play(stream, Behaviour::sensible(Team::Blue, seed)).await
        };
        let (first, second, third, fourth) = tokio::join!(
            plays_to_the_end(at, Team::Red, 1),
            plays_to_the_end(at, Team::Red, 2),
            plays_at_random(3),
            plays_at_random(4)
        );
        assert_eq!([third, fourth], [random::End::Told(Team::Red); 2]);
        [first, second]
    })
    .await;
    assert_eq!(check_won(&played, &agents), Team::Red);
    // Red's agents come first.
    let premature: Vec<u32> =
        played.statistics.agents[..2].iter().map(|agent| agent.counts.premature).collect();
    assert_eq!(premature, [0, 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_agent_that_is_turned_away_says_so() {
    let raw = RawConfig { team_size: 1, ..quick() };
    let (played, [late, seated, other]) =
        play(settings(&raw, Dialect::Spec, Seed::new(10)), |at| async move {
            let (mut first, mut second) = (pin!(plays(at, Team::Red, 1)), pin!(plays(at, Team::Red, 2)));
            // Without blue the game does not begin: the one that ends is the one that is turned away.
            let (late, seated) = tokio::select! {
                late = &mut first => (late, second),
                late = &mut second => (late, first),
            };
            let (seated, other) = tokio::join!(seated, plays_to_the_end(at, Team::Blue, 3));
            [late, seated, other]
        })
        .await;
    check_won(&played, &[seated, other]);
    assert_eq!(late.status.code(), Some(2));
    assert_eq!(
        texts(&late),
        (String::new(), "error: the game master takes no more agents of red\n".to_owned())
    );
}

/// A leader that does nothing but ask its agent, again and again; returns the answers.
async fn asks(at: SocketAddr, questions: usize, joined: oneshot::Sender<()>) -> Vec<Information> {
    let mut peer = Peer::new(TcpStream::connect(at).await.unwrap(), Dialect::Spec);
    let (mut joined, mut asked, mut told) = (Some(joined), AgentNumber(0), Vec::new());
    peer.request(&Request::Join { team: Team::Red }).await;
    loop {
        match peer.next_notice().await {
            Notice::Joined { accepted, .. } => {
                assert!(accepted);
                joined.take().unwrap().send(()).unwrap();
            }
            Notice::GameStart(start) => {
                assert_eq!(start.agent, start.leader);
                asked = start.allies[0];
                peer.request(&Request::Play(Action::Ask(asked))).await;
            }
            Notice::Answered { information, .. } => {
                told.push(Information::clone(&information));
                if told.len() < questions {
                    peer.request(&Request::Play(Action::Ask(asked))).await;
                }
            }
            // No pause, since nobody minds.
            Notice::TooEarly { .. } => peer.request(&Request::Play(Action::Ask(asked))).await,
            Notice::GameOver { .. } => return told,
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leader_is_answered_and_the_game_goes_on() {
    let raw = quick();
    // The agent that joins first leads. It will not move: where it stands there must be no goal.
    let fits = |seed: &Seed| {
        let state = State::new(&raw.check().unwrap(), *seed);
        let first = state.briefing(AgentId::new(0));
        let area = state.config().geometry().area(first.start);
        first.leader() == Some(AgentId::new(0)) && area == Area::Task
    };
    let seed = (11..).map(Seed::new).find(fits).unwrap();
    let (played, (told, python)) = play(settings(&raw, Dialect::Spec, seed), |at| async move {
        let (joined, leader_is_there) = oneshot::channel();
        let plays_second = async {
            leader_is_there.await.unwrap();
            plays_to_the_end(at, Team::Red, 1).await
        };
        let plays_at_random = async |seed| {
            let stream = TcpStream::connect(at).await.unwrap();
            random::play(stream, Behaviour::sensible(Team::Blue, seed)).await
        };
        let (told, python, ..) =
            tokio::join!(asks(at, 5, joined), plays_second, plays_at_random(2), plays_at_random(3));
        (told, python)
    })
    .await;
    assert_eq!(check_won(&played, &[python]), Team::Red);
    assert_eq!(told.len(), 5);
    for information in told {
        assert_eq!(information.distances.len(), 7 * 8);
        assert!(Team::ALL.iter().all(|team| information.goals[*team].len() == 7 * 2));
    }
    // No message says when the lock of an answer began, so that its end has to be guessed.
    let python = &played.statistics.agents[1];
    assert!(python.counts.granted.of(ActionKind::Answer) >= 5);
    assert!(python.counts.premature <= python.counts.granted.of(ActionKind::Answer), "{python:?}");
}

/// One end of a connection in the protocol, as a game master (behind a server) or as an agent.
struct Peer {
    stream: TcpStream,
    writer: Writer,
    decoder: Decoder,
    bodies: VecDeque<Vec<u8>>,
}

impl Peer {
    fn new(stream: TcpStream, dialect: Dialect) -> Self {
        stream.set_nodelay(true).unwrap();
        let writer = Writer { dialect, limit: 8192 };
        Self { stream, writer, decoder: Decoder::new(frame::DEFAULT_LIMIT), bodies: VecDeque::new() }
    }

    async fn request(&mut self, request: &Request) {
        let mut out = Vec::new();
        frame::write_with(&mut out, |out| self.writer.request(out, AgentNumber(0), request)).unwrap();
        self.stream.write_all(&out).await.unwrap();
    }

    fn frames(&self, notices: &[Notice]) -> Vec<u8> {
        let mut out = Vec::new();
        for notice in notices {
            frame::write_with(&mut out, |out| self.writer.notice(out, AgentNumber(5), None, notice)).unwrap();
        }
        out
    }

    /// Sends these messages as one piece.
    async fn merged(&mut self, notices: &[Notice]) {
        let frames = self.frames(notices);
        self.stream.write_all(&frames).await.unwrap();
    }

    /// Sends these messages byte by byte.
    async fn split(&mut self, notices: &[Notice]) {
        for byte in self.frames(notices) {
            self.stream.write_all(&[byte]).await.unwrap();
            // Lets other tasks run, so that the bytes do not reach the other side all at once.
            tokio::task::yield_now().await;
        }
    }

    async fn next_body(&mut self) -> Vec<u8> {
        let mut inbox = [0; 4096];
        while self.bodies.is_empty() {
            let read = timeout(TIMEOUT, self.stream.read(&mut inbox)).await.expect("the other side speaks");
            let length = read.unwrap();
            assert!(length > 0, "the other side has closed the connection");
            let mut bytes = &inbox[..length];
            while let Some(body) = self.decoder.next(&mut bytes) {
                self.bodies.push_back(body.unwrap().to_owned());
            }
        }
        self.bodies.pop_front().unwrap()
    }

    async fn next_notice(&mut self) -> Notice {
        let body = self.next_body().await;
        let envelope = Envelope::parse(&body).unwrap();
        read_notice(envelope.message_id, envelope.payload).unwrap()
    }

    async fn next_request(&mut self) -> Request {
        self.next_correlated().await.0
    }

    /// A request, and the `correlationID` that its answer is to have.
    async fn next_correlated(&mut self) -> (Request, Box<RawValue>) {
        let body = self.next_body().await;
        let envelope = Envelope::parse(&body).unwrap();
        let request = read_request(envelope.message_id, envelope.payload).unwrap();
        (request, envelope.correlation_id.expect("every request has one").to_owned())
    }

    /// Sends these messages as answers to requests, as one piece.
    async fn answers(&mut self, notices: &[(&RawValue, Notice)]) {
        let mut out = Vec::new();
        for (correlation, notice) in notices {
            let to = AgentNumber(5);
            frame::write_with(&mut out, |out| self.writer.notice(out, to, Some(correlation), notice))
                .unwrap();
        }
        self.stream.write_all(&out).await.unwrap();
    }

    /// Waits until the other side has closed the connection.
    async fn closed(&mut self) {
        let read = timeout(TIMEOUT, self.stream.read(&mut [0; 1])).await.expect("the other side ends");
        assert_eq!(read.unwrap(), 0, "the other side says more");
    }
}

/// Starts an agent of red in Python that talks with this test instead of a server.
async fn talk(dialect: Dialect, talk: impl AsyncFnOnce(&mut Peer)) -> Output {
    talk_with(dialect, &[], talk).await
}

/// The same with more on the agent's command line.
async fn talk_with(dialect: Dialect, words: &[&str], talk: impl AsyncFnOnce(&mut Peer)) -> Output {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let at = listener.local_addr().unwrap();
    let mut agent = pin!(plays_with(at, Team::Red, 1, words));
    let stream = tokio::select! {
        accepted = listener.accept() => accepted.unwrap().0,
        output = &mut agent => panic!("it does not connect: {:?}", texts(&output)),
    };
    let mut peer = Peer::new(stream, dialect);
    let (output, ()) = tokio::join!(agent, async {
        talk(&mut peer).await;
        drop(peer);
    });
    output
}

/// The start of a game for agent 5, whose leader is agent 4, against agent 6.
fn start(columns: u16, rows: u16, position: Position) -> Notice {
    Notice::GameStart(Box::new(GameStart {
        agent: AgentNumber(5),
        allies: vec![AgentNumber(4)],
        leader: AgentNumber(4),
        enemies: vec![AgentNumber(6)],
        team: Team::Red,
        geometry: Geometry::new(columns, rows, 1).unwrap(),
        players: Players { allies: 2, enemies: 1 },
        pieces: 3,
        goals: 2,
        premature: Millis::ZERO,
        penalties: Penalties::new(|kind| Millis::new(if kind == ActionKind::Move { 50 } else { 10 })),
        sham_probability: 0.5,
        position,
    }))
}

const JOINED: Notice = Notice::Joined { accepted: true, agent: Some(AgentNumber(5)), reason: None };
const LEADER_ASKS: Notice = Notice::Asked { by: AgentNumber(4), leader: true, team: Team::Red };

fn refused(position: Position, holding: bool) -> Notice {
    Notice::Refused { position: Some(position), holding: Some(holding), reason: None }
}

/// A piece lies where the agent stands, in the middle of the board.
fn piece_here() -> Notice {
    let distance = |(east, north): (i16, i16)| Distance::new(east.unsigned_abs() + north.unsigned_abs());
    Notice::Discovered { distances: Surroundings(Surroundings::OFFSETS.map(|at| Some(distance(at)))) }
}

/// Returns the content of the agent's answer to its leader.
async fn answer(peer: &mut Peer) -> Information {
    match peer.next_request().await {
        Request::Play(Action::Answer { to: AgentNumber(4), information }) => Information::clone(&information),
        other => panic!("{other:?} instead of an answer"),
    }
}

/// Everything that may happen to an agent, in the dialect that says it in most ways.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_conversation() {
    let geometry = Geometry::new(3, 6, 1).unwrap();
    let mut at = Position::new(1, 4);
    let output = talk(Dialect::Union, async |peer| {
        assert_eq!(peer.next_request().await, Request::Join { team: Team::Red });
        peer.merged(&[JOINED, start(3, 6, at)]).await;
        // It does not know which way to go. It waits as long as the message says, and asks again.
        assert_eq!(peer.next_request().await, Request::Play(Action::Discover));
        let asked_to_wait = Instant::now();
        peer.split(&[Notice::TooEarly { wait_until: None, wait_for: Some(Millis::new(100)) }]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::Discover));
        assert!(asked_to_wait.elapsed() >= Duration::from_millis(100));
        peer.split(&[piece_here()]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::PickUp));
        peer.split(&[Notice::PickedUp]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::Check));
        peer.merged(&[Notice::Checked { sham: false }]).await;
        // Its share is the field in the middle of three; another agent stands there, so it goes elsewhere.
        assert_eq!(peer.next_request().await, Request::Play(Action::Move(Direction::North)));
        peer.split(&[Notice::MoveRefused { position: Some(at), reason: None }]).await;
        let Request::Play(Action::Move(direction)) = peer.next_request().await else { panic!("it stays") };
        assert!([Direction::East, Direction::West].contains(&direction));
        // Its leader's question crosses its next move, which is refused. An answer that comes too early
        // comes again.
        peer.merged(&[
            LEADER_ASKS,
            Notice::Refused { position: Some(at), holding: Some(true), reason: None },
        ])
        .await;
        let told = answer(peer).await;
        peer.merged(&[Notice::TooEarly { wait_until: None, wait_for: Some(Millis::new(20)) }]).await;
        assert_eq!(answer(peer).await, told);
        assert_eq!(told.distances.len(), 18);
        assert_eq!(told.distances[geometry.index(Position::new(1, 3))], Some(Distance::new(1)));
        assert_eq!(told.distances[geometry.index(Position::new(0, 0))], None);
        assert!(Team::ALL.iter().all(|team| told.goals[*team] == [GoalBelief::Unknown; 3]));
        // It reaches the goal area and puts its piece.
        let mut moves = 0;
        loop {
            match peer.next_request().await {
                Request::Play(Action::Move(direction)) => {
                    at = geometry.neighbour(at, direction).expect("it knows where the board ends");
                    peer.split(&[Notice::Moved { to: at, distance: Some(Distance::INFINITE) }]).await;
                }
                Request::Play(Action::Put) => break,
                other => panic!("{other:?} instead of a way home"),
            }
            moves += 1;
            assert!(moves < 5, "it does not find the goal area");
        }
        assert_eq!(at.y, 5);
        peer.split(&[Notice::Put { result: Some(PutResult::OnNoGoal) }]).await;
        // A piece lands in its hand while it is on the way to another.
        assert_eq!(peer.next_request().await, Request::Play(Action::Move(Direction::South)));
        at = Position::new(at.x, 4);
        peer.merged(&[Notice::PickedUp, Notice::Moved { to: at, distance: None }]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::Check));
        // It is a sham, and the answer has the result of the first piece.
        peer.merged(&[LEADER_ASKS, Notice::Checked { sham: true }]).await;
        let mut goals = [GoalBelief::Unknown; 3];
        goals[usize::from(at.x)] = GoalBelief::NoGoal;
        let told = answer(peer).await;
        assert_eq!(told.goals[Team::Red], goals);
        assert_eq!(told.goals[Team::Blue], [GoalBelief::Unknown; 3]);
        peer.merged(&[Notice::GameOver { winner: Team::Blue }, Notice::GameOver { winner: Team::Blue }])
            .await;
    })
    .await;
    let (told, complaint) = texts(&output);
    assert_eq!((output.status.code(), complaint.as_str()), (Some(0), ""));
    for line in [
        "was too early, and waits 0.100 s",
        "cannot move N, and goes around",
        "was refused MOVE, and answers its leader first",
        "finds a sham",
    ] {
        assert!(told.contains(&format!("agent 5 of red {line}\n")), "no `{line}` in {told}");
    }
    assert!(told.contains("\nblue wins\n"), "{told}");
}

/// Beliefs, output and next requests of the agent after a refusal: 901, 902, 903 and 905.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_says_what_it_does_when_it_is_refused() {
    let at = Position::new(1, 4);
    let output = talk(Dialect::Spec, async |peer| {
        assert_eq!(peer.next_request().await, Request::Join { team: Team::Red });
        peer.merged(&[JOINED, start(3, 6, at)]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::Discover));
        peer.merged(&[piece_here()]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::PickUp));
        peer.merged(&[Notice::PickUpRefused { reason: PickUpFailure::Other }]).await;
        // So there is something in its hand, which may be a sham.
        assert_eq!(peer.next_request().await, Request::Play(Action::Check));
        peer.merged(&[refused(at, false)]).await;
        // Nothing, after all: it looks for a piece again, on another field than it believed.
        assert_eq!(peer.next_request().await, Request::Play(Action::Discover));
        peer.merged(&[piece_here()]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::PickUp));
        peer.merged(&[Notice::PickUpRefused { reason: PickUpFailure::NothingThere }]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::Discover));
        peer.merged(&[Notice::PickedUp, piece_here()]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::Check));
        peer.merged(&[Notice::Checked { sham: false }]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::Move(Direction::North)));
        // It stands next to where it believed: west of its share of the goal fields.
        peer.merged(&[Notice::MoveRefused { position: Some(Position::new(0, 5)), reason: None }]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::Move(Direction::East)));
        let to = Position::new(1, 5);
        peer.merged(&[Notice::Moved { to, distance: Some(Distance::INFINITE) }]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::Put));
        peer.merged(&[Notice::PutRefused { reason: PutFailure::AgentNotHolding }]).await;
        // Its hand is empty: it goes back to where pieces are.
        assert_eq!(peer.next_request().await, Request::Play(Action::Move(Direction::South)));
        peer.merged(&[Notice::GameOver { winner: Team::Blue }]).await;
    })
    .await;
    let (told, complaint) = texts(&output);
    assert_eq!((output.status.code(), complaint.as_str()), (Some(0), ""));
    for line in [
        "cannot pick up at (1, 4) (Other), and believes its hand full",
        "was refused CHECK, and decides anew",
        "cannot pick up at (1, 4) (NothingThere), and searches on",
        "cannot move N, and stands at (0, 5)",
        "cannot put at (1, 5) (AgentNotHolding), and believes its hand empty",
    ] {
        assert!(told.contains(&format!("agent 5 of red {line}\n")), "no `{line}` in {told}");
    }
}

/// A late answer is believed, and is not taken for the answer to the next request.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_are_matched_by_their_correlation_id() {
    let at = Position::new(1, 3);
    // The agent waits once for this time; the second answer has to come within it, on a busy machine too.
    let output = talk_with(Dialect::Spec, &["--timeout", "3.5"], async |peer| {
        let (join, joining) = peer.next_correlated().await;
        assert_eq!(join, Request::Join { team: Team::Red });
        peer.answers(&[(&joining, JOINED)]).await;
        peer.merged(&[start(3, 6, at)]).await;
        let (first, late) = peer.next_correlated().await;
        // No answer comes, until the agent has asked again.
        let (second, current) = peer.next_correlated().await;
        assert_eq!([first, second], [Request::Play(Action::Discover), Request::Play(Action::Discover)]);
        assert_ne!(late.get(), current.get());
        // The late answer says that a piece lies here, the second one that it lies in the south: that one counts.
        let south =
            |(east, north): (i16, i16)| Distance::new(east.unsigned_abs() + (north + 1).unsigned_abs());
        let there = Surroundings(Surroundings::OFFSETS.map(|offset| Some(south(offset))));
        peer.answers(&[(&late, piece_here()), (&current, Notice::Discovered { distances: there })]).await;
        let (third, moving) = peer.next_correlated().await;
        assert_eq!(third, Request::Play(Action::Move(Direction::South)));
        // Messages without the id do not answer it, whatever they look like. A piece that lands in its hand is there.
        peer.merged(&[Notice::PickedUp, Notice::Moved { to: at, distance: None }]).await;
        let to = Position::new(1, 2);
        peer.answers(&[(&moving, Notice::Moved { to, distance: None })]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::Check));
        peer.merged(&[Notice::GameOver { winner: Team::Red }]).await;
    })
    .await;
    let (told, complaint) = texts(&output);
    assert_eq!((output.status.code(), complaint.as_str()), (Some(0), ""));
    assert!(
        told.contains("agent 5 of red has no answer to DISCOVER after 3.5 s, and decides anew\n"),
        "{told}"
    );
}

/// A server that is full gives its reason with the rejection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reason_for_a_rejection_is_said() {
    let output = talk(Dialect::Spec, async |peer| {
        assert_eq!(peer.next_request().await, Request::Join { team: Team::Red });
        let rejection = br#"{"messageID":107,"payload":{"accepted":false,"reason":"this server is full"}}"#;
        let mut message = Vec::new();
        frame::write_with(&mut message, |out| out.extend_from_slice(rejection)).unwrap();
        peer.stream.write_all(&message).await.unwrap();
        peer.closed().await;
    })
    .await;
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(texts(&output), (String::new(), "error: this server is full\n".to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_ends_where_no_answers_come() {
    let output = talk_with(Dialect::Spec, &["--timeout", "0.05"], async |peer| {
        assert_eq!(peer.next_request().await, Request::Join { team: Team::Red });
        peer.merged(&[JOINED, start(3, 6, Position::new(1, 4))]).await;
        for _ in 0..3 {
            assert_eq!(peer.next_request().await, Request::Play(Action::Discover));
        }
        peer.closed().await;
    })
    .await;
    let (_, complaint) = texts(&output);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        complaint,
        "error: 3 requests in a row were not answered within 0.05 s each\n\
         hint: --timeout allows more time, --trace shows every message\n"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trace_has_every_message() {
    let output = talk_with(Dialect::Spec, &["--trace", "--quiet"], async |peer| {
        let (_, joining) = peer.next_correlated().await;
        peer.answers(&[(&joining, JOINED)]).await;
        peer.merged(&[start(3, 6, Position::new(1, 4))]).await;
        let (_, discovering) = peer.next_correlated().await;
        let message = br#"{"messageID": 950, "payload": {"news": "none"}}"#;
        peer.stream
            .write_all(&[&[u8::try_from(message.len()).unwrap(), 0][..], message].concat())
            .await
            .unwrap();
        peer.answers(&[(&discovering, piece_here())]).await;
        assert_eq!(peer.next_request().await, Request::Play(Action::PickUp));
        peer.merged(&[Notice::GameOver { winner: Team::Red }]).await;
    })
    .await;
    let (told, trace) = texts(&output);
    assert_eq!((output.status.code(), told.as_str()), (Some(0), "red wins\n"));
    let lines: Vec<(String, serde_json::Value)> = trace
        .lines()
        .map(|line| {
            let (head, body) = line.split_at(line.find('{').unwrap());
            let (moment, what) = head.trim().split_once(' ').unwrap();
            assert!(moment.parse::<f64>().is_ok(), "{line}");
            (what.to_owned(), serde_json::from_str(body).unwrap())
        })
        .collect();
    let heads: Vec<&str> = lines.iter().map(|(head, _)| head.as_str()).collect();
    assert_eq!(
        heads,
        [
            "> JOIN",
            "< JOINED",
            "< GAME_START",
            "> DISCOVER",
            "< unknown",
            "< DISCOVERED",
            "> PICK_UP",
            "< GAME_OVER"
        ]
    );
    assert_eq!(lines[0].1["payload"]["teamID"], "red");
    assert_eq!(lines[4].1["payload"]["news"], "none");
    assert_eq!(lines[3].1["correlationID"], lines[5].1["correlationID"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_that_is_too_long_loses_its_distances() {
    let output = talk(Dialect::Spec, async |peer| {
        assert_eq!(peer.next_request().await, Request::Join { team: Team::Red });
        peer.merged(&[JOINED, start(60, 60, Position::new(30, 30)), LEADER_ASKS]).await;
        // The first request is on its way, or the answer comes first: that is up to the network.
        let first = peer.next_request().await;
        let information = match first {
            Request::Play(Action::Answer { information, .. }) => Information::clone(&information),
            _ => {
                peer.merged(&[Notice::Refused { position: None, holding: None, reason: None }]).await;
                answer(peer).await
            }
        };
        assert_eq!(information.distances, []);
        assert!(Team::ALL.iter().all(|team| information.goals[*team].len() == 60));
        peer.merged(&[Notice::GameOver { winner: Team::Red }]).await;
    })
    .await;
    assert_eq!(output.status.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_is_closed_is_no_end_of_a_game() {
    let output = talk(Dialect::Spec, async |peer| {
        assert_eq!(peer.next_request().await, Request::Join { team: Team::Red });
    })
    .await;
    assert_eq!(output.status.code(), Some(1));
    let complaint = "error: the connection was closed before the game was over\n";
    assert_eq!(texts(&output), (String::new(), complaint.to_owned()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_users_get_wrong_is_said_without_a_traceback() {
    let reserved = ReservedPort::new().unwrap();
    let free = reserved.address();
    let nobody = plays(free, Team::Red, 1).await;
    assert_eq!(nobody.status.code(), Some(1));
    let (told, complaint) = texts(&nobody);
    assert_eq!(told, "");
    assert!(complaint.starts_with(&format!("error: no communication server at {free}: ")), "{complaint}");
    assert!(complaint.contains("\nhint: start one") && complaint.lines().count() == 2, "{complaint}");
    for (words, said) in [
        (["--port", "70000"], "invalid port `70000`: expected a whole number from 1 to 65535"),
        (["--timeout", "0"], "invalid timeout `0`: expected seconds, from above 0 to 86400"),
        (["--timeout", "nan"], "invalid timeout `nan`"),
        (["--team", "green"], "invalid choice"),
        (["--seed", "many"], "invalid int value"),
    ] {
        let mut command = agent();
        command.args(words);
        let output = output(command).await;
        assert_eq!(output.status.code(), Some(2));
        let (_, complaint) = texts(&output);
        assert!(complaint.contains(said) && !complaint.contains("Traceback"), "{complaint}");
    }
}

/// It is there to be read: every function has types for its parameters and its result.
#[tokio::test]
async fn it_is_typed() {
    const CHECK: &str = "
import ast, sys
tree = ast.parse(open(sys.argv[1]).read())
functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
for function in functions:
    given = function.args.posonlyargs + function.args.args + function.args.kwonlyargs
    bare = [each.arg for each in given if each.annotation is None and each.arg not in ('self', 'cls')]
    assert function.returns is not None and not bare, (function.name, bare)
assert len(functions) > 40
";
    let mut command = python();
    command.arg("-c").arg(CHECK).arg(workspace().join("examples/python/agent.py"));
    let output = output(command).await;
    assert_eq!((output.status.code(), texts(&output).1.as_str()), (Some(0), ""));
}

/// A newer Python than the promised one would hide features that the promised one does not have.
#[tokio::test]
async fn it_is_written_in_the_python_that_is_promised() {
    let mut command = python();
    command.arg("-c").arg("import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 9))");
    command.arg(workspace().join("examples/python/agent.py"));
    let output = output(command).await;
    assert_eq!((output.status.code(), texts(&output).1.as_str()), (Some(0), ""));
}
