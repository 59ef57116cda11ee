//! Leagues with strategies of an author, which the shipped program does not have.

use std::fs;
use std::num::NonZeroUsize;

use game_dots::{Edge, State};
use game_env::RandomPolicy;
use league::file::League;
use league::in_process::InProcess;
use league::runner::run;
use sdk::prelude::{Choice, Strategy, View};
use strategies::dots::greedy::{Greedy, SLIP};
use strategies::notation::number;
use strategies::project::registry;
use strategies::project::room::ProjectRoom;
use strategies::room::{Entry, PolicyRoom, Rooms};

use crate::leagues::create_store;

const FILE: &str = r#"
game = "dots"
preset = "small"
seed = 5
[schedule]
sets = 4
[[entrant]]
strategy = "careless:slip=0.25"
[[entrant]]
strategy = "any"
[[entrant]]
strategy = "greedy"
"#;

const PROGRAM: &str = "tests 1.0";

/// Plays the league with own strategies.
fn with_own() -> InProcess {
    let careless = Entry::new("careless", "greedy with slips", &[SLIP], |values, chance, _| {
        Box::new(Greedy::slipping(chance, number(values, SLIP.name)))
    });
    let any = Entry::new("any", "any edge", &[], |_, chance, _| Box::new(RandomPolicy::<Edge>::new(chance)));
    let room = PolicyRoom::<State>::shipped().with(careless).expect("a new name");
    InProcess::new(PROGRAM).with(Rooms::shipped().with(room.with(any).expect("a new name")))
}

/// The files of a league that is played by this number of threads.
fn play(jobs: usize) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let plays = with_own();
    let league = League::read("own", FILE, &plays).expect("the league is sound");
    let mut store = create_store(folder.path(), "own", FILE, &plays);
    let jobs = NonZeroUsize::new(jobs).expect("some jobs");
    let progress = run(&league, &plays, &mut store, jobs, &()).expect("a league that can be played");
    let origin = store.origin().expect("an origin");
    let standings = league::standings::Standings::new(&league, &origin, &progress);
    standings.write(&league, &store).expect("files that can be written");
    let read = |name| fs::read_to_string(folder.path().join(name)).expect("a file of results");
    ["standings.json", "standings.csv", "matches.jsonl"].map(read).to_vec()
}

#[test]
fn a_league_with_own_strategies_gives_the_same_bytes_twice() {
    let files = play(1);
    assert_eq!(files[2].lines().count(), 24, "three pairings, four sets of two matches");
    assert!(files[2].contains("\"careless:slip=0.25\"") && files[0].contains("any"), "{}", files[0]);
    assert_eq!(play(1), files);
    assert_eq!(play(3), files, "three threads");
}

#[test]
fn a_league_file_names_own_strategies_only_where_the_rooms_have_them() {
    let error = League::read("own", FILE, &InProcess::new(PROGRAM)).expect_err("nobody has added them");
    let error = error.to_string();
    assert!(error.contains("unknown strategy `careless`: expected one of random, greedy, chains"), "{error}");
    assert!(error.contains("unknown strategy `any`"), "every fault is named: {error}");
    let misspelt = FILE.replace("\"any\"", "\"careles\"");
    let error = League::read("own", &misspelt, &with_own()).expect_err("no such strategy").to_string();
    assert!(error.contains("did you mean `careless`?"), "{error}");
}

struct Looker;

impl Strategy for Looker {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        view.discover()
    }
}

static LOOKER: registry::Entry =
    registry::Entry::new("looker", "discovers again and again", &[], |_| Box::new(Looker));

#[test]
fn an_own_strategy_is_refused_over_the_network_by_the_line_of_its_entrant() {
    const IN_PROCESS: &str = r#"
game = "project"
[[entrant]]
strategy = "greedy"
[[entrant]]
name = "mixed"
strategy = "greedy:slip=0.5+looker"
"#;
    let room = ProjectRoom::shipped().with(&LOOKER).expect("a new name");
    let plays = InProcess::new(PROGRAM).with(Rooms::shipped().with(room));
    let read = |file: &str| League::read("own", file, &plays).map_err(|error| error.to_string());
    assert!(read(IN_PROCESS).is_ok());
    let networked =
        IN_PROCESS.replace("[[entrant]]\nstrategy", "executor = \"network\"\n[[entrant]]\nstrategy");
    assert_eq!(
        read(&networked).expect_err("it has an own strategy"),
        "  line 8, column 12: entrant `mixed`: the own strategy `looker` plays only in process: \
         leave out `executor = \"network\"`"
    );
    assert!(read(&networked.replace("+looker", "")).is_ok(), "shipped strategies play over the network");
    let with_command = format!("{IN_PROCESS}[[entrant]]\nname = \"program\"\ncommand = [\"agent\"]\n");
    let error = read(&with_command).expect_err("the command plays over the network");
    assert!(error.starts_with("  line 7, column 12: entrant `mixed`: the own strategy `looker`"), "{error}");
    assert!(error.contains("and all entrants with `command` or `join`"), "{error}");
}
