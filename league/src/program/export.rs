//! `league export`: the games of a league as tables, or its results as the files of another program.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use command_line::{Failure, check_apart, print, shown, write_file_in_folder};
use contests::text;
use game_env::text::or_list;
use whole_file::WholeFile;

use super::replay;
use crate::begin;
use crate::export::{CLAIMS, EVENTS, ExportError, Game, MESSAGES, RESULT_FOLDERS, ResultFiles};
use crate::file::{ExecutorKind, League};
use crate::in_process::InProcess;
use crate::runner::last_counted;
use crate::store::{Store, StoreError};
use crate::trust::Trust;

#[derive(Args)]
pub(crate) struct Exporting {
    /// The league's folder.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    tables: Tables,
    #[command(flatten)]
    trust: Trust,
}

/// The files; at least one is needed.
#[derive(Args)]
#[group(required = true, multiple = true)]
struct Tables {
    /// The file for a row for each event of each game.
    #[arg(long, value_name = "FILE.csv")]
    events: Option<PathBuf>,
    /// The file for a row for each question and answer, with the verdict on its claims; The Project Game only.
    #[arg(long, value_name = "FILE.csv")]
    messages: Option<PathBuf>,
    /// The file for a row for each claim of each answer, with the truth; The Project Game only.
    #[arg(long, value_name = "FILE.csv")]
    claims: Option<PathBuf>,
    /// A new folder for the results as the original referee writes them: duels.txt, score.txt, err.txt and duels/N.txt;
    /// Bricks only.
    #[arg(long, value_name = "FOLDER")]
    bricks: Option<PathBuf>,
}

pub(crate) fn start(exporting: &Exporting, plays: &InProcess) -> Result<(), Failure> {
    let store = Store::look(&exporting.folder)?;
    let origin = store.origin()?;
    let league = begin::league(&origin, &exporting.folder, plays)?;
    let tables = &exporting.tables;
    let last = last_counted(&league, &store)?;
    let mut text = String::new();
    if let Some(folder) = &tables.bricks {
        text += &write_folder("bricks", folder, (&league, last), &store)?;
    }
    if tables.events.is_none() && tables.messages.is_none() && tables.claims.is_none() {
        return print(&text);
    }
    let has_messages = tables.messages.is_some() || tables.claims.is_some();
    if has_messages && !game_catalogue::find(&league.game).is_ok_and(|game| game.has_messages()) {
        let known = game_catalogue::games().iter().filter(|game| game.has_messages());
        let known = or_list(known.map(|game| game.name()));
        return Err(Failure::misuse(
            format!("the game {} has no messages: expected a league of {known}", league.game),
            "`--events` writes the events of any game",
        ));
    }
    // In process a match takes the same course every time. Where no replay was kept, its programs are needed for that.
    let plays_again = league.executor == ExecutorKind::InProcess && !league.keeps_replays;
    let plays = &if plays_again {
        begin::again(&store, (&origin, &league), &league.strategies(), exporting.trust.trust, plays)?
    } else {
        plays.clone()
    };
    check_apart(&[
        ("--events", tables.events.as_deref()),
        ("--messages", tables.messages.as_deref()),
        ("--claims", tables.claims.as_deref()),
    ])?;
    let mut events = Output::create(tables.events.as_deref(), EVENTS)?;
    let mut messages = Output::create(tables.messages.as_deref(), MESSAGES)?;
    let mut claims = Output::create(tables.claims.as_deref(), CLAIMS)?;
    let mut ids = Vec::new();
    store.for_each(last, |stored, _| {
        ids.push(stored.number);
        Ok::<(), StoreError>(())
    })?;
    let (mut exported, mut without) = (0, 0);
    for number in ids {
        let Some(stored) = store.find(number)?.filter(|stored| league.can_have(&stored.id)) else { continue };
        let replay = match store.replay(number)? {
            Some(replay) => replay,
            // A match that has no game, or was over the network, cannot be played again.
            None if league.executor != ExecutorKind::InProcess || !stored.has_game() => {
                without += 1;
                continue;
            }
            None => replay::again(&league, &stored, plays)?,
        };
        let game = Game { league: &league, number, id: &stored.id, replay: &replay };
        let failed = |error: ExportError| {
            Failure::undone(
                format!("cannot export match {number} ({}): {error}", stored.id),
                "free disk space; if the replay is invalid, use the program that played it",
            )
        };
        if tables.events.is_some() {
            game.events(&mut events).map_err(failed)?;
        }
        if has_messages {
            game.messages(&mut messages, &mut claims).map_err(failed)?;
        }
        exported += 1;
    }
    for output in [events, messages, claims] {
        text += &output.finish()?;
    }
    text += &format!("{} exported\n", text::matches(exported));
    if without > 0 {
        text += &format!("{} without a replay left out\n", text::matches(without));
    }
    print(&text)
}

/// Writes the result files of the matches of a league up to the number `last` into a new folder, and says how many
/// there are.
fn write_folder(
    game: &str,
    folder: &Path,
    (league, last): (&League, u64),
    store: &Store,
) -> Result<String, Failure> {
    let known = RESULT_FOLDERS.iter().find(|known| known.game == game && league.game == game);
    let known = known.ok_or_else(|| {
        let why = format!("the league is of {}: expected a league of {game}", league.game);
        Failure::misuse(why, "`--events` writes the events of any game")
    })?;
    let ResultFiles { files, left_out } = known.files(league, store, last)?;
    let hint = "choose another folder";
    let is_empty = fs::create_dir_all(folder).and_then(|()| Ok(fs::read_dir(folder)?.next().is_none()));
    if !is_empty.map_err(|error| Failure::unwritable(folder, &error, hint))? {
        let why = format!("the folder {} is not empty: expected a new folder for the results", shown(folder));
        return Err(Failure::misuse(why, "choose another one"));
    }
    for (name, content) in &files {
        write_file_in_folder(&folder.join(name), content, hint)?;
    }
    let mut text = format!("{}: {}\n", shown(folder), text::counted(files.len() as u64, "file", "files"));
    if left_out > 0 {
        text += &format!("{} without a winner left out\n", text::matches(left_out));
    }
    Ok(text)
}

/// A table that is written, or dropped if it was not asked for.
struct Output {
    file: Option<(PathBuf, BufWriter<WholeFile>)>,
    rows: u64,
}

impl Output {
    fn create(path: Option<&Path>, head: &str) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self { file: None, rows: 0 }) };
        let file = WholeFile::create(path).map(BufWriter::new).and_then(|mut file| {
            file.write_all(head.as_bytes())?;
            Ok(file)
        });
        let file = file.map_err(|error| unwritable(path, &error))?;
        Ok(Self { file: Some((path.to_owned(), file)), rows: 0 })
    }

    /// Completes the file, and says how many rows it has.
    fn finish(self) -> Result<String, Failure> {
        let Some((path, file)) = self.file else { return Ok(String::new()) };
        let finished = file.into_inner().map_err(io::IntoInnerError::into_error).and_then(WholeFile::finish);
        finished.map_err(|error| unwritable(&path, &error))?;
        Ok(format!("{}: {}\n", shown(&path), text::counted(self.rows, "row", "rows")))
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::unwritable(path, error, "choose another file")
}

/// Counts lines.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some((_, file)) = &mut self.file else { return Ok(bytes.len()) };
        let length = file.write(bytes)?;
        self.rows += bytes[..length].iter().filter(|byte| **byte == b'\n').count() as u64;
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), |(_, file)| file.flush())
    }
}
