//! Strategies behind a box, behind the trait for asynchronous ones and behind a recorder: every method is forwarded,
//! and a method that a strategy does not define is the default.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use sdk::driver::actor::Actor;
use sdk::local::{Environment, Limits, RawConfig, Rollout, Seat, State, Termination};
use sdk::prelude::*;
use sdk::strategy::{AsyncStrategy, Resignation, async_trait};
use sdk::testing::{DecisionLog, Recorder};

/// Notes every call, and does in each something that no default does.
#[derive(Clone, Default)]
struct Noting(Arc<Mutex<Vec<String>>>);

impl Noting {
    fn note(&self, call: impl Into<String>) {
        self.0.lock().unwrap().push(call.into());
    }

    fn noted(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Strategy for Noting {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        self.note("act");
        view.check()
    }

    fn begin(&mut self, _: &mut View<'_>) {
        self.note("begin");
    }

    fn hear(&mut self, _: &mut View<'_>, notice: &Notice) {
        self.note(format!("hear {notice:?}"));
    }

    fn answer(&mut self, _: &mut View<'_>, question: Question) -> Option<Information> {
        self.note(format!("answer {}", question.by));
        Some(Information { distances: vec![Some(Distance::new(7))], ..Information::default() })
    }

    fn gives_up(&mut self) -> Option<Resignation> {
        self.note("gives up");
        Some(Resignation { termination: Termination::Crash, why: "it is only noting".to_owned() })
    }

    fn end(&mut self, _: &mut View<'_>, winner: Option<Team>) {
        self.note(format!("end {winner:?}"));
    }
}

/// Writes nothing but the one method that must be written.
struct Plain;

impl Strategy for Plain {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        view.discover()
    }
}

/// The same, asynchronous.
struct PlainAsync;

#[async_trait]
impl AsyncStrategy for PlainAsync {
    async fn act(&mut self, view: &mut View<'_>) -> Choice {
        view.discover()
    }
}

/// Agent #0 of red, with #1 of red and #2 and #3 of blue.
fn actor() -> Actor {
    let config = RawConfig::default().check().unwrap();
    let game = State::new(&config, Seed::new(1));
    let mut actor = Actor::new(game.briefing(AgentId::new(0)).clone(), Seed::new(1));
    let own = actor.position();
    actor.hear(SimTime::START, Notice::Moved { to: own, distance: Some(Distance::new(4)) });
    actor
}

fn asked_by(agent: u16) -> Question {
    Question { by: AgentId::new(agent), must_answer: false }
}

const NOTED: [&str; 6] = ["begin", "hear PickedUp", "answer #1", "act", "gives up", "end Some(Red)"];

#[test]
fn a_box_forwards_every_method() {
    let (noting, mut actor) = (Noting::default(), actor());
    let mut boxed: Box<dyn Strategy> = Box::new(noting.clone());
    let mut view = actor.view(SimTime::START);
    boxed.begin(&mut view);
    boxed.hear(&mut view, &Notice::PickedUp);
    let answer = boxed.answer(&mut view, asked_by(1)).unwrap();
    assert_eq!(answer.distances, [Some(Distance::new(7))]);
    assert_eq!(boxed.act(&mut view), Choice::Act(Action::Check));
    assert!(boxed.gives_up().is_some());
    boxed.end(&mut view, Some(Team::Red));
    assert_eq!(noting.noted(), NOTED);
}

#[tokio::test]
async fn a_strategy_is_an_asynchronous_one_with_every_method() {
    let (noting, mut actor) = (Noting::default(), actor());
    let mut forwarded = noting.clone();
    let mut view = actor.view(SimTime::START);
    AsyncStrategy::begin(&mut forwarded, &mut view).await;
    AsyncStrategy::hear(&mut forwarded, &mut view, &Notice::PickedUp).await;
    let answer = AsyncStrategy::answer(&mut forwarded, &mut view, asked_by(1)).await.unwrap();
    assert_eq!(answer.distances, [Some(Distance::new(7))]);
    assert_eq!(AsyncStrategy::act(&mut forwarded, &mut view).await, Choice::Act(Action::Check));
    assert!(AsyncStrategy::gives_up(&mut forwarded).is_some());
    AsyncStrategy::end(&mut forwarded, &mut view, Some(Team::Red)).await;
    assert_eq!(noting.noted(), NOTED);
}

/// The own team gets the agent's own findings, the other team nothing.
#[tokio::test]
async fn what_is_not_written_has_defaults() {
    let mut actor = actor();
    let mut view = actor.view(SimTime::START);
    let report = view.knowledge.report();
    assert!(report.distances.contains(&Some(Distance::new(4))), "the agent knows something");
    for (agent, expected) in [(1, Some(&report)), (2, None), (3, None)] {
        let answer = Strategy::answer(&mut Plain, &mut view, asked_by(agent));
        assert_eq!(answer.as_ref(), expected, "agent {agent}");
        let answer = AsyncStrategy::answer(&mut PlainAsync, &mut view, asked_by(agent)).await;
        assert_eq!(answer.as_ref(), expected, "agent {agent}, asynchronous");
    }
    // The others do nothing, and nothing in them fails.
    Strategy::begin(&mut Plain, &mut view);
    Strategy::hear(&mut Plain, &mut view, &Notice::PickedUp);
    Strategy::end(&mut Plain, &mut view, None);
    PlainAsync.begin(&mut view).await;
    PlainAsync.hear(&mut view, &Notice::PickedUp).await;
    PlainAsync.end(&mut view, None).await;
    assert_eq!(actor.blunder_count(), 0);
}

/// An agent on the network and one in process ask a strategy for the same, in the same order.
#[tokio::test]
async fn both_ways_of_deciding_call_the_same_methods() {
    let calls = Rc::new(RefCell::new(Vec::new()));
    for is_async in [false, true] {
        let (mut noting, mut actor) = (Noting::default(), actor());
        actor.hear(SimTime::START, Notice::Asked { by: AgentId::new(1), leader: false, team: Team::Blue });
        let mut choices = Vec::new();
        for _ in 0..2 {
            let choice = if is_async {
                actor.decide_async(SimTime::START, &mut noting).await
            } else {
                actor.decide(SimTime::START, &mut noting)
            };
            if let Choice::Act(action) = &choice {
                actor.sent(action);
            }
            choices.push(choice);
        }
        if is_async {
            actor.end_async(SimTime::START, &mut noting, Some(Team::Blue)).await;
        } else {
            actor.end(SimTime::START, &mut noting, Some(Team::Blue));
        }
        let noted = noting.noted();
        assert_eq!(noted.first().map(String::as_str), Some("begin"));
        assert!(noted.contains(&"answer #1".to_owned()) && noted.contains(&"act".to_owned()), "{noted:?}");
        assert_eq!(noted.last().map(String::as_str), Some("end Some(Blue)"));
        calls.borrow_mut().push((noted, choices));
    }
    let calls = calls.take();
    assert_eq!(calls[0], calls[1]);
}

/// A game that is recorded is the same game, also if agents leave it.
#[test]
fn a_recorder_forwards_every_method() {
    let played = |is_recorded: bool| {
        let noting = Noting::default();
        let mut game = State::new(&RawConfig::default().check().unwrap(), Seed::new(1));
        let seats = Seat::all(&game, Seed::new(1), |_, _| noting.clone());
        let rollout =
            Rollout { limits: Limits { decisions: 100, ..Limits::default() }, ..Rollout::default() };
        let episode = if is_recorded {
            let record = |seat| Recorder::new(seat, DecisionLog::default());
            let mut recorders: Vec<_> = seats.into_iter().map(record).collect();
            rollout.play(&mut game, &mut recorders, &mut ())
        } else {
            let mut seats = seats;
            rollout.play(&mut game, &mut seats, &mut ())
        };
        (episode.outcome, noting.noted())
    };
    let (outcome, noted) = played(true);
    assert_eq!(outcome.termination, Termination::AgentLost);
    assert_eq!((outcome, noted), played(false));
}
