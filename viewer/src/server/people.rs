//! People who play on the page: their tokens, their seats, and the notices to their pages.
//!
//! The number of people is limited. A request is enough to take a place, so a place is kept only for people who show
//! that they are there, by a connected page or by an action. If all places are taken, another person gives way:
//!
//! 1. the person who joined first, of those that have never shown themselves. A flood of requests without a page
//!    displaces only requests like these: a browser connects its page at once.
//! 2. otherwise the person who is gone longest, of those whose page has been gone for [`RETURN`] or more.
//!
//! A person whose page is connected never gives way. Addresses are not looked at: a class behind one address is
//! usual.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use axum::http::StatusCode;
use game_env::AgentId;
use game_env::text::is_hidden;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;
use wire::token::Token;

use super::answer::{Refused, refusal};
use crate::guard::draw_token;
use crate::matches::{MatchId, PersonId};

/// Everybody who plays, or waits to.
#[derive(Default)]
pub(super) struct People {
    joined: u64,
    people: BTreeMap<PersonId, Person>,
}

pub(super) struct Person {
    token: Token,
    name: String,
    pub(super) standing: Standing,
    /// The note of the host to it; empty for none.
    pub(super) note: String,
    /// The notices to its pages. Each page is a receiver.
    pub(super) notice: watch::Sender<Utf8Bytes>,
    /// The moment when it joined, acted, or a page of it was connected last.
    seen: Instant,
    /// Whether a page of it was ever connected, or it has acted.
    has_come: bool,
}

/// A person who was taken in.
pub(super) struct Joined {
    pub(super) id: PersonId,
    pub(super) token: Token,
    /// The person who gave way.
    pub(super) gone: Option<(PersonId, Person)>,
}

/// The state of a person who wants to play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    Waiting,
    Seated(MatchId, AgentId),
    Refused(String),
}

/// The time for which a person without a connected page keeps its place although another one wants it: a page that is
/// loaded again takes a second or two.
const RETURN: Duration = Duration::from_secs(5);

/// The longest name of a person, in characters.
const LONGEST_NAME: usize = 40;

impl People {
    /// Takes in a person who wants to play. If all places are taken, another person gives way, whose id and entry are
    /// returned as well.
    pub(super) fn join(&mut self, now: Instant, name: &str, most: usize) -> Result<Joined, Refused> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(is_hidden) {
            let why = format!("a name has 1 to {LONGEST_NAME} characters, none of them a control character");
            return Err(refusal(StatusCode::UNPROCESSABLE_ENTITY, &why));
        }
        let token =
            draw_token().map_err(|error| refusal(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))?;
        let mut gone = None;
        if self.people.len() >= most {
            gone = self.giving_way(now).and_then(|id| Some((id, self.people.remove(&id)?)));
            if gone.is_none() {
                return Err(refusal(StatusCode::SERVICE_UNAVAILABLE, "too many people play already"));
            }
        }
        self.joined += 1;
        let id = PersonId(self.joined);
        let person = Person {
            token,
            name: name.to_owned(),
            standing: Standing::Waiting,
            note: String::new(),
            notice: watch::Sender::new(Utf8Bytes::default()),
            seen: now,
            has_come: false,
        };
        person.tell(json!({}));
        self.people.insert(id, person);
        Ok(Joined { id, token, gone })
    }

    /// Returns the person who gives way to another one; see the module.
    fn giving_way(&self, now: Instant) -> Option<PersonId> {
        let away = self.people.iter().filter(|(_, person)| person.notice.receiver_count() == 0);
        let away = away.filter(|(_, person)| !person.has_come || person.absence(now) >= RETURN);
        away.min_by_key(|(id, person)| (person.has_come, person.seen, **id)).map(|(id, _)| *id)
    }

    /// Returns the person with this token.
    pub(super) fn by_token(&self, token: &str) -> Option<PersonId> {
        let token: Token = token.parse().ok()?;
        // All are looked at: how long it takes says nothing about any of them.
        let mut found = None;
        for (id, person) in &self.people {
            if person.token == token {
                found = Some(*id);
            }
        }
        found
    }

    pub(super) fn person(&mut self, id: PersonId) -> Option<&mut Person> {
        self.people.get_mut(&id)
    }

    pub(super) fn remove(&mut self, id: PersonId) -> Option<Person> {
        self.people.remove(&id)
    }
}

impl Person {
    /// Notes that the person is there.
    pub(super) fn show(&mut self, now: Instant) {
        (self.seen, self.has_come) = (now, true);
    }

    /// Returns the time since it showed itself last; zero while a page of it is connected.
    pub(super) fn absence(&self, now: Instant) -> Duration {
        if self.notice.receiver_count() > 0 { Duration::ZERO } else { now.duration_since(self.seen) }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn seat(&self) -> Option<(MatchId, AgentId)> {
        match self.standing {
            Standing::Seated(id, agent) => Some((id, agent)),
            Standing::Waiting | Standing::Refused(_) => None,
        }
    }

    /// Tells its pages how things stand, with these further members.
    pub(super) fn tell(&self, more: Value) {
        let mut notice = match &self.standing {
            Standing::Waiting => json!({ "state": "waiting" }),
            Standing::Seated(id, agent) => {
                json!({ "state": "seated", "match": id.number(), "agent": agent.index() })
            }
            Standing::Refused(why) => json!({ "state": "refused", "why": why }),
        };
        notice["kind"] = json!("person");
        notice["name"] = json!(self.name);
        if !self.note.is_empty() {
            notice["note"] = json!(self.note);
        }
        if let (Value::Object(notice), Value::Object(more)) = (&mut notice, more) {
            notice.extend(more);
        }
        let text = notice.to_string();
        self.notice.send_if_modified(|told| {
            let is_new = told.as_str() != text;
            if is_new {
                *told = text.into();
            }
            is_new
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: usize = 4;

    /// Returns the person who gave way to a further one; an error if nobody did.
    fn join(people: &mut People, now: Instant) -> Result<Option<PersonId>, StatusCode> {
        let joined = people.join(now, "a", MOST).map_err(|Refused(status, _)| status)?;
        Ok(joined.gone.map(|(id, _)| id))
    }

    fn show(people: &mut People, id: u64, now: Instant) {
        people.person(PersonId(id)).expect("it is there").show(now);
    }

    #[test]
    fn requests_without_a_page_give_way_to_later_ones() {
        let (mut people, now) = (People::default(), Instant::now());
        for _ in 0..MOST {
            assert_eq!(join(&mut people, now).ok(), Some(None));
        }
        // Two of them show themselves: one has a page, the other one acts.
        let page = people.person(PersonId(1)).map(|person| person.notice.subscribe());
        show(&mut people, 2, now);
        for flood in 3..1000 {
            assert_eq!(join(&mut people, now).ok(), Some(Some(PersonId(flood))));
        }
        assert!(people.person(PersonId(1)).is_some() && people.person(PersonId(2)).is_some());
        drop(page);
    }

    #[test]
    fn a_person_gives_way_only_some_seconds_after_its_page_is_gone() {
        let (mut people, start) = (People::default(), Instant::now());
        let mut pages = Vec::new();
        for id in 1..=4 {
            assert!(join(&mut people, start).is_ok());
            pages.extend(people.person(PersonId(id)).map(|person| person.notice.subscribe()));
        }
        let later = start + Duration::from_secs(3600);
        assert_eq!(join(&mut people, later), Err(StatusCode::SERVICE_UNAVAILABLE));
        // The page of the third is closed, then that of the first.
        drop((pages.remove(2), pages.remove(0)));
        for (id, seconds) in [(3, 0), (1, 1)] {
            show(&mut people, id, later + Duration::from_secs(seconds));
        }
        let almost = later + RETURN - Duration::from_millis(1);
        assert_eq!(join(&mut people, almost), Err(StatusCode::SERVICE_UNAVAILABLE));
        assert_eq!(join(&mut people, later + RETURN), Ok(Some(PersonId(3))));
        // The new one has no page yet.
        assert_eq!(join(&mut people, later + RETURN), Ok(Some(PersonId(5))));
    }
}
