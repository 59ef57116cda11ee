//! `join --game conveyor`: a strategy that plays Conveyor through a controller.

use clap::Args;
use clients::ClientSession as _;
use clients::agent::Played;
use clients::conveyor::{End, News, Session, Settings};
use command_line::Failure;
use game_conveyor::state::{STEPPER, State, TURNER};
use game_env::parameter::{Checked, Parameter};
use game_env::text::fit_for_a_log;
use game_env::{Notation as _, Seed};
use serde_json::{Value, json};
use wire::conveyor::name;

use super::series::pairs;
use super::served::{self, Player};

/// A player of one game. Its session knows all that the summary needs.
pub(super) struct Client;

impl served::Client for Client {
    type Session = Session;
    type Flags = Flags;

    const EXAMPLE: &'static str = "e.g. `bots join 127.0.0.1:5001 --game conveyor`";

    const NO_ANSWER: End = End::NoAnswer;

    fn new(flags: &Flags, _strategy: &str) -> Result<(Self, Session), Failure> {
        Ok((Self, Session::new(settings(flags)?)))
    }

    fn prefix(&self, strategy: &str) -> String {
        format!("{strategy} ")
    }

    fn hear(&mut self, _news: &News) {}

    fn unreached(&self, controller: &str, end: &End) -> Option<Failure> {
        let why = match end {
            End::Unreachable(why) => format!("no controller at {controller}: {why}"),
            End::NoAnswer => served::reason::<Self>(controller, end),
            _ => return None,
        };
        Some(Failure::undone(why, Self::hint(end)?))
    }

    fn document(
        &self,
        controller: &str,
        Player { strategy, seed }: &Player,
        Played { end, session }: &Played<Session>,
    ) -> Value {
        let player = session.player();
        json!({
            "controller": controller, "player": player.map(name), "strategy": strategy, "seed": seed.to_string(),
            "requests": session.requests(), "end": end.to_string(),
            "won": matches!(end, End::Won(winner) if Some(*winner) == player),
        })
    }

    fn text(&self, seed: Seed, Played { end, session }: &Played<Session>) -> String {
        let player = session.player().map_or("nobody", name);
        format!("{end}; {player} made {} requests, seed {seed}\n", session.requests())
    }

    fn hint(end: &End) -> Option<&'static str> {
        Some(match end {
            End::Won(_) | End::Left => return None,
            End::NobodyWon | End::Lost => "the controller and the board say more",
            End::TurnedAway => "leave out --name, or start another controller",
            End::GaveUp => "the first message of the strategy above says why",
            End::PortForBoards => {
                "players connect to the controller's other port, 5001 unless it was given another"
            }
            End::Unreachable(_) | End::NoAnswer => {
                "start one with `reference-gm conveyor controller`, or name another HOST:PORT"
            }
            End::Unplayable(_) => "is it a controller's port for players?",
        })
    }
}

/// The flags of a player of Conveyor.
#[derive(Args)]
pub(super) struct Flags {
    /// The player: kitteh or supercat [default: the one that is free].
    #[arg(long)]
    name: Option<String>,
    /// The assumed number of hints or conveyors of the board, e.g. `--set conveyors=4`.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
}

fn settings(flags: &Flags) -> Result<Settings, Failure> {
    let player = match flags.name.as_deref() {
        None => None,
        Some(text) => {
            let found = [STEPPER, TURNER].into_iter().find(|player| name(*player).eq_ignore_ascii_case(text));
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
    let is_assumed = |known: &&Parameter| ["hints", "conveyors"].contains(&known.name);
    let assumed: Vec<Parameter> = State::parameters().iter().filter(is_assumed).copied().collect();
    let asked = pairs(&flags.set, &assumed)?;
    let checked = Checked::read(&assumed, &asked)
        .map_err(|error| Failure::misuse(error.to_string(), "e.g. `--set conveyors=4`"))?;
    let given = |name: &str| asked.get(name).map(|_| checked.whole(name));
    Ok(Settings { player, hints: given("hints").filter(|hints| *hints > 0), conveyors: given("conveyors") })
}
