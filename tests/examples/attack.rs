//! Attacks on the real programs: `cargo xtask attack`.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("error: attacks need Linux, whose /proc says what a program takes");
    std::process::ExitCode::FAILURE
}

#[cfg(target_os = "linux")]
mod linux {
    use std::process::ExitCode;
    use std::time::{Duration, Instant};

    use anyhow::{Result, ensure};
    use clap::Parser;
    use game_env::Seed;
    use workspace_tests::hostile::program::Programs;
    use workspace_tests::hostile::siege::{Plan, Progress, Report, attack};
    use workspace_tests::hostile::{attacks, run};

    /// Attacks the real programs: all attackers at one game, then each attack by itself.
    #[derive(Parser)]
    #[command(name = "cargo xtask attack")]
    struct Arguments {
        /// Time for which all attackers attack one game, in minutes.
        #[arg(long, default_value_t = 5.0, value_name = "NUMBER")]
        minutes: f64,
        /// Seed of everything that attackers may choose; drawn from the clock if not given.
        #[arg(long, value_name = "NUMBER")]
        seed: Option<Seed>,
        /// Make only these attacks, one after the other.
        #[arg(long, value_name = "NAME", value_delimiter = ',')]
        only: Vec<String>,
        /// List the attacks.
        #[arg(long)]
        list: bool,
    }

    /// Least duration of an attack at a game that is made by itself.
    const LENGTH: Duration = Duration::from_secs(3);

    pub(super) fn main() -> ExitCode {
        let done = match Arguments::parse() {
            Arguments { list: true, .. } => {
                list();
                Ok(())
            }
            arguments if arguments.only.is_empty() => {
                // An attack by all says nothing about each alone.
                let by_all = all_at_once(&arguments);
                if let Err(error) = &by_all {
                    println!("all at once              FAILED    {error:#}");
                }
                one_by_one(&arguments).and(by_all)
            }
            arguments => one_by_one(&arguments),
        };
        match done {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                eprintln!("error: {error:#}");
                ExitCode::FAILURE
            }
        }
    }

    fn list() {
        for attack in attacks() {
            println!("{}\n  {}\n  must stay: {}", attack.name, attack.what, attack.stays);
        }
    }

    fn drawn_seed() -> Seed {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Seed::new(now.as_secs())
    }

    fn one_by_one(arguments: &Arguments) -> Result<()> {
        let programs = Programs::find()?;
        let seed = arguments.seed.unwrap_or_else(drawn_seed);
        println!("seed {seed}");
        let is_wanted =
            |name: &str| arguments.only.is_empty() || arguments.only.iter().any(|only| only == name);
        let (mut made, mut failed) = (0, 0);
        for attack in attacks().filter(|attack| is_wanted(attack.name)) {
            made += 1;
            match run(attack, &programs, seed, LENGTH) {
                Ok(seen) => println!("{:<24} {:>6.1} s  {}", attack.name, seen.took.as_secs_f64(), seen.note),
                Err(error) => {
                    failed += 1;
                    println!("{:<24} FAILED    {error:#}", attack.name);
                }
            }
        }
        ensure!(made > 0, "there is no such attack\nhint: `--list` names them");
        ensure!(failed == 0, "{failed} of {made} attacks succeeded");
        Ok(())
    }

    fn all_at_once(arguments: &Arguments) -> Result<()> {
        ensure!(
            (0.1..=1440.0).contains(&arguments.minutes),
            "invalid --minutes {}: expected a number from 0.1 to 1440",
            arguments.minutes
        );
        let seed = arguments.seed.unwrap_or_else(drawn_seed);
        let length = Duration::from_secs_f64(arguments.minutes * 60.0);
        println!(
            "seed {seed}; {} minutes; again: cargo xtask attack --minutes {} --seed {seed}",
            arguments.minutes, arguments.minutes
        );
        let began = Instant::now();
        let report = attack(&Plan { programs: Programs::find()?, length, seed }, tell)?;
        table(&report);
        println!("nothing was lost; {:.0} s in all", began.elapsed().as_secs_f64());
        Ok(())
    }

    fn tell(progress: &Progress) {
        let Progress { elapsed, honest: (asked, answered), slowest, server, master } = progress;
        eprintln!(
            "{:>5.0} s: {answered} of {asked} honest requests answered, 99 % within {slowest:.1?}; \
             cs {} MiB, {} descriptors; game master {} MiB, {} descriptors",
            elapsed.as_secs_f64(),
            server.resident_kib / 1024,
            server.descriptors,
            master.resident_kib / 1024,
            master.descriptors,
        );
    }

    fn table(report: &Report) {
        println!("\n{:<20} {:>6} {:>12} {:>12}", "attacker", "count", "connections", "MB sent");
        for (name, count, tally) in &report.attackers {
            println!("{name:<20} {count:>6} {:>12} {:>12.1}", tally.connections, tally.bytes as f64 / 1e6);
        }
        println!(
            "\n{:<20} {:>10} {:>10} {:>10} {:>10}",
            "honest agent", "answers", "50 %", "99 %", "slowest"
        );
        for (when, records) in [("beside", &report.beside), ("after", &report.after)] {
            for (team, record) in ["red", "blue"].iter().zip(records) {
                let [half, most, all] =
                    [0.5, 0.99, 1.0].map(|share| format!("{:.1?}", record.quantile(share)));
                let name = format!("{team}, {when}");
                println!("{name:<20} {:>10} {half:>10} {most:>10} {all:>10}", record.delays.len());
            }
        }
        println!(
            "\n{:<20} {:>10} {:>10} {:>10} {:>20}",
            "program", "MiB before", "peak", "after", "descriptors"
        );
        for (name, before, after, peak) in &report.programs {
            let descriptors = format!("{} before, {} after", before.descriptors, after.descriptors);
            let [before, after] = [before, after].map(|usage| usage.resident_kib / 1024);
            println!("{name:<20} {before:>10} {peak:>10} {after:>10} {descriptors:>20}");
        }
        println!(
            "\nthe game was won after {:.0} s, and its replay is what was played",
            report.game.as_secs_f64()
        );
    }
}
