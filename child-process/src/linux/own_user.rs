//! A user of its own for each confined program of a caller that is root.
//!
//! As root, a program would have rights that neither Landlock nor a filter takes away, and limits of a user's processes
//! would not hold. Two programs of one user share counters of the kernel, such as that of pipes.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;

use rustix::io::Errno;
use rustix::process::{geteuid, getpid};

/// The first of these user ids. Systems assign smaller ones: those of systemd's containers end directly below it.
const FIRST: u32 = 0x7000_0000;

/// Returns whether confined programs change to a user of their own.
pub(super) fn changes() -> bool {
    geteuid().is_root()
}

/// Returns whether this process runs as one of these users.
pub(super) fn is_one() -> bool {
    geteuid().as_raw() >= FIRST
}

/// Sets the user of a command to that of this guard, if the guard is root.
pub(super) fn own_user(command: &mut Command) {
    if changes() {
        // The guard keeps its process id as long as the program runs, so no other program has the same user.
        let user = FIRST + getpid().as_raw_nonzero().get().unsigned_abs();
        command.uid(user).gid(user);
    }
}

/// Checks that this process can start programs as such users, if it is root. Root of a container may be unable to.
pub(super) fn check() -> Result<(), String> {
    if !changes() {
        return Ok(());
    }
    let mut command = Command::new(NO_PROGRAM);
    own_user(&mut command);
    match command.status() {
        Ok(_) => Ok(()),
        Err(error) => judge(&error),
    }
}

/// A program that does not exist. The user is changed before the system looks for it.
const NO_PROGRAM: &str = "/proc/self/no-program";

fn judge(error: &io::Error) -> Result<(), String> {
    if Errno::from_io_error(error) == Some(Errno::NOENT) {
        return Ok(());
    }
    Err(format!(
        "you are root, so confined programs run as users of their own, and this system does not allow the change \
         to user {FIRST} or above ({error}): start this program as another user, or in a container to which all \
         users are mapped"
    ))
}

/// Checks that these users may read and enter a folder, and enter all folders above it.
pub(crate) fn check_path(folder: &Path) -> Result<(), String> {
    if !changes() {
        return Ok(());
    }
    // A folder that is not there is reported elsewhere.
    let Ok(folder) = folder.canonicalize() else { return Ok(()) };
    let is_closed = |path: &&Path| {
        let needed = if *path == folder { 0o005 } else { 0o001 };
        path.metadata().is_ok_and(|about| about.permissions().mode() & needed != needed)
    };
    match folder.ancestors().find(is_closed) {
        None => Ok(()),
        Some(closed) => Err(format!(
            "you are root, so programs run as users of their own, and these cannot enter {}: \
             start this program as another user, or allow it with `chmod o+rx`",
            game_env::text::escape_hidden(&closed.display().to_string())
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_change_of_the_user_is_told_from_a_missing_program() {
        assert_eq!(judge(&Errno::NOENT.into()), Ok(()));
        // A number that the container does not map, and a process without the right.
        for refused in [Errno::INVAL, Errno::PERM] {
            let reason = judge(&refused.into()).unwrap_err();
            assert!(reason.contains("you are root") && reason.contains("start this program as"), "{reason}");
        }
    }
}
