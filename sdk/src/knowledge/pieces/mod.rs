//! The probable places of all pieces, as sampled worlds. A world is a list of the fields on which pieces can lie now.
//!
//! [`PieceSearch`] computes where the *nearest* piece can be. A strategy that compares a near piece with a better one
//! behind it needs the places of all pieces. [`Pieces`] is a particle filter with 96 worlds; each world has a weight.
//! Between two readings, agents take some pieces, and new ones appear. A reading corrects each world until the world
//! fits, and each correction lowers the weight of the world. Copies of heavy worlds replace light ones (systematic
//! resampling).
//!
//! After a discovery in the middle of a small board, the worlds look like this. A digit is the probability of a piece
//! in tenths (`+` for 1, a dot below 0.05):
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

mod correction;
mod rates;
mod window;
mod worlds;

use std::ops::Range;

use game_env::{Chance, SimTime};
use game_project::{ActionKind, Area, Geometry, Position, PutResult};

use self::rates::Rates;
use self::window::Window;
use super::{PieceSearch, Reading};
use crate::strategy::{Notice, PickUpFailure};
use crate::view::View;

/// The number of worlds.
pub const WORLDS: usize = 96;

/// The most pieces of a world.
const MOST: usize = 24;

/// The share of agents that carry a piece at a random moment.
const CARRYING: f64 = 0.4;

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
///     fn act(&mut self, view: &mut View<'_>) -> Choice {
///         let likeliest = self.pieces.as_ref().and_then(Pieces::likeliest);
///         match likeliest {
///             Some((field, _)) if field == view.position() => view.pick_up(),
///             Some((field, _)) => view.walk_to(field),
///             None => view.discover(),
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
                let readings: Vec<_> = distances.readings(self.geometry, here).collect();
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

    /// Returns all worlds: the weight of each (the sum is 1), and the fields of its pieces.
    pub fn worlds(&self) -> impl Iterator<Item = (f32, &[Position])> {
        self.worlds
            .iter()
            .zip(self.fields.chunks_exact(MOST))
            .map(|(world, fields)| (world.weight, &fields[..usize::from(world.count)]))
    }

    /// Returns the probability that a piece lies on a field. For a field outside the [window](Self::window), the
    /// average of the task area.
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

    /// Returns the field with the highest probability of a piece, with this probability. `None` if no world has a
    /// piece. If several fields are equally likely, the southernmost, then the westernmost of them.
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

    /// Returns the columns and rows of the worlds: the whole task area, or a window around the agent.
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
}

/// Returns a whole number with this mean.
fn about(mean: f64, chance: &mut Chance) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float narrows by saturating, and the number is not negative"
    )]
    let whole = mean.floor() as u32;
    whole + u32::from(chance.happens(mean - mean.floor()))
}
