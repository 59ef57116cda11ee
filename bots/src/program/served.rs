//! `--connect`: a strategy that plays on a server. Each game with a server has a [`Room`] for its flags and its summary.

use std::cell::RefCell;

use clients::ClientSession;
use clients::agent::{Played, play};
use command_line::Failure;
use game_env::{AgentId, Parameters, Policy, Seed, Value};
use strategies::room::{self, PolicyGame};

use super::print;
use super::repetition::drawn_seed;
use super::screen::Screen;
use super::series::AnyGame;

/// The part of `--connect` that one game has alone. It keeps what its summary needs.
pub(super) trait Room: Sized {
    /// The client's side of the protocol.
    type Session: ClientSession<Game: PolicyGame>;

    /// Reads the flags.
    ///
    /// # Errors
    ///
    /// If a flag does not fit this game.
    fn new(flags: &AnyGame, strategy: &str) -> Result<(Self, Self::Session), Failure>;

    /// The beginning of each line about this client.
    fn prefix(&self, strategy: &str) -> String;

    /// Takes note of a report.
    fn hear(&mut self, news: &<Self::Session as ClientSession>::News);

    /// The error of a session that has no summary, because nobody was there.
    fn unreached(&self, server: &str, end: &<Self::Session as ClientSession>::End) -> Option<Failure>;

    /// The summary as JSON.
    fn document(&self, server: &str, served: &Served, played: &Played<Self::Session>) -> serde_json::Value;

    /// The summary as a line of text.
    fn text(&self, seed: Seed, played: &Played<Self::Session>) -> String;

    /// The hint on an end that is a failure; `None` if all was played.
    fn hint(end: &<Self::Session as ClientSession>::End) -> Option<&'static str>;
}

/// Plays on the server that the flags name.
///
/// # Errors
///
/// If a flag is faulty, or the session ends before all is played.
pub(super) fn connect<R: Room>(flags: &AnyGame, server: &str, screen: &Screen) -> Result<(), Failure> {
    let served = Served::read::<<R::Session as ClientSession>::Game>(flags)?;
    let (room, session) = R::new(flags, &served.strategy)?;
    let (prefix, room) = (room.prefix(&served.strategy), RefCell::new(room));
    let report = |news: &<R::Session as ClientSession>::News| {
        room.borrow_mut().hear(news);
        screen.say(&format!("{prefix}{news}"));
    };
    let policy = |game: u32, player| served.policy::<<R::Session as ClientSession>::Game>(game, player);
    let played = wait(play(server, session, policy, report))?;
    let room = room.into_inner();
    if let Some(failure) = room.unreached(server, &played.end) {
        return Err(failure);
    }
    print(&if flags.is_json() {
        format!("{:#}\n", room.document(server, &served, &played))
    } else {
        room.text(served.seed, &played)
    })?;
    R::hint(&played.end).map_or(Ok(()), |hint| Err(Failure::undone(played.end.to_string(), hint)))
}

/// A strategy that is known to exist, and the seed of its random numbers.
pub(super) struct Served {
    pub(super) strategy: String,
    pub(super) seed: Seed,
}

impl Served {
    /// The strategy and the seed that the flags name for a game.
    ///
    /// # Errors
    ///
    /// If there is no such strategy, or there are several.
    fn read<G: PolicyGame>(flags: &AnyGame) -> Result<Self, Failure> {
        let strategy = flags.only_strategy()?;
        let seed = flags.seed().unwrap_or_else(drawn_seed);
        let check = room::policy::<G>(&strategy, seed.game(), None);
        check.map_err(|error| Failure::misuse(error, "`bots list` shows the strategies"))?;
        Ok(Self { strategy, seed })
    }

    /// The player of the game with this number, from 0. Each game has its own seed, as the games of a series in this
    /// process have.
    fn policy<G: PolicyGame>(&self, game: u32, player: AgentId) -> Box<dyn Policy<G>> {
        let seed = Seed::new(self.seed.get().wrapping_add(game.into()));
        room::policy::<G>(&self.strategy, seed.agent(player), None).expect("the strategy was checked")
    }
}

/// Waits until a game over a connection has ended.
///
/// # Errors
///
/// If the system cannot start a runtime.
fn wait<T>(playing: impl Future<Output = T>) -> Result<T, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::undone(format!("the runtime cannot start: {error}"), "`--virtual` plays without one")
    })?;
    Ok(runtime.block_on(playing))
}

/// The values of the flags for a game's configuration.
///
/// # Errors
///
/// If a `--set` has no `=`.
pub(super) fn parameters(flags: &AnyGame) -> Result<Parameters, Failure> {
    let mut own = Parameters::new();
    for (name, value) in flags.pairs()? {
        own.push(&name, Value::guess(&value));
    }
    Ok(own)
}
