//! Searches of the best values of a strategy whose strength is a formula.

use contests::tune::{Found, Parameter, Sample, Size, Tuner};
use game_env::{Chance, Seed};

/// The best values, in units.
const BEST: [f64; 3] = [0.3, 0.62, 0.75];

fn parameters() -> Vec<Parameter> {
    ["patience=0.2..5", "speed=1..100:log", "pushes=0..8"]
        .map(|text| text.parse().expect("it is a parameter"))
        .to_vec()
}

fn size(samples: u64, seed: u64) -> Size {
    Size { samples, confidence: 0.98, held_out: 400, seed: Seed::new(seed) }
}

/// The share of the points at these values: it falls by a tenth at half of the range from the best.
fn score(parameters: &[Parameter], values: &[f64]) -> f64 {
    let off = parameters.iter().zip(values).zip(BEST).map(|((own, value), best)| own.unit(*value) - best);
    0.6 - off.map(|off| 0.4 * off * off).sum::<f64>()
}

/// The difference of the points of two points in a mirrored pair each.
fn played(scores: [f64; 2], chance: &mut Chance) -> f64 {
    let mut points =
        scores.map(|score| (0..2).map(|_| if chance.happens(score) { 0.5 } else { 0.0 }).sum::<f64>());
    points[0] -= points[1];
    points[0]
}

/// Searches to the end.
fn search(tuner: &mut Tuner, seed: u64, score: fn(&[Parameter], &[f64]) -> f64) -> Found {
    let mut chance = Seed::new(seed).game();
    loop {
        let batch = tuner.batch();
        if batch.is_empty() {
            return tuner.found().expect("it has ended");
        }
        let parameters = tuner.parameters().to_vec();
        let results = batch.iter().map(|sample| {
            Some(played(sample.values.each_ref().map(|values| score(&parameters, values)), &mut chance))
        });
        let results: Vec<_> = results.collect();
        tuner.add(&results);
    }
}

#[test]
fn the_intervals_hold_the_best_values() {
    let held = (0..20).filter(|run| {
        let mut tuner = Tuner::new(parameters(), &[4.0, 2.0, 1.0], size(8_000, *run));
        let found = search(&mut tuner, 1_000 + run, score);
        let best = tuner.parameters().iter().zip(BEST).map(|(own, best)| own.value(best, 0.5));
        found.parameters.iter().zip(best).all(|(own, best)| own.value.low <= best && best <= own.value.high)
    });
    let held = held.count();
    assert!(held >= 19, "in {held} of 20 runs");
}

#[test]
fn a_search_finds_a_better_place_and_measures_the_gain() {
    let mut tuner = Tuner::new(parameters(), &[4.8, 2.0, 0.0], size(8_000, 3));
    let found = search(&mut tuner, 4, score);
    let gain = found.gain.expect("the values have changed");
    let at = |values: &[f64]| score(tuner.parameters(), values);
    let expected = at(&tuner.present()) - at(&[4.8, 2.0, 0.0]);
    assert!(expected > 0.25 && gain.low < expected && expected < gain.high, "{gain:?}, {expected}");
    let path: Vec<_> = tuner.path().collect();
    assert_eq!(path.len(), 94, "3,000 samples in batches of 32");
    assert_eq!((path[0].0, path[93].0), (32, 3_000));
    assert!(at(&path[93].1) > at(&path[0].1), "{path:?}");
}

#[test]
fn a_parameter_that_does_not_matter_has_the_whole_range() {
    let parameters = ["patience=0.2..5", "colour=0..1.0"].map(|text| text.parse().unwrap()).to_vec();
    let mut tuner = Tuner::new(parameters, &[4.0, 0.5], size(8_000, 5));
    let found = search(&mut tuner, 6, |parameters, values| score(&parameters[..1], values));
    let own = &found.parameters[0];
    assert!(!own.is_open && own.value.high - own.value.low < 3.0, "{found:?}");
    assert!(found.parameters[1].is_open, "{found:?}");
}

/// With so few samples, the surface of the last series passes through nearly all of them.
#[test]
fn a_search_with_fewer_samples_than_the_surface_needs_decides_nothing() {
    let parameters: Vec<Parameter> = (0..16).map(|own| format!("p{own}=0..1.0").parse().unwrap()).collect();
    let mut tuner = Tuner::new(parameters, &[0.5; 16], size(Size::LEAST_SAMPLES, 10));
    let found = search(&mut tuner, 11, |_, _| 0.5);
    assert!(found.parameters.iter().all(|own| own.is_open), "{found:?}");
}

/// The samples of a batch depend on the results before alone, and a sample without a result is left out.
#[test]
fn the_same_results_give_the_same_search() {
    let run = |is_known: fn(u64) -> bool| {
        let mut tuner = Tuner::new(parameters(), &[4.0, 2.0, 1.0], size(200, 7));
        let mut samples = Vec::new();
        loop {
            let batch = tuner.batch();
            if batch.is_empty() {
                return (samples, tuner.found());
            }
            // More patience is better, whatever the others are.
            let result = |values: &[Vec<f64>; 2]| (values[0][0] - values[1][0]) / 5.0;
            let known = |sample: &Sample| is_known(sample.number).then(|| result(&sample.values));
            let results: Vec<_> = batch.iter().map(known).collect();
            tuner.add(&results);
            samples.extend(batch);
        }
    };
    let all = run(|_| true);
    assert_eq!(run(|_| true), all);
    let (samples, _) = &all;
    let numbers: Vec<u64> = samples.iter().map(|sample| sample.number).collect();
    assert_eq!(numbers, (0..200).chain(0..400).collect::<Vec<_>>());
    assert!(samples.iter().all(|sample| sample.is_held_out == (sample.values[1] == [4.0, 2.0, 1.0])));
    assert!(run(|number| number % 7 > 0).1.is_some());
}

#[test]
fn equal_values_are_not_compared() {
    let mut tuner = Tuner::new(vec!["a=0..1".parse().unwrap()], &[1.0], size(400, 8));
    let mut chance = Seed::new(9).game();
    loop {
        let batch = tuner.batch();
        assert!(batch.iter().all(|sample| !sample.is_held_out));
        if batch.is_empty() {
            break;
        }
        // The greater value wins.
        let mut result = |values: &[Vec<f64>; 2]| {
            Some((values[0][0] - values[1][0]) * if chance.happens(0.9) { 1.0 } else { 0.5 })
        };
        let results: Vec<_> = batch.iter().map(|sample| result(&sample.values)).collect();
        tuner.add(&results);
    }
    let found = tuner.found().unwrap();
    assert_eq!((found.parameters[0].value.value, found.gain), (1.0, None));
}
