//! A game master with a pen: what goes in and what comes out, as text.

use std::fmt::Write as _;

use game_env::{Seed, SimTime};
use game_project::{Config, RawConfig, Setup};
use reference_gm::project::{Input, Master, News, Output, Settings};
use wire::frame::Decoder;
use wire::project::{AgentNumber, Dialect, Seats};

pub(crate) fn settings(config: Config, dialect: Dialect) -> Settings {
    let epoch = "2026-03-01T12:00:00Z".parse().unwrap();
    Settings { dialect, ..Settings::new(config, Seed::new(7), epoch) }
}

/// A conversation with a game master, written down.
pub(crate) struct Conversation {
    pub(crate) master: Master,
    is_done: bool,
    pub(crate) text: String,
}

impl Conversation {
    pub(crate) fn lobby(settings: Settings) -> Self {
        Self { master: Master::new(settings), is_done: false, text: String::new() }
    }

    /// A situation with agents `#0`, `#1`, … at connections 10, 11, ….
    pub(crate) fn situation(board: &str, rules: &RawConfig, settings: Settings) -> Self {
        let setup: Setup = board.parse().unwrap_or_else(|error| panic!("{error}"));
        let state = setup.play(rules, settings.seed).unwrap_or_else(|error| panic!("{error}"));
        let seats = Seats::new((10..).take(setup.agents.len()).map(AgentNumber).collect());
        let master = Master::take_over(settings, state, seats, SimTime::START);
        Self { master, is_done: false, text: String::new() }
    }

    /// A message of an agent, as the communication server hands it over.
    pub(crate) fn says(&mut self, at: u64, agent: i64, id: i64, payload: &str) {
        self.body(at, &format!(r#"{{"messageID":{id},"agentID":{agent},"payload":{payload}}}"#));
    }

    pub(crate) fn body(&mut self, at: u64, body: &str) {
        writeln!(self.text, "{at:>5} > {body}").unwrap();
        self.input(at, Input::Body(body.as_bytes()));
    }

    pub(crate) fn input(&mut self, at: u64, input: Input<'_>) {
        match input {
            Input::Body(_) => {}
            // Of all settings, the number that the lobby needs.
            Input::Settings(settings) => {
                writeln!(self.text, "{at:>5} > up to {} agents", settings.config.team_size()).unwrap();
            }
            _ => writeln!(self.text, "{at:>5} > {input:?}").unwrap(),
        }
        self.master.handle(SimTime::from_millis(at), input, &mut ());
        while let Some(output) = self.master.poll_output() {
            match output {
                Output::Send(frames) => {
                    let (mut decoder, mut input) = (Decoder::new(u16::MAX), &frames[..]);
                    while let Some(body) = decoder.next(&mut input) {
                        writeln!(self.text, "      < {}", String::from_utf8_lossy(body.unwrap())).unwrap();
                    }
                }
                Output::Report(news) => writeln!(self.text, "      * {}", tell(&news)).unwrap(),
                Output::Done => self.is_done = true,
            }
        }
        if self.is_done {
            writeln!(self.text, "      done").unwrap();
        } else if let Some(until) = self.master.wake_at() {
            writeln!(self.text, "      waits until {until}").unwrap();
        }
    }
}

fn tell(news: &News) -> String {
    format!("{news:?}")
}
