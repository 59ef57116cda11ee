//! Reads the parts of a message that concern the server, and writes the messages of the server.

use std::io::Write as _;
use std::net::SocketAddr;

use serde_json::json;
use wire::envelope::{AgentField, Outline};
use wire::frame::{self, EXCERPT, FrameError};
use wire::project::{Habit, habit};

use super::peer::AgentNumber;
use super::report::{Invalid, Name, Report};
use super::{AGENT_LOST, JOIN, UNDEFINED_ERROR};

/// A message that cannot be passed on.
pub(super) struct Fault<'a> {
    pub(super) why: Invalid,
    pub(super) start: &'a [u8],
}

impl<'a> Fault<'a> {
    pub(super) fn new(why: impl Into<Invalid>, body: &'a [u8]) -> Self {
        Self { why: why.into(), start: &body[..body.len().min(EXCERPT)] }
    }

    pub(super) fn report(self, name: Name, from: SocketAddr) -> Report {
        Report::Invalid { name, from, why: self.why, start: self.start.to_owned() }
    }
}

impl<'a> From<FrameError<'a>> for Fault<'a> {
    fn from(error: FrameError<'a>) -> Self {
        match error {
            FrameError::Empty => Self::new(Invalid::Empty, &[]),
            FrameError::TooLong { length, limit, start } => {
                Self::new(Invalid::TooLong { length: length.into(), limit }, start)
            }
        }
    }
}

/// A message that was passed on.
#[derive(Debug)]
pub(super) struct Passed {
    pub(super) message_id: i64,
    /// The length of its body.
    pub(super) body: u16,
    /// The habit of other implementations that a request to join shows.
    pub(super) habit: Option<Habit>,
}

/// Appends an agent's message with the agent's own id in it.
#[inline]
pub(super) fn pass_to_gm<'a>(
    item: Result<&'a [u8], FrameError<'a>>,
    agent: AgentNumber,
    limit: u16,
    out: &mut Vec<u8>,
) -> Result<Passed, Fault<'a>> {
    let body = item?;
    let outline = Outline::of(body).map_err(|error| Fault::new(error, body))?;
    // The game master believes it: an agent could put any other one out of the game.
    if outline.message_id == AGENT_LOST {
        return Err(Fault::new(Invalid::Reserved, body));
    }
    let start = out.len();
    let agent = agent.0.into();
    let written = frame::write_with(out, |out| match outline.message_id {
        JOIN => outline.splice_join(body, agent, out),
        _ => outline.splice(body, agent, out),
    });
    let length = written.map_or_else(|error| error.length, |()| out.len() - start - frame::HEADER);
    if length > limit.into() {
        out.truncate(start);
        return Err(Fault::new(Invalid::TooLongWithId { length, limit }, body));
    }
    let message_id = outline.message_id;
    let habit = if message_id == JOIN { habit(&out[start + frame::HEADER..]) } else { None };
    let body = u16::try_from(length).expect("it is no longer than the limit");
    Ok(Passed { message_id, body, habit })
}

/// Tells an agent that its message was dropped, as the game master would: with message 905.
#[cold]
pub(super) fn refuse_message(id: AgentNumber, why: &Invalid, out: &mut Vec<u8>) {
    frame::write_with(out, |body| {
        let payload = json!({"reason": format!("the communication server dropped a message: {why}")});
        write!(body, r#"{{"messageID":{UNDEFINED_ERROR},"agentID":{id},"payload":{payload}}}"#)
            .expect("a vector takes everything");
    })
    .expect("the message is short");
}

/// A message of the game master, and the agent that it is for, if it names one.
pub(super) struct Addressed<'a> {
    pub(super) id: i64,
    pub(super) agent: Option<i64>,
    pub(super) body: &'a [u8],
}

#[inline]
pub(super) fn addressed<'a>(item: Result<&'a [u8], FrameError<'a>>) -> Result<Addressed<'a>, Fault<'a>> {
    let body = item?;
    let outline = Outline::of(body).map_err(|error| Fault::new(error, body))?;
    let agent = match outline.agent {
        AgentField::Integer(id) => Some(id),
        _ => None,
    };
    Ok(Addressed { id: outline.message_id, agent, body })
}
