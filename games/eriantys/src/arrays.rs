//! The game as arrays of numbers.
//!
//! A plane has one row with a number for each place of the ring of islands, in the order of their numbers; the places
//! behind the last island hold zeros. Players and teams are counted from the player itself: the next player at the
//! table is the first other one.
//!
//! The actions of a simple game are the first of those of an expert game. An exchange of students has a number for each
//! pair of sets of students, see [`Exchange`].

use std::sync::LazyLock;

use game_env::TeamId;
use game_env::arrays::{Arrays, Layout};

use crate::action::Action;
use crate::assistant::Assistant;
use crate::character::{Character, Exchange, Play};
use crate::config::Config;
use crate::state::{Observation, State};
use crate::students::{Color, Students};
use crate::table::{CloudId, Effect, ISLANDS, IslandId, MINSTREL_MOST, Phase, Table};

/// The most steps of Mother Nature: five with an assistant, two more with the mailman.
const MOST_STEPS: u8 = 7;

const PLAYERS: usize = Config::MOST_PLAYERS as usize;

/// The exchanges of up to three students: those of fewer students come first.
static EXCHANGES: LazyLock<Vec<Exchange>> = LazyLock::new(|| {
    let all = Students::each(Exchange::MOST);
    let mut exchanges = Vec::new();
    Exchange::for_each(all, all, Exchange::MOST, |exchange| exchanges.push(exchange));
    exchanges.sort_by_key(|exchange| (exchange.len(), key(*exchange)));
    exchanges
});

/// The number of exchanges of up to two students.
static MINSTREL_EXCHANGES: LazyLock<usize> =
    LazyLock::new(|| EXCHANGES.partition_point(|exchange| exchange.len() <= MINSTREL_MOST));

/// Returns a number that tells exchanges apart.
fn key(exchange: Exchange) -> u32 {
    let counts = exchange.given().counts().into_iter().chain(exchange.taken().counts());
    counts.fold(0, |key, count| 4 * key + u32::from(count))
}

/// Returns the place of an exchange among all.
fn place(exchange: Exchange) -> Option<usize> {
    let order = (exchange.len(), key(exchange));
    EXCHANGES.binary_search_by_key(&order, |other| (other.len(), key(*other))).ok()
}

/// The actions of one kind: their number, and the action at each place.
type Kind = (usize, fn(usize) -> Action);

fn color(place: usize) -> Color {
    Color::ALL[place]
}

fn island(place: usize) -> IslandId {
    IslandId::new(place).expect("the ring has this place")
}

fn narrow(place: usize) -> u8 {
    u8::try_from(place).expect("there are few of each kind")
}

/// The kinds of actions of a simple game.
static SIMPLE: [Kind; 5] = [
    (Assistant::COUNT as usize, |place| {
        Action::Assistant(Assistant::new(narrow(place) + 1).expect("there are ten"))
    }),
    (Color::COUNT, |place| Action::ToDining(color(place))),
    (Color::COUNT * ISLANDS, |place| Action::ToIsland(color(place / ISLANDS), island(place % ISLANDS))),
    (MOST_STEPS as usize, |place| Action::Steps(narrow(place) + 1)),
    (PLAYERS, |place| Action::Cloud(CloudId::new(place).expect("a cloud for each player"))),
];

/// The kinds of actions that an expert game adds: a character each, in the order of [`Character::ALL`].
static EXPERT: LazyLock<[Kind; Character::ALL.len()]> = LazyLock::new(|| {
    [
        (Color::COUNT * ISLANDS, |place| {
            Action::Character(Play::Monk(color(place / ISLANDS), island(place % ISLANDS)))
        }),
        (1, |_| Action::Character(Play::Farmer)),
        (ISLANDS, |place| Action::Character(Play::Herald(island(place)))),
        (1, |_| Action::Character(Play::Mailman)),
        (ISLANDS, |place| Action::Character(Play::Granny(island(place)))),
        (1, |_| Action::Character(Play::Centaur)),
        (EXCHANGES.len(), |place| Action::Character(Play::Jester(EXCHANGES[place]))),
        (1, |_| Action::Character(Play::Knight)),
        (Color::COUNT, |place| Action::Character(Play::MushroomHunter(color(place)))),
        (*MINSTREL_EXCHANGES, |place| Action::Character(Play::Minstrel(EXCHANGES[place]))),
        (Color::COUNT, |place| Action::Character(Play::Princess(color(place)))),
        (Color::COUNT, |place| Action::Character(Play::Thief(color(place)))),
    ]
});

/// Returns the kinds of actions of a game.
fn kinds(config: &Config) -> impl Iterator<Item = &'static Kind> {
    SIMPLE.iter().chain(EXPERT.iter().filter(|_| config.is_expert()))
}

/// Returns the kind of an action, and its place among those of its kind.
fn place_of(action: &Action) -> Option<(usize, usize)> {
    let on_island = |color: Color, island: IslandId| color.index() * ISLANDS + island.index();
    Some(match *action {
        Action::Assistant(assistant) => (0, usize::from(assistant.value()) - 1),
        Action::ToDining(color) => (1, color.index()),
        Action::ToIsland(color, island) => (2, on_island(color, island)),
        Action::Steps(steps) => (3, usize::from(steps).checked_sub(1)?),
        Action::Cloud(cloud) => (4, cloud.index()),
        Action::Character(play) => {
            let place = match play {
                Play::Monk(color, island) => on_island(color, island),
                Play::Herald(island) | Play::Granny(island) => island.index(),
                Play::Jester(exchange) | Play::Minstrel(exchange) => place(exchange)?,
                Play::MushroomHunter(color) | Play::Princess(color) | Play::Thief(color) => color.index(),
                Play::Farmer | Play::Mailman | Play::Centaur | Play::Knight => 0,
            };
            (SIMPLE.len() + play.character() as usize, place)
        }
    })
}

/// Writes the vector, or the meanings of its numbers.
trait Numbers {
    /// Adds one number.
    fn add(&mut self, meaning: &dyn Fn() -> String, number: u8);

    /// Adds the students of each colour.
    fn students(&mut self, meaning: &dyn Fn() -> String, students: Students) {
        for color in Color::ALL {
            self.add(&|| format!("{}: {color} students", meaning()), students[color]);
        }
    }
}

/// Keeps the meanings.
impl Numbers for Vec<String> {
    fn add(&mut self, meaning: &dyn Fn() -> String, _: u8) {
        self.push(meaning());
    }
}

/// Fills a slice from its beginning.
struct Filling<'a> {
    vector: &'a mut [f32],
    place: usize,
}

impl Numbers for Filling<'_> {
    fn add(&mut self, _: &dyn Fn() -> String, number: u8) {
        self.vector[self.place] = number.into();
        self.place += 1;
    }
}

/// Adds all numbers of the vector: the same in every state of a game, but for their values.
fn vector(seen: &Observation, config: Config, out: &mut impl Numbers) {
    let table = &seen.table;
    let (phase, left) = match table.phase {
        Phase::Planning => (0, 0),
        Phase::Students { left } => (1, left),
        Phase::MotherNature => (2, 0),
        Phase::Cloud => (3, 0),
    };
    for (number, name) in ["planning", "students", "Mother Nature", "cloud"].into_iter().enumerate() {
        out.add(&|| format!("1: the phase is {name}"), (number == phase).into());
    }
    out.add(&|| "students that the mover still moves".to_owned(), left);
    out.add(&|| "round".to_owned(), table.round);
    out.add(&|| "1: this is the last round".to_owned(), table.is_last_round.into());
    out.add(
        &|| "1: nobody takes students from clouds in this round".to_owned(),
        table.are_clouds_short.into(),
    );
    out.students(&|| "bag".to_owned(), table.bag);
    let players = config.players();
    for cloud in 0..players {
        out.students(&|| format!("cloud {}", cloud + 1), table.clouds[cloud]);
    }
    for other in 0..players {
        let player = (seen.player.index() + other) % players;
        let name = || if other == 0 { "own".to_owned() } else { format!("other {other}") };
        let school = &table.schools[player];
        let mover = usize::from(table.order[usize::from(table.place)]);
        out.add(&|| format!("{}: 1: it has the turn", name()), (mover == player).into());
        out.students(&|| format!("{} entrance", name()), school.entrance);
        out.students(&|| format!("{} dining room", name()), school.dining);
        for color in Color::ALL {
            let is_owner = table.professors[color.index()].map(usize::from) == Some(player);
            out.add(&|| format!("{}: 1: it has the {color} professor", name()), is_owner.into());
        }
        for assistant in Assistant::all() {
            let meaning = || format!("{}: 1: assistant {} is in its hand", name(), assistant.value());
            out.add(&meaning, school.hand.has(assistant).into());
        }
        let played = school.assistant.map_or(0, Assistant::value);
        out.add(&|| format!("{}: assistant of this round, 0 before", name()), played);
        out.add(&|| format!("{}: coins", name()), school.coins);
        let towers = table.towers_left[config.team(player)];
        out.add(&|| format!("{}: towers that its team has left", name()), towers);
    }
    if !config.is_expert() {
        return;
    }
    out.add(&|| "coins that nobody has".to_owned(), table.bank);
    for character in Character::ALL {
        let card = table.card(character);
        out.add(
            &|| format!("{character}: its price, 0 if it is not in the game"),
            card.map_or(0, |card| card.price()),
        );
        out.add(&|| format!("{character}: bans"), card.map_or(0, |card| card.bans));
        out.students(&|| character.to_string(), card.map_or(Students::NONE, |card| card.students));
    }
    let effects = [
        ("a character was played in this turn", table.effect.is_some()),
        ("equal counts take professors", table.effect == Some(Effect::EqualCounts)),
        ("Mother Nature goes two more steps", table.effect == Some(Effect::MoreSteps)),
        ("towers do not count", table.effect == Some(Effect::NoTowers)),
        ("the mover has two more influence", table.effect == Some(Effect::MoreInfluence)),
    ];
    for (meaning, holds) in effects {
        out.add(&|| format!("1: {meaning}"), holds.into());
    }
    for color in Color::ALL {
        let holds = table.effect == Some(Effect::NoColor(color));
        out.add(&|| format!("1: {color} students do not count"), holds.into());
    }
}

impl Arrays for State {
    fn layout(config: &Config) -> Layout {
        let mut planes: Vec<String> = Color::ALL.map(|color| format!("{color} students")).to_vec();
        planes.push("towers of the own team".to_owned());
        planes.extend((1..config.teams()).map(|team| format!("towers of other team {team}")));
        planes.extend(
            ["bans", "1: Mother Nature is there", "islands that have merged here"].map(str::to_owned),
        );
        let mut meanings = Vec::new();
        let seen =
            Observation { table: Table { config: *config, ..Table::default() }, ..Observation::default() };
        vector(&seen, *config, &mut meanings);
        Layout {
            planes,
            rows: 1,
            columns: ISLANDS,
            vector: meanings,
            actions: Self::actions(config).iter().map(Action::to_string).collect(),
        }
    }

    fn actions(config: &Config) -> Vec<Action> {
        kinds(config).flat_map(|(count, action)| (0..*count).map(action)).collect()
    }

    fn number(config: &Config, action: &Action) -> Option<usize> {
        let (kind, place) = place_of(action)?;
        let counts = || kinds(config).map(|(count, _)| *count);
        let own = counts().nth(kind)?;
        (place < own).then(|| counts().take(kind).sum::<usize>() + place)
    }

    fn write(seen: &Observation, planes: &mut [u8], out: &mut [f32]) {
        let table = &seen.table;
        let (teams, own) = (table.config.teams(), table.config.team(seen.player.index()));
        let towers = Color::COUNT;
        for (place, island) in table.islands().iter().enumerate() {
            let mut set = |plane: usize, number: u8| planes[plane * ISLANDS + place] = number;
            for color in Color::ALL {
                set(color.index(), island.students[color]);
            }
            if let Some(owner) = island.owner {
                set(towers + (usize::from(owner) + teams - own) % teams, island.towers);
            }
            set(towers + teams, island.bans);
            set(towers + teams + 1, (place == usize::from(table.mother_nature)).into());
            set(towers + teams + 2, island.size);
        }
        vector(seen, table.config, &mut Filling { vector: out, place: 0 });
    }

    fn points(&self, team: TeamId) -> i32 {
        let table = self.table();
        i32::from(table.config.towers()) - i32::from(table.towers_left[team.index()])
    }
}

#[cfg(test)]
mod tests {
    use game_env::conformance::{Case, check_arrays};
    use game_env::{AgentId, Environment as _, Seed};

    use super::*;

    #[test]
    fn numbers_and_actions_agree() {
        for (players, is_expert) in [(2, false), (2, true), (3, true), (4, false)] {
            let config = Config::new(players, is_expert).unwrap();
            let decisions = check_arrays::<State>(&Case { name: "arrays", config, seeds: 0..3, bound: 320 });
            assert!(decisions > 100, "{decisions}");
        }
    }

    /// Every character is in one of these games.
    #[test]
    fn numbers_and_actions_agree_with_every_character() {
        for three in Character::ALL.chunks(3) {
            let config = Config::new(2, true).unwrap().with_characters(three.try_into().unwrap()).unwrap();
            check_arrays::<State>(&Case { name: "characters", config, seeds: 0..4, bound: 320 });
        }
    }

    #[test]
    fn simple_games_have_the_first_actions_of_expert_games() {
        let actions = |is_expert| State::actions(&Config::new(2, is_expert).unwrap());
        let (simple, expert) = (actions(false), actions(true));
        assert_eq!((simple.len(), expert.len()), (86, 86 + 703));
        assert_eq!(simple[..], expert[..86]);
    }

    #[test]
    fn the_planes_show_the_islands_and_the_vector_the_players() {
        let config = Config::new(3, true).unwrap();
        let state = State::new(&config, Seed::new(7));
        let layout = State::layout(&config);
        let mut seen = Observation::default();
        let (mut planes, mut vector) = (vec![0; layout.plane_bytes()], vec![0.0; layout.vector.len()]);
        state.observe(AgentId::new(1), &mut seen);
        State::write(&seen, &mut planes, &mut vector);
        let plane = |name: &str| {
            let number = layout.planes.iter().position(|plane| plane == name).unwrap();
            &planes[number * ISLANDS..][..ISLANDS]
        };
        assert_eq!(plane("islands that have merged here"), [1; ISLANDS]);
        assert_eq!(plane("1: Mother Nature is there").iter().sum::<u8>(), 1);
        let number = |name: &str| vector[layout.vector.iter().position(|part| part == name).unwrap()];
        let entrance = state.table().school(AgentId::new(1)).entrance;
        let next = state.table().school(AgentId::new(2)).entrance;
        for color in Color::ALL {
            assert_eq!(number(&format!("own entrance: {color} students")), f32::from(entrance[color]));
            assert_eq!(number(&format!("other 1 entrance: {color} students")), f32::from(next[color]));
        }
        assert_eq!(number("round"), 1.0);
    }
}
