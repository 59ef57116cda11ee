//! Players or matches to which nobody is connected, by age and by origin: the oldest of them give way.

use std::collections::{BTreeMap, BTreeSet};

use game_env::SimTime;

use super::Origin;

/// The players or matches to which nobody is connected.
#[derive(Debug)]
pub struct Idle<Id> {
    since: BTreeMap<Id, (Origin, SimTime)>,
    by_age: BTreeSet<(SimTime, Id)>,
    by_origin: BTreeMap<Origin, BTreeSet<(SimTime, Id)>>,
}

impl<Id> Default for Idle<Id> {
    fn default() -> Self {
        Self { since: BTreeMap::new(), by_age: BTreeSet::new(), by_origin: BTreeMap::new() }
    }
}

impl<Id: Copy + Ord> Idle<Id> {
    /// Adds one that was connected from this origin until `now`, if it is not there.
    pub fn add(&mut self, now: SimTime, origin: Origin, id: Id) {
        if self.since.contains_key(&id) {
            return;
        }
        self.since.insert(id, (origin, now));
        self.by_age.insert((now, id));
        self.by_origin.entry(origin).or_default().insert((now, id));
    }

    /// Removes one, if it is there.
    pub fn remove(&mut self, id: Id) {
        if let Some((origin, since)) = self.since.remove(&id) {
            self.by_age.remove(&(since, id));
            if let Some(own) = self.by_origin.get_mut(&origin) {
                own.remove(&(since, id));
                if own.is_empty() {
                    self.by_origin.remove(&origin);
                }
            }
        }
    }

    /// Returns the one that has been idle for the longest time.
    pub fn oldest(&self) -> Option<Id> {
        self.by_age.first().map(|(_, id)| *id)
    }

    /// Returns the oldest one of this origin, if the origin has more than `most`. [`Origin::Unknown`] has no limit.
    pub fn surplus(&self, origin: Origin, most: usize) -> Option<Id> {
        let own = self.by_origin.get(&origin).filter(|own| origin != Origin::Unknown && own.len() > most)?;
        own.first().map(|(_, id)| *id)
    }
}

#[cfg(test)]
mod tests {
    use game_env::Millis;

    use super::*;

    #[test]
    fn the_oldest_gives_way() {
        let at = |ms| SimTime::START + Millis::new(ms);
        let [one, other] = [1, 2].map(|last| Origin::of([10, 0, 0, last].into()));
        let mut idle = Idle::default();
        idle.add(at(5), one, 'a');
        idle.add(at(3), other, 'b');
        idle.add(at(4), one, 'c');
        idle.add(at(1), Origin::Unknown, 'd');
        idle.add(at(9), other, 'b');
        assert_eq!(idle.oldest(), Some('d'));
        idle.remove('d');
        idle.remove('x');
        assert_eq!(idle.oldest(), Some('b'), "idle since 3, not 9");
        assert_eq!((idle.surplus(one, 2), idle.surplus(one, 1)), (None, Some('c')));
        idle.add(at(10), Origin::Unknown, 'e');
        assert_eq!(idle.surplus(Origin::Unknown, 0), None);
    }
}
