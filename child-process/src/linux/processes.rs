//! The processes of this machine, and their parents.

use std::collections::BTreeMap;
use std::fs;

use rustix::process::Pid;

/// The system's data of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Process {
    parent: i32,
    /// It has ended, and only its exit status is left.
    is_zombie: bool,
    resident_pages: u64,
}

/// All processes at a moment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Processes(BTreeMap<i32, Process>);

/// The processes that a process has started, and those that they have started, as far as they are in the table of
/// processes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Family {
    /// The ids of those that run.
    pub(super) members: Vec<Pid>,
    /// The number of those that have ended: nobody has asked for their exit status.
    pub(super) zombies: usize,
    /// The memory that they hold together, in bytes.
    pub(super) resident_bytes: u64,
}

impl Processes {
    /// Asks the system.
    pub(super) fn now() -> Self {
        let Ok(entries) = fs::read_dir("/proc") else { return Self::default() };
        let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        // A process that has ended since is left out.
        let process = |id: i32| read(&fs::read(format!("/proc/{id}/stat")).ok()?);
        Self(ids.filter_map(|id| Some((id, process(id)?))).collect())
    }

    /// Returns all below these processes, one family for each of them.
    pub(super) fn below(&self, heads: &[i32]) -> Vec<Family> {
        let mut families = vec![Family::default(); heads.len()];
        let page = rustix::param::page_size() as u64;
        for (id, process) in &self.0 {
            let place = self.ancestors(*id).find_map(|above| heads.iter().position(|head| *head == above));
            match (place, Pid::from_raw(*id)) {
                (Some(place), Some(_)) if process.is_zombie => families[place].zombies += 1,
                (Some(place), Some(pid)) => {
                    families[place].members.push(pid);
                    families[place].resident_bytes += process.resident_pages * page;
                }
                _ => {}
            }
        }
        families
    }

    /// Returns the process that has started this one, or has adopted it.
    pub(super) fn parent(&self, process: Pid) -> Option<Pid> {
        self.0.get(&process.as_raw_nonzero().get()).and_then(|found| Pid::from_raw(found.parent))
    }

    /// Returns the parents of a process, from its own on. Ids are used again, so that a table taken at no single moment
    /// may have circles.
    fn ancestors(&self, id: i32) -> impl Iterator<Item = i32> {
        const DEEPEST: usize = 10_000;
        let parent = |id: &i32| self.0.get(id).map(|process| process.parent);
        std::iter::successors(parent(&id), move |id| parent(id)).take(DEEPEST)
    }
}

/// Returns a line of `/proc/ID/stat`. The second field is the name, in parentheses. A process chooses its name, which
/// may hold parentheses, spaces, and bytes that are no text.
fn read(line: &[u8]) -> Option<Process> {
    let name_ends = line.iter().rposition(|byte| *byte == b')')?;
    let mut fields = str::from_utf8(&line[name_ends + 1..]).ok()?.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // The 24th field of the line.
    let resident_pages = fields.nth(19)?.parse().ok()?;
    Some(Process { parent, is_zombie: matches!(state, "Z" | "X"), resident_pages })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_stat_is_read_whatever_the_name() {
        let rest = "S 7 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 99 1000000 321 18446744073709551615 1";
        let expected = Process { parent: 7, is_zombie: false, resident_pages: 321 };
        let line = |name: &[u8], rest: &str| [b"42 (", name, b") ", rest.as_bytes()].concat();
        for name in [&b"name"[..], b"a) Z 1 (b c", b"\xff\xfe"] {
            assert_eq!(read(&line(name, rest)), Some(expected), "{}", name.escape_ascii());
        }
        let ended = read(&line(b"name", &rest.replacen('S', "Z", 1)));
        assert_eq!(ended.map(|own| own.is_zombie), Some(true));
        for line in ["", "42 (name", "42 (name) S", "42 (name) S 7 1"] {
            assert_eq!(read(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn families_hold_all_generations() {
        let process = |parent, is_zombie, resident_pages| Process { parent, is_zombie, resident_pages };
        let table = Processes(
            [
                (2, process(1, false, 1)),
                (3, process(2, false, 10)),
                (4, process(3, false, 100)),
                (5, process(3, true, 7)),
                (6, process(1, false, 50)),
                (8, process(9, false, 1)),
                (9, process(8, false, 1)),
            ]
            .into_iter()
            .collect(),
        );
        let families = table.below(&[2, 6, 77]);
        let ids =
            |family: &Family| family.members.iter().map(|pid| pid.as_raw_nonzero().get()).collect::<Vec<_>>();
        assert_eq!(families.iter().map(ids).collect::<Vec<_>>(), [vec![3, 4], vec![], vec![]]);
        assert_eq!(families.iter().map(|family| family.zombies).collect::<Vec<_>>(), [1, 0, 0]);
        assert_eq!(families[0].resident_bytes, 110 * rustix::param::page_size() as u64);
    }

    #[test]
    fn this_process_is_below_its_parent() {
        let parent = rustix::process::getppid().unwrap().as_raw_nonzero().get();
        let family = Processes::now().below(&[parent]).remove(0);
        assert!(family.members.contains(&rustix::process::getpid()));
        assert!(family.resident_bytes > 0);
    }
}
