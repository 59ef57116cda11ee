//! `bots agent-protocol`: the agent protocol as schemas, and by hand.

use std::borrow::Cow;
use std::io::{self, BufRead as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use command_line::{Failure, drawn_seed, print, tell};
use game_env::matches::{MatchLimits, MatchSpec};
use game_env::text::fit_for_a_log;
use game_env::{AgentId, Parameters, Seed};
use strategies::programs::{Command, Programs, has_programs};
use strategies::room;
use wire::agent::{Fault, FaultReport, Log, Lost, Peer, Progress};

use super::rooms::Room;
use super::series::{PROGRAM, preset};

/// Flags of `bots agent-protocol`.
#[derive(Args)]
pub(crate) struct Speaking {
    /// The game [default: project].
    #[arg(long, value_name = "NAME")]
    pub(crate) game: Option<String>,
    /// Play an agent by typing: messages are printed, and each line of the keyboard is an answer
    #[arg(long)]
    play: bool,
    /// The configuration by name.
    #[arg(long, value_name = "NAME", requires = "play")]
    preset: Option<String>,
    /// The strategy of all other agents [default: greedy; in Conveyor hints].
    #[arg(long, value_name = "STRATEGY", requires = "play")]
    against: Option<String>,
    /// The seed of all random numbers [default: drawn].
    #[arg(long, value_name = "NUMBER", requires = "play", allow_negative_numbers = true)]
    seed: Option<Seed>,
}

/// The entrant that a person plays, as the first agent.
const KEYBOARD: &str = "\"keyboard\"";

/// Prints the schemas of a game, or plays it.
///
/// # Errors
///
/// If the flags have faults, or the terminal is gone.
pub(crate) fn speak(speaking: &Speaking, room: &dyn Room) -> Result<(), Failure> {
    let strategies = room::find(room.game()).expect("every game of the catalogue has strategies");
    if !speaking.play {
        return print(&format!("{:#}\n", strategies.schema()));
    }
    let game = strategies.game();
    let asked =
        speaking.preset.as_deref().map_or_else(|| Ok(Parameters::new()), |name| preset(room.game(), name))?;
    let faulty = |error: game_env::ConfigError| Failure::misuse(error.to_string(), "choose another preset");
    let config = game.complete(&asked).map_err(faulty)?;
    let agents = game.teams(&config).map_err(faulty)?.len();
    let other = speaking.against.as_deref().unwrap_or(strategies.default_strategy());
    let other = strategies
        .line_up(other)
        .map_err(|error| Failure::misuse(error, "`bots list` shows the strategies"))?;
    if has_programs(&other) {
        let why =
            format!("--against `{}` names a program: expected a strategy", fit_for_a_log(&other.join("+")));
        return Err(Failure::misuse(why, "`bots list` shows the strategies"));
    }
    let others = other.iter().cycle().take(agents - 1).cloned();
    let spec = MatchSpec {
        game: room.game().to_owned(),
        config,
        seed: speaking.seed.map_or_else(drawn_seed, Ok)?,
        entrants: std::iter::once(KEYBOARD.to_owned()).chain(others).collect(),
        limits: MatchLimits::default(),
    };
    tell(
        "each message of the host is a line; each line that you type is an answer: JSON, or only the action, e.g. one of \
         the options; an empty line answers `hello`",
    );
    let played = strategies.with_programs(Arc::new(Keyboard)).play(&spec, PROGRAM, None);
    let record = played.map_err(|error| Failure::undone(error.to_string(), "try another seed"))?;
    record.first_blunders.iter().for_each(|report| tell(&for_the_person(report)));
    Ok(())
}

/// Returns a report of the record in words for the person who has typed: the end of the input is the end of no program.
fn for_the_person(report: &str) -> Cow<'_, str> {
    match FaultReport::read(report, AgentId::new(0)) {
        Some(read) if read.fault == Fault::Closed.to_string() => {
            "your input has ended (as by Ctrl-D), so you have left the game".into()
        }
        _ => report.into(),
    }
}

/// Returns the options of a message to the agent; none if it has no list of them.
fn options(line: &[u8]) -> Option<Vec<String>> {
    let message: serde_json::Value = serde_json::from_slice(line).ok()?;
    let options = message.get("options")?.as_array()?.iter();
    Some(options.filter_map(|option| option.as_str().map(str::to_owned)).collect())
}

/// Returns the answers to a message, for people.
fn expected(line: &[u8]) -> &'static str {
    let message = serde_json::from_slice::<serde_json::Value>(line).unwrap_or_default();
    if message["type"] == "hello" {
        "an empty line or {\"type\":\"ready\"}"
    } else {
        "e.g. {\"do\":ACTION}, {\"wait\":MILLISECONDS}, or only the action"
    }
}

/// `true` if there are options, and this action is none of them.
fn is_doubtful(action: &str, options: Option<&[String]>) -> bool {
    options.is_some_and(|options| options.iter().all(|option| option != action))
}

/// The person at the terminal, as a program.
#[derive(Debug)]
struct Keyboard;

impl Programs for Keyboard {
    fn start(&self, _: &Command) -> Box<dyn Peer> {
        Box::new(Self)
    }
}

impl Peer for Keyboard {
    fn exchange(
        &mut self,
        line: &[u8],
        _: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        let lost = |error: io::Error| Lost::Ended(format!("is a terminal that is gone: {error}"));
        let mut out = io::stdout().lock();
        out.write_all(line).and_then(|()| out.flush()).map_err(lost)?;
        drop(out);
        let options = options(line);
        // An action that is no option: the person may mean it, e.g. to see how the game refuses it.
        let mut doubted = None;
        let mut keys = io::stdin().lock();
        while read(b"") == Progress::More {
            let mut typed = Vec::new();
            if keys.read_until(b'\n', &mut typed).map_err(lost)? == 0 {
                return Err(Lost::Closed);
            }
            // Bytes of a terminal that has no UTF-8 are no answer, and end no game.
            let answer = match String::from_utf8_lossy(&typed).trim() {
                "" => "{\"type\":\"ready\"}".to_owned(),
                json if json.starts_with('{') => json.to_owned(),
                action if is_doubtful(action, options.as_deref()) && doubted.as_deref() != Some(action) => {
                    tell(&format!(
                        "`{action}` is none of the options; type it again to ask for it all the same"
                    ));
                    doubted = Some(action.to_owned());
                    continue;
                }
                action => serde_json::json!({ "do": action }).to_string(),
            };
            if read(format!("{answer}\n").as_bytes()) == Progress::Done {
                break;
            }
            tell(&format!("that is no answer; expected {}", expected(line)));
        }
        Ok(Duration::ZERO)
    }

    /// Returns the reason why a line is no answer.
    fn log(&mut self) -> Option<Log> {
        Some(Log::new(tell))
    }

    fn finish(self: Box<Self>, _: bool) {}
}
