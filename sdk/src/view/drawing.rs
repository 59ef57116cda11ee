//! The view as text.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use game_project::{Area, GoalBelief, Position};

use super::{Hand, View};
use crate::knowledge::Source;

/// The most columns and rows that are drawn; of a larger board, the fields around the agent.
const DRAWN: u16 = 40;

/// Draws the agent's knowledge: north at the top, and ` -` after the rows at which a goal area and the task area meet.
/// Each field has the first sign of this table that fits:
///
/// | sign | area | meaning |
/// |---|---|---|
/// | `@` | any | the agent itself |
/// | `&` | any | the agent met another agent here a moment ago |
/// | `G`, `g` | goal area | a goal: `G` if the agent found it out itself, `g` if an agent that it trusts said so |
/// | `x`, `n` | goal area | no goal: `x` if the agent found it out itself, `n` if an agent that it trusts said so |
/// | `.` | goal area | unknown |
/// | `?` | task area | the nearest piece can be here |
/// | `0` to `9`, `+` | task area | the last known distance from this field to the nearest piece; `+` for ten and more |
/// | `_` | task area | no piece was on the board when this field's distance was last known |
/// | blank | task area | unknown |
///
/// The drawing shows beliefs, which can be wrong. True boards have another notation: see [`testing`](crate::testing).
/// [`View::legend`] explains the signs of one drawing.
impl fmt::Display for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = self.own;
        let holding = match own.hand {
            Hand::Empty => "nothing",
            Hand::Unchecked => "a piece, unchecked",
            Hand::Real => "a real piece",
        };
        writeln!(f, "clock {}: {} {} at {} holding {holding}", self.now, own.agent, own.team, own.position)?;
        for question in &own.questions {
            let must = if question.must_answer { ", who must be answered" } else { "" };
            writeln!(f, "asked by {}{must}", question.by)?;
        }
        let geometry = self.geometry();
        let (columns, rows) = self.window();
        if columns.len() < geometry.columns().into() || rows.len() < geometry.rows().into() {
            writeln!(f, "around {}:", own.position)?;
        }
        for y in rows.rev() {
            for x in columns.clone() {
                write!(f, "{}", self.symbol(Position::new(x, y)))?;
            }
            if [geometry.goal_rows(), geometry.rows() - geometry.goal_rows()].contains(&y) {
                f.write_str(" -")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// The meaning of each sign of a drawn [`View`], in the order of its table; a digit stands for all of them.
const SIGNS: [(char, &str); 11] = [
    ('@', "the agent itself"),
    ('&', "met somebody here a moment ago"),
    ('G', "goal, found out itself"),
    ('g', "goal, as others say"),
    ('x', "no goal, found out itself"),
    ('n', "no goal, as others say"),
    ('.', "goal field, nothing known"),
    ('?', "the nearest piece may lie here"),
    ('0', "moves from here to the nearest piece when last told"),
    ('+', "the same, ten moves or more"),
    ('_', "no piece on the board when last told"),
];

/// Returns the signs that occur, with their meanings.
pub(crate) fn explain(occurs: impl Fn(char) -> bool) -> String {
    let explained = SIGNS.iter().filter_map(|(sign, meaning)| match sign {
        '0' => {
            let digits: Vec<char> = ('0'..='9').filter(|digit| occurs(*digit)).collect();
            let range = match digits.as_slice() {
                [] => return None,
                [only] => only.to_string(),
                [first, .., last] => format!("{first} to {last}"),
            };
            Some(format!("{range} {meaning}"))
        }
        sign => occurs(*sign).then(|| format!("{sign} {meaning}")),
    });
    explained.collect::<Vec<_>>().join("; ")
}

impl View<'_> {
    /// Explains the signs that the drawing of this view has, on one line.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// assert!(situation.see(|view| view.legend()).starts_with("@ the agent itself"));
    /// ```
    pub fn legend(&self) -> String {
        let (columns, rows) = self.window();
        let drawn: BTreeSet<char> = rows
            .flat_map(|y| columns.clone().map(move |x| Position::new(x, y)))
            .map(|at| self.symbol(at))
            .collect();
        explain(|sign| drawn.contains(&sign))
    }

    /// Returns the columns and rows that are drawn.
    fn window(&self) -> (Range<u16>, Range<u16>) {
        let window = |at: u16, size: u16| {
            let first = at.saturating_sub(DRAWN / 2).min(size.saturating_sub(DRAWN));
            first..size.min(first + DRAWN)
        };
        let (at, geometry) = (self.own.position, self.geometry());
        (window(at.x, geometry.columns()), window(at.y, geometry.rows()))
    }

    fn symbol(&self, at: Position) -> char {
        if at == self.own.position {
            return '@';
        }
        if self.knowledge.is_occupied(at, self.now) {
            return '&';
        }
        if self.geometry().area(at) != Area::Task {
            return match self.knowledge.goal(at).map(|learnt| (learnt.value, learnt.from)) {
                Some((GoalBelief::Goal, Source::Own)) => 'G',
                Some((GoalBelief::Goal, _)) => 'g',
                Some((GoalBelief::NoGoal, Source::Own)) => 'x',
                Some((GoalBelief::NoGoal, _)) => 'n',
                _ => '.',
            };
        }
        if self.knowledge.piece_search().candidates().contains(&at) {
            return '?';
        }
        match self.knowledge.distance(at).map(|learnt| learnt.value.moves()) {
            Some(Some(moves)) => char::from_digit(moves.into(), 10).unwrap_or('+'),
            Some(None) => '_',
            None => ' ',
        }
    }
}
