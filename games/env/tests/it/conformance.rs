//! The suite passes games that keep the contract, and names the promise that a game breaks.

use game_env::Millis;
use game_env::conformance::{Case, PROMISES, Report, Violation, check};
use game_env::examples::pebbles::Pebbles;

use crate::vault::{
    CLAIMS_FOUR_AGENTS, CLAIMS_ONE_TEAM, CLAIMS_PERFECT_INFORMATION, CLAIMS_TURNS, Config, Fault,
    Misdescribed, Vault,
};

fn check_vault(fault: Fault) -> Result<Report, Violation> {
    let config = Config { fault, ..Config::new(3, 12, Millis::new(100)) };
    check::<Vault>(&[Case { name: "vault", config, seeds: 0..8, bound: 12 }])
}

#[test]
fn sound_games_pass() {
    let report = check_vault(Fault::None).unwrap();
    assert_eq!(report.episodes, 8);
    assert!(report.steps > 20 && report.probes > 1000 && report.scrambles > 50, "{report}");
    assert!(report.twins > 0, "{report}");
    let report = check::<Pebbles>(&[Case { name: "usual", config: 21, seeds: 0..20, bound: 21 }]).unwrap();
    assert_eq!(report.scrambles, 0, "pebbles has no secrets");
    assert_eq!(report.twins, 20 * 8, "no seed decides anything of pebbles");
}

/// A game that breaks a promise.
#[derive(Clone, Copy, Debug)]
enum Broken {
    /// A vault with this fault.
    Vault(Fault),
    /// A vault that is described as something else, with this number of agents and this lock.
    Described(u8, u16, Millis, Fault),
}

impl Broken {
    fn check(self) -> Result<Report, Violation> {
        let (claim, agents, lock, fault) = match self {
            Self::Vault(fault) => return check_vault(fault),
            Self::Described(claim, agents, lock, fault) => (claim, agents, lock, fault),
        };
        let config = Config { fault, ..Config::new(agents, 12, lock) };
        let cases = [Case { name: "described", config, seeds: 0..8, bound: 12 }];
        match claim {
            CLAIMS_TURNS => check::<Misdescribed<CLAIMS_TURNS>>(&cases),
            CLAIMS_FOUR_AGENTS => check::<Misdescribed<CLAIMS_FOUR_AGENTS>>(&cases),
            CLAIMS_ONE_TEAM => check::<Misdescribed<CLAIMS_ONE_TEAM>>(&cases),
            _ => check::<Misdescribed<CLAIMS_PERFECT_INFORMATION>>(&cases),
        }
    }
}

const NO_LOCK: Millis = Millis::ZERO;
const LOCK: Millis = Millis::new(100);

/// Every promise of the suite, and the games that break it.
const PROMISES_AND_BROKEN_GAMES: &[(&str, &[Broken])] = {
    use Broken::{Described, Vault};
    use Fault::*;

    &[
        ("equal configurations and seeds give equal states and events", &[Vault(DependsOnGamesBefore)]),
        ("a configuration reads as it is written", &[Vault(LosesConfig), Vault(NewDiffers)]),
        (
            "a description holds for every episode",
            &[Described(CLAIMS_FOUR_AGENTS, 3, LOCK, None), Described(CLAIMS_ONE_TEAM, 3, LOCK, None)],
        ),
        (
            "a game of perfect information hides nothing",
            &[Described(CLAIMS_PERFECT_INFORMATION, 3, LOCK, None)],
        ),
        ("in a game without chance a seed decides nothing after the first state", &[Vault(DrawsLater)]),
        ("in a game of turns one agent has the turn", &[Described(CLAIMS_TURNS, 3, NO_LOCK, None)]),
        (
            "a game without time stays at its start",
            &[
                Described(CLAIMS_TURNS, 1, LOCK, None),
                // Only a rollout, in which requests are refused, shows it.
                Described(CLAIMS_TURNS, 1, NO_LOCK, RefusalsTakeTime),
            ],
        ),
        (
            "the turn is that of the agent that is ready first",
            &[Vault(TurnsAtRandom), Vault(ReadyAfterTheEnd)],
        ),
        ("the agent that has the turn has a legal action", &[Vault(GetsStuck)]),
        (
            "the legal actions are those that are not refused",
            &[Vault(ListsTheIllegal), Vault(ForgetsTheLegal), Vault(ListsNothing), Vault(AnswersNothing)],
        ),
        ("every request is answered by an event", &[Vault(ServesInSilence)]),
        ("an action reads as it is written", &[Vault(OffersTheUnreadable)]),
        ("every legal action is an option", &[Vault(ForgetsAnOption)]),
        ("options replace what is in the buffer", &[Vault(KeepsOldOptions)]),
        ("an event happens when its cause does", &[Vault(ReportsLate)]),
        ("an event is one line of text", &[Vault(WritesTheUnreadable)]),
        ("an event is addressed to those who play", &[Vault(AddressesNobody)]),
        (
            "states that differ only in secrets give equal observations",
            &[Vault(ObservesTheSecret), Vault(LeavesTheBuffer)],
        ),
        ("states that differ only in secrets give equal options", &[Vault(OptionsKnowTheSecret)]),
        ("a clone is independent", &[Vault(ClonesShare)]),
        ("an agent that is gone acts no more", &[Vault(LeavesGhosts)]),
        (
            "an agent that ends an episode is named as the one at fault",
            &[Described(CLAIMS_TURNS, 1, NO_LOCK, ForgetsWhoLeft)],
        ),
        ("an episode ends within its bound under random play", &[Vault(NeverEnds)]),
        ("an outcome gives every team its place and its points", &[Vault(PlacesNobody), Vault(RanksOneTeam)]),
        ("a fault is that of an agent in the game", &[Vault(BlamesAStranger)]),
        ("after the end nothing happens any more", &[Vault(LivesOn)]),
        (
            "a game that is ended from outside is over, and nobody is at fault",
            &[Vault(IgnoresTheEnd), Vault(BlamesForTheStop)],
        ),
        ("a replay gives the same states and events", &[Vault(LosesTheLock)]),
        ("a new seed changes nothing that was drawn before", &[Vault(ReseedsTheSecret)]),
    ]
};

#[test]
fn every_promise_has_games_that_break_it_and_are_found_out() {
    let promises: Vec<&str> = PROMISES_AND_BROKEN_GAMES.iter().map(|(promise, _)| *promise).collect();
    assert_eq!(promises, PROMISES, "the table has all promises of the suite");
    let mut found = Vec::new();
    for (promise, games) in PROMISES_AND_BROKEN_GAMES {
        for game in *games {
            match game.check() {
                Ok(report) => panic!("{game:?} went unnoticed in {report}"),
                Err(violation) => assert_eq!(violation.promise, *promise, "{game:?}: {violation}"),
            }
            let (Broken::Vault(fault) | Broken::Described(.., fault)) = game;
            found.push(*fault);
        }
    }
    for fault in Fault::ALL {
        assert!(found.contains(&fault), "{fault:?} stands nowhere in the table");
    }
}

/// The games of the table that are described as games of turns break their promises by nothing else.
#[test]
fn a_vault_of_one_agent_without_locks_is_a_game_of_turns() {
    let report = Broken::Described(CLAIMS_TURNS, 1, NO_LOCK, Fault::None).check().unwrap();
    assert_eq!(report.episodes, 8);
}

#[test]
fn a_violation_says_how_to_see_it_again() {
    let violation = check_vault(Fault::NeverEnds).unwrap_err();
    assert_eq!(
        violation.to_string(),
        "an episode ends within its bound under random play, but it goes on (case vault, seed 0, after 12 steps)"
    );
}

/// The seed decides how long a guess locks: the first three guesses make the same events and the same pictures, and
/// the turn after them begins at another moment.
#[test]
fn a_seed_that_decides_only_the_next_turn_is_noticed_at_once() {
    let violation = check_vault(Fault::DrawsLater).unwrap_err();
    assert_eq!(violation.steps, 3, "{violation}");
}
