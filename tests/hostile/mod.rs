//! Attacks against the real programs as child processes, each with a limit on memory and on time.
//!
//! An attack is an entry of [`attacks`]: its name, its acts, the functions that must still work, the largest memory of
//! each program, and a function. [`run`] makes one attack; [`siege`] lets all attackers of games at one game at once.
//! `cargo xtask test` runs ten attacks, one of each class, for a few seconds each; `cargo xtask attack` runs all.
//!
//! # What it does not do
//!
//! It looks at programs from outside: their output, their messages and their use of the system. Their insides are
//! tested where they are. It needs Linux, whose `/proc` reports the resources of a process.

pub mod attackers;
mod bricks;
mod confinement;
mod conveyor;
pub mod dots;
mod eriantys;
pub mod game;
mod league;
pub mod peer;
pub mod program;
pub mod siege;
mod table;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use game_env::Seed;

use self::attackers::{Attacker, Siege};
use self::game::{Game, Rules};
use self::program::{Ended, Program, Programs, Start};

/// Every attack.
pub fn attacks() -> impl Iterator<Item = &'static Attack> {
    [
        bricks::ATTACKS,
        confinement::ATTACKS,
        conveyor::ATTACKS,
        dots::ATTACKS,
        eriantys::ATTACKS,
        league::ATTACKS,
        table::ATTACKS,
    ]
    .into_iter()
    .flatten()
}

/// One way to attack.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// Its name.
    pub name: &'static str,
    /// Its acts, in a phrase.
    pub what: &'static str,
    /// The functions that must still work.
    pub stays: &'static str,
    /// Largest resident memory of each program, in MiB.
    pub peak_mib: u64,
    /// The way in which it is made.
    pub run: Run,
}

/// The way in which an attack is made.
#[derive(Clone, Copy, Debug)]
pub enum Run {
    /// Attackers at a game. Then the game goes on and is stopped in order, with no honest answer lost.
    Game {
        /// The game.
        rules: Rules,
        /// The attackers of the game.
        attackers: &'static [Attacker],
        /// Acts and checks during the attack; returns what was seen.
        meanwhile: fn(&Game) -> Result<String>,
    },
    /// Attackers at a server of Dots & Boxes, beside an honest game.
    Dots {
        /// Further arguments of the server.
        words: &'static [&'static str],
        /// The attackers of the server.
        attackers: &'static [Attacker<dots::Target>],
    },
    /// Any other attack; returns what was seen.
    Own(fn(&Bench<'_>) -> Result<String>),
}

/// Everything that an attack is made with.
pub struct Bench<'a> {
    /// The attack.
    pub attack: &'a Attack,
    /// The programs.
    pub programs: &'a Programs,
    /// A folder for its files.
    pub folder: &'a Path,
    /// Seed of everything that attackers may choose.
    pub seed: Seed,
}

/// Address space that a program may take beside the memory it uses: stacks of threads, allocator arenas.
const ADDRESS_SPACE_MIB: u64 = 1536;

/// Longest time for a program to return to rest. A busy machine takes minutes to close hundreds of connections.
const REST: Duration = Duration::from_secs(180);

impl Bench<'_> {
    /// The limit on a program's address space, in MiB.
    pub fn address_space_mib(&self) -> u64 {
        self.attack.peak_mib + ADDRESS_SPACE_MIB
    }

    /// A program with this attack's limits.
    pub fn start(&self, program: &str) -> Start {
        self.programs.start(program).address_space(self.address_space_mib())
    }

    /// Compares the memory of a program with the limit.
    ///
    /// # Errors
    ///
    /// If it took more.
    pub fn check(&self, ended: &Ended) -> Result<()> {
        let (peak, most) = (ended.peak_mib, self.attack.peak_mib);
        ensure!(peak <= most, "a program took {peak} MiB, allowed are {most}");
        Ok(())
    }

    /// Compares the memory of running programs with the limit; returns the largest figure, in MiB.
    ///
    /// # Errors
    ///
    /// If one took more, or does not run any more.
    pub fn end_of(&self, programs: &[&Program]) -> Result<u64> {
        let mut largest = 0;
        for program in programs {
            ensure!(program.runs(), "a program has ended: {program:?}");
            let (peak, most) = (program.peak_mib(), self.attack.peak_mib);
            ensure!(peak <= most, "a program took {peak} MiB, allowed are {most}");
            largest = largest.max(peak);
        }
        Ok(largest)
    }
}

/// Observations of an attack.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// Its duration.
    pub took: Duration,
    /// A note for the report.
    pub note: String,
}

/// Makes one attack. Attackers at a game ([`Run::Game`]) go on for at least this `length`; each other attack takes the
/// time that its own work needs.
///
/// # Errors
///
/// A function that does not work any more, or a limit that was exceeded.
pub fn run(attack: &Attack, programs: &Programs, seed: Seed, length: Duration) -> Result<Seen> {
    let began = Instant::now();
    let folder = tempfile::tempdir()?;
    let bench = Bench { attack, programs, folder: folder.path(), seed };
    let note = match &attack.run {
        Run::Own(make) => make(&bench)?,
        Run::Dots { words, attackers } => dots::attacked(&bench, words, attackers, false, |_| Ok(()))?,
        Run::Game { rules, attackers, meanwhile } => {
            let game = Game::start(programs, bench.address_space_mib(), rules)?;
            let siege = Siege::start(&game.target, attackers, seed)?;
            let until = Instant::now() + length;
            let mut note = meanwhile(&game)?;
            while !attackers.is_empty() && Instant::now() < until {
                game.wait_for_answers(50, peer::DEADLINE)?;
            }
            let peak = bench.end_of(&[&game.server.program, &game.master.program])?;
            // The programs have to end in order while they are attacked.
            let ended = game.end()?;
            siege.stop()?;
            if !note.is_empty() {
                note += "; ";
            }
            note += &format!(
                "{} honest answers, 99 % within {:.1?}; {peak} MiB; SIGTERM took {:.0?}",
                ended.answered, ended.slowest, ended.master
            );
            note
        }
    };
    Ok(Seen { took: began.elapsed(), note })
}

/// Waits until a program has no more descriptors than `descriptors`, and its memory is at most `memory_kib`.
///
/// # Errors
///
/// If that takes too long.
pub fn comes_to_rest(program: &Program, descriptors: usize, memory_kib: u64) -> Result<program::Usage> {
    let deadline = Instant::now() + REST;
    loop {
        let usage = program.usage().context("at rest")?;
        if usage.descriptors <= descriptors && usage.resident_kib <= memory_kib {
            return Ok(usage);
        }
        ensure!(
            Instant::now() < deadline,
            "{} descriptors and {} KiB are held at rest; there were {descriptors} before, allowed are {memory_kib} KiB",
            usage.descriptors,
            usage.resident_kib
        );
        std::thread::park_timeout(peer::STEP);
    }
}
