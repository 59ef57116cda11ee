//! A board, sans-IO: holds a game, and answers the requests of a controller.
//!
//! The shell connects, hands in each line with its moment, and carries out every output. The board shows each request
//! to a [`Witness`] before the game takes it, so that a replay can be written.
//!
//! # Decisions where the source is silent
//!
//! - A line that makes no sense is reported and not answered: the source has no answer for a board. After
//!   [`Settings::nonsense`] of them the board closes the connection.
//! - A request for the position of everything is served at any time in the game.
//! - A game whose controller is lost has no winner.
//! - The board waits for the farewell of the controller for [`Settings::patience`], and for its first lines as long;
//!   for a request of a player it waits without limit.

use std::collections::VecDeque;
use std::fmt;

use game_conveyor::state::{STEPPER, TURNER};
use game_conveyor::{Action, Event, Field, State};
use game_env::{AgentId, Disruption, Environment as _, Millis, SimTime, Sink, Termination, Turn, Witness};
use wire::conveyor::{Dialect, Order, Report, Special, name, player_of};
use wire::lines::TooLong;

/// The limits of a board for its controller.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Number of senseless lines at which the board closes the connection.
    pub nonsense: u32,
    /// Time that the controller has for each line before the game, and for the farewell after it.
    pub patience: Millis,
}

impl Default for Settings {
    fn default() -> Self {
        Self { nonsense: 20, patience: Millis::new(30_000) }
    }
}

/// An input of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Input<'a> {
    /// A line of the controller, without its end.
    Line(Result<&'a [u8], TooLong>),
    /// The connection has ended.
    Closed,
    /// The moment of [`Board::wake_at`] has come.
    Tick,
    /// The operator ends the game.
    Stop,
}

/// A request of a board to its shell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Send these bytes.
    Send(Vec<u8>),
    /// Report this to the operator.
    Report(News),
    /// Close the connection, after all that was sent.
    Done(End),
}

/// A report of a board, for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// The controller plays: the game begins.
    Begun,
    /// A line made no sense, for this reason.
    Senseless(String),
    /// A player has won.
    Won(AgentId),
}

/// The end of a board's connection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// A player has won, and the controller has heard it or not.
    Won {
        /// The winner.
        winner: AgentId,
        /// Whether the controller has sent its farewell.
        is_heard: bool,
    },
    /// The controller does not want this board.
    TurnedAway,
    /// The controller is gone, and nobody has won.
    Lost,
    /// The controller sent too many senseless lines.
    Senseless,
    /// The controller did not speak in time.
    Silent,
    /// The operator ended the game.
    Stopped,
}

impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Begun => f.write_str("the game begins"),
            Self::Senseless(why) => write!(f, "ignored an invalid message: {why}"),
            Self::Won(winner) => write!(f, "{} wins", name(*winner)),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Won { winner, is_heard: true } => write!(f, "{} has won", name(*winner)),
            Self::Won { winner, is_heard: false } => {
                write!(f, "{} has won; the controller has not confirmed it", name(*winner))
            }
            Self::TurnedAway => f.write_str("the controller refused this board"),
            Self::Lost => f.write_str("the controller is gone before anybody has won"),
            Self::Senseless => f.write_str("the controller sent too many invalid lines"),
            Self::Silent => f.write_str("the controller sent no line in time"),
            Self::Stopped => f.write_str("the game was stopped"),
        }
    }
}

impl End {
    /// Returns a hint for people, if one is known.
    pub fn hint(&self) -> Option<&'static str> {
        (*self == Self::Silent).then_some(
            "boards connect to the controller's port for boards, 5000 unless another was chosen; at its port for \
             players, a controller sends nothing first",
        )
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// The controller is to say HAI, until this moment.
    Silent(SimTime),
    /// The controller is to say whether it plays, until this moment.
    Greeted(SimTime),
    Playing,
    /// The controller is to send its farewell, until this moment.
    Won(AgentId, SimTime),
    Done,
}

/// A board.
#[derive(Debug)]
pub struct Board {
    settings: Settings,
    state: State,
    phase: Phase,
    nonsense: u32,
    outputs: VecDeque<Output>,
}

impl Board {
    /// Creates a board that has just connected, with a game that has not begun.
    pub fn new(settings: Settings, state: State) -> Self {
        let phase = Phase::Silent(SimTime::START + settings.patience);
        Self { settings, state, phase, nonsense: 0, outputs: VecDeque::new() }
    }

    /// Returns the game.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes in what happened, `now` after the connection was made.
    pub fn handle(&mut self, now: SimTime, input: Input<'_>, witness: &mut impl Witness<State>) {
        if self.phase == Phase::Done {
            return;
        }
        match input {
            Input::Line(Ok(line)) => match Order::read(line) {
                Ok(order) => self.obey(now, order, witness),
                Err(error) => self.pass_over(now, error.to_string(), witness),
            },
            Input::Line(Err(error)) => self.pass_over(now, error.to_string(), witness),
            Input::Closed => {
                let end = self.won(false).unwrap_or(End::Lost);
                self.end(now, end, witness);
            }
            Input::Tick => match self.phase {
                Phase::Silent(until) | Phase::Greeted(until) | Phase::Won(_, until) if until <= now => {
                    let end = self.won(false).unwrap_or(End::Silent);
                    self.end(now, end, witness);
                }
                _ => {}
            },
            Input::Stop => {
                let end = self.won(false).unwrap_or(End::Stopped);
                self.end(now, end, witness);
            }
        }
    }

    /// Returns the next output, or none until the next input.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Returns when [`Input::Tick`] is due.
    pub fn wake_at(&self) -> Option<SimTime> {
        match self.phase {
            Phase::Silent(until) | Phase::Greeted(until) | Phase::Won(_, until) => Some(until),
            Phase::Playing | Phase::Done => None,
        }
    }

    fn won(&self, is_heard: bool) -> Option<End> {
        if let Phase::Won(winner, _) = self.phase { Some(End::Won { winner, is_heard }) } else { None }
    }

    fn obey(&mut self, now: SimTime, order: Order, witness: &mut impl Witness<State>) {
        match (self.phase, order) {
            (Phase::Silent(_), Order::Hello) => {
                self.phase = Phase::Greeted(now + self.settings.patience);
                self.send(Report::Greeting);
            }
            (Phase::Greeted(_), Order::Accept) => {
                self.phase = Phase::Playing;
                self.outputs.push_back(Output::Report(News::Begun));
            }
            (Phase::Greeted(_), Order::Reject) => self.end(now, End::TurnedAway, witness),
            (Phase::Playing, Order::Visible) => self.tell_all(),
            (Phase::Playing, Order::Want(action)) => self.play(now, action, witness),
            (Phase::Won(winner, _), Order::Goodbye(named)) if named == winner => {
                self.end(now, End::Won { winner, is_heard: true }, witness);
            }
            (_, Order::Senseless) => {
                self.pass_over(now, "the controller does not understand this board".to_owned(), witness);
            }
            _ => self.pass_over(now, format!("`{}` may not come now", order.line()), witness),
        }
    }

    /// Every special field, and both players.
    fn tell_all(&mut self) {
        let board = self.state.board();
        let config = board.config();
        let mut reports = vec![Report::Size { columns: config.columns(), rows: config.rows() }];
        reports.extend(config.places().filter_map(|place| {
            let special = match board.field(place) {
                Field::Normal => return None,
                Field::Home(0) => Special::Home(STEPPER),
                Field::Home(_) => Special::Home(TURNER),
                Field::Hint(_) => Special::Hint,
                Field::Start(_) => Special::Start,
            };
            Some(Report::Field { special, place, end: None })
        }));
        reports.extend([STEPPER, TURNER].map(|player| Report::At(player, self.state.place(player.index()))));
        reports.into_iter().for_each(|report| self.send(report));
    }

    fn play(&mut self, now: SimTime, action: Action, witness: &mut impl Witness<State>) {
        // The game's clock never runs back, whatever the shell's clock does.
        let (now, player) = (now.max(self.state.clock()), player_of(action));
        witness.action(&self.state, now, player, &action);
        let mut answers = Answers {
            reports: Vec::new(),
            has_moved: !matches!(action, Action::Turn(_)),
            witness: &mut *witness,
        };
        self.state.step(now, player, action, &mut answers);
        let reports = answers.reports;
        reports.into_iter().for_each(|report| self.send(report));
        if let Turn::Over(_) = self.state.turn() {
            witness.end(&self.state, now);
            self.phase = Phase::Won(player, now + self.settings.patience);
            self.outputs.push_back(Output::Report(News::Won(player)));
            self.send(Report::Wins(player));
        }
    }

    fn pass_over(&mut self, now: SimTime, why: String, witness: &mut impl Witness<State>) {
        self.outputs.push_back(Output::Report(News::Senseless(why)));
        self.nonsense += 1;
        if self.nonsense >= self.settings.nonsense {
            let end = self.won(false).unwrap_or(End::Senseless);
            self.end(now, end, witness);
        }
    }

    fn end(&mut self, now: SimTime, end: End, witness: &mut impl Witness<State>) {
        if self.phase == Phase::Playing {
            let now = now.max(self.state.clock());
            let reason = if end == End::Stopped { Termination::Stopped } else { Termination::Interrupted };
            let disruption = Disruption::Ended(reason);
            witness.disruption(&self.state, now, disruption);
            self.state.disrupt(now, disruption, &mut witness.sink());
            witness.end(&self.state, now);
        }
        self.phase = Phase::Done;
        self.outputs.push_back(Output::Done(end));
    }

    fn send(&mut self, report: Report) {
        let line = format!("{}\r\n", report.line(Dialect::Specification));
        self.outputs.push_back(Output::Send(line.into_bytes()));
    }
}

/// Makes the answer of a request of the events that follow from it, and passes them on.
struct Answers<'w, W> {
    reports: Vec<Report>,
    /// False for a player that turned: it is where it was, and no place is reported.
    has_moved: bool,
    witness: &'w mut W,
}

impl<W: Witness<State>> Sink<Event> for Answers<'_, W> {
    fn event(&mut self, now: SimTime, event: Event) {
        match &event {
            Event::Answered { hint: None, .. } => self.reports.push(Report::Done),
            Event::Answered { hint: Some(hint), .. } => self.reports.push(Report::Hint(*hint)),
            Event::Landed { player, place, .. } if self.has_moved => {
                self.reports.push(Report::At(*player, *place));
            }
            Event::Refused { .. } => self.reports.push(Report::Refused),
            Event::Landed { .. } | Event::Left(_) | Event::Over(_) => {}
        }
        self.witness.event(now, &event);
    }
}
