//! Pings, and clients that do not answer.

use game_env::{AgentId, Millis};
use reference_gm::dots::{Input, Settings};
use reference_gm::server::Master as _;

use super::harness::{Harness, small};

#[test]
fn pings_come_every_five_seconds_with_the_state_of_the_opponent() {
    let mut harness = Harness::new(small());
    let clients = harness.game();
    let mover = harness.state().mover().index();
    let (own, other) = (clients[mover], clients[1 - mover]);
    harness.forget(&clients);
    harness.pass(5_000, &clients);
    assert_eq!(harness.take(own), ["ping", "opponent_connection|0"]);
    assert_eq!(harness.take(other), ["ping", "opponent_connection|0"]);
    // The mover answers pings, and does not move.
    harness.pass(30_000, &clients);
    assert_eq!(harness.take(other).last().unwrap(), "opponent_connection|1");
    assert_eq!(harness.take(own).last().unwrap(), "opponent_connection|0");
    // It does not answer any more.
    harness.pass(10_000, &[other]);
    assert_eq!(harness.take(other).last().unwrap(), "opponent_connection|2");
    harness.take(own);
    harness.pass(5_000, &clients);
    harness.send_line(own, "pong");
    harness.pass(5_000, &clients);
    assert_ne!(harness.take(other).last().unwrap(), "opponent_connection|2", "it is back");
}

#[test]
fn twelve_pings_without_an_answer_remove_a_player() {
    let mut harness = Harness::new(small());
    let clients = harness.game();
    harness.forget(&clients);
    // The first ping comes after 5 s; the twelfth is found unanswered at the thirteenth.
    harness.pass(60_000, &[clients[1]]);
    assert!(harness.closed.is_empty());
    harness.pass(5_000, &[clients[1]]);
    let told = harness.take(clients[0]);
    assert_eq!(told.iter().filter(|line| *line == "ping").count(), 12);
    assert_eq!(told.last().unwrap(), "disconnected_inactivity");
    assert!(harness.closed.contains(&clients[0]));
    let told = harness.take(clients[1]);
    let left = told.iter().position(|line| line == "opponent_left_game").unwrap();
    assert_eq!(told[left + 1], "queued|ok");
    assert_eq!(told.iter().filter(|line| *line == "opponent_connection|2").count(), 11);
    let again = harness.login("Ada|");
    assert!(harness.take(again)[1].starts_with("token|"), "the name is free");
}

#[test]
fn a_lost_player_has_a_minute_to_come_back() {
    let mut harness = Harness::new(small());
    let clients = harness.game();
    harness.pass(7_000, &clients);
    harness.handle(Input::Ended(clients[0]));
    harness.pass(50_000, &clients[1..]);
    assert_eq!(harness.master.totals().games, 1);
    harness.pass(11_000, &clients[1..]);
    assert_eq!(harness.master.totals().games, 0);
    assert_eq!(harness.master.totals().waiting, 1);
}

#[test]
fn who_does_not_log_in_is_sent_away_after_a_minute() {
    let mut harness = Harness::new(small());
    let client = harness.connect();
    harness.send_line(client, "queue");
    harness.take(client);
    harness.pass(59_999, &[]);
    assert_eq!(harness.take(client), [""; 0]);
    harness.pass(1, &[]);
    assert_eq!(harness.take(client), ["disconnected_inactivity"]);
    assert!(harness.closed.contains(&client));
    assert_eq!(harness.master.wake_at(), None);
}

#[test]
fn bots_play_against_players_that_wait_for_long_and_never_against_each_other() {
    let bots =
        [1, 2].map(|number| (format!("bot{number}").parse().unwrap(), crate::served::token(100 + number)));
    let mut harness = Harness::new(Settings { bots: bots.to_vec(), bot_wait: Millis::new(3_000), ..small() });
    let bots = [1, 2].map(|number| {
        let bot = harness.login(&format!("bot{number}|{}", crate::served::token(100 + number)));
        harness.send_line(bot, "queue");
        bot
    });
    assert_eq!(harness.master.totals().games, 0);
    let impostor = harness.connect();
    assert_eq!(harness.ask(impostor, "login|bot1"), ["logged|error"]);
    // Two people meet each other.
    let people = ["Ada", "Bob"].map(|name| {
        let client = harness.login(name);
        harness.send_line(client, "queue");
        client
    });
    assert!(harness.take(people[0]).iter().any(|line| line == "start_game|1|Bob"));
    let eva = harness.login("Eva");
    harness.send_line(eva, "queue");
    let all = [bots[0], bots[1], people[0], people[1], eva];
    harness.pass(2_999, &all);
    assert_eq!(harness.master.totals().games, 1);
    harness.pass(1, &all);
    assert_eq!(harness.master.totals().games, 2);
    assert!(harness.take(eva).iter().any(|line| line.contains("|bot1")));
    // A bot that is lost does not vanish, and is not written down.
    harness.handle(Input::Ended(bots[0]));
    harness.pass(65_000, &all[1..]);
    assert!(harness.take(eva).contains(&"opponent_left_game".to_owned()));
    let again = harness.login(&format!("bot1|{}", crate::served::token(101)));
    assert!(!harness.take(again).iter().any(|line| line.starts_with("token")));
    assert!(!harness.records.iter().any(|record| record.to_string().starts_with("player bot")));
}

#[test]
fn a_player_that_never_moves_keeps_no_bot_for_which_somebody_waits() {
    let token = crate::served::token(100);
    let bots = vec![("bot1".parse().unwrap(), token)];
    let patience = Millis::new(10_000);
    let settings = Settings { bots, bot_wait: Millis::new(3_000), bot_patience: patience, ..small() };
    let mut harness = Harness::new(settings);
    let bot = harness.login(&format!("bot1|{token}"));
    harness.send_line(bot, "queue");
    let ada = harness.login("Ada");
    harness.send_line(ada, "queue");
    harness.pass(3_000, &[bot, ada]);
    // A bot has the first place, because it has waited for longer.
    assert!(harness.take(ada).contains(&"start_game|2|bot1".to_owned()));
    while harness.state().mover() == AgentId::new(0) {
        harness.move_on([bot, ada]);
    }
    harness.pass(60_000, &[bot, ada]);
    assert!(!harness.closed.contains(&ada), "nobody waits");
    let eva = harness.login("Eva");
    harness.send_line(eva, "queue");
    harness.pass(2_999, &[bot, ada, eva]);
    assert!(!harness.closed.contains(&ada), "it may move yet");
    harness.pass(5_001, &[bot, ada, eva]);
    assert_eq!(harness.take(ada).last().unwrap(), "disconnected_inactivity");
    assert!(harness.closed.contains(&ada));
    assert!(harness.take(eva).iter().any(|line| line.ends_with("|bot1")));
}

#[test]
fn everybody_is_told_that_the_server_ends() {
    let mut harness = Harness::new(small());
    let clients = harness.game();
    let stranger = harness.connect();
    harness.forget(&clients);
    harness.handle(Input::Stop);
    for client in [clients[0], clients[1], stranger] {
        assert_eq!(harness.take(client), ["server_shutdown"]);
        assert!(harness.closed.contains(&client));
    }
    assert!(
        !harness.records.iter().any(|record| record.to_string().starts_with("left")),
        "the game goes on later"
    );
}
