//! Plays duels, and prints their results.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{io, mem};

use child_process::host::{HostLimits, Measurement};
use child_process::{Command, Ended, Guard, Isolation, SpawnError};
use command_line::{Failure, chain, drawn_seed, shown};
use game_bricks::State;
use game_env::replay::{Header, Player};
use game_env::text::escape_hidden;
use game_env::{Environment as _, Measured as _, Metrics, Millis, Notation as _, Seed, TeamId};
use reference_gm::PROGRAM;
use reference_gm::bricks::config::{BricksConfig, Confine};
use reference_gm::bricks::doubt::{Check, MOST_ATTEMPTS, doubt, settle};
use reference_gm::bricks::duel::{self, DuelError, Played};
use reference_gm::bricks::entrants::Entrant;
use reference_gm::bricks::faults::{Fault, Faults};
use reference_gm::bricks::program::command;
use reference_gm::bricks::report::Report;
use reference_gm::recorder::Recorder;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use viewer::matches::Opening;
use wire::bricks::{Dialect, Letter, Reason};

use super::options::Options;
use super::session::{Session, Steering};
use crate::program::{FEW_THREADS, Result, print, tell, without_replay, without_runtime};

/// The system's number (`ENOENT`) for a program, or an interpreter of a script, that does not exist.
const NO_SUCH_FILE: i32 = 2;

/// The players, the configuration and the processes of a duel.
pub(super) struct Host {
    config: BricksConfig,
    seed: Seed,
    entrants: [Entrant; 2],
    commands: [Command; 2],
    isolation: Option<Isolation>,
    guard: Guard,
    start: State,
    /// Each hint is printed once, also if the duel is played again.
    hints: RefCell<BTreeSet<&'static str>>,
}

/// A duel that somebody has won or that was stopped.
pub(super) struct Duel {
    played: Played,
    metrics: Metrics,
    check: Check,
    /// The replay, if it was asked for; an error says why it could not be written to its end.
    pub(super) replay: Result<Option<PathBuf>>,
}

impl Duel {
    /// Names the replay, or says why there is none; returns whether all that was asked for is there.
    pub(super) fn tell_replay(&self) -> bool {
        match &self.replay {
            Ok(Some(path)) => tell(&format!("the replay is {}", shown(path))),
            Ok(None) => {}
            Err(failure) => tell(&failure.to_string()),
        }
        self.replay.is_ok()
    }
}

impl Host {
    pub(super) fn new(config: BricksConfig, entrants: [Entrant; 2]) -> Result<Self> {
        let rules = &config.programs;
        let guard = Guard::of_this_program().map_err(|error| Failure::without_own_path(&error))?;
        let folders = entrants.iter().map(|one| one.folder.as_path());
        let folders = folders.chain(rules.may_read.iter().map(Path::new));
        let (isolation, warning) = duel::isolation(rules.confine, &guard, folders).map_err(|error| {
            let weaker =
                if rules.confine == Confine::Namespaces { "confine=always" } else { "confine=never" };
            Failure::misuse(error.to_string(), format!("`--set {weaker}` plays without"))
        })?;
        if let Some(warning) = warning {
            tell(&format!("warning: {warning}"));
        }
        let commands = [0, 1].map(|place: usize| command(&entrants[place], rules, isolation));
        let seed = config.seed.map_or_else(drawn_seed, Ok)?;
        let start = State::new(&config.game, seed);
        let hints = RefCell::default();
        Ok(Self { config, seed, entrants, commands, isolation, guard, start, hints })
    }

    /// Plays a duel under this title on the page: again if a player has lost it by its time while this machine was too
    /// slow. `recorder` writes the first attempt to the file `replay`, if there is one; a further attempt replaces it.
    pub(super) async fn play(
        &self,
        title: &str,
        steering: &mut Steering,
        replay: Option<&Path>,
        mut recorder: Recorder,
    ) -> Result<Duel> {
        let attempt = async |attempt| {
            let title = if attempt > 1 { format!("{title}, attempt {attempt}") } else { title.to_owned() };
            let recorder = if attempt > 1 { recorder_of(replay)? } else { mem::take(&mut recorder) };
            let limits = HostLimits::default();
            let measurement = self.config.checks_host.then(|| Measurement::begin(&limits));
            let played = self.play_once(title, steering, recorder).await?;
            let load = measurement.map(Measurement::end);
            let doubt = load.and_then(|load| doubt(&played.0.verdict.reason, &load, &limits));
            if let Some(doubt) = &doubt {
                let what = match attempt {
                    MOST_ATTEMPTS => "the result counts nevertheless",
                    _ => "the duel is played again",
                };
                tell(&format!("warning: {doubt}, and a player lost by its time: {what}"));
                self.hint(
                    "play on a machine without other work; `--set checkHost=false` plays no duel again",
                );
            }
            Ok::<_, Failure>((played, doubt))
        };
        let ((played, metrics, replay), check) = settle(attempt).await?;
        Ok(Duel { played, metrics, check, replay })
    }

    fn hint(&self, hint: &'static str) {
        if self.hints.borrow_mut().insert(hint) {
            tell(&format!("hint: {hint}"));
        }
    }

    async fn play_once(
        &self,
        title: String,
        steering: &mut Steering,
        mut recorder: Recorder,
    ) -> Result<(Played, Metrics, Result<Option<PathBuf>>)> {
        let player = |place: u8| Player::new(TeamId::new(place), &self.entrants[usize::from(place)].nick);
        let game = &self.config.game;
        let header = Header::new::<State>(game, self.seed, (0..2).map(player).collect(), &self.program());
        recorder.begin(&header).map_err(|error| without_replay(&error))?;
        let mut meter = self.start.meter();
        let live = steering.matches.as_ref().map(|matches| {
            matches.open(Opening {
                title,
                config: game.clone(),
                seed: self.seed,
                players: (0..2).map(player).collect(),
                people: Vec::new(),
            })
        });
        let mut witness = (&mut recorder, &mut meter, live);
        let played = duel::play(
            &self.guard,
            self.config.settings,
            self.start.clone(),
            &self.commands,
            &mut steering.gate,
            &mut steering.stop,
            &mut witness,
        );
        let played = played.await.map_err(|error| {
            let hint = match error {
                DuelError::Guard(SpawnError::Guard { .. }) => FEW_THREADS,
                DuelError::Guard(_) => "check the folders of the players, and their commands in `info.txt`",
                DuelError::Board(_) => "choose another `--dialect`, or a board without filled cells",
            };
            Failure::undone(chain(&error), hint)
        })?;
        if played.programs.iter().all(Option::is_none) {
            // Nothing was started: the witness has not heard of the end.
            game_env::Witness::end(&mut witness, &played.state, played.state.clock());
        }
        if let Reason::CannotStart(why) = &played.verdict.reason {
            // The reason ends with the error of the system.
            if why.ends_with(&io::Error::from_raw_os_error(NO_SUCH_FILE).to_string()) {
                self.hint(
                    "the command in info.txt names a program in the player's folder or one of the system; the first \
                     line of a script names its interpreter",
                );
            } else if self.isolation.is_some() {
                self.hint(
                    "players' programs can read nothing but their own folders and the system's programs; \
                     `--set mayRead=PATH` adds a path, `--set confine=never` lets them read everything",
                );
            }
        }
        let metrics = played.state.metrics(&meter);
        let replay = recorder.finish().map_err(|error| without_replay(&error));
        Ok((played, metrics, replay))
    }

    pub(super) fn duel(&self, replay: Option<&Path>, options: &Options) -> Result<ExitCode> {
        // A file that cannot be written is found before anybody starts.
        let recorder = recorder_of(replay)?;
        let place = options.place()?;
        runtime()?.block_on(async {
            let mut session = Session::open(place)?;
            session.check(self.config.mode)?;
            tell(&self.about());
            let duel = async |mut steering: Steering| {
                let duel = self.play("Duel", &mut steering, replay, recorder).await?;
                if let Some(matches) = &steering.matches {
                    let mut faults = Faults::default();
                    faults.extend(self.fault(1, &duel));
                    matches.faults(faults.table());
                }
                Ok::<_, Failure>(duel)
            };
            let (outcome, goes_on) = session.conduct(self.config.mode, None, duel).await;
            let duel = outcome?;
            let is_recorded = duel.tell_replay();
            for (place, ended) in duel.played.programs.iter().enumerate() {
                self.tell_errors(place, ended.as_ref());
            }
            let Some(report) = Report::of(&duel.played.verdict) else {
                tell(STOPPED);
                session.finish(goes_on, options.stay).await;
                return Ok(ExitCode::FAILURE);
            };
            print(&if options.json { self.document(&duel, &report) } else { self.text(&duel, &report) })?;
            session.finish(goes_on, options.stay).await;
            Ok(ExitCode::from(u8::from(!is_recorded)))
        })
    }

    fn nicks(&self) -> [&str; 2] {
        [0, 1].map(|place: usize| self.entrants[place].nick.as_str())
    }

    /// Returns the fault that ended the duel of this number, if one did.
    pub(super) fn fault(&self, number: u64, duel: &Duel) -> Option<Fault> {
        Fault::find(number, &duel.played, self.nicks())
    }

    /// Returns the names of the winner and the loser.
    fn winner_and_loser(&self, duel: &Duel) -> [&str; 2] {
        let [first, second] = self.nicks();
        match duel.played.verdict.outcome.winner() {
            Some(winner) if winner.index() == 1 => [second, first],
            _ => [first, second],
        }
    }

    /// Returns the result of a duel on one line.
    pub(super) fn line(&self, duel: &Duel) -> String {
        let Some(report) = Report::of(&duel.played.verdict) else { return STOPPED.to_owned() };
        let [first, second] = self.nicks().map(escape_hidden);
        let [winner, loser] = self.winner_and_loser(duel);
        let (seconds, bricks) = (duel.played.took.as_secs_f64(), duel.played.state.bricks().len());
        let told = escape_hidden(&report.message(winner, loser));
        format!("{first} – {second}: {told} ({bricks} bricks, {seconds:.1} s)")
    }

    /// This program, as replays and results name it, and how it confines programs if not by all means.
    fn program(&self) -> String {
        match self.isolation {
            None if self.config.programs.confine == Confine::Never => PROGRAM.to_owned(),
            None => format!("{PROGRAM}, players not confined"),
            Some(Isolation::Filters) => format!("{PROGRAM}, players confined without namespaces"),
            Some(Isolation::Namespaces) => PROGRAM.to_owned(),
        }
    }

    /// Returns the board and the rules of this host, for people.
    pub(super) fn about(&self) -> String {
        let (game, start) = (&self.config.game, &self.start);
        let size = game.size();
        let cells = usize::from(size) * usize::from(size);
        let filled = match cells - start.board().free_cells().count() {
            0 => String::new(),
            1 => ", 1 cell filled".to_owned(),
            count => format!(", {count} cells filled"),
        };
        let torus = if game.is_torus() { " torus" } else { "" };
        let limit = game.limit().map_or("no limit".to_owned(), |limit: Millis| limit.to_string());
        let (seed, dialect) = (self.seed, self.config.settings.dialect);
        format!("{size}×{size}{torus} cells{filled}, {limit} a move, dialect {dialect}, seed {seed}")
    }

    fn tell_errors(&self, place: usize, ended: Option<&Ended>) {
        if let Some(ended) = ended.filter(|ended| !ended.errors.is_empty()) {
            let nick = escape_hidden(self.nicks()[place]);
            tell(&format!("standard error of {nick}:\n{}", ended.errors.to_string().trim_end()));
        }
    }

    /// Returns the result of a duel for people.
    fn text(&self, duel: &Duel, report: &Report) -> String {
        let nicks = self.nicks().map(escape_hidden);
        let mut text = String::new();
        if usize::from(self.config.game.size()) <= WIDEST_DRAWN {
            text += &format!("{}\n", duel.played.state.scene());
        }
        let [winner, loser] = self.winner_and_loser(duel);
        text += &format!("{}\n", escape_hidden(&report.message(winner, loser)));
        // The original's message about a fault does not name the winner.
        if report.letter != Letter::Normal {
            text += &format!("Player {} has won\n", escape_hidden(winner));
        }
        text.push('\n');
        let width = nicks.iter().map(|nick| nick.chars().count()).max().unwrap_or_default().max(6);
        text += &format!("{:<width$}  bricks  longest move\n", "player");
        let metric =
            |name: &str, player: usize| duel.metrics.get(name).and_then(|values| values.get(player)).copied();
        for (place, nick) in nicks.iter().enumerate() {
            let [bricks, longest] =
                ["bricks", "longest_move_ms"].map(|name| metric(name, place).unwrap_or_default());
            text += &format!("{nick:<width$}  {bricks:>6}  {longest:>9} ms\n");
        }
        text
    }

    fn document(&self, duel: &Duel, report: &Report) -> String {
        let [first, second] = self.nicks();
        let [winner, loser] = self.winner_and_loser(duel);
        let played = &duel.played;
        let opening = Dialect::Year2018.opening(self.start.board()).map(|mut steps| steps.remove(0).line);
        let bricks: Vec<String> = played.state.bricks().iter().map(ToString::to_string).collect();
        let longest = duel.metrics.get("longest_move_ms").map(<[f64]>::to_vec);
        let end = |ended: &Option<Ended>| ended.as_ref().map(Ended::to_string);
        let errors = |ended: &Option<Ended>| ended.as_ref().map(|ended| ended.errors.to_string());
        let document = json!({
            "first": first,
            "second": second,
            "winner": winner,
            "letter": report.letter.to_string(),
            "message": report.message(winner, loser),
            "line": report.line,
            "seed": self.seed.to_string(),
            "opening": opening.unwrap_or_default(),
            "bricks": bricks,
            "longest_move_ms": longest,
            "seconds": played.took.as_secs_f64(),
            "attempts": duel.check.attempts,
            "doubt": duel.check.doubt,
            "programs": played.programs.iter().map(end).collect::<Vec<_>>(),
            "stderr": played.programs.iter().map(errors).collect::<Vec<_>>(),
        });
        format!("{document:#}\n")
    }
}

/// Returns the runtime of every command that plays.
pub(super) fn runtime() -> Result<Runtime> {
    // A program that floods its standard error keeps one of them busy.
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(|error| without_runtime(&error))
}

/// Returns the recorder of a duel, which writes to this file if there is one.
fn recorder_of(replay: Option<&Path>) -> Result<Recorder> {
    let recorder = replay.map(Recorder::create).transpose();
    Ok(recorder.map_err(|error| without_replay(&error))?.unwrap_or_default())
}

/// The line about a duel without a winner.
const STOPPED: &str = "the duel was stopped: nobody has won";

/// The widest board that is drawn in a terminal, in cells.
const WIDEST_DRAWN: usize = 25;
