//! Communication server and game master in this process.

use std::time::Duration;

use async_trait::async_trait;
use bots::project::loopback::Loopback;
use game_env::{Outcome, Seed, Turn};
use game_project::statistics::Statistics;
use game_project::{Environment, RawConfig};
use reference_gm::project::Settings;
use reference_gm::project::console::Console;
use reference_gm::project::link::Order;
use reference_gm::recorder::Recorder;
use sdk::prelude::*;
use sdk::strategy::AsyncStrategy;
use strategies::project::climber::Climber;
use tokio::sync::{mpsc, watch};

/// Longer than any of these games takes; never waited for when all is well.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// A game of a moment.
pub(crate) fn tiny(team_size: i64) -> RawConfig {
    RawConfig {
        board_x: 5,
        board_y: 6,
        goal_area_height: 1,
        number_of_goals: 1,
        number_of_pieces: 8,
        team_size,
        sham_piece_probability: 0.1,
        move_penalty: 0,
        information_exchange_penalty: 0,
        discovery_penalty: 10,
        put_penalty: 0,
        check_for_sham_penalty: 0,
        destroy_piece_penalty: 0,
        ..RawConfig::default()
    }
}

/// Plays once a gate is open.
pub(crate) struct Later {
    pub(crate) gate: watch::Receiver<bool>,
    pub(crate) then: Climber,
}

#[async_trait]
impl AsyncStrategy for Later {
    async fn act(&mut self, view: &mut View<'_>) -> Choice {
        self.gate.wait_for(|open| *open).await.unwrap();
        Strategy::act(&mut self.then, view)
    }
}

/// Result of a hosted game.
pub(crate) struct Hosted {
    pub(crate) outcome: Option<Outcome>,
    pub(crate) statistics: Option<Statistics>,
}

/// Hosts a game that starts when both teams are full.
pub(crate) async fn host(loopback: Loopback, raw: &RawConfig) -> Hosted {
    let epoch = "2026-03-01T12:00:00Z".parse().unwrap();
    let settings = Settings::new(raw.check().unwrap(), Seed::new(7), epoch);
    let settings = Settings { start_when_full: true, ..settings };
    let mut console = Console::new(std::io::sink(), Recorder::default());
    // Kept until the end: an operator that is there and says nothing.
    let (_operator, orders) = mpsc::channel::<Order>(1);
    let hosting = loopback.host(settings, orders, &mut console);
    let (master, _) = tokio::time::timeout(TIMEOUT, hosting).await.expect("the game does not end");
    let outcome = master.game().and_then(|state| match state.turn() {
        Turn::Over(outcome) => Some(outcome),
        Turn::Act { .. } => None,
    });
    Hosted { outcome, statistics: master.statistics().cloned() }
}
