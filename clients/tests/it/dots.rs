//! The client of Dots & Boxes before a server that only sends lines.

use clients::ClientSession as _;
use clients::dots::{End, Input, News, Output, Session, Settings};
use game_dots::{Config as Grid, Edge};
use game_env::SimTime;

/// A client and all that it has sent.
struct Client {
    session: Session,
    sent: String,
    /// The number of reports that the server does not let it wait for a game.
    refusals: u32,
    end: Option<End>,
}

impl Client {
    fn new(games: u32) -> Self {
        let grid = Grid::new(2, 2).unwrap();
        let settings = Settings { games: Some(games), grid, ..Settings::new("Ada".parse().unwrap()) };
        let session = Session::new(settings, SimTime::START);
        let mut client = Self { session, sent: String::new(), refusals: 0, end: None };
        client.handle(Input::Connected);
        client
    }

    fn handle(&mut self, input: Input<'_>) {
        self.session.handle(SimTime::START, input);
        self.obey();
    }

    fn obey(&mut self) {
        while let Some(output) = self.session.poll_output() {
            match output {
                Output::Send(bytes) => self.sent.push_str(str::from_utf8(&bytes).unwrap()),
                Output::Report(News::NotQueued) => self.refusals += 1,
                Output::Done(end) => self.end = Some(end),
                _ => {}
            }
        }
    }

    /// Returns what the client answers to these lines.
    fn hear(&mut self, lines: &[&str]) -> String {
        self.sent.clear();
        for line in lines {
            self.handle(Input::Received(format!("{line}\n").as_bytes()));
        }
        self.sent.clone()
    }

    /// Logs in, and begins a game of which the opponent has the first turn.
    fn begin(&mut self) {
        let token = "token|00112233445566778899aabbccddeeff";
        assert_eq!(self.hear(&["logged|ok", token]), "queue\n");
        assert_eq!(self.hear(&["queued|ok", "start_game|2|Bob", "play|1"]), "");
    }

    /// Loses its connection, logs in again, and waits for a `resume_game` that does not come.
    fn come_back(&mut self) {
        self.handle(Input::Closed);
        self.handle(Input::Connected);
        self.hear(&["logged|ok"]);
        self.sent.clear();
        self.session.handle(SimTime::from_millis(500), Input::Tick);
        self.obey();
    }
}

#[test]
fn a_client_without_a_token_asks_for_one_and_comes_back_with_it() {
    let mut client = Client::new(1);
    assert_eq!(client.sent, "login|Ada|\n");
    client.begin();
    client.handle(Input::Closed);
    client.sent.clear();
    client.handle(Input::Connected);
    assert_eq!(client.sent, "login|Ada|00112233445566778899aabbccddeeff\n");
}

#[test]
fn a_client_leaves_a_game_that_is_over_before_it_waits_for_the_next_one() {
    let mut client = Client::new(2);
    client.begin();
    for game in 1..=2 {
        client.hear(&["draw_coords|0|1", "play|2"]);
        client.handle(Input::Choice(Edge::between(1, 3)));
        client.hear(&["draw_coords|1|3", "play|1", "draw_coords|2|3", "play|2"]);
        client.handle(Input::Choice(Edge::between(0, 2)));
        let over = ["draw_coords|0|2", "draw_squares|2|0", "winner|2|1"];
        assert_eq!(client.hear(&over), "leave_game\n", "game {game}");
        if game == 1 {
            assert_eq!(client.hear(&["you_left_game|ok"]), "queue\n");
            client.hear(&["queued|ok", "start_game|2|Bob", "play|1"]);
        }
    }
    assert_eq!((client.hear(&["you_left_game|ok"]), client.end), (String::new(), Some(End::Played)));
}

/// `resume_game` comes late, so that the client asks for another game. The server reads this when the game is over.
#[test]
fn a_client_does_not_leave_the_game_for_which_it_has_asked_already() {
    let mut client = Client::new(2);
    client.begin();
    client.come_back();
    assert_eq!(client.sent, "queue\n");
    let rest = ["resume_game|2|Bob|2|0|0|0|1|1|3|2|3", "draw_coords|0|2", "draw_squares|2|0", "winner|2|1"];
    assert_eq!(client.hear(&rest), "");
    assert_eq!(client.hear(&["queued|ok", "start_game|1|Eve", "play|2"]), "");
    assert_eq!(client.session.opponent().map(ToString::to_string).as_deref(), Some("Eve"));
}

#[test]
fn a_client_that_is_not_let_into_the_queue_asks_again_after_a_while() {
    let mut client = Client::new(1);
    let token = "token|00112233445566778899aabbccddeeff";
    assert_eq!(client.hear(&["logged|ok", token, "queued|error"]), "queue\n");
    for round in 1..=3 {
        // Each line comes at the start.
        let due = SimTime::from_millis(10_000);
        assert_eq!(client.session.wake_at(), Some(due));
        client.sent.clear();
        client.session.handle(due, Input::Tick);
        client.obey();
        assert_eq!(client.sent, "queue\n", "round {round}");
        if round < 3 {
            client.hear(&["queued|error"]);
        }
    }
    assert_eq!(client.refusals, 1, "it is reported once");
    client.hear(&["queued|ok", "start_game|2|Bob", "play|1"]);
    assert_eq!(client.session.wake_at(), None);
}

/// A server without a journal has lost the game when it is back; or the game went on without the client, and is over.
#[test]
fn a_client_says_that_it_missed_the_end_of_a_game() {
    for (games, sent, end) in [(1, "", Some(End::Missed)), (2, "queue\n", None)] {
        let mut client = Client::new(games);
        client.begin();
        client.come_back();
        assert_eq!((client.sent.as_str(), &client.end), (sent, &end), "{games} games");
    }
}

/// The opponent leaves, and the server begins another game before it reads that the client has had enough.
#[test]
fn a_client_plays_no_game_more_than_it_was_told_to() {
    let mut client = Client::new(1);
    client.begin();
    assert_eq!(client.hear(&["opponent_left_game"]), "leave_queue\n");
    assert_eq!(client.hear(&["queued|ok", "start_game|1|Eve", "play|1"]), "leave_game\n");
    client.hear(&["left_queue|error"]);
    assert_eq!(client.end, Some(End::Played));
}
