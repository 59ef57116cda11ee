//! `--game dots --connect`: a strategy that plays Dots & Boxes on a server.

use std::cell::RefCell;

use clients::dots::agent::play;
use clients::dots::{End, News, Settings};
use command_line::Failure;
use game_dots::State;
use game_env::Notation as _;
use game_env::notation::{counted, fit_for_a_log};
use serde_json::json;
use wire::dots::Name;

use super::any_game::AnyGame;
use super::print;
use super::screen::Screen;
use super::served::{self, Served};

/// The variable that holds the token of a player that another program was before.
const TOKEN: &str = "DOTS_TOKEN";

/// Plays on the server that the flags name.
pub(crate) fn connect(flags: &AnyGame, server: &str, screen: &Screen) -> Result<(), Failure> {
    let served = Served::read::<State>(flags)?;
    let settings = settings(flags, &served.strategy)?;
    let name = settings.name.clone();
    let games = RefCell::new(Vec::new());
    let report = |news: &News| {
        if let News::Over { own, others } = news {
            games.borrow_mut().push((*own, *others));
        }
        screen.say(&format!("{name}: {news}"));
    };
    let policy = |game: u32, player| served.policy::<State>(game, player);
    let end = served::wait(play(server, settings, policy, report))?;
    let Served { strategy, seed } = served;
    let games = games.into_inner();
    let count =
        |order: std::cmp::Ordering| games.iter().filter(|(own, others)| own.cmp(others) == order).count();
    let [won, lost, tied] =
        [std::cmp::Ordering::Greater, std::cmp::Ordering::Less, std::cmp::Ordering::Equal].map(count);
    print(&if flags.is_json() {
        let games: Vec<_> = games.iter().map(|(own, others)| json!([own, others])).collect();
        let document = json!({
            "server": server, "name": name.as_str(), "strategy": strategy, "seed": seed.to_string(),
            "games": games, "won": won, "lost": lost, "tied": tied, "end": end.to_string(),
        });
        format!("{document:#}\n")
    } else {
        let count = counted(games.len() as u64, "game", "games");
        format!("{count}: won {won}, lost {lost}, tied {tied}; seed {seed}\n")
    })?;
    let hint = match &end {
        End::Played => return Ok(()),
        End::GaveUp => "its first message says why",
        End::TurnedAway => "choose another --name; a name is free a minute after its player was lost",
        End::Expelled(_) => "the server's log says more",
        End::Unreachable(_) => {
            "start one with `reference-gm dots serve`, or name another with --connect HOST:PORT"
        }
        End::Unplayable(_) => "a server without the message `grid` needs --set rows=… and --set cols=…",
    };
    Err(Failure::undone(end.to_string(), hint))
}

fn settings(flags: &AnyGame, strategy: &str) -> Result<Settings, Failure> {
    let text = match flags.name() {
        Some(name) => name.to_owned(),
        // The part of a strategy before its parameters is short and has no `|`.
        None => strategy.split(':').next().unwrap_or(strategy).to_owned(),
    };
    let name: Name = text.parse().map_err(|error| {
        Failure::misuse(format!("invalid --name `{}`: {error}", fit_for_a_log(&text)), "e.g. `--name Ada`")
    })?;
    let token = AnyGame::token(TOKEN)?;
    let grid = State::read_config(&served::parameters(flags)?)
        .map_err(|error| Failure::misuse(error.to_string(), "e.g. `--set rows=5 --set cols=5`"))?;
    Ok(Settings { token, grid, games: flags.count(), ..Settings::new(name) })
}
