//! The smallest games there are, to read beside the contract.

pub mod pebbles;
