//! A board on a stream, in paused time.

use std::time::Duration;

use game_conveyor::State;
use game_env::{Environment as _, Seed, Witness};
use reference_gm::conveyor::board::{Board, End, News, Settings};
use reference_gm::conveyor::shells::{BoardObserver, play_board};
use tokio::io::{AsyncWriteExt as _, duplex};
use tokio::time::{Instant, sleep};

use super::board::config;

/// Nobody reads the reports.
struct Unread;

impl Witness<State> for Unread {}

impl BoardObserver for Unread {
    fn news(&mut self, _: &Board, _: &News) {}
}

#[tokio::test(start_paused = true)]
async fn a_board_is_stopped_at_once_also_if_the_controller_reads_nothing() {
    // There is no room for the answer of the board.
    let (mut controller, stream) = duplex(8);
    controller.write_all(b"HAI\r\n").await.unwrap();
    let board = Board::new(Settings::default(), State::new(&config(), Seed::new(3)));
    let began = Instant::now();
    let (_, end) = play_board(stream, board, sleep(Duration::from_secs(1)), &mut Unread).await;
    assert_eq!((end, began.elapsed()), (End::Stopped, Duration::from_secs(1)));
}
