//! Plays matches on the real clock, with the game master or referee in this process, and agents that are programs in
//! any language, join from outside, or are shipped strategies.
//!
//! - [`commands`]: programs as entrants: their arguments and their limits,
//! - [`joining`]: agents that join from outside,
//! - [`page`]: a page on which matches are watched,
//! - `bricks`, `project`: one match of each game,
//! - [`host`]: measures whether this machine was fast enough; it is that of `child-process`, where all hosts of
//!   programs can use it.
//!
//! # What this module does not do
//!
//! It knows no rules. Each game that leagues play over the network has a room here, in `ROOMS`.

pub mod commands;
pub mod joining;
pub mod page;

mod bricks;
mod programs;
mod project;

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use child_process::host;
use child_process::{Guard, Isolation};
use game_env::matches::MatchSpec;
use game_env::replay::ReplayError;
use game_env::text::fit_for_a_log;
use game_env::{AgentId, ConfigError, Metrics, Parameters, SimTime, TeamId};
use tokio::runtime::Builder;

use self::commands::{CommandEntrant, Confine};
use self::host::HostLimits;
use self::joining::{JoiningEntrant, Ports};
use self::page::{OpenPage, Page};
use crate::executor::{CannotPlay, Executor, Played};

/// A game that can be played over the network.
pub(crate) struct NetworkRoom {
    /// Its name.
    pub(crate) game: &'static str,
    /// Plays a match, with its replay if that is wanted.
    play: fn(&Network, &MatchSpec, bool) -> Result<Played, CannotPlay>,
    /// For each agent of a replay, how long it could have sent a request at the end and sent none.
    idle_times: fn(&[u8]) -> Result<Vec<SimTime>, ReplayError>,
    /// Whether agents connect to a server. If not, they are programs that speak on their standard input and output.
    pub(crate) has_server: bool,
    /// The table of a league file with the settings of the game's host, if it has any.
    pub(crate) settings: Option<SettingsTable>,
    /// Describes the actions of the agents of a side in a match with these metrics; none if they did nothing.
    activity: fn(&Metrics, usize) -> Option<String>,
    /// Opens a page on which matches are watched, if the game has one.
    page: Option<OpenPage>,
}

/// A table of a league file with the settings of a game's host.
pub(crate) struct SettingsTable {
    /// Its key in the file.
    pub(crate) key: &'static str,
    /// Its name in messages.
    pub(crate) name: &'static str,
    /// The values of all settings, for a configuration of the game and the values of the file.
    pub(crate) complete: fn(&Parameters, &Parameters) -> Result<Parameters, ConfigError>,
}

static ROOMS: [NetworkRoom; 2] = [project::ROOM, bricks::ROOM];

/// Returns the games that can be played over the network.
pub fn games() -> Vec<&'static str> {
    ROOMS.iter().map(|room| room.game).collect()
}

/// Returns for each agent of a replay of this game, in the order of agent ids, how long it could have sent a request at
/// the end of the game and sent none.
///
/// # Errors
///
/// Fails if the replay is faulty or of another game.
pub(crate) fn idle_times(game: &str, replay: &[u8]) -> Result<Vec<SimTime>, ReplayError> {
    find(game).map_or(Ok(Vec::new()), |room| (room.idle_times)(replay))
}

/// Returns what the agents of a side did in a match of this game with these metrics, in words; none if they did
/// nothing.
pub fn activity(game: &str, metrics: &Metrics, side: usize) -> Option<String> {
    (find(game)?.activity)(metrics, side)
}

/// Returns whether the agents of this game connect to a server over the network: only then strategies and agents from
/// outside can play beside programs.
pub fn has_server(game: &str) -> bool {
    find(game).is_some_and(|room| room.has_server)
}

/// Returns the games whose matches can be watched on a page while a league plays them.
pub fn watched_games() -> Vec<&'static str> {
    ROOMS.iter().filter(|room| room.page.is_some()).map(|room| room.game).collect()
}

/// Returns the function that opens a page for this game, if it has one.
pub fn page_of(game: &str) -> Option<OpenPage> {
    find(game)?.page
}

pub(crate) fn find(game: &str) -> Option<&'static NetworkRoom> {
    ROOMS.iter().find(|room| room.game == game)
}

/// The metric of a match between programs: how many programs of each team have crashed.
pub const CRASHED_PROGRAMS: &str = "crashed_programs";

/// The source of the log of a match that did not begin: the agents that did not join, or were sent away.
pub(crate) const LOBBY: &str = "lobby";

/// The source of the log with the referee's report of a match.
pub const REFEREE: &str = "referee";

/// Returns the name of an agent in logs, with its team: `agent #2 (red)`.
pub(crate) fn agent_name(agent: AgentId, team: &str) -> String {
    format!("agent {agent} ({team})")
}

/// The threads of a match beside that of the game master: one may be busy with a strategy that thinks for long.
const THREADS: usize = 2;

/// Time that the end of a match waits for a strategy that does not return.
const FAREWELL: Duration = Duration::from_secs(1);

/// Runs a match to its end on threads of its own.
fn run<T>(game: impl Future<Output = Result<T, CannotPlay>>) -> Result<T, CannotPlay> {
    let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_all().build();
    let runtime = runtime.map_err(|error| CannotPlay(format!("cannot start threads: {error}")))?;
    let played = runtime.block_on(game);
    runtime.shutdown_timeout(FAREWELL);
    played
}

/// Rules of hosting for matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Longest time for agents to join.
    pub join: Duration,
    /// Longest time for programs to end after the game, and again after they were asked to end (SIGTERM).
    pub grace: Duration,
    /// The time after which a team without agents loses. If the other team loses its agents within this time, it is a
    /// draw.
    pub alone: Duration,
    /// Whether matches are repeated when this machine was too slow.
    pub checks_host: bool,
    /// The address at which agents from outside join.
    pub listen: IpAddr,
    /// Delay of each message between an agent and its server, in both directions.
    pub delay: Duration,
}

impl Rules {
    /// Returns the longest time of a match that is given up after `time`: agents join, play and end.
    pub(crate) fn longest_match(&self, time: SimTime) -> Duration {
        self.join + Duration::from(time) + 2 * self.grace
    }
}

/// Ten seconds to join, two to end; one for a team without agents; the machine's speed is checked; agents join from
/// this machine alone; messages are not delayed.
impl Default for Rules {
    fn default() -> Self {
        Self {
            join: Duration::from_secs(10),
            grace: Duration::from_secs(2),
            alone: Duration::from_secs(1),
            checks_host: true,
            listen: Ipv4Addr::LOCALHOST.into(),
            delay: Duration::ZERO,
        }
    }
}

/// Plays matches over the network.
#[derive(Clone, Debug)]
pub struct Network {
    program: String,
    guard: Guard,
    folder: PathBuf,
    rules: Rules,
    limits: HostLimits,
    confine: bool,
    /// The settings of the game's host; those that are missing have their defaults.
    settings: Parameters,
    page: Option<Arc<dyn Page>>,
    ports: Ports,
    /// By folder of a confined program: the reason why the program cannot have namespaces there, if it cannot.
    without_namespaces: Arc<Mutex<BTreeMap<PathBuf, Option<String>>>>,
}

impl Network {
    /// The name of this executor.
    pub const NAME: &str = "network";

    /// Creates an executor for a program of this name and version. The folders of entrants begin at `folder`; their
    /// programs run below `guard`.
    pub fn new(program: impl Into<String>, guard: Guard, folder: impl Into<PathBuf>, rules: Rules) -> Self {
        let (program, folder) = (program.into(), folder.into());
        let ports = Ports::at(rules.listen);
        Self {
            program,
            guard,
            folder,
            rules,
            limits: HostLimits::default(),
            confine: false,
            settings: Parameters::new(),
            page: None,
            ports,
            without_namespaces: Arc::default(),
        }
    }

    /// Returns the same executor with all programs confined, also those for which the match does not ask it.
    pub fn with_confinement(self) -> Self {
        Self { confine: true, ..self }
    }

    /// Returns the same executor with these settings of the game's host.
    pub fn with_settings(self, settings: Parameters) -> Self {
        Self { settings, ..self }
    }

    /// Returns the same executor with a page on which its matches are watched.
    pub fn with_page(self, page: Arc<dyn Page>) -> Self {
        Self { page: Some(page), ..self }
    }

    /// Returns the confinement of a program, if it is confined, and the reason if it has no namespaces.
    fn isolation(&self, entrant: &CommandEntrant) -> Option<(Isolation, Option<String>)> {
        (entrant.confine != Confine::No || self.confine).then(|| {
            match self.lacks_namespaces(&entrant.folder) {
                None => (Isolation::Namespaces, None),
                why => (Isolation::Filters, why),
            }
        })
    }

    /// Returns the reason why a program in this folder, which begins at the folder of the league, is confined without
    /// namespaces; none if it can have them. The system is asked once for each folder.
    pub fn lacks_namespaces(&self, folder: &str) -> Option<String> {
        let folder = self.folder.join(folder);
        let mut known = self.without_namespaces.lock().unwrap_or_else(PoisonError::into_inner);
        let check = || self.guard.check_namespaces([folder.as_path()]).err();
        known.entry(folder.clone()).or_insert_with(check).clone()
    }

    /// Checks that a program that may run only in namespaces can have them.
    ///
    /// # Errors
    ///
    /// If it cannot; the error gives the reason.
    pub fn check_confinement(&self, entrant: &CommandEntrant) -> Result<(), String> {
        if entrant.confine != Confine::Namespaces {
            return Ok(());
        }
        self.lacks_namespaces(&entrant.folder).map_or(Ok(()), |why| {
            let program = fit_for_a_log(entrant.run.first().map_or("", String::as_str));
            Err(format!("the program `{program}` has `confine = \"namespaces\"` and cannot have them: {why}"))
        })
    }

    /// Opens the ports of an entrant whose agents join from outside, unless they are open, and returns their addresses:
    /// the first team's, then the second team's.
    ///
    /// # Errors
    ///
    /// Fails if a port cannot be opened; the error names it.
    pub fn open_ports(&self, entrant: &JoiningEntrant) -> io::Result<[SocketAddr; 2]> {
        let address = |team| self.ports.of(entrant, TeamId::new(team))?.local_addr();
        Ok([address(0)?, address(1)?])
    }

    /// Returns the same executor with other limits on the faults of the host.
    pub fn with_limits(self, limits: HostLimits) -> Self {
        Self { limits, ..self }
    }
}

impl Executor for Network {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn program(&self) -> &str {
        &self.program
    }

    fn play(&self, spec: &MatchSpec, with_replay: bool) -> Result<Played, CannotPlay> {
        let room = find(&spec.game).ok_or_else(|| {
            let (game, known) = (&spec.game, games().join(", "));
            CannotPlay(format!("the game {game} is not played over the network: expected {known}"))
        })?;
        (room.play)(self, spec, with_replay)
    }
}
