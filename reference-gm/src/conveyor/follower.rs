//! The game as its controller knows it, sans-IO: follows the reports of the controller.

use game_conveyor::known::{Heard, InitialKnowledge, Known};
use game_env::{AgentId, Disruption, Environment as _, Seed, SimTime, Termination, Witness};

use super::controller::{End, News};

/// Follows the game of a controller, and shows it to a [`Witness`].
///
/// The game has no time: all of it happens at [`SimTime::START`].
#[derive(Debug)]
pub struct Follower<F, W> {
    open: F,
    game: Option<(Known, W)>,
}

/// The next input of a witness.
enum Step {
    Heard(AgentId, Heard),
    Disrupted(Disruption),
}

impl<F: FnMut(&InitialKnowledge) -> W, W: Witness<Known>> Follower<F, W> {
    /// Follows a game that has not begun; `open` makes the witness when it begins.
    pub fn new(open: F) -> Self {
        Self { open, game: None }
    }

    /// Returns the game, once it has begun.
    pub fn state(&self) -> Option<&Known> {
        self.game.as_ref().map(|(state, _)| state)
    }

    /// Returns the game and its witness, if it has begun.
    pub fn into_parts(self) -> Option<(Known, W)> {
        self.game
    }

    /// The controller reports something.
    pub fn hear(&mut self, news: &News) {
        let step = match *news {
            News::Begun(ref list) => {
                self.game = list.initial().map(|initial| {
                    let witness = (self.open)(&initial);
                    // The board has drawn everything: the seed decides nothing.
                    (Known::new(&initial, Seed::new(0)), witness)
                });
                return;
            }
            News::Answered { player, action, answer, place } => {
                Step::Heard(player, Heard::Answer { action, answer, place })
            }
            News::Won(winner) => Step::Heard(winner, Heard::Win),
            News::Left(player) => Step::Disrupted(Disruption::AgentLost(player)),
            News::BoardCame
            | News::SpareBoard
            | News::BoardLeft(_)
            | News::Joined(_)
            | News::Silent(_)
            | News::Mute(_)
            | News::Senseless { .. } => return,
        };
        self.take(step);
    }

    /// The controller has ended.
    pub fn end(&mut self, end: &End) {
        let reason = match end {
            End::Won(_) => None,
            End::BoardLost(_) => Some(Termination::Interrupted),
            End::Deserted => Some(Termination::AgentLost),
            End::Stopped => Some(Termination::Stopped),
        };
        if let Some(reason) = reason {
            self.take(Step::Disrupted(Disruption::Ended(reason)));
        }
        if let Some((state, witness)) = &mut self.game {
            witness.end(state, SimTime::START);
        }
    }

    fn take(&mut self, step: Step) {
        let Some((state, witness)) = &mut self.game else { return };
        let now = SimTime::START;
        match step {
            Step::Heard(player, heard) => {
                witness.action(state, now, player, &heard);
                state.step(now, player, heard, &mut witness.sink());
            }
            Step::Disrupted(disruption) => {
                witness.disruption(state, now, disruption);
                state.disrupt(now, disruption, &mut witness.sink());
            }
        }
    }
}
