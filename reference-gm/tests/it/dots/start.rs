//! The start of the server's program: which settings it refuses, and the file of the original.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use crate::run::program;

fn serve() -> Command {
    program(".".as_ref(), &["dots", "serve", "--page", ""])
}

/// Returns the message of a server that does not start, as misuse.
fn refused(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    told
}

#[test]
fn a_grid_that_the_original_does_not_have_is_refused_with_its_behaviour() {
    let told = refused(serve().args(["--compat", "2023", "--rows", "3", "--cols", "7"]));
    for fault in
        ["rows = 3: the original", "cols = 7: the original", "allowed: 5, or any size with `compat` = none"]
    {
        assert!(told.contains(fault), "{told}");
    }
}

#[test]
fn the_file_of_the_original_says_where_the_server_listens() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.txt");
    let with_file = || {
        let mut command = serve();
        command.arg("--config-txt").arg(&file).arg("--folder").arg(folder.path());
        command
    };
    let missing = refused(&mut with_file());
    assert!(missing.contains("cannot read ") && missing.contains("hint: a whole file is"), "{missing}");
    fs::write(&file, "any\nhere\n").unwrap();
    let faulty = refused(&mut with_file());
    assert!(faulty.contains("line 2, `here`: expected a port from 0 to 65535"), "{faulty}");
    let both = refused(with_file().args(["--config", "other.json"]));
    assert!(both.contains("cannot be used with"), "{both}");

    fs::write(&file, "any\n0\n").unwrap();
    for (flags, address) in [(&[][..], "0.0.0.0:"), (&["--listen", "127.0.0.1"], "127.0.0.1:")] {
        let mut server =
            with_file().args(flags).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut first).unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
        assert!(first.starts_with(&format!("dots: players on {address}")), "{first}");
        assert!(!first.contains(":10000,"), "the port is that of the file: {first}");
    }
}
