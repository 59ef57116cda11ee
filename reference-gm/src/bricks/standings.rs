//! The standings of a tournament: the wins of each player, and the reasons of its losses.

use game_env::AgentId;
use wire::bricks::{Letter, Reason, Verdict};

/// The duels of a tournament, by the places of the players in their list: each plays each other twice, once as the first.
pub fn schedule(players: usize) -> impl Iterator<Item = [usize; 2]> {
    let all = (0..players).flat_map(move |first| (0..players).map(move |second| [first, second]));
    all.filter(|[first, second]| first != second)
}

/// The result of a duel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Result {
    /// The places of the players in their list, the first of both first.
    pub players: [usize; 2],
    /// Which of the two has won.
    pub winner: usize,
    /// The reason for which the other one has lost.
    pub reason: Reason,
}

impl Result {
    /// The result of a duel of these players; none if nobody has won.
    pub fn new(players: [usize; 2], verdict: &Verdict) -> Option<Self> {
        let winner = verdict.outcome.winner()?.index();
        Some(Self { players, winner, reason: verdict.reason.clone() })
    }

    /// The place of the winner in the list of players.
    pub fn winner(&self) -> usize {
        self.players[self.winner]
    }

    /// The place of the loser in the list of players.
    pub fn loser(&self) -> usize {
        self.players[1 - self.winner]
    }

    /// The letter of the loss.
    pub fn letter(&self) -> Letter {
        self.reason.letter().expect("somebody has lost")
    }

    /// The id of the loser in the game.
    pub fn loser_id(&self) -> AgentId {
        AgentId::from_index(1 - self.winner)
    }
}

/// The wins, losses and faults of a player.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// The player's place in the list of players.
    pub player: usize,
    /// The number of duels that it has won.
    pub wins: u32,
    /// The number of duels that it has lost.
    pub losses: u32,
    /// The number of those that it has won by the rules, and not by a fault of the other player.
    pub normal_wins: u32,
    /// The letters of those that it has lost by a fault of its own, in the order of duels.
    pub faults: Vec<Letter>,
}

/// The standings after these duels: more wins first, then more wins by the rules, then fewer faults, then the order of
/// the list.
pub fn standings(players: usize, results: &[Result]) -> Vec<Standing> {
    let fresh = |player| Standing { player, ..Standing::default() };
    let mut table: Vec<Standing> = (0..players).map(fresh).collect();
    for result in results {
        let letter = result.letter();
        let winner = &mut table[result.winner()];
        winner.wins += 1;
        winner.normal_wins += u32::from(letter == Letter::Normal);
        let loser = &mut table[result.loser()];
        loser.losses += 1;
        loser.faults.extend((letter != Letter::Normal).then_some(letter));
    }
    // The sort is stable: equal players stay in their order.
    table.sort_by_key(|one| {
        (std::cmp::Reverse(one.wins), std::cmp::Reverse(one.normal_wins), one.faults.len())
    });
    table
}

/// The place of each standing, from 1; equal players share one.
pub fn places(standings: &[Standing]) -> Vec<usize> {
    let key = |one: &Standing| (one.wins, one.normal_wins, one.faults.len());
    let mut places: Vec<usize> = Vec::new();
    for (at, one) in standings.iter().enumerate() {
        let is_equal = at > 0 && key(&standings[at - 1]) == key(one);
        places.push(if is_equal { places[at - 1] } else { at + 1 });
    }
    places
}

#[cfg(test)]
mod tests {
    use wire::bricks::Line;

    use super::*;

    #[test]
    fn everybody_plays_everybody_else_twice() {
        let duels: Vec<_> = schedule(3).collect();
        assert_eq!(duels, [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]);
        assert_eq!((schedule(0).count(), schedule(1).count(), schedule(6).count()), (0, 0, 30));
    }

    #[test]
    fn wins_go_before_normal_wins_and_these_before_faults() {
        let result = |first, second, winner, reason| Result { players: [first, second], winner, reason };
        let gone = || Reason::Gone("ended".to_owned());
        // `winner` is the place among the two: player 1 beats player 0 by the rules.
        let results = [
            result(0, 1, 1, Reason::Normal),
            result(1, 0, 1, gone()),
            result(2, 3, 0, Reason::Normal),
            result(3, 2, 1, Reason::Ahead(Line::from(Ok(b"x".to_vec())))),
            result(4, 0, 0, Reason::Normal),
        ];
        let table = standings(6, &results);
        let told: Vec<_> = table
            .iter()
            .map(|one| {
                let letters: String = one.faults.iter().map(Letter::to_string).collect();
                (one.player, one.wins, one.losses, one.normal_wins, letters)
            })
            .collect();
        assert_eq!(
            told,
            [
                (2, 2, 0, 1, String::new()),
                (4, 1, 0, 1, String::new()),
                (1, 1, 1, 1, "D".to_owned()),
                (0, 1, 2, 0, String::new()),
                (5, 0, 0, 0, String::new()),
                (3, 0, 2, 0, "P".to_owned()),
            ]
        );
        assert_eq!(places(&table), [1, 2, 3, 4, 5, 6]);
        assert_eq!(places(&standings(3, &[])), [1, 1, 1]);
    }
}
