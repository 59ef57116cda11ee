//! A server of another protocol: the clients of all games end after some invalid messages.

use clients::ClientSession;
use clients::session::{Input, Output};
use game_env::SimTime;

/// Connects, sends the client this line again and again, and returns the number of lines before its end, and the end.
/// After every ninth line, the server sends one that is valid, if there is any.
fn lines_before_the_end<S: ClientSession>(
    mut session: S,
    line: &str,
    valid: Option<&str>,
) -> (usize, String) {
    session.handle(SimTime::START, Input::Connected);
    for lines in 0..1_000 {
        while let Some(output) = session.poll_output() {
            if let Output::Done(end) = output {
                return (lines, end.to_string());
            }
        }
        session.handle(SimTime::START, Input::Received(format!("{line}\n").as_bytes()));
        if let Some(valid) = valid.filter(|_| lines % 10 == 9) {
            session.handle(SimTime::START, Input::Received(format!("{valid}\n").as_bytes()));
        }
    }
    (1_000, "it has not ended".to_owned())
}

#[test]
fn a_client_leaves_a_server_that_sends_only_invalid_messages() {
    const OTHER: &str = "HTTP/1.1 400 Bad Request";
    let dots = || {
        let settings = clients::dots::Settings::new("Ada".parse().unwrap());
        clients::dots::Session::new(settings, SimTime::START)
    };
    let (lines, end) = lines_before_the_end(dots(), OTHER, None);
    assert_eq!(lines, 20, "{end}");
    assert!(end.starts_with("the server's messages break the rules: "), "{end}");
    assert_eq!(lines_before_the_end(dots(), OTHER, Some("ping")).0, 1_000);

    let config = game_eriantys::Config::default();
    let settings = clients::eriantys::Settings::new("Ada".parse().unwrap(), config);
    let eriantys = clients::eriantys::Session::new(settings, SimTime::START);
    let (lines, end) = lines_before_the_end(eriantys, OTHER, None);
    assert_eq!(lines, 20, "{end}");
    assert!(end.starts_with("the server's messages break the rules: "), "{end}");

    let conveyor = clients::conveyor::Session::new(clients::conveyor::Settings::default());
    let (lines, end) = lines_before_the_end(conveyor, OTHER, None);
    assert_eq!(lines, 20, "{end}");
    assert!(end.starts_with("invalid message of the controller: "), "{end}");
}
