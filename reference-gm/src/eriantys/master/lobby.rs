//! The way into a match: which one, nickname, towers, wizard.

use game_env::text::or_list;
use game_env::{Environment as _, Seed, SimTime};
use game_eriantys::{Config, State};
use wire::eriantys::notice::{
    GenericMessage, LobbyPlayer, LobbyUpdate, LoginMatchOptions, LoginPlayersOptions, LoginReply,
    LoginTowerColorOptions, LoginWizardFamilyOptions, MatchOption,
};
use wire::eriantys::request::{LoginAnyMatch, LoginNickname};
use wire::eriantys::words::{RuleSet, TowerColor, WizardFamily};
use wire::eriantys::{Nickname, Notice, Profile, Token};

use super::matches::{Match, Seat};
use super::play::first_texts;
use super::{ConnectionId, Master, Stage};
use crate::eriantys::record::{MatchId, Record};
use crate::server::Origin;

/// The most matches of a kind that a client is offered: their names fit into a line.
const MOST_OFFERED: usize = 50;

/// The numbers of matches that are reserved with one record: those that are left are not given after a restart.
const RESERVED: MatchId = 16;

/// A match that waits for players.
pub(super) struct Lobby {
    pub(super) config: Config,
    /// In the order in which they came.
    pub(super) clients: Vec<LobbyClient>,
    /// When bots are wanted; none while nobody has logged in.
    pub(super) bots_at: Option<SimTime>,
    /// The origin of the client that opened it.
    origin: Origin,
    /// Whether it was opened for a client that asked for any match.
    pub(super) is_any: bool,
}

/// A match that has a free place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenMatch {
    /// Its number.
    pub number: MatchId,
    /// Number of its players when it is complete.
    pub players: u8,
    /// Its rules.
    pub rules: RuleSet,
    /// The nicknames of the players that are there.
    pub present: Vec<Nickname>,
    /// The colours of towers that are free.
    pub towers: Vec<TowerColor>,
    /// The wizards that are free.
    pub wizards: Vec<WizardFamily>,
}

/// A client that wants to play in a match.
pub(super) struct LobbyClient {
    pub(super) connection: ConnectionId,
    pub(super) nickname: Option<Nickname>,
    pub(super) tower: Option<TowerColor>,
    /// The last answer of the login, and the token that followed it.
    pub(super) wizard: Option<(WizardFamily, Token)>,
    /// Whether it asked for this match by its number.
    pub(super) is_by_number: bool,
}

impl Lobby {
    fn rules(&self) -> RuleSet {
        RuleSet::of(self.config.is_expert())
    }

    pub(super) fn is_full(&self) -> bool {
        self.free_seats() == 0
    }

    pub(super) fn free_seats(&self) -> usize {
        self.config.players() - self.clients.len()
    }

    pub(super) const fn bots_at(&self) -> Option<SimTime> {
        self.bots_at
    }

    /// Returns the players who may as well wait in another match: they asked for any, and this one was opened for such
    /// players.
    pub(super) fn movable(&self) -> impl Iterator<Item = &LobbyClient> {
        self.clients.iter().filter(|client| self.is_any && !client.is_by_number)
    }

    pub(super) fn connections(&self) -> Vec<ConnectionId> {
        self.clients.iter().map(|client| client.connection).collect()
    }

    fn players(&self) -> u8 {
        u8::try_from(self.config.players()).expect("there are at most four")
    }

    fn client(&mut self, id: ConnectionId) -> Option<&mut LobbyClient> {
        self.clients.iter_mut().find(|client| client.connection == id)
    }

    /// Returns the player with this nickname, whatever its case.
    pub(super) fn owner(&self, nickname: &Nickname) -> Option<&LobbyClient> {
        let has_it = |taken: &Nickname| taken.is_same(nickname);
        self.clients.iter().find(|client| client.nickname.as_ref().is_some_and(has_it))
    }

    pub(super) fn nicknames(&self) -> Vec<Nickname> {
        self.clients.iter().filter_map(|client| client.nickname.clone()).collect()
    }

    /// Returns the colours that one more player may choose: as many as there are teams, each for all players of a team.
    pub(super) fn free_towers(&self) -> Vec<TowerColor> {
        let teams = self.config.teams();
        let of_team = self.config.players() / teams;
        let taken =
            |color: &TowerColor| self.clients.iter().filter(|client| client.tower == Some(*color)).count();
        TowerColor::ALL.into_iter().take(teams).filter(|color| taken(color) < of_team).collect()
    }

    pub(super) fn free_wizards(&self) -> Vec<WizardFamily> {
        let is_taken = |family: &WizardFamily| {
            self.clients.iter().any(|client| client.wizard.is_some_and(|(taken, _)| taken == *family))
        };
        WizardFamily::ALL.into_iter().filter(|family| !is_taken(family)).collect()
    }

    /// Returns the players in the order of their seats, if all are there and have answered everything.
    /// The players of a team sit opposite each other; the first team is that of the player who came first.
    fn seats(&self) -> Option<Vec<(ConnectionId, Token, Profile)>> {
        let complete = self.clients.iter().map(|client| {
            let LobbyClient {
                connection,
                nickname: Some(nickname),
                tower: Some(tower),
                wizard: Some((wizard, token)),
                is_by_number: _,
            } = client
            else {
                return None;
            };
            Some((
                *connection,
                *token,
                Profile { nickname: nickname.clone(), tower: *tower, wizard: *wizard },
            ))
        });
        let clients = complete.collect::<Option<Vec<_>>>().filter(|_| self.is_full())?;
        if self.config.players() == self.config.teams() {
            return Some(clients);
        }
        let first = clients.first()?.2.tower;
        let (one, other): (Vec<_>, Vec<_>) =
            clients.into_iter().partition(|(_, _, profile)| profile.tower == first);
        Some(one.into_iter().zip(other).flat_map(|(one, other)| [one, other]).collect())
    }
}

impl Master {
    /// Returns the matches with a free place, the oldest first.
    pub fn open_matches(&self) -> impl Iterator<Item = OpenMatch> {
        self.lobbies.iter().filter(|(_, lobby)| !lobby.is_full()).map(|(number, lobby)| OpenMatch {
            number: *number,
            players: lobby.players(),
            rules: lobby.rules(),
            present: lobby.nicknames(),
            towers: lobby.free_towers(),
            wizards: lobby.free_wizards(),
        })
    }

    /// Returns the matches that wait for people who can come back with their nicknames alone, and these nicknames;
    /// those that end soonest first.
    pub fn waiting_matches(&self) -> impl Iterator<Item = (MatchId, Vec<Nickname>)> {
        let numbers = self.waiting.iter().filter(|_| self.settings.resume_by_nickname);
        numbers.filter_map(|(_, number)| {
            let mut missing = self.matches.get(number)?.missing();
            missing.retain(|nickname| !self.is_bot(nickname));
            (!missing.is_empty()).then_some((*number, missing))
        })
    }

    pub(super) fn match_options(&self) -> Notice {
        let open = self.lobbies.iter().filter(|(_, lobby)| !lobby.is_full()).map(|(id, lobby)| MatchOption {
            number: *id,
            players: lobby.players(),
            rules: lobby.rules(),
            nicknames: lobby.nicknames(),
        });
        let saved = self.matches.iter().filter(|(_, game)| game.waits_until().is_some());
        let saved = saved.map(|(id, game)| MatchOption {
            number: *id,
            players: u8::try_from(game.config().players()).expect("there are at most four"),
            rules: RuleSet::of(game.config().is_expert()),
            nicknames: game.missing(),
        });
        LoginMatchOptions {
            open: open.take(MOST_OFFERED).collect(),
            saved: saved.take(MOST_OFFERED).collect(),
        }
        .into()
    }

    pub(super) fn players_options(&self, saved: MatchId) -> Option<Notice> {
        let nicknames = self.matches.get(&saved)?.missing();
        Some(LoginPlayersOptions { nicknames }.into())
    }

    pub(super) fn tower_options(&self, lobby: MatchId) -> Option<Notice> {
        let colors = self.lobbies.get(&lobby)?.free_towers();
        Some(LoginTowerColorOptions { colors }.into())
    }

    pub(super) fn wizard_options(&self, lobby: MatchId) -> Option<Notice> {
        let families = self.lobbies.get(&lobby)?.free_wizards();
        Some(LoginWizardFamilyOptions { families }.into())
    }

    pub(super) fn any_match(&mut self, id: ConnectionId, LoginAnyMatch { players, rules }: LoginAnyMatch) {
        let fits = |lobby: &Lobby| {
            !lobby.is_full() && i64::from(lobby.players()) == players && lobby.rules() == rules
        };
        match self.lobbies.iter().find(|(_, lobby)| fits(lobby)).map(|(number, _)| *number) {
            Some(number) => self.enter(id, number, false),
            None => {
                self.new_match(id, players, rules);
                if let Some(Stage::Nickname(number)) = self.stage(id)
                    && let Some(lobby) = self.lobbies.get_mut(&number)
                {
                    lobby.is_any = true;
                }
            }
        }
    }

    pub(super) fn new_match(&mut self, id: ConnectionId, players: i64, rules: RuleSet) {
        let config = u8::try_from(players)
            .ok()
            .and_then(|players| Config::new(players, rules == RuleSet::Expert).ok());
        let Some(config) = config else {
            return self.refuse(id, &format!("{players} players: expected 2, 3 or 4"));
        };
        let origin = self.gate.state(id).map_or(Origin::Unknown, |connection| connection.origin);
        if !self.budgets.has(self.gate.now(), origin) {
            let most = self.settings.matches_per_hour;
            let error = format!("your address has begun {most} matches within an hour: try again later");
            return self.refuse(id, &error);
        }
        let most = self.settings.matches;
        if self.lobbies.len() + self.matches.len() >= most {
            let Some(oldest) = self.idle.oldest() else {
                let error = format!("the server has {most} matches, and can have no more: try again later");
                return self.refuse(id, &error);
            };
            self.end_lost(oldest);
        }
        let number = self.next_match;
        self.next_match += 1;
        if self.reserved < self.next_match {
            self.reserved = number + RESERVED;
            self.record(Record::Count(self.reserved));
        }
        self.lobbies
            .insert(number, Lobby { config, clients: Vec::new(), bots_at: None, origin, is_any: false });
        self.enter(id, number, false);
    }

    pub(super) fn join_match(&mut self, id: ConnectionId, number: i64) {
        let found = u64::try_from(number).ok().and_then(|number| Some((number, self.lobbies.get(&number)?)));
        match found {
            Some((number, lobby)) if !lobby.is_full() => self.enter(id, number, true),
            Some(_) => {
                self.refuse(id, &format!("match {number} has all its players: expected an open match"));
            }
            None => {
                self.refuse(id, &format!("match {number} is not open: expected the number of an open match"));
            }
        }
    }

    pub(super) fn resume_match(&mut self, id: ConnectionId, number: i64) {
        let given = u64::try_from(number).ok();
        if let Some(result) = given.and_then(|number| self.results.get(number)).cloned() {
            return self.tell_result(id, result);
        }
        let Some(number) = given.filter(|number| self.matches.contains_key(number)) else {
            return self
                .refuse(id, &format!("match {number} is not saved: expected the number of a saved match"));
        };
        self.set_stage(id, Stage::Saved(number));
        self.ask(id);
    }

    /// Reserves a place in a match that has one.
    fn enter(&mut self, id: ConnectionId, number: MatchId, is_by_number: bool) {
        let Some(lobby) = self.lobbies.get_mut(&number) else { return };
        lobby.clients.push(LobbyClient {
            connection: id,
            nickname: None,
            tower: None,
            wizard: None,
            is_by_number,
        });
        self.set_stage(id, Stage::Nickname(number));
        self.ask(id);
    }

    pub(super) fn nickname(&mut self, id: ConnectionId, number: MatchId, wanted: LoginNickname) {
        let LoginNickname { nickname, token } = wanted;
        if self.is_reserved(&nickname, token) {
            let error =
                format!("the nickname `{nickname}` is one of the server's own players: expected another one");
            return self.refuse(id, &error);
        }
        if let Some((former, reply)) = self.held_place(&nickname, token) {
            return self.take_over(id, number, former, reply);
        }
        let Some(lobby) = self.lobbies.get_mut(&number) else { return };
        if lobby.owner(&nickname).is_some() {
            let error = format!("the nickname `{nickname}` is taken in this match: expected another one");
            return self.refuse(id, &error);
        }
        if let Some(client) = lobby.client(id) {
            client.nickname = Some(nickname);
        }
        self.set_stage(id, Stage::Tower(number));
        self.ask(id);
        self.tell_lobby(number);
    }

    /// Returns the former connection of a player who waits in any match and shows its token, and the reply that it
    /// gets. Its own match may have no free place, because the server still holds that connection.
    fn held_place(&self, nickname: &Nickname, token: Option<Token>) -> Option<(ConnectionId, LoginReply)> {
        self.lobbies.iter().find_map(|(number, lobby)| {
            let owner = lobby.owner(nickname)?;
            let (_, own) = owner.wizard?;
            let nickname = owner.nickname.clone()?;
            let reply = LoginReply { number: *number, nickname, token };
            (token == Some(own)).then_some((owner.connection, reply))
        })
    }

    /// A player that waits in a match has come with another connection. The place that this one was given when it
    /// entered a match is free again.
    fn take_over(&mut self, id: ConnectionId, entered: MatchId, former: ConnectionId, reply: LoginReply) {
        let number = reply.number;
        self.remove_client(id, entered);
        if let Some(client) = self.lobbies.get_mut(&number).and_then(|lobby| lobby.client(former)) {
            client.connection = id;
        }
        self.replace(former);
        self.set_stage(id, Stage::Waiting(number));
        self.tell(id, &reply.into());
        if number != entered {
            self.tell_lobby(number);
        }
        self.place_is_free(entered);
    }

    pub(super) fn tower(&mut self, id: ConnectionId, number: MatchId, color: TowerColor) {
        let Some(lobby) = self.lobbies.get_mut(&number) else { return };
        let free = lobby.free_towers();
        if !free.contains(&color) {
            let free = or_list(free.into_iter().map(TowerColor::word));
            return self.refuse(id, &format!("{color} towers are not free: expected {free}"));
        }
        if let Some(client) = lobby.client(id) {
            client.tower = Some(color);
        }
        self.set_stage(id, Stage::Wizard(number));
        self.ask(id);
        self.tell_lobby(number);
    }

    pub(super) fn wizard(&mut self, id: ConnectionId, number: MatchId, family: WizardFamily) {
        let Some(lobby) = self.lobbies.get_mut(&number) else { return };
        let free = lobby.free_wizards();
        if !free.contains(&family) {
            let free = or_list(free.into_iter().map(WizardFamily::word));
            return self.refuse(id, &format!("the {family} is taken: expected {free}"));
        }
        let token = (self.draw_token)();
        let Some(client) = lobby.client(id) else { return };
        client.wizard = Some((family, token));
        let Some(nickname) = client.nickname.clone() else { return };
        if let Some(bots) = &self.settings.bots {
            lobby.bots_at.get_or_insert(self.gate.now() + bots.wait);
        }
        self.set_stage(id, Stage::Waiting(number));
        self.tell(id, &LoginReply { number, nickname, token: Some(token) }.into());
        self.tell_lobby(number);
        self.begin_if_complete(number);
    }

    /// Takes a client out of a match that has not begun.
    pub(super) fn leave_lobby(&mut self, id: ConnectionId, number: MatchId) {
        self.remove_client(id, number);
        self.place_is_free(number);
    }

    fn remove_client(&mut self, id: ConnectionId, number: MatchId) {
        if let Some(lobby) = self.lobbies.get_mut(&number) {
            lobby.clients.retain(|client| client.connection != id);
        }
    }

    /// A client is no longer among those of a match.
    fn place_is_free(&mut self, number: MatchId) {
        let Some(lobby) = self.lobbies.get_mut(&number) else { return };
        if lobby.clients.iter().all(|client| client.wizard.is_none()) {
            lobby.bots_at = None;
        }
        if lobby.clients.is_empty() {
            self.lobbies.remove(&number);
        } else {
            self.tell_lobby(number);
            self.dismiss_bots(number);
            self.gather(number);
        }
    }

    /// Sends the players that are there to all players who wait for a match. Clients whose login is not complete see
    /// the free choices in their questions.
    pub(super) fn tell_lobby(&mut self, number: MatchId) {
        let Some(lobby) = self.lobbies.get(&number) else { return };
        let present = lobby.clients.iter().filter_map(|client| {
            let (tower, wizard) = (client.tower, client.wizard.map(|(family, _)| family));
            Some(LobbyPlayer { nickname: client.nickname.clone()?, tower, wizard })
        });
        let notice: Notice = LobbyUpdate {
            number,
            players: lobby.players(),
            rules: lobby.rules(),
            present: present.collect(),
        }
        .into();
        let waiting = lobby.clients.iter().filter(|client| client.wizard.is_some());
        self.gate.tell_all(waiting.map(|client| client.connection), &notice);
    }

    pub(super) fn begin_if_complete(&mut self, number: MatchId) {
        let Some(seats) = self.lobbies.get(&number).and_then(Lobby::seats) else { return };
        let Some(lobby) = self.lobbies.remove(&number) else { return };
        let (config, seed) = (lobby.config, self.seed_of(number));
        self.record(Record::Match { id: number, seed, players: lobby.players(), rules: lobby.rules() });
        for (_, token, profile) in &seats {
            self.record(Record::Player(number, *token, profile.clone()));
        }
        let connections: Vec<ConnectionId> = seats.iter().map(|(connection, ..)| *connection).collect();
        let seats = seats.into_iter().map(|(connection, token, profile)| Seat {
            profile,
            token,
            connection: Some(connection),
        });
        let game =
            Match::new(State::new(&config, seed), seed, seats.collect(), lobby.origin, self.gate.now());
        self.budgets.spend(self.gate.now(), lobby.origin);
        let said = first_texts(&game);
        self.matches.insert(number, game);
        for (place, connection) in connections.into_iter().enumerate() {
            self.set_stage(connection, Stage::Playing(number, place));
        }
        self.tell_state_record(number);
        for text in said {
            self.tell_all(number, &GenericMessage { text }.into());
        }
        self.tell_table(number);
        self.ask_mover(number);
    }

    fn seed_of(&self, number: MatchId) -> Seed {
        self.settings.seed.child(number)
    }
}
