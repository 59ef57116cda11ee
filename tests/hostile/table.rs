//! The table of attacks.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use game_env::replay::{Header, Player};
use game_env::{AgentId, Environment as _, Seed};
use game_project::{RawConfig, State};

use super::attackers::{self, Attacker};
use super::game::{Game, Rules};
use super::peer::{DEADLINE, Peer, exchange};
use super::program::{Ended, Start};
use super::{Attack, Bench, Run};

/// Every attack.
pub const ATTACKS: &[Attack] = &[
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
        name: "pages-of-others",
        what: "a page of another site asks for the feed (no-cors)",
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
        name: "late-lines",
        what: "a replay with moments beyond 2^63 ms is verified, exported and shown",
        stays: "a message that names the line",
        peak_mib: 64,
        run: Run::Own(late_lines),
    },
    Attack {
        name: "direction-marks",
        what: "agents send U+202E, U+2028, ESC and the like wherever the programs may print it",
        stays: "terminals: nothing of it is printed raw",
        peak_mib: 96,
        run: Run::Game { rules: Rules::PLAIN, attackers: &[], meanwhile: direction_marks },
    },
    Attack {
        name: "silent-metrics",
        what: "20 connections to the port for Prometheus say nothing",
        stays: "an answer for Prometheus within two seconds",
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

/// How long the operator's requests may take.
const OPERATOR: Duration = Duration::from_secs(3);

/// The operator may check settings and is answered, whatever else the board does.
fn operator_is_answered(game: &Game) -> Result<String> {
    let asked = Instant::now();
    let page = game.target.board.ask("POST", "/start", OPERATOR).context("the operator's request")?;
    ensure!(page.status == 409, "the operator's POST /start was answered {}", page.status);
    Ok(format!("the operator was answered after {} ms", asked.elapsed().as_millis()))
}

fn delays(game: &Game, share: f64) -> Result<String> {
    game.wait_for_answers(200, DEADLINE)?;
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
    let page = exchange(game.target.metrics, "GET /metrics HTTP/1.1\r\n\r\n", Duration::from_secs(2))?;
    ensure!(page.status == 200, "answered {}", page.status);
    Ok(format!("Prometheus was answered after {} ms", asked.elapsed().as_millis()))
}

/// Characters that a terminal obeys, or that turn the direction of a line.
const RAW: [&str; 6] = ["\u{202e}", "\u{2028}", "\u{2066}", "\u{1b}[2J", "\u{9b}2J", "\u{7}"];

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

fn no_raw(output: &[u8]) -> Result<()> {
    let text = String::from_utf8_lossy(output);
    for raw in RAW {
        if let Some(at) = text.find(raw) {
            let around: String = text[at..].chars().take(40).collect();
            bail!("{raw:?} is printed raw: {around:?}");
        }
    }
    Ok(())
}

/// A program that has to refuse what it is given, by a message and exit code 1 or 2.
fn refused(start: Start, what: &str) -> Result<Ended> {
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
    let state = State::new(&config, seed);
    let players = AgentId::all(state.agents())
        .map(|agent| Player { team: state.team(agent), name: "anybody".to_owned() })
        .collect();
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
