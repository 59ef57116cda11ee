//! Parts of the simulated server of Eriantys.

use game_env::{Environment as _, Millis, Seed};
use reference_gm::eriantys::master::Totals;
use reference_gm::eriantys::{Master, Record, Settings};
use reference_gm::server::DrawToken;

use crate::served::Served;

/// Time after which an abandoned match ends; shorter than a run.
const KEEP: Millis = Millis::new(600_000);

/// The settings of the server.
pub(super) struct Eriantys(Settings);

impl Eriantys {
    pub(super) fn new(seed: Seed) -> Self {
        Self(Settings { seed, keep: KEEP, ..Settings::default() })
    }
}

impl Served for Eriantys {
    type Master = Master;
    /// Numbers of matches, and hashes of their states.
    type Games = Vec<(u64, u64)>;

    fn seed(&self) -> Seed {
        self.0.seed
    }

    fn begin(&self, draw: DrawToken) -> Master {
        Master::new(self.0.clone(), draw)
    }

    fn restore(&self, draw: DrawToken, records: Vec<Record>) -> Result<Master, String> {
        Master::restore(self.0.clone(), draw, records).map_err(|error| error.to_string())
    }

    fn games(master: &Master) -> Vec<(u64, u64)> {
        master.matches().map(|(id, state)| (id, state.hash())).collect()
    }

    fn is_action(record: &Record) -> bool {
        matches!(record, Record::Action(..))
    }

    fn is_busy(totals: &Totals) -> bool {
        totals.matches > 0 || totals.lobbies > 1
    }
}
