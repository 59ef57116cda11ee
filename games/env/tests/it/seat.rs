//! Seats: an agent gives the game up if its policy panics, whichever method it panics in.

use std::cell::RefCell;
use std::rc::Rc;

use game_env::examples::pebbles::{Event, Observation, Pebbles, Take};
use game_env::seat::{ReportsBlunders as _, Seat};
use game_env::{AgentId, Choice, Environment, Outcome, Policy, Rollout, Seed, SimTime, Termination};

/// The methods of a policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Call {
    Choose,
    Sent,
    Hear,
    Reseed,
    GivesUp,
    End,
}

/// Takes one pebble at a time. Panics in this method, and notes the calls.
#[derive(Clone)]
struct Faulty {
    panics: Option<Call>,
    calls: Rc<RefCell<Vec<Call>>>,
}

impl Faulty {
    fn new(panics: Option<Call>) -> Self {
        Self { panics, calls: Rc::default() }
    }

    fn called(&mut self, call: Call) {
        self.calls.borrow_mut().push(call);
        assert!(self.panics != Some(call), "no idea in {call:?}");
    }
}

impl Policy<Pebbles> for Faulty {
    fn choose(&mut self, _: SimTime, _: AgentId, _: &Observation) -> Choice<Take> {
        self.called(Call::Choose);
        Choice::Act(Take::new(1))
    }

    fn sent(&mut self, _: SimTime, _: AgentId, _: &Take) {
        self.called(Call::Sent);
    }

    fn hear(&mut self, _: SimTime, _: AgentId, _: &Event) {
        self.called(Call::Hear);
    }

    fn reseed(&mut self, _: AgentId, _: Seed) {
        self.called(Call::Reseed);
    }

    fn gives_up(&mut self) -> Option<Termination> {
        self.called(Call::GivesUp);
        None
    }

    fn end(&mut self, _: SimTime, _: &Outcome) {
        self.called(Call::End);
    }
}

/// Plays a game in which agent #1 fails, after both got a new seed.
fn play(panics: Call) -> (Outcome, Vec<String>, Vec<Call>) {
    let mut game = Pebbles::new(&21, Seed::new(7));
    let faulty = Faulty::new(Some(panics));
    let mut seats = [Seat::new(Faulty::new(None)), Seat::new(faulty.clone())];
    let rollout = Rollout::default();
    for (agent, seat) in AgentId::all(2).zip(&mut seats) {
        Policy::<Pebbles>::reseed(seat, agent, Seed::new(8));
    }
    let episode = rollout.play(&mut game, &mut seats, &mut ());
    (episode.outcome, seats[1].take_blunders(), faulty.calls.take())
}

#[test]
fn a_policy_that_panics_is_called_no_more_and_its_agent_gives_up() {
    for (panics, when) in [
        (Call::Choose, "at 0.000 s"),
        (Call::Sent, "at 0.000 s"),
        (Call::Hear, "at 0.000 s"),
        (Call::Reseed, "over a new seed"),
        (Call::GivesUp, "at 0.000 s"),
    ] {
        let (outcome, blunders, calls) = play(panics);
        assert_eq!(outcome.termination, Termination::Crash, "{panics:?}");
        assert_eq!(outcome.fault, Some(AgentId::new(1)), "{panics:?}");
        let start = format!("the strategy of agent #1 panicked {when}: no idea in {panics:?}");
        assert!(blunders.len() == 1 && blunders[0].starts_with(&start), "{blunders:?}");
        assert_eq!(calls.last(), Some(&panics), "{calls:?}");
    }
}

#[test]
fn a_panic_at_the_end_changes_nothing() {
    let (outcome, blunders, calls) = play(Call::End);
    assert_eq!((outcome.termination, blunders.len()), (Termination::Normal, 0));
    assert_eq!(calls.last(), Some(&Call::End));
}
