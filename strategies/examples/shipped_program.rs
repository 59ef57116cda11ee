//! Plays a shipped strategy as a program: reads and writes the lines of the agent protocol.
//!
//! `shipped_program STRATEGY SEED` plays one agent of any game, in one game after another. The seed is that of the
//! games: the protocol does not tell it, and a strategy in the same process draws its random numbers from it. Thus a
//! match with this program takes the same course as the match with the strategy itself, which the tests check.
//!
//! The line-up `"target/debug/examples/shipped_program greedy 7"` plays it with `bots` and `--seed 7`.

use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;

use game_env::{AgentId, Choice, Environment, Policy, Seed, SimTime};
use sdk::program::Served;
use serde::Deserialize;
use strategies::project::registry::Shipped;
use strategies::room::{PolicyGame, policy};
use wire::agent::message::{Answer, Hello, NoBegin, Ready};
use wire::agent::program::{Agent, AgentError, DecideOf, Program};
use wire::agent::{Described, Told};
use wire::project::agent::Begin;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [strategy, seed] = &words[..] else {
        eprintln!("error: expected a strategy and a seed, e.g. `greedy 7`");
        return ExitCode::from(2);
    };
    let seed = match seed.parse() {
        Ok(seed) => seed,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match serve(ShippedProgram::new(strategy, seed)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers each line of standard input, to its end.
fn serve(mut program: ShippedProgram) -> Result<(), String> {
    let mut answers = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        let answer = program.answer(&line)?;
        let written = answers.write_all(answer.as_bytes()).and_then(|()| answers.flush());
        written.map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// A strategy behind the agent protocol.
pub struct ShippedProgram {
    strategy: String,
    seed: Seed,
    /// Answers the lines of the present game.
    answers: Option<Box<dyn Answers>>,
}

impl ShippedProgram {
    /// Creates a program with this strategy for games with this seed.
    pub fn new(strategy: &str, seed: Seed) -> Self {
        Self { strategy: strategy.to_owned(), seed, answers: None }
    }

    /// Returns the lines that answer a line.
    pub fn answer(&mut self, line: &str) -> Result<String, String> {
        #[derive(Deserialize)]
        struct Line {
            r#type: String,
            #[serde(default)]
            game: String,
        }

        let Line { r#type, game } =
            serde_json::from_str(line).map_err(|error| format!("{error} in {line}"))?;
        if r#type == "hello" {
            let (strategy, seed) = (self.strategy.clone(), self.seed);
            self.answers = Some(match &game[..] {
                "project" => Box::new(Program::new(move |hello: Hello<Begin>| {
                    Served::new(hello, seed, strategy.parse::<Shipped>()?.construct())
                })),
                "dots" => PolicyAgent::<game_dots::State>::program(strategy, seed),
                "bricks" => PolicyAgent::<game_bricks::State>::program(strategy, seed),
                "conveyor" => PolicyAgent::<game_conveyor::State>::program(strategy, seed),
                "eriantys" => PolicyAgent::<game_eriantys::State>::program(strategy, seed),
                other => return Err(format!("there is no game `{other}`")),
            });
        }
        self.answers.as_mut().ok_or("the game has not begun")?.answer(line)
    }
}

/// A program of any game.
trait Answers: Send {
    fn answer(&mut self, line: &str) -> Result<String, String>;
}

impl<A, F> Answers for Program<A, F>
where
    A: Agent + Send,
    F: FnMut(Hello<<A::Game as Described>::Begin>) -> Result<A, AgentError> + Send,
{
    fn answer(&mut self, line: &str) -> Result<String, String> {
        self.answer(line).map_err(|error| error.to_string())
    }
}

/// An agent whose strategy is a policy.
struct PolicyAgent<E: Environment> {
    agent: AgentId,
    policy: Box<dyn Policy<E> + Send>,
}

impl<E: Told + PolicyGame> PolicyAgent<E> {
    fn program(strategy: String, seed: Seed) -> Box<dyn Answers> {
        Box::new(Program::new(move |hello: Hello<NoBegin>| {
            let agent = AgentId::new(hello.agent);
            Ok(Self { agent, policy: policy::<E>(&strategy, seed.agent(agent), None)? })
        }))
    }
}

impl<E: Told> Agent for PolicyAgent<E> {
    type Game = E;

    fn ready(&self) -> Ready {
        Ready { options: false, ..Ready::default() }
    }

    fn decide(&mut self, decide: DecideOf<E>) -> Result<Answer, AgentError> {
        let now = SimTime::from_millis(decide.now);
        let observation = E::read(decide.observation)?;
        let choice = self.policy.choose(now, self.agent, &observation);
        if let Choice::Act(action) = &choice {
            self.policy.sent(now, self.agent, action);
        }
        Ok(Answer::of(now, choice).with_note(self.policy.note()))
    }
}
