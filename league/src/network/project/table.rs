//! One match over the network, from the empty lobby to its record.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use contests::text::{counted, game_time};
use cs::config::Config as ServerConfig;
use cs::server::{Listeners, Live};
use game_env::matches::{Blunders, MatchRecord, MatchSpec};
use game_env::{
    AgentId, ByTeam, Environment as _, Measured as _, Metrics, Notation as _, Outcome, Ranking, Returns,
    Termination, Turn,
};
use game_project::{Config, State, Team};
use reference_gm::project::link::{Ending, host};
use reference_gm::project::{Master, Settings};
use strategies::project::registry::Shipped;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::judgement::why_gone;
use super::listeners::{Connections, SeatListeners};
use super::recording::Recording;
use super::seating::{Exit, MatchAgents, Seated};
use crate::executor::{CannotPlay, Failure, HOST_FAULT, Log, Played};
use crate::network::commands::CommandEntrant;
use crate::network::host::Measurement;
use crate::network::joining::JoiningEntrant;
use crate::network::programs::{add_crash, last_line, output};
use crate::network::{CRASHED_PROGRAMS, LOBBY, Network, agent_name};

/// Time that the communication server may take to end by itself after its game master.
const SERVER_FAREWELL: Duration = Duration::from_secs(1);

/// A match that can be played.
pub(super) struct Table {
    pub(super) network: Network,
    pub(super) spec: MatchSpec,
    config: Config,
    /// In the order of agent ids.
    pub(super) seats: Vec<Seat>,
}

pub(super) struct Seat {
    pub(super) team: Team,
    pub(super) who: Who,
}

pub(super) enum Who {
    Strategy(Shipped),
    Program(CommandEntrant),
    /// It joins from outside.
    Outside(JoiningEntrant),
}

impl Table {
    pub(super) fn new(network: &Network, spec: &MatchSpec) -> Result<Self, CannotPlay> {
        let config = State::read_config(&spec.config).map_err(|error| CannotPlay(error.to_string()))?;
        let state = State::new(&config, spec.seed);
        let (found, expected) = (spec.entrants.len(), state.agents());
        if found != expected {
            return Err(CannotPlay(format!(
                "the match has {}, and the game has {}",
                counted(found as u64, "entrant", "entrants"),
                counted(expected as u64, "agent", "agents")
            )));
        }
        let seat = |(agent, name): (AgentId, &String)| {
            let team = Team::try_from(state.team(agent)).map_err(|error| CannotPlay(error.to_string()))?;
            let who = match (CommandEntrant::find(name), JoiningEntrant::find(name)) {
                (Some(command), _) => {
                    let command = command.map_err(CannotPlay)?;
                    network.check_confinement(&command).map_err(CannotPlay)?;
                    Who::Program(command)
                }
                (None, Some(joining)) => Who::Outside(joining.map_err(CannotPlay)?),
                (None, None) => Who::Strategy(name.parse().map_err(|error| CannotPlay(format!("{error}")))?),
            };
            Ok(Seat { team, who })
        };
        let seats =
            AgentId::all(expected).zip(&spec.entrants).map(seat).collect::<Result<_, CannotPlay>>()?;
        Ok(Self { network: network.clone(), spec: spec.clone(), config, seats })
    }

    /// Plays the match. Failures of agents are in the record; failures of this machine are errors.
    pub(super) async fn play(self, with_replay: bool) -> Result<Played, CannotPlay> {
        let failed = |what: &str, error: io::Error| CannotPlay(format!("{what}: {error}"));
        let ports = |error| failed("the system gives no ports", error);
        let queues = self.queues().map_err(|error| failed("agents cannot join", error))?;
        let (agents, addresses, connections) =
            SeatListeners::for_agents(queues, self.network.rules.join, self.network.rules.delay)
                .map_err(ports)?;
        let (gm, gm_address) = SeatListeners::for_gm().map_err(ports)?;
        let (close, closed) = oneshot::channel::<()>();
        let mut server = tokio::spawn(async move {
            let mut config = ServerConfig::default();
            config.limits.message_bytes = Settings::LONGEST_MESSAGE;
            let closed = async {
                let _ = closed.await;
            };
            cs::server::run(Listeners { agents, gm }, &config, Live::default(), closed).await
        });
        let stream = tcp::dial(gm_address).await.map_err(|error| failed("no communication server", error))?;
        let (orders, operator) = mpsc::channel(8);
        let (told, events) = mpsc::unbounded_channel();
        let mut recording = Recording::new(&self, with_replay, told, orders.clone());
        let measurement = Measurement::begin(&self.network.limits);
        let agents = MatchAgents::new(&self, addresses, connections.clone());
        let hosting = host(stream, Master::new(self.settings()), operator, &mut recording);
        let ((master, ending), (mut seated, mut agents)) =
            tokio::join!(hosting, agents.seat_and_watch(events, orders));
        let turn = master.game().map(|game| game.turn());
        seated.has_winner = matches!(turn, Some(Turn::Over(outcome)) if outcome.ranking.winner().is_some());
        let load = measurement.end();
        // The server ends with its game master, unless the match was called off before the game master had sent a
        // message: the server does not know such a connection as that of a game master. If it panicked, the game is
        // over anyway.
        if timeout(SERVER_FAREWELL, &mut server).await.is_err() {
            let _ = close.send(());
            let _ = server.await;
        }
        let ended = agents.dismiss().await;
        let blunders = agents.blunders();
        drop(agents);
        let mut logs = self.logs(&seated, &connections, &ended);
        logs.push(Log { source: "host".to_owned(), text: load.to_string() });
        if let Some(text) = self.lacks_namespaces() {
            logs.push(Log { source: "confinement".to_owned(), text });
        }
        let is_checked = self.network.rules.checks_host && seated.depends_on_the_machine();
        let fault = is_checked.then(|| load.fault(&self.network.limits)).flatten();
        if let Ending::ServerLost(Some(error)) = &ending {
            logs.push(Log { source: "server".to_owned(), text: format!("it was lost: {error}") });
        }
        if let Some(obstacle) = &seated.obstacle {
            let told: Vec<String> =
                obstacle.seats.iter().map(|(seat, what)| format!("{} {what}", self.name(*seat))).collect();
            let is_of_host = obstacle.termination == Termination::HostFault;
            let source = if is_of_host { HOST_FAULT } else { LOBBY };
            logs.push(Log { source: source.to_owned(), text: told.join("; ") });
        }
        if let Some(text) = self.why_over(&seated) {
            logs.push(Log { source: "game".to_owned(), text });
        }
        let failures = self.failures(&seated, &connections, &ended);
        let mut record = self.record(&master, &recording, &seated, (&connections, &ended), blunders);
        if let Some(fault) = fault {
            logs.push(Log { source: HOST_FAULT.to_owned(), text: fault });
            record.outcome.termination = Termination::HostFault;
        }
        let replay = recording.replay().map_err(|error| failed("cannot write the replay", error))?;
        Ok(Played { record, replay, logs, failures })
    }

    /// Returns for each seat the queue in which its agent waits, if it joins from outside.
    fn queues(&self) -> io::Result<Vec<Option<Arc<TcpListener>>>> {
        // The seats of an entrant in a team share one.
        let mut open: BTreeMap<(&JoiningEntrant, Team), Arc<TcpListener>> = BTreeMap::new();
        let mut queues = Vec::new();
        for seat in &self.seats {
            let Who::Outside(entrant) = &seat.who else {
                queues.push(None);
                continue;
            };
            let queue = match open.get(&(entrant, seat.team)) {
                Some(queue) => queue.clone(),
                None => {
                    let listener = self.network.ports.of(entrant, seat.team.into())?.try_clone()?;
                    Arc::new(TcpListener::from_std(listener)?)
                }
            };
            open.insert((entrant, seat.team), queue.clone());
            queues.push(Some(queue));
        }
        Ok(queues)
    }

    /// Returns the reason why programs are confined without namespaces, if some are.
    fn lacks_namespaces(&self) -> Option<String> {
        let mut programs = self.seats.iter().filter_map(|seat| match &seat.who {
            Who::Program(entrant) => Some(entrant),
            Who::Strategy(_) | Who::Outside(_) => None,
        });
        let why = programs.find_map(|entrant| self.network.isolation(entrant)?.1)?;
        Some(format!("programs are confined without namespaces: {why}"))
    }

    fn settings(&self) -> Settings {
        let epoch = jiff::Timestamp::UNIX_EPOCH; // until the clock starts
        Settings { start_when_full: true, ..Settings::new(self.config.clone(), self.spec.seed, epoch) }
    }

    /// Returns the name of a seat in messages.
    pub(super) fn name(&self, seat: usize) -> String {
        agent_name(seat_id(seat), &self.seats[seat].team.to_string())
    }

    /// Returns the names of the agents for the replay.
    pub(super) fn names(&self) -> ByTeam<Vec<String>> {
        let name = |seat: &Seat| match &seat.who {
            Who::Strategy(strategy) => strategy.to_string(),
            Who::Program(entrant) => entrant.run.join(" "),
            Who::Outside(entrant) => entrant.name.clone(),
        };
        ByTeam::new(
            Team::ALL.map(|team| self.seats.iter().filter(|seat| seat.team == team).map(name).collect()),
        )
    }

    /// Returns the ends of the programs, the traffic of their connections, and their output.
    fn logs(&self, seated: &Seated, connections: &Connections, ended: &[Option<Exit>]) -> Vec<Log> {
        let log = |(seat, exit): (usize, &Option<Exit>)| {
            let what = match (exit, &self.seats[seat].who) {
                (Some(exit), _) => format!("its program {}", exit.ended),
                (None, Who::Outside(_)) => "it joins from outside".to_owned(),
                (None, Who::Program(_) | Who::Strategy(_)) => return None,
            };
            // The system reports the end of a process later than the end of its connection.
            let at = connections.closed_at(seat).or(exit.as_ref().map(|exit| exit.at));
            let moment = at.map_or_else(|| "it did not connect".to_owned(), |at| seated.moment(at));
            let mut text =
                format!("{what}\n{moment}; {}\n", connections.traffic(seat, &|at| seated.moment(at)));
            if let Some(fault) = connections.fault(seat) {
                text += &format!("{fault}\n");
            }
            text += &exit.as_ref().map(|exit| output(&exit.ended)).unwrap_or_default();
            Some(Log { source: self.name(seat), text: text.trim_end().to_owned() })
        };
        ended.iter().enumerate().filter_map(log).collect()
    }

    /// Returns the agents that failed.
    fn failures(&self, seated: &Seated, connections: &Connections, ended: &[Option<Exit>]) -> Vec<Failure> {
        let failure = |(seat, exit): (usize, &Option<Exit>)| {
            let closed_at = connections.closed_at(seat);
            let (at, how) = match (&seated.obstacle, exit) {
                (Some(obstacle), _) => (None, obstacle.seats.get(&seat)?.clone()),
                (None, exit) if seated.lost.contains(&seat) => {
                    let how = match (
                        why_gone(connections.closed(seat), exit.as_ref().map(|exit| &exit.ended)),
                        exit,
                    ) {
                        (Termination::Protocol, _) => connections.disconnected(seat),
                        (Termination::Crash, Some(exit)) => exit.ended.to_string(),
                        _ => "left the game".to_owned(),
                    };
                    (closed_at, how)
                }
                (None, Some(exit)) if seated.has_crashed(seat, exit) => {
                    let late = if seated.is_after_the_end(exit.at) { " after the game" } else { "" };
                    (Some(exit.at), format!("{}{late}", exit.ended))
                }
                _ => return None,
            };
            Some(Failure {
                agent: seat_id(seat),
                at: at.and_then(|at| seated.game_time(at)),
                how,
                last_line: exit.as_ref().map_or_else(String::new, |exit| last_line(&exit.ended)),
            })
        };
        ended.iter().enumerate().filter_map(failure).collect()
    }

    /// Names the teams that had no agents at the end of the game, with its time; none if both had some.
    fn why_over(&self, seated: &Seated) -> Option<String> {
        let gone = Team::ALL.into_iter().filter(|team| self.is_gone(*team, &seated.lost));
        let told: Vec<String> = gone.map(|team| format!("{team} had no agents left")).collect();
        (!told.is_empty()).then(|| {
            let over = seated.over.and_then(|at| seated.game_time(at));
            let over =
                over.map_or_else(String::new, |time| format!("; the game ended after {}", game_time(time)));
            format!("{}{over}", told.join(", "))
        })
    }

    /// Returns whether all agents of a team are among these seats.
    pub(super) fn is_gone(&self, team: Team, lost: &[usize]) -> bool {
        (0..).zip(&self.seats).filter(|(_, seat)| seat.team == team).all(|(seat, _)| lost.contains(&seat))
    }

    fn record(
        &self,
        master: &Master,
        recording: &Recording,
        seated: &Seated,
        (connections, ended): (&Connections, &[Option<Exit>]),
        mut blunders: Blunders,
    ) -> MatchRecord {
        let crashed: Vec<(usize, &Exit)> = (0..)
            .zip(ended)
            .filter_map(|(seat, exit)| Some((seat, exit.as_ref()?)))
            .filter(|(seat, exit)| seated.has_crashed(*seat, exit))
            .collect();
        for (seat, exit) in &crashed {
            add_crash(&mut blunders, &self.name(*seat), &exit.ended);
        }
        let fresh = State::new(&self.config, self.spec.seed);
        let state = master.game().unwrap_or(&fresh);
        let outcome = self.outcome(master.game(), seated, connections, ended);
        // Without a game nothing was measured.
        let mut metrics = recording.meter.as_ref().map_or_else(Metrics::new, |meter| state.metrics(meter));
        if self.seats.iter().any(|seat| matches!(seat.who, Who::Program(_))) {
            let of = |team| crashed.iter().filter(|(seat, _)| self.seats[*seat].team == team).count() as f64;
            metrics.push(CRASHED_PROGRAMS, Team::ALL.map(of));
        }
        let (blunders, first_blunders) = blunders.into_parts();
        MatchRecord {
            spec: self.spec.clone(),
            program: self.network.program.clone(),
            rules: State::RULES,
            outcome,
            time: recording.ended_at,
            steps: recording.steps,
            // Decisions of agents without a request are not seen from here.
            decisions: recording.steps,
            metrics,
            hash: state.hash(),
            blunders,
            first_blunders,
            failed: Vec::new(),
        }
    }

    fn outcome(
        &self,
        game: Option<&State>,
        seated: &Seated,
        connections: &Connections,
        ended: &[Option<Exit>],
    ) -> Outcome {
        let Some(game) = game else {
            // Without a game the side that could not play has lost.
            let (termination, seats): (_, Vec<usize>) = match &seated.obstacle {
                Some(obstacle) => (obstacle.termination, obstacle.seats.keys().copied().collect()),
                None => (Termination::Interrupted, Vec::new()),
            };
            let fails = |team: Team| seats.iter().any(|seat| self.seats[*seat].team == team);
            let ranking = match Team::ALL.map(fails) {
                [true, false] => Ranking::lost_by(Team::Red.into(), Team::ALL.len()),
                [false, true] => Ranking::lost_by(Team::Blue.into(), Team::ALL.len()),
                _ => Ranking::tied(Team::ALL.len()),
            };
            let fault = seats.first().map(|seat| seat_id(*seat));
            return Outcome { ranking, termination, fault, returns: Returns::new(&[0; Team::ALL.len()]) };
        };
        let outcome = match game.turn() {
            Turn::Over(outcome) => outcome,
            // The game master has ended without ending its game.
            Turn::Act { .. } => {
                let returns =
                    game.points().into_inner().map(|points| i32::try_from(points).unwrap_or(i32::MAX));
                return Outcome {
                    ranking: Ranking::tied(Team::ALL.len()),
                    termination: Termination::Interrupted,
                    fault: None,
                    returns: Returns::new(&returns),
                };
            }
        };
        if !matches!(outcome.termination, Termination::Normal | Termination::AgentLost) {
            return outcome;
        }
        // A team that was gone before the end has not lost by the rules alone.
        let last = seated.lost.iter().rev().find(|seat| self.is_gone(self.seats[**seat].team, &seated.lost));
        match last {
            None => outcome,
            Some(seat) => {
                let exit = ended[*seat].as_ref().map(|exit| &exit.ended);
                let termination = why_gone(connections.closed(*seat), exit);
                Outcome { termination, fault: Some(seat_id(*seat)), ..outcome }
            }
        }
    }
}

fn seat_id(seat: usize) -> AgentId {
    AgentId::new(u16::try_from(seat).unwrap_or(u16::MAX))
}
