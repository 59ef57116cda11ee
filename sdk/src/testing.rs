//! Tests of single decisions: a view from a board drawn as text, and recorded games played to a strategy.
//!
//! ```
//! use sdk::prelude::*;
//! use sdk::testing::Situation;
//!
//! struct Eager;
//! impl Strategy for Eager {
//!     fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
//!         match view.distance() {
//!             Some(distance) if distance == Distance::new(0) => Action::PickUp.into(),
//!             _ => Action::Discover.into(),
//!         }
//!     }
//! }
//!
//! let situation = Situation::new("
//!     .  .  .
//!     p  R0 .
//!     .  .  B1
//!     .  .  .").after(&["move W"]);
//! assert_eq!(situation.choose(&mut Eager), Choice::Act(Action::PickUp));
//! // `insta::assert_snapshot!(situation.decide(&mut Eager))` shows the board, what is known, and the choice.
//! ```
//!
//! A board is written as [`game_project::notation`] says: one word a field and the north at the top, `g` a goal, `p` a
//! piece and `s` a sham, `R0` and `B1` the agents with their ids, `!` behind the leader of a team, `+p` behind an
//! agent with a piece in hand, lines of dashes between the areas. What an agent knows is drawn more briefly, with
//! [one sign a field](View). Every text has a legend of the signs in it. The clock is that of the decision, in game time.
//!
//! What the agent knows is what it was told by the actions that went before: nothing is put into its head. A strategy
//! is begun and told all of it when it is asked, so every test hands in a fresh one.

use std::collections::BTreeSet;

use game_env::sink::Listen;
use game_env::{AgentId, Choice, Environment, Seed, SimTime};
use game_project::{Action, Event, RawConfig, Setup, State};

use crate::actor::Actor;
use crate::local::Seat;
use crate::notice::Notice;
use crate::strategy::Strategy;
use crate::view::View;

/// A moment of a game, and one agent that is to decide.
#[derive(Clone, Debug)]
pub struct Situation {
    game: State,
    seat: Seat<Nobody>,
    agent: AgentId,
}

/// What sits in a [`Situation`] until a strategy is asked.
#[derive(Clone, Copy, Debug)]
struct Nobody;

impl Strategy for Nobody {
    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
        Choice::Wait(view.now)
    }
}

impl Situation {
    /// The situation on a board (its notation is that of [`game_project::notation`]), with the default rules,
    /// and agent `#0` to decide.
    ///
    /// # Panics
    ///
    /// If the text is no board, or has no agent `#0`.
    pub fn new(board: &str) -> Self {
        Self::with(board, &RawConfig::default(), AgentId::new(0))
    }

    /// The same with these rules (size, goals and pieces are those of the board), and this agent.
    ///
    /// ```
    /// use sdk::game::RawConfig;
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let cheap = RawConfig { move_penalty: 100, ..RawConfig::default() };
    /// let board = "
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .";
    /// let blue = Situation::with(board, &cheap, AgentId::new(1)).after(&["move N"]);
    /// assert_eq!(blue.now(), SimTime::from_millis(100));
    /// assert!(blue.see(|view| view.own.team == Team::Blue));
    /// ```
    ///
    /// # Panics
    ///
    /// If the text is no board, has no such agent, or cannot be played by these rules.
    pub fn with(board: &str, rules: &RawConfig, agent: AgentId) -> Self {
        let lines: Vec<&str> = board.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let setup: Setup = lines.join("\n").parse().unwrap_or_else(|error| panic!("{error}"));
        let game = setup.play(rules, Seed::new(0)).unwrap_or_else(|error| panic!("{error}"));
        let mut seat = Seat::new(&game, agent, Seed::new(0), Nobody).with_notes();
        if game.hand(agent).is_some() {
            seat.actor_mut().hear(SimTime::START, Notice::PickedUp);
        }
        Self { game, seat, agent }
    }

    /// The situation after these actions, each as soon as its agent may act: `move N` of the agent itself,
    /// `#1 ask #0` of another one.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// // A line with `?` may be refused: here agent 1 stands on the field already.
    /// let told = situation.after(&["#1 move N", "move E?", "discover"]);
    /// assert_eq!(told.see(|view| view.position()), Position::new(1, 2));
    /// assert!(told.see(|view| view.distance()).is_some());
    /// ```
    ///
    /// # Panics
    ///
    /// If a line is no action, or a refusal comes of one that is not followed by `?`.
    pub fn after(mut self, actions: &[&str]) -> Self {
        for line in actions {
            let (text, may_fail) = line.strip_suffix('?').map_or((*line, false), |line| (line.trim(), true));
            let (agent, text) = match text.strip_prefix('#') {
                Some(_) => {
                    let (agent, text) = text.split_once(' ').unwrap_or_else(|| panic!("`{line}`: no action"));
                    (agent.parse().unwrap_or_else(|error| panic!("{error}")), text)
                }
                None => (self.agent, text),
            };
            let action: Action = text.parse().unwrap_or_else(|error| panic!("{error}"));
            self.play(agent, action, may_fail, line);
        }
        self
    }

    fn play(&mut self, agent: AgentId, action: Action, may_fail: bool, line: &str) {
        let at = self.game.ready(agent).map_or(self.game.clock(), |ready| ready.at.max(self.game.clock()));
        if agent == self.agent {
            self.seat.actor_mut().sent(&action);
        }
        let (seat, own) = (&mut self.seat, self.agent);
        let mut hear = Listen(|now, event: &Event| {
            assert!(may_fail || !matches!(event, Event::Refused { .. }), "`{line}`: {event}");
            tell(seat, own, now, event);
        });
        self.game.step(at, agent, action, &mut hear);
    }

    /// What a strategy chooses here. The situation stays as it is: another strategy is asked the same.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// struct Eager;
    /// impl Strategy for Eager {
    ///     fn act(&mut self, _: &mut View<'_>) -> Choice<Action> {
    ///         Action::PickUp.into()
    ///     }
    /// }
    ///
    /// let at_piece = situation.after(&["move W"]);
    /// assert_eq!(at_piece.choose(&mut Eager), Choice::Act(Action::PickUp));
    /// ```
    ///
    /// # Panics
    ///
    /// If the strategy panics, or chooses what cannot be.
    pub fn choose(&self, strategy: &mut impl Strategy) -> Choice<Action> {
        self.ask(strategy).0
    }

    /// What a strategy sees, chooses and remarks here, as text for a snapshot: the true board, what the agent knows
    /// and the moment of the decision, the choice, and a legend.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// struct Lookout;
    /// impl Strategy for Lookout {
    ///     fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
    ///         view.notes.remark(|| "nothing is known".to_owned());
    ///         Action::Discover.into()
    ///     }
    /// }
    ///
    /// let text = situation.decide(&mut Lookout);
    /// assert!(text.starts_with("the board:") && text.ends_with("chooses: discover (nothing is known)\n"));
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Situation::choose`].
    pub fn decide(&self, strategy: &mut impl Strategy) -> String {
        let (choice, mut actor) = self.ask(strategy);
        let remark = actor.take_note().map(|note| note.text).filter(|text| !text.is_empty());
        let view = actor.view(self.now());
        let remark = remark.map_or_else(String::new, |text| format!(" ({text})"));
        let (board, signs, known) = (board(&self.game), board_legend(&self.game), view.legend());
        format!(
            "the board:\n{board}signs: {signs}\n\nwhat is known:\n{view}signs: {known}\n\nchooses: {}{remark}\n",
            told(&choice)
        )
    }

    /// Shows the agent's view of this moment: for tests of functions that strategies are made of.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// /// Whether the agent has something to carry home.
    /// fn has_load(view: &View<'_>) -> bool {
    ///     view.own.hand.is_full()
    /// }
    ///
    /// let empty = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// assert!(!empty.see(|view| has_load(view)));
    /// assert!(empty.after(&["move W", "pick-up"]).see(|view| has_load(view)));
    /// ```
    pub fn see<T>(&self, look: impl FnOnce(&mut View<'_>) -> T) -> T {
        look(&mut self.seat.actor().clone().view(self.now()))
    }

    /// What a strategy chooses, and the agent after that.
    fn ask(&self, strategy: &mut impl Strategy) -> (Choice<Action>, Actor) {
        let mut actor = self.seat.actor().clone();
        let choice = actor.decide(self.now(), strategy);
        if let Some(blunder) = actor.take_blunders().first() {
            panic!("{blunder}");
        }
        (choice, actor)
    }

    /// The moment at which the agent may act.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// let situation = Situation::new("
    ///     .  g  .
    ///     p  R0 .
    ///     .  .  B1
    ///     .  g  .");
    /// // A move locks the agent for 1,500 ms.
    /// assert_eq!(situation.after(&["move W"]).now(), SimTime::from_millis(1_500));
    /// ```
    pub fn now(&self) -> SimTime {
        let clock = self.game.clock();
        self.game.ready(self.agent).map_or(clock, |ready| ready.at.max(clock))
    }
}

/// The true board and the points, without the moment of the last action: texts show that of the decision alone.
fn board(game: &State) -> String {
    let mut scene = game_env::Notation::scene(game);
    let [red, blue] = game.points().into_inner();
    scene.caption = vec![format!("goals covered: red {red}, blue {blue}")];
    scene.to_string()
}

/// What each sign of a true board means: the kind of its mark, the sign, its meaning.
const BOARD_SIGNS: [(&str, &str, &str); 8] = [
    ("goal", "g", "goal"),
    ("covered-goal", "*", "covered goal"),
    ("piece", "p", "piece"),
    ("sham", "s", "sham"),
    ("agent", "R0, B1", "agents of red and blue with their ids"),
    ("leader", "!", "leads its team"),
    ("held-piece", "+p", "has a piece in hand"),
    ("held-sham", "+s", "has a sham in hand"),
];

/// The signs of a board for which this holds, by the kinds of marks.
fn explain_board(occurs: impl Fn(&str) -> bool) -> String {
    let mut text = "north is up; --- edge of a goal area; . empty".to_owned();
    for (_, sign, meaning) in BOARD_SIGNS.iter().filter(|(kind, ..)| occurs(kind)) {
        text += &format!("; {sign} {meaning}");
    }
    text
}

/// The signs that a board has.
fn board_legend(game: &State) -> String {
    let scene = game_env::Notation::scene(game);
    let places = (0..scene.rows()).flat_map(|y| (0..scene.columns()).map(move |x| (x, y)));
    let marks = places.flat_map(|(x, y)| &scene.cell(x, y).marks);
    let kinds: BTreeSet<&str> = marks.map(|mark| mark.kind).collect();
    explain_board(|kind| kinds.contains(kind))
}

/// A choice in the words of the notation.
///
/// ```
/// use sdk::prelude::*;
/// use sdk::testing::told;
///
/// assert_eq!(told(&Choice::Act(Action::Put)), "put");
/// assert_eq!(told(&Choice::Wait(SimTime::NEVER)), "wait until something is heard");
/// ```
pub fn told(choice: &Choice<Action>) -> String {
    match choice {
        Choice::Act(action) => action.to_string(),
        Choice::Wait(SimTime::NEVER) => "wait until something is heard".to_owned(),
        Choice::Wait(until) => format!("wait until {until}"),
    }
}

fn tell<S: Strategy>(seat: &mut Seat<S>, agent: AgentId, now: SimTime, event: &Event) {
    use game_env::{Addressed, TeamId};

    if event.audience().includes(agent, TeamId::from(seat.actor().own().team)) {
        seat.tell(now, event);
    }
}

/// What a strategy would have done in the place of one agent of a recorded game: a line for each of the agent's
/// decisions, with what it did and, where they differ, what the strategy would have done.
///
/// Before the first decision, before every tenth, and where the strategy begins to differ, the true board is drawn,
/// and beside it what the agent knows ([how](View)). A legend of all signs comes first. All times are those of the
/// agent's decisions.
///
/// The game goes on as it was recorded; the strategy is told all that the agent was told.
///
/// ```no_run
/// use std::fs::File;
///
/// use sdk::prelude::*;
/// use sdk::testing;
///
/// struct Lookout;
/// impl Strategy for Lookout {
///     fn act(&mut self, _: &mut View<'_>) -> Choice<Action> {
///         Action::Discover.into()
///     }
/// }
///
/// // What `Lookout` would have done in the place of agent 2.
/// let text = testing::decisions(File::open("lost.replay")?, AgentId::new(2), Lookout)?;
/// println!("{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the replay cannot be read or played.
///
/// # Panics
///
/// If no such agent plays in the replay.
#[cfg(feature = "replay")]
pub fn decisions(
    replay: impl std::io::Read,
    agent: AgentId,
    strategy: impl Strategy,
) -> Result<String, game_env::replay::ReplayError> {
    use game_env::Seed;
    use game_env::replay::Playback;

    let mut playback = Playback::<State>::open(replay)?;
    let seed: Seed = playback.reader().header().seed;
    let agents: usize = playback.state().config().agents().into_inner().map(usize::from).iter().sum();
    assert!(agent.index() < agents, "no agent {agent} plays in this replay: expected #0 to #{}", agents - 1);
    let seat = Seat::new(playback.state(), agent, seed, Nobody);
    let text = format!(
        "left, the board: {}\nright, what the agent knows: {}\nlines: clock, position of the agent, what it did\n",
        explain_board(|_| true),
        crate::view::explain(|_| true),
    );
    let mut feed = Feed { agent, seat, strategy, text, decisions: 0, differs: false };
    playback.run(&mut feed)?;
    Ok(feed.text)
}

/// Tells a strategy what one agent of a replay was told, and asks it wherever that agent acted.
#[cfg(feature = "replay")]
struct Feed<S> {
    agent: AgentId,
    seat: Seat<Nobody>,
    strategy: S,
    text: String,
    decisions: u32,
    /// Whether the last decision was another one than the agent's.
    differs: bool,
}

/// Draws the board every `DRAWN` decisions.
#[cfg(feature = "replay")]
const DRAWN: u32 = 10;

/// Two texts beside each other.
#[cfg(feature = "replay")]
fn beside(left: &str, right: &str) -> String {
    let width = left.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let rows = left.lines().count().max(right.lines().count());
    let (mut left, mut right) = (left.lines(), right.lines());
    let mut text = String::new();
    for _ in 0..rows {
        let line = format!("    {:width$}   {}", left.next().unwrap_or(""), right.next().unwrap_or(""));
        text += line.trim_end();
        text.push('\n');
    }
    text
}

#[cfg(feature = "replay")]
impl<S: Strategy> game_env::Witness<State> for Feed<S> {
    fn event(&mut self, now: SimTime, event: &Event) {
        tell(&mut self.seat, self.agent, now, event);
    }

    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        if agent != self.agent {
            return;
        }
        let actor = self.seat.actor_mut();
        let choice = actor.decide(now, &mut self.strategy);
        for blunder in actor.take_blunders() {
            self.text += &format!("{blunder}\n");
        }
        let differs = choice != Choice::Act(action.clone());
        if self.decisions.is_multiple_of(DRAWN) || differs && !self.differs {
            self.text += &format!("\n{}\n", beside(&board(state), &actor.view(now).to_string()));
        }
        self.decisions += 1;
        self.differs = differs;
        let own = actor.own();
        let place = format!("{:>12} {}", now.to_string(), own.position);
        self.text += &match &choice {
            Choice::Act(chosen) if chosen == action => format!("{place}  {action}\n"),
            choice => format!("{place}  {action}, not {}\n", told(choice)),
        };
        actor.sent(action);
    }
}
