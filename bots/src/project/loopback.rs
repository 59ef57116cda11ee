//! A communication server and a game master in this process, on ports that the system chooses.
//!
//! For games over real TCP without starting anything first: agents connect to [`Loopback::agents`], and
//! [`Loopback::host`] hosts one game.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use cs::config::Config;
use cs::server::{Listeners, Live, TcpPort};
use reference_gm::project::link::{self, Ending, Observer, Order};
use reference_gm::project::{Master, Settings};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio_util::net::Listener as _;

/// A communication server that runs, and the game master's connection to it.
#[derive(Debug)]
pub struct Loopback {
    agents: SocketAddr,
    gm: TcpStream,
    server: JoinHandle<cs::router::Ending>,
    /// Dropping it stops the server.
    stop: oneshot::Sender<()>,
}

impl Loopback {
    /// Starts the server with the largest message limit: the message that begins a game with thousands of agents is
    /// long.
    ///
    /// # Errors
    ///
    /// If the system gives no ports.
    pub async fn open() -> io::Result<Self> {
        let port = || TcpPort::bind((Ipv4Addr::LOCALHOST, 0).into());
        let listeners = Listeners { agents: port()?, gm: port()? };
        let (agents, gm) = (listeners.agents.local_addr()?, listeners.gm.local_addr()?);
        let (stop, stopped) = oneshot::channel::<()>();
        let mut config = Config::default();
        config.limits.message_bytes = u16::MAX;
        let server = tokio::spawn(async move {
            let stopped = async {
                // Sent or dropped: either way the server is not needed any more.
                let _ = stopped.await;
            };
            cs::server::run(listeners, &config, Live::default(), stopped).await
        });
        let gm = tcp::dial(gm).await?;
        Ok(Self { agents, gm, server, stop })
    }

    /// Address at which agents connect.
    pub fn agents(&self) -> SocketAddr {
        self.agents
    }

    /// Hosts one game to its end, and returns when every connection is closed.
    pub async fn host(
        self,
        settings: Settings,
        commands: mpsc::Receiver<Order>,
        observer: &mut impl Observer,
    ) -> (Master, Ending) {
        let hosted = link::host(self.gm, Master::new(settings), commands, observer).await;
        // It ends with its game master's connection. A panic was already printed, and the game is over anyway.
        let _ = self.server.await;
        drop(self.stop);
        hosted
    }
}
