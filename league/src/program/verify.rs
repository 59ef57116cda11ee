//! `league verify`: plays matches of a league again and compares.

use command_line::{Failure, command, print, shown};
use contests::text;
use contests::verdict::Verdict;
use game_env::replay::Reader;
use league::begin::{self, in_process};
use league::executor::{Executor as _, difference};
use league::file::ExecutorKind;
use league::report;
use league::runner::stored_progress;
use league::store::{Store, WORKER};

use super::arguments::Verifying;

pub(crate) fn start(verifying: &Verifying) -> Result<(), Failure> {
    let executor = in_process();
    let store = Store::look(&verifying.folder)?;
    let league = begin::league(&store.origin()?, &verifying.folder)?;
    let progress = stored_progress(&league, &store)?;
    let counted = progress.counted();
    let unfinished = if progress.is_over() {
        String::new()
    } else {
        let resume = command("league", &format!("resume {}", shown(&verifying.folder)));
        format!("{}\n", report::unfinished(counted, progress.expected(), &resume))
    };
    if counted == 0 {
        return print(&format!("no match has been played that could be checked\n{unfinished}"));
    }
    let sample = verifying.sample.of(counted).min(counted);
    let seeds = league.seeds();
    let is_repeatable = league.executor == ExecutorKind::InProcess;
    let mut faults = Vec::new();
    for place in 0..sample {
        // Evenly spread.
        let number =
            1 + u64::try_from(u128::from(place) * u128::from(counted) / u128::from(sample)).unwrap_or(0);
        let Some(stored) = store.find(number)? else { continue };
        let logs = store.logs(number)?;
        let by = logs.iter().find(|(_, log)| log.source == WORKER).map(|(_, log)| format!(", {}", log.text));
        let by = by.unwrap_or_default();
        let mut tell = |what: String| faults.push(format!("match {number} ({}{by}): {what}", stored.id));
        if league.spec(&seeds.schedule(stored.id.clone())) != stored.record.spec {
            tell("the store has another match than the league file gives".to_owned());
            continue;
        }
        // A match that was given up may end this process.
        if stored.verdict == Verdict::HostFault {
            continue;
        }
        let replay = store.replay(number)?;
        // A match on the real clock does not take the same course again; its replay does.
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
                    let ends = back
                        .outcome
                        .map_or("before the match is over".to_owned(), |end| format!("with {end}"));
                    tell(format!("the replay ends {ends}, and the record with {}", stored.record.outcome));
                }
                Ok(Err(error)) => tell(error.to_string()),
                Err(error) => tell(error.to_string()),
            }
        }
    }
    let played = match (is_repeatable, sample) {
        (true, 1) => "was played again",
        (true, _) => "were played again",
        (false, 1) => "was checked by its replay",
        (false, _) => "were checked by their replays",
    };
    if faults.is_empty() {
        let same = if sample == 1 { "it took the same course" } else { "all took the same course" };
        let counted = text::matches(counted);
        return print(&format!("{} of {counted} {played}: {same}\n{unfinished}", text::with_commas(sample)));
    }
    Err(Failure::undone(
        format!("{} does not verify\n  {}", shown(&verifying.folder), faults.join("\n  ")),
        "strategies or rules have changed since the league was played, or the store has",
    ))
}
