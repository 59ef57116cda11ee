//! The server's own players: programs beside the server that connect like everybody else.
//!
//! They run as processes, so that a strategy that thinks for long delays no game of others, and one that fails harms
//! none. The program is `bots` of this workspace, which stands in the same folder as the server.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use child_process::{Command, Guard, Limits, Stream};
use tokio::time::sleep;
use wire::dots::{Name, Token};

/// How long to wait before a bot that has ended is started again.
const PAUSE: Duration = Duration::from_secs(2);

/// The program that plays.
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

/// The names of this number of bots with a strategy: its name without parameters, then a number.
pub fn names(strategy: &str, count: usize) -> Vec<Name> {
    let short: String = strategy.chars().take_while(|letter| letter.is_alphanumeric()).take(12).collect();
    (1..=count).filter_map(|number| format!("{short}-bot{number}").parse().ok()).collect()
}

/// Keeps a bot running until this future is dropped.
pub async fn keep(
    guard: Guard,
    program: PathBuf,
    strategy: String,
    server: SocketAddr,
    name: Name,
    token: Token,
) {
    loop {
        let words = [
            "--game",
            "dots",
            "--strategy",
            &strategy,
            "--connect",
            &server.to_string(),
            "--name",
            name.as_str(),
            "--forever",
        ];
        let folder = std::env::temp_dir();
        let command = Command {
            program: program.clone().into(),
            arguments: words.iter().map(Into::into).collect(),
            folder,
            // Other users of this machine can read arguments, and not the environment.
            environment: vec![("DOTS_TOKEN".into(), token.to_string().into())],
            limits: Limits::default(),
            confinement: None,
            input: Stream::Kept,
            output: Stream::Kept,
            kept_bytes: 2000,
            grace: PAUSE,
        };
        match guard.spawn(&command).await {
            Ok(mut child) => {
                let ended = child.ended().await;
                let errors: Vec<u8> = ended.errors.bytes().collect();
                tracing::warn!("the bot {name} has ended: {}", errors.escape_ascii());
            }
            Err(error) => tracing::warn!("the bot {name} cannot be started: {error}"),
        }
        sleep(PAUSE).await;
    }
}
