//! Open questions: an asker has a bounded number of them.

use game_env::{AgentId, Environment, Seed, SimTime};
use game_project::{Action, Event, Observation, RawConfig, Refusal, State};

/// As many as the book's page "Asking again" says.
const MOST_OPEN: u16 = 256;

/// A game in which questions cost nothing and nobody must answer.
fn game(team_size: u16) -> State {
    let raw = RawConfig {
        board_x: 60,
        board_y: 60,
        team_size: team_size.into(),
        information_exchange_penalty: 0,
        leader_binds: false,
        ..RawConfig::default()
    };
    State::new(&raw.check().unwrap(), Seed::new(1))
}

fn step(state: &mut State, agent: u16, action: Action) -> Event {
    let mut events: Vec<(SimTime, Event)> = Vec::new();
    state.step(SimTime::START, AgentId::new(agent), action, &mut events);
    events.remove(0).1
}

fn ask(state: &mut State, agent: u16, asked: u16) -> Event {
    step(state, agent, Action::Ask(AgentId::new(asked)))
}

fn answer(state: &mut State, agent: u16, to: u16) -> Event {
    step(state, agent, Action::Answer { to: AgentId::new(to), information: Default::default() })
}

fn questions(state: &State, agent: u16) -> usize {
    let mut seen = Observation::default();
    state.observe(AgentId::new(agent), &mut seen);
    seen.questions.len()
}

#[test]
fn the_oldest_question_of_too_many_is_dropped() {
    let mut state = game(150);
    for asked in 1..=MOST_OPEN + 1 {
        assert!(matches!(ask(&mut state, 0, asked), Event::Asked { .. }), "#{asked}");
    }
    let open: Vec<usize> = (1..=MOST_OPEN + 1).map(|agent| questions(&state, agent)).collect();
    assert_eq!((open[0], open[1..].iter().sum::<usize>()), (0, MOST_OPEN.into()));
    assert!(matches!(answer(&mut state, 1, 0), Event::Refused { refusal: Refusal::NotAsked, .. }));
    // An answer makes room for another question, and nothing is dropped for it.
    assert!(matches!(answer(&mut state, 2, 0), Event::Answered { .. }));
    assert!(matches!(ask(&mut state, 0, 1), Event::Asked { .. }));
    assert_eq!((questions(&state, 1), questions(&state, 3)), (1, 1));
    // The question that is asked again is open already.
    assert!(matches!(ask(&mut state, 0, 3), Event::AskedAgain { .. }));
    assert_eq!(questions(&state, 4), 1);
}

#[test]
fn agents_that_all_ask_each_other_have_a_bounded_number_of_questions() {
    const AGENTS: u16 = 400;
    let mut state = game(AGENTS / 2);
    for agent in 0..AGENTS {
        for asked in (0..AGENTS).filter(|asked| *asked != agent) {
            ask(&mut state, agent, asked);
        }
    }
    let open: usize = (0..AGENTS).map(|agent| questions(&state, agent)).sum();
    assert_eq!(open, usize::from(AGENTS) * usize::from(MOST_OPEN));
}
