//! The state of one game and the rules that change it.

use std::sync::Arc;

use game_env::{
    Addressed, AgentId, Audience, Chance, Description, Digest, Disruption, Environment, Information, Millis,
    Options, Outcome, Ranking, Ready, Returns, Seed, SimTime, Sink, Termination, TimeModel, Turn,
};

use crate::board::{Board, Config, Direction, Field, Place, draw_heading};

/// Time of a request and its answer in a rollout. The rules serve a request at any time.
const REQUEST: Millis = Millis::new(1);

/// The player that steps in any direction (KITTEH in the protocol).
pub const STEPPER: AgentId = AgentId::new(0);

/// The player that turns and goes ahead (SUPERCAT in the protocol).
pub const TURNER: AgentId = AgentId::new(1);

/// The momentary state of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    board: Arc<Board>,
    places: [Place; 2],
    /// The direction in which player 1 looks and goes ahead.
    heading: Direction,
    players: [Player; 2],
    chance: Chance,
    clock: SimTime,
    outcome: Option<Outcome>,
}

/// The results of a player's requests so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Player {
    is_gone: bool,
    requests: u32,
    last: Option<Answer>,
    /// The moment at which the next request is served in a rollout.
    ready: SimTime,
}

/// A request of a player.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Action {
    /// Player 0: one field in this direction.
    Step(Direction),
    /// Player 1: look in this direction.
    Turn(Direction),
    /// Player 1: this number of fields in the direction in which it looks.
    Ahead(Steps),
}

/// The number of fields that player 1 goes ahead at once. Only the field on which it lands counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Steps {
    /// To the next field.
    One,
    /// Over one field.
    Two,
    /// Over two fields.
    Three,
}

impl Steps {
    /// Every number of steps.
    pub const ALL: [Self; 3] = [Self::One, Self::Two, Self::Three];

    /// Returns the number of fields.
    pub const fn fields(self) -> u8 {
        self as u8 + 1
    }
}

/// The answer of the game to a request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// It was done.
    Done,
    /// It was done, and the player landed on a hint: its home lies in this direction.
    Hint(Direction),
    /// It was refused.
    Refused,
}

/// The observation of a player: its last answer and the number of its requests. The size of the board is agreed before
/// the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Observation {
    /// The size of the board, the number of hints and of conveyors.
    pub config: Config,
    /// The player itself.
    pub player: AgentId,
    /// The number of its requests that were answered.
    pub requests: u32,
    /// The answer to the last one.
    pub last: Option<Answer>,
}

/// An event of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// A player has moved or turned. The player hears it, but not its place.
    Answered {
        /// The player.
        player: AgentId,
        /// The request.
        action: Action,
        /// The direction of its home, if it landed on a hint.
        hint: Option<Direction>,
    },
    /// A player is at this place now. No player hears it.
    Landed {
        /// The player.
        player: AgentId,
        /// The place.
        place: Place,
        /// The start of the conveyor that carried it there, if one did.
        carried_from: Option<Place>,
        /// The direction in which player 1 looks now.
        heading: Direction,
    },
    /// A request was refused.
    Refused {
        /// The player.
        player: AgentId,
        /// The request.
        action: Action,
        /// The reason.
        refusal: Refusal,
    },
    /// A player is gone, and the other one plays on.
    Left(AgentId),
    /// The game is over.
    Over(Outcome),
}

/// The reason of a refusal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Refusal {
    /// The game is over, or the player has left it.
    Over,
    /// Only the other player moves like this.
    NotYours,
    /// The field would lie off the board.
    OffBoard,
}

impl State {
    /// Returns the parts of the game that never change.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Returns the place of a player.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    #[inline]
    pub fn place(&self, player: usize) -> Place {
        self.places[player]
    }

    /// Returns the direction in which player 1 looks.
    pub fn heading(&self) -> Direction {
        self.heading
    }

    /// Returns the same game with the players at these places, and player 1 looking in this direction: a situation for
    /// tests.
    ///
    /// # Panics
    ///
    /// If a place lies off the board.
    #[must_use]
    pub fn at(self, places: [Place; 2], heading: Direction) -> Self {
        let config = self.board.config();
        assert!(places.into_iter().all(|place| config.has(place)), "both players are on the board");
        Self { places, heading, ..self }
    }

    /// Returns another game of the same configuration; this player cannot distinguish it from this one.
    #[cfg(test)]
    pub(crate) fn redrawn(&self, player: AgentId, chance: &mut Chance) -> Self {
        let (board, places, heading) = set_up(self.board.config(), chance);
        let mut players = self.players;
        let other = &mut players[1 - player.index()];
        other.requests = chance.below(1_000);
        other.last = (other.requests > 0).then_some(Answer::Refused);
        other.ready = self.clock + Millis::new(chance.below(1_000));
        let chance = Seed::new(chance.below(u32::MAX).into()).game();
        Self { board: Arc::new(board), places, heading, players, chance, ..self.clone() }
    }

    /// Returns the field that an action leads to, `None` for a turn, or the reason of a refusal.
    #[inline]
    fn target(&self, player: AgentId, action: Action) -> Result<Option<Place>, Refusal> {
        if self.outcome.is_some() || self.players[player.index()].is_gone {
            return Err(Refusal::Over);
        }
        let (direction, steps) = match (player, action) {
            (STEPPER, Action::Step(direction)) => (direction, 1),
            (TURNER, Action::Turn(_)) => return Ok(None),
            (TURNER, Action::Ahead(steps)) => (self.heading, steps.fields()),
            _ => return Err(Refusal::NotYours),
        };
        let from = self.places[player.index()];
        self.board.config().ahead(from, direction, steps).map(Some).ok_or(Refusal::OffBoard)
    }

    /// Puts a player on a field. Returns the hint on it, and the start of the conveyor if one carries the player on.
    #[inline]
    fn land(&mut self, player: AgentId, field: Place) -> (Option<Direction>, Option<Place>) {
        let (place, hint, carried_from) = match self.board.field(field) {
            Field::Start(end) => {
                if player == TURNER {
                    self.heading = draw_heading(&mut self.chance);
                }
                (end, None, Some(field))
            }
            Field::Hint(directions) => (field, Some(directions[player.index()]), None),
            Field::Normal | Field::Home(_) => (field, None, None),
        };
        self.places[player.index()] = place;
        (hint, carried_from)
    }

    fn end(&mut self, winner: Option<AgentId>, termination: Termination, fault: Option<AgentId>) {
        let points = [STEPPER, TURNER].map(|player| i32::from(winner == Some(player)));
        let returns = Returns::new(&points);
        let outcome = Outcome { ranking: Ranking::by_points(&returns), termination, fault, returns };
        self.outcome.get_or_insert(outcome);
    }

    fn tell_end(&self, now: SimTime, sink: &mut impl Sink<Event>) {
        if let Some(outcome) = self.outcome {
            sink.event(now, Event::Over(outcome));
        }
    }

    /// Makes the player ready again after the time of its request.
    #[inline]
    fn answer(&mut self, now: SimTime, player: AgentId, answer: Answer) {
        let own = &mut self.players[player.index()];
        own.requests = own.requests.saturating_add(1);
        own.last = Some(answer);
        own.ready = now + REQUEST;
    }
}

/// Returns a board, the places at which the players begin, and the heading of player 1.
fn set_up(config: Config, chance: &mut Chance) -> (Board, [Place; 2], Direction) {
    let board = Board::draw(config, chance);
    let places = [STEPPER, TURNER].map(|player| {
        let beginnings = board.beginnings(player.index());
        beginnings[chance.index(beginnings.len())]
    });
    let heading = draw_heading(chance);
    (board, places, heading)
}

impl Environment for State {
    type Config = Config;
    type Action = Action;
    type Observation = Observation;
    type Event = Event;

    const DESCRIPTION: Description = Description {
        title: "Conveyor",
        agents: 2..=2,
        teams: 2..=2,
        information: Information::Imperfect,
        has_chance: true,
        time: TimeModel::RealTime,
    };

    /// The seed draws the board, the places at which the players begin, and every heading after a conveyor.
    fn new(config: &Config, seed: Seed) -> Self {
        let mut chance = seed.game();
        let (board, places, heading) = set_up(*config, &mut chance);
        Self {
            board: Arc::new(board),
            places,
            heading,
            players: [Player::default(); 2],
            chance,
            clock: SimTime::START,
            outcome: None,
        }
    }

    fn clock(&self) -> SimTime {
        self.clock
    }

    #[inline]
    fn turn(&self) -> Turn {
        if let Some(outcome) = self.outcome {
            return Turn::Over(outcome);
        }
        let [first, second] = &self.players;
        let agent = match (first.is_gone, second.is_gone) {
            (false, false) if second.ready < first.ready => TURNER,
            (true, false) => TURNER,
            _ => STEPPER,
        };
        Turn::Act { agent, from: self.players[agent.index()].ready, until: None }
    }

    /// Of two requests at one moment, that of player 0 is served first.
    #[inline]
    fn ready(&self, player: AgentId) -> Option<Ready> {
        let own = &self.players[player.index()];
        let plays = self.outcome.is_none() && !own.is_gone;
        plays.then_some(Ready { at: own.ready, order: player.index() as u64 })
    }

    fn legal_actions(&self, player: AgentId, out: &mut Vec<Action>) {
        options(player, out);
        out.retain(|action| self.target(player, *action).is_ok());
    }

    #[inline]
    fn observe(&self, player: AgentId, out: &mut Observation) {
        let Player { requests, last, .. } = self.players[player.index()];
        *out = Observation { config: self.board.config(), player, requests, last };
    }

    #[inline]
    fn step(&mut self, now: SimTime, player: AgentId, action: Action, sink: &mut impl Sink<Event>) {
        self.clock.advance(now);
        let target = match self.target(player, action) {
            Ok(target) => target,
            Err(refusal) => {
                if refusal != Refusal::Over {
                    self.answer(now, player, Answer::Refused);
                }
                return sink.event(now, Event::Refused { player, action, refusal });
            }
        };
        let (hint, carried_from) = target.map_or((None, None), |field| self.land(player, field));
        if let Action::Turn(direction) = action {
            self.heading = direction;
        }
        self.answer(now, player, hint.map_or(Answer::Done, Answer::Hint));
        let place = self.places[player.index()];
        sink.event(now, Event::Answered { player, action, hint });
        sink.event(now, Event::Landed { player, place, carried_from, heading: self.heading });
        if target.is_some() && place == self.board.home(player.index()) {
            self.end(Some(player), Termination::Normal, None);
            self.tell_end(now, sink);
        }
    }

    /// A player that is gone, for whatever reason, does not stop the game. The game ends without a winner when both are
    /// gone, and then the player that left last is at fault.
    fn disrupt(&mut self, now: SimTime, disruption: Disruption, sink: &mut impl Sink<Event>) {
        self.clock.advance(now);
        if self.outcome.is_some() {
            return;
        }
        let (player, reason) = match disruption.cause() {
            (Some(player), reason) => (player, reason),
            (None, reason) => {
                self.end(None, reason, None);
                return self.tell_end(now, sink);
            }
        };
        if std::mem::replace(&mut self.players[player.index()].is_gone, true) {
            return;
        }
        sink.event(now, Event::Left(player));
        if self.players.iter().all(|player| player.is_gone) {
            self.end(None, reason, Some(player));
            self.tell_end(now, sink);
        }
    }

    fn reseed(&mut self, seed: Seed) {
        self.chance = seed.game();
    }

    fn digest(&self, digest: &mut Digest) {
        self.board.digest(digest);
        for (place, player) in self.places.iter().zip(&self.players) {
            digest.bytes(&[place.column, place.row]);
            digest.flag(player.is_gone);
            digest.u64(player.ready.as_millis());
            digest.u32(player.requests);
            match player.last {
                None => digest.u8(0),
                Some(Answer::Done) => digest.u8(1),
                Some(Answer::Refused) => digest.u8(2),
                Some(Answer::Hint(direction)) => digest.u8(3 + direction as u8),
            }
        }
        digest.u8(self.heading as u8);
        self.chance.digest(digest);
        digest.flag(self.outcome.is_some());
    }
}

/// Replaces `out` by all requests that a player can make.
#[inline]
fn options(player: AgentId, out: &mut Vec<Action>) {
    out.clear();
    if player == STEPPER {
        out.extend(Direction::ALL.map(Action::Step));
    } else {
        out.extend(Direction::ALL.map(Action::Turn));
        out.extend(Steps::ALL.map(Action::Ahead));
    }
}

impl Options<Action> for Observation {
    #[inline]
    fn options(&self, out: &mut Vec<Action>) {
        options(self.player, out);
    }
}

impl Addressed for Event {
    #[inline]
    fn audience(&self) -> Audience {
        match self {
            Self::Answered { player, .. } | Self::Refused { player, .. } => Audience::Agent(*player),
            Self::Landed { .. } => Audience::Referee,
            Self::Left(_) | Self::Over(_) => Audience::All,
        }
    }

    #[inline]
    fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A player hears its own answers, and never where anybody is.
    #[test]
    fn every_event_has_its_audience() {
        let (player, place) = (STEPPER, Place { column: 1, row: 1 });
        let action = Action::Step(Direction::ALL[0]);
        let mut state = State::new(&Config::default(), Seed::new(1));
        state.disrupt(SimTime::START, Disruption::Ended(Termination::Stopped), &mut ());
        let over = state.outcome.expect("the operator has ended it");
        let audiences = [
            Event::Answered { player, action, hint: None },
            Event::Refused { player, action, refusal: Refusal::OffBoard },
            Event::Landed { player, place, carried_from: None, heading: Direction::ALL[0] },
            Event::Left(player),
            Event::Over(over),
        ]
        .map(|event| event.audience());
        let own = Audience::Agent(player);
        assert_eq!(audiences, [own, own, Audience::Referee, Audience::All, Audience::All]);
    }

    /// States that differ only in a last answer have different hashes.
    #[test]
    fn every_last_answer_has_a_hash_of_its_own() {
        let state = State::new(&Config::default(), Seed::new(1));
        let hints = Direction::ALL.map(|direction| Some(Answer::Hint(direction)));
        let answers = [None, Some(Answer::Done), Some(Answer::Refused)].into_iter().chain(hints);
        let hashes = answers.map(|last| {
            let mut state = state.clone();
            state.players[0].last = last;
            state.hash()
        });
        assert_eq!(hashes.collect::<BTreeSet<u64>>().len(), 7);
    }
}
