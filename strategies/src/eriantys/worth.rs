//! Value of a table for a team: towers, professors, influence, and their likely changes.
//!
//! The unit is a tower. All weights are estimates.

use game_env::TeamId;
use game_eriantys::{Color, Island, IslandId, Phase, School, Table};

/// Value of a won game; a lost one has its negative.
pub const WON: f64 = 100.0;

const PROFESSOR: f64 = 0.7;
/// Each student that the owner of a professor has more than the next player, up to [`MOST_LEAD`].
const LEAD: f64 = 0.08;
const MOST_LEAD: u8 = 3;
/// Each student in the dining room.
const SEAT: f64 = 0.04;
const COIN: f64 = 0.12;
/// An island that would have another owner if Mother Nature came, for each tower that would change.
const TURNING: f64 = 0.22;
/// Each student's lead in influence on an island, up to [`MOST_MARGIN`].
const MARGIN: f64 = 0.035;
const MOST_MARGIN: f64 = 4.0;
/// Neighbours that merge: they are harder to conquer, and bring the end nearer.
const MERGE: f64 = 0.25;
/// Each colour in the entrance, and more for one whose professor is within reach.
const VARIETY: f64 = 0.03;
const REACHABLE: f64 = 0.03;

/// Returns the value of a table for a team, less the mean of the best and the average value of the other teams.
pub fn worth(table: &Table, team: TeamId) -> f64 {
    if let Some(outcome) = table.outcome {
        let places = outcome.ranking.places();
        let own = places[team.index()];
        let is_shared = places.iter().filter(|place| **place == own).count() > 1;
        return match (own, is_shared) {
            (1, false) => WON,
            (1, true) => 0.0,
            _ => -WON,
        };
    }
    let teams = table.config.teams();
    let mut sums = [0.0; 3];
    for (team, left) in table.towers_left().iter().enumerate() {
        let built = f64::from(table.config.towers() - left);
        // The last towers count more: with them the game is won.
        sums[team] += built + 0.5 / f64::from(*left).max(0.5);
    }
    add_professors(table, &mut sums);
    add_islands(table, &mut sums);
    add_schools(table, &mut sums);
    lead(&sums[..teams], team.index())
}

/// The worth of the table after the best move of Mother Nature that the mover can make now, if it still can.
pub fn prospects(table: &Table, team: TeamId) -> f64 {
    let now = worth(table, team);
    if table.outcome.is_some() || !matches!(table.phase, Phase::Students { .. } | Phase::MotherNature) {
        return now;
    }
    now + best_conquest(table, team, table.most_steps())
}

/// Returns the immediate gain of a team from the best of up to this many steps of Mother Nature.
pub fn best_conquest(table: &Table, team: TeamId, steps: u8) -> f64 {
    let count = table.islands().len();
    let gain = |steps: u8| {
        let place = (table.mother_nature().index() + usize::from(steps)) % count;
        IslandId::new(place).map_or(0.0, |island| conquest(table, team, island))
    };
    (1..=steps).map(gain).fold(f64::NEG_INFINITY, f64::max).max(-WON)
}

/// Returns the gain of a team from resolving an island now; negative if another team gains.
fn conquest(table: &Table, team: TeamId, id: IslandId) -> f64 {
    let island = table.island(id);
    if island.bans > 0 {
        return 0.0;
    }
    let Some(winner) = table.strongest(id) else { return 0.0 };
    if table.owner(id) == Some(winner) {
        return 0.0;
    }
    let size = f64::from(island.size);
    let left = f64::from(table.towers_left[winner.index()]);
    let count = table.islands().len();
    let beside = [1, count - 1].into_iter().filter(|step| {
        let place = (id.index() + step) % count;
        table.islands()[place].owner.map(usize::from) == Some(winner.index())
    });
    let is_last = left <= size;
    let gained = size + MERGE * beside.count() as f64 + if is_last { WON } else { 0.0 };
    match table.owner(id) {
        _ if winner != team => -gained - if table.owner(id) == Some(team) { size } else { 0.0 },
        Some(_) => gained + size,
        None => gained,
    }
}

/// The value of a team, minus the mean of the best and the average of the others.
fn lead(sums: &[f64], team: usize) -> f64 {
    let others = || sums.iter().enumerate().filter(|(other, _)| *other != team).map(|(_, sum)| *sum);
    let best = others().fold(f64::NEG_INFINITY, f64::max);
    let average = others().sum::<f64>() / (sums.len() - 1) as f64;
    sums[team] - f64::midpoint(best, average)
}

fn add_professors(table: &Table, sums: &mut [f64; 3]) {
    for color in Color::ALL {
        let Some(owner) = table.professor(color) else { continue };
        let own = table.school(owner).dining[color];
        let others = table.players().filter(|player| *player != owner);
        let next = others.map(|player| table.school(player).dining[color]).max().unwrap_or(0);
        let lead = f64::from(own.saturating_sub(next).min(MOST_LEAD));
        sums[table.team(owner).index()] += PROFESSOR + LEAD * lead;
    }
}

fn add_islands(table: &Table, sums: &mut [f64; 3]) {
    let owners = table.professors.map(|owner| owner.map(|player| table.config.team(player.into())));
    for island in table.islands() {
        let influence = lasting_influence(island, &owners);
        let most = influence.into_iter().max().unwrap_or(0);
        if most == 0 {
            continue;
        }
        let mut strongest = (0..3).filter(|team| influence[*team] == most);
        let (Some(first), None) = (strongest.next(), strongest.next()) else { continue };
        let next = (0..3).filter(|team| *team != first).map(|team| influence[team]).max().unwrap_or(0);
        let size = f64::from(island.size);
        let lasts = if island.bans > 0 { 0.5 } else { 1.0 };
        sums[first] += lasts * MARGIN * f64::from(most - next).min(MOST_MARGIN) * size.sqrt();
        match island.owner.map(usize::from) {
            None => sums[first] += lasts * TURNING * size,
            Some(owner) if owner != first => sums[first] += lasts * 2.0 * TURNING * size,
            Some(_) => {}
        }
    }
}

/// The influence of each team without the effect of a character, which ends with the turn.
fn lasting_influence(island: &Island, owners: &[Option<usize>; Color::COUNT]) -> [u8; 3] {
    let mut influence = [0; 3];
    for (color, owner) in Color::ALL.into_iter().zip(owners) {
        if let Some(team) = owner {
            influence[*team] += island.students[color];
        }
    }
    if let Some(owner) = island.owner {
        influence[usize::from(owner)] += island.towers;
    }
    influence
}

fn add_schools(table: &Table, sums: &mut [f64; 3]) {
    for player in table.players() {
        let School { entrance, dining, coins, .. } = *table.school(player);
        let mut sum = SEAT * f64::from(dining.total()) + COIN * f64::from(coins);
        for color in entrance.colors() {
            let most = table.players().map(|other| table.school(other).dining[color]).max().unwrap_or(0);
            let is_reachable = dining[color] + entrance[color] > most;
            sum += VARIETY + if is_reachable { REACHABLE } else { 0.0 };
        }
        sums[table.team(player).index()] += sum;
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Environment as _, Seed};
    use game_eriantys::{Config, State, Students};

    use super::*;

    fn table() -> Table {
        *State::new(&Config::new(2, true).unwrap(), Seed::new(3)).table()
    }

    #[test]
    fn what_is_good_for_one_team_is_bad_for_the_other() {
        let [one, two] = [0, 1].map(TeamId::new);
        let mut table = table();
        table.towers_left = [5, 8, 0];
        table.professors[0] = Some(1);
        assert!(worth(&table, one) > 1.0);
        assert!((worth(&table, one) + worth(&table, two)).abs() < 1e-9);
    }

    #[test]
    fn a_conquest_within_reach_counts() {
        let mut table = table();
        let team = table.team(table.mover());
        table.phase = Phase::MotherNature;
        table.mother_nature = 0;
        table.professors[Color::Red.index()] = Some(table.order[0]);
        table.islands[3].students = Students::new([0, 0, 0, 3, 0]);
        table.islands[1..3].iter_mut().for_each(|island| island.students = Students::NONE);
        assert!(best_conquest(&table, team, 2).abs() < 1e-9);
        assert!(best_conquest(&table, team, 3) >= 1.0);
    }
}
