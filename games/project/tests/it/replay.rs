//! Replays of this game: complete, small, and with all answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use game_env::replay::{Completeness, Header, Playback, Writer};
use game_env::{
    AgentId, ByTeam, Choice, Disruption, Environment, Policy, Rollout, Seed, SimTime, Termination,
};
use game_project::policy::Random;
use game_project::{
    Action, Config, Distance, Event, Geometry, GoalBelief, Information, Observation, Position, PutResult,
    RawConfig, State, Team,
};

/// Plays at random, but asks, and answers every question.
struct Talkative {
    random: Random,
    turns: u16,
    /// Its claim about every field of red's goal area.
    claim: GoalBelief,
}

impl Talkative {
    fn new(seed: Seed, agent: AgentId, claim: GoalBelief) -> Self {
        Self { random: Random::new(seed, agent), turns: 0, claim }
    }
}

impl Policy<State> for Talkative {
    fn choose(&mut self, now: SimTime, agent: AgentId, seen: &Observation) -> Choice<Action> {
        self.turns += 1;
        if let Some(question) = seen.questions.first() {
            let claim = Information {
                distances: vec![None, Some(Distance::new(self.turns)), None],
                goals: ByTeam::new([vec![self.claim; 3], vec![GoalBelief::NoGoal; 2]]),
            };
            return Choice::Act(Action::Answer { to: question.by, information: Arc::new(claim) });
        }
        if self.turns.is_multiple_of(5) {
            let others = seen.briefing.game.teams.len();
            return Choice::Act(Action::Ask(AgentId::from_index((agent.index() + 1) % others)));
        }
        self.random.choose(now, agent, seen)
    }
}

type Recording = (Vec<u8>, Vec<(SimTime, Event)>, u64);

fn record(config: &Config, seed: Seed, disruptions: Vec<(SimTime, Disruption)>) -> Recording {
    record_with(config, seed, disruptions, GoalBelief::Goal)
}

fn record_with(
    config: &Config,
    seed: Seed,
    disruptions: Vec<(SimTime, Disruption)>,
    claim: GoalBelief,
) -> Recording {
    let mut state = State::new(config, seed);
    let mut policies: Vec<Talkative> =
        AgentId::all(state.agents()).map(|agent| Talkative::new(seed, agent, claim)).collect();
    let writer = Writer::in_memory::<State>(config, seed, "talkative", "tests 1.0");
    let mut recording = (writer, Vec::new());
    Rollout { disruptions, ..Rollout::default() }.play(&mut state, &mut policies, &mut recording);
    (recording.0.finish().unwrap(), recording.1, state.hash())
}

fn small() -> Config {
    let raw =
        RawConfig { board_x: 6, board_y: 8, goal_area_height: 2, number_of_goals: 2, ..RawConfig::default() };
    raw.check().unwrap()
}

#[test]
fn everything_that_happened_happens_again() {
    let lost = (SimTime::from_millis(30_000), Disruption::AgentLost(AgentId::new(3)));
    for seed in 0..5 {
        let (file, events, hash) = record(&small(), Seed::new(seed), vec![lost]);
        let mut playback = Playback::<State>::open(&file[..]).unwrap();
        let mut again = Vec::new();
        let summary = playback.run(&mut again).unwrap();
        assert_eq!(summary.completeness, Completeness::Complete);
        assert_eq!(again, events, "seed {seed}");
        assert_eq!(playback.state().hash(), hash);
        let told = |event: &Event| matches!(event, Event::Answered { information, .. } if !information.distances.is_empty());
        assert!(events.iter().filter(|(_, event)| told(event)).count() > 10, "answers are in it in full");
    }
}

/// The message names a program that still has the other rules.
#[test]
fn a_replay_of_other_rules_is_refused_with_the_program_that_reads_it() {
    let header = Header::new::<State>(&small(), Seed::new(0), Vec::new(), "tests 1.0");
    let former = serde_json::to_string(&header).unwrap().replacen("\"rules\":2", "\"rules\":1", 1);
    let error = Playback::<State>::open(former.as_bytes()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "the replay was played by version 1 of the rules of `project`, this program has version 2: \
         expected a replay of version 2, or the program that wrote this one, `tests 1.0`"
    );
}

/// The label of a claim about a field in a goal area, as the reader of a replay can give it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Label {
    Honest,
    Unfounded,
    Lie,
}

/// Reads every agent's knowledge of its goal area from its own puts, and labels each claim by it.
#[derive(Default)]
struct Labels {
    known: BTreeMap<(AgentId, Position), GoalBelief>,
    labelled: BTreeMap<Label, u32>,
    standing: BTreeMap<AgentId, Position>,
}

impl Labels {
    fn hear(&mut self, event: &Event, geometry: Geometry) {
        match event {
            Event::Moved { agent, to, .. } => {
                self.standing.insert(*agent, *to);
            }
            Event::Put { agent, result } => {
                let belief = match result {
                    PutResult::OnGoal => GoalBelief::Goal,
                    PutResult::OnNoGoal => GoalBelief::NoGoal,
                    PutResult::OnTaskField | PutResult::WasSham => return,
                };
                self.known.insert((*agent, self.standing[agent]), belief);
            }
            Event::Answered { by, information, .. } => {
                let rows = geometry.goal_area_start(Team::Red)..geometry.rows();
                let fields = rows.flat_map(|y| (0..geometry.columns()).map(move |x| Position::new(x, y)));
                for (at, claim) in fields.zip(&information.goals[Team::Red]) {
                    let label = match (self.known.get(&(*by, at)), claim) {
                        (_, GoalBelief::Unknown) => continue,
                        (Some(known), claim) if known == claim => Label::Honest,
                        (Some(_), _) => Label::Lie,
                        (None, _) => Label::Unfounded,
                    };
                    *self.labelled.entry(label).or_default() += 1;
                }
            }
            _ => {}
        }
    }
}

/// From the replay alone a reader learns the knowledge of the agent that answers, and so whether a claim is honest.
#[test]
fn claims_in_a_replay_can_be_labelled() {
    let config = RawConfig {
        board_x: 3,
        board_y: 3,
        goal_area_height: 1,
        number_of_goals: 2,
        sham_piece_probability: 0.0,
        ..RawConfig::default()
    };
    let config = config.check().unwrap();
    let labels = |claim: GoalBelief| {
        // Three fields, two of them goals: an agent that has tried one knows of one.
        let (file, ..) = record_with(&config, Seed::new(2), vec![], claim);
        let mut labels = Labels::default();
        let first = State::new(&config, Seed::new(2));
        labels.standing = AgentId::all(4).map(|agent| (agent, first.position(agent).unwrap())).collect();
        let mut listen = game_env::sink::Listen(|_, event: &Event| labels.hear(event, config.geometry()));
        Playback::<State>::open(&file[..]).unwrap().run(&mut listen).unwrap();
        labels.labelled
    };
    let [no_goal, goal] = [GoalBelief::NoGoal, GoalBelief::Goal].map(labels);
    // Both of the same game: what one claims honestly of a field that was tried, the other lies about.
    assert!(no_goal[&Label::Lie] > 0 && goal[&Label::Honest] > 0, "{no_goal:?} {goal:?}");
    assert_eq!(no_goal.get(&Label::Lie), goal.get(&Label::Honest));
    assert_eq!(no_goal.get(&Label::Unfounded), goal.get(&Label::Unfounded));
}

#[test]
fn other_numbers_of_agents_are_kept() {
    let config = small().seat(ByTeam::new([1, 2])).unwrap();
    let stop = (SimTime::from_millis(100_000), Disruption::Ended(Termination::Stopped));
    let (file, ..) = record(&config, Seed::new(3), vec![stop]);
    let mut playback = Playback::<State>::open(&file[..]).unwrap();
    playback.run(&mut ()).unwrap();
    assert_eq!(playback.state().config().agents()[Team::Red], 1);
    assert_eq!(playback.state().agents(), 3);
}

#[test]
fn ten_minutes_of_eight_agents_are_small() {
    let config = RawConfig { team_size: 4, ..RawConfig::default() }.check().unwrap();
    let stop = (SimTime::from_millis(600_000), Disruption::Ended(Termination::Stopped));
    let (file, events, _) = record(&config, Seed::new(1), vec![stop]);
    assert!(events.len() > 4000, "{} events", events.len());
    assert!(file.len() < 100_000, "{} bytes", file.len());
}
