//! Race of several variants against a pool of opponents: those that cannot be the strongest any more are dropped, until
//! one is left or nobody can be better by the margin.
//!
//! A [`Plan`] names the variants, the opponents and the games. [`run`] plays block by block, by as many threads as it
//! is given, and counts the blocks in their order, so neither the number of threads nor their speed changes the result.
//! In a block each variant that is left plays a mirrored pair against each opponent in each game, with the same seeds
//! as the others: what one board does to all of them does not count. The [`Standings`] hold the result; [`Findings`]
//! put it into words.
//!
//! # What it does not do
//!
//! It does not know how matches are played: `play` is an argument. It stores nothing. Its statistics are those of
//! [`Elimination`](crate::statistics::Elimination).

mod findings;
mod plan;
mod standings;

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::{PoisonError, RwLock};

use game_env::matches::MatchRecord;

pub use self::findings::{Findings, Row};
pub use self::plan::{Plan, PlanError};
pub use self::standings::Standings;
use crate::compare::Play;
use crate::in_order::in_order;

/// Plays blocks until the race has ended or the plan's limit is reached.
///
/// `watch` is called after each block, and can break the race off. The result depends on the plan, and on the block
/// after which it is broken off; not on `jobs`.
///
/// # Errors
///
/// Fails if a match of a variant that is left cannot be played.
///
/// # Panics
///
/// Panics if `play` does, or if the plan fails its [check](Plan::check).
pub fn run<E: Send>(
    plan: &Plan,
    jobs: NonZeroUsize,
    play: Play<'_, E>,
    mut watch: impl FnMut(&Standings) -> ControlFlow<()>,
) -> Result<Standings, E> {
    let mut standings = Standings::new(plan);
    // Variants are only ever dropped: of these, all that are left when the block counts have played it.
    let left = RwLock::new(standings.left().to_vec());
    let block = |block: u64| {
        let variants = left.read().unwrap_or_else(PoisonError::into_inner).clone();
        let played = variants.into_iter().map(|variant| {
            let pairs = plan.pairs(variant, block).map(|[one, other]| Ok([play(&one)?, play(&other)?]));
            (variant, pairs.collect::<Result<Vec<[MatchRecord; 2]>, E>>())
        });
        Ok::<_, Infallible>(played.collect::<Vec<_>>())
    };
    let mut failure = None;
    let Ok(_) = in_order(plan.most_blocks(), jobs, block, |_, played| {
        let before = played.len();
        // A variant that was dropped meanwhile counts no more, and may fail: by fewer threads it would not have played.
        let of_left = played.into_iter().filter(|(variant, _)| standings.left().contains(variant));
        let counting: Result<Vec<_>, E> = of_left.map(|(_, pairs)| pairs).collect();
        match counting {
            Ok(pairs) => standings.add(&pairs),
            Err(error) => {
                failure = Some(error);
                return ControlFlow::Break(());
            }
        }
        let flow = watch(&standings);
        if standings.ending().is_some() {
            return ControlFlow::Break(());
        }
        if standings.left().len() < before {
            *left.write().unwrap_or_else(PoisonError::into_inner) = standings.left().to_vec();
        }
        flow
    });
    failure.map_or(Ok(standings), Err)
}
