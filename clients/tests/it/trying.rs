//! A server that cannot be reached, or does not answer: clients of Dots & Boxes and Eriantys say that they try, and
//! when they give up. Those of all games leave when they are told to.

use clients::ClientSession as _;
use game_env::{Millis, SimTime};

/// Returns the reports of a session that never gets a connection, each line with its moment; the last one is the end.
macro_rules! told_without_a_server {
    ($game:ident, $settings:expr) => {{
        use clients::$game::{Input, Output, Session};

        let mut now = SimTime::START;
        let mut session = Session::new($settings, now);
        let mut told = Vec::new();
        'session: loop {
            while let Some(output) = session.poll_output() {
                match output {
                    Output::Connect => session.handle(now, Input::Unreachable("refused".to_owned())),
                    Output::Report(news) => told.push(format!("{now}: {news}")),
                    Output::Done(end) => {
                        told.push(format!("{now}: {end}"));
                        break 'session;
                    }
                    other => panic!("{other:?} without a connection"),
                }
            }
            now = session.wake_at().expect("it tries again");
            session.handle(now, Input::Tick);
        }
        told
    }};
}

#[test]
fn a_client_says_once_that_it_tries_and_at_last_that_it_gives_up() {
    let dots = clients::dots::Settings::new("Ada".parse().unwrap());
    let eriantys = clients::eriantys::Settings::new("Ada".parse().unwrap(), game_eriantys::Config::default());
    let expected = [
        "1.500 s: the server cannot be reached: refused; trying for 59 s more",
        "60.000 s: the server cannot be reached: refused",
    ];
    assert_eq!(told_without_a_server!(dots, dots), expected);
    assert_eq!(told_without_a_server!(eriantys, eriantys), expected);
}

/// A server that is back within a second is not worth a line.
#[test]
fn a_client_that_tries_for_less_than_a_second_says_nothing_before_the_end() {
    let mut dots = clients::dots::Settings::new("Ada".parse().unwrap());
    dots.patience = Millis::new(500);
    let told = told_without_a_server!(dots, dots);
    assert_eq!(told, ["0.500 s: the server cannot be reached: refused"]);
}

/// Only the first message of the server has a limit: other players may join hours later.
#[test]
fn a_client_waits_for_other_players_without_a_limit() {
    macro_rules! check {
        ($game:ident, $session:expr, $answer:expr) => {{
            use clients::$game::{End, Input, Output};

            for is_answered in [false, true] {
                let mut session = $session;
                session.handle(SimTime::START, Input::Connected);
                assert_eq!(session.wake_at(), Some(SimTime::from_millis(75_000)));
                session.handle(SimTime::from_millis(74_000), Input::Received(b"invalid\n"));
                if is_answered {
                    session.handle(SimTime::from_millis(74_999), Input::Received($answer.as_bytes()));
                    assert_eq!(session.wake_at(), None);
                }
                session.handle(SimTime::from_millis(75_000), Input::Tick);
                session.handle(SimTime::from_millis(36_000_000), Input::Tick);
                let ends = std::iter::from_fn(|| session.poll_output())
                    .any(|output| output == Output::Done(End::NoAnswer));
                assert_eq!(ends, !is_answered);
            }
        }};
    }
    let dots = || {
        let settings = clients::dots::Settings::new("Ada".parse().unwrap());
        clients::dots::Session::new(settings, SimTime::START)
    };
    let answer = "logged|ok\ntoken|00112233445566778899aabbccddeeff\nqueued|ok\n";
    check!(dots, dots(), answer);
    let eriantys = || {
        let config = game_eriantys::Config::default();
        let settings = clients::eriantys::Settings::new("Ada".parse().unwrap(), config);
        clients::eriantys::Session::new(settings, SimTime::START)
    };
    let answer = "{\"type\":\"LoginMatchOptions\",\"open\":[],\"saved\":[]}\n";
    check!(eriantys, eriantys(), answer);
    let conveyor = || clients::conveyor::Session::new(clients::conveyor::Settings::default());
    check!(conveyor, conveyor(), "UR KITTEH\r\n");
}

#[test]
fn a_client_that_is_to_leave_ends_at_once() {
    macro_rules! last_of {
        ($game:ident, $session:expr) => {{
            use clients::$game::{End, Input, Output};

            let mut session = $session;
            session.handle(SimTime::START, Input::Connected);
            session.handle(SimTime::START, Input::Leave);
            let last = std::iter::from_fn(|| session.poll_output()).last();
            last == Some(Output::Done(End::Left))
        }};
    }
    let name = "Ada".parse().unwrap();
    let dots = clients::dots::Session::new(clients::dots::Settings::new(name), SimTime::START);
    assert!(last_of!(dots, dots));
    let settings = clients::eriantys::Settings::new("Ada".parse().unwrap(), game_eriantys::Config::default());
    assert!(last_of!(eriantys, clients::eriantys::Session::new(settings, SimTime::START)));
    let settings = clients::conveyor::Settings { player: None, hints: None, conveyors: None };
    assert!(last_of!(conveyor, clients::conveyor::Session::new(settings)));
}
