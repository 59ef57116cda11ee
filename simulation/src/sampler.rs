//! Draws the conditions of each run's network from its seed.

use std::ops::RangeInclusive;
use std::time::Duration;

use game_env::Chance;

use crate::network::Conditions;

/// Quality of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quality {
    /// No delay, no faults.
    Ideal,
    /// Short delays, bytes in any pieces.
    Ordinary,
    /// Long delays, slow readers, partitions.
    Bad,
}

/// A source of random numbers with the ranges that scenarios are drawn from.
#[derive(Debug)]
pub struct Sampler(Chance);

impl Sampler {
    /// Draws from this.
    pub fn new(chance: Chance) -> Self {
        Self(chance)
    }

    /// Returns a place in a table of this length.
    pub fn index(&mut self, length: usize) -> usize {
        self.0.index(length)
    }

    /// Puts items into any order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        self.0.shuffle(items);
    }

    /// Returns a number below this one.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.0.below(bound)
    }

    /// True with this probability.
    pub fn happens(&mut self, probability: f64) -> bool {
        self.0.happens(probability)
    }

    /// Returns a whole number in this range.
    pub fn whole(&mut self, range: RangeInclusive<i64>) -> i64 {
        let width = u32::try_from(range.end() - range.start() + 1).expect("ranges are short");
        range.start() + i64::from(self.below(width))
    }

    /// Returns a span in this range of microseconds.
    pub fn micros(&mut self, range: RangeInclusive<u64>) -> Duration {
        let width = u32::try_from(range.end() - range.start() + 1).expect("spans are below an hour");
        Duration::from_micros(range.start() + u64::from(self.below(width)))
    }

    /// Returns a span in this range of milliseconds, in steps of a microsecond.
    pub fn millis(&mut self, range: RangeInclusive<u64>) -> Duration {
        self.micros(range.start() * 1000..=range.end() * 1000)
    }

    /// Returns a probability between 0 and this one.
    pub fn share(&mut self, most: f64) -> f64 {
        f64::from(self.below(1000)) / 1000.0 * most
    }

    /// Draws the quality of the network of a run.
    pub fn quality(&mut self) -> Quality {
        match self.below(10) {
            0 | 1 => Quality::Ideal,
            2..=5 => Quality::Ordinary,
            _ => Quality::Bad,
        }
    }

    /// Draws the conditions of a link of such a network; partitions begin until a second after `stop`.
    pub fn link(&mut self, quality: Quality, stop: Duration) -> Conditions {
        let ordinary = match quality {
            Quality::Ideal => return Conditions::default(),
            Quality::Ordinary | Quality::Bad => {
                let least = self.micros(0..=2_000);
                Conditions {
                    delay: (least, least + self.micros(0..=3_000)),
                    split: self.share(0.6),
                    merge: self.share(0.6),
                    partial: self.share(0.6),
                    ..Conditions::default()
                }
            }
        };
        if quality == Quality::Ordinary {
            return ordinary;
        }
        let least = self.millis(0..=80);
        // However slow, it has read a full window long before the run must have ended.
        let reading = self.happens(0.1).then(|| (20 + self.index(400), self.millis(1..=300)));
        let mut partitions = Vec::new();
        while self.happens(0.3) && partitions.len() < 3 {
            let from = self.millis(0..=u64::try_from(stop.as_millis()).expect("runs are short") + 1_000);
            // Now and then longer than any limit on silence.
            let longest = if self.happens(0.2) { 40_000 } else { 2_000 };
            partitions.push(from..from + self.millis(1..=longest));
        }
        Conditions {
            delay: (least, least + self.millis(0..=200)),
            window: if reading.is_some() || self.happens(0.2) { 100 + self.index(3_000) } else { 1 << 16 },
            partitions,
            reading,
            ..ordinary
        }
    }

    /// Returns the link of a client that reads more slowly than others write to it.
    pub fn slow_reader(&mut self) -> Conditions {
        Conditions {
            window: 200 + self.index(2_000),
            reading: Some((20 + self.index(400), self.millis(1..=100))),
            ..Conditions::default()
        }
    }
}
