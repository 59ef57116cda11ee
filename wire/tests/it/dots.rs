//! The protocol of Dots & Boxes: golden files in `tests/dots`, one message a line, and lines that are no message.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use proptest::prelude::*;
use wire::dots::catalogue::{NOTICES, REQUESTS, reference};
use wire::dots::line::{self, BLOCK, Decoder, Framing};
use wire::dots::{Notice, Request};

use crate::messages::{check_file, folder};

fn golden(name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder("tests/dots").join(name)).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// All lines that come out of these bytes if the stream is cut at these places.
fn cut(bytes: &[u8], places: &[usize]) -> Vec<String> {
    let mut decoder = Decoder::new(line::NOTICE_LIMIT);
    let mut lines = Vec::new();
    let ends = places.iter().copied().chain([bytes.len()]);
    let mut start = 0;
    for end in ends {
        let mut piece = &bytes[start..end];
        while let Some(line) = decoder.next(&mut piece) {
            lines.push(line.unwrap().to_owned());
        }
        start = end;
    }
    assert!(!decoder.is_inside_line());
    lines
}

#[test]
fn messages_are_written_as_they_are_read() {
    for text in golden("requests.txt") {
        assert_eq!(text.parse::<Request>().map(|read| read.to_string()), Ok(text));
    }
    for text in golden("notices.txt") {
        assert_eq!(text.parse::<Notice>().map(|read| read.to_string()), Ok(text));
    }
}

#[test]
fn the_catalogue_has_every_message_and_the_book_its_reference() {
    let words = |texts: Vec<String>| -> BTreeSet<String> {
        texts.iter().map(|text| text.split('|').next().unwrap().to_owned()).collect()
    };
    let known = |messages: &[wire::dots::catalogue::Message]| -> BTreeSet<String> {
        messages.iter().map(|message| message.word().to_owned()).collect()
    };
    assert_eq!(words(golden("requests.txt")), known(&REQUESTS));
    assert_eq!(words(golden("notices.txt")), known(&NOTICES));
    for message in REQUESTS {
        assert_eq!(message.example.parse::<Request>().unwrap().word(), message.word());
    }
    for message in NOTICES {
        assert_eq!(message.example.parse::<Notice>().unwrap().word(), message.word());
    }
    check_file(&folder("../book/src/dots-messages.md"), &reference());
}

#[test]
fn what_is_no_message_is_told_what_would_be_right() {
    let mut told = String::new();
    for text in [
        "",
        "Queue",
        "login",
        "login|",
        "login|   ",
        "login|a\u{1b}[2J",
        &format!("login|{}", "x".repeat(21)),
        "login|Ada|secret",
        "login|Ada|00112233445566778899aabbccddeeff|",
        "queue|",
        "queue|now",
        "line_coords",
        "line_coords|0",
        "line_coords|0|",
        "line_coords|0|1|2",
        "line_coords|0|+1",
        "line_coords|0|1.5",
        "line_coords|0|99999999999999999999",
        "pong|1",
        "\u{202e}",
    ] {
        let error = text.parse::<Request>().unwrap_err();
        writeln!(told, "{text:?}: {error}").unwrap();
    }
    for text in [
        "logged",
        "logged|perhaps",
        "token|x",
        "grid|5",
        "play|3",
        "winner|3|1",
        "winner|1",
        "draw_squares|1",
        "resume_game|1|Bob|1|1|0",
        "resume_game|1|Bob|1|0|0|1",
        "resume_game|1|Bob|1|65536|0",
        "opponent_connection|3",
    ] {
        let error = text.parse::<Notice>().unwrap_err();
        writeln!(told, "{text:?}: {error}").unwrap();
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_stream_that_is_split_at_any_byte_has_the_same_messages() {
    let messages = golden("notices.txt");
    for framing in [Framing::Lines, Framing::Blocks] {
        let mut bytes = Vec::new();
        messages.iter().for_each(|message| line::write(message, framing, &mut bytes));
        if framing == Framing::Blocks {
            assert_eq!(bytes.len(), messages.len() * BLOCK);
        }
        for place in 0..=bytes.len() {
            assert_eq!(cut(&bytes, &[place]), messages, "split at {place}");
        }
        assert_eq!(cut(&bytes, &(0..bytes.len()).collect::<Vec<_>>()), messages, "byte by byte");
    }
    // As the original client ends its messages.
    let requests = golden("requests.txt");
    let bytes = requests.iter().flat_map(|text| [text.as_bytes(), b"\n\0"].concat()).collect::<Vec<u8>>();
    for place in 0..=bytes.len() {
        assert_eq!(cut(&bytes, &[place]), requests, "split at {place}");
    }
}

proptest! {
    #[test]
    fn any_cuts_give_the_same_lines(
        texts in prop::collection::vec("[a-z|0-9ž]{1,40}", 1..20),
        places in prop::collection::vec(0_usize..20_000, 0..20),
        blocks: bool,
    ) {
        let framing = if blocks { Framing::Blocks } else { Framing::Lines };
        let mut bytes = Vec::new();
        texts.iter().for_each(|text| line::write(text, framing, &mut bytes));
        let mut places: Vec<usize> = places.into_iter().map(|place| place.min(bytes.len())).collect();
        places.sort_unstable();
        prop_assert_eq!(cut(&bytes, &places), texts);
    }

    #[test]
    fn any_bytes_are_read_and_what_is_a_message_is_written_again(bytes: Vec<u8>, limit in 0_usize..100) {
        let mut decoder = Decoder::new(limit);
        let mut input = &bytes[..];
        while let Some(line) = decoder.next(&mut input) {
            let Ok(line) = line else { continue };
            prop_assert!(line.len() <= limit && !line.contains(['\n', '\0']));
            if let Ok(request) = line.parse::<Request>() {
                prop_assert_eq!(request.to_string().parse::<Request>(), Ok(request));
            }
            if let Ok(notice) = line.parse::<Notice>() {
                prop_assert_eq!(notice.to_string().parse::<Notice>(), Ok(notice));
            }
        }
        prop_assert!(input.is_empty());
    }

    #[test]
    fn near_messages_are_read_or_refused(line in "(login|queue|line_coords|resume_game|winner|draw_squares|grid|token)(\\|[-+0-9a-f ]{0,8}){0,12}") {
        if let Ok(request) = line.parse::<Request>() {
            prop_assert_eq!(request.to_string().parse::<Request>(), Ok(request));
        }
        if let Ok(notice) = line.parse::<Notice>() {
            prop_assert_eq!(notice.to_string().parse::<Notice>(), Ok(notice));
        }
    }
}
