//! Pings: closes connections that do not answer any more, and those that have not logged in in time.

use wire::eriantys::notice::Ping;

use super::{ConnectionId, Master};

impl Master {
    /// Closes connections that have not logged in.
    pub(super) fn turn_away(&mut self) {
        while let Some(id) = self.gate.next_late() {
            self.expel(id, "the login took too long");
        }
    }

    /// Returns whether pings are sent to a client: to players who have logged in, and are not in this process.
    pub(super) fn is_pinged(&self, id: ConnectionId) -> bool {
        self.gate.has_logged_in(id) && !self.gate.is_local(id)
    }

    /// Counts the pings that were not answered, gives up connections that answer no more, and sends the next pings.
    pub(super) fn ping(&mut self) {
        if !self.pings.are_due(self.gate.now()) {
            return;
        }
        let mut silent = Vec::new();
        for id in self.pinged() {
            let Some(connection) = self.gate.state_mut(id) else { continue };
            if self.pings.count(&mut connection.pulse, true) {
                silent.push(id);
            }
        }
        let most = self.settings.missed;
        for id in silent {
            self.expel(id, &format!("{most} pings in a row were not answered"));
        }
        for id in self.pinged() {
            self.tell(id, &Ping {}.into());
        }
    }

    fn pinged(&self) -> Vec<ConnectionId> {
        self.gate.ids().into_iter().filter(|id| self.is_pinged(*id)).collect()
    }
}
