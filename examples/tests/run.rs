//! The examples are run, and print the expected output.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{env, fs};

use cs::server::{Listeners, Live, TcpPort};
use jiff::Timestamp;
use league::program_files::ProgramFiles;
use league::store::{Origin, Store};
use reference_gm::project::{Master, News, Settings};
use sdk::local::{Preset, RawConfig, State, Witness};
use sdk::prelude::Seed;
use tokio_util::net::Listener as _;

fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program).args(arguments).output().expect("cargo builds examples before their tests")
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn hello_agent_plays_a_game_to_its_end() {
    let program = env!("CARGO_BIN_EXE_e01_hello_agent");
    let seven = printed(&run(program, &["7"]));
    assert!(seven.starts_with("red wins after ") || seven.starts_with("blue wins after "), "{seven}");
    assert!(!seven.contains("blunder"), "{seven}");
    assert_eq!(printed(&run(program, &["7"])), seven, "the seed decides");
    assert_ne!(printed(&run(program, &["8"])), seven);
}

/// Returns the result of a comparison: the games that were won, drawn and lost.
fn games(compared: &str) -> [u32; 3] {
    let words = compared.lines().next().expect("a first line").split_whitespace().skip(2);
    let games: Vec<u32> = words.filter_map(|word| word.parse().ok()).collect();
    games.try_into().unwrap_or_else(|_| panic!("won, drawn and lost: {compared}"))
}

/// The output of the comparison of strategies.
fn compared(words: &[&str]) -> String {
    printed(&run(env!("CARGO_BIN_EXE_e04_compare_strategies"), words))
}

/// The first agent that a newcomer writes beats `random` always and `greedy` sometimes, as the README says.
#[test]
fn a_strategy_is_compared_with_a_shipped_one() {
    let text = compared(&["400"]);
    let (_, share) = text.split_once("greedy is stronger: ").unwrap_or_else(|| panic!("{text}"));
    let share: f64 = share.split(' ').next().and_then(|word| word.parse().ok()).expect("a share");
    assert!((52.0..75.0).contains(&share), "about three of five games for greedy: {text}");
    assert!(text.contains("\nwhere they differ most in a game, as mean and median:\n"), "{text}");
    assert!(text.contains("\n  the clearest win of greedy: e05_lost_game -- "), "{text}");
    assert_eq!(compared(&["400", "greedy", "1"]), text, "greedy is the usual opponent, and 1 the usual seed");
    assert_eq!(compared(&[]), text, "at most 400 pairs, if nothing else is said");
    assert_ne!(compared(&["400", "greedy", "2"]), text);
    assert!(compared(&["400", "random"]).starts_with("mine is stronger: 100.0 % ("));
    let few = compared(&["100", "random"]);
    let (_, few) = few.split_once("mine is probably stronger: 100.0 % (").unwrap_or_else(|| panic!("{few}"));
    assert!(few.contains(" of 200 games; to be sure, the test needs about 200 pairs in all\n"), "{few}");
}

/// The tutorial ends with an agent that beats `greedy`.
#[test]
fn weighing_all_pieces_beats_greedy() {
    let compared = printed(&run(env!("CARGO_BIN_EXE_e20_weigh_pieces"), &["100"]));
    let [won, _, lost] = games(&compared);
    assert!(won > lost, "{compared}");
}

/// A game that the comparison names as lost is lost again, and can be looked at.
#[test]
fn a_lost_game_is_written_as_a_replay_and_as_text() {
    let text = compared(&["20"]);
    let lost = text.lines().find_map(|line| line.split_once("the clearest win of greedy: e05_lost_game -- "));
    let (seed, team) = lost.and_then(|(_, game)| game.split_once(' ')).expect("a seed and a team");
    let winner = if team == "red" { "blue" } else { "red" };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lost-game");
    fs::create_dir_all(&folder).expect("the folder for tests can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_e05_lost_game"));
    let told = printed(&command.args([seed, team]).current_dir(&folder).output().expect("it was built"));
    assert!(told.starts_with(&format!("{winner} (greedy) wins after ")), "{told}");
    let (head, decisions) = told.split_once("\nagent #").expect("decisions after the table");
    assert!(head.contains("where they differ most in this game") && head.contains(" time "), "{told}");
    assert_eq!(head.matches("what the agent knows: ").count(), 1, "one legend for all: {told}");
    assert_eq!(decisions.matches("\nagent #").count(), 1, "both agents of the team: {told}");
    let replay = fs::read(folder.join("lost.replay")).expect("it was written");
    let reader = game_env::replay::Reader::open(&replay[..]).expect("it is a replay");
    let names: Vec<&str> = reader.header().players.iter().map(|player| player.name.as_str()).collect();
    assert_eq!(names.iter().filter(|name| **name == "mine").count(), 2, "{names:?}");
}

/// Agents that meet head on get past each other in the end. Where each waited for the other one, three games in a
/// hundred had no end, those of the seeds 8, 9 and 28 among them.
#[test]
fn hello_agent_wins_or_loses_whatever_the_seed() {
    let program = env!("CARGO_BIN_EXE_e01_hello_agent");
    for seed in 0..200 {
        let told = printed(&run(program, &[&seed.to_string()]));
        assert!(told.contains(" wins after ") && !told.contains("blunder"), "seed {seed}: {told}");
    }
}

/// A reader who copies the README's first program has copied this example, and nothing of it is hidden there.
#[test]
fn hello_agent_is_the_program_in_the_readme() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(folder.join(path)).expect("it is part of the workspace");
    let (readme, example) = (read("../README.md"), read("e01_hello_agent.rs"));
    let mut blocks = readme.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next());
    let block = blocks.next().expect("the README shows a program");
    assert_eq!(blocks.next(), None, "every other program in the README would have to be tested as well");
    assert!(block.contains("\nfn main() -> Result<"), "a program has a main:\n{block}");
    assert!(!block.lines().any(|line| line == "#" || line.starts_with("# ")), "hidden lines are seen there");
    let program: Vec<&str> = example.lines().skip_while(|line| line.starts_with("//!")).skip(1).collect();
    assert_eq!(block.lines().collect::<Vec<_>>(), program);
    // The agent is its type and its strategy, as the README says.
    let agent = block.split_once("struct Carrier;").and_then(|(_, rest)| rest.split_once("fn main"));
    let (agent, _) = agent.expect("the program has an agent and a main");
    let is_code = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with("//");
    assert_eq!(1 + agent.lines().filter(is_code).count(), 15, "the lines of the agent:\n{agent}");
    // A first agent needs few names of the SDK: types and traits, and methods of the view.
    let names: BTreeSet<&str> = agent
        .lines()
        .filter(is_code)
        .flat_map(|line| line.split("//").take(1))
        .flat_map(|code| code.split(|letter: char| !(letter.is_alphanumeric() || "_.".contains(letter))))
        .filter_map(|word| match word.strip_prefix("view.") {
            Some(method) => method.split('.').next().filter(|name| !["own", "knowledge"].contains(name)),
            None => Some(word).filter(|word| word.starts_with(char::is_uppercase)),
        })
        .filter(|name| !["Carrier", "Some", "None"].contains(name))
        .collect();
    assert!((8..=11).contains(&names.len()), "{} names: {names:?}", names.len());
    // The README's figures of its games against `greedy` are those that the comparison measures.
    let strategy = |text: &str| {
        text.split_once("    fn act(").map(|(_, rest)| rest.split("\n}\n").next().map(str::to_owned))
    };
    assert_eq!(strategy(&read("e04_compare_strategies.rs")), strategy(&example));
    assert_eq!(strategy(&read("e05_lost_game.rs")), strategy(&example));
}

/// A reader who follows the README makes a new crate, in which features do not unify with those of the workspace.
#[test]
fn the_programs_of_the_readme_build_in_a_crate_of_their_own() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the examples are a folder of it");
    let readme = fs::read_to_string(workspace.join("README.md")).expect("the workspace has one");
    let (_, toml) = readme.split_once("```toml\n").expect("the README shows dependencies");
    let (sdk, _) = toml.split_once("```").expect("the block ends");
    let needed = ["strategies", "contests"].map(|name| {
        let needed = format!("{name} = {{ path = \"../project-game/{name}\" }}");
        assert!(readme.contains(&format!("`{needed}`")), "the README says what a comparison needs");
        needed
    });
    let path = workspace.display().to_string().replace('\\', "/");
    let dependencies = format!("{sdk}{}\n", needed.join("\n")).replace("../project-game", &path);
    let package = "[package]\nname = \"own\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";
    // With the profile of a crate of `bots new`, which another test builds, what both need is built once.
    let starter = workspace.join("bots/src/program/starter/files/rust/manifest.toml");
    let starter = fs::read_to_string(starter).expect("the manifest of a new crate");
    let (_, profile) = starter.split_once("[profile.dev]").expect("it has a profile");
    let (profile, _) = profile.split_once("# The crate is a workspace").expect("the profile comes before");

    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-crate");
    let copy = |from: &str, to: &str| fs::copy(workspace.join(from), own.join(to)).expect("it can be copied");
    let _ = fs::remove_dir_all(&own);
    fs::create_dir_all(own.join("src/bin")).expect("the folder for tests can be written");
    let manifest = format!("{package}\n{dependencies}\n[profile.dev]{profile}");
    fs::write(own.join("Cargo.toml"), manifest).expect("likewise");
    copy("Cargo.lock", "Cargo.lock");
    copy("examples/e01_hello_agent.rs", "src/main.rs");
    copy("examples/e04_compare_strategies.rs", "src/bin/own-compare.rs");
    let target = env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let cargo = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO"));
        command.args(words).arg("--offline").current_dir(&own);
        command.env("CARGO_TARGET_DIR", workspace.join(&target)).env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
        printed(&command.output().expect("cargo runs these tests"))
    };
    cargo(&["build", "--quiet"]);
    let packages = cargo(&["tree", "--prefix", "none", "--edges", "normal", "--no-dedupe"]);
    for absent in ["tokio ", "cs ", "reference-gm ", "rusqlite "] {
        assert!(!packages.lines().any(|line| line.starts_with(absent)), "{absent}is not needed:\n{packages}");
    }
}

/// A server that turns everybody away: the messages before that and after are the session's business.
#[test]
fn over_tcp_joins_and_comes_back() {
    let server = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    let address = server.local_addr().expect("it is bound").to_string();
    let refuses = std::thread::spawn(move || {
        let (mut agent, _) = server.accept().expect("the example connects");
        let mut length = [0; 2];
        agent.read_exact(&mut length).expect("it sends a frame");
        let mut body = vec![0; u16::from_le_bytes(length).into()];
        agent.read_exact(&mut body).expect("it sends the whole frame");
        let answer =
            br#"{"messageID":107,"agentID":0,"payload":{"accepted":false,"reason":"1 agent is connected"}}"#;
        let length = u16::try_from(answer.len()).expect("it is short").to_le_bytes();
        agent.write_all(&[&length[..], &answer[..]].concat()).expect("the example listens");
        String::from_utf8_lossy(&body).into_owned()
    });
    let output = run(env!("CARGO_BIN_EXE_e02_over_tcp"), &["blue", &address]);
    assert_eq!(printed(&output), "rejected: 1 agent is connected\n");
    let joined = refuses.join().expect("the server saw it all");
    assert_eq!(joined, r#"{"messageID":6,"agentID":0,"payload":{"teamID":"blue"}}"#);
    // Nobody listens there any more.
    let output = run(env!("CARGO_BIN_EXE_e02_over_tcp"), &["red", &address]);
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.starts_with(&format!("error: no communication server at {address}: ")), "{error}");
}

#[test]
fn test_a_decision_shows_the_board_and_the_choice() {
    let shown = printed(&run(env!("CARGO_BIN_EXE_e03_test_a_decision"), &[]));
    let expected = "\
the board:
.     g .
-----------
R0!+p . .
.     . B1!
-----------
.     g .
goals covered: red 0, blue 0
signs: north is up; --- edge of a goal area; . empty; g goal; R0, B1 agents of red and blue with their ids; ! leads its team; +p has a piece in hand

what is known:
clock 2.200 s: #0 red at 0,2 holding a real piece
... -
@\x20\x20
    -
...
signs: @ the agent itself; . goal field, nothing known

chooses: move N (home with it)
";
    assert_eq!(shown, expected);
}

/// The number of goals and more that a program tells; each number stands before its word.
fn number_before(told: &str, word: &str) -> f64 {
    let (before, _) = told.split_once(word).unwrap_or_else(|| panic!("no {word} in {told}"));
    let number = before.split_whitespace().last().and_then(|number| number.parse().ok());
    number.unwrap_or_else(|| panic!("no number before {word} in {told}"))
}

#[test]
fn custom_knowledge_counts_what_the_agent_was_told() {
    let told = printed(&run(env!("CARGO_BIN_EXE_e12_custom_knowledge"), &["7"]));
    let lines: Vec<&str> = told.lines().collect();
    assert!(lines[4].contains(" wins after ") && !told.contains("blunder"), "{told}");
    for line in &lines[..4] {
        let (real, shams) = (number_before(line, " real pieces"), number_before(line, " shams;"));
        let expected = (2.0 + shams) / (10.0 + real + shams) * 100.0;
        assert!((number_before(line, " % shams") - expected).abs() <= 0.5, "{line}");
    }
    assert!(lines[..4].iter().any(|line| number_before(line, " real pieces") > 2.0), "they played: {told}");
}

/// Nobody hears of the hosted game.
struct Unheard;

impl Witness<State> for Unheard {}

impl reference_gm::project::link::Observer for Unheard {
    fn news(&mut self, _: &Master, _: &News) {}
    fn nonsense(&mut self, reason: &str) {
        panic!("{reason}");
    }
    fn second(&mut self, _: &Master) {}
}

#[test]
fn another_process_decides() {
    let program = env!("CARGO_BIN_EXE_e13_another_process");
    let runtime = tokio::runtime::Runtime::new().expect("it can start");
    let (told, points) = runtime.block_on(async {
        let port = || TcpPort::bind((Ipv4Addr::LOCALHOST, 0).into()).expect("there is a free port");
        let listeners = Listeners { agents: port(), gm: port() };
        let [agents, gm] =
            [&listeners.agents, &listeners.gm].map(|port| port.local_addr().expect("it is bound"));
        let server = tokio::spawn(async move {
            let config = cs::config::Config::default();
            cs::server::run(listeners, &config, Live::default(), std::future::pending()).await
        });
        let play = |team: &str| {
            let mut command = tokio::process::Command::new(program);
            command.args([team, &agents.to_string()]).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.kill_on_drop(true).spawn().expect("cargo builds examples before their tests")
        };
        let players = ["red", "blue"].map(play);
        let config = RawConfig {
            board_x: 4,
            board_y: 5,
            goal_area_height: 1,
            number_of_goals: 2,
            number_of_pieces: 4,
            team_size: 1,
            sham_piece_probability: 0.0,
            move_penalty: 10,
            discovery_penalty: 10,
            put_penalty: 10,
            ..Preset::Quick.raw()
        };
        let config = config.check().expect("it can be played");
        let settings =
            Settings { start_when_full: true, ..Settings::new(config, Seed::new(7), Timestamp::now()) };
        let stream = tokio::net::TcpStream::connect(gm).await.expect("the server listens");
        let (_operator, orders) = tokio::sync::mpsc::channel(1);
        let (master, _) =
            reference_gm::project::link::host(stream, Master::new(settings), orders, &mut Unheard).await;
        let mut told = Vec::new();
        for player in players {
            told.push(printed(&player.wait_with_output().await.expect("it ends")));
        }
        server.await.expect("the server does not panic");
        (told, master.game().expect("a game was played").points().into_inner())
    });
    assert!(points.contains(&2) && points[0] != points[1], "{points:?}: {told:?}");
    let winner = if points[0] == 2 { "red" } else { "blue" };
    for told in told {
        assert_eq!(told, format!("joined\nthe game begins\nthe game is over, {winner} wins\n"));
    }
}

#[test]
fn a_custom_configuration_is_checked_and_played() {
    let program = env!("CARGO_BIN_EXE_e14_custom_configuration");
    let told = printed(&run(program, &["teamSize=3", "movePenalty=50"]));
    let (faults, played) = told.split_once("\n\n").expect("faults first");
    assert!(faults.starts_with("four rows are too few:\n") && faults.contains("goalAreaHeight"), "{faults}");
    for value in ["boardX=6", "checkForShamPenalty=50", "movePenalty=50", "teamSize=3"] {
        assert!(played.lines().next().is_some_and(|line| line.contains(value)), "{value}: {played}");
    }
    assert!(played.contains(" wins after "), "{played}");
    let unknown = run(program, &["boardZ=3"]);
    let error = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(!unknown.status.success() && error.contains("boardZ"), "{error}");
}

#[test]
fn many_games_are_counted_and_plotted() {
    let told = printed(&run(env!("CARGO_BIN_EXE_e15_thousand_games"), &["60"]));
    let won: usize =
        told.split_whitespace().next().and_then(|word| word.parse().ok()).expect("a number first");
    let bars = told.lines().filter(|line| line.contains(" s |"));
    let plotted: usize = bars
        .map(|line| line.rsplit(' ').next().and_then(|count| count.parse::<usize>().ok()).expect("a count"))
        .sum();
    assert!(won > 50, "{told}");
    assert_eq!(plotted, won, "{told}");
}

#[test]
fn a_replay_is_read() {
    let folder = tempfile::tempdir().expect("there is a folder for tests");
    let lost = Command::new(env!("CARGO_BIN_EXE_e05_lost_game"))
        .args(["5", "blue"])
        .current_dir(folder.path())
        .output()
        .expect("it was built");
    let lost = printed(&lost);
    let read = |path: &Path| run(env!("CARGO_BIN_EXE_e16_read_a_replay"), &[&path.display().to_string()]);
    let told = printed(&read(&folder.path().join("lost.replay")));
    let winner = lost.split(' ').next().expect("the first word says who won");
    assert!(told.contains(&format!("\n{winner} won at ")), "{told}\n{lost}");
    // The winner covers all its goals: three of the preset.
    assert_eq!(told.matches(&format!(" of {winner} covers a goal")).count(), 3, "{told}");
    let missing = read(Path::new("none.replay"));
    let error = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(!missing.status.success() && error.starts_with("error: cannot read none.replay: "), "{error}");
}

#[test]
fn a_league_from_code_rates_all_strategies() {
    let told = printed(&run(env!("CARGO_BIN_EXE_e17_league_from_code"), &["4"]));
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "48 matches");
    assert!(lines.last().is_some_and(|line| line.starts_with("random ")), "{told}");
    let points: f64 = lines[2..]
        .iter()
        .map(|line| {
            line[16..].split_whitespace().next().and_then(|word| word.parse::<f64>().ok()).expect("points")
        })
        .sum();
    assert!((points - 48.0).abs() < 1e-9, "{told}");
}

#[test]
fn a_program_hosts_a_whole_game() {
    let told = printed(&run(env!("CARGO_BIN_EXE_e18_host_in_a_program"), &[]));
    assert!(told.starts_with("the game begins\n"), "{told}");
    assert_eq!(told.matches("an agent says: the game is over, ").count(), 4, "{told}");
    let last = told.lines().last().unwrap_or_default();
    assert!(last.starts_with("red 3 : ") || last.ends_with(" : 3 blue"), "{told}");
}

#[test]
fn another_game_is_won_by_its_strategy() {
    let program = env!("CARGO_BIN_EXE_e19_another_game");
    let told = printed(&run(program, &["7"]));
    let last = told.lines().last().unwrap_or_default();
    let (own, other) =
        (number_before(last, " boxes"), last.rsplit(' ').next().and_then(|word| word.parse::<f64>().ok()));
    assert!(last.starts_with("40 edges; ") && own > 8.0, "{told}");
    assert_eq!(other, Some(16.0 - own), "{told}");
    assert_eq!(printed(&run(program, &["7"])), told, "the seed decides");
}

/// An own strategy is in comparisons, and in a league with the same results each time.
#[test]
fn an_own_strategy_is_compared_and_plays_in_a_league() {
    let folder = tempfile::tempdir().expect("a folder");
    let run_there = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_e21_own_strategy"));
        printed(&command.args(words).current_dir(folder.path()).output().expect("it was built"))
    };
    let told = run_there(&["compare", "keeper", "greedy", "--game", "dots", "--preset", "original"]);
    assert!(told.starts_with("keeper is stronger: "), "{told}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("league-own.toml");
    let file = file.to_str().expect("a path that is text");
    let results = ["first", "second"].map(|out| {
        let standings = run_there(&["run", file, "--out", out]);
        assert!(standings.contains("keeper:least=2"), "{standings}");
        fs::read(folder.path().join(out).join("matches.jsonl")).expect("the matches of the league")
    });
    assert!(results[0] == results[1], "the file decides");
    let checked = run_there(&["verify", "first"]);
    assert!(checked.contains("took the same course"), "{checked}");
    let other =
        run(env!("CARGO_BIN_EXE_e21_own_strategy"), &["compare", "keper", "greedy", "--game", "dots"]);
    let error = String::from_utf8_lossy(&other.stderr);
    assert!(!other.status.success() && error.contains("did you mean `keeper`?"), "{error}");
}

/// Records and stores name the author's program, and it goes on with no league of another one.
#[test]
fn a_program_with_own_strategies_plays_in_its_own_name() {
    const OWN: &str = "e21_own_strategy 1.0.0";
    const SHIPPED: &str = league::begin::PROGRAM;
    let folder = tempfile::tempdir().expect("a folder");
    let program = env!("CARGO_BIN_EXE_e21_own_strategy");
    let run_there = |words: &[&str]| {
        Command::new(program).args(words).current_dir(folder.path()).output().expect("it was built")
    };
    assert_eq!(printed(&run_there(&["--version"])), format!("{OWN}\n"));
    let file = "game = \"dots\"\npreset = \"small\"\n[schedule]\nsets = 5\n\
                [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n";
    fs::write(folder.path().join("small.toml"), file).expect("the folder can be written");
    let played = run_there(&["run", "small.toml", "--out", "own"]);
    printed(&played);
    let said = String::from_utf8_lossy(&played.stderr);
    assert!(said.contains(&format!("`{program} resume own` goes on")), "{said}");
    let matches = fs::read_to_string(folder.path().join("own/matches.jsonl")).expect("the matches");
    let name = format!("\"program\":\"{OWN}\"");
    assert_eq!(matches.matches(&name).count(), 10, "{matches}");
    let store = Store::look(&folder.path().join("own")).expect("a store");
    let origin = store.origin().expect("the store can be read");
    assert_eq!(origin.program, OWN);

    let of_other = Origin { program: SHIPPED.to_owned(), ..origin };
    Store::create(&folder.path().join("shipped"), &of_other, &ProgramFiles::default()).expect("a store");
    for (words, expected) in [
        (
            &["resume", "shipped"][..],
            format!("shipped was played by {SHIPPED} (in-process), and this is {OWN} (in-process)"),
        ),
        (&["collect", "shipped"], format!("shipped belongs to {SHIPPED}, and this is {OWN}")),
        (&["plan", "small.toml", "--out", "shipped"], "shipped has a league with another program".to_owned()),
        // Hints name the author's program as well.
        (&["resume", "nowhere"], format!("begin one with `{program} run FILE --out DIR`")),
        (&["run", "small.toml", "--out", "own"], format!("`{program} resume own` goes on with it")),
        (&["log", "shipped", "1"], format!("`{program} resume shipped` goes on")),
    ] {
        let refused = run_there(words);
        let error = String::from_utf8_lossy(&refused.stderr);
        assert!(!refused.status.success() && error.contains(&expected), "{words:?}: {error}");
    }
    printed(&run_there(&["report", "own"]));
    // The other one has no matches yet.
    let reported = printed(&run_there(&["report", "shipped"]));
    assert!(reported.contains(&format!("`{program} report shipped` writes them anew")), "{reported}");
    let read = |name: &str| fs::read_to_string(folder.path().join("own").join(name)).expect("a report");
    assert!(read("report.html").contains("e21_own_strategy replay own "));
    assert!(!read("report.md").contains("league replay"), "{}", read("report.md"));
}
