//! `league report --site`: the report as pages for a web server, with replays that open in the viewer.

use std::collections::BTreeSet;
use std::path::Path;

use command_line::{Failure, write_file_in_folder};
use game_env::text::escape_hidden_in_lines;
use viewer::page;
use viewer::recording;

use super::replay;
use crate::file::League;
use crate::in_process::InProcess;
use crate::report::{Played, Report, replay_path};
use crate::store::Store;

/// The most bytes of a replay's page: longer ones are left out, and their matches have no link.
const LONGEST_REPLAY: usize = 64 << 20;

/// Counts of the files that were written.
pub(super) struct Written {
    /// The pages without replays.
    pub(super) pages: usize,
    /// The replays.
    pub(super) replays: usize,
    /// The numbers of matches that have no replay that the page can show, with the reasons.
    pub(super) left_out: Vec<(u64, String)>,
}

/// Writes the pages and replays into this folder.
pub(super) fn write(
    folder: &Path,
    league: &League,
    report: &Report,
    matches: &[Played],
    store: &Store,
    plays: &InProcess,
) -> Result<Written, Failure> {
    let mut replays = BTreeSet::new();
    let mut left_out = Vec::new();
    for number in report.matches_to_show(matches) {
        let Some(stored) = store.find(number)? else { continue };
        // A match over the network cannot be played again.
        let replay = replay::find_replay(league, store, &stored, || replay::again(league, &stored, plays));
        let page = replay.map_err(|failure| escape_hidden_in_lines(failure.why())).and_then(|replay| {
            replay_page(number, &replay, LONGEST_REPLAY)
                .map_err(|error| format!("the page cannot show match {number}: {error}"))
        });
        match page {
            Ok(html) => {
                write_page(folder, &replay_path(number), &html)?;
                replays.insert(number);
            }
            Err(why) => left_out.push((number, why)),
        }
    }
    let pages = report.site(matches, &replays);
    for page in &pages {
        write_page(folder, &page.path, &page.html)?;
    }
    Ok(Written { pages: pages.len(), replays: replays.len(), left_out })
}

/// Returns the game page with this replay in it.
///
/// # Errors
///
/// If the page cannot show it, or the messages for it come to more than `most` bytes.
fn replay_page(number: u64, replay: &[u8], most: usize) -> Result<String, String> {
    let mut feed = "[".to_owned();
    let played = recording::play(replay, &format!("match-{number}.replay"), most, |message| {
        if feed.len() > 1 {
            feed += ",\n";
        }
        feed += &message;
        Ok(())
    });
    if played.map_err(|error| error.to_string())?.is_cut {
        return Err(format!("its messages are longer than {} MiB", most >> 20));
    }
    feed.push(']');
    Ok(page::exported(&feed))
}

fn write_page(folder: &Path, path: &str, text: &str) -> Result<(), Failure> {
    write_file_in_folder(&folder.join(path), text, "choose another folder with --site")
}

#[cfg(test)]
mod tests {
    use game_dots::{Config, State};
    use game_env::replay::Writer;
    use game_env::{Environment as _, Seed, SimTime, Witness as _};

    use super::*;

    #[test]
    fn a_replay_that_is_too_long_is_left_out_and_one_that_breaks_off_is_not() {
        let (config, seed) = (Config::new(3, 3).unwrap(), Seed::new(7));
        let mut state = State::new(&config, seed);
        let mut writer = Writer::in_memory::<State>(&config, seed, "tests", "tests");
        for _ in 0..6 {
            let (mover, mut legal) = (state.mover(), Vec::new());
            state.legal_actions(mover, &mut legal);
            writer.action(&state, SimTime::START, mover, &legal[0]);
            state.step(SimTime::START, mover, legal[0], &mut ());
        }
        let replay = writer.finish().unwrap();
        assert!(replay_page(1, &replay, LONGEST_REPLAY).unwrap().contains(r#""kind":"truncated""#));
        let fault = replay_page(1, &replay, 500).unwrap_err();
        assert!(fault.starts_with("its messages are longer than "), "{fault}");
    }
}
