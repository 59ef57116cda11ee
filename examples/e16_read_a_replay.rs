//! Shows: reading a replay. The rules play it again, and a witness sees every event.
//! Run it: `cargo run -p bots -- greedy random --virtual --replay game.replay`, then
//! `cargo run -p examples --bin e16_read_a_replay -- game.replay`.

use std::error::Error;
use std::fs::File;
use std::process::ExitCode;

use sdk::local::replay::Playback;
use sdk::local::{ByTeam, Environment as _, Event, State, Witness};
use sdk::prelude::*;

/// Notes when goals were covered, and how many fields each team tried for it.
struct Goals {
    teams: Vec<Team>,
    tries: ByTeam<u32>,
}

impl Witness<State> for Goals {
    fn event(&mut self, now: SimTime, event: &Event) {
        let Event::Put { agent, result } = event else { return };
        let team = self.teams[agent.index()];
        match result {
            PutResult::OnGoal => {
                self.tries[team] += 1;
                println!(
                    "{now}: agent {agent} of {team} covers a goal, after {} tries of its team",
                    self.tries[team]
                );
            }
            PutResult::OnNoGoal => self.tries[team] += 1,
            PutResult::OnTaskField | PutResult::WasSham => {}
        }
    }
}

fn read(path: &str) -> Result<(), Box<dyn Error>> {
    let mut playback = Playback::<State>::open(File::open(path)?)?;
    let header = playback.reader().header();
    println!("written by {}, seed {}", header.program, header.seed);
    let state = playback.state();
    println!("at the start:\n{}", state.setup());
    let teams = AgentId::all(state.agents()).map(|agent| state.briefing(agent).team).collect();

    // Until the end. `advance` goes one record on instead, `advance_until` to a moment.
    let summary = playback.run(&mut Goals { teams, tries: ByTeam::default() })?;
    println!("at the end:\n{}", playback.state().setup());
    match summary.outcome.and_then(|outcome| outcome.winner()).map(Team::try_from) {
        Some(Ok(winner)) => println!("{winner} won at {}, after {} actions", playback.now(), summary.count),
        _ => println!("nobody won; the last action was at {}", playback.now()),
    }
    Ok(())
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!(
            "error: no file is named\nhint: `bots greedy random --virtual --replay game.replay` writes one"
        );
        return ExitCode::from(2);
    };
    match read(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: cannot read {path}: {error}");
            ExitCode::FAILURE
        }
    }
}
