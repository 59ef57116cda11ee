//! Replays as tables: a dictionary of columns for events, messages and claims.

use game_catalogue::of_replay;
use game_env::TeamId;
use game_env::messages::{ClaimCounts, ClaimVerdict, Message};
use game_env::replay::{Completeness, Player, Reader};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::games::wrong;

/// The place and the cause of the break of a replay that was cut off; none of a whole one.
#[pyfunction]
pub(crate) fn truncation(py: Python<'_>, replay: &[u8]) -> PyResult<Option<String>> {
    py.detach(|| {
        let mut reader = Reader::open(replay).map_err(wrong)?;
        while reader.next_record().map_err(wrong)?.is_some() {}
        Ok(match reader.completeness() {
            Some(Completeness::Truncated { line, reason }) => {
                Some(format!("the file breaks off after line {line}: {reason}"))
            }
            Some(Completeness::Complete) | None => None,
        })
    })
}

/// A table of the events of a replay.
#[pyfunction]
pub(crate) fn events<'py>(py: Python<'py>, replay: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let (mut times, mut refusals, mut events) = (Vec::new(), Vec::new(), Vec::new());
    py.detach(|| {
        let reader = Reader::open(replay).map_err(wrong)?;
        let game = of_replay(reader.header()).map_err(wrong)?;
        let played = game.events(reader, &mut |now, event, is_refusal| {
            times.push(now.as_millis());
            refusals.push(is_refusal);
            events.push(event.to_string());
        });
        played.map_err(wrong)
    })?;
    let table = PyDict::new(py);
    table.set_item("time_ms", times)?;
    table.set_item("is_refusal", refusals)?;
    table.set_item("event", events)?;
    Ok(table)
}

/// The messages of a replay, each with the names of the teams of its sender and its receiver.
///
/// # Errors
///
/// `ValueError` if the replay cannot be played, or its game has no messages.
fn read(py: Python<'_>, replay: &[u8]) -> PyResult<Vec<(Message, [&'static str; 2])>> {
    let mut all = Vec::new();
    py.detach(|| {
        let reader = Reader::open(replay).map_err(wrong)?;
        let game = of_replay(reader.header()).map_err(wrong)?;
        if !game.has_messages() {
            return Err(wrong(format!("agents of the game {} send no messages", game.name())));
        }
        let names = game.team_names();
        let mut keep =
            |message, teams: [TeamId; 2]| all.push((message, teams.map(|team| names[team.index()])));
        game.messages(reader, &mut keep).map_err(wrong)
    })?;
    Ok(all)
}

/// A table of the messages of a replay.
#[pyfunction]
pub(crate) fn messages<'py>(py: Python<'py>, replay: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let all = read(py, replay)?;
    let reader = Reader::open(replay).map_err(wrong)?;
    let players = &reader.header().players;
    let messages = PyDict::new(py);
    let column =
        |of: &dyn Fn(&Message) -> u64| all.iter().map(|(message, _)| of(message)).collect::<Vec<_>>();
    messages.set_item("message", (1..=all.len()).collect::<Vec<_>>())?;
    messages.set_item("time_ms", column(&|message| message.at.as_millis()))?;
    messages.set_item("kind", all.iter().map(|(message, _)| message.kind).collect::<Vec<_>>())?;
    for (place, name) in ["from", "to"].into_iter().enumerate() {
        let agents: Vec<usize> =
            all.iter().map(|(message, _)| [message.from, message.to][place].index()).collect();
        let names = agents.iter().map(|agent| players.get(*agent).map_or("", Player::entrant));
        messages.set_item(format!("{name}_entrant"), names.collect::<Vec<_>>())?;
        let teams = all.iter().map(|(_, teams)| teams[place]);
        messages.set_item(format!("{name}_team"), teams.collect::<Vec<_>>())?;
        messages.set_item(name, agents)?;
    }
    let made: Vec<ClaimCounts> = all.iter().map(|(message, _)| message.made()).collect();
    let believed: Vec<ClaimCounts> = all.iter().map(|(message, _)| message.believed()).collect();
    let of = |counts: &[ClaimCounts], number: fn(&ClaimCounts) -> u64| {
        counts.iter().map(number).collect::<Vec<_>>()
    };
    messages.set_item("claims", of(&made, ClaimCounts::total))?;
    messages.set_item("honest", of(&made, |counts| counts.of(ClaimVerdict::Honest)))?;
    messages.set_item("stale", of(&made, |counts| counts.of(ClaimVerdict::Stale)))?;
    messages.set_item("mistaken", of(&made, |counts| counts.of(ClaimVerdict::Mistaken)))?;
    messages.set_item("lies", of(&made, |counts| counts.of(ClaimVerdict::Lie)))?;
    messages.set_item("believed", of(&believed, ClaimCounts::total))?;
    messages.set_item("believed_false", of(&believed, ClaimCounts::false_ones))?;
    let verdict = |((message, _), counts): (&(Message, _), &ClaimCounts)| match message.claims {
        Some(_) => counts.worst().to_string(),
        None => String::new(),
    };
    messages.set_item("verdict", all.iter().zip(&made).map(verdict).collect::<Vec<_>>())?;
    Ok(messages)
}

/// A table of the claims of a replay.
#[pyfunction]
pub(crate) fn claims<'py>(py: Python<'py>, replay: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    let all = read(py, replay)?;
    let numbered = (1_u64..).zip(&all);
    let rows: Vec<_> = numbered
        .flat_map(|(number, (message, _))| {
            message.claims.iter().flatten().map(move |claim| (number, message, claim))
        })
        .collect();
    let table = PyDict::new(py);
    table.set_item("message", rows.iter().map(|(number, ..)| *number).collect::<Vec<_>>())?;
    table
        .set_item("time_ms", rows.iter().map(|(_, message, _)| message.at.as_millis()).collect::<Vec<_>>())?;
    table.set_item("from", rows.iter().map(|(_, message, _)| message.from.index()).collect::<Vec<_>>())?;
    table.set_item("to", rows.iter().map(|(_, message, _)| message.to.index()).collect::<Vec<_>>())?;
    table.set_item("x", rows.iter().map(|(.., claim)| claim.at.0).collect::<Vec<_>>())?;
    table.set_item("y", rows.iter().map(|(.., claim)| claim.at.1).collect::<Vec<_>>())?;
    table.set_item("about", rows.iter().map(|(.., claim)| claim.about).collect::<Vec<_>>())?;
    table.set_item("said", rows.iter().map(|(.., claim)| claim.said.as_str()).collect::<Vec<_>>())?;
    table.set_item("truth", rows.iter().map(|(.., claim)| claim.truth.as_str()).collect::<Vec<_>>())?;
    table
        .set_item("verdict", rows.iter().map(|(.., claim)| claim.verdict.to_string()).collect::<Vec<_>>())?;
    table.set_item("believed", rows.iter().map(|(.., claim)| claim.is_believed).collect::<Vec<_>>())?;
    Ok(table)
}
