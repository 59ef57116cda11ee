//! The server's own players: the matches that want one, and the nicknames that are theirs.
//!
//! A bot is a client like others. It is recognised by its nickname, which no other client may have, so that it is
//! known after a restart, too.

use game_env::SimTime;
use wire::eriantys::{Nickname, Token};

use super::lobby::Lobby;
use super::matches::Match;
use super::{Master, MatchId};

impl Master {
    /// Returns whether a nickname is one of the server's own players.
    pub(super) fn is_bot(&self, nickname: &Nickname) -> bool {
        self.settings.bots.is_some() && is_bot_name(nickname.as_str())
    }

    /// Returns the token of the server's own players, if this nickname is one of theirs.
    pub(super) fn own_token(&self, nickname: &Nickname) -> Option<Token> {
        self.settings.bots.as_ref().filter(|_| self.is_bot(nickname)).map(|bots| bots.token)
    }

    /// Returns whether a nickname is reserved for bots, and this token is not theirs.
    pub(super) fn is_reserved(&self, nickname: &Nickname, token: Option<Token>) -> bool {
        self.own_token(nickname).is_some_and(|own| token != Some(own))
    }

    /// Returns the next bot that is wanted: in a match that waits for so few players that bots can be all of them, or
    /// in one that has begun and waits for bots alone.
    pub(super) fn wanted_bot(&self) -> Option<(MatchId, Nickname)> {
        let bots = self.settings.bots.as_ref()?;
        let wanting = |(number, lobby): (&MatchId, &Lobby)| {
            let is_due = lobby.bots_at().is_some_and(|at| at <= self.gate.now());
            let nicknames = lobby.nicknames();
            let own = nicknames.iter().filter(|nickname| self.is_bot(nickname)).count();
            let free = lobby.free_seats();
            let fits = is_due && free > 0 && own + free <= bots.most;
            let mut names = (1..=4).filter_map(|place| format!("{}-bot{place}", bots.name).parse().ok());
            let name = names.find(|name| !nicknames.contains(name)).filter(|_| fits)?;
            Some((*number, name))
        };
        let missing = |number: &MatchId| {
            let missing = self.matches.get(number).map(Match::missing)?;
            let are_bots = missing.iter().all(|nickname| self.is_bot(nickname));
            missing.into_iter().next().filter(|_| are_bots).map(|nickname| (*number, nickname))
        };
        let waiting = self.waiting.iter().find_map(|(_, number)| missing(number));
        waiting.or_else(|| self.lobbies.iter().find_map(wanting))
    }

    /// Returns when a match that waits for players will want bots.
    pub(super) fn bots_due(&self) -> Option<SimTime> {
        self.settings.bots.as_ref()?;
        self.lobbies.values().filter_map(Lobby::bots_at).filter(|at| *at > self.gate.now()).min()
    }

    /// Sends the bots of a match away for which no other player waits.
    pub(super) fn dismiss_bots(&mut self, number: MatchId) {
        let Some(lobby) = self.lobbies.get(&number) else { return };
        if lobby.connections().len()
            > lobby.nicknames().iter().filter(|nickname| self.is_bot(nickname)).count()
        {
            return;
        }
        for id in lobby.connections() {
            self.expel(id, "nobody waits for this match any more");
        }
    }
}

/// Returns whether this is a nickname like `greedy-bot1`, in any case: nicknames that differ only in case are the same.
fn is_bot_name(nickname: &str) -> bool {
    let folded = nickname.to_lowercase();
    let number = folded.rsplit_once("-bot").map(|(_, number)| number);
    number.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'4']))
}
