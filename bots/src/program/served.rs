//! `join` of the games whose clients are in the crate `clients`: a strategy that plays on a server. Each of these games
//! has a [`Client`] for its flags and its summary.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use clients::ClientSession;
use clients::agent::{Played, Report, Start, play};
use clients::session::ANSWER_SECONDS;
use command_line::{Failure, drawn_seed, print, signals};
use game_env::text::fit_for_a_log;
use game_env::{Environment, Notation, NotationError, Seed};
use strategies::room::{self, PolicyGame, PolicyRoom};
use tokio::sync::oneshot;
use tokio::time::sleep;
use wire::agent::Told;
use wire::token::Token;

use super::address::read_with_port;
use super::arguments::Joining;
use super::programs;
use super::rooms::Room;
use super::screen::Screen;

/// The longest time that a client may need to leave after a signal.
const FAREWELL: Duration = Duration::from_secs(5);

/// The part of `join` that one game has alone. It keeps what its summary needs.
pub(super) trait Client: Sized + Sync {
    /// The client's side of the protocol.
    type Session: ClientSession<Game: PolicyGame + Told>;

    /// The flags of this game.
    type Flags: Args;

    /// A command that joins a server of this game on its usual port, for hints.
    const EXAMPLE: &'static str;

    /// The end by a server that has accepted the connection, and has not answered.
    const NO_ANSWER: <Self::Session as ClientSession>::End;

    /// Reads the flags.
    ///
    /// # Errors
    ///
    /// If a flag does not fit this game.
    fn new(flags: &Self::Flags, strategy: &str) -> Result<(Self, Self::Session), Failure>;

    /// Returns the beginning of each line about this client.
    fn prefix(&self, strategy: &str) -> String;

    /// Takes note of a report.
    fn hear(&mut self, news: &<Self::Session as ClientSession>::News);

    /// Returns the error of a session that has no summary, because nobody was there.
    fn unreached(&self, server: &str, end: &<Self::Session as ClientSession>::End) -> Option<Failure>;

    /// Returns the summary as JSON.
    fn document(&self, server: &str, player: &Player, played: &Played<Self::Session>) -> serde_json::Value;

    /// Returns the summary as a line of text.
    fn text(&self, seed: Seed, played: &Played<Self::Session>) -> String;

    /// Returns the hint on an end that is a failure; `None` if all was played.
    fn hint(end: &<Self::Session as ClientSession>::End) -> Option<&'static str>;
}

/// The flags of a player of several games on a server.
#[derive(Args)]
pub(super) struct PlayerFlags {
    /// The name of the player [default: that of the strategy].
    #[arg(long)]
    pub(super) name: Option<String>,
    /// The number of games to play [default: 1].
    #[arg(long, value_name = "NUMBER", conflicts_with = "forever")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: Option<u32>,
    /// Play game after game.
    #[arg(long)]
    forever: bool,
    /// A parameter of the game to play; again for each.
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) set: Vec<String>,
}

impl PlayerFlags {
    /// Returns the number of games; none if there is no end.
    pub(super) fn count(&self) -> Option<u32> {
        (!self.forever).then_some(self.games.unwrap_or(1))
    }

    /// Returns the name of the player, by default the part of the strategy before its parameters, or the name of a
    /// program's file.
    ///
    /// # Errors
    ///
    /// If the game does not allow the name.
    pub(super) fn name<N: std::str::FromStr<Err: std::fmt::Display>>(
        &self,
        strategy: &str,
    ) -> Result<N, Failure> {
        let default = match strategies::programs::Command::read(strategy) {
            Some(Ok(command)) => file_stem(command.words().first().map_or("", String::as_str)).to_owned(),
            Some(Err(_)) | None => strategy.split(':').next().unwrap_or(strategy).to_owned(),
        };
        let text = self.name.as_deref().unwrap_or(&default);
        text.parse().map_err(|error| {
            Failure::misuse(format!("invalid --name `{}`: {error}", fit_for_a_log(text)), "e.g. `--name Ada`")
        })
    }
}

/// Returns the name of a file without its folders and its ending.
fn file_stem(path: &str) -> &str {
    Path::new(path).file_stem().and_then(|stem| stem.to_str()).unwrap_or(path)
}

/// Returns the token in this variable, if there is one.
pub(super) fn token(variable: &str) -> Result<Option<Token>, Failure> {
    let Ok(text) = std::env::var(variable) else { return Ok(None) };
    let token = text.parse().map_err(|error: NotationError| {
        Failure::misuse(format!("the variable {variable}: {error}"), "leave it out")
    })?;
    Ok(Some(token))
}

/// The room of a game with such a client.
pub(super) struct Served<C>(PhantomData<fn() -> C>);

impl<C> Served<C> {
    /// The room.
    pub(super) const NEW: Self = Self(PhantomData);
}

impl<C: Client> Room for Served<C> {
    fn game(&self) -> &'static str {
        <<C::Session as ClientSession>::Game as Notation>::GAME
    }

    fn join_flags(&self, join: Command) -> Command {
        C::Flags::augment_args(join)
    }

    fn join(&self, joining: &Joining, flags: &ArgMatches, screen: &Screen) -> Result<(), Failure> {
        let flags = C::Flags::from_arg_matches(flags).unwrap_or_else(|error| error.exit());
        let server = joining.server.as_deref();
        let server =
            server.ok_or_else(|| Failure::misuse("no server is named: expected HOST:PORT", C::EXAMPLE))?;
        read_with_port(server, C::EXAMPLE)?;
        let player = Player::read::<<C::Session as ClientSession>::Game>(joining)?;
        let processes = programs::processes()?;
        programs::check(&processes, [player.strategy.as_str()])?;
        let (client, session) = C::new(&flags, &player.strategy)?;
        let (prefix, client) = (client.prefix(&player.strategy), RefCell::new(client));
        let report = |report: Report<'_, <C::Session as ClientSession>::News>| match report {
            Report::News(news) => {
                client.borrow_mut().hear(news);
                screen.say(&format!("{prefix}{news}"));
            }
            Report::Blunder(blunder) => screen.say(&format!("{prefix}{blunder}")),
        };
        let room = PolicyRoom::<<C::Session as ClientSession>::Game>::shipped().starting(Arc::new(processes));
        let seat = |start| player.seat(&room, &start);
        let played = wait(async {
            let stop = signals::stop().map_err(|error| Failure::without_signals(&error))?;
            let (leave, leaving) = oneshot::channel();
            let playing = play(server, session, seat, report, async {
                let _ = leaving.await;
            });
            // At a signal the client leaves, and its summary counts the games so far.
            let stopped = async {
                stop.await;
                let _ = leave.send(());
                sleep(FAREWELL).await;
            };
            tokio::select! {
                played = playing => Ok(played),
                () = stopped => Err(Failure::undone(
                    format!("{server} takes no messages, so the player cannot leave as it should"),
                    "the server misses a player after a while",
                )),
            }
        })??;
        let client = client.into_inner();
        if let Some(failure) = client.unreached(server, &played.end) {
            return Err(failure);
        }
        print(&if joining.json {
            format!("{:#}\n", client.document(server, &player, &played))
        } else {
            client.text(player.seed, &played)
        })?;
        let Some(hint) = C::hint(&played.end) else { return Ok(()) };
        Err(Failure::undone(reason::<C>(server, &played.end), hint))
    }
}

/// Returns the error of an end that is a failure. One of a silent server names the server.
pub(super) fn reason<C: Client>(server: &str, end: &<C::Session as ClientSession>::End) -> String {
    if *end == C::NO_ANSWER {
        format!("{server} has not answered for {ANSWER_SECONDS} s")
    } else {
        end.to_string()
    }
}

/// A strategy that is known to exist, and the seed of its random numbers.
pub(super) struct Player {
    pub(super) strategy: String,
    pub(super) seed: Seed,
}

impl Player {
    /// Returns the strategy and the seed that the flags name for a game.
    ///
    /// # Errors
    ///
    /// If there is no such strategy.
    fn read<G: PolicyGame>(joining: &Joining) -> Result<Self, Failure> {
        let strategy = match &joining.strategy {
            Some(strategy) => strategy.clone(),
            None => {
                let shipped = room::find(G::GAME).expect("every game of the catalogue has strategies");
                shipped.default_strategy().to_owned()
            }
        };
        let seed = joining.seed.map_or_else(drawn_seed, Ok)?;
        let check = match strategies::programs::Command::read(&strategy) {
            Some(command) => command.map(|_| ()).map_err(|error| error.to_string()),
            None => room::policy::<G>(&strategy, seed.game(), None).map(|_| ()),
        };
        check.map_err(|error| Failure::misuse(error, "`bots list` shows the strategies"))?;
        Ok(Self { strategy, seed })
    }

    /// Returns the player of a game. Each game has its own seed, as the games of a series in this process have.
    fn seat<G>(
        &self,
        room: &PolicyRoom<G>,
        start: &Start<G::Config>,
    ) -> impl clients::agent::Player<G> + use<G>
    where
        G: PolicyGame + Told + Environment<Action: Send>,
    {
        let seed = Seed::new(self.seed.get().wrapping_add(start.game.into()));
        room.player(&self.strategy, &start.config, start.player, seed).expect("the strategy was checked")
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
        Failure::undone(format!("the runtime cannot start: {error}"), "`bots --virtual` plays without one")
    })?;
    let played = runtime.block_on(playing);
    // A player may still think about a game that is over.
    runtime.shutdown_background();
    Ok(played)
}
