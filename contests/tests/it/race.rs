//! Races of several variants, with matches that a formula decides.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

use contests::race::{Findings, Plan, PlanError, Standings, run};
use contests::setup::{GameSetup, Pool, SetupError};
use contests::statistics::Ending;
use game_env::matches::MatchSpec;
use game_env::{Seed, TeamId, Termination};

use crate::formula::{by, formula, line_up, setup, to_the_end, unevenly};

fn plan(variants: &[&str], opponents: &[&str]) -> Plan {
    let line_ups = |names: &[&str]| names.iter().map(|name| line_up(name, &[name])).collect();
    Plan {
        variants: line_ups(variants),
        pool: Pool { games: vec![setup()], opponents: line_ups(opponents) },
        seed: Seed::new(7),
        margin: 10.0,
        error: 0.05,
        most_pairs: 20_000,
    }
}

fn standings(plan: &Plan) -> Standings {
    run(plan, by(2), &formula, to_the_end).expect("the formula knows all")
}

#[test]
fn the_strongest_wins() {
    let plan = plan(&["0.4", "0.7", "0.5", "0.2"], &["0.4", "0.5"]);
    let standings = standings(&plan);
    assert_eq!(standings.ending().map(Ending::best), Some(1));
    let dropped: Vec<Option<u64>> = (0..4).map(|variant| standings.test().dropped(variant)).collect();
    assert!(dropped[3].is_some() && dropped[3] < dropped[0] && dropped[1].is_none(), "{dropped:?}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let plan = plan(&["0.5", "0.6", "0.3", "0.1"], &["0.4"]);
    let one = run(&plan, by(1), &formula, to_the_end).unwrap();
    for jobs in [2, 3, 8] {
        assert_eq!(run(&plan, by(jobs), &unevenly, to_the_end).unwrap(), one, "{jobs} threads");
    }
}

#[test]
fn a_race_that_is_broken_off_has_the_blocks_so_far() {
    let plan = plan(&["0.5", "0.6", "0.3"], &["0.4"]);
    let pairs = |standings: &Standings| standings.test().pairs(0).pairs();
    let watch = |standings: &Standings| {
        if pairs(standings) < 7 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let broken_off = run(&plan, by(4), &formula, watch).unwrap();
    assert_eq!((pairs(&broken_off), broken_off.ending()), (7, None));
    assert_eq!(broken_off, standings(&Plan { most_pairs: 7, ..plan }));
}

#[test]
fn what_is_dropped_is_not_played_any_more() {
    let plan = plan(&["0.9", "0.8", "0.1"], &["0.5"]);
    let played = Mutex::new(Vec::new());
    let counted = |spec: &MatchSpec| {
        played.lock().unwrap().push(spec.entrants.iter().any(|name| name == "0.1"));
        formula(spec)
    };
    let standings = run(&plan, by(1), &counted, to_the_end).unwrap();
    let played = played.into_inner().unwrap();
    let of_dropped = played.iter().filter(|is_dropped| **is_dropped).count() as u64;
    let counted = standings.test().dropped(2).expect("it is much weaker") * 2;
    // One block is under way, one waits, and one is being counted.
    assert!((counted..=counted + 6).contains(&of_dropped), "{of_dropped} of {counted}");
    assert!(standings.test().blocks() * 2 > counted + 6, "the race goes on without it");
}

/// The variants are equal: the race ends when none can be better by the margin, or at the limit.
#[test]
fn equals_are_not_dropped() {
    let mut plan = plan(&["0.5", "0.5", "0.5"], &["0.4"]);
    for (variant, name) in plan.variants.iter_mut().zip(["a", "b", "c"]) {
        variant.name = name.to_owned();
    }
    let standings = standings(&plan);
    assert_eq!(standings.left(), [0, 1, 2]);
    assert_eq!(standings.ending(), Some(Ending::WithinMargin(0)));
    let sentence = Findings::new(&plan, &standings).sentence;
    assert!(
        sentence.starts_with("a is the strongest of 3 variants, or less than 1.4 % of the points behind it"),
        "{sentence}"
    );
    assert!(sentence.ends_with("this is wrong at most once in 10 races"), "{sentence}");
}

#[test]
fn blunders_are_told_with_the_seed_of_their_game() {
    let plan = Plan { most_pairs: 2, ..plan(&["0.5", "0.6"], &["0.4"]) };
    let stumbling = |spec: &MatchSpec| {
        let mut record = formula(spec)?;
        (record.blunders, record.first_blunders) = (1, vec!["stumbled".to_owned()]);
        Ok::<_, String>(record)
    };
    let standings = run(&plan, by(1), &stumbling, to_the_end).unwrap();
    let [remark] = &Findings::new(&plan, &standings).remarks[..] else { panic!("one remark") };
    let expected = format!("blunders of strategies: {}; the first, with seed ", standings.games());
    assert!(remark.starts_with(&expected) && remark.ends_with(": stumbled"), "{remark}");
}

#[test]
fn a_race_ends_at_the_limit() {
    let plan = Plan { most_pairs: 7, ..plan(&["0.5", "0.6"], &["0.4", "0.5"]) };
    let standings = standings(&plan);
    assert_eq!((standings.test().blocks(), standings.games(), standings.ending()), (4, 32, None));
    let sentence = Findings::new(&plan, &standings).sentence;
    assert!(sentence.starts_with("undecided after 32 games: 2 of 2 variants are left"), "{sentence}");
}

#[test]
fn findings_are_easy_to_read() {
    let plan = plan(&["0.4", "0.7", "0.5", "0.2"], &["0.4", "0.5"]);
    insta::assert_snapshot!(Findings::new(&plan, &standings(&plan)));
}

#[test]
fn variants_meet_the_same_boards() {
    let wide = GameSetup { teams: [0, 1].map(TeamId::new).to_vec(), ..setup() };
    let mut plan = plan(&["a", "b"], &["x", "y", "z"]);
    plan.pool.games.push(wide);
    let specs = |variant| plan.pairs(variant, 5).flatten().collect::<Vec<_>>();
    let [first, second] = [specs(0), specs(1)];
    let seeds = |specs: &[MatchSpec]| specs.iter().map(|spec| spec.seed.get()).collect::<Vec<_>>();
    assert_eq!(seeds(&first), seeds(&second));
    assert_eq!(seeds(&first).into_iter().collect::<BTreeSet<_>>().len(), 6, "one for each pair");
    let entrants: Vec<String> = second.iter().map(|spec| spec.entrants.join(" ")).collect();
    let [x, y, z] =
        ["x", "y", "z"].map(|other| [format!("b b {other} {other}"), format!("{other} {other} b b")]);
    assert_eq!(entrants[..6], [x, y, z].concat());
    assert_eq!(entrants[6..], ["b x", "x b", "b y", "y b", "b z", "z b"]);
}

#[test]
fn a_block_with_a_stopped_match_counts_for_nobody() {
    let plan = Plan { most_pairs: 10, ..plan(&["0.5", "0.4"], &["0.4"]) };
    let stopped = |spec: &MatchSpec| {
        let mut record = formula(spec)?;
        if spec.seed == plan.seed.child(0).child(3) && spec.entrants.iter().any(|name| name == "0.5") {
            record.outcome.termination = Termination::Stopped;
        }
        Ok::<_, String>(record)
    };
    let standings = run(&plan, by(2), &stopped, to_the_end).unwrap();
    assert_eq!((standings.test().blocks(), standings.left_out()), (9, 1));
    assert_eq!(
        Findings::new(&plan, &standings).remarks,
        [
            "games that ended otherwise than by the rules: stopped 2",
            "1 block counts for nobody, with the pairs of all variants in it"
        ]
    );
}

#[test]
fn a_race_needs_variants_and_opponents() {
    let check = |variants: &[&str], opponents: &[&str]| plan(variants, opponents).check();
    assert_eq!(check(&["a"], &["x"]), Err(PlanError::Variants(1)));
    assert_eq!(check(&["a", "b", "a"], &["x"]), Err(PlanError::Twice("a".to_owned())));
    assert_eq!(check(&["a", "b"], &[]), Err(SetupError::NoOpponent.into()));
    assert_eq!(check(&["a", "b"], &["x"]), Ok(()));
    let mut three = plan(&["a", "b"], &["x"]);
    three.pool.games[0].teams = [0, 1, 2].map(TeamId::new).to_vec();
    assert_eq!(three.check(), Err(SetupError::Teams(3).into()));
}

#[test]
fn a_match_that_cannot_be_played_ends_the_race() {
    let error = run(&plan(&["0.4", "nobody"], &["0.5"]), by(2), &formula, to_the_end).unwrap_err();
    assert_eq!(error, "no strategy `nobody`");
    // Matches of a variant that was dropped before may fail: only many threads play them.
    let plan = plan(&["0.5", "0.6", "0.3", "0.1"], &["0.4"]);
    let one = run(&plan, by(1), &formula, to_the_end).unwrap();
    let dropped = one.test().dropped(3).expect("it is the weakest");
    let later: BTreeSet<u64> = (dropped..dropped + 100)
        .flat_map(|block| plan.pairs(3, block))
        .flatten()
        .map(|spec| spec.seed.get())
        .collect();
    let fails_later = |spec: &MatchSpec| {
        let is_its = spec.entrants.iter().any(|name| name == "0.1");
        if is_its && later.contains(&spec.seed.get()) { Err("too late".to_owned()) } else { formula(spec) }
    };
    assert_eq!(run(&plan, by(8), &fails_later, to_the_end).unwrap(), one);
}
