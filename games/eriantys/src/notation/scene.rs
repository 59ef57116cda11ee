//! The table as a picture: a row of islands, and below it lines for clouds, schools and characters.

use game_env::scene::{Cell, Mark};
use game_env::{AgentId, Scene};

use crate::students::Color;
use crate::table::{Phase, Table, team_id};

/// Draws a table. Each island shows its number, its students, then `t` with team and number of towers, `x` for each
/// ban, and `*` for Mother Nature.
pub(super) fn draw(table: &Table) -> Scene {
    let mut scene = Scene::new(1, table.islands().len(), Cell::ground("island", ""));
    for id in table.island_ids() {
        let island = table.island(id);
        // The first island is the upper row.
        let cell = scene.cell_mut(0, table.islands().len() - 1 - id.index());
        let mut mark = |kind, text: String| cell.marks.push(Mark::new(kind, text));
        mark("number", format!("{id:>2} "));
        if island.size > 1 {
            mark("size", format!("(of {} from {}) ", island.size, island.first + 1));
        }
        mark("students", island.students.to_string());
        if let Some(owner) = island.owner {
            let text = format!(" t{owner}x{}", island.towers);
            cell.marks.push(Mark::new("towers", text).of(team_id(owner.into())));
        }
        (0..island.bans).for_each(|_| cell.marks.push(Mark::new("ban", " x")));
        if id == table.mother_nature() {
            cell.marks.push(Mark::new("mother nature", " *"));
        }
    }
    scene.caption = caption(table);
    scene
}

fn caption(table: &Table) -> Vec<String> {
    let clouds: Vec<String> = table.clouds().iter().map(ToString::to_string).collect();
    let mut lines = vec![
        format!("clouds {}, bag {}", clouds.join(" "), counts(table)),
        format!(
            "towers left {}",
            table.towers_left().iter().map(u8::to_string).collect::<Vec<_>>().join(" ")
        ),
    ];
    for player in table.players() {
        let school = table.school(player);
        let hand: Vec<String> = school.hand.iter().map(|assistant| assistant.to_string()).collect();
        let professors: String =
            Color::ALL.into_iter().filter(|color| owns(table, player, *color)).map(Color::letter).collect();
        let played = school.assistant.map_or_else(String::new, |assistant| format!(", plays {assistant}"));
        let coins =
            if table.config.is_expert() { format!(", {} coins", school.coins) } else { String::new() };
        lines.push(format!(
            "{player} entrance {}, dining {}, professors {}, hand {}{played}{coins}",
            school.entrance,
            school.dining,
            if professors.is_empty() { "-" } else { &professors },
            if hand.is_empty() { "-".to_owned() } else { hand.join(" ") },
        ));
    }
    for card in table.cards() {
        let bans = if card.bans > 0 { format!(", {} bans", card.bans) } else { String::new() };
        lines.push(format!("{} costs {}, holds {}{bans}", card.character, card.price(), card.students));
    }
    if table.config.is_expert() {
        lines.push(format!("{} coins in the bank", table.bank));
    }
    let phase = match table.phase {
        Phase::Planning => "plays an assistant".to_owned(),
        Phase::Students { left } => format!("moves {left} students"),
        Phase::MotherNature => "moves Mother Nature".to_owned(),
        Phase::Cloud => "takes a cloud".to_owned(),
    };
    let last = if table.is_last_round { ", the last" } else { "" };
    lines.push(match table.outcome {
        Some(outcome) => format!("round {}{last}: {outcome}", table.round),
        None => format!("round {}{last}: {} {phase}", table.round, table.mover()),
    });
    lines
}

fn counts(table: &Table) -> String {
    let counts = Color::ALL.map(|color| format!("{}{}", table.bag[color], color.letter()));
    counts.join(" ")
}

fn owns(table: &Table, player: AgentId, color: Color) -> bool {
    table.professor(color) == Some(player)
}
