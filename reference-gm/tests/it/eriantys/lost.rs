//! Players who are lost and come back, and servers that end at any moment.

use std::collections::BTreeSet;

use game_env::{Disruption, Termination};
use reference_gm::eriantys::{Master, Record, Settings};
use reference_gm::server::{Master as _, Origin};
use wire::eriantys::request::{EntranceToDining, LoginNewMatch, LoginNickname, LoginResumeMatch};
use wire::eriantys::words::{EndReason, PieceColor, RuleSet};
use wire::eriantys::{Message as _, Notice};

use super::harness::{Chooser, Harness, NAMES};
use crate::served::{counted_tokens, token};

/// Lets a player come back with another connection; returns the connection and the messages to it.
fn come_back(
    harness: &mut Harness,
    place: usize,
    by_token: bool,
) -> (reference_gm::eriantys::ConnectionId, Vec<Notice>) {
    let id = harness.connect();
    let Some(Notice::LoginMatchOptions(options)) = harness.take(id).pop() else {
        panic!("it is asked for a match")
    };
    let saved = &options.saved[0];
    assert!(saved.nicknames.iter().any(|name| name.as_str() == NAMES[place]), "{saved:?}");
    harness.send(id, LoginResumeMatch { number: i64::try_from(saved.number).unwrap() });
    let Some(Notice::LoginPlayersOptions(options)) = harness.take(id).pop() else {
        panic!("it is asked for a name")
    };
    assert_eq!(options.nicknames, saved.nicknames);
    let token = by_token.then(|| token(u8::try_from(place).unwrap() + 1));
    // The server calls the player as it called itself first.
    let nickname = NAMES[place].to_uppercase().parse().unwrap();
    let told = harness.ask(id, LoginNickname { nickname, token });
    let [Notice::LoginReply(reply), Notice::TableUpdate(_), ..] = &told[..] else { panic!("{told:?}") };
    assert_eq!(reply.nickname.as_str(), NAMES[place]);
    (id, told)
}

/// Clients in a match in which both have acted.
fn played(harness: &mut Harness) -> Vec<reference_gm::eriantys::ConnectionId> {
    let clients = harness.game(2, RuleSet::Simple);
    let mut chooser = Chooser::new(1);
    for _ in 0..2 {
        let (id, question) = harness.question(&clients).unwrap();
        let answer = chooser.answer(&question);
        harness.send(id, answer);
    }
    clients
}

/// A stranger who knows the nickname of a lost player takes its place, until the owner is back.
#[test]
fn a_nickname_alone_brings_no_token_and_takes_no_place_again_from_its_owner() {
    let mut harness = Harness::new(1);
    let clients = played(&mut harness);
    harness.disconnect(clients[0]);
    let (stranger, told) = come_back(&mut harness, 0, false);
    let Notice::LoginReply(reply) = &told[0] else { panic!("{told:?}") };
    assert_eq!((reply.nickname.as_str(), reply.token), (NAMES[0], None));
    let mut come = |token| {
        let id = harness.connect();
        harness.send(id, LoginResumeMatch { number: 1 });
        harness.take(id);
        let told = harness.ask(id, LoginNickname { nickname: NAMES[0].parse().unwrap(), token });
        (id, told.into_iter().next().unwrap())
    };
    let (owner, told) = come(Some(token(1)));
    let Notice::LoginReply(reply) = &told else { panic!("{told:?}") };
    assert_eq!(reply.token, Some(token(1)));
    let (_, told) = come(None);
    assert!(matches!(told, Notice::ErrorMessage(_)), "{told:?}");
    assert!(harness.closed.contains(&stranger) && !harness.closed.contains(&owner));
}

/// The name of a question without what it offers.
fn kind(question: &Notice) -> &'static str {
    wire::eriantys::Message::name(question)
}

#[test]
fn a_connection_that_is_lost_at_any_question_is_resumed() {
    let mut kinds = BTreeSet::new();
    for (seed, players, rules) in [(1, 2, RuleSet::Expert), (2, 3, RuleSet::Expert), (3, 4, RuleSet::Simple)]
    {
        let mut harness = Harness::new(seed);
        let mut clients = harness.game(players, rules);
        let mut chooser = Chooser::new(seed);
        let mut turn = 0;
        harness.play_out(&mut clients, &mut chooser, |harness, clients, question| {
            turn += 1;
            let mover = harness.client_of(players, harness.state().table().mover().index());
            // The mover is lost at one question, another player at the next.
            let lost = if turn % 2 == 0 { mover } else { (mover + 1) % players };
            let is_asked_for_character = matches!(
                question,
                Notice::RequestColor(_) | Notice::RequestIsland(_) | Notice::RequestPieceColorList(_)
            );
            if is_asked_for_character && lost == mover {
                return; // It would be asked from the beginning.
            }
            kinds.insert(kind(question));
            let before = harness.hash();
            harness.disconnect(clients[lost]);
            assert_eq!(harness.master.totals().paused, 1);
            let other = clients[(lost + 1) % players];
            let Some(Notice::MatchPaused(paused)) = harness.take(other).pop() else {
                panic!("others are told")
            };
            assert_eq!((paused.missing[0].as_str(), paused.wait_ms), (NAMES[lost], 60_000));
            // Nobody plays meanwhile.
            let told = harness.ask(other, EntranceToDining { color: PieceColor::Red });
            let [Notice::ErrorMessage(error)] = &told[..] else { panic!("{told:?}") };
            assert!(error.error.contains("the match waits for"), "{error:?}");
            harness.pass(1_000, clients);
            harness.take(other);
            let (id, told) = come_back(harness, lost, turn % 3 == 0);
            clients[lost] = id;
            assert!(told.iter().any(|notice| matches!(notice, Notice::MatchResumed(_))));
            assert_eq!((harness.hash(), harness.master.totals().paused), (before, 0));
            let asked = if lost == mover { told } else { harness.take(clients[mover]) };
            assert_eq!(asked.last(), Some(question), "the same question is asked again");
        });
        assert_eq!(harness.ended.len(), 1);
        assert_eq!(harness.ended[0].disruption, None);
    }
    assert_eq!(kinds.len(), 7, "{kinds:?}");
}

#[test]
fn a_server_that_ends_at_any_moment_goes_on_with_the_same_state() {
    for (seed, players, rules) in [(5, 2, RuleSet::Expert), (6, 4, RuleSet::Expert), (7, 3, RuleSet::Simple)]
    {
        let mut harness = Harness::new(seed);
        let mut clients = harness.game(players, rules);
        let mut chooser = Chooser::new(seed);
        let (mut asked, mut rounds) = (0, BTreeSet::new());
        harness.play_out(&mut clients, &mut chooser, |harness, clients, question| {
            asked += 1;
            let round = harness.state().table().round;
            let is_new_round = rounds.insert(round);
            if !is_new_round && asked % 7 != 0 {
                return;
            }
            let before = harness.hash();
            let next = harness.restarted();
            assert_eq!(next.hash(), before);
            // Of the next server too nothing is lost.
            assert_eq!(next.restarted().hash(), before);
            let is_asked_for_character = matches!(
                question,
                Notice::RequestColor(_) | Notice::RequestIsland(_) | Notice::RequestPieceColorList(_)
            );
            if is_asked_for_character {
                return; // It would be asked from the beginning.
            }
            *harness = next;
            let mut told = Vec::new();
            for (place, client) in clients.iter_mut().enumerate() {
                let (id, notices) = come_back(harness, place, place % 2 == 0);
                *client = id;
                told.push(notices);
            }
            let mover = harness.client_of(players, harness.state().table().mover().index());
            told[mover].extend(harness.take(clients[mover]));
            assert_eq!(told[mover].last(), Some(question));
        });
        assert!(rounds.len() >= 3, "{rounds:?}");
        assert_eq!(harness.ended.len(), 1);
        // A server that ends before the replay is written writes it when it starts again.
        let next = harness.restarted();
        assert_eq!(next.ended, harness.ended);
        assert_eq!(next.master.totals().matches, 0);
    }
}

#[test]
fn a_match_that_waits_for_too_long_ends_as_it_stands() {
    let mut harness = Harness::new(9);
    let clients = harness.game(3, RuleSet::Simple);
    harness.disconnect(clients[1]);
    let before = *harness.state().table();
    let others = [clients[0], clients[2]];
    harness.pass(59_000, &others);
    assert_eq!(harness.master.totals().matches, 1);
    // A client is about to come back.
    let late = harness.connect();
    harness.send(late, LoginResumeMatch { number: 1 });
    harness.take(late);
    harness.pass(2_000, &others);
    assert_eq!(harness.master.totals().matches, 0);
    let [.., Notice::TableUpdate(table), Notice::EndMatchMessage(end), Notice::ConnectionClosed(_)] =
        &harness.take(clients[0])[..]
    else {
        panic!("the end is told");
    };
    assert_eq!(end.reason, EndReason::PlayerLost);
    assert_eq!(end.winners.len(), 3, "nobody has built a tower: a tie");
    assert_eq!(u32::from(before.round), table.round);
    let told = harness.take(late);
    assert!(matches!(&told[..], [Notice::EndMatchMessage(seen), Notice::ConnectionClosed(_)] if seen == end));
    assert!(harness.closed.contains(&late));
    assert!(harness.ended.is_empty(), "nobody has acted: there is nothing to show");
    // A restart ends it in the same way. Nobody comes back for the result of a match in which nobody acted.
    let mut again = harness.restarted();
    assert_eq!(again.master.totals().matches, 0);
    assert!(matches!(resume(&mut again, 1)[..], [Notice::ErrorMessage(_), ..]));
}

/// Returns the messages to a client that wants to go on with a match.
fn resume(harness: &mut Harness, number: i64) -> Vec<Notice> {
    let id = harness.connect();
    let told = harness.ask(id, LoginResumeMatch { number });
    let is_over = matches!(told[..], [Notice::EndMatchMessage(_), Notice::ConnectionClosed(_)]);
    assert_eq!(harness.closed.contains(&id), is_over, "{told:?}");
    told
}

#[test]
fn a_player_who_is_away_at_the_end_learns_the_result_later() {
    let mut harness = Harness::new(9);
    let clients = played(&mut harness);
    harness.disconnect(clients[1]);
    harness.pass(61_000, &clients[..1]);
    let told = harness.take(clients[0]);
    let result = told.iter().find(|notice| matches!(notice, Notice::EndMatchMessage(_)));
    let result = result.expect("Ada is told the result").clone();
    assert_eq!(harness.ended[0].disruption, Some(Disruption::Ended(Termination::AgentLost)));
    assert_eq!(resume(&mut harness, 1)[0], result);
    // It stays, also for a server that starts again: from the actions of the match, and from their summary.
    assert_eq!(resume(&mut harness, 1)[0], result);
    let mut next = harness.restarted();
    assert_eq!(resume(&mut next, 1)[0], result);
    let mut last = next.restarted();
    assert!(last.ended.is_empty(), "the actions are no longer kept");
    assert_eq!(resume(&mut last, 1)[0], result);
    let told = resume(&mut last, 2);
    let [Notice::ErrorMessage(error), Notice::LoginMatchOptions(_)] = &told[..] else { panic!("{told:?}") };
    assert_eq!(error.error, "match 2 is not saved: expected the number of a saved match");
    // Its number is not given again.
    last.game(2, RuleSet::Simple);
    assert_eq!(last.master.matches().next().map(|(number, _)| number), Some(17), "16 numbers were reserved");
}

#[test]
fn as_many_results_are_kept_as_there_can_be_matches() {
    let settings = Settings { matches: 2, ..Settings::default() };
    let mut harness = Harness::of(Master::new(settings, counted_tokens()));
    for _ in 0..3 {
        let clients = played(&mut harness);
        harness.disconnect(clients[1]);
        harness.pass(61_000, &clients[..1]);
    }
    let is_known =
        |harness: &mut Harness, number| matches!(resume(harness, number)[0], Notice::EndMatchMessage(_));
    assert_eq!([1, 2, 3].map(|number| is_known(&mut harness, number)), [false, true, true]);
    let mut next = harness.restarted();
    assert_eq!([1, 2, 3].map(|number| is_known(&mut next, number)), [false, true, true]);
}

#[test]
fn a_result_of_a_match_that_is_there_is_no_record() {
    let mut harness = Harness::new(9);
    let clients = played(&mut harness);
    let line = r#"result 1 {"type":"EndMatchMessage","winners":["Ada"],"reason":"bag","text":"Ada wins this match"}"#;
    let restore = |records: &[Record]| {
        Master::restore(Settings::default(), counted_tokens(), records.to_vec()).map(|_| ())
    };
    let mut records = harness.records.clone();
    restore(&records).unwrap();
    for last in ["matches 18446744073709551614".to_owned(), line.replacen('1', "18446744073709551615", 1)] {
        let records = [&records[..], &[last.parse().unwrap()]].concat();
        assert_eq!(restore(&records).unwrap_err().why, "no server comes to such a number", "{last}");
    }
    records.push(line.parse().unwrap());
    assert_eq!(restore(&records).unwrap_err().why, "the match goes on, or its result is known already");
    harness.disconnect(clients[1]);
    harness.pass(61_000, &clients[..1]);
    let mut records = harness.records.clone();
    restore(&records).unwrap();
    records.push(line.parse().unwrap());
    assert_eq!(restore(&records).unwrap_err().number, records.len());
}

#[test]
fn a_match_without_players_is_kept_for_long() {
    let mut harness = Harness::new(9);
    let clients = played(&mut harness);
    harness.disconnect(clients[1]);
    harness.pass(30_000, &[clients[0]]);
    harness.disconnect(clients[0]);
    harness.pass(3_600_000, &[]);
    assert_eq!(harness.master.totals().matches, 1);
    // As soon as a player is there, the others have less time.
    let (ada, _) = come_back(&mut harness, 0, true);
    harness.pass(59_000, &[ada]);
    assert_eq!(harness.master.totals().matches, 1);
    harness.pass(2_000, &[ada]);
    assert_eq!(harness.master.totals().matches, 0);
    let next = Harness::new(9);
    assert_eq!(next.master.wake_at(), None);
}

#[test]
fn the_number_of_a_match_that_never_began_is_not_given_again_after_a_restart() {
    let mut harness = Harness::new(9);
    let ada = harness.login(0, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    let Notice::LoginReply(reply) = harness.take(ada)[0].clone() else { panic!("the login was answered") };
    let mut next = harness.restarted();
    let other = next.login(1, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    let Notice::LoginReply(second) = next.take(other)[0].clone() else { panic!("the login was answered") };
    assert!(second.number > reply.number, "{} is another match than {}", second.number, reply.number);
}

#[test]
fn a_match_in_which_somebody_never_acted_is_kept_for_a_short_time() {
    let mut harness = Harness::new(9);
    let clients = harness.game(2, RuleSet::Simple);
    clients.into_iter().for_each(|id| harness.disconnect(id));
    let mut next = harness.restarted();
    for harness in [&mut harness, &mut next] {
        harness.pass(59_000, &[]);
        assert_eq!(harness.master.totals().matches, 1, "its players may come back");
        harness.pass(2_000, &[]);
        assert_eq!((harness.master.totals().matches, harness.master.wake_at()), (0, None));
        assert!(matches!(resume(harness, 1)[0], Notice::ErrorMessage(_)), "there is no result of it");
    }
}

#[test]
fn a_full_server_ends_the_match_that_has_waited_longest_for_its_players() {
    let mut harness =
        Harness::of(Master::new(Settings { matches: 3, ..Settings::default() }, counted_tokens()));
    for _ in 0..2 {
        let clients = played(&mut harness);
        clients.into_iter().for_each(|id| harness.disconnect(id));
        harness.pass(1_000, &[]);
    }
    let there = harness.game(2, RuleSet::Simple);
    let numbers = |harness: &Harness| harness.master.matches().map(|(number, _)| number).collect::<Vec<_>>();
    assert_eq!(numbers(&harness), [1, 2, 3]);
    let fourth = harness.game(2, RuleSet::Simple);
    assert_eq!(numbers(&harness), [2, 3, 4]);
    harness.game(2, RuleSet::Simple);
    assert_eq!(numbers(&harness), [3, 4, 5]);
    let id = harness.connect();
    let told = harness.ask(id, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    let Notice::ErrorMessage(error) = &told[0] else { panic!("{told:?}") };
    assert_eq!(error.error, "the server has 3 matches, and can have no more: try again later");
    assert!(
        there.iter().chain(&fourth).all(|id| !harness.closed.contains(id)),
        "nobody who is there is sent away"
    );
}

#[test]
fn an_address_has_a_limit_on_its_matches_and_others_have_room() {
    let settings = Settings { idle_matches_of_origin: 2, matches_per_hour: 5, ..Settings::default() };
    let mut harness = Harness::of(Master::new(settings, counted_tokens()));
    let [one, other] = [1, 2].map(|last| Origin::of([10, 0, 0, last].into()));
    harness.origin = other;
    played(&mut harness).into_iter().for_each(|id| harness.disconnect(id));
    harness.origin = one;
    for _ in 0..5 {
        harness.pass(1_000, &[]);
        played(&mut harness).into_iter().for_each(|id| harness.disconnect(id));
    }
    let numbers: Vec<u64> = harness.master.matches().map(|(number, _)| number).collect();
    assert_eq!(numbers, [1, 5, 6], "the oldest of the same address give way");
    let enter = LoginNewMatch { players: 2, rules: RuleSet::Simple };
    let id = harness.connect();
    let told = harness.ask(id, enter);
    let Notice::ErrorMessage(error) = &told[0] else { panic!("{told:?}") };
    assert_eq!(error.error, "your address has begun 5 matches within an hour: try again later");
    harness.origin = other;
    let id = harness.connect();
    assert_eq!(harness.ask(id, enter)[0].name(), "RequestNickname");
}

#[test]
fn a_player_who_does_not_answer_pings_is_missing() {
    let mut harness = Harness::new(9);
    let clients = harness.game(2, RuleSet::Simple);
    harness.pass(10_000, &clients);
    assert_eq!(harness.master.totals().paused, 0);
    harness.pass(2_500, &clients[..1]);
    assert_eq!(harness.master.totals().paused, 0, "two pings may be missed");
    harness.pass(1_500, &clients[..1]);
    assert_eq!(harness.master.totals().paused, 1);
    assert!(harness.closed.contains(&clients[1]) && !harness.closed.contains(&clients[0]));
}
