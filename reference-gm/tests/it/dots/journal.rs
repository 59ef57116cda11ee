//! Journals: every prefix of a journal that a server wrote can be opened, whatever its clients did.

use game_env::{Chance, Seed};
use proptest::prelude::*;
use reference_gm::dots::{ConnectionId, Master, Record, Settings};
use reference_gm::server::Master as _;

use super::harness::{Harness, small};
use crate::served::journals::{check_prefixes, follow, tokens};

fn open(settings: &Settings, records: &[Record]) -> Result<Master, String> {
    Master::restore(settings.clone(), tokens(), records.to_vec()).map_err(|error| error.to_string())
}

/// Clients that log in, play, leave and come back by chance, and a server that ends and starts again.
struct Walk {
    harness: Harness,
    chance: Chance,
    clients: Vec<Option<ConnectionId>>,
}

const NAMES: [&str; 6] = ["Ada", "Bob", "Cid", "Dora", "Eva", "Fay"];

impl Walk {
    fn new(seed: u64) -> Self {
        let settings = Settings { players: 5, resume_by_name: seed.is_multiple_of(2), ..small() };
        Self {
            harness: Harness::of(Master::new(settings, tokens())),
            chance: Seed::new(seed).game(),
            clients: vec![None; NAMES.len()],
        }
    }

    fn step(&mut self) {
        let place = self.chance.index(self.clients.len());
        let client = self.clients[place].filter(|id| !self.harness.closed.contains(id));
        match (self.chance.index(60), client) {
            (0, _) => self.restart(),
            (1, Some(id)) => {
                self.clients[place] = None;
                self.harness.disconnect(id);
            }
            (2, _) => self.pass(),
            (_, None) => {
                let id = self.harness.connect();
                self.clients[place] = Some(id);
                self.harness.send_line(id, &format!("login|{}", NAMES[place]));
            }
            (3..=15, Some(id)) => self.harness.send_line(id, "queue"),
            (16, Some(id)) => self.harness.send_line(id, "leave_queue"),
            (17, Some(id)) => self.harness.send_line(id, "leave_game"),
            (_, Some(id)) => {
                let (one, step) = (self.chance.index(9), [1, 3][self.chance.index(2)]);
                self.harness.send_line(id, &format!("line_coords|{one}|{}", one + step));
            }
        }
    }

    fn pass(&mut self) {
        let clients: Vec<ConnectionId> =
            self.clients.iter().flatten().copied().filter(|id| !self.harness.closed.contains(id)).collect();
        let answering = if self.chance.index(3) == 0 { &[] } else { &clients[..] };
        let span = [500, 5_000, 70_000][self.chance.index(3)];
        self.harness.pass(span, answering);
    }

    fn restart(&mut self) {
        self.check();
        let settings = self.harness.master.settings().clone();
        let master = follow(&self.harness.records, &mut self.chance, |records| open(&settings, records));
        let records = master.snapshot();
        self.harness = Harness::of(master);
        self.harness.records = records;
        self.clients.fill(None);
    }

    fn check(&self) {
        check_prefixes(&self.harness.records, |records| open(self.harness.master.settings(), records));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_prefix_of_a_journal_can_be_opened(seed in any::<u64>()) {
        let mut walk = Walk::new(seed);
        (0..600).for_each(|_| walk.step());
        walk.check();
    }
}
