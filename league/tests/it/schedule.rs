//! Properties of schedules: pairings, their numbers of sets, sides and seeds.

use std::collections::{BTreeMap, BTreeSet};

use contests::entrant::EntrantId;
use game_env::{Chance, Ranking, Returns, Seed};
use league::schedule::{
    Gauntlet, Knockout, Pairing, Points, Round, RoundMatches, RoundRobin, Schedule, ScheduledMatch,
    SeedSource, Swiss,
};
use proptest::prelude::*;

fn id(place: usize) -> EntrantId {
    EntrantId::from_index(place)
}

fn names(entrants: usize) -> Vec<String> {
    (0..entrants).map(|place| format!("entrant {place}")).collect()
}

/// A league without games: every match ends as `ranking` says of it.
struct Played {
    rounds: Vec<Round>,
    matches: Vec<ScheduledMatch>,
    points: Points,
    rounds_won: Vec<u32>,
}

fn play(
    mut schedule: Schedule,
    seeds: &SeedSource,
    mut ranking: impl FnMut(&ScheduledMatch) -> Ranking,
) -> Played {
    let mut played =
        Played { rounds: Vec::new(), matches: Vec::new(), points: Points::default(), rounds_won: Vec::new() };
    let mut sets: BTreeMap<Pairing, u32> = BTreeMap::new();
    while let Some(round) = schedule.next_round(&played.points) {
        let all = RoundMatches::new(round.clone(), &sets);
        let of_round: Vec<_> =
            (0..all.count()).filter_map(|place| all.get(place)).map(|id| seeds.schedule(id)).collect();
        for one in &of_round {
            played.points.add(&one.id.pairing, usize::from(one.id.rotation), &ranking(one));
        }
        for pairing in &round.pairings {
            *sets.entry(pairing.clone()).or_default() += round.sets;
        }
        played.rounds.push(round);
        played.matches.extend(of_round);
    }
    played.rounds_won = schedule.rounds_won().to_vec();
    played
}

/// The entrant with the least number wins, and so on.
fn in_order(one: &ScheduledMatch) -> Ranking {
    let seated = one.id.seated();
    let points: Vec<i32> = seated.map(|entrant| -i32::try_from(entrant.index()).expect("small")).collect();
    Ranking::by_points(&Returns::new(&points))
}

fn random(chance: &mut Chance, sides: usize) -> Ranking {
    let points: Vec<i32> = (0..sides).map(|_| i32::try_from(chance.below(3)).expect("small")).collect();
    Ranking::by_points(&Returns::new(&points))
}

/// Entrants, sides, sets: the sizes for which every schedule can be made.
fn sizes() -> impl Strategy<Value = (usize, usize, u32)> {
    (2..=4_usize).prop_flat_map(|sides| (sides..12, Just(sides), 1..4_u32))
}

/// Checks the properties of all schedules: every set is played with all rotations on one seed, no two sets share a
/// seed, and no match occurs twice.
fn check_sets(played: &Played) {
    let keys: BTreeSet<_> = played.matches.iter().map(|one| one.id.clone()).collect();
    assert_eq!(keys.len(), played.matches.len(), "a match is there twice");
    let mut sets: BTreeMap<(Pairing, u32), Vec<&ScheduledMatch>> = BTreeMap::new();
    for one in &played.matches {
        sets.entry((one.id.pairing.clone(), one.id.set)).or_default().push(one);
    }
    let seeds: BTreeSet<_> = sets.values().map(|set| set[0].seed.get()).collect();
    assert_eq!(seeds.len(), sets.len(), "two sets share a seed");
    for ((pairing, _), set) in &sets {
        assert!(set.iter().all(|one| one.seed == set[0].seed));
        for side in 0..pairing.sides() {
            let on_side: BTreeSet<_> =
                set.iter().filter_map(|one| pairing.seated(one.id.rotation.into()).nth(side)).collect();
            let all: BTreeSet<_> = pairing.entrants().iter().copied().collect();
            assert_eq!(on_side, all, "not everybody of {pairing} plays side {side}");
        }
    }
}

proptest! {
    #[test]
    fn in_a_round_robin_all_choices_of_entrants_meet((entrants, sides, sets) in sizes(), seed: u64) {
        let schedule = Schedule::RoundRobin(RoundRobin::new(entrants, sides, sets));
        let expected = schedule.number_of_matches().unwrap();
        let seeds = SeedSource::new(Seed::new(seed), names(entrants));
        let played = play(schedule, &seeds, in_order);
        check_sets(&played);
        prop_assert_eq!(played.matches.len() as u64, expected);
        // Every entrant meets every other equally often.
        let mut met: BTreeMap<(EntrantId, EntrantId), u32> = BTreeMap::new();
        for one in &played.matches {
            let entrants = one.id.pairing.entrants();
            for a in entrants {
                for b in entrants.iter().filter(|b| *b > a) {
                    *met.entry((*a, *b)).or_default() += 1;
                }
            }
        }
        prop_assert_eq!(met.len(), entrants * (entrants - 1) / 2);
        let counts: BTreeSet<_> = met.values().collect();
        prop_assert_eq!(counts.len(), 1);
        // All pairings have played a set before one plays the next.
        let order: Vec<_> = played.matches.iter().map(|one| one.id.set).collect();
        prop_assert!(order.is_sorted());
    }

    #[test]
    fn in_a_gauntlet_the_champion_is_in_every_match((entrants, sides, sets) in sizes(), champion: prop::sample::Index) {
        let champion = id(champion.index(entrants));
        let schedule = Schedule::Gauntlet(Gauntlet::new(champion, entrants, sides, sets));
        let expected = schedule.number_of_matches().unwrap();
        let seeds = SeedSource::new(Seed::new(1), names(entrants));
        let played = play(schedule, &seeds, in_order);
        check_sets(&played);
        prop_assert_eq!(played.matches.len() as u64, expected);
        prop_assert!(played.matches.iter().all(|one| one.id.pairing.entrants().contains(&champion)));
        let others: BTreeSet<_> =
            played.matches.iter().flat_map(|one| one.id.pairing.entrants().to_vec()).collect();
        prop_assert_eq!(others.len(), entrants);
    }

    #[test]
    fn in_a_swiss_system_everybody_plays_each_round_or_has_a_bye(
        (entrants, sides, sets) in sizes(), rounds in 1..6_u32, seed: u64
    ) {
        let schedule = Schedule::Swiss(Swiss::new(entrants, sides, sets, rounds));
        let expected = schedule.number_of_matches().unwrap();
        let seeds = SeedSource::new(Seed::new(seed), names(entrants));
        let mut chance = Seed::new(seed).game();
        let played = play(schedule, &seeds, |_| random(&mut chance, sides));
        check_sets(&played);
        prop_assert_eq!(played.matches.len() as u64, expected);
        prop_assert_eq!(played.rounds.len(), rounds as usize);
        let mut byes: BTreeMap<EntrantId, u32> = EntrantId::all(entrants).map(|id| (id, 0)).collect();
        for round in &played.rounds {
            let in_round: Vec<_> = round.pairings.iter().flat_map(Pairing::entrants).copied().collect();
            let distinct: BTreeSet<_> = in_round.iter().copied().collect();
            prop_assert_eq!(distinct.len(), in_round.len(), "somebody plays twice in a round");
            prop_assert_eq!(distinct.len(), entrants / sides * sides);
            for (entrant, byes) in &mut byes {
                *byes += u32::from(!distinct.contains(entrant));
            }
        }
        let (least, most) = (byes.values().min().unwrap(), byes.values().max().unwrap());
        prop_assert!(most - least <= 1, "byes are uneven: {:?}", byes);
    }

    /// With two sides this holds for half as many rounds as there are entrants.
    #[test]
    fn in_a_swiss_system_nobody_meets_anybody_twice(entrants in 4..40_usize, seed: u64) {
        let rounds = u32::try_from(entrants / 2).unwrap();
        let schedule = Schedule::Swiss(Swiss::new(entrants, 2, 1, rounds));
        let seeds = SeedSource::new(Seed::new(seed), names(entrants));
        let mut chance = Seed::new(seed).game();
        let played = play(schedule, &seeds, |_| random(&mut chance, 2));
        let pairings: Vec<_> = played.rounds.iter().flat_map(|round| round.pairings.clone()).collect();
        let distinct: BTreeSet<_> = pairings.iter().collect();
        prop_assert_eq!(distinct.len(), pairings.len());
    }

    #[test]
    fn a_knockout_lets_the_better_one_win(entrants in 2..40_usize, sets in 1..3_u32) {
        let schedule = Schedule::Knockout(Knockout::new(entrants, sets));
        let expected = schedule.number_of_matches().unwrap();
        let seeds = SeedSource::new(Seed::new(1), names(entrants));
        // The last of the file is the best.
        let played = play(schedule, &seeds, |one| {
            let seated = one.id.seated();
            let points: Vec<i32> = seated.map(|entrant| i32::try_from(entrant.index()).expect("small")).collect();
            Ranking::by_points(&Returns::new(&points))
        });
        check_sets(&played);
        prop_assert_eq!(played.matches.len() as u64, expected);
        let last = &played.rounds.last().unwrap().pairings;
        prop_assert_eq!(last.len(), 1);
        prop_assert!(last[0].entrants().contains(&id(entrants - 1)));
        let rounds = Swiss::usual_rounds(entrants);
        prop_assert_eq!(played.rounds.len(), rounds as usize);
        let (winner, others) = played.rounds_won.split_last().unwrap();
        prop_assert_eq!(*winner, rounds);
        prop_assert!(others.iter().all(|won| *won < rounds));
        // All entrants but one are out after a loss: all pairings differ.
        let pairings: BTreeSet<_> = played.rounds.iter().flat_map(|round| &round.pairings).collect();
        prop_assert_eq!(pairings.len(), entrants - 1);
    }

    /// For all results a knockout ends, and its ties are played on with further sets.
    #[test]
    fn a_knockout_ends_whatever_happens(entrants in 2..20_usize, seed: u64, ties: bool) {
        let schedule = Schedule::Knockout(Knockout::new(entrants, 1));
        let seeds = SeedSource::new(Seed::new(seed), names(entrants));
        let mut chance = Seed::new(seed).game();
        let played = play(schedule, &seeds, |_| if ties { Ranking::tied(2) } else { random(&mut chance, 2) });
        check_sets(&played);
        let pairings: BTreeSet<_> = played.rounds.iter().flat_map(|round| &round.pairings).collect();
        prop_assert_eq!(pairings.len(), entrants - 1);
        if ties {
            // Then the first of the file wins everything.
            prop_assert!(played.rounds.last().unwrap().pairings[0].entrants().contains(&id(0)));
            let sets = u64::from(1 + Knockout::MOST_EXTENSIONS);
            prop_assert_eq!(played.matches.len() as u64, 2 * sets * (entrants as u64 - 1));
        }
    }

    /// Seeds follow from names, not from places in the file.
    #[test]
    fn a_further_entrant_changes_no_seed_of_the_others(seed: u64, set: u32) {
        let few = SeedSource::new(Seed::new(seed), ["a", "b"]);
        let more = SeedSource::new(Seed::new(seed), ["c", "b", "a"]);
        let expected = few.seed(&Pairing::new([id(0), id(1)]), set);
        prop_assert_eq!(more.seed(&Pairing::new([id(1), id(2)]), set), expected);
        prop_assert_ne!(more.seed(&Pairing::new([id(0), id(1)]), set), expected);
    }
}

#[test]
fn swiss_rounds_pair_equals() {
    let schedule = Schedule::Swiss(Swiss::new(8, 2, 1, 3));
    let seeds = SeedSource::new(Seed::new(1), names(8));
    let played = play(schedule, &seeds, in_order);
    let shown: Vec<String> = played
        .rounds
        .iter()
        .map(|round| round.pairings.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(shown, ["1-2 3-4 5-6 7-8", "1-3 5-7 2-4 6-8", "1-5 2-3 6-7 4-8"].map(str::to_owned));
}
