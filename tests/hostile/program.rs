//! The real programs as child processes: started under limits, watched through `/proc`, ended by a deadline.
//!
//! It knows nothing of attacks. Memory is measured as the kernel counts it; the limit on address space is the
//! shell's (`ulimit -v`), so that a program that takes more than allowed fails by itself.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

use crate::programs;

/// Time between two readings of a program's memory.
const SAMPLE: Duration = Duration::from_millis(10);

/// Largest output that is kept of one stream; later bytes are read and dropped.
const MOST_OUTPUT: usize = 32 << 20;

/// The folder of the programs.
#[derive(Clone, Debug)]
pub struct Programs {
    folder: PathBuf,
}

impl Programs {
    /// The programs in the folder that the variable `PROGRAMS` names, else built now as for the tests.
    ///
    /// # Errors
    ///
    /// If they cannot be built.
    pub fn find() -> Result<Self> {
        Ok(Self { folder: programs()? })
    }

    /// Returns the path of one of them.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A command that starts one of them.
    pub fn start(&self, name: &str) -> Start {
        Start {
            path: self.path(name),
            words: Vec::new(),
            address_space_mib: 4096,
            file_kib: None,
            reads_stderr: true,
        }
    }
}

/// A program that is to be started.
#[derive(Clone, Debug)]
pub struct Start {
    path: PathBuf,
    words: Vec<String>,
    address_space_mib: u64,
    file_kib: Option<u64>,
    reads_stderr: bool,
}

impl Start {
    /// Adds arguments.
    #[must_use]
    pub fn args<S: AsRef<OsStr>>(mut self, words: impl IntoIterator<Item = S>) -> Self {
        self.words.extend(words.into_iter().map(|word| word.as_ref().to_string_lossy().into_owned()));
        self
    }

    /// Limits the address space, in MiB.
    #[must_use]
    pub fn address_space(self, mib: u64) -> Self {
        Self { address_space_mib: mib, ..self }
    }

    /// Limits the size of each file that it writes, in KiB: like a full disk, a write fails.
    #[must_use]
    pub fn file_size(self, kib: u64) -> Self {
        Self { file_kib: Some(kib), ..self }
    }

    /// Reads nothing of its standard error: like a paused terminal.
    #[must_use]
    pub fn stderr_unread(self) -> Self {
        Self { reads_stderr: false, ..self }
    }

    /// Starts it.
    ///
    /// # Errors
    ///
    /// If the system cannot.
    pub fn spawn(self) -> Result<Program> {
        // `exec` keeps the process id: it is the program that is watched, not the shell.
        let script = format!(
            "ulimit -c 0; ulimit -v {}; {} exec \"$0\" \"$@\"",
            self.address_space_mib * 1024,
            self.file_kib.map(|kib| format!("trap '' XFSZ; ulimit -f {};", kib * 2)).unwrap_or_default(),
        );
        let shown = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut child = Command::new("sh")
            .arg("-c")
            .arg(script)
            .arg(&self.path)
            .args(&self.words)
            .env_remove("RUST_LOG")
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {shown}"))?;
        let shared = Arc::new(Shared::default());
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        read(Arc::clone(&shared), stdout.context("no standard output")?, |state| &mut state.stdout);
        let mut unread = None;
        let stderr = stderr.context("no standard error")?;
        if self.reads_stderr {
            read(Arc::clone(&shared), stderr, |state| &mut state.stderr);
        } else {
            unread = Some(stderr);
        }
        let pid = Pid::from_child(&child);
        watch(Arc::clone(&shared), child);
        Ok(Program { name: shown, pid, shared, began: Instant::now(), _unread: unread })
    }

    /// Runs it to its end.
    ///
    /// # Errors
    ///
    /// If the system cannot start it, or it does not end within `limit`.
    pub fn run(self, limit: Duration) -> Result<Ended> {
        let program = self.spawn()?;
        let status = program.wait_for_end(limit)?;
        let took = program.began.elapsed();
        // The readers see the end of both streams when the program is gone.
        program.wait_until(limit, "the end of its output", |state| state.open == 0)?;
        let state = program.shared.lock();
        Ok(Ended {
            code: status.code(),
            took,
            peak_mib: state.peak_kib / 1024,
            stdout: state.stdout.clone(),
            stderr: state.stderr.clone(),
        })
    }
}

/// Results of a program that was run to its end.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// The time for which it ran.
    pub took: Duration,
    /// Largest resident memory that was seen, in MiB.
    pub peak_mib: u64,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

impl Ended {
    /// Standard error as text.
    pub fn complaint(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

/// Resources that a program takes of the system at present.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Resident memory, in KiB.
    pub resident_kib: u64,
    /// Open file descriptors.
    pub descriptors: usize,
}

/// A program that runs; killed when dropped.
#[derive(Debug)]
pub struct Program {
    name: String,
    pid: Pid,
    shared: Arc<Shared>,
    began: Instant,
    /// Held open and not read.
    _unread: Option<std::process::ChildStderr>,
}

impl Program {
    /// Waits for a line of its output that begins so; the line.
    ///
    /// # Errors
    ///
    /// If none comes within `limit`.
    pub fn wait_for_line(&self, beginning: &str, limit: Duration) -> Result<String> {
        let mut found = None;
        self.wait_until(limit, &format!("a line `{beginning}`"), |state| {
            found = [&state.stdout, &state.stderr].into_iter().find_map(|output| {
                let whole = &output[..output.iter().rposition(|byte| *byte == b'\n')?];
                let mut lines = whole.split(|byte| *byte == b'\n');
                let line = lines.find(|line| line.starts_with(beginning.as_bytes()))?;
                Some(String::from_utf8_lossy(line).into_owned())
            });
            found.is_some()
        })?;
        found.context("the line was there")
    }

    /// Waits for its end.
    ///
    /// # Errors
    ///
    /// If it does not end within `limit`.
    pub fn wait_for_end(&self, limit: Duration) -> Result<ExitStatus> {
        self.wait_until(limit, "its end", |state| state.status.is_some())?;
        self.shared.lock().status.context("it has ended")
    }

    /// Asks it to end (SIGTERM), and waits; its exit code and how long it took.
    ///
    /// # Errors
    ///
    /// If it does not end within `limit`.
    pub fn terminate(&self, limit: Duration) -> Result<(Option<i32>, Duration)> {
        let asked = Instant::now();
        self.signal(Signal::TERM);
        let status = self.wait_for_end(limit).context("after SIGTERM")?;
        Ok((status.code(), asked.elapsed()))
    }

    /// Ends it at once (SIGKILL).
    pub fn kill(&self) {
        self.signal(Signal::KILL);
    }

    /// Returns whether it still runs.
    pub fn runs(&self) -> bool {
        self.shared.lock().status.is_none()
    }

    /// Returns the resources that it takes of the system at present.
    ///
    /// # Errors
    ///
    /// If it does not run.
    pub fn usage(&self) -> Result<Usage> {
        ensure!(self.runs(), "{} does not run any more", self.name);
        let folder = PathBuf::from(format!("/proc/{}", self.pid.as_raw_nonzero()));
        let descriptors = fs::read_dir(folder.join("fd"))?.count();
        Ok(Usage { resident_kib: memory(&folder, "VmRSS:").context("no memory is told")?, descriptors })
    }

    /// Largest resident memory so far, in MiB.
    pub fn peak_mib(&self) -> u64 {
        self.shared.lock().peak_kib / 1024
    }

    /// Everything it wrote so far on standard output and standard error.
    pub fn output(&self) -> (Vec<u8>, Vec<u8>) {
        let state = self.shared.lock();
        (state.stdout.clone(), state.stderr.clone())
    }

    fn signal(&self, signal: Signal) {
        if self.runs() {
            // It may have ended meanwhile.
            let _ = kill_process(self.pid, signal);
        }
    }

    fn wait_until(&self, limit: Duration, what: &str, mut is: impl FnMut(&State) -> bool) -> Result<()> {
        let deadline = Instant::now() + limit;
        let mut state = self.shared.lock();
        while !is(&state) {
            let left = deadline.saturating_duration_since(Instant::now());
            // A program that has ended says no more once its output was read.
            if left.is_zero() || (state.status.is_some() && state.open == 0) {
                let end = state.status.map(|status| format!(" ({status})")).unwrap_or_default();
                let last = tail(&state.stderr);
                bail!("{}: waited {limit:?} for {what}{end}; it said last: {last}", self.name);
            }
            state = self.shared.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The last part of an output.
fn tail(output: &[u8]) -> String {
    let start = output.len().saturating_sub(400);
    String::from_utf8_lossy(&output[start..]).trim().to_owned()
}

/// State that is shared by the threads that watch a program.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// Streams that are still read.
    open: usize,
    peak_kib: u64,
    status: Option<ExitStatus>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Collects a stream on a thread of its own.
fn read(shared: Arc<Shared>, mut stream: impl Read + Send + 'static, of: fn(&mut State) -> &mut Vec<u8>) {
    shared.lock().open += 1;
    thread::spawn(move || {
        let mut buffer = vec![0; 1 << 16];
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            let mut state = shared.lock();
            let kept = of(&mut state);
            let room = MOST_OUTPUT.saturating_sub(kept.len());
            kept.extend_from_slice(&buffer[..length.min(room)]);
            shared.changed.notify_all();
        }
        shared.lock().open -= 1;
        shared.changed.notify_all();
    });
}

/// Reads its memory until it ends, and notes its exit status.
fn watch(shared: Arc<Shared>, mut child: Child) {
    let folder = PathBuf::from(format!("/proc/{}", child.id()));
    thread::spawn(move || {
        loop {
            if let Some(peak) = memory(&folder, "VmHWM:") {
                let mut state = shared.lock();
                state.peak_kib = state.peak_kib.max(peak);
            }
            if let Ok(Some(status)) = child.try_wait() {
                shared.lock().status = Some(status);
                shared.changed.notify_all();
                return;
            }
            thread::sleep(SAMPLE);
        }
    });
}

/// A line of a process's `status`, in KiB.
fn memory(folder: &Path, name: &str) -> Option<u64> {
    let status = fs::read_to_string(folder.join("status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
