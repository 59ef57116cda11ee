//! The pieces of the worlds: they come, go, and follow the window of the agent.

use game_env::{Chance, SimTime};
use game_project::Position;

use super::window::Window;
use super::{MOST, Pieces, WORLDS, about};

impl Pieces {
    /// Returns the share of the task area that the window covers.
    pub(super) fn share(&self) -> f64 {
        let window = f64::from(self.window.columns) * f64::from(self.window.rows);
        window / (f64::from(self.geometry.columns()) * f64::from(self.geometry.task_rows()))
    }

    pub(super) fn world(&self, world: usize) -> &[Position] {
        &self.fields[world * MOST..world * MOST + usize::from(self.worlds[world].count)]
    }

    pub(super) fn add(&mut self, world: usize, field: Position) {
        let count = usize::from(self.worlds[world].count);
        if count < MOST && self.window.contains(field) {
            self.fields[world * MOST + count] = field;
            self.worlds[world].count += 1;
        }
    }

    pub(super) fn remove(&mut self, world: usize, place: usize) {
        let last = usize::from(self.worlds[world].count) - 1;
        self.fields.swap(world * MOST + place, world * MOST + last);
        self.worlds[world].count -= 1;
    }

    /// Takes up to this many pieces from a field.
    pub(super) fn clear(&mut self, at: Position, most: usize) {
        for world in 0..WORLDS {
            for _ in 0..most {
                let Some(place) = self.world(world).iter().position(|field| *field == at) else { break };
                self.remove(world, place);
            }
        }
    }

    /// A new piece appears somewhere, for certain.
    pub(super) fn appear(&mut self, chance: &mut Chance) {
        let share = self.share();
        for world in 0..WORLDS {
            if share >= 1.0 || chance.happens(share) {
                let field = self.window.draw(chance);
                self.add(world, field);
            }
        }
    }

    /// Pieces come and go until now; the window follows the agent.
    pub(super) fn move_on(&mut self, now: SimTime, here: Position, chance: &mut Chance) {
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
}
