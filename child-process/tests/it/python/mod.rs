//! Attacks of confined programs, written in Python, on other programs, their files, and the limits of the system.
//!
//! The attacks are in [`attacks`]; [`filters`] and [`namespaces`] run all of them under one kind of confinement. The
//! harness of the tests leaves out modules by name where Python or bubblewrap is missing.

mod attacks;
mod filters;
mod namespaces;
