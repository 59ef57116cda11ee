//! Pings, and clients that do not answer.

use game_env::Millis;
use reference_gm::dots::{Input, Settings};
use reference_gm::server::Master as _;

use super::hall::{Hall, small};

#[test]
fn pings_come_every_five_seconds_with_the_state_of_the_opponent() {
    let mut hall = Hall::new(small());
    let clients = hall.game();
    let mover = hall.state().mover().index();
    let (own, other) = (clients[mover], clients[1 - mover]);
    hall.forget(&clients);
    hall.pass(5_000, &clients);
    assert_eq!(hall.take(own), ["ping", "opponent_connection|0"]);
    assert_eq!(hall.take(other), ["ping", "opponent_connection|0"]);
    // The mover answers pings, and does not move.
    hall.pass(30_000, &clients);
    assert_eq!(hall.take(other).last().unwrap(), "opponent_connection|1");
    assert_eq!(hall.take(own).last().unwrap(), "opponent_connection|0");
    // It does not answer any more.
    hall.pass(10_000, &[other]);
    assert_eq!(hall.take(other).last().unwrap(), "opponent_connection|2");
    hall.take(own);
    hall.pass(5_000, &clients);
    hall.send(own, "pong");
    hall.pass(5_000, &clients);
    assert_ne!(hall.take(other).last().unwrap(), "opponent_connection|2", "it is back");
}

#[test]
fn twelve_pings_without_an_answer_remove_a_player() {
    let mut hall = Hall::new(small());
    let clients = hall.game();
    hall.forget(&clients);
    // The first ping comes after 5 s; the twelfth is found unanswered at the thirteenth.
    hall.pass(60_000, &[clients[1]]);
    assert!(hall.closed.is_empty());
    hall.pass(5_000, &[clients[1]]);
    let told = hall.take(clients[0]);
    assert_eq!(told.iter().filter(|line| *line == "ping").count(), 12);
    assert_eq!(told.last().unwrap(), "disconnected_inactivity");
    assert!(hall.closed.contains(&clients[0]));
    let told = hall.take(clients[1]);
    let left = told.iter().position(|line| line == "opponent_left_game").unwrap();
    assert_eq!(told[left + 1], "queued|ok");
    assert_eq!(told.iter().filter(|line| *line == "opponent_connection|2").count(), 11);
    let again = hall.login("Ada|");
    assert!(hall.take(again)[1].starts_with("token|"), "the name is free");
}

#[test]
fn a_lost_player_has_a_minute_to_come_back() {
    let mut hall = Hall::new(small());
    let clients = hall.game();
    hall.pass(7_000, &clients);
    hall.handle(Input::Ended(clients[0]));
    hall.pass(50_000, &clients[1..]);
    assert_eq!(hall.master.totals().games, 1);
    hall.pass(11_000, &clients[1..]);
    assert_eq!(hall.master.totals().games, 0);
    assert_eq!(hall.master.totals().waiting, 1);
}

#[test]
fn who_does_not_log_in_is_sent_away_after_a_minute() {
    let mut hall = Hall::new(small());
    let client = hall.connect();
    hall.send(client, "queue");
    hall.take(client);
    hall.pass(59_999, &[]);
    assert_eq!(hall.take(client), [""; 0]);
    hall.pass(1, &[]);
    assert_eq!(hall.take(client), ["disconnected_inactivity"]);
    assert!(hall.closed.contains(&client));
    assert_eq!(hall.master.wake_at(), None);
}

#[test]
fn bots_play_against_players_that_wait_for_long_and_never_against_each_other() {
    let bots =
        [1, 2].map(|number| (format!("bot{number}").parse().unwrap(), super::hall::token(100 + number)));
    let mut hall = Hall::new(Settings { bots: bots.to_vec(), bot_wait: Millis::new(3_000), ..small() });
    let bots = [1, 2].map(|number| {
        let bot = hall.login(&format!("bot{number}|{}", super::hall::token(100 + number)));
        hall.send(bot, "queue");
        bot
    });
    assert_eq!(hall.master.totals().games, 0);
    let impostor = hall.connect();
    assert_eq!(hall.ask(impostor, "login|bot1"), ["logged|error"]);
    // Two people meet each other.
    let people = ["Ada", "Bob"].map(|name| {
        let client = hall.login(name);
        hall.send(client, "queue");
        client
    });
    assert!(hall.take(people[0]).iter().any(|line| line == "start_game|1|Bob"));
    let eva = hall.login("Eva");
    hall.send(eva, "queue");
    let all = [bots[0], bots[1], people[0], people[1], eva];
    hall.pass(2_999, &all);
    assert_eq!(hall.master.totals().games, 1);
    hall.pass(1, &all);
    assert_eq!(hall.master.totals().games, 2);
    assert!(hall.take(eva).iter().any(|line| line.contains("|bot1")));
    // A bot that is lost does not vanish, and is not written down.
    hall.handle(Input::Ended(bots[0]));
    hall.pass(65_000, &all[1..]);
    assert!(hall.take(eva).contains(&"opponent_left_game".to_owned()));
    let again = hall.login(&format!("bot1|{}", super::hall::token(101)));
    assert!(!hall.take(again).iter().any(|line| line.starts_with("token")));
    assert!(!hall.records.iter().any(|record| record.to_string().starts_with("player bot")));
}

#[test]
fn everybody_is_told_that_the_server_ends() {
    let mut hall = Hall::new(small());
    let clients = hall.game();
    let stranger = hall.connect();
    hall.forget(&clients);
    hall.handle(Input::Stop);
    for client in [clients[0], clients[1], stranger] {
        assert_eq!(hall.take(client), ["server_shutdown"]);
        assert!(hall.closed.contains(&client));
    }
    assert!(
        !hall.records.iter().any(|record| record.to_string().starts_with("left")),
        "the game goes on later"
    );
}
