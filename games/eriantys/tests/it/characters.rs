//! Each character: its effect, and the reasons of refusals.

use game_env::{AgentId, Environment as _};
use game_eriantys::{Action, Card, Character, Color, Config, Effect, Phase, Play, Table};

use crate::situation::{bare, begun, build, play, students, with};

const FIRST: AgentId = AgentId::new(0);

/// Plays a request on a table, and returns the events and the table after it.
fn after(table: Table, requests: &str) -> (Vec<String>, Table) {
    let mut state = begun(table);
    let events = play(&mut state, requests);
    (events, *state.table())
}

/// The card of a character of this table.
fn card(table: &mut Table, character: Character) -> &mut Card {
    table.cards.as_mut().unwrap().iter_mut().find(|card| card.character == character).unwrap()
}

#[test]
fn a_character_is_paid_for_and_costs_one_more_then() {
    let prices = Character::ALL.map(Character::price);
    assert_eq!(prices, [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
    let mut table = with(Character::Thief);
    let bank = table.bank;
    table.schools[0].coins = 7;
    let (events, mut table) = after(table, "#0 thief red");
    assert_eq!(events, ["#0 thief red price 3"]);
    // One of the three coins lies on the card.
    assert_eq!((table.school(FIRST).coins, table.bank), (4, bank + 2));
    assert_eq!(card(&mut table, Character::Thief).price(), 4);
    table.effect = None;
    let (events, table) = after(table, "#0 thief red");
    assert_eq!(events, ["#0 thief red price 4"]);
    assert_eq!((table.school(FIRST).coins, table.bank), (0, bank + 6));
}

#[test]
fn a_character_is_refused_without_coins_twice_in_a_turn_and_in_the_planning_phase() {
    let mut table = with(Character::Thief);
    table.schools[0].coins = 2;
    for (requests, expected) in [
        ("#0 thief red", &["#0 refused thief red too-expensive"][..]),
        ("#0 monk red 1", &["#0 refused monk red 1 no-character"]),
        ("#1 knight", &["#1 refused knight not-your-turn"]),
        ("#0 knight, #0 knight", &["#0 knight price 2", "#0 refused knight one-per-turn"]),
    ] {
        assert_eq!(after(table, requests).0, expected);
    }
    table.phase = Phase::Planning;
    assert_eq!(after(table, "#0 knight").0, ["#0 refused knight other-phase"]);
    // Before Mother Nature goes and after it, too.
    for phase in [Phase::MotherNature, Phase::Cloud] {
        table.phase = phase;
        assert_eq!(after(table, "#0 knight").0, ["#0 knight price 2"]);
    }
}

#[test]
fn the_next_turn_has_no_effect_of_the_last() {
    let mut table = with(Character::Mailman);
    table.clouds = [students("ggg"), students("ppp"), students("-"), students("-")];
    table.phase = Phase::MotherNature;
    let (_, table) = after(table, "#0 mailman, #0 steps 5, #0 cloud 1");
    assert_eq!((table.effect, table.mover(), table.most_steps()), (None, AgentId::new(1), 3));
}

#[test]
fn the_monk_moves_a_student_to_an_island() {
    let mut table = with(Character::Monk);
    card(&mut table, Character::Monk).students = students("yrrp");
    table.bag = students("g");
    for (request, refusal) in [
        ("#0 monk blue 3", "#0 refused monk blue 3 not-on-card"),
        ("#0 monk red 12", "#0 refused monk red 12 no-island"),
    ] {
        let fewer = Table { island_count: 11, ..table };
        assert_eq!(after(fewer, request).0, [refusal]);
    }
    let (events, mut table) = after(table, "#0 monk red 3");
    assert_eq!(events, ["#0 monk red 3 price 1", "monk gets green", "last round"]);
    assert_eq!(table.islands[2].students, students("r"));
    assert_eq!(card(&mut table, Character::Monk).students, students("ygrp"));
    // The bag is empty: no student replaces the next one.
    table.effect = None;
    let (events, mut table) = after(table, "#0 monk green 1");
    assert_eq!(events, ["#0 monk green 1 price 2"]);
    assert_eq!(card(&mut table, Character::Monk).students, students("yrp"));
}

#[test]
fn the_farmer_takes_professors_with_equal_counts() {
    let mut table = with(Character::Farmer);
    table.schools[0].dining = students("yybr");
    table.schools[1].dining = students("yybbgr");
    table.professors = [Some(1), Some(1), Some(1), Some(0), None];
    let (events, table) = after(table, "#0 farmer, #0 dining blue, #0 dining green");
    assert_eq!(
        events,
        [
            "#0 farmer price 2",
            "#0 gets the yellow professor",
            "#0 dining blue",
            "#0 gets the blue professor",
            "#0 dining green",
            "#0 gets the green professor",
        ]
    );
    // They stay after the turn: nobody has strictly more.
    let mut later = table;
    (later.phase, later.clouds) =
        (Phase::Cloud, [students("ggg"), students("ppp"), students("-"), students("-")]);
    let (_, later) = after(later, "#0 cloud 1, #1 dining pink");
    assert_eq!(later.professors, [Some(0), Some(0), Some(0), Some(0), Some(1)]);
}

#[test]
fn the_herald_resolves_an_island() {
    let mut table = with(Character::Herald);
    table.professors[0] = Some(0);
    table.islands[7].students = students("y");
    let (events, after_it) = after(table, "#0 herald 8");
    assert_eq!(events, ["#0 herald 8 price 3", "team 1 conquers island 8 with 1"]);
    assert_eq!((after_it.mother_nature, after_it.phase), (0, Phase::Students { left: 3 }));
    assert_eq!(
        after(Table { island_count: 11, ..table }, "#0 herald 12").0,
        ["#0 refused herald 12 no-island"]
    );
    // It may end the game.
    table.towers_left[0] = 1;
    let (events, _) = after(table, "#0 herald 8");
    assert_eq!(events[2], "over team 1 normal 8:0");
}

#[test]
fn the_mailman_allows_two_more_steps() {
    let mut table = with(Character::Mailman);
    table.phase = Phase::MotherNature;
    assert_eq!(after(table, "#0 steps 5").0, ["#0 refused steps 5 steps"]);
    let (events, _) = after(table, "#0 mailman, #0 steps 6, #0 steps 5");
    assert_eq!(events, ["#0 mailman price 1", "#0 refused steps 6 steps", "#0 steps 5 to island 6"]);
}

#[test]
fn grannys_ban_is_lifted_instead_of_resolving() {
    let mut table = with(Character::Granny);
    table.professors[0] = Some(0);
    table.islands[1].students = students("y");
    table.phase = Phase::MotherNature;
    let (events, mut table) = after(table, "#0 granny 2, #0 steps 1");
    assert_eq!(events, ["#0 granny 2 price 2", "#0 steps 1 to island 2", "ban lifted on island 2"]);
    assert_eq!((card(&mut table, Character::Granny).bans, table.islands[1].owner), (4, None));
    // Bans are lifted one after the other.
    table = Table { phase: Phase::MotherNature, mother_nature: 0, effect: None, ..table };
    table.islands[1].bans = 2;
    card(&mut table, Character::Granny).bans = 2;
    let (_, table) = after(table, "#0 steps 1");
    assert_eq!(table.islands[1].bans, 1);
    let mut none_left = Table { phase: Phase::MotherNature, ..table };
    card(&mut none_left, Character::Granny).bans = 0;
    assert_eq!(after(none_left, "#0 granny 3").0, ["#0 refused granny 3 no-ban"]);
    let fewer = Table { phase: Phase::MotherNature, island_count: 11, ..table };
    assert_eq!(after(fewer, "#0 granny 12").0, ["#0 refused granny 12 no-island"]);
}

#[test]
fn the_herald_lifts_a_ban_and_merged_islands_keep_theirs() {
    let granny_and_herald = [Character::Granny, Character::Herald, Character::Knight];
    let mut table = bare(Config::new(2, true).unwrap().with_characters(granny_and_herald).unwrap());
    table.professors[0] = Some(0);
    table.islands[7].students = students("y");
    table.islands[7].bans = 1;
    card(&mut table, Character::Granny).bans = 3;
    assert_eq!(after(table, "#0 herald 8").0[1], "ban lifted on island 8");
    build(&mut table, 7, 0);
    table.islands[6].students = students("y");
    let (events, table) = after(table, "#0 herald 7");
    assert_eq!(events[2], "island 8 merges into 7");
    assert_eq!((table.islands[6].bans, table.islands[6].size), (1, 2));
}

#[test]
fn the_centaur_leaves_towers_out() {
    let mut table = with(Character::Centaur);
    table.phase = Phase::MotherNature;
    table.professors[0] = Some(0);
    table.islands[1].students = students("y");
    build(&mut table, 1, 1);
    assert_eq!(after(table, "#0 steps 1").0, ["#0 steps 1 to island 2"]);
    let (events, _) = after(table, "#0 centaur, #0 steps 1");
    assert_eq!(events[2], "team 1 conquers island 2 with 1 from team 2");
}

#[test]
fn the_jester_exchanges_with_the_entrance() {
    let mut table = with(Character::Jester);
    card(&mut table, Character::Jester).students = students("gggrrr");
    for (request, refusal) in [
        ("#0 jester yyb for ggp", "#0 refused jester yyb for ggp not-on-card"),
        ("#0 jester pp for gg", "#0 refused jester pp for gg not-in-entrance"),
    ] {
        assert_eq!(after(table, request).0, [refusal]);
    }
    let (events, mut table) = after(table, "#0 jester yyb for grr");
    assert_eq!(events, ["#0 jester yyb for grr price 1"]);
    assert_eq!(table.school(FIRST).entrance, students("bggrrrp"));
    assert_eq!(card(&mut table, Character::Jester).students, students("yybggr"));
}

#[test]
fn the_knight_adds_two_influence() {
    let mut table = with(Character::Knight);
    table.phase = Phase::MotherNature;
    table.professors = [Some(1), None, None, None, None];
    for (on_island, expected) in [
        ("y", "team 1 conquers island 2 with 1"),
        ("-", "team 1 conquers island 2 with 1"),
        ("yyy", "team 2 conquers island 2 with 1"),
    ] {
        table.islands[1].students = students(on_island);
        assert_eq!(after(table, "#0 knight, #0 steps 1").0[2], expected);
    }
    table.islands[1].students = students("yy");
    assert_eq!(after(table, "#0 knight, #0 steps 1").0.len(), 2, "two against two");
}

#[test]
fn the_knight_of_a_partner_adds_to_the_influence_of_the_team() {
    let mut table = bare(Config::new(4, true).unwrap());
    (table.phase, table.place, table.effect) = (Phase::MotherNature, 2, Some(Effect::MoreInfluence));
    table.professors = [Some(1), None, None, None, None];
    table.islands[1].students = students("y");
    assert_eq!(after(table, "#2 steps 1").0[1], "team 1 conquers island 2 with 1");
}

#[test]
fn the_mushroom_hunter_leaves_a_colour_out() {
    let mut table = with(Character::MushroomHunter);
    table.phase = Phase::MotherNature;
    table.professors = [Some(1), Some(0), None, None, None];
    table.islands[1].students = students("yyb");
    assert_eq!(after(table, "#0 steps 1").0[1], "team 2 conquers island 2 with 1");
    let (events, _) = after(table, "#0 mushroom-hunter yellow, #0 steps 1");
    assert_eq!(events[2], "team 1 conquers island 2 with 1");
}

#[test]
fn the_minstrel_exchanges_entrance_and_dining_room() {
    let mut table = with(Character::Minstrel);
    table.schools[0].dining = students("rrrp");
    table.schools[1].dining = students("rryy");
    table.professors = [Some(1), None, None, Some(0), Some(0)];
    for (request, refusal) in [
        ("#0 minstrel ybb for rrr", "#0 refused minstrel ybb for rrr too-many"),
        ("#0 minstrel gg for rr", "#0 refused minstrel gg for rr not-in-entrance"),
        ("#0 minstrel y for b", "#0 refused minstrel y for b not-in-dining"),
    ] {
        assert_eq!(after(table, request).0, [refusal]);
    }
    let (events, after_it) = after(table, "#0 minstrel bg for rr");
    assert_eq!(
        events,
        [
            "#0 minstrel bg for rr price 1",
            "#0 gets the blue professor",
            "#0 gets the green professor",
            "#1 gets the red professor",
        ]
    );
    assert_eq!(after_it.school(FIRST).entrance, students("yybrrrp"));
    assert_eq!(after_it.school(FIRST).dining, students("bgrp"));
    table.schools[0].dining = students("yyr");
    let (events, _) = after(table, "#0 minstrel y for r");
    assert!(events.contains(&"#0 gets a coin".to_owned()), "the third seat pays: {events:?}");
    table.schools[0].dining[Color::Yellow] = 10;
    let full = "#0 refused minstrel y for r dining-room-full";
    assert_eq!(after(table, "#0 minstrel y for r").0, [full]);
}

#[test]
fn the_princess_moves_a_student_to_the_dining_room() {
    let mut table = with(Character::Princess);
    card(&mut table, Character::Princess).students = students("yrrp");
    table.bag = students("gg");
    table.schools[0].dining = students("rr");
    table.professors[Color::Red.index()] = Some(0);
    assert_eq!(after(table, "#0 princess blue").0, ["#0 refused princess blue not-on-card"]);
    let (events, mut table) = after(table, "#0 princess red");
    assert_eq!(events, ["#0 princess red price 2", "princess gets green", "#0 gets a coin"]);
    assert_eq!(card(&mut table, Character::Princess).students, students("ygrp"));
    assert_eq!(table.school(FIRST).dining, students("rrr"));
    table.effect = None;
    let offered = |table: &Table| {
        let mut options = Vec::new();
        begun(*table).legal_actions(FIRST, &mut options);
        options.retain(|action| matches!(action, Action::Character(Play::Princess(_))));
        options.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    table.schools[0].dining[Color::Red] = 9;
    assert_eq!(offered(&table), ["princess yellow", "princess green", "princess red", "princess pink"]);
    table.schools[0].dining[Color::Red] = 10;
    assert_eq!(offered(&table), ["princess yellow", "princess green", "princess pink"]);
    assert_eq!(after(table, "#0 princess red").0, ["#0 refused princess red dining-room-full"]);
}

#[test]
fn the_thief_takes_three_of_everybody() {
    let mut table = with(Character::Thief);
    table.schools[0].dining = students("rrrrrb");
    table.schools[1].dining = students("rr");
    table.professors[Color::Red.index()] = Some(1);
    let red = table.bag[Color::Red];
    let (events, table) = after(table, "#0 thief red");
    assert_eq!(
        events,
        ["#0 thief red price 3", "#0 returns rrr", "#1 returns rr", "#0 gets the red professor"]
    );
    assert_eq!(table.school(FIRST).dining, students("brr"));
    assert_eq!(table.bag[Color::Red], red + 5);
}

#[test]
fn a_professor_stays_where_nobody_has_most_alone() {
    let config = Config::new(3, true).unwrap();
    let three = [Character::Thief, Character::Knight, Character::Farmer];
    let mut table = bare(config.with_characters(three).unwrap());
    table.schools[0].dining = students("rrr");
    table.schools[1].dining = students("rrrr");
    table.schools[2].dining = students("rrrr");
    table.professors[Color::Red.index()] = Some(0);
    // The owner has none left, the two others one each.
    let (events, _) = after(table, "#0 thief red");
    assert_eq!(events.len(), 4, "{events:?}");
}
