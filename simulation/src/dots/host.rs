//! Parts of the simulated server of Dots & Boxes.

use game_dots::{Config as Grid, State};
use game_env::Seed;
use reference_gm::dots::master::Totals;
use reference_gm::dots::{Master, Record, Settings};
use reference_gm::server::DrawToken;

use crate::served::Served;

/// The settings of the server.
pub(super) struct Dots(Settings);

impl Dots {
    pub(super) fn new(grid: Grid, seed: Seed) -> Self {
        Self(Settings { grid, seed, ..Settings::default() })
    }
}

impl Served for Dots {
    type Master = Master;
    type Games = Vec<(u64, State)>;

    fn seed(&self) -> Seed {
        self.0.seed
    }

    fn begin(&self, draw: DrawToken) -> Master {
        Master::new(self.0.clone(), draw)
    }

    fn restore(&self, draw: DrawToken, records: Vec<Record>) -> Result<Master, String> {
        Master::restore(self.0.clone(), draw, records).map_err(|error| error.to_string())
    }

    fn games(master: &Master) -> Vec<(u64, State)> {
        master.games().map(|(id, state, ..)| (id, state.clone())).collect()
    }

    fn is_action(record: &Record) -> bool {
        matches!(record, Record::Move(..))
    }

    fn is_busy(totals: &Totals) -> bool {
        totals.games > 0 || totals.waiting > 1
    }
}
