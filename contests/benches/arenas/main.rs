//! Prints the tables of the book's page on strategies, on the boards of `contests::project::arenas`: which strategy
//! beats which, how near their games come to the least time, what a liar costs, and how agents spend their time: `cargo
//! xtask bench arenas`. Whether one strategy is stronger than another is the question of `league compare`.
//!
//! Arguments: the number of mirrored pairs (default: 100), then, for other contests, the numbers of the arenas
//! (`0,2`) and line-ups as `FIRST/SECOND`. `--seed=N` plays other games (default: 1), `--jobs=N` uses this many
//! threads. `--actions` prints under each contest the actions of the agents of the first line-up for each put.
//! `--times` prints instead, as a table of the book, the seconds that the agents of the first line-up spent for each
//! real piece that they put into the goal area, by activity.
//! `--mates=aabb` prints a table of mixed teams: the words are then line-ups, and of each two, the row and the column,
//! a team with the seats `a` of the row and the seats `b` of the column plays against a team of the column.
//! The line-up `sighted` sees all pieces and agents, and `telling` also knows what its mates have tried. The line-up
//! `coordinated-1` is the version of `coordinated` with which later ones are compared.

use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::{env, process, thread};

use contests::project::arenas::{Arena, arenas};
use contests::project::contest::{Construct, Tally, constructor, contest_watched};
use game_env::{Seed, SimTime};
use game_project::{ActionKind, Config};
use strategies::project::coordinated::Coordinated;
use strategies::project::liar::Liar;
use strategies::project::registry::{BoxedStrategy, LineUp};

#[path = "../../tests/fixture/coordinated_1/mod.rs"]
mod coordinated_1;
mod sighted;

use coordinated_1::Coordinated1;
use sighted::{Sighted, Truth};

/// A game that lasts longer is decided by points.
const LIMIT: SimTime = game_env::LONGEST_GAME;

/// The agents of a line-up that sees the games.
fn seeing(line_up: &str) -> Option<fn() -> Sighted> {
    match line_up {
        "sighted" => Some(Sighted::default),
        "telling" => Some(Sighted::telling),
        _ => None,
    }
}

/// Settings of the contests, except the line-ups.
#[derive(Clone, Copy)]
struct Contests {
    pairs: u32,
    seed: Seed,
    jobs: NonZeroUsize,
    /// Whether the actions of the agents are printed.
    actions: bool,
    /// Whether the times of the agents are printed, and nothing else.
    times: bool,
    /// Whether a line-up sees the games.
    is_seen: bool,
}

impl Contests {
    fn play(self, config: &Config, constructs: (Construct<'_>, Construct<'_>)) -> Tally {
        let witness = |seed| self.is_seen.then(|| Truth::of(config, seed));
        contest_watched(self.jobs, config, constructs, (self.seed, self.pairs), LIMIT, witness)
    }
}

fn main() -> io::Result<()> {
    let (flags, words): (Vec<String>, Vec<String>) =
        env::args().skip(1).partition(|word| word.starts_with("--"));
    let number = |word: Option<&str>, default: u64| {
        let Some(word) = word else { return default };
        word.parse().unwrap_or_else(|_| {
            eprintln!("error: invalid number `{word}`: expected e.g. 100");
            process::exit(2);
        })
    };
    let flag = |name: &str| flags.iter().find_map(|word| word.strip_prefix(name));
    let cores = thread::available_parallelism().map_or(1, usize::from) as u64;
    let contests = Contests {
        pairs: u32::try_from(number(words.first().map(String::as_str), 100)).unwrap_or(u32::MAX),
        seed: Seed::new(number(flag("--seed="), 1)),
        jobs: usize::try_from(number(flag("--jobs="), cores))
            .ok()
            .and_then(NonZeroUsize::new)
            .unwrap_or(NonZeroUsize::MIN),
        actions: flag("--actions").is_some(),
        times: flag("--times").is_some(),
        is_seen: words.iter().any(|word| word.split('/').any(|name| seeing(name).is_some())),
    };
    let pairs = contests.pairs;
    let arenas = arenas();
    if let [_, places, asked @ ..] = &words[..] {
        let is_asked = |place: usize| places.split(',').any(|word| word == place.to_string());
        let places = arenas.iter().enumerate().filter(|(place, _)| is_asked(*place));
        let mut arenas = places.map(|(_, arena)| arena);
        return match flag("--mates=") {
            Some(seats) => arenas.try_for_each(|arena| mates(arena, contests, asked, seats)),
            None => arenas.try_for_each(|arena| own_contests(arena, contests, asked)),
        };
    }
    println!(
        "\nEach seed twice with the sides swapped, {pairs} pairs; 95 % intervals. `of least` is the median time of a"
    );
    println!(
        "won game as a multiple of what an omniscient team would need; `tries` are real pieces put into the goal"
    );
    println!("area by one agent in an hour, `again` those put where the team had put one before.");
    let mut against_climber = Vec::new();
    for arena in &arenas {
        heading(arena.name);
        for (first, second) in [
            ("greedy", "random"),
            ("climber", "random"),
            ("coordinated", "greedy"),
            ("coordinated", "climber"),
            ("greedy", "climber"),
            ("climber", "climber"),
        ] {
            let [one, other] =
                [first, second].map(|text| Side::read(text).expect("a line-up of the registry"));
            let tally = contests.play(&arena.config, (&*one.construct, &*other.construct));
            if first != second {
                result(&format!("{first} : {second}"), &tally);
                io::stdout().flush()?;
            }
            if second == "climber" {
                against_climber.push((arena.name, first, tally));
            }
        }
    }
    println!("\nOne liar in a team of four, against climbers");
    for arena in arenas.iter().filter(|arena| arena.config.team_size() == 4) {
        heading(arena.name);
        for (name, team) in liars() {
            let climbers: LineUp = "climber".parse().expect("a strategy of the registry");
            let tally = contests.play(&arena.config, (&*team, &constructor(&climbers)));
            result(name, &tally);
            io::stdout().flush()?;
        }
    }
    println!("\nWhat an hour of an agent is spent on, in per cent, in games against climbers\n");
    print!("{:<36} {:<12}", "", "");
    for (name, _) in contests::project::contest::Profile::default().shares() {
        print!(" {name:>11}");
    }
    println!();
    for (arena, name, tally) in against_climber {
        let total: u64 = tally.profile.shares().iter().map(|(_, time)| time).sum();
        print!("{arena:<36} {name:<12}");
        for (_, time) in tally.profile.shares() {
            print!(" {:>11.1}", time as f64 * 100.0 / total.max(1) as f64);
        }
        println!();
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

/// One side of a contest.
struct Side {
    name: String,
    construct: Box<dyn Fn(usize) -> BoxedStrategy + Sync>,
}

impl Side {
    /// A line-up of the registry, or the reference.
    fn read(text: &str) -> Result<Self, String> {
        let name = text.to_owned();
        if text == "coordinated-1" {
            return Ok(Self { name, construct: Box::new(|_| Box::<Coordinated1>::default()) });
        }
        if let Some(agent) = seeing(text) {
            return Ok(Self { name, construct: Box::new(move |_| Box::new(agent())) });
        }
        let line_up: LineUp = text.parse().map_err(|error| format!("{error}"))?;
        Ok(Self { name, construct: Box::new(move |place| line_up.construct(place)) })
    }
}

fn own_contests(arena: &Arena, contests: Contests, asked: &[String]) -> io::Result<()> {
    if contests.times {
        times_heading(arena.name);
    } else {
        heading(arena.name);
    }
    for words in asked {
        let sides: Result<Vec<Side>, String> = words.split('/').map(Side::read).collect();
        match sides.map(<[Side; 2]>::try_from) {
            Ok(Ok(sides)) => row(&arena.config, &sides, contests)?,
            Ok(Err(_)) => eprintln!("error: `{words}`: expected two line-ups, e.g. greedy/random"),
            Err(error) => eprintln!("error: `{words}`: {error}"),
        }
    }
    Ok(())
}

/// Prints a table of mixed teams: each row with each column, against a team of the column.
fn mates(arena: &Arena, contests: Contests, names: &[String], seats: &str) -> io::Result<()> {
    println!("\n| {} | {} |\n|---{}|", arena.name, names.join(" | "), "|---".repeat(names.len()));
    for row in names {
        print!("| {row} |");
        for column in names {
            if row == column {
                print!(" — |");
                continue;
            }
            let team = seats.chars().map(|seat| if seat == 'a' { row.as_str() } else { column });
            match (Side::read(&team.collect::<Vec<_>>().join("+")), Side::read(column)) {
                (Ok(one), Ok(other)) => {
                    let tally = contests.play(&arena.config, (&*one.construct, &*other.construct));
                    print!(" {:.0} |", tally.score().0 * 100.0);
                }
                (Err(error), _) | (_, Err(error)) => {
                    eprintln!("error: `{row}` and `{column}`: {error}");
                    process::exit(2);
                }
            }
            io::stdout().flush()?;
        }
        println!();
    }
    Ok(())
}

fn heading(name: &str) {
    println!("\n{name:<36}    won drawn  lost  points  95 % interval   of least   tries  again");
}

fn row(config: &Config, [first, second]: &[Side; 2], contests: Contests) -> io::Result<()> {
    let tally = contests.play(config, (&*first.construct, &*second.construct));
    if contests.times {
        times(&first.name, &tally);
        return io::stdout().flush();
    }
    result(&format!("{} : {}", first.name, second.name), &tally);
    if contests.actions {
        actions(&tally);
    }
    io::stdout().flush()
}

/// Prints the actions of the agents of the first line-up, for each put.
fn actions(tally: &Tally) {
    let counts = &tally.counts;
    let time: u64 = tally.profile.shares().iter().map(|(_, time)| time).sum();
    let puts = f64::from(counts.granted.of(ActionKind::Put).max(1));
    let done = |kind| f64::from(counts.granted.of(kind)) / puts;
    println!(
        "    puts/s {:.2}, for each: moves {:.1}, blocked {:.1}, discoveries {:.1}, questions {:.2}, goals {:.2}; \
         checks/piece {:.2}; waiting {:.0} %",
        puts * 1000.0 / time.max(1) as f64,
        done(ActionKind::Move),
        f64::from(counts.refused.of(ActionKind::Move)) / puts,
        done(ActionKind::Discover),
        done(ActionKind::Ask),
        f64::from(counts.goals) / puts,
        f64::from(counts.granted.of(ActionKind::Check)) / f64::from(counts.pieces.max(1)),
        tally.profile.waiting as f64 * 100.0 / time.max(1) as f64
    );
}

fn times_heading(name: &str) {
    print!("\n| {name} |");
    let shares = contests::project::contest::Profile::default().shares();
    shares.iter().for_each(|(name, _)| print!(" {name} |"));
    println!("\n|---|{}", "---|".repeat(shares.len()));
}

/// Prints a row of the times of the agents of the first line-up by activity, in seconds for each try.
fn times(name: &str, tally: &Tally) {
    print!("| `{name}` |");
    let tries = tally.profile.tries.max(1) as f64;
    tally.profile.shares().iter().for_each(|(_, time)| print!(" {:.3} |", *time as f64 / 1000.0 / tries));
    println!();
}

fn result(name: &str, tally: &Tally) {
    let (mean, low, high) = tally.score();
    let [won, drawn, lost] = tally.games;
    let ratio = tally.median_ratio().map_or_else(|| "-".to_owned(), |ratio| format!("×{ratio:.1}"));
    let time: u64 = tally.profile.shares().iter().map(|(_, time)| time).sum();
    let tries = tally.profile.tries;
    println!(
        "{name:<36} {won:>6} {drawn:>5} {lost:>5} {:>6.1} % {:>5.1} to {:>5.1} % {ratio:>9} {:>7.1} {:>4.0} %",
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
