//! A recorded game by the name of its game, to be played on from any of its moments by any strategies and programs.
//!
//! A room reads one from a replay ([`Room::recorded_game`](crate::room::Room::recorded_game)). Each entrant is first
//! taken along the record, so that it knows what its agent knew, and then decides freely.
//!
//! ```
//! use game_env::matches::{MatchLimits, MatchSpec};
//! use game_env::replay::{Fork, Reader};
//! use game_env::{Parameters, Seed};
//!
//! let dots = strategies::room::find("dots")?;
//! let entrants = vec!["greedy".to_owned(), "random".to_owned()];
//! let (config, limits) = (Parameters::new(), MatchLimits::default());
//! let spec = MatchSpec { game: "dots".to_owned(), config, seed: Seed::new(7), entrants, limits };
//! let mut replay = Vec::new();
//! let record = dots.play(&spec, "docs 1.0", Some(&mut replay))?;
//!
//! let game = dots.recorded_game(Reader::open(&replay[..])?)?;
//! let as_it_was = game.play_on(Fork::after(10), &game.players(), "docs 1.0", None)?;
//! assert_eq!(as_it_was.outcome, record.outcome);
//! assert!(as_it_was.departures.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What this module does not do
//!
//! It plays one future at a time and counts nothing: the crate `study` does.

use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

use game_env::matches::PlayError;
use game_env::replay::{Completeness, Fork, Header, RecordedEpisode, Writer};
use game_env::rollout::{Departure, Input};
use game_env::seat::ReportsBlunders;
use game_env::{AgentId, Digest, Notation, Outcome, Policy, SimTime, Timed, Witness};

use crate::corrected::Corrected;

pub use crate::corrected::Correction;

/// A recorded game.
pub trait RecordedGame: Send + Sync {
    /// Returns the first line of the replay.
    fn header(&self) -> &Header;

    /// Returns the inputs of the game, with actions as text, in their order.
    fn inputs(&self) -> Vec<Input<String>>;

    /// Returns the moments of the inputs, in their order.
    fn moments(&self) -> Vec<SimTime>;

    /// Returns the outcome; none if the file breaks off before the end.
    fn outcome(&self) -> Option<&Outcome>;

    /// Returns whether the file has its end.
    fn completeness(&self) -> &Completeness;

    /// Returns the recorded players, in the order of agent ids: entrants, if the game was played in process.
    fn players(&self) -> Vec<String> {
        self.header().players.iter().map(|player| player.entrant().to_owned()).collect()
    }

    /// Takes these entrants along the record to the moment of the fork, then lets them play to the end. There is an
    /// entrant for each agent. The replay of the whole game is written to `replay`, if there is one; `program` is the
    /// name and version of the program in it.
    ///
    /// # Errors
    ///
    /// Fails if there are more or fewer entrants than agents, an entrant does not exist, the fork replaces a choice by
    /// a text that is no action, or the replay cannot be written.
    ///
    /// # Panics
    ///
    /// If the fork names more inputs than there are, or an agent that does not play.
    fn play_on(
        &self,
        fork: Fork,
        entrants: &[String],
        program: &str,
        replay: Option<&mut dyn Write>,
    ) -> Result<PlayedOn, PlayError> {
        self.play_corrected(fork, entrants, None, program, replay)
    }

    /// Returns the same, where a reference may correct some of the entrants, if there is a correction.
    ///
    /// # Errors
    ///
    /// As [`RecordedGame::play_on`], and if the reference does not exist.
    ///
    /// # Panics
    ///
    /// As [`RecordedGame::play_on`].
    fn play_corrected(
        &self,
        fork: Fork,
        entrants: &[String],
        correction: Option<Correction<'_>>,
        program: &str,
        replay: Option<&mut dyn Write>,
    ) -> Result<PlayedOn, PlayError>;

    /// Lets the recorded players make their decisions again, as [`RecordedGame::play_on`] does, and returns the
    /// [times](Timed) of those of each agent in their order, by this clock: the time since some fixed moment.
    ///
    /// # Errors
    ///
    /// Fails if a player is no entrant that exists.
    fn decision_times(&self, clock: &dyn Fn() -> Duration) -> Result<Vec<Vec<Duration>>, PlayError>;
}

/// The result of playing a recorded game on.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayedOn {
    /// The outcome.
    pub outcome: Outcome,
    /// The moment of the end.
    pub time: SimTime,
    /// The number of actions of the whole game.
    pub steps: u64,
    /// The hash of all actions with their agents and moments: equal games have equal ones.
    pub course: u64,
    /// The recorded actions before the fork that an entrant would not have asked for.
    pub departures: Vec<Departure<String>>,
    /// The recorded actions before the fork for which an entrant would have asked earlier.
    pub delays: Vec<Departure<String>>,
    /// The blunders of each entrant, in words.
    pub blunders: Vec<Vec<String>>,
}

/// A recorded game of this type, whose seats `seat` makes: for the first state, an agent, its entrant, and whether its
/// notes are kept.
pub(crate) struct Recorded<E: Notation, S> {
    pub(crate) episode: RecordedEpisode<E>,
    pub(crate) seat: S,
}

impl<E, P, S> Recorded<E, S>
where
    E: Notation,
    S: Fn(&E, AgentId, &str, &Header, bool) -> Result<P, String>,
{
    /// Returns the seat of an entrant in the place of this agent.
    fn seat_of(&self, start: &E, agent: AgentId, entrant: &str, has_notes: bool) -> Result<P, PlayError> {
        let seat = (self.seat)(start, agent, entrant, self.episode.header(), has_notes);
        seat.map_err(|reason| PlayError::Entrant { place: agent.index() + 1, reason })
    }
}

impl<E, P, S> RecordedGame for Recorded<E, S>
where
    E: Notation<Action: PartialEq + Send + Sync, Config: Send + Sync>,
    P: Policy<E> + ReportsBlunders,
    S: Fn(&E, AgentId, &str, &Header, bool) -> Result<P, String> + Send + Sync,
{
    fn header(&self) -> &Header {
        self.episode.header()
    }

    fn inputs(&self) -> Vec<Input<String>> {
        self.episode.inputs().iter().map(|input| input.clone().map(|action| action.to_string())).collect()
    }

    fn moments(&self) -> Vec<SimTime> {
        self.episode.inputs().iter().map(Input::at).collect()
    }

    fn outcome(&self) -> Option<&Outcome> {
        self.episode.outcome()
    }

    fn completeness(&self) -> &Completeness {
        self.episode.completeness()
    }

    fn play_corrected(
        &self,
        fork: Fork,
        entrants: &[String],
        correction: Option<Correction<'_>>,
        program: &str,
        replay: Option<&mut dyn Write>,
    ) -> Result<PlayedOn, PlayError> {
        let recorded = self.episode.header();
        if entrants.len() != recorded.players.len() {
            return Err(PlayError::Entrants { found: entrants.len(), expected: recorded.players.len() });
        }
        let fork = fork.read().map_err(PlayError::Action)?;
        let start = self.episode.start();
        let mut seats = Vec::with_capacity(entrants.len());
        for (agent, entrant) in AgentId::all(entrants.len()).zip(entrants) {
            let seat = |entrant: &str| self.seat_of(&start, agent, entrant, replay.is_some());
            let own = seat(entrant)?;
            seats.push(match correction.filter(|correction| correction.agents.contains(&agent)) {
                Some(correction) => Corrected::by(own, seat(correction.reference)?, correction),
                None => Corrected::none(own),
            });
        }
        let mut writer = match replay {
            None => None,
            Some(out) => {
                let mut header = recorded.clone();
                program.clone_into(&mut header.program);
                header.limits = fork.limits.unwrap_or(header.limits);
                for (player, entrant) in header.players.iter_mut().zip(entrants) {
                    if player.entrant() != entrant {
                        player.name.clone_from(entrant);
                        player.entrant = None;
                    }
                }
                Some(Writer::new(out, &header).map_err(PlayError::Replay)?)
            }
        };
        let mut course = Course::default();
        let (mut departures, mut delays) = (Vec::new(), Vec::new());
        let (_, episode) =
            self.episode.play_on(fork, &mut seats, &mut (&mut course, writer.as_mut()), &mut |departure| {
                let departure = departure.map(|action| action.to_string());
                if departure.is_delay() { delays.push(departure) } else { departures.push(departure) }
            });
        if let Some(writer) = writer {
            let out = writer.finish().map_err(PlayError::Replay)?;
            out.flush().map_err(PlayError::Replay)?;
        }
        Ok(PlayedOn {
            outcome: episode.outcome,
            time: episode.time,
            steps: episode.steps,
            course: course.digest.finish(),
            departures,
            delays,
            blunders: seats.iter_mut().map(ReportsBlunders::take_blunders).collect(),
        })
    }

    fn decision_times(&self, clock: &dyn Fn() -> Duration) -> Result<Vec<Vec<Duration>>, PlayError> {
        let (players, start) = (self.players(), self.episode.start());
        let seats = AgentId::all(players.len()).zip(&players);
        let seats =
            seats.map(|(agent, player)| Ok(Timed::new(self.seat_of(&start, agent, player, false)?, clock)));
        let mut seats = seats.collect::<Result<Vec<_>, PlayError>>()?;
        let fork = Fork::after(self.episode.inputs().len());
        self.episode.play_on(fork, &mut seats, &mut (), &mut |_| {});
        Ok(seats.iter().map(|seat| seat.times().to_vec()).collect())
    }
}

/// Computes the hash of the actions of a game.
#[derive(Default)]
struct Course {
    digest: Digest,
    action: String,
}

impl<E: Notation> Witness<E> for Course {
    fn action(&mut self, _: &E, now: SimTime, agent: AgentId, action: &E::Action) {
        self.action.clear();
        write!(self.action, "{now} {agent} {action}").expect("a string takes all that is written");
        self.digest.length(self.action.len());
        self.digest.bytes(self.action.as_bytes());
    }
}
