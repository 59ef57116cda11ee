//! A game that is attacked: communication server and game master as child processes, and honest agents.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use game_project::Team;
use tempfile::TempDir;

use super::peer::{DEADLINE, Honest, Site};
use super::program::{Program, Programs};

/// Settings of a game that is to be attacked.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Agents of a team; one of each is honest, the other places are for attackers.
    pub team_size: usize,
    /// Further arguments of the communication server.
    pub cs: &'static [&'static str],
    /// Further arguments of the game master.
    pub gm: &'static [&'static str],
    /// Whether nobody reads the log of the communication server.
    pub log_is_unread: bool,
}

impl Rules {
    /// One honest agent a team, every setting at its default.
    pub const PLAIN: Self = Self { team_size: 1, cs: &[], gm: &[], log_is_unread: false };
}

/// Addresses of the programs of a game.
#[derive(Clone, Debug)]
pub struct Target {
    /// The programs, for attackers that are one.
    pub programs: Programs,
    /// The communication server's port for agents.
    pub agents: SocketAddr,
    /// Its port for the game master.
    pub gm: SocketAddr,
    /// Its port for Prometheus.
    pub metrics: SocketAddr,
    /// The game master's board.
    pub board: Site,
}

/// A communication server that runs.
pub struct Server {
    /// The program.
    pub program: Program,
    /// Its port for agents.
    pub agents: SocketAddr,
    /// Its port for the game master.
    pub gm: SocketAddr,
    /// Its port for Prometheus.
    pub metrics: SocketAddr,
}

impl Server {
    /// Starts one with these arguments.
    ///
    /// # Errors
    ///
    /// If it does not listen.
    pub fn start(programs: &Programs, address_space_mib: u64, rules: &Rules) -> Result<Self> {
        // Another program may take the port for metrics between its choice and the start.
        let is_taken = |error: &anyhow::Error| format!("{error:#}").contains("Address already in use");
        let mut started = Self::start_once(programs, address_space_mib, rules);
        for _ in 0..3 {
            if !started.as_ref().is_err_and(is_taken) {
                break;
            }
            started = Self::start_once(programs, address_space_mib, rules);
        }
        started
    }

    fn start_once(programs: &Programs, address_space_mib: u64, rules: &Rules) -> Result<Self> {
        let metrics = free_port()?;
        let ports = ["--port-agentow", "0", "--port-gm", "0", "--log-directory", ""];
        let start = programs
            .start("cs")
            .args(ports)
            .args(["--metrics-port".to_owned(), metrics.port().to_string()])
            .args(rules.cs)
            .address_space(address_space_mib);
        let program = if rules.log_is_unread { start.stderr_unread() } else { start }.spawn()?;
        let line = program.wait_for_line("cs: agents on ", DEADLINE)?;
        let address = |word: &str| -> Result<SocketAddr> {
            let rest = line.split_once(word).with_context(|| format!("`{line}` has no `{word}`"))?.1;
            Ok(rest.split([',', ' ']).next().unwrap_or_default().parse()?)
        };
        let (agents, gm) = (address("agents on ")?, address("game master on ")?);
        Ok(Self { program, agents, gm, metrics })
    }
}

/// An address on which nobody listens.
///
/// # Errors
///
/// If the system has none.
pub fn free_port() -> Result<SocketAddr> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?)
}

/// A game master that runs, with its board.
pub struct Master {
    /// The program.
    pub program: Program,
    /// Its board.
    pub board: Site,
}

impl Master {
    /// Starts one that hosts a game on this server.
    ///
    /// # Errors
    ///
    /// If it does not show its board.
    pub fn start(
        programs: &Programs,
        address_space_mib: u64,
        server: SocketAddr,
        words: &[String],
    ) -> Result<Self> {
        let server = server.to_string();
        let program = programs
            .start("reference-gm")
            .args(["--headless", "--page", "127.0.0.1:0", "--cs", &server])
            .args(words)
            .address_space(address_space_mib)
            .spawn()?;
        let line = program.wait_for_line("the game page is at ", DEADLINE)?;
        let board = Site::of(line.trim_start_matches("the game page is at "))?;
        Ok(Self { program, board })
    }
}

/// Settings of a small board without penalties, on which discoveries alone end nothing.
fn small(team_size: usize) -> Vec<String> {
    let set = |pair: &str| ["--set".to_owned(), pair.to_owned()];
    let quick = ["movePenalty=0", "discoveryPenalty=0", "putPenalty=0", "boardX=20", "boardY=20"];
    let team_size = format!("teamSize={team_size}");
    quick.into_iter().chain([team_size.as_str()]).flat_map(set).collect()
}

/// The game, and the honest agents in it.
pub struct Game {
    /// The communication server.
    pub server: Server,
    /// The game master.
    pub master: Master,
    /// An agent of each team.
    pub honest: Vec<Honest>,
    /// The addresses of the programs.
    pub target: Target,
    _folder: TempDir,
}

/// Longest time for a program to end after SIGTERM.
///
/// It takes a second. On a machine whose disk and cores have other work to do, the last journal and the last replays
/// are written later.
pub const LONGEST_END: Duration = Duration::from_secs(120);

impl Game {
    /// Starts the programs, and lets the honest agents join.
    ///
    /// # Errors
    ///
    /// If a program does not start.
    pub fn start(programs: &Programs, address_space_mib: u64, rules: &Rules) -> Result<Self> {
        let server = Server::start(programs, address_space_mib, rules)?;
        let folder = tempfile::tempdir()?;
        let replay = folder.path().join("game.replay").display().to_string();
        let mut words = small(rules.team_size);
        words.extend(["--start-when-full".to_owned(), "--replay".to_owned(), replay]);
        words.extend(rules.gm.iter().map(|word| (*word).to_owned()));
        let master = Master::start(programs, address_space_mib, server.gm, &words)?;
        let target = Target {
            programs: programs.clone(),
            agents: server.agents,
            gm: server.gm,
            metrics: server.metrics,
            board: master.board.clone(),
        };
        let honest: Vec<_> = Team::ALL.map(|team| Honest::start(server.agents, team)).into();
        // Before any attacker may take their places.
        for agent in &honest {
            agent.wait_until(DEADLINE, "a place in the game", |record| record.has_joined)?;
        }
        Ok(Self { server, master, honest, target, _folder: folder })
    }

    /// Waits until the game has begun for the honest agents.
    ///
    /// # Errors
    ///
    /// If it does not begin.
    pub fn wait_until_begun(&self) -> Result<()> {
        self.honest
            .iter()
            .try_for_each(|agent| agent.wait_until(DEADLINE, "the start", |record| record.has_begun))
    }

    /// Waits until every honest agent has got this many further answers.
    ///
    /// # Errors
    ///
    /// If one of them takes longer than `limit`.
    pub fn wait_for_answers(&self, count: u64, limit: Duration) -> Result<()> {
        self.honest.iter().try_for_each(|agent| agent.wait_for_answers(count, limit))
    }

    /// Stops the game by SIGTERM to the game master: no honest answer may be lost until then, and both programs
    /// have to end by themselves, in order.
    ///
    /// # Errors
    ///
    /// If anything of this does not happen in time.
    pub fn end(&self) -> Result<Ended> {
        self.honest.iter().try_for_each(|agent| agent.rest(DEADLINE))?;
        let (code, master) = self.master.program.terminate(LONGEST_END)?;
        ensure!(code == Some(0), "the game master ended with {code:?}");
        for agent in &self.honest {
            agent.wait_until(DEADLINE, "the end of its connection", |record| record.is_closed)?;
        }
        let status = self.server.program.wait_for_end(DEADLINE)?;
        // 3 where the game was stopped on equal points: then nothing tells the server that it is over.
        ensure!(matches!(status.code(), Some(0 | 3)), "the communication server ended with {status}");
        let records: Vec<_> = self.honest.iter().map(Honest::record).collect();
        let (asked, answered) =
            records.iter().fold((0, 0), |sum, record| (sum.0 + record.asked, sum.1 + record.answered));
        ensure!(asked == answered, "{} honest answers were lost", asked - answered);
        let slowest = records.iter().map(|record| record.quantile(0.99)).max().unwrap_or_default();
        Ok(Ended { answered, slowest, master })
    }
}

/// Results of a game that was ended.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// Honest requests that were answered.
    pub answered: u64,
    /// The larger of the honest agents' 99th percentiles.
    pub slowest: Duration,
    /// Time that the game master took to end after SIGTERM.
    pub master: Duration,
}
