//! Results between strategies on fixed seeds: strengths that a change of a strategy must not lose.
//!
//! The bounds are those that the strategies are to keep, not those that they reach; `cargo xtask bench arenas`
//! prints the latter with more games. Games on the large board take long: few of them are played here.

use std::num::NonZeroUsize;

use contests::project::arenas::arenas;
use contests::project::contest::{Construct, Tally, constructor, contest, contest_watched};
use game_env::{ByTeam, Seed, SimTime};
use game_project::{Config, Preset};
use strategies::project::coordinated::Coordinated;
use strategies::project::liar::Liar;
use strategies::project::registry::{BoxedStrategy, LineUp};

#[path = "../fixture/coordinated_1/mod.rs"]
mod coordinated_1;

const LIMIT: SimTime = game_env::LONGEST_GAME;

fn play(config: &Config, first: Construct<'_>, second: &str, pairs: u32) -> Tally {
    let second: LineUp = second.parse().expect("a line-up");
    let tally = contest(config, (first, &constructor(&second)), Seed::new(20), pairs, LIMIT);
    assert!(tally.blunders.is_empty(), "{}", tally.blunders[0]);
    tally
}

fn score(config: &Config, first: &str, second: &str, pairs: u32) -> (f64, f64, f64) {
    let first: LineUp = first.parse().expect("a line-up");
    play(config, &constructor(&first), second, pairs).score()
}

/// Number of pairs on this board: an eighth on the large one.
fn pairs_on(config: &Config, pairs: u32) -> u32 {
    if is_large(config) { pairs.div_ceil(8) } else { pairs }
}

fn is_large(config: &Config) -> bool {
    config.geometry().columns() >= 40
}

/// Duration of the quick game, which a new user watches first.
#[test]
fn a_quick_game_takes_less_than_a_minute_or_so() {
    let (config, greedy) = (Preset::Quick.config(), "greedy".parse().unwrap());
    let (make, limit) = (constructor(&greedy), SimTime::from_millis(600_000));
    let time = |seed| {
        let teams = ByTeam::new([&make as Construct<'_>, &make]);
        contests::project::contest::play(&config, Seed::new(seed), teams, limit).time.as_millis()
    };
    let mut times: Vec<u64> = (0..60).map(time).collect();
    times.sort_unstable();
    let (median, late) = (times[30], times[56]);
    assert!((10_000..50_000).contains(&median), "half of the games take {median} ms");
    assert!(late < 75_000, "one game in twenty takes {late} ms");
}

#[test]
fn greedy_beats_random() {
    for arena in arenas() {
        let (mean, ..) = score(&arena.config, "greedy", "random", 10);
        assert!(mean >= 0.99, "{}: {mean}", arena.name);
    }
}

/// The gain of `coordinated` over a strategy that only divides the fields is smaller than the chance in a few games, so
/// it is asked for on the average of all boards.
#[test]
fn coordinated_beats_greedy() {
    let scores = arenas().into_iter().map(|arena| {
        let (mean, ..) = score(&arena.config, "coordinated", "greedy", pairs_on(&arena.config, 10));
        assert!(is_large(&arena.config) || mean >= 0.45, "{}: {mean}", arena.name);
        mean
    });
    let scores: Vec<f64> = scores.collect();
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    assert!(mean >= 0.54, "{mean}: {scores:?}");
}

/// Fields divided by rank are enough to beat each sparring partner on the narrow board.
#[test]
fn greedy_beats_the_sparring_partners() {
    for arena in &arenas()[7..9] {
        for partner in ["climber", "scanner", "sweeper", "asker"] {
            let (mean, ..) = score(&arena.config, "greedy", partner, 40);
            assert!(mean >= 0.6, "{}: {mean} against {partner}", arena.name);
        }
    }
}

/// The reference beats each sparring partner as the agents of 2020 were beaten, not always. It is the version of
/// `coordinated` that was measured against those agents.
#[test]
fn sparring_partners_lose_to_the_reference_but_not_always() {
    let reference = |_| -> BoxedStrategy { Box::<coordinated_1::Coordinated1>::default() };
    let arena = &arenas()[8];
    for partner in ["climber", "scanner", "sweeper", "asker"] {
        let (mean, ..) = play(&arena.config, &reference, partner, 40).score();
        assert!((0.5..0.9).contains(&mean), "{partner}: the reference scores {mean}");
    }
}

/// The reference deals columns in turn and walks to the nearest piece.
#[test]
fn coordinated_is_stronger_than_its_reference() {
    let reference = |_| -> BoxedStrategy { Box::<coordinated_1::Coordinated1>::default() };
    let coordinated: LineUp = "coordinated".parse().expect("a strategy");
    for (place, arena) in arenas().into_iter().enumerate().filter(|(place, _)| [2, 3, 7, 8].contains(place)) {
        let pairs = (&constructor(&coordinated) as Construct<'_>, &reference as Construct<'_>);
        let (mean, ..) = contest(&arena.config, pairs, Seed::new(20), 16, LIMIT).score();
        let least = if place < 7 { 0.55 } else { 0.65 };
        assert!(mean >= least, "{}: {mean}", arena.name);
    }
}

#[test]
fn coordinated_is_clearly_stronger_than_climber() {
    for arena in arenas() {
        let pairs = pairs_on(&arena.config, 10);
        let (mean, low, high) = score(&arena.config, "coordinated", "climber", pairs);
        let is_clear = low > 0.5 || is_large(&arena.config) && mean > 0.5;
        assert!(is_clear, "{}: {mean} ({low} to {high})", arena.name);
    }
}

/// All strategies share out the goal fields by ids, so two agents of `coordinated` hardly repeat the tries of two mates
/// of another kind.
#[test]
fn coordinated_shares_the_work_with_mates_of_another_kind() {
    let arena = &arenas()[7];
    for (mate, least) in [("greedy", 0.45), ("climber", 0.65), ("scanner", 0.75)] {
        let mixed: LineUp = format!("coordinated*2+{mate}*2").parse().expect("a line-up");
        let tally = play(&arena.config, &constructor(&mixed), mate, 60);
        let repeated = tally.profile.repeated as f64 / tally.profile.tries as f64;
        assert!(tally.score().0 >= least && repeated < 0.12, "{mate}: {:?}, {repeated}", tally.score());
    }
}

/// A liar costs a team little, and a team that believes everything more than one that believes what sources have
/// earned.
///
/// On the narrow board, agents have tried nearly all fields before answers count, and with cheap moves a repeated try
/// costs little, so only the first holds there. Games on the large board take too long for a test; `cargo xtask bench
/// arenas` plays them.
#[test]
fn a_liar_costs_the_wary_less_than_the_credulous() {
    let arenas = arenas();
    let is_meant = |config: &Config| config.team_size() == 4 && !is_large(config);
    for arena in arenas.iter().filter(|arena| is_meant(&arena.config)) {
        let score = |honest: fn() -> Coordinated, liars: usize| {
            let team = move |place: usize| -> BoxedStrategy {
                if place + liars >= 4 { Box::<Liar>::default() } else { Box::new(honest()) }
            };
            play(&arena.config, &team, "climber", 16).score().0
        };
        let wary = score(Coordinated::default, 0) - score(Coordinated::default, 1);
        assert!(wary < 0.1, "{}: {wary}", arena.name);
        if arena.name == "12×24, 4 v 4, sham 0.3" {
            let credulous = score(Coordinated::credulous, 0) - score(Coordinated::credulous, 1);
            assert!(wary < credulous, "{}: the wary lose {wary}, the credulous {credulous}", arena.name);
        }
    }
}

/// No team is faster than the bound, and the bound is more than 0.
#[test]
fn nobody_wins_in_less_than_the_least_time() {
    for arena in arenas() {
        let teams = ["coordinated", "greedy"].map(|name| name.parse::<LineUp>().expect("a strategy"));
        let (red, blue) = (constructor(&teams[0]), constructor(&teams[1]));
        for seed in (0..pairs_on(&arena.config, 10).into()).map(Seed::new) {
            let game =
                contests::project::contest::play(&arena.config, seed, ByTeam::new([&red, &blue]), LIMIT);
            let Some(winner) = game.outcome.winner() else { continue };
            let least = game.bound[winner].as_millis();
            assert!(least > 0 && game.time.as_millis() >= least.into(), "{}, {seed}: {least}", arena.name);
        }
    }
}

#[test]
fn a_contest_is_the_same_whatever_the_number_of_cores() {
    let arena = &arenas()[0];
    let greedy: LineUp = "greedy".parse().unwrap();
    let team = constructor(&greedy);
    let by = |jobs: usize| {
        let jobs = NonZeroUsize::new(jobs).unwrap();
        contest_watched(jobs, &arena.config, (&team, &team), (Seed::new(3), 8), LIMIT, |_| ())
    };
    let (one, three) = (by(1), by(3));
    assert_eq!((one.games, one.profile, one.score()), (three.games, three.profile, three.score()));
    // Mirrored: the winner of a seed on one side loses it on the other, if both play the same.
    assert_eq!(one.score().0, 0.5);
}

/// Agents that never move stand on pieces and before goals: other agents stop waiting for them.
#[test]
fn an_agent_that_never_moves_delays_no_other() {
    for arena in &arenas()[2..4] {
        let (mean, ..) = score(&arena.config, "coordinated", "idle", 10);
        assert_eq!(mean, 1.0, "{}", arena.name);
    }
}

/// An agent with a piece stands on the field of another piece, and cannot leave it as long as agents on all four sides
/// wait for that piece.
#[test]
fn agents_around_a_piece_make_room() {
    let config = &arenas()[7].config;
    let teams = ["leader*2+asker*2", "asker"].map(|names| names.parse::<LineUp>().expect("a line-up"));
    let (red, blue) = (constructor(&teams[0]), constructor(&teams[1]));
    let seed = Seed::new(10_762_702_157_722_886_394);
    let game = contests::project::contest::play(config, seed, ByTeam::new([&red, &blue]), LIMIT);
    assert!(game.time < LIMIT, "{:?}", game.outcome);
}

/// With fewer pieces than agents most have nothing to do: they must not block those with a piece.
#[test]
fn a_crowd_with_few_pieces_gets_through() {
    use game_project::RawConfig;

    for (board_x, board_y, pieces, team_size) in [(3, 12, 3, 8), (5, 14, 3, 8), (8, 14, 1, 8)] {
        let raw = RawConfig {
            board_x,
            board_y,
            goal_area_height: 2,
            number_of_goals: 2,
            number_of_pieces: pieces,
            team_size,
            ..RawConfig::default()
        };
        let config = raw.check().expect("a board that can be played");
        for name in ["greedy", "coordinated"] {
            let team: LineUp = name.parse().expect("a strategy");
            let tally = play(&config, &constructor(&team), name, 3);
            assert_eq!(tally.unfinished(), 0, "{name} on {board_x}×{board_y} with {pieces} pieces");
        }
    }
}
