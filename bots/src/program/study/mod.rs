//! `bots study`, and `bots fork`, `curve`, `diff` and `why`: the study of a recorded game.

mod curve;
mod diff;
mod fork;
mod output;
mod page;
mod why;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Arg, ArgMatches, Args};
use command_line::{Failure, Jobs, Trust, chain, command, command_in, quoted_path, read_file, shown};
use contests::text::counted;
use game_catalogue::Game;
use game_env::matches::{PlayError, TooManyAgents};
use game_env::replay::{Completeness, Reader};
use game_env::rollout::Departure;
use game_env::text::{fit_for_a_log, or_list};
use game_env::{AgentId, Seed, TeamId};
use serde_json::json;
use strategies::programs::{Command, Processes, Programs};
use strategies::recorded_game::RecordedGame;
use strategies::room::{self, Room};
use study::differences::Differences;
use study::futures::{Futures, Question, team_count};

pub(crate) use self::curve::{Curving, curve};
pub(crate) use self::diff::{Diffing, diff};
pub(crate) use self::fork::{Forking, fork};
use self::output::Marks;
pub(crate) use self::page::{Studying, study};
pub(crate) use self::why::{Asking, why};
use super::programs;
use super::screen::Screen;

/// Flags of all commands that study a replay.
#[derive(Args)]
pub(crate) struct Studied {
    /// The replay.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The seed of all futures [default: 1].
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    seed: Option<Seed>,
    /// The number of games at a time; no effect on the results [default: the number of processor cores].
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<Jobs>,
    #[command(flatten)]
    trust: Trust,
}

/// Flags that name other players than the recorded ones. A flag for each named team goes before them.
#[derive(Args)]
pub(crate) struct Players {
    /// Another entrant in the place of an agent: `3=greedy`; again for each
    #[arg(long, value_name = "NUMBER=STRATEGY", value_parser = seated)]
    agent: Vec<(AgentId, String)>,
}

/// The longest replay that is read, in bytes.
pub(crate) const LONGEST_REPLAY: u64 = 1 << 30;

/// A replay whose game is studied.
struct Record {
    path: PathBuf,
    /// The file, for people.
    name: String,
    /// The bytes of the file, read once: it may change while it is studied.
    replay: Vec<u8>,
    game: Box<dyn RecordedGame>,
    kind: &'static dyn Game,
    /// The strategies of the game.
    room: Arc<dyn Room>,
    processes: Arc<Processes>,
    /// The moments of the game on the page.
    marks: Marks,
}

impl Studied {
    fn seed(&self) -> Seed {
        self.seed.unwrap_or(Seed::new(1))
    }

    fn jobs(&self) -> NonZeroUsize {
        self.jobs.unwrap_or_default().count()
    }

    /// Reads the replay, whose game may be played by programs, and warns if the file breaks off. Of a file from
    /// elsewhere, the user is asked whether its programs may be started.
    ///
    /// # Errors
    ///
    /// If the file is no replay that this program can play, or its programs may not be started.
    fn record(&self, screen: &Screen) -> Result<Record, Failure> {
        let name = shown(&self.file);
        let hint = "name a replay, e.g. of `bots --virtual --replay FILE`";
        let unreadable = |error: String| Failure::misuse(format!("{name}: {error}"), hint);
        if self.file.is_dir() {
            let folder = quoted_path(&self.file);
            let replay = command("league", &format!("replay {folder} NUMBER"));
            let habits = command("league", &format!("habits {folder} --entrant NAME"));
            let hint = format!(
                "of a league, `{replay}` writes the replay of a match, and `{habits}` studies an entrant over many matches"
            );
            return Err(Failure::misuse(format!("{name} is a folder: expected a replay"), hint));
        }
        let replay = read_file(&self.file, LONGEST_REPLAY)
            .map_err(|error| Failure::misuse(format!("cannot read {name}: {error}"), hint))?;
        let reader = Reader::open(&replay[..]).map_err(|error| unreadable(chain(&error)))?;
        let room = room::find(&reader.header().game).map_err(|error| unreadable(error.to_string()))?;
        // A program would write its lines in each of thousands of games.
        let processes = Arc::new(programs::quiet_processes()?);
        let programs: Arc<dyn Programs> = Arc::clone(&processes) as _;
        let room = room.with_programs(programs);
        let game = room.recorded_game(reader).map_err(|error| unreadable(chain(&error)))?;
        let players = game.players();
        let programs = players.iter().filter_map(|player| Command::read(player)?.ok());
        let mut commands: Vec<String> =
            programs.map(|command| command_in(command.words(), Path::new("."))).collect();
        commands.sort();
        commands.dedup();
        self.trust.confirm(&self.file, &commands)?;
        if let Completeness::Truncated { line, reason } = game.completeness() {
            screen.say(&format!(
                "{name} breaks off after line {line} ({reason}): only the part before it is studied"
            ));
        }
        let marks = Marks::of(&*game);
        Ok(Record { path: self.file.clone(), name, replay, game, kind: room.game(), room, processes, marks })
    }
}

impl Record {
    /// Checks that this file of a result is not the replay itself.
    ///
    /// # Errors
    ///
    /// If it is.
    fn spare(&self, output: Option<&Path>) -> Result<(), Failure> {
        let place = |path: &Path| path.canonicalize().ok();
        match output {
            Some(output) if place(output).is_some_and(|output| Some(output) == place(&self.path)) => {
                let why = format!("{} is the replay that is studied", shown(output));
                Err(Failure::misuse(why, "name another file for the result"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the name of a team, or of the agents that play for themselves.
    fn team(&self, team: usize) -> String {
        match self.kind.team_names().get(team) {
            Some(name) => (*name).to_owned(),
            None => format!("team {}", team + 1),
        }
    }

    /// Returns the team of this name, or with this number from 1.
    ///
    /// # Errors
    ///
    /// If there is no such team.
    fn team_called(&self, name: &str) -> Result<usize, Failure> {
        let mut teams = 0..team_count(&*self.game);
        let place = teams.find(|team| self.team(*team) == name || (team + 1).to_string() == name);
        place.ok_or_else(|| {
            let why = format!("no team {name} plays in {}: expected {}", self.name, self.all_teams());
            Failure::misuse(why, "`--team 1` is the first team of any game")
        })
    }

    /// Returns the names of all teams: `red or blue`.
    fn all_teams(&self) -> String {
        or_list((0..team_count(&*self.game)).map(|team| self.team(team)))
    }

    /// Returns the team of an agent.
    ///
    /// # Errors
    ///
    /// If there is no such agent.
    fn team_of(&self, agent: AgentId) -> Result<TeamId, Failure> {
        let players = &self.game.header().players;
        let team = players.get(agent.index()).map(|player| player.team);
        team.ok_or_else(|| {
            let last = players.len().saturating_sub(1);
            let why = format!("no agent {agent} plays in {}: expected 0 to {last}", self.name);
            Failure::misuse(why, "`bots decisions FILE --agent NUMBER` takes the same numbers")
        })
    }

    /// Returns the strategies and programs of this text.
    ///
    /// # Errors
    ///
    /// If there is no such strategy.
    fn line_up(&self, text: &str) -> Result<Vec<String>, Failure> {
        self.room.line_up(text).map_err(|error| Failure::misuse(error, "`bots list` shows the strategies"))
    }

    /// Returns the entrant of this text.
    ///
    /// # Errors
    ///
    /// If there is no such strategy, or the program is not there.
    fn entrant(&self, text: &str) -> Result<String, Failure> {
        let mut names = self.line_up(text)?;
        if names.len() != 1 {
            let why = format!("`{text}` names {} strategies: an agent has one", names.len());
            return Err(Failure::misuse(why, "name one strategy, or the command of one program"));
        }
        let name = names.remove(0);
        programs::check(&self.processes, [name.as_str()])?;
        Ok(name)
    }

    /// Returns the players of the record, and others in the places that the flags name.
    ///
    /// # Errors
    ///
    /// If a flag names a team, an agent or a strategy that does not exist, or a program that is not there.
    fn entrants(&self, players: &Players, flags: &ArgMatches) -> Result<Vec<String>, Failure> {
        let mut entrants = self.game.players();
        for name in team_names() {
            let Some(line_up) = flags.get_one::<String>(name) else { continue };
            let Some(team) = self.kind.team_names().iter().position(|own| *own == name) else {
                let why = format!("no team of {} is called {name}", self.kind.name());
                return Err(Failure::misuse(why, "`--agent NUMBER=STRATEGY` names a player of any game"));
            };
            let line_up = self.line_up(line_up)?;
            let own = self.game.header().players.iter().map(|player| player.team.index() == team);
            let (named, size) = (line_up.len(), own.clone().filter(|is_own| *is_own).count());
            if named > size {
                let why = format!("--{name}: {}", TooManyAgents { named, size });
                return Err(Failure::misuse(why, "a line-up names at most one strategy for each agent"));
            }
            let places = entrants.iter_mut().zip(own).filter(|(_, is_own)| *is_own);
            places.zip(line_up.iter().cycle()).for_each(|((entrant, _), name)| name.clone_into(entrant));
        }
        for (agent, name) in &players.agent {
            self.team_of(*agent)?;
            entrants[agent.index()] = self.entrant(name)?;
        }
        self.check_players(&entrants, |place| {
            format!("`--agent {place}=STRATEGY` names another player in its place")
        })?;
        Ok(entrants)
    }

    /// Gives these players all observations of the record, and prints which of them would not have asked for some of
    /// the recorded actions.
    ///
    /// # Errors
    ///
    /// If one of them fails on the way: its futures would be those of a player that does nothing.
    fn rehearse(&self, players: &[String], screen: &Screen) -> Result<(), Failure> {
        let all = Differences::of_all(&*self.game, players).map_err(|error| unplayable(&error))?;
        for (player, differences) in players.iter().zip(&all) {
            differences.check(player).map_err(|error| unplayable(&error))?;
            let Differences { agent, actions, departures, .. } = differences;
            if !departures.is_empty() {
                let actions = counted(*actions as u64, "action", "actions");
                screen.say(&format!(
                    "{} does not repeat agent {agent}: it would not have asked for {} of its {actions}; the futures show how \
                     it plays now",
                    fit_for_a_log(player),
                    departures.len()
                ));
            }
        }
        Ok(())
    }

    /// Returns the recorded players.
    ///
    /// # Errors
    ///
    /// As [`Self::check_players`].
    fn own_players(&self) -> Result<Vec<String>, Failure> {
        let players = self.game.players();
        self.check_players(&players, |_| {
            "play the game with strategies, or with programs that are here: `bots --virtual --replay FILE`"
                .to_owned()
        })?;
        Ok(players)
    }

    /// Checks that these players can play. `hint` says what to do about one that cannot.
    ///
    /// # Errors
    ///
    /// If a player is no strategy, or a program that is not there.
    fn check_players(&self, players: &[String], hint: impl Fn(usize) -> String) -> Result<(), Failure> {
        for (place, player) in players.iter().enumerate() {
            let is_there = self.processes.check([player.as_str()]);
            if let Err(error) = is_there.and_then(|()| self.room.line_up(player).map(|_| ())) {
                let player = fit_for_a_log(player);
                let why = format!("agent #{place} of {} was played by `{player}`: {error}", self.name);
                return Err(Failure::misuse(why, hint(place)));
            }
        }
        Ok(())
    }

    /// Plays futures of the game. `watch` is called after each, and returns whether to go on.
    ///
    /// # Errors
    ///
    /// If they cannot be played, or if a program could not begin its game: its futures would be those of a player that
    /// does nothing.
    fn futures(
        &self,
        question: &Question<'_>,
        games: u64,
        jobs: NonZeroUsize,
        mut watch: impl FnMut(&Futures) -> ControlFlow<()>,
    ) -> Result<Futures, Failure> {
        let mut are_ready = Ok(());
        let futures = Futures::play(question, games, jobs, |futures| {
            are_ready = programs::refuse_unready(&self.processes);
            if are_ready.is_err() { ControlFlow::Break(()) } else { watch(futures) }
        });
        are_ready.and_then(|()| programs::refuse_unready(&self.processes))?;
        futures.map_err(|error| unplayable(&error))
    }

    /// Returns the outcomes of futures as JSON, a document for each team.
    fn teams(&self, futures: &Futures) -> Vec<serde_json::Value> {
        let ends = futures.counts().iter().zip(futures.chances()).zip(futures.first_won()).enumerate();
        ends.map(|(team, (([lost, shared, won], chance), first))| {
            json!({
                "team": self.team(team), "won": won, "shared": shared, "lost": lost,
                "chance": chance.0, "first_won": first,
            })
        })
        .collect()
    }
}

/// Returns a difference for people: the choice of an entrant, and the recorded action.
fn instead(departure: &Departure<String>) -> String {
    let chosen = departure.chosen.as_ref();
    let chosen = chosen.map_or_else(|| "waiting".to_owned(), |action| format!("`{action}`"));
    format!("{chosen} instead of `{}`", departure.recorded)
}

/// Reads `3=greedy`.
fn seated(text: &str) -> Result<(AgentId, String), String> {
    let parts = text.split_once('=').and_then(|(agent, name)| Some((agent.parse().ok()?, name)));
    let (agent, name): (u16, &str) =
        parts.ok_or_else(|| "expected the number of an agent and a strategy, e.g. 3=greedy".to_owned())?;
    Ok((AgentId::new(agent), name.to_owned()))
}

/// Returns the names of all teams that have names, each once.
fn team_names() -> Vec<&'static str> {
    let mut names: Vec<&str> =
        game_catalogue::games().iter().flat_map(|game| game.team_names()).copied().collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Adds a flag for each team that has a name.
pub(crate) fn with_teams(command: clap::Command) -> clap::Command {
    team_names().into_iter().rev().fold(command, |command, name| {
        let help = format!("Other strategies of the team {name}");
        command.arg(Arg::new(name).long(name).value_name("LINEUP").help(help))
    })
}

/// Returns the message about a future that cannot be played.
fn unplayable(error: &PlayError) -> Failure {
    let hint = "`bots list` shows the strategies; a program is started in the current folder";
    Failure::misuse(chain(error), hint)
}
