//! `league log`: the output of the programs of a match, or all failures of a league.

use std::collections::BTreeMap;

use command_line::{Failure, print, quoted_path};
use contests::text;
use contests::verdict::Verdict;
use game_env::names::did_you_mean;
use game_env::text::{escape_hidden, escape_hidden_in_lines, fit_for_a_log, indented};
use game_env::{AgentId, TeamId};
use wire::agent::FaultReport;

use super::arguments::Logging;
use super::replay;
use crate::begin;
use crate::executor::Failure as AgentFailure;
use crate::file::{Entrant, ExecutorKind, League};
use crate::in_process::InProcess;
use crate::invocation::command;
use crate::network::agent_name;
use crate::runner::last_counted;
use crate::store::{Store, StoreError, StoredMatch};

pub(crate) fn start(logging: &Logging, plays: &InProcess) -> Result<(), Failure> {
    let store = Store::look(&logging.folder)?;
    let league = begin::league(&store.origin()?, &logging.folder, plays)?;
    let only = logging
        .entrant
        .as_deref()
        .map(|name| entrant(&league, name, "without `--entrant` the agents of all entrants are shown"))
        .transpose()?;
    match &logging.which {
        Some(which) => print(&of_match(&league, &store, which, only)?),
        None => print(&failures(&league, &store, logging, only)?),
    }
}

/// Returns the entrant of this name; `hint` says what to do if there is none.
pub(super) fn entrant(league: &League, name: &str, hint: &str) -> Result<usize, Failure> {
    let names = || league.entrants.iter().map(|own| own.name.as_str());
    names().position(|own| own == name).ok_or_else(|| {
        let near = did_you_mean(name, names());
        let all: Vec<&str> = names().collect();
        Failure::misuse(
            format!("unknown entrant `{}`: expected one of {}{near}", fit_for_a_log(name), all.join(", ")),
            hint,
        )
    })
}

/// Returns the output of the programs of a match; with `only`, of those of this entrant.
fn of_match(league: &League, store: &Store, which: &str, only: Option<usize>) -> Result<String, Failure> {
    let stored = replay::find(league, store, which)?;
    let logs = store.logs(stored.number)?;
    let last = logs.last().map_or(0, |(attempt, _)| *attempt);
    let mut text = heading(league, &stored);
    let seated: Vec<usize> = stored.id.seated().map(|entrant| entrant.index()).collect();
    let own: Option<Vec<String>> = only.map(|only| {
        let agents = AgentId::all(league.teams.len()).zip(&league.teams);
        let own = agents.filter(|(_, team)| seated[team.index()] == only);
        own.map(|(agent, team)| name(league, agent, *team)).collect()
    });
    let is_shown = |source: &String| own.as_ref().is_none_or(|own| own.contains(source));
    let mut is_empty = true;
    for (attempt, log) in logs.iter().filter(|(_, log)| is_shown(&log.source)) {
        let repeated = if *attempt < last { format!("attempt {attempt}, repeated: ") } else { String::new() };
        let (source, noted) = (fit_for_a_log(&log.source), indented(&escape_hidden_in_lines(&log.text)));
        text += &format!("\n{repeated}{source}: {noted}\n");
        is_empty = false;
    }
    for report in reports(league, &stored, |side| only.is_none_or(|only| seated.get(side) == Some(&only))) {
        text += &format!("\n{}\n", indented(&escape_hidden_in_lines(report)));
        is_empty = false;
    }
    if is_empty {
        text += match only.map(|only| seated.contains(&only)) {
            Some(false) => "the entrant did not play in this match\n",
            Some(true) if league.executor == ExecutorKind::InProcess => {
                "nothing was noted: no agent of the entrant has failed\n"
            }
            Some(true) => "nothing was noted: the agents of the entrant are shipped strategies\n",
            None if league.executor == ExecutorKind::InProcess => "nothing was noted: no agent has failed\n",
            None => "nothing was noted: no programs of others have played\n",
        };
    }
    Ok(text)
}

/// Returns all matches that an agent ended or in which one failed; with `only`, an agent of this entrant.
fn failures(
    league: &League,
    store: &Store,
    logging: &Logging,
    only: Option<usize>,
) -> Result<String, Failure> {
    let mut known: BTreeMap<u64, Vec<AgentFailure>> = BTreeMap::new();
    for (number, failure) in store.failures()? {
        known.entry(number).or_default().push(failure);
    }
    let (mut listed, mut count) = (String::new(), 0);
    store.for_each(last_counted(league, store)?, |stored, _| {
        if !league.can_have(&stored.id) {
            return Ok(());
        }
        let seated: Vec<usize> = stored.id.seated().map(|entrant| entrant.index()).collect();
        let is_shown = |side: usize| only.is_none_or(|only| seated.get(side) == Some(&only));
        let team = |failure: &AgentFailure| league.teams.get(failure.agent.index()).copied();
        let mut failed = known.remove(&stored.number).unwrap_or_default();
        failed.retain(|failure| team(failure).is_some_and(|team| is_shown(team.index())));
        let is_at_fault = stored.verdict != Verdict::Normal
            && league.sides_at_fault(&stored.record.outcome).into_iter().any(is_shown);
        let mut reports = reports(league, &stored, is_shown);
        let is_listed =
            |report: &str| failed.iter().any(|failure| FaultReport::read(report, failure.agent).is_some());
        reports.retain(|report| !is_listed(report));
        if failed.is_empty() && !is_at_fault && reports.is_empty() {
            return Ok(());
        }
        count += 1;
        listed += &heading(league, &stored);
        for failure in &failed {
            let Some(team) = team(failure) else { continue };
            let AgentFailure { agent, at, how, last_line } = failure;
            let (entrant, agent) = (&league.entrants[seated[team.index()]].name, name(league, *agent, team));
            let at =
                at.map_or_else(|| "before the game".to_owned(), |at| format!("at {}", text::game_time(at)));
            let last = if last_line.is_empty() { String::new() } else { format!("; last line: {last_line}") };
            listed += &format!("  {entrant}, {agent}, {at}: {}\n", escape_hidden(&format!("{how}{last}")));
        }
        for report in reports {
            let first = report.lines().next().unwrap_or_default();
            listed += &format!("  {}\n", escape_hidden(first));
        }
        Ok::<(), StoreError>(())
    })?;
    if count == 0 {
        let whose = if only.is_some() { "no agent of this entrant" } else { "no agent" };
        return Ok(format!("{whose} has failed\n"));
    }
    let show = command(&format!("log {} MATCH", quoted_path(&logging.folder)));
    listed += &format!("{}; `{show}` shows the output of the programs of one\n", text::matches(count));
    Ok(listed)
}

/// Returns the reports of a match in process by agents of these sides, and those that name no agent. Over the network,
/// the store has the failures themselves.
fn reports<'m>(league: &League, stored: &'m StoredMatch, is_shown: impl Fn(usize) -> bool) -> Vec<&'m str> {
    let side = |report: &str| {
        let (_, behind) = report.split_once("agent #")?;
        let digits = behind.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(behind.len());
        let agent: usize = behind[..digits].parse().ok()?;
        league.teams.get(agent).map(|team| team.index())
    };
    let is_in_process = league.executor == ExecutorKind::InProcess;
    let reports = stored.record.first_blunders.iter().map(String::as_str).filter(|_| is_in_process);
    reports.filter(|report| side(report).is_none_or(&is_shown)).collect()
}

/// Returns the name of an agent in logs.
pub(super) fn name(league: &League, agent: AgentId, team: TeamId) -> String {
    agent_name(agent, &league.team_name(team.index()))
}

/// Returns two lines: the match with its verdict, and the entrants.
fn heading(league: &League, stored: &StoredMatch) -> String {
    let StoredMatch { number, id, verdict, .. } = stored;
    format!("match {number} ({id}), verdict {verdict}\n{}\n", players(league, stored))
}

/// Returns the entrants by side, and unless the rules ended the match, those at fault: `red: ada, blue: js; fault: js`.
fn players(league: &League, stored: &StoredMatch) -> String {
    let seated = league.seated(&stored.id);
    let side = |(side, entrant): (usize, &&Entrant)| format!("{}: {}", league.team_name(side), entrant.name);
    let sides: Vec<String> = seated.iter().enumerate().map(side).collect();
    let sides = sides.join(", ");
    if stored.verdict == Verdict::Normal {
        return sides;
    }
    let at_fault = league.sides_at_fault(&stored.record.outcome);
    let at_fault: Vec<&str> = at_fault.into_iter().map(|side| seated[side].name.as_str()).collect();
    format!("{sides}; fault: {}", if at_fault.is_empty() { "nobody".to_owned() } else { at_fault.join(", ") })
}
