//! Shows: a test of a single decision, on a board drawn as text.
//! Run it: `cargo test -p examples --bin e03_test_a_decision`; as a program, it prints the text of the second test.

use sdk::prelude::*;
use sdk::testing::Situation;

/// Checks every piece before it carries it anywhere.
struct Sceptic;

impl Strategy for Sceptic {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        match view.own.hand {
            Hand::Unchecked => view.check(),
            Hand::Real => {
                view.notes.remark(|| "home with it".to_owned());
                view.step(view.homeward())
            }
            Hand::Empty if view.distance() == Some(Distance::new(0)) => view.pick_up(),
            Hand::Empty => view.discover(),
        }
    }
}

// ANCHOR: situation
/// `R0` is the agent that decides, `p` a piece, `g` a hidden goal; red's goal area is at the top. What the agent
/// knows is what it is told by the actions that go before.
fn beside_a_piece() -> Situation {
    Situation::new(
        "
        .  g  .
        p  R0 .
        .  .  B1
        .  g  .",
    )
    .after(&["move W", "pick-up"])
}
// ANCHOR_END: situation

fn main() {
    print!("{}", beside_a_piece().after(&["check"]).decide(&mut Sceptic));
}

// ANCHOR: tests
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_checks_what_it_has_picked_up() {
        assert_eq!(beside_a_piece().choose(&mut Sceptic), Choice::Act(Action::Check));
    }

    /// In a project of your own this would be a snapshot, with `insta` for instance.
    #[test]
    fn it_carries_a_real_piece_home() {
        let decision = beside_a_piece().after(&["check"]).decide(&mut Sceptic);
        assert!(decision.ends_with("chooses: move N (home with it)\n"), "{decision}");
    }
}
// ANCHOR_END: tests
