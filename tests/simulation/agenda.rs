//! What is to happen, and when: the heart of a simulation on a virtual clock.
//!
//! At one and the same moment deliveries come before alarms, and within each what was noted first happens first.
//! So a message and all that follows from it is through before anybody's time is up: without delays whoever is
//! served first is ready first again, as in a rollout (see the book's page "Who acts first at the same moment").

use std::collections::BTreeMap;
use std::time::Duration;

/// What kind of thing is to happen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Something comes from outside: bytes, an operator's command, a fault.
    Delivery,
    /// A moment that somebody waits for.
    Alarm,
}

/// All that is to happen.
#[derive(Clone, Debug)]
pub struct Agenda<T> {
    entries: BTreeMap<(Duration, Class, u64), T>,
    next: u64,
}

impl<T> Default for Agenda<T> {
    fn default() -> Self {
        Self { entries: BTreeMap::new(), next: 0 }
    }
}

impl<T> Agenda<T> {
    /// Notes that something is to happen then, behind what is noted for the same moment already.
    pub fn note(&mut self, at: Duration, class: Class, what: T) {
        self.entries.insert((at, class, self.next), what);
        self.next += 1;
    }

    /// What happens next.
    pub fn take_next(&mut self) -> Option<(Duration, T)> {
        self.entries.pop_first().map(|((at, ..), what)| (at, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deliveries_come_before_alarms_and_the_first_first() {
        let mut agenda = Agenda::default();
        let at = Duration::from_millis;
        agenda.note(at(2), Class::Delivery, "last");
        agenda.note(at(1), Class::Alarm, "third");
        agenda.note(at(1), Class::Alarm, "fourth");
        agenda.note(at(1), Class::Delivery, "first");
        agenda.note(at(1), Class::Delivery, "second");
        let order: Vec<_> = std::iter::from_fn(|| agenda.take_next()).map(|(_, what)| what).collect();
        assert_eq!(order, ["first", "second", "third", "fourth", "last"]);
    }
}
