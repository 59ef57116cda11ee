//! A communication server for tests, in this process and over real TCP.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use cs::config::Config;
use cs::router::Ending;
use cs::server::{Listeners, Live, TcpPort};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::net::Listener;

/// Longer than any of these games takes; never waited for when all is well.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// A port whose connections are reset when they are dropped.
struct Brittle(TcpPort);

impl Listener for Brittle {
    type Io = TcpStream;
    type Addr = SocketAddr;

    fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<(TcpStream, SocketAddr)>> {
        let accepted = ready!(self.0.poll_accept(context));
        Poll::Ready(accepted.and_then(|(stream, from)| stream.set_zero_linger().map(|()| (stream, from))))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

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
        Self::with(|port| port)
    }

    /// One whose connections are reset if its task is aborted, as those of a machine that is gone.
    pub(crate) fn brittle() -> Self {
        Self::with(Brittle)
    }

    fn with<L>(listener: impl Fn(TcpPort) -> L) -> Self
    where
        L: Listener<Addr = SocketAddr> + Send + Unpin + 'static,
        L::Io: Send + Unpin + 'static,
    {
        let port = || listener(TcpPort::bind((Ipv4Addr::LOCALHOST, 0).into()).unwrap());
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
