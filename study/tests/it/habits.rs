//! The habits of an entrant over many games.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use game_env::matches::{MatchLimits, MatchSpec};
use game_env::replay::Reader;
use game_env::{AgentId, Parameters, Seed, Value};
use study::habits::{Case, Habits, Setup, search};

use crate::careless;

fn setup(reference: &str, pairs: u64, jobs: usize) -> Setup {
    let jobs = NonZeroUsize::new(jobs).unwrap();
    Setup { reference: reference.to_owned(), pairs, most: 2, seed: Seed::new(3), jobs }
}

fn found(cases: &[Case<'_>], setup: &Setup) -> Habits {
    search(cases, setup, |_| ControlFlow::Continue(())).unwrap()
}

/// Games of this player of Dots & Boxes, which gives a chain away in each.
fn games_of(player: &str) -> Vec<Case<'static>> {
    let game = |seed| careless::played([player, "greedy"], seed);
    (0..8).map(|seed| Case { game: Box::leak(game(seed)), team: 0, agents: vec![AgentId::new(0)] }).collect()
}

/// Small games of The Project Game, whose red team does anything at all now and then.
fn slipping() -> Vec<Case<'static>> {
    let room = strategies::room::find("project").unwrap();
    let case = |seed| {
        let sizes = [("boardX", 5), ("boardY", 8), ("goalAreaHeight", 2), ("teamSize", 2)];
        let config: Parameters = sizes.into_iter().map(|(name, size)| (name, Value::Whole(size))).collect();
        let entrants = ["greedy:slip=0.1", "greedy:slip=0.1", "greedy", "greedy"].map(str::to_owned).to_vec();
        let limits = MatchLimits::default();
        let spec = MatchSpec { game: "project".to_owned(), config, seed: Seed::new(seed), entrants, limits };
        let mut replay = Vec::new();
        room.play(&spec, "test 1.0", Some(&mut replay)).unwrap();
        let game = room.recorded_game(Reader::open(&replay[..]).unwrap()).unwrap();
        Case { game: Box::leak(game), team: 0, agents: vec![AgentId::new(0), AgentId::new(1)] }
    };
    (0..3).map(case).collect()
}

#[test]
fn giving_a_chain_away_costs_games() {
    let cases = games_of("careless");
    let found = found(&cases, &setup("greedy", 400, 2));
    let [habit] = &found.habits[..] else { panic!("{found:?}") };
    assert_eq!((found.games, found.kinds, found.played, habit.pairs.count()), (8, 1, 800, 400));
    assert_eq!((habit.recorded.as_str(), habit.better.as_str()), ("action", "action"));
    assert_eq!(habit.decisions.len(), found.suspects);
    assert!(habit.games() > 1 && habit.games() <= 8 && found.actions > found.suspects, "{found:?}");
    // Without it, it plays as its opponent.
    assert!(habit.pairs.stands_out() && habit.pairs.cost().value > 0.1, "{found:?}");
    assert!(
        (0.4..0.6).contains(&habit.pairs.better().0.value) && habit.pairs.recorded().0.value < 0.4,
        "{found:?}"
    );
}

/// A player that fails in the games costs them chances, whatever its habits.
#[test]
fn the_blunders_in_the_games_are_named() {
    let of = |player: &str| found(&games_of(player), &setup("greedy", 20, 2)).blunders_in_games;
    assert_eq!(of("careless"), [""; 0]);
    let blunders = of("strict");
    let [blunder] = &blunders[..] else { panic!("{blunders:?}") };
    assert!(
        blunder.contains("agent #0 panicked") && blunder.contains("an action that was not chosen"),
        "{blunder}"
    );
}

#[test]
fn an_entrant_that_the_reference_repeats_has_no_habits() {
    let game = careless::played(["greedy", "greedy"], 1);
    let cases = [Case { game: &*game, team: 0, agents: vec![AgentId::new(0)] }];
    let found = found(&cases, &setup("greedy", 100, 2));
    assert_eq!((found.games, found.suspects, found.habits.len(), found.played), (1, 0, 0, 0));
    assert!(found.actions > 5);
}

#[test]
fn the_costliest_kinds_are_measured_to_the_end() {
    let cases = slipping();
    let found = found(&cases, &setup("greedy", 90, 2));
    assert!(found.kinds > 2 && found.habits.len() == 2, "{found:?}");
    assert!(found.habits.is_sorted_by(|a, b| a.pairs.cost().value >= b.pairs.cost().value), "{found:?}");
    let measured: u64 = found.habits.iter().map(|habit| habit.pairs.count()).sum();
    assert!((58..=90).contains(&measured) && found.played <= 180 + 2 * found.kinds as u64, "{found:?}");
    assert_ne!(
        (&found.habits[0].recorded, &found.habits[0].better),
        (&found.habits[1].recorded, &found.habits[1].better)
    );
}

#[test]
fn the_number_of_threads_changes_no_habit() {
    let cases = slipping();
    assert_eq!(found(&cases, &setup("greedy", 60, 1)), found(&cases, &setup("greedy", 60, 3)));
}

#[test]
fn a_search_can_be_broken_off() {
    let cases = games_of("careless");
    let setup = setup("greedy", 400, 2);
    let stop = |at: u64| {
        search(&cases, &setup, |done| {
            if done.played >= at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
    };
    let found = stop(20).unwrap();
    assert_eq!((found.played, found.habits[0].pairs.count()), (20, 10));
    let none = stop(0).unwrap();
    assert_eq!((none.games, none.played, none.habits.len()), (1, 0, 0));
}
