//! The servers of games of turns with many connections that play at once, each beside an echo server.
//!
//! `cargo xtask bench dots` has 1,000 connections, `cargo xtask bench eriantys` 200 matches. Server and clients have a
//! thread each. An answer is what comes between a choice and the server's word that it is made, of the echo what comes
//! between a line and the same line. The echo has as many lines under way as there are choices under way in the games.

mod dots;
mod echo;
mod eriantys;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use reference_gm::journal::Sync;
use reference_gm::server::{DrawToken, Limits, Room, Server};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;
use wire::token::Token;

/// Duration of each measurement, and of the run before it.
const MEASURED: Duration = Duration::from_secs(5);
const BEFORE: Duration = Duration::from_secs(1);

const LIMITS: Limits = Limits { connections: 10_000, connections_of_origin: 10_000, buffer_bytes: 1 << 20 };

type Failure = Box<dyn std::error::Error + Send + std::marker::Sync>;

/// A measurement of one server: its name, the number of connections and of choices under way, the line of the echo, and
/// what plays.
struct Measurement {
    name: &'static str,
    connections: usize,
    under_way: usize,
    line: &'static str,
    play: fn(usize, Duration, Sync) -> Result<Vec<Duration>, Failure>,
}

fn main() -> Result<(), Failure> {
    // `cargo test --benches` runs this with `--test`: a short look whether it works.
    let is_test = std::env::args().any(|word| word == "--test");
    let named = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let all = [
        Measurement {
            name: "dots",
            connections: if is_test { 10 } else { 1000 },
            under_way: if is_test { 5 } else { 500 },
            line: "line_coords|10|11\n",
            play: dots::measure,
        },
        Measurement {
            name: "eriantys",
            connections: if is_test { 8 } else { 400 },
            under_way: if is_test { 4 } else { 200 },
            line: "{\"type\":\"EntranceToIsland\",\"color\":\"yellow\",\"island\":10}\n",
            play: eriantys::measure,
        },
    ];
    let measured = if is_test { Duration::from_millis(200) } else { MEASURED };
    let mut has_run = false;
    for Measurement { name, connections, under_way, line, play } in all {
        if named.as_ref().is_some_and(|named| named != name) {
            continue;
        }
        has_run = true;
        println!(
            "{name}: {connections} connections, {under_way} choices under way, {} s each, one thread for the server and \
             one for the clients",
            measured.as_secs_f64()
        );
        println!("{:<28} {:>12} {:>10} {:>10} {:>10}", "", "answers/s", "p50 µs", "p99 µs", "max µs");
        show("echo", &mut echo::measure(under_way, line, measured)?, measured);
        for sync in Sync::ALL.into_iter().rev() {
            show(&format!("{name}, sync = {sync}"), &mut play(connections, measured, sync)?, measured);
        }
    }
    if has_run { Ok(()) } else { Err("unknown server: expected dots or eriantys".into()) }
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

    /// Records an answer to a message that was sent at this moment; returns whether the measurement goes on. It ends
    /// for all clients at once.
    fn take(&self, sent: Instant, answers: &mut Vec<Duration>) -> bool {
        let now = Instant::now();
        if sent >= self.from && now <= self.until {
            answers.push(now - sent);
        }
        if now > self.until {
            self.is_over.store(true, Ordering::Relaxed);
        }
        !self.is_over()
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// Tokens with the numbers 1, 2, 3 and so on.
fn tokens() -> DrawToken {
    let mut number = 0_u128;
    Box::new(move || {
        number += 1;
        Token::new(number.to_be_bytes())
    })
}

/// Runs a server in a thread of its own while as many clients play, each from its connection on.
fn measure<R, C>(
    make: impl FnOnce(&Path) -> Result<Server<R>, Failure> + Send + 'static,
    connections: usize,
    measured: Duration,
    mut client: impl FnMut(usize, SocketAddr, TcpStream, Watch) -> C,
) -> Result<Vec<Duration>, Failure>
where
    R: Room + 'static,
    C: Future<Output = Result<Vec<Duration>, Failure>> + Send + 'static,
{
    let folder = tempfile::tempdir()?;
    let (told, address) = std::sync::mpsc::channel::<io::Result<SocketAddr>>();
    let (stop, stopped) = oneshot::channel::<()>();
    let path: PathBuf = folder.path().to_owned();
    let server = thread::spawn(move || -> Result<(), Failure> {
        let server = make(&path)?;
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
            .map(|(number, stream)| tokio::spawn(client(number, address, stream, watch.clone())))
            .collect();
        all(clients).await
    })?;
    let _ = stop.send(());
    server.join().map_err(|_| "the server has panicked")??;
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
