//! `league replay`: writes the replay of a match.

use std::fs;
use std::path::{Path, PathBuf};

use command_line::{Failure, command, print, quoted_path, shown, write_file};
use contests::text;
use contests::verdict::Verdict;
use game_env::replay::{Player, Reader};
use game_env::text::{escape_hidden, fit_for_a_log};
use game_env::{AgentId, NotationError};

use super::arguments::Replaying;
use super::contest::played_again;
use crate::begin;
use crate::executor::difference;
use crate::file::{ExecutorKind, League};
use crate::in_process::InProcess;
use crate::invocation;
use crate::network::LOBBY;
use crate::network::commands::CommandEntrant;
use crate::network::joining::JoiningEntrant;
use crate::runner::stored_progress;
use crate::schedule::MatchId;
use crate::store::{Store, StoreError, StoredMatch};

pub(crate) fn start(replaying: &Replaying, plays: &InProcess) -> Result<(), Failure> {
    let store = Store::look(&replaying.folder)?;
    let origin = store.origin()?;
    let league = begin::league(&origin, &replaying.folder, plays)?;
    let stored = find(&league, &store, &replaying.which)?;
    // Programs are started only if the match has to be played again.
    let replay = find_replay(&league, &store, &stored, || {
        if is_networked(&stored) {
            return again(&league, &stored, plays);
        }
        let entrants: Vec<&str> = stored.record.spec.entrants.iter().map(String::as_str).collect();
        let plays = begin::again(&store, (&origin, &league), &entrants, replaying.trust.trust, plays)?;
        again(&league, &stored, &plays)
    })?;
    let path = match &replaying.out {
        Some(path) => path.clone(),
        None => unused(PathBuf::from(format!("match-{}.replay", stored.number)), &replay)?,
    };
    write_file(&path, replay, "choose another file with --out")?;
    let view = command("reference-gm", &format!("view {}", quoted_path(&path)));
    let studies = if is_networked(&stored) {
        String::new()
    } else {
        format!(", study it with `{}`", command("bots", &format!("study {}", quoted_path(&path))))
    };
    print(&format!(
        "match {} ({}), verdict {}: the replay is {}; look at it with `{view}`{studies}\n",
        stored.number,
        stored.id,
        stored.verdict,
        shown(&path)
    ))
}

/// Returns this path; fails if it has a file other than this replay: all leagues have a match 1.
fn unused(path: PathBuf, replay: &[u8]) -> Result<PathBuf, Failure> {
    if is_other(&path, replay) {
        return Err(Failure::undone(
            format!("{} is there already and is another file: it is kept", shown(&path)),
            "name the file for this replay with --out",
        ));
    }
    Ok(path)
}

/// Returns whether this path has a file other than this replay.
pub(super) fn is_other(path: &Path, replay: &[u8]) -> bool {
    fs::metadata(path).is_ok_and(|found| {
        let is_equal = || fs::read(path).is_ok_and(|found| found == replay);
        found.is_file() && (found.len() != replay.len() as u64 || !is_equal())
    })
}

/// Returns the match with this number or id.
pub(super) fn find(league: &League, store: &Store, which: &str) -> Result<StoredMatch, Failure> {
    let misuse = |why: String| {
        Failure::misuse(
            why,
            "matches are numbered from 1; at the end of a league, matches.jsonl has their numbers and ids",
        )
    };
    let wanted = match which.parse::<u64>() {
        Ok(number) => Wanted::Number(number),
        Err(_) => Wanted::Id(
            which
                .parse()
                .map_err(|error: NotationError| misuse(format!("{error}, or the number of a match")))?,
        ),
    };
    let number = match &wanted {
        Wanted::Number(number) => Some(*number),
        Wanted::Id(id) => store.number_of(id)?,
    };
    let Some(found) = number.map(|number| store.find(number)).transpose()?.flatten() else {
        let which = fit_for_a_log(which);
        let progress = stored_progress(league, store)?;
        let is_to_come = !progress.is_over()
            && match &wanted {
                Wanted::Number(number) => (1..=progress.expected()).contains(number),
                Wanted::Id(id) => league.can_have(id),
            };
        if !is_to_come {
            return Err(misuse(format!("{} has no match `{which}`", shown(store.folder()))));
        }
        let have = if progress.counted() == 1 { "has" } else { "have" };
        let (counted, scheduled) =
            (text::with_commas(progress.counted()), text::matches(progress.expected()));
        let resume = invocation::command(&format!("resume {}", quoted_path(store.folder())));
        return Err(Failure::undone(
            format!("match {which} has not been played yet: {counted} of {scheduled} {have} been played"),
            format!("`{resume}` goes on"),
        ));
    };
    if !league.can_have(&found.id) {
        return Err(Failure::undone(
            format!(
                "match {} ({}) in {} is of another league",
                found.number,
                found.id,
                shown(store.folder())
            ),
            "somebody has changed the store: begin the league anew",
        ));
    }
    Ok(found)
}

/// The match that the user asks for.
enum Wanted {
    Number(u64),
    Id(MatchId),
}

/// Returns whether a match has an entrant that plays over the network alone.
pub(super) fn is_networked(stored: &StoredMatch) -> bool {
    let is_networked =
        |name: &String| CommandEntrant::find(name).is_some() || JoiningEntrant::find(name).is_some();
    stored.record.spec.entrants.iter().any(is_networked)
}

/// Returns the replay of a match, with the names of the entrants, which people know. The commands by which matches name
/// programs stay in it, so that the game can be studied. `again` [plays the match again](again) if no replay was kept.
pub(super) fn find_replay(
    league: &League,
    store: &Store,
    stored: &StoredMatch,
    again: impl FnOnce() -> Result<Vec<u8>, Failure>,
) -> Result<Vec<u8>, Failure> {
    let replay = match store.replay(stored.number)? {
        Some(replay) => replay,
        None if !stored.has_game() => return Err(no_game(league, store, stored)?),
        // In process a match takes the same course every time.
        None => again()?,
    };
    let names = league.agent_names(&stored.id);
    let faulty = |error: String| {
        Failure::undone(
            format!("the replay of match {} is faulty: {error}", stored.number),
            "somebody has changed the store: begin the league anew",
        )
    };
    let reader = Reader::open(&replay[..]).map_err(|error| faulty(error.to_string()))?;
    let rename = |agent: AgentId, player: &mut Player| {
        let Some(name) = names.get(agent.index()).copied().flatten() else { return };
        // The command of an agent of the network is no player in process.
        if is_networked(stored) { name.clone_into(&mut player.name) } else { player.rename(name) }
    };
    reader.write_with_players(Vec::new(), rename).map_err(|error| faulty(error.to_string()))
}

/// Returns the reason for which a match without a game has no replay: the agents that could not play, and their ends.
fn no_game(league: &League, store: &Store, stored: &StoredMatch) -> Result<Failure, StoreError> {
    let StoredMatch { number, id, .. } = stored;
    if stored.verdict == Verdict::HostFault {
        return Ok(Failure::undone(
            format!("match {number} ({id}) has no replay, because it was given up"),
            "it has ended each process that played it: `verify` tries it again",
        ));
    }
    let seated = league.seated(id);
    let at_fault = league.sides_at_fault(&stored.record.outcome);
    let at_fault: Vec<&str> = at_fault.into_iter().map(|side| seated[side].name.as_str()).collect();
    let failed = if stored.verdict == Verdict::NeverJoined { "never joined" } else { "broke the protocol" };
    let logs = store.logs(*number)?;
    let lobby = logs.iter().rev().find(|(_, log)| log.source == LOBBY);
    let lobby = lobby.map_or_else(String::new, |(_, log)| format!(": {}", escape_hidden(&log.text)));
    let log = invocation::command(&format!("log {} {number}", quoted_path(store.folder())));
    Ok(Failure::undone(
        format!(
            "match {number} ({id}) has no replay, because no game began: {} {failed}{lobby}",
            at_fault.join(" and ")
        ),
        format!("`{log}` shows the output of the programs"),
    ))
}

/// Plays a match again for its replay.
pub(super) fn again(league: &League, stored: &StoredMatch, plays: &InProcess) -> Result<Vec<u8>, Failure> {
    let failed = |why: String| {
        Failure::undone(
            format!("cannot play match {} again: {why}", stored.number),
            "use the program that played the league; `replays = \"all\"` in the league file keeps replays",
        )
    };
    if league.executor != ExecutorKind::InProcess {
        return Err(failed(
            "it was played over the network, where no match takes the same course again".to_owned(),
        ));
    }
    let played = played_again(plays, &stored.record.spec, true).map_err(|error| failed(error.to_string()))?;
    let played = played.map_err(|why| failed(format!("this machine has failed it: {why}")))?;
    let unready = plays.take_unready();
    if let Some(difference) = difference(&stored.record, &played.record) {
        // A program that is gone is the reason for another course.
        return Err(failed(unready.unwrap_or(difference)));
    }
    played.replay.ok_or_else(|| failed("it has no replay".to_owned()))
}
