//! The crate that `bots new` writes builds, passes its test, plays a game, and plays in its league.

use std::fs;
use std::path::Path;
use std::process::Command;

use game_env::replay::Reader;
use workspace_tests::{programs, workspace};

/// Returns the output of a command; it must succeed.
fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{command:?}: {}\n{out}{err}", output.status);
    out + &err
}

#[test]
fn a_new_crate_works_at_once() {
    let programs = programs().unwrap();
    let program = |name: &str| programs.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("starter");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let own = folder.join("my-agent");
    printed(
        Command::new(program("bots"))
            .args(["new", "my-agent", "--workspace"])
            .arg(workspace())
            .current_dir(&folder),
    );

    // The test shares what is built with the workspace, to be faster: it has only one crate of this name.
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let target = workspace().join(target);
    let command = |words: &[&str]| {
        let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["--quiet", "--offline"]).args(words).current_dir(&own).env("CARGO_TARGET_DIR", &target);
        // Everything is compiled once more here, with fewer features: unoptimised, that takes half of the time.
        cargo.env("CARGO_PROFILE_DEV_OPT_LEVEL", "0");
        cargo
    };
    let cargo = |words: &[&str]| printed(&mut command(words));
    let tested = cargo(&["test"]);
    assert!(tested.contains("1 passed"), "{tested}");
    let played = cargo(&["run"]);
    assert!(played.contains(" wins after ") && !played.contains("blunder"), "{played}");
    let compared = cargo(&["run", "--", "compare", "400"]);
    assert!(compared.starts_with("greedy is stronger: "), "{compared}");
    assert!(compared.contains("\nwhere they differ most in a game, as mean and median:\n"), "{compared}");
    assert!(compared.contains("cargo run -- compare 400 2\n"), "{compared}");
    let others = cargo(&["run", "--", "compare", "400", "2"]);
    assert_ne!(others, compared, "the seed decides the games");
    assert!(others.contains("cargo run -- compare 400 3\n"), "again another seed: {others}");
    let (_, lost) = compared.split_once("the clearest win of greedy: cargo run -- ").unwrap();
    let words: Vec<&str> = ["run", "--"].into_iter().chain(lost.lines().next().unwrap().split(' ')).collect();
    let lost = cargo(&words);
    assert!(lost.lines().next().unwrap().contains(" (greedy) wins after "), "{lost}");
    assert!(
        lost.contains("where they differ most in this game") && lost.contains("what the agent knows"),
        "{lost}"
    );
    let own_agents = lost.lines().filter(|line| line.starts_with("agent #")).count();
    assert_eq!((own_agents, lost.matches("what the agent knows").count()), (2, 1), "one legend: {lost}");
    let reader = Reader::open(fs::File::open(own.join("lost.replay")).unwrap()).unwrap();
    let places = reader.header().players.iter().enumerate().filter(|(_, player)| player.name == "my-agent");
    let places: Vec<usize> = places.map(|(place, _)| place).collect();
    assert_eq!(places.len(), 2);

    // A recorded decision as a test, which fails while the agent decides as it did.
    let agent = places[0].to_string();
    let words = ["decisions", "lost.replay", "--agent", &agent, "--at", "0:05.0", "--rust"];
    let test = printed(Command::new(program("bots")).args(words).current_dir(&own));
    fs::copy(own.join("lost.replay"), own.join("src/lost.replay")).unwrap();
    let library = fs::read_to_string(own.join("src/lib.rs")).unwrap();
    let (tests, end) = library.rsplit_once('}').unwrap();
    fs::write(own.join("src/lib.rs"), format!("{tests}\n{test}}}{end}")).unwrap();
    let tested = command(&["test", "--lib"]).output().unwrap();
    let told = String::from_utf8_lossy(&tested.stdout).into_owned();
    assert!(told.contains("1 passed; 1 failed") && told.contains("left != right"), "{told}");
    fs::write(own.join("src/lib.rs"), library).unwrap();

    // As a program, it plays a game whose replay can be studied.
    if cfg!(target_os = "linux") {
        let agent = format!("{} agent", target.join("debug/my-agent").display());
        assert!(lost.contains(&format!("'{agent}'")) && lost.contains(" --preset quick --seed "), "{lost}");
        let bots = |words: &[&str]| printed(Command::new(program("bots")).args(words).current_dir(&own));
        let flags = ["--preset", "quick", "--seed", "5", "--virtual", "--replay", "game.replay"];
        let told = bots(&[&[&agent[..], "greedy"][..], &flags].concat());
        assert!(told.contains(" wins ") && !told.contains("blunder"), "{told}");
        let why = bots(&["why", "game.replay", "--team", "red", "--games", "100"]);
        assert!(why.contains("coordinated would have decided otherwise at "), "{why}");
        assert!(!why.contains("does not repeat"), "{why}");
    }

    with_an_earlier_version(&own);
    // Both versions are equal here. In each pair of games, each version wins the game in which it has the better side.
    let compared = cargo(&["run", "--", "compare", "20"]);
    assert!(compared.starts_with("undecided after 40 games: my-agent won 50.0 % ("), "{compared}");
    assert!(compared.contains("the clearest win of v1: cargo run -- lost "), "{compared}");

    for words in [&["lost"][..], &["compare"], &["lost", "5"], &["5", "blue"], &["lost", "5", "blue", "x"]] {
        let output = command(&["run", "--"]).args(words).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let expected = format!("error: cannot read the arguments `{}`\nusage: my-agent ", words.join(" "));
        assert!(!output.status.success() && told.starts_with(&expected), "{told}");
    }

    // Each crate's lock file is a part of the workspace's: nothing was looked for elsewhere.
    let version = |text: &str, name: &str| {
        let (_, after) = text.split_once(&format!("name = \"{name}\"\n")).unwrap();
        after.lines().next().unwrap().to_owned()
    };
    let [lock, of_workspace] = [own.join("Cargo.lock"), workspace().join("Cargo.lock")]
        .map(|path| fs::read_to_string(path).unwrap());
    assert_eq!(version(&lock, "tokio"), version(&of_workspace, "tokio"));

    // Programs are entrants on Linux only.
    if !cfg!(target_os = "linux") {
        return;
    }
    let written = fs::read_to_string(own.join("league.toml")).unwrap();
    // Here one set is enough.
    let written = written.replace("sets = 10", "sets = 1");
    let built = target.join("debug/my-agent");
    let built = built.to_str().unwrap();
    let of_crate = format!("\"{}/target/debug/my-agent agent\"", own.display());
    assert!(written.contains(&of_crate), "{written}");
    let in_process = written.replace(&of_crate, &format!("\"{built} agent\""));
    // The comment about a real server, tried. The machine may be busy.
    let lines =
        in_process.lines().filter(|line| !line.starts_with("strategy = ") || !line.contains(" agent\""));
    let is_key = |text: &str| text.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
    let uncommented = |line: &str| match line.strip_prefix("# ") {
        Some(rest) if is_key(rest) || rest == "[configuration]" => {
            rest.replace("target/debug/my-agent", built)
        }
        _ => line.to_owned(),
    };
    let on_a_server = lines.map(uncommented).collect::<Vec<_>>().join("\n");
    assert!(
        on_a_server.contains("\ncommand = ") && on_a_server.contains("\nmovePenalty = 20\n"),
        "{on_a_server}"
    );
    let on_a_server = on_a_server + "\n[network]\ncheck_host = false\n";
    for (name, file) in [("in-process", in_process), ("on-a-server", on_a_server)] {
        let path = own.join(format!("{name}.toml"));
        fs::write(&path, file).unwrap();
        let mut league = Command::new(program("league"));
        let told = printed(league.arg("run").arg(path).args(["--trust", "--out", name]).current_dir(&folder));
        let row = told.lines().find(|line| line.contains(" my-agent ")).unwrap_or_else(|| panic!("{told}"));
        assert_eq!(
            row.split_whitespace().nth(2),
            Some("4"),
            "matches against both others, on both sides: {told}"
        );
        let matches = fs::read_to_string(folder.join(name).join("matches.jsonl")).unwrap();
        assert_eq!(matches.lines().count(), 6, "{matches}");
        assert!(!matches.contains("never-joined") && !matches.contains("\"crash\""), "{matches}");
    }
}

/// The comment of the program about an earlier version, tried.
fn with_an_earlier_version(own: &Path) {
    fs::copy(own.join("src/lib.rs"), own.join("src/v1.rs")).unwrap();
    let main = fs::read_to_string(own.join("src/main.rs")).unwrap();
    let edits = [
        ("// mod v1;", "mod v1;"),
        ("// if OPPONENT == \"v1\"", "if OPPONENT == \"v1\""),
        ("OPPONENT: &str = \"greedy\"", "OPPONENT: &str = \"v1\""),
    ];
    let edited = edits.iter().fold(main, |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "{from}");
        text.replace(from, to)
    });
    fs::write(own.join("src/main.rs"), edited).unwrap();
}
