//! Leagues on many machines: a coordinator, any number of workers, and a queue between them.
//!
//! The [coordinator](coordinator::Coordinator) follows the schedule of a league and cuts its matches into
//! [chunks](chunk::Chunk). [Workers](worker::Worker) lease chunks, play their matches and report the results. The
//! coordinator writes each result into the store of the league, from which standings are made, exactly as `league run`
//! does. Between them is a [`Dispatch`](dispatch::Dispatch): a table of chunks and a table of results.
//!
//! # What is guaranteed
//!
//! The files of standings are those that one process writes, byte for byte: a match is a value that decides its course,
//! and matches are counted in the order of the schedule. Workers and the coordinator may be killed at any moment. A
//! match may be *played* more than once; it *counts* once, because both tables of results have one row for each match.
//!
//! A match that ends its worker's process again and again is given up after [`worker::MOST_CRASHES`] crashes while it
//! was played alone: it is not ranked and has the verdict `host-fault`.
//!
//! The coordinator plays a sample of the results again. A worker with a false result is refused: all its results are
//! dropped, and others play its matches.
//!
//! # How
//!
//! Coordinator and worker are values without clocks, threads and files: [`handle`](worker::Worker::handle) takes one
//! input, `poll_output` returns what is to be done. [`memory::Memory`] is a `Dispatch` for simulations;
//! [`sqlite::Sqlite`] is an SQLite file and [`postgres::Postgres`] a database on a server; their jobs and leases are
//! those of apalis. [`coordinate`] and [`serve`] are the loops around them.
//!
//! # What this crate does not do
//!
//! It plays leagues in process only: matches over the network take real time, and their results depend on the machine.
//! It plays no match in which a program loses or pays for the wall time of its decisions, for the same reason: see
//! [`suitable`](league::suitable).
//! It computes no standings. Only [`sqlite`] and [`postgres`] know which queue is used.

pub mod chunk;
pub mod dispatch;

pub mod coordinator;
pub mod sample;
pub mod worker;

mod columns;
pub mod memory;
pub mod postgres;
mod rows;
pub mod sqlite;

pub mod coordinate;
pub mod origin;
pub mod serve;
pub mod verify;

mod hints;
