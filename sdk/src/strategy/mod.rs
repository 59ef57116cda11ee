//! The traits that decide for an agent: [`Strategy`], and [`AsyncStrategy`], which can wait. The [`Choice`] that they
//! return, and the [`Notice`] that they hear.

mod notice;

use game_env::{AgentId, Termination};
use game_project::{Information, Question, Team};

use crate::view::View;

pub use self::notice::{Notice, PickUpFailure, PutFailure};

/// The attribute for `impl AsyncStrategy`; re-exported from the crate `async-trait`.
pub use async_trait::async_trait;

/// The action that an agent requests, with agents by their ids in the game.
pub type Action = game_project::Action<AgentId>;

/// The decision of an agent: an action, or a wait until a moment or until it hears something.
///
/// The methods of [`View`] return choices, and `.into()` makes a choice of an action:
///
/// ```
/// use sdk::prelude::*;
///
/// assert_eq!(Choice::from(Action::Put), Choice::Act(Action::Put));
/// ```
pub type Choice = game_env::Choice<Action>;

/// The reason why an agent leaves its game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Resignation {
    /// The reason for the outcome of a game in process.
    pub termination: Termination,
    /// The reason in words.
    pub why: String,
}

/// Decides for one agent.
///
/// Only [`Strategy::act`] is required. A strategy owns its state. Its only input is the [`View`], which also has its
/// random numbers. Therefore the same value plays over TCP and in a rollout, and a seed repeats a game.
///
/// ```
/// use sdk::prelude::*;
///
/// /// Discovers in every turn.
/// struct Lookout;
///
/// impl Strategy for Lookout {
///     fn act(&mut self, view: &mut View<'_>) -> Choice {
///         view.discover()
///     }
/// }
/// ```
pub trait Strategy {
    /// Returns the agent's next action. Called when the agent may act.
    ///
    /// A panic, or an action that the game master is sure to refuse, costs the agent this turn; see
    /// [`Blunder`](crate::driver::actor::Blunder).
    fn act(&mut self, view: &mut View<'_>) -> Choice;

    /// Called once when the game begins.
    fn begin(&mut self, view: &mut View<'_>) {
        let _ = view;
    }

    /// Takes a message of the game master. The view already contains it.
    ///
    /// Called before the agent's next decision, once for each message since the last decision.
    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        let _ = (view, notice);
    }

    /// Returns the answer to the question of another agent, or `None` for no answer.
    ///
    /// The default tells the own team all that the agent found out itself, and does not answer the other team. An agent
    /// must answer the leader of its own team before it does anything else. If this method returns `None` for the
    /// leader, the agent sends an answer that says nothing. An empty list of beliefs is sent as a list of unknown
    /// items, because some agents cannot read an empty list.
    ///
    /// ```
    /// use sdk::prelude::*;
    ///
    /// /// Answers no question. Its leader receives an answer that says nothing.
    /// struct Secretive;
    ///
    /// impl Strategy for Secretive {
    ///     fn answer(&mut self, _: &mut View<'_>, _: Question) -> Option<Information> {
    ///         None
    ///     }
    ///     # fn act(&mut self, view: &mut View<'_>) -> Choice { view.discover() }
    /// }
    /// ```
    fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        view.is_ally(question.by).then(|| view.knowledge.report())
    }

    /// Returns a reason if the agent leaves the game instead of acting on its last choice. Called after each decision.
    fn gives_up(&mut self) -> Option<Resignation> {
        None
    }

    /// Called when the game is over. `winner` is `None` if nobody won, or if the winner is not known.
    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        let _ = (view, winner);
    }
}

impl<S: Strategy + ?Sized> Strategy for Box<S> {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        (**self).act(view)
    }

    fn begin(&mut self, view: &mut View<'_>) {
        (**self).begin(view);
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        (**self).hear(view, notice);
    }

    fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        (**self).answer(view, question)
    }

    fn gives_up(&mut self) -> Option<Resignation> {
        (**self).gives_up()
    }

    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        (**self).end(view, winner);
    }
}

/// Decides for one agent on the network, and can wait for a service or for another process.
///
/// Every [`Strategy`] is also an `AsyncStrategy`. The methods have the same meaning. While a method waits, the agent
/// reads no messages, not even the end of the game or of the connection; they wait until the method returns. A strategy
/// that can wait without end should set its own time limit.
///
/// ```
/// use sdk::prelude::*;
/// use sdk::strategy::{AsyncStrategy, async_trait};
///
/// /// Plays the actions that arrive in a channel.
/// struct Remote(tokio::sync::mpsc::Receiver<Action>);
///
/// #[async_trait]
/// impl AsyncStrategy for Remote {
///     async fn act(&mut self, view: &mut View<'_>) -> Choice {
///         match self.0.recv().await {
///             Some(action) => action.into(),
///             None => view.wait_for_message(),
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait AsyncStrategy: Send {
    /// As [`Strategy::act`].
    async fn act(&mut self, view: &mut View<'_>) -> Choice;

    /// As [`Strategy::begin`].
    async fn begin(&mut self, view: &mut View<'_>) {
        let _ = view;
    }

    /// As [`Strategy::hear`].
    async fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        let _ = (view, notice);
    }

    /// As [`Strategy::answer`].
    async fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        view.is_ally(question.by).then(|| view.knowledge.report())
    }

    /// As [`Strategy::gives_up`].
    fn gives_up(&mut self) -> Option<Resignation> {
        None
    }

    /// As [`Strategy::end`].
    async fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        let _ = (view, winner);
    }
}

#[async_trait]
impl<S: Strategy + Send + ?Sized> AsyncStrategy for S {
    async fn act(&mut self, view: &mut View<'_>) -> Choice {
        Strategy::act(self, view)
    }

    async fn begin(&mut self, view: &mut View<'_>) {
        Strategy::begin(self, view);
    }

    async fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        Strategy::hear(self, view, notice);
    }

    async fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        Strategy::answer(self, view, question)
    }

    fn gives_up(&mut self) -> Option<Resignation> {
        Strategy::gives_up(self)
    }

    async fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        Strategy::end(self, view, winner);
    }
}
