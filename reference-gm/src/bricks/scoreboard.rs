//! The standings of a tournament as the page shows them: the columns of the original's `score.txt`, with headings.

use game_env::text::{counted, escape_hidden};
use viewer::matches::{Column, Table};
use wire::bricks::Letter;

use super::entrants::Players;
use super::results::legend;
use super::standings::{Standing, places};

/// The columns, from left to right.
const COLUMNS: [Column; 8] = [
    Column::number("place"),
    Column::text("player"),
    Column::number("duels"),
    Column::number("won"),
    Column::number("lost"),
    Column::number("won by the rules"),
    Column::number("lost by a fault"),
    Column::text("faults"),
];

/// These standings under this title, after `played` of `count` duels.
pub fn scoreboard(
    title: String,
    ranked: &[Standing],
    players: &Players,
    played: usize,
    count: usize,
) -> Table {
    let row = |(one, place): (&Standing, usize)| {
        let Standing { player, wins, losses, normal_wins, faults } = one;
        let letters: String = faults.iter().map(Letter::to_string).collect();
        vec![
            place.to_string(),
            escape_hidden(&players.entrants[*player].nick),
            (wins + losses).to_string(),
            wins.to_string(),
            losses.to_string(),
            normal_wins.to_string(),
            faults.len().to_string(),
            letters,
        ]
    };
    let rows = ranked.iter().zip(places(ranked)).map(row).collect();
    let left_out = match players.left_out.len() as u64 {
        0 => String::new(),
        faults => format!("; players left out for {}", counted(faults, "fault", "faults")),
    };
    let progress = format!("{played} of {count} duels{left_out}");
    let note = match legend(ranked) {
        legend if legend.is_empty() => progress,
        legend => format!("{progress}; faults: {legend}"),
    };
    Table { title, columns: COLUMNS.to_vec(), rows, note }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use wire::bricks::Reason;

    use super::*;
    use crate::bricks::entrants::Entrant;
    use crate::bricks::standings::{Result, standings};

    #[test]
    fn wins_losses_and_faults_are_those_of_the_duels() {
        let entrant = |nick: &str| Entrant {
            nick: nick.to_owned(),
            words: vec!["./player".to_owned()],
            folder: PathBuf::from("/players"),
        };
        let entrants = vec![entrant("Ada"), entrant("B\u{202e}b"), entrant("Cy")];
        let mut players = Players { entrants, left_out: Vec::new() };
        let duel = |players, winner, reason| Result { players, winner, reason };
        let gone = || Reason::Gone("ended".to_owned());
        let results =
            [duel([0, 1], 1, Reason::Normal), duel([0, 2], 0, gone()), duel([1, 2], 0, Reason::Normal)];
        let shown = scoreboard("Cup".to_owned(), &standings(3, &results), &players, 3, 6);
        let rows: Vec<String> = shown.rows.iter().map(|row| row.join(" ")).collect();
        assert_eq!(rows, ["1 B\\u{202e}b 2 2 0 2 0 ", "2 Ada 2 1 1 0 0 ", "3 Cy 2 0 2 0 1 D"]);
        assert_eq!(
            (shown.title.as_str(), shown.note.as_str()),
            ("Cup", "3 of 6 duels; faults: D did not answer or its program ended")
        );
        assert_eq!(shown.columns.len(), rows[0].split(' ').count(), "a cell for each column");
        players.left_out.push("d/info.txt: line 1 is empty".to_owned());
        let fresh = scoreboard("Cup".to_owned(), &standings(3, &[]), &players, 0, 6);
        assert_eq!(
            (fresh.rows[2].join(" ").as_str(), fresh.note.as_str()),
            ("1 Cy 0 0 0 0 0 ", "0 of 6 duels; players left out for 1 fault")
        );
    }
}
