//! The figures of a game: conquests, professors, coins, characters.

use game_env::{AgentId, Measured, Metrics, SimTime, Witness};

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

impl Measured for State {
    type Meter = Meter;

    const MEANINGS: &'static [(&'static str, &'static str)] = &[
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

    fn meter(&self) -> Meter {
        Meter { config: self.table().config, ..Meter::default() }
    }

    fn metrics(&self, meter: &Meter) -> Metrics {
        let mut metrics = Metrics::counted(
            &meter.teams[..meter.config.teams()],
            &[
                ("conquests", |counts| counts.conquests),
                ("professors_taken", |counts| counts.professors),
                ("students_dined", |counts| counts.students_dined),
                ("students_on_islands", |counts| counts.students_on_islands),
                ("coins_earned", |counts| counts.coins),
                ("characters_played", |counts| counts.characters),
                ("refused", |counts| counts.refused),
            ],
        );
        let table = self.table();
        let teams = 0..table.config.teams();
        let professors = |team| f64::from(table.professors_of(crate::table::team_id(team)));
        metrics.push("professors_at_the_end", teams.map(professors).collect::<Vec<_>>());
        let rounds = f64::from(table.round);
        metrics.push("rounds", vec![rounds; table.config.teams()]);
        metrics
    }
}
