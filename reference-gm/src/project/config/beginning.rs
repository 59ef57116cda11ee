//! Checks that message 105 fits into the largest message: it names every other agent, so it grows with the teams.

use game_env::Value;
use game_project::{Config, Fault, Position, Team};
use wire::project::notice::{GameStart, Players};
use wire::project::{AgentNumber, Dialect, Notice, Writer};

/// The longest number of an agent that is counted with: a communication server counts its connections, and reaches
/// this with the ten millionth.
const LONGEST_NUMBER: AgentNumber = AgentNumber(9_999_999);

/// The bytes of such a number in a list.
const BYTES_PER_NUMBER: usize = 8;

/// Returns the fault of full teams whose message about the beginning would be too long.
pub(super) fn fault(game: &Config, dialect: Dialect, longest_message: u16) -> Option<Fault> {
    let most = usize::from(longest_message);
    let length = length(game, dialect);
    let excess = length.checked_sub(most).filter(|excess| *excess > 0)?;
    let size = usize::from(game.team_size());
    let room = size.saturating_sub(excess.div_ceil(2 * BYTES_PER_NUMBER)).max(1);
    let agents = 2 * size;
    let why =
        format!("message 105 may have {length} bytes with {agents} agents, and maxMessageBytes is {most}");
    let allowed = match u16::try_from(length) {
        Ok(_) => {
            format!("at most {room}, or a maxMessageBytes of {length}")
        }
        Err(_) => format!("at most {room}"),
    };
    Some(Fault::new("teamSize", &Value::Whole(game.team_size().into()), why, allowed))
}

/// Returns the bytes of the longest message 105 of this game.
fn length(game: &Config, dialect: Dialect) -> usize {
    let size = game.team_size();
    let geometry = game.geometry();
    let start = GameStart {
        agent: LONGEST_NUMBER,
        allies: vec![LONGEST_NUMBER; usize::from(size) - 1],
        leader: LONGEST_NUMBER,
        enemies: vec![LONGEST_NUMBER; size.into()],
        team: Team::Blue,
        geometry,
        players: Players { allies: size.into(), enemies: size.into() },
        pieces: game.pieces(),
        goals: game.goals(),
        penalties: game.penalties(),
        premature: game_env::Millis::ZERO,
        sham_probability: game.sham_probability(),
        position: Position::new(geometry.columns() - 1, geometry.rows() - 1),
    };
    let mut body = Vec::new();
    let writer = Writer { dialect, limit: usize::MAX };
    writer.notice(&mut body, LONGEST_NUMBER, None, &Notice::GameStart(Box::new(start)));
    body.len()
}
