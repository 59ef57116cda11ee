//! Children that are programs in Python: they end, fail, linger, multiply and grow, and attacks of confined ones on
//! other programs, their files, and the limits of the system.
//!
//! The attacks are in [`attacks`]; [`filters`] and [`namespaces`] run all of them under one kind of confinement. `cargo
//! xtask test` leaves out modules by their names where Python or bubblewrap is missing.

mod attacks;
mod confined;
mod filters;
mod limits;
mod namespaces;
mod pool;
mod stopping;
mod streams;
