//! The folder of a server that keeps its games: one server has it at a time, and the next one goes on with it.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::run::program;

fn serve(game: &str, folder: &Path) -> Command {
    let mut command = program(folder, &[game, "serve", "--port", "0", "--folder"]);
    command.arg(folder);
    if game == "dots" {
        command.args(["--page", ""]);
    }
    command
}

#[test]
fn a_second_server_is_told_who_uses_the_folder_and_the_first_one_says_what_it_keeps() {
    for game in ["dots", "eriantys"] {
        let folder = tempfile::tempdir().unwrap();
        let mut first = serve(game, folder.path());
        let mut first = first.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(first.stdout.take().unwrap());
        out.read_line(&mut String::new()).unwrap();

        let second = serve(game, folder.path()).output().unwrap();
        let told = String::from_utf8(second.stderr).unwrap();
        assert_eq!(second.status.code(), Some(1), "{told}");
        assert!(
            told.contains("is in use") && told.contains("hint: another server uses this folder"),
            "{told}"
        );
        assert!(!told.contains("journal"), "nothing is wrong with the journal: {told}");

        kill_process(Pid::from_child(&first), Signal::TERM).unwrap();
        let ended = first.wait_with_output().unwrap();
        let told = String::from_utf8(ended.stderr).unwrap();
        assert!(ended.status.success(), "{told}");
        assert!(told.contains(&format!("{game}: stopped; a server with the folder ")), "{told}");
    }
}
