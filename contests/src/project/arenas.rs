//! The boards on which strategies are measured.
//!
//! Three boards, each with the penalties of the source and with others, where moves cost little and discoveries
//! much; the source's board with larger teams; and a narrow board on which teams of four race through 18 goal fields,
//! with short penalties and with those of the source. The smallest with cheap moves is the preset `quick`.

use game_project::{Config, Preset, RawConfig};

/// A board with its rules.
#[derive(Clone, Debug)]
pub struct Arena {
    /// Name, different from those of all other arenas.
    pub name: &'static str,
    /// Its configuration.
    pub config: Config,
}

/// All arenas, always in this order.
pub fn arenas() -> Vec<Arena> {
    let source = RawConfig::default();
    let quick = Preset::Quick.raw();
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
    let narrow = RawConfig {
        board_x: 6,
        board_y: 16,
        goal_area_height: 3,
        number_of_goals: 6,
        number_of_pieces: 8,
        team_size: 4,
        sham_piece_probability: 0.3,
        ..source.clone()
    };
    let short = RawConfig {
        move_penalty: 50,
        information_exchange_penalty: 100,
        discovery_penalty: 100,
        put_penalty: 60,
        check_for_sham_penalty: 60,
        destroy_piece_penalty: 60,
        ..source.clone()
    };
    let with_penalties = |raw: &RawConfig, penalties: &RawConfig| RawConfig {
        move_penalty: penalties.move_penalty,
        information_exchange_penalty: penalties.information_exchange_penalty,
        discovery_penalty: penalties.discovery_penalty,
        put_penalty: penalties.put_penalty,
        check_for_sham_penalty: penalties.check_for_sham_penalty,
        destroy_piece_penalty: penalties.destroy_piece_penalty,
        ..raw.clone()
    };
    let cheap_moves = |raw: &RawConfig| with_penalties(raw, &quick);
    let arena =
        |name, raw: &RawConfig| Arena { name, config: raw.check().expect("the arenas can be played") };
    vec![
        arena("8×14, 2 v 2, sham 0.2", &with_penalties(&quick, &source)),
        arena("8×14, 2 v 2, sham 0.2, cheap moves", &quick),
        arena("12×24, 4 v 4, sham 0.3", &wide),
        arena("12×24, 4 v 4, sham 0.3, cheap moves", &cheap_moves(&wide)),
        arena("40×40, 2 v 2, sham 0.5", &source),
        arena("40×40, 2 v 2, sham 0.5, cheap moves", &cheap_moves(&source)),
        arena("40×40, 4 v 4, sham 0.5", &RawConfig { team_size: 4, ..source.clone() }),
        arena("6×16, 4 v 4, short penalties", &with_penalties(&narrow, &short)),
        arena("6×16, 4 v 4, source's penalties", &narrow),
    ]
}
