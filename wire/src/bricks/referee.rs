//! The referee of a duel: turns lines, moments and the ends of programs into moves of a game.
//!
//! A shell starts programs, moves bytes, and gives the time. It hands each [`Input`] to [`Referee::handle`], then
//! carries out every output of [`Referee::poll_output`], and calls again with [`Input::Tick`] at [`Referee::wake_at`].
//!
//! # Order of faults
//!
//! A player is judged only when something is asked of it: a line that it wrote too early, and the end of its program,
//! count when its turn comes. So no fault depends on which of two programs was faster.
//!
//! # Time
//!
//! A limit counts from the moment at which the shell has written the line to the moment at which it has read the
//! answer. The game's own clock runs only then: it stands still while programs start and while a viewer looks at the
//! board.

use std::collections::VecDeque;

use game_bricks::{Brick, Refusal, State};
use game_env::{AgentId, Disruption, Environment as _, Millis, SimTime, Termination, Turn, Witness};

use super::dialect::{Compat, Dialect, NotExpressible, Step};
use super::line::Line;
use super::verdict::{Reason, Verdict};
use crate::lines::LineDecoder;

/// Settings of a duel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// Form of the lines.
    pub dialect: Dialect,
    /// The referee whose reading of lines is taken over: see [`Dialect::read`] and [`Dialect::is_answer`]. In that of
    /// 2018, a line that was written before it was asked for is an answer.
    pub compat: Compat,
    /// Longest time for an answer to the opening.
    pub answer_limit: Millis,
    /// Time from the question after which a player without an answer counts as silent. A line after the limit, but
    /// within this time, comes too late. Also the longest time for a player to read what it is sent; if it is zero,
    /// that is the longest time for an answer to the opening.
    pub silence_limit: Millis,
    /// Time between the start of a program and the first line to it.
    pub wake: Millis,
    /// End of each line.
    pub newline: &'static str,
}

/// A dialect's usual limits: a second for the opening, five seconds of silence.
impl Default for Settings {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            compat: Compat::Strict,
            answer_limit: Millis::new(1000),
            silence_limit: Millis::new(5000),
            wake: Millis::ZERO,
            newline: "\n",
        }
    }
}

/// Inputs of a referee.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input<'a> {
    /// A player's program runs.
    Started(AgentId),
    /// A player's program has ended, or its output has.
    Gone(AgentId, Gone),
    /// The line that was to be written to this player is written, or can never be: its input is closed.
    Written(AgentId),
    /// A player wrote these bytes.
    Received(AgentId, &'a [u8]),
    /// The next move may be asked for.
    Go,
    /// The host ends the duel.
    Stop,
    /// Time has passed, perhaps past [`Referee::wake_at`].
    Tick,
}

/// Reasons why a player's program writes nothing any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Gone {
    /// It never ran: the reason.
    CannotStart(String),
    /// It ended, or ended its output: the end, in words that follow "its program".
    Ended(String),
}

/// Outputs of a referee: orders to its host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Start this player's program.
    Start(AgentId),
    /// Write these bytes to this player, and then hand in [`Input::Written`].
    Write(AgentId, Vec<u8>),
    /// Hand in [`Input::Go`] when this player's next move may be asked for.
    Ready(AgentId),
    /// Write these bytes to this player, if it still reads; nothing depends on it.
    Farewell(AgentId, Vec<u8>),
    /// The duel is over: the last output.
    Done,
}

/// The longest line of a player, in bytes without its end.
pub const LONGEST_LINE: usize = 256;

/// The most unread lines that are kept of a player.
const MOST_UNREAD: usize = 1000;

/// A duel of two programs.
#[derive(Debug)]
pub struct Referee {
    settings: Settings,
    opening: Vec<Step>,
    state: State,
    players: [Player; 2],
    phase: Phase,
    /// The line that is being judged.
    judged: Option<Line>,
    outputs: VecDeque<Output>,
    verdict: Option<Verdict>,
}

#[derive(Debug)]
struct Player {
    decoder: LineDecoder,
    unread: VecDeque<Line>,
    gone: Option<Gone>,
    has_started: bool,
}

/// The event that the referee waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// The program of this player is being started.
    Starting(AgentId),
    /// It has started, and may get ready until this moment.
    Waking(AgentId, SimTime),
    /// A step of the opening is being written, since this moment.
    Opening(AgentId, usize, SimTime),
    /// The answer to it, asked for at this moment.
    Answering(AgentId, usize, SimTime),
    /// The host's leave to ask for a move.
    Pausing(AgentId),
    /// The question for a move is being written, since this moment.
    Asking(AgentId, SimTime),
    /// The move, asked for at this moment.
    Thinking(AgentId, SimTime),
    Over,
}

impl Referee {
    /// Creates a duel that begins at this state. Its first outputs are there at once. If no brick fits, the duel is
    /// over, and no program is started.
    ///
    /// # Errors
    ///
    /// If the dialect has no words for the board.
    pub fn new(settings: Settings, state: State) -> Result<Self, NotExpressible> {
        let opening = settings.dialect.opening(state.board())?;
        let player = || Player {
            decoder: LineDecoder::new(LONGEST_LINE),
            unread: VecDeque::new(),
            gone: None,
            has_started: false,
        };
        let first = AgentId::new(0);
        let mut referee = Self {
            settings,
            opening,
            state,
            players: [player(), player()],
            phase: Phase::Starting(first),
            judged: None,
            outputs: VecDeque::new(),
            verdict: None,
        };
        match referee.state.turn() {
            Turn::Over(outcome) => {
                referee.phase = Phase::Over;
                referee.verdict = Some(Verdict { outcome, reason: Reason::Normal, line: None });
                referee.outputs.push_back(Output::Done);
            }
            Turn::Act { .. } => referee.outputs.push_back(Output::Start(first)),
        }
        Ok(referee)
    }

    /// Handles an input at this moment of the shell's clock. The witness hears every move, and the end.
    pub fn handle(&mut self, now: SimTime, input: Input<'_>, witness: &mut impl Witness<State>) {
        if self.phase == Phase::Over {
            return;
        }
        match input {
            Input::Started(player) => {
                self.of(player).has_started = true;
                if self.phase == Phase::Starting(player) {
                    self.phase = Phase::Waking(player, now + self.settings.wake);
                }
            }
            Input::Gone(player, gone) => {
                self.of(player).gone.get_or_insert(gone);
            }
            Input::Written(player) => match self.phase {
                Phase::Opening(who, step, _) if who == player => self.step_is_written(player, step, now),
                Phase::Asking(who, _) if who == player => self.phase = Phase::Thinking(player, now),
                _ => {}
            },
            Input::Received(player, mut bytes) => {
                let own = self.of(player);
                while let Some(line) = own.decoder.next(&mut bytes) {
                    if own.unread.len() < MOST_UNREAD {
                        own.unread.push_back(line.into());
                    }
                }
            }
            Input::Go => {
                if let Phase::Pausing(player) = self.phase {
                    let text = match self.state.bricks().last() {
                        Some(brick) => self.settings.dialect.write(*brick, self.settings.compat),
                        None => self.settings.dialect.start().to_owned(),
                    };
                    if self.may_be_asked(player, witness) {
                        self.write(player, &text);
                        self.phase = Phase::Asking(player, now);
                    }
                }
            }
            Input::Stop => {
                self.end(Disruption::Ended(Termination::Stopped), Reason::Stopped, Millis::ZERO, witness);
            }
            Input::Tick => {}
        }
        self.proceed(now, witness);
    }

    /// Returns the next order to the host, in order.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Returns the time at which [`Input::Tick`] is due, if nothing else happens before.
    pub fn wake_at(&self) -> Option<SimTime> {
        let after = |since: SimTime, span: Millis| since + span + Millis::new(1);
        match self.phase {
            Phase::Waking(_, until) => Some(until),
            Phase::Opening(_, _, since) | Phase::Asking(_, since) => Some(after(since, self.reading_limit())),
            Phase::Answering(_, _, since) => {
                Some(after(since, self.settings.silence_limit.max(self.settings.answer_limit)))
            }
            Phase::Thinking(_, since) => {
                let limit = self.state.limit()?;
                Some(after(since, self.settings.silence_limit.max(limit)))
            }
            Phase::Starting(_) | Phase::Pausing(_) | Phase::Over => None,
        }
    }

    /// Returns whether the output of this player should be read on: not if more of it is unread than could be of use,
    /// nor after a line that is too long: its player loses, and the line may never end.
    pub fn reads(&self, player: AgentId) -> bool {
        let unread = &self.players[player.index()].unread;
        let most = if self.takes_early_lines() { MOST_UNREAD } else { 2 };
        self.phase == Phase::Over
            || unread.len() < most && unread.back().is_none_or(|line| line.bytes().is_some())
    }

    /// Returns the game.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the end of the duel, once it has ended.
    pub fn verdict(&self) -> Option<&Verdict> {
        self.verdict.as_ref()
    }

    /// Returns whether a line that was written before it was asked for is an answer.
    fn takes_early_lines(&self) -> bool {
        self.settings.compat == Compat::Year2018
    }

    /// Returns the longest time for a player to read what it is sent. It is never zero: a pipe takes a long opening
    /// only as fast as it is read.
    fn reading_limit(&self) -> Millis {
        let Settings { silence_limit, answer_limit, .. } = self.settings;
        if silence_limit == Millis::ZERO { answer_limit } else { silence_limit }
    }

    fn of(&mut self, player: AgentId) -> &mut Player {
        &mut self.players[player.index()]
    }

    fn write(&mut self, player: AgentId, text: &str) {
        let line = format!("{text}{}", self.settings.newline).into_bytes();
        self.outputs.push_back(Output::Write(player, line));
    }

    /// Goes on as far as nothing is to be waited for.
    fn proceed(&mut self, now: SimTime, witness: &mut impl Witness<State>) {
        loop {
            let before = self.phase;
            match self.phase {
                Phase::Starting(player) => self.give_up_if_gone(player, Millis::ZERO, witness),
                Phase::Waking(player, until) if now >= until => self.tell_step(player, 0, now, witness),
                Phase::Waking(..) => {}
                Phase::Opening(player, _, since) | Phase::Asking(player, since) => {
                    let time = self.reading_limit();
                    if now.since(since) > time {
                        self.forfeit(player, Termination::Silence, Reason::Deaf(time), time, witness);
                    } else {
                        self.give_up_if_gone(player, Millis::ZERO, witness);
                    }
                }
                Phase::Answering(player, step, since) => self.take_answer(player, step, since, now, witness),
                Phase::Thinking(player, since) => self.take_move(player, since, now, witness),
                Phase::Pausing(_) | Phase::Over => {}
            }
            if self.phase == before {
                return;
            }
        }
    }

    /// Returns whether a player has written nothing that it was not asked for, and still runs; it loses otherwise.
    fn may_be_asked(&mut self, player: AgentId, witness: &mut impl Witness<State>) -> bool {
        if let Some(line) = self.players[player.index()].unread.front().cloned()
            && !self.takes_early_lines()
        {
            self.judged = Some(line.clone());
            self.forfeit(player, Termination::Protocol, Reason::Ahead(line), Millis::ZERO, witness);
            return false;
        }
        self.give_up_if_gone(player, Millis::ZERO, witness);
        self.phase != Phase::Over
    }

    /// The player loses if its program is gone and has left no line.
    fn give_up_if_gone(&mut self, player: AgentId, took: Millis, witness: &mut impl Witness<State>) {
        let own = self.of(player);
        if !own.unread.is_empty() {
            return;
        }
        match own.gone.clone() {
            Some(Gone::CannotStart(why)) => {
                self.forfeit(player, Termination::CannotStart, Reason::CannotStart(why), took, witness);
            }
            Some(Gone::Ended(how)) => {
                self.forfeit(player, Termination::Crash, Reason::Gone(how), took, witness);
            }
            None => {}
        }
    }

    /// Writes a step of the opening, or goes on behind the last one.
    fn tell_step(&mut self, player: AgentId, step: usize, now: SimTime, witness: &mut impl Witness<State>) {
        let Some(line) = self.opening.get(step).map(|step| step.line.clone()) else {
            let other = player.opponent();
            if player.index() == 0 {
                self.outputs.push_back(Output::Start(other));
                self.phase = Phase::Starting(other);
            } else {
                self.pause(other);
            }
            return;
        };
        if self.may_be_asked(player, witness) {
            self.write(player, &line);
            self.phase = Phase::Opening(player, step, now);
        }
    }

    fn step_is_written(&mut self, player: AgentId, step: usize, now: SimTime) {
        self.phase = Phase::Answering(player, step, now);
    }

    fn take_answer(
        &mut self,
        player: AgentId,
        step: usize,
        since: SimTime,
        now: SimTime,
        witness: &mut impl Witness<State>,
    ) {
        let Some(expected) = self.opening[step].answer else {
            return self.tell_step(player, step + 1, now, witness);
        };
        let (took, limit) = (now.since(since), self.settings.answer_limit);
        let Some(line) = self.of(player).unread.pop_front() else {
            return self.wait_on(player, limit, took, Reason::OpeningLate(limit, took), witness);
        };
        let Settings { dialect, compat, .. } = self.settings;
        self.judged = Some(line.clone());
        if took > limit {
            self.forfeit(player, Termination::Time, Reason::OpeningLate(limit, took), Millis::ZERO, witness);
        } else if line.as_str().is_some_and(|line| dialect.is_answer(expected, line, compat)) {
            self.judged = None;
            self.tell_step(player, step + 1, now, witness);
        } else {
            let reason = Reason::NoAnswer(expected, line);
            self.forfeit(player, Termination::Protocol, reason, Millis::ZERO, witness);
        }
    }

    fn take_move(
        &mut self,
        player: AgentId,
        since: SimTime,
        now: SimTime,
        witness: &mut impl Witness<State>,
    ) {
        let (took, limit) = (now.since(since), self.state.limit());
        let Some(line) = self.of(player).unread.pop_front() else {
            return match limit {
                Some(limit) => self.wait_on(player, limit, took, Reason::Late(limit, took), witness),
                None => self.give_up_if_gone(player, took, witness),
            };
        };
        self.judged = Some(line.clone());
        if let Some(limit) = limit.filter(|limit| took > *limit) {
            return self.end(Disruption::DeadlineMissed(player), Reason::Late(limit, took), took, witness);
        }
        let Settings { dialect, compat, .. } = self.settings;
        match line.as_str().and_then(|line| dialect.read(line, compat).ok()) {
            Some(brick) => self.put(player, brick, took, witness),
            None => {
                let reason = Reason::NoBrick(line, dialect.brick_form());
                self.forfeit(player, Termination::Protocol, reason, took, witness);
            }
        }
    }

    /// No line is there yet: the player loses if it is gone, or has been silent for too long.
    fn wait_on(
        &mut self,
        player: AgentId,
        limit: Millis,
        took: Millis,
        late: Reason,
        witness: &mut impl Witness<State>,
    ) {
        let silence = self.settings.silence_limit;
        if took > silence.max(limit) {
            // If the silence limit is not longer than the limit, late and silent cannot be told apart: the player is
            // late.
            let (termination, reason) = if silence > limit {
                (Termination::Silence, Reason::Silent(silence))
            } else {
                (Termination::Time, late)
            };
            self.forfeit(player, termination, reason, Millis::ZERO, witness);
        } else {
            self.give_up_if_gone(player, Millis::ZERO, witness);
        }
    }

    fn put(&mut self, player: AgentId, brick: Brick, took: Millis, witness: &mut impl Witness<State>) {
        let at = self.state.clock() + took;
        witness.action(&self.state, at, player, &brick);
        let mut refused = Listener { refusal: None, witness };
        self.state.step(at, player, brick, &mut refused);
        let refusal = refused.refusal;
        if refusal.is_none() {
            self.judged = None;
        }
        match self.state.turn() {
            Turn::Over(_) => {
                let reason = refusal.map_or(Reason::Normal, |refusal| Reason::Illegal(brick, refusal));
                self.close(reason, witness);
            }
            Turn::Act { agent, .. } => self.pause(agent),
        }
    }

    fn pause(&mut self, player: AgentId) {
        self.phase = Phase::Pausing(player);
        self.outputs.push_back(Output::Ready(player));
    }

    fn forfeit(
        &mut self,
        player: AgentId,
        termination: Termination,
        reason: Reason,
        took: Millis,
        witness: &mut impl Witness<State>,
    ) {
        self.end(Disruption::Forfeited(player, termination), reason, took, witness);
    }

    fn end(
        &mut self,
        disruption: Disruption,
        reason: Reason,
        took: Millis,
        witness: &mut impl Witness<State>,
    ) {
        let at = self.state.clock() + took;
        witness.disruption(&self.state, at, disruption);
        self.state.disrupt(at, disruption, &mut witness.sink());
        self.close(reason, witness);
    }

    /// The game is over.
    fn close(&mut self, reason: Reason, witness: &mut impl Witness<State>) {
        let Turn::Over(outcome) = self.state.turn() else { unreachable!("the game has just ended") };
        witness.end(&self.state, self.state.clock());
        self.phase = Phase::Over;
        self.verdict = Some(Verdict { outcome, reason, line: self.judged.take() });
        self.outputs.clear();
        if let Some(word) = self.settings.dialect.stop() {
            let line = format!("{word}{}", self.settings.newline).into_bytes();
            let started = AgentId::all(2).filter(|player| self.players[player.index()].has_started);
            self.outputs.extend(started.map(|player| Output::Farewell(player, line.clone())));
        }
        self.outputs.push_back(Output::Done);
    }
}

/// Passes events on, and keeps the refusal among them.
struct Listener<'a, W> {
    refusal: Option<Refusal>,
    witness: &'a mut W,
}

impl<W: Witness<State>> game_env::Sink<game_bricks::Event> for Listener<'_, W> {
    fn event(&mut self, now: SimTime, event: game_bricks::Event) {
        if let game_bricks::Event::Refused { refusal, .. } = event {
            self.refusal = Some(refusal);
        }
        self.witness.event(now, &event);
    }
}
