//! Comparisons of two line-ups, with matches that a formula decides.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;

use contests::compare::{Difference, Findings, PairMatch, Plan, Tally, run};
use contests::setup::{GameSetup, SetupError};
use contests::statistics::Decision;
use game_env::matches::MatchSpec;
use game_env::{Seed, TeamId, Termination};

use crate::formula::{by, formula, line_up, setup, to_the_end, unevenly};

fn plan(names: [&str; 2]) -> Plan {
    Plan {
        setup: setup(),
        line_ups: names.map(|name| line_up(name, &[name])),
        seed: Seed::new(7),
        margin: 10.0,
        alpha: 0.05,
        beta: 0.05,
        most_pairs: 50_000,
    }
}

fn tally(plan: &Plan) -> Tally {
    run(plan, by(2), &formula, to_the_end).expect("the formula knows both")
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let plan = plan(["0.5", "0.3"]);
    let one = run(&plan, by(1), &formula, to_the_end).unwrap();
    assert_eq!(one.decision(), Some(Decision::First));
    for jobs in [2, 3, 8] {
        assert_eq!(run(&plan, by(jobs), &unevenly, to_the_end).unwrap(), one, "{jobs} threads");
    }
}

#[test]
fn what_is_watched_are_all_pairs_in_order() {
    let mut seen = Vec::new();
    let watch = |tally: &Tally| {
        seen.push(tally.pairs().pairs());
        ControlFlow::Continue(())
    };
    let tally = run(&plan(["0.6", "0.2"]), by(4), &formula, watch).unwrap();
    assert_eq!(seen, (1..=tally.pairs().pairs()).collect::<Vec<_>>());
}

#[test]
fn a_comparison_that_is_broken_off_has_the_pairs_so_far() {
    let plan = plan(["0.6", "0.2"]);
    let watch = |tally: &Tally| {
        if tally.pairs().pairs() < 7 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let broken_off = run(&plan, by(4), &formula, watch).unwrap();
    assert_eq!(broken_off, tally(&Plan { most_pairs: 7, ..plan.clone() }));
    let sentence = Findings::new(&plan, &broken_off).sentence;
    assert!(sentence.contains(" of 14 games; to be sure, the test needs "), "{sentence}");
}

#[test]
fn findings_say_who_is_stronger_and_where_from() {
    for (names, stronger, searching) in
        [(["0.6", "0.2"], "0.6", ["6.85 s", "8.45 s"]), (["0.2", "0.6"], "0.6", ["8.45 s", "6.85 s"])]
    {
        let plan = plan(names);
        let tally = tally(&plan);
        let findings = Findings::new(&plan, &tally);
        let expected = format!("{stronger} is stronger: ");
        assert!(findings.sentence.starts_with(&expected), "{}", findings.sentence);
        assert!(
            findings.sentence.contains(" games; it would be luck less than once in "),
            "{}",
            findings.sentence
        );
        let [Difference { name, means, medians }] = &findings.differences[..] else {
            panic!("{:?}", findings.differences)
        };
        assert_eq!(name, "searching time", "walking differs by chance alone");
        for (mean, expected) in means.iter().zip(searching) {
            let seconds = |text: &str| text.strip_suffix(" s").unwrap().parse::<f64>().unwrap();
            assert!((seconds(mean) - seconds(expected)).abs() < 0.05, "{means:?}");
        }
        // The chance of a match is even: median and mean are about the same.
        assert!(medians.iter().zip(means).all(|(median, mean)| median[..3] == mean[..3]), "{medians:?}");
        assert!(findings.remarks.is_empty(), "{:?}", findings.remarks);

        let which: BTreeSet<PairMatch> = findings.examples.iter().map(|example| example.which).collect();
        assert_eq!((findings.examples.len(), which.len()), (3, 3), "{:?}", findings.examples);
        let behind = if names[0] == stronger { names[1] } else { names[0] };
        let won_by = |place: usize| {
            let record = formula(&plan.spec(findings.examples[place].which)).unwrap();
            record.spec.entrants[2 * record.outcome.winner().unwrap().index()].clone()
        };
        assert_eq!(findings.examples[0].why, format!("the clearest win of {stronger}"));
        assert_eq!((won_by(0).as_str(), won_by(1).as_str()), (stronger, behind));
        assert_eq!(findings.examples[2].why, "the largest difference in searching time");
    }
}

#[test]
fn findings_are_easy_to_read() {
    let mut plan = plan(["0.6", "0.2"]);
    for (line_up, name) in plan.line_ups.iter_mut().zip(["mine v2", "v1"]) {
        line_up.name = name.to_owned();
    }
    insta::assert_snapshot!(Findings::new(&plan, &tally(&plan)));
}

/// Otherwise the comparison would be of something else than it says.
#[test]
fn a_line_up_that_does_not_fit_is_refused() {
    let plan = Plan {
        line_ups: [line_up("one", &["0.4"]), line_up("two", &["0.4", "0.6", "0.4"])],
        ..plan(["0", "1"])
    };
    let refused = plan.check().unwrap_err().to_string();
    assert_eq!(refused, "two: the line-up names 3 agents: a team has 2");
}

#[test]
fn equals_are_no_different() {
    let plan = Plan { margin: 40.0, ..plan(["0.4", "0.4"]) };
    let tally = tally(&plan);
    assert_eq!(tally.decision(), Some(Decision::Equal));
    // The chance of a pair is the same for both matches: the player of the first side wins both or none.
    let sentence = Findings::new(&plan, &tally).sentence;
    assert!(sentence.starts_with("no difference of 40 Elo or more: 0.4 won 50.0 % ("), "{sentence}");
    assert!(sentence.ends_with("such a difference would be missed about once in 20 at most"), "{sentence}");
}

/// Without a decision, an interval without 50 % still says who is ahead.
#[test]
fn who_is_ahead_is_said_also_without_a_verdict() {
    for (names, stronger) in [(["1", "0"], "1"), (["0", "1"], "1"), (["0.3", "0.9"], "0.9")] {
        let plan = Plan { most_pairs: 100, ..plan(names) };
        let tally = tally(&plan);
        assert_eq!(tally.decision(), None);
        let sentence = Findings::new(&plan, &tally).sentence;
        let (name, rest) = sentence.split_once(" is probably stronger: ").expect(&sentence);
        let (percent, rest) = rest.split_once(" % (").expect(&sentence);
        assert_eq!(name, stronger);
        assert!(percent.parse::<f64>().expect(&sentence) > 50.0, "{sentence}");
        let (_, needed) =
            rest.split_once(" of 200 games; to be sure, the test needs about ").expect(&sentence);
        let needed: u64 = needed.strip_suffix(" pairs in all").expect(&sentence).parse().expect(&sentence);
        assert!((100..=1_000).contains(&needed), "{sentence}");
        let longer =
            run(&Plan { most_pairs: needed, ..plan }, by(2), &formula, to_the_end).expect("as before");
        assert!(longer.decision().is_some(), "as many pairs as were named: {sentence}");
    }
}

#[test]
fn a_comparison_ends_at_the_limit() {
    let plan = Plan { most_pairs: 7, ..plan(["0.4", "0.4"]) };
    let tally = run(&plan, by(3), &formula, to_the_end).unwrap();
    assert_eq!((tally.pairs().pairs(), tally.decision()), (7, None));
    let sentence = Findings::new(&plan, &tally).sentence;
    assert!(sentence.starts_with("undecided after 14 games: 0.4 won 50.0 % ("), "{sentence}");
    assert!(sentence.contains("; the test needs ") && sentence.ends_with(" pairs in all"), "{sentence}");
}

#[test]
fn a_match_that_cannot_be_played_ends_the_comparison() {
    let error = run(&plan(["0.4", "nobody"]), by(2), &formula, to_the_end).unwrap_err();
    assert_eq!(error, "no strategy `nobody`");
    // Matches after the decision may fail.
    let clear = plan(["1", "0"]);
    let decided = run(&clear, by(1), &formula, to_the_end).unwrap();
    let last = clear.seed.child(decided.pairs().pairs() - 1);
    let later: Mutex<BTreeSet<u64>> = Mutex::new(
        (decided.pairs().pairs()..decided.pairs().pairs() + 100)
            .map(|pair| clear.seed.child(pair).get())
            .collect(),
    );
    assert!(!later.lock().unwrap().contains(&last.get()));
    let fails_later = |spec: &MatchSpec| {
        if later.lock().unwrap().contains(&spec.seed.get()) {
            Err("too late".to_owned())
        } else {
            formula(spec)
        }
    };
    assert_eq!(run(&clear, by(4), &fails_later, to_the_end).unwrap(), decided);
}

#[test]
fn pairs_with_a_stopped_match_count_for_nobody() {
    let plan = Plan { most_pairs: 10, ..plan(["0.4", "0.4"]) };
    let stopped = |spec: &MatchSpec| {
        let mut record = formula(spec)?;
        if spec.seed == plan.seed.child(3) {
            record.outcome.termination = Termination::Stopped;
            (record.blunders, record.first_blunders) = (1, vec!["stumbled".to_owned()]);
        }
        Ok::<_, String>(record)
    };
    let tally = run(&plan, by(2), &stopped, to_the_end).unwrap();
    assert_eq!((tally.pairs().pairs(), tally.left_out(), tally.meeting().matches()), (9, 1, 18));
    let seed = plan.seed.child(3);
    assert_eq!(
        Findings::new(&plan, &tally).remarks,
        [
            "games that ended otherwise than by the rules: stopped 2".to_owned(),
            format!("blunders of strategies: 2; the first, with seed {seed}: stumbled"),
            "pairs that count for nobody: 1".to_owned(),
        ]
    );
}

#[test]
fn a_pair_is_one_seed_with_the_sides_swapped() {
    let plan = Plan {
        setup: GameSetup { teams: [0, 1, 0, 1, 0].map(TeamId::new).to_vec(), ..setup() },
        line_ups: [line_up("ab", &["a", "b"]), line_up("c", &["c"])],
        ..plan(["ab", "c"])
    };
    let [first, second] = PairMatch::both(5).map(|which| plan.spec(which));
    assert_eq!(first.entrants, ["a", "c", "b", "c", "a"]);
    assert_eq!(second.entrants, ["c", "a", "c", "b", "c"]);
    assert_eq!((first.seed, second.seed), (plan.seed.child(5), plan.seed.child(5)));
    assert_eq!(PairMatch::both(5).map(|which| which.to_string()), ["6a", "6b"]);
}

#[test]
fn only_games_of_two_teams_compare() {
    let three = GameSetup { teams: [0, 1, 2].map(TeamId::new).to_vec(), ..setup() };
    assert_eq!(Plan { setup: three, ..plan(["a", "b"]) }.check(), Err(SetupError::Teams(3)));
    let empty = Plan { line_ups: [line_up("a", &["a"]), line_up("b", &[])], ..plan(["a", "b"]) };
    assert_eq!(empty.check(), Err(SetupError::NoStrategy("b".to_owned())));
    assert_eq!(plan(["a", "b"]).check(), Ok(()));
}

#[test]
fn each_line_up_has_the_agents_of_its_side() {
    let plan = plan(["0.6", "0.5"]);
    let [own, swapped] = PairMatch::both(3);
    let ids =
        |which| plan.agents(which).map(|agents| agents.iter().map(|own| own.index()).collect::<Vec<_>>());
    assert_eq!(ids(own), [vec![0, 1], vec![2, 3]]);
    assert_eq!(ids(swapped), [vec![2, 3], vec![0, 1]]);
    for which in [own, swapped] {
        let entrants = plan.spec(which).entrants;
        let [first, second] = ids(which);
        assert!(first.iter().all(|agent| entrants[*agent] == "0.6"), "{entrants:?}");
        assert!(second.iter().all(|agent| entrants[*agent] == "0.5"), "{entrants:?}");
    }
}
