//! Shows: communication server, game master and agents in one program, over real TCP. Agents in other programs and
//! languages could join as well.
//! Run it: `cargo run -p examples --bin e18_host_in_a_program`

use std::error::Error;
use std::net::Ipv4Addr;

use cs::server::{Listeners, Live, TcpPort};
use jiff::Timestamp;
use reference_gm::project::link::{Ending, Observer, host};
use reference_gm::project::{Master, News, Settings};
use sdk::agent::Agent;
use sdk::local::{Event, Preset, RawConfig, State, Witness};
use sdk::prelude::*;
use strategies::project::registry::LineUp;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::net::Listener as _;

/// Prints the events of the game.
struct Printer;

impl Witness<State> for Printer {
    fn event(&mut self, now: SimTime, event: &Event) {
        if let Event::Put { agent, result: PutResult::OnGoal } = event {
            println!("{now}: agent {agent} covers a goal");
        }
    }
}

impl Observer for Printer {
    fn news(&mut self, _: &Master, news: &News) {
        if matches!(news, News::Started) {
            println!("the game begins");
        }
    }

    fn nonsense(&mut self, reason: &str) {
        eprintln!("invalid message from the server: {reason}");
    }

    fn second(&mut self, _: &Master) {}
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // The communication server, on any two free ports of this machine.
    let port = || TcpPort::bind((Ipv4Addr::LOCALHOST, 0).into());
    let listeners = Listeners { agents: port()?, gm: port()? };
    let (for_agents, for_gm) = (listeners.agents.local_addr()?, listeners.gm.local_addr()?);
    let server = tokio::spawn(async move {
        let config = cs::config::Config::default();
        // It runs until the game master leaves.
        cs::server::run(listeners, &config, Live::default(), std::future::pending()).await
    });

    // The agents. They join as soon as a game master is there.
    let greedy: LineUp = "greedy".parse()?;
    let mut agents = JoinSet::new();
    for (place, team) in [Team::Red, Team::Blue, Team::Red, Team::Blue].into_iter().enumerate() {
        let agent = Agent::builder(team).server(for_agents.to_string()).seed(Seed::new(place as u64));
        let agent = agent.connect().await?;
        agents.spawn(agent.play(greedy.construct(place)));
    }

    // The game master. It would also take commands, to start or stop the game.
    let config = RawConfig { move_penalty: 20, discovery_penalty: 80, ..Preset::Quick.raw() }.check()?;
    let settings =
        Settings { start_when_full: true, ..Settings::new(config, Seed::new(7), Timestamp::now()) };
    let (_operator, commands) = mpsc::channel(1);
    let stream = TcpStream::connect(for_gm).await?;
    let (master, ending) = host(stream, Master::new(settings), commands, &mut Printer).await;
    let Ending::Done = ending else { return Err(format!("the game could not be hosted: {ending:?}").into()) };

    while let Some(played) = agents.join_next().await {
        println!("an agent says: {}", played?.end);
    }
    server.await?;
    if let Some(state) = master.game() {
        let points = state.points();
        println!("red {} : {} blue", points[Team::Red], points[Team::Blue]);
    }
    Ok(())
}
