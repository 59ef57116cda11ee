//! The end of a duel in words, as the original referee tells it and as it is kept.
//!
//! A report is text with a line for each member, so that people can read it in a log:
//!
//! ```text
//! letter: M
//! reason: put 0x0_0x1 on a filled cell
//! brick: 0x0_0x1
//! line: 0x0_0x1
//! ```
//!
//! It holds neither names nor bricks that fit: they are those of the duel.

use std::fmt;
use std::str::FromStr;

use game_bricks::Brick;
use game_env::NotationError;
use wire::bricks::{Letter, Line, Reason, Verdict};

/// The reason for which a player has lost a duel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The letter of the loss.
    pub letter: Letter,
    /// The reason, as words after the player's name.
    pub reason: String,
    /// The brick that does not fit, if the duel ended by one.
    pub brick: Option<Brick>,
    /// The line for which the player has lost, with every character visible; none if it lost without a line.
    pub line: Option<String>,
}

impl Report {
    /// Returns the report of this verdict; none if nobody has lost.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        let brick = match &verdict.reason {
            Reason::Illegal(brick, _) => Some(*brick),
            _ => None,
        };
        Some(Self {
            letter: verdict.reason.letter()?,
            reason: verdict.reason.to_string(),
            brick,
            line: verdict.line.as_ref().and_then(Line::text),
        })
    }

    /// Returns the original referee's message about the end of a duel between these two.
    pub fn message(&self, winner: &str, loser: &str) -> String {
        match self.letter {
            Letter::Normal => format!("Player {winner} won normally!"),
            _ => format!("Player {loser} -> {}", self.reason),
        }
    }

    /// Returns what the original referee logs in the place of the brick that ended the duel; none if it ended by the
    /// rules.
    pub fn mark(&self) -> Option<String> {
        let word = match self.letter {
            Letter::Normal => return None,
            Letter::Move => return self.brick.map(|brick| brick.to_string()),
            Letter::Protocol => "PROTOCOLERROR",
            Letter::Time => "NORESPONSE",
            Letter::Opening => "NOOKRESPONSE",
            Letter::Silence => "DEADLOCKNORESPONSE",
            Letter::Start => "null",
        };
        Some(word.to_owned())
    }
}

/// A line for each member that is there.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "letter: {}\nreason: {}", self.letter, self.reason)?;
        if let Some(brick) = &self.brick {
            write!(f, "\nbrick: {brick}")?;
        }
        if let Some(line) = &self.line {
            write!(f, "\nline: {line}")?;
        }
        Ok(())
    }
}

impl FromStr for Report {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        const EXPECTED: &str = "lines with `letter: `, `reason: ` and perhaps `brick: ` and `line: `";
        let read = || {
            let mut lines = text.lines().peekable();
            let letter = lines.next()?.strip_prefix("letter: ")?;
            let letter: Letter = letter.parse().ok()?;
            let reason = lines.next()?.strip_prefix("reason: ")?.to_owned();
            let brick = lines.next_if(|line| line.starts_with("brick: "));
            let brick = brick.map(|line| line["brick: ".len()..].parse().ok());
            let line = lines.next().map(|line| line.strip_prefix("line: ").map(str::to_owned));
            let brick: Option<Brick> = match brick {
                Some(brick) => Some(brick?),
                None => None,
            };
            let line = match line {
                Some(line) => Some(line?),
                None => None,
            };
            let is_whole = lines.next().is_none() && (letter == Letter::Move) == brick.is_some();
            is_whole.then_some(Self { letter, reason, brick, line })
        };
        read().ok_or_else(|| NotationError::new("report", text, EXPECTED))
    }
}

#[cfg(test)]
mod tests {
    use game_bricks::{Config, Refusal, State};
    use game_env::{Environment as _, Millis, Seed, Turn};

    use super::*;

    /// Returns the verdict on a duel that the first player has lost.
    fn verdict(reason: Reason, line: Option<&[u8]>) -> Verdict {
        let cells = ["1x0", "0x1", "2x1", "1x2"].map(|cell| cell.parse().unwrap());
        let full = State::new(&Config::new(3).unwrap().filled(cells).unwrap(), Seed::new(0));
        let Turn::Over(outcome) = full.turn() else { panic!("no brick fits") };
        Verdict { outcome, reason, line: line.map(|line| Line::from(Ok(line.to_vec()))) }
    }

    fn report(reason: Reason, line: Option<&[u8]>) -> Report {
        Report::of(&verdict(reason, line)).unwrap()
    }

    #[test]
    fn reports_read_as_they_are_written() {
        let line = |bytes: &[u8]| Line::from(Ok(bytes.to_vec()));
        let brick: Brick = "0x0_0x1".parse().unwrap();
        let time = Millis::new(600);
        for (report, message, mark) in [
            (report(Reason::Normal, None), "Player Ada won normally!", None),
            (
                report(Reason::Illegal(brick, Refusal::Taken), Some(b"0x1_0x0")),
                "Player Bob -> put 0x0_0x1 on a filled cell",
                Some("0x0_0x1"),
            ),
            (
                report(Reason::Ahead(line(b"\x1b\n line: x")), Some(b"\x1b\n line: x")),
                "Player Bob -> wrote `\\u{1b}\\n␣line:␣x` before it was asked",
                Some("PROTOCOLERROR"),
            ),
            (
                report(Reason::Late(time, time), Some(b"")),
                "Player Bob -> moved after 600 ms (limit 600 ms)",
                Some("NORESPONSE"),
            ),
            (
                report(Reason::OpeningLate(time, time), None),
                "Player Bob -> answered the opening after 600 ms (limit 600 ms)",
                Some("NOOKRESPONSE"),
            ),
            (
                report(Reason::Silent(time), None),
                "Player Bob -> wrote no line within 600 ms",
                Some("DEADLOCKNORESPONSE"),
            ),
            (
                report(Reason::CannotStart("no".to_owned()), None),
                "Player Bob -> cannot be started: no",
                Some("null"),
            ),
        ] {
            assert_eq!(report.to_string().parse(), Ok(report.clone()), "{report}");
            assert_eq!(report.message("Ada", "Bob"), message);
            assert_eq!(report.mark().as_deref(), mark);
        }
        assert_eq!(
            report(Reason::Illegal(brick, Refusal::Taken), Some(b"0x1_0x0")).to_string(),
            "letter: M\nreason: put 0x0_0x1 on a filled cell\nbrick: 0x0_0x1\nline: 0x1_0x0"
        );
        for text in [
            "",
            "letter: X\nreason: a",
            "letter: N",
            "reason: a\nletter: N",
            "letter: M\nreason: a",
            "letter: P\nreason: a\nbrick: 0x0_0x1",
            "letter: M\nreason: a\nbrick: 0x0",
            "letter: P\nreason: a\nline: b\nc",
            "letter: P\nreason: a\nc",
        ] {
            let error = text.parse::<Report>().unwrap_err().to_string();
            assert!(error.contains("expected lines with `letter: `"), "{text:?}: {error}");
        }
        let stopped = verdict(Reason::Stopped, None);
        assert_eq!(Report::of(&stopped), None, "nobody has lost a duel that was stopped");
    }
}
