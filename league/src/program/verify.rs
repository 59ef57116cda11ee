//! `league verify`: plays matches of a league again and compares.

use command_line::{Failure, shown};
use game_env::matches::MatchRecord;
use game_env::replay::Reader;
use league::executor::Executor as _;
use league::file::ExecutorKind;
use league::runner::stored_progress;
use league::store::Store;

use super::arguments::Verifying;
use super::{in_process, print, run};

pub(crate) fn start(verifying: &Verifying) -> Result<(), Failure> {
    let executor = in_process();
    let store = Store::look(&verifying.folder)?;
    let league = run::read(&store.origin()?, &verifying.folder)?;
    let counted = stored_progress(&league, &store)?.counted();
    let sample = verifying.sample.of(counted).min(counted);
    let seeds = league.seeds();
    let is_repeatable = league.executor == ExecutorKind::InProcess;
    let mut faults = Vec::new();
    for place in 0..sample {
        // Evenly spread.
        let number =
            1 + u64::try_from(u128::from(place) * u128::from(counted) / u128::from(sample)).unwrap_or(0);
        let Some(stored) = store.find(number)? else { continue };
        let mut tell = |what: String| faults.push(format!("match {number} ({}): {what}", stored.id));
        if league.spec(&seeds.schedule(stored.id.clone())) != stored.record.spec {
            tell("the store has another match than the league file gives".to_owned());
            continue;
        }
        let replay = store.replay(number)?;
        // What was played on the real clock does not take the same course again; its replay does.
        if is_repeatable {
            match executor.play(&stored.record.spec, false) {
                Ok(played) => difference(&stored.record, &played.record).into_iter().for_each(&mut tell),
                Err(error) => tell(error.to_string()),
            }
        }
        if let Some(replay) = replay {
            let game = game_catalogue::find(&stored.record.spec.game);
            match game.map(|game| Reader::open(&replay[..]).and_then(|reader| game.verify(reader))) {
                Ok(Ok(back)) if back.outcome == Some(stored.record.outcome) => {}
                // The record says why an agent was gone, which the game does not know.
                Ok(Ok(back))
                    if !is_repeatable
                        && back.outcome.is_some_and(|own| own.ranking == stored.record.outcome.ranking) => {}
                Ok(Ok(back)) => {
                    tell(format!(
                        "the replay ends with {:?}",
                        back.outcome.map(|outcome| outcome.termination)
                    ));
                }
                Ok(Err(error)) => tell(error.to_string()),
                Err(error) => tell(error.to_string()),
            }
        }
    }
    let played = if is_repeatable { "were played again" } else { "were checked by their replays" };
    if faults.is_empty() {
        return print(&format!("{sample} of {counted} matches {played}: all took the same course\n"));
    }
    Err(Failure::undone(
        format!("{} does not verify\n  {}", shown(&verifying.folder), faults.join("\n  ")),
        "strategies or rules have changed since the league was played, or the store has",
    ))
}

/// What differs between two records of one match, apart from the program that played it.
pub(super) fn difference(stored: &MatchRecord, played: &MatchRecord) -> Option<String> {
    let played = MatchRecord { program: stored.program.clone(), ..played.clone() };
    if *stored == played {
        return None;
    }
    let told = |record: &MatchRecord| {
        format!(
            "{} after {} actions with state {:016x}",
            record.outcome.termination, record.steps, record.hash
        )
    };
    let (before, now) = (told(stored), told(&played));
    Some(if before == now {
        format!("it ends the same way ({now}) with other metrics or blunders")
    } else {
        format!("it took another course: stored {before}, played {now}")
    })
}
