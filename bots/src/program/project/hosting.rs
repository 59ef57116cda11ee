//! A game over real TCP without a server to start first: communication server, game master and agents in this
//! process.

use std::mem;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use bots::project::line_up::EntrantLineUp;
use bots::project::loopback::Loopback;
use command_line::signals;
use command_line::{Failure, chain};
use game_env::matches::{MatchRecord, MatchSpec};
use game_env::text::counted;
use game_env::{ByTeam, Disruption, Environment as _, Measured as _, Notation as _, TeamId, Turn, Witness};
use game_project::profile::Meter;
use game_project::{Event, State};
use reference_gm::project::config::HostConfig;
use reference_gm::project::console;
use reference_gm::project::link::{Command, Ending, Observer, Order};
use reference_gm::project::page::{MasterPage, Operated, PageObserver};
use reference_gm::project::players::{header, silence};
use reference_gm::project::{Master, News, Settings};
use reference_gm::recorder::Recorder;
use sdk::agent::{Agent, Blocking, Report};
use sdk::driver::session;
use sdk::prelude::*;
use sdk::strategy::Resignation;
use strategies::programs::Processes;
use strategies::project::registry::BoxedStrategy;
use strategies::project::room::ProjectRoom;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::{Duration, timeout};
use viewer::games::project::lobby::Starts;
use viewer::server::{Place, ServerLimits, ViewerServer};

use super::super::{ANY_PORT, no_page};
use super::blunders::Blunders;
use super::host_config;
use crate::program::arguments::Playing;
use crate::program::programs::{is_program, refuse_unready};
use crate::program::rooms::Hosted;
use crate::program::runtime;
use crate::program::screen::Screen;
use crate::program::series::{PROGRAM, Series};

/// Longest time for agents to leave after the game.
const FAREWELL: Duration = Duration::from_secs(5);

/// A game to host: the teams, the board and the seed.
struct Game {
    line_ups: ByTeam<EntrantLineUp>,
    programs: Processes,
    room: ProjectRoom,
    host: HostConfig,
    spec: MatchSpec,
    /// Command that plays the same board again, over TCP and on the virtual clock.
    command: String,
    virtual_command: String,
}

impl Game {
    fn new(playing: &Playing, series: &Series, seed: Seed) -> Result<Self, Failure> {
        let line_up = |team: Team| {
            let text = series.line_up(TeamId::from(team).index());
            text.parse().map_err(|error: String| Failure::misuse(error, "`bots list` shows the strategies"))
        };
        let [red, blue] = Team::ALL.map(line_up);
        let line_ups: ByTeam<EntrantLineUp> = ByTeam::new([red?, blue?]);
        let longest = line_ups.iter().map(EntrantLineUp::size).max().unwrap_or_default();
        let programs = series.programs().clone();
        Ok(Self {
            host: host_config(playing, longest)?,
            line_ups,
            room: ProjectRoom::shipped().starting(Arc::new(programs.clone())),
            programs,
            spec: series.spec(seed),
            command: series.command(playing, false),
            virtual_command: series.command(playing, true),
        })
    }

    fn seed(&self) -> Seed {
        self.spec.seed
    }

    /// Returns the names of each team's strategies, in the order in which its agents join.
    fn strategies(&self) -> ByTeam<Vec<String>> {
        let size = usize::from(self.host.game.team_size());
        let of = |team: Team| (0..size).map(|place| self.line_ups[team].entrant(place).to_owned()).collect();
        ByTeam::new(Team::ALL.map(of))
    }

    /// Returns the commands that may repeat a blunder.
    fn repetition(&self) -> String {
        format!("{}\nor over TCP, where timing decides too: {}", self.virtual_command, self.command)
    }
}

/// Plays the game of this series with this seed.
///
/// # Errors
///
/// If it cannot be hosted here, or is called off.
pub(super) fn play(
    playing: &Playing,
    series: &Series,
    seed: Seed,
    replay: Option<&Path>,
    screen: &Screen,
) -> Result<Hosted, Failure> {
    let game = Game::new(playing, series, seed)?;
    let recorder = match replay {
        None => Recorder::default(),
        Some(path) => Recorder::create(path)
            .map_err(|error| Failure::undone(chain(&error), "choose another file with --replay"))?,
    };
    let runtime = runtime()?;
    let hosted = runtime.block_on(host(playing, &game, screen, recorder));
    runtime.shutdown_background();
    hosted
}

async fn host(
    playing: &Playing,
    game: &Game,
    screen: &Screen,
    recorder: Recorder,
) -> Result<Hosted, Failure> {
    let no_ports = |error| {
        Failure::undone(
            format!("no game can be hosted on the loopback address: {error}"),
            "`--virtual` plays without a network",
        )
    };
    let loopback = Loopback::open().await.map_err(no_ports)?;
    let stopped = signals::stop().map_err(|error| Failure::without_signals(&error))?;
    let server = loopback.agents();
    let settings = Settings { seed: game.seed(), start_when_full: true, ..game.host.settings(game.seed()) };
    let (commands, inbox) = mpsc::channel(4);
    let (page_server, page) = serve_page(playing, game, screen, &settings, commands.clone())?.unzip();
    let blunders = Blunders::new(screen, &game.repetition());
    let mut progress = Progress::new(screen, game, recorder, commands.clone());
    let by_user = commands.clone();
    let signals = tokio::spawn(async move {
        stopped.await;
        // The receiver is gone if the game is over already.
        let _ = by_user.send(Command::Stop.into()).await;
    });
    let seating = async {
        let seated = seat_all(game, server, screen, &blunders, page.as_ref()).await;
        if seated.is_err() {
            // Without all agents the game would never start.
            let _ = commands.send(Command::Stop.into()).await;
        }
        seated
    };
    let hosting = async {
        match &page {
            Some(page) => {
                let shown = PageObserver::new(page.clone(), game.strategies());
                loopback.host(settings, inbox, &mut (&mut progress, shown)).await
            }
            None => loopback.host(settings, inbox, &mut progress).await,
        }
    };
    let ((master, ending), seated) = tokio::join!(hosting, seating);
    if let Some(page_server) = page_server {
        page_server.close("the game is over");
    }
    signals.abort();
    screen.show("");
    let agents = seated?;
    // Agents may still wait for their programs.
    let _ = timeout(FAREWELL, agents.join_all()).await;
    sum_up(game, progress, &blunders, &master, ending)
}

/// Ends the replay, and returns the results of the game if it was played to its end.
fn sum_up(
    game: &Game,
    progress: Progress,
    blunders: &Blunders,
    master: &Master,
    ending: Ending,
) -> Result<Hosted, Failure> {
    let Progress { recorder, unready, meter, steps, .. } = progress;
    // Also of a game that could not be played to its end: up to there it is a replay.
    let replay = recorder
        .finish()
        .map(drop)
        .map_err(|error| Failure::undone(chain(&error), "choose another file with --replay"));
    if let Some(unready) = unready {
        return Err(unready);
    }
    let lost = match ending {
        Ending::Done => None,
        Ending::ServerLost(None) => Some("it closed the connection".to_owned()),
        Ending::ServerLost(Some(error)) => Some(error.to_string()),
        Ending::Refused(reason) => Some(reason),
        Ending::NoServer(words) => Some(format!("it said `{}`", words.escape_ascii())),
    };
    if let Some(why) = lost {
        return Err(Failure::undone(
            format!("the communication server of this process was lost: {why}"),
            format!("try again: {}", game.command),
        ));
    }
    let blunders = blunders.sum_up();
    let called_off =
        || Failure::undone("the game was called off before it began", format!("try again: {}", game.command));
    let state = master.game().ok_or_else(called_off)?;
    let (Some(meter), Turn::Over(outcome)) = (&meter, state.turn()) else {
        return Err(called_off());
    };
    let record = MatchRecord {
        spec: game.spec.clone(),
        program: PROGRAM.to_owned(),
        rules: State::RULES,
        outcome,
        time: state.clock(),
        steps,
        decisions: steps,
        metrics: state.metrics(meter),
        hash: state.hash(),
        blunders,
        first_blunders: Vec::new(),
        failed: Vec::new(),
    };
    let figures = console::table(state, meter.statistics(), master.seats(), game.seed());
    Ok(Hosted { record, figures, replay })
}

/// Returns the game page, where there is a terminal or the user asked for the page.
fn serve_page(
    playing: &Playing,
    game: &Game,
    screen: &Screen,
    settings: &Settings,
    orders: mpsc::Sender<Order>,
) -> Result<Option<(ViewerServer, MasterPage)>, Failure> {
    let address = match &playing.page {
        Some(address) => address,
        None if screen.is_terminal() => ANY_PORT,
        None => return Ok(None),
    };
    let starts = Starts { when_full: settings.start_when_full, after: settings.start_after };
    let operated = Operated { config: game.host.clone(), orders, starts, drawn: game.seed() };
    let (page_server, page) = Place::take(address)
        .and_then(|place| MasterPage::serve(place, ServerLimits::default(), operated))
        .map_err(|error| no_page(address, &error))?;
    screen.say(&format!("the game page is at {}", page_server.url()));
    Ok(Some((page_server, page)))
}

/// Lets one agent after the other join, red's first, so that ids and strategies are those of a game on the
/// virtual clock.
async fn seat_all(
    game: &Game,
    server: SocketAddr,
    screen: &Screen,
    blunders: &Blunders,
    page: Option<&MasterPage>,
) -> Result<JoinSet<()>, Failure> {
    let mut agents = JoinSet::new();
    let size = usize::from(game.host.game.team_size());
    let mut ids = AgentId::all(2 * size);
    for team in Team::ALL {
        for place in 0..game.host.game.team_size() {
            let entrant = game.line_ups[team].entrant(place.into()).to_owned();
            let strategy = game.room.strategy(&entrant, game.seed());
            let strategy =
                strategy.map_err(|error| Failure::misuse(error, "`bots list` shows the strategies"))?;
            let builder = Agent::builder(team)
                .server(server.to_string())
                .seed(game.seed())
                .longest_message(game.host.longest_message);
            let agent = builder
                .connect()
                .await
                .map_err(|error| Failure::undone(chain(&error), "`--virtual` plays without connections"))?;
            let (joined, has_joined) = oneshot::channel();
            let page = page.cloned().zip(ids.next());
            let player = Player { entrant, strategy, joined, page };
            agents.spawn(player.play(agent, screen.clone(), blunders.clone()));
            if has_joined.await.is_err() {
                return Err(Failure::undone(
                    format!("an agent of {team} could not join"),
                    "the log says why: `--log debug`",
                ));
            }
        }
    }
    Ok(agents)
}

/// An agent of the game, before it joins.
struct Player {
    /// The name of its strategy, or its command.
    entrant: String,
    strategy: BoxedStrategy,
    /// Is told when it has joined.
    joined: oneshot::Sender<()>,
    /// The page that shows its notes, and its id there.
    page: Option<(MasterPage, AgentId)>,
}

impl Player {
    async fn play(self, agent: Agent, screen: Screen, blunders: Blunders) {
        let Self { entrant, strategy, joined, page } = self;
        let mut joined = Some(joined);
        let watch = |report| match report {
            Report::Blunder(blunder) => blunders.report(&entrant, &blunder),
            Report::News(session::News::Joined) => {
                // The receiver is gone if the game was called off.
                let _ = joined.take().map(|joined| joined.send(()));
            }
            Report::News(session::News::Began) => {}
            Report::News(session::News::Senseless(reason)) => {
                tracing::warn!("ignored an invalid message: {reason}");
            }
            report => tracing::info!("{report}"),
        };
        let is_program = is_program(&entrant);
        let strategy: BoxedStrategy = match page {
            Some((page, id)) => Box::new(Noting { strategy, notes: Notes::new(true), page, id }),
            None => strategy,
        };
        let played = if is_program {
            agent.play_watched(Blocking(strategy), watch).await
        } else {
            agent.play_watched(strategy, watch).await
        };
        match played.end {
            session::End::Unplayable(reason) => {
                screen.say(&format!("an agent ({entrant}) cannot play: {reason}"));
            }
            session::End::GaveUp(reason) => {
                screen.say(&format!("an agent ({entrant}) has left the game: {reason}"));
            }
            // All other ends are reported by the game master.
            _ => {}
        }
    }
}

/// A strategy whose notes are shown on the page of the game that it plays in.
struct Noting<S> {
    strategy: S,
    /// Its own note buffer: agents on the network keep none.
    notes: Notes,
    page: MasterPage,
    id: AgentId,
}

impl<S> Noting<S> {
    fn noting<T>(&mut self, view: &mut View<'_>, act: impl FnOnce(&mut S, &mut View<'_>) -> T) -> T {
        mem::swap(view.notes, &mut self.notes);
        let done = act(&mut self.strategy, view);
        mem::swap(view.notes, &mut self.notes);
        done
    }
}

impl<S: Strategy> Strategy for Noting<S> {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let choice = self.noting(view, Strategy::act);
        if let Some(note) = self.notes.take() {
            self.page.note(self.id, note);
        }
        choice
    }

    fn begin(&mut self, view: &mut View<'_>) {
        self.noting(view, Strategy::begin);
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        self.noting(view, |strategy, view| strategy.hear(view, notice));
    }

    fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        self.noting(view, |strategy, view| strategy.answer(view, question))
    }

    fn gives_up(&mut self) -> Option<Resignation> {
        self.strategy.gives_up()
    }

    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        self.noting(view, |strategy, view| strategy.end(view, winner));
    }
}

/// Shows the progress of a game, writes the replay, and stops the game if a program could not begin it.
struct Progress {
    screen: Screen,
    recorder: Recorder,
    programs: Processes,
    orders: mpsc::Sender<Order>,
    /// The failure of a program that could not begin.
    unready: Option<Failure>,
    /// The metrics and the number of actions, from the start of the game.
    meter: Option<Meter>,
    steps: u64,
    goals: u32,
    seed: Seed,
    strategies: ByTeam<Vec<String>>,
    began: Option<Instant>,
    /// The seconds of the game at the last line, if lines are written from time to time.
    told: u64,
}

/// Seconds between two lines where no line can be redrawn.
const SECONDS_PER_LINE: u64 = 10;

impl Progress {
    fn new(screen: &Screen, game: &Game, recorder: Recorder, orders: mpsc::Sender<Order>) -> Self {
        let goals = game.host.game.goals();
        let (screen, strategies) = (screen.clone(), game.strategies());
        Self {
            screen,
            recorder,
            programs: game.programs.clone(),
            orders,
            unready: None,
            meter: None,
            steps: 0,
            goals,
            seed: game.seed(),
            strategies,
            began: None,
            told: 0,
        }
    }

    fn seconds(&self) -> u64 {
        self.began.map_or(0, |began| began.elapsed().as_secs())
    }

    /// Returns the time and points.
    fn status(&self, master: &Master) -> String {
        let Some(state) = master.game() else { return "waiting for agents".to_owned() };
        let [red, blue] = state.points().into_inner();
        let goals = self.goals;
        format!("{:>4} s   red {red}/{goals}   blue {blue}/{goals}   Ctrl-C stops", self.seconds())
    }

    fn tell(&mut self, master: &Master) {
        if self.screen.is_terminal() {
            self.screen.show(&self.status(master));
        } else {
            self.told = self.seconds();
            let status = self.status(master);
            self.screen.say(status.trim_end_matches("   Ctrl-C stops"));
        }
    }

    fn warn(&mut self, recorded: Result<(), reference_gm::recorder::RecorderError>) {
        if let Err(error) = recorded {
            self.screen.say(&format!("warning: {}; the game goes on without it", chain(&error)));
        }
    }
}

impl Observer for Progress {
    fn news(&mut self, master: &Master, news: &News) {
        match news {
            News::Started => {
                let started = master.game().zip(header(master, &self.strategies));
                let Some((state, header)) = started else { return };
                self.began = Some(Instant::now());
                self.meter = Some(state.meter());
                let geometry = state.config().geometry();
                let [red, blue] = state.config().agents().into_inner();
                let goals = counted(state.config().goals(), "goal", "goals");
                self.screen.say(&format!(
                    "the game starts: {red} against {blue} agents, board {}×{}, {goals} for each team, seed {}",
                    geometry.columns(),
                    geometry.rows(),
                    self.seed
                ));
                let recorded = self.recorder.begin(&header);
                self.warn(recorded);
            }
            News::Scored { .. } => self.tell(master),
            News::Silent { agents, span } => {
                self.screen.say(&format!("warning: {}", silence(agents, *span, master.settings())));
            }
            News::Lost { agent } => self.screen.say(&format!("agent {agent} is gone")),
            News::Senseless { agent, reason } => tracing::warn!(?agent, "{reason}"),
            News::Unsent { to, message, length } => {
                tracing::warn!("message {message} for agent {to} has {length} bytes and is not sent");
            }
            News::Joined { .. }
            | News::TurnedAway { .. }
            | News::Foreign { .. }
            | News::Configured
            | News::NotConfigured(_)
            | News::CannotStart { .. }
            | News::StartTooLong { .. }
            | News::Over(_)
            | News::CalledOff => {}
        }
    }

    fn nonsense(&mut self, reason: &str) {
        tracing::warn!("from the communication server: {reason}");
    }

    fn second(&mut self, master: &Master) {
        if self.screen.is_terminal() || self.seconds() >= self.told + SECONDS_PER_LINE {
            self.tell(master);
        }
        let recorded = self.recorder.flush();
        self.warn(recorded);
        if self.unready.is_none() {
            self.unready = refuse_unready(&self.programs).err();
        }
        if self.unready.is_some() {
            // An order that finds no place is given again a second later.
            let _ = self.orders.try_send(Command::Stop.into());
        }
    }
}

impl Witness<State> for Progress {
    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        self.steps += 1;
        self.meter.action(state, now, agent, action);
        self.recorder.action(state, now, agent, action);
    }

    fn event(&mut self, now: SimTime, event: &Event) {
        self.meter.event(now, event);
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        self.meter.disruption(state, now, disruption);
        self.recorder.disruption(state, now, disruption);
    }

    fn end(&mut self, state: &State, now: SimTime) {
        self.meter.end(state, now);
        self.recorder.end(state, now);
    }
}
