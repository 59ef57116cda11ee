//! The game master as its shell sees it.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]

mod agent;
mod answers;
#[cfg(target_os = "linux")]
mod bricks;
#[path = "../../../viewer/tests/it/browser.rs"]
mod browser;
mod command_line;
mod console;
mod conversation;
mod conveyor;
mod dots;
mod eriantys;
mod feed;
mod files;
#[cfg(unix)]
mod folders;
mod forged;
mod full_game;
mod habits;
mod hostile;
mod link;
mod lobby;
mod observed;
#[cfg(target_os = "linux")]
mod output;
mod page;
mod requests;
mod run;
mod served;
mod server;
mod settings;
mod statistics;
#[cfg(target_os = "linux")]
mod terminal;
