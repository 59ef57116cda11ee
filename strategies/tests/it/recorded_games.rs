//! Recorded games that are played on.

use std::cell::Cell;
use std::time::Duration;

use game_env::matches::{MatchLimits, MatchSpec};
use game_env::replay::{Fork, Reader};
use game_env::rollout::{Input, Replacement};
use game_env::{AgentId, Choice, Seed, SimTime};
use strategies::recorded_game::{Correction, RecordedGame};
use strategies::room::{Room, find, rooms};

/// The number of games of each strategy. More: `RECORDED_ROUNDS=40 cargo test -p strategies --test it recorded_games`.
fn rounds() -> usize {
    let asked = std::env::var("RECORDED_ROUNDS").ok();
    asked.map_or(1, |rounds| rounds.parse().expect("a number of games"))
}

const PROGRAM: &str = "test 1.0";

/// A match of the first preset with these entrants, and its replay.
fn played(room: &dyn Room, seed: Seed, entrant: impl Fn(usize) -> String) -> (MatchSpec, Vec<u8>) {
    let game = room.game();
    let parameters = game.presets().first().map(|preset| preset.parameters.clone()).unwrap_or_default();
    let config = game.complete(&parameters).unwrap();
    let agents = game.teams(&config).unwrap().len();
    let limits = MatchLimits { steps: 3_000, decisions: 20_000, ..MatchLimits::default() };
    let entrants = (0..agents).map(entrant).collect();
    let spec = MatchSpec { game: game.name().to_owned(), config, seed, entrants, limits };
    let mut replay = Vec::new();
    room.play(&spec, PROGRAM, Some(&mut replay)).unwrap();
    (spec, replay)
}

fn recorded(room: &dyn Room, replay: &[u8]) -> Box<dyn RecordedGame> {
    room.recorded_game(Reader::open(replay).unwrap()).unwrap()
}

#[test]
fn with_its_own_players_and_chance_a_game_goes_on_as_it_was_recorded() {
    for room in rooms() {
        let strategies = room.strategies();
        for (place, strategy) in strategies.iter().enumerate() {
            for round in 0..rounds() {
                let seed = Seed::new(1_000 * place as u64 + round as u64);
                // Each strategy plays with and against another one.
                let (spec, replay) = played(*room, seed, |agent| match agent % 2 {
                    0 => strategy.name.to_owned(),
                    _ => strategies[(place + round + 1) % strategies.len()].name.to_owned(),
                });
                let game = recorded(*room, &replay);
                let inputs = game.moments().len();
                for inputs in [0, inputs / 2, inputs] {
                    let mut again = Vec::new();
                    let fork = Fork::after(inputs);
                    let found = game.play_on(fork, &game.players(), PROGRAM, Some(&mut again)).unwrap();
                    let what = format!("{} {:?} {seed} after {inputs}", room.game().name(), spec.entrants);
                    assert_eq!(found.departures, [], "{what}");
                    assert!(again == replay, "{what}: another replay");
                }
                let what = format!("{} {:?} {seed}", room.game().name(), spec.entrants);
                let written = |game: &dyn RecordedGame, fork| {
                    let mut written = Vec::new();
                    game.play_on(fork, &game.players(), PROGRAM, Some(&mut written)).unwrap();
                    written
                };
                let future = written(&*game, Fork::after(0).with_seed(Seed::new(9)));
                let again = written(&*recorded(*room, &future), Fork::after(1));
                assert!(again == future, "{what}: a game that is played on from its start");
            }
        }
    }
}

/// Each reading of the clock of this test is a microsecond later than the last one.
#[test]
fn decisions_are_timed_with_all_that_was_heard_before_them() {
    let room = find("dots").unwrap();
    let (_, replay) = played(room, Seed::new(5), |_| "greedy".to_owned());
    let game = recorded(room, &replay);
    let inputs = game.inputs();
    let clock = Cell::new(0);
    let times = game.decision_times(&|| Duration::from_micros(clock.replace(clock.get() + 1))).unwrap();
    for (agent, times) in AgentId::all(2).zip(&times) {
        let is_own = |input: &Input<String>| input.agent() == Some(agent);
        assert_eq!(times.len(), inputs.iter().filter(|input| is_own(input)).count());
        // Both players hear of each line.
        let heard = inputs.iter().rposition(is_own).unwrap();
        let all = Duration::from_micros((times.len() + heard) as u64);
        assert_eq!(times.iter().sum::<Duration>(), all, "{times:?}");
    }
}

#[test]
fn the_reference_and_the_default_of_each_room_are_strategies_of_it() {
    for room in rooms() {
        for name in [room.reference(), room.default_strategy()] {
            assert!(room.strategies().iter().any(|strategy| strategy.name == name), "{name}");
            assert_eq!(room.line_up(name).unwrap().len(), 1);
        }
        let default = if room.game().name() == "conveyor" { "hints" } else { "greedy" };
        assert_eq!(room.default_strategy(), default);
    }
}

/// Corrected wherever it differs, an agent plays as a reference that never waits; corrected nowhere, as itself.
#[test]
fn a_reference_corrects_an_agent_where_it_applies() {
    for (name, reference) in [("dots", "chains"), ("project", "coordinated")] {
        let room = find(name).unwrap();
        let (_, replay) = played(room, Seed::new(5), |_| "greedy".to_owned());
        let game = recorded(room, &replay);
        let course = |entrants: &[String], correction: Option<Correction<'_>>| {
            game.play_corrected(Fork::after(0), entrants, correction, PROGRAM, None).unwrap().course
        };
        let players = game.players();
        let mut others = players.clone();
        reference.clone_into(&mut others[0]);
        let (itself, other) = (course(&players, None), course(&others, None));
        assert_ne!(itself, other, "{name}");
        let agents = [AgentId::new(0)];
        let corrected = |applies: &(dyn Fn(SimTime, &Choice<String>, &str) -> bool + Sync)| {
            course(&players, Some(Correction { agents: &agents, reference, applies }))
        };
        assert_eq!(corrected(&|_, _, _| false), itself, "{name}");
        let everywhere = corrected(&|_, _, _| true);
        assert!(if name == "dots" { everywhere == other } else { everywhere != itself }, "{name}");
        let of_others = Correction { agents: &[], reference, applies: &|_, _, _| true };
        assert_eq!(course(&players, Some(of_others)), itself, "{name}");
        let unknown = Correction { agents: &agents, reference: "gredy", applies: &|_, _, _| true };
        let refused = game.play_corrected(Fork::after(0), &players, Some(unknown), PROGRAM, None);
        assert!(refused.unwrap_err().to_string().contains("gredy"), "{name}");
    }
}

#[test]
fn a_choice_is_replaced_by_its_text() {
    let room = find("dots").unwrap();
    let (_, replay) = played(room, Seed::new(5), |_| "greedy".to_owned());
    let game = recorded(room, &replay);
    let inputs = game.inputs();
    let Input::Action { at, agent, action } = inputs[10].clone() else { panic!("a move") };
    let fork = |text: &str| {
        let choice = Choice::Act(text.to_owned());
        let fork = Fork::after(10).with_replacement(Replacement { at, agent, choice });
        let mut again = Vec::new();
        game.play_on(fork, &game.players(), PROGRAM, Some(&mut again)).map(|_| again)
    };
    let with_itself = fork(&action).unwrap();
    assert_eq!(recorded(room, &with_itself).inputs(), inputs);
    let is_drawn_later =
        |input: &&Input<String>| matches!(input, Input::Action { action: own, .. } if *own != action);
    let Some(Input::Action { action: other, .. }) = inputs[11..].iter().find(is_drawn_later) else {
        panic!("the game goes on")
    };
    let with_another = recorded(room, &fork(other).unwrap()).inputs();
    assert_eq!(with_another[..10], inputs[..10]);
    assert_eq!(with_another[10], Input::Action { at, agent, action: other.clone() });
    let error = fork("nonsense").unwrap_err().to_string();
    assert!(error.contains("nonsense") && error.contains("expected"), "{error}");
}
