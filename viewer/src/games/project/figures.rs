//! The figures of each agent of The Project Game as a table, as the page shows them at any moment.
//!
//! A figure has the name that it has in the document of statistics, with dots between the levels.

use game_env::{AgentId, SimTime};
use game_project::ActionKind;
use game_project::statistics::{AgentStatistics, Statistics};

/// The number of figures of an agent.
const COUNT: usize = 3 * ActionKind::ALL.len() + 8;

/// Returns the name of each figure, in the order in which feeds number them.
pub(crate) fn names() -> Vec<String> {
    let kinds = |of: &'static str| ActionKind::ALL.into_iter().map(move |kind| format!("{of}.{kind}"));
    let others = [
        "premature",
        "pieces",
        "shams",
        "goals",
        "questionsAsked",
        "questionsReceived",
        "questionsAnswered",
        "lockedMs",
    ];
    kinds("granted")
        .chain(kinds("refused"))
        .chain(kinds("lockedMsBy"))
        .chain(others.map(str::to_owned))
        .collect()
}

/// The last figures of all agents in the feed.
#[derive(Clone, Debug)]
pub(crate) struct LastFigures {
    agents: Vec<Row>,
}

/// The figures of one agent, and when its lock ends.
#[derive(Clone, Copy, Debug)]
struct Row {
    figures: [u64; COUNT],
    /// All locks together by the kind of the request, the running one to its end.
    locked_by: [u64; ActionKind::ALL.len()],
    /// The kind of the request that caused the last lock.
    locked_for: usize,
    locked_until: SimTime,
}

impl LastFigures {
    /// Zeros for this number of agents: no figures are in the feed yet.
    pub(crate) fn new(agents: usize) -> Self {
        let row = Row {
            figures: [0; COUNT],
            locked_by: [0; ActionKind::ALL.len()],
            locked_for: 0,
            locked_until: SimTime::START,
        };
        Self { agents: vec![row; agents] }
    }

    /// A request of this kind locks an agent from one moment to another.
    pub(crate) fn lock(&mut self, agent: AgentId, kind: ActionKind, at: SimTime, until: SimTime) {
        let row = &mut self.agents[agent.index()];
        row.locked_for = kind as usize;
        row.locked_by[row.locked_for] += until.as_millis() - at.as_millis();
        row.locked_until = until;
    }

    /// A lock ends, as its agent leaves.
    pub(crate) fn unlock(&mut self, agent: AgentId, at: SimTime) {
        let row = &mut self.agents[agent.index()];
        row.locked_by[row.locked_for] -= row.locked_until.as_millis().saturating_sub(at.as_millis());
        row.locked_until = row.locked_until.min(at);
    }

    /// Returns the last figures of an agent in the feed.
    pub(crate) fn of(&self, agent: AgentId) -> &[u64] {
        &self.agents[agent.index()].figures
    }

    /// Takes over the figures of an agent: the number and the value of each that has changed.
    pub(crate) fn update(
        &mut self,
        statistics: &Statistics,
        agent: AgentId,
    ) -> impl Iterator<Item = (usize, u64)> + use<> {
        let row = &mut self.agents[agent.index()];
        let now = figures(&statistics.agents[agent.index()], &row.locked_by);
        let before = std::mem::replace(&mut row.figures, now);
        now.into_iter()
            .zip(before)
            .enumerate()
            .filter(|(_, (now, before))| now != before)
            .map(|(place, (now, _))| (place, now))
    }
}

fn figures(agent: &AgentStatistics, locked_by: &[u64; ActionKind::ALL.len()]) -> [u64; COUNT] {
    let counts = &agent.counts;
    let kinds = [counts.granted, counts.refused]
        .into_iter()
        .flat_map(|of| ActionKind::ALL.map(|kind| u64::from(of.of(kind))))
        .chain(*locked_by);
    let others = [
        counts.premature,
        counts.pieces,
        counts.shams,
        counts.goals,
        counts.granted.of(ActionKind::Ask),
        counts.asked,
        counts.granted.of(ActionKind::Answer),
    ];
    let others = others.map(u64::from).into_iter().chain([locked_by.iter().sum()]);
    let mut figures = [0; COUNT];
    for (figure, count) in figures.iter_mut().zip(kinds.chain(others)) {
        *figure = count;
    }
    figures
}
