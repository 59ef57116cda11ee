//! The files of a tournament as the original referee writes them.
//!
//! | file | content |
//! |---|---|
//! | `duels.txt` | a line for each duel: `number:first:second:winner:message` |
//! | `score.txt` | a line for each player: name, wins/losses, wins by the rules/losses by faults, letters of the faults |
//! | `duels/N.txt` | the moves of a duel |
//! | `err.txt` | a line for each duel that a program ended by its silence |
//!
//! Duels are counted from 0, in the order of the original: all duels in which the first player begins come first.

use std::cmp::Reverse;
use std::fmt::Write as _;

use game_bricks::{Board, Brick, State};
use game_env::Notation as _;
use game_env::replay::Playback;
use reference_gm::bricks::entrants::check_nick;
use reference_gm::bricks::log;
use reference_gm::bricks::report::Report;
use wire::bricks::Letter;

use crate::export::{FolderError, Matches, ResultFiles, ResultFolder};
use crate::file::League;
use crate::network::REFEREE;

/// The result files of Bricks.
pub(crate) const FILES: ResultFolder = ResultFolder { game: State::GAME, source: REFEREE, write };

fn write(league: &League, matches: &mut Matches<'_>) -> Result<ResultFiles, FolderError> {
    let nicks: Vec<&str> = league.entrants.iter().map(|entrant| entrant.name.as_str()).collect();
    nicks.iter().try_for_each(|nick| check_nick(nick)).map_err(FolderError::Name)?;
    let mut duels = Vec::new();
    let mut without_winner = 0;
    for played in matches {
        let played = played?;
        let seated: Vec<usize> = played.stored.id.seated().map(|entrant| entrant.index()).collect();
        let (Some(winner), &[first, second]) = (played.stored.record.outcome.winner(), &seated[..]) else {
            without_winner += 1;
            continue;
        };
        let fault = |why: String| FolderError::Match { number: played.stored.number, why };
        let report = played.log.as_deref().ok_or_else(|| {
            fault("it has no report of a referee: expected a duel of programs, over the network".to_owned())
        })?;
        let report: Report = report.parse().map_err(|error| fault(format!("{error}")))?;
        let replay = played.replay.as_deref().ok_or_else(|| fault("it has no replay".to_owned()))?;
        let mut playback = Playback::<State>::open(replay).map_err(|error| fault(error.to_string()))?;
        let start = playback.state().board().clone();
        playback.run(&mut ()).map_err(|error| fault(error.to_string()))?;
        let bricks = playback.state().bricks().to_vec();
        let winner = winner.index();
        duels.push((played.stored.id.set, Duel { players: [first, second], winner, report, start, bricks }));
    }
    duels.sort_by_key(|(set, duel)| (*set, duel.players));
    let duels: Vec<Duel> = duels.into_iter().map(|(_, duel)| duel).collect();
    Ok(ResultFiles { files: files(&nicks, &duels), left_out: without_winner })
}

/// A duel of two players, by their places in the list of players.
struct Duel {
    /// The one who begins first.
    players: [usize; 2],
    /// Which of the two has won.
    winner: usize,
    report: Report,
    /// The board at the beginning.
    start: Board,
    /// The bricks that fit, in order.
    bricks: Vec<Brick>,
}

impl Duel {
    fn winner(&self) -> usize {
        self.players[self.winner]
    }

    fn loser(&self) -> usize {
        self.players[1 - self.winner]
    }

    fn message(&self, nicks: &[&str]) -> String {
        self.report.message(nicks[self.winner()], nicks[self.loser()])
    }
}

/// Returns all files: their paths below the folder, and their content.
fn files(nicks: &[&str], duels: &[Duel]) -> Vec<(String, String)> {
    let (mut lines, mut errors, mut files) = (String::new(), String::new(), Vec::new());
    for (number, duel) in duels.iter().enumerate() {
        let [first, second] = duel.players.map(|player| nicks[player]);
        let (winner, told) = (nicks[duel.winner()], duel.message(nicks));
        // A string takes all that is written.
        let _ = writeln!(lines, "{number}:{first}:{second}:{winner}:{told}");
        if duel.report.letter == Letter::Silence {
            let _ = writeln!(errors, "{told}");
        }
        let text = log::write(&duel.start, [first, second], &duel.bricks, duel.winner, &duel.report);
        files.push((format!("duels/{number}.txt"), text));
    }
    let score: String = scores(nicks.len(), duels).iter().map(|own| own.line(nicks)).collect();
    files.extend(
        [("duels.txt", lines), ("score.txt", score), ("err.txt", errors)]
            .map(|(name, text)| (name.to_owned(), text)),
    );
    files
}

/// The wins, losses and faults of a player.
#[derive(Clone, Debug, Default)]
struct Score {
    /// The player's place in the list of players.
    player: usize,
    wins: u32,
    losses: u32,
    /// The number of duels that it has won by the rules, and not by a fault of the other player.
    normal_wins: u32,
    /// The letters of the duels that it has lost by a fault of its own, in the order of duels.
    faults: Vec<Letter>,
}

impl Score {
    fn line(&self, nicks: &[&str]) -> String {
        let letters: String = self.faults.iter().map(Letter::to_string).collect();
        let Self { player, wins, losses, normal_wins, faults } = self;
        let (nick, faults) = (nicks[*player], faults.len());
        format!("{nick} \t{wins}/{losses} \t{normal_wins}/{faults}\t{letters}\n")
    }
}

/// Returns the scores after these duels, without players that have not played: more wins first, then more wins by the
/// rules, then fewer faults, then the order of the list.
fn scores(players: usize, duels: &[Duel]) -> Vec<Score> {
    let mut scores: Vec<Score> = (0..players).map(|player| Score { player, ..Score::default() }).collect();
    for duel in duels {
        let letter = duel.report.letter;
        let winner = &mut scores[duel.winner()];
        winner.wins += 1;
        winner.normal_wins += u32::from(letter == Letter::Normal);
        let loser = &mut scores[duel.loser()];
        loser.losses += 1;
        loser.faults.extend((letter != Letter::Normal).then_some(letter));
    }
    // In the original, players appear with their first duel.
    scores.retain(|own| own.wins + own.losses > 0);
    // The sort is stable: equal players stay in their order.
    scores.sort_by_key(|own| (Reverse(own.wins), Reverse(own.normal_wins), own.faults.len()));
    scores
}

#[cfg(test)]
mod tests {
    use game_bricks::Config;
    use game_env::{Environment as _, Seed};

    use super::*;

    const NICKS: [&str; 2] = ["Ada", "Bob, \"B\""];

    fn duel(players: [usize; 2], winner: usize, letter: Letter, reason: &str, bricks: &[&str]) -> Duel {
        let config = Config::new(3).unwrap().filled(["1x1".parse().unwrap()]).unwrap();
        let start = State::new(&config, Seed::new(0)).board().clone();
        let report = Report { letter, reason: reason.to_owned(), brick: None, line: None };
        let bricks = bricks.iter().map(|brick| brick.parse().unwrap()).collect();
        Duel { players, winner, report, start, bricks }
    }

    #[test]
    fn the_files_of_the_original_are_written() {
        let gone = "does not answer: its program ended with exit code 3";
        let duels = [
            duel([0, 1], 0, Letter::Normal, "has no place for a brick", &["0x0_1x0"]),
            duel([1, 0], 1, Letter::Silence, gone, &["0x0_1x0", "0x1_0x2"]),
        ];
        let files = files(&NICKS, &duels);
        let read = |name: &str| &files.iter().find(|(own, _)| own == name).unwrap().1;
        let told = "Player Bob, \"B\" -> does not answer: its program ended with exit code 3";
        assert_eq!(
            *read("duels.txt"),
            format!("0:Ada:Bob, \"B\":Ada:Player Ada won normally!\n1:Bob, \"B\":Ada:Ada:{told}\n")
        );
        assert_eq!(read("score.txt"), "Ada \t2/0 \t1/0\t\nBob, \"B\" \t0/2 \t0/1\tD\n");
        assert_eq!(
            read("duels/0.txt"),
            "3#Ada#Bob, \"B\"#| :size :P1_nick :P2_nick\n3_1x1\n0x0_1x0 :Ada\n---\nAda\nPlayer Ada won normally!\n"
        );
        assert_eq!(
            *read("duels/1.txt"),
            format!(
                "3#Bob, \"B\"#Ada#| :size :P1_nick :P2_nick\n3_1x1\n0x0_1x0 :Bob, \"B\"\n0x1_0x2 :Ada\n\
                 DEADLOCKNORESPONSE :Bob, \"B\"\n---\nAda\n{told}\n"
            )
        );
        assert_eq!(*read("err.txt"), format!("{told}\n"));
        assert_eq!(files.len(), 5);
    }

    #[test]
    fn wins_go_before_normal_wins_and_these_before_faults() {
        let duel = |first, second, winner, letter| duel([first, second], winner, letter, "", &[]);
        // The third argument is the place of the winner among the two: player 1 beats player 0 by the rules.
        let duels = [
            duel(0, 1, 1, Letter::Normal),
            duel(1, 0, 1, Letter::Silence),
            duel(2, 3, 0, Letter::Normal),
            duel(3, 2, 1, Letter::Protocol),
            duel(4, 0, 0, Letter::Normal),
        ];
        let told: Vec<String> =
            scores(6, &duels).iter().map(|own| own.line(&["a", "b", "c", "d", "e", "f"])).collect();
        // Player f has not played.
        assert_eq!(
            told,
            [
                "c \t2/0 \t1/0\t\n",
                "e \t1/0 \t1/0\t\n",
                "b \t1/1 \t1/1\tD\n",
                "a \t1/2 \t0/0\t\n",
                "d \t0/2 \t0/1\tP\n",
            ]
        );
    }
}
