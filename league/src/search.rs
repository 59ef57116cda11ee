//! Plays the samples of a search for the best values of parameters, and stores their matches. A search that was
//! interrupted takes up its matches again, and goes on.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use contests::entrant::EntrantId;
use contests::in_order::in_order;
use contests::setup::NamedLineUp;
use contests::tune::{Plan, Sample, Tuner};
use game_env::Outcome;
use game_env::matches::{MatchKey, MatchSpec};

use crate::executor::{CannotPlay, Played};
use crate::schedule::{MatchId, Pairing};
use crate::store::{Row, Store, StoreError};

/// The most opponents in a pool, each counted once for each game.
pub const MOST_OPPONENTS: usize = EntrantId::MAX - 2;

/// Reason why a search cannot go on. All samples that have ended are stored.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// A match cannot be played.
    #[error(transparent)]
    Unplayable(#[from] CannotPlay),
    /// The store has another match than the search.
    #[error(
        "match {0} in the store is not that of this search: another version of the program has played it"
    )]
    OtherMatch(u64),
    /// The store fails.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Plays a match.
pub type Play<'a> = &'a (dyn Fn(&MatchSpec) -> Result<Played, CannotPlay> + Sync);

/// Reads a line-up.
pub type ReadLineUp<'a> = &'a (dyn Fn(&str) -> Result<NamedLineUp, CannotPlay> + Sync);

/// The matches of a store, by their numbers.
type Known = BTreeMap<u64, (MatchKey, Outcome)>;

/// A match of a sample: its outcome, and the match itself unless the store has it.
type Ended = (Outcome, Option<Played>);

/// Searches to the end, or until `watch` breaks off. It is called after each sample, with the number of samples so far.
/// The result depends on the plan alone, not on `jobs` or interruptions.
///
/// # Errors
///
/// If a match cannot be played, or the store fails or is of another search.
pub fn run(
    plan: &Plan,
    jobs: NonZeroUsize,
    (line_up, play): (ReadLineUp<'_>, Play<'_>),
    store: &mut Store,
    mut watch: impl FnMut(&Tuner, u64) -> ControlFlow<()>,
) -> Result<(Tuner, ControlFlow<()>), SearchError> {
    let known = store.outcomes(|stored| stored.record.spec.key())?;
    let mut tuner = plan.tuner();
    let mut done = 0;
    loop {
        let batch = tuner.batch();
        if batch.is_empty() {
            return Ok((tuner, ControlFlow::Continue(())));
        }
        let first = done;
        let sample = |place: u64| &batch[usize::try_from(place).expect("a batch is a vector")];
        let task = |place: u64| {
            let [one, other] = sample(place).values.each_ref().map(|values| line_up(&plan.line_up(values)));
            let specs = plan.matches(sample(place), [&one?, &other?]);
            let numbers = (first + place) * Plan::MATCHES as u64 + 1..;
            numbers.zip(&specs).map(|(number, spec)| ended(&known, number, spec, play)).collect()
        };
        let (mut results, mut failure) = (Vec::new(), None);
        let flow = in_order(batch.len() as u64, jobs, task, |place, ended: Vec<Ended>| {
            if let Err(error) = keep(store, plan, done, sample(place), &ended) {
                failure = Some(error);
                return ControlFlow::Break(());
            }
            let outcomes: Vec<Outcome> = ended.iter().map(|(outcome, _)| *outcome).collect();
            results.push(Plan::result(&outcomes));
            done += 1;
            watch(&tuner, done)
        })?;
        if let Some(error) = failure {
            return Err(error.into());
        }
        if results.len() < batch.len() {
            return Ok((tuner, ControlFlow::Break(())));
        }
        tuner.add(&results);
        if flow.is_break() {
            return Ok((tuner, flow));
        }
    }
}

/// Plays the match of this number, unless the store has it.
fn ended(known: &Known, number: u64, spec: &MatchSpec, play: Play<'_>) -> Result<Ended, SearchError> {
    match known.get(&number) {
        Some((key, outcome)) if *key == spec.key() => Ok((*outcome, None)),
        Some(_) => Err(SearchError::OtherMatch(number)),
        None => {
            play(spec).map(|played| (played.record.outcome, Some(played))).map_err(SearchError::Unplayable)
        }
    }
}

/// Stores the matches of a sample that the store does not have; the sample is this one of all.
fn keep(
    store: &mut Store,
    plan: &Plan,
    place: u64,
    sample: &Sample,
    ended: &[Ended],
) -> Result<(), StoreError> {
    let opponent = EntrantId::from_index(2 + plan.place(sample));
    for (own, (_, played)) in ended.iter().enumerate() {
        let Some(played) = played else { continue };
        // The two points are the first two entrants; each plays a mirrored pair.
        let pairing = Pairing::new([EntrantId::from_index(own / 2), opponent]);
        let set = u32::try_from(place).expect("the number of samples has a bound");
        let id = MatchId { pairing, set, rotation: u8::from(own % 2 == 1) };
        store.add(&Row::new(place * Plan::MATCHES as u64 + own as u64 + 1, &id, played))?;
    }
    Ok(())
}
