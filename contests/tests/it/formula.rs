//! A game that a formula decides, for tests of contests.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;

use contests::setup::{GameSetup, NamedLineUp};
use game_env::matches::{MatchLimits, MatchRecord, MatchSpec};
use game_env::{Metrics, Outcome, Parameters, Ranking, Returns, SimTime, TeamId, Termination};

/// The game, with two agents in each team.
pub(crate) fn setup() -> GameSetup {
    GameSetup {
        game: "formula".to_owned(),
        config: Parameters::new(),
        teams: [0, 0, 1, 1].map(TeamId::new).to_vec(),
        limits: MatchLimits::default(),
    }
}

pub(crate) fn line_up(name: &str, strategies: &[&str]) -> NamedLineUp {
    let strategies = strategies.iter().map(|&strategy| strategy.to_owned()).collect();
    NamedLineUp { name: name.to_owned(), strategies }
}

/// Nothing breaks the contest off.
pub(crate) fn to_the_end<T>(_: &T) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Entrants are numbers: the first side wins with a probability that grows with the difference, by the chance of the
/// seed, which is the same for both matches of a pair.
pub(crate) fn formula(spec: &MatchSpec) -> Result<MatchRecord, String> {
    let mut chance = spec.seed.game();
    let strength = |side: usize| -> Result<f64, String> {
        spec.entrants[2 * side].parse().map_err(|_| format!("no strategy `{}`", spec.entrants[2 * side]))
    };
    let (first, second) = (strength(0)?, strength(1)?);
    let lead = [1, 2, 3, 4, 5][chance.index(5)];
    let returns = if chance.happens(0.5 + (first - second) / 2.0) { [lead, 0] } else { [0, lead] };
    let returns = Returns::new(&returns);
    let mut metrics = Metrics::new();
    // The stronger one searches less; both walk alike.
    metrics.push(
        "searching_ms",
        [first, second].map(|own| 9_000.0 - 4_000.0 * own + f64::from(chance.below(500))),
    );
    metrics.push("walked", [f64::from(chance.below(100)), f64::from(chance.below(100))]);
    Ok(MatchRecord {
        spec: spec.clone(),
        program: "formula 1".to_owned(),
        rules: 1,
        outcome: Outcome {
            ranking: Ranking::by_points(&returns),
            termination: Termination::Normal,
            fault: None,
            returns,
        },
        time: SimTime::from_millis(1_000 * u64::from(chance.below(60))),
        steps: 1,
        decisions: 1,
        metrics,
        hash: 0,
        blunders: 0,
        first_blunders: Vec::new(),
        failed: Vec::new(),
    })
}

/// Matches with odd seeds end late, so that later ones overtake them.
pub(crate) fn unevenly(spec: &MatchSpec) -> Result<MatchRecord, String> {
    if spec.seed.get() % 2 == 1 {
        std::thread::yield_now();
        (0..3).for_each(|_| drop(formula(spec)));
    }
    formula(spec)
}

pub(crate) fn by(jobs: usize) -> NonZeroUsize {
    NonZeroUsize::new(jobs).expect("a number above 0")
}
