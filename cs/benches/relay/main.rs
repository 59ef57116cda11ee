//! Round trips per second of the communication server, compared with a raw echo server, which is the limit of the
//! machine, and with a plain byte proxy, which is a relay that reads nothing.
//!
//! A round trip is agent, server, game master, server, agent; with the echo server it is one hop and back. Each
//! server is a process of its own on one core; agents and game master are this process on another core. All servers
//! are measured in turns, in short rounds, so the ratios hold on a busy machine.
//!
//! A separate table shows how an honest agent is affected by others that send without limit.
//!
//! `cargo xtask bench cs`, or `cargo bench -p cs --bench relay -- --help`.

mod flood;
mod load;
mod process;
mod servers;

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;

use crate::load::{Load, Round};
use crate::process::Child;

#[derive(Parser)]
struct Arguments {
    /// Number of agents, for each table.
    #[arg(long, value_delimiter = ',', default_value = "40,1000")]
    agents: Vec<usize>,
    /// The length of a message without its two bytes of length.
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u16).range(64..))]
    bytes: u16,
    /// Number of messages that an agent sends before it waits for the first to come back.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    pipelining: u16,
    /// Duration of one round of one server, in seconds.
    #[arg(long, default_value_t = 0.4)]
    seconds: f64,
    /// Number of rounds, each of all servers. A figure is that of the median round, a ratio the median ratio.
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Number of agents to connect for the memory of idle ones; 0 to leave that out.
    #[arg(long, default_value_t = 10_000)]
    idle: usize,
    /// Number of agents that flood the server beside an honest one, for each row of that table.
    #[arg(long, value_delimiter = ',', default_value = "0,1,10")]
    flooders: Vec<usize>,
    /// Another build of the communication server, measured in the same rounds.
    #[arg(long, value_name = "PROGRAM")]
    other: Option<String>,
    /// Flood this address with as many agents as --flooders says.
    #[arg(long, hide = true)]
    flood: Option<SocketAddr>,
    /// Be the echo server.
    #[arg(long, hide = true)]
    serve_echo: bool,
    /// Be the byte proxy to this address.
    #[arg(long, hide = true)]
    serve_proxy: Option<SocketAddr>,
    /// Given by cargo.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    #[cfg(unix)]
    rlimit::increase_nofile_limit(u64::MAX).context("the limit on open files")?;
    if arguments.serve_echo {
        return servers::echo().context("the echo server");
    }
    if let Some(upstream) = arguments.serve_proxy {
        return servers::proxy(upstream).context("the proxy");
    }
    if let (Some(server), [agents]) = (arguments.flood, &arguments.flooders[..]) {
        return flood::run(server, *agents).context("the flood");
    }
    if process::pin_self() {
        println!("servers on one core, agents and game master on another");
    } else {
        println!("servers and load share cores (no taskset, or one core): ratios only, and rough ones");
    }
    for agents in &arguments.agents {
        compare(*agents, &arguments)?;
    }
    beside_flooders(&arguments)?;
    if arguments.idle > 0 {
        idle(&arguments)?;
    }
    Ok(())
}

/// The name, and the program if it is not that of this build.
fn builds(arguments: &Arguments) -> Vec<(&'static str, Option<&str>)> {
    let other = arguments.other.as_deref().map(|program| ("the other cs", Some(program)));
    [("cs", None)].into_iter().chain(other).collect()
}

/// One table.
fn compare(agents: usize, arguments: &Arguments) -> Result<()> {
    let mut setups =
        vec![("raw echo, one hop", echo(agents, arguments)?), ("byte proxy", proxy(agents, arguments)?)];
    for (name, program) in builds(arguments) {
        setups.push((name, cs(program, agents, arguments)?));
    }
    let mut rounds: Vec<Vec<Round>> = setups.iter().map(|_| Vec::new()).collect();
    for _ in 0..arguments.rounds {
        for ((_, (child, load)), rounds) in setups.iter_mut().zip(&mut rounds) {
            rounds.push(load.round(Duration::from_secs_f64(arguments.seconds), child)?);
        }
    }
    println!(
        "\n{agents} agents, {} bytes, {} in flight each, median of {} rounds of {} s",
        arguments.bytes, arguments.pipelining, arguments.rounds, arguments.seconds
    );
    println!("{:<20}{:>14}{:>10}{:>10}{:>12}", "", "round trips/s", "p50 µs", "p99 µs", "CPU µs each");
    let (of_echo, of_proxy) = (ratio(&rounds[2], &rounds[0]), ratio(&rounds[2], &rounds[1]));
    let of_other = rounds.get(3).map(|other| ratio(&rounds[2], other));
    for ((name, _), rounds) in setups.iter().zip(rounds) {
        let round = median(rounds);
        println!(
            "{name:<20}{:>14.0}{:>10.0}{:>10.0}{:>12}",
            round.per_second,
            round.p50.as_secs_f64() * 1e6,
            round.p99.as_secs_f64() * 1e6,
            round.cpu.map_or("?".to_owned(), |cpu| format!("{:.2}", cpu.as_secs_f64() * 1e6)),
        );
    }
    println!("cs: {:.0} % of the echo, {of_proxy:.2} times the byte proxy", 100.0 * of_echo);
    if let Some(of_other) = of_other {
        println!("cs: {of_other:.3} times the other cs");
    }
    Ok(())
}

/// Measures the effect of agents that send without limit, and read their answers, on an honest agent, which sends one
/// message and waits for its answer.
fn beside_flooders(arguments: &Arguments) -> Result<()> {
    let mut setups = Vec::new();
    for (name, program) in builds(arguments) {
        for flooders in &arguments.flooders {
            setups.push((name, *flooders, cs(program, 1, arguments)?, Vec::new()));
        }
    }
    for _ in 0..arguments.rounds {
        for (_, flooders, (child, load), rounds) in &mut setups {
            let flood = match flooders {
                0 => None,
                _ => Some(Child::flood(child.addresses[0], *flooders)?),
            };
            // Messages that a flood leaves in buffers are answered before the next round: its agents are gone by then.
            rounds.push(load.round(Duration::from_secs_f64(arguments.seconds), child)?);
            drop(flood);
        }
    }
    println!("\n1 agent beside others that send without limit, median of {} rounds", arguments.rounds);
    println!("{:<20}{:>10}{:>14}{:>10}{:>10}", "", "flooders", "round trips/s", "p50 µs", "p99 µs");
    for (name, flooders, _, mut rounds) in setups {
        rounds.sort_by_key(|round| round.p99);
        let Round { per_second, p50, p99, .. } = rounds.swap_remove(rounds.len() / 2);
        let [p50, p99] = [p50, p99].map(|latency| latency.as_secs_f64() * 1e6);
        println!("{name:<20}{flooders:>10}{per_second:>14.0}{p50:>10.0}{p99:>10.0}");
    }
    Ok(())
}

/// Returns the number of round trips for one of the others': the median over the rounds, each compared with its
/// neighbour in time.
fn ratio(rounds: &[Round], others: &[Round]) -> f64 {
    let ratio = |(round, other): (&Round, &Round)| round.per_second / other.per_second;
    let mut ratios: Vec<f64> = rounds.iter().zip(others).map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

fn median(mut rounds: Vec<Round>) -> Round {
    rounds.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
    rounds.swap_remove(rounds.len() / 2)
}

/// Measures the cost of an agent that does nothing, while a few do something.
fn idle(arguments: &Arguments) -> Result<()> {
    let child = Child::cs(None)?;
    let before = child.resident_bytes();
    let agents = room_for(arguments.idle);
    let mut load = Load::relay(child.addresses[0], child.addresses[1], agents, arguments.bytes, 1)?;
    let active = agents.div_ceil(50);
    load.only(active);
    let round = load.round(Duration::from_secs_f64(arguments.seconds), &child)?;
    println!("\n{agents} agents of {} wanted, {active} of them active", arguments.idle);
    println!("{:.0} round trips/s, p99 {:.0} µs", round.per_second, round.p99.as_secs_f64() * 1e6);
    match (before, child.resident_bytes()) {
        (Some(before), Some(after)) => println!(
            "{} bytes of memory per agent (resident, {} KiB in all)",
            after.saturating_sub(before) / agents as u64,
            after / 1024
        ),
        _ => println!("memory is unknown: there is no /proc"),
    }
    Ok(())
}

/// As many connections as the system's limit on open files allows.
fn room_for(wanted: usize) -> usize {
    #[cfg(unix)]
    if let Ok((soft, _)) = rlimit::Resource::NOFILE.get() {
        return wanted.min(usize::try_from(soft).unwrap_or(usize::MAX).saturating_sub(100));
    }
    wanted
}

fn echo(agents: usize, arguments: &Arguments) -> Result<(Child, Load)> {
    let child = Child::own(&["--serve-echo"])?;
    let load = Load::direct(child.addresses[0], agents, arguments.bytes, arguments.pipelining)?;
    Ok((child, load))
}

fn proxy(agents: usize, arguments: &Arguments) -> Result<(Child, Load)> {
    let upstream = Load::upstream()?;
    let child = Child::own(&["--serve-proxy", &upstream.local_addr()?.to_string()])?;
    let address = child.addresses[0];
    let load = Load::proxied(address, upstream, agents, arguments.bytes, arguments.pipelining)?;
    Ok((child, load))
}

fn cs(program: Option<&str>, agents: usize, arguments: &Arguments) -> Result<(Child, Load)> {
    let child = Child::cs(program)?;
    let [to_agents, to_gm] = child.addresses[..] else { return Err(io::Error::other("two ports").into()) };
    let load = Load::relay(to_agents, to_gm, agents, arguments.bytes, arguments.pipelining)?;
    Ok((child, load))
}
