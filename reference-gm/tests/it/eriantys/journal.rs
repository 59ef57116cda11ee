//! Journals: every prefix of a journal that a server wrote can be opened, whatever its clients did.

use game_env::{Chance, Seed};
use proptest::prelude::*;
use reference_gm::eriantys::{ConnectionId, Master, Record, Settings};
use reference_gm::server::Master as _;
use wire::eriantys::Notice;
use wire::eriantys::request::{
    LoginAnyMatch, LoginJoinMatch, LoginNewMatch, LoginNickname, LoginResumeMatch, LoginTowerColor,
    LoginWizardFamily,
};
use wire::eriantys::words::RuleSet;

use super::harness::{Chooser, Harness, NAMES, is_question};
use crate::served::journals::{check_prefixes, follow, tokens};

fn open(settings: &Settings, records: &[Record]) -> Result<Master, String> {
    Master::restore(settings.clone(), tokens(), records.to_vec()).map_err(|error| error.to_string())
}

/// Clients that log in, play, leave and come back by chance, and a server that ends and starts again.
struct Walk {
    harness: Harness,
    chance: Chance,
    chooser: Chooser,
    /// Each client with the last message that asks it for something.
    clients: Vec<Option<(ConnectionId, Option<Notice>)>>,
}

impl Walk {
    fn new(seed: u64) -> Self {
        let settings = Settings { seed: Seed::new(seed), matches: 6, ..Settings::default() };
        Self {
            harness: Harness::of(Master::new(settings, tokens())),
            chance: Seed::new(seed).game(),
            chooser: Chooser::new(seed),
            clients: vec![None; 6],
        }
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> Option<T> {
        if of.is_empty() { None } else { Some(of[self.chance.index(of.len())]) }
    }

    fn step(&mut self) {
        let place = self.chance.index(self.clients.len());
        match (self.chance.index(40), self.clients[place].clone()) {
            (0, _) => self.restart(),
            (1, Some((id, _))) => {
                self.clients[place] = None;
                if !self.harness.closed.contains(&id) {
                    self.harness.disconnect(id);
                }
            }
            (2, _) => self.pass(),
            (_, None) => {
                let id = self.harness.connect();
                self.clients[place] = Some((id, None));
            }
            (_, Some((id, _))) if self.harness.closed.contains(&id) => self.clients[place] = None,
            (_, Some((id, asked))) => {
                let notices = self.harness.take(id);
                let asked = notices.into_iter().rev().find(asks).or(asked);
                self.clients[place] = Some((id, asked.clone()));
                if let Some(asked) = asked {
                    self.answer(place, id, &asked);
                }
            }
        }
    }

    fn answer(&mut self, place: usize, id: ConnectionId, asked: &Notice) {
        match asked {
            Notice::LoginMatchOptions(options) => {
                let rules = if self.chance.index(2) == 0 { RuleSet::Simple } else { RuleSet::Expert };
                let players = if self.chance.index(4) == 0 { 3 } else { 2 };
                let open: Vec<u64> = options.open.iter().map(|option| option.number).collect();
                let saved: Vec<u64> = options.saved.iter().map(|option| option.number).collect();
                let number = |number: u64| i64::try_from(number).unwrap();
                match (self.chance.index(4), self.one(&open), self.one(&saved)) {
                    (0, ..) => self.harness.send(id, LoginNewMatch { players, rules }),
                    (1, ..) => self.harness.send(id, LoginAnyMatch { players, rules }),
                    (2, _, Some(saved)) => {
                        self.harness.send(id, LoginResumeMatch { number: number(saved) });
                    }
                    (_, Some(open), _) => self.harness.send(id, LoginJoinMatch { number: number(open) }),
                    (_, None, _) => self.harness.send(id, LoginAnyMatch { players, rules }),
                }
            }
            Notice::RequestNickname(_) => {
                let nickname = NAMES[place % NAMES.len()].parse().unwrap();
                self.harness.send(id, LoginNickname { nickname, token: None });
            }
            Notice::LoginPlayersOptions(options) => {
                let nickname =
                    options.nicknames.first().cloned().unwrap_or_else(|| NAMES[0].parse().unwrap());
                self.harness.send(id, LoginNickname { nickname, token: None });
            }
            Notice::LoginTowerColorOptions(options) => {
                if let Some(color) = self.one(&options.colors) {
                    self.harness.send(id, LoginTowerColor { color });
                }
            }
            Notice::LoginWizardFamilyOptions(options) => {
                if let Some(family) = self.one(&options.families) {
                    self.harness.send(id, LoginWizardFamily { family });
                }
            }
            question => {
                let answer = self.chooser.answer(question);
                self.harness.send(id, answer);
            }
        }
    }

    fn pass(&mut self) {
        let clients: Vec<ConnectionId> = self.clients.iter().flatten().map(|(id, _)| *id).collect();
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

fn asks(notice: &Notice) -> bool {
    is_question(notice)
        || matches!(
            notice,
            Notice::LoginMatchOptions(_)
                | Notice::RequestNickname(_)
                | Notice::LoginPlayersOptions(_)
                | Notice::LoginTowerColorOptions(_)
                | Notice::LoginWizardFamilyOptions(_)
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_prefix_of_a_journal_can_be_opened(seed in any::<u64>()) {
        let mut walk = Walk::new(seed);
        (0..400).for_each(|_| walk.step());
        walk.check();
    }
}

#[test]
fn matches_may_begin_in_another_order_than_they_were_opened() {
    let mut harness = Harness::new(7);
    let rules = RuleSet::Simple;
    let first = harness.login(0, LoginNewMatch { players: 2, rules });
    let second = harness.login(1, LoginNewMatch { players: 2, rules });
    harness.login(2, LoginJoinMatch { number: 2 });
    harness.login(3, LoginJoinMatch { number: 1 });
    assert!([first, second].iter().all(|id| !harness.closed.contains(id)));
    let begun: Vec<u64> = harness
        .records
        .iter()
        .filter_map(|record| match record {
            Record::Match { id, .. } => Some(*id),
            _ => None,
        })
        .collect();
    assert_eq!(begun, [2, 1]);
    assert_eq!(harness.restarted().master.totals().matches, 2);
}
