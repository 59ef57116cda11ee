//! Dots & Boxes in a simulation: the server's master and the clients' sessions, which are the product's own, over
//! connections that arrive late and in pieces, break, and stand still.
//!
//! Every run must end: each client plays its games, or gets the reason why not. The server may be killed and restored
//! from its records at any moment. Checked: every client ends, no client gets a message that the rules forbid (its
//! session would report it), every game that ended replays to its end, and at the end the server holds nothing. When
//! the server is stopped, long after the last fault, no game is open and at most one client waits: nothing hangs.

mod host;

use std::time::Duration;

use clients::dots::{End, Session, Settings};
use game_dots::{Config as Grid, State};
use game_env::{Environment as _, Millis, Seed, SimTime, Turn};
use reference_gm::dots::Ended;

use self::host::Dots;
use crate::network::{Conditions, Log};
use crate::run::Summary;
use crate::sampler::{Quality, Sampler};
use crate::served::{Client, FAULTS_END, Host, LINKS_PER_CLIENT, Network, ServedGames};

/// The time at which a run must have ended.
const DEADLINE: Duration = Duration::from_secs(3600);

/// The time at which the server is stopped: long after every game has ended.
const STOP: Duration = Duration::from_secs(1800);

/// Plays the run of this number.
///
/// # Errors
///
/// Every fault of the run.
pub fn play(number: u64, log: Log) -> Result<Summary, Vec<String>> {
    let seed = Seed::new(number);
    let mut sampler = Sampler::new(seed.game());
    let quality = sampler.quality();
    let count = 2 + 2 * sampler.index(3);
    let [rows, columns] = [0; 2].map(|_| 2 + u16::try_from(sampler.index(3)).expect("below 3"));
    let grid = Grid::new(rows, columns).expect("2 to 4 dots");
    let games = 1 + sampler.below(3);
    let conditions: Vec<Conditions> =
        (0..count * LINKS_PER_CLIENT).map(|_| sampler.link(quality, FAULTS_END)).collect();
    let net = Network::new(conditions, seed.latency(), log);
    // The server tells every grid but the original's.
    debug_assert_ne!(grid, Grid::default());
    let client = |place: usize| {
        let name = format!("client{place}").parse().expect("a short name");
        let settings = Settings { games: Some(games), patience: TIMEOUT, ..Settings::new(name) };
        let begin = move |now| Session::new(settings.clone(), now);
        Client::new(place, seed, sampler.millis(0..=300), begin)
    };
    let clients = (0..count).map(client).collect();
    let mut simulated = ServedGames { clients, host: Host::new(Dots::new(grid, seed)), net };
    simulated.schedule(&mut sampler, quality, STOP);
    let is_fault = |end: &End| matches!(end, End::Unplayable(_) | End::GaveUp);
    let (summary, mut faults) = simulated.play(DEADLINE, is_fault);
    // A client without an opponent waits until the server is stopped.
    let left_over = simulated.clients.iter().filter(|client| client.end != Some(End::Played)).count();
    if quality == Quality::Ideal && left_over > 1 {
        faults.push(format!("without faults {left_over} clients have not played all their games"));
    }
    faults.extend(simulated.host.ended.iter().filter_map(unplayable));
    let totals = simulated.host.totals();
    if (totals.connections, totals.players, totals.games) != (0, 0, 0) {
        faults.push(format!("the server still holds {totals:?}"));
    }
    if faults.is_empty() { Ok(summary) } else { Err(faults) }
}

/// Returns the fault of a game that ended, if there is one.
fn unplayable(game: &Ended) -> Option<String> {
    let mut state = State::new(&game.config, game.seed);
    for edge in &game.actions {
        if !state.grid().has(*edge) || state.is_drawn(*edge) {
            return Some(format!("game {}: the move {edge} is none", game.id));
        }
        let mover = state.mover();
        state.step(SimTime::START, mover, *edge, &mut ());
    }
    let is_over = matches!(state.turn(), Turn::Over(_));
    (is_over == game.disruption.is_some()).then(|| format!("game {} ended at a wrong moment", game.id))
}

/// Time for which clients try to get back to a server.
const TIMEOUT: Millis = Millis::new(120_000);
