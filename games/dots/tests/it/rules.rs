//! The effect of each request, as a table.

use game_dots::{Config, Observation, State};
use game_env::{AgentId, Disruption, Environment, Options as _, Seed, SimTime, Termination, Turn};

/// A game on 3×3 dots in which player 0 begins.
pub(crate) fn begun() -> State {
    let grid = Config::new(3, 3).unwrap();
    let begins = |seed: &u64| State::new(&grid, Seed::new(*seed)).mover() == AgentId::new(0);
    State::new(&grid, Seed::new((0..).find(begins).unwrap()))
}

/// Serves `PLAYER EDGE` requests, and returns every event as a line.
fn play(state: &mut State, requests: &str) -> Vec<String> {
    let mut events = Vec::new();
    for request in requests.split(", ") {
        let (player, edge) = request.split_once(' ').unwrap();
        state.step(SimTime::START, player.parse().unwrap(), edge.parse().unwrap(), &mut events);
    }
    events.iter().map(|(_, event)| event.to_string()).collect()
}

#[test]
fn players_move_in_turn_and_again_after_a_box() {
    let mut state = begun();
    let events = play(&mut state, "#0 0-1, #1 0-3, #0 1-4, #1 3-4, #1 4-5, #0 1-2");
    assert_eq!(
        events,
        ["#0 drew 0-1", "#1 drew 0-3", "#0 drew 1-4", "#1 drew 3-4 box 0", "#1 drew 4-5", "#0 drew 1-2"]
    );
    assert_eq!(
        (state.points(), state.owner(0), state.mover()),
        ([0, 1], Some(AgentId::new(1)), AgentId::new(1))
    );
}

#[test]
fn one_edge_can_complete_two_boxes() {
    let mut state = begun();
    let events = play(&mut state, "#0 0-1, #1 0-3, #0 3-4, #1 1-2, #0 2-5, #1 4-5, #0 1-4");
    assert_eq!(events.last().unwrap(), "#0 drew 1-4 box 0 box 1");
    assert_eq!((state.points(), state.mover()), ([2, 0], AgentId::new(0)));
}

#[test]
fn refusals_change_nothing() {
    let mut state = begun();
    play(&mut state, "#0 0-1");
    let before = state.clone();
    assert_eq!(
        play(&mut state, "#0 1-2, #1 0-1, #1 2-3, #1 0-2, #1 0-4, #1 8-9, #1 65534-65535"),
        [
            "#0 refused 1-2 not-your-turn",
            "#1 refused 0-1 drawn",
            "#1 refused 2-3 no-edge", // across the end of a row
            "#1 refused 0-2 no-edge",
            "#1 refused 0-4 no-edge",
            "#1 refused 8-9 no-edge",
            "#1 refused 65534-65535 no-edge",
        ]
    );
    assert_eq!(state, before);
}

#[test]
fn both_players_see_lines_boxes_and_whose_turn_it_is() {
    let mut state = begun();
    play(&mut state, "#0 0-1, #1 0-3, #0 1-4, #1 3-4");
    for player in AgentId::all(2) {
        let (mut seen, mut options) = (Observation::default(), Vec::new());
        state.observe(player, &mut seen);
        assert_eq!((seen.player, seen.mover, seen.points), (player, AgentId::new(1), [0, 1]));
        assert_eq!([0, 1, 3, 4].map(|corner| seen.drawn_around(corner)), [4, 1, 1, 0]);
        assert_eq!([0, 1, 3, 4].map(|corner| seen.owner(corner)), [Some(AgentId::new(1)), None, None, None]);
        let edge = |text: &str| text.parse().unwrap();
        assert_eq!(["1-4", "4-5", "6-9"].map(|text| seen.is_drawn(edge(text))), [true, false, false]);
        assert_eq!(seen.boxes_beside(edge("1-4")).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(seen.boxes_beside(edge("0-1")).collect::<Vec<_>>(), [0]);
        seen.options(&mut options);
        assert_eq!(options.len(), if player == seen.mover { 8 } else { 0 });
    }
}

#[test]
fn more_boxes_win_and_equal_numbers_tie() {
    // The last edge of each chain decides; on one box the second player of an even number of edges takes it.
    let grid = Config::new(2, 2).unwrap();
    let mut state = State::new(&grid, Seed::new(0));
    let (first, second) = (state.mover(), AgentId::from_index(1 - state.mover().index()));
    let events = play(&mut state, &format!("{first} 0-1, {second} 0-2, {first} 1-3, {second} 2-3"));
    let points = if second.index() == 1 { "0:1" } else { "1:0" };
    assert_eq!(events[3..], [format!("{second} drew 2-3 box 0"), format!("over {second} normal {points}")]);
    assert_eq!(play(&mut state, &format!("{first} 0-1")), [format!("{first} refused 0-1 over")]);
    let Turn::Over(outcome) = state.turn() else { panic!("all edges are drawn") };
    assert_eq!((outcome.winner().map(|team| team.index()), outcome.fault), (Some(second.index()), None));
    // Of two boxes, each player takes one.
    let mut state = State::new(&Config::new(2, 3).unwrap(), Seed::new(0));
    let (first, second) = (state.mover(), AgentId::from_index(1 - state.mover().index()));
    let moves = format!(
        "{first} 0-1, {second} 3-4, {first} 0-3, {second} 1-2, {first} 1-4, {first} 4-5, {second} 2-5"
    );
    assert_eq!(play(&mut state, &moves).last().unwrap(), "over nobody normal 1:1");
}

#[test]
fn a_player_that_gives_up_loses_whatever_its_points() {
    let loser = AgentId::new(1);
    for (disruption, text) in [
        (Disruption::AgentLost(loser), "over #0 agent-lost 0:1 by #1"),
        (Disruption::DeadlineMissed(loser), "over #0 time 0:1 by #1"),
        (Disruption::Forfeited(loser, Termination::Crash), "over #0 crash 0:1 by #1"),
        (Disruption::Ended(Termination::Stopped), "over nobody stopped 0:1"),
    ] {
        let mut state = begun();
        play(&mut state, "#0 0-1, #1 0-3, #0 1-4, #1 3-4");
        let mut events: Vec<(SimTime, _)> = Vec::new();
        state.disrupt(SimTime::START, disruption, &mut events);
        assert_eq!(events[0].1.to_string(), text);
        assert!(matches!(state.turn(), Turn::Over(outcome) if outcome.returns.points() == [0, 1]));
    }
}

#[test]
fn the_seed_draws_who_begins() {
    let first = |seed| State::new(&Config::default(), Seed::new(seed)).mover().index();
    let begun: usize = (0..1000).map(first).sum();
    assert!((450..550).contains(&begun), "player 1 begins {begun} of 1000 games");
}
