//! One agent in one game: its knowledge, its messages, and the calls of its strategy. It is the same on the network and
//! in process.
//!
//! [`Session`](crate::session::Session) gives it messages from the network, [`local`](crate::local) gives it messages
//! from a rollout. It reads no clock: every call has the time as an argument.

use std::fmt;
use std::sync::Arc;

use game_env::panics::{catch, catch_async};
use game_env::{AgentId, Chance, Choice, Millis, Note, Seed, SimTime};
use game_project::{
    Action, ActionKind, Area, Briefing, Direction, Distance, Information, Position, Question, Team,
};

use crate::knowledge::Knowledge;
use crate::notes::Notes;
use crate::notice::{Notice, PickUpFailure, PutFailure};
use crate::quirks::KeptSham;
use crate::strategy::{AsyncStrategy, Strategy};
use crate::view::{Hand, Own, View};

/// An agent in a game that has begun.
#[derive(Clone, Debug)]
pub struct Actor {
    briefing: Arc<Briefing>,
    own: Own,
    knowledge: Knowledge,
    seed: Seed,
    /// Random numbers for the call of the strategy that comes next; see [`Actor::draw_for`].
    chance: Chance,
    /// Number of messages that the strategy has heard, and number of requests that the agent has sent.
    counts: (u64, u64),
    /// The last request, and the number of its refusals in a row.
    repeated: Option<(Action, u32)>,
    /// Whether a request that was refused over and over was reported.
    reported_repetition: bool,
    notes: Notes,
    /// The request whose answer is to come.
    pending: Option<Pending>,
    /// Messages that the strategy has not heard yet, the oldest first.
    unread: Vec<Notice>,
    /// The answer to the leader that may not have arrived: no request was granted since. The number counts the refusals
    /// that a missing answer explains.
    unconfirmed: Option<(Question, u32)>,
    /// Number of answers to the leader that were lost since a request was last granted.
    lost_answers: u32,
    /// Agents that asked and are not to be answered, or were about to be answered when the strategy panicked.
    declined: Vec<AgentId>,
    has_begun: bool,
    /// Number of refusals in a row (message 905) of requests that need a piece: to put, check or destroy it.
    vain: u32,
    /// Number of refused puts since the content of the hand was last certain.
    refused_puts: u32,
    /// Position at which it was refused a piece for a reason that only full hands explain, though its hands seemed
    /// empty.
    refused_at: Option<Position>,
    /// The sham that may still be in the hand that the strategy takes for empty.
    kept_sham: KeptSham,
    /// After a blunder: when the turn is over that it cost.
    rests_until: SimTime,
    blunders: Vec<Blunder>,
    blunder_count: u64,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    kind: ActionKind,
    direction: Option<Direction>,
    /// The question that it answers.
    question: Option<Question>,
    /// The agent that it asks.
    asked: Option<AgentId>,
    /// Whether it destroys a sham of which the strategy knows nothing any more.
    clears_hand: bool,
}

/// A mistake of a strategy that cost its agent a turn.
///
/// The game continues. The agent then waits for the penalty of the action (after a panic, for the penalty of a move) or
/// for the next message, and calls the strategy again. It does not repeat the call that answers a question: the agent
/// that asked gets no answer, and the own leader gets an empty answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Blunder {
    /// The game time.
    pub at: SimTime,
    /// The agent.
    pub agent: AgentId,
    /// The kind of mistake.
    pub what: BlunderKind,
    /// A drawing of the view of the strategy.
    pub view: String,
}

/// The kind of a [`Blunder`].
#[derive(Clone, PartialEq, Debug)]
pub enum BlunderKind {
    /// The strategy panicked with this message. The message has the place of the panic if the program has called
    /// [`quiet_hook`](game_env::panics::quiet_hook).
    Panicked(String),
    /// The strategy returned an impossible action.
    Nonsense {
        /// The action.
        action: Action,
        /// The reason why it is impossible.
        why: &'static str,
    },
    /// The strategy returned a wait until a moment that is not in the future.
    Idle {
        /// The moment.
        until: SimTime,
    },
    /// The strategy requested the same action again and again, and the game master refused it [`REPETITIONS`] times in
    /// a row. This is reported once in a game, and costs only the penalties of the refusals.
    Repeated {
        /// The action.
        action: Action,
        /// The number of refusals in a row.
        times: u32,
    },
}

impl fmt::Display for Blunder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            BlunderKind::Panicked(message) => write!(f, "the strategy of agent {} panicked", self.agent)
                .and_then(|()| write!(f, " at {}: {message}", self.at))?,
            BlunderKind::Nonsense { action, why } => {
                write!(f, "agent {} wanted to `{action}` at {}, but {why}", self.agent, self.at)?;
            }
            BlunderKind::Idle { until } => write!(
                f,
                "agent {} wanted to wait until {until} at {}, which is not in the future",
                self.agent, self.at
            )?,
            BlunderKind::Repeated { action, times } => write!(
                f,
                "agent {} has tried `{action}` {times} times in a row by {}, and was refused each time",
                self.agent, self.at
            )?,
        }
        let lost =
            if matches!(self.what, BlunderKind::Repeated { .. }) { "" } else { "it loses this turn; " };
        write!(f, "\n{lost}what it saw:\n{}", self.view)
    }
}

/// The number of refusals of the same action in a row after which it is reported as a blunder.
pub const REPETITIONS: u32 = 100;

/// The most blunders that an agent keeps until the next call of [`Actor::take_blunders`]. The limit protects the memory
/// from a strategy that fails in every turn.
pub const KEPT_BLUNDERS: usize = 100;

/// The shortest time that a blunder costs.
const SHORTEST_REST: Millis = Millis::new(10);

/// After this many refusals the leader's answer has not arrived. One may have crossed it on its way.
const REFUSALS_WITHOUT_ANSWER: u32 = 2;

/// A call of a strategy, for its random numbers.
#[derive(Clone, Copy, Debug)]
enum Call {
    Begin,
    Hear,
    Answer(AgentId),
    Act,
    End,
}

/// Next step of an agent: a call of its strategy, or a request that it sends on its own.
enum Step {
    Begin,
    Hear(Notice),
    Answer(Question),
    /// The strategy panicked when it was asked, or its answer did not arrive, but its leader must have an answer.
    AnswerNothing(Question),
    /// The game master has left a sham in the hand. To the strategy it is gone: no piece could be picked up until it
    /// is.
    ClearHand,
    Act,
}

/// Returns an action as the protocol can write it: in an answer, the distance "no piece" becomes an unknown distance.
/// In a rollout no agent shall learn more from an answer than on the network.
fn as_said(mut action: Action) -> Action {
    if let Action::Answer { information, .. } = &mut action
        && information.distances.contains(&Some(Distance::INFINITE))
    {
        for distance in &mut Arc::make_mut(information).distances {
            *distance = distance.filter(|distance| *distance != Distance::INFINITE);
        }
    }
    action
}

fn answer(question: Question, information: Information) -> Action {
    Action::Answer { to: question.by, information: Arc::new(information) }
}

impl Actor {
    /// Creates an agent at the start of its game. The seed decides its random numbers.
    pub fn new(briefing: Arc<Briefing>, seed: Seed) -> Self {
        let own = Own {
            agent: briefing.agent,
            team: briefing.team,
            position: briefing.start,
            hand: Hand::Empty,
            questions: Vec::new(),
            asked: Vec::new(),
            talked: Vec::new(),
            unreachable: Vec::new(),
        };
        Self {
            knowledge: Knowledge::new(&briefing),
            chance: seed.agent(briefing.agent),
            seed,
            counts: (0, 0),
            repeated: None,
            reported_repetition: false,
            own,
            briefing,
            notes: Notes::default(),
            pending: None,
            unconfirmed: None,
            lost_answers: 0,
            unread: Vec::new(),
            declined: Vec::new(),
            has_begun: false,
            vain: 0,
            refused_puts: 0,
            refused_at: None,
            kept_sham: KeptSham::default(),
            rests_until: SimTime::START,
            blunders: Vec::new(),
            blunder_count: 0,
        }
    }

    /// Limits the bodies of the agent's answers to this number of bytes.
    pub fn with_longest_message(mut self, bytes: u16) -> Self {
        self.knowledge.fit_answers_into(bytes);
        self
    }

    /// Turns on the notes of the strategy: its remarks and drawings are kept.
    pub fn with_notes(self) -> Self {
        Self { notes: Notes::new(true), ..self }
    }

    /// Sets the random numbers of the next call of the strategy.
    ///
    /// They follow from the seed, the agent, and the data of a replay at the moment of the call: the number of requests
    /// that the agent has sent and the time, or for a message the number of messages before it. So a strategy that is
    /// put in its own place in a recorded game draws the same numbers, although a replay does not hold the moments at
    /// which it chose to wait.
    fn draw_for(&mut self, call: Call, now: SimTime) {
        let (heard, sent) = self.counts;
        let moment = |call: u64| [1, sent, now.as_millis(), call];
        let (seed, agent) = (self.seed, self.own.agent);
        match call {
            Call::Begin => self.chance.start_again(seed, &[], agent),
            Call::Hear => self.chance.start_again(seed, &[2, heard], agent),
            Call::Answer(by) => self.chance.start_again(seed, &moment(1 + by.index() as u64), agent),
            Call::Act => self.chance.start_again(seed, &moment(0), agent),
            Call::End => self.chance.start_again(seed, &[3], agent),
        }
    }

    /// The view of the strategy at this moment.
    pub fn view(&mut self, now: SimTime) -> View<'_> {
        View {
            now,
            own: &self.own,
            briefing: &self.briefing,
            knowledge: &self.knowledge,
            chance: &mut self.chance,
            notes: &mut self.notes,
        }
    }

    /// The agent's knowledge of itself.
    pub fn own(&self) -> &Own {
        &self.own
    }

    /// The agent's knowledge of the board.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// The information from the start of the game.
    pub fn briefing(&self) -> &Arc<Briefing> {
        &self.briefing
    }

    /// Returns the note of the strategy with its last decision.
    pub fn take_note(&mut self) -> Option<Note> {
        self.notes.take()
    }

    /// Returns the blunders since the last call: at most the first [`KEPT_BLUNDERS`].
    pub fn take_blunders(&mut self) -> Vec<Blunder> {
        std::mem::take(&mut self.blunders)
    }

    /// The number of blunders of the strategy in this game, including those that were not kept.
    pub fn blunder_count(&self) -> u64 {
        self.blunder_count
    }

    /// Takes a message.
    pub fn hear(&mut self, now: SimTime, mut notice: Notice) {
        if let Notice::Answered { by, .. } = &mut notice {
            // Some game masters do not say who answers. If only one agent can, it is that one.
            *by = by.or(match self.own.asked[..] {
                [only] => Some(only),
                _ => None,
            });
            self.own.asked.retain(|agent| Some(*agent) != *by);
        }
        if let Notice::Answered { by: Some(by), .. } | Notice::Asked { by, .. } = &notice {
            self.own.unreachable.retain(|agent| agent != by);
        }
        if let Notice::Asked { by, .. } = &notice
            && self.own.asked.contains(by)
            && !self.own.talked.contains(by)
        {
            self.own.talked.push(*by);
        }
        self.count_refusals(now, &notice);
        self.learn(now, &notice);
        let mut is_own_matter = false;
        if self.answers(&notice) {
            let pending = self.pending.take();
            is_own_matter = pending.is_some_and(|pending| pending.clears_hand);
            let asked = pending.and_then(|pending| pending.asked);
            // An agent that was not reached owes no answer.
            if matches!(
                notice,
                Notice::TooEarly { .. }
                    | Notice::Refused { .. }
                    | Notice::AnswerPassedOn { succeeded: false }
                    | Notice::QuestionPassedOn { succeeded: false }
            ) {
                self.own.asked.retain(|agent| Some(*agent) != asked);
            }
            // While the own leader waits for an answer, every other request is refused.
            let leader_waits = self.own.questions.iter().any(|question| question.must_answer);
            if matches!(notice, Notice::Refused { .. } | Notice::QuestionPassedOn { succeeded: false })
                && !leader_waits
            {
                self.own.unreachable.extend(asked);
            }
        }
        // The strategy did not make this request, so it does not hear the answer.
        if !is_own_matter {
            self.unread.push(notice);
        }
    }

    /// The agent's request is on its way.
    pub fn sent(&mut self, action: &Action) {
        self.counts.1 += 1;
        if self.repeated.as_ref().is_none_or(|(repeated, _)| repeated != action) {
            self.repeated = Some((action.clone(), 0));
        }
        let direction = match action {
            Action::Move(direction) => Some(*direction),
            _ => None,
        };
        let question = match action {
            Action::Answer { to, .. } => {
                let place = self.own.questions.iter().position(|question| question.by == *to);
                place.map(|place| self.own.questions.remove(place))
            }
            _ => None,
        };
        let asked = match action {
            Action::Ask(agent) => Some(*agent),
            _ => None,
        };
        if let Some(question) = question.filter(|question| question.must_answer) {
            self.unconfirmed = Some((question, 0));
        }
        self.own.talked.retain(|agent| Some(*agent) != asked);
        self.own.unreachable.retain(|agent| Some(*agent) != asked);
        let open = &mut self.own.asked;
        open.extend(asked.filter(|agent| !open.contains(agent)));
        let clears_hand = *action == Action::Destroy && self.kept_sham.is_due();
        if clears_hand {
            self.kept_sham.attempted();
        }
        self.pending = Some(Pending { kind: action.kind(), direction, question, asked, clears_hand });
    }

    /// Whether this message answers the agent's last request.
    pub fn answers(&self, notice: &Notice) -> bool {
        self.pending.is_some_and(|pending| notice.may_answer(pending.kind))
    }

    /// Calls the strategy: passes on the new messages, asks for the answers to questions, and asks for the next action.
    ///
    /// If the strategy panics or returns an impossible action, the agent loses this turn; see [`Actor::take_blunders`].
    pub fn decide(&mut self, now: SimTime, strategy: &mut (impl Strategy + ?Sized)) -> Choice<Action> {
        if now < self.rests_until {
            return Choice::Wait(self.rests_until);
        }
        let decided = catch(|| {
            loop {
                match self.next_step(now) {
                    Step::Begin => strategy.begin(&mut self.view(now)),
                    Step::Hear(notice) => strategy.hear(&mut self.view(now), &notice),
                    Step::Answer(question) => {
                        let information = strategy.answer(&mut self.view(now), question);
                        if let Some(action) = self.answer(question, information) {
                            return action.into();
                        }
                    }
                    Step::AnswerNothing(question) => return self.answer_nothing(question).into(),
                    Step::ClearHand => return Action::Destroy.into(),
                    Step::Act => return strategy.act(&mut self.view(now)),
                }
            }
        });
        self.admit(now, decided)
    }

    /// As [`Actor::decide`], for a strategy that can wait.
    pub async fn decide_async(
        &mut self,
        now: SimTime,
        strategy: &mut (impl AsyncStrategy + ?Sized),
    ) -> Choice<Action> {
        if now < self.rests_until {
            return Choice::Wait(self.rests_until);
        }
        let deciding = async {
            loop {
                match self.next_step(now) {
                    Step::Begin => strategy.begin(&mut self.view(now)).await,
                    Step::Hear(notice) => strategy.hear(&mut self.view(now), &notice).await,
                    Step::Answer(question) => {
                        let information = strategy.answer(&mut self.view(now), question).await;
                        if let Some(action) = self.answer(question, information) {
                            return action.into();
                        }
                    }
                    Step::AnswerNothing(question) => return self.answer_nothing(question).into(),
                    Step::ClearHand => return Action::Destroy.into(),
                    Step::Act => return strategy.act(&mut self.view(now)).await,
                }
            }
        };
        let decided = catch_async(deciding).await;
        self.admit(now, decided)
    }

    fn next_step(&mut self, now: SimTime) -> Step {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.draw_for(Call::Begin, now);
            return Step::Begin;
        }
        if !self.unread.is_empty() {
            self.draw_for(Call::Hear, now);
            self.counts.0 += 1;
            return Step::Hear(self.unread.remove(0));
        }
        self.draw_for(Call::Act, now);
        let questions = &self.own.questions;
        let is_declined = |question: &Question| self.declined.contains(&question.by);
        // The leader first: until it is answered nothing else is granted.
        let open = questions
            .iter()
            .find(|question| question.must_answer)
            .or_else(|| questions.iter().find(|question| !is_declined(question)));
        match open.copied() {
            None if self.kept_sham.is_due() => Step::ClearHand,
            None => Step::Act,
            Some(question) if is_declined(&question) || (question.must_answer && self.lost_answers > 0) => {
                Step::AnswerNothing(question)
            }
            Some(question) => {
                // For the case that the strategy panics.
                self.declined.push(question.by);
                self.draw_for(Call::Answer(question.by), now);
                Step::Answer(question)
            }
        }
    }

    /// The answer to a question, or none if the strategy leaves it unanswered. Of such a question the actor remembers only
    /// that it was asked.
    fn answer(&mut self, question: Question, information: Option<Information>) -> Option<Action> {
        let information = information.or_else(|| question.must_answer.then(Information::default))?;
        self.declined.retain(|agent| *agent != question.by);
        Some(answer(question, self.knowledge.filled(information)))
    }

    /// The answer to the leader if the strategy gives none.
    fn answer_nothing(&self, question: Question) -> Action {
        // An answer of unknown values only was lost as well: even that was too long.
        let is_too_long = self.lost_answers > 1;
        answer(question, if is_too_long { Information::default() } else { self.knowledge.nothing() })
    }

    /// Checks a strategy's decision: nonsense and panics cost the turn.
    fn admit(&mut self, now: SimTime, decided: Result<Choice<Action>, String>) -> Choice<Action> {
        let (what, kind) = match decided {
            Ok(Choice::Wait(until)) if until > now => return Choice::Wait(until),
            Ok(Choice::Wait(until)) => (BlunderKind::Idle { until }, ActionKind::Move),
            Ok(Choice::Act(action)) => match self.nonsense(&action) {
                None => return Choice::Act(as_said(action)),
                Some(why) => {
                    let kind = action.kind();
                    (BlunderKind::Nonsense { action, why }, kind)
                }
            },
            Err(message) => (BlunderKind::Panicked(message), ActionKind::Move),
        };
        self.report(now, what);
        let penalty = self.briefing.game.config.penalties().of(kind);
        self.rests_until = now + penalty.max(SHORTEST_REST);
        Choice::Wait(self.rests_until)
    }

    fn report(&mut self, now: SimTime, what: BlunderKind) {
        self.blunder_count += 1;
        if self.blunders.len() < KEPT_BLUNDERS {
            let view = self.view(now).to_string();
            self.blunders.push(Blunder { at: now, agent: self.own.agent, what, view });
        }
    }

    /// Counts how often the same request is refused in a row, and reports it once in a game.
    fn count_refusals(&mut self, now: SimTime, notice: &Notice) {
        if !self.answers(notice) {
            return;
        }
        let is_refused = matches!(
            notice,
            Notice::MoveRefused { .. }
                | Notice::PickUpRefused { .. }
                | Notice::PutRefused { .. }
                | Notice::Refused { .. }
                | Notice::AnswerPassedOn { succeeded: false }
                | Notice::QuestionPassedOn { succeeded: false }
        );
        let Some((action, times)) = &mut self.repeated else { return };
        match notice {
            Notice::TooEarly { .. } => {}
            _ if is_refused => *times += 1,
            _ => *times = 0,
        }
        if *times == REPETITIONS && !self.reported_repetition {
            let what = BlunderKind::Repeated { action: action.clone(), times: REPETITIONS };
            self.reported_repetition = true;
            self.report(now, what);
        }
    }

    /// Returns the reason why the game master is sure to refuse an action, as far as the agent can know.
    fn nonsense(&self, action: &Action) -> Option<&'static str> {
        let Own { position, hand, .. } = self.own;
        let geometry = self.knowledge.geometry();
        match action {
            Action::Move(direction) => match geometry.neighbour(position, *direction) {
                None => Some("the board ends there"),
                Some(next) if geometry.area(next) == Area::Goal(self.own.team.opponent()) => {
                    Some("the other team's goal area may not be entered")
                }
                Some(_) => None,
            },
            Action::Discover => None,
            Action::PickUp if hand.is_full() => Some("it has a piece in hand already"),
            Action::PickUp if geometry.area(position) != Area::Task => {
                Some("nothing can be picked up in a goal area")
            }
            Action::PickUp => None,
            Action::Destroy if self.kept_sham.is_due() => None,
            Action::Put | Action::Check | Action::Destroy => (!hand.is_full()).then_some("it has no piece"),
            Action::Ask(asked) if *asked == self.own.agent => Some("it cannot ask itself"),
            Action::Ask(asked) => {
                let agents = self.briefing.game.teams.len();
                (asked.index() >= agents).then_some("there is no such agent")
            }
            Action::Answer { to, .. } => {
                let asked = self.own.questions.iter().any(|question| question.by == *to);
                (!asked).then_some("that agent has not asked")
            }
        }
    }

    /// Updates the agent's knowledge.
    fn learn(&mut self, now: SimTime, notice: &Notice) {
        let takes_piece = |kind| matches!(kind, ActionKind::Put | ActionKind::Check | ActionKind::Destroy);
        match (notice, self.pending) {
            (Notice::Refused { .. }, Some(Pending { kind, .. })) if takes_piece(kind) => self.vain += 1,
            (_, Some(_)) if self.answers(notice) => self.vain = 0,
            _ => {}
        }
        if self.answers(notice) {
            self.follow_the_answer(notice);
        }
        if self.pending.is_some_and(|pending| pending.clears_hand) && self.answers(notice) {
            match notice {
                Notice::TooEarly { .. } => self.kept_sham.postponed(),
                Notice::Refused { holding, .. } => self.kept_sham.refused(*holding == Some(false)),
                _ => self.kept_sham.gone(),
            }
        }
        match notice {
            Notice::PutRefused { .. } => self.refused_puts += 1,
            Notice::PickedUp | Notice::Put { .. } | Notice::Checked { .. } | Notice::Destroyed => {
                (self.refused_puts, self.refused_at) = (0, None);
            }
            _ => {}
        }
        let own = &mut self.own;
        match notice {
            Notice::Moved { to, distance } => {
                own.position = *to;
                self.knowledge.moved(now, *to, *distance);
            }
            Notice::MoveRefused { position, .. } => {
                own.position = position.unwrap_or(own.position);
                if let Some(direction) = self.pending.and_then(|pending| pending.direction) {
                    self.knowledge.met(now, own.position, direction);
                }
            }
            Notice::Discovered { distances } => self.knowledge.discovered(now, own.position, distances),
            Notice::PickedUp => {
                own.hand = Hand::Unchecked;
                self.kept_sham.gone();
                self.knowledge.picked_up(own.position);
            }
            Notice::PickUpRefused { reason: PickUpFailure::NothingThere } => {
                self.knowledge.nothing_at(own.position);
            }
            // In the task area there is one reason left: the hands are full.
            Notice::PickUpRefused { reason: PickUpFailure::Other } => {
                if self.knowledge.geometry().area(own.position) == Area::Task
                    && !own.hand.is_full()
                    && !self.kept_sham.explains_a_full_hand()
                {
                    own.hand = Hand::Unchecked;
                    self.refused_at = Some(own.position);
                }
            }
            Notice::Put { result } => {
                let was_real = own.hand == Hand::Real || self.briefing.game.config.sham_probability() == 0.0;
                self.knowledge.put(now, own.position, *result, was_real);
                own.hand = Hand::Empty;
            }
            Notice::PutRefused { reason: PutFailure::AgentNotHolding } => self.has_nothing(),
            Notice::PutRefused { reason: PutFailure::CannotPutThere | PutFailure::Other } => {
                self.knowledge.put_refused(own.position);
                // Not all game masters say why, or say it in words that are known: where two fields in a row take
                // nothing there is nothing to be taken.
                if self.refused_puts >= 2 {
                    self.has_nothing();
                }
            }
            Notice::Checked { sham: true } => {
                own.hand = Hand::Empty;
                self.kept_sham.found();
            }
            Notice::Checked { sham: false } => own.hand = Hand::Real,
            Notice::Destroyed => own.hand = Hand::Empty,
            Notice::Asked { by, leader, team } => {
                let question = Question { by: *by, must_answer: *leader && *team == own.team };
                let before = own.questions.len();
                own.questions.retain(|other| other.by != question.by);
                // A leader that asks again, because it has no answer yet, gets one soon: over it the strategy
                // has panicked already.
                if !question.must_answer || own.questions.len() == before {
                    self.declined.retain(|agent| *agent != question.by);
                }
                own.questions.push(question);
            }
            Notice::Answered { by, information } => {
                if let Some(by) = by {
                    self.knowledge.merge(now, *by, information);
                }
            }
            Notice::Refused { position, holding, .. } => {
                own.position = position.unwrap_or(own.position);
                match holding {
                    Some(false) => self.has_nothing(),
                    Some(true) if !own.hand.is_full() && !self.kept_sham.explains_a_full_hand() => {
                        own.hand = Hand::Unchecked;
                    }
                    // An agent that is refused twice in a row what takes a piece has none.
                    None if self.vain == 2 => self.has_nothing(),
                    Some(true) | None => {}
                }
            }
            // Nothing was passed on: the agent that asked still waits, and a leader would wait without end.
            Notice::TooEarly { .. } => {
                if let Some(question) = self.pending.and_then(|pending| pending.question) {
                    own.questions.retain(|other| other.by != question.by);
                    own.questions.insert(0, question);
                }
            }
            Notice::AnswerPassedOn { .. } | Notice::QuestionPassedOn { .. } => {}
            // The game is over, or has not begun.
            Notice::GameOver { .. } | Notice::GameStart(_) | Notice::Joined { .. } => {}
        }
    }

    /// Finds out whether the leader has its answer: a server that takes only shorter messages loses it without a word,
    /// and the game master refuses everything until it comes.
    fn follow_the_answer(&mut self, notice: &Notice) {
        let (Some(pending), Some((question, refusals))) = (self.pending, &mut self.unconfirmed) else {
            return;
        };
        match (notice, pending.kind) {
            (
                Notice::TooEarly { .. }
                | Notice::AnswerPassedOn { succeeded: false }
                | Notice::QuestionPassedOn { succeeded: false },
                _,
            ) => return,
            // These are never refused in this way but for the leader's sake.
            (Notice::Refused { .. }, ActionKind::Move | ActionKind::Discover | ActionKind::PickUp) => {}
            (Notice::Refused { holding: None | Some(true), .. }, ActionKind::Put) => {}
            (Notice::Refused { .. }, _) => return,
            _ => {
                (self.unconfirmed, self.lost_answers) = (None, 0);
                return;
            }
        }
        *refusals += 1;
        if *refusals == REFUSALS_WITHOUT_ANSWER {
            let question = *question;
            self.unconfirmed = None;
            self.lost_answers += 1;
            self.own.questions.retain(|other| other.by != question.by);
            self.own.questions.insert(0, question);
        }
    }

    /// There is nothing in the hand, as a refusal shows.
    fn has_nothing(&mut self) {
        self.own.hand = Hand::Empty;
        self.kept_sham.gone();
        // Then it was not for full hands that the piece was refused.
        if let Some(at) = self.refused_at.take() {
            self.knowledge.nothing_at(at);
        }
    }

    /// Tells the strategy that the game is over.
    pub fn end(&mut self, now: SimTime, strategy: &mut (impl Strategy + ?Sized), winner: Option<Team>) {
        // A strategy that panics over what it hears still learns that the game is over.
        while !self.unread.is_empty() {
            self.draw_for(Call::Hear, now);
            self.counts.0 += 1;
            let notice = self.unread.remove(0);
            let told = catch(|| strategy.hear(&mut self.view(now), &notice));
            self.admit(now, told.map(|()| Choice::Wait(SimTime::NEVER)));
        }
        self.draw_for(Call::End, now);
        let ended = catch(|| strategy.end(&mut self.view(now), winner));
        self.admit(now, ended.map(|()| Choice::Wait(SimTime::NEVER)));
    }

    /// As [`Actor::end`], for a strategy that can wait.
    pub async fn end_async(
        &mut self,
        now: SimTime,
        strategy: &mut (impl AsyncStrategy + ?Sized),
        winner: Option<Team>,
    ) {
        while !self.unread.is_empty() {
            self.draw_for(Call::Hear, now);
            self.counts.0 += 1;
            let notice = self.unread.remove(0);
            let telling = async { strategy.hear(&mut self.view(now), &notice).await };
            let told = catch_async(telling).await;
            self.admit(now, told.map(|()| Choice::Wait(SimTime::NEVER)));
        }
        self.draw_for(Call::End, now);
        let ending = async { strategy.end(&mut self.view(now), winner).await };
        let ended = catch_async(ending).await;
        self.admit(now, ended.map(|()| Choice::Wait(SimTime::NEVER)));
    }
}
