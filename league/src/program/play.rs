//! `league play`: one match, a value in, a record out.

use std::fs::File;

use command_line::{Failure, print, shown};
use game_env::matches::MatchSpec;
use league::begin::in_process;
use league::executor::Executor;
use league::network::Rules;
use league::network::commands::CommandEntrant;
use league::network::joining::JoiningEntrant;

use super::arguments::Playing;
use super::run;

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
    let names: Vec<&str> = spec.entrants.iter().map(String::as_str).collect();
    let is_networked =
        |name: &&str| CommandEntrant::find(name).is_some() || JoiningEntrant::find(name).is_some();
    let executor: Box<dyn Executor> = if names.iter().any(is_networked) {
        // Folders of programs begin at the current one.
        Box::new(run::network(&names, Rules::default(), "", playing.confinement.confine)?)
    } else {
        Box::new(in_process())
    };
    let played = executor.play(&spec, playing.replay.is_some());
    let played = played.map_err(|error| faulty(error.to_string()))?;
    for log in &played.logs {
        eprintln!("{}: {}", log.source, log.text);
    }
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
