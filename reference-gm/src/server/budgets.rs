//! Budgets: the number of games that one origin may begin.

use std::collections::BTreeMap;

use game_env::SimTime;

use super::Origin;

/// The games that each origin may begin: those of an hour at once, and after that as many in an hour.
#[derive(Debug)]
pub struct Budgets {
    per_hour: u32,
    /// The origins that have begun games lately: how much of an hour is spent, in units of `1 / per_hour` ms.
    spent: BTreeMap<Origin, Spent>,
}

/// The part of a budget that a game has taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Charge {
    origin: Origin,
    units: u64,
}

#[derive(Clone, Copy, Debug)]
struct Spent {
    units: u64,
    at: SimTime,
}

const HOUR_MS: u64 = 3_600_000;

/// The number of origins from which those without spending are forgotten.
const MANY: usize = 1024;

impl Budgets {
    /// Creates budgets of this number of games in an hour.
    pub const fn new(per_hour: u32) -> Self {
        Self { per_hour, spent: BTreeMap::new() }
    }

    /// Returns whether an origin may begin one more game. [`Origin::Unknown`] always may.
    pub fn has(&self, now: SimTime, origin: Origin) -> bool {
        let units = self.spent.get(&origin).map_or(0, |spent| self.left(*spent, now));
        origin == Origin::Unknown || units + HOUR_MS <= self.full()
    }

    /// Takes a game from the budget of an origin, or what is left of it.
    pub fn spend(&mut self, now: SimTime, origin: Origin) -> Charge {
        if origin == Origin::Unknown {
            return Charge { origin, units: 0 };
        }
        if self.spent.len() >= MANY && !self.spent.contains_key(&origin) {
            let spent = std::mem::take(&mut self.spent);
            self.spent = spent.into_iter().filter(|(_, spent)| self.left(*spent, now) > 0).collect();
        }
        let before = self.spent.get(&origin).map_or(0, |spent| self.left(*spent, now));
        let units = (before + HOUR_MS).min(self.full());
        self.spent.insert(origin, Spent { units, at: now });
        Charge { origin, units: units - before }
    }

    /// Gives back what a game has taken.
    pub fn give_back(&mut self, now: SimTime, charge: Charge) {
        if let Some(spent) = self.spent.get(&charge.origin) {
            let units = self.left(*spent, now).saturating_sub(charge.units);
            self.spent.insert(charge.origin, Spent { units, at: now });
        }
    }

    /// Returns the part of the spending that time has not made good for. A game costs `HOUR_MS` units; each millisecond
    /// makes good for `per_hour` units.
    fn left(&self, spent: Spent, now: SimTime) -> u64 {
        let passed = u64::from((now - spent.at).as_millis());
        spent.units.saturating_sub(passed.saturating_mul(u64::from(self.per_hour)))
    }

    fn full(&self) -> u64 {
        HOUR_MS * u64::from(self.per_hour)
    }
}

#[cfg(test)]
mod tests {
    use game_env::Millis;

    use super::*;

    #[test]
    fn an_origin_begins_the_games_of_an_hour_at_once_and_then_as_time_passes() {
        let origin = Origin::of([10, 0, 0, 1].into());
        let mut budgets = Budgets::new(60);
        let mut now = SimTime::START;
        let begin = |budgets: &mut Budgets, now, most| {
            let mut begun = 0;
            while begun < most && budgets.has(now, origin) {
                budgets.spend(now, origin);
                begun += 1;
            }
            begun
        };
        assert_eq!(begin(&mut budgets, now, 1000), 60);
        now += Millis::new(59_999);
        assert_eq!(begin(&mut budgets, now, 1000), 0);
        now += Millis::new(1);
        assert_eq!(begin(&mut budgets, now, 1000), 1);
        now += Millis::new(30 * 60_000);
        assert_eq!(begin(&mut budgets, now, 1000), 30);
        assert!(budgets.has(now, Origin::of([10, 0, 0, 2].into())), "others have budgets of their own");
        now += Millis::new(10 * 3_600_000);
        assert_eq!(begin(&mut budgets, now, 1000), 60, "a budget does not grow beyond an hour");
        let over = budgets.spend(now, origin);
        budgets.give_back(now, over);
        assert_eq!(begin(&mut budgets, now, 1000), 0, "nothing was left to take");
        now += Millis::new(60_000);
        let charge = budgets.spend(now, origin);
        assert_eq!(begin(&mut budgets, now, 1000), 0);
        budgets.give_back(now, charge);
        assert_eq!(begin(&mut budgets, now, 1000), 1);
        assert!((0..1000).all(|_| {
            budgets.spend(now, Origin::Unknown);
            budgets.has(now, Origin::Unknown)
        }));
    }

    #[test]
    fn origins_without_spending_are_forgotten() {
        let mut budgets = Budgets::new(3600);
        for number in 0..10_000_u32 {
            let now = SimTime::START + Millis::new(number * 10);
            budgets.spend(now, Origin::of(std::net::Ipv4Addr::from(number).into()));
        }
        assert!(budgets.spent.len() <= MANY, "{}", budgets.spent.len());
    }
}
