//! A communication server for tests, in this process and over real TCP.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use cs::config::Config;
use cs::router::Ending;
use cs::server::{Listeners, Live, TcpPort};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::net::Listener;

/// Longer than any of these games takes; never waited for when all is well.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A communication server, and how to take it away.
pub(crate) struct Server {
    pub(crate) agents: SocketAddr,
    pub(crate) gm: SocketAddr,
    pub(crate) stop: oneshot::Sender<()>,
    pub(crate) ended: JoinHandle<Ending>,
}

impl Server {
    /// Starts one on free ports.
    pub(crate) fn start() -> Self {
        let port = || TcpPort::bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
        let listeners = Listeners { agents: port(), gm: port() };
        let (agents, gm) = (listeners.agents.local_addr().unwrap(), listeners.gm.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel::<()>();
        let ended = tokio::spawn(async move {
            let config = Config::default();
            let stopped = async move {
                let _ = stopped.await;
            };
            cs::server::run(listeners, &config, Live::default(), stopped).await
        });
        Self { agents, gm, stop, ended }
    }
}
