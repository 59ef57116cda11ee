//! `league-dist worker`: plays matches for the leagues of a queue.

use std::process;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use command_line::signals::Interruption;
use command_line::{Failure, Hinted as _, tell};
use contests::text;
use game_env::text::{escape_hidden, fit_for_a_log};
use league::begin::in_process;
use league::executor::Executor;
use league::trust;
use league_dist::dispatch::{DispatchError, OpenLeague, WorkerName};
use league_dist::serve::{self, ServeError, Serving, serve};
use strategies::programs::Programs;

use super::arguments::Working;

pub(crate) fn start(working: &Working) -> Result<(), Failure> {
    let (sender, stop) = mpsc::channel();
    let end = move || {
        // The worker may have ended already.
        let _ = sender.send(());
    };
    Interruption::tell(end).map_err(|error| Failure::without_signals(&error))?;
    let random = getrandom::u32().map_err(|error| {
        Failure::undone(format!("the system has no random numbers: {error}"), "try again")
    })?;
    let name = WorkerName::new(&host(), process::id(), random);
    let slots = working.jobs.unwrap_or_default().count().get();
    let mut dispatch = working.queue.open()?;
    let at_once = if slots == 1 { "one match".to_owned() } else { format!("{slots} matches") };
    tell(&format!("worker {name} plays {at_once} at a time; Ctrl-C ends it"));
    let programs = working.trust.then(trust::processes).transpose()?;
    let executor = match &programs {
        Some(programs) => {
            let programs: Arc<dyn Programs> = Arc::new(programs.clone());
            in_process().with_programs(&programs)
        }
        None => in_process(),
    };
    let executor: Arc<dyn Executor + Send + Sync> = Arc::new(executor);
    let idle = working.idle_timeout.map(|seconds| Duration::from_secs(seconds.into()));
    let serving = Serving { name, slots, idle, programs };
    serve(&mut *dispatch, &executor, &serving, &stop, &mut Told).map_err(|error| match error {
        ServeError::Dispatch(error) => Failure::undone(error.to_string(), error.hint()),
        ServeError::Thread(_) => Failure::undone(error.to_string(), "choose a smaller `--jobs`"),
    })
}

/// Returns the name of this machine; `host` if it has none.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = if name.trim().is_empty() { std::env::var("HOSTNAME").unwrap_or_default() } else { name };
    let name = name.trim();
    if name.is_empty() { "host".to_owned() } else { name.to_owned() }
}

struct Told;

impl serve::Observer for Told {
    fn joined(&mut self, league: &OpenLeague, commands: &[String]) {
        let name = fit_for_a_log(&league.name);
        let count = match commands.len() as u64 {
            0 => String::new(),
            count => format!(", and starts {}:", text::counted(count, "command", "commands")),
        };
        tell(&format!("plays for the league \"{name}\" ({}){count}", league.id));
        trust::tell(commands);
    }

    fn refused(&mut self, league: &OpenLeague, reason: &str) {
        let name = fit_for_a_log(&league.name);
        tell(&format!("does not play for the league \"{name}\" ({}): {reason}", league.id));
    }

    fn unreachable(&mut self, error: &DispatchError) {
        tell(&format!("{}; trying again", escape_hidden(&error.to_string())));
    }
}
