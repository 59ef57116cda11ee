//! Whole leagues: the same results for any number of jobs, and after any number of kills.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use contests::entrant::EntrantId;
use game_env::matches::MatchSpec;
use game_env::{Outcome, Ranking, Returns, Seed, Termination};
use league::executor::{CannotPlay, Executor, Played};
use league::file::League;
use league::in_process::InProcess;
use league::program_files::ProgramFiles;
use league::progress::{Next, Progress, Task};
use league::runner::{MOST_REPETITIONS, Observer, RunError, run};
use league::standings::{Standings, leaders};
use league::store::{Origin, Store};

use crate::run::command;

const PROJECT: &str = r#"
game = "project"
preset = "quick"
seed = 11
[schedule]
sets = 6
[[entrant]]
strategy = "greedy"
[[entrant]]
strategy = "coordinated"
[[entrant]]
name = "mixed"
strategy = "greedy+coordinated"
"#;

const EARLY: &str = r#"
game = "dots"
preset = "original"
early_stop = { confidence = 0.95 }
schedule = { sets = 1_000 }
[[entrant]]
strategy = "random"
[[entrant]]
strategy = "greedy"
"#;

const DOTS: &str = r#"
game = "dots"
preset = "small"
seed = 12
replays = "all"
[schedule]
kind = "swiss"
sets = 10
[[entrant]]
strategy = "greedy"
[[entrant]]
strategy = "random"
[[entrant]]
name = "second"
strategy = "greedy"
[[entrant]]
name = "third"
strategy = "random"
"#;

const FILES: [&str; 3] = ["standings.json", "standings.csv", "matches.jsonl"];

/// Begins the store of a league of this name, which this executor plays.
pub(crate) fn create_store(folder: &Path, name: &str, file: &str, executor: &dyn Executor) -> Store {
    let origin = Origin {
        name: name.to_owned(),
        file: file.to_owned(),
        executor: executor.name().to_owned(),
        program: executor.program().to_owned(),
        folder: String::new(),
        is_confined: false,
    };
    Store::create(folder, &origin, &ProgramFiles::default()).expect("a store")
}

fn league(file: &str) -> League {
    League::read("tests", file, &InProcess::new("tests 1.0")).expect("the league is sound")
}

fn jobs(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).expect("some jobs")
}

/// The standings of a whole league that this executor plays, and its files.
pub(crate) fn play(file: &str, executor: &dyn Executor, count: usize) -> (Standings, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let league = league(file);
    let mut store = create_store(folder.path(), "tests", file, executor);
    let progress = run(&league, executor, &mut store, jobs(count), &()).expect("a league that can be played");
    let standings = Standings::new(&league, &store.origin().expect("an origin"), &progress);
    standings.write(&league, &store).expect("files that can be written");
    (standings, files(folder.path()))
}

fn files(folder: &Path) -> Vec<String> {
    FILES.map(|name| fs::read_to_string(folder.join(name)).expect("a file of results")).to_vec()
}

#[test]
fn results_do_not_depend_on_the_number_of_jobs() {
    for (file, matches) in [(PROJECT, 36), (DOTS, 80)] {
        let executor = InProcess::new("tests 1.0");
        let (standings, alone) = play(file, &executor, 1);
        assert_eq!(standings.matches().counted, matches);
        assert_eq!(alone[2].lines().count() as u64, matches);
        for count in [2, 8] {
            assert_eq!(play(file, &executor, count).1, alone, "{count} jobs");
        }
    }
}

/// The program is killed five times while it plays, each time after some more matches, and goes on each time.
#[test]
fn results_are_the_same_after_kills() {
    // Long enough to be interrupted.
    let project = PROJECT.replace("sets = 6", "sets = 30");
    let dots = DOTS.replace("sets = 10", "sets = 60").replace("small", "large");
    for (file, seed) in [(project, 1), (dots, 2)] {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("tests.toml"), file).expect("a league file");
        let (whole, killed) = (folder.path().join("whole"), folder.path().join("killed"));
        let quiet = |words: &[&str]| {
            let mut command = command(folder.path(), words);
            command.stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        let status = quiet(&["run", "tests.toml", "--out", "whole"]).status();
        assert!(status.is_ok_and(|status| status.success()));
        let mut chance = Seed::new(seed).game();
        let expected =
            fs::read_to_string(whole.join("matches.jsonl")).expect("matches").lines().count() as u64;
        let (mut stored, mut interruptions) = (0, 0);
        for kill in 0..5 {
            let mut child = match kill {
                0 => quiet(&["run", "tests.toml", "--out", "killed"]),
                _ => quiet(&["resume", "killed"]),
            }
            .spawn()
            .expect("the program starts");
            let until = stored + 1 + u64::from(chance.below(8));
            while stored < until && child.try_wait().is_ok_and(|ended| ended.is_none()) {
                stored = Store::look(&killed).and_then(|store| store.count()).unwrap_or(stored);
            }
            child.kill().expect("a child can be killed");
            child.wait().expect("a child ends");
            stored = Store::look(&killed).and_then(|store| store.count()).expect("a store");
            interruptions += u32::from(stored < expected);
        }
        assert!(interruptions > 0, "it was done before it was killed");
        let status = quiet(&["resume", "killed"]).status();
        assert!(status.is_ok_and(|status| status.success()));
        assert_eq!(files(&killed), files(&whole));
    }
}

/// Claims in messages between agents are counted for those that make them, and for those that believe them.
#[test]
fn claims_are_counted_by_teams() {
    let file = PROJECT
        .replace("sets = 6", "sets = 1\n[configuration]\nteamSize = 4")
        .replace("strategy = \"greedy\"\n", "strategy = \"liar+asker*3\"\n");
    let (league, executor) = (league(&file), InProcess::new("tests 1.0"));
    let (mut lies, mut believed_lies) = (0.0, 0.0);
    for set in 1..=6 {
        let id = format!("1-2/{set}/0").parse().expect("a match of the league");
        let spec = league.spec(&league.seeds().schedule(id));
        let played = executor.play(&spec, false).expect("a match that can be played");
        let metrics = &played.record.metrics;
        let of = |name: &str| metrics.get(name).unwrap_or_else(|| panic!("{name} is not measured"));
        for team in 0..2 {
            let [told, faulty] = ["claims_true", "claims_false"].map(|name| of(name)[team]);
            let kinds = ["claims_stale", "claims_mistaken", "claims_lies"].map(|name| of(name)[team]);
            assert_eq!(kinds.iter().sum::<f64>(), faulty, "{metrics}");
            // Questions stay within a team, and so do answers.
            let [believed, believed_false] =
                ["claims_believed", "claims_believed_false"].map(|name| of(name)[team]);
            assert!(believed <= told + faulty && believed_false <= faulty, "{metrics}");
            assert!(of("claims_answered")[team] <= of("claims_asked")[team], "{metrics}");
        }
        lies += of("claims_lies")[0];
        believed_lies += of("claims_believed_false")[0];
        assert_eq!(of("claims_lies")[1], 0.0, "{metrics}");
    }
    assert!(lies > 0.0 && believed_lies > 0.0, "one team has a liar: {lies} {believed_lies}");
}

/// Every entrant plays each side on the same seed, and standings are as they should be.
#[test]
fn a_league_of_dots_ranks_greedy_before_random() {
    let (standings, files) = play(DOTS, &InProcess::new("tests 1.0"), 2);
    let names: Vec<&str> = standings.entrants().iter().map(|own| own.name.as_str()).collect();
    assert!(names[..2].contains(&"greedy") && names[..2].contains(&"second"), "{names:?}");
    for own in standings.entrants() {
        assert_eq!((own.matches, own.won + own.drawn + own.lost), (40, 40));
        assert_eq!(own.points, own.won as f64 + own.drawn as f64 / 2.0);
        let elo = own.elo.expect("it has played");
        assert!(elo.low <= elo.value && elo.value <= elo.high);
    }
    let points: f64 = standings.entrants().iter().map(|own| own.points).sum();
    assert_eq!(points, 80.0);
    let first: serde_json::Value = serde_json::from_str(files[2].lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["number"], &first["id"], &first["verdict"]),
        (&1.into(), &"1-2/1/0".into(), &"normal".into())
    );
    assert_eq!(first["record"]["match"]["entrants"], serde_json::json!(["greedy", "random"]));
    assert_eq!(first["at_fault"], serde_json::json!([]));
}

/// `e` loses to `a` in the second round. Only `e` has a win over `random`, so its Elo is the highest.
#[test]
fn the_winner_of_a_knockout_is_the_first_whatever_its_elo() {
    let mut file = r#"
game = "dots"
preset = "small"
seed = 3
schedule = { kind = "knockout", sets = 1 }
"#
    .to_owned();
    for (name, strategy) in
        [("a", "greedy"), ("b", "greedy"), ("c", "greedy"), ("d", "random"), ("e", "greedy")]
    {
        file += &format!("[[entrant]]\nname = \"{name}\"\nstrategy = \"{strategy}\"\n");
    }
    let (standings, files) = play(&file, &InProcess::new("tests 1.0"), 2);
    insta::assert_snapshot!(standings, @r"
    rank  entrant  matches     won   drawn    lost    points   score      Elo  95 % interval
       1  a             84      27      30      27        42  50.0 %    +59.7  -132.1 to +164.4
       2  b             84      25      34      25        42  50.0 %    +57.3  -130.2 to +158.6
       3  e             44      17      12      15        23  52.3 %    +63.4  -129.2 to +165.1
       4  c             42      13      16      13        21  50.0 %    +56.2  -138.6 to +168.4
       5  d              2       0       0       2         0   0.0 %   -236.6  -651.4 to +527.9
    a has won the knockout
    ");
    assert!(files[0].contains("\"winner\": \"a\""), "{}", files[0]);
}

/// `a` wins five of eight matches against each, and `b` all against `c` and three against `a`: `b` has more points.
#[test]
fn the_leader_of_a_knockout_has_won_the_most_rounds() {
    let mut file = "game = \"dots\"\nschedule = { kind = \"knockout\", sets = 4 }\n".to_owned();
    for name in ["a", "b", "c", "d"] {
        file += &format!("[[entrant]]\nname = \"{name}\"\nstrategy = \"greedy\"\n");
    }
    let league = league(&file);
    let mut progress = Progress::new(&league);
    let mut lost_by_a = BTreeMap::new();
    while let Next::Play(task) = progress.next_task() {
        let seated: Vec<usize> = task.scheduled.id.seated().map(|entrant| entrant.index()).collect();
        let (best, other) = (seated[0].min(seated[1]), seated[0].max(seated[1]));
        let lost = lost_by_a.entry(other).or_insert(0);
        let a_loses = best == 0 && *lost < 3;
        *lost += i32::from(a_loses);
        let winner = if a_loses { other } else { best };
        let points: Vec<i32> = seated.iter().map(|own| i32::from(*own == winner)).collect();
        let returns = Returns::new(&points);
        let ranking = Ranking::by_points(&returns);
        progress
            .end(task.number, &Outcome { ranking, termination: Termination::Normal, fault: None, returns });
    }
    assert_eq!(leaders(&league, &progress), "1. a 62.5 %  2. b 68.8 %  3. d 37.5 %");
}

#[test]
fn a_settled_order_ends_a_league_early_with_any_number_of_jobs() {
    let executor = InProcess::new("tests 1.0");
    let (standings, files) = play(EARLY, &executor, 1);
    let matches = standings.matches();
    assert!(matches.counted < 200 && matches.saved == Some(2_000 - matches.counted), "{matches:?}");
    assert_eq!(files[2].lines().count() as u64, matches.counted);
    assert_eq!(standings.entrants()[0].name, "greedy");
    assert!(standings.to_string().contains("the order is settled after"), "{standings}");
    assert_eq!(play(EARLY, &executor, 8).1, files);
}

/// Of three, one has no opponent in the only round.
#[test]
fn an_entrant_without_a_match_has_no_strength() {
    let mut file = "game = \"dots\"\nschedule = { kind = \"swiss\", rounds = 1 }\n".to_owned();
    for name in ["a", "b", "c"] {
        file += &format!("[[entrant]]\nname = \"{name}\"\nstrategy = \"greedy\"\n");
    }
    let (standings, files) = play(&file, &InProcess::new("tests 1.0"), 1);
    let known: Vec<bool> = standings.entrants().iter().map(|own| own.elo.is_some()).collect();
    let expected: Vec<bool> = standings.entrants().iter().map(|own| own.matches > 0).collect();
    assert_eq!((&known, expected.iter().filter(|has_played| **has_played).count()), (&expected, 2));
    assert!(files[1].lines().any(|line| line.ends_with(",,,,")), "{}", files[1]);
}

/// Both semifinals are tied once.
#[test]
fn the_ties_of_a_knockout_count_among_its_matches_as_soon_as_they_are_known() {
    let mut file = "game = \"dots\"\nschedule = { kind = \"knockout\", sets = 1 }\n".to_owned();
    for name in ["a", "b", "c", "d"] {
        file += &format!("[[entrant]]\nname = \"{name}\"\nstrategy = \"greedy\"\n");
    }
    let mut progress = Progress::new(&league(&file));
    let mut expected = vec![(progress.counted(), progress.expected())];
    while let Next::Play(task) = progress.next_task() {
        // The first entrant of the file wins all further sets.
        let seated: Vec<usize> = task.scheduled.id.seated().map(|entrant| entrant.index()).collect();
        let best = seated.iter().min().expect("two sides");
        let points: Vec<i32> = seated.iter().map(|own| i32::from(own == best && task.number > 4)).collect();
        let returns = Returns::new(&points);
        let ranking = Ranking::by_points(&returns);
        progress
            .end(task.number, &Outcome { ranking, termination: Termination::Normal, fault: None, returns });
        if progress.expected() != expected.last().expect("the first").1 {
            expected.push((progress.counted(), progress.expected()));
        }
    }
    assert_eq!(expected, [(0, 6), (4, 10)]);
    assert_eq!((progress.is_over(), progress.counted()), (true, 10));
}

/// Otherwise an entrant would keep the match on its better side.
#[test]
fn a_set_counts_only_if_all_of_its_matches_do() {
    let two = "game = \"dots\"\nschedule = { sets = 2 }\n[[entrant]]\nstrategy = \"greedy\"\n\
               [[entrant]]\nstrategy = \"random\"\n";
    let mut progress = Progress::new(&league(two));
    let first_wins = |termination| {
        let returns = Returns::new(&[1, 0]);
        Outcome { ranking: Ranking::by_points(&returns), termination, fault: None, returns }
    };
    let mut counted = Vec::new();
    for termination in [Termination::Normal, Termination::Stopped, Termination::Normal, Termination::Normal] {
        let Next::Play(task) = progress.next_task() else { panic!("a match is left") };
        progress.end(task.number, &first_wins(termination));
        let points = progress.points().total(EntrantId::from_index(0)).halves();
        counted.push((progress.results().matches(), points));
    }
    assert_eq!(counted, [(0, 0), (0, 0), (0, 0), (2, 2)]);
}

/// The store has all matches, as if all jobs had been under way when the order was settled.
#[test]
fn matches_that_do_not_count_leave_the_store() {
    let whole = r#"
        game = "dots"
        preset = "original"
        schedule = { sets = 100 }
        [[entrant]]
        strategy = "random"
        [[entrant]]
        strategy = "greedy"
    "#;
    let folder = tempfile::tempdir().expect("a folder");
    let plays = InProcess::new("tests 1.0");
    let mut store = create_store(folder.path(), "tests", whole, &plays);
    run(&league(whole), &plays, &mut store, jobs(2), &()).expect("a whole league");
    assert_eq!(store.count().expect("a store"), 200);
    let early = league(&format!("early_stop = {{ confidence = 0.95 }}\n{whole}"));
    let settled = run(&early, &plays, &mut store, jobs(2), &()).expect("a settled league");
    assert!(settled.counted() < 200);
    assert_eq!(store.count().expect("a store"), settled.counted());
}

/// Fails some matches the first times, as a host that is too slow.
struct Faulty {
    plays: InProcess,
    /// Number of plays of each match, by the seed and the entrants.
    played: Mutex<Vec<(MatchSpec, u32)>>,
    faults: u32,
}

impl Executor for Faulty {
    fn name(&self) -> &'static str {
        InProcess::NAME
    }

    fn program(&self) -> &str {
        self.plays.program()
    }

    fn play(&self, spec: &MatchSpec, with_replay: bool) -> Result<Played, CannotPlay> {
        let mut played = self.plays.play(spec, with_replay)?;
        let mut all = self.played.lock().expect("nobody panics");
        let place = all.iter().position(|(own, _)| own == spec).unwrap_or_else(|| {
            all.push((spec.clone(), 0));
            all.len() - 1
        });
        all[place].1 += 1;
        if all[place].1 <= self.faults {
            let outcome = played.record.outcome;
            played.record.outcome = Outcome { termination: Termination::HostFault, ..outcome };
        }
        Ok(played)
    }
}

#[derive(Default)]
struct Repetitions(Mutex<Cell<u64>>);

impl Observer for Repetitions {
    fn match_ended(&self, _: &Task, _: &Progress) {}

    fn host_failed(&self, _: &Task, _: &Played) {
        let count = self.0.lock().expect("nobody panics");
        count.set(count.get() + 1);
    }
}

/// Panics when the first fault of the host is reported.
#[derive(Default)]
struct PanicsOnce(AtomicBool);

impl Observer for PanicsOnce {
    fn match_ended(&self, _: &Task, _: &Progress) {}

    fn host_failed(&self, _: &Task, _: &Played) {
        assert!(self.0.swap(true, Ordering::Relaxed), "the first time");
    }
}

#[test]
fn a_worker_that_panics_does_not_leave_the_others_waiting() {
    let folder = tempfile::tempdir().expect("a folder");
    let faulty = Faulty { plays: InProcess::new("tests 1.0"), played: Mutex::default(), faults: 1 };
    let mut store = create_store(folder.path(), "tests", PROJECT, &faulty);
    let mut play = || run(&league(PROJECT), &faulty, &mut store, jobs(2), &PanicsOnce::default());
    assert!(catch_unwind(AssertUnwindSafe(&mut play)).is_err());
}

/// Plays in process, until the last match that counts has waited for the one behind it to begin. That one cannot be
/// played, and says so at once or when the order is settled.
struct FailsBehind {
    plays: InProcess,
    last: MatchSpec,
    behind: MatchSpec,
    begun: (SyncSender<()>, Mutex<Receiver<()>>),
    /// None if it says so at once.
    settled: Option<Mutex<Receiver<()>>>,
}

impl Executor for FailsBehind {
    fn name(&self) -> &'static str {
        InProcess::NAME
    }

    fn program(&self) -> &str {
        self.plays.program()
    }

    fn play(&self, spec: &MatchSpec, with_replay: bool) -> Result<Played, CannotPlay> {
        let wait = |receiver: &Mutex<Receiver<()>>| receiver.lock().expect("nobody panics").recv();
        if *spec == self.behind {
            self.begun.0.send(()).expect("the last match waits");
            if let Some(settled) = &self.settled {
                wait(settled).expect("the observer is there");
            }
            return Err(CannotPlay("the program was removed".to_owned()));
        }
        if *spec == self.last {
            wait(&self.begun.1).expect("the match behind it begins");
        }
        self.plays.play(spec, with_replay)
    }
}

/// Tells when the order is settled.
struct Settled(SyncSender<()>);

impl Observer for Settled {
    fn match_ended(&self, _: &Task, progress: &Progress) {
        if progress.is_over() {
            // Nobody waits if the other match has failed at once.
            let _ = self.0.send(());
        }
    }
}

#[test]
fn a_match_that_does_not_count_ends_no_league_whose_order_is_settled() {
    let early = league(EARLY);
    let plays = || InProcess::new("tests 1.0");
    let new = |folder: &Path| create_store(folder, "tests", EARLY, &plays());
    let alone = tempfile::tempdir().expect("a folder");
    let counted = run(&early, &plays(), &mut new(alone.path()), jobs(1), &()).expect("a league").counted();
    let mut specs = Vec::new();
    let mut progress = Progress::new(&early);
    while let Next::Play(task) = progress.next_task() {
        specs.push(early.spec(&task.scheduled));
    }
    let at = usize::try_from(counted).expect("a few matches");
    for is_late in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let ((begin, begun), (settle, settled)) = (sync_channel(1), sync_channel(1));
        let executor = FailsBehind {
            plays: plays(),
            last: specs[at - 1].clone(),
            behind: specs[at].clone(),
            begun: (begin, Mutex::new(begun)),
            settled: is_late.then(|| Mutex::new(settled)),
        };
        let mut store = new(folder.path());
        let progress = run(&early, &executor, &mut store, jobs(2), &Settled(settle));
        let progress = progress.expect("a settled league");
        assert_eq!((progress.is_over(), progress.counted()), (true, counted));
        assert_eq!(store.count().expect("a store"), counted);
    }
}

#[test]
fn faults_of_the_host_are_repeated_and_never_scored() {
    // Every match of this one is another value: no two entrants have the same strategy.
    let file = PROJECT;
    let faulty = |faults| Faulty { plays: InProcess::new("tests 1.0"), played: Mutex::default(), faults };
    let expected = play(file, &InProcess::new("tests 1.0"), 2).1;
    assert_eq!(play(file, &faulty(MOST_REPETITIONS - 1), 2).1, expected);
    let folder = tempfile::tempdir().expect("a folder");
    let executor = faulty(MOST_REPETITIONS);
    let mut store = create_store(folder.path(), "tests", file, &executor);
    let observer = Repetitions::default();
    let error = run(&league(file), &executor, &mut store, jobs(1), &observer).unwrap_err();
    assert!(matches!(error, RunError::Host { number: 1, .. }), "{error}");
    assert_eq!(observer.0.lock().expect("nobody panics").get(), u64::from(MOST_REPETITIONS));
    assert_eq!(store.count().unwrap(), 0);
}

/// Panics, as rules with a bug.
struct Broken;

impl Executor for Broken {
    fn name(&self) -> &'static str {
        "broken"
    }

    fn program(&self) -> &str {
        "broken 1.0"
    }

    fn play(&self, _: &MatchSpec, _: bool) -> Result<Played, CannotPlay> {
        panic!("a bug in the rules")
    }
}

#[test]
fn a_bug_ends_the_league_and_names_the_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = create_store(folder.path(), "tests", DOTS, &Broken);
    let error = run(&league(DOTS), &Broken, &mut store, jobs(4), &()).unwrap_err().to_string();
    assert!(error.contains("/1/") && error.contains("the executor panicked"), "{error}");
}
