//! Attacks on the referee of Bricks and on leagues of its players: by players' programs, by their folders, and by
//! visitors of its page.
//!
//! Each single misbehaving program is tested with the referee; here honest players play beside them, under limits on
//! the referee's memory and time.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::attackers::{self, Attacker, Siege};
use super::game::LONGEST_END;
use super::peer::{DEADLINE, Site};
use super::program::Ended;
use super::table::{RAW, no_raw, refused};
use super::{Attack, Bench, Run};

/// Every attack on the referee.
pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "bricks-players",
        what: "players flood both streams, write a megabyte, binary bytes and escapes, in a league with two honest ones",
        stays: "every honest player's answers; the results",
        peak_mib: 96,
        run: Run::Own(players),
    },
    Attack {
        name: "bricks-half-lines",
        what: "a player writes half a line and then nothing; another never reads a long opening",
        stays: "the end of the duel by its limits",
        peak_mib: 96,
        run: Run::Own(half_lines),
    },
    Attack {
        name: "bricks-folders",
        what: "players' files are pipes, endless, binary, long, or links to a file of the operator, and their names have \
               escapes",
        stays: "a message at once; terminals: nothing of it is printed raw; the operator's file is not shown",
        peak_mib: 64,
        run: Run::Own(folders),
    },
    Attack {
        name: "bricks-page",
        what: "300 connections to the referee's page are kept alive; viewers read nothing; requests are none",
        stays: "the duel; SIGTERM",
        peak_mib: 128,
        run: Run::Own(page),
    },
];

/// Plays on a board with room for two bricks: the first in the first row, the second in the last one.
pub(super) const HONEST: &str = "read -r opening; echo OK
while read -r line; do
  case $line in
    START) echo 0x0_1x0 ;;
    STOP) exit 0 ;;
    *) echo 0x2_1x2 ;;
  esac
done";

/// That board.
const TWO_BRICKS: [&str; 4] = ["--size", "3", "--filled-cells", "2x0_0x1_1x1_2x1_2x2"];

/// Limits that no honest player reaches, on any machine.
const PATIENT: [&str; 6] =
    ["--set", "answerLimitMs=600000", "--set", "moveLimitMs=600000", "--set", "silenceLimitMs=600000"];

/// Makes a player whose program is a shell script.
pub(super) fn player(folder: PathBuf, nick: &str, script: &str) -> Result<()> {
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("info.txt"), format!("./player.sh\n{nick}\n"))?;
    let program = folder.join("player.sh");
    fs::write(&program, format!("#!/bin/sh\n{script}\n"))?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    Ok(())
}

pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A tournament that a league has played.
pub(super) struct Tournament {
    /// The folder of the league.
    pub(super) store: PathBuf,
    /// Each duel: its first player, its second player, its winner, and the message about its end.
    pub(super) duels: Vec<[String; 4]>,
    /// The end of the run of the league.
    pub(super) ended: Ended,
}

impl Tournament {
    /// Imports the players of a folder, plays the league in this folder, and exports it. Nothing of it is printed raw.
    pub(super) fn play(bench: &Bench<'_>, folder: &Path, set: &[&str]) -> Result<Self> {
        let [players, file, store, files] =
            ["players", "cup.toml", "cup.results", "cup.bricks"].map(|name| folder.join(name));
        let set = set.iter().flat_map(|pair| ["--set", pair]);
        let board = ["--set", "size=3", "--set", "filledCells=2x0_0x1_1x1_2x1_2x2"];
        let import = ["import", "bricks", &shown(&players), "--out", &shown(&file)];
        let import = bench.start("league").args(import).args(PATIENT).args(board).args(set);
        let run = ["run", &shown(&file), "--out", &shown(&store), "--jobs", "1", "--trust"];
        let run = bench.start("league").args(run);
        let export = ["export", &shown(&store), "--bricks", &shown(&files)];
        let export = bench.start("league").args(export);
        let mut last = None;
        for (name, start) in [("export", export), ("run", run), ("import", import)].into_iter().rev() {
            let ended = start.run(DEADLINE * 3)?;
            bench.check(&ended)?;
            ensure!(ended.code == Some(0), "{name} ended with {:?}: {}", ended.code, ended.complaint());
            no_raw(&ended.stdout).and_then(|()| no_raw(&ended.stderr))?;
            last = if name == "run" { Some(ended) } else { last };
        }
        let text = fs::read_to_string(files.join("duels.txt")).context("there are no results")?;
        no_raw(text.replace('\n', " ").as_bytes())?;
        let duel = |line: &str| {
            let members: Vec<&str> = line.splitn(5, ':').collect();
            let [_, first, second, winner, told] = members[..] else { bail!("no duel: {line}") };
            Ok([first, second, winner, told].map(str::to_owned))
        };
        let duels = text.lines().map(duel).collect::<Result<_>>()?;
        Ok(Self { store, duels, ended: last.context("the league was run")? })
    }
}

fn players(bench: &Bench<'_>) -> Result<String> {
    let players = bench.folder.join("players");
    for (nick, script) in [
        ("Ada", HONEST),
        ("Bob", HONEST),
        ("floods", "read -r o; echo OK; yes >&2 & yes"),
        ("long", "read -r o; echo OK; read -r s; head -c 1048576 /dev/zero | tr '\\000' x; echo; read -r s"),
        ("binary", "read -r o; echo OK; read -r s; printf '\\377\\376\\000\\n'; read -r s"),
        ("escapes", "read -r o; echo OK; read -r s; printf '\\033[2J\\342\\200\\256\\n'; read -r s"),
    ] {
        player(players.join(nick), nick, script)?;
    }
    let Tournament { duels, ended, .. } = Tournament::play(bench, bench.folder, &["graceMs=20"])?;
    ensure!(duels.len() == 30, "{} duels were played", duels.len());
    for duel in &duels {
        let [first, second, winner, told] = duel;
        let is_honest = |name: &String| ["Ada", "Bob"].contains(&name.as_str());
        match [first, second].map(is_honest) {
            // By the rules, the second player wins.
            [true, true] => {
                ensure!(winner == second && told.ends_with("won normally!"), "two honest players: {duel:?}");
            }
            [true, false] | [false, true] => {
                ensure!(is_honest(winner), "an honest player has lost: {duel:?}");
            }
            [false, false] => {}
        }
    }
    Ok(format!("{} duels in {:.1?}; {} MiB", duels.len(), ended.took, ended.peak_mib))
}

fn half_lines(bench: &Bench<'_>) -> Result<String> {
    player(bench.folder.join("honest"), "honest", HONEST)?;
    player(bench.folder.join("half"), "half", "read -r o; echo OK; read -r s; printf 0x0_; sleep 1000")?;
    player(bench.folder.join("deaf"), "deaf", "sleep 1000")?;
    let honest = shown(&bench.folder.join("honest"));
    // Both at once: their limits do not add up. The honest player is asked for no move.
    let limits = ["answerLimitMs=600000", "moveLimitMs=100", "silenceLimitMs=700", "graceMs=20"];
    let duel = |nick: &str, board: &[&str]| {
        let hostile = shown(&bench.folder.join(nick));
        let words = ["bricks", "duel", &hostile, &honest, "--json", "--no-page"];
        let start = bench.start("reference-gm").args(words).args(board);
        start
            .args(limits.iter().flat_map(|pair| ["--set", *pair]))
            .run(DEADLINE)
            .with_context(|| nick.to_owned())
    };
    let long_opening = ["--size", "201", "--filled", "20000", "--seed", "1"];
    let [half, deaf] = thread::scope(|scope| {
        let half = scope.spawn(|| duel("half", &TWO_BRICKS));
        let deaf = duel("deaf", &long_opening);
        [half.join().unwrap_or_else(|_| Err(anyhow::anyhow!("the test has panicked"))), deaf]
    });
    for ended in [half?, deaf?] {
        bench.check(&ended)?;
        ensure!(ended.code == Some(0), "the referee ended with {:?}: {}", ended.code, ended.complaint());
        let result: Value = serde_json::from_slice(&ended.stdout)?;
        ensure!(result["winner"] == "honest" && result["letter"] == "D", "{result}");
    }
    Ok(String::new())
}

fn folders(bench: &Bench<'_>) -> Result<String> {
    /// Makes a player's file.
    type Make = fn(&Path) -> Result<()>;
    let mut slowest = Duration::ZERO;
    /// A line that a fault of line 1 would show.
    const SECRET: &str = "'secret of the operator";
    fs::write(bench.folder.join("secret"), SECRET)?;
    let kinds: [(&str, Make); 8] = [
        ("pipe", |path| make_pipe(path)),
        ("endless", |path| Ok(symlink("/dev/zero", path)?)),
        ("binary", |path| Ok(fs::write(path, b"\xff\xfe\x00\n\x1b[2J")?)),
        ("long", |path| Ok(fs::write(path, vec![b'x'; 4 << 20])?)),
        ("escapes", |path| Ok(fs::write(path, format!("./player.sh\n{}\n", RAW.concat()))?)),
        ("folder", |path| Ok(fs::create_dir(path)?)),
        ("link", |path| Ok(symlink("../../secret", path)?)),
        ("nul", |path| Ok(fs::write(path, "./player.sh \0\nother\n")?)),
    ];
    for (name, make) in kinds {
        let players = bench.folder.join(name);
        player(players.join("honest"), "honest", HONEST)?;
        // The path is printed as well.
        let folder = players.join(std::ffi::OsStr::from_bytes(b"a\x1b[2J\xe2\x80\xaeb"));
        player(folder.clone(), "other", HONEST)?;
        fs::remove_file(folder.join("info.txt"))?;
        make(&folder.join("info.txt"))?;
        let (honest, out) = (shown(&players.join("honest")), shown(&bench.folder.join("cup.toml")));
        for start in [
            bench.start("league").args(["import", "bricks", &shown(&players), "--out", &out]),
            bench.start("reference-gm").args(["bricks", "duel", &honest, &shown(&folder), "--no-page"]),
        ] {
            let ended = refused(start, name)?;
            bench.check(&ended)?;
            no_raw(&ended.stdout).and_then(|()| no_raw(&ended.stderr)).with_context(|| name.to_owned())?;
            ensure!(!ended.complaint().contains("secret of"), "{name}: {}", ended.complaint());
            slowest = slowest.max(ended.took);
        }
    }
    Ok(format!("at most {} ms", slowest.as_millis()))
}

pub(super) fn make_pipe(path: &Path) -> Result<()> {
    let status = std::process::Command::new("mkfifo").arg(path).status().context("no mkfifo")?;
    ensure!(status.success(), "mkfifo: {status}");
    Ok(())
}

fn page(bench: &Bench<'_>) -> Result<String> {
    /// The moves of a game of this size take about a second.
    const PACE_MS: &str = "20";
    let greedy = bench.programs.path("bots");
    for nick in ["Ada", "Bob"] {
        let folder = bench.folder.join(nick);
        fs::create_dir_all(&folder)?;
        let command = format!("'{}' join --game bricks --strategy greedy", greedy.display());
        fs::write(folder.join("info.txt"), format!("{command}\n{nick}\n"))?;
    }
    let [first, second] = ["Ada", "Bob"].map(|nick| shown(&bench.folder.join(nick)));
    let replay = shown(&bench.folder.join("duel.replay"));
    let program = bench
        .start("reference-gm")
        .args(["bricks", "duel", &first, &second, "--page", "127.0.0.1:0", "--stay", "--replay", &replay])
        .args(["--size", "11", "--filled", "10", "--seed", "3", "--pace", PACE_MS, "--set", "confine=never"])
        .args(PATIENT)
        .spawn()?;
    let line = program.wait_for_line("the page is at ", DEADLINE)?;
    let site = Site::of(line.trim_start_matches("the page is at "))?;
    let attackers = [
        Attacker { name: "kept alive", count: 300, act: attackers::kept_alive::<Site> },
        Attacker { name: "slow downloads", count: 20, act: attackers::slow_download },
        Attacker { name: "deaf viewer", count: 40, act: attackers::deaf_viewer },
        Attacker { name: "board noise", count: 2, act: attackers::board_noise },
    ];
    let siege = Siege::start(&site, &attackers, bench.seed)?;
    program.wait_for_line("Player ", DEADLINE).context("the duel does not end")?;
    let peak = bench.end_of(&[&program])?;
    let (code, took) = program.terminate(LONGEST_END)?;
    siege.stop()?;
    let (out, _) = program.output();
    let text = String::from_utf8_lossy(&out);
    if !text.contains("won normally!") {
        bail!("the duel did not end by the rules: {}", text.lines().last().unwrap_or_default());
    }
    ensure!(code == Some(0), "the referee ended with {code:?}");
    let verified = bench.start("reference-gm").args(["verify", &replay]).run(DEADLINE)?;
    ensure!(verified.code == Some(0), "the replay does not match its record: {}", verified.complaint());
    Ok(format!("{peak} MiB; SIGTERM took {took:.0?}"))
}
