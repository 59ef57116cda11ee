//! The server's own players: the moment when one is wanted, and that no other client can be one.

use game_env::Millis;
use reference_gm::eriantys::master::Bots;
use reference_gm::eriantys::{ConnectionId, Input, Master, Settings};
use reference_gm::server::Master as _;
use wire::eriantys::request::{
    LoginJoinMatch, LoginNewMatch, LoginNickname, LoginResumeMatch, LoginTowerColor, LoginWizardFamily,
    PlayHelperCard,
};
use wire::eriantys::words::{RuleSet, WizardFamily};
use wire::eriantys::{Notice, Token};

use super::harness::Harness;
use crate::served::{counted_tokens, token};

const BOT_TOKEN: u8 = 200;

fn harness(most: usize) -> Harness {
    let bots = Bots {
        name: "greedy".to_owned(),
        token: token(BOT_TOKEN),
        most,
        wait: Millis::new(3_000),
        at_once: most,
        patience: Millis::new(600_000),
    };
    Harness::of(Master::new(Settings { bots: Some(bots), ..Settings::default() }, counted_tokens()))
}

fn wanted(harness: &Harness) -> Option<(u64, String)> {
    harness.master.totals().wanted_bot.map(|(number, nickname)| (number, nickname.to_string()))
}

fn named(nickname: &str, token: Option<Token>) -> LoginNickname {
    LoginNickname { nickname: nickname.parse().unwrap(), token }
}

/// A bot that takes the seat that is wanted.
fn bot(harness: &mut Harness) -> ConnectionId {
    let (number, nickname) = wanted(harness).expect("a bot is wanted");
    let id = harness.connect();
    harness.send(id, LoginJoinMatch { number: i64::try_from(number).unwrap() });
    harness.send(id, named(&nickname, Some(token(BOT_TOKEN))));
    let choices = harness.take(id);
    let color = choices.iter().find_map(|notice| match notice {
        Notice::LoginTowerColorOptions(options) => options.colors.first().copied(),
        _ => None,
    });
    let told = harness.ask(id, LoginTowerColor { color: color.expect("a colour is free") });
    let family = told.iter().find_map(|notice| match notice {
        Notice::LoginWizardFamilyOptions(options) => options.families.first().copied(),
        _ => None,
    });
    harness.send(id, LoginWizardFamily { family: family.expect("a wizard is free") });
    id
}

#[test]
fn bots_take_the_free_seats_of_a_match_that_has_waited() {
    let mut harness = harness(2);
    let first = harness.login(0, LoginNewMatch { players: 4, rules: RuleSet::Simple });
    harness.pass(10_000, &[first]);
    assert_eq!(wanted(&harness), None, "two bots are no three players");
    let second = harness.almost(1, LoginJoinMatch { number: 1 });
    harness.handle(Input::Tick);
    assert_eq!(wanted(&harness), Some((1, "greedy-bot1".to_owned())), "the match has waited for long");
    harness.send(second, LoginWizardFamily { family: WizardFamily::King });
    bot(&mut harness);
    assert_eq!(wanted(&harness), Some((1, "greedy-bot2".to_owned())));
    bot(&mut harness);
    assert_eq!(wanted(&harness), None);
    assert_eq!(harness.state().table().config.players(), 4);
}

#[test]
fn people_have_time_to_come_before_bots_do() {
    let mut harness = harness(1);
    let choosing = harness.almost(0, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    harness.pass(10_000, &[]);
    assert_eq!(wanted(&harness), None, "nobody has logged in");
    harness.send(choosing, LoginWizardFamily { family: WizardFamily::King });
    harness.pass(2_999, &[choosing]);
    assert_eq!(wanted(&harness), None);
    harness.pass(1, &[choosing]);
    assert_eq!(wanted(&harness), Some((1, "greedy-bot1".to_owned())));
    harness.disconnect(choosing);
    assert_eq!(wanted(&harness), None);
}

#[test]
fn nicknames_of_bots_are_theirs_alone() {
    let mut harness = harness(1);
    let id = harness.connect();
    harness.send(id, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    for (name, taken) in [("Ada-bot1", None), ("Ada-bot1", Some(token(1))), ("greedy-Bot1", None)] {
        let told = harness.ask(id, named(name, taken));
        let Notice::ErrorMessage(error) = &told[0] else { panic!("{told:?}") };
        assert!(error.error.contains("is one of the server's own players"), "{error:?}");
        assert!(matches!(told[1], Notice::RequestNickname(_)));
    }
    let told = harness.ask(id, named("Ada-bot5", None));
    assert!(matches!(told[0], Notice::LoginTowerColorOptions(_)), "{told:?}");
}

#[test]
fn bots_alone_do_not_wait_for_people() {
    let mut harness = harness(2);
    let person = harness.login(0, LoginNewMatch { players: 3, rules: RuleSet::Expert });
    harness.pass(3_000, &[person]);
    let first = bot(&mut harness);
    harness.disconnect(person);
    assert!(harness.closed.contains(&first));
    assert_eq!(harness.master.totals().lobbies, 0);
}

#[test]
fn a_bot_that_is_lost_is_wanted_again_when_all_people_are_there() {
    let mut harness = harness(1);
    let person = harness.login(0, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    harness.pass(3_000, &[person]);
    let first = bot(&mut harness);
    harness.disconnect(first);
    assert_eq!(wanted(&harness), Some((1, "greedy-bot1".to_owned())));
    // After a restart the match waits for people first.
    let mut harness = harness.restarted();
    assert_eq!(wanted(&harness), None);
    let person = harness.connect();
    harness.send(person, LoginResumeMatch { number: 1 });
    let told = harness.ask(person, named("greedy-bot1", None));
    assert!(matches!(told[0], Notice::ErrorMessage(_)), "{told:?}");
    harness.send(person, named("Ada", None));
    assert_eq!(wanted(&harness), Some((1, "greedy-bot1".to_owned())));
    let second = harness.connect();
    harness.send(second, LoginResumeMatch { number: 1 });
    harness.send(second, named("greedy-bot1", Some(token(BOT_TOKEN))));
    assert_eq!((wanted(&harness), harness.master.totals().paused), (None, 0));
    assert!(harness.take(person).iter().any(|notice| matches!(notice, Notice::MatchResumed(_))));
    assert_eq!(harness.state().table().config.players(), 2);
}

/// A player who never chooses keeps a bot for as long as nobody else wants it.
#[test]
fn a_bot_is_not_kept_for_ever_from_those_who_want_it() {
    let mut harness = harness(1);
    let person = harness.login(0, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    harness.pass(3_000, &[person]);
    let bot = bot(&mut harness);
    if harness.state().table().mover().index() == 1 {
        harness.send(bot, PlayHelperCard { card: 1 });
    }
    harness.pass(599_000, &[person, bot]);
    let other = harness.login(1, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    harness.take(person);
    // The other match wants a bot three seconds later: the player has had the turn for ten minutes by then.
    harness.pass(2_999, &[person, bot, other]);
    assert_eq!((wanted(&harness), harness.master.totals().matches), (None, 1), "nobody waits for the bot");
    harness.pass(1, &[person, bot, other]);
    assert_eq!(wanted(&harness), Some((2, "greedy-bot1".to_owned())));
    assert_eq!(harness.master.totals().matches, 0);
    let told = harness.take(person);
    let why = told.iter().find_map(|notice| match notice {
        Notice::GenericMessage(said) => Some(said.text.as_str()),
        _ => None,
    });
    assert_eq!(
        why,
        Some("You have had the turn for 600 s, and the bots of this match are wanted in another one")
    );
    assert!(told.iter().any(|notice| matches!(notice, Notice::EndMatchMessage(_))), "{told:?}");
}

/// A player who has the turn for less than that keeps its bot.
#[test]
fn a_bot_stays_with_a_player_who_chooses() {
    let mut harness = harness(1);
    let person = harness.login(0, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    harness.pass(3_000, &[person]);
    let bot = bot(&mut harness);
    let other = harness.login(1, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    harness.pass(590_000, &[person, bot, other]);
    let mover = if harness.state().table().mover().index() == 0 { person } else { bot };
    harness.send(mover, PlayHelperCard { card: 1 });
    harness.pass(590_000, &[person, bot, other]);
    assert_eq!(harness.master.totals().matches, 1, "nobody has had the turn for ten minutes");
    harness.pass(10_000, &[person, bot, other]);
    let is_persons_turn = mover == bot;
    assert_eq!(
        harness.master.totals().matches,
        usize::from(!is_persons_turn),
        "a bot that is slow is no reason"
    );
}
