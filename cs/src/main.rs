//! The communication server as a program.
//!
//! Exit codes: 0 if it was stopped (Ctrl-C, SIGTERM) or the game master left after the end of the game, 1 if it cannot
//! start, 2 if its configuration is invalid, 3 if the game master was lost or left before the end of the game.

use std::fs;
use std::future::Future;
use std::io::{self, IsTerminal as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use anyhow::{Context as _, Result, anyhow};
use clap::{Arg, ArgMatches, Command, FromArgMatches as _, Subcommand as _};
use command_line::Generate;
use cs::config::{Config, ConfigError, PARAMETERS, flag};
use cs::log::Log;
use cs::router::Ending;
use cs::server::{self, Listeners, Live, TcpPort};
use cs::{log, metrics, status};
use game_env::configuration;
use game_env::parameter::Parameter;
use tokio::net::TcpListener;
use tokio_util::net::Listener as _;

/// Files that are open beside the connections: listeners, log, the runtime's own.
const OTHER_FILES: u64 = 64;

fn main() -> ExitCode {
    let matches = command().get_matches();
    if matches.subcommand_name().is_some() {
        return generate(&matches);
    }
    match start(&matches) {
        Ok(Ending::Stopped | Ending::GmLeft) => ExitCode::SUCCESS,
        Ok(Ending::GmLeftEarly | Ending::GmLost) => ExitCode::from(3),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(if error.is::<ConfigError>() || error.is::<ConfigFile>() { 2 } else { 1 })
        }
    }
}

/// Writes completions or manual pages.
fn generate(matches: &ArgMatches) -> ExitCode {
    let generate = Generate::from_arg_matches(matches).unwrap_or_else(|error| error.exit());
    match generate.run(command()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}\nhint: {}", error.hint());
            ExitCode::FAILURE
        }
    }
}

fn start(matches: &ArgMatches) -> Result<Ending> {
    let config = config(matches)?;
    let log = log::start(config.log_directory.as_deref(), config.log.as_ref()).map_err(|error| {
        let hint = "choose another folder with --log-directory, or none with --log-directory ''";
        anyhow!("no log can be written: {error:#}\nhint: {hint}")
    })?;
    // One core moves more messages than any game sends, and a relay on one thread has no locks to wait for.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        // Look for new messages after every turn of the relay, which is one step of one task.
        .event_interval(1)
        .build()
        .context("the runtime cannot start")?;
    runtime.block_on(serve(config, &log))
}

async fn serve(config: Config, log: &Log) -> Result<Ending> {
    let agents = listen(&config, config.port_agents, "agents", "port-agentow")?;
    let gm = listen(&config, config.port_gm, "the game master", "port-gm")?;
    make_room_for(config.limits.connections as u64);
    let (agents_at, gm_at) = (agents.local_addr()?, gm.local_addr()?);
    let live = Live::default();
    let mut metrics_at = String::new();
    if let Some(port) = config.metrics_port {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|error| cannot_listen("metrics", address, "metrics-port", &error))?;
        metrics_at = format!(", metrics on {address}");
        tokio::spawn(metrics::serve(listener, live.clone()));
    }
    let stopped = stop_signal()?;
    println!("cs: agents on {agents_at}, game master on {gm_at}{metrics_at}");
    io::stdout().flush().context("standard output is closed")?;
    tokio::spawn(log.watch());
    if io::stderr().is_terminal() {
        tokio::spawn(status::show(live.clone(), log.console()));
    }
    let listeners = Listeners { agents, gm };
    // As a task of its own: what wakes the runtime's main future goes through the system.
    let ending = tokio::spawn(async move { server::run(listeners, &config, live, stopped).await });
    ending.await.context("the relay failed")
}

fn listen(config: &Config, port: u16, whom: &str, flag: &str) -> Result<TcpPort> {
    let address = SocketAddr::new(config.listen, port);
    TcpPort::bind(address).map_err(|error| cannot_listen(whom, address, flag, &error))
}

fn cannot_listen(whom: &str, address: SocketAddr, flag: &str, error: &io::Error) -> anyhow::Error {
    let hint = match error.kind() {
        io::ErrorKind::AddrInUse => format!("end the program that has port {}, or choose", address.port()),
        io::ErrorKind::AddrNotAvailable => {
            return anyhow!(
                "cannot listen for {whom} on {address}: {error}\nhint: this machine has no such address; --listen \
                 0.0.0.0 takes all that it has"
            );
        }
        _ => "choose".to_owned(),
    };
    anyhow!("cannot listen for {whom} on {address}: {error}\nhint: {hint} another port with --{flag}")
}

/// Ready when somebody wants the server to end.
#[cfg(unix)]
fn stop_signal() -> Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt()).context("Ctrl-C cannot be listened for")?;
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM cannot be listened for")?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ready when somebody wants the server to end.
#[cfg(not(unix))]
fn stop_signal() -> Result<impl Future<Output = ()> + Send> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    })
}

/// Asks the system for as many open files as there may be connections, and says so if it gives fewer.
#[cfg(unix)]
fn make_room_for(connections: u64) {
    let wanted = connections + OTHER_FILES;
    match rlimit::increase_nofile_limit(wanted) {
        Ok(limit) if limit >= wanted => {}
        Ok(limit) => tracing::warn!(
            "the system allows {limit} open files: about {} of maxConnections = {connections}",
            limit.saturating_sub(OTHER_FILES)
        ),
        Err(error) => tracing::warn!("the limit on open files is unknown: {error}"),
    }
}

#[cfg(not(unix))]
fn make_room_for(_connections: u64) {}

/// The defaults, the file over them, the flags over the file.
fn config(matches: &ArgMatches) -> Result<Config> {
    let file = match matches.get_one::<String>("config") {
        None => configuration::File::default(),
        Some(path) => {
            let unusable = |why: String| ConfigFile { path: path.clone(), why };
            let file = fs::File::open(path).map_err(|error| unusable(error.to_string()))?;
            let file = configuration::read(file).map_err(|error| unusable(error.to_string()))?;
            file.notice(path).iter().for_each(|notice| eprintln!("{notice}"));
            file
        }
    };
    let given = |parameter: &Parameter| {
        let text = matches.get_one::<String>(parameter.name)?;
        Some((parameter.name, parameter.parse(text)))
    };
    Ok(Config::layered(&file, &PARAMETERS.iter().filter_map(given).collect())?)
}

/// A configuration file that cannot be read as one JSON object.
#[derive(Debug, thiserror::Error)]
#[error(
    "the configuration file `{path}` cannot be used: {why}\nhint: it is one JSON object, e.g. {{\"portAgentow\": 3727}}"
)]
struct ConfigFile {
    path: String,
    why: String,
}

fn command() -> Command {
    let file = Arg::new("config")
        .long("config")
        .value_name("FILE")
        .help("A JSON file with any of the parameters below");
    let flags = PARAMETERS.iter().map(|known| {
        let help = format!("{} [file: {}; default: {}]", known.description(), known.name, known.default);
        let flag = Arg::new(known.name).long(flag(known)).value_name("VALUE").allow_hyphen_values(true);
        // The port that most users mean.
        let other = if known.name == "portAgentow" { &["port", "port-agents"][..] } else { &[] };
        flag.visible_aliases(other.iter().copied()).help(help)
    });
    let command = Command::new("cs")
        .version(env!("CARGO_PKG_VERSION"))
        .args_conflicts_with_subcommands(true)
        .disable_help_subcommand(true)
        .after_help("Exit codes: 0 stopped, or the game has ended and the game master left; 1 cannot start; 2 faulty configuration; 3 game master lost, or gone before the game had ended")
        .arg(file)
        .args(flags);
    // Its own words would take the place of those of the program.
    Generate::augment_subcommands(command)
        .about("The communication server: relays messages between agents and the game master")
}
