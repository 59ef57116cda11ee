//! Attacks on the server of Dots & Boxes, each beside a game of two honest players that has to end with every move
//! answered.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use game_dots::{Config as Grid, Edge};
use tempfile::TempDir;
use wire::dots::line::{Decoder, NOTICE_LIMIT};
use wire::dots::{Answer, Notice, Side};

use super::attackers::{self, Attacker, Paged, Siege, Work, drain, write};
use super::game::LONGEST_END;
use super::peer::{DEADLINE, Honest, Orders, STEP, Shared, Site, change, is_timeout};
use super::program::{Program, Usage};
use super::{Attack, Bench, Run, comes_to_rest, table};

/// Every attack on the server.
pub(super) const ATTACKS: &[Attack] = &[
    row(
        "dots-flood",
        "ten players ask and play without end, as fast as they are read",
        &["--max-messages-per-second", "1000000"],
        &[Attacker { name: "flood", count: 10, act: flood }],
    ),
    row(
        "dots-empty-lines",
        "ten connections send NULs and line ends, which are no messages, without end",
        &[],
        &[Attacker { name: "empty lines", count: 10, act: empty_lines }],
    ),
    row(
        "dots-half-lines",
        "connections hold half a line or nothing; others come and go",
        &["--login-ms", "300"],
        &[
            Attacker { name: "half lines", count: 4, act: half_lines },
            Attacker { name: "come and go", count: 2, act: come_and_go },
        ],
    ),
    row(
        "dots-long-lines",
        "lines of a megabyte, with and without an end",
        &[],
        &[Attacker { name: "long lines", count: 1, act: long_lines }],
    ),
    row(
        "dots-binary",
        "bytes by chance, whole lines of them and blocks of 450",
        &[],
        &[Attacker { name: "binary", count: 4, act: binary }],
    ),
    row(
        "dots-slow-readers",
        "ten players ask without end and read nothing",
        &["--max-messages-per-second", "1000000", "--max-bytes-for-player", "65536"],
        &[Attacker { name: "deaf", count: 10, act: deaf }],
    ),
    row(
        "dots-crowd",
        "600 connections, of which the server takes 300",
        &["--max-connections", "300"],
        &[Attacker { name: "crowd", count: 600, act: crowd }],
    ),
    row(
        "dots-names",
        "names with ESC, U+202E, U+2028 and the like, wherever the server may print them",
        &["--log", "trace"],
        &[Attacker { name: "names", count: 2, act: names }],
    ),
    Attack {
        name: "dots-takeover",
        what: "others log in as the honest players, without a token and with wrong ones, while one of these comes back",
        stays: "each player is who it was",
        peak_mib: PEAK_MIB,
        run: Run::Own(|bench| {
            let attackers = [Attacker { name: "takeover", count: 6, act: takeover }];
            attacked(bench, &["--resume-by-name", "false"], &attackers, true, |_| Ok(()))
        }),
    },
    Attack {
        name: "dots-squatters",
        what: "clients log in under one name after the other, with and without a game, and leave; there is room for 60 players",
        stays: "the honest game, in which a player comes back; newcomers log in",
        peak_mib: PEAK_MIB,
        run: Run::Own(|bench| {
            let attackers = [Attacker { name: "squatters", count: 6, act: squat }];
            attacked(bench, &["--max-players", "60"], &attackers, true, |server| {
                (0..20).try_for_each(|number| {
                    Client::connect(server.target.players)?.log_in(&format!("new{number}"))
                })
            })
        }),
    },
    Attack {
        name: "dots-colluders",
        what: "pairs of clients play and leave game after game; an address may begin 100 games an hour",
        stays: "the honest game; the number of replays",
        peak_mib: PEAK_MIB,
        run: Run::Own(|bench| {
            let attackers = [Attacker { name: "colluders", count: 6, act: collude }];
            attacked(bench, &["--max-games-per-hour", "100"], &attackers, false, |server| {
                let replays = std::fs::read_dir(server.folder.path().join("games"))?.count();
                ensure!(replays <= 110, "there are {replays} replays");
                Ok(())
            })
        }),
    },
    Attack {
        name: "dots-stalled",
        what: "clients read nothing, are expelled while the server writes to them, and never close",
        stays: "the honest game; the server lets go of these connections",
        peak_mib: PEAK_MIB,
        run: Run::Own(|bench| {
            let attackers = [Attacker { name: "stalled", count: 8, act: stall }];
            let words = ["--max-messages-per-second", "1000000", "--max-bytes-for-player", "16777216"];
            attacked(bench, &words, &attackers, false, |server| {
                // Every attacker is expelled, and still holds its end.
                comes_to_rest(&server.program, server.before.descriptors, PEAK_MIB * 1024).map(|_| ())
            })
        }),
    },
    Attack {
        name: "dots-people",
        what: "requests to play on the page without end, which no page follows",
        stays: "the honest game; somebody with a page gets a place, and keeps it",
        peak_mib: PEAK_MIB,
        run: Run::Own(|bench| {
            let attackers = [Attacker { name: "people without a page", count: 6, act: join_without_a_page }];
            attacked(bench, &[], &attackers, false, |server| {
                let site = &server.target.page;
                let joined = site.exchange(&to_play(site, "Zoe"), DEADLINE)?;
                ensure!(
                    joined.status == 200,
                    "was refused a place: {}",
                    String::from_utf8_lossy(&joined.body)
                );
                Ok(())
            })
        }),
    },
    row(
        "dots-page",
        "300 connections to the page are kept alive; viewers read nothing; requests are none",
        &[],
        &[
            Attacker { name: "kept alive", count: 300, act: attackers::kept_alive },
            Attacker { name: "slow downloads", count: 20, act: attackers::slow_download },
            Attacker { name: "deaf viewer", count: 40, act: attackers::deaf_viewer },
            Attacker { name: "board noise", count: 2, act: attackers::board_noise },
        ],
    ),
];

/// Largest resident memory of the server, in MiB.
const PEAK_MIB: u64 = 96;

/// Dots of a side: the honest game has 364 moves.
const SIDE: u16 = 14;

/// Pause before a move, so that the game lasts more than half a second.
const PAUSE: Duration = Duration::from_millis(1);

const fn row(
    name: &'static str,
    what: &'static str,
    words: &'static [&'static str],
    attackers: &'static [Attacker<Target>],
) -> Attack {
    let stays = "the honest game; SIGTERM; the replay of the game";
    Attack { name, what, stays, peak_mib: PEAK_MIB, run: Run::Dots { words, attackers } }
}

/// Addresses of the server.
#[derive(Clone, Debug)]
pub struct Target {
    players: SocketAddr,
    page: Site,
}

impl Paged for Target {
    fn page(&self) -> &Site {
        &self.page
    }
}

/// A server that runs.
pub(super) struct Server {
    program: Program,
    target: Target,
    folder: TempDir,
    /// Its usage before the attack.
    before: Usage,
}

impl Server {
    fn start(bench: &Bench<'_>, words: &[&str]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let (side, path) = (SIDE.to_string(), folder.path().display().to_string());
        let program = bench
            .start("reference-gm")
            .args(["dots", "serve", "--port", "0", "--page", "127.0.0.1:0", "--folder", &path, "--seed", "7"])
            .args(["--rows", &side, "--cols", &side])
            .args(words)
            .spawn()?;
        let line = program.wait_for_line("dots: players on ", DEADLINE)?;
        let address = line.trim_start_matches("dots: players on ").split(',').next().unwrap_or_default();
        let page = program.wait_for_line("the page is at ", DEADLINE)?;
        let page = Site::of(page.trim_start_matches("the page is at "))?;
        let before = program.usage()?;
        Ok(Self { target: Target { players: address.parse()?, page }, program, folder, before })
    }
}

/// Lets attackers at a server on which two honest players play; returns what was seen.
pub(super) fn attacked(
    bench: &Bench<'_>,
    words: &[&str],
    attackers: &[Attacker<Target>],
    comes_back: bool,
    meanwhile: fn(&Server) -> Result<()>,
) -> Result<String> {
    let mut server = Server::start(bench, words)?;
    let players = server.target.players;
    let honest = Honest::play(move |shared, orders| play(players, comes_back, shared, orders));
    honest.wait_until(DEADLINE, "the start", |record| record.has_begun)?;
    server.before = server.program.usage()?;
    let siege = Siege::start(&server.target, attackers, bench.seed)?;
    honest.wait_until(DEADLINE * 3, "the end of the game", |record| record.is_over)?;
    meanwhile(&server)?;
    let peak = bench.end_of(&[&server.program])?;
    siege.stop()?;
    let memory = bench.attack.peak_mib * 1024;
    comes_to_rest(&server.program, server.before.descriptors, memory)
        .context("when the attackers have gone")?;
    // The server has to end in order while it is attacked.
    let siege = Siege::start(&server.target, attackers, bench.seed)?;
    let (code, took) = server.program.terminate(LONGEST_END)?;
    ensure!(code == Some(0), "the server ended with {code:?}");
    honest.wait_until(DEADLINE, "the end of its connections", |record| record.is_closed)?;
    siege.stop()?;
    let record = honest.record();
    ensure!(record.fault.is_none(), "an honest player {}", record.fault.unwrap_or_default());
    let moves = Grid::new(SIDE, SIDE)?.all_edges().count() as u64;
    ensure!(
        (record.asked, record.answered) == (moves, moves),
        "{} of {} moves were answered, the game has {moves}",
        record.answered,
        record.asked
    );
    let (out, err) = server.program.output();
    [out, err].iter().try_for_each(|output| table::no_raw(output))?;
    let replays = server.folder.path().join("games");
    let mut replays = std::fs::read_dir(replays)?.filter_map(Result::ok).map(|entry| entry.path());
    let replay = replays.find(|path| path.to_string_lossy().contains("game-000000-"));
    let replay = replay.context("the honest game has no replay")?.display().to_string();
    let verified = bench.start("reference-gm").args(["verify", &replay]).run(DEADLINE)?;
    ensure!(verified.code == Some(0), "the replay does not match its record: {}", verified.complaint());
    Ok(format!(
        "{moves} honest moves, 99 % within {:.1?}; {peak} MiB; SIGTERM took {took:.0?}",
        record.quantile(0.99)
    ))
}

/// One end of a connection, in lines.
struct Client {
    stream: TcpStream,
    decoder: Decoder,
    unread: Vec<u8>,
}

impl Client {
    fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, DEADLINE)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(STEP))?;
        Ok(Self { stream, decoder: Decoder::new(NOTICE_LIMIT), unread: Vec::new() })
    }

    fn send(&mut self, line: &str) -> io::Result<()> {
        self.stream.write_all(format!("{line}\n").as_bytes())
    }

    /// The next message besides pings, which are answered. The server is given up after a while without either: what an
    /// honest player waits for may take long on a busy machine, and has a limit of its own.
    fn next(&mut self) -> Result<Notice> {
        let mut deadline = Instant::now() + DEADLINE;
        loop {
            let mut bytes = &self.unread[..];
            let notice = self.decoder.next(&mut bytes).map(|line| line.map(str::parse::<Notice>));
            let taken = self.unread.len() - bytes.len();
            self.unread.drain(..taken);
            match notice {
                Some(notice) => match notice?? {
                    Notice::Ping => {
                        self.send("pong")?;
                        deadline = Instant::now() + DEADLINE;
                    }
                    Notice::OpponentConnection(_) => {}
                    notice => return Ok(notice),
                },
                None => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    ensure!(!left.is_zero(), "was told nothing for {DEADLINE:?}");
                    self.stream.set_read_timeout(Some(left))?;
                    let mut buffer = [0; 1 << 14];
                    match self.stream.read(&mut buffer) {
                        Ok(0) => return Err(io::Error::from(ErrorKind::UnexpectedEof).into()),
                        Ok(length) => self.unread.extend_from_slice(&buffer[..length]),
                        Err(error) if is_timeout(&error) || error.kind() == ErrorKind::Interrupted => {}
                        Err(error) => return Err(error.into()),
                    }
                }
            }
        }
    }

    /// Waits for a message of this kind.
    fn wait_for<T>(&mut self, what: &str, find: impl Fn(&Notice) -> Option<T>) -> Result<T> {
        loop {
            let notice = self.next().with_context(|| format!("lost its connection before {what}"))?;
            if let Some(found) = find(&notice) {
                return Ok(found);
            }
        }
    }

    /// Logs in with these fields: a name, and a token or nothing to ask for one.
    fn log_in(&mut self, words: &str) -> Result<()> {
        self.send(&format!("login|{words}"))?;
        let answer = self.wait_for("the answer to its login", |notice| match notice {
            Notice::Logged(answer) => Some(*answer),
            _ => None,
        })?;
        ensure!(answer == Answer::Ok, "was refused as `{words}`");
        Ok(())
    }
}

/// Two players who draw the first free line each, to the end of their game, and stay until the server ends.
fn play(server: SocketAddr, comes_back: bool, shared: &Shared, orders: &Orders) -> Result<()> {
    let grid = Grid::new(SIDE, SIDE)?;
    let mut clients = [Client::connect(server)?, Client::connect(server)?];
    let mut tokens = Vec::new();
    for (client, name) in clients.iter_mut().zip(NAMES) {
        client.log_in(&format!("{name}|"))?;
        tokens.push(client.wait_for("its token", |notice| match notice {
            Notice::Token(token) => Some(*token),
            _ => None,
        })?);
        client.send("queue")?;
    }
    let mut sides = Vec::new();
    for client in &mut clients {
        sides.push(client.wait_for("the start", |notice| match notice {
            Notice::StartGame { side, .. } => Some(*side),
            _ => None,
        })?);
    }
    change(shared, |record| record.has_begun = true);
    let turn = |notice: &Notice| match notice {
        Notice::Play(side) => Some(Some(*side)),
        Notice::Winner { .. } => Some(None),
        _ => None,
    };
    let mut mover = clients[0].wait_for("the first turn", turn)?;
    ensure!(clients[1].wait_for("the first turn", turn)? == mover, "was told another turn");
    let edges: Vec<Edge> = grid.all_edges().collect();
    for (place, edge) in edges.iter().enumerate() {
        if orders.is_to_stop() {
            return Ok(());
        }
        thread::park_timeout(PAUSE);
        if comes_back && place == edges.len() / 2 {
            // The first player loses its connection in the middle, and comes back with its token.
            clients[0] = Client::connect(server)?;
            clients[0].log_in(&format!("{}|{}", NAMES[0], tokens[0]))?;
            let resumed = clients[0].wait_for("its game", |notice| match notice {
                Notice::ResumeGame(game) => Some(game.clone()),
                _ => None,
            })?;
            ensure!(resumed.lines.len() == place, "{} of {place} lines are left", resumed.lines.len());
            ensure!(Some(resumed.mover) == mover, "was told another turn");
        }
        let side: Side = mover.context("was told of the end before the last line")?;
        let own = sides.iter().position(|own| *own == side).context("both have one side")?;
        let (one, other) = edge.dots();
        let since = Instant::now();
        change(shared, |record| record.asked += 1);
        clients[own].send(&format!("line_coords|{one}|{other}")).context("cannot send")?;
        let mut told = Vec::new();
        for client in &mut clients {
            let drawn = client.wait_for("the answer to a move", |notice| match notice {
                Notice::DrawCoords(one, other) => Some((*one, *other)),
                _ => None,
            })?;
            ensure!(drawn == (one, other), "was told of another line");
            told.push(client.wait_for("the next turn", turn)?);
        }
        ensure!(told[0] == told[1], "was told another turn");
        mover = told[0];
        change(shared, |record| {
            record.answered += 1;
            record.delays.push(since.elapsed());
        });
    }
    ensure!(mover.is_none(), "was told of no end");
    change(shared, |record| record.is_over = true);
    for client in &mut clients {
        client
            .wait_for("the end of the server", |notice| (*notice == Notice::ServerShutdown).then_some(()))?;
    }
    Ok(())
}

/// The honest players.
const NAMES: [&str; 2] = ["Ada", "Bob"];

/// A connection of a client that has logged in under a random name.
fn stranger(target: &Target, work: &mut Work) -> io::Result<TcpStream> {
    let mut client = work.connected(Client::connect(target.players))?;
    client.send(&format!("login|x{}", work.chance.below(u32::MAX)))?;
    Ok(client.stream)
}

/// Requests that need an answer and begin no game.
const REQUESTS: &str = "line_coords|0|1\nline_coords|1|15\nleave_queue\nleave_game\nlogin|Ada\npong\n";

/// Asks over and over, and reads all that comes.
fn flood(target: &Target, work: &mut Work) -> io::Result<()> {
    let stream = stranger(target, work)?;
    let reader = drain(stream.try_clone()?);
    let result = repeat(&stream, REQUESTS.repeat(50).as_bytes(), work);
    let _ = stream.shutdown(std::net::Shutdown::Both);
    let _ = reader.join();
    result
}

fn deaf(target: &Target, work: &mut Work) -> io::Result<()> {
    let stream = stranger(target, work)?;
    repeat(&stream, REQUESTS.repeat(50).as_bytes(), work)
}

fn repeat(stream: &TcpStream, bytes: &[u8], work: &mut Work) -> io::Result<()> {
    while work.goes_on() {
        write(stream, bytes, work)?;
    }
    Ok(())
}

fn empty_lines(target: &Target, work: &mut Work) -> io::Result<()> {
    let stream = stranger(target, work)?;
    repeat(&stream, &b"\0\0\0\0\n\r\n\0\n\n".repeat(1000), work)
}

fn half_lines(target: &Target, work: &mut Work) -> io::Result<()> {
    let mut clients = Vec::new();
    while work.goes_on() && clients.len() < 50 {
        let mut client = work.connected(Client::connect(target.players))?;
        client.stream.write_all([&b""[..], b"log", b"login|Eve"][work.chance.index(3)])?;
        clients.push(client);
    }
    if let Some(last) = clients.last() {
        work.hold(&last.stream);
    }
    Ok(())
}

fn come_and_go(target: &Target, work: &mut Work) -> io::Result<()> {
    while work.goes_on() {
        let client = work.connected(Client::connect(target.players))?;
        if work.chance.happens(0.5) {
            (&client.stream).write_all(b"login|Eve\nqueue\nline_")?;
        }
    }
    Ok(())
}

fn long_lines(target: &Target, work: &mut Work) -> io::Result<()> {
    let stream = if work.chance.happens(0.5) {
        stranger(target, work)?
    } else {
        work.connected(Client::connect(target.players))?.stream
    };
    let mut bytes = vec![b'x'; 1 << 20];
    if work.chance.happens(0.5) {
        bytes.extend(b"\nqueue\n");
    }
    write(&stream, &bytes, work)
}

fn binary(target: &Target, work: &mut Work) -> io::Result<()> {
    let stream = stranger(target, work)?;
    let mut bytes = Vec::new();
    (0..450 * 4).for_each(|_| bytes.push(u8::try_from(work.chance.below(256)).unwrap_or(0)));
    bytes.push(b'\n');
    repeat(&stream, &bytes, work)
}

/// The request of a visitor who wants to play on the page.
fn to_play(site: &Site, name: &str) -> String {
    let body = format!(r#"{{"offer":"play","name":"{name}"}}"#);
    let address = site.address;
    format!(
        "POST /play HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn join_without_a_page(target: &Target, work: &mut Work) -> io::Result<()> {
    while work.goes_on() {
        let request = to_play(&target.page, &format!("x{}", work.chance.below(u32::MAX)));
        let stream = work.connected(TcpStream::connect_timeout(&target.page.address, DEADLINE))?;
        stream.set_write_timeout(Some(STEP))?;
        write(&stream, request.as_bytes(), work)?;
        drain(stream).join().map_err(|_| io::Error::other("the reader panicked"))?;
    }
    Ok(())
}

/// Keeps its end of a connection, also if the server turns it away.
fn crowd(target: &Target, work: &mut Work) -> io::Result<()> {
    let _stream = stranger(target, work)?;
    while work.goes_on() {
        thread::park_timeout(STEP);
    }
    Ok(())
}

fn names(target: &Target, work: &mut Work) -> io::Result<()> {
    while work.goes_on() {
        let mut client = work.connected(Client::connect(target.players))?;
        let raw = table::RAW[work.chance.index(table::RAW.len())];
        let line = match work.chance.below(5) {
            0 => format!("login|a{raw}b"),
            1 => format!("login|Ada|{raw}"),
            2 => format!("{raw}|{raw}"),
            3 => format!("login|x{}\nqueue|{raw}", work.chance.below(u32::MAX)),
            _ => format!("login|{}", "x".repeat(21)),
        };
        client.send(&line)?;
        // Until it is answered.
        match client.next() {
            Ok(_) => {}
            Err(error) => return Err(io::Error::other(error)),
        }
    }
    Ok(())
}

/// Logs in and leaves; in half of all cases after a game with itself in which both have moved.
fn squat(target: &Target, work: &mut Work) -> io::Result<()> {
    while work.goes_on() {
        if work.chance.happens(0.5) {
            stranger(target, work)?;
            continue;
        }
        play_and_leave(target, work)?;
    }
    Ok(())
}

fn collude(target: &Target, work: &mut Work) -> io::Result<()> {
    while work.goes_on() {
        play_and_leave(target, work)?;
    }
    Ok(())
}

/// Two clients log in, wait, try the first two lines, and leave. They may meet others.
fn play_and_leave(target: &Target, work: &mut Work) -> io::Result<()> {
    let mut connect = || work.connected(Client::connect(target.players));
    let mut clients = [connect()?, connect()?];
    for client in &mut clients {
        client.send(&format!("login|x{}\nqueue", work.chance.below(u32::MAX)))?;
    }
    for client in &mut clients {
        loop {
            match client.next().map_err(io::Error::other)? {
                Notice::StartGame { .. } | Notice::Queued(Answer::Error) | Notice::Logged(Answer::Error) => {
                    break;
                }
                _ if !work.goes_on() => return Ok(()),
                _ => {}
            }
        }
    }
    for line in ["line_coords|0|1", "line_coords|1|2", "leave_game"] {
        clients.iter_mut().try_for_each(|client| client.send(line))?;
    }
    Ok(())
}

/// Asks for more than the system can buffer without reading, and then sends a line for which it is expelled.
fn stall(target: &Target, work: &mut Work) -> io::Result<()> {
    let stream = stranger(target, work)?;
    let answers = 5 << 20;
    let requests = answers / "left_queue|error\n".len();
    write(&stream, "leave_queue\n".repeat(requests).as_bytes(), work)?;
    write(&stream, b"nonsense\n", work)?;
    while work.goes_on() {
        thread::park_timeout(STEP);
    }
    Ok(())
}

fn takeover(target: &Target, work: &mut Work) -> io::Result<()> {
    while work.goes_on() {
        let name = NAMES[work.chance.index(NAMES.len())];
        let mut client = work.connected(Client::connect(target.players))?;
        let line = match work.chance.below(4) {
            0 => format!("login|{name}"),
            1 => format!("login| {name} |{}", "0".repeat(32)),
            2 => format!("login|{name}|{:032x}", work.chance.below(u32::MAX)),
            _ => format!("login|{name}\nline_coords|0|1\nleave_game\npong"),
        };
        client.send(&line)?;
        if let Ok(Notice::Logged(Answer::Ok)) = client.next() {
            // The honest players will miss their game.
            client.send("leave_game")?;
        }
    }
    Ok(())
}
