//! Pages of the book against the code that they describe.

use std::collections::BTreeSet;
use std::fs;

use game_env::replay::Reader;
use game_env::{AgentId, Disruption, Environment, Seed, SimTime, Value};
use game_project::config::PARAMETERS;
use game_project::{ActionKind, Event, RawConfig, State};
use wire::project::{AgentNumber, Notice, PickUpFailure, PutFailure, Seats};
use workspace_tests::workspace;

/// The cells of every row of the page's tables, without the heads.
fn rows(page: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(workspace().join("book/src").join(page)).unwrap();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for line in text.lines() {
        if line.starts_with("|---") {
            // The row above is the head of this table.
            rows.pop();
        } else if let Some(cells) = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |")) {
            rows.push(cells.split(" | ").map(|cell| cell.replace('`', "")).collect());
        }
    }
    rows
}

/// The default of a parameter, as files have it.
fn default(name: &str) -> Option<String> {
    let raw = RawConfig::default();
    let parameters = raw.parameters();
    let (_, value) = parameters.iter().find(|(known, _)| *known == name)?;
    Some(match value {
        Value::Whole(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Flag(flag) => flag.to_string(),
        other => panic!("{other:?} is the value of no rule"),
    })
}

#[test]
fn penalties_on_the_page_of_rules_are_those_of_the_code() {
    let kinds: [(&str, i64, ActionKind); 8] = [
        ("move", 7, ActionKind::Move),
        ("discover", 3, ActionKind::Discover),
        ("pick up", 8, ActionKind::PickUp),
        ("put", 9, ActionKind::Put),
        ("check", 1, ActionKind::Check),
        ("destroy", 2, ActionKind::Destroy),
        ("ask", 5, ActionKind::Ask),
        ("answer", 4, ActionKind::Answer),
    ];
    let rows = rows("rules.md");
    for (name, message, kind) in kinds {
        let row = rows.iter().find(|row| row[0] == name && row.len() == 4).expect(name);
        assert_eq!(row[1], message.to_string(), "{name}");
        assert_eq!(Some(row[3].clone()), default(&row[2]), "{name}");
        // The parameter of this row is the one that decides.
        let lock = Value::Whole(12_340);
        let given = [(row[2].clone(), lock)].into_iter().collect();
        let config = RawConfig::read(&given).unwrap().check().unwrap();
        assert_eq!(config.penalties().of(kind).as_millis(), 12_340, "{name}");
    }
    assert_eq!(ActionKind::ALL.len(), kinds.len());
}

#[test]
fn defaults_on_the_page_of_rules_are_those_of_the_code() {
    let mut unseen: BTreeSet<&str> = PARAMETERS.iter().map(|parameter| parameter.name).collect();
    for row in rows("rules.md") {
        for name in [&row[0], row.get(2).unwrap_or(&row[0])] {
            if let Some(value) = default(name) {
                assert_eq!(row.last(), Some(&value), "{name}");
                unseen.remove(name.as_str());
            }
        }
    }
    assert_eq!(unseen, BTreeSet::new(), "the page does not mention them");
}

/// A board, the acts on it before, and the request that is refused: each by its row on the page.
const REFUSALS: [(&str, &str, &[&str], &str); 14] = [
    ("not-playing", OPEN, &["lost #0"], "#0 discover"),
    ("too-early", OPEN, &["#0 discover"], "#0 discover"),
    ("leader-waits", OPEN, &["#0 ask #1"], "#1 discover"),
    ("off-board", OPEN, &[], "#0 move W"),
    ("enemy-goal-area", OPEN, &[], "#0 move S"),
    ("occupied", OPEN, &[], "#0 move E"),
    ("hands-full", CARRYING, &[], "#0 pick-up"),
    ("in-goal-area", OPEN, &[], "#2 pick-up"),
    ("nothing-there", OPEN, &[], "#0 pick-up"),
    ("empty-handed, put", OPEN, &[], "#0 put"),
    ("empty-handed, check or destroy", OPEN, &[], "#0 destroy"),
    ("asked-itself", OPEN, &[], "#0 ask #0"),
    ("no-such-agent", OPEN, &["lost #1"], "#0 ask #1"),
    ("not-asked", OPEN, &[], "#0 answer #1 distances= red= blue="),
];

const OPEN: &str = ".  .  .\nR0 R1 .\n.  B2 B3\n";
const CARRYING: &str = ".    .  .\nR0+p R1 .\n.    B2 B3\n";

#[test]
fn refusals_on_the_page_of_rules_are_those_of_the_code() {
    let rows = rows("rules.md");
    let rows: Vec<&Vec<String>> =
        rows.iter().filter(|row| ["yes", "no"].contains(&row[3..].concat().as_str())).collect();
    let mut untried: Vec<String> = rows.iter().map(|row| name_of(row)).collect();
    for (name, board, before, request) in REFUSALS {
        let row = rows.iter().find(|row| name_of(row) == name).expect(name);
        untried.retain(|other| other != name);
        let (word, message, charged) = refuse(board, before, request);
        assert_eq!([&row[0], &row[2], &row[3]], [&word, &message, &charged], "{name}");
    }
    assert_eq!(untried, Vec::<String>::new(), "no case tries them");
}

/// A refusal may have several rows: those begin with the action.
fn name_of(row: &[String]) -> String {
    let several = row[0] == "empty-handed";
    if several { format!("{}, {}", row[0], row[1].split(':').next().unwrap()) } else { row[0].clone() }
}

/// The refusal's word, its message, and whether it locks.
fn refuse(board: &str, before: &[&str], request: &str) -> (String, String, String) {
    // Picking up costs nothing by default, and a charge of nothing could not be seen.
    let rules = RawConfig { pick_up_penalty: 400, ..RawConfig::default() };
    let setup: game_project::Setup = board.parse().unwrap();
    let mut state: State = setup.play(&rules, Seed::new(0)).unwrap();
    let now = SimTime::START;
    for line in before {
        match line.strip_prefix("lost ") {
            Some(agent) => state.disrupt(now, Disruption::AgentLost(agent.parse().unwrap()), &mut ()),
            None => {
                let (agent, action) = line.split_once(' ').unwrap();
                state.step(now, agent.parse().unwrap(), action.parse().unwrap(), &mut ());
            }
        }
    }
    let (agent, action) = request.split_once(' ').unwrap();
    let agent: AgentId = agent.parse().unwrap();
    let ready = state.ready(agent).map(|ready| ready.at);
    let mut events = Vec::new();
    state.step(now, agent, action.parse().unwrap(), &mut events);
    let [(_, event @ Event::Refused { refusal, .. })] = &events[..] else { panic!("{events:?}") };
    let seats = Seats::new((0..4).map(AgentNumber).collect());
    let (_, notice) = seats.notice(event, &state, "2026-03-01T12:00:00Z".parse().unwrap()).unwrap();
    let subtype = match &notice {
        Notice::PickUpRefused { reason: PickUpFailure::NothingThere } => " NothingThere",
        Notice::PickUpRefused { .. } => " Other",
        Notice::PutRefused { reason: PutFailure::AgentNotHolding } => " AgentNotHolding",
        _ => "",
    };
    let charged = ready != state.ready(agent).map(|ready| ready.at);
    let charged = if charged { "yes" } else { "no" };
    (refusal.word().to_owned(), format!("{}{subtype}", notice.id()), charged.to_owned())
}

/// The pages about the demands of a source, each with the least number of its rows.
const AUDITS: [(&str, usize); 5] = [
    ("audit.md", 113),
    ("audit-bricks.md", 60),
    ("audit-conveyor.md", 70),
    ("audit-dots.md", 60),
    ("audit-eriantys.md", 90),
];

#[test]
fn the_audits_have_a_place_for_every_requirement() {
    for (page, least) in AUDITS {
        let rows = rows(page);
        assert!(rows.len() >= least, "{page}: only {} rows", rows.len());
        for (row, number) in rows.iter().zip(1..) {
            assert_eq!(row[0], number.to_string(), "{page}: rows are numbered one after the other");
            let [_, place, requirement, met] = &row[..] else {
                panic!("{page}: row {number} has {} cells", row.len())
            };
            assert!(!place.is_empty() && !requirement.is_empty(), "{page}: row {number} is not complete");
            // `links_lead_somewhere` looks where.
            assert!(met.contains("]("), "{page}: row {number} leads nowhere: {met}");
        }
    }
}

/// A link in an audit whose text is the name of a test leads to the file of this test.
#[test]
fn the_audits_name_tests_that_exist() {
    let book = workspace().join("book/src");
    let mut tests = 0;
    for (page, _) in AUDITS {
        let text = fs::read_to_string(book.join(page)).unwrap();
        for link in text.split("[`").skip(1) {
            let Some((name, target)) = link.split_once("`](") else { continue };
            let (file, _) = target.split_once(')').unwrap();
            let source =
                fs::read_to_string(book.join(file)).unwrap_or_else(|error| panic!("{page}: {file}: {error}"));
            assert!(source.contains(&format!("fn {name}(")), "{page}: {file} has no test {name}");
            tests += 1;
        }
    }
    assert!(tests > 40, "only {tests} tests are named");
}

/// Every line of the replay on the page of files is one that readers take.
#[test]
fn the_replay_on_the_page_of_files_is_read() {
    let page = fs::read_to_string(workspace().join("book/src/files.md")).unwrap();
    let (_, block) = page.split_once("```json,replay\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    let (header, records) = block.split_once('\n').unwrap();
    // The page shows each kind of line, in an order that no game has: each is read by itself.
    for line in records.lines() {
        let file = format!("{header}\n{line}\n");
        let mut reader = Reader::open(file.as_bytes()).unwrap_or_else(|error| panic!("{header}: {error}"));
        let record = reader.next_record().unwrap_or_else(|error| panic!("{line}: {error}"));
        assert!(record.is_some(), "{line} is no record");
    }
    assert_eq!(records.lines().count(), 9);
}
