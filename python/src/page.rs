//! The page of a replay, as one file.

use pyo3::prelude::*;
use viewer::page::exported;
use viewer::recording::Recording;

use crate::games::wrong;

/// The page of a replay: one HTML document that needs nothing else. `name` is the name of the replay on it.
#[pyfunction]
pub(crate) fn page(py: Python<'_>, replay: &[u8], name: &str) -> PyResult<String> {
    py.detach(|| Recording::read(replay, name).map(|recording| exported(&recording.feed()))).map_err(wrong)
}
