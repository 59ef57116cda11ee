//! `league replay`: writes the replay of a match.

use std::path::PathBuf;

use command_line::{Failure, command, print, shown};
use game_env::NotationError;
use game_env::notation::fit_for_a_log;
use league::begin::in_process;
use league::executor::Executor as _;
use league::network::commands::CommandEntrant;
use league::network::joining::JoiningEntrant;
use league::schedule::MatchId;
use league::store::{Store, StoredMatch};

use super::arguments::Replaying;
use super::verify;

pub(crate) fn start(replaying: &Replaying) -> Result<(), Failure> {
    let store = Store::look(&replaying.folder)?;
    let stored = find(&store, &replaying.which)?;
    let replay = match store.replay(stored.number)? {
        Some(replay) => replay,
        // In process a match takes the same course every time.
        None => again(&stored)?,
    };
    let path =
        replaying.out.clone().unwrap_or_else(|| PathBuf::from(format!("match-{}.replay", stored.number)));
    whole_file::write(&path, |out| out.write_all(&replay)).map_err(|error| {
        Failure::undone(
            format!("cannot write the replay {}: {error}", shown(&path)),
            "choose another file with --out",
        )
    })?;
    let view = command("reference-gm", &format!("view {}", shown(&path)));
    print(&format!(
        "match {} ({}), verdict {}: the replay is {}; look at it with `{view}`\n",
        stored.number,
        stored.id,
        stored.verdict,
        shown(&path)
    ))
}

/// The match with this number or id.
pub(super) fn find(store: &Store, which: &str) -> Result<StoredMatch, Failure> {
    let misuse = |why: String| Failure::misuse(why, "matches.jsonl has the numbers and ids of all matches");
    let number = match which.parse::<u64>() {
        Ok(number) => Some(number),
        Err(_) => {
            let id: MatchId = which
                .parse()
                .map_err(|error: NotationError| misuse(format!("{error}, or the number of a match")))?;
            store.number_of(&id)?
        }
    };
    let found = number.map(|number| store.find(number)).transpose()?.flatten();
    found.ok_or_else(|| misuse(format!("{} has no match `{}`", shown(store.folder()), fit_for_a_log(which))))
}

/// Plays a match again for its replay.
pub(super) fn again(stored: &StoredMatch) -> Result<Vec<u8>, Failure> {
    let failed = |why: String| {
        Failure::undone(
            format!("cannot play match {} again: {why}", stored.number),
            "use the program that played the league; `replays = \"all\"` in the league file keeps replays",
        )
    };
    let is_networked =
        |name: &&String| CommandEntrant::find(name).is_some() || JoiningEntrant::find(name).is_some();
    if let Some(program) = stored.record.spec.entrants.iter().find(is_networked) {
        return Err(failed(format!("`{}` plays over the network alone", fit_for_a_log(program))));
    }
    let played = in_process().play(&stored.record.spec, true).map_err(|error| failed(error.to_string()))?;
    if let Some(difference) = verify::difference(&stored.record, &played.record) {
        return Err(failed(difference));
    }
    played.replay.ok_or_else(|| failed("it has no replay".to_owned()))
}
