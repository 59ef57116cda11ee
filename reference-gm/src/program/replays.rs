//! Verifies, shows and exports replays.

use std::error::Error;
use std::fs::File;
use std::io::{self, BufWriter, Cursor, Read, Write as _};
use std::path::Path;
use std::process::ExitCode;

use command_line::{Failure, chain, check_apart, open_file, shown};
use game_catalogue::PlayedBack;
use game_env::replay::{Completeness, Reader, ReplayError};
use reference_gm::bricks::log;
use reference_gm::keyboard::Key;
use tokio::sync::mpsc;
use viewer::outbox::Limits;
use viewer::page;
use viewer::recording::{self, Recording, RecordingError};
use viewer::server::ViewerServer;
use whole_file::WholeFile;

use super::{Result, open_keyboard, print, runtime, stop_signal, take_place, tell, without_page};

pub(crate) fn view(path: &Path, address: &str) -> Result<ExitCode> {
    let (name, recording, file) = read_recording(path)?;
    let place = take_place(address)?;
    runtime()?.block_on(async {
        let stopped = stop_signal()?;
        let (pressed, mut keys) = mpsc::channel(16);
        let keyboard = open_keyboard(pressed.clone())?;
        let page = ViewerServer::replay(place, &name, recording, file);
        let page = page.map_err(|error| without_page(&error))?;
        tell(&format!("the game page is at {}", page.url()));
        let quit = async {
            // The keyboard may be closed while the user can still send a signal.
            let _pressed = pressed;
            while !keys.recv().await.is_none_or(|key| key == Key::Stop) {}
        };
        tokio::select! {
            () = stopped => {}
            () = quit => {}
        }
        drop(keyboard);
        page.close("the viewer has ended");
        Ok(ExitCode::SUCCESS)
    })
}

fn shown_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

pub(crate) fn export(path: &Path, html: Option<&Path>, feed: Option<&Path>) -> Result<ExitCode> {
    check_apart(&[("--html", html), ("--feed", feed)])?;
    let shown = shown(path);
    let (name, file) = open_game(path)?;
    let (before, after) = page::around();
    let create = |to, beginning| Export::create(to, beginning).map_err(|error| unwritten(&error));
    let mut page = html.map(|to| create(to, &before)).transpose()?;
    let mut array = feed.map(|to| create(to, "")).transpose()?;
    let mut gap = "[";
    let played = recording::play(file, &name, Limits::default().feed, |message| {
        if let Some(page) = &mut page {
            page.write(gap)?;
            page.write(&page::inert(&message))?;
        }
        if let Some(array) = &mut array {
            array.write(gap)?;
            array.write(&message)?;
        }
        gap = ",\n";
        Ok(())
    });
    let ending = played.map_err(|error| match error {
        // The outputs say which of them it was.
        RecordingError::Write(error) => unwritten(&error),
        error => unreadable(format!("{shown} cannot be shown: {}", chain(&error))),
    })?;
    // If one of two cannot be written, neither is.
    let ends = [(page, format!("]{after}")), (array, "]".to_owned())];
    let mut whole = Vec::new();
    for (export, end) in ends {
        if let Some(mut export) = export {
            export.write(&end).map_err(|error| unwritten(&error))?;
            whole.push(export);
        }
    }
    whole.into_iter().try_for_each(Export::finish).map_err(|error| unwritten(&error))?;
    if let Some(why) = ending.truncated {
        tell(&format!("warning: {shown}: {why}; it is shown up to there"));
    }
    if let Some(page) = html {
        tell(&format!("{} is written: it opens in any browser", command_line::shown(page)));
    }
    if let Some(feed) = feed {
        tell(&format!("{} is written", command_line::shown(feed)));
    }
    Ok(ExitCode::SUCCESS)
}

/// A file that is being written, and its name for errors.
struct Export<'a> {
    path: &'a Path,
    file: BufWriter<WholeFile>,
}

impl<'a> Export<'a> {
    fn create(path: &'a Path, beginning: &str) -> io::Result<Self> {
        let file = WholeFile::create(path).map_err(|error| unwritable(path, &error))?;
        let mut export = Self { path, file: BufWriter::with_capacity(1 << 16, file) };
        export.write(beginning)?;
        Ok(export)
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes()).map_err(|error| unwritable(self.path, &error))
    }

    fn finish(self) -> io::Result<()> {
        let whole =
            self.file.into_inner().map_err(io::IntoInnerError::into_error).and_then(WholeFile::finish);
        whole.map_err(|error| unwritable(self.path, &error))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot write {}: {error}", shown(path)))
}

fn open(path: &Path) -> Result<File> {
    open_file(path).map_err(|error| unopened(format!("cannot open {}: {error}", shown(path))))
}

/// A file that the system does not give.
fn unopened(why: String) -> Failure {
    Failure::undone(why, "name a file that exists and can be read")
}

/// A file that is no replay of this program.
fn unreadable(why: String) -> Failure {
    Failure::undone(why, "name a replay, e.g. of `bots --virtual --replay FILE`; a newer program may read it")
}

/// A file that cannot be written; `error` names it.
fn unwritten(error: &io::Error) -> Failure {
    Failure::undone(error.to_string(), "name another file, or free disk space")
}

/// Returns a file that can be shown, and the name of the replay in it: a replay, or the log of a duel of Bricks, which
/// is read as one.
fn open_game(path: &Path) -> Result<(String, Box<dyn Read>)> {
    /// As many bytes as show which of both it is: the largest size has three digits.
    const BEGINNING: u64 = 8;
    let cut_off = |error: io::Error| unopened(format!("cannot read {}: {error}", shown(path)));
    let mut file = open(path)?;
    let mut bytes = Vec::new();
    Read::by_ref(&mut file).take(BEGINNING).read_to_end(&mut bytes).map_err(cut_off)?;
    if !log::is_log(&bytes) {
        return Ok((shown_name(path), Box::new(Cursor::new(bytes).chain(file))));
    }
    file.take(log::LARGEST).read_to_end(&mut bytes).map_err(cut_off)?;
    if bytes.len() as u64 > log::LARGEST {
        let why = format!("{} cannot be shown: a log has at most {} bytes", shown(path), log::LARGEST);
        return Err(unreadable(why));
    }
    let replay = log::replay(&bytes)
        .map_err(|error| unreadable(format!("{} cannot be shown: {}", shown(path), chain(&error))))?;
    Ok((format!("{}.replay", shown_name(path)), Box::new(Cursor::new(replay))))
}

/// Returns the name of a replay, the replay for the page, and its file unless that is too long to be kept. If the
/// replay breaks off, the reason is printed here as well.
fn read_recording(path: &Path) -> Result<(String, Recording, Option<Vec<u8>>)> {
    let shown = shown(path);
    let (name, mut file) = open_game(path)?;
    let most = Limits::default().replay;
    let mut bytes = Vec::new();
    let beginning = Read::by_ref(&mut file).take(most as u64 + 1).read_to_end(&mut bytes);
    beginning.map_err(|error| unopened(format!("cannot read {shown}: {error}")))?;
    let recording = Recording::read((&bytes[..]).chain(file), &name)
        .map_err(|error| unreadable(format!("{shown} cannot be shown: {}", chain(&error))))?;
    if let Some(why) = &recording.truncated {
        tell(&format!("warning: {shown}: {why}; it is shown up to there"));
    }
    Ok((name, recording, Some(bytes).filter(|bytes| bytes.len() <= most)))
}

pub(crate) fn verify(path: &Path) -> Result<ExitCode> {
    let shown = shown(path);
    let unplayable = |error: &dyn Error| unreadable(format!("{shown} cannot be played: {}", chain(error)));
    let reader = Reader::open(open(path)?).map_err(|error| unplayable(&error))?;
    let header = reader.header();
    let game = game_catalogue::of_replay(header).map_err(|error| unplayable(&error))?;
    let played = game.verify(reader).map_err(|error| {
        // The first line says what is to be played; all others what was.
        let has_begun = matches!(
            error,
            ReplayError::Corrupt { line, .. } | ReplayError::Diverged { line, .. } if line > 1
        );
        if has_begun {
            let why = format!("{shown} does not match its record: {}", chain(&error));
            return Failure::undone(why, "the file was changed, or its game was played by other rules");
        }
        unplayable(&error)
    })?;
    let PlayedBack { seed, actions, gone, time, outcome, hashes, completeness, has_more } = played;
    let outcome = outcome.map_or_else(|| "not over".to_owned(), |outcome| outcome.text(game.team_names()));
    let gone = match gone {
        0 => String::new(),
        1 => ", one agent gone".to_owned(),
        gone => format!(", {gone} agents gone"),
    };
    let (verdict, code) = match completeness {
        Completeness::Complete if has_more => (
            "every hash is as recorded, but the file has data after the end of the game".to_owned(),
            ExitCode::FAILURE,
        ),
        Completeness::Complete => ("every hash is as recorded".to_owned(), ExitCode::SUCCESS),
        Completeness::Truncated { line, reason } => {
            let compared = match hashes {
                0 => "there is no hash to compare up to there",
                _ => "up to there every hash is as recorded",
            };
            (format!("the file breaks off after line {line}: {reason}; {compared}"), ExitCode::FAILURE)
        }
    };
    print(&format!("{shown}: seed {seed}, {actions} actions{gone}, {time}, {outcome}\n{verdict}\n"))?;
    Ok(code)
}
