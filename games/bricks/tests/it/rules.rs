//! The effect of each request, as a table.

use game_bricks::{Config, Observation, State};
use game_env::{
    AgentId, Choice, Disruption, Environment, Millis, Options, Policy, Rollout, Seed, SimTime, Termination,
    Turn,
};

fn begun(size: u16) -> State {
    State::new(&Config::new(size).unwrap(), Seed::new(0))
}

/// Serves `MS PLAYER BRICK` requests, and returns every event as a line.
fn play(state: &mut State, requests: &str) -> Vec<String> {
    let mut events: Vec<(SimTime, _)> = Vec::new();
    for request in requests.split(", ") {
        let [now, player, brick] = request.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let now = SimTime::from_millis(now.parse().unwrap());
        state.step(now, player.parse().unwrap(), brick.parse().unwrap(), &mut events);
    }
    events.iter().map(|(_, event)| event.to_string()).collect()
}

#[test]
fn players_put_bricks_in_turn_until_none_fits() {
    let mut state = begun(3);
    let events = play(&mut state, "0 #0 0x0_1x0, 0 #1 1x1_0x1, 0 #0 0x2_1x2, 0 #1 2x1_2x0");
    assert_eq!(
        events,
        ["#0 put 0x0_1x0", "#1 put 0x1_1x1", "#0 put 0x2_1x2", "#1 put 2x0_2x1", "over #1 normal"]
    );
    let Turn::Over(outcome) = state.turn() else { panic!("no brick fits") };
    assert_eq!((outcome.returns.points(), outcome.fault), (&[0, 1][..], None));
    assert_eq!(outcome.winner().map(|team| team.index()), Some(1));
}

#[test]
fn without_a_place_for_a_brick_the_one_who_begins_has_lost() {
    let cells = ["1x0", "0x1", "2x1", "1x2"].map(|cell| cell.parse().unwrap());
    let state = State::new(&Config::new(3).unwrap().filled(cells).unwrap(), Seed::new(0));
    let Turn::Over(outcome) = state.turn() else { panic!("no brick fits") };
    assert_eq!(outcome.winner(), Some(state.team(AgentId::new(1))));
    assert_eq!((outcome.termination, outcome.fault), (Termination::Normal, None));
    assert_eq!(state.ready(AgentId::new(0)), None);
}

/// A referee of 2018 compares columns or rows, not both.
#[test]
fn a_loose_game_takes_cells_that_are_one_apart_in_one_direction() {
    for (brick, is_taken) in [
        ("0x0_1x1", true),
        ("0x0_1x4", true),
        ("4x0_0x1", true),
        ("2x1_2x2", true),
        ("0x0_2x0", false),
        ("0x0_2x2", false),
        ("0x0_4x4", false),
        ("3x3_3x3", false),
        ("4x4_5x4", false),
    ] {
        let config = Config::new(5).unwrap().loose(true);
        let mut state = State::new(&config, Seed::new(0));
        let events = play(&mut state, &format!("0 #0 {brick}"));
        assert_eq!(events[0].starts_with("#0 put"), is_taken, "{brick}: {events:?}");
        if is_taken {
            let before = State::new(&config, Seed::new(0)).board().brick_count();
            assert!(state.board().brick_count() < before, "{brick}");
            assert_eq!(state.board().free_cells().count(), 23);
        }
    }
    let config = Config::new(3).unwrap();
    let [strict, loose] =
        [false, true].map(|is_loose| State::new(&config.clone().loose(is_loose), Seed::new(0)));
    assert_ne!(strict.hash(), loose.hash());
}

#[test]
fn a_brick_that_does_not_fit_loses() {
    for (brick, refusal) in [
        ("0x0_1x1", "apart"),
        ("0x0_2x0", "apart"),
        ("0x0_4x0", "apart"), // no torus
        ("4x0_0x1", "apart"),
        ("3x3_3x3", "apart"),
        ("4x4_5x4", "outside"),
        ("9x9_9x10", "outside"),
        ("1x2_2x2", "taken"),
        ("2x2_2x1", "taken"),
    ] {
        let mut state = begun(5);
        let events = play(&mut state, &format!("0 #0 2x2_3x2, 0 #1 {brick}"));
        assert_eq!(
            events[1..],
            [format!("#1 refused {} {refusal}", written(brick)), "over #0 illegal by #1".to_owned()]
        );
        assert_eq!(state.bricks().len(), 1);
    }
}

fn written(brick: &str) -> String {
    brick.parse::<game_bricks::Brick>().unwrap().to_string()
}

#[test]
fn a_request_out_of_turn_or_after_the_end_changes_nothing() {
    let mut state = begun(3);
    assert_eq!(
        play(&mut state, "0 #1 0x0_1x0, 0 #0 0x0_1x0, 0 #0 0x1_1x1"),
        ["#1 refused 0x0_1x0 not-your-turn", "#0 put 0x0_1x0", "#0 refused 0x1_1x1 not-your-turn"]
    );
    assert!(matches!(state.turn(), Turn::Act { agent, .. } if agent == AgentId::new(1)));
    play(&mut state, "0 #1 7x7_7x8");
    assert_eq!(play(&mut state, "0 #0 0x1_1x1"), ["#0 refused 0x1_1x1 over"]);
}

/// The time of a move begins with the opponent's move, and its last moment is in time.
#[test]
fn each_move_has_its_own_time() {
    let mut state = begun(5);
    assert_eq!(play(&mut state, "500 #0 0x0_1x0, 900 #1 0x1_1x1").len(), 2);
    let until = SimTime::from_millis(1400);
    assert_eq!(
        state.turn(),
        Turn::Act { agent: AgentId::new(0), from: SimTime::from_millis(900), until: Some(until) }
    );
    let mut seen = Observation::default();
    state.observe(AgentId::new(0), &mut seen);
    assert_eq!(seen.until, Some(until));
    // A request out of turn takes no time from the mover and gives it none.
    play(&mut state, "1000 #1 4x4_3x4");
    assert!(matches!(state.turn(), Turn::Act { until: Some(moment), .. } if moment == until));
    assert_eq!(play(&mut state.clone(), "1400 #0 0x2_1x2"), ["#0 put 0x2_1x2"]);
    assert_eq!(play(&mut state, "1401 #0 0x2_1x2"), ["#0 refused 0x2_1x2 late", "over #1 time by #0"]);
}

#[test]
fn without_a_limit_a_move_may_take_any_time() {
    let mut state = State::new(&Config::new(5).unwrap().move_limit(None), Seed::new(0));
    assert!(matches!(state.turn(), Turn::Act { until: None, .. }));
    assert_eq!(play(&mut state, "86400000 #0 0x0_1x0"), ["#0 put 0x0_1x0"]);
}

#[test]
fn a_player_that_gives_up_loses() {
    let loser = AgentId::new(1);
    for (disruption, text) in [
        (Disruption::AgentLost(loser), "over #0 agent-lost by #1"),
        (Disruption::DeadlineMissed(loser), "over #0 time by #1"),
        (Disruption::Forfeited(loser, Termination::Protocol), "over #0 protocol by #1"),
        (Disruption::Ended(Termination::Stopped), "over nobody stopped"),
    ] {
        let mut state = begun(5);
        play(&mut state, "0 #0 0x0_1x0");
        let mut events: Vec<(SimTime, _)> = Vec::new();
        state.disrupt(SimTime::START, disruption, &mut events);
        assert_eq!(events[0].1.to_string(), text);
    }
}

/// A driver ends the game if a mover exceeds its time.
#[test]
fn a_rollout_ends_the_time_of_a_move() {
    struct Sleeper;
    impl Policy<State> for Sleeper {
        fn choose(
            &mut self,
            now: SimTime,
            player: AgentId,
            seen: &Observation,
        ) -> Choice<game_bricks::Brick> {
            // Player 1 waits past its limit once at most six bricks fit.
            if player == AgentId::new(1) && seen.board.brick_count() <= 6 && Some(now) < seen.until {
                return Choice::Wait(seen.until.unwrap() + Millis::new(1));
            }
            let mut bricks = Vec::new();
            seen.options(&mut bricks);
            Choice::Act(bricks[0])
        }
    }
    let mut state = begun(5);
    let episode = Rollout::default().play(&mut state, &mut [Sleeper, Sleeper], &mut ());
    assert_eq!(episode.outcome.termination, Termination::Time);
    assert_eq!(episode.outcome.fault, Some(AgentId::new(1)));
    assert_eq!(episode.time, SimTime::from_millis(500));
}
