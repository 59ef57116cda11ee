//! Attacks on the server of Eriantys. Beside them honest bots play match after match.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

use super::attackers::{Attacker, Siege, Work, drain, send_page_requests, write};
use super::game::LONGEST_END;
use super::peer::{DEADLINE, STEP};
use super::program::Program;
use super::{Attack, Bench, Run, comes_to_rest, table};

/// Every attack on the server.
pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "eriantys-squatters",
        what: "clients begin matches without end and leave them before, and after, everybody has acted; the server has 40 places",
        stays: "others open, play and end matches; SIGTERM",
        peak_mib: PEAK_MIB,
        run: Run::Own(|bench| {
            let words = ["--max-matches", "40", "--max-idle-matches-per-address", "30"];
            attacked(bench, &words, &[Attacker { name: "squatters", count: 6, act: squat }])
        }),
    },
    Attack {
        name: "eriantys-pages",
        what: "pages of other sites send requests whose bodies have the lines of a client",
        stays: "the matches of others; nobody opens a match by a request",
        peak_mib: PEAK_MIB,
        run: Run::Own(|bench| attacked(bench, &[], &[Attacker { name: "pages", count: 6, act: post }])),
    },
    Attack {
        name: "eriantys-noise",
        what: "lines that are no messages, long lines and binary bytes, before and after the login",
        stays: "the matches of others; SIGTERM",
        peak_mib: PEAK_MIB,
        run: Run::Own(|bench| attacked(bench, &[], &[Attacker { name: "noise", count: 6, act: noise }])),
    },
    Attack {
        name: "eriantys-silent",
        what: "300 silent connections to a server with 100 places",
        stays: "others come in and play",
        peak_mib: PEAK_MIB,
        run: Run::Own(|bench| {
            let words = ["--max-connections", "100", "--max-connections-per-address", "100"];
            attacked(
                bench,
                &words,
                &[Attacker { name: "silent", count: 300, act: super::attackers::silent_peer }],
            )
        }),
    },
];

/// Largest resident memory of the server, in MiB.
const PEAK_MIB: u64 = 96;

/// The time in which two honest bots must have played their match. On a busy machine they are slow.
const MATCH: Duration = Duration::from_secs(450);

/// The name of attackers, which must never appear in a match that a page has opened.
const MALLORY: &str = "Mallory";

/// Lets attackers at a server on which two honest bots play; returns what was seen.
fn attacked(bench: &Bench<'_>, words: &[&str], attackers: &[Attacker<SocketAddr>]) -> Result<String> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().display().to_string();
    let server = bench
        .start("reference-gm")
        .args(["eriantys", "serve", "--port", "0", "--page", "", "--folder", &path, "--seed", "7"])
        .args(words)
        .spawn()?;
    let line = server.wait_for_line("eriantys: players on ", DEADLINE)?;
    let address = line.trim_start_matches("eriantys: players on ").split(',').next().unwrap_or_default();
    let address: SocketAddr = address.parse()?;
    let before = server.usage()?;
    let siege = Siege::start(&address, attackers, bench.seed)?;
    let since = Instant::now();
    let bots = ["Ada", "Bob"].map(|name| {
        let (server, players) = (address.to_string(), "players=2");
        let words =
            ["join", &server, "--game", "eriantys", "--strategy", "random", "--name", name, "--set", players];
        bench.start("bots").args(words).spawn()
    });
    let bots = bots.into_iter().collect::<Result<Vec<_>>>()?;
    let journal = folder.path().join("journal");
    for bot in &bots {
        let ended = wait_for_end(bot, since + MATCH, &journal).with_context(|| words_of(&bots))?;
        ensure!(ended.success(), "an honest bot failed: {}", words_of(&bots));
    }
    let took = since.elapsed();
    let peak = bench.end_of(&[&server])?;
    siege.stop()?;
    comes_to_rest(&server, before.descriptors, bench.attack.peak_mib * 1024).context("after the attack")?;
    let siege = Siege::start(&address, attackers, bench.seed)?;
    let (code, stopping) = server.terminate(LONGEST_END)?;
    siege.stop()?;
    ensure!(code == Some(0), "the server ended with {code:?}");
    let (out, err) = server.output();
    [out, err].iter().try_for_each(|output| table::no_raw(output))?;
    let journal = std::fs::read_to_string(journal)?;
    ensure!(!journal.contains(MALLORY), "a request of a page has joined a match");
    // The files that the attackers have left are no obstacle for the next server.
    let next = bench
        .start("reference-gm")
        .args(["eriantys", "serve", "--port", "0", "--page", "", "--folder", &path])
        .spawn()?;
    next.wait_for_line("eriantys: players on ", DEADLINE)?;
    next.terminate(LONGEST_END)?;
    Ok(format!("an honest match in {took:.1?}; {peak} MiB; SIGTERM took {stopping:.0?}"))
}

/// Waits for the end of a bot, as long as the journal of the server grows.
fn wait_for_end(bot: &Program, latest: Instant, journal: &Path) -> Result<ExitStatus> {
    loop {
        let before = std::fs::metadata(journal)?.len();
        let ended = bot.wait_for_end(DEADLINE);
        if ended.is_ok() || Instant::now() > latest || std::fs::metadata(journal)?.len() == before {
            return ended;
        }
    }
}

/// The messages of the honest bots: each may say why another one waits.
fn words_of(bots: &[Program]) -> String {
    let words = bots.iter().map(|bot| String::from_utf8_lossy(&bot.output().1).into_owned());
    words.collect()
}

/// A client that reads all messages to it, until the other end closes.
struct Client {
    stream: TcpStream,
    heard: String,
}

impl Client {
    fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect_timeout(&address, DEADLINE)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(STEP))?;
        Ok(Self { stream, heard: String::new() })
    }

    fn send(&mut self, line: &str) -> io::Result<()> {
        self.heard.clear();
        self.stream.write_all(format!("{line}\n").as_bytes())
    }

    /// Waits for a message with one of these types, and returns the place of the one that has come.
    fn wait_for(&mut self, types: &[&str], work: &Work) -> io::Result<usize> {
        let mut buffer = [0; 1 << 14];
        while work.goes_on() {
            let found = types.iter().position(|name| self.heard.contains(&format!("\"type\":\"{name}\"")));
            if let Some(found) = found {
                return Ok(found);
            }
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(length) => self.heard.push_str(&String::from_utf8_lossy(&buffer[..length])),
                Err(error) if super::peer::is_timeout(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::ErrorKind::Interrupted.into())
    }

    /// Answers the login; `enter` is the line that chooses the match.
    fn log_in(&mut self, enter: &str, place: usize, work: &Work) -> io::Result<()> {
        self.send(enter)?;
        if self.wait_for(&["RequestNickname", "ErrorMessage"], work)? == 1 {
            return Err(io::Error::other("refused"));
        }
        self.send(&format!(r#"{{"type":"LoginNickname","nickname":"x{place}"}}"#))?;
        self.wait_for(&["LoginTowerColorOptions"], work)?;
        self.send(&format!(r#"{{"type":"LoginTowerColor","color":"{}"}}"#, ["white", "black"][place]))?;
        self.wait_for(&["LoginWizardFamilyOptions"], work)?;
        self.send(&format!(r#"{{"type":"LoginWizardFamily","family":"{}"}}"#, ["druid", "king"][place]))
    }
}

/// Begins a match with itself, and leaves it: in half of all cases after both players have acted.
fn squat(address: &SocketAddr, work: &mut Work) -> io::Result<()> {
    while work.goes_on() {
        let mut clients =
            [work.connected(Client::connect(*address))?, work.connected(Client::connect(*address))?];
        // Of another kind than those of the honest players, who would be admitted as well.
        clients[0].log_in(r#"{"type":"LoginNewMatch","players":2,"rules":"expert"}"#, 0, work)?;
        clients[0].wait_for(&["LoginReply"], work)?;
        let number = clients[0].heard.split("\"match\":").nth(1).unwrap_or_default();
        let number: String = number.chars().take_while(char::is_ascii_digit).collect();
        clients[1].log_in(&format!(r#"{{"type":"LoginJoinMatch","match":{number}}}"#), 1, work)?;
        clients[1].wait_for(&["TableUpdate"], work)?;
        if work.chance.happens(0.5) {
            // Only one of the two is asked at first.
            for card in [1, 2, 3] {
                for client in &mut clients {
                    client.send(&format!(r#"{{"type":"PlayHelperCard","card":{card}}}"#))?;
                }
            }
        }
    }
    Ok(())
}

/// Sends the request of a browser for a page of another site, with the lines of a client as its body.
fn post(address: &SocketAddr, work: &mut Work) -> io::Result<()> {
    let lines = [
        r#"{"type":"LoginNewMatch","players":2,"rules":"simple"}"#,
        &format!(r#"{{"type":"LoginNickname","nickname":"{MALLORY}"}}"#),
        r#"{"type":"LoginTowerColor","color":"white"}"#,
        r#"{"type":"LoginWizardFamily","family":"druid"}"#,
    ];
    let body = format!("\n{}\n", lines.join("\n"));
    send_page_requests(*address, body.as_bytes(), work, |answer| answer.contains("RequestNickname"))
}

fn noise(address: &SocketAddr, work: &mut Work) -> io::Result<()> {
    let stream = work.connected(TcpStream::connect_timeout(address, DEADLINE))?;
    let reader = drain(stream.try_clone()?);
    let mut bytes = Vec::new();
    if work.chance.happens(0.5) {
        bytes.extend(b"{\"type\":\"LoginNewMatch\",\"players\":2,\"rules\":\"expert\"}\n");
    }
    match work.chance.below(3) {
        0 => bytes.extend(vec![b'x'; 1 << 20]),
        1 => bytes.extend((0..4000).map(|_| u8::try_from(work.chance.below(256)).unwrap_or(0))),
        _ => bytes.extend(b"{\"type\":\"Pong\"}\n".repeat(500)),
    }
    bytes.push(b'\n');
    let result = write(&stream, &bytes, work);
    let _ = stream.shutdown(std::net::Shutdown::Both);
    let _ = reader.join();
    result
}
