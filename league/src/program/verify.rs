//! `league verify`: plays matches of a league again and compares.

use command_line::{Failure, drawn_seed, print, quoted_path, shown};
use contests::text;
use contests::verdict::Verdict;
use game_env::matches::MatchRecord;
use game_env::replay::Reader;
use game_env::{Chance, Seed, Thinking};
use strategies::programs::has_programs;

use super::arguments::Verifying;
use super::contest::played_again;
use crate::alone;
use crate::begin;
use crate::executor::difference;
use crate::file::{ExecutorKind, League};
use crate::in_process::InProcess;
use crate::invocation::command;
use crate::report;
use crate::runner::stored_progress;
use crate::schedule::SeedSource;
use crate::store::{Store, StoredMatch, WORKER};

pub(crate) fn start(verifying: &Verifying, plays: &InProcess) -> Result<(), Failure> {
    let store = Store::look(&verifying.folder)?;
    let origin = store.origin()?;
    let league = begin::league(&origin, &verifying.folder, plays)?;
    let progress = stored_progress(&league, &store)?;
    let counted = progress.counted();
    let unfinished = if progress.is_over() {
        String::new()
    } else {
        let resume = command(&format!("resume {}", quoted_path(&verifying.folder)));
        format!("{}\n", report::unfinished(counted, progress.expected(), &resume))
    };
    if counted == 0 {
        return print(&format!("no match has been played that could be checked\n{unfinished}"));
    }
    let sample = verifying.sample.of(counted).min(counted);
    // Nobody who has falsified a match is to know whether it will be checked.
    let drawn_by = verifying.seed.map_or_else(drawn_seed, Ok)?;
    let names = league.strategies();
    let has_programs = has_programs(&names);
    // The time of a program's decisions is not the same again. A replay makes it needless to start programs.
    let is_repeatable = league.executor == ExecutorKind::InProcess
        && (!has_programs || !league.keeps_replays && league.limits.thinking == Thinking::Free);
    let plays = if is_repeatable {
        begin::again(&store, (&origin, &league), &names, verifying.trust.trust, plays)?
    } else {
        plays.clone()
    };
    let mut check = Check {
        store: &store,
        league: &league,
        seeds: league.seeds(),
        plays,
        is_repeatable,
        has_programs,
        checked: Checked::default(),
        faults: Vec::new(),
    };
    for number in draw(sample, counted, drawn_by) {
        check.check(number)?;
    }
    let Check { checked, faults, .. } = check;
    let drawn =
        if sample < counted { format!("\nthe seed {drawn_by} drew these matches") } else { String::new() };
    if faults.is_empty() && checked.matches == 0 && checked.without_replay > 0 {
        return Err(Failure::undone(
            checked.summary(counted, is_repeatable) + &drawn,
            "these matches cannot be played again: `replays = \"all\"` in the league file keeps their replays",
        ));
    }
    if faults.is_empty() {
        let summary = checked.summary(counted, is_repeatable);
        return print(&format!("{summary}{drawn}\n{unfinished}"));
    }
    Err(Failure::undone(
        format!("{} does not verify\n  {}{drawn}", shown(&verifying.folder), faults.join("\n  ")),
        "play with the strategies, programs and rules of the league, and with programs that remember no earlier match; if nothing else explains it, the store was changed",
    ))
}

/// The check of a sample of matches.
struct Check<'a> {
    store: &'a Store,
    league: &'a League,
    seeds: SeedSource,
    plays: InProcess,
    /// Whether a match that is played again takes the same course.
    is_repeatable: bool,
    /// Whether programs are among the entrants of the league.
    has_programs: bool,
    checked: Checked,
    /// The faults of the matches so far, each with its match.
    faults: Vec<String>,
}

impl Check<'_> {
    /// Checks the match with this number, if there is one.
    fn check(&mut self, number: u64) -> Result<(), Failure> {
        let Some(stored) = self.store.find(number)? else { return Ok(()) };
        let logs = self.store.logs(number)?;
        let by = logs.iter().find(|(_, log)| log.source == WORKER).map(|(_, log)| format!(", {}", log.text));
        let by = by.unwrap_or_default();
        let faults = self.faults_of(&stored)?;
        let named = |fault: String| format!("match {number} ({}{by}): {fault}", stored.id);
        self.faults.extend(faults.into_iter().map(named));
        Ok(())
    }

    /// Returns the faults of a match, and counts the match by what could be compared.
    fn faults_of(&mut self, stored: &StoredMatch) -> Result<Vec<String>, Failure> {
        let spec = &stored.record.spec;
        if self.league.spec(&self.seeds.schedule(stored.id.clone())) != *spec {
            return Ok(vec!["the store has another match than the league file gives".to_owned()]);
        }
        if stored.verdict == Verdict::HostFault {
            // It may end this process.
            if self.is_repeatable && !self.has_programs && matches!(alone::survives(spec), Ok(true)) {
                return Ok(vec!["it was given up, and it can be played".to_owned()]);
            }
            self.checked.given_up += 1;
            return Ok(Vec::new());
        }
        let replay = self.store.replay(stored.number)?;
        match (self.is_repeatable || replay.is_some(), stored.has_game()) {
            (true, _) => self.checked.matches += 1,
            (false, false) => self.checked.without_game += 1,
            (false, true) => self.checked.without_replay += 1,
        }
        let mut faults = Vec::new();
        // A match on the real clock does not take the same course again; its replay does.
        if self.is_repeatable {
            match played_again(&self.plays, spec, false) {
                Ok(Ok(played)) => faults.extend(difference(&stored.record, &played.record)),
                Ok(Err(why)) => {
                    let (number, id) = (stored.number, &stored.id);
                    return Err(Failure::undone(
                        format!("cannot check match {number} ({id}): this machine has failed it: {why}"),
                        "close other programs, or raise the limits on open files and processes",
                    ));
                }
                Err(error) => faults.push(error.to_string()),
            }
        }
        let is_kept = self.league.executor == ExecutorKind::Network && self.league.keeps_replays;
        if is_kept && replay.is_none() && stored.has_game() {
            faults.push("it has no replay, and the league keeps all of them".to_owned());
        }
        faults.extend(replay.and_then(|replay| self.fault_of_replay(&replay, &stored.record)));
        Ok(faults)
    }

    /// Returns the fault of a replay, if it has one.
    fn fault_of_replay(&self, replay: &[u8], record: &MatchRecord) -> Option<String> {
        let game = game_catalogue::find(&record.spec.game);
        let back = match game.map(|game| Reader::open(replay).and_then(|reader| game.verify(reader))) {
            Ok(Ok(back)) => back,
            Ok(Err(error)) => return Some(error.to_string()),
            Err(error) => return Some(error.to_string()),
        };
        let (seed, expected) = (back.seed, record.spec.seed);
        if seed != expected {
            return Some(format!(
                "the replay is of a game with the seed {seed}, and the match has the seed {expected}"
            ));
        }
        let expected = record.outcome;
        let is_expected = match back.outcome {
            // The record says why an agent was gone, which the game does not know.
            Some(own) if !self.is_repeatable => own.ranking == expected.ranking,
            own => own == Some(expected),
        };
        if is_expected {
            return None;
        }
        let ends = back.outcome.map_or("before the match is over".to_owned(), |end| format!("with {end}"));
        Some(format!("the replay ends {ends}, and the record with {expected}"))
    }
}

/// Draws this many of the numbers from 1 to `counted`: one from each of as many equal parts. Numbers at equal distances
/// would meet only one side, or a few pairings, of a schedule.
fn draw(sample: u64, counted: u64, seed: Seed) -> impl Iterator<Item = u64> {
    let end = move |part: u64| {
        let end = u128::from(part) * u128::from(counted) / u128::from(sample);
        u64::try_from(end).expect("it is at most the number of matches")
    };
    let mut chance: Chance = seed.game();
    (0..sample).map(move |part| {
        let (first, end) = (end(part), end(part + 1));
        let length = usize::try_from(end - first).unwrap_or(usize::MAX);
        1 + first + chance.index(length) as u64
    })
}

/// The numbers of matches of a sample, by what could be compared.
#[derive(Default)]
struct Checked {
    /// Played again, or compared with their replays.
    matches: u64,
    /// Without a replay, because no game began.
    without_game: u64,
    /// With a game whose replay was not kept.
    without_replay: u64,
    /// Given up after faults of the host.
    given_up: u64,
}

impl Checked {
    /// `12 of 20 matches were checked by their replays: all end as their records say; 8 have no replay: no game began`.
    /// `counted` is the number of matches of the league.
    fn summary(&self, counted: u64, is_repeatable: bool) -> String {
        let how = match (is_repeatable, self.matches) {
            (true, 1) => "was played again",
            (true, _) => "were played again",
            (false, 1) => "was checked by its replay",
            (false, _) => "were checked by their replays",
        };
        // A replay has no metrics and no blunders.
        let same = match (is_repeatable, self.matches) {
            (_, 0) => "",
            (true, 1) => ": it took the same course",
            (true, _) => ": all took the same course",
            (false, 1) => ": it ends as its record says",
            (false, _) => ": all end as their records say",
        };
        let rest = [
            (self.without_game, ["has no replay: no game began", "have no replay: no game began"]),
            (
                self.without_replay,
                ["has no replay: the league keeps none", "have no replay: the league keeps none"],
            ),
            (self.given_up, ["was given up", "were given up"]),
        ];
        let rest = rest.into_iter().filter(|(number, _)| *number > 0).map(|(number, [one, many])| {
            format!("; {} {}", text::with_commas(number), if number == 1 { one } else { many })
        });
        let (checked, counted) = (text::with_commas(self.matches), text::matches(counted));
        format!("{checked} of {counted} {how}{same}{}", rest.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Five entrants, ten sets, 5 %: at equal distances, each number would be that of the first pairing and the first
    /// side.
    #[test]
    fn a_sample_meets_every_place_of_a_schedule() {
        let numbers = |seed| draw(10, 200, Seed::new(seed)).collect::<Vec<_>>();
        for seed in 0..100 {
            for (part, number) in numbers(seed).into_iter().enumerate() {
                assert!(
                    (20 * part as u64 + 1..=20 * part as u64 + 20).contains(&number),
                    "{number} of part {part}"
                );
            }
        }
        let places: BTreeSet<u64> = (0..100).flat_map(numbers).map(|number| number % 20).collect();
        assert_eq!(places.len(), 20);
        assert_eq!(numbers(7), numbers(7));
        assert_eq!(draw(3, 7, Seed::new(1)).count(), 3);
        assert_eq!(draw(7, 7, Seed::new(1)).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn only_what_was_compared_is_counted_as_checked() {
        let checked = Checked { matches: 12, without_game: 8, ..Checked::default() };
        assert_eq!(
            checked.summary(20, false),
            "12 of 20 matches were checked by their replays: all end as their records say; \
             8 have no replay: no game began"
        );
        let checked = Checked { matches: 1, without_replay: 1, given_up: 2, ..Checked::default() };
        assert_eq!(
            checked.summary(1_000, false),
            "1 of 1,000 matches was checked by its replay: it ends as its record says; \
             1 has no replay: the league keeps none; 2 were given up"
        );
        let none = Checked { without_game: 1, ..Checked::default() };
        assert_eq!(
            none.summary(1, false),
            "0 of 1 match were checked by their replays; 1 has no replay: no game began"
        );
        let all = Checked { matches: 2, ..Checked::default() };
        assert_eq!(all.summary(2, true), "2 of 2 matches were played again: all took the same course");
    }
}
