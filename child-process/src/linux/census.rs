//! Counts the processes and the memory of all children of this program, now and then, in one thread for all of them:
//! reading the table of processes costs some milliseconds.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use super::processes::Processes;
use crate::command::Limits;
use crate::ended::Stop;

/// Time between two counts. Within this time a child may exceed its limits.
const INTERVAL: Duration = Duration::from_millis(200);

/// A child that is counted.
struct Counted {
    guard: i32,
    limits: Limits,
    /// To its guard.
    line: UnixStream,
}

#[derive(Default)]
struct Census {
    children: Vec<Counted>,
    is_running: bool,
}

static CENSUS: Mutex<Census> = Mutex::new(Census { children: Vec::new(), is_running: false });

/// Counts the child of this guard from now on, until the line to the guard is closed.
pub(super) fn join(guard: i32, limits: Limits, line: UnixStream) {
    let mut census = census();
    census.children.push(Counted { guard, limits, line });
    if !census.is_running {
        let started = thread::Builder::new().name("census".to_owned()).spawn(count);
        // Without threads the limits of each process still hold.
        census.is_running = started.is_ok();
    }
}

/// The child of this guard has ended.
pub(super) fn leave(guard: i32) {
    census().children.retain(|child| child.guard != guard);
}

fn census() -> MutexGuard<'static, Census> {
    CENSUS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends when there is nobody to count.
fn count() {
    loop {
        let guards: Vec<i32> = {
            let mut census = census();
            if census.children.is_empty() {
                census.is_running = false;
                return;
            }
            census.children.iter().map(|child| child.guard).collect()
        };
        let families = Processes::now().below(&guards);
        for (guard, family) in guards.into_iter().zip(families) {
            let mut census = census();
            let Some(child) = census.children.iter_mut().find(|child| child.guard == guard) else { continue };
            // A process that has ended takes a place in the table of processes, too.
            let stop = if family.members.len() + family.zombies > child.limits.processes {
                Stop::Processes
            } else if family.resident_bytes > child.limits.memory_bytes {
                Stop::Memory
            } else {
                continue;
            };
            // A guard that is gone has ended its child already.
            let _ = writeln!(child.line, "{}", stop.word());
        }
        thread::sleep(INTERVAL);
    }
}
