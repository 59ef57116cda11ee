//! `join --game eriantys`: a strategy that plays Eriantys on a server.

use clap::Args;
use clients::agent::Played;
use clients::eriantys::{End, News, Session, Settings};
use command_line::Failure;
use game_env::text::counted;
use game_env::{Notation as _, Seed, SimTime};
use game_eriantys::State;
use serde_json::{Value, json};
use wire::eriantys::Nickname;

use super::series::pairs;
use super::served::{self, Player, PlayerFlags};

/// The variable with the token of the player in the match that the flags name.
const TOKEN: &str = "ERIANTYS_TOKEN";

/// The client's nickname, and the numbers of matches that it has won, lost and tied.
pub(super) struct Client {
    nickname: Nickname,
    won: u64,
    lost: u64,
    tied: u64,
}

impl served::Client for Client {
    type Session = Session;
    type Flags = Flags;

    const EXAMPLE: &'static str = "e.g. `bots join 127.0.0.1:4000 --game eriantys`";

    const NO_ANSWER: End = End::NoAnswer;

    fn new(flags: &Flags, strategy: &str) -> Result<(Self, Session), Failure> {
        let settings = settings(flags, strategy)?;
        let room = Self { nickname: settings.nickname.clone(), won: 0, lost: 0, tied: 0 };
        Ok((room, Session::new(settings, SimTime::START)))
    }

    fn prefix(&self, _strategy: &str) -> String {
        format!("{}: ", self.nickname)
    }

    fn hear(&mut self, news: &News) {
        match news {
            News::Over { has_won: true, is_tie: true, .. } => self.tied += 1,
            News::Over { has_won: true, .. } => self.won += 1,
            News::Over { .. } => self.lost += 1,
            _ => {}
        }
    }

    fn unreached(&self, _server: &str, _end: &End) -> Option<Failure> {
        None
    }

    fn document(&self, server: &str, Player { strategy, seed }: &Player, played: &Played<Session>) -> Value {
        let Self { nickname, won, lost, tied } = self;
        json!({
            "server": server, "name": nickname.as_str(), "strategy": strategy, "seed": seed.to_string(),
            "won": won, "lost": lost, "tied": tied, "end": played.end.to_string(),
        })
    }

    fn text(&self, seed: Seed, _played: &Played<Session>) -> String {
        let Self { won, lost, tied, .. } = self;
        let count = counted(won + lost + tied, "match", "matches");
        format!("{count}: won {won}, lost {lost}, tied {tied}; seed {seed}\n")
    }

    fn hint(end: &End) -> Option<&'static str> {
        Some(match end {
            End::Played | End::Left => return None,
            End::TurnedAway(_) => "choose another --name, or another --match",
            End::Missed | End::GaveUp => "its messages say more",
            End::Unreachable(_) | End::NoAnswer => {
                "start a server with `reference-gm eriantys serve`, or name another HOST:PORT"
            }
            End::Unplayable(_) => "is it a server of Eriantys?",
        })
    }
}

/// The flags of a player of Eriantys.
#[derive(Args)]
pub(super) struct Flags {
    #[command(flatten)]
    player: PlayerFlags,
    /// Join the match with this number, or come back to it.
    #[arg(long = "match", value_name = "NUMBER", conflicts_with_all = ["forever", "games"])]
    number: Option<u64>,
}

fn settings(Flags { player, number }: &Flags, strategy: &str) -> Result<Settings, Failure> {
    let nickname: Nickname = player.name(strategy)?;
    let config = State::read_config(&pairs(&player.set, State::parameters())?)
        .map_err(|error| Failure::misuse(error.to_string(), "e.g. `--set players=3 --set expert=true`"))?;
    if config.characters().is_some() {
        return Err(Failure::misuse("the server draws the characters", "leave out `--set characters`"));
    }
    let (number, token) = (*number, served::token(TOKEN)?);
    Ok(Settings { number, token, games: player.count(), ..Settings::new(nickname, config) })
}
