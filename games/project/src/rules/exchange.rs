//! Asking for information and answering.

use std::sync::Arc;

use game_env::{AgentId, Sink};

use crate::event::{Event, Refusal};
use crate::information::Information;
use crate::observation::Question;
use crate::state::{MOST_OPEN, State};

impl State {
    pub(super) fn ask(
        &mut self,
        agent: AgentId,
        asked: AgentId,
        sink: &mut impl Sink<Event>,
    ) -> Result<(), Refusal> {
        self.may_ask(agent, asked)?;
        let same_team = self.agents[agent.index()].briefing.team == self.agents[asked.index()].briefing.team;
        let must_answer = same_team && self.is_leader(agent) && self.config().leader_binds();
        let questions = &mut self.agents[asked.index()].questions;
        // An open question is not passed on a second time. See the book's page "Asking again".
        let is_open = questions.iter().any(|question| question.by == agent);
        let event = if is_open {
            Event::AskedAgain { agent: asked, by: agent }
        } else {
            questions.push(Question { by: agent, must_answer });
            self.note_open(agent, asked);
            Event::Asked { agent: asked, by: agent, must_answer }
        };
        sink.event(self.clock, event);
        Ok(())
    }

    /// Adds a new open question, and drops the asker's oldest one if it has too many.
    fn note_open(&mut self, by: AgentId, asked: AgentId) {
        let open = &mut self.agents[by.index()].asked;
        open.push(asked);
        if open.len() > MOST_OPEN {
            let oldest = open.remove(0);
            self.agents[oldest.index()].questions.retain(|question| question.by != by);
        }
    }

    pub(super) fn may_ask(&self, agent: AgentId, asked: AgentId) -> Result<(), Refusal> {
        if asked == agent {
            return Err(Refusal::AskedItself);
        }
        match self.agents.get(asked.index()) {
            Some(other) if !other.gone => Ok(()),
            _ => Err(Refusal::NoSuchAgent),
        }
    }

    pub(super) fn answer(
        &mut self,
        agent: AgentId,
        to: AgentId,
        information: Arc<Information>,
        sink: &mut impl Sink<Event>,
    ) -> Result<(), Refusal> {
        let questions = &mut self.agents[agent.index()].questions;
        let place = questions.iter().position(|question| question.by == to).ok_or(Refusal::NotAsked)?;
        questions.remove(place);
        self.agents[to.index()].asked.retain(|asked| *asked != agent);
        sink.event(self.clock, Event::Answered { agent: to, by: agent, information });
        Ok(())
    }
}
