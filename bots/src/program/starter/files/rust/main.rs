//! Plays the agent: in this process, in a comparison, in one of its games again, as a program that
//! `bots` and `league` start, or on a server.

use std::error::Error;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Write};
use std::num::NonZeroU64;
use std::process::ExitCode;

use strategies::project::registry::{BoxedStrategy, LineUp};
use contests::project::comparison::{Comparison, Side};
use my_agent::Mine;
use sdk::agent::Agent;
use sdk::local::{self, Config, Preset};
use sdk::prelude::*;

// To compare with an earlier version of your own: `cp src/lib.rs src/v1.rs`, remove the `//` of the
// next line and of the line with `v1` in `opponent`, and let OPPONENT be "v1".
// mod v1;

/// The line-up that the agent meets: `bots list` has the strategies.
const OPPONENT: &str = "greedy";

/// The board and its rules: `bots presets` has them.
const BOARD: Preset = Preset::Quick;

const USAGE: &str = "\
usage: my-agent [SEED]                   a game in this process
       my-agent compare PAIRS [SEED]     is it stronger than its opponent? At most this many pairs of games
       my-agent lost SEED TEAM           one of these games again, by its seed and the team that your agent had:
                                         a replay, and each decision as text
       my-agent agent                    a program for `bots` and `league`, which start it
       my-agent HOST:PORT TEAM           a game on a server";

fn main() -> ExitCode {
    sdk::quiet_hook(); // a panic of the strategy costs a turn, and is told with the result
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        [] => play("7"),
        ["-h" | "--help"] => say(USAGE),
        ["compare", pairs] => compare(pairs, "1"),
        ["compare", pairs, seed] => compare(pairs, seed),
        ["lost", seed, team] => lost(seed, team),
        ["agent"] => answer(),
        [seed] if seed.parse::<Seed>().is_ok() => play(seed),
        [server, team] if server.contains(':') => join(server, team),
        _ => Err(format!("cannot read the arguments `{}`\n{USAGE}", words.join(" ")).into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints a text with a line end. If nobody reads it any more, that is an error.
fn say(text: impl Display) -> Result<(), Box<dyn Error>> {
    Ok(writeln!(io::stdout(), "{text}")?)
}

/// A fresh agent for each place of the team.
fn mine(_place: usize) -> BoxedStrategy {
    Box::new(Mine::default())
}

/// The opponent's strategy at this place of its team.
fn opponent(place: usize) -> BoxedStrategy {
    // if OPPONENT == "v1" { return Box::new(v1::Mine::default()); }
    let line_up: LineUp = OPPONENT
        .parse()
        .unwrap_or_else(|error| panic!("OPPONENT: {error}"));
    line_up.construct(place)
}

/// The agent and its opponent.
fn comparison(board: &Config) -> Comparison<'_> {
    let own = Side {
        name: env!("CARGO_PKG_NAME"),
        construct: &mine,
    };
    Comparison::new(
        board,
        own,
        Side {
            name: OPPONENT,
            construct: &opponent,
        },
    )
}

/// Plays a game in this process. The seed decides the game.
fn play(seed: &str) -> Result<(), Box<dyn Error>> {
    let mut others = 0;
    let played = local::play(&BOARD.config(), seed.parse()?, |_agent, team| {
        if team == Team::Red {
            return mine(0);
        }
        others += 1;
        opponent(others - 1)
    });
    say(played)
}

/// Plays pairs of games with the sides swapped, until it is clear which is the stronger. The seed
/// decides all games. If one of them wins every game, that is clear after 129 pairs; if they are
/// close, it takes thousands.
fn compare(pairs: &str, seed: &str) -> Result<(), Box<dyn Error>> {
    let most: NonZeroU64 = pairs
        .parse()
        .map_err(|_| format!("invalid number of pairs `{pairs}`: expected e.g. 400"))?;
    let seed: Seed = seed.parse()?;
    let compared = comparison(&BOARD.config()).run(seed, most.get())?;
    say(format!("{}\ngames to look at:", compared.findings))?;
    for game in compared.games {
        say(format!(
            "  {}: cargo run -- lost {} {}",
            game.why, game.seed, game.team
        ))?;
    }
    say("\nIf you change the agent by these games, its result in them is too good. Measure it once with another seed:")?;
    let other = seed.get().wrapping_add(1);
    say(format!("  cargo run -- compare {pairs} {other}"))
}

/// Plays a game again: where the teams differ, and what each of the own agents knew and did.
fn lost(seed: &str, team: &str) -> Result<(), Box<dyn Error>> {
    let (board, seed, team) = (BOARD.config(), seed.parse()?, team.parse()?);
    let mut replay = File::create("lost.replay")
        .map_err(|error| format!("cannot write lost.replay: {error}"))?;
    let replayed = comparison(&board).again(seed, team, &mut replay)?;
    say(format!("{replayed}\n{}", replayed.decisions))?;
    let replay = std::env::current_dir()?.join("lost.replay");
    say(format!(
        "in the folder of the workspace, the page:\ncargo run -p reference-gm -- view {}",
        replay.display()
    ))?;
    if OPPONENT.parse::<LineUp>().is_ok() {
        // The studies seat the players of a replay again, so the agent plays as a program.
        let own = format!("'{} agent'", std::env::current_exe()?.display());
        let [red, blue] = match team {
            Team::Red => [&own[..], OPPONENT],
            Team::Blue => [OPPONENT, &own[..]],
        };
        say(format!(
            "a game on the same board, another one if the agent draws random numbers, and the \
             decision that cost most in it (Linux):\n\
             cargo run --release -p bots -- {red} {blue} --preset {BOARD} --seed {seed} --virtual \
             --replay game.replay\n\
             cargo run --release -p bots -- why game.replay --team {team}"
        ))?;
    }
    Ok(())
}

/// Plays as a program of the agent protocol, in games of `bots` and `league`. Standard output belongs
/// to the protocol: print to standard error, or whole lines.
fn answer() -> Result<(), Box<dyn Error>> {
    sdk::program::serve(Mine::default, io::stdin().lock(), io::stdout())?;
    Ok(())
}

/// Joins a game on a server, and plays it to its end.
fn join(server: &str, team: &str) -> Result<(), Box<dyn Error>> {
    // Agents of one team draw different random numbers.
    let seed = Seed::new(std::process::id().into());
    let agent = Agent::builder(team.parse()?).server(server).seed(seed);
    let played = agent.run(Mine::default(), |report| eprintln!("{report}"))?;
    say(played.end)
}
