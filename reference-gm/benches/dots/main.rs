//! The server of Dots & Boxes with 1,000 connections that play at once, beside an echo server with as many.
//!
//! Server and clients have a thread each. Half of the connections have the turn at any moment; an answer is what comes
//! between a move and its `draw_coords`, of the echo what comes between a line and the same line.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use game_dots::{Config as Grid, Edge};
use game_env::Seed;
use reference_gm::dots::archive::Archive;
use reference_gm::dots::journal::{Journal, Sync};
use reference_gm::dots::server::{Limits, Server};
use reference_gm::dots::{Master, Settings};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use wire::dots::{Notice, Request, Side, Token};

const CONNECTIONS: usize = 1000;

/// How long each measurement takes, and how long it runs before.
const MEASURED: Duration = Duration::from_secs(5);
const BEFORE: Duration = Duration::from_secs(1);

type Failure = Box<dyn std::error::Error + Send + std::marker::Sync>;

fn main() -> Result<(), Failure> {
    // `cargo test --benches` runs this with `--test`: a short look whether it works.
    let is_test = std::env::args().any(|word| word == "--test");
    let (connections, measured) =
        if is_test { (10, Duration::from_millis(200)) } else { (CONNECTIONS, MEASURED) };
    println!(
        "{connections} connections, {} s each, one thread for the server and one for the clients",
        measured.as_secs_f64()
    );
    println!("{:<28} {:>12} {:>10} {:>10} {:>10}", "", "answers/s", "p50 µs", "p99 µs", "max µs");
    show("echo", &mut echo(connections / 2, measured)?, measured);
    for (name, sync) in [
        ("dots, sync = system", Sync::System),
        ("dots, sync = second", Sync::Second),
        ("dots, sync = answer", Sync::Answer),
    ] {
        show(name, &mut dots(connections, measured, sync)?, measured);
    }
    Ok(())
}

fn show(name: &str, answers: &mut [Duration], measured: Duration) {
    answers.sort_unstable();
    let at = |percent: usize| {
        let place = answers.len().saturating_sub(1) * percent / 100;
        answers.get(place).map_or(0, Duration::as_micros)
    };
    let rate = answers.len() as f64 / measured.as_secs_f64();
    println!("{name:<28} {rate:>12.0} {:>10} {:>10} {:>10}", at(50), at(99), at(100));
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// When answers count.
#[derive(Clone)]
struct Watch {
    from: Instant,
    until: Instant,
    is_over: Arc<AtomicBool>,
}

impl Watch {
    fn new(measured: Duration) -> Self {
        let from = Instant::now() + BEFORE;
        Self { from, until: from + measured, is_over: Arc::default() }
    }

    /// Takes down an answer to what was sent at this moment; whether there is more to do.
    fn take(&self, sent: Instant, answers: &mut Vec<Duration>) -> bool {
        let now = Instant::now();
        if sent >= self.from && now <= self.until {
            answers.push(now - sent);
        }
        now <= self.until && !self.is_over.load(Ordering::Relaxed)
    }
}

/// As many lines under way as there are moves under way in the games.
fn echo(connections: usize, measured: Duration) -> Result<Vec<Duration>, Failure> {
    let (told, address) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let served = runtime().map(|runtime| {
            runtime.block_on(async {
                let Ok(listener) = TcpListener::bind("127.0.0.1:0").await else { return };
                let _ = told.send(listener.local_addr());
                while let Ok((mut stream, _)) = listener.accept().await {
                    let _ = tcp::prepare(&stream);
                    tokio::spawn(async move {
                        let mut buffer = [0; 1024];
                        while let Ok(length) = stream.read(&mut buffer).await {
                            if length == 0 || stream.write_all(&buffer[..length]).await.is_err() {
                                return;
                            }
                        }
                    });
                }
            });
        });
        drop(served);
    });
    let address = address.recv()??;
    let clients = runtime()?;
    clients.block_on(async {
        let mut streams = Vec::new();
        for _ in 0..connections {
            streams.push(tcp::dial(address).await?);
        }
        let watch = Watch::new(measured);
        let clients: Vec<_> =
            streams.into_iter().map(|stream| tokio::spawn(ask(stream, watch.clone()))).collect();
        all(clients).await
    })
}

async fn ask(mut stream: TcpStream, watch: Watch) -> Result<Vec<Duration>, Failure> {
    let mut answers = Vec::new();
    let mut buffer = [0; 64];
    loop {
        let sent = Instant::now();
        stream.write_all(b"line_coords|10|11\n").await?;
        let mut read = 0;
        while read < 18 {
            let length = stream.read(&mut buffer[read..]).await?;
            if length == 0 {
                return Err("the echo server is gone".into());
            }
            read += length;
        }
        if !watch.take(sent, &mut answers) {
            return Ok(answers);
        }
    }
}

/// Games without a pause, on the original's grid.
fn dots(connections: usize, measured: Duration, sync: Sync) -> Result<Vec<Duration>, Failure> {
    let folder = tempfile::tempdir()?;
    let (told, address) = std::sync::mpsc::channel::<io::Result<SocketAddr>>();
    let (stop, stopped) = oneshot::channel::<()>();
    let path = folder.path().to_owned();
    let server = thread::spawn(move || -> Result<(), Failure> {
        let (journal, _) = Journal::open(&path, sync)?;
        let settings = Settings { seed: Seed::new(7), messages_per_second: 1_000_000, ..Settings::default() };
        let mut number = 0_u128;
        let tokens = Box::new(move || {
            number += 1;
            Token::new(number.to_be_bytes())
        });
        let archive = Archive::start(&path.join("games"))?;
        let limits = Limits { connections: 10_000, buffer_bytes: 1 << 20 };
        let server = Server::new(Master::new(settings, tokens), journal, archive, limits);
        runtime()?.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            let _ = told.send(listener.local_addr());
            let stopped = async {
                let _ = stopped.await;
            };
            server.run(listener, stopped).await?;
            Ok(())
        })
    });
    let address = address.recv()??;
    let answers = runtime()?.block_on(async {
        let mut streams = Vec::new();
        for _ in 0..connections {
            streams.push(tcp::dial(address).await?);
        }
        let watch = Watch::new(measured);
        let clients: Vec<_> = streams
            .into_iter()
            .enumerate()
            .map(|(number, stream)| tokio::spawn(play(number, stream, watch.clone())))
            .collect();
        all(clients).await
    })?;
    let _ = stop.send(());
    server.join().map_err(|_| "the server has panicked")??;
    Ok(answers)
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
                    watch.is_over.store(true, Ordering::Relaxed);
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
        if watch.is_over.load(Ordering::Relaxed) {
            break;
        }
        write.write_all(format!("{request}\n").as_bytes()).await?;
    }
    Ok(answers)
}

async fn all(
    clients: Vec<tokio::task::JoinHandle<Result<Vec<Duration>, Failure>>>,
) -> Result<Vec<Duration>, Failure> {
    let mut answers = Vec::new();
    for client in clients {
        answers.extend(client.await??);
    }
    Ok(answers)
}
