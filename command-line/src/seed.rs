//! Seeds that nobody has chosen.

use game_env::Seed;

use crate::Hinted;

/// Returns a seed that nobody can guess: all random numbers of a game follow from its seed.
///
/// # Errors
///
/// If the system has no random bits.
pub fn drawn_seed() -> Result<Seed, NoRandomBits> {
    getrandom::u64().map(Seed::new).map_err(NoRandomBits)
}

/// The system has no random bits.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the system has no random bits: {0}")]
pub struct NoRandomBits(getrandom::Error);

impl Hinted for NoRandomBits {
    fn hint(&self) -> String {
        "choose a seed: --seed NUMBER".to_owned()
    }
}
