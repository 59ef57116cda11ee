//! A game in process on the virtual clock.

use command_line::{Failure, shown};
use game_env::replay::{Header, Player, Writer};
use game_env::{AgentId, Environment, LONGEST_GAME, Limits, Measured as _, Note, Policy, Rollout, SimTime};
use game_project::{Event, Observation, State};
use sdk::local::Seat;
use sdk::strategy::{Choice, Strategy};
use strategies::project::registry::Shipped;
use whole_file::WholeFile;

use super::arguments::Playing;
use super::blunders::Blunders;
use super::game::Game;
use super::report::Played;
use crate::program::screen::Screen;

pub(crate) fn play(playing: &Playing, game: &Game, screen: &Screen) -> Result<Played, Failure> {
    let mut state = State::new(&game.host.game, game.seed);
    let shipped = game.shipped(&state);
    let replay = match &playing.replay {
        None => None,
        Some(path) => {
            let players = AgentId::all(state.agents()).zip(&shipped);
            let player =
                |(agent, shipped): (_, &&Shipped)| Player::new(state.team(agent), shipped.to_string());
            let program = concat!("bots ", env!("CARGO_PKG_VERSION"));
            let header =
                Header::new::<State>(&game.host.game, game.seed, players.map(player).collect(), program);
            let writer = WholeFile::create(path).and_then(|file| Writer::new(file, &header));
            Some(writer.map_err(|error| unwritable(path, &error))?)
        }
    };
    let blunders = Blunders::new(screen, &game.repetition());
    let mut bench: Vec<Watched<_>> = AgentId::all(state.agents())
        .zip(&shipped)
        .map(|(agent, shipped)| {
            let seat = Seat::new(&state, agent, game.seed, shipped.construct());
            let seat = if replay.is_some() { seat.with_notes() } else { seat };
            Watched { seat, strategy: shipped.to_string(), blunders: blunders.clone() }
        })
        .collect();
    let mut meter = state.meter();
    let mut witness = (&mut meter, replay);
    // Strategies that wait for each other's mistakes would play without end.
    let limits = Limits { time: LONGEST_GAME, ..Limits::default() };
    Rollout { limits, ..Rollout::default() }.play(&mut state, &mut bench, &mut witness);
    let (_, replay) = witness;
    if let (Some(writer), Some(path)) = (replay, &playing.replay) {
        let written = writer.finish().and_then(WholeFile::finish);
        written.map_err(|error| unwritable(path, &error))?;
        screen.say(&format!("the replay is {}; check it with `reference-gm verify`", path.display()));
    }
    Ok(Played { state, statistics: meter.into_statistics(), seats: None, blunders: blunders.sum_up() })
}

fn unwritable(path: &std::path::Path, error: &std::io::Error) -> Failure {
    Failure::undone(
        format!("cannot write the replay {}: {error}", shown(path)),
        "choose another file with --replay",
    )
}

/// A seat whose blunders are reported as they happen.
struct Watched<S> {
    seat: Seat<S>,
    strategy: String,
    blunders: Blunders,
}

impl<S: Strategy> Watched<S> {
    fn tell_blunders(&mut self) {
        for blunder in self.seat.take_blunders() {
            self.blunders.report(&self.strategy, &blunder);
        }
    }
}

impl<S: Strategy> Policy<State> for Watched<S> {
    fn choose(&mut self, now: SimTime, agent: AgentId, seen: &Observation) -> Choice {
        let choice = self.seat.choose(now, agent, seen);
        self.tell_blunders();
        choice
    }

    fn hear(&mut self, now: SimTime, agent: AgentId, event: &Event) {
        self.seat.hear(now, agent, event);
        if matches!(event, Event::Over(_)) {
            self.tell_blunders();
        }
    }

    fn note(&mut self) -> Option<Note> {
        self.seat.note()
    }
}
