//! Ratings that follow each match: Elo, and Weng and Lin's.
//!
//! They depend on the order of matches, unlike [`Ratings`](super::Ratings). They are here because other sites publish
//! them; the order is always that of the matches' keys, not that of time.

use skillratings::elo::{EloConfig, EloRating, elo};
use skillratings::weng_lin::{WengLinConfig, WengLinRating, weng_lin_multi_team};
use skillratings::{MultiTeamOutcome, Outcomes};

use super::results::Match;

/// Weng and Lin's rating: a normal distribution of the strength, as TrueSkill has it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WengLin {
    /// The mean; 25 before the first match.
    pub rating: f64,
    /// The standard deviation; 25/3 before the first match.
    pub uncertainty: f64,
}

/// The ratings of one entrant after all matches.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Incremental {
    /// Elo's, which starts at 0 and moves by at most 32 per match.
    ///
    /// In a match of more than two, each entrant plays against each other one, for an equal part of the 32.
    pub elo: f64,
    /// Weng and Lin's.
    pub weng_lin: WengLin,
}

/// Rates entrants, from 0 on, match by match in the order of the keys; matches with equal keys in an order of their
/// own.
///
/// # Panics
///
/// Panics if a match names an entrant past `entrants`.
pub fn incremental<K: Ord>(
    entrants: usize,
    matches: impl IntoIterator<Item = (K, Match)>,
) -> Vec<Incremental> {
    let mut matches: Vec<(K, Match)> = matches.into_iter().collect();
    matches.sort();
    let start = WengLinRating::new();
    let mut elos = vec![0.0; entrants];
    let mut weng_lins = vec![start; entrants];
    for (_, result) in &matches {
        follow_elo(&mut elos, result);
        follow_weng_lin(&mut weng_lins, result);
    }
    let weng_lin = |own: WengLinRating| WengLin { rating: own.rating, uncertainty: own.uncertainty };
    elos.into_iter().zip(weng_lins).map(|(elo, own)| Incremental { elo, weng_lin: weng_lin(own) }).collect()
}

fn follow_elo(elos: &mut [f64], result: &Match) {
    let seats = result.seats();
    let config = EloConfig { k: EloConfig::new().k / (seats.len() - 1) as f64 };
    let mut changes = vec![0.0; seats.len()];
    for (seat, (own, place)) in seats.iter().enumerate() {
        for (other, (opponent, their)) in seats.iter().enumerate().skip(seat + 1) {
            let outcome = match place.cmp(their) {
                std::cmp::Ordering::Less => Outcomes::WIN,
                std::cmp::Ordering::Equal => Outcomes::DRAW,
                std::cmp::Ordering::Greater => Outcomes::LOSS,
            };
            let before = [elos[*own], elos[*opponent]].map(|rating| EloRating { rating });
            let (after, theirs) = elo(&before[0], &before[1], &outcome, &config);
            changes[seat] += after.rating - before[0].rating;
            changes[other] += theirs.rating - before[1].rating;
        }
    }
    for ((entrant, _), change) in seats.iter().zip(changes) {
        elos[*entrant] += change;
    }
}

fn follow_weng_lin(ratings: &mut [WengLinRating], result: &Match) {
    let before: Vec<[WengLinRating; 1]> =
        result.seats().iter().map(|(entrant, _)| [ratings[*entrant]]).collect();
    let teams: Vec<(&[WengLinRating], MultiTeamOutcome)> = before
        .iter()
        .zip(result.seats())
        .map(|(team, (_, place))| (&team[..], MultiTeamOutcome::new(usize::from(*place))))
        .collect();
    let after = weng_lin_multi_team(&teams, &WengLinConfig::new());
    for ((entrant, _), team) in result.seats().iter().zip(after) {
        ratings[*entrant] = team[0];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_about(own: Incremental, rating: f64, uncertainty: f64) {
        let off = [own.weng_lin.rating - rating, own.weng_lin.uncertainty - uncertainty];
        assert!(off.iter().all(|off| off.abs() < 1e-9), "{own:?}, not {rating} ± {uncertainty}");
    }

    /// The numbers are those of `BradleyTerryFull(kappa=1e-6, tau=0.0)` of the Python package openskill, 6.2.0.
    #[test]
    fn weng_lin_ratings_are_those_of_openskill() {
        let two = |places: [u8; 2]| Match::new(&[0, 1], &places);
        let matches = [two([1, 2]), two([1, 1]), two([2, 1])];
        let after = |count| incremental(2, matches[..count].iter().cloned().enumerate());
        is_about(after(1)[0], 27.635_231_383_473_65, 8.065_506_316_323_548);
        is_about(after(2)[1], 22.877_610_782_961_9, 7.822_102_957_236_89);
        is_about(after(3)[0], 24.272_137_884_771_297, 7.587_607_382_804_876);
        is_about(after(3)[1], 25.727_862_115_228_703, 7.587_607_382_804_876);

        let three = incremental(
            3,
            [(0, Match::new(&[0, 1, 2], &[1, 2, 2])), (1, Match::new(&[0, 1, 2], &[3, 1, 2]))],
        );
        is_about(three[0], 23.927_095_828_296_583, 7.348_375_787_994_965);
        is_about(three[1], 27.964_475_297_575_568, 7.324_876_583_065_449);
        is_about(three[2], 23.108_428_874_127_853, 7.324_876_583_065_449);
    }

    /// By hand: equals exchange half of 32; a draw of three equals changes nothing; the first of three takes 16 in all.
    #[test]
    fn elo_moves_by_what_was_not_expected() {
        let after = |matches: &[Match]| -> Vec<f64> {
            incremental(3, matches.iter().cloned().enumerate()).iter().map(|own| own.elo).collect()
        };
        assert_eq!(after(&[Match::new(&[0, 1], &[1, 2])]), [16.0, -16.0, 0.0]);
        assert_eq!(after(&[Match::new(&[0, 1, 2], &[1, 1, 1])]), [0.0; 3]);
        assert_eq!(after(&[Match::new(&[2, 1, 0], &[1, 2, 2])]), [-8.0, -8.0, 16.0]);
        let again = after(&[Match::new(&[0, 1], &[1, 2]), Match::new(&[0, 1], &[1, 2])]);
        // The second win was expected with 10^(32/400) to 1.
        let expected = 16.0 + 32.0 / (1.0 + 10_f64.powf(32.0 / 400.0));
        assert!((again[0] - expected).abs() < 1e-9, "{again:?}");
    }

    #[test]
    fn the_order_is_that_of_keys() {
        let (won, lost) = (Match::new(&[0, 1], &[1, 2]), Match::new(&[0, 1], &[2, 1]));
        let forward = incremental(2, [("a", won.clone()), ("b", lost.clone()), ("c", won.clone())]);
        let backward = incremental(2, [("c", won.clone()), ("b", lost.clone()), ("a", won)]);
        assert_eq!(forward, backward);
    }
}
