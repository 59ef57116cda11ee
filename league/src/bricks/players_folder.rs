//! A folder of players of Bricks as a league file: each program meets each other twice, on one board.
//!
//! The referee of `reference-gm` reads the folder and checks the parameters. The filled cells are drawn here, once: the
//! seeds of a league's matches differ, and all duels of a tournament begin on the same board.

use std::path::{Path, PathBuf};

use game_bricks::{Config, State};
use game_env::matches::MatchLimits;
use game_env::parameter::{Parameter, find};
use game_env::text::escape_hidden;
use game_env::{Environment as _, Millis, Notation as _, Parameters, SimTime, Value};
use reference_gm::bricks::config::{BricksConfig, CONVERSATION, Confine, parameters};
use reference_gm::bricks::entrants::{Entrant, EntrantsError, Players};

use crate::file::LONGEST_NETWORKED;
use crate::import::{Import, ImportError, LeagueText, Request};

pub(crate) const IMPORT: Import = Import { game: State::GAME, parameters: chosen, read };

/// The parameters of a host that watches a duel: they have no meaning in a league.
const OF_WATCHING: [&str; 2] = ["mode", "paceMs"];

fn chosen() -> &'static [Parameter] {
    static CHOSEN: std::sync::LazyLock<Vec<Parameter>> = std::sync::LazyLock::new(|| {
        parameters().iter().filter(|known| !OF_WATCHING.contains(&known.name)).copied().collect()
    });
    &CHOSEN
}

fn read(request: &Request<'_>) -> Result<LeagueText, ImportError> {
    // A parameter of watching is as unknown here as any other name.
    let faults = game_env::parameter::read(chosen(), &request.values).faults;
    if !faults.is_empty() {
        return Err(ImportError::Parameters(game_env::ConfigError::new(faults)));
    }
    let config = BricksConfig::layered(Parameters::new(), request.values.clone());
    let config = config.map_err(ImportError::Parameters)?;
    let players = Players::read(request.folder, config.settings.compat, request.leaves_out);
    let players = players.map_err(|error| match &error {
        EntrantsError::Faulty(_) => ImportError::Players(error.to_string()),
        EntrantsError::Folder { .. } | EntrantsError::TooFew { .. } => ImportError::Folder(error.to_string()),
    })?;
    let base = base_of(request.file)?;
    let seed = config.seed.unwrap_or(request.seed);
    let start = State::new(&config.game, seed);
    let filled = start.board().cells().filter(|cell| !start.board().is_free(*cell));
    let board =
        config.game.clone().filled_at_random(0).and_then(|game| game.filled(filled.collect::<Vec<_>>()));
    let board = board.expect("the cells of a board can be filled on it");
    let (confine, warnings) = confinement(config.programs.confine);
    let mut text = head(request, &seed.to_string());
    text += "\n# The board of all duels.\n[configuration]\n";
    text += &table(&State::write_config(&board), game_bricks::notation::PARAMETERS.as_slice());
    text += "\n# The conversation between the referee and the programs.\n[referee]\n";
    let values = config.origins.iter().filter(|(name, ..)| find(&CONVERSATION, name).is_some());
    let values: Parameters = values.map(|(name, value, _)| (name.clone(), value.clone())).collect();
    text += &table(&values, &CONVERSATION);
    text += "\n# One board; each program plays each other twice, once as the first.\n\
             [schedule]\nkind = \"round-robin\"\nsets = 1\n";
    let time = longest(&board, &config).as_millis();
    text += &format!("\n[limits]\ntime_ms = {time}  # when a duel is given up\n");
    let (grace, checks_host) = (config.programs.grace.as_millis(), config.checks_host);
    text += &format!(
        "\n[network]\n\
         grace_ms = {grace}  # the time in which a program may end after a duel, and again after SIGTERM\n\
         check_host = {checks_host}  # repeat duels that a player has lost by its time while this machine was too slow\n"
    );
    for entrant in &players.entrants {
        text += &section(entrant, &base, &config, confine)?;
    }
    Ok(LeagueText { text, entrants: players.entrants.len(), left_out: players.left_out, warnings })
}

/// Returns the folder of the league file, as the system knows it.
fn base_of(file: &Path) -> Result<PathBuf, ImportError> {
    let base = file.parent().filter(|base| !base.as_os_str().is_empty()).unwrap_or(Path::new("."));
    base.canonicalize().map_err(|source| ImportError::File { path: base.to_owned(), source })
}

fn head(request: &Request<'_>, seed: &str) -> String {
    let file = request.file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = request.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let [folder, file, stem] =
        [request.folder.display().to_string(), file, stem].map(|text| escape_hidden(&text));
    format!(
        "# A tournament of the players in {folder}. Play it, and write its results as the original referee does:\n\
         #\n\
         #   league run {file} --jobs 1\n\
         #   league export {stem}.results --bricks {stem}.bricks\n\
         \n\
         game = \"bricks\"\n\
         seed = \"{seed}\"  # has drawn the filled cells\n"
    )
}

/// Returns a line for each of these values, with the meaning of its parameter.
fn table(values: &Parameters, known: &[Parameter]) -> String {
    let line = |(name, value): (&str, &Value)| {
        let meaning = find(known, name).map(Parameter::description).unwrap_or_default();
        format!("{name} = {}  # {meaning}\n", written(value))
    };
    values.iter().map(line).collect()
}

fn section(
    entrant: &Entrant,
    base: &Path,
    config: &BricksConfig,
    confine: &str,
) -> Result<String, ImportError> {
    let rules = &config.programs;
    let utf8 =
        |path: &Path| path.to_str().map(str::to_owned).ok_or_else(|| ImportError::Path(path.to_owned()));
    let folder = entrant.folder.strip_prefix(base).unwrap_or(&entrant.folder);
    let folder = if folder.as_os_str().is_empty() { ".".to_owned() } else { utf8(folder)? };
    // The paths of the parameter begin at the current folder, those of the file at its own.
    let may_read = rules.may_read.iter().map(|path| {
        let path =
            std::path::absolute(path).map_err(|source| ImportError::File { path: path.into(), source })?;
        utf8(&path)
    });
    let may_read = may_read.collect::<Result<Vec<_>, _>>()?;
    let list = |texts: &[String]| texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
    let memory = rules.limits.memory_bytes >> 20;
    Ok(format!(
        "\n[[entrant]]\nname = {}\ncommand = [{}]\nfolder = {}\nconfine = {confine}\nmay_read = [{}]\n\
         memory_mib = {memory}\nprocesses = {}\n",
        quoted(&entrant.nick),
        list(&entrant.words),
        quoted(&folder),
        list(&may_read),
        rules.limits.processes,
    ))
}

/// Returns the value of `confine` for the programs, and a warning if they are not confined although they could be
/// elsewhere.
fn confinement(confine: Confine) -> (&'static str, Vec<String>) {
    match confine {
        Confine::Never => ("false", Vec::new()),
        Confine::Always => ("true", Vec::new()),
        Confine::Namespaces => ("\"namespaces\"", Vec::new()),
        Confine::Auto => match child_process::check_confinement() {
            Ok(()) => ("true", Vec::new()),
            Err(why) => {
                let warning =
                    "the file has `confine = false`, and programs can read and write all that you can";
                ("false", vec![format!("{warning}: {why}")])
            }
        },
    }
}

/// Returns the time after which a duel is given up: more than both programs can use.
fn longest(board: &Config, config: &BricksConfig) -> SimTime {
    let Some(limit) = board.limit() else { return MatchLimits::default().time };
    let bricks = u64::from(board.size()) * u64::from(board.size()) / 2;
    let ms = |millis: Millis| u64::from(millis.as_millis());
    let settings = &config.settings;
    // Two programs start and answer at most twice; the last of the moves may be late or missing.
    let opening = 2 * (ms(settings.wake) + 2 * ms(settings.answer_limit.max(settings.silence_limit)));
    let time = opening + bricks * ms(limit) + ms(settings.silence_limit);
    SimTime::from_millis(time.max(LONGEST_NETWORKED.as_millis())).min(game_env::replay::LATEST)
}

/// Returns a value as TOML has it.
fn written(value: &Value) -> String {
    match value {
        Value::Text(text) => quoted(text),
        other => other.to_string(),
    }
}

/// Returns a text as TOML has it: in quotes, with the escapes of JSON and one for U+007F.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use game_env::Seed;
    use game_env::parameter::parse;

    use super::*;
    use crate::file::{ExecutorKind, League};
    use crate::in_process::InProcess;
    use crate::network::commands::CommandEntrant;

    fn players(all: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, info) in all {
            fs::create_dir_all(folder.path().join("players").join(name)).unwrap();
            fs::write(folder.path().join("players").join(name).join("info.txt"), info).unwrap();
        }
        folder
    }

    fn import(folder: &Path, values: &[(&str, &str)], leaves_out: bool) -> Result<LeagueText, ImportError> {
        read(&Request {
            folder: &folder.join("players"),
            file: &folder.join("cup.toml"),
            values: values.iter().map(|(name, text)| (*name, parse(parameters(), name, text))).collect(),
            seed: Seed::new(7),
            leaves_out,
        })
    }

    fn league(text: &str) -> League {
        League::read("cup", text, &InProcess::new("tests 1.0"))
            .unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    #[test]
    fn a_folder_of_players_is_a_league_on_one_board() {
        let nasty = "./run 'a \"b\" \\\u{7f}' $x\nŻółw \"7\"\n";
        let folder = players(&[("a", "./player\nAda\n"), ("b", nasty)]);
        let values = [("filled", "3"), ("moveLimitMs", "700"), ("confine", "never"), ("mayRead", "/opt/x")];
        let made = import(folder.path(), &values, false).unwrap();
        let league = league(&made.text);
        let names: Vec<&str> = league.entrants.iter().map(|own| own.name.as_str()).collect();
        assert_eq!((names, made.entrants), (vec!["Ada", "Żółw \"7\""], 2));
        assert_eq!((league.executor, league.sets, league.seed), (ExecutorKind::Network, 1, Seed::new(7)));
        assert_eq!(league.rounds().number_of_matches(), Some(2));
        let program = CommandEntrant::find(&league.entrants[1].strategies[0]).unwrap().unwrap();
        assert_eq!(program.run, ["./run", "a \"b\" \\\u{7f}", "$x"]);
        assert_eq!(
            (program.folder.as_str(), &program.may_read[..]),
            ("players/b", &["/opt/x".to_owned()][..])
        );
        // The same cells in every match, and those that the referee draws from the seed.
        let drawn =
            BricksConfig::layered(Parameters::new(), [("filled", Value::Whole(3))].into_iter().collect());
        let drawn = State::new(&drawn.unwrap().game, Seed::new(7));
        let game = State::read_config(&league.config).unwrap();
        assert_eq!((game.count_at_random(), game.limit()), (0, Some(Millis::new(700))));
        for seed in [1, 2] {
            let board = State::new(&game, Seed::new(seed)).board().clone();
            assert!(board.cells().all(|cell| board.is_free(cell) == drawn.board().is_free(cell)));
        }
        assert_eq!(league.settings.get("dialect"), Some(&Value::Text("2018".to_owned())));
        assert_eq!(league.network.grace.as_millis(), 300);
    }

    #[test]
    fn a_league_of_another_year_has_its_dialect_and_its_board() {
        let folder = players(&[("a", "ada\nAda Byron\n./run\n"), ("b", "bob\nBob\n./run\n")]);
        let made = import(folder.path(), &[("compat", "2019"), ("size", "15")], false).unwrap();
        let league = league(&made.text);
        assert_eq!(league.settings.get("dialect"), Some(&Value::Text("2019".to_owned())));
        assert_eq!(league.settings.get("compat"), Some(&Value::Text("2019".to_owned())));
        let game = State::read_config(&league.config).unwrap();
        assert_eq!((game.is_torus(), game.filled_cells().len(), game.count_at_random()), (true, 22, 0));
        assert_eq!(league.entrants[0].name, "ada");
    }

    #[test]
    fn faulty_players_are_refused_or_left_out() {
        let folder = players(&[("a", "./run\nAda\n"), ("b", "./run\n"), ("c", "./run\nCy\n"), ("d", "\n")]);
        let ImportError::Players(told) = import(folder.path(), &[], false).unwrap_err() else {
            panic!("players are faulty")
        };
        assert!(
            told.contains("b/info.txt: line 2 is empty") && told.contains("d/info.txt: line 1"),
            "{told}"
        );
        let made = import(folder.path(), &[], true).unwrap();
        assert_eq!((made.entrants, made.left_out.len()), (2, 2));
        assert_eq!(league(&made.text).entrants.len(), 2);
        let few = players(&[("a", "./run\nAda\n"), ("b", "./run\n")]);
        let ImportError::Folder(told) = import(few.path(), &[], true).unwrap_err() else {
            panic!("one player is too few")
        };
        assert!(told.contains("has 1 sub-folders with players: expected at least 2"), "{told}");
        let ImportError::Parameters(told) =
            import(folder.path(), &[("paceMs", "1"), ("size", "4")], false).unwrap_err()
        else {
            panic!("parameters are faulty")
        };
        assert!(told.to_string().contains("paceMs = 1: unknown parameter"), "{told}");
    }

    #[test]
    fn a_duel_is_given_up_after_more_time_than_it_can_take() {
        let time = |values: &[(&str, Value)]| {
            let values = values.iter().cloned().collect();
            let config = BricksConfig::layered(Parameters::new(), values).unwrap();
            longest(&config.game, &config).as_millis()
        };
        assert_eq!(time(&[]), 600_000);
        // 220 bricks of 10 s, 2 programs that answer within 5 s, and 5 s of silence.
        let slow = [("size", Value::Whole(21)), ("moveLimitMs", Value::Whole(10_000))];
        assert_eq!(time(&slow), 2_200_000 + 20_000 + 5_000);
        assert_eq!(time(&[("moveLimitMs", Value::Whole(0))]), MatchLimits::default().time.as_millis());
    }
}
