//! The settings of the master, the matches that have ended, and the counts.

use game_env::{Millis, Seed};
use game_eriantys::State;
use wire::eriantys::{Nickname, Token};

use crate::archive::EndedGame;
use crate::eriantys::record::MatchId;

/// A match that has ended.
pub type Ended = EndedGame<State>;

/// The settings of the master.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The seed of all that is drawn; the match of number `n` has the seed [`Seed::child`]`(n)`.
    pub seed: Seed,
    /// Whether a player that has lost its connection can come back without its token.
    pub resume_by_nickname: bool,
    /// The time from one ping to the next.
    pub ping: Millis,
    /// The number of unanswered pings in a row after which a connection is lost.
    pub missed: u32,
    /// Time for which a match waits for a missing player while others are there, or before every player has acted.
    pub wait: Millis,
    /// Time for which a match waits while no player is there, if every player has acted.
    pub keep: Millis,
    /// Time that a connection has to log in.
    pub login: Millis,
    /// The most matches, those that wait for players included.
    pub matches: usize,
    /// The most matches that were opened from one address and have no connected player.
    pub idle_matches_of_origin: usize,
    /// The matches that one address may begin in an hour.
    pub matches_per_hour: u32,
    /// The messages that a connection may send in a second, accepted choices not counted; twice as many at once.
    pub messages_per_second: u32,
    /// The server's own players, if it has any.
    pub bots: Option<Bots>,
}

/// Programs of the server that take free seats. Their nicknames, e.g. `greedy-bot1`, are theirs alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bots {
    /// The beginning of their nicknames.
    pub name: String,
    /// The token that they log in with; it stands for the token of each of their seats.
    pub token: Token,
    /// The most in a match.
    pub most: usize,
    /// Time for which a match waits for people before bots are wanted, from the moment when the first player has
    /// logged in.
    pub wait: Millis,
    /// The most in all matches.
    pub at_once: usize,
    /// Time for which a player may have the turn against bots while all of them play and another match wants one.
    pub patience: Millis,
}

/// The counts of a server.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Open connections.
    pub connections: usize,
    /// Matches that wait for players before they begin.
    pub lobbies: usize,
    /// Matches that have begun and are not over.
    pub matches: usize,
    /// Those of them that wait for a player.
    pub paused: usize,
    /// Actions since the start.
    pub actions: u64,
    /// The next bot that is wanted: its match, and its nickname there.
    pub wanted_bot: Option<(MatchId, Nickname)>,
}
