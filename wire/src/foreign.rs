//! Other protocols at the beginning of a connection: HTTP and TLS, which browsers send to any port.
//!
//! A page of any site can make the browser send a request to a port of the viewer's own machine, and chooses the body
//! of this request. A server that skips the head of the request as an invalid message would obey the body. Therefore
//! each server of a protocol that is not HTTP closes a connection whose first bytes are [recognised](recognise()).
//!
//! ```
//! use wire::foreign::{Foreign, Start, recognise};
//!
//! assert_eq!(recognise(b"POST / HTTP/1.1\r\n"), Start::Foreign(Foreign::Http));
//! assert_eq!(recognise(b"PO"), Start::Undecided);
//! assert_eq!(recognise(b"login|Ada\n"), Start::Own);
//! ```
//!
//! # What this module does not do
//!
//! It does not say that a connection speaks the right protocol. It only looks at the first [`ENOUGH`] bytes.

use std::fmt;

/// A protocol that none of our ports for players speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Foreign {
    /// A request of HTTP/1, or the preface of HTTP/2.
    Http,
    /// A record of TLS, as at the beginning of a connection for HTTPS.
    Tls,
}

/// The protocol that the first bytes of a connection show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Another protocol. No valid first frame and no valid first line of our protocols begins like this.
    Foreign(Foreign),
    /// The bytes so far are the beginning of another protocol, but more are needed to be sure.
    Undecided,
    /// Neither HTTP nor TLS.
    Own,
}

/// With this many bytes, the result of [`recognise()`] is never [`Start::Undecided`].
pub const ENOUGH: usize = 10;

/// Beginnings of HTTP requests: the methods of RFC 9110 and RFC 5789, and the preface of RFC 9113.
const REQUESTS: [&[u8]; 10] = [
    b"GET ",
    b"HEAD ",
    b"POST ",
    b"PUT ",
    b"DELETE ",
    b"CONNECT ",
    b"OPTIONS ",
    b"TRACE ",
    b"PATCH ",
    b"PRI * HTTP",
];

/// The first bytes of records with a handshake of TLS (RFC 8446, section 5.1): the type, and the version 3.x. The third
/// byte tells a record from a frame of 790 bytes, whose body begins with `{` or white space.
const HANDSHAKES: [&[u8]; 5] =
    [b"\x16\x03\x00", b"\x16\x03\x01", b"\x16\x03\x02", b"\x16\x03\x03", b"\x16\x03\x04"];

/// Recognises the protocol of a connection by its first bytes. A result other than [`Start::Undecided`] stays the same
/// with more bytes, so it makes no difference how the network split them.
pub fn recognise(start: &[u8]) -> Start {
    let known = REQUESTS.into_iter().map(|prefix| (prefix, Foreign::Http));
    let known = known.chain(HANDSHAKES.into_iter().map(|prefix| (prefix, Foreign::Tls)));
    let mut result = Start::Own;
    for (prefix, foreign) in known {
        if start.starts_with(prefix) {
            return Start::Foreign(foreign);
        }
        if prefix.starts_with(start) {
            result = Start::Undecided;
        }
    }
    result
}

impl Foreign {
    /// Returns the reason for closing such a connection; `port` names where it has connected to: `the port for agents`.
    pub fn at(self, port: &str) -> impl fmt::Display {
        let client = match self {
            Self::Http => "a browser or an HTTP client",
            Self::Tls => "a browser or another client of TLS",
        };
        fmt::from_fn(move |f| write!(f, "looks like {self}: {client} has connected to {port}"))
    }
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "HTTP",
            Self::Tls => "TLS",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_http_and_records_of_tls_are_recognised_however_they_are_split() {
        let table: [(&[u8], Foreign, usize); 13] = [
            (b"GET / HTTP/1.1\r\nHost: 127.0.0.1:3728\r\n\r\n", Foreign::Http, 4),
            (b"HEAD / HTTP/1.0\r\n\r\n", Foreign::Http, 5),
            (b"POST /\x00\x01 HTTP/1.1\r\n", Foreign::Http, 5),
            (b"PUT http://a.example/ HTTP/1.1\r\n", Foreign::Http, 4),
            (b"DELETE *", Foreign::Http, 7),
            (b"CONNECT a.example:3728 HTTP/1.1\r\n", Foreign::Http, 8),
            (b"OPTIONS * HTTP/1.1\r\n", Foreign::Http, 8),
            (b"TRACE /", Foreign::Http, 6),
            (b"PATCH /", Foreign::Http, 6),
            (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Foreign::Http, 10),
            (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", Foreign::Tls, 3),
            (b"\x16\x03\x00", Foreign::Tls, 3),
            (b"\x16\x03\x04\x00", Foreign::Tls, 3),
        ];
        for (bytes, foreign, needed) in table {
            assert!(needed <= ENOUGH);
            for length in 0..=bytes.len() {
                let expected = if length < needed { Start::Undecided } else { Start::Foreign(foreign) };
                let start = &bytes[..length];
                assert_eq!(recognise(start), expected, "\"{}\"", start.escape_ascii());
            }
        }
    }

    #[test]
    fn other_bytes_are_not_recognised() {
        for bytes in [
            &b"GETT / "[..],
            b"get / HTTP/1.1",
            b"POST\n",
            b"PRI * HTTQ",
            b"PROPFIND /",
            b"\x16\x02\x01",
            b"\x16\x03\x05",
            b"\x16\x03{",
            b"\x15\x03\x01",
            b" GET / HTTP/1.1",
            b"\0\0",
        ] {
            assert_eq!(recognise(bytes), Start::Own, "\"{}\"", bytes.escape_ascii());
        }
    }

    #[test]
    fn no_valid_first_frame_is_recognised() {
        // The body of a valid frame is a JSON object, perhaps behind white space.
        for length in 0..=u16::MAX {
            let [low, high] = length.to_le_bytes();
            assert!(!matches!(recognise(&[low, high]), Start::Foreign(_)), "{length}");
            for first in *b"{ \t\r\n" {
                assert_eq!(recognise(&[low, high, first]), Start::Own, "{length}");
            }
        }
    }

    #[test]
    fn no_valid_first_line_is_recognised() {
        use crate::conveyor::{Dialect, Report, Request};

        let of_dots = ["login|Ada", "login|GET |00112233445566778899aabbccddeeff", "queue", "pong"];
        let of_eriantys = [r#"{"type":"login","nickname":"Ada"}"#, " {}"];
        let of_bricks = ["PING", "3", "3_1x1", "{1;1}", "ZACZYNAJ", "START", "STOP"];
        let of_players = ["HAI", "HAI KITTEH", "KITTEH WANT MOVE UP", "SUPERCAT WANT TURN LEFT"];
        let of_boards = ["ALL YOUR BASE ARE BELONG TO ME", "HINT 3,4", "KITTEH 1,1", "SIZE 12,9"];
        assert!(of_players.into_iter().all(|line| Request::read(line.as_bytes()).is_ok()));
        assert!(
            of_boards.into_iter().all(|line| Report::read(line.as_bytes(), Dialect::Specification).is_ok())
        );
        let lines =
            of_dots.into_iter().chain(of_eriantys).chain(of_bricks).chain(of_players).chain(of_boards);
        for line in lines {
            assert_eq!(recognise(line.as_bytes()), Start::Own, "{line}");
        }
    }

    #[test]
    fn the_reason_names_the_protocol_the_client_and_the_port() {
        assert_eq!(
            Foreign::Http.at("the port for agents").to_string(),
            "looks like HTTP: a browser or an HTTP client has connected to the port for agents"
        );
        assert_eq!(
            Foreign::Tls.at("the game master's port").to_string(),
            "looks like TLS: a browser or another client of TLS has connected to the game master's port"
        );
    }
}
