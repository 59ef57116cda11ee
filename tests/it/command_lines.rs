//! The pages of the book about command lines, as the programs print them.
//!
//! `UPDATE_GOLDEN=1 cargo test -p workspace-tests --test it command_lines` writes them anew: read the diff.

use std::fs;
use std::process::Command;

use workspace_tests::{programs, workspace};

/// The programs, and the text before their flags.
const PROGRAMS: [(&str, &str); 4] = [
    (
        "bots",
        "Plays games between strategies, and sends agents to a server.\n\
         [The strategies that are shipped](../strategies.md) says how each plays; \
         [the tutorial](../tutorial/start.md) uses the program.\n",
    ),
    (
        "cs",
        "The communication server. [Hosting a game](../hosting.md) says how to use it, \
         and [configuration](../configuration.md#the-communication-server) describes its parameters.\n",
    ),
    (
        "reference-gm",
        "The game master of The Project Game, the server of Dots & Boxes, the referee of Bricks, the board and the controller of Conveyor, the server of Eriantys, and the reader of replays of every game.\n\
         [Hosting a game](../hosting.md) and [the game page](../board.md) say how to use it, \
         and [configuration](../configuration.md) describes its parameters.\n",
    ),
    (
        "league",
        "Plays leagues and compares strategies. [Leagues](../leagues.md) describes the league file and the results.\n",
    ),
];

/// Text at the start of every page.
const HEAD: &str = "
This page is generated from the program's own flags; `--help` prints the same.
In the workspace, write `cargo run -p PROGRAM --` for the program's name.
";

#[test]
fn the_pages_of_command_lines_are_what_the_programs_say() {
    let folder = programs().unwrap();
    for (name, about) in PROGRAMS {
        let program = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        let output = Command::new(&program).arg("reference").output().unwrap();
        assert!(output.status.success(), "{name}: {output:?}");
        let flags = String::from_utf8(output.stdout).unwrap();
        assert!(flags.contains("| argument | meaning |"), "{name} has no flags: {flags}");
        let head = HEAD.replace("PROGRAM", name);
        let page = format!("# The command line of `{name}`\n\n{about}{head}\n{flags}");
        let path = workspace().join(format!("book/src/command-lines/{name}.md"));
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&path, &page).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(
            found, page,
            "stale: UPDATE_GOLDEN=1 cargo test -p workspace-tests --test it command_lines"
        );
    }
}
