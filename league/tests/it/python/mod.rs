//! Leagues whose agents are programs in Python. `cargo xtask test` leaves out this module where Python is missing.

mod network;
