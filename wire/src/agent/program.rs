//! The program's side of the lines, for programs in Rust.
//!
//! An [`Agent`] decides in one game. A [`Program`] begins an agent for each game, and turns lines of the host into
//! lines of answers; [`Program::serve`] does so until the input ends.
//!
//! ```
//! use game_dots::State;
//! use wire::agent::message::Answer;
//! use wire::agent::program::{Agent, AgentError, DecideOf, Program};
//!
//! /// Chooses the first option.
//! struct First;
//!
//! impl Agent for First {
//!     type Game = State;
//!
//!     fn decide(&mut self, decide: DecideOf<State>) -> Result<Answer, AgentError> {
//!         let options = decide.options.unwrap_or_default();
//!         Ok(Answer::act(options.first().ok_or("there is no option")?))
//!     }
//! }
//!
//! let input = concat!(
//!     r#"{"type":"hello","protocol":1,"game":"dots","rules":1,"config":{"rows":3,"cols":3},"agent":0,"teams":[0,1],"#,
//!     r#""chance":7,"thinking":"free"}"#,
//!     "\n",
//!     r#"{"type":"decide","id":1,"now":0,"observation":{"player":0,"mover":0,"points":[0,0],"across":["..","..",".."],"#,
//!     r#""down":["...","..."],"boxes":["..",".."]},"events":[],"options":["0-1","1-2"]}"#,
//!     "\n",
//! );
//! let mut output = Vec::new();
//! Program::new(|_| Ok(First)).serve(input.as_bytes(), &mut output)?;
//! let output = String::from_utf8(output)?;
//! assert_eq!(output.lines().last(), Some(r#"{"id":1,"do":"0-1"}"#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::{self, BufRead, Write};

use game_env::Notation;
use game_env::text::{fit_for_a_log, parser_message};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::PROTOCOL;
use super::message::{Answer, Decide, End, FirstLine, Hello, Message, Question, Ready};
use super::schema::Described;

/// A decision of an agent of this game.
pub type DecideOf<G> = Decide<<G as Described>::Observation, <G as Described>::Event>;

/// A question to an agent of this game.
pub type QuestionOf<G> = Question<<G as Described>::Observation, <G as Described>::Event>;

/// The reason why an agent cannot go on, in words.
pub type AgentError = Box<dyn std::error::Error + Send + Sync>;

/// One agent in one game.
pub trait Agent {
    /// The game.
    type Game: Described<Begin: DeserializeOwned, Observation: DeserializeOwned, Event: DeserializeOwned>;

    /// Returns the parts of messages that it wants to read, and its name.
    fn ready(&self) -> Ready {
        Ready::default()
    }

    /// Returns the answer to `decide`: an action, a wait or a walk.
    ///
    /// # Errors
    ///
    /// If the message fits no game. The program ends then.
    fn decide(&mut self, decide: DecideOf<Self::Game>) -> Result<Answer, AgentError>;

    /// Returns the answer to `question`, which only agents get whose [`ready`](Self::ready) says so. It tells nothing
    /// unless the agent says what.
    ///
    /// # Errors
    ///
    /// If the message fits no game. The program ends then.
    fn question(&mut self, question: QuestionOf<Self::Game>) -> Result<Answer, AgentError> {
        let _ = question;
        Ok(Answer { tell: Some(None), ..Answer::default() })
    }

    /// The game is over.
    ///
    /// # Errors
    ///
    /// If the message fits no game. The program ends then.
    fn end(&mut self, end: End<<Self::Game as Described>::Event>) -> Result<(), AgentError> {
        let _ = end;
        Ok(())
    }
}

/// A program that plays one agent, in one game after the other.
#[derive(Debug)]
pub struct Program<A, F> {
    begin: F,
    agent: Option<A>,
}

/// A program that cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// A line of the host is none of the protocol.
    #[error("cannot read the host's line: {}; the line is `{line}`", parser_message(.reason))]
    Line {
        /// The beginning of the line, [fit for a log](fit_for_a_log).
        line: String,
        /// The fault.
        reason: serde_json::Error,
    },
    /// The host speaks no version of the protocol.
    #[error("`protocol` of the host is {found}: expected {PROTOCOL}, or a higher version")]
    OtherProtocol {
        /// The version in `hello`.
        found: u32,
    },
    /// The host plays another game.
    #[error("the host plays the game `{}`: this program plays `{expected}`", fit_for_a_log(.found))]
    OtherGame {
        /// The game in `hello`.
        found: String,
        /// The game of the agent.
        expected: &'static str,
    },
    /// The host plays the game by other rules.
    #[error("the host plays version {found} of the rules of `{game}`: this program plays version {known}")]
    OtherRules {
        /// The game.
        game: &'static str,
        /// The version in `hello`.
        found: u32,
        /// The version of the agent.
        known: u32,
    },
    /// A line came before `hello`.
    #[error("the host's first line is none of `hello`")]
    NoGame,
    /// The agent cannot go on.
    #[error("the agent cannot go on: {0}")]
    Agent(AgentError),
    /// The lines of the host cannot be read.
    #[error("cannot read from the host: {0}")]
    Input(io::Error),
    /// The answers cannot be written.
    #[error("cannot write to the host: {0}")]
    Output(io::Error),
}

/// The part of `hello` that says whether the rest can be read.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Opening {
    Hello { protocol: u32, game: String, rules: u32 },
}

impl Opening {
    /// Refuses a host that speaks another protocol, or plays another game or other rules.
    fn check<G: Notation>(self) -> Result<(), ProgramError> {
        let Self::Hello { protocol, game, rules } = self;
        if protocol < PROTOCOL {
            return Err(ProgramError::OtherProtocol { found: protocol });
        }
        if game != G::GAME {
            return Err(ProgramError::OtherGame { found: game, expected: G::GAME });
        }
        if rules != G::RULES {
            return Err(ProgramError::OtherRules { game: G::GAME, found: rules, known: G::RULES });
        }
        Ok(())
    }
}

impl<A, F> Program<A, F>
where
    A: Agent,
    F: FnMut(Hello<<A::Game as Described>::Begin>) -> Result<A, AgentError>,
{
    /// Creates a program that calls `begin` for the agent of each game.
    pub fn new(begin: F) -> Self {
        Self { begin, agent: None }
    }

    /// Returns the line that answers a line of the host, with its line end; empty if none does.
    ///
    /// # Errors
    ///
    /// If the line is none of the protocol, the host plays another game or other rules, or the agent cannot go on.
    pub fn answer(&mut self, line: &str) -> Result<String, ProgramError> {
        let read = |reason| ProgramError::Line { line: fit_for_a_log(line), reason };
        let message = serde_json::from_str(line);
        // The `hello` of another game has other fields, so that it may not be read as a message of this one.
        if matches!(message, Ok(Message::Hello(_)) | Err(_))
            && let Ok(opening) = serde_json::from_str::<Opening>(line)
        {
            opening.check::<<A::Game as Described>::Game>()?;
        }
        // With its number, a line of something else in the program is not taken for an answer.
        let numbered = |answer: Answer, id| text(&Answer { id: Some(id), ..answer });
        Ok(match message.map_err(read)? {
            Message::Hello(hello) => {
                let agent = (self.begin)(*hello).map_err(ProgramError::Agent)?;
                text(&FirstLine::Ready(self.agent.insert(agent).ready()))
            }
            Message::Decide(decide) => {
                let id = decide.id;
                numbered(self.playing()?.decide(*decide).map_err(ProgramError::Agent)?, id)
            }
            Message::Question(question) => {
                let id = question.decide.id;
                numbered(self.playing()?.question(*question).map_err(ProgramError::Agent)?, id)
            }
            Message::End(end) => {
                self.agent.take().ok_or(ProgramError::NoGame)?.end(end).map_err(ProgramError::Agent)?;
                String::new()
            }
        })
    }

    /// Returns the agent of the present game.
    fn playing(&mut self) -> Result<&mut A, ProgramError> {
        self.agent.as_mut().ok_or(ProgramError::NoGame)
    }

    /// Answers each line of the input, to its end. A host that reads no more has ended the game, so that this is no
    /// error.
    ///
    /// # Errors
    ///
    /// If a line is none of the protocol, the host plays another game or other rules, the agent cannot go on, or a line
    /// cannot be read or written.
    pub fn serve(mut self, input: impl BufRead, mut output: impl Write) -> Result<(), ProgramError> {
        for line in input.lines() {
            let answer = self.answer(&line.map_err(ProgramError::Input)?)?;
            match output.write_all(answer.as_bytes()).and_then(|()| output.flush()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
                written => written.map_err(ProgramError::Output)?,
            }
        }
        Ok(())
    }
}

fn text(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("texts, numbers and lists are JSON") + "\n"
}
