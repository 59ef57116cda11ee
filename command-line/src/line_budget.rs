//! Line budgets: of the lines that others can cause as often as they like, some are shown in a second.

use game_env::SimTime;

/// Number of lines that may still be shown in this second, and the number of those that were withheld.
#[derive(Debug)]
pub struct LineBudget {
    lines_per_second: u32,
    left: u32,
    second: u64,
    /// Number of lines that were withheld in this second, and in those before it that were not reported.
    withheld: [u64; 2],
}

impl LineBudget {
    /// Creates a budget of this number of lines in a second.
    #[must_use]
    pub const fn new(lines_per_second: u32) -> Self {
        Self { lines_per_second, left: lines_per_second, second: 0, withheld: [0; 2] }
    }

    /// Returns whether one more line may be shown `now`; counts those that may not.
    pub fn take(&mut self, now: SimTime) -> bool {
        self.turn(now);
        let granted = self.left > 0;
        self.left -= u32::from(granted);
        self.withheld[0] += u64::from(!granted);
        granted
    }

    /// Begins a new second if the last one is over.
    fn turn(&mut self, now: SimTime) {
        let second = now.as_millis() / 1000;
        if second != self.second {
            let [last, before] = self.withheld;
            (self.second, self.left, self.withheld) = (second, self.lines_per_second, [0, before + last]);
        }
    }

    /// Returns whether lines were withheld that have not been reported.
    #[must_use]
    pub fn owes(&self) -> bool {
        self.withheld != [0; 2]
    }

    /// Returns the number of lines that were withheld in seconds that are over; the count starts anew.
    pub fn withheld(&mut self, now: SimTime) -> Option<u64> {
        self.turn(now);
        Some(std::mem::take(&mut self.withheld[1])).filter(|lines| *lines > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_second_has_its_lines_and_the_others_are_counted_when_it_is_over() {
        let mut budget = LineBudget::new(2);
        let at = SimTime::from_millis;
        assert_eq!([0, 1, 999, 999].map(|now| budget.take(at(now))), [true, true, false, false]);
        assert_eq!((budget.owes(), budget.withheld(at(999))), (true, None));
        assert!(budget.take(at(1_000)));
        assert_eq!((budget.withheld(at(1_000)), budget.owes()), (Some(2), false));
        assert_eq!([1_500, 1_600].map(|now| budget.take(at(now))), [true, false]);
        assert_eq!((budget.withheld(at(9_000)), budget.withheld(at(9_000))), (Some(1), None));
    }
}
