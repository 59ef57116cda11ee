//! The player of `examples/players` in Python. Tests in modules of this name are left out where there is no Python.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::examples::{check, copy};

#[test]
fn the_example_in_python_plays() {
    let folder = tempfile::tempdir().unwrap();
    let example = copy("python", &folder.path().join("players"));
    // The interpreter itself, which may be behind a script that chooses one, and the folder of its library.
    // That of the system comes first: other users than root may be unable to enter the folder of another one.
    let is_there = |python: &&str| Path::new(python).is_file();
    let usual = ["/usr/bin/python3"].into_iter().find(is_there).unwrap_or("python3");
    let python = env::var_os("PYTHON").unwrap_or_else(|| usual.into());
    let code = "import sys; print(sys.executable); print(sys.base_prefix)";
    let output = Command::new(python).args(["-I", "-S", "-c", code]).output();
    let output = output.expect("Python can be started: install Python 3.9 or newer").stdout;
    let paths = String::from_utf8(output).unwrap();
    let (program, library) = paths.trim_end().split_once('\n').unwrap();
    let info = fs::read_to_string(example.join("info.txt")).unwrap();
    assert!(info.starts_with("python3 "), "{info}");
    fs::write(example.join("info.txt"), info.replacen("python3", &format!("'{program}'"), 1)).unwrap();
    check(folder.path(), "python", &["--set", &format!("mayRead={library},{program}")]);
}
