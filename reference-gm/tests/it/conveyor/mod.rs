//! Board and controller of Conveyor.

mod board;
mod controller;
mod follower;
mod shells;
mod tcp;
