//! The content of an answer that an agent really sends.

use game_env::Environment;
use game_project::{RawConfig, State};
use sdk::driver::actor::Actor;
use sdk::knowledge::LONGEST_MESSAGE;
use sdk::prelude::*;
use sdk::testing::Situation;

/// Knows that there is no piece anywhere, and says so.
struct Bereft;

impl Strategy for Bereft {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        view.discover()
    }

    fn answer(&mut self, _: &mut View<'_>, _: Question) -> Option<Information> {
        let distances = vec![Some(Distance::INFINITE), Some(Distance::new(3)), None];
        Some(Information { distances, ..Information::default() })
    }
}

/// Answers without a statement: with empty information, or with none.
struct Silent(Option<Information>);

impl Strategy for Silent {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        view.discover()
    }

    fn answer(&mut self, _: &mut View<'_>, _: Question) -> Option<Information> {
        self.0.clone()
    }
}

/// Goal arrays of another size than the goal areas bring some agents down, empty ones as well.
#[test]
fn goal_arrays_have_the_size_of_the_goal_areas() {
    let board = "
        .  .  .
        -------
        .  R0 R1!
        .  .  B2
        -------
        .  .  .";
    for information in [None, Some(Information::default())] {
        let situation = Situation::new(board).after(&["#1 ask #0"]);
        let choice = situation.choose(&mut Silent(information));
        assert_eq!(sdk::testing::told(&choice), "answer #1 distances= red=?*3 blue=?*3");
    }
}

/// They are empty where no others would fit.
#[test]
fn goal_arrays_that_fit_no_message_are_empty() {
    let nothing = |goal_rows, longest| {
        let raw = RawConfig { board_x: 100, goal_area_height: goal_rows, ..RawConfig::default() };
        let game = State::new(&raw.check().unwrap(), Seed::new(1));
        let actor = Actor::new(game.briefing(AgentId::new(0)).clone(), Seed::new(1));
        let nothing = actor.with_longest_message(longest).knowledge().nothing();
        Team::ALL.map(|team| nothing.goals[team].len())
    };
    assert_eq!(nothing(6, LONGEST_MESSAGE), [600, 600]);
    assert_eq!(nothing(7, LONGEST_MESSAGE), [0, 0]);
    assert_eq!(nothing(7, 10_000), [700, 700]);
    assert_eq!(nothing(1, 1_000), [0, 0]);
}

/// Looks up what it knows about each field.
#[derive(Default)]
struct Looks(Vec<Option<Distance>>);

impl Strategy for Looks {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let fields = view.knowledge.geometry().positions();
        self.0 = fields.map(|field| view.knowledge.distance(field).map(|learnt| learnt.value)).collect();
        view.discover()
    }
}

/// On the network it is none either: a game in process takes the same course.
#[test]
fn a_distance_that_the_board_does_not_have_says_nothing() {
    let board = "
        .  .  .
        -------
        .  R0 R1!
        .  .  B2
        -------
        .  .  .";
    let known = |distance| {
        let answer = format!("#1 answer #0 distances={distance}*12 red=?*3 blue=?*3");
        let mut looks = Looks::default();
        Situation::new(board).after(&["#0 ask #1", &answer]).choose(&mut looks);
        looks.0
    };
    assert!(known(2).contains(&Some(Distance::new(2))));
    assert!(!known(500).contains(&Some(Distance::new(500))));
}

/// A message has one number for "no piece" and for "not known". An answer in a rollout says no more than one on the
/// network.
#[test]
fn that_there_is_no_piece_cannot_be_said() {
    let board = "
        .  .  .
        .  R0 R1!
        .  .  B2";
    let situation = Situation::new(board).after(&["#1 ask #0"]);
    let choice = situation.choose(&mut Bereft);
    let Choice::Act(Action::Answer { information, .. }) = choice else { panic!("{choice:?}") };
    assert_eq!(information.distances, [None, Some(Distance::new(3)), None]);
}
