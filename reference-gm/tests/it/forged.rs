//! Replays that no program wrote: whatever they say, they are shown or refused with the line that is wrong.

use std::io::Read as _;
use std::sync::LazyLock;

use game_env::replay::{LATEST, Playback};
use game_project::{RawConfig, State};
use proptest::prelude::*;
use viewer::recording::{self, Recording};

/// The lines of a replay without its hashes and its end, so that it may be played on in another way.
static LINES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let (file, _) = crate::feed::replay(&RawConfig { team_size: 4, ..RawConfig::default() }, 200);
    let mut text = String::new();
    zstd::stream::read::Decoder::new(&file[..]).unwrap().read_to_string(&mut text).unwrap();
    text.lines().filter(|line| !line.contains("\"n\":")).map(str::to_owned).collect()
});

/// A line of the replay at another moment, if it has one.
fn postponed(line: &[u8], by: u64) -> Option<Vec<u8>> {
    let (moment, rest) = std::str::from_utf8(line).ok()?.strip_prefix("{\"t\":")?.split_once(',')?;
    Some(format!("{{\"t\":{},{rest}", moment.parse::<u64>().ok()?.saturating_add(by)).into_bytes())
}

#[derive(Clone, Debug)]
enum Forgery {
    Postpone(u64),
    Insert(String),
    Byte(usize, u8),
    Remove,
}

fn forgery() -> impl Strategy<Value = Forgery> {
    let agent = 0..9_u16;
    let latest = LATEST.as_millis();
    let moment =
        prop::sample::select(vec![1, 1 << 32, latest - 1_000_000, latest, 1 << 62, 1 << 63, u64::MAX]);
    let what = prop::sample::select(vec![
        r#""a":0,"do":"answer #1 distances=-*1600 red=G*200 blue=?*200""#,
        r#""a":0,"do":"ask #65535""#,
        r#""a":0,"do":"destroy""#,
        r#""a":0,"note":{"text":"\u001b[2J</script>","shapes":[{"field":[65535,65535]}]}"#,
        r#""lost":0"#,
        r#""late":0"#,
        r#""forfeited":0,"reason":"crash""#,
        r#""ended":"stopped""#,
    ]);
    let line = (moment.clone(), what, agent).prop_map(|(t, what, agent)| {
        format!("{{\"t\":{t},{}}}", what.replacen(":0", &format!(":{agent}"), 1))
    });
    prop_oneof![
        moment.prop_map(Forgery::Postpone),
        line.prop_map(Forgery::Insert),
        (any::<usize>(), any::<u8>()).prop_map(|(place, byte)| Forgery::Byte(place, byte)),
        Just(Forgery::Remove),
    ]
}

proptest! {
    #[test]
    fn a_forged_replay_is_shown_or_refused(
        forgeries in prop::collection::vec((any::<prop::sample::Index>(), forgery()), 1..4)
    ) {
        let mut lines: Vec<Vec<u8>> = LINES.iter().map(|line| line.clone().into_bytes()).collect();
        for (place, forgery) in forgeries {
            let place = 1 + place.index(lines.len() - 1);
            match forgery {
                Forgery::Postpone(by) => {
                    for line in &mut lines[place..] {
                        *line = postponed(line, by).unwrap_or_else(|| line.clone());
                    }
                }
                Forgery::Insert(line) => lines.insert(place, line.into_bytes()),
                Forgery::Byte(at, byte) if !lines[place].is_empty() => {
                    let at = at % lines[place].len();
                    lines[place][at] = byte;
                }
                Forgery::Remove if lines.len() > 2 => drop(lines.remove(place)),
                Forgery::Byte(..) | Forgery::Remove => {}
            }
        }
        let file = [lines.join(&b'\n'), b"\n".to_vec()].concat();
        let played = Playback::<State>::open(&file[..]).and_then(|mut playback| playback.run(&mut ()));
        let shown = Recording::read(&file[..], "forged");
        prop_assert_eq!(played.is_ok(), shown.is_ok());
        if let Ok(shown) = shown {
            for agent in shown.statistics["agents"].as_array().unwrap() {
                let times = ["lockedMs", "idleMs"].map(|name| agent[name].as_u64().unwrap());
                prop_assert!(times[0] + times[1] <= LATEST.as_millis(), "{}", agent);
            }
        }
    }
}

/// Requests of one agent at one moment, every one of them refused: bytes that compress to nearly nothing.
fn flood(requests: usize) -> Vec<u8> {
    let mut text = LINES[0].clone() + "\n";
    text += &"{\"t\":0,\"a\":0,\"do\":\"discover\"}\n".repeat(requests);
    text.into_bytes()
}

#[test]
fn a_long_game_is_shown_up_to_a_limit() {
    let most = 1 << 20;
    let mut told: Vec<serde_json::Value> = Vec::new();
    let mut length = 0;
    let file = flood(100_000);
    let ending = recording::play(&file[..], "flood", most, |message| {
        length += message.len();
        told.push(serde_json::from_str(&message).unwrap());
        Ok(())
    });
    let why = "what is shown of one game is limited to 1 MiB, and ends at 0.000 s";
    assert_eq!(ending.unwrap().truncated.as_deref(), Some(why));
    assert!((most..most + 100_000).contains(&length), "{length} bytes");
    let [.., truncated, statistics] = &told[..] else { panic!("{told:?}") };
    assert_eq!((&truncated["kind"], &truncated["why"]), (&"truncated".into(), &why.into()));
    let requests = statistics["document"]["requests"].as_u64().unwrap();
    assert!((10_000..50_000).contains(&requests), "{requests}");
}

/// Runs the program with a limit on its address space, in KiB; returns its exit code and its standard error.
#[cfg(target_os = "linux")]
fn confined(folder: &std::path::Path, kilobytes: u32, command: &str) -> (Option<i32>, String) {
    let program = crate::run::PROGRAM;
    let output = std::process::Command::new("sh")
        .args(["-c", &format!("ulimit -v {kilobytes}; exec {program} {command}")])
        .current_dir(folder)
        .output()
        .unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn the_memory_for_a_hostile_replay_is_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let compressed = |text: &[u8]| zstd::encode_all(text, 19).unwrap();
    std::fs::write(folder.path().join("flood"), compressed(&flood(1_000_000))).unwrap();
    let answer = "answer #1 distances=-*16777215,1 red=G*8388608 blue=?*8388607,N";
    let answers = format!("{{\"t\":0,\"a\":0,\"do\":\"{answer}\"}}\n").repeat(3);
    std::fs::write(
        folder.path().join("answers"),
        compressed((LINES[0].clone() + "\n" + &answers).as_bytes()),
    )
    .unwrap();
    let largest = RawConfig {
        board_x: 1000,
        board_y: 1000,
        goal_area_height: 400,
        number_of_goals: 100_000,
        number_of_pieces: 10_000,
        team_size: 100,
        ..RawConfig::default()
    };
    std::fs::write(folder.path().join("largest"), crate::feed::replay(&largest, 100).0).unwrap();
    let (code, told) = confined(folder.path(), 128 << 10, "verify largest");
    assert_eq!(code, Some(0), "{told}");
    for (file, command) in [("flood", "export --html game.html"), ("flood", "verify"), ("answers", "verify")]
    {
        let (code, told) = confined(folder.path(), 128 << 10, &format!("{command} {file}"));
        // Both break off.
        assert_eq!(code, Some(if command == "verify" { 1 } else { 0 }), "{command} {file}: {told}");
        assert!(!told.contains("memory"), "{told}");
    }
    assert!(folder.path().join("game.html").metadata().unwrap().len() > 30_000_000);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing_of_an_export() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("game.replay"), flood(10_000)).unwrap();
    let program = crate::run::PROGRAM;
    // Files have a limit below the page, and writing past it is an error instead of a signal.
    let command = format!(
        "trap '' XFSZ; ulimit -f 64; exec {program} export game.replay --feed feed.json --html game.html"
    );
    let output =
        std::process::Command::new("sh").args(["-c", &command]).current_dir(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("error: cannot write ") && told.contains("File too large"), "{told}");
    let left: Vec<_> = folder.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["game.replay"]);
}

#[test]
fn a_moment_beyond_all_reason_is_refused_with_its_line() {
    for (moment, is_read) in [(1_000_000_000_000_u64, true), (1_000_000_000_001, false), (1 << 63, false)] {
        let late = format!("{{\"t\":{moment},\"a\":0,\"do\":\"discover\"}}");
        let text = [&LINES[..], &[late, String::new()]].concat().join("\n");
        match Recording::read(text.as_bytes(), "late") {
            Ok(_) => assert!(is_read, "{moment}"),
            Err(error) => {
                assert!(!is_read, "{moment}: {error}");
                let line = LINES.len() + 1;
                assert_eq!(
                    error.to_string(),
                    format!(
                        "line {line} of the replay: `t` is {moment}: expected at most 1000000000000 ms (31 years)"
                    )
                );
            }
        }
    }
}
