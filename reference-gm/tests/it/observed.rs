//! A game master's console without readers, which reports the progress of the game to a test.

use std::io::{self, Sink as Nowhere};

use game_env::{AgentId, Disruption, SimTime, Witness};
use game_project::{Action, State};
use reference_gm::project::console::Console;
use reference_gm::project::link::Observer;
use reference_gm::project::{Master, News};
use reference_gm::recorder::Recorder;
use tokio::sync::watch;

/// The progress of a game.
#[derive(Clone, Copy, Default)]
pub(crate) struct Progress {
    pub(crate) begun: bool,
    /// Requests that were served.
    pub(crate) requests: u64,
    /// Agents that were lost.
    pub(crate) lost: usize,
}

/// An observer that writes a replay, shows its progress, and counts the pieces with all news.
pub(crate) struct Observed {
    console: Console<Nowhere>,
    progress: watch::Sender<Progress>,
}

impl Observed {
    pub(crate) fn new(recorder: Recorder) -> (Self, watch::Receiver<Progress>) {
        let (sender, progress) = watch::channel(Progress::default());
        (Self { console: Console::new(io::sink(), recorder), progress: sender }, progress)
    }

    pub(crate) fn lost(&self) -> usize {
        self.progress.borrow().lost
    }

    /// The recorder, when the game is over. A task that waits for the game's progress waits no longer.
    pub(crate) fn into_recorder(self) -> Recorder {
        self.console.into_recorder()
    }
}

/// Panics unless there are as many pieces in play as ever.
pub(crate) fn check_pieces(state: &State) {
    let setup = state.setup();
    let in_hand = setup.agents.iter().filter(|agent| agent.hand.is_some()).count();
    assert_eq!(setup.pieces.len() + in_hand, state.config().pieces() as usize, "pieces were lost");
}

impl Observer for Observed {
    fn news(&mut self, master: &Master, news: &News) {
        self.console.news(master, news);
        master.game().map(check_pieces);
        self.progress.send_modify(|progress| match news {
            News::Started => progress.begun = true,
            News::Lost { .. } => progress.lost += 1,
            _ => {}
        });
    }

    fn nonsense(&mut self, reason: &str) {
        self.console.nonsense(reason);
    }

    fn second(&mut self, master: &Master) {
        self.console.second(master);
    }
}

impl Witness<State> for Observed {
    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        self.console.action(state, now, agent, action);
        self.progress.send_modify(|progress| progress.requests += 1);
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        self.console.disruption(state, now, disruption);
    }

    fn end(&mut self, state: &State, now: SimTime) {
        self.console.end(state, now);
    }
}
