//! The calls of a strategy, and the answers that the agent gives without it.

use std::sync::Arc;

use game_env::SimTime;
use game_env::panics::{catch, catch_async};
use game_project::{Action, Distance, Information, Question, Team};

use super::Actor;
use super::draws::Call;
use crate::strategy::{AsyncStrategy, Choice, Notice, Resignation, Strategy};

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
pub(super) fn as_said(mut action: Action) -> Action {
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
    /// Calls the strategy: passes on the new messages, asks for the answers to questions, and asks for the next action.
    ///
    /// If the strategy panics or returns an impossible action, the agent loses this turn; see [`Actor::take_blunders`].
    pub fn decide(&mut self, now: SimTime, strategy: &mut (impl Strategy + ?Sized)) -> Choice {
        if now < self.blunders.rests_until {
            return Choice::Wait(self.blunders.rests_until);
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
    ) -> Choice {
        if now < self.blunders.rests_until {
            return Choice::Wait(self.blunders.rests_until);
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

    /// Asks a strategy that has made this choice whether it leaves the game; see [`Strategy::gives_up`]. If it panics,
    /// the agent does not leave, and loses this turn, unless it rests after a blunder anyway.
    pub(crate) fn resigns(
        &mut self,
        now: SimTime,
        choice: Choice,
        gives_up: impl FnOnce() -> Option<Resignation>,
    ) -> (Choice, Option<Resignation>) {
        match catch(gives_up) {
            Ok(resignation) => (choice, resignation),
            Err(_) if now < self.blunders.rests_until => (choice, None),
            Err(message) => (self.admit(now, Err(message)), None),
        }
    }

    fn next_step(&mut self, now: SimTime) -> Step {
        if !std::mem::replace(&mut self.messages.has_begun, true) {
            self.draws.start(Call::Begin, now);
            return Step::Begin;
        }
        if let Some(notice) = self.next_unread(now) {
            return Step::Hear(notice);
        }
        self.draws.start(Call::Act, now);
        let questions = &self.own.questions;
        let is_declined = |question: &Question| self.messages.declined.contains(&question.by);
        // The leader first: until it is answered nothing else is granted.
        let open = questions
            .iter()
            .find(|question| question.must_answer)
            .or_else(|| questions.iter().find(|question| !is_declined(question)));
        match open.copied() {
            None if self.hand.kept_sham.is_due() => Step::ClearHand,
            None => Step::Act,
            Some(question)
                if is_declined(&question) || (question.must_answer && self.messages.lost_answers > 0) =>
            {
                Step::AnswerNothing(question)
            }
            Some(question) => {
                // For the case that the strategy panics.
                self.messages.declined.push(question.by);
                self.draws.start(Call::Answer(question.by), now);
                Step::Answer(question)
            }
        }
    }

    /// Returns the next message that the strategy hears.
    fn next_unread(&mut self, now: SimTime) -> Option<Notice> {
        if self.messages.unread.is_empty() {
            return None;
        }
        self.draws.start(Call::Hear, now);
        self.draws.heard += 1;
        let (came_at, notice) = self.messages.unread.remove(0);
        self.messages.came_at = came_at;
        Some(notice)
    }

    /// Returns the answer to a question, or none if the strategy leaves it unanswered. Of such a question the actor
    /// remembers only that it was asked.
    fn answer(&mut self, question: Question, information: Option<Information>) -> Option<Action> {
        let information = information.or_else(|| question.must_answer.then(Information::default))?;
        self.messages.declined.retain(|agent| *agent != question.by);
        Some(answer(question, self.knowledge.filled(information)))
    }

    /// Returns the answer to the leader if the strategy gives none.
    fn answer_nothing(&self, question: Question) -> Action {
        // An answer of unknown values only was lost as well: even that was too long.
        let is_too_long = self.messages.lost_answers > 1;
        answer(question, if is_too_long { Information::default() } else { self.knowledge.nothing() })
    }

    /// Tells the strategy that the game is over.
    pub fn end(&mut self, now: SimTime, strategy: &mut (impl Strategy + ?Sized), winner: Option<Team>) {
        // A strategy that panics over what it hears still learns that the game is over.
        while let Some(notice) = self.next_unread(now) {
            let told = catch(|| strategy.hear(&mut self.view(now), &notice));
            self.admit(now, told.map(|()| Choice::Wait(SimTime::NEVER)));
        }
        self.draws.start(Call::End, now);
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
        while let Some(notice) = self.next_unread(now) {
            let telling = async { strategy.hear(&mut self.view(now), &notice).await };
            let told = catch_async(telling).await;
            self.admit(now, told.map(|()| Choice::Wait(SimTime::NEVER)));
        }
        self.draws.start(Call::End, now);
        let ending = async { strategy.end(&mut self.view(now), winner).await };
        let ended = catch_async(ending).await;
        self.admit(now, ended.map(|()| Choice::Wait(SimTime::NEVER)));
    }
}
