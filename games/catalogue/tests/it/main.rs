//! The promises of the catalogue, for every game in it.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

use std::collections::BTreeSet;

use game_catalogue::{Game, find, games, of_replay};
use game_env::matches::{Failed, MatchLimits, MatchRecord, MatchSpec, play};
use game_env::replay::{Completeness, Reader, ReplayError};
use game_env::seat::Seat;
use game_env::{
    AgentId, Measured, Notation, Parameters, Policy, RandomPolicy, Seed, SimTime, Termination, Value,
};

fn specs(game: &dyn Game, config: Parameters, seed: Seed) -> MatchSpec {
    let entrants = vec!["random".to_owned(); game.teams(&config).unwrap().len()];
    let limits = MatchLimits { steps: 2_000, ..MatchLimits::default() };
    MatchSpec { game: game.name().to_owned(), config, seed, entrants, limits }
}

#[test]
fn names_are_single_and_presets_can_be_played() {
    let names: BTreeSet<_> = games().iter().map(|game| game.name()).collect();
    assert_eq!(names.len(), games().len());
    for game in games() {
        assert_eq!(find(game.name()).unwrap().name(), game.name());
        let presets: BTreeSet<_> = game.presets().iter().map(|preset| preset.name).collect();
        assert_eq!(presets.len(), game.presets().len(), "{}", game.name());
        for preset in game.presets() {
            let whole = game.complete(&preset.parameters).unwrap();
            assert_eq!(game.complete(&whole).unwrap(), whole, "{} {}", game.name(), preset.name);
            let teams = game.teams(&whole).unwrap();
            let kinds: BTreeSet<_> = teams.iter().collect();
            assert!(game.description().agents.contains(&teams.len()), "{} {}", game.name(), preset.name);
            assert!(game.description().teams.contains(&kinds.len()), "{} {}", game.name(), preset.name);
        }
    }
}

#[test]
fn an_unknown_game_and_faults_of_a_configuration_are_named() {
    let told = |name| find(name).err().unwrap().to_string();
    assert_eq!(
        told("dost"),
        "no game `dost`: expected project, dots, bricks, conveyor or eriantys; did you mean `dots`?"
    );
    assert_eq!(
        told("tic-tac-toe"),
        "no game `tic-tac-toe`: expected project, dots, bricks, conveyor or eriantys"
    );
    let faulty = [("rows", Value::Whole(1)), ("colour", Value::Flag(true))].into_iter().collect();
    let error = find("dots").unwrap().complete(&faulty).unwrap_err().to_string();
    assert!(error.contains("rows") && error.contains("colour"), "{error}");
}

/// Plays a match of random options, and verifies its replay by the game's name alone.
fn plays_and_verifies<E: Notation + Measured>(preset: &str) {
    let game = find(E::GAME).unwrap();
    let preset = game.presets().into_iter().find(|own| own.name == preset).unwrap();
    let spec = specs(game, game.complete(&preset.parameters).unwrap(), Seed::new(7));
    let mut replay = Vec::new();
    let seat = |_: &E, agent: AgentId, _: &str| {
        Ok(Seat::new(RandomPolicy::<E::Action>::new(spec.seed.agent(agent))))
    };
    let record = play(&spec, "tests 1.0", seat, Some(&mut replay)).unwrap();
    let again = play(&spec, "tests 1.0", seat, None).unwrap();
    assert_eq!(record, again, "a match repeats");
    assert_eq!(record.to_string().parse::<MatchRecord>().unwrap(), record);
    assert!(record.steps > 0 && record.decisions >= record.steps);
    let reader = Reader::open(&replay[..]).unwrap();
    assert_eq!(of_replay(reader.header()).unwrap().name(), E::GAME);
    let played = game.verify(Reader::open(&replay[..]).unwrap()).unwrap();
    assert_eq!((played.actions, played.outcome), (record.steps, Some(record.outcome)));
    assert_eq!((played.completeness, played.has_more), (Completeness::Complete, false));
    let cut = game.verify(Reader::open(&replay[..replay.len() - 20]).unwrap());
    assert!(!cut.unwrap().completeness.is_complete());
    for other in games().iter().filter(|other| other.name() != game.name()) {
        assert!(matches!(
            other.verify(Reader::open(&replay[..]).unwrap()),
            Err(ReplayError::OtherGame { .. })
        ));
    }
}

#[test]
fn a_replay_of_each_game_is_verified_by_the_name_in_it() {
    plays_and_verifies::<game_bricks::State>("original");
    plays_and_verifies::<game_conveyor::State>("small");
    plays_and_verifies::<game_dots::State>("original");
    plays_and_verifies::<game_eriantys::State>("four-expert");
    plays_and_verifies::<game_project::State>("quick");
}

/// A player that panics forfeits; in a game of two the other one wins.
#[test]
fn a_policy_that_panics_loses_and_is_told_of() {
    type Dots = game_dots::State;
    let spec = specs(find("dots").unwrap(), Parameters::new(), Seed::new(7));
    let mut replay = Vec::new();
    let record = play::<Dots, _>(
        &spec,
        "tests 1.0",
        |_, agent, _| {
            let careless =
                |_: SimTime, _: AgentId, _: &game_dots::Observation| -> game_dots::Edge { panic!("no idea") };
            let random = RandomPolicy::<game_dots::Edge>::new(spec.seed.agent(agent));
            let policy: Box<dyn Policy<Dots>> =
                if agent.index() == 1 { Box::new(careless) } else { Box::new(random) };
            Ok(Seat::new(policy))
        },
        Some(&mut replay),
    )
    .unwrap();
    let played = find("dots").unwrap().verify(Reader::open(&replay[..]).unwrap()).unwrap();
    assert_eq!(played.gone, 1);
    assert_eq!(record.outcome.termination, Termination::Crash);
    assert_eq!(record.outcome.fault, Some(AgentId::new(1)));
    assert_eq!(record.outcome.winner(), Some(game_env::TeamId::new(0)));
    assert_eq!(record.blunders, 1);
    assert!(record.first_blunders[0].contains("no idea"), "{:?}", record.first_blunders);
    let failed = Failed { agent: AgentId::new(1), at: SimTime::START, how: Termination::Crash };
    assert_eq!(record.failed, [failed]);
    assert!(record.to_string().ends_with(r#","failed":[{"agent":1,"at_ms":0,"how":"crash"}]}"#), "{record}");
    assert_eq!(record.to_string().parse::<MatchRecord>().unwrap(), record);
    for (from, to, why) in [
        (r#""failed":[{"agent":1"#, r#""failed":[{"agent":2"#, "failed agent 2: there are 2 agents"),
        (r#""how":"crash""#, r#""how":"crashed""#, "`crashed` is no termination"),
    ] {
        let text = record.to_string().replace(from, to);
        let error = text.parse::<MatchRecord>().unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_match_that_cannot_be_played_is_refused_with_the_reason() {
    type Dots = game_dots::State;
    let told = |spec: &MatchSpec| {
        let seat = |_: &Dots, agent: AgentId, name: &str| match name {
            "random" => Ok(Seat::new(RandomPolicy::<game_dots::Edge>::new(spec.seed.agent(agent)))),
            other => Err(format!("no strategy `{other}`")),
        };
        play::<Dots, _>(spec, "tests 1.0", seat, None).unwrap_err().to_string()
    };
    let spec = specs(find("dots").unwrap(), Parameters::new(), Seed::new(7));
    let other = MatchSpec { game: "project".to_owned(), ..spec.clone() };
    assert_eq!(told(&other), "the match is one of `project`, not of `dots`");
    let alone = MatchSpec { entrants: vec!["random".to_owned()], ..spec.clone() };
    assert_eq!(told(&alone), "the match has 1 entrants, and the game has 2 agents with this configuration");
    let unknown = MatchSpec { entrants: vec!["random".to_owned(), "x".to_owned()], ..spec.clone() };
    assert_eq!(told(&unknown), "entrant 2 of the match: no strategy `x`");
    let config = [("rows", Value::Whole(1))].into_iter().collect();
    assert!(told(&MatchSpec { config, ..spec }).contains("rows = 1: it is too small"));
}
