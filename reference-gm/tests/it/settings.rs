//! The requests of a settings page, over file and flags.

use game_env::{Parameters, Value};
use insta::assert_snapshot;
use reference_gm::layers::Layer;
use reference_gm::project::config::{HostConfig, parameters};

fn read(text: &str) -> Parameters {
    serde_json::from_str(text).unwrap()
}

fn config() -> HostConfig {
    HostConfig::layered(&read(r#"{"boardX": 20, "goalAreaHight": 4}"#), &read(r#"{"boardX": 30}"#)).unwrap()
}

/// Returns the source of each value, without the defaults.
fn origins(config: &HostConfig) -> String {
    let told = config.origins.iter().filter(|(.., origin)| *origin != Layer::Default);
    told.map(|(name, value, origin)| format!("{name}={value} {origin}\n")).collect()
}

#[test]
fn the_page_stands_over_file_and_flags() {
    let mut config = config();
    let mut told = origins(&config);
    for asked in [
        r#"{"boardX": 31, "askPenalty": 100, "shamPieceProbability": 1}"#,
        // Values that are in force already change nothing, under whatever name.
        r#"{"boardX": 31, "goalAreaHeight": 4, "boardY": 40, "seed": ""}"#,
        r#"{"informationExchangePenalty": 200, "goalAreaHight": 3, "seed": "7"}"#,
        // Agents of the other dialect expect no pieces in their hands unasked, unless the operator insists.
        r#"{"dialect": "union", "landingPickUp": true}"#,
        r#"{"landingPickUp": true}"#,
        r#"{"dialect": "spec"}"#,
    ] {
        config = config.changed(&read(asked)).unwrap();
        told += &format!("\n{asked}\n{}", origins(&config));
    }
    assert_snapshot!(told);
    // A file that holds what is in force asks for nothing new.
    assert_eq!(config.changed(&config.parameters()).unwrap(), config);
    let again = HostConfig::layered(&config.parameters(), &Parameters::new()).unwrap();
    assert_eq!((again.game, again.seed), (config.game, config.seed));
}

#[test]
fn faults_of_the_page_are_those_of_the_file() {
    let asked = r#"{"boardX": 0, "boradY": 3, "teamSize": "many", "dialect": "klingon", "numberOfGoals": 9999,
        "seed": "x", "putPenalty": 1, "putPenalty": 2}"#;
    assert_snapshot!(config().changed(&read(asked)).unwrap_err());
}

#[test]
fn every_parameter_is_described_once() {
    let config = config();
    let names: Vec<&str> = config.origins.iter().map(|(name, ..)| name.as_str()).collect();
    let described = parameters();
    assert_eq!(names, described.iter().map(|parameter| parameter.name).collect::<Vec<_>>());
    assert_eq!(described.len(), game_project::config::PARAMETERS.len() + 9);
    let defaults = described.iter().map(|known| (known.name, Value::from(known.default))).collect();
    assert_eq!(
        HostConfig::layered(&defaults, &Parameters::new()).unwrap().game,
        game_project::Config::default()
    );
}

#[test]
fn teams_are_as_large_as_message_105_has_room_for() {
    let asked = |size: u32, bytes: u32| {
        let text =
            format!(r#"{{"teamSize": {size}, "maxMessageBytes": {bytes}, "boardX": 100, "boardY": 100}}"#);
        HostConfig::layered(&read(&text), &Parameters::new())
    };
    let fault = asked(1000, 8192).unwrap_err();
    assert_snapshot!(fault, @"teamSize = 1000: message 105 may have 16510 bytes with 2000 agents, and maxMessageBytes is 8192 (in the file); allowed: at most 480, or a maxMessageBytes of 16510");
    // The value that the message calls allowed is allowed.
    let [fault] = fault.faults() else { panic!("one fault is there") };
    let most: u32 = fault.allowed.split([' ', ',']).find_map(|word| word.parse().ok()).unwrap();
    asked(most, 8192).unwrap();
    asked(most + 1, 8192).unwrap_err();
    asked(1000, 65_535).unwrap();
    asked(3000, 65_535).unwrap();
    // Another fault does not hide it.
    let text = r#"{"teamSize": 1000, "boardX": 100, "boardY": 100, "shamPieceProbability": 2}"#;
    let several = HostConfig::layered(&read(text), &Parameters::new()).unwrap_err();
    let fields: Vec<&str> = several.faults().iter().map(|fault| fault.field.as_str()).collect();
    assert_eq!(fields, ["shamPieceProbability", "teamSize"]);
}
