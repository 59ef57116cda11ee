//! `league log`: what the programs of a match have written.

use command_line::{Failure, print};
use game_env::Notation as _;
use game_env::notation::{escape_hidden_in_lines, fit_for_a_log};
use game_project::{State, Team};
use league::begin;
use league::file::{Entrant, League};
use league::store::{Store, StoredMatch};
use league::verdict::Verdict;

use super::arguments::Logging;
use super::replay;

pub(crate) fn start(logging: &Logging) -> Result<(), Failure> {
    let store = Store::look(&logging.folder)?;
    let league = begin::league(&store.origin()?, &logging.folder)?;
    let stored = replay::find(&league, &store, &logging.which)?;
    let logs = store.logs(stored.number)?;
    let last = logs.last().map_or(0, |(attempt, _)| *attempt);
    let mut text = format!("match {} ({}), verdict {}\n", stored.number, stored.id, stored.verdict);
    text += &format!("{}\n", players(&league, &stored));
    if logs.is_empty() {
        text += "nothing was noted: no programs of others have played\n";
    }
    for (attempt, log) in &logs {
        let repeated = if *attempt < last { format!("attempt {attempt}, repeated: ") } else { String::new() };
        let (source, noted) = (fit_for_a_log(&log.source), escape_hidden_in_lines(&log.text));
        text += &format!("\n{repeated}{source}: {noted}\n");
    }
    print(&text)
}

/// The entrants by side, and unless the rules ended the match, those at fault: `red: ada, blue: js; fault: js`.
fn players(league: &League, stored: &StoredMatch) -> String {
    let seated = league.seated(&stored.id);
    let side = |(side, entrant): (usize, &&Entrant)| {
        let side = match Team::ALL.get(side).filter(|_| league.game == State::GAME) {
            Some(team) => team.to_string(),
            None => format!("side {}", side + 1),
        };
        format!("{side}: {}", entrant.name)
    };
    let sides: Vec<String> = seated.iter().enumerate().map(side).collect();
    let sides = sides.join(", ");
    if stored.verdict == Verdict::Normal {
        return sides;
    }
    let at_fault = league.sides_at_fault(&stored.record.outcome);
    let at_fault: Vec<&str> = at_fault.into_iter().map(|side| seated[side].name.as_str()).collect();
    format!("{sides}; fault: {}", if at_fault.is_empty() { "nobody".to_owned() } else { at_fault.join(", ") })
}
