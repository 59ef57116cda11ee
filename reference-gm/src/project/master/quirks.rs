//! Oddities of other implementations that the game master allows for: the messages to their agents, the agents that
//! wait for acknowledgements, the length of answers, and agents that are never asked.
//!
//! The known facts about these implementations stand in [`wire::project::quirks`].

use std::sync::Arc;

use game_env::{AgentId, ByTeam, Environment as _, Millis};
use game_project::{ActionKind, Config, Event, GoalBelief, Information, Refusal, Team};
use serde_json::value::RawValue;
use wire::project::quirks::{BUFFER_OF_8_KIB, SIGNED_LENGTH, habit, on_whole_board};
use wire::project::{AgentNumber, AsWritten, Dialect, Habit, Notice};

use super::play::Play;
use super::{News, Outgoing};
use crate::project::agent_set::AgentSet;

impl Outgoing {
    /// Returns the dialect of the messages to this agent.
    pub(super) fn dialect(&self, to: AgentNumber) -> Dialect {
        let needs_strings = self.adapted(to).is_some_and(Habit::reads_numbers_as_strings);
        if needs_strings { Dialect::Union } else { self.settings.dialect }
    }

    /// Returns the habit of an agent that receives messages for agents with this habit.
    fn adapted(&self, agent: AgentNumber) -> Option<Habit> {
        self.settings.foreign_config.as_ref().and_then(|_| self.foreign.get(&agent).copied())
    }

    /// Returns whether an agent is taken for one of another implementation.
    fn is_foreign(&self, agent: AgentNumber) -> bool {
        self.settings.dialect == Dialect::Union || self.adapted(agent).is_some()
    }

    /// Returns whether these agents, as the operator has named them, include this one.
    fn includes(&self, set: &AgentSet, team: Team, agent: AgentNumber) -> bool {
        set.includes(team, agent, self.foreign.get(&agent).copied())
    }

    /// Returns whether an agent waits for messages 112 and 113.
    fn waits_for_acknowledgements(&self, team: Team, agent: AgentNumber) -> bool {
        self.includes(&self.settings.acknowledge, team, agent)
            || self.adapted(agent).is_some_and(Habit::waits_for_acknowledgements)
    }

    /// Returns the longest body of an answer (message 111) to this agent of this team, in bytes.
    ///
    /// For agents of other implementations it is what these are known to read (see the book's page "Playing with other
    /// implementations").
    fn longest_answer(&self, team: Team, agent: AgentNumber) -> u16 {
        let is_long = !self.is_foreign(agent) || self.includes(&self.settings.long_answers, team, agent);
        let most = if is_long {
            u16::MAX
        } else if self.waits_for_acknowledgements(team, agent) {
            SIGNED_LENGTH
        } else {
            BUFFER_OF_8_KIB
        };
        most.min(self.settings.longest_message)
    }

    /// Notes an agent's habit when it asks to join. The first one is reported, and so is each one whose messages are
    /// adapted.
    pub(super) fn note_habit(&mut self, agent: AgentNumber, body: &[u8]) {
        let Some(habit) = habit(body) else { return };
        let is_first = self.foreign.is_empty();
        let is_new = self.foreign.insert(agent, habit).is_none();
        let is_adapted = self.settings.foreign_config.is_some();
        if self.settings.dialect != Dialect::Union && is_new && (is_first || is_adapted) {
            self.report(News::Foreign { agent, habit, is_adapted });
        }
    }

    /// Returns the game that these agents play.
    pub(super) fn config(&self, members: &ByTeam<Vec<AgentNumber>>) -> &Config {
        let is_foreign = members.iter().flatten().any(|member| self.foreign.contains_key(member));
        let foreign = self.settings.foreign_config.as_ref().filter(|_| is_foreign);
        foreign.unwrap_or(&self.settings.config)
    }
}

/// The longest farewell. A longer penalty at the end of a game is rare.
const LONGEST_FAREWELL: Millis = Millis::new(3_000);

/// The time in which an agent reads the end of the game, and leaves by itself.
const LEAVING: Millis = Millis::new(500);

impl Play {
    /// Returns the span for which the connection stays after the end of the game, so that agents see the end before
    /// they see that the connection is lost: agents of other implementations read nothing during a penalty. None if
    /// none can be one.
    pub(super) fn farewell(&self, outgoing: &Outgoing) -> Option<Millis> {
        let mut agents = AgentId::all(self.state.agents()).map(|agent| self.seats.number(agent));
        let penalties = self.state.config().penalties();
        let longest = ActionKind::ALL.map(|kind| penalties.of(kind)).into_iter().max().unwrap_or_default();
        agents.any(|number| outgoing.is_foreign(number)).then(|| {
            Millis::new((longest.as_millis() + LEAVING.as_millis()).min(LONGEST_FAREWELL.as_millis()))
        })
    }

    /// Some implementations destroy a sham that a check has destroyed already, and wait for the answer
    /// (specification, section 6, "Dialects").
    pub(super) fn may_destroy_once_more(&self, outgoing: &Outgoing, event: &Event) -> bool {
        let Event::Refused { agent, action: ActionKind::Destroy, refusal: Refusal::EmptyHanded } = event
        else {
            return false;
        };
        outgoing.is_foreign(self.seats.number(*agent)) && self.found_sham.contains(agent)
    }

    /// Passes an answer on as it was written.
    ///
    /// Agents that wait for acknowledgements belong to one of two implementations. One of them looks beliefs up by
    /// the field of the board wherever distances are sent as well, and ends if there is none for a field. The other
    /// one does not read this message.
    pub(super) fn tell_answer(
        &self,
        outgoing: &mut Outgoing,
        to: AgentId,
        by: AgentId,
        information: &Arc<Information>,
        payload: Option<&RawValue>,
    ) {
        let waits = outgoing.is_foreign(self.seats.number(to)) && self.is_acknowledged(outgoing, to);
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
        outgoing.longest_answer(team, self.seats.number(agent))
    }

    /// Returns whether this connection plays as an agent that is never asked.
    pub(super) fn is_never_asked(&self, outgoing: &Outgoing, number: AgentNumber) -> bool {
        let Some(agent) = self.seats.agent(number) else { return false };
        let team: Team = self.state.briefing(agent).team;
        let is_spared = outgoing.adapted(number).is_some_and(Habit::is_confused_by_questions)
            || outgoing.includes(&outgoing.settings.never_asked, team, number);
        self.state.position(agent).is_some() && is_spared
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

    /// Returns whether an agent is informed that its questions and answers were passed on.
    pub(super) fn is_acknowledged(&self, outgoing: &Outgoing, agent: AgentId) -> bool {
        let team: Team = self.state.briefing(agent).team;
        outgoing.waits_for_acknowledgements(team, self.seats.number(agent))
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
