//! The effect of each request.

use game_conveyor::{Action, Answer, Board, Config, Direction, Event, Field, Observation, Place, State};
use game_env::{
    AgentId, Disruption, Environment, Measured, Metrics, Seed, SimTime, Termination, Turn, Witness,
};

const STEPPER: AgentId = AgentId::new(0);
const TURNER: AgentId = AgentId::new(1);

fn begun(config: Config) -> State {
    State::new(&config, Seed::new(5))
}

/// Serves `PLAYER ACTION` requests, and returns every event.
fn serve(state: &mut State, requests: &str) -> Vec<(SimTime, Event)> {
    let mut events = Vec::new();
    for request in requests.split(", ") {
        let (player, action) = request.split_once(' ').unwrap();
        state.step(SimTime::START, player.parse().unwrap(), action.parse().unwrap(), &mut events);
    }
    events
}

/// Serves `PLAYER ACTION` requests, and returns every event as a line.
fn play(state: &mut State, requests: &str) -> Vec<String> {
    serve(state, requests).iter().map(|(_, event)| event.to_string()).collect()
}

/// Serves `PLAYER ACTION` requests, and returns their figures.
fn measure(state: &mut State, requests: &str) -> Metrics {
    let mut meter = state.meter();
    serve(state, requests).iter().for_each(|(at, event)| meter.event(*at, event));
    state.metrics(&meter)
}

fn seen(state: &State, player: AgentId) -> Observation {
    let mut seen = Observation::default();
    state.observe(player, &mut seen);
    seen
}

fn find(board: &Board, is: impl Fn(Place, Field) -> bool) -> Place {
    board.config().places().find(|place| is(*place, board.field(*place))).unwrap()
}

/// A place of a board for both players on which nothing happens.
fn normal(board: &Board) -> Place {
    find(board, |_, field| field == Field::Normal)
}

/// A game on a board with a row of normal fields, and that row.
fn free_row(config: Config) -> (State, u8) {
    let state = begun(config);
    let is_free = |row: &u8| {
        (1..=config.columns()).all(|column| state.board().field(Place::new(column, *row)) == Field::Normal)
    };
    let row = (1..=config.rows()).find(is_free).unwrap();
    (state, row)
}

#[test]
fn the_first_player_steps_to_the_neighbours() {
    let (state, row) = free_row(Config::new(2, 40).unwrap());
    let start = Place::new(1, row);
    let mut state = state.at([start, start], Direction::Up);
    assert_eq!(play(&mut state, "#0 step right"), ["#0 step right".to_owned(), format!("#0 at 2,{row}")]);
    assert_eq!(play(&mut state, "#0 step right"), ["#0 refused step right off-board"]);
    assert_eq!(play(&mut state, "#0 step left"), ["#0 step left".to_owned(), format!("#0 at 1,{row}")]);
    assert_eq!(play(&mut state, "#0 step left"), ["#0 refused step left off-board"]);
    assert_eq!(state.place(0), start);
    assert_eq!(
        seen(&state, STEPPER),
        Observation {
            config: Config::new(2, 40).unwrap(),
            player: STEPPER,
            requests: 4,
            last: Some(Answer::Refused),
        }
    );
}

#[test]
fn the_second_player_turns_and_goes_ahead() {
    let (state, row) = free_row(Config::new(7, 60).unwrap());
    let mut state = state.at([Place::new(1, row), Place::new(4, row)], Direction::Up);
    for (request, events) in [
        ("#1 turn left", vec!["#1 turn left".to_owned(), format!("#1 at 4,{row} looks left")]),
        ("#1 ahead three", vec!["#1 ahead three".to_owned(), format!("#1 at 1,{row} looks left")]),
        ("#1 ahead one", vec!["#1 refused ahead one off-board".to_owned()]),
        ("#1 turn right", vec!["#1 turn right".to_owned(), format!("#1 at 1,{row} looks right")]),
        ("#1 ahead two", vec!["#1 ahead two".to_owned(), format!("#1 at 3,{row} looks right")]),
        ("#1 ahead one", vec!["#1 ahead one".to_owned(), format!("#1 at 4,{row} looks right")]),
        ("#1 step left", vec!["#1 refused step left not-yours".to_owned()]),
        ("#0 turn left", vec!["#0 refused turn left not-yours".to_owned()]),
        ("#0 ahead one", vec!["#0 refused ahead one not-yours".to_owned()]),
    ] {
        assert_eq!(play(&mut state, request), events, "{request}");
    }
}

/// A special field on the way has no effect: only the field on which the player lands counts.
#[test]
fn fields_on_the_way_do_not_count() {
    let config = Config::new(9, 9).unwrap().with_conveyors(9).unwrap();
    let state = begun(config);
    let start = find(state.board(), |_, field| matches!(field, Field::Start(_)));
    let (before, behind) = (Place::new(start.column - 1, start.row), Place::new(start.column + 1, start.row));
    let mut state = state.at([before, before], Direction::Right);
    play(&mut state, "#1 ahead two");
    assert_eq!(state.place(1), behind);
}

/// A refused request counts as a request and as a refusal.
#[test]
fn refused_requests_are_counted() {
    let (state, row) = free_row(Config::new(2, 40).unwrap());
    let start = Place::new(1, row);
    let mut state = state.at([start, start], Direction::Up);
    let metrics =
        measure(&mut state, "#0 step left, #0 step right, #0 step right, #0 step left, #1 step left");
    assert_eq!(metrics.get("requests"), Some(&[4.0, 1.0][..]));
    assert_eq!(metrics.get("refused"), Some(&[2.0, 1.0][..]));
}

#[test]
fn a_hint_points_to_the_home_of_the_player_that_lands_on_it() {
    for seed in 0..20 {
        let config = Config::new(9, 9).unwrap();
        let state = State::new(&config, Seed::new(seed));
        let is_reached_from_left = |place: Place, field| matches!(field, Field::Hint(_)) && place.column > 1;
        let hint = find(state.board(), is_reached_from_left);
        let Field::Hint(directions) = state.board().field(hint) else { unreachable!("it is a hint") };
        let before = Place::new(hint.column - 1, hint.row);
        let mut state = state.at([before, before], Direction::Right);
        let mut meter = state.meter();
        let mut events: Vec<(SimTime, _)> = Vec::new();
        for (player, action) in [(STEPPER, "step right"), (TURNER, "ahead one")] {
            state.step(SimTime::START, player, action.parse().unwrap(), &mut events);
            assert_eq!(seen(&state, player).last, Some(Answer::Hint(directions[player.index()])));
        }
        assert_eq!(events[0].1.to_string(), format!("#0 step right hint {}", directions[0]));
        assert_eq!(events[2].1.to_string(), format!("#1 ahead one hint {}", directions[1]));
        events.iter().for_each(|(at, event)| meter.event(*at, event));
        let metrics = state.metrics(&meter);
        assert_eq!(metrics.get("hints"), Some(&[1.0, 1.0][..]));
        assert_eq!(metrics.get("requests"), Some(&[1.0, 1.0][..]));
    }
}

/// The player hears nothing of the ride, even if the end is a hint; player 1 looks in a drawn direction afterwards.
#[test]
fn a_conveyor_carries_in_silence() {
    let config = Config::new(9, 9).unwrap().with_conveyors(9).unwrap();
    let mut headings = Vec::new();
    let mut ends_on_hints = 0;
    for seed in 0..60 {
        let state = State::new(&config, Seed::new(seed));
        let start = find(state.board(), |_, field| matches!(field, Field::Start(_)));
        let Field::Start(end) = state.board().field(start) else { unreachable!("it is a start") };
        let before = Place::new(start.column - 1, start.row);
        let mut state = state.at([before, before], Direction::Right);
        ends_on_hints += u32::from(matches!(state.board().field(end), Field::Hint(_)));
        let metrics = measure(&mut state.clone(), "#0 step right");
        assert_eq!(metrics.get("carried"), Some(&[1.0, 0.0][..]));
        let events = play(&mut state, "#0 step right");
        assert_eq!(events[..2], ["#0 step right".to_owned(), format!("#0 at {end} from {start}")]);
        assert_eq!(seen(&state, STEPPER).last, Some(Answer::Done));
        if matches!(state.turn(), Turn::Over(_)) {
            assert_eq!((end, events[2].as_str()), (state.board().home(0), "over #0 normal"));
            continue;
        }
        let events = play(&mut state, "#1 ahead one");
        assert_eq!(events[0], "#1 ahead one");
        assert_eq!(events[1], format!("#1 at {end} from {start} looks {}", state.heading()));
        headings.push(state.heading());
    }
    assert!(ends_on_hints > 0);
    headings.sort_unstable();
    headings.dedup();
    assert_eq!(headings, Direction::ALL);
}

#[test]
fn the_player_that_comes_home_wins() {
    for seed in 0..20 {
        let state = State::new(&Config::new(9, 9).unwrap(), Seed::new(seed));
        for player in [STEPPER, TURNER] {
            let home = state.board().home(player.index());
            let (direction, before) = if home.column > 1 {
                (Direction::Right, Place::new(home.column - 1, home.row))
            } else {
                (Direction::Left, Place::new(home.column + 1, home.row))
            };
            let elsewhere = normal(state.board());
            let places = if player == STEPPER { [before, elsewhere] } else { [elsewhere, before] };
            let mut state = state.clone().at(places, direction);
            let action = if player == STEPPER { format!("step {direction}") } else { "ahead one".to_owned() };
            let events = play(&mut state, &format!("{player} {action}"));
            assert_eq!(events.last().unwrap(), &format!("over {player} normal"));
            let Turn::Over(outcome) = state.turn() else { panic!("the player is at home") };
            assert_eq!(outcome.winner(), Some(state.team(player)));
            assert_eq!(
                play(&mut state, "#0 step up, #1 turn up"),
                ["#0 refused step up over", "#1 refused turn up over"]
            );
        }
    }
}

/// The other player's home means nothing; nor does turning on the own one, where nobody begins.
#[test]
fn the_home_of_the_other_player_is_a_field_like_others() {
    let state = begun(Config::new(9, 9).unwrap());
    let home = state.board().home(1);
    let (direction, before) = if home.column > 1 {
        (Direction::Right, Place::new(home.column - 1, home.row))
    } else {
        (Direction::Left, Place::new(home.column + 1, home.row))
    };
    let mut state = state.at([before, before], direction);
    let events = play(&mut state, &format!("#0 step {direction}"));
    assert_eq!(events, [format!("#0 step {direction}"), format!("#0 at {home}")]);
}

#[test]
fn players_begin_neither_at_home_nor_on_a_conveyor() {
    let config = Config::new(4, 4).unwrap().with_conveyors(1).unwrap();
    let (mut began_on_other_home, mut began_on_one_field) = (false, false);
    let mut headings = Vec::new();
    for seed in 0..200 {
        let state = State::new(&config, Seed::new(seed));
        for player in 0..2 {
            let place = state.place(player);
            assert_ne!(place, state.board().home(player));
            assert!(!matches!(state.board().field(place), Field::Start(_)));
            began_on_other_home |= place == state.board().home(1 - player);
        }
        began_on_one_field |= state.place(0) == state.place(1);
        headings.push(state.heading());
    }
    assert!(began_on_other_home && began_on_one_field);
    headings.sort_unstable();
    headings.dedup();
    assert_eq!(headings, Direction::ALL);
}

#[test]
fn requests_of_a_rollout_alternate_and_take_a_millisecond() {
    let (state, row) = free_row(Config::new(7, 60).unwrap());
    let mut state = state.at([Place::new(4, row), Place::new(4, row)], Direction::Left);
    let mut order = Vec::new();
    for request in ["step left", "ahead one", "step up", "turn up"] {
        let Turn::Act { agent, from, until: None } = state.turn() else { panic!("both play") };
        order.push((agent, from.as_millis()));
        state.step(from, agent, request.parse::<Action>().unwrap(), &mut ());
    }
    assert_eq!(order, [(STEPPER, 0), (TURNER, 0), (STEPPER, 1), (TURNER, 1)]);
    // Nobody has a turn: requests are served as they come.
    let mut events: Vec<(SimTime, _)> = Vec::new();
    for _ in 0..3 {
        state.step(SimTime::from_millis(1), TURNER, Action::Turn(Direction::Up), &mut events);
    }
    assert_eq!(events.len(), 6);
}

#[test]
fn a_player_that_is_gone_does_not_stop_the_game() {
    let mut state = begun(Config::default());
    let mut events: Vec<(SimTime, _)> = Vec::new();
    state.disrupt(SimTime::START, Disruption::AgentLost(STEPPER), &mut events);
    state.disrupt(SimTime::START, Disruption::AgentLost(STEPPER), &mut events);
    assert!(matches!(state.turn(), Turn::Act { agent: TURNER, .. }));
    assert_eq!(play(&mut state, "#0 step up"), ["#0 refused step up over"]);
    state.disrupt(SimTime::START, Disruption::Forfeited(TURNER, Termination::Protocol), &mut events);
    let events: Vec<String> = events.iter().map(|(_, event)| event.to_string()).collect();
    assert_eq!(events, ["#0 left", "#1 left", "over nobody protocol by #1"]);
}
