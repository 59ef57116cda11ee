//! The decisions of agents, recorded while they play a game, and the text of them.

use std::cell::{Ref, RefCell};
use std::rc::Rc;

use game_env::seat::ReportsBlunders;
use game_env::{AgentId, Note, Policy, SimTime};
use game_project::{Action, Observation, Position, State};

use super::{DRAWN, beside, decision, edged, explain_board, told};
use crate::driver::actor::{Blunder, KEPT_BLUNDERS};
use crate::local::Seat;
use crate::strategy::{Choice, Strategy};

/// A decision of an agent in a game.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// The game time.
    pub at: SimTime,
    /// The field of the agent, as it knows.
    pub position: Position,
    /// The choice. After a blunder, the agent waits.
    pub choice: Choice,
    /// The remarks of the strategy; empty without any. The notes of the seat must be on.
    pub remark: String,
    /// The blunders of the strategy in this decision, as text.
    pub blunders: Vec<String>,
    /// A drawing of the [view](crate::view::View) before the decision.
    pub view: String,
}

/// The decisions of one agent, filled by a [`Recorder`]. Clones share their decisions.
#[derive(Clone, Debug, Default)]
pub struct DecisionLog(Rc<RefCell<Vec<Decision>>>);

impl DecisionLog {
    /// Returns the decisions so far, in their order.
    ///
    /// # Panics
    ///
    /// The game must not continue while the result exists: the recorder panics at the next decision.
    pub fn decisions(&self) -> Ref<'_, [Decision]> {
        Ref::map(self.0.borrow(), Vec::as_slice)
    }
}

/// A [`Seat`] that records all decisions of its strategy, those to wait included.
///
/// ```
/// use sdk::local::{Environment, Limits, Preset, Rollout, Seat, State};
/// use sdk::prelude::*;
/// use sdk::testing::{DecisionLog, Recorder};
///
/// struct Dozer;
/// impl Strategy for Dozer {
///     fn act(&mut self, view: &mut View<'_>) -> Choice {
///         Choice::Wait(view.now + Millis::new(1_000))
///     }
/// }
///
/// let mut game = State::new(&Preset::Quick.config(), Seed::new(7));
/// let log = DecisionLog::default();
/// let mut seats: Vec<_> = Seat::all(&game, Seed::new(7), |_agent, _team| Dozer)
///     .into_iter()
///     .map(|seat| Recorder::new(seat, log.clone()))
///     .collect();
/// let limits = Limits { decisions: 8, ..Limits::default() };
/// Rollout { limits, ..Rollout::default() }.play(&mut game, &mut seats, &mut ());
/// assert_eq!(log.decisions()[0].choice, Choice::Wait(SimTime::from_millis(1_000)));
/// ```
#[derive(Clone, Debug)]
pub struct Recorder<S> {
    seat: Seat<S>,
    log: DecisionLog,
    /// The blunders that nobody has taken yet: at most [`KEPT_BLUNDERS`].
    blunders: Vec<Blunder>,
}

impl<S: Strategy> Recorder<S> {
    /// Records the decisions of this seat in this log.
    pub fn new(seat: Seat<S>, log: DecisionLog) -> Self {
        Self { seat, log, blunders: Vec::new() }
    }

    /// Takes the blunders of the seat, and returns the new ones as text.
    fn admit(&mut self) -> Vec<String> {
        let blunders = self.seat.take_blunders();
        let text = blunders.iter().map(ToString::to_string).collect();
        let room = KEPT_BLUNDERS.saturating_sub(self.blunders.len());
        self.blunders.extend(blunders.into_iter().take(room));
        text
    }
}

impl<S: Strategy> Policy<State> for Recorder<S> {
    fn choose(&mut self, now: SimTime, agent: AgentId, observation: &Observation) -> Choice {
        let view = self.seat.actor_mut().view(now).to_string();
        let position = self.seat.actor().position();
        let choice = self.seat.choose(now, agent, observation);
        let blunders = self.admit();
        let decision =
            Decision { at: now, position, choice: choice.clone(), remark: String::new(), blunders, view };
        self.log.0.borrow_mut().push(decision);
        choice
    }

    fn inner(&mut self) -> Option<&mut dyn Policy<State>> {
        Some(&mut self.seat)
    }

    /// The note belongs to the choice before: a rollout takes it after every choice.
    fn note(&mut self) -> Option<Note> {
        let note = self.seat.note()?;
        if let Some(last) = self.log.0.borrow_mut().last_mut() {
            last.remark.clone_from(&note.text);
        }
        Some(note)
    }
}

impl<S: Strategy> ReportsBlunders for Recorder<S> {
    fn blunder_count(&self) -> u64 {
        self.seat.blunder_count()
    }

    fn take_blunders(&mut self) -> Vec<String> {
        // A strategy can also panic at the end of the game, after its last decision.
        self.admit();
        self.blunders.drain(..).map(|blunder| blunder.to_string()).collect()
    }
}

/// Returns a text of what these agents knew and decided, agent by agent, with one line for each decision.
///
/// The logs are those of a game without latency, the replay is of the same game. The text begins with a legend of all
/// signs. At the first action of an agent, and then every ten decisions, it shows the true board and beside it what
/// [the agent knew](crate::view::View). Unlike [`decisions`](super::decisions) it has the decisions to wait, and shows
/// what a strategy with a state really decided.
///
/// # Errors
///
/// If the replay cannot be read or played.
pub fn recorded(
    replay: impl std::io::Read,
    logs: &[(AgentId, DecisionLog)],
) -> Result<String, game_env::replay::ReplayError> {
    let pages = logs.iter().map(|(agent, log)| Page {
        agent: *agent,
        decisions: log.decisions().to_vec(),
        shown: 0,
        undrawn: DRAWN,
        text: String::new(),
    });
    let mut pages = Pages(pages.collect());
    game_env::replay::Playback::<State>::open(replay)?.run(&mut pages)?;
    let mut text = legend("lines: clock, position of the agent, what it chose; in parentheses, its remarks");
    for mut page in pages.0 {
        page.show_rest();
        text += &format!("\nagent {}\n{}", page.agent, page.text);
    }
    Ok(text)
}

/// Returns the signs of boards and views, and what a line is.
pub(super) fn legend(lines: &str) -> String {
    format!(
        "left, the board with the numbers of columns and rows: {}\nright, what the agent knows: {}\n{lines}\n",
        explain_board(|_| true),
        crate::view::drawing::explain(|_| true),
    )
}

/// The texts of several agents while their game is played again.
struct Pages(Vec<Page>);

/// The text of one agent.
struct Page {
    agent: AgentId,
    decisions: Vec<Decision>,
    /// The number of decisions in the text.
    shown: usize,
    /// The number of decisions since the last drawing.
    undrawn: u32,
    text: String,
}

impl Page {
    /// Writes the decisions up to the next action, which is about to be served in this state.
    fn show_action(&mut self, state: &State) {
        while let Some(next) = self.decisions.get(self.shown) {
            let acts = matches!(next.choice, Choice::Act(_));
            if acts && self.undrawn >= DRAWN {
                self.text += &format!("\n{}\n", beside(&edged(state), &next.view));
                self.undrawn = 0;
            }
            self.show_next();
            if acts {
                return;
            }
        }
    }

    /// Writes the decisions after the last action.
    fn show_rest(&mut self) {
        while self.shown < self.decisions.len() {
            self.show_next();
        }
    }

    fn show_next(&mut self) {
        let Decision { at, position, choice, remark, blunders, .. } = &self.decisions[self.shown];
        for blunder in blunders {
            self.text += &format!("{blunder}\n");
        }
        self.text += &decision(*at, *position, &told(choice), remark);
        self.shown += 1;
        self.undrawn = self.undrawn.saturating_add(1);
    }
}

impl game_env::Witness<State> for Pages {
    fn action(&mut self, state: &State, _: SimTime, agent: AgentId, _: &Action) {
        for page in self.0.iter_mut().filter(|page| page.agent == agent) {
            page.show_action(state);
        }
    }
}
