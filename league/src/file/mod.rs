//! A league as a file defines it.
//!
//! [`League::read`] checks everything and names all faults at once, with line and column. A [`League`] can be played.
//! This module opens no file.
//!
//! # The file
//!
//! It is TOML. Only `game` and two `[[entrant]]` tables are needed; all else has the defaults that are shown here.
//!
//! ```toml
//! name = "quick"              # how reports call it; the file's name unless given
//! game = "project"            # required
//! preset = "quick"            # a preset of the game; none unless given
//! seed = 0                    # decides all chance of the league, 0 to 2^64-1
//! replays = "none"            # or "all": keep the replay of every match; over the network "all" unless given
//! restart_programs = false    # whether programs in process start anew for each match, and so remember no earlier one
//! executor = "in-process"     # or "network", where all matches take real time; it is that if an entrant is a command
//!
//! [configuration]             # values of the game's parameters; they override those of the preset
//! teamSize = 4
//!
//! [schedule]
//! kind = "round-robin"        # or "gauntlet", "swiss", "knockout"
//! sets = 10                 # seeds per pairing; each is played with every rotation of the sides
//! # champion = "coordinated"  # gauntlet: who meets all others; the first entrant unless given
//! # rounds = 3                # swiss; the base 2 logarithm of the number of entrants, rounded up, unless given
//!
//! [limits]                    # when a match is given up
//! time_ms = 43200000          # game time in milliseconds
//! steps = 10000000            # actions
//! decisions = 10000000        # decisions of all agents, those to wait included
//! refusals = 100              # in games of turns: a mover loses with more refused requests in a row
//! think_limit_ms = 100        # a decision of a program on the wall clock; or think_charge_ms, its game time
//!
//! [early_stop]                # round-robin and gauntlet; leave out this table to play all matches
//! confidence = 0.95           # stop when the order of the standings is settled at this confidence
//!
//! [network]                   # only over the network
//! join_ms = 10000             # how long agents may take to join
//! grace_ms = 2000             # how long commands may take to end after the game, and again after SIGTERM
//! alone_ms = 1000             # how long a match goes on after all agents of a team are gone
//! check_host = true           # repeat matches in which this machine was too slow
//! listen = "127.0.0.1"        # the address at which agents from outside join
//! delay_ms = 0                # how much later each message arrives, in both directions
//!
//! [referee]                   # only over the network, and only of a game whose host has such a table: its settings
//! answerLimitMs = 1000
//!
//! [[entrant]]                 # two or more
//! strategy = "coordinated"    # required: a strategy, or a line-up for the agents of a team
//! name = "coordinated"        # how standings call it; the strategy unless given
//!
//! [[entrant]]
//! strategy = "coordinated*3+liar"
//!
//! [[entrant]]                 # a program in any language; started once for each agent of its team
//! name = "mine"               # required
//! command = ["python3", "agent.py", "--host", "{host}", "--port", "{port}", "--team", "{team}"]
//! folder = "."                # where it runs; relative to the folder of this file
//! confine = false             # whether it may reach its folder, the system's programs and the server alone;
//!                             # "namespaces": not played where it cannot have namespaces of its own
//! may_read = []               # if it is confined, here or by the flag --confine: what else it may read
//! memory_mib = 1024           # the most memory of an agent
//! processes = 32              # the most processes of an agent
//!
//! [[entrant]]                 # agents that join from outside
//! name = "guests"             # required
//! join = true
//! ports = [4001, 4002]        # where they join red and blue; the system chooses unless given
//! ```
//!
//! The room of a game in [`network`] knows its table of settings. In a game without a server, all entrants are commands
//! without placeholders, and `join_ms`, `alone_ms`, `listen` and `delay_ms` are faults.
//!
//! Over the network a match without `time_ms` is given up after ten minutes. Where agents join from outside, `join_ms`
//! is 60000 unless given.

mod fault;
mod table;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use contests::entrant::EntrantId;
use contests::text::counted;
use game_env::matches::{MatchLimits, MatchSpec, TooManyAgents, entrants};
use game_env::text::{fit_for_a_log, is_hidden};
use game_env::{Outcome, Parameters, Ranking, Seed, SimTime, TeamId, Thinking};
use toml::de::DeTable;

pub use self::fault::{Fault, LeagueFileError};
use self::fault::{Faults, or_list, unknown};
use self::table::{Placed, Table};
use crate::games::{ConfigFault, Configured, Games, team_name};
use crate::network::commands::{CommandEntrant, Confine, HERE, PLACEHOLDERS};
use crate::network::joining::JoiningEntrant;
use crate::network::{self, NetworkRoom, Rules};
use crate::schedule::{Gauntlet, Knockout, MatchId, RoundRobin, Schedule, ScheduledMatch, SeedSource, Swiss};

/// The longest league file, in bytes: a thousand entrants with long commands take a quarter of it.
pub const LONGEST_FILE: u64 = 4 << 20;

/// The most matches of a league.
pub const MOST_MATCHES: u64 = 10_000_000;

/// The longest name of a league or an entrant, in characters.
const LONGEST_NAME: usize = 60;

/// The most sets of a pairing.
const MOST_SETS: u64 = MOST_MATCHES / 2;

/// A league that can be played.
#[derive(Clone, PartialEq, Debug)]
pub struct League {
    /// Name of the league in reports.
    pub name: String,
    /// The game's name in files.
    pub game: String,
    /// The game's configuration, whole.
    pub config: Parameters,
    /// The team of each agent, in the order of agent ids.
    pub teams: Vec<TeamId>,
    /// Seed of the league; all its random numbers are derived from it.
    pub seed: Seed,
    /// Entrants, by id.
    pub entrants: Vec<Entrant>,
    /// Kind of the schedule, which gives the pairings of each round.
    pub schedule: ScheduleKind,
    /// The number of sets of a pairing.
    pub sets: u32,
    /// Limits at which a match is given up.
    pub limits: MatchLimits,
    /// The confidence at which a settled order ends the league early; none to play all matches.
    pub early_stop: Option<f64>,
    /// Whether the replay of every match is kept.
    pub keeps_replays: bool,
    /// Whether programs that play in process are started anew for every match.
    pub restarts_programs: bool,
    /// Kind of the executor that plays the matches.
    pub executor: ExecutorKind,
    /// Rules of hosting for matches over the network.
    pub network: Rules,
    /// The settings of the game's host over the network, whole; empty if it has none.
    pub settings: Parameters,
}

/// The kinds of executors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExecutorKind {
    /// In process, on the virtual clock.
    InProcess,
    /// Over the network, on the real clock.
    Network,
}

/// An entrant of a league.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    /// Name of the entrant in standings. No two entrants have the same name.
    pub name: String,
    /// The strategies of a team of this entrant, as a match names them: one for each agent of the team in the order of
    /// agent ids, repeated for larger teams.
    pub strategies: Vec<String>,
}

/// The kinds of schedules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScheduleKind {
    /// Every entrant meets every other.
    RoundRobin,
    /// This entrant meets all others.
    Gauntlet(EntrantId),
    /// Entrants with like points meet, for this number of rounds.
    Swiss(u32),
    /// Losers are eliminated.
    Knockout,
}

impl League {
    /// Reads a league. `name` is its name unless the file gives another; it is made [`fit_for_a_log`].
    ///
    /// # Errors
    ///
    /// Names all faults of the file.
    pub fn read(name: &str, text: &str, games: &dyn Games) -> Result<Self, LeagueFileError> {
        read_document(text, |file, faults| read_league(name, file, games, faults))
    }

    /// Returns the number of sides of a match.
    pub fn sides(&self) -> usize {
        TeamId::count(&self.teams)
    }

    /// Returns the strategies and programs of all entrants, as matches name them.
    pub fn strategies(&self) -> Vec<&str> {
        self.entrants.iter().flat_map(|own| &own.strategies).map(String::as_str).collect()
    }

    /// Returns the rounds of this league, from the first on.
    pub fn rounds(&self) -> Schedule {
        schedule(self.schedule, self.entrants.len(), self.sides(), self.sets)
    }

    /// Returns whether the league has rounds whose matches follow from the results of the rounds before.
    pub fn has_later_rounds(&self) -> bool {
        match self.schedule {
            ScheduleKind::RoundRobin | ScheduleKind::Gauntlet(_) => false,
            ScheduleKind::Swiss(_) | ScheduleKind::Knockout => true,
        }
    }

    /// Returns the seeds of its sets.
    pub fn seeds(&self) -> SeedSource {
        SeedSource::new(self.seed, self.entrants.iter().map(|entrant| entrant.name.as_str()))
    }

    /// Returns whether a match of this id can be one of this league.
    pub fn can_have(&self, id: &MatchId) -> bool {
        let entrants = id.pairing.entrants();
        entrants.len() == self.sides() && entrants.iter().all(|entrant| entrant.index() < self.entrants.len())
    }

    /// Returns the name of a team: that of the game, or its number if the game names no teams.
    pub(crate) fn team_name(&self, team: usize) -> String {
        team_name(&self.game, team)
    }

    /// Returns the entrants of a match, that of the first side first.
    ///
    /// # Panics
    ///
    /// If the match is of another league, with other entrants.
    pub fn seated(&self, id: &MatchId) -> Vec<&Entrant> {
        id.seated().map(|entrant| &self.entrants[entrant.index()]).collect()
    }

    /// For each agent of a match the name of its entrant, by which standings call it; none for an agent of a line-up of
    /// different strategies, which its strategy tells from the others.
    ///
    /// # Panics
    ///
    /// If the match is of another league, with other entrants or sides.
    pub(crate) fn agent_names(&self, id: &MatchId) -> Vec<Option<&str>> {
        let seated = self.seated(id);
        let name = |team: &TeamId| {
            let Entrant { name, strategies } = seated[team.index()];
            let are_equal = strategies.windows(2).all(|pair| pair[0] == pair[1]);
            are_equal.then_some(name.as_str())
        };
        self.teams.iter().map(name).collect()
    }

    /// Returns the sides whose agents ended a match; none if no agent is at fault.
    ///
    /// A record names one agent. If an agent is at fault and yet all sides share the first place, every side has
    /// failed: a side that could have played on would have a better place.
    pub fn sides_at_fault(&self, outcome: &Outcome) -> Vec<usize> {
        let Some(agent) = outcome.fault else { return Vec::new() };
        if outcome.ranking == Ranking::tied(self.sides()) {
            return (0..self.sides()).collect();
        }
        self.teams.get(agent.index()).map(|team| team.index()).into_iter().collect()
    }

    /// Returns a match of this league as a value.
    ///
    /// # Panics
    ///
    /// If the match is of another league, with other entrants or sides.
    pub fn spec(&self, scheduled: &ScheduledMatch) -> MatchSpec {
        let seated: Vec<EntrantId> = scheduled.id.seated().collect();
        assert_eq!(seated.len(), self.sides(), "the match is of another league");
        let line_ups: Vec<Vec<String>> =
            seated.iter().map(|entrant| self.entrants[entrant.index()].strategies.clone()).collect();
        MatchSpec {
            game: self.game.clone(),
            config: self.config.clone(),
            seed: scheduled.seed,
            entrants: entrants(&self.teams, &line_ups),
            limits: self.limits,
        }
    }
}

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
fn read_document<T>(
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

fn schedule(kind: ScheduleKind, entrants: usize, sides: usize, sets: u32) -> Schedule {
    match kind {
        ScheduleKind::RoundRobin => Schedule::RoundRobin(RoundRobin::new(entrants, sides, sets)),
        ScheduleKind::Gauntlet(champion) => {
            Schedule::Gauntlet(Gauntlet::new(champion, entrants, sides, sets))
        }
        ScheduleKind::Swiss(rounds) => Schedule::Swiss(Swiss::new(entrants, sides, sets, rounds)),
        ScheduleKind::Knockout => Schedule::Knockout(Knockout::new(entrants, sets)),
    }
}

/// Returns the league of a file; none if there are faults.
fn read_league(
    name: &str,
    mut file: Table<'_>,
    games: &dyn Games,
    faults: &mut Faults<'_>,
) -> Option<League> {
    let name = read_name(&mut file, faults).unwrap_or_else(|| fit_for_a_log(name));
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
    let limits = limits.map_or(usual, |limits| read_limits(limits, usual, faults));
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

/// Returns a name that can be shown in one line; none if there is none, or it is faulty.
fn read_name(table: &mut Table<'_>, faults: &mut Faults<'_>) -> Option<String> {
    let name = table.text("name", faults)?;
    let length = name.value.chars().count();
    if !(1..=LONGEST_NAME).contains(&length) {
        faults.add(
            &name.at,
            format!(
                "a name of {}: expected 1 to {LONGEST_NAME}",
                counted(length as u64, "character", "characters")
            ),
        );
        return None;
    }
    if name.value.chars().any(is_hidden) || name.value.trim() != name.value {
        let shown = fit_for_a_log(name.value);
        let expected = "expected visible characters, without spaces at its ends";
        faults.add(&name.at, format!("invalid name `{shown}`: {expected}"));
        return None;
    }
    Some(name.value.to_owned())
}

fn read_game(file: &mut Table<'_>, games: &dyn Games, faults: &mut Faults<'_>) -> Option<String> {
    let known = games.games();
    if !file.has("game") {
        let expected = or_list(known.iter().copied());
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
    /// Those of this table; none if it is not there.
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

/// Returns an entrant that is a command.
fn read_command(
    table: &mut Table<'_>,
    room: Option<&NetworkRoom>,
    faults: &mut Faults<'_>,
) -> Option<CommandEntrant> {
    let run = table.texts("command", faults);
    let folder = table.text("folder", faults);
    let confine = table.flag_or("confine", Confine::NAMESPACES, faults);
    let may_read = table.texts("may_read", faults);
    let memory = table.whole("memory_mib", CommandEntrant::LEAST_MEMORY_MIB..=1_048_576, faults);
    let processes = table.whole("processes", 1..=10_000, faults);
    let run = run?;
    for word in &run.value {
        if let Some(room) = room.filter(|room| !room.has_server) {
            if let Some(found) = CommandEntrant::placeholder([word.value]) {
                let game = room.game;
                let why = "its programs have no server and no team, and speak on standard input and output";
                faults.add(&word.at, format!("the placeholder `{found}` in a command of {game}: {why}"));
            }
        } else if let Some(unknown) = CommandEntrant::unknown_placeholder([word.value]) {
            let known = or_list(PLACEHOLDERS);
            faults.add(&word.at, format!("unknown placeholder `{unknown}`: expected {known}"));
        }
        if word.value.contains('\0') {
            faults.add(&word.at, "a word of a command cannot hold the character U+0000");
        }
    }
    if run.value.first().is_none_or(|program| program.value.is_empty()) {
        faults.add(&run.at, "`command` is empty: expected a program and its arguments");
    }
    let texts = |texts: Vec<Placed<&str>>| texts.iter().map(|text| text.value.to_owned()).collect::<Vec<_>>();
    let mut entrant = CommandEntrant::new(texts(run.value));
    entrant.folder = folder.map_or(entrant.folder, |folder| folder.value.to_owned());
    entrant.confine = match confine {
        None => Confine::No,
        Some(Some(is_confined)) => is_confined.into(),
        Some(None) => Confine::Namespaces,
    };
    entrant.may_read = may_read.map_or_else(Vec::new, |may_read| texts(may_read.value));
    entrant.memory_mib = memory.map_or(entrant.memory_mib, |memory| memory.value);
    entrant.processes =
        processes.and_then(|most| u16::try_from(most.value).ok()).unwrap_or(entrant.processes);
    Some(entrant)
}

fn read_limits(mut table: Table<'_>, default: MatchLimits, faults: &mut Faults<'_>) -> MatchLimits {
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

/// The way to play an own strategy in process, in a league whose entrants are all strategies.
const LEAVE_OUT_EXECUTOR: &str = "leave out `executor = \"network\"`";

/// The same in a league with other entrants.
const LEAVE_OUT_OTHERS: &str =
    "leave out `executor = \"network\"`, and all entrants with `command` or `join`";

/// The facts of a league on which its entrants depend.
#[derive(Clone, Copy)]
struct EntrantPlace<'a> {
    game: Option<&'a str>,
    /// The game's room over the network, if the league plays there.
    room: Option<&'static NetworkRoom>,
    team_sizes: Option<&'a [usize]>,
    /// The way to play in process, if the league plays over the network.
    without_network: Option<&'a str>,
}

fn read_entrants(
    tables: Vec<Table<'_>>,
    place: EntrantPlace<'_>,
    games: &dyn Games,
    faults: &mut Faults<'_>,
) -> Vec<Entrant> {
    let EntrantPlace { game, room, team_sizes, without_network } = place;
    let without_server = room.filter(|room| !room.has_server);
    let mut entrants: Vec<Entrant> = Vec::new();
    let mut ports: Vec<u16> = Vec::new();
    for mut table in tables {
        let at = table.at().clone();
        let name = read_name(&mut table, faults);
        if table.has("join") {
            if let Some(room) = without_server {
                let why = "agents from outside cannot join: expected a `command`";
                faults.add(&at, format!("{} has no server, so {why}", room.game));
            }
            let entrant = read_joining(table, name, &mut ports, faults);
            add_entrant(&mut entrants, entrant, &at, faults);
            continue;
        }
        if table.has("command") {
            if table.has("strategy") {
                faults.add(&at, "an entrant has a `strategy` or a `command`, not both");
                table.text("strategy", faults);
            }
            if !table.has("name") {
                faults.add(&at, "`name` is missing: an entrant with a `command` needs one");
            }
            let command = read_command(&mut table, room, faults);
            table.finish(faults);
            let strategies = command.iter().map(ToString::to_string).collect();
            add_entrant(&mut entrants, Entrant { name: name.unwrap_or_default(), strategies }, &at, faults);
            continue;
        }
        if !table.has("strategy") {
            faults.add(
                &at,
                "`strategy` is missing: expected a strategy or a line-up, e.g. `strategy = \"random\"`, a `command`, or `join = true`",
            );
        }
        let strategy = table.text("strategy", faults);
        table.finish(faults);
        let strategies = game.zip(strategy.as_ref()).and_then(|(game, strategy)| {
            let strategies = games.line_up(game, strategy.value);
            strategies.map_err(|fault| faults.add(&strategy.at, fault)).ok()
        });
        let smallest = team_sizes.and_then(|sizes| sizes.iter().copied().min());
        if let (Some(strategy), Some(strategies), Some(size)) = (&strategy, &strategies, smallest)
            && strategies.len() > size
        {
            faults.add(&strategy.at, TooManyAgents { named: strategies.len(), size }.to_string());
        }
        if let (Some(room), Some(strategy)) = (without_server, &strategy) {
            let (game, named) = (room.game, fit_for_a_log(strategy.value));
            let command = format!(
                "expected a program, e.g. `command = [\"bots\", \"join\", \"--game\", \"{game}\", \"--strategy\", \"{named}\"]`"
            );
            faults.add(&strategy.at, format!("over the network, strategies do not play {game}: {command}"));
        }
        let at_strategy = strategy.as_ref().map(|strategy| strategy.at.clone());
        let name = name.or_else(|| strategy.map(|strategy| strategy.value.to_owned())).unwrap_or_default();
        if let (Some(game), Some(at_strategy), Some(strategies), Some(hint)) =
            (game, at_strategy, &strategies, without_network)
            && let Some(own) = games.own_strategy(game, strategies)
        {
            let (name, own) = (fit_for_a_log(&name), fit_for_a_log(own));
            faults.add(
                &at_strategy,
                format!("entrant `{name}`: the own strategy `{own}` plays only in process: {hint}"),
            );
        }
        let entrant = Entrant { name, strategies: strategies.unwrap_or_default() };
        add_entrant(&mut entrants, entrant, &at, faults);
    }
    entrants
}

/// Returns an entrant whose agents join from outside. `taken` are the ports of those before it.
fn read_joining(
    mut table: Table<'_>,
    name: Option<String>,
    taken: &mut Vec<u16>,
    faults: &mut Faults<'_>,
) -> Entrant {
    let at = table.at().clone();
    if table.flag("join", faults) == Some(false) {
        faults.add(&at, "`join` is false: leave it out, or give the entrant `join = true`");
    }
    for other in ["strategy", "command"] {
        if table.has(other) {
            faults.add(&at, format!("an entrant that joins from outside has no `{other}`"));
            table.skip(other);
        }
    }
    if !table.has("name") {
        faults.add(&at, "`name` is missing: an entrant with `join = true` needs one");
    }
    let ports = table.ports("ports", faults);
    table.finish(faults);
    if let Some(ports) = &ports {
        if let Some(port) = ports.value.iter().find(|port| taken.contains(port)) {
            faults
                .add(&ports.at, format!("port {port} is that of another entrant: expected ports of its own"));
        }
        taken.extend(ports.value);
    }
    let name = name.unwrap_or_default();
    let joining = JoiningEntrant { name: name.clone(), ports: ports.map(|ports| ports.value) };
    Entrant { name, strategies: vec![joining.to_string()] }
}

/// Adds an entrant; reports a name that an earlier one has.
fn add_entrant(entrants: &mut Vec<Entrant>, entrant: Entrant, at: &Range<usize>, faults: &mut Faults<'_>) {
    let is_same = |other: &Entrant| other.name == entrant.name && !entrant.name.is_empty();
    if let Some(place) = entrants.iter().position(is_same) {
        let (name, number) = (fit_for_a_log(&entrant.name), place + 1);
        let expected = "give each entrant a `name` of its own";
        faults.add(at, format!("entrant {number} is called `{name}` as well: {expected}"));
    }
    entrants.push(entrant);
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
