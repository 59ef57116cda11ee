//! The results that a coordinator verifies, sans-IO: a sample of each worker's, which no worker can know.
//!
//! The results of a worker form blocks of 1, 2, 4, … results, up to blocks of `every`. One result of each block is
//! verified, drawn from a seed that only the coordinator has. So the first result of a worker is always verified,
//! several of its first chunks have a verified result, and later one in `every` is.
//!
//! It plays nothing: see [`verify`](crate::verify).

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use game_env::{Digest, Seed};

use crate::dispatch::WorkerName;

/// Chooses the results to verify.
#[derive(Clone, Debug)]
pub struct Sample {
    seed: Seed,
    every: NonZeroU32,
    workers: BTreeMap<WorkerName, Block>,
}

/// The current block of a worker.
#[derive(Clone, Copy, Debug)]
struct Block {
    index: u64,
    length: u32,
    /// Number of results of the block so far.
    seen: u32,
    /// The place of the result that is verified, from 0.
    chosen: u32,
}

impl Sample {
    /// Creates a sample of one result in `every`. No worker may know the seed.
    pub fn new(seed: Seed, every: NonZeroU32) -> Self {
        Self { seed, every, workers: BTreeMap::new() }
    }

    /// Counts one more result of this worker, and returns whether it is to be verified.
    pub fn takes(&mut self, worker: &WorkerName) -> bool {
        let Self { seed, every, workers } = self;
        let seed = of_worker(*seed, worker);
        let block = workers.entry(worker.clone()).or_insert_with(|| Block::new(seed, 0, 1));
        if block.seen == block.length {
            let length = block.length.saturating_mul(2).min(every.get());
            *block = Block::new(seed, block.index + 1, length);
        }
        block.seen += 1;
        block.seen - 1 == block.chosen
    }
}

impl Block {
    fn new(seed: Seed, index: u64, length: u32) -> Self {
        Self { index, length, seen: 0, chosen: seed.child(index).game().below(length) }
    }
}

/// Returns the seed of the choices among the results of one worker.
fn of_worker(seed: Seed, worker: &WorkerName) -> Seed {
    let mut digest = Digest::new();
    digest.u64(seed.get());
    digest.bytes(worker.as_str().as_bytes());
    Seed::new(digest.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(seed: u64, every: u32, worker: &str, count: usize) -> Vec<usize> {
        let mut sample = Sample::new(Seed::new(seed), NonZeroU32::new(every).unwrap());
        let worker = WorkerName::from(worker.to_owned());
        // Results of others do not count.
        let other = WorkerName::from("other".to_owned());
        (0..count).filter(|_| [sample.takes(&worker), sample.takes(&other)][0]).collect()
    }

    #[test]
    fn the_first_results_are_verified_often_and_later_one_in_so_many() {
        for seed in 0..50 {
            let chosen = chosen(seed, 50, "ann", 1 + 2 + 4 + 8 + 16 + 32 + 50 * 20);
            let blocks = [1, 2, 4, 8, 16, 32].into_iter().chain([50; 20]);
            assert_eq!(chosen.len(), 26);
            let mut begin = 0;
            for (place, length) in chosen.iter().zip(blocks) {
                assert!((begin..begin + length).contains(place), "{seed}: {place} from {begin}, {length}");
                begin += length;
            }
        }
    }

    #[test]
    fn a_worker_cannot_know_which() {
        let of = |seed, worker| chosen(seed, 50, worker, 2_000);
        assert_eq!(of(1, "ann"), of(1, "ann"), "equal seeds give equal samples");
        assert_ne!(of(1, "ann"), of(2, "ann"));
        assert_ne!(of(1, "ann"), of(1, "bob"));
        // Every place of a block is chosen by some seed.
        let places: std::collections::BTreeSet<usize> = (0..200).map(|seed| of(seed, "ann")[3]).collect();
        assert_eq!(places.into_iter().collect::<Vec<_>>(), (7..15).collect::<Vec<_>>());
    }

    #[test]
    fn every_result_can_be_verified() {
        assert_eq!(chosen(3, 1, "ann", 5), [0, 1, 2, 3, 4]);
    }
}
