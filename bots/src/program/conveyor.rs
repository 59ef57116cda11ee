//! `--game conveyor --connect`: a strategy that plays Conveyor through a controller.

use clients::conveyor::agent::{Played, play};
use clients::conveyor::{End, News, Settings};
use command_line::Failure;
use game_conveyor::State;
use game_conveyor::state::{STEPPER, TURNER};
use game_env::AgentId;
use game_env::notation::fit_for_a_log;
use serde_json::json;

use super::any_game::AnyGame;
use super::print;
use super::screen::Screen;
use super::served::{self, Served};

/// Plays through the controller that the flags name.
pub(crate) fn connect(flags: &AnyGame, controller: &str, screen: &Screen) -> Result<(), Failure> {
    if flags.count() != Some(1) {
        let why = "a controller conducts one game";
        return Err(Failure::misuse(why, "leave out --games and --forever"));
    }
    let served = Served::read::<State>(flags)?;
    let settings = settings(flags)?;
    let report = |news: &News| screen.say(&format!("{} {news}", served.strategy));
    let policy = |player: AgentId| served.policy::<State>(0, player);
    let played = served::wait(play(controller, settings, policy, report))?.map_err(|error| {
        let hint =
            "start one with `reference-gm conveyor controller`, or name another with --connect HOST:PORT";
        Failure::undone(format!("no controller at {controller}: {error}"), hint)
    })?;
    let Served { strategy, seed } = &served;
    let Played { end, player, requests } = &played;
    let name = player.map(wire::conveyor::name);
    print(&if flags.is_json() {
        let document = json!({
            "controller": controller, "player": name, "strategy": strategy, "seed": seed.to_string(),
            "requests": requests, "end": end.to_string(),
            "won": matches!(end, End::Won(winner) if Some(*winner) == *player),
        });
        format!("{document:#}\n")
    } else {
        format!("{end}; {} made {requests} requests, seed {seed}\n", name.unwrap_or("nobody"))
    })?;
    let hint = match end {
        End::Won(_) => return Ok(()),
        End::NobodyWon | End::Lost => "the controller and the board say more",
        End::TurnedAway => "leave out --name, or start another controller",
        End::GaveUp => "its first message says why",
        End::PortForBoards => {
            "players connect to the controller's other port, 5001 unless it was given another"
        }
        End::Unplayable(_) => "is it a controller's port for players?",
    };
    Err(Failure::undone(end.to_string(), hint))
}

fn settings(flags: &AnyGame) -> Result<Settings, Failure> {
    let player = match flags.name() {
        None => None,
        Some(text) => {
            let found = [STEPPER, TURNER]
                .into_iter()
                .find(|player| wire::conveyor::name(*player).eq_ignore_ascii_case(text));
            let misuse = || {
                Failure::misuse(
                    format!("invalid --name `{}`: expected kitteh or supercat", fit_for_a_log(text)),
                    "leave it out to be whichever is free",
                )
            };
            Some(found.ok_or_else(misuse)?)
        }
    };
    // The controller reports only the size: the rest of the board is assumed.
    let (mut hints, mut conveyors) = (None, None);
    for (name, text) in flags.pairs()? {
        let slot = match name.as_str() {
            "hints" => &mut hints,
            "conveyors" => &mut conveyors,
            _ => {
                let name = fit_for_a_log(&name);
                let why = format!("`{name}` is nothing that a player assumes: expected hints or conveyors");
                return Err(Failure::misuse(why, "e.g. `--set conveyors=4`"));
            }
        };
        let number: Result<u16, _> = text.parse();
        *slot = Some(number.map_err(|_| {
            let why = format!("{name} = `{}`: expected a number from 0 to 65535", fit_for_a_log(&text));
            Failure::misuse(why, "e.g. `--set conveyors=4`")
        })?);
    }
    Ok(Settings { player, hints: hints.filter(|hints| *hints > 0), conveyors })
}
