//! The means by which an operator steers duels: keys, signals, and the page.
//!
//! It plays nothing: it allows the next move, stops a duel, and hands over the duel that is to be started.

use command_line::Failure;
use game_bricks::State;
use game_env::Parameters;
use reference_gm::bricks::choice::Choice;
use reference_gm::bricks::config::Mode;
use reference_gm::bricks::duel::Gate;
use reference_gm::keyboard::{Key, Keyboard};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, watch};
use viewer::matches::{Answer, Matches, Request};
use viewer::server::{Place, ViewerServer};

use crate::program::{Result, open_keyboard, serve_page, stop_signal, tell};

/// Keys, signals and the page, as long as the program runs.
pub(super) struct Session {
    keyboard: Option<Keyboard>,
    keys: mpsc::Receiver<Key>,
    quit: watch::Receiver<bool>,
    page: Option<Page>,
}

struct Page {
    server: ViewerServer,
    matches: Matches<State>,
    requests: mpsc::Receiver<Request<State>>,
}

/// The channels between the operator and one duel.
pub(super) struct Steering {
    /// The condition under which the next move begins.
    pub(super) gate: Gate,
    /// Whether the duel is to end now.
    pub(super) stop: watch::Receiver<bool>,
    /// The page's matches; none if there is no page.
    pub(super) matches: Option<Matches<State>>,
}

/// A request of the operator.
enum OperatorRequest {
    /// The program's end.
    Quit,
    /// The next move.
    Next,
    /// A request on the page.
    OfPage(Request<State>),
}

impl Session {
    /// Takes keys and signals, and serves the page if it has a place.
    pub(super) fn open(place: Option<Place>) -> Result<Self> {
        let (ended, quit) = watch::channel(false);
        let signal = stop_signal()?;
        tokio::spawn(async move {
            signal.await;
            ended.send_replace(true);
            ended.closed().await;
        });
        let (pressed, keys) = mpsc::channel(16);
        let keyboard = open_keyboard(pressed)?;
        let page = place.map(|place| {
            let (server, matches, requests) = serve_page(place)?;
            Ok::<_, Failure>(Page { server, matches, requests })
        });
        Ok(Self { keyboard, keys, quit, page: page.transpose()? })
    }

    /// Fails if moves are to be made by hand and there is nothing to make them with.
    pub(super) fn check(&self, mode: Mode) -> Result<()> {
        let how = match (mode, &self.keyboard, &self.page) {
            (Mode::Automatic(_), ..) => return Ok(()),
            (Mode::ByHand, Some(_), _) => "press Enter for the next move, q to stop",
            (Mode::ByHand, None, Some(_)) => "press M on the page for the next move",
            (Mode::ByHand, None, None) => {
                let hint = "start it in a terminal, serve a page with --page, or leave `--mode hand` out";
                return Err(Failure::misuse("mode = hand needs a keyboard or a page", hint));
            }
        };
        tell(how);
        Ok(())
    }

    /// Shows on the page what can be started there.
    pub(super) fn offer(&self, choice: &Choice) {
        if let Some(page) = &self.page {
            page.matches.settings(choice.clone());
        }
    }

    /// Returns what the operator starts next on the page; none if the program is to end.
    pub(super) async fn next_start(&mut self) -> Option<(Parameters, Answer)> {
        loop {
            match self.next().await {
                OperatorRequest::Quit => return None,
                OperatorRequest::Next => {}
                OperatorRequest::OfPage(Request::Start { parameters, answer }) => {
                    return Some((parameters, answer));
                }
                OperatorRequest::OfPage(request) => refuse(request, "no duel is being played"),
            }
        }
    }

    /// Plays a duel and serves the operator meanwhile; returns whether the program goes on. An operator who has
    /// started the duel gets the answer once the page takes orders for it, so that the next order finds it running.
    pub(super) async fn conduct<T>(
        &mut self,
        mode: Mode,
        starter: Option<Answer>,
        duel: impl AsyncFnOnce(Steering) -> T,
    ) -> (T, bool) {
        // A request that comes before the next move can begin is meant for it.
        let (next, moves) = mpsc::channel(1);
        let (stop, stopped) = watch::channel(false);
        let gate = match mode {
            Mode::Automatic(pace) => Gate::Open(pace),
            Mode::ByHand => Gate::Closed(moves),
        };
        let matches = self.page.as_ref().map(|page| page.matches.clone());
        if let Some(matches) = &matches {
            matches.by_hand(mode == Mode::ByHand);
            matches.running(true);
        }
        if let Some(answer) = starter {
            answer.accept();
        }
        let mut goes_on = true;
        let outcome = {
            let duel = duel(Steering { gate, stop: stopped, matches: matches.clone() });
            let mut duel = std::pin::pin!(duel);
            loop {
                tokio::select! {
                    outcome = &mut duel => break outcome,
                    asked = self.next(), if goes_on => match asked {
                        OperatorRequest::Quit => {
                            goes_on = false;
                            stop.send_replace(true);
                        }
                        OperatorRequest::Next => {
                            let _ = next.try_send(());
                        }
                        OperatorRequest::OfPage(Request::Next { answer }) => match next.try_send(()) {
                            // With one request waiting already, the next move comes anyway.
                            Ok(()) | Err(TrySendError::Full(())) => answer.accept(),
                            Err(TrySendError::Closed(())) => answer.refuse("no move waits for an operator"),
                        },
                        OperatorRequest::OfPage(Request::Stop { answer }) => {
                            stop.send_replace(true);
                            answer.accept();
                        }
                        OperatorRequest::OfPage(request) => refuse(request, "a duel is still running: stop it first"),
                    },
                }
            }
        };
        if let Some(matches) = &matches {
            matches.running(false);
            matches.by_hand(false);
        }
        (outcome, goes_on)
    }

    /// Keeps the page for its viewers, until the operator ends the program.
    pub(super) async fn finish(mut self, goes_on: bool, stays: bool) {
        if let Some(page) = &self.page
            && goes_on
            && (stays || self.keyboard.is_some())
        {
            let how = if self.keyboard.is_some() { "q or Ctrl-C" } else { "Ctrl-C or SIGTERM" };
            tell(&format!("the page stays at {} until {how}", page.server.url()));
            while self.next_start().await.is_some() {}
        }
        self.close();
    }

    /// Sends the closing message to all viewers of the page.
    pub(super) fn close(self) {
        if let Some(page) = self.page {
            page.server.close("the referee has ended");
        }
    }

    async fn next(&mut self) -> OperatorRequest {
        let Self { keys, quit, page, .. } = self;
        let request = async {
            match page {
                Some(page) => page.requests.recv().await,
                None => None,
            }
        };
        tokio::select! {
            biased;
            _ = quit.wait_for(|quit| *quit) => OperatorRequest::Quit,
            Some(key) = keys.recv() => match key {
                Key::Stop => OperatorRequest::Quit,
                Key::Start => OperatorRequest::Next,
            },
            Some(request) = request => OperatorRequest::OfPage(request),
        }
    }
}

/// Refuses a request for this reason.
fn refuse(request: Request<State>, why: &str) {
    match request {
        Request::Start { answer, .. } | Request::Next { answer } | Request::Stop { answer } => {
            answer.refuse(why);
        }
        // Nothing is offered, so nobody plays here.
        _ => {}
    }
}
