//! The results of matches that are over, for players who were away when their match ended.

use std::collections::BTreeMap;

use wire::eriantys::Notice;
use wire::eriantys::notice::EndMatchMessage;

use super::{ConnectionId, Master};
use crate::eriantys::record::{MatchId, Record};

/// The results of the matches with the highest numbers.
#[derive(Default)]
pub(super) struct Results(BTreeMap<MatchId, EndMatchMessage>);

impl Results {
    /// Keeps a result. Beyond `most` results, that of the match with the lowest number is dropped.
    pub(super) fn keep(&mut self, number: MatchId, result: EndMatchMessage, most: usize) {
        self.0.insert(number, result);
        while self.0.len() > most {
            self.0.pop_first();
        }
    }

    pub(super) fn get(&self, number: MatchId) -> Option<&EndMatchMessage> {
        self.0.get(&number)
    }

    /// Returns the records of all results.
    pub(super) fn records(&self) -> impl Iterator<Item = Record> {
        self.0.iter().map(|(number, result)| Record::Result(*number, result.clone()))
    }
}

impl Master {
    /// Tells a client the result of its match, and closes its connection.
    pub(super) fn tell_result(&mut self, id: ConnectionId, result: EndMatchMessage) {
        self.tell(id, &Notice::from(result));
        self.part(id, "the match is over");
    }
}
