//! The line-up of agents that play on a server: strategies, and programs of the agent protocol.

use std::fmt;
use std::str::FromStr;

use strategies::notation::write_line_up;
use strategies::project::room::ProjectRoom;
use strategies::room::Room as _;

/// The entrants of a team, strategies and programs, in the order of its agents: `coordinated*3+"python3 mine.py"`.
///
/// A line-up shorter than its team is repeated: `greedy` alone is a team of greedy agents.
///
/// ```
/// use bots::project::line_up::EntrantLineUp;
///
/// let line_up: EntrantLineUp = r#"greedy*2 + "python3 mine.py""#.parse()?;
/// assert_eq!((line_up.size(), line_up.entrant(4)), (3, "greedy"));
/// assert_eq!(line_up.to_string(), r#"greedy*2+"python3 mine.py""#);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntrantLineUp(Vec<String>);

impl EntrantLineUp {
    /// Returns the name of the strategy, or the command, of the agent that is this many places from the first of its
    /// team.
    pub fn entrant(&self, place: usize) -> &str {
        &self.0[place % self.0.len()]
    }

    /// Returns all entrants that it names.
    pub fn entrants(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns the number of agents that it names; one for a team of one strategy.
    pub fn size(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for EntrantLineUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_line_up(f, &self.0)
    }
}

/// The error names the fault of the text, and the expected text.
impl FromStr for EntrantLineUp {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        ProjectRoom::shipped().line_up(text).map(Self)
    }
}
