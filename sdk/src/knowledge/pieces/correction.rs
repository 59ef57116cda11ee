//! The correction of the worlds by what the agent reads.

use game_env::Chance;
use game_project::{Distance, Position};

use super::{MOST, PieceSearch, Pieces, Reading, WORLDS};
use crate::view::View;

/// The weight that a world keeps for each piece that must go, and for one that must be added, to fit a reading.
const CORRECTED: f32 = 0.1;

/// Number of random fields that are tried where only some fit.
const DRAWS: u32 = 12;

/// The probable places of the pieces around the agent; see the [module](self).
impl Pieces {
    /// Corrects the worlds by readings that were made at once.
    pub(super) fn observe(&mut self, view: &mut View<'_>, readings: &[(Position, Distance)]) {
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
        let search = view.knowledge.piece_search();
        for world in 0..WORLDS {
            self.correct(world, known, search, view.chance);
        }
        self.weigh(view.chance);
    }

    /// Makes a world fit the readings, and takes weight from it for each change.
    fn correct(&mut self, world: usize, readings: &[Reading], search: &PieceSearch, chance: &mut Chance) {
        // The candidates of the search for the nearest piece are exact, but belong to one reading.
        let candidates = if readings.len() == 1 { search.candidates() } else { &[] };
        let fits =
            |field: &Position| readings.iter().all(|reading| field.moves_to(reading.at) >= reading.moves);
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
            if self.world(world).iter().any(|field| field.moves_to(reading.at) == reading.moves) {
                continue;
            }
            self.worlds[world].weight *= CORRECTED;
            let field = if candidates.is_empty() {
                let mut found = None;
                for draw in 0..DRAWS {
                    let Some(field) = self.window.draw_at(*reading, chance) else { continue };
                    // Older readings may be out of date: after some draws only the new ones count.
                    if fits(&field) && (draw >= DRAWS / 2 || search.may_hold_piece(field)) {
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
                if readings.iter().all(|reading| moved.moves_to(reading.at) > reading.moves) {
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
        // Systematic resampling: 96 marks at equal distances, with one random offset; each mark copies the world at its
        // place.
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
