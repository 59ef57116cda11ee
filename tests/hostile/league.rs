//! Attacks on `league`, and on other programs that read files of strangers: endless files, escapes, commands.
//!
//! False results and faulty rows of a queue are tested with `league-dist`, which this suite does not start.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::bricks::make_pipe;
use super::table::{RAW, no_raw, refused};
use super::{Attack, Bench, Run};

/// Every attack with files of leagues.
pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "league-endless",
        what: "league files, matches and records are devices, pipes, and files of a terabyte",
        stays: "a message at once",
        peak_mib: 96,
        run: Run::Own(endless),
    },
    Attack {
        name: "league-escapes",
        what: "names of files, records, line-ups, names of bots and formulas with escapes",
        stays: "terminals: nothing of it is printed raw; spreadsheets: no formula",
        peak_mib: 96,
        run: Run::Own(escapes),
    },
    Attack {
        name: "league-commands",
        what: "a league file and a match from another folder start commands",
        stays: "no command is started without `--trust`, and no program waits for an answer",
        peak_mib: 96,
        run: Run::Own(commands),
    },
];

const FILE: &str = "game = \"dots\"\npreset = \"small\"\n[schedule]\nsets = 1\n\
                    [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nname = \"=cmd|' /C calc'!A0\"\nstrategy = \"random\"\n";

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Plans the league in this folder; returns the path of the first record.
fn planned(bench: &Bench<'_>, out: &str) -> Result<std::path::PathBuf> {
    let (file, out) = (bench.folder.join("small.toml"), bench.folder.join(out));
    fs::write(&file, FILE)?;
    let words = ["plan", &shown(&file), "--out", &shown(&out)].map(str::to_owned);
    let ended = bench.start("league").args(words).run(super::peer::DEADLINE)?;
    ensure!(ended.code == Some(0), "{}", ended.complaint());
    Ok(out.join("records/1.json"))
}

fn endless(bench: &Bench<'_>) -> Result<String> {
    let pipe = bench.folder.join("pipe");
    make_pipe(&pipe)?;
    let long = bench.folder.join("long");
    // A hole in a file takes no room on the disk.
    fs::File::create(&long)?.set_len(1 << 40)?;
    let record = planned(bench, "many")?;
    let out = shown(&bench.folder.join("many"));
    let mut slowest = Duration::ZERO;
    for path in [Path::new("/dev/zero"), &pipe, &long] {
        symlink(path, &record)?;
        let path = shown(path);
        for words in [&["run", &path][..], &["plan", &path], &["play", "--spec", &path], &["collect", &out]] {
            let ended = refused(bench.start("league").args(words), &words.join(" "))?;
            bench.check(&ended)?;
            slowest = slowest.max(ended.took);
        }
        fs::remove_file(&record)?;
    }
    Ok(format!("at most {} ms", slowest.as_millis()))
}

fn escapes(bench: &Bench<'_>) -> Result<String> {
    let raw = RAW.concat();
    let record = planned(bench, "many")?;
    let out = shown(&bench.folder.join("many"));
    let spec = shown(&bench.folder.join("many/specs/1.json"));
    let played = bench.start("league").args(["play", "--spec", &spec]).run(super::peer::DEADLINE)?;
    let text = String::from_utf8(played.stdout).context("a record is text")?;
    let (before, after) = text.split_once("\"program\":\"league").context("a record has a program")?;
    let program = serde_json::to_string(&raw)?;
    let program = program.trim_matches('"');
    fs::write(&record, format!("{before}\"program\":\"{program}{after}"))?;
    let file = bench.folder.join(format!("a{}.replay", RAW.concat()));
    fs::write(&file, "no replay")?;
    let file = shown(&file);
    let name = format!("a{raw}");
    let vertical = "greedy\u{b}";
    for (program, words) in [
        ("league", &["collect", &out][..]),
        ("league", &["run", &file]),
        ("league", &["play", "--spec", &file]),
        ("league", &["compare", &name, "random"]),
        ("league", &["compare", vertical, "random", "--game", "dots"]),
        ("bots", &[&name, "random", "--game", "dots", "--virtual"]),
        ("bots", &["join", "127.0.0.1:1", "--game", "dots", "--name", &name]),
        ("bots", &["join", "127.0.0.1:1", "--game", "eriantys", "--name", &name]),
        ("bots", &["greedy", "--game", "dots", "--preset", &name, "--virtual"]),
        ("reference-gm", &["verify", &file]),
        ("reference-gm", &["view", &file]),
    ] {
        let ended = refused(bench.start(program).args(words), &format!("{program} {}", words[0]))?;
        bench.check(&ended)?;
        no_raw(&ended.stdout)
            .and_then(|()| no_raw(&ended.stderr))
            .with_context(|| format!("{program} {words:?}"))?;
        ensure!(!ended.complaint().contains('\u{b}'), "{program} {words:?}: {}", ended.complaint());
    }
    let file = shown(&bench.folder.join("small.toml"));
    let out = bench.folder.join("out");
    for words in [["run", &file, "--out", &shown(&out)], ["report", &shown(&out), "--out", &shown(&out)]] {
        let ended = bench.start("league").args(words).run(super::peer::DEADLINE)?;
        ensure!(ended.code == Some(0), "{}", ended.complaint());
    }
    for name in ["standings.csv", "report.csv"] {
        let csv = fs::read_to_string(out.join(name))?;
        ensure!(csv.contains(",\"'=cmd|") && !csv.contains(",=cmd|"), "{name}: {csv}");
    }
    Ok(String::new())
}

fn commands(bench: &Bench<'_>) -> Result<String> {
    let started = bench.folder.join("started");
    let entrant = format!("name = \"a\"\ncommand = [\"touch\", \"{}\"]", shown(&started));
    let path = bench.folder.join("commands.toml");
    fs::write(
        &path,
        format!("game = \"project\"\n[[entrant]]\n{entrant}\n[[entrant]]\nstrategy = \"random\"\n"),
    )?;
    let out = bench.folder.join("out");
    let words = ["run", &shown(&path), "--out", &shown(&out)].map(str::to_owned);
    let ended = refused(bench.start("league").args(words), "league run")?;
    let said = ended.complaint();
    ensure!(said.contains("\"touch\"") && said.contains("`--trust`"), "{said}");
    ensure!(!started.exists() && !out.exists(), "a command was started, or the league begun: {said}");
    Ok(format!("refused after {} ms", ended.took.as_millis()))
}
