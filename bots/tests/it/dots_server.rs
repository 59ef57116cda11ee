//! Dots & Boxes over TCP: the server, and strategies on it.

use std::future::pending;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::{fs, io};

use clients::agent::{Report, Start, play_over};
use clients::dots::{End, News, Session};
use game_dots::{Config as Grid, Edge, State};
use game_env::matches::{MatchLimits, MatchSpec};
use game_env::replay::Playback;
use game_env::seat::Seat;
use game_env::{AgentId, Choice, Notation as _, Outcome, Policy, Seed, SimTime, Witness};
use reference_gm::archive::Archive;
use reference_gm::dots::page::Room;
use reference_gm::dots::{Master, Settings};
use reference_gm::journal::{Journal, Sync};
use reference_gm::server::{Limits, Server};
use strategies::room;
use strategies::room::{SendPolicy, policy};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use wire::dots::Token;
use wire::dots::line::Framing;

/// The moves of a game.
#[derive(Default)]
struct Moves(Vec<(AgentId, Edge)>);

impl Witness<State> for Moves {
    fn action(&mut self, _: &State, _: SimTime, agent: AgentId, edge: &Edge) {
        self.0.push((agent, *edge));
    }
}

pub(crate) fn moves(replay: &[u8]) -> Vec<(AgentId, Edge)> {
    let mut moves = Moves::default();
    let summary = Playback::<State>::open(replay).unwrap().run(&mut moves).unwrap();
    assert!(summary.completeness.is_complete());
    moves.0
}

/// The replays of a server, in the order of the games.
pub(crate) fn replays(folder: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> =
        fs::read_dir(folder.join("games")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// A server in this runtime, with its address, the sender that stops it, its task and its counts.
pub(crate) async fn serve(
    folder: &Path,
    settings: Settings,
) -> (String, oneshot::Sender<()>, tokio::task::JoinHandle<io::Result<()>>, Counts) {
    let (journal, past) = Journal::open(folder, Sync::Second).unwrap();
    let mut number = 0;
    let tokens = Box::new(move || {
        number += 1;
        Token::new([number; 16])
    });
    let master = Master::restore(settings, tokens, past.records).unwrap();
    let archive = Archive::start(&folder.join("games")).unwrap();
    let limits = Limits { connections: 100, connections_of_origin: 100, buffer_bytes: 1 << 20 };
    let server = Server::<Room>::new(master, journal, archive, limits);
    let totals = server.totals();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (stop, stopped) = oneshot::channel();
    let running = tokio::spawn(server.run(listener, async move {
        let _ = stopped.await;
    }));
    (address, stop, running, Counts(totals))
}

/// The counts of a running server.
pub(crate) struct Counts(tokio::sync::watch::Receiver<reference_gm::dots::master::Totals>);

impl Counts {
    pub(crate) async fn wait_for_somebody(&mut self) {
        self.0.wait_for(|totals| totals.waiting == 1).await.unwrap();
    }
}

fn strategy(text: &'static str, seed: Seed) -> impl FnMut(Start<Grid>) -> Seat<SendPolicy<State>> {
    move |start| Seat::new(policy(text, seed.agent(start.player), None).unwrap())
}

fn session(name: &str, games: u32) -> Session {
    let settings = clients::dots::Settings::new(name.parse().unwrap());
    Session::new(clients::dots::Settings { games: Some(games), ..settings }, SimTime::START)
}

#[tokio::test]
async fn a_game_over_tcp_is_the_game_of_a_rollout() {
    for (number, names) in
        [["greedy", "random"], ["random", "greedy"], ["greedy", "greedy"]].into_iter().enumerate()
    {
        let folder = tempfile::tempdir().unwrap();
        let base = Seed::new(number as u64);
        let seed = base.child(0);
        let grid = Grid::new(4, 5).unwrap();
        let (address, stop, running, mut totals) =
            serve(folder.path(), Settings { grid, seed: base, ..Settings::default() }).await;
        let connect = async || tcp::dial(address.as_str()).await;
        let first = play_over(connect, session("first", 1), strategy(names[0], seed), |_| {}, pending());
        let second = async {
            // The client that waits first is player 1.
            totals.wait_for_somebody().await;
            play_over(connect, session("second", 1), strategy(names[1], seed), |_| {}, pending()).await
        };
        let (first, second) = tokio::join!(first, second);
        assert_eq!((first.end, second.end), (End::Played, End::Played));
        stop.send(()).unwrap();
        running.await.unwrap().unwrap();
        let spec = MatchSpec {
            game: State::GAME.to_owned(),
            config: State::write_config(&grid),
            seed,
            entrants: names.map(str::to_owned).to_vec(),
            limits: MatchLimits::default(),
        };
        let mut replay = Vec::new();
        room::find("dots").unwrap().play(&spec, "test 1.0", Some(&mut replay)).unwrap();
        assert_eq!(moves(&replays(folder.path())[0]), moves(&replay), "{names:?}");
    }
}

/// A player of the original is in its game until it leaves it, and is thrown out if it waits for another one before.
#[tokio::test]
async fn two_games_in_a_row_are_played_on_a_server_like_the_original() {
    let folder = tempfile::tempdir().unwrap();
    let original = Settings { compat: true, framing: Framing::Blocks, ..Settings::default() };
    let (address, stop, running, _) = serve(folder.path(), original).await;
    let connect = async || tcp::dial(address.as_str()).await;
    let player = |name: &str, text, seed| {
        play_over(connect, session(name, 2), strategy(text, Seed::new(seed)), |_| {}, pending())
    };
    let (first, second) = tokio::join!(player("first", "greedy", 1), player("second", "random", 2));
    assert_eq!((first.end, second.end), (End::Played, End::Played));
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    assert_eq!(replays(folder.path()).iter().map(|replay| moves(replay).len()).collect::<Vec<_>>(), [40, 40]);
}

/// A stream that breaks after this number of bytes was read.
struct Breaking {
    stream: TcpStream,
    left: usize,
}

impl AsyncRead for Breaking {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.left == 0 {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        let mut part = [0; 16];
        let room = self.left.min(part.len()).min(buffer.remaining());
        let mut own = ReadBuf::new(&mut part[..room]);
        let read = Pin::new(&mut self.stream).poll_read(context, &mut own);
        self.left -= own.filled().len();
        buffer.put_slice(own.filled());
        read
    }
}

impl AsyncWrite for Breaking {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Every connection of one client breaks, later each time; the game is played to its end.
#[tokio::test]
async fn a_client_whose_connections_break_plays_its_game_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let (address, stop, running, mut totals) =
        serve(folder.path(), Settings { grid: Grid::new(3, 3).unwrap(), ..Settings::default() }).await;
    let resumed = Arc::new(Mutex::new(0));
    let (count, address) = (Arc::clone(&resumed), &address);
    let mut length = 130;
    let breaking = play_over(
        async || {
            length += 37;
            tcp::dial(address.as_str()).await.map(|stream| Breaking { stream, left: length })
        },
        session("breaks", 1),
        strategy("greedy", Seed::new(1)),
        move |report| {
            if matches!(report, Report::News(News::Resumed { .. })) {
                *count.lock().unwrap() += 1;
            }
        },
        pending(),
    );
    let whole = async {
        totals.wait_for_somebody().await;
        play_over(
            async || tcp::dial(address.as_str()).await,
            session("whole", 1),
            strategy("random", Seed::new(2)),
            |_| {},
            pending(),
        )
        .await
    };
    let (breaking, whole) = tokio::join!(breaking, whole);
    // The server tells the end of a game once, and a connection may break just then.
    assert!(matches!(breaking.end, End::Played | End::Missed), "{:?}", breaking.end);
    assert_eq!(whole.end, End::Played);
    assert!(*resumed.lock().unwrap() >= 1, "its connection broke in the game");
    stop.send(()).unwrap();
    running.await.unwrap().unwrap();
    assert_eq!(moves(&replays(folder.path())[0]).len(), 12);
}

/// The events and the outcome that the policy [`Slow`] has heard.
#[derive(Default)]
struct Heard {
    events: Vec<String>,
    outcome: Option<Outcome>,
}

/// Draws the first edge of the list, but not before it is told to.
struct Slow {
    go: std::sync::mpsc::Receiver<()>,
    heard: Arc<Mutex<Heard>>,
}

impl Policy<State> for Slow {
    fn choose(&mut self, _: SimTime, _: AgentId, seen: &game_dots::Observation) -> Choice<Edge> {
        self.go.recv_timeout(crate::fixture::TIMEOUT).unwrap();
        let mut edges = Vec::new();
        game_env::Options::options(seen, &mut edges);
        Choice::Act(edges[0])
    }

    fn hear(&mut self, _: SimTime, _: AgentId, event: &game_dots::Event) {
        self.heard.lock().unwrap().events.push(event.to_string());
    }

    fn end(&mut self, _: SimTime, outcome: &Outcome) {
        self.heard.lock().unwrap().outcome = Some(*outcome);
    }
}

/// The opponent leaves while the policy thinks about its last move of the session.
#[tokio::test]
async fn a_policy_that_thinks_when_its_game_ends_hears_the_end() {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (go, wait) = std::sync::mpsc::channel();
    let heard = Arc::new(Mutex::new(Heard::default()));
    let mut slow = Some(Seat::new(Slow { go: wait, heard: Arc::clone(&heard) }));
    let grid = Grid::new(2, 2).unwrap();
    let settings = clients::dots::Settings { grid, ..clients::dots::Settings::new("slow".parse().unwrap()) };
    let session = Session::new(settings, SimTime::START);
    let connect = async || tcp::dial(address.as_str()).await;
    let playing = play_over(connect, session, |_| slow.take().unwrap(), |_| {}, pending());
    let serving = async {
        let (stream, _) = listener.accept().await.unwrap();
        let (read, mut write) = stream.into_split();
        let mut lines = BufReader::new(read).lines();
        let mut say = async |text: &str| write.write_all(text.as_bytes()).await.unwrap();
        say("logged|ok\ntoken|00112233445566778899aabbccddeeff\n").await;
        say("queued|ok\nstart_game|1|Bob\nplay|1\nping\n").await;
        while lines.next_line().await.unwrap().unwrap() != "pong" {}
        say("opponent_left_game\nleft_queue|ok\n").await;
        while lines.next_line().await.unwrap().is_some() {}
        go.send(()).unwrap();
    };
    let (played, ()) = tokio::join!(playing, serving);
    assert_eq!(played.end, End::Played);
    let heard = heard.lock().unwrap();
    assert_eq!(heard.events, ["over #0 agent-lost 0:0 by #1"]);
    assert_eq!(heard.outcome.unwrap().winner().map(game_env::TeamId::index), Some(0));
}

/// A user who leaves keeps no opponent waiting.
#[tokio::test]
async fn a_client_that_is_to_leave_leaves_its_game_and_ends() {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (leave, left) = oneshot::channel();
    let connect = async || tcp::dial(address.as_str()).await;
    let settings = clients::dots::Settings {
        grid: Grid::new(2, 2).unwrap(),
        ..clients::dots::Settings::new("leaves".parse().unwrap())
    };
    let session = Session::new(settings, SimTime::START);
    let playing = play_over(connect, session, strategy("greedy", Seed::new(1)), |_| {}, async {
        left.await.unwrap();
    });
    let serving = async {
        let (stream, _) = listener.accept().await.unwrap();
        let (read, mut write) = stream.into_split();
        let mut lines = BufReader::new(read).lines();
        write.write_all(b"logged|ok\nqueued|ok\nstart_game|2|Bob\nplay|1\nping\n").await.unwrap();
        while lines.next_line().await.unwrap().unwrap() != "pong" {}
        leave.send(()).unwrap();
        let mut rest = Vec::new();
        while let Some(line) = lines.next_line().await.unwrap() {
            rest.push(line);
        }
        rest
    };
    let (played, rest) = tokio::join!(playing, serving);
    assert_eq!((played.end, rest), (End::Left, vec!["leave_game".to_owned()]));
}

/// While a policy thinks, its client answers pings. The policy hears the events and the outcome of its game.
#[tokio::test]
async fn a_client_answers_its_server_while_its_policy_thinks() {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (go, wait) = std::sync::mpsc::channel();
    let heard = Arc::new(Mutex::new(Heard::default()));
    let slow = Slow { go: wait, heard: Arc::clone(&heard) };
    let grid = Grid::new(2, 2).unwrap();
    let settings = clients::dots::Settings { grid, ..clients::dots::Settings::new("slow".parse().unwrap()) };
    let mut slow = Some(Seat::new(slow));
    let playing = play_over(
        async || tcp::dial(address.as_str()).await,
        Session::new(settings, SimTime::START),
        |start| {
            assert_eq!((start.game, start.player, start.config), (0, AgentId::new(1), grid));
            slow.take().unwrap()
        },
        |_| {},
        pending(),
    );
    let serving = async {
        let (stream, _) = listener.accept().await.unwrap();
        let (read, mut write) = stream.into_split();
        let mut lines = BufReader::new(read).lines();
        let mut say = async |text: &str| write.write_all(text.as_bytes()).await.unwrap();
        assert_eq!(lines.next_line().await.unwrap().unwrap(), "login|slow|");
        say("logged|ok\ntoken|00112233445566778899aabbccddeeff\n").await;
        assert_eq!(lines.next_line().await.unwrap().unwrap(), "queue");
        say("queued|ok\nstart_game|2|Bob\nplay|1\ndraw_coords|0|1\nplay|2\nping\n").await;
        assert_eq!(lines.next_line().await.unwrap().unwrap(), "pong", "its policy waits for the test");
        go.send(()).unwrap();
        assert_eq!(lines.next_line().await.unwrap().unwrap(), "line_coords|2|3");
        say("draw_coords|2|3\nplay|1\nopponent_left_game\n").await;
        assert_eq!(lines.next_line().await.unwrap().unwrap(), "leave_queue");
        say("left_queue|ok\n").await;
    };
    let (played, ()) = tokio::join!(playing, serving);
    assert_eq!(played.end, End::Played);
    let heard = heard.lock().unwrap();
    assert_eq!(heard.events, ["#0 drew 0-1", "#1 drew 2-3", "over #1 agent-lost 0:0 by #0"]);
    assert_eq!(heard.outcome.unwrap().winner().map(game_env::TeamId::index), Some(1));
}
