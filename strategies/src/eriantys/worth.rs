//! Value of a table for a team: towers, professors, influence, and their likely changes.
//!
//! The unit is a tower. All weights are estimates.

use game_env::TeamId;
use game_eriantys::{Color, Phase, School, Scoring, Students, Table};

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
    let counts = Counts::of(table);
    add_professors(table, &counts, &mut sums);
    add_islands(table, &mut sums);
    add_schools(table, &counts, &mut sums);
    lead(&sums[..teams], team.index())
}

/// Returns the worth of the table after the best move of Mother Nature that the mover can make now, if it still can.
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
    let scoring = table.scoring();
    let gain = |steps: u8| {
        let place = (table.mother_nature().index() + usize::from(steps)) % count;
        conquest(table, &scoring, team, place)
    };
    (1..=steps).map(gain).fold(f64::NEG_INFINITY, f64::max).max(-WON)
}

/// Returns the gain of a team from resolving the island at this place now; negative if another team gains.
fn conquest(table: &Table, scoring: &Scoring, team: TeamId, place: usize) -> f64 {
    let islands = table.islands();
    let island = &islands[place];
    if island.bans > 0 {
        return 0.0;
    }
    let Some((winner, _)) = scoring.strongest(island) else { return 0.0 };
    let owner = island.owner.map(TeamId::new);
    if owner == Some(winner) {
        return 0.0;
    }
    let size = f64::from(island.size);
    let left = f64::from(table.towers_left[winner.index()]);
    let count = islands.len();
    let beside = [1, count - 1]
        .into_iter()
        .filter(|step| islands[(place + step) % count].owner.map(TeamId::new) == Some(winner));
    let is_last = left <= size;
    let gained = size + MERGE * beside.count() as f64 + if is_last { WON } else { 0.0 };
    match owner {
        _ if winner != team => -gained - if owner == Some(team) { size } else { 0.0 },
        Some(_) => gained + size,
        None => gained,
    }
}

/// Returns the value of a team, minus the mean of the best and the average of the others.
fn lead(sums: &[f64], team: usize) -> f64 {
    let others = || sums.iter().enumerate().filter(|(other, _)| *other != team).map(|(_, sum)| *sum);
    let best = others().fold(f64::NEG_INFINITY, f64::max);
    let average = others().sum::<f64>() / (sums.len() - 1) as f64;
    sums[team] - f64::midpoint(best, average)
}

fn add_professors(table: &Table, counts: &Counts, sums: &mut [f64; 3]) {
    for color in Color::ALL {
        let Some(owner) = table.professor(color) else { continue };
        let (own, most) = (table.school(owner).dining[color], counts.most[color]);
        let next = if own == most { counts.next[color] } else { most };
        let lead = f64::from(own.saturating_sub(next).min(MOST_LEAD));
        sums[table.team(owner).index()] += PROFESSOR + LEAD * lead;
    }
}

fn add_islands(table: &Table, sums: &mut [f64; 3]) {
    let scoring = table.lasting_scoring();
    for island in table.islands() {
        let Some((first, lead)) = scoring.strongest(island) else { continue };
        let (first, size) = (first.index(), f64::from(island.size));
        let lasts = if island.bans > 0 { 0.5 } else { 1.0 };
        sums[first] += lasts * MARGIN * f64::from(lead).min(MOST_MARGIN) * size.sqrt();
        match island.owner.map(usize::from) {
            None => sums[first] += lasts * TURNING * size,
            Some(owner) if owner != first => sums[first] += lasts * 2.0 * TURNING * size,
            Some(_) => {}
        }
    }
}

fn add_schools(table: &Table, counts: &Counts, sums: &mut [f64; 3]) {
    for player in table.players() {
        let School { entrance, dining, coins, .. } = *table.school(player);
        let mut sum = SEAT * f64::from(dining.total()) + COIN * f64::from(coins);
        for color in Color::ALL {
            let is_reachable = dining[color] + entrance[color] > counts.most[color];
            let value = VARIETY + if is_reachable { REACHABLE } else { 0.0 };
            sum += if entrance.has(color) { value } else { 0.0 };
        }
        sums[table.team(player).index()] += sum;
    }
}

/// The students of each colour in the fullest dining room, and in the one after it.
struct Counts {
    most: Students,
    next: Students,
}

impl Counts {
    fn of(table: &Table) -> Self {
        let mut counts = Self { most: Students::NONE, next: Students::NONE };
        for player in table.players() {
            let dining = table.school(player).dining;
            for color in Color::ALL {
                let (count, most) = (dining[color], counts.most[color]);
                counts.next[color] = counts.next[color].max(count.min(most));
                counts.most[color] = most.max(count);
            }
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Environment as _, Seed};
    use game_eriantys::{Config, State};

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
