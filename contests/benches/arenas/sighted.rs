//! Teams that see more than the rules show, to measure how much is left to gain.
//!
//! - `sighted` sees where all pieces and all agents are: the gain of better searching alone. It knows neither the goals
//!   nor which pieces are shams. It deals out the goal fields, checks and asks as `coordinated` does. Its agents
//!   without a piece share out the pieces, each pair of agent and piece with the shortest way first, and no agent steps
//!   onto a field where another one stands.
//! - `telling` also knows which goal fields its mates have tried, as if each agent told all mates at once and for
//!   nothing. Its agents with a piece share out the untried fields in the same way, so that no field is tried twice.
//!
//! The strategy of a rollout sees only the knowledge of its agent. Therefore a [`Truth`] watches the game and keeps its
//! state for the strategies of the same thread: a thread plays one game at a time.

use std::cell::RefCell;
use std::mem;

use game_env::{AgentId, Environment as _, Seed, SimTime, Witness};
use game_project::{Action, Area, Config, Piece, Placement, Position, Setup, State, Team};
use sdk::prelude::*;
use strategies::project::coordinated::Coordinated;

thread_local! {
    /// The game that this thread plays, as it stands.
    static GAME: RefCell<Option<Game>> = const { RefCell::new(None) };
}

/// Keeps the state of the game for the strategies of this thread.
pub(crate) struct Truth;

impl Truth {
    /// Begins with the first state of a game.
    pub(crate) fn of(config: &Config, seed: Seed) -> Self {
        GAME.set(Some(Game { setup: State::new(config, seed).setup(), tried: Vec::new() }));
        Self
    }
}

impl Witness<State> for Truth {
    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        let mut after = state.clone();
        after.step(now, agent, action.clone(), &mut ());
        GAME.with_borrow_mut(|game| {
            if let Some(game) = game {
                let before = mem::replace(&mut game.setup, after.setup());
                if *action == Action::Put {
                    game.tried.extend(tried(&before, &game.setup, agent));
                }
            }
        });
    }
}

/// The goal field on which the agent has put a real piece between these situations.
fn tried(before: &Setup, after: &Setup, agent: AgentId) -> Option<Position> {
    let placement = |setup: &Setup| setup.agents.iter().find(|place| place.agent == agent).copied();
    let had = placement(before)?;
    let is_put = had.hand == Some(Piece::Real) && placement(after)?.hand.is_none();
    (is_put && before.geometry.area(had.position) == Area::Goal(had.team)).then_some(had.position)
}

/// An agent that sees where all pieces and all agents are; see the [module](self).
#[derive(Debug, Default)]
pub(crate) struct Sighted {
    usual: Coordinated,
    /// Whether it knows which fields its mates have tried.
    is_told: bool,
}

impl Sighted {
    /// An agent of `telling`.
    pub(crate) fn telling() -> Self {
        Self { is_told: true, ..Self::default() }
    }

    /// The decision with a piece in hand.
    fn carry(&mut self, view: &mut View<'_>, game: &Game) -> Choice {
        match self.usual.act(view) {
            choice @ Choice::Act(Action::Check | Action::Destroy | Action::Answer { .. }) => choice,
            choice if self.is_told => match game.field_to_try(view) {
                Some(field) if field == view.position() => view.put(),
                Some(field) => Self::walk(view, &game.setup, field),
                None => choice,
            },
            Choice::Act(Action::Move(direction)) if !is_free(view, &game.setup, direction) => {
                Self::give_way(view, &game.setup)
            }
            choice => choice,
        }
    }

    /// The decision without a piece.
    fn search(view: &mut View<'_>, game: &Game) -> Choice {
        let (here, setup) = (view.position(), &game.setup);
        match game.field_with_piece(view) {
            Some(field) if field == here => view.pick_up(),
            Some(field) => Self::walk(view, setup, field),
            // No piece is there for this agent: the middle is nearest to a piece that may appear anywhere.
            None => {
                let geometry = view.geometry();
                let middle = Position::new(geometry.columns() / 2, geometry.rows() / 2);
                if view.area() == Area::Task && here.moves_to(middle) < 3 {
                    return Self::give_way(view, setup);
                }
                Self::walk(view, setup, middle)
            }
        }
    }

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

/// The situation of a game, and the goal fields that its teams have tried.
struct Game {
    setup: Setup,
    tried: Vec<Position>,
}

impl Game {
    /// The field whose piece this agent is to fetch.
    fn field_with_piece(&self, view: &View<'_>) -> Option<Position> {
        let mut fields: Vec<Position> = self.setup.pieces.iter().map(|(at, _)| *at).collect();
        fields.dedup();
        self.share(view, fields, |placement| placement.hand.is_none())
    }

    /// The goal field that this agent is to try.
    fn field_to_try(&self, view: &View<'_>) -> Option<Position> {
        let (geometry, own) = (view.geometry(), Area::Goal(view.own.team));
        let is_untried = |at: &Position| geometry.area(*at) == own && !self.tried.contains(at);
        self.share(view, geometry.positions().filter(is_untried).collect(), |placement| {
            placement.hand.is_some()
        })
    }

    /// The field for this agent: of all pairs of such a teammate and a field, the one with the shortest way is settled
    /// first.
    fn share(
        &self,
        view: &View<'_>,
        mut fields: Vec<Position>,
        takes_part: impl Fn(&Placement) -> bool,
    ) -> Option<Position> {
        let (team, agent) = (view.own.team, view.own.agent);
        let is_free = |placement: &&Placement| placement.team == team && takes_part(placement);
        let mut free: Vec<&Placement> = self.setup.agents.iter().filter(is_free).collect();
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
}

impl Strategy for Sighted {
    fn begin(&mut self, view: &mut View<'_>) {
        self.usual.begin(view);
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        self.usual.hear(view, notice);
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        GAME.with_borrow(|game| match game {
            None => self.usual.act(view),
            Some(game) if view.own.hand.is_full() => self.carry(view, game),
            Some(game) => Self::search(view, game),
        })
    }

    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        self.usual.end(view, winner);
    }
}
