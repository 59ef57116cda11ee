//! Replays of this game: complete, small, and with everything that was said.

use std::sync::Arc;

use game_env::replay::{Completeness, Header, Playback, Player, Writer};
use game_env::{
    AgentId, ByTeam, Choice, Disruption, Environment, Policy, Rollout, Seed, SimTime, TeamId, Termination,
};
use game_project::policy::Random;
use game_project::{
    Action, Config, Distance, Event, GoalBelief, Information, Observation, RawConfig, State, Team,
};

/// Plays at random, but asks, and answers whoever asks.
pub(crate) struct Talkative {
    random: Random,
    turns: u16,
}

impl Talkative {
    pub(crate) fn new(seed: Seed, agent: AgentId) -> Self {
        Self { random: Random::new(seed, agent), turns: 0 }
    }
}

impl Policy<State> for Talkative {
    fn choose(&mut self, now: SimTime, agent: AgentId, seen: &Observation) -> Choice<Action> {
        self.turns += 1;
        if let Some(question) = seen.questions.first() {
            let claim = Information {
                distances: vec![None, Some(Distance::new(self.turns)), None],
                goals: ByTeam::new([vec![GoalBelief::Goal], vec![GoalBelief::NoGoal; 2]]),
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

fn record(
    config: &Config,
    seed: Seed,
    disruptions: Vec<(SimTime, Disruption)>,
) -> (Vec<u8>, Vec<(SimTime, Event)>, u64) {
    let mut state = State::new(config, seed);
    let agents = AgentId::all(state.agents());
    let player = |agent| Player { team: state.team(agent), name: "talkative".to_owned() };
    let header = Header::new::<State>(config, seed, agents.clone().map(player).collect(), "tests 1.0");
    let mut policies: Vec<Talkative> = agents.map(|agent| Talkative::new(seed, agent)).collect();
    let mut recording = (Writer::new(Vec::new(), &header).unwrap(), Vec::new());
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

/// From the events alone a reader knows what every agent was ever told, and so whether a claim is honest.
#[test]
fn what_an_agent_was_told_can_be_rebuilt_from_the_replay() {
    let (file, events, _) = record(&small(), Seed::new(1), vec![]);
    let mut told = Vec::new();
    Playback::<State>::open(&file[..]).unwrap().run(&mut told).unwrap();
    let of = |events: &[(SimTime, Event)], agent: AgentId| -> Vec<String> {
        let own = |event: &Event| game_env::Addressed::audience(event).includes(agent, TeamId::new(0));
        events.iter().filter(|(_, event)| own(event)).map(|(at, event)| format!("{at} {event}")).collect()
    };
    for agent in AgentId::all(4) {
        assert_eq!(of(&told, agent), of(&events, agent));
    }
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
