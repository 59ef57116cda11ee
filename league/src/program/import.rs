//! `league import`: makes a league file of a folder of players.

use std::path::PathBuf;

use clap::Args;
use command_line::{Failure, drawn_seed, print, quoted_path, settings, shown, tell, write_file};
use contests::text;
use game_env::text::{escape_hidden, fit_for_a_log, or_list};
use game_env::{Parameters, parameter};

use crate::begin;
use crate::executor::Executor as _;
use crate::import::{IMPORTS, Import, ImportError, Request};
use crate::in_process::InProcess;
use crate::invocation::command;

#[derive(Args)]
pub(crate) struct Importing {
    /// The game: bricks.
    #[arg(value_name = "GAME")]
    game: String,
    /// The folder of the players; for bricks, each sub-folder holds a program and `info.txt`.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// The league file, which must be new [default: the name of the folder with `.toml`, in this folder].
    #[arg(long, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    /// Read `info.txt`, lines and bricks as the referee of this year did, with its mistakes: 2018 or 2019; Bricks only.
    #[arg(long, value_name = "YEAR")]
    compat: Option<String>,
    /// Any parameter of the game and its host, e.g. `--set size=15`; again for each.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Leave out faulty players, and say why.
    #[arg(long)]
    leave_out_faulty: bool,
}

pub(crate) fn start(importing: &Importing, plays: &InProcess) -> Result<(), Failure> {
    let import = find_import(&importing.game)?;
    let folder = &importing.folder;
    let out = match &importing.out {
        Some(out) => out.clone(),
        None => default_out(importing)?,
    };
    if out.exists() {
        return Err(Failure::misuse(
            format!("{} is there already: it is kept", shown(&out)),
            "name another file with --out",
        ));
    }
    let request = Request {
        folder,
        file: &out,
        values: values(importing, import)?,
        seed: drawn_seed()?,
        leaves_out: importing.leave_out_faulty,
    };
    let made = import.read(&request).map_err(|error| failure(&error))?;
    for fault in &made.left_out {
        tell(&format!("left out: {}", escape_hidden(fault)));
    }
    for warning in &made.warnings {
        tell(&format!("warning: {}", escape_hidden(warning)));
    }
    // A file that cannot be played is not written, e.g. one with more players than a league can have.
    let mut origin = begin::origin_of(&out, made.text.clone(), plays.program())?;
    origin.name = escape_hidden(&origin.name);
    begin::league(&origin, &out, plays)?;
    write_file(&out, &made.text, "name another file with --out")?;
    let entrants = text::counted(made.entrants as u64, "entrant", "entrants");
    let run = command(&format!("run {}", quoted_path(&out)));
    print(&format!("{}: {entrants}; `{run}` plays the league\n", shown(&out)))
}

fn find_import(game: &str) -> Result<&'static Import, Failure> {
    IMPORTS.iter().find(|import| import.game == game).ok_or_else(|| {
        let known = or_list(IMPORTS.iter().map(|import| import.game));
        Failure::misuse(
            format!("no folders of players of `{}` can be read: expected {known}", fit_for_a_log(game)),
            "write the league file of another game by hand; the book's page \"Leagues\" has every key",
        )
    })
}

/// Returns the file of the folder's name, in the current folder.
fn default_out(importing: &Importing) -> Result<PathBuf, Failure> {
    let folder = &importing.folder;
    let whole = folder.canonicalize().map_err(|error| {
        Failure::undone(
            format!("cannot read the folder {}: {error}", shown(folder)),
            "name a folder of players",
        )
    })?;
    let name = whole.file_name().ok_or_else(|| {
        Failure::misuse(format!("the folder {} has no name", shown(folder)), "name the file with --out")
    })?;
    let mut name = name.to_owned();
    name.push(".toml");
    Ok(PathBuf::from(name))
}

/// Returns the values of all flags.
fn values(importing: &Importing, import: &Import) -> Result<Parameters, Failure> {
    let table = (import.parameters)();
    let set = settings("--set", &importing.set, table, "e.g. `--set size=15`")?;
    let compat =
        importing.compat.iter().map(|text| ("compat".to_owned(), parameter::parse(table, "compat", text)));
    Ok(compat.chain(set).collect())
}

fn failure(error: &ImportError) -> Failure {
    let text = error.to_string();
    match error {
        ImportError::Parameters(_) => {
            Failure::misuse(text, "`reference-gm bricks config` lists the parameters of Bricks")
        }
        ImportError::Players(_) => {
            Failure::misuse(text, "`--leave-out-faulty` makes a league without these players")
        }
        ImportError::Folder(_) => Failure::misuse(text, "name a folder with a sub-folder for each player"),
        ImportError::Path(_) => Failure::misuse(text, "rename the folder"),
        ImportError::File { .. } => Failure::undone(text, "name another file with --out"),
    }
}
