//! Eriantys in a simulation: the server's master and the clients' sessions, which are the product's own, over
//! connections whose bytes arrive late and in pieces, and which break and stand still.
//!
//! Each client plays random matches of two, three or four players, simple or expert. The server may be killed at any
//! moment; it is restored from its records. What is checked:
//!
//! - Every client ends, and none gets a message that the rules forbid (its session would report it).
//! - Every match that ended replays to its end, and its players heard the result of that replay.
//! - A restored server has the same matches, by the hashes of their states.
//! - When the server is stopped, long after the last fault, no match is open and at most one waits for players: nothing
//!   hangs. At the end the server holds nothing.

mod host;

use std::time::Duration;

use clients::eriantys::{End, News, Session, Settings};
use game_env::{Environment as _, Millis, Seed, SimTime, Turn};
use game_eriantys::{Config, State};
use reference_gm::eriantys::Ended;
use wire::eriantys::words::EndReason;

use self::host::Eriantys;
use crate::network::{Conditions, Log};
use crate::run::Summary;
use crate::sampler::{Quality, Sampler};
use crate::served::{Client, FAULTS_END, Host, LINKS_PER_CLIENT, Network, ServedGames};

/// The time at which a run must have ended.
const DEADLINE: Duration = Duration::from_secs(7200);

/// The time at which the server is stopped: long after every match has ended.
const STOP: Duration = Duration::from_secs(5400);

/// Plays the run of this number.
///
/// # Errors
///
/// Every fault of the run.
pub fn play(number: u64, log: Log) -> Result<Summary, Vec<String>> {
    let seed = Seed::new(number);
    let mut sampler = Sampler::new(seed.game());
    let quality = sampler.quality();
    let players = 2 + sampler.index(3);
    let config = Config::new(u8::try_from(players).expect("2 to 4"), sampler.happens(0.5));
    let config = config.expect("2 to 4 players");
    let count = players * (1 + sampler.index(2));
    let games = 1 + sampler.below(2);
    let conditions: Vec<Conditions> =
        (0..count * LINKS_PER_CLIENT).map(|_| sampler.link(quality, FAULTS_END)).collect();
    let net = Network::new(conditions, seed.latency(), log);
    let client = |place: usize| {
        let name = name(place).parse().expect("a short name");
        let settings = Settings { games: Some(games), patience: TIMEOUT, ..Settings::new(name, config) };
        let begin = move |now| Session::new(settings.clone(), now);
        Client::new(place, seed, sampler.millis(0..=100), begin)
    };
    let clients = (0..count).map(client).collect();
    let mut simulated = ServedGames { clients, host: Host::new(Eriantys::new(seed)), net };
    simulated.schedule(&mut sampler, quality, STOP);
    let is_fault = |end: &End| matches!(end, End::Unplayable(_) | End::GaveUp);
    let (summary, mut faults) = simulated.play(DEADLINE, is_fault);
    // Players who are too few for a match wait until the server is stopped.
    let left_over = simulated.clients.iter().filter(|client| client.end != Some(End::Played)).count();
    if quality == Quality::Ideal && left_over >= players {
        faults.push(format!("without faults {left_over} clients have not played all their matches"));
    }
    let mut results = Vec::new();
    for game in &simulated.host.ended {
        match replayed(game) {
            Ok(result) => results.push((game, result)),
            Err(why) => faults.push(why),
        }
    }
    for client in &simulated.clients {
        let name = name(client.place);
        let mut own: Vec<&str> = results
            .iter()
            .filter(|(game, _)| game.names.iter().any(|player| player.as_str() == name))
            .map(|(_, result)| result.as_str())
            .collect();
        let told = client.news.iter().filter_map(|news| match news {
            News::Over { reason, text, .. } => Some((*reason, text)),
            _ => None,
        });
        for (reason, told) in told {
            match own.iter().position(|result| result == told) {
                Some(place) => drop(own.remove(place)),
                // Nobody has acted in this match, so it has no replay, and all have as many towers.
                None if reason == EndReason::PlayerLost
                    && told.starts_with("This match is a tie of ")
                    && told.split(" and ").count() == players => {}
                None => faults.push(format!("{name} was told `{told}`: no replay of its matches ends so")),
            }
        }
    }
    let totals = simulated.host.totals();
    // The lobby of players who were too few ends with the server.
    if (totals.connections, totals.matches) != (0, 0) {
        faults.push(format!("the server still holds {totals:?}"));
    }
    if faults.is_empty() { Ok(summary) } else { Err(faults) }
}

/// Returns the nickname of a client.
fn name(place: usize) -> String {
    format!("client{place}")
}

/// Plays a match again that ended; returns the result that its players must have heard.
fn replayed(game: &Ended) -> Result<String, String> {
    let mut state = State::new(&game.config, game.seed);
    for action in &game.actions {
        let Turn::Act { agent, .. } = state.turn() else {
            return Err(format!("match {}: `{action}` follows its end", game.id));
        };
        if let Some(refusal) = state.table().refusal(agent, *action) {
            return Err(format!("match {}: `{action}` is refused: {refusal:?}", game.id));
        }
        state.step(SimTime::START, agent, *action, &mut ());
    }
    if let Some(disruption) = game.disruption {
        if let Turn::Over(_) = state.turn() {
            return Err(format!("match {} was over when it was disrupted", game.id));
        }
        state.disrupt(SimTime::START, disruption, &mut ());
    }
    let Turn::Over(outcome) = state.turn() else {
        return Err(format!("match {} ended before its end", game.id));
    };
    let first = |(place, _): &(usize, _)| outcome.ranking.places()[game.config.team(*place)] == 1;
    let winners = game.names.iter().enumerate().filter(first).map(|(_, name)| name.as_str());
    let winners: Vec<&str> = winners.collect();
    let names = winners.join(" and ");
    Ok(match outcome.winner() {
        Some(_) if winners.len() == 1 => format!("{names} wins this match"),
        Some(_) => format!("{names} win this match"),
        None => format!("This match is a tie of {names}"),
    })
}

/// Time for which clients try to get back to a server.
const TIMEOUT: Millis = Millis::new(120_000);
