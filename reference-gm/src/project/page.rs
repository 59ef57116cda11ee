//! Connects the game master to the game page: passes the operator's orders to the game master, and its events to the
//! page.
//!
//! It shows nothing and decides nothing. [`viewer`] does not depend on a game master, and the game
//! master's loop does not depend on a page.

use std::collections::VecDeque;
use std::io;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use game_env::{AgentId, ByTeam, Disruption, Fault, Note, Parameters, Seed, SimTime, Value, Witness};
use game_project::{Action, ConfigError, State};
use tokio::sync::mpsc;
use viewer::games::project::lobby::{GamePage, Server, Starts};
use viewer::matches::{self, Answer, LiveMatch, Request};
use viewer::server::{Place, ServerLimits, ViewerServer};
use viewer::setting::Setting;

use crate::layers::Layer;
use crate::project::config::{self, HostConfig};
use crate::project::link::{Command, Observer, Order};
use crate::project::master::{Master, News, NotConfigured, Settings};
use crate::project::players::{players, relaxed_rules, silence};

/// The hosting of a game whose page an operator uses.
#[derive(Clone, Debug)]
pub struct Operated {
    /// The configuration at the start.
    pub config: HostConfig,
    /// The receiver of the operator's orders.
    pub orders: mpsc::Sender<Order>,
    /// The automatic start of the game.
    pub starts: Starts,
    /// The seed where none is chosen.
    pub drawn: Seed,
}

/// The game master's page. Clones are handles of the same page.
#[derive(Clone, Debug)]
pub struct MasterPage {
    page: GamePage,
    operation: Arc<Mutex<Operation>>,
}

#[derive(Debug)]
struct Operation {
    /// The present configuration of the host.
    operated: Operated,
    /// The configurations that the game master has not said anything about, in order, and the requests for them.
    asked: VecDeque<(HostConfig, Answer)>,
    /// Whether there is an observer that will answer them.
    is_heard: bool,
}

impl MasterPage {
    /// Serves the page of a game from its lobby on, and passes the operator's orders on in a task of the present
    /// runtime.
    ///
    /// # Errors
    ///
    /// If the system has no thread, no socket or no random bits left.
    pub fn serve(
        place: Place,
        server_limits: ServerLimits,
        operated: Operated,
    ) -> io::Result<(ViewerServer, Self)> {
        let (server, page, requests) = ViewerServer::single(place, server_limits)?;
        let page = GamePage::new(page, operated.config.game.team_size(), operated.starts);
        let operation = Operation { operated, asked: VecDeque::new(), is_heard: true };
        let own = Self { page, operation: Arc::new(Mutex::new(operation)) };
        own.show_settings(own.operation().operated.config.clone());
        tokio::spawn(own.clone().serve_requests(requests));
        Ok((server, own))
    }

    /// Shows what became of the connection to the communication server.
    pub fn server(&self, server: Server) {
        self.page.server(server);
    }

    /// Shows what the strategy of an agent notes. It never waits; if viewers are far behind, the note is lost.
    pub fn note(&self, agent: AgentId, note: Note) {
        self.page.note(agent, note);
    }

    fn show_settings(&self, config: HostConfig) {
        self.page.settings(PageSettings { config, page: Some(self.page.clone()) });
    }

    async fn serve_requests(self, mut requests: mpsc::Receiver<Request<State>>) {
        while let Some(request) = requests.recv().await {
            match request {
                Request::Start { answer, .. } => self.operation().pass_on(Command::Start.into(), answer),
                Request::Stop { answer } => self.operation().pass_on(Command::Stop.into(), answer),
                Request::Connect { answer } => {
                    let mut operation = self.operation();
                    let (host, port) = operation.operated.config.server.clone();
                    operation.pass_on(Order::Connect(host, port), answer);
                }
                Request::Configure { parameters, answer } => self.configure(&parameters, answer),
                // Nobody plays on this page.
                _ => {}
            }
        }
    }

    fn configure(&self, asked: &Parameters, answer: Answer) {
        // Under the lock, so that the game master hears of configurations in the order of their list.
        let mut operation = self.operation();
        let present =
            PageSettings { config: operation.operated.config.clone(), page: Some(self.page.clone()) };
        let config = match present.changed(asked) {
            Ok(config) => config,
            Err(error) => return answer.refuse_settings(error),
        };
        let Operated { starts: Starts { when_full, after }, drawn, .. } = operation.operated;
        let settings = Settings { start_when_full: when_full, start_after: after, ..config.settings(drawn) };
        let is_passed_on = operation.is_heard && operation.try_pass_on(Order::Settings(Box::new(settings)));
        if is_passed_on {
            operation.asked.push_back((config, answer));
        } else {
            answer.refuse(NOT_LISTENING);
        }
    }

    /// The game master has taken the configuration that was asked for first, or not.
    fn configured(&self, result: Result<(), NotConfigured>) {
        let mut operation = self.operation();
        let Some((config, answer)) = operation.asked.pop_front() else { return };
        match result {
            Ok(()) => {
                operation.operated.config = config.clone();
                self.show_settings(config);
                answer.accept();
            }
            Err(NotConfigured::Faulty(error)) => answer.refuse_settings(error),
            Err(error @ NotConfigured::TooLate) => answer.refuse(error.to_string()),
        }
    }

    fn operation(&self) -> MutexGuard<'_, Operation> {
        // Nothing that is done under the lock can panic half-way.
        self.operation.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const NOT_LISTENING: &str = "the game master does not listen any more";

impl Operation {
    fn pass_on(&mut self, order: Order, answer: Answer) {
        if self.try_pass_on(order) { answer.accept() } else { answer.refuse(NOT_LISTENING) }
    }

    fn try_pass_on(&mut self, order: Order) -> bool {
        self.operated.orders.try_send(order).is_ok()
    }
}

/// The settings of the game master as its page shows them.
#[derive(Clone, Debug)]
pub struct PageSettings {
    /// The configuration.
    pub config: HostConfig,
    /// The page; none if nobody can use the settings.
    pub page: Option<GamePage>,
}

impl PageSettings {
    /// Returns the configuration with these values over its own, unless they name another server than the one that the
    /// game master is connected to.
    fn changed(&self, asked: &Parameters) -> Result<HostConfig, ConfigError> {
        let changed = self.config.changed(asked)?;
        if !self.page.as_ref().is_some_and(GamePage::is_connected) {
            return Ok(changed);
        }
        let ((host, port), (other_host, other_port)) = (&self.config.server, &changed.server);
        let fault = |name: &str, value: Value, present: String| {
            Fault::new(name, &value, "the game master is connected already", format!("{present}, as it is"))
        };
        let mut faults = Vec::new();
        if host != other_host {
            faults.push(fault("CsIP", Value::Text(other_host.clone()), host.clone()));
        }
        if port != other_port {
            faults.push(fault("CsPort", Value::Whole((*other_port).into()), port.to_string()));
        }
        if faults.is_empty() { Ok(changed) } else { Err(ConfigError::new(faults)) }
    }
}

impl matches::Settings for PageSettings {
    fn settings(&self) -> Vec<Setting> {
        let shown = |(parameter, (_, value, origin)): (&_, &(String, Value, Layer))| Setting {
            parameter: *parameter,
            value: value.clone(),
            origin: origin.to_string(),
        };
        config::parameters().iter().zip(&self.config.origins).map(shown).collect()
    }

    fn check(&self, asked: &Parameters) -> Result<Vec<Setting>, ConfigError> {
        Ok(Self { config: self.changed(asked)?, page: None }.settings())
    }
}

/// Shows a game on the game master's page: an observer that never waits for viewers.
#[derive(Debug)]
pub struct PageObserver {
    page: MasterPage,
    strategies: ByTeam<Vec<String>>,
    game: Option<LiveMatch<State>>,
}

impl PageObserver {
    /// Shows a game on this page. The strategies are each team's in the order in which it joins, as far as they are
    /// known.
    pub fn new(page: MasterPage, strategies: ByTeam<Vec<String>>) -> Self {
        Self { page, strategies, game: None }
    }
}

impl Drop for PageObserver {
    fn drop(&mut self) {
        // The game master will say nothing more.
        let mut operation = self.page.operation();
        operation.is_heard = false;
        let unanswered = mem::take(&mut operation.asked);
        unanswered.into_iter().for_each(|(_, answer)| answer.refuse(NOT_LISTENING));
    }
}

impl Observer for PageObserver {
    fn news(&mut self, master: &Master, news: &News) {
        match news {
            News::Joined { .. } | News::Lost { .. } | News::Configured => {
                if let Some(members) = master.lobby() {
                    self.page.page.lobby(master.settings().config.team_size(), members.clone());
                }
                if *news == News::Configured {
                    self.page.configured(Ok(()));
                }
            }
            News::Silent { agents, span } => self.page.page.warn(&silence(agents, *span, master.settings())),
            News::NotConfigured(reason) => self.page.configured(Err(reason.clone())),
            News::Started => {
                let (Some(state), Some(seats)) = (master.game(), master.seats()) else { return };
                let players = players(state, seats, &self.strategies);
                self.game = Some(self.page.page.open(state, master.settings().seed, players));
                if let Some(text) = relaxed_rules(&master.settings().config, state.config()) {
                    self.page.page.warn(&text);
                }
            }
            _ => {}
        }
    }

    fn nonsense(&mut self, _: &str) {}

    fn second(&mut self, _: &Master) {}
}

impl Witness<State> for PageObserver {
    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        self.game.action(state, now, agent, action);
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        self.game.disruption(state, now, disruption);
    }

    fn end(&mut self, state: &State, now: SimTime) {
        self.game.end(state, now);
    }
}
