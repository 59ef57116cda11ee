//! The files of a tournament: those of the original referee, and ours beside them.
//!
//! | file | content |
//! |---|---|
//! | `duels.txt` | a line for each duel: `number:first:second:winner:message` |
//! | `score.txt` | a line for each player: name, wins/losses, wins by the rules/losses by faults, letters of the faults |
//! | `duels/N.txt` | the moves of a duel, as the original referee shows them |
//! | `err.txt` | a line for each duel that a program ended by its silence |
//! | `tournament.json`, `duels.csv`, `standings.csv` | the same with more detail |
//! | `replays/N.replay` | the replay of a duel |
//! | `stderr/N-1.txt`, `stderr/N-2.txt` | the end of what the first and the second program wrote to standard error |
//!
//! The files of one duel are written behind it, the others once a second at most, so that a tournament that is killed
//! leaves nearly all that was played.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use child_process::Ended;
use game_bricks::State;
use game_env::text::escape_hidden;
use game_env::{Measured as _, Metrics, Seed, Value};
use serde_json::{Map, json};
use wire::bricks::{Dialect, Letter, Line, Reason};

use super::config::BricksConfig;
use super::duel::Played;
use super::entrants::{Entrant, Players};
use super::standings::{Result as DuelResult, Standing, places, standings};

/// Shortest time between two writes of the files about all duels, while duels are played.
const PAUSE: Duration = Duration::from_secs(1);

/// The entry of a duel in the files.
#[derive(Clone, Debug)]
pub struct Duel {
    /// Its result.
    pub result: DuelResult,
    /// The line for which the loser has lost, as it came; none if it lost without a line.
    pub line: Option<Line>,
    /// The line that both players were sent first, in the dialect of the original.
    pub opening: String,
    /// Its bricks, in order.
    pub bricks: Vec<String>,
    /// The metrics of both players.
    pub metrics: Metrics,
    /// The end of each program.
    pub programs: [Option<Ended>; 2],
    /// Duration of the duel, with the start and the end of both programs.
    pub took: Duration,
    /// The hash of the last state.
    pub hash: u64,
    /// The number of its attempts, and the doubt about its result.
    pub check: Check,
}

/// The doubt about a result that the speed of the machine gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// The number of attempts at the duel; the last one counts.
    pub attempts: u32,
    /// The doubt about the last attempt, if there is one.
    pub doubt: Option<String>,
}

/// A duel that was played once, without doubt.
impl Default for Check {
    fn default() -> Self {
        Self { attempts: 1, doubt: None }
    }
}

impl Duel {
    /// A duel of these players; none if nobody has won it.
    pub fn new(
        players: [usize; 2],
        start: &State,
        played: &Played,
        meter: &<State as game_env::Measured>::Meter,
    ) -> Option<Self> {
        use game_env::Environment as _;

        let result = DuelResult::new(players, &played.verdict)?;
        let opening = Dialect::Year2018.opening(start.board()).map(|mut steps| steps.remove(0).line);
        Some(Self {
            result,
            line: played.verdict.line.clone(),
            opening: opening.unwrap_or_default(),
            bricks: played.state.bricks().iter().map(ToString::to_string).collect(),
            metrics: played.state.metrics(meter),
            programs: played.programs.clone(),
            took: played.took,
            hash: played.state.hash(),
            check: Check::default(),
        })
    }
}

/// Returns the original referee's message about the end of a duel.
pub fn message(result: &DuelResult, entrants: &[Entrant]) -> String {
    let nick = |player: usize| &entrants[player].nick;
    match &result.reason {
        Reason::Normal => format!("Player {} won normally!", nick(result.winner())),
        reason => format!("Player {} -> {reason}", nick(result.loser())),
    }
}

/// The moves of a duel, as the original referee reads them.
pub fn log(duel: &Duel, entrants: &[Entrant]) -> String {
    let [first, second] = duel.result.players.map(|player| &entrants[player].nick);
    let size = duel.opening.split('_').next().unwrap_or_default();
    let mut text = format!("{size}#{first}#{second}#| :size :P1_nick :P2_nick\n{}\n", duel.opening);
    let nick = |number: usize| if number.is_multiple_of(2) { first } else { second };
    for (number, brick) in duel.bricks.iter().enumerate() {
        text += &format!("{brick} :{}\n", nick(number));
    }
    let last = match &duel.result.reason {
        Reason::Normal | Reason::Stopped => None,
        Reason::Illegal(brick, _) => Some(brick.to_string()),
        Reason::NoBrick(..) | Reason::NoAnswer(..) | Reason::Ahead(_) => Some("PROTOCOLERROR".to_owned()),
        Reason::Late(..) => Some("NORESPONSE".to_owned()),
        Reason::OpeningLate(..) => Some("NOOKRESPONSE".to_owned()),
        Reason::Silent(_) | Reason::Deaf(_) | Reason::Gone(_) => Some("DEADLOCKNORESPONSE".to_owned()),
        Reason::CannotStart(_) => Some("null".to_owned()),
    };
    if let Some(last) = last {
        text += &format!("{last} :{}\n", entrants[duel.result.loser()].nick);
    }
    let winner = &entrants[duel.result.winner()].nick;
    text + &format!("---\n{winner}\n{}\n", message(&duel.result, entrants))
}

/// A line of `score.txt`.
fn score(one: &Standing, entrants: &[Entrant]) -> String {
    let letters: String = one.faults.iter().map(Letter::to_string).collect();
    let Standing { player, wins, losses, normal_wins, faults } = one;
    let (nick, faults) = (&entrants[*player].nick, faults.len());
    format!("{nick} \t{wins}/{losses} \t{normal_wins}/{faults}\t{letters}\n")
}

/// The folder of a tournament's results.
#[derive(Debug)]
pub struct Results {
    folder: PathBuf,
    entrants: Vec<Entrant>,
    about: serde_json::Value,
    duels: Vec<Duel>,
    written: Instant,
}

/// A result that cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// There is something in the folder.
    #[error("the folder {} is not empty: expected a new folder for the results", .0.display())]
    NotEmpty(PathBuf),
    /// A file cannot be written.
    #[error("cannot write {path}: {source}", path = .path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl Results {
    /// Creates the folder, which must not hold anything yet.
    ///
    /// # Errors
    ///
    /// If it does, or cannot be created.
    pub fn create(
        folder: &Path,
        players: &Players,
        config: &BricksConfig,
        seed: Seed,
        program: &str,
    ) -> Result<Self, ResultsError> {
        let unwritable = |source| ResultsError::Unwritable { path: folder.to_owned(), source };
        fs::create_dir_all(folder).map_err(unwritable)?;
        if fs::read_dir(folder).map_err(unwritable)?.next().is_some() {
            return Err(ResultsError::NotEmpty(folder.to_owned()));
        }
        for below in ["duels", "replays", "stderr"] {
            let path = folder.join(below);
            fs::create_dir(&path).map_err(|source| ResultsError::Unwritable { path, source })?;
        }
        let values: Map<String, serde_json::Value> =
            config.origins.iter().map(|(name, value, _)| (name.clone(), as_json(value))).collect();
        let entrants = players.entrants.iter().map(|one| {
            json!({ "nick": one.nick, "command": one.words, "folder": one.folder.display().to_string() })
        });
        let about = json!({
            "format": "bricks-tournament",
            "version": 1,
            "program": program,
            "seed": seed.to_string(),
            "config": values,
            "players": entrants.collect::<Vec<_>>(),
            "left_out": players.left_out,
        });
        let entrants = players.entrants.clone();
        let (folder, duels, written) = (folder.to_owned(), Vec::new(), Instant::now());
        let results = Self { folder, entrants, about, duels, written };
        results.write_all()?;
        Ok(results)
    }

    /// Returns the path for the replay of the next duel.
    pub fn next_replay(&self) -> PathBuf {
        self.folder.join(format!("replays/{}.replay", self.duels.len()))
    }

    /// The name of the log of the next duel in the folder: files count duels from 0, as those of the original do.
    pub fn next_log(&self) -> String {
        format!("duels/{}.txt", self.duels.len())
    }

    /// Adds a duel, and writes its files; the others now and then.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn add(&mut self, duel: Duel) -> Result<(), ResultsError> {
        let number = self.duels.len();
        self.write(&self.next_log(), &log(&duel, &self.entrants))?;
        for (place, ended) in duel.programs.iter().enumerate() {
            if let Some(ended) = ended.as_ref().filter(|ended| !ended.errors.is_empty()) {
                self.write(&format!("stderr/{number}-{}.txt", place + 1), &ended.errors.to_string())?;
            }
        }
        self.duels.push(duel);
        if self.written.elapsed() >= PAUSE {
            self.write_all()?;
            self.written = Instant::now();
        }
        Ok(())
    }

    /// Writes all files as they are now.
    ///
    /// # Errors
    ///
    /// If one cannot be written.
    pub fn finish(&self) -> Result<(), ResultsError> {
        self.write_all()
    }

    /// The duels so far.
    pub fn duels(&self) -> &[Duel] {
        &self.duels
    }

    /// The players.
    pub fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// The standings so far.
    pub fn standings(&self) -> Vec<Standing> {
        let results: Vec<DuelResult> = self.duels.iter().map(|duel| duel.result.clone()).collect();
        standings(self.entrants.len(), &results)
    }

    /// All of it as one JSON document.
    pub fn document(&self) -> serde_json::Value {
        let table = self.standings();
        let standing = |(one, place): (&Standing, &usize)| {
            json!({
                "place": place,
                "player": self.entrants[one.player].nick,
                "wins": one.wins,
                "losses": one.losses,
                "normal_wins": one.normal_wins,
                "faults": one.faults.iter().map(Letter::to_string).collect::<Vec<_>>(),
            })
        };
        let mut document = self.about.clone();
        document["standings"] = table.iter().zip(&places(&table)).map(standing).collect();
        let duels = self.duels.iter().enumerate();
        document["duels"] = duels.map(|(number, duel)| self.duel_document(number, duel)).collect();
        document
    }

    fn duel_document(&self, number: usize, duel: &Duel) -> serde_json::Value {
        let nick = |player: usize| &self.entrants[player].nick;
        let [first, second] = duel.result.players.map(nick);
        let metrics: Map<String, serde_json::Value> =
            duel.metrics.iter().map(|metric| (metric.name.clone(), json!(metric.values))).collect();
        let program = |ended: &Option<Ended>| {
            ended
                .as_ref()
                .map(|ended| json!({ "end": ended.to_string(), "stderr_bytes": ended.errors.total() }))
        };
        json!({
            "number": number,
            "first": first,
            "second": second,
            "winner": nick(duel.result.winner()),
            "letter": duel.result.letter().to_string(),
            "message": message(&duel.result, &self.entrants),
            "line": duel.line.as_ref().and_then(Line::text),
            "opening": duel.opening,
            "bricks": duel.bricks,
            "metrics": metrics,
            "programs": duel.programs.iter().map(program).collect::<Vec<_>>(),
            "seconds": duel.took.as_secs_f64(),
            "attempts": duel.check.attempts,
            "doubt": duel.check.doubt,
            "hash": format!("{:016x}", duel.hash),
            "replay": format!("replays/{number}.replay"),
        })
    }

    fn write_all(&self) -> Result<(), ResultsError> {
        let nick = |player: usize| self.entrants[player].nick.as_str();
        let (mut duels, mut errors) = (String::new(), String::new());
        let mut table = "number,first,second,winner,letter,message,bricks,seconds\n".to_owned();
        for (number, duel) in self.duels.iter().enumerate() {
            let [first, second] = duel.result.players.map(nick);
            let (winner, letter) = (nick(duel.result.winner()), duel.result.letter());
            let told = message(&duel.result, &self.entrants);
            // A string takes all that is written.
            let _ = writeln!(duels, "{number}:{first}:{second}:{winner}:{told}");
            let [first, second, winner, shown] = [first, second, winner, &told].map(csv);
            let (bricks, seconds) = (duel.bricks.len(), duel.took.as_secs_f64());
            let _ =
                writeln!(table, "{number},{first},{second},{winner},{letter},{shown},{bricks},{seconds:.3}");
            if letter == Letter::Silence {
                let _ = writeln!(errors, "{told}");
            }
        }
        let ranked = self.standings();
        let mut standings = "place,player,wins,losses,normal_wins,faults,letters\n".to_owned();
        for (one, place) in ranked.iter().zip(places(&ranked)) {
            let letters: String = one.faults.iter().map(Letter::to_string).collect();
            let Standing { wins, losses, normal_wins, faults, .. } = one;
            let (player, faults) = (csv(nick(one.player)), faults.len());
            let _ = writeln!(standings, "{place},{player},{wins},{losses},{normal_wins},{faults},{letters}");
        }
        self.write("duels.txt", &duels)?;
        // In the original, players appear with their first duel.
        let has_played = |one: &&Standing| one.wins + one.losses > 0;
        let scores: String = ranked.iter().filter(has_played).map(|one| score(one, &self.entrants)).collect();
        self.write("score.txt", &scores)?;
        self.write("err.txt", &errors)?;
        self.write("duels.csv", &table)?;
        self.write("standings.csv", &standings)?;
        self.write("tournament.json", &format!("{:#}\n", self.document()))
    }

    fn write(&self, name: &str, text: &str) -> Result<(), ResultsError> {
        let path = self.folder.join(name);
        let written = whole_file::write(&path, |out| out.write_all(text.as_bytes()));
        written.map_err(|source| ResultsError::Unwritable { path, source })
    }
}

/// The standings for people.
pub fn table(ranked: &[Standing], entrants: &[Entrant]) -> String {
    let mut rows = vec![["place", "player", "wins", "losses", "by the rules", "faults"].map(str::to_owned)];
    for (one, place) in ranked.iter().zip(places(ranked)) {
        let letters: String = one.faults.iter().map(Letter::to_string).collect();
        let nick = escape_hidden(&entrants[one.player].nick);
        let cells = [place.to_string(), nick, one.wins.to_string(), one.losses.to_string()];
        let [place, nick, wins, losses] = cells;
        rows.push([place, nick, wins, losses, one.normal_wins.to_string(), letters]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..6).map(width).collect();
    let line = |row: &[String; 6]| {
        let [place, nick, wins, losses, normal, letters] = row;
        let (a, b, c, d, e) = (widths[0], widths[1], widths[2], widths[3], widths[4]);
        let line = format!("{place:>a$}  {nick:<b$}  {wins:>c$}  {losses:>d$}  {normal:>e$}  {letters}");
        line.trim_end().to_owned() + "\n"
    };
    let mut text: String = rows.iter().map(line).collect();
    let legend = legend(ranked);
    if !legend.is_empty() {
        text += &format!("faults: {legend}\n");
    }
    text
}

/// Explains the letters in these standings; empty if there are none.
pub(super) fn legend(ranked: &[Standing]) -> String {
    let mut met: Vec<Letter> = ranked.iter().flat_map(|one| one.faults.iter().copied()).collect();
    met.sort_unstable();
    met.dedup();
    let meanings: Vec<String> = met.iter().map(|letter| format!("{letter} {}", letter.meaning())).collect();
    meanings.join(", ")
}

fn as_json(value: &Value) -> serde_json::Value {
    match value {
        Value::Whole(number) => {
            i64::try_from(*number).map_or_else(|_| json!(number.to_string()), |number| json!(number))
        }
        Value::Real(number) => json!(number),
        Value::Flag(flag) => json!(flag),
        Value::Text(text) => json!(text),
    }
}

/// A field of a CSV file (RFC 4180).
fn csv(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Millis, Parameters};

    use super::*;

    fn entrants() -> Vec<Entrant> {
        let entrant = |nick: &str| Entrant {
            nick: nick.to_owned(),
            words: vec!["./player".to_owned()],
            folder: PathBuf::from("/players"),
        };
        vec![entrant("Ada"), entrant("Bob, \"B\"")]
    }

    fn duel(players: [usize; 2], winner: usize, reason: Reason, bricks: &[&str]) -> Duel {
        Duel {
            result: DuelResult { players, winner, reason },
            line: None,
            opening: "3_1x1".to_owned(),
            bricks: bricks.iter().map(|brick| (*brick).to_owned()).collect(),
            metrics: Metrics::new(),
            programs: [None, None],
            took: Duration::from_millis(1500),
            hash: 7,
            check: Check::default(),
        }
    }

    #[test]
    fn the_files_of_the_original_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results");
        let config = BricksConfig::layered(Parameters::new(), Parameters::new()).unwrap();
        let players = Players { entrants: entrants(), left_out: vec!["c/info.txt: no".to_owned()] };
        let mut results = Results::create(&path, &players, &config, Seed::new(3), "tests 1.0").unwrap();
        assert!(results.next_replay().ends_with("replays/0.replay"));
        results.add(duel([0, 1], 0, Reason::Normal, &["0x0_1x0"])).unwrap();
        let gone = Reason::Gone("ended with exit code 3".to_owned());
        results.add(duel([1, 0], 1, gone, &["0x0_1x0", "0x1_0x2"])).unwrap();
        results.finish().unwrap();
        let read = |name: &str| fs::read_to_string(path.join(name)).unwrap();
        let told = "Player Bob, \"B\" -> does not answer: its program ended with exit code 3";
        assert_eq!(
            read("duels.txt"),
            format!("0:Ada:Bob, \"B\":Ada:Player Ada won normally!\n1:Bob, \"B\":Ada:Ada:{told}\n")
        );
        assert_eq!(read("score.txt"), "Ada \t2/0 \t1/0\t\nBob, \"B\" \t0/2 \t0/1\tD\n");
        assert_eq!(
            read("duels/0.txt"),
            "3#Ada#Bob, \"B\"#| :size :P1_nick :P2_nick\n3_1x1\n0x0_1x0 :Ada\n---\nAda\nPlayer Ada won normally!\n"
        );
        assert_eq!(
            read("duels/1.txt"),
            format!(
                "3#Bob, \"B\"#Ada#| :size :P1_nick :P2_nick\n3_1x1\n0x0_1x0 :Bob, \"B\"\n0x1_0x2 :Ada\n\
                 DEADLOCKNORESPONSE :Bob, \"B\"\n---\nAda\n{told}\n"
            )
        );
        assert_eq!(read("err.txt"), format!("{told}\n"));
        assert_eq!(
            read("standings.csv"),
            "place,player,wins,losses,normal_wins,faults,letters\n1,Ada,2,0,1,0,\n2,\"Bob, \"\"B\"\"\",0,2,0,1,D\n"
        );
        assert!(
            read("duels.csv").contains("0,Ada,\"Bob, \"\"B\"\"\",Ada,N,Player Ada won normally!,1,1.500\n")
        );
        let document: serde_json::Value = serde_json::from_str(&read("tournament.json")).unwrap();
        assert_eq!(document, results.document());
        assert_eq!(
            (&document["standings"][0]["wins"], &document["duels"][1]["letter"]),
            (&json!(2), &json!("D"))
        );
        assert_eq!(
            (&document["config"]["size"], &document["left_out"]),
            (&json!(11), &json!(["c/info.txt: no"]))
        );
        assert_eq!(
            (&document["duels"][0]["attempts"], &document["duels"][0]["doubt"]),
            (&json!(1), &json!(null))
        );
        let again = Results::create(&path, &players, &config, Seed::new(3), "tests 1.0").unwrap_err();
        assert!(
            again.to_string().ends_with("is not empty: expected a new folder for the results"),
            "{again}"
        );
    }

    /// `view` and `export` show the logs of this referee, with every kind of fault of either player.
    #[test]
    fn every_log_can_be_read_as_a_replay() {
        let gone = || Reason::Gone("ended with exit code 3".to_owned());
        let silent = || Reason::Silent(Millis::new(5_000));
        let late = || Reason::OpeningLate(Millis::new(1_000), Millis::new(1_200));
        let missing = || Reason::CannotStart("no".to_owned());
        let bricks = ["0x0_1x0", "0x1_0x2"];
        let reasons: [&dyn Fn() -> Reason; 4] = [&gone, &silent, &late, &missing];
        for reason in reasons {
            for (loser, bricks) in [(0, &bricks[..0]), (1, &bricks[..0]), (1, &bricks[..1]), (0, &bricks[..])]
            {
                let text = log(&duel([0, 1], 1 - loser, reason(), bricks), &entrants());
                let read = crate::bricks::log::replay(text.as_bytes());
                assert!(read.is_ok(), "{:?}: {text}", read.err());
            }
        }
    }

    #[test]
    fn the_table_explains_the_letters_in_it() {
        let results = [
            duel([0, 1], 0, Reason::Normal, &[]).result,
            duel([1, 0], 1, Reason::CannotStart("no".to_owned()), &[]).result,
        ];
        let ranked = standings(2, &results);
        assert_eq!(
            table(&ranked, &entrants()),
            "place  player    wins  losses  by the rules  faults\n    \
                 1  Ada          2       0             1\n    \
                 2  Bob, \"B\"     0       2             0  S\n\
             faults: S could not be started\n"
        );
    }
}
