//! Reads and writes boards as text, and implements the traits that replays and viewers need from this game.
//!
//! A board is written with the north at the top, one word per field:
//!
//! ```text
//! .    g    *          red's goal area: an empty field, a goal, a covered goal
//! ----------
//! R0!+p p   .          red's agent #0, its leader, with a real piece in hand; a real piece
//! .    psB1 B2!+s      a pile (a sham on a real piece) with blue's agent #1 on it; blue's leader with a sham
//! ----------
//! .    g    .          blue's goal area
//! ```
//!
//! A word is the field (`g` an open goal, `*` a covered one), the pieces on it from bottom to top (`p` a real
//! piece, `s` a sham), and the agent on it: `R` or `B`, the agent's id, `!` for its team's leader, and `+p`
//! or `+s` for a piece in hand. `.` is an empty field.
//! Lines of dashes separate the areas; without them each goal area is one row high.
//! If no leader of a team is marked, the leader is its agent with the lowest id.

use std::str::FromStr;

use game_env::parameter::Parameter;
use game_env::scene::{Cell, Mark};
use game_env::text::number;
use game_env::{AgentId, ByTeam, ConfigError, Notation, NotationError, Parameters, Preset, Scene};

use crate::config::Config;
use crate::geometry::{Area, Geometry, Position};
use crate::observation::Briefing;
use crate::piece::Piece;
use crate::setup::{Placement, Setup};
use crate::state::{Agent, State};
use crate::team::Team;

impl Notation for State {
    const GAME: &'static str = "project";
    const RULES: u32 = 2;
    const TEAM_NAMES: &'static [&'static str] = &["red", "blue"];

    fn parameters() -> &'static [Parameter] {
        &crate::config::PARAMETERS
    }

    fn presets() -> Vec<Preset> {
        let preset = |preset: crate::Preset| Preset {
            name: preset.name(),
            summary: preset.summary(),
            parameters: preset.parameters(),
        };
        crate::Preset::ALL.map(preset).to_vec()
    }

    fn write_config(config: &Config) -> Parameters {
        config.parameters()
    }

    fn read_config(parameters: &Parameters) -> Result<Config, ConfigError> {
        Config::read(parameters)
    }

    fn scene(&self) -> Scene {
        let mut scene = self.setup().scene();
        let [red, blue] = self.points().into_inner();
        scene.caption.push(format!("{}  red {red}, blue {blue}", self.clock));
        scene
    }
}

impl State {
    /// Returns the present situation, without the agents that have left.
    pub fn setup(&self) -> Setup {
        let geometry = self.config().geometry();
        let mut goals: ByTeam<Vec<Position>> = ByTeam::default();
        let mut covered: ByTeam<Vec<Position>> = ByTeam::default();
        for team in Team::ALL {
            for y in (geometry.goal_area_start(team)..).take(geometry.goal_rows().into()) {
                let row = (0..geometry.columns()).map(|x| Position::new(x, y));
                goals[team].extend(row.filter(|at| self.board.is_open_goal(*at)));
            }
            covered[team].extend_from_slice(self.board.covered(team));
            covered[team].sort_unstable_by_key(|at| geometry.index(*at));
        }
        let mut pieces = Vec::new();
        self.board.for_each_piece(|at, piece| pieces.push((at, piece)));
        pieces.sort_by_key(|(at, _)| geometry.index(*at)); // stable: piles stay as they are
        let placement = |agent: &Agent| {
            let Briefing { agent: id, team, .. } = *agent.briefing;
            Placement { agent: id, team, position: agent.position, hand: agent.hand }
        };
        let agents = self.agents.iter().filter(|agent| !agent.gone).map(placement).collect();
        let plays = |agent: &AgentId| !self.agents[agent.index()].gone;
        let leaders = self.announcement.leaders.map(|leader| leader.filter(plays));
        Setup { geometry, goals, covered, pieces, agents, leaders }
    }
}

impl Setup {
    /// Returns the situation as a picture.
    pub fn scene(&self) -> Scene {
        let geometry = self.geometry;
        let mut scene =
            Scene::new(geometry.columns().into(), geometry.rows().into(), Cell::ground("task", "."));
        for at in geometry.positions() {
            if let Area::Goal(team) = geometry.area(at) {
                let cell = cell(&mut scene, at);
                cell.kind = "goal-area";
                cell.team = Some(team.into());
            }
        }
        for (kind, text, goals) in [("goal", "g", &self.goals), ("covered-goal", "*", &self.covered)] {
            for at in goals.iter().flatten() {
                cell(&mut scene, *at).marks.push(Mark::new(kind, text));
            }
        }
        for (at, piece) in &self.pieces {
            cell(&mut scene, *at).marks.push(mark_of(*piece, ""));
        }
        for Placement { agent, team, position, hand } in self.agents.iter().copied() {
            let marks = &mut cell(&mut scene, position).marks;
            marks.push(Mark::new("agent", format!("{}{}", team.letter(), agent.index())).of(team).by(agent));
            if self.leaders[team] == Some(agent) {
                marks.push(Mark::new("leader", "!").of(team).by(agent));
            }
            marks.extend(hand.map(|piece| mark_of(piece, "+").of(team).by(agent)));
        }
        scene.rules =
            vec![usize::from(geometry.rows() - geometry.goal_rows()), usize::from(geometry.goal_rows())];
        scene
    }

    fn first_of(&self, team: Team) -> Option<AgentId> {
        self.agents.iter().find(|placement| placement.team == team).map(|placement| placement.agent)
    }
}

fn cell(scene: &mut Scene, at: Position) -> &mut Cell {
    scene.cell_mut(at.x.into(), at.y.into())
}

fn mark_of(piece: Piece, before: &str) -> Mark {
    let kind = match (piece, before) {
        (Piece::Real, "") => "piece",
        (Piece::Sham, "") => "sham",
        (Piece::Real, _) => "held-piece",
        (Piece::Sham, _) => "held-sham",
    };
    Mark::new(kind, format!("{before}{}", piece.letter()))
}

/// The board of the module's documentation.
impl std::fmt::Display for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.scene().fmt(f)
    }
}

impl FromStr for Setup {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let is_rule = |line: &&str| line.bytes().all(|byte| byte == b'-');
        let rules: Vec<usize> = (0..lines.len()).filter(|place| is_rule(&lines[*place])).collect();
        let rows: Vec<Vec<&str>> = lines
            .iter()
            .filter(|line| !is_rule(line))
            .map(|line| line.split_whitespace().collect())
            .collect();
        let geometry = read_geometry(text, &rows, &rules)?;
        let mut words = Words { setup: Self::empty(geometry), leaders: ByTeam::default() };
        for (row, y) in rows.iter().zip((0..geometry.rows()).rev()) {
            for (word, x) in row.iter().zip(0..) {
                words.read(word, Position::new(x, y))?;
            }
        }
        Ok(words.finish())
    }
}

fn read_geometry(text: &str, rows: &[Vec<&str>], rules: &[usize]) -> Result<Geometry, NotationError> {
    let error = |expected: &str| NotationError::new("board", text, expected);
    let goal_rows = match *rules {
        [] => 1,
        // Lines above the first rule, and below the second, which is itself a line.
        [first, second] if first == rows.len() + 1 - second => first,
        _ => return Err(error("no lines of dashes, or two with equally many rows above and below")),
    };
    let columns = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|row| row.len() != columns) {
        return Err(error("equally many fields in every row"));
    }
    let narrow = |number: usize| u16::try_from(number).unwrap_or(u16::MAX);
    Geometry::new(narrow(columns), narrow(rows.len()), narrow(goal_rows))
        .ok_or_else(|| error("rows of fields: red's goal area, a task area, blue's goal area"))
}

/// The words of a board, read one after the other.
struct Words {
    setup: Setup,
    leaders: ByTeam<Option<AgentId>>,
}

impl Words {
    fn read(&mut self, word: &str, at: Position) -> Result<(), NotationError> {
        let error = || {
            NotationError::new(
                "field",
                word,
                "`.`, `g`, `*`, pieces `p` and `s`, an agent like `R0`, `B1!+p`",
            )
        };
        if word == "." {
            return Ok(());
        }
        let mut rest = word;
        if let Area::Goal(team) = self.setup.geometry.area(at) {
            if let Some(after) = rest.strip_prefix('g') {
                self.setup.goals[team].push(at);
                rest = after;
            } else if let Some(after) = rest.strip_prefix('*') {
                self.setup.covered[team].push(at);
                rest = after;
            }
        }
        while let Some(piece) = rest.chars().next().and_then(Piece::from_letter) {
            self.setup.pieces.push((at, piece));
            rest = &rest[1..];
        }
        if rest.is_empty() {
            return Ok(());
        }
        let team = Team::ALL.into_iter().find(|team| rest.starts_with(team.letter())).ok_or_else(error)?;
        let (name, hand) =
            rest[1..].split_once('+').map_or((&rest[1..], None), |(name, hand)| (name, Some(hand)));
        let (id, leads) = name.strip_suffix('!').map_or((name, false), |id| (id, true));
        let agent = AgentId::new(number(id).ok_or_else(error)?);
        let hand = match hand {
            None => None,
            Some("p") => Some(Piece::Real),
            Some("s") => Some(Piece::Sham),
            Some(_) => return Err(error()),
        };
        if leads && self.leaders[team].replace(agent).is_some() {
            return Err(NotationError::new("field", word, "one leader in each team"));
        }
        self.setup.agents.push(Placement { agent, team, position: at, hand });
        Ok(())
    }

    fn finish(self) -> Setup {
        let mut setup = self.setup;
        setup.agents.sort_by_key(|placement| placement.agent);
        for team in Team::ALL {
            setup.leaders[team] = self.leaders[team].or_else(|| setup.first_of(team));
        }
        let geometry = setup.geometry;
        for team in Team::ALL {
            setup.goals[team].sort_unstable_by_key(|at| geometry.index(*at));
            setup.covered[team].sort_unstable_by_key(|at| geometry.index(*at));
        }
        setup.pieces.sort_by_key(|(at, _)| geometry.index(*at));
        setup
    }
}

impl Setup {
    /// Returns a board with nothing on it.
    pub fn empty(geometry: Geometry) -> Self {
        Self {
            geometry,
            goals: ByTeam::default(),
            covered: ByTeam::default(),
            pieces: Vec::new(),
            agents: Vec::new(),
            leaders: ByTeam::default(),
        }
    }
}
