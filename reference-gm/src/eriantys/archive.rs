//! The replays of this server, see [`crate::archive`].

use std::io;
use std::path::{Path, PathBuf};

use game_env::replay::{Header, Player};
use game_env::{Environment as _, TeamId};
use game_eriantys::State;

use super::master::Ended;
use crate::archive::Replayable;

/// An archive of a server of Eriantys.
pub type Archive = crate::archive::Archive<Ended>;

impl Replayable for Ended {
    fn number(&self) -> u64 {
        self.id
    }

    /// `match-000007-1234.replay` is that of match 7 with the seed 1234.
    fn path(&self, folder: &Path) -> PathBuf {
        folder.join(format!("match-{:06}-{}.replay", self.id, self.seed))
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let players = self.names.iter().enumerate().map(|(place, name)| {
            let team = u8::try_from(self.config.team(place)).expect("there are at most three teams");
            Player::new(TeamId::new(team), name.as_str())
        });
        let program = concat!("reference-gm ", env!("CARGO_PKG_VERSION"));
        let header = Header::new::<State>(&self.config, self.seed, players.collect(), program);
        let state = State::new(&self.config, self.seed);
        crate::archive::write(path, &header, state, &self.actions, self.disruption)
    }
}
