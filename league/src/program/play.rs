//! `league play`: one match, a value in, a record out.

use std::fs::File;

use command_line::{Failure, shown};
use game_env::matches::MatchSpec;
use league::executor::Executor as _;

use super::arguments::Playing;
use super::{in_process, print};

pub(crate) fn start(playing: &Playing) -> Result<(), Failure> {
    let path = &playing.spec;
    let faulty = |why: String| {
        Failure::misuse(
            format!("cannot play the match of {}: {why}", shown(path)),
            "a match is a JSON object, as in the member `match` of a record; matches.jsonl has some",
        )
    };
    let file = File::open(path).map_err(|error| faulty(error.to_string()))?;
    let spec = MatchSpec::read(file).map_err(|error| faulty(error.to_string()))?;
    let played = in_process().play(&spec, playing.replay.is_some());
    let played = played.map_err(|error| faulty(error.to_string()))?;
    if let (Some(path), Some(replay)) = (&playing.replay, &played.replay) {
        whole_file::write(path, |out| out.write_all(replay)).map_err(|error| {
            Failure::undone(
                format!("cannot write the replay {}: {error}", shown(path)),
                "choose another file with --replay",
            )
        })?;
    }
    let Some(path) = &playing.out else { return print(&format!("{}\n", played.record)) };
    whole_file::write(path, |out| writeln!(out, "{}", played.record)).map_err(|error| {
        Failure::undone(
            format!("cannot write the record {}: {error}", shown(path)),
            "choose another file with --out",
        )
    })
}
