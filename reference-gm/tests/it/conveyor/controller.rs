//! A controller whose board and players are only lines of text.

use std::collections::{BTreeMap, BTreeSet};

use game_env::{AgentId, Millis, SimTime};
use reference_gm::conveyor::controller::{Controller, End, Input, News, Output, Settings};
use reference_gm::server::ConnectionId;
use wire::conveyor::Dialect;

const BOARD: ConnectionId = ConnectionId(100);
const ONE: ConnectionId = ConnectionId(1);
const TWO: ConnectionId = ConnectionId(2);
const THREE: ConnectionId = ConnectionId(3);

struct Talk {
    controller: Controller,
    now: SimTime,
    lines: BTreeMap<ConnectionId, Vec<String>>,
    closed: BTreeSet<ConnectionId>,
    news: Vec<String>,
    end: Option<End>,
}

impl Talk {
    fn new(settings: Settings) -> Self {
        Self {
            controller: Controller::new(settings),
            now: SimTime::START,
            lines: BTreeMap::new(),
            closed: BTreeSet::new(),
            news: Vec::new(),
            end: None,
        }
    }

    fn handle(&mut self, input: Input<'_>) {
        self.now += Millis::new(1);
        self.controller.handle(self.now, input);
        while let Some(output) = self.controller.poll_output() {
            assert_eq!(self.end, None, "nothing follows the end");
            match output {
                Output::Send(id, bytes) => {
                    assert!(!self.closed.contains(&id), "nothing is sent behind the end");
                    let text = String::from_utf8(bytes).unwrap();
                    let line = text.strip_suffix("\r\n").unwrap();
                    self.lines.entry(id).or_default().push(line.to_owned());
                }
                Output::Close(id) => assert!(self.closed.insert(id), "{id} is closed once"),
                Output::Report(news) => {
                    if let News::Begun(list) = &news {
                        assert!(list.size.is_some());
                    }
                    self.news.push(news.to_string());
                }
                Output::Done(end) => self.end = Some(end),
            }
        }
    }

    fn say(&mut self, id: ConnectionId, line: &str) {
        self.handle(Input::Received(id, format!("{line}\r\n").as_bytes()));
    }

    /// Takes the lines that were sent to a connection since the last call, joined by ` | `.
    fn heard(&mut self, id: ConnectionId) -> String {
        self.lines.remove(&id).unwrap_or_default().join(" | ")
    }

    fn tick(&mut self) {
        self.now = self.controller.wake_at().expect("something is waited for");
        self.handle(Input::Tick);
    }

    /// A game with both players, on a board with 3 columns and 2 rows.
    fn begun(settings: Settings) -> Self {
        let mut talk = Self::new(settings);
        talk.handle(Input::Player(ONE));
        talk.say(ONE, "HAI");
        assert_eq!(talk.heard(ONE), "UR KITTEH");
        talk.list();
        talk.handle(Input::Player(TWO));
        talk.say(TWO, "HAI");
        assert_eq!(talk.heard(TWO), "UR SUPERCAT | SIZE 3,2");
        assert_eq!(talk.heard(ONE), "SIZE 3,2");
        talk
    }

    fn list(&mut self) {
        self.handle(Input::Board(BOARD));
        assert_eq!(self.heard(BOARD), "HAI");
        self.say(BOARD, "ALL YOUR BASE ARE BELONG TO ME");
        assert_eq!(self.heard(BOARD), "K | VISIBLE");
        for line in ["SIZE 3,2", "HINT 1,1", "HINT 2,1", "END1 3,1", "END2 1,2", "KITTEH 1,1"] {
            self.say(BOARD, line);
        }
        assert!(self.controller.list().is_none());
        self.say(BOARD, "SUPERCAT 3,2");
        assert!(self.controller.list().is_some());
    }
}

#[test]
fn a_whole_game_with_hints_refusals_and_a_winner() {
    let mut talk = Talk::begun(Settings::default());
    talk.say(ONE, "KITTEH WANT MOVE RIGHT");
    talk.say(TWO, "SUPERCAT WANT TURN LEFT");
    assert_eq!(talk.heard(BOARD), "KITTEH WANT MOVE RIGHT", "one request at a time");
    talk.say(BOARD, "HINT RIGHT");
    assert_eq!(talk.heard(ONE), "HINT RIGHT");
    assert_eq!(talk.heard(BOARD), "");
    talk.say(BOARD, "KITTEH 2,1");
    assert_eq!(talk.heard(BOARD), "SUPERCAT WANT TURN LEFT");
    talk.say(BOARD, "K");
    assert_eq!(talk.heard(TWO), "K");
    talk.say(TWO, "SUPERCAT WANT MOVE THREE");
    talk.say(BOARD, "NOWAI");
    assert_eq!(talk.heard(TWO), "NOWAI");
    talk.heard(BOARD);
    talk.say(ONE, "KITTEH WANT MOVE RIGHT");
    talk.say(TWO, "SUPERCAT WANT MOVE ONE");
    talk.say(BOARD, "K");
    talk.say(BOARD, "KITTEH 3,1");
    assert_eq!(talk.heard(BOARD), "KITTEH WANT MOVE RIGHT", "a winner comes before the next request");
    talk.say(BOARD, "SUPERCAT WINS");
    assert_eq!(talk.heard(BOARD), "LOL WUT?", "KITTEH is at home");
    talk.say(BOARD, "KITTEH WINS");
    assert_eq!(talk.heard(BOARD), "KITTEH WINS, GTFO");
    assert_eq!(talk.end, None);
    talk.handle(Input::Ended(BOARD));
    assert_eq!((talk.heard(ONE), talk.heard(TWO)), ("K | KITTEH WINS".to_owned(), "KITTEH WINS".to_owned()));
    assert_eq!(talk.end, Some(End::Won(AgentId::new(0))));
    assert_eq!(talk.closed, BTreeSet::from([ONE, TWO]));
    insta::assert_snapshot!(talk.news.join("\n"));
}

/// No message to a player has a place.
#[test]
fn players_ask_for_nothing_but_their_own_moves() {
    let mut talk = Talk::begun(Settings { nonsense: 100, ..Settings::default() });
    let lines = [
        "SUPERCAT WANT TURN UP",
        "SUPERCAT WANT MOVE ONE",
        "VISIBLE",
        "HAI",
        "HAI SUPERCAT",
        "K",
        "",
        "KITTEH 1,1",
        "KITTEH WINS, GTFO",
        "KITTEH WANT MOVE ONE",
        "\u{ff}\u{1b}",
    ];
    for line in lines {
        talk.say(ONE, line);
        assert_eq!((talk.heard(ONE), talk.heard(BOARD)), ("LOL WUT?".to_owned(), String::new()), "{line:?}");
    }
    talk.handle(Input::Received(ONE, &[b'x'; 200]));
    assert_eq!(talk.heard(ONE), "LOL WUT?");
    talk.say(ONE, "x");
    assert_eq!(talk.heard(ONE), "", "the same line");
    talk.say(ONE, "KITTEH WANT MOVE UP");
    assert_eq!(talk.heard(BOARD), "KITTEH WANT MOVE UP");
}

#[test]
fn too_much_nonsense_and_too_many_requests_free_the_place() {
    let mut talk = Talk::begun(Settings { nonsense: 3, ahead: 4, ..Settings::default() });
    (0..3).for_each(|_| talk.say(ONE, "x"));
    assert!(talk.closed.contains(&ONE));
    assert_eq!(talk.heard(ONE), "LOL WUT? | LOL WUT? | LOL WUT?");
    (0..5).for_each(|_| talk.say(TWO, "SUPERCAT WANT TURN UP"));
    assert!(talk.closed.contains(&TWO));
    assert_eq!(talk.heard(BOARD), "SUPERCAT WANT TURN UP");
    // The answer for a player that is gone is sent to nobody.
    talk.handle(Input::Player(THREE));
    talk.say(THREE, "SUPERCAT WANT MOVE ONE");
    talk.say(BOARD, "K");
    assert_eq!((talk.heard(THREE), talk.heard(BOARD)), (String::new(), "SUPERCAT WANT MOVE ONE".to_owned()));
    talk.say(BOARD, "K");
    assert_eq!(talk.heard(THREE), "K");
}

#[test]
fn nothing_is_passed_on_before_both_players_have_come() {
    let mut talk = Talk::new(Settings::default());
    talk.handle(Input::Player(ONE));
    talk.say(ONE, "KITTEH WANT MOVE UP");
    talk.list();
    assert_eq!(talk.heard(BOARD), "");
    talk.handle(Input::Player(TWO));
    assert_eq!(talk.heard(BOARD), "", "a connection is no player yet");
    talk.say(TWO, "HAI");
    assert_eq!(talk.heard(BOARD), "KITTEH WANT MOVE UP");
    // A player that is gone does not stop the game.
    talk.handle(Input::Ended(TWO));
    talk.say(BOARD, "NOWAI");
    talk.say(ONE, "KITTEH WANT MOVE LEFT");
    assert_eq!(talk.heard(BOARD), "KITTEH WANT MOVE LEFT");
}

#[test]
fn requests_that_come_early_are_passed_on_one_by_one() {
    let mut talk = Talk::new(Settings { alone: true, ..Settings::default() });
    talk.handle(Input::Player(ONE));
    talk.handle(Input::Received(ONE, b"KITTEH WANT MOVE UP\nKITTEH WANT MOVE DOWN\nKITTEH WA"));
    talk.list();
    assert_eq!(talk.heard(BOARD), "KITTEH WANT MOVE UP");
    talk.say(BOARD, "NOWAI");
    assert_eq!(
        (talk.heard(ONE), talk.heard(BOARD)),
        ("NOWAI".to_owned(), "KITTEH WANT MOVE DOWN".to_owned())
    );
    talk.say(ONE, "NT MOVE LEFT");
    talk.say(BOARD, "NOWAI");
    assert_eq!(talk.heard(BOARD), "KITTEH WANT MOVE LEFT");
}

#[test]
fn of_two_players_with_requests_one_of_each_is_passed_on_in_turn() {
    let mut talk = Talk::begun(Settings::default());
    talk.heard(BOARD);
    let asked = [("KITTEH WANT MOVE", "NOWAI"), ("SUPERCAT WANT TURN", "K")];
    for (id, (asked, _)) in [ONE, TWO].into_iter().zip(asked) {
        let lines = ["UP", "DOWN", "LEFT"].map(|way| format!("{asked} {way}\r\n")).concat();
        talk.handle(Input::Received(id, lines.as_bytes()));
    }
    for way in ["UP", "DOWN", "LEFT"] {
        for (asked, answer) in asked {
            assert_eq!(talk.heard(BOARD), format!("{asked} {way}"));
            talk.say(BOARD, answer);
        }
    }
}

#[test]
fn places_are_given_once() {
    let mut talk = Talk::new(Settings::default());
    for id in [ONE, TWO, THREE] {
        talk.handle(Input::Player(id));
    }
    talk.say(ONE, "HAI SUPERCAT");
    talk.say(TWO, "HAI SUPERCAT");
    talk.say(THREE, "HAI");
    assert_eq!(
        (talk.heard(ONE), talk.heard(TWO), talk.heard(THREE)),
        ("UR SUPERCAT".to_owned(), "NOWAI".to_owned(), "UR KITTEH".to_owned())
    );
    assert!(talk.closed.contains(&TWO));
    talk.handle(Input::Ended(ONE));
    let again = ConnectionId(4);
    talk.handle(Input::Player(again));
    talk.say(again, "SUPERCAT WANT TURN UP");
    assert_eq!(talk.heard(again), "");
    assert!(!talk.closed.contains(&again));
    assert_eq!(talk.end, None, "the game has not begun: nobody is waited for");
    assert_eq!(talk.controller.wake_at(), None);
}

#[test]
fn a_board_that_is_gone_in_mid_move_ends_the_game() {
    for (lines, by) in [
        (&[][..], "closes"),
        (&["K"], "closes"),
        (&["HINT UP"], "closes"),
        (&["K"], "is silent"),
        (&[], "is silent"),
        (&["K", "KITTEH 3,1"], "is silent"),
        (&["K", "KITTEH 3,3"], "is silent"),
    ] {
        let mut talk = Talk::begun(Settings::default());
        talk.say(ONE, "KITTEH WANT MOVE RIGHT");
        lines.iter().for_each(|line| talk.say(BOARD, line));
        if by == "closes" {
            talk.handle(Input::Ended(BOARD));
        } else {
            talk.tick();
            assert!(talk.closed.contains(&BOARD));
        }
        assert!(matches!(talk.end, Some(End::BoardLost(_))), "{lines:?} {by}: {:?}", talk.end);
        assert!(talk.heard(ONE).ends_with("KTHXBAI") && talk.heard(TWO).ends_with("KTHXBAI"));
    }
}

#[test]
fn a_board_that_is_gone_in_mid_list_makes_room_for_another() {
    let mut talk = Talk::new(Settings::default());
    talk.handle(Input::Board(ONE));
    talk.say(ONE, "ALL YOUR BASE ARE BELONG TO ME");
    talk.say(ONE, "SIZE 9,9");
    talk.say(ONE, "HINT 1,1");
    let other = ConnectionId(50);
    talk.handle(Input::Board(other));
    talk.say(other, "ALL YOUR BASE ARE BELONG TO ME");
    assert_eq!(talk.heard(other), "HAI | NOWAI");
    assert!(talk.closed.contains(&other));
    let spare = ConnectionId(51);
    talk.handle(Input::Board(spare));
    talk.handle(Input::Ended(ONE));
    // It was greeted, and has not answered yet: now it may play.
    talk.say(spare, "ALL YOUR BASE ARE BELONG TO ME");
    assert_eq!(talk.heard(spare), "HAI | K | VISIBLE");
    talk.tick();
    assert!(talk.closed.contains(&spare), "it is silent");
    talk.list();
    assert_eq!(talk.end, None);
}

/// If the two ports are swapped, the controller and the player say which port is for boards and which for players.
#[test]
fn a_player_at_the_port_for_boards_is_turned_away_with_a_hint() {
    let mut talk = Talk::new(Settings::default());
    talk.controller = Controller::new(Settings::default()).with_ports(5000, 5001);
    for line in ["HAI", "HAI SUPERCAT", "KITTEH WANT MOVE UP"] {
        let id = ConnectionId(200 + line.len() as u64);
        talk.handle(Input::Board(id));
        talk.say(id, line);
        assert_eq!(talk.heard(id), "HAI | NOWAI", "{line}");
        assert!(talk.closed.contains(&id));
        let told = talk.news.pop().unwrap();
        let expected =
            "the board is gone before the game: it asks as a player does; hint: players connect to port 5001";
        assert_eq!(told, expected, "{line}");
    }
    // The board comes after all.
    talk.handle(Input::Board(BOARD));
    talk.say(BOARD, "ALL YOUR BASE ARE BELONG TO ME");
    assert_eq!(talk.heard(BOARD), "HAI | K | VISIBLE");
}

#[test]
fn a_client_without_a_word_may_be_a_board_at_the_wrong_port() {
    let hint = "a client at the port for players has disconnected without a request; hint: a board connects to port 5000";
    let mut talk = Talk::new(Settings::default());
    talk.controller = Controller::new(Settings::default()).with_ports(5000, 5001);
    talk.handle(Input::Player(ONE));
    talk.handle(Input::Ended(ONE));
    assert_eq!(std::mem::take(&mut talk.news), [hint]);
    // A client that waits for too long is sent away.
    talk.handle(Input::Player(TWO));
    talk.tick();
    assert_eq!(talk.heard(TWO), "NOWAI");
    assert_eq!(std::mem::take(&mut talk.news), [hint]);
    // With a board, it is none.
    talk.handle(Input::Board(BOARD));
    talk.news.clear();
    talk.handle(Input::Player(THREE));
    talk.handle(Input::Ended(THREE));
    assert_eq!(talk.news, [""; 0]);
}

#[test]
fn nonsense_of_a_board_changes_nothing_and_is_limited() {
    let mut talk = Talk::begun(Settings { nonsense: 8, ..Settings::default() });
    for line in ["K", "KITTEH 1,1", "SIZE 3,2", "HINT 1,1"] {
        talk.say(BOARD, line);
        assert_eq!(talk.heard(BOARD), "LOL WUT?", "{line}");
    }
    talk.say(ONE, "KITTEH WANT MOVE UP");
    talk.heard(BOARD);
    for line in ["KITTEH 1,2", "kitteh wins"] {
        talk.say(BOARD, line);
        assert_eq!((talk.heard(BOARD), talk.heard(ONE)), ("LOL WUT?".to_owned(), String::new()), "{line}");
    }
    talk.say(BOARD, "K");
    talk.say(BOARD, "SUPERCAT 1,2");
    assert_eq!((talk.heard(BOARD), talk.heard(ONE)), ("LOL WUT?".to_owned(), "K".to_owned()));
    assert_eq!(talk.end, None);
    talk.say(BOARD, "\u{ff}");
    assert!(matches!(talk.end, Some(End::BoardLost(_))));
}

/// As a client is whose first line is no request of a player.
#[test]
fn a_board_whose_first_line_is_nonsense_is_told_so_and_lost() {
    let mut talk = Talk::new(Settings::default());
    talk.handle(Input::Board(BOARD));
    talk.say(BOARD, "HELLO");
    assert_eq!(talk.heard(BOARD), "HAI | LOL WUT?");
    assert!(talk.closed.contains(&BOARD) && talk.end.is_none(), "another board may come: {:?}", talk.end);
}

#[test]
fn lists_that_make_no_sense_are_not_believed() {
    for (lines, wrong) in [
        (&[][..], "HINT 1,1"),
        (&[], "KITTEH 1,1"),
        (&[], "SIZE 1,1"),
        (&["SIZE 3,2"], "SIZE 3,2"),
        (&["SIZE 3,2"], "HINT 4,1"),
        (&["SIZE 3,2", "HINT 1,1"], "END1 1,1"),
        (&["SIZE 3,2", "END1 1,1"], "END1 2,1"),
        (&["SIZE 3,2"], "SUPERCAT 1,1"),
        (&["SIZE 3,2", "KITTEH 1,1"], "KITTEH 1,1"),
        (&["SIZE 3,2", "KITTEH 1,1"], "HINT 1,1"),
        (&["SIZE 3,2"], "KITTEH WINS"),
    ] {
        let mut talk = Talk::new(Settings::default());
        talk.handle(Input::Board(BOARD));
        talk.say(BOARD, "ALL YOUR BASE ARE BELONG TO ME");
        lines.iter().for_each(|line| talk.say(BOARD, line));
        assert_eq!(talk.heard(BOARD), "HAI | K | VISIBLE", "{lines:?}");
        talk.say(BOARD, wrong);
        assert_eq!(talk.heard(BOARD), "LOL WUT?", "{lines:?} {wrong}");
    }
}

#[test]
fn a_board_of_2009_is_understood() {
    let mut talk = Talk::new(Settings { dialect: Dialect::Year2009, alone: true, ..Settings::default() });
    talk.handle(Input::Board(BOARD));
    for line in [
        "ALL YOUR BASE ARE BELONG TO ME",
        "SIZE 3,4",
        "HINT 0,0",
        "TRANSPORT 1,1 => 2,3",
        "END1 2,0",
        "END2 0,1",
        "KITTEH 1,0",
        "SUPERCAT 2,1",
    ] {
        talk.say(BOARD, line);
    }
    talk.handle(Input::Player(ONE));
    talk.say(ONE, "KITTEH WANT MOVE LEFT");
    talk.say(BOARD, "HINT DOWN");
    assert_eq!(talk.heard(ONE), "HINT UP");
    talk.say(BOARD, "KITTEH 0,0");
    let list = talk.controller.list().unwrap();
    assert_eq!(list.places[0].unwrap().to_string(), "1,1");
    assert_eq!(list.home(AgentId::new(0)).unwrap().to_string(), "3,1");
    // Its sudden death.
    talk.handle(Input::Ended(BOARD));
    assert!(matches!(talk.end, Some(End::BoardLost(_))));
}

#[test]
fn a_game_that_all_players_have_left_ends_after_a_while() {
    let mut talk = Talk::begun(Settings::default());
    talk.handle(Input::Ended(ONE));
    let later = talk.now + Millis::new(100_000);
    assert!(talk.controller.wake_at() > Some(later), "the other one plays on");
    talk.handle(Input::Ended(TWO));
    talk.handle(Input::Player(THREE));
    talk.say(THREE, "HAI KITTEH");
    assert!(talk.controller.wake_at() > Some(later));
    talk.handle(Input::Ended(THREE));
    talk.tick();
    assert_eq!(talk.end, Some(End::Deserted));
    assert!(talk.closed.contains(&BOARD));
}

#[test]
fn a_game_that_all_players_left_before_its_list_ends_after_a_while() {
    let mut talk = Talk::new(Settings { alone: true, ..Settings::default() });
    for player in [ONE, TWO] {
        talk.handle(Input::Player(player));
        talk.say(player, "HAI");
    }
    talk.handle(Input::Ended(ONE));
    talk.handle(Input::Ended(TWO));
    // A board may come hours later: there is nothing to end before.
    assert_eq!(talk.controller.wake_at(), None);
    talk.now += Millis::new(3_600_000);
    talk.list();
    assert_eq!(wait(&mut talk), 60_000);
    assert_eq!(talk.end, Some(End::Deserted));
}

/// Lets time pass until the next moment that the controller waits for; how long it waited, in ms.
fn wait(talk: &mut Talk) -> u64 {
    let due = talk.controller.wake_at().expect("something is waited for");
    let span = due.as_millis() - talk.now.as_millis();
    talk.now = due;
    talk.handle(Input::Tick);
    span
}

#[test]
fn a_client_that_is_no_player_in_time_is_turned_away() {
    let mut talk = Talk::new(Settings { arrival: Millis::new(5_000), ..Settings::default() });
    for id in [ONE, TWO, THREE] {
        talk.handle(Input::Player(id));
    }
    talk.say(TWO, "HAI");
    // Half a line is no reason to wait for longer.
    talk.handle(Input::Received(THREE, b"HA"));
    assert_eq!(wait(&mut talk), 5_000 - 4);
    assert_eq!((talk.heard(ONE), talk.closed.contains(&ONE)), ("NOWAI".to_owned(), true));
    wait(&mut talk);
    assert_eq!((talk.heard(THREE), talk.closed.contains(&THREE)), ("NOWAI".to_owned(), true));
    assert_eq!(talk.controller.wake_at(), None, "a player waits for the board as long as it likes");
    let told = |words: &str| talk.news.iter().filter(|news| news.starts_with(words)).count();
    // These clients may have been boards.
    assert_eq!(told("a client at the port for players has disconnected without a request; hint: a board"), 2);
}

#[test]
fn a_client_whose_first_line_is_no_request_is_closed_at_once() {
    for first in ["POST / HTTP/1.1", "Host: 127.0.0.1", "x", "", "WHAT IS THIS"] {
        let mut talk = Talk::new(Settings::default());
        talk.handle(Input::Player(ONE));
        talk.handle(Input::Received(ONE, format!("{first}\r\nHAI KITTEH\r\n").as_bytes()));
        assert_eq!((talk.heard(ONE), talk.closed.contains(&ONE)), ("LOL WUT?".to_owned(), true), "{first}");
        talk.handle(Input::Player(TWO));
        talk.say(TWO, "HAI KITTEH");
        assert!(talk.heard(TWO).contains("UR KITTEH"), "the place is free");
    }
}

#[test]
fn a_board_whose_first_line_is_not_that_of_a_board_is_closed_at_once() {
    for first in ["POST / HTTP/1.1", "x", "KITTEH 0,0"] {
        let mut talk = Talk::new(Settings::default());
        talk.handle(Input::Board(ONE));
        talk.handle(Input::Received(ONE, format!("{first}\r\n").as_bytes()));
        assert!(talk.closed.contains(&ONE), "{first}");
        assert_eq!(talk.end, None, "the controller waits for another board");
    }
}

#[test]
fn a_player_that_asks_for_nothing_loses_its_place() {
    let settings = Settings { silence: Millis::new(5_000), ..Settings::default() };
    let mut talk = Talk::begun(settings);
    talk.say(TWO, "SUPERCAT WANT TURN UP");
    assert_eq!(talk.heard(BOARD), "SUPERCAT WANT TURN UP");
    talk.now += Millis::new(4_000);
    talk.say(BOARD, "K");
    // Since the game began one player has said nothing; the other one was answered.
    assert!((900..1_100).contains(&wait(&mut talk)));
    assert!(talk.closed.contains(&ONE) && !talk.closed.contains(&TWO));
    assert_eq!(talk.heard(ONE), "NOWAI");
    assert_eq!(talk.news[talk.news.len() - 2..], ["KITTEH sent no request in time", "KITTEH is gone"]);
    // Another client may have the place, and the game goes on.
    talk.handle(Input::Player(THREE));
    talk.say(THREE, "KITTEH WANT MOVE UP");
    assert_eq!(talk.heard(BOARD), "KITTEH WANT MOVE UP");
    // A player that waits for the board is not silent; the board is.
    talk.now += Millis::new(4_500);
    talk.handle(Input::Tick);
    assert!(talk.closed.contains(&TWO) && !talk.closed.contains(&THREE));
    assert_eq!(talk.end, None);
    talk.say(BOARD, "NOWAI");
    wait(&mut talk);
    assert!(talk.closed.contains(&THREE));
    wait(&mut talk);
    assert_eq!(talk.end, Some(End::Deserted));
}

#[test]
fn a_stopped_controller_says_goodbye() {
    let mut talk = Talk::begun(Settings::default());
    talk.handle(Input::Stop);
    assert_eq!((talk.heard(ONE), talk.heard(TWO)), ("KTHXBAI".to_owned(), "KTHXBAI".to_owned()));
    assert_eq!(talk.closed.len(), 3);
    assert_eq!(talk.end, Some(End::Stopped));
}
