//! Any bytes for the programs of Conveyor: to a controller that has a board and two players, to a board from its
//! controller, to a controller from its board, to a player, and as `BORD.INI`.
//!
//! `cargo +nightly fuzz run conveyor fuzz/corpus/conveyor fuzz/seeds/conveyor`
//!
//! The first byte of the input chooses the settings. Each further line is what one client of the controller does: its
//! number (a digit, of boards 8 and 9), then `+` connects, `-` ends the connection, `.` and a number lets this much
//! time pass in ms, `:` and bytes sends these bytes and a line end, `~` and bytes sends them without. Lines of other
//! forms are sent as they are. `reference-gm/tests/it/conveyor` has the rules as ordinary tests.

#![no_main]

use std::collections::BTreeSet;

use clients::ClientSession as _;
use clients::conveyor::{Input as Heard, Output as Wanted, Session};
use fuzz::{Operation, look_at};
use game_conveyor::known::InitialKnowledge;
use game_conveyor::{Action, Config, Observation, State};
use game_env::seat::Seat;
use game_env::{
    AgentId, Chance, Choice, Environment as _, Millis, Policy, RandomPolicy, Seed, SimTime, Turn,
};
use libfuzzer_sys::fuzz_target;
use reference_gm::conveyor::board::{self, Board};
use reference_gm::conveyor::controller::{Controller, End, Input, News, Output, Settings};
use reference_gm::conveyor::follower::Follower;
use reference_gm::conveyor::ini;
use reference_gm::server::ConnectionId;
use wire::conveyor::{Dialect, LONGEST_LINE, Notice, Order, Report, Request};

/// The honest board and players.
const BOARD: ConnectionId = ConnectionId(100);
const KITTEH: ConnectionId = ConnectionId(101);
const SUPERCAT: ConnectionId = ConnectionId(102);

/// The longest time that passes at once.
const LONGEST_WAIT: Millis = Millis::new(5_000);

/// The longest message for a terminal, in bytes.
const LONGEST_MESSAGE: usize = 1024;

fuzz_target!(|input: &[u8]| {
    read_lines(input);
    read_ini(input);
    hear_controller(input);
    let Some((choice, script)) = input.split_first() else { return };
    let dialect = if choice & 1 != 0 { Dialect::Year2009 } else { Dialect::Specification };
    tell_board(script, Seed::new(((choice >> 1) & 7).into()));
    be_board(script, dialect);
    let mut table = Table::new(Seed::new(((choice >> 1) & 7).into()));
    for line in script.split(|byte| *byte == b'\n').take(500) {
        table.act(line);
        table.play();
    }
});

/// Each line is a line of the protocol, or none; its value is written again in the same way.
fn read_lines(input: &[u8]) {
    let whole = lines(input, input.len());
    assert_eq!(whole, lines(input, 7));
    for line in whole.iter().flatten() {
        match Request::read(line) {
            Ok(request) => assert_eq!(Request::read(request.line().as_bytes()), Ok(request)),
            Err(error) => look_at(&error.to_string(), LONGEST_MESSAGE),
        }
        match Notice::read(line) {
            Ok(notice) => assert_eq!(Notice::read(notice.line().as_bytes()), Ok(notice)),
            Err(error) => look_at(&error.to_string(), LONGEST_MESSAGE),
        }
        match Order::read(line) {
            Ok(order) => assert_eq!(Order::read(order.line().as_bytes()), Ok(order)),
            Err(error) => look_at(&error.to_string(), LONGEST_MESSAGE),
        }
        for dialect in [Dialect::Specification, Dialect::Year2009] {
            match Report::read(line, dialect) {
                Ok(report) => {
                    assert_eq!(Report::read(report.line(dialect).as_bytes(), dialect), Ok(report));
                }
                Err(error) => look_at(&error.to_string(), LONGEST_MESSAGE),
            }
        }
    }
}

/// The lines of a stream that comes in pieces of this length; `None` where one was too long.
fn lines(stream: &[u8], piece: usize) -> Vec<Option<Vec<u8>>> {
    fuzz::lines(stream, piece, LONGEST_LINE)
}

/// Any text as the file that says where the controller is.
fn read_ini(input: &[u8]) {
    match ini::read(input) {
        Ok(place) => {
            let again = format!("[Spel]\nip={}\nport={}\n", place.ip(), place.port());
            assert_eq!(ini::read(again.as_bytes()), Ok(place));
        }
        Err(error) => look_at(&error.to_string(), LONGEST_MESSAGE),
    }
}

/// A player whose controller sends these bytes. The policy is asked whenever the player may ask for something.
fn hear_controller(input: &[u8]) {
    let mut session = Session::new(clients::conveyor::Settings::default());
    let mut seat = Seat::new(RandomPolicy::<Action>::new(Seed::new(1).game()));
    let mut seen = Observation::default();
    session.handle(SimTime::START, Heard::Connected);
    for piece in input.chunks(16) {
        session.handle(SimTime::START, Heard::Received(piece));
        while let Some(wanted) = session.poll_output() {
            match wanted {
                Wanted::Send(bytes) => {
                    let sent = lines(&bytes, bytes.len());
                    let is_right = |line: &Option<Vec<u8>>| {
                        line.as_ref().is_some_and(|line| Request::read(line).is_ok())
                    };
                    assert!(sent.iter().all(is_right), "a player speaks the protocol");
                }
                Wanted::Decide => {
                    let Some(player) = session.player().filter(|_| session.observe(&mut seen)) else {
                        continue;
                    };
                    let choice = match Policy::<State>::choose(&mut seat, SimTime::START, player, &seen) {
                        Choice::Act(action) if Policy::<State>::gives_up(&mut seat).is_none() => Some(action),
                        Choice::Act(_) | Choice::Wait(_) => None,
                    };
                    session.handle(SimTime::START, Heard::Choice(choice));
                }
                Wanted::Report(news) => look_at(&news.to_string(), LONGEST_MESSAGE),
                Wanted::Done(end) => return look_at(&end.to_string(), LONGEST_MESSAGE),
                Wanted::Connect | Wanted::Hear(_) | Wanted::Over(_) => {}
            }
        }
    }
}

/// A board whose controller sends these lines: it never loses count of its game.
fn tell_board(script: &[u8], seed: Seed) {
    let state = State::new(&Config::new(5, 4).expect("there are such boards"), seed);
    let mut board = Board::new(board::Settings::default(), state);
    let mut now = SimTime::START;
    for line in script.split(|byte| *byte == b'\n').take(500) {
        now += Millis::new(1);
        board.handle(now, board::Input::Line(Ok(line)), &mut ());
        while let Some(output) = board.poll_output() {
            match output {
                board::Output::Send(bytes) => {
                    for line in lines(&bytes, bytes.len()) {
                        let line = line.expect("a board's lines are short");
                        Report::read(&line, Dialect::Specification).expect("a board speaks the protocol");
                    }
                }
                board::Output::Report(news) => look_at(&news.to_string(), LONGEST_MESSAGE),
                board::Output::Done(end) => {
                    let is_over = matches!(board.state().turn(), Turn::Over(_));
                    assert!(
                        is_over || !matches!(end, board::End::Won { .. }),
                        "nobody wins without the rules"
                    );
                    return look_at(&end.to_string(), LONGEST_MESSAGE);
                }
            }
        }
    }
}

/// A controller whose board sends these lines, while two players ask for moves.
fn be_board(script: &[u8], dialect: Dialect) {
    let mut controller = Controller::new(Settings { dialect, ..Settings::default() });
    let mut follower = Follower::new(|_: &InitialKnowledge| ());
    let mut now = SimTime::START;
    let mut closed = BTreeSet::new();
    let mut inputs = vec![
        Input::Board(BOARD),
        Input::Player(KITTEH),
        Input::Player(SUPERCAT),
        Input::Received(KITTEH, b"HAI\nKITTEH WANT MOVE UP\nKITTEH WANT MOVE LEFT\n"),
        Input::Received(SUPERCAT, b"HAI\nSUPERCAT WANT MOVE ONE\nSUPERCAT WANT TURN LEFT\n"),
    ];
    let said: Vec<&[u8]> = script.split_inclusive(|byte| *byte == b'\n').take(500).collect();
    inputs.extend(said.into_iter().map(|line| Input::Received(BOARD, line)));
    inputs.push(Input::Ended(BOARD));
    for input in inputs {
        now += Millis::new(1);
        if matches!(input, Input::Received(id, _) | Input::Ended(id) if closed.contains(&id)) {
            continue;
        }
        controller.handle(now, input);
        while let Some(output) = controller.poll_output() {
            match output {
                Output::Send(id, bytes) => assert!(!closed.contains(&id) && bytes.ends_with(b"\r\n")),
                Output::Close(id) => assert!(closed.insert(id), "{id} is closed once"),
                Output::Report(news) => {
                    look_at(&news.to_string(), LONGEST_MESSAGE);
                    follower.hear(&news);
                }
                Output::Done(end) => {
                    follower.end(&end);
                    return look_at(&end.to_string(), LONGEST_MESSAGE);
                }
            }
        }
    }
}

/// A controller with an honest board and honest players, and clients that are only lines of text.
struct Table {
    controller: Controller,
    board: Board,
    is_board_done: bool,
    now: SimTime,
    open: BTreeSet<ConnectionId>,
    /// Whether the players have got the answers to their requests.
    is_answered: [bool; 2],
    follower: Follower<fn(&InitialKnowledge), ()>,
    chance: Chance,
    end: Option<End>,
}

impl Table {
    fn new(seed: Seed) -> Self {
        let state = State::new(&Config::new(5, 4).expect("there are such boards"), seed);
        let mut table = Self {
            controller: Controller::new(Settings::default()),
            board: Board::new(board::Settings::default(), state),
            is_board_done: false,
            now: SimTime::START,
            open: [BOARD, KITTEH, SUPERCAT].into(),
            is_answered: [true; 2],
            follower: Follower::new(|_: &InitialKnowledge| ()),
            chance: seed.game(),
            end: None,
        };
        table.handle(Input::Board(BOARD));
        table.handle(Input::Player(KITTEH));
        table.handle(Input::Player(SUPERCAT));
        table.handle(Input::Received(KITTEH, b"HAI\r\n"));
        table.handle(Input::Received(SUPERCAT, b"HAI\r\n"));
        table
    }

    /// Hands an input in, and all that the board answers.
    fn handle(&mut self, input: Input<'_>) {
        if self.end.is_some() {
            return;
        }
        self.controller.handle(self.now, input);
        let mut said = Vec::new();
        while let Some(output) = self.controller.poll_output() {
            match output {
                Output::Send(BOARD, bytes) => {
                    for line in lines(&bytes, bytes.len()) {
                        let line = line.expect("a controller's lines are short");
                        Order::read(&line).expect("a controller speaks the protocol");
                        self.board.handle(self.now, board::Input::Line(Ok(&line)), &mut ());
                        while let Some(output) = self.board.poll_output() {
                            match output {
                                board::Output::Send(bytes) => said.extend(bytes),
                                board::Output::Report(_) => {}
                                board::Output::Done(_) => self.is_board_done = true,
                            }
                        }
                    }
                }
                Output::Send(id, bytes) => {
                    assert!(self.open.contains(&id), "nothing is sent behind the end");
                    if let Some(player) = [KITTEH, SUPERCAT].iter().position(|honest| *honest == id) {
                        for line in lines(&bytes, bytes.len()).into_iter().flatten() {
                            let notice = Notice::read(&line).expect("a controller speaks the protocol");
                            assert_ne!(notice, Notice::Senseless, "an honest player is refused");
                            let is_answer =
                                matches!(notice, Notice::Done | Notice::Hint(_) | Notice::Refused);
                            self.is_answered[player] |= is_answer;
                        }
                    }
                }
                Output::Close(id) => assert!(self.open.remove(&id), "{id} is closed once"),
                Output::Report(news) => {
                    look_at(&news.to_string(), LONGEST_MESSAGE);
                    assert!(!matches!(news, News::Senseless { is_board: true, .. }), "the board is honest");
                    self.follower.hear(&news);
                }
                Output::Done(end) => {
                    let has_won = matches!(self.board.state().turn(), Turn::Over(_));
                    assert!(has_won && matches!(end, End::Won(_)), "the game ends as its board says: {end}");
                    self.follower.end(&end);
                    self.end = Some(end);
                    return;
                }
            }
        }
        if !said.is_empty() {
            self.handle(Input::Received(BOARD, &said));
        }
        // The board closes the connection when it has heard the farewell.
        if self.end.is_none() && self.is_board_done && self.open.remove(&BOARD) {
            self.handle(Input::Ended(BOARD));
        }
    }

    /// Carries out the operation that a line of the input stands for.
    fn act(&mut self, line: &[u8]) {
        let (id, operation) = Operation::read(line, LONGEST_WAIT);
        match operation {
            Operation::Connect => self.connect(id),
            Operation::End => {
                if self.open.remove(&id) {
                    self.handle(Input::Ended(id));
                }
            }
            Operation::Wait(span) => {
                self.now += span;
                self.handle(Input::Tick);
            }
            Operation::Send(bytes) => self.receive(id, &bytes),
        }
    }

    fn connect(&mut self, id: ConnectionId) {
        if self.end.is_none() && self.open.insert(id) {
            self.handle(if id.0 >= 8 { Input::Board(id) } else { Input::Player(id) });
        }
    }

    fn receive(&mut self, id: ConnectionId, bytes: &[u8]) {
        self.connect(id);
        if self.open.contains(&id) {
            self.handle(Input::Received(id, bytes));
        }
    }

    /// Each honest player asks for something, and is answered at once.
    fn play(&mut self) {
        for (player, id) in [KITTEH, SUPERCAT].into_iter().enumerate() {
            if self.end.is_some() {
                return;
            }
            assert!(self.open.contains(&id), "an honest player was dropped");
            assert!(self.is_answered[player], "a request of an honest player was not answered");
            self.is_answered[player] = false;
            let mut actions = Vec::new();
            self.board.state().legal_actions(AgentId::from_index(player), &mut actions);
            let Ok(count @ 1..) = u32::try_from(actions.len()) else { return };
            let action = actions[self.chance.below(count) as usize];
            let line = format!("{}\r\n", Request::Want(action).line());
            self.handle(Input::Received(id, line.as_bytes()));
        }
    }
}
