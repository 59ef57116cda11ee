//! Servers that go on where one before them ended.

use reference_gm::dots::{Master, Record};
use reference_gm::server::Master as _;

use super::harness::{Harness, small};
use crate::served::{counted_tokens, token};

fn restored(records: &[Record]) -> Harness {
    Harness::of(Master::restore(small(), counted_tokens(), records.to_vec()).unwrap())
}

#[test]
fn a_server_that_ends_after_any_record_goes_on_with_the_same_game() {
    let mut whole = Harness::new(small());
    let clients = whole.game();
    let mut states = vec![whole.state()];
    while whole.move_on(clients).is_some() {
        if whole.master.totals().games > 0 {
            states.push(whole.state());
        }
    }
    let moves = whole.ended[0].actions.clone();
    let first_move = whole.records.iter().position(|record| matches!(record, Record::Move(..))).unwrap();
    for (played, before) in states.into_iter().enumerate() {
        let records = &whole.records[..first_move + played];
        let mut harness = restored(records);
        assert_eq!(harness.state(), before, "after {played} moves");
        // The records of a snapshot make the same server.
        assert_eq!(restored(&harness.master.snapshot()).master.snapshot(), harness.master.snapshot());
        assert_eq!(restored(&harness.master.snapshot()).state(), before);
        let ada = harness.login(&format!("Ada|{}", token(1)));
        assert!(harness.take(ada)[2].starts_with("resume_game|1|Bob|"));
        let bob = harness.login("Bob");
        while harness.move_on([ada, bob]).is_some() {}
        assert_eq!(harness.ended[0].actions, moves);
    }
    let mut over = restored(&whole.records);
    assert_eq!(over.master.totals().games, 0);
    over.handle(reference_gm::dots::Input::Tick);
    assert_eq!(over.ended, whole.ended, "its replay may be missing");
    // The next game has another number.
    assert_eq!(restored(&over.master.snapshot()).master.snapshot().last(), Some(&Record::Count(1)));
}

/// Players are written down when their game begins; they had logged in the other way round.
#[test]
fn a_snapshot_does_not_depend_on_who_logged_in_first() {
    for order in [["Ada", "Bob"], ["Bob", "Ada"]] {
        let mut harness = Harness::new(small());
        let [first, second] = order.map(|name| harness.login(name));
        harness.game_between([second, first]);
        assert_eq!(restored(&harness.records).master.snapshot(), harness.master.snapshot());
    }
}

#[test]
fn players_that_do_not_come_back_are_removed_after_a_restart() {
    let mut whole = Harness::new(small());
    whole.game();
    let mut harness = restored(&whole.records);
    let bob = harness.login("Bob");
    harness.take(bob);
    harness.pass(61_000, &[bob]);
    let told = harness.take(bob);
    assert!(told.contains(&"opponent_left_game".to_owned()), "{told:?}");
    assert_eq!(harness.master.totals().players, 1);
}
