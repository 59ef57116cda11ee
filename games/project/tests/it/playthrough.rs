//! One game, move by move: a change of the rules is reviewed as a diff of its text.

use std::fmt::Write as _;
use std::sync::Arc;

use game_env::{AgentId, Chance, Choice, Environment, Notation, Policy, Rollout, Seed, SimTime, Witness};
use game_project::{
    Action, Config, Direction, Distance, Event, Information, Observation, RawConfig, State, Team,
};

/// Writes all events down, and the board from time to time.
struct Scribe {
    text: String,
    steps: u32,
}

impl Witness<State> for Scribe {
    fn event(&mut self, _: SimTime, event: &Event) {
        writeln!(self.text, "                {event}").unwrap();
    }

    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        if self.steps.is_multiple_of(25) {
            writeln!(self.text, "\n{}hash {:016x}\n", state.scene(), state.hash()).unwrap();
        }
        self.steps += 1;
        writeln!(self.text, "{:>9}  {agent} {action}", now.to_string()).unwrap();
    }

    fn end(&mut self, state: &State, _: SimTime) {
        writeln!(self.text, "\n{}hash {:016x}", state.scene(), state.hash()).unwrap();
    }
}

/// Carries the pieces that it finds to its goal area, and tries every other action on the way, mistakes included.
pub(crate) struct Wanderer {
    chance: Chance,
    on_piece: bool,
}

impl Wanderer {
    pub(crate) fn new(chance: Chance) -> Self {
        Self { chance, on_piece: false }
    }
}

impl Policy<State> for Wanderer {
    fn choose(&mut self, _: SimTime, agent: AgentId, seen: &Observation) -> Choice<Action> {
        let team = seen.briefing.team;
        let home = match team {
            Team::Red => Direction::North,
            Team::Blue => Direction::South,
        };
        let rows = seen.briefing.game.config.geometry().rows();
        let at_home = seen.position.y == if team == Team::Red { rows - 1 } else { 0 };
        Choice::Act(match (self.chance.below(12), seen.questions.first()) {
            (2.., Some(question)) => {
                let information =
                    Arc::new(Information { distances: vec![None; 3], ..Information::default() });
                Action::Answer { to: question.by, information }
            }
            (0, _) => Action::Discover,
            (1, _) => Action::Ask(AgentId::from_index(self.chance.index(4))),
            (2, _) => Action::Check,
            (3, _) => Action::Destroy,
            (4..7, _) => Action::Move(Direction::ALL[self.chance.index(4)]),
            _ if seen.holding && at_home => Action::Put,
            _ if seen.holding => Action::Move(home),
            _ if self.on_piece => Action::PickUp,
            _ if at_home => Action::Move(home.opposite()),
            _ => Action::Move(Direction::ALL[(agent.index() + self.chance.index(2)) % 4]),
        })
    }

    fn hear(&mut self, _: SimTime, _: AgentId, event: &Event) {
        if let Event::Moved { distance, .. } = event {
            self.on_piece = *distance == Distance::new(0);
        }
    }
}

pub(crate) fn config() -> Config {
    let raw = RawConfig {
        board_x: 5,
        board_y: 6,
        goal_area_height: 1,
        number_of_goals: 2,
        number_of_pieces: 4,
        sham_piece_probability: 0.4,
        ..RawConfig::default()
    };
    raw.check().unwrap()
}

fn play(seed: Seed) -> String {
    let config = config();
    let mut scribe = Scribe { text: format!("config {}\nseed {seed}\n", config.parameters()), steps: 0 };
    let mut state = State::new(&config, seed);
    let mut policies: Vec<Wanderer> =
        AgentId::all(state.agents()).map(|agent| Wanderer::new(seed.agent(agent))).collect();
    Rollout::default().play(&mut state, &mut policies, &mut scribe);
    scribe.text
}

/// The kinds of events of a game; the seed below shows all of them in few moves.
const EVERYTHING: [&str; 17] = [
    "moved",
    "discovered",
    "picked-up",
    "on-goal",
    "on-no-goal",
    "was-sham",
    "checked sham",
    "checked real",
    "destroyed",
    "must-answer",
    "may-answer",
    "answered-by",
    "landed",
    "appeared",
    "refused move occupied",
    "leader-waits",
    "over",
];

#[test]
fn a_game_is_played_as_it_always_was() {
    let text = play(Seed::new(1392));
    let missing: Vec<_> = EVERYTHING.into_iter().filter(|word| !text.contains(word)).collect();
    assert!(missing.is_empty(), "the playthrough shows no {missing:?}");
    insta::assert_snapshot!(text);
}
