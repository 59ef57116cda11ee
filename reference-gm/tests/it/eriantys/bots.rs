//! The server's own players: the moment when one is wanted, and that no other client can be one.

use game_env::Millis;
use reference_gm::eriantys::master::Bots;
use reference_gm::eriantys::{ConnectionId, Input, Master, Settings};
use reference_gm::server::Master as _;
use wire::eriantys::request::{
    LoginJoinMatch, LoginNewMatch, LoginNickname, LoginResumeMatch, LoginTowerColor, LoginWizardFamily,
};
use wire::eriantys::words::{RuleSet, WizardFamily};
use wire::eriantys::{Notice, Token};

use super::hall::{Hall, counted_tokens, token};

const BOT_TOKEN: u8 = 200;

fn hall(most: usize) -> Hall {
    let bots = Bots { name: "greedy".to_owned(), token: token(BOT_TOKEN), most, wait: Millis::new(3_000) };
    Hall::of(Master::new(Settings { bots: Some(bots), ..Settings::default() }, counted_tokens()))
}

fn wanted(hall: &Hall) -> Option<(u64, String)> {
    hall.master.totals().wanted_bot.map(|(number, nickname)| (number, nickname.to_string()))
}

fn named(nickname: &str, token: Option<Token>) -> LoginNickname {
    LoginNickname { nickname: nickname.parse().unwrap(), token }
}

/// A bot that takes the seat that is wanted.
fn bot(hall: &mut Hall) -> ConnectionId {
    let (number, nickname) = wanted(hall).expect("a bot is wanted");
    let id = hall.connect();
    hall.send(id, LoginJoinMatch { number: i64::try_from(number).unwrap() });
    hall.send(id, named(&nickname, Some(token(BOT_TOKEN))));
    let choices = hall.take(id);
    let color = choices.iter().find_map(|notice| match notice {
        Notice::LoginTowerColorOptions(options) => options.colors.first().copied(),
        _ => None,
    });
    let told = hall.ask(id, LoginTowerColor { color: color.expect("a colour is free") });
    let family = told.iter().find_map(|notice| match notice {
        Notice::LoginWizardFamilyOptions(options) => options.families.first().copied(),
        _ => None,
    });
    hall.send(id, LoginWizardFamily { family: family.expect("a wizard is free") });
    id
}

#[test]
fn bots_take_the_free_seats_of_a_match_that_has_waited() {
    let mut hall = hall(2);
    let first = hall.login(0, LoginNewMatch { players: 4, rules: RuleSet::Simple });
    hall.pass(10_000, &[first]);
    assert_eq!(wanted(&hall), None, "two bots are no three players");
    let second = hall.almost(1, LoginJoinMatch { number: 1 });
    hall.handle(Input::Tick);
    assert_eq!(wanted(&hall), Some((1, "greedy-bot1".to_owned())), "the match has waited for long");
    hall.send(second, LoginWizardFamily { family: WizardFamily::King });
    bot(&mut hall);
    assert_eq!(wanted(&hall), Some((1, "greedy-bot2".to_owned())));
    bot(&mut hall);
    assert_eq!(wanted(&hall), None);
    assert_eq!(hall.state().table().config.players(), 4);
}

#[test]
fn people_have_time_to_come_before_bots_do() {
    let mut hall = hall(1);
    let choosing = hall.almost(0, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    hall.pass(10_000, &[]);
    assert_eq!(wanted(&hall), None, "nobody has logged in");
    hall.send(choosing, LoginWizardFamily { family: WizardFamily::King });
    hall.pass(2_999, &[choosing]);
    assert_eq!(wanted(&hall), None);
    hall.pass(1, &[choosing]);
    assert_eq!(wanted(&hall), Some((1, "greedy-bot1".to_owned())));
    hall.disconnect(choosing);
    assert_eq!(wanted(&hall), None);
}

#[test]
fn nicknames_of_bots_are_theirs_alone() {
    let mut hall = hall(1);
    let id = hall.connect();
    hall.send(id, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    for taken in [None, Some(token(1))] {
        let told = hall.ask(id, named("Ada-bot1", taken));
        let Notice::ErrorMessage(error) = &told[0] else { panic!("{told:?}") };
        assert!(error.error.contains("is one of the server's own players"), "{error:?}");
        assert!(matches!(told[1], Notice::RequestNickname(_)));
    }
    let told = hall.ask(id, named("Ada-bot5", None));
    assert!(matches!(told[0], Notice::LoginTowerColorOptions(_)), "{told:?}");
}

#[test]
fn bots_alone_do_not_wait_for_people() {
    let mut hall = hall(2);
    let person = hall.login(0, LoginNewMatch { players: 3, rules: RuleSet::Expert });
    hall.pass(3_000, &[person]);
    let first = bot(&mut hall);
    hall.disconnect(person);
    assert!(hall.closed.contains(&first));
    assert_eq!(hall.master.totals().lobbies, 0);
}

#[test]
fn a_bot_that_is_lost_is_wanted_again_when_all_people_are_there() {
    let mut hall = hall(1);
    let person = hall.login(0, LoginNewMatch { players: 2, rules: RuleSet::Simple });
    hall.pass(3_000, &[person]);
    let first = bot(&mut hall);
    hall.disconnect(first);
    assert_eq!(wanted(&hall), Some((1, "greedy-bot1".to_owned())));
    // After a restart the match waits for people first.
    let mut hall = hall.restarted();
    assert_eq!(wanted(&hall), None);
    let person = hall.connect();
    hall.send(person, LoginResumeMatch { number: 1 });
    let told = hall.ask(person, named("greedy-bot1", None));
    assert!(matches!(told[0], Notice::ErrorMessage(_)), "{told:?}");
    hall.send(person, named("Ada", None));
    assert_eq!(wanted(&hall), Some((1, "greedy-bot1".to_owned())));
    let second = hall.connect();
    hall.send(second, LoginResumeMatch { number: 1 });
    hall.send(second, named("greedy-bot1", Some(token(BOT_TOKEN))));
    assert_eq!((wanted(&hall), hall.master.totals().paused), (None, 0));
    assert!(hall.take(person).iter().any(|notice| matches!(notice, Notice::MatchResumed(_))));
    assert_eq!(hall.state().table().config.players(), 2);
}
