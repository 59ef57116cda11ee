//! The figures of a game: bricks, and the time of moves.

use game_env::{AgentId, Measured, Metrics, SimTime, Witness};

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

impl Measured for State {
    type Meter = Meter;

    const MEANINGS: &'static [(&'static str, &'static str)] = &[
        ("bricks", "bricks that the player placed"),
        ("longest_move_ms", "the longest time of a move"),
        ("refused", "moves that the rules refused"),
    ];

    fn meter(&self) -> Meter {
        Meter::default()
    }

    fn metrics(&self, meter: &Meter) -> Metrics {
        Metrics::counted(
            &meter.players,
            &[
                ("bricks", |counts| counts.bricks),
                ("longest_move_ms", |counts| counts.longest_move_ms),
                ("refused", |counts| counts.refused),
            ],
        )
    }
}
