//! The way into a match.

use reference_gm::server::Master as _;

use wire::eriantys::Notice;
use wire::eriantys::request::{
    LoginAnyMatch, LoginJoinMatch, LoginNewMatch, LoginNickname, LoginResumeMatch, LoginTowerColor,
    LoginWizardFamily,
};
use wire::eriantys::words::{RuleSet, TowerColor, WizardFamily};

use super::harness::Harness;
use crate::served::token;

fn error(notices: &[Notice]) -> String {
    match notices {
        [Notice::ErrorMessage(error), _question] => error.error.clone(),
        other => panic!("{other:?}"),
    }
}

fn nickname(text: &str) -> LoginNickname {
    LoginNickname { nickname: text.parse().unwrap(), token: None }
}

#[test]
fn nicknames_colours_and_wizards_are_unique_in_a_match() {
    let mut harness = Harness::new(1);
    let first = harness.connect();
    harness.send(first, LoginNewMatch { players: 3, rules: RuleSet::Simple });
    harness.send(first, nickname("Ada"));
    harness.send(first, LoginTowerColor { color: TowerColor::Black });
    harness.send(first, LoginWizardFamily { family: WizardFamily::King });
    let second = harness.connect();
    harness.send(second, LoginJoinMatch { number: 1 });
    for taken in ["Ada", "ada", " ADA "] {
        let told = error(&harness.ask(second, nickname(taken)));
        assert!(told.ends_with("is taken in this match: expected another one"), "{told}");
    }
    harness.send(second, nickname("Bob"));
    let told = error(&harness.ask(second, LoginTowerColor { color: TowerColor::Black }));
    assert_eq!(told, "black towers are not free: expected white or grey");
    harness.send(second, LoginTowerColor { color: TowerColor::Grey });
    let told = error(&harness.ask(second, LoginWizardFamily { family: WizardFamily::King }));
    assert_eq!(told, "the king is taken: expected druid, sage or witch");
    // In another match everything is free.
    let other = harness.login(0, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    assert!(!harness.closed.contains(&other));
}

#[test]
fn a_player_in_a_lobby_takes_its_place_back_with_its_token() {
    let mut harness = Harness::new(1);
    let first = harness.login(0, LoginNewMatch { players: 3, rules: RuleSet::Simple });
    let second = harness.login(1, LoginJoinMatch { number: 1 });
    // The server still holds the connection: without the token the nickname is taken.
    let again = harness.connect();
    harness.send(again, LoginJoinMatch { number: 1 });
    for wrong in [None, Some(token(2))] {
        let told = harness.ask(again, LoginNickname { nickname: "Ada".parse().unwrap(), token: wrong });
        assert!(error(&told).ends_with("is taken in this match: expected another one"), "{told:?}");
    }
    harness.take(first);
    harness.take(second);
    // The server calls the player as it called itself first.
    let told = harness.ask(again, LoginNickname { nickname: "ADA".parse().unwrap(), token: Some(token(1)) });
    let [Notice::LoginReply(reply), Notice::LobbyUpdate(lobby)] = &told[..] else { panic!("{told:?}") };
    assert_eq!((reply.number, reply.nickname.as_str(), reply.token), (1, "Ada", Some(token(1))));
    assert_eq!(
        lobby.present.iter().map(|player| player.nickname.as_str()).collect::<Vec<_>>(),
        ["Ada", "Bob"]
    );
    assert!(lobby.present.iter().all(|player| player.tower.is_some() && player.wizard.is_some()));
    assert!(matches!(&harness.take(first)[..], [Notice::ConnectionClosed(_)]));
    assert!(harness.closed.contains(&first));
    assert_eq!(harness.take(second), told[1..]);
    // The end of the former connection, which comes late, takes nobody away.
    harness.disconnect(first);
    assert!(harness.take(second).is_empty());
    // The place that the new connection was given first is free for a third player.
    let third = harness.login(2, LoginJoinMatch { number: 1 });
    assert!(
        [again, second, third]
            .into_iter()
            .all(|id| { harness.take(id).iter().any(|notice| matches!(notice, Notice::TableUpdate(_))) })
    );
}

#[test]
fn a_client_is_offered_what_there_is() {
    let mut harness = Harness::new(1);
    let id = harness.connect();
    let told = error(&harness.ask(id, LoginJoinMatch { number: 1 }));
    assert_eq!(told, "match 1 is not open: expected the number of an open match");
    let told = error(&harness.ask(id, LoginResumeMatch { number: -1 }));
    assert_eq!(told, "match -1 is not saved: expected the number of a saved match");
    for players in [-1, 1, 5, i64::MAX] {
        let told = error(&harness.ask(id, LoginNewMatch { players, rules: RuleSet::Simple }));
        assert_eq!(told, format!("{players} players: expected 2, 3 or 4"));
    }
    // The first opens a match, the second finds it; one with other rules does not.
    let any = LoginAnyMatch { players: 2, rules: RuleSet::Expert };
    harness.login(0, any);
    let other = harness.almost(1, LoginAnyMatch { players: 2, rules: RuleSet::Simple });
    assert_eq!(harness.master.totals().lobbies, 2);
    let late = harness.connect();
    let Some(Notice::LoginMatchOptions(options)) = harness.take(late).pop() else {
        panic!("a client is offered matches");
    };
    let open: Vec<(u64, &str)> =
        options.open.iter().map(|open| (open.number, open.nicknames[0].as_str())).collect();
    assert_eq!((open, options.saved.len()), (vec![(1, "Ada"), (2, "Bob")], 0));
    harness.login(1, any);
    assert_eq!((harness.master.totals().lobbies, harness.master.totals().matches), (1, 1));
    // A lobby that everybody has left is gone.
    harness.disconnect(other);
    assert_eq!(harness.master.totals().lobbies, 0);
    let told = error(&harness.ask(id, LoginJoinMatch { number: 2 }));
    assert_eq!(told, "match 2 is not open: expected the number of an open match");
}

#[test]
fn a_login_ends_in_time_and_a_waiting_player_is_pinged() {
    let mut harness = Harness::new(1);
    let idle = harness.connect();
    let waiting = harness.login(0, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    harness.pass(299_000, &[waiting]);
    assert!(harness.closed.is_empty());
    harness.pass(2_000, &[waiting]);
    assert!(harness.closed.contains(&idle) && !harness.closed.contains(&waiting));
    harness.take(waiting);
    harness.pass(4_000, &[]);
    let Some(Notice::ConnectionClosed(closed)) = harness.take(waiting).pop() else {
        panic!("it is told why")
    };
    assert_eq!(closed.reason, "3 pings in a row were not answered");
    assert_eq!(harness.master.totals().lobbies, 0);
    // Nobody is there, and nothing is due.
    assert_eq!(harness.master.wake_at(), None);
}

#[test]
fn a_flood_of_messages_ends_a_connection() {
    let mut harness = Harness::new(1);
    let id = harness.connect();
    let join = LoginJoinMatch { number: 7 };
    for _ in 0..200 {
        harness.send(id, join);
    }
    assert!(!harness.closed.contains(&id));
    harness.send(id, join);
    assert!(harness.closed.contains(&id));
    assert_eq!(harness.master.totals().connections, 0);
}

#[test]
fn a_token_is_that_of_one_player() {
    let mut harness = Harness::new(1);
    let clients = harness.game(2, RuleSet::Simple);
    let id = harness.connect();
    harness.send(id, LoginResumeMatch { number: 1 });
    let mut come = |nickname: &str, token| {
        let notices = harness.ask(id, LoginNickname { nickname: nickname.parse().unwrap(), token });
        notices.into_iter().next().unwrap()
    };
    let told = |notice: Notice| match notice {
        Notice::ErrorMessage(error) => error.error,
        other => panic!("{other:?}"),
    };
    assert_eq!(told(come("Ada", None)), "`Ada` is there: expected one of those who are missing");
    assert_eq!(
        told(come("Ada", Some(token(2)))),
        "`Ada` with another token: expected that of its `LoginReply`"
    );
    assert!(told(come("Eva", None)).starts_with("`Eva` is no player of match 1"));
    assert!(matches!(come("Ada", Some(token(1))), Notice::LoginReply(_)));
    assert!(harness.closed.contains(&clients[0]));
    assert_eq!(harness.master.totals().paused, 0);
}

#[test]
fn players_who_wait_for_any_match_come_together_when_a_place_becomes_free() {
    let any = LoginAnyMatch { players: 3, rules: RuleSet::Simple };
    let mut harness = Harness::new(1);
    let first = [harness.login(0, any), harness.login(1, any), harness.almost(2, any)];
    // The match has no free place, and one of its players never completes the login.
    let late = harness.login(3, any);
    assert_eq!(harness.master.totals().lobbies, 2);
    harness.take(late);
    harness.disconnect(first[2]);
    let told = harness.take(late);
    // Ada has the colour and the wizard that Dora chose in the other match.
    assert!(matches!(told[..], [Notice::LoginTowerColorOptions(_)]), "{told:?}");
    assert_eq!(harness.master.totals().lobbies, 1);
    let Notice::LoginTowerColorOptions(options) = &told[0] else { panic!("{told:?}") };
    let told = harness.ask(late, LoginTowerColor { color: options.colors[0] });
    let Some(Notice::LoginWizardFamilyOptions(options)) = told.first() else { panic!("{told:?}") };
    let told = harness.ask(late, LoginWizardFamily { family: options.families[0] });
    assert!(matches!(told[0], Notice::LoginReply(_)), "{told:?}");
    assert_eq!((harness.master.totals().lobbies, harness.master.totals().matches), (0, 1));
}

/// Ada's former connection is still held, so for a moment she has two places, and the next player finds no free one.
#[test]
fn the_place_that_a_player_leaves_when_it_comes_back_is_taken_by_one_who_waits() {
    let any = LoginAnyMatch { players: 2, rules: RuleSet::Simple };
    let mut harness = Harness::new(1);
    harness.login(0, any);
    let again = harness.connect();
    harness.send(again, LoginJoinMatch { number: 1 });
    harness.login(1, any);
    assert_eq!(harness.master.totals().lobbies, 2);
    let told = harness.ask(again, LoginNickname { nickname: "Ada".parse().unwrap(), token: Some(token(1)) });
    assert!(matches!(told[0], Notice::LoginReply(_)), "{told:?}");
    assert_eq!(harness.master.totals().lobbies, 1);
}

/// Nobody can ask for the match by its number: the connection that is held has its last place.
#[test]
fn a_player_of_a_full_match_takes_its_place_back_with_its_token() {
    let any = LoginAnyMatch { players: 2, rules: RuleSet::Simple };
    let mut harness = Harness::new(1);
    let (first, second) = (harness.almost(0, any), harness.login(1, any));
    harness.take(second);
    let again = harness.connect();
    harness.send(again, any);
    assert_eq!(harness.master.totals().lobbies, 2);
    let told = harness.ask(again, LoginNickname { nickname: "bob".parse().unwrap(), token: Some(token(1)) });
    let [Notice::LoginReply(reply), Notice::LobbyUpdate(lobby)] = &told[..] else { panic!("{told:?}") };
    assert_eq!((reply.number, reply.nickname.as_str(), lobby.present.len()), (1, "Bob", 2));
    assert!(harness.closed.contains(&second));
    assert_eq!(harness.master.totals().lobbies, 1, "the match that was opened for a moment is gone");
    let family = WizardFamily::ALL[3];
    harness.ask(first, LoginWizardFamily { family });
    assert!(harness.take(again).iter().any(|notice| matches!(notice, Notice::TableUpdate(_))));
}

/// The second match is full and begins by itself: nobody is taken from there.
#[test]
fn a_free_place_is_taken_by_nobody_from_a_match_that_is_full() {
    let any = LoginAnyMatch { players: 2, rules: RuleSet::Simple };
    let mut harness = Harness::new(1);
    harness.login(0, any);
    let leaving = harness.almost(1, any);
    harness.login(2, any);
    harness.almost(3, any);
    let late = harness.connect();
    harness.send(late, any);
    assert_eq!(harness.master.totals().lobbies, 3);
    harness.disconnect(leaving);
    assert_eq!((harness.master.totals().lobbies, harness.master.totals().matches), (2, 0));
}

/// A player moves only if a match becomes complete, or all of its own come along.
#[test]
fn a_friend_in_a_match_for_anybody_keeps_the_others_there() {
    let any = LoginAnyMatch { players: 4, rules: RuleSet::Simple };
    let mut harness = Harness::new(1);
    let first = harness.login(0, any);
    let friend = harness.login(1, LoginJoinMatch { number: 1 });
    let leaving = harness.login(2, any);
    let host = harness.login(3, LoginNewMatch { players: 4, rules: RuleSet::Simple });
    for id in [first, friend, host] {
        harness.take(id);
    }
    harness.disconnect(leaving);
    assert_eq!(harness.master.totals().lobbies, 2);
    assert!(harness.take(host).is_empty());
    let present = |notices: Vec<Notice>| match &notices[..] {
        [Notice::LobbyUpdate(lobby)] => (lobby.number, lobby.present.len()),
        other => panic!("{other:?}"),
    };
    assert_eq!([first, friend].map(|id| present(harness.take(id))), [(1, 2); 2]);
}

/// Both matches are full when the first of them loses a player.
#[test]
fn a_match_that_was_opened_for_others_keeps_its_players_and_gets_those_who_are_left() {
    let any = LoginAnyMatch { players: 2, rules: RuleSet::Simple };
    let mut harness = Harness::new(1);
    let host = harness.login(0, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    let guest = harness.almost(1, LoginJoinMatch { number: 1 });
    let (waiting, leaving) = (harness.login(2, any), harness.almost(3, any));
    harness.disconnect(guest);
    assert_eq!(harness.master.totals().lobbies, 2);
    harness.take(host);
    harness.take(waiting);
    harness.disconnect(leaving);
    assert_eq!(harness.master.totals().lobbies, 1);
    let told = harness.take(host);
    let [Notice::LobbyUpdate(lobby)] = &told[..] else { panic!("{told:?}") };
    assert_eq!((lobby.number, lobby.present.len()), (1, 2));
    // The host has the colour and the wizard that the other one chose in the other match.
    let told = harness.take(waiting);
    assert!(matches!(told.last(), Some(Notice::LoginTowerColorOptions(_))), "{told:?}");
}
