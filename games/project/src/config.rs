//! What the host of a game may choose, with every limit checked in one place.
//!
//! [`RawConfig`] holds whatever was asked for, [`Config`] only what can be played.
//! Between them stands [`RawConfig::check`], which names every fault at once.
//! Files, settings pages and replays share the table behind [`RawConfig::descriptions`].

use std::fmt;

use game_env::names::nearest;
use game_env::notation::{fit_for_a_log, list_faults};
use game_env::{ByTeam, Millis, Parameters, Value};

use crate::action::ActionKind;
use crate::geometry::Geometry;
use crate::team::Team;

/// A configuration as asked for, right or wrong. The default is the source's sample (specification,
/// section 7).
#[derive(Clone, PartialEq, Debug)]
pub struct RawConfig {
    /// `boardX`, the number of columns.
    pub board_x: i64,
    /// `boardY`, the number of rows.
    pub board_y: i64,
    /// `goalAreaHeight`, the number of rows in each goal area.
    pub goal_area_height: i64,
    /// `numberOfGoals` of each team.
    pub number_of_goals: i64,
    /// `numberOfPieces` in play at any moment.
    pub number_of_pieces: i64,
    /// `teamSize`, the most agents of each team.
    pub team_size: i64,
    /// `shamPieceProbability` of a new piece.
    pub sham_piece_probability: f64,
    /// `movePenalty` in milliseconds.
    pub move_penalty: i64,
    /// `informationExchangePenalty` in milliseconds, for asking and for answering.
    pub information_exchange_penalty: i64,
    /// `discoveryPenalty` in milliseconds.
    pub discovery_penalty: i64,
    /// `putPenalty` in milliseconds.
    pub put_penalty: i64,
    /// `checkForShamPenalty` in milliseconds.
    pub check_for_sham_penalty: i64,
    /// `destroyPiecePenalty` in milliseconds.
    pub destroy_piece_penalty: i64,
    /// `pickUpPenalty` in milliseconds. The source has none.
    pub pick_up_penalty: i64,
    /// `landingPickUp`: whether a new piece that appears under an empty-handed agent is in its hand at once.
    pub landing_pick_up: bool,
    /// `leaderBinds`: whether an agent that its leader has asked is granted nothing before it has answered.
    pub leader_binds: bool,
}

impl Default for RawConfig {
    fn default() -> Self {
        Self {
            board_x: 40,
            board_y: 40,
            goal_area_height: 5,
            number_of_goals: 5,
            number_of_pieces: 10,
            team_size: 2,
            sham_piece_probability: 0.5,
            move_penalty: 1500,
            information_exchange_penalty: 1000,
            discovery_penalty: 700,
            put_penalty: 500,
            check_for_sham_penalty: 700,
            destroy_piece_penalty: 500,
            pick_up_penalty: 0,
            landing_pick_up: true,
            leader_binds: true,
        }
    }
}

/// What there is to say of one parameter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Description {
    /// Its name in files.
    pub name: &'static str,
    /// Other names under which it is read.
    pub aliases: &'static [&'static str],
    /// What it means, with its unit.
    pub meaning: &'static str,
    /// The values it may have, other parameters aside.
    pub range: Range,
}

/// The values that a parameter may have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Range {
    /// A whole number between these, both included.
    Whole(i64, i64),
    /// A number between these, both included.
    Real(f64, f64),
    /// Yes or no.
    Flag,
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::Real(least, most) => write!(f, "a number from {least} to {most}"),
            Self::Flag => f.write_str("true or false"),
        }
    }
}

/// How to reach the field of [`RawConfig`] that a row describes.
#[derive(Clone, Copy)]
enum Access {
    Whole(fn(&mut RawConfig) -> &mut i64),
    Real(fn(&mut RawConfig) -> &mut f64),
    Flag(fn(&mut RawConfig) -> &mut bool),
}

/// The longest penalty: an hour.
const LONGEST_PENALTY: i64 = 3_600_000;

/// The most pieces. A board has room for more, a game has no use for them.
const MOST_PIECES: i64 = 1_000_000;

/// The most goals of a team: more than thirty for each of the most agents.
const MOST_GOALS: i64 = 100_000;

/// The most agents of a team: every agent is told the numbers of all others in one message.
pub(crate) const LARGEST_TEAM: u16 = 3_000;

const SIDE: Range = Range::Whole(1, Geometry::LONGEST_SIDE as i64);
const PENALTY: Range = Range::Whole(0, LONGEST_PENALTY);

const TABLE: [(Description, Access); 16] = {
    const fn row(
        name: &'static str,
        aliases: &'static [&'static str],
        meaning: &'static str,
        range: Range,
        access: Access,
    ) -> (Description, Access) {
        (Description { name, aliases, meaning, range }, access)
    }
    use Access::{Flag, Real, Whole};
    [
        row("boardX", &[], "columns of the board", SIDE, Whole(|raw| &mut raw.board_x)),
        row("boardY", &[], "rows of the board", SIDE, Whole(|raw| &mut raw.board_y)),
        row(
            "goalAreaHeight",
            &["goalAreaHight"],
            "rows of each goal area",
            Range::Whole(1, (Geometry::LONGEST_SIDE as i64 - 1) / 2),
            Whole(|raw| &mut raw.goal_area_height),
        ),
        row(
            "numberOfGoals",
            &[],
            "hidden goals of each team",
            Range::Whole(1, MOST_GOALS),
            Whole(|raw| &mut raw.number_of_goals),
        ),
        row(
            "numberOfPieces",
            &[],
            "pieces in play at any moment",
            Range::Whole(1, MOST_PIECES),
            Whole(|raw| &mut raw.number_of_pieces),
        ),
        row(
            "teamSize",
            &[],
            "the most agents of each team",
            Range::Whole(1, LARGEST_TEAM as i64),
            Whole(|raw| &mut raw.team_size),
        ),
        row(
            "shamPieceProbability",
            &[],
            "probability that a new piece is a sham",
            Range::Real(0.0, 1.0),
            Real(|raw| &mut raw.sham_piece_probability),
        ),
        row("movePenalty", &[], "lock after a move, ms", PENALTY, Whole(|raw| &mut raw.move_penalty)),
        row(
            "informationExchangePenalty",
            &["askPenalty"],
            "lock after asking for information and after answering, ms",
            PENALTY,
            Whole(|raw| &mut raw.information_exchange_penalty),
        ),
        row(
            "discoveryPenalty",
            &[],
            "lock after a discovery, ms",
            PENALTY,
            Whole(|raw| &mut raw.discovery_penalty),
        ),
        row("putPenalty", &[], "lock after putting a piece, ms", PENALTY, Whole(|raw| &mut raw.put_penalty)),
        row(
            "checkForShamPenalty",
            &[],
            "lock after checking a piece, ms",
            PENALTY,
            Whole(|raw| &mut raw.check_for_sham_penalty),
        ),
        row(
            "destroyPiecePenalty",
            &[],
            "lock after destroying a piece, ms",
            PENALTY,
            Whole(|raw| &mut raw.destroy_piece_penalty),
        ),
        row(
            "pickUpPenalty",
            &[],
            "lock after picking up a piece, ms",
            PENALTY,
            Whole(|raw| &mut raw.pick_up_penalty),
        ),
        row(
            "landingPickUp",
            &[],
            "whether a new piece that appears under an empty-handed agent is in its hand at once",
            Range::Flag,
            Flag(|raw| &mut raw.landing_pick_up),
        ),
        row(
            "leaderBinds",
            &[],
            "whether an agent that its leader has asked is granted nothing before it has answered",
            Range::Flag,
            Flag(|raw| &mut raw.leader_binds),
        ),
    ]
};

impl RawConfig {
    /// Every parameter there is, in the order of files.
    pub fn descriptions() -> impl ExactSizeIterator<Item = &'static Description> {
        TABLE.iter().map(|(description, _)| description)
    }

    /// The parameters with their values, in the order of [`RawConfig::descriptions`].
    pub fn parameters(&self) -> Parameters {
        let mut raw = self.clone();
        let value = |access: &Access| match access {
            Access::Whole(field) => Value::Whole((*field(&mut raw)).into()),
            Access::Real(field) => Value::Real(*field(&mut raw)),
            Access::Flag(field) => Value::Flag(*field(&mut raw)),
        };
        let names = TABLE.iter().map(|(description, _)| description.name);
        names.zip(TABLE.iter().map(|(_, access)| access).map(value)).collect()
    }

    /// The parameters whose values differ from the defaults, in the order of [`RawConfig::descriptions`].
    pub fn changes(&self) -> Parameters {
        let defaults = Self::default().parameters();
        let own = self.parameters();
        let changed = own.iter().filter(|(name, value)| defaults.get(name) != Some(value));
        changed.map(|(name, value)| (name, value.clone())).collect()
    }

    /// The configuration with these values and defaults for the rest.
    ///
    /// # Errors
    ///
    /// Names every parameter that does not exist, with the one that may be meant, every one that is given
    /// twice, and every value of the wrong kind. Values are not compared with their ranges yet.
    pub fn read(parameters: &Parameters) -> Result<Self, ConfigError> {
        match Self::read_among(parameters, &[]) {
            (raw, faults) if faults.is_empty() => Ok(raw),
            (_, faults) => Err(ConfigError { faults }),
        }
    }

    /// The same of a list that holds `others` as well, which are left alone: what could be read, with the
    /// default in the place of what could not, and the faults, to be reported together with further ones.
    pub fn read_among(parameters: &Parameters, others: &[&str]) -> (Self, Vec<Fault>) {
        let mut raw = Self::default();
        let mut faults = Vec::new();
        let mut seen = Vec::new();
        for (name, value) in parameters.iter() {
            let found = TABLE.iter().find(|(known, _)| known.name == name || known.aliases.contains(&name));
            let Some((description, access)) = found else {
                if !others.contains(&name) {
                    faults.push(Fault::unknown(name, value, others));
                }
                continue;
            };
            if seen.contains(&description.name) {
                faults.push(Fault::new(description.name, value, "it is given twice", "one value"));
                continue;
            }
            seen.push(description.name);
            match (access, value) {
                (Access::Whole(field), Value::Whole(number)) => *field(&mut raw) = clamp(*number),
                (Access::Real(field), Value::Real(number)) => *field(&mut raw) = *number,
                (Access::Real(field), Value::Whole(number)) => *field(&mut raw) = *number as f64,
                (Access::Flag(field), Value::Flag(flag)) => *field(&mut raw) = *flag,
                _ => faults.push(Fault::new(
                    description.name,
                    value,
                    "a value of another kind is needed",
                    description.range.to_string(),
                )),
            }
        }
        (raw, faults)
    }

    /// The configuration, if it can be played.
    ///
    /// Penalties are rounded to 10 ms, half upwards (specification, section 3).
    ///
    /// # Errors
    ///
    /// Names every fault: each value outside its range, then what does not fit together.
    pub fn check(&self) -> Result<Config, ConfigError> {
        let mut faults = self.out_of_range();
        let faulty: Vec<String> = faults.iter().map(|fault| fault.field.clone()).collect();
        // What is out of range is asked for again anyway; only sound values are held against each other.
        faults
            .extend(self.contradictions(|names| !names.iter().any(|name| faulty.iter().any(|f| f == name))));
        if faults.is_empty() { Ok(self.narrowed()) } else { Err(ConfigError { faults }) }
    }

    fn out_of_range(&self) -> Vec<Fault> {
        let parameters = self.parameters();
        let mut faults = Vec::new();
        for ((description, _), (_, value)) in TABLE.iter().zip(parameters.iter()) {
            let why = match (description.range, value) {
                (Range::Whole(least, _), Value::Whole(number)) if *number < least.into() => "it is too small",
                (Range::Whole(_, most), Value::Whole(number)) if *number > most.into() => "it is too large",
                (Range::Real(least, most), Value::Real(number)) if !(least..=most).contains(number) => {
                    "it is no probability"
                }
                _ => continue,
            };
            faults.push(Fault::new(description.name, value, why, description.range.to_string()));
        }
        faults
    }

    /// What does not fit together, among the parameters that are `sound`.
    fn contradictions(&self, sound: impl Fn(&[&str]) -> bool) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut contradiction = |field: &str, value: i64, why: String, most: i64, otherwise: &str| {
            let allowed = if most > 0 { format!("at most {most}") } else { otherwise.to_owned() };
            faults.push(Fault::new(field, &Value::Whole(value.into()), why, allowed));
        };
        let Self { board_x, board_y, goal_area_height, number_of_goals, team_size, .. } = *self;
        if sound(&["goalAreaHeight", "boardY"]) && 2 * goal_area_height >= board_y {
            let why = format!("both goal areas leave none of {board_y} rows for the task area");
            let most = (board_y - 1) / 2;
            contradiction("goalAreaHeight", goal_area_height, why, most, "a boardY of at least 3");
        }
        if sound(&["numberOfGoals", "boardX", "goalAreaHeight"])
            && number_of_goals > board_x * goal_area_height
        {
            let why = format!("a goal area of {board_x}×{goal_area_height} has fewer fields");
            contradiction("numberOfGoals", number_of_goals, why, board_x * goal_area_height, "");
        }
        if sound(&["teamSize", "boardX", "boardY"]) && 2 * team_size >= board_x * board_y {
            let why = format!("two teams of {team_size} leave no field free on {board_x}×{board_y}");
            contradiction("teamSize", team_size, why, (board_x * board_y - 1) / 2, "a larger board");
        }
        faults
    }

    /// The configuration in narrow types, after every check.
    fn narrowed(&self) -> Config {
        let checked = "every value was compared with its range";
        let short = |number: i64| u16::try_from(number).expect(checked);
        let long = |number: i64| u32::try_from(number).expect(checked);
        let rounded = |milliseconds: i64| Millis::new(long((milliseconds + 5) / 10 * 10));
        let geometry = Geometry::new(short(self.board_x), short(self.board_y), short(self.goal_area_height));
        let team_size = short(self.team_size);
        Config {
            geometry: geometry.expect(checked),
            goals: long(self.number_of_goals),
            pieces: long(self.number_of_pieces),
            team_size,
            agents: ByTeam::new([team_size; 2]),
            sham_probability: self.sham_piece_probability,
            penalties: Penalties::new(|kind| {
                rounded(match kind {
                    ActionKind::Move => self.move_penalty,
                    ActionKind::Discover => self.discovery_penalty,
                    ActionKind::PickUp => self.pick_up_penalty,
                    ActionKind::Put => self.put_penalty,
                    ActionKind::Check => self.check_for_sham_penalty,
                    ActionKind::Destroy => self.destroy_piece_penalty,
                    ActionKind::Ask | ActionKind::Answer => self.information_exchange_penalty,
                })
            }),
            landing_pick_up: self.landing_pick_up,
            leader_binds: self.leader_binds,
        }
    }
}

/// A configuration that can be played.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    geometry: Geometry,
    goals: u32,
    pieces: u32,
    team_size: u16,
    agents: ByTeam<u16>,
    sham_probability: f64,
    penalties: Penalties,
    landing_pick_up: bool,
    leader_binds: bool,
}

impl Default for Config {
    fn default() -> Self {
        RawConfig::default().check().expect("the source's sample can be played")
    }
}

impl Config {
    /// The shape of the board.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// How many goals each team has to cover.
    pub fn goals(&self) -> u32 {
        self.goals
    }

    /// How many pieces are in play at any moment, those in hands included.
    pub fn pieces(&self) -> u32 {
        self.pieces
    }

    /// The most agents of each team.
    pub fn team_size(&self) -> u16 {
        self.team_size
    }

    /// How many agents each team begins with: as many as allowed, unless fewer were seated.
    pub fn agents(&self) -> ByTeam<u16> {
        self.agents
    }

    /// The probability that a new piece is a sham.
    pub fn sham_probability(&self) -> f64 {
        self.sham_probability
    }

    /// How long each action locks.
    pub fn penalties(&self) -> Penalties {
        self.penalties
    }

    /// Whether a new piece that appears under an empty-handed agent is in its hand at once.
    pub fn landing_pick_up(&self) -> bool {
        self.landing_pick_up
    }

    /// Whether an agent that its leader has asked is granted nothing before it has answered.
    pub fn leader_binds(&self) -> bool {
        self.leader_binds
    }

    /// The same game with so many agents.
    ///
    /// # Errors
    ///
    /// If a team has more than the team size.
    pub fn seat(mut self, agents: ByTeam<u16>) -> Result<Self, ConfigError> {
        let faults: Vec<Fault> = Team::ALL
            .into_iter()
            .filter(|team| agents[*team] > self.team_size)
            .map(|team| {
                let why = format!("the team size is {}", self.team_size);
                let allowed = format!("at most {}", self.team_size);
                Fault::new(SEATED[team], &Value::Whole(i128::from(agents[team])), why, allowed)
            })
            .collect();
        if !faults.is_empty() {
            return Err(ConfigError { faults });
        }
        self.agents = agents;
        Ok(self)
    }

    /// For situations given as a board: what the board itself says takes the place of the configuration.
    pub(crate) fn on_board(self, geometry: Geometry, goals: u32, pieces: u32, agents: ByTeam<u16>) -> Self {
        let team_size = agents.iter().copied().max().unwrap_or_default();
        Self { geometry, goals, pieces, agents, team_size, ..self }
    }

    /// The configuration as names and values: those of [`RawConfig`], then how many agents each team
    /// begins with.
    pub fn parameters(&self) -> Parameters {
        let whole = |number: u32| i64::from(number);
        let penalty = |kind| whole(self.penalties.of(kind).as_millis());
        let raw = RawConfig {
            board_x: whole(self.geometry.columns().into()),
            board_y: whole(self.geometry.rows().into()),
            goal_area_height: whole(self.geometry.goal_rows().into()),
            number_of_goals: whole(self.goals),
            number_of_pieces: whole(self.pieces),
            team_size: whole(self.team_size.into()),
            sham_piece_probability: self.sham_probability,
            move_penalty: penalty(ActionKind::Move),
            information_exchange_penalty: penalty(ActionKind::Ask),
            discovery_penalty: penalty(ActionKind::Discover),
            put_penalty: penalty(ActionKind::Put),
            check_for_sham_penalty: penalty(ActionKind::Check),
            destroy_piece_penalty: penalty(ActionKind::Destroy),
            pick_up_penalty: penalty(ActionKind::PickUp),
            landing_pick_up: self.landing_pick_up,
            leader_binds: self.leader_binds,
        };
        let mut parameters = raw.parameters();
        for team in Team::ALL {
            parameters.push(SEATED[team], Value::Whole(i128::from(self.agents[team])));
        }
        parameters
    }

    /// Reads what [`Config::parameters`] wrote.
    ///
    /// # Errors
    ///
    /// As [`RawConfig::read`], [`RawConfig::check`] and [`Config::seat`].
    pub fn read(parameters: &Parameters) -> Result<Self, ConfigError> {
        let (raw, mut faults) = RawConfig::read_among(parameters, &SEATED.into_inner());
        let config = raw.check().map_err(|error| faults.extend(error.faults)).ok();
        let seated = |team: Team| match parameters.get(SEATED[team]) {
            None => Ok(None),
            Some(Value::Whole(number)) if (0..=i64::from(LARGEST_TEAM)).contains(&clamp(*number)) => {
                Ok(Some(u16::try_from(*number).expect("far below 2^16")))
            }
            Some(other) => {
                let allowed = format!("a whole number from 0 to {LARGEST_TEAM}");
                Err(Fault::new(SEATED[team], other, "it is no number of agents", allowed))
            }
        };
        let [red, blue] =
            Team::ALL.map(|team| seated(team).map_err(|fault| faults.push(fault)).ok().flatten());
        match config {
            Some(config) if faults.is_empty() => {
                let [most_red, most_blue] = config.agents.into_inner();
                config.seat(ByTeam::new([red.unwrap_or(most_red), blue.unwrap_or(most_blue)]))
            }
            _ => Err(ConfigError { faults }),
        }
    }
}

/// A number too large for its type is as far out of range as the largest that is not.
fn clamp(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

/// The names under which [`Config::parameters`] tells how many agents each team begins with.
const SEATED: ByTeam<&str> = ByTeam::new(["redAgents", "blueAgents"]);

/// How long each action locks the agent that took it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Penalties([Millis; ActionKind::ALL.len()]);

impl Penalties {
    /// The penalties that this says.
    pub fn new(of: impl FnMut(ActionKind) -> Millis) -> Self {
        Self(ActionKind::ALL.map(of))
    }

    /// The penalty of this action.
    pub const fn of(self, kind: ActionKind) -> Millis {
        self.0[kind as usize]
    }
}

/// Every reason why a configuration cannot be played.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub struct ConfigError {
    faults: Vec<Fault>,
}

impl ConfigError {
    /// These faults.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn new(faults: Vec<Fault>) -> Self {
        assert!(!faults.is_empty(), "a configuration without faults can be played");
        Self { faults }
    }

    /// The faults, in the order of the parameters that have them; never empty.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}

/// One fault a line; of many the first, and how many more there are.
impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list_faults(f, "", &self.faults)
    }
}

/// One reason why a configuration cannot be played.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// The parameter's name.
    pub field: String,
    /// Its value.
    pub value: String,
    /// What is wrong with it.
    pub why: String,
    /// What would be right.
    pub allowed: String,
}

impl Fault {
    /// This parameter has this value, which is wrong for this reason; this would be allowed.
    pub fn new(field: &str, value: &Value, why: impl Into<String>, allowed: impl Into<String>) -> Self {
        // Names and values come from files, and are read on terminals.
        let [field, value] = [field, &value.to_string()].map(fit_for_a_log);
        Self { field, value, why: why.into(), allowed: allowed.into() }
    }

    fn unknown(name: &str, value: &Value, others: &[&str]) -> Self {
        let own = TABLE.iter().flat_map(|(known, _)| std::iter::once(&known.name).chain(known.aliases));
        let nearest = nearest(name, own.chain(others).copied()).expect("there are parameters");
        let mut allowed = format!("`{}` may be meant", nearest.name);
        if !nearest.is_meant {
            let names: Vec<&str> =
                TABLE.iter().map(|(known, _)| known.name).chain(others.iter().copied()).collect();
            allowed += &format!("; there are {}", names.join(", "));
        }
        Self::new(name, value, "there is no such parameter", allowed)
    }
}

/// `field = value: why; allowed: what would be right`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, value, why, allowed } = self;
        write!(f, "{field} = {value}: {why}; allowed: {allowed}")
    }
}
