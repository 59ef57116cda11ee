//! Every rule as a situation before, requests, events, and the situation after: `tests/tables/*.txt`.
//!
//! A case is
//!
//! ```text
//! == what it shows
//! rules name=value …            other rules than the default, if any
//! seed 7                        another seed than 0, if the case needs it
//! <a board>
//! > 0 #0 move N                 at 0 ms agent #0 asks for this; also `> 0 lost #0`, `> 0 stopped`
//! < #0 moved 0,2 distance inf   what happens, `@` before what only the referee hears
//! =>
//! <the board after>
//! ```
//!
//! `UPDATE_TABLES=1 cargo test -p game-project tables` writes the actual results into the files: read the diff.

use std::fmt::Write as _;
use std::path::Path;

use game_env::{
    Addressed, AgentId, Audience, Disruption, Environment, Parameters, Seed, SimTime, Termination, Value,
};
use game_project::{Event, RawConfig, Setup, State};

/// Plays a case and writes it anew, with the actual results.
fn play(case: &str) -> String {
    let mut written = String::new();
    let mut rules = RawConfig::default();
    let mut seed = Seed::new(0);
    let mut board = String::new();
    let mut state: Option<State> = None;
    for line in case.lines().take_while(|line| *line != "=>") {
        if let Some(request) = line.strip_prefix("> ") {
            let state = state.get_or_insert_with(|| begin(&board, &rules, seed));
            writeln!(written, "{line}").unwrap();
            let mut events = Vec::new();
            serve(state, request, &mut events);
            for (_, event) in events {
                let secret = if event.audience() == Audience::Referee { "@" } else { "" };
                writeln!(written, "< {secret}{event}").unwrap();
            }
            continue;
        }
        if line.starts_with("< ") {
            continue;
        }
        writeln!(written, "{line}").unwrap();
        if let Some(given) = line.strip_prefix("rules ") {
            rules = RawConfig::read(&given.split(' ').map(parameter).collect()).unwrap();
        } else if let Some(given) = line.strip_prefix("seed ") {
            seed = given.parse().unwrap();
        } else if !line.starts_with("== ") {
            writeln!(board, "{line}").unwrap();
        }
    }
    let state = state.unwrap_or_else(|| panic!("this case asks for nothing:\n{case}"));
    writeln!(written, "=>\n{}", state.setup()).unwrap();
    written
}

fn begin(board: &str, rules: &RawConfig, seed: Seed) -> State {
    let setup: Setup = board.parse().unwrap_or_else(|error| panic!("{error}\n{board}"));
    setup.play(rules, seed).unwrap_or_else(|error| panic!("{error}\n{board}"))
}

fn parameter(text: &str) -> (String, Value) {
    let (name, value) = text.split_once('=').unwrap();
    let value = match (value.parse(), value.parse(), value.parse()) {
        (Ok(whole), _, _) => Value::Whole(whole),
        (_, Ok(real), _) => Value::Real(real),
        (_, _, Ok(flag)) => Value::Flag(flag),
        _ => panic!("{text} is no parameter"),
    };
    (name.to_owned(), value)
}

fn serve(state: &mut State, request: &str, events: &mut Vec<(SimTime, Event)>) {
    let (time, what) = request.split_once(' ').unwrap();
    let now = SimTime::from_millis(time.parse().unwrap());
    match what.split_once(' ') {
        None => state.disrupt(now, Disruption::Ended(what.parse::<Termination>().unwrap()), events),
        Some(("lost", agent)) => state.disrupt(now, Disruption::AgentLost(agent.parse().unwrap()), events),
        Some((agent, action)) => {
            let agent: AgentId = agent.parse().unwrap();
            // An action that is listed as legal is served, and only such an action, once the lock has ended.
            let action: game_project::Action = action.parse().unwrap_or_else(|error| panic!("{error}"));
            let mut legal = Vec::new();
            state.legal_actions(agent, &mut legal);
            let listed =
                legal.iter().any(|other| other.kind() == action.kind() && content(other) == content(&action));
            let waits = state.ready(agent).is_some_and(|ready| ready.at > now);
            let before = events.len();
            state.step(now, agent, action, events);
            let refused = events[before..].iter().any(|(_, event)| event.is_refusal());
            assert_eq!(listed && !waits, !refused, "`{request}` against {legal:?}");
        }
    }
}

/// The text of an action without the content of an answer.
fn content(action: &game_project::Action) -> String {
    action.to_string().split(" distances=").next().unwrap_or_default().to_owned()
}

#[test]
fn every_case_comes_out_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut cases = 0;
    let mut wrong = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let (head, body) = text.split_once("== ").unwrap();
        let mut written = head.to_owned();
        for case in body.split("\n== ") {
            let case = format!("== {}\n", case.trim_end());
            let played = play(&case);
            if played.trim_end() != case.trim_end() {
                wrong.push(format!("{}\nexpected\n{case}\nbut\n{played}", path.display()));
            }
            writeln!(written, "{}\n", played.trim_end()).unwrap();
            cases += 1;
        }
        if std::env::var_os("UPDATE_TABLES").is_some() {
            std::fs::write(&path, format!("{}\n", written.trim_end())).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{} of {cases} cases:\n\n{}", wrong.len(), wrong.join("\n\n"));
    assert!(cases >= 60, "only {cases} cases were found");
}

/// The page of the book that explains the actions shows such cases: what stands after the last request is played.
#[test]
fn every_case_in_the_book_comes_out_as_shown() {
    const FENCE: &str = "```text,case\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/concepts/game.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut blocks = page.split(FENCE);
    let mut written = blocks.next().unwrap().to_owned();
    let mut cases = 0;
    for block in blocks {
        let (case, rest) = block.split_once("```\n").unwrap();
        let played = play(case);
        write!(written, "{FENCE}{}\n```\n{rest}", played.trim_end()).unwrap();
        cases += 1;
    }
    if std::env::var_os("UPDATE_TABLES").is_some() {
        std::fs::write(&path, &written).unwrap();
    }
    assert_eq!(page, written, "UPDATE_TABLES=1 cargo test -p game-project tables writes the page anew");
    assert!(cases > 10, "only {cases} cases were found");
}

/// The parameters of a case are read like those of any file.
#[test]
fn rules_of_a_case_are_checked() {
    let unknown: Parameters = [parameter("movePenality=3")].into_iter().collect();
    assert!(RawConfig::read(&unknown).unwrap_err().to_string().contains("perhaps `movePenalty`"));
}
