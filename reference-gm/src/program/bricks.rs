//! `reference-gm bricks`: duels and tournaments of Bricks between programs of players.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use child_process::{Command, Ended, Guard};
use clap::{Args, Subcommand};
use game_bricks::State;
use game_env::configuration;
use game_env::notation::escape_hidden;
use game_env::parameter;
use game_env::replay::{Header, Player};
use game_env::{Environment as _, Measured as _, Millis, Parameters, Seed, TeamId, Value};
use jiff::Timestamp;
use reference_gm::bricks::config::{BricksConfig, Mode, parameters};
use reference_gm::bricks::duel::{self, Gate, Played};
use reference_gm::bricks::entrants::{Entrant, EntrantsError, same_nick};
use reference_gm::bricks::program::command;
use reference_gm::bricks::results::{Duel, Results, message, table};
use reference_gm::bricks::standings::schedule;
use reference_gm::config::Origin;
use reference_gm::keyboard::Keyboard;
use reference_gm::link::{Command as Key, Order};
use reference_gm::recorder::Recorder;
use reference_gm::signals;
use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, watch};
use viewer::matches::{Matches, Opening};
use viewer::server::{Place, ServerLimits, ViewerServer};
use wire::bricks::Reason;

use super::arguments::OWN_MACHINE;
use super::hosting::drawn_seed;
use super::{complain, print, take_place};

#[derive(Subcommand)]
pub(crate) enum BricksTask {
    /// Let two programs play one game.
    #[command(after_help = CODES)]
    Duel {
        /// The folder of the player who begins: its program, and `info.txt` with the command and the player's name.
        first: PathBuf,
        /// The folder of the other player.
        second: PathBuf,
        /// The file for the replay.
        #[arg(long, value_name = "FILE")]
        replay: Option<PathBuf>,
        #[command(flatten)]
        options: Options,
    },
    /// Let each player of a folder play each other twice, once as the first, on the same board.
    #[command(after_help = CODES)]
    Tournament {
        /// The players' folder: a sub-folder for each player.
        players: PathBuf,
        /// A new folder for the results.
        #[arg(long, value_name = "FOLDER", default_value = "bricks.results")]
        results: PathBuf,
        #[command(flatten)]
        options: Options,
    },
    /// Print the parameters in force, and where each value comes from.
    Config {
        #[command(flatten)]
        options: Options,
    },
}

const CODES: &str = "`reference-gm bricks config` lists all parameters for --set and --config.\n\
                     Exit codes: 0 everything was played; 1 something could not be played, or it was stopped; \
                     2 faulty flags, configuration or players' folders";

/// What every one of these commands takes.
#[derive(Args)]
pub(crate) struct Options {
    /// Cells of a side of the board: an odd number from 3 to 999 [default: 11].
    #[arg(long, value_name = "NUMBER")]
    size: Option<String>,
    /// The number of cells that are filled at random.
    #[arg(long, value_name = "NUMBER")]
    filled: Option<String>,
    /// Cells that are filled, e.g. 2x3_4x5: columns and rows from 0 at the top left.
    #[arg(long, value_name = "CELLS")]
    filled_cells: Option<String>,
    /// What draws the filled cells [default: drawn].
    #[arg(long, value_name = "NUMBER")]
    seed: Option<String>,
    /// How referee and players write: 2017, 2018 or 2019 [default: 2018].
    #[arg(long, value_name = "YEAR")]
    dialect: Option<String>,
    /// Take lines and bricks as the referee of this year took them, with its mistakes: 2018.
    #[arg(long, value_name = "YEAR")]
    compat: Option<String>,
    /// What starts the next move: auto, or hand for Enter or the space bar [default: auto].
    #[arg(long, value_name = "MODE")]
    mode: Option<String>,
    /// The shortest time from one move to the next, in milliseconds, to watch.
    #[arg(long, value_name = "MS")]
    pace: Option<String>,
    /// Any parameter, e.g. `--set moveLimitMs=1000`; again for each.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// A JSON file of parameters; flags go before it.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// The address of a page on which the duels are watched; port 0 for any free one. Without a keyboard there is no page
    /// unless this is given.
    #[arg(long, value_name = "ADDR:PORT")]
    page: Option<String>,
    /// Serve no page.
    #[arg(long, conflicts_with = "page")]
    no_page: bool,
    /// Keep the page until a signal comes, as with a keyboard.
    #[arg(long)]
    stay: bool,
    /// Print the result as JSON on standard output, and everything else on standard error.
    #[arg(long)]
    json: bool,
}

/// A flag, a configuration or a players' folder that makes no sense.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BricksMisuse(String);

impl Options {
    /// Where the page is to be, if there is to be one.
    fn place(&self) -> Result<Option<Place>> {
        let address =
            self.page.as_deref().or((!self.no_page && Keyboard::is_at_hand()).then_some(OWN_MACHINE));
        address.map(take_place).transpose()
    }

    fn load(&self) -> Result<BricksConfig> {
        let mut flags = Parameters::new();
        let named = [
            ("size", &self.size),
            ("filled", &self.filled),
            ("filledCells", &self.filled_cells),
            ("seed", &self.seed),
            ("dialect", &self.dialect),
            ("compat", &self.compat),
            ("mode", &self.mode),
            ("paceMs", &self.pace),
        ];
        for (name, text) in named {
            if let Some(text) = text {
                flags.push(name, value(name, text));
            }
        }
        for pair in &self.set {
            let (name, text) = pair.split_once('=').ok_or_else(|| {
                let pair = escape_hidden(pair);
                BricksMisuse(format!(
                    "invalid --set `{pair}`: expected NAME=VALUE\nhint: e.g. `--set moveLimitMs=1000`"
                ))
            })?;
            flags.push(name, value(name, text));
        }
        let file = self.config.as_deref().map(read_file).transpose()?.unwrap_or_default();
        let hint = "hint: `reference-gm bricks config` lists all parameters";
        let config = BricksConfig::layered(file, flags);
        Ok(config
            .map_err(|error| BricksMisuse(format!("the configuration cannot be used\n{error}\n{hint}")))?)
    }
}

fn value(name: &str, text: &str) -> Value {
    parameter::find(parameters(), name).map_or_else(|| Value::guess(text), |known| known.parse(text))
}

fn read_file(path: &Path) -> Result<Parameters> {
    let faulty = |why: String| BricksMisuse(format!("cannot read {}: {why}", path.display()));
    let file = File::open(path).map_err(|error| faulty(error.to_string()))?;
    let content = configuration::read(file).map_err(|error| faulty(error.to_string()))?;
    if let Some((key, _)) = content.repeated().next() {
        return Err(faulty(format!("`{key}` is there twice: expected every key once")).into());
    }
    content.notice(&path.display().to_string()).iter().for_each(|notice| complain(notice));
    Ok(content.parameters().map_err(|error| faulty(error.to_string()))?)
}

pub(crate) fn run(task: &BricksTask) -> Result<ExitCode> {
    match task {
        BricksTask::Config { options } => show(&options.load()?),
        BricksTask::Duel { first, second, replay, options } => {
            let config = options.load()?;
            let entrants = [first, second].map(|folder| Entrant::read(folder));
            let faults: Vec<String> = entrants.iter().filter_map(|one| one.clone().err()).collect();
            let [Ok(first), Ok(second)] = entrants else {
                return Err(BricksMisuse(faults.join("\n")).into());
            };
            if first.nick == second.nick {
                return Err(BricksMisuse(same_nick(&first, &second)).into());
            }
            Host::new(config, vec![first, second])?.duel(replay.as_deref(), options)
        }
        BricksTask::Tournament { players, results, options } => {
            let config = options.load()?;
            let entrants = Entrant::read_all(players).map_err(|error| match error {
                EntrantsError::Folder { .. } => anyhow!(error),
                error => BricksMisuse(error.to_string()).into(),
            })?;
            Host::new(config, entrants)?.tournament(results, options)
        }
    }
}

fn show(config: &BricksConfig) -> Result<ExitCode> {
    let lines = config.origins.iter().zip(parameters());
    let shown = |origin: &Origin| match origin {
        Origin::Dialect => "dialect".to_owned(),
        origin => origin.to_string(),
    };
    let rows: Vec<[String; 4]> = lines
        .map(|((name, value, origin), known)| {
            [name.clone(), value.to_string(), shown(origin), known.description()]
        })
        .collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let (a, b, c) = (width(0), width(1), width(2));
    let line = |[name, value, origin, meaning]: &[String; 4]| {
        format!("{name:<a$}  {value:<b$}  {origin:<c$}  {meaning}\n")
    };
    print(&rows.iter().map(line).collect::<String>())?;
    Ok(ExitCode::SUCCESS)
}

/// All that duels are played with.
struct Host {
    config: BricksConfig,
    seed: Seed,
    entrants: Vec<Entrant>,
    commands: Vec<Command>,
    is_confined: bool,
    guard: Guard,
    start: State,
}

/// What is open while duels are played.
struct Session {
    gate: Gate,
    stop: watch::Receiver<bool>,
    keyboard: Option<Keyboard>,
    page: Option<(ViewerServer, Matches<State>)>,
}

impl Session {
    /// Keeps the page for those who look at it, until somebody ends the program.
    async fn finish(mut self, stays: bool) {
        let Some((page, _)) = self.page else { return };
        if stays || self.keyboard.is_some() {
            let how = if self.keyboard.is_some() { "q stops" } else { "a signal stops" };
            complain(&format!("the page stays: {}, {how}", page.url()));
            let _ = self.stop.wait_for(|stop| *stop).await;
        }
        page.close("the referee has ended");
    }
}

impl Host {
    fn new(config: BricksConfig, entrants: Vec<Entrant>) -> Result<Self> {
        let rules = &config.programs;
        let (is_confined, why_not) = duel::is_confined(rules.confine)
            .map_err(|error| BricksMisuse(format!("{error}\nhint: `--set confine=never` plays without")))?;
        if let Some(why) = why_not {
            complain(&format!("warning: players' programs can read and write all that you can: {why}"));
        }
        let commands = entrants.iter().map(|one| command(one, rules, is_confined)).collect();
        let guard = Guard::of_this_program().context("this program does not know its own path")?;
        let seed = config.seed.unwrap_or_else(|| drawn_seed(Timestamp::now()));
        let start = State::new(&config.game, seed);
        Ok(Self { config, seed, entrants, commands, is_confined, guard, start })
    }

    fn runtime() -> Result<Runtime> {
        // A program that floods its standard error keeps one of them busy.
        Builder::new_multi_thread().worker_threads(2).enable_all().build().context("the runtime cannot start")
    }

    /// Plays one duel of these players, with this number on the page.
    async fn play(
        &self,
        number: usize,
        players: [usize; 2],
        session: &mut Session,
        mut recorder: Recorder,
    ) -> Result<(Option<Duel>, Played, Option<PathBuf>)> {
        let player =
            |place: u8| Player::new(TeamId::new(place), &self.entrants[players[usize::from(place)]].nick);
        let game = &self.config.game;
        let header = Header::new::<State>(game, self.seed, (0..2).map(player).collect(), PROGRAM);
        recorder.begin(&header)?;
        let mut meter = self.start.meter();
        let commands = players.map(|player| self.commands[player].clone());
        let live = session.page.as_ref().map(|(_, matches)| {
            matches.open(Opening {
                title: format!("Duel {number}"),
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
            &mut session.gate,
            &mut session.stop,
            &mut witness,
        );
        let played = played.await?;
        if played.programs.iter().all(Option::is_none) {
            // Nothing was started: the witness has not heard of the end.
            game_env::Witness::end(&mut witness, &played.state, played.state.clock());
        }
        if let Reason::CannotStart(_) = played.verdict.reason
            && self.is_confined
        {
            complain(
                "hint: players' programs can read nothing but their own folders and the system's programs; \
                 `--set mayRead=PATH` adds a path, `--set confine=never` lets them read everything",
            );
        }
        let duel = Duel::new(players, &self.start, &played, &meter);
        Ok((duel, played, recorder.finish()?))
    }

    fn duel(&self, replay: Option<&Path>, options: &Options) -> Result<ExitCode> {
        let recorder = replay.map(Recorder::create).transpose()?.unwrap_or_default();
        let place = options.place()?;
        Self::runtime()?.block_on(async {
            let mut session = self.session(place)?;
            complain(&self.about());
            let (duel, played, replay) = self.play(1, [0, 1], &mut session, recorder).await?;
            if let Some(path) = &replay {
                complain(&format!("the replay is {}", path.display()));
            }
            for (place, ended) in played.programs.iter().enumerate() {
                self.tell_errors(place, ended.as_ref());
            }
            let Some(duel) = duel else {
                complain("the duel was stopped: nobody has won");
                return Ok(ExitCode::FAILURE);
            };
            print(&if options.json { self.document(&duel) } else { self.text(&duel, &played) })?;
            session.finish(options.stay).await;
            Ok(ExitCode::SUCCESS)
        })
    }

    fn tournament(&self, folder: &Path, options: &Options) -> Result<ExitCode> {
        let results = Results::create(folder, self.entrants.clone(), &self.config, self.seed, PROGRAM);
        let mut results = results.map_err(|error| match error {
            error @ reference_gm::bricks::results::ResultsError::NotEmpty(_) => {
                BricksMisuse(format!("{error}\nhint: choose another one with --results")).into()
            }
            error => anyhow!(error),
        })?;
        let duels: Vec<[usize; 2]> = schedule(self.entrants.len()).collect();
        let place = options.place()?;
        Self::runtime()?.block_on(async {
            let mut session = self.session(place)?;
            let (players, count) = (self.entrants.len(), duels.len());
            complain(&format!("{}; {players} players, {count} duels", self.about()));
            let is_complete = self.play_all(&duels, &mut results, &mut session).await?;
            results.finish()?;
            complain(&format!("the results are in {}", folder.display()));
            if !is_complete {
                complain(&format!("stopped after {} of {count} duels", results.duels().len()));
            }
            let text = || table(&results.standings(), &self.entrants);
            print(&if options.json { format!("{:#}\n", results.document()) } else { text() })?;
            session.finish(options.stay).await;
            Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        })
    }

    /// Plays all duels of a tournament; whether it was not stopped.
    async fn play_all(
        &self,
        duels: &[[usize; 2]],
        results: &mut Results,
        session: &mut Session,
    ) -> Result<bool> {
        for (place, players) in duels.iter().enumerate() {
            let number = place + 1;
            let recorder = Recorder::create(&results.next_replay())?;
            let (duel, ..) = self.play(number, *players, session, recorder).await?;
            let Some(duel) = duel else { return Ok(false) };
            let [first, second] = players.map(|player| escape_hidden(&self.entrants[player].nick));
            let told = escape_hidden(&message(&duel.result, &self.entrants));
            let (seconds, count, bricks) = (duel.took.as_secs_f64(), duels.len(), duel.bricks.len());
            complain(&format!(
                "{number} of {count}: {first} – {second}: {told} ({bricks} bricks, {seconds:.1} s)"
            ));
            results.add(duel)?;
        }
        Ok(true)
    }

    /// Opens what duels are played with: keys, signals, the page.
    fn session(&self, place: Option<Place>) -> Result<Session> {
        let (stop, stopped) = watch::channel(false);
        let signal = signals::stop().context("cannot install signal handlers")?;
        let by_signal = stop.clone();
        tokio::spawn(async move {
            signal.await;
            by_signal.send_replace(true);
        });
        let (pressed, mut keys) = mpsc::channel(16);
        let keyboard = Keyboard::open(pressed).context("the keyboard cannot be read")?;
        // A key that comes before the next move can begin is meant for it.
        let (next, moves) = mpsc::channel(1);
        tokio::spawn(async move {
            while let Some(order) = keys.recv().await {
                match order {
                    Order::Command(Key::Stop) => {
                        stop.send_replace(true);
                    }
                    Order::Command(Key::Start) => {
                        let _ = next.try_send(());
                    }
                    _ => {}
                }
            }
        });
        let gate = match self.config.mode {
            Mode::Automatic(pace) => Gate::Open(pace),
            Mode::ByHand if keyboard.is_none() => {
                let hint = "start it in a terminal, or leave `--mode hand` out";
                return Err(BricksMisuse(format!("mode = hand needs a keyboard\nhint: {hint}")).into());
            }
            Mode::ByHand => {
                complain("press Enter for the next move, q to stop");
                Gate::Closed(moves)
            }
        };
        let page = place.map(|place| {
            let (page, matches, mut requests) =
                ViewerServer::matches::<State>(place, ServerLimits::default())
                    .context("the page cannot be served")?;
            // Nothing is offered, so that nobody asks for anything.
            tokio::spawn(async move { while requests.recv().await.is_some() {} });
            complain(&format!("the page is at {}", page.url()));
            Ok::<_, anyhow::Error>((page, matches))
        });
        Ok(Session { gate, stop: stopped, keyboard, page: page.transpose()? })
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
            let nick = escape_hidden(&self.entrants[place].nick);
            complain(&format!("standard error of {nick}:\n{}", ended.errors.to_string().trim_end()));
        }
    }

    /// The result of a duel for people.
    fn text(&self, duel: &Duel, played: &Played) -> String {
        let nicks = duel.result.players.map(|player| escape_hidden(&self.entrants[player].nick));
        let mut text = String::new();
        if usize::from(self.config.game.size()) <= WIDEST_DRAWN {
            use game_env::Notation as _;
            text += &format!("{}\n", played.state.scene());
        }
        text += &format!("{}\n\n", escape_hidden(&message(&duel.result, &self.entrants)));
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
        let nick = |player: usize| &self.entrants[player].nick;
        let [first, second] = duel.result.players.map(nick);
        let longest = duel.metrics.get("longest_move_ms").map(<[f64]>::to_vec);
        let end = |ended: &Option<Ended>| ended.as_ref().map(Ended::to_string);
        let errors = |ended: &Option<Ended>| ended.as_ref().map(|ended| ended.errors.to_string());
        let document = json!({
            "first": first,
            "second": second,
            "winner": nick(duel.result.winner()),
            "letter": duel.result.letter().to_string(),
            "message": message(&duel.result, &self.entrants),
            "seed": self.seed.to_string(),
            "opening": duel.opening,
            "bricks": duel.bricks,
            "longest_move_ms": longest,
            "seconds": duel.took.as_secs_f64(),
            "programs": duel.programs.iter().map(end).collect::<Vec<_>>(),
            "stderr": duel.programs.iter().map(errors).collect::<Vec<_>>(),
        });
        format!("{document:#}\n")
    }
}

const PROGRAM: &str = concat!("reference-gm ", env!("CARGO_PKG_VERSION"));

/// The widest board that is drawn in a terminal, in cells.
const WIDEST_DRAWN: usize = 25;
