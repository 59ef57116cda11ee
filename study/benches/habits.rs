//! Gives agents a bad habit and prints how often `league habits` names it: `cargo xtask bench habits`.
//!
//! In each try, a team with the habit plays games against another team, and the habits are searched as `league habits`
//! does it, with the same strategy without the habit as the reference. The habit is named if one of its kinds is among
//! the first three lines, and chance alone does not explain its cost.
//!
//! Arguments: `--tries N` (default: 20), `--games N`, the number of games of each try (default: 50), and `--pairs N`,
//! the number of pairs of games of each search (default: 1,000).

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;
use std::{env, process, thread};

use contests::text::columns;
use game_env::matches::{MatchLimits, MatchSpec};
use game_env::replay::Reader;
use game_env::{Parameters, Value};
use sdk::prelude::*;
use strategies::project::greedy::Greedy;
use strategies::project::registry::Entry;
use strategies::project::room::ProjectRoom;
use strategies::recorded_game::RecordedGame;
use strategies::room::Room as _;
use study::habits::{Case, Habits, Setup, search};

/// The number of agents of a team.
const TEAM: usize = 4;

/// The lines that count.
const LINES: usize = 3;

/// A habit, and the words that name it.
struct Planted {
    what: &'static str,
    /// The strategies of the team, in turn.
    team: [&'static str; TEAM],
    opponent: &'static str,
    reference: &'static str,
    /// The kinds of the habit: what the agent does, and what the reference does instead.
    is_named: fn(&str, &str) -> bool,
}

static PLANTED: [Planted; 3] = [
    Planted {
        what: "asks and believes everybody",
        team: ["believing", "liar", "believing", "liar"],
        opponent: "greedy",
        reference: "greedy",
        is_named: |did, _| did == "ask",
    },
    Planted {
        what: "never checks a piece",
        team: ["unchecking"; TEAM],
        opponent: "greedy",
        reference: "greedy",
        is_named: |_, better| better == "check",
    },
    Planted {
        what: "turns back at the wall",
        team: ["turning"; TEAM],
        opponent: "greedy",
        reference: "greedy",
        is_named: |did, better| (did, better) == ("move", "move"),
    },
];

static BELIEVING: Entry =
    Entry::new("believing", "plays as greedy, and asks and believes everybody", &[], |_| {
        Box::new(Believing::default())
    });
static UNCHECKING: Entry = Entry::new("unchecking", "plays as greedy, and checks no piece", &[], |_| {
    Box::new(Unchecking(Greedy::default()))
});
static TURNING: Entry = Entry::new("turning", "plays as greedy, and turns back at the wall", &[], |_| {
    Box::new(Turning { greedy: Greedy::default(), was_at_wall: false, steps: 0 })
});

/// Plays as `greedy`, asks a teammate about each piece that it has checked, and carries it to the nearest field of
/// which nobody has said anything.
#[derive(Default)]
struct Believing {
    greedy: Greedy,
    has_asked: bool,
    /// The number of questions.
    questions: usize,
}

impl Strategy for Believing {
    fn begin(&mut self, view: &mut View<'_>) {
        self.greedy.begin(view);
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let own = self.greedy.act(view);
        if view.own.hand != Hand::Real {
            self.has_asked = false;
            return own;
        }
        if !std::mem::replace(&mut self.has_asked, true) {
            let count = view.briefing.game.teams.len();
            let mates =
                AgentId::all(count).filter(|mate| view.is_ally(*mate) && *mate != view.briefing.agent);
            self.questions += 1;
            let mates: Vec<AgentId> = mates.collect();
            return view.ask(mates[self.questions % mates.len()]);
        }
        let here = view.position();
        let open = view.knowledge.open().iter().filter(|at| view.knowledge.hearsay(*at).is_none());
        match open.min_by_key(|at| here.moves_to(*at)) {
            Some(field) if field == here => view.put(),
            Some(field) => view.walk_to(field),
            None => own,
        }
    }
}

/// Plays as `greedy`, and carries each piece to a goal field where `greedy` would check it.
struct Unchecking(Greedy);

impl Strategy for Unchecking {
    fn begin(&mut self, view: &mut View<'_>) {
        self.0.begin(view);
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let own = self.0.act(view);
        if own != Choice::Act(Action::Check) {
            return own;
        }
        let here = view.position();
        match view.knowledge.open().nearest(here) {
            Some(field) if field != here => view.walk_to(field),
            _ => view.put(),
        }
    }
}

/// Plays as `greedy`, and takes five steps back whenever it comes to the western or eastern edge of the board.
struct Turning {
    greedy: Greedy,
    was_at_wall: bool,
    /// The steps back that are left.
    steps: u32,
}

impl Strategy for Turning {
    fn begin(&mut self, view: &mut View<'_>) {
        self.greedy.begin(view);
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let own = self.greedy.act(view);
        let here = view.position();
        let is_at_wall = here.x == 0 || here.x + 1 == view.geometry().columns();
        let is_new = is_at_wall && !self.was_at_wall;
        self.was_at_wall = is_at_wall;
        let is_west = 2 * here.x < view.geometry().columns();
        let back = if is_west { Direction::East } else { Direction::West };
        if is_new {
            self.steps = 5;
        }
        match own {
            Choice::Act(Action::Move(_)) if self.steps > 0 && view.is_free(back) => {
                self.steps -= 1;
                view.step(back)
            }
            own => own,
        }
    }
}

fn main() {
    let [tries, games, pairs] = arguments();
    let room = [&BELIEVING, &UNCHECKING, &TURNING]
        .into_iter()
        .try_fold(ProjectRoom::shipped(), |room, entry| room.with(entry))
        .expect("no shipped strategy has one of the names");
    let start = Instant::now();
    let heading =
        ["habit", "tries", "named", "first line", "points", "first line of the first try"].map(str::to_owned);
    let mut table = vec![heading];
    for planted in &PLANTED {
        let (mut named, mut first, mut points) = (0, 0, 0.0);
        let mut first_line = String::new();
        for number in 0..tries {
            let found = searched(&room, planted, Seed::new(number + 1), games, pairs);
            if let Some(habit) = found.habits.first().filter(|_| number == 0) {
                let cost = habit.pairs.cost().map(|share| 100.0 * share);
                let (named, count) = (habit.named(), habit.decisions.len());
                first_line = format!(
                    "{named}, {count} times: {:.0} ({:.0} to {:.0})",
                    cost.value, cost.low, cost.high
                );
            }
            let place = found.habits.iter().take(LINES).position(|habit| {
                (planted.is_named)(&habit.recorded, &habit.better) && habit.pairs.stands_out()
            });
            if let Some(place) = place {
                named += 1;
                first += u64::from(place == 0);
                points += 100.0 * found.habits[place].pairs.cost().value;
            }
        }
        let mean = points / f64::from(u32::try_from(named).unwrap_or(u32::MAX).max(1));
        table.push([
            planted.what.to_owned(),
            tries.to_string(),
            named.to_string(),
            first.to_string(),
            format!("{mean:.0}"),
            first_line,
        ]);
    }
    let seconds = start.elapsed().as_secs_f64();
    println!("\n{games} games and {pairs} pairs of games for each try, {seconds:.0} s\n");
    print!("{}", columns(&table));
}

/// Plays the games of a try, and searches the habits.
fn searched(room: &ProjectRoom, planted: &Planted, seed: Seed, games: u64, pairs: u64) -> Habits {
    let game = room.game();
    let quick = game_catalogue::preset(game, "quick").expect("the game has this preset");
    // With these, a check pays, and a question costs the time of thirty moves.
    let own = [
        ("teamSize", Value::Whole(4)),
        ("shamPieceProbability", Value::Real(0.5)),
        ("checkForShamPenalty", Value::Whole(100)),
        ("informationExchangePenalty", Value::Whole(3_000)),
    ];
    let parameters = own.into_iter().collect::<Parameters>().over(&quick.parameters);
    let config = game.complete(&parameters).expect("these rules are allowed");
    let teams = game.teams(&config).expect("these rules are allowed");
    let agents = AgentId::all(teams.len()).filter(|agent| teams[agent.index()].index() == 0);
    let agents: Vec<AgentId> = agents.collect();
    let mut entrants = vec![planted.opponent.to_owned(); teams.len()];
    for (agent, name) in agents.iter().zip(planted.team) {
        name.clone_into(&mut entrants[agent.index()]);
    }
    let of_habit = agents.iter().zip(planted.team).filter(|(_, name)| *name == planted.team[0]);
    let of_habit: Vec<AgentId> = of_habit.map(|(agent, _)| *agent).collect();
    let case = |number| {
        let (game, config) = (game.name().to_owned(), config.clone());
        let (seed, entrants, limits) = (seed.child(number), entrants.clone(), MatchLimits::default());
        let spec = MatchSpec { game, config, seed, entrants, limits };
        let mut replay = Vec::new();
        room.play(&spec, "habits", Some(&mut replay)).expect("the match is one of this room");
        let reader = Reader::open(&replay[..]).expect("the replay was just written");
        // As long as the program runs.
        let game: &'static dyn RecordedGame =
            Box::leak(room.recorded_game(reader).expect("the replay was just written"));
        Case { game, team: 0, agents: of_habit.clone() }
    };
    let cases: Vec<Case<'_>> = (0..games).map(case).collect();
    let jobs = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let setup = Setup { reference: planted.reference.to_owned(), pairs, most: LINES, seed, jobs };
    search(&cases, &setup, |_| ControlFlow::Continue(())).expect("all players are strategies")
}

/// The numbers of tries, of games of each, and of pairs of each.
fn arguments() -> [u64; 3] {
    let words: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let mut numbers = [20, 50, 1_000];
    for pair in words.chunks(2) {
        let place = ["--tries", "--games", "--pairs"].iter().position(|name| pair[0] == *name);
        let number = pair.get(1).and_then(|text| text.parse().ok()).filter(|number| *number > 0);
        let Some((place, number)) = place.zip(number) else {
            eprintln!("error: expected `--tries N`, `--games N` and `--pairs N`, each with a number above 0");
            process::exit(2);
        };
        numbers[place] = number;
    }
    numbers
}
