//! A view as the observation of the agent protocol.

use std::ops::Range;

use game_env::AgentId;
use game_project::{Area, Distance, GoalBelief, Position};
use wire::project::agent::{
    Hand, LARGEST_WHOLE_BOARD, Observation, WINDOW, from_agent, from_distance, from_position,
};

use crate::view::{self, View};

/// Returns the observation of a program; with the board if it wants that.
pub(super) fn observation(view: &View<'_>, has_board: bool) -> Observation {
    let at = view.position();
    let ids = |agents: &[AgentId]| agents.iter().copied().map(from_agent).collect();
    let silent = AgentId::all(view.briefing.game.teams.len()).filter(|agent| view.is_silent(*agent));
    let mut observation = Observation {
        at: from_position(at),
        hand: match view.own.hand {
            view::Hand::Empty => Hand::Empty,
            view::Hand::Unchecked => Hand::Unchecked,
            view::Hand::Real => Hand::Real,
        },
        distance: view.distance().map(from_distance),
        piece: view.knowledge.nearest_piece().map(from_position),
        points: view.knowledge.covered(),
        questions: view.own.questions.iter().map(|question| from_agent(question.by)).collect(),
        asked: ids(&view.own.asked),
        silent: silent.map(from_agent).collect(),
        seen: Vec::new(),
        board: Vec::new(),
        window: [0, 0],
    };
    if has_board {
        draw(view, &mut observation);
    }
    observation
}

/// Returns the decision as a text, with these options if there are any.
pub(super) fn text(view: &View<'_>, options: &[String]) -> String {
    let text = format!("{view}{}\n", view.legend());
    if options.is_empty() { text } else { format!("{text}options: {}\n", options.join(", ")) }
}

/// Adds the board, or the window around the agent, and the agents that were seen there.
fn draw(view: &View<'_>, observation: &mut Observation) {
    let geometry = view.geometry();
    let at = view.position();
    let is_whole = geometry.fields() <= LARGEST_WHOLE_BOARD;
    let shown = |at: u16, length: u16| -> Range<u16> {
        if is_whole {
            0..length
        } else {
            at.saturating_sub(WINDOW)..at.saturating_add(WINDOW + 1).min(length)
        }
    };
    let (columns, rows) = (shown(at.x, geometry.columns()), shown(at.y, geometry.rows()));
    observation.window = [columns.start, rows.start];
    let seen = view.knowledge.sightings(view.now);
    let is_shown = |field: &Position| columns.contains(&field.x) && rows.contains(&field.y) && *field != at;
    let mut seen: Vec<Position> = seen.filter(is_shown).collect();
    seen.sort_by_key(|field| (field.y, field.x));
    observation.seen.extend(seen.into_iter().map(from_position));
    for y in rows {
        let area = geometry.area(Position::new(0, y));
        let mut row = vec![b'?'; columns.len()];
        let mut set = |x: u16, sign: u8| row[usize::from(x - columns.start)] = sign;
        match area {
            Area::Task => view
                .knowledge
                .distances_of_row(y, columns.clone(), |x, distance| set(x, digit(distance.value))),
            Area::Goal(_) => view.knowledge.goals_of_row(y, columns.clone(), |x, goal| {
                let is_open = || view.knowledge.open().contains(Position::new(x, y));
                set(
                    x,
                    match goal.value {
                        GoalBelief::Unknown => b'?',
                        GoalBelief::NoGoal => b'-',
                        GoalBelief::Goal if is_open() => b'G',
                        GoalBelief::Goal => b'*',
                    },
                );
            }),
        }
        observation.board.push(row.into_iter().map(char::from).collect());
    }
}

/// Returns the character of a distance in moves.
fn digit(distance: Distance) -> u8 {
    match distance.moves() {
        Some(moves @ ..10) => b'0' + u8::try_from(moves).unwrap_or(9),
        Some(moves) => b'a' + u8::try_from(moves - 10).unwrap_or(25).min(25),
        None => b'!',
    }
}
