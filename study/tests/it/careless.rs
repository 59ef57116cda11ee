//! Players of Dots & Boxes that make mistakes: one in each game, or in futures alone.

use game_dots::{Edge, Observation, State};
use game_env::matches::{MatchLimits, MatchSpec};
use game_env::replay::Reader;
use game_env::{AgentId, Chance, Choice, Options as _, Parameters, Policy, Seed, SimTime, Value};
use strategies::dots::greedy::Greedy;
use strategies::recorded_game::RecordedGame;
use strategies::room::{Entry, PolicyRoom, Room as _};

/// Plays as `greedy`, but gives a chain away once, although an edge is left that gives nothing away.
struct Careless {
    greedy: Greedy,
    was_careless: bool,
}

impl Careless {
    fn new(chance: Chance) -> Self {
        Self { greedy: Greedy::new(chance), was_careless: false }
    }
}

/// The number of boxes that an edge gives to the opponent at once; none if it completes one.
fn given_away(seen: &Observation, edge: Edge) -> Option<usize> {
    let around: Vec<usize> = seen.boxes_beside(edge).map(|corner| seen.drawn_around(corner)).collect();
    (!around.contains(&3)).then(|| around.iter().filter(|drawn| **drawn == 2).count())
}

/// The edges that give two boxes away, while there is one that gives nothing away and none that completes a box.
pub(crate) fn blunders(seen: &Observation) -> Vec<Edge> {
    let mut edges = Vec::new();
    seen.options(&mut edges);
    let given: Option<Vec<usize>> = edges.iter().map(|edge| given_away(seen, *edge)).collect();
    let Some(given) = given.filter(|given| given.contains(&0)) else { return Vec::new() };
    edges.into_iter().zip(given).filter(|(_, given)| *given == 2).map(|(edge, _)| edge).collect()
}

impl Policy<State> for Careless {
    fn choose(&mut self, now: SimTime, agent: AgentId, seen: &Observation) -> Choice<Edge> {
        let choice = self.greedy.choose(now, agent, seen);
        match blunders(seen).first() {
            Some(edge) if !self.was_careless => {
                self.was_careless = true;
                Choice::Act(*edge)
            }
            _ => choice,
        }
    }

    fn inner(&mut self) -> Option<&mut dyn Policy<State>> {
        Some(&mut self.greedy)
    }
}

/// Plays as `careless`, and panics when an action is sent that it has not chosen.
struct Strict {
    careless: Careless,
    chosen: Option<Edge>,
}

impl Policy<State> for Strict {
    fn choose(&mut self, now: SimTime, agent: AgentId, seen: &Observation) -> Choice<Edge> {
        let choice = self.careless.choose(now, agent, seen);
        self.chosen = if let Choice::Act(edge) = choice { Some(edge) } else { None };
        choice
    }

    fn sent(&mut self, now: SimTime, agent: AgentId, action: &Edge) {
        assert!(self.chosen == Some(*action), "an action that was not chosen was sent");
        self.careless.sent(now, agent, action);
    }

    fn inner(&mut self) -> Option<&mut dyn Policy<State>> {
        Some(&mut self.careless)
    }
}

/// Plays as `greedy`, and panics at its first decision of a future.
struct Fragile {
    greedy: Greedy,
    is_in_a_future: bool,
}

impl Policy<State> for Fragile {
    fn choose(&mut self, now: SimTime, agent: AgentId, seen: &Observation) -> Choice<Edge> {
        assert!(!self.is_in_a_future, "a future was played");
        self.greedy.choose(now, agent, seen)
    }

    fn reseed(&mut self, agent: AgentId, seed: Seed) {
        self.is_in_a_future = true;
        self.greedy.reseed(agent, seed);
    }

    fn inner(&mut self) -> Option<&mut dyn Policy<State>> {
        Some(&mut self.greedy)
    }
}

fn room() -> PolicyRoom<State> {
    let entries: [Entry<State>; 3] = [
        Entry::new("careless", "gives a chain away once", &[], |_, chance, _| {
            Box::new(Careless::new(chance))
        }),
        Entry::new("strict", "panics when it is corrected", &[], |_, chance, _| {
            Box::new(Strict { careless: Careless::new(chance), chosen: None })
        }),
        Entry::new("fragile", "plays no future", &[], |_, chance, _| {
            Box::new(Fragile { greedy: Greedy::new(chance), is_in_a_future: false })
        }),
    ];
    entries.into_iter().fold(PolicyRoom::shipped(), |room, entry| room.with(entry).unwrap())
}

/// A game of 4×4 dots between these entrants.
pub(crate) fn played(entrants: [&str; 2], seed: u64) -> Box<dyn RecordedGame> {
    let side = Value::Whole(4);
    let config: Parameters = [("rows", side.clone()), ("cols", side)].into_iter().collect();
    let entrants = entrants.map(str::to_owned).to_vec();
    let limits = MatchLimits::default();
    let spec = MatchSpec { game: "dots".to_owned(), config, seed: Seed::new(seed), entrants, limits };
    let mut replay = Vec::new();
    room().play(&spec, "test 1.0", Some(&mut replay)).unwrap();
    room().recorded_game(Reader::open(&replay[..]).unwrap()).unwrap()
}
