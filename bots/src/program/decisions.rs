//! `bots decisions`: the decisions of an agent of a replay, as the lines of the agent protocol or as a Rust test.

use std::path::PathBuf;

use clap::Args;
use command_line::{Failure, chain, print, read_file, shown, tell};
use game_env::replay::Reader;
use game_env::rollout::Input;
use game_env::{AgentId, SimTime};
use strategies::programs::RecordedError;
use strategies::recorded_game::RecordedGame;
use strategies::room::{self, Room};
use study::moment::Moment;

use super::rooms;
use super::study::LONGEST_REPLAY;

/// Flags of `bots decisions`.
#[derive(Args)]
#[command(after_help = "Example: bots decisions lost.replay --agent 3 --at 0:10.35 > lines.jsonl\n\
                        A replay has no decisions to wait, so there are no lines for them.")]
pub(crate) struct Deciding {
    /// The replay.
    replay: PathBuf,
    /// The id of the agent, from 0.
    #[arg(long, value_name = "NUMBER")]
    agent: u16,
    /// End with the first decision from this moment on: a game time such as 2:31.5, or a number of actions.
    #[arg(long, value_name = "MOMENT")]
    at: Option<Moment>,
    /// Print a Rust test of this decision instead; for The Project Game
    #[arg(long, requires = "at")]
    rust: bool,
}

/// A recorded decision of an agent.
pub(crate) struct Decision {
    /// The name of the replay's file.
    pub(crate) file: String,
    pub(crate) agent: AgentId,
    /// The number of the agent's actions before it.
    pub(crate) number: usize,
    /// Its moment, for people.
    pub(crate) at: String,
    /// The action that the agent asked for.
    pub(crate) action: String,
}

/// Writes the lines of a replay's agent, or the test of one decision.
///
/// # Errors
///
/// If the replay cannot be played or has no such agent or decision, or the lines cannot be written.
pub(crate) fn decisions(deciding: &Deciding) -> Result<(), Failure> {
    let agent = AgentId::new(deciding.agent);
    let replay = read_file(&deciding.replay, LONGEST_REPLAY)
        .map_err(|error| misuse(format!("cannot read {}: {error}", shown(&deciding.replay))))?;
    let (room, reader) = deciding.open(&replay)?;
    let decision = match deciding.at {
        Some(at) => Some(deciding.decision(room, reader, agent, at)?),
        None => None,
    };
    if let Some(decision) = decision.as_ref().filter(|_| deciding.rust) {
        return print(&deciding.rust_test(room, decision)?);
    }
    let (room, reader) = deciding.open(&replay)?;
    let mut lines = Vec::new();
    let last = decision.as_ref().map(|decision| decision.number);
    room.recorded(reader, agent, last, &mut lines).map_err(|error| deciding.unwritten(&error))?;
    let lines = String::from_utf8_lossy(&lines);
    print(&lines)?;
    if let Some(Decision { at, action, .. }) = decision {
        let number = lines.lines().count();
        tell(&format!(
            "line {number}, the last one, is the decision at {at}: the agent asked for `{action}`"
        ));
    }
    Ok(())
}

impl Deciding {
    /// Opens the replay in these bytes.
    ///
    /// # Errors
    ///
    /// If it is none, or one of a game without strategies.
    fn open<'a>(&self, replay: &'a [u8]) -> Result<(&'static dyn Room, Reader<'a>), Failure> {
        let reader = Reader::open(replay).map_err(|error| self.unreadable(&chain(&error)))?;
        let room = room::find(&reader.header().game).map_err(|error| self.unreadable(&chain(&error)))?;
        Ok((room, reader))
    }

    fn unreadable(&self, error: &str) -> Failure {
        misuse(format!("{}: {error}", shown(&self.replay)))
    }

    /// Returns the reason why there are no lines, with a hint.
    fn unwritten(&self, error: &RecordedError) -> Failure {
        let why = format!("{}: {}", shown(&self.replay), chain(error));
        match error {
            RecordedError::Agent { .. } => Failure::misuse(why, "name one of these agents with `--agent`"),
            RecordedError::NoLine { .. } => {
                Failure::misuse(why, "name a later moment with `--at`, or use `--rust`")
            }
            _ => misuse(why),
        }
    }

    /// Returns the first decision of the agent from this moment on.
    ///
    /// # Errors
    ///
    /// If there is none.
    fn decision(
        &self,
        room: &dyn Room,
        reader: Reader<'_>,
        agent: AgentId,
        from: Moment,
    ) -> Result<Decision, Failure> {
        let game = room.recorded_game(reader).map_err(|error| self.unreadable(&chain(&error)))?;
        let agents = game.header().players.len();
        if agent.index() >= agents {
            return Err(self.unwritten(&RecordedError::Agent { agent, agents }));
        }
        from.inputs(&*game)
            .map_err(|error| Failure::misuse(error.to_string(), "name a moment of the recorded game"))?;
        let actions = actions(&*game, agent);
        let is_due = |(index, at): (usize, SimTime)| match from {
            Moment::Time(time) => at >= time,
            Moment::Inputs(inputs) => index + 1 >= inputs,
        };
        let found = actions.iter().position(|(index, at, _)| is_due((*index, *at)));
        let Some(number) = found else {
            let last = actions.last().map(|(index, ..)| Moment::after(&game.moments(), index + 1));
            let last = last.map_or_else(|| "it has none".to_owned(), |at| format!("its last one is at {at}"));
            let why =
                format!("agent {agent} has no action from {from} on in {}: {last}", shown(&self.replay));
            return Err(Failure::misuse(why, "name an earlier moment"));
        };
        let (index, _, action) = &actions[number];
        let file = self.replay.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let at = Moment::after(&game.moments(), index + 1).named();
        Ok(Decision { file, agent, number, at, action: action.clone() })
    }

    /// Returns a Rust test of a decision.
    ///
    /// # Errors
    ///
    /// If crates of authors have none in this game.
    fn rust_test(&self, room: &dyn Room, decision: &Decision) -> Result<String, Failure> {
        let write = rooms::find(Some(room.game().name()))?.decision_test();
        let write = write.ok_or_else(|| {
            let file = shown(&self.replay);
            let why = format!("{file} is a game of {}: no Rust test is written for it", room.game().name());
            Failure::misuse(why, "omit `--rust` for the lines of the agent protocol")
        })?;
        Ok(write(decision))
    }
}

/// Returns the actions of an agent: for each the number of inputs before it, its moment and its text.
fn actions(game: &dyn RecordedGame, agent: AgentId) -> Vec<(usize, SimTime, String)> {
    let inputs = game.inputs().into_iter().enumerate();
    let of_agent = inputs.filter_map(|(index, input)| match input {
        Input::Action { at, agent: own, action } if own == agent => Some((index, at, action)),
        _ => None,
    });
    of_agent.collect()
}

fn misuse(why: String) -> Failure {
    Failure::misuse(why, "name a replay of `bots --replay FILE`")
}
