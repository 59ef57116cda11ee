//! Live matches of any game on the page, and people who play in them.
//!
//! A host opens a match, and the [`LiveMatch`] that it gets is a [`Witness`]: the host shows it each input of the game
//! before it serves that input, as it shows it to a recorder. It never waits for viewers. The viewers' thread plays the
//! match again from these inputs, so viewers may join late, and a match that nobody watches costs next to nothing.
//!
//! Requests of people on the page come to the host as a stream of [`Request`]s:
//!
//! - the host [offers](Matches::offer) ways to play, each a button on the page: "Play against chains";
//! - a viewer that takes an offer becomes a person with a number ([`Request::Join`]), and waits. The page keeps the
//!   person's secret token; the host never sees it;
//! - the host opens a match in which this person has a seat ([`Opening::people`]), at once or when there is an
//!   opponent, or [refuses](Matches::refuse) the person;
//! - in its turn the person's page gets the options of that seat's observation, and nobody else's page does. The
//!   person's choice comes as [`Request::Action`], in which the agent is always the person's own. The host serves it
//!   like any other request, and gives an [`Answer`];
//! - [`Request::Leave`] comes when the person leaves, or has had no connection for a while
//!   ([`ServerLimits::absence`](crate::server::ServerLimits::absence)). Until then it may come back. What becomes of
//!   the match the host decides, e.g. by a [`Disruption`].
//!
//! A host that plays a league shows its [standings](Matches::standings) as well, and the
//! [faults](Matches::faults) of the players: each as a [`Table`].
//!
//! An operator, who opened the address with the token, can do more, if the host lets it: choose
//! [settings](Matches::settings) and start what they describe, stop it, and make moves [by hand](Matches::by_hand).
//!
//! A host of one match that players join over a network has a [`SinglePage`] instead of a list of matches. It shows a
//! [`Lobby`] until the match begins, and in it the operator can change the settings ([`Request::Configure`]), have the
//! host connect to a server ([`Request::Connect`]) and start the match. The lobby is drawn by the room of the game,
//! whose messages the host writes.
//!
//! # Example
//!
//! A host that plays Dots & Boxes against everybody, at random:
//!
//! ```no_run
//! use game_dots::{Config, Edge, State};
//! use game_env::replay::Player;
//! use game_env::{AgentId, Disruption, Environment, Seed, SimTime, Termination, Turn, Witness as _};
//! use viewer::matches::{Opening, Request};
//! use viewer::server::{Place, ServerLimits, ViewerServer};
//!
//! let place = Place::take("127.0.0.1:8000")?;
//! let (server, matches, mut requests) = ViewerServer::matches::<State>(place, ServerLimits::default())?;
//! println!("{}", server.url());
//! matches.offer("random", "Play against random");
//! let (own, other) = (AgentId::new(0), AgentId::new(1));
//! let mut chance = Seed::new(5).game();
//! let mut table = None; // one at a time here
//! while let Some(request) = requests.blocking_recv() {
//!     match request {
//!         Request::Join { person, name, .. } if table.is_none() => {
//!             let (config, seed) = (Config::new(4, 4)?, Seed::new(7));
//!             let state = State::new(&config, seed);
//!             let names = [name.as_str(), "random"];
//!             let live = matches.open(Opening {
//!                 title: "Table 1".to_owned(),
//!                 config,
//!                 seed,
//!                 players: Player::all(&state, |agent| names[agent.index()]),
//!                 people: vec![(own, person)],
//!             });
//!             table = Some((state, live));
//!         }
//!         Request::Join { person, .. } => matches.refuse(person, "somebody plays already"),
//!         Request::Action { agent, action, answer, .. } => {
//!             let Some((state, live)) = &mut table else { continue };
//!             live.action(state, SimTime::START, agent, &action);
//!             state.step(SimTime::START, agent, action, &mut ());
//!             answer.accept();
//!         }
//!         Request::Leave { .. } => {
//!             let Some((state, live)) = &mut table else { continue };
//!             let left = Disruption::Forfeited(own, Termination::Silence);
//!             live.disruption(state, SimTime::START, left);
//!             state.disrupt(SimTime::START, left, &mut ());
//!         }
//!         _ => {}
//!     }
//!     let Some((state, live)) = &mut table else { continue };
//!     let mut legal: Vec<Edge> = Vec::new();
//!     while matches!(state.turn(), Turn::Act { agent, .. } if agent == other) {
//!         state.legal_actions(other, &mut legal);
//!         let edge = legal[chance.below(legal.len() as u32) as usize];
//!         live.action(state, SimTime::START, other, &edge);
//!         state.step(SimTime::START, other, edge, &mut ());
//!     }
//!     if let Turn::Over(_) = state.turn() {
//!         live.end(state, SimTime::START);
//!         table = None;
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this module does not do
//!
//! It decides nothing about a match, and pairs nobody. It hides nothing but seeds: viewers see the whole state. So a
//! game that shows its players less than the page shows ([`Shown::SHOWS_NO_SECRETS`]) can only be watched here:
//! [`Matches::offer`] offers nothing, and [`Matches::open`] refuses people a seat.

mod followed;
mod request;
mod single;
mod single_feed;
mod table;

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use game_env::replay::Player;
use game_env::{AgentId, ConfigError, Disruption, Environment, Note, Parameters, Seed, SimTime, Witness};

pub use self::followed::End;
pub(crate) use self::followed::Followed;
pub(crate) use self::request::NotServed;
pub use self::request::{Answer, PersonId, Request};
pub use self::single::{Connection, Lobby, SinglePage};
pub use self::single_feed::SingleFeed;
pub use self::table::{Column, Table};
pub(crate) use self::table::{TablePlace, message as table_message};
use crate::event_queue::{EventQueue, Step};
use crate::room::Shown;
use crate::setting::Setting;

/// The number of a match on its page, from 1 in the order in which matches were opened.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct MatchId(pub(crate) u64);

impl MatchId {
    /// Returns the number.
    pub fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for MatchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// All matches of one host on one page. Clones are handles of the same page.
#[derive(Debug)]
pub struct Matches<E: Environment> {
    queue: Arc<EventQueue<Change<E>>>,
    opened: Arc<AtomicU64>,
}

impl<E: Environment> Clone for Matches<E> {
    fn clone(&self) -> Self {
        Self { queue: self.queue.clone(), opened: self.opened.clone() }
    }
}

/// A match that begins.
#[derive(Debug)]
pub struct Opening<E: Environment> {
    /// Its name in the list of matches, beside the players: "Table 3".
    pub title: String,
    /// The game's configuration.
    pub config: E::Config,
    /// The seed of its random numbers: the match begins with the state of this configuration and this seed.
    pub seed: Seed,
    /// The players, in the order of agent ids.
    pub players: Vec<Player>,
    /// The seats of people, by agent.
    pub people: Vec<(AgentId, PersonId)>,
}

/// A change that a host reports of its matches.
pub(crate) enum Change<E: Environment> {
    Opened(MatchId, Box<Opening<E>>),
    Step(MatchId, Step<E>),
    /// It is over; or the host has let it go before its end.
    Over(MatchId, Option<SimTime>),
    /// A way to play, by name; none if it is not offered any more.
    Offer(String, Option<Offer>),
    Refused(PersonId, String),
    /// A person takes a seat of a match that has begun.
    Seated(MatchId, AgentId, PersonId),
    /// A note to a person, beside its turn.
    Noted(PersonId, String),
    Settings(Box<dyn Settings>),
    ByHand(bool),
    /// Whether something that was started runs.
    Running(bool),
    Table(TablePlace, Option<Table>),
    /// The lobby of a page of one match.
    Lobby(Lobby),
    /// The connection of the host, on a page of one match that has begun.
    Connection(Connection),
    /// A warning, on a page of one match.
    Warned(String),
}

/// A way to play: the text of its button, and what a person chooses with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Offer {
    pub(crate) text: String,
    pub(crate) choices: Vec<Choice>,
}

/// A choice that a person makes with an [offer](Matches::offer_with).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// Its name in [`Request::Join`].
    pub name: String,
    /// Its label on the page.
    pub text: String,
    /// The values that can be chosen; the first is chosen unless the person changes it.
    pub options: Vec<String>,
}

/// The settings that an operator can choose before it starts something, e.g. a duel.
pub trait Settings: Send {
    /// Returns every parameter with its value, in the order in which the page shows them.
    fn settings(&self) -> Vec<Setting>;

    /// Returns every parameter as it would be with these values over the present ones.
    ///
    /// # Errors
    ///
    /// Every fault of the values.
    fn check(&self, asked: &Parameters) -> Result<Vec<Setting>, ConfigError>;
}

impl<E: Shown> Matches<E> {
    pub(crate) fn new(queue: Arc<EventQueue<Change<E>>>) -> Self {
        Self { queue, opened: Arc::default() }
    }

    fn push(&self, change: Change<E>) {
        self.queue.push(change);
    }

    /// Puts a change into the queue that may be lost: if there is no room, it is. The change gets the number of the
    /// match that was opened last.
    fn push_if_room(&self, change: impl FnOnce(MatchId) -> Change<E>) {
        if !self.queue.is_full() {
            self.queue.push(change(MatchId(self.opened.load(Ordering::Relaxed))));
        }
    }

    /// Whether people can play this game on a page that shows everything to everybody: only if that is
    /// [no more](Shown::SHOWS_NO_SECRETS) than its players are shown.
    pub const CAN_BE_PLAYED: bool = E::SHOWS_NO_SECRETS;

    /// Begins a match on the page.
    ///
    /// If the game [cannot be played here](Self::CAN_BE_PLAYED), the match is only watched: each of its
    /// [`people`](Opening::people) is [refused](Self::refuse), and has no seat.
    pub fn open(&self, opening: Opening<E>) -> LiveMatch<E> {
        self.open_with(|_| opening)
    }

    /// The same with an opening that has the match's number, e.g. in its title.
    pub fn open_with(&self, opening: impl FnOnce(MatchId) -> Opening<E>) -> LiveMatch<E> {
        let id = MatchId(self.opened.fetch_add(1, Ordering::Relaxed) + 1);
        let mut opening = opening(id);
        if !Self::CAN_BE_PLAYED {
            for (_, person) in opening.people.drain(..) {
                self.refuse(person, "this page shows what the game hides from its players");
            }
        }
        self.queue.push(Change::Opened(id, Box::new(opening)));
        LiveMatch { id, queue: self.queue.clone(), is_behind: false, is_over: false }
    }

    /// Offers people a way to play, as a button with this text, until it is [withdrawn](Matches::withdraw). The page's
    /// address with `#play=` and the name leads to the button.
    ///
    /// Nothing is offered in a game that [cannot be played here](Self::CAN_BE_PLAYED).
    pub fn offer(&self, name: &str, text: &str) {
        self.offer_with(name, text, Vec::new());
    }

    /// The same with choices that the person makes before it takes the offer.
    pub fn offer_with(&self, name: &str, text: &str, choices: Vec<Choice>) {
        if Self::CAN_BE_PLAYED {
            let offer = Offer { text: text.to_owned(), choices };
            self.queue.push(Change::Offer(name.to_owned(), Some(offer)));
        }
    }

    /// Takes an offer back.
    pub fn withdraw(&self, name: &str) {
        self.queue.push(Change::Offer(name.to_owned(), None));
    }

    /// Shows these settings on the page. With them the operator can start something: [`Request::Start`].
    pub fn settings(&self, settings: impl Settings + 'static) {
        self.queue.push(Change::Settings(Box::new(settings)));
    }

    /// Sets whether a start of the operator still runs: while it does, the operator can start nothing else, but can
    /// stop it.
    pub fn running(&self, is_running: bool) {
        self.queue.push(Change::Running(is_running));
    }

    /// Sets whether the operator makes moves by hand: the page has a button and a key for [`Request::Next`].
    pub fn by_hand(&self, is_by_hand: bool) {
        self.queue.push(Change::ByHand(is_by_hand));
    }

    /// Shows these standings on the page in place of those before; `None` takes them away.
    pub fn standings(&self, standings: Option<Table>) {
        self.queue.push(Change::Table(TablePlace::Standings, standings));
    }

    /// Shows these faults of players on a tab of their own, in place of those before; `None` takes them and the tab
    /// away.
    pub fn faults(&self, faults: Option<Table>) {
        self.queue.push(Change::Table(TablePlace::Faults, faults));
    }

    /// Tells a person that has joined that it cannot play, and why.
    pub fn refuse(&self, person: PersonId, why: &str) {
        self.queue.push(Change::Refused(person, why.to_owned()));
    }

    /// Sends a person the reason for which it waits, in its match or for one. The text stays until the next note; an
    /// empty text removes it.
    pub fn note(&self, person: PersonId, text: &str) {
        self.queue.push(Change::Noted(person, text.to_owned()));
    }
}

/// A match that is being played. Show it every input before the state takes it, and the end: it is a [`Witness`].
///
/// It never waits: if viewers are far behind, it leaves inputs out, and they go on from a later state. A match whose
/// `LiveMatch` is dropped before its end is shown as broken off.
#[derive(Debug)]
pub struct LiveMatch<E: Environment> {
    id: MatchId,
    queue: Arc<EventQueue<Change<E>>>,
    /// Whether inputs were left out since the last one that was shown.
    is_behind: bool,
    is_over: bool,
}

impl<E: Environment> LiveMatch<E> {
    /// Returns the match's number on the page: `#match=` and this number behind the page's address is a link to it.
    pub fn id(&self) -> MatchId {
        self.id
    }

    /// Gives a person the seat of a player of this match, e.g. of one that was lost.
    pub fn seat(&self, agent: AgentId, person: PersonId) {
        self.queue.push(Change::Seated(self.id, agent, person));
    }

    /// `state` is the one before the step.
    fn push(&mut self, state: &E, step: impl FnOnce() -> Step<E>) {
        if self.queue.is_full() {
            self.is_behind = true;
            return;
        }
        self.catch_up(state);
        self.queue.push(Change::Step(self.id, step()));
    }

    fn catch_up(&mut self, state: &E) {
        if mem::take(&mut self.is_behind) {
            self.queue.push(Change::Step(self.id, Step::Lost(Box::new(state.clone()))));
        }
    }
}

impl<E: Environment> Witness<E> for LiveMatch<E> {
    fn action(&mut self, state: &E, now: SimTime, agent: AgentId, action: &E::Action) {
        self.push(state, || Step::Action(now, agent, action.clone()));
    }

    fn disruption(&mut self, state: &E, now: SimTime, disruption: Disruption) {
        self.push(state, || Step::Disruption(now, disruption));
    }

    fn note(&mut self, state: &E, _: SimTime, agent: AgentId, note: &Note) {
        self.push(state, || Step::Note(agent, note.clone()));
    }

    fn end(&mut self, state: &E, now: SimTime) {
        self.catch_up(state);
        self.queue.push(Change::Over(self.id, Some(now)));
        self.is_over = true;
    }
}

impl<E: Environment> Drop for LiveMatch<E> {
    fn drop(&mut self) {
        if !self.is_over {
            self.queue.push(Change::Over(self.id, None));
        }
    }
}
