//! Strategies that fail: they lose their turn, the failure is reported with their view, and everybody else plays on.

use std::cell::RefCell;
use std::rc::Rc;

use game_env::{Environment, Limits, Rollout};
use game_project::{Event, RawConfig, State};
use insta::assert_snapshot;
use sdk::driver::actor::{Actor, Blunder, BlunderKind};
use sdk::local::Seat;
use sdk::prelude::*;
use sdk::strategy::Resignation;
use wire::project::{AgentNumber, Dialect, Notice};

use crate::talk::Talk;

/// The methods of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Begin,
    Act,
    Hear,
    Answer,
    End,
}

/// Panics whenever this method is called, and otherwise looks around; notes the calls.
struct Faulty {
    panics: Call,
    calls: Rc<RefCell<Vec<Call>>>,
}

impl Faulty {
    fn called(&mut self, call: Call) {
        self.calls.borrow_mut().push(call);
        assert!(call != self.panics, "no idea what to do in {call:?}");
    }
}

impl Strategy for Faulty {
    fn begin(&mut self, _: &mut View<'_>) {
        self.called(Call::Begin);
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        self.called(Call::Act);
        view.discover()
    }

    fn hear(&mut self, _: &mut View<'_>, _: &Notice<AgentId>) {
        self.called(Call::Hear);
    }

    fn answer(&mut self, view: &mut View<'_>, _: Question) -> Option<Information> {
        self.called(Call::Answer);
        Some(view.knowledge.report())
    }

    fn end(&mut self, _: &mut View<'_>, _: Option<Team>) {
        self.called(Call::End);
    }
}

/// Asks its ally over and over, and moves between two questions.
struct Curious;

impl Strategy for Curious {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        match view.briefing.allies().next() {
            Some(ally) if view.chance.happens(0.3) => view.ask(ally),
            _ => {
                let ways: Vec<_> = Direction::ALL.into_iter().filter(|way| view.is_passable(*way)).collect();
                let way = ways[view.chance.index(ways.len())];
                view.step(way)
            }
        }
    }
}

/// A game of two against two in which red's agent that does not lead fails.
fn play(panics: Call) -> (Vec<Blunder>, Vec<Call>, Vec<(SimTime, Event)>) {
    let raw =
        RawConfig { board_x: 5, board_y: 7, goal_area_height: 2, number_of_goals: 2, ..RawConfig::default() };
    let seed = Seed::new(4);
    let mut game = State::new(&raw.check().unwrap(), seed);
    let faulty = game
        .briefing(AgentId::new(0))
        .allies()
        .chain([AgentId::new(0)])
        .find(|agent| game.briefing(*agent).leader() != Some(*agent))
        .unwrap();
    let calls = Rc::new(RefCell::new(Vec::new()));
    let mut seats = Seat::all(&game, seed, |agent, _| -> Box<dyn Strategy> {
        if agent == faulty { Box::new(Faulty { panics, calls: calls.clone() }) } else { Box::new(Curious) }
    });
    let limits = Limits { time: SimTime::from_millis(60_000), ..Limits::default() };
    let mut events = Vec::new();
    Rollout { limits, ..Rollout::default() }.play(&mut game, &mut seats, &mut events);
    let mut blunders = Vec::new();
    for seat in &mut seats {
        let own = seat.actor().own().agent;
        let made = seat.take_blunders();
        assert!(made.iter().all(|blunder| blunder.agent == own));
        assert!(own == faulty || made.is_empty(), "{own} made none: {made:?}");
        blunders.extend(made);
    }
    (blunders, calls.take(), events)
}

#[test]
fn a_strategy_that_panics_loses_its_turn_and_the_game_goes_on() {
    sdk::quiet_hook();
    let mut log = String::new();
    for panics in [Call::Begin, Call::Act, Call::Hear, Call::Answer, Call::End] {
        let (blunders, calls, events) = play(panics);
        let panicked = calls.iter().filter(|call| **call == panics).count();
        assert_eq!(blunders.len(), panicked, "{panics:?}: each is told");
        assert!(panicked > 0, "{panics:?} is called");
        assert_eq!(calls.first(), Some(&Call::Begin), "{panics:?}");
        assert_eq!(calls.last(), Some(&Call::End), "{panics:?}: it learns how the game ended");
        let (last, _) = events[events.len() - 2];
        assert!(
            last >= SimTime::from_millis(58_000),
            "{panics:?}: it lasts as long as it may, not until {last}"
        );
        let acts = calls.iter().filter(|call| **call == Call::Act).count();
        assert!(acts > 10, "{panics:?}: it is asked again and again, not {acts} times");
        log += &format!("# in {panics:?}\n{}\n", blunders[0]);
    }
    assert_snapshot!(without_lines(&log));
}

/// The text with the places of panics cut to their files: lines move when a file is edited.
fn without_lines(text: &str) -> String {
    let mut parts = text.split(".rs:");
    let mut cut = parts.next().unwrap().to_owned();
    for part in parts {
        cut += &format!(".rs{}", &part[part.find(')').unwrap()..]);
    }
    cut
}

/// The leader waits for nobody who cannot answer.
#[test]
fn who_panics_over_a_question_is_not_asked_it_again() {
    let (blunders, _, events) = play(Call::Answer);
    let answers = events.iter().filter_map(|(_, event)| match event {
        Event::Answered { by, information, .. } if *by == blunders[0].agent => Some(information),
        _ => None,
    });
    let answers: Vec<_> = answers.collect();
    let panics = blunders.len();
    assert!(panics > 5 && answers.len() + 1 >= panics, "{panics} panics, {} answers", answers.len());
    let says_nothing = |information: &Information| {
        let goals = Team::ALL.map(|team| &information.goals[team]);
        information.distances.is_empty()
            && goals
                .iter()
                .all(|goals| !goals.is_empty() && goals.iter().all(|goal| *goal == GoalBelief::Unknown))
    };
    assert!(answers.iter().all(|information| says_nothing(information)));
}

/// Looks around, and panics whenever it is asked whether it gives up.
struct Undecided;

impl Strategy for Undecided {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        view.discover()
    }

    fn gives_up(&mut self) -> Option<Resignation> {
        panic!("neither yes nor no")
    }
}

#[test]
fn a_panic_over_giving_up_costs_a_turn_and_the_game_goes_on() {
    sdk::quiet_hook();
    let seed = Seed::new(4);
    let mut game = State::new(&RawConfig::default().check().unwrap(), seed);
    let first = AgentId::new(0);
    let mut seats = Seat::all(&game, seed, |agent, _| -> Box<dyn Strategy> {
        if agent == first { Box::new(Undecided) } else { Box::new(Curious) }
    });
    let limits = Limits { time: SimTime::from_millis(60_000), ..Limits::default() };
    let mut events = Vec::new();
    let episode = Rollout { limits, ..Rollout::default() }.play(&mut game, &mut seats, &mut events);
    assert!(episode.time >= SimTime::from_millis(58_000), "it lasts as long as it may");
    let blunders = seats[0].take_blunders();
    assert!(blunders.len() > 10, "{blunders:?}");
    for blunder in &blunders {
        let BlunderKind::Panicked(message) = &blunder.what else { panic!("{blunder}") };
        assert!(message.starts_with("neither yes nor no"), "{message}");
    }
    let acted =
        events.iter().any(|(_, event)| matches!(event, Event::Discovered { agent, .. } if *agent == first));
    assert!(!acted, "it loses each turn");
}

/// An agent on a board of 3×5 in which it stands in the corner of its own goal area, or in the middle.
fn actor(x: u16, y: u16) -> Actor {
    let board = ".  .  .\n.  R0 R1!\n.  .  .\n.  .  B2\n.  .  .";
    let game = State::from_board(board, Seed::new(0)).unwrap();
    let mut seat = Seat::new(&game, AgentId::new(0), Seed::new(0), Curious);
    seat.actor_mut()
        .hear(SimTime::START, Notice::MoveRefused { position: Some(Position::new(x, y)), reason: None });
    seat.actor().clone()
}

/// Does one thing.
struct Once(Action);

impl Strategy for Once {
    fn act(&mut self, _: &mut View<'_>) -> Choice {
        self.0.clone().into()
    }
}

#[test]
fn nonsense_of_every_kind_costs_what_the_action_would() {
    let mut log = String::new();
    for (x, y, holding, action) in [
        (0, 4, false, "move N"),
        (0, 4, false, "move W"),
        (1, 1, false, "move S"),
        (1, 2, true, "pick-up"),
        (1, 4, false, "pick-up"),
        (1, 2, false, "put"),
        (1, 2, false, "check"),
        (1, 2, false, "destroy"),
        (1, 2, false, "ask #0"),
        (1, 2, false, "ask #3"),
        (1, 2, false, "answer #1 distances= red= blue="),
    ] {
        let mut actor = actor(x, y);
        if holding {
            actor.hear(SimTime::START, Notice::PickedUp);
        }
        let choice = actor.decide(SimTime::START, &mut Once(action.parse().unwrap()));
        let blunders = actor.take_blunders();
        let [Blunder { what: BlunderKind::Nonsense { why, .. }, view, .. }] = &blunders[..] else {
            panic!("`{action}` is nonsense: {choice:?}, {blunders:?}")
        };
        assert!(view.contains('@'), "the view is drawn");
        assert_eq!(actor.take_blunders(), [], "it is told once");
        let Choice::Wait(until) = choice else { panic!("`{action}` is not sent") };
        log += &format!("{action} at {x},{y}: {why}; waits until {until}\n");
    }
    // Actions that may be refused for reasons that the agent cannot know are sent.
    for action in ["move N", "move E", "discover", "pick-up", "ask #1", "ask #2"] {
        let action: Action = action.parse().unwrap();
        assert_eq!(actor(1, 2).decide(SimTime::START, &mut Once(action.clone())), action.into());
    }
    assert_snapshot!(log);
}

/// The session goes on as the rollout does: a turn later the strategy is asked again.
#[test]
fn blunders_in_a_session() {
    sdk::quiet_hook();
    let mut talk = Talk::playing(Dialect::Spec, &["dance", "put", "move N"]);
    talk.until(1_000);
    assert_eq!(talk.sent, [7], "what is nonsense is not sent");
    talk.title("a move was lost, then a put: 10 + 100 + 300 ms");
    talk.notice(1_020, &Notice::Moved { to: Position::new(1, 4), distance: Some(Distance::new(2)) });
    talk.title("an agent with news is asked before the time is over").will(&["put", "move N"]);
    talk.until(1_150).notice(1_160, &Notice::Asked { by: AgentNumber(4), leader: false, team: Team::Blue });
    talk.until(1_500);
    assert_snapshot!(without_lines(&talk.log));
}
