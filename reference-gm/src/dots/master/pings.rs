//! Pings: removes players that do not answer any more, and closes connections that have not logged in in time.

use game_env::SimTime;
use wire::dots::{Contact, Notice};

use super::{Master, Phase, Player, PlayerId};
use crate::dots::record::Record;
use crate::server::Pulse;

impl Master {
    /// Closes connections that have not logged in.
    pub(super) fn turn_away(&mut self) {
        while let Some(id) = self.gate.next_late() {
            self.tell(id, &Notice::DisconnectedInactivity);
            self.close(id);
        }
    }

    /// Returns whether pings are counted against a player: the server's own players stay without, and people on the
    /// page are in this process.
    pub(super) fn is_pinged(&self, player: &Player) -> bool {
        let is_local = player.connection.is_some_and(|id| self.gate.is_local(id));
        let may_stay = player.is_bot && player.connection.is_none();
        !is_local && (!may_stay || matches!(player.phase, Phase::Playing(..)))
    }

    /// Counts the pings that were not answered, removes the players with too many of them, and sends the next pings.
    pub(super) fn ping(&mut self) {
        if !self.pings.are_due(self.gate.now()) {
            return;
        }
        let pinged: Vec<PlayerId> =
            self.players.iter().filter(|(_, player)| self.is_pinged(player)).map(|(id, _)| *id).collect();
        let mut silent = Vec::new();
        for id in pinged {
            let Some(player) = self.players.get_mut(&id) else { continue };
            if self.pings.count(&mut player.pulse, player.connection.is_some()) {
                silent.push(id);
            }
        }
        for player in silent {
            self.tell_player(player, &Notice::DisconnectedInactivity);
            self.remove(player);
        }
        let players: Vec<PlayerId> = self.players.keys().copied().collect();
        for player in players {
            self.tell_player(player, &Notice::Ping);
            if let Some(contact) = self.contact_of_opponent(player) {
                self.tell_player(player, &Notice::OpponentConnection(contact));
            }
        }
    }

    fn contact_of_opponent(&self, player: PlayerId) -> Option<Contact> {
        let Phase::Playing(game, side) = self.players[&player].phase else { return None };
        let game = &self.games[&game];
        let opponent = &self.players[&game.players[side.other().index()]];
        let is_slow =
            game.mover() == Some(side.other()) && self.gate.now() - game.turn_since > self.settings.slow;
        Some(if opponent.pulse.is_weak() || opponent.connection.is_none() {
            Contact::Lost
        } else if is_slow {
            Contact::Slow
        } else {
            Contact::Fine
        })
    }

    /// Removes a player: its connection is closed, its game is over, its name is free. Those of the server's own stay
    /// known.
    pub(super) fn remove(&mut self, id: PlayerId) {
        if let Some(connection) = self.players[&id].connection {
            self.close(connection);
        }
        self.disconnect(id);
        if let Phase::Playing(game, side) = self.players[&id].phase {
            self.leave(game, side);
        }
        if let Some(player) = self.players.get_mut(&id).filter(|player| player.is_bot) {
            (player.phase, player.pulse) = (Phase::Idle, Pulse::new());
        } else if let Some(player) = self.players.remove(&id) {
            self.absent.remove(id);
            self.names.remove(&player.name);
            if player.is_recorded {
                self.record(Record::Gone(player.name));
            }
        }
    }

    /// Returns the moment at which a bot is to play against a waiting client, if both are there.
    pub(super) fn bot_due(&self) -> Option<SimTime> {
        let is_bot = |id: &PlayerId| self.players[id].is_bot;
        let (since, _) = self.queue.iter().find(|(_, id)| !is_bot(id))?;
        let has_bot = self.queue.iter().any(|(_, id)| is_bot(id));
        has_bot.then_some(*since + self.settings.bot_wait)
    }
}
