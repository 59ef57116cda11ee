//! Games in this process: one, or several with one seed after another.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use command_line::signals::Interruption;
use command_line::{
    Failure, chain, command, drawn_seed, print, quoted_path, quoted_words, read_parameters, settings, shown,
    tell,
};
use game_catalogue::Game;
use game_env::matches::{MatchLimits, MatchRecord, MatchSpec, entrants};
use game_env::names::nearest;
use game_env::parameter::Parameter;
use game_env::text::{counted, fit_for_a_log, indented};
use game_env::{AgentId, ConfigError, Parameters, Seed, SimTime, TeamId, Termination, Thinking};
use serde_json::json;
use strategies::programs::{Command, Processes, has_programs, measured};
use strategies::room::{self, Room as Strategies};
use whole_file::WholeFile;
use wire::agent::FaultReport;

use super::arguments::{Playing, commands};
use super::programs;
use super::rooms::{Configured, Host, Hosted, Room};
use super::screen::Screen;

/// Name and version of this program in records and replays.
pub(crate) const PROGRAM: &str = concat!("bots ", env!("CARGO_PKG_VERSION"));

/// Plays as the flags say, and prints the results.
///
/// # Errors
///
/// If the flags have faults, or a game cannot be played.
pub(crate) fn play(playing: &Playing, room: &'static dyn Room, screen: &Screen) -> Result<(), Failure> {
    let series = Series::new(playing, room)?;
    let Some(count) = playing.games else {
        let Hosted { record, figures, replay } = series.play_one(playing, screen)?;
        print(&if playing.json {
            format!("{:#}\n", document(&record))
        } else {
            format!("{}\n{figures}\n{}\n", series.head(playing, &record), series.again(playing))
        })?;
        return replay;
    };
    let interruption = Interruption::expect()?;
    let mut tally = Tally { wins: vec![0; series.team_count], ..Tally::default() };
    let mut failure = None;
    for place in 0..count {
        let record = match series.play_nth(playing, place, screen) {
            Ok(record) => record,
            // It was called off before it began.
            Err(_) if interruption.has_come() => break,
            Err(why) if place == 0 => return Err(why),
            // The games before it are told all the same.
            Err(why) => {
                failure = Some(why);
                break;
            }
        };
        if !playing.json {
            print(&format!("seed {}: {}\n", record.spec.seed, series.told_outcome(&record)))?;
        }
        // Its user has ended it: it has no result.
        if record.outcome.termination == Termination::Stopped {
            break;
        }
        tally.add(&record);
        if playing.json {
            tally.games.push(document(&record));
        }
        // A game on the virtual clock is played to its end.
        if interruption.has_come() {
            break;
        }
    }
    print(&if playing.json {
        tally.document(&series, playing)
    } else {
        tally.text(&series, playing, count)
    })?;
    interruption.finish();
    failure.map_or(Ok(()), Err)
}

/// The wins of a series.
#[derive(Default)]
struct Tally {
    wins: Vec<u32>,
    drawn: u32,
    blunders: u64,
    /// The records, if they are kept.
    games: Vec<serde_json::Value>,
}

impl Tally {
    fn add(&mut self, record: &MatchRecord) {
        self.blunders += record.blunders;
        match record.outcome.winner() {
            Some(team) => self.wins[team.index()] += 1,
            None => self.drawn += 1,
        }
    }

    fn text(&self, series: &Series, playing: &Playing, asked: u32) -> String {
        let played = self.wins.iter().sum::<u32>() + self.drawn;
        let won: Vec<String> = self
            .wins
            .iter()
            .enumerate()
            .map(|(team, wins)| format!("{} won {wins}", series.name(team)))
            .collect();
        let (won, drawn) = (won.join(", "), self.drawn);
        let games = counted(asked, "game", "games");
        let games = if played < asked { format!("{played} of {games}") } else { games };
        let blunders = match self.blunders {
            0 => String::new(),
            count => format!(", {}", counted(count, "blunder", "blunders")),
        };
        let them = if asked == 1 { "it" } else { "them" };
        format!(
            "{games}: {won}, drawn {drawn}{blunders}\nplay {them} again: {}\n",
            series.command(playing, playing.is_virtual)
        )
    }

    fn document(self, series: &Series, playing: &Playing) -> String {
        let command = series.command(playing, playing.is_virtual);
        let Self { wins, drawn, games, .. } = self;
        let document = json!({ "games": games, "wins": wins, "drawn": drawn, "command": command });
        format!("{document:#}\n")
    }
}

fn document(record: &MatchRecord) -> serde_json::Value {
    serde_json::to_value(record).expect("names and numbers can be written")
}

/// A game with its configuration and strategies, and the seed of the first of several.
pub(crate) struct Series {
    room: &'static dyn Room,
    strategies: Arc<dyn Strategies>,
    programs: Processes,
    /// Plays in real time; none if the games are played on the virtual clock.
    host: Option<Host>,
    config: Parameters,
    seed: Seed,
    team_count: usize,
    /// The strategies of each team as they were asked for.
    line_ups: Vec<String>,
    entrants: Vec<String>,
    /// The rule for the time that programs think.
    thinking: Thinking,
}

impl Series {
    fn new(playing: &Playing, room: &'static dyn Room) -> Result<Self, Failure> {
        let shipped = room::find(room.game()).expect("every game of the catalogue has strategies");
        let programs = programs::processes()?;
        let strategies = shipped.with_programs(Arc::new(programs.clone()));
        let game = strategies.game();
        let named = playing.line_ups();
        let named = if named.is_empty() { vec![strategies.default_strategy()] } else { named };
        let read: Vec<Vec<String>> =
            named.iter().map(|text| line_up(&*strategies, text)).collect::<Result<_, _>>()?;
        programs::check(&programs, read.iter().flatten().map(String::as_str))?;
        let longest = read.iter().map(Vec::len).max().unwrap_or_default();
        let Configured { config, seed } = room.configure(playing, longest)?;
        let teams = game.teams(&config).map_err(|error| faulty(&error, room.game()))?;
        let team_count = TeamId::count(&teams);
        if named.len() > team_count {
            return Err(Failure::misuse(
                format!("{} line-ups, and {} has {team_count} teams", named.len(), game.description().title),
                "leave some out",
            ));
        }
        let of_team = |team: usize| if team < named.len() { team } else { 0 };
        let line_ups = (0..team_count).map(|team| named[of_team(team)].to_owned()).collect();
        let read: Vec<Vec<String>> = (0..team_count).map(|team| read[of_team(team)].clone()).collect();
        let seed = playing.seed.or(seed).map_or_else(drawn_seed, Ok)?;
        let entrants = entrants(&teams, &read);
        let thinking = playing.thinking.rule(has_programs(&entrants))?;
        let host = room.host().filter(|_| !playing.is_virtual);
        if playing.page.is_some() && host.is_none() {
            return Err(Failure::misuse(
                format!(
                    "--page shows a game in real time, and {} is played at once here",
                    game.description().title
                ),
                "with `--replay FILE` first, `reference-gm view FILE` shows the game on a page",
            ));
        }
        if let Some((flag, _)) = playing.thinking.named().filter(|_| host.is_some()) {
            return Err(Failure::misuse(
                format!("`{flag}` is a rule for the virtual clock, and this game is played in real time"),
                format!("add `--virtual`, or leave `{flag}` out"),
            ));
        }
        let series =
            Self { room, strategies, programs, host, config, seed, team_count, line_ups, entrants, thinking };
        for (team, line_up) in read.iter().enumerate() {
            let size = teams.iter().filter(|own| own.index() == team).count();
            if line_up.len() > size {
                return Err(Failure::misuse(
                    format!(
                        "the line-up of {} names {}, and the team has {size}",
                        series.name(team),
                        counted(line_up.len() as u64, "agent", "agents")
                    ),
                    "name fewer, or play with larger teams",
                ));
            }
        }
        Ok(series)
    }

    /// Returns the match with this seed.
    pub(crate) fn spec(&self, seed: Seed) -> MatchSpec {
        MatchSpec {
            game: self.room.game().to_owned(),
            config: self.config.clone(),
            seed,
            entrants: self.entrants.clone(),
            limits: MatchLimits { thinking: self.thinking, ..MatchLimits::default() },
        }
    }

    /// Returns the processes that run the programs of the line-ups.
    pub(crate) fn programs(&self) -> &Processes {
        &self.programs
    }

    /// Returns the line-up of a team as it was asked for.
    pub(crate) fn line_up(&self, team: usize) -> &str {
        &self.line_ups[team]
    }

    /// Plays the first game, with its replay if one is asked for.
    fn play_one(&self, playing: &Playing, screen: &Screen) -> Result<Hosted, Failure> {
        let path = playing.replay.as_deref();
        let hosted = match self.host {
            Some(host) => self.play_hosted(host, playing, self.seed, path, screen)?,
            None => {
                // A file that cannot be written is found before the game is played.
                let file = path.map(|path| WholeFile::create(path).map_err(|error| unwritable(path, &error)));
                let file = file.transpose()?;
                let figures = self.room.figures().filter(|_| !playing.json);
                let mut replay = (file.is_some() || figures.is_some()).then(Vec::new);
                let record = self.play_virtually(self.seed, replay.as_mut(), screen)?;
                let written = match (file, path, &replay) {
                    (Some(mut file), Some(path), Some(replay)) => {
                        let written = file.write_all(replay).and_then(|()| file.finish());
                        written.map_err(|error| unwritable(path, &error))
                    }
                    _ => Ok(()),
                };
                self.tell_blunders(&record, screen);
                let figures = figures.zip(replay.as_deref()).and_then(|(figures, replay)| figures(replay));
                Hosted { figures: figures.unwrap_or_else(|| self.table(&record)), record, replay: written }
            }
        };
        if let Some(path) = path.filter(|_| hosted.replay.is_ok()) {
            let studies = command("bots", &format!("study {}", quoted_path(path)));
            screen.say(&format!(
                "the replay is {}; `{studies}` shows it, and says why it was lost",
                path.display()
            ));
        }
        Ok(hosted)
    }

    /// Plays the game with the seed that is this number of places from the first.
    fn play_nth(&self, playing: &Playing, place: u32, screen: &Screen) -> Result<MatchRecord, Failure> {
        let seed = Seed::new(self.seed.get().wrapping_add(place.into()));
        match self.host {
            Some(host) => Ok(self.play_hosted(host, playing, seed, None, screen)?.record),
            None => {
                let record = self.play_virtually(seed, None, screen)?;
                self.tell_blunders(&record, screen);
                Ok(record)
            }
        }
    }

    /// Plays a game in real time.
    fn play_hosted(
        &self,
        host: Host,
        playing: &Playing,
        seed: Seed,
        replay: Option<&Path>,
        screen: &Screen,
    ) -> Result<Hosted, Failure> {
        let hosted = host(playing, self, seed, replay, screen)?;
        programs::refuse_unready(&self.programs)?;
        Ok(hosted)
    }

    /// Plays a game on the virtual clock. Prints a warning if this machine was too slow for decisions whose time is
    /// limited.
    fn play_virtually(
        &self,
        seed: Seed,
        replay: Option<&mut Vec<u8>>,
        screen: &Screen,
    ) -> Result<MatchRecord, Failure> {
        let (spec, replay) = (self.spec(seed), replay.map(|replay| replay as &mut dyn Write));
        let played = measured(&spec, || self.strategies.play(&spec, PROGRAM, replay));
        let (record, doubt) = played.map_err(|error| Failure::undone(chain(&error), "check the flags"))?;
        programs::refuse_unready(&self.programs)?;
        if let Some(why) = doubt {
            screen.say(&format!("seed {seed}: {why}; a league plays such a match again"));
        }
        Ok(record)
    }

    /// Returns a team as people tell it from the others: `red (greedy)`, or `1 (greedy)` if the game does not name its
    /// teams.
    fn name(&self, team: usize) -> String {
        let names = self.strategies.game().team_names();
        let name = names.get(team).map_or_else(|| (team + 1).to_string(), |name| (*name).to_owned());
        format!("{name} ({})", self.line_ups[team])
    }

    fn told_outcome(&self, record: &MatchRecord) -> String {
        let winner = record.outcome.winner().map(|team| format!("{} wins", self.name(team.index())));
        let points: Vec<String> = record.outcome.returns.points().iter().map(i32::to_string).collect();
        let told = format!("{} {}", winner.unwrap_or_else(|| "nobody wins".to_owned()), points.join(" : "));
        let Termination::Normal = record.outcome.termination else {
            let fault = record.outcome.fault.map(|agent| format!(" of agent {agent}"));
            return format!("{told} ({}{})", record.outcome.termination, fault.unwrap_or_default());
        };
        told
    }

    /// Returns the match and its outcome for people.
    fn head(&self, playing: &Playing, record: &MatchRecord) -> String {
        let names: Vec<String> = (0..self.team_count).map(|team| self.name(team)).collect();
        let steps = counted(record.steps, "action", "actions");
        let duration =
            if record.time == SimTime::START { steps } else { format!("{} and {steps}", record.time) };
        let (title, seed) = (self.strategies.game().description().title, record.spec.seed);
        let asked = self.asked(playing);
        format!(
            "{title}: {}; {asked}seed {seed}\n{} after {duration}\n",
            names.join(" against "),
            self.told_outcome(record)
        )
    }

    /// Returns the configuration as it was asked for: `preset small, cols=6, `.
    fn asked(&self, playing: &Playing) -> String {
        let preset = playing.preset.iter().map(|preset| format!("preset {preset}"));
        let file = playing.config.iter().map(|path| format!("file {}", shown(path)));
        let asked = preset.chain(file).chain(playing.set.iter().cloned());
        asked.map(|part| fit_for_a_log(&part) + ", ").collect()
    }

    fn tell_blunders(&self, record: &MatchRecord, screen: &Screen) {
        let agents = || AgentId::all(record.spec.entrants.len());
        for report in &record.first_blunders {
            // The standard error of a program has been shown already.
            let told = match agents().find_map(|agent| FaultReport::read(report, agent)) {
                Some(FaultReport { headline, last_line: "", .. }) => format!("fault: {headline}"),
                Some(FaultReport { headline, last_line, .. }) => format!("fault: {headline}: {last_line}"),
                None => format!("blunder: {}", indented(report)),
            };
            screen.say(&told);
        }
        let more = record.blunders.saturating_sub(record.first_blunders.len() as u64);
        if more > 0 {
            screen.say(&counted(more, "further blunder", "further blunders"));
        }
    }

    /// Returns the command that plays the same.
    pub(crate) fn command(&self, playing: &Playing, is_virtual: bool) -> String {
        let mut words = Vec::new();
        let mut flag = |name: &str, value: Option<String>| {
            words.extend(value.map(|value| [name.to_owned(), value]).into_iter().flatten());
        };
        flag("--game", playing.game.clone());
        flag("--preset", playing.preset.clone());
        flag("--config", playing.config.as_deref().map(shown));
        playing.set.iter().for_each(|pair| flag("--set", Some(pair.clone())));
        if let Some((name, value)) = playing.thinking.named() {
            flag(name, Some(value.to_string()));
        }
        flag("--seed", Some(self.seed.to_string()));
        flag("--games", playing.games.map(|games| games.to_string()));
        words.extend(is_virtual.then(|| "--virtual".to_owned()));
        let are_equal = self.line_ups.windows(2).all(|pair| pair[0] == pair[1]);
        let line_ups = if are_equal { &self.line_ups[..1] } else { &self.line_ups };
        command("bots", &quoted_words(&line_ups.iter().cloned().chain(words).collect::<Vec<_>>()))
    }

    /// Returns the hint that tells the reader of the result how to play the game again. In real time, timing decides as
    /// well as the seed.
    fn again(&self, playing: &Playing) -> String {
        let command = self.command(playing, playing.is_virtual);
        if self.host.is_none() {
            return format!("play it again: {command}");
        }
        let repeatable = self.command(playing, true);
        format!(
            "play the same board again: {command}\n\
             games in real time depend on timing; for an exactly repeatable game: {repeatable}"
        )
    }

    /// Returns the metrics, a column for each team.
    fn table(&self, record: &MatchRecord) -> String {
        let names: Vec<String> = (0..self.team_count).map(|team| self.name(team)).collect();
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
        text + "\n"
    }
}

/// Returns the strategies of a line-up.
fn line_up(strategies: &dyn Strategies, text: &str) -> Result<Vec<String>, Failure> {
    strategies.line_up(text).map_err(|error| {
        // A word without a flag may be a misspelt command.
        let commands = commands();
        let near = nearest(text, commands.iter().map(String::as_str));
        let meant = near.filter(|_| !error.contains("did you mean"));
        let meant = meant.map(|near| format!("; did you mean the command `{near}`?"));
        let hint = if names_a_program(text) {
            "a command and its arguments are one word: put quotes around them, e.g. \"python3 agent.py\""
        } else {
            "`bots list` shows the strategies"
        };
        Failure::misuse(error + &meant.unwrap_or_default(), hint)
    })
}

/// Returns whether a program of this name can be started, e.g. `python3`.
fn names_a_program(text: &str) -> bool {
    let command = Command::read(&format!("\"{text}\"")).and_then(Result::ok);
    command.is_some_and(|command| command.check(Path::new(".")).is_ok())
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::unwritable(path, error, "choose another file with --replay")
}

/// Returns the configuration of the flags: the values of `--set`, those of the file that it leaves, and those of the
/// preset that both leave.
///
/// # Errors
///
/// Names every fault.
pub(crate) fn configure(game: &str, playing: &Playing) -> Result<Configured, Failure> {
    let found = game_catalogue::find(game).expect("it has a room");
    let asked = pairs(&playing.set, found.parameters())?.over(&file_and_preset(found, playing)?);
    let config = found.complete(&asked).map_err(|error| faulty(&error, game))?;
    Ok(Configured { config, seed: None })
}

/// Returns the values that `--set` gives to parameters of this table.
///
/// # Errors
///
/// If a value has no name.
pub(crate) fn pairs(set: &[String], table: &[Parameter]) -> Result<Parameters, Failure> {
    settings("--set", set, table, "`bots presets` shows the parameters with their values")
}

/// Returns the preset of this game with this name.
///
/// # Errors
///
/// If there is none; the error names the nearest.
pub(crate) fn preset(game: &str, name: &str) -> Result<Parameters, Failure> {
    let game = game_catalogue::find(game).expect("it has a room");
    let found = game_catalogue::preset(game, name);
    let found = found
        .map_err(|error| Failure::misuse(error.to_string(), "`bots presets` shows the presets of a game"))?;
    Ok(found.parameters)
}

/// Returns the values of the file, and those of the preset that are not in it.
fn file_and_preset(game: &'static dyn Game, playing: &Playing) -> Result<Parameters, Failure> {
    let preset = playing.preset.as_deref().map(|name| preset(game.name(), name)).transpose()?;
    let preset = preset.unwrap_or_default();
    let Some(path) = &playing.config else { return Ok(preset) };
    let own = read_parameters(path, tell);
    Ok(own.map_err(|error| error.failure(&example(game)))?.over(&preset))
}

/// Returns a configuration file of this game with one parameter.
fn example(game: &dyn Game) -> String {
    let first = game.parameters().first().expect("every game has parameters");
    format!("{{\"{}\": {}}}", first.name, first.default)
}

fn faulty(error: &ConfigError, game: &str) -> Failure {
    let hint = format!("`bots presets --game {game}` shows the parameters with their values");
    Failure::misuse(format!("the configuration cannot be played\n{error}"), hint)
}
