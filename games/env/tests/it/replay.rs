//! Replay files: their content, and the answers of a reader to broken, foreign and forged ones.

use std::io::{Read, Write as _};

use game_env::examples::pebbles::{Observation, Pebbles, Take};
use game_env::replay::{
    Completeness, Header, LATEST, Playback, Player, Progress, Reader, Record, ReplayError, Writer,
};
use game_env::{
    AgentId, Choice, Disruption, Environment, Limits, Millis, Note, Place, Policy, Rollout, Seed, Shape,
    SimTime, TeamId, Termination, Turn, Witness,
};
use proptest::prelude::*;

use crate::vault::{Config, Event, Guess, Seen, Vault};

fn players(names: &[&str]) -> Vec<Player> {
    let team = |place: usize| TeamId::new(u8::try_from(place % 2).unwrap());
    names.iter().enumerate().map(|(place, name)| Player::new(team(place), *name)).collect()
}

/// A game of 1,000 guesses by three agents, in which one is lost: long enough for hashes.
fn vault_file() -> (Vec<u8>, Vec<(SimTime, Event)>) {
    let config = Config::new(3, 5000, Millis::new(100));
    let seed = Seed::new(12);
    let header = Header::new::<Vault>(&config, seed, players(&["a", "b", "c"]), "tests 1.0");
    let mut recording = (Writer::new(Vec::new(), &header).unwrap(), Vec::new());
    let mut next = 0;
    let mut policies = [(); 3].map(|()| {
        move |_: SimTime, agent: AgentId, _: &Seen| {
            next += 1;
            Guess(3 * next + u32::try_from(agent.index()).unwrap())
        }
    });
    let disruptions = vec![(SimTime::from_millis(250), Disruption::AgentLost(AgentId::new(1)))];
    Rollout { disruptions, ..Rollout::default() }.play(
        &mut Vault::new(&config, seed),
        &mut policies,
        &mut recording,
    );
    let (writer, events) = recording;
    (writer.finish().unwrap(), events)
}

fn decompressed(file: &[u8]) -> String {
    let mut text = String::new();
    zstd_reader(file).read_to_string(&mut text).unwrap();
    text
}

fn zstd_reader(file: &[u8]) -> impl Read {
    zstd::stream::read::Decoder::new(file).unwrap()
}

fn play_text(text: &str) -> Result<game_env::replay::Summary, ReplayError> {
    Playback::<Pebbles>::open(text.as_bytes())?.run(&mut ())
}

const PEBBLES: &str = r#"{"format":"game-replay","version":1,"game":"pebbles","rules":1,"program":"tests 1.0","seed":"18446744073709551615","start":"1e223a12a57612a5","config":{"heap":4},"players":[{"team":0,"name":"a"},{"team":1,"name":"b"}]}
{"t":0,"a":0,"do":"take 3"}
{"t":0,"a":1,"do":"take 1"}
"#;

/// Takes one pebble, and leaves a note with every choice.
struct Chatty;

impl Policy<Pebbles> for Chatty {
    fn choose(&mut self, _: SimTime, _: AgentId, _: &Observation) -> Choice<Take> {
        Take::new(1).into()
    }

    fn note(&mut self) -> Option<Note> {
        let at = |x| Place { x, y: 0 };
        let shapes = vec![Shape::Field(at(1)), Shape::Line(at(0), at(2)), Shape::Label(at(3), "here".into())];
        Some(Note { text: "one is \"enough\"".to_owned(), shapes })
    }
}

/// Keeps the notes that it hears of, with the number of actions before each.
#[derive(Default)]
struct Reading {
    actions: usize,
    notes: Vec<(usize, SimTime, AgentId, Note)>,
}

impl Witness<Pebbles> for Reading {
    fn action(&mut self, _: &Pebbles, _: SimTime, _: AgentId, _: &Take) {
        self.actions += 1;
    }

    fn note(&mut self, _: &Pebbles, now: SimTime, agent: AgentId, note: &Note) {
        self.notes.push((self.actions, now, agent, note.clone()));
    }
}

/// The limits stand in the first line, unless they are those of any match.
#[test]
fn a_replay_has_the_limits_of_its_match() {
    let usual = Header::new::<Pebbles>(&4, Seed::new(1), players(&["a", "b"]), "tests 1.0");
    let text = |header: &Header| serde_json::to_string(header).unwrap();
    assert!(!text(&usual).contains("limits"), "{}", text(&usual));
    let mut own = usual;
    own.limits = Limits { time: SimTime::NEVER, steps: 9, ..Limits::of_matches() };
    let told = r#""limits":{"time_ms":null,"steps":9,"decisions":10000000,"refusals":100}"#;
    assert!(text(&own).contains(told), "{}", text(&own));
    assert_eq!(serde_json::from_str::<Header>(&text(&own)).unwrap(), own);
    // The rest is as in any match.
    let part = text(&own).replace(told, r#""limits":{"time_ms":8000}"#);
    let limits = Limits { time: SimTime::from_millis(8_000), ..Limits::of_matches() };
    assert_eq!(serde_json::from_str::<Header>(&part).unwrap().limits, limits);
    let unknown = text(&own).replace(told, r#""limits":{"moves":3}"#);
    assert!(
        serde_json::from_str::<Header>(&unknown).unwrap_err().to_string().contains("unknown field `moves`")
    );
}

#[test]
fn notes_are_kept_with_the_actions_that_they_belong_to() {
    let seed = Seed::new(1);
    let writer = Writer::in_memory::<Pebbles>(&3, seed, "chatty", "tests 1.0");
    let mut witness = (writer, Reading::default());
    Rollout::default().play(&mut Pebbles::new(&3, seed), &mut [Chatty, Chatty], &mut witness);
    let (writer, told) = witness;
    assert_eq!(told.notes.iter().map(|(before, ..)| *before).collect::<Vec<_>>(), [0, 1, 2]);
    let file = writer.finish().unwrap();
    let mut read = Reading::default();
    let summary = Playback::<Pebbles>::open(&file[..]).unwrap().run(&mut read).unwrap();
    assert_eq!((summary.count, &read.notes), (3, &told.notes));
    let text = decompressed(&file);
    let line = r#"{"t":0,"a":0,"note":{"text":"one is \"enough\"","shapes":[{"field":[1,0]},{"line":[0,0,2,0]},{"label":[3,0,"here"]}]}}"#;
    assert_eq!(text.lines().nth(1), Some(line));
}

/// Gives one byte at a time, as a pipe may.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

#[test]
fn a_replay_is_read_however_its_bytes_come() {
    let (file, _) = vault_file();
    for file in [&file[..], decompressed(&file).as_bytes()] {
        let summary = Playback::<Vault>::open(Slow(file)).unwrap().run(&mut ()).unwrap();
        assert!(summary.completeness.is_complete(), "{summary:?}");
    }
}

#[test]
fn a_replay_gives_the_recorded_events() {
    let (file, events) = vault_file();
    let mut playback = Playback::<Vault>::open(&file[..]).unwrap();
    let mut again = Vec::new();
    let mut verified = 0;
    loop {
        match playback.advance(&mut again).unwrap() {
            Progress::Played => {}
            Progress::Verified => verified += 1,
            Progress::Finished => break,
        }
    }
    let summary = playback.summary();
    assert_eq!(again, events);
    assert!(verified >= 2, "{verified} hashes in {summary:?}");
    assert_eq!(summary.completeness, Completeness::Complete);
    assert_eq!(summary.outcome.unwrap().termination, Termination::Normal);
}

#[test]
fn the_file_is_what_the_documentation_says() {
    let header = Header::new::<Pebbles>(&4, Seed::new(u64::MAX), players(&["a", "b"]), "tests 1.0");
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    let take = |_: SimTime, _: AgentId, seen: &Observation| Take::new(seen.heap.min(3));
    Rollout::default().play(&mut Pebbles::new(&4, Seed::new(u64::MAX)), &mut [take, take], &mut writer);
    let text = decompressed(&writer.finish().unwrap());
    let end = r#"{"t":0,"n":2,"hash":"#;
    assert!(text.starts_with(&format!("{PEBBLES}{end}")), "{text}");
    assert!(
        text.ends_with("\"end\":{\"places\":[2,1],\"termination\":\"normal\",\"returns\":[0,1]}}\n"),
        "{text}"
    );
    assert!(play_text(&text).unwrap().completeness.is_complete(), "plain text is read as well");
}

/// A missed deadline ends the game, and the rules know the agent at fault.
#[test]
fn an_end_names_the_agent_at_fault() {
    let mut state = Pebbles::new(&4, Seed::new(0));
    state.step(SimTime::START, AgentId::new(0), Take::new(3), &mut ());
    state.disrupt(SimTime::START, Disruption::DeadlineMissed(AgentId::new(1)), &mut ());
    let hash = state.hash();
    let played = |fault: &str| {
        let text = PEBBLES.replace(r#""a":1,"do":"take 1""#, r#""late":1"#);
        let end = format!(r#""places":[1,2],"termination":"time",{fault}"returns":[1,0]"#);
        play_text(&format!("{text}{{\"t\":0,\"n\":2,\"hash\":\"{hash:016x}\",\"end\":{{{end}}}}}\n"))
    };
    let summary = played("\"fault\":1,").unwrap();
    assert!(summary.completeness.is_complete());
    assert_eq!(summary.outcome.unwrap().fault, Some(AgentId::new(1)));
    let error = played("").unwrap_err();
    assert!(matches!(error, ReplayError::Diverged { .. }), "{error}");
}

#[test]
fn the_number_of_a_connection_is_kept() {
    let read = |player: &str| {
        let text = PEBBLES.replace(r#"{"team":0,"name":"a"}"#, player);
        Reader::open(text.as_bytes()).unwrap().header().players[0].clone()
    };
    let team = TeamId::new(0);
    let own = Player::new(team, "greedy").with_number(7);
    assert_eq!(read(r#"{"team":0,"name":"greedy","number":7}"#), own);
    assert_eq!(read(r#"{"team":0,"name":"agent 3"}"#), Player::new(team, "agent 3"));
}

#[test]
fn an_end_that_contradicts_itself_is_refused() {
    for (end, complaint) in [
        (r#""places":[1,1,2]"#, "3 places, but 2 returns"),
        (r#""places":[2,2]"#, "places [2, 2]: expected a ranking such as [1, 2] or [1, 1, 3]"),
        (r#""winner":0"#, "unknown field `winner`"),
    ] {
        let line = format!(
            r#"{{"t":0,"n":2,"hash":"0000000000000000","end":{{{end},"termination":"normal","returns":[0,1]}}}}"#
        );
        let text = format!("{PEBBLES}{line}\n");
        let mut reader = Reader::open(text.as_bytes()).unwrap();
        let error = loop {
            match reader.next_record() {
                Ok(record) => assert!(record.is_some(), "{end} was read"),
                Err(error) => break error.to_string(),
            }
        };
        assert!(error.contains(complaint), "{error}");
    }
}

#[test]
fn disruptions_are_in_the_file() {
    let (file, _) = vault_file();
    let mut reader = Reader::open(&file[..]).unwrap();
    let mut found = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        if let Record::Disruption { at, disruption } = record {
            found.push((at, disruption));
        }
    }
    assert_eq!(found, [(SimTime::from_millis(250), Disruption::AgentLost(AgentId::new(1)))]);
    let stopped = format!("{PEBBLES}{{\"t\":3,\"ended\":\"stopped\"}}\n");
    let summary = play_text(&stopped).unwrap();
    assert_eq!(summary.outcome.unwrap().termination, Termination::Normal, "a game ends once");
    let missed = PEBBLES.replace(r#""a":1,"do":"take 1""#, r#""late":1"#);
    let summary = play_text(&missed).unwrap();
    assert_eq!(summary.outcome.unwrap().termination, Termination::Time);
    let forfeited = PEBBLES.replace(r#""a":1,"do":"take 1""#, r#""forfeited":1,"reason":"crash""#);
    let outcome = play_text(&forfeited).unwrap().outcome.unwrap();
    assert_eq!((outcome.winner(), outcome.termination), (Some(TeamId::new(0)), Termination::Crash));
}

#[test]
fn every_disruption_is_read_as_it_was_written() {
    let agent = AgentId::new(1);
    for disruption in [
        Disruption::AgentLost(agent),
        Disruption::DeadlineMissed(agent),
        Disruption::Forfeited(agent, Termination::Crash),
        Disruption::Ended(Termination::Stopped),
    ] {
        let (config, seed) = (4, Seed::new(1));
        let mut writer = Writer::in_memory::<Pebbles>(&config, seed, "a", "tests 1.0");
        let game = Pebbles::new(&config, seed);
        Witness::<Pebbles>::disruption(&mut writer, &game, SimTime::from_millis(5), disruption);
        let file = writer.finish().unwrap();
        let record = Reader::open(&file[..]).unwrap().next_record().unwrap();
        let Some(Record::Disruption { at, disruption: read }) = record else { panic!("{record:?}") };
        assert_eq!((at, read), (SimTime::from_millis(5), disruption));
    }
}

/// A reader has more until its last record is read; looking at the time of a record does not read it.
#[test]
fn a_reader_knows_whether_more_follows() {
    let mut reader = Reader::open(PEBBLES.as_bytes()).unwrap();
    let mut records = 0;
    loop {
        assert!(reader.has_more(), "after {records} records");
        assert!(reader.next_moment().unwrap().is_some());
        assert!(reader.has_more(), "a record was looked at");
        reader.next_record().unwrap();
        records += 1;
        if !reader.has_more() {
            break;
        }
    }
    assert_eq!(records, PEBBLES.lines().count() - 1);
    assert_eq!(reader.next_record().unwrap(), None);

    let mut playback = Playback::<Pebbles>::open(PEBBLES.as_bytes()).unwrap();
    assert!(playback.has_more());
    playback.run(&mut ()).unwrap();
    assert!(!playback.has_more());
}

#[test]
fn a_replay_can_be_played_on_from_anywhere() {
    let mut playback = Playback::<Pebbles>::open(PEBBLES.as_bytes()).unwrap();
    assert_eq!(playback.advance(&mut ()).unwrap(), Progress::Played);
    let mut fork = playback.state().clone();
    fork.disrupt(playback.now(), Disruption::Ended(Termination::Stopped), &mut ());
    assert!(matches!(fork.turn(), Turn::Over(_)));
    assert!(matches!(playback.state().turn(), Turn::Act { .. }));
}

proptest! {
    /// Cut anywhere, a file plays up to the break and says so; what it plays is the beginning of the whole.
    /// (A cut through the checksum behind the last line loses nothing.)
    #[test]
    fn a_truncated_file_plays_up_to_the_break(part in 0.0..1.0) {
        let (file, events) = vault_file();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a length")]
        let cut = (file.len() as f64 * part) as usize;
        let mut played: Vec<(SimTime, Event)> = Vec::new();
        match Playback::<Vault>::open(&file[..cut]) {
            Err(error) => {
                let known = matches!(error, ReplayError::Foreign { .. } | ReplayError::Unreadable(_));
                prop_assert!(known, "{}", error);
            }
            Ok(mut playback) => {
                let summary = playback.run(&mut played).unwrap();
                // The last block holds the end alone, and the checksum behind it has four bytes.
                let lost = file.len() - cut;
                prop_assert_eq!(summary.completeness.is_complete(), lost <= 4, "{} bytes lost", lost);
                prop_assert!(summary.outcome.is_none() || lost < 150, "{} bytes lost", lost);
                prop_assert!(events.starts_with(&played));
            }
        }
    }

    /// The same for plain text, where every line before the break is whole.
    #[test]
    fn truncated_text_loses_its_last_line_only(part in 0.0..1.0) {
        let text = decompressed(&vault_file().0);
        let header = text.find('\n').unwrap() + 1;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a length")]
        let cut = header + ((text.len() - header) as f64 * part) as usize;
        let whole_lines = text[..cut].matches('\n').count();
        let mut playback = Playback::<Vault>::open(&text.as_bytes()[..cut]).unwrap();
        let summary = playback.run(&mut ()).unwrap();
        let Completeness::Truncated { line, .. } = summary.completeness else {
            return Err(TestCaseError::fail("a cut file passed for whole"));
        };
        prop_assert_eq!(usize::try_from(line).unwrap(), whole_lines);
    }

    /// Whatever bytes a file holds, opening and playing it ends with a result.
    #[test]
    fn no_bytes_stop_the_reader(damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20)) {
        let (mut file, _) = vault_file();
        for (place, byte) in damage {
            let place = place.index(file.len());
            file[place] = byte;
        }
        if let Ok(mut playback) = Playback::<Vault>::open(&file[..]) {
            let _ = playback.run(&mut ());
        }
    }
}

/// A rollout does not flush its recording, and one block of the compression could hold a whole short game: the writer
/// must end blocks itself.
#[test]
fn a_file_that_lost_its_last_bytes_has_nearly_all_of_the_game() {
    let (file, events) = vault_file();
    let mut played: Vec<(SimTime, Event)> = Vec::new();
    let summary = Playback::<Vault>::open(&file[..file.len() - 6]).unwrap().run(&mut played).unwrap();
    assert!(matches!(summary.completeness, Completeness::Truncated { .. }), "{summary:?}");
    assert_eq!(played, events);
    // A file that is cut anywhere loses one block at most.
    let text = decompressed(&file);
    let mut read = String::new();
    let _ = zstd_reader(&file[..file.len() / 2]).read_to_string(&mut read);
    assert!(read.len() > text.len() / 5, "{} of {} bytes", read.len(), text.len());
}

#[test]
fn what_is_flushed_survives_without_an_end() {
    let header = Header::new::<Pebbles>(&9, Seed::new(1), players(&["a", "b"]), "tests 1.0");
    let mut file = Vec::new();
    let mut writer = Writer::new(&mut file, &header).unwrap();
    let mut game = Pebbles::new(&9, Seed::new(1));
    for _ in 0..2 {
        let Turn::Act { agent, from, .. } = game.turn() else { unreachable!() };
        writer.action(&game, from, agent, &Take::new(1));
        game.step(from, agent, Take::new(1), &mut ());
    }
    writer.flush().unwrap();
    std::mem::forget(writer); // as if the process were killed
    let summary = Playback::<Pebbles>::open(&file[..]).unwrap().run(&mut ()).unwrap();
    assert_eq!(summary.count, 2);
    assert!(matches!(summary.completeness, Completeness::Truncated { line: 3, .. }), "{summary:?}");
}

/// Each of these files is refused with a message that names the found and the expected content.
#[test]
fn bad_files_are_told_apart() {
    let header = |from: &str, to: &str| PEBBLES.replace(from, to);
    let cases = [
        (String::new(), "this is no replay: it begins with ``; expected a JSON header"),
        ("GIF89a\u{0}".to_owned(), "this is no replay: it begins with `GIF89a\\u{0}`; expected"),
        (header("game-replay", "some-game-replay"), "this is no replay: it begins with"),
        (header("game-replay", "chess"), "this is no replay: it begins with `{\\\"format\\\":\\\"chess"),
        (header("\"version\":1", "\"version\":4"), "format version 4: expected 1; the program that wrote it"),
        (header("\"game\":\"pebbles\"", "\"game\":\"dots\""), "holds the game `dots`, not `pebbles`"),
        (
            header("\"rules\":1", "\"rules\":3"),
            "version 3 of the rules of `pebbles`, this program has version 1: \
             expected a replay of version 1, or the program that wrote this one, `tests 1.0`",
        ),
        (
            header("\"heap\":4", "\"heap\":5"),
            "line 1 of the replay: the game took another course: recorded a start",
        ),
        (
            header("\"start\":\"1e22", "\"start\":\"xx22"),
            "line 1 of the replay: hash `xx223a12a57612a5`: expected 16",
        ),
        (
            header(",{\"team\":1,\"name\":\"b\"}", ""),
            "line 1 of the replay: players are not those of a game of 2 agents",
        ),
        (header("\"a\":1,", "\"a\":1,\"lost\":1,"), "line 3 of the replay: several records in one line"),
        (
            header("\"heap\":4", "\"heap\":0"),
            "the replay's configuration is faulty: heap = 0: wrong value; allowed: a number of pebbles above 0",
        ),
        (
            header("\"seed\":\"18446744073709551615\"", "\"seed\":\"x\""),
            "line 1 of the replay: `x` is no seed",
        ),
        (header("\"team\":1", "\"team\":4"), "line 1 of the replay: team 4: expected 0 to 3"),
        (header("take 3", "eat 3"), "line 2 of the replay: `eat 3` is no move: expected `take` and a number"),
        (header("\"a\":1", "\"a\":2"), "line 3 of the replay: agent #2: this game has 2 agents"),
        (
            header("\"t\":0,\"a\":0", "\"t\":9,\"a\":0"),
            "line 3 of the replay: time runs back from 0.009 s to 0.000 s",
        ),
        (
            header("\"t\":0,\"a\":1", "\"t\":9223372036854775808,\"a\":1"),
            "line 3 of the replay: `t` is 9223372036854775808: expected at most 1000000000000 ms (31 years)",
        ),
        (
            header("\"t\":0,\"a\":1", "\"t\":-1,\"a\":1"),
            "line 3 of the replay: invalid value: integer `-1`, expected u64 (column 7)",
        ),
        (
            header(
                "\"a\":1,\"do\"",
                "\"a\":1,\"end\":{\"places\":[],\"termination\":\"normal\",\"returns\":[]},\"do\"",
            ),
            "line 3 of the replay: several records in one line",
        ),
        (
            header("\"a\":1,\"do\":\"take 1\"", "\"a\":0,\"lost\":1"),
            "line 3 of the replay: several records in one line",
        ),
        (
            header("\"do\":\"take 1\"", "\"do\":\"take 1\",\"\\u001b[2J\\u202e\":1"),
            "line 3 of the replay: unknown field `\\u{1b}[2J\\u{202e}`",
        ),
        (header("\"do\":\"take 1\"", "\"doo\":1"), "line 3 of the replay: unknown field `doo`"),
        (header("\"a\":1,\"do\":\"take 1\"", "\"n\":1"), "line 3 of the replay: no record: expected"),
        (
            format!("{PEBBLES}{{\"t\":0,\"n\":2,\"hash\":\"00000000000000ff\"}}\n"),
            "line 4 of the replay: the game took another course: recorded hash 00000000000000ff after 2 actions",
        ),
        (
            format!("{PEBBLES}{{\"t\":0,\"n\":2,\"hash\":\"zz\"}}\n"),
            "hash `zz`: expected 16 hexadecimal digits",
        ),
        (
            format!("{PEBBLES}{{\"t\":0,\"n\":2,\"hash\":\"+0000000000000ff\"}}\n"),
            "hash `+0000000000000ff`: expected 16 hexadecimal digits",
        ),
    ];
    for (text, expected) in cases {
        let error = play_text(&text).expect_err(&text).to_string();
        assert!(error.contains(expected), "{error}\nshould contain\n{expected}");
    }
}

/// A writer refuses everything that a reader does not accept, and keeps the error until the end.
#[test]
fn nothing_is_written_that_is_not_read() {
    let header = Header::new::<Pebbles>(&9, Seed::new(1), players(&["a", "b"]), "tests 1.0");
    let game = Pebbles::new(&9, Seed::new(1));
    let refused = |write: &dyn Fn(&mut Writer<Vec<u8>>)| {
        let mut writer = Writer::new(Vec::new(), &header).unwrap();
        write(&mut writer);
        writer.finish().unwrap_err().to_string()
    };
    let late = LATEST + Millis::new(1);
    let agent = AgentId::new(0);
    let told = refused(&|writer| writer.action(&game, late, agent, &Take::new(1)));
    assert_eq!(told, "a moment of 1000000000.001 s: a replay ends at 1000000000.000 s");
    let note = Note { text: "x".repeat(16 << 20), shapes: Vec::new() };
    let told = refused(&|writer| writer.note(&game, LATEST, agent, &note));
    assert!(told.ends_with(" bytes: at most 16777216 are read"), "{told}");
}

#[test]
fn no_header_is_written_that_is_too_long_to_be_read() {
    let named = |length| {
        let players = players(&["x".repeat(length).as_str(), "b"]);
        Header::new::<Pebbles>(&9, Seed::new(1), players, "tests 1.0")
    };
    let rest = serde_json::to_vec(&named(0)).unwrap().len() + 1;
    let longest = named((4 << 20) - 1 - rest);
    let file = Writer::new(Vec::new(), &longest).unwrap().finish().unwrap();
    assert!(Reader::open(&file[..]).unwrap().header() == &longest);
    let error = Writer::new(Vec::new(), &named((4 << 20) - rest)).err().unwrap();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    assert_eq!(error.to_string(), "a header of 4194304 bytes: at most 4194303 are read");
}

/// A small compressed file can decompress to a line or header of any size.
#[test]
fn lines_and_headers_have_a_limit() {
    let long = " ".repeat(20 << 20);
    let error = play_text(&format!("{PEBBLES}{long}\n")).unwrap_err().to_string();
    assert_eq!(error, "line 4 of the replay: it is longer than 16777216 bytes");
    let error = play_text(&PEBBLES.replacen(',', &format!(",{long}"), 1)).unwrap_err().to_string();
    assert_eq!(error, "line 1 of the replay: the header is longer than 4194304 bytes");
}

#[test]
fn a_compression_window_beyond_the_limit_is_refused() {
    let compressed = |window: u32| {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        encoder.window_log(window).unwrap();
        // More than the window, or the encoder chooses a smaller one.
        encoder.write_all(PEBBLES.as_bytes()).unwrap();
        encoder.write_all(&vec![b' '; 34 << 20]).unwrap();
        encoder.finish().unwrap()
    };
    assert_eq!(Playback::<Pebbles>::open(&compressed(24)[..]).unwrap().reader().line(), 1);
    let error = Playback::<Pebbles>::open(&compressed(25)[..]).err().expect("a window of 32 MiB");
    assert!(matches!(error, ReplayError::Unreadable(_)), "{error}");
}

#[test]
fn a_replay_can_be_looked_at_in_any_moment() {
    let (file, events) = vault_file();
    let mut playback = Playback::<Vault>::open(&file[..]).unwrap();
    for moment in [0, 99, 100, 12_345, 12_345] {
        let moment = SimTime::from_millis(moment);
        let mut seen = Vec::new();
        assert_eq!(playback.advance_until(moment, &mut seen).unwrap(), Progress::Played);
        assert!(playback.now() <= moment);
        let before = events.iter().filter(|(at, _)| *at <= moment).count();
        assert!(before < events.len());
        assert!(seen.last().is_none_or(|last| events[..before].last() == Some(last)));
    }
    assert_eq!(playback.advance_until(SimTime::NEVER, &mut ()).unwrap(), Progress::Finished);
    assert!(playback.summary().completeness.is_complete());
}

/// The end is checked when it is played, not when the reader looks how late it is.
#[test]
fn an_end_later_than_the_moment_is_not_reached() {
    let end = r#"{"t":9,"n":2,"hash":"00000000000000ff","end":{"places":[2,1],"termination":"normal","returns":[0,1]}}"#;
    let file = format!("{PEBBLES}{end}\n");
    let mut playback = Playback::<Pebbles>::open(file.as_bytes()).unwrap();
    assert_eq!(playback.advance_until(SimTime::from_millis(8), &mut ()).unwrap(), Progress::Played);
    assert_eq!(playback.summary().count, 2);
    assert!(!playback.summary().completeness.is_complete());
    let error = playback.advance_until(SimTime::from_millis(9), &mut ()).unwrap_err();
    assert!(matches!(error, ReplayError::Diverged { line: 4, .. }), "{error}");
}

/// A game that is played on in another way is a recording of its own, from its start.
#[test]
fn a_fork_is_recorded_whole() {
    let (file, _) = vault_file();
    let mut playback = Playback::<Vault>::open(&file[..]).unwrap();
    let mut recording = Writer::new(Vec::new(), playback.reader().header()).unwrap();
    playback.advance_until(SimTime::from_millis(1000), &mut recording).unwrap();
    let mut state = playback.state().clone();
    let stop = (SimTime::from_millis(2000), Disruption::Ended(Termination::Stopped));
    let mut silent = [(); 3].map(|()| |_: SimTime, _: AgentId, _: &Seen| Guess(9999));
    Rollout { disruptions: vec![stop], ..Rollout::default() }.play(&mut state, &mut silent, &mut recording);
    let fork = recording.finish().unwrap();
    let summary = Playback::<Vault>::open(&fork[..]).unwrap().run(&mut ()).unwrap();
    assert_eq!((summary.completeness, summary.time), (Completeness::Complete, SimTime::from_millis(2000)));
}

#[test]
fn a_recording_begins_where_its_game_does() {
    let mut writer = Writer::in_memory::<Pebbles>(&9, Seed::new(1), "a", "tests 1.0");
    let mut begun = Pebbles::new(&9, Seed::new(1));
    begun.step(SimTime::START, AgentId::new(0), Take::new(1), &mut ());
    let one = |_: SimTime, _: AgentId, _: &Observation| Take::new(1);
    Rollout::default().play(&mut begun, &mut [one, one], &mut writer);
    assert!(writer.finish().unwrap_err().to_string().contains("record it from its start"));
}

/// Only the names change, and the game is still the same.
#[test]
fn a_replay_can_name_its_players_anew() {
    let (file, _) = vault_file();
    let rename = |file: &[u8]| {
        let name = |agent: AgentId, player: &mut Player| player.name += &agent.index().to_string();
        Reader::open(file).unwrap().write_with_players(Vec::new(), name).unwrap()
    };
    let (before, renamed) = (decompressed(&file), rename(&file));
    let expected = ["a", "b", "c"].iter().zip(0..).fold(before.clone(), |text, (name, agent)| {
        text.replacen(&format!("\"name\":\"{name}\""), &format!("\"name\":\"{name}{agent}\""), 1)
    });
    assert_eq!(decompressed(&renamed), expected);
    let summary = Playback::<Vault>::open(&renamed[..]).unwrap().run(&mut ()).unwrap();
    assert!(summary.completeness.is_complete());
    // The number of a connection stays.
    let numbered = PEBBLES.replace("\"name\":\"a\"", "\"name\":\"a\",\"number\":7");
    let renamed = rename(numbered.as_bytes());
    let reader = Reader::open(&renamed[..]).unwrap();
    let first = &reader.header().players[0];
    assert_eq!((first.name.as_str(), first.number), ("a0", Some(7)));
    // A replay that breaks off is not written as if it were whole.
    let broken = Reader::open(&file[..file.len() - 9]).unwrap();
    assert!(broken.write_with_players(Vec::new(), |_, _| ()).is_err());
}

/// A reader sees the name, and the entrant stays known.
#[test]
fn a_player_keeps_its_entrant_under_another_name() {
    let (file, _) = vault_file();
    let rename = |file: &[u8], name: &str| {
        let renamed = Reader::open(file).unwrap().write_with_players(Vec::new(), |agent, player| {
            if agent.index() == 0 {
                player.rename(name);
            }
        });
        renamed.unwrap()
    };
    let player = |file: &[u8]| Reader::open(file).unwrap().header().players[0].clone();
    let renamed = rename(&file, "Ada");
    assert_eq!((player(&renamed).name.as_str(), player(&renamed).entrant()), ("Ada", "a"));
    let again = rename(&renamed, "Bob");
    assert_eq!((player(&again).name.as_str(), player(&again).entrant()), ("Bob", "a"));
    assert_eq!(decompressed(&rename(&again, "a")), decompressed(&file));
}

/// A disk with room for this number of bytes. A write that does not fit fails and stores nothing.
struct Full(usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| std::io::Error::other("disk full"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_does_not_stop_the_game_and_is_reported() {
    let header = Header::new::<Pebbles>(&100_000, Seed::new(1), players(&["a", "b"]), "tests 1.0");
    let mut writer = Writer::new(Full(100), &header).unwrap();
    let take = |_: SimTime, _: AgentId, seen: &Observation| Take::new(1 + seen.heap * 7 % 3);
    let mut game = Pebbles::new(&100_000, Seed::new(1));
    let mut events = Vec::new();
    Rollout::default().play(&mut game, &mut [take, take], &mut (&mut writer, &mut events));
    assert!(matches!(game.turn(), Turn::Over(_)));
    assert_eq!(writer.finish().map(|_| ()).unwrap_err().to_string(), "disk full");
    assert!(events.len() > 30_000);
}
