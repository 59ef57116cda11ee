//! The table of attacks.

use std::fs::File;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use game_env::replay::{Header, Player};
use game_env::{Environment as _, Seed};
use game_project::{RawConfig, State, Team};

use super::attackers::{self, Attacker, Siege};
use super::game::{Game, LONGEST_END, Master, Rules, Server};
use super::peer::{DEADLINE, Peer, STEP, exchange, join, posted};
use super::program::{Ended, Start};
use super::{Attack, Bench, Run};

/// Every attack on the programs of The Project Game, and on files.
pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "unread-log",
        what: "nobody reads what the communication server logs, and invalid messages fill the pipe",
        stays: "honest answers; SIGTERM",
        peak_mib: 96,
        run: Run::Game {
            rules: Rules {
                log_is_unread: true,
                cs: &["--max-log-lines-per-second", "100000"],
                ..Rules::PLAIN
            },
            attackers: &[Attacker { name: "log lines", count: 2, act: attackers::log_lines }],
            meanwhile: |game| {
                game.wait_for_answers(100, DEADLINE)?;
                Ok(String::new())
            },
        },
    },
    Attack {
        name: "slow-downloads",
        what: "100 readers ask for the whole feed and read nothing",
        stays: "honest answers; the operator's requests",
        peak_mib: 192,
        run: Run::Game {
            rules: Rules { team_size: 2, ..Rules::PLAIN },
            attackers: &[
                Attacker { name: "flood of moves", count: 2, act: attackers::flood_moves },
                Attacker { name: "slow downloads", count: 100, act: attackers::slow_download },
            ],
            meanwhile: |game| {
                game.wait_for_answers(300, DEADLINE)?;
                operator_is_answered(game)
            },
        },
    },
    Attack {
        name: "pages-of-others",
        what: "a page of another site asks for the feed (no-cors), and for the metrics by a name of its own",
        stays: "own pages and programs",
        peak_mib: 96,
        run: Run::Game { rules: Rules::PLAIN, attackers: &[], meanwhile: pages_of_others },
    },
    Attack {
        name: "kept-alive",
        what: "300 connections to the board are kept alive by small requests",
        stays: "the operator's requests",
        peak_mib: 128,
        run: Run::Game {
            rules: Rules::PLAIN,
            attackers: &[Attacker { name: "kept alive", count: 300, act: attackers::kept_alive }],
            meanwhile: |game| {
                game.wait_for_answers(100, DEADLINE)?;
                operator_is_answered(game)
            },
        },
    },
    Attack {
        name: "order-given-up",
        what: "POST /stop is sent while the board is full, and its client leaves before it is answered",
        stays: "the game",
        peak_mib: 128,
        run: Run::Game {
            rules: Rules::PLAIN,
            attackers: &[Attacker { name: "kept alive", count: 300, act: attackers::kept_alive }],
            meanwhile: order_given_up,
        },
    },
    Attack {
        name: "visit-before-the-master",
        what: "connect and close on the game master's port while an agent waits",
        stays: "the communication server; the agent's request reaches the game master",
        peak_mib: 96,
        run: Run::Own(visit_before_the_master),
    },
    Attack {
        name: "silent-master",
        what: "a connection that says nothing holds the game master's port, and gets an agent's message",
        stays: "the game master gets its place, and the agents' messages",
        peak_mib: 96,
        run: Run::Own(silent_master),
    },
    Attack {
        name: "strangers-before-the-master",
        what: "300 connections that say nothing are at the game master's port before the game master, and come again as soon \
               as they are closed",
        stays: "the game master gets its place, and the agents' messages",
        peak_mib: 96,
        run: Run::Own(strangers_before_the_master),
    },
    Attack {
        name: "page-before-the-master",
        what: "a page of another site sends requests to the game master's port and to the port for agents, with frames as \
               their bodies, before the game master comes",
        stays: "the game master gets its place; the page gets neither its place nor an agent's",
        peak_mib: 96,
        run: Run::Own(page_before_the_master),
    },
    Attack {
        name: "requests-of-pages",
        what: "pages of other sites send such requests during a game",
        stays: "the game; honest answers",
        peak_mib: 96,
        run: Run::Game {
            rules: Rules::PLAIN,
            attackers: &[Attacker { name: "requests of pages", count: 4, act: attackers::requests_of_pages }],
            meanwhile: |game| {
                game.wait_for_answers(100, DEADLINE)?;
                Ok(String::new())
            },
        },
    },
    Attack {
        name: "ten-flooders",
        what: "ten agents ask without end, as fast as they are read",
        stays: "honest answers",
        peak_mib: 256,
        run: Run::Game {
            rules: Rules { team_size: 6, ..Rules::PLAIN },
            attackers: &[Attacker { name: "flood", count: 10, act: attackers::flood }],
            meanwhile: |game| delays(game, 0.99),
        },
    },
    Attack {
        name: "sigterm-beside-flooders",
        what: "ten agents ask without end, as fast as they are read; the communication server is sent SIGTERM, and in \
               another game the game master",
        stays: "the end of both, in order; honest answers until then",
        peak_mib: 256,
        run: Run::Own(sigterm_beside_flooders),
    },
    Attack {
        name: "repeated-questions",
        what: "one question is asked over and over of an agent that reads slowly",
        stays: "the asked agent",
        peak_mib: 128,
        run: Run::Game {
            // An attacker may be the leader: the requests of the agent that it asks are still to be granted.
            rules: Rules {
                team_size: 3,
                gm: &["--set", "informationExchangePenalty=0", "--set", "leaderBinds=false"],
                ..Rules::PLAIN
            },
            attackers: &[Attacker { name: "questions", count: 2, act: attackers::questions }],
            meanwhile: repeated_questions,
        },
    },
    Attack {
        name: "late-lines",
        what: "a replay with moments beyond 2^63 ms is verified, exported and shown",
        stays: "a message that names the line",
        peak_mib: 64,
        run: Run::Own(late_lines),
    },
    Attack {
        name: "long-replay",
        what: "a small file holds 300,000 actions",
        stays: "`verify` below 128 MiB; `export` and `view` below their limits, or a message",
        peak_mib: 512,
        run: Run::Own(long_replay),
    },
    Attack {
        name: "many-goals",
        what: "a configuration with 8.4 million goals is hosted, and ended by SIGTERM",
        stays: "a message, or an end in order",
        peak_mib: 512,
        run: Run::Own(many_goals),
    },
    Attack {
        name: "direction-marks",
        what: "agents send U+202E, U+2028, ESC and the like wherever the programs may print it",
        stays: "terminals: nothing of it is printed raw",
        peak_mib: 96,
        run: Run::Game { rules: Rules::PLAIN, attackers: &[], meanwhile: direction_marks },
    },
    Attack {
        name: "escapes-in-keys",
        what: "a configuration has keys with ESC in them",
        stays: "terminals: nothing of it is printed raw",
        peak_mib: 64,
        run: Run::Own(escapes_in_keys),
    },
    Attack {
        name: "unknown-keys",
        what: "a configuration has 100,000 unknown keys",
        stays: "a message of at most 64 KiB",
        peak_mib: 192,
        run: Run::Own(unknown_keys),
    },
    Attack {
        name: "killed-master",
        what: "the game master is killed (SIGKILL) in mid-game",
        stays: "the exit code of the communication server says so",
        peak_mib: 96,
        run: Run::Own(killed_master),
    },
    Attack {
        name: "silent-metrics",
        what: "20 connections to the port for Prometheus say nothing",
        stays: "an answer for Prometheus",
        peak_mib: 96,
        run: Run::Game {
            rules: Rules::PLAIN,
            attackers: &[Attacker { name: "silent metrics", count: 20, act: attackers::silent_metrics }],
            meanwhile: |game| {
                game.wait_for_answers(20, DEADLINE)?;
                metrics(game)
            },
        },
    },
    Attack {
        name: "full-disk",
        what: "`export` and `bots --replay` write to a disk that is full",
        stays: "an error, and no file that looks whole or is empty",
        peak_mib: 128,
        run: Run::Own(full_disk),
    },
    Attack {
        name: "cut-off-replay",
        what: "a compressed replay lacks its last 6 bytes",
        stays: "`verify` and `export` show what is there",
        peak_mib: 128,
        run: Run::Own(cut_off_replay),
    },
    Attack {
        name: "endless-configuration",
        what: "--config /dev/zero",
        stays: "a message at once",
        peak_mib: 64,
        run: Run::Own(endless_configuration),
    },
    Attack {
        name: "stray-message",
        what: "a connection sends one valid message that is no request to join, and then nothing",
        stays: "its place is free again after a while",
        peak_mib: 96,
        run: Run::Own(stray_message),
    },
    Attack {
        name: "invalid-messages",
        what: "five agents send what is no message",
        stays: "honest answers",
        peak_mib: 96,
        run: Run::Game {
            rules: Rules::PLAIN,
            attackers: &[Attacker { name: "invalid messages", count: 5, act: attackers::invalid_messages }],
            meanwhile: |game| delays(game, 0.99),
        },
    },
    Attack {
        name: "deaf-flood",
        what: "two agents of the game ask without end and read nothing",
        stays: "honest answers; no memory beyond each one's buffer",
        peak_mib: 192,
        run: Run::Game {
            rules: Rules { team_size: 2, ..Rules::PLAIN },
            attackers: &[Attacker { name: "deaf flood", count: 2, act: attackers::deaf_flood }],
            meanwhile: |game| delays(game, 0.99),
        },
    },
    Attack {
        name: "half-messages",
        what: "connections hold half a message or nothing; others come and go",
        stays: "honest answers",
        peak_mib: 96,
        run: Run::Game {
            rules: Rules::PLAIN,
            attackers: &[
                Attacker { name: "silent agents", count: 4, act: attackers::silent_agents },
                Attacker { name: "come and go", count: 2, act: attackers::come_and_go },
                Attacker { name: "second master", count: 1, act: attackers::second_master },
            ],
            meanwhile: |game| delays(game, 0.99),
        },
    },
    Attack {
        name: "board-noise",
        what: "requests that are none, are too long, or are not granted; viewers that read nothing",
        stays: "honest answers; the operator's requests",
        peak_mib: 128,
        run: Run::Game {
            rules: Rules::PLAIN,
            attackers: &[
                Attacker { name: "board noise", count: 4, act: attackers::board_noise },
                Attacker { name: "deaf viewer", count: 80, act: attackers::deaf_viewer },
            ],
            meanwhile: |game| {
                game.wait_for_answers(200, DEADLINE)?;
                operator_is_answered(game)
            },
        },
    },
];

/// The operator is answered, whatever happens on the board.
fn operator_is_answered(game: &Game) -> Result<String> {
    let asked = Instant::now();
    let page = game.target.board.ask("POST", "/start", DEADLINE).context("the operator's request")?;
    ensure!(page.status == 409, "the operator's POST /start was answered {}", page.status);
    Ok(format!("the operator was answered after {} ms", asked.elapsed().as_millis()))
}

fn delays(game: &Game, share: f64) -> Result<String> {
    game.wait_for_answers(100, DEADLINE)?;
    let slowest = game.honest.iter().map(|agent| agent.record().quantile(share)).max();
    Ok(format!("{:.0} % of honest answers within {:.1?}", share * 100.0, slowest.unwrap_or_default()))
}

fn pages_of_others(game: &Game) -> Result<String> {
    let board = &game.target.board;
    let close = "Connection: close\r\n";
    for headers in
        ["Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: same-site\r\n", "Origin: http://evil.example\r\n"]
    {
        let request = board.request("GET", "/feed.json", &format!("{headers}{close}"));
        let page = board.exchange(&request, DEADLINE)?;
        ensure!(page.status == 403, "GET /feed.json with {} was answered {}", headers.trim(), page.status);
    }
    for headers in ["", "Sec-Fetch-Site: same-origin\r\n", "Sec-Fetch-Site: none\r\n"] {
        let request = board.request("GET", "/feed.json", &format!("{headers}{close}"));
        let page = board.exchange(&request, DEADLINE)?;
        ensure!(page.status == 200, "GET /feed.json with {} was answered {}", headers.trim(), page.status);
    }
    for address in [board.address, game.target.metrics] {
        let request = format!("GET / HTTP/1.1\r\nHost: evil.example:{}\r\n{close}\r\n", address.port());
        let page = exchange(address, &request, DEADLINE)?;
        ensure!(page.status == 403, "GET / with the host evil.example was answered {}", page.status);
    }
    Ok(String::new())
}

fn order_given_up(game: &Game) -> Result<String> {
    game.wait_for_answers(50, DEADLINE)?;
    let board = &game.target.board;
    let bearer = format!("Authorization: Bearer {}\r\n", board.token);
    // As many as may wait to be accepted.
    for _ in 0..20 {
        let mut peer = Peer::connect(board.address)?;
        // A request of which the body is missing: it is asked for, and its client goes.
        let head =
            format!("POST /stop HTTP/1.1\r\nHost: {}\r\n{bearer}Content-Length: 1\r\n\r\n", board.address);
        peer.send_bytes(head.as_bytes())?;
    }
    game.wait_for_answers(200, DEADLINE)?;
    operator_is_answered(game)
}

fn metrics(game: &Game) -> Result<String> {
    let asked = Instant::now();
    metric(game.target.metrics, "cs_agents")?;
    Ok(format!("Prometheus was answered after {} ms", asked.elapsed().as_millis()))
}

/// A figure of the communication server, which has to answer.
fn metric(address: SocketAddr, name: &str) -> Result<u64> {
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\n\r\n");
    let page = exchange(address, &request, DEADLINE)?;
    ensure!(page.status == 200, "answered {}", page.status);
    let text = String::from_utf8(page.body)?;
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    Ok(value.with_context(|| format!("no `{name}` in {text}"))?.parse()?)
}

fn visit_before_the_master(bench: &Bench<'_>) -> Result<String> {
    let server = Server::start(bench.programs, bench.address_space_mib(), &Rules::PLAIN)?;
    let mut agent = Peer::connect(server.agents)?;
    agent.send(&join(Team::Red))?;
    for _ in 0..5 {
        drop(Peer::connect(server.gm)?);
    }
    let mut loud = Peer::connect(server.gm)?;
    loud.send_bytes(b"GET / HTTP/1.1\r\n\r\n")?;
    drop(loud);
    let master = Master::start(bench.programs, bench.address_space_mib(), server.gm, &[])?;
    agent.wait_for(107).context("the agent that waited is not answered")?;
    bench.end_of(&[&server.program, &master.program])?;
    let (code, _) = master.program.terminate(LONGEST_END)?;
    ensure!(code == Some(0), "the game master ended with {code:?}");
    Ok(String::new())
}

fn silent_master(bench: &Bench<'_>) -> Result<String> {
    let rules = Rules { cs: &["--gm-answer-ms", "300"], ..Rules::PLAIN };
    let server = Server::start(bench.programs, bench.address_space_mib(), &rules)?;
    let silent = Peer::connect(server.gm)?;
    let mut agent = Peer::connect(server.agents)?;
    agent.send(&join(Team::Red))?;
    let master = Master::start(bench.programs, bench.address_space_mib(), server.gm, &[])?;
    agent.wait_for(107).context("the agent is not answered")?;
    drop(silent);
    bench.end_of(&[&server.program, &master.program])?;
    let (code, _) = master.program.terminate(LONGEST_END)?;
    ensure!(code == Some(0), "the game master ended with {code:?}");
    Ok(String::new())
}

fn strangers_before_the_master(bench: &Bench<'_>) -> Result<String> {
    /// As many connections as the server lets in, and the agent.
    const LET_IN: u64 = 257;
    let server = Server::start(bench.programs, bench.address_space_mib(), &Rules::PLAIN)?;
    let strangers = Attacker { name: "silent strangers", count: 300, act: attackers::silent_peer };
    let siege = Siege::start(&server.gm, &[strangers], bench.seed)?;
    let mut agent = Peer::connect(server.agents)?;
    let deadline = Instant::now() + DEADLINE;
    while metric(server.metrics, "cs_connections_admitted_total")? < LET_IN {
        ensure!(Instant::now() < deadline, "the strangers are not let in");
        std::thread::park_timeout(STEP / 20);
    }
    let master = Master::start(bench.programs, bench.address_space_mib(), server.gm, &[])?;
    let asked = Instant::now();
    agent.send(&join(Team::Red))?;
    agent.wait_for(107).context("the agent is not answered")?;
    let took = asked.elapsed();
    bench.end_of(&[&server.program, &master.program])?;
    let (code, _) = master.program.terminate(LONGEST_END)?;
    ensure!(code == Some(0), "the game master ended with {code:?}");
    siege.stop()?;
    Ok(format!("the agent was answered after {took:.1?}"))
}

fn page_before_the_master(bench: &Bench<'_>) -> Result<String> {
    let server = Server::start(bench.programs, bench.address_space_mib(), &Rules::PLAIN)?;
    let mut agent = Peer::connect(server.agents)?;
    agent.send(&join(Team::Red))?;
    let answer = r#"{"messageID":107,"agentID":1,"payload":{"agentID":1,"accepted":true}}"#;
    for (address, bodies) in
        [(server.gm, [answer, answer]), (server.agents, [&join(Team::Red), &join(Team::Blue)])]
    {
        let mut page = Peer::connect(address)?;
        // It may be closed before everything is written.
        let _ = page.send_bytes(&posted(address, &bodies));
        ensure!(
            page.is_closed_by(Instant::now() + DEADLINE),
            "the page's request to {address} is not refused"
        );
    }
    ensure!(agent.read(Instant::now())?.is_none(), "the page has answered an agent");
    let master = Master::start(bench.programs, bench.address_space_mib(), server.gm, &[])?;
    agent.wait_for(107).context("the agent is not answered")?;
    let passed_on = metric(server.metrics, "cs_messages_to_gm_total")?;
    ensure!(passed_on == 1, "{passed_on} messages of agents were passed on: the page has become an agent");
    bench.end_of(&[&server.program, &master.program])?;
    let (code, _) = master.program.terminate(LONGEST_END)?;
    ensure!(code == Some(0), "the game master ended with {code:?}");
    Ok(String::new())
}

fn sigterm_beside_flooders(bench: &Bench<'_>) -> Result<String> {
    let rules = Rules { team_size: 6, ..Rules::PLAIN };
    let flooders = [Attacker { name: "flood", count: 10, act: attackers::flood }];
    let end = |at: fn(&Game) -> Result<Duration>| {
        let game = Game::start(bench.programs, bench.address_space_mib(), &rules)?;
        let siege = Siege::start(&game.target, &flooders, bench.seed)?;
        game.wait_until_begun()?;
        game.wait_for_answers(20, DEADLINE)?;
        bench.end_of(&[&game.server.program, &game.master.program])?;
        let took = at(&game)?;
        siege.stop()?;
        anyhow::Ok(took)
    };
    let server = end(|game| {
        game.honest.iter().try_for_each(|agent| agent.rest(DEADLINE))?;
        let (code, took) = game.server.program.terminate(LONGEST_END)?;
        ensure!(code == Some(0), "the communication server ended with {code:?}");
        Ok(took)
    })
    .context("SIGTERM to the communication server")?;
    let master = end(|game| Ok(game.end()?.master)).context("SIGTERM to the game master")?;
    Ok(format!("SIGTERM took {server:.2?} at the communication server, {master:.2?} at the game master"))
}

fn repeated_questions(game: &Game) -> Result<String> {
    // They take the last places, and read nothing for a while.
    let [mut asked, mut other] = [Peer::connect(game.target.agents)?, Peer::connect(game.target.agents)?];
    asked.send(&join(Team::Red))?;
    other.send(&join(Team::Blue))?;
    game.wait_until_begun()?;
    game.wait_for_answers(300, DEADLINE)?;
    for agent in [&mut asked, &mut other] {
        agent.wait_for(105).context("an agent that reads slowly was dropped")?;
        agent.send(r#"{"messageID":3,"agentID":0,"payload":{},"correlationID":"mine"}"#)?;
        agent.wait_for(103).context("an agent that reads slowly was dropped")?;
    }
    Ok(String::new())
}

fn killed_master(bench: &Bench<'_>) -> Result<String> {
    let game = Game::start(bench.programs, bench.address_space_mib(), &Rules::PLAIN)?;
    game.wait_until_begun()?;
    game.wait_for_answers(20, DEADLINE)?;
    game.master.program.kill();
    let status = game.server.program.wait_for_end(DEADLINE)?;
    ensure!(status.code() == Some(3), "the communication server ended with {status}");
    Ok(String::new())
}

fn stray_message(bench: &Bench<'_>) -> Result<String> {
    let rules = Rules { cs: &["--first-message-ms", "300"], ..Rules::PLAIN };
    let game = Game::start(bench.programs, bench.address_space_mib(), &rules)?;
    game.wait_until_begun()?;
    let mut stray = Peer::connect(game.target.agents)?;
    stray.send(r#"{"messageID":3,"agentID":0,"payload":{}}"#)?;
    ensure!(stray.is_closed_by(Instant::now() + DEADLINE), "it keeps its place");
    game.wait_for_answers(20, DEADLINE)?;
    bench.end_of(&[&game.server.program, &game.master.program])?;
    game.end()?;
    Ok(String::new())
}

/// Characters that a terminal obeys, or that turn the direction of a line.
pub(super) const RAW: [&str; 6] = ["\u{202e}", "\u{2028}", "\u{2066}", "\u{1b}[2J", "\u{9b}2J", "\u{7}"];

fn direction_marks(game: &Game) -> Result<String> {
    let mut agent = Peer::connect(game.target.agents)?;
    for raw in RAW {
        agent.send(&format!(r#"{{"messageID":6,"agentID":0,"payload":{{"teamID":"{raw}"}}}}"#))?;
        agent
            .send(&format!(r#"{{"messageID":7,"agentID":0,"payload":{{"direction":"{raw}","{raw}":1}}}}"#))?;
        agent.send(&format!(r#"{{"messageID":"{raw}","agentID":0}}"#))?;
        agent.send(&format!(r#"{{"{raw}messageID":{raw}}}"#))?;
        agent.send(&format!(r#"{{"messageID":55,"agentID":"{raw}","payload":["{raw}"]}}"#))?;
    }
    game.wait_for_answers(50, DEADLINE)?;
    for program in [&game.server.program, &game.master.program] {
        let (out, err) = program.output();
        no_raw(&out)?;
        no_raw(&err)?;
    }
    Ok(String::new())
}

/// Nothing of [`RAW`] is in an output.
pub(super) fn no_raw(output: &[u8]) -> Result<()> {
    let text = String::from_utf8_lossy(output);
    for raw in RAW {
        if let Some(at) = text.find(raw) {
            let around: String = text[at..].chars().take(40).collect();
            bail!("{raw:?} is printed raw: {around:?}");
        }
    }
    Ok(())
}

/// A program that has to refuse its input, by a message and exit code 1 or 2.
pub(super) fn refused(start: Start, what: &str) -> Result<Ended> {
    let ended = start.run(DEADLINE).with_context(|| what.to_owned())?;
    let said = || ended.complaint().chars().take(300).collect::<String>();
    ensure!(matches!(ended.code, Some(1 | 2)), "{what} ended with {:?}: {}", ended.code, said());
    ensure!(ended.stdout.len() + ended.stderr.len() > 10, "{what} does not say why");
    ensure!(!ended.complaint().contains("panicked"), "{what} panicked: {}", said());
    Ok(ended)
}

fn configuration(folder: &Path, text: &str) -> Result<String> {
    let path = folder.join("config.json");
    File::create(&path)?.write_all(text.as_bytes())?;
    Ok(path.display().to_string())
}

/// Every program that takes a configuration file, with this one.
fn with_configuration(bench: &Bench<'_>, path: &str) -> [(&'static str, Start); 3] {
    [
        ("cs", bench.start("cs").args(["--config", path])),
        ("reference-gm config", bench.start("reference-gm").args(["config", "--config", path])),
        ("bots", bench.start("bots").args(["--virtual", "--config", path])),
    ]
}

fn escapes_in_keys(bench: &Bench<'_>) -> Result<String> {
    let key = RAW.map(|raw| raw.replace('\u{1b}', "\\u001b").replace('\u{7}', "\\u0007")).concat();
    let path = configuration(bench.folder, &format!(r#"{{"a{key}": "b{key}"}}"#))?;
    for (name, start) in with_configuration(bench, &path) {
        let ended = refused(start, name)?;
        bench.check(&ended)?;
        no_raw(&ended.stdout).and_then(|()| no_raw(&ended.stderr)).with_context(|| name.to_owned())?;
    }
    Ok(String::new())
}

fn unknown_keys(bench: &Bench<'_>) -> Result<String> {
    let keys: Vec<String> = (0..100_000).map(|number| format!("\"board{number}\": 1")).collect();
    let path = configuration(bench.folder, &format!("{{{}}}", keys.join(",")))?;
    let mut longest = 0;
    for (name, start) in with_configuration(bench, &path) {
        let ended = refused(start, name)?;
        bench.check(&ended)?;
        let length = ended.stdout.len() + ended.stderr.len();
        ensure!(length <= 64 << 10, "{name} says {length} bytes");
        longest = longest.max(length);
    }
    Ok(format!("at most {longest} bytes of messages"))
}

fn endless_configuration(bench: &Bench<'_>) -> Result<String> {
    let mut slowest = Duration::ZERO;
    for (name, start) in with_configuration(bench, "/dev/zero") {
        let ended = refused(start, name)?;
        bench.check(&ended)?;
        slowest = slowest.max(ended.took);
    }
    Ok(format!("at most {} ms", slowest.as_millis()))
}

/// The header of a replay of a small game without penalties, as a line.
fn header() -> Result<String> {
    let raw = RawConfig {
        board_x: 8,
        board_y: 12,
        goal_area_height: 2,
        number_of_goals: 3,
        move_penalty: 0,
        discovery_penalty: 0,
        ..RawConfig::default()
    };
    let config = raw.check().map_err(|error| anyhow::anyhow!("{error}"))?;
    let seed = Seed::new(7);
    let players = Player::all(&State::new(&config, seed), |_| "anybody");
    Ok(serde_json::to_string(&Header::new::<State>(&config, seed, players, "tests"))? + "\n")
}

/// The three commands that read a replay.
fn with_replay(bench: &Bench<'_>, path: &str) -> [(&'static str, Start); 3] {
    let html = bench.folder.join("out.html").display().to_string();
    let gm = || bench.start("reference-gm");
    [
        ("verify", gm().args(["verify", path])),
        ("export", gm().args(["export", path, "--html", &html])),
        ("view", gm().args(["view", path])),
    ]
}

fn late_lines(bench: &Bench<'_>) -> Result<String> {
    for moment in [1_u64 << 63, u64::MAX - 1, u64::MAX] {
        let text = header()?
            + &format!(
                "{{\"t\":5,\"a\":0,\"do\":\"discover\"}}\n{{\"t\":{moment},\"a\":0,\"do\":\"discover\"}}\n"
            );
        let path = configuration(bench.folder, &text)?;
        for (name, start) in with_replay(bench, &path) {
            let ended = refused(start, &format!("{name} with t = {moment}"))?;
            bench.check(&ended)?;
        }
    }
    Ok(String::new())
}

fn long_replay(bench: &Bench<'_>) -> Result<String> {
    let path = bench.folder.join("long.replay");
    let mut file = zstd::stream::write::Encoder::new(File::create(&path)?, 3)?;
    file.write_all(header()?.as_bytes())?;
    for moment in 0..300_000 {
        writeln!(file, "{{\"t\":{},\"a\":0,\"do\":\"discover\"}}", moment / 1000)?;
    }
    file.finish()?.sync_all()?;
    let path = path.display().to_string();
    let mut seen = Vec::new();
    for (name, start) in with_replay(bench, &path) {
        let most = if name == "verify" { 128 } else { bench.attack.peak_mib };
        let program = start.address_space(2048);
        let (peak, took) = if name == "view" {
            let began = Instant::now();
            let program = program.spawn()?;
            // Either it shows the replay, or it ends with a message.
            let shown = program
                .wait_for_line("the game page is at ", DEADLINE)
                .or_else(|_| program.wait_for_line("error: ", STEP));
            let peak = program.peak_mib();
            ensure!(shown.is_ok() || !program.runs(), "view neither shows anything nor ends");
            if let Ok(status) = program.wait_for_end(STEP) {
                ensure!(status.code() == Some(1), "view ended with {status}");
            } else {
                program.terminate(LONGEST_END)?;
            }
            (peak, began.elapsed())
        } else {
            let ended = program.run(DEADLINE * 2).with_context(|| name.to_owned())?;
            ensure!(
                matches!(ended.code, Some(0 | 1)),
                "{name} ended with {:?}: {}",
                ended.code,
                ended.complaint()
            );
            (ended.peak_mib, ended.took)
        };
        ensure!(peak <= most, "{name} took {peak} MiB, allowed are {most}");
        seen.push(format!("{name} {peak} MiB, {} ms", took.as_millis()));
    }
    Ok(seen.join("; "))
}

fn many_goals(bench: &Bench<'_>) -> Result<String> {
    let sets = ["boardX=4096", "boardY=4096", "goalAreaHeight=2047", "numberOfGoals=8384512", "teamSize=1"];
    let sets: Vec<&str> = sets.into_iter().flat_map(|pair| ["--set", pair]).collect();
    let ended = bench.start("reference-gm").args(["config"]).args(&sets).run(DEADLINE)?;
    if ended.code != Some(0) {
        refused(bench.start("reference-gm").args(["config"]).args(&sets), "config")?;
        return Ok("the configuration is refused".to_owned());
    }
    // Allowed: then it has to start and end in proportion. First in the lobby, then in every phase of the start.
    let mut slowest = Duration::ZERO;
    for pause in [0_u64, 50, 500] {
        let server = Server::start(bench.programs, bench.address_space_mib(), &Rules::PLAIN)?;
        let words = sets.iter().chain(&["--start-when-full"]);
        let words: Vec<String> = words.map(|word| (*word).to_owned()).collect();
        let master = Master::start(bench.programs, bench.address_space_mib(), server.gm, &words)?;
        let mut agents = [Peer::connect(server.agents)?, Peer::connect(server.agents)?];
        for (agent, team) in agents.iter_mut().zip(Team::ALL) {
            agent.join(team)?;
        }
        agents[0].read(Instant::now() + Duration::from_millis(pause)).ok();
        let (code, took) = master.program.terminate(LONGEST_END)?;
        ensure!(code == Some(0), "after {pause} ms, the game master ended with {code:?}");
        slowest = slowest.max(took);
        ensure!(master.program.peak_mib() <= bench.attack.peak_mib, "{} MiB", master.program.peak_mib());
    }
    Ok(format!("SIGTERM took at most {} ms", slowest.as_millis()))
}

/// A replay of a short game, as the programs write it.
fn short_replay(bench: &Bench<'_>) -> Result<String> {
    let path = bench.folder.join("short.replay").display().to_string();
    let words = ["--virtual", "--seed", "3", "--preset", "quick", "--replay", &path];
    let ended = bench.start("bots").args(words).run(DEADLINE)?;
    ensure!(ended.code == Some(0), "bots: {}", ended.complaint());
    Ok(path)
}

fn full_disk(bench: &Bench<'_>) -> Result<String> {
    let replay = short_replay(bench)?;
    let out = bench.folder.join("full.out");
    let path = out.display().to_string();
    let gm = || bench.start("reference-gm").file_size(1);
    let long = ["--virtual", "--seed", "3", "--preset", "quick", "--replay", &path];
    for (name, start) in [
        ("export --html", gm().args(["export", &replay, "--html", &path])),
        ("export --feed", gm().args(["export", &replay, "--feed", &path])),
        ("bots --replay", bench.start("bots").file_size(1).args(long)),
    ] {
        let ended = refused(start, name)?;
        bench.check(&ended)?;
        let left = std::fs::metadata(&out).map(|about| about.len()).ok();
        ensure!(left != Some(0), "{name} leaves an empty file");
        if name != "bots --replay" {
            ensure!(left.is_none(), "{name} leaves {left:?} bytes of a file");
        }
        let _ = std::fs::remove_file(&out);
    }
    Ok(String::new())
}

fn cut_off_replay(bench: &Bench<'_>) -> Result<String> {
    let replay = short_replay(bench)?;
    let mut bytes = std::fs::read(&replay)?;
    bytes.truncate(bytes.len() - 6);
    std::fs::write(&replay, bytes)?;
    let html = bench.folder.join("cut.html").display().to_string();
    let ended = bench.start("reference-gm").args(["export", &replay, "--html", &html]).run(DEADLINE)?;
    bench.check(&ended)?;
    ensure!(ended.code == Some(0), "export ended with {:?}: {}", ended.code, ended.complaint());
    let page = std::fs::read_to_string(&html)?;
    ensure!(page.matches("\"move\"").count() + page.matches("moved").count() > 50, "the page shows nothing");
    Ok(String::new())
}
