//! Offsets: fields as seen from other fields.

use game_conveyor::{Direction, Place};

/// A field as seen from another one: columns to the right, rows up.
pub(super) type Offset = (i16, i16);

/// Returns a field as seen from another one.
pub(super) fn offset(from: Place, to: Place) -> Offset {
    (i16::from(to.column) - i16::from(from.column), i16::from(to.row) - i16::from(from.row))
}

/// Returns the offset of the field this many steps further in a direction.
pub(super) fn further((right, up): Offset, direction: Direction, steps: u8) -> Offset {
    let ((east, north), steps) = (direction.offset(), i16::from(steps));
    (right + steps * east, up + steps * north)
}
