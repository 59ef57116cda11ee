//! `sighted`: a team that sees where all pieces and all agents are. It shows how much a team could gain by better
//! searching alone.
//!
//! It knows neither the goals nor which pieces are shams. It deals out the goal fields, checks and asks as
//! `coordinated` does. Its agents without a piece share out the pieces, each pair of agent and piece with the shortest
//! way first, and no agent steps onto a field where another one stands.
//!
//! The strategy of a rollout sees only the knowledge of its agent. Therefore a [`Truth`] watches the game and keeps its
//! state for the strategies of the same thread: a thread plays one game at a time.

use std::cell::RefCell;

use game_env::{AgentId, Environment as _, Seed, SimTime, Witness};
use game_project::{Action, Area, Config, Position, Setup, State, Team};
use sdk::prelude::*;
use strategies::project::coordinated::Coordinated;

thread_local! {
    /// The game that this thread plays, as it stands.
    static GAME: RefCell<Option<State>> = const { RefCell::new(None) };
}

/// Keeps the state of the game for the strategies of this thread.
pub(crate) struct Truth;

impl Truth {
    /// Begins with the first state of a game.
    pub(crate) fn of(config: &Config, seed: Seed) -> Self {
        GAME.set(Some(State::new(config, seed)));
        Self
    }
}

impl Witness<State> for Truth {
    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        let mut after = state.clone();
        after.step(now, agent, action.clone(), &mut ());
        GAME.set(Some(after));
    }
}

/// See the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Sighted {
    usual: Coordinated,
}

impl Sighted {
    /// A step towards a field past all agents, or a short wait.
    fn walk(view: &mut View<'_>, setup: &Setup, to: Position) -> Choice {
        let here = view.position();
        if let Some(direction) = here.towards(to).find(|direction| is_free(view, setup, *direction)) {
            return view.step(direction);
        }
        Self::give_way(view, setup)
    }

    /// Sometimes a step aside, so that two agents do not wait for each other without end; otherwise a short wait.
    fn give_way(view: &mut View<'_>, setup: &Setup) -> Choice {
        let free = Direction::ALL.into_iter().filter(|direction| is_free(view, setup, *direction));
        let free: Vec<Direction> = free.collect();
        if !free.is_empty() && view.chance.below(4) == 0 {
            let direction = free[view.chance.index(free.len())];
            return view.step(direction);
        }
        Choice::Wait(view.now + Millis::new((view.penalty(ActionKind::Move).as_millis() / 4).max(10)))
    }
}

/// Returns whether the rules allow a step in this direction, and no agent stands there.
fn is_free(view: &View<'_>, setup: &Setup, direction: Direction) -> bool {
    let next = view.geometry().neighbour(view.position(), direction);
    view.is_passable(direction)
        && next.is_some_and(|next| setup.agents.iter().all(|agent| agent.position != next))
}

/// The piece for this agent: of all pairs of a teammate without a piece and a field with a piece, the one with the
/// shortest way is settled first.
fn share(setup: &Setup, team: Team, agent: AgentId) -> Option<Position> {
    let is_searching =
        |placement: &&game_project::Placement| placement.team == team && placement.hand.is_none();
    let mut free: Vec<_> = setup.agents.iter().filter(is_searching).collect();
    let mut fields: Vec<Position> = setup.pieces.iter().map(|(at, _)| *at).collect();
    fields.dedup();
    while !free.is_empty() {
        let pairs = (0..free.len()).flat_map(|mate| (0..fields.len()).map(move |field| (mate, field)));
        let (mate, field) =
            pairs.min_by_key(|(mate, field)| free[*mate].position.moves_to(fields[*field]))?;
        if free[mate].agent == agent {
            return Some(fields[field]);
        }
        free.swap_remove(mate);
        fields.swap_remove(field);
    }
    None
}

impl Strategy for Sighted {
    fn begin(&mut self, view: &mut View<'_>) {
        self.usual.begin(view);
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        self.usual.hear(view, notice);
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let Some(setup) = GAME.with_borrow(|game| game.as_ref().map(State::setup)) else {
            return self.usual.act(view);
        };
        if view.own.hand.is_full() {
            return match self.usual.act(view) {
                Choice::Act(Action::Move(direction)) if !is_free(view, &setup, direction) => {
                    Self::give_way(view, &setup)
                }
                choice => choice,
            };
        }
        let here = view.position();
        match share(&setup, view.own.team, view.own.agent) {
            Some(field) if field == here => view.pick_up(),
            Some(field) => Self::walk(view, &setup, field),
            // No piece is there for this agent: the middle is nearest to a piece that may appear anywhere.
            None => {
                let geometry = view.geometry();
                let middle = Position::new(geometry.columns() / 2, geometry.rows() / 2);
                if view.area() == Area::Task && here.moves_to(middle) < 3 {
                    return Self::give_way(view, &setup);
                }
                Self::walk(view, &setup, middle)
            }
        }
    }

    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        self.usual.end(view, winner);
    }
}
