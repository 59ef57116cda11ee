//! The sampled worlds of pieces, held against boards drawn as text.

use game_project::RawConfig;
use insta::assert_snapshot;
use sdk::knowledge::Pieces;
use sdk::prelude::*;
use sdk::testing::Situation;

/// Keeps the worlds, and looks around.
#[derive(Default)]
struct Watcher {
    pieces: Option<Pieces>,
    at: Position,
}

impl Strategy for Watcher {
    fn begin(&mut self, view: &mut View<'_>) {
        self.pieces = Some(Pieces::new(view));
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        self.pieces.as_mut().unwrap().hear(view, notice);
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        self.at = view.position();
        view.discover()
    }
}

fn watched(situation: &Situation) -> (Pieces, Position) {
    let mut watcher = Watcher::default();
    let _ = situation.choose(&mut watcher);
    (watcher.pieces.unwrap(), watcher.at)
}

const BOARD: &str = "
    . . g . . .
    -----------
    . . . . . .
    . p . . . p
    . . . . . .
    . . R0 . . .
    . . . . . .
    . . . . . B1
    -----------
    . . . g . .";

/// The knowledge of pieces sharpens with each reading, and follows the agent's actions on them.
#[test]
fn worlds_sharpen_with_every_reading() {
    let start = Situation::new(BOARD);
    let seen = start.clone().after(&["discover"]);
    let near = seen.clone().after(&["move N", "move N"]);
    let there = near.clone().after(&["move W"]);
    let mut text = String::new();
    for (what, situation) in [
        ("nothing is known", start),
        ("after a discovery", seen),
        ("two steps farther", near),
        ("on the piece", there.clone()),
        ("the piece is taken", there.after(&["pick-up"])),
    ] {
        let (pieces, at) = watched(&situation);
        text += &format!("## {what}\n\n{}\n", pieces.sketch(at));
    }
    assert_snapshot!(text);
}

/// The pieces that others take go, new ones come, and a piece that the agent has put is back on the board.
#[test]
fn worlds_follow_the_game() {
    let start = Situation::new(BOARD).after(&["discover", "move W", "move N", "move N", "pick-up"]);
    let carried = start.after(&["move N", "move E", "put", "move S"]);
    let later = carried.clone().after(&["move E", "move E", "move S", "move S", "move W"]);
    let mut text = String::new();
    for (what, situation) in [
        ("a piece was put", carried),
        ("five moves later", later.clone()),
        ("the other piece was laid down elsewhere", later.after(&["move N", "move E", "move E", "discover"])),
    ] {
        let (pieces, at) = watched(&situation);
        let number = pieces.worlds().map(|(weight, fields)| weight * fields.len() as f32).sum::<f32>();
        text += &format!("## {what}: {number:.3} pieces\n\n{}\n", pieces.sketch(at));
    }
    assert_snapshot!(text);
}

/// The most probable field is the first one, row by row from the south, with the greatest probability.
#[test]
fn the_likeliest_field_has_the_greatest_probability() {
    let start = Situation::new(BOARD);
    let seen = start.clone().after(&["discover"]);
    let there = seen.clone().after(&["move W", "move N", "move N"]);
    let taken = there.clone().after(&["pick-up"]);
    for situation in [start, seen, there, taken] {
        let (pieces, _) = watched(&situation);
        let (columns, rows) = pieces.window();
        let fields = rows.flat_map(|y| columns.clone().map(move |x| Position::new(x, y)));
        let all = fields.map(|at| (at, pieces.probability(at)));
        let best = all.reduce(|best, next| if next.1 > best.1 { next } else { best });
        assert_eq!(pieces.likeliest(), best);
    }
    let (pieces, _) = watched(&Situation::new(&BOARD.replace('p', ".")).after(&["discover"]));
    assert_eq!(pieces.likeliest(), None, "no piece is on the board");
}

#[test]
fn every_world_fits_the_last_reading() {
    let situation = Situation::new(BOARD).after(&["discover", "move S", "move E"]);
    let (pieces, at) = watched(&situation);
    let truth = [Position::new(1, 5), Position::new(5, 5)];
    let distance = truth.into_iter().map(|piece| piece.moves_to(at)).min();
    let weight: f32 = pieces.worlds().map(|(weight, _)| weight).sum();
    assert!((weight - 1.0).abs() < 1e-3, "{weight}");
    for (_, fields) in pieces.worlds() {
        assert_eq!(fields.iter().map(|piece| piece.moves_to(at)).min(), distance);
    }
    assert_eq!(pieces.probability(at), 0.0, "the agent stands there");
    assert_eq!(pieces.probability(Position::new(0, 0)), 0.0, "a goal field");
    let again = watched(&situation).0;
    assert_eq!(pieces.sketch(at), again.sketch(at), "the same game gives the same worlds");
}

/// On a large board the worlds cover a window, so that their size has a bound.
#[test]
fn large_boards_have_a_window_that_follows_the_agent() {
    let row = format!("{}\n", ". ".repeat(80));
    let rows = |count: usize| row.repeat(count);
    let mut piled = rows(40);
    piled.replace_range(0..2, "R0 ");
    let far = format!("{} B1\n", ". ".repeat(79));
    let crowd = format!("{}\n", "p ".repeat(80)).repeat(2);
    let board = format!("{}---\n{piled}{far}{crowd}---\n{}", rows(1), rows(1));
    let situation = Situation::with(&board, &RawConfig::default(), AgentId::new(0)).after(&["discover"]);
    let (pieces, at) = watched(&situation);
    let (columns, rows) = pieces.window();
    assert!(columns.contains(&at.x) && rows.contains(&at.y), "{at} in {columns:?}, {rows:?}");
    assert!(columns.len() < 40 && rows.len() < 40, "{columns:?}, {rows:?}");
    let moved = situation.after(&["move E"; 40]);
    let (pieces, at) = watched(&moved);
    let (columns, _) = pieces.window();
    assert!(columns.contains(&at.x) && columns.start > 0, "{at} in {columns:?}");
    assert!(pieces.worlds().all(|(_, fields)| fields.len() <= 24));
}
