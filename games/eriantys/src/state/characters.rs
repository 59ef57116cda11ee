//! The effect of each character.

use game_env::AgentId;

use super::{Event, State};
use crate::character::{Character, Play};
use crate::students::{Color, Students};
use crate::table::{Card, Effect};

/// The most students that the thief takes from each player.
const THIEF_MOST: u8 = 3;

impl State {
    /// Takes the price and plays a character.
    pub(super) fn play_character(&mut self, player: AgentId, play: Play, tell: &mut impl FnMut(Event)) {
        let character = play.character();
        let price = self.pay(player, character);
        tell(Event::Character { player, play, price });
        self.table.effect = Some(match play {
            Play::Farmer => Effect::EqualCounts,
            Play::Mailman => Effect::MoreSteps,
            Play::Centaur => Effect::NoTowers,
            Play::Knight => Effect::MoreInfluence,
            Play::MushroomHunter(color) => Effect::NoColor(color),
            _ => Effect::Done,
        });
        match play {
            Play::Farmer => self.look_at_professors(tell),
            Play::Mailman | Play::Centaur | Play::Knight | Play::MushroomHunter(_) => {}
            Play::Monk(color, island) => {
                self.take_from_card(character, color, tell);
                self.table.islands[island.index()].students[color] += 1;
            }
            Play::Princess(color) => {
                self.take_from_card(character, color, tell);
                self.seat(player, color, tell);
                self.look_at_professor(color, tell);
            }
            Play::Herald(island) => self.resolve(island, tell),
            Play::Granny(island) => {
                self.card_mut(character).bans -= 1;
                self.table.islands[island.index()].bans += 1;
            }
            Play::Jester(exchange) => {
                let card = self.card_mut(character);
                card.students = card.students - exchange.taken() + exchange.given();
                let school = &mut self.table.schools[player.index()];
                school.entrance = school.entrance - exchange.given() + exchange.taken();
            }
            Play::Minstrel(exchange) => {
                let school = &mut self.table.schools[player.index()];
                school.entrance = school.entrance - exchange.given() + exchange.taken();
                school.dining -= exchange.taken();
                for color in exchange.given().each_student() {
                    self.seat(player, color, tell);
                }
                self.look_at_professors(tell);
            }
            Play::Thief(color) => self.return_students(color, tell),
        }
    }

    /// Pays a character's price. A coin stays on the card when it is used for the first time; the others go to the
    /// bank.
    fn pay(&mut self, player: AgentId, character: Character) -> u8 {
        let card = self.card_mut(character);
        let price = card.price();
        let stays = u8::from(!card.is_used);
        card.is_used = true;
        self.table.schools[player.index()].coins -= price;
        self.table.bank += price - stays;
        price
    }

    fn card_mut(&mut self, character: Character) -> &mut Card {
        let cards = self.table.cards.iter_mut().flatten();
        cards.into_iter().find(|card| card.character == character).expect("the action was checked")
    }

    /// Takes a student off a card, and draws another one, if the bag has one.
    fn take_from_card(&mut self, character: Character, color: Color, tell: &mut impl FnMut(Event)) {
        let drawn = self.table.bag.draw(&mut self.chance);
        let students = &mut self.card_mut(character).students;
        students[color] -= 1;
        if let Some(drawn) = drawn {
            students[drawn] += 1;
            tell(Event::Refilled { character, color: drawn });
            self.look_at_bag(tell);
        }
    }

    fn return_students(&mut self, color: Color, tell: &mut impl FnMut(Event)) {
        for player in self.table.players() {
            let dining = &mut self.table.schools[player.index()].dining;
            let returned = dining[color].min(THIEF_MOST);
            dining[color] -= returned;
            self.table.bag[color] += returned;
            if returned > 0 {
                let mut students = Students::NONE;
                students[color] = returned;
                tell(Event::Returned { player, students });
            }
        }
        self.look_at_professor(color, tell);
    }

    fn look_at_professors(&mut self, tell: &mut impl FnMut(Event)) {
        Color::ALL.into_iter().for_each(|color| self.look_at_professor(color, tell));
    }
}
