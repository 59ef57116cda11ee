//! Games in process: strategies in a rollout, on the virtual clock.
//!
//! The agents receive the messages that the network would bring, and nothing more: they know only their own team's
//! leader, and neither whether new pieces come into hands nor whether leaders must be answered, which they assume.
//!
//! The module also has the names of the game itself that a host needs: configurations, states, rollouts.
//!
//! ```
//! use sdk::local::{self, Environment, Limits, Preset, Rollout, Seat, State};
//! use sdk::prelude::*;
//!
//! struct Lookout;
//! impl Strategy for Lookout {
//!     fn act(&mut self, view: &mut View<'_>) -> Choice {
//!         view.discover()
//!     }
//! }
//!
//! struct Sleeper;
//! impl Strategy for Sleeper {
//!     fn act(&mut self, view: &mut View<'_>) -> Choice {
//!         view.wait_for_message()
//!     }
//! }
//!
//! let config = Preset::Spec.config();
//! // One strategy for all is returned as it is; different ones are boxed.
//! let played = local::play(&config, Seed::new(7), |_agent, _team| Sleeper);
//! assert_eq!((played.winner(), played.episode.steps), (None, 0));
//!
//! // With limits, latency, a replay: seats in a rollout.
//! let mut game = State::new(&config, Seed::new(7));
//! let mut seats = Seat::all(&game, Seed::new(7), |_agent, team| -> Box<dyn Strategy> {
//!     if team == Team::Red { Box::new(Lookout) } else { Box::new(Sleeper) }
//! });
//! let rollout = Rollout { limits: Limits { steps: 100, ..Limits::default() }, ..Rollout::default() };
//! assert_eq!(rollout.play(&mut game, &mut seats, &mut ()).steps, 100);
//! ```

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use game_env::seat::ReportsBlunders;
use game_env::{AgentId, Note, Policy, Seed, SimTime};
use game_project::{Action, ActionKind, Team};
use wire::project::Notice;
use wire::project::convert::{game_over, notice};

use crate::driver::actor::{Actor, Blunder};
use crate::strategy::{Choice, Strategy};

// The names of the crates `game_env` and `game_project` that a host needs: an author of agents depends on this crate
// alone.
pub use game_env::{
    ByTeam, Disruption, Environment, Episode, Latency, Limits, Outcome, Parameters, Rollout, Sink,
    Termination, Value, Witness,
};
pub use game_project::observation::Announcement;
pub use game_project::{
    Briefing, Config, ConfigError, Event, Observation, Penalties, Preset, RawConfig, Refusal, Setup,
    SetupError, State, Surroundings,
};

#[cfg(feature = "replay")]
pub use game_env::replay;

/// Plays a game to its end. Calls `strategy` for the strategy of each agent, in the order of their ids.
///
/// The seed decides everything: the board, and the random numbers of every agent. The game always ends: it is given up
/// after [twelve hours](LONGEST) of game time, after [two million decisions](MOST_DECISIONS), or when all agents wait
/// for one another. Then the team with more points wins. [`Game`] has other limits and writes replays. For latencies,
/// put [`Seat`]s into a [`Rollout`].
///
/// ```
/// use sdk::local::{self, Preset};
/// use sdk::prelude::*;
///
/// struct Sleeper;
/// impl Strategy for Sleeper {
///     fn act(&mut self, view: &mut View<'_>) -> Choice {
///         view.wait_for_message()
///     }
/// }
///
/// let played = local::play(&Preset::Quick.config(), Seed::new(7), |_agent, _team| Sleeper);
/// assert_eq!(played.winner(), None);
/// ```
pub fn play<S: Strategy>(config: &Config, seed: Seed, strategy: impl FnMut(AgentId, Team) -> S) -> Played {
    Game::new(config, seed).play(strategy)
}

/// The game time after which [`play`] gives up a game.
pub const LONGEST: SimTime = game_env::LONGEST_GAME;

/// The number of decisions, including those to wait, after which [`play`] gives up a game.
pub const MOST_DECISIONS: u64 = 2_000_000;

/// The number of kinds of refusals that a [`Played`] shows.
const SHOWN_REFUSALS: usize = 3;

/// A game in process, with limits of its own.
///
/// ```
/// use sdk::local::{Game, Preset};
/// use sdk::prelude::*;
///
/// /// Waits for somebody who never comes.
/// struct Waiter;
/// impl Strategy for Waiter {
///     fn act(&mut self, view: &mut View<'_>) -> Choice {
///         Choice::Wait(view.now + Millis::new(1_000))
///     }
/// }
///
/// let config = Preset::Spec.config();
/// let hour = SimTime::from_millis(3_600_000);
/// let played = Game::new(&config, Seed::new(7)).longest(hour).play(|_agent, _team| Waiter);
/// assert_eq!((played.winner(), played.episode.time), (None, hour));
/// ```
#[derive(Clone, Debug)]
pub struct Game<'a> {
    config: &'a Config,
    seed: Seed,
    longest: SimTime,
    most_decisions: u64,
}

impl<'a> Game<'a> {
    /// Returns a game with the limits of [`play`].
    pub fn new(config: &'a Config, seed: Seed) -> Self {
        Self { config, seed, longest: LONGEST, most_decisions: MOST_DECISIONS }
    }

    /// Gives up the game after this game time. [`SimTime::NEVER`] sets no time limit.
    pub fn longest(self, longest: SimTime) -> Self {
        Self { longest, ..self }
    }

    /// Gives up the game after this number of decisions of all agents together.
    pub fn most_decisions(self, most_decisions: u64) -> Self {
        Self { most_decisions, ..self }
    }

    /// Plays the game. Calls `strategy` for the strategy of each agent, in the order of their ids.
    pub fn play<S: Strategy>(&self, strategy: impl FnMut(AgentId, Team) -> S) -> Played {
        self.play_watched(strategy, &mut ())
    }

    /// Plays the game, and shows every action and event to a witness.
    pub fn play_watched<S: Strategy>(
        &self,
        strategy: impl FnMut(AgentId, Team) -> S,
        witness: &mut impl Witness<State>,
    ) -> Played {
        let mut game = State::new(self.config, self.seed);
        let seats = Seat::all(&game, self.seed, boxed(strategy));
        self.run(&mut game, seats, witness)
    }

    /// Plays the game, and writes a replay with the remarks and drawings of the strategies. `reference-gm view FILE`
    /// shows it; [`testing::decisions`](crate::testing::decisions) puts a strategy into it. Calls `strategy` for the
    /// strategy of each agent, in the order of their ids.
    ///
    /// ```
    /// # use sdk::prelude::*;
    /// # struct Lookout;
    /// # impl Strategy for Lookout {
    /// #     fn act(&mut self, view: &mut View<'_>) -> Choice { view.discover() }
    /// # }
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let path = std::env::temp_dir().join(format!("sdk-record-{}.jsonl.zst", std::process::id()));
    /// # let config = sdk::local::Preset::Spec.config();
    /// let game = sdk::local::Game::new(&config, Seed::new(7)).most_decisions(100);
    /// let played = game.record(&path, |_agent, _team| Lookout)?;
    /// println!("{played}");
    /// # std::fs::remove_file(&path)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the file cannot be created or written. If it cannot be created, the game is not played.
    #[cfg(feature = "replay")]
    pub fn record<S: Strategy>(
        &self,
        path: impl AsRef<std::path::Path>,
        strategy: impl FnMut(AgentId, Team) -> S,
    ) -> std::io::Result<Played> {
        use game_env::replay::{Header, Player, Writer};
        use whole_file::WholeFile;

        let mut game = State::new(self.config, self.seed);
        let players = Player::all(&game, |agent| format!("agent {agent}"));
        let program = concat!("sdk ", env!("CARGO_PKG_VERSION"));
        let mut header = Header::new::<State>(self.config, self.seed, players, program);
        header.limits = self.limits();
        let mut writer = Writer::new(WholeFile::create(path.as_ref())?, &header)?;
        let seats = Seat::all(&game, self.seed, boxed(strategy)).into_iter().map(Seat::with_notes).collect();
        let played = self.run(&mut game, seats, &mut writer);
        writer.finish()?.finish()?;
        Ok(played)
    }

    fn limits(&self) -> Limits {
        Limits { decisions: self.most_decisions, time: self.longest, ..Limits::default() }
    }

    /// Plays the game. It is compiled here, once for all strategies and witnesses, so that an author's crate compiles
    /// faster.
    fn run(
        &self,
        game: &mut State,
        mut seats: Vec<Seat<Box<dyn Strategy + '_>>>,
        witness: &mut dyn Witness<State>,
    ) -> Played {
        let mut refusals = Refusals(BTreeMap::new());
        let rollout = Rollout { limits: self.limits(), ..Rollout::default() };
        let episode = rollout.play(game, &mut seats, &mut (&mut refusals, witness));
        let mut refusals: Vec<_> = refusals.0.into_iter().collect();
        // The sort is stable: among equals the order of actions and words decides.
        refusals.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let blunder_count = seats.iter().map(|seat| seat.actor.blunder_count()).sum();
        let blunders = seats.iter_mut().flat_map(Seat::take_blunders).collect();
        let gives_up = episode.outcome.termination == Termination::Stall;
        let given_up = gives_up.then_some(if episode.decisions >= self.most_decisions {
            GivenUp::Decisions
        } else if episode.time >= self.longest {
            GivenUp::Time
        } else {
            GivenUp::AllWait
        });
        Played {
            episode,
            points: game.points(),
            goals: self.config.goals(),
            given_up,
            refusals,
            blunders,
            blunder_count,
        }
    }
}

/// Puts the strategies of all agents into boxes.
fn boxed<'a, S: Strategy + 'a>(
    mut strategy: impl FnMut(AgentId, Team) -> S,
) -> impl FnMut(AgentId, Team) -> Box<dyn Strategy + 'a> {
    move |agent, team| Box::new(strategy(agent, team))
}

/// Counts refusals by action and reason.
struct Refusals(BTreeMap<(ActionKind, &'static str), u64>);

impl Witness<State> for Refusals {
    fn event(&mut self, _: SimTime, event: &Event) {
        if let Event::Refused { action, refusal, .. } = event {
            *self.0.entry((*action, refusal.word())).or_default() += 1;
        }
    }
}

/// The reason why a game was given up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GivenUp {
    /// It reached the game time of [`Game::longest`].
    Time,
    /// It reached the number of decisions of [`Game::most_decisions`].
    Decisions,
    /// All agents waited for one another.
    AllWait,
}

impl fmt::Display for GivenUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Time => "that is the longest time",
            Self::Decisions => "that took all decisions that were allowed",
            Self::AllWait => "all agents wait",
        })
    }
}

/// The result of a game.
///
/// Its text names the winner and the time, the points, the most frequent refusals, the number of blunders and the first
/// one.
///
/// ```
/// use sdk::local::{self, Preset};
/// use sdk::prelude::*;
///
/// struct Lookout;
/// impl Strategy for Lookout {
///     fn act(&mut self, view: &mut View<'_>) -> Choice {
///         view.discover()
///     }
/// }
///
/// let config = Preset::Quick.config();
/// let game = local::Game::new(&config, Seed::new(7)).most_decisions(100);
/// let played = game.play(|_agent, _team| Lookout);
/// assert_eq!((played.winner(), played.points[Team::Red]), (None, 0));
/// assert_eq!((played.episode.decisions, played.blunder_count), (100, 0));
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Played {
    /// The end of the game, its moment, and the number of actions.
    pub episode: Episode,
    /// The goals that each team has covered.
    pub points: ByTeam<u32>,
    /// The goals that each team had to cover.
    pub goals: u32,
    /// The reason why the game was given up, if it was.
    pub given_up: Option<GivenUp>,
    /// The refused requests: the action, the reason as a word of [`Refusal`], and their number;
    /// the most frequent first.
    pub refusals: Vec<((ActionKind, &'static str), u64)>,
    /// The mistakes of strategies that cost their agents a turn, agent by agent: the first
    /// [`KEPT_BLUNDERS`](crate::driver::actor::KEPT_BLUNDERS) of each agent.
    pub blunders: Vec<Blunder>,
    /// The number of all blunders.
    pub blunder_count: u64,
}

impl Played {
    /// Returns the team that won, or `None`.
    pub fn winner(&self) -> Option<Team> {
        self.episode.outcome.winner().and_then(|winner| Team::try_from(winner).ok())
    }
}

impl fmt::Display for Played {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Episode { time, steps, outcome, .. } = self.episode;
        match self.winner() {
            Some(team) => write!(f, "{team} wins")?,
            None => f.write_str("nobody wins")?,
        }
        if outcome.termination == Termination::Stall {
            write!(f, ": given up after {time} and {steps} actions")?;
            if let Some(reason) = self.given_up {
                write!(f, " ({reason})")?;
            }
        } else {
            write!(f, " after {time}")?;
        }
        let [red, blue] = self.points.into_inner();
        write!(f, "; red covers {red} and blue {blue} of {} goals", self.goals)?;
        for (place, ((action, reason), count)) in self.refusals.iter().take(SHOWN_REFUSALS).enumerate() {
            let start = if place == 0 { "\nrefused most often: " } else { ", " };
            write!(f, "{start}{action} {count} times ({})", reason.replace('-', " "))?;
        }
        if let Some(first) = self.blunders.iter().min_by_key(|blunder| blunder.at) {
            let blunders = if self.blunder_count == 1 { "blunder" } else { "blunders, the first" };
            write!(f, "\n{} {blunders}: {}", self.blunder_count, first.to_string().trim_end())?;
        }
        Ok(())
    }
}

/// One agent of a rollout: its strategy, and all that the SDK does for it.
#[derive(Clone, Debug)]
pub struct Seat<S> {
    actor: Actor,
    strategy: S,
    /// The answer of the strategy, after its last choice, to the question whether it gives up.
    gives_up: Option<Termination>,
    /// The announcement of the game, from which messages about other agents are made.
    game: Arc<Announcement>,
}

impl<S: Strategy> Seat<S> {
    /// Creates the seat of one agent of a game that is about to begin, or that continues from this state.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn new(game: &State, agent: AgentId, seed: Seed, strategy: S) -> Self {
        let actor = Actor::new(briefing(game, agent), seed);
        Self { actor, strategy, gives_up: None, game: Arc::clone(&game.briefing(agent).game) }
    }

    /// Creates the seats of all agents in the order of their ids. Calls `strategy` for the strategy of each.
    pub fn all(game: &State, seed: Seed, mut strategy: impl FnMut(AgentId, Team) -> S) -> Vec<Self> {
        AgentId::all(game.agents())
            .map(|agent| Self::new(game, agent, seed, strategy(agent, game.briefing(agent).team)))
            .collect()
    }

    /// Turns on the notes of the strategy: its remarks and drawings are kept.
    pub fn with_notes(self) -> Self {
        Self { actor: self.actor.with_notes(), ..self }
    }

    /// Handles a choice from outside as if the strategy, which was asked at this moment, had returned it. Returns the
    /// agent's choice.
    pub(crate) fn choose_as(&mut self, now: SimTime, choice: Choice) -> Choice {
        self.actor.admit(now, Ok(choice))
    }

    /// Returns the agent, as the SDK sees it.
    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// Returns the agent, for calls from outside a rollout.
    pub fn actor_mut(&mut self) -> &mut Actor {
        &mut self.actor
    }

    /// Returns the strategy.
    pub fn strategy(&self) -> &S {
        &self.strategy
    }

    /// Returns the strategy, for calls from outside a rollout.
    pub fn strategy_mut(&mut self) -> &mut S {
        &mut self.strategy
    }

    /// Gives the agent the message about an event.
    pub(crate) fn tell(&mut self, now: SimTime, event: &Event) {
        let own = self.actor.own();
        let notice = match event {
            Event::Over(outcome) => game_over(outcome),
            _ => notice(event, now, &self.game, || (Some(own.position), own.hand.is_full())),
        };
        let Some(mut notice) = notice else { return };
        // An answer says what a message can say, here as on the network.
        if let Notice::Answered { .. } = notice {
            let geometry = self.actor.knowledge().geometry();
            notice = notice.on_board(geometry).expect("no answer moves an agent");
        }
        self.actor.hear(now, notice);
    }

    /// Returns the blunders since the last call; see [`Actor::take_blunders`].
    pub fn take_blunders(&mut self) -> Vec<Blunder> {
        self.actor.take_blunders()
    }
}

impl<S> ReportsBlunders for Seat<S> {
    fn blunder_count(&self) -> u64 {
        self.actor.blunder_count()
    }

    fn take_blunders(&mut self) -> Vec<String> {
        self.actor.take_blunders().iter().map(ToString::to_string).collect()
    }
}

impl<S: Strategy> Policy<State> for Seat<S> {
    fn choose(&mut self, now: SimTime, _: AgentId, _: &Observation) -> Choice {
        let choice = self.actor.decide(now, &mut self.strategy);
        let (choice, resignation) = self.actor.resigns(now, choice, || self.strategy.gives_up());
        self.gives_up = resignation.map(|resignation| resignation.termination);
        choice
    }

    fn sent(&mut self, _: SimTime, _: AgentId, action: &Action) {
        self.actor.sent(action);
    }

    fn hear(&mut self, now: SimTime, _: AgentId, event: &Event) {
        self.tell(now, event);
        if let Event::Over(outcome) = event {
            let winner = outcome.winner().and_then(|winner| Team::try_from(winner).ok());
            self.actor.end(now, &mut self.strategy, winner);
        }
    }

    fn reseed(&mut self, _: AgentId, seed: Seed) {
        self.actor.reseed(seed);
    }

    fn note(&mut self) -> Option<Note> {
        self.actor.take_note()
    }

    #[inline]
    fn gives_up(&mut self) -> Option<Termination> {
        self.gives_up.take()
    }
}

/// Returns the content of message 105 for an agent: of leaders only its own, and of the rules those that it names.
fn briefing(game: &State, agent: AgentId) -> Arc<Briefing> {
    let own = game.briefing(agent);
    let mut leaders = own.game.leaders;
    leaders[own.team.opponent()] = None;
    let config = as_told(&own.game.config);
    let told = Announcement { leaders, config, ..(*own.game).clone() };
    Arc::new(Briefing { game: Arc::new(told), ..(**own).clone() })
}

/// Returns the configuration as an agent on the network takes it to be: no message tells whether new pieces come into
/// hands, and whether the questions of leaders bind.
fn as_told(config: &Config) -> Config {
    let usual = RawConfig::default();
    if config.landing_pick_up() == usual.landing_pick_up && config.leader_binds() == usual.leader_binds {
        return config.clone();
    }
    let usual = [("landingPickUp", usual.landing_pick_up), ("leaderBinds", usual.leader_binds)];
    let usual = Parameters::from_iter(usual.map(|(name, flag)| (name, Value::Flag(flag))));
    let told = usual.over(&config.parameters());
    // A board made by hand may have what no configuration may, no goal for instance.
    Config::read(&told).unwrap_or_else(|_| config.clone())
}
