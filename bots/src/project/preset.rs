//! Configurations by name: the presets of the rules.

pub use game_project::preset::{Preset, UnknownPreset};

#[cfg(test)]
mod tests {
    use game_env::{ByTeam, Seed, SimTime};

    use super::*;
    use crate::project::contest::{lineup, play};

    /// How long a game lasts that somebody watches who tries the program for the first time.
    #[test]
    fn a_quick_game_takes_less_than_a_minute_or_so() {
        let (config, greedy) = (Preset::Quick.config().check().unwrap(), "greedy".parse().unwrap());
        let (make, limit) = (lineup(&greedy), SimTime::from_millis(600_000));
        let mut times: Vec<u64> = (0..60)
            .map(|seed| play(&config, Seed::new(seed), ByTeam::new([&make, &make]), limit).time.as_millis())
            .collect();
        times.sort_unstable();
        let (median, late) = (times[30], times[56]);
        assert!((15_000..50_000).contains(&median), "half of the games take {median} ms");
        assert!(late < 75_000, "one game in twenty takes {late} ms");
    }
}
