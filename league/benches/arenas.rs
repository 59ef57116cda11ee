//! Prints the tables of the book's page on strategies, on the boards of `league::project::arenas`: which strategy beats
//! which, how near their games come to the least time, what a liar costs, and how agents spend their time: `cargo xtask
//! bench arenas`. Whether one strategy is stronger than another is the question of `league compare`.
//!
//! Arguments: the number of mirrored pairs (default: 100), then, for other contests, the numbers of the arenas
//! (`0,2`) and line-ups as `FIRST:SECOND`.

use std::io::{self, Write};
use std::{env, process};

use bots::project::coordinated::Coordinated;
use bots::project::liar::Liar;
use bots::project::registry::{BoxedStrategy, Lineup};
use game_env::{Seed, SimTime};
use game_project::Config;
use league::project::arenas::{Arena, arenas};
use league::project::contest::{Construct, Tally, contest, lineup};

/// A game that lasts longer is decided by points.
const LIMIT: SimTime = game_env::LONGEST_GAME;

fn main() -> io::Result<()> {
    let words: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let pairs = words.first().map_or(Ok(100), |word| word.parse());
    let Ok(pairs) = pairs else {
        eprintln!("error: `{}`: expected the number of pairs, e.g. 100", words[0]);
        process::exit(2);
    };
    let arenas = arenas();
    if let [_, places, contests @ ..] = &words[..] {
        return own_contests(&arenas, pairs, places, contests);
    }
    println!(
        "\nEach seed twice with the sides swapped, {pairs} pairs; 95 % intervals. `of least` is the median time of a"
    );
    println!(
        "won game as a multiple of what an omniscient team would need; `tries` are real pieces put into the goal"
    );
    println!("area by one agent in an hour, `again` those put where the team had put one before.");
    for arena in &arenas {
        heading(arena.name);
        for (first, second) in [
            ("greedy", "random"),
            ("climber", "random"),
            ("coordinated", "greedy"),
            ("coordinated", "climber"),
            ("greedy", "climber"),
        ] {
            let lineups = [first, second].map(|text| text.parse().expect("a line-up of the registry"));
            row(&arena.config, &lineups, pairs)?;
        }
    }
    println!("\nOne liar in a team of four, against climbers");
    for arena in arenas.iter().filter(|arena| arena.config.team_size() == 4) {
        heading(arena.name);
        for (name, team) in liars() {
            let climbers: Lineup = "climber".parse().expect("a strategy of the registry");
            let tally = contest(&arena.config, (&*team, &lineup(&climbers)), Seed::new(1), pairs, LIMIT);
            result(name, &tally);
        }
    }
    println!("\nWhat an hour of an agent is spent on, in per cent, in games against climbers\n");
    print!("{:<26} {:<12}", "", "");
    for (name, _) in league::project::contest::Profile::default().shares() {
        print!(" {name:>11}");
    }
    println!();
    for arena in &arenas {
        for name in ["climber", "greedy", "coordinated"] {
            let lineups: [Lineup; 2] = [name, "climber"].map(|text| text.parse().expect("a line-up"));
            let [first, second] = &lineups;
            let tally = contest(&arena.config, (&lineup(first), &lineup(second)), Seed::new(1), pairs, LIMIT);
            let total: u64 = tally.profile.shares().iter().map(|(_, time)| time).sum();
            print!("{:<26} {name:<12}", arena.name);
            for (_, time) in tally.profile.shares() {
                print!(" {:>11.1}", time as f64 * 100.0 / total.max(1) as f64);
            }
            println!();
        }
    }
    Ok(())
}

/// Teams of four with and without a liar, by how far the others believe it.
fn liars() -> [(&'static str, Team); 4] {
    let wary: fn() -> Coordinated = Coordinated::default;
    let credulous: fn() -> Coordinated = Coordinated::credulous;
    [
        ("coordinated*4", team(wary, 4)),
        ("coordinated*3+liar", team(wary, 3)),
        ("credulous*4", team(credulous, 4)),
        ("credulous*3+liar", team(credulous, 3)),
    ]
}

type Team = Box<dyn Fn(usize) -> BoxedStrategy + Sync>;

/// A team whose first agents are honest and whose others are liars.
fn team(honest: fn() -> Coordinated, count: usize) -> Team {
    Box::new(move |place| if place < count { Box::new(honest()) } else { Box::<Liar>::default() })
}

fn own_contests(arenas: &[Arena], pairs: u32, places: &str, contests: &[String]) -> io::Result<()> {
    for (place, arena) in arenas.iter().enumerate() {
        if !places.split(',').any(|word| word == place.to_string()) {
            continue;
        }
        heading(arena.name);
        for words in contests {
            let lineups: Option<Vec<Lineup>> = words.split(':').map(|word| word.parse().ok()).collect();
            match lineups.map(<[Lineup; 2]>::try_from) {
                Some(Ok(lineups)) => row(&arena.config, &lineups, pairs)?,
                _ => eprintln!("error: `{words}`: expected two line-ups, e.g. greedy:random"),
            }
        }
    }
    Ok(())
}

fn heading(name: &str) {
    println!("\n{name:<28}    won drawn  lost  points  95 % interval   of least   tries  again");
}

fn row(config: &Config, [first, second]: &[Lineup; 2], pairs: u32) -> io::Result<()> {
    let constructs: (Construct<'_>, Construct<'_>) = (&lineup(first), &lineup(second));
    let tally = contest(config, constructs, Seed::new(1), pairs, LIMIT);
    result(&format!("{first} : {second}"), &tally);
    io::stdout().flush()
}

fn result(name: &str, tally: &Tally) {
    let (mean, low, high) = tally.score();
    let [won, drawn, lost] = tally.games;
    let ratio = tally.median_ratio().map_or_else(|| "-".to_owned(), |ratio| format!("×{ratio:.1}"));
    let time: u64 = tally.profile.shares().iter().map(|(_, time)| time).sum();
    let tries = tally.profile.tries;
    println!(
        "{name:<28} {won:>6} {drawn:>5} {lost:>5} {:>6.1} % {:>5.1} to {:>5.1} % {ratio:>9} {:>7.1} {:>4.0} %",
        mean * 100.0,
        low * 100.0,
        high * 100.0,
        tries as f64 * 3_600_000.0 / time.max(1) as f64,
        tally.profile.repeated as f64 * 100.0 / tries.max(1) as f64
    );
    if let Some(blunder) = tally.blunders.first() {
        println!("{} blunders; the first: {blunder}", tally.blunders.len());
    }
}
