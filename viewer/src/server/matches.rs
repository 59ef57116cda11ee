//! The matches of a host on one page: their feeds, the list of them, and the people who play in them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use std::vec;

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use axum::http::StatusCode;
use game_env::Parameters;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::Instant;

use super::ServerLimits;
use super::answer::{Refused, refusal};
use super::channel::{Channel, End};
use super::people::{Joined, People, Person, Standing};
use super::show::lock;
use crate::event_queue::EventQueue;
use crate::feed;
use crate::guard::Token;
use crate::matches::{
    Answer, Change, Choice, Followed, MatchId, Offer, PersonId, Request, Settings, TablePlace, table_message,
};
use crate::room::Shown;
use crate::setting::Setting;

/// Matches of some game, as request handlers know them.
pub(super) trait AnyMatches: Send {
    /// Works through some of what the host has said; whether there was anything.
    fn tell_some(&mut self) -> bool;

    /// Whether something is left of what was taken from the queue.
    fn has_backlog(&self) -> bool;

    /// Writes the list if it has changed, at most as often as viewers can use it.
    fn tell_list(&mut self);

    fn is_list_old(&self) -> bool;

    /// The feed of a match, which somebody watches from now on.
    fn channel(&mut self, id: MatchId) -> Option<Arc<Channel>>;

    /// The settings, the list, and the tables.
    fn list(&self) -> [watch::Receiver<Utf8Bytes>; 4];

    fn person(&self, token: &str) -> Option<PersonId>;

    fn notices(&mut self, person: PersonId) -> Option<watch::Receiver<Utf8Bytes>>;

    fn join(
        &mut self,
        offer: &str,
        name: &str,
        choices: BTreeMap<String, String>,
    ) -> Result<(PersonId, Token), Refused>;

    fn act(&mut self, person: PersonId, id: u64, action: &str) -> Result<Served, Refused>;

    fn leave(&mut self, person: PersonId);

    /// The settings with their present values; none if the host has no settings.
    fn settings(&mut self) -> Option<Vec<Setting>>;

    /// The settings with these values as a message, or the present ones with the faults of the values, and whether the
    /// values are sound; none if the host has no settings.
    fn check(&mut self, asked: &Parameters) -> Option<(String, bool)>;

    /// Passes an order of the operator on.
    fn order(&mut self, order: MatchOrder) -> Result<Served, Refused>;

    /// A page of this person was connected until now.
    fn seen(&mut self, person: PersonId);

    /// Whether no page of this person has been connected for too long.
    fn is_away(&mut self, person: PersonId) -> bool;

    fn close(&mut self, last: &str);
}

/// What an operator asks a host of matches for.
pub(super) enum MatchOrder {
    Start(Parameters),
    Next,
    Stop,
}

/// What comes of a request, once the host has said it.
pub(super) type Served = oneshot::Receiver<Result<(), String>>;

/// The matches of one host.
pub(super) struct ShownMatches<E: Shown> {
    queue: Arc<EventQueue<Change<E>>>,
    backlog: vec::IntoIter<Change<E>>,
    requests: mpsc::Sender<Request<E>>,
    server_limits: ServerLimits,
    matches: BTreeMap<MatchId, (Followed<E>, Arc<Channel>)>,
    /// By name, in the order in which the host has offered them.
    offers: Vec<(String, Offer)>,
    people: People,
    settings: Option<Box<dyn Settings>>,
    is_by_hand: bool,
    is_running: bool,
    /// The settings as a message; empty if there are none.
    told_settings: watch::Sender<Utf8Bytes>,
    list: watch::Sender<Utf8Bytes>,
    is_list_old: bool,
    standings: ToldTable,
    faults: ToldTable,
    listed: Instant,
    /// Why there will be no more matches.
    closed: Option<String>,
}

/// A table in its place on the page.
#[derive(Default)]
struct ToldTable {
    /// The message of a table that the page is still to be told of.
    new: Option<String>,
    /// The message that the page was told last; empty if there was never a table.
    told: watch::Sender<Utf8Bytes>,
}

impl ToldTable {
    fn tell(&mut self) {
        if let Some(new) = self.new.take() {
            self.told.send_replace(new.into());
        }
    }
}

/// Between two lists.
pub(super) const LIST_EVERY: Duration = Duration::from_millis(300);

/// The most matches in a list: all that are being played come first, then those that ended last.
const MOST_LISTED: usize = 100;

impl<E: Shown> ShownMatches<E>
where
    E: Send,
{
    pub(super) fn new(
        queue: Arc<EventQueue<Change<E>>>,
        requests: mpsc::Sender<Request<E>>,
        server_limits: ServerLimits,
    ) -> Self {
        let mut shown = Self {
            queue,
            backlog: Vec::new().into_iter(),
            requests,
            server_limits,
            matches: BTreeMap::new(),
            offers: Vec::new(),
            people: People::default(),
            settings: None,
            is_by_hand: false,
            is_running: false,
            told_settings: watch::Sender::new(Utf8Bytes::default()),
            list: watch::Sender::new(Utf8Bytes::default()),
            is_list_old: true,
            standings: ToldTable::default(),
            faults: ToldTable::default(),
            listed: Instant::now(),
            closed: None,
        };
        shown.write_list();
        shown
    }

    fn take(&mut self, change: Change<E>, touched: &mut BTreeSet<MatchId>) {
        match change {
            Change::Opened(id, opening) => {
                let followed = Followed::new(*opening, self.server_limits.limits);
                for (agent, person) in &followed.people {
                    if let Some(person) = self.people.person(*person) {
                        person.standing = Standing::Seated(id, *agent);
                    }
                }
                self.matches.insert(id, (followed, Arc::default()));
                touched.insert(id);
            }
            Change::Step(id, step) => {
                if let Some((followed, _)) = self.matches.get_mut(&id) {
                    followed.take(step);
                    touched.insert(id);
                }
            }
            Change::Seated(id, agent, person) => {
                if let Some((followed, _)) = self.matches.get_mut(&id)
                    && let Some(seated) = self.people.person(person)
                {
                    followed.seat(agent, person);
                    seated.standing = Standing::Seated(id, agent);
                    touched.insert(id);
                }
            }
            Change::Noted(person, text) => {
                if let Some(person) = self.people.person(person) {
                    person.note = text;
                    match person.seat() {
                        Some((id, _)) => {
                            touched.insert(id);
                        }
                        None => person.tell(json!({})),
                    }
                }
            }
            Change::Over(id, at) => {
                if let Some((followed, _)) = self.matches.get_mut(&id) {
                    followed.over(at);
                    touched.insert(id);
                }
            }
            Change::Offer(name, offer) => match (self.offers.iter_mut().find(|(own, _)| *own == name), offer)
            {
                (Some((_, old)), Some(offer)) => *old = offer,
                (None, Some(offer)) => self.offers.push((name, offer)),
                (_, None) => self.offers.retain(|(own, _)| *own != name),
            },
            Change::Settings(settings) => {
                self.settings = Some(settings);
                self.tell_settings();
            }
            Change::Table(place, table) => {
                let told = match place {
                    TablePlace::Standings => &mut self.standings,
                    TablePlace::Faults => &mut self.faults,
                };
                told.new = Some(table_message(place, table.as_ref()));
            }
            Change::ByHand(is_by_hand) => self.is_by_hand = is_by_hand,
            Change::Running(is_running) => {
                self.is_running = is_running;
                self.tell_settings();
            }
            Change::Refused(person, why) => {
                if let Some(person) = self.people.person(person) {
                    person.standing = Standing::Refused(why);
                    person.tell(json!({}));
                }
            }
        }
        self.is_list_old = true;
    }

    /// Tells viewers of this match what is new, and the people in it what they may do.
    fn tell(&mut self, id: MatchId) {
        let Some((followed, channel)) = self.matches.get_mut(&id) else { return };
        tell_channel(followed, channel);
        for (agent, person) in &followed.people {
            let Some(person) = self.people.person(*person) else { continue };
            if person.seat() == Some((id, *agent)) {
                let options: Vec<String> = followed.options(*agent).iter().map(ToString::to_string).collect();
                // An action may leave the options as they were: that it was taken is news all the same.
                let moves = followed.moves();
                person.tell(json!({ "over": followed.is_over(), "options": options, "moves": moves }));
            }
        }
    }

    /// Forgets the matches that ended first.
    fn forget(&mut self) {
        let over = self.matches.iter().filter(|(_, (followed, _))| followed.is_over());
        let over: Vec<MatchId> = over.map(|(id, _)| *id).collect();
        let surplus = over.len().saturating_sub(self.server_limits.kept.into());
        for id in &over[..surplus] {
            self.matches.remove(id);
        }
    }

    fn write_list(&mut self) {
        let (mut playing, mut over) = (Vec::new(), Vec::new());
        for (id, (followed, _)) in self.matches.iter().rev() {
            if followed.is_over() { over.push((id, followed)) } else { playing.push((id, followed)) }
        }
        let count = playing.len() + over.len();
        let listed: Vec<Value> = playing
            .into_iter()
            .chain(over)
            .take(MOST_LISTED)
            .map(|(id, followed)| followed.entry(*id))
            .collect();
        let offers: Vec<Value> = self.offers.iter().map(|(name, offer)| told(name, offer)).collect();
        let list = json!({
            "kind": "matches",
            "matches": listed,
            "more": count.saturating_sub(MOST_LISTED),
            "newest": self.matches.keys().next_back().map(|id| id.number()),
            "offers": offers,
            "byHand": self.is_by_hand,
            "running": self.is_running,
            "hasSettings": self.settings.is_some(),
            "closed": self.closed,
        });
        self.list.send_replace(list.to_string().into());
        self.standings.tell();
        self.faults.tell();
        self.is_list_old = false;
        self.listed = Instant::now();
    }

    fn tell_settings(&self) {
        if let Some(settings) = &self.settings {
            let message = feed::settings(&settings.settings(), self.is_running, &[]);
            self.told_settings.send_replace(message.into());
        }
    }

    /// Tells the host that a person is gone.
    fn tell_left(&self, person: PersonId, gone: &Person)
    where
        E: Shown<Action: Send, Config: Send, Feed: Send> + 'static,
    {
        // Unlike anything else it is not refused to a host that has much to do: nobody would ask again.
        let (requests, leave) = (self.requests.clone(), Request::Leave { person, seat: gone.seat() });
        // A host that does not listen needs not know.
        tokio::spawn(async move { requests.send(leave).await.is_ok() });
    }

    fn pass_on(&self, request: Request<E>) -> Result<(), Refused> {
        self.requests.try_send(request).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => {
                refusal(StatusCode::SERVICE_UNAVAILABLE, "the host has too much to do: try again")
            }
            mpsc::error::TrySendError::Closed(_) => {
                refusal(StatusCode::CONFLICT, "the host takes no requests any more")
            }
        })
    }
}

/// An offer as the page shows it.
fn told(name: &str, Offer { text, choices }: &Offer) -> Value {
    let mut told = json!({ "name": name, "text": text });
    if !choices.is_empty() {
        let choice = |Choice { name, text, options }: &Choice| json!({ "name": name, "text": text, "options": options });
        told["choices"] = choices.iter().map(choice).collect();
    }
    told
}

/// What a person has chosen, if it has chosen all that there is to choose.
fn chosen(offer: &Offer, mut asked: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Refused> {
    let chosen = offer.choices.iter().map(|Choice { name, text, options }| {
        let value = asked.remove(name).unwrap_or_default();
        if options.contains(&value) {
            return Ok((name.clone(), value));
        }
        let why = format!("{text}: choose {}", options.join(" or "));
        Err(refusal(StatusCode::UNPROCESSABLE_ENTITY, &why))
    });
    chosen.collect()
}

fn tell_channel<E: Shown>(followed: &mut Followed<E>, channel: &Channel) {
    if !followed.is_watched() {
        return;
    }
    channel.push(followed.new_messages());
    if let Some(end) = followed.end() {
        let mut known = lock(&channel.end);
        if known.statistics.is_none() {
            *known = End {
                statistics: Some(end.statistics.to_string().into()),
                replay: end.replay.as_deref().map(Bytes::copy_from_slice),
            };
        }
    }
}

impl<E> AnyMatches for ShownMatches<E>
where
    E: Shown<Action: Send, Config: Send, Feed: Send> + Send + 'static,
{
    fn tell_some(&mut self) -> bool {
        /// How much is worked on before viewers are heard again: a few milliseconds.
        const MOST: usize = 4096;
        if self.backlog.len() == 0 {
            self.backlog = self.queue.take().into_iter();
        }
        let changes: Vec<_> = self.backlog.by_ref().take(MOST).collect();
        let were_some = !changes.is_empty();
        let mut touched = BTreeSet::new();
        changes.into_iter().for_each(|change| self.take(change, &mut touched));
        touched.into_iter().for_each(|id| self.tell(id));
        self.forget();
        self.tell_list();
        were_some
    }

    fn has_backlog(&self) -> bool {
        self.backlog.len() > 0
    }

    fn tell_list(&mut self) {
        if self.is_list_old && self.listed.elapsed() >= LIST_EVERY {
            self.write_list();
        }
    }

    fn is_list_old(&self) -> bool {
        self.is_list_old
    }

    fn channel(&mut self, id: MatchId) -> Option<Arc<Channel>> {
        self.tell_some();
        let (followed, channel) = self.matches.get_mut(&id)?;
        if !followed.is_watched() {
            followed.watch();
            tell_channel(followed, channel);
        }
        Some(channel.clone())
    }

    fn list(&self) -> [watch::Receiver<Utf8Bytes>; 4] {
        let [standings, faults] = [&self.standings, &self.faults].map(|table| table.told.subscribe());
        [self.told_settings.subscribe(), self.list.subscribe(), standings, faults]
    }

    fn person(&self, token: &str) -> Option<PersonId> {
        self.people.by_token(token)
    }

    fn notices(&mut self, person: PersonId) -> Option<watch::Receiver<Utf8Bytes>> {
        let person = self.people.person(person)?;
        person.show(Instant::now());
        Some(person.notice.subscribe())
    }

    fn join(
        &mut self,
        offer: &str,
        name: &str,
        choices: BTreeMap<String, String>,
    ) -> Result<(PersonId, Token), Refused> {
        // All that the host has said before the request counts, here and below.
        self.tell_some();
        let Some((_, offered)) = self.offers.iter().find(|(name, _)| name == offer) else {
            return Err(refusal(StatusCode::NOT_FOUND, "this is not offered any more"));
        };
        let choices = chosen(offered, choices)?;
        let Joined { id: person, token, gone } =
            self.people.join(Instant::now(), name, self.server_limits.people.into())?;
        if let Some((id, gone)) = gone {
            self.tell_left(id, &gone);
        }
        let name = self.people.person(person).map(|person| person.name().to_owned()).unwrap_or_default();
        let request = Request::Join { person, name, offer: offer.to_owned(), choices };
        self.pass_on(request).inspect_err(|_| drop(self.people.remove(person)))?;
        Ok((person, token))
    }

    fn act(&mut self, person: PersonId, id: u64, action: &str) -> Result<Served, Refused> {
        self.tell_some();
        let seat = self.people.person(person).and_then(|person| {
            person.show(Instant::now());
            person.seat()
        });
        let Some((id, agent)) = seat.filter(|(own, _)| own.number() == id) else {
            return Err(refusal(StatusCode::FORBIDDEN, "you have no seat in this match"));
        };
        let (followed, _) = self
            .matches
            .get(&id)
            .ok_or_else(|| refusal(StatusCode::NOT_FOUND, "this match is not kept any more"))?;
        let options = followed.options(agent);
        if options.is_empty() {
            let why = if followed.is_over() { "the match is over" } else { "it is not your turn" };
            return Err(refusal(StatusCode::CONFLICT, why));
        }
        let asked: E::Action = action
            .parse()
            .map_err(|error: game_env::NotationError| refusal(StatusCode::BAD_REQUEST, &error.to_string()))?;
        let asked_text = asked.to_string();
        if !options.iter().any(|option| option.to_string() == asked_text) {
            let why = format!("`{asked_text}` is not one of your options");
            return Err(refusal(StatusCode::UNPROCESSABLE_ENTITY, &why));
        }
        let (answer, served) = oneshot::channel();
        self.pass_on(Request::Action { person, id, agent, action: asked, answer: Answer(answer) })?;
        Ok(served)
    }

    fn leave(&mut self, person: PersonId) {
        if let Some(gone) = self.people.remove(person) {
            self.tell_left(person, &gone);
        }
    }

    fn is_away(&mut self, person: PersonId) -> bool {
        let absence = self.server_limits.absence;
        self.people.person(person).is_some_and(|person| person.is_away(Instant::now(), absence))
    }

    fn settings(&mut self) -> Option<Vec<Setting>> {
        self.tell_some();
        self.settings.as_ref().map(|settings| settings.settings())
    }

    fn check(&mut self, asked: &Parameters) -> Option<(String, bool)> {
        self.tell_some();
        let settings = self.settings.as_ref()?;
        Some(match settings.check(asked) {
            Ok(changed) => (feed::settings(&changed, self.is_running, &[]), true),
            Err(error) => (feed::settings(&settings.settings(), self.is_running, error.faults()), false),
        })
    }

    fn order(&mut self, order: MatchOrder) -> Result<Served, Refused> {
        self.tell_some();
        let conflict = |why: &str| Err(refusal(StatusCode::CONFLICT, why));
        match &order {
            MatchOrder::Start(_) if self.settings.is_none() => {
                return conflict("there is nothing to start here");
            }
            MatchOrder::Start(_) if self.is_running => return conflict("what was started still runs"),
            MatchOrder::Next if !self.is_by_hand => return conflict("moves are not made by hand here"),
            MatchOrder::Stop if !self.is_running => return conflict("nothing runs that could be stopped"),
            MatchOrder::Start(_) | MatchOrder::Next | MatchOrder::Stop => {}
        }
        let (answer, served) = oneshot::channel();
        let answer = Answer(answer);
        self.pass_on(match order {
            MatchOrder::Start(parameters) => Request::Start { parameters, answer },
            MatchOrder::Next => Request::Next { answer },
            MatchOrder::Stop => Request::Stop { answer },
        })?;
        Ok(served)
    }

    fn seen(&mut self, person: PersonId) {
        if let Some(person) = self.people.person(person) {
            person.show(Instant::now());
        }
    }

    fn close(&mut self, last: &str) {
        self.closed = Some(last.to_owned());
        self.write_list();
        for (_, channel) in self.matches.values() {
            channel.close(Some(feed::gone(last)));
        }
    }
}
