//! Parameters of strategies, as matches name them.

use game_env::matches::{MatchLimits, MatchRecord, MatchSpec, entrants};
use game_env::{Parameters, Seed};
use game_project::Preset;
use strategies::room::find;

fn play(game: &str, line_ups: [&str; 2], seed: u64) -> MatchRecord {
    let room = find(game).unwrap();
    let config = if game == "project" { Preset::Quick.raw().parameters() } else { Parameters::new() };
    let teams = room.game().teams(&config).unwrap();
    let line_ups = line_ups.map(|text| room.line_up(text).unwrap());
    let spec = MatchSpec {
        game: game.to_owned(),
        config,
        seed: Seed::new(seed),
        entrants: entrants(&teams, &line_ups),
        limits: MatchLimits::default(),
    };
    room.play(&spec, "tests 1.0", None).unwrap()
}

/// The sum of a metric of the first team over some games.
fn sum(metric: &str, line_up: &str) -> f64 {
    (0..20).map(|seed| play("project", [line_up, "greedy"], seed).metrics.get(metric).unwrap()[0]).sum()
}

#[test]
fn a_match_names_a_strategy_with_the_values_that_are_no_defaults() {
    let project = find("project").unwrap();
    let named = project.line_up("coordinated:slip=0.010,patience=1*2 + 3").unwrap();
    assert_eq!(named, ["coordinated:slip=0.01", "coordinated:slip=0.01", "greedy"]);
    assert_eq!(find("dots").unwrap().line_up("greedy:slip=0").unwrap(), ["greedy"]);
    let record = play("project", ["coordinated:slip=0.01", "greedy"], 1);
    assert_eq!(record.spec.entrants.iter().filter(|name| *name == "coordinated:slip=0.01").count(), 2);
}

#[test]
fn faulty_parameters_are_refused_in_every_game() {
    let refused = |game, text| find(game).unwrap().line_up(text).unwrap_err();
    assert_eq!(
        refused("dots", "greedy:slop=1"),
        "greedy: slop = 1: unknown parameter; allowed: perhaps `slip`"
    );
    assert_eq!(refused("dots", "random:slip=1"), "`random` has no parameters");
    assert_eq!(
        refused("project", "greedy:slip=-0.5"),
        "greedy: slip = -0.5: it is too small; allowed: a number from 0 to 1"
    );
}

#[test]
fn patience_decides_when_a_coordinated_agent_asks() {
    let [impatient, usual, patient] =
        ["0", "1", "1000"].map(|patience| sum("exchanging_ms", &format!("coordinated:patience={patience}")));
    assert!(impatient > usual && usual > patient, "{impatient}, {usual}, {patient}");
    assert_eq!(patient, 0.0);
}

#[test]
fn an_agent_that_slips_makes_random_decisions() {
    let discovering = |slip| sum("discovering_ms", &format!("greedy:slip={slip}"));
    // With cheap moves, greedy never discovers.
    assert_eq!(discovering("0"), 0.0);
    assert!(discovering("0.02") > 0.0 && discovering("0.2") > discovering("0.02"));
    let same =
        |slip| play("project", [slip, "greedy"], 7).hash == play("project", ["greedy", "greedy"], 7).hash;
    assert!(same("greedy:slip=0.0") && !same("greedy:slip=0.5"));

    let points = |slip: &str| -> i32 {
        (0..20).map(|seed| play("dots", [slip, "greedy"], seed).outcome.returns.points()[0]).sum()
    };
    assert!(points("greedy:slip=0.5") + 20 < points("greedy"));
}
