//! A strategy that plays on a server: the part of `--connect` that is common to all games.

use command_line::Failure;
use game_env::{AgentId, Parameters, Policy, Seed, Value};
use strategies::room::{self, PolicyGame};

use super::any_game::AnyGame;
use super::repetition::drawn_seed;

/// A strategy that is known to exist, and the seed of its random numbers.
pub(super) struct Served {
    pub(super) strategy: String,
    pub(super) seed: Seed,
}

impl Served {
    /// The strategy and the seed that the flags name for a game.
    ///
    /// # Errors
    ///
    /// If there is no such strategy, or there are several.
    pub(super) fn read<G: PolicyGame>(flags: &AnyGame) -> Result<Self, Failure> {
        let strategy = flags.only_strategy()?;
        let seed = flags.seed().unwrap_or_else(drawn_seed);
        let check = room::policy::<G>(&strategy, seed.game(), None);
        check.map_err(|error| Failure::misuse(error, "`bots list` shows the strategies"))?;
        Ok(Self { strategy, seed })
    }

    /// The player of the game with this number, from 0. Each game has its own seed, as the games of a series in this
    /// process have.
    pub(super) fn policy<G: PolicyGame>(&self, game: u32, player: AgentId) -> Box<dyn Policy<G>> {
        let seed = Seed::new(self.seed.get().wrapping_add(game.into()));
        room::policy::<G>(&self.strategy, seed.agent(player), None).expect("the strategy was checked")
    }
}

/// Waits until a game over a connection has ended.
///
/// # Errors
///
/// If the system cannot start a runtime.
pub(super) fn wait<T>(playing: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::undone(format!("the runtime cannot start: {error}"), "`--virtual` plays without one")
    })?;
    Ok(runtime.block_on(playing))
}

/// The values of the flags for a game's configuration.
///
/// # Errors
///
/// If a `--set` has no `=`.
pub(super) fn parameters(flags: &AnyGame) -> Result<Parameters, Failure> {
    let mut own = Parameters::new();
    for (name, value) in flags.pairs()? {
        own.push(&name, Value::guess(&value));
    }
    Ok(own)
}
