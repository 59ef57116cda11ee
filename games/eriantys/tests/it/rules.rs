//! Set-up, phases, and the effect of each action; each refusal but those of characters.

use game_env::{AgentId, Environment as _, Seed, Turn};
use game_eriantys::{Assistant, Color, Config, Hand, Phase, State, Students};

use crate::situation::{bare, begun, build, play, students};

fn two() -> Config {
    Config::new(2, false).unwrap()
}

#[test]
fn the_set_up_is_that_of_the_number_of_players() {
    for (players, entrance, cloud) in [(2, 7, 3), (3, 9, 4), (4, 7, 3)] {
        let (mut places, mut begin) = ([0; 12], [0; 4]);
        for seed in 0..200 {
            let state = State::new(&Config::new(players, true).unwrap(), Seed::new(seed));
            let table = state.table();
            let mother_nature = table.mother_nature().index();
            places[mother_nature] += 1;
            begin[table.mover().index()] += 1;
            for (place, island) in table.islands().iter().enumerate() {
                let is_empty = place == mother_nature || (place + 6) % 12 == mother_nature;
                assert_eq!(island.students.total(), u8::from(!is_empty));
            }
            let on_islands = table.islands().iter().fold(Students::NONE, |sum, island| sum + island.students);
            assert_eq!(on_islands, Students::each(2));
            assert!(table.clouds().iter().all(|students| students.total() == cloud));
            for player in table.players() {
                let school = table.school(player);
                assert_eq!((school.entrance.total(), school.hand, school.coins), (entrance, Hand::FULL, 1));
            }
            assert_eq!((table.bank, table.cards().len()), (20 - players, 3));
        }
        assert!(places.iter().all(|count| *count > 4), "{places:?}");
        assert!(begin[..usize::from(players)].iter().all(|count| *count > 30), "{begin:?}");
    }
}

#[test]
fn a_simple_game_has_no_coins_and_no_characters() {
    let mut state = begun(bare(two()));
    assert_eq!((state.table().cards().len(), state.table().bank), (0, 0));
    assert_eq!(play(&mut state, "#0 knight"), ["#0 refused knight no-character"]);
}

#[test]
fn assistants_are_played_in_turn_and_order_the_turns() {
    let mut table = bare(Config::new(3, false).unwrap());
    table.phase = Phase::Planning;
    table.order = [2, 0, 1, 3];
    for school in &mut table.schools {
        (school.hand, school.assistant) = (Hand::FULL, None);
    }
    let mut state = begun(table);
    assert_eq!(
        play(
            &mut state,
            "#0 assistant 1, #2 dining red, #2 assistant 9, #0 assistant 9, #0 assistant 4, #1 assistant 2"
        ),
        [
            "#0 refused assistant 1 not-your-turn",
            "#2 refused dining red other-phase",
            "#2 assistant 9",
            "#0 refused assistant 9 already-played",
            "#0 assistant 4",
            "#1 assistant 2",
        ]
    );
    assert_eq!(state.table().in_order().collect::<Vec<_>>(), [1, 0, 2].map(AgentId::new));
    assert_eq!(state.table().phase, Phase::Students { left: 4 });
    assert_eq!(play(&mut state, "#1 assistant 3"), ["#1 refused assistant 3 other-phase"]);
}

#[test]
fn an_assistant_may_repeat_only_where_there_is_no_other() {
    let mut table = bare(two());
    table.phase = Phase::Planning;
    let hand = |values: &[u8]| values.iter().map(|value| Assistant::new(*value).unwrap()).collect::<Hand>();
    for (school, values) in table.schools.iter_mut().zip([&[3, 8][..], &[3]]) {
        (school.hand, school.assistant) = (hand(values), None);
    }
    let mut state = begun(table);
    assert_eq!(
        play(&mut state, "#0 assistant 5, #0 assistant 3, #1 assistant 3"),
        ["#0 refused assistant 5 not-in-hand", "#0 assistant 3", "#1 assistant 3", "last round",]
    );
    // Of equal assistants the one that was played first acts first.
    assert_eq!(state.table().in_order().collect::<Vec<_>>(), [0, 1].map(AgentId::new));
}

#[test]
fn a_whole_turn() {
    let mut table = bare(two());
    table.clouds = [students("ggg"), students("ppp"), Students::NONE, Students::NONE];
    let mut state = begun(table);
    assert_eq!(
        play(
            &mut state,
            "#0 dining red, #0 dining red, #0 steps 1, #0 island yellow 12, #0 island yellow 1, #0 dining blue, \
             #0 steps 0, #0 steps 4, #0 cloud 1, #0 steps 3, #0 cloud 3, #0 cloud 2"
        ),
        [
            "#0 dining red",
            "#0 gets the red professor",
            "#0 refused dining red not-in-entrance",
            "#0 refused steps 1 other-phase",
            "#0 island yellow 12",
            "#0 island yellow 1",
            "#0 refused dining blue other-phase",
            "#0 refused steps 0 steps",
            "#0 refused steps 4 steps",
            "#0 refused cloud 1 other-phase",
            "#0 steps 3 to island 4",
            "#0 refused cloud 3 no-cloud",
            "#0 cloud 2 ppp",
        ]
    );
    let school = *state.table().school(AgentId::new(0));
    assert_eq!((school.entrance, school.dining), (students("bbgpppp"), students("r")));
    assert!(matches!(state.turn(), Turn::Act { agent, .. } if agent == AgentId::new(1)));
    play(&mut state, "#1 dining red, #1 dining red, #1 dining blue, #1 dining green, #1 steps 1");
    assert_eq!(play(&mut state, "#1 cloud 2"), ["#1 refused cloud 2 empty-cloud"]);
    // The one that acted first plays the first assistant of the next round.
    let events = play(&mut state, "#1 cloud 1");
    assert_eq!(events[..2], ["#1 cloud 1 ggg", "round 2 begins with #0"]);
    assert!(events[2].starts_with("cloud 1 gets ") && events[3].starts_with("cloud 2 gets "), "{events:?}");
}

#[test]
fn a_dining_room_has_ten_seats_of_a_colour() {
    let mut table = bare(two());
    table.schools[0].dining[Color::Red] = 10;
    assert_eq!(play(&mut begun(table), "#0 dining red"), ["#0 refused dining red dining-room-full"]);
}

#[test]
fn islands_that_have_merged_are_gone() {
    let mut table = bare(two());
    table.island_count = 8;
    assert_eq!(play(&mut begun(table), "#0 island red 9"), ["#0 refused island red 9 no-island"]);
}

#[test]
fn a_professor_goes_to_strictly_most_students() {
    for (own, other, owner, events) in [
        (0, 0, None, &["#0 dining red", "#0 gets the red professor"][..]),
        (0, 1, Some(1), &["#0 dining red"]),
        (1, 1, Some(1), &["#0 dining red", "#0 gets the red professor"]),
        (3, 1, Some(0), &["#0 dining red"]),
    ] {
        let mut table = bare(two());
        table.schools[0].dining[Color::Red] = own;
        table.schools[1].dining[Color::Red] = other;
        table.professors[Color::Red.index()] = owner;
        assert_eq!(play(&mut begun(table), "#0 dining red"), events);
    }
}

#[test]
fn each_third_seat_pays_a_coin_while_there_are_any() {
    for (seats, bank, coins) in [(0, 9, 0), (1, 9, 0), (2, 9, 1), (5, 9, 1), (8, 9, 1), (9, 9, 0), (2, 0, 0)]
    {
        let mut table = bare(Config::new(2, true).unwrap());
        table.schools[0].dining[Color::Red] = seats;
        table.professors[Color::Red.index()] = Some(0);
        table.bank = bank;
        let mut state = begun(table);
        let events = play(&mut state, "#0 dining red");
        assert_eq!(state.table().school(AgentId::new(0)).coins, 5 + coins, "{seats} seats, {events:?}");
        assert_eq!(state.table().bank, bank - coins);
    }
}

/// Mother Nature comes to island 3 with these students, professors and owner of its towers; then the expected events.
#[test]
fn an_island_goes_to_strictly_most_influence() {
    for (on_island, professors, owner, expected) in [
        ("-", [Some(0), None, None, None, None], None, &[][..]),
        ("yy", [Some(0), Some(1), None, None, None], None, &["team 1 conquers island 3 with 1"]),
        ("yb", [Some(0), Some(1), None, None, None], None, &[]),
        ("y", [Some(0), Some(1), None, None, None], Some(1), &[]),
        (
            "yy",
            [Some(0), Some(1), None, None, None],
            Some(1),
            &["team 1 conquers island 3 with 1 from team 2"],
        ),
        ("yb", [Some(0), Some(1), None, None, None], Some(1), &[]),
        ("ggg", [Some(0), Some(1), None, None, None], Some(1), &[]),
        ("ybb", [Some(0), Some(1), None, None, None], Some(0), &[]),
    ] {
        let mut table = bare(two());
        table.phase = Phase::MotherNature;
        table.professors = professors;
        table.islands[2].students = students(on_island);
        if let Some(owner) = owner {
            build(&mut table, 2, owner);
        }
        let mut state = begun(table);
        let events = play(&mut state, "#0 steps 2");
        assert_eq!(events[1..], *expected, "{on_island} {professors:?} {owner:?}");
    }
}

#[test]
fn two_partners_have_their_influence_together() {
    let mut table = bare(Config::new(4, false).unwrap());
    table.phase = Phase::MotherNature;
    table.professors = [Some(0), Some(2), Some(1), None, None];
    table.islands[1].students = students("ybgg");
    let mut state = begun(table);
    assert_eq!(play(&mut state, "#0 steps 1"), ["#0 steps 1 to island 2"], "two against two");
    table.islands[1].students = students("ybbgg");
    state = begun(table);
    assert_eq!(play(&mut state, "#0 steps 1")[1..], ["team 1 conquers island 2 with 1"]);
}

/// The islands that merge, and the place of Mother Nature afterwards.
#[test]
fn neighbours_of_one_owner_merge() {
    for (from, target, built, expected, mother_nature, count) in [
        (0, 2, &[3][..], &["island 4 merges into 3"][..], 3, 11),
        (0, 2, &[1], &["island 3 merges into 2"], 2, 11),
        (0, 2, &[1, 3], &["island 4 merges into 3", "island 3 merges into 2"], 2, 10),
        // Over the end of the ring: island 1 stays island 1.
        (9, 11, &[0], &["island 12 merges into 1"], 1, 11),
        (10, 0, &[11], &["island 12 merges into 1"], 1, 11),
    ] {
        let mut table = bare(two());
        (table.phase, table.mother_nature) = (Phase::MotherNature, from);
        table.professors[0] = Some(0);
        built.iter().for_each(|island| build(&mut table, *island, 0));
        table.islands[target].students = students("yy");
        let mut state = begun(table);
        let events = play(&mut state, "#0 steps 2");
        assert_eq!(events[2..], *expected);
        assert_eq!(state.table().mother_nature().number(), mother_nature);
        assert_eq!(state.table().islands().len(), count);
        let merged = state.table().islands()[usize::from(mother_nature) - 1];
        assert_eq!(usize::from(merged.size), 13 - count);
        assert_eq!((merged.towers, merged.students), (merged.size, students("yy")));
    }
}

#[test]
fn mother_nature_goes_around_the_ring() {
    let mut table = bare(two());
    (table.phase, table.mother_nature) = (Phase::MotherNature, 11);
    assert_eq!(play(&mut begun(table), "#0 steps 3"), ["#0 steps 3 to island 3"]);
}
