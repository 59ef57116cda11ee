//! The room of Dots & Boxes on the page of its server: people who play in the browser against players who wait.

use std::collections::BTreeMap;

use game_dots::{Config as Grid, Edge, State};
use game_env::replay::Player;
use game_env::{AgentId, Disruption, TeamId};
use viewer::matches::Opening;
use wire::dots::{Answer, LoginToken, Name, Notice, Request};

use super::master::{Ask, Master};
use super::record::Record;
use crate::server::page::{self, Change, Offer};

/// Number of names that are tried for a person whose name is taken.
const MOST_NAMES: u32 = 99;

/// The part of the page that is of this game.
#[derive(Clone, Copy, Debug)]
pub struct Room;

/// A person on the page, as a client.
#[derive(Debug)]
pub struct Client {
    /// The name that the person has asked for.
    wanted: String,
    /// Number of names that were tried.
    tried: u32,
    name: Option<Name>,
}

type Reaction = page::Reaction<Ask>;

/// Returns the one offer of the page. `bot` plays if nobody else waits.
pub fn offer(bot: Option<&str>) -> Offer {
    let text = match bot {
        Some(bot) => format!("Play against a player who waits, or {bot}"),
        None => "Play against a player who waits".to_owned(),
    };
    ("play".to_owned(), text, Vec::new())
}

impl Client {
    /// Asks for the next name that the person may have.
    fn log_in(&mut self) -> Reaction {
        self.tried += 1;
        match name(&self.wanted, self.tried).filter(|_| self.tried <= MOST_NAMES) {
            Some(name) => {
                self.name = Some(name.clone());
                ask(Request::Login { name, token: LoginToken::Absent })
            }
            None => Reaction::TurnAway("the server is full, or the name is taken".to_owned()),
        }
    }
}

impl page::Room for Room {
    type Master = Master;
    type Game = State;
    type Client = Client;

    const OVER: &'static str = "the game is over";
    const OVERTAKEN: &'static str = "another move came before the answer";

    fn enter(
        &mut self,
        name: String,
        _offer: &str,
        _choices: &BTreeMap<String, String>,
    ) -> Result<Client, String> {
        Ok(Client { wanted: name, tried: 0, name: None })
    }

    fn greet(&mut self, client: &mut Client) -> Vec<Reaction> {
        vec![client.log_in()]
    }

    fn play(&self, edge: Edge) -> Ask {
        Ask::Play(edge)
    }

    fn hear(&mut self, client: &mut Client, notice: Notice) -> Vec<Reaction> {
        match notice {
            Notice::Logged(Answer::Ok) => vec![ask(Request::Queue)],
            Notice::Logged(Answer::Error) => vec![client.log_in()],
            Notice::Queued(Answer::Error) => vec![Reaction::TurnAway(MANY_GAMES.to_owned())],
            Notice::DisconnectedInactivity => vec![Reaction::Closing(TOO_SLOW.to_owned())],
            // The name was that of a player who is lost: that game is not this person's.
            Notice::ResumeGame(_) => vec![Reaction::Reconnect, client.log_in()],
            Notice::DrawCoords(..) => vec![Reaction::Accept],
            Notice::InvalidCoords => vec![Reaction::Refuse("this line cannot be drawn now".to_owned())],
            // One game is what the person asked for; the page offers the next.
            Notice::Winner { .. } | Notice::OpponentLeftGame => vec![Reaction::Leave],
            _ => Vec::new(),
        }
    }

    fn farewell(&self) -> Vec<Ask> {
        vec![Ask::Request(Request::LeaveGame), Ask::Request(Request::LeaveQueue)]
    }

    fn change(&mut self, record: &Record) -> Option<Change<State>> {
        match record {
            Record::Game { id, seed, rows, columns, names } => {
                let player =
                    |(side, name): (AgentId, &Name)| Player::new(TeamId::of_lone_agent(side), name.as_str());
                let opening = Opening {
                    title: format!("Game {id}"),
                    config: Grid::new(*rows, *columns).ok()?,
                    seed: *seed,
                    players: AgentId::all(2).zip(names).map(player).collect(),
                    people: Vec::new(),
                };
                Some(Change::Opened(*id, opening))
            }
            Record::Move(id, edge) => Some(Change::Acted(*id, *edge)),
            Record::Left(id, side) => Some(Change::Disrupted(*id, Disruption::AgentLost(side.player()))),
            Record::Player(..) | Record::Gone(_) | Record::Count(_) => None,
        }
    }

    fn plays(client: &Client, _number: u64, name: &str) -> bool {
        client.name.as_ref().is_some_and(|own| own.as_str() == name)
    }
}

/// The reason why a person cannot play now.
const MANY_GAMES: &str = "your address has begun too many games within an hour: try again later";

/// The reason why a person has lost its bot. People on the page are not pinged and log in at once: there is no other.
const TOO_SLOW: &str = "you had the turn for long, and somebody else waited for an opponent";

fn ask(request: Request) -> Reaction {
    Reaction::Ask(Ask::Request(request))
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
    use crate::server::page::Room as _;

    #[test]
    fn people_read_why_they_cannot_play() {
        let mut client = Client { wanted: "Ada".to_owned(), tried: 1, name: None };
        let mut heard = |notice| Room.hear(&mut client, notice);
        assert_eq!(heard(Notice::Queued(Answer::Error)), [Reaction::TurnAway(MANY_GAMES.to_owned())]);
        assert_eq!(heard(Notice::DisconnectedInactivity), [Reaction::Closing(TOO_SLOW.to_owned())]);
        assert_eq!(heard(Notice::Queued(Answer::Ok)), []);
    }

    #[test]
    fn people_have_names_of_the_protocol() {
        let name = |wanted: &str, number| name(wanted, number).map(|name| name.to_string());
        assert_eq!(name("Ada Lovelace", 1).as_deref(), Some("AdaLovelace"));
        assert_eq!(name("a|b\u{202e}c", 1).as_deref(), Some("abc"));
        assert_eq!(name("||", 2).as_deref(), Some("guest-2"));
        assert_eq!(name(&"x".repeat(40), 12).map(|name| name.len()), Some(20));
    }
}
