//! Characters: which parameters each needs, and the questions for them, one after the other.

use game_env::AgentId;
use game_env::text::{counted, or_list};
use game_eriantys::{Action, Character, Color, Exchange, Play, Students, Table};
use wire::eriantys::notice::{RequestColor, RequestIsland, RequestPieceColorList};
use wire::eriantys::words::{CharacterName, PieceColor, Place};
use wire::eriantys::{Message as _, Notice, Request};

use super::play::island;
use super::{ConnectionId, Master};
use crate::eriantys::record::MatchId;

/// A character that a player is about to play, and what it has chosen so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Pending {
    /// Which student of the card goes to an island or to the dining room, or which colour counts.
    Color(Character),
    /// Which island: of the monk, with the colour of the student.
    Island(Character, Option<Color>),
    /// Which students come to the entrance.
    Taken(Character),
    /// Which students of the entrance go for them.
    Given(Character, Students),
}

impl Pending {
    /// Returns the first question of a character; none if it needs nothing.
    const fn of(character: Character) -> Result<Self, Play> {
        match character {
            Character::Monk | Character::MushroomHunter | Character::Princess | Character::Thief => {
                Ok(Self::Color(character))
            }
            Character::Herald | Character::Granny => Ok(Self::Island(character, None)),
            Character::Jester | Character::Minstrel => Ok(Self::Taken(character)),
            Character::Farmer => Err(Play::Farmer),
            Character::Mailman => Err(Play::Mailman),
            Character::Centaur => Err(Play::Centaur),
            Character::Knight => Err(Play::Knight),
        }
    }

    const fn character(self) -> Character {
        match self {
            Self::Color(character)
            | Self::Island(character, _)
            | Self::Taken(character)
            | Self::Given(character, _) => character,
        }
    }

    pub(super) fn question(self, table: &Table) -> Notice {
        let character = self.character();
        let name = CharacterName::from(character);
        match self {
            Self::Color(_) => {
                let colors = colors(table, character).into_iter().map(PieceColor::from).collect();
                let question = match character {
                    Character::Monk => "Which student of the card goes to an island?",
                    Character::Princess => "Which student of the card goes to your dining room?",
                    Character::Thief => "Students of which colour go back to the bag?",
                    _ => "Which colour does not count in this turn?",
                };
                RequestColor { character: name, colors, question: question.to_owned() }.into()
            }
            Self::Island(..) => {
                let question = match character {
                    Character::Monk => "To which island does the student go?",
                    Character::Granny => "On which island do you put the ban?",
                    _ => "Which island do you resolve?",
                };
                let islands = (1..=table.island_count).collect();
                RequestIsland { character: name, islands, question: question.to_owned() }.into()
            }
            Self::Taken(_) => {
                let (place, from) = source(table, character);
                let question = match place {
                    Place::Card => "Which students of the card do you take?",
                    _ => "Which students of your dining room do you take?",
                };
                let most = most(table, character);
                list(name, place, from, 1..=most, question)
            }
            Self::Given(_, taken) => {
                let count = taken.total();
                let question = "Which students of your entrance do you give in exchange?";
                list(name, Place::Entrance, entrance(table), count..=count, question)
            }
        }
    }
}

fn list(
    character: CharacterName,
    from: Place,
    students: Students,
    counts: std::ops::RangeInclusive<u8>,
    question: &str,
) -> Notice {
    let colors = students.each_student().map(PieceColor::from).collect();
    let (least, most) = (*counts.start(), *counts.end());
    RequestPieceColorList { character, from, colors, least, most, question: question.to_owned() }.into()
}

/// Returns the colours that may be chosen for a character.
fn colors(table: &Table, character: Character) -> Vec<Color> {
    let mut actions = Vec::new();
    table.options(table.mover(), &mut actions);
    let mut colors: Vec<Color> = Vec::new();
    for action in actions {
        let Action::Character(play) = action else { continue };
        let color = match play {
            _ if play.character() != character => continue,
            Play::Monk(color, _)
            | Play::MushroomHunter(color)
            | Play::Princess(color)
            | Play::Thief(color) => color,
            _ => continue,
        };
        if !colors.contains(&color) {
            colors.push(color);
        }
    }
    colors
}

fn entrance(table: &Table) -> Students {
    table.school(table.mover()).entrance
}

/// Returns the place from which an exchange brings students to the entrance, and the students there.
fn source(table: &Table, character: Character) -> (Place, Students) {
    match character {
        Character::Minstrel => (Place::Dining, table.school(table.mover()).dining),
        _ => (Place::Card, table.card(character).map_or(Students::NONE, |card| card.students)),
    }
}

/// Returns the most students that a character exchanges now.
fn most(table: &Table, character: Character) -> u8 {
    let by_rules = if character == Character::Minstrel { 2 } else { Exchange::MOST };
    by_rules.min(source(table, character).1.total()).min(entrance(table).total())
}

impl Master {
    /// A player wants to play a character.
    pub(super) fn begin_character(
        &mut self,
        id: ConnectionId,
        number: MatchId,
        place: usize,
        character: Character,
    ) {
        let Some(game) = self.matches.get_mut(&number) else { return };
        let table = game.state.table();
        let mut actions = Vec::new();
        table.options(AgentId::from_index(place), &mut actions);
        let is_possible = actions
            .iter()
            .any(|action| matches!(action, Action::Character(play) if play.character() == character));
        if !is_possible {
            let why = why_not(table, AgentId::from_index(place), character);
            return self.refuse(id, &format!("the {character} cannot be played: {why}"));
        }
        match Pending::of(character) {
            Ok(pending) => {
                game.pending = Some(pending);
                self.ask(id);
            }
            Err(play) => self.act(id, number, place, Action::Character(play)),
        }
    }

    /// A player answers what a character needs, or declines it.
    pub(super) fn answer_character(
        &mut self,
        id: ConnectionId,
        number: MatchId,
        place: usize,
        request: Request,
    ) {
        let Some(game) = self.matches.get_mut(&number) else { return };
        let Some(pending) = game.pending else { return };
        let table = *game.state.table();
        let parameters = match request {
            Request::DeclineCharacterCard(_) => {
                game.pending = None;
                return self.ask(id);
            }
            Request::CharacterCardParameters(parameters) => parameters,
            other => {
                let expected = "expected `CharacterCardParameters` or `DeclineCharacterCard`";
                return self.refuse(id, &format!("`{}`: {expected}", other.name()));
            }
        };
        match pending.answered(&table, parameters.color, parameters.island, parameters.colors.as_deref()) {
            Ok(Answered::Further(further)) => {
                game.pending = Some(further);
                self.ask(id);
            }
            Ok(Answered::Complete(play)) => {
                if let Some(refusal) = table.refusal(AgentId::from_index(place), Action::Character(play)) {
                    // Another first choice may be possible where this one is not.
                    game.pending = Pending::of(pending.character()).ok();
                    return self
                        .refuse(id, &format!("{play}: {}; expected another choice", refusal.reason()));
                }
                self.act(id, number, place, Action::Character(play));
            }
            Err(error) => {
                if matches!(pending, Pending::Given(..)) {
                    game.pending = Pending::of(pending.character()).ok();
                }
                self.refuse(id, &format!("`CharacterCardParameters`: {error}"));
            }
        }
    }
}

/// The result of an answer.
enum Answered {
    Further(Pending),
    Complete(Play),
}

impl Pending {
    fn answered(
        self,
        table: &Table,
        color: Option<PieceColor>,
        number: Option<i64>,
        list: Option<&[PieceColor]>,
    ) -> Result<Answered, String> {
        match self {
            Self::Color(character) => {
                let color: Color = color.ok_or("expected a `color`")?.into();
                let free = colors(table, character);
                if !free.contains(&color) {
                    let free = or_list(free.into_iter().map(Color::word));
                    return Err(format!("{color} cannot be chosen: expected {free}"));
                }
                Ok(match character {
                    Character::Monk => Answered::Further(Self::Island(character, Some(color))),
                    Character::Princess => Answered::Complete(Play::Princess(color)),
                    Character::Thief => Answered::Complete(Play::Thief(color)),
                    _ => Answered::Complete(Play::MushroomHunter(color)),
                })
            }
            Self::Island(character, color) => {
                let island = island(table, number.ok_or("expected an `island`")?)?;
                Ok(Answered::Complete(match (character, color) {
                    (Character::Monk, Some(color)) => Play::Monk(color, island),
                    (Character::Granny, _) => Play::Granny(island),
                    _ => Play::Herald(island),
                }))
            }
            Self::Taken(character) => {
                let taken = chosen(source(table, character).1, 1..=most(table, character), list)?;
                Ok(Answered::Further(Self::Given(character, taken)))
            }
            Self::Given(character, taken) => {
                let count = taken.total();
                let given = chosen(entrance(table), count..=count, list)?;
                let exchange = Exchange::new(given, taken)
                    .ok_or("the same colours go both ways: expected an exchange that changes something")?;
                Ok(Answered::Complete(match character {
                    Character::Minstrel => Play::Minstrel(exchange),
                    _ => Play::Jester(exchange),
                }))
            }
        }
    }
}

/// Returns these students, if there are as many of them.
fn chosen(
    there: Students,
    counts: std::ops::RangeInclusive<u8>,
    list: Option<&[PieceColor]>,
) -> Result<Students, String> {
    let list = list.ok_or("expected a list `colors`")?;
    let expected = match (counts.start(), counts.end()) {
        (least, most) if least == most => format!("{least}"),
        (least, most) => format!("{least} to {most}"),
    };
    if !u8::try_from(list.len()).is_ok_and(|count| counts.contains(&count)) {
        return Err(format!("{} students: expected {expected}", list.len()));
    }
    let students: Students = list.iter().copied().map(Color::from).collect();
    if !there.covers(students) {
        return Err("these students are not there: expected some of those in the question".to_owned());
    }
    Ok(students)
}

/// Explains why a character that is not among the options of a player cannot be played.
fn why_not(table: &Table, player: AgentId, character: Character) -> String {
    let Some(card) = table.card(character) else {
        let cards = table.cards();
        if cards.is_empty() {
            return "this match has simple rules".to_owned();
        }
        let names = or_list(cards.iter().map(|card| card.character.word()));
        return format!("it is not in this match: expected {names}");
    };
    let coins = table.school(player).coins;
    if table.effect.is_some() {
        "you have played a character in this turn: expected the next turn".to_owned()
    } else if coins < card.price() {
        format!("it costs {}, and you have {}", card.price(), counted(coins, "coin", "coins"))
    } else {
        "it needs a choice, and there is none now".to_owned()
    }
}
