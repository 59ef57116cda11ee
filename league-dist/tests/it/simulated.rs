//! A simulated cluster: each match is scored exactly once, under all faults of workers and coordinator.

use game_env::Millis;

use crate::cluster::{Cluster, Report, play};

const CLUSTER: Cluster = Cluster {
    seed: 1,
    workers: 1_000,
    sets: 5_000,
    match_time: Millis::new(2_000),
    death_every: Millis::new(40_000),
    partition_every: Millis::new(40_000),
    poison: None,
    restart: false,
};

/// Each match was stored once, and the points are those of a league that is counted in order.
fn assert_scored_once(report: &Report) {
    let others: Vec<_> = report.stored.iter().enumerate().filter(|(_, times)| **times != 1).collect();
    assert!(others.is_empty(), "matches that were not stored once, from 0: {others:?}");
    assert_eq!(report.points[0], report.points[1]);
}

#[test]
fn a_thousand_workers_that_die_and_are_cut_off_score_each_match_once() {
    let report = play(CLUSTER);
    assert_scored_once(&report);
    assert!(report.given_up.is_empty(), "{:?}", report.given_up);
    assert!(report.faults.0 > 500 && report.faults.1 > 500, "too few faults: {:?}", report.faults);
    assert!(report.played > report.stored.len() as u64, "some matches are played twice");
}

#[test]
fn a_coordinator_that_starts_again_goes_on() {
    let report = play(Cluster { seed: 2, workers: 100, sets: 500, restart: true, ..CLUSTER });
    assert_scored_once(&report);
}

/// The other matches of its chunk are scored.
#[test]
fn a_match_that_ends_its_worker_each_time_is_given_up_alone() {
    let cluster = Cluster { seed: 3, workers: 20, sets: 200, poison: Some(123), ..CLUSTER };
    let calm = Millis::new(1_000_000_000);
    let report = play(Cluster { death_every: calm, partition_every: calm, ..cluster });
    assert_scored_once(&report);
    assert_eq!(report.given_up, [123]);
    // Once with its chunk, then alone.
    assert_eq!(report.faults.0, 1 + u64::from(league_dist::worker::MOST_CRASHES));
}

#[test]
fn without_faults_a_cluster_is_nearly_as_fast_as_it_can_be() {
    let calm = Millis::new(1_000_000_000);
    let cluster = Cluster { seed: 4, workers: 50, ..CLUSTER };
    let report = play(Cluster { death_every: calm, partition_every: calm, ..cluster });
    assert_scored_once(&report);
    assert_eq!(report.played, report.stored.len() as u64, "no match is played twice");
    let (end, ideal) = (report.end.as_millis(), report.ideal.as_millis());
    assert!(10 * end < 11 * ideal, "it took {end} ms, and {ideal} ms are possible");
}

/// A seed repeats a run, so that a failure can be looked at.
#[test]
fn a_run_repeats() {
    let cluster = Cluster { seed: 5, workers: 30, sets: 100, ..CLUSTER };
    assert_eq!(play(cluster), play(cluster));
    assert_ne!(play(cluster).end, play(Cluster { seed: 6, ..cluster }).end);
}
