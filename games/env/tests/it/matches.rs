//! Matches and records as files: what is written stays readable, and faults are named.

use game_env::matches::{Failed, MatchKey, MatchLimits, MatchRecord, MatchSpec, check_line_up};
use game_env::{
    AgentId, LONGEST_GAME, Metrics, Outcome, Parameters, Ranking, Returns, Seed, SimTime, TeamId,
    Termination, Thinking, Value,
};
use proptest::collection::vec;
use proptest::prelude::*;

const SPEC: &str = include_str!("../golden/match-1.json");
const RECORD: &str = include_str!("../golden/match-record-1.json");

fn spec() -> MatchSpec {
    let config = [
        ("width", Value::Whole(8)),
        ("share", Value::Real(0.2)),
        ("wraps", Value::Flag(true)),
        ("mode", Value::Text("ą \"b\"".to_owned())),
    ];
    MatchSpec {
        game: "pebbles".to_owned(),
        config: config.into_iter().collect(),
        seed: Seed::new(u64::MAX),
        entrants: ["careful", "greedy", "random"].map(str::to_owned).to_vec(),
        limits: MatchLimits {
            time: SimTime::NEVER,
            steps: 1000,
            decisions: 2000,
            refusals: 5,
            thinking: Thinking::Free,
        },
    }
}

fn record() -> MatchRecord {
    let mut metrics = Metrics::new();
    metrics.push("turns", [21.0, 19.0]);
    metrics.push("waiting_share", [0.125, 1e-7]);
    MatchRecord {
        spec: MatchSpec {
            game: "dots".to_owned(),
            config: [("rows", Value::Whole(5)), ("cols", Value::Whole(5))].into_iter().collect(),
            seed: Seed::new(7),
            entrants: ["greedy", "random"].map(str::to_owned).to_vec(),
            limits: MatchLimits::default(),
        },
        program: "bots 0.1.0".to_owned(),
        rules: 1,
        outcome: Outcome {
            ranking: Ranking::won_by(TeamId::new(0), 2),
            termination: Termination::Crash,
            fault: Some(AgentId::new(1)),
            returns: Returns::new(&[9, -7]),
        },
        time: SimTime::from_millis(1500),
        steps: 40,
        decisions: 41,
        metrics,
        hash: 0x00c0_ffee_00c0_ffee,
        blunders: 2,
        first_blunders: vec!["agent #1 panicked: no idea".to_owned()],
        failed: Vec::new(),
    }
}

#[test]
fn files_of_this_version_are_read_and_written_as_they_are() {
    assert_eq!(spec().to_string(), SPEC.trim_end());
    assert_eq!(MatchSpec::read(SPEC.as_bytes()).unwrap(), spec());
    assert_eq!(record().to_string(), RECORD.trim_end());
    assert_eq!(MatchRecord::read(RECORD.as_bytes()).unwrap(), record());
}

/// The text of a match with the default has no `thinking`, so the field does not change the key.
#[test]
fn the_rule_for_thinking_is_written_if_it_is_not_the_default() {
    let mut spec = record().spec;
    let free = (spec.to_string(), spec.key());
    assert!(!free.0.contains("thinking"), "{}", free.0);
    for (thinking, written) in [
        (Thinking::LimitMs(100), r#""thinking":{"limit_ms":100}"#),
        (Thinking::ChargeMs(3), r#""thinking":{"charge_ms":3}"#),
    ] {
        spec.limits.thinking = thinking;
        assert!(spec.to_string().contains(written), "{spec}");
        assert_eq!(spec.to_string().parse::<MatchSpec>().unwrap(), spec);
        assert_ne!(spec.key(), free.1);
    }
}

/// The value comes from another implementation of XXH64, over the canonical form written by hand.
#[test]
fn a_key_is_the_hash_of_the_canonical_form() {
    assert_eq!(record().spec.key().to_string(), KEY);
    assert_eq!(KEY.parse::<MatchKey>().unwrap(), record().spec.key());
    let mut turned = record().spec;
    turned.config = [("cols", Value::Whole(5)), ("rows", Value::Whole(5))].into_iter().collect();
    assert_eq!(turned.key().to_string(), KEY, "parameters have no order");
    for text in ["", "+123456789abcdef", "0123456789ABCDEF", "0"] {
        assert!(text.parse::<MatchKey>().is_err(), "{text}");
    }
}

const KEY: &str = "1b85daad5595fac2";

/// Each part of a match decides it.
#[test]
fn other_matches_have_other_keys() {
    let base = spec();
    let mut others = vec![base.clone(); 11];
    others[1].game = "dots".to_owned();
    others[2].config.push("height", Value::Whole(8));
    others[3].seed = Seed::new(7);
    others[4].entrants.swap(0, 1);
    others[5].limits.time = LONGEST_GAME;
    others[6].limits.steps += 1;
    others[7].limits.decisions += 1;
    others[8].limits.refusals += 1;
    others[9].limits.thinking = Thinking::LimitMs(1);
    others[10].limits.thinking = Thinking::ChargeMs(1);
    let mut keys: Vec<MatchKey> = others.iter().map(MatchSpec::key).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), others.len());
}

#[test]
fn what_is_left_out_has_its_default() {
    let text =
        r#"{"format":"match","version":1,"game":"dots","seed":"7","entrants":["a"],"limits":{"steps":3}}"#;
    let spec: MatchSpec = format!("\u{feff}{text}\n").parse().unwrap();
    assert_eq!(spec.config, Parameters::new());
    assert_eq!(spec.limits, MatchLimits { steps: 3, ..MatchLimits::default() });
    assert_eq!(spec.limits.time, LONGEST_GAME);
}

#[test]
fn faulty_files_are_refused_with_what_is_wrong() {
    let spec = SPEC.trim_end();
    for (from, to, expected) in [
        (
            "\"match\"",
            "\"matches\"",
            "this is not a match: expected a JSON object with \"format\":\"match\", found the format `matches`",
        ),
        (
            "\"version\":1,",
            "\"version\":2,\"x\":0,",
            "the match has format version 2: expected 1; the program that wrote it reads it",
        ),
        ("\"version\":1,", "\"version\":0,", "the match has format version 0: expected 1"),
        (
            "\"game\"",
            "\"gane\"",
            "the match is faulty: unknown field `gane`, expected one of `format`, `version`, `game`",
        ),
        ("\"game\":\"pebbles\",", "", "missing field `game`"),
        ("\"game\"", "\"game\":\"dots\",\"game\"", "duplicate field `game`"),
        ("\"width\":8", "\"mode\":8", "parameter `mode` is there twice"),
        ("\"width\":8", "\"width\":[8]", "expected a number, true, false or a text"),
        ("\"18446744073709551615\"", "7", "invalid type: integer `7`, expected a string"),
        ("\"18446744073709551615\"", "\"-7\"", "`-7` is no seed: expected a whole number from 0 to"),
        ("[\"careful\",\"greedy\",\"random\"]", "[]", "0 entrants: expected 1 to 65535"),
        ("\"greedy\"", "\"\"", "entrant 2 has a name of 0 bytes"),
        ("\"steps\":1000", "\"steps\":-1", "invalid value: integer `-1`, expected u64"),
        ("\"refusals\"", "\"refusal\"", "unknown field `refusal`"),
        ("{", "", "this is not a match"),
    ] {
        assert!(spec.contains(from), "{from}");
        let error = spec.replacen(from, to, 1).parse::<MatchSpec>().unwrap_err().to_string();
        assert!(error.contains(expected), "{from} → {to}: {error}");
    }
    let record = RECORD.trim_end();
    for (from, to, expected) in [
        ("match-record", "match", "this is not a match record"),
        ("\"version\":1", "\"version\":3", "the match record has format version 3"),
        ("\"entrants\":[\"greedy\",\"random\"]", "\"entrants\":[\"greedy\"]", "fault 1: there are 1 agents"),
        ("[1,2]", "[2,2]", "places [2, 2]: expected a ranking such as [1, 2] or [1, 1, 3]"),
        ("[1,2]", "[1,2,3]", "3 places, but 2 returns"),
        ("crash", "crush", "`crush` is no termination"),
        ("[21.0,19.0]", "[21.0]", "metric `turns` has 1 values: expected 2"),
        ("waiting_share", "turns", "metric `turns` is there twice"),
        ("00c0ffee00c0ffee", "c0ffee", "hash `c0ffee`: expected 16 hexadecimal digits"),
        ("\"blunders\":2", "\"blunders\":0", "1 first blunders of 0"),
        ("\"metrics\"", "\"metrix\"", "unknown field `metrix`"),
        ("\"seed\":\"7\"", "\"seed\":\"\\u001b[2J\"", "\\u{1b}[2J"),
    ] {
        assert!(record.contains(from), "{from}");
        let error = record.replacen(from, to, 1).parse::<MatchRecord>().unwrap_err().to_string();
        assert!(error.contains(expected), "{from} → {to}: {error}");
        assert!(!error.contains('\u{1b}'), "{error}");
    }
    let endless = MatchSpec::read(std::io::repeat(b' ')).unwrap_err();
    assert_eq!(endless.to_string(), "the match is longer than 16777216 bytes");
    let foreign = MatchSpec::read(&[b'{', 0xff][..]).unwrap_err();
    assert_eq!(foreign.to_string(), "the match is faulty: byte 1 is not UTF-8: save it as UTF-8");
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        (i128::from(i64::MIN)..=u64::MAX.into()).prop_map(Value::Whole),
        any::<f64>()
            .prop_filter("JSON has finite numbers", |number| number.is_finite())
            .prop_map(Value::Real),
        any::<bool>().prop_map(Value::Flag),
        any::<String>().prop_map(Value::Text),
    ]
}

fn any_spec() -> impl Strategy<Value = MatchSpec> {
    let config = proptest::collection::btree_map(any::<String>(), any_value(), 0..5);
    let thinking = prop_oneof![
        Just(Thinking::Free),
        any::<u32>().prop_map(Thinking::LimitMs),
        any::<u32>().prop_map(Thinking::ChargeMs),
    ];
    let limits = (any::<u64>(), any::<u64>(), any::<u64>(), any::<u32>(), thinking);
    (any::<String>(), config, any::<u64>(), vec("(?s).{1,20}", 1..5), limits).prop_map(
        |(game, config, seed, entrants, (time, steps, decisions, refusals, thinking))| MatchSpec {
            game,
            config: config.into_iter().collect(),
            seed: Seed::new(seed),
            entrants,
            limits: MatchLimits { time: SimTime::from_millis(time), steps, decisions, refusals, thinking },
        },
    )
}

fn any_record() -> impl Strategy<Value = MatchRecord> {
    let metrics = vec((any::<f64>(), any::<f64>()), 0..4);
    let points = (any::<i32>(), any::<i32>());
    let numbers = (any::<u32>(), any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>());
    let reason = proptest::sample::select(&Termination::ALL[..]);
    (any_spec(), metrics, points, numbers, reason, vec(any::<String>(), 0..3)).prop_map(
        |(spec, values, (one, other), (rules, time, steps, decisions, hash), termination, first_blunders)| {
            let mut metrics = Metrics::new();
            for (place, (one, other)) in values.into_iter().enumerate() {
                if one.is_finite() && other.is_finite() {
                    metrics.push(format!("metric {place}"), [one, other]);
                }
            }
            let returns = Returns::new(&[one, other]);
            let ranking = Ranking::by_points(&returns);
            let outcome = Outcome { ranking, termination, fault: Some(AgentId::new(0)), returns };
            MatchRecord {
                spec,
                program: "tests 1.0".to_owned(),
                rules,
                outcome,
                time: SimTime::from_millis(time),
                steps,
                decisions,
                metrics,
                hash,
                blunders: first_blunders.len() as u64,
                first_blunders,
                failed: vec![Failed {
                    agent: AgentId::new(0),
                    at: SimTime::from_millis(time),
                    how: termination,
                }],
            }
        },
    )
}

proptest! {
    #[test]
    fn a_match_reads_as_it_is_written(spec in any_spec()) {
        let read: MatchSpec = spec.to_string().parse().unwrap();
        prop_assert_eq!(read.key(), spec.key());
        prop_assert_eq!(read, spec);
    }

    #[test]
    fn a_record_reads_as_it_is_written(record in any_record()) {
        let text = record.to_string();
        prop_assert!(!text.contains('\n'), "a record is a line");
        prop_assert_eq!(text.parse::<MatchRecord>().unwrap(), record);
    }
}

#[test]
fn a_line_up_fits_into_the_smallest_team() {
    let teams = [0, 0, 1].map(TeamId::new);
    assert_eq!(check_line_up(&teams, &["a"]), Ok(()));
    let too_long = check_line_up(&teams, &["a", "b"]).unwrap_err();
    assert_eq!((too_long.named, too_long.size), (2, 1));
    assert_eq!(too_long.to_string(), "the line-up names 2 agents: a team has 1");
}
