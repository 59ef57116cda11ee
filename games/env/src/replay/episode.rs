//! A replay in memory, to be played on from any of its moments.

use std::str::FromStr;

use super::header::Header;
use super::playback::Playback;
use super::reader::{Completeness, Reader, ReplayError};
use crate::environment::Disruption;
use crate::ids::AgentId;
use crate::notation::Notation;
use crate::outcome::Outcome;
use crate::policy::{Choice, Policy};
use crate::rollout::{Departure, Episode, Input, Limits, Progress, Replacement, Rollout};
use crate::seed::Seed;
use crate::sink::Witness;
use crate::text::NotationError;
use crate::time::SimTime;

/// A recorded episode: its start, and all its inputs.
pub struct RecordedEpisode<E: Notation> {
    header: Header,
    config: E::Config,
    inputs: Vec<Input<E::Action>>,
    outcome: Option<Outcome>,
    time: SimTime,
    completeness: Completeness,
}

/// The moment of a recorded episode from which it is played on, and the chance and the limits of what follows. Actions
/// are text, or values of the game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fork<A = String> {
    /// The number of inputs before the moment.
    pub inputs: usize,
    /// A choice that an agent makes then, in place of its player's; the others decide freely from there.
    pub replacement: Option<Replacement<A>>,
    /// The seed of everything that comes after the moment; none for the chance of the record.
    pub seed: Option<Seed>,
    /// The limits of the whole episode; none for those of the record, but never more than [`Limits::of_matches`].
    pub limits: Option<Limits>,
}

impl<A> Fork<A> {
    /// Returns a fork after this number of inputs, with the chance and the limits of the record.
    pub fn after(inputs: usize) -> Self {
        Self { inputs, replacement: None, seed: None, limits: None }
    }

    /// Returns the same fork, after which everything is drawn from this seed.
    pub fn with_seed(self, seed: Seed) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// Returns the same fork, at which an agent makes this choice in place of its player's.
    pub fn with_replacement(self, replacement: Replacement<A>) -> Self {
        Self { replacement: Some(replacement), ..self }
    }
}

impl Fork {
    /// Returns the same fork with an action of the game in place of its text.
    ///
    /// # Errors
    ///
    /// If the text is no action of the game.
    pub fn read<A: FromStr<Err = NotationError>>(self) -> Result<Fork<A>, NotationError> {
        let Self { inputs, replacement, seed, limits } = self;
        let read = |Replacement { at, agent, choice }: Replacement<String>| {
            let choice = match choice {
                Choice::Act(text) => Choice::Act(text.parse()?),
                Choice::Wait(until) => Choice::Wait(until),
            };
            Ok::<_, NotationError>(Replacement { at, agent, choice })
        };
        Ok(Fork { inputs, replacement: replacement.map(read).transpose()?, seed, limits })
    }
}

impl<E: Notation> RecordedEpisode<E> {
    /// Plays a replay back and keeps its inputs. Of a file that breaks off, everything before the break.
    ///
    /// # Errors
    ///
    /// As [`Playback::of`] and [`Playback::advance`].
    pub fn read(replay: Reader<'_>) -> Result<Self, ReplayError> {
        let mut playback = Playback::<E>::of(replay)?;
        let header = playback.reader().header().clone();
        let config = E::read_config(&header.config).map_err(ReplayError::Config)?;
        let mut inputs = Inputs(Vec::new());
        let summary = playback.run(&mut inputs)?;
        let (outcome, completeness) = (summary.outcome, summary.completeness);
        Ok(Self { header, config, inputs: inputs.0, outcome, time: summary.time, completeness })
    }

    /// Returns the first line of the replay.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the configuration.
    pub fn config(&self) -> &E::Config {
        &self.config
    }

    /// Returns everything that decided the course, in its order.
    pub fn inputs(&self) -> &[Input<E::Action>] {
        &self.inputs
    }

    /// Returns the outcome; none if the file breaks off before the end.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref()
    }

    /// Returns the moment of the last record: an input, a note or the end.
    pub fn time(&self) -> SimTime {
        self.time
    }

    /// Returns whether the file has its end.
    pub fn completeness(&self) -> &Completeness {
        &self.completeness
    }

    /// Returns the first state.
    pub fn start(&self) -> E {
        E::new(&self.config, self.header.seed)
    }

    /// Takes new policies [along](crate::rollout::Running::follow) the record to a moment, and plays on from there to
    /// the end. Returns the last state and the result.
    ///
    /// # Panics
    ///
    /// If there are not as many policies as agents, fewer inputs than the fork names, or no agent of which it replaces
    /// a choice.
    pub fn play_on<P: Policy<E>, W: Witness<E>>(
        &self,
        fork: Fork<E::Action>,
        policies: &mut [P],
        witness: &mut W,
        departed: &mut impl FnMut(Departure<E::Action>),
    ) -> (E, Episode)
    where
        E::Action: PartialEq,
    {
        let mut state = self.start();
        // A replay may come from elsewhere.
        let limits = fork.limits.unwrap_or(self.header.limits.within(Limits::of_matches()));
        let mut run = Rollout { limits, ..Rollout::default() }.begin(&state);
        run.follow(&mut state, policies, witness, &self.inputs[..fork.inputs], departed);
        match (fork.replacement, fork.seed) {
            (Some(replacement), seed) => run.replace(&mut state, policies, witness, replacement, seed),
            (None, Some(seed)) => run.reseed(&mut state, policies, witness, seed),
            (None, None) => {}
        }
        match run.play(&mut state, policies, witness, |_| false) {
            Progress::Over(episode) => (state, episode),
            Progress::Paused(agent) => unreachable!("the policy of agent {agent} never pauses"),
        }
    }
}

/// Keeps the inputs of a game.
struct Inputs<A>(Vec<Input<A>>);

impl<E: Notation> Witness<E> for Inputs<E::Action> {
    fn action(&mut self, _: &E, at: SimTime, agent: AgentId, action: &E::Action) {
        self.0.push(Input::Action { at, agent, action: action.clone() });
    }

    fn disruption(&mut self, _: &E, at: SimTime, disruption: Disruption) {
        self.0.push(Input::Disruption { at, disruption });
    }

    fn reseed(&mut self, _: &E, at: SimTime, seed: Seed) {
        self.0.push(Input::Reseed { at, seed });
    }
}
