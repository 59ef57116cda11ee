//! Conveyor in a simulation: a controller, boards and players, which are the product's own, over connections that
//! arrive late and in pieces, break, and stand still; some of them also send nonsense.
//!
//! Every run must end: the controller, each board and each player. Checked besides: every game of a board replays to
//! the state in which the board was; if the controller reports a winner, a board has the same one; no player hears of
//! another winner; a game in which a player has been ends before the operator stops the controller; and without faults
//! a player wins.

mod ends;
mod host;

use std::time::Duration;

use clients::conveyor::{End, Settings};
use game_conveyor::Config;
use game_env::Seed;
use reference_gm::conveyor::{board, controller};

use self::ends::{BoardEnd, PlayerEnd};
use self::host::Host;
use crate::network::{Conditions, Log, NetworkEvent, Side};
use crate::run::{Summary, System, drive};
use crate::sampler::{Quality, Sampler};

/// The machine that sets a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machine {
    /// The controller.
    Host,
    /// A board, by its place.
    Board(usize),
    /// A player, by its place.
    Player(usize),
}

/// Event from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The machine of this link starts.
    Arrive(usize),
    /// The machine of this link dies.
    Die(usize),
    /// The operator stops the controller.
    Stop,
}

pub(crate) type Network = crate::network::Network<Machine, Fault>;

/// Links from this on are those of players; those before it are boards'.
const BOARDS: usize = 2;

/// The most players in a run, one after the other.
const PLAYERS: usize = 4;

/// The time at which a run must have ended.
const DEADLINE: Duration = Duration::from_secs(7200);

/// The time at which the controller is stopped, if it has not ended.
const STOP: Duration = Duration::from_secs(3600);

/// The time at which faults end.
const FAULTS_END: Duration = Duration::from_secs(60);

/// A controller, boards and players, and the network that connects them.
struct ControlledGame {
    net: Network,
    host: Host,
    boards: Vec<BoardEnd>,
    players: Vec<PlayerEnd>,
}

impl System for ControlledGame {
    type Machine = Machine;
    type Outside = Fault;

    fn network(&mut self) -> &mut Network {
        &mut self.net
    }

    fn handle(&mut self, event: NetworkEvent<Machine, Fault>) {
        let Self { net, host, boards, players } = self;
        match event {
            NetworkEvent::Knock(link) => host.accept(net, link),
            NetworkEvent::Readable(socket) | NetworkEvent::Writable(socket) => match socket.side {
                Side::Server => host.attend(net, socket.link),
                Side::Client if socket.link < BOARDS => boards[socket.link].attend(net),
                Side::Client => players[socket.link - BOARDS].attend(net),
            },
            NetworkEvent::Alarm(machine, count) if net.is_due(machine, count) => match machine {
                Machine::Host => host.tick(net),
                Machine::Board(place) => boards[place].tick(net),
                Machine::Player(place) => players[place].tick(net),
            },
            NetworkEvent::Alarm(..) => {}
            NetworkEvent::Outside(Fault::Arrive(link)) if link < BOARDS => boards[link].arrive(net),
            NetworkEvent::Outside(Fault::Arrive(link)) => players[link - BOARDS].arrive(net),
            NetworkEvent::Outside(Fault::Die(link)) if link < BOARDS => boards[link].die(net),
            NetworkEvent::Outside(Fault::Die(link)) => players[link - BOARDS].die(net),
            NetworkEvent::Outside(Fault::Stop) => host.stop(net),
        }
    }
}

/// Plays the run of this number.
///
/// # Errors
///
/// Every fault of the run.
pub fn play(number: u64, log: Log) -> Result<Summary, Vec<String>> {
    let seed = Seed::new(number);
    let mut sampler = Sampler::new(seed.game());
    let quality = sampler.quality();
    let is_ideal = quality == Quality::Ideal;
    let [columns, rows] = [0; 2].map(|_| 2 + u8::try_from(sampler.below(5)).expect("below 5"));
    let plain = Config::new(columns, rows).expect("2 to 6 columns and rows");
    let config =
        plain.with_conveyors(u16::from(sampler.happens(0.5)).min(plain.most_conveyors())).unwrap_or(plain);
    let conditions: Vec<Conditions> =
        (0..BOARDS + PLAYERS).map(|_| sampler.link(quality, FAULTS_END)).collect();
    // The probability that a machine sends a senseless line before a line.
    let mut garbles = || if !is_ideal && sampler.happens(0.2) { sampler.share(0.1) } else { 0.0 };
    let boards =
        (0..BOARDS).map(|place| BoardEnd::new(place, config, seed.child(place as u64), garbles())).collect();
    let garbled: Vec<f64> = (0..PLAYERS).map(|_| garbles()).collect();
    let settings = Settings::default();
    let mut thinks = || sampler.millis(0..=20);
    let players: Vec<PlayerEnd> = (0..PLAYERS)
        .map(|place| {
            PlayerEnd::new(place, settings, seed.child(100 + place as u64), thinks(), garbled[place])
        })
        .collect();
    let net = Network::new(conditions, seed.latency(), log);
    let mut simulated = ControlledGame { net, host: Host::new(), boards, players };
    simulated.net.outside(sampler.millis(0..=3_000), Fault::Arrive(0));
    for place in 0..2 {
        simulated.net.outside(sampler.millis(0..=3_000), Fault::Arrive(BOARDS + place));
    }
    if !is_ideal {
        if sampler.happens(0.3) {
            simulated.net.outside(sampler.millis(0..=20_000), Fault::Arrive(1));
        }
        for place in 2..PLAYERS {
            simulated.net.outside(sampler.millis(0..=40_000), Fault::Arrive(BOARDS + place));
        }
        for link in 0..BOARDS + PLAYERS {
            if sampler.happens(if link < BOARDS { 0.15 } else { 0.3 }) {
                simulated.net.outside(sampler.millis(0..=30_000), Fault::Die(link));
            }
        }
    }
    simulated.net.outside(STOP, Fault::Stop);
    let driven = drive(&mut simulated, DEADLINE);
    let mut faults = Vec::new();
    let events = driven.unwrap_or_else(|no_end| {
        faults.push(no_end.to_string());
        no_end.events
    });
    simulated.check(is_ideal, &mut faults);
    let requests = simulated.boards.iter().map(BoardEnd::requests).sum();
    let summary = Summary { requests, events, time: simulated.net.now() };
    if faults.is_empty() { Ok(summary) } else { Err(faults) }
}

impl ControlledGame {
    fn check(&mut self, is_ideal: bool, faults: &mut Vec<String>) {
        let Some(end) = self.host.end.clone() else {
            faults.push("the controller has no end".to_owned());
            return;
        };
        if end == controller::End::Stopped
            && self.host.has_game()
            && self.players.iter().any(PlayerEnd::has_joined)
        {
            faults.push("the game did not end until the controller was stopped".to_owned());
        }
        faults.extend(self.boards.iter_mut().filter_map(BoardEnd::fault));
        let winner = if let controller::End::Won(winner) = &end { Some(*winner) } else { None };
        let board_winners: Vec<_> = self.boards.iter().filter_map(BoardEnd::winner).collect();
        if winner.is_some_and(|winner| !board_winners.contains(&winner)) {
            faults.push(format!("the controller ends with {end}, the boards with {board_winners:?}"));
        }
        for player in &self.players {
            match player.end() {
                None if player.has_arrived() => faults.push(format!("player {} has no end", player.place)),
                Some(End::Won(told)) if winner != Some(*told) => {
                    faults.push(format!(
                        "player {} was told {told}, and the controller ends with {end}",
                        player.place
                    ));
                }
                Some(End::Unplayable(why)) if !player.is_faulty() => {
                    faults.push(format!("player {}: {why}", player.place));
                }
                _ => {}
            }
        }
        if is_ideal {
            let first = self.boards[0].end();
            if winner.is_none() || !matches!(first, Some(board::End::Won { is_heard: true, .. })) {
                faults
                    .push(format!("without faults the controller ends with {end}, the board with {first:?}"));
            }
            // A player that comes when the game is over is not let in.
            let is_deaf =
                |player: &&PlayerEnd| player.has_joined() && !matches!(player.end(), Some(End::Won(_)));
            let deaf = self.players.iter().filter(is_deaf).count();
            if deaf > 0 {
                faults.push(format!("without faults {deaf} players have not heard who won"));
            }
        }
    }
}
