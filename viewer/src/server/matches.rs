//! The matches of a host on one page: their feeds, the list of them, and the people who play in them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use axum::http::StatusCode;
use game_env::Parameters;
use game_env::text::or_list;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;
use wire::token::Token;

use super::ServerLimits;
use super::answer::{Refused, refusal};
use super::channel::Channel;
use super::hosted::{HostLink, Hosted, Order, Served, ShownSettings};
use super::people::{Joined, People, Person, Standing};
use crate::feed::{self, Mode};
use crate::matches::{
    Change, Choice, Followed, MatchId, Offer, PersonId, Request, Settings, TablePlace, table_message,
};
use crate::room::Shown;

/// The matches of one host.
pub(super) struct ShownMatches<E: Shown> {
    link: HostLink<E>,
    /// The feed of the page without a match.
    front: Arc<Channel>,
    server_limits: ServerLimits,
    matches: BTreeMap<MatchId, (Followed<E>, Arc<Channel>)>,
    /// Those of them that are over, in the order in which they ended.
    ended: VecDeque<MatchId>,
    /// The feeds of matches that are forgotten, for as long as somebody watches them.
    forgotten: Vec<Weak<Channel>>,
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
    /// The reason for which there will be no more matches.
    closed: Option<String>,
}

/// A table in its place on the page.
#[derive(Default)]
struct ToldTable {
    /// The message of a table that is still to be sent to the page.
    new: Option<String>,
    /// The last message that was sent to the page; empty if there was never a table.
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
    pub(super) fn new(link: HostLink<E>, server_limits: ServerLimits) -> Self {
        let mut shown = Self {
            link,
            front: Arc::default(),
            server_limits,
            matches: BTreeMap::new(),
            ended: VecDeque::new(),
            forgotten: Vec::new(),
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
                    if !followed.is_over() {
                        self.ended.push_back(id);
                    }
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
            // Of pages of one match.
            Change::Lobby(_) | Change::Connection(_) | Change::Warned(_) => return,
        }
        self.is_list_old = true;
    }

    /// Sends new messages to the viewers of this match, and their options to the people in it.
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

    /// Forgets the matches that ended first. Their viewers may go on looking at them.
    fn forget(&mut self) {
        let ServerLimits { kept, kept_bytes, .. } = self.server_limits;
        let over = self.ended.iter().filter_map(|id| self.matches.get(id));
        let mut bytes: usize = over.map(|(followed, _)| followed.bytes()).sum();
        while self.ended.len() > usize::from(kept) || bytes > kept_bytes {
            let oldest = self.ended.pop_front().and_then(|id| self.matches.remove(&id));
            let Some((followed, channel)) = oldest else { break };
            bytes -= followed.bytes();
            self.forgotten.push(Arc::downgrade(&channel));
            self.is_list_old = true;
        }
        self.forgotten.retain(|channel| channel.strong_count() > 0);
    }

    fn write_list(&mut self) {
        let playing: Vec<_> = self.matches.iter().rev().filter(|(_, (own, _))| !own.is_over()).collect();
        let over: Vec<_> = self.ended.iter().rev().filter_map(|id| self.matches.get_key_value(id)).collect();
        let count = playing.len() + over.len();
        let listed: Vec<Value> = playing
            .into_iter()
            .chain(over)
            .take(MOST_LISTED)
            .map(|(id, (followed, _))| followed.entry(*id))
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

    /// Reports to the host that a person is gone.
    fn tell_left(&self, person: PersonId, gone: &Person)
    where
        E: Shown<Action: Send, Config: Send, Feed: Send> + 'static,
    {
        // Unlike other requests, this one waits if the queue is full: nobody would repeat it.
        let (requests, leave) = (self.link.requests(), Request::Leave { person, seat: gone.seat() });
        // A host that does not listen needs not know.
        tokio::spawn(async move { requests.send(leave).await.is_ok() });
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

/// Returns the choices of a person, if each of them is an option of the offer.
fn chosen(offer: &Offer, mut asked: BTreeMap<String, String>) -> Result<BTreeMap<String, String>, Refused> {
    let chosen = offer.choices.iter().map(|Choice { name, text, options }| {
        let value = asked.remove(name).unwrap_or_default();
        if options.contains(&value) {
            return Ok((name.clone(), value));
        }
        let why = format!("{text}: choose {}", or_list(options));
        Err(refusal(StatusCode::UNPROCESSABLE_ENTITY, &why))
    });
    chosen.collect()
}

fn tell_channel<E: Shown>(followed: &mut Followed<E>, channel: &Channel) {
    if !followed.is_watched() {
        return;
    }
    channel.keep_end(followed.end());
    channel.push(followed.new_messages());
}

impl<E> Hosted for ShownMatches<E>
where
    E: Shown<Action: Send, Config: Send, Feed: Send> + Send + 'static,
{
    fn tell_some(&mut self) -> bool {
        let changes = self.link.take_some();
        let were_some = !changes.is_empty();
        let mut touched = BTreeSet::new();
        changes.into_iter().for_each(|change| self.take(change, &mut touched));
        touched.into_iter().for_each(|id| self.tell(id));
        self.forget();
        self.tell_list();
        were_some
    }

    fn has_backlog(&self) -> bool {
        self.link.has_backlog()
    }

    fn tell_list(&mut self) {
        if self.is_list_old && self.listed.elapsed() >= LIST_EVERY {
            self.write_list();
        }
    }

    fn is_list_old(&self) -> bool {
        self.is_list_old
    }

    fn channel(&mut self, name: Option<&str>) -> Result<(Option<MatchId>, Arc<Channel>), Refused> {
        let Some(name) = name else { return Ok((None, self.front.clone())) };
        self.tell_some();
        let id = name.parse().map(MatchId).ok();
        let Some((id, (followed, channel))) = id.and_then(|id| Some((id, self.matches.get_mut(&id)?))) else {
            return Err(refusal(StatusCode::NOT_FOUND, "there is no such match here, or not any more"));
        };
        let channel = channel.clone();
        if !followed.is_watched() {
            followed.watch();
            tell_channel(followed, &channel);
            // The messages may be too long for a match that is over to be kept. Nothing else that happens here would
            // have the list written later.
            self.forget();
            if self.is_list_old {
                self.write_list();
            }
        }
        Ok((Some(id), channel))
    }

    fn mode(&self, id: Option<MatchId>, has_seat: bool) -> Mode<'static> {
        Mode::Matches { id, has_seat }
    }

    fn notices(&self) -> Vec<watch::Receiver<Utf8Bytes>> {
        let tables = [&self.standings, &self.faults].map(|table| &table.told);
        [&self.told_settings, &self.list].into_iter().chain(tables).map(watch::Sender::subscribe).collect()
    }

    fn person(&self, token: &str) -> Option<PersonId> {
        self.people.by_token(token)
    }

    fn pages_of(&mut self, person: PersonId) -> usize {
        self.people.person(person).map_or(0, |person| person.notice.receiver_count())
    }

    fn notices_of(&mut self, person: PersonId) -> Option<watch::Receiver<Utf8Bytes>> {
        let person = self.people.person(person)?;
        person.show(Instant::now());
        Some(person.notice.subscribe())
    }

    fn join(
        &mut self,
        from: IpAddr,
        offer: &str,
        name: &str,
        choices: BTreeMap<String, String>,
    ) -> Result<(PersonId, Token), Refused> {
        // All changes that the host has reported before the request count, here and below.
        self.tell_some();
        let Some((_, offered)) = self.offers.iter().find(|(name, _)| name == offer) else {
            return Err(refusal(StatusCode::NOT_FOUND, "this is not offered any more"));
        };
        let choices = chosen(offered, choices)?;
        // Nobody gives way to a person who cannot be passed on.
        let room = self.link.reserve()?;
        let Joined { id: person, token, gone } =
            self.people.join(Instant::now(), name, self.server_limits.people.into())?;
        if let Some((id, gone)) = gone {
            self.tell_left(id, &gone);
        }
        let name = self.people.person(person).map(|person| person.name().to_owned()).unwrap_or_default();
        let request = Request::Join { person, from, name, offer: offer.to_owned(), choices };
        room.send(request);
        Ok((person, token))
    }

    fn act(
        &mut self,
        person: PersonId,
        (id, moves): (u64, Option<u64>),
        action: &str,
    ) -> Result<Served, Refused> {
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
        if moves.is_some_and(|moves| moves != followed.moves()) {
            return Err(refusal(StatusCode::CONFLICT, "another move was made before"));
        }
        let asked: E::Action = action
            .parse()
            .map_err(|error: game_env::NotationError| refusal(StatusCode::BAD_REQUEST, &error.to_string()))?;
        let asked_text = asked.to_string();
        if !options.iter().any(|option| option.to_string() == asked_text) {
            let why = format!("`{asked_text}` is not one of your options");
            return Err(refusal(StatusCode::UNPROCESSABLE_ENTITY, &why));
        }
        self.link.ask(|answer| Request::Action { person, id, agent, action: asked, answer })
    }

    fn leave(&mut self, person: PersonId) {
        if let Some(gone) = self.people.remove(person) {
            self.tell_left(person, &gone);
        }
    }

    fn time_left(&mut self, person: PersonId) -> Option<Duration> {
        let absence = self.people.person(person)?.absence(Instant::now());
        Some(self.server_limits.absence.saturating_sub(absence))
    }

    fn settings(&mut self) -> Option<ShownSettings<'_>> {
        self.tell_some();
        let is_locked = self.is_running;
        self.settings.as_deref().map(|settings| ShownSettings { settings, is_locked })
    }

    fn may(&mut self, order: Order) -> Result<(), Refused> {
        self.tell_some();
        let (status, why) = match order {
            Order::Start if self.settings.is_none() => {
                (StatusCode::CONFLICT, "there is nothing to start here")
            }
            Order::Start if self.is_running => {
                (StatusCode::CONFLICT, "a match is still running: stop it first")
            }
            Order::Next if !self.is_by_hand => (StatusCode::CONFLICT, "moves are not made by hand here"),
            Order::Stop if !self.is_running => (StatusCode::CONFLICT, "no match is running"),
            Order::Connect => (StatusCode::NOT_FOUND, "the host needs no connection"),
            Order::Configure => {
                (StatusCode::NOT_FOUND, "this host takes settings when something is started: `POST /start`")
            }
            Order::Start | Order::Next | Order::Stop => return Ok(()),
        };
        Err(refusal(status, why))
    }

    fn order(&mut self, order: Order, parameters: Parameters) -> Result<Served, Refused> {
        self.may(order)?;
        self.link.ask(|answer| order.request(parameters, answer))
    }

    fn seen(&mut self, person: PersonId) {
        if let Some(person) = self.people.person(person) {
            person.show(Instant::now());
        }
    }

    fn close(&mut self, last: &str) {
        self.closed = Some(last.to_owned());
        self.write_list();
        let kept = self.matches.values().map(|(_, channel)| channel).chain([&self.front]).cloned();
        let forgotten = self.forgotten.iter().filter_map(Weak::upgrade);
        kept.chain(forgotten).for_each(|channel| channel.close(Some(feed::gone(last))));
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::sync::mpsc;

    use super::*;
    use crate::event_queue::EventQueue;
    use crate::matches::Matches;
    use crate::room::Tested;

    #[tokio::test]
    async fn nobody_gives_way_to_a_person_who_cannot_be_passed_on() {
        let (queue, (sender, mut requests)) = (Arc::new(EventQueue::default()), mpsc::channel(1));
        let server_limits = ServerLimits { people: 1, ..ServerLimits::default() };
        let mut shown = ShownMatches::<Tested>::new(HostLink::new(queue.clone(), sender), server_limits);
        Matches::<Tested>::new(queue).offer("anybody", "Play");
        let join = |shown: &mut ShownMatches<Tested>, name| {
            shown.join(Ipv4Addr::LOCALHOST.into(), "anybody", name, BTreeMap::new())
        };
        let (first, token) = join(&mut shown, "a").unwrap();
        let Refused(status, _) = join(&mut shown, "b").unwrap_err();
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(shown.person(&token.to_string()), Some(first));
        assert!(matches!(requests.recv().await, Some(Request::Join { person, .. }) if person == first));
        assert!(requests.try_recv().is_err(), "nobody has left");
        join(&mut shown, "b").unwrap();
        assert_eq!(shown.person(&token.to_string()), None);
    }
}
