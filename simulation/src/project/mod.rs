//! The Project Game in simulation: communication server, game master and agents.
//!
//! The three machines are the product's own ([`cs::router`], [`reference_gm::project::master`],
//! [`sdk::driver::session`]). [`scenario`] draws the runs from seeds, [`strategies`] and [`hostile_agent`] are the
//! players. The rules that hold for every run are in `audit.rs`.

pub mod hostile_agent;
pub mod scenario;
pub mod strategies;

mod audit;
mod host;
mod player;
mod relay;

use std::time::Duration;

use cs::config::Limits;
use cs::router::Ending;
use game_env::replay::{Completeness, Playback};
use game_env::{Outcome, Seed, SimTime};
use game_project::{Event, State, Team};
use reference_gm::project::Settings;
use sdk::driver::session;
use sdk::strategy::Strategy;

use self::audit::Audit;
use self::host::{Host, Hosted};
use self::hostile_agent::{HostileAgent, HostileBehaviour};
use self::player::Player;
use self::relay::Relay;
use crate::network::{Conditions, Log, NetworkEvent, Side, Socket};
use crate::run::{Summary, System, drive};

pub use self::host::{Command, header};

/// The machines of this game's system. Link 0 is the game master's, that of agent `n` is `n + 1`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Machine {
    /// The communication server.
    Server,
    /// The game master.
    Gm,
    /// An agent, by its place among the participants.
    Agent(usize),
}

type Network = crate::network::Network<Machine, Outside>;

/// A peer that connects to the port for agents.
pub struct Participant {
    /// The team for which it plays, or wants to.
    pub team: Team,
    /// Seed of its random numbers.
    pub seed: Seed,
    /// Its behaviour.
    pub conduct: Conduct,
    /// The time at which it connects.
    pub comes: Duration,
    /// Conditions of its link.
    pub link: Conditions,
}

/// Behaviour of a participant.
pub enum Conduct {
    /// Plays by this strategy, which thinks for this long about each decision.
    Plays(Box<dyn Strategy>, Duration),
    /// Keeps no rule.
    Hostile(HostileBehaviour),
}

/// Event from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The game master's operator gives a command.
    Operator(Command),
    /// This agent closes its connection.
    AgentLeaves(usize),
    /// This agent's process dies.
    AgentDies(usize),
    /// The game master's process dies.
    GmDies,
    /// The communication server's process dies.
    ServerDies,
    /// The communication server's operator stops it.
    ServerStops,
}

/// A run to be played.
pub struct Simulation {
    /// Seed of everything that the network does.
    pub seed: Seed,
    /// Settings of the game master.
    pub settings: Settings,
    /// Limits of the communication server on its peers.
    pub limits: Limits,
    /// The participants; those that connect at the same moment connect in this order.
    pub participants: Vec<Participant>,
    /// Conditions of the game master's link.
    pub gm_link: Conditions,
    /// The time at which the game master connects.
    pub gm_comes: Duration,
    /// Events from outside, with their moments.
    pub faults: Vec<(Duration, Fault)>,
    /// Moment from which on a run that still goes on is faulty.
    pub deadline: Duration,
    /// Destination of the log of all events.
    pub log: Log,
}

/// End of an agent's part in a run.
#[derive(Clone, PartialEq, Debug)]
pub enum End {
    /// It played by the rules, and its session ended like this.
    Session(session::End),
    /// It left or died, because that was to happen.
    Gone,
    /// It kept no rule, and its connection was closed.
    Closed,
    /// It is still there, although nothing happens any more.
    Hangs,
    /// Everything was over before it came.
    NeverCame,
}

/// Results of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// Every event of the game, by its own clock.
    pub events: Vec<(SimTime, Event)>,
    /// The outcome of the game, if it began and ended.
    pub outcome: Option<Outcome>,
    /// The bytes of its replay, if it began.
    pub replay: Option<Vec<u8>>,
    /// The end of each participant's part.
    pub ends: Vec<End>,
    /// The end of the communication server, if it ended by itself.
    pub server: Option<Ending>,
    /// Number of requests of agents that the game master served.
    pub requests: u64,
    /// Number of turns that strategies lost.
    pub blunders: usize,
    /// Number of events that the network had.
    pub network_events: u64,
    /// Moment of the last of them.
    pub time: Duration,
    /// Violations of the rules; none if all is well.
    pub violations: Vec<String>,
    /// Everything that happened, if that was asked for.
    pub log: Vec<String>,
}

/// Plays the run of this number.
///
/// # Errors
///
/// Every fault of the run.
pub fn play(number: u64, log: Log) -> Result<Summary, Vec<String>> {
    let report = scenario::draw(number).with_log(log).play();
    if !report.violations.is_empty() {
        return Err(report.violations);
    }
    Ok(Summary { requests: report.requests, events: report.network_events, time: report.time })
}

impl Simulation {
    /// Returns the same run, with this account of it.
    pub fn with_log(self, log: Log) -> Self {
        Self { log, ..self }
    }

    /// Plays until nothing happens any more, and checks the rules that hold for every run.
    pub fn play(self) -> Report {
        let deadline = self.deadline;
        let mut world = World::new(self);
        let events = drive(&mut world, deadline).unwrap_or_else(|no_end| {
            world.audit.check(false, || no_end.to_string());
            no_end.events
        });
        world.finish(events)
    }
}

/// Event from outside.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outside {
    GmComes,
    AgentComes(usize),
    Fault(Fault),
}

struct World {
    net: Network,
    audit: Audit,
    relay: Relay,
    host: Host,
    seats: Vec<Seat>,
    /// Whether a machine of the system was ended from outside.
    is_broken: bool,
    longest_message: u16,
}

/// A participant's place.
enum Seat {
    ToCome(Team, Seed, Conduct),
    Player(Box<Player>),
    HostileAgent(Box<HostileAgent>),
    Gone,
    NeverCame,
}

impl System for World {
    type Machine = Machine;
    type Outside = Outside;

    fn network(&mut self) -> &mut Network {
        &mut self.net
    }

    fn handle(&mut self, event: NetworkEvent<Machine, Outside>) {
        let Self { net, audit, relay, host, seats, .. } = self;
        match event {
            NetworkEvent::Knock(link) => relay.knock(net, audit, link),
            NetworkEvent::Readable(Socket { link, side: Side::Server }) => relay.readable(net, audit, link),
            NetworkEvent::Writable(Socket { link, side: Side::Server }) => relay.writable(net, audit, link),
            NetworkEvent::Readable(Socket { link: 0, .. }) => host.readable(net, audit),
            NetworkEvent::Writable(Socket { link: 0, .. }) => host.writable(net, audit),
            NetworkEvent::Readable(Socket { link, .. }) => match &mut seats[link - 1] {
                Seat::Player(player) => {
                    player.readable(net, audit);
                    check_belief(audit, host, player, link);
                }
                Seat::HostileAgent(hostile) => hostile.readable(net, audit),
                Seat::ToCome(..) | Seat::Gone | Seat::NeverCame => {}
            },
            NetworkEvent::Writable(Socket { link, .. }) => match &mut seats[link - 1] {
                Seat::Player(player) => player.writable(net, audit),
                Seat::HostileAgent(hostile) => hostile.writable(net),
                Seat::ToCome(..) | Seat::Gone | Seat::NeverCame => {}
            },
            NetworkEvent::Alarm(machine, count) => {
                if !net.is_due(machine, count) {
                    return;
                }
                match machine {
                    Machine::Server => relay.woken(net, audit),
                    Machine::Gm => host.woken(net, audit),
                    Machine::Agent(place) => match &mut seats[place] {
                        Seat::Player(player) => player.woken(net, audit),
                        Seat::HostileAgent(hostile) => hostile.woken(net),
                        Seat::ToCome(..) | Seat::Gone | Seat::NeverCame => {}
                    },
                }
            }
            NetworkEvent::Outside(outside) => {
                net.say(|| format!("{outside:?}"));
                match outside {
                    Outside::GmComes => host.begin(net, audit),
                    Outside::AgentComes(place) => self.come(place),
                    Outside::Fault(fault) => self.strike(fault),
                }
            }
        }
    }
}

impl World {
    fn new(simulation: Simulation) -> Self {
        let Simulation { seed, settings, limits, participants, gm_link, gm_comes, faults, log, .. } =
            simulation;
        let mut links = vec![gm_link];
        let mut seats = Vec::new();
        let mut arrivals = vec![(gm_comes, Outside::GmComes)];
        for (place, Participant { team, seed, conduct, comes, link }) in participants.into_iter().enumerate()
        {
            links.push(link);
            seats.push(Seat::ToCome(team, seed, conduct));
            arrivals.push((comes, Outside::AgentComes(place)));
        }
        let mut net = Network::new(links, seed.latency(), log);
        for (at, who) in arrivals {
            net.outside(at, who);
        }
        for (at, fault) in faults {
            net.outside(at, Outside::Fault(fault));
        }
        Self {
            net,
            audit: Audit::new(limits.report_lost_agents),
            relay: Relay::new(limits),
            longest_message: settings.longest_message,
            host: Host::new(settings),
            seats,
            is_broken: false,
        }
    }

    fn come(&mut self, place: usize) {
        let Self { net, audit, seats, relay, .. } = self;
        let link = place + 1;
        if relay.is_gone() {
            seats[place] = Seat::NeverCame;
            return;
        }
        seats[place] = match std::mem::replace(&mut seats[place], Seat::Gone) {
            Seat::ToCome(team, seed, Conduct::Plays(strategy, thinks)) => {
                let longest_message = self.longest_message;
                let settings = session::Settings { longest_message, ..session::Settings::new(team, seed) };
                Seat::Player(Box::new(Player::new(net, audit, link, settings, strategy, thinks)))
            }
            Seat::ToCome(team, seed, Conduct::Hostile(behaviour)) => {
                Seat::HostileAgent(Box::new(HostileAgent::new(net, link, team, seed, behaviour)))
            }
            gone => gone,
        };
    }

    fn strike(&mut self, fault: Fault) {
        let Self { net, audit, relay, host, seats, .. } = self;
        match fault {
            Fault::Operator(command) => host.command(net, audit, command),
            Fault::AgentLeaves(place) | Fault::AgentDies(place) => {
                let dies = matches!(fault, Fault::AgentDies(_));
                match &mut seats[place] {
                    Seat::Player(player) if player.end.is_none() => player.leave(net, dies),
                    Seat::HostileAgent(hostile) => hostile.leave(net, dies),
                    Seat::Player(_) | Seat::Gone | Seat::NeverCame => return,
                    Seat::ToCome(..) => {}
                }
                seats[place] = Seat::Gone;
            }
            Fault::GmDies => {
                self.is_broken |= !host.is_gone();
                host.die(net);
            }
            Fault::ServerDies => {
                self.is_broken |= !relay.is_gone();
                relay.die(net);
            }
            Fault::ServerStops => {
                self.is_broken |= !relay.is_gone();
                relay.stop(net, audit);
            }
        }
    }

    fn finish(self, network_events: u64) -> Report {
        let Self { mut net, mut audit, mut relay, host, seats, is_broken, .. } = self;
        relay.unsent(&mut audit);
        audit.check(relay.is_gone(), || "the communication server is still there".to_owned());
        audit.check(host.is_gone(), || "the game master is still there".to_owned());
        let present = host.game().map(|state| state.config().agents());
        net.say(|| format!("seated: {present:?}"));
        let Hosted { events, outcome, replay, requests, closed_in_order } = host.finish();
        let winner = outcome.and_then(|outcome| Team::try_from(outcome.winner()?).ok());
        let mut blunders = 0;
        let mut ends = Vec::new();
        for (seat, link) in seats.into_iter().zip(1..) {
            ends.push(match seat {
                Seat::Gone => End::Gone,
                Seat::ToCome(..) | Seat::NeverCame => End::NeverCame,
                Seat::HostileAgent(_) if net.is_closed(Socket { link, side: Side::Server }) => End::Closed,
                Seat::HostileAgent(_) => End::Hangs,
                Seat::Player(mut player) => {
                    blunders += player.blunders;
                    // If nothing was broken or closed by force, every seated agent hears the winner.
                    let is_whole = closed_in_order && !is_broken && !audit.was_dropped(0);
                    if player.is_seated() && is_whole && !audit.was_dropped(link) {
                        let told = match player.end {
                            Some(session::End::Over { winner }) => Some(winner),
                            _ => None,
                        };
                        audit.check(told == winner, || {
                            format!("the agent on link {link} was told {told:?}, the winner is {winner:?}")
                        });
                    }
                    player.end.map_or(End::Hangs, End::Session)
                }
            });
        }
        audit.check(!ends.contains(&End::Hangs), || format!("somebody hangs: {ends:?}"));
        if let Some(replay) = &replay {
            check_replay(&mut audit, replay, &events, outcome);
        }
        let time = net.now();
        Report {
            events,
            outcome,
            replay,
            ends,
            server: relay.ending,
            requests,
            blunders,
            network_events,
            time,
            violations: audit.finish(),
            log: net.take_log(),
        }
    }
}

/// Checks that an agent that has heard all messages knows its position and its piece.
fn check_belief(audit: &mut Audit, host: &Host, player: &mut Player, link: usize) {
    let Some(number) = audit.settled(link) else { return };
    if let (Some(belief), Some(truth)) = (player.belief(), host.truth(number)) {
        audit.check(belief == truth, || {
            format!("agent {number} believes to be at and to have {belief:?}, the truth is {truth:?}")
        });
    }
}

/// The replay plays again, with the same events and the same end.
fn check_replay(audit: &mut Audit, replay: &[u8], events: &[(SimTime, Event)], outcome: Option<Outcome>) {
    let mut again = Vec::new();
    let played = Playback::<State>::open(replay).and_then(|mut playback| playback.run(&mut again));
    match played {
        Ok(summary) => {
            audit.check(summary.outcome == outcome, || {
                format!("the replay ends with {:?}, the game with {outcome:?}", summary.outcome)
            });
            let is_whole = summary.completeness == Completeness::Complete;
            audit
                .check(is_whole == outcome.is_some(), || format!("the replay is {:?}", summary.completeness));
            audit.check(again == events, || "the replay has other events than the game".to_owned());
        }
        Err(error) => audit.check(false, || format!("the replay cannot be played: {error}")),
    }
}
