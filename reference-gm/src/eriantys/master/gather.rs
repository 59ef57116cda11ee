//! Players of two matches that wait for each other's players: players who asked for any match come together.

use wire::eriantys::notice::LoginReply;

use super::lobby::Lobby;
use super::{ConnectionId, Master, Stage};
use crate::eriantys::record::MatchId;

impl Master {
    /// Brings players of several matches together, after a place of this match has become free.
    pub(super) fn gather(&mut self, number: MatchId) {
        self.fill(number, |_| true);
        // If all who are left may go, another match may wait for them, one whose own players stay where they are.
        let stays = |lobby: &Lobby| lobby.movable().count() < lobby.clients.len();
        let Some(lobby) = self.lobbies.get(&number).filter(|lobby| !stays(lobby)) else { return };
        let is_like = |other: &Lobby| other.config == lobby.config && stays(other);
        let others = self.lobbies.iter().filter(|(_, other)| is_like(other));
        let others: Vec<MatchId> = others.map(|(other, _)| *other).collect();
        others.into_iter().for_each(|other| self.fill(other, |from| from == number));
    }

    /// Fills the free places of a match with players who asked for any match of this kind and wait in another one from
    /// which they may come. The one who has waited longest comes first. A player keeps its nickname and its token; if
    /// another player has its colour or its wizard, it is asked for these again.
    fn fill(&mut self, number: MatchId, may_come: impl Fn(MatchId) -> bool) {
        let mut has_moved = false;
        while let Some((from, id)) = self.next_comer(number, &may_come) {
            self.move_comer(id, from, number);
            self.dismiss_bots(from);
            has_moved = true;
        }
        if has_moved {
            self.tell_lobby(number);
            self.begin_if_complete(number);
        }
    }

    /// Returns the next player who can take a free place of a match, and the match in which it waits.
    fn next_comer(
        &self,
        number: MatchId,
        may_come: &impl Fn(MatchId) -> bool,
    ) -> Option<(MatchId, ConnectionId)> {
        let lobby = self.lobbies.get(&number).filter(|lobby| !lobby.is_full())?;
        // A match that is full begins by itself, and who leaves it would leave the others there alone.
        let is_like = |other: &Lobby| other.config == lobby.config && !other.is_full();
        let others = self.lobbies.iter().filter(|(other, _)| **other != number && may_come(**other));
        let others = others.filter(|(_, lobby)| is_like(lobby));
        let mut clients = others.flat_map(|(other, lobby)| lobby.movable().map(|client| (*other, client)));
        let found = clients.find(|(_, client)| {
            client.nickname.as_ref().is_none_or(|nickname| lobby.owner(nickname).is_none())
        });
        found.map(|(other, client)| (other, client.connection))
    }

    fn move_comer(&mut self, id: ConnectionId, from: MatchId, to: MatchId) {
        let Some(other) = self.lobbies.get_mut(&from) else { return };
        let Some(place) = other.clients.iter().position(|client| client.connection == id) else { return };
        let mut client = other.clients.remove(place);
        let bots_at = other.bots_at;
        if other.clients.is_empty() {
            self.lobbies.remove(&from);
        } else {
            if other.clients.iter().all(|client| client.wizard.is_none()) {
                other.bots_at = None;
            }
            self.tell_lobby(from);
        }
        let Some(lobby) = self.lobbies.get_mut(&to) else { return };
        let (towers, wizards) = (lobby.free_towers(), lobby.free_wizards());
        let is_taken = client.tower.is_some_and(|tower| !towers.contains(&tower))
            || client.wizard.is_some_and(|(wizard, _)| !wizards.contains(&wizard));
        if is_taken {
            (client.tower, client.wizard) = (None, None);
        }
        let stage = match (&client.nickname, client.tower, client.wizard) {
            (None, ..) => Stage::Nickname(to),
            (Some(_), None, _) => Stage::Tower(to),
            (Some(_), Some(_), None) => Stage::Wizard(to),
            (Some(_), Some(_), Some(_)) => Stage::Waiting(to),
        };
        let reply = client.wizard.zip(client.nickname.clone());
        if let Some(((_, token), nickname)) = reply {
            lobby.bots_at = lobby.bots_at.into_iter().chain(bots_at).min();
            lobby.clients.push(client);
            self.set_stage(id, stage);
            return self.tell(id, &LoginReply { number: to, nickname, token: Some(token) }.into());
        }
        lobby.clients.push(client);
        if is_taken {
            // A login that begins again has as much time as the first one.
            self.gate.log_in_anew(id);
        }
        self.set_stage(id, stage);
        if is_taken {
            self.ask(id);
        }
    }
}
