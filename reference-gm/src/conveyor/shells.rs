//! Moves bytes for a [`Board`] and a [`Controller`], reads the clock, and decides nothing.

use std::future::pending;
use std::io;
use std::pin::{Pin, pin};
use std::time::Duration;

use game_conveyor::State;
use game_env::{SimTime, Witness};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::time::{Instant, sleep_until, timeout};
use wire::conveyor::LONGEST_LINE;
use wire::lines::LineDecoder;

use super::board::{self, Board};
use super::controller::{self, Controller};
use crate::server::connections::{Clients, Event, FAREWELL};
use crate::server::places::Places;

/// Time that the other end has to accept the bytes that are written.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The most connections at one port of a controller. Those that are neither the board nor a player give way to
/// newcomers.
const CONNECTIONS: usize = 64;

/// Bytes that may wait for a client that reads slowly.
const BUFFER_BYTES: usize = 1 << 16;

/// Records and reports a board's game.
pub trait BoardObserver: Witness<State> {
    /// The board has something to report.
    fn news(&mut self, board: &Board, news: &board::News);
}

/// Plays a board over this connection until it ends, or until `stop` is ready.
pub async fn play_board<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    mut board: Board,
    stop: impl Future<Output = ()>,
    observer: &mut impl BoardObserver,
) -> (Board, board::End) {
    let began = Instant::now();
    let mut decoder = LineDecoder::new(LONGEST_LINE);
    let mut buffer = [0; 1024];
    let mut stop = pin!(stop);
    loop {
        let wake = board.wake_at().map(|at| began + Duration::from(at));
        let mut bytes: &[u8] = &[];
        let input = tokio::select! {
            read = stream.read(&mut buffer) => match read {
                Ok(length) if length > 0 => {
                    bytes = &buffer[..length];
                    None
                }
                Ok(_) | Err(_) => Some(board::Input::Closed),
            },
            () = sleep_until(wake.unwrap_or(began)), if wake.is_some() => Some(board::Input::Tick),
            () = &mut stop => Some(board::Input::Stop),
        };
        let now = SimTime::from(began.elapsed());
        if let Some(input) = input {
            board.handle(now, input, observer);
            let stop = if matches!(input, board::Input::Stop) { None } else { Some(stop.as_mut()) };
            if let Some(end) = carry_out(&mut stream, &mut board, now, stop, observer).await {
                return (board, end);
            }
        }
        while let Some(line) = decoder.next(&mut bytes) {
            board.handle(now, board::Input::Line(line.as_deref().map_err(|error| *error)), observer);
            let stop = Some(stop.as_mut());
            if let Some(end) = carry_out(&mut stream, &mut board, now, stop, observer).await {
                return (board, end);
            }
        }
    }
}

/// Carries out all outputs of the board; returns its end, once it has ended. `stop` ends the wait for a controller that
/// does not read, and the board; none if the board was stopped already.
async fn carry_out<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    board: &mut Board,
    now: SimTime,
    stop: Option<Pin<&mut impl Future<Output = ()>>>,
    observer: &mut impl BoardObserver,
) -> Option<board::End> {
    let mut out = Vec::new();
    let mut done = None;
    while let Some(output) = board.poll_output() {
        match output {
            board::Output::Send(bytes) => out.extend(bytes),
            board::Output::Report(news) => observer.news(board, &news),
            board::Output::Done(end) => done = Some(end),
        }
    }
    let stopped = async {
        match stop {
            Some(stop) => stop.await,
            None => pending().await,
        }
    };
    // The reason why not all was written, if so.
    let cut = tokio::select! {
        biased;
        written = timeout(TIMEOUT, stream.write_all(&out)) => match written {
            Ok(Ok(())) => None,
            Ok(Err(_)) | Err(_) => Some(board::Input::Closed),
        },
        () = stopped => Some(board::Input::Stop),
    };
    if done.is_some() {
        // The other end may read the last lines before the connection ends.
        let goodbye = async {
            stream.shutdown().await?;
            let mut rest = [0; 256];
            while stream.read(&mut rest).await? > 0 {}
            io::Result::Ok(())
        };
        let _ = timeout(FAREWELL, goodbye).await;
        return done;
    }
    if let Some(cut) = cut {
        board.handle(now, cut, observer);
        while let Some(output) = board.poll_output() {
            match output {
                board::Output::Send(_) => {}
                board::Output::Report(news) => observer.news(board, &news),
                board::Output::Done(end) => done = Some(end),
            }
        }
    }
    done
}

/// Serves one game at these two listeners, until it ends or until `stop` is ready. `heard` gets every report.
pub async fn serve_controller(
    mut controller: Controller,
    boards: TcpListener,
    players: TcpListener,
    stop: impl Future<Output = ()>,
    mut heard: impl FnMut(&controller::News),
) -> controller::End {
    const BOARDS: usize = 0;
    const PLAYERS: usize = 1;
    let (mut clients, mut inbox) = Clients::new(BUFFER_BYTES);
    let accepting = [(boards, BOARDS), (players, PLAYERS)]
        .map(|(listener, number)| clients.accept(listener, number, Places::new(CONNECTIONS, CONNECTIONS)));
    let began = Instant::now();
    let mut stop = pin!(stop);
    let end = loop {
        let wake = controller.wake_at().map(|at| began + Duration::from(at));
        let event = tokio::select! {
            event = inbox.recv() => event,
            () = sleep_until(wake.unwrap_or(began)), if wake.is_some() => None,
            () = &mut stop => {
                controller.handle(began.elapsed().into(), controller::Input::Stop);
                None
            }
        };
        let now = SimTime::from(began.elapsed());
        match event {
            Some(Event::Connected(number, stream, place)) => {
                let (id, _) = clients.attend(stream, place);
                let input = if number == BOARDS {
                    controller::Input::Board(id)
                } else {
                    controller::Input::Player(id)
                };
                controller.handle(now, input);
            }
            Some(Event::Received(id, bytes, _turn)) => {
                controller.handle(now, controller::Input::Received(id, &bytes));
                clients.keep_place(id, || controller.is_known(id));
            }
            Some(Event::Ended(id)) => {
                clients.close(id);
                controller.handle(now, controller::Input::Ended(id));
            }
            None => controller.handle(now, controller::Input::Tick),
        }
        let mut end = None;
        while let Some(output) = controller.poll_output() {
            match output {
                controller::Output::Send(id, bytes) => clients.send(id, bytes),
                // Its task writes what it has, and ends.
                controller::Output::Close(id) => clients.close(id),
                controller::Output::Report(news) => heard(&news),
                controller::Output::Done(how) => end = Some(how),
            }
        }
        if let Some(end) = end {
            break end;
        }
        clients.drop_slow();
    };
    accepting.iter().for_each(tokio::task::JoinHandle::abort);
    clients.farewell().await;
    end
}
