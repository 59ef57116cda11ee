//! Compares policies of the caller by a sequential test, in any game of two teams, and plays one of their matches
//! again.
//!
//! The test, the metrics and the sentences are those of `league compare`, see [`crate::compare`]: the only
//! difference is that the policies need no name in a registry. A game whose agents are made in another way has a
//! comparison of its own, which shares this file: see [`crate::project::comparison`].
//!
//! ```
//! use contests::comparison::{Comparison, Side};
//! use game_dots::{Config, Edge, Observation, State};
//! use game_env::{AgentId, Chance, Options as _, Policy, RandomPolicy, Seed, SimTime};
//!
//! /// Completes a box if it can.
//! fn eager(_: SimTime, _: AgentId, seen: &Observation) -> Edge {
//!     let mut edges = Vec::new();
//!     seen.options(&mut edges);
//!     let completes = |edge: &&Edge| seen.boxes_beside(**edge).any(|corner| seen.drawn_around(corner) == 3);
//!     *edges.iter().find(completes).unwrap_or(&edges[0])
//! }
//!
//! let config = Config::new(4, 4)?;
//! let own = |_: AgentId, _: Chance| -> Box<dyn Policy<State>> { Box::new(eager) };
//! let random = |_: AgentId, chance| -> Box<dyn Policy<State>> { Box::new(RandomPolicy::<Edge>::new(chance)) };
//! let (own, random) = (Side::of("eager", &own), Side::of("random", &random));
//! let compared = Comparison::new(&config, own, random).run(Seed::new(1), 1_000)?;
//! assert!(compared.findings.sentence.starts_with("eager is stronger: "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::thread;

use game_env::matches::{self, MatchLimits, MatchRecord, MatchSpec, PlayError};
use game_env::seat::{ReportsBlunders, Seat};
use game_env::{AgentId, Chance, Environment, Measured, Notation, Policy, Seed, TeamId};

use crate::compare::{self, Findings, PairMatch, Plan, Play};
use crate::setup::{GameSetup, NamedLineUp};

/// Name and version of the program in the replay.
const PROGRAM: &str = concat!("contests ", env!("CARGO_PKG_VERSION"));

/// Constructor of the policy of an agent, given the chance that the seed holds for this agent.
pub type Construct<'a, E> = &'a (dyn Fn(AgentId, Chance) -> Box<dyn Policy<E>> + Sync);

/// One side of a comparison.
#[derive(Clone, Copy)]
pub struct Side<'a, C> {
    /// The name in texts and replays.
    pub name: &'a str,
    /// The maker of its agents.
    pub construct: C,
}

/// Two sides in one game with one configuration.
pub struct Comparison<'a, E: Environment>(Sides<'a, E, Construct<'a, E>>);

/// The parts of a comparison that do not depend on the way in which a side makes its agents.
pub(crate) struct Sides<'a, E: Environment, C> {
    pub(crate) config: &'a E::Config,
    pub(crate) sides: [Side<'a, C>; 2],
}

/// The result of a comparison; `T` names a team.
#[derive(Clone, PartialEq, Debug)]
pub struct Compared<T = TeamId> {
    /// The decision, the metrics that differ most, and the length of a match.
    pub findings: Findings,
    /// Matches to look at. `again` of the comparison plays one of them again.
    pub games: Vec<GameToSee<T>>,
}

/// A match of a comparison that is worth a look.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameToSee<T = TeamId> {
    /// Its seed.
    pub seed: Seed,
    /// The team of the first side.
    pub team: T,
    /// The reason to look at it.
    pub why: String,
}

impl<'a, E: Environment> Side<'a, Construct<'a, E>> {
    /// Returns a side with this name and this maker of policies.
    pub fn of(name: &'a str, construct: Construct<'a, E>) -> Self {
        Self { name, construct }
    }
}

impl<'a, E: Notation + Measured> Comparison<'a, E> {
    /// Creates a comparison of these sides.
    ///
    /// # Panics
    ///
    /// Panics if both sides have the same name, because their matches could not be told apart, and if the game has
    /// another number of teams than two.
    pub fn new(
        config: &'a E::Config,
        first: Side<'a, Construct<'a, E>>,
        second: Side<'a, Construct<'a, E>>,
    ) -> Self {
        Self(Sides::new(config, first, second))
    }

    /// Plays mirrored pairs on all cores until the test has decided, or until there are this many pairs. The result
    /// does not depend on the number of cores.
    ///
    /// # Errors
    ///
    /// If a match cannot be played.
    pub fn run(&self, seed: Seed, most_pairs: u64) -> Result<Compared, PlayError>
    where
        E::Config: Sync,
    {
        self.0.run(seed, most_pairs, &|spec| self.play_policies(spec, None))
    }

    /// Plays the match with this seed in which the first side is this team, and writes the replay, with the names of
    /// the sides.
    ///
    /// # Errors
    ///
    /// If the replay cannot be written.
    ///
    /// # Panics
    ///
    /// Panics if the game has no such team.
    pub fn again(&self, seed: Seed, team: TeamId, replay: &mut dyn Write) -> Result<MatchRecord, PlayError> {
        self.play_policies(&self.0.spec_again(seed, team), Some(replay))
    }

    fn play_policies(
        &self,
        spec: &MatchSpec,
        replay: Option<&mut dyn Write>,
    ) -> Result<MatchRecord, PlayError> {
        let has_notes = replay.is_some();
        let seat = |_: &E, agent, side: &Side<'a, Construct<'a, E>>, _| {
            let seat = Seat::new((side.construct)(agent, spec.seed.agent(agent)));
            if has_notes { seat.with_notes() } else { seat }
        };
        self.0.play(spec, seat, replay)
    }
}

impl<E: Environment, C: Copy> Clone for Sides<'_, E, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Environment, C: Copy> Copy for Sides<'_, E, C> {}

impl<'a, E: Notation + Measured, C> Sides<'a, E, C> {
    /// Panics if both sides have the same name, or the game has another number of teams than two.
    pub(crate) fn new(config: &'a E::Config, first: Side<'a, C>, second: Side<'a, C>) -> Self {
        assert_ne!(first.name, second.name, "the sides of a comparison have different names");
        let sides = Self { config, sides: [first, second] };
        if let Err(error) = sides.plan(Seed::new(0), 1).check() {
            panic!("{error}");
        }
        sides
    }

    /// Plays mirrored pairs by this function, on all cores.
    pub(crate) fn run(
        &self,
        seed: Seed,
        most_pairs: u64,
        play: Play<'_, PlayError>,
    ) -> Result<Compared, PlayError> {
        let plan = self.plan(seed, most_pairs);
        let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let tally = compare::run(&plan, cores, play, |_| ControlFlow::Continue(()))?;
        let findings = Findings::new(&plan, &tally);
        let game = |example: &compare::Example| GameToSee {
            seed: plan.seed.child(example.which.pair),
            team: TeamId::new(u8::from(example.which.swapped)),
            why: example.why.clone(),
        };
        let games = findings.examples.iter().map(game).collect();
        Ok(Compared { findings, games })
    }

    /// Returns the match with this seed in which the first side is this team.
    pub(crate) fn spec_again(&self, seed: Seed, team: TeamId) -> MatchSpec {
        assert!(team.index() < 2, "the game has two teams");
        let which = PairMatch { pair: 0, swapped: team.index() == 1 };
        MatchSpec { seed, ..self.plan(seed, 1).spec(which) }
    }

    /// Plays a match whose entrants have the names of the sides. `seat` returns the policy of an agent, given its side
    /// and the number of agents of this side before it.
    pub(crate) fn play<P: Policy<E> + ReportsBlunders>(
        &self,
        spec: &MatchSpec,
        seat: impl Fn(&E, AgentId, &Side<'a, C>, usize) -> P,
        replay: Option<&mut dyn Write>,
    ) -> Result<MatchRecord, PlayError> {
        let mut next = [0; 2];
        let seat = |state: &E, agent, name: &str| {
            let side = usize::from(name != self.sides[0].name);
            let place = next[side];
            next[side] += 1;
            Ok(seat(state, agent, &self.sides[side], place))
        };
        matches::play::<E, _>(spec, PROGRAM, seat, replay)
    }

    fn plan(&self, seed: Seed, most_pairs: u64) -> Plan {
        // The assignment of agents to teams depends on the configuration alone.
        let state = E::new(self.config, Seed::new(0));
        Plan {
            setup: GameSetup {
                game: E::GAME.to_owned(),
                config: E::write_config(self.config),
                teams: AgentId::all(state.agents()).map(|agent| state.team(agent)).collect(),
                limits: MatchLimits::default(),
            },
            line_ups: self.sides.each_ref().map(|side| NamedLineUp {
                name: side.name.to_owned(),
                strategies: vec![side.name.to_owned()],
            }),
            seed,
            margin: compare::MARGIN,
            alpha: compare::ERROR,
            beta: compare::ERROR,
            most_pairs,
        }
    }
}

impl<T> Compared<T> {
    /// Returns the same result with other names of the teams.
    pub(crate) fn map_teams<U>(self, name: impl Fn(T) -> U) -> Compared<U> {
        let game = |GameToSee { seed, team, why }| GameToSee { seed, team: name(team), why };
        Compared { findings: self.findings, games: self.games.into_iter().map(game).collect() }
    }
}
