//! The Project Game: line-ups, a host in this process, scripted agents, and the parameters of agents on a server.

pub mod line_up;
pub mod loopback;
pub mod parameters;
pub mod scripted;
