//! Clients in the server's process: they ask with values, and are told values.

use game_env::AgentId;
use reference_gm::dots::{Ask, Settings};
use reference_gm::server::{Master as _, Origin};
use wire::dots::{Answer, LoginToken, Notice, Request};

use super::harness::{Harness, small};

fn login(name: &str) -> Ask {
    Ask::Request(Request::Login { name: name.parse().unwrap(), token: LoginToken::Absent })
}

#[test]
fn a_local_client_plays_against_a_remote_one_with_values() {
    let mut harness = Harness::new(small());
    let ada = harness.login("Ada");
    harness.send_line(ada, "queue");
    let bob = harness.join();
    assert_eq!(harness.ask_local(bob, login("Bob")), [Notice::Logged(Answer::Ok)]);
    let told = harness.ask_local(bob, Ask::Request(Request::Queue));
    assert!(matches!(
        told[..],
        [Notice::Queued(Answer::Ok), Notice::Grid { .. }, Notice::StartGame { .. }, Notice::Play(_)]
    ));
    harness.take(ada);
    while let Some((mover, edge)) = harness.next_move() {
        let (from, to) = edge.dots();
        let drawn = Notice::DrawCoords(from, to);
        if mover == AgentId::new(0) {
            assert_eq!(harness.ask_local(bob, Ask::Play(edge)), [Notice::InvalidCoords], "not its turn");
            assert_eq!(harness.ask(ada, &format!("line_coords|{from}|{to}"))[0], drawn.to_string());
            assert_eq!(harness.take_local(bob)[0], drawn);
        } else {
            assert_eq!(harness.ask_local(bob, Ask::Play(edge))[0], drawn);
            assert_eq!(harness.take(ada)[0], drawn.to_string());
        }
    }
    assert_eq!(harness.ended[0].actions.len(), 12);
}

/// A person on the page plays one game. Somebody else who waits does not get another one with it.
#[test]
fn a_local_client_does_not_wait_again_when_its_opponent_leaves() {
    let mut harness = Harness::new(small());
    let [ada, eva] = ["Ada", "Eva"].map(|name| harness.login(name));
    harness.send_line(ada, "queue");
    let bob = harness.join();
    harness.ask_local(bob, login("Bob"));
    harness.ask_local(bob, Ask::Request(Request::Queue));
    harness.send_line(eva, "queue");
    harness.take(eva);
    harness.send_line(ada, "leave_game");
    assert_eq!(harness.take_local(bob).last(), Some(&Notice::OpponentLeftGame));
    assert!(harness.take(eva).is_empty(), "it goes on waiting");
    assert_eq!(harness.master.totals().games, 0);
}

/// The addresses of people on the page count as those of others.
#[test]
fn an_address_begins_no_more_games_on_the_page() {
    let mut harness = Harness::new(Settings { games_per_hour: 1, ..small() });
    harness.origin = Origin::of([10, 0, 0, 1].into());
    for (name, told) in [("Ada", Answer::Ok), ("Bob", Answer::Error)] {
        let person = harness.join();
        harness.ask_local(person, login(name));
        let answers = harness.ask_local(person, Ask::Request(Request::Queue));
        assert_eq!(answers[0], Notice::Queued(told), "{name}");
    }
    harness.origin = Origin::of([10, 0, 0, 2].into());
    let other = harness.join();
    harness.ask_local(other, login("Dora"));
    assert_eq!(harness.ask_local(other, Ask::Request(Request::Queue))[0], Notice::Queued(Answer::Ok));
}

/// The original knows no people on a page: with its ways, one would throw out a player of the same name.
#[test]
fn a_local_client_takes_no_name_of_a_player_whatever_is_copied() {
    let mut harness = Harness::new(Settings { compat: true, ..small() });
    let ada = harness.login("Ada");
    let bob = harness.join();
    assert_eq!(harness.ask_local(bob, login("Ada")), [Notice::Logged(Answer::Error)]);
    assert!(harness.closed.is_empty());
    assert_eq!(harness.ask_local(bob, login("Ada-2")), [Notice::Logged(Answer::Ok)]);
    assert_eq!(harness.master.totals().players, 2);
    assert_eq!(harness.ask(ada, "queue"), ["queued|ok"]);
}

#[test]
fn a_local_client_needs_no_pings() {
    let mut harness = Harness::new(small());
    let ada = harness.login("Ada");
    harness.send_line(ada, "queue");
    let bob = harness.join();
    harness.ask_local(bob, login("Bob"));
    harness.ask_local(bob, Ask::Request(Request::Queue));
    harness.take(ada);
    harness.pass(100_000, &[ada]);
    assert_eq!(harness.master.totals().games, 1);
    let told = harness.take(ada);
    assert!(!told.contains(&"opponent_connection|2".to_owned()), "{told:?}");
    harness.disconnect(bob);
    harness.pass(5_000, &[ada]);
    assert_eq!(harness.take(ada).last().unwrap(), "opponent_connection|2");
}

#[test]
fn a_local_client_has_an_allowance_and_a_time_to_log_in() {
    let mut harness = Harness::new(small());
    let flood = harness.join();
    for _ in 0..200 {
        harness.ask_local(flood, Ask::Request(Request::Queue));
    }
    assert!(harness.closed.is_empty());
    assert_eq!(
        harness.ask_local(flood, Ask::Request(Request::Queue)),
        [Notice::DisconnectedSuspiciousActivity]
    );
    assert!(harness.closed.contains(&flood));
    let late = harness.join();
    harness.pass(60_000, &[]);
    assert_eq!(harness.take_local(late), [Notice::DisconnectedInactivity]);
    assert!(harness.closed.contains(&late));
}
