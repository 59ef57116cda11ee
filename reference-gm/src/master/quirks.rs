//! Oddities of other implementations that the game master allows for: which agents are told the union dialect, who
//! waits for acknowledgements, how long answers may be, and who is never asked.
//!
//! What is known of these implementations stands in [`wire::project::quirks`].

use std::sync::Arc;

use game_env::{AgentId, ByTeam};
use game_project::{ActionKind, Config, Event, GoalBelief, Information, Refusal, Team};
use serde_json::value::RawValue;
use wire::project::quirks::{BUFFER_OF_8_KIB, SIGNED_LENGTH, habit, on_whole_board};
use wire::project::{AgentNumber, AsWritten, Dialect, Notice};

use super::play::Play;
use super::{News, Outgoing, Settings};

impl Settings {
    /// The longest body of an answer (message 111) in this dialect to this agent of this team, in bytes.
    ///
    /// In the union dialect it is what agents of other implementations are known to read
    /// (see the book's page "Playing with other implementations").
    pub fn longest_answer(&self, dialect: Dialect, team: Team, agent: AgentNumber) -> u16 {
        let most = match dialect {
            Dialect::Spec => u16::MAX,
            Dialect::Union if self.long_answers.includes(team, agent) => u16::MAX,
            Dialect::Union if self.acknowledge.includes(team, agent) => SIGNED_LENGTH,
            Dialect::Union => BUFFER_OF_8_KIB,
        };
        most.min(self.longest_message)
    }
}

impl Outgoing {
    /// The dialect of what this agent is told.
    pub(super) fn dialect(&self, to: AgentNumber) -> Dialect {
        let is_chosen = self.settings.foreign_config.is_some() && self.foreign.contains(&to);
        if is_chosen { Dialect::Union } else { self.settings.dialect }
    }

    /// Notes how an agent writes that asks to join. Said of the first one, and of every one that is told another
    /// dialect for it.
    pub(super) fn note_habit(&mut self, agent: AgentNumber, body: &[u8]) {
        let Some(habit) = habit(body) else { return };
        let is_first = self.foreign.is_empty();
        let is_new = self.foreign.insert(agent);
        let is_chosen = self.settings.foreign_config.is_some();
        if self.settings.dialect == Dialect::Spec && is_new && (is_first || is_chosen) {
            self.report(News::Foreign { agent, habit, dialect: self.dialect(agent) });
        }
    }

    /// The game that these agents play.
    pub(super) fn config(&self, members: &ByTeam<Vec<AgentNumber>>) -> &Config {
        let is_foreign = members.iter().flatten().any(|member| self.foreign.contains(member));
        let foreign = self.settings.foreign_config.as_ref().filter(|_| is_foreign);
        foreign.unwrap_or(&self.settings.config)
    }
}

impl Play {
    /// Some implementations destroy a sham that a check has destroyed already, and wait for the answer
    /// (specification, section 6, "Dialects").
    pub(super) fn may_destroy_once_more(&self, outgoing: &Outgoing, event: &Event) -> bool {
        let Event::Refused { agent, action: ActionKind::Destroy, refusal: Refusal::EmptyHanded } = event
        else {
            return false;
        };
        outgoing.dialect(self.seats.number(*agent)) == Dialect::Union && self.found_sham.contains(agent)
    }

    /// Passes an answer on as it was written.
    ///
    /// Agents that wait for acknowledgements belong to one of two implementations. One of them looks beliefs up by
    /// the field of the board wherever distances are told as well, and ends where there is none for a field. The
    /// other one does not read this message.
    pub(super) fn tell_answer(
        &self,
        outgoing: &mut Outgoing,
        to: AgentId,
        by: AgentId,
        information: &Arc<Information>,
        payload: Option<&RawValue>,
    ) {
        let waits =
            outgoing.dialect(self.seats.number(to)) == Dialect::Union && self.is_acknowledged(outgoing, to);
        let limit = self.longest_answer(outgoing, to);
        let (to, by) = (self.seats.number(to), self.seats.number(by));
        let understood = |information| Notice::Answered { by: Some(by), information };
        let geometry = self.state.config().geometry();
        let is_whole = |information: &Information| {
            Team::ALL.into_iter().all(|team| information.goals[team].len() == geometry.fields() as usize)
        };
        if waits && !information.distances.is_empty() && !is_whole(information) {
            let whole = Arc::new(on_whole_board(information, geometry));
            let fits = is_whole(&whole) && outgoing.holds(limit, to, &understood(whole.clone()));
            let goals = || Arc::new(Information { distances: Vec::new(), goals: information.goals.clone() });
            return outgoing.inform(limit, to, &understood(if fits { whole } else { goals() }));
        }
        match AsWritten::of(payload) {
            Some(written) => {
                outgoing.pass_on(limit, (to, by), (&written, geometry), &understood(information.clone()));
            }
            None => outgoing.inform(limit, to, &understood(information.clone())),
        }
    }

    pub(super) fn longest_answer(&self, outgoing: &Outgoing, agent: AgentId) -> u16 {
        let team: Team = self.state.briefing(agent).team;
        let number = self.seats.number(agent);
        outgoing.settings.longest_answer(outgoing.dialect(number), team, number)
    }

    /// Whether this connection plays as an agent that is never asked.
    pub(super) fn is_never_asked(&self, outgoing: &Outgoing, number: AgentNumber) -> bool {
        let Some(agent) = self.seats.agent(number) else { return false };
        let team: Team = self.state.briefing(agent).team;
        self.state.position(agent).is_some() && outgoing.settings.never_asked.includes(team, number)
    }

    /// Answers a question to an agent that is never asked: it knows nothing. See the book's page "Agents that are
    /// never asked".
    pub(super) fn answer_for(
        &self,
        outgoing: &mut Outgoing,
        spared: AgentNumber,
        to: AgentId,
        correlation: Option<&RawValue>,
    ) {
        self.acknowledge(outgoing, to, correlation, &Notice::QuestionPassedOn { succeeded: true });
        // Some agents cannot read empty lists of beliefs.
        let unknown = vec![GoalBelief::Unknown; self.state.config().geometry().goal_fields() as usize];
        let information =
            Information { distances: Vec::new(), goals: ByTeam::new([unknown.clone(), unknown]) };
        let notice = Notice::Answered { by: Some(spared), information: Arc::new(information) };
        outgoing.inform(self.longest_answer(outgoing, to), self.seats.number(to), &notice);
    }

    /// Whether an agent is told that its questions and answers were passed on.
    pub(super) fn is_acknowledged(&self, outgoing: &Outgoing, agent: AgentId) -> bool {
        let team: Team = self.state.briefing(agent).team;
        outgoing.settings.acknowledge.includes(team, self.seats.number(agent))
    }

    pub(super) fn acknowledge(
        &self,
        outgoing: &mut Outgoing,
        agent: AgentId,
        correlation: Option<&RawValue>,
        notice: &Notice,
    ) {
        if self.is_acknowledged(outgoing, agent) {
            outgoing.tell(self.seats.number(agent), correlation, notice);
        }
    }
}
