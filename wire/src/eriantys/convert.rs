//! Conversions between the values of the rules and those of messages.

use game_eriantys::table::ISLANDS;
use game_eriantys::{self as rules, Assistant, Card, Color, Config, Effect, Hand, Play, School, Table};
use thiserror::Error;

use super::nickname::Nickname;
use super::notice::Notice;
use super::request::{
    CharacterCardParameters, ChooseCloud, EntranceToDining, EntranceToIsland, MotherNatureStep,
    PlayCharacterCard, PlayHelperCard, Request,
};
use super::table::{self, Character, Professors, Students, TablePlayer, TableUpdate};
use super::words::{CharacterName, EffectKind, Phase, PieceColor, Place, RuleSet, TowerColor, WizardFamily};

/// Data of a player that the rules do not know.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Profile {
    /// The nickname.
    pub nickname: Nickname,
    /// The colour of its towers.
    pub tower: TowerColor,
    /// The family of its assistant cards.
    pub wizard: WizardFamily,
}

/// A table that cannot be one of the rules.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the table of match {number}: {why}")]
pub struct TableError {
    /// The number of the match.
    pub number: u64,
    /// The fault, and the expected value.
    pub why: String,
}

impl From<Color> for PieceColor {
    fn from(color: Color) -> Self {
        Self::ALL[color.index()]
    }
}

impl From<PieceColor> for Color {
    fn from(color: PieceColor) -> Self {
        match color {
            PieceColor::Yellow => Self::Yellow,
            PieceColor::Blue => Self::Blue,
            PieceColor::Green => Self::Green,
            PieceColor::Red => Self::Red,
            PieceColor::Pink => Self::Pink,
        }
    }
}

impl From<rules::Character> for CharacterName {
    fn from(character: rules::Character) -> Self {
        match character {
            rules::Character::Monk => Self::Monk,
            rules::Character::Farmer => Self::Farmer,
            rules::Character::Herald => Self::Herald,
            rules::Character::Mailman => Self::Mailman,
            rules::Character::Granny => Self::Granny,
            rules::Character::Centaur => Self::Centaur,
            rules::Character::Jester => Self::Jester,
            rules::Character::Knight => Self::Knight,
            rules::Character::MushroomHunter => Self::MushroomHunter,
            rules::Character::Minstrel => Self::Minstrel,
            rules::Character::Princess => Self::Princess,
            rules::Character::Thief => Self::Thief,
        }
    }
}

impl From<CharacterName> for rules::Character {
    fn from(name: CharacterName) -> Self {
        let found = Self::ALL.into_iter().find(|character| CharacterName::from(*character) == name);
        found.expect("each name is that of a character")
    }
}

impl From<rules::Students> for Students {
    fn from(students: rules::Students) -> Self {
        let [yellow, blue, green, red, pink] = students.counts();
        Self { yellow, blue, green, red, pink }
    }
}

impl From<Students> for rules::Students {
    fn from(students: Students) -> Self {
        let Students { yellow, blue, green, red, pink } = students;
        Self::new([yellow, blue, green, red, pink])
    }
}

impl RuleSet {
    /// Returns the rules with coins and characters, or those without.
    pub const fn of(is_expert: bool) -> Self {
        if is_expert { Self::Expert } else { Self::Simple }
    }
}

/// Returns the table of a match, as all its players see it.
///
/// # Panics
///
/// If there are fewer profiles than players.
pub fn table_update(number: u64, table: &Table, profiles: &[Profile]) -> TableUpdate {
    let name = |player: usize| profiles[player].nickname.clone();
    let tower = |team: u8| profiles[usize::from(team)].tower;
    let is_over = table.outcome.is_some();
    let islands = (0_u8..).zip(table.islands()).map(|(place, island)| table::Island {
        first: island.first + 1,
        size: island.size,
        students: island.students.into(),
        // The first players of all teams sit in the order of their teams.
        tower: island.owner.map(tower),
        towers: island.towers,
        mother_nature: place == table.mother_nature,
        bans: island.bans,
    });
    let players = table.players().map(|player| {
        let School { entrance, dining, hand, assistant, coins } = *table.school(player);
        let Profile { nickname, tower, wizard } = profiles[player.index()].clone();
        TablePlayer {
            nickname,
            tower,
            wizard,
            towers: table.towers_left().get(player.index()).copied().unwrap_or(0),
            entrance: entrance.into(),
            dining: dining.into(),
            coins,
            cards: hand.iter().map(Assistant::value).collect(),
            played: assistant.map(Assistant::value),
        }
    });
    let mut professors = Professors::default();
    for color in Color::ALL {
        *professors.of_mut(color.into()) = table.professor(color).map(|player| name(player.index()));
    }
    let characters = table.cards().iter().map(|card| Character {
        character: card.character.into(),
        price: card.price(),
        students: (card.character.students() > 0).then(|| card.students.into()),
        bans: (card.character.bans() > 0).then_some(card.bans),
        is_used: card.is_used,
    });
    TableUpdate {
        number,
        rules: RuleSet::of(table.config.is_expert()),
        round: table.round.into(),
        is_last_round: table.is_last_round,
        are_clouds_short: table.are_clouds_short,
        phase: phase(table),
        left: match table.phase {
            rules::Phase::Students { left } if !is_over => left,
            _ => 0,
        },
        turn: (!is_over).then(|| name(table.mover().index())),
        order: table.in_order().map(|player| name(player.index())).collect(),
        islands: islands.collect(),
        clouds: table.clouds().iter().map(|cloud| (*cloud).into()).collect(),
        players: players.collect(),
        professors,
        bag: table.bag.into(),
        coins: table.bank,
        characters: characters.collect(),
        effect: table.effect.map(effect),
    }
}

/// Returns the task of the player whose turn it is.
pub fn phase(table: &Table) -> Phase {
    match table.phase {
        _ if table.outcome.is_some() => Phase::Over,
        rules::Phase::Planning => Phase::Planning,
        rules::Phase::Students { .. } => Phase::Students,
        rules::Phase::MotherNature => Phase::MotherNature,
        rules::Phase::Cloud => Phase::Cloud,
    }
}

pub(super) fn effect(effect: Effect) -> table::Effect {
    let (kind, color) = match effect {
        Effect::Done => (EffectKind::Done, None),
        Effect::EqualCounts => (EffectKind::EqualCounts, None),
        Effect::MoreSteps => (EffectKind::MoreSteps, None),
        Effect::NoTowers => (EffectKind::NoTowers, None),
        Effect::MoreInfluence => (EffectKind::MoreInfluence, None),
        Effect::NoColor(color) => (EffectKind::NoColor, Some(color.into())),
    };
    table::Effect { kind, color }
}

/// Returns the table of the rules that an update shows. It has no outcome: the update of a match that is over shows the
/// table as it was left.
///
/// # Errors
///
/// If it is not the table of a match: there are too many or too few of something, or a name that is no player's.
pub fn read_table(update: &TableUpdate) -> Result<Table, TableError> {
    read(update).map_err(|why| TableError { number: update.number, why })
}

fn read(update: &TableUpdate) -> Result<Table, String> {
    let count = u8::try_from(update.players.len()).unwrap_or(u8::MAX);
    let config = Config::new(count, update.rules == RuleSet::Expert).map_err(|error| error.to_string())?;
    let player = |name: &Nickname| -> Result<u8, String> {
        let found = update.players.iter().position(|player| player.nickname == *name);
        let found = found.and_then(|place| u8::try_from(place).ok());
        found.ok_or_else(|| format!("`{name}` is no player: expected the nickname of one"))
    };
    let mut table = Table {
        config,
        round: u8::try_from(update.round)
            .map_err(|_| format!("round {}: expected 1 to {}", update.round, Assistant::COUNT))?,
        phase: read_phase(config, update.phase, update.left)?,
        is_last_round: update.is_last_round,
        are_clouds_short: update.are_clouds_short,
        bag: update.bag.into(),
        bank: update.coins,
        ..Table::default()
    };
    fill("players in order", &mut table.order, &update.order, config.players()..=config.players(), player)?;
    if let Some(turn) = &update.turn {
        let place = update.order.iter().position(|name| name == turn);
        let place = place.and_then(|place| u8::try_from(place).ok());
        table.place = place.ok_or_else(|| format!("`{turn}` has the turn, and is not in the order"))?;
    }
    let team = |color: TowerColor| -> Result<u8, String> {
        let found = update.players[..config.teams()].iter().position(|player| player.tower == color);
        let found = found.and_then(|place| u8::try_from(place).ok());
        found.ok_or_else(|| format!("{color} towers on an island: expected a colour of a player"))
    };
    let most = table.islands.len();
    fill("groups of islands", &mut table.islands, &update.islands, 1..=most, |island| {
        Ok(rules::Island {
            students: island.students.into(),
            owner: island.tower.map(team).transpose()?,
            towers: island.towers,
            bans: island.bans,
            first: read_first(island.first)?,
            size: island.size,
        })
    })?;
    table.island_count = u8::try_from(update.islands.len()).expect("at most twelve were filled in");
    table.mother_nature = read_mother_nature(update.islands.iter().map(|island| island.mother_nature))?;
    fill("clouds", &mut table.clouds, &update.clouds, config.players()..=config.players(), |cloud| {
        Ok((*cloud).into())
    })?;
    for color in Color::ALL {
        table.professors[color.index()] = update.professors.of(color.into()).map(player).transpose()?;
    }
    fill("players", &mut table.schools, &update.players, config.players()..=config.players(), |player| {
        let (hand, assistant) = read_assistants(&player.cards, player.played)?;
        let (entrance, dining, coins) = (player.entrance.into(), player.dining.into(), player.coins);
        Ok(School { entrance, dining, hand, assistant, coins })
    })?;
    for (left, player) in table.towers_left.iter_mut().zip(&update.players[..config.teams()]) {
        *left = player.towers;
    }
    table.cards = match &update.characters[..] {
        [] if !config.is_expert() => None,
        [first, second, third] if config.is_expert() => Some([first, second, third].map(|card| Card {
            character: card.character.into(),
            students: card.students.unwrap_or_default().into(),
            bans: card.bans.unwrap_or(0),
            is_used: card.is_used,
        })),
        others => {
            return Err(format!(
                "{} characters: expected 3 in an expert match, otherwise none",
                others.len()
            ));
        }
    };
    table.effect = update.effect.map(read_effect).transpose()?;
    check(&table)?;
    Ok(table)
}

/// Returns the phase, with the number of students that the player whose turn it is still moves. That of a game that is
/// over has no meaning.
pub(super) fn read_phase(config: Config, phase: Phase, left: u8) -> Result<rules::Phase, String> {
    let most = config.moves();
    let (fits, expected) = match phase {
        Phase::Students => ((1..=most).contains(&left), format!("1 to {most}")),
        _ => (left == 0, "0".to_owned()),
    };
    if !fits {
        return Err(format!("{left} students to move: expected {expected}"));
    }
    Ok(match phase {
        Phase::Planning | Phase::Over => rules::Phase::Planning,
        Phase::Students => rules::Phase::Students { left },
        Phase::MotherNature => rules::Phase::MotherNature,
        Phase::Cloud => rules::Phase::Cloud,
    })
}

/// Checks a table whose parts were read: that there is such a round, that each player is in the order, and that it has
/// no more pieces than the box.
pub(super) fn check(table: &Table) -> Result<(), String> {
    // Each player has an assistant for each round.
    if !(1..=Assistant::COUNT).contains(&table.round) {
        return Err(format!("round {}: expected 1 to {}", table.round, Assistant::COUNT));
    }
    if table.players().any(|player| !table.in_order().any(|other| other == player)) {
        return Err("a player is twice in the order: expected each player once".to_owned());
    }
    table.check_pieces()
}

/// Fills the first places of a table of the rules.
pub(super) fn fill<T, U>(
    what: &str,
    places: &mut [T],
    values: &[U],
    counts: std::ops::RangeInclusive<usize>,
    mut read: impl FnMut(&U) -> Result<T, String>,
) -> Result<(), String> {
    if !counts.contains(&values.len()) {
        return Err(format!("{} {what}: expected {} to {}", values.len(), counts.start(), counts.end()));
    }
    for (place, value) in places.iter_mut().zip(values) {
        *place = read(value)?;
    }
    Ok(())
}

/// Returns the place from 0 of the first island of a group.
pub(super) fn read_first(first: u8) -> Result<u8, String> {
    let place = first.checked_sub(1).filter(|place| usize::from(*place) < ISLANDS);
    place.ok_or_else(|| format!("`first` of an island is {first}: expected 1 to {ISLANDS}"))
}

/// Returns the place of the island on which Mother Nature is.
pub(super) fn read_mother_nature(islands: impl Iterator<Item = bool>) -> Result<u8, String> {
    let mut places = (0..).zip(islands).filter(|(_, is_there)| *is_there);
    match (places.next(), places.next()) {
        (Some((place, _)), None) => Ok(place),
        _ => Err("Mother Nature is on no island or on several: expected one".to_owned()),
    }
}

/// Returns the assistants in the hand of a player, and the one that it has played.
pub(super) fn read_assistants(cards: &[u8], played: Option<u8>) -> Result<(Hand, Option<Assistant>), String> {
    let assistant = |value: u8| {
        Assistant::new(value)
            .ok_or_else(|| format!("assistant card {value}: expected 1 to {}", Assistant::COUNT))
    };
    let hand = cards.iter().copied().map(assistant).collect::<Result<Hand, String>>()?;
    Ok((hand, played.map(assistant).transpose()?))
}

pub(super) fn read_effect(effect: table::Effect) -> Result<Effect, String> {
    Ok(match effect.kind {
        EffectKind::Done => Effect::Done,
        EffectKind::EqualCounts => Effect::EqualCounts,
        EffectKind::MoreSteps => Effect::MoreSteps,
        EffectKind::NoTowers => Effect::NoTowers,
        EffectKind::MoreInfluence => Effect::MoreInfluence,
        EffectKind::NoColor => match effect.color {
            Some(color) => Effect::NoColor(color.into()),
            None => return Err("an effect `noColor` without a colour".to_owned()),
        },
    })
}

/// Returns the message of a player that does this. A character is asked for with its name alone: its [`parameters`]
/// follow.
pub fn request_of(action: rules::Action) -> Request {
    match action {
        rules::Action::Assistant(assistant) => PlayHelperCard { card: assistant.value().into() }.into(),
        rules::Action::ToDining(color) => EntranceToDining { color: color.into() }.into(),
        rules::Action::ToIsland(color, island) => {
            EntranceToIsland { color: color.into(), island: island.number().into() }.into()
        }
        rules::Action::Steps(steps) => MotherNatureStep { steps: steps.into() }.into(),
        rules::Action::Cloud(cloud) => ChooseCloud { cloud: cloud.number().into() }.into(),
        rules::Action::Character(play) => PlayCharacterCard { character: play.character().into() }.into(),
    }
}

/// Returns the answer to a question about a character that is played in this way; none if it needs no such thing.
pub fn parameters(play: Play, asked: &Notice) -> Option<CharacterCardParameters> {
    let mut parameters = CharacterCardParameters::default();
    match (play, asked) {
        (
            Play::Monk(color, _) | Play::MushroomHunter(color) | Play::Princess(color) | Play::Thief(color),
            Notice::RequestColor(_),
        ) => parameters.color = Some(color.into()),
        (Play::Monk(_, island) | Play::Herald(island) | Play::Granny(island), Notice::RequestIsland(_)) => {
            parameters.island = Some(island.number().into());
        }
        (Play::Jester(exchange) | Play::Minstrel(exchange), Notice::RequestPieceColorList(asked)) => {
            let students = if asked.from == Place::Entrance { exchange.given() } else { exchange.taken() };
            parameters.colors = Some(students.each_student().map(PieceColor::from).collect());
        }
        _ => return None,
    }
    Some(parameters)
}
