//! Runs by number, and the loop of every run.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use crate::network::{Log, Network, NetworkEvent};
use crate::{bricks, conveyor, dots, eriantys, project};

/// A simulated system: its machines, which handle the events of the network.
pub trait System {
    /// The machines that set timers.
    type Machine: Copy + PartialEq;
    /// Event from outside: an arrival, an operator's command, a fault.
    type Outside;

    /// Returns the network that connects the machines.
    fn network(&mut self) -> &mut Network<Self::Machine, Self::Outside>;

    /// Handles an event.
    fn handle(&mut self, event: NetworkEvent<Self::Machine, Self::Outside>);
}

/// The most events of one run.
const MOST_EVENTS: u64 = 5_000_000;

/// A run goes on although it should have ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoEnd {
    /// The number of events so far.
    pub events: u64,
    /// The time of the last one.
    pub time: Duration,
}

impl fmt::Display for NoEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the run does not end: {} events until {:?}", self.events, self.time)
    }
}

/// Plays until nothing is left to happen; returns the number of events.
///
/// # Errors
///
/// [`NoEnd`] if something still happens after the deadline, or after five million events.
pub fn drive<S: System>(system: &mut S, deadline: Duration) -> Result<u64, NoEnd> {
    let mut events = 0;
    while let Some(event) = system.network().take_next() {
        events += 1;
        let time = system.network().now();
        if events > MOST_EVENTS || time > deadline {
            return Err(NoEnd { events, time });
        }
        system.handle(event);
    }
    Ok(events)
}

/// Counts of a run without faults of the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Number of requests of agents that were served.
    pub requests: u64,
    /// Number of events that the network had.
    pub events: u64,
    /// The time on the virtual clock at the end.
    pub time: Duration,
}

/// A game whose networked system can be simulated.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The game's name.
    pub game: &'static str,
    /// Plays the run of a number; all that was wrong with it as an error.
    pub play: fn(u64, Log) -> Result<Summary, Vec<String>>,
}

/// All games whose networked systems can be simulated, by their names.
pub const GAMES: &[Room] = &[
    Room { game: "project", play: project::play },
    Room { game: "bricks", play: bricks::play },
    Room { game: "conveyor", play: conveyor::play },
    Room { game: "dots", play: dots::play },
    Room { game: "eriantys", play: eriantys::play },
];

/// Returns the command that prints all of a run.
pub fn repeat(game: &str, number: u64) -> String {
    format!("cargo xtask simulate --game {game} --from {number} --seeds 1 --log")
}

/// Plays the run of this number. A panic is an error like others.
///
/// # Errors
///
/// Every fault of the run, and the command that repeats it.
pub fn run(room: &Room, number: u64, log: Log) -> Result<Summary, String> {
    let faults = match catch_unwind(AssertUnwindSafe(|| (room.play)(number, log))) {
        Ok(Ok(summary)) => return Ok(summary),
        Ok(Err(faults)) => faults,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied());
            vec![format!("panic: {}", text.unwrap_or("without a message"))]
        }
    };
    let repeat = repeat(room.game, number);
    Err(format!("seed {number} failed; all of it: {repeat}\n- {}", faults.join("\n- ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_env::Seed;

    /// One machine that sets its timer again and again.
    struct Clock {
        network: Network<(), ()>,
        ticks: u32,
    }

    impl System for Clock {
        type Machine = ();
        type Outside = ();

        fn network(&mut self) -> &mut Network<(), ()> {
            &mut self.network
        }

        fn handle(&mut self, event: NetworkEvent<(), ()>) {
            if let NetworkEvent::Alarm((), count) = event {
                assert!(self.network.is_due((), count));
            }
            if self.ticks > 0 {
                self.ticks -= 1;
                self.network.wake((), Some(self.network.now() + Duration::from_secs(1)));
            }
        }
    }

    fn clock(ticks: u32) -> Clock {
        let mut network = Network::new(Vec::new(), Seed::new(1).latency(), Log::Nothing);
        network.outside(Duration::ZERO, ());
        Clock { network, ticks }
    }

    #[test]
    fn a_run_ends_when_nothing_is_left_to_happen() {
        assert_eq!(drive(&mut clock(9), Duration::from_secs(9)), Ok(10));
    }

    #[test]
    fn a_run_that_goes_on_after_its_deadline_is_an_error() {
        let time = Duration::from_secs(9);
        assert_eq!(drive(&mut clock(9), Duration::from_secs(8)), Err(NoEnd { events: 10, time }));
    }

    #[test]
    fn failures_say_how_to_repeat_the_run() {
        let wrong = Room { game: "wrong", play: |_, _| Err(vec!["one".to_owned(), "two".to_owned()]) };
        let told = run(&wrong, 12, Log::Nothing).unwrap_err();
        assert_eq!(
            told,
            "seed 12 failed; all of it: cargo xtask simulate --game wrong --from 12 --seeds 1 --log\n- one\n- two"
        );
        let panics = Room { game: "panics", play: |number, _| panic!("number {number}") };
        assert!(run(&panics, 3, Log::Nothing).unwrap_err().ends_with("\n- panic: number 3"));
    }
}
