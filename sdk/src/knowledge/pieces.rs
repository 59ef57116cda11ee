//! The probable places of all pieces, as sampled worlds. A world is a list of the fields on which pieces can lie now.
//!
//! [`Hunt`] computes where the *nearest* piece can be. A strategy that compares a near piece with a better one behind
//! it needs the places of all pieces. [`Pieces`] is a particle filter with 96 worlds; each world has a weight. Between
//! two readings, agents take some pieces, and new ones appear. A reading corrects each world until the world fits, and
//! each correction lowers the weight of the world. Copies of heavy worlds replace light ones (systematic resampling).
//!
//! After a discovery in the middle of a small board, the worlds look like this. A digit is the probability of a piece in
//! tenths (`+` for 1, a dot below 0.05):
//!
//! ```text
//!     . . . . . .            . . . . . 3
//!     . p . . . p            . 8 . . . .
//!     . . . . . .            2 . . . . .        left: the true board
//!     . . @ . . .            . . @ . . .        right: Pieces::sketch
//!     . . . . . .            . . . . . .
//!     . . . . . .            . . . . . .
//! ```
//!
//! The memory is fixed: 96 worlds of at most 24 pieces, about 10 kB for each agent. If the board has more pieces, the
//! worlds cover a window around the agent that holds about twelve pieces; the window follows the agent. A reading takes
//! a few microseconds.
//!
//! A strategy owns its [`Pieces`] and passes on the messages that it receives, so strategies that do not use it have no
//! cost. All random numbers come from the [`View`]: the same game gives the same worlds. The model uses the numbers of
//! pieces and agents in the rules. It does not use statements of other agents.

use std::ops::Range;

use game_env::{Chance, Millis, SimTime};
use game_project::{ActionKind, Area, Distance, Geometry, Position, PutResult, Surroundings};

use super::{Hunt, Reading};
use crate::nav::moves;
use crate::notice::{Notice, PickUpFailure};
use crate::view::View;

/// The number of worlds.
pub const WORLDS: usize = 96;

/// The most pieces of a world.
const MOST: usize = 24;

/// The number of pieces that the window is made for.
const USUAL: f64 = 12.0;

/// The share of agents that carry a piece at a random moment.
const CARRYING: f64 = 0.4;

/// The weight that a world keeps for each piece that must go, and for one that must be added, to fit a reading.
const CORRECTED: f32 = 0.1;

/// Number of random fields that are tried where only some fit.
const DRAWS: u32 = 12;

/// The probable places of the pieces around the agent; see the [module](self).
///
/// ```
/// use sdk::knowledge::Pieces;
/// use sdk::prelude::*;
///
/// /// Walks to where a piece is likeliest.
/// #[derive(Default)]
/// struct Sure {
///     pieces: Option<Pieces>,
/// }
///
/// impl Strategy for Sure {
///     fn begin(&mut self, view: &mut View<'_>) {
///         self.pieces = Some(Pieces::new(view));
///     }
///
///     fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
///         if let Some(pieces) = &mut self.pieces {
///             pieces.hear(view, notice);
///         }
///     }
///
///     fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
///         let likeliest = self.pieces.as_ref().and_then(Pieces::likeliest);
///         match likeliest {
///             Some((field, _)) if field == view.position() => Action::PickUp.into(),
///             Some((field, _)) => nav::walk_to(view, field),
///             None => Action::Discover.into(),
///         }
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Pieces {
    geometry: Geometry,
    window: Window,
    /// [`MOST`] fields a world, the first [`World::count`] of them in use.
    fields: Vec<Position>,
    worlds: Vec<World>,
    rates: Rates,
    /// Time at which the worlds were last moved on.
    moved_on: SimTime,
    /// Fractions of changes that have not happened yet: pieces gone, pieces come.
    owed: [f64; 2],
}

#[derive(Clone, Copy, Debug)]
struct World {
    weight: f32,
    count: u8,
}

/// The part of the task area that the worlds describe.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Window {
    west: u16,
    south: u16,
    columns: u16,
    rows: u16,
}

/// Rates at which pieces come and go.
#[derive(Clone, Copy, Debug)]
struct Rates {
    /// The pieces in play, and those of them that lie on the board on average.
    pieces: f64,
    lying: f64,
    /// The other agents.
    others: f64,
    /// The time from one piece to the next that an agent is expected to need, in milliseconds.
    cycle: f64,
    /// Number of pieces that the agent itself has picked up.
    taken: u32,
}

impl Pieces {
    /// Creates the worlds at the start of a game: all fields of the task area are equally likely.
    pub fn new(view: &mut View<'_>) -> Self {
        let geometry = view.geometry();
        let agents = view.briefing.game.teams.len() as f64;
        let pieces = f64::from(view.briefing.game.config.pieces());
        let one = f64::from(view.penalty(ActionKind::Move).as_millis()).max(1.0);
        let rates = Rates {
            pieces,
            lying: (pieces - CARRYING * agents).max(pieces / 4.0),
            others: (agents - 1.0).max(0.0),
            // Out to a piece and back home, with a few moves for sideways and for putting.
            cycle: one * f64::from(geometry.rows() + 3),
            taken: 0,
        };
        let mut own = Self {
            geometry,
            window: Window::around(geometry, view.position(), rates.pieces),
            fields: vec![Position::default(); WORLDS * MOST],
            worlds: vec![World { weight: 1.0 / WORLDS as f32, count: 0 }; WORLDS],
            rates,
            moved_on: view.now,
            owed: [0.0; 2],
        };
        // At the start all pieces lie on the board.
        let expected = rates.pieces * own.share();
        for world in 0..WORLDS {
            for _ in 0..about(expected, view.chance) {
                let field = own.window.draw(view.chance);
                own.add(world, field);
            }
        }
        own
    }

    /// Takes a message. Call it for every message, from [`Strategy::hear`](crate::strategy::Strategy).
    pub fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        let here = view.position();
        match notice {
            Notice::Moved { to, distance: Some(distance) } => {
                self.move_on(view.now, *to, view.chance);
                self.observe(view, &[(*to, *distance)]);
            }
            Notice::Discovered { distances } => {
                self.move_on(view.now, here, view.chance);
                let readings = around(self.geometry, here, distances);
                self.observe(view, &readings);
            }
            Notice::PickedUp => {
                self.rates.taken += 1;
                self.clear(here, 1);
            }
            Notice::PickUpRefused { reason: PickUpFailure::NothingThere } => self.clear(here, MOST),
            Notice::Put { result: Some(PutResult::OnTaskField) } => {
                for world in 0..WORLDS {
                    self.add(world, here);
                }
            }
            Notice::Put { .. } if self.geometry.area(here) == Area::Task => {}
            Notice::Put { .. } | Notice::Checked { sham: true } | Notice::Destroyed => {
                self.appear(view.chance);
            }
            _ => {}
        }
    }

    /// All worlds: the weight of each (the sum is 1), and the fields of its pieces.
    pub fn worlds(&self) -> impl Iterator<Item = (f32, &[Position])> {
        self.worlds
            .iter()
            .zip(self.fields.chunks_exact(MOST))
            .map(|(world, fields)| (world.weight, &fields[..usize::from(world.count)]))
    }

    /// The probability that a piece lies on a field. For a field outside the [window](Self::window), the average of the
    /// task area.
    pub fn probability(&self, at: Position) -> f64 {
        if self.geometry.area(at) != Area::Task {
            return 0.0;
        }
        if !self.window.contains(at) {
            let fields = f64::from(self.geometry.task_rows()) * f64::from(self.geometry.columns());
            return (self.rates.lying / fields).min(1.0);
        }
        let with_a_piece = self.worlds().filter(|(_, fields)| fields.contains(&at));
        let sum: f64 = with_a_piece.map(|(weight, _)| f64::from(weight)).sum();
        // Weights are rounded: a field with a piece in all worlds may come out above 1.
        sum.min(1.0)
    }

    /// The field with the highest probability of a piece, with this probability. `None` if no world has a piece. If
    /// several fields are equally likely, the southernmost, then the westernmost of them.
    pub fn likeliest(&self) -> Option<(Position, f64)> {
        let mut weights: Vec<((u16, u16), usize, f32)> = Vec::new();
        for (world, (weight, fields)) in self.worlds().enumerate() {
            weights.extend(fields.iter().map(|field| ((field.y, field.x), world, weight)));
        }
        weights.sort_unstable_by_key(|(field, world, _)| (*field, *world));
        // A world counts once, however many of its pieces lie on the field.
        weights.dedup_by_key(|(field, world, _)| (*field, *world));
        let sums = weights.chunk_by(|(a, ..), (b, ..)| a == b).map(|run| {
            let sum: f64 = run.iter().map(|(.., weight)| f64::from(*weight)).sum();
            (run[0].0, sum.min(1.0))
        });
        let best = sums.reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        Some((Position::new(best.0.1, best.0.0), best.1))
    }

    /// The columns and rows of the worlds: the whole task area, or a window around the agent.
    pub fn window(&self) -> (Range<u16>, Range<u16>) {
        let Window { west, south, columns, rows } = self.window;
        (west..west + columns, south..south + rows)
    }

    /// Draws the window, north at the top: a digit for the probability of a piece in tenths, rounded; `+` for 1; a dot
    /// below 0.05; `@` for the agent.
    pub fn sketch(&self, agent: Position) -> String {
        let (columns, rows) = self.window();
        let mut text = String::new();
        for y in rows.rev() {
            for x in columns.clone() {
                let at = Position::new(x, y);
                let tenths = (self.probability(at) * 10.0).round();
                let sign = match tenths {
                    _ if at == agent => '@',
                    tenths if tenths < 1.0 => '.',
                    tenths if tenths >= 10.0 => '+',
                    #[expect(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a whole number from 1 to 9"
                    )]
                    tenths => char::from(b'0' + tenths as u8),
                };
                text.push(sign);
                text.push(if x + 1 == columns.end { '\n' } else { ' ' });
            }
        }
        text
    }

    /// The share of the task area that the window covers.
    fn share(&self) -> f64 {
        let window = f64::from(self.window.columns) * f64::from(self.window.rows);
        window / (f64::from(self.geometry.columns()) * f64::from(self.geometry.task_rows()))
    }

    fn world(&self, world: usize) -> &[Position] {
        &self.fields[world * MOST..world * MOST + usize::from(self.worlds[world].count)]
    }

    fn add(&mut self, world: usize, field: Position) {
        let count = usize::from(self.worlds[world].count);
        if count < MOST && self.window.contains(field) {
            self.fields[world * MOST + count] = field;
            self.worlds[world].count += 1;
        }
    }

    fn remove(&mut self, world: usize, place: usize) {
        let last = usize::from(self.worlds[world].count) - 1;
        self.fields.swap(world * MOST + place, world * MOST + last);
        self.worlds[world].count -= 1;
    }

    /// Takes up to this many pieces from a field.
    fn clear(&mut self, at: Position, most: usize) {
        for world in 0..WORLDS {
            for _ in 0..most {
                let Some(place) = self.world(world).iter().position(|field| *field == at) else { break };
                self.remove(world, place);
            }
        }
    }

    /// A new piece appears somewhere, for certain.
    fn appear(&mut self, chance: &mut Chance) {
        let share = self.share();
        for world in 0..WORLDS {
            if share >= 1.0 || chance.happens(share) {
                let field = self.window.draw(chance);
                self.add(world, field);
            }
        }
    }

    /// Pieces come and go until now; the window follows the agent.
    fn move_on(&mut self, now: SimTime, here: Position, chance: &mut Chance) {
        let passed = now - self.moved_on;
        self.moved_on = now;
        self.follow(here, chance);
        let (come, kept) = self.rates.changes(passed, now, self.share());
        let share = self.share();
        let most = self.rates.pieces * share;
        // Each slot of each world is as likely as the other, so most draws hit an empty one.
        self.owed[0] = (self.owed[0] + (1.0 - kept) * (WORLDS * MOST) as f64).min((WORLDS * MOST) as f64);
        self.owed[1] = (self.owed[1] + come * WORLDS as f64).min((WORLDS * MOST) as f64);
        while self.owed[0] >= 1.0 {
            self.owed[0] -= 1.0;
            let (world, place) = (chance.index(WORLDS), chance.index(MOST));
            if place < usize::from(self.worlds[world].count) {
                self.remove(world, place);
            }
        }
        while self.owed[1] >= 1.0 {
            self.owed[1] -= 1.0;
            let world = chance.index(WORLDS);
            // The fewer lie there, the more are carried and will come back.
            let missing = 1.0 - f64::from(self.worlds[world].count) / most.max(1.0);
            if chance.happens(missing) {
                let field = self.window.draw(chance);
                self.add(world, field);
            }
        }
    }

    /// Moves the window if the agent has left its middle; new parts are filled as densely as any.
    fn follow(&mut self, here: Position, chance: &mut Chance) {
        if self.window.is_middle(self.geometry, here) {
            return;
        }
        let window = Window::around(self.geometry, here, self.rates.pieces);
        let before = std::mem::replace(&mut self.window, window);
        if before == window {
            return;
        }
        let share = self.share();
        for world in 0..WORLDS {
            let mut place = 0;
            while place < usize::from(self.worlds[world].count) {
                if window.contains(self.world(world)[place]) {
                    place += 1;
                } else {
                    self.remove(world, place);
                }
            }
            for _ in 0..about(self.rates.lying * share, chance) {
                let field = window.draw(chance);
                if !before.contains(field) {
                    self.add(world, field);
                }
            }
        }
    }

    /// Corrects the worlds by readings that were made at once.
    fn observe(&mut self, view: &mut View<'_>, readings: &[(Position, Distance)]) {
        let mut known: [Reading; 9] = [Reading { at: Position::default(), moves: 0 }; 9];
        let mut count = 0;
        for (at, distance) in readings.iter().take(9) {
            let Some(moves) = distance.moves() else {
                for world in &mut self.worlds {
                    world.count = 0;
                }
                return;
            };
            known[count] = Reading { at: *at, moves };
            count += 1;
        }
        let known = &known[..count];
        let hunt = view.knowledge.hunt();
        for world in 0..WORLDS {
            self.correct(world, known, hunt, view.chance);
        }
        self.weigh(view.chance);
    }

    /// Makes a world fit the readings, and takes weight from it for each change.
    fn correct(&mut self, world: usize, readings: &[Reading], hunt: &Hunt, chance: &mut Chance) {
        // The candidates of the search for the nearest piece are exact, but belong to one reading.
        let candidates = if readings.len() == 1 { hunt.candidates() } else { &[] };
        let fits =
            |field: &Position| readings.iter().all(|reading| moves(*field, reading.at) >= reading.moves);
        let mut place = 0;
        while place < usize::from(self.worlds[world].count) {
            if fits(&self.world(world)[place]) {
                place += 1;
            } else {
                self.remove(world, place);
                self.worlds[world].weight *= CORRECTED;
            }
        }
        for reading in readings {
            if self.world(world).iter().any(|field| moves(*field, reading.at) == reading.moves) {
                continue;
            }
            self.worlds[world].weight *= CORRECTED;
            let field = if candidates.is_empty() {
                let mut found = None;
                for draw in 0..DRAWS {
                    let Some(field) = self.window.draw_at(*reading, chance) else { continue };
                    // Older readings may be out of date: after some draws only the new ones count.
                    if fits(&field) && (draw >= DRAWS / 2 || hunt.may_hold_piece(field)) {
                        found = Some(field);
                        break;
                    }
                }
                found
            } else {
                Some(candidates[chance.index(candidates.len())])
            };
            let Some(field) = field else { continue };
            let usual = self.rates.lying * self.share();
            let count = usize::from(self.worlds[world].count);
            if count > 0 && (count == MOST || count as f64 >= usual) {
                // One of those of which nothing is known lies here instead.
                let place = chance.index(count);
                let moved = self.world(world)[place];
                if readings.iter().all(|reading| moves(moved, reading.at) > reading.moves) {
                    self.remove(world, place);
                }
            }
            self.add(world, field);
        }
    }

    /// Makes the weights sum up to 1, and replaces light worlds by copies of heavy ones if few are heavy.
    fn weigh(&mut self, chance: &mut Chance) {
        let sum: f32 = self.worlds.iter().map(|world| world.weight).sum();
        let even = 1.0 / WORLDS as f32;
        if sum.is_normal() {
            for world in &mut self.worlds {
                world.weight /= sum;
            }
        } else {
            for world in &mut self.worlds {
                world.weight = even;
            }
        }
        let squares: f32 = self.worlds.iter().map(|world| world.weight * world.weight).sum();
        if squares <= 2.0 * even {
            return;
        }
        // Systematic resampling: 96 marks at equal distances, with one random offset; each mark copies the world at its place.
        let offset = chance.below(1 << 16) as f32 / (1 << 16) as f32;
        let mut copies = [0u8; WORLDS];
        let mut heavy = self.worlds.iter().map(|world| world.weight * WORLDS as f32);
        let (mut world, mut passed) = (0, heavy.next().unwrap_or_default());
        for mark in 0..WORLDS {
            while passed <= mark as f32 + offset {
                // Rounding can leave marks beyond the total weight: they copy the last world.
                let Some(weight) = heavy.next() else { break };
                passed += weight;
                world += 1;
            }
            copies[world] += 1;
        }
        let mut heir = 0;
        for world in 0..WORLDS {
            while copies[world] > 1 {
                while copies[heir] > 0 {
                    heir += 1;
                }
                self.fields.copy_within(world * MOST..(world + 1) * MOST, heir * MOST);
                self.worlds[heir].count = self.worlds[world].count;
                copies[heir] = 1;
                copies[world] -= 1;
            }
        }
        for world in &mut self.worlds {
            world.weight = even;
        }
    }
}

impl Window {
    /// The whole task area, or where that would hold too many pieces, a square around the agent.
    fn around(geometry: Geometry, here: Position, pieces: f64) -> Self {
        let (columns, rows) = (f64::from(geometry.columns()), f64::from(geometry.task_rows()));
        let fields = columns * rows * (USUAL / pieces.max(1.0)).min(1.0);
        // A strip where the board is narrow.
        let side = fields.sqrt().max(fields / columns).max(fields / rows).max(8.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a float narrows by saturating"
        )]
        let side = side.ceil() as u16;
        let (columns, rows) = (side.min(geometry.columns()), side.min(geometry.task_rows()));
        let first = geometry.goal_rows();
        let west = here.x.saturating_sub(columns / 2).min(geometry.columns() - columns);
        let south = here.y.saturating_sub(rows / 2).clamp(first, first + geometry.task_rows() - rows);
        Self { west, south, columns, rows }
    }

    fn contains(self, at: Position) -> bool {
        at.x.wrapping_sub(self.west) < self.columns && at.y.wrapping_sub(self.south) < self.rows
    }

    /// Whether the agent has at least a quarter of the window on every side on which the task area goes on.
    fn is_middle(self, geometry: Geometry, here: Position) -> bool {
        let first = geometry.goal_rows();
        let is_inner = |at: u16, start: u16, length: u16, low: u16, high: u16| {
            (start == low || at >= start.saturating_add(length / 4))
                && (start + length == high || at + length / 4 < start + length)
        };
        is_inner(here.x, self.west, self.columns, 0, geometry.columns())
            && is_inner(here.y, self.south, self.rows, first, first + geometry.task_rows())
    }

    /// A random field in it.
    fn draw(self, chance: &mut Chance) -> Position {
        let narrow = |number: u32| u16::try_from(number).expect("below the size of the board");
        let x = narrow(chance.below(self.columns.into()));
        let y = narrow(chance.below(self.rows.into()));
        Position::new(self.west + x, self.south + y)
    }

    /// A random field at the distance of the reading; none if the one that was drawn is outside.
    fn draw_at(self, reading: Reading, chance: &mut Chance) -> Option<Position> {
        let Reading { at, moves } = reading;
        if moves == 0 {
            return self.contains(at).then_some(at);
        }
        let step = chance.below(4 * u32::from(moves));
        let (quarter, along) = (step / u32::from(moves), step % u32::from(moves));
        let along = u16::try_from(along).ok()?;
        let aside = moves - along;
        let (x, y) = match quarter {
            0 => (at.x.checked_add(aside), at.y.checked_add(along)),
            1 => (at.x.checked_sub(along), at.y.checked_add(aside)),
            2 => (at.x.checked_sub(aside), at.y.checked_sub(along)),
            _ => (at.x.checked_add(along), at.y.checked_sub(aside)),
        };
        x.zip(y).map(|(x, y)| Position::new(x, y)).filter(|field| self.contains(*field))
    }
}

impl Rates {
    /// Returns the number of pieces that come to a window of this share meanwhile, and the probability that a piece
    /// that lies there stays.
    fn changes(&self, passed: Millis, now: SimTime, share: f64) -> (f64, f64) {
        // The agent's own pace counts as much as two expected cycles.
        let cycle = (2.0 * self.cycle + now.as_millis() as f64) / (2.0 + f64::from(self.taken));
        let taken = self.others * f64::from(passed.as_millis()) / cycle.max(1.0);
        let missing = (1.0 - self.lying / self.pieces.max(1.0)).max(0.05);
        let come = (taken * share / missing).min(USUAL);
        (come, 1.0 / (1.0 + taken / self.lying.max(1.0)))
    }
}

/// A whole number with this mean.
fn about(mean: f64, chance: &mut Chance) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float narrows by saturating, and the number is not negative"
    )]
    let whole = mean.floor() as u32;
    whole + u32::from(chance.happens(mean - mean.floor()))
}

/// The readings of a discovery.
fn around(geometry: Geometry, here: Position, distances: &Surroundings) -> Vec<(Position, Distance)> {
    let offsets = Surroundings::OFFSETS.into_iter().zip(distances.0);
    let readings = offsets.filter_map(|((east, north), distance)| {
        let field = here.x.checked_add_signed(east).zip(here.y.checked_add_signed(north))?;
        let field = Position::new(field.0, field.1);
        geometry.contains(field).then_some((field, distance?))
    });
    readings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Situation;

    /// A window that moves forgets the pieces that it leaves, and gets as many new ones as the task area has.
    #[test]
    fn a_window_that_follows_the_agent_stays_equally_full() {
        let row = |first: &str| format!("{first}{}\n", " .".repeat(79));
        let crowd = format!("{}\n", "p ".repeat(80)).repeat(2);
        let board = format!("{}---\n{}{}{crowd}---\n{}", row("."), row("R0"), row(".").repeat(40), row("."));
        Situation::new(&board).see(|view| {
            let mut pieces = Pieces::new(view);
            let number = |pieces: &Pieces| {
                pieces.worlds().map(|(_, fields)| fields.len()).sum::<usize>() as f64 / WORLDS as f64
            };
            // 17 * 17 of 80 * 43 fields, and 160 pieces.
            assert!((number(&pieces) - 13.44).abs() < 0.3, "{}", number(&pieces));
            for x in 0..60 {
                pieces.follow(Position::new(x, 20), view.chance);
                let is_inside = |field: &Position| pieces.window.contains(*field);
                assert!(
                    pieces.worlds().all(|(_, fields)| fields.iter().all(is_inside)),
                    "{:?}",
                    pieces.window
                );
            }
            assert!((number(&pieces) - 13.41).abs() < 1.0, "{}", number(&pieces));
        });
    }

    /// Three agents that take a piece a second take one and a half in half a second; for each, a new one appears.
    #[test]
    fn pieces_go_and_come_at_the_pace_of_the_game() {
        let rates = Rates { pieces: 8.0, lying: 6.0, others: 3.0, cycle: 1_000.0, taken: 1 };
        let changes = |passed, share| rates.changes(Millis::new(passed), SimTime::from_millis(1_000), share);
        // A quarter of the pieces is carried, so each world draws four times as often as pieces come.
        assert_eq!(changes(500, 0.5), (3.0, 0.8));
        assert_eq!(changes(0, 0.5), (0.0, 1.0));
        assert_eq!(changes(60_000, 1.0).0, USUAL, "no more than a window holds");
        let slow = rates.changes(Millis::new(500), SimTime::from_millis(4_000), 0.5);
        assert_eq!(slow.0, 1.5, "the agent has needed twice as long for its piece");
    }

    #[test]
    fn the_middle_of_a_window_ends_a_quarter_before_its_sides() {
        let geometry = Geometry::new(60, 60, 5).unwrap();
        let is_middle = |west, at| {
            let window = Window { west, south: 10, columns: 20, rows: 20 };
            window.is_middle(geometry, Position::new(at, 20))
        };
        assert_eq!([14, 15, 24, 25].map(|at| is_middle(10, at)), [false, true, true, false]);
        assert_eq!([0, 14, 15].map(|at| is_middle(0, at)), [true, true, false], "the board ends in the west");
        assert_eq!([44, 45, 59].map(|at| is_middle(40, at)), [false, true, true], "and in the east");
    }
}
