//! The set-up, as the seed draws it.

use game_env::Chance;

use super::State;
use crate::assistant::Hand;
use crate::character::Character;
use crate::config::Config;
use crate::students::{Color, Students};
use crate::table::{Card, ISLANDS, Island, Table};

impl State {
    /// Returns the table before the first assistant is played.
    pub(super) fn set_up(config: Config, mut chance: Chance) -> Self {
        let mut table = Table { config, bag: Students::each(24), ..Table::default() };
        let players = config.players();
        set_up_islands(&mut table, &mut chance);
        for school in &mut table.schools[..players] {
            school.entrance = table.bag.draw_many(config.entrance(), &mut chance);
            school.hand = Hand::FULL;
            school.coins = u8::from(config.is_expert());
        }
        table.towers_left[..config.teams()].fill(config.towers());
        if config.is_expert() {
            #[expect(clippy::cast_possible_truncation, reason = "there are at most four players")]
            let held = players as u8;
            table.bank = Config::COINS - held;
            table.cards = Some(draw_cards(&mut table, &mut chance));
        }
        let first = chance.index(players);
        let mut state = Self { table, chance };
        state.begin_round(first, &mut |_| {});
        state
    }
}

/// Mother Nature on any island, and a student on each of the others but the one opposite.
fn set_up_islands(table: &mut Table, chance: &mut Chance) {
    let mother_nature = chance.index(ISLANDS);
    let mut students: [Color; 10] = std::array::from_fn(|place| Color::ALL[place / 2]);
    chance.shuffle(&mut students);
    let mut students = students.into_iter();
    for (place, island) in (0..).zip(&mut table.islands) {
        *island = Island { first: place, size: 1, ..Island::default() };
        let distance = (usize::from(place) + ISLANDS - mother_nature) % ISLANDS;
        if distance != 0 && distance != ISLANDS / 2 {
            island.students[students.next().expect("ten islands get a student")] += 1;
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "there are twelve islands")]
    {
        table.island_count = ISLANDS as u8;
        table.mother_nature = mother_nature as u8;
    }
}

fn draw_cards(table: &mut Table, chance: &mut Chance) -> [Card; Config::CHARACTERS] {
    let characters = table.config.characters().unwrap_or_else(|| {
        let mut all = Character::ALL;
        chance.shuffle(&mut all);
        [all[0], all[1], all[2]]
    });
    characters.map(|character| Card {
        character,
        students: table.bag.draw_many(character.students(), chance),
        bans: character.bans(),
        is_used: false,
    })
}
