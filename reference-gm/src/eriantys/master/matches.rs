//! Matches that have begun: who is there, who is missing, and the end.

use std::collections::BTreeSet;

use game_env::{AgentId, Disruption, Environment as _, Outcome, Seed, SimTime, Termination, Turn};
use game_eriantys::{Action, Config, State};
use wire::eriantys::convert::table_update;
use wire::eriantys::notice::{EndMatchMessage, LoginReply, MatchPaused, MatchResumed};
use wire::eriantys::request::LoginNickname;
use wire::eriantys::words::EndReason;
use wire::eriantys::{Nickname, Notice, Profile, Token};

use super::character::Pending;
use super::{ConnectionId, Ended, Master, Output, Stage};
use crate::eriantys::record::{MatchId, Record};
use crate::server::{NotAdmitted, Origin, Owner};

/// A match that has begun.
pub(super) struct Match {
    pub(super) state: State,
    seed: Seed,
    /// The players in the order of the rules.
    seats: Vec<Seat>,
    pub(super) actions: Vec<Action>,
    /// The character that the mover is about to play.
    pub(super) pending: Option<Pending>,
    /// Until when the match waits for missing players.
    waits_until: Option<SimTime>,
    /// Time since which the mover has had to choose.
    pub(super) asked_since: SimTime,
    /// The origin of the client that opened the match.
    origin: Origin,
}

/// A player's place in a match.
pub(super) struct Seat {
    pub(super) profile: Profile,
    pub(super) token: Token,
    pub(super) connection: Option<ConnectionId>,
}

impl Match {
    pub(super) fn new(state: State, seed: Seed, seats: Vec<Seat>, origin: Origin, now: SimTime) -> Self {
        let (actions, pending, waits_until) = (Vec::new(), None, None);
        Self { state, seed, seats, actions, pending, waits_until, asked_since: now, origin }
    }

    /// Returns whether every player has acted: in the first round, one after the other plays an assistant.
    pub(super) fn is_played(&self) -> bool {
        self.actions.len() >= self.config().players()
    }

    /// Returns whether nobody is connected.
    fn is_idle(&self) -> bool {
        self.seats.iter().all(|seat| seat.connection.is_none())
    }

    pub(super) const fn state(&self) -> &State {
        &self.state
    }

    pub(super) const fn seed(&self) -> Seed {
        self.seed
    }

    pub(super) fn seats(&self) -> &[Seat] {
        &self.seats
    }

    pub(super) fn add_seat(&mut self, seat: Seat) {
        self.seats.push(seat);
    }

    pub(super) const fn config(&self) -> Config {
        self.state.table().config
    }

    pub(super) const fn waits_until(&self) -> Option<SimTime> {
        self.waits_until
    }

    /// Returns the players without a connection.
    pub(super) fn missing(&self) -> Vec<Nickname> {
        let missing = self.seats.iter().filter(|seat| seat.connection.is_none());
        missing.map(|seat| seat.profile.nickname.clone()).collect()
    }

    pub(super) fn nickname(&self, player: AgentId) -> &Nickname {
        &self.seats[player.index()].profile.nickname
    }

    pub(super) fn profiles(&self) -> Vec<Profile> {
        self.seats.iter().map(|seat| seat.profile.clone()).collect()
    }

    /// Returns the player who has the turn.
    pub(super) fn mover(&self) -> Option<AgentId> {
        match self.state.turn() {
            Turn::Act { agent, .. } => Some(agent),
            Turn::Over(_) => None,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.state.turn() {
            Turn::Act { .. } => None,
            Turn::Over(outcome) => Some(outcome),
        }
    }
}

impl Master {
    /// A client takes the place of a player of a match that has begun.
    pub(super) fn come_back(&mut self, id: ConnectionId, number: MatchId, wanted: LoginNickname) {
        let by_nickname = self.settings.resume_by_nickname;
        let LoginNickname { nickname, token } = wanted;
        // A bot proves that it is one, and has its seat's token with that.
        let own = self.own_token(&nickname);
        let Some(game) = self.matches.get_mut(&number) else {
            self.set_stage(id, Stage::Match);
            return self.refuse(id, &format!("match {number} is over: expected another one"));
        };
        let found = game.seats.iter().position(|seat| seat.profile.nickname.is_same(&nickname));
        let Some(place) = found else {
            let error =
                format!("`{nickname}` is no player of match {number}: expected one of those who are missing");
            return self.refuse(id, &error);
        };
        let seat = &game.seats[place];
        let owner = Owner { token: seat.token, is_connected: seat.connection.is_some(), own };
        if let Err(why) = owner.admit(token, by_nickname) {
            let why = match why {
                NotAdmitted::Reserved => "is one of the server's own players: expected another player",
                NotAdmitted::WrongToken => "with another token: expected that of its `LoginReply`",
                NotAdmitted::IsThere => "is there: expected one of those who are missing",
                NotAdmitted::TokenNeeded => "without a token: expected that of its `LoginReply`",
            };
            return self.refuse(id, &format!("`{nickname}` {why}"));
        }
        // The token stays with its owner: another player that had it could take the place again and again.
        let (former, token) = (seat.connection, token.map(|_| seat.token));
        // As the player is called in all other messages: the client may have written it with other capitals.
        let own_nickname = seat.profile.nickname.clone();
        game.seats[place].connection = Some(id);
        if let Some(former) = former {
            self.replace(former);
        }
        self.set_stage(id, Stage::Playing(number, place));
        self.tell(id, &LoginReply { number, nickname: own_nickname, token }.into());
        if let Some(table) = self.table(number) {
            self.tell(id, &table);
        }
        self.look_at_missing(number);
        // A connection that replaces another one while all are there is asked what that one was asked.
        if former.is_some() {
            self.ask(id);
        }
    }

    /// Closes a connection whose player has another one.
    pub(super) fn replace(&mut self, former: ConnectionId) {
        self.part(former, "another connection has taken the place of this one");
    }

    /// Removes the connection of a player of a match that has begun.
    pub(super) fn lose_player(&mut self, number: MatchId, place: usize) {
        let Some(game) = self.matches.get_mut(&number) else { return };
        game.seats[place].connection = None;
        // A player who comes back is asked from the beginning.
        if game.mover().is_some_and(|mover| mover.index() == place) {
            game.pending = None;
        }
        self.look_at_missing(number);
    }

    /// Pauses a match whose players are not all there, or lets it go on.
    fn look_at_missing(&mut self, number: MatchId) {
        let (now, settings) = (self.gate.now(), &self.settings);
        let Some(game) = self.matches.get_mut(&number) else { return };
        let missing = game.missing();
        if missing.is_empty() {
            if game.waits_until.is_some() {
                self.set_waiting(number, None);
                self.tell_all(number, &MatchResumed {}.into());
                self.ask_mover(number);
            }
            return;
        }
        let (origin, is_longer) = (game.origin, game.is_idle() && game.is_played());
        let limit = if is_longer { settings.keep } else { settings.wait };
        let until = match game.waits_until {
            // The players that are there do not wait longer because one more is gone.
            Some(until) if !is_longer => until.min(now + limit),
            _ => now + limit,
        };
        self.set_waiting(number, Some(until));
        let wait_ms = u64::from((until - now).as_millis());
        self.tell_all(number, &MatchPaused { missing, wait_ms }.into());
        if let Some(oldest) = self.idle.surplus(origin, self.settings.idle_matches_of_origin) {
            self.end_lost(oldest);
        }
    }

    /// Sets the moment until which a match waits; none if it does not wait.
    pub(super) fn set_waiting(&mut self, number: MatchId, until: Option<SimTime>) {
        let Some(game) = self.matches.get_mut(&number) else { return };
        if let Some(former) = std::mem::replace(&mut game.waits_until, until) {
            self.waiting.remove(&(former, number));
        }
        if until.is_some() && game.is_idle() {
            self.idle.add(self.gate.now(), game.origin, number);
        } else {
            self.idle.remove(number);
        }
        self.note_missing_bots(number);
        self.waiting.extend(until.map(|until| (until, number)));
    }

    /// Ends matches that have waited for too long, as they stand.
    pub(super) fn end_waiting(&mut self) {
        let due = self.waiting.iter().take_while(|(until, _)| *until <= self.gate.now());
        let due: BTreeSet<MatchId> = due.map(|(_, number)| *number).collect();
        due.into_iter().for_each(|number| self.end_lost(number));
    }

    /// Ends a match because a player is missing, and writes this down.
    pub(super) fn end_lost(&mut self, number: MatchId) {
        self.record(Record::Lost(number));
        self.end_as_it_stands(number);
    }

    /// Ends a match because a player is missing.
    pub(super) fn end_as_it_stands(&mut self, number: MatchId) {
        let disruption = Disruption::Ended(Termination::AgentLost);
        if let Some(game) = self.matches.get_mut(&number) {
            game.state.disrupt(SimTime::START, disruption, &mut ());
        }
        self.end_if_over(number, Some(disruption));
    }

    /// Ends a match whose state is over: sends its players the result, and keeps it for players who are away.
    pub(super) fn end_if_over(&mut self, number: MatchId, disruption: Option<Disruption>) {
        let Some(outcome) = self.matches.get(&number).and_then(Match::outcome) else { return };
        if disruption.is_some() {
            self.tell_table(number);
        }
        self.set_waiting(number, None);
        let Some(game) = self.matches.remove(&number) else { return };
        let result = end_message(&game, outcome);
        let playing = game.seats.iter().filter_map(|seat| seat.connection);
        // Clients that were about to come back learn the result, too.
        let returning = self.gate.states().filter(|(_, connection)| connection.stage == Stage::Saved(number));
        let told: Vec<ConnectionId> = playing.chain(returning.map(|(id, _)| id)).collect();
        told.into_iter().for_each(|id| self.tell_result(id, result.clone()));
        // Nobody comes back for the result of a match in which a player never acted.
        if game.is_played() {
            self.results.keep(number, result, self.settings.matches);
        }
        let names = game.seats.into_iter().map(|seat| seat.profile.nickname.to_string()).collect();
        let (config, seed, actions) = (game.state.table().config, game.seed, game.actions);
        if actions.is_empty() {
            return;
        }
        let ended = Ended { kind: "match", id: number, config, seed, names, actions, disruption };
        self.gate.push(Output::Ended(Box::new(ended)));
    }

    /// Sends a message to all players of a match.
    pub(super) fn tell_all(&mut self, number: MatchId, notice: &Notice) {
        let Some(game) = self.matches.get(&number) else { return };
        self.gate.tell_all(game.seats.iter().filter_map(|seat| seat.connection), notice);
    }

    /// Sends the table to all players of a match.
    pub(super) fn tell_table(&mut self, number: MatchId) {
        if let Some(table) = self.table(number) {
            self.tell_all(number, &table);
        }
    }

    fn table(&self, number: MatchId) -> Option<Notice> {
        let game = self.matches.get(&number)?;
        Some(table_update(number, game.state.table(), &game.profiles()).into())
    }

    /// Writes down where a match stands.
    pub(super) fn tell_state_record(&mut self, number: MatchId) {
        let Some(game) = self.matches.get(&number) else { return };
        self.record(Record::State(number, game.state.table().round, game.state.hash()));
    }

    /// Asks the player whose turn it is.
    pub(super) fn ask_mover(&mut self, number: MatchId) {
        let Some(game) = self.matches.get(&number) else { return };
        let mover = game.mover().and_then(|mover| game.seats[mover.index()].connection);
        if let Some(connection) = mover {
            self.ask(connection);
        }
    }
}

fn end_message(game: &Match, outcome: Outcome) -> EndMatchMessage {
    let table = game.state.table();
    let players = table.players().filter(|player| outcome.ranking.places()[table.team(*player).index()] == 1);
    let winners: Vec<Nickname> = players.map(|player| game.nickname(player).clone()).collect();
    let first = winners.iter().map(Nickname::as_str).collect::<Vec<_>>().join(" and ");
    let text = match outcome.winner() {
        Some(_) if winners.len() == 1 => format!("{first} wins this match"),
        Some(_) => format!("{first} win this match"),
        None => format!("This match is a tie of {first}"),
    };
    let has_empty_hand = table.players().any(|player| table.schools[player.index()].hand.is_empty());
    let reason = if outcome.termination != Termination::Normal {
        EndReason::PlayerLost
    } else if table.towers_left().contains(&0) {
        EndReason::Towers
    } else if table.island_count <= 3 {
        EndReason::Islands
    } else if table.bag.is_empty() || !has_empty_hand {
        // In the last round, the thief may have put students back into the bag.
        EndReason::Bag
    } else {
        EndReason::Assistants
    };
    EndMatchMessage { winners, reason, text }
}
