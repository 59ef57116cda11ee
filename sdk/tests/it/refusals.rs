//! Reactions of an agent to refusals that say little: none may lead it to repeat the same request without end.

use std::sync::Arc;

use game_env::{AgentId, Seed, SimTime};
use game_project::{RawConfig, Setup, State};
use sdk::driver::actor::Actor;
use sdk::knowledge::Knowledge;
use sdk::local::Seat;
use sdk::prelude::*;
use sdk::strategy::{PickUpFailure, PutFailure};

struct Nobody;

impl Strategy for Nobody {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        Choice::Wait(view.now)
    }
}

const BOARD: &str = "\
. g .
-----
. . .
R0 . B1
. . .
-----
. g .";

fn seat() -> Seat<Nobody> {
    let setup: Setup = BOARD.parse().unwrap();
    let game: State = setup.play(&RawConfig::default(), Seed::new(0)).unwrap();
    Seat::new(&game, AgentId::new(0), Seed::new(0), Nobody)
}

/// The agent makes this request and gets that message.
fn told(actor: &mut Actor, action: Action, notice: Notice) {
    actor.sent(&action);
    actor.hear(SimTime::START, notice);
}

fn with_piece_in_the_goal_area(actor: &mut Actor) {
    actor.hear(SimTime::START, Notice::PickedUp);
    told(actor, Action::Move(Direction::North), Notice::Moved { to: Position::new(0, 4), distance: None });
}

fn is_open(knowledge: &Knowledge, x: u16) -> bool {
    knowledge.open().contains(Position::new(x, 4))
}

#[test]
fn a_field_that_takes_no_piece_is_not_tried_again_before_all_others() {
    let mut seat = seat();
    let actor = seat.actor_mut();
    with_piece_in_the_goal_area(actor);
    told(actor, Action::Put, Notice::PutRefused { reason: PutFailure::Other });
    assert!(actor.own().hand.is_full());
    assert!(!is_open(actor.knowledge(), 0) && is_open(actor.knowledge(), 1));
    for x in 1..3 {
        let to = Position::new(x, 4);
        told(actor, Action::Move(Direction::East), Notice::Moved { to, distance: None });
        told(actor, Action::Put, Notice::PutRefused { reason: PutFailure::Other });
    }
    assert!(is_open(actor.knowledge(), 0), "with nothing else left everything is tried again");
}

#[test]
fn who_is_refused_twice_what_takes_a_piece_has_none() {
    for action in [Action::Put, Action::Check, Action::Destroy] {
        let mut seat = seat();
        let actor = seat.actor_mut();
        with_piece_in_the_goal_area(actor);
        let refused = Notice::Refused { position: None, holding: None, reason: None };
        told(actor, action.clone(), refused.clone());
        assert!(actor.own().hand.is_full());
        told(actor, action.clone(), refused);
        assert_eq!(actor.own().hand, Hand::Empty, "{action}");
    }
}

/// Some communication servers leave nothing of the reason.
#[test]
fn who_may_put_its_piece_nowhere_has_none() {
    let mut seat = seat();
    let actor = seat.actor_mut();
    with_piece_in_the_goal_area(actor);
    let refused = Notice::PutRefused { reason: PutFailure::Other };
    told(actor, Action::Put, refused.clone());
    assert!(actor.own().hand.is_full());
    told(actor, Action::Check, Notice::Checked { sham: false });
    told(actor, Action::Put, refused.clone());
    assert!(actor.own().hand.is_full(), "the game master knows of a piece");
    told(actor, Action::Move(Direction::East), Notice::Moved { to: Position::new(1, 4), distance: None });
    told(actor, Action::Put, refused);
    assert_eq!(actor.own().hand, Hand::Empty);
}

/// Of a refusal without a reason it shows only later that there was nothing to pick up.
#[test]
fn a_piece_that_is_not_there_is_not_tried_again_and_again() {
    let mut seat = seat();
    let actor = seat.actor_mut();
    let to = Position::new(0, 3);
    told(actor, Action::Move(Direction::North), Notice::Moved { to, distance: Some(Distance::new(0)) });
    told(actor, Action::PickUp, Notice::PickUpRefused { reason: PickUpFailure::Other });
    assert!(actor.own().hand.is_full(), "nothing else explains it");
    told(actor, Action::Check, Notice::Refused { position: None, holding: Some(false), reason: None });
    assert_eq!((actor.own().hand, actor.view(SimTime::START).distance()), (Hand::Empty, None));
}

#[test]
fn a_refusal_between_others_is_no_proof() {
    let mut seat = seat();
    let actor = seat.actor_mut();
    with_piece_in_the_goal_area(actor);
    let refused = Notice::Refused { position: None, holding: None, reason: None };
    told(actor, Action::Put, refused.clone());
    told(actor, Action::Move(Direction::East), Notice::Moved { to: Position::new(1, 4), distance: None });
    told(actor, Action::Put, refused);
    assert!(actor.own().hand.is_full());
}

#[test]
fn the_distance_of_a_piece_goes_with_it() {
    let mut seat = seat();
    let actor = seat.actor_mut();
    let to = Position::new(0, 3);
    told(actor, Action::Move(Direction::North), Notice::Moved { to, distance: Some(Distance::new(0)) });
    assert_eq!(actor.view(SimTime::START).distance(), Some(Distance::new(0)));
    told(actor, Action::PickUp, Notice::PickedUp);
    assert_eq!(actor.view(SimTime::START).distance(), None);
}

/// While the leader waits, everything is refused. So two refusals of a request show that the leader's answer was lost,
/// unless the agent has no piece, or the refused request is one that takes a piece and says nothing of the leader.
#[test]
fn refusals_show_that_the_answer_to_the_leader_was_lost() {
    let is_asked_again = |action: Action, holding: Option<bool>| {
        let mut seat = seat();
        let actor = seat.actor_mut();
        with_piece_in_the_goal_area(actor);
        let leader = AgentId::new(1);
        actor.hear(SimTime::START, Notice::Asked { by: leader, leader: true, team: Team::Red });
        let information = Arc::new(actor.knowledge().report());
        actor.sent(&Action::Answer { to: leader, information });
        assert!(actor.own().questions.is_empty());
        let refused = || Notice::Refused { position: None, holding, reason: None };
        told(actor, action.clone(), refused());
        assert!(actor.own().questions.is_empty(), "one refusal can have other reasons");
        told(actor, action, refused());
        actor.own().questions.iter().any(|question| question.by == leader && question.must_answer)
    };
    assert!(is_asked_again(Action::Put, None));
    assert!(is_asked_again(Action::Put, Some(true)));
    assert!(!is_asked_again(Action::Put, Some(false)));
    assert!(!is_asked_again(Action::Check, None));
    assert!(is_asked_again(Action::Discover, Some(false)));
}
