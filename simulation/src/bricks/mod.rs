//! Duels of Bricks: the referee, and two programs of players that are slow, die, write nonsense or do not read.
//!
//! The shell is written a second time here: its starts and its writes take a time that the seed decides, and the output
//! of players arrives in pieces. One of the players may be faulty; the other one keeps every limit, so that it can lose
//! by the rules alone.

use std::time::Duration;

use game_bricks::{Brick, Config, State};
use game_env::replay::{Header, Playback, Player as Name, Writer};
use game_env::{AgentId, Chance, Environment as _, Seed, SimTime, TeamId, Turn, Witness};
use wire::bricks::player::Reply;
use wire::bricks::{Compat, Dialect, Gone, Input, Letter, Output, Player, Referee, Settings};

use crate::event_queue::{Class, EventQueue};
use crate::network::Log;
use crate::run::Summary;
use crate::sampler::Sampler;

/// The time at which a run must have ended: the longest game has some eighty moves of half a second, and one silence.
const DEADLINE: Duration = Duration::from_secs(90);

/// Fault of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    CannotStart,
    Dies,
    IsSilent,
    IsLate,
    Garbage,
    WritesAhead,
    PutsAnywhere,
    NeverReads,
    HalfALine,
}

impl Fault {
    const ALL: [Self; 9] = [
        Self::CannotStart,
        Self::Dies,
        Self::IsSilent,
        Self::IsLate,
        Self::Garbage,
        Self::WritesAhead,
        Self::PutsAnywhere,
        Self::NeverReads,
        Self::HalfALine,
    ];

    /// Returns the letters with which it may lose.
    const fn letters(self) -> &'static [Letter] {
        match self {
            Self::CannotStart => &[Letter::Start],
            Self::Dies | Self::IsSilent | Self::NeverReads | Self::HalfALine => &[Letter::Silence],
            Self::IsLate => &[Letter::Time, Letter::Opening],
            Self::Garbage | Self::WritesAhead => &[Letter::Protocol],
            Self::PutsAnywhere => &[Letter::Move, Letter::Protocol],
        }
    }
}

/// Event of a duel.
enum Event {
    Started(AgentId),
    Gone(AgentId, Gone),
    Written(AgentId, Vec<u8>),
    Received(AgentId, Vec<u8>),
    Go,
    Alarm,
}

/// A player's program.
struct Program {
    player: Player,
    /// Its fault, and the number of the answer at which it happens, counted from 0.
    fault: Option<(Fault, u32)>,
    answers: u32,
    is_gone: bool,
    /// The time at which the last of its written bytes arrive: a pipe keeps the order.
    arrives: Duration,
}

/// Plays the run of a number.
///
/// # Errors
///
/// Every fault of the run.
pub fn play(number: u64, log: Log) -> Result<Summary, Vec<String>> {
    Duel::draw(number, log).play()
}

struct Duel {
    config: Config,
    seed: Seed,
    settings: Settings,
    referee: Referee,
    programs: [Program; 2],
    queue: EventQueue<Event>,
    now: Duration,
    sampler: Sampler,
    moves: Chance,
    prints: bool,
}

impl Duel {
    fn draw(number: u64, log: Log) -> Self {
        let seed = Seed::new(number);
        let mut sampler = Sampler::new(seed.latency());
        let dialect = Dialect::ALL[sampler.index(3)];
        let size = [7, 9, 11, 13][sampler.index(4)];
        let filled = if dialect == Dialect::Year2017 { 0 } else { sampler.below(5) };
        let config = Config::new(size).and_then(|config| config.filled_at_random(filled));
        let config = config.expect("an odd size with room").torus(dialect.is_torus());
        let settings = Settings { dialect, ..Settings::default() };
        let referee =
            Referee::new(settings, State::new(&config, seed)).expect("the dialect has words for it");
        let faulty = sampler.index(3);
        let fault = (Fault::ALL[sampler.index(Fault::ALL.len())], sampler.below(12));
        let program = |place: usize| Program {
            player: Player::new(dialect, Compat::Strict, dialect.is_torus()),
            fault: (place == faulty).then_some(fault),
            answers: 0,
            is_gone: false,
            arrives: Duration::ZERO,
        };
        Self {
            config,
            seed,
            settings,
            referee,
            programs: [program(0), program(1)],
            queue: EventQueue::default(),
            now: Duration::ZERO,
            sampler,
            moves: seed.agent(AgentId::new(0)),
            prints: log == Log::Printed,
        }
    }

    fn play(mut self) -> Result<Summary, Vec<String>> {
        let players = (0..2).map(|place| Name::new(TeamId::new(place), format!("player {place}"))).collect();
        let header = Header::new::<State>(&self.config, self.seed, players, "simulation 1.0");
        let failed = |what: &str, error: &dyn std::fmt::Display| vec![format!("{what}: {error}")];
        let mut writer = Writer::new(Vec::new(), &header).map_err(|error| failed("no replay", &error))?;
        let events = self.run(&mut writer).map_err(|fault| vec![fault])?;
        let faults = self.faults(writer);
        let requests = self.referee.state().bricks().len() as u64;
        let summary = Summary { requests, events, time: self.now };
        if faults.is_empty() { Ok(summary) } else { Err(faults) }
    }

    /// Plays to the end; returns the number of events.
    fn run(&mut self, witness: &mut impl Witness<State>) -> Result<u64, String> {
        let mut events = 0;
        self.carry_out();
        while self.referee.verdict().is_none() {
            let Some((at, event)) = self.queue.take_next() else {
                return Err(format!("nothing happens any more at {:?}", self.now));
            };
            if at > DEADLINE {
                return Err(format!("the duel does not end until {at:?}"));
            }
            self.now = at;
            events += 1;
            self.take(event, witness);
            self.carry_out();
            if let Some(wake) = self.referee.wake_at() {
                self.queue.push(Duration::from(wake).max(self.now), Class::Alarm, Event::Alarm);
            }
        }
        Ok(events)
    }

    fn take(&mut self, event: Event, writer: &mut impl Witness<State>) {
        let now = SimTime::from(self.now);
        match event {
            Event::Started(player) => self.referee.handle(now, Input::Started(player), writer),
            Event::Gone(player, gone) => self.referee.handle(now, Input::Gone(player, gone), writer),
            Event::Go => self.referee.handle(now, Input::Go, writer),
            Event::Alarm => {
                if self.referee.wake_at().is_some_and(|wake| wake <= now) {
                    self.referee.handle(now, Input::Tick, writer);
                }
            }
            Event::Written(player, line) => {
                self.print(player, "<", &line);
                self.referee.handle(now, Input::Written(player), writer);
                self.answer(player, &line);
            }
            Event::Received(player, bytes) => {
                self.print(player, ">", &bytes);
                self.referee.handle(now, Input::Received(player, &bytes), writer);
            }
        }
    }

    fn print(&self, player: AgentId, sign: &str, bytes: &[u8]) {
        if self.prints {
            println!("{:?} {}{sign} {}", self.now, player.index(), bytes.escape_ascii());
        }
    }

    fn carry_out(&mut self) {
        while let Some(output) = self.referee.poll_output() {
            match output {
                Output::Start(player) => {
                    let delay = self.sampler.millis(0..=300);
                    let fault = self.programs[player.index()].fault.map(|(fault, _)| fault);
                    let event = match fault {
                        Some(Fault::CannotStart) => {
                            Event::Gone(player, Gone::CannotStart("no such file".to_owned()))
                        }
                        _ => Event::Started(player),
                    };
                    self.later(delay, event);
                }
                Output::Write(player, line) => {
                    let program = &self.programs[player.index()];
                    let is_deaf = program.fault.is_some_and(|(fault, _)| fault == Fault::NeverReads);
                    if !is_deaf {
                        let delay = self.sampler.micros(0..=2000);
                        self.later(delay, Event::Written(player, line));
                    }
                }
                Output::Ready(_) => {
                    let delay = self.sampler.millis(0..=50);
                    self.later(delay, Event::Go);
                }
                Output::Farewell(..) | Output::Done => {}
            }
        }
    }

    fn later(&mut self, delay: Duration, event: Event) {
        self.queue.push(self.now + delay, Class::Delivery, event);
    }

    /// Lets a player answer a line that it has read.
    fn answer(&mut self, of: AgentId, line: &[u8]) {
        let dialect = self.settings.dialect;
        let program = &mut self.programs[of.index()];
        if program.is_gone {
            return;
        }
        let line = String::from_utf8_lossy(line);
        let reply = program.player.line(line.trim_end()).expect("the referee writes what players read");
        let answer = match reply {
            Reply::Say(answer) => answer.to_owned(),
            Reply::Listen | Reply::Stop => return,
            Reply::Move => {
                let state = program.player.state().expect("there is a game");
                let mut bricks: Vec<Brick> = Vec::new();
                state.board().list(&mut bricks);
                let brick = bricks[self.moves.index(bricks.len())];
                program.player.put(brick).expect("it fits")
            }
        };
        let place = program.answers;
        program.answers += 1;
        let fault = program.fault.filter(|(_, at)| *at == place).map(|(fault, _)| fault);
        let bytes = format!("{answer}{}", ["\n", "\r", "\r\n"][self.sampler.index(3)]).into_bytes();
        // Within every limit, however the pieces are delayed.
        let think = self.sampler.millis(0..=300);
        match fault {
            None | Some(Fault::CannotStart | Fault::NeverReads) => self.send(of, think, &bytes),
            Some(Fault::IsSilent) => {}
            Some(Fault::HalfALine) => self.send(of, think, &bytes[..1]),
            Some(Fault::IsLate) => {
                let late = self.sampler.millis(1100..=4500);
                self.send(of, late, &bytes);
            }
            Some(Fault::Garbage) => {
                let length = 1 + self.sampler.index(600);
                let mut garbage: Vec<u8> =
                    (0..length).map(|_| b"abcdefghijklmnop"[self.sampler.index(16)]).collect();
                garbage.push(b'\n');
                self.send(of, think, &garbage);
            }
            // In one piece: a line that arrives after the next question is an answer to it.
            Some(Fault::WritesAhead) => {
                let at = (self.now + think).max(self.programs[of.index()].arrives);
                let lines = [&bytes[..], b"0x0_1x0\n"].concat();
                self.queue.push(at, Class::Delivery, Event::Received(of, lines));
            }
            Some(Fault::PutsAnywhere) => {
                let far = self.config.size();
                let brick = Brick::new(game_bricks::Cell::new(far, 0), game_bricks::Cell::new(far + 1, 0));
                self.send(of, think, format!("{}\n", dialect.write(brick, Compat::Strict)).as_bytes());
            }
            Some(Fault::Dies) => {
                self.programs[of.index()].is_gone = true;
                let how = Gone::Ended("ended with exit code 1".to_owned());
                self.later(think, Event::Gone(of, how));
            }
        }
    }

    /// Lets bytes arrive in up to three pieces, within 150 ms.
    fn send(&mut self, of: AgentId, delay: Duration, bytes: &[u8]) {
        let mut cuts = [0, 1].map(|_| self.sampler.index(bytes.len() + 1));
        cuts.sort_unstable();
        let mut at = (self.now + delay).max(self.programs[of.index()].arrives);
        for piece in [&bytes[..cuts[0]], &bytes[cuts[0]..cuts[1]], &bytes[cuts[1]..]] {
            if !piece.is_empty() {
                self.queue.push(at, Class::Delivery, Event::Received(of, piece.to_vec()));
                self.programs[of.index()].arrives = at;
                at += self.sampler.millis(0..=50);
            }
        }
    }

    /// Checks the rules that hold for every run, and returns the violations.
    fn faults(&self, writer: Writer<Vec<u8>>) -> Vec<String> {
        let mut faults = Vec::new();
        let verdict = self.referee.verdict().expect("the duel is over");
        let state = self.referee.state();
        if !matches!(state.turn(), Turn::Over(outcome) if outcome == verdict.outcome) {
            faults.push("the verdict is not the outcome of the game".to_owned());
        }
        let (winner, letter) = (verdict.outcome.winner(), verdict.reason.letter());
        match winner.map(|winner| &self.programs[1 - winner.index()]) {
            None => faults.push("nobody has won".to_owned()),
            Some(loser) => {
                let letters = loser.fault.map_or(&[][..], |(fault, _)| fault.letters());
                if !letter.is_some_and(|letter| letter == Letter::Normal || letters.contains(&letter)) {
                    faults.push(format!("{:?} has lost: {}", loser.fault, verdict.reason));
                }
            }
        }
        match writer
            .finish()
            .map(|bytes| Playback::<State>::open(&bytes[..]).and_then(|mut one| one.run(&mut ())))
        {
            Ok(Ok(summary)) if summary.outcome == Some(verdict.outcome) => {}
            Ok(Ok(_)) => faults.push("the replay has another outcome".to_owned()),
            Ok(Err(error)) => faults.push(format!("the replay cannot be played: {error}")),
            Err(error) => faults.push(format!("the replay cannot be written: {error}")),
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A thousand duels end, and every letter is met, so that no fault is only a name.
    #[test]
    fn a_thousand_duels_end_and_every_letter_is_met() {
        let mut letters = BTreeSet::new();
        for number in 0..1000 {
            let played = play(number, Log::Nothing);
            assert!(played.is_ok(), "run {number}: {played:?}");
            let mut duel = Duel::draw(number, Log::Nothing);
            assert_eq!(duel.run(&mut ()), played.map(|played| played.events).map_err(|_| String::new()));
            letters.extend(duel.referee.verdict().and_then(|verdict| verdict.reason.letter()));
        }
        assert_eq!(letters.into_iter().collect::<Vec<_>>(), Letter::ALL);
    }
}
