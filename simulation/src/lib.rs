//! Whole networked systems without a network: servers, hosts and agents on a virtual clock, with faults.
//!
//! The machines that play are the product's own state machines. Their shells, which in the product move bytes between
//! sockets and read clocks, are replaced by one loop for each surface of a machine, over connections that exist only in
//! memory: bytes arrive late and in pieces, connections are partitioned, slow or broken. One seed is one run, event for
//! event, on every machine. The book's page "Which shells the simulation runs" gives the reasons.
//!
//! ```
//! use simulation::project::scenario;
//!
//! let report = scenario::draw(7).play();
//! assert_eq!(report.violations, [""; 0]);
//! ```
//!
//! # What this crate does not do
//!
//! It has no threads, sockets, files or clocks (its program has threads and a file), and it does not test the product's
//! shells: those have tests of their own, over real and simulated sockets.
//!
//! # Where to read on
//!
//! [`event_queue`] is the clock, [`network`] moves the bytes, [`sampler`] draws the quality of a network, [`pieces`]
//! counts many runs. These know no game. Each game whose agents talk over a network has a module with its machines, its
//! scenarios and the rules for every run: [`project`] is The Project Game's, [`bricks`] has the referee of Bricks with
//! programs of players, [`conveyor`] a controller with boards and players, [`dots`] the server of Dots & Boxes with its
//! clients, and [`eriantys`] that of Eriantys. [`GAMES`] lists them for `cargo xtask simulate`.

pub mod bricks;
pub mod conveyor;
pub mod dots;
pub mod eriantys;
pub mod event_queue;
pub mod network;
pub mod pieces;
pub mod project;
pub mod sampler;

mod client_link;
mod outboxes;
mod run;
mod served;

pub use self::network::Log;
pub use self::run::{GAMES, NoEnd, Room, Summary, System, drive, repeat, run};
