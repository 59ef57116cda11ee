//! The launcher: limits itself, confines itself, and becomes the program.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

use rlimit::{Resource, setrlimit};
use rustix::process::{Signal, set_parent_process_death_signal, setsid};

use super::arguments::Settings;
use super::confinement;

pub(super) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let Some(settings) = Settings::read(arguments) else {
        eprintln!("error: a launcher is started with other arguments");
        return ExitCode::from(2);
    };
    // Opened now: a confined process cannot. It is closed when this process becomes the program.
    let complaint = File::create_new(settings.complaint());
    let reason = launch(&settings);
    // The guard looks for this text. Without it, the guard takes the exit code for that of the program.
    let _ = complaint.and_then(|mut file| file.write_all(reason.as_bytes()));
    ExitCode::from(127)
}

/// Becomes the program, or says why not.
fn launch(settings: &Settings) -> String {
    // A session of its own: no terminal, and no signals that are meant for others.
    if let Err(error) = setsid() {
        return format!("it cannot have a session of its own: {error}");
    }
    // The guard is not killed by anybody who means well; if it is, at least this process ends too.
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return format!("it cannot be tied to its guard: {error}");
    }
    let mut program = Command::new(&settings.program);
    program.args(&settings.arguments);
    if let Some(confinement) = &settings.confinement
        && let Err(reason) = confinement::confine(confinement)
    {
        return reason;
    }
    let limits = settings.limits;
    let resources = [
        (Resource::CORE, 0),
        (Resource::NOFILE, limits.open_files),
        (Resource::FSIZE, limits.file_bytes),
        (Resource::DATA, limits.memory_bytes),
    ];
    for (resource, limit) in resources {
        // Where the caller's own limit is lower, that one stays.
        let most = resource.get_hard().map_or(limit, |hard| limit.min(hard));
        if let Err(error) = setrlimit(resource, most, most) {
            return format!("{resource:?} cannot be set to {most}: {error}");
        }
    }
    let error = program.exec();
    format!("`{}`: {error}", settings.program.to_string_lossy())
}
