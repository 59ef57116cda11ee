//! The fields that a player has visited, as it sees them from its place: a second visit tells nothing new.

use game_conveyor::{Action, Answer, Config, Direction};

use super::offset::{Offset, further};

/// The fields that a player has visited. See the [module](self).
///
/// No answer tells a player that a conveyor has carried it, so the offsets can be wrong. If the answer on a field
/// differs from the earlier one, or the fields span more than the board, the player has been carried. Then it forgets
/// all fields but its own, and the direction in which it looks, because a conveyor turns it.
#[derive(Clone, Debug)]
pub(super) struct Visited {
    config: Config,
    fields: Vec<VisitedField>,
    /// The direction in which it looks, if it turns and that is known.
    heading: Option<Direction>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct VisitedField {
    at: Offset,
    hint: Option<Direction>,
}

impl Visited {
    /// Creates the fields at the start of a game, when the player does not know whether its own field has a hint.
    pub(super) fn new(config: Config) -> Self {
        Self { config, fields: Vec::new(), heading: None }
    }

    /// Returns the fields as seen from the place of the player.
    pub(super) fn offsets(&self) -> impl Iterator<Item = Offset> + '_ {
        self.fields.iter().map(|field| field.at)
    }

    /// Returns the probability of a hint on a field that the player has not visited, and on which no conveyor starts.
    #[expect(clippy::cast_possible_truncation, reason = "as exact as a guess has to be")]
    pub(super) fn probability_of_hint(&self) -> f32 {
        let hints = self.fields.iter().filter(|field| field.hint.is_some()).count();
        probability_of_hint(self.config, self.fields.len(), hints) as f32
    }

    /// Records the answer to an action, and returns whether the player has come to a field that it visited before.
    pub(super) fn answered(&mut self, action: Action, answer: Answer) -> bool {
        let hint = match answer {
            Answer::Refused => return false,
            Answer::Hint(direction) => Some(direction),
            Answer::Done => None,
        };
        let (direction, steps) = match action {
            Action::Turn(direction) => {
                self.heading = Some(direction);
                return false;
            }
            Action::Step(direction) => (Some(direction), 1),
            Action::Ahead(steps) => (self.heading, steps.fields()),
        };
        let here = VisitedField { at: (0, 0), hint };
        let Some(direction) = direction else {
            self.fields = vec![here];
            return false;
        };
        let (right, up) = further((0, 0), direction, steps);
        for VisitedField { at, .. } in &mut self.fields {
            *at = (at.0 - right, at.1 - up);
        }
        let before = self.fields.iter().find(|field| field.at == here.at);
        if before.is_some_and(|before| *before != here) || self.span_too_much() {
            *self = Self { fields: vec![here], heading: None, ..*self };
            return false;
        }
        let is_known = before.is_some();
        if !is_known {
            self.fields.push(here);
        }
        is_known
    }

    /// Returns whether the fields and that of the player do not fit on the board.
    fn span_too_much(&self) -> bool {
        let span = |along: fn(Offset) -> i16| {
            let all = || self.offsets().map(along).chain([0]);
            all().max().unwrap_or(0) - all().min().unwrap_or(0)
        };
        span(|(right, _)| right) >= i16::from(self.config.columns())
            || span(|(_, up)| up) >= i16::from(self.config.rows())
    }
}

/// Returns the probability of a hint on a field that a player has not visited, and on which no conveyor starts, after
/// this many visited fields with this many hints.
pub(super) fn probability_of_hint(config: Config, visited: usize, hints: usize) -> f64 {
    // The home, which the player has not visited either, has none.
    let others = 1 + usize::from(config.conveyors()) + visited;
    let fields = usize::from(config.fields()).saturating_sub(others).max(1);
    (usize::from(config.hints()).saturating_sub(hints) as f64 / fields as f64).min(1.0)
}

#[cfg(test)]
mod tests {
    use game_conveyor::Steps;

    use super::*;

    /// Returns the visited fields after these answers to requests, on the default board of 12×9 fields.
    fn after(answers: &[(Action, Answer)]) -> Visited {
        let mut visited = Visited::new(Config::default());
        for (action, answer) in answers {
            visited.answered(*action, *answer);
        }
        visited
    }

    fn offsets(answers: &[(Action, Answer)]) -> Vec<Offset> {
        after(answers).offsets().collect()
    }

    const UP: Action = Action::Step(Direction::Up);
    const DOWN: Action = Action::Step(Direction::Down);
    const RIGHT: Action = Action::Step(Direction::Right);

    #[test]
    fn fields_are_seen_from_the_place_of_the_player() {
        let hint = Answer::Hint(Direction::Up);
        let mut answers = vec![(UP, Answer::Done), (RIGHT, hint), (RIGHT, Answer::Refused)];
        assert_eq!(offsets(&answers), [(-1, 0), (0, 0)]);
        // Nine hints and four conveyors; two fields are visited, one with a hint.
        assert!((after(&answers).probability_of_hint() - 8.0 / 101.0).abs() < 1e-6);
        answers.push((Action::Step(Direction::Left), Answer::Done));
        assert_eq!(offsets(&answers), [(0, 0), (1, 0)], "a second visit");
    }

    #[test]
    fn a_player_that_turns_has_to_know_where_it_looks() {
        let [one, three] = [Steps::One, Steps::Three].map(Action::Ahead);
        let turn = (Action::Turn(Direction::Down), Answer::Done);
        let (one, three) = ((one, Answer::Done), (three, Answer::Done));
        assert_eq!(offsets(&[turn, three, one]), [(0, 1), (0, 0)]);
        assert_eq!(offsets(&[three, one]), [(0, 0)], "each move leads in an unknown direction");
        assert_eq!(offsets(&[three, turn, one]), [(0, 1), (0, 0)]);
    }

    #[test]
    fn another_answer_on_the_same_field_shows_that_the_player_was_carried() {
        let hint = |to| (UP, Answer::Hint(to));
        let back = (DOWN, Answer::Done);
        for other in [(UP, Answer::Done), hint(Direction::Right)] {
            assert_eq!(offsets(&[hint(Direction::Left), back, other]), [(0, 0)], "{other:?}");
        }
    }

    /// The field on which the player starts is not known before the player comes back to it.
    #[test]
    fn a_field_with_the_same_answer_is_known() {
        let mut visited = Visited::new(Config::default());
        let hint = |to| (UP, Answer::Hint(to));
        let back = (DOWN, Answer::Done);
        let answers = [hint(Direction::Left), back, hint(Direction::Left), back, hint(Direction::Right)];
        let known = answers.map(|(action, answer)| visited.answered(action, answer));
        assert_eq!(known, [false, false, true, true, false]);
    }

    #[test]
    fn more_rows_than_the_board_has_show_that_the_player_was_carried() {
        let answers = [(UP, Answer::Done); 10];
        assert_eq!(offsets(&answers[..9]).len(), 9);
        assert_eq!(offsets(&answers), [(0, 0)]);
    }
}
