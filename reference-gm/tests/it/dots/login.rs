//! Names, tokens, and players that come back.

use reference_gm::dots::{Input, Settings};
use reference_gm::server::Master as _;

use super::harness::{Harness, small};
use crate::served::token;

#[test]
fn names_have_1_to_20_characters() {
    let mut harness = Harness::new(small());
    for (name, answer) in [
        ("", "logged|error"),
        ("   ", "logged|error"),
        ("a", "logged|ok"),
        (&"x".repeat(20), "logged|ok"),
        (&"ž".repeat(20), "logged|ok"),
        (&"x".repeat(21), "logged|error"),
        ("a\tb", "logged|error"),
        ("a\u{7f}", "logged|error"),
        ("a\u{1b}[2J", "logged|error"),
    ] {
        let client = harness.connect();
        assert_eq!(harness.ask(client, &format!("login|{name}"))[0], answer, "{name:?}");
        assert!(harness.closed.is_empty(), "{name:?}");
    }
    // A second `|` begins the token, and this is none.
    let client = harness.connect();
    assert_eq!(harness.ask(client, "login|a|b"), ["disconnected_suspicious_activity"]);
    assert!(harness.closed.contains(&client));
    // Spaces are removed before names are compared.
    let client = harness.connect();
    assert_eq!(harness.ask(client, "login| a "), ["logged|error"]);
}

/// A client of 2023 takes all that it has received for one message, and disconnects when it does not know a message.
#[test]
fn only_a_client_that_asks_for_a_token_receives_one() {
    let mut harness = Harness::new(small());
    let own = format!("token|{}", token(2));
    for (login, answer) in [("Ada", &["logged|ok"][..]), ("Bob|", &["logged|ok", &own])] {
        let client = harness.login(login);
        assert_eq!(harness.take(client), answer, "{login}");
    }
    // A client that sends a token knows tokens: as a new player, it receives one of its own.
    let client = harness.login(&format!("Eva|{}", token(9)));
    assert_eq!(harness.take(client)[1..], [format!("token|{}", token(3))]);
    // The field may be empty, and there is one.
    let client = harness.connect();
    assert_eq!(harness.ask(client, "login|Dan||"), ["disconnected_suspicious_activity"]);
}

#[test]
fn nobody_takes_over_a_player_whose_connection_is_alive() {
    let mut harness = Harness::new(small());
    let clients = harness.game();
    harness.move_on(clients);
    let thief = harness.connect();
    assert_eq!(harness.ask(thief, "login|Ada"), ["logged|error"]);
    assert_eq!(harness.ask(thief, &format!("login|Ada|{}", token(2))), ["logged|error"], "the token of Bob");
    assert_eq!(harness.ask(thief, &format!("login|Ada|{}", token(9))), ["logged|error"]);
    assert!(harness.closed.is_empty());
    // With the token the player itself comes from elsewhere.
    let answer = harness.ask(thief, &format!("login|Ada|{}", token(1)));
    assert_eq!((answer[0].as_str(), answer[1].as_str()), ("logged|ok", "grid|3|3"));
    assert!(answer[2].starts_with("resume_game|1|Bob|"), "{answer:?}");
    assert!(harness.closed.contains(&clients[0]));
    while harness.move_on([thief, clients[1]]).is_some() {}
    assert_eq!(harness.ended[0].actions.len(), 12);
}

#[test]
fn a_lost_player_comes_back_by_name_unless_the_operator_wants_the_token() {
    for by_name in [true, false] {
        let mut harness = Harness::new(Settings { resume_by_name: by_name, ..small() });
        let clients = harness.game();
        harness.handle(Input::Ended(clients[0]));
        let other = harness.connect();
        let answer = harness.ask(other, "login|Ada|");
        if by_name {
            assert_eq!(answer[0], "logged|ok");
            assert!(
                !answer.iter().any(|line| line.starts_with("token")),
                "the token is told once: {answer:?}"
            );
            // The holder of the token takes the player back.
            let owner = harness.connect();
            assert_eq!(harness.ask(owner, &format!("login|Ada|{}", token(1)))[0], "logged|ok");
            assert!(harness.closed.contains(&other));
        } else {
            assert_eq!(answer, ["logged|error"]);
            assert_eq!(harness.ask(other, &format!("login|Ada|{}", token(1)))[0], "logged|ok");
        }
    }
}

#[test]
fn a_name_is_free_again_when_its_player_is_gone() {
    let mut harness = Harness::new(small());
    let ada = harness.login("Ada|");
    assert_eq!(harness.take(ada)[1], format!("token|{}", token(1)));
    harness.handle(Input::Ended(ada));
    harness.pass(61_000, &[]);
    assert_eq!(harness.master.totals().players, 0);
    assert_eq!(harness.master.wake_at(), None, "nobody is there");
    let again = harness.login(&format!("Ada|{}", token(1)));
    assert_eq!(harness.take(again)[1], format!("token|{}", token(2)), "a new player");
}

#[test]
fn who_waits_and_loses_its_connection_does_not_wait_any_more() {
    let mut harness = Harness::new(small());
    let ada = harness.login("Ada");
    harness.send_line(ada, "queue");
    harness.handle(Input::Ended(ada));
    let bob = harness.login("Bob");
    harness.send_line(bob, "queue");
    assert_eq!(harness.master.totals().games, 0);
    let back = harness.login("Ada");
    assert_eq!(harness.ask(back, "queue")[0], "queued|ok");
    assert_eq!(harness.master.totals().games, 1);
}

/// The connection of each player is cut after every message that it receives, and the game goes on.
#[test]
fn a_connection_that_is_cut_after_any_message_is_resumed() {
    let moves = {
        let mut harness = Harness::new(small());
        let clients = harness.game();
        while harness.move_on(clients).is_some() {}
        harness.ended[0].actions.clone()
    };
    for (cut, side) in (0..moves.len()).flat_map(|cut| [(cut, 0), (cut, 1)]) {
        let mut harness = Harness::new(small());
        let mut clients = harness.game();
        for _ in 0..cut {
            harness.move_on(clients);
        }
        let before = harness.state();
        harness.handle(Input::Ended(clients[side]));
        let name = ["Ada", "Bob"][side];
        clients[side] = harness.login(&format!("{name}|{}", token([1, 2][side])));
        let told = harness.take(clients[side]);
        let resumed: wire::dots::Notice = told[2].parse().unwrap();
        let wire::dots::Notice::ResumeGame(resumed) = resumed else { panic!("{told:?}") };
        let position = before.position();
        assert_eq!(resumed.lines, position.edges.iter().map(|edge| edge.dots()).collect::<Vec<_>>());
        assert_eq!([&resumed.own, &resumed.others], [&position.boxes[side], &position.boxes[1 - side]]);
        assert_eq!(resumed.mover.player(), before.mover());
        assert_eq!(resumed.side.index(), side);
        assert_eq!(harness.state(), before);
        while harness.move_on(clients).is_some() {}
        assert_eq!(harness.ended[0].actions, moves, "cut after {cut} moves");
    }
}
