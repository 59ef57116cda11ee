//! The parts of the time of a message: reading it, deciding, and writing the answer.
//!
//! Each row does what the row before it does and one thing more, so the differences are the costs of the parts.

use std::hint::black_box;
use std::time::Instant;

use game_env::{Environment, SimTime};
use game_project::State;
use wire::envelope::Envelope;
use wire::project::{AgentNumber, Dialect, Request, Seats, read_request};

use crate::bare::{bodies, master, rate};
use crate::{AGENTS, settings};

const MESSAGES: usize = 500_000;

/// Prints the table.
pub(crate) fn compare(rounds: u16) {
    let bodies = bodies(MESSAGES);
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..rounds {
        let whole = 1e9 / rate(&mut master(40, 10, Dialect::Spec), &bodies);
        for (times, time) in times.iter_mut().zip([reading(&bodies), deciding(&bodies), whole]) {
            times.push(time);
        }
    }
    let [reading, deciding, whole] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    println!(
        "\nWhere the time of a message goes, without sockets: {AGENTS} agents, 40×40, 10 pieces, one core\n"
    );
    println!("{:>28} {:>15} {:>9}", "part", "ns per message", "share");
    for (part, time) in [
        ("reading frame and JSON", reading),
        ("deciding: the rules", deciding - reading),
        ("telling: JSON, statistics", whole - deciding),
        ("all", whole),
    ] {
        println!("{part:>28} {time:>15.0} {:>8.0}%", 100.0 * time / whole);
    }
}

/// Nanoseconds to read a message.
fn reading(bodies: &[Vec<u8>]) -> f64 {
    let start = Instant::now();
    for body in bodies {
        black_box(read(body));
    }
    per_message(start, bodies)
}

/// Nanoseconds to read a message and to serve the request.
fn deciding(bodies: &[Vec<u8>]) -> f64 {
    let settings = settings(40, 10, Dialect::Spec);
    let seats = Seats::new((1..=i64::from(AGENTS)).map(AgentNumber).collect());
    let mut state = State::new(&settings.config, settings.seed);
    let mut events = Vec::new();
    let start = Instant::now();
    for body in bodies {
        let (number, request) = read(body);
        let agent = seats.agent(number).expect("the bench's agents have seats");
        let Request::Play(action) = request else { panic!("the bench's agents do not join") };
        let action = seats.action(action);
        state.step(SimTime::START, agent, action, &mut events);
        black_box(&events);
        events.clear();
    }
    per_message(start, bodies)
}

fn read(body: &[u8]) -> (AgentNumber, Request) {
    let envelope = Envelope::parse(body).expect("the bench's bodies are messages");
    let number = AgentNumber(envelope.agent_id.expect("the bench's bodies name their agent"));
    (number, read_request(envelope.message_id, envelope.payload).expect("the bench's requests make sense"))
}

fn per_message(start: Instant, bodies: &[Vec<u8>]) -> f64 {
    start.elapsed().as_secs_f64() * 1e9 / bodies.len() as f64
}
