//! The same as a [belief](super::belief) for large boards: a table of places and one of homes instead of their pairs.
//!
//! Place and home are treated as independent, which is exact once the place is known. So a player that is lost first
//! looks for a corner, where it learns its place, and then for its home.

use game_conveyor::{Action, Answer, Config, Direction, Steps};

use super::belief::{is_inner, shares};

/// The share of the belief in homes that each answer spreads over all places again. Hints that were taken for those of
/// another place, after an unnoticed ride, must not exclude the home for good.
const DOUBT: f64 = 0.003;

/// A player knows where it is if one place has this probability.
const KNOWN: f64 = 0.5;

/// Factor by which the worth of a home falls with each request that it is further away.
const SHARE: f64 = 0.8;

/// Factor on the value of a place for a request that is refused there.
const REFUSED: f64 = 0.5;

/// Beliefs of a player. See the [module](self).
#[derive(Clone, Debug)]
pub(super) struct Marginals {
    config: Config,
    /// One table for each direction in which the player may look; a player that steps in any direction has one.
    at: Vec<Vec<f64>>,
    home: Vec<f64>,
    /// The probability that a field is a hint, and that an inner field is the start of a conveyor.
    hint: f64,
    start: f64,
}

impl Marginals {
    /// Nothing is known.
    ///
    /// `turns` is for the player that turns and goes ahead.
    pub(super) fn new(config: Config, turns: bool) -> Self {
        let fields = usize::from(config.fields());
        let headings = if turns { Direction::ALL.len() } else { 1 };
        let (hint, start) = shares(config);
        Self {
            config,
            at: vec![vec![1.0 / (headings * fields) as f64; fields]; headings],
            home: vec![1.0 / fields as f64; fields],
            hint,
            start,
        }
    }

    fn turns(&self) -> bool {
        self.at.len() > 1
    }

    fn at(&self, index: usize) -> f64 {
        self.at.iter().map(|table| table[index]).sum()
    }

    /// The answer to an action has come, and the game goes on.
    pub(super) fn answered(&mut self, action: Action, answer: Answer) {
        match (action, answer) {
            // A player learns nothing from a request that only the other one may make.
            (Action::Turn(_), Answer::Refused | Answer::Hint(_)) => {}
            (Action::Turn(direction), Answer::Done) => self.turned(direction),
            (Action::Step(direction), answer) => self.moved(Some(direction), 1, answer),
            (Action::Ahead(steps), answer) => self.moved(None, steps.fields(), answer),
        }
    }

    fn turned(&mut self, direction: Direction) {
        let fields = self.home.len();
        let sums: Vec<f64> = (0..fields).map(|index| self.at(index)).collect();
        for (table, heading) in self.at.iter_mut().zip(Direction::ALL) {
            if heading == direction {
                table.clone_from(&sums);
            } else {
                table.fill(0.0);
            }
        }
    }

    /// `direction` is that of a step; a player that goes ahead moves as it looks.
    fn moved(&mut self, direction: Option<Direction>, steps: u8, answer: Answer) {
        let config = self.config;
        let fits = match answer {
            Answer::Refused => return self.refused(direction, steps),
            Answer::Done => self.home.iter().map(|home| (1.0 - self.hint) * (1.0 - home)).collect(),
            Answer::Hint(to) => {
                let beyond = self.beyond(&self.home, to);
                beyond.into_iter().map(|share| self.hint * share).collect::<Vec<f64>>()
            }
        };
        let mut carried = 0.0;
        let mut landed = vec![vec![0.0; self.home.len()]; self.at.len()];
        for (heading, (table, landed)) in Direction::ALL.into_iter().zip(self.at.iter().zip(&mut landed)) {
            for (index, place) in config.places().enumerate() {
                let weight = table[index];
                if weight == 0.0 {
                    continue;
                }
                let Some(field) = config.ahead(place, direction.unwrap_or(heading), steps) else { continue };
                let start = if is_inner(config, field) { self.start } else { 0.0 };
                carried += weight * start;
                let field = self.config.index(field);
                landed[field] += weight * (1.0 - start) * fits[field];
            }
        }
        self.at = landed;
        // The places where the player landed if no conveyor carried it on.
        let stands: Vec<f64> = (0..self.home.len()).map(|index| self.at(index)).collect();
        let total: f64 = stands.iter().sum::<f64>() + if answer == Answer::Done { carried } else { 0.0 };
        if answer == Answer::Done {
            let everywhere = carried / (self.home.len() * self.at.len()) as f64;
            self.at.iter_mut().flatten().for_each(|weight| *weight += everywhere);
        }
        match answer {
            Answer::Hint(to) => {
                let agrees = self.beyond(&stands, opposite(to));
                self.home.iter_mut().zip(agrees).for_each(|(home, agrees)| *home *= agrees);
            }
            _ => {
                let scale = if total > 0.0 { 1.0 / total } else { 0.0 };
                self.home.iter_mut().zip(&stands).for_each(|(home, stands)| *home *= 1.0 - stands * scale);
            }
        }
        self.normalise();
    }

    fn refused(&mut self, direction: Option<Direction>, steps: u8) {
        let config = self.config;
        for (table, heading) in self.at.iter_mut().zip(Direction::ALL) {
            for (weight, place) in table.iter_mut().zip(config.places()) {
                if config.ahead(place, direction.unwrap_or(heading), steps).is_some() {
                    *weight = 0.0;
                }
            }
        }
        self.normalise();
        // The player has not been at home all the time.
        let stands: Vec<f64> = (0..self.home.len()).map(|index| self.at(index)).collect();
        self.home.iter_mut().zip(stands).for_each(|(home, stands)| *home *= 1.0 - stands);
        self.normalise();
    }

    /// Returns for each place the probability that a hint there gives this direction, if the target of the hint is
    /// distributed like these weights: all of the weight beyond in the same row or column, half of the rest beyond.
    fn beyond(&self, weights: &[f64], direction: Direction) -> Vec<f64> {
        let (columns, rows) = (usize::from(self.config.columns()), usize::from(self.config.rows()));
        // As if the direction were right: lines along it, from the first field to the last.
        let along = |line: usize, step: usize| match direction {
            Direction::Right => line * columns + step,
            Direction::Left => line * columns + (columns - 1 - step),
            Direction::Up => step * columns + line,
            Direction::Down => (rows - 1 - step) * columns + line,
        };
        let (lines, steps) = match direction {
            Direction::Left | Direction::Right => (rows, columns),
            Direction::Up | Direction::Down => (columns, rows),
        };
        let mut out = vec![0.0; weights.len()];
        let mut in_line = vec![0.0; lines];
        let mut in_all = 0.0;
        for step in (0..steps).rev() {
            for (line, own) in in_line.iter().enumerate() {
                out[along(line, step)] = f64::midpoint(in_all, *own);
            }
            for (line, own) in in_line.iter_mut().enumerate() {
                let weight = weights[along(line, step)];
                *own += weight;
                in_all += weight;
            }
        }
        out
    }

    /// Sums become 1 again. A table that nothing fits any more becomes even: the player was carried, or its home lies
    /// where it was believed not to be.
    fn normalise(&mut self) {
        let (headings, fields) = (self.at.len(), self.home.len());
        spread(self.at.iter_mut().flatten(), headings * fields);
        spread(self.home.iter_mut(), fields);
        let doubt = DOUBT / fields as f64;
        self.home.iter_mut().for_each(|home| *home = *home * (1.0 - DOUBT) + doubt);
    }
}

fn spread<'a>(weights: impl Iterator<Item = &'a mut f64>, count: usize) {
    let weights: Vec<&mut f64> = weights.collect();
    let total: f64 = weights.iter().map(|weight| **weight).sum();
    for weight in weights {
        // Below the smallest normal numbers a division would lose all digits.
        *weight = if total > f64::MIN_POSITIVE { *weight / total } else { 1.0 / count as f64 };
    }
}

const fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Up => Direction::Down,
        Direction::Down => Direction::Up,
        Direction::Left => Direction::Right,
        Direction::Right => Direction::Left,
    }
}

impl Marginals {
    /// Chooses the next action: a player that is lost takes the action whose refusal is closest to even odds; one that
    /// knows its place goes to the home with the greatest value.
    pub(super) fn best(&self) -> Action {
        let is_lost = (0..self.home.len()).all(|index| self.at(index) < KNOWN);
        let values = self.values();
        let worth = |direction: Option<Direction>, steps: u8| {
            if is_lost {
                let refused = self.mean(direction, steps, |_| 0.0, |_| 1.0);
                refused * (1.0 - refused)
            } else {
                self.mean(direction, steps, |field| values[field], |place| REFUSED * values[place])
            }
        };
        let mut best = (f64::NEG_INFINITY, Action::Turn(Direction::Up));
        let mut consider = |worth: f64, action: Action| {
            if worth > best.0 {
                best = (worth, action);
            }
        };
        if self.turns() {
            for steps in Steps::ALL {
                consider(worth(None, steps.fields()), Action::Ahead(steps));
            }
        }
        for direction in Direction::ALL {
            if self.turns() {
                let ahead = Steps::ALL.map(|steps| worth(Some(direction), steps.fields()));
                consider(SHARE * ahead.into_iter().fold(0.0, f64::max), Action::Turn(direction));
            } else {
                consider(worth(Some(direction), 1), Action::Step(direction));
            }
        }
        best.1
    }

    /// Returns the mean value of a move: of the fields that it leads to, and of the places where it is refused.
    fn mean(
        &self,
        direction: Option<Direction>,
        steps: u8,
        landed: impl Fn(usize) -> f64,
        refused: impl Fn(usize) -> f64,
    ) -> f64 {
        let mut sum = 0.0;
        for (heading, table) in Direction::ALL.into_iter().zip(&self.at) {
            for ((index, place), weight) in self.config.places().enumerate().zip(table) {
                if *weight > 0.0 {
                    let field = self.config.ahead(place, direction.unwrap_or(heading), steps);
                    sum += weight
                        * field.map_or_else(|| refused(index), |field| landed(self.config.index(field)));
                }
            }
        }
        sum
    }

    /// Returns for each place the value of the best of the possible homes.
    ///
    /// The requests to a home are those along the row and those along the column, so the best of all homes is the best
    /// of the rows' best ones.
    fn values(&self) -> Vec<f64> {
        let (columns, rows) = (usize::from(self.config.columns()), usize::from(self.config.rows()));
        let longest = if self.turns() { usize::from(Steps::Three.fields()) } else { 1 };
        let requests = (0..columns.max(rows)).map(|distance| distance.div_ceil(longest));
        let worth: Vec<f64> =
            requests.map(|requests| SHARE.powi(i32::try_from(requests).expect("boards are small"))).collect();
        let mut along_rows = vec![0.0; self.home.len()];
        for (row, from) in self.home.chunks(columns).zip(along_rows.chunks_mut(columns)) {
            for (place, value) in from.iter_mut().enumerate() {
                let worths = row.iter().enumerate().map(|(home, share)| share * worth[place.abs_diff(home)]);
                *value = worths.fold(0.0, f64::max);
            }
        }
        let mut values = vec![0.0; self.home.len()];
        for row in 0..rows {
            for other in 0..rows {
                let worth = worth[row.abs_diff(other)];
                let (to, from) =
                    (&mut values[row * columns..][..columns], &along_rows[other * columns..][..columns]);
                to.iter_mut().zip(from).for_each(|(to, from)| *to = f64::max(*to, worth * from));
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use game_conveyor::Place;

    use super::*;

    #[test]
    fn a_corner_tells_the_place() {
        let config = Config::new(40, 30).unwrap();
        let mut belief = Marginals::new(config, false);
        belief.answered(Action::Step(Direction::Up), Answer::Refused);
        belief.answered(Action::Step(Direction::Left), Answer::Refused);
        let corner = Place::new(1, 30);
        assert!((belief.at(belief.config.index(corner)) - 1.0).abs() < 1e-9);
        // The home lies somewhere else, and the nearest fields are tried first.
        assert!(matches!(belief.best(), Action::Step(Direction::Right | Direction::Down)));
        belief.answered(Action::Step(Direction::Right), Answer::Hint(Direction::Down));
        let above = belief.home[belief.config.index(Place::new(20, 30))];
        assert!(
            above < belief.home[belief.config.index(Place::new(20, 29))] / 100.0,
            "no home lies in the upper row"
        );
    }

    #[test]
    fn what_cannot_be_starts_anew() {
        let mut belief = Marginals::new(Config::new(5, 4).unwrap(), true);
        for heading in Direction::ALL {
            belief.answered(Action::Turn(heading), Answer::Done);
            belief.answered(Action::Ahead(Steps::One), Answer::Refused);
        }
        let total: f64 = (0..20).map(|index| belief.at(index)).sum();
        assert!((total - 1.0).abs() < 1e-9);
    }
}
