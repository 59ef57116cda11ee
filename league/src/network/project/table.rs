//! One match over the network, from the empty lobby to the end of the last program.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use child_process::{Child, Ended};
use contests::text::{counted, game_time};
use cs::config::Config as ServerConfig;
use cs::server::{Listeners, Live};
use game_env::matches::{Blunders, MatchLimits, MatchRecord, MatchSpec};
use game_env::replay::{Header, Writer};
use game_env::{
    AgentId, ByTeam, Disruption, Environment as _, Measured, Metrics, Notation as _, Outcome, Ranking,
    Returns, Seed, SimTime, Termination, Turn, Witness,
};
use game_project::{Action, Config, Event, State, Team};
use reference_gm::project::link::{Command as Operation, Ending, Journal, Order, host};
use reference_gm::project::players::players;
use reference_gm::project::{Master, News, Settings};
use sdk::agent::{Agent, Report};
use strategies::project::registry::Shipped;
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};
use wire::project::{AgentNumber, Seats};

use super::judgement::why_gone;
use super::listeners::{Closed, Connections, SeatListeners};
use crate::executor::{CannotPlay, Failure, HOST_FAULT, Log, Played};
use crate::network::commands::CommandEntrant;
use crate::network::host::Measurement;
use crate::network::joining::JoiningEntrant;
use crate::network::programs::{add_crash, has_crashed, last_line, output};
use crate::network::{CRASHED_PROGRAMS, LOBBY, Network, agent_name};

/// Time that the communication server may take to end by itself after its game master.
const SERVER_FAREWELL: Duration = Duration::from_secs(1);

/// Time that shipped strategies may take to see that the game is over.
const STRATEGIES_FAREWELL: Duration = Duration::from_secs(5);

/// A match that can be played.
pub(super) struct Table {
    network: Network,
    spec: MatchSpec,
    config: Config,
    /// In the order of agent ids.
    seats: Vec<Seat>,
}

struct Seat {
    team: Team,
    who: Who,
}

enum Who {
    Strategy(Shipped),
    Program(CommandEntrant),
    /// It joins from outside.
    Outside(JoiningEntrant),
}

/// Reports of the game master to the task that seats agents and judges the match.
enum LobbyEvent {
    /// The connection with this number has a place in this team.
    Joined(AgentNumber, Team),
    /// It has none: the team is full.
    TurnedAway(AgentNumber),
    /// It is gone.
    Lost(AgentNumber),
    /// The game has started at this moment.
    Started(Instant),
    /// The game is over, or was called off.
    Over(Instant),
}

/// Reason why a match did not begin.
struct Obstacle {
    termination: Termination,
    /// For each of these seats its failure, as words after its name; at least one seat.
    seats: BTreeMap<usize, String>,
    /// Whether an agent had not joined when the time was over: on a faster machine it might have.
    is_late: bool,
}

impl Obstacle {
    fn new(termination: Termination, seat: usize, what: impl Into<String>) -> Self {
        Self { termination, seats: BTreeMap::from([(seat, what.into())]), is_late: false }
    }

    /// Returns an agent that has no place in the lobby.
    fn absent(seat: usize, what: impl Into<String>) -> Self {
        Self::new(Termination::CannotStart, seat, what)
    }

    /// Returns an agent that has not joined in time.
    fn late(seat: usize, what: impl Into<String>) -> Self {
        Self { is_late: true, ..Self::absent(seat, what) }
    }

    /// Adds the seats of another one to this obstacle, or begins with it.
    fn add(obstacle: &mut Option<Self>, other: Self) {
        let own = obstacle.get_or_insert_with(|| Self { seats: BTreeMap::new(), ..other });
        own.is_late |= other.is_late;
        for (seat, what) in other.seats {
            own.seats.entry(seat).or_insert(what);
        }
    }
}

/// Result of the seating and the game for the seats.
struct Seated {
    obstacle: Option<Obstacle>,
    /// The seats that were lost during the game, in that order.
    lost: Vec<usize>,
    /// When the game started, and when it was over or called off.
    started: Option<Instant>,
    over: Option<Instant>,
    /// Whether the game has a winner.
    has_winner: bool,
}

impl Seated {
    /// Returns the game time at this moment; none before the game, or if there was none.
    fn game_time(&self, at: Instant) -> Option<SimTime> {
        Some(at.checked_duration_since(self.started?)?.into())
    }

    /// Returns whether a slow machine can have changed the result of the match. Without a game, it can have kept an
    /// agent from joining in time; programs that end, or break the protocol, do so on any machine.
    fn depends_on_the_machine(&self) -> bool {
        self.started.is_some() || self.obstacle.as_ref().is_none_or(|obstacle| obstacle.is_late)
    }

    /// Returns whether a program that ended like this has crashed. It has not if its connection was closed without
    /// a last message: in a match that is called off, and in one without a winner, which ends without message 104.
    fn has_crashed(&self, seat: usize, exit: &Exit) -> bool {
        let could_play = self.obstacle.as_ref().is_none_or(|obstacle| obstacle.seats.contains_key(&seat));
        let was_told = self.has_winner || !self.is_after_the_end(exit.at);
        could_play && was_told && has_crashed(&exit.ended)
    }

    fn is_after_the_end(&self, at: Instant) -> bool {
        self.over.is_some_and(|over| at > over)
    }

    /// `1.8 s into the game`.
    fn moment(&self, at: Instant) -> String {
        match self.game_time(at) {
            None => "before the game".to_owned(),
            Some(_) if self.is_after_the_end(at) => "after the game".to_owned(),
            Some(time) => format!("{} into the game", game_time(time)),
        }
    }
}

/// The end of a program, and its moment.
#[derive(Clone)]
struct Exit {
    ended: Ended,
    at: Instant,
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
        let mut journal = Recording::new(&self, with_replay, told, orders.clone());
        let measurement = Measurement::begin(&self.network.limits);
        let agents = MatchAgents::new(&self, addresses, connections.clone());
        let hosting = host(stream, Master::new(self.settings()), operator, &mut journal);
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
            logs.push(Log { source: LOBBY.to_owned(), text: told.join("; ") });
        }
        if let Some(text) = self.why_over(&seated) {
            logs.push(Log { source: "game".to_owned(), text });
        }
        let failures = self.failures(&seated, &connections, &ended);
        let mut record = self.record(&master, &journal, &seated, (&connections, &ended), blunders);
        if let Some(fault) = fault {
            logs.push(Log { source: HOST_FAULT.to_owned(), text: fault });
            record.outcome.termination = Termination::HostFault;
        }
        let replay = journal.replay().map_err(|error| failed("cannot write the replay", error))?;
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
    fn name(&self, seat: usize) -> String {
        agent_name(seat_id(seat), &self.seats[seat].team.to_string())
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
                        (Termination::Protocol, _) => self.disconnected(connections, seat),
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

    /// Describes an agent whose connection the communication server has closed.
    fn disconnected(&self, connections: &Connections, seat: usize) -> String {
        let fault = connections.fault(seat).map_or_else(String::new, |fault| format!(": {fault}"));
        format!("was disconnected by the communication server{fault}")
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
    fn is_gone(&self, team: Team, lost: &[usize]) -> bool {
        (0..).zip(&self.seats).filter(|(_, seat)| seat.team == team).all(|(seat, _)| lost.contains(&seat))
    }

    fn record(
        &self,
        master: &Master,
        journal: &Recording,
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
        let mut metrics = journal.meter.as_ref().map_or_else(Metrics::new, |meter| state.metrics(meter));
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
            time: journal.ended_at,
            steps: journal.steps,
            // Decisions of agents without a request are not seen from here.
            decisions: journal.steps,
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

/// The agents of a match.
struct MatchAgents<'a> {
    table: &'a Table,
    addresses: Vec<SocketAddr>,
    connections: Connections,
    has_joined: Vec<bool>,
    strategies: JoinSet<()>,
    programs: JoinSet<(usize, Exit)>,
    /// Set when programs are to end.
    stop: watch::Sender<bool>,
    ended: Vec<Option<Exit>>,
    blunders: Arc<Mutex<Blunders>>,
}

impl<'a> MatchAgents<'a> {
    fn new(table: &'a Table, addresses: Vec<SocketAddr>, connections: Connections) -> Self {
        let seats = table.seats.len();
        Self {
            table,
            addresses,
            connections,
            has_joined: vec![false; seats],
            strategies: JoinSet::new(),
            programs: JoinSet::new(),
            stop: watch::Sender::new(false),
            ended: vec![None; seats],
            blunders: Arc::default(),
        }
    }

    /// Lets the agents join, and watches until the game is over or was called off.
    async fn seat_and_watch(
        mut self,
        mut events: mpsc::UnboundedReceiver<LobbyEvent>,
        orders: mpsc::Sender<Order>,
    ) -> (Seated, Self) {
        let mut seated =
            Seated { obstacle: None, lost: Vec::new(), started: None, over: None, has_winner: false };
        let mut missing = self.start_all().await;
        // Starting takes the host's time, not that of the agents.
        let mut deadline = Instant::now() + self.table.network.rules.join;
        let mut obstacle: Option<Obstacle> = None;
        loop {
            let found = obstacle.take();
            if seated.obstacle.is_none() && seated.started.is_none() {
                seated.obstacle = match found {
                    // The agent has a seat that belongs to another one: no other agent can be judged any more.
                    Some(found) if found.termination != Termination::CannotStart => {
                        let mut first = Some(found);
                        missing.take().into_iter().for_each(|missing| Obstacle::add(&mut first, missing));
                        first
                    }
                    found => {
                        found.into_iter().for_each(|found| Obstacle::add(&mut missing, found));
                        // The others get the time to join, or to fail as well: the order of failures is a matter of
                        // chance.
                        missing.take_if(|missing| self.are_all_known(missing))
                    }
                };
                if seated.obstacle.is_some() {
                    // The lobby is closed; the agents in it are sent away.
                    self.connections.end_lobby();
                    let _ = orders.send(Operation::Stop.into()).await;
                }
            }
            let waits = seated.obstacle.is_none();
            tokio::select! {
                // Events from before the deadline count, also if they are read after it.
                biased;
                event = events.recv() => match event {
                    None => return (seated, self),
                    Some(LobbyEvent::Over(at)) => {
                        seated.over = Some(at);
                        return (seated, self);
                    }
                    Some(LobbyEvent::Started(at)) => {
                        self.connections.end_lobby();
                        seated.started = Some(at);
                        // The game's own clock is that of the game master.
                        let time = Duration::from(self.table.spec.limits.time);
                        deadline = Instant::now().checked_add(time).unwrap_or(deadline + FAR);
                    }
                    Some(LobbyEvent::Joined(number, team)) => obstacle = self.joined(number, team).await,
                    Some(LobbyEvent::TurnedAway(number)) => {
                        obstacle = self.connections.seat(number).map(|seat| {
                            Obstacle::new(Termination::Protocol, seat, "asked for a team that is full")
                        });
                    }
                    Some(LobbyEvent::Lost(number)) => if let Some(seat) = self.connections.seat(number) {
                        if seated.started.is_none() {
                            obstacle = Some(self.gone_early(seat));
                        } else {
                            seated.lost.push(seat);
                            if self.table.is_gone(self.table.seats[seat].team, &seated.lost) {
                                deadline = deadline.min(Instant::now() + self.table.network.rules.alone);
                            }
                        }
                    }
                },
                Some(joined) = self.programs.join_next(), if !self.programs.is_empty() => {
                    let Ok((seat, exit)) = joined else { continue };
                    if seated.started.is_none() && !self.has_joined[seat] {
                        let fault = self.fault(seat);
                        let what = format!("has not joined: its program {}{fault}", exit.ended);
                        obstacle = Some(Obstacle::absent(seat, what));
                    }
                    self.ended[seat] = Some(exit);
                }
                () = sleep_until(deadline), if waits => {
                    deadline += FAR;
                    if seated.started.is_some() {
                        let is_gone = |team| self.table.is_gone(team, &seated.lost);
                        let reason = if Team::ALL.into_iter().any(is_gone) {
                            Termination::AgentLost
                        } else {
                            Termination::Stall
                        };
                        let _ = orders.send(Operation::End(reason).into()).await;
                    } else {
                        let join = self.table.network.rules.join;
                        let is_absent = |seat: &usize| {
                            !self.has_joined[*seat]
                                && missing.as_ref().is_none_or(|known| !known.seats.contains_key(seat))
                        };
                        let absent = (0..self.has_joined.len()).filter(is_absent);
                        for seat in absent {
                            let what = format!("did not join within {join:?}{}", self.fault(seat));
                            Obstacle::add(&mut obstacle, Obstacle::late(seat, what));
                        }
                    }
                }
            }
        }
    }

    /// Returns the fault in the bytes that the agent of a seat has sent, after a colon; empty if there is none.
    fn fault(&self, seat: usize) -> String {
        self.connections.fault(seat).map_or_else(String::new, |fault| format!(": {fault}"))
    }

    /// Returns whether every agent has joined or is missing.
    fn are_all_known(&self, missing: &Obstacle) -> bool {
        self.has_joined.iter().enumerate().all(|(seat, joined)| *joined || missing.seats.contains_key(&seat))
    }

    /// An agent has lost its place in the lobby.
    fn gone_early(&self, seat: usize) -> Obstacle {
        if self.connections.closed(seat) == Some(Closed::ByServer) {
            let what = self.table.disconnected(&self.connections, seat);
            return Obstacle::new(Termination::Protocol, seat, what);
        }
        Obstacle::absent(seat, "left before the game began")
    }

    /// Starts all programs, and the first strategy of each team; returns those that cannot be started.
    async fn start_all(&mut self) -> Option<Obstacle> {
        let table = self.table;
        let mut obstacle = None;
        for (seat, own) in table.seats.iter().enumerate() {
            let Who::Program(entrant) = &own.who else { continue };
            let isolation = table.network.isolation(entrant).map(|(isolation, _)| isolation);
            let command = entrant.command(
                &table.network.folder,
                Some((self.addresses[seat], &own.team.to_string())),
                table.network.rules.grace,
                isolation,
            );
            match table.network.guard.spawn(&command).await {
                Ok(mut child) => {
                    if let Some(listener) = child.take_listener() {
                        self.connections.listen_inside(seat, listener);
                    }
                    let stop = self.stop.subscribe();
                    self.programs.spawn(async move { (seat, watch(child, stop).await) });
                }
                Err(error) => {
                    let missing = Obstacle::absent(seat, format!("cannot be started: {error}"));
                    Obstacle::add(&mut obstacle, missing);
                }
            }
        }
        for team in Team::ALL {
            if let Some(missing) = self.start_next(team).await {
                Obstacle::add(&mut obstacle, missing);
            }
        }
        obstacle
    }

    /// Starts the next strategy of a team, now that those before it have joined: ids go by the order of joining.
    async fn start_next(&mut self, team: Team) -> Option<Obstacle> {
        let seats = self.table.seats.iter().enumerate();
        let (seat, strategy) =
            seats.filter(|(_, own)| own.team == team).find_map(|(seat, own)| match &own.who {
                Who::Strategy(strategy) if !self.has_joined[seat] => Some((seat, strategy.construct())),
                Who::Strategy(_) | Who::Program(_) | Who::Outside(_) => None,
            })?;
        let builder = Agent::builder(team)
            .server(self.addresses[seat].to_string())
            .seed(self.table.spec.seed)
            .longest_message(Settings::LONGEST_MESSAGE);
        let agent = match builder.connect().await {
            Ok(agent) => agent,
            Err(error) => return Some(Obstacle::absent(seat, error.to_string())),
        };
        let (name, blunders) = (self.table.name(seat), self.blunders.clone());
        self.strategies.spawn(async move {
            let watch = |report: Report| {
                if let Report::Blunder(_) = &report {
                    lock(&blunders).add(&format!("{name}: {report}"));
                }
            };
            // The end of the session is ignored: the game master reports the result.
            agent.play_watched(strategy, watch).await;
        });
        None
    }

    async fn joined(&mut self, number: AgentNumber, team: Team) -> Option<Obstacle> {
        let seat = self.connections.seat(number)?;
        self.has_joined[seat] = true;
        self.connections.join(seat);
        let own = &self.table.seats[seat];
        if own.team != team {
            return Some(Obstacle::new(Termination::Protocol, seat, format!("has joined {team}")));
        }
        if matches!(own.who, Who::Strategy(_)) { self.start_next(team).await } else { None }
    }

    /// Waits for the end of all agents; programs that do not end by themselves are stopped.
    async fn dismiss(&mut self) -> Vec<Option<Exit>> {
        let strategies = async { while self.strategies.join_next().await.is_some() {} };
        let _ = timeout(STRATEGIES_FAREWELL, strategies).await;
        self.strategies.abort_all();
        let _ = timeout(self.table.network.rules.grace, collect(&mut self.programs, &mut self.ended)).await;
        self.stop.send_replace(true);
        collect(&mut self.programs, &mut self.ended).await;
        std::mem::take(&mut self.ended)
    }

    fn blunders(&self) -> Blunders {
        lock(&self.blunders).clone()
    }
}

/// Longer than any match.
const FAR: Duration = Duration::from_secs(365 * 24 * 3600);

async fn collect(programs: &mut JoinSet<(usize, Exit)>, ended: &mut [Option<Exit>]) {
    while let Some(joined) = programs.join_next().await {
        if let Ok((seat, how)) = joined {
            ended[seat] = Some(how);
        }
    }
}

/// Stops a program when it is to end, and returns how it ended.
async fn watch(mut child: Child, mut stop: watch::Receiver<bool>) -> Exit {
    tokio::select! {
        ended = child.ended() => return Exit { ended: ended.clone(), at: Instant::now() },
        _ = stop.wait_for(|stop| *stop) => {}
    }
    child.stop();
    Exit { ended: child.ended().await.clone(), at: Instant::now() }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Meter = <State as Measured>::Meter;

/// Records a game, measures it, and passes on the events that concern its agents.
struct Recording {
    told: mpsc::UnboundedSender<LobbyEvent>,
    orders: mpsc::Sender<Order>,
    program: String,
    seed: Seed,
    names: ByTeam<Vec<String>>,
    with_replay: bool,
    writer: Option<Writer<Vec<u8>>>,
    error: Option<io::Error>,
    meter: Option<Meter>,
    limits: MatchLimits,
    steps: u64,
    ended_at: SimTime,
}

impl Recording {
    fn new(
        table: &Table,
        with_replay: bool,
        told: mpsc::UnboundedSender<LobbyEvent>,
        orders: mpsc::Sender<Order>,
    ) -> Self {
        let name = |seat: &Seat| match &seat.who {
            Who::Strategy(strategy) => strategy.to_string(),
            Who::Program(entrant) => entrant.run.join(" "),
            Who::Outside(entrant) => entrant.name.clone(),
        };
        let of = |team| table.seats.iter().filter(|seat| seat.team == team).map(name).collect();
        Self {
            told,
            orders,
            program: table.network.program.clone(),
            seed: table.spec.seed,
            names: ByTeam::new(Team::ALL.map(of)),
            with_replay,
            writer: None,
            error: None,
            meter: None,
            limits: table.spec.limits,
            steps: 0,
            ended_at: SimTime::START,
        }
    }

    fn begin(&mut self, state: &State, seats: &Seats) -> io::Result<()> {
        self.meter = Some(state.meter());
        if self.with_replay {
            let players = players(state, seats, &self.names);
            let mut header = Header::new::<State>(state.config(), self.seed, players, &self.program);
            header.limits = self.limits.into();
            self.writer = Some(Writer::new(Vec::new(), &header)?);
        }
        Ok(())
    }

    /// Returns the replay, if there was a game and a replay was wanted.
    fn replay(self) -> io::Result<Option<Vec<u8>>> {
        match self.error {
            Some(error) => Err(error),
            None => self.writer.map(Writer::finish).transpose(),
        }
    }

    fn tell(&self, event: LobbyEvent) {
        // The receiver is gone once the game is over.
        let _ = self.told.send(event);
    }
}

impl Journal for Recording {
    fn news(&mut self, master: &Master, news: &News) {
        match news {
            News::Joined { agent, team } => self.tell(LobbyEvent::Joined(*agent, *team)),
            News::TurnedAway { agent, .. } => self.tell(LobbyEvent::TurnedAway(*agent)),
            News::Lost { agent } => self.tell(LobbyEvent::Lost(*agent)),
            News::Started => {
                if let Some((state, seats)) = master.game().zip(master.seats())
                    && let Err(error) = self.begin(state, seats)
                {
                    self.error = Some(error);
                }
                self.tell(LobbyEvent::Started(Instant::now()));
            }
            News::Over(_) | News::CalledOff => self.tell(LobbyEvent::Over(Instant::now())),
            News::StartTooLong { length } => {
                tracing::warn!("the message that begins the game has {length} bytes and cannot be sent");
            }
            News::Senseless { agent, reason } => tracing::debug!(?agent, "{reason}"),
            // Other news does not concern the agents' places.
            _ => {}
        }
    }

    fn nonsense(&mut self, reason: &str) {
        tracing::warn!("from the communication server: {reason}");
    }

    fn second(&mut self, _: &Master) {}
}

impl Witness<State> for Recording {
    fn event(&mut self, now: SimTime, event: &Event) {
        if let Some(meter) = &mut self.meter {
            meter.event(now, event);
        }
    }

    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        self.steps += 1;
        if self.steps == self.limits.steps {
            // If the queue is full, it already has a command that ends the game.
            let _ = self.orders.try_send(Operation::End(Termination::Stall).into());
        }
        (&mut self.meter, &mut self.writer).action(state, now, agent, action);
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        (&mut self.meter, &mut self.writer).disruption(state, now, disruption);
    }

    fn end(&mut self, state: &State, now: SimTime) {
        self.ended_at = now;
        (&mut self.meter, &mut self.writer).end(state, now);
    }
}
