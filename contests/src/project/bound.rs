//! A lower bound of the time in which a team can win: the time of a team that knows the goals, and for which every
//! piece is real and lies where the team wants it.

use game_env::{AgentId, Millis};
use game_project::{ActionKind, Position, State, Team};

/// Returns a lower bound of the time in which a team can win from the first state of a game.
///
/// The team knows the goals and which pieces are real, and walks through other agents. The first places of pieces give
/// no bound: if a piece is taken away, another one appears, and may be where it helps most. So only this is certain:
/// every goal takes a put; an agent that has put a piece has to leave the goal area for the next one and to come back;
/// the work is shared by all agents at best evenly; and one agent has to come to the farthest goal.
pub fn least_time(game: &State, team: Team) -> Millis {
    let setup = game.setup();
    let geometry = setup.geometry;
    let penalty = |kind| f64::from(game.config().penalties().of(kind).as_millis());
    let (step, put) = (penalty(ActionKind::Move), penalty(ActionKind::Put) + penalty(ActionKind::PickUp));
    // From a goal field to the nearest row of the task area.
    let depth = |at: &Position| match team {
        Team::Blue => geometry.goal_rows() - at.y,
        Team::Red => at.y + 1 - (geometry.rows() - geometry.goal_rows()),
    };
    let is_own = |agent: &AgentId| game.briefing(*agent).team == team;
    let agents = setup.agents.iter().map(|placement| placement.agent).filter(is_own);
    let starts: Vec<Position> = agents.filter_map(|agent| game.position(agent)).collect();
    let reach = |goal: &Position| {
        starts.iter().map(|start| start.moves_to(*goal).max(depth(goal))).min().unwrap_or(0)
    };
    let goals = &setup.goals[team];
    let farthest = goals.iter().map(reach).max().unwrap_or(0);
    // In and out again; each agent's last way out is not needed, at best the longest ones.
    let mut depths: Vec<f64> = goals.iter().map(|goal| f64::from(depth(goal))).collect();
    depths.sort_unstable_by(|a, b| b.total_cmp(a));
    let ways_out = depths.iter().skip(starts.len());
    let walked: f64 = depths.iter().chain(ways_out).sum();
    let shared = (walked * step + goals.len() as f64 * put) / starts.len().max(1) as f64;
    let bound = shared.max(f64::from(farthest) * step + put);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float narrows by saturating"
    )]
    Millis::new(bound as u32)
}
