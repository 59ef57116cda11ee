//! Prints how fast the game master answers: by itself, part by part, behind a communication server, and with viewers.
//!
//! `cargo xtask bench gm`, or `cargo bench -p reference-gm --bench master -- --help`.

mod bare;
mod behind;
mod parts;
mod watched;

mod load;
mod process;

use std::net::SocketAddr;

use anyhow::Result;
use clap::Parser;
use game_env::{Chance, Seed};
use game_project::{Action, Direction, RawConfig};
use reference_gm::project::Settings;
use wire::project::{Dialect, Request};

const AGENTS: u16 = 40;

/// The most viewers of the board.
const MOST_VIEWERS: u16 = 1_000;

#[derive(Parser)]
struct Arguments {
    /// Number of rounds; a figure is that of the median round.
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Duration of one round of one board behind the communication server.
    #[arg(long, default_value_t = 0.7)]
    seconds: f64,
    /// Measure nothing but what viewers of the board cost.
    #[arg(long)]
    watched: bool,
    /// The number of viewers of the board.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=i64::from(MOST_VIEWERS)))]
    viewers: u16,
    /// Be the communication server.
    #[arg(long, hide = true)]
    serve_cs: bool,
    /// Be the game master at this communication server.
    #[arg(long, hide = true)]
    host: Option<SocketAddr>,
    /// Show a board as well.
    #[arg(long, hide = true)]
    board: bool,
    /// Be COUNT viewers of the board at ADDRESS.
    #[arg(long, hide = true, num_args = 2, value_names = ["ADDRESS", "COUNT"])]
    watch: Vec<String>,
    #[arg(long, hide = true, default_value_t = 40)]
    side: i64,
    #[arg(long, hide = true, default_value_t = 10)]
    pieces: i64,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if arguments.serve_cs {
        return process::serve_cs();
    }
    if let Some(server) = arguments.host {
        let settings = settings(arguments.side, arguments.pieces, Dialect::Spec);
        return process::host_game(server, settings, arguments.board);
    }
    if let [board, count] = &arguments.watch[..] {
        return process::watch(board.parse()?, count.parse()?);
    }
    if !arguments.watched {
        bare::compare(arguments.rounds);
        parts::compare(arguments.rounds);
        behind::compare(&arguments)?;
    }
    watched::compare(&arguments)
}

/// A game of 40 agents without penalties on a square board, too long to end here.
fn settings(side: i64, pieces: i64, dialect: Dialect) -> Settings {
    let raw = RawConfig {
        board_x: side,
        board_y: side,
        number_of_pieces: pieces,
        team_size: i64::from(AGENTS / 2),
        move_penalty: 0,
        information_exchange_penalty: 0,
        discovery_penalty: 0,
        put_penalty: 0,
        check_for_sham_penalty: 0,
        destroy_piece_penalty: 0,
        number_of_goals: 5 * side, // the whole goal areas
        landing_pick_up: false,    // one answer for each request, and none unasked
        ..RawConfig::default()
    };
    let config = raw.check().expect("the bench's boards can be played");
    let settings = Settings::new(config, Seed::new(1), jiff::Timestamp::UNIX_EPOCH);
    Settings { dialect, start_when_full: true, ..settings }
}

/// Draws an agent's request: anything but questions and answers, half of them moves.
fn any_request(chance: &mut Chance) -> Request {
    let action = match chance.below(10) {
        0 => Action::Check,
        1 => Action::Destroy,
        2 => Action::Discover,
        3 => Action::PickUp,
        4 => Action::Put,
        way => Action::Move(Direction::ALL[way as usize % 4]),
    };
    action.into()
}
