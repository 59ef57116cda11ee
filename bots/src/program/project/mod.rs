//! Games of The Project Game: in this process over TCP or on the virtual clock, and on a server.

pub(crate) mod agent_file;
pub(crate) mod arguments;
mod blunders;
mod game;
mod hosting;
pub(crate) mod joining;
mod questions;
mod report;
mod virtual_clock;

use command_line::Failure;

use self::arguments::Playing;
use self::game::Game;
use self::report::Wins;
use crate::program::print;
use crate::program::screen::Screen;

/// Plays in this process: one game, or a series.
pub(crate) fn play(playing: &Playing, screen: &Screen) -> Result<(), Failure> {
    let first = Game::new(playing)?;
    let play_one = |game: &Game| {
        if playing.r#virtual {
            virtual_clock::play(playing, game, screen)
        } else {
            hosting::play(playing, game, screen)
        }
    };
    let Some(count) = playing.games else {
        let played = play_one(&first)?;
        return print(&if playing.json {
            format!("{:#}\n", played.document(&first))
        } else {
            played.text(&first)
        });
    };
    let mut wins = Wins::default();
    for place in 0..count {
        let game = first.nth(playing, place);
        let played = play_one(&game)?;
        wins.add(&game, &played, playing.json);
        if !playing.json {
            print(&played.line(&game))?;
        }
        if played.is_stopped() {
            break;
        }
    }
    print(&if playing.json {
        format!("{:#}\n", wins.document(&first, count))
    } else {
        wins.text(&first, count)
    })
}
