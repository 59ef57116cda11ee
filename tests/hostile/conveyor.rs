//! Attacks on the controller of Conveyor. Beside them an honest board and two honest players play a game.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::attackers::{Attacker, Siege, Work, send_page_requests, silent_peer};
use super::peer::DEADLINE;
use super::{Attack, Bench, Run, table};

/// Every attack on the controller.
pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "conveyor-silent",
        what: "200 silent connections to the port for players, which has 64 places",
        stays: "two players come in, and the game is played to its end",
        peak_mib: PEAK_MIB,
        run: Run::Own(|bench| attacked(bench, &[Attacker { name: "silent", count: 200, act: silent_peer }])),
    },
    Attack {
        name: "conveyor-pages",
        what: "pages of other sites send requests whose bodies have the lines of players",
        stays: "the places of the players, and the game",
        peak_mib: PEAK_MIB,
        run: Run::Own(|bench| attacked(bench, &[Attacker { name: "pages", count: 8, act: post }])),
    },
];

/// Largest resident memory of the controller, in MiB.
const PEAK_MIB: u64 = 64;

/// The time in which the game must be over.
const GAME: Duration = Duration::from_secs(300);

/// Lets attackers at the players' port of a controller before the honest programs come; returns what was seen.
fn attacked(bench: &Bench<'_>, attackers: &[Attacker<SocketAddr>]) -> Result<String> {
    let controller = bench
        .start("reference-gm")
        .args(["conveyor", "controller", "--board-port", "0", "--player-port", "0"])
        .spawn()?;
    let line = controller.wait_for_line("conveyor: boards on ", DEADLINE)?;
    let mut addresses = line.split([' ', ',']).filter_map(|word| word.parse::<SocketAddr>().ok());
    let (Some(boards), Some(players)) = (addresses.next(), addresses.next()) else {
        anyhow::bail!("`{line}` names no ports");
    };
    // The attackers are there first.
    let siege = Siege::start(&players, attackers, bench.seed)?;
    let since = Instant::now();
    let boards = boards.to_string();
    let board = ["conveyor", "board", "--connect", &boards, "--seed", "5"];
    let board = bench.start("reference-gm").args(board).spawn()?;
    let bots = ["kitteh", "supercat"].map(|name| {
        let words =
            ["join", &players.to_string(), "--game", "conveyor", "--strategy", "hints", "--name", name];
        bench.start("bots").args(words).spawn()
    });
    for bot in bots {
        let bot = bot?;
        let ended = bot.wait_for_end(GAME)?;
        let (_, complaint) = bot.output();
        ensure!(ended.success(), "an honest player failed: {}", String::from_utf8_lossy(&complaint));
    }
    let took = since.elapsed();
    let ended = controller.wait_for_end(DEADLINE)?;
    ensure!(ended.success(), "the controller ended with {ended}");
    board.wait_for_end(DEADLINE)?;
    siege.stop()?;
    let (peak, most) = (controller.peak_mib(), bench.attack.peak_mib);
    ensure!(peak <= most, "the controller took {peak} MiB, allowed are {most}");
    let (out, err) = controller.output();
    [out, err].iter().try_for_each(|output| table::no_raw(output))?;
    Ok(format!("an honest game in {took:.1?}; {peak} MiB"))
}

/// Sends the request of a browser for a page of another site, with the lines of a player as its body.
fn post(address: &SocketAddr, work: &mut Work) -> io::Result<()> {
    // When the game is over, nobody listens any more.
    let body = b"\nHAI\nHAI KITTEH\nHAI SUPERCAT\nKITTEH WANT MOVE UP\n";
    send_page_requests(*address, body, work, |answer| answer.contains("UR "))
}
