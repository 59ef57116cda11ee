//! Events of a simulation on a virtual clock, in the order in which they happen.
//!
//! At the same moment deliveries come before alarms, and events of one class happen in the order in which they were
//! added. So a message and all that follows from it comes before any alarm of that moment: without delays the agent
//! that is served first is ready first again, as in a rollout (see the book's page "Who acts first at the same
//! moment").

use std::collections::BTreeMap;
use std::time::Duration;

/// Class of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// Input from outside: bytes, an operator's command, a fault.
    Delivery,
    /// A moment that a machine waits for.
    Alarm,
}

/// All events to come.
#[derive(Clone, Debug)]
pub struct EventQueue<T> {
    entries: BTreeMap<(Duration, Class, u64), T>,
    next: u64,
}

impl<T> Default for EventQueue<T> {
    fn default() -> Self {
        Self { entries: BTreeMap::new(), next: 0 }
    }
}

impl<T> EventQueue<T> {
    /// Adds an event, behind those of its class that were added for the same moment before.
    pub fn push(&mut self, at: Duration, class: Class, what: T) {
        self.entries.insert((at, class, self.next), what);
        self.next += 1;
    }

    /// Takes the next event, with its moment.
    pub fn take_next(&mut self) -> Option<(Duration, T)> {
        self.entries.pop_first().map(|((at, ..), what)| (at, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deliveries_come_before_alarms_and_the_first_first() {
        let mut queue = EventQueue::default();
        let at = Duration::from_millis;
        queue.push(at(2), Class::Delivery, "last");
        queue.push(at(1), Class::Alarm, "third");
        queue.push(at(1), Class::Alarm, "fourth");
        queue.push(at(1), Class::Delivery, "first");
        queue.push(at(1), Class::Delivery, "second");
        let order: Vec<_> = std::iter::from_fn(|| queue.take_next()).map(|(_, what)| what).collect();
        assert_eq!(order, ["first", "second", "third", "fourth", "last"]);
    }
}
