//! The protocol of Conveyor: golden files in `tests/conveyor`, one line each, and lines that are not in it.

use std::collections::BTreeSet;
use std::fs;

use game_conveyor::state::{STEPPER, TURNER};
use game_conveyor::{Direction, Place};
use game_env::NotationError;
use proptest::prelude::*;
use wire::conveyor::{Dialect, LONGEST_LINE, Notice, Order, Report, Request, Special};
use wire::lines::{LineDecoder, TooLong};

use crate::messages::folder;

/// Reads a line and writes it again.
type Rewrite = fn(&[u8]) -> Result<String, NotationError>;

fn report(line: &[u8], dialect: Dialect) -> Result<String, NotationError> {
    Report::read(line, dialect).map(|report| report.line(dialect))
}

/// Every kind of line: its golden file, and how it is read and written.
const KINDS: [(&str, Rewrite); 5] = [
    ("controller.txt", |line| Order::read(line).map(Order::line)),
    ("board.txt", |line| report(line, Dialect::Specification)),
    ("board-2009.txt", |line| report(line, Dialect::Year2009)),
    ("player.txt", |line| Request::read(line).map(Request::line)),
    ("to-player.txt", |line| Notice::read(line).map(Notice::line)),
];

fn golden(name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder("tests/conveyor").join(name)).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// The lines of these bytes if the stream is cut at these places; one that is too long as `!`.
fn cut(bytes: &[u8], places: &[usize]) -> Vec<Vec<u8>> {
    let mut decoder = LineDecoder::new(LONGEST_LINE);
    let mut lines = Vec::new();
    let mut start = 0;
    for end in places.iter().copied().chain([bytes.len()]) {
        let mut piece = &bytes[start..end];
        while let Some(line) = decoder.next(&mut piece) {
            lines.push(line.unwrap_or_else(|_: TooLong| b"!".to_vec()));
        }
        start = end;
    }
    lines
}

#[test]
fn every_line_is_written_as_it_is_read() {
    for (file, rewrite) in KINDS {
        let lines = golden(file);
        assert_eq!(lines.iter().collect::<BTreeSet<_>>().len(), lines.len(), "{file} has a line twice");
        for line in lines {
            assert_eq!(rewrite(line.as_bytes()), Ok(line), "{file}");
        }
    }
}

#[test]
fn lines_mean_the_same_in_any_pieces_with_and_without_carriage_returns() {
    for (file, rewrite) in KINDS {
        let lines = golden(file);
        for end in ["\r\n", "\n", "\r"] {
            let bytes = lines.iter().flat_map(|line| [line, end].concat().into_bytes()).collect::<Vec<u8>>();
            let all: Vec<usize> = (0..bytes.len()).collect();
            let cuts = all.iter().map(std::slice::from_ref).chain([&all[..], &[]]);
            for places in cuts {
                let read: Vec<_> = cut(&bytes, places).iter().map(|line| rewrite(line).unwrap()).collect();
                assert_eq!(read, lines, "{file} with {end:?} cut at {places:?}");
            }
        }
    }
}

#[test]
fn a_line_that_is_too_long_hides_no_other() {
    let long = "KITTEH WANT MOVE UP ".repeat(1000);
    let bytes = format!("HAI\r\n{long}\r\nVISIBLE\r\n").into_bytes();
    for place in (0..bytes.len()).step_by(7).chain([bytes.len() - 1]) {
        assert_eq!(cut(&bytes, &[place]), [&b"HAI"[..], b"!", b"VISIBLE"], "cut at {place}");
    }
    let longest = golden("board.txt").iter().chain(&golden("controller.txt")).map(String::len).max();
    assert!(longest.unwrap() * 2 < LONGEST_LINE);
}

#[test]
fn a_board_of_2009_counts_from_0_and_points_the_other_way() {
    let read = |line: &str| Report::read(line.as_bytes(), Dialect::Year2009).unwrap();
    assert_eq!(read("KITTEH 0,8"), Report::At(STEPPER, Place::new(1, 9)));
    assert_eq!(read("HINT UP"), Report::Hint(Direction::Down));
    assert_eq!(read("HINT DOWN"), Report::Hint(Direction::Up));
    assert_eq!(read("HINT LEFT"), Report::Hint(Direction::Left));
    assert_eq!(read("SIZE 12,9"), Report::Size { columns: 12, rows: 9 });
    let conveyor = |end| Report::Field { special: Special::Start, place: Place::new(2, 3), end };
    assert_eq!(read("TRANSPORT 1,2 => 5,6"), conveyor(Some(Place::new(6, 7))));
    assert_eq!(read("TRANSPORT 1,2"), conveyor(None));
    let report = Report::read(b"HINT UP", Dialect::Specification).unwrap();
    assert_eq!(report, Report::Hint(Direction::Up));
}

#[test]
fn what_is_no_line_is_an_error() {
    let places =
        ["0,1", "1,0", "100,1", "1", "1,", ",1", "1,2,3", "+1,2", "1, 2", "-1,2", "001,2", "1;2", "a,b", ""];
    for place in places {
        for word in ["HINT", "TRANSPORT", "END1", "END2", "KITTEH", "SUPERCAT", "SIZE"] {
            let line = format!("{word} {place}");
            assert!(Report::read(line.as_bytes(), Dialect::Specification).is_err(), "{line}");
        }
    }
    for line in [
        "",
        " ",
        "k",
        "K ",
        " K",
        "HAI ",
        "HINT",
        "HINT up",
        "HINT  UP",
        "END3 1,1",
        "END1 UP",
        "KITTEH",
        "KITTEH WIN",
        "KITTEN 1,1",
        "SUPERCAT WINS, GTFO!",
        "KITTEH WINS,GTFO",
        "LOL WUT",
        "KITTEH WANT MOVE",
        "KITTEH WANT MOVE ONE",
        "KITTEH WANT TURN UP",
        "SUPERCAT WANT MOVE UP",
        "SUPERCAT WANT MOVE FOUR",
        "SUPERCAT WANT TURN ONE",
        "TRANSPORT 1,2 => 3,4",
        "HAI KITTEN",
        "UR",
        "UR KITTEH ",
        "VISIBLE?",
        "K\u{0}",
        "\u{212a}",
        "HAI\u{a0}",
        "\u{1b}[2JHAI",
    ] {
        assert!(Order::read(line.as_bytes()).is_err(), "{line:?}");
        assert!(Report::read(line.as_bytes(), Dialect::Specification).is_err(), "{line:?}");
        assert!(Request::read(line.as_bytes()).is_err(), "{line:?}");
        assert!(Notice::read(line.as_bytes()).is_err(), "{line:?}");
    }
    let end = |line: &str| Report::read(line.as_bytes(), Dialect::Year2009);
    assert!(end("TRANSPORT 1,2 => 99,1").is_err(), "there is no column 100");
    assert!(end("HINT 1,2 => 3,4").is_err());
    assert!(end("TRANSPORT 1,2 =>").is_err());
    // Errors can be shown on a terminal.
    let error = Order::read(b"\x1b[2J\xff\xfe HAI").unwrap_err().to_string();
    assert!(
        error.starts_with("`\\u{1b}[2J\u{fffd}\u{fffd} HAI` is no line of a controller: expected HAI"),
        "{error}"
    );
}

#[test]
fn dialects_are_named() {
    assert_eq!("2009".parse(), Ok(Dialect::Year2009));
    assert_eq!(Dialect::Specification.to_string().parse(), Ok(Dialect::default()));
    let error = "2010".parse::<Dialect>().unwrap_err().to_string();
    assert_eq!(error, "no boards of `2010` are known: expected 2009, or specification");
}

#[test]
fn each_action_has_one_player() {
    for line in golden("player.txt") {
        if let Ok(Request::Want(action)) = Request::read(line.as_bytes()) {
            let is_first = wire::conveyor::player_of(action) == STEPPER;
            assert_eq!(line.starts_with("KITTEH"), is_first, "{line}");
        }
    }
    assert_eq!([STEPPER, TURNER].map(wire::conveyor::name), ["KITTEH", "SUPERCAT"]);
}

proptest! {
    #[test]
    fn near_lines_are_read_or_refused(
        line in "(HAI|K|UR|HINT|SIZE|TRANSPORT|END[12]|KITTEH|SUPERCAT)( (WANT|MOVE|TURN|WINS|UP|ONE|KITTEH|=>|[0-9]{1,3},[0-9]{1,3})){0,4}",
    ) {
        for (_, rewrite) in KINDS {
            if let Ok(written) = rewrite(line.as_bytes()) {
                prop_assert_eq!(rewrite(written.as_bytes()), Ok(written));
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(line: Vec<u8>) {
        for (_, rewrite) in KINDS {
            if let Ok(written) = rewrite(&line) {
                prop_assert_eq!(rewrite(written.as_bytes()), Ok(written));
            }
        }
    }
}
