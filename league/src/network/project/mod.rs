//! Matches of The Project Game over the network: a communication server and a game master in this process.
//!
//! - [`table`]: one match, from the empty lobby to its record,
//! - [`seating`]: its agents, from their start to the end of the last program,
//! - [`recording`]: its game, as the game master tells it,
//! - [`listeners`]: a listener for each agent, so that each connection has a known agent,
//! - [`delay`]: connections over which messages arrive later,
//! - [`traffic`]: what passed over a connection, for logs,
//! - [`idle`]: how long agents were idle at the end of a game,
//! - [`judgement`]: the termination of a match that the rules did not end.

mod delay;
mod idle;
mod judgement;
mod listeners;
mod recording;
mod seating;
mod table;
mod traffic;

use game_env::{Metrics, Notation as _};
use game_project::State;

use self::table::Table;
use super::{NetworkRoom, run};

pub(super) const ROOM: NetworkRoom = NetworkRoom {
    game: State::GAME,
    play: |network, spec, with_replay| run(Table::new(network, spec)?.play(with_replay)),
    idle_times: idle::idle_times,
    has_server: true,
    settings: None,
    activity,
    page: None,
};

fn activity(metrics: &Metrics, side: usize) -> Option<String> {
    let of = |name| metrics.get(name).and_then(|sides| sides.get(side).copied()).unwrap_or_default();
    let [granted, refused, premature] = ["granted", "refused", "premature"].map(of);
    let text = format!("{granted} requests granted, {refused} refused, {premature} too early");
    (granted + refused + premature > 0.0).then_some(text)
}
