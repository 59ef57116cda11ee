//! The suite passes games that keep the contract, and names the promise that a game breaks.

use game_env::Millis;
use game_env::conformance::{Case, Conforming, Report, Violation, check};
use game_env::examples::pebbles::Pebbles;

use crate::vault::{CLAIMS_FOUR_AGENTS, CLAIMS_TURNS, Config, Fault, Misdescribed, Vault};

fn check_vault(fault: Fault) -> Result<Report, Violation> {
    let config = Config { fault, ..Config::new(3, 12, Millis::new(100)) };
    check::<Vault>(&[Case { name: "vault", config, seeds: 0..8, bound: 12 }])
}

#[test]
fn sound_games_pass() {
    let report = check_vault(Fault::None).unwrap();
    assert_eq!(report.episodes, 8);
    assert!(report.steps > 20 && report.probes > 1000 && report.scrambles > 50, "{report}");
    let report = check::<Pebbles>(&[Case { name: "usual", config: 21, seeds: 0..20, bound: 21 }]).unwrap();
    assert_eq!(report.scrambles, 0, "pebbles has no secrets");
}

#[test]
fn every_broken_promise_is_named() {
    let named: Vec<String> = Fault::ALL
        .into_iter()
        .map(|fault| match check_vault(fault) {
            Ok(report) => panic!("{fault:?} went unnoticed in {report}"),
            Err(violation) => format!("{fault:?}: {}", violation.promise),
        })
        .collect();
    assert_eq!(
        named,
        [
            "ObservesTheSecret: states that differ only in secrets give equal observations",
            "LeavesTheBuffer: states that differ only in secrets give equal observations",
            "ClonesShare: a clone is independent",
            "NewDiffers: a configuration reads as it is written",
            "ListsTheIllegal: the legal actions are those that are not refused",
            "ForgetsTheLegal: the legal actions are those that are not refused",
            "ListsNothing: the legal actions are those that are not refused",
            "AnswersNothing: the legal actions are those that are not refused",
            "WritesTheUnreadable: an event is one line of text",
            "NeverEnds: an episode ends within its bound under random play",
            "LeavesGhosts: an agent that is gone acts no more",
            "LivesOn: after the end nothing happens any more",
            "TurnsAtRandom: the turn is that of the agent that is ready first",
            "ReportsLate: an event happens when its cause does",
            "LosesConfig: a configuration reads as it is written",
            "IgnoresTheEnd: a game that is ended is over",
            "AddressesNobody: an event is addressed to those who play",
            "ForgetsAnOption: every legal action is an option",
            "KeepsOldOptions: options replace what is in the buffer",
            "OptionsKnowTheSecret: states that differ only in secrets give equal options",
            "PlacesNobody: an outcome gives every team its place and its points",
            "BlamesAStranger: a fault is that of an agent in the game",
        ]
    );
}

#[test]
fn a_wrong_description_is_named() {
    fn promise<E: Conforming<Config = Config>>(agents: u16, lock: Millis) -> &'static str {
        let config = Config::new(agents, 12, lock);
        let cases = [Case { name: "vault", config, seeds: 0..8, bound: 12 }];
        check::<E>(&cases).unwrap_err().promise
    }
    type InTurns = Misdescribed<CLAIMS_TURNS>;
    assert_eq!(promise::<InTurns>(3, Millis::ZERO), "in a game of turns one agent has the turn");
    assert_eq!(promise::<InTurns>(1, Millis::new(100)), "a game without time stays at its start");
    type OfFour = Misdescribed<CLAIMS_FOUR_AGENTS>;
    assert_eq!(promise::<OfFour>(3, Millis::new(100)), "a description holds for every episode");
}

#[test]
fn a_violation_says_how_to_see_it_again() {
    let violation = check_vault(Fault::NeverEnds).unwrap_err();
    assert_eq!(
        violation.to_string(),
        "an episode ends within its bound under random play, but it goes on (case vault, seed 0, after 12 steps)"
    );
}
