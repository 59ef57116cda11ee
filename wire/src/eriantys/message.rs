//! Common parts of all messages: a type, and functions that write and read them.

use schemars::Schema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::read::DecodeError;

/// The messages of one direction.
pub trait Message: Serialize + Sized {
    /// The types of all messages of this direction, in the order of the reference.
    const TYPES: &'static [&'static str];

    /// The sender: `client` or `server`.
    const SENDER: &'static str;

    /// Returns the type of this message.
    fn name(&self) -> &'static str;

    /// Returns the message of this type in a text that is known to be a JSON object.
    ///
    /// # Errors
    ///
    /// If there is no such type, or a field is not as it has to be.
    fn of_type(name: &str, text: &str) -> Result<Self, DecodeError>;

    /// Returns the JSON Schemas of all messages, in the order of [`Message::TYPES`], without the additions of
    /// [`schema`](super::schema).
    fn schemas() -> Vec<Schema>;

    /// Appends the message as one line, with its end.
    fn write(&self, out: &mut Vec<u8>) {
        serde_json::to_writer(&mut *out, self)
            .expect("messages have only text as keys, and a buffer takes all");
        out.push(b'\n');
    }
}

/// The fields of a message.
pub(super) trait Fields: DeserializeOwned {}

impl<T: DeserializeOwned> Fields for T {}

/// Declares the messages of one direction, each a struct of the same name.
macro_rules! messages {
    ($(#[$meta:meta])* $direction:ident from $sender:literal { $($name:ident),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
        #[serde(tag = "type")]
        pub enum $direction {
            $(#[doc = concat!("A message of the type `", stringify!($name), "`.")] $name($name)),+
        }

        impl $crate::eriantys::Message for $direction {
            const TYPES: &'static [&'static str] = &[$(stringify!($name)),+];

            const SENDER: &'static str = $sender;

            fn name(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => stringify!($name)),+
                }
            }

            fn of_type(name: &str, text: &str) -> Result<Self, $crate::eriantys::DecodeError> {
                match name {
                    $(stringify!($name) => $crate::eriantys::read::fields(stringify!($name), text).map(Self::$name),)+
                    unknown => Err($crate::eriantys::DecodeError::unknown(unknown, Self::TYPES)),
                }
            }

            fn schemas() -> Vec<schemars::Schema> {
                vec![$(schemars::schema_for!($name)),+]
            }
        }

        $(impl From<$name> for $direction {
            fn from(message: $name) -> Self {
                Self::$name(message)
            }
        })+
    };
}

pub(super) use messages;
