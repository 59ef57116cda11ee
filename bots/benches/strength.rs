//! Prints who beats whom, and what everyone spends its time on: `cargo xtask bench strength`.

use std::env;

use bots::contest::{Tally, contest, lineup};
use bots::registry::Lineup;
use game_env::{Seed, SimTime};
use game_project::{Config, RawConfig};

/// The configurations, each at the penalties of the source and with cheap moves.
fn arenas() -> Vec<(&'static str, RawConfig)> {
    let source = RawConfig::default();
    let quick = RawConfig {
        board_x: 8,
        board_y: 14,
        goal_area_height: 3,
        number_of_goals: 3,
        number_of_pieces: 6,
        team_size: 2,
        sham_piece_probability: 0.2,
        ..source.clone()
    };
    let wide = RawConfig {
        board_x: 12,
        board_y: 24,
        goal_area_height: 4,
        number_of_goals: 6,
        number_of_pieces: 8,
        team_size: 4,
        sham_piece_probability: 0.3,
        ..source.clone()
    };
    let cheap = |raw: &RawConfig| RawConfig {
        move_penalty: 100,
        information_exchange_penalty: 200,
        discovery_penalty: 400,
        put_penalty: 100,
        check_for_sham_penalty: 300,
        destroy_piece_penalty: 100,
        ..raw.clone()
    };
    vec![
        ("quick", quick.clone()),
        ("quick, cheap moves", cheap(&quick)),
        ("12×24, 4 v 4", wide.clone()),
        ("12×24, 4 v 4, cheap moves", cheap(&wide)),
        ("40×40, 2 v 2", source.clone()),
        ("40×40, 2 v 2, cheap moves", cheap(&source)),
        ("40×40, 4 v 4", RawConfig { team_size: 4, ..source }),
    ]
}

fn main() {
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let pairs: u32 = words.first().and_then(|word| word.parse().ok()).unwrap_or(50);
    let only: Vec<&str> = words.get(1).map_or(Vec::new(), |word| word.split(',').collect());
    let matches: Vec<(Lineup, Lineup)> = words
        .iter()
        .skip(2)
        .map(|word| {
            let (first, second) = word.split_once(':').expect("FIRST:SECOND");
            (first.parse().expect("a line-up"), second.parse().expect("a line-up"))
        })
        .collect();
    for (place, (name, raw)) in arenas().into_iter().enumerate() {
        if !only.is_empty() && !only.contains(&place.to_string().as_str()) {
            continue;
        }
        let config: Config = raw.check().expect("the arenas can be played");
        println!("\n{name}");
        for (first, second) in &matches {
            let begun = std::time::Instant::now();
            let limit = SimTime::from_millis(12 * 3_600_000);
            let tally = contest(&config, (&lineup(first), &lineup(second)), Seed::new(1), pairs, limit);
            print(&format!("{first} : {second}"), &tally);
            println!("   {:.1} s", begun.elapsed().as_secs_f64());
        }
    }
}

fn print(name: &str, tally: &Tally) {
    let (mean, low, high) = tally.score();
    let [won, drawn, lost] = tally.games;
    let ratio = tally.median_ratio().map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.1}"));
    print!(
        "  {name:<26} {won:>5} {drawn:>4} {lost:>5}  {:5.1} % [{:.1}, {:.1}]  ×{ratio}",
        mean * 100.0,
        low * 100.0,
        high * 100.0
    );
    let total: u64 = tally.profile.shares().iter().map(|(_, time)| time).sum();
    for (name, time) in tally.profile.shares() {
        print!("  {name} {:.0}", time as f64 * 100.0 / total.max(1) as f64);
    }
    print!(
        "  | tries/h {:.2} repeated {:.0} %",
        tally.profile.tries as f64 * 3_600_000.0 / total.max(1) as f64,
        tally.profile.repeated as f64 * 100.0 / tally.profile.tries.max(1) as f64
    );
    if !tally.blunders.is_empty() {
        print!("  BLUNDERS {}\n{}", tally.blunders.len(), tally.blunders[0]);
    }
}
