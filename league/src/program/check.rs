//! `league check`: a short match of each program, before the league; and the times of decisions, if asked for.

use std::fmt;
use std::path::Path;

use command_line::{Failure, print};
use contests::text;
use game_env::matches::{Failed, MatchLimits, MatchRecord, MatchSpec, entrants};
use game_env::replay::{Reader, Record, ReplayError};
use game_env::text::{escape_hidden, escape_hidden_in_lines, indented};
use game_env::{AgentId, SimTime, TeamId, Termination};
use strategies::programs::Command as ProgramCommand;

use super::arguments::Checking;
use super::times::{DecisionTimes, HEADING};
use super::{log, run, times};
use crate::begin;
use crate::executor::{Executor, Failure as AgentFailure, Played};
use crate::file::{Entrant, ExecutorKind, League};
use crate::in_process::InProcess;
use crate::network::commands::CommandEntrant;
use crate::network::joining::JoiningEntrant;
use crate::network::{Rules, activity, has_server, idle_times};
use crate::trust::{CURRENT_FOLDER, Source, in_process_unchecked};

/// The longest game time of a match.
const LONGEST: SimTime = SimTime::from_millis(10_000);

/// The opponent of each program in process and in a game with a server: it plays on after any action of the program,
/// and wins seldom in so short a time. In other games over the network a program plays against itself.
const OPPONENT: &str = "random";

/// The longest end of a log that is shown, in bytes.
const LONGEST_LOG: usize = 4 * 1024;

pub(crate) fn start(checking: &Checking, plays: &InProcess) -> Result<(), Failure> {
    let path = &checking.file;
    let origin = begin::origin(path, plays.program())?;
    let league = begin::league(&origin, path, plays)?;
    begin::warn_of_known_seed(&league);
    if checking.times && !is_in_process(&league) {
        return Err(Failure::misuse(
            "--times is for leagues in process: over the network, agents decide in their own programs",
            "without it, the programs are checked",
        ));
    }
    let is_command = |name: &String| {
        if is_in_process(&league) {
            ProgramCommand::read(name).is_some()
        } else {
            CommandEntrant::find(name).is_some()
        }
    };
    let is_program = |own: &&Entrant| own.strategies.iter().any(is_command);
    let programs: Vec<&Entrant> = league.entrants.iter().filter(is_program).collect();
    if programs.is_empty() {
        print("the league file has no faults; no entrant is a program\n")?;
        return if checking.times { time(&league, plays) } else { Ok(()) };
    }
    let names: Vec<&str> = programs.iter().flat_map(|own| &own.strategies).map(String::as_str).collect();
    let is_confined = checking.confinement.confine;
    let source = Source {
        path,
        is_trusted: checking.trust.trust,
        is_confined,
        folder: Path::new(CURRENT_FOLDER),
        restarts: league.restarts_programs,
    };
    // It says of each program whether it is there.
    let plays = if is_in_process(&league) { &in_process_unchecked(&names, source, plays)? } else { plays };
    let executor: Box<dyn Executor> = if is_in_process(&league) {
        Box::new(plays.clone())
    } else {
        run::check_folders(&origin, path)?;
        run::warn_of_exposed_files(&names, is_confined, Path::new(&origin.folder), &[path]);
        // A slow machine makes no program faulty.
        let rules = Rules { checks_host: false, ..league.network };
        let network = run::network(&names, source, rules, &origin.folder, plays.program())?;
        Box::new(network.with_settings(league.settings.clone()))
    };
    let limits = MatchLimits { time: league.limits.time.min(LONGEST), ..league.limits };
    let mut failed = 0;
    for entrant in &programs {
        let undone = |error: &dyn fmt::Display| {
            Failure::undone(format!("{} cannot be checked: {error}", entrant.name), "see the league file")
        };
        let spec = spec(&league, entrant, own_sides(&league), limits);
        let played = executor.play(&spec, true).map_err(|error| undone(&error))?;
        let (is_sound, told) = if is_in_process(&league) {
            judge_in_process(&league, &played).map_err(|error| undone(&error))?
        } else {
            judge(&league, &played)
        };
        failed += u64::from(!is_sound);
        print(&format!("{}: {told}\n", entrant.name))?;
        let warnings = if is_sound { warnings(&league, &played) } else { Vec::new() };
        for told in warnings {
            print(&format!("{}: warning: {told}\n", entrant.name))?;
        }
    }
    let is_from_outside =
        |own: &&Entrant| own.strategies.iter().any(|name| JoiningEntrant::find(name).is_some());
    for entrant in league.entrants.iter().filter(is_from_outside) {
        print(&format!("{}: not checked, its agents join from outside\n", entrant.name))?;
    }
    if failed > 0 {
        let all = text::counted(programs.len() as u64, "program", "programs");
        return Err(Failure::undone(
            format!("{failed} of {all} failed"),
            "the lines above are the end of their output; a league can be played if each program is there",
        ));
    }
    if checking.times { time(&league, plays) } else { Ok(()) }
}

/// Prints the times of the decisions of each entrant, in a match against itself.
fn time(league: &League, plays: &InProcess) -> Result<(), Failure> {
    print(&format!("{HEADING}\n"))?;
    for entrant in &league.entrants {
        let spec = spec(league, entrant, league.sides(), league.limits);
        let times = times::of_agents(plays, &spec).map_err(|error| {
            Failure::undone(format!("{} cannot be timed: {error}", entrant.name), "see the league file")
        })?;
        print(&format!("  {}: {}\n", entrant.name, times.into_iter().flatten().collect::<DecisionTimes>()))?;
    }
    Ok(())
}

/// Returns the number of sides that the checked entrant plays, from the first on.
fn own_sides(league: &League) -> usize {
    if is_in_process(league) || has_server(&league.game) { 1 } else { league.sides() }
}

fn is_in_process(league: &League) -> bool {
    league.executor == ExecutorKind::InProcess
}

/// Returns a match of this entrant on the first sides, with the configuration of the league.
fn spec(league: &League, entrant: &Entrant, own_sides: usize, limits: MatchLimits) -> MatchSpec {
    let mut line_ups = vec![vec![OPPONENT.to_owned()]; league.sides()];
    line_ups[..own_sides].fill(entrant.strategies.clone());
    MatchSpec {
        game: league.game.clone(),
        config: league.config.clone(),
        seed: league.seed,
        entrants: entrants(&league.teams, &line_ups),
        limits,
    }
}

/// The shortest time without a request at the end of a match that is a warning.
const SUSPICIOUS: SimTime = SimTime::from_millis(2_000);

/// Reports of the record, and idle agents, of a match in which no program failed.
fn warnings(league: &League, played: &Played) -> Vec<String> {
    let blunders = played.record.first_blunders.iter();
    let blunders = blunders.map(|blunder| indented(&escape_hidden_in_lines(blunder)));
    let idle = if has_server(&league.game) { idle(league, played) } else { Vec::new() };
    blunders.chain(idle).collect()
}

/// Returns the agents of the first side that could have acted for long before the end and did not: such a program may
/// hang.
fn idle(league: &League, played: &Played) -> Vec<String> {
    let replay = played.replay.as_deref().unwrap_or_default();
    // A match without a game has no replay, and is judged by its failures.
    let Ok(times) = idle_times(&league.game, replay) else { return Vec::new() };
    let time = played.record.time;
    let longest = SUSPICIOUS.max(SimTime::from_millis(time.as_millis() / 4));
    let agents = AgentId::all(league.teams.len()).zip(&league.teams).zip(times);
    let idle = agents.filter(|((_, team), idle)| team.index() == 0 && *idle > longest);
    let told = idle.map(|((agent, team), idle)| {
        format!(
            "{} sent no request in the last {} of {}, and was not locked",
            log::name(league, agent, *team),
            text::game_time(idle),
            text::game_time(time)
        )
    });
    told.collect()
}

/// Returns the number of actions of these agents that were served in a match in process.
fn actions(played: &Played, is_own: impl Fn(AgentId) -> bool) -> Result<u64, ReplayError> {
    let (mut actions, mut reader) = (0, Reader::open(played.replay.as_deref().unwrap_or_default())?);
    while let Some(record) = reader.next_record()? {
        actions += u64::from(matches!(record, Record::Action { agent, .. } if is_own(agent)));
    }
    Ok(actions)
}

/// Returns a sentence about the failures among this number of agents: agent, moment of the game and reason of the
/// first. None if there are none.
fn told_failures(
    league: &League,
    agents: usize,
    mut failures: impl ExactSizeIterator<Item = (AgentId, Option<SimTime>, String)>,
) -> Option<String> {
    let count = match failures.len() {
        1 => String::new(),
        more => format!("{more} of {agents} agents, the first is "),
    };
    let (agent, at, how) = failures.next()?;
    let name = log::name(league, agent, league.teams[agent.index()]);
    let when = at.map_or_else(|| "before the game".to_owned(), |at| format!("at {}", text::game_time(at)));
    Some(format!("failed: {count}{name}, {when}: {}", escape_hidden(&how)))
}

/// Returns whether the programs of the entrant played in process, and a sentence about them.
fn judge_in_process(league: &League, played: &Played) -> Result<(bool, String), ReplayError> {
    if played.record.outcome.termination == Termination::HostFault {
        let why = played.host_fault().unwrap_or("it was too slow");
        let told =
            format!("not judged, this machine has failed: {why}; try it when the machine does nothing else");
        return Ok((true, told));
    }
    let is_own = |agent: AgentId| league.teams.get(agent.index()).is_some_and(|team| team.index() == 0);
    let MatchRecord { outcome, failed, time, .. } = &played.record;
    let mut faults: Vec<Failed> = failed.iter().copied().filter(|failed| is_own(failed.agent)).collect();
    // The rules name a fault themselves, such as a missed deadline.
    if let Some(agent) = outcome.fault.filter(|agent| faults.is_empty() && is_own(*agent)) {
        faults.push(Failed { agent, at: *time, how: outcome.termination });
    }
    let agents = league.teams.iter().filter(|team| team.index() == 0).count();
    let faults = faults.iter().map(|failed| (failed.agent, Some(failed.at), failed.how.to_string()));
    if let Some(mut told) = told_failures(league, agents, faults) {
        for report in &played.record.first_blunders {
            told += &format!("\n  {}", indented(&escape_hidden_in_lines(report)));
        }
        return Ok((false, told));
    }
    let agents = text::counted(agents as u64, "agent", "agents");
    let span =
        if *time == SimTime::START { String::new() } else { format!(" for {}", text::game_time(*time)) };
    Ok(match actions(played, is_own)? {
        0 => (false, format!("failed: {agents} played{span} and did nothing")),
        count => (true, format!("{agents} played{span}: {}", text::counted(count, "action", "actions"))),
    })
}

/// Returns whether the programs of the entrant played over the network, and a sentence about them.
fn judge(league: &League, played: &Played) -> (bool, String) {
    let own_sides = own_sides(league);
    let is_own = |team: &TeamId| team.index() < own_sides;
    let agents = league.teams.iter().filter(|team| is_own(team)).count();
    let failures: Vec<&AgentFailure> = played
        .failures
        .iter()
        .filter(|own| league.teams.get(own.agent.index()).is_some_and(is_own))
        .collect();
    let told = failures.iter().map(|failure| (failure.agent, failure.at, failure.how.clone()));
    if let Some(mut told) = told_failures(league, agents, told) {
        let first = log::name(league, failures[0].agent, league.teams[failures[0].agent.index()]);
        if let Some(log) = played.logs.iter().find(|log| log.source == first) {
            let end = escape_hidden_in_lines(text::end_of(&log.text, LONGEST_LOG));
            told += &format!("\n  {}", indented(&end));
        }
        return (false, told);
    }
    let agents = text::counted(agents as u64, "agent", "agents");
    let time = text::game_time(played.record.time);
    match activity(&league.game, &played.record.metrics, 0) {
        Some(activity) => (true, format!("{agents} played for {time}: {activity}")),
        None => (false, format!("failed: {agents} joined and did nothing in {time}")),
    }
}
