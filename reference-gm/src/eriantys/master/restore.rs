//! The server after a restart: plays the records of the journal again.

use game_env::{Environment as _, Millis, SimTime};
use game_eriantys::{Config, State};
use wire::eriantys::words::RuleSet;

use super::matches::{Match, Seat};
use super::{DrawToken, Master, RestoreError, Settings};
use crate::eriantys::record::{MatchId, Record};
use crate::server::{Origin, check_count, number_after};

impl Master {
    /// Returns the master of a server that ended, from its records in their order. Nobody is connected: all matches
    /// wait for their players. [`Output::Ended`](super::Output::Ended) follows for every match that has ended, since
    /// its replay may be missing.
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
        // A process that was killed while a match began may have written a part of its beginning.
        master.matches.retain(|_, game| game.is_complete());
        master.actions = 0;
        let (keep, wait) = (master.settings.keep, master.settings.wait);
        let limits =
            master.matches.iter().map(|(number, game)| (*number, if game.is_played() { keep } else { wait }));
        let limits: Vec<(MatchId, Millis)> = limits.collect();
        for (number, limit) in limits {
            master.set_waiting(number, Some(SimTime::START + limit));
        }
        Ok(master)
    }

    /// Returns the fewest records from which [`Master::restore`] makes the matches of this master again.
    pub(super) fn records(&self) -> Vec<Record> {
        let mut records = Vec::new();
        for (id, game) in &self.matches {
            let table = game.state().table();
            let players = u8::try_from(table.config.players()).expect("there are at most four");
            let rules = RuleSet::of(table.config.is_expert());
            records.push(Record::Match { id: *id, seed: game.seed(), players, rules });
            let seats = game.seats().iter();
            records.extend(seats.map(|seat| Record::Player(*id, seat.token, seat.profile.clone())));
            records.extend(game.actions.iter().map(|action| Record::Action(*id, *action)));
            records.push(Record::State(*id, table.round, game.state().hash()));
        }
        records.extend(self.results.records());
        records.push(Record::Count(self.reserved.max(self.next_match)));
        records
    }

    fn apply(&mut self, record: &Record) -> Result<(), &'static str> {
        match record {
            Record::Match { id, seed, players, rules } => {
                let config = Config::new(*players, *rules == RuleSet::Expert);
                let config = config.map_err(|_| "there is no match of this number of players")?;
                // Numbers belong to lobbies, and these may become matches in another order than they were opened.
                if self.matches.contains_key(id) || self.results.get(*id).is_some() {
                    return Err("there was a match of this number already");
                }
                self.next_match = self.next_match.max(number_after(*id)?);
                let state = State::new(&config, *seed);
                self.matches
                    .insert(*id, Match::new(state, *seed, Vec::new(), Origin::Unknown, SimTime::START));
            }
            Record::Player(id, token, profile) => {
                let game = self.matches.get_mut(id).ok_or(NO_MATCH)?;
                if game.is_complete() {
                    return Err("the match has all its players");
                }
                if game.seats().iter().any(|seat| seat.profile.nickname == profile.nickname) {
                    return Err("the match has a player of this nickname");
                }
                game.add_seat(Seat { profile: profile.clone(), token: *token, connection: None });
            }
            Record::Action(id, action) => {
                let game = self.complete(*id)?;
                let player = game.mover().ok_or(NO_MATCH)?;
                if game.state().table().refusal(player, *action).is_some() {
                    return Err("the rules refuse this action");
                }
                game.step(player, *action);
                self.end_if_over(*id, None);
            }
            Record::State(id, round, hash) => {
                let game = self.complete(*id)?;
                if (game.state().table().round, game.state().hash()) != (*round, *hash) {
                    return Err("the rules lead to another state");
                }
            }
            Record::Lost(id) => {
                self.complete(*id)?;
                self.end_as_it_stands(*id);
            }
            Record::Result(id, result) => {
                if self.matches.contains_key(id) || self.results.get(*id).is_some() {
                    return Err("the match goes on, or its result is known already");
                }
                self.next_match = self.next_match.max(number_after(*id)?);
                self.results.keep(*id, result.clone(), self.settings.matches);
            }
            Record::Count(matches) => {
                check_count(*matches)?;
                self.next_match = self.next_match.max(*matches);
                self.reserved = self.next_match;
            }
        }
        Ok(())
    }

    fn complete(&mut self, id: MatchId) -> Result<&mut Match, &'static str> {
        self.matches.get_mut(&id).filter(|game| game.is_complete()).ok_or(NO_MATCH)
    }
}

impl Match {
    /// Returns whether all its players are known.
    fn is_complete(&self) -> bool {
        self.seats().len() == self.config().players()
    }
}

const NO_MATCH: &str = "there is no such match, or it is over, or players are missing";
