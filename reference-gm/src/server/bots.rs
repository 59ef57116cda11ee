//! The server's own players: programs beside the server that connect like everybody else.
//!
//! They run as processes, so that a strategy that thinks for long delays no game of others, and one that fails harms
//! none. The program is `bots` of this workspace, which stands in the same folder as the server.

use std::ffi::OsString;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use child_process::{Command, Guard, How, Limits, Stream};
use tokio::time::sleep;
use wire::token::Token;

/// Pause after a bot has failed, before it is started again.
const PAUSE: Duration = Duration::from_secs(2);

/// Returns the program that plays.
///
/// # Errors
///
/// Fails if it is not in the folder of this program.
pub fn program() -> io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let program = own.with_file_name(format!("bots{}", std::env::consts::EXE_SUFFIX));
    if program.is_file() {
        return Ok(program);
    }
    Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no {}", program.display())))
}

/// Returns a strategy's name without its parameters, as names of players begin.
pub fn short_name(strategy: &str) -> String {
    strategy.chars().take_while(|letter| letter.is_alphanumeric()).take(12).collect()
}

/// The settings of a server's bots: their program, its strategy, and the server that they play on.
#[derive(Clone, Debug)]
pub struct Bots {
    /// Starts the processes.
    pub guard: Guard,
    /// The program.
    pub program: PathBuf,
    /// The name of the game.
    pub game: &'static str,
    /// The strategy.
    pub strategy: String,
    /// The server.
    pub server: SocketAddr,
}

impl Bots {
    /// Runs a bot of this name, with these further arguments, until it ends or this future is dropped. One that fails
    /// is logged, and a pause follows.
    pub(crate) async fn play(&self, name: &str, token: Token, further: &[&str]) {
        let server = self.server.to_string();
        let words = ["join", &server, "--game", self.game, "--strategy", &self.strategy, "--name", name];
        let command = Command {
            program: self.program.clone().into(),
            arguments: words.iter().chain(further).map(OsString::from).collect(),
            folder: std::env::temp_dir(),
            // Other users of this machine can read arguments, and not the environment.
            environment: vec![(token_variable(self.game).into(), token.to_string().into())],
            limits: Limits::default(),
            confinement: None,
            input: Stream::Kept,
            output: Stream::Kept,
            kept_bytes: 2000,
            shows_errors: false,
            grace: PAUSE,
        };
        match self.guard.spawn(&command).await {
            Ok(mut child) => {
                let ended = child.ended().await;
                if ended.how == How::Exited(0) {
                    return;
                }
                let errors: Vec<u8> = ended.errors.bytes().collect();
                tracing::warn!("the bot {name} has ended: {}", errors.escape_ascii());
            }
            Err(error) => tracing::warn!("the bot {name} cannot be started: {error}"),
        }
        sleep(PAUSE).await;
    }
}

/// Returns the variable in which a bot finds its token, e.g. `DOTS_TOKEN`.
fn token_variable(game: &str) -> String {
    format!("{}_TOKEN", game.to_uppercase())
}
