//! `join --game bricks`: a player's program for a referee of Bricks, on standard input and output.
//!
//! A strategy thinks on a thread of its own, and is told to stop in time. If it does not answer nevertheless, any brick
//! that fits is put: a move that is late loses, a poor one may not.

use std::io::{self, Read as _, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use command_line::{Failure, drawn_seed, tell};
use game_bricks::{Board, Brick, Observation, State};
use game_env::panics::catch;
use game_env::text::fit_for_a_log;
use game_env::{AgentId, Choice, Environment as _, Notation as _, Seed, SimTime};
use strategies::budget::Budget;
use strategies::room::{DEFAULT_STRATEGY, policy};
use wire::bricks::player::{LONGEST_OPENING, Reply};
use wire::bricks::{Compat, Dialect, Player};
use wire::lines::LineDecoder;

use super::arguments::Joining;
use super::programs::is_program;
use super::rooms::Room;
use super::screen::Screen;

/// The room of Bricks.
pub(super) struct Bricks;

/// The flags of a player for a referee.
#[derive(Args)]
struct Flags {
    /// The dialect of the referee: 2017, 2018 or 2019 [default: 2018].
    #[arg(long, value_name = "YEAR")]
    dialect: Option<String>,
    /// With the referee of 2019: write and read bricks with the row first, as it does.
    #[arg(long, value_name = "YEAR")]
    compat: Option<String>,
    /// The time limit for a move, in milliseconds from the line before it.
    #[arg(long, value_name = "MS", default_value_t = 300)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=3_600_000))]
    move_time: u32,
    /// The board is a torus, as it always is in the dialect 2019.
    #[arg(long)]
    torus: bool,
}

impl Room for Bricks {
    fn game(&self) -> &'static str {
        State::GAME
    }

    fn join_flags(&self, join: Command) -> Command {
        Flags::augment_args(join)
            .mut_arg("server", |own| own.hide(true))
            .mut_arg("json", |own| own.hide(true))
    }

    fn join(&self, joining: &Joining, flags: &ArgMatches, _: &Screen) -> Result<(), Failure> {
        let flags = Flags::from_arg_matches(flags).unwrap_or_else(|error| error.exit());
        if joining.server.is_some() || joining.json {
            return Err(Failure::misuse(
                "a player's program speaks with its referee on standard input and output, and writes nothing but its moves",
                "leave out HOST:PORT and --json",
            ));
        }
        if let Some(command) = joining.strategy.as_deref().filter(|strategy| is_program(strategy)) {
            let why = format!("{} is a program: expected the name of a strategy", fit_for_a_log(command));
            return Err(Failure::misuse(
                why,
                "a referee starts programs of its own dialect; `bots --game bricks` plays those of the agent protocol",
            ));
        }
        let (dialect, compat) = language(flags.dialect.as_deref(), flags.compat.as_deref())?;
        play(&PlayerOptions {
            strategy: joining.strategy.as_deref().unwrap_or(DEFAULT_STRATEGY).to_owned(),
            dialect,
            compat,
            is_torus: flags.torus || dialect.is_torus(),
            move_time: Duration::from_millis(flags.move_time.into()),
            seed: joining.seed.map_or_else(drawn_seed, Ok)?,
        })
    }
}

/// Settings of a player: its strategy, its language and its time.
struct PlayerOptions {
    /// The strategy, as `bots list` names it.
    strategy: String,
    /// Dialect of the lines.
    dialect: Dialect,
    /// The referee that reads the lines.
    compat: Compat,
    /// Whether the board is a torus, which no line says.
    is_torus: bool,
    /// Longest time from a line to the move that answers it.
    move_time: Duration,
    /// Seed of the random numbers.
    seed: Seed,
}

/// The share of the time for a move that the strategy is given. On a machine that is busy, the thread that has just
/// searched waits longest for a processor core: with three quarters of 400 ms, one move of some hundred took more than
/// 500 ms where six times as many threads as cores wanted to run.
const THINKING: (u32, u32) = (1, 2);

/// Plays until the referee says so, or closes standard input.
fn play(options: &PlayerOptions) -> Result<(), Failure> {
    let thinker = Thinker::start(options)?;
    let lines = read_lines();
    let mut player = Player::new(options.dialect, options.compat, options.is_torus);
    // Whether the channel is closed by the end of the input or by an error, nothing comes any more.
    while let Ok((read_at, line)) = lines.recv() {
        let line = line.map_err(|error| confused(&error))?;
        let line = String::from_utf8_lossy(&line);
        let answer = match player.line(&line).map_err(|error| confused(&error.to_string()))? {
            Reply::Say(answer) => answer.to_owned(),
            Reply::Listen => continue,
            Reply::Stop => return Ok(()),
            Reply::Move => {
                let state = player.state().expect("there is a game");
                let Some(brick) = thinker.choose(state, read_at, options.move_time) else { continue };
                player.put(brick).expect("it fits")
            }
        };
        let mut out = io::stdout().lock();
        let written = writeln!(out, "{answer}").and_then(|()| out.flush());
        // A referee that does not read has ended the game.
        if written.is_err() {
            return Ok(());
        }
    }
    Ok(())
}

fn confused(why: &str) -> Failure {
    Failure::undone(
        why.to_owned(),
        "a referee starts this program and talks to it on standard input and output; `--dialect` names the form of the \
         lines, and `bots --game bricks` plays without a referee",
    )
}

/// A line of standard input with the moment at which it was read, or its fault.
type Line = (Instant, Result<Vec<u8>, String>);

/// Returns the lines of standard input.
fn read_lines() -> Receiver<Line> {
    let (send, lines) = channel();
    thread::spawn(move || {
        let mut decoder = LineDecoder::new(LONGEST_OPENING);
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = io::stdin().read(&mut buffer) {
            let (mut bytes, now) = (&buffer[..count], Instant::now());
            while let Some(line) = decoder.next(&mut bytes) {
                if send.send((now, line.map_err(|error| error.to_string()))).is_err() {
                    return;
                }
            }
        }
    });
    lines
}

/// A strategy on a thread of its own.
struct Thinker {
    questions: Sender<(u64, Observation)>,
    answers: Receiver<(u64, Option<Brick>)>,
    due: Arc<Mutex<Due>>,
}

/// The last question, and the moment at which the strategy is told to stop.
struct Due {
    question: u64,
    at: Instant,
}

impl Due {
    /// Returns whether the strategy that works on this question has to stop: also if there is another one, so that a
    /// late answer does not delay the next one.
    fn is_over(&self, question: u64, now: Instant) -> bool {
        self.question != question || now >= self.at
    }
}

impl Thinker {
    fn start(options: &PlayerOptions) -> Result<Self, Failure> {
        let due = Arc::new(Mutex::new(Due { question: 0, at: Instant::now() }));
        let until = Arc::clone(&due);
        let thinks_about = Arc::new(AtomicU64::new(0));
        let question = Arc::clone(&thinks_about);
        let budget = Budget::until(move || {
            let due = until.lock().unwrap_or_else(PoisonError::into_inner);
            due.is_over(question.load(Ordering::Relaxed), Instant::now())
        });
        let chance = options.seed.agent(AgentId::new(0));
        let mut policy = policy::<State>(&options.strategy, chance, Some(budget))
            .map_err(|error| Failure::misuse(error, "`bots list` shows the strategies"))?;
        let (questions, asked) = channel::<(u64, Observation)>();
        let (answer, answers) = channel();
        thread::spawn(move || {
            while let Ok((number, seen)) = asked.recv() {
                thinks_about.store(number, Ordering::Relaxed);
                let brick = match catch(|| policy.choose(SimTime::START, seen.player, &seen)) {
                    Ok(Choice::Act(brick)) => Some(brick),
                    Ok(Choice::Wait(_)) => None,
                    Err(panic) => {
                        tell(&format!("the strategy panicked: {panic}"));
                        None
                    }
                };
                if answer.send((number, brick)).is_err() {
                    return;
                }
            }
        });
        Ok(Self { questions, answers, due })
    }

    /// Returns a brick that fits, at the latest this long after the moment; none if there is no place for one.
    fn choose(&self, state: &State, since: Instant, time: Duration) -> Option<Brick> {
        let number = state.bricks().len() as u64;
        let mut seen = Observation::default();
        state.observe(state.mover(), &mut seen);
        let (part, whole) = THINKING;
        let due = Due { question: number, at: since + time * part / whole };
        *self.due.lock().unwrap_or_else(PoisonError::into_inner) = due;
        let is_asked = self.questions.send((number, seen)).is_ok();
        let answer = if is_asked { self.wait(number, since + time) } else { None };
        answer.filter(|brick| state.board().fits(*brick)).or_else(|| any(state.board()))
    }

    /// Returns the answer to this question, if it comes in time; those to earlier questions are of no use any more.
    fn wait(&self, number: u64, until: Instant) -> Option<Brick> {
        loop {
            match self.answers.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok((answered, brick)) if answered == number => return brick,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

/// Any brick that fits.
fn any(board: &Board) -> Option<Brick> {
    let of = |cell| board.neighbours(cell).map(move |near| Brick::new(cell, near));
    board.free_cells().flat_map(of).find(|brick| board.fits(*brick))
}

/// Returns the dialect and the referee's reading that these flags name. A reading of one dialect alone selects that
/// dialect.
fn language(dialect: Option<&str>, compat: Option<&str>) -> Result<(Dialect, Compat), Failure> {
    let compat = match compat {
        None => Compat::Strict,
        Some("2019") => Compat::Year2019,
        Some(text) => {
            let text = fit_for_a_log(text);
            let why = format!("invalid --compat `{text}`: expected 2019");
            return Err(Failure::misuse(why, "only the referee of 2019 reads bricks in a way of its own"));
        }
    };
    let dialect = dialect.map(|text| {
        text.parse().map_err(|_| {
            let text = fit_for_a_log(text);
            Failure::misuse(
                format!("unknown dialect `{text}`: expected 2017, 2018 or 2019"),
                "leave --dialect out for the one of 2018",
            )
        })
    });
    match (dialect.transpose()?, compat.dialect()) {
        (Some(dialect), Some(own)) if dialect != own => Err(Failure::misuse(
            format!("--compat {compat} with --dialect {dialect}: expected the dialect {own}"),
            "leave --dialect out",
        )),
        (dialect, own) => Ok((dialect.or(own).unwrap_or_default(), compat)),
    }
}

#[cfg(test)]
mod tests {
    use game_bricks::Config;

    use super::*;

    fn options(strategy: &str) -> PlayerOptions {
        let move_time = Duration::from_millis(400);
        let (dialect, compat, seed) = (Dialect::Year2018, Compat::Strict, Seed::new(1));
        PlayerOptions { strategy: strategy.to_owned(), dialect, compat, is_torus: false, move_time, seed }
    }

    /// However short the time, there is a brick, and an answer that came too late is not taken for the next one.
    #[test]
    fn a_brick_is_chosen_in_no_time() {
        let thinker = Thinker::start(&options("perfect")).unwrap();
        let mut state = State::new(&Config::new(21).unwrap().move_limit(None), Seed::new(0));
        while let Some(brick) = thinker.choose(&state, Instant::now(), Duration::ZERO) {
            let mover = state.mover();
            state.step(SimTime::START, mover, brick, &mut ());
        }
        assert_eq!(state.board().brick_count(), 0);
        assert!(state.bricks().len() > 90, "{} bricks", state.bricks().len());
    }

    /// The time for the next question is not time for the one before.
    #[test]
    fn a_question_is_over_when_the_next_one_is_asked() {
        let at = Instant::now();
        let due = Due { question: 3, at };
        let earlier = at.checked_sub(Duration::from_millis(1)).unwrap();
        assert!(!due.is_over(3, earlier));
        assert!(due.is_over(3, at) && due.is_over(1, earlier));
    }

    #[test]
    fn the_strategy_chooses_if_it_has_the_time() {
        let thinker = Thinker::start(&options("perfect")).unwrap();
        let config = Config::new(3).unwrap().filled(["0x0".parse().unwrap()]).unwrap();
        let state = State::new(&config, Seed::new(0));
        let brick = thinker.choose(&state, Instant::now(), Duration::from_secs(60)).unwrap().to_string();
        assert!(["2x0_2x1", "0x2_1x2"].contains(&brick.as_str()), "{brick} does not win");
    }

    #[test]
    fn strategies_that_do_not_exist_are_told() {
        let error = Thinker::start(&options("perfct")).err().unwrap();
        assert!(error.to_string().contains("did you mean `perfect`?"), "{error}");
    }

    #[test]
    fn the_referee_of_2019_brings_its_dialect() {
        let language = |dialect, compat| language(dialect, compat).map_err(|error| error.to_string());
        assert_eq!(language(None, None), Ok((Dialect::Year2018, Compat::Strict)));
        assert_eq!(language(None, Some("2019")), Ok((Dialect::Year2019, Compat::Year2019)));
        assert_eq!(language(Some("2019"), None), Ok((Dialect::Year2019, Compat::Strict)));
        for (dialect, compat, why) in [
            (Some("2017"), Some("2019"), "--compat 2019 with --dialect 2017: expected the dialect 2019"),
            (None, Some("2018"), "invalid --compat `2018`: expected 2019"),
            (Some("2016"), None, "unknown dialect `2016`: expected 2017, 2018 or 2019"),
        ] {
            assert!(language(dialect, compat).unwrap_err().contains(why));
        }
    }
}
