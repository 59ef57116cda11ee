//! The page of the book with all parameters, made from the tables of the programs.
//!
//! `UPDATE_GOLDEN=1 cargo test -p workspace-tests --test it configuration` writes it anew: read the diff.

use std::fmt::Write as _;
use std::fs;

use game_env::Value;
use game_env::parameter::{Parameter, Source};
use workspace_tests::workspace;

/// Text before the tables.
const HEAD: &str = "# Configuration

Every parameter: its meaning, the values that are allowed, its default, and its name and value in the source.
This page is generated from the tables that the programs read.

A configuration file is one JSON object.
No key is required ([why](decisions/samples.md)).
An unknown key, a key that is given twice, and a value out of its range are faults; a program names all faults at once.
Numbers may be written in quotes.
`reference-gm config` and `bots presets` show values, `cs --help` shows its flags.
";

fn page() -> String {
    let (project, others) = game_catalogue::games().split_first().expect("there are games");
    let of_project = project.parameters();
    let game_master = beside(of_project, reference_gm::project::config::parameters());
    let mut page = HEAD.to_owned();
    section(&mut page, "The game", "In the game master's file, or with `--set NAME=VALUE`.", of_project);
    page += "\nOne penalty holds for asking and for answering, the source's `askPenalty` and `responsePenalty`: \
             [why](decisions/exchange-penalty.md).\n\
             [The limits of a configuration](decisions/limits.md) lists the conditions between several values.\n";
    let where_else = "In the same file, or with `--set NAME=VALUE`; the usual ones have flags of their own.";
    section(&mut page, "The game master", where_else, &game_master);
    let flags = "In the file of `cs --config FILE`, or as flags: `maxConnections` is `--max-connections`.";
    section(&mut page, "The communication server", flags, &cs::config::PARAMETERS);
    let agent = "In the file of `bots join`, `agent.json` unless `--config` names another.";
    section(&mut page, "The agent", agent, &bots::project::parameters::PARAMETERS);
    for game in others {
        let flags = format!("With `bots --game {} --set NAME=VALUE`, and in a league file.", game.name());
        section(&mut page, game.description().title, &flags, game.parameters());
    }
    let referee = beside(of("bricks"), reference_gm::bricks::config::parameters());
    let where_else = "With `reference-gm bricks … --set NAME=VALUE` or in the file of its `--config`, beside those of the game; \
                      the usual ones have flags of their own. \
                      `league import bricks --set NAME=VALUE` takes all of them but `mode` and `paceMs`, and a league file has \
                      those from `dialect` to `wakeMs` in its table `[referee]`.";
    section(&mut page, "The referee of Bricks", where_else, &referee);
    let chosen = "With `reference-gm bricks serve`, beside those of the referee: the players of a duel. \
                  The operator chooses them on the page.";
    section(&mut page, "The page of the referee", chosen, &reference_gm::bricks::choice::PARAMETERS);
    let server = beside(of("dots"), &reference_gm::dots::PARAMETERS);
    let flags = "In the file of `reference-gm dots serve --config FILE`, or as flags, beside those of the game: \
                 `botWaitMs` is `--bot-wait-ms`.";
    section(&mut page, "The server of Dots & Boxes", flags, &server);
    let flags =
        "In the file of `reference-gm eriantys serve --config FILE`, or as flags: `waitMs` is `--wait-ms`.";
    section(&mut page, "The server of Eriantys", flags, &reference_gm::eriantys::PARAMETERS);
    page
}

/// The parameters of a game.
fn of(game: &str) -> &'static [Parameter] {
    game_catalogue::find(game).unwrap().parameters()
}

/// The parameters of a program that are not those of its game.
fn beside(game: &[Parameter], program: &[Parameter]) -> Vec<Parameter> {
    let is_own = |known: &&Parameter| game.iter().all(|of_game| of_game.name != known.name);
    program.iter().filter(is_own).copied().collect()
}

fn section(page: &mut String, title: &str, where_to: &str, table: &[Parameter]) {
    write!(page, "\n## {title}\n\n{where_to}\n\n").unwrap();
    page.push_str("| parameter | meaning | allowed | default | in the source |\n|---|---|---|---|---|\n");
    for known in table {
        let also: Vec<String> = known.aliases.iter().map(|alias| format!("`{alias}`")).collect();
        let also = if also.is_empty() { String::new() } else { format!(", also {}", also.join(", ")) };
        let default = Value::from(known.default).text();
        let default = if default.is_empty() { "none".to_owned() } else { format!("`{default}`") };
        let source = known.source.as_ref().map_or_else(|| "—".to_owned(), in_the_source);
        let (name, meaning) = (known.name, known.description());
        writeln!(page, "| `{name}`{also} | {meaning} | {} | {default} | {source} |", known.range).unwrap();
    }
}

/// The names, the sections with their links, and the value of the sample.
fn in_the_source(Source { names, section, sample }: &Source) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let link = |section: &str| {
        // The sections of the classes are one section of the page.
        let anchor = if section.starts_with("8.") { "8" } else { section };
        format!("[{section}](audit.md#source-{anchor})")
    };
    let sections: Vec<String> = section.split(", ").map(link).collect();
    format!("{} ({}): `{sample}`", names.join(", "), sections.join(", "))
}

#[test]
fn the_page_of_configuration_is_the_tables() {
    let path = workspace().join("book/src/configuration.md");
    let expected = page();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, &expected).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(
        found, expected,
        "stale: UPDATE_GOLDEN=1 cargo test -p workspace-tests --test it configuration"
    );
}
