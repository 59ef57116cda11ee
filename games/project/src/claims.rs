//! The claims of answers, compared with the truth and with the knowledge of the agent that made them.
//!
//! A [`ClaimJudge`] handles all events of a game and judges every claim of an answer at the moment at which it is made.
//! A distance is [stale](ClaimVerdict::Stale) if it was true when the agent measured it. It is
//! [mistaken](ClaimVerdict::Mistaken) if it repeats a claim that the agent has heard, also one that was true then, or
//! if the agent never measured it; a claim about a goal is, if the agent has heard a false claim about goals. All other
//! false claims are [lies](ClaimVerdict::Lie).
//!
//! Only the referee can judge: agents know neither the truth nor the knowledge of others.

use game_env::messages::{self, ClaimCounts, ClaimVerdict, Message, MessageJudge};
use game_env::{AgentId, SimTime};

use crate::event::{Event, PutResult};
use crate::geometry::{Distance, Geometry, Position, Surroundings};
use crate::information::{GoalBelief, Information};
use crate::state::State;
use crate::team::Team;

/// One claim of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The field that it is about.
    pub at: Position,
    /// The content of the claim.
    pub content: ClaimContent,
    /// The verdict on it.
    pub verdict: ClaimVerdict,
}

impl Claim {
    /// Returns the truth about the field of this claim in this state.
    pub fn truth(&self, state: &State) -> Truth {
        match self.content {
            ClaimContent::Distance(_) => Truth::Distance(state.board.nearest_piece(self.at)),
            ClaimContent::Goal(_) => goal_truth(state, self.at),
        }
    }
}

/// The truth about a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// The distance of the nearest piece.
    Distance(Distance),
    /// The field is a goal that no team has covered.
    Goal,
    /// The field is a goal that a team has covered. The claim that it is a goal and the claim that it is none are both
    /// true, except that the agent that covered it lies if it denies the goal.
    CoveredGoal,
    /// The field is no goal.
    NoGoal,
}

/// The content of a claim about a field.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClaimContent {
    /// The distance of the nearest piece.
    Distance(Distance),
    /// Whether it is a goal; never [`GoalBelief::Unknown`].
    Goal(GoalBelief),
}

/// Keeps the knowledge of every agent, from the rules and from other agents, and judges claims by it.
#[derive(Clone, Debug, Default)]
pub struct ClaimJudge {
    agents: Vec<Known>,
}

impl ClaimJudge {
    /// Creates a judge for a game of this number of agents that has not begun.
    pub fn new(agents: usize) -> Self {
        Self { agents: vec![Known::default(); agents] }
    }

    /// Handles the next event. `state` is the one after it.
    ///
    /// If the event is an answer, calls `each` for each of its claims, distances first, and returns the number of
    /// claims of each verdict. Entries for fields outside the board or the goal areas are no claims.
    ///
    /// # Panics
    ///
    /// If the event names an agent that the game does not have.
    pub fn hear(&mut self, state: &State, event: &Event, mut each: impl FnMut(Claim)) -> Option<ClaimCounts> {
        let geometry = state.config().geometry();
        match event {
            Event::Moved { agent, to, distance } => {
                self.agents[agent.index()].make(geometry, *to).own_distance = Some(*distance);
            }
            Event::Discovered { agent, distances } => {
                let here = state.position(*agent)?;
                self.agents[agent.index()].measure(geometry, here, distances);
            }
            Event::Put { agent, result: result @ (PutResult::OnGoal | PutResult::OnNoGoal) } => {
                let here = state.position(*agent)?;
                let own = &mut self.agents[agent.index()].make(geometry, here).own_goal;
                if *result == PutResult::OnGoal {
                    *own = GoalBelief::Goal;
                } else if *own != GoalBelief::Goal {
                    // A covered goal stays a goal, although another piece finds none.
                    *own = GoalBelief::NoGoal;
                }
            }
            // The piece lies here until somebody takes it.
            Event::Put { agent, result: PutResult::OnTaskField } => {
                let here = state.position(*agent)?;
                self.agents[agent.index()].make(geometry, here).own_distance = Some(Distance::new(0));
            }
            Event::Answered { agent, by, information } => {
                return Some(self.judge(state, *agent, *by, information, &mut each));
            }
            _ => {}
        }
        None
    }

    /// Returns whether the agent takes over a claim that it has heard: it does unless its own finding about a goal
    /// contradicts the claim. Of a distance it takes over the last claim, as [`Beliefs`](crate::beliefs::Beliefs) do.
    ///
    /// # Panics
    ///
    /// If there is no such agent.
    pub fn takes_over(&self, geometry: Geometry, agent: AgentId, claim: &Claim) -> bool {
        match claim.content {
            ClaimContent::Distance(_) => true,
            ClaimContent::Goal(said) => {
                let own = self.agents[agent.index()].at(geometry, claim.at).own_goal;
                own == GoalBelief::Unknown || own == said
            }
        }
    }

    /// Judges an answer, and adds its claims to the knowledge of `asker`.
    fn judge(
        &mut self,
        state: &State,
        asker: AgentId,
        by: AgentId,
        information: &Information,
        each: &mut impl FnMut(Claim),
    ) -> ClaimCounts {
        let geometry = state.config().geometry();
        let mut counts = ClaimCounts::default();
        for (index, said) in (0..geometry.fields()).zip(&information.distances) {
            let Some(said) = *said else { continue };
            let at = geometry.position(index);
            let verdict = self.agents[by.index()].judge_distance(state, at, said);
            self.agents[asker.index()].make(geometry, at).told_distance = Some(said);
            counts.add(verdict);
            each(Claim { at, content: ClaimContent::Distance(said), verdict });
        }
        for team in Team::ALL {
            let first = geometry.index(Position::new(0, geometry.goal_area_start(team)));
            let first = u32::try_from(first).expect("a board has fewer fields");
            for (index, said) in (0..geometry.goal_fields()).zip(&information.goals[team]) {
                if *said == GoalBelief::Unknown {
                    continue;
                }
                let at = geometry.position(first + index);
                let verdict = self.agents[by.index()].judge_goal(state, at, *said);
                let known = &mut self.agents[asker.index()];
                known.make(geometry, at).told_goal = *said;
                known.is_misled |= verdict != ClaimVerdict::Honest;
                counts.add(verdict);
                each(Claim { at, content: ClaimContent::Goal(*said), verdict });
            }
        }
        counts
    }
}

impl MessageJudge<State> for ClaimJudge {
    fn hear(&mut self, state: &State, now: SimTime, event: &Event, each: &mut dyn FnMut(Message)) {
        let mut made = Vec::new();
        let judged = self.hear(state, event, |claim| made.push(claim));
        let (kind, from, to) = match event {
            Event::Asked { agent, by, must_answer: true } => ("order to answer", *by, *agent),
            Event::Asked { agent, by, must_answer: false } => ("question", *by, *agent),
            Event::AskedAgain { agent, by } => ("repeated question", *by, *agent),
            Event::Answered { agent, by, .. } => ("answer", *by, *agent),
            _ => return,
        };
        let geometry = state.config().geometry();
        let claim = |claim: Claim| {
            let (about, said) = claim.content.in_words();
            messages::Claim {
                at: (claim.at.x, claim.at.y),
                about,
                said,
                truth: claim.truth(state).in_words(),
                verdict: claim.verdict,
                is_believed: self.takes_over(geometry, to, &claim),
            }
        };
        let claims = judged.map(|_| made.into_iter().map(claim).collect());
        each(Message { at: now, kind, from, to, claims });
    }
}

impl ClaimContent {
    /// Returns the subject and the content.
    fn in_words(self) -> (&'static str, String) {
        match self {
            Self::Distance(distance) => ("distance", distance.to_string()),
            Self::Goal(GoalBelief::Goal) => ("goal", "goal".to_owned()),
            Self::Goal(GoalBelief::NoGoal | GoalBelief::Unknown) => ("goal", "no goal".to_owned()),
        }
    }
}

impl Truth {
    fn in_words(self) -> String {
        match self {
            Self::Distance(distance) => distance.to_string(),
            Self::Goal => "goal".to_owned(),
            Self::CoveredGoal => "covered goal".to_owned(),
            Self::NoGoal => "no goal".to_owned(),
        }
    }
}

fn goal_truth(state: &State, at: Position) -> Truth {
    if state.board.is_open_goal(at) {
        Truth::Goal
    } else if Team::ALL.iter().any(|team| state.board.covered(*team).contains(&at)) {
        Truth::CoveredGoal
    } else {
        Truth::NoGoal
    }
}

/// Fields per side of a tile.
const TILE: u16 = 16;

/// The knowledge of one agent. In tiles, because an agent sees little of a large board.
#[derive(Clone, Debug, Default)]
struct Known {
    tiles: Vec<Option<Box<Tile>>>,
    /// Whether the agent has heard a false claim about goals.
    is_misled: bool,
}

type Tile = [KnownField; TILE as usize * TILE as usize];

/// The knowledge of one agent about a field.
#[derive(Clone, Copy, Debug, Default)]
struct KnownField {
    /// The last distance that it measured.
    own_distance: Option<Distance>,
    /// The last distance that another agent claimed.
    told_distance: Option<Distance>,
    /// Its finding when it put a piece there.
    own_goal: GoalBelief,
    /// The last claim of another agent.
    told_goal: GoalBelief,
}

impl KnownField {
    /// Returns the belief of the agent: its own finding goes before claims.
    fn goal(self) -> GoalBelief {
        if self.own_goal == GoalBelief::Unknown { self.told_goal } else { self.own_goal }
    }
}

impl Known {
    fn place(geometry: Geometry, at: Position) -> (usize, usize) {
        let across = geometry.columns().div_ceil(TILE);
        let tile = usize::from(at.y / TILE) * usize::from(across) + usize::from(at.x / TILE);
        (tile, usize::from(at.y % TILE) * usize::from(TILE) + usize::from(at.x % TILE))
    }

    /// Returns the knowledge about this field, to be changed.
    fn make(&mut self, geometry: Geometry, at: Position) -> &mut KnownField {
        let (tile, field) = Self::place(geometry, at);
        if self.tiles.len() <= tile {
            self.tiles.resize(tile + 1, None);
        }
        let tile = self.tiles[tile]
            .get_or_insert_with(|| Box::new([KnownField::default(); TILE as usize * TILE as usize]));
        &mut tile[field]
    }

    /// Returns the knowledge about this field.
    fn at(&self, geometry: Geometry, at: Position) -> KnownField {
        let (tile, field) = Self::place(geometry, at);
        self.tiles.get(tile).and_then(Option::as_ref).map_or_else(KnownField::default, |tile| tile[field])
    }

    fn measure(&mut self, geometry: Geometry, here: Position, distances: &Surroundings) {
        for (at, distance) in distances.readings(geometry, here) {
            self.make(geometry, at).own_distance = Some(distance);
        }
    }

    fn judge_distance(&self, state: &State, at: Position, said: Distance) -> ClaimVerdict {
        if said == state.board.nearest_piece(at) {
            return ClaimVerdict::Honest;
        }
        let known = self.at(state.config().geometry(), at);
        if known.own_distance == Some(said) {
            ClaimVerdict::Stale
        } else if known.told_distance == Some(said) || known.own_distance.is_none() {
            ClaimVerdict::Mistaken
        } else {
            ClaimVerdict::Lie
        }
    }

    fn judge_goal(&self, state: &State, at: Position, said: GoalBelief) -> ClaimVerdict {
        let geometry = state.config().geometry();
        let known = self.at(geometry, at);
        if (known.own_goal, said) == (GoalBelief::Goal, GoalBelief::NoGoal) {
            // The agent has covered this goal itself. For others, a covered field may look like one without a goal.
            return ClaimVerdict::Lie;
        }
        let is_true = match said {
            GoalBelief::Goal => goal_truth(state, at) != Truth::NoGoal,
            GoalBelief::NoGoal | GoalBelief::Unknown => goal_truth(state, at) != Truth::Goal,
        };
        if is_true {
            return ClaimVerdict::Honest;
        }
        if known.own_goal != GoalBelief::Unknown && known.own_goal != said {
            return ClaimVerdict::Lie;
        }
        // The goals of the teams mirror each other: an agent may conclude one from the other.
        let repeats = known.goal() == said || self.at(geometry, geometry.mirror(at)).goal() == said;
        if repeats || self.is_misled { ClaimVerdict::Mistaken } else { ClaimVerdict::Lie }
    }
}

#[cfg(test)]
mod tests {
    use game_env::{ByTeam, Seed, SimTime};

    use super::ClaimVerdict::{Honest, Lie, Mistaken, Stale};
    use super::*;

    /// Four columns, goal areas of one row, a goal of each team in a corner, three agents of red and one of blue.
    const BOARD: &str = "
        .  .  .  g
        R0 R1 R2 .
        .  .  .  .
        .  p  .  .
        .  .  .  .
        g  .  .  B3";

    fn at(place: (u16, u16)) -> usize {
        usize::from(place.1 * 4 + place.0)
    }

    /// Returns an answer of agent 1 to agent 0 with these claims alone.
    fn answer(
        agent: u16,
        by: u16,
        distances: &[((u16, u16), u16)],
        goals: &[((u16, u16), GoalBelief)],
    ) -> Event {
        let mut information = Information {
            distances: vec![None; 24],
            goals: ByTeam::new([vec![GoalBelief::Unknown; 4], vec![GoalBelief::Unknown; 4]]),
        };
        for (place, distance) in distances {
            information.distances[at(*place)] = Some(Distance::new(*distance));
        }
        for ((x, y), belief) in goals {
            let team = if *y == 5 { Team::Red } else { Team::Blue };
            information.goals[team][usize::from(*x)] = *belief;
        }
        let [agent, by] = [agent, by].map(AgentId::new);
        Event::Answered { agent, by, information: information.into() }
    }

    fn state(board: &str) -> State {
        State::from_board(board, Seed::new(1)).unwrap()
    }

    /// Returns the verdict on the last of these events, and on each of its claims.
    fn judge(state: &State, events: &[Event]) -> (ClaimVerdict, Vec<ClaimVerdict>) {
        let mut judge = ClaimJudge::new(4);
        let mut last = None;
        for event in events {
            let mut claims = Vec::new();
            let counts = judge.hear(state, event, |claim| claims.push(claim.verdict));
            last = counts.map(|counts| (counts, claims));
        }
        let (counts, claims) = last.expect("the last event is an answer");
        assert_eq!(counts.total(), claims.len() as u64);
        (counts.worst(), claims)
    }

    #[test]
    fn distances_are_compared_with_the_truth_and_with_what_was_measured() {
        let state = state(BOARD);
        let (one, here) = (AgentId::new(1), (1, 3));
        let measured = |distance| Event::Moved {
            agent: one,
            to: Position::new(1, 3),
            distance: Distance::new(distance),
        };
        let says = |distance| answer(0, 1, &[(here, distance)], &[]);
        let put = Event::Put { agent: one, result: PutResult::OnTaskField };
        let says_of_it = answer(0, 1, &[((1, 4), 0)], &[]);
        // The piece is a step away.
        let cases = [
            (Honest, "what is true", vec![measured(2), says(1)]),
            (Honest, "nothing at all", vec![measured(2), answer(0, 1, &[], &[])]),
            (Stale, "what was true when it was measured", vec![measured(2), says(2)]),
            (Lie, "something else than what was measured", vec![measured(2), says(3)]),
            (Mistaken, "a guess", vec![says(7)]),
            (Stale, "a piece that it put down, and that another has taken", vec![put, says_of_it]),
            (
                Mistaken,
                "what it was told falsely, although it had measured something else",
                vec![measured(2), answer(1, 2, &[(here, 9)], &[]), says(9)],
            ),
        ];
        for (expected, what, events) in cases {
            assert_eq!(judge(&state, &events).0, expected, "{what}");
        }
    }

    #[test]
    fn a_discovery_measures_all_fields_around() {
        let state = state(BOARD);
        let distances = Surroundings(std::array::from_fn(|place| {
            let place = u16::try_from(place).unwrap();
            (place != 8).then(|| Distance::new(40 + place))
        }));
        let discovered = Event::Discovered { agent: AgentId::new(1), distances };
        // Agent 1 stands on 1,4: south-west of it is 0,3, north of it 1,5, and its last reading is none.
        let says = answer(0, 1, &[((0, 3), 40), ((1, 5), 47), ((2, 5), 48), ((1, 4), 9)], &[]);
        let (_, mut claims) = judge(&state, &[discovered, says]);
        claims.sort_unstable();
        assert_eq!(claims, [Stale, Stale, Mistaken, Lie]);
    }

    #[test]
    fn goals_are_not_guessed() {
        use GoalBelief::{Goal, NoGoal};

        // Agent 1 stands on the goal of red, agent 2 beside it.
        let trying = state(
            ".  .  R2 gR1
             R0 .  .  .
             .  .  .  .
             .  p  .  .
             .  .  .  .
             g  .  .  B3",
        );
        let open = state(BOARD);
        let put = |agent, result| Event::Put { agent: AgentId::new(agent), result };
        let says = |place, belief| answer(0, 1, &[], &[(place, belief)]);
        let told = |place, belief| answer(1, 2, &[], &[(place, belief)]);
        let cases = [
            (Lie, "a goal that nothing founds", vec![says((1, 5), Goal)]),
            (Honest, "a goal that is one", vec![says((3, 5), Goal)]),
            (Lie, "no goal where there is one", vec![says((3, 5), NoGoal)]),
            (Honest, "no goal where there is none", vec![says((2, 0), NoGoal)]),
            (Mistaken, "a goal that it was told of falsely", vec![told((1, 5), Goal), says((1, 5), Goal)]),
            (
                Mistaken,
                "the mirror of a goal that it was told of falsely",
                vec![told((1, 5), Goal), says((2, 0), Goal)],
            ),
            (
                Mistaken,
                "what it may conclude from what it was told falsely",
                vec![told((1, 5), Goal), says((3, 5), NoGoal)],
            ),
        ];
        for (expected, what, events) in cases {
            assert_eq!(judge(&open, &events).0, expected, "{what}");
        }
        let found_none = |agent| put(agent, PutResult::OnNoGoal);
        let by_other = answer(0, 2, &[], &[((2, 5), Goal)]);
        assert_eq!(judge(&trying, &[found_none(2), by_other]).0, Lie, "a goal where it found none");
        let repeats = says((3, 5), NoGoal);
        assert_eq!(judge(&trying, &[found_none(1), repeats]).0, Mistaken, "its own finding");
        let denies = says((3, 5), Goal);
        assert_eq!(judge(&trying, &[found_none(1), denies]).0, Honest, "true, whatever the reason");
    }

    #[test]
    fn no_goal_any_more_is_true_for_all_but_the_agent_that_covered_it() {
        use game_env::Environment as _;

        let mut state = state(
            ".  R0 R2 gR1+p
             .  .  .  .
             .  .  .  .
             .  p  .  .
             .  .  .  .
             g  .  .  B3",
        );
        let mut events = Vec::new();
        state.step(SimTime::from_millis(0), AgentId::new(1), crate::Action::Put, &mut events);
        let mut events: Vec<Event> = events.into_iter().map(|(_, event)| event).collect();
        assert!(events.contains(&Event::Put { agent: AgentId::new(1), result: PutResult::OnGoal }));
        let truth = |x, y, content| {
            let claim = Claim { at: Position::new(x, y), content, verdict: Honest };
            claim.truth(&state)
        };
        let denied = ClaimContent::Goal(GoalBelief::NoGoal);
        assert_eq!([truth(3, 5, denied), truth(0, 0, denied)], [Truth::CoveredGoal, Truth::Goal]);
        assert_eq!(truth(1, 5, denied), Truth::NoGoal);
        let near = ClaimContent::Distance(Distance::new(9));
        assert_eq!(truth(1, 3, near), Truth::Distance(Distance::new(1)));
        let says = |by| answer(0, by, &[], &[((3, 5), GoalBelief::NoGoal)]);
        events.push(says(2));
        assert_eq!(judge(&state, &events).0, Honest);
        events.push(says(1));
        assert_eq!(judge(&state, &events).0, Lie);
    }

    #[test]
    fn agents_take_over_what_they_have_not_found_out_otherwise() {
        use GoalBelief::{Goal, NoGoal};

        // Agent 1 stands on the goal of red.
        let state = state(
            ".  .  R2 gR1
             R0 .  .  .
             .  .  .  .
             .  p  .  .
             .  .  .  .
             g  .  .  B3",
        );
        let mut judge = ClaimJudge::new(4);
        let one = AgentId::new(1);
        judge.hear(&state, &Event::Put { agent: one, result: PutResult::OnNoGoal }, |_| {});
        let mut claims = Vec::new();
        let event = answer(1, 2, &[((1, 3), 9)], &[((3, 5), Goal), ((2, 5), Goal), ((3, 0), NoGoal)]);
        judge.hear(&state, &event, |claim| claims.push(claim));
        let taken: Vec<(Position, ClaimContent)> = claims
            .iter()
            .filter(|claim| judge.takes_over(state.config().geometry(), one, claim))
            .map(|claim| (claim.at, claim.content))
            .collect();
        let field = Position::new;
        let expected = [
            (field(1, 3), ClaimContent::Distance(Distance::new(9))),
            (field(2, 5), ClaimContent::Goal(Goal)),
            (field(3, 0), ClaimContent::Goal(NoGoal)),
        ];
        assert_eq!((claims.len(), taken.len()), (4, 3), "all but the field that it has tried");
        assert!(expected.iter().all(|claim| taken.contains(claim)), "{taken:?}");
    }

    #[test]
    fn every_field_has_a_place_of_its_own() {
        for (columns, rows) in [(40, 40), (16, 17), (33, 5)] {
            let geometry = Geometry::new(columns, rows, 1).unwrap();
            let place = |field| Known::place(geometry, geometry.position(field));
            let places: std::collections::BTreeSet<_> = (0..geometry.fields()).map(place).collect();
            assert_eq!(places.len(), geometry.fields() as usize, "{columns}×{rows}");
        }
    }

    /// A hostile agent answers with lists of any length.
    #[test]
    fn entries_outside_the_board_are_no_claims() {
        let state = state(BOARD);
        let information = Information {
            distances: vec![Some(Distance::new(60_000)); 1_000],
            goals: ByTeam::new([vec![GoalBelief::Goal; 500], Vec::new()]),
        };
        let event =
            Event::Answered { agent: AgentId::new(0), by: AgentId::new(1), information: information.into() };
        let counts = ClaimJudge::new(4).hear(&state, &event, |_| {}).unwrap();
        assert_eq!((counts.of(Mistaken), counts.of(Honest)), (24, 1));
        assert_eq!((counts.of(Lie), counts.total()), (3, 28));
    }
}
