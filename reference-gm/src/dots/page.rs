//! The page of the server: all games to watch, and people who play in the browser.
//!
//! The page shows the records of the journal: a game is there once it is written down. A person on the page is a
//! client like others, with lines of text and an entry in the queue; only its bytes stay in this process.

use std::collections::BTreeMap;
use std::io;

use game_dots::{Config as Grid, State};
use game_env::replay::Player;
use game_env::{AgentId, Disruption, Environment as _, SimTime, TeamId, Turn, Witness as _};
use tokio::sync::mpsc::Receiver;
use viewer::matches::{Answer as Told, LiveMatch, Matches, Opening, PersonId, Request};
use viewer::server::{Place, ServerLimits, ViewerServer};
use wire::dots::line::{Decoder, Framing, NOTICE_LIMIT, write};
use wire::dots::{Answer, LoginToken, Name, Notice, Request as Asked};

use super::master::Master;
use super::record::{GameId, Record};
use crate::server::{ClientAction, ConnectionId};

/// Number of names that are tried for a person whose name is taken.
const MOST_NAMES: u32 = 99;

/// The name of the one offer.
const OFFER: &str = "play";

/// The page.
#[derive(Debug)]
pub struct Page {
    server: ViewerServer,
    matches: Matches<State>,
    requests: Receiver<Request<State>>,
    games: BTreeMap<GameId, Shown>,
    clients: BTreeMap<ConnectionId, LocalClient>,
}

/// A game on the page.
#[derive(Debug)]
struct Shown {
    state: State,
    live: LiveMatch<State>,
}

/// A person on the page, as a client.
#[derive(Debug)]
struct LocalClient {
    person: PersonId,
    /// The name that the person has asked for.
    wanted: String,
    /// Number of names that were tried.
    tried: u32,
    name: Option<Name>,
    decoder: Decoder,
    /// A move that is not answered yet.
    asked: Option<Told>,
}

impl Page {
    /// Serves the page at this place. `bot` plays if nobody else waits.
    ///
    /// # Errors
    ///
    /// If the system has no thread, no socket or no random bits left.
    pub fn start(place: Place, bot: Option<&str>) -> io::Result<Self> {
        let (server, matches, requests) = ViewerServer::matches(place, ServerLimits::default())?;
        let text = match bot {
            Some(bot) => format!("Play against a player who waits, or {bot}"),
            None => "Play against a player who waits".to_owned(),
        };
        matches.offer(OFFER, &text);
        Ok(Self { server, matches, requests, games: BTreeMap::new(), clients: BTreeMap::new() })
    }

    /// The page's address.
    pub fn url(&self) -> &str {
        self.server.url()
    }

    fn end_if_over(&mut self, id: GameId) {
        let is_over = |shown: &Shown| matches!(shown.state.turn(), Turn::Over(_));
        if self.games.get(&id).is_some_and(is_over)
            && let Some(Shown { state, mut live }) = self.games.remove(&id)
        {
            live.end(&state, SimTime::START);
        }
    }

    /// Asks for the next name that the person may have.
    fn log_in(&mut self, id: ConnectionId) -> Vec<(ConnectionId, ClientAction)> {
        let Some(client) = self.clients.get_mut(&id) else { return Vec::new() };
        client.tried += 1;
        let name = name(&client.wanted, client.tried);
        match name.filter(|_| client.tried <= MOST_NAMES) {
            Some(name) => {
                client.name = Some(name.clone());
                vec![(id, said(&Asked::Login { name, token: LoginToken::Absent }))]
            }
            None => {
                self.matches.refuse(client.person, "the server is full, or the name is taken");
                self.leave(id)
            }
        }
    }

    /// A person's client leaves whatever it is in.
    fn leave(&mut self, id: ConnectionId) -> Vec<(ConnectionId, ClientAction)> {
        self.clients.remove(&id);
        vec![(id, said(&Asked::LeaveGame)), (id, said(&Asked::LeaveQueue)), (id, ClientAction::Ended)]
    }
}

impl crate::server::Page<Master> for Page {
    type Request = Request<State>;

    async fn next(&mut self) -> Option<Self::Request> {
        self.requests.recv().await
    }

    fn ask(&mut self, request: Self::Request, next: ConnectionId) -> Vec<(ConnectionId, ClientAction)> {
        match request {
            Request::Join { person, name, .. } => {
                let client = LocalClient {
                    person,
                    wanted: name,
                    tried: 0,
                    name: None,
                    decoder: Decoder::new(NOTICE_LIMIT),
                    asked: None,
                };
                self.clients.insert(next, client);
                let mut said = vec![(next, ClientAction::Connected)];
                said.extend(self.log_in(next));
                said
            }
            Request::Action { person, action, answer, .. } => {
                let Some((id, client)) = self.clients.iter_mut().find(|(_, client)| client.person == person)
                else {
                    answer.refuse("the game is over");
                    return Vec::new();
                };
                let (one, other) = action.dots();
                if let Some(earlier) = client.asked.replace(answer) {
                    earlier.refuse("another move came before the answer");
                }
                vec![(*id, said(&Asked::LineCoords(one.into(), other.into())))]
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
            Record::Game { id, seed, rows, columns, names } => {
                let Ok(config) = Grid::new(*rows, *columns) else { return };
                let sides = || AgentId::all(2).zip(names);
                let player =
                    |(side, name): (AgentId, &Name)| Player::new(TeamId::of_lone_agent(side), name.as_str());
                let person = |(side, name): (AgentId, &Name)| {
                    let client = self.clients.values().find(|client| client.name.as_ref() == Some(name))?;
                    Some((side, client.person))
                };
                let opening = Opening {
                    title: format!("Game {id}"),
                    config,
                    seed: *seed,
                    players: sides().map(player).collect(),
                    people: sides().filter_map(person).collect(),
                };
                let live = self.matches.open(opening);
                self.games.insert(*id, Shown { state: State::new(&config, *seed), live });
            }
            Record::Move(id, edge) => {
                let Some(Shown { state, live }) = self.games.get_mut(id) else { return };
                let mover = state.mover();
                live.action(state, now, mover, edge);
                state.step(now, mover, *edge, &mut ());
                self.end_if_over(*id);
            }
            Record::Left(id, side) => {
                let Some(Shown { state, live }) = self.games.get_mut(id) else { return };
                let lost = Disruption::AgentLost(side.player());
                live.disruption(state, now, lost);
                state.disrupt(now, lost, &mut ());
                self.end_if_over(*id);
            }
            Record::Player(..) | Record::Gone(_) | Record::Count(_) => {}
        }
    }

    fn hear(&mut self, id: ConnectionId, mut bytes: &[u8]) -> Vec<(ConnectionId, ClientAction)> {
        let mut all = Vec::new();
        loop {
            let Some(client) = self.clients.get_mut(&id) else { return all };
            let Some(line) = client.decoder.next(&mut bytes) else { return all };
            let Some(notice) = line.ok().and_then(|line| line.parse::<Notice>().ok()) else { continue };
            match notice {
                Notice::Ping => all.push((id, said(&Asked::Pong))),
                Notice::Logged(Answer::Ok) => all.push((id, said(&Asked::Queue))),
                Notice::Logged(Answer::Error) => all.extend(self.log_in(id)),
                // The name was that of a player who is lost: that game is not this person's.
                Notice::ResumeGame(_) => {
                    all.push((id, ClientAction::Ended));
                    all.push((id, ClientAction::Connected));
                    all.extend(self.log_in(id));
                }
                Notice::DrawCoords(..) => {
                    if let Some(answer) = client.asked.take() {
                        answer.accept();
                    }
                }
                Notice::InvalidCoords => {
                    if let Some(answer) = client.asked.take() {
                        answer.refuse("this line cannot be drawn now");
                    }
                }
                // One game is what the person asked for; the page offers the next.
                Notice::Winner { .. } | Notice::OpponentLeftGame => all.extend(self.leave(id)),
                _ => {}
            }
        }
    }

    fn closed(&mut self, id: ConnectionId) {
        if let Some(client) = self.clients.remove(&id) {
            self.matches.refuse(client.person, "the server has closed the connection");
        }
    }

    fn close(self) {
        self.server.close("the server has ended");
    }
}

fn said(request: &Asked) -> ClientAction {
    let mut bytes = Vec::new();
    write(request, Framing::Lines, &mut bytes);
    ClientAction::Bytes(bytes)
}

/// Returns the `number`-th name for a person who has asked for this one.
fn name(wanted: &str, number: u32) -> Option<Name> {
    let ending = if number == 1 { String::new() } else { format!("-{number}") };
    let is_fine = |letter: &char| format!("x{letter}").parse::<Name>().is_ok();
    let room = Name::LONGEST - ending.len();
    let kept: String = wanted.chars().filter(|letter| *letter != ' ').filter(is_fine).take(room).collect();
    let kept = if kept.is_empty() { "guest".to_owned() } else { kept };
    format!("{kept}{ending}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_have_names_of_the_protocol() {
        let name = |wanted: &str, number| name(wanted, number).map(|name| name.to_string());
        assert_eq!(name("Ada Lovelace", 1).as_deref(), Some("AdaLovelace"));
        assert_eq!(name("a|b\u{202e}c", 1).as_deref(), Some("abc"));
        assert_eq!(name("||", 2).as_deref(), Some("guest-2"));
        assert_eq!(name(&"x".repeat(40), 12).map(|name| name.len()), Some(20));
    }
}
