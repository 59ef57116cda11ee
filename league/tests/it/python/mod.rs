//! Leagues whose agents are programs in Python. `cargo xtask test` leaves out this module where Python is missing.

#![cfg(target_os = "linux")]

mod examples;
mod in_process;
mod misbehaving;
mod network;

use std::sync::LazyLock;

/// The interpreter itself: what is called `python3` may be a script that chooses one. That of the system comes first:
/// the users as whom confined programs run may be unable to enter the folder of another one.
pub(crate) static PYTHON: LazyLock<String> = LazyLock::new(|| {
    let code = "import sys; print(sys.executable)";
    let run = |python| std::process::Command::new(python).args(["-I", "-S", "-c", code]).output();
    let output = ["/usr/bin/python3", "python3"].into_iter().find_map(|python| run(python).ok());
    let output = output.expect("Python can be started: install Python 3.9 or newer").stdout;
    String::from_utf8(output).expect("a path in UTF-8").trim().to_owned()
});
