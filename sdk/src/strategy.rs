//! What decides for an agent: a [`Strategy`], or an [`AsyncStrategy`] that may take its time.

use game_env::Choice;
use game_project::{Action, Information, Question, Team};

use crate::notice::Notice;
use crate::view::View;

/// Goes in front of every `impl AsyncStrategy`; that of the crate of the same name.
pub use async_trait::async_trait;

/// Decides for one agent.
///
/// Only [`Strategy::act`] must be written. A strategy owns its state, sees nothing but its [`View`], and takes
/// its chance from there, so that the same value plays over TCP and in a rollout, and a seed repeats a game.
///
/// ```
/// use sdk::prelude::*;
///
/// /// Looks around all the time.
/// struct Lookout;
///
/// impl Strategy for Lookout {
///     fn act(&mut self, _: &mut View<'_>) -> Choice<Action> {
///         Action::Discover.into()
///     }
/// }
/// ```
pub trait Strategy {
    /// What the agent does, now that it may act.
    ///
    /// A panic, or an action that makes no sense, costs the agent this turn; see
    /// [`Blunder`](crate::actor::Blunder).
    fn act(&mut self, view: &mut View<'_>) -> Choice<Action>;

    /// The game begins.
    fn begin(&mut self, view: &mut View<'_>) {
        let _ = view;
    }

    /// The agent was told something. The view knows it already.
    ///
    /// Called before the agent's next decision, once for everything that it was told since the last.
    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        let _ = (view, notice);
    }

    /// Somebody asks for information: what it is told, or nothing to leave it unanswered.
    ///
    /// The default tells the own team all that the agent found out itself, and the other team nothing.
    /// The leader of the own team must be answered before anything else is done: where this returns nothing,
    /// it gets an answer that says nothing. Goal arrays that are left empty are sent with nothing but unknown in them,
    /// since some agents can read no others.
    ///
    /// ```
    /// use sdk::prelude::*;
    ///
    /// /// Tells nobody anything, except that it must answer its leader.
    /// struct Secretive;
    ///
    /// impl Strategy for Secretive {
    ///     fn answer(&mut self, _: &mut View<'_>, _: Question) -> Option<Information> {
    ///         None
    ///     }
    ///     # fn act(&mut self, _: &mut View<'_>) -> Choice<Action> { Action::Discover.into() }
    /// }
    /// ```
    fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        view.is_ally(question.by).then(|| view.knowledge.report())
    }

    /// The game is over; `winner` is none if nobody won, or nobody said who.
    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        let _ = (view, winner);
    }
}

impl<S: Strategy + ?Sized> Strategy for Box<S> {
    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
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

    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        (**self).end(view, winner);
    }
}

/// Decides for one agent on the network, and may wait for something else meanwhile: a service, another process.
///
/// Every [`Strategy`] is one. The methods mean the same as there. While one of them waits, the agent hears
/// nothing, not even that the game is over or the connection lost; messages wait until the method returns. A strategy
/// that may wait without end should set its own limit.
///
/// ```
/// use sdk::prelude::*;
/// use sdk::strategy::{AsyncStrategy, async_trait};
///
/// /// Does what somebody else says, whenever they say it.
/// struct Remote(tokio::sync::mpsc::Receiver<Action>);
///
/// #[async_trait]
/// impl AsyncStrategy for Remote {
///     async fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
///         match self.0.recv().await {
///             Some(action) => action.into(),
///             None => Choice::Wait(SimTime::NEVER),
///         }
///     }
/// }
/// ```
#[async_trait]
pub trait AsyncStrategy: Send {
    /// As [`Strategy::act`].
    async fn act(&mut self, view: &mut View<'_>) -> Choice<Action>;

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

    /// As [`Strategy::end`].
    async fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        let _ = (view, winner);
    }
}

#[async_trait]
impl<S: Strategy + Send + ?Sized> AsyncStrategy for S {
    async fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
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

    async fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        Strategy::end(self, view, winner);
    }
}
