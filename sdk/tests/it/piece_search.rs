//! The possible places of pieces by an agent's messages, compared with the real places, in whole games.

use std::collections::BTreeSet;

use game_env::{Environment, Policy, Turn};
use game_project::{Event, Observation, RawConfig, State};
use sdk::local::Seat;
use sdk::prelude::*;

/// Wanders, looks around, and now and then takes a piece and lays it down again, as chance has it.
#[derive(Clone)]
struct Wanderer {
    /// Number of decisions in a thousand in which it touches a piece.
    touches: u32,
}

impl Strategy for Wanderer {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let full = view.own.hand.is_full();
        if view.chance.below(1000) < self.touches {
            match view.chance.below(3) {
                0 if full => return view.put(),
                1 if full => return view.destroy(),
                _ if !full && view.area() == Area::Task => return view.pick_up(),
                _ => {}
            }
        }
        let ways: Vec<Direction> = Direction::ALL.into_iter().filter(|way| view.is_passable(*way)).collect();
        match view.chance.below(8) {
            0 => view.discover(),
            _ => Action::Move(ways[view.chance.index(ways.len())]).into(),
        }
    }
}

/// A game played by hand, so that the truth can be looked at between two actions.
struct Game {
    state: State,
    seats: Vec<Seat<Wanderer>>,
}

impl Game {
    fn new(config: &RawConfig, seed: u64, touches: u32) -> Self {
        let seed = Seed::new(seed);
        let state = State::new(&config.check().unwrap(), seed);
        let seats = Seat::all(&state, seed, |_, _| Wanderer { touches });
        Self { state, seats }
    }

    /// Plays one action; returns the agent that acted and the events, or none if the game is over.
    fn step(&mut self) -> Option<(AgentId, Vec<Event>)> {
        let Turn::Act { agent, from, .. } = self.state.turn() else { return None };
        let now = from.max(self.state.clock());
        let mut seen = Observation::default();
        self.state.observe(agent, &mut seen);
        let Choice::Act(action) = self.seats[agent.index()].choose(now, agent, &seen) else {
            panic!("wanderers never wait")
        };
        self.seats[agent.index()].sent(now, agent, &action);
        let mut events = Vec::new();
        self.state.step(now, agent, action, &mut events);
        let events: Vec<Event> = events.into_iter().map(|(_, event)| event).collect();
        for event in &events {
            use game_env::Addressed;
            for hearer in AgentId::all(self.seats.len()) {
                if event.audience().includes(hearer, self.state.team(hearer)) {
                    self.seats[hearer.index()].hear(now, hearer, event);
                }
            }
        }
        Some((agent, events))
    }

    /// The fields on which pieces lie.
    fn pieces(&self) -> Vec<Position> {
        self.state.setup().pieces.into_iter().map(|(at, _)| at).collect()
    }
}

fn boards() -> [RawConfig; 3] {
    let small = RawConfig {
        board_x: 7,
        board_y: 10,
        goal_area_height: 2,
        number_of_goals: 2,
        number_of_pieces: 3,
        ..RawConfig::default()
    };
    [
        RawConfig { number_of_pieces: 1, board_x: 12, board_y: 14, ..small.clone() },
        RawConfig { number_of_pieces: 6, team_size: 3, ..small.clone() },
        small,
    ]
}

/// Number of readings that the candidates can depend on: the readings that are kept, each of another field, and one for
/// every step of a way to the nearest piece, along which candidates are only struck out. No distance on these boards is
/// longer than 26.
const REMEMBERED: usize = KEPT + 26;

/// Number of readings that are kept.
const KEPT: usize = 12;

/// If no piece was taken, laid down or made since the last [`REMEMBERED`] readings of an agent, on [`KEPT`] fields or
/// more, every nearest piece is among the candidates or on an unlikely field right after a move or a discovery, and the
/// bounds of every field hold. Returns the number of such checks, and the number of those in which a piece was among
/// the candidates proper.
fn check(games: u64, steps: u32, touches: u32) -> (u32, u32) {
    let (mut checked, mut likely) = (0, 0);
    for config in boards() {
        for seed in 0..games {
            let mut game = Game::new(&config, seed, touches);
            let mut pieces = game.pieces();
            // The fields of the readings of each agent since the pieces last changed.
            let mut fresh = vec![Vec::new(); game.seats.len()];
            for _ in 0..steps {
                let Some((agent, events)) = game.step() else { break };
                let now = game.pieces();
                if now != pieces {
                    fresh.iter_mut().for_each(Vec::clear);
                    pieces = now;
                }
                let reads = |event: &Event| matches!(event, Event::Moved { .. } | Event::Discovered { .. });
                if !events.iter().any(reads) || pieces.is_empty() {
                    continue;
                }
                let read = &mut fresh[agent.index()];
                read.push(game.seats[agent.index()].actor().position());
                let fields: BTreeSet<Position> = read.iter().copied().collect();
                if read.len() <= REMEMBERED || fields.len() <= KEPT {
                    continue;
                }
                checked += 1;
                let actor = game.seats[agent.index()].actor();
                let (position, knowledge) = (actor.position(), actor.knowledge());
                let distance = |at: Position| pieces.iter().map(|piece| at.moves_to(*piece)).min().unwrap();
                let nearest = distance(position);
                let search = knowledge.piece_search();
                let fields: Vec<Position> =
                    search.candidates().iter().copied().chain(search.unlikely()).collect();
                let is_nearest = |piece: &&Position| position.moves_to(**piece) == nearest;
                for piece in pieces.iter().filter(is_nearest) {
                    assert!(
                        fields.contains(piece),
                        "seed {seed}: {agent} at {position}: {piece} is not among {fields:?}"
                    );
                }
                for field in &fields {
                    assert!(
                        is_nearest(&field),
                        "seed {seed}: {agent} at {position}: {field} is not {nearest} away"
                    );
                }
                likely += u32::from(pieces.iter().any(|piece| search.candidates().contains(piece)));
                for at in knowledge.geometry().positions() {
                    let (least, most) = knowledge.bounds(at);
                    let truth = distance(at);
                    assert!(
                        least <= truth && most.is_none_or(|most| truth <= most),
                        "seed {seed}: {agent}: {truth} at {at} is not in {least}..={most:?}"
                    );
                }
            }
        }
    }
    (checked, likely)
}

#[test]
fn the_nearest_piece_is_a_candidate_while_nobody_touches_any() {
    let (checked, likely) = check(15, 600, 0);
    assert!(checked > 10_000);
    assert!(f64::from(likely) > 0.95 * f64::from(checked), "{likely} of {checked}");
}

#[test]
fn the_nearest_piece_is_a_candidate_when_nothing_has_changed_lately() {
    let (checked, likely) = check(15, 1_200, 2);
    assert!(checked > 10_000);
    assert!(f64::from(likely) > 0.95 * f64::from(checked), "{likely} of {checked}");
}
