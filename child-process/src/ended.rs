//! The end of a child.

use std::fmt;

use crate::tail::Tail;

/// The end of a child, and the rest of its output.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ended {
    /// The end of its first process.
    pub how: How,
    /// The way it was stopped; none if it ended by itself.
    pub stop: Option<Stop>,
    /// Number of its processes that were left when the first had ended, and were killed.
    pub left_behind: usize,
    /// The end of its standard error.
    pub errors: Tail,
    /// The end of its standard output, unless the caller reads it.
    pub output: Tail,
}

/// End of a process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum How {
    /// It could not be started, for this reason.
    NotStarted(String),
    /// This machine has no room for it, for this reason: no process, no open file or no memory.
    NoRoom(String),
    /// It ended with this exit code.
    Exited(i32),
    /// This signal ended it.
    Signalled(i32),
    /// Its guard was lost: it was killed.
    GuardLost,
}

/// Reason why a child was stopped, and the way it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The caller asked for it, and the child ended in time.
    Asked,
    /// The caller asked for it, and the child had to be killed.
    Killed,
    /// It had more processes than it may.
    Processes,
    /// It held more memory than it may.
    Memory,
}

impl Stop {
    pub(crate) const ALL: [Self; 4] = [Self::Asked, Self::Killed, Self::Processes, Self::Memory];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Asked => "asked",
            Self::Killed => "killed",
            Self::Processes => "processes",
            Self::Memory => "memory",
        }
    }
}

/// In words, after "its program": `ended with exit code 3`.
impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.stop, &self.how) {
            (Some(Stop::Processes), _) => f.write_str("was killed: it had more processes than it may"),
            (Some(Stop::Memory), _) => f.write_str("was killed: it held more memory than it may"),
            (Some(Stop::Killed), _) => {
                f.write_str("was stopped and did not end in time (SIGTERM): it was killed")
            }
            (Some(Stop::Asked), _) => f.write_str("was stopped"),
            (None, How::NotStarted(reason)) => write!(f, "could not be started: {reason}"),
            (None, How::NoRoom(reason)) => write!(f, "could not be started by this machine: {reason}"),
            (None, How::Exited(code)) => write!(f, "ended with exit code {code}"),
            (None, How::Signalled(signal)) => write!(f, "was ended by signal {signal}"),
            (None, How::GuardLost) => f.write_str("was lost: its guard was killed"),
        }?;
        match self.left_behind {
            0 => Ok(()),
            1 => f.write_str("; it left 1 process behind, which was killed"),
            left => write!(f, "; it left {left} processes behind, which were killed"),
        }
    }
}

/// The guard's report of the end, one line: the stop or `-`, the number of processes left behind, then the end of the
/// first process, e.g. `- 0 exited 3` or `killed 2 signalled 9`.
#[cfg(target_os = "linux")]
pub(crate) struct Report {
    pub(crate) how: How,
    pub(crate) stop: Option<Stop>,
    pub(crate) left_behind: usize,
}

#[cfg(target_os = "linux")]
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stop, left) = (self.stop.map_or("-", Stop::word), self.left_behind);
        write!(f, "{stop} {left} ")?;
        match &self.how {
            How::Exited(code) => write!(f, "exited {code}"),
            How::Signalled(signal) => write!(f, "signalled {signal}"),
            How::GuardLost => f.write_str("lost"),
            How::NotStarted(reason) => write!(f, "not-started {}", reason.replace('\n', " ")),
            How::NoRoom(reason) => write!(f, "no-room {}", reason.replace('\n', " ")),
        }
    }
}

#[cfg(target_os = "linux")]
impl Report {
    /// Returns the report of this line; none if it is no report.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let mut words = line.splitn(4, ' ');
        let (stop, left, word, rest) = (words.next()?, words.next()?, words.next()?, words.next());
        let how = match (word, rest) {
            ("exited", Some(code)) => How::Exited(code.parse().ok()?),
            ("signalled", Some(signal)) => How::Signalled(signal.parse().ok()?),
            ("not-started", Some(reason)) => How::NotStarted(reason.to_owned()),
            ("no-room", Some(reason)) => How::NoRoom(reason.to_owned()),
            _ => return None,
        };
        let stop = match stop {
            "-" => None,
            word => Some(Stop::ALL.into_iter().find(|stop| stop.word() == word)?),
        };
        Some(Self { how, stop, left_behind: left.parse().ok()? })
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn reports_read_as_they_are_written() {
        let hows = [
            How::Exited(3),
            How::Signalled(9),
            How::NotStarted("no such file (2)".to_owned()),
            How::NoRoom("full".to_owned()),
        ];
        for how in hows {
            for stop in Stop::ALL.map(Some).into_iter().chain([None]) {
                let line = Report { how: how.clone(), stop, left_behind: 2 }.to_string();
                let read = Report::read(&line).unwrap();
                assert_eq!((read.how, read.stop, read.left_behind), (how.clone(), stop, 2), "{line}");
            }
        }
        for line in ["", "- 0", "- 0 exited", "- x exited 1", "often 0 exited 1", "- 0 lost"] {
            assert!(Report::read(line).is_none(), "{line}");
        }
    }
}
