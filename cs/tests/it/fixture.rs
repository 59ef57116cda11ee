//! A running server, over real or simulated sockets, with its log at hand, and clients to talk to it.
//!
//! Scenarios are written once, over [`Net`]. Nothing in them sleeps: they wait for a message, for the end of
//! a connection or for the server's totals, with [`TIMEOUT`].

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use cs::config::Config;
use cs::router::{Ending, Role, Totals};
use cs::server::{self, Listeners, Live, TcpPort};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio_util::net::Listener;
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::SubscriberExt as _;
use wire::envelope::Envelope;
use wire::frame::{self, Decoder};

/// Longest time for anything that must happen. Never waited for when all is well.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// A server that runs, wherever its sockets are.
pub(crate) trait Net {
    type Stream: AsyncRead + AsyncWrite + Unpin;

    async fn dial(&self, role: Role) -> Self::Stream;

    fn server(&self) -> &ServerUnderTest;

    /// A connection to one of the ports.
    async fn connect(&self, role: Role) -> Client<Self::Stream> {
        Client::new(self.dial(role).await)
    }

    /// A game master, and an agent that it knows.
    async fn gm_and_witness(&self) -> (Client<Self::Stream>, Agent<Self::Stream>) {
        let mut gm = self.connect(Role::Gm).await;
        self.wait_for("a game master", |totals| totals.gm).await;
        let mut witness = self.agent(&mut gm).await;
        gm.send(format!(r#"{{"messageID":107,"agentID":{},"payload":{{"accepted":true}}}}"#, witness.id))
            .await;
        assert_eq!(id_of(&witness.client.read().await), witness.id);
        (gm, witness)
    }

    /// An agent that the game master knows.
    async fn agent(&self, gm: &mut Client<Self::Stream>) -> Agent<Self::Stream> {
        let mut client = self.connect(Role::Agent).await;
        client.send(r#"{"messageID":6,"agentID":0,"payload":{"teamID":"red"}}"#).await;
        let id = id_of(&gm.read().await);
        Agent { client, id }
    }

    async fn wait_for(&self, what: &str, wanted: impl FnMut(&Totals) -> bool) -> Totals {
        let live = &self.server().live;
        let waited = tokio::time::timeout(TIMEOUT, live.wait_for(wanted)).await;
        waited.unwrap_or_else(|_| panic!("{what} never came: {:?}", live.totals()))
    }

    /// Waits for a line of the log with all of these texts in it.
    fn log_names(&self, texts: &[&str]) {
        let lines = self.server().log.0.lock().unwrap();
        assert!(
            lines.iter().any(|line| texts.iter().all(|text| line.contains(text))),
            "no line has {texts:?} in {lines:#?}"
        );
    }

    /// Makes sure that the rest goes on: a message in each direction, no memory held, this many agents connected.
    async fn rest_is_well(
        &self,
        gm: &mut Client<Self::Stream>,
        witness: &mut Agent<Self::Stream>,
        agents: usize,
    ) {
        for _ in 0..3 {
            witness.client.send(r#"{"messageID":3,"agentID":0,"payload":{}}"#).await;
            assert_eq!(id_of(&gm.read().await), witness.id);
            gm.send(&format!(r#"{{"messageID":103,"agentID":{},"payload":{{}}}}"#, witness.id)).await;
            assert_eq!(id_of(&witness.client.read().await), witness.id);
        }
        let totals = self.wait_for("returned memory", |totals| totals.held_bytes == 0).await;
        assert_eq!((totals.agents, totals.gm), (agents, true));
    }

    /// Returns the end of the server, once it has ended.
    async fn over(&self) -> Ending {
        let mut ended = self.server().ended.clone();
        let ending = tokio::time::timeout(TIMEOUT, ended.wait_for(Option::is_some)).await;
        ending.expect("the server has not ended").unwrap().unwrap()
    }
}

/// The parts of a server that a test can see, and a way to stop it.
#[derive(Clone)]
pub(crate) struct ServerUnderTest {
    pub(crate) live: Live,
    pub(crate) log: Log,
    pub(crate) ended: watch::Receiver<Option<Ending>>,
    pub(crate) stop: watch::Sender<bool>,
}

/// An agent whose number is known.
pub(crate) struct Agent<S> {
    pub(crate) client: Client<S>,
    pub(crate) id: i64,
}

/// One end of a connection, speaking in frames or in bytes.
pub(crate) struct Client<S> {
    stream: S,
    decoder: Decoder,
    unread: Vec<u8>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Client<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, decoder: Decoder::new(frame::LONGEST), unread: Vec::new() }
    }

    /// Sends a body as one frame.
    pub(crate) async fn send(&mut self, body: impl AsRef<[u8]>) {
        self.send_bytes(&framed(body)).await.unwrap();
    }

    /// Sends bytes, frames or not.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let sending = async {
            self.stream.write_all(bytes).await?;
            self.stream.flush().await
        };
        tokio::time::timeout(TIMEOUT, sending).await.expect("nobody takes the bytes")
    }

    /// The next body.
    pub(crate) async fn read(&mut self) -> String {
        self.try_read().await.expect("the connection ended before a message came")
    }

    /// The next body, or nothing if the connection ends.
    pub(crate) async fn try_read(&mut self) -> Option<String> {
        loop {
            let mut bytes = &self.unread[..];
            let body = self.decoder.next(&mut bytes).map(|body| String::from_utf8(body.unwrap().to_owned()));
            let taken = self.unread.len() - bytes.len();
            self.unread.drain(..taken);
            if let Some(body) = body {
                return Some(body.unwrap());
            }
            let reading = self.stream.read_buf(&mut self.unread);
            match tokio::time::timeout(TIMEOUT, reading).await.expect("no message comes") {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
    }

    /// Waits for the end of the connection, and drops the bytes before it.
    pub(crate) async fn is_closed(&mut self) {
        while self.try_read().await.is_some() {}
    }

    /// Says that nothing follows.
    pub(crate) async fn shut_down(&mut self) {
        self.stream.shutdown().await.unwrap();
    }
}

/// A body as a frame.
pub(crate) fn framed(body: impl AsRef<[u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    frame::write(body.as_ref(), &mut bytes).unwrap();
    bytes
}

/// The agent's number in a message.
pub(crate) fn id_of(body: &str) -> i64 {
    Envelope::parse(body.as_bytes()).unwrap().agent_id.unwrap()
}

fn config(values: Value) -> Config {
    let file = game_env::configuration::read(values.to_string().as_bytes()).unwrap();
    let quiet = [("logDirectory", game_env::Value::Text(String::new()))];
    Config::layered(&file, &quiet.into_iter().collect()).unwrap()
}

/// Starts a server with these listeners as a task of this thread, and returns the parts of it that a test can see.
fn start<L>(listeners: Listeners<L>, config: Config, log: Log) -> (ServerUnderTest, impl Future<Output = ()>)
where
    L: Listener<Addr = SocketAddr>,
    L::Io: Unpin,
{
    let (ended_sender, ended) = watch::channel(None);
    let (stop, mut stopped) = watch::channel(false);
    let server = ServerUnderTest { live: Live::default(), log, ended, stop };
    let live = server.live.clone();
    let running = async move {
        let shutdown = async move { drop(stopped.wait_for(|stopped| *stopped).await) };
        let ending = server::run(listeners, &config, live, shutdown).await;
        let _ = ended_sender.send(Some(ending));
    };
    (server, running)
}

/// A server on ports of this machine.
pub(crate) struct Tcp {
    agents: SocketAddr,
    gm: SocketAddr,
    server: ServerUnderTest,
}

impl Tcp {
    /// The port for agents.
    pub(crate) fn agents(&self) -> SocketAddr {
        self.agents
    }
}

impl Net for Tcp {
    type Stream = TcpStream;

    async fn dial(&self, role: Role) -> TcpStream {
        let address = if role == Role::Gm { self.gm } else { self.agents };
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    fn server(&self) -> &ServerUnderTest {
        &self.server
    }
}

/// Plays a scenario over real sockets.
pub(crate) fn over_tcp<F: Future<Output = ()>>(values: Value, scenario: impl FnOnce(Rc<Tcp>) -> F) {
    let log = Log::default();
    let _guard = log.clone().listen();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listeners = Listeners { agents: TcpPort::bind(any).unwrap(), gm: TcpPort::bind(any).unwrap() };
        let (agents, gm) = (listeners.agents.local_addr().unwrap(), listeners.gm.local_addr().unwrap());
        let (server, running) = start(listeners, config(values), log);
        let running = tokio::spawn(running);
        let net = Rc::new(Tcp { agents, gm, server });
        scenario(Rc::clone(&net)).await;
        net.server.stop.send_replace(true);
        net.over().await;
        running.await.unwrap();
    });
}

/// A server in a simulated network, on virtual time.
pub(crate) struct Simulated {
    server: ServerUnderTest,
}

const AGENT_PORT: u16 = 3727;
const GM_PORT: u16 = 3728;

impl Net for Simulated {
    type Stream = turmoil::net::TcpStream;

    async fn dial(&self, role: Role) -> turmoil::net::TcpStream {
        let port = if role == Role::Gm { GM_PORT } else { AGENT_PORT };
        turmoil::net::TcpStream::connect(("cs", port)).await.unwrap()
    }

    fn server(&self) -> &ServerUnderTest {
        &self.server
    }
}

/// Plays a scenario over simulated sockets.
pub(crate) fn over_turmoil<F: Future<Output = ()> + 'static>(
    values: Value,
    scenario: impl FnOnce(Rc<Simulated>) -> F + 'static,
) {
    const SEED: u64 = 7;
    let log = Log::default();
    let _guard = log.clone().listen();
    let mut simulation = turmoil::Builder::new();
    simulation
        .rng_seed(SEED)
        .simulation_duration(Duration::from_secs(3600))
        .tick_duration(Duration::from_millis(5))
        .min_message_latency(Duration::from_millis(0))
        .max_message_latency(Duration::from_millis(5))
        .tcp_capacity(128);
    let mut simulation = simulation.build();
    let (starting, started) = tokio::sync::oneshot::channel();
    simulation.client("cs", async move {
        let bind = async |port| {
            let at = (IpAddr::from(Ipv4Addr::UNSPECIFIED), port);
            SimulatedPort::new(turmoil::net::TcpListener::bind(at).await.unwrap())
        };
        let listeners = Listeners { agents: bind(AGENT_PORT).await, gm: bind(GM_PORT).await };
        let (server, running) = start(listeners, config(values), log);
        starting.send(server).ok().unwrap();
        running.await;
        Ok(())
    });
    simulation.client("everybody", async move {
        let net = Rc::new(Simulated { server: started.await.unwrap() });
        scenario(Rc::clone(&net)).await;
        net.server.stop.send_replace(true);
        net.over().await;
        Ok(())
    });
    simulation.run().unwrap_or_else(|error| panic!("with seed {SEED}: {error}"));
}

type Accepting = Pin<Box<dyn Future<Output = io::Result<(turmoil::net::TcpStream, SocketAddr)>>>>;

/// A simulated listener as the server wants it.
struct SimulatedPort {
    listener: Rc<turmoil::net::TcpListener>,
    accepting: RefCell<Option<Accepting>>,
}

impl SimulatedPort {
    fn new(listener: turmoil::net::TcpListener) -> Self {
        Self { listener: Rc::new(listener), accepting: RefCell::default() }
    }
}

impl Listener for SimulatedPort {
    type Io = turmoil::net::TcpStream;
    type Addr = SocketAddr;

    fn poll_accept(&mut self, context: &mut Context<'_>) -> Poll<io::Result<(Self::Io, SocketAddr)>> {
        let accepting = self.accepting.get_mut();
        let future = accepting.get_or_insert_with(|| {
            let listener = Rc::clone(&self.listener);
            Box::pin(async move { listener.accept().await })
        });
        let accepted = std::task::ready!(future.as_mut().poll(context));
        *accepting = None;
        Poll::Ready(accepted)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// The lines that were logged on this thread.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn listen(self) -> tracing::subscriber::DefaultGuard {
        tracing::subscriber::set_default(tracing_subscriber::registry().with(self))
    }
}

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Log {
    fn on_event(&self, event: &tracing::Event<'_>, _: tracing_subscriber::layer::Context<'_, S>) {
        if event.metadata().target().starts_with("cs::") {
            event.record(&mut Message(&mut self.0.lock().unwrap()));
        }
    }
}

struct Message<'a>(&'a mut Vec<String>);

impl Visit for Message<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0.push(format!("{value:?}"));
        }
    }
}
