//! The board at the beginning of a game: drawn from a seed, or given.

use std::collections::{BTreeMap, BTreeSet};

use game_env::{AgentId, ByTeam, Chance, ConfigError, NotationError, Seed};

use crate::config::{Config, RawConfig};
use crate::geometry::{Area, Geometry, Position};
use crate::piece::Piece;
use crate::state::State;
use crate::team::Team;

/// A situation: the goals, pieces and agents of a board, at one moment.
///
/// [`State::from_board`] and [`FromStr`](std::str::FromStr) read it from text, [`State::setup`] takes it
/// from a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The shape of the board.
    pub geometry: Geometry,
    /// The goals that are still to be covered, in each team's own goal area.
    pub goals: ByTeam<Vec<Position>>,
    /// The goals that are covered, likewise.
    pub covered: ByTeam<Vec<Position>>,
    /// The pieces on the board; those of one field from bottom to top.
    pub pieces: Vec<(Position, Piece)>,
    /// The agents that play, in the order of their ids.
    pub agents: Vec<Placement>,
    /// The leaders; `None` for a team without agents, and for one whose leader has left.
    pub leaders: ByTeam<Option<AgentId>>,
}

/// The field of an agent, and the piece in its hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Placement {
    /// The agent.
    pub agent: AgentId,
    /// Its team.
    pub team: Team,
    /// The field on which it stands.
    pub position: Position,
    /// The piece in its hand.
    pub hand: Option<Piece>,
}

/// The reason why a situation is impossible.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The text is no board.
    #[error(transparent)]
    Notation(#[from] NotationError),
    /// The rest of the configuration is faulty.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// An object is not on the board.
    #[error("{what} at {at} is off the board")]
    OffBoard {
        /// The object, e.g. `a goal`.
        what: &'static str,
        /// The field.
        at: Position,
    },
    /// A goal is outside its team's goal area.
    #[error("a goal of {team} at {at} is outside its goal area")]
    MisplacedGoal {
        /// The team of the goal.
        team: Team,
        /// The field.
        at: Position,
    },
    /// A field is given as a goal twice.
    #[error("the goal at {0} is given twice")]
    RepeatedGoal(Position),
    /// A piece lies in a goal area.
    #[error("a piece at {0} lies in a goal area, where pieces leave the game")]
    MisplacedPiece(Position),
    /// An agent stands in the other team's goal area.
    #[error("agent {agent} of {team} at {at} stands in the other team's goal area")]
    MisplacedAgent {
        /// The agent.
        agent: AgentId,
        /// Its team.
        team: Team,
        /// The field.
        at: Position,
    },
    /// Two agents stand on one field.
    #[error("agents {0} and {1} stand on one field")]
    SharedField(AgentId, AgentId),
    /// A team is not led by one of its own.
    #[error("{0} is not led by one of its own agents")]
    NotLed(Team),
    /// The agents are not those from `#0` on.
    #[error("agent {found} stands where {expected} is missing: a game begins with the agents from #0 on")]
    MissingAgent {
        /// The agent that is there.
        found: AgentId,
        /// The agent that should be there.
        expected: AgentId,
    },
    /// There are more agents than may play.
    #[error("{0} agents: at most 20000 play")]
    TooManyAgents(usize),
}

impl Setup {
    /// Draws the situation in which a game begins (specification, sections 2 and 3): goals symmetric about
    /// the board's centre, pieces anywhere in the task area, and the starting fields of the i-th agents of
    /// both teams symmetric to each other.
    ///
    /// Red's agents have the ids from 0, blue's follow.
    pub fn draw(config: &Config, chance: &mut Chance) -> Self {
        let geometry = config.geometry();
        let blue: Vec<Position> = draw_distinct(chance, config.goals(), geometry.goal_fields())
            .into_iter()
            .map(|field| geometry.position(field))
            .collect();
        let mut red: Vec<Position> = blue.iter().map(|at| geometry.mirror(*at)).collect();
        red.sort_unstable_by_key(|at| geometry.index(*at));
        let pieces = (0..config.pieces())
            .map(|_| {
                let field = chance.below(geometry.task_fields());
                let piece = Piece::from_sham(chance.happens(config.sham_probability()));
                (geometry.position(geometry.goal_fields() + field), piece)
            })
            .collect();
        let agents = draw_agents(config, chance);
        let leaders = draw_leaders(config.agents(), chance);
        Self {
            geometry,
            goals: ByTeam::new([red, blue]),
            covered: ByTeam::default(),
            pieces,
            agents,
            leaders,
        }
    }

    /// Begins a game here. The board and the numbers of goals, pieces and agents are those of the situation; everything
    /// else is taken from `rules`.
    ///
    /// # Errors
    ///
    /// If the situation is impossible, or the rules are faulty.
    pub fn play(&self, rules: &RawConfig, seed: Seed) -> Result<State, SetupError> {
        self.check()?;
        let count = |length: usize| u32::try_from(length).expect("boards have fewer than 2^32 fields");
        let in_hand = self.agents.iter().filter(|agent| agent.hand.is_some()).count();
        let goals = Team::ALL.into_iter().map(|team| self.goals[team].len() + self.covered[team].len()).max();
        let agents = ByTeam::new(Team::ALL.map(|team| {
            let members = self.agents.iter().filter(|agent| agent.team == team).count();
            u16::try_from(members).expect("the number of agents was checked")
        }));
        let config = rules.check()?.on_board(
            self.geometry,
            count(goals.unwrap_or_default()),
            count(self.pieces.len() + in_hand),
            agents,
        );
        Ok(State::begin(config, self, seed.game()))
    }

    fn check(&self) -> Result<(), SetupError> {
        const MOST_AGENTS: usize = 20_000;
        let on_board = |what, at: Position| {
            if self.geometry.contains(at) { Ok(()) } else { Err(SetupError::OffBoard { what, at }) }
        };
        let mut seen = BTreeSet::new();
        for team in Team::ALL {
            for at in self.goals[team].iter().chain(&self.covered[team]).copied() {
                on_board("a goal", at)?;
                if self.geometry.area(at) != Area::Goal(team) {
                    return Err(SetupError::MisplacedGoal { team, at });
                }
                if !seen.insert(at) {
                    return Err(SetupError::RepeatedGoal(at));
                }
            }
        }
        for (at, _) in &self.pieces {
            on_board("a piece", *at)?;
            if self.geometry.area(*at) != Area::Task {
                return Err(SetupError::MisplacedPiece(*at));
            }
        }
        if self.agents.len() > MOST_AGENTS {
            return Err(SetupError::TooManyAgents(self.agents.len()));
        }
        let mut standing = BTreeMap::new();
        for (expected, placement) in AgentId::all(self.agents.len()).zip(&self.agents) {
            let Placement { agent, team, position: at, .. } = *placement;
            if agent != expected {
                return Err(SetupError::MissingAgent { found: agent, expected });
            }
            on_board("an agent", at)?;
            if self.geometry.area(at) == Area::Goal(team.opponent()) {
                return Err(SetupError::MisplacedAgent { agent, team, at });
            }
            if let Some(other) = standing.insert(at, agent) {
                return Err(SetupError::SharedField(other, agent));
            }
        }
        for team in Team::ALL {
            let led = match self.leaders[team] {
                Some(leader) => self.agents.get(leader.index()).is_some_and(|agent| agent.team == team),
                None => self.agents.iter().all(|agent| agent.team != team),
            };
            if !led {
                return Err(SetupError::NotLed(team));
            }
        }
        Ok(())
    }
}

/// Draws this many distinct numbers below `bound`, ascending (Floyd's sampling: one draw per number).
fn draw_distinct(chance: &mut Chance, count: u32, bound: u32) -> BTreeSet<u32> {
    let mut drawn = BTreeSet::new();
    for last in bound - count..bound {
        let number = chance.below(last + 1);
        if !drawn.insert(number) {
            drawn.insert(last);
        }
    }
    drawn
}

/// Starting fields in mirrored pairs.
///
/// A pair of fields is named by the one with the higher row (in the middle row: the higher column), so that all of
/// red's goal area comes first when counted from the north-east; the centre of a board of odd sides is its own mirror
/// image and no agent starts there.
fn draw_agents(config: &Config, chance: &mut Chance) -> Vec<Placement> {
    let geometry = config.geometry();
    let sizes = config.agents();
    let pairs = sizes.iter().copied().max().unwrap_or_default();
    let drawn = draw_distinct(chance, pairs.into(), geometry.fields() / 2);
    let mut northern: Vec<Position> =
        drawn.into_iter().map(|pair| geometry.position(geometry.fields() - 1 - pair)).collect();
    chance.shuffle(&mut northern);
    let starts: Vec<Position> = northern
        .into_iter()
        .map(|at| match geometry.area(at) {
            // Either team may start on either field of a pair in the task area.
            Area::Task if chance.below(2) == 1 => geometry.mirror(at),
            _ => at,
        })
        .collect();
    let place = |team: Team| {
        let own = starts[..usize::from(sizes[team])].iter().copied();
        own.map(move |at| match team {
            Team::Red => (team, at),
            Team::Blue => (team, geometry.mirror(at)),
        })
    };
    let placed = Team::ALL.into_iter().flat_map(place).enumerate();
    placed
        .map(|(id, (team, position))| Placement {
            agent: AgentId::from_index(id),
            team,
            position,
            hand: None,
        })
        .collect()
}

/// Returns one leader per team: of equal teams, agents that started opposite each other.
fn draw_leaders(sizes: ByTeam<u16>, chance: &mut Chance) -> ByTeam<Option<AgentId>> {
    let place = u64::from(chance.below(u32::MAX));
    let mut first = 0;
    ByTeam::new(Team::ALL.map(|team| {
        let size = sizes[team];
        let own = place * u64::from(size) / u64::from(u32::MAX);
        let leader =
            (size > 0).then(|| AgentId::from_index(first + usize::try_from(own).expect("below the size")));
        first += usize::from(size);
        leader
    }))
}
