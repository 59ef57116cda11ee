//! The programs that some tests need, beside Rust and a C compiler.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fmt, fs};

/// The programs that some tests need, each as found or with the reason why it cannot be used.
pub(crate) struct Programs {
    pub(crate) python: Result<(), Missing>,
    /// Bubblewrap, and a system on which it can make namespaces.
    pub(crate) namespaces: Result<(), Missing>,
    pub(crate) node: Result<(), Missing>,
    pub(crate) npm: Result<(), Missing>,
    /// The path of the browser.
    pub(crate) chromium: Result<PathBuf, Missing>,
}

/// A program that cannot be used.
pub(crate) struct Missing {
    pub(crate) what: &'static str,
    pub(crate) why: String,
    pub(crate) hint: &'static str,
}

impl Programs {
    /// Looks for all of them on this machine.
    pub(crate) fn find() -> Self {
        Self { python: python(), namespaces: namespaces(), node: node(), npm: npm(), chromium: chromium() }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {}: {}\n  hint: {}", self.what, self.why, self.hint)
    }
}

/// An agent in Python plays in the tests, to show that the protocol is all that an agent needs.
fn python() -> Result<(), Missing> {
    let python = env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let is_new_enough = "import sys; sys.exit(sys.version_info < (3, 9))";
    runs(&python, &["-c", is_new_enough], "is older than Python 3.9").map_err(|why| Missing {
        what: "Python",
        why,
        hint: "install Python 3.9 or newer, e.g. `apt-get install python3`, `dnf install python3`, or from \
               python.org; or name it in the variable PYTHON",
    })
}

/// Bubblewrap makes the namespaces in which programs are attacked; `child-process` looks for it in the same places.
#[cfg(target_os = "linux")]
fn namespaces() -> Result<(), Missing> {
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::process::CommandExt as _;

    const PLACES: [&str; 4] =
        ["/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
    /// A user other than root, as whom the tests of a developer who is root start bubblewrap.
    const OTHER: u32 = 65534;
    /// The namespaces of `child-process`, and in them the system's files.
    const WORDS: &str = "--unshare-all --unshare-user --disable-userns --cap-drop ALL --uid 1000 --gid 1000 \
                         --ro-bind / / --proc /proc --dev /dev -- true";
    let Some(place) = PLACES.into_iter().find(|place| Path::new(place).is_file()) else {
        return Err(Missing {
            what: "bubblewrap",
            why: format!("`{}` does not exist", PLACES[0]),
            hint: "install it, e.g. `apt-get install bubblewrap`, `dnf install bubblewrap`",
        });
    };
    let mut tried = Command::new(place);
    tried.args(WORDS.split_whitespace()).current_dir("/").stdin(Stdio::null());
    if fs::metadata("/proc/self").is_ok_and(|about| about.uid() == 0) {
        tried.uid(OTHER).gid(OTHER);
    }
    let why = match tried.output() {
        Ok(output) if output.status.success() => return Ok(()),
        Ok(output) => String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        Err(error) => error.to_string(),
    };
    Err(Missing {
        what: "namespaces",
        why: format!("`{place}` cannot make them: {why}"),
        hint: "allow users to make namespaces, e.g. `sysctl kernel.apparmor_restrict_unprivileged_userns=0`; \
               a container needs the right to make them",
    })
}

/// Elsewhere the tests in namespaces are not compiled.
#[cfg(not(target_os = "linux"))]
fn namespaces() -> Result<(), Missing> {
    Ok(())
}

/// Node runs the tests of the page, and drives the browser.
fn node() -> Result<(), Missing> {
    let is_new_enough = "process.exit(process.versions.node.split('.')[0] < 20 ? 1 : 0)";
    runs("node", &["-e", is_new_enough], "is older than Node 20").map_err(|why| Missing {
        what: "Node",
        why,
        hint: "install Node 20 or newer, e.g. `apt-get install nodejs npm`, `dnf install nodejs`, or from nodejs.org",
    })
}

/// npm installs the library that drives the browser.
fn npm() -> Result<(), Missing> {
    on_path("npm").map(drop).ok_or_else(|| Missing {
        what: "npm",
        why: "`npm` is not on the PATH".to_owned(),
        hint: "install it, e.g. `apt-get install npm`, `dnf install nodejs-npm`, or with Node from nodejs.org",
    })
}

/// Returns the browser in which the page is tested.
fn chromium() -> Result<PathBuf, Missing> {
    // The first one has no windows: the tests take two thirds of the time in it.
    const NAMES: [&str; 4] = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
    let (found, why) = match env::var("CHROMIUM") {
        Ok(named) => {
            (on_path(&named), format!("`{named}`, named by the variable CHROMIUM, is not a program"))
        }
        Err(_) => {
            (NAMES.into_iter().find_map(on_path), format!("none of {} is on the PATH", NAMES.join(", ")))
        }
    };
    found.ok_or(Missing {
        what: "Chromium",
        why,
        hint: "install it, e.g. `apt-get install chromium-headless-shell`, `dnf install chromium`; or name it in the \
               variable CHROMIUM",
    })
}

/// Runs a program that ends with an error if it is too old.
fn runs(program: &str, arguments: &[&str], too_old: &str) -> Result<(), String> {
    let ended = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("`{program}` {too_old}")),
        Err(_) => Err(format!("`{program}` does not run")),
    }
}

/// Returns the path of a program, as the shell would find it.
fn on_path(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(program))
        .map(|path| if path.is_file() { path } else { path.with_extension("exe") })
        .find(|path| path.is_file())
}
