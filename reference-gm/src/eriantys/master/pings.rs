//! Pings: closes connections that do not answer any more, and those that have not logged in in time.

use wire::eriantys::notice::Ping;

use super::{ConnectionId, Master};

impl Master {
    /// Closes connections that have not logged in.
    pub(super) fn turn_away(&mut self) {
        while let Some((_, id)) = self.arrivals.first().copied().filter(|(until, _)| *until <= self.now) {
            self.arrivals.pop_first();
            if self.connections.get(&id).is_some_and(|connection| connection.stage.is_login()) {
                self.expel(id, "the login took too long");
            }
        }
    }

    /// Counts the pings that were not answered, gives up connections that answer no more, and sends the next pings.
    pub(super) fn ping(&mut self) {
        if self.now < self.next_ping {
            return;
        }
        self.next_ping = self.now + self.settings.ping;
        let most = self.settings.missed;
        let mut silent = Vec::new();
        for (id, connection) in self.connections.iter_mut().filter(|(_, connection)| connection.is_pinged()) {
            connection.missed = if connection.has_answered { 0 } else { connection.missed + 1 };
            connection.has_answered = false;
            if connection.missed >= most {
                silent.push(*id);
            }
        }
        for id in silent {
            self.expel(id, &format!("{most} pings in a row were not answered"));
        }
        let pinged = self.connections.iter().filter(|(_, connection)| connection.is_pinged());
        let pinged: Vec<ConnectionId> = pinged.map(|(id, _)| *id).collect();
        for id in pinged {
            self.tell(id, &Ping {}.into());
        }
    }
}
