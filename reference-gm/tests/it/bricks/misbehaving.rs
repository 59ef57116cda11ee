//! Twenty-four programs that misbehave, each against an honest one: its letter, and the processes that it leaves
//! behind.
//!
//! No result depends on how fast the machine is. A program that is to be late or silent has a short limit, and its
//! opponent is not asked for a move; all other limits are too long to matter.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::Value;

use super::{HONEST, PATIENT, TWO_BRICKS, player, processes_in, referee};

/// A program, and what must come of it.
struct Case {
    name: &'static str,
    /// The script after the answer to the opening; or the whole script, if it begins with `!`.
    script: &'static str,
    /// Parameters beside the usual ones.
    set: &'static [&'static str],
    letter: &'static str,
    /// A part of the message.
    told: &'static str,
}

const fn case(
    name: &'static str,
    script: &'static str,
    set: &'static [&'static str],
    letter: &'static str,
    told: &'static str,
) -> Case {
    Case { name, script, set, letter, told }
}

/// A program that says nothing for this long is silent.
const SILENT_SOON: &[&str] = &["moveLimitMs=100", "silenceLimitMs=1000"];

/// A game that the first player loses by the rules.
const WON: &str = "Player honest won normally!";

const CASES: [Case; 24] = [
    case("late", "read -r s; sleep 1; echo 0x0_1x0; read -r s", &["moveLimitMs=100"], "T", "(limit 100 ms)"),
    case("silent", "read -r s; sleep 1000", SILENT_SOON, "D", "wrote no line within 1000 ms"),
    case("crashing", "read -r s; exit 3", &[], "D", "its program ended with exit code 3"),
    case(
        "forking",
        "read -r s; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 1000 & done; wait",
        &["processes=8"],
        "D",
        "it had more processes than it may",
    ),
    // Whether it floods before or after the question depends on the machine.
    case("flooding-stdout", "yes", &[], "P", "wrote "),
    case(
        "flooding-stderr",
        "head -c 20000000 /dev/zero >&2; yes >&2 & read -r s; echo 0x0_1x0; read -r s",
        &[],
        "N",
        WON,
    ),
    case(
        "printing-ahead",
        "!read -r o; printf 'OK\\n0x0_1x0\\n'; sleep 1000",
        &[],
        "P",
        "wrote `0x0_1x0` before it was asked",
    ),
    case("diagonal", "read -r s; echo 0x0_1x1; read -r s", &[], "M", "on cells that are no neighbours"),
    case("distant", "read -r s; echo 0x0_0x2; read -r s", &[], "M", "on cells that are no neighbours"),
    case("occupied", "read -r s; echo 1x0_1x1; read -r s", &[], "M", "put 1x0_1x1 on a filled cell"),
    case("outside", "read -r s; echo 2x0_3x0; read -r s", &[], "M", "put 2x0_3x0, which is not on the board"),
    case(
        "junk-behind",
        "read -r s; echo '0x0_1x0 hello'; read -r s",
        &[],
        "P",
        "`0x0_1x0␣hello` is no brick",
    ),
    case(
        "wrong-newline",
        "!read -r o; printf 'OK\\r'; read -r s; printf '0x0_1x0\\r'; read -r s",
        &[],
        "N",
        WON,
    ),
    case(
        "no-newline",
        "!read -r o; printf OK; sleep 1000",
        &["answerLimitMs=100", "silenceLimitMs=1000"],
        "D",
        "wrote no line within 1000 ms",
    ),
    case(
        "half-a-line",
        "read -r s; printf 0x0_; sleep 1000",
        SILENT_SOON,
        "D",
        "wrote no line within 1000 ms",
    ),
    // The opening is longer than the system's buffer for a program that does not read.
    case(
        "never-reading",
        "!sleep 1000",
        &["size=201", "filledCells=", "filled=20000", "silenceLimitMs=1000"],
        "D",
        "did not read its input for 1000 ms",
    ),
    case(
        "ignoring-signals",
        "trap '' TERM INT HUP; read -r s; echo 0x0_1x0; while :; do sleep 1; done",
        &["graceMs=50"],
        "N",
        WON,
    ),
    case(
        "eating-memory",
        "read -r s; x=12345678; while :; do x=$x$x; done",
        &["memoryMib=64"],
        "D",
        "its program ",
    ),
    case(
        "starting-slowly",
        "!sleep 2; read -r o; echo OK; read -r s",
        &["answerLimitMs=100"],
        "K",
        "(limit 100 ms)",
    ),
    case(
        "writing-after-the-end",
        "read -r s; echo 0x0_1x0; read -r s; while :; do echo 0x2_1x2; done",
        &[],
        "N",
        WON,
    ),
    case(
        "reading-the-opponents-folder",
        "!read -r o; if cat ../honest/player.sh >stolen 2>/dev/null || cat ../honest/player.sh >/dev/null 2>&1; then \
         echo stolen; else echo OK; fi; read -r s; echo 0x0_1x0; read -r s",
        &[],
        "N",
        WON,
    ),
    case("binary", "read -r s; printf '\\377\\376\\000\\033\\n'; read -r s", &[], "P", "is not text"),
    case(
        "a-megabyte",
        "read -r s; head -c 1048576 /dev/zero | tr '\\000' x; echo; read -r s",
        &[],
        "P",
        "a line of more than 256 bytes",
    ),
    case("two-bricks", "read -r s; echo '0x0_1x0 0x2_1x2'; read -r s", &[], "P", "is no brick"),
];

/// Plays a case, and returns the fault of its end.
fn play(case: &Case, folder: &Path) -> Result<(), String> {
    let script = case
        .script
        .strip_prefix('!')
        .map_or_else(|| format!("read -r opening; echo OK; {}", case.script), str::to_owned);
    player(folder, "bad", &script);
    player(folder, "honest", HONEST);
    let mut words = vec!["duel", "bad", "honest", "--json", "--no-page"];
    let own = |name: &str| case.set.iter().any(|pair| pair.starts_with(name));
    let usual = |pair: &&str| pair.split_once('=').is_none_or(|(name, _)| !own(name));
    // A parameter may be set once.
    let mut usual_words =
        PATIENT.chunks(2).filter(|pair| usual(&pair[1])).flatten().copied().collect::<Vec<_>>();
    if !own("size=") {
        usual_words.extend(TWO_BRICKS);
    }
    words.extend(usual_words);
    words.extend(case.set.iter().flat_map(|pair| ["--set", *pair]));
    let run = referee(folder, &words);
    let told = || format!("{}: {run:?}", case.name);
    if run.code != 0 {
        return Err(told());
    }
    let result: Value =
        serde_json::from_str(&run.out).map_err(|error| format!("{}: {error}: {run:?}", case.name))?;
    let message = result["message"].as_str().unwrap_or_default();
    let is_confined = child_process::check_confinement().is_ok();
    let (letter, expected) = if case.name == "reading-the-opponents-folder" && !is_confined {
        ("P", "should have answered OK, and wrote `stolen`")
    } else {
        (case.letter, case.told)
    };
    if result["winner"] != "honest" || result["letter"] != letter || !message.contains(expected) {
        return Err(told());
    }
    // The honest program came to no harm.
    let honest = result["programs"][1].as_str();
    if honest.is_some_and(|end| end != "ended with exit code 0" && end != "was stopped") {
        return Err(told());
    }
    let left = processes_in(folder);
    if left.is_empty() { Ok(()) } else { Err(format!("{}: {left:?} stay behind", case.name)) }
}

#[test]
fn each_misbehaving_program_gets_its_letter_and_leaves_nothing() {
    /// As many at once that those which wait do not add up, and few enough that a small machine does not start to
    /// swap.
    const AT_ONCE: usize = 8;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut faults = Vec::new();
        while let Some(case) = CASES.get(next.fetch_add(1, Ordering::Relaxed)) {
            let folder = tempfile::tempdir().unwrap();
            faults.extend(play(case, folder.path()).err());
        }
        faults
    };
    let faults: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
