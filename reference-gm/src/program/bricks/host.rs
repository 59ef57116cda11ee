//! Plays duels and tournaments, and prints what came of them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use child_process::host::{HostLimits, Measurement};
use child_process::{Command, Ended, Guard, Isolation};
use game_bricks::State;
use game_env::replay::{Header, Player};
use game_env::text::counted;
use game_env::text::escape_hidden;
use game_env::{Environment as _, Measured as _, Millis, Seed, TeamId};
use jiff::Timestamp;
use reference_gm::bricks::config::{BricksConfig, Confine};
use reference_gm::bricks::doubt::{MOST_ATTEMPTS, doubt, settle};
use reference_gm::bricks::duel::{self, Played};
use reference_gm::bricks::entrants::{Entrant, Players};
use reference_gm::bricks::faults::faults;
use reference_gm::bricks::program::command;
use reference_gm::bricks::results::{Duel, Results, ResultsError, message, table};
use reference_gm::bricks::scoreboard::scoreboard;
use reference_gm::bricks::standings::schedule;
use reference_gm::recorder::Recorder;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use viewer::matches::Opening;
use wire::bricks::{Line, Reason};

use super::options::{BricksMisuse, Options};
use super::session::{Session, Steering};
use crate::program::project::hosting::drawn_seed;
use crate::program::{complain, print};

/// The system's number (`ENOENT`) for a program, or an interpreter of a script, that does not exist.
const NO_SUCH_FILE: i32 = 2;

/// The players, the configuration and the processes of all duels of a contest.
pub(super) struct Host {
    config: BricksConfig,
    seed: Seed,
    pub(super) players: Players,
    commands: Vec<Command>,
    isolation: Option<Isolation>,
    guard: Guard,
    start: State,
    /// Each hint is printed once: all players of a tournament may need the same one.
    hints: RefCell<BTreeSet<&'static str>>,
}

impl Host {
    pub(super) fn new(config: BricksConfig, players: Players) -> Result<Self> {
        for fault in &players.left_out {
            complain(&format!("left out: {fault}"));
        }
        let entrants = &players.entrants;
        let rules = &config.programs;
        let guard = Guard::of_this_program().context("this program does not know its own path")?;
        let folders = entrants.iter().map(|one| one.folder.as_path());
        let folders = folders.chain(rules.may_read.iter().map(Path::new));
        let (isolation, warning) = duel::isolation(rules.confine, &guard, folders).map_err(|error| {
            let weaker =
                if rules.confine == Confine::Namespaces { "confine=always" } else { "confine=never" };
            BricksMisuse(format!("{error}\nhint: `--set {weaker}` plays without"))
        })?;
        if let Some(warning) = warning {
            complain(&format!("warning: {warning}"));
        }
        let commands = entrants.iter().map(|one| command(one, rules, isolation)).collect();
        let seed = config.seed.unwrap_or_else(|| drawn_seed(Timestamp::now()));
        let start = State::new(&config.game, seed);
        let hints = RefCell::default();
        Ok(Self { config, seed, players, commands, isolation, guard, start, hints })
    }

    fn entrants(&self) -> &[Entrant] {
        &self.players.entrants
    }

    /// Plays a duel of these players, under this title on the page: again if a player has lost it by its time while this
    /// machine was too slow.
    async fn play(
        &self,
        title: &str,
        players: [usize; 2],
        steering: &mut Steering,
        replay: Option<&Path>,
    ) -> Result<(Option<Duel>, Played, Option<PathBuf>)> {
        let attempt = async |attempt| {
            let title = if attempt > 1 { format!("{title}, attempt {attempt}") } else { title.to_owned() };
            let recorder = replay.map(Recorder::create).transpose()?.unwrap_or_default();
            let measurement = self.config.checks_host.then(|| Measurement::begin(&HostLimits::default()));
            let played = self.play_once(title, players, steering, recorder).await?;
            let load = measurement.map(Measurement::end);
            let doubt = load.and_then(|load| doubt(&played.1.verdict.reason, &load));
            if let Some(doubt) = &doubt {
                let what = match attempt {
                    MOST_ATTEMPTS => "the result counts nevertheless",
                    _ => "the duel is played again",
                };
                complain(&format!("warning: {doubt}, and a player lost by its time: {what}"));
                self.hint(
                    "play on a machine without other work; `--set checkHost=false` plays no duel again",
                );
            }
            Ok::<_, anyhow::Error>((played, doubt))
        };
        let ((duel, played, replay), check) = settle(attempt).await?;
        Ok((duel.map(|duel| Duel { check, ..duel }), played, replay))
    }

    fn hint(&self, hint: &'static str) {
        if self.hints.borrow_mut().insert(hint) {
            complain(&format!("hint: {hint}"));
        }
    }

    async fn play_once(
        &self,
        title: String,
        players: [usize; 2],
        steering: &mut Steering,
        mut recorder: Recorder,
    ) -> Result<(Option<Duel>, Played, Option<PathBuf>)> {
        let player =
            |place: u8| Player::new(TeamId::new(place), &self.entrants()[players[usize::from(place)]].nick);
        let game = &self.config.game;
        let header = Header::new::<State>(game, self.seed, (0..2).map(player).collect(), &self.program());
        recorder.begin(&header)?;
        let mut meter = self.start.meter();
        let commands = players.map(|player| self.commands[player].clone());
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
            &commands,
            &mut steering.gate,
            &mut steering.stop,
            &mut witness,
        );
        let played = played.await?;
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
        let duel = Duel::new(players, &self.start, &played, &meter);
        Ok((duel, played, recorder.finish()?))
    }

    pub(super) fn duel(&self, replay: Option<&Path>, options: &Options) -> Result<ExitCode> {
        // A file that cannot be written is found before anybody starts.
        replay.map(Recorder::create).transpose()?;
        let place = options.place()?;
        runtime()?.block_on(async {
            let mut session = Session::open(place)?;
            session.check(self.config.mode)?;
            complain(&self.about());
            let duel = async |mut steering: Steering| {
                let played = self.play("Duel", [0, 1], &mut steering, replay).await?;
                if let (Some(duel), Some(matches)) = (&played.0, &steering.matches) {
                    matches.faults(faults("Faults".to_owned(), std::slice::from_ref(duel), self.entrants()));
                }
                Ok::<_, anyhow::Error>(played)
            };
            let (outcome, goes_on) = session.conduct(self.config.mode, None, duel).await;
            let (duel, played, replay) = outcome?;
            if let Some(path) = &replay {
                complain(&format!("the replay is {}", path.display()));
            }
            for (place, ended) in played.programs.iter().enumerate() {
                self.tell_errors(place, ended.as_ref());
            }
            let Some(duel) = duel else {
                complain("the duel was stopped: nobody has won");
                session.finish(goes_on, options.stay).await;
                return Ok(ExitCode::FAILURE);
            };
            print(&if options.json { self.document(&duel) } else { self.text(&duel, &played) })?;
            session.finish(goes_on, options.stay).await;
            Ok(ExitCode::SUCCESS)
        })
    }

    pub(super) fn tournament(&self, folder: &Path, options: &Options) -> Result<ExitCode> {
        let mut results = self.results(folder)?;
        let duels: Vec<[usize; 2]> = schedule(self.entrants().len()).collect();
        let place = options.place()?;
        runtime()?.block_on(async {
            let mut session = Session::open(place)?;
            session.check(self.config.mode)?;
            let contest = async |mut steering: Steering| {
                self.play_all(&duels, None, folder, &mut results, &mut steering).await
            };
            let (is_complete, goes_on) = session.conduct(self.config.mode, None, contest).await;
            let is_complete = is_complete?;
            let text = || table(&results.standings(), self.entrants());
            print(&if options.json { format!("{:#}\n", results.document()) } else { text() })?;
            session.finish(goes_on, options.stay).await;
            Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        })
    }

    /// Creates the folder for the results.
    pub(super) fn results(&self, folder: &Path) -> Result<Results> {
        let results = Results::create(folder, &self.players, &self.config, self.seed, &self.program());
        results.map_err(|error| match error {
            error @ ResultsError::NotEmpty(_) => {
                BricksMisuse(format!("{error}\nhint: choose another one with --results")).into()
            }
            error => anyhow!(error),
        })
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

    /// Plays these duels, and writes their results to this folder; whether they were not stopped. `contest` is its number
    /// on the page, if there may be several.
    pub(super) async fn play_all(
        &self,
        duels: &[[usize; 2]],
        contest: Option<usize>,
        folder: &Path,
        results: &mut Results,
        steering: &mut Steering,
    ) -> Result<bool> {
        let (players, count) = (self.entrants().len(), duels.len());
        let duels_text = counted(count as u64, "duel", "duels");
        complain(&format!("{}; {players} players, {duels_text}", self.about()));
        let mut is_complete = true;
        self.show_tables(steering, contest, results, count);
        for (place, players) in duels.iter().enumerate() {
            let number = place + 1;
            let title = match contest {
                Some(contest) => format!("Contest {contest}, duel {number}"),
                None => format!("Duel {number}"),
            };
            let replay = results.next_replay();
            let (duel, ..) = self.play(&title, *players, steering, Some(&replay)).await?;
            let Some(duel) = duel else {
                is_complete = false;
                break;
            };
            let [first, second] = players.map(|player| escape_hidden(&self.entrants()[player].nick));
            let told = escape_hidden(&message(&duel.result, self.entrants()));
            let (seconds, bricks) = (duel.took.as_secs_f64(), duel.bricks.len());
            let log = results.next_log();
            complain(&format!(
                "{number} of {count}, {log}: {first} – {second}: {told} ({bricks} bricks, {seconds:.1} s)"
            ));
            results.add(duel)?;
            self.show_tables(steering, contest, results, count);
        }
        results.finish()?;
        complain(&format!("the results are in {}", folder.display()));
        if !is_complete {
            complain(&format!("stopped after {} of {count} duels", results.duels().len()));
        }
        Ok(is_complete)
    }

    /// Shows the faults and the standings so far on the page; no standings if there is but one duel to play.
    fn show_tables(&self, steering: &Steering, contest: Option<usize>, results: &Results, count: usize) {
        let Some(matches) = &steering.matches else { return };
        let title = |name: &str| match contest {
            Some(contest) => format!("{name} of contest {contest}"),
            None => name.to_owned(),
        };
        let (duels, entrants) = (results.duels(), self.entrants());
        matches.faults(faults(title("Faults"), duels, entrants));
        let standings =
            || scoreboard(title("Standings"), &results.standings(), &self.players, duels.len(), count);
        matches.standings((count > 1).then(standings));
    }

    /// The board and the rules of this host, for people.
    fn about(&self) -> String {
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
            let nick = escape_hidden(&self.entrants()[place].nick);
            complain(&format!("standard error of {nick}:\n{}", ended.errors.to_string().trim_end()));
        }
    }

    /// The result of a duel for people.
    fn text(&self, duel: &Duel, played: &Played) -> String {
        let nicks = duel.result.players.map(|player| escape_hidden(&self.entrants()[player].nick));
        let mut text = String::new();
        if usize::from(self.config.game.size()) <= WIDEST_DRAWN {
            use game_env::Notation as _;
            text += &format!("{}\n", played.state.scene());
        }
        text += &format!("{}\n\n", escape_hidden(&message(&duel.result, self.entrants())));
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

    fn document(&self, duel: &Duel) -> String {
        let nick = |player: usize| &self.entrants()[player].nick;
        let [first, second] = duel.result.players.map(nick);
        let longest = duel.metrics.get("longest_move_ms").map(<[f64]>::to_vec);
        let end = |ended: &Option<Ended>| ended.as_ref().map(Ended::to_string);
        let errors = |ended: &Option<Ended>| ended.as_ref().map(|ended| ended.errors.to_string());
        let document = json!({
            "first": first,
            "second": second,
            "winner": nick(duel.result.winner()),
            "letter": duel.result.letter().to_string(),
            "message": message(&duel.result, self.entrants()),
            "line": duel.line.as_ref().and_then(Line::text),
            "seed": self.seed.to_string(),
            "opening": duel.opening,
            "bricks": duel.bricks,
            "longest_move_ms": longest,
            "seconds": duel.took.as_secs_f64(),
            "attempts": duel.check.attempts,
            "doubt": duel.check.doubt,
            "programs": duel.programs.iter().map(end).collect::<Vec<_>>(),
            "stderr": duel.programs.iter().map(errors).collect::<Vec<_>>(),
        });
        format!("{document:#}\n")
    }
}

/// The runtime of every command that plays.
pub(super) fn runtime() -> Result<Runtime> {
    // A program that floods its standard error keeps one of them busy.
    Builder::new_multi_thread().worker_threads(2).enable_all().build().context("the runtime cannot start")
}

const PROGRAM: &str = concat!("reference-gm ", env!("CARGO_PKG_VERSION"));

/// The widest board that is drawn in a terminal, in cells.
const WIDEST_DRAWN: usize = 25;
