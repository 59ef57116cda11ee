//! Whole matches, played from messages alone.

use std::collections::BTreeMap;

use game_env::{Environment as _, SimTime, Turn};
use game_eriantys::{Character, Config, State};
use reference_gm::server::Master as _;
use wire::eriantys::Notice;
use wire::eriantys::convert::read_table;
use wire::eriantys::request::{DeclineCharacterCard, PlayCharacterCard};
use wire::eriantys::words::{CharacterName, EndReason, RuleSet};

use super::harness::{Chooser, Harness, NAMES};

/// Checks that every client sees the table of the rules, and can make it again.
fn check_tables(harness: &Harness, notices: &[Notice]) {
    let Some(update) = notices.iter().rev().find_map(|notice| match notice {
        Notice::TableUpdate(update) => Some(update),
        _ => None,
    }) else {
        return;
    };
    let Some((_, state)) = harness.master.matches().next() else { return };
    let table = read_table(update).unwrap();
    assert_eq!(table, *state.table());
}

#[test]
fn whole_matches_are_played_from_messages_alone() {
    let mut characters: BTreeMap<CharacterName, u32> = BTreeMap::new();
    let mut reasons = Vec::new();
    for seed in 0..24 {
        let players = [2, 3, 4][seed % 3];
        let rules = [RuleSet::Simple, RuleSet::Expert][usize::from(seed % 4 > 0)];
        let mut harness = Harness::new(seed as u64);
        let mut clients = harness.game(players, rules);
        let mut chooser = Chooser::new(seed as u64);
        // The last messages to all clients are the same.
        let mut last = Vec::new();
        loop {
            let notices: Vec<Vec<Notice>> = clients.iter().map(|id| harness.take(*id)).collect();
            let tables: Vec<Option<Notice>> = notices
                .iter()
                .map(|notices| {
                    notices.iter().rev().find(|notice| matches!(notice, Notice::TableUpdate(_))).cloned()
                })
                .collect();
            assert!(tables.iter().all(|table| *table == tables[0]));
            notices.iter().for_each(|notices| check_tables(&harness, notices));
            let errors = notices.iter().flatten().filter(|notice| matches!(notice, Notice::ErrorMessage(_)));
            // Exchanges that change nothing are the only thing that was offered and is refused.
            for error in errors {
                let Notice::ErrorMessage(error) = error else { unreachable!() };
                let is_exchange = error.error.contains("exchange") || error.error.contains("no seat");
                assert!(is_exchange, "seed {seed}: {error:?}");
            }
            let question = notices.iter().enumerate().find_map(|(place, notices)| {
                notices
                    .iter()
                    .rev()
                    .find(|notice| super::harness::is_question(notice))
                    .map(|found| (place, found.clone()))
            });
            let Some((place, question)) = question else {
                last.extend(notices);
                break;
            };
            let mover = harness.state().table().mover().index();
            assert_eq!(place, harness.client_of(players, mover), "only the mover is asked");
            harness.send(clients[place], chooser.answer(&question));
        }
        for (character, count) in chooser.characters {
            *characters.entry(character).or_default() += count;
        }
        for notices in &last {
            let [.., Notice::TableUpdate(table), Notice::EndMatchMessage(end), Notice::ConnectionClosed(_)] =
                &notices[..]
            else {
                panic!("seed {seed}: {notices:?}");
            };
            assert_eq!(table.turn, None);
            assert_eq!(notices.iter().filter_map(text).next_back(), Some("Action phase finished"));
            let schools = &read_table(table).unwrap().schools[..players];
            let is_one_out_of_assistants = schools.iter().any(|school| school.hand.is_empty());
            let is_told = end.reason == EndReason::Assistants;
            assert!(is_one_out_of_assistants || !is_told, "seed {seed}: {end:?}");
            assert!(!end.winners.is_empty());
            reasons.push(end.reason);
        }
        assert_eq!(harness.closed.len(), players);
        clients.clear();
        // The replay has the same result.
        let [ended] = &harness.ended[..] else { panic!("one match has ended") };
        let config = Config::new(u8::try_from(players).unwrap(), rules == RuleSet::Expert).unwrap();
        assert_eq!((ended.config, ended.disruption), (config, None));
        let mut state = State::new(&config, ended.seed);
        for action in &ended.actions {
            let Turn::Act { agent, .. } = state.turn() else { panic!("over before its end") };
            state.step(SimTime::START, agent, *action, &mut ());
        }
        assert!(matches!(state.turn(), Turn::Over(_)));
        assert!(ended.replay().unwrap().len() > 100);
        assert_eq!(harness.master.totals().matches, 0);
    }
    // Matches that end by each way are rare to come by chance; these are enough to see that reasons differ.
    reasons.sort_unstable();
    reasons.dedup();
    assert!(reasons.len() >= 2, "{reasons:?}");
    assert!(characters.len() >= 10, "{characters:?}");
}

#[test]
fn the_beginning_of_a_match_is_told() {
    let mut harness = Harness::new(1);
    let clients = harness.game(2, RuleSet::Simple);
    let mover = NAMES[harness.client_of(2, harness.state().table().mover().index())];
    let told = harness.take(clients[0]);
    let texts: Vec<&str> = told.iter().filter_map(text).collect();
    let turn = format!("{mover} planning phase started");
    let expected =
        ["The match begins", "Round 1: planning phase started", "Clouds have been refilled", &turn];
    assert_eq!(texts[texts.len() - 4..], expected);
}

/// The text of a message for people.
fn text(notice: &Notice) -> Option<&str> {
    if let Notice::GenericMessage(said) = notice { Some(&said.text) } else { None }
}

#[test]
fn teams_of_four_sit_opposite_each_other() {
    let mut harness = Harness::new(1);
    let clients = harness.game(4, RuleSet::Expert);
    let Some(Notice::TableUpdate(table)) =
        harness.take(clients[0]).into_iter().find(|notice| matches!(notice, Notice::TableUpdate(_)))
    else {
        panic!("the match begins with a table");
    };
    let names: Vec<&str> = table.players.iter().map(|player| player.nickname.as_str()).collect();
    // Each takes the first colour that is free: Ada and Bob are white.
    assert_eq!(names, [NAMES[0], NAMES[2], NAMES[1], NAMES[3]]);
    let towers: Vec<(&str, u8)> =
        table.players.iter().map(|player| (player.tower.word(), player.towers)).collect();
    assert_eq!(towers, [("white", 8), ("black", 8), ("white", 0), ("black", 0)]);
}

/// The mushroom hunter takes any colour, and may be on the table as well.
#[test]
fn the_monk_offers_the_students_on_its_card() {
    let mut asked = 0;
    for seed in 0..2_000 {
        let mut harness = Harness::new(seed);
        let mut clients = harness.game(2, RuleSet::Expert);
        let has = |character| harness.state().table().card(character).is_some();
        if !has(Character::Monk) || !has(Character::MushroomHunter) {
            continue;
        }
        let mut chooser = Chooser::new(seed);
        harness.play_out(&mut clients, &mut chooser, |harness, clients, question| {
            let characters = match question {
                Notice::RequestStudent(question) => &question.characters,
                Notice::RequestMotherNatureStep(question) => &question.characters,
                _ => return,
            };
            let both = [CharacterName::Monk, CharacterName::MushroomHunter];
            if !both.iter().all(|own| characters.contains(own)) {
                return;
            }
            let state = harness.state();
            let id = clients[harness.client_of(2, state.table().mover().index())];
            let answer = harness.ask(id, PlayCharacterCard { character: CharacterName::Monk });
            let Notice::RequestColor(offered) = &answer[0] else { panic!("{answer:?}") };
            let card = state.table().card(Character::Monk).unwrap().students;
            assert_eq!(offered.colors.len(), card.colors().count(), "seed {seed}: {offered:?}");
            harness.ask(id, DeclineCharacterCard {});
            asked += 1;
        });
        if asked > 2 {
            return;
        }
    }
    panic!("the monk and the mushroom hunter could be played only {asked} times");
}

/// A character that is declined costs nothing, and the question before is asked again.
#[test]
fn a_character_can_be_declined() {
    let mut declined = 0;
    for seed in 0..40 {
        let mut harness = Harness::new(seed);
        let mut clients = harness.game(2, RuleSet::Expert);
        let mut chooser = Chooser::new(seed);
        harness.play_out(&mut clients, &mut chooser, |harness, clients, question| {
            let Notice::RequestStudent(asked) = question else { return };
            let client = harness.client_of(2, harness.state().table().mover().index());
            let id = clients[client];
            for character in &asked.characters {
                let needs_nothing = matches!(
                    character,
                    CharacterName::Farmer
                        | CharacterName::Mailman
                        | CharacterName::Centaur
                        | CharacterName::Knight
                );
                if needs_nothing {
                    continue;
                }
                let before = harness.hash();
                let answer = harness.ask(id, PlayCharacterCard { character: *character });
                assert!(super::harness::is_question(&answer[0]) && answer[0] != *question, "{answer:?}");
                let answer = harness.ask(id, DeclineCharacterCard {});
                assert_eq!(answer, std::slice::from_ref(question));
                assert_eq!(harness.hash(), before);
                declined += 1;
            }
        });
        if declined > 20 {
            return;
        }
    }
    panic!("only {declined} characters could be played");
}
