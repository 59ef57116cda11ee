//! The figures of a game: requests, refusals, hints, and rides on conveyors.

use game_env::{AgentId, Counted, Measured, Metrics, SimTime, Witness};

use crate::state::{Event, State};

/// Counts the requests, refusals, hints and rides of each player.
#[derive(Clone, Debug, Default)]
pub struct Meter([Counts; 2]);

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    requests: u32,
    refused: u32,
    hints: u32,
    carried: u32,
}

impl Meter {
    fn of(&mut self, player: AgentId) -> &mut Counts {
        &mut self.0[player.index()]
    }
}

impl Witness<State> for Meter {
    fn event(&mut self, _: SimTime, event: &Event) {
        match event {
            Event::Answered { player, hint, .. } => {
                let own = self.of(*player);
                own.requests += 1;
                own.hints += u32::from(hint.is_some());
            }
            Event::Landed { player, carried_from, .. } => {
                self.of(*player).carried += u32::from(carried_from.is_some());
            }
            Event::Refused { player, .. } => {
                let own = self.of(*player);
                own.requests += 1;
                own.refused += 1;
            }
            Event::Left(_) | Event::Over(_) => {}
        }
    }
}

/// The metrics that are counted.
const COUNTED: &[Counted<Counts>] = &[
    Counted::new("requests", "requests of the player", |counts| counts.requests),
    Counted::new("refused", "requests that the rules refused", |counts| counts.refused),
    Counted::new("hints", "answers with a hint", |counts| counts.hints),
    Counted::new("carried", "moves at whose end a conveyor carried the player", |counts| counts.carried),
];

impl Measured for State {
    type Meter = Meter;

    fn meaning(metric: &str) -> Option<&'static str> {
        Counted::meaning(COUNTED, metric)
    }

    fn meter(&self) -> Meter {
        Meter::default()
    }

    fn metrics(&self, meter: &Meter) -> Metrics {
        Metrics::counted(&meter.0, COUNTED)
    }
}
