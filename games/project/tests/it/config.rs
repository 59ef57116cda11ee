//! Configurations: every fault at once, and the values that are allowed.

use game_env::{ByTeam, Millis, Parameters, Value};
use game_project::config::PARAMETERS;
use game_project::{ActionKind, Config, RawConfig, Team};
use insta::assert_snapshot;

#[test]
fn the_defaults_are_the_sample_of_the_source() {
    assert_snapshot!(
        Config::default().parameters(),
        @"boardX=40 boardY=40 goalAreaHeight=5 numberOfGoals=5 numberOfPieces=10 teamSize=2 shamPieceProbability=0.5 movePenalty=1500 informationExchangePenalty=1000 discoveryPenalty=700 putPenalty=500 checkForShamPenalty=700 destroyPiecePenalty=500 pickUpPenalty=0 landingPickUp=true leaderBinds=true redAgents=2 blueAgents=2"
    );
}

#[test]
fn every_fault_is_named_at_once() {
    let raw = RawConfig {
        board_x: 0,
        goal_area_height: 20,
        number_of_goals: 0,
        number_of_pieces: 0,
        team_size: -1,
        sham_piece_probability: 1.5,
        move_penalty: -1,
        pick_up_penalty: 4_000_000,
        ..RawConfig::default()
    };
    assert_snapshot!(raw.check().unwrap_err(), @"
    boardX = 0: it is too small; allowed: a whole number from 1 to 4096
    numberOfGoals = 0: it is too small; allowed: a whole number from 1 to 100000
    numberOfPieces = 0: it is too small; allowed: a whole number from 1 to 1000000
    teamSize = -1: it is too small; allowed: a whole number from 1 to 3000
    shamPieceProbability = 1.5: it is too large; allowed: a number from 0 to 1
    movePenalty = -1: it is too small; allowed: a whole number from 0 to 3600000
    pickUpPenalty = 4000000: it is too large; allowed: a whole number from 0 to 3600000
    goalAreaHeight = 20: both goal areas leave none of 40 rows for the task area; allowed: at most 19
    ");
}

#[test]
fn what_does_not_fit_together_is_named() {
    let raw = RawConfig { board_x: 2, board_y: 2, team_size: 2, number_of_goals: 11, ..RawConfig::default() };
    assert_snapshot!(raw.check().unwrap_err(), @"
    goalAreaHeight = 5: both goal areas leave none of 2 rows for the task area; allowed: a boardY of at least 3
    numberOfGoals = 11: a goal area of 2×5 has fewer fields; allowed: at most 10
    teamSize = 2: two teams of 2 leave no field free on 2×2; allowed: at most 1
    ");
}

#[test]
fn a_value_beyond_its_range_is_compared_with_the_others_too() {
    let raw = RawConfig {
        board_y: 14,
        goal_area_height: 3,
        number_of_goals: 100_001,
        team_size: i64::MAX,
        ..RawConfig::default()
    };
    assert_snapshot!(raw.check().unwrap_err(), @"
    numberOfGoals = 100001: it is too large; allowed: a whole number from 1 to 100000
    teamSize = 9223372036854775807: it is too large; allowed: a whole number from 1 to 3000
    numberOfGoals = 100001: a goal area of 40×3 has fewer fields; allowed: at most 120
    teamSize = 9223372036854775807: two teams of 9223372036854775807 leave no field free on 40×14; allowed: at most 279
    ");
}

/// A board has room for more goals than a game has a use for.
#[test]
fn goals_have_a_limit_whatever_the_board() {
    let raw = |goals| RawConfig {
        board_x: 4096,
        board_y: 4096,
        goal_area_height: 2047,
        number_of_goals: goals,
        ..RawConfig::default()
    };
    assert_eq!(raw(100_000).check().unwrap().goals(), 100_000);
    let told = raw(100_001).check().unwrap_err().to_string();
    assert_eq!(told, "numberOfGoals = 100001: it is too large; allowed: a whole number from 1 to 100000");
    // The board allows more than the range does.
    let told = raw(10_000_000).check().unwrap_err().to_string();
    assert_eq!(told, "numberOfGoals = 10000000: it is too large; allowed: a whole number from 1 to 100000");
}

#[test]
fn no_number_passes_for_a_probability() {
    for probability in [f64::NAN, f64::INFINITY, -0.1, 1.000_001] {
        let raw = RawConfig { sham_piece_probability: probability, ..RawConfig::default() };
        assert_eq!(raw.check().unwrap_err().faults()[0].field, "shamPieceProbability", "{probability}");
    }
}

#[test]
fn extreme_numbers_are_faults_and_no_panic() {
    for number in [i64::MIN, i64::MAX] {
        let raw = RawConfig {
            board_x: number,
            board_y: number,
            goal_area_height: number,
            number_of_goals: number,
            team_size: number,
            put_penalty: number,
            ..RawConfig::default()
        };
        assert_eq!(raw.check().unwrap_err().faults().len(), 6);
    }
}

#[test]
fn names_are_those_of_the_source_and_its_variants() {
    let read = |name: &str, value| RawConfig::read(&[(name, value)].into_iter().collect());
    assert_eq!(read("goalAreaHight", Value::Whole(3)).unwrap().goal_area_height, 3);
    assert_eq!(read("askPenalty", Value::Whole(3)).unwrap().information_exchange_penalty, 3);
    assert_eq!(read("shamPieceProbability", Value::Whole(1)).unwrap().sham_piece_probability, 1.0);
}

#[test]
fn unknown_doubled_and_ill_typed_parameters_are_named() {
    let parameters: Parameters = [
        ("BoardX", Value::Whole(3)),
        ("shamProbability", Value::Real(0.1)),
        ("colour", Value::Text("red".to_owned())),
        ("putPenalty", Value::Real(0.5)),
        ("askPenalty", Value::Whole(1)),
        ("responsePenalty", Value::Whole(1)),
        ("informationExchangePenalty", Value::Whole(2)),
    ]
    .into_iter()
    .collect();
    assert_snapshot!(RawConfig::read(&parameters).unwrap_err(), @r#"
    BoardX = 3: unknown parameter; allowed: perhaps `boardX`
    shamProbability = 0.1: unknown parameter; allowed: perhaps `shamPieceProbability`
    colour = "red": unknown parameter; allowed: boardX, boardY, goalAreaHeight, numberOfGoals, numberOfPieces, teamSize, shamPieceProbability, movePenalty, informationExchangePenalty, discoveryPenalty, putPenalty, checkForShamPenalty, destroyPiecePenalty, pickUpPenalty, landingPickUp, leaderBinds
    putPenalty = 0.5: wrong type; allowed: a whole number from 0 to 3600000
    informationExchangePenalty = 2: it is given as `askPenalty` and as `informationExchangePenalty`, with different values; allowed: one value
    "#);
}

#[test]
fn penalties_are_rounded_to_ten_milliseconds() {
    for (asked, rounded) in [(0, 0), (4, 0), (5, 10), (14, 10), (15, 20), (1500, 1500)] {
        let config = RawConfig { put_penalty: asked, ..RawConfig::default() }.check().unwrap();
        assert_eq!(config.penalties().of(ActionKind::Put), Millis::new(rounded), "{asked} ms");
    }
}

#[test]
fn a_configuration_reads_as_it_is_written() {
    let config = Config::default().seat(ByTeam::new([2, 1])).unwrap();
    assert_eq!(Config::read(&config.parameters()).unwrap(), config);
    assert_eq!(config.agents()[Team::Blue], 1);
}

#[test]
fn a_team_seats_no_more_than_its_size() {
    let error = Config::default().seat(ByTeam::new([3, 2])).unwrap_err();
    assert_snapshot!(error, @"redAgents = 3: the team size is 2; allowed: at most 2");
}

#[test]
fn a_game_has_an_agent() {
    let error = Config::default().seat(ByTeam::new([0, 0])).unwrap_err();
    assert_snapshot!(error, @"redAgents = 0: blueAgents is 0 as well; allowed: at least one agent in a team");
    let parameters = [("redAgents", Value::Whole(0)), ("blueAgents", Value::Whole(0))];
    assert_eq!(Config::read(&parameters.into_iter().collect()), Err(error));
}

/// A settings page shows every parameter with its range and finds the fault of each by its name.
#[test]
fn every_parameter_is_described() {
    let lines: Vec<String> = PARAMETERS
        .iter()
        .map(|parameter| format!("{}: {}; {}", parameter.name, parameter.description(), parameter.range))
        .collect();
    assert_snapshot!(lines.join("\n"));
}
