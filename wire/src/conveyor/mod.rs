//! The protocol of Conveyor over TCP: lines of ASCII text that end with `\r\n`.
//!
//! The controller is the server. The board, which holds the truth, connects to it and is asked with [`Order`]s, one at
//! a time; it answers with [`Report`]s. Players connect as well: they send [`Request`]s, and receive [`Notice`]s, which
//! never say where anybody is.
//!
//! ```text
//! controller → board   HAI
//! board → controller   ALL YOUR BASE ARE BELONG TO ME
//! controller → board   K
//! controller → board   VISIBLE
//! board → controller   SIZE 12,9
//! board → controller   HINT 3,4             and so on, for each special field
//! board → controller   KITTEH 1,1
//! board → controller   SUPERCAT 5,2
//! player → controller  KITTEH WANT MOVE UP
//! controller → board   KITTEH WANT MOVE UP
//! board → controller   HINT RIGHT
//! controller → player  HINT RIGHT
//! board → controller   KITTEH 1,2
//! ```
//!
//! The game's player 0 is KITTEH, player 1 is SUPERCAT. [`crate::lines`] splits a stream into lines; a line without
//! `\r` is a line as well.
//!
//! ```
//! use game_conveyor::{Action, Direction};
//! use wire::conveyor::{Dialect, Order, Report};
//!
//! assert_eq!(Order::read(b"KITTEH WANT MOVE UP")?, Order::Want(Action::Step(Direction::Up)));
//! let report = Report::read(b"TRANSPORT 2,3 => 0,0", Dialect::Year2009)?;
//! assert_eq!(report.line(Dialect::Specification), "TRANSPORT 3,4");
//! # Ok::<(), game_env::NotationError>(())
//! ```
//!
//! # What this module does not do
//!
//! It knows neither board nor order: whether a line may come now is decided by its reader.

pub mod agent;

mod dialect;
mod order;
mod player;
mod report;
mod words;

pub use self::dialect::{Dialect, UnknownDialect};
pub use self::order::Order;
pub use self::player::{Notice, Request};
pub use self::report::{Report, Special};
pub use self::words::{LONGEST_LINE, name, player_of};
