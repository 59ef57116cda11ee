//! A page on which people watch the matches of a league while they are played, and the standings.
//!
//! The room of a game opens it, and shows its matches there. Nobody can play or give orders on it.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::sync::Arc;

use viewer::matches::Table;
use viewer::server::Place;

/// A page for viewers, until this value ends.
pub trait Page: Any + fmt::Debug + Send + Sync {
    /// Returns the address of the page, for viewers.
    fn url(&self) -> &str;

    /// Shows these standings in place of those before.
    fn show(&self, standings: Table);
}

/// Opens a page at this place. The names are those of entrants in standings, by their names in matches.
pub type OpenPage = fn(Place, BTreeMap<String, String>) -> io::Result<Arc<dyn Page>>;
