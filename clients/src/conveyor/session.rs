//! The player's side of the protocol, sans-IO: from the join to the end of the game.
//!
//! After each [`Input`] that [`Session::handle`] takes, the shell calls [`Session::poll_output`] until it returns
//! `None`. At [`Output::Decide`], the shell asks the policy for an action; [`Session::observe`] returns the
//! observation.
//!
//! A player may take the place of one that has left. Like any other player, it does not know on which field it stands.
//!
//! A controller says at once which player a client is, so a client waits for [`ANSWER_SECONDS`] at most for this line.
//! There is no limit for the wait for the board and the other player, which begins after it.

use std::collections::VecDeque;
use std::fmt;

use game_conveyor::state::{STEPPER, TURNER};
use game_conveyor::{Action, Answer, Config, Event, Observation, State};
use game_env::{AgentId, Millis, Outcome, Ranking, Returns, SimTime, Termination};
use wire::conveyor::{LONGEST_LINE, Notice, Order, Request, name};
use wire::lines::LineDecoder;

use crate::session::{self, ANSWER_SECONDS, ClientSession, InvalidMessages};

/// The settings of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Settings {
    /// The player that it asks to be; `None` for any free one.
    pub player: Option<AgentId>,
    /// The number of hints that it assumes; `None` for the smallest number that the rules allow.
    pub hints: Option<u16>,
    /// The number of conveyors that it assumes; `None` for the usual number, or as many as the board has room for.
    pub conveyors: Option<u16>,
}

/// An input of a session.
pub type Input<'a> = session::Input<'a, Action>;

/// An output of a session.
pub type Output = session::Output<Event, News, End>;

/// A report of a session for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum News {
    /// It is this player.
    Seated(AgentId),
    /// The controller has sent the size of this board; hints and conveyors are assumed.
    Begun(Config),
    /// A line of the controller was invalid and is ignored, for this reason.
    Senseless(String),
}

/// The end of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// This player has won.
    Won(AgentId),
    /// The game ended, and nobody has won.
    NobodyWon,
    /// Another player has the place; or both places are taken.
    TurnedAway,
    /// There is no controller, for this reason.
    Unreachable(String),
    /// The controller has accepted the connection, and has not said which player this is for [`ANSWER_SECONDS`].
    NoAnswer,
    /// The connection ended before the game was over.
    Lost,
    /// The policy gave up.
    GaveUp,
    /// The user has left.
    Left,
    /// The controller greets as it greets boards: this is its port for boards.
    PortForBoards,
    /// The other end does not use the protocol, or not with this board; the reason.
    Unplayable(String),
}

impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Seated(player) => write!(f, "plays as {}", name(*player)),
            Self::Begun(config) => write!(f, "begins, on {config} (hints and conveyors assumed)"),
            Self::Senseless(why) => write!(f, "ignored an invalid message: {why}"),
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Won(player) => write!(f, "{} has won", name(*player)),
            Self::NobodyWon => f.write_str("the game ended, and nobody has won"),
            Self::TurnedAway => f.write_str("the place is taken"),
            Self::Unreachable(why) => write!(f, "there is no controller: {why}"),
            Self::NoAnswer => write!(f, "the controller has not answered for {ANSWER_SECONDS} s"),
            Self::Lost => f.write_str("the connection ended before the game was over"),
            Self::GaveUp => f.write_str("the strategy gave up"),
            Self::Left => f.write_str("the player has left"),
            Self::PortForBoards => f.write_str("this is the controller's port for boards, not for players"),
            Self::Unplayable(why) => write!(f, "invalid message of the controller: {why}"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Waits for a connection.
    Connecting,
    /// Waits until this moment for the controller to say which player this is.
    Joining(SimTime),
    /// Waits for the size of the board.
    Seated,
    /// Waits for the policy.
    Deciding,
    /// Waits for the answer to a request.
    Asking,
    Done,
}

/// The player's side of a connection.
#[derive(Debug)]
pub struct Session {
    settings: Settings,
    decoder: LineDecoder,
    phase: Phase,
    is_seated: bool,
    seen: Observation,
    invalid: InvalidMessages,
    outputs: VecDeque<Output>,
}

impl Session {
    /// Creates a session that wants to connect. It tries once: a controller conducts one game.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            decoder: LineDecoder::new(LONGEST_LINE),
            phase: Phase::Connecting,
            is_seated: false,
            seen: Observation::default(),
            invalid: InvalidMessages::default(),
            outputs: VecDeque::from([Output::Connect]),
        }
    }

    /// Returns the number of its requests that were answered.
    pub fn requests(&self) -> u32 {
        self.seen.requests
    }

    fn received(&mut self, mut bytes: &[u8]) {
        while self.phase != Phase::Done
            && let Some(line) = self.decoder.next(&mut bytes)
        {
            let read = line.map_err(|error| error.to_string());
            let greeting = read.as_ref().ok().and_then(|line| Order::read(line).ok());
            if matches!(self.phase, Phase::Joining(_)) && greeting == Some(Order::Hello) {
                return self.end(End::PortForBoards);
            }
            match read.and_then(|line| Notice::read(&line).map_err(|error| error.to_string())) {
                Ok(notice) => self.hear(notice),
                Err(why) => self.pass_over(why),
            }
        }
    }

    fn hear(&mut self, notice: Notice) {
        match (self.phase, notice) {
            (_, Notice::Wins(winner)) => self.over(Some(winner)),
            (_, Notice::NobodyWins) => self.over(None),
            (Phase::Joining(_), Notice::Seat(player)) => {
                self.seen.player = player;
                self.is_seated = true;
                self.phase = Phase::Seated;
                self.outputs.push_back(Output::Report(News::Seated(player)));
            }
            (Phase::Joining(_), Notice::Refused) => self.end(End::TurnedAway),
            (Phase::Seated, Notice::Size { columns, rows }) => match self.board(columns, rows) {
                Ok(config) => {
                    self.seen.config = config;
                    self.outputs.push_back(Output::Report(News::Begun(config)));
                    self.decide();
                }
                Err(why) => self.end(End::Unplayable(why)),
            },
            (Phase::Asking, Notice::Done) => self.answered(Answer::Done),
            (Phase::Asking, Notice::Hint(direction)) => self.answered(Answer::Hint(direction)),
            (Phase::Asking, Notice::Refused) => self.answered(Answer::Refused),
            (Phase::Asking, Notice::Senseless) => {
                self.pass_over("the controller does not understand a request".to_owned());
                if self.phase == Phase::Asking {
                    self.decide();
                }
            }
            (_, notice) => self.pass_over(format!("`{}` may not come now", notice.line())),
        }
    }

    /// Returns the board of this size with the assumed hints and conveyors.
    fn board(&self, columns: u8, rows: u8) -> Result<Config, String> {
        let Settings { hints, conveyors, .. } = self.settings;
        let plain = Config::new(columns, rows).map_err(|error| error.to_string())?;
        let hinted =
            hints.map_or(Ok(plain), |hints| plain.with_hints(hints)).map_err(|error| error.to_string())?;
        match conveyors {
            Some(conveyors) => hinted.with_conveyors(conveyors).map_err(|error| error.to_string()),
            None => Ok(hinted.with_usual_conveyors()),
        }
    }

    fn answered(&mut self, answer: Answer) {
        self.invalid.reset();
        self.seen.requests = self.seen.requests.saturating_add(1);
        self.seen.last = Some(answer);
        self.decide();
    }

    fn decide(&mut self) {
        self.phase = Phase::Deciding;
        self.outputs.push_back(Output::Decide);
    }

    /// The controller has said how the game ended.
    fn over(&mut self, winner: Option<AgentId>) {
        if matches!(self.phase, Phase::Deciding | Phase::Asking) {
            let points = [STEPPER, TURNER].map(|player| i32::from(winner == Some(player)));
            let returns = Returns::new(&points);
            let termination = if winner.is_some() { Termination::Normal } else { Termination::Stopped };
            let ranking = Ranking::by_points(&returns);
            self.outputs.push_back(Output::Over(Outcome { ranking, termination, fault: None, returns }));
        }
        self.end(winner.map_or(End::NobodyWon, End::Won));
    }

    fn pass_over(&mut self, why: String) {
        self.outputs.push_back(Output::Report(News::Senseless(why.clone())));
        if self.invalid.are_too_many() {
            self.end(End::Unplayable(why));
        }
    }

    fn end(&mut self, end: End) {
        if self.phase != Phase::Done {
            self.phase = Phase::Done;
            self.outputs.push_back(Output::Done(end));
        }
    }

    fn send(&mut self, request: Request) {
        self.outputs.push_back(Output::Send(format!("{}\r\n", request.line()).into_bytes()));
    }
}

impl ClientSession for Session {
    type Game = State;
    type News = News;
    type End = End;

    fn handle(&mut self, now: SimTime, input: Input<'_>) {
        match input {
            Input::Connected => {
                self.phase = Phase::Joining(now + Millis::new(ANSWER_SECONDS * 1_000));
                self.send(Request::Join(self.settings.player));
            }
            Input::Unreachable(why) => self.end(End::Unreachable(why)),
            Input::Received(bytes) => self.received(bytes),
            Input::Choice(Some(action)) if self.phase == Phase::Deciding => {
                self.phase = Phase::Asking;
                self.send(Request::Want(action));
            }
            Input::Choice(None) => self.end(End::GaveUp),
            Input::Tick if self.wake_at().is_some_and(|at| at <= now) => self.end(End::NoAnswer),
            Input::Choice(Some(_)) | Input::Tick => {}
            Input::Closed => self.end(End::Lost),
            Input::Leave => self.end(End::Left),
        }
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Once it is a player, it waits for the controller alone.
    fn wake_at(&self) -> Option<SimTime> {
        if let Phase::Joining(until) = self.phase { Some(until) } else { None }
    }

    fn observe(&self, out: &mut Observation) -> bool {
        *out = self.seen;
        matches!(self.phase, Phase::Deciding | Phase::Asking)
    }

    /// `None` before the controller has said which player it is.
    fn player(&self) -> Option<AgentId> {
        self.is_seated.then_some(self.seen.player)
    }

    fn config(&self) -> Option<Config> {
        matches!(self.phase, Phase::Deciding | Phase::Asking).then_some(self.seen.config)
    }

    fn game_time(&self, now: SimTime) -> SimTime {
        now
    }

    fn began(news: &News) -> Option<(u32, AgentId)> {
        if let News::Seated(player) = news { Some((0, *player)) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use game_conveyor::Direction;

    use super::*;

    fn drain(session: &mut Session) -> String {
        let output = |output| match output {
            Output::Connect => "connect".to_owned(),
            Output::Hear(event) => format!("{event:?}"),
            Output::Over(outcome) => outcome.to_string(),
            Output::Send(bytes) => format!("> {}", String::from_utf8_lossy(&bytes).trim_end()),
            Output::Decide => "decide".to_owned(),
            Output::Report(news) => news.to_string(),
            Output::Done(end) => format!("done: {end}"),
        };
        std::iter::from_fn(|| session.poll_output()).map(output).collect::<Vec<_>>().join("\n")
    }

    /// Returns a session that is connected, and has sent its first line.
    fn connected(settings: Settings) -> Session {
        let mut session = Session::new(settings);
        assert_eq!(drain(&mut session), "connect");
        handle(&mut session, Input::Connected);
        session
    }

    fn handle(session: &mut Session, input: Input<'_>) {
        session.handle(SimTime::START, input);
    }

    fn said(session: &mut Session, lines: &str) -> String {
        handle(session, Input::Received(lines.as_bytes()));
        drain(session)
    }

    #[test]
    fn a_game_from_the_first_word_to_the_last() {
        let mut session = connected(Settings::default());
        assert_eq!(drain(&mut session), "> HAI");
        assert_eq!(session.player(), None);
        assert_eq!(said(&mut session, "UR KIT"), "");
        assert_eq!(said(&mut session, "TEH\r\n"), "plays as KITTEH");
        let told = said(&mut session, "SIZE 5,4\r\n");
        assert_eq!(told, "begins, on 5×4 fields, 4 hints, 2 conveyors (hints and conveyors assumed)\ndecide");
        handle(&mut session, Input::Choice(Some(Action::Step(Direction::Up))));
        assert_eq!(drain(&mut session), "> KITTEH WANT MOVE UP");
        assert_eq!(said(&mut session, "HINT LEFT\n"), "decide");
        let mut seen = Observation::default();
        assert!(session.observe(&mut seen));
        assert_eq!(
            (seen.player, seen.requests, seen.last),
            (STEPPER, 1, Some(Answer::Hint(Direction::Left)))
        );
        handle(&mut session, Input::Choice(Some(Action::Step(Direction::Left))));
        assert_eq!(
            said(&mut session, "K\r\nSUPERCAT WINS\r\n"),
            "> KITTEH WANT MOVE LEFT\ndecide\nteam 2 wins, 0 : 1 (normal)\ndone: SUPERCAT has won"
        );
        handle(&mut session, Input::Closed);
        assert_eq!(drain(&mut session), "");
    }

    /// A controller greets boards, and waits for players to greet it.
    #[test]
    fn a_player_at_the_port_for_boards_says_so() {
        let mut session = connected(Settings::default());
        assert_eq!(drain(&mut session), "> HAI");
        let told = said(&mut session, "HAI\r\nNOWAI\r\n");
        assert_eq!(told, "done: this is the controller's port for boards, not for players");
    }

    #[test]
    fn what_makes_no_sense_is_passed_over_within_limits() {
        let mut session = connected(Settings { player: Some(TURNER), ..Settings::default() });
        assert_eq!(drain(&mut session), "> HAI SUPERCAT");
        assert_eq!(
            said(&mut session, "K\nKITTEH 3,4\n"),
            "ignored an invalid message: `K` may not come now\nignored an invalid message: `KITTEH 3,4` is no line of a controller to a player: expected UR and a player, SIZE, K, HINT and a direction, NOWAI, LOL WUT?, or the end of the game"
        );
        let told = said(&mut session, &"\u{ff}\r\n".repeat(30));
        assert_eq!(told.matches("ignored an invalid message").count(), 18);
        assert!(told.contains("\ndone: invalid message of the controller"), "{told}");
    }

    #[test]
    fn a_request_that_is_not_understood_is_asked_anew() {
        let mut session = connected(Settings::default());
        said(&mut session, "UR SUPERCAT\nSIZE 12,9\n");
        handle(&mut session, Input::Choice(Some(Action::Turn(Direction::Up))));
        assert_eq!(drain(&mut session), "> SUPERCAT WANT TURN UP");
        assert!(said(&mut session, "LOL WUT?\n").ends_with("\ndecide"));
        assert_eq!(session.requests(), 0);
    }

    #[test]
    fn endings_are_told_apart() {
        for (lines, end) in [
            ("NOWAI\n", End::TurnedAway),
            ("UR KITTEH\nKTHXBAI\n", End::NobodyWon),
            ("UR KITTEH\nKITTEH WINS\n", End::Won(STEPPER)),
            ("UR KITTEH\nSIZE 1,1\n", End::Unplayable("two homes, 1 hint and 0 conveyors on 1 field: expected at most as many as there are fields".to_owned())),
        ] {
            let mut session = connected(Settings::default());
            handle(&mut session, Input::Received(lines.as_bytes()));
            assert!(drain(&mut session).ends_with(&format!("done: {end}")), "{lines}");
        }
        let mut session = connected(Settings::default());
        handle(&mut session, Input::Closed);
        assert!(drain(&mut session).ends_with("done: the connection ended before the game was over"));
        let mut session = Session::new(Settings::default());
        handle(&mut session, Input::Unreachable("refused".to_owned()));
        assert_eq!(drain(&mut session), "connect\ndone: there is no controller: refused");
    }
}
