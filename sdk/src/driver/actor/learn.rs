//! The agent's knowledge, as its messages change it.

use game_env::SimTime;
use game_project::{ActionKind, Area, Question};

use super::Actor;
use super::messages::Pending;
use crate::strategy::{Notice, PickUpFailure, PutFailure};
use crate::view::Hand;

/// Number of refusals after which the answer to the leader counts as lost: the first may have crossed it on its way.
const REFUSALS_WITHOUT_ANSWER: u32 = 2;

impl Actor {
    /// Updates the agent's knowledge.
    pub(super) fn learn(&mut self, now: SimTime, notice: &Notice) {
        let takes_piece = |kind| matches!(kind, ActionKind::Put | ActionKind::Check | ActionKind::Destroy);
        match (notice, self.messages.pending) {
            (Notice::Refused { .. }, Some(Pending { kind, .. })) if takes_piece(kind) => {
                self.hand.refused_uses += 1;
            }
            (_, Some(_)) if self.answers(notice) => self.hand.refused_uses = 0,
            _ => {}
        }
        if self.answers(notice) {
            self.follow_the_answer(notice);
        }
        if self.messages.pending.is_some_and(|pending| pending.clears_hand) && self.answers(notice) {
            match notice {
                Notice::TooEarly { .. } => self.hand.kept_sham.postponed(),
                Notice::Refused { holding, .. } => self.hand.kept_sham.refused(*holding == Some(false)),
                _ => self.hand.kept_sham.gone(),
            }
        }
        match notice {
            Notice::PutRefused { .. } => self.hand.refused_puts += 1,
            Notice::PickedUp | Notice::Put { .. } | Notice::Checked { .. } | Notice::Destroyed => {
                (self.hand.refused_puts, self.hand.refused_at) = (0, None);
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
                if let Some(direction) = self.messages.pending.and_then(|pending| pending.direction) {
                    self.knowledge.met(now, own.position, direction);
                }
            }
            Notice::Discovered { distances } => self.knowledge.discovered(now, own.position, distances),
            Notice::PickedUp => {
                own.hand = Hand::Unchecked;
                self.hand.kept_sham.gone();
                self.knowledge.picked_up(own.position);
            }
            Notice::PickUpRefused { reason: PickUpFailure::NothingThere } => {
                self.knowledge.nothing_at(own.position);
            }
            // In the task area there is one reason left: the hands are full.
            Notice::PickUpRefused { reason: PickUpFailure::Other } => {
                if self.knowledge.geometry().area(own.position) == Area::Task
                    && !own.hand.is_full()
                    && !self.hand.kept_sham.explains_a_full_hand()
                {
                    own.hand = Hand::Unchecked;
                    self.hand.refused_at = Some(own.position);
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
                if self.hand.refused_puts >= 2 {
                    self.has_nothing();
                }
            }
            Notice::Checked { sham: true } => {
                own.hand = Hand::Empty;
                self.hand.kept_sham.found();
            }
            Notice::Checked { sham: false } => own.hand = Hand::Real,
            Notice::Destroyed => own.hand = Hand::Empty,
            Notice::Asked { by, leader, team } => {
                let binds = self.briefing.game.config.leader_binds();
                let question = Question { by: *by, must_answer: binds && *leader && *team == own.team };
                let before = own.questions.len();
                own.questions.retain(|other| other.by != question.by);
                // A leader that asks again, because it has no answer yet, gets one soon: over it the strategy
                // has panicked already.
                if !question.must_answer || own.questions.len() == before {
                    self.messages.declined.retain(|agent| *agent != question.by);
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
                    Some(true) if !own.hand.is_full() && !self.hand.kept_sham.explains_a_full_hand() => {
                        own.hand = Hand::Unchecked;
                    }
                    // An agent that is refused twice in a row what takes a piece has none.
                    None if self.hand.refused_uses == 2 => self.has_nothing(),
                    Some(true) | None => {}
                }
            }
            // Nothing was passed on: the agent that asked still waits, and a leader would wait without end.
            Notice::TooEarly { .. } => {
                if let Some(question) = self.messages.pending.and_then(|pending| pending.question) {
                    own.questions.retain(|other| other.by != question.by);
                    own.questions.insert(0, question);
                }
            }
            Notice::AnswerPassedOn { .. } | Notice::QuestionPassedOn { .. } => {}
            // The game is over, or has not begun.
            Notice::GameOver { .. } | Notice::GameStart(_) | Notice::Joined { .. } => {}
        }
    }

    /// Finds out whether the leader has its answer: a server with a lower limit drops a long answer without a report,
    /// and the game master refuses every other request until the answer arrives.
    fn follow_the_answer(&mut self, notice: &Notice) {
        let (Some(pending), Some((question, refusals))) =
            (self.messages.pending, &mut self.messages.unconfirmed)
        else {
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
                (self.messages.unconfirmed, self.messages.lost_answers) = (None, 0);
                return;
            }
        }
        *refusals += 1;
        if *refusals == REFUSALS_WITHOUT_ANSWER {
            let question = *question;
            self.messages.unconfirmed = None;
            self.messages.lost_answers += 1;
            self.own.questions.retain(|other| other.by != question.by);
            self.own.questions.insert(0, question);
        }
    }

    /// There is nothing in the hand, as a refusal shows.
    fn has_nothing(&mut self) {
        self.own.hand = Hand::Empty;
        self.hand.kept_sham.gone();
        // Then it was not for full hands that the piece was refused.
        if let Some(at) = self.hand.refused_at.take() {
            self.knowledge.nothing_at(at);
        }
    }
}
