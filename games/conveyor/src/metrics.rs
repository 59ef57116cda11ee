//! The figures of a game: requests, refusals, hints, and rides on conveyors.

use game_env::{AgentId, Measured, Metrics, SimTime, Witness};

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

impl Measured for State {
    type Meter = Meter;

    const MEANINGS: &'static [(&'static str, &'static str)] = &[
        ("requests", "requests of the player"),
        ("refused", "requests that the rules refused"),
        ("hints", "answers with a hint"),
        ("carried", "moves at whose end a conveyor carried the player"),
    ];

    fn meter(&self) -> Meter {
        Meter::default()
    }

    fn metrics(&self, meter: &Meter) -> Metrics {
        Metrics::counted(
            &meter.0,
            &[
                ("requests", |counts| counts.requests),
                ("refused", |counts| counts.refused),
                ("hints", |counts| counts.hints),
                ("carried", |counts| counts.carried),
            ],
        )
    }
}
