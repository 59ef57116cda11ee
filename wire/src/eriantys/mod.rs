//! The protocol of Eriantys over TCP: one JSON object a line, whose key `type` names the message.
//!
//! A client sends [`Request`]s and receives [`Notice`]s. [`Decoder`] reads them from a stream of bytes, and
//! [`Message::write`] appends them to a buffer. [`schema`] has a JSON Schema for each message and the book's reference,
//! both derived from the types that are read and written.
//!
//! ```
//! use wire::eriantys::request::ChooseCloud;
//! use wire::eriantys::{Decoder, Message, REQUEST_LIMIT, Request};
//!
//! let mut bytes = Vec::new();
//! Request::from(ChooseCloud { cloud: 2 }).write(&mut bytes);
//! assert_eq!(bytes, b"{\"type\":\"ChooseCloud\",\"cloud\":2}\n");
//!
//! let mut decoder = Decoder::<Request>::new(REQUEST_LIMIT);
//! assert_eq!(decoder.next(&mut &bytes[..]), Some(Ok(ChooseCloud { cloud: 2 }.into())));
//!
//! let error = decoder.next(&mut &b"{\"type\":\"ChooseCloud\",\"cloud\":\"left\"}\n"[..]).unwrap().unwrap_err();
//! assert_eq!(
//!     error.to_string(),
//!     "`ChooseCloud`, field `cloud`: invalid type: string \"left\", expected a whole number"
//! );
//! ```
//!
//! # What a reader tolerates
//!
//! Unknown keys are passed over, an optional key may be `null`, and empty lines are skipped. Everything else is an
//! error: a key that is there twice, a number in quotes, a word in another case.
//!
//! # What this module does not do
//!
//! It does not judge: whether there is an island 13, and whether it may be chosen, is for the rules to decide.

pub mod agent;
pub mod convert;
pub mod notice;
pub mod request;
pub mod schema;
pub mod table;
pub mod words;

mod message;
mod nickname;
mod read;

pub use self::convert::{Profile, TableError};
pub use self::message::Message;
pub use self::nickname::{Nickname, NicknameError};
pub use self::notice::Notice;
pub use self::read::{DecodeError, Decoder, NOTICE_LIMIT, REQUEST_LIMIT};
pub use self::request::Request;
pub use self::table::TableUpdate;
pub use crate::token::Token;
