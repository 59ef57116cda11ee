//! One match over the network, from the empty lobby to the end of the last program.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bots::project::registry::Shipped;
use child_process::{Child, Ended, Isolation};
use cs::config::Config as ServerConfig;
use cs::server::{Listeners, Live};
use game_env::matches::{MOST_BLUNDERS_TOLD, MatchRecord, MatchSpec};
use game_env::replay::{Header, Writer};
use game_env::{
    AgentId, ByTeam, Disruption, Environment as _, Measured, Notation as _, Outcome, Ranking, Returns, Seed,
    SimTime, Termination, Turn, Witness,
};
use game_project::{Action, Config, Event, State, Team};
use reference_gm::link::{Command as Operation, Ending, Journal, Order, host};
use reference_gm::players::players;
use reference_gm::{Master, News, Settings};
use sdk::agent::{Agent, Report};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};
use wire::project::{AgentNumber, Seats};

use super::Network;
use super::commands::{CommandEntrant, Confine};
use super::doors::{Closed, Connections, Doors};
use super::host::Measurement;
use super::joining::JoiningEntrant;
use super::judgement::{has_crashed, why_gone};
use super::{CRASHED_PROGRAMS, GAMES};
use crate::executor::{CannotPlay, Log, Played};
use crate::text::counted;

/// How long the communication server may take to end by itself after its game master.
const SERVER_FAREWELL: Duration = Duration::from_secs(1);

/// How long shipped strategies may take to see that the game is over.
const STRATEGIES_FAREWELL: Duration = Duration::from_secs(5);

/// The longest text of a blunder in a record, in characters.
const LONGEST_BLUNDER: usize = 2_000;

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

/// What the game master reports to the one who seats and judges.
enum LobbyEvent {
    /// The connection with this number has a place in this team.
    Joined(AgentNumber, Team),
    /// It has none: the team is full.
    TurnedAway(AgentNumber),
    /// It is gone.
    Lost(AgentNumber),
    Started,
    /// The game is over, or was called off.
    Over,
}

/// Why a match did not begin.
struct Failure {
    termination: Termination,
    /// In the order of agent ids; at least one.
    seats: Vec<usize>,
    why: String,
}

impl Failure {
    /// Adds the seats of another one to this failure, or begins with it.
    fn add(failure: &mut Option<Self>, other: Self) {
        let Some(own) = failure else {
            *failure = Some(other);
            return;
        };
        own.why = format!("{}; {}", own.why, other.why);
        own.seats.extend(other.seats);
        own.seats.sort_unstable();
        own.seats.dedup();
    }
}

/// What came of the seats.
struct Seated {
    failure: Option<Failure>,
    /// The seats that were lost during the game, in that order.
    lost: Vec<usize>,
}

impl Table {
    pub(super) fn new(network: &Network, spec: &MatchSpec) -> Result<Self, CannotPlay> {
        if !GAMES.contains(&spec.game.as_str()) {
            let (game, known) = (&spec.game, GAMES.join(", "));
            return Err(CannotPlay(format!(
                "the game {game} is not played over the network: expected {known}"
            )));
        }
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

    /// Plays it. What goes wrong with an agent is in the record; what goes wrong with this machine is an error.
    pub(super) async fn play(self, with_replay: bool) -> Result<Played, CannotPlay> {
        let failed = |what: &str, error: io::Error| CannotPlay(format!("{what}: {error}"));
        let ports = |error| failed("the system gives no ports", error);
        let queues = self.queues().map_err(|error| failed("agents cannot join", error))?;
        let (agents, addresses, connections) =
            Doors::for_agents(queues, self.network.rules.delay).map_err(ports)?;
        let (gm, gm_address) = Doors::for_gm().map_err(ports)?;
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
        let crew = Crew::new(&self, addresses, connections.clone());
        let hosting = host(stream, Master::new(self.settings()), operator, &mut journal);
        let ((master, ending), (seated, mut crew)) =
            tokio::join!(hosting, crew.seat_and_watch(events, orders));
        let load = measurement.end();
        // It ends with its game master, unless the match was called off before the game master had anything to say: such
        // a connection was no game master to it. If it panicked, the game is over anyway.
        if timeout(SERVER_FAREWELL, &mut server).await.is_err() {
            let _ = close.send(());
            let _ = server.await;
        }
        let ended = crew.dismiss().await;
        let blunders = crew.blunders();
        drop(crew);
        let mut logs = self.logs(&ended);
        logs.push(Log { source: "host".to_owned(), text: load.to_string() });
        if let Some(text) = self.lacks_namespaces() {
            logs.push(Log { source: "confinement".to_owned(), text });
        }
        let fault = self.network.rules.checks_host.then(|| load.fault(&self.network.limits)).flatten();
        if let Ending::ServerLost(Some(error)) = &ending {
            logs.push(Log { source: "server".to_owned(), text: format!("it was lost: {error}") });
        }
        if let Some(failure) = &seated.failure {
            logs.push(Log { source: "lobby".to_owned(), text: failure.why.clone() });
        }
        let mut record = self.record(&master, &journal, &seated, (&connections, &ended), blunders);
        if let Some(fault) = fault {
            logs.push(Log { source: "fault of the host".to_owned(), text: fault });
            record.outcome.termination = Termination::HostFault;
        }
        let replay = journal.replay().map_err(|error| failed("cannot write the replay", error))?;
        Ok(Played { record, replay, logs })
    }

    /// For each seat the queue in which its agent waits, if it joins from outside.
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
                    let listener = self.network.ports.of(entrant, seat.team)?.try_clone()?;
                    Arc::new(TcpListener::from_std(listener)?)
                }
            };
            open.insert((entrant, seat.team), queue.clone());
            queues.push(Some(queue));
        }
        Ok(queues)
    }

    /// The confinement of a program, if it is confined, and the reason if it has no namespaces.
    fn isolation(&self, entrant: &CommandEntrant) -> Option<(Isolation, Option<String>)> {
        (entrant.confine != Confine::No || self.network.confine).then(|| {
            match self.network.lacks_namespaces(&entrant.folder) {
                None => (Isolation::Namespaces, None),
                why => (Isolation::Filters, why),
            }
        })
    }

    /// Returns the reason why programs are confined without namespaces, if some are.
    fn lacks_namespaces(&self) -> Option<String> {
        let mut programs = self.seats.iter().filter_map(|seat| match &seat.who {
            Who::Program(entrant) => Some(entrant),
            Who::Strategy(_) | Who::Outside(_) => None,
        });
        let why = programs.find_map(|entrant| self.isolation(entrant)?.1)?;
        Some(format!("programs are confined without namespaces: {why}"))
    }

    fn settings(&self) -> Settings {
        let epoch = jiff::Timestamp::UNIX_EPOCH; // until the clock starts
        Settings { start_when_full: true, ..Settings::new(self.config.clone(), self.spec.seed, epoch) }
    }

    /// How messages name a seat: `agent 3 (red)`.
    fn name(&self, seat: usize) -> String {
        format!("agent {} ({})", seat + 1, self.seats[seat].team)
    }

    /// What the programs have written, and how they ended.
    fn logs(&self, ended: &[Option<Ended>]) -> Vec<Log> {
        let log = |(seat, ended): (usize, &Option<Ended>)| {
            let ended = ended.as_ref()?;
            let mut text = format!("its program {ended}\n");
            for (name, tail) in [("standard error", &ended.errors), ("standard output", &ended.output)] {
                if !tail.is_empty() {
                    text += &format!("{name}:\n{tail}\n");
                }
            }
            Some(Log { source: self.name(seat), text: text.trim_end().to_owned() })
        };
        ended.iter().enumerate().filter_map(log).collect()
    }

    fn record(
        &self,
        master: &Master,
        journal: &Recording,
        seated: &Seated,
        (connections, ended): (&Connections, &[Option<Ended>]),
        (mut blunders, mut first_blunders): (u64, Vec<String>),
    ) -> MatchRecord {
        let crashed = ended.iter().enumerate().filter_map(|(seat, ended)| {
            let ended = ended.as_ref().filter(|ended| has_crashed(ended))?;
            Some(format!("the program of {} {ended}", self.name(seat)))
        });
        for crash in crashed {
            blunders += 1;
            first_blunders.push(crash.chars().take(LONGEST_BLUNDER).collect());
        }
        first_blunders.truncate(MOST_BLUNDERS_TOLD);
        let fresh = State::new(&self.config, self.spec.seed);
        let state = master.game().unwrap_or(&fresh);
        let unused = fresh.meter();
        let meter = journal.meter.as_ref().unwrap_or(&unused);
        let outcome = self.outcome(master.game(), seated, connections, ended);
        let mut metrics = state.metrics(meter);
        if self.seats.iter().any(|seat| matches!(seat.who, Who::Program(_))) {
            let of = |team| {
                let crashed = ended.iter().zip(&self.seats).filter(|(_, seat)| seat.team == team);
                crashed.filter(|(ended, _)| ended.as_ref().is_some_and(has_crashed)).count() as f64
            };
            metrics.push(CRASHED_PROGRAMS, Team::ALL.map(of));
        }
        MatchRecord {
            spec: self.spec.clone(),
            program: self.network.program.clone(),
            rules: State::RULES,
            outcome,
            time: journal.ended_at,
            steps: journal.steps,
            // What agents decide without asking for anything is not seen from here.
            decisions: journal.steps,
            metrics,
            hash: state.hash(),
            blunders,
            first_blunders,
        }
    }

    fn outcome(
        &self,
        game: Option<&State>,
        seated: &Seated,
        connections: &Connections,
        ended: &[Option<Ended>],
    ) -> Outcome {
        let seat_id = |seat: usize| AgentId::new(u16::try_from(seat).unwrap_or(u16::MAX));
        let Some(game) = game else {
            // Without a game the side that could not play has lost.
            let (termination, seats) = match &seated.failure {
                Some(failure) => (failure.termination, failure.seats.as_slice()),
                None => (Termination::Interrupted, &[][..]),
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
        let gone = |team: Team| {
            let size = self.seats.iter().filter(|seat| seat.team == team).count();
            seated.lost.iter().filter(|seat| self.seats[**seat].team == team).count() >= size
        };
        let last = seated.lost.iter().rev().find(|seat| gone(self.seats[**seat].team));
        match last {
            None => outcome,
            Some(seat) => {
                let termination = why_gone(connections.closed(*seat), ended[*seat].as_ref());
                Outcome { termination, fault: Some(seat_id(*seat)), ..outcome }
            }
        }
    }
}

/// The agents of a match.
struct Crew<'a> {
    table: &'a Table,
    addresses: Vec<SocketAddr>,
    connections: Connections,
    has_joined: Vec<bool>,
    strategies: JoinSet<()>,
    programs: JoinSet<(usize, Ended)>,
    /// Set when programs are to end.
    stop: watch::Sender<bool>,
    ended: Vec<Option<Ended>>,
    blunders: Arc<Mutex<(u64, Vec<String>)>>,
}

impl<'a> Crew<'a> {
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
        let mut seated = Seated { failure: None, lost: Vec::new() };
        let mut deadline = Instant::now() + self.table.network.rules.join;
        let mut has_started = false;
        let mut missing = self.start_all().await;
        let mut failure: Option<Failure> = None;
        loop {
            let found = failure.take();
            if seated.failure.is_none() && !has_started {
                seated.failure = match found {
                    // It has a place that belongs to another agent: nobody else can be judged any more.
                    Some(found) if found.termination != Termination::CannotStart => {
                        let mut first = Some(found);
                        missing.take().into_iter().for_each(|missing| Failure::add(&mut first, missing));
                        first
                    }
                    found => {
                        found.into_iter().for_each(|found| Failure::add(&mut missing, found));
                        // The others get the time to join, or to fail as well: who fails first is a matter of chance.
                        missing.take_if(|missing| self.are_all_known(missing))
                    }
                };
                if seated.failure.is_some() {
                    // The lobby is closed; the agents in it are sent away.
                    let _ = orders.send(Operation::Stop.into()).await;
                }
            }
            let waits = seated.failure.is_none();
            tokio::select! {
                event = events.recv() => match event {
                    None | Some(LobbyEvent::Over) => return (seated, self),
                    Some(LobbyEvent::Started) => {
                        has_started = true;
                        // The game's own clock is that of the game master.
                        let time = Duration::from_millis(self.table.spec.limits.time.as_millis());
                        deadline = Instant::now().checked_add(time).unwrap_or(deadline + FAR);
                    }
                    Some(LobbyEvent::Joined(number, team)) => failure = self.joined(number, team).await,
                    Some(LobbyEvent::TurnedAway(number)) => {
                        failure = self.connections.seat(number).map(|seat| Failure {
                            termination: Termination::Protocol,
                            seats: vec![seat],
                            why: format!("{} asked for a team that is full", self.table.name(seat)),
                        });
                    }
                    Some(LobbyEvent::Lost(number)) => if let Some(seat) = self.connections.seat(number) {
                        if has_started {
                            seated.lost.push(seat);
                        } else {
                            failure = Some(self.gone_early(seat));
                        }
                    }
                },
                Some(ended) = self.programs.join_next(), if !self.programs.is_empty() => {
                    let Ok((seat, ended)) = ended else { continue };
                    if !has_started && !self.has_joined[seat] {
                        failure = Some(self.absent(vec![seat], &format!("has not joined: its program {ended}")));
                    }
                    self.ended[seat] = Some(ended);
                }
                () = sleep_until(deadline), if waits => {
                    deadline += FAR;
                    if has_started {
                        let _ = orders.send(Operation::End(Termination::Stall).into()).await;
                    } else {
                        let known = missing.as_ref().map_or(&[][..], |missing| &missing.seats);
                        let is_absent = |seat: &usize| !self.has_joined[*seat] && !known.contains(seat);
                        let absent = (0..self.has_joined.len()).filter(is_absent).collect();
                        let why = format!("did not join within {:?}", self.table.network.rules.join);
                        failure = Some(self.absent(absent, &why));
                    }
                }
            }
        }
    }

    /// Whether every agent has joined or is missing.
    fn are_all_known(&self, missing: &Failure) -> bool {
        self.has_joined.iter().enumerate().all(|(seat, joined)| *joined || missing.seats.contains(&seat))
    }

    /// An agent has lost its place in the lobby.
    fn gone_early(&self, seat: usize) -> Failure {
        if self.connections.closed(seat) == Some(Closed::ByServer) {
            let why = format!("{} was disconnected by the communication server", self.table.name(seat));
            return Failure { termination: Termination::Protocol, seats: vec![seat], why };
        }
        self.absent(vec![seat], "left before the game began")
    }

    fn absent(&self, seats: Vec<usize>, what: &str) -> Failure {
        let names: Vec<String> = seats.iter().map(|seat| self.table.name(*seat)).collect();
        Failure { termination: Termination::CannotStart, seats, why: format!("{} {what}", names.join(", ")) }
    }

    /// Starts all programs, and the first strategy of each team; says which cannot be started.
    async fn start_all(&mut self) -> Option<Failure> {
        let table = self.table;
        let mut failure = None;
        for (seat, own) in table.seats.iter().enumerate() {
            let Who::Program(entrant) = &own.who else { continue };
            let isolation = table.isolation(entrant).map(|(isolation, _)| isolation);
            let command = entrant.command(
                &table.network.folder,
                self.addresses[seat],
                own.team,
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
                    let missing = self.absent(vec![seat], &format!("cannot be started: {error}"));
                    Failure::add(&mut failure, missing);
                }
            }
        }
        for team in Team::ALL {
            if let Some(missing) = self.start_next(team).await {
                Failure::add(&mut failure, missing);
            }
        }
        failure
    }

    /// Starts the next strategy of a team, now that those before it have joined: ids go by the order of joining.
    async fn start_next(&mut self, team: Team) -> Option<Failure> {
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
            Err(error) => return Some(self.absent(vec![seat], &error.to_string())),
        };
        let (name, blunders) = (self.table.name(seat), self.blunders.clone());
        self.strategies.spawn(async move {
            let watch = |report: Report| {
                if let Report::Blunder(_) = &report {
                    let mut blunders = lock(&blunders);
                    blunders.0 += 1;
                    if blunders.1.len() < MOST_BLUNDERS_TOLD {
                        let text = format!("{name}: {report}");
                        blunders.1.push(text.chars().take(LONGEST_BLUNDER).collect());
                    }
                }
            };
            // Whatever its end is, the game master tells it.
            agent.play_watched(strategy, watch).await;
        });
        None
    }

    async fn joined(&mut self, number: AgentNumber, team: Team) -> Option<Failure> {
        let seat = self.connections.seat(number)?;
        self.has_joined[seat] = true;
        self.connections.join(seat);
        let own = &self.table.seats[seat];
        if own.team != team {
            let why = format!("{} has joined {team}", self.table.name(seat));
            return Some(Failure { termination: Termination::Protocol, seats: vec![seat], why });
        }
        if matches!(own.who, Who::Strategy(_)) { self.start_next(team).await } else { None }
    }

    /// Waits for the end of all agents; programs that do not end by themselves are made to.
    async fn dismiss(&mut self) -> Vec<Option<Ended>> {
        let strategies = async { while self.strategies.join_next().await.is_some() {} };
        let _ = timeout(STRATEGIES_FAREWELL, strategies).await;
        self.strategies.abort_all();
        let _ = timeout(self.table.network.rules.grace, collect(&mut self.programs, &mut self.ended)).await;
        self.stop.send_replace(true);
        collect(&mut self.programs, &mut self.ended).await;
        std::mem::take(&mut self.ended)
    }

    fn blunders(&self) -> (u64, Vec<String>) {
        lock(&self.blunders).clone()
    }
}

/// Longer than any match.
const FAR: Duration = Duration::from_secs(365 * 24 * 3600);

async fn collect(programs: &mut JoinSet<(usize, Ended)>, ended: &mut [Option<Ended>]) {
    while let Some(joined) = programs.join_next().await {
        if let Ok((seat, how)) = joined {
            ended[seat] = Some(how);
        }
    }
}

/// How a program ended, which is stopped when it is to end.
async fn watch(mut child: Child, mut stop: watch::Receiver<bool>) -> Ended {
    tokio::select! {
        ended = child.ended() => return ended.clone(),
        _ = stop.wait_for(|stop| *stop) => {}
    }
    child.stop();
    child.ended().await.clone()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Meter = <State as Measured>::Meter;

/// Records a game, measures it, and passes on what concerns its agents.
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
    most_steps: u64,
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
            most_steps: table.spec.limits.steps,
            steps: 0,
            ended_at: SimTime::START,
        }
    }

    fn begin(&mut self, state: &State, seats: &Seats) -> io::Result<()> {
        self.meter = Some(state.meter());
        if self.with_replay {
            let players = players(state, seats, &self.names);
            let header = Header::new::<State>(state.config(), self.seed, players, &self.program);
            self.writer = Some(Writer::new(Vec::new(), &header)?);
        }
        Ok(())
    }

    /// The replay, if there was a game and somebody wanted it.
    fn replay(self) -> io::Result<Option<Vec<u8>>> {
        match self.error {
            Some(error) => Err(error),
            None => self.writer.map(Writer::finish).transpose(),
        }
    }

    fn tell(&self, event: LobbyEvent) {
        // Once the game is over, nobody listens.
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
                self.tell(LobbyEvent::Started);
            }
            News::Over(_) | News::CalledOff => self.tell(LobbyEvent::Over),
            News::StartTooLong { length } => {
                tracing::warn!("the message that begins the game has {length} bytes and cannot be sent");
            }
            News::Senseless { agent, reason } => tracing::debug!(?agent, "{reason}"),
            News::Foreign { .. }
            | News::Configured
            | News::NotConfigured(_)
            | News::CannotStart { .. }
            | News::Scored { .. }
            | News::Unsent { .. } => {}
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
        if self.steps == self.most_steps {
            // A full queue holds an order that ends the game as well.
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
