//! The meanings of metrics, which reports explain.

use game_env::matches::{MatchLimits, MatchSpec};
use game_env::{Parameters, Seed};
use strategies::room;

/// A metric that a game gains needs a meaning, and a meaning without a metric is a fault too.
#[test]
fn every_metric_of_every_game_has_a_meaning() {
    let rooms = room::rooms();
    let names = rooms.iter().map(|room| {
        let game = room.game();
        let config = game.complete(&Parameters::new()).unwrap();
        let agents = game.teams(&config).unwrap().len();
        let spec = MatchSpec {
            game: game.name().to_owned(),
            config,
            seed: Seed::new(1),
            entrants: vec!["random".to_owned(); agents],
            limits: MatchLimits { steps: 100, ..MatchLimits::default() },
        };
        let record = room.play(&spec, "tests", None).unwrap();
        let names = record.metrics.iter().map(|metric| metric.name.clone());
        names.filter(|name| !name.starts_with("claims_")).collect::<Vec<_>>()
    });
    let names: Vec<Vec<String>> = names.collect();
    for (room, own) in rooms.iter().zip(&names) {
        let game = room.game();
        assert_eq!(
            own.iter().filter(|name| game.meaning(name).is_none()).count(),
            0,
            "{}: {own:?}",
            game.name()
        );
        for name in names.iter().flatten() {
            assert_eq!(game.meaning(name).is_some(), own.contains(name), "{}: {name}", game.name());
        }
    }
}
