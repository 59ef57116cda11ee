//! `league plan` and `league collect`, with the recipes for batch systems in `examples/batch`. The names of their
//! folders have spaces.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::json;

use crate::run::{PROGRAM, league, text};

/// Two entrants are the same strategy: some of their matches are equal as values.
const FILE: &str = "game = \"dots\"\npreset = \"small\"\nseed = 3\n[schedule]\nsets = 4\n\
                    [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n\
                    [[entrant]]\nname = \"second\"\nstrategy = \"greedy\"\n";

/// Its second round depends on the results of the first one.
const SWISS: &str = "game = \"dots\"\npreset = \"small\"\n[schedule]\nkind = \"swiss\"\nrounds = 2\nsets = 2\n\
                        [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n\
                        [[entrant]]\nname = \"a\"\nstrategy = \"random\"\n[[entrant]]\nname = \"b\"\nstrategy = \"random\"\n";

/// A scheduler of arrays for tests: it runs the tasks, and names each by an environment variable.
const ARRAY: &str = "#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in
        --array=*) range=${1#--array=}; shift;;
        --array) range=$2; shift 2;;
        --name) shift 2;;
        submit) shift;;
        --*) shift;;
        *) break;;
    esac
done
for task in $(seq ${range%-*} ${range#*-}); do
    SLURM_ARRAY_TASK_ID=$task HQ_TASK_ID=$task \"$@\" || exit 1
done
";

/// GNU parallel for tests: for each line it joins its words behind `--retries 3` with spaces, and gives them to a
/// shell.
const PARALLEL: &str = "#!/bin/sh
shift 2
while read -r line; do
    sh -c \"$(printf '%s' \"$*\" | sed \"s/{}/$line/g\")\" < /dev/null || exit 1
done
";

#[track_caller]
fn done(ended: &Output) -> String {
    assert!(ended.status.success(), "{}", text(&ended.stderr));
    text(&ended.stdout)
}

/// A folder with the league file `small.toml`, and the league as `league run` plays it in `one`.
fn played_alone(file: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("small.toml"), file).expect("a file");
    done(&league(folder.path(), &["run", "small.toml", "--out", "one"]));
    folder
}

#[track_caller]
fn assert_same_files(folder: &Path, other: &str) {
    for file in ["standings.json", "standings.csv", "matches.jsonl"] {
        let [one, other] = ["one", other].map(|out| fs::read(folder.join(out).join(file)).expect("a file"));
        assert!(one == other, "{file} differs");
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Plays the planned files of the league in this folder.
fn play(folder: &Path, out: &str, files: &[String]) {
    for file in files {
        let (spec, record) = (format!("{out}/specs/{file}"), format!("{out}/records/{file}"));
        done(&league(folder, &["play", "--spec", &spec, "--out", &record]));
    }
}

/// Runs a recipe with this program in PATH, and `further` before it.
fn recipe(folder: &Path, further: &Path, words: &[&str]) -> Output {
    let recipes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/batch");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = Path::new(PROGRAM).parent().expect("a folder").to_owned();
    let folders = [further.to_owned(), own].into_iter().chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).expect("paths without colons");
    let mut command = Command::new("env");
    command.env("PATH", path).current_dir(folder);
    for word in words {
        match word.strip_suffix(".sh") {
            Some(_) => command.arg(recipes.join(word)),
            None => command.arg(word),
        };
    }
    command.output().expect("`env` starts")
}

/// Returns a folder with this script as a stand-in for a scheduler.
fn stand_in(folder: &Path, name: &str, script: &str) -> PathBuf {
    let programs = folder.join("programs");
    fs::create_dir_all(&programs).expect("a folder");
    fs::write(programs.join(name), script).expect("a file");
    fs::set_permissions(programs.join(name), fs::Permissions::from_mode(0o755)).expect("it is ours");
    programs
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[test]
fn the_recipe_for_slurm_gives_the_files_of_one_process() {
    let folder = played_alone(FILE);
    let path = folder.path();
    let planned = done(&league(path, &["plan", "small.toml", "--out", "of slurm", "--chunk", "5"]));
    assert!(planned.starts_with("24 matches in "), "{planned}");
    let programs = stand_in(path, "sbatch", ARRAY);
    let array = format!("--array=1-{}", names(&path.join("of slurm/specs")).len());
    done(&recipe(path, &programs, &["sbatch", &array, "slurm.sh", "of slurm"]));
    let collected = league(path, &["collect", "of slurm"]);
    assert!(done(&collected).contains("greedy"), "{}", text(&collected.stderr));
    assert!(text(&collected.stderr).starts_with("24 matches added\n"), "{}", text(&collected.stderr));
    assert_same_files(path, "of slurm");
    // The folder is that of a league like any other.
    done(&league(path, &["verify", "of slurm", "--sample", "100%"]));
    assert!(names(&path.join("of slurm/records")).is_empty(), "what was collected is in the store");
}

#[test]
fn the_recipe_for_hyperqueue_gives_the_files_of_one_process() {
    let folder = played_alone(FILE);
    let path = folder.path();
    done(&league(path, &["plan", "small.toml", "--out", "of hq"]));
    let programs = stand_in(path, "hq", ARRAY);
    done(&recipe(path, &programs, &["hyperqueue.sh", "of hq"]));
    done(&league(path, &["collect", "of hq"]));
    assert_same_files(path, "of hq");
}

#[test]
fn the_recipe_for_parallel_gives_the_files_of_one_process() {
    let folder = played_alone(FILE);
    let path = folder.path();
    let programs =
        if is_installed("parallel") { path.to_owned() } else { stand_in(path, "parallel", PARALLEL) };
    done(&league(path, &["plan", "small.toml", "--out", "of many", "--chunk", "5"]));
    done(&recipe(path, &programs, &["parallel.sh", "of many"]));
    done(&league(path, &["collect", "of many"]));
    assert_same_files(path, "of many");
}

#[test]
fn a_round_that_depends_on_results_is_planned_after_them() {
    let folder = played_alone(SWISS);
    let path = folder.path();
    for round in 1..=2 {
        assert!(!path.join("many/standings.json").exists(), "round {round} is to be played");
        done(&league(path, &["plan", "small.toml", "--out", "many"]));
        play(path, "many", &names(&path.join("many/specs")));
        done(&league(path, &["collect", "many"]));
    }
    assert_same_files(path, "many");
    // When it is over, the same command tells the standings.
    assert!(done(&league(path, &["plan", "small.toml", "--out", "many"])).contains("greedy"));
}

#[test]
fn records_that_are_missing_doubled_or_foreign_are_named() {
    let folder = played_alone(FILE);
    let path = folder.path();
    done(&league(path, &["plan", "small.toml", "--out", "many"]));
    let files = names(&path.join("many/specs"));
    assert!(files.len() < 24, "matches that are equal share a file");
    play(path, "many", &files);
    let record = |file: &str| path.join("many/records").join(file);
    let refused = |expected: &str| {
        let ended = league(path, &["collect", "many"]);
        assert_eq!(ended.status.code(), Some(1), "{}", text(&ended.stdout));
        assert!(text(&ended.stderr).contains(expected), "{}", text(&ended.stderr));
    };
    let sound = fs::read_to_string(record("1.json")).expect("a record");
    let (first, rest) = sound.split_once('\n').expect("a line");
    let mut of_three: serde_json::Value = serde_json::from_str(first).expect("JSON");
    of_three["outcome"]["places"] = json!([1, 1, 1]);
    of_three["outcome"]["returns"] = json!([0, 0, 0]);
    of_three["metrics"] = json!({});
    for (faulty, expected) in [
        (
            sound.replace("\"program\":\"league ", "\"program\":\"league 9"),
            "1.json, line 1: it was played by league 9",
        ),
        (sound.replace("\"rules\":1,", "\"rules\":77,"), "it was played by version 77 of the rules of dots"),
        (sound.replace("\"seed\":\"", "\"seed\":\"1"), "1.json, line 1: the league has no such match"),
        (sound[..sound.len() / 2].to_owned(), "1.json, line 1: this is not a match record"),
        (format!("{of_three}\n{rest}"), "1.json, line 1: it has places for 3 teams: expected 2"),
    ] {
        assert_ne!(faulty, sound);
        fs::write(record("1.json"), faulty).expect("a file");
        refused(expected);
    }
    fs::write(record("1.json"), &sound).expect("a file");
    // A plan over records that wait is refused.
    let planned = league(path, &["plan", "small.toml", "--out", "many"]);
    assert!(text(&planned.stderr).contains("records that are not collected"), "{}", text(&planned.stderr));
    // Two records of one match that differ.
    fs::write(record("extra.json"), sound.replace("\"blunders\":0", "\"blunders\":1")).expect("a file");
    refused(
        "extra.json, line 1: it differs from the record of the same match in many/records/1.json, line 1",
    );
    // The same record twice counts once; a match without one is named by its file, and can be planned alone.
    fs::write(record("extra.json"), &sound).expect("a file");
    let last = files.last().expect("a file");
    fs::remove_file(record(last)).expect("a record");
    refused("to play have no record: ");
    done(&league(path, &["plan", "small.toml", "--out", "many"]));
    assert_eq!(names(&path.join("many/specs")), ["1.json"]);
    play(path, "many", &["1.json".to_owned()]);
    done(&league(path, &["collect", "many"]));
    assert_same_files(path, "many");
}

#[test]
fn what_cannot_be_planned_or_collected_says_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("small.toml"), FILE).expect("a file");
    fs::write(path.join("other.toml"), FILE.replace("seed = 3", "seed = 4")).expect("a file");
    let programs = "game = \"project\"\n[[entrant]]\nname = \"a\"\ncommand = [\"x\"]\n[[entrant]]\nstrategy = \"random\"\n";
    fs::write(path.join("programs.toml"), programs).expect("a file");
    // The whole file has more bytes than one match may have.
    done(&league(path, &["plan", "small.toml", "--out", "long"]));
    let first = fs::read_to_string(path.join("long/specs/1.json")).expect("a plan");
    let blank = " ".repeat(1 << 20) + "\n";
    let padded = first.clone() + &blank.repeat(17);
    fs::write(path.join("padded.json"), &padded).expect("a file");
    let record = done(&league(path, &["play", "--spec", "padded.json"]));
    assert_eq!(record.lines().count(), 1);
    // The records before a fault are kept.
    let unknown = first.replacen("\"random\"", "\"nobody\"", 1).replacen("\"greedy\"", "\"nobody\"", 1);
    fs::write(path.join("faulty.json"), first + &unknown).expect("a file");
    let refused = league(path, &["play", "--spec", "faulty.json", "--out", "kept.json"]);
    assert!(text(&refused.stderr).contains("nobody"), "{}", text(&refused.stderr));
    assert_eq!(fs::read_to_string(path.join("kept.json")).expect("records"), record);
    let timed = "game = \"project\"\n[limits]\nthink_limit_ms = 100\n[[entrant]]\nname = \"a\"\n\
                 strategy = \"python3 agent.py\"\n[[entrant]]\nstrategy = \"random\"\n";
    fs::write(path.join("timed.toml"), timed).expect("a file");
    fs::write(path.join("two.json"), "{\"format\":\"match\"}\n{}\n").expect("a file");
    done(&league(path, &["plan", "small.toml", "--out", "many"]));
    for (words, code, expected) in [
        (&["plan", "programs.toml"][..], 2, "programs.toml is played in real time"),
        (
            &["plan", "timed.toml"],
            2,
            "timed.toml limits the time of decisions of programs by `think_limit_ms`",
        ),
        (&["plan", "other.toml", "--out", "many"], 2, "many has a league with another name"),
        (&["plan", "small.toml", "--chunk", "0"], 2, "1..=10000"),
        (&["collect", "nowhere"], 1, "nowhere has no league"),
        (&["collect", "many"], 1, "24 of 24 matches to play have no record: "),
        (&["play", "--spec", "two.json"], 2, "line 1: "),
    ] {
        let refused = league(path, words);
        assert_eq!(refused.status.code(), Some(code), "{words:?}: {}", text(&refused.stderr));
        assert!(text(&refused.stderr).contains(expected), "{words:?}: {}", text(&refused.stderr));
    }
}
