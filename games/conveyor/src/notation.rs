//! The game as text, for replays, tests and people.
//!
//! An action is `step up`, `turn left` or `ahead two`; a place is column and row, e.g. `3,4`. A board shows homes as
//! `h0` and `h1`, hints as two arrows (the way home of player 0, then that of player 1), starts of conveyors as `c` and
//! the place of the end, and the players as `@0` and `@1`:
//!
//! ```text
//! .    ^>   h1
//! @0   .    .
//! <>   h0   .@1
//! ```

use std::fmt;
use std::str::FromStr;

use game_env::parameter::{Checked, Parameter};
use game_env::scene::{Cell, Mark};
use game_env::{AgentId, ConfigError, Notation, NotationError, Parameters, Preset, Scene, TeamId, Value};

use crate::board::{Config, Direction, Field, Place};
use crate::state::{Action, Event, Refusal, State, Steps};

/// Every parameter of the game, in the order of files.
pub const PARAMETERS: [Parameter; 4] = {
    const LONGEST: i64 = Config::LONGEST_SIDE as i64;
    [
        Parameter::whole("columns", "columns of the board", 12, 1, LONGEST),
        Parameter::whole("rows", "rows of the board", 9, 1, LONGEST),
        Parameter::whole("hints", "hint fields, 0 for as few as the rules allow", 0, 0, LONGEST * LONGEST),
        Parameter::whole("conveyors", "conveyors", 4, 0, LONGEST * LONGEST),
    ]
};

impl Notation for State {
    const GAME: &'static str = "conveyor";
    const RULES: u32 = 1;

    fn parameters() -> &'static [Parameter] {
        &PARAMETERS
    }

    fn presets() -> Vec<Preset> {
        let preset = |name, summary, columns: u16, rows: u16, conveyors: u16| {
            let whole = |number: u16| Value::Whole(number.into());
            let parameters =
                [("columns", whole(columns)), ("rows", whole(rows)), ("conveyors", whole(conveyors))];
            Preset { name, summary, parameters: parameters.into_iter().collect() }
        };
        vec![
            preset("small", "5×4 fields and a conveyor", 5, 4, 1),
            preset("usual", "12×9 fields and four conveyors", 12, 9, 4),
            preset("large", "40×30 fields and forty conveyors", 40, 30, 40),
        ]
    }

    fn write_config(config: &Config) -> Parameters {
        let whole = |number: u16| Value::Whole(number.into());
        [
            ("columns", whole(config.columns().into())),
            ("rows", whole(config.rows().into())),
            ("hints", whole(config.hints())),
            ("conveyors", whole(config.conveyors())),
        ]
        .into_iter()
        .collect()
    }

    fn read_config(parameters: &Parameters) -> Result<Config, ConfigError> {
        let read = Checked::read(&PARAMETERS, parameters)?;
        let config = Config::new(read.whole("columns"), read.whole("rows"))
            .map_err(|error| read.fault("columns", error))?;
        let hints = match read.whole("hints") {
            0 => config.hints(),
            hints => hints,
        };
        let config = config.with_hints(hints).map_err(|error| read.fault("hints", error))?;
        config.with_conveyors(read.whole("conveyors")).map_err(|error| read.fault("conveyors", error))
    }

    fn scene(&self) -> Scene {
        let board = self.board();
        let marks = board.config().places().filter_map(|place| {
            let mark = match board.field(place) {
                Field::Normal => return None,
                Field::Home(player) => home_mark(AgentId::new(player.into())),
                Field::Hint(directions) => Mark::new("hint", directions.map(arrow).concat()),
                Field::Start(end) => Mark::new("conveyor", format!("c{end}")),
            };
            Some((place, mark))
        });
        let places = [0, 1].map(|player| self.place(player));
        draw(board.config(), marks, places, format!("#1 looks {}", self.heading()))
    }
}

/// Returns a board with these marks on it, and the players at these places.
pub(crate) fn draw(
    config: Config,
    marks: impl IntoIterator<Item = (Place, Mark)>,
    places: [Place; 2],
    caption: String,
) -> Scene {
    let ground = Cell::ground("field", ".");
    let mut scene = Scene::new(config.columns().into(), config.rows().into(), ground);
    let players = AgentId::all(2).zip(places).map(|(player, place)| {
        let mark = Mark::new("player", format!("@{}", player.index()));
        (place, mark.of(TeamId::of_lone_agent(player)).by(player))
    });
    for (Place { column, row }, mark) in marks.into_iter().chain(players) {
        scene.cell_mut(usize::from(column) - 1, usize::from(row) - 1).marks.push(mark);
    }
    scene.caption.push(caption);
    scene
}

/// Returns the home of a player.
pub(crate) fn home_mark(player: AgentId) -> Mark {
    let mark = Mark::new("home", format!("h{}", player.index()));
    mark.of(TeamId::of_lone_agent(player)).by(player)
}

pub(crate) const fn arrow(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "^",
        Direction::Down => "v",
        Direction::Left => "<",
        Direction::Right => ">",
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        })
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::One => "one",
            Self::Two => "two",
            Self::Three => "three",
        })
    }
}

/// Column and row, e.g. `3,4`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.column, self.row)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(direction) => write!(f, "step {direction}"),
            Self::Turn(direction) => write!(f, "turn {direction}"),
            Self::Ahead(steps) => write!(f, "ahead {steps}"),
        }
    }
}

impl FromStr for Action {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let direction = |word: &str| Direction::ALL.into_iter().find(|known| known.to_string() == word);
        let steps = |word: &str| Steps::ALL.into_iter().find(|known| known.to_string() == word);
        let read = || match text.split_once(' ')? {
            ("step", word) => direction(word).map(Self::Step),
            ("turn", word) => direction(word).map(Self::Turn),
            ("ahead", word) => steps(word).map(Self::Ahead),
            _ => None,
        };
        read().ok_or_else(|| {
            NotationError::new(
                "action",
                text,
                "`step` or `turn` and a direction, or `ahead` and one, two or three",
            )
        })
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered { player, action, hint: None } => write!(f, "{player} {action}"),
            Self::Answered { player, action, hint: Some(hint) } => write!(f, "{player} {action} hint {hint}"),
            Self::Landed { player, place, carried_from, heading } => {
                write!(f, "{player} at {place}")?;
                carried_from.map_or(Ok(()), |start| write!(f, " from {start}"))?;
                if *player == crate::state::TURNER { write!(f, " looks {heading}") } else { Ok(()) }
            }
            Self::Refused { player, action, refusal } => write!(f, "{player} refused {action} {refusal}"),
            Self::Left(player) => write!(f, "{player} left"),
            Self::Over(outcome) => outcome.write_over(f, false),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Over => "over",
            Self::NotYours => "not-yours",
            Self::OffBoard => "off-board",
        })
    }
}

#[cfg(test)]
mod tests {
    use game_env::{Environment as _, Seed};

    use super::*;

    #[test]
    fn an_action_reads_as_it_is_written() {
        for text in
            ["step up", "step down", "turn left", "turn right", "ahead one", "ahead two", "ahead three"]
        {
            assert_eq!(text.parse::<Action>().map(|action| action.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "step", "step one", "ahead up", "turn", "jump up", "step  up", "Step up"] {
            let error = text.parse::<Action>().unwrap_err().to_string();
            assert!(error.ends_with("or `ahead` and one, two or three"), "{error}");
        }
    }

    #[test]
    fn faulty_configurations_name_their_fault() {
        for (asked, fault) in [
            (&[("columns", 0)][..], "columns = 0: it is too small; allowed: a whole number from 1 to 99"),
            (
                &[("columns", 2), ("rows", 1)],
                "columns = 2: two homes, 1 hint and 0 conveyors on 2 fields; allowed: at most as many as there are \
                 fields",
            ),
            (
                &[("hints", 3)],
                "hints = 3: 3 hints; allowed: at least 9 on this board, the length of its shorter side",
            ),
            (
                &[("conveyors", 21)],
                "conveyors = 21: 21 conveyors; allowed: at most 20 on this board, whose starts neither lie at the \
                 border nor touch",
            ),
        ] {
            let asked = asked.iter().map(|(name, value)| (*name, Value::Whole(*value))).collect();
            assert_eq!(State::read_config(&asked).unwrap_err().to_string(), fault);
        }
        assert_eq!(State::read_config(&Parameters::new()).unwrap(), Config::default());
    }

    #[test]
    fn a_board_shows_all_that_is_on_it() {
        let config = Config::new(5, 4).unwrap().with_conveyors(2).unwrap();
        insta::assert_snapshot!(State::new(&config, Seed::new(3)).scene());
    }
}
