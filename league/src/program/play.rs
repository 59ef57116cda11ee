//! `league play`: one match or several, values in, records out.

use std::io::{self, BufRead as _, Read as _};
use std::path::Path;

use command_line::{Failure, print, read_text, shown, tell, write_file};
use game_env::matches::{LONGEST_FILE, MatchFileError, MatchSpec};
use game_env::text::fit_for_a_log;

use super::arguments::Playing;
use super::{contest, run};
use crate::batch::{BatchError, each_line};
use crate::executor::Executor;
use crate::in_process::InProcess;
use crate::network::Rules;
use crate::network::commands::CommandEntrant;
use crate::network::joining::JoiningEntrant;
use crate::trust::{CURRENT_FOLDER, Source, in_process, with_programs};

pub(crate) fn start(playing: &Playing, plays: &InProcess) -> Result<(), Failure> {
    let path = &playing.spec;
    if path == Path::new("-") {
        return answer(playing, plays);
    }
    let faulty = |why: String| {
        Failure::misuse(
            format!("cannot play the match of {}: {why}", shown(path)),
            "a match is a JSON object, as in the member `match` of a record; matches.jsonl has some",
        )
    };
    let specs = read(path).map_err(&faulty)?;
    if specs.len() > 1 && playing.replay.is_some() {
        return Err(Failure::misuse(
            format!("{} has {} matches, and `--replay` writes one replay", shown(path), specs.len()),
            "leave out `--replay`, or name a file with one match",
        ));
    }
    let names: Vec<&str> = specs.iter().flat_map(|spec| &spec.entrants).map(String::as_str).collect();
    let is_networked =
        |name: &&str| CommandEntrant::find(name).is_some() || JoiningEntrant::find(name).is_some();
    let is_confined = playing.confinement.confine;
    let source = Source {
        path,
        is_trusted: playing.trust.trust,
        is_confined,
        folder: Path::new(CURRENT_FOLDER),
        restarts: false,
    };
    let executor: Box<dyn Executor> = if names.iter().any(is_networked) {
        // Folders of programs begin at the current one.
        Box::new(run::network(&names, source, Rules::default(), "", plays.program())?)
    } else {
        Box::new(in_process(&names, source, plays)?)
    };
    let play = |spec: &MatchSpec| -> Result<String, Failure> {
        let played = executor.play(spec, playing.replay.is_some());
        let played = played.map_err(|error| faulty(error.to_string()))?;
        for log in &played.logs {
            tell(&format!("{}: {}", fit_for_a_log(&log.source), log.text));
        }
        if let (Some(path), Some(replay)) = (&playing.replay, &played.replay) {
            write_file(path, replay, "choose another file with --replay")?;
        }
        Ok(format!("{}\n", played.record))
    };
    let mut records = String::new();
    let played = specs.iter().try_for_each(|spec| {
        records += &play(spec)?;
        Ok(())
    });
    // A fault loses no match that was played before it.
    if played.is_ok() || !records.is_empty() {
        write(&records, playing.out.as_deref())?;
    }
    played
}

/// Writes records into a file, or prints them.
fn write(records: &str, out: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = out else { return print(records) };
    write_file(path, records, "choose another file with --out")
}

/// Plays each match of standard input when its line comes, and prints its record.
fn answer(playing: &Playing, plays: &InProcess) -> Result<(), Failure> {
    if playing.out.is_some() || playing.replay.is_some() || playing.confinement.confine {
        return Err(Failure::misuse(
            "`--spec -` prints a record for each line, and has no `--out`, `--replay` or `--confine`",
            "name a file with the matches",
        ));
    }
    let plays = if playing.trust.trust { with_programs(false, plays)? } else { plays.clone() };
    let mut input = io::stdin().lock();
    for number in 1_u64.. {
        let faulty = |why: String| {
            Failure::misuse(
                format!("line {number} of standard input: {why}"),
                "each line is a match, as in the member `match` of a record; `--trust` lets programs play",
            )
        };
        let mut line = Vec::new();
        (&mut input)
            .take(LONGEST_FILE as u64)
            .read_until(b'\n', &mut line)
            .map_err(|error| faulty(error.to_string()))?;
        if line.is_empty() {
            break;
        }
        let spec: MatchSpec = str::from_utf8(&line)
            .map_err(|error| faulty(error.to_string()))?
            .parse()
            .map_err(|error: MatchFileError| faulty(error.to_string()))?;
        let played = contest::play(&plays, &spec, false).map_err(|error| faulty(error.to_string()))?;
        print(&format!("{}\n", played.record))?;
    }
    Ok(())
}

/// Reads one match, or several with one on each line.
fn read(path: &Path) -> Result<Vec<MatchSpec>, String> {
    let mut specs = Vec::new();
    let mut is_cut = false;
    let read = each_line(path, |_, line| {
        // A match may be written in several lines; then its first line is none.
        is_cut = specs.is_empty() && !line.trim_end().ends_with('}');
        specs.push(line.parse().map_err(|error: MatchFileError| error.to_string())?);
        Ok(())
    });
    match read {
        Ok(()) if !specs.is_empty() => Ok(specs),
        Err(BatchError::Record { line, reason, .. }) if !is_cut => Err(format!("line {line}: {reason}")),
        _ => {
            let text = read_text(path, LONGEST_FILE as u64).map_err(|error| error.to_string())?;
            text.parse().map(|spec| vec![spec]).map_err(|error: MatchFileError| error.to_string())
        }
    }
}
