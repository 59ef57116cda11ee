//! Plants faults in games and prints how often `bots why` names them: `cargo xtask bench blame`.
//!
//! One agent of the red team plays as `greedy` and makes one fault at one moment; all others play as `greedy`. Of the
//! games that red has lost, the costliest decision is searched twice: with `greedy` as the reference, and with another
//! strategy. The agent is right if it is the one that made the fault, and the moment if the decision lies in the first
//! second of the fault.
//!
//! Arguments: `--games N`, the number of games of each fault (default: 40), `--futures N`, the number of futures of
//! each search (default: 1,000), and `--reference NAME`, to search with this reference alone.

use std::cell::Cell;
use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;
use std::{env, process, thread};

use contests::in_order::in_order;
use contests::text::columns;
use game_env::matches::{MatchLimits, MatchSpec};
use game_env::parameter::Parameter;
use game_env::replay::Reader;
use sdk::prelude::*;
use strategies::notation::number;
use strategies::project::greedy::Greedy;
use strategies::project::registry::Entry;
use strategies::project::room::ProjectRoom;
use strategies::recorded_game::RecordedGame;
use strategies::room::Room as _;
use study::why::{Setup, search};

/// The references unless one is chosen: the strategy itself, and another one.
const REFERENCES: [&str; 2] = ["greedy", "coordinated"];

/// The time within which a decision counts as that of the fault.
const NEAR: u64 = 1_000;

/// The most games that are played until red has lost one with the fault.
const MOST_TRIES: u64 = 100;

/// A fault of an agent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Destroys,
    Drops,
    Stands,
    Turns,
    Repeats,
}

const FAULTS: [(Fault, &str); 5] = [
    (Fault::Destroys, "destroys a piece"),
    (Fault::Drops, "drops a piece on its way"),
    (Fault::Stands, "stands still for 4 s"),
    (Fault::Turns, "walks the wrong way for 1 s"),
    (Fault::Repeats, "repeats a refused move for 1 s"),
];

const FAULT: Parameter = Parameter::whole("fault", "the place of the fault in the list", 0, 0, 4);
const FROM_MS: Parameter =
    Parameter::whole("fromMs", "the first moment of the fault, in milliseconds", 0, 0, 3_600_000);

static FAULTY: Entry =
    Entry::new("faulty", "plays as greedy, and makes one fault", &[FAULT, FROM_MS], |values| {
        let [fault, from] = [FAULT, FROM_MS].map(|own| number(values, own.name));
        let fault = FAULTS.iter().zip(0_u8..).find(|(_, place)| f64::from(*place) == fault);
        let ((fault, _), _) = fault.expect("the parameter has bounds");
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the parameter has bounds"
        )]
        let from = SimTime::from_millis(from as u64);
        Box::new(Faulty { greedy: Greedy::default(), fault: *fault, from, planted: None, last: None })
    });

thread_local! {
    /// The agent and the moment of the first fault on this thread.
    static PLANTED: Cell<Option<(AgentId, SimTime)>> = const { Cell::new(None) };
}

/// Plays as `greedy`, and makes its fault once.
struct Faulty {
    greedy: Greedy,
    fault: Fault,
    from: SimTime,
    /// The moment of the fault.
    planted: Option<SimTime>,
    /// The field and the direction of the last move.
    last: Option<(Position, Direction)>,
}

impl Faulty {
    /// The faulty choice in place of that of `greedy`; none if this is no moment for the fault.
    fn faulty(&self, view: &View<'_>, own: &Choice) -> Option<Choice> {
        let since = self.planted.map_or(Millis::ZERO, |planted| view.now - planted).as_millis();
        let is_new = self.planted.is_none();
        let Choice::Act(Action::Move(ahead)) = *own else { return None };
        let is_carrying = view.own.hand.is_full() && view.area() == Area::Task;
        match self.fault {
            Fault::Destroys => (is_new && is_carrying).then(|| view.destroy()),
            Fault::Drops => (is_new && is_carrying).then(|| view.put()),
            Fault::Stands => is_new.then(|| Choice::Wait(view.now + Millis::new(4_000))),
            Fault::Turns => {
                let back = ahead.opposite();
                (since < 1_000 && (is_carrying || !is_new) && view.is_free(back)).then(|| view.step(back))
            }
            Fault::Repeats => {
                let (at, direction) = self.last?;
                (since < 1_000 && at == view.position() && direction != ahead).then(|| view.step(direction))
            }
        }
    }
}

impl Strategy for Faulty {
    fn begin(&mut self, view: &mut View<'_>) {
        self.greedy.begin(view);
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let own = self.greedy.act(view);
        let faulty = if view.now >= self.from { self.faulty(view, &own) } else { None };
        if faulty.is_some() && self.planted.is_none() {
            self.planted = Some(view.now);
            if PLANTED.get().is_none() {
                PLANTED.set(Some((view.own.agent, view.now)));
            }
        }
        let choice = faulty.unwrap_or(own);
        self.last = match choice {
            Choice::Act(Action::Move(direction)) => Some((view.position(), direction)),
            _ => None,
        };
        choice
    }
}

/// A game that red has lost, and the agent and the moment of its fault.
struct Lost {
    game: Box<dyn RecordedGame>,
    agent: AgentId,
    at: SimTime,
    red: Vec<AgentId>,
}

/// The results of a reference for a fault.
#[derive(Clone, Copy, Default)]
struct Row {
    games: u64,
    agents: u64,
    moments: u64,
    /// The searches in which a decision stood out, and those of them in which it was another one.
    stood_out: [u64; 2],
    suspects: u64,
}

impl Row {
    fn add(&mut self, other: Self) {
        self.games += other.games;
        self.agents += other.agents;
        self.moments += other.moments;
        for (own, other) in self.stood_out.iter_mut().zip(other.stood_out) {
            *own += other;
        }
        self.suspects += other.suspects;
    }

    fn cells(&self, name: &str, reference: &str) -> [String; 8] {
        let percent = |part: u64| format!("{:.0} %", 100.0 * part as f64 / self.games.max(1) as f64);
        let [stood_out, wrong] = self.stood_out;
        [
            name.to_owned(),
            reference.to_owned(),
            self.games.to_string(),
            percent(self.agents),
            percent(self.moments),
            percent(stood_out - wrong),
            percent(wrong),
            format!("{:.1}", self.suspects as f64 / self.games.max(1) as f64),
        ]
    }
}

fn main() {
    let Arguments { games, futures, references } = arguments();
    let jobs = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let room = ProjectRoom::shipped().with(&FAULTY).expect("no shipped strategy has the name");
    let start = Instant::now();
    let mut rows = vec![vec![Row::default(); references.len()]; FAULTS.len()];
    let task = |number: u64| {
        let fault = usize::try_from(number % FAULTS.len() as u64).expect("there are few faults");
        let lost = lost(&room, fault, Seed::new(number / FAULTS.len() as u64 + 1));
        let judged = |lost: Lost| -> Vec<Row> {
            references.iter().map(|reference| judged(&lost, reference, futures)).collect()
        };
        Ok::<_, Infallible>((fault, lost.map(judged)))
    };
    let Ok(_) = in_order(games * FAULTS.len() as u64, jobs, task, |_, (fault, found)| {
        for (row, found) in rows[fault].iter_mut().zip(found.unwrap_or_default()) {
            row.add(found);
        }
        ControlFlow::Continue(())
    });
    let heading = ["fault", "reference", "games", "agent", "moment", "stands out", "wrongly", "suspects"];
    let mut table = vec![heading.map(str::to_owned)];
    for (place, reference) in references.iter().enumerate() {
        let mut all = Row::default();
        for ((_, name), row) in FAULTS.iter().zip(&rows) {
            table.push(row[place].cells(name, reference));
            all.add(row[place]);
        }
        table.push(all.cells("all", reference));
    }
    println!("\n{futures} futures for each search, {:.0} s\n", start.elapsed().as_secs_f64());
    print!("{}", columns(&table));
}

/// The flags.
struct Arguments {
    /// The number of games of each fault.
    games: u64,
    /// The number of futures of each search.
    futures: u64,
    references: Vec<String>,
}

fn arguments() -> Arguments {
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let (mut games, mut futures) = (40, 1_000);
    let mut references = REFERENCES.map(str::to_owned).to_vec();
    for pair in words.chunks(2) {
        let number = pair.get(1).and_then(|text| text.parse().ok()).filter(|number| *number > 0);
        match (pair[0].as_str(), number) {
            ("--games", Some(number)) => games = number,
            ("--futures", Some(number)) => futures = number,
            ("--reference", _) if pair.len() == 2 => references = vec![pair[1].clone()],
            _ => {
                eprintln!(
                    "error: expected `--games N` and `--futures N`, each with a number above 0, and `--reference NAME`"
                );
                process::exit(2);
            }
        }
    }
    Arguments { games, futures, references }
}

/// Plays games with this fault until red has lost one of them; none if it has lost none.
fn lost(room: &ProjectRoom, fault: usize, seed: Seed) -> Option<Lost> {
    let game = room.game();
    let quick = game_catalogue::preset(game, "quick").expect("the game has this preset");
    let config = game.complete(&quick.parameters).expect("presets are complete");
    let teams = game.teams(&config).expect("presets are complete");
    let red: Vec<AgentId> =
        AgentId::all(teams.len()).filter(|agent| teams[agent.index()].index() == 0).collect();
    (0..MOST_TRIES).find_map(|number| {
        let seed = seed.child(fault as u64).child(number);
        let mut chance = seed.child(0).game();
        let agent = red[chance.index(red.len())];
        let from = 2_000 + chance.below(10_000);
        let mut entrants = vec!["greedy".to_owned(); teams.len()];
        entrants[agent.index()] = format!("faulty:fault={fault},fromMs={from}");
        let (config, limits) = (config.clone(), MatchLimits::default());
        let spec = MatchSpec { game: game.name().to_owned(), config, seed, entrants, limits };
        let mut replay = Vec::new();
        PLANTED.set(None);
        let record = room.play(&spec, "blame", Some(&mut replay)).expect("the match is one of this room");
        let (agent, at) = PLANTED.get()?;
        if record.outcome.ranking.places().first() == Some(&1) {
            return None;
        }
        let reader = Reader::open(&replay[..]).expect("the replay was just written");
        let game = room.recorded_game(reader).expect("the replay was just written");
        Some(Lost { game, agent, at, red: red.clone() })
    })
}

/// Searches the costliest decision of a game that red has lost.
fn judged(lost: &Lost, reference: &str, futures: u64) -> Row {
    let setup = Setup {
        team: 0,
        agents: lost.red.clone(),
        reference: reference.to_owned(),
        games: futures,
        seed: Seed::new(1),
        jobs: NonZeroUsize::MIN,
    };
    let why = search(&*lost.game, &setup, |_| ControlFlow::Continue(())).expect("all players are strategies");
    let mut row = Row { games: 1, suspects: why.suspects as u64, ..Row::default() };
    if let Some(trial) = why.trials.first() {
        let is_agent = trial.suspect.agent == lost.agent;
        let since = trial.suspect.at.as_millis().checked_sub(lost.at.as_millis());
        let is_moment = is_agent && since.is_some_and(|since| since <= NEAR);
        (row.agents, row.moments) = (is_agent.into(), is_moment.into());
        let stands_out = trial.pairs.stands_out();
        row.stood_out = [stands_out.into(), (stands_out && !is_moment).into()];
    }
    row
}
