//! People who play on the page: their tokens, their seats, and what their pages are told.

use std::collections::BTreeMap;

use axum::extract::ws::Utf8Bytes;
use axum::http::StatusCode;
use game_env::AgentId;
use game_env::notation::is_hidden;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::Instant;

use super::answer::{Refused, refusal};
use crate::guard::Token;
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
    /// What it is told besides; empty for nothing.
    pub(super) note: String,
    /// What its pages are told. Each page is a receiver.
    pub(super) notice: watch::Sender<Utf8Bytes>,
    /// When it joined, or a page of it was connected last.
    pub(super) seen: Instant,
}

/// What became of somebody who wants to play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Standing {
    Waiting,
    Seated(MatchId, AgentId),
    Refused(String),
}

/// The longest name of a person, in characters.
const LONGEST_NAME: usize = 40;

impl People {
    /// Takes somebody in who wants to play.
    pub(super) fn join(&mut self, name: &str, most: usize) -> Result<(PersonId, Token), Refused> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(is_hidden) {
            let why = format!("a name has 1 to {LONGEST_NAME} characters, none of them a control character");
            return Err(refusal(StatusCode::UNPROCESSABLE_ENTITY, &why));
        }
        if self.people.len() >= most {
            return Err(refusal(StatusCode::SERVICE_UNAVAILABLE, "too many people play already"));
        }
        let token =
            Token::draw().map_err(|error| refusal(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))?;
        self.joined += 1;
        let id = PersonId(self.joined);
        let person = Person {
            token: token.clone(),
            name: name.to_owned(),
            standing: Standing::Waiting,
            note: String::new(),
            notice: watch::Sender::new(Utf8Bytes::default()),
            seen: Instant::now(),
        };
        person.tell(json!({}));
        self.people.insert(id, person);
        Ok((id, token))
    }

    /// Whose token this is.
    pub(super) fn by_token(&self, token: &str) -> Option<PersonId> {
        // All are looked at: how long it takes says nothing about any of them.
        let mut found = None;
        for (id, person) in &self.people {
            if person.token.is(token) {
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
