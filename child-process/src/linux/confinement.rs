//! Confines this process with Landlock and filters of system calls, which the kernel enforces for this process and its
//! children.

use std::fs;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort, PathBeneath,
    PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus,
    Scope,
};

use super::filter::{self, Filters, Subject};
use super::own_user;
use crate::command::{Confinement, Isolation};

/// The first version of Landlock that knows TCP ports: Linux 6.7.
const NEEDED: ABI = ABI::V4;

/// Folders of programs and their libraries, and files that nearly every program reads. Missing ones are left out.
const FILES: [&str; 14] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/alternatives",
    "/etc/mono",
    "/etc/ssl/openssl.cnf",
];

/// Folders of this name in `/etc` hold the settings of a Java runtime, which does not start without them.
const JAVA: &str = "java";

/// Devices, and the system's files about itself.
const SYSTEM: [&str; 7] = [
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system/cpu",
];

/// The files of `/proc/self` that a program may read. Not the whole folder: `net` has all connections of the machine.
const OF_PROGRAM: [&str; 14] = [
    "/proc/self/auxv",
    "/proc/self/cgroup",
    "/proc/self/cmdline",
    "/proc/self/comm",
    "/proc/self/coredump_filter",
    "/proc/self/environ",
    "/proc/self/fd",
    "/proc/self/limits",
    "/proc/self/maps",
    "/proc/self/mountinfo",
    "/proc/self/smaps",
    "/proc/self/stat",
    "/proc/self/statm",
    "/proc/self/status",
];

/// All of `/proc`, which in namespaces shows only the program's own processes and network.
const OF_NAMESPACES: [&str; 1] = ["/proc"];

/// Checks that the kernel and the rights of this process allow confinement; the error says what is missing.
pub(crate) fn check() -> Result<(), String> {
    ruleset().map_err(|error| missing(&error))?;
    filter::check()?;
    own_user::check()
}

/// Returns the files of the system that programs may read.
pub(super) fn system_files() -> Vec<PathBuf> {
    let etc = fs::read_dir("/etc").into_iter().flatten().flatten();
    let java = etc.filter(|entry| entry.file_name().to_string_lossy().starts_with(JAVA));
    FILES.iter().map(PathBuf::from).chain(java.map(|entry| entry.path())).collect()
}

/// Confines this process, whose folder is the program's.
pub(super) fn confine(confinement: &Confinement) -> Result<(), String> {
    let faulty =
        |what: &str, error: &dyn std::fmt::Display| format!("it cannot be confined: {what}: {error}");
    let mut rules = ruleset().map_err(|error| missing(&error))?;
    let read = AccessFs::from_read(NEEDED);
    let own = match confinement.isolation {
        Isolation::Namespaces => &OF_NAMESPACES[..],
        Isolation::Filters => &OF_PROGRAM[..],
    };
    let others = ["."].iter().chain(&SYSTEM).chain(own).map(PathBuf::from);
    for path in system_files().into_iter().chain(others) {
        // A path that this system does not have need not be allowed.
        if let Ok(opened) = PathFd::new(&path) {
            rules = allow(rules, &path, opened, read)
                .map_err(|error| faulty(&path.display().to_string(), &error))?;
        }
    }
    // Many programs discard output there.
    let null = Path::new("/dev/null");
    if let Ok(opened) = PathFd::new(null) {
        rules = allow(rules, null, opened, read | AccessFs::WriteFile)
            .map_err(|error| faulty("/dev/null", &error))?;
    }
    for path in &confinement.may_read {
        let shown = path.display().to_string();
        let opened = PathFd::new(path).map_err(|error| faulty(&shown, &error))?;
        rules = allow(rules, path, opened, read).map_err(|error| faulty(&shown, &error))?;
    }
    if let Some(port) = confinement.port {
        let added = rules.add_rule(NetPort::new(port, AccessNet::ConnectTcp));
        rules = added.map_err(|error| faulty(&format!("port {port}"), &error))?;
    }
    let status = rules.restrict_self().map_err(|error| missing(&error))?;
    match status.ruleset {
        RulesetStatus::NotEnforced => {
            return Err("it cannot be confined: the kernel does not enforce it".to_owned());
        }
        // Newer kernels confine more than is needed: signals, and sockets without a file.
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => {}
    }
    Filters::new(Subject::Program(confinement.isolation))?.apply()
}

/// Files have fewer rights than folders.
fn allow(
    rules: RulesetCreated,
    path: &Path,
    opened: PathFd,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(NEEDED) };
    rules.add_rule(PathBeneath::new(opened, access))
}

/// Returns a ruleset that forbids everything unless a rule allows it.
fn ruleset() -> Result<RulesetCreated, RulesetError> {
    let needed = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let needed = needed.handle_access(AccessFs::from_all(NEEDED))?;
    let needed = needed.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
    // From Linux 6.12 on, this also forbids signals to other processes, such as the guard.
    needed
        .set_compatibility(CompatLevel::BestEffort)
        .scope(Scope::Signal | Scope::AbstractUnixSocket)?
        .create()
}

fn missing(error: &RulesetError) -> String {
    format!(
        "this kernel cannot confine programs: Linux 6.7 or newer with Landlock enabled is needed ({error})"
    )
}
