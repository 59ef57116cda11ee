//! The communication server as a program.
//!
//! Exit codes: 0 if it was stopped (Ctrl-C, SIGTERM, SIGHUP) or the game master left after the end of the game, 1 if it
//! cannot start, 2 if its configuration is invalid, 3 if the game master was lost or left before the end of the game.

// `command_line::tell` does not panic where standard error is closed.
#![warn(clippy::print_stderr)]

use std::io::{self, IsTerminal as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use clap::{ArgMatches, Command, FromArgMatches as _, Subcommand as _};
use command_line::{Asked, Failure, Generate, exit_code, flags, print, signals, tell};
use cs::config::{Config, PARAMETERS};
use cs::log::Log;
use cs::router::Ending;
use cs::server::{self, Listeners, Live, TcpPort};
use cs::{log, metrics, status};
use tokio::net::TcpListener;
use tokio_util::net::Listener as _;

fn main() -> ExitCode {
    let matches = command().get_matches();
    if matches.subcommand_name().is_some() {
        return generate(&matches);
    }
    match start(&matches) {
        Ok(Ending::Stopped | Ending::GmLeft) => ExitCode::SUCCESS,
        Ok(Ending::GmLeftEarly | Ending::GmLost) => ExitCode::from(3),
        Err(failure) => exit_code(Err(failure)),
    }
}

/// Writes completions or manual pages.
fn generate(matches: &ArgMatches) -> ExitCode {
    let generate = Generate::from_arg_matches(matches).unwrap_or_else(|error| error.exit());
    exit_code(generate.run(command()).map_err(Failure::from))
}

fn start(matches: &ArgMatches) -> Result<Ending, Failure> {
    let config = config(matches)?;
    let log = log::start(config.log_directory.as_deref(), config.log.as_ref()).map_err(|error| {
        let hint = "choose another folder with --log-directory, or none with --log-directory ''";
        Failure::undone(format!("no log can be written: {error:#}"), hint)
    })?;
    // One core moves more messages than any game sends, and a relay on one thread has no locks to wait for.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        // Look for new messages after every turn of the relay, which is one step of one task.
        .event_interval(1)
        .build()
        .map_err(|error| Failure::undone(format!("the runtime cannot start: {error}"), "try again"))?;
    runtime.block_on(serve(config, &log))
}

async fn serve(config: Config, log: &Log) -> Result<Ending, Failure> {
    let agents = listen(&config, config.port_agents, "agents", "--port-agents")?;
    let gm = listen(&config, config.port_gm, "the game master", "--port-gm")?;
    if let Err(error) = tcp::allow(config.limits.connections) {
        tracing::warn!("{error}");
    }
    let unknown = |error: io::Error| {
        Failure::undone(format!("the system does not say at which port it listens: {error}"), "try again")
    };
    let (agents_at, gm_at) = (agents.local_addr().map_err(unknown)?, gm.local_addr().map_err(unknown)?);
    let live = Live::default();
    let mut metrics_at = String::new();
    if let Some(port) = config.metrics_port {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).await;
        let listener =
            listener.map_err(|error| cannot_listen("metrics", address, "--metrics-port", &error))?;
        metrics_at = format!(", metrics on {address}");
        tokio::spawn(metrics::serve(listener, live.clone()));
    }
    let stopped = signals::stop().map_err(|error| Failure::without_signals(&error))?;
    print(&format!("cs: agents on {agents_at}, game master on {gm_at}{metrics_at}\n"))?;
    tokio::spawn(log.watch());
    if io::stderr().is_terminal() {
        tokio::spawn(status::show(live.clone(), log.console()));
    }
    let listeners = Listeners { agents, gm };
    // As a task of its own: what wakes the runtime's main future goes through the system.
    let ending = tokio::spawn(async move { server::run(listeners, &config, live, stopped).await });
    ending.await.map_err(|error| Failure::undone(format!("the relay failed: {error}"), "start it again"))
}

fn listen(config: &Config, port: u16, whom: &str, flag: &str) -> Result<TcpPort, Failure> {
    let address = SocketAddr::new(config.listen, port);
    TcpPort::bind(address).map_err(|error| cannot_listen(whom, address, flag, &error))
}

fn cannot_listen(whom: &str, address: SocketAddr, flag: &str, error: &io::Error) -> Failure {
    let hint = tcp::listen_hint(address, flag, error);
    Failure::undone(format!("cannot listen for {whom} on {address}: {error}"), hint)
}

/// Returns the defaults, the file over them, the flags over the file.
fn config(matches: &ArgMatches) -> Result<Config, Failure> {
    let asked = Asked::of(&PARAMETERS, matches);
    let file = asked.content(tell);
    let file = file.map_err(|error| error.failure(r#"{"portAgentow": 3727}"#))?;
    Config::layered(&file, &asked.flags).map_err(|error| {
        Failure::misuse(error.to_string(), "`cs --help` has each parameter with its default")
    })
}

fn command() -> Command {
    let flags = flags(&PARAMETERS).map(|flag| match flag.get_id().as_str() {
        // The port that most users mean.
        "portAgentow" => flag.visible_aliases(["port", "port-agents"]),
        _ => flag,
    });
    let command = Command::new("cs")
        .version(env!("CARGO_PKG_VERSION"))
        .args_conflicts_with_subcommands(true)
        .disable_help_subcommand(true)
        .after_help("Exit codes: 0 stopped, or the game has ended and the game master left; 1 cannot start; 2 faulty configuration; 3 game master lost, or gone before the game had ended")
        .args(flags);
    // Its own words would take the place of those of the program.
    Generate::augment_subcommands(command)
        .about("The communication server: relays messages between agents and the game master")
}
