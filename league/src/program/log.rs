//! `league log`: what the programs of a match have written.

use command_line::{Failure, print};
use league::store::Store;

use super::arguments::Logging;
use super::replay;

pub(crate) fn start(logging: &Logging) -> Result<(), Failure> {
    let store = Store::look(&logging.folder)?;
    let stored = replay::find(&store, &logging.which)?;
    let logs = store.logs(stored.number)?;
    let last = logs.last().map_or(0, |(attempt, _)| *attempt);
    let mut text = format!("match {} ({}), verdict {}\n", stored.number, stored.id, stored.verdict);
    if logs.is_empty() {
        text += "nothing was noted: no programs of others have played\n";
    }
    for (attempt, log) in &logs {
        let repeated = if *attempt < last { format!("attempt {attempt}, repeated: ") } else { String::new() };
        text += &format!("\n{repeated}{}: {}\n", log.source, log.text);
    }
    print(&text)
}
