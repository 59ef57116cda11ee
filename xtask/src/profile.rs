//! `cargo xtask profile`: the instructions that fixed amounts of work take, counted by callgrind.
//!
//! Unlike times, the counts hardly depend on the load of the machine, so a commit that makes something slower shows on
//! any day. They do not show how long the processor waits for memory: a bench decides that.
//!
//! The work is that of the bench `work` of the crate `tests`. Each is done twice, with different numbers of units; the
//! difference is that of the units alone, without the start of the program. The file [`KEPT`] has counts to compare
//! with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::files::{make, read, write};
use crate::{cargo, target_folder, workspace};

/// The counts to compare with, a line for each work: its name, a tab, the instructions of a unit. The first line names
/// the compiler, on which they depend.
const KEPT: &str = "xtask/profile.tsv";

/// The larger number of units, as a multiple of the smaller one.
const MORE: u64 = 3;

/// The lines of callgrind's list of functions that are shown.
const LINES: usize = 30;

/// A kind of work, as the bench lists it.
struct Work {
    name: String,
    unit: String,
    units: u64,
}

/// Counts the instructions of these works, or of all if none is named, and prints a table; of a single one also the
/// functions that take most of them. With `keep`, all counts are kept to be compared with.
///
/// # Errors
///
/// If valgrind is missing, the bench cannot be built or fails, or there is no such work.
pub(crate) fn profile(names: &[String], keep: bool) -> Result<()> {
    if !Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
    {
        bail!(
            "valgrind cannot be started\nhint: install it, e.g. `apt-get install valgrind`; it needs Linux"
        );
    }
    if keep && !names.is_empty() {
        bail!("`--keep` keeps the counts of all works: expected no names beside it");
    }
    let bench = built()?;
    let works = listed(&bench)?;
    if let Some(unknown) = names.iter().find(|name| !works.iter().any(|work| work.name == **name)) {
        let known: Vec<&str> = works.iter().map(|work| work.name.as_str()).collect();
        bail!("unknown work `{unknown}`: expected one of {}", known.join(", "));
    }
    let folder = target_folder().join("profile");
    make(&folder)?;
    let compiler = compiler()?;
    let kept = kept(&read(&workspace().join(KEPT))?, &compiler);
    println!("{:<22}{:>16}  {:<11}{:>9}", "work", "instructions", "for one of", "change");
    let mut lines = vec![compiler];
    for Work { name, unit, units } in
        works.iter().filter(|work| names.is_empty() || names.contains(&work.name))
    {
        let count = |units| counted(&bench, name, units, &folder.join(format!("{name}.callgrind")));
        let ((less, few), (more, many)) = (count(*units)?, count(units * MORE)?);
        let each = (more - less) as f64 / (many - few) as f64;
        let change = kept.get(name).map_or_else(|| "—".to_owned(), |then| changed(each, *then));
        println!("{name:<22}{each:>16.0}  {unit:<11}{change:>9}");
        lines.push(format!("{name}\t{each:.0}"));
    }
    if kept.is_empty() {
        println!("\n{KEPT} has no counts of this compiler: nothing to compare with");
    }
    if keep {
        write(&workspace().join(KEPT), lines.join("\n") + "\n")?;
    }
    match names {
        [only] => show_functions(&folder.join(format!("{only}.callgrind"))),
        _ => Ok(()),
    }
}

/// Builds the bench; returns its path.
fn built() -> Result<PathBuf> {
    let words = ["bench", "--no-run", "--locked", "--package", "workspace-tests", "--bench", "work"];
    let (mut command, shown) = cargo(&words).args(["--message-format=json-render-diagnostics"]).command();
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot run `{shown}`"))?;
    if !output.status.success() {
        bail!("`{shown}` failed ({})", output.status);
    }
    let told = String::from_utf8_lossy(&output.stdout);
    let path = told.lines().rev().find_map(|line| line.split_once("\"executable\":\"")?.1.split('"').next());
    Ok(PathBuf::from(path.context("cargo names no executable")?))
}

fn listed(bench: &Path) -> Result<Vec<Work>> {
    let output = Command::new(bench)
        .arg("--list")
        .output()
        .with_context(|| format!("cannot run {}", bench.display()))?;
    let list = String::from_utf8_lossy(&output.stdout);
    let work = |line: &str| {
        let mut words = line.split('\t').map(str::to_owned);
        let (name, unit, units) = (words.next()?, words.next()?, words.next()?.parse().ok()?);
        Some(Work { name, unit, units })
    };
    list.lines().map(work).collect::<Option<_>>().context("the bench lists its works in another way")
}

/// Does this number of units of a work; returns the instructions and the units.
fn counted(bench: &Path, name: &str, units: u64, out: &Path) -> Result<(u64, u64)> {
    let mut run = Command::new("valgrind");
    run.args(["--tool=callgrind", "--quiet"]).arg(format!("--callgrind-out-file={}", out.display()));
    let output = run.arg(bench).args([name, &units.to_string()]).output().context("cannot run valgrind")?;
    let done =
        String::from_utf8_lossy(&output.stdout).trim().parse().ok().filter(|_| output.status.success());
    let Some(done) = done else {
        bail!(
            "`{name}` failed under valgrind ({})\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    };
    let instructions = total(&read(out)?).with_context(|| format!("{} has no total", out.display()))?;
    Ok((instructions, done))
}

/// Returns the instructions of a whole run, as callgrind writes them at the end of its file.
fn total(file: &str) -> Option<u64> {
    let number = |line: &str| {
        line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: "))?.trim().parse().ok()
    };
    file.lines().rev().find_map(number)
}

/// Returns the counts that are kept, if they are those of this compiler.
fn kept(file: &str, compiler: &str) -> BTreeMap<String, f64> {
    let mut lines = file.lines();
    if lines.next() != Some(compiler) {
        return BTreeMap::new();
    }
    let count = |line: &str| {
        let (name, count) = line.split_once('\t')?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    lines.filter_map(count).collect()
}

/// Returns the change from then to now: `+3.1 %`.
fn changed(now: f64, then: f64) -> String {
    format!("{:+.1} %", 100.0 * (now / then - 1.0))
}

/// Returns the compiler with its version and the system that it compiles for.
fn compiler() -> Result<String> {
    let output =
        Command::new("rustc").arg("-vV").current_dir(workspace()).output().context("cannot run rustc")?;
    let told = String::from_utf8_lossy(&output.stdout);
    let of = |name: &str| told.lines().find_map(|line| line.strip_prefix(name));
    let (release, host) = of("release: ").zip(of("host: ")).context("rustc does not name its version")?;
    Ok(format!("rustc {release} {host}"))
}

/// Prints the functions with the most instructions.
fn show_functions(file: &Path) -> Result<()> {
    let output =
        Command::new("callgrind_annotate").arg(file).output().context("cannot run callgrind_annotate")?;
    let list = String::from_utf8_lossy(&output.stdout);
    let functions = list.lines().skip_while(|line| !line.contains("file:function")).take(LINES + 2);
    println!();
    functions.for_each(|line| println!("{line}"));
    println!("\nthe calls, too: `kcachegrind {}`", file.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_stands_at_the_end() {
        assert_eq!(total("events: Ir\nfn=(1) main\n3 4\n\ntotals: 1234\n"), Some(1234));
        assert_eq!(total("summary: 77\nfn=(1) main\n3 4\n"), Some(77));
        assert_eq!(total("fn=(1) main\n"), None);
    }

    #[test]
    fn counts_of_another_compiler_are_not_compared() {
        let file = "rustc 1.95.0 x86_64\ngreedy\t1200\nleague\t5\n";
        let counts = kept(file, "rustc 1.95.0 x86_64");
        assert_eq!((counts.len(), counts["greedy"]), (2, 1200.0));
        assert!(kept(file, "rustc 1.96.0 x86_64").is_empty() && kept("", "rustc").is_empty());
        assert_eq!(
            (changed(1236.0, counts["greedy"]), changed(4.0, 5.0)),
            ("+3.0 %".into(), "-20.0 %".into())
        );
    }
}
