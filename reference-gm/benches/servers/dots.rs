//! The server of Dots & Boxes: games without a pause, on the original's grid. Half of the connections have the turn at
//! any moment.

use std::time::{Duration, Instant};

use game_dots::{Config as Grid, Edge};
use game_env::Seed;
use reference_gm::archive::Archive;
use reference_gm::dots::page::Room;
use reference_gm::dots::{Master, Settings};
use reference_gm::journal::{Journal, Sync};
use reference_gm::server::Server;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use wire::dots::{Notice, Request, Side};

use super::{Failure, LIMITS, Watch, tokens};

pub(super) fn measure(connections: usize, measured: Duration, sync: Sync) -> Result<Vec<Duration>, Failure> {
    let make = move |path: &std::path::Path| -> Result<Server<Room>, Failure> {
        let (journal, _) = Journal::open(path, sync)?;
        let settings = Settings {
            seed: Seed::new(7),
            messages_per_second: 1_000_000,
            games_per_hour: u32::MAX,
            ..Settings::default()
        };
        let archive = Archive::start(&path.join("games"))?;
        Ok(Server::new(Master::new(settings, tokens()), journal, archive, LIMITS))
    };
    super::measure(make, connections, measured, |number, _, stream, watch| play(number, stream, watch))
}

/// Draws the first line that is left, game after game.
async fn play(number: usize, stream: TcpStream, watch: Watch) -> Result<Vec<Duration>, Failure> {
    let grid = Grid::default();
    let (read, mut write) = stream.into_split();
    let mut lines = BufReader::new(read).lines();
    let (mut answers, mut left) = (Vec::new(), Vec::new());
    let (mut own, mut sent) = (Side::First, None);
    write.write_all(format!("login|p{number}\nqueue\n").as_bytes()).await?;
    while let Some(line) = lines.next_line().await? {
        let request = match line.parse::<Notice>()? {
            Notice::StartGame { side, .. } => {
                own = side;
                left = grid.all_edges().collect::<Vec<Edge>>();
                continue;
            }
            Notice::DrawCoords(one, other) => {
                left.retain(|edge| edge.dots() != (one, other));
                if let Some(sent) = sent.take()
                    && !watch.take(sent, &mut answers)
                {
                    return Ok(answers);
                }
                continue;
            }
            Notice::Play(side) if side == own => {
                sent = Some(Instant::now());
                let (one, other) = left.first().ok_or("no line is left")?.dots();
                Request::LineCoords(one.into(), other.into())
            }
            Notice::Winner { .. } => Request::Queue,
            Notice::Ping => Request::Pong,
            _ => continue,
        };
        if watch.is_over() {
            break;
        }
        write.write_all(format!("{request}\n").as_bytes()).await?;
    }
    Ok(answers)
}
