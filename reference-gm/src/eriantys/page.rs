//! The page of the server: all matches to watch, and people who play in the browser.
//!
//! The page shows the records of the journal: a match is there once it is written down. A person on the page is a
//! client like others, with messages and a place in a lobby; only its bytes stay in this process.

use std::collections::BTreeMap;
use std::io;

use game_env::replay::Player;
use game_env::{AgentId, Disruption, Environment as _, SimTime, TeamId, Termination, Turn, Witness as _};
use game_eriantys::{Action, Config, Play, State};
use tokio::sync::mpsc::Receiver;
use viewer::matches::{Answer as Told, Choice, LiveMatch, Matches, Opening, PersonId, Request};
use viewer::server::{Place, ServerLimits, ViewerServer};
use wire::eriantys::convert::{parameters, request_of};
use wire::eriantys::notice::{LobbyUpdate, MatchPaused};
use wire::eriantys::request::{
    DeclineCharacterCard, LoginJoinMatch, LoginNewMatch, LoginNickname, LoginResumeMatch, LoginTowerColor,
    LoginWizardFamily, Pong,
};
use wire::eriantys::words::{RuleSet, TowerColor, WizardFamily};
use wire::eriantys::{Decoder, Message as _, NOTICE_LIMIT, Nickname, Notice, Profile, Request as Asked};

use super::master::{Master, OpenMatch};
use super::record::{MatchId, Record};
use crate::server::{ClientAction, ConnectionId};

/// The most open matches that are offered, and the most that wait for a player.
const MOST_OFFERED: usize = 20;

/// The page.
#[derive(Debug)]
pub struct Page {
    server: ViewerServer,
    matches: Matches<State>,
    requests: Receiver<Request<State>>,
    /// The offers, by name.
    offers: BTreeMap<String, (String, Vec<Choice>)>,
    /// Matches whose players are not all written down yet.
    beginning: BTreeMap<MatchId, Beginning>,
    games: BTreeMap<MatchId, Shown>,
    clients: BTreeMap<ConnectionId, LocalClient>,
}

#[derive(Debug)]
struct Beginning {
    opening: Opening<State>,
    profiles: Vec<Profile>,
}

/// A match on the page.
#[derive(Debug)]
struct Shown {
    state: State,
    nicknames: Vec<Nickname>,
    live: LiveMatch<State>,
}

/// A person on the page, as a client.
#[derive(Debug)]
struct LocalClient {
    person: PersonId,
    nickname: Nickname,
    request: MatchRequest,
    decoder: Decoder<Notice>,
    /// Its match, once it has logged in.
    number: Option<MatchId>,
    /// An action that is not answered yet.
    asked: Option<Told>,
    /// The character that it plays, while the server asks for its parameters.
    play: Option<Play>,
    /// The reason for which the server closes the connection.
    reason: String,
}

/// The way into a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MatchRequest {
    New { players: i64, rules: RuleSet, tower: TowerColor, wizard: WizardFamily },
    Join { number: i64, tower: TowerColor, wizard: WizardFamily },
    Resume { number: i64 },
}

impl Page {
    /// Serves the page at this place. `bots` says which strategy takes how many free seats.
    ///
    /// # Errors
    ///
    /// If the system has no thread, no socket or no random bits left.
    pub fn start(place: Place, bots: Option<(&str, usize)>) -> io::Result<Self> {
        let (server, matches, requests) = ViewerServer::matches(place, ServerLimits::default())?;
        let text = match bots {
            Some((bot, 1)) => format!("Open a match: {bot} takes the last free seat"),
            Some((bot, most)) => format!("Open a match: {bot} takes up to {most} free seats"),
            None => "Open a match".to_owned(),
        };
        let rules = words(&RuleSet::ALL, RuleSet::word);
        let towers = words(&TowerColor::ALL, TowerColor::word);
        let choices = vec![
            choice("players", "Players", ["2", "3", "4"].map(str::to_owned).to_vec()),
            choice("rules", "Rules", rules),
            choice("tower", "Towers (grey with 3 players only)", towers),
            choice("wizard", "Wizard", words(&WizardFamily::ALL, WizardFamily::word)),
        ];
        matches.offer_with("new", &text, choices);
        Ok(Self {
            server,
            matches,
            requests,
            offers: BTreeMap::new(),
            beginning: BTreeMap::new(),
            games: BTreeMap::new(),
            clients: BTreeMap::new(),
        })
    }

    /// The page's address.
    pub fn url(&self) -> &str {
        self.server.url()
    }

    fn open(&mut self, number: MatchId, Beginning { mut opening, profiles }: Beginning) {
        let config = opening.config;
        for (place, profile) in profiles.iter().enumerate() {
            let team = u8::try_from(config.team(place)).expect("there are at most three teams");
            opening.players.push(Player::new(TeamId::new(team), profile.nickname.as_str()));
            let is_here =
                |client: &&LocalClient| client.number == Some(number) && client.nickname == profile.nickname;
            if let Some(client) = self.clients.values().find(is_here) {
                opening.people.push((AgentId::from_index(place), client.person));
                self.matches.note(client.person, "");
            }
        }
        let state = State::new(&config, opening.seed);
        let nicknames = profiles.into_iter().map(|profile| profile.nickname).collect();
        self.games.insert(number, Shown { state, nicknames, live: self.matches.open(opening) });
    }

    fn end_if_over(&mut self, number: MatchId) {
        let is_over = |shown: &Shown| matches!(shown.state.turn(), Turn::Over(_));
        if self.games.get(&number).is_some_and(is_over)
            && let Some(Shown { state, mut live, .. }) = self.games.remove(&number)
        {
            live.end(&state, SimTime::START);
        }
    }

    /// A person's client leaves whatever it is in.
    fn leave(&mut self, id: ConnectionId) -> Vec<(ConnectionId, ClientAction)> {
        self.clients.remove(&id);
        vec![(id, ClientAction::Ended)]
    }

    /// A person's client answers this.
    fn answer(&mut self, id: ConnectionId, notice: Notice) -> Vec<(ConnectionId, ClientAction)> {
        let Some(client) = self.clients.get_mut(&id) else { return Vec::new() };
        let answer: Asked = match notice {
            Notice::Ping(_) => Pong {}.into(),
            Notice::LoginMatchOptions(_) => match client.request {
                MatchRequest::New { players, rules, .. } => LoginNewMatch { players, rules }.into(),
                MatchRequest::Join { number, .. } => LoginJoinMatch { number }.into(),
                MatchRequest::Resume { number } => LoginResumeMatch { number }.into(),
            },
            Notice::RequestNickname(_) | Notice::LoginPlayersOptions(_) => {
                LoginNickname { nickname: client.nickname.clone(), token: None }.into()
            }
            Notice::LoginTowerColorOptions(_) => match client.request {
                MatchRequest::New { tower, .. } | MatchRequest::Join { tower, .. } => {
                    LoginTowerColor { color: tower }.into()
                }
                MatchRequest::Resume { .. } => return Vec::new(),
            },
            Notice::LoginWizardFamilyOptions(_) => match client.request {
                MatchRequest::New { wizard, .. } | MatchRequest::Join { wizard, .. } => {
                    LoginWizardFamily { family: wizard }.into()
                }
                MatchRequest::Resume { .. } => return Vec::new(),
            },
            Notice::RequestColor(_) | Notice::RequestIsland(_) | Notice::RequestPieceColorList(_) => {
                match client.play.and_then(|play| parameters(play, &notice)) {
                    Some(parameters) => parameters.into(),
                    None => DeclineCharacterCard {}.into(),
                }
            }
            Notice::LoginReply(reply) => {
                client.number = Some(reply.number);
                if let Some(Shown { nicknames, live, .. }) = self.games.get(&reply.number)
                    && let Some(place) = nicknames.iter().position(|nickname| *nickname == client.nickname)
                {
                    // The server says so when it goes on.
                    self.matches.note(client.person, "the match goes on when all players are there");
                    live.seat(AgentId::from_index(place), client.person);
                }
                return Vec::new();
            }
            Notice::ErrorMessage(error) if client.number.is_none() => {
                self.matches.refuse(client.person, &error.error);
                return self.leave(id);
            }
            Notice::ErrorMessage(error) => {
                client.play = None;
                if let Some(answer) = client.asked.take() {
                    answer.refuse(error.error);
                }
                return Vec::new();
            }
            Notice::PlayerAction(done) => {
                if done.nickname == client.nickname
                    && let Some(answer) = client.asked.take()
                {
                    answer.accept();
                }
                return Vec::new();
            }
            Notice::LobbyUpdate(LobbyUpdate { number, players, present, .. }) => {
                let text =
                    format!("you wait in match {number}: {} of {players} players are there", present.len());
                self.matches.note(client.person, &text);
                return Vec::new();
            }
            Notice::MatchPaused(MatchPaused { missing, wait_ms }) => {
                let missing: Vec<&str> = missing.iter().map(Nickname::as_str).collect();
                let seconds = wait_ms.div_ceil(1000);
                let text = format!("the match waits for {}, {seconds} s at most", missing.join(" and "));
                self.matches.note(client.person, &text);
                return Vec::new();
            }
            Notice::MatchResumed(_) => {
                self.matches.note(client.person, "");
                return Vec::new();
            }
            // The server closes the connection, and the page has the end.
            Notice::EndMatchMessage(_) => {
                self.matches.note(client.person, "");
                self.clients.remove(&id);
                return Vec::new();
            }
            Notice::ConnectionClosed(closed) => {
                client.reason = closed.reason;
                return Vec::new();
            }
            Notice::GenericMessage(_)
            | Notice::TableUpdate(_)
            | Notice::PlayableHelperCard(_)
            | Notice::RequestStudent(_)
            | Notice::RequestMotherNatureStep(_)
            | Notice::RequestCloud(_) => return Vec::new(),
        };
        vec![(id, said(&answer))]
    }
}

impl crate::server::Page<Master> for Page {
    type Request = Request<State>;

    async fn next(&mut self) -> Option<Self::Request> {
        self.requests.recv().await
    }

    fn ask(&mut self, request: Self::Request, next: ConnectionId) -> Vec<(ConnectionId, ClientAction)> {
        match request {
            Request::Join { person, name, offer, choices } => {
                let nickname = match name.parse::<Nickname>() {
                    Ok(nickname) => nickname,
                    Err(error) => {
                        self.matches.refuse(person, &error.to_string());
                        return Vec::new();
                    }
                };
                let Some(request) = match_request(&offer, &choices) else {
                    self.matches.refuse(person, "this is not offered any more");
                    return Vec::new();
                };
                let client = LocalClient {
                    person,
                    nickname,
                    request,
                    decoder: Decoder::new(NOTICE_LIMIT),
                    number: None,
                    asked: None,
                    play: None,
                    reason: String::new(),
                };
                self.clients.insert(next, client);
                vec![(next, ClientAction::Connected)]
            }
            Request::Action { person, action, answer, .. } => {
                let Some((id, client)) = self.clients.iter_mut().find(|(_, client)| client.person == person)
                else {
                    answer.refuse("the match is over");
                    return Vec::new();
                };
                if let Some(earlier) = client.asked.replace(answer) {
                    earlier.refuse("another choice came before the answer");
                }
                client.play = match action {
                    Action::Character(play) => Some(play),
                    _ => None,
                };
                vec![(*id, said(&request_of(action)))]
            }
            Request::Leave { person, .. } => {
                let id = self.clients.iter().find(|(_, client)| client.person == person).map(|(id, _)| *id);
                id.map(|id| self.leave(id)).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    fn has(&self, id: ConnectionId) -> bool {
        self.clients.contains_key(&id)
    }

    fn show(&mut self, record: &Record) {
        let now = SimTime::START;
        match record {
            Record::Match { id, seed, players, rules } => {
                let Ok(config) = Config::new(*players, *rules == RuleSet::Expert) else { return };
                let opening = Opening {
                    title: format!("Match {id}"),
                    config,
                    seed: *seed,
                    players: Vec::new(),
                    people: Vec::new(),
                };
                self.beginning.insert(*id, Beginning { opening, profiles: Vec::new() });
            }
            Record::Player(id, _, profile) => {
                let Some(beginning) = self.beginning.get_mut(id) else { return };
                beginning.profiles.push(profile.clone());
                if beginning.profiles.len() == beginning.opening.config.players()
                    && let Some(beginning) = self.beginning.remove(id)
                {
                    self.open(*id, beginning);
                }
            }
            Record::Action(id, action) => {
                let Some(Shown { state, live, .. }) = self.games.get_mut(id) else { return };
                let Turn::Act { agent, .. } = state.turn() else { return };
                live.action(state, now, agent, action);
                state.step(now, agent, *action, &mut ());
                self.end_if_over(*id);
            }
            Record::Lost(id) => {
                let Some(Shown { state, live, .. }) = self.games.get_mut(id) else { return };
                let lost = Disruption::Ended(Termination::AgentLost);
                live.disruption(state, now, lost);
                state.disrupt(now, lost, &mut ());
                self.end_if_over(*id);
            }
            Record::State(..) | Record::Result(..) | Record::Count(_) => {}
        }
    }

    fn look(&mut self, master: &Master) {
        let open = master.open_matches().take(MOST_OFFERED).map(|open| offer(&open));
        let waiting = master.waiting_matches().take(MOST_OFFERED).map(|(number, missing)| {
            let missing: Vec<&str> = missing.iter().map(Nickname::as_str).collect();
            let text = format!("Go on with match {number}, under the name {}", missing.join(" or "));
            (format!("resume {number}"), (text, Vec::new()))
        });
        let offers: BTreeMap<_, _> = open.chain(waiting).collect();
        if offers == self.offers {
            return;
        }
        for name in self.offers.keys().filter(|name| !offers.contains_key(*name)) {
            self.matches.withdraw(name);
        }
        for (name, offer) in offers.iter().filter(|(name, offer)| self.offers.get(*name) != Some(*offer)) {
            self.matches.offer_with(name, &offer.0, offer.1.clone());
        }
        self.offers = offers;
    }

    fn hear(&mut self, id: ConnectionId, mut bytes: &[u8]) -> Vec<(ConnectionId, ClientAction)> {
        let mut all = Vec::new();
        loop {
            let Some(client) = self.clients.get_mut(&id) else { return all };
            let Some(notice) = client.decoder.next(&mut bytes) else { return all };
            // The server is this process: it writes no other lines.
            if let Ok(notice) = notice {
                all.extend(self.answer(id, notice));
            }
        }
    }

    fn closed(&mut self, id: ConnectionId) {
        if let Some(client) = self.clients.remove(&id) {
            self.matches.refuse(client.person, &client.reason);
        }
    }

    fn close(self) {
        self.server.close("the server has ended");
    }
}

/// The offer to join a match, with its name.
fn offer(open: &OpenMatch) -> (String, (String, Vec<Choice>)) {
    let present: Vec<&str> = open.present.iter().map(Nickname::as_str).collect();
    let who = if present.is_empty() { "nobody yet".to_owned() } else { present.join(" and ") };
    let OpenMatch { number, players, rules, .. } = open;
    let text = format!("Join match {number} of {who}: {players} players, {rules} rules");
    let choices = vec![
        choice("tower", "Towers", words(&open.towers, TowerColor::word)),
        choice("wizard", "Wizard", words(&open.wizards, WizardFamily::word)),
    ];
    (format!("join {number}"), (text, choices))
}

fn choice(name: &str, text: &str, options: Vec<String>) -> Choice {
    Choice { name: name.to_owned(), text: text.to_owned(), options }
}

fn words<T: Copy>(all: &[T], word: impl Fn(T) -> &'static str) -> Vec<String> {
    all.iter().map(|value| word(*value).to_owned()).collect()
}

/// The value that a person has chosen under this name.
fn chosen<T: Copy>(
    all: &[T],
    word: impl Fn(T) -> &'static str,
    name: &str,
    choices: &BTreeMap<String, String>,
) -> Option<T> {
    let chosen = choices.get(name)?;
    all.iter().copied().find(|value| word(*value) == chosen)
}

/// Returns the request of a person who takes this offer.
fn match_request(offer: &str, choices: &BTreeMap<String, String>) -> Option<MatchRequest> {
    let (kind, number) = offer.split_once(' ').unwrap_or((offer, ""));
    if kind == "resume" {
        return Some(MatchRequest::Resume { number: number.parse().ok()? });
    }
    let tower = chosen(&TowerColor::ALL, TowerColor::word, "tower", choices)?;
    let wizard = chosen(&WizardFamily::ALL, WizardFamily::word, "wizard", choices)?;
    if kind == "join" {
        return Some(MatchRequest::Join { number: number.parse().ok()?, tower, wizard });
    }
    let rules = chosen(&RuleSet::ALL, RuleSet::word, "rules", choices)?;
    Some(MatchRequest::New { players: choices.get("players")?.parse().ok()?, rules, tower, wizard })
}

fn said(request: &Asked) -> ClientAction {
    let mut bytes = Vec::new();
    request.write(&mut bytes);
    ClientAction::Bytes(bytes)
}
