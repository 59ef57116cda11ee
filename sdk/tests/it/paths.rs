//! Sets of fields against the definition, and ways around agents that were met.

use game_project::{Area, Direction, Geometry, Position, Team};
use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};
use sdk::knowledge::FieldSet;
use sdk::prelude::{Action, Choice, Strategy, View};
use sdk::testing::Situation;

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
        let least = |fields: &mut dyn Iterator<Item = Position>| fields.map(|at| from.moves_to(at)).min();
        prop_assert_eq!(
            set.nearest(from).map(|at| { assert!(set.contains(at)); from.moves_to(at) }),
            least(&mut inside.iter().copied())
        );
        let both = |at: &Position| mask.contains(*at);
        prop_assert_eq!(
            set.nearest_in(from, &mask).map(|at| { assert!(set.contains(at) && mask.contains(at)); from.moves_to(at) }),
            least(&mut inside.iter().copied().filter(both))
        );
        for at in &inside {
            set.remove(*at);
        }
        prop_assert!(set.is_empty() && set.nearest(from).is_none());
    }
}

#[test]
fn a_set_holds_the_fields_of_its_rows_alone() {
    let geometry = Geometry::new(70, 9, 2).unwrap();
    let mut set = FieldSet::new(geometry, 7, 2);
    for at in [Position::new(0, 6), Position::new(0, 9), Position::new(70, 7), Position::new(u16::MAX, 8)] {
        set.insert(at);
        assert!(!set.contains(at) && set.is_empty(), "{at} is in no row of it");
        set.remove(at);
        assert!(set.is_empty(), "{at} is in no row of it");
    }
    set.fill();
    set.fill();
    assert_eq!((set.len(), set.iter().count()), (140, 140), "what is in it already is not counted twice");
    // The columns of a row are kept 64 together: the last of the first and the first of the second.
    for x in [0, 63, 64, 69] {
        let at = Position::new(x, 8);
        assert_eq!(set.nearest(at), Some(at));
        set.remove(at);
        set.remove(at);
        assert_eq!(set.nearest(at).map(|near| at.moves_to(near)), Some(1));
    }
    assert_eq!(set.len(), 136);
}

/// The lowest rows of a board begin with 0, below which nothing is looked for.
#[test]
fn a_set_of_no_rows_is_empty() {
    let geometry = Geometry::new(5, 5, 1).unwrap();
    for first in [0, 3] {
        let mut none = FieldSet::new(geometry, first, 0);
        none.fill();
        assert!(none.is_empty());
        assert_eq!(none.nearest(Position::new(2, 2)), None);
        assert_eq!(none.nearest_in(Position::new(2, 2), &none.clone()), None);
    }
    assert_eq!(FieldSet::default().nearest(Position::new(0, 0)), None);
}

/// Steps, seen from a strategy.
struct Asked<F>(F);

impl<T, F: FnMut(&View<'_>) -> T> Strategy for Asked<(F, Option<T>)> {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        self.0.1 = Some(self.0.0(view));
        view.discover()
    }
}

/// Returns the result of a closure for the view that an agent has in a situation.
fn ask<T>(situation: &mut Situation, question: impl FnMut(&View<'_>) -> T) -> T {
    let mut asked = Asked((question, None));
    situation.choose(&mut asked);
    asked.0.1.unwrap()
}

/// Red stands in a corridor's bend: it has met `#1` to the north.
const BOARD: &str = "
    .  .  .  .  .
    ---------------
    .  .  .  .  .
    .  .  R1 .  .
    .  .  R0 .  .
    .  .  B2 .  .
    ---------------
    .  .  .  .  .";

#[test]
fn steps_lead_around_who_was_met() {
    let north = Position::new(2, 5);
    let mut before = Situation::new(BOARD);
    assert_eq!(
        ask(&mut before, |view| view.direction_to(north)),
        Some(Direction::North),
        "nobody was met yet"
    );
    let mut met = Situation::new(BOARD).after(&["move N?"]);
    assert!(!ask(&mut met, |view| view.is_free(Direction::North)));
    let way = ask(&mut met, |view| view.path(view.position(), north).unwrap());
    assert_eq!(
        (way.len(), way[0], way[5]),
        (6, Position::new(2, 2), north),
        "two moves longer, both ends included"
    );
    assert!(!way.contains(&Position::new(2, 3)) && way.windows(2).all(|pair| pair[0].moves_to(pair[1]) == 1));
    let step = ask(&mut met, |view| view.direction_to(north)).unwrap();
    assert!([Direction::East, Direction::West].contains(&step), "{step}");
    // A field aside is reached by a step aside at once.
    let aside = Position::new(4, 5);
    assert_eq!(ask(&mut met, |view| view.direction_to(aside)), Some(Direction::East));
    // An agent that was met is forgotten after three moves' time.
    let mut later = Situation::new(BOARD)
        .after(&["move N?", "discover", "discover", "discover", "discover", "discover", "discover"]);
    assert_eq!(ask(&mut later, |view| view.direction_to(north)), Some(Direction::North));
}

#[test]
fn some_ways_lead_nowhere() {
    let mut met = Situation::new(BOARD).after(&["move N?"]);
    let here = Position::new(2, 2);
    assert_eq!(ask(&mut met, |view| view.direction_to(here)), None, "the agent is there");
    assert_eq!(ask(&mut met, |view| view.direction_to(Position::new(2, 3))), None, "somebody is there");
    // The other team's goal area may not be entered: the agent goes as far as it can, and then no farther.
    let blues = Position::new(0, 0);
    let way = ask(&mut met, |view| view.path(here, blues));
    assert_eq!(way, None);
    let mut corner = Situation::new(
        "
        .  .  .
        R0 R1 .
        .  .  B2
        .  .  .",
    )
    .after(&["move E?"]);
    assert!(ask(&mut corner, |view| view.path(view.position(), view.position()).unwrap().len()) == 1);
    assert!(!ask(&mut corner, |view| view.is_free(Direction::West)), "the board ends there");
}

/// On a long way only the next fields are searched: the way leads on beyond them, and not into another agent.
#[test]
fn a_long_way_around_is_found() {
    let board = format!(".  .  .\n{}.  R1 .\n.  R0 .\n.  B2 .\n.  .  .", ".  .  .\n".repeat(20));
    let mut met = Situation::new(&board).after(&["move N?"]);
    let (team, position) = ask(&mut met, |view| (view.own.team, view.position()));
    assert_eq!((team, position), (Team::Red, Position::new(1, 2)));
    let top = Position::new(1, 24);
    let step = ask(&mut met, |view| (view.geometry().area(top), view.direction_to(top)));
    assert_eq!(step.0, Area::Goal(Team::Red));
    assert!(matches!(step.1, Some(Direction::East | Direction::West)), "{step:?}");
}

/// A blocked agent tries another way or rests, by lot; an agent that is not blocked goes on.
#[test]
fn a_blocked_agent_steps_aside_or_rests() {
    /// Goes to the northern end of its column, after this many draws of chance.
    struct Northward(u32);

    impl Strategy for Northward {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            (0..self.0).for_each(|_| _ = view.chance.below(2));
            view.walk_to(Position::new(1, 4))
        }
    }

    let situation = Situation::new(
        "
        .  .  .
        -------
        .  B1 .
        .  R0 .
        .  .  .
        -------
        .  .  .",
    );
    assert_eq!(situation.clone().choose(&mut Northward(0)), Action::Move(Direction::North).into());
    let blocked = situation.after(&["move N?"]);
    let mut chosen: Vec<String> = Vec::new();
    for draws in 0..40 {
        match blocked.choose(&mut Northward(draws)) {
            Choice::Wait(until) => assert!(until > blocked.now(), "a rest takes time"),
            Choice::Act(action) => chosen.push(action.to_string()),
        }
    }
    assert!((10..30).contains(&chosen.len()), "about every second time it steps: {chosen:?}");
    assert!(chosen.iter().all(|action| action == "move E" || action == "move W"), "{chosen:?}");
}
