//! The room of a game whose strategies are policies: observation in, action out.

use std::fmt;
use std::io::Write;

use game_catalogue::Game;
use game_env::matches::{MatchRecord, MatchSpec, PlayError, play};
use game_env::seat::Seat;
use game_env::{Chance, Measured, Notation, Parameters, Policy};

use crate::budget::Budget;
use crate::notation;
use crate::room::{Room, StrategyInfo, unknown_strategy};

/// A strategy that can be asked for by name.
pub(crate) struct Entry<E: Notation> {
    pub(crate) info: StrategyInfo,
    /// Makes one with a value for each of its parameters. A budget goes before the parameters that limit its search.
    pub(crate) construct: fn(&Parameters, Chance, Option<Budget>) -> SendPolicy<E>,
}

/// A strategy that a task on another thread may play.
pub(crate) type SendPolicy<E> = Box<dyn Policy<E> + Send>;

/// The strategies of a game in which each team is one player.
pub struct PolicyRoom<E: Notation + 'static> {
    pub(crate) entries: &'static [Entry<E>],
}

/// A game of which this crate has strategies that are policies.
pub trait PolicyGame: Notation + 'static {
    /// Its strategies.
    fn room() -> &'static PolicyRoom<Self>;
}

/// The strategy of this text, e.g. `chains:nodes=1000`, which draws from this source.
///
/// A budget goes before the parameters that limit the search: a program that plays on a clock gives one, a match in
/// process none. Strategies that do not search need none.
///
/// # Errors
///
/// Names the fault of the text, and the expected text.
///
/// # Examples
///
/// ```
/// use strategies::budget::Budget;
/// use strategies::room::policy;
/// use game_dots::State;
/// use game_env::Seed;
///
/// let chance = Seed::new(7).game();
/// assert!(policy::<State>("chains", chance.clone(), Some(Budget::nodes(1_000))).is_ok());
/// let error = policy::<State>("chain", chance, None).err().expect("no strategy has this name");
/// assert!(error.contains("did you mean `chains`?"));
/// ```
pub fn policy<E: PolicyGame>(
    text: &str,
    chance: Chance,
    budget: Option<Budget>,
) -> Result<Box<dyn Policy<E> + Send>, String> {
    E::room().policy(text, chance, budget)
}

/// A strategy with the values of its parameters.
struct Asked<E: Notation + 'static> {
    entry: &'static Entry<E>,
    values: Parameters,
}

impl<E: Notation> fmt::Display for Asked<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StrategyInfo { name, parameters, .. } = self.entry.info;
        notation::write(f, name, parameters, &self.values)
    }
}

impl<E: Notation> PolicyRoom<E> {
    /// The strategy of this text with a value for each of its parameters.
    fn find(&self, text: &str) -> Result<Asked<E>, String> {
        let (name, values) = notation::split(text);
        let found = self.entries.iter().find(|entry| entry.info.name == name);
        let entry =
            found.ok_or_else(|| unknown_strategy(name, self.entries.iter().map(|entry| entry.info.name)))?;
        let values = notation::read(entry.info.name, entry.info.parameters, values);
        Ok(Asked { entry, values: values.map_err(|error| error.to_string())? })
    }

    /// The policy of this text.
    pub(crate) fn policy(
        &self,
        text: &str,
        chance: Chance,
        budget: Option<Budget>,
    ) -> Result<SendPolicy<E>, String> {
        let Asked { entry, values } = self.find(text)?;
        Ok((entry.construct)(&values, chance, budget))
    }
}

impl<E: Notation + Measured> Room for PolicyRoom<E> {
    fn game(&self) -> &'static dyn Game {
        game_catalogue::find(E::GAME).expect("the catalogue has it")
    }

    fn strategies(&self) -> Vec<StrategyInfo> {
        self.entries.iter().map(|entry| entry.info).collect()
    }

    /// A team is one player.
    fn line_up(&self, text: &str) -> Result<Vec<String>, String> {
        Ok(vec![self.find(text)?.to_string()])
    }

    fn play(
        &self,
        spec: &MatchSpec,
        program: &str,
        replay: Option<&mut dyn Write>,
    ) -> Result<MatchRecord, PlayError> {
        play::<E, _>(
            spec,
            program,
            |_, player, name| {
                let policy: Box<dyn Policy<E>> = self.policy(name, spec.seed.agent(player), None)?;
                Ok(Seat::new(policy))
            },
            replay,
        )
    }
}
