//! Colours of students, and counts of students of each colour.

use std::ops::{Add, AddAssign, Index, IndexMut, Sub, SubAssign};

use game_env::Chance;

/// A colour of students, in the order of tables. Each has one professor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Color {
    /// Yellow: gnomes.
    Yellow,
    /// Blue: unicorns.
    Blue,
    /// Green: frogs.
    Green,
    /// Red: dragons.
    Red,
    /// Pink: fairies.
    Pink,
}

impl Color {
    /// The number of colours.
    pub const COUNT: usize = Self::ALL.len();

    /// Returns the place in a table.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// A number of students of each colour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Students([u8; Color::COUNT]);

impl Students {
    /// No students.
    pub const NONE: Self = Self([0; Color::COUNT]);

    /// Creates students in these numbers, in the order of [`Color::ALL`].
    pub const fn new(counts: [u8; Color::COUNT]) -> Self {
        Self(counts)
    }

    /// Returns the same number of each colour.
    pub const fn each(count: u8) -> Self {
        Self([count; Color::COUNT])
    }

    /// Returns the counts, in the order of [`Color::ALL`].
    pub const fn counts(self) -> [u8; Color::COUNT] {
        self.0
    }

    /// Returns the number of all students.
    #[inline]
    pub const fn total(self) -> u8 {
        let [yellow, blue, green, red, pink] = self.0;
        yellow + blue + green + red + pink
    }

    /// Returns whether there are none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Returns whether there is one of this colour.
    #[inline]
    pub const fn has(self, color: Color) -> bool {
        self.0[color as usize] > 0
    }

    /// Returns whether all of these students are among them.
    #[inline]
    pub fn covers(self, others: Self) -> bool {
        self.0.iter().zip(others.0).all(|(own, other)| *own >= other)
    }

    /// Returns the colours of which there are students, in the order of [`Color::ALL`].
    pub fn colors(self) -> impl Iterator<Item = Color> {
        Color::ALL.into_iter().filter(move |color| self.has(*color))
    }

    /// Returns every student by its colour, in the order of [`Color::ALL`].
    pub fn each_student(self) -> impl Iterator<Item = Color> {
        Color::ALL.into_iter().flat_map(move |color| (0..self[color]).map(move |_| color))
    }

    /// Returns the students that both have.
    #[inline]
    pub(crate) fn common(self, other: Self) -> Self {
        Self(std::array::from_fn(|color| self.0[color].min(other.0[color])))
    }

    /// Takes out one student, all equally likely; `None` if there are none.
    #[inline]
    pub(crate) fn draw(&mut self, chance: &mut Chance) -> Option<Color> {
        let total = self.total();
        if total == 0 {
            return None;
        }
        let mut place = chance.below(total.into());
        for color in Color::ALL {
            let count = u32::from(self[color]);
            if place < count {
                self[color] -= 1;
                return Some(color);
            }
            place -= count;
        }
        unreachable!("the number was below the sum of all counts")
    }

    /// Takes out this number of students, or all if there are fewer.
    pub(crate) fn draw_many(&mut self, number: u8, chance: &mut Chance) -> Self {
        let mut drawn = Self::NONE;
        for _ in 0..number {
            let Some(color) = self.draw(chance) else { break };
            drawn[color] += 1;
        }
        drawn
    }
}

impl Index<Color> for Students {
    type Output = u8;

    #[inline]
    fn index(&self, color: Color) -> &u8 {
        &self.0[color as usize]
    }
}

impl IndexMut<Color> for Students {
    #[inline]
    fn index_mut(&mut self, color: Color) -> &mut u8 {
        &mut self.0[color as usize]
    }
}

impl Add for Students {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|color| self.0[color] + other.0[color]))
    }
}

impl AddAssign for Students {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// # Panics
///
/// If some of these students are not among them.
impl Sub for Students {
    type Output = Self;

    #[inline]
    fn sub(self, other: Self) -> Self {
        let left = |color: usize| self.0[color].checked_sub(other.0[color]).expect("they are there");
        Self(std::array::from_fn(left))
    }
}

impl SubAssign for Students {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl FromIterator<Color> for Students {
    fn from_iter<I: IntoIterator<Item = Color>>(colors: I) -> Self {
        let mut students = Self::NONE;
        colors.into_iter().for_each(|color| students[color] += 1);
        students
    }
}

#[cfg(test)]
mod tests {
    use game_env::Seed;

    use super::*;

    #[test]
    fn a_draw_takes_each_student_once_and_all_equally_often() {
        let bag = Students::new([3, 0, 1, 0, 2]);
        let mut first = Students::NONE.counts().map(u32::from);
        for seed in 0..6_000 {
            let (mut left, mut chance) = (bag, Seed::new(seed).game());
            first[left.draw(&mut chance).unwrap().index()] += 1;
            assert_eq!(left.total(), 5);
            assert_eq!(left.draw_many(9, &mut chance).total(), 5);
            assert_eq!((left, left.draw(&mut chance)), (Students::NONE, None));
        }
        // Five standard deviations of a binomial with n = 6,000 and p = 1/2 are 194.
        let even = [3_000, 0, 1_000, 0, 2_000u32];
        assert!(first.iter().zip(even).all(|(drawn, even)| drawn.abs_diff(even) < 194), "{first:?}");
    }

    #[test]
    fn counts_are_added_and_compared_colour_by_colour() {
        let some = Students::new([1, 2, 0, 0, 3]);
        assert_eq!(some + Students::each(1), Students::new([2, 3, 1, 1, 4]));
        assert!(some.covers(Students::new([1, 0, 0, 0, 3])) && !some.covers(Students::new([0, 0, 1, 0, 0])));
        assert_eq!(some.common(Students::each(1)), Students::new([1, 1, 0, 0, 1]));
        assert_eq!(some.each_student().collect::<Students>(), some);
        assert_eq!(some.colors().collect::<Vec<_>>(), [Color::Yellow, Color::Blue, Color::Pink]);
        assert!(std::panic::catch_unwind(|| some - Students::each(1)).is_err());
    }
}
