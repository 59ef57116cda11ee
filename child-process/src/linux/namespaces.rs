//! Namespaces for a confined program, made by bubblewrap: a program that distributions review and install.
//!
//! Inside them exist the system's programs and libraries, the program's folder, the paths that it may read, and no
//! other file, process or network. All is read-only. The launcher is started there, and confines itself further.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Seek as _, Write as _};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use rustix::fs::{MemfdFlags, memfd_create};

use super::confinement::{self, system_files};
use super::filter::{Filters, Subject};
use super::own_user::own_user;
use super::{PROBE, PROBED};
use crate::child::Guard;
use crate::command::{Confinement, Isolation};

/// The path of bubblewrap. A folder of the caller's `PATH` could hold another program of this name.
const PLACES: [&str; 4] =
    ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

/// The launcher's program in the namespaces, where its file is not: the standard output of bubblewrap, which writes
/// nothing there.
const LAUNCHER: &str = "/proc/self/fd/1";

/// The processes of bubblewrap beside the program: one outside, and the first one inside.
pub(super) const PROCESSES: usize = 2;

/// Arguments of bubblewrap in every case: all namespaces, no others inside, no rights, and an end with the guard.
const FLAGS: [&str; 19] = [
    "--unshare-all",
    "--unshare-user",
    "--disable-userns",
    "--die-with-parent",
    "--cap-drop",
    "ALL",
    "--uid",
    "1000",
    "--gid",
    "1000",
    "--hostname",
    "player",
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--remount-ro",
    "/dev",
    "--chdir",
];

/// A start of this program in namespaces.
pub(super) struct Start {
    pub(super) command: Command,
    /// The filters for the first process, which bubblewrap reads; open until it has started.
    pub(super) filters: Vec<OwnedFd>,
}

/// Prepares the start of this program in new namespaces, in this folder. The caller adds arguments and standard input.
pub(super) fn start(folder: &Path, may_read: &[PathBuf]) -> io::Result<Start> {
    let mut command = Command::new(find().map_err(io::Error::other)?);
    command.args(FLAGS).arg(folder);
    let system = system_files();
    for path in &system {
        match fs::read_link(path) {
            // As it is outside: `/bin` may be a link to `usr/bin`.
            Ok(target) => command.arg("--symlink").arg(target).arg(path),
            Err(_) => command.arg("--ro-bind-try").args([path, path]),
        };
    }
    let mut others: Vec<PathBuf> =
        may_read.iter().filter_map(|path| std::path::absolute(path).ok()).collect();
    // Paths in a folder of the system are there already.
    others.retain(|path| !system.iter().any(|known| path.starts_with(known)));
    // A folder hides everything that was put below it before.
    others.sort_by_key(|path| path.components().count());
    for path in &others {
        command.arg("--ro-bind-try").args([path, path]);
    }
    command.arg("--ro-bind").args([folder, folder]);
    let mut filters = Vec::new();
    for filter in Filters::new(Subject::FirstProcess).map_err(io::Error::other)?.bytes() {
        // Inherited by bubblewrap, which closes it.
        let file = memfd_create("filter", MemfdFlags::empty())?;
        let mut file = fs::File::from(file);
        file.write_all(&filter)?;
        file.rewind()?;
        let file = OwnedFd::from(file);
        command.arg("--add-seccomp-fd").arg(file.as_raw_fd().to_string());
        filters.push(file);
    }
    command.args(["--remount-ro", "/", "--", LAUNCHER]).stdout(fs::File::open("/proc/self/exe")?);
    own_user(&mut command);
    Ok(Start { command, filters })
}

/// Returns why this system does not let programs have namespaces, if so: asks the guard to try.
pub(crate) fn check(guard: &Guard) -> Result<(), String> {
    find()?;
    let mut command = Command::new(guard.program());
    let output = command.args(guard.leading()).arg(PROBE).env_clear().stdin(Stdio::null()).output();
    let output = output.map_err(|error| format!("{}: {error}", guard.program().display()))?;
    if output.status.success() {
        return Ok(());
    }
    let told = String::from_utf8_lossy(&output.stderr);
    let told = told.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
    Err(format!(
        "this system refuses namespaces: {}; the book's page on confinement says what to allow",
        if told.is_empty() { output.status.to_string() } else { told }
    ))
}

/// Tries namespaces as a program gets them; errors go to standard error.
pub(super) fn probe() -> ExitCode {
    let tried = start(Path::new("/usr"), &[]).and_then(|mut start| start.command.arg(PROBED).status());
    match tried {
        Ok(status) if status.success() => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The other end of a probe: this process is in the namespaces, and confines itself as a program would be.
pub(super) fn probed() -> ExitCode {
    let confinement = Confinement { isolation: Isolation::Namespaces, port: None, may_read: Vec::new() };
    match confinement::confine(&confinement) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn find() -> Result<&'static OsStr, String> {
    let found = PLACES.into_iter().find(|place| Path::new(place).is_file());
    found.map(OsStr::new).ok_or_else(|| {
        "bubblewrap is not installed: expected /usr/bin/bwrap, e.g. by `apt-get install bubblewrap`"
            .to_owned()
    })
}
