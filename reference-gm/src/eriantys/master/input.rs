//! What the server is told at its start, what is left of a game, and what there is to show.

use game_env::{Disruption, Millis, Seed};
use game_eriantys::{Action, Config};
use wire::eriantys::{Nickname, Token};

use crate::eriantys::record::MatchId;

/// A match that has ended: all that a replay needs.
#[derive(Clone, PartialEq, Debug)]
pub struct Ended {
    /// The match.
    pub id: MatchId,
    /// Players and rules.
    pub config: Config,
    /// What decided all that was drawn.
    pub seed: Seed,
    /// The players in the order of their seats.
    pub names: Vec<Nickname>,
    /// What they did, in order.
    pub actions: Vec<Action>,
    /// What ended the match, if that was not the last action.
    pub disruption: Option<Disruption>,
}

/// How the server plays.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// Decides all that is drawn; the match of number `n` has the seed [`Seed::child`]`(n)`.
    pub seed: Seed,
    /// Whether a player that has lost its connection can come back without its token.
    pub resume_by_nickname: bool,
    /// The time from one ping to the next.
    pub ping: Millis,
    /// The number of unanswered pings in a row after which a connection is lost.
    pub missed: u32,
    /// How long those who are there wait for a player who is missing.
    pub wait: Millis,
    /// How long a match waits if nobody is there.
    pub keep: Millis,
    /// How long a connection may take to log in.
    pub login: Millis,
    /// The most matches, those that wait for players included.
    pub matches: usize,
    /// The most matches that were opened from one address and that nobody is connected to.
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
    /// What their nicknames begin with.
    pub name: String,
    /// What they log in with; it stands for the token of each of their seats.
    pub token: Token,
    /// The most in a match.
    pub most: usize,
    /// How long a match waits for people before bots are wanted, from the moment when the first player has logged in.
    pub wait: Millis,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: Seed::new(0),
            resume_by_nickname: true,
            ping: Millis::new(1_000),
            missed: 3,
            wait: Millis::new(60_000),
            keep: Millis::new(7 * 24 * 3_600_000),
            login: Millis::new(300_000),
            matches: 10_000,
            idle_matches_of_origin: 200,
            matches_per_hour: 10_000,
            messages_per_second: 100,
            bots: None,
        }
    }
}

/// What a server has to show.
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
