//! League files: their meaning, and the messages about faulty ones.

use std::time::Duration;

use contests::entrant::EntrantId;
use game_env::matches::MatchLimits;
use game_env::{
    AgentId, Outcome, Parameters, Ranking, Returns, Seed, SimTime, TeamId, Termination, Thinking, Value,
};
use league::file::{ExecutorKind, League, ScheduleKind};
use league::games::{ConfigFault, Configured, Games};
use league::in_process::InProcess;
use league::schedule::{Points, RoundMatches, SeedSource};

/// Two games that are never played: one of three sides, and one of two teams of a size that is configured.
pub(crate) struct Sample;

impl Games for Sample {
    fn games(&self) -> Vec<&str> {
        vec!["teams", "three"]
    }

    fn presets(&self, game: &str) -> Vec<&str> {
        if game == "teams" { vec!["small", "large"] } else { Vec::new() }
    }

    fn configure(
        &self,
        game: &str,
        preset: Option<&str>,
        values: &Parameters,
    ) -> Result<Configured, Vec<ConfigFault>> {
        let default = if preset == Some("large") { 3 } else { 2 };
        let mut faults = Vec::new();
        let mut size = default;
        for (name, value) in values.iter() {
            let text = match (name, value) {
                ("size", Value::Whole(found @ 1..=9)) if game == "teams" => {
                    size = u8::try_from(*found).expect("one digit");
                    continue;
                }
                ("size", found) => format!("size is {found}: expected 1 to 9"),
                _ => format!("unknown parameter `{name}`: expected size"),
            };
            faults.push(ConfigFault { parameter: Some(name.to_owned()), text });
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let sides = if game == "three" { 3 } else { 2 };
        let size = if game == "three" { 1 } else { size };
        let teams = (0..size).flat_map(|_| (0..sides).map(TeamId::new)).collect();
        let config = [("size", Value::Whole(size.into()))].into_iter().collect();
        Ok(Configured { config, teams })
    }

    fn line_up(&self, _: &str, text: &str) -> Result<Vec<String>, String> {
        text.split('+')
            .map(|name| match name {
                "good" | "bad" | "ugly" => Ok(name.to_owned()),
                _ => Err(format!("unknown strategy `{name}`: expected good, bad or ugly")),
            })
            .collect()
    }

    fn own_strategy<'n>(&self, _: &str, _: &'n [String]) -> Option<&'n str> {
        None
    }
}

fn read(text: &str) -> Result<League, String> {
    League::read("file", text, &Sample).map_err(|error| error.to_string())
}

#[test]
fn a_short_file_has_defaults() {
    let league = read(
        "game = \"teams\"\n[[entrant]]\nstrategy = \"good\"\n[[entrant]]\nname = \"two\"\nstrategy = \"bad+ugly\"\n",
    )
    .unwrap();
    assert_eq!((league.name.as_str(), league.seed, league.sides()), ("file", Seed::new(0), 2));
    assert_eq!((league.schedule, league.sets), (ScheduleKind::RoundRobin, 10));
    assert_eq!(
        (league.limits, league.early_stop, league.keeps_replays),
        (MatchLimits::default(), None, false)
    );
    assert_eq!(league.config.to_string(), "size=2");
    let names: Vec<_> = league.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    assert_eq!(names, ["good", "two"]);
    // Each rotation seats the line-ups on the other side; agents 0 and 2 are of the first team.
    let mut rounds = league.rounds();
    let round = rounds.next_round(&Points::default()).unwrap();
    let (round, seeds) = (RoundMatches::new(round, &Default::default()), league.seeds());
    let scheduled = [0, 1].map(|place| seeds.schedule(round.get(place).unwrap()));
    let specs = [league.spec(&scheduled[0]), league.spec(&scheduled[1])];
    assert_eq!(specs[0].entrants, ["good", "bad", "good", "ugly"]);
    assert_eq!(specs[1].entrants, ["bad", "good", "ugly", "good"]);
    assert_eq!((&specs[0].game, &specs[0].config), (&league.game, &league.config));
    assert_eq!(specs[0].seed, specs[1].seed);
    assert_eq!(
        specs[0].seed,
        SeedSource::new(Seed::new(0), ["good", "two"]).seed(&scheduled[0].id.pairing, 0)
    );
}

#[test]
fn every_key_is_read() {
    let league = read(
        r#"
        name = "all"
        game = "teams"
        preset = "large"
        seed = 18446744073709551615
        replays = "all"
        limits = { time_ms = 60_000, steps = 7, decisions = 8, refusals = 0, think_limit_ms = 250 }
        early_stop = { confidence = 0.99 }

        [configuration]
        size = 4

        [schedule]
        kind = "gauntlet"
        sets = 3
        champion = "second"

        [[entrant]]
        strategy = "good"
        [[entrant]]
        strategy = "bad"
        name = "second"
        "#,
    )
    .unwrap();
    assert_eq!((league.name.as_str(), league.seed), ("all", Seed::new(u64::MAX)));
    assert_eq!((league.config.to_string().as_str(), league.teams.len()), ("size=4", 8));
    let thinking = Thinking::LimitMs(250);
    let limits =
        MatchLimits { time: SimTime::from_millis(60_000), steps: 7, decisions: 8, refusals: 0, thinking };
    assert_eq!((league.limits, league.early_stop, league.keeps_replays), (limits, Some(0.99), true));
    assert_eq!((league.schedule, league.sets), (ScheduleKind::Gauntlet(EntrantId::from_index(1)), 3));
    let seed = read(
        "game = \"teams\"\nseed = \"18446744073709551615\"\n[[entrant]]\nstrategy = \"good\"\n[[entrant]]\nstrategy = \"bad\"",
    );
    assert_eq!(seed.unwrap().seed, Seed::new(u64::MAX));
}

/// All faults at once, with places, allowed values and nearest names.
#[test]
fn all_faults_of_a_file_are_told_at_once() {
    let faulty = r#"name = ""
gaem = "teams"
game = "team"
seed = -1
replays = "some"
[limits]
time_ms = 0
step = 5
[early_stop]
confidence = 1.5
[schedule]
kind = "knock-out"
sets = "many"
rounds = 1.5
[[entrant]]
strategy = 3
[[entrant]]
name = "a\u001b[2J"
[[entrants]]
"#;
    insta::assert_snapshot!(read(faulty).unwrap_err(), @r#"
    line 1, column 8: a name of 0 characters: expected 1 to 60
    line 2, column 1: unknown key `gaem`: expected configuration, early_stop, entrant, executor, game, limits, name, network, preset, replays, restart_programs, schedule or seed; did you mean `game`?
    line 3, column 8: unknown game `team`: expected teams or three; did you mean `teams`?
    line 4, column 8: `seed` is -1: expected a whole number from 0 to 18446744073709551615
    line 5, column 11: unknown replays `some`: expected none or all; did you mean `none`?
    line 7, column 11: `time_ms` is 0: expected a whole number from 1 to 1000000000000
    line 8, column 1: unknown key of [limits] `step`: expected decisions, refusals, steps, think_charge_ms, think_limit_ms or time_ms; did you mean `steps`?
    line 10, column 14: `confidence` is 1.5: expected a number above 0.5 and below 1
    line 12, column 8: unknown kind `knock-out`: expected round-robin, gauntlet, swiss or knockout; did you mean `knockout`?
    line 13, column 8: `sets` is "many": expected a whole number from 1 to 5000000
    line 14, column 10: `rounds` is 1.5: expected a whole number from 1 to 1
    line 16, column 12: `strategy` is 3: expected a text in quotes
    line 17, column 1: `strategy` is missing: expected a strategy or a line-up, e.g. `strategy = "random"`, a `command`, or `join = true`
    line 18, column 8: invalid name `a\u{1b}[2J`: expected visible characters, without spaces at its ends
    line 19, column 3: unknown key `entrants`: expected configuration, early_stop, entrant, executor, game, limits, name, network, preset, replays, restart_programs, schedule or seed; did you mean `entrant`?
    "#);
    let faulty = r#"game = "teams"
preset = "smal"
[configuration]
size = 10
colour = "red"
when = 1979-05-27
[schedule]
kind = "swiss"
champion = "good"
rounds = 7
[[entrant]]
strategy = "good"
[[entrant]]
strategy = "goood"
[[entrant]]
strategy = "good"
"#;
    insta::assert_snapshot!(read(faulty).unwrap_err(), @r#"
    line 2, column 10: unknown preset `smal`: expected small or large; did you mean `small`?
    line 4, column 1: size is 10: expected 1 to 9
    line 5, column 1: unknown parameter `colour`: expected size
    line 6, column 8: `when` is a date or time: expected a number, true, false or a text
    line 9, column 12: `champion` is only for `kind = "gauntlet"`
    line 10, column 10: `rounds` is 7: expected a whole number from 1 to 2
    line 14, column 12: unknown strategy `goood`: expected good, bad or ugly
    line 15, column 1: entrant 1 is called `good` as well: give each entrant a `name` of its own
    "#);
}

/// A value of the wrong kind is reported with the words that are allowed.
#[test]
fn words_are_told_whatever_stands_in_their_place() {
    let entrants = "[[entrant]]\nstrategy = \"good\"\n[[entrant]]\nstrategy = \"bad\"\n";
    let error =
        read(&format!("game = \"teams\"\nreplays = true\n[schedule]\nkind = 3\n{entrants}")).unwrap_err();
    insta::assert_snapshot!(error, @r#"
    line 2, column 11: `replays` is true: expected none or all, in quotes
    line 4, column 8: `kind` is 3: expected round-robin, gauntlet, swiss or knockout, in quotes
    "#);
}

#[test]
fn what_does_not_fit_the_configuration_is_told() {
    let with = |head: &str, entrants: &[&str]| {
        let entrants = entrants.iter().map(|strategy| format!("[[entrant]]\nstrategy = \"{strategy}\"\n"));
        read(&format!("{head}\n{}", entrants.collect::<String>())).unwrap_err()
    };
    insta::assert_snapshot!(with("game = \"three\"", &["good", "bad"]), @r#"  line 4, column 1: 2 entrants: a match of this configuration needs 3 that meet"#);
    insta::assert_snapshot!(with("game = \"three\"\nschedule = { kind = \"knockout\" }", &["good", "bad", "ugly"]), @r#"  line 2, column 21: a knockout needs two sides, and a match of this configuration has 3: expected round-robin, gauntlet or swiss"#);
    insta::assert_snapshot!(with("game = \"teams\"", &["good+good+bad", "bad"]), @r#"  line 3, column 12: the line-up names 3 agents: a team has 2"#);
    insta::assert_snapshot!(with("game = \"three\"\npreset = \"small\"", &["good", "bad", "ugly"]), @r#"  line 2, column 10: the game three has no presets: leave `preset` out"#);
    insta::assert_snapshot!(with("game = \"teams\"\nschedule = { sets = 5_000_000 }", &["good", "bad", "ugly"]), @r#"  line 7, column 1: 30000000 matches: expected at most 10000000; lower `sets`"#);
    insta::assert_snapshot!(with("game = \"teams\"\nschedule = { kind = \"gauntlet\", champion = \"goood\" }", &["good", "bad"]), @r#"  line 2, column 44: unknown champion `goood`: expected good or bad; did you mean `good`?"#);
    insta::assert_snapshot!(with("game = \"teams\"\nschedule = { champion = \"good\", rounds = 1 }", &["good", "bad"]), @r#"
    line 2, column 25: `champion` is only for `kind = "gauntlet"`
    line 2, column 42: `rounds` is only for `kind = "swiss"`
    "#);
    insta::assert_snapshot!(with("", &[]), @r#"  line 1, column 1: `game` is missing: expected teams or three, e.g. `game = "teams"`"#);
}

/// Faults of TOML are reported with their places, beside all other faults that can be found.
#[test]
fn broken_toml_is_told_with_its_place() {
    insta::assert_snapshot!(read("game = \"teams\nseed = x\n[[entrant]\nstrategy = \"god\"\n").unwrap_err(), @r#"
    line 1, column 14: invalid basic string, expected `"`
    line 2, column 8: string values must be quoted, expected literal string
    line 3, column 11: unclosed array table, expected `]`
    "#);
    insta::assert_snapshot!(read("game = \"teams\"\ngame = \"three\"\n").unwrap_err(), @r#"  line 2, column 1: duplicate key"#);
}

#[test]
fn keys_that_mean_nothing_over_the_network_are_refused_there() {
    let file = |executor: &str, keys: &str| {
        format!(
            "game = \"project\"\nexecutor = \"{executor}\"\n{keys}\n\
             [[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n"
        )
    };
    let plays = InProcess::new("tests 1.0");
    let restarting = League::read("own", &file("in-process", "restart_programs = true"), &plays).unwrap();
    assert!(restarting.restarts_programs);
    let cases = [
        ("restart_programs = true", "line 3, column 20: `restart_programs` "),
        ("limits = { decisions = 9 }", "line 3, column 24: `decisions` "),
        ("limits = { refusals = 9 }", "line 3, column 23: `refusals` "),
        ("limits = { think_limit_ms = 9 }", "line 3, column 29: `think_limit_ms` "),
        ("limits = { think_charge_ms = 9 }", "line 3, column 30: `think_charge_ms` "),
    ];
    for (keys, expected) in cases {
        let alone = League::read("own", &file("in-process", keys), &plays);
        assert!(alone.is_ok(), "{keys}: {alone:?}");
        let error = League::read("own", &file("network", keys), &plays).unwrap_err().to_string();
        assert!(error.contains(&format!("{expected}is only for leagues in process: ")), "{error}");
    }
}

/// Entrants that are commands, and the keys of the network, with everything wrong that can be.
#[test]
fn faulty_commands_are_told_with_their_places() {
    let file = r#"game = "project"
executor = "in-process"
[network]
join_ms = 0
check_host = 1
delay_ms = 501
[[entrant]]
name = "a"
command = ["run", "{prot}"]
may_read = ["x"]
memory_mib = 1
[[entrant]]
strategy = "greedy"
command = []
[[entrant]]
name = "c"
command = "run it"
[[entrant]]
name = "d"
command = ["run", 1]
confine = "always"
"#;
    let error = League::read("faulty", file, &InProcess::new("tests 1.0")).unwrap_err();
    let found: Vec<String> = error.faults().iter().map(ToString::to_string).collect();
    for (place, text) in [
        ("line 4, column 11: ", "`join_ms` is 0: expected a whole number from 1 to 3600000"),
        ("line 5, column 14: ", "`check_host` is 1: expected true or false"),
        ("line 6, column 12: ", "`delay_ms` is 501: expected a whole number from 0 to 500"),
        (
            "line 7, column 1: ",
            "commands and agents that join play only over the network: expected `executor = \"network\"`",
        ),
        ("line 9, column 19: ", "unknown placeholder `{prot}`: expected {host}, {port}, {address} or {team}"),
        ("line 11, column 14: ", "`memory_mib` is 1: expected a whole number from 32 to 1048576"),
        ("line 12, column 1: ", "an entrant has a `strategy` or a `command`, not both"),
        ("line 12, column 1: ", "`name` is missing: an entrant with a `command` needs one"),
        ("line 14, column 11: ", "`command` is empty: expected a program and its arguments"),
        ("line 17, column 11: ", "expected texts in quotes, separated by commas, in brackets"),
        ("line 20, column 19: ", "expected texts in quotes, separated by commas, in brackets"),
        ("line 21, column 11: ", "`confine` is \"always\": expected true, false or \"namespaces\""),
    ] {
        let is_told = found.iter().any(|fault| fault.starts_with(place) && fault.ends_with(text));
        assert!(is_told, "{place}{text} is not in {found:#?}");
    }
    assert_eq!(found.len(), 12, "{found:#?}");
}

/// Entrants whose agents join from outside, with everything wrong that can be.
#[test]
fn faulty_entrants_that_join_are_told_with_their_places() {
    let file = r#"game = "project"
executor = "in-process"
[network]
listen = "everywhere"
[[entrant]]
join = true
ports = [4001, 4001]
[[entrant]]
name = "b"
join = true
strategy = "greedy"
ports = [4001, 4002]
[[entrant]]
name = "c"
join = 1
ports = [4003, 4001]
team = "red"
[[entrant]]
name = "d"
join = false
ports = [0, 65536]
"#;
    insta::assert_snapshot!(League::read("faulty", file, &InProcess::new("tests 1.0")).unwrap_err(), @r#"
    line 4, column 10: invalid `listen` "everywhere": expected an IP address of this machine, e.g. "127.0.0.1", or "0.0.0.0" for all
    line 5, column 1: `name` is missing: an entrant with `join = true` needs one
    line 5, column 1: commands and agents that join play only over the network: expected `executor = "network"`
    line 7, column 9: invalid `ports`: expected two different ports from 1 to 65535, that of red first, e.g. [4001, 4002]
    line 8, column 1: an entrant that joins from outside has no `strategy`
    line 15, column 8: `join` is 1: expected true or false
    line 16, column 9: port 4001 is that of another entrant: expected ports of its own
    line 17, column 1: unknown key of [[entrant]] `team`: expected join, name or ports
    line 18, column 1: `join` is false: leave it out, or give the entrant `join = true`
    line 21, column 9: invalid `ports`: expected two different ports from 1 to 65535, that of red first, e.g. [4001, 4002]
    "#);
}

#[test]
fn an_entrant_that_joins_makes_a_league_one_of_the_network() {
    let read = |network: &str| {
        let file = format!(
            "game = \"project\"\n{network}\n[[entrant]]\nname = \"a\"\njoin = true\n[[entrant]]\nstrategy = \"greedy\"\n"
        );
        League::read("joins", &file, &InProcess::new("tests 1.0")).unwrap()
    };
    let league = read("");
    assert_eq!((league.executor, league.keeps_replays), (ExecutorKind::Network, true));
    assert_eq!(league.entrants[0].strategies, [r#"join {"name":"a"}"#]);
    assert_eq!(
        (league.network.join.as_secs(), league.network.listen.to_string().as_str()),
        (60, "127.0.0.1")
    );
    assert_eq!((league.network.delay, league.network.alone), (Duration::ZERO, Duration::from_secs(1)));
    let league = read("[network]\njoin_ms = 5\nlisten = \"0.0.0.0\"\ndelay_ms = 7\nalone_ms = 0");
    assert_eq!((league.network.delay, league.network.alone), (Duration::from_millis(7), Duration::ZERO));
    assert_eq!((league.network.join.as_millis(), league.network.listen.to_string().as_str()), (5, "0.0.0.0"));
}

#[test]
fn a_command_makes_a_league_one_of_the_network() {
    let entrants = "[[entrant]]\nname = \"a\"\ncommand = [\"run\"]\n[[entrant]]\nstrategy = \"greedy\"\n";
    let read =
        |head: &str| League::read("commands", &format!("{head}\n{entrants}"), &InProcess::new("tests 1.0"));
    let league = read("game = \"project\"").unwrap();
    assert_eq!((league.executor, league.keeps_replays), (ExecutorKind::Network, true));
    assert_eq!(league.limits.time, SimTime::from_millis(600_000));
    assert!(!read("game = \"project\"\nreplays = \"none\"").unwrap().keeps_replays);
    let error = read("game = \"dots\"").unwrap_err().to_string();
    assert!(error.contains("the game dots is not played over the network: expected project"), "{error}");
}

/// The leagues that are shipped.
#[test]
fn the_examples_can_be_played() {
    for (name, executor) in [
        ("league", ExecutorKind::InProcess),
        ("league-dots", ExecutorKind::InProcess),
        ("league-bricks", ExecutorKind::InProcess),
        ("league-conveyor", ExecutorKind::InProcess),
        ("league-eriantys", ExecutorKind::InProcess),
        ("league-network", ExecutorKind::Network),
        ("league-host", ExecutorKind::Network),
        ("league-class", ExecutorKind::Network),
    ] {
        let path = format!("{}/../examples/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let file = std::fs::read_to_string(path).unwrap();
        let league = League::read(name, &file, &InProcess::new("tests 1.0"));
        assert_eq!(league.map(|league| league.executor), Ok(executor), "{name}");
    }
}

/// Every block of TOML on a page that names a game is a whole league file.
#[test]
fn the_league_files_on_the_pages_can_be_played() {
    let book = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src");
    let (mut folders, mut found) = (vec![book], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the book") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                let text = std::fs::read_to_string(&path).expect("a page");
                let blocks = text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
                for block in blocks.filter(|block| block.lines().any(|line| line.starts_with("game = "))) {
                    let read = League::read("page", block, &InProcess::new("tests 1.0"));
                    if let Err(faults) = read {
                        panic!("{}:\n{faults}\n{block}", path.display());
                    }
                    found.push(path.file_name().map(|name| name.to_string_lossy().into_owned()));
                }
            }
        }
    }
    for page in ["games-as-data.md", "leagues.md", "class.md"] {
        assert!(found.contains(&Some(page.to_owned())), "{page}: {found:?}");
    }
}

/// The agent at fault is named by the record; where nobody could play on, all sides have failed.
#[test]
fn sides_at_fault_follow_from_the_outcome() {
    let text = "game = \"teams\"\npreset = \"small\"\n[[entrant]]\nstrategy = \"good\"\n[[entrant]]\nstrategy = \"bad\"\n";
    let league = League::read("tests", text, &Sample).expect("the league is sound");
    let at_fault = |fault: Option<u16>, points: [i32; 2]| {
        let returns = Returns::new(&points);
        let ranking = Ranking::by_points(&returns);
        let fault = fault.map(AgentId::new);
        league.sides_at_fault(&Outcome { ranking, termination: Termination::Crash, fault, returns })
    };
    let side = league.teams[2].index();
    assert_eq!(at_fault(None, [0, 0]), Vec::<usize>::new());
    assert_eq!(at_fault(Some(2), [1, 0]), [side]);
    assert_eq!(at_fault(Some(2), [0, 1]), [side]);
    assert_eq!(at_fault(Some(2), [0, 0]), [0, 1]);
    assert_eq!(at_fault(Some(60_000), [1, 0]), Vec::<usize>::new(), "a record of another game");
}
