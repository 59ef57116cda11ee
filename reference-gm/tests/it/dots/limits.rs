//! Clients that keep to no protocol, and the original's way with them.

use reference_gm::dots::{Input, Settings};
use reference_gm::server::{Master as _, Origin};
use wire::dots::line::{BLOCK, Framing};

use super::harness::{Harness, small};

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
        let mut harness = Harness::new(small());
        let clients = harness.game();
        harness.take(clients[0]);
        harness.handle(Input::Received(clients[0], sent));
        assert_eq!(harness.take(clients[0]), told, "{sent:?}");
        assert!(harness.closed.contains(&clients[0]));
        // Lines that come behind it are ignored.
        harness.handle(Input::Received(clients[0], b"leave_game\n"));
        assert_eq!(harness.master.totals().games, 1);
        assert!(harness.login("Ada").0 > 0);
    }
}

#[test]
fn a_flood_of_messages_closes_the_connection() {
    let mut harness = Harness::new(small());
    let clients = harness.game();
    harness.take(clients[0]);
    for _ in 0..190 {
        harness.send_line(clients[0], "queue");
    }
    assert!(harness.closed.is_empty());
    for _ in 0..20 {
        harness.send_line(clients[0], "queue");
    }
    assert_eq!(harness.take(clients[0]).last().unwrap(), "disconnected_suspicious_activity");
    assert!(harness.closed.contains(&clients[0]));
    // Slower than the limit goes on without end.
    let slow = harness.login("Ada");
    for _ in 0..1_000 {
        harness.send_line(slow, "queue");
        harness.pass(11, &[]);
    }
    assert!(!harness.closed.contains(&slow));
}

#[test]
fn moves_cost_nothing_of_the_allowance() {
    let mut harness = Harness::new(Settings { messages_per_second: 5, ..Settings::default() });
    let clients = harness.game();
    while harness.move_on(clients).is_some() {}
    assert_eq!(harness.ended.len(), 1);
    assert!(harness.closed.is_empty());
}

#[test]
fn the_number_of_players_is_limited_and_those_who_are_away_longest_give_way() {
    let mut harness = Harness::new(Settings { players: 2, ..small() });
    let clients = harness.game();
    while harness.move_on(clients).is_some() {}
    let third = harness.connect();
    assert_eq!(harness.ask(third, "login|Eva"), ["logged|error"]);
    for (client, wait) in [(clients[1], 10), (clients[0], 10)] {
        harness.disconnect(client);
        harness.pass(wait, &[]);
    }
    assert_eq!(harness.master.totals().players, 2, "both have played, and may come back");
    assert_eq!(harness.ask(third, "login|Eva")[0], "logged|ok");
    let ada = harness.login(&format!("Ada|{}", crate::served::token(1)));
    assert_eq!(harness.take(ada), ["logged|ok"], "Ada is the same player");
    let bob = harness.connect();
    assert_eq!(harness.ask(bob, "login|Bob"), ["logged|error"], "Bob gave way to Eva");
}

#[test]
fn a_player_that_has_never_moved_ends_with_its_connection_and_leaves_nothing() {
    let mut harness = Harness::new(small());
    for _ in 0..3 {
        let ada = harness.login("Ada");
        harness.send_line(ada, "queue");
        harness.disconnect(ada);
        assert_eq!(harness.master.totals().players, 0);
    }
    assert!(harness.records.is_empty(), "nothing is written down of players without a game");
}

#[test]
fn a_game_keeps_its_players_until_the_pings_run_out_although_neither_has_moved() {
    for settings in [small(), original()] {
        let mut harness = Harness::new(settings);
        harness.game().into_iter().for_each(|client| harness.disconnect(client));
        for name in ["Ada", "Bob"] {
            let client = harness.login(name);
            let told = harness.take(client);
            assert!(told.iter().any(|line| line.starts_with("resume_game|")), "{told:?}");
            harness.disconnect(client);
        }
        harness.pass(12 * 5_000 + 1_000, &[]);
        let totals = harness.master.totals();
        assert_eq!((totals.games, totals.players, totals.waiting), (0, 0, 0));
        assert!(harness.ended.is_empty(), "there is nothing to show");
        let snapshot = harness.master.snapshot();
        assert!(snapshot.iter().all(|record| matches!(record, reference_gm::dots::Record::Count(_))));
    }
}

#[test]
fn an_address_has_a_limit_on_absent_players_and_on_games() {
    let settings = Settings { absent_players_of_origin: 2, games_per_hour: 4, ..small() };
    let mut harness = Harness::new(settings);
    harness.origin = Origin::of([10, 0, 0, 1].into());
    for round in 0..2 {
        let clients = ["Ada", "Bob"].map(|name| harness.login(&format!("{name}{round}")));
        harness.game_between(clients);
        while harness.move_on(clients).is_some() {}
        clients.into_iter().for_each(|id| harness.disconnect(id));
        harness.pass(100, &[]);
    }
    assert_eq!(harness.master.totals().players, 2, "the oldest two have given way");
    // Each game counts for both of its players: the budget is spent.
    let third = harness.login("Cid");
    assert_eq!(harness.ask(third, "queue"), ["queued|error"]);
    harness.origin = Origin::of([10, 0, 0, 2].into());
    let other = harness.login("Dora");
    assert_eq!(harness.ask(other, "queue"), ["queued|ok"]);
    harness.pass(15 * 60_000 + 1_000, &[third, other]);
    assert_eq!(harness.ask(third, "queue")[0], "queued|ok");
}

#[test]
fn a_game_that_a_player_leaves_counts_for_this_player_alone() {
    let mut harness = Harness::new(Settings { games_per_hour: 2, ..small() });
    let [ada, eva] = [(1, "Ada"), (2, "Eva")].map(|(last, name)| {
        harness.origin = Origin::of([10, 0, 0, last].into());
        harness.login(name)
    });
    harness.send_line(ada, "queue");
    for _ in 0..2 {
        assert_eq!(harness.ask(eva, "queue")[0], "queued|ok");
        assert_eq!(harness.ask(eva, "leave_game"), ["you_left_game|ok"]);
        assert_eq!(harness.take(ada).last().unwrap(), "queued|ok");
    }
    assert_eq!(harness.ask(eva, "queue"), ["queued|error"]);
    assert_eq!(harness.ask(ada, "leave_queue"), ["left_queue|ok"]);
    assert_eq!(harness.ask(ada, "queue"), ["queued|ok"]);
}

/// A game that its players leave again and again counts, whoever leaves it.
#[test]
fn the_players_of_one_address_cannot_give_each_other_games_back() {
    let mut harness = Harness::new(Settings { games_per_hour: 3, ..small() });
    harness.origin = Origin::of([10, 0, 0, 1].into());
    let [ada, bob] = ["Ada", "Bob"].map(|name| harness.login(name));
    harness.send_line(ada, "queue");
    for _ in 0..2 {
        assert_eq!(harness.ask(bob, "queue")[0], "queued|ok");
        assert_eq!(harness.ask(bob, "leave_game"), ["you_left_game|ok"]);
        assert_eq!(harness.take(ada).last().unwrap(), "queued|ok");
    }
    assert_eq!(
        harness.ask(bob, "queue"),
        ["queued|error"],
        "two games of Bob, and the one that Ada waits for"
    );
    assert_eq!(harness.ask(ada, "leave_queue"), ["left_queue|ok"]);
    assert_eq!(harness.ask(bob, "queue"), ["queued|ok"]);
    assert_eq!(harness.ask(ada, "queue"), ["queued|error"], "each waits for a game of its own");
}

/// A player that comes back from another address has waited at the first one.
#[test]
fn a_game_is_given_back_to_the_address_that_it_was_taken_from() {
    let mut harness = Harness::new(Settings { games_per_hour: 1, ..small() });
    let at = |last: u8| Origin::of([10, 0, 0, last].into());
    harness.origin = at(1);
    let ada = harness.login("Ada");
    harness.send_line(ada, "queue");
    harness.origin = at(2);
    let eva = harness.login("Eva");
    harness.send_line(eva, "queue");
    harness.disconnect(ada);
    harness.origin = at(3);
    let cid = harness.login("Cid");
    assert_eq!(harness.ask(cid, "queue"), ["queued|ok"], "it has spent its game");
    let _ada = harness.login("Ada");
    assert_eq!(harness.ask(eva, "leave_game").last().unwrap(), "you_left_game|ok");
    harness.origin = at(1);
    let dora = harness.login("Dora");
    assert_eq!(harness.ask(dora, "queue")[0], "queued|ok", "the game of Ada counts no longer");
    harness.origin = at(3);
    let fay = harness.login("Fay");
    assert_eq!(harness.ask(fay, "queue"), ["queued|error"]);
}

/// All bots come from one address, often that of players as well.
#[test]
fn the_bots_of_a_server_may_begin_any_number_of_games() {
    let token = crate::served::token(100);
    let bots = vec![("bot1".parse().unwrap(), token)];
    let settings = Settings { bots, bot_wait: game_env::Millis::ZERO, games_per_hour: 1, ..small() };
    let mut harness = Harness::new(settings);
    harness.origin = Origin::of([127, 0, 0, 1].into());
    let bot = harness.login(&format!("bot1|{token}"));
    harness.send_line(bot, "queue");
    for last in 1..5 {
        harness.origin = Origin::of([10, 0, 0, last].into());
        let person = harness.login(&format!("Ada{last}"));
        assert!(harness.ask(person, "queue").contains(&"start_game|2|bot1".to_owned()));
        assert_eq!(harness.ask(person, "leave_game"), ["you_left_game|ok"]);
        harness.forget(&[bot]);
        assert_eq!(harness.ask(bot, "leave_queue"), ["left_queue|ok"]);
        assert_eq!(harness.ask(bot, "queue"), ["queued|ok"]);
    }
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
        let mut harness = Harness::new(original());
        let clients = harness.game();
        harness.forget(&clients);
        assert_eq!(harness.ask(clients[0], request), [answer, "disconnected_suspicious_activity"]);
        assert!(harness.closed.contains(&clients[0]));
        assert_eq!(harness.take(clients[1]), ["opponent_left_game", "queued|ok"]);
        let again = harness.login("Ada");
        assert_eq!(harness.take(again), ["logged|ok"], "a new player, without a token");
    }
}

#[test]
fn the_original_refuses_to_queue_a_player_that_has_not_left_its_game() {
    let mut harness = Harness::new(original());
    let clients = harness.game();
    while harness.move_on(clients).is_some() {}
    harness.forget(&clients);
    assert_eq!(harness.ask(clients[0], "queue"), ["queued|error", "disconnected_suspicious_activity"]);
    assert!(harness.closed.contains(&clients[0]));
    assert_eq!(harness.ask(clients[1], "leave_game"), ["you_left_game|ok"]);
    assert_eq!(harness.ask(clients[1], "queue"), ["queued|ok"]);
}

#[test]
fn the_original_knows_no_tokens_and_lets_a_second_login_take_over() {
    let mut harness = Harness::new(original());
    let clients = harness.game();
    assert_eq!(
        harness.take(clients[0])[1..],
        ["start_game|1|Bob", &format!("play|{}", harness.state().mover().index() + 1)]
    );
    let other = harness.login("Ada");
    let told = harness.take(other);
    assert!(told[1].starts_with("resume_game|1|Bob|"), "{told:?}");
    assert!(harness.closed.contains(&clients[0]));
    let third = harness.connect();
    let token = crate::served::token(1);
    assert_eq!(harness.ask(third, &format!("login|Ada|{token}")), ["disconnected_suspicious_activity"]);
    // It does not count an empty field.
    let fourth = harness.login("Eva|");
    assert_eq!(harness.take(fourth), ["logged|ok"]);
}

/// A game of another grid comes from a time without `compat`, and so do its players.
#[test]
fn a_game_of_another_grid_goes_on_on_a_server_like_the_original() {
    let mut harness = Harness::new(small());
    harness.game();
    let restored =
        reference_gm::dots::Master::restore(original(), crate::served::counted_tokens(), harness.records);
    let mut harness = Harness::of(restored.unwrap());
    let ada = harness.login("Ada");
    assert_eq!(harness.take(ada)[1], "grid|3|3");
}

#[test]
fn a_server_like_the_original_has_bots_that_nobody_can_take_over() {
    let token = crate::served::token(100);
    let bots = vec![("bot1".parse().unwrap(), token)];
    let mut harness = Harness::new(Settings { bots, bot_wait: game_env::Millis::ZERO, ..original() });
    let bot = harness.login(&format!("bot1|{token}"));
    harness.send_line(bot, "queue");
    let ada = harness.login("Ada");
    assert!(harness.ask(ada, "queue").contains(&"start_game|2|bot1".to_owned()));
    let impostor = harness.connect();
    assert_eq!(harness.ask(impostor, "login|bot1"), ["logged|error", "disconnected_suspicious_activity"]);
    assert!(!harness.closed.contains(&bot));
}

/// Returns the messages to a new client that sends these bytes.
fn sent(settings: Settings, bytes: &[u8]) -> Vec<u8> {
    let mut master = reference_gm::dots::Master::new(settings, crate::served::counted_tokens());
    let id = reference_gm::dots::ConnectionId(0);
    master.handle(game_env::SimTime::START, Input::Connected(id, Origin::Unknown));
    master.handle(game_env::SimTime::START, Input::Received(id, bytes));
    std::iter::from_fn(|| master.poll_output())
        .filter_map(|output| match output {
            reference_gm::dots::Output::Send(_, bytes) => Some(bytes),
            _ => None,
        })
        .flatten()
        .collect()
}

#[test]
fn the_original_sends_blocks_and_its_clients_receive_blocks_everywhere() {
    let (lines, of_original) = (b"login|Ada\nqueue\n", b"login|Ada\n\0queue\n\0");
    for blocks in
        [sent(original(), lines), sent(original(), of_original), sent(Settings::default(), of_original)]
    {
        assert_eq!(blocks.len(), 2 * BLOCK);
        assert_eq!(blocks[..11], *b"logged|ok\n\0");
        assert_eq!(blocks[BLOCK..BLOCK + 11], *b"queued|ok\n\0");
    }
    assert_eq!(sent(Settings::default(), lines), b"logged|ok\nqueued|ok\n");
}
