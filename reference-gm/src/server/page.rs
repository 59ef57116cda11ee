//! The page of a server: all games to watch, and people who play in the browser.
//!
//! The page shows the records of the journal: a game is there once it is written down. A person on the page is a local
//! client of the master, with a place in a queue or a lobby like others: the page asks the master with values, and is
//! answered with values.
//!
//! # What this module does not do
//!
//! It knows no message: the [`Room`] of a game reads its records, asks for a person's actions, and reacts to answers.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use game_env::{AgentId, Disruption, Environment, SimTime, Turn, Witness as _};
use tokio::sync::mpsc::Receiver;
use viewer::matches::{Answer, Choice, LiveMatch, Matches, Opening, PersonId, Request};
use viewer::room::Shown;
use viewer::server::ViewerServer;

use super::{ConnectionId, Input, Master, Origin};

/// A page that is served, as [`ViewerServer::matches`] returns it.
pub type Served<E> = (ViewerServer, Matches<E>, Receiver<Request<E>>);

/// The name of an offer, its text, and the choices that a person makes with it.
pub type Offer = (String, String, Vec<Choice>);

/// The part of the page that differs between games.
pub trait Room: fmt::Debug {
    /// The master of the server.
    type Master: Master;
    /// The rules of the game.
    type Game: Shown<Action: Send, Config: Send, Feed: Send> + Send + fmt::Debug + 'static;
    /// The state of a person's client.
    type Client: fmt::Debug;

    /// The refusal of an action in a game that is over.
    const OVER: &'static str;
    /// The refusal of an action behind which another one came before the answer.
    const OVERTAKEN: &'static str;

    /// Returns the client of a person with this name who has taken an offer with these choices.
    ///
    /// # Errors
    ///
    /// The reason for which the person cannot play, for the person.
    fn enter(
        &mut self,
        name: String,
        offer: &str,
        choices: &BTreeMap<String, String>,
    ) -> Result<Self::Client, String>;

    /// Returns the reactions of a client to its connection.
    fn greet(&mut self, _client: &mut Self::Client) -> Reactions<Self> {
        Vec::new()
    }

    /// Asks for an action of a person.
    fn play(&self, action: <Self::Game as Environment>::Action) -> Ask<Self>;

    /// Returns the reactions of a client to a message.
    fn hear(
        &mut self,
        client: &mut Self::Client,
        notice: <Self::Master as Master>::Notice,
    ) -> Reactions<Self>;

    /// Returns the last requests of a client that leaves whatever it is in.
    fn farewell(&self) -> Vec<Ask<Self>> {
        Vec::new()
    }

    /// Returns the change of the page that a record stands for; none if the record changes nothing there.
    fn change(&mut self, record: &<Self::Master as Master>::Record) -> Option<Change<Self::Game>>;

    /// Returns whether a client plays in the game with this number under this name.
    fn plays(client: &Self::Client, number: u64, name: &str) -> bool;

    /// Returns the offers that come and go, as the master stands.
    fn offers(&self, _master: &Self::Master) -> Vec<Offer> {
        Vec::new()
    }
}

/// A request of a local client to the master of a room.
pub type Ask<R> = <<R as Room>::Master as Master>::Ask;

/// The reactions of a client of a room.
pub type Reactions<R> = Vec<Reaction<Ask<R>>>;

/// An input of a local client to the master of a room.
pub type LocalInput<R> = Input<'static, Ask<R>>;

/// A reaction of a person's client to a message. `A` is a request of the client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reaction<A> {
    /// The client asks for this.
    Ask(A),
    /// The person's action was taken.
    Accept,
    /// The person's action was refused, for this reason.
    Refuse(String),
    /// The person waits, for this reason; empty if it does not wait any more.
    Note(String),
    /// The person has the seat of the player with this name in a game that has begun, and reads this note.
    Seat(u64, String, String),
    /// The client ends its connection, and comes with the same connection number again.
    Reconnect,
    /// The server closes the connection soon, for this reason.
    Closing(String),
    /// The person cannot play, for this reason, and the client leaves.
    TurnAway(String),
    /// The client leaves: the person has seen the end.
    Leave,
    /// The page has the end, and the server closes the connection.
    Forget,
}

/// A change of the games on the page.
pub enum Change<E: Environment> {
    /// The game with this number begins. Its people are found by the names of its players.
    Opened(u64, Opening<E>),
    /// The player who has the turn acts.
    Acted(u64, E::Action),
    /// Something ends the game from outside.
    Disrupted(u64, Disruption),
}

impl<E: Environment> fmt::Debug for Change<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, number) = match self {
            Self::Opened(number, _) => ("Opened", number),
            Self::Acted(number, _) => ("Acted", number),
            Self::Disrupted(number, _) => ("Disrupted", number),
        };
        f.debug_tuple(name).field(number).finish_non_exhaustive()
    }
}

/// The page.
#[derive(Debug)]
pub struct Page<R: Room> {
    server: ViewerServer,
    matches: Matches<R::Game>,
    requests: Receiver<Request<R::Game>>,
    /// The offers that come and go.
    offers: Vec<Offer>,
    games: BTreeMap<u64, Game<R::Game>>,
    people: BTreeMap<ConnectionId, Person<R::Client>>,
    room: R,
}

/// A game on the page.
#[derive(Debug)]
struct Game<E: Environment> {
    state: E,
    /// The names of its players.
    names: Vec<String>,
    live: LiveMatch<E>,
}

/// A person on the page, with its client.
#[derive(Debug)]
struct Person<C> {
    id: PersonId,
    origin: Origin,
    client: C,
    /// An action that is not answered yet.
    asked: Option<Answer>,
    /// The reason for which the server closes the connection.
    reason: String,
}

impl<R: Room> Page<R> {
    /// Begins with an offer that stays, on a page that is [served](ViewerServer::matches).
    pub fn new(served: Served<R::Game>, room: R, (name, text, choices): Offer) -> Self {
        let (server, matches, requests) = served;
        matches.offer_with(&name, &text, choices);
        let (offers, games, people) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
        Self { server, matches, requests, offers, games, people, room }
    }

    /// Waits for the next request; none if there will be no more.
    pub(super) async fn next(&mut self) -> Option<Request<R::Game>> {
        self.requests.recv().await
    }

    /// Appends the inputs of people's clients that follow from a request; a new client has this number.
    pub(super) fn ask(
        &mut self,
        request: Request<R::Game>,
        next: ConnectionId,
        inputs: &mut VecDeque<LocalInput<R>>,
    ) {
        match request {
            Request::Join { person, from, name, offer, choices } => {
                match self.room.enter(name, &offer, &choices) {
                    Ok(mut client) => {
                        let reactions = self.room.greet(&mut client);
                        let reason = "the server has closed the connection".to_owned();
                        let origin = Origin::of(from);
                        self.people.insert(next, Person { id: person, origin, client, asked: None, reason });
                        inputs.push_back(Input::Joined(next, origin));
                        self.react(next, reactions, inputs);
                    }
                    Err(why) => self.matches.refuse(person, &why),
                }
            }
            Request::Action { person, action, answer, .. } => {
                let Some(id) = self.client_of(person) else { return answer.refuse(R::OVER) };
                let Some(person) = self.people.get_mut(&id) else { return };
                if let Some(earlier) = person.asked.replace(answer) {
                    earlier.refuse(R::OVERTAKEN);
                }
                inputs.push_back(Input::Asked(id, self.room.play(action)));
            }
            Request::Leave { person, .. } => {
                if let Some(id) = self.client_of(person) {
                    self.leave(id, inputs);
                }
            }
            // The operator starts and stops nothing on this page.
            _ => {}
        }
    }

    /// Appends the inputs of the client of a person that follow from a message to it.
    pub(super) fn hear(
        &mut self,
        id: ConnectionId,
        notice: <R::Master as Master>::Notice,
        inputs: &mut VecDeque<LocalInput<R>>,
    ) {
        let Some(person) = self.people.get_mut(&id) else { return };
        let reactions = self.room.hear(&mut person.client, notice);
        self.react(id, reactions, inputs);
    }

    fn react(&mut self, id: ConnectionId, reactions: Reactions<R>, inputs: &mut VecDeque<LocalInput<R>>) {
        for reaction in reactions {
            let Some(person) = self.people.get_mut(&id) else { return };
            match reaction {
                Reaction::Ask(ask) => inputs.push_back(Input::Asked(id, ask)),
                Reaction::Accept => person.asked.take().into_iter().for_each(Answer::accept),
                Reaction::Refuse(why) => {
                    person.asked.take().into_iter().for_each(|answer| answer.refuse(why.as_str()));
                }
                Reaction::Note(text) => self.matches.note(person.id, &text),
                Reaction::Seat(number, name, note) => {
                    if let Some(Game { names, live, .. }) = self.games.get(&number)
                        && let Some(place) = names.iter().position(|known| *known == name)
                    {
                        self.matches.note(person.id, &note);
                        live.seat(AgentId::from_index(place), person.id);
                    }
                }
                Reaction::Reconnect => {
                    inputs.extend([Input::Ended(id), Input::Joined(id, person.origin)]);
                }
                Reaction::Closing(reason) => person.reason = reason,
                Reaction::TurnAway(why) => {
                    self.matches.refuse(person.id, &why);
                    self.leave(id, inputs);
                }
                Reaction::Leave => self.leave(id, inputs),
                Reaction::Forget => drop(self.people.remove(&id)),
            }
        }
    }

    /// Ends the client of a person, after its last requests.
    fn leave(&mut self, id: ConnectionId, inputs: &mut VecDeque<LocalInput<R>>) {
        self.people.remove(&id);
        inputs.extend(self.room.farewell().into_iter().map(|ask| Input::Asked(id, ask)));
        inputs.push_back(Input::Ended(id));
    }

    fn client_of(&self, person: PersonId) -> Option<ConnectionId> {
        self.people.iter().find(|(_, known)| known.id == person).map(|(id, _)| *id)
    }

    /// The server has closed the connection of the client of a person, if it is one.
    pub(super) fn closed(&mut self, id: ConnectionId) {
        if let Some(person) = self.people.remove(&id) {
            self.matches.refuse(person.id, &person.reason);
        }
    }

    /// Shows a change that is written down.
    pub(super) fn show(&mut self, record: &<R::Master as Master>::Record) {
        let now = SimTime::START;
        match self.room.change(record) {
            None => {}
            Some(Change::Opened(number, opening)) => self.open(number, opening),
            Some(Change::Acted(number, action)) => {
                let Some(Game { state, live, .. }) = self.games.get_mut(&number) else { return };
                let Turn::Act { agent, .. } = state.turn() else { return };
                live.action(state, now, agent, &action);
                state.step(now, agent, action, &mut ());
                self.end_if_over(number);
            }
            Some(Change::Disrupted(number, disruption)) => {
                let Some(Game { state, live, .. }) = self.games.get_mut(&number) else { return };
                live.disruption(state, now, disruption);
                state.disrupt(now, disruption, &mut ());
                self.end_if_over(number);
            }
        }
    }

    fn open(&mut self, number: u64, mut opening: Opening<R::Game>) {
        let names: Vec<String> = opening.players.iter().map(|player| player.name.clone()).collect();
        for (place, name) in names.iter().enumerate() {
            let mut people = self.people.values();
            if let Some(person) = people.find(|person| R::plays(&person.client, number, name)) {
                opening.people.push((AgentId::from_index(place), person.id));
                self.matches.note(person.id, "");
            }
        }
        let state = R::Game::new(&opening.config, opening.seed);
        self.games.insert(number, Game { state, names, live: self.matches.open(opening) });
    }

    fn end_if_over(&mut self, number: u64) {
        let is_over = |game: &Game<R::Game>| matches!(game.state.turn(), Turn::Over(_));
        if self.games.get(&number).is_some_and(is_over)
            && let Some(Game { state, mut live, .. }) = self.games.remove(&number)
        {
            live.end(&state, SimTime::START);
        }
    }

    /// Shows the offers as the master stands, which are not on disk.
    pub(super) fn look(&mut self, master: &R::Master) {
        let offers = self.room.offers(master);
        if offers == self.offers {
            return;
        }
        for (name, ..) in self.offers.iter().filter(|(name, ..)| offers.iter().all(|(new, ..)| new != name)) {
            self.matches.withdraw(name);
        }
        for (name, text, choices) in offers.iter().filter(|offer| !self.offers.contains(offer)) {
            self.matches.offer_with(name, text, choices.clone());
        }
        self.offers = offers;
    }

    /// Sends the closing message to all viewers.
    pub(super) fn close(self) {
        self.server.close("the server has ended");
    }
}
