//! The table of all folders that `bots new` can write: the languages, and the games of each.
//!
//! Templates have words in capital letters; [`super::fill`] replaces them.

/// A path in the folder, and its template. The text is that of all parts, one after the other.
pub(super) type File = (&'static str, &'static [&'static str]);

/// A language of agents.
pub(super) struct Language {
    /// The name after `--lang`.
    pub(super) name: &'static str,
    pub(super) form: Form,
    /// The files of all games.
    pub(super) files: &'static [File],
    /// The games, each with the files that it adds.
    pub(super) games: &'static [(&'static Game, &'static [File])],
}

/// The form of an agent.
pub(super) enum Form {
    /// A crate that is built on this workspace.
    Crate,
    /// A program that speaks the agent protocol.
    Program(Program),
}

/// The commands of a program, in its folder.
pub(super) struct Program {
    /// The language, for people.
    pub(super) language: &'static str,
    /// The file that the author changes.
    pub(super) source: &'static str,
    /// Compiles the program; none if it needs no compiler.
    pub(super) build: Option<&'static str>,
    pub(super) test: &'static str,
    pub(super) run: &'static str,
}

/// A game, with a recorded match for the test of a decision.
pub(super) struct Game {
    pub(super) name: &'static str,
    /// The name for people.
    pub(super) title: &'static str,
    /// The preset of the commands and the league.
    pub(super) preset: &'static str,
    /// The arguments of `bots` and `league` that choose the game and the preset.
    pub(super) flags: &'static str,
    /// The arguments of `bots` for the recorded match.
    pub(super) recording: &'static str,
    /// The number of lines of `lines.jsonl` up to the tested decision.
    pub(super) lines: usize,
    /// The expected action.
    pub(super) expected: &'static str,
    /// The reason why this action is right.
    pub(super) decision: &'static str,
}

/// All languages. The first one is the default.
pub(super) static LANGUAGES: &[Language] = &[
    Language {
        name: "rust",
        form: Form::Crate,
        files: &[
            ("Cargo.toml", &[include_str!("files/rust/manifest.toml")]),
            ("src/lib.rs", &[include_str!("files/rust/lib.rs")]),
            ("src/main.rs", &[include_str!("files/rust/main.rs")]),
            ("league.toml", &[include_str!("files/rust/league.toml")]),
            (".gitignore", &["/target\n*.replay\n"]),
        ],
        games: &[(&PROJECT, &[])],
    },
    Language {
        name: "python",
        form: Form::Program(Program {
            language: "Python",
            source: "agent.py",
            build: None,
            test: "python3 -m unittest",
            run: "python3 agent.py",
        }),
        files: &[
            ("test_agent.py", &[include_str!("files/python/test_agent.py")]),
            README,
            LEAGUE,
            GIT_IGNORE,
        ],
        games: &[
            (
                &PROJECT,
                &[("agent.py", &[include_str!("files/python/project.py"), PYTHON_MAIN]), PROJECT_LINES],
            ),
            (&DOTS, &[("agent.py", &[include_str!("files/python/dots.py"), PYTHON_MAIN]), DOTS_LINES]),
        ],
    },
    Language {
        name: "javascript",
        form: Form::Program(Program {
            language: "JavaScript",
            source: "agent.js",
            build: None,
            test: "node --test",
            run: "node agent.js",
        }),
        files: &[
            ("agent.test.js", &[include_str!("files/javascript/agent.test.js")]),
            README,
            LEAGUE,
            GIT_IGNORE,
        ],
        games: &[
            (
                &PROJECT,
                &[
                    ("agent.js", &[include_str!("files/javascript/project.js"), JAVASCRIPT_MAIN]),
                    PROJECT_LINES,
                ],
            ),
            (
                &DOTS,
                &[("agent.js", &[include_str!("files/javascript/dots.js"), JAVASCRIPT_MAIN]), DOTS_LINES],
            ),
        ],
    },
    Language {
        name: "java",
        form: Form::Program(Program {
            language: "Java",
            source: "Agent.java",
            build: Some("javac Agent.java"),
            test: "java Agent --test",
            // A heap is as large as a quarter of the machine's memory unless it is limited; a program may have 1 GiB.
            run: "java -Xmx256m Agent",
        }),
        files: &[
            ("Agent.java", &[include_str!("files/java/Agent.java")]),
            ("Json.java", &[include_str!("files/java/Json.java")]),
            README,
            LEAGUE,
            GIT_IGNORE,
        ],
        games: &[(&PROJECT, &[PROJECT_LINES])],
    },
    Language {
        name: "cpp",
        form: Form::Program(Program {
            language: "C++",
            source: "agent.cpp",
            build: Some("g++ -std=c++17 -O2 -o agent agent.cpp"),
            test: "./agent --test",
            run: "./agent",
        }),
        files: &[
            ("agent.cpp", &[include_str!("files/cpp/agent.cpp")]),
            ("json.hpp", &[include_str!("files/cpp/json.hpp")]),
            README,
            LEAGUE,
            GIT_IGNORE,
        ],
        games: &[(&PROJECT, &[PROJECT_LINES])],
    },
];

const PYTHON_MAIN: &str = include_str!("files/python/main.py");
const JAVASCRIPT_MAIN: &str = include_str!("files/javascript/main.js");
const README: File = ("README.md", &[include_str!("files/program/README.md")]);
const LEAGUE: File = ("league.toml", &[include_str!("files/program/league.toml")]);
const GIT_IGNORE: File = (".gitignore", &[include_str!("files/program/gitignore")]);

/// The lines that agent 0 reads in the recorded match of a game.
const PROJECT_LINES: File = ("lines.jsonl", &[include_str!("files/program/project.jsonl")]);
const DOTS_LINES: File = ("lines.jsonl", &[include_str!("files/program/dots.jsonl")]);

static PROJECT: Game = Game {
    name: "project",
    title: "The Project Game",
    preset: "quick",
    flags: "--preset quick",
    recording: "greedy random --preset quick --set teamSize=1 --set boardX=4 --set boardY=6 --set goalAreaHeight=1 \
                --set numberOfGoals=1 --set numberOfPieces=1 --seed 7",
    lines: 10,
    expected: "pick-up",
    decision: "The agent stands on a piece: it picks it up.",
};

static DOTS: Game = Game {
    name: "dots",
    title: "Dots & Boxes",
    preset: "original",
    flags: "--game dots --preset original",
    recording: "chains random --game dots --preset small --seed 2",
    lines: 5,
    expected: "1-4",
    decision: "One box has three edges: the agent draws the fourth.",
};
