//! The crate's tests.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod careless;
mod habits;
mod why;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use game_env::matches::{MatchLimits, MatchSpec};
use game_env::replay::Reader;
use game_env::rollout::{Departure, Input};
use game_env::{AgentId, Seed, SimTime};
use strategies::project::random::Random;
use strategies::recorded_game::RecordedGame;
use strategies::room;
use study::curve::{Curve, Setup};
use study::differences::{Differences, worth};
use study::futures::{Futures, Question};
use study::moment::Moment;

const ONE: NonZeroUsize = NonZeroUsize::MIN;

/// The recorded game of these entrants with the first preset of a game.
fn recorded(game: &str, entrants: &[&str], seed: u64) -> Box<dyn RecordedGame> {
    let room = room::find(game).unwrap();
    let preset = room.game().presets().remove(0);
    let spec = MatchSpec {
        game: game.to_owned(),
        config: room.game().complete(&preset.parameters).unwrap(),
        seed: Seed::new(seed),
        entrants: entrants.iter().map(|name| (*name).to_owned()).collect(),
        limits: MatchLimits::default(),
    };
    let mut replay = Vec::new();
    room.play(&spec, "tests 1.0", Some(&mut replay)).unwrap();
    room.recorded_game(Reader::open(&replay[..]).unwrap()).unwrap()
}

/// A game of The Project Game of two agents a team.
fn project() -> Box<dyn RecordedGame> {
    recorded("project", &["greedy", "greedy", "climber", "climber"], 3)
}

fn on<T>(_: &T) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn question(game: &dyn RecordedGame, inputs: usize) -> Question<'_> {
    Question { game, inputs, entrants: game.players(), seed: Seed::new(1) }
}

#[test]
fn the_number_of_threads_changes_no_future() {
    let game = project();
    let question = question(&*game, game.moments().len() / 2);
    let [alone, together] =
        [ONE, NonZeroUsize::new(3).unwrap()].map(|jobs| Futures::play(&question, 12, jobs, on).unwrap());
    assert_eq!(alone, together);
    assert_eq!(alone.games(), 12);
    assert_eq!(alone.departures(), [], "the players repeat what they did");
    let [red, blue] = [alone.counts()[0], alone.counts()[1]];
    assert_eq!(red, [blue[2], blue[1], blue[0]], "what one team wins the other loses");
    assert!(!alone.are_the_same());
    for (team, first) in alone.first_won().iter().enumerate() {
        let Some(first) = first else { panic!("team {team} wins none of {:?}", alone.counts()) };
        let again = question.future(*first, None).unwrap();
        assert_eq!(again.outcome.winner().map(|winner| winner.index()), Some(team));
    }
}

#[test]
fn after_its_end_a_game_has_one_future() {
    let game = project();
    let futures = Futures::play(&question(&*game, game.moments().len()), 3, ONE, on).unwrap();
    assert!(futures.are_the_same());
    let winner = game.outcome().and_then(|outcome| outcome.winner()).unwrap();
    assert_eq!(futures.counts()[winner.index()], [0, 0, 3]);
    assert_eq!(futures.mean_time(), game.moments().last().unwrap().as_millis());
}

#[test]
fn futures_break_off_when_they_are_told_to() {
    let game = project();
    let after_two = |futures: &Futures| {
        if futures.games() < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let futures = Futures::play(&question(&*game, 0), 1_000, ONE, after_two).unwrap();
    assert_eq!(futures.games(), 2);
}

#[test]
fn an_entrant_that_does_not_exist_is_named() {
    let game = project();
    let mut question = question(&*game, 0);
    question.entrants[1] = "gready".to_owned();
    let error = Futures::play(&question, 5, ONE, on).unwrap_err().to_string();
    assert!(error.starts_with("entrant 2 of the match: unknown strategy `gready`"), "{error}");
}

#[test]
fn a_moment_is_a_time_or_a_number_of_actions() {
    let game = project();
    let moments = game.moments();
    let [first, last] = [moments[0], moments[moments.len() - 1]];
    let until = |time: SimTime| moments.iter().filter(|moment| **moment <= time).count();
    assert_eq!(Moment::Time(first).inputs(&*game), Ok(until(first)));
    assert!(until(first) > 1, "both teams act at the start");
    assert_eq!(Moment::Time(last).inputs(&*game), Ok(moments.len()));
    assert_eq!(Moment::Inputs(7).inputs(&*game), Ok(7));
    let late =
        Moment::Time(SimTime::from_millis(last.as_millis() + 1)).inputs(&*game).unwrap_err().to_string();
    assert!(late.contains("is after the end of this record: expected a time up to"), "{late}");
    let many = Moment::Inputs(moments.len() + 1).inputs(&*game).unwrap_err().to_string();
    assert!(many.ends_with(&format!("expected a number up to {}", moments.len())), "{many}");
    let dots = recorded("dots", &["greedy", "random"], 1);
    let timeless = "0:01.0".parse::<Moment>().unwrap().inputs(&*dots).unwrap_err().to_string();
    assert!(timeless.starts_with("0:01.0 is a time, and this game has none"), "{timeless}");
    assert_eq!(Moment::after(&dots.moments(), 3), Moment::Inputs(3));
    assert_eq!(Moment::after(&moments, 0), Moment::Time(SimTime::START));
}

fn setup(moments: usize, games: u64) -> Setup {
    Setup { moments, games, seed: Seed::new(1), jobs: ONE }
}

#[test]
fn a_curve_goes_from_the_first_moment_to_the_end() {
    let game = recorded("dots", &["greedy", "random"], 1);
    let curve = Curve::play(&*game, &game.players(), &setup(12, 20), on).unwrap();
    let inputs: Vec<usize> = curve.points().iter().map(|point| point.inputs).collect();
    assert_eq!(inputs.len(), 12);
    assert!(inputs.is_sorted_by(|a, b| a < b), "{inputs:?}");
    assert_eq!((inputs[0], inputs[11]), (0, game.moments().len()));
    let value = |place: usize| curve.points()[place].futures.chances()[0].0.value;
    assert!(value(0) > 0.7, "greedy is the stronger one from the start");
    assert_eq!(value(11), 1.0, "it has won");
    // Each moment has the futures that `fork` gives it with the same seed.
    let point = &curve.points()[5];
    let question = Question { seed: Seed::new(1), ..question(&*game, point.inputs) };
    assert_eq!(Futures::play(&question, 20, ONE, on).unwrap(), point.futures);
}

#[test]
fn a_curve_has_more_moments_where_the_chances_change() {
    let game = project();
    let curve = Curve::play(&*game, &game.players(), &setup(24, 12), on).unwrap();
    let inputs: Vec<usize> = curve.points().iter().map(|point| point.inputs).collect();
    let change = |place: usize| {
        let [before, after] =
            [place, place + 1].map(|place| curve.points()[place].futures.chances()[0].0.value);
        (before - after).abs()
    };
    let spans: Vec<(usize, f64)> =
        (0..inputs.len() - 1).map(|place| (inputs[place + 1] - inputs[place], change(place))).collect();
    let mean = |spans: Vec<usize>| spans.iter().sum::<usize>() as f64 / spans.len() as f64;
    let steep = mean(spans.iter().filter(|(_, change)| *change >= 0.2).map(|(span, _)| *span).collect());
    let flat = mean(spans.iter().filter(|(_, change)| *change < 0.05).map(|(span, _)| *span).collect());
    assert!(steep < flat, "{spans:?}");
    for fall in curve.falls(0) {
        let [before, after] = [fall.from, fall.to].map(|point| point.futures.chances()[0].0);
        assert_eq!(fall.loss.value, before.value - after.value);
        assert!(0.0 < fall.loss.low && fall.loss.value < fall.loss.high, "{:?}", fall.loss);
    }
}

#[test]
fn a_curve_that_is_broken_off_keeps_its_moments() {
    let game = recorded("dots", &["greedy", "random"], 1);
    let mut left = 25;
    let curve = Curve::play(&*game, &game.players(), &setup(12, 10), |_| {
        left -= 1;
        if left > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    assert_eq!(curve.unwrap().points().len(), 2, "the third moment has five of its ten futures");
}

#[test]
fn a_player_differs_from_others_and_not_from_itself() {
    let game = project();
    let own = Differences::of(&*game, AgentId::new(2), "climber").unwrap();
    assert_eq!(own.departures, []);
    let actions = |input: &&Input<String>| input.agent() == Some(AgentId::new(2));
    assert_eq!(own.actions, game.inputs().iter().filter(actions).count());
    let other = Differences::of(&*game, AgentId::new(2), "idle").unwrap();
    assert_eq!(other.departures.len(), other.actions, "it does nothing");
    assert!(other.departures.iter().all(|departure| departure.agent == AgentId::new(2)));
    let groups = other.groups();
    assert!(groups.iter().all(|group| group.chosen.is_none()));
    assert_eq!(groups.iter().map(|group| group.departures.len()).sum::<usize>(), other.departures.len());
    assert!(groups.is_sorted_by_key(|group| std::cmp::Reverse(group.departures.len())));
}

/// `random` loses to `greedy`, and `chains` in its place does not.
#[test]
fn a_blunder_costs_what_its_futures_say() {
    let game = recorded("dots", &["random", "greedy"], 5);
    let differences = Differences::of(&*game, AgentId::new(0), "chains").unwrap();
    assert!(!differences.departures.is_empty());
    let costs: Vec<f64> = differences
        .departures
        .iter()
        .map(|departure: &Departure<String>| {
            worth(&*game, departure, "chains", 32, Seed::new(1), ONE, || ControlFlow::Continue(()))
                .unwrap()
                .cost()
        })
        .collect();
    let first = costs[0];
    assert!(first > 0.1, "`chains` wins from there: {costs:?}");
    assert!(costs.iter().all(|cost| (-1.0..=1.0).contains(cost)));
}

/// A version that fails in the futures costs them chances, whatever its choice is worth.
#[test]
fn the_blunders_in_the_futures_of_a_difference_are_named() {
    let game = careless::played(["random", "greedy"], 5);
    let differences = Differences::of(&*game, AgentId::new(0), "fragile").unwrap();
    let of = |version| {
        let on = || ControlFlow::Continue(());
        worth(&*game, &differences.departures[0], version, 4, Seed::new(1), ONE, on).unwrap().blunders
    };
    assert_eq!(of("greedy"), [""; 0]);
    let blunders = of("fragile");
    let [blunder] = &blunders[..] else { panic!("{blunders:?}") };
    assert!(blunder.contains("agent #0 panicked") && blunder.contains("a future was played"), "{blunder}");
}

/// Also after the moment from which the players of a future draw from another seed.
#[test]
fn the_decisions_of_a_future_are_repeated() {
    let game = recorded("project", &["random"; 4], 3);
    let mut replay = Vec::new();
    question(&*game, game.moments().len() / 2).future(0, Some(&mut replay)).unwrap();
    let told = sdk::testing::decisions(&replay[..], AgentId::new(1), Random).unwrap();
    assert!(told.lines().count() > 50 && !told.contains(", not "), "{told}");
}
