//! Sets of fields against the definition.

use game_project::{Geometry, Position};
use proptest::prelude::*;
use sdk::nav::{FieldSet, moves};

proptest! {
    #[test]
    fn the_nearest_field_is_the_nearest(
        columns in 1u16..200,
        rows in 3u16..30,
        fields in prop::collection::vec((0u16..200, 0u16..30), 0..40),
        masked in prop::collection::vec(any::<bool>(), 40),
        from in (0u16..200, 0u16..30),
    ) {
        let geometry = Geometry::new(columns, rows, 1).unwrap();
        let (first, count) = (rows / 3, rows / 3);
        let (mut set, mut mask) = (FieldSet::new(geometry, first, count), FieldSet::new(geometry, first, count));
        let from = Position::new(from.0 % columns, from.1 % rows);
        let mut inside = Vec::new();
        for ((x, y), masked) in fields.into_iter().zip(masked) {
            let at = Position::new(x % columns, y % rows);
            set.insert(at);
            if masked {
                mask.insert(at);
            }
            if (first..first + count).contains(&at.y) && !inside.contains(&at) {
                inside.push(at);
            }
        }
        prop_assert_eq!(set.len() as usize, inside.len());
        prop_assert_eq!(set.iter().count(), inside.len());
        let least = |fields: &mut dyn Iterator<Item = Position>| fields.map(|at| moves(from, at)).min();
        prop_assert_eq!(
            set.nearest(from).map(|at| { assert!(set.contains(at)); moves(from, at) }),
            least(&mut inside.iter().copied())
        );
        let both = |at: &Position| mask.contains(*at);
        prop_assert_eq!(
            set.nearest_in(from, &mask).map(|at| { assert!(set.contains(at) && mask.contains(at)); moves(from, at) }),
            least(&mut inside.iter().copied().filter(both))
        );
        for at in &inside {
            set.remove(*at);
        }
        prop_assert!(set.is_empty() && set.nearest(from).is_none());
    }
}
