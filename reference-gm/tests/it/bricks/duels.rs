//! Duels: their output, and replays of them.

use std::fs::{self, File};

use reference_gm::bricks::log;
use serde_json::Value;

use super::{HONEST, PATIENT, TWO_BRICKS, player, processes_in, referee};
use crate::run::run;

fn check(words: &[&str]) -> String {
    let run = run(".".as_ref(), words);
    assert_eq!(run.code, 0, "{run:?}");
    run.out
}

#[test]
fn a_tournament_is_a_league() {
    let folder = tempfile::tempdir().unwrap();
    for words in [&["tournament"][..], &["tournament", "players", "--size", "9", "--json"]] {
        let run = referee(folder.path(), words);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
        let told: Vec<&str> = run.err.lines().collect();
        assert_eq!(told[0], "error: a tournament is a league");
        assert!(
            told[1].contains("import bricks FOLDER`") && told[1].contains("run FOLDER.toml`"),
            "{told:?}"
        );
    }
}

#[test]
fn a_duel_prints_board_and_result() {
    let folder = tempfile::tempdir().unwrap();
    for nick in ["Ada", "Bob"] {
        player(folder.path(), nick, HONEST);
    }
    let mut words = vec!["duel", "Ada", "Bob", "--seed", "7", "--replay", "duel.replay"];
    words.extend(PATIENT);
    words.extend(TWO_BRICKS);
    let run = referee(folder.path(), &words);
    assert_eq!(run.code, 0, "{run:?}");
    let board = "0> 0< #\n#  #  #\n1> 1< #\n0 bricks fit, #0 to move\n\nPlayer Bob won normally!\n\n";
    assert!(run.out.starts_with(board), "{}", run.out);
    assert_eq!(run.out.lines().count(), 10, "{}", run.out);
    assert!(
        run.err.contains("3×3 cells, 5 cells filled, 600000 ms a move, dialect 2018, seed 7\n"),
        "{}",
        run.err
    );
    let replay = folder.path().join("duel.replay");
    let told = check(&["verify", replay.to_str().unwrap()]);
    assert!(told.contains("seed 7, 2 actions") && told.ends_with("every hash is as recorded\n"), "{told}");
    let page = folder.path().join("duel.html");
    check(&["export", replay.to_str().unwrap(), "--html", page.to_str().unwrap()]);
    assert!(fs::read_to_string(page).unwrap().contains("Ada"));
    assert!(processes_in(folder.path()).is_empty());
}

#[test]
fn what_cannot_be_played_is_told_before_anybody_starts() {
    let folder = tempfile::tempdir().unwrap();
    let told = |words: &[&str]| {
        let run = referee(folder.path(), words);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{run:?}");
        run.err.replace(&folder.path().canonicalize().unwrap().display().to_string(), "HERE")
    };
    player(&folder.path().join("two"), "Ada", "exit 1");
    player(&folder.path().join("two"), "Bob", "exit 1");
    fs::write(folder.path().join("two/Bob/info.txt"), "./player.sh\nAda\n").unwrap();
    player(&folder.path().join("one"), "Ada", "exit 1");
    let same = "error: two players are called `Ada`, those in HERE/two/Ada and HERE/two/Bob: expected a name of its own for each\nhint: the folder of a player has its program, and `info.txt` with the command and the name\n";
    assert_eq!(told(&["duel", "two/Ada", "two/Bob"]), same);
    let faulty = told(&["duel", "one/Ada", "two/Bob", "--size", "4", "--set", "colour=red"]);
    assert!(faulty.starts_with(
        "error: the configuration cannot be used\ncolour = \"red\": unknown parameter (in a flag)"
    ));
    assert!(faulty.ends_with("\nhint: `reference-gm bricks config` lists all parameters\n"), "{faulty}");
    assert!(told(&["duel", "one/Ada", "none"]).contains("none/info.txt: No such file or directory"));
    let even = told(&["duel", "one/Ada", "two/Bob", "--size", "4"]);
    assert!(
        even.contains("size = 4: a board of 4×4 cells (in a flag); allowed: an odd number from 3 to 999\n"),
        "{even}"
    );
    let hand = told(&["duel", "one/Ada", "two/Bob", "--mode", "hand"]);
    assert!(hand.contains("two players are called"), "{hand}");
    let nobody = player(&folder.path().join("other"), "Eve", "exit 1");
    let hand = told(&["duel", "one/Ada", nobody.to_str().unwrap(), "--mode", "hand"]);
    assert_eq!(
        hand,
        "error: mode = hand needs a keyboard or a page\nhint: start it in a terminal, serve a page with --page, or leave `--mode hand` out\n"
    );
}

/// A player that closes its output is judged without the time of silence, which is ten minutes here.
#[test]
fn a_player_that_closes_its_output_is_judged_at_once() {
    let folder = tempfile::tempdir().unwrap();
    player(
        folder.path(),
        "Ada",
        "read -r opening; echo OK; read -r line; exec >&-; read -r line; sleep 1000",
    );
    player(folder.path(), "Bob", HONEST);
    let mut words = vec!["duel", "Ada", "Bob", "--json"];
    words.extend(PATIENT);
    words.extend(TWO_BRICKS);
    let run = referee(folder.path(), &words);
    let result: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    assert_eq!(result["letter"], "D", "{run:?}");
    assert_eq!(result["message"], "Player Ada -> does not answer: its program has closed its output");
}

/// Programs of 2019 begin with an alias in `info.txt`, and have rows first in bricks.
#[test]
fn players_of_2019_play_as_under_their_referee() {
    let folder = tempfile::tempdir().unwrap();
    let script = "read -r size; echo ok; read -r filled; echo ok; read -r line
        case $line in START) echo '{1;0},{2;0}' ;; *) echo '{0;1},{0;2}' ;; esac; read -r line";
    for nick in ["ada", "bob"] {
        let own = player(folder.path(), nick, script);
        fs::write(own.join("info.txt"), format!("{nick}\nThe player {nick}\n./player.sh\n")).unwrap();
    }
    let mut words = vec!["duel", "ada", "bob", "--compat", "2019", "--size", "3"];
    words.extend(["--filled-cells", "2x1", "--json"]);
    words.extend(PATIENT);
    let run = referee(folder.path(), &words);
    let result: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    assert_eq!((&result["first"], &result["opening"]), (&Value::from("ada"), &Value::from("3_2x1")));
    assert_eq!(result["bricks"].to_string(), r#"["0x1_0x2","1x0_2x0"]"#, "{run:?}");
}

/// A log of the original referee is shown as its replay is.
#[test]
fn the_log_of_a_duel_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    for nick in ["Ada", "Bob"] {
        player(folder.path(), nick, HONEST);
    }
    let mut words = vec!["duel", "Ada", "Bob", "--replay", "duel.replay", "--no-page"];
    words.extend(PATIENT);
    words.extend(TWO_BRICKS);
    assert_eq!(referee(folder.path(), &words).code, 0);
    let bricks = |file: &str| {
        let (file, feed) = (folder.path().join(file), folder.path().join("feed.json"));
        check(&["export", file.to_str().unwrap(), "--feed", feed.to_str().unwrap()]);
        let feed: Value = serde_json::from_str(&fs::read_to_string(&feed).unwrap()).unwrap();
        let events = feed.as_array().unwrap().iter().filter_map(|message| message["events"].as_array());
        let bricks = events.flatten().filter(|event| event[1] == "brick");
        bricks.map(|event| event[3]["cells"].to_string()).collect::<Vec<_>>()
    };
    let log = "3#Ada#Bob#| :size :P1_nick :P2_nick\n3_2x0_0x1_1x1_2x1_2x2\n0x0_1x0 :Ada\n0x2_1x2 :Bob\n---\nBob\n\
               Player Bob won normally!\n";
    fs::write(folder.path().join("0.txt"), log).unwrap();
    let of_log = bricks("0.txt");
    assert_eq!(of_log, ["[[0,0],[1,0]]", "[[0,2],[1,2]]"]);
    assert_eq!(of_log, bricks("duel.replay"));
    let faulty = folder.path().join("faulty.txt");
    fs::write(&faulty, "3#Ada#Bob#\n4\n").unwrap();
    let endless = folder.path().join("endless.txt");
    fs::write(&endless, log).unwrap();
    File::options().write(true).open(&endless).unwrap().set_len(log::LARGEST + 1).unwrap();
    for (file, why) in [
        (
            faulty,
            "it is no log of a duel: line 2: a board of 4×4 cells: expected an odd number from 3 to 999",
        ),
        (endless, "endless.txt cannot be shown: a log has at most 67108864 bytes"),
    ] {
        let file = file.to_str().unwrap();
        let told = run(".".as_ref(), &["view", file]).err;
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn a_program_that_cannot_be_started_loses() {
    let folder = tempfile::tempdir().unwrap();
    player(folder.path(), "Ada", HONEST);
    fs::create_dir(folder.path().join("Bob")).unwrap();
    fs::write(folder.path().join("Bob/info.txt"), "./no-such-program\nBob\n").unwrap();
    let mut words = vec!["duel", "Ada", "Bob", "--json"];
    words.extend(PATIENT);
    let run = referee(folder.path(), &words);
    let result: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((result["winner"].as_str(), result["letter"].as_str()), (Some("Ada"), Some("S")), "{run:?}");
    assert!(
        result["message"].as_str().unwrap().contains("cannot be started: `./no-such-program`: No such file")
    );
    assert!(run.err.contains("hint: the command in info.txt names a program"), "{run:?}");
    assert!(
        !run.err.contains("mayRead"),
        "a file that does not exist has nothing to do with confinement: {run:?}"
    );
}

/// If no brick fits, no program is started, and the replay says so.
#[test]
fn a_full_board_is_lost_by_the_one_who_begins() {
    let folder = tempfile::tempdir().unwrap();
    for nick in ["Ada", "Bob"] {
        player(folder.path(), nick, "exit 1");
    }
    let cells = "1x0_0x1_2x1_1x2";
    let words = ["duel", "Ada", "Bob", "--size", "3", "--filled-cells", cells, "--replay", "full.replay"];
    let run = referee(folder.path(), &words);
    assert!(run.out.contains("Player Bob won normally!"), "{run:?}");
    check(&["verify", folder.path().join("full.replay").to_str().unwrap()]);
}

#[test]
fn players_of_other_years_are_spoken_to_in_their_dialect() {
    let folder = tempfile::tempdir().unwrap();
    let of_2017 = "read -r ping; echo PONG; read -r size; read -r line
        if [ \"$line\" = ZACZYNAJ ]; then echo 1 1 2 1; else echo 3 3 3 2; fi; read -r line; exit 0";
    let of_2019 = "read -r size; echo OK; read -r filled; echo ok; read -r line
        if [ \"$line\" = START ]; then echo '{0;0},{0;2}'; else echo '{1;0},{0;0}'; fi; read -r line";
    for (nick, script) in [("a17", of_2017), ("b17", of_2017), ("a19", of_2019), ("b19", of_2019)] {
        player(folder.path(), nick, script);
    }
    let message = |words: &[&str]| {
        let mut words = words.to_vec();
        words.extend(PATIENT);
        let run = referee(folder.path(), &words);
        let result: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
        (result["message"].as_str().unwrap().to_owned(), result["bricks"].to_string())
    };
    let (told, bricks) = message(&["duel", "a17", "b17", "--dialect", "2017", "--size", "3", "--json"]);
    assert_eq!(bricks, r#"["0x0_1x0","2x1_2x2"]"#, "{told}");
    assert!(told.contains("Player a17 -> does not answer"), "{told}");
    let words = ["duel", "a19", "b19", "--dialect", "2019", "--size", "3", "--filled", "0", "--json"];
    let (told, bricks) = message(&words);
    assert_eq!(
        (bricks.as_str(), told.as_str()),
        (r#"["0x0_0x2"]"#, "Player b19 -> put 0x0_1x0 on a filled cell")
    );
    let run = referee(folder.path(), &words[..words.len() - 1]);
    assert!(run.out.contains("Player b19 -> put 0x0_1x0 on a filled cell\nPlayer a19 has won\n"), "{run:?}");
}
