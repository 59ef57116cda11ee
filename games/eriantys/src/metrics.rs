//! The figures of a game: conquests, professors, coins, characters.

use game_env::{AgentId, Counted, Measured, Metrics, SimTime, Witness};

use crate::config::Config;
use crate::state::{Event, State};

/// Counts the acts of each team, and its refused requests.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    config: Config,
    teams: [Counts; 3],
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    conquests: u32,
    professors: u32,
    students_dined: u32,
    students_on_islands: u32,
    coins: u32,
    characters: u32,
    refused: u32,
}

impl Meter {
    fn of(&mut self, player: AgentId) -> &mut Counts {
        &mut self.teams[self.config.team(player.index())]
    }
}

impl Witness<State> for Meter {
    fn event(&mut self, _: SimTime, event: &Event) {
        match event {
            Event::Conquered { team, .. } => self.teams[team.index()].conquests += 1,
            Event::Professor { player, .. } => self.of(*player).professors += 1,
            Event::ToDining { player, .. } => self.of(*player).students_dined += 1,
            Event::ToIsland { player, .. } => self.of(*player).students_on_islands += 1,
            Event::Coin(player) => self.of(*player).coins += 1,
            Event::Character { player, .. } => self.of(*player).characters += 1,
            Event::Refused { player, .. } => self.of(*player).refused += 1,
            Event::Round { .. }
            | Event::Filled { .. }
            | Event::LastRound
            | Event::Assistant { .. }
            | Event::MotherNature { .. }
            | Event::Lifted(_)
            | Event::Merged { .. }
            | Event::Cloud { .. }
            | Event::Refilled { .. }
            | Event::Returned { .. }
            | Event::Over(_) => {}
        }
    }
}

/// The metrics that are counted.
const COUNTED: &[Counted<Counts>] = &[
    Counted::new("conquests", "islands that the team conquered", |counts| counts.conquests),
    Counted::new("professors_taken", "professors that the team took, also from another team", |counts| {
        counts.professors
    }),
    Counted::new("students_dined", "students placed in dining rooms", |counts| counts.students_dined),
    Counted::new("students_on_islands", "students placed on islands", |counts| counts.students_on_islands),
    Counted::new("coins_earned", "coins received for students in dining rooms", |counts| counts.coins),
    Counted::new("characters_played", "character cards played", |counts| counts.characters),
    Counted::new("refused", "requests that the rules refused", |counts| counts.refused),
];

const PROFESSORS_AT_THE_END: &str = "professors_at_the_end";
const ROUNDS: &str = "rounds";

impl Measured for State {
    type Meter = Meter;

    fn meaning(metric: &str) -> Option<&'static str> {
        match metric {
            PROFESSORS_AT_THE_END => Some("professors of the team at the end"),
            ROUNDS => Some("rounds of the match"),
            counted => Counted::meaning(COUNTED, counted),
        }
    }

    fn meter(&self) -> Meter {
        Meter { config: self.table().config, ..Meter::default() }
    }

    fn metrics(&self, meter: &Meter) -> Metrics {
        let mut metrics = Metrics::counted(&meter.teams[..meter.config.teams()], COUNTED);
        let table = self.table();
        let teams = 0..table.config.teams();
        let professors = |team| f64::from(table.professors_of(crate::table::team_id(team)));
        metrics.push(PROFESSORS_AT_THE_END, teams.map(professors).collect::<Vec<_>>());
        let rounds = f64::from(table.round);
        metrics.push(ROUNDS, vec![rounds; table.config.teams()]);
        metrics
    }
}
