//! The server after a restart: plays the records of the journal again.

use game_dots::{Config as Grid, State};
use game_env::{Disruption, Environment as _, SimTime};
use wire::dots::{Name, Token};

use super::{DrawToken, Master, Phase, PlayerId, RestoreError, Settings};
use crate::dots::record::Record;
use crate::server::{Origin, check_count, number_after};

impl Master {
    /// Returns the master of a server that ended, from its records in their order. Nobody is connected; all players may
    /// come back until the pings run out. [`Output::Ended`](super::Output::Ended) follows for every game that has ended
    /// after a move, since its replay may be missing.
    ///
    /// # Errors
    ///
    /// Fails at the first record that does not follow from those before it.
    pub fn restore(
        settings: Settings,
        draw_token: DrawToken,
        records: impl IntoIterator<Item = Record>,
    ) -> Result<Self, RestoreError> {
        let mut master = Self::new(settings, draw_token);
        for (record, number) in records.into_iter().zip(1..) {
            let applied = master.apply(&record);
            applied.map_err(|why| RestoreError { number, record, why })?;
        }
        master.pings.restart(SimTime::START);
        // Nobody remembers what came after a game.
        for player in master.players.values_mut() {
            if player.phase == Phase::Finished {
                player.phase = Phase::Idle;
            }
        }
        // All may come back. From where their connections were is not known any more.
        for (id, _) in master.players.iter().filter(|(_, player)| !player.is_bot) {
            master.absent.add(SimTime::START, Origin::Unknown, *id);
        }
        Ok(master)
    }

    /// Returns the fewest records from which [`Master::restore`] makes this master again, players in the order of their
    /// names: after a restart nobody knows who came first.
    pub(super) fn records(&self) -> Vec<Record> {
        let people = self.names.values().map(|id| &self.players[id]).filter(|player| player.is_recorded);
        let mut records: Vec<Record> =
            people.map(|player| Record::Player(player.name.clone(), player.token)).collect();
        for (id, game) in &self.games {
            let (grid, names) =
                (game.state.grid(), game.players.map(|player| self.players[&player].name.clone()));
            let (rows, columns) = (grid.rows(), grid.columns());
            records.push(Record::Game { id: *id, seed: game.seed, rows, columns, names });
            records.extend(game.moves.iter().map(|edge| Record::Move(*id, *edge)));
        }
        if self.next_game > 0 {
            records.push(Record::Count(self.next_game));
        }
        records
    }

    fn apply(&mut self, record: &Record) -> Result<(), &'static str> {
        match record {
            Record::Player(name, token) => {
                match self.names.get(name) {
                    None => {
                        self.restore_player(name.clone(), *token);
                    }
                    // A name that the server's own players have now.
                    Some(player) if self.players[player].is_bot => {}
                    Some(_) => return Err("there is a player of this name already"),
                }
            }
            Record::Gone(name) => {
                let player = self.names.get(name).copied().ok_or(NO_PLAYER)?;
                if matches!(self.players[&player].phase, Phase::Playing(..)) {
                    return Err("the player is in a game");
                }
                if !self.players[&player].is_bot {
                    self.names.remove(name);
                    self.players.remove(&player);
                }
            }
            Record::Game { id, seed, rows, columns, names } => {
                let grid = Grid::new(*rows, *columns).map_err(|_| "there is no grid of this size")?;
                if *id < self.next_game {
                    return Err("there was a game of this number already");
                }
                number_after(*id)?;
                let mut players = [0; 2];
                for (player, name) in players.iter_mut().zip(names) {
                    *player = self.known_or_bot(name)?;
                }
                if players[0] == players[1] {
                    return Err("a player plays against itself");
                }
                self.add_game(*id, State::new(&grid, *seed), *seed, players);
            }
            Record::Move(id, edge) => {
                let side = self.games.get(id).and_then(super::Game::mover).ok_or(NO_GAME)?;
                self.step(*id, side, *edge).ok_or("the rules refuse this move")?;
                self.end_if_over(*id, None);
            }
            Record::Left(id, side) => {
                let game = self.games.get(id).ok_or(NO_GAME)?;
                let players = game.players;
                self.end_if_over(*id, Some(Disruption::AgentLost(side.player())));
                for player in players {
                    if let Some(player) = self.players.get_mut(&player) {
                        player.phase = Phase::Idle;
                    }
                }
            }
            Record::Count(games) => {
                check_count(*games)?;
                self.next_game = self.next_game.max(*games);
            }
        }
        Ok(())
    }

    /// Adds a player that the journal holds: it had begun a game.
    fn restore_player(&mut self, name: Name, token: Token) -> PlayerId {
        let id = self.add_player(name, token, false);
        if let Some(player) = self.players.get_mut(&id) {
            (player.is_recorded, player.has_moved) = (true, true);
        }
        id
    }

    /// Returns the player of this name, if it can begin a game. One of the server's own that is not there any more is
    /// replaced by a player that never comes.
    fn known_or_bot(&mut self, name: &Name) -> Result<PlayerId, &'static str> {
        let known = self.names.get(name).copied();
        let player = match known {
            Some(player) => player,
            None => {
                let token = (self.draw_token)();
                self.restore_player(name.clone(), token)
            }
        };
        if matches!(self.players[&player].phase, Phase::Playing(..)) {
            return Err("a player is in another game");
        }
        Ok(player)
    }
}

const NO_PLAYER: &str = "there is no player of this name";
const NO_GAME: &str = "there is no such game, or it is over";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dots::record::Record;
    use wire::dots::Token;

    #[test]
    fn records_that_do_not_follow_are_named() {
        let restore = |records: &[&str]| {
            let records: Vec<Record> = records.iter().map(|text| text.parse().unwrap()).collect();
            let draw: DrawToken = Box::new(|| Token::new([7; 16]));
            Master::restore(Settings::default(), draw, records).map(|_| ()).map_err(|error| error.to_string())
        };
        let told = |records: &[&str]| restore(records).unwrap_err();
        let ada = "player Ada 00112233445566778899aabbccddeeff";
        let bob = "player Bob 00112233445566778899aabbccddeefe";
        let game = "game 3 1 2 2 Ada Bob";
        assert_eq!(restore(&[ada, bob, game, "move 3 0-1", "left 3 1", "gone Ada"]), Ok(()));
        assert_eq!(told(&[ada, ada]), format!("record 2, `{ada}`: there is a player of this name already"));
        assert_eq!(told(&["gone Eva"]), "record 1, `gone Eva`: there is no player of this name");
        assert_eq!(told(&["move 0 0-1"]), "record 1, `move 0 0-1`: there is no such game, or it is over");
        assert_eq!(
            told(&[ada, bob, game, "move 3 0-3"]),
            "record 4, `move 3 0-3`: the rules refuse this move"
        );
        assert_eq!(told(&[ada, bob, game, "gone Bob"]), "record 4, `gone Bob`: the player is in a game");
        assert!(told(&[ada, bob, game, game]).ends_with("there was a game of this number already"));
        for last in ["games 18446744073709551615", "games 9007199254740992"] {
            assert!(told(&[last]).ends_with("no server comes to such a number"), "{last}");
        }
        assert!(told(&[ada, bob, &game.replace('3', "18446744073709551615")]).ends_with("such a number"));
        assert!(told(&[ada, bob, game, "game 4 1 2 2 Ada Bob"]).ends_with("a player is in another game"));
        assert!(told(&[ada, "game 4 1 2 2 Ada Ada"]).ends_with("a player plays against itself"));
        assert!(told(&[ada, bob, "game 4 1 1 2 Ada Bob"]).ends_with("there is no grid of this size"));
    }
}
