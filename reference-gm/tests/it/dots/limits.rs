//! Clients that keep to no protocol, and the original's way with them.

use reference_gm::dots::{Input, Settings};
use reference_gm::server::Master as _;
use wire::dots::line::{BLOCK, Framing};

use super::hall::{Hall, small};

#[test]
fn messages_outside_the_protocol_close_the_connection_and_keep_the_player() {
    for (sent, told) in [
        (&b"Queue\n"[..], &["unknown_command", "disconnected_suspicious_activity"][..]),
        (b"GET / HTTP/1.1\r\n", &["unknown_command", "disconnected_suspicious_activity"]),
        (b"queue|now\n", &["disconnected_suspicious_activity"]),
        (b"line_coords|a|b\n", &["disconnected_suspicious_activity"]),
        (b"line_coords|1\n", &["disconnected_suspicious_activity"]),
        (b"\xff\xfe\n", &["disconnected_suspicious_activity"]),
        (&[b'x'; 300], &["disconnected_suspicious_activity"]),
    ] {
        let mut hall = Hall::new(small());
        let clients = hall.game();
        hall.take(clients[0]);
        hall.handle(Input::Received(clients[0], sent));
        assert_eq!(hall.take(clients[0]), told, "{sent:?}");
        assert!(hall.closed.contains(&clients[0]));
        // What comes behind is nobody's.
        hall.handle(Input::Received(clients[0], b"leave_game\n"));
        assert_eq!(hall.master.totals().games, 1);
        assert!(hall.login("Ada").0 > 0);
    }
}

#[test]
fn a_flood_of_messages_closes_the_connection() {
    let mut hall = Hall::new(small());
    let clients = hall.game();
    hall.take(clients[0]);
    for _ in 0..190 {
        hall.send(clients[0], "queue");
    }
    assert!(hall.closed.is_empty());
    for _ in 0..20 {
        hall.send(clients[0], "queue");
    }
    assert_eq!(hall.take(clients[0]).last().unwrap(), "disconnected_suspicious_activity");
    assert!(hall.closed.contains(&clients[0]));
    // Slower than the limit goes on without end.
    let slow = hall.login("Ada");
    for _ in 0..1_000 {
        hall.send(slow, "queue");
        hall.pass(11, &[]);
    }
    assert!(!hall.closed.contains(&slow));
}

#[test]
fn moves_cost_nothing_of_the_allowance() {
    let mut hall = Hall::new(Settings { messages_per_second: 5, ..Settings::default() });
    let clients = hall.game();
    while hall.move_on(clients).is_some() {}
    assert_eq!(hall.ended.len(), 1);
    assert!(hall.closed.is_empty());
}

#[test]
fn there_are_at_most_so_many_players() {
    let mut hall = Hall::new(Settings { players: 2, ..small() });
    hall.game();
    let third = hall.connect();
    assert_eq!(hall.ask(third, "login|Eva"), ["logged|error"]);
}

fn original() -> Settings {
    Settings { compat: true, framing: Framing::Blocks, ..Settings::default() }
}

#[test]
fn the_original_closes_after_any_refusal_and_forgets_the_player() {
    for (request, answer) in [
        ("line_coords|0|2", "invalid_coords"),
        ("queue", "queued|error"),
        ("leave_queue", "left_queue|error"),
        ("login|Eva", "logged|error"),
    ] {
        let mut hall = Hall::new(original());
        let clients = hall.game();
        hall.forget(&clients);
        assert_eq!(hall.ask(clients[0], request), [answer, "disconnected_suspicious_activity"]);
        assert!(hall.closed.contains(&clients[0]));
        assert_eq!(hall.take(clients[1]), ["opponent_left_game", "queued|ok"]);
        let again = hall.login("Ada");
        assert_eq!(hall.take(again), ["logged|ok"], "a new player, without a token");
    }
}

#[test]
fn the_original_knows_no_tokens_and_lets_a_second_login_take_over() {
    let mut hall = Hall::new(original());
    let clients = hall.game();
    assert_eq!(
        hall.take(clients[0])[1..],
        ["start_game|1|Bob", &format!("play|{}", hall.state().mover().index() + 1)]
    );
    let other = hall.login("Ada");
    let told = hall.take(other);
    assert!(told[1].starts_with("resume_game|1|Bob|"), "{told:?}");
    assert!(hall.closed.contains(&clients[0]));
    let third = hall.connect();
    let token = super::hall::token(1);
    assert_eq!(hall.ask(third, &format!("login|Ada|{token}")), ["disconnected_suspicious_activity"]);
}

#[test]
fn the_original_sends_blocks() {
    let mut master = reference_gm::dots::Master::new(original(), super::hall::counted_tokens());
    let id = reference_gm::dots::ConnectionId(0);
    master.handle(game_env::SimTime::START, Input::Connected(id));
    master.handle(game_env::SimTime::START, Input::Received(id, b"login|Ada\n\0queue\n\0"));
    let sent: Vec<u8> = std::iter::from_fn(|| master.poll_output())
        .filter_map(|output| match output {
            reference_gm::dots::Output::Send(_, bytes) => Some(bytes),
            _ => None,
        })
        .flatten()
        .collect();
    assert_eq!(sent.len(), 2 * BLOCK);
    assert_eq!(sent[..11], *b"logged|ok\n\0");
    assert_eq!(sent[BLOCK..BLOCK + 11], *b"queued|ok\n\0");
}
