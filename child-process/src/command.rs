//! Commands: a program to run, and its limits.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A program to run as a child.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Command {
    /// The program: a path, or a name that is looked up in the folders of `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// The folder in which it runs.
    pub folder: PathBuf,
    /// All variables of its environment. Nothing of the caller's environment is passed on.
    pub environment: Vec<(OsString, OsString)>,
    /// The resources that it may use.
    pub limits: Limits,
    /// The files and the port that it may reach; none for all that its user may.
    pub confinement: Option<Confinement>,
    /// Its standard input: nothing with [`Stream::Kept`].
    pub input: Stream,
    /// Its standard output.
    pub output: Stream,
    /// Number of the last bytes of its standard error that are kept.
    pub kept_bytes: usize,
    /// Whether each line of its standard error also goes to the caller's standard error when it comes, as text that a
    /// terminal shows as it is.
    pub shows_errors: bool,
    /// Time for it to end after it was asked to (SIGTERM), before it is killed.
    pub grace: Duration,
}

impl Command {
    /// Creates the command of an agent, which is asked over its standard input and output: these words, run in this
    /// folder, with the usual environment, the default limits and no confinement.
    ///
    /// Python is told to write each text at once (`PYTHONUNBUFFERED`) and to use UTF-8 (`PYTHONUTF8`). The last 16 KiB
    /// of standard error are kept. The program has 200 ms to end when it is asked to.
    ///
    /// If there are no words, the program has an empty name, and cannot be started.
    pub fn for_agent(words: &[String], folder: PathBuf) -> Self {
        let (program, arguments) =
            words.split_first().map_or((OsString::new(), &[][..]), |(first, rest)| (first.into(), rest));
        let mut environment = usual_environment();
        environment.extend([("PYTHONUNBUFFERED".into(), "1".into()), ("PYTHONUTF8".into(), "1".into())]);
        Self {
            program,
            arguments: arguments.iter().map(Into::into).collect(),
            folder,
            environment,
            limits: Limits::default(),
            confinement: None,
            input: Stream::Piped,
            output: Stream::Piped,
            kept_bytes: 16 * 1024,
            shows_errors: false,
            grace: Duration::from_millis(200),
        }
    }
}

/// Returns the variables of the caller's environment that programs of others need: where programs and temporary files
/// are, the home folder, language and time zone.
pub fn usual_environment() -> Vec<(OsString, OsString)> {
    const NAMES: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ"];
    NAMES.into_iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?))).collect()
}

/// Connection of a standard stream of a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stream {
    /// Its last bytes are kept.
    #[default]
    Kept,
    /// The caller reads or writes it.
    Piped,
}

/// Limits on the resources of a child, with all processes that it starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The most memory, in bytes. An allocation of private memory beyond it fails in the process that asks for it
    /// (`RLIMIT_DATA`); a child whose processes hold more than this together is killed.
    pub memory_bytes: u64,
    /// The most processes at a time; a child with more is killed.
    pub processes: usize,
    /// The most open files of a process (`RLIMIT_NOFILE`).
    pub open_files: u64,
    /// The longest file that it may write, in bytes (`RLIMIT_FSIZE`).
    pub file_bytes: u64,
}

impl Limits {
    /// The least memory with which a child can be started.
    pub const LEAST_MEMORY_BYTES: u64 = 32 * 1024 * 1024;
}

/// 1 GiB of memory, 32 processes, 256 open files, files of 64 MiB.
impl Default for Limits {
    fn default() -> Self {
        Self {
            memory_bytes: 1024 * 1024 * 1024,
            processes: 32,
            open_files: 256,
            file_bytes: 64 * 1024 * 1024,
        }
    }
}

/// The files and the port that a confined child may reach: programs and libraries of the system, its own folder and
/// these files to read, and one port. It may write nothing, and cannot undo this.
///
/// If the caller is root, the child runs as a user of its own, which no other process has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Confinement {
    /// The means that confine it.
    pub isolation: Isolation,
    /// The TCP port to which it may connect, if any. The address is not looked at. In namespaces this is a port of the
    /// child's own network, at which the caller gets to listen: [`Child::take_listener`](crate::Child::take_listener).
    pub port: Option<u16>,
    /// Files and folders that it may read beside its own folder and those of the system.
    pub may_read: Vec<PathBuf>,
}

/// The means of the kernel that confine a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Isolation {
    /// Namespaces of its own, made by bubblewrap, and inside them the same as [`Isolation::Filters`]: no other process,
    /// no network, and no other file exists for the child. The kernel limits its processes and threads.
    Namespaces,
    /// Landlock for files and ports, seccomp for other system calls.
    Filters,
}
