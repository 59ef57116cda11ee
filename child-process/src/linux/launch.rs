//! The launcher: limits itself, confines itself, and becomes the program.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use rlimit::{Resource, setrlimit};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Signal, set_parent_process_death_signal, setsid};
use rustix::stdio::{dup2_stdin, dup2_stdout};

use super::arguments::Settings;
use super::{confinement, handover, own_user};
use crate::command::Isolation;

/// The threads that a program may have beside its processes, where the kernel counts both: runtimes start several for
/// each processor.
const THREADS: u64 = 256;

pub(super) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(settings) = Settings::read(arguments) else {
        eprintln!("error: a launcher is started with other arguments");
        return ExitCode::from(2);
    };
    let Given { mut guard, caller } = match take_streams() {
        Ok(given) => given,
        Err(error) => {
            eprintln!("error: a launcher has no streams: {error}");
            return ExitCode::from(2);
        }
    };
    let reason = launch(&settings, caller);
    // The guard looks for this text. Without it, the guard takes the exit code for that of the program.
    let _ = guard.write_all(reason.as_bytes());
    ExitCode::from(127)
}

/// The descriptors of a launcher beside its standard streams. All are closed when the launcher becomes the program.
struct Given {
    guard: UnixStream,
    caller: OwnedFd,
}

/// Takes the streams of the program out of standard input, puts them into their places, and tells the guard so.
fn take_streams() -> io::Result<Given> {
    let mut guard = UnixStream::from(fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?);
    let (_, files) = handover::take(&guard)?;
    let [input, output, caller] = <[OwnedFd; 3]>::try_from(files)
        .map_err(|files| io::Error::other(format!("{} of 3 files came", files.len())))?;
    dup2_stdin(input)?;
    dup2_stdout(output)?;
    guard.write_all(b"+")?;
    Ok(Given { guard, caller })
}

/// Listens at the port of the program's own network, and gives the listener to the caller.
fn listen_for(caller: OwnedFd, port: u16) -> io::Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    handover::give(caller, &[listener.as_fd()])
}

/// Becomes the program, or returns the reason why not.
fn launch(settings: &Settings, caller: OwnedFd) -> String {
    // A session of its own: no terminal, and no signals that are meant for others.
    if let Err(error) = setsid() {
        return format!("it cannot have a session of its own: {error}");
    }
    // If the guard is killed, this process ends too.
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return format!("it cannot be tied to its guard: {error}");
    }
    let mut program = Command::new(&settings.program);
    program.args(&settings.arguments);
    let limits = settings.limits;
    let mut resources = vec![
        (Resource::CORE, 0),
        (Resource::NOFILE, limits.open_files),
        (Resource::FSIZE, limits.file_bytes),
        (Resource::DATA, limits.memory_bytes),
    ];
    if let Some(confinement) = &settings.confinement {
        let is_in_namespaces = confinement.isolation == Isolation::Namespaces;
        if let (true, Some(port)) = (is_in_namespaces, confinement.port)
            && let Err(error) = listen_for(caller, port)
        {
            return format!("port {port} cannot be opened in its namespaces: {error}");
        }
        // The limit counts the processes of one user in one namespace: elsewhere, programs of others too.
        if is_in_namespaces || own_user::is_one() {
            resources.push((Resource::NPROC, limits.processes as u64 + THREADS));
        }
        if let Err(reason) = confinement::confine(confinement) {
            return reason;
        }
    }
    for (resource, limit) in resources {
        // If the caller's own limit is lower, that one stays.
        let most = resource.get_hard().map_or(limit, |hard| limit.min(hard));
        if let Err(error) = setrlimit(resource, most, most) {
            return format!("{resource:?} cannot be set to {most}: {error}");
        }
    }
    let error = program.exec();
    format!("`{}`: {error}", settings.program.to_string_lossy())
}
