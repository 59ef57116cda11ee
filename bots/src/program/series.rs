//! `--game NAME`: a game other than The Project Game, in this process on the virtual clock, on a server, or, of Bricks,
//! as a player's program for a referee.
//!
//! The [`Room`] of the game plays it; this module reads flags and prints results.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use command_line::{Failure, chain, shown};
use game_env::configuration;
use game_env::matches::{MatchLimits, MatchRecord, MatchSpec};
use game_env::names::nearest;
use game_env::text::{counted, fit_for_a_log};
use game_env::{Notation as _, NotationError, Parameters, Seed, TeamId, Termination, Value};
use serde_json::json;
use strategies::room::{self, Room};
use whole_file::WholeFile;
use wire::token::Token;

use super::address::read_flag;
use super::bricks::{self, PlayerOptions};
use super::print;
use super::repetition::{drawn_seed, shell};
use super::rooms;
use super::screen::Screen;

/// The strategy if none is named.
const DEFAULT_STRATEGY: &str = "greedy";

/// Plays a game by name: strategies against each other, on the virtual clock.
#[derive(Parser)]
#[command(
    name = "bots",
    version,
    after_help = "`bots list` shows the games and their strategies.\n\
                  Exit codes: 0 played to an end; 1 could not be played; 2 faulty flags or configuration"
)]
pub(crate) struct AnyGame {
    /// The game.
    #[arg(long, value_name = "NAME")]
    game: String,
    /// The strategies of the teams, in their order; a team without one plays as the first [default: greedy].
    #[arg(value_name = "LINEUP", num_args = 0..=TeamId::MAX, conflicts_with_all = ["strategy", "against"])]
    line_ups: Vec<String>,
    /// The same as the first LINEUP.
    #[arg(long, value_name = "LINEUP")]
    strategy: Option<String>,
    /// The same as the second LINEUP.
    #[arg(long, value_name = "LINEUP")]
    against: Option<String>,
    /// Play on a virtual clock, at once. Without it, Bricks is played with a referee on standard input and output.
    #[arg(long = "virtual", conflicts_with = "connect")]
    is_virtual: bool,
    /// Play on this server; not in Bricks. The strategy waits there for opponents. In Conveyor this is the controller's
    /// port for players.
    #[arg(long, value_name = "HOST:PORT", conflicts_with_all = ["against", "replay", "preset", "config"])]
    connect: Option<String>,
    /// With --connect: the name of the player [default: that of the strategy]; in Conveyor kitteh or supercat [default:
    /// the one that is free].
    #[arg(long, requires = "connect")]
    name: Option<String>,
    /// With --connect: play game after game.
    #[arg(long, requires = "connect", conflicts_with = "games")]
    forever: bool,
    /// With --connect, Eriantys only: join the match with this number, or come back to it.
    #[arg(long = "match", value_name = "NUMBER", requires = "connect", conflicts_with_all = ["forever", "games"])]
    number: Option<u64>,
    /// The seed of all random numbers [default: taken from the system clock].
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    seed: Option<Seed>,
    /// Play this number of games one after another, with seeds from the first on, and count the wins.
    #[arg(long, value_name = "NUMBER", conflicts_with = "replay")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: Option<u32>,
    /// The configuration by name.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// A JSON file of the game's parameters; its values override those of the preset.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A parameter of the game, e.g. `--set rows=4`; again for each; overrides the file.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// The size of the board, the same as `--set size=NUMBER`.
    #[arg(long, value_name = "NUMBER")]
    size: Option<u16>,
    /// The number of players, the same as `--set players=NUMBER`.
    #[arg(long, value_name = "NUMBER")]
    players: Option<u8>,
    /// The expert game, the same as `--set expert=true`.
    #[arg(long)]
    expert: bool,
    /// With a referee of Bricks: how it writes, 2017, 2018 or 2019 [default: 2018].
    #[arg(long, value_name = "YEAR", conflicts_with = "is_virtual")]
    dialect: Option<String>,
    /// With the referee of 2019: write and read bricks with the row first, as it does.
    #[arg(long, value_name = "YEAR", conflicts_with = "is_virtual")]
    compat: Option<String>,
    /// With a referee of Bricks: the time limit for a move, in milliseconds from the line before it.
    #[arg(long, value_name = "MS", default_value_t = 300, conflicts_with = "is_virtual")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=3_600_000))]
    move_time: u32,
    /// With a referee of Bricks: the board is a torus, as it always is in the dialect 2019.
    #[arg(long, conflicts_with = "is_virtual")]
    torus: bool,
    /// The file for the replay.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Print the record of the match as a JSON document, of a series all of them.
    #[arg(long)]
    json: bool,
}

/// Values for play on a server.
impl AnyGame {
    /// The one strategy that plays.
    pub(crate) fn only_strategy(&self) -> Result<String, Failure> {
        if self.line_ups.len() > 1 {
            let why = "one strategy plays on a server: two line-ups are given";
            return Err(Failure::misuse(why, "leave one out; the opponent connects by itself"));
        }
        let named = self.line_ups.first().or(self.strategy.as_ref());
        Ok(named.cloned().unwrap_or_else(|| DEFAULT_STRATEGY.to_owned()))
    }

    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(crate) fn seed(&self) -> Option<Seed> {
        self.seed
    }

    /// The number of games; none if there is no end.
    pub(crate) fn count(&self) -> Option<u32> {
        (!self.forever).then_some(self.games.unwrap_or(1))
    }

    /// The number of the match to join.
    pub(crate) fn number(&self) -> Option<u64> {
        self.number
    }

    /// The token in this variable, if there is one.
    pub(crate) fn token(variable: &str) -> Result<Option<Token>, Failure> {
        let Ok(text) = std::env::var(variable) else { return Ok(None) };
        let token = text.parse().map_err(|error: NotationError| {
            Failure::misuse(format!("the variable {variable}: {error}"), "leave it out")
        })?;
        Ok(Some(token))
    }

    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// The names and values of `--set`, and of the flags that stand for one: `--size`, `--players` and `--expert`.
    pub(crate) fn pairs(&self) -> Result<Vec<(String, String)>, Failure> {
        let pair = |pair: &String| {
            let split = pair.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
            split.ok_or_else(|| {
                let why = format!("invalid --set `{}`: expected NAME=VALUE", fit_for_a_log(pair));
                Failure::misuse(why, "e.g. `--set rows=4`")
            })
        };
        let mut pairs = self.set.iter().map(pair).collect::<Result<Vec<_>, _>>()?;
        pairs.extend(self.size.map(|size| ("size".to_owned(), size.to_string())));
        pairs.extend(self.players.map(|players| ("players".to_owned(), players.to_string())));
        pairs.extend(self.expert.then(|| ("expert".to_owned(), true.to_string())));
        Ok(pairs)
    }
}

/// The game that these arguments name with `--game`, the program's own name first among them.
pub(crate) fn asked(arguments: impl IntoIterator<Item = String>) -> Option<String> {
    let mut arguments = arguments.into_iter().skip(1).take_while(|argument| argument != "--");
    while let Some(argument) = arguments.next() {
        if argument == "--game" {
            return arguments.next();
        }
        if let Some(name) = argument.strip_prefix("--game=") {
            return Some(name.to_owned());
        }
    }
    None
}

/// The room of this game.
pub(crate) fn find(game: &str) -> Result<&'static dyn Room, Failure> {
    room::find(game).map_err(|error| Failure::misuse(error.to_string(), "`bots list` shows the games"))
}

/// Plays as the flags say.
pub(crate) fn play(flags: &AnyGame, room: &'static dyn Room, screen: &Screen) -> Result<(), Failure> {
    if let Some(server) = &flags.connect {
        read_flag("--connect", server, "e.g. --connect 127.0.0.1:5000")?;
        let Some(played_on) = rooms::server(room.game().name()) else {
            let why = format!("`{}` is played on no server", flags.game);
            return Err(Failure::misuse(why, "leave out --connect"));
        };
        return (played_on.connect)(flags, server, screen);
    }
    if !flags.is_virtual && room.game().name() == game_bricks::State::GAME {
        return bricks::play(&options(flags)?);
    }
    if !flags.is_virtual {
        let (why, hint) = if rooms::server(room.game().name()).is_some() {
            ("on the virtual clock or on a server", "add --virtual, or --connect HOST:PORT")
        } else {
            ("on the virtual clock only", "add --virtual")
        };
        return Err(Failure::misuse(format!("`{}` is played {why}", flags.game), hint));
    }
    let series = Series::new(flags, room)?;
    let Some(count) = flags.games else {
        let record = series.play(0, flags.replay.as_ref())?;
        if let Some(path) = &flags.replay {
            screen.say(&format!("the replay is {}; check it with `reference-gm verify`", path.display()));
        }
        series.tell_blunders(&record, screen);
        return print(&if flags.json {
            format!("{:#}\n", document(&record))
        } else {
            format!("{}play it again: {}\n", series.text(&record), series.command(flags, None))
        });
    };
    let mut records = Vec::new();
    let mut wins = vec![0; series.team_count];
    let mut drawn = 0;
    for place in 0..count {
        let record = series.play(place, None)?;
        match record.outcome.winner() {
            Some(team) => wins[team.index()] += 1,
            None => drawn += 1,
        }
        series.tell_blunders(&record, screen);
        if flags.json {
            records.push(document(&record));
        } else {
            print(&format!("seed {}: {}\n", record.spec.seed, series.told_outcome(&record)))?;
        }
    }
    let command = series.command(flags, Some(count));
    if flags.json {
        let document = json!({ "games": records, "wins": wins, "drawn": drawn, "command": command });
        return print(&format!("{document:#}\n"));
    }
    let won: Vec<String> =
        (0..series.team_count).map(|team| format!("{} won {}", series.name(team), wins[team])).collect();
    let (games, them) = (counted(count, "game", "games"), if count == 1 { "it" } else { "them" });
    print(&format!("{games}: {}, drawn {drawn}\nplay {them} again: {command}\n", won.join(", ")))
}

/// Returns the settings for play with a referee of Bricks.
fn options(flags: &AnyGame) -> Result<PlayerOptions, Failure> {
    let misuse = |why: &str| Err(Failure::misuse(why, "add --virtual to play here, without a referee"));
    if flags.against.is_some() || flags.line_ups.len() > 1 {
        return misuse("a player's program has one strategy: two are given");
    }
    let chosen = [
        flags.preset.is_some(),
        flags.config.is_some(),
        !flags.set.is_empty(),
        flags.size.is_some(),
        flags.players.is_some(),
        flags.expert,
    ];
    if chosen.contains(&true) {
        return misuse("the referee chooses the board, not a player's program");
    }
    if flags.games.is_some() || flags.replay.is_some() || flags.json {
        return misuse("a player's program plays one game, and writes nothing but its moves");
    }
    let (dialect, compat) = bricks::language(flags.dialect.as_deref(), flags.compat.as_deref())?;
    let named = flags.strategy.as_ref().or(flags.line_ups.first());
    Ok(PlayerOptions {
        strategy: named.map_or(DEFAULT_STRATEGY, String::as_str).to_owned(),
        dialect,
        compat,
        is_torus: flags.torus || dialect.is_torus(),
        move_time: Duration::from_millis(flags.move_time.into()),
        seed: flags.seed.unwrap_or_else(drawn_seed),
    })
}

fn document(record: &MatchRecord) -> serde_json::Value {
    serde_json::to_value(record).expect("names and numbers can be written")
}

/// A game with its configuration and strategies, and the seed of the first of several.
struct Series {
    room: &'static dyn Room,
    config: Parameters,
    seed: Seed,
    team_count: usize,
    /// The strategies of each team as they were asked for.
    line_ups: Vec<String>,
    entrants: Vec<String>,
}

impl Series {
    fn new(flags: &AnyGame, room: &'static dyn Room) -> Result<Self, Failure> {
        let game = room.game();
        let config = config(flags, room)?;
        let faulty = |error: game_env::ConfigError| {
            Failure::misuse(format!("the configuration cannot be played\n{error}"), parameters_hint(room))
        };
        let config = game.complete(&config).map_err(faulty)?;
        let teams = game.teams(&config).map_err(faulty)?;
        let team_count = teams.iter().map(|team| team.index() + 1).max().unwrap_or(0);
        let named = if flags.line_ups.is_empty() {
            let first = flags.strategy.clone().unwrap_or_else(|| DEFAULT_STRATEGY.to_owned());
            [Some(first), flags.against.clone()].into_iter().flatten().collect()
        } else {
            flags.line_ups.clone()
        };
        if named.len() > team_count {
            return Err(Failure::misuse(
                format!("{} line-ups, and {} has {team_count} teams", named.len(), game.description().title),
                "leave some out",
            ));
        }
        let line_up = |team: usize| named.get(team).unwrap_or(&named[0]).clone();
        let line_ups: Vec<String> = (0..team_count).map(line_up).collect();
        let read = |text: &String| room.line_up(text);
        let read: Result<Vec<_>, String> = line_ups.iter().map(read).collect();
        let read = read.map_err(|error| Failure::misuse(error, "`bots list` shows the strategies"))?;
        let entrants = room::entrants(&teams, &read);
        let seed = flags.seed.unwrap_or_else(drawn_seed);
        Ok(Self { room, config, seed, team_count, line_ups, entrants })
    }

    /// Plays the game with the seed that is this number of places from the first.
    fn play(&self, place: u32, replay: Option<&PathBuf>) -> Result<MatchRecord, Failure> {
        let spec = MatchSpec {
            game: self.room.game().name().to_owned(),
            config: self.config.clone(),
            seed: Seed::new(self.seed.get().wrapping_add(place.into())),
            entrants: self.entrants.clone(),
            limits: MatchLimits::default(),
        };
        let program = concat!("bots ", env!("CARGO_PKG_VERSION"));
        let unplayable = |error| Failure::undone(chain(&error), "check the flags");
        let Some(path) = replay else { return self.room.play(&spec, program, None).map_err(unplayable) };
        let unwritable = |error| {
            Failure::undone(
                format!("cannot write the replay {}: {error}", shown(path)),
                "choose another file with --replay",
            )
        };
        let mut file = WholeFile::create(path).map_err(unwritable)?;
        let record = self.room.play(&spec, program, Some(&mut file)).map_err(unplayable)?;
        file.finish().map_err(unwritable)?;
        Ok(record)
    }

    /// A team as people tell it from the others, numbered from 1: `1 (greedy)`.
    fn name(&self, team: usize) -> String {
        format!("{} ({})", team + 1, self.line_ups[team])
    }

    fn told_outcome(&self, record: &MatchRecord) -> String {
        let winner = record.outcome.winner().map(|team| format!("{} wins", self.name(team.index())));
        let points: Vec<String> = record.outcome.returns.points().iter().map(i32::to_string).collect();
        let mut told =
            format!("{} {}", winner.unwrap_or_else(|| "nobody wins".to_owned()), points.join(" : "));
        let Termination::Normal = record.outcome.termination else {
            told += &format!(" ({}", record.outcome.termination);
            if let Some(agent) = record.outcome.fault {
                told += &format!(" of agent {}", agent.index() + 1);
            }
            return told + ")";
        };
        told
    }

    /// The result for people.
    fn text(&self, record: &MatchRecord) -> String {
        let names: Vec<String> = (0..self.team_count).map(|team| self.name(team)).collect();
        format!(
            "{}: {}; {}, seed {}\n{} after {}\n\n{}\n\n",
            self.room.game().description().title,
            names.join(" against "),
            self.config,
            record.spec.seed,
            self.told_outcome(record),
            counted(record.steps, "move", "moves"),
            table(&names, record)
        )
    }

    fn tell_blunders(&self, record: &MatchRecord, screen: &Screen) {
        for blunder in &record.first_blunders {
            screen.say(&format!("blunder: {blunder}"));
        }
        let more = record.blunders.saturating_sub(record.first_blunders.len() as u64);
        if more > 0 {
            screen.say(&counted(more, "further blunder", "further blunders"));
        }
    }

    /// The command that plays the same.
    fn command(&self, flags: &AnyGame, games: Option<u32>) -> String {
        let mut words = vec!["--game".to_owned(), flags.game.clone()];
        words.extend(self.line_ups.iter().cloned());
        let mut flag = |name: &str, value: Option<String>| {
            words.extend(value.map(|value| [name.to_owned(), value]).into_iter().flatten());
        };
        flag("--preset", flags.preset.clone());
        flag("--config", flags.config.as_deref().map(shown));
        flags.set.iter().for_each(|pair| flag("--set", Some(pair.clone())));
        flag("--size", flags.size.map(|size| size.to_string()));
        flag("--players", flags.players.map(|players| players.to_string()));
        flag("--seed", Some(self.seed.to_string()));
        flag("--games", games.map(|games| games.to_string()));
        words.extend(flags.expert.then(|| "--expert".to_owned()));
        words.push("--virtual".to_owned());
        shell(&words)
    }
}

/// The metrics, a column for each team.
fn table(names: &[String], record: &MatchRecord) -> String {
    let first = record.metrics.iter().map(|metric| metric.name.len()).max().unwrap_or(0);
    let widths: Vec<usize> = names.iter().map(|name| name.chars().count().max(8)).collect();
    let mut text = " ".repeat(first);
    for (name, width) in names.iter().zip(&widths) {
        text += &format!("  {name:>width$}");
    }
    for metric in record.metrics.iter() {
        text += &format!("\n{:<first$}", metric.name.replace('_', " "));
        for (value, width) in metric.values.iter().zip(&widths) {
            // At most three decimals, and no zeros at the end.
            text += &format!("  {:>width$}", (value * 1000.0).round() / 1000.0);
        }
    }
    text
}

/// The values of `--set`, those of the file that it leaves, and those of the preset that both leave.
fn config(flags: &AnyGame, room: &'static dyn Room) -> Result<Parameters, Failure> {
    let mut own = Parameters::new();
    for pair in &flags.set {
        let Some((name, text)) = pair.split_once('=') else {
            return Err(Failure::misuse(
                format!("invalid --set `{}`: expected NAME=VALUE", fit_for_a_log(pair)),
                parameters_hint(room),
            ));
        };
        own.push(name, Value::guess(text));
    }
    if let Some(size) = flags.size {
        own.push("size", Value::Whole(size.into()));
    }
    if let Some(players) = flags.players {
        own.push("players", Value::Whole(players.into()));
    }
    if flags.expert {
        own.push("expert", Value::Flag(true));
    }
    Ok(over(&file_and_preset(flags, room)?, &own))
}

/// The values of the file, and those of the preset that are not in it.
fn file_and_preset(flags: &AnyGame, room: &'static dyn Room) -> Result<Parameters, Failure> {
    let preset = match &flags.preset {
        None => Parameters::new(),
        Some(name) => {
            let presets = room.game().presets();
            let names = || presets.iter().map(|preset| preset.name);
            let found = presets.iter().find(|preset| preset.name == name);
            let found = found.ok_or_else(|| {
                let near = nearest(name, names()).filter(|near| near.is_meant);
                let near = near.map_or_else(String::new, |near| format!("; did you mean `{}`?", near.name));
                let names = names().collect::<Vec<_>>().join(", ");
                Failure::misuse(
                    format!(
                        "unknown preset `{}` of `{}`{near}",
                        fit_for_a_log(name),
                        fit_for_a_log(&flags.game)
                    ),
                    format!("the presets are {names}"),
                )
            })?;
            found.parameters.clone()
        }
    };
    let Some(path) = &flags.config else { return Ok(preset) };
    let faulty =
        |why: String| Failure::misuse(format!("cannot read {}: {why}", shown(path)), parameters_hint(room));
    let file = File::open(path).map_err(|error| faulty(error.to_string()))?;
    let file = configuration::read(file).map_err(|error| faulty(error.to_string()))?;
    if let Some((key, _)) = file.repeated().next() {
        return Err(faulty(format!("`{key}` is there twice")));
    }
    file.notice(&shown(path)).iter().for_each(|notice| eprintln!("{notice}"));
    let own = file.parameters().map_err(|error| faulty(error.to_string()))?;
    Ok(over(&preset, &own))
}

/// The second values, and those of the first that are not among them.
fn over(below: &Parameters, own: &Parameters) -> Parameters {
    let below = below.iter().filter(|(name, _)| own.get(name).is_none());
    below.chain(own.iter()).map(|(name, value)| (name, value.clone())).collect()
}

fn parameters_hint(room: &'static dyn Room) -> String {
    match room.game().complete(&Parameters::new()) {
        Ok(defaults) => format!("a configuration is a JSON object; the defaults are {defaults}"),
        Err(_) => "a configuration is a JSON object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_flags_fit_together() {
        AnyGame::command().debug_assert();
    }

    #[test]
    fn the_game_is_found_among_the_arguments() {
        let asked = |words: &str| asked(words.split(' ').map(str::to_owned));
        assert_eq!(asked("bots greedy --game dots --virtual").as_deref(), Some("dots"));
        assert_eq!(asked("bots --game=dots").as_deref(), Some("dots"));
        assert_eq!(asked("bots greedy random"), None);
        assert_eq!(asked("--game dots"), None, "the first word is the program");
        assert_eq!(asked("bots -- --game dots"), None);
        assert_eq!(asked("bots --game"), None);
    }
}
