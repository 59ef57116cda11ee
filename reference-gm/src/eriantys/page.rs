//! The room of Eriantys on the page of its server: people who open, join and resume matches in the browser.

use std::collections::BTreeMap;

use game_env::replay::Player;
use game_env::text::or_list;
use game_env::{Disruption, TeamId, Termination};
use game_eriantys::{Action, Config, State};
use viewer::matches::{Choice, Opening};
use wire::eriantys::notice::{LobbyUpdate, MatchPaused};
use wire::eriantys::request::{
    LoginJoinMatch, LoginNewMatch, LoginNickname, LoginResumeMatch, LoginTowerColor, LoginWizardFamily,
};
use wire::eriantys::words::{RuleSet, TowerColor, WizardFamily};
use wire::eriantys::{Nickname, Notice, Request};

use super::master::{Ask, Master, OpenMatch};
use super::record::{MatchId, Record};
use crate::server::page::{self, Change, Offer};

/// The most open matches that are offered, and the most that wait for a player.
const MOST_OFFERED: usize = 20;

/// The part of the page that is of this game.
#[derive(Debug, Default)]
pub struct Room {
    /// Matches whose players are not all written down yet.
    beginning: BTreeMap<MatchId, Opening<State>>,
}

/// A person on the page, as a client.
#[derive(Debug)]
pub struct Client {
    nickname: Nickname,
    request: MatchRequest,
    /// Its match, once it has logged in.
    number: Option<MatchId>,
}

/// The way into a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MatchRequest {
    New { players: i64, rules: RuleSet, tower: TowerColor, wizard: WizardFamily },
    Join { number: i64, tower: TowerColor, wizard: WizardFamily },
    Resume { number: i64 },
}

type Reaction = page::Reaction<Ask>;

/// Returns the offer to open a match, which stays. `bots` says which strategy takes how many free seats.
pub fn offer(bots: Option<(&str, usize)>) -> Offer {
    let text = match bots {
        Some((bot, 1)) => format!("Open a match: {bot} takes the last free seat"),
        Some((bot, most)) => format!("Open a match: {bot} takes up to {most} free seats"),
        None => "Open a match".to_owned(),
    };
    let choices = vec![
        choice("players", "Players", ["2", "3", "4"].map(str::to_owned).to_vec()),
        choice("rules", "Rules", words(&RuleSet::ALL, RuleSet::word)),
        choice("tower", "Towers (grey with 3 players only)", words(&TowerColor::ALL, TowerColor::word)),
        choice("wizard", "Wizard", words(&WizardFamily::ALL, WizardFamily::word)),
    ];
    ("new".to_owned(), text, choices)
}

impl page::Room for Room {
    type Master = Master;
    type Game = State;
    type Client = Client;

    const OVER: &'static str = "the match is over";
    const OVERTAKEN: &'static str = "another choice came before the answer";

    fn enter(
        &mut self,
        name: String,
        offer: &str,
        choices: &BTreeMap<String, String>,
    ) -> Result<Client, String> {
        let nickname = name.parse::<Nickname>().map_err(|error| error.to_string())?;
        let request = match_request(offer, choices).ok_or("this is not offered any more")?;
        Ok(Client { nickname, request, number: None })
    }

    fn play(&self, action: Action) -> Ask {
        Ask::Play(action)
    }

    fn hear(&mut self, client: &mut Client, notice: Notice) -> Vec<Reaction> {
        match notice {
            Notice::LoginMatchOptions(_) => vec![match client.request {
                MatchRequest::New { players, rules, .. } => ask(LoginNewMatch { players, rules }),
                MatchRequest::Join { number, .. } => ask(LoginJoinMatch { number }),
                MatchRequest::Resume { number } => ask(LoginResumeMatch { number }),
            }],
            Notice::RequestNickname(_) | Notice::LoginPlayersOptions(_) => {
                vec![ask(LoginNickname { nickname: client.nickname.clone(), token: None })]
            }
            Notice::LoginTowerColorOptions(_) => match client.request {
                MatchRequest::New { tower, .. } | MatchRequest::Join { tower, .. } => {
                    vec![ask(LoginTowerColor { color: tower })]
                }
                MatchRequest::Resume { .. } => Vec::new(),
            },
            Notice::LoginWizardFamilyOptions(_) => match client.request {
                MatchRequest::New { wizard, .. } | MatchRequest::Join { wizard, .. } => {
                    vec![ask(LoginWizardFamily { family: wizard })]
                }
                MatchRequest::Resume { .. } => Vec::new(),
            },
            Notice::LoginReply(reply) => {
                // A player that comes back is called as it called itself first, e.g. with a capital.
                client.nickname = reply.nickname;
                client.number = Some(reply.number);
                // The server says so when it goes on.
                let note = "the match goes on when all players are there".to_owned();
                vec![Reaction::Seat(reply.number, client.nickname.to_string(), note)]
            }
            Notice::ErrorMessage(error) if client.number.is_none() => vec![Reaction::TurnAway(error.error)],
            Notice::ErrorMessage(error) => vec![Reaction::Refuse(error.error)],
            Notice::PlayerAction(done) if done.nickname == client.nickname => vec![Reaction::Accept],
            Notice::LobbyUpdate(LobbyUpdate { number, players, present, .. }) => {
                let present = present.len();
                vec![Reaction::Note(format!(
                    "you wait in match {number}: {present} of {players} players are there"
                ))]
            }
            Notice::MatchPaused(MatchPaused { missing, wait_ms }) => {
                let missing: Vec<&str> = missing.iter().map(Nickname::as_str).collect();
                let (missing, seconds) = (missing.join(" and "), wait_ms.div_ceil(1000));
                vec![Reaction::Note(format!("the match waits for {missing}, {seconds} s at most"))]
            }
            Notice::MatchResumed(_) => vec![Reaction::Note(String::new())],
            // The server closes the connection, and the page has the end.
            Notice::EndMatchMessage(_) => vec![Reaction::Note(String::new()), Reaction::Forget],
            Notice::ConnectionClosed(closed) => vec![Reaction::Closing(closed.reason)],
            // The page shows the match, and the options of the person.
            Notice::PlayerAction(_)
            | Notice::Ping(_)
            | Notice::GenericMessage(_)
            | Notice::TableUpdate(_)
            | Notice::PlayableHelperCard(_)
            | Notice::RequestStudent(_)
            | Notice::RequestMotherNatureStep(_)
            | Notice::RequestCloud(_)
            | Notice::RequestColor(_)
            | Notice::RequestIsland(_)
            | Notice::RequestPieceColorList(_) => Vec::new(),
        }
    }

    fn change(&mut self, record: &Record) -> Option<Change<State>> {
        match record {
            Record::Match { id, seed, players, rules } => {
                let opening = Opening {
                    title: format!("Match {id}"),
                    config: Config::new(*players, *rules == RuleSet::Expert).ok()?,
                    seed: *seed,
                    players: Vec::new(),
                    people: Vec::new(),
                };
                self.beginning.insert(*id, opening);
                None
            }
            Record::Player(id, _, profile) => {
                let opening = self.beginning.get_mut(id)?;
                let team = opening.config.team(opening.players.len());
                let team = TeamId::new(u8::try_from(team).expect("there are at most three teams"));
                opening.players.push(Player::new(team, profile.nickname.as_str()));
                let is_complete = opening.players.len() == opening.config.players();
                let opening = if is_complete { self.beginning.remove(id) } else { None };
                opening.map(|opening| Change::Opened(*id, opening))
            }
            Record::Action(id, action) => Some(Change::Acted(*id, *action)),
            Record::Lost(id) => Some(Change::Disrupted(*id, Disruption::Ended(Termination::AgentLost))),
            Record::State(..) | Record::Result(..) | Record::Count(_) => None,
        }
    }

    fn plays(client: &Client, number: u64, name: &str) -> bool {
        client.number == Some(number) && client.nickname.as_str() == name
    }

    fn offers(&self, master: &Master) -> Vec<Offer> {
        let open = master.open_matches().take(MOST_OFFERED).map(|open| join_offer(&open));
        let waiting = master.waiting_matches().take(MOST_OFFERED).map(|(number, missing)| {
            let missing = or_list(missing.iter().map(Nickname::as_str));
            let text = format!("Go on with match {number}, under the name {missing}");
            (format!("resume {number}"), text, Vec::new())
        });
        open.chain(waiting).collect()
    }
}

fn ask(request: impl Into<Request>) -> Reaction {
    Reaction::Ask(Ask::Request(request.into()))
}

/// Returns the offer to join a match, with its name.
fn join_offer(open: &OpenMatch) -> Offer {
    let present: Vec<&str> = open.present.iter().map(Nickname::as_str).collect();
    let who = if present.is_empty() { "nobody yet".to_owned() } else { present.join(" and ") };
    let OpenMatch { number, players, rules, .. } = open;
    let text = format!("Join match {number} of {who}: {players} players, {rules} rules");
    let choices = vec![
        choice("tower", "Towers", words(&open.towers, TowerColor::word)),
        choice("wizard", "Wizard", words(&open.wizards, WizardFamily::word)),
    ];
    (format!("join {number}"), text, choices)
}

fn choice(name: &str, text: &str, options: Vec<String>) -> Choice {
    Choice { name: name.to_owned(), text: text.to_owned(), options }
}

fn words<T: Copy>(all: &[T], word: impl Fn(T) -> &'static str) -> Vec<String> {
    all.iter().map(|value| word(*value).to_owned()).collect()
}

/// Returns the value that a person has chosen under this name.
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
