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
    number: u64,
    guard: i32,
    limits: Limits,
    /// To its guard.
    line: UnixStream,
}

struct Census {
    children: Vec<Counted>,
    /// The number of the next child: the system gives the ids of processes again.
    next: u64,
    /// The process whose thread counts; none if there is no thread. A fork has a copy of everything here, and no
    /// thread.
    counted_by: Option<u32>,
}

static CENSUS: Mutex<Census> = Mutex::new(Census { children: Vec::new(), next: 0, counted_by: None });

/// The place of a child in the census, which it leaves when this is dropped. Until then, the line to its guard is open.
#[derive(Debug)]
pub(super) struct Place(u64);

impl Drop for Place {
    fn drop(&mut self) {
        census().children.retain(|child| child.number != self.0);
    }
}

/// Counts the child of this guard from now on, until the place is dropped.
pub(super) fn join(guard: i32, limits: Limits, line: UnixStream) -> Place {
    let (mut census, process) = (census(), std::process::id());
    if census.counted_by.is_some_and(|other| other != process) {
        // This is a fork: its parent counts these children.
        census.children.clear();
        census.counted_by = None;
    }
    let number = census.next;
    census.next += 1;
    census.children.push(Counted { number, guard, limits, line });
    if census.counted_by.is_none() {
        let started = thread::Builder::new().name("census".to_owned()).spawn(count);
        // Without threads the limits of each process still hold.
        census.counted_by = started.is_ok().then_some(process);
    }
    Place(number)
}

fn census() -> MutexGuard<'static, Census> {
    CENSUS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends when there is nobody to count.
fn count() {
    loop {
        let (numbers, guards): (Vec<u64>, Vec<i32>) = {
            let mut census = census();
            if census.children.is_empty() {
                census.counted_by = None;
                return;
            }
            census.children.iter().map(|child| (child.number, child.guard)).unzip()
        };
        let families = Processes::now().below(&guards);
        for (number, family) in numbers.into_iter().zip(families) {
            let mut census = census();
            let Some(child) = census.children.iter_mut().find(|child| child.number == number) else {
                continue;
            };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fork_counts_its_own_children_and_not_those_of_its_parent() {
        let line = || UnixStream::pair().expect("a pair").0;
        let (guard, limits) = (i32::MAX, Limits::default());
        let of_parent = join(guard, limits, line());
        // As a fork finds it.
        census().counted_by = Some(0);
        let own = join(guard, limits, line());
        {
            let census = census();
            assert_eq!(census.counted_by, Some(std::process::id()));
            let numbers: Vec<u64> = census.children.iter().map(|child| child.number).collect();
            assert_eq!(numbers, [own.0]);
        }
        drop(of_parent);
        assert_eq!(census().children.len(), 1);
        drop(own);
        assert!(census().children.is_empty());
    }
}
