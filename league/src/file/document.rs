//! Reading a league: its game, schedule, limits and executor.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use contests::entrant::EntrantId;
use contests::text::counted;
use game_env::matches::MatchLimits;
use game_env::text::{fit_for_a_log, or_list};
use game_env::{Parameters, Seed, SimTime, TeamId, Thinking};
use toml::de::DeTable;

use super::entrants::{EntrantPlace, read_entrants};
use super::fault::{Faults, LeagueFileError, unknown};
use super::table::{Placed, Table};
use super::{Entrant, ExecutorKind, League, MOST_MATCHES, ScheduleKind, schedule};
use crate::games::{ConfigFault, Configured, Games};
use crate::network::commands::HERE;
use crate::network::{self, NetworkRoom, Rules};
use crate::schedule::Swiss;

/// The most sets of a pairing.
const MOST_SETS: u64 = MOST_MATCHES / 2;

/// Checks the folders in which the commands of a league file run. `missing` describes a folder that is not there, e.g.
/// by its whole path; it returns none for one that is.
///
/// # Errors
///
/// Names all entrants whose folder is missing, and those faults of the file that keep them from being read.
pub(crate) fn check_folders(
    text: &str,
    missing: impl Fn(&str) -> Option<String>,
) -> Result<(), LeagueFileError> {
    read_document(text, |mut file, faults| {
        for mut table in file.tables("entrant", "[[entrant]]", faults) {
            if !table.has("command") {
                continue;
            }
            let name = table.text("name", faults).map_or("", |name| name.value);
            let (folder, at) = match table.text("folder", faults) {
                Some(folder) => (folder.value, folder.at),
                None => (HERE, table.at().clone()),
            };
            if let Some(path) = missing(folder) {
                faults.add(
                    &at,
                    format!("there is no folder {path} for the program of `{}`", fit_for_a_log(name)),
                );
            }
        }
        Some(())
    })
}

/// Reads a file as TOML, and from its document what `read` returns.
pub(super) fn read_document<T>(
    text: &str,
    read: impl FnOnce(Table<'_>, &mut Faults<'_>) -> Option<T>,
) -> Result<T, LeagueFileError> {
    let mut faults = Faults::new(text);
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        let at = error.span().unwrap_or(text.len()..text.len());
        faults.add(&at, fit_for_a_log(error.message()));
    }
    if !faults.is_empty() {
        // Tables of broken TOML have faults that the file does not have.
        return Err(faults.into_error());
    }
    let value = read(Table::new("", 0..0, document.get_ref()), &mut faults);
    value.filter(|_| faults.is_empty()).ok_or_else(|| faults.into_error())
}

/// Returns the league of a file; none if there are faults.
pub(super) fn read_league(
    name: &str,
    mut file: Table<'_>,
    games: &dyn Games,
    faults: &mut Faults<'_>,
) -> Option<League> {
    let name = file.text_of_name(faults).unwrap_or_else(|| fit_for_a_log(name));
    let game = read_game(&mut file, games, faults);
    let preset = file.text("preset", faults);
    let seed = file.whole("seed", 0..=u64::MAX, faults).map_or(0, |seed| seed.value);
    let replays = file.choice("replays", &[("none", false), ("all", true)], faults);
    let restarts_programs = file.flag("restart_programs", faults).unwrap_or(false);
    let executor = file.choice("executor", &EXECUTORS, faults);
    let configuration = file.table("configuration", "[configuration]", faults);
    let configured = game.as_deref().and_then(|game| configure(game, preset, configuration, games, faults));
    let limits = file.table("limits", "[limits]", faults);
    let network = file.table("network", "[network]", faults);
    let room = game.as_deref().and_then(network::find);
    let of_host = room.and_then(|room| room.settings.as_ref());
    let of_host = of_host.and_then(|table| file.table(table.key, table.name, faults));
    let early_stop = file.table("early_stop", "[early_stop]", faults);
    let early_stop_at = early_stop.as_ref().map(|table| table.at().clone());
    let early_stop = early_stop.and_then(|table| read_early_stop(table, faults));
    let scheduled = file.table("schedule", "[schedule]", faults);
    let entrants = file.tables("entrant", "[[entrant]]", faults);
    let is_foreign = |entrant: &&Table<'_>| entrant.has("command") || entrant.has("join");
    let foreign = entrants.iter().find(is_foreign).map(|entrant| entrant.at().clone());
    let without_network = if foreign.is_some() { LEAVE_OUT_OTHERS } else { LEAVE_OUT_EXECUTOR };
    let executor = read_executor(executor, foreign, game.as_deref(), faults);
    let without_network = (executor == ExecutorKind::Network).then_some(without_network);
    if let (Some(place), ExecutorKind::Network) = (file.place_of("restart_programs"), executor) {
        faults.add(&place, "`restart_programs` is only for leagues in process: over the network, every match starts its programs");
    }
    for table in [network.as_ref(), of_host.as_ref()].into_iter().flatten() {
        if executor == ExecutorKind::InProcess {
            faults.add(table.at(), format!("`{}` is only for `executor = \"network\"`", table.name()));
        }
    }
    let room = room.filter(|_| executor == ExecutorKind::Network);
    let settings = match &configured {
        Some(configured) => read_settings(room, of_host, &configured.config, faults),
        None => None,
    };
    let usual = if entrants.iter().any(|entrant| entrant.has("join")) {
        Rules { join: LONGEST_JOINING, ..Rules::default() }
    } else {
        Rules::default()
    };
    let network = network.map_or(usual, |network| read_network(network, usual, room, faults));
    let usual = match executor {
        ExecutorKind::InProcess => MatchLimits::default(),
        ExecutorKind::Network => MatchLimits { time: LONGEST_NETWORKED, ..MatchLimits::default() },
    };
    let limits = limits.map_or(usual, |limits| read_limits(limits, usual, executor, faults));
    let end = entrants.last().map_or(0..0, |entrant| entrant.at().clone());
    let team_sizes = configured.as_ref().map(|configured| team_sizes(&configured.teams));
    let place =
        EntrantPlace { game: game.as_deref(), room, team_sizes: team_sizes.as_deref(), without_network };
    let entrants = read_entrants(entrants, place, games, faults);
    let sides = configured.as_ref().map(|configured| TeamId::count(&configured.teams));
    let (kind, sets) = read_schedule(scheduled, &entrants, sides, faults);
    if let (Some(at), ScheduleKind::Swiss(_) | ScheduleKind::Knockout) = (early_stop_at, kind) {
        faults.add(&at, "`[early_stop]` is only for `kind = \"round-robin\"` and `kind = \"gauntlet\"`");
    }
    if let Some(sides) = sides.filter(|sides| entrants.len() < *sides) {
        let found = entrants.len();
        let found = counted(found as u64, "entrant", "entrants");
        faults.add(&end, format!("{found}: a match of this configuration needs {sides} that meet"));
    }
    if entrants.len() > EntrantId::MAX {
        faults.add(&end, format!("{} entrants: expected at most {}", entrants.len(), EntrantId::MAX));
    }
    file.finish(faults);
    if !faults.is_empty() {
        return None;
    }
    let (Configured { config, teams }, sides) = (configured?, sides?);
    let count = schedule(kind, entrants.len(), sides, sets).number_of_matches();
    if count.is_none_or(|count| count > MOST_MATCHES) {
        let count = count.map_or("more than 2^64".to_owned(), |count| count.to_string());
        faults.add(&end, format!("{count} matches: expected at most {MOST_MATCHES}; lower `sets`"));
        return None;
    }
    Some(League {
        name,
        game: game?,
        config,
        teams,
        seed: Seed::new(seed),
        entrants,
        schedule: kind,
        sets,
        limits,
        early_stop,
        // A match over the network cannot be played again.
        keeps_replays: replays.map_or(executor == ExecutorKind::Network, |replays| replays.value),
        restarts_programs,
        executor,
        network,
        settings: settings?,
    })
}

fn read_game(file: &mut Table<'_>, games: &dyn Games, faults: &mut Faults<'_>) -> Option<String> {
    let known = games.games();
    if !file.has("game") {
        let expected = or_list(&known);
        faults
            .add(&(0..0), format!("`game` is missing: expected {expected}, e.g. `game = \"{}\"`", known[0]));
    }
    let game = file.text("game", faults)?;
    if known.contains(&game.value) {
        return Some(game.value.to_owned());
    }
    faults.add(&game.at, unknown("game", game.value, known));
    None
}

fn configure(
    game: &str,
    preset: Option<Placed<&str>>,
    table: Option<Table<'_>>,
    games: &dyn Games,
    faults: &mut Faults<'_>,
) -> Option<Configured> {
    let known = games.presets(game);
    let is_preset = preset.as_ref().is_none_or(|preset| known.contains(&preset.value));
    if let Some(preset) = preset.as_ref().filter(|_| !is_preset) {
        if known.is_empty() {
            faults.add(&preset.at, format!("the game {game} has no presets: leave `preset` out"));
        } else {
            faults.add(&preset.at, unknown("preset", preset.value, known));
        }
    }
    let scalars = Scalars::read(table, faults);
    let preset = preset.filter(|_| is_preset).map(|preset| preset.value);
    match games.configure(game, preset, &scalars.values) {
        Ok(configured) => is_preset.then_some(configured),
        Err(found) => {
            scalars.report(found, faults);
            None
        }
    }
}

/// The values of a table whose keys are checked elsewhere, with their places.
struct Scalars<'a> {
    section: Range<usize>,
    places: BTreeMap<&'a str, Range<usize>>,
    values: Parameters,
}

impl<'a> Scalars<'a> {
    /// Reads the values of this table; none if it is not there.
    fn read(table: Option<Table<'a>>, faults: &mut Faults<'_>) -> Self {
        let section = table.as_ref().map_or(0..0, |table| table.at().clone());
        let scalars = table.map_or_else(Vec::new, |table| table.scalars(faults));
        let places = scalars.iter().map(|(name, _)| (name.value, name.at.clone())).collect();
        let values = scalars.into_iter().map(|(name, value)| (name.value.to_owned(), value.value)).collect();
        Self { section, places, values }
    }

    /// Adds these faults at the places of their parameters.
    fn report(&self, found: Vec<ConfigFault>, faults: &mut Faults<'_>) {
        for fault in found {
            let place = fault.parameter.as_deref().and_then(|name| self.places.get(name));
            faults.add(place.unwrap_or(&self.section), fault.text);
        }
    }
}

/// Returns the settings of the game's host, whole, if the game has a table for them; none if they are faulty.
fn read_settings(
    room: Option<&NetworkRoom>,
    table: Option<Table<'_>>,
    config: &Parameters,
    faults: &mut Faults<'_>,
) -> Option<Parameters> {
    let Some(settings) = room.and_then(|room| room.settings.as_ref()) else { return Some(Parameters::new()) };
    let scalars = Scalars::read(table, faults);
    let completed = (settings.complete)(config, &scalars.values);
    completed.map_err(|error| scalars.report(ConfigFault::of(&error), faults)).ok()
}

/// The way to play an own strategy in process, in a league whose entrants are all strategies.
const LEAVE_OUT_EXECUTOR: &str = "leave out `executor = \"network\"`";

/// The same in a league with other entrants.
const LEAVE_OUT_OTHERS: &str =
    "leave out `executor = \"network\"`, and all entrants with `command` or `join`";

const EXECUTORS: [(&str, ExecutorKind); 2] =
    [("in-process", ExecutorKind::InProcess), ("network", ExecutorKind::Network)];

/// Time after which a match over the network is given up unless the file gives another one.
pub(crate) const LONGEST_NETWORKED: SimTime = SimTime::from_millis(600_000);

/// Time that agents from outside may take to join unless the file gives another one.
const LONGEST_JOINING: Duration = Duration::from_secs(60);

/// Returns the executor that the file names, or that follows from an entrant that is a command or joins.
fn read_executor(
    named: Option<Placed<ExecutorKind>>,
    foreign: Option<Range<usize>>,
    game: Option<&str>,
    faults: &mut Faults<'_>,
) -> ExecutorKind {
    let place = named.as_ref().map(|named| named.at.clone()).or_else(|| foreign.clone());
    let executor = match (named.map(|named| named.value), foreign) {
        (Some(ExecutorKind::InProcess), Some(foreign)) => {
            faults.add(
                &foreign,
                "commands and agents that join play only over the network: expected `executor = \"network\"`",
            );
            ExecutorKind::Network
        }
        (Some(named), _) => named,
        (None, Some(_)) => ExecutorKind::Network,
        (None, None) => ExecutorKind::InProcess,
    };
    if let (ExecutorKind::Network, Some(place), Some(game)) = (executor, place, game)
        && !network::games().contains(&game)
    {
        let known = or_list(network::games());
        faults.add(&place, format!("the game {game} is not played over the network: expected {known}"));
    }
    executor
}

/// The keys of `[network]` that concern a server.
const OF_SERVERS: [&str; 4] = ["join_ms", "alone_ms", "listen", "delay_ms"];

fn read_network(
    mut table: Table<'_>,
    default: Rules,
    room: Option<&NetworkRoom>,
    faults: &mut Faults<'_>,
) -> Rules {
    /// An hour.
    const MOST_MS: u64 = 3_600_000;
    /// The communication server waits 800 ms for its last messages to arrive.
    const MOST_DELAY_MS: u64 = 500;
    if let Some(room) = room.filter(|room| !room.has_server) {
        for key in OF_SERVERS.into_iter().filter(|key| table.has(key)) {
            let why = format!("`{key}` is for games with a server, and {} has none: leave it out", room.game);
            faults.add(table.at(), why);
        }
    }
    let join = table.whole("join_ms", 1..=MOST_MS, faults);
    let grace = table.whole("grace_ms", 0..=MOST_MS, faults);
    let alone = table.whole("alone_ms", 0..=MOST_MS, faults);
    let checks_host = table.flag("check_host", faults);
    let listen = table.text("listen", faults).map(|text| match text.value.parse() {
        Ok(address) => address,
        Err(_) => {
            let found = fit_for_a_log(text.value);
            let expected = "an IP address of this machine, e.g. \"127.0.0.1\", or \"0.0.0.0\" for all";
            faults.add(&text.at, format!("invalid `listen` \"{found}\": expected {expected}"));
            default.listen
        }
    });
    let delay = table.whole("delay_ms", 0..=MOST_DELAY_MS, faults);
    table.finish(faults);
    let span =
        |given: Option<Placed<u64>>, usual| given.map_or(usual, |given| Duration::from_millis(given.value));
    Rules {
        join: span(join, default.join),
        grace: span(grace, default.grace),
        alone: span(alone, default.alone),
        checks_host: checks_host.unwrap_or(default.checks_host),
        listen: listen.unwrap_or(default.listen),
        delay: span(delay, default.delay),
    }
}

fn read_limits(
    mut table: Table<'_>,
    default: MatchLimits,
    executor: ExecutorKind,
    faults: &mut Faults<'_>,
) -> MatchLimits {
    for key in ["decisions", "refusals", "think_limit_ms", "think_charge_ms"] {
        if let (Some(place), ExecutorKind::Network) = (table.place_of(key), executor) {
            faults.add(&place, format!("`{key}` is only for leagues in process: over the network, `time_ms` and `steps` limit a match"));
        }
    }
    let latest = game_env::replay::LATEST.as_millis();
    let time = table.whole("time_ms", 1..=latest, faults);
    let steps = table.whole("steps", 1..=u64::MAX, faults);
    let decisions = table.whole("decisions", 1..=u64::MAX, faults);
    let refusals = table.whole("refusals", 0..=u32::MAX.into(), faults);
    let think_limit = table.whole("think_limit_ms", 1..=u32::MAX.into(), faults);
    let think_charge = table.whole("think_charge_ms", 1..=Thinking::MOST_CHARGE_MS.into(), faults);
    let narrow = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let thinking = match (think_limit, think_charge) {
        (Some(_), Some(charge)) => {
            let why = "`think_limit_ms` and `think_charge_ms` exclude each other: expected one of them";
            faults.add(&charge.at, why);
            default.thinking
        }
        (Some(limit), None) => Thinking::LimitMs(narrow(limit.value)),
        (None, Some(charge)) => Thinking::ChargeMs(narrow(charge.value)),
        (None, None) => default.thinking,
    };
    table.finish(faults);
    MatchLimits {
        thinking,
        time: time.map_or(default.time, |time| SimTime::from_millis(time.value)),
        steps: steps.map_or(default.steps, |steps| steps.value),
        decisions: decisions.map_or(default.decisions, |decisions| decisions.value),
        refusals: refusals.and_then(|most| u32::try_from(most.value).ok()).unwrap_or(default.refusals),
    }
}

fn read_early_stop(mut table: Table<'_>, faults: &mut Faults<'_>) -> Option<f64> {
    if !table.has("confidence") {
        faults.add(table.at(), "`confidence` is missing: expected a number above 0.5 and below 1, e.g. 0.95");
    }
    let confidence = table.between("confidence", (0.5, 1.0), faults);
    table.finish(faults);
    confidence.map(|confidence| confidence.value)
}

/// Returns the number of agents of each team.
fn team_sizes(teams: &[TeamId]) -> Vec<usize> {
    (0..TeamId::count(teams)).map(|side| teams.iter().filter(|team| team.index() == side).count()).collect()
}

fn read_schedule(
    table: Option<Table<'_>>,
    entrants: &[Entrant],
    sides: Option<usize>,
    faults: &mut Faults<'_>,
) -> (ScheduleKind, u32) {
    const DEFAULT: (ScheduleKind, u32) = (ScheduleKind::RoundRobin, 10);
    #[derive(Clone, Copy, PartialEq)]
    enum Kind {
        RoundRobin,
        Gauntlet,
        Swiss,
        Knockout,
    }
    const KINDS: [(&str, Kind); 4] = [
        ("round-robin", Kind::RoundRobin),
        ("gauntlet", Kind::Gauntlet),
        ("swiss", Kind::Swiss),
        ("knockout", Kind::Knockout),
    ];
    let Some(mut table) = table else { return DEFAULT };
    let has_kind = table.has("kind");
    let placed = table.choice("kind", &KINDS, faults);
    let kind = placed.as_ref().map_or(Kind::RoundRobin, |kind| kind.value);
    // With an unknown kind, nobody knows which of the other keys are right.
    let is_known = placed.is_some() || !has_kind;
    let sets = table.whole("sets", 1..=MOST_SETS, faults);
    let sets = sets.and_then(|sets| u32::try_from(sets.value).ok()).unwrap_or(DEFAULT.1);
    let champion = table.text("champion", faults);
    // After these rounds all entrants have met each other, or had a bye.
    let most_rounds = (entrants.len() as u64).max(2) - 1;
    let rounds = table.whole("rounds", 1..=most_rounds, faults);
    if let Some(champion) = champion.as_ref().filter(|_| kind != Kind::Gauntlet && is_known) {
        faults.add(&champion.at, "`champion` is only for `kind = \"gauntlet\"`");
    }
    if let Some(rounds) = rounds.as_ref().filter(|_| kind != Kind::Swiss && is_known) {
        faults.add(&rounds.at, "`rounds` is only for `kind = \"swiss\"`");
    }
    let kind = match kind {
        Kind::RoundRobin => ScheduleKind::RoundRobin,
        Kind::Gauntlet => {
            let find = |champion: &str| entrants.iter().position(|entrant| entrant.name == champion);
            let place = champion.as_ref().map_or(Some(0), |champion| find(champion.value));
            if let (None, Some(champion)) = (place, champion) {
                let names: Vec<&str> = entrants.iter().map(|entrant| entrant.name.as_str()).collect();
                faults.add(&champion.at, unknown("champion", champion.value, names));
            }
            let place = place.filter(|place| *place < EntrantId::MAX).unwrap_or(0);
            ScheduleKind::Gauntlet(EntrantId::from_index(place))
        }
        Kind::Swiss => {
            let usual = Swiss::usual_rounds(entrants.len());
            ScheduleKind::Swiss(rounds.and_then(|rounds| u32::try_from(rounds.value).ok()).unwrap_or(usual))
        }
        Kind::Knockout => {
            if let (Some(placed), Some(sides)) = (placed, sides.filter(|sides| *sides != 2)) {
                let others = or_list(KINDS.iter().map(|(word, _)| *word).filter(|word| *word != "knockout"));
                let why =
                    format!("a knockout needs two sides, and a match of this configuration has {sides}");
                faults.add(&placed.at, format!("{why}: expected {others}"));
            }
            ScheduleKind::Knockout
        }
    };
    table.finish(faults);
    (kind, sets)
}
