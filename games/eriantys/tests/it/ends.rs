//! Each way in which a game ends, and its winner.

use game_env::panics::catch;
use game_env::{AgentId, Disruption, Environment as _, SimTime, Termination, Turn};
use game_eriantys::{Color, Config, Hand, Phase, State, Students, Table};

use crate::situation::{bare, begun, build, play, students};

fn two() -> Config {
    Config::new(2, false).unwrap()
}

/// Mother Nature is to go, the first player has the yellow professor, and island 2 is full of yellow students.
fn about_to_conquer(config: Config) -> Table {
    let mut table = bare(config);
    table.phase = Phase::MotherNature;
    table.professors[0] = Some(0);
    table.islands[1].students = students("yyyyy");
    table
}

fn places(state: &State) -> Vec<u8> {
    let Turn::Over(outcome) = state.turn() else { panic!("the game goes on") };
    outcome.ranking.places().to_vec()
}

#[test]
fn the_last_tower_ends_the_game_at_once() {
    let mut table = about_to_conquer(two());
    table.towers_left = [1, 1, 0];
    table.professors = [Some(0), Some(1), Some(1), Some(1), Some(1)];
    let mut state = begun(table);
    assert_eq!(
        play(&mut state, "#0 steps 1")[1..],
        ["team 1 conquers island 2 with 1", "over team 1 normal 8:7"]
    );
    assert_eq!(play(&mut state, "#0 cloud 1"), ["#0 refused cloud 1 over"]);
}

#[test]
fn a_team_with_too_few_towers_builds_all_and_wins() {
    let mut table = about_to_conquer(two());
    table.islands[1].size = 3;
    table.towers_left = [2, 3, 0];
    let mut state = begun(table);
    assert_eq!(
        play(&mut state, "#0 steps 1")[1..],
        ["team 1 conquers island 2 with 2", "over team 1 normal 8:5"]
    );
    assert_eq!(state.table().towers_left(), [0, 3]);
}

#[test]
fn three_islands_end_the_game_at_once() {
    let mut table = about_to_conquer(two());
    table.island_count = 4;
    for (island, size) in table.islands.iter_mut().zip([3, 1, 1, 7]) {
        island.size = size;
    }
    build(&mut table, 2, 0);
    build(&mut table, 3, 1);
    // Three islands are left, and the other team has built more.
    let mut state = begun(table);
    assert_eq!(
        play(&mut state, "#0 steps 1")[1..],
        ["team 1 conquers island 2 with 1", "island 3 merges into 2", "over team 2 normal 2:7"]
    );
}

#[test]
fn four_islands_do_not() {
    let mut table = about_to_conquer(two());
    table.island_count = 5;
    build(&mut table, 2, 0);
    let mut state = begun(table);
    play(&mut state, "#0 steps 1");
    assert_eq!((state.table().islands().len(), state.table().outcome), (4, None));
}

/// The last turn of the last round, with these towers and professors.
fn last_turn(config: Config, towers_left: [u8; 3], professors: [Option<u8>; 5]) -> State {
    let mut table = bare(config);
    table.phase = Phase::Cloud;
    table.is_last_round = true;
    table.place = u8::try_from(config.players() - 1).unwrap();
    table.clouds = [students("ggg"), Students::NONE, Students::NONE, Students::NONE];
    (table.towers_left, table.professors) = (towers_left, professors);
    begun(table)
}

#[test]
fn fewest_towers_left_win_then_most_professors_else_it_is_a_tie() {
    let (zero, one, two) = (Some(0), Some(1), Some(2));
    for (players, towers_left, professors, expected) in [
        (2, [3, 4, 0], [one; 5], &[1, 2][..]),
        (2, [4, 3, 0], [None; 5], &[2, 1]),
        (2, [4, 4, 0], [zero, zero, one, None, None], &[1, 2]),
        (2, [4, 4, 0], [zero, one, one, None, one], &[2, 1]),
        (2, [4, 4, 0], [zero, one, None, None, None], &[1, 1]),
        (3, [2, 2, 1], [zero, one, None, None, None], &[2, 2, 1]),
        (3, [2, 2, 2], [zero, one, one, two, None], &[2, 1, 2]),
        (4, [4, 4, 0], [zero, two, one, None, None], &[1, 2]),
    ] {
        let config = Config::new(players, false).unwrap();
        let mut state = last_turn(config, towers_left, professors);
        play(&mut state, &format!("#{} cloud 1", players - 1));
        assert_eq!(places(&state), expected, "{players} {towers_left:?} {professors:?}");
    }
}

#[test]
fn the_round_in_which_the_bag_gets_empty_is_the_last() {
    for (bag, is_last, is_short) in [(7, false, false), (6, true, false), (5, true, true), (0, true, true)] {
        let mut state = last_turn(two(), [8; 3], [None; 5]);
        let mut table = *state.table();
        table.is_last_round = false;
        table.bag = Students::NONE;
        table.bag[Color::Red] = bag;
        state = begun(table);
        let events = play(&mut state, "#1 cloud 1");
        assert_eq!(events.contains(&"last round".to_owned()), is_last, "{events:?}");
        assert_eq!((state.table().is_last_round, state.table().are_clouds_short), (is_last, is_short));
        assert!(state.table().outcome.is_none(), "the round is played");
    }
}

#[test]
fn nobody_takes_a_cloud_if_not_all_could_be_filled() {
    let mut table = bare(two());
    (table.phase, table.is_last_round, table.are_clouds_short) = (Phase::MotherNature, true, true);
    table.clouds[0] = students("gg");
    let mut state = begun(table);
    play(&mut state, "#0 steps 1");
    assert_eq!(state.table().mover(), AgentId::new(1), "the next turn begins");
    let end = "#1 dining red, #1 dining blue, #1 dining blue, #1 steps 1";
    assert_eq!(play(&mut state, end).last().unwrap(), "over team 2 normal 0:0");
}

#[test]
fn the_round_of_the_last_assistants_is_the_last() {
    let mut table = bare(two());
    table.phase = Phase::Planning;
    for school in &mut table.schools {
        school.hand = Hand::EMPTY.with(school.assistant.take().unwrap_or("9".parse().unwrap()));
    }
    assert_eq!(
        play(&mut begun(table), "#0 assistant 5, #1 assistant 6"),
        ["#0 assistant 5", "last round", "#1 assistant 6"]
    );
}

#[test]
fn who_leaves_is_last_and_the_others_stand_as_they_do() {
    for (disruption, expected, fault) in [
        (Disruption::AgentLost(AgentId::new(0)), [3, 2, 1], Some(0)),
        (Disruption::Forfeited(AgentId::new(2), Termination::Crash), [1, 2, 3], Some(2)),
        (Disruption::DeadlineMissed(AgentId::new(1)), [1, 3, 2], Some(1)),
        (Disruption::Ended(Termination::Stopped), [1, 3, 2], None),
    ] {
        let mut table = bare(Config::new(3, false).unwrap());
        table.towers_left = [1, 4, 3];
        let mut state = begun(table);
        state.disrupt(SimTime::START, disruption, &mut ());
        let Turn::Over(outcome) = state.turn() else { panic!("the game goes on") };
        assert_eq!(outcome.fault, fault.map(AgentId::new));
        assert_eq!(outcome.returns.points(), [5, 2, 3]);
        assert_eq!(places(&state), expected, "{disruption:?}");
    }
}

#[test]
fn a_player_that_does_not_exist_cannot_leave() {
    let mut state = begun(bare(two()));
    let gone = Disruption::AgentLost(AgentId::new(2));
    let told = catch(|| state.disrupt(SimTime::START, gone, &mut ())).unwrap_err();
    assert!(told.contains("there is no player #2"), "{told}");
}
