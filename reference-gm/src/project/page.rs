//! Connects the game master to the game page: passes the operator's orders to the game master, and its events to the
//! page.
//!
//! It shows nothing and decides nothing. [`viewer`] does not depend on a game master, and the game
//! master's loop does not depend on a page.

use std::sync::Arc;

use game_env::{Parameters, Seed, Value};
use game_project::ConfigError;
use tokio::sync::mpsc;

use crate::layers::Layer;
use crate::project::config::{self, HostConfig};
use crate::project::link::{self, Command, Journal};
use crate::project::master::{self, Master, News, Settings};
use crate::project::players::{players, silence};
use viewer::games::project::host::{Host, NotConfigured, NotListening, Order, Starts};
use viewer::games::project::host_events::QueueWriter;
use viewer::setting::Setting;

/// The game master as the game page sees it.
#[derive(Clone, Debug)]
pub struct Operated {
    /// The configuration of the game.
    pub config: HostConfig,
    /// The receiver of orders.
    pub orders: mpsc::Sender<link::Order>,
    /// The events that start the game without an operator.
    pub starts: Starts,
    /// The seed where none is chosen.
    pub drawn: Seed,
}

impl Host for Operated {
    fn settings(&self) -> Vec<Setting> {
        let shown = |(parameter, (_, value, origin)): (&_, &(String, Value, Layer))| Setting {
            parameter: *parameter,
            value: value.clone(),
            origin: origin.to_string(),
        };
        config::parameters().iter().zip(&self.config.origins).map(shown).collect()
    }

    fn team_size(&self) -> u16 {
        self.config.game.team_size()
    }

    fn server(&self) -> (String, u16) {
        self.config.server.clone()
    }

    fn starts(&self) -> Starts {
        self.starts
    }

    fn changed(&self, asked: &Parameters) -> Result<Arc<dyn Host>, ConfigError> {
        Ok(Arc::new(Self { config: self.config.changed(asked)?, ..self.clone() }))
    }

    fn order(&self, order: Order) -> Result<(), NotListening> {
        let order = match order {
            Order::Start => Command::Start.into(),
            Order::Stop => Command::Stop.into(),
            Order::Configure => {
                let Starts { when_full, after } = self.starts;
                let settings = self.config.settings(self.drawn);
                let settings = Settings { start_when_full: when_full, start_after: after, ..settings };
                link::Order::Settings(Box::new(settings))
            }
            Order::Connect => {
                let (host, port) = self.config.server.clone();
                link::Order::Connect(host, port)
            }
        };
        self.orders.try_send(order).map_err(|_| NotListening)
    }
}

impl From<master::NotConfigured> for NotConfigured {
    fn from(reason: master::NotConfigured) -> Self {
        match reason {
            master::NotConfigured::TooLate => Self::TooLate,
            master::NotConfigured::Faulty(error) => Self::Faulty(error),
        }
    }
}

impl Journal for QueueWriter {
    fn news(&mut self, master: &Master, news: &News) {
        match news {
            News::Joined { .. } | News::Lost { .. } | News::Configured => {
                if let Some(members) = master.lobby() {
                    self.lobby(master.settings().config.team_size(), members.clone());
                }
                if *news == News::Configured {
                    self.configured(Ok(()));
                }
            }
            News::Silent { agents, span } => self.warned(silence(agents, *span, master.settings())),
            News::NotConfigured(reason) => self.configured(Err(reason.clone().into())),
            News::Started => {
                let (Some(state), Some(seats)) = (master.game(), master.seats()) else { return };
                self.began(state, master.settings().seed, players(state, seats, self.strategies()));
            }
            _ => {}
        }
    }

    fn nonsense(&mut self, _: &str) {}

    fn second(&mut self, _: &Master) {}
}
