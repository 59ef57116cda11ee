//! The configuration of a game, with every limit checked in one place.
//!
//! [`RawConfig`] holds the requested values, right or wrong; [`Config`] holds only values that can be played.
//! [`RawConfig::check`] turns the first into the second, and names every fault at once.
//! Files, settings pages, replays and the book share the table [`PARAMETERS`].

use game_env::parameter::{self, Parameter, Range, Reading};
use game_env::{ByTeam, ConfigError, Fault, Millis, Parameters, SimTime, Value};

use crate::action::ActionKind;
use crate::geometry::Geometry;
use crate::team::Team;

/// A configuration as asked for, right or wrong. The default is that of [`PARAMETERS`]: the source's sample
/// (specification, section 7).
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
    /// `teamSize`, the largest number of agents of each team.
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
    /// `landingPickUp`: whether a new piece goes into the hand of an agent with an empty hand on its field.
    pub landing_pick_up: bool,
    /// `leaderBinds`: whether an agent must answer its leader before it does anything else.
    pub leader_binds: bool,
}

impl Default for RawConfig {
    fn default() -> Self {
        let whole = 0;
        let mut raw = Self {
            board_x: whole,
            board_y: whole,
            goal_area_height: whole,
            number_of_goals: whole,
            number_of_pieces: whole,
            team_size: whole,
            sham_piece_probability: 0.0,
            move_penalty: whole,
            information_exchange_penalty: whole,
            discovery_penalty: whole,
            put_penalty: whole,
            check_for_sham_penalty: whole,
            destroy_piece_penalty: whole,
            pick_up_penalty: whole,
            landing_pick_up: false,
            leader_binds: false,
        };
        for (parameter, access) in PARAMETERS.iter().zip(ACCESS) {
            access.set(&mut raw, &parameter.default.into());
        }
        raw
    }
}

/// Access to the field of [`RawConfig`] that a row describes.
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

/// The most agents of a team: every agent receives the numbers of all others in one message.
pub(crate) const LARGEST_TEAM: u16 = 3_000;

/// Every parameter of the game, in the order of files.
pub const PARAMETERS: [Parameter; 16] = {
    const SIDE: i64 = Geometry::LONGEST_SIDE as i64;
    const fn penalty(name: &'static str, meaning: &'static str, default: i64) -> Parameter {
        Parameter::whole(name, meaning, default, 0, LONGEST_PENALTY).unit("ms")
    }
    [
        Parameter::whole("boardX", "columns of the board", 40, 1, SIDE).source(&["boardX"], FILE, "40"),
        Parameter::whole("boardY", "rows of the board", 40, 1, SIDE).source(&["boardY"], FILE, "40"),
        Parameter::whole("goalAreaHeight", "rows of each goal area", 5, 1, (SIDE - 1) / 2)
            .aliases(&["goalAreaHight"])
            .source(&["goalAreaHeight", "goalAreaHight"], FILE, "5"),
        Parameter::whole("numberOfGoals", "hidden goals of each team", 5, 1, MOST_GOALS).source(
            &["numberOfGoals"],
            FILE,
            "5",
        ),
        Parameter::whole("numberOfPieces", "pieces in play at any moment", 10, 1, MOST_PIECES).source(
            &["numberOfPieces"],
            FILE,
            "10",
        ),
        Parameter::whole("teamSize", "largest number of agents of each team", 2, 1, LARGEST_TEAM as i64)
            .source(&["teamSize"], FILE, "2"),
        Parameter::real("shamPieceProbability", "probability that a new piece is a sham", 0.5, 0.0, 1.0)
            .source(&["shamPieceProbability"], FILE, "0.5"),
        penalty("movePenalty", "lock after a move", 1500).source(&["movePenalty"], FILE, "1500"),
        penalty("informationExchangePenalty", "lock after asking for information and after answering", 1000)
            .aliases(&["askPenalty", "responsePenalty"])
            .source(&["informationExchangePenalty", "askPenalty", "responsePenalty"], "7.3, 8.2.2", "1000"),
        penalty("discoveryPenalty", "lock after a discovery", 700).source(&["discoveryPenalty"], FILE, "700"),
        penalty("putPenalty", "lock after putting a piece", 500).source(&["putPenalty"], FILE, "500"),
        penalty("checkForShamPenalty", "lock after checking a piece", 700).source(
            &["checkForShamPenalty"],
            FILE,
            "700",
        ),
        penalty("destroyPiecePenalty", "lock after destroying a piece", 500).source(
            &["destroyPiecePenalty"],
            FILE,
            "500",
        ),
        penalty("pickUpPenalty", "lock after picking up a piece", 0),
        Parameter::flag(
            "landingPickUp",
            "whether a new piece goes into the hand of an agent with an empty hand on its field",
            true,
        ),
        Parameter::flag(
            "leaderBinds",
            "whether an agent must answer its leader before it does anything else",
            true,
        ),
    ]
};

/// The section of the source that has the game master's file.
const FILE: &str = "7.3";

/// The fields of [`PARAMETERS`], in the same order.
const ACCESS: [Access; PARAMETERS.len()] = {
    use Access::{Flag, Real, Whole};
    [
        Whole(|raw| &mut raw.board_x),
        Whole(|raw| &mut raw.board_y),
        Whole(|raw| &mut raw.goal_area_height),
        Whole(|raw| &mut raw.number_of_goals),
        Whole(|raw| &mut raw.number_of_pieces),
        Whole(|raw| &mut raw.team_size),
        Real(|raw| &mut raw.sham_piece_probability),
        Whole(|raw| &mut raw.move_penalty),
        Whole(|raw| &mut raw.information_exchange_penalty),
        Whole(|raw| &mut raw.discovery_penalty),
        Whole(|raw| &mut raw.put_penalty),
        Whole(|raw| &mut raw.check_for_sham_penalty),
        Whole(|raw| &mut raw.destroy_piece_penalty),
        Whole(|raw| &mut raw.pick_up_penalty),
        Flag(|raw| &mut raw.landing_pick_up),
        Flag(|raw| &mut raw.leader_binds),
    ]
};

impl Access {
    /// Sets the field. A value of another kind has no effect: tables and readings have none.
    fn set(self, raw: &mut RawConfig, value: &Value) {
        match (self, value) {
            (Self::Whole(field), Value::Whole(number)) => *field(raw) = clamp(*number),
            (Self::Real(field), Value::Real(number)) => *field(raw) = *number,
            (Self::Flag(field), Value::Flag(flag)) => *field(raw) = *flag,
            _ => debug_assert!(false, "{value} is of another kind"),
        }
    }
}

impl RawConfig {
    /// Returns the parameters with their values, in the order of [`PARAMETERS`].
    pub fn parameters(&self) -> Parameters {
        let mut raw = self.clone();
        let value = |access: Access| match access {
            Access::Whole(field) => Value::Whole((*field(&mut raw)).into()),
            Access::Real(field) => Value::Real(*field(&mut raw)),
            Access::Flag(field) => Value::Flag(*field(&mut raw)),
        };
        PARAMETERS.iter().map(|parameter| parameter.name).zip(ACCESS.map(value)).collect()
    }

    /// Returns the parameters whose values differ from the defaults, in the order of [`PARAMETERS`].
    pub fn changes(&self) -> Parameters {
        let defaults = Self::default().parameters();
        let own = self.parameters();
        let changed = own.iter().filter(|(name, value)| defaults.get(name) != Some(value));
        changed.map(|(name, value)| (name, value.clone())).collect()
    }

    /// Returns the configuration with these values and defaults for the rest.
    ///
    /// # Errors
    ///
    /// Names every parameter that does not exist, with the one that may be meant, every one that is given
    /// twice, and every value of the wrong kind. Values are not compared with their ranges yet.
    pub fn read(parameters: &Parameters) -> Result<Self, ConfigError> {
        let Reading { values, faults } = parameter::read(&PARAMETERS, parameters);
        if faults.is_empty() { Ok(Self::of(&values)) } else { Err(ConfigError::new(faults)) }
    }

    /// Returns the configuration with these values, which are of the right kinds, and defaults for the rest. Values
    /// that are no parameter of the game are ignored.
    pub fn of(values: &Parameters) -> Self {
        let mut raw = Self::default();
        for (parameter, access) in PARAMETERS.iter().zip(ACCESS) {
            if let Some(value) = values.get(parameter.name) {
                access.set(&mut raw, value);
            }
        }
        raw
    }

    /// Returns the configuration, if it can be played.
    ///
    /// Penalties are rounded to 10 ms, half upwards (specification, section 3).
    ///
    /// # Errors
    ///
    /// Names every fault: each value outside its range, then the contradictions between values.
    pub fn check(&self) -> Result<Config, ConfigError> {
        let (_, mut faults) = parameter::check(&PARAMETERS, &self.parameters());
        let faulty: Vec<String> = faults.iter().map(|fault| fault.field.clone()).collect();
        // A value out of range must be changed anyway, so no other value is compared with it. It is compared itself:
        // sound values may allow less than its range.
        faults
            .extend(self.contradictions(|names| !names.iter().any(|name| faulty.iter().any(|f| f == name))));
        if faults.is_empty() { Ok(self.narrowed()) } else { Err(ConfigError::new(faults)) }
    }

    /// Returns the faults of values that are too large beside the parameters that are `sound`.
    fn contradictions(&self, sound: impl Fn(&[&str]) -> bool) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut contradiction = |field: &str, value: i64, why: String, most: i64, otherwise: &str| {
            let range = parameter::find(&PARAMETERS, field).map(|parameter| parameter.range);
            if !sound(&[field]) && !matches!(range, Some(Range::Whole(_, largest)) if most < largest) {
                return;
            }
            let allowed = if most > 0 { format!("at most {most}") } else { otherwise.to_owned() };
            faults.push(Fault::new(field, &Value::Whole(value.into()), why, allowed));
        };
        let Self { board_x, board_y, goal_area_height, number_of_goals, team_size, .. } = *self;
        if sound(&["boardY"]) && goal_area_height.saturating_mul(2) >= board_y {
            let why = format!("both goal areas leave none of {board_y} rows for the task area");
            let most = (board_y - 1) / 2;
            contradiction("goalAreaHeight", goal_area_height, why, most, "a boardY of at least 3");
        }
        if sound(&["boardX", "goalAreaHeight"]) && number_of_goals > board_x * goal_area_height {
            let why = format!("a goal area of {board_x}×{goal_area_height} has fewer fields");
            contradiction("numberOfGoals", number_of_goals, why, board_x * goal_area_height, "");
        }
        if sound(&["boardX", "boardY"]) && team_size.saturating_mul(2) >= board_x * board_y {
            let why = format!("two teams of {team_size} leave no field free on {board_x}×{board_y}");
            contradiction("teamSize", team_size, why, (board_x * board_y - 1) / 2, "a larger board");
        }
        faults
    }

    /// Returns the configuration in narrow types, after every check.
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
    /// Returns the shape of the board.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Returns the number of goals that each team has to cover.
    pub fn goals(&self) -> u32 {
        self.goals
    }

    /// Returns the number of pieces in play at any moment, those in hands included.
    pub fn pieces(&self) -> u32 {
        self.pieces
    }

    /// Returns the most agents of each team.
    pub fn team_size(&self) -> u16 {
        self.team_size
    }

    /// Returns the number of agents with which each team begins: as many as allowed, unless fewer were seated.
    pub fn agents(&self) -> ByTeam<u16> {
        self.agents
    }

    /// Returns the probability that a new piece is a sham.
    pub fn sham_probability(&self) -> f64 {
        self.sham_probability
    }

    /// Returns the time for which each action locks.
    pub fn penalties(&self) -> Penalties {
        self.penalties
    }

    /// Returns whether a new piece that appears under an empty-handed agent is in its hand at once.
    pub fn landing_pick_up(&self) -> bool {
        self.landing_pick_up
    }

    /// Returns whether an agent must answer its leader before it does anything else.
    pub fn leader_binds(&self) -> bool {
        self.leader_binds
    }

    /// Returns the same game with this many agents.
    ///
    /// # Errors
    ///
    /// If a team has more than the team size, or no team has an agent.
    pub fn seat(mut self, agents: ByTeam<u16>) -> Result<Self, ConfigError> {
        let mut faults: Vec<Fault> = Team::ALL
            .into_iter()
            .filter(|team| agents[*team] > self.team_size)
            .map(|team| {
                let why = format!("the team size is {}", self.team_size);
                let allowed = format!("at most {}", self.team_size);
                Fault::new(SEATED[team as usize].name, &Value::Whole(i128::from(agents[team])), why, allowed)
            })
            .collect();
        if agents.iter().all(|count| *count == 0) {
            let [red, blue] = SEATED.map(|parameter| parameter.name);
            let why = format!("{blue} is 0 as well");
            faults.push(Fault::new(red, &Value::Whole(0), why, "at least one agent in a team"));
        }
        if !faults.is_empty() {
            return Err(ConfigError::new(faults));
        }
        self.agents = agents;
        Ok(self)
    }

    /// For situations given as a board: the values of the board replace those of the configuration.
    pub(crate) fn on_board(self, geometry: Geometry, goals: u32, pieces: u32, agents: ByTeam<u16>) -> Self {
        let team_size = agents.iter().copied().max().unwrap_or_default();
        Self { geometry, goals, pieces, agents, team_size, ..self }
    }

    /// Returns the configuration as names and values: those of [`RawConfig`], then the number of agents with which each
    /// team begins.
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
            parameters.push(SEATED[team as usize].name, Value::Whole(i128::from(self.agents[team])));
        }
        parameters
    }

    /// Reads the values that [`Config::parameters`] wrote.
    ///
    /// # Errors
    ///
    /// As [`RawConfig::read`], [`RawConfig::check`] and [`Config::seat`].
    pub fn read(parameters: &Parameters) -> Result<Self, ConfigError> {
        let table: Vec<Parameter> = PARAMETERS.into_iter().chain(SEATED).collect();
        let Reading { values, mut faults } = parameter::read(&table, parameters);
        let config = RawConfig::of(&values).check().map_err(|error| faults.extend(error.into_faults())).ok();
        let (seats, unfit) = parameter::check(&SEATED, &values);
        faults.extend(unfit);
        let Some(config) = config.filter(|_| faults.is_empty()) else { return Err(ConfigError::new(faults)) };
        let seated = |team: Team| {
            let name = SEATED[team as usize].name;
            // Without this value a team is full.
            let asked = values.get(name).and(seats.get(name));
            match asked {
                Some(Value::Whole(number)) => u16::try_from(*number).expect("the table's range fits"),
                _ => config.agents[team],
            }
        };
        let agents = ByTeam::new(Team::ALL.map(seated));
        config.seat(agents)
    }
}

/// A number too large for its type is as far out of range as the largest that is not.
fn clamp(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

/// The number of agents with which each team begins, by team: the values that [`Config::parameters`] has beside
/// [`PARAMETERS`].
const SEATED: [Parameter; 2] = [
    Parameter::whole("redAgents", "agents with which red begins", 0, 0, LARGEST_TEAM as i64),
    Parameter::whole("blueAgents", "agents with which blue begins", 0, 0, LARGEST_TEAM as i64),
];

/// The time for which each action locks the agent that took it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Penalties([Millis; ActionKind::ALL.len()]);

impl Penalties {
    /// Returns the penalties that `of` returns.
    pub fn new(of: impl FnMut(ActionKind) -> Millis) -> Self {
        Self(ActionKind::ALL.map(of))
    }

    /// Returns the penalty of this action.
    pub const fn of(self, kind: ActionKind) -> Millis {
        self.0[kind as usize]
    }

    /// Returns the moment at which the lock ends of an agent whose request for this action is served now.
    #[inline]
    pub fn lock_end(self, now: SimTime, kind: ActionKind) -> SimTime {
        now + self.of(kind)
    }
}
