//! The flag `--jobs`: the number of games or matches that are played at a time.

use std::num::NonZeroUsize;
use std::str::FromStr;
use std::thread;

/// A number of games at a time, from 1 to [`Jobs::MOST`]. The default is the number of processor cores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Jobs(NonZeroUsize);

impl Jobs {
    /// The largest number: more threads than this only wait for each other.
    pub const MOST: usize = 1_024;

    /// Returns the number.
    pub const fn count(self) -> NonZeroUsize {
        self.0
    }
}

impl Default for Jobs {
    fn default() -> Self {
        Self(thread::available_parallelism().unwrap_or(NonZeroUsize::MIN))
    }
}

impl FromStr for Jobs {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let jobs = text.parse().ok().filter(|jobs: &NonZeroUsize| jobs.get() <= Self::MOST);
        jobs.map(Self).ok_or_else(|| format!("expected a number from 1 to {}", Self::MOST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_within_their_limits() {
        for (text, count) in [("1", 1), ("1024", 1_024)] {
            assert_eq!(text.parse::<Jobs>().map(|jobs| jobs.count().get()), Ok(count));
        }
        for text in ["0", "1025", "-1", "all", ""] {
            assert_eq!(text.parse::<Jobs>(), Err("expected a number from 1 to 1024".to_owned()), "{text}");
        }
    }
}
