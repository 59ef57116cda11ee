//! Compares strategies of the caller by a sequential test, and plays one of their games again.
//!
//! The test and the matches are those of [`crate::comparison`]. This module makes the agents of the game from
//! strategies, and says what happened in a game that is played again.

use std::fmt;
use std::io::{self, Write};

use game_env::matches::{MatchRecord, MatchSpec, PlayError};
use game_env::{AgentId, Seed};
use game_project::profile::Profile;
use game_project::{Config, State, Team};
use sdk::local::Seat;
use sdk::testing::{DecisionLog, Recorder, recorded};
use strategies::project::registry::BoxedStrategy;

use super::contest::Construct;
use crate::comparison::{self, Sides};
use crate::text;

/// The most times of a game that its text names.
const MOST_TIMES: usize = 5;

/// One side of a comparison.
pub type Side<'a> = comparison::Side<'a, Construct<'a>>;

/// Two sides on a board.
#[derive(Clone, Copy)]
pub struct Comparison<'a>(Sides<'a, State, Construct<'a>>);

/// The result of a comparison.
pub type Compared = comparison::Compared<Team>;

/// A game of a comparison that is worth a look.
pub type GameToSee = comparison::GameToSee<Team>;

/// A game that was played again. Its text names the winner, the numbers of tries, and the times in which the
/// sides differ most.
#[derive(Clone, PartialEq, Debug)]
pub struct Replayed {
    /// The outcome and the metrics.
    pub record: MatchRecord,
    /// The knowledge and the decisions of each agent of the first side, as [`recorded`] shows them: recorded while the
    /// game was played again, so decisions to wait are among them.
    pub decisions: String,
    /// The names of the sides.
    names: [String; 2],
    /// The team of the first side.
    team: Team,
    goals: u32,
}

impl<'a> Comparison<'a> {
    /// Creates a comparison of these sides.
    ///
    /// # Panics
    ///
    /// Panics if both sides have the same name: their games could not be told apart.
    pub fn new(config: &'a Config, first: Side<'a>, second: Side<'a>) -> Self {
        Self(Sides::new(config, first, second))
    }

    /// Plays mirrored pairs on all cores until the test has decided, or until there are this many pairs. The result
    /// does not depend on the number of cores.
    ///
    /// # Errors
    ///
    /// If a game cannot be played.
    pub fn run(&self, seed: Seed, most_pairs: u64) -> Result<Compared, PlayError> {
        let play = |spec: &MatchSpec| {
            let seat = |state: &State, agent, side: &Side<'a>, place| {
                Seat::new(state, agent, spec.seed, (side.construct)(place))
            };
            self.0.play(spec, seat, None)
        };
        Ok(self.0.run(seed, most_pairs, &play)?.map_teams(|team| Team::ALL[team.index()]))
    }

    /// Plays the game with this seed in which the first side is this team, records what its agents decide, and writes
    /// the replay, with the names of the sides and the remarks of the strategies.
    ///
    /// # Errors
    ///
    /// If the replay cannot be written.
    pub fn again(&self, seed: Seed, team: Team, replay: &mut dyn Write) -> Result<Replayed, PlayError> {
        let spec = self.0.spec_again(seed, team.into());
        let own: Vec<(AgentId, DecisionLog)> = AgentId::all(spec.entrants.len())
            .zip(&spec.entrants)
            .filter(|(_, name)| **name == self.0.sides[0].name)
            .map(|(agent, _)| (agent, DecisionLog::default()))
            .collect();
        let seat = |state: &State, agent, side: &Side<'a>, place| -> Recorder<BoxedStrategy> {
            let log = own.iter().find(|(own, _)| *own == agent).map(|(_, log)| log.clone());
            let seat = Seat::new(state, agent, spec.seed, (side.construct)(place));
            Recorder::new(seat.with_notes(), log.unwrap_or_default())
        };
        let mut written = Vec::new();
        let record = self.0.play(&spec, seat, Some(&mut written))?;
        replay.write_all(&written).and_then(|()| replay.flush()).map_err(PlayError::Replay)?;
        let decisions =
            recorded(&written[..], &own).map_err(|error| PlayError::Replay(io::Error::other(error)))?;
        let names = self.0.sides.map(|side| side.name.to_owned());
        Ok(Replayed { record, decisions, names, team, goals: self.0.config.goals() })
    }
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { record, names, team, goals, .. } = self;
        let own = *team as usize;
        let name_of = |team: usize| &names[usize::from(team != own)];
        let (time, termination) = (record.time, record.outcome.termination);
        match record.outcome.winner().map(|winner| winner.index()) {
            Some(winner) => write!(f, "{} ({}) wins after {time}", Team::ALL[winner], name_of(winner))?,
            None => write!(f, "nobody wins after {time} ({termination})")?,
        }
        if let [red, blue] = record.outcome.returns.points() {
            writeln!(f, "; red covers {red} and blue {blue} of {goals} goals")?;
        }
        let row = |name: &str, show: fn(&str, f64) -> String| {
            let values = record.metrics.get(name).filter(|values| values.len() == 2)?;
            let [first, second] = [values[own], values[1 - own]];
            let cells = [text::metric(name), show(name, first), show(name, second)];
            (first != 0.0 || second != 0.0).then_some(((first - second).abs(), cells))
        };
        let mut times: Vec<_> = Profile::default()
            .shares()
            .iter()
            .filter_map(|(name, _)| row(&format!("{name}_ms"), text::value))
            .collect();
        times.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let counts = ["tries", "repeated_tries"]
            .into_iter()
            .filter_map(|name| row(name, |_, count| format!("{count}")));
        let head = [String::new(), names[0].clone(), names[1].clone()];
        let rows = counts.chain(times.into_iter().take(MOST_TIMES)).map(|(_, cells)| cells);
        let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
        writeln!(f, "\nwhere they differ most in this game, sums of all agents of a team:")?;
        f.write_str(&text::columns(&rows))?;
        if let Some(first) = record.first_blunders.first() {
            let blunders = text::counted(record.blunders, "blunder", "blunders, the first");
            writeln!(f, "{blunders}: {}", first.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::{Arc, Mutex};

    use game_env::panics::catch;
    use game_env::replay::Playback;
    use game_project::Preset;
    use sdk::prelude::*;
    use sdk::testing::told;
    use strategies::project::registry::LineUp;

    use super::super::contest::constructor;
    use super::*;

    fn compare<T>(first: &str, second: &str, then: impl FnOnce(Comparison<'_>) -> T) -> T {
        let config = Preset::Quick.config();
        let line_ups = [first, second].map(|text| text.parse::<LineUp>().unwrap());
        let [one, other] = line_ups.each_ref().map(constructor);
        let side = |name, construct| Side { name, construct };
        then(Comparison::new(&config, side("mine", &one), side(second, &other)))
    }

    /// Strategies without a name are compared as `league compare` compares those with one.
    #[test]
    fn a_comparison_ends_as_that_by_name() {
        let compared = compare("greedy", "random", |comparison| comparison.run(Seed::new(1), 500).unwrap());
        let text = compared.findings.to_string();
        assert!(text.starts_with("mine is stronger: 100.0 % ("), "{text}");
        assert!(text.contains("\nwhere they differ most in a game, as mean and median:\n"), "{text}");
        assert!(!compared.games.is_empty() && compared.games[0].why == "the clearest win of mine");
        let undecided = compare("greedy", "greedy:slip=0.001", |own| own.run(Seed::new(1), 3).unwrap());
        assert!(undecided.findings.sentence.starts_with("undecided after 6 games: "), "{undecided:?}");
    }

    /// The game that the comparison names is the game that is played again, and its replay has the names of the sides.
    #[test]
    fn a_game_to_look_at_is_played_again() {
        let (replay, again, game) = compare("random", "greedy", |comparison| {
            let compared = comparison.run(Seed::new(1), 20).unwrap();
            let game = compared.games[0].clone();
            let mut replay = Vec::new();
            let again = comparison.again(game.seed, game.team, &mut replay).unwrap();
            (replay, again, game)
        });
        assert_eq!(game.why, "the clearest win of greedy");
        let winner = game.team.opponent();
        let text = again.to_string();
        assert!(text.starts_with(&format!("{winner} (greedy) wins after ")), "{text}");
        let head = text.lines().position(|line| line.starts_with("where they differ most")).unwrap();
        let table: Vec<&str> = text.lines().skip(head + 1).collect();
        assert!(table[0].trim_start().starts_with("mine  "), "{text}");
        assert!(table.iter().any(|line| line.starts_with("  tries ")), "{text}");
        assert_eq!(table.iter().filter(|line| line.contains(" time ")).count(), MOST_TIMES, "{text}");
        let mut playback = Playback::<State>::open(&replay[..]).unwrap();
        let players = &playback.reader().header().players;
        let names: Vec<&str> = players.iter().map(|player| player.name.as_str()).collect();
        let expected = if game.team == Team::Red {
            ["mine", "mine", "greedy", "greedy"]
        } else {
            ["greedy", "greedy", "mine", "mine"]
        };
        assert_eq!(names, expected);
        let own = again.decisions.lines().filter_map(|line| line.strip_prefix("agent #"));
        let own: Vec<&str> = own.collect();
        assert_eq!(own, if game.team == Team::Red { ["0", "1"] } else { ["2", "3"] });
        assert_eq!(playback.run(&mut ()).unwrap().outcome, Some(again.record.outcome));
    }

    /// Decides by the number of its calls, waits among them, and writes down what it chooses.
    struct Counter {
        calls: usize,
        chosen: Arc<Mutex<BTreeMap<AgentId, Vec<String>>>>,
    }

    impl Strategy for Counter {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            self.calls += 1;
            let calls = self.calls;
            view.notes.remark(|| format!("call {calls}"));
            let ways: Vec<_> = Direction::ALL.into_iter().filter(|way| view.is_passable(*way)).collect();
            let choice = match (calls % 3, ways.get(calls / 3 % ways.len().max(1))) {
                (0, _) => Choice::Wait(view.now + Millis::new(130)),
                (1, Some(way)) => view.step(*way),
                _ => view.discover(),
            };
            let line = format!("{} {}  {} (", view.now, view.position(), told(&choice));
            self.chosen.lock().unwrap().entry(view.own.agent).or_default().push(line);
            choice
        }
    }

    /// A replay does not hold waits, so a strategy with a state that is asked again from it is called less often.
    #[test]
    fn decisions_are_those_of_the_game_waits_and_remarks_included() {
        let chosen = Arc::<Mutex<BTreeMap<AgentId, Vec<String>>>>::default();
        let counter =
            |_place| -> BoxedStrategy { Box::new(Counter { calls: 0, chosen: Arc::clone(&chosen) }) };
        let config = Preset::Quick.config();
        let greedy: LineUp = "greedy".parse().unwrap();
        let greedy = constructor(&greedy);
        let (own, other) =
            (Side { name: "mine", construct: &counter }, Side { name: "greedy", construct: &greedy });
        let replayed =
            Comparison::new(&config, own, other).again(Seed::new(5), Team::Blue, &mut Vec::new()).unwrap();
        let [third, fourth] = [2, 3].map(|agent| format!("\nagent #{agent}\n"));
        let (legend, rest) = replayed.decisions.split_once(&third).unwrap();
        assert!(legend.contains("\nright, what the agent knows: @ the agent itself; "), "{legend}");
        let (third, fourth) = rest.split_once(&fourth).unwrap();
        for (agent, text) in [(2, third), (3, fourth)] {
            let lines: Vec<&str> = text.lines().filter(|line| line.ends_with(')')).map(str::trim).collect();
            let chosen = &chosen.lock().unwrap()[&AgentId::new(agent)];
            assert_eq!(lines.len(), chosen.len(), "{text}");
            assert!(lines.len() > 100, "{text}");
            for (line, chosen) in lines.iter().zip(chosen) {
                assert!(line.starts_with(chosen), "`{line}`, but it chose `{chosen}`");
            }
            assert!(lines.iter().any(|line| line.contains("  wait until ")), "{text}");
            assert!(lines[0].ends_with(" (call 1)"), "{text}");
            assert!(!text.contains(", not "), "{text}");
            // Every ten decisions or soon after them, the board with the numbers of its rows and columns.
            let boards = text.lines().filter(|line| line.contains("goals covered: ")).count();
            assert!((lines.len() / 12..=lines.len() / 10 + 1).contains(&boards), "{boards} boards: {text}");
            assert_eq!(text.lines().filter(|line| line.starts_with("       0 ")).count(), boards, "{text}");
        }
    }

    #[test]
    fn sides_have_different_names() {
        let config = Preset::Quick.config();
        let greedy: LineUp = "greedy".parse().unwrap();
        let greedy = constructor(&greedy);
        let side = Side { name: "greedy", construct: &greedy };
        let told = catch(|| Comparison::new(&config, side, side)).err().unwrap();
        assert!(told.contains("different names"), "{told}");
    }
}
