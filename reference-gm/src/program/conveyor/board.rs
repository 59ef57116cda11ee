//! `conveyor board`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use command_line::{Failure, drawn_seed, read_file, shown};
use game_conveyor::{Config, State};
use game_env::replay::{Header, Player};
use game_env::text::fit_for_a_log;
use game_env::{
    AgentId, Disruption, Environment as _, Notation as _, Note, Parameters, Seed, SimTime, TeamId, Value,
    Witness,
};
use reference_gm::PROGRAM;
use reference_gm::conveyor::board::{self, Board};
use reference_gm::conveyor::ini;
use reference_gm::conveyor::shells::{BoardObserver, play_board};
use reference_gm::recorder::Recorder;
use viewer::matches::{LiveMatch, Matches, Opening};
use wire::conveyor::name;

use super::super::{Result, print, runtime, stop_signal, tell, without_replay};
use super::Page;

pub(super) const BOARD_CODES: &str = "Exit codes: 0 a player has won; 1 nobody has, or there is no controller; 2 faulty flags or a faulty file";

#[derive(Args)]
pub(crate) struct BoardFlags {
    /// The file with the address of the controller.
    #[arg(long, value_name = "FILE", default_value = "BORD.INI", conflicts_with = "connect")]
    ini: PathBuf,
    /// The controller, instead of the file.
    #[arg(long, value_name = "HOST:PORT")]
    connect: Option<String>,
    /// Columns and rows of the board [default: 12x9].
    #[arg(long, value_name = "COLUMNSxROWS")]
    size: Option<String>,
    /// The number of hints [default: as few as the rules allow].
    #[arg(long, value_name = "NUMBER")]
    hints: Option<u16>,
    /// The number of conveyors [default: 4, or as many as the board has room for].
    #[arg(long, value_name = "NUMBER")]
    conveyors: Option<u16>,
    /// The seed of the board and of every heading after a conveyor [default: drawn].
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    seed: Option<Seed>,
    /// The file for the replay.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// The address of a page on which the game is watched, with all that players do not know; port 0 for any free one.
    /// The page stays until Ctrl-C.
    #[arg(long, value_name = "ADDR:PORT")]
    page: Option<String>,
}

pub(super) fn hold(flags: &BoardFlags) -> Result<ExitCode> {
    let config = config(flags)?;
    let controller = match &flags.connect {
        Some(place) => place.clone(),
        None => from_file(&flags.ini)?,
    };
    let seed = flags.seed.map_or_else(drawn_seed, Ok)?;
    let mut reporter = Reporter::new(config, seed, flags.replay.as_deref())?;
    let page = Page::serve::<State>(flags.page.as_deref())?;
    reporter.matches = page.as_ref().map(|(_, matches)| matches.clone());
    let runtime = runtime()?;
    let (board, end, signal) = runtime.block_on(async {
        let (stop, signal) = (stop_signal()?, stop_signal()?);
        let stream = tcp::dial(controller.as_str()).await.map_err(|error| {
            Failure::undone(
                format!("no controller at {controller}: {error}"),
                "start one with `reference-gm conveyor controller`",
            )
        })?;
        print(&format!("conveyor: {config}, seed {seed}, controller at {controller}\n"))?;
        let board = Board::new(board::Settings::default(), State::new(&config, seed));
        let (board, end) = play_board(stream, board, stop, &mut reporter).await;
        Ok::<_, Failure>((board, end, signal))
    })?;
    // Completes the replay first: a failed print must not damage it.
    let recorded = reporter.recorder.finish();
    print(&format!("{end}, at {}\n", board.state().clock()))?;
    if let Some(hint) = end.hint() {
        tell(&format!("hint: {hint}"));
    }
    if let Some(path) = recorded.map_err(|error| without_replay(&error))? {
        tell(&format!("the replay is {}; check it with `reference-gm verify`", path.display()));
    }
    if let Some((page, _)) = page {
        page.leave(&runtime, signal, end == board::End::Stopped, "the board has ended");
    }
    Ok(ExitCode::from(u8::from(!matches!(end, board::End::Won { .. }))))
}

/// The longest file of an original board, in bytes.
const LONGEST_INI: u64 = 1 << 16;

/// Returns the address of the controller.
fn from_file(path: &Path) -> Result<String> {
    let file = read_file(path, LONGEST_INI).map_err(|error| {
        let hint = "name another file with --ini, or the controller with --connect HOST:PORT";
        Failure::misuse(format!("cannot read `{}`: {error}", shown(path)), hint)
    })?;
    let address = ini::read(&file).map_err(|error| {
        let hint = "a whole file is\n  [Spel]\n  ip=127.0.0.1\n  port=5000";
        Failure::misuse(format!("{}: {error}", shown(path)), hint)
    })?;
    Ok(address.to_string())
}

/// Returns the board that the flags describe.
fn config(flags: &BoardFlags) -> Result<Config> {
    let mut asked = Parameters::new();
    let mut push = |name: &str, number: u16| asked.push(name, Value::Whole(number.into()));
    let usual = Config::default();
    let (mut columns, mut rows) = (usual.columns().into(), usual.rows().into());
    if let Some(text) = &flags.size {
        let sides = text
            .split_once(['x', '×'])
            .and_then(|(columns, rows)| Some((columns.parse::<u16>().ok()?, rows.parse::<u16>().ok()?)));
        (columns, rows) = sides.ok_or_else(|| {
            let why = format!("invalid --size `{}`: expected columns and rows", fit_for_a_log(text));
            Failure::misuse(why, "e.g. `--size 12x9`")
        })?;
    }
    push("columns", columns);
    push("rows", rows);
    if let Some(hints) = flags.hints {
        push("hints", hints);
    }
    // A board that cannot be made is refused with the usual number, or that of the flag.
    let board = || {
        let plain = Config::new(columns.try_into().ok()?, rows.try_into().ok()?).ok()?;
        flags.hints.map_or(Some(plain), |hints| plain.with_hints(hints).ok())
    };
    let fitting = || Some(board()?.with_usual_conveyors().conveyors());
    if let Some(conveyors) = flags.conveyors.or_else(fitting) {
        push("conveyors", conveyors);
    }
    State::read_config(&asked).map_err(|error| {
        let hint = "`bots presets --game conveyor` shows boards that can be made";
        Failure::misuse(format!("the board cannot be made\n{error}"), hint)
    })
}

/// Writes the replay, shows the game on the page, and prints reports for the operator.
struct Reporter {
    config: Config,
    header: Header,
    recorder: Recorder,
    matches: Option<Matches<State>>,
    live: Option<LiveMatch<State>>,
}

impl Reporter {
    fn new(config: Config, seed: Seed, replay: Option<&Path>) -> Result<Self> {
        let players = AgentId::all(2).map(|player| Player::new(TeamId::of_lone_agent(player), name(player)));
        let header = Header::new::<State>(&config, seed, players.collect(), PROGRAM);
        let recorder = replay.map_or_else(|| Ok(Recorder::default()), Recorder::create);
        let recorder = recorder.map_err(|error| without_replay(&error))?;
        Ok(Self { config, header, recorder, matches: None, live: None })
    }
}

impl BoardObserver for Reporter {
    fn news(&mut self, _: &Board, news: &board::News) {
        if *news == board::News::Begun
            && let Err(error) = self.recorder.begin(&self.header)
        {
            tell(&format!("warning: {error}; the game goes on without a replay"));
        }
        if let (board::News::Begun, Some(matches)) = (news, &self.matches) {
            self.live = Some(matches.open(Opening {
                title: "The board".to_owned(),
                config: self.config,
                seed: self.header.seed,
                players: self.header.players.clone(),
                people: Vec::new(),
            }));
        }
        // The result is printed at the end.
        if !matches!(news, board::News::Won(_)) {
            tell(&news.to_string());
        }
    }
}

impl Witness<State> for Reporter {
    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &game_conveyor::Action) {
        self.recorder.action(state, now, agent, action);
        self.live.action(state, now, agent, action);
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        Witness::<State>::disruption(&mut self.recorder, state, now, disruption);
        self.live.disruption(state, now, disruption);
    }

    fn note(&mut self, state: &State, now: SimTime, agent: AgentId, note: &Note) {
        Witness::<State>::note(&mut self.recorder, state, now, agent, note);
        self.live.note(state, now, agent, note);
    }

    fn end(&mut self, state: &State, now: SimTime) {
        Witness::<State>::end(&mut self.recorder, state, now);
        self.live.end(state, now);
    }
}
