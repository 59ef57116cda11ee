//! What an agent that was asked really says.

use sdk::prelude::*;
use sdk::testing::Situation;

/// Knows that there is no piece anywhere, and says so.
struct Bereft;

impl Strategy for Bereft {
    fn act(&mut self, _: &mut View<'_>) -> Choice<Action> {
        Action::Discover.into()
    }

    fn answer(&mut self, _: &mut View<'_>, _: Question) -> Option<Information> {
        let distances = vec![Some(Distance::INFINITE), Some(Distance::new(3)), None];
        Some(Information { distances, ..Information::default() })
    }
}

/// A message has one number for "no piece" and for "not known". An answer in a rollout says no more than one on the
/// network.
#[test]
fn that_there_is_no_piece_cannot_be_said() {
    let board = "
        .  .  .
        .  R0 R1!
        .  .  B2";
    let situation = Situation::new(board).after(&["#1 ask #0"]);
    let choice = situation.choose(&mut Bereft);
    let Choice::Act(Action::Answer { information, .. }) = choice else { panic!("{choice:?}") };
    assert_eq!(information.distances, [None, Some(Distance::new(3)), None]);
}
