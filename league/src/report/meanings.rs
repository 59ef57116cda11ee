//! The meanings of the metrics of all games, as reports explain them.

use crate::network::CRASHED_PROGRAMS;

/// The meaning of a metric of this game; none if it is unknown.
pub(super) fn of(game: &str, metric: &str) -> Option<&'static str> {
    if metric == CRASHED_PROGRAMS {
        return Some("programs that ended with a fault");
    }
    let known = match game {
        "project" => &PROJECT[..],
        "dots" => &DOTS,
        "bricks" => &BRICKS,
        "conveyor" => &CONVEYOR,
        "eriantys" => &ERIANTYS,
        _ => &[],
    };
    known.iter().find(|(name, _)| *name == metric).map(|(_, meaning)| *meaning)
}

const PROJECT: [(&str, &str); 20] = [
    ("granted", "requests that the game master granted"),
    ("refused", "requests after the lock that the game master refused"),
    ("premature", "requests during the lock"),
    ("pieces", "pieces that agents picked up, or that landed in their hands; shams count"),
    ("shams", "shams among these pieces"),
    ("goals", "goals that the team covered"),
    ("asked", "questions that the team's agents were asked; a repeated question counts once"),
    ("locked_ms", "time in which agents had to wait after a request"),
    ("idle_ms", "time in which agents could act and did not"),
    ("searching_ms", "time of moves without a piece"),
    ("carrying_ms", "time of moves with a piece that is no sham"),
    ("shams_ms", "time of moves with a sham, and of putting shams"),
    ("blocked_ms", "time after moves that were refused, e.g. to an occupied field"),
    ("discovering_ms", "time of discoveries"),
    ("checking_ms", "time of checks for shams"),
    ("putting_ms", "time of putting pieces that are no shams, and of destroying"),
    ("exchanging_ms", "time of questions and answers"),
    ("waiting_ms", "time in which agents could act and did not, apart from all other kinds"),
    ("tries", "pieces put into the goal area that were no shams"),
    ("repeated_tries", "tries on a field where the team had put a piece before"),
];

const DOTS: [(&str, &str); 4] = [
    ("edges", "edges that the player drew"),
    ("turns", "turns of the player; a completed box does not end a turn"),
    ("most_boxes_in_a_turn", "the largest number of boxes completed in one turn"),
    ("refused", "moves that the rules refused"),
];

const BRICKS: [(&str, &str); 3] = [
    ("bricks", "bricks that the player placed"),
    ("longest_move_ms", "the longest time of a move"),
    ("refused", "moves that the rules refused"),
];

const CONVEYOR: [(&str, &str); 4] = [
    ("requests", "requests of the player"),
    ("refused", "requests that the rules refused"),
    ("hints", "answers with a hint"),
    ("carried", "moves at whose end a conveyor carried the player"),
];

const ERIANTYS: [(&str, &str); 9] = [
    ("conquests", "islands that the team conquered"),
    ("professors_taken", "professors that the team took, also from another team"),
    ("students_dined", "students placed in dining rooms"),
    ("students_on_islands", "students placed on islands"),
    ("coins_earned", "coins received for students in dining rooms"),
    ("characters_played", "character cards played"),
    ("refused", "requests that the rules refused"),
    ("professors_at_the_end", "professors of the team at the end"),
    ("rounds", "rounds of the match"),
];

#[cfg(test)]
mod tests {
    use game_env::matches::MatchLimits;
    use game_env::{Parameters, Seed};

    use super::*;
    use crate::executor::Executor as _;
    use crate::games::Games as _;
    use crate::in_process::InProcess;

    /// A metric that a game gains needs a meaning here, and a meaning without a metric is an error too.
    #[test]
    fn every_metric_of_every_game_has_a_meaning() {
        let plays = InProcess::new("tests 1.0");
        for game in plays.games() {
            let configured = plays.configure(game, None, &Parameters::new()).unwrap();
            let spec = game_env::matches::MatchSpec {
                game: game.to_owned(),
                entrants: vec!["random".to_owned(); configured.teams.len()],
                config: configured.config,
                seed: Seed::new(1),
                limits: MatchLimits { steps: 100, ..MatchLimits::default() },
            };
            let played = plays.play(&spec, false).unwrap();
            let names: Vec<&str> = played
                .record
                .metrics
                .iter()
                .map(|metric| metric.name.as_str())
                .filter(|name| !name.starts_with("claims_"))
                .collect();
            let without: Vec<_> = names.iter().filter(|name| of(game, name).is_none()).collect();
            assert_eq!(without, Vec::<&&str>::new(), "{game}");
            for (known, _) in [&PROJECT[..], &DOTS, &BRICKS, &CONVEYOR, &ERIANTYS].concat() {
                let is_own = of(game, known).is_some();
                assert_eq!(is_own, names.contains(&known), "{game}: {known}");
            }
        }
    }
}
