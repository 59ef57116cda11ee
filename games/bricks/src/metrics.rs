//! The figures of a game: bricks, and the time of moves.

use game_env::{AgentId, Counted, Measured, Metrics, SimTime, Witness};

use crate::state::{Event, State};

/// Counts the bricks and refusals of each player, and measures its longest move.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    players: [Counts; 2],
    /// The moment of the last brick.
    since: SimTime,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    bricks: u32,
    longest_move_ms: u32,
    refused: u32,
}

impl Meter {
    fn of(&mut self, player: AgentId) -> &mut Counts {
        &mut self.players[player.index()]
    }
}

impl Witness<State> for Meter {
    fn event(&mut self, now: SimTime, event: &Event) {
        match event {
            Event::Put { player, .. } => {
                let took = now.since(self.since).as_millis();
                let own = self.of(*player);
                own.bricks += 1;
                own.longest_move_ms = own.longest_move_ms.max(took);
                self.since = now;
            }
            Event::Refused { player, .. } => self.of(*player).refused += 1,
            Event::Over(_) => {}
        }
    }
}

/// The metrics that are counted.
const COUNTED: &[Counted<Counts>] = &[
    Counted::new("bricks", "bricks that the player placed", |counts| counts.bricks),
    Counted::new("longest_move_ms", "the longest time of a move", |counts| counts.longest_move_ms),
    Counted::new("refused", "moves that the rules refused", |counts| counts.refused),
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
        Metrics::counted(&meter.players, COUNTED)
    }
}
