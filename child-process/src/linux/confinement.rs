//! Confines this process with Landlock, which the kernel enforces for it and all that it starts.

use std::path::Path;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, NetPort, PathBeneath,
    PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus,
    Scope,
};

use crate::command::Confinement;

/// The first version of Landlock that knows TCP ports: Linux 6.7.
const NEEDED: ABI = ABI::V4;

/// Where programs and their libraries are, and what nearly every program reads. Those that are not there are left out.
const SYSTEM: [&str; 17] = [
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
    "/dev/null",
    "/dev/zero",
    "/dev/random",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/meminfo",
];

/// What a program may read of its own.
const OWN: [&str; 3] = [".", "/proc/self", "/sys/devices/system/cpu"];

/// Whether the kernel can do it, and what it lacks otherwise.
pub(crate) fn check() -> Result<(), String> {
    ruleset().map(|_| ()).map_err(|error| missing(&error))
}

/// Confines this process, whose folder is the program's.
pub(super) fn confine(confinement: &Confinement) -> Result<(), String> {
    let faulty =
        |what: &str, error: &dyn std::fmt::Display| format!("it cannot be confined: {what}: {error}");
    let mut rules = ruleset().map_err(|error| missing(&error))?;
    let read = AccessFs::from_read(NEEDED);
    for path in SYSTEM.iter().chain(&OWN).map(Path::new) {
        // What this system does not have need not be allowed.
        if let Ok(opened) = PathFd::new(path) {
            rules = allow(rules, path, opened, read)
                .map_err(|error| faulty(&path.display().to_string(), &error))?;
        }
    }
    // Many programs write to it what they do not want.
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
    for port in &confinement.ports {
        let added = rules.add_rule(NetPort::new(*port, AccessNet::ConnectTcp));
        rules = added.map_err(|error| faulty(&format!("port {port}"), &error))?;
    }
    let status = rules.restrict_self().map_err(|error| missing(&error))?;
    match status.ruleset {
        RulesetStatus::NotEnforced => Err("it cannot be confined: the kernel does not enforce it".to_owned()),
        // Newer kernels confine more than is needed: signals, and sockets without a file.
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
    }
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

/// All that is forbidden unless a rule allows it.
fn ruleset() -> Result<RulesetCreated, RulesetError> {
    let needed = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let needed = needed.handle_access(AccessFs::from_all(NEEDED))?;
    let needed = needed.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
    // From Linux 6.12 on also signals to others, such as the guard.
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
