//! A game as a witness knows it: every answer and every place is reported to it, and nothing else.
//!
//! The controller of a game is such a witness. The board reports the places of the special fields, and the place of a
//! player after each move. It does not report the direction of a hint, the end of a conveyor, or the direction in which
//! player 1 looks. [`Known`] has these as unknown until the answers show them.
//!
//! [`Known`] is an [`Environment`] so that a page can follow it like the game itself: its actions are [`Heard`]. It has
//! no rules: it takes each answer as true, and lists no actions beforehand. A program cannot play it.
//!
//! ```
//! use game_conveyor::known::{Heard, InitialKnowledge, Known};
//! use game_conveyor::{Action, Answer, Config, Direction, Place};
//! use game_env::{AgentId, Environment, Seed, SimTime};
//!
//! let config = Config::new(9, 9)?;
//! let start = Place::new(3, 2);
//! let mut initial = InitialKnowledge::new(config);
//! initial.conveyors.insert(start, None);
//! initial.places = [Place::new(2, 2); 2];
//! let mut known = Known::new(&initial, Seed::new(0)); // a seed decides nothing here
//! let (action, answer, place) = (Action::Step(Direction::Right), Answer::Done, Some(Place::new(7, 7)));
//! known.step(SimTime::START, AgentId::new(0), Heard::Answer { action, answer, place }, &mut ());
//! assert_eq!(known.conveyors().next(), Some((start, Some(Place::new(7, 7)))));
//! # Ok::<(), game_conveyor::ConfigError>(())
//! ```

mod notation;

use std::collections::BTreeMap;

use game_env::{
    Addressed, AgentId, Audience, Description, Digest, Disruption, Environment, Options, Outcome, Ranking,
    Returns, Seed, SimTime, Sink, Termination, Turn,
};

use crate::board::{Config, Direction, Place};
use crate::state::{Action, Answer, STEPPER, State, TURNER};

/// The knowledge of a board before the first request. All places lie on the board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InitialKnowledge {
    /// The size. The number of hints and conveyors is that of the fields below.
    pub config: Config,
    /// The homes of the players.
    pub homes: [Option<Place>; 2],
    /// The hints.
    pub hints: Vec<Place>,
    /// The starts of conveyors, with their ends if these are known.
    pub conveyors: BTreeMap<Place, Option<Place>>,
    /// The places of the players.
    pub places: [Place; 2],
}

impl InitialKnowledge {
    /// Creates a board of this size with no special field. Both players are in the first field.
    pub fn new(config: Config) -> Self {
        let places = [Place::new(1, 1); 2];
        Self { config, homes: [None; 2], hints: Vec::new(), conveyors: BTreeMap::new(), places }
    }
}

/// The knowledge of a game at a moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    config: Config,
    homes: [Option<Place>; 2],
    hints: BTreeMap<Place, [Option<Direction>; 2]>,
    conveyors: BTreeMap<Place, Option<Place>>,
    places: [Place; 2],
    /// Whether player 1 may look in this direction, for each of [`Direction::ALL`].
    headings: [bool; 4],
    clock: SimTime,
    outcome: Option<Outcome>,
}

/// Player 1 may look in any direction.
const ANY_HEADING: [bool; 4] = [true; 4];

/// A report about a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Heard {
    /// Its request was answered.
    Answer {
        /// The request.
        action: Action,
        /// The answer.
        answer: Answer,
        /// The place of the player now, if it has moved.
        place: Option<Place>,
    },
    /// It has won.
    Win,
}

/// An event: the conclusion from a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KnownEvent {
    /// A player has moved or turned.
    Answered {
        /// The player.
        player: AgentId,
        /// The request.
        action: Action,
        /// The direction of its home, if it landed on a hint.
        hint: Option<Direction>,
    },
    /// A player is at this place now.
    Landed {
        /// The player.
        player: AgentId,
        /// The place.
        place: Place,
        /// The start of the conveyor that carried it there, if the place shows that one did.
        carried_from: Option<Place>,
    },
    /// A request was refused.
    Refused {
        /// The player.
        player: AgentId,
        /// The request.
        action: Action,
    },
    /// A player is gone. Another one may take its place.
    Left(AgentId),
    /// The game is over.
    Over(Outcome),
}

impl Known {
    /// Returns the size of the board.
    pub fn config(&self) -> Config {
        self.config
    }

    /// Returns the home of a player.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    pub fn home(&self, player: usize) -> Option<Place> {
        self.homes[player]
    }

    /// Returns every hint, with the direction of each player's home as far as it is known.
    pub fn hints(&self) -> impl Iterator<Item = (Place, [Option<Direction>; 2])> {
        self.hints.iter().map(|(place, directions)| (*place, *directions))
    }

    /// Returns the start of every conveyor, with its end if it is known.
    pub fn conveyors(&self) -> impl Iterator<Item = (Place, Option<Place>)> {
        self.conveyors.iter().map(|(start, end)| (*start, *end))
    }

    /// Returns the place of a player.
    ///
    /// # Panics
    ///
    /// If there is no such player.
    pub fn place(&self, player: usize) -> Place {
        self.places[player]
    }

    /// Returns the direction in which player 1 looks, if it is known.
    pub fn heading(&self) -> Option<Direction> {
        let mut possible = self.possible_headings();
        possible.next().filter(|_| possible.next().is_none())
    }

    fn possible_headings(&self) -> impl Iterator<Item = Direction> {
        Direction::ALL.into_iter().zip(self.headings).filter_map(|(heading, may)| may.then_some(heading))
    }

    fn set_headings(&mut self, may: impl Fn(Direction) -> bool) {
        self.headings = Direction::ALL.map(may);
        if self.headings == [false; 4] {
            // The board has contradicted itself.
            self.headings = ANY_HEADING;
        }
    }

    fn take(
        &mut self,
        player: AgentId,
        action: Action,
        answer: Answer,
        place: Option<Place>,
    ) -> Option<KnownEvent> {
        match (action, answer) {
            (Action::Turn(direction), Answer::Done | Answer::Hint(_)) => {
                self.set_headings(|heading| heading == direction);
            }
            (Action::Ahead(steps), Answer::Refused) => {
                let (config, from) = (self.config, self.places[player.index()]);
                let before = self.headings;
                self.set_headings(|heading| {
                    before[heading as usize] && config.ahead(from, heading, steps.fields()).is_none()
                });
            }
            (Action::Turn(_) | Action::Step(_), Answer::Refused) => {}
            (Action::Step(_) | Action::Ahead(_), Answer::Done | Answer::Hint(_)) => {
                return place.map(|place| self.land(player, action, answer, place));
            }
        }
        None
    }

    /// Moves a player to a place. If its heading is not known, several ways may lead there; then no conveyor is named.
    fn land(&mut self, player: AgentId, action: Action, answer: Answer, place: Place) -> KnownEvent {
        let from = self.places[player.index()];
        let ways: Vec<(Direction, Option<Place>)> = match action {
            Action::Step(direction) => self.way(from, direction, 1, answer, place).into_iter().collect(),
            Action::Ahead(steps) => self
                .possible_headings()
                .filter_map(|heading| self.way(from, heading, steps.fields(), answer, place))
                .collect(),
            Action::Turn(_) => Vec::new(),
        };
        let carried_from = if let [(_, Some(start))] = ways[..] {
            self.conveyors.insert(start, Some(place));
            Some(start)
        } else {
            None
        };
        if player == TURNER {
            let is_straight = ways.iter().all(|(_, start)| start.is_none());
            self.set_headings(|heading| !is_straight || ways.iter().any(|(way, _)| *way == heading));
        }
        if let (Answer::Hint(direction), Some(directions)) = (answer, self.hints.get_mut(&place)) {
            directions[player.index()] = Some(direction);
        }
        self.places[player.index()] = place;
        KnownEvent::Landed { player, place, carried_from }
    }

    /// Returns the direction if a move in it may have led to `to`, with the start of the conveyor on that way.
    fn way(
        &self,
        from: Place,
        direction: Direction,
        steps: u8,
        answer: Answer,
        to: Place,
    ) -> Option<(Direction, Option<Place>)> {
        let field = self.config.ahead(from, direction, steps)?;
        let has_hint = matches!(answer, Answer::Hint(_));
        let (may, start) = match self.conveyors.get(&field) {
            Some(end) => (!has_hint && end.is_none_or(|end| end == to), Some(field)),
            None => (field == to && self.hints.contains_key(&field) == has_hint, None),
        };
        may.then_some((direction, start))
    }

    fn end(&mut self, winner: Option<AgentId>, termination: Termination) -> Outcome {
        let points = [STEPPER, TURNER].map(|player| i32::from(winner == Some(player)));
        let returns = Returns::new(&points);
        *self.outcome.insert(Outcome {
            ranking: Ranking::by_points(&returns),
            termination,
            fault: None,
            returns,
        })
    }
}

impl Environment for Known {
    type Config = InitialKnowledge;
    type Action = Heard;
    type Observation = Nothing;
    type Event = KnownEvent;

    const DESCRIPTION: Description = State::DESCRIPTION;

    /// The seed decides nothing.
    fn new(initial: &InitialKnowledge, _: Seed) -> Self {
        let InitialKnowledge { config, homes, hints, conveyors, places } = initial.clone();
        Self {
            config,
            homes,
            hints: hints.into_iter().map(|place| (place, [None; 2])).collect(),
            conveyors,
            places,
            headings: ANY_HEADING,
            clock: SimTime::START,
            outcome: None,
        }
    }

    fn clock(&self) -> SimTime {
        self.clock
    }

    /// Names player 0 until the end: there are no turns.
    fn turn(&self) -> Turn {
        match self.outcome {
            Some(outcome) => Turn::Over(outcome),
            None => Turn::Act { agent: STEPPER, from: self.clock, until: None },
        }
    }

    fn legal_actions(&self, _: AgentId, out: &mut Vec<Heard>) {
        out.clear();
    }

    fn observe(&self, _: AgentId, _: &mut Nothing) {}

    /// A report after the end changes nothing.
    fn step(&mut self, now: SimTime, player: AgentId, heard: Heard, sink: &mut impl Sink<KnownEvent>) {
        self.clock.advance(now);
        if self.outcome.is_some() {
            return;
        }
        match heard {
            Heard::Answer { action, answer, place } => {
                let landed = self.take(player, action, answer, place);
                let hint = if let Answer::Hint(direction) = answer { Some(direction) } else { None };
                sink.event(
                    now,
                    match answer {
                        Answer::Refused => KnownEvent::Refused { player, action },
                        Answer::Done | Answer::Hint(_) => KnownEvent::Answered { player, action, hint },
                    },
                );
                if let Some(landed) = landed {
                    sink.event(now, landed);
                }
            }
            Heard::Win => {
                let outcome = self.end(Some(player), Termination::Normal);
                sink.event(now, KnownEvent::Over(outcome));
            }
        }
    }

    /// A player that is gone changes nothing. Only [`Disruption::Ended`] ends the game.
    fn disrupt(&mut self, now: SimTime, disruption: Disruption, sink: &mut impl Sink<KnownEvent>) {
        self.clock.advance(now);
        if self.outcome.is_some() {
            return;
        }
        let told = match disruption.cause() {
            (Some(player), _) => KnownEvent::Left(player),
            (None, reason) => KnownEvent::Over(self.end(None, reason)),
        };
        sink.event(now, told);
    }

    fn reseed(&mut self, _: Seed) {}

    fn digest(&self, digest: &mut Digest) {
        let place = |digest: &mut Digest, place: Option<Place>| {
            digest.bytes(&place.map_or([0; 2], |Place { column, row }| [column, row]));
        };
        digest.bytes(&[self.config.columns(), self.config.rows()]);
        self.homes.iter().chain(&self.places.map(Some)).for_each(|at| place(digest, *at));
        digest.length(self.hints.len());
        for (at, directions) in &self.hints {
            place(digest, Some(*at));
            directions.iter().for_each(|way| digest.u8(way.map_or(0, |way| 1 + way as u8)));
        }
        digest.length(self.conveyors.len());
        for (start, end) in &self.conveyors {
            place(digest, Some(*start));
            place(digest, *end);
        }
        self.headings.iter().for_each(|may| digest.flag(*may));
        digest.flag(self.outcome.is_some());
    }
}

/// The observation of a player, which is empty: it has no requests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Nothing;

impl Options<Heard> for Nothing {
    fn options(&self, out: &mut Vec<Heard>) {
        out.clear();
    }
}

impl Addressed for KnownEvent {
    fn audience(&self) -> Audience {
        Audience::Referee
    }

    fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// States have different hashes if they differ in the direction of one hint, in the direction in which player 1
    /// looks, in the end of a conveyor, or in what begins on a field.
    #[test]
    fn everything_that_is_known_is_in_the_hash() {
        let [hint, start, end] = [(2, 2), (3, 3), (5, 5)].map(|(column, row)| Place::new(column, row));
        let initial = InitialKnowledge {
            config: Config::default(),
            homes: [None; 2],
            hints: vec![hint],
            conveyors: BTreeMap::from([(start, None)]),
            places: [Place::new(1, 1); 2],
        };
        let known = Known::new(&initial, Seed::new(0));
        let mut all = vec![known.clone()];
        let mut add = |change: &dyn Fn(&mut Known)| {
            let mut other = known.clone();
            change(&mut other);
            all.push(other);
        };
        for direction in Direction::ALL {
            add(&|known| {
                known.hints.insert(hint, [Some(direction), None]);
            });
        }
        add(&|known| known.headings[0] = false);
        add(&|known| {
            known.conveyors.insert(start, Some(end));
        });
        add(&|known| known.homes[1] = Some(end));
        add(&|known| {
            known.hints.clear();
            known.conveyors.insert(hint, None);
        });
        let hashes: BTreeSet<u64> = all.iter().map(Environment::hash).collect();
        assert_eq!(hashes.len(), all.len());
    }
}
