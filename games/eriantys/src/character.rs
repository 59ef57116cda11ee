//! The twelve characters of the expert game, and the ways to play them.

use crate::students::{Color, Students};
use crate::table::IslandId;

/// A character; the order is that of the specification.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Character {
    /// One of its students to an island.
    Monk,
    /// Equal counts take professors this turn.
    Farmer,
    /// Resolves any island as if Mother Nature stood there.
    Herald,
    /// Up to two more steps this turn.
    Mailman,
    /// A ban on an island: there Mother Nature lifts it instead of resolving.
    Granny,
    /// Towers do not count this turn.
    Centaur,
    /// Up to three of its students against as many from the entrance.
    Jester,
    /// Two more influence this turn.
    Knight,
    /// A colour does not count this turn.
    MushroomHunter,
    /// Up to two students of the dining room against as many from the entrance.
    Minstrel,
    /// One of its students to the own dining room.
    Princess,
    /// Every player returns up to three students of a colour to the bag.
    Thief,
}

impl Character {
    /// Returns the price of the first use. Each later use costs a coin more.
    pub const fn price(self) -> u8 {
        match self {
            Self::Monk | Self::Mailman | Self::Jester | Self::Minstrel => 1,
            Self::Farmer | Self::Granny | Self::Knight | Self::Princess => 2,
            Self::Herald | Self::Centaur | Self::MushroomHunter | Self::Thief => 3,
        }
    }

    /// Returns the number of students that it holds at the beginning.
    pub const fn students(self) -> u8 {
        match self {
            Self::Monk | Self::Princess => 4,
            Self::Jester => 6,
            _ => 0,
        }
    }

    /// Returns the number of bans that it holds at the beginning.
    pub const fn bans(self) -> u8 {
        if matches!(self, Self::Granny) { 4 } else { 0 }
    }

    /// Returns its effect, in one line.
    pub const fn summary(self) -> &'static str {
        match self {
            Self::Monk => "moves one of its four students to an island; another one is drawn",
            Self::Farmer => "this turn you take professors with as many students as their owner",
            Self::Herald => "resolves an island as if Mother Nature stood there",
            Self::Mailman => "Mother Nature goes up to two steps further this turn",
            Self::Granny => "puts a ban on an island: Mother Nature lifts it there instead of resolving",
            Self::Centaur => "towers do not count for influence this turn",
            Self::Jester => "exchanges up to three of its six students with your entrance",
            Self::Knight => "you have two more influence this turn",
            Self::MushroomHunter => "a colour does not count for influence this turn",
            Self::Minstrel => "exchanges up to two students of your entrance and dining room",
            Self::Princess => "moves one of its four students to your dining room; another one is drawn",
            Self::Thief => "every player returns up to three students of a colour to the bag",
        }
    }
}

/// A character with its parameters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Play {
    /// A student of this colour from the card to this island.
    Monk(Color, IslandId),
    /// See [`Character::Farmer`].
    Farmer,
    /// Resolves this island.
    Herald(IslandId),
    /// See [`Character::Mailman`].
    Mailman,
    /// Puts a ban on this island.
    Granny(IslandId),
    /// See [`Character::Centaur`].
    Centaur,
    /// Exchanges students of the entrance with those of the card.
    Jester(Exchange),
    /// See [`Character::Knight`].
    Knight,
    /// This colour does not count.
    MushroomHunter(Color),
    /// Exchanges students of the entrance with those of the dining room.
    Minstrel(Exchange),
    /// A student of this colour from the card to the own dining room.
    Princess(Color),
    /// Students of this colour return to the bag.
    Thief(Color),
}

impl Play {
    /// Returns the character that is played.
    #[inline]
    pub const fn character(self) -> Character {
        match self {
            Self::Monk(..) => Character::Monk,
            Self::Farmer => Character::Farmer,
            Self::Herald(_) => Character::Herald,
            Self::Mailman => Character::Mailman,
            Self::Granny(_) => Character::Granny,
            Self::Centaur => Character::Centaur,
            Self::Jester(_) => Character::Jester,
            Self::Knight => Character::Knight,
            Self::MushroomHunter(_) => Character::MushroomHunter,
            Self::Minstrel(_) => Character::Minstrel,
            Self::Princess(_) => Character::Princess,
            Self::Thief(_) => Character::Thief,
        }
    }
}

/// Students of the entrance, from one to three, against the same number of others.
///
/// A colour that goes both ways cancels out: no colour is on both sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Exchange {
    given: Students,
    taken: Students,
}

impl Exchange {
    /// The most students of each side.
    pub const MOST: u8 = 3;

    /// Exchanges `given` students of the entrance for the `taken` ones. `None` if the sides have different numbers, if
    /// nothing is left when colours on both sides cancel out, or more than [`Exchange::MOST`].
    pub fn new(given: Students, taken: Students) -> Option<Self> {
        let common = given.common(taken);
        let (given, taken) = (given - common, taken - common);
        let is_right = given.total() == taken.total() && (1..=Self::MOST).contains(&given.total());
        is_right.then_some(Self { given, taken })
    }

    /// Returns the students that leave the entrance.
    #[inline]
    pub const fn given(self) -> Students {
        self.given
    }

    /// Returns the students that come to the entrance.
    #[inline]
    pub const fn taken(self) -> Students {
        self.taken
    }

    /// Returns the number of students of each side.
    #[inline]
    pub const fn len(self) -> u8 {
        self.given.total()
    }

    /// Always false: an exchange has one to three students.
    pub const fn is_empty(self) -> bool {
        false
    }

    /// Calls a function with every exchange of up to `most` students of `from`, which are given, and `to`, which are
    /// taken.
    #[inline]
    pub(crate) fn for_each(from: Students, to: Students, most: u8, mut call: impl FnMut(Self)) {
        let mut right = [Students::NONE; SETS.len()];
        for size in 1..=most {
            let sets = sets_of(size);
            let mut count = 0;
            for taken in sets.iter().filter(|taken| to.covers(**taken)) {
                right[count] = *taken;
                count += 1;
            }
            for given in sets.iter().filter(|given| from.covers(**given)) {
                for taken in &right[..count] {
                    if given.common(*taken) == Students::NONE {
                        call(Self { given: *given, taken: *taken });
                    }
                }
            }
        }
    }
}

/// Every set of one student, then of two, then of three.
static SETS: [Students; 5 + 15 + 35] = {
    let mut sets = [Students::NONE; 55];
    let (mut next, mut size) = (0, 1);
    while size <= Exchange::MOST {
        // The counts of the first four colours as digits; the last colour is the rest.
        let mut digits = 0u16;
        while digits < 256 {
            #[expect(clippy::cast_possible_truncation, reason = "two bits")]
            let counts =
                [(digits >> 6) as u8 & 3, (digits >> 4) as u8 & 3, (digits >> 2) as u8 & 3, digits as u8 & 3];
            let sum = counts[0] + counts[1] + counts[2] + counts[3];
            if sum <= size {
                sets[next] = Students::new([counts[0], counts[1], counts[2], counts[3], size - sum]);
                next += 1;
            }
            digits += 1;
        }
        size += 1;
    }
    sets
};

fn sets_of(size: u8) -> &'static [Students] {
    match size {
        1 => &SETS[..5],
        2 => &SETS[5..20],
        _ => &SETS[20..],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_sets_are_there_once() {
        for size in 1..=3 {
            let sets = sets_of(size);
            assert!(sets.iter().all(|set| set.total() == size));
            assert!(sets.iter().enumerate().all(|(place, set)| !sets[..place].contains(set)));
        }
    }

    #[test]
    fn an_exchange_names_only_what_changes() {
        let exchange = |given: [u8; 5], taken: [u8; 5]| {
            Exchange::new(Students::new(given), Students::new(taken)).map(|exchange| exchange.len())
        };
        assert_eq!(exchange([2, 0, 0, 0, 1], [1, 2, 0, 0, 0]), Some(2));
        assert_eq!(exchange([3, 0, 0, 0, 0], [0, 3, 0, 0, 0]), Some(3));
        assert_eq!(exchange([4, 0, 0, 0, 0], [0, 4, 0, 0, 0]), None, "four are too many");
        assert_eq!(exchange([1, 0, 0, 0, 0], [0, 2, 0, 0, 0]), None, "the numbers differ");
        assert_eq!(exchange([1, 0, 0, 0, 0], [1, 0, 0, 0, 0]), None, "nothing changes");
        assert_eq!(exchange([0; 5], [0; 5]), None);
    }

    #[test]
    fn every_exchange_is_found_once() {
        let (from, to) = (Students::new([2, 1, 0, 3, 1]), Students::new([1, 0, 2, 3, 0]));
        let mut found = Vec::new();
        Exchange::for_each(from, to, 3, |exchange| found.push(exchange));
        let mut expected = 0;
        for given in SETS.iter().filter(|given| from.covers(**given)) {
            for taken in SETS.iter().filter(|taken| to.covers(**taken)) {
                let exchange = Exchange { given: *given, taken: *taken };
                if Exchange::new(*given, *taken) == Some(exchange) {
                    assert!(found.contains(&exchange));
                    expected += 1;
                }
            }
        }
        assert_eq!(found.len(), expected);
        assert!(found.iter().enumerate().all(|(place, exchange)| !found[..place].contains(exchange)));
    }
}
