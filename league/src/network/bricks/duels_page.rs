//! The page of a league of duels: each duel move by move, the standings, and the faults of players.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use game_bricks::{Config, State};
use game_env::replay::Player;
use game_env::{Seed, TeamId};
use reference_gm::bricks::duel::Played;
use reference_gm::bricks::faults::{Fault, Faults};
use viewer::matches::{LiveMatch, Matches, Opening, Table};
use viewer::server::{Place, ServerLimits, ViewerServer};

use crate::network::page::Page;

/// The page of all duels of a league.
#[derive(Debug)]
pub(super) struct DuelsPage {
    server: ViewerServer,
    matches: Matches<State>,
    /// The names of entrants in standings, by their names in matches.
    names: BTreeMap<String, String>,
    faults: Mutex<Faults>,
}

/// Opens the page at this place.
pub(super) fn open(place: Place, names: BTreeMap<String, String>) -> io::Result<Arc<dyn Page>> {
    // Nobody gives orders to a league on its page: the requests of visitors are refused.
    let (server, matches, _) = ViewerServer::matches::<State>(place, ServerLimits::default())?;
    Ok(Arc::new(DuelsPage { server, matches, names, faults: Mutex::default() }))
}

impl DuelsPage {
    /// Begins a duel of these entrants.
    pub(super) fn open(&self, entrants: &[String], config: &Config, seed: Seed) -> LiveMatch<State> {
        let player = |(team, entrant): (u8, &String)| Player::new(TeamId::new(team), self.name(entrant));
        self.matches.open_with(|id| Opening {
            title: format!("Duel {id}"),
            config: config.clone(),
            seed,
            players: (0..).zip(entrants).map(player).collect(),
            people: Vec::new(),
        })
    }

    /// Shows the fault that ended the duel of this number on the page, if one did.
    pub(super) fn add_fault(&self, number: u64, played: &Played, entrants: &[String]) {
        let [first, second] = entrants else { return };
        let Some(fault) = Fault::find(number, played, [self.name(first), self.name(second)]) else { return };
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.extend([fault]);
        self.matches.faults(faults.table());
    }

    fn name<'a>(&'a self, entrant: &'a str) -> &'a str {
        self.names.get(entrant).map_or(entrant, String::as_str)
    }
}

impl Page for DuelsPage {
    fn url(&self) -> &str {
        let url = self.server.url();
        // The token is for operators, and this page has none.
        url.split_once('?').map_or(url, |(url, _)| url)
    }

    fn show(&self, standings: Table) {
        self.matches.standings(Some(standings));
    }
}
