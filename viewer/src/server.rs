//! Shows the board to whoever looks: the page, the feed over a WebSocket, and what the operator asks for.
//!
//! It has a thread and a runtime of its own, so that nobody who looks is in the game's way. All viewers read the
//! same messages, which are written once; each has a place in them and nothing else, so that one that does not
//! read costs no memory, and is dropped when it has not taken a message for a while.

use std::collections::VecDeque;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use std::vec;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::connect_info::ConnectInfo;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream;
use game_env::{Parameters, SimTime, Value, configuration};
use game_project::{ConfigError, Fault};
use serde_json::json;
use tokio::runtime::Builder;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, timeout};

use crate::event_queue::{EventQueue, HostEvent, QueueWriter};
use crate::feed::{self, Mode};
use crate::guard::{Guard, Token};
use crate::host::{Host, NotConfigured, Order};
use crate::page;
use crate::port::{Connection, IdleTimeout, Port};
use crate::recording::Recording;
use crate::spectator::{FeedMessage, Limits, Spectator};

/// A board that people can look at, until this value ends.
#[derive(Debug)]
pub struct ViewerServer {
    url: String,
    event_queue: Arc<EventQueue>,
    stop: Option<oneshot::Sender<String>>,
    thread: Option<JoinHandle<()>>,
}

/// Where a board is to be, taken before anything else is done.
#[derive(Debug)]
pub struct Place {
    listener: TcpListener,
    address: SocketAddr,
    host: String,
}

/// How patient a board is with those who look, and how much it keeps for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServerLimits {
    /// How long a viewer may take to accept a message.
    pub patience: Duration,
    /// How long events are collected before they are told.
    pub pace: Duration,
    /// The most viewers.
    pub viewers: u16,
    /// Further seats, for whoever has the token.
    pub operators: u16,
    /// The most connections, those that ask for a file included; of more of them, those that were answered least
    /// recently are closed. There is always room for all viewers, all operators and one connection more.
    pub connections: u16,
    /// How long a connection may go without having asked for anything that can be answered.
    pub first_request: Duration,
    /// How long it may go until the next answer. Viewers are told something more often than that.
    pub idle: Duration,
    /// How much is kept for those who come late.
    pub limits: Limits,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(10),
            // Two frames of a screen.
            pace: Duration::from_millis(33),
            viewers: 64,
            operators: 4,
            // Browsers open a handful each.
            connections: 256,
            // A request is one packet; browsers that open connections in advance open them again.
            first_request: Duration::from_secs(5),
            idle: Duration::from_secs(60),
            limits: Limits::default(),
        }
    }
}

impl Place {
    /// Takes this port: an address and a port, joined by a colon; port 0 for any that is free.
    ///
    /// # Errors
    ///
    /// If it is none, or cannot be had.
    pub fn take(text: &str) -> io::Result<Self> {
        let listener = TcpListener::bind(text)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let host = text.rsplit_once(':').map_or(text, |(host, _)| host).to_owned();
        Ok(Self { listener, address, host })
    }

    /// The page's address for people on this machine.
    fn url(&self, token: Option<&Token>) -> String {
        let host = match self.address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.to_string(),
            IpAddr::V6(ip) if ip.is_unspecified() => format!("[{}]", Ipv6Addr::LOCALHOST),
            _ => self.host.clone(),
        };
        let query = token.map(|token| format!("?token={}", token.as_str())).unwrap_or_default();
        format!("http://{host}:{}/{query}", self.address.port())
    }
}

impl ViewerServer {
    /// Shows a game that is hosted, from its lobby on.
    ///
    /// # Errors
    ///
    /// If the system has no thread, no socket or no random bits left.
    pub fn live(place: Place, host: Arc<dyn Host>, server_limits: ServerLimits) -> io::Result<Self> {
        let live = Live::new(Spectator::new(host, server_limits.limits));
        let token = Token::draw().map_err(io::Error::other)?;
        Self::open(place, None, Some(token), Some(live), server_limits)
    }

    /// Shows a replay; `file` is what it was read from, if it is to be had from the page.
    ///
    /// # Errors
    ///
    /// As [`ViewerServer::live`].
    pub fn replay(place: Place, name: &str, recording: Recording, file: Option<Vec<u8>>) -> io::Result<Self> {
        Self::open(place, Some((name.to_owned(), recording, file)), None, None, ServerLimits::default())
    }

    fn open(
        place: Place,
        replay: Option<(String, Recording, Option<Vec<u8>>)>,
        token: Option<Token>,
        live: Option<Live>,
        server_limits: ServerLimits,
    ) -> io::Result<Self> {
        let url = place.url(token.as_ref());
        let mut log = Log::default();
        let mut end = End::default();
        let mut file = None;
        if let Some((name, recording, bytes)) = replay {
            // The first message is the greeting, which everyone is told by itself.
            log.messages.extend(recording.messages.into_iter().skip(1).map(Utf8Bytes::from));
            end = End {
                statistics: Some(recording.statistics.to_string().into()),
                replay: bytes.map(Bytes::from),
            };
            file = Some(name);
        }
        let show = Arc::new(Show {
            guard: Guard::new(&place.host, place.address, token),
            file,
            log: Mutex::new(log),
            grown: watch::Sender::new(()),
            end: Mutex::new(end),
            live,
            viewers: Arc::new(Semaphore::new(server_limits.viewers.into())),
            operators: Arc::new(Semaphore::new(server_limits.operators.into())),
            server_limits,
        });
        let event_queue = Arc::new(EventQueue::default());
        let (stop, stopped) = oneshot::channel();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let listener = {
            let _entered = runtime.enter();
            tokio::net::TcpListener::from_std(place.listener)?
        };
        let run = run(show, event_queue.clone(), listener, stopped);
        let thread = thread::Builder::new().name("board".to_owned()).spawn(move || {
            give_way();
            runtime.block_on(run);
        })?;
        Ok(Self { url, event_queue, stop: Some(stop), thread: Some(thread) })
    }

    /// The page's address, with the operator's token if there is one.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What is to hear of the game.
    pub fn queue_writer(&self) -> QueueWriter {
        QueueWriter::new(self.event_queue.clone())
    }

    /// Says goodbye to everyone who looks.
    pub fn close(mut self, why: &str) {
        self.end(why);
    }

    fn end(&mut self, why: &str) {
        if let (Some(stop), Some(thread)) = (self.stop.take(), self.thread.take()) {
            // A thread that is gone has nobody to say goodbye to.
            let _ = stop.send(why.to_owned());
            let _ = thread.join();
        }
    }
}

impl Drop for ViewerServer {
    fn drop(&mut self) {
        self.end("the game master has ended");
    }
}

/// Lets the game's thread go first wherever both want the same core.
#[cfg(target_os = "linux")]
fn give_way() {
    /// A tenth of the share of a thread of usual priority.
    const NICENESS: i32 = 10;
    // Of this thread alone. Where the system does not let it, the two share as they would.
    let _ = rustix::process::setpriority_process(None, NICENESS);
}

/// Elsewhere priorities are those of a whole process.
#[cfg(not(target_os = "linux"))]
fn give_way() {}

/// All that is shown, and to whom.
struct Show {
    guard: Guard,
    /// The name of the replay's file, if one is shown.
    file: Option<String>,
    log: Mutex<Log>,
    /// Changes when there are more messages.
    grown: watch::Sender<()>,
    end: Mutex<End>,
    live: Option<Live>,
    viewers: Arc<Semaphore>,
    /// Seats that only the operator may take, where there are no others.
    operators: Arc<Semaphore>,
    server_limits: ServerLimits,
}

/// The messages that draw the game, numbered through.
#[derive(Default)]
struct Log {
    /// The number of the first.
    first: u64,
    messages: Vec<Utf8Bytes>,
    /// Whether there will be no more.
    is_closed: bool,
}

/// What is there when the game is over.
#[derive(Default)]
struct End {
    statistics: Option<Bytes>,
    replay: Option<Bytes>,
}

/// A game that is hosted.
struct Live {
    state: Mutex<LiveState>,
}

impl Live {
    fn new(spectator: Spectator) -> Self {
        Self { state: Mutex::new(LiveState { spectator, asked: VecDeque::new(), began: None }) }
    }
}

struct LiveState {
    spectator: Spectator,
    /// Settings that were passed on, in order.
    asked: VecDeque<Asked>,
    /// When it was heard here that the game began.
    began: Option<Instant>,
}

/// Settings that the game master has not said anything about.
struct Asked {
    host: Arc<dyn Host>,
    answer: oneshot::Sender<Result<(), NotConfigured>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A handler that panicked is no reason to show nothing any more.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long viewers may take to hear the goodbye.
const FAREWELL: Duration = Duration::from_millis(400);

/// How long events are told that had not been told when the game ended.
const LAST_EVENTS: Duration = Duration::from_millis(400);

/// What was taken from the queue, and is to be told.
#[derive(Default)]
struct Backlog(vec::IntoIter<HostEvent>);

impl Backlog {
    fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    /// Takes all that waits in the queue, in place of what is left.
    fn take(&mut self, event_queue: &EventQueue) {
        self.0 = event_queue.take().into_iter();
    }
}

async fn run(
    show: Arc<Show>,
    event_queue: Arc<EventQueue>,
    listener: tokio::net::TcpListener,
    mut stopped: oneshot::Receiver<String>,
) {
    let mut backlog = Backlog::default();
    // The empty lobby is told as well.
    backlog.take(&event_queue);
    while show.tell_some(&mut backlog) {}
    let ServerLimits { connections, viewers, operators, first_request, idle, .. } = show.server_limits;
    let connections = connections.max(viewers.saturating_add(operators).saturating_add(1));
    let port = Port::new(listener, connections, IdleTimeout { first: first_request, further: idle });
    let service = routes(show.clone()).into_make_service_with_connect_info::<Connection>();
    let serving = tokio::spawn(axum::serve(port, service).into_future());
    let why = loop {
        if backlog.is_empty() {
            tokio::select! {
                () = event_queue.arrived() => {
                    // What happens in this time is told together.
                    sleep(show.server_limits.pace).await;
                    backlog.take(&event_queue);
                }
                why = &mut stopped => break why.unwrap_or_default(),
            }
        } else {
            show.tell_some(&mut backlog);
            tokio::select! {
                biased;
                why = &mut stopped => break why.unwrap_or_default(),
                () = yield_now() => {}
            }
        }
    };
    // A flood may have left more than can be told in seconds, and the program is to end.
    let last = Instant::now() + LAST_EVENTS;
    loop {
        if backlog.is_empty() {
            backlog.take(&event_queue);
        }
        if !show.tell_some(&mut backlog) || Instant::now() > last {
            break;
        }
        yield_now().await;
    }
    show.close(&why);
    let everyone = async {
        let _ = show.viewers.acquire_many(show.server_limits.viewers.into()).await;
        let _ = show.operators.acquire_many(show.server_limits.operators.into()).await;
    };
    let _ = timeout(FAREWELL, everyone).await;
    serving.abort();
}

impl Show {
    /// Makes messages of some of what has happened; whether there was anything.
    fn tell_some(&self, Backlog(events): &mut Backlog) -> bool {
        /// How much is worked on before viewers are heard again: a few milliseconds.
        const MOST: usize = 4096;
        let Some(live) = &self.live else { return false };
        let were_some = events.len() > 0;
        self.tell(live, events.by_ref().take(MOST));
        were_some
    }

    fn tell(&self, live: &Live, events: impl Iterator<Item = HostEvent>) {
        let mut state = lock(&live.state);
        for event in events {
            match &event {
                HostEvent::Began { .. } => state.began = Some(Instant::now()),
                HostEvent::Configured(result) => {
                    if let Some(Asked { host, answer }) = state.asked.pop_front() {
                        if result.is_ok() {
                            state.spectator.reconfigured(host);
                        }
                        // Whoever asked may be gone.
                        let _ = answer.send(result.clone());
                    }
                }
                _ => {}
            }
            state.spectator.take(event);
        }
        let mut log = lock(&self.log);
        state.spectator.new_messages().for_each(|told| log.push(told));
        drop(log);
        if let Some(statistics) = state.spectator.statistics() {
            let mut end = lock(&self.end);
            if end.statistics.is_none() {
                end.statistics = Some(statistics.to_string().into());
                end.replay = state.spectator.replay().map(Bytes::copy_from_slice);
            }
        }
        self.grown.send_replace(());
    }

    fn close(&self, why: &str) {
        let mut log = lock(&self.log);
        if self.live.is_some() {
            log.messages.push(feed::gone(why).into());
        }
        log.is_closed = true;
        drop(log);
        if let Some(live) = &self.live {
            lock(&live.state).asked.clear();
        }
        self.grown.send_replace(());
    }

    fn hello(&self, is_operator: bool) -> String {
        let mode = self.file.as_deref().map_or(Mode::Live, |file| Mode::Replay { file });
        feed::hello(mode, is_operator)
    }

    fn is_operator(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        self.guard.is_operator(text(headers, &header::AUTHORIZATION), uri.query())
    }

    /// The seats that this viewer may take, the common ones first.
    fn seats(&self, is_operator: bool) -> impl Iterator<Item = &Arc<Semaphore>> {
        [&self.viewers].into_iter().chain(is_operator.then_some(&self.operators))
    }

    /// A seat for a viewer, while there is one.
    fn seat(&self, is_operator: bool) -> Result<OwnedSemaphorePermit, Refused> {
        let seat = self.seats(is_operator).find_map(|seats| seats.clone().try_acquire_owned().ok());
        seat.ok_or_else(|| refusal(StatusCode::SERVICE_UNAVAILABLE, TOO_MANY))
    }

    /// Where the clock of the game that is being played stands, or a little before.
    fn clock(&self) -> Option<SimTime> {
        let state = lock(&self.live.as_ref()?.state);
        let last = state.spectator.clock()?;
        let elapsed = state.began?.elapsed().as_millis();
        Some(last.max(SimTime::from_millis(u64::try_from(elapsed).unwrap_or(u64::MAX))))
    }
}

impl Log {
    fn push(&mut self, FeedMessage { text, is_fresh_start }: FeedMessage) {
        if is_fresh_start {
            self.first += self.messages.len() as u64;
            self.messages.clear();
        }
        self.messages.push(text.into());
    }

    /// The number behind the last message.
    fn end(&self) -> u64 {
        self.first + self.messages.len() as u64
    }

    /// Some messages from this number on, or from the first that is kept; the number behind them.
    fn after(&self, number: u64) -> (Vec<Utf8Bytes>, u64) {
        /// Taken at once, so that a long past does not stop everyone else.
        const MOST: usize = 16;
        let number = number.max(self.first);
        let skipped = usize::try_from(number - self.first).unwrap_or(usize::MAX);
        let messages: Vec<_> = self.messages.iter().skip(skipped).take(MOST).cloned().collect();
        let next = number + messages.len() as u64;
        (messages, next)
    }
}

fn routes(show: Arc<Show>) -> Router {
    /// More than a configuration ever takes.
    const LONGEST_BODY: usize = 64 << 10;
    let mut router = Router::new()
        .route("/feed", get(watch_feed))
        .route("/feed/open", get(feed_is_open))
        .route("/feed.json", get(whole_feed))
        .route("/statistics.json", get(statistics))
        .route("/game.replay", get(replay))
        .route("/settings.json", get(settings_file))
        .route("/settings", axum::routing::put(change_settings))
        .route("/settings/check", post(check_settings))
        .route("/connect", post(connect))
        .route("/start", post(start))
        .route("/stop", post(stop));
    for file in page::files() {
        let kind = [(header::CONTENT_TYPE, HeaderValue::from_static(file.kind))];
        let answer = move || std::future::ready((kind, file.content));
        router = router.route(&format!("/{}", file.name), get(answer));
    }
    router
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .layer(from_fn_with_state(show.clone(), guarded))
        .with_state(show)
}

/// Turns away what comes from elsewhere, and tells browsers what the page may do.
async fn guarded(
    State(show): State<Arc<Show>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let host = text(headers, &header::HOST).unwrap_or_default().to_owned();
    if !show.guard.admits_host(&host) {
        return refusal(StatusCode::FORBIDDEN, "this is not the address of the board").into_response();
    }
    let origin = headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or_default());
    if !show.guard.admits_origin(origin, &host) {
        return refusal(StatusCode::FORBIDDEN, "pages of other origins may not do this").into_response();
    }
    if !show.guard.admits_site(text(headers, &FETCH_SITE), is_link_to_page(&request)) {
        return refusal(StatusCode::FORBIDDEN, "pages of other sites may not do this").into_response();
    }
    let kept = show.is_operator(headers, request.uri()).then(|| connection.keep());
    let mut response = next.run(request).await;
    drop(kept);
    let policy = format!(
        "default-src 'self'; connect-src 'self' ws://{host}; img-src 'self' data: blob:; \
         style-src 'self' 'unsafe-inline'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'"
    );
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"), // the address has the token in it
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// What a browser says about the page that caused a request.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Whether somebody followed a link to the page, which may stand anywhere.
fn is_link_to_page(request: &Request) -> bool {
    let said = |name: &'static str| text(request.headers(), &HeaderName::from_static(name));
    request.method() == Method::GET
        && request.uri().path() == "/"
        && said("sec-fetch-mode") == Some("navigate")
        && said("sec-fetch-dest") == Some("document")
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// A request that is not granted, and why, in JSON.
#[derive(Debug)]
struct Refused(StatusCode, String);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        answer(self.0, self.1)
    }
}

fn refusal(status: StatusCode, why: &str) -> Refused {
    Refused(status, json!({ "why": why }).to_string())
}

fn answer(status: StatusCode, json: String) -> Response {
    (status, [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], json).into_response()
}

/// A file to be kept.
fn download(kind: &'static str, name: &str, content: impl IntoResponse) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    ([(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, disposition)], content)
        .into_response()
}

/// Why somebody cannot look.
const TOO_MANY: &str = "too many look already";

/// Whether the feed would be told to whoever asks: a page is not told why a WebSocket was refused.
async fn feed_is_open(State(show): State<Arc<Show>>, headers: HeaderMap, uri: Uri) -> Response {
    let is_operator = show.is_operator(&headers, &uri);
    let is_open = show.seats(is_operator).any(|seats| seats.available_permits() > 0);
    let why = (!is_open).then_some(TOO_MANY);
    answer(StatusCode::OK, json!({ "open": is_open, "why": why }).to_string())
}

async fn watch_feed(
    State(show): State<Arc<Show>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    headers: HeaderMap,
    uri: Uri,
    upgrade: WebSocketUpgrade,
) -> Result<Response, Refused> {
    /// Viewers have nothing to say here.
    const LONGEST_WORD: usize = 4096;
    let is_operator = show.is_operator(&headers, &uri);
    let seat = show.seat(is_operator)?;
    let kept = connection.keep();
    let upgrade = upgrade.max_message_size(LONGEST_WORD).max_frame_size(LONGEST_WORD);
    Ok(upgrade.on_upgrade(async move |socket| {
        view(&show, socket, is_operator).await;
        drop((seat, kept));
    }))
}

/// How long nothing happens before the clock is told.
const CLOCK: Duration = Duration::from_millis(250);

/// Tells one viewer everything, until it goes or does not listen.
async fn view(show: &Show, mut socket: WebSocket, is_operator: bool) {
    let mut grown = show.grown.subscribe();
    let mut next = 0;
    let mut messages = vec![Message::Text(show.hello(is_operator).into())];
    let mut told = Instant::now();
    loop {
        for message in messages.drain(..) {
            match timeout(show.server_limits.patience, socket.send(message)).await {
                Ok(Ok(())) => told = Instant::now(),
                Ok(Err(_)) | Err(_) => return,
            }
        }
        // Seen before the messages are: what is added after this wakes it again.
        grown.borrow_and_update();
        let is_closed;
        let further;
        (further, next, is_closed) = {
            let log = lock(&show.log);
            let (further, next) = log.after(next);
            (further, next, log.is_closed)
        };
        messages.extend(further.into_iter().map(Message::Text));
        if !messages.is_empty() {
            continue;
        }
        if is_closed {
            let _ = timeout(FAREWELL, socket.send(Message::Close(None))).await;
            return;
        }
        tokio::select! {
            _ = grown.changed() => {}
            word = socket.recv() => match word {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
            () = sleep(CLOCK) => {
                messages.extend(show.clock().map(|now| Message::Text(feed::clock(now).into())));
                // In a lobby in which nothing happens, so that neither end takes the other for gone.
                if messages.is_empty() && told.elapsed() > show.server_limits.idle / 3 {
                    messages.push(Message::Ping(Bytes::new()));
                }
            }
        }
    }
}

/// The feed up to now as one JSON array, message by message: all readers share the messages. A reader has a viewer's
/// seat until it has taken the last one, and is dropped like a viewer if it does not take one for a while.
async fn whole_feed(
    State(show): State<Arc<Show>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Refused> {
    let is_operator = show.is_operator(&headers, &uri);
    let seat = show.seat(is_operator)?;
    let kept = connection.keep();
    let (parts, mut taken) = mpsc::channel(1);
    tokio::spawn(async move {
        write_feed(&show, &parts, is_operator).await;
        drop((seat, kept));
    });
    let body = stream::poll_fn(move |context| {
        taken.poll_recv(context).map(|part| match part {
            Some(Part::Text(text)) => Some(Ok(text)),
            Some(Part::End) => None,
            None => Some(Err(io::Error::from(io::ErrorKind::TimedOut))),
        })
    });
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    Ok((kind, Body::from_stream(body)).into_response())
}

/// A part of a feed that is read as one text.
enum Part {
    Text(Bytes),
    End,
}

/// Writes the feed up to now as one JSON array, until its reader is gone or too slow.
async fn write_feed(show: &Show, parts: &mpsc::Sender<Part>, is_operator: bool) {
    let write = async |part: Part| {
        timeout(show.server_limits.patience, parts.send(part)).await.is_ok_and(|sent| sent.is_ok())
    };
    if !write(Part::Text(format!("[{}", show.hello(is_operator)).into())).await {
        return;
    }
    let (mut next, mut end) = (0, None);
    loop {
        let messages = {
            let log = lock(&show.log);
            if end.is_none() || next < log.first {
                // Messages from there on replace all before them.
                end = Some(log.end());
            }
            let (mut messages, after) = log.after(next);
            let surplus = after.saturating_sub(end.unwrap_or_default());
            messages.truncate(messages.len().saturating_sub(usize::try_from(surplus).unwrap_or(usize::MAX)));
            next = after;
            messages
        };
        if messages.is_empty() {
            break;
        }
        for message in messages {
            if !write(Part::Text(Bytes::from_static(b",\n"))).await
                || !write(Part::Text(message.into())).await
            {
                return;
            }
        }
    }
    let _ = write(Part::Text(Bytes::from_static(b"]"))).await && write(Part::End).await;
}

async fn statistics(State(show): State<Arc<Show>>) -> Result<Response, Refused> {
    match &lock(&show.end).statistics {
        Some(statistics) => Ok(download("application/json", "statistics.json", statistics.clone())),
        None => Err(refusal(StatusCode::NOT_FOUND, "the game is not over")),
    }
}

async fn replay(State(show): State<Arc<Show>>) -> Result<Response, Refused> {
    let end = lock(&show.end);
    match (&end.replay, &end.statistics) {
        (Some(replay), _) => {
            // A name that a header cannot hold as it is would have to be written in a way of its own.
            let is_plain = |name: &&str| {
                name.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\')
            };
            let name = show.file.as_deref().filter(is_plain).unwrap_or("game.replay");
            Ok(download("application/octet-stream", name, replay.clone()))
        }
        (None, Some(_)) => Err(refusal(StatusCode::NOT_FOUND, "the game was too long to be kept")),
        (None, None) => Err(refusal(StatusCode::NOT_FOUND, "the game is not over")),
    }
}

async fn settings_file(State(show): State<Arc<Show>>) -> Result<Response, Refused> {
    let live = show.live.as_ref();
    let live = live.ok_or_else(|| refusal(StatusCode::NOT_FOUND, "a replay has no settings to save"))?;
    let parameters = lock(&live.state).spectator.host().parameters();
    let parameters: Parameters =
        parameters.into_iter().map(|parameter| (parameter.name, parameter.value)).collect();
    let text = serde_json::to_string_pretty(&parameters)
        .map_err(|error| refusal(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))?;
    Ok(download("application/json", "gm.json", text))
}

/// The game of an operator who asks, or why it is not answered.
fn operated<'a>(show: &'a Show, headers: &HeaderMap, uri: &Uri) -> Result<&'a Live, Refused> {
    let live = show.live.as_ref();
    let live = live.ok_or_else(|| refusal(StatusCode::NOT_FOUND, "a replay cannot be operated"))?;
    if !show.is_operator(headers, uri) {
        let why = "only the operator may do this: open the address that the game master printed";
        return Err(refusal(StatusCode::FORBIDDEN, why));
    }
    Ok(live)
}

/// Refuses the order of a client that has given up: nobody would learn what came of it.
async fn still_wanted(connection: &Connection) -> Result<(), Refused> {
    // The first time the connection looks; the second time it has heard what the system knew before.
    for _ in 0..2 {
        yield_now().await;
    }
    if connection.is_abandoned() {
        return Err(refusal(StatusCode::REQUEST_TIMEOUT, "the client is gone"));
    }
    Ok(())
}

/// Has the game master connect to the server that the settings in force name.
async fn connect(
    State(show): State<Arc<Show>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    headers: HeaderMap,
    uri: Uri,
    _: Bytes,
) -> Result<StatusCode, Refused> {
    let live = operated(&show, &headers, &uri)?;
    still_wanted(&connection).await?;
    let host = {
        let state = lock(&live.state);
        if state.spectator.is_connected() {
            return Err(refusal(StatusCode::CONFLICT, CONNECTED));
        }
        if !state.spectator.is_lobby() {
            return Err(refusal(StatusCode::CONFLICT, "the game has begun already"));
        }
        state.spectator.host().clone()
    };
    order(&*host, Order::Connect).map(|()| StatusCode::NO_CONTENT)
}

/// Why the communication server cannot be chosen.
const CONNECTED: &str = "the game master is connected already";

async fn start(
    State(show): State<Arc<Show>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    headers: HeaderMap,
    uri: Uri,
    _: Bytes,
) -> Result<StatusCode, Refused> {
    let live = operated(&show, &headers, &uri)?;
    still_wanted(&connection).await?;
    let state = lock(&live.state);
    match (state.spectator.is_lobby(), state.spectator.may_start()) {
        (true, true) => order(&**state.spectator.host(), Order::Start).map(|()| StatusCode::NO_CONTENT),
        (true, false) => Err(refusal(StatusCode::CONFLICT, "a team has no agents yet")),
        (false, _) => Err(refusal(StatusCode::CONFLICT, "the game has begun already")),
    }
}

async fn stop(
    State(show): State<Arc<Show>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    headers: HeaderMap,
    uri: Uri,
    _: Bytes,
) -> Result<StatusCode, Refused> {
    let live = operated(&show, &headers, &uri)?;
    still_wanted(&connection).await?;
    let state = lock(&live.state);
    if state.spectator.statistics().is_some() {
        return Err(refusal(StatusCode::CONFLICT, "the game is over already"));
    }
    order(&**state.spectator.host(), Order::Stop).map(|()| StatusCode::NO_CONTENT)
}

fn order(host: &dyn Host, order: Order) -> Result<(), Refused> {
    host.order(order).map_err(|error| refusal(StatusCode::CONFLICT, &error.to_string()))
}

/// What is asked for, as a configuration over the one in force.
fn asked(live: &Live, body: &[u8]) -> Result<Arc<dyn Host>, Refused> {
    let parameters = configuration::read(body)
        .and_then(|file| file.parameters())
        .map_err(|error| refusal(StatusCode::BAD_REQUEST, &format!("no settings: {error}")))?;
    let state = lock(&live.state);
    let present = &**state.spectator.host();
    let mut changed = present.changed(&parameters);
    if state.spectator.is_connected() {
        changed = changed.and_then(|host| same_server(present, host));
    }
    changed.map_err(|error| {
        Refused(StatusCode::UNPROCESSABLE_ENTITY, state.spectator.settings(present, error.faults()))
    })
}

/// The configuration, unless it names another server than the one there is a connection to.
fn same_server(present: &dyn Host, changed: Arc<dyn Host>) -> Result<Arc<dyn Host>, ConfigError> {
    let ((host, port), (other_host, other_port)) = (present.server(), changed.server());
    let fault = |name: &str, value: Value, present: String| {
        Fault::new(name, &value, CONNECTED, format!("{present}, as it is"))
    };
    let mut faults = Vec::new();
    if host != other_host {
        faults.push(fault("CsIP", Value::Text(other_host), host));
    }
    if port != other_port {
        faults.push(fault("CsPort", Value::Whole(other_port.into()), port.to_string()));
    }
    if faults.is_empty() { Ok(changed) } else { Err(ConfigError::new(faults)) }
}

async fn check_settings(
    State(show): State<Arc<Show>>,
    headers: HeaderMap,
    uri: Uri,
    body: Bytes,
) -> Result<Response, Refused> {
    let live = operated(&show, &headers, &uri)?;
    let told = match asked(live, &body) {
        Ok(host) => lock(&live.state).spectator.settings(&*host, &[]),
        // Faults are what was asked for here.
        Err(Refused(StatusCode::UNPROCESSABLE_ENTITY, faults)) => faults,
        Err(refused) => return Err(refused),
    };
    Ok(answer(StatusCode::OK, told))
}

async fn change_settings(
    State(show): State<Arc<Show>>,
    ConnectInfo(connection): ConnectInfo<Connection>,
    headers: HeaderMap,
    uri: Uri,
    body: Bytes,
) -> Result<Response, Refused> {
    let live = operated(&show, &headers, &uri)?;
    let too_late = || refusal(StatusCode::CONFLICT, &NotConfigured::TooLate.to_string());
    if !lock(&live.state).spectator.is_lobby() {
        return Err(too_late());
    }
    let host = asked(live, &body)?;
    still_wanted(&connection).await?;
    let result = {
        // Under the lock, so that the game master hears of settings in the order of this list.
        let mut state = lock(&live.state);
        order(&*host, Order::Configure)?;
        let (answer, result) = oneshot::channel();
        state.asked.push_back(Asked { host, answer });
        result
    };
    let result = result.await;
    let state = lock(&live.state);
    let settings = |faults: &[Fault]| state.spectator.settings(&**state.spectator.host(), faults);
    match result {
        Ok(Ok(())) => Ok(answer(StatusCode::OK, settings(&[]))),
        Ok(Err(NotConfigured::Faulty(error))) => {
            Err(Refused(StatusCode::UNPROCESSABLE_ENTITY, settings(error.faults())))
        }
        Ok(Err(NotConfigured::TooLate)) => Err(too_late()),
        Err(_) => Err(refusal(StatusCode::CONFLICT, "the game master has ended")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpStream;

    use super::*;
    use crate::host::{NotListening, Parameter, Starts};

    /// Passes all orders on to a channel.
    struct Master(mpsc::Sender<Order>);

    impl Host for Master {
        fn parameters(&self) -> Vec<Parameter> {
            Vec::new()
        }

        fn team_size(&self) -> u16 {
            1
        }

        fn server(&self) -> (String, u16) {
            ("127.0.0.1".to_owned(), 1)
        }

        fn starts(&self) -> Starts {
            Starts::default()
        }

        fn changed(&self, _: &Parameters) -> Result<Arc<dyn Host>, ConfigError> {
            Ok(Arc::new(Self(self.0.clone())))
        }

        fn order(&self, order: Order) -> Result<(), NotListening> {
            self.0.try_send(order).map_err(|_| NotListening)
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn an_order_is_obeyed_only_while_its_client_waits() {
        let (orders, mut heard) = mpsc::channel(16);
        let place = Place::take("127.0.0.1:0").unwrap();
        let address = place.address;
        let token = Token::draw().unwrap();
        let ask = |path: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            let line = format!("POST {path}?token={} HTTP/1.1\r\n", token.as_str());
            let headers = format!("Host: {address}\r\nContent-Length: 2\r\nConnection: close\r\n");
            stream.write_all(format!("{line}{headers}\r\n{{}}").as_bytes()).unwrap();
            stream
        };
        // These clients have given up before the board takes any connection.
        for path in ["/stop", "/stop", "/settings/check", "/stop"] {
            drop(ask(path));
        }
        let server_limits = ServerLimits::default();
        let live = Live::new(Spectator::new(Arc::new(Master(orders)), server_limits.limits));
        let board = ViewerServer::open(place, None, Some(token.clone()), Some(live), server_limits).unwrap();
        let mut half_closed = ask("/stop");
        half_closed.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = String::new();
        ask("/stop").read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 204"), "{answer}");
        half_closed.read_to_string(&mut String::new()).unwrap();
        assert_eq!(heard.try_recv(), Ok(Order::Stop));
        assert!(heard.try_recv().is_err(), "an order of a client that is gone was obeyed");
        drop(board);
    }
}
