//! The log of a duel as the original referee writes it (`duels/N.txt`), written, and read as a replay.
//!
//! ```text
//! 3#Ada#Bob#| :size :P1_nick :P2_nick
//! 3_1x1                                  the size, and the filled cells
//! 0x0_1x0 :Ada
//! 0x1_0x2 :Bob
//! PROTOCOLERROR :Ada                     the fault that ends the game, if it ends by one
//! ---
//! Bob                                    the winner
//! Player Ada -> …
//! ```
//!
//! A log has no times: all moves of the replay have the same time. It does not name the rules either. The replay has
//! the first rules that agree with the whole log: the strict ones, those of a torus, those of the referee of 2018.

use std::fmt::Write as _;

use game_bricks::{Board, Brick, Cell, Config, State};
use game_env::replay::{Header, Player, Writer};
use game_env::text::fit_for_a_log;
use game_env::{
    AgentId, Disruption, Environment as _, NotationError, Seed, SimTime, TeamId, Termination, Turn, Witness,
};
use wire::bricks::Dialect;

use super::report::Report;

/// The largest log, in bytes. The log of a full board of the largest size, 999×999, has less than half as many if the
/// names are ASCII.
pub const LARGEST: u64 = 64 << 20;

/// The end of the moves.
const END: &str = "---";

/// A text that is no log of a duel.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("it is no log of a duel: line {line}: {why}")]
pub struct LogError {
    line: usize,
    why: String,
}

/// Returns the log of a duel that began with the board `start`. `nicks` are the names of the players; the first one
/// begins. `bricks` are the bricks that fit, and `winner` is the index of the winner in `nicks`.
pub fn write(start: &Board, nicks: [&str; 2], bricks: &[Brick], winner: usize, report: &Report) -> String {
    let [first, second] = nicks;
    let size = start.size();
    // The logs of every year have the board as the dialect of 2018 writes it, which has words for every board.
    let opening = Dialect::Year2018.opening(start).map(|mut steps| steps.remove(0).line).unwrap_or_default();
    let mut text = format!("{size}#{first}#{second}#| :size :P1_nick :P2_nick\n{opening}\n");
    for (brick, nick) in bricks.iter().zip(nicks.into_iter().cycle()) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(text, "{brick} :{nick}");
    }
    let (winner, loser) = (nicks[winner], nicks[1 - winner]);
    if let Some(mark) = report.mark() {
        let _ = writeln!(text, "{mark} :{loser}");
    }
    text + &format!("{END}\n{winner}\n{}\n", report.message(winner, loser))
}

/// Returns whether a file that begins with these bytes is meant to be such a log: it begins with a number and `#`.
pub fn is_log(beginning: &[u8]) -> bool {
    let digits = beginning.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && beginning.get(digits) == Some(&b'#')
}

/// Returns the replay of the duel of this log.
///
/// # Errors
///
/// Says which line is wrong, and what would be right.
pub fn replay(log: &[u8]) -> Result<Vec<u8>, LogError> {
    let log = Log::read(log)?;
    let (strict, torus, loose) = (log.config.clone(), log.config.clone(), log.config.clone());
    log.play(&strict).or_else(|error| {
        let others = [torus.torus(true), loose.loose(true)];
        others.iter().find_map(|rules| log.play(rules).ok()).ok_or(error)
    })
}

/// The content of a log.
struct Log<'a> {
    config: Config,
    nicks: [&'a str; 2],
    /// The bricks, each with its line.
    bricks: Vec<(usize, Brick)>,
    /// The fault behind the bricks, with the player: 0 for the first. Before the first brick, both players are asked.
    fault: Option<(u16, Termination)>,
    /// The winner, with its line; none if the log breaks off.
    winner: Option<(usize, &'a str)>,
}

impl<'a> Log<'a> {
    fn read(log: &'a [u8]) -> Result<Self, LogError> {
        let log = str::from_utf8(log).map_err(|error| {
            let valid = &log[..error.valid_up_to()];
            let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
            LogError::new(line, "it is not UTF-8: save it as UTF-8".to_owned())
        })?;
        let mut lines = (1..).zip(log.lines());
        let (line, first) = lines.next().unwrap_or((1, ""));
        let names = first.split('#').collect::<Vec<_>>();
        let [_, one, other, ..] = names[..] else {
            return Err(LogError::expected(line, first, "the size and both names, e.g. `3#Ada#Bob#`"));
        };
        let (line, opening) = lines.next().unwrap_or((2, ""));
        let config = config(opening).map_err(|why| LogError::new(line, why))?;
        let mut log = Self { config, nicks: [one, other], bricks: Vec::new(), fault: None, winner: None };
        while let Some((line, text)) = lines.next() {
            if text == END {
                log.winner = lines.next();
                return Ok(log);
            }
            log.take(line, text)?;
        }
        Ok(log)
    }

    /// Takes in a line of the moves: a brick or a fault, and who made it.
    fn take(&mut self, line: usize, text: &str) -> Result<(), LogError> {
        if self.fault.is_some() {
            return Err(LogError::expected(line, text, "`---` behind a fault"));
        }
        let said_by = |nick: &str| text.strip_suffix(nick).and_then(|said| said.strip_suffix(" :"));
        let fault = (0..).zip(self.nicks).find_map(|(player, nick)| Some((player, fault(said_by(nick)?)?)));
        if fault.is_some() {
            self.fault = fault;
            return Ok(());
        }
        let nick = self.nicks[self.bricks.len() % 2];
        let Some(said) = said_by(nick) else {
            let expected = format!("a brick of `{}`, or a fault of a player", fit_for_a_log(nick));
            return Err(LogError::expected(line, text, &expected));
        };
        let brick = said.parse().map_err(|error: NotationError| LogError::new(line, error.to_string()))?;
        self.bricks.push((line, brick));
        Ok(())
    }

    /// Returns the replay by these rules.
    fn play(&self, rules: &Config) -> Result<Vec<u8>, LogError> {
        const IN_MEMORY: &str = "memory takes all that is written";
        // No cell is filled at random.
        let (seed, now) = (Seed::new(0), SimTime::START);
        let players = (0..).zip(self.nicks).map(|(team, nick)| Player::new(TeamId::new(team), nick));
        let header = Header::new::<State>(rules, seed, players.collect(), "a log of a duel");
        let writer = Writer::new(Vec::new(), &header);
        // Names may be as long as a file.
        let mut writer = writer.map_err(|error| LogError::new(1, error.to_string()))?;
        let mut state = State::new(rules, seed);
        for (line, brick) in &self.bricks {
            if let Turn::Over(outcome) = state.turn() {
                let why = format!("`{brick}` behind the end of the game ({outcome}): expected `{END}`");
                return Err(LogError::new(*line, why));
            }
            let mover = state.mover();
            writer.action(&state, now, mover, brick);
            state.step(now, mover, *brick, &mut ());
        }
        if let (Some((player, termination)), Turn::Act { .. }) = (self.fault, state.turn()) {
            let disruption = Disruption::Forfeited(AgentId::new(player), termination);
            Witness::<State>::disruption(&mut writer, &state, now, disruption);
            state.disrupt(now, disruption, &mut ());
        }
        match (state.turn(), self.winner) {
            (Turn::Act { .. }, Some((line, _))) => {
                let why =
                    format!("a brick fits, and nobody has made a fault: expected bricks before `{END}`");
                return Err(LogError::new(line - 1, why));
            }
            (Turn::Over(outcome), winner) => {
                let found = outcome.winner().map(|team| self.nicks[team.index()]);
                if let Some((line, winner)) = winner.filter(|(_, winner)| Some(*winner) != found) {
                    let expected = format!("the winner `{}`", fit_for_a_log(found.unwrap_or_default()));
                    return Err(LogError::expected(line, winner, &expected));
                }
                Witness::<State>::end(&mut writer, &state, now);
            }
            // The log breaks off, and so does the replay.
            (Turn::Act { .. }, None) => {}
        }
        Ok(writer.finish().expect(IN_MEMORY))
    }
}

impl LogError {
    fn new(line: usize, why: String) -> Self {
        Self { line, why }
    }

    fn expected(line: usize, found: &str, expected: &str) -> Self {
        Self::new(line, format!("`{}`: expected {expected}", fit_for_a_log(found)))
    }
}

/// Returns the end of a game in whose log a player has this line; none if the line is no fault.
fn fault(said: &str) -> Option<Termination> {
    match said {
        "PROTOCOLERROR" => Some(Termination::Protocol),
        "NORESPONSE" | "NOOKRESPONSE" => Some(Termination::Time),
        "DEADLOCKNORESPONSE" => Some(Termination::Silence),
        "null" => Some(Termination::CannotStart),
        _ => None,
    }
}

/// Returns the board of an opening, e.g. `7_2x3_4x5`.
fn config(opening: &str) -> Result<Config, String> {
    let mut words = opening.split('_');
    let size = words.next().unwrap_or_default();
    let size = size.parse().map_err(|_| {
        format!("`{}`: expected a size and filled cells, e.g. `7_2x3_4x5`", fit_for_a_log(opening))
    })?;
    let cells = words.map(str::parse::<Cell>).collect::<Result<Vec<_>, _>>();
    let cells = cells.map_err(|error| error.to_string())?;
    let config = Config::new(size).and_then(|config| config.filled(cells));
    Ok(config.map_err(|error| error.to_string())?.move_limit(None))
}

#[cfg(test)]
mod tests {
    use game_env::replay::Playback;
    use wire::bricks::Letter;

    use super::*;

    const HEAD: &str = "3#Ada#Bob B#| :size :P1_nick :P2_nick\n";

    /// Returns whether the board is a torus, the bricks that were put, and how the game ended.
    fn played(moves: &str) -> Result<(bool, usize, String), String> {
        let replay = replay(format!("{HEAD}{moves}").as_bytes()).map_err(|error| error.to_string())?;
        let mut playback = Playback::<State>::open(&replay[..]).unwrap();
        let summary = playback.run(&mut ()).unwrap();
        let names: Vec<&str> =
            playback.reader().header().players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["Ada", "Bob B"]);
        let state = playback.state();
        let end = match state.turn() {
            Turn::Over(outcome) => {
                assert!(summary.completeness.is_complete(), "{:?}", summary.completeness);
                let winner = outcome.winner().map_or("nobody", |team| names[team.index()]);
                format!("{winner} {}", outcome.termination)
            }
            Turn::Act { .. } => "breaks off".to_owned(),
        };
        Ok((state.board().is_torus(), state.bricks().len(), end))
    }

    #[test]
    fn a_log_is_a_replay_up_to_its_fault() {
        for (moves, is_torus, bricks, end) in [
            // By the rules, on a board with two places.
            (
                "3_2x0_0x1_1x1_2x1_2x2\n0x0_1x0 :Ada\n0x2_1x2 :Bob B\n---\nBob B\nwon\n",
                false,
                2,
                "Bob B normal",
            ),
            ("3\n0x0_1x0 :Ada\n0x0_0x1 :Bob B\n---\nAda\nx\n", false, 1, "Ada illegal"),
            ("3\n0x0_1x0 :Ada\nPROTOCOLERROR :Bob B\n---\nAda\nx\n", false, 1, "Ada protocol"),
            ("3\nNORESPONSE :Ada\n---\nBob B\nx\n", false, 0, "Bob B time"),
            ("3\nNOOKRESPONSE :Ada\n---\nBob B\nx\n", false, 0, "Bob B time"),
            ("3\r\nDEADLOCKNORESPONSE :Ada\r\n---\r\nBob B\r\nx\r\n", false, 0, "Bob B silence"),
            ("3\nnull :Ada\n---\nBob B\nx\n", false, 0, "Bob B cannot-start"),
            // The second player failed before the first brick.
            ("3\nPROTOCOLERROR :Bob B\n---\nAda\nx\n", false, 0, "Ada protocol"),
            ("3\nNOOKRESPONSE :Bob B\n---\nAda\nx\n", false, 0, "Ada time"),
            ("3\nDEADLOCKNORESPONSE :Bob B\n---\nAda\nx\n", false, 0, "Ada silence"),
            ("3\nnull :Bob B\n---\nAda\nx\n", false, 0, "Ada cannot-start"),
            // Across the edge, and cells that only the referee of 2018 takes for neighbours.
            ("3\n0x0_2x0 :Ada\nnull :Bob B\n---\nAda\nx\n", true, 1, "Ada cannot-start"),
            ("3\n0x0_1x1 :Ada\nnull :Bob B\n---\nAda\nx\n", false, 1, "Ada cannot-start"),
            ("3\n0x0_1x1 :Ada\n---\nBob B\nx\n", false, 0, "Bob B illegal"),
            // The tournament was ended in the middle of it.
            ("3\n0x0_1x0 :Ada\n", false, 1, "breaks off"),
        ] {
            assert_eq!(played(moves), Ok((is_torus, bricks, end.to_owned())), "{moves:?}");
        }
    }

    #[test]
    fn a_text_that_is_no_log_is_told_with_its_line() {
        for (moves, told) in [
            ("", "line 2: ``: expected a size and filled cells, e.g. `7_2x3_4x5`"),
            ("4\n", "line 2: a board of 4×4 cells: expected an odd number from 3 to 999"),
            ("3_9x9\n", "line 2: cell 9x9 is not on the board: expected columns and rows from 0 to 2"),
            (
                "3\n0x0_1x0 :Bob B\n",
                "line 3: `0x0_1x0 :Bob B`: expected a brick of `Ada`, or a fault of a player",
            ),
            ("3\n0x0 :Ada\n", "line 3: `0x0` is no brick: expected two cells, e.g. `1x2_2x2`"),
            ("3\nnull :Ada\n0x0_1x0 :Ada\n", "line 4: `0x0_1x0 :Ada`: expected `---` behind a fault"),
            (
                "3\n0x0_1x0 :Ada\n---\nAda\n",
                "line 4: a brick fits, and nobody has made a fault: expected bricks before `---`",
            ),
            ("3\nnull :Ada\n---\nAda\n", "line 5: `Ada`: expected the winner `Bob B`"),
        ] {
            let error = played(moves).unwrap_err();
            assert_eq!(error, format!("it is no log of a duel: {told}"), "{moves:?}");
        }
        let told = replay(b"3#Ada\n").unwrap_err().to_string();
        assert!(
            told.ends_with("line 1: `3#Ada`: expected the size and both names, e.g. `3#Ada#Bob#`"),
            "{told}"
        );
        let told = replay(b"3#A#B#\n3\n\xff").unwrap_err().to_string();
        assert!(told.ends_with("line 3: it is not UTF-8: save it as UTF-8"), "{told}");
    }

    /// Returns the log of a duel on a board with one filled cell.
    fn written(bricks: &[&str], winner: usize, letter: Letter) -> String {
        let config = Config::new(3).unwrap().filled(["1x1".parse().unwrap()]).unwrap();
        let start = State::new(&config, Seed::new(0));
        let bricks: Vec<Brick> = bricks.iter().map(|brick| brick.parse().unwrap()).collect();
        let brick = (letter == Letter::Move).then(|| "1x1_1x2".parse().unwrap());
        let report =
            Report { letter, reason: "does not answer: its program ended".to_owned(), brick, line: None };
        write(start.board(), ["Ada", "Bob, \"B\""], &bricks, winner, &report)
    }

    #[test]
    fn a_log_is_written_as_the_original_writes_it() {
        assert_eq!(
            written(&["0x0_1x0"], 0, Letter::Normal),
            "3#Ada#Bob, \"B\"#| :size :P1_nick :P2_nick\n3_1x1\n0x0_1x0 :Ada\n---\nAda\nPlayer Ada won normally!\n"
        );
        assert_eq!(
            written(&["0x0_1x0", "0x1_0x2"], 1, Letter::Silence),
            "3#Ada#Bob, \"B\"#| :size :P1_nick :P2_nick\n3_1x1\n0x0_1x0 :Ada\n0x1_0x2 :Bob, \"B\"\n\
             DEADLOCKNORESPONSE :Ada\n---\nBob, \"B\"\n\
             Player Ada -> does not answer: its program ended\n"
        );
        assert!(written(&["0x0_1x0"], 0, Letter::Move).contains("\n1x1_1x2 :Bob, \"B\"\n---\nAda\n"));
    }

    /// `view` and `export` show the logs of this referee, with every kind of fault of either player.
    #[test]
    fn every_log_can_be_read_as_a_replay() {
        let bricks = ["0x0_1x0", "0x1_0x2"];
        for letter in Letter::ALL.into_iter().filter(|letter| *letter != Letter::Normal) {
            for (loser, bricks) in [(0, &bricks[..0]), (1, &bricks[..1]), (0, &bricks[..])] {
                let text = written(bricks, 1 - loser, letter);
                let read = replay(text.as_bytes());
                assert!(read.is_ok(), "{:?}: {text}", read.err());
            }
        }
        // Before the first brick, the second player may fail as well.
        for letter in [Letter::Protocol, Letter::Opening, Letter::Silence, Letter::Start] {
            let text = written(&[], 0, letter);
            assert!(replay(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_log_is_known_by_its_beginning() {
        assert!(is_log(b"15#Ada") && is_log(b"3#"));
        for other in [&b"{\"format\""[..], b"\x28\xb5\x2f\xfd", b"#", b"3", b""] {
            assert!(!is_log(other), "{other:?}");
        }
    }
}
