//! Prints how a simulated cluster of 1,000 workers plays a million matches: `cargo bench -p league-dist --bench
//! cluster`.
//!
//! Workers have speeds from a half to double, die and are cut off. Each match must be scored exactly once. The ideal is
//! the time in which the same workers play the same matches without faults and without a pause.
//!
//! Arguments: the number of matches (default: 1,000,000), then the seed (default: 1).

use std::time::Instant;
use std::{env, process};

use game_env::Millis;

#[path = "../tests/cluster/mod.rs"]
mod cluster;

use cluster::{Cluster, play};

fn main() {
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let number = |place: usize, default: u32| {
        words.get(place).map_or(default, |word| {
            word.parse().ok().filter(|number| *number > 1).unwrap_or_else(|| {
                eprintln!("error: `{word}`: expected the number of matches, then the seed");
                process::exit(2)
            })
        })
    };
    let (matches, seed) = (number(0, 1_000_000), number(1, 1));
    let calm = Millis::new(1_000_000_000);
    println!("{matches} matches of 1 s on average, 1,000 workers of half to double speed, seed {seed}\n");
    println!("{:<44} {:>9} {:>9} {:>8} {:>9}", "faults", "time", "ideal", "ratio", "played");
    for (name, every) in [("none", calm), ("a death and a partition every 10 minutes", Millis::new(600_000))]
    {
        let begun = Instant::now();
        let report = play(Cluster {
            seed: seed.into(),
            workers: 1_000,
            sets: matches.div_ceil(2),
            match_time: Millis::new(1_000),
            death_every: every,
            partition_every: every,
            poison: None,
            restart: false,
        });
        assert!(report.stored.iter().all(|times| *times == 1), "a match was not scored exactly once");
        assert_eq!(report.points[0], report.points[1], "the points differ from those of a league in order");
        let ratio = report.end.as_millis() as f64 / report.ideal.as_millis() as f64;
        println!(
            "{name:<44} {:>9} {:>9} {ratio:>8.3} {:>9}   {} deaths, {} partitions; simulated in {:.1} s",
            report.end.to_string(),
            report.ideal.to_string(),
            report.played,
            report.faults.0,
            report.faults.1,
            begun.elapsed().as_secs_f64()
        );
    }
}
