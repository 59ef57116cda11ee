//! The host's side of the lines of a program, with a program that is a list of byte strings.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use game_env::text::is_hidden;
use game_env::{AgentId, Choice, Millis, Note, Place, Shape, SimTime, Termination};
use proptest::prelude::*;
use serde_json::{Value, json};
use wire::agent::message::{Answer, Information, OwnFindings, Stroke, Tell, Thinking};
use wire::agent::{
    Conversation, Fault, FaultReport, LONGEST_LINE, LONGEST_NOTE, LONGEST_SILENCE, Log, Lost, MOST_LOG_BYTES,
    MOST_LOG_LINES, MOST_SHAPES, NOTICE, Peer, Player, Progress,
};

/// A program that writes these pieces, and is then lost.
struct Scripted {
    pieces: VecDeque<Vec<u8>>,
    end: Lost,
    written: String,
    limits: Vec<Duration>,
}

impl Scripted {
    fn new<T: AsRef<[u8]>>(pieces: impl IntoIterator<Item = T>) -> Self {
        let pieces = pieces.into_iter().map(|piece| piece.as_ref().to_vec()).collect();
        Self { pieces, end: Lost::Late, written: String::new(), limits: Vec::new() }
    }
}

const TOOK: Duration = Duration::from_millis(3);

impl Peer for Scripted {
    fn exchange(
        &mut self,
        line: &[u8],
        limit: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        self.written.push_str(std::str::from_utf8(line).unwrap());
        self.limits.push(limit);
        let mut piece = Vec::new();
        loop {
            if read(&piece) == Progress::Done {
                return Ok(TOOK);
            }
            piece = self.pieces.pop_front().ok_or_else(|| self.end.clone())?;
        }
    }

    fn finish(self: Box<Self>, _: bool) {}
}

fn message() -> Value {
    json!({ "type": "decide" })
}

/// The answers to this many messages, or the fault, and the line that is no answer.
fn talk(pieces: &[&[u8]], messages: usize) -> (Vec<Result<Answer, Fault>>, Option<String>) {
    let mut peer = Scripted::new(pieces);
    let mut conversation = Conversation::new(Thinking::Free);
    let mut answers = Vec::new();
    for _ in 0..messages {
        answers.push(conversation.ask(&mut peer, &message()).map(|(answer, took)| {
            assert_eq!(took, TOOK);
            answer
        }));
    }
    (answers, conversation.take_strange())
}

fn ask(text: &str) -> (Result<Answer, Fault>, Option<String>) {
    let (mut answers, strange) = talk(&[text.as_bytes()], 1);
    (answers.remove(0), strange)
}

/// The line that is no answer, as it is told.
fn strange(line: &str) -> String {
    let (answer, strange) = ask(&format!("{line}\n{{\"do\":\"pass\"}}\n"));
    assert_eq!(answer, Ok(Answer::act("pass")));
    strange.unwrap()
}

#[test]
fn log_lines_before_an_answer_are_skipped() {
    for text in [
        "{\"do\":\"pass\"}\n",
        "thinking…\n\n  \n[1, 2]\nnull\n\"do\"\n{\"do\":\"pass\"}\n",
        "\r\n{\"do\":\"pass\"}\r\n",
        "  {\"do\" : \"pass\", \"unknown\": {\"a\": [1]}}\t\n",
        "\u{0}\u{1}\n{\"do\":\"pass\"}\r",
    ] {
        assert_eq!(ask(text), (Ok(Answer::act("pass")), None), "{text:?}");
    }
}

#[test]
fn the_first_line_that_is_no_answer_is_told_once() {
    let pass = b"{\"do\":\"pass\"}\n";
    let mut peer = Scripted::new([&b"{\"go\":1}\n{\"go\":2}\n"[..], pass, b"{\"go\":3}\n", pass]);
    let mut conversation = Conversation::new(Thinking::Free);
    assert_eq!(conversation.ask(&mut peer, &message()).unwrap().0, Answer::act("pass"));
    let none = "it has no answer: expected `do`, `wait`, `walk` or `tell`";
    assert_eq!(conversation.take_strange(), Some(format!("`{{\"go\":1}}`: {none}")));
    assert_eq!(conversation.take_strange(), None);
    assert_eq!(conversation.ask(&mut peer, &message()).unwrap().0, Answer::act("pass"));
    assert_eq!(conversation.take_strange(), None, "once in a game");
}

#[test]
fn a_line_that_is_no_answer_has_a_reason() {
    for (line, reason) in [
        ("{}", "it has no answer: expected `do`, `wait`, `walk` or `tell`"),
        ("{\"do\":null}", "it has no answer: expected `do`, `wait`, `walk` or `tell`"),
        (
            "{\"do\":\"pass\",\"wait\":null}",
            "it has several answers: expected one of `do`, `wait`, `walk` and `tell`",
        ),
        ("{\"do\":\"pass\",\"id\":2}", "it answers message 2: expected the answer to message 1"),
        ("{\"do\":5}", "invalid type: integer `5`, expected a string at line 1 column 7"),
        ("{\"wait\":-1}", "invalid value: integer `-1`, expected u32 at line 1 column 10"),
        ("{do: 1}", "key must be a string at line 1 column 2"),
        ("{\"do\":\"pass\"", "EOF while parsing an object at line 1 column 12"),
    ] {
        assert_eq!(strange(line), format!("`{line}`: {reason}"));
    }
}

#[test]
fn an_answer_behind_other_text_is_named_if_no_other_comes() {
    let behind = "thinking… {\"do\":\"pass\"}\n";
    let told = " it has written `thinking… {\"do\":\"pass\"}`: the text before the answer needs a line end";
    // Then a prompt for the next message, or another log line.
    for then in ["", "thinking… ", "done\n"] {
        let fault = ask(&format!("{behind}{then}")).0.unwrap_err();
        assert!(fault.to_string().ends_with(told), "{fault}");
    }
    // A program that shows its answers has written a log line.
    let (answer, strange) = ask(&format!("{behind}{{\"do\":\"pass\"}}\n"));
    assert!(answer.is_ok() && strange.is_none(), "{strange:?}");
    for line in ["thinking…", "a board: {\"x\":3}", "{\"do\":\"pass\"} it is"] {
        let fault = ask(&format!("{line}\n")).0.unwrap_err();
        assert!(!fault.to_string().contains("line end"), "{fault}");
    }
}

#[test]
fn a_reason_holds_nothing_that_a_terminal_obeys() {
    let long = "a".repeat(MOST_LOG_BYTES / 2);
    for (kind, shown) in [("ready\\u007f", "ready\\u{7f}"), ("\\u001b[2J", "\\u{1b}[2J"), (&long, "…")] {
        let mut peer = Scripted::new([format!("{{\"type\":\"{kind}\"}}\n")]);
        let fault = Conversation::new(Thinking::Free).begin(&mut peer, &message()).unwrap_err();
        let Fault::Silent { strange: Some(strange), .. } = fault else { panic!("{fault}") };
        let (_, reason) = strange.split_once("`: ").unwrap();
        assert!(reason.contains(shown) && !strange.contains(is_hidden), "{strange:?}");
        assert!(strange.chars().count() < 500 && reason.contains(", expected `ready` at line 1 column "));
    }
}

#[test]
fn deep_nesting_is_no_answer() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(200), close.repeat(200));
    for line in [
        format!("{}1{}", "{\"do\":".repeat(200), "}".repeat(200)),
        format!("{{\"do\":\"pass\",\"draw\":{}}}", deep("[", "]")),
        format!("{{\"tell\":{}}}", deep("[", "]")),
    ] {
        assert!(!strange(&line).is_empty());
    }
}

#[test]
fn a_wait_for_something_to_hear_is_not_a_missing_wait() {
    let read = |text: &str| -> Answer { serde_json::from_str(text).unwrap() };
    assert_eq!(read("{}"), Answer::default());
    assert_eq!(read("{\"wait\":null}").wait, Some(None));
    assert_eq!(read("{\"wait\":50}").wait, Some(Some(50)));
    assert_eq!(read("{\"tell\":null}").tell, Some(None));
    assert_eq!(read("{\"tell\":\"own\"}").tell, Some(Some(Tell::Own(OwnFindings::Own))));
    let empty = Tell::Information(Information::default());
    assert_eq!(read("{\"tell\":{}}").tell, Some(Some(empty)));
    let now = SimTime::from_millis(1_000);
    for (until, wait) in [(SimTime::NEVER, None), (SimTime::from_millis(1_250), Some(250))] {
        let answer = Answer::wait(now, until);
        assert_eq!(answer.wait, Some(wait));
        assert_eq!(Answer::until(wait, now), until);
    }
    assert_eq!(Answer::until(Some(0), now + Millis::new(1)), SimTime::from_millis(1_001));
}

#[test]
fn a_stream_is_read_however_it_is_cut() {
    let text = "log\r\n{\"go\":1}\r\n{\"do\":\"a\",\"id\":1}\r\n\r\nmore\n{\"do\":\"b\"}\n{\"wait\":5}\r\n";
    let bytes = text.as_bytes();
    let whole = talk(&[bytes], 3);
    let wait = Answer { wait: Some(Some(5)), ..Answer::default() };
    assert_eq!(whole.0, [Ok(Answer { id: Some(1), ..Answer::act("a") }), Ok(Answer::act("b")), Ok(wait)]);
    for cut in 0..=bytes.len() {
        let (one, other) = bytes.split_at(cut);
        assert_eq!(talk(&[one, other], 3), whole, "cut at {cut}");
    }
    let singly: Vec<&[u8]> = bytes.chunks(1).collect();
    assert_eq!(talk(&singly, 3), whole);
}

#[test]
fn the_host_writes_each_message_and_counts_those_with_an_answer() {
    let mut peer = Scripted::new([
        "{\"type\":\"ready\",\"protocol\":1,\"text\":true}\n{\"do\":\"a\"}\n",
        "{\"do\":\"b\"}\n",
    ]);
    let mut conversation = Conversation::new(Thinking::Free);
    let ready = conversation.begin(&mut peer, &json!({ "type": "hello" })).unwrap();
    assert!(ready.text && ready.options && ready.board && !ready.answers && !ready.once);
    assert_eq!(conversation.next_id(), 1);
    assert!(conversation.ask(&mut peer, &message()).is_ok());
    assert_eq!(conversation.next_id(), 2);
    assert!(conversation.ask(&mut peer, &message()).is_ok());
    assert!(conversation.end(&mut peer, &json!({ "type": "end" })));
    let written = "{\"type\":\"hello\"}\n{\"type\":\"decide\"}\n{\"type\":\"decide\"}\n{\"type\":\"end\"}\n";
    assert_eq!(peer.written, written);
}

/// A line behind the last answer could be taken for an answer of the next game.
#[test]
fn a_program_with_a_line_behind_its_last_answer_cannot_play_the_next_game() {
    let answer = "{\"do\":\"a\"}\n";
    for (behind, can_play) in
        [("", true), ("\r\n \n", true), (answer, false), ("log\n", false), ("{\"do", false)]
    {
        let mut peer = Scripted::new([format!("{answer}{behind}")]);
        let mut conversation = Conversation::new(Thinking::Free);
        assert!(conversation.ask(&mut peer, &message()).is_ok());
        assert_eq!(conversation.end(&mut peer, &json!({ "type": "end" })), can_play, "{behind:?}");
    }
}

#[test]
fn a_program_that_is_not_ready_is_told() {
    let begin = |text: &str| {
        let mut conversation = Conversation::new(Thinking::Free);
        let ready = conversation.begin(&mut Scripted::new([text]), &json!({ "type": "hello" }));
        (ready, conversation.take_strange())
    };
    assert_eq!(begin("{\"type\":\"ready\",\"protocol\":0}\n").0, Err(Fault::Version(0)));
    assert!(begin("{\"type\":\"ready\"}\n").0.is_ok());
    // The answer to a message of the game before.
    let (ready, strange) = begin("{\"do\":\"pass\"}\n{\"type\":\"ready\"}\n");
    assert!(ready.is_ok() && strange.unwrap().ends_with("missing field `type` at line 1 column 13"));
    let (ready, _) = begin("hello\n");
    let fault = ready.unwrap_err();
    assert_eq!(fault, Fault::Silent { waited: LONGEST_SILENCE, has_answered: false, strange: None });
    assert_eq!(fault.to_string(), "has never answered for 60 s; does it flush its output after each line?");
    let (ready, _) = begin("{\"type\":\"ready\"}");
    let told = "for 60 s; it has written `{\"type\":\"ready\"}`: it has no line end";
    assert!(ready.unwrap_err().to_string().ends_with(told));
}

#[test]
fn a_flood_of_log_lines_is_a_fault() {
    let most = usize::try_from(MOST_LOG_LINES).unwrap();
    let pass = "{\"do\":\"pass\"}\n";
    assert_eq!(ask(&format!("{}{pass}", "x\n".repeat(most))).0, Ok(Answer::act("pass")));
    assert_eq!(ask(&format!("{}{pass}", "x\n".repeat(most + 1))).0, Err(Fault::Flood));
    let long = |bytes: usize| format!("{}\n{pass}", "x".repeat(bytes - 1));
    assert_eq!(ask(&long(MOST_LOG_BYTES)).0, Ok(Answer::act("pass")));
    assert_eq!(ask(&long(MOST_LOG_BYTES + 1)).0, Err(Fault::Flood));
    // The limit is one between two answers.
    let lines = format!("{}{pass}", "x\n".repeat(most));
    let (answers, _) = talk(&[lines.as_bytes(), lines.as_bytes()], 2);
    assert_eq!(answers, [Ok(Answer::act("pass")), Ok(Answer::act("pass"))]);
    // Lines that look like answers and are none count as well.
    assert_eq!(ask(&format!("{}{pass}", "{}\n".repeat(most + 1))).0, Err(Fault::Flood));
}

#[test]
fn a_line_that_is_too_long_is_a_fault() {
    let line = |bytes: usize| {
        let fill = "x".repeat(bytes - "{\"do\":\"\"}".len());
        format!("{{\"do\":\"{fill}\"}}")
    };
    assert!(ask(&format!("{}\n", line(LONGEST_LINE))).0.is_ok());
    assert_eq!(ask(&format!("{}\n", line(LONGEST_LINE + 1))).0, Err(Fault::LongLine));
    // The fault is known before the line ends.
    assert_eq!(ask(&"x".repeat(LONGEST_LINE + 1)).0, Err(Fault::LongLine));
}

#[test]
fn a_lost_program_is_a_fault_and_a_termination() {
    let silent = Fault::Silent { waited: LONGEST_SILENCE, has_answered: false, strange: None };
    let ended = || "has ended with exit code 1".to_owned();
    for (lost, fault, termination) in [
        (
            Lost::NotStarted("no such file".to_owned()),
            Fault::NotStarted("no such file".to_owned()),
            Termination::CannotStart,
        ),
        (
            Lost::Host("too many open files".to_owned()),
            Fault::Host("too many open files".to_owned()),
            Termination::HostFault,
        ),
        (Lost::Ended(ended()), Fault::Ended(ended()), Termination::Crash),
        (Lost::Closed, Fault::Closed, Termination::AgentLost),
        (Lost::Late, silent, Termination::Silence),
    ] {
        let mut peer = Scripted { end: lost, ..Scripted::new(["log\n"]) };
        let found = Conversation::new(Thinking::Free).ask(&mut peer, &message()).unwrap_err();
        assert_eq!((found.termination(), found), (termination, fault));
    }
    for (fault, termination, words) in [
        (Fault::Late(Duration::from_millis(250)), Termination::Time, "has not answered within 250 ms"),
        (
            Fault::Flood,
            Termination::Protocol,
            "has written more than 1000 lines or 65536 bytes without an answer among them",
        ),
        (Fault::LongLine, Termination::Protocol, "has written a line of more than 1048576 bytes"),
        (
            Fault::Version(0),
            Termination::Protocol,
            "knows version 0 of the agent protocol: expected 1 or more",
        ),
        (Fault::Illegal("`jump` is no action".to_owned()), Termination::Illegal, "`jump` is no action"),
        (Fault::Waits, Termination::Silence, "has answered `wait` in a game without time: expected `do`"),
    ] {
        assert_eq!((fault.termination(), fault.to_string().as_str()), (termination, words));
    }
}

#[test]
fn a_limit_of_time_decides_between_late_and_silent() {
    for (thinking, limit, is_late) in [
        (Thinking::Free, LONGEST_SILENCE, false),
        (Thinking::ChargeMs(20), LONGEST_SILENCE, false),
        (Thinking::LimitMs(250), Duration::from_millis(250), true),
    ] {
        let mut peer = Scripted::new(["{\"type\":\"ready\"}\n{\"go\":1}\n"]);
        let mut conversation = Conversation::new(thinking);
        conversation.begin(&mut peer, &json!({ "type": "hello" })).unwrap();
        let fault = conversation.ask(&mut peer, &message()).unwrap_err();
        // A start has no limit of the match.
        assert_eq!(peer.limits, [LONGEST_SILENCE, limit]);
        let strange = "`{\"go\":1}`: it has no answer: expected `do`, `wait`, `walk` or `tell`".to_owned();
        if is_late {
            assert_eq!((fault, conversation.take_strange()), (Fault::Late(limit), Some(strange)));
        } else {
            let words = fault.to_string();
            assert!(words.starts_with("has not answered for 60 s;") && words.ends_with(&strange), "{words}");
            let expected = Fault::Silent { waited: limit, has_answered: true, strange: Some(strange) };
            assert_eq!((fault, conversation.take_strange()), (expected, None));
        }
    }
}

/// A program that answers in the second exchange, after it has been waited for.
struct Slow(Vec<(String, Duration)>);

impl Peer for Slow {
    fn exchange(
        &mut self,
        line: &[u8],
        limit: Duration,
        read: &mut dyn FnMut(&[u8]) -> Progress,
    ) -> Result<Duration, Lost> {
        self.0.push((String::from_utf8(line.to_vec()).unwrap(), limit));
        if self.0.len() == 1 {
            assert_eq!(read(b"{\"do\":"), Progress::More);
            return Err(Lost::Late);
        }
        assert_eq!(read(b" \"pass\"}\n"), Progress::Done);
        Ok(TOOK)
    }

    fn finish(self: Box<Self>, _: bool) {}
}

#[test]
fn those_who_watch_hear_of_a_program_that_is_slow() {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let lines = Arc::clone(&shown);
    let mut conversation = Conversation::new(Thinking::Free);
    conversation.show(Log::new(move |line| lines.lock().unwrap().push(line.to_owned())));
    let mut peer = Slow(Vec::new());
    let (answer, took) = conversation.ask(&mut peer, &message()).unwrap();
    assert_eq!((answer, took), (Answer::act("pass"), NOTICE + TOOK));
    let decide = format!("{}\n", message());
    assert_eq!(peer.0, [(decide, NOTICE), (String::new(), LONGEST_SILENCE - NOTICE)]);
    assert_eq!(
        *shown.lock().unwrap(),
        ["has not answered for 5 s, and fails after 60 s; it has written \
          `{\"do\":`: it has no line end"]
    );
}

/// A question comes while the program still thinks about a decision.
#[test]
fn a_question_makes_no_charged_thought_shorter() {
    let at = SimTime::from_millis;
    let peer = Scripted::new(["{\"do\":\"pass\"}\n", "{\"tell\":null}\n", "{\"wait\":10}\n"]);
    let mut player = Player::<Value, &str>::new(Box::new(peer), Thinking::ChargeMs(100));
    player.ask(at(0), &message()).unwrap();
    assert_eq!(player.charged(at(0), Choice::Act("pass")), Choice::Wait(at(300)));
    player.ask(at(200), &json!({ "type": "question" })).unwrap();
    assert_eq!(player.take_chosen(at(300)), Some(Choice::Wait(at(600))));
    assert_eq!(player.take_chosen(at(600)), Some(Choice::Act("pass")));
    assert_eq!(player.take_chosen(at(600)), None);
    // A choice to wait for less time than the thought took is no choice of the past.
    player.ask(at(1_000), &message()).unwrap();
    assert_eq!(player.charged(at(1_000), Choice::Wait(at(1_010))), Choice::Wait(at(1_300)));
    assert_eq!(player.take_chosen(at(1_300)), None);
}

#[test]
fn blunders_that_a_program_tells_are_counted_and_the_first_are_kept() {
    let answer = |text: &str| json!({ "do": "pass", "blunder": text }).to_string() + "\n";
    let long = "ä".repeat(LONGEST_NOTE + 1);
    let mut answers =
        vec![answer("ended with exit code 1 (at 0.000 s)"), answer("one\n\u{1b}two"), answer(&long)];
    answers.extend(vec![answer("more"); 99]);
    let count = answers.len();
    let mut player = Player::<Value, &str>::new(Box::new(Scripted::new(answers)), Thinking::Free);
    for _ in 0..count {
        let answer = player.ask(SimTime::from_millis(700), &message()).unwrap();
        assert_eq!(answer, Answer::act("pass"));
    }
    assert_eq!(player.failures(), 102);
    let reports = player.take_reports();
    assert_eq!(reports.len(), 100);
    let begin = "the program of agent #0 tells a blunder at 0.700 s: ";
    assert_eq!(reports[0], format!("{begin}ended with exit code 1 (at 0.000 s)"));
    assert_eq!(FaultReport::read(&reports[0], AgentId::new(0)), None, "a program forges no fault");
    assert_eq!(reports[1], format!("{begin}one\n\\u{{1b}}two"));
    assert_eq!(reports[2], format!("{begin}{}", "ä".repeat(LONGEST_NOTE)));
    assert!(player.take_reports().is_empty() && player.failures() == 102);
}

#[test]
fn a_note_is_cut_at_its_limits() {
    let long = "ä".repeat(LONGEST_NOTE + 1);
    let mut answer = Answer {
        note: Some(long.clone()),
        draw: vec![Stroke::Label([1, 2], long); MOST_SHAPES + 1],
        ..Answer::act("pass")
    };
    let Note { text, shapes } = answer.take_note().unwrap();
    let cut = "ä".repeat(LONGEST_NOTE);
    assert!(text == cut && shapes.len() == MOST_SHAPES);
    assert_eq!(shapes[0], Shape::Label(Place { x: 1, y: 2 }, cut));
    assert_eq!(answer, Answer::act("pass"));
    assert_eq!(answer.take_note(), None);
    let mut empty = Answer { note: Some(String::new()), ..Answer::act("pass") };
    assert_eq!(empty.take_note(), None);
}

fn shape() -> impl Strategy<Value = Shape> {
    let place = || any::<(u16, u16)>().prop_map(|(x, y)| Place { x, y });
    prop_oneof![
        place().prop_map(Shape::Field),
        (place(), place()).prop_map(|(from, to)| Shape::Line(from, to)),
        (place(), ".{0,5}").prop_map(|(at, text)| Shape::Label(at, text)),
    ]
}

proptest! {
    #[test]
    fn a_note_is_taken_as_it_was_given(text in ".{0,9}", shapes in prop::collection::vec(shape(), 0..9)) {
        let note = Note { text, shapes };
        let given = Answer::act("pass").with_note(Some(note.clone()));
        let mut read: Answer = serde_json::from_str(&serde_json::to_string(&given).unwrap()).unwrap();
        prop_assert_eq!(&read, &given);
        let is_empty = note == Note::default();
        prop_assert_eq!(read.take_note(), (!is_empty).then_some(note));
        prop_assert_eq!(read, Answer::act("pass"));
    }
}
