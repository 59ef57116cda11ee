//! Operations of a client: the meaning of one line of an input.

use std::borrow::Cow;

use game_env::Millis;
use reference_gm::server::ConnectionId;

/// Operation of a client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation<'a> {
    /// `+`: it connects.
    Connect,
    /// `-`: it ends its connection.
    End,
    /// `.` and a number: this much time passes, in ms.
    Wait(Millis),
    /// `:` and bytes: it sends these bytes and a line end. `~` and bytes: it sends them without. A line of another form
    /// is sent as it is.
    Send(Cow<'a, [u8]>),
}

impl<'a> Operation<'a> {
    /// Reads a line: the number of the client (a digit, otherwise it is client 0), then its operation.
    pub fn read(line: &'a [u8], longest_wait: Millis) -> (ConnectionId, Self) {
        let (id, rest) = match line {
            [digit @ b'0'..=b'9', rest @ ..] => (ConnectionId((digit - b'0').into()), rest),
            _ => (ConnectionId(0), line),
        };
        let operation = match rest {
            [b'+', ..] => Self::Connect,
            [b'-', ..] => Self::End,
            [b'.', span @ ..] => {
                let span = str::from_utf8(span).ok().and_then(|span| span.parse().ok());
                Self::Wait(longest_wait.min(Millis::new(span.unwrap_or(1))))
            }
            [b':', bytes @ ..] => Self::Send([bytes, b"\n"].concat().into()),
            [b'~', bytes @ ..] => Self::Send(bytes.into()),
            bytes => Self::Send(bytes.into()),
        };
        (id, operation)
    }
}
