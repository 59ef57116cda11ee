//! Shows: statistics over many games in process: how long games last, as quantiles and as a plot.
//! Run it: `cargo run --release -p examples --bin e15_thousand_games -- 1000`; the number of games is the argument.

use std::num::NonZeroUsize;
use std::thread;

use sdk::local::{self, Config, Preset};
use sdk::prelude::*;
use strategies::project::registry::LineUp;

/// The width of the longest bar of the plot, in characters.
const WIDTH: usize = 50;

/// The number of bars.
const BARS: usize = 12;

/// Returns the game time of each game with a winner, in seconds, in the order of the seeds.
fn durations(config: &Config, games: u64) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let line_up: LineUp = "greedy".parse()?;
    let play = |seed: u64| {
        let played = local::play(config, Seed::new(seed), |_agent, _team| line_up.construct(0));
        played.winner().map(|_| played.episode.time.as_millis() as f64 / 1_000.0)
    };
    // Each thread plays every n-th seed. A game depends on its seed alone, so the result does not depend on the
    // threads.
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let mut played: Vec<(u64, Option<f64>)> = thread::scope(|scope| {
        let start = |first: usize| {
            let seeds = (first as u64..games).step_by(threads);
            scope.spawn(move || seeds.map(|seed| (seed, play(seed))).collect::<Vec<_>>())
        };
        let workers: Vec<_> = (0..threads).map(start).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a game does not panic")).collect()
    });
    played.sort_by_key(|(seed, _)| *seed);
    Ok(played.into_iter().filter_map(|(_, duration)| duration).collect())
}

/// Returns a bar for each interval of equal length, with the number of values in it.
fn plot(sorted: &[f64]) -> String {
    let (Some(least), Some(greatest)) = (sorted.first(), sorted.last()) else { return String::new() };
    let length = ((greatest - least) / BARS as f64).max(f64::MIN_POSITIVE);
    let border = |bar: usize| least + bar as f64 * length;
    let count = |bar: usize| {
        let before = |limit: f64| sorted.partition_point(|value| *value < limit);
        let end = if bar + 1 == BARS { sorted.len() } else { before(border(bar + 1)) };
        end - before(border(bar))
    };
    let counts: Vec<usize> = (0..BARS).map(count).collect();
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let line = |(bar, count): (usize, &usize)| {
        let line = format!("{:7.1} s |{:<WIDTH$} {count}", border(bar), "#".repeat(count * WIDTH / most));
        line + "\n"
    };
    counts.iter().enumerate().map(line).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let games = std::env::args().nth(1).map_or(Ok(1_000), |count| count.parse())?;
    let config = Preset::Quick.config();
    let mut sorted = durations(&config, games)?;
    sorted.sort_by(f64::total_cmp);
    println!("{} of {games} games of greedy against greedy were won", sorted.len());
    if sorted.is_empty() {
        return Ok(());
    }
    // To the nearest game.
    let quantile = |tenths: usize| sorted[((sorted.len() - 1) * tenths + 5) / 10];
    let [tenth, median, ninetieth] = [1, 5, 9].map(quantile);
    println!(
        "half of them took less than {median:.1} s, a tenth less than {tenth:.1} s, nine tenths less than {ninetieth:.1} s"
    );
    print!("{}", plot(&sorted));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_a_bar() {
        let plotted = plot(&[1.0, 2.0, 2.1, 13.0]);
        let counts: Vec<usize> =
            plotted.lines().filter_map(|line| line.split_whitespace().last()?.parse().ok()).collect();
        assert_eq!((counts.len(), counts.iter().sum::<usize>()), (BARS, 4), "{plotted}");
        assert_eq!((counts[0], counts[1], counts[BARS - 1]), (1, 2, 1), "{plotted}");
    }
}
