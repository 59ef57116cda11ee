//! Any bytes from a player of Bricks: the duel ends, and the honest opponent loses by the rules alone. Any lines from a
//! referee: the player takes them, or refuses them and stays as it was.
//!
//! `cargo +nightly fuzz run bricks fuzz/corpus/bricks fuzz/seeds/bricks`
//!
//! The first byte of the input chooses dialect, board and the side of the player. The rest is the output of the player:
//! a byte 1 to 8 there lets time pass. `wire/tests/it/bricks.rs` has the conversation as ordinary tests.

#![no_main]

use fuzz::{lines, look_at};
use game_bricks::{Config, State};
use game_env::{AgentId, Environment as _, Millis, Seed, SimTime, Turn};
use libfuzzer_sys::fuzz_target;
use wire::bricks::player::Reply;
use wire::bricks::{Compat, Dialect, Gone, Input, Letter, Output, Player, Referee, Settings};

/// Boards larger than this take time to set up, which is no matter of bytes.
const LARGEST: &str = "99";

/// The longest line that is read, in bytes.
const LONGEST_LINE: usize = 64;

/// The longest message for a terminal, in bytes.
const LONGEST_MESSAGE: usize = 1024;

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else { return };
    let dialect = Dialect::ALL[usize::from(choice & 3) % 3];
    let compat = match choice & 4 {
        0 => Compat::Strict,
        _ => mistakes(dialect),
    };
    read_lines(dialect, compat, bytes);
    Duel::new(*choice, dialect, compat).play(bytes);
});

/// The referee whose mistakes are taken over in this dialect.
fn mistakes(dialect: Dialect) -> Compat {
    if dialect == Dialect::Year2019 { Compat::Year2019 } else { Compat::Year2018 }
}

/// The lines of a stream, as a player of this dialect hears them.
fn read_lines(dialect: Dialect, compat: Compat, bytes: &[u8]) {
    let whole = lines(bytes, bytes.len(), LONGEST_LINE);
    assert_eq!(whole, lines(bytes, 3, LONGEST_LINE));
    let mut player = Player::new(dialect, compat, dialect.is_torus());
    for line in whole.into_iter().flatten() {
        let Ok(line) = String::from_utf8(line) else { continue };
        match dialect.read(&line, compat) {
            Ok(brick) => assert_eq!(dialect.read(&dialect.write(brick, compat), compat), Ok(brick)),
            Err(error) => look_at(&error.to_string(), LONGEST_MESSAGE),
        }
        let size: String = line.chars().take_while(char::is_ascii_digit).collect();
        let size = size.trim_start_matches('0');
        if size.len() > LARGEST.len() {
            continue;
        }
        let before = player.state().map(|state| state.bricks().len());
        match player.line(&line) {
            Err(error) => {
                look_at(&error.to_string(), LONGEST_MESSAGE);
                assert_eq!(player.state().map(|state| state.bricks().len()), before);
            }
            Ok(Reply::Move) => drop(first_brick(&mut player)),
            Ok(Reply::Say(_) | Reply::Listen) => {}
            Ok(Reply::Stop) => return,
        }
    }
}

/// Puts the first brick that fits; its line.
fn first_brick(player: &mut Player) -> Option<String> {
    let mut bricks = Vec::new();
    player.state()?.board().list(&mut bricks);
    player.put(*bricks.first()?)
}

/// A duel of the input's player and one that answers everything at once.
struct Duel {
    referee: Referee,
    now: SimTime,
    hostile: AgentId,
    honest: Player,
}

impl Duel {
    fn new(choice: u8, dialect: Dialect, compat: Compat) -> Self {
        let size = [3, 5, 7, 9][usize::from((choice >> 3) & 3)];
        let config = Config::new(size)
            .expect("these sizes are allowed")
            .torus(dialect.is_torus())
            .loose(compat == Compat::Year2018);
        let cells = if dialect == Dialect::Year2017 { 0 } else { u32::from(choice >> 6) };
        let config = config.filled_at_random(cells).expect("the board has more cells");
        let settings = Settings { dialect, compat, ..Settings::default() };
        let referee =
            Referee::new(settings, State::new(&config, Seed::new(3))).expect("the dialect has these boards");
        let hostile = AgentId::from_index(usize::from((choice >> 5) & 1));
        let honest = Player::new(dialect, compat, dialect.is_torus());
        Self { referee, now: SimTime::START, hostile, honest }
    }

    fn play(mut self, bytes: &[u8]) {
        self.handle(Input::Tick);
        for piece in bytes.chunk_by(|one, other| !is_pause(*one) && !is_pause(*other)) {
            match piece {
                [pause @ 1..=8] => self.pass(Millis::new(120 * u32::from(*pause))),
                bytes => self.handle(Input::Received(self.hostile, bytes)),
            }
        }
        self.handle(Input::Gone(self.hostile, Gone::Ended("ended with exit code 0".to_owned())));
        while let Some(due) = self.referee.wake_at() {
            self.pass(due - self.now);
        }
        let verdict = self.referee.verdict().expect("the duel ends when a player is gone");
        look_at(&verdict.reason.to_string(), LONGEST_MESSAGE);
        let Turn::Over(outcome) = self.referee.state().turn() else { panic!("the game goes on") };
        assert_eq!(outcome, verdict.outcome);
        let honest_lost = outcome.winner().is_some_and(|winner| winner.index() == self.hostile.index());
        assert!(!honest_lost || verdict.reason.letter() == Some(Letter::Normal), "{}", verdict.reason);
    }

    fn pass(&mut self, span: Millis) {
        let end = self.now + span;
        while let Some(due) = self.referee.wake_at().filter(|due| *due <= end) {
            assert!(due >= self.now, "a moment in the past is due");
            self.now = due;
            self.handle(Input::Tick);
            assert!(self.referee.wake_at() != Some(due), "what is due is done");
        }
        self.now = end;
    }

    fn handle(&mut self, input: Input<'_>) {
        self.referee.handle(self.now, input, &mut ());
        while let Some(output) = self.referee.poll_output() {
            match output {
                Output::Start(player) => self.referee.handle(self.now, Input::Started(player), &mut ()),
                Output::Ready(_) => self.referee.handle(self.now, Input::Go, &mut ()),
                Output::Write(player, line) => {
                    self.referee.handle(self.now, Input::Written(player), &mut ());
                    if player != self.hostile {
                        let answer = self.answer(&line);
                        self.referee.handle(self.now, Input::Received(player, answer.as_bytes()), &mut ());
                    }
                }
                Output::Farewell(..) => {}
                Output::Done => assert!(self.referee.verdict().is_some()),
            }
        }
    }

    /// Returns the answer of the honest player.
    fn answer(&mut self, line: &[u8]) -> String {
        let line = str::from_utf8(line).expect("the referee writes text").trim_end_matches('\n');
        let answer = match self.honest.line(line).expect("the referee keeps to the protocol") {
            Reply::Say(answer) => answer.to_owned(),
            Reply::Move => first_brick(&mut self.honest).expect("the referee asks where there is room"),
            Reply::Listen | Reply::Stop => return String::new(),
        };
        answer + "\n"
    }
}

fn is_pause(byte: u8) -> bool {
    (1..=8).contains(&byte)
}
