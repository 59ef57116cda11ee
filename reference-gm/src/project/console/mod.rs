//! The lines for the operator: the lobby, the start, each point, and the statistics at the end.

mod report;

use std::io::Write;

use game_env::Notation as _;
use game_env::{AgentId, ByTeam, Disruption, Environment, SimTime, Witness};
use game_project::{Action, State};

pub use self::report::{called_off, table};

use crate::project::link::Observer;
use crate::project::master::{Master, News};
use crate::project::players::{header, relaxed_rules, silence};
use crate::recorder::Recorder;

/// An [`Observer`] that writes lines for people, and a replay beside.
///
/// It shows only some lines a second about events that others can cause as often as they like, and counts the rest.
pub struct Console<W> {
    out: W,
    recorder: Recorder,
    /// Number of times that each of [`Flood::ALL`] happened in this second.
    happened: [u64; Flood::ALL.len()],
}

/// Events that others can cause as often as they like.
#[derive(Clone, Copy)]
enum Flood {
    Comings,
    TurnedAway,
    Unsent,
    Senseless,
}

impl Flood {
    const ALL: [Self; 4] = [Self::Comings, Self::TurnedAway, Self::Unsent, Self::Senseless];

    /// Returns the number of lines shown in a second. For joins and losses it is as large as an operator can read
    /// while two teams come.
    const fn most(self) -> u64 {
        match self {
            Self::Comings => 100,
            Self::TurnedAway | Self::Unsent | Self::Senseless => 10,
        }
    }

    const fn summary(self) -> &'static str {
        match self {
            Self::Comings => "more joins or losses not shown",
            Self::TurnedAway => "more rejected agents not shown",
            Self::Unsent => "more messages that were too long not shown",
            Self::Senseless => "more invalid messages not shown",
        }
    }
}

impl<W: Write> Console<W> {
    /// Writes to `out`, a line a call.
    pub fn new(out: W, recorder: Recorder) -> Self {
        Self { out, recorder, happened: [0; Flood::ALL.len()] }
    }

    /// Returns the recorder, once the game is over.
    pub fn into_recorder(self) -> Recorder {
        self.recorder
    }

    fn say(&mut self, line: &str) {
        // A console that is gone is no reason to stop a game.
        let _ = self.out.write_all(format!("{line}\n").as_bytes());
    }

    fn say_some(&mut self, flood: Flood, line: &str) {
        self.happened[flood as usize] += 1;
        if self.happened[flood as usize] <= flood.most() {
            self.say(line);
        }
    }

    /// Prints the number of events of each kind that were not shown.
    fn sum_up(&mut self) {
        for flood in Flood::ALL {
            let happened = std::mem::take(&mut self.happened[flood as usize]);
            if happened > flood.most() {
                self.say(&format!("{} {}", happened - flood.most(), flood.summary()));
            }
        }
    }
}

impl<W: Write> Observer for Console<W> {
    fn news(&mut self, master: &Master, news: &News) {
        match news {
            News::Joined { agent, team } => {
                self.say_some(Flood::Comings, &format!("agent {agent} joins {team}"));
            }
            News::TurnedAway { agent, team } => {
                self.say_some(
                    Flood::TurnedAway,
                    &format!("agent {agent} is rejected: {team} takes no more agents"),
                );
            }
            News::Foreign { agent, habit, is_adapted: true } => {
                let told = match habit {
                    _ if habit.waits_for_acknowledgements() => "; it receives messages 112 and 113",
                    _ if habit.reads_numbers_as_strings() => "; it receives penalties as strings",
                    _ => "",
                };
                let line =
                    format!("agent {agent} writes like agents of other implementations ({habit}){told}");
                self.say_some(Flood::Comings, &line);
            }
            News::Foreign { agent, habit, is_adapted: false } => {
                let line = format!(
                    "warning: agent {agent} writes like agents of other implementations ({habit}) and may not understand the spec dialect\n\
                     hint: start the game master with `--dialect auto`, the default, or with `--dialect union`"
                );
                self.say_some(Flood::Comings, &line);
            }
            News::Silent { agents, span } => {
                let text = silence(agents, *span, master.settings());
                self.say(&format!("warning: {text}"));
            }
            News::Lost { agent } => self.say_some(Flood::Comings, &format!("agent {agent} is gone")),
            News::CannotStart { without } => {
                self.say(&format!("the game cannot start: {without} has no agents"));
            }
            News::StartTooLong { length } => {
                let most = master.settings().longest_message;
                self.say(&format!(
                    "the game cannot start: message 105 has {length} bytes, and maxMessageBytes is {most}"
                ));
            }
            News::Configured => self.say("the settings are changed"),
            News::NotConfigured(reason) => self.say(&format!("the settings stay as they are: {reason}")),
            News::CalledOff => {
                self.sum_up();
                self.say("the game is called off");
            }
            News::Started => {
                let started = master.game().zip(header(master, &ByTeam::default()));
                let Some((state, header)) = started else { return };
                let [red, blue] = state.config().agents().into_inner();
                // Not known before: the operator may choose another one until the start.
                let seed = master.settings().seed;
                self.say(&format!("the game starts: {red} red, {blue} blue, seed {seed}"));
                if let Some(text) = relaxed_rules(&master.settings().config, state.config()) {
                    self.say(&text);
                }
                if let Err(error) = self.recorder.begin(&header) {
                    self.say(&format!("warning: {error}: {}; the game goes on without it", source(&error)));
                }
            }
            News::Scored { team } => {
                let Some(state) = master.game() else { return };
                let [red, blue] = state.points().into_inner();
                self.say(&format!("{}  {team} scores: red {red}, blue {blue}", state.clock()));
            }
            News::Over(outcome) => {
                self.sum_up();
                self.say(&outcome.text(State::TEAM_NAMES));
            }
            News::Unsent { to, message, length } => {
                let most = master.settings().longest_message;
                let line = format!(
                    "message {message} for agent {to} has {length} bytes, more than {most}, and is not sent"
                );
                self.say_some(Flood::Unsent, &line);
            }
            News::Senseless { agent, reason } => {
                let from = agent.map_or_else(|| "somebody".to_owned(), |agent| format!("agent {agent}"));
                self.say_some(Flood::Senseless, &format!("from {from}: {reason}"));
            }
        }
    }

    fn nonsense(&mut self, reason: &str) {
        self.say_some(Flood::Senseless, &format!("from the communication server: {reason}"));
    }

    fn second(&mut self, _: &Master) {
        self.sum_up();
        if let Err(error) = self.recorder.flush() {
            self.say(&format!("warning: {error}: {}; the game goes on without it", source(&error)));
        }
    }
}

fn source(error: &dyn std::error::Error) -> String {
    error.source().map(ToString::to_string).unwrap_or_default()
}

impl<W: Write> Witness<State> for Console<W> {
    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        self.recorder.action(state, now, agent, action);
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        self.recorder.disruption(state, now, disruption);
    }

    fn end(&mut self, state: &State, now: SimTime) {
        self.recorder.end(state, now);
    }
}
