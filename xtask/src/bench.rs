//! `cargo xtask bench`: the measurements, each a bench of a crate or a program that prints a table.

use anyhow::Result;
use clap::ValueEnum;

use crate::{cargo, python_package};

/// A measurement.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Bench {
    /// Rollouts of a game (`--game`); of The Project Game also set-up and the nearest-piece index.
    Rules,
    /// The game master without its sockets, and behind the communication server with agents that play.
    Gm,
    /// The server of Dots & Boxes with 1,000 connections that play at once, beside an echo server.
    Dots,
    /// The server of Eriantys with 200 matches at once, beside an echo server.
    Eriantys,
    /// Round trips through the communication server, beside an echo server and a byte proxy.
    Cs,
    /// The speed at which the strategies decide.
    Bots,
    /// The speed at which programs decide over the agent protocol, beside a raw pipe echo; needs Linux.
    Door,
    /// The cost of whole boards for the solvers of Dots & Boxes and Bricks, beside a plain alpha-beta, and the requests
    /// of Conveyor's `hints`, beside the least; some minutes. `--long` adds the largest boards, up to ten minutes each;
    /// `--only 4x4` has one row alone.
    Solve,
    /// Whole games by a league that stores and measures them, beside bare rollouts of the same games; with `--dist`, by
    /// four workers of a queue, beside one process.
    League,
    /// The stronger of two line-ups, with each preset: `league compare --all-presets`; `coordinated greedy` unless
    /// others are named.
    Strength,
    /// The tables of the book's page on strategies: who beats whom, what a liar costs, and what everyone spends its
    /// time on.
    Arenas,
    /// The chances that `bots fork` computes, beside the results of the games; some minutes.
    Calibration,
    /// The share of planted faults that `bots why` names, by fault; two to three minutes. `--games N` plays N games of
    /// each.
    Blame,
    /// The share of planted habits that `league habits` names, by habit; some minutes. `--tries N` searches N times for
    /// each.
    Habits,
    /// The frequency of wrong verdicts of `league compare`, by simulation; some minutes.
    Errors,
    /// The frequency with which `league race` keeps the best variant, and its games beside those of comparing all, by
    /// simulation; some minutes.
    Races,
    /// The frequency with which the intervals of tuned parameters hold the best values, by simulation.
    Tunes,
    /// Steps per second of the Python package's environments on one core, beside other suites that pip can install;
    /// needs Python with pip. `--seconds 3` measures each row longer, `--only quick` has the rows with this text alone.
    Python,
}

/// Runs a measurement. `game` chooses the game where there is a choice.
///
/// # Errors
///
/// Fails if the measurement cannot be built, or fails itself.
pub(crate) fn bench(what: Bench, game: Option<&str>, further: &[String]) -> Result<()> {
    let (package, bench, about): (_, _, Vec<&str>) = match what {
        Bench::Rules => match game {
            None | Some("project") => ("game-project", "table", vec![]),
            Some(game) => ("game-catalogue", "turns", vec![game]),
        },
        Bench::Gm => ("reference-gm", "master", vec![]),
        Bench::Dots => ("reference-gm", "servers", vec!["dots"]),
        Bench::Eriantys => ("reference-gm", "servers", vec!["eriantys"]),
        Bench::Cs => ("cs", "relay", vec![]),
        Bench::Bots => ("strategies", "decisions", vec![]),
        Bench::Door => ("strategies", "door", vec![]),
        Bench::Solve => ("strategies", "solve", game.into_iter().collect()),
        Bench::League if further.iter().any(|word| word == "--dist") => ("league-dist", "overhead", vec![]),
        Bench::League => ("league", "league", vec![]),
        Bench::Strength => return compare(further),
        Bench::Arenas => ("contests", "arenas", vec![]),
        Bench::Calibration => ("study", "calibration", vec![]),
        Bench::Blame => ("study", "blame", vec![]),
        Bench::Habits => ("study", "habits", vec![]),
        Bench::Errors => ("contests", "errors", vec![]),
        Bench::Races => ("contests", "races", vec![]),
        Bench::Tunes => ("contests", "tunes", vec![]),
        Bench::Python => return python_package::bench(further),
    };
    let words =
        ["bench", "--quiet", "--locked", "--package", package, "--all-features", "--bench", bench, "--"];
    // The solvers read their tables, up to 1 GiB, in random order. The C library of most Linux systems asks for
    // huge pages then, so that far fewer addresses have to be translated; others ignore the variable.
    let mut measurement = cargo(&words);
    if matches!(what, Bench::Solve) {
        measurement = measurement.env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
    }
    measurement.args(about).args(further).run()
}

/// Compares two line-ups with each preset. The first two words that are no flags are the line-ups.
fn compare(further: &[String]) -> Result<()> {
    let words = ["run", "--quiet", "--release", "--locked", "--package", "league", "--"];
    let usual: &[&str] = if further.is_empty() { &["coordinated", "greedy"] } else { &[] };
    let task = ["compare", "--all-presets"];
    cargo(&words).args(task).args(usual.iter().copied()).args(further).run()
}
