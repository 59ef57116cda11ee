//! The game master's side of a match: the game is recorded and measured, and the events of the lobby are passed on.

use std::io;

use game_env::matches::MatchLimits;
use game_env::replay::{Header, Writer};
use game_env::{AgentId, ByTeam, Disruption, Measured, Seed, SimTime, Termination, Witness};
use game_project::{Action, Event, State, Team};
use reference_gm::project::link::{Command as Operation, Observer, Order};
use reference_gm::project::players::players;
use reference_gm::project::{Master, News};
use tokio::sync::mpsc;
use tokio::time::Instant;
use wire::project::{AgentNumber, Seats};

use super::table::Table;

/// Reports of the game master to the task that seats agents and judges the match.
pub(super) enum LobbyEvent {
    /// The connection with this number has a place in this team.
    Joined(AgentNumber, Team),
    /// It has none: the team that it asked for is full.
    TurnedAway(AgentNumber, Team),
    /// It is gone.
    Lost(AgentNumber),
    /// The game has started at this moment.
    Started(Instant),
    /// The game is over, or was called off.
    Over(Instant),
}

type Meter = <State as Measured>::Meter;

/// Records a game, measures it, and passes on the events that concern its agents.
pub(super) struct Recording {
    told: mpsc::UnboundedSender<LobbyEvent>,
    orders: mpsc::Sender<Order>,
    program: String,
    seed: Seed,
    names: ByTeam<Vec<String>>,
    with_replay: bool,
    writer: Option<Writer<Vec<u8>>>,
    error: Option<io::Error>,
    pub(super) meter: Option<Meter>,
    limits: MatchLimits,
    pub(super) steps: u64,
    pub(super) ended_at: SimTime,
}

impl Recording {
    pub(super) fn new(
        table: &Table,
        with_replay: bool,
        told: mpsc::UnboundedSender<LobbyEvent>,
        orders: mpsc::Sender<Order>,
    ) -> Self {
        Self {
            told,
            orders,
            program: table.network.program.clone(),
            seed: table.spec.seed,
            names: table.names(),
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
    pub(super) fn replay(self) -> io::Result<Option<Vec<u8>>> {
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

impl Observer for Recording {
    fn news(&mut self, master: &Master, news: &News) {
        match news {
            News::Joined { agent, team } => self.tell(LobbyEvent::Joined(*agent, *team)),
            News::TurnedAway { agent, team } => self.tell(LobbyEvent::TurnedAway(*agent, *team)),
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
