//! The settings of the master, the games that have ended, and the counts.

use game_dots::{Config as Grid, State};
use game_env::{Millis, Seed};
use wire::dots::line::Framing;
use wire::dots::{Name, Token};

use crate::archive::EndedGame;

/// A game that has ended.
pub type Ended = EndedGame<State>;

/// The settings of the master.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The grid of new games.
    pub grid: Grid,
    /// Decides who begins in each game; the game of number `n` has the seed [`Seed::child`]`(n)`.
    pub seed: Seed,
    /// The form of messages, except to clients that send NULs: these receive blocks.
    pub framing: Framing,
    /// Whether refusals are answered as the original of 2023 does: the connection ends, no tokens are known, and a
    /// player leaves a game that is over before it waits for the next one.
    pub compat: bool,
    /// Whether a player that has lost its connection can come back without its token.
    pub resume_by_name: bool,
    /// The time from one ping to the next.
    pub ping: Millis,
    /// The number of unanswered pings in a row after which a player is removed.
    pub missed: u32,
    /// Time for which a player may have the turn. After it, the opponent is informed with each ping that the player
    /// is slow.
    pub slow: Millis,
    /// Time that a connection has to log in.
    pub login: Millis,
    /// The most players that are logged in or may come back.
    pub players: usize,
    /// The most players of one address that have lost their connections and may come back.
    pub absent_players_of_origin: usize,
    /// The games that one address may begin in an hour.
    pub games_per_hour: u32,
    /// The messages that a connection may send in a second, moves that are accepted not counted; twice as many at once.
    pub messages_per_second: u32,
    /// The players of the server's own, which play against clients that wait.
    pub bots: Vec<(Name, Token)>,
    /// Time for which a client waits for another client before a bot plays against it.
    pub bot_wait: Millis,
    /// Time for which a player may have the turn against a bot while somebody else waits and all bots play.
    pub bot_patience: Millis,
}

/// The counts of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Totals {
    /// Open connections.
    pub connections: usize,
    /// Players that are logged in or may come back.
    pub players: usize,
    /// Players that wait for an opponent.
    pub waiting: usize,
    /// Games that are being played.
    pub games: usize,
    /// Moves since the start.
    pub moves: u64,
}
