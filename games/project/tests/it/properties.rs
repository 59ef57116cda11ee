//! The properties that hold after every request, for every configuration, agent and request.

use std::collections::BTreeSet;
use std::sync::Arc;

use game_env::{
    AgentId, ByTeam, Disruption, Environment, Latency, Limits, Millis, Rollout, Seed, SimTime, Termination,
    Turn,
};
use game_project::policy::Random;
use game_project::{
    Action, Area, Config, Direction, Distance, Event, GoalBelief, Information, Position, PutResult,
    RawConfig, Refusal, State, Surroundings, Team,
};
use proptest::prelude::*;

/// Configurations small enough that agents meet, and of every shape.
pub(crate) fn configs() -> impl Strategy<Value = Config> {
    let board = (1i64..9, 1i64..4, 1i64..6).prop_flat_map(|(columns, goal_rows, task_rows)| {
        let rows = 2 * goal_rows + task_rows;
        let most_agents = ((columns * rows - 1) / 2).min(6);
        (Just((columns, rows, goal_rows)), 1..=columns * goal_rows, 1..=most_agents)
    });
    let penalty = || prop_oneof![Just(0i64), 0i64..40, 100i64..2000];
    let rules = (1i64..130, 0.0..=1.0f64, any::<bool>(), [penalty(), penalty(), penalty(), penalty()]);
    (board, rules, any::<prop::sample::Index>(), any::<prop::sample::Index>()).prop_map(
        |(((board_x, board_y, goal_area_height), number_of_goals, team_size), rules, red, blue)| {
            let (number_of_pieces, sham_piece_probability, landing_pick_up, penalties) = rules;
            let [move_penalty, discovery_penalty, put_penalty, pick_up_penalty] = penalties;
            let raw = RawConfig {
                board_x,
                board_y,
                goal_area_height,
                number_of_goals,
                number_of_pieces,
                team_size,
                sham_piece_probability,
                landing_pick_up,
                move_penalty,
                discovery_penalty,
                put_penalty,
                pick_up_penalty,
                ..RawConfig::default()
            };
            let config = raw.check().unwrap();
            let most = usize::from(config.team_size());
            // Mostly full teams, now and then an empty one.
            let seat = |index: prop::sample::Index| {
                u16::try_from(most - index.index(4 * most + 1) % (most + 1)).unwrap()
            };
            let [red, blue] = [red, blue].map(seat);
            // One of them has an agent.
            let red = red.max(u16::from(blue == 0));
            config.seat(ByTeam::new([red, blue])).unwrap()
        },
    )
}

/// A request, sensible or not, or a loss.
#[derive(Clone, Debug)]
enum Input {
    Request(Action),
    Lost,
}

fn inputs() -> impl Strategy<Value = (Input, prop::sample::Index, u64)> {
    let agent = || (0u16..14).prop_map(AgentId::new);
    let information = (0usize..5, 0usize..3).prop_map(|(distances, goals)| {
        Arc::new(Information {
            distances: vec![Some(Distance::new(3)); distances],
            goals: ByTeam::new([vec![GoalBelief::Goal; goals], vec![]]),
        })
    });
    let action = prop_oneof![
        8 => prop::sample::select(Direction::ALL.to_vec()).prop_map(Action::Move),
        1 => Just(Action::Discover),
        4 => Just(Action::PickUp),
        4 => Just(Action::Put),
        1 => Just(Action::Check),
        1 => Just(Action::Destroy),
        1 => agent().prop_map(Action::Ask),
        2 => (agent(), information).prop_map(|(to, information)| Action::Answer { to, information }),
    ];
    let input = prop_oneof![60 => action.prop_map(Input::Request), 1 => Just(Input::Lost)];
    (input, any::<prop::sample::Index>(), prop_oneof![Just(0u64), 0u64..100, 0u64..3000])
}

/// The invariants of the specification.
fn check_state(state: &State) {
    let config = state.config();
    let geometry = config.geometry();
    let setup = state.setup();
    let in_hand = setup.agents.iter().filter(|agent| agent.hand.is_some()).count();
    assert_eq!(
        setup.pieces.len() + in_hand,
        config.pieces() as usize,
        "the number of pieces in play is constant"
    );
    assert!(
        setup.pieces.iter().all(|(at, _)| geometry.area(*at) == Area::Task),
        "pieces lie in the task area"
    );
    let fields: BTreeSet<_> = setup.agents.iter().map(|agent| agent.position).collect();
    assert_eq!(fields.len(), setup.agents.len(), "no two agents stand on a field");
    for agent in &setup.agents {
        assert_ne!(
            geometry.area(agent.position),
            Area::Goal(agent.team.opponent()),
            "nobody is in the enemy's goal area"
        );
    }
    for team in Team::ALL {
        assert_eq!(setup.covered[team].len() + setup.goals[team].len(), config.goals() as usize);
        let complete = setup.goals[team].is_empty();
        let won = matches!(state.turn(), Turn::Over(outcome)
            if outcome.winner() == Some(team.into()) && outcome.termination == Termination::Normal);
        assert_eq!(complete, won, "who has covered all goals has won");
    }
}

/// The definition: the least Manhattan distance to a piece on the board.
fn nearest(state: &State, x: i32, y: i32) -> Distance {
    let far = |at: &Position| (i32::from(at.x) - x).unsigned_abs() + (i32::from(at.y) - y).unsigned_abs();
    let least = state.setup().pieces.iter().map(|(at, _)| far(at)).min();
    least.map_or(Distance::INFINITE, |moves| Distance::new(u16::try_from(moves).unwrap()))
}

/// Checks the content of events against the state after them.
fn check_events(before: &State, after: &State, agent: AgentId, events: &[(SimTime, Event)]) {
    // A charged agent has another place in the queue, even if its lock has no length.
    let ready = after.ready(agent).filter(|ready| before.ready(agent) != Some(*ready));
    let locks = events.iter().filter_map(|(at, event)| event.lock(*at, after.config().penalties()));
    let locks: Vec<(AgentId, SimTime)> = locks.map(|lock| (lock.agent, lock.until)).collect();
    match ready {
        Some(ready) => assert_eq!(locks, [(agent, ready.at)]),
        // Nobody is ready after the end.
        None => assert!(locks.is_empty() || matches!(after.turn(), Turn::Over(_)), "{locks:?}"),
    }
    for (_, event) in events {
        match event {
            Event::Moved { agent, to, distance } => {
                assert_eq!(after.position(*agent), Some(*to));
                assert_eq!(
                    *distance,
                    nearest(after, i32::from(to.x), i32::from(to.y)),
                    "the distance told is the true one"
                );
                assert_eq!(before.position(*agent).map(|from| from.moves_to(*to)), Some(1));
            }
            Event::Refused { refusal, .. } => {
                assert_eq!(before.setup(), after.setup(), "a refusal changes nothing on the board");
                if refusal.is_free() {
                    assert_eq!(before.ready(agent), after.ready(agent), "{refusal} costs nothing");
                }
            }
            Event::Discovered { agent, distances } => {
                let own = after.position(*agent).unwrap();
                for (east, north) in Surroundings::OFFSETS {
                    let (x, y) = (i32::from(own.x) + i32::from(east), i32::from(own.y) + i32::from(north));
                    let field =
                        u16::try_from(x).ok().zip(u16::try_from(y).ok()).map(|(x, y)| Position::new(x, y));
                    let on_board = field.is_some_and(|at| after.config().geometry().contains(at));
                    assert_eq!(
                        distances.at(east, north),
                        on_board.then(|| nearest(after, x, y)),
                        "{east}, {north}"
                    );
                }
            }
            Event::Landed { agent } => {
                assert!(after.config().landing_pick_up());
                assert!(after.hand(*agent).is_some());
            }
            Event::Put { agent, result: PutResult::OnGoal } => {
                let team = after.briefing(*agent).team;
                assert_eq!(after.points()[team], before.points()[team] + 1);
            }
            _ => {}
        }
    }
}

proptest! {
    /// Any requests in any order, at any time.
    #[test]
    fn the_invariants_hold_under_any_requests(
        config in configs(),
        seed in any::<u64>(),
        inputs in prop::collection::vec(inputs(), 1..200),
    ) {
        let mut state = State::new(&config, Seed::new(seed));
        prop_assume!(state.agents() > 0);
        check_state(&state);
        let mut now = SimTime::START;
        let mut scored = ByTeam::<u32>::default();
        for (input, agent, pause) in inputs {
            now += Millis::new(u32::try_from(pause).unwrap());
            let agent = AgentId::from_index(agent.index(state.agents()));
            let before = state.clone();
            let mut events = Vec::new();
            match input {
                Input::Request(action) => state.step(now, agent, action, &mut events),
                Input::Lost => state.disrupt(now, Disruption::AgentLost(agent), &mut events),
            }
            check_state(&state);
            check_events(&before, &state, agent, &events);
            for (_, event) in &events {
                if let Event::Put { agent, result: PutResult::OnGoal } = event {
                    scored[state.briefing(*agent).team] += 1;
                }
            }
            prop_assert_eq!(state.points(), scored, "points are goals that were covered");
            prop_assert!(events.iter().all(|(at, _)| *at == now));
        }
    }

    /// Rollouts of random play: time never runs back, nobody is asked too early, and both loops agree.
    #[test]
    fn rollouts_keep_time(config in configs(), seed in any::<u64>(), delay in 0u32..300) {
        let seed = Seed::new(seed);
        let agents = State::new(&config, seed).agents();
        let play = |rollout: &Rollout| {
            let mut events: Vec<(SimTime, Event)> = Vec::new();
            let mut policies: Vec<Random> =
                AgentId::all(agents).map(|agent| Random::new(seed, agent)).collect();
            let episode = rollout.play(&mut State::new(&config, seed), &mut policies, &mut events);
            (episode, events)
        };
        let limits = Limits { steps: 400, ..Limits::default() };
        let (episode, events) = play(&Rollout { limits, ..Rollout::default() });
        prop_assert!(events.windows(2).all(|pair| pair[0].0 <= pair[1].0), "time runs back");
        prop_assert!(events.last().is_none_or(|(at, _)| *at <= episode.time));
        let premature = |events: &[(SimTime, Event)]| {
            let early = |event: &Event| matches!(event, Event::Refused { refusal: Refusal::TooEarly(_), .. });
            events.iter().filter(|(_, event)| early(event)).count()
        };
        prop_assert_eq!(premature(&events), 0, "a rollout knows when agents are ready");
        let never = (SimTime::from_millis(u64::MAX - 1), Disruption::Ended(Termination::Stopped));
        let by_schedule = Rollout { limits, disruptions: vec![never], ..Rollout::default() };
        prop_assert_eq!(&play(&by_schedule), &(episode, events));
        let latency = Latency::drawn(seed, vec![(Millis::ZERO, Millis::new(delay)); agents]);
        let late = Rollout { limits, latency, ..Rollout::default() };
        let (first, second) = (play(&late), play(&late));
        prop_assert_eq!(premature(&first.1), 0);
        prop_assert_eq!(first, second);
    }
}
