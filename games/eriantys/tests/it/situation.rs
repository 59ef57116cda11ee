//! Situations: a table with nothing on it but the objects that a test puts there.

use game_env::{Environment as _, Seed, SimTime};
use game_eriantys::{Assistant, Character, Config, Hand, Phase, State, Students, Table};

/// Two players, expert, with this character and two that have no students.
pub(crate) fn with(character: Character) -> Table {
    let others = [Character::Knight, Character::Centaur, Character::Farmer];
    let mut others = others.into_iter().filter(|other| *other != character);
    let three = [character, others.next().unwrap(), others.next().unwrap()];
    bare(Config::new(2, true).unwrap().with_characters(three).unwrap())
}

/// The first player is to move students. Mother Nature stands on island 1. Islands and dining rooms are empty. Each
/// player has `yybbgrp` in the entrance, and the players have played the assistants 5, 6 and so on.
pub(crate) fn bare(config: Config) -> Table {
    let mut table = *State::new(&config, Seed::new(1)).table();
    table.islands.iter_mut().for_each(|island| island.students = Students::NONE);
    table.mother_nature = 0;
    table.order = [0, 1, 2, 3];
    table.phase = Phase::Students { left: config.moves() };
    for (player, school) in (0..).zip(&mut table.schools[..config.players()]) {
        let assistant = Assistant::new(5 + player).unwrap();
        school.entrance = students("yybbgrp");
        school.hand = Hand::FULL.without(Hand::EMPTY.with(assistant));
        school.assistant = Some(assistant);
        school.coins = if config.is_expert() { 5 } else { 0 };
    }
    table
}

pub(crate) fn students(text: &str) -> Students {
    text.parse().unwrap()
}

/// Puts towers of a team on an island, taken from those that it has left.
pub(crate) fn build(table: &mut Table, island: usize, team: u8) {
    let size = table.islands[island].size;
    table.islands[island].owner = Some(team);
    table.islands[island].towers = size;
    table.towers_left[usize::from(team)] -= size;
}

/// The state of a table; the bag is drawn from with the seed 1.
pub(crate) fn begun(table: Table) -> State {
    State::resume(table, Seed::new(1).game())
}

/// Serves `PLAYER ACTION` requests, and returns every event as a line.
pub(crate) fn play(state: &mut State, requests: &str) -> Vec<String> {
    let mut events: Vec<(SimTime, _)> = Vec::new();
    for request in requests.split(", ") {
        let (player, action) = request.split_once(' ').unwrap();
        state.step(SimTime::START, player.parse().unwrap(), action.parse().unwrap(), &mut events);
    }
    events.iter().map(|(_, event)| event.to_string()).collect()
}
