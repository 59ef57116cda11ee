//! The server's own players: the matches that want one, and the nicknames that are theirs.
//!
//! A bot is a client like others. It is recognised by its nickname, which no other client may have, so that it is
//! known after a restart, too.

use game_env::{Millis, SimTime};
use wire::eriantys::{Nickname, Token};

use super::lobby::Lobby;
use super::matches::{Match, Seat};
use super::{ConnectionId, Master, MatchId};

/// Time from one look for players who keep bots waiting to the next.
const BETWEEN_LOOKS: Millis = Millis::new(1_000);

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
        let missing =
            |number: &MatchId| Some((*number, self.matches.get(number)?.missing().into_iter().next()?));
        let waiting = self.short_of_bots.iter().find_map(missing);
        waiting.or_else(|| self.lobbies.iter().find_map(wanting))
    }

    /// Notes whether a match misses nobody but the server's own players. To be called whenever a player comes or goes.
    pub(super) fn note_missing_bots(&mut self, number: MatchId) {
        let waiting = self.matches.get(&number).filter(|game| game.waits_until().is_some());
        let missing = waiting.map(Match::missing).unwrap_or_default();
        if !missing.is_empty() && missing.iter().all(|nickname| self.is_bot(nickname)) {
            self.short_of_bots.insert(number);
        } else {
            self.short_of_bots.remove(&number);
        }
    }

    /// Ends the match whose player has kept bots waiting for longest, if that is too long, all bots play, and another
    /// match wants one.
    pub(super) fn free_bots(&mut self) {
        let Some(bots) = &self.settings.bots else { return };
        let now = self.gate.now();
        if now < self.next_look_at_bots || self.wanted_bot().is_none() {
            return;
        }
        self.next_look_at_bots = now + BETWEEN_LOOKS;
        let is_playing_bot = |seat: &Seat| seat.connection.is_some() && self.is_bot(&seat.profile.nickname);
        let mut playing = 0;
        let mut longest: Option<(SimTime, MatchId, ConnectionId)> = None;
        for (number, game) in &self.matches {
            let of_match = game.seats().iter().filter(|seat| is_playing_bot(seat)).count();
            playing += of_match;
            let mover = game.mover().map(|mover| &game.seats()[mover.index()]);
            let person = mover.filter(|seat| of_match > 0 && !is_playing_bot(seat));
            let asked = person.and_then(|seat| Some((game.asked_since, *number, seat.connection?)));
            longest = longest.into_iter().chain(asked).min();
        }
        let nicknames = self.lobbies.values().flat_map(Lobby::nicknames);
        playing += nicknames.filter(|nickname| self.is_bot(nickname)).count();
        let patience = bots.patience;
        let is_too_long = |(since, ..): &(SimTime, MatchId, ConnectionId)| now - *since >= patience;
        if let Some((_, number, person)) =
            longest.filter(|longest| playing >= bots.at_once && is_too_long(longest))
        {
            let seconds = patience.as_millis() / 1_000;
            self.say(
                person,
                &format!("You have had the turn for {seconds} s, and the bots of this match are wanted in another one"),
            );
            self.end_lost(number);
        }
    }

    /// Returns when [`Self::free_bots`] has to be called again.
    pub(super) fn bots_freed(&self) -> Option<SimTime> {
        self.wanted_bot().map(|_| self.next_look_at_bots)
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
    let end = nickname.rsplit_once('-').map(|(_, end)| end.as_bytes());
    matches!(end, Some([b'B' | b'b', b'O' | b'o', b'T' | b't', b'1'..=b'4']))
}
