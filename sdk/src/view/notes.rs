//! Remarks and drawings that a strategy leaves for viewers of a game.

use game_env::{Note, Place, Shape};
use game_project::Position;

/// Takes the remarks and drawings of a strategy for its next action.
///
/// Texts are closures: they are not computed if no viewer needs them.
///
/// ```
/// use sdk::prelude::*;
///
/// /// Says what it does and shows where it goes. The game page draws it.
/// struct Talker;
///
/// impl Strategy for Talker {
///     fn act(&mut self, view: &mut View<'_>) -> Choice {
///         let here = view.position();
///         if let Some(field) = view.knowledge.open().nearest(here) {
///             view.notes.remark(|| format!("to {field}"));
///             view.notes.line(here, field);
///             view.notes.mark(field);
///             view.notes.label(field, || "next".to_owned());
///         }
///         view.discover()
///     }
/// }
/// # let situation = sdk::testing::Situation::new(". g .\np R0 .\n. . B1\n. g .");
/// # assert!(situation.decide(&mut Talker).ends_with("discover (to 1,3)\n"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Notes {
    is_wanted: bool,
    taken: Note,
}

impl Notes {
    /// Creates an empty buffer; `is_wanted` says whether the notes are kept.
    pub fn new(is_wanted: bool) -> Self {
        Self { is_wanted, taken: Note::default() }
    }

    /// Returns `true` if the notes are kept.
    pub fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Adds a remark. Several remarks before one action are joined.
    ///
    /// ```
    /// # use sdk::prelude::*;
    /// # let mut notes = Notes::new(true);
    /// notes.remark(|| format!("{} fields left to try", 3));
    /// assert_eq!(notes.take().unwrap().text, "3 fields left to try");
    /// ```
    pub fn remark(&mut self, remark: impl FnOnce() -> String) {
        if self.is_wanted {
            if !self.taken.text.is_empty() {
                self.taken.text += "; ";
            }
            self.taken.text += &remark();
        }
    }

    /// Marks a field.
    pub fn mark(&mut self, at: Position) {
        self.draw(|| Shape::Field(place(at)));
    }

    /// Draws a line from the middle of one field to the middle of another.
    pub fn line(&mut self, from: Position, to: Position) {
        self.draw(|| Shape::Line(place(from), place(to)));
    }

    /// Writes a short text on a field.
    pub fn label(&mut self, at: Position, text: impl FnOnce() -> String) {
        self.draw(|| Shape::Label(place(at), text()));
    }

    /// Returns the notes since the last call.
    pub fn take(&mut self) -> Option<Note> {
        let is_empty = self.taken.text.is_empty() && self.taken.shapes.is_empty();
        (!is_empty).then(|| std::mem::take(&mut self.taken))
    }

    fn draw(&mut self, shape: impl FnOnce() -> Shape) {
        if self.is_wanted {
            self.taken.shapes.push(shape());
        }
    }
}

fn place(at: Position) -> Place {
    Place { x: at.x, y: at.y }
}
