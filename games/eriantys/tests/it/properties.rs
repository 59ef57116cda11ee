//! The properties that hold after every step of every game.

use game_env::{AgentId, Choice, Environment as _, Policy as _, Seed, SimTime};
use game_eriantys::{Character, Color, Config, Observation, Phase, State, Students, Table};

use crate::lively::Lively;

fn sum(parts: impl Iterator<Item = Students>) -> Students {
    parts.fold(Students::NONE, |sum, part| sum + part)
}

/// 26 students of each colour.
fn check_students(table: &Table) {
    let schools = table.players().map(|player| table.school(player).entrance + table.school(player).dining);
    let on_islands = table.islands().iter().map(|island| island.students);
    let on_cards = table.cards().iter().map(|card| card.students);
    let on_clouds = table.clouds().iter().copied();
    let all = table.bag + sum(schools) + sum(on_islands) + sum(on_cards) + sum(on_clouds);
    assert_eq!(all, Students::each(26));
    for card in table.cards() {
        assert!(card.students.total() == card.character.students() || table.bag.is_empty());
    }
    for player in table.players() {
        let school = table.school(player);
        assert!(Color::ALL.into_iter().all(|color| school.dining[color] <= 10));
        let is_moving = table.mover() == player && table.outcome.is_none();
        let missing = match table.phase {
            Phase::Students { left } if is_moving => table.config.moves() - left,
            Phase::MotherNature | Phase::Cloud if is_moving => table.config.moves(),
            _ => 0,
        };
        let is_full = school.entrance.total() == table.config.entrance() - missing;
        assert!(is_full || table.are_clouds_short || table.outcome.is_some(), "{player} {school:?}");
    }
}

fn check_islands(table: &Table) {
    let islands = table.islands();
    assert_eq!(islands.iter().map(|island| island.size).sum::<u8>(), 12);
    assert!(islands[0].first == 0 || islands[0].first + islands[0].size > 12, "{islands:?}");
    for (place, island) in islands.iter().enumerate() {
        let next = islands[(place + 1) % islands.len()];
        assert_eq!((island.first + island.size) % 12, next.first);
        assert!(island.owner.is_none() || island.owner != next.owner, "{islands:?}");
        let is_built = island.owner.is_some() && island.towers == island.size;
        assert!(is_built || island.owner.is_none() && island.towers == 0 || table.outcome.is_some());
    }
    assert!(table.mother_nature().index() < islands.len());
    assert!(islands.len() > 3 || table.outcome.is_some());
    for (team, left) in (0..).zip(table.towers_left()) {
        let own = islands.iter().filter(|island| island.owner == Some(team));
        assert_eq!(left + own.map(|island| island.towers).sum::<u8>(), table.config.towers());
        assert!(*left > 0 || table.outcome.is_some());
    }
    if let Some(granny) = table.card(Character::Granny) {
        assert_eq!(granny.bans + islands.iter().map(|island| island.bans).sum::<u8>(), 4);
    }
}

/// Checks that a player that alone has most students of a colour has its professor.
fn check_professors(table: &Table) {
    for color in Color::ALL {
        let count = |player: AgentId| table.school(player).dining[color];
        let most = table.players().map(count).max().unwrap();
        let strongest: Vec<_> = table.players().filter(|player| count(*player) == most).collect();
        match (table.professor(color), &strongest[..]) {
            (owner, [alone]) => assert_eq!(owner, Some(*alone), "{color}"),
            (None, _) => assert_eq!(most, 0, "{color}"),
            (Some(_), _) => {}
        }
    }
}

fn check_coins(table: &Table) {
    let coins = table.players().map(|player| table.school(player).coins).sum::<u8>();
    let on_cards = table.cards().iter().map(|card| u8::from(card.is_used)).sum::<u8>();
    let all = if table.config.is_expert() { 20 } else { 0 };
    assert_eq!(coins + table.bank + on_cards, all);
}

#[test]
fn a_table_with_more_pieces_than_the_box_is_refused() {
    let table = *State::new(&Config::new(2, true).unwrap(), Seed::new(0)).table();
    let refused = |change: fn(&mut Table)| {
        let mut table = table;
        change(&mut table);
        table.check_pieces().unwrap_err()
    };
    assert_eq!(table.check_pieces(), Ok(()));
    let told = [
        refused(|table| table.islands[3].students[Color::Red] = 255),
        refused(|table| {
            table.bag[Color::Blue] = 0;
            table.schools[1].dining[Color::Blue] = 11;
        }),
        refused(|table| table.towers_left[0] += 1),
        refused(|table| table.islands[0].size += 1),
        refused(|table| table.islands[0].bans = 5),
        refused(|table| table.bank += 1),
    ];
    let ends = ["at most 26", "at most 10", "at most 8", "at most 12", "at most 4", "at most 20"];
    for (told, end) in told.iter().zip(ends) {
        assert!(told.ends_with(&format!(": expected {end}")), "{told}");
    }
}

#[test]
fn nothing_is_lost_and_nothing_appears() {
    let (mut most, mut used, mut merged, mut short) = (0, 0, 0, 0);
    for players in 2..=4 {
        for is_expert in [false, true] {
            for seed in 0..40 {
                let mut state = State::new(&Config::new(players, is_expert).unwrap(), Seed::new(seed));
                let mut policy = Lively::new(Seed::new(seed).latency());
                let (mut seen, mut steps) = (Observation::default(), 0);
                while state.table().outcome.is_none() {
                    let player = state.table().mover();
                    state.observe(player, &mut seen);
                    let Choice::Act(action) = policy.choose(SimTime::START, player, &seen) else { panic!() };
                    state.step(SimTime::START, player, action, &mut ());
                    steps += 1;
                    check_students(state.table());
                    check_islands(state.table());
                    check_professors(state.table());
                    check_coins(state.table());
                    assert_eq!(state.table().check_pieces(), Ok(()));
                }
                let table = state.table();
                most = most.max(steps);
                used += table.cards().iter().filter(|card| card.is_used).count();
                merged += 12 - table.islands().len();
                short += usize::from(table.are_clouds_short);
            }
        }
    }
    // Without these the properties would be those of other games.
    assert!(used > 200 && merged > 200 && short > 50, "{used} characters, {merged} merged, {short} short");
    assert!(most <= 10 * 4 * 7, "{most} steps");
}
