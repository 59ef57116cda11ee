//! The conformance suite for this game.

use game_env::conformance::{Case, Conforming, check};
use game_env::{AgentId, Chance, Seed};

use crate::action::Action;
use crate::assistant::Assistant;
use crate::character::{Character, Exchange, Play};
use crate::config::Config;
use crate::state::State;
use crate::students::{Color, Students};
use crate::table::{CloudId, ISLANDS, IslandId};

impl Conforming for State {
    /// The order of the bag is hidden from everybody.
    fn scramble(&mut self, _: AgentId, chance: &mut Chance) -> bool {
        let number = u64::from(chance.below(u32::MAX));
        *self = Self::resume(*self.table(), Seed::new(number).game());
        true
    }

    fn candidates(&self, _: AgentId, out: &mut Vec<Action>) {
        let islands = || (0..ISLANDS).filter_map(IslandId::new);
        out.extend(Assistant::all().map(Action::Assistant));
        out.extend(Color::ALL.map(Action::ToDining));
        out.extend([0, 1, 2, 5, 7, 8, u8::MAX].map(Action::Steps));
        out.extend((0..4).filter_map(CloudId::new).map(Action::Cloud));
        let mut plays = vec![Play::Farmer, Play::Mailman, Play::Centaur, Play::Knight];
        for color in Color::ALL {
            out.extend(islands().map(|island| Action::ToIsland(color, island)));
            plays.extend([Play::MushroomHunter(color), Play::Princess(color), Play::Thief(color)]);
            plays.extend(islands().map(|island| Play::Monk(color, island)));
        }
        plays.extend(islands().flat_map(|island| [Play::Herald(island), Play::Granny(island)]));
        for (given, taken) in [
            ([1, 0, 0, 0, 0], [0, 1, 0, 0, 0]),
            ([0, 2, 0, 0, 0], [1, 0, 1, 0, 0]),
            ([0, 0, 3, 0, 0], [1, 1, 0, 1, 0]),
            ([0, 0, 0, 1, 1], [0, 1, 1, 0, 0]),
        ] {
            let exchange = Exchange::new(Students::new(given), Students::new(taken)).unwrap();
            plays.extend([Play::Jester(exchange), Play::Minstrel(exchange)]);
        }
        out.extend(plays.into_iter().map(Action::Character));
    }
}

/// Ten rounds in which each player plays an assistant, and in its turn a character, up to four students, Mother Nature
/// and a cloud.
const LONGEST: u64 = 10 * 4 * 8;

#[test]
fn the_game_keeps_the_contract() {
    let case = |name, config, seeds| Case { name, config, seeds: 0..seeds, bound: LONGEST };
    let plain = |players, is_expert| Config::new(players, is_expert).unwrap();
    let report = check::<State>(&[
        case("two, simple", plain(2, false), 4),
        case("two, expert", plain(2, true), 4),
        case("three, simple", plain(3, false), 3),
        case("three, expert", plain(3, true), 3),
        case("four, simple", plain(4, false), 3),
        case("four, expert", plain(4, true), 3),
    ]);
    let report = report.unwrap_or_else(|violation| panic!("{violation}"));
    assert_eq!(report.episodes, 20, "{report}");
    assert!(report.scrambles > 1000, "{report}");
}

/// Each character is in one of these games, whatever a seed draws.
#[test]
fn the_game_keeps_the_contract_with_every_character() {
    let cases: Vec<_> = Character::ALL
        .chunks(3)
        .map(|three| {
            let characters = three.try_into().unwrap();
            let config = Config::new(2, true).unwrap().with_characters(characters).unwrap();
            Case { name: "chosen characters", config, seeds: 0..3, bound: LONGEST }
        })
        .collect();
    let report = check::<State>(&cases).unwrap_or_else(|violation| panic!("{violation}"));
    assert_eq!(report.episodes, 12, "{report}");
}
