//! `--game dots --connect`: a strategy that plays Dots & Boxes on a server.

use std::cell::RefCell;

use bots::room;
use command_line::Failure;
use game_dots::State;
use game_env::{Notation as _, Parameters, Policy, Seed, Value};
use sdk::dots::agent::play;
use sdk::dots::{End, News, Settings};
use serde_json::json;
use wire::dots::Name;

use super::any_game::AnyGame;
use super::game::drawn_seed;
use super::print;
use super::screen::Screen;

/// The variable that holds the token of a player that another program was before.
const TOKEN: &str = "DOTS_TOKEN";

/// Plays on the server that the flags name.
pub(crate) fn connect(flags: &AnyGame, server: &str, screen: &Screen) -> Result<(), Failure> {
    let strategy = flags.only_strategy()?;
    let seed = flags.seed().unwrap_or_else(drawn_seed);
    let check = room::policy::<State>(&strategy, seed.game(), None);
    check.map_err(|error| Failure::misuse(error, "`bots list` shows the strategies"))?;
    let settings = settings(flags, &strategy)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::undone(format!("the runtime cannot start: {error}"), "`--virtual` plays without one")
    })?;
    let name = settings.name.clone();
    let games = RefCell::new(Vec::new());
    let report = |news: &News| {
        if let News::Over { own, others } = news {
            games.borrow_mut().push((*own, *others));
        }
        screen.say(&format!("{name}: {news}"));
    };
    // Each game has its own seed, as the games of a series here have.
    let policy = |game: u32, player| -> Box<dyn Policy<State>> {
        let seed = Seed::new(seed.get().wrapping_add(game.into()));
        room::policy::<State>(&strategy, seed.agent(player), None).expect("the strategy was checked")
    };
    let end = runtime.block_on(play(server, settings, policy, report));
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
        let count = if games.len() == 1 { "1 game".to_owned() } else { format!("{} games", games.len()) };
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
    let name: Name = text
        .parse()
        .map_err(|error| Failure::misuse(format!("invalid --name `{text}`: {error}"), "e.g. `--name Ada`"))?;
    let token = AnyGame::token(TOKEN)?;
    let mut own = Parameters::new();
    for (name, value) in flags.pairs()? {
        own.push(&name, Value::guess(&value));
    }
    let grid = State::read_config(&own)
        .map_err(|error| Failure::misuse(error.to_string(), "e.g. `--set rows=5 --set cols=5`"))?;
    Ok(Settings { token, grid, games: flags.count(), ..Settings::new(name) })
}
