//! `--game eriantys --connect`: a strategy that plays Eriantys on a server.

use std::cell::RefCell;

use clients::eriantys::agent::play;
use clients::eriantys::{End, News, Settings};
use command_line::Failure;
use game_env::Notation as _;
use game_env::notation::{counted, fit_for_a_log};
use game_eriantys::State;
use serde_json::json;
use wire::eriantys::Nickname;

use super::any_game::AnyGame;
use super::print;
use super::screen::Screen;
use super::served::{self, Served};

/// The variable with the token of the player in the match that the flags name.
const TOKEN: &str = "ERIANTYS_TOKEN";

/// Plays on the server that the flags name.
pub(crate) fn connect(flags: &AnyGame, server: &str, screen: &Screen) -> Result<(), Failure> {
    let served = Served::read::<State>(flags)?;
    let settings = settings(flags, &served.strategy)?;
    let name = settings.nickname.clone();
    let matches = RefCell::new(Vec::new());
    let report = |news: &News| {
        if let News::Over { has_won, is_tie, .. } = news {
            matches.borrow_mut().push((*has_won, *is_tie));
        }
        screen.say(&format!("{name}: {news}"));
    };
    let policy = |game: u32, player| served.policy::<State>(game, player);
    let end = served::wait(play(server, settings, policy, report))?;
    let Served { strategy, seed } = served;
    let matches = matches.into_inner();
    let tied = matches.iter().filter(|(has_won, is_tie)| *has_won && *is_tie).count();
    let won = matches.iter().filter(|(has_won, _)| *has_won).count() - tied;
    let lost = matches.len() - won - tied;
    print(&if flags.is_json() {
        let document = json!({
            "server": server, "name": name.as_str(), "strategy": strategy, "seed": seed.to_string(),
            "won": won, "lost": lost, "tied": tied, "end": end.to_string(),
        });
        format!("{document:#}\n")
    } else {
        let count = counted(matches.len() as u64, "match", "matches");
        format!("{count}: won {won}, lost {lost}, tied {tied}; seed {seed}\n")
    })?;
    let hint = match end {
        End::Played => return Ok(()),
        End::TurnedAway(_) => "choose another --name",
        End::Missed | End::GaveUp => "its messages say more",
        End::Unreachable(_) => {
            "start a server with `reference-gm eriantys serve`, or name another with --connect HOST:PORT"
        }
        End::Unplayable(_) => "is it a server of Eriantys?",
    };
    Err(Failure::undone(end.to_string(), hint))
}

fn settings(flags: &AnyGame, strategy: &str) -> Result<Settings, Failure> {
    // The part of a strategy before its parameters is short.
    let text = flags.name().unwrap_or_else(|| strategy.split(':').next().unwrap_or(strategy));
    let nickname: Nickname = text.parse().map_err(|error| {
        Failure::misuse(format!("invalid --name `{}`: {error}", fit_for_a_log(text)), "e.g. `--name Ada`")
    })?;
    let config = State::read_config(&served::parameters(flags)?)
        .map_err(|error| Failure::misuse(error.to_string(), "e.g. `--set players=3 --set expert=true`"))?;
    if config.characters().is_some() {
        return Err(Failure::misuse("the server draws the characters", "leave out `--set characters`"));
    }
    let (number, token) = (flags.number(), AnyGame::token(TOKEN)?);
    Ok(Settings { number, token, games: flags.count(), ..Settings::new(nickname, config) })
}
