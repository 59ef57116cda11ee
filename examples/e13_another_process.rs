//! Shows: an async strategy that waits for another process. The process could be a service or a program in another
//! language; here it is this program again, which reads a line for each decision and answers with a word.
//! Run it: `cargo run -p examples --bin e13_another_process -- red 127.0.0.1:3727`, with a communication server and a
//! game master there (README, "Host a game").

use std::error::Error;
use std::io::{self, BufRead as _};
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use sdk::agent::{Agent, DEFAULT_SERVER};
use sdk::prelude::*;
use sdk::strategy::{AsyncStrategy, async_trait};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// Longest time of the process for a decision. The agent hears nothing while it waits.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The word that makes this program the other process.
const ADVISER: &str = "adviser";

/// Asks another process for decisions.
struct Advised {
    questions: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    // The process ends when this is dropped.
    _process: Child,
}

impl Advised {
    fn new() -> io::Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg(ADVISER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let missing = || io::Error::other("the process has no pipe");
        let questions = process.stdin.take().ok_or_else(missing)?;
        let answers = BufReader::new(process.stdout.take().ok_or_else(missing)?).lines();
        Ok(Self { questions, answers, _process: process })
    }

    /// Returns the answer to one question.
    async fn ask(&mut self, question: String) -> io::Result<Option<String>> {
        self.questions.write_all(question.as_bytes()).await?;
        self.answers.next_line().await
    }
}

#[async_trait]
impl AsyncStrategy for Advised {
    async fn act(&mut self, view: &mut View<'_>) -> Choice {
        let (here, has_piece) = (view.position(), view.own.hand.is_full());
        let target =
            if has_piece { view.knowledge.open().nearest(here) } else { view.knowledge.nearest_piece() };
        let way = target.map_or_else(|| "unknown".to_owned(), |at| here.moves_to(at).to_string());
        let question = format!("{} {way}\n", if has_piece { "carrying" } else { "searching" });
        // A process that is slow or gone gives no answer. The agent looks around then.
        let answer = timeout(TIMEOUT, self.ask(question)).await;
        let answer = answer.ok().and_then(Result::ok).flatten().unwrap_or_default();
        match (&answer[..], target) {
            ("walk", Some(target)) => view.walk_to(target),
            ("pick-up", _) => view.pick_up(),
            ("put", _) => view.put(),
            _ => view.discover(),
        }
    }
}

/// The other process: knows only its input.
fn advise() -> io::Result<()> {
    for line in io::stdin().lock().lines() {
        println!(
            "{}",
            match line?.split_once(' ') {
                Some(("carrying", "0")) => "put",
                Some(("searching", "0")) => "pick-up",
                Some((_, "unknown")) | None => "discover",
                Some(_) => "walk",
            }
        );
    }
    Ok(())
}

async fn play(team: Team, server: &str) -> Result<(), Box<dyn Error>> {
    let agent = Agent::builder(team).server(server).connect().await?;
    let played = agent.play_watched(Advised::new()?, |report| println!("{report}")).await;
    println!("{}", played.end);
    Ok(())
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        [ADVISER] => advise().map_err(Into::into),
        _ => run(&words),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(words: &[&str]) -> Result<(), Box<dyn Error>> {
    let team = words.first().unwrap_or(&"red").parse()?;
    let server = words.get(1).unwrap_or(&DEFAULT_SERVER);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(play(team, server))
}
