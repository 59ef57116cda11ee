//! The communication server and the game master as processes: as their programs run them, and without logs.

use std::cell::RefCell;
use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::process::{self, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::str::FromStr;
use std::task::{Context, Poll, ready};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use cs::config::Config;
use cs::server::{self, Listeners, Live, TcpPort};
use game_env::{ByTeam, Parameters};
use reference_gm::project::config::HostConfig;
use reference_gm::project::console::Console;
use reference_gm::project::link::host;
use reference_gm::project::page::{MasterPage, Operated, PageObserver};
use reference_gm::project::{Master, Settings};
use reference_gm::recorder::Recorder;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::runtime::Builder;
use tokio::sync::mpsc;
use tokio_util::net::Listener as _;
use viewer::games::project::lobby::Starts;
use viewer::server::{Place, ServerLimits};

/// One of this program's other selves. It ends with this value.
pub(crate) struct Child {
    process: process::Child,
    output: BufReader<ChildStdout>,
}

impl Child {
    pub(crate) fn start(arguments: &[&str]) -> Result<Self> {
        let own = std::env::current_exe()?;
        let mut process = Command::new(own).args(arguments).stdout(Stdio::piped()).spawn()?;
        let output = BufReader::new(process.stdout.take().context("no output")?);
        Ok(Self { process, output })
    }

    /// The numbers and addresses of its next line.
    pub(crate) fn line<T: FromStr>(&mut self) -> Result<Vec<T>> {
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let words: Vec<T> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        if words.is_empty() {
            bail!("a child says `{line}`");
        }
        Ok(words)
    }

    /// The memory that it has now, in MiB, where the system tells it.
    pub(crate) fn memory(&self) -> Option<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
        let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kib / 1024.0)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Relays on free ports, which it prints: the agents', the game master's.
pub(crate) fn serve_cs() -> Result<()> {
    // As in the server's program.
    let runtime = Builder::new_current_thread().enable_all().event_interval(1).build()?;
    runtime.block_on(async {
        let port = || TcpPort::bind((Ipv4Addr::LOCALHOST, 0).into());
        let listeners = Listeners { agents: port()?, gm: port()? };
        println!("{} {}", listeners.agents.local_addr()?, listeners.gm.local_addr()?);
        let stopped = std::future::pending();
        let run = async move { server::run(listeners, &Config::default(), Live::default(), stopped).await };
        tokio::spawn(run).await?;
        Ok(())
    })
}

/// Hosts a game until its agents have left; then prints the median and the 99th percentile of its service
/// times, in nanoseconds. With a board it prints the board's address first.
pub(crate) fn host_game(server: SocketAddr, settings: Settings, has_board: bool) -> Result<()> {
    let services = Rc::new(RefCell::new(Vec::with_capacity(1 << 20)));
    let timed = Rc::clone(&services);
    // As in the game master's program.
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let stream = tcp::dial(server).await?;
        let stream = Timed { stream, came: None, services: timed };
        let mut console = Console::new(io::sink(), Recorder::default());
        let (orders, inbox) = mpsc::channel(1);
        if has_board {
            let config = HostConfig::layered(&Parameters::new(), &Parameters::new())?;
            let operated = Operated { config, orders, starts: Starts::default(), drawn: settings.seed };
            let place = Place::take("127.0.0.1:0")?;
            let limits = ServerLimits { viewers: crate::MOST_VIEWERS, ..ServerLimits::default() };
            let (board, page) = MasterPage::serve(place, limits, operated)?;
            let address = board.url().split('/').nth(2).context("an address")?;
            println!("{address}");
            let mut observers = (&mut console, PageObserver::new(page, ByTeam::default()));
            host(stream, Master::new(settings), inbox, &mut observers).await;
        } else {
            host(stream, Master::new(settings), inbox, &mut console).await;
        }
        Ok::<(), anyhow::Error>(())
    })?;
    let mut services = services.borrow_mut();
    services.sort_unstable();
    let count: usize = services.iter().map(|(_, answers)| answers).sum();
    let percentile = |percent: usize| {
        let mut before = 0;
        let mut at_least = services.iter().skip_while(|(_, answers)| {
            before += answers;
            before < count * percent / 100
        });
        at_least.next().map(|(time, _)| time.as_nanos()).context("nobody was answered")
    };
    println!("{} {}", percentile(50)?, percentile(99)?);
    Ok(())
}

/// Connects this number of viewers to a board, prints the number once all are connected, and reads until the board
/// closes their connections.
pub(crate) fn watch(board: SocketAddr, count: usize) -> Result<()> {
    let mut viewers = Vec::new();
    for _ in 0..count {
        let mut stream = std::net::TcpStream::connect(board)?;
        let request = format!(
            "GET /feed HTTP/1.1\r\nHost: {board}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(request.as_bytes())?;
        let mut answer = [0; 12];
        stream.read_exact(&mut answer)?;
        anyhow::ensure!(answer == *b"HTTP/1.1 101", "the board answers {}", answer.escape_ascii());
        viewers.push(thread::spawn(move || io::copy(&mut stream, &mut io::sink())));
    }
    println!("{count}");
    viewers.into_iter().for_each(|viewer| drop(viewer.join()));
    Ok(())
}

/// Time between reading requests and writing their answers, and the number of these answers.
type Service = (Duration, usize);

/// A connection that notes the time between the end of a reading and the beginning of the next writing.
struct Timed<S> {
    stream: S,
    /// When the requests came that are not answered.
    came: Option<Instant>,
    services: Rc<RefCell<Vec<Service>>>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.came = Some(Instant::now());
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Some(came) = self.came.take() {
            self.services.borrow_mut().push((came.elapsed(), answers(bytes)));
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Returns the number of these frames.
fn answers(mut frames: &[u8]) -> usize {
    let mut count = 0;
    while let [low, high, rest @ ..] = frames {
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        frames = rest.get(length..).unwrap_or_default();
        count += 1;
    }
    count
}
