//! Tests of single decisions: views of boards that are drawn as text, and recorded games.
//!
//! ```
//! use sdk::prelude::*;
//! use sdk::testing::Situation;
//!
//! struct Eager;
//! impl Strategy for Eager {
//!     fn act(&mut self, view: &mut View<'_>) -> Choice {
//!         match view.distance() {
//!             Some(distance) if distance == Distance::new(0) => view.pick_up(),
//!             _ => view.discover(),
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
//! [`game_project::notation`] defines the notation of boards: one word for each field and the north at the top; `g` a
//! goal, `p` a piece and `s` a sham; `R0` and `B1` the agents with their ids; `!` after the leader of a team, `+p`
//! after an agent with a piece in hand; lines of dashes between the areas. The agent's knowledge has a shorter
//! notation: [one sign for each field](View). Every text has a legend of its signs. The clock shows the game time of
//! the decision.
//!
//! The agent knows only the results of its earlier actions. A test cannot set the knowledge directly. Each call of
//! [`Situation::choose`] or [`Situation::decide`] begins with the strategy's `begin` and all messages so far: pass a
//! new strategy to each call.

#[cfg(feature = "replay")]
mod log;
#[cfg(feature = "replay")]
mod recorded;

use std::collections::BTreeSet;

use game_env::scene::Scene;
use game_env::sink::Listen;
use game_env::{AgentId, Environment, Seed, SimTime};
use game_project::{Action, Event, RawConfig, Setup, State};

use crate::driver::actor::Actor;
use crate::local::Seat;
use crate::strategy::{Choice, Notice, Strategy};
use crate::view::View;

#[cfg(feature = "replay")]
pub use self::log::{Decision, DecisionLog, Recorder, recorded};

/// A moment of a game, and the agent that decides.
#[derive(Clone, Debug)]
pub struct Situation {
    game: State,
    seat: Seat<Nobody>,
    agent: AgentId,
    /// The agent decides at this moment, or as soon after it as it may act.
    at: SimTime,
    /// The history of the agent before the situation, in a recorded game.
    #[cfg(feature = "replay")]
    past: Option<Box<recorded::Past>>,
}

/// The strategy in a [`Situation`] until another strategy is asked.
#[derive(Clone, Copy, Debug)]
struct Nobody;

impl Strategy for Nobody {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        Choice::Wait(view.now)
    }
}

impl Situation {
    /// Creates a situation from a board (in the notation of [`game_project::notation`]), with the default rules. Agent
    /// `#0` decides.
    ///
    /// # Panics
    ///
    /// If the text is not a board, or has no agent `#0`.
    pub fn new(board: &str) -> Self {
        Self::with(board, &RawConfig::default(), AgentId::new(0))
    }

    /// As [`Situation::new`], with these rules and this agent. The board decides the size, the goals and the pieces.
    ///
    /// ```
    /// use sdk::local::RawConfig;
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
    /// If the text is not a board, has no such agent, or does not fit these rules.
    pub fn with(board: &str, rules: &RawConfig, agent: AgentId) -> Self {
        let lines: Vec<&str> = board.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let setup: Setup = lines.join("\n").parse().unwrap_or_else(|error| panic!("{error}"));
        let game = setup.play(rules, Seed::new(0)).unwrap_or_else(|error| panic!("{error}"));
        let mut seat = Seat::new(&game, agent, Seed::new(0), Nobody).with_notes();
        if game.hand(agent).is_some() {
            seat.actor_mut().hear(SimTime::START, Notice::PickedUp);
        }
        Self {
            game,
            seat,
            agent,
            at: SimTime::START,
            #[cfg(feature = "replay")]
            past: None,
        }
    }

    /// Returns the situation after these actions. Each action happens as soon as its agent may act. `move N` is an
    /// action of the deciding agent, `#1 ask #0` an action of another agent.
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
    /// If a line is not an action, or if an action is refused and its line does not end with `?`.
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
            #[cfg(feature = "replay")]
            self.past.iter_mut().for_each(|past| past.acted(at, &action));
        }
        let (seat, own) = (&mut self.seat, self.agent);
        #[cfg(feature = "replay")]
        let past = &mut self.past;
        let mut hear = Listen(|now, event: &Event| {
            assert!(may_fail || !matches!(event, Event::Refused { .. }), "`{line}`: {event}");
            if is_told(seat, own, event) {
                seat.tell(now, event);
                #[cfg(feature = "replay")]
                past.iter_mut().for_each(|past| past.told(now, event));
            }
        });
        self.game.step(at, agent, action, &mut hear);
    }

    /// Returns the choice of a strategy. The situation does not change: another strategy gets the same situation.
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
    ///     fn act(&mut self, view: &mut View<'_>) -> Choice {
    ///         view.pick_up()
    ///     }
    /// }
    ///
    /// let at_piece = situation.after(&["move W"]);
    /// assert_eq!(at_piece.choose(&mut Eager), Choice::Act(Action::PickUp));
    /// ```
    ///
    /// # Panics
    ///
    /// If the strategy panics, or returns an impossible action.
    pub fn choose(&self, strategy: &mut impl Strategy) -> Choice {
        self.ask(strategy).0
    }

    /// Returns the input and the choice of a strategy as text for a snapshot: the true board, the agent's knowledge and
    /// the moment of the decision, the choice with its remarks, and a legend.
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
    ///     fn act(&mut self, view: &mut View<'_>) -> Choice {
    ///         view.notes.remark(|| "nothing is known".to_owned());
    ///         view.discover()
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

    /// Passes the agent's view of this moment to a function. For tests of the functions of a strategy.
    ///
    /// ```
    /// use sdk::prelude::*;
    /// use sdk::testing::Situation;
    ///
    /// /// Returns `true` if the agent has a piece to carry to its goal area.
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

    /// Returns the choice of a strategy, and the agent after that.
    fn ask(&self, strategy: &mut impl Strategy) -> (Choice, Actor) {
        let mut actor = self.actor(strategy);
        let choice = actor.decide(self.now(), strategy);
        if let Some(blunder) = actor.take_blunders().first() {
            panic!("{blunder}");
        }
        (choice, actor)
    }

    /// Returns the agent, after the strategy has gone through the history.
    #[cfg(feature = "replay")]
    fn actor(&self, strategy: &mut impl Strategy) -> Actor {
        self.past.as_ref().map_or_else(|| self.seat.actor().clone(), |past| past.replay_to(strategy))
    }

    #[cfg(not(feature = "replay"))]
    fn actor(&self, _: &mut impl Strategy) -> Actor {
        self.seat.actor().clone()
    }

    /// Returns the moment at which the agent may act, in game time.
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
        let clock = self.game.clock().max(self.at);
        self.game.ready(self.agent).map_or(clock, |ready| ready.at.max(clock))
    }
}

/// Returns the true board and the points, without the game's clock: a text shows only the time of the decision.
fn board(game: &State) -> String {
    scene(game).to_string()
}

fn scene(game: &State) -> Scene {
    let mut scene = game_env::Notation::scene(game);
    let [red, blue] = game.points().into_inner();
    scene.caption = vec![format!("goals covered: red {red}, blue {blue}")];
    scene
}

/// The meaning of each sign of a true board: the kind of its mark, the sign, its meaning.
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

/// Returns the signs of a board for which this holds, by the kinds of marks.
fn explain_board(occurs: impl Fn(&str) -> bool) -> String {
    let mut text = "north is up; --- edge of a goal area; . empty".to_owned();
    for (_, sign, meaning) in BOARD_SIGNS.iter().filter(|(kind, ..)| occurs(kind)) {
        text += &format!("; {sign} {meaning}");
    }
    text
}

/// Returns the signs that a board has.
fn board_legend(game: &State) -> String {
    let scene = game_env::Notation::scene(game);
    let places = (0..scene.rows()).flat_map(|y| (0..scene.columns()).map(move |x| (x, y)));
    let marks = places.flat_map(|(x, y)| &scene.cell(x, y).marks);
    let kinds: BTreeSet<&str> = marks.map(|mark| mark.kind).collect();
    explain_board(|kind| kinds.contains(kind))
}

/// Writes a choice in the notation of actions.
///
/// ```
/// use sdk::prelude::*;
/// use sdk::testing::told;
///
/// assert_eq!(told(&Choice::Act(Action::Put)), "put");
/// assert_eq!(told(&Choice::Wait(SimTime::NEVER)), "wait until something is heard");
/// ```
pub fn told(choice: &Choice) -> String {
    match choice {
        Choice::Act(action) => action.to_string(),
        Choice::Wait(SimTime::NEVER) => "wait until something is heard".to_owned(),
        Choice::Wait(until) => format!("wait until {until}"),
    }
}

/// `true` if the agent in this seat receives the event.
fn is_told<S: Strategy>(seat: &Seat<S>, agent: AgentId, event: &Event) -> bool {
    use game_env::{Addressed, TeamId};

    event.audience().includes(agent, TeamId::from(seat.actor().own().team))
}

/// Compares a strategy with one agent of a recorded game. Returns a text with one line for each of the agent's actions:
/// the action with the remarks of the strategy and, after `, not `, what the strategy would do if that differs.
///
/// The text begins with a legend of all signs. It shows the true board and beside it [the agent's knowledge](View)
/// before the actions 1, 11, 21 and so on, and before each action where the strategy begins to differ. The time of a
/// line is the time of the agent's action.
///
/// The game continues as it was recorded. The strategy receives all messages that the agent received, and is asked
/// where the agent acted. A replay does not hold the decisions to wait, so the strategy is not asked where the agent
/// waited. A strategy whose fields depend on the number of its calls can therefore differ from itself: an action after
/// `, not ` need not be one that it chose in the game. Where the strategies can play the game again, a [`Recorder`] for
/// each seat and [`recorded`] show what they chose, as `contests::project::comparison` does.
///
/// ```no_run
/// use std::fs::File;
///
/// use sdk::prelude::*;
/// use sdk::testing;
///
/// struct Lookout;
/// impl Strategy for Lookout {
///     fn act(&mut self, view: &mut View<'_>) -> Choice {
///         view.discover()
///     }
/// }
///
/// // The actions of `Lookout` in the place of agent 2.
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
    let (mut playback, seat) = recorded::open(replay, agent)?;
    let text = log::legend(
        "lines: clock, position of the agent, what it did; after `, not`, what the strategy would do instead; \
         in parentheses, remarks of the strategy",
    );
    let mut feed = Feed { agent, seat, strategy, text, decisions: 0, differs: false };
    playback.run(&mut feed)?;
    Ok(feed.text)
}

/// Gives a strategy the messages to one agent of a replay, and asks it wherever that agent acted.
#[cfg(feature = "replay")]
struct Feed<S> {
    agent: AgentId,
    seat: Seat<Nobody>,
    strategy: S,
    text: String,
    decisions: u32,
    /// `true` if the last decision was another one than the agent's.
    differs: bool,
}

/// Draws the board every `DRAWN` decisions.
#[cfg(feature = "replay")]
const DRAWN: u32 = 10;

/// Returns two texts beside each other.
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

/// Returns the [`board`] with the numbers of rows at the left and of columns below, as positions have them.
#[cfg(feature = "replay")]
fn edged(game: &State) -> String {
    use game_env::scene::{Cell, Mark};

    let board = scene(game);
    let (columns, rows) = (board.columns(), board.rows());
    let number = |number: usize| Mark::new("number", number.to_string());
    let mut edged = Scene::new(columns + 1, rows + 1, Cell::ground("edge", ""));
    for y in 0..rows {
        edged.cell_mut(0, y + 1).marks.push(number(y));
        for x in 0..columns {
            *edged.cell_mut(x + 1, y + 1) = board.cell(x, y).clone();
        }
    }
    for x in 0..columns {
        edged.cell_mut(x + 1, 0).marks.push(number(x));
    }
    edged.rules = board.rules.iter().map(|y| y + 1).collect();
    edged.caption = board.caption;
    edged.to_string()
}

/// Returns the line of one decision.
#[cfg(feature = "replay")]
fn decision(at: SimTime, position: game_project::Position, decision: &str, remark: &str) -> String {
    let remark = if remark.is_empty() { String::new() } else { format!(" ({remark})") };
    format!("{:>12} {position}  {decision}{remark}\n", at.to_string())
}

#[cfg(feature = "replay")]
impl<S: Strategy> game_env::Witness<State> for Feed<S> {
    fn event(&mut self, now: SimTime, event: &Event) {
        if is_told(&self.seat, self.agent, event) {
            self.seat.tell(now, event);
        }
    }

    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        if agent != self.agent {
            return;
        }
        let actor = self.seat.actor_mut();
        let choice = actor.decide(now, &mut self.strategy);
        let remark = actor.take_note().map_or_else(String::new, |note| note.text);
        for blunder in actor.take_blunders() {
            self.text += &format!("{blunder}\n");
        }
        let differs = choice != Choice::Act(action.clone());
        if self.decisions.is_multiple_of(DRAWN) || differs && !self.differs {
            self.text += &format!("\n{}\n", beside(&edged(state), &actor.view(now).to_string()));
        }
        self.decisions += 1;
        self.differs = differs;
        let not = if differs { format!(", not {}", told(&choice)) } else { String::new() };
        self.text += &decision(now, actor.position(), &format!("{action}{not}"), &remark);
        actor.sent(action);
    }

    /// From here on the recorded agent drew from another seed.
    fn reseed(&mut self, _: &State, _: SimTime, seed: Seed) {
        self.seat.actor_mut().reseed(seed);
    }
}
