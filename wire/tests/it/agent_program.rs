//! The program's side of the lines: a program in Rust.

use std::io::{self, Write};

use game_dots::State;
use wire::agent::message::{Answer, Ready};
use wire::agent::program::{Agent, AgentError, DecideOf, Program, ProgramError};

const HELLO: &str = concat!(
    r#"{"type":"hello","protocol":1,"game":"dots","rules":1,"config":{"rows":2,"cols":2},"agent":1,"teams":[0,1],"#,
    r#""chance":7,"thinking":"free"}"#
);
const DECIDE: &str = concat!(
    r#"{"type":"decide","id":1,"now":0,"observation":{"player":1,"mover":1,"points":[0,0],"across":[".","."],"#,
    r#""down":[".."],"boxes":["."]},"events":[],"options":["0-1","1-3"]}"#
);
const END: &str = r#"{"type":"end","now":0,"events":[],"winner":1,"points":[0,1],"termination":"normal"}"#;

/// Chooses the last option.
struct Last;

impl Agent for Last {
    type Game = State;

    fn ready(&self) -> Ready {
        Ready { name: Some("last".to_owned()), ..Ready::default() }
    }

    fn decide(&mut self, decide: DecideOf<State>) -> Result<Answer, AgentError> {
        let options = decide.options.unwrap_or_default();
        Ok(Answer::act(options.last().ok_or("there is no option")?))
    }
}

/// The output for these lines, and the error.
fn served(lines: &[&str]) -> (String, Option<ProgramError>) {
    let mut output = Vec::new();
    let begin = |_| Ok::<_, AgentError>(Last);
    let ended = Program::new(begin).serve(lines.join("\n").as_bytes(), &mut output);
    (String::from_utf8(output).unwrap(), ended.err())
}

#[test]
fn each_line_has_its_answer_with_its_number() {
    let ready = r#"{"type":"ready","protocol":1,"name":"last","options":true,"text":false,"board":true,"answers":false,"once":false}"#;
    let game = format!("{ready}\n{{\"id\":1,\"do\":\"1-3\"}}\n");
    assert_eq!(served(&[HELLO, DECIDE, END, HELLO, DECIDE, END]).0, game.repeat(2));
}

#[test]
fn a_host_of_a_higher_protocol_is_answered() {
    let hello = HELLO.replace(r#""protocol":1"#, r#""protocol":7"#);
    let (output, error) = served(&[&hello, DECIDE, END]);
    assert!(error.is_none() && output.contains(r#""do":"1-3""#), "{output}{error:?}");
}

#[test]
fn a_line_that_is_none_of_the_protocol_ends_the_program_with_its_reason() {
    for (lines, expected) in [
        (
            &["no JSON"][..],
            "cannot read the host's line: expected ident at line 1 column 2; the line is `no JSON`",
        ),
        (
            &[r#"{"type":"hello"}"#],
            "cannot read the host's line: missing field `protocol`; the line is `{\"type\":\"hello\"}`",
        ),
        (
            &[&HELLO.replace(r#""protocol":1"#, r#""protocol":0"#)],
            "`protocol` of the host is 0: expected 1, or a higher version",
        ),
        (
            &[r#"{"type":"hello","protocol":1,"game":"chess","rules":1,"board":[]}"#],
            "the host plays the game `chess`: this program plays `dots`",
        ),
        (
            &[&HELLO.replace(r#""rules":1"#, r#""rules":99"#)],
            "the host plays version 99 of the rules of `dots`: this program plays version 1",
        ),
        (&[DECIDE], "the host's first line is none of `hello`"),
        (&[HELLO, END, DECIDE], "the host's first line is none of `hello`"),
        (&[HELLO, &DECIDE.replace(r#""0-1","1-3""#, "")], "the agent cannot go on: there is no option"),
    ] {
        let (output, error) = served(lines);
        assert_eq!(error.map(|error| error.to_string()).as_deref(), Some(expected));
        assert_eq!(output.lines().count(), usize::from(lines.len() > 1), "{output}");
    }
    let (_, error) = served(&[&format!("{{\"type\":\"{}", "long".repeat(1_000))]);
    assert!(error.unwrap().to_string().len() < 400, "a long line is cut");
    // A terminal would obey these characters.
    for (line, expected) in [
        ("\u{1b}[2J", "the line is `\\u{1b}[2J`"),
        (r#"{"type":"\u001b[2J"}"#, r"unknown variant `\u{1b}[2J`"),
        (
            r#"{"type":"hello","protocol":1,"game":"\u001b[2J","rules":1}"#,
            r"the game `\u{1b}[2J`: this program",
        ),
    ] {
        let error = served(&[line]).1.unwrap().to_string();
        assert!(error.contains(expected) && !error.contains('\u{1b}'), "{error}");
    }
}

/// A host that is gone, or whose pipe fails in another way.
struct Closed(io::ErrorKind);

impl Write for Closed {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_host_that_is_gone_is_no_error() {
    let serve = |kind| Program::new(|_| Ok(Last)).serve(HELLO.as_bytes(), Closed(kind));
    assert!(serve(io::ErrorKind::BrokenPipe).is_ok());
    assert!(matches!(serve(io::ErrorKind::StorageFull), Err(ProgramError::Output(_))));
}
