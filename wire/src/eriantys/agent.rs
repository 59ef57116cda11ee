//! Eriantys in the agent protocol: the observation.
//!
//! Players and teams are numbers from 0: a player has the number of its seat. Islands and clouds are counted from 1 in
//! actions, such as `island red 3`, and stand in lists in this order.

use game_env::AgentId;
use game_eriantys::{self as rules, Assistant, Card, Color, Config, School, State, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::convert::{
    check, effect, fill, phase, read_assistants, read_effect, read_first, read_mother_nature, read_phase,
};
use super::table::{Effect, Students};
use super::words::{CharacterName, Phase, PieceColor, RuleSet};
use crate::agent::{Told, read};

/// The view of a player: the whole table of a game that is not over.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Observation {
    /// The player itself.
    #[schemars(range(max = 3))]
    pub player: u8,
    /// The player whose turn it is.
    #[schemars(range(max = 3))]
    pub mover: u8,
    /// The rules of the game.
    pub rules: RuleSet,
    /// The number of the round, from 1.
    pub round: u8,
    /// Whether the game ends with this round at the latest.
    pub is_last_round: bool,
    /// Whether the bag had too few students for the clouds of this round; nobody then takes students from a cloud.
    pub are_clouds_short: bool,
    /// The task of the player whose turn it is.
    pub phase: Phase,
    /// The number of students that the player whose turn it is still moves; 0 in every phase but `students`.
    pub left: u8,
    /// The players in the order of the present part of the round: planning, or the actions.
    pub order: Vec<u8>,
    /// The groups of islands in their ring, in the direction in which Mother Nature moves. The first one has the number
    /// 1.
    pub islands: Vec<Island>,
    /// The clouds. The first one has the number 1.
    pub clouds: Vec<Students>,
    /// The players by their numbers.
    pub players: Vec<Player>,
    /// The number of towers that each team has not built yet, by the numbers of the teams.
    pub towers_left: Vec<u8>,
    /// The students in the bag. Only their order is hidden.
    pub bag: Students,
    /// The coins that no player has; 0 with simple rules.
    pub coins: u8,
    /// The three characters of the game; none with simple rules.
    pub characters: Vec<Character>,
    /// Whether the configuration names the characters; otherwise they were drawn.
    pub are_characters_chosen: bool,
    /// The effect of the character that was played in this turn; `null` if none was.
    pub effect: Option<Effect>,
}

/// A group of islands: one, or several that have merged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Island {
    /// The number, from 1 to 12, that the first island of the group had at the beginning of the game.
    #[schemars(range(min = 1, max = 12))]
    pub first: u8,
    /// The number of islands of the group.
    #[schemars(range(min = 1, max = 12))]
    pub size: u8,
    /// The students on it.
    pub students: Students,
    /// The team whose towers stand on it; `null` if none stand there.
    pub team: Option<u8>,
    /// The number of towers on it.
    pub towers: u8,
    /// Whether Mother Nature is there.
    pub mother_nature: bool,
    /// The number of bans on it.
    pub bans: u8,
}

/// A player's school board, cards and coins.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Player {
    /// The students in its entrance.
    pub entrance: Students,
    /// The students in its dining room.
    pub dining: Students,
    /// The colours of its professors.
    pub professors: Vec<PieceColor>,
    /// The number of its coins; 0 with simple rules.
    pub coins: u8,
    /// The values of the assistant cards that it has not played, in rising order.
    pub cards: Vec<u8>,
    /// The value of the assistant card that it has played in this round; `null` if it has not played one.
    pub played: Option<u8>,
}

/// A character of the game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Character {
    /// Its name.
    pub name: CharacterName,
    /// Its present price in coins.
    pub price: u8,
    /// The students on the card.
    pub students: Students,
    /// The number of bans on the card.
    pub bans: u8,
    /// Whether it was played before in this game: the price has risen by one coin.
    pub is_used: bool,
}

impl Told for State {
    type Observation = Observation;

    fn tell(seen: &rules::Observation) -> Observation {
        let table = &seen.table;
        let island = |(place, island): (u8, &rules::Island)| Island {
            first: island.first + 1,
            size: island.size,
            students: island.students.into(),
            team: island.owner,
            towers: island.towers,
            mother_nature: place == table.mother_nature,
            bans: island.bans,
        };
        let player = |player: AgentId| {
            let School { entrance, dining, hand, assistant, coins } = *table.school(player);
            let professors = Color::ALL.into_iter().filter(|color| table.professor(*color) == Some(player));
            Player {
                entrance: entrance.into(),
                dining: dining.into(),
                professors: professors.map(PieceColor::from).collect(),
                coins,
                cards: hand.iter().map(Assistant::value).collect(),
                played: assistant.map(Assistant::value),
            }
        };
        let character = |card: &Card| Character {
            name: card.character.into(),
            price: card.price(),
            students: card.students.into(),
            bans: card.bans,
            is_used: card.is_used,
        };
        Observation {
            player: read::number(seen.player),
            mover: read::number(table.mover()),
            rules: RuleSet::of(table.config.is_expert()),
            round: table.round,
            is_last_round: table.is_last_round,
            are_clouds_short: table.are_clouds_short,
            phase: phase(table),
            left: match table.phase {
                rules::Phase::Students { left } => left,
                _ => 0,
            },
            order: table.in_order().map(read::number).collect(),
            islands: (0..).zip(table.islands()).map(island).collect(),
            clouds: table.clouds().iter().copied().map(Students::from).collect(),
            players: table.players().map(player).collect(),
            towers_left: table.towers_left().to_vec(),
            bag: table.bag.into(),
            coins: table.bank,
            characters: table.cards().iter().map(character).collect(),
            are_characters_chosen: table.config.characters().is_some(),
            effect: table.effect.map(effect),
        }
    }

    fn read(told: Observation) -> Result<rules::Observation, String> {
        let table = table(&told)?;
        Ok(rules::Observation { player: read::player("player", told.player, told.players.len())?, table })
    }
}

fn table(told: &Observation) -> Result<Table, String> {
    let count = told.players.len();
    let config = Config::new(u8::try_from(count).unwrap_or(u8::MAX), told.rules == RuleSet::Expert)
        .map_err(|error| error.to_string())?;
    let cards = cards(config, &told.characters)?;
    let config = match cards {
        Some(cards) if told.are_characters_chosen => {
            config.with_characters(cards.map(|card| card.character)).map_err(|error| error.to_string())?
        }
        None if told.are_characters_chosen => {
            return Err("`are_characters_chosen` is true with simple rules: expected false".to_owned());
        }
        _ => config,
    };
    if told.phase == Phase::Over {
        return Err("`phase` is `over`: expected a game that is not over".to_owned());
    }
    let mut table = Table {
        config,
        round: told.round,
        phase: read_phase(config, told.phase, told.left)?,
        is_last_round: told.is_last_round,
        are_clouds_short: told.are_clouds_short,
        bag: told.bag.into(),
        bank: told.coins,
        cards,
        effect: told.effect.map(read_effect).transpose()?,
        ..Table::default()
    };
    fill("players in order", &mut table.order, &told.order, count..=count, |number| {
        read::player("order", *number, count).map(read::number)
    })?;
    let place = told.order.iter().position(|player| *player == told.mover);
    let place = place.and_then(|place| u8::try_from(place).ok());
    table.place = place.ok_or_else(|| format!("`mover` is {}: expected a player of `order`", told.mover))?;
    let teams = config.teams();
    let most = table.islands.len();
    fill("groups of islands", &mut table.islands, &told.islands, 1..=most, |island| {
        if let Some(team) = island.team.filter(|team| usize::from(*team) >= teams) {
            return Err(format!("`team` of an island is {team}: expected a team from 0 to {}", teams - 1));
        }
        Ok(rules::Island {
            students: island.students.into(),
            owner: island.team,
            towers: island.towers,
            bans: island.bans,
            first: read_first(island.first)?,
            size: island.size,
        })
    })?;
    table.island_count = u8::try_from(told.islands.len()).expect("at most twelve were filled in");
    table.mother_nature = read_mother_nature(told.islands.iter().map(|island| island.mother_nature))?;
    fill("clouds", &mut table.clouds, &told.clouds, count..=count, |cloud| Ok((*cloud).into()))?;
    fill("players", &mut table.schools, &told.players, count..=count, |player| {
        let (hand, assistant) = read_assistants(&player.cards, player.played)?;
        let (entrance, dining, coins) = (player.entrance.into(), player.dining.into(), player.coins);
        Ok(School { entrance, dining, hand, assistant, coins })
    })?;
    for (number, player) in (0..).zip(&told.players) {
        for color in &player.professors {
            let owner = &mut table.professors[Color::from(*color).index()];
            if owner.replace(number).is_some() {
                return Err(format!("the {color} professor is listed twice: expected one owner"));
            }
        }
    }
    fill("numbers in `towers_left`", &mut table.towers_left, &told.towers_left, teams..=teams, |left| {
        Ok(*left)
    })?;
    check(&table)?;
    Ok(table)
}

/// Returns the characters of a game with this configuration.
fn cards(config: Config, characters: &[Character]) -> Result<Option<[Card; Config::CHARACTERS]>, String> {
    match characters {
        [] if !config.is_expert() => Ok(None),
        [first, second, third] if config.is_expert() => {
            Ok(Some([first, second, third].map(|character| Card {
                character: character.name.into(),
                students: character.students.into(),
                bans: character.bans,
                is_used: character.is_used,
            })))
        }
        others => Err(format!("{} characters: expected 3 in an expert game, otherwise none", others.len())),
    }
}
