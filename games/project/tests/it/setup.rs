//! The beginning of a game, and boards as text.

use std::collections::BTreeSet;

use game_env::{ByTeam, Environment, Notation, Seed};
use game_project::{Area, Config, RawConfig, Setup, State, Team};
use insta::assert_snapshot;
use proptest::prelude::*;

use crate::properties::configs;

proptest! {
    /// Sections 2 and 3 of the specification, for any configuration and seed.
    #[test]
    fn a_drawn_game_is_fair_and_complete(config in configs(), seed in any::<u64>()) {
        let state = State::new(&config, Seed::new(seed));
        let setup = state.setup();
        let geometry = config.geometry();
        let mirrored = |team: Team| -> BTreeSet<_> {
            setup.goals[team].iter().map(|at| geometry.mirror(*at)).collect()
        };
        prop_assert_eq!(setup.goals[Team::Red].len(), config.goals() as usize);
        prop_assert_eq!(mirrored(Team::Red), setup.goals[Team::Blue].iter().copied().collect());
        prop_assert!(setup.goals[Team::Red].iter().all(|at| geometry.area(*at) == Area::Goal(Team::Red)));
        prop_assert_eq!(setup.pieces.len(), config.pieces() as usize);
        prop_assert!(setup.pieces.iter().all(|(at, _)| geometry.area(*at) == Area::Task));
        let fields: BTreeSet<_> = setup.agents.iter().map(|agent| agent.position).collect();
        prop_assert_eq!(fields.len(), setup.agents.len(), "two agents on one field");
        for agent in &setup.agents {
            prop_assert!(geometry.area(agent.position) != Area::Goal(agent.team.opponent()));
            prop_assert_eq!(agent.hand, None);
        }
        let (red, blue) = setup.agents.split_at(config.agents()[Team::Red].into());
        prop_assert_eq!(blue.len(), usize::from(config.agents()[Team::Blue]));
        prop_assert!(red.iter().zip(blue).all(|(red, blue)| geometry.mirror(red.position) == blue.position));
        for (team, members) in [(Team::Red, red), (Team::Blue, blue)] {
            prop_assert_eq!(setup.leaders[team].is_some(), !members.is_empty());
        }
    }

    /// Any situation reads as it is written, and a game that begins there is that situation.
    #[test]
    fn a_board_reads_as_it_is_written(config in configs(), seed in any::<u64>()) {
        let setup = State::new(&config, Seed::new(seed)).setup();
        let text = setup.to_string();
        let read: Setup = text.parse().unwrap();
        prop_assert_eq!(&read, &setup, "{}", text);
        prop_assert_eq!(read.play(&RawConfig::default(), Seed::new(1)).unwrap().setup(), setup);
    }

    /// Whatever text it is, reading it ends with a result, and playing what was read with another.
    #[test]
    fn no_text_stops_the_reader(text in "[.g*psRB0-3!+ \n-]{0,60}") {
        if let Ok(setup) = text.parse::<Setup>() {
            let _ = setup.play(&RawConfig::default(), Seed::new(1));
        }
    }
}

/// Over many seeds everything that may be drawn is drawn: no field, no leader and no side is favoured.
#[test]
fn draws_reach_everything() {
    let raw = RawConfig {
        board_x: 3,
        board_y: 5,
        goal_area_height: 1,
        number_of_goals: 1,
        number_of_pieces: 1,
        ..RawConfig::default()
    };
    let config = raw.check().unwrap();
    let setups: Vec<Setup> = (0..3000).map(|seed| State::new(&config, Seed::new(seed)).setup()).collect();
    let even = |counts: Vec<usize>, what: &str| {
        let expected = setups.len() / counts.len();
        // Six standard deviations of a binomial, and some for rounding.
        let tolerance = 6 * expected.isqrt() + 2;
        assert!(counts.iter().all(|count| count.abs_diff(expected) < tolerance), "{what}: {counts:?}");
    };
    let count = |is: &dyn Fn(&Setup) -> bool| setups.iter().filter(|setup| is(setup)).count();
    let geometry = config.geometry();
    let task: Vec<_> = geometry.positions().filter(|at| geometry.area(*at) == Area::Task).collect();
    even(task.iter().map(|at| count(&|setup| setup.pieces[0].0 == *at)).collect(), "fields of the piece");
    even((0..3).map(|x| count(&|setup| setup.goals[Team::Blue][0].x == x)).collect(), "goals");
    even(
        (0..2).map(|id| count(&|setup| setup.leaders[Team::Red].unwrap().index() == id)).collect(),
        "leaders",
    );
    even(
        vec![count(&|setup| setup.pieces[0].1.is_sham()), count(&|setup| !setup.pieces[0].1.is_sham())],
        "shams",
    );
    let starts = |setup: &Setup| setup.agents[0].position;
    let possible: Vec<_> = geometry
        .positions()
        .filter(|at| geometry.area(*at) != Area::Goal(Team::Blue) && geometry.mirror(*at) != *at)
        .collect();
    // A pair of fields in goal areas is one way to start, a pair in the task area two.
    let goal_area = |at: &_| geometry.area(*at) != Area::Task;
    let (inside, outside): (Vec<_>, Vec<_>) = possible.into_iter().partition(goal_area);
    let pairs = 7;
    for (fields, share) in [(inside, setups.len() / pairs), (outside, setups.len() / pairs / 2)] {
        for at in fields {
            let seen = count(&|setup| starts(setup) == at);
            assert!(seen.abs_diff(share) < 6 * share.isqrt(), "red starts at {at} {seen} times, not {share}");
        }
    }
    let first: Vec<usize> = (0..4)
        .map(|id| {
            let begins = |seed: &u64| match State::new(&config, Seed::new(*seed)).turn() {
                game_env::Turn::Act { agent, .. } => agent.index() == id,
                game_env::Turn::Over(_) => false,
            };
            (0..3000).filter(begins).count()
        })
        .collect();
    even(first, "who acts first");
}

#[test]
fn the_fullest_board_can_be_set_up() {
    let raw = RawConfig {
        board_x: 3,
        board_y: 3,
        goal_area_height: 1,
        number_of_goals: 3,
        team_size: 4,
        ..RawConfig::default()
    };
    for seed in 0..50 {
        assert_eq!(State::new(&raw.check().unwrap(), Seed::new(seed)).setup().agents.len(), 8);
    }
}

#[test]
fn a_team_may_be_empty() {
    let config = Config::default().seat(ByTeam::new([0, 1])).unwrap();
    let state = State::new(&config, Seed::new(1));
    assert_eq!(state.agents(), 1);
    assert_eq!(state.setup().leaders[Team::Red], None);
}

#[test]
fn a_scene_shows_the_truth() {
    let board = "
        gR3  .    *
        ------------
        R0+p p    .
        .    psB1 B2!+s
        ------------
        .    g    .";
    let state = State::from_board(board, Seed::new(1)).unwrap();
    assert_snapshot!(state.scene(), @"
    gR3   .    *
    ----------------
    R0!+p p    .
    .     psB1 B2!+s
    ----------------
    .     g    .
    0.000 s  red 1, blue 0
    ");
}

#[test]
fn situations_that_cannot_be_are_refused() {
    let error = |board: &str| match State::from_board(board, Seed::new(1)) {
        Ok(_) => panic!("this was played:\n{board}"),
        Err(error) => error,
    };
    let boards = [
        "",
        ". .\n.\n.",
        ". .\n. .",
        ".\n---\n.\n.\n---\n.\n.",
        ".\nX0\n.",
        ".\nR\n.",
        ".\ng\n.",
        "*g\n.\n.",
        "R0!\nR1!\n.",
        "R0+x\n.\n.",
        "R0\nR2\n.",
        "R0\nR0\n.",
        "p\n.\nB0",
        "B0\n.\n.",
    ];
    let told: Vec<String> =
        boards.iter().map(|board| format!("{}\n    {}", board.replace('\n', " / "), error(board))).collect();
    assert_snapshot!(told.join("\n"));
}
