//! The content of an answer to another agent: what the agent knows about the board, or a lie.

use std::fmt;
use std::str::FromStr;

use game_env::text::number;
use game_env::{ByTeam, NotationError};

use crate::geometry::Distance;
use crate::team::Team;

/// The content of an answer. Rules pass it on unchecked: it may be false, stale, or of the wrong length.
///
/// Written `distances=… red=… blue=…`, each a list of items joined by commas, equal neighbours as
/// `item*count`, and nothing for an empty list: `distances=-*5,3,2 red=? blue=N,G,?*2`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Information {
    /// The distance of every field from the nearest piece, in the order of [`Geometry::index`](crate::Geometry::index);
    /// `None` where it is not known.
    pub distances: Vec<Option<Distance>>,
    /// The fields of each team's goal area, row by row from the south, each from the west.
    pub goals: ByTeam<Vec<GoalBelief>>,
}

/// A belief, or a claim, about a field in a goal area.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GoalBelief {
    /// Nothing is known of it.
    #[default]
    Unknown,
    /// It is no goal.
    NoGoal,
    /// It is a goal, covered by now or not.
    Goal,
}

impl GoalBelief {
    const ALL: [Self; 3] = [Self::Unknown, Self::NoGoal, Self::Goal];

    const fn letter(self) -> char {
        match self {
            Self::Unknown => '?',
            Self::NoGoal => 'N',
            Self::Goal => 'G',
        }
    }
}

impl fmt::Display for Information {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("distances=")?;
        write_runs(f, &self.distances, |distance, f| match distance {
            Some(distance) => distance.fmt(f),
            None => f.write_str("-"),
        })?;
        for team in Team::ALL {
            write!(f, " {team}=")?;
            write_runs(f, &self.goals[team], |belief, f| write!(f, "{}", belief.letter()))?;
        }
        Ok(())
    }
}

impl FromStr for Information {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let error = || {
            NotationError::new(
                "information",
                text,
                "`distances=… red=… blue=…`, e.g. `distances=-*9 red=? blue=N`",
            )
        };
        let [distances, red, blue] = text.split(' ').collect::<Vec<_>>()[..] else { return Err(error()) };
        let distance = |item: &str| match item {
            "-" => Ok(None),
            item => item.parse().map(Some),
        };
        let belief = |item: &str| {
            let found = GoalBelief::ALL.into_iter().find(|belief| item.chars().eq([belief.letter()]));
            found.ok_or_else(|| NotationError::new("belief", item, "`?`, `N` or `G`"))
        };
        Ok(Self {
            distances: read_runs(
                distances.strip_prefix("distances=").ok_or_else(error)?,
                MOST_DISTANCES,
                distance,
            )?,
            goals: ByTeam::new([
                read_runs(red.strip_prefix("red=").ok_or_else(error)?, MOST_BELIEFS, belief)?,
                read_runs(blue.strip_prefix("blue=").ok_or_else(error)?, MOST_BELIEFS, belief)?,
            ]),
        })
    }
}

fn write_runs<T: PartialEq>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    write: impl Fn(&T, &mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    for (place, run) in items.chunk_by(PartialEq::eq).enumerate() {
        if place > 0 {
            f.write_str(",")?;
        }
        write(&run[0], f)?;
        if run.len() > 1 {
            write!(f, "*{}", run.len())?;
        }
    }
    Ok(())
}

/// The longest list of distances that is read: an entry for every field of the largest board.
const MOST_DISTANCES: usize = 1 << 24;

/// The longest list of beliefs that is read: an entry for every field of the largest goal area.
const MOST_BELIEFS: usize = 1 << 23;

fn read_runs<T: Copy>(
    text: &str,
    most: usize,
    read: impl Fn(&str) -> Result<T, NotationError>,
) -> Result<Vec<T>, NotationError> {
    let runs = || text.split(',').filter(|_| !text.is_empty());
    let run = |run| match str::split_once(run, '*') {
        None => Ok((run, 1)),
        Some((item, count)) => {
            let count = number(count).ok_or_else(|| NotationError::new("count", count, "a whole number"))?;
            Ok((item, count))
        }
    };
    // The sum first: a list of many runs takes the memory that it needs and no more.
    let mut length: usize = 0;
    for text in runs() {
        let (_, count) = run(text)?;
        length = length.checked_add(count).filter(|length| *length <= most).ok_or_else(|| {
            NotationError::new("list", text, "no more entries than the largest board has fields")
        })?;
    }
    let mut items = Vec::with_capacity(length);
    for text in runs() {
        let (item, count) = run(text)?;
        items.resize(items.len() + count, read(item)?);
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_as_it_is_written() {
        let far = Some(Distance::INFINITE);
        let near = |moves| Some(Distance::new(moves));
        let information = Information {
            distances: vec![None, None, near(1), far, far, near(0)],
            goals: ByTeam::new([vec![GoalBelief::Goal], vec![GoalBelief::NoGoal, GoalBelief::Unknown]]),
        };
        let text = "distances=-*2,1,inf*2,0 red=G blue=N,?";
        assert_eq!(information.to_string(), text);
        assert_eq!(text.parse(), Ok(information));
        assert_eq!("distances= red= blue=".parse(), Ok(Information::default()));
    }

    #[test]
    fn nonsense_is_refused_before_it_takes_memory() {
        for text in [
            "",
            "distances=1",
            "distances=1 red=G blue=X",
            "distances=-*99999999999 red= blue=",
            "distances=-*16777216,- red= blue=",
            "distances=-*18446744073709551615,- red= blue=",
            "distances= red= blue=?*8388609",
            "distances=- red=?*x blue=",
        ] {
            assert!(text.parse::<Information>().is_err(), "{text}");
        }
    }
}
