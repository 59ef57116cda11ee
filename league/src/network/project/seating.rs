//! The agents of a match: how they join, how they leave, and how their programs end.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use child_process::{Child, Ended, How};
use contests::text::game_time;
use game_env::matches::Blunders;
use game_env::{SimTime, Termination};
use game_project::Team;
use reference_gm::project::Settings;
use reference_gm::project::link::{Command as Operation, Order};
use sdk::agent::{Agent, Report};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until, timeout};
use wire::project::AgentNumber;

use super::listeners::{Closed, Connections};
use super::recording::LobbyEvent;
use super::table::{Seat, Table, Who};
use crate::network::programs::has_crashed;

/// Time that shipped strategies may take to see that the game is over.
const STRATEGIES_FAREWELL: Duration = Duration::from_secs(5);

/// Longer than any match.
const FAR: Duration = Duration::from_secs(365 * 24 * 3600);

/// Reason why a match did not begin.
pub(super) struct Obstacle {
    pub(super) termination: Termination,
    /// For each of these seats its failure, as words after its name; at least one seat.
    pub(super) seats: BTreeMap<usize, String>,
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

    /// Returns an agent that this machine could not start: the match says nothing about the teams.
    fn of_host(seat: usize, what: impl Into<String>) -> Self {
        Self::new(Termination::HostFault, seat, what)
    }

    /// Returns an agent that has not joined in time.
    fn late(seat: usize, what: impl Into<String>) -> Self {
        Self { is_late: true, ..Self::absent(seat, what) }
    }

    /// Adds the seats of another one to this obstacle, or begins with it.
    fn add(obstacle: &mut Option<Self>, other: Self) {
        let own = obstacle.get_or_insert_with(|| Self { seats: BTreeMap::new(), ..other });
        own.is_late |= other.is_late;
        if other.termination == Termination::HostFault {
            own.termination = other.termination;
        }
        for (seat, what) in other.seats {
            own.seats.entry(seat).or_insert(what);
        }
    }
}

/// Result of the seating and the game for the seats.
pub(super) struct Seated {
    pub(super) obstacle: Option<Obstacle>,
    /// The seats that were lost during the game, in that order.
    pub(super) lost: Vec<usize>,
    /// When the game started, and when it was over or called off.
    started: Option<Instant>,
    pub(super) over: Option<Instant>,
    /// Whether the game has a winner.
    pub(super) has_winner: bool,
}

impl Seated {
    /// Returns the game time at this moment; none before the game, or if there was none.
    pub(super) fn game_time(&self, at: Instant) -> Option<SimTime> {
        Some(at.checked_duration_since(self.started?)?.into())
    }

    /// Returns whether a slow machine can have changed the result of the match. Without a game, it can have kept an
    /// agent from joining in time; programs that end, or break the protocol, do so on any machine.
    pub(super) fn depends_on_the_machine(&self) -> bool {
        self.started.is_some() || self.obstacle.as_ref().is_none_or(|obstacle| obstacle.is_late)
    }

    /// Returns whether a program that ended like this has crashed. It has not if its connection was closed without
    /// a last message: in a match that is called off, and in one without a winner, which ends without message 104.
    pub(super) fn has_crashed(&self, seat: usize, exit: &Exit) -> bool {
        let could_play = self.obstacle.as_ref().is_none_or(|obstacle| obstacle.seats.contains_key(&seat));
        let was_told = self.has_winner || !self.is_after_the_end(exit.at);
        could_play && was_told && has_crashed(&exit.ended)
    }

    pub(super) fn is_after_the_end(&self, at: Instant) -> bool {
        self.over.is_some_and(|over| at > over)
    }

    /// `1.8 s into the game`.
    pub(super) fn moment(&self, at: Instant) -> String {
        match self.game_time(at) {
            None => "before the game".to_owned(),
            Some(_) if self.is_after_the_end(at) => "after the game".to_owned(),
            Some(time) => format!("{} into the game", game_time(time)),
        }
    }
}

/// The end of a program, and its moment.
#[derive(Clone)]
pub(super) struct Exit {
    pub(super) ended: Ended,
    pub(super) at: Instant,
}
/// The agents of a match.
pub(super) struct MatchAgents<'a> {
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
    pub(super) fn new(table: &'a Table, addresses: Vec<SocketAddr>, connections: Connections) -> Self {
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
    pub(super) async fn seat_and_watch(
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
                seated.obstacle = self.decisive(found, &mut missing);
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
                    Some(LobbyEvent::TurnedAway(number, team)) => {
                        obstacle = self.connections.seat(number).map(|seat| {
                            let rule = self.rule_of_the_port(seat, team);
                            let what = format!("asked for a team that is full{rule}");
                            Obstacle::new(Termination::Protocol, seat, what)
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
                        let fault = self.connections.fault_behind(seat);
                        let what = format!("has not joined: its program {}{fault}", exit.ended);
                        let is_of_host = matches!(exit.ended.how, How::NoRoom(_));
                        let missing = if is_of_host { Obstacle::of_host } else { Obstacle::absent };
                        obstacle = Some(missing(seat, what));
                    }
                    self.ended[seat] = Some(exit);
                }
                () = sleep_until(deadline), if waits => {
                    deadline += FAR;
                    if seated.started.is_some() {
                        let is_gone = |team| self.table.is_gone(team, &seated.lost);
                        let is_abandoned = Team::ALL.into_iter().any(is_gone);
                        let reason = if is_abandoned { Termination::AgentLost } else { Termination::Stall };
                        let _ = orders.send(Operation::End(reason).into()).await;
                    } else {
                        obstacle = self.late(missing.as_ref());
                    }
                }
            }
        }
    }

    /// Returns the obstacle for which the match is called off, if there is one. Until then, those that are found are
    /// added to the agents that are `missing`.
    fn decisive(&self, found: Option<Obstacle>, missing: &mut Option<Obstacle>) -> Option<Obstacle> {
        match found {
            // The agent has a seat that belongs to another one: no other agent can be judged any more.
            Some(found) if found.termination != Termination::CannotStart => {
                let mut first = Some(found);
                missing.take().into_iter().for_each(|missing| Obstacle::add(&mut first, missing));
                first
            }
            found => {
                found.into_iter().for_each(|found| Obstacle::add(missing, found));
                // The others get the time to join, or to fail as well: the order of failures is a matter of chance.
                missing.take_if(|missing| self.are_all_known(missing))
            }
        }
    }

    /// Returns the agents that have neither joined in time nor are known to be `missing`.
    fn late(&self, missing: Option<&Obstacle>) -> Option<Obstacle> {
        let join = self.table.network.rules.join;
        let is_known = |seat: &usize| missing.is_some_and(|known| known.seats.contains_key(seat));
        let mut late = None;
        for seat in (0..self.has_joined.len()).filter(|seat| !self.has_joined[*seat] && !is_known(seat)) {
            let what = format!(
                "did not join within {} s{}",
                join.as_secs_f64(),
                self.connections.fault_behind(seat)
            );
            Obstacle::add(&mut late, Obstacle::late(seat, what));
        }
        late
    }

    /// Returns whether every agent has joined or is missing.
    fn are_all_known(&self, missing: &Obstacle) -> bool {
        self.has_joined.iter().enumerate().all(|(seat, joined)| *joined || missing.seats.contains_key(&seat))
    }

    /// An agent has lost its place in the lobby.
    fn gone_early(&self, seat: usize) -> Obstacle {
        if self.connections.closed(seat) == Some(Closed::ByServer) {
            let what = self.connections.disconnected(seat);
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
                    let what = format!("cannot be started: {error}");
                    let missing = if error.is_of_host() { Obstacle::of_host } else { Obstacle::absent };
                    Obstacle::add(&mut obstacle, missing(seat, what));
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
            // Server and strategy are this program's own.
            Err(error) => return Some(Obstacle::of_host(seat, error.to_string())),
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
            let what = format!("has joined {team}{}", self.rule_of_the_port(seat, team));
            return Some(Obstacle::new(Termination::Protocol, seat, what));
        }
        if matches!(own.who, Who::Strategy(_)) { self.start_next(team).await } else { None }
    }

    /// Returns the rule that an agent from outside has broken if it asked for this team at the port of the other one,
    /// after a colon; empty if it broke none. The league tells a program its team.
    fn rule_of_the_port(&self, seat: usize, asked: Team) -> String {
        let Seat { team, who } = &self.table.seats[seat];
        match who {
            Who::Outside(_) if *team != asked => {
                format!(": it has connected at the port of {team}, whose agents ask for {team}")
            }
            Who::Outside(_) | Who::Program(_) | Who::Strategy(_) => String::new(),
        }
    }

    /// Waits for the end of all agents; programs that do not end by themselves are stopped.
    pub(super) async fn dismiss(&mut self) -> Vec<Option<Exit>> {
        let strategies = async { while self.strategies.join_next().await.is_some() {} };
        let _ = timeout(STRATEGIES_FAREWELL, strategies).await;
        self.strategies.abort_all();
        let _ = timeout(self.table.network.rules.grace, collect(&mut self.programs, &mut self.ended)).await;
        self.stop.send_replace(true);
        collect(&mut self.programs, &mut self.ended).await;
        std::mem::take(&mut self.ended)
    }

    pub(super) fn blunders(&self) -> Blunders {
        lock(&self.blunders).clone()
    }
}

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
