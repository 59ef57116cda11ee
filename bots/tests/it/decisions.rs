//! What the strategies do in situations made by hand: a snapshot shows the board, what the agent knows of it, and
//! what it chooses.

use bots::coordinated::Coordinated;
use bots::greedy::Greedy;
use insta::assert_snapshot;
use sdk::testing::Situation;

/// A board with red's goal area at the top.
const OPEN: &str = "
    . g . . . .
    -----------
    . . . . . .
    . . . p . .
    . R0 . . . .
    . . . . . .
    . . . . B1 .
    -----------
    . . . . g .";

#[test]
fn greedy_looks_around_where_a_step_would_be_a_guess() {
    assert_snapshot!(Situation::new(OPEN).decide(&mut Greedy::default()));
}

#[test]
fn greedy_steps_where_all_places_come_nearer() {
    assert_snapshot!(Situation::new(OPEN).after(&["discover"]).decide(&mut Greedy::default()));
}

#[test]
fn greedy_picks_up_what_it_stands_on() {
    let way = ["discover", "move N", "move E", "move E"];
    assert_snapshot!(Situation::new(OPEN).after(&way).decide(&mut Greedy::default()));
}

#[test]
fn coordinated_carries_to_a_field_of_its_own() {
    let way = ["discover", "move N", "move E", "move E", "pick-up", "check"];
    assert_snapshot!(Situation::new(OPEN).after(&way).decide(&mut Coordinated::default()));
}
