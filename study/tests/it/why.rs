//! The decision that lost a game.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use game_dots::{Config, Edge, Observation, State};
use game_env::rollout::Input;
use game_env::{AgentId, Choice, Environment as _, Notation as _, Seed};
use strategies::recorded_game::RecordedGame;
use study::why::{Setup, Why, search};

use crate::careless::{blunders, played};

/// A game that #0 has lost, in which it was careless, and the number of inputs before that.
fn lost() -> (Box<dyn RecordedGame>, usize) {
    let games = (0..100).map(|seed| played(["careless", "greedy"], seed));
    let mut lost = games.filter(|game| game.outcome().unwrap().ranking.places()[0] > 1);
    lost.find_map(|game| {
        let config = Config::new(4, 4).unwrap();
        let mut state = State::new(&config, game.header().seed);
        let mut seen = Observation::default();
        for (place, input) in game.inputs().into_iter().enumerate() {
            let Input::Action { at, agent, action } = input else { panic!("{input:?}") };
            let edge: Edge = action.parse().unwrap();
            state.observe(agent, &mut seen);
            if agent.index() == 0 && blunders(&seen).contains(&edge) {
                return Some((game, place));
            }
            state.step(at, agent, edge, &mut Vec::new());
        }
        None
    })
    .expect("it is careless in some game")
}

fn setup(reference: &str, jobs: usize) -> Setup {
    Setup {
        team: 0,
        agents: vec![AgentId::new(0)],
        reference: reference.to_owned(),
        games: 1_200,
        seed: Seed::new(3),
        jobs: NonZeroUsize::new(jobs).unwrap(),
    }
}

fn found(game: &dyn RecordedGame, setup: &Setup) -> Why {
    search(game, setup, |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn the_chain_that_was_given_away_lost_the_game() {
    let (game, place) = lost();
    assert_eq!(State::GAME, game.header().game);
    let why = found(&*game, &setup("greedy", 2));
    let trial = why.decision().unwrap_or_else(|| panic!("{why:?}"));
    assert_eq!((trial.suspect.agent, trial.suspect.inputs), (AgentId::new(0), place), "{why:?}");
    let Input::Action { action, .. } = &game.inputs()[place] else { panic!("a move") };
    assert_eq!(trial.suspect.recorded, Choice::Act(action.clone()));
    assert_ne!(&trial.suspect.better, action);
    assert!(trial.pairs.better().0.value > trial.pairs.recorded().0.value);
    assert!(why.futures <= 1_200 && why.suspects >= 1, "{why:?}");
}

/// `chains` wins the same game from a later moment than that of the chain.
#[test]
fn a_player_that_counts_finds_the_edge_that_lost_a_won_game() {
    let (game, place) = lost();
    let why = found(&*game, &setup("chains", 2));
    let trial = why.decision().unwrap_or_else(|| panic!("{why:?}"));
    assert!(trial.suspect.agent == AgentId::new(0) && trial.suspect.inputs > place, "{why:?}");
    assert_eq!((trial.pairs.recorded().0.value, trial.pairs.better().0.value), (0.0, 1.0), "{why:?}");
    assert!(why.trials.is_sorted_by(|a, b| a.pairs.cost().value >= b.pairs.cost().value));
}

/// A player that fails in the futures costs them chances, whatever its decisions.
#[test]
fn the_blunders_in_the_futures_are_named() {
    let setup = Setup { games: 100, ..setup("greedy", 2) };
    let of = |player| {
        let mut games = (0..100).map(|seed| found(&*played([player, "greedy"], seed), &setup));
        games.find(|why| !why.trials.is_empty()).expect("a game in which it is careless")
    };
    assert_eq!(of("careless").blunders_in_futures, [""; 0]);
    let blunders = of("strict").blunders_in_futures;
    let [blunder] = &blunders[..] else { panic!("{blunders:?}") };
    assert!(
        blunder.contains("agent #0 panicked") && blunder.contains("an action that was not chosen"),
        "{blunder}"
    );
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let (game, _) = lost();
    assert_eq!(found(&*game, &setup("chains", 1)), found(&*game, &setup("chains", 3)));
}

/// With itself as the reference every player is blameless.
#[test]
fn a_player_that_repeats_itself_has_no_suspects() {
    let game = played(["greedy", "greedy"], 1);
    let why = found(&*game, &setup("greedy", 2));
    assert_eq!((why.suspects, why.trials.len(), why.decision()), (0, 0, None));
    assert!(why.actions > 5 && !why.curve.points().is_empty());
}

#[test]
fn an_interruption_leaves_what_was_measured() {
    let (game, _) = lost();
    let stop_at = |last: u64| {
        let flow = |futures| if futures < last { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        search(&*game, &setup("greedy", 2), flow).unwrap()
    };
    let early = stop_at(3);
    assert_eq!((early.futures, early.trials.len()), (3, 0));
    let later = stop_at(600);
    assert!((600..=601).contains(&later.futures), "{later:?}");
    assert!(later.trials.iter().map(|trial| trial.pairs.count()).sum::<u64>() > 100, "{later:?}");
}

/// Interrupted at the beginning of its last round, a search has the pairs by which it has chosen the suspects of that
/// round.
#[test]
fn an_interruption_of_the_last_round_leaves_the_pairs_before_it() {
    let (game, _) = lost();
    let setup = Setup { games: 4_000, ..setup("chains", 2) };
    let whole = found(&*game, &setup);
    assert!(whole.suspects > whole.trials.len(), "{whole:?}");
    let last_round: u64 = whole.trials.iter().map(|trial| trial.pairs.count()).sum();
    let stop_at = whole.futures - 2 * last_round + 4;
    let flow = |futures| if futures < stop_at { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let broken_off = search(&*game, &setup, flow).unwrap();
    assert!(broken_off.futures < stop_at + 4, "{broken_off:?}");
    assert_eq!(broken_off.trials.len(), 3, "{broken_off:?}");
    assert!(broken_off.trials.iter().all(|trial| trial.pairs.count() > 10), "{broken_off:?}");
}

#[test]
fn a_reference_that_does_not_exist_is_an_error() {
    let game = played(["greedy", "greedy"], 1);
    let error = search(&*game, &setup("gredy", 1), |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(error.contains("did you mean `greedy`?"), "{error}");
}
