//! The native part of the Python package `project_game`: matches, comparisons, and environments for programs that
//! learn.
//!
//! Everything here exists in Rust already: the rules in `games`, strategies and matches in `strategies`, the sequential
//! test in `contests`, the page in `viewer`, the events and messages of replays in `game-catalogue`. This crate
//! converts arguments and results, lends NumPy arrays, and releases the global interpreter lock while games run. The
//! modules in `project_game` are the interface for people:
//!
//! ```python
//! import project_game as pg
//!
//! match = pg.play("coordinated", "greedy", preset="quick", seed=7)
//! print(match)                     # red wins, red 3 : 1 blue (normal)
//! print(pg.compare("coordinated", "greedy", preset="quick", games=400))
//! ```
//!
//! # What this crate does not do
//!
//! It knows no game by name, has no rule and no statistics of its own, and no line of `unsafe`. It installs nothing and
//! opens no connection.
//!
//! # Errors
//!
//! `ValueError` for a wrong name, configuration or action, `OSError` for the outside world, `RuntimeError` for an
//! environment that is used in the wrong order. An exception of a strategy in Python is raised again by the call that
//! played the game. Ctrl-C raises `KeyboardInterrupt` as soon as the games in progress have ended; it does not wait for
//! an answer of a program or a class.

mod entrants;
mod environment;
mod games;
mod interruptible;
mod matches;
mod page;
mod playing;
mod tables;
mod vector;

use pyo3::prelude::pymodule;

/// The native part of the package; its functions are private to it.
#[pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::entrants::{check_answer, serve_as_guard};
    #[pymodule_export]
    use crate::environment::{Environment, child};
    #[pymodule_export]
    use crate::games::{complete, games, team_count};
    #[pymodule_export]
    use crate::matches::{compare, play, spec};
    #[pymodule_export]
    use crate::page::page;
    #[pymodule_export]
    use crate::tables::{claims, events, messages, truncation};
    #[pymodule_export]
    use crate::vector::VectorEnvironment;
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    const PROTOCOL: u32 = wire::agent::PROTOCOL;
}
