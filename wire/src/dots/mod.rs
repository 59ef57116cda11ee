//! The protocol of Dots & Boxes over TCP: lines of text whose fields are joined by `|`.
//!
//! A client sends [`Request`]s and receives [`Notice`]s. Both are read with [`FromStr`](std::str::FromStr) and written
//! with [`Display`](std::fmt::Display); the line ends are the business of [`line`](mod@line). [`catalogue`] describes
//! every message once; the book's reference is generated from it.
//!
//! ```
//! use wire::dots::line::{self, Decoder, Framing};
//! use wire::dots::{Notice, Request};
//!
//! let request: Request = "login|Ada".parse()?;
//! assert_eq!(request.to_string(), "login|Ada");
//!
//! let mut bytes = Vec::new();
//! line::write(&"play|1".parse::<Notice>()?, Framing::Lines, &mut bytes);
//! let mut decoder = Decoder::new(line::REQUEST_LIMIT);
//! assert_eq!(decoder.next(&mut &bytes[..]), Some(Ok("play|1")));
//! # Ok::<(), wire::dots::MessageError>(())
//! ```
//!
//! # What this module does not do
//!
//! It knows no game: whether two numbers are the dots of an edge, and whether it may be drawn, is decided by the rules.

pub mod agent;
pub mod catalogue;
pub mod line;
pub mod name;
pub mod notice;
pub mod request;

mod fields;

pub use self::fields::MessageError;
pub use self::name::{Name, NameError};
pub use self::notice::{Answer, Contact, Notice, Resumption, Side};
pub use self::request::{LoginToken, Request};
pub use crate::token::Token;
