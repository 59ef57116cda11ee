//! Plays matches of all games in process, on the virtual clock.

use std::io::Write;
use std::sync::Arc;

use game_env::matches::MatchSpec;
use game_env::replay::Reader;
use game_env::{Parameters, Termination};
use strategies::programs::{Programs, measured};
use strategies::recorded_game::RecordedGame;
use strategies::room::{self, Rooms};

use crate::executor::{CannotPlay, Executor, HOST_FAULT, Log, Played};
use crate::games::{ConfigFault, Configured, Games};

/// The games of the catalogue with the strategies of their rooms.
#[derive(Clone, Debug)]
pub struct InProcess {
    program: String,
    rooms: Rooms,
    programs: Option<Arc<dyn Programs>>,
    checks_host: bool,
}

impl InProcess {
    /// The name of this executor.
    pub const NAME: &str = "in-process";

    /// Creates an executor for a program of this name and version, with the shipped strategies.
    pub fn new(program: impl Into<String>) -> Self {
        Self { program: program.into(), rooms: Rooms::shipped(), programs: None, checks_host: true }
    }

    /// Returns the same executor with the strategies of these rooms.
    pub fn with(self, rooms: Rooms) -> Self {
        Self { rooms, ..self }
    }

    /// Returns the same executor, which also counts matches in which this machine was too slow for a limited decision.
    pub fn without_host_check(self) -> Self {
        Self { checks_host: false, ..self }
    }

    /// Returns the same executor, which also plays entrants that are programs: it starts their commands.
    pub fn with_programs(self, programs: &Arc<dyn Programs>) -> Self {
        let rooms = self.rooms.with_programs(programs);
        Self { rooms, programs: Some(Arc::clone(programs)), ..self }
    }

    /// Takes the report of the first program since the last call that could not begin its match, if any.
    pub(crate) fn take_unready(&self) -> Option<String> {
        self.programs.as_ref()?.take_unready()
    }

    /// Returns the game of a replay, to be studied.
    ///
    /// # Errors
    ///
    /// If it is no replay of a game that this executor plays.
    pub fn recorded_game(&self, replay: &[u8]) -> Result<Box<dyn RecordedGame>, String> {
        let reader = Reader::open(replay).map_err(|error| error.to_string())?;
        let room = self.rooms.find(&reader.header().game).map_err(|error| error.to_string())?;
        room.recorded_game(reader).map_err(|error| error.to_string())
    }

    /// Returns the shipped strategy of a game by which the decisions of others are judged; none if there is no such
    /// game.
    pub fn reference(&self, game: &str) -> Option<&'static str> {
        self.rooms.find(game).ok().map(|room| room.reference())
    }
}

impl Executor for InProcess {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn program(&self) -> &str {
        &self.program
    }

    fn play(&self, spec: &MatchSpec, with_replay: bool) -> Result<Played, CannotPlay> {
        let room = self.rooms.find(&spec.game).map_err(|error| CannotPlay(error.to_string()))?;
        let mut replay = with_replay.then(Vec::new);
        let out = replay.as_mut().map(|replay| replay as &mut dyn Write);
        let played = || room.play(spec, &self.program, out);
        let played =
            if self.checks_host { measured(spec, played) } else { played().map(|record| (record, None)) };
        let (mut record, doubt) = played.map_err(|error| CannotPlay(error.to_string()))?;
        let mut logs = Vec::new();
        let failed = record.outcome.termination == Termination::HostFault;
        let report = || record.first_blunders.first().cloned();
        if let Some(text) = doubt.or_else(|| failed.then(report).flatten()) {
            logs.push(Log { source: HOST_FAULT.to_owned(), text });
            record.outcome.termination = Termination::HostFault;
        }
        Ok(Played::in_process(record, replay, logs))
    }
}

impl Games for InProcess {
    fn games(&self) -> Vec<&str> {
        game_catalogue::games().iter().map(|game| game.name()).collect()
    }

    fn presets(&self, game: &str) -> Vec<&str> {
        let game = game_catalogue::find(game);
        game.map_or_else(|_| Vec::new(), |game| game.presets().iter().map(|preset| preset.name).collect())
    }

    fn configure(
        &self,
        game: &str,
        preset: Option<&str>,
        values: &Parameters,
    ) -> Result<Configured, Vec<ConfigFault>> {
        let whole = |text: String| vec![ConfigFault { parameter: None, text }];
        let game = game_catalogue::find(game).map_err(|error| whole(error.to_string()))?;
        let preset = preset.map(|name| game_catalogue::preset(game, name)).transpose();
        let preset = preset.map_err(|error| whole(error.to_string()))?;
        let asked = preset.map_or_else(|| values.clone(), |preset| values.over(&preset.parameters));
        let config = game.complete(&asked).map_err(|error| ConfigFault::of(&error))?;
        let teams = game.teams(&config).map_err(|error| ConfigFault::of(&error))?;
        Ok(Configured { config, teams })
    }

    fn line_up(&self, game: &str, text: &str) -> Result<Vec<String>, String> {
        self.rooms.find(game).map_err(|error| error.to_string())?.line_up(text)
    }

    fn own_strategy<'n>(&self, game: &str, strategies: &'n [String]) -> Option<&'n str> {
        let shipped = room::find(game).ok()?;
        strategies.iter().map(String::as_str).find(|name| shipped.line_up(name).is_err())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use game_env::Seed;
    use game_env::matches::MatchLimits;

    use super::*;

    /// Returns a match of Dots & Boxes that was played to its end.
    pub(crate) fn played(with_replay: bool) -> Played {
        let spec = MatchSpec {
            game: "dots".to_owned(),
            config: Parameters::new(),
            seed: Seed::new(7),
            entrants: ["greedy", "random"].map(str::to_owned).to_vec(),
            limits: MatchLimits::default(),
        };
        InProcess::new("tests 1.0").play(&spec, with_replay).expect("it can be played")
    }

    #[test]
    fn an_unknown_preset_is_a_fault() {
        let plays = InProcess::new("tests 1.0");
        let configure = |preset| plays.configure("dots", Some(preset), &Parameters::new());
        assert!(configure("small").is_ok());
        let faults = configure("smal").expect_err("it is unknown");
        let expected = "unknown preset `smal`: expected one of small, original, large; did you mean `small`?";
        assert_eq!(faults, [ConfigFault { parameter: None, text: expected.to_owned() }]);
    }
}
