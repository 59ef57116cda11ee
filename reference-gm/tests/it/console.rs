//! The lines for an operator while nothing, or too much, happens.

use game_project::{RawConfig, Team};
use reference_gm::project::console::Console;
use reference_gm::project::link::Observer as _;
use reference_gm::project::master::Senseless;
use reference_gm::project::{Master, News};
use reference_gm::recorder::Recorder;
use wire::project::{AgentNumber, Dialect, Habit};

use crate::conversation::settings;

fn master() -> Master {
    Master::new(settings(RawConfig::default().check().unwrap(), Dialect::Spec))
}

fn joined(agent: i64) -> News {
    News::Joined { agent: AgentNumber(agent), team: Team::Red }
}

fn text(out: &[u8]) -> String {
    String::from_utf8(out.to_vec()).unwrap()
}

/// A communication server says nothing before an agent joins.
#[test]
fn a_server_without_agents_is_no_reason_to_warn() {
    let (master, mut out) = (master(), Vec::new());
    let mut console = Console::new(&mut out, Recorder::default());
    for _ in 0..3600 {
        console.second(&master);
    }
    drop(console);
    assert_eq!(text(&out), "");
}

#[test]
fn what_happens_too_often_is_counted_by_its_kind() {
    let (master, mut out) = (master(), Vec::new());
    let mut console = Console::new(&mut out, Recorder::default());
    for agent in 0..1000 {
        let number = AgentNumber(agent);
        console.news(&master, &joined(agent));
        console.news(&master, &News::TurnedAway { agent: number, team: Team::Blue });
        console.news(&master, &News::Senseless { agent: Some(number), reason: Senseless::NotSeated });
        console.nonsense("the frame is empty");
        console.news(&master, &News::Unsent { to: number, message: 111, length: 9000 });
        console.news(&master, &News::Lost { agent: number });
        let habit = Habit::PayloadFirst;
        console.news(&master, &News::Foreign { agent: number, habit, is_adapted: false });
    }
    console.second(&master);
    console.second(&master);
    drop(console);
    let told = text(&out);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(
        lines[lines.len() - 4..],
        [
            "2900 more joins or losses not shown",
            "990 more rejected agents not shown",
            "990 more messages that were too long not shown",
            "1990 more invalid messages not shown",
        ]
    );
    // Of the joins and losses, every third is a warning with a hint.
    assert_eq!(lines.len(), 100 + 33 + 3 * 10 + 4);
    assert!(lines.contains(&"message 111 for agent 0 has 9000 bytes, more than 8192, and is not sent"));
}
