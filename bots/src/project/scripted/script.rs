//! A script as a value, read from its notation.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;
use std::time::Duration;

use game_env::names::nearest;
use game_env::text::{escape_hidden, list_faults};
use game_project::{Action, Information, Team};
use wire::frame::LONGEST;
use wire::project::{AgentNumber, Request};

/// Steps of an agent. The notation is described in the [module](super).
#[derive(Clone, PartialEq, Debug)]
pub struct Script {
    pub(super) steps: Vec<Step>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Step {
    Join(Team),
    Await(i64),
    Request(Request),
    Flood(u32, Request),
    Raw(Vec<u8>),
    Bytes(Vec<u8>),
    Silent,
    Deaf,
    Pause(Duration),
    Repeat(u32, Vec<Self>),
    Die,
}

/// Reason why a text is no script: all its faults.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct ScriptError {
    faults: Vec<Fault>,
}

/// A line that is no step of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Its number, from 1 on.
    pub line: usize,
    /// The beginning of the line, fit for a terminal.
    pub text: String,
    /// The fault, and the expected step.
    pub why: String,
}

impl ScriptError {
    /// Returns the faults in the order of their lines; never empty.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list_faults(f, "", &self.faults)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, text, why } = self;
        write!(f, "line {line}: `{text}`: {why}")
    }
}

/// Reason why a file is no script.
#[derive(Debug, thiserror::Error)]
pub enum ScriptFileError {
    /// It cannot be read.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// It is no text; the place of the first byte that is wrong, counted from 0.
    #[error("byte {0} is not UTF-8: save it as UTF-8")]
    NotUtf8(usize),
    /// It is too long.
    #[error("it is longer than {LONGEST_FILE} bytes, the limit of a script")]
    TooLong,
    /// It has faulty lines.
    #[error(transparent)]
    Faulty(#[from] ScriptError),
}

/// The longest file of a script, in bytes: sixteen of the longest frames.
const LONGEST_FILE: usize = 1 << 20;

/// Most repetitions inside one another.
const DEEPEST: usize = 100;

impl Script {
    /// Reads a script. Of a file that is too long no more than the longest one is read.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is too long or has a faulty line.
    pub fn read(file: impl Read) -> Result<Self, ScriptFileError> {
        let mut bytes = Vec::new();
        file.take(LONGEST_FILE as u64 + 1).read_to_end(&mut bytes)?;
        if bytes.len() > LONGEST_FILE {
            return Err(ScriptFileError::TooLong);
        }
        let text = str::from_utf8(&bytes).map_err(|error| ScriptFileError::NotUtf8(error.valid_up_to()))?;
        Ok(text.parse()?)
    }
}

/// Every kind of step with an example, by its first word.
const EXAMPLES: [(&str, &str); 19] = [
    ("join", "join red"),
    ("await", "await start` or `await 108"),
    ("move", "move N"),
    ("discover", "discover"),
    ("pick-up", "pick-up"),
    ("put", "put"),
    ("check", "check"),
    ("destroy", "destroy"),
    ("ask", "ask 3"),
    ("answer", "answer 3"),
    ("flood", "flood 1000 move N"),
    ("raw", r#"raw {"messageID":7}"#),
    ("bytes", "bytes 00 ff 10"),
    ("silent", "silent"),
    ("deaf", "deaf"),
    ("pause", "pause 100"),
    ("repeat", "repeat 3"),
    ("end", "end"),
    ("die", "die"),
];

impl Step {
    /// Returns whether the agent reads nothing after this step.
    fn is_deafening(&self) -> bool {
        match self {
            Self::Deaf => true,
            Self::Repeat(_, steps) => steps.iter().any(Self::is_deafening),
            _ => false,
        }
    }

    /// Returns whether the agent reads in this step.
    fn reads(&self) -> bool {
        match self {
            Self::Await(_) | Self::Silent => true,
            Self::Repeat(_, steps) => steps.iter().any(Self::reads),
            _ => false,
        }
    }
}

impl FromStr for Script {
    type Err = ScriptError;

    fn from_str(text: &str) -> Result<Self, ScriptError> {
        let mut faults = Vec::new();
        // The steps of the script, and of every `repeat` that is open, with its line and its count.
        let mut steps = Vec::new();
        let mut open: Vec<(usize, String, u32, Vec<Step>)> = Vec::new();
        let mut is_deaf = false;
        for (line, text) in (1..).zip(text.lines().map(str::trim)) {
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let mut fault = |why: String| faults.push(Fault { line, text: excerpt(text), why });
            match Line::read(text) {
                Ok(Line::Step(step)) => {
                    match step {
                        Step::Deaf => is_deaf = true,
                        Step::Await(_) | Step::Silent if is_deaf => {
                            fault(
                                "nothing is read after `deaf`; `pause 1000` would let time pass".to_owned(),
                            );
                        }
                        _ => {}
                    }
                    steps.push(step);
                }
                Ok(Line::Repeat(count)) => {
                    if open.len() >= DEEPEST {
                        fault(format!("at most {DEEPEST} repetitions may be inside one another"));
                    }
                    open.push((line, excerpt(text), count, std::mem::take(&mut steps)));
                }
                Ok(Line::End) => match open.pop() {
                    Some((.., count, before)) => {
                        let body = std::mem::replace(&mut steps, before);
                        // A repetition that is too deep is not kept: steps are dropped one inside another, on the
                        // stack.
                        if open.len() < DEEPEST {
                            let body = Step::Repeat(count, body);
                            if count > 1 && body.is_deafening() && body.reads() {
                                fault("its second round would read after `deaf`".to_owned());
                            }
                            steps.push(body);
                        }
                    }
                    None => fault("no `repeat` is open before it".to_owned()),
                },
                Err(why) => fault(why),
            }
        }
        let unclosed = open.into_iter().map(|(line, text, ..)| {
            let why = "its `end` is missing".to_owned();
            Fault { line, text, why }
        });
        faults.extend(unclosed);
        faults.sort_by_key(|fault| fault.line);
        if faults.is_empty() { Ok(Self { steps }) } else { Err(ScriptError { faults }) }
    }
}

/// One line of a script.
enum Line {
    Step(Step),
    Repeat(u32),
    End,
}

impl Line {
    /// Reads a line; an error gives the fault, and the expected step.
    fn read(text: &str) -> Result<Self, String> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        let Some((_, example)) = EXAMPLES.iter().find(|(known, _)| *known == word) else {
            return Err(format!("there is no such step; {}", likely(word)));
        };
        let step = match word {
            "join" => rest.parse().ok().map(Step::Join),
            "await" if rest == "start" => Some(Step::Await(105)),
            "await" => rest.parse().ok().map(Step::Await),
            "flood" => rest.split_once(char::is_whitespace).and_then(|(count, request)| {
                Some(Step::Flood(count.parse().ok()?, self::request(request.trim())?))
            }),
            "raw" if rest.len() > LONGEST.into() => {
                return Err(format!("a frame holds at most {LONGEST} bytes"));
            }
            "raw" => Some(Step::Raw(rest.as_bytes().to_vec())),
            "bytes" => bytes(rest).map(Step::Bytes),
            "silent" => rest.is_empty().then_some(Step::Silent),
            "deaf" => rest.is_empty().then_some(Step::Deaf),
            "pause" => rest.parse().ok().map(Duration::from_millis).map(Step::Pause),
            "die" => rest.is_empty().then_some(Step::Die),
            "repeat" => match rest.parse() {
                Ok(count) => return Ok(Self::Repeat(count)),
                Err(_) => None,
            },
            "end" if rest.is_empty() => return Ok(Self::End),
            "end" => None,
            _ => request(text).map(Step::Request),
        };
        step.map(Self::Step).ok_or_else(|| format!("expected e.g. `{example}`"))
    }
}

fn request(text: &str) -> Option<Request> {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let agent = || rest.parse().ok().map(AgentNumber);
    let alone = |action| rest.is_empty().then_some(action);
    let action = match word {
        "join" => return Some(Request::Join { team: rest.parse().ok()? }),
        "move" => Some(Action::Move(rest.parse().ok()?)),
        "discover" => alone(Action::Discover),
        "pick-up" => alone(Action::PickUp),
        "put" => alone(Action::Put),
        "check" => alone(Action::Check),
        "destroy" => alone(Action::Destroy),
        "ask" => Some(Action::Ask(agent()?)),
        "answer" => Some(Action::Answer { to: agent()?, information: Information::default().into() }),
        _ => None,
    };
    action.map(Request::Play)
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let byte = |digits: &str| (digits.len() == 2).then(|| u8::from_str_radix(digits, 16).ok()).flatten();
    let read: Option<Vec<u8>> = text.split_whitespace().map(byte).collect();
    read.filter(|bytes| !bytes.is_empty())
}

/// Returns the step that may be meant, or all there are.
fn likely(word: &str) -> String {
    let near = nearest(word, EXAMPLES.map(|(known, _)| known));
    match EXAMPLES.into_iter().find(|(known, _)| near == Some(*known)) {
        Some((_, example)) => format!("`{example}` would be one"),
        None => format!("steps begin with {}", EXAMPLES.map(|(word, _)| word).join(", ")),
    }
}

/// Returns the beginning of a line, for a message.
fn excerpt(line: &str) -> String {
    const SHOWN: usize = 60;
    match line.char_indices().nth(SHOWN) {
        None => escape_hidden(line),
        Some((end, _)) => escape_hidden(&line[..end]) + "…",
    }
}

#[cfg(test)]
mod tests {
    use insta::assert_snapshot;

    use super::*;

    #[test]
    fn every_example_is_a_step() {
        for (word, example) in EXAMPLES {
            for step in example.split("` or `") {
                assert!(Line::read(step).is_ok(), "{word}: {step}");
            }
        }
    }

    #[test]
    fn steps_are_read_in_order_and_repetitions_hold_others() {
        let script: Script = "
            # a comment
            join blue
            await start
            repeat 2
              move N
              repeat 3
                flood 5 ask 3
              end
            end
            bytes 00 fF
            raw  {\"messageID\": 7}
            pause 5"
            .parse()
            .unwrap();
        let flood = Step::Flood(5, Action::Ask(AgentNumber(3)).into());
        let north = Step::Request(Action::Move(game_project::Direction::North).into());
        let expected = [
            Step::Join(Team::Blue),
            Step::Await(105),
            Step::Repeat(2, vec![north, Step::Repeat(3, vec![flood])]),
            Step::Bytes(vec![0, 255]),
            Step::Raw(b"{\"messageID\": 7}".to_vec()),
            Step::Pause(Duration::from_millis(5)),
        ];
        assert_eq!(script.steps, expected);
    }

    #[test]
    fn every_faulty_line_is_named_with_what_would_be_right() {
        let script = "join green\njion red\nmove up\nflood move N\nask #3\nbytes 0 1\nput down\nend\nrepeat 2\ndeaf\nawait 108\ndance\nawait now\npause";
        assert_snapshot!(script.parse::<Script>().unwrap_err(), @"
        line 1: `join green`: expected e.g. `join red`
        line 2: `jion red`: there is no such step; `join red` would be one
        line 3: `move up`: expected e.g. `move N`
        line 4: `flood move N`: expected e.g. `flood 1000 move N`
        line 5: `ask #3`: expected e.g. `ask 3`
        line 6: `bytes 0 1`: expected e.g. `bytes 00 ff 10`
        line 7: `put down`: expected e.g. `put`
        line 8: `end`: no `repeat` is open before it
        line 9: `repeat 2`: its `end` is missing
        line 11: `await 108`: nothing is read after `deaf`; `pause 1000` would let time pass
        line 12: `dance`: there is no such step; steps begin with join, await, move, discover, pick-up, put, check, destroy, ask, answer, flood, raw, bytes, silent, deaf, pause, repeat, end, die
        line 13: `await now`: expected e.g. `await start` or `await 108`
        line 14: `pause`: expected e.g. `pause 100`
        ");
        let twice = "repeat 2\nrepeat 1\nawait 108\nend\ndeaf\nend".parse::<Script>().unwrap_err();
        assert_eq!(twice.to_string(), "line 6: `end`: its second round would read after `deaf`");
        assert!("repeat 1\nawait 108\ndeaf\nend".parse::<Script>().is_ok());
        let hidden = "danc\u{1b}[2J\u{202e}".parse::<Script>().unwrap_err();
        assert_eq!(hidden.faults()[0].text, "danc\\u{1b}[2J\\u{202e}");
        let many = "x\n".repeat(100_000).parse::<Script>().unwrap_err();
        assert_eq!(many.to_string().lines().last(), Some("and 99980 more faults"));
        let long = format!("raw {}", "x".repeat(65_536));
        assert!(
            long.parse::<Script>().unwrap_err().to_string().ends_with("a frame holds at most 65535 bytes")
        );
    }

    #[test]
    fn repetitions_are_not_inside_one_another_without_limit() {
        let nested = |depth: usize| "repeat 1\n".repeat(depth) + "move N\n" + &"end\n".repeat(depth);
        assert!(nested(DEEPEST).parse::<Script>().is_ok());
        let error = nested(DEEPEST + 1).parse::<Script>().unwrap_err();
        assert_snapshot!(error, @"line 101: `repeat 1`: at most 100 repetitions may be inside one another");
        // A value of this many nested repetitions, which a file can hold, would overflow the stack when it is dropped.
        assert_eq!(nested(80_000).parse::<Script>().unwrap_err().faults().len(), 80_000 - DEEPEST);
    }

    #[test]
    fn what_is_read_of_a_file_is_bounded() {
        assert_eq!(
            Script::read(io::repeat(b'#')).unwrap_err().to_string(),
            "it is longer than 1048576 bytes, the limit of a script"
        );
        let error = Script::read(&b"join red\n\xff"[..]).unwrap_err();
        assert_eq!(error.to_string(), "byte 9 is not UTF-8: save it as UTF-8");
        let longest = "#".repeat(LONGEST_FILE);
        assert_eq!(Script::read(longest.as_bytes()).unwrap(), Script { steps: Vec::new() });
    }
}
