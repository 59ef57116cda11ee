//! The boards on which strategies are measured.
//!
//! Three boards, each with the penalties of the source and with others by which moves cost little and looking around
//! much; and the source's board with larger teams.

use game_project::{Config, RawConfig};

/// A board with its rules.
#[derive(Clone, Debug)]
pub struct Arena {
    /// What tells it from the others.
    pub name: &'static str,
    /// Its configuration.
    pub config: Config,
}

/// All arenas, always in this order.
pub fn arenas() -> Vec<Arena> {
    let source = RawConfig::default();
    let quick = RawConfig {
        board_x: 8,
        board_y: 14,
        goal_area_height: 3,
        number_of_goals: 3,
        number_of_pieces: 6,
        sham_piece_probability: 0.2,
        ..source.clone()
    };
    let wide = RawConfig {
        board_x: 12,
        board_y: 24,
        goal_area_height: 4,
        number_of_goals: 6,
        number_of_pieces: 8,
        team_size: 4,
        sham_piece_probability: 0.3,
        ..source.clone()
    };
    let cheap_moves = |raw: &RawConfig| RawConfig {
        move_penalty: 100,
        information_exchange_penalty: 200,
        discovery_penalty: 400,
        put_penalty: 100,
        check_for_sham_penalty: 300,
        destroy_piece_penalty: 100,
        ..raw.clone()
    };
    let arena =
        |name, raw: &RawConfig| Arena { name, config: raw.check().expect("the arenas can be played") };
    vec![
        arena("8×14, 2 v 2, sham 0.2", &quick),
        arena("the same, cheap moves", &cheap_moves(&quick)),
        arena("12×24, 4 v 4, sham 0.3", &wide),
        arena("the same, cheap moves", &cheap_moves(&wide)),
        arena("40×40, 2 v 2, sham 0.5", &source),
        arena("the same, cheap moves", &cheap_moves(&source)),
        arena("40×40, 4 v 4, sham 0.5", &RawConfig { team_size: 4, ..source }),
    ]
}
