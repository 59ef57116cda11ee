//! Fixed amounts of work, whose instructions `cargo xtask profile` counts.
//!
//! `work --list` prints the name of each, its unit, and a number of units that takes some seconds under callgrind.
//! `work NAME UNITS` does at least this number of units of one, and prints how many it did. Equal units take equal
//! instructions, so a slower commit shows on a machine that is busy. One thread does everything, without sockets.

use std::hint::black_box;
use std::process::ExitCode;
use std::{env, iter};

use cs::config::Config;
use cs::router::{Input as FromPeer, Output, Peer, Role, Router};
use game_env::matches::{MatchLimits, MatchSpec, entrants};
use game_env::{Environment as _, Parameters, Seed, SimTime, TeamId};
use game_project::{Action, Direction, Preset, State};
use league::executor::Executor as _;
use league::in_process::InProcess;
use reference_gm::project::{Input, Master, Settings};
use strategies::arrays::Sight;
use strategies::room::{self, Room};
use wire::eriantys::{Decoder, NOTICE_LIMIT, Notice};
use wire::frame;
use wire::project::{AgentNumber, Dialect, Request, Seats, Writer};

/// A kind of work.
struct Work {
    name: String,
    /// The unit, in the plural.
    unit: &'static str,
    /// The units that take some seconds under callgrind.
    units: u64,
    /// Does at least this number of units, and returns how many it did.
    act: Box<dyn Fn(u64) -> u64>,
}

impl Work {
    fn new(name: &str, units: u64, unit: &'static str, act: impl Fn(u64) -> u64 + 'static) -> Self {
        Self { name: name.to_owned(), unit, units, act: Box::new(act) }
    }
}

fn main() -> ExitCode {
    let all = all();
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    if words == ["--list"] {
        all.iter().for_each(|Work { name, unit, units, .. }| println!("{name}\t{unit}\t{units}"));
        return ExitCode::SUCCESS;
    }
    let asked = match &words[..] {
        [name, units] => all.iter().find(|work| work.name == *name).zip(units.parse().ok()),
        _ => None,
    };
    let Some((work, units)) = asked else {
        let names: Vec<&str> = all.iter().map(|work| work.name.as_str()).collect();
        eprintln!(
            "error: expected `--list`, or a name and the number of units; the names are {}",
            names.join(", ")
        );
        return ExitCode::from(2);
    };
    println!("{}", (work.act)(units));
    ExitCode::SUCCESS
}

fn all() -> Vec<Work> {
    // Every game has a strategy of this name, which decides in almost no time: the rules take most of it.
    let of_rules = room::rooms().iter().map(|room| {
        let name = format!("rules-{}", room.game().name());
        Work::new(&name, 50_000, "actions", |units| matches(*room, "random", units))
    });
    let project = room::find("project").expect("it is shipped");
    let of_project = [
        Work::new("greedy", 20_000, "actions", move |units| matches(project, "greedy", units)),
        Work::new("coordinated", 1_000, "actions", move |units| matches(project, "coordinated", units)),
        Work::new("readings", 50_000, "decisions", move |units| views(project, Sight::Readings, units)),
        Work::new("knowledge", 20_000, "decisions", move |units| views(project, Sight::Knowledge, units)),
        Work::new("game-master", 20_000, "messages", answers),
        Work::new("communication-server", 50_000, "messages", relayed),
        Work::new("tables", 5_000, "messages", tables),
        Work::new("league", 20, "matches", records),
    ];
    of_rules.chain(of_project).collect()
}

/// The matches of this game in which this strategy plays for all teams, one for each number, with the preset `quick`
/// where the game has it.
fn specs(room: &dyn Room, strategy: &str) -> impl Iterator<Item = MatchSpec> + use<> {
    let game = room.game();
    let config =
        game_catalogue::preset(game, "quick").map_or_else(|_| Parameters::new(), |preset| preset.parameters);
    let config = game.complete(&config).expect("presets can be played");
    let teams = game.teams(&config).expect("presets can be played");
    let line_ups = vec![vec![strategy.to_owned()]; TeamId::count(&teams)];
    let entrants = entrants(&teams, &line_ups);
    let game = game.name().to_owned();
    (0..).map(move |number| MatchSpec {
        game: game.clone(),
        config: config.clone(),
        seed: Seed::new(1).child(number),
        entrants: entrants.clone(),
        limits: MatchLimits::default(),
    })
}

/// Plays matches; the units are the actions that were served.
fn matches(room: &dyn Room, strategy: &str, units: u64) -> u64 {
    let mut served = 0;
    for mut spec in specs(room, strategy) {
        // By chance alone, some games would never end.
        spec.limits.steps = units - served;
        let record = room.play(&spec, "work", None).expect("the strategy is shipped");
        served += black_box(record).steps;
        if served >= units {
            break;
        }
    }
    served
}

/// Decides for all agents from outside, by chance, and writes the view before each decision.
fn views(room: &dyn Room, sight: Sight, units: u64) -> u64 {
    let spec = specs(room, "random").next().expect("there is no end of them");
    let names = vec![None; spec.entrants.len()];
    let mut game = room.array_game(&spec.config, &names, sight).expect("the preset can be played");
    let layout = game.layout().clone();
    let (mut planes, mut vector) = (vec![0; layout.plane_bytes()], vec![0.0; layout.vector.len()]);
    let mut mask = vec![0; layout.actions.len()];
    let mut chance = Seed::new(2).game();
    // Questions are as many as agents: by chance alone, agents would do little else.
    let kinds = layout.actions.iter().filter(|action| !action.starts_with("ask")).count();
    let mut games = 0;
    for _ in 0..units {
        let agent = game.asked().unwrap_or_else(|| {
            games += 1;
            game.begin(Seed::new(1).child(games)).expect("nobody has a name");
            game.asked().expect("all agents are decided for")
        });
        game.write(agent, &mut planes, &mut vector, &mut mask);
        black_box((&planes, &vector));
        let possible = mask[..kinds].iter().filter(|possible| **possible == 1).count();
        let mut numbers = (0..kinds).filter(|number| mask[*number] == 1);
        let number = numbers.nth(chance.index(possible)).expect("an agent that is asked can act");
        game.act(number).expect("the action is possible");
    }
    units
}

/// The number of agents at the servers.
const AGENTS: i64 = 40;

/// Lets the game master answer requests, as it is without sockets.
fn answers(units: u64) -> u64 {
    let mut raw = Preset::Quick.raw();
    (raw.team_size, raw.board_x, raw.board_y, raw.move_penalty, raw.discovery_penalty) =
        (AGENTS / 2, 40, 40, 0, 0);
    let config = raw.check().expect("the board has room for the agents");
    let settings = Settings::new(config, Seed::new(1), jiff::Timestamp::UNIX_EPOCH);
    let state = State::new(&settings.config, settings.seed);
    let seats = Seats::new((1..=AGENTS).map(AgentNumber).collect());
    let mut master = Master::take_over(settings, state, seats, SimTime::START);
    let (mut chance, mut body) = (Seed::new(2).game(), Vec::new());
    let writer = Writer { dialect: Dialect::Spec, limit: usize::from(frame::LONGEST) };
    for number in 0..units {
        let action = match chance.below(5) {
            0 => Action::Discover,
            way => Action::Move(Direction::ALL[way as usize - 1]),
        };
        body.clear();
        let agent = AgentNumber(1 + i64::try_from(number).unwrap_or(i64::MAX) % AGENTS);
        writer.request(&mut body, agent, &Request::from(action));
        master.handle(SimTime::START, Input::Body(&body), &mut ());
        iter::from_fn(|| master.poll_output()).for_each(|output| drop(black_box(output)));
    }
    units
}

/// Passes messages from agents to the game master and back, as the communication server does without sockets. The units
/// are the messages of both directions.
fn relayed(units: u64) -> u64 {
    let mut relay = Relay(Router::new(Config::default().limits));
    let game_master = relay.connect(Role::Gm);
    // A connection to this port is the game master once it has sent a message.
    relay.send(game_master, r#"{"messageID":107,"agentID":0}"#);
    let agents: Vec<Peer> = (0..AGENTS).map(|_| relay.connect(Role::Agent)).collect();
    for agent in &agents {
        relay.pass(*agent, game_master, r#"{"messageID":6,"agentID":0,"payload":{"teamID":"red"}}"#);
    }
    let answer = |agent: &Peer| {
        let Peer::Agent(number) = agent else { unreachable!("it connected to the agents' port") };
        format!(
            r#"{{"messageID":108,"agentID":{},"payload":{{"madeMove":true,"closestPiece":3}}}}"#,
            number.get()
        )
    };
    let answers: Vec<String> = agents.iter().map(answer).collect();
    let pairs = usize::try_from(units / 2).unwrap_or(usize::MAX);
    for (agent, answer) in agents.iter().zip(&answers).cycle().take(pairs) {
        relay.pass(*agent, game_master, r#"{"messageID":7,"agentID":0,"payload":{"direction":"N"}}"#);
        relay.pass(game_master, *agent, answer);
    }
    units
}

/// A communication server without sockets.
struct Relay(Router);

impl Relay {
    /// Hands it an input, and takes its outputs; returns the peer that it lets in.
    fn handle(&mut self, input: FromPeer<'_>) -> Option<Peer> {
        self.0.handle(SimTime::START, input);
        let outputs = iter::from_fn(|| self.0.poll_output());
        outputs.fold(None, |admitted, output| match black_box(output) {
            Output::Admitted(peer) => Some(peer),
            _ => admitted,
        })
    }

    fn connect(&mut self, role: Role) -> Peer {
        let from = ([192, 0, 2, 1], 4000).into();
        self.handle(FromPeer::Connected { role, from }).expect("there is room")
    }

    fn send(&mut self, peer: Peer, body: &str) {
        let mut bytes = Vec::new();
        frame::write(body.as_bytes(), &mut bytes).expect("the body is short");
        self.handle(FromPeer::Received { peer, bytes: &bytes });
    }

    /// Passes a message from one peer to another.
    fn pass(&mut self, from: Peer, to: Peer, body: &str) {
        self.send(from, body);
        let bytes = self.0.pending(to).len();
        assert!(bytes > 0, "{body} is passed on");
        self.handle(FromPeer::Written { peer: to, bytes });
    }
}

/// Reads the table of a match of Eriantys, as each client does after each action.
fn tables(units: u64) -> u64 {
    let notices = include_str!("../../wire/tests/eriantys/notices.txt").split_inclusive('\n');
    let tables: Vec<&str> = notices.filter(|line| line.contains("\"type\":\"TableUpdate\"")).collect();
    assert!(!tables.is_empty(), "the file has every kind of message");
    let mut decoder = Decoder::<Notice>::new(NOTICE_LIMIT);
    for (line, _) in tables.iter().cycle().zip(0..units) {
        let message = decoder.next(&mut line.as_bytes());
        black_box(message.expect("the line is complete").expect("the line is a message"));
    }
    units
}

/// Plays matches of a league, and writes their records as text.
fn records(units: u64) -> u64 {
    let (executor, room) = (InProcess::new("work 1.0"), room::find("project").expect("it is shipped"));
    for spec in specs(room, "greedy").zip(0..units).map(|(spec, _)| spec) {
        let played = executor.play(&spec, false).expect("every match can be played");
        black_box(played.record.to_string());
    }
    units
}
