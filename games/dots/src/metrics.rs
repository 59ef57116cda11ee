//! The figures of a game: moves, turns, and the boxes of one turn.

use game_env::{AgentId, Counted, Measured, Metrics, SimTime, Witness};

use crate::state::{Event, State};

/// Counts the edges, turns and refusals of each player, and the most boxes of one turn.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    players: [Counts; 2],
    /// The player that moved last, and the boxes of its turn so far.
    turn: Option<(AgentId, u32)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    edges: u32,
    turns: u32,
    longest_run: u32,
    refused: u32,
}

impl Witness<State> for Meter {
    fn event(&mut self, _: SimTime, event: &Event) {
        match *event {
            Event::Drew { player, boxes, .. } => {
                let own = &mut self.players[player.index()];
                own.edges += 1;
                let before = match self.turn {
                    Some((mover, run)) if mover == player => run,
                    _ => {
                        own.turns += 1;
                        0
                    }
                };
                let run = before + boxes.into_iter().flatten().map(|_| 1).sum::<u32>();
                own.longest_run = own.longest_run.max(run);
                self.turn = Some((player, run));
            }
            Event::Refused { player, .. } => self.players[player.index()].refused += 1,
            Event::Over(_) => {}
        }
    }
}

/// The metrics that are counted.
const COUNTED: &[Counted<Counts>] = &[
    Counted::new("edges", "edges that the player drew", |counts| counts.edges),
    Counted::new("turns", "turns of the player; a completed box does not end a turn", |counts| counts.turns),
    Counted::new("most_boxes_in_a_turn", "the largest number of boxes completed in one turn", |counts| {
        counts.longest_run
    }),
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
