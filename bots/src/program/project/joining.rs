//! Agents that join a game on a communication server.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bots::project::scripted::{self, Script, ScriptFileError, obey};
use clap::Args;
use command_line::signals;
use command_line::{Failure, drawn_seed, open_file, print, quoted_words, shown};
use game_env::Seed;
use game_env::text::counted;
use game_project::Team;
use sdk::agent::{Agent, Blocking, Report};
use sdk::driver::session::{End, News};
use sdk::knowledge::LONGEST_MESSAGE;
use serde_json::{Value, json};
use strategies::project::registry::BoxedStrategy;
use strategies::project::room::ProjectRoom;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Duration, sleep, timeout};

use super::agent_file::{DEFAULT_PORT, JoinSettings};
use super::blunders::Blunders;
use crate::program::arguments::Joining;
use crate::program::programs::{self, is_program};
use crate::program::runtime;
use crate::program::screen::Screen;

/// Time that agents wait for an answer before the program says that none comes.
const SILENCE: Duration = Duration::from_secs(3);

/// Longest time for the server to close its end after the agent's.
const FAREWELL: Duration = Duration::from_secs(2);

/// The flags of agents of The Project Game.
#[derive(Args, Default)]
pub(super) struct Flags {
    /// A file with CsIP, CsPort, teamID, strategy [default: agent.json, if there is one].
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// The server's port for agents; its host is CsIP, or 127.0.0.1 without a file.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..), conflicts_with = "server")]
    pub(super) port: Option<u16>,
    /// The team to ask for, red or blue [default: red].
    #[arg(long, conflicts_with = "script")]
    pub(super) team: Option<Team>,
    /// The number of agents [default: as many as the line-up names].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=3000))]
    pub(super) agents: Option<u16>,
    /// The longest body of a message that the server takes [default: 8190].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(256..))]
    #[arg(conflicts_with = "script")]
    pub(super) max_message_bytes: Option<u16>,
    /// Follow this script instead of a strategy; bots/scripts has examples.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["strategy", "seed"])]
    pub(super) script: Option<PathBuf>,
}

/// Joins a game, and plays it to its end.
///
/// # Errors
///
/// If the flags or the file have faults, or the game is not played to its end.
pub(super) fn play(joining: &Joining, flags: &Flags, screen: &Screen) -> Result<(), Failure> {
    let script = flags.script.as_deref().map(read_script).transpose()?;
    let settings = JoinSettings::new(joining, flags)?;
    let processes = programs::processes()?;
    programs::check(&processes, settings.line_up.entrants())?;
    let seed = joining.seed.map_or_else(drawn_seed, Ok)?;
    let count = match (flags.agents, &script) {
        (Some(count), _) => count.into(),
        (None, Some(_)) => 1,
        (None, None) => settings.line_up.size(),
    };
    let command = command(flags, &settings, seed, count);
    let longest_message = flags.max_message_bytes.unwrap_or(LONGEST_MESSAGE);
    let room = ProjectRoom::shipped().starting(Arc::new(processes));
    let agents = LocalAgents { settings, seed, count, command, script, longest_message, room };
    let runtime = runtime()?;
    let played = runtime.block_on(agents.play(joining.json, screen));
    // Agents that were told to leave may still wait for their programs.
    runtime.shutdown_background();
    played
}

fn read_script(path: &Path) -> Result<Script, Failure> {
    let hint = "the notation is described in bots/src/project/scripted/mod.rs; bots/scripts has examples";
    let file = open_file(path).map_err(ScriptFileError::Unreadable);
    file.and_then(Script::read).map_err(|error| {
        let path = shown(path);
        match error {
            ScriptFileError::Unreadable(error) => {
                Failure::misuse(format!("cannot read {path}: {error}"), hint)
            }
            error => Failure::misuse(format!("{path} is no script\n{error}"), hint),
        }
    })
}

/// Returns the command that sends the same agents again.
fn command(flags: &Flags, settings: &JoinSettings, seed: Seed, count: usize) -> String {
    let mut words = vec!["join".to_owned(), settings.server()];
    match &flags.script {
        Some(path) => words.extend(["--script".to_owned(), shown(path)]),
        None => {
            let (team, line_up) = (settings.team.to_string(), settings.line_up.to_string());
            words.extend(["--strategy".to_owned(), line_up, "--team".to_owned(), team]);
            words.extend(["--seed".to_owned(), seed.to_string()]);
            if let Some(bytes) = flags.max_message_bytes {
                words.extend(["--max-message-bytes".to_owned(), bytes.to_string()]);
            }
        }
    }
    words.extend(["--agents".to_owned(), count.to_string()]);
    command_line::command("bots", &quoted_words(&words))
}

/// The agents of this process.
struct LocalAgents {
    settings: JoinSettings,
    seed: Seed,
    count: usize,
    command: String,
    script: Option<Script>,
    longest_message: u16,
    room: ProjectRoom,
}

/// Result of one of the agents.
#[derive(Clone, PartialEq, Debug)]
enum AgentEnd {
    Over {
        winner: Team,
    },
    Obeyed,
    Died,
    Left,
    TurnedAway {
        /// Reason, in the words of the server.
        reason: Option<String>,
    },
    /// The connection was closed in order, and no winner was announced.
    Unannounced {
        team: Team,
        covered: u32,
        goals: u32,
    },
    Closed,
    /// Its program has failed, for this reason.
    GaveUp(String),
    Unplayable(String),
    NoAnswer,
    NoServer(Vec<u8>),
}

impl LocalAgents {
    async fn play(self, json: bool, screen: &Screen) -> Result<(), Failure> {
        let server = self.settings.server();
        let mut streams = Vec::new();
        for _ in 0..self.count {
            let connected = tcp::dial((self.settings.host.as_str(), self.settings.port)).await;
            streams.push(connected.map_err(|error| {
                Failure::undone(
                    format!("no communication server at {server}: {error}"),
                    format!(
                        "start one with `{}`, or name another HOST:PORT",
                        command_line::command("cs", "")
                    ),
                )
            })?);
        }
        let (leave, leaving) = watch::channel(false);
        let stopped = signals::stop().map_err(|error| Failure::without_signals(&error))?;
        let signals = tokio::spawn(async move {
            stopped.await;
            leave.send_replace(true);
            // The sender lives on: agents that ask later whether to leave still get an answer.
            std::future::pending::<()>().await;
        });
        let blunders = Blunders::new(screen, &self.command);
        let answers = self.announce(&server, screen);
        let mut agents = JoinSet::new();
        for (place, stream) in streams.into_iter().enumerate() {
            let left = until_left(leaving.clone());
            match &self.script {
                Some(script) => {
                    let script = script.clone();
                    agents.spawn(async move { (place, follow(stream, &script, left).await) });
                }
                None => {
                    let entrant = self.entrant(place);
                    let strategy = self.room.strategy(entrant, self.seed);
                    let strategy = strategy
                        .map_err(|error| Failure::misuse(error, "`bots list` shows the strategies"))?;
                    let seat = Seat {
                        name: format!("agent {} of {} ({entrant})", place + 1, self.count),
                        entrant: entrant.to_owned(),
                        strategy,
                        team: self.settings.team,
                        seed: self.seed,
                        longest_message: self.longest_message,
                        screen: screen.clone(),
                        answers: answers.clone(),
                        blunders: blunders.clone(),
                    };
                    agents.spawn(async move { (place, seat.play(stream, left).await) });
                }
            }
        }
        let ends = self.ends(agents, until_left(leaving)).await;
        signals.abort();
        let count = blunders.sum_up();
        print(&if json { self.document(&ends, count) } else { self.text(&ends) })?;
        ends.iter().find_map(|end| end.failure(&server)).map_or(Ok(()), Err)
    }

    /// Prints that the agents wait for the game master's answer; again, with a hint, if no answer comes.
    fn announce(&self, server: &str, screen: &Screen) -> Answers {
        let agents = counted(self.count as u64, "agent", "agents");
        if self.script.is_some() {
            screen.say(&format!("connected to {server}: {agents} with a script"));
            return Answers::default();
        }
        screen.say(&format!(
            "connected to {server}: {agents} asked to join {}; waiting for the game master's answer",
            self.settings.team
        ));
        let answers = Answers::default();
        let (own, screen, server) = (answers.clone(), screen.clone(), server.to_owned());
        tokio::spawn(async move {
            sleep(SILENCE).await;
            if own.count() == 0 {
                screen.say(&format!(
                    "no answer from {server} for {} s; still waiting\n\
                     hint: start a game master if there is none; agents need the communication server's port for \
                     agents, {DEFAULT_PORT} by default, not that for the game master; `--game NAME` joins a server of \
                     another game",
                    SILENCE.as_secs()
                ));
            }
        });
        answers
    }

    /// Waits for the ends of all agents. After the signal to leave, waits at most twice [`FAREWELL`] for agents whose
    /// programs do not answer.
    async fn ends(
        &self,
        mut agents: JoinSet<(usize, AgentEnd)>,
        left: impl Future<Output = ()>,
    ) -> Vec<AgentEnd> {
        let mut ends = vec![AgentEnd::Left; self.count];
        let joining = async {
            while let Some(ended) = agents.join_next().await {
                let (place, end) = ended.unwrap_or_else(|error| resume_unwind(error.into_panic()));
                ends[place] = end;
            }
        };
        let given_up = async {
            left.await;
            sleep(FAREWELL * 2).await;
        };
        tokio::select! {
            () = joining => {}
            () = given_up => {}
        }
        ends
    }

    fn entrant(&self, place: usize) -> &str {
        self.settings.line_up.entrant(place)
    }

    fn name(&self, place: usize) -> &str {
        if self.script.is_some() { "scripted" } else { self.entrant(place) }
    }

    fn text(&self, ends: &[AgentEnd]) -> String {
        let mut text = String::new();
        for (place, end) in ends.iter().enumerate() {
            text += &format!("agent {} ({}): {}\n", place + 1, self.name(place), end.told());
        }
        // A game in which no agent has played is not worth repeating.
        if ends.iter().all(|end| end.failure(&self.settings.server()).is_some()) {
            return text;
        }
        if self.script.is_none() {
            text += &format!("seed {}; ", self.seed);
        }
        text + &format!("the same agents join the next game with: {}\n", self.command)
    }

    fn document(&self, ends: &[AgentEnd], blunders: u64) -> String {
        let agents: Vec<Value> = ends
            .iter()
            .enumerate()
            .map(|(place, end)| {
                let winner = end.winner().map(|winner| winner.to_string());
                json!({ "agent": place + 1, "strategy": self.name(place), "end": end.word(), "winner": winner })
            })
            .collect();
        let document = json!({
            "agents": agents,
            "server": self.settings.server(),
            "seed": self.seed.to_string(),
            "blunders": blunders,
            "command": self.command,
        });
        format!("{document:#}\n")
    }
}

/// Ready when the agents are to leave.
async fn until_left(mut leaving: watch::Receiver<bool>) {
    if leaving.wait_for(|leave| *leave).await.is_err() {
        // The sender is gone, so the agents are never told to leave.
        std::future::pending::<()>().await;
    }
}

/// The number of agents that have had an answer to their request to join. Clones count together.
#[derive(Clone, Default)]
struct Answers(Arc<AtomicUsize>);

impl Answers {
    fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// One agent with a strategy.
struct Seat {
    name: String,
    /// The name of its strategy, or its command.
    entrant: String,
    strategy: BoxedStrategy,
    team: Team,
    seed: Seed,
    longest_message: u16,
    screen: Screen,
    answers: Answers,
    blunders: Blunders,
}

impl Seat {
    async fn play(self, mut stream: TcpStream, left: impl Future<Output = ()>) -> AgentEnd {
        let watch = |report| match report {
            Report::Blunder(blunder) => self.blunders.report(&self.entrant, &blunder),
            Report::News(News::Joined) => {
                self.answers.add();
                self.screen
                    .say(&format!("{} plays for {}; waiting for the game to begin", self.name, self.team));
            }
            Report::News(News::Began) => self.screen.say(&format!("{}: the game begins", self.name)),
            Report::News(News::Senseless(reason)) => {
                tracing::warn!("{}: ignored an invalid message: {reason}", self.name);
            }
            report => self.screen.say(&format!("{}: {report}", self.name)),
        };
        let agent = Agent::builder(self.team).seed(self.seed).longest_message(self.longest_message);
        let agent = agent.over(&mut stream);
        let playing = async {
            if is_program(&self.entrant) {
                agent.play_watched(Blocking(self.strategy), watch).await
            } else {
                agent.play_watched(self.strategy, watch).await
            }
        };
        let end = tokio::select! {
            played = playing => played.end,
            () = left => {
                leave(stream).await;
                return AgentEnd::Left;
            }
        };
        // After any end, the agent waits for no answer any more.
        self.answers.add();
        match end {
            End::Over { winner } => AgentEnd::Over { winner },
            End::TurnedAway { reason } => AgentEnd::TurnedAway { reason },
            End::Unannounced { covered, goals } => AgentEnd::Unannounced { team: self.team, covered, goals },
            End::Closed => AgentEnd::Closed,
            End::GaveUp(reason) => AgentEnd::GaveUp(reason),
            End::Unplayable(reason) => AgentEnd::Unplayable(reason),
            End::NoAnswer => AgentEnd::NoAnswer,
            End::NoServer(sent) => AgentEnd::NoServer(sent),
        }
    }
}

/// One agent with a script.
async fn follow(mut stream: TcpStream, script: &Script, left: impl Future<Output = ()>) -> AgentEnd {
    let end = tokio::select! {
        end = obey(&mut stream, script) => end,
        () = left => {
            leave(stream).await;
            return AgentEnd::Left;
        }
    };
    match end {
        scripted::End::Obeyed => AgentEnd::Obeyed,
        scripted::End::Over { winner } => AgentEnd::Over { winner },
        scripted::End::TurnedAway => AgentEnd::TurnedAway { reason: None },
        scripted::End::Closed => AgentEnd::Closed,
        scripted::End::Died => {
            // The server sees a reset, as of a process that was killed. Where the system cannot do that, the
            // connection ends all the same.
            let _ = stream.set_zero_linger();
            AgentEnd::Died
        }
    }
}

/// Closes this end and reads until the other is closed, so that nothing is lost that is on its way.
async fn leave(mut stream: TcpStream) {
    let farewell = async {
        stream.shutdown().await?;
        let mut rest = [0; 4096];
        while stream.read(&mut rest).await? > 0 {}
        std::io::Result::Ok(())
    };
    // A peer that takes longer, or is gone already, need not be waited for.
    let _ = timeout(FAREWELL, farewell).await;
}

impl AgentEnd {
    /// Returns the winner, as far as the agent knows.
    fn winner(&self) -> Option<Team> {
        match self {
            Self::Over { winner } => Some(*winner),
            Self::Unannounced { team, covered, goals } if covered == goals => Some(*team),
            _ => None,
        }
    }

    fn word(&self) -> &'static str {
        match self {
            Self::Over { .. } => "over",
            Self::Obeyed => "obeyed",
            Self::Died => "died",
            Self::Left => "left",
            Self::TurnedAway { .. } => "rejected",
            Self::Unannounced { .. } => "unannounced",
            Self::Closed => "closed",
            Self::GaveUp(_) => "gave up",
            Self::Unplayable(_) => "unplayable",
            Self::NoAnswer => "no answer",
            Self::NoServer(_) => "no server",
        }
    }

    fn told(&self) -> String {
        match self {
            Self::Over { winner } => format!("the game is over, {winner} wins"),
            Self::Obeyed => "its script is done, it has left".to_owned(),
            Self::Died => "it died, as its script says".to_owned(),
            Self::Left => "it has left".to_owned(),
            Self::TurnedAway { reason: Some(reason) } => format!("it was rejected: {reason}"),
            Self::TurnedAway { reason: None } => "it was rejected".to_owned(),
            Self::Unannounced { team, goals, .. } if self.winner().is_some() => {
                format!(
                    "the connection was closed, and nobody said who won; {team} has covered all {goals} goals"
                )
            }
            Self::Unannounced { team, covered, goals } => format!(
                "the connection was closed, and nobody said who won: the game was stopped without a winner, or a \
                 server has ended; as far as the agent knows, {team} has covered {covered} of {goals} goals"
            ),
            Self::Closed => "the connection was lost before the game was over".to_owned(),
            Self::GaveUp(reason) => format!("it has left the game: {}", first_line(reason)),
            Self::Unplayable(reason) => format!("the game cannot be played: {reason}"),
            Self::NoAnswer => "nobody has answered its request to join".to_owned(),
            Self::NoServer(_) => "what it has connected to is no communication server".to_owned(),
        }
    }

    fn failure(&self, server: &str) -> Option<Failure> {
        match self {
            Self::Over { .. } | Self::Unannounced { .. } | Self::Obeyed | Self::Died | Self::Left => None,
            Self::TurnedAway { reason: Some(reason) } => {
                // Our communication server ends some reasons with a hint of its own.
                let (why, hint) = reason.split_once("; hint: ").unwrap_or((
                    reason,
                    "if the server is full, wait until an agent leaves, or raise the limit that it names; name its \
                     port for agents as HOST:PORT",
                ));
                let why = format!("the communication server at {server} rejected an agent: {why}");
                Some(Failure::undone(why, hint))
            }
            Self::TurnedAway { reason: None } => Some(Failure::undone(
                format!("the game master at {server} rejected an agent"),
                "the team is full, or the game has begun: try `--team`, or wait for the next game",
            )),
            Self::GaveUp(reason) => Some(Failure::undone(
                format!("an agent has left the game: {}", first_line(reason)),
                "its program can be tried with `bots --virtual`, without a server",
            )),
            Self::Closed => Some(Failure::undone(
                format!("the connection to {server} ended"),
                "the game was stopped, or one of the servers is gone; start them again. At a port of a league, ask for \
                 the team of this port with `--team`",
            )),
            Self::Unplayable(reason) => Some(Failure::undone(
                format!("the game at {server} cannot be played: {reason}"),
                "the game master has to announce a game that the rules allow",
            )),
            Self::NoAnswer => Some(Failure::undone(
                format!("nobody at {server} has answered the request to join"),
                "start a game master, and name the communication server's port for agents as HOST:PORT",
            )),
            Self::NoServer(sent) => Some(Failure::undone(
                format!("this is no communication server: {server} sent `{}`", sent.escape_ascii()),
                "name the communication server's port for agents as HOST:PORT",
            )),
        }
    }
}

/// Returns the reason alone: what a program has written was shown when it came.
fn first_line(reason: &str) -> &str {
    reason.lines().next().unwrap_or(reason)
}
