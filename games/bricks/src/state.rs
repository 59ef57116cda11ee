//! The state of one game and the rules that change it.

use game_env::{
    Addressed, AgentId, Audience, Description, Digest, Disruption, Environment, Information, Millis, Options,
    Outcome, Ranking, Returns, Seed, SimTime, Sink, Termination, TimeModel, Turn,
};

use crate::board::{Board, Brick, Config};

/// The momentary state of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    board: Board,
    /// Every brick in the order of moves; player 0 puts the first one, and then they alternate.
    bricks: Vec<Brick>,
    is_loose: bool,
    limit: Option<Millis>,
    /// The moment from which the mover may act.
    since: SimTime,
    clock: SimTime,
    outcome: Option<Outcome>,
}

/// The observation of a player: the whole state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Observation {
    /// The board, with its free cells.
    pub board: Board,
    /// The player itself.
    pub player: AgentId,
    /// The player whose turn it is.
    pub mover: AgentId,
    /// The moment at which the mover is out of time.
    pub until: Option<SimTime>,
}

/// An event of a game. Both players hear all events but refusals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A player put a brick.
    Put {
        /// The player.
        player: AgentId,
        /// The two cells of the brick.
        brick: Brick,
    },
    /// A request was refused.
    Refused {
        /// The player.
        player: AgentId,
        /// The brick of the request.
        brick: Brick,
        /// The reason.
        refusal: Refusal,
    },
    /// The game is over.
    Over(Outcome),
}

/// The reason of a refusal. All but the first two lose the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Refusal {
    /// The game is over.
    Over,
    /// It is the other player's turn.
    NotYourTurn,
    /// The time for the move was over.
    Late,
    /// A cell is not on the board.
    Outside,
    /// The cells have no side in common.
    Apart,
    /// A cell is filled.
    Taken,
}

impl Refusal {
    /// Returns the way in which this refusal ends the game, or `None` if the game goes on.
    const fn ends(self) -> Option<Termination> {
        match self {
            Self::Over | Self::NotYourTurn => None,
            Self::Late => Some(Termination::Time),
            Self::Outside | Self::Apart | Self::Taken => Some(Termination::Illegal),
        }
    }
}

impl State {
    /// Returns the board, with its free cells.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns every brick in the order of moves: player 0 put the first one, player 1 the second, and so on.
    pub fn bricks(&self) -> &[Brick] {
        &self.bricks
    }

    /// Returns the player whose turn it is, or was when the game ended.
    pub fn mover(&self) -> AgentId {
        AgentId::from_index(self.bricks.len() % 2)
    }

    /// Returns the time for a move.
    pub fn limit(&self) -> Option<Millis> {
        self.limit
    }

    /// Returns the moment at which the mover is out of time.
    fn until(&self) -> Option<SimTime> {
        self.limit.map(|limit| self.since + limit)
    }

    fn refusal(&self, now: SimTime, player: AgentId, brick: Brick) -> Option<Refusal> {
        let cells = brick.cells();
        if self.outcome.is_some() {
            Some(Refusal::Over)
        } else if player != self.mover() {
            Some(Refusal::NotYourTurn)
        } else if self.until().is_some_and(|until| now > until) {
            Some(Refusal::Late)
        } else if cells.into_iter().any(|cell| !self.board.has(cell)) {
            Some(Refusal::Outside)
        } else if !(self.board.are_neighbours(brick) || self.is_loose && self.board.are_loose(brick)) {
            Some(Refusal::Apart)
        } else if cells.into_iter().any(|cell| !self.board.is_free(cell)) {
            Some(Refusal::Taken)
        } else {
            None
        }
    }

    /// Ends the game, unless it has ended already; a game without a loser has no winner.
    fn end(&mut self, loser: Option<AgentId>, termination: Termination) {
        let winner = loser.map(AgentId::opponent);
        let points = [0, 1].map(|player| i32::from(winner == Some(AgentId::new(player))));
        let returns = Returns::new(&points);
        let fault = loser.filter(|_| termination != Termination::Normal);
        let outcome = Outcome { ranking: Ranking::by_points(&returns), termination, fault, returns };
        self.outcome.get_or_insert(outcome);
    }

    /// Ends the game if the mover has no place for a brick.
    fn end_if_full(&mut self) {
        if self.board.brick_count() == 0 {
            self.end(Some(self.mover()), Termination::Normal);
        }
    }

    fn tell_end(&self, now: SimTime, sink: &mut impl Sink<Event>) {
        if let Some(outcome) = self.outcome {
            sink.event(now, Event::Over(outcome));
        }
    }
}

impl Environment for State {
    type Config = Config;
    type Action = Brick;
    type Observation = Observation;
    type Event = Event;

    const DESCRIPTION: Description = Description {
        title: "Bricks",
        agents: 2..=2,
        teams: 2..=2,
        information: Information::Perfect,
        has_chance: false,
        time: TimeModel::ClockedTurns,
    };

    /// The seed draws the cells that are filled at random. Player 0 begins. Without a place for a brick the game is
    /// over at once, and player 0 has lost.
    fn new(config: &Config, seed: Seed) -> Self {
        let mut state = Self {
            board: config.board(&mut seed.game()),
            bricks: Vec::new(),
            is_loose: config.is_loose(),
            limit: config.limit(),
            since: SimTime::START,
            clock: SimTime::START,
            outcome: None,
        };
        state.end_if_full();
        state
    }

    fn clock(&self) -> SimTime {
        self.clock
    }

    #[inline]
    fn turn(&self) -> Turn {
        match self.outcome {
            Some(outcome) => Turn::Over(outcome),
            None => Turn::Act { agent: self.mover(), from: self.since, until: self.until() },
        }
    }

    /// A [loose](Config::loose) game lists only bricks on neighbouring cells. A large board has far more loose pairs of
    /// cells, and no game needs one of them.
    fn legal_actions(&self, player: AgentId, out: &mut Vec<Brick>) {
        out.clear();
        if self.ready(player).is_some() {
            self.board.list(out);
        }
    }

    #[inline]
    fn observe(&self, player: AgentId, out: &mut Observation) {
        out.board.clone_from(&self.board);
        (out.player, out.mover, out.until) = (player, self.mover(), self.until());
    }

    fn step(&mut self, now: SimTime, player: AgentId, brick: Brick, sink: &mut impl Sink<Event>) {
        self.clock.advance(now);
        if let Some(refusal) = self.refusal(now, player, brick) {
            sink.event(now, Event::Refused { player, brick, refusal });
            if let Some(termination) = refusal.ends() {
                self.end(Some(player), termination);
                self.tell_end(now, sink);
            }
            return;
        }
        self.board.put(brick);
        self.bricks.push(brick);
        self.since = now;
        sink.event(now, Event::Put { player, brick });
        self.end_if_full();
        self.tell_end(now, sink);
    }

    /// A player that leaves, forfeits or is out of time loses. A game that is ended from outside has no winner.
    fn disrupt(&mut self, now: SimTime, disruption: Disruption, sink: &mut impl Sink<Event>) {
        self.clock.advance(now);
        if self.outcome.is_some() {
            return;
        }
        let (loser, termination) = disruption.cause();
        self.end(loser, termination);
        self.tell_end(now, sink);
    }

    fn reseed(&mut self, _: Seed) {}

    fn digest(&self, digest: &mut Digest) {
        digest.u16(self.board.size());
        digest.flag(self.board.is_torus());
        self.board.bits().iter().for_each(|word| digest.u64(*word));
        digest.length(self.mover().index());
        digest.u64(self.since.as_millis());
        digest.u32(self.limit.map_or(u32::MAX, Millis::as_millis));
        digest.flag(self.outcome.is_some());
        // Replays of other games keep their hashes.
        if self.is_loose {
            digest.flag(true);
        }
    }
}

impl Options<Brick> for Observation {
    #[inline]
    fn options(&self, out: &mut Vec<Brick>) {
        out.clear();
        if self.player == self.mover {
            self.board.list(out);
        }
    }
}

impl Addressed for Event {
    fn audience(&self) -> Audience {
        match self {
            Self::Put { .. } | Self::Over(_) => Audience::All,
            Self::Refused { player, .. } => Audience::Agent(*player),
        }
    }

    fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}
