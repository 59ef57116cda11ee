//! A league as a file defines it.
//!
//! [`League::read`] checks everything and names all faults at once, with line and column. A [`League`] can be played.
//! This module opens no file.
//!
//! # The file
//!
//! It is TOML. Only `game` and two `[[entrant]]` tables are needed; all else has the defaults that are shown here.
//!
//! ```toml
//! name = "quick"              # how reports call it; the file's name unless given
//! game = "project"            # required
//! preset = "quick"            # a preset of the game; none unless given
//! seed = 0                    # decides all chance of the league, 0 to 2^64-1
//! replays = "none"            # or "all": keep the replay of every match; over the network "all" unless given
//! restart_programs = false    # whether programs in process start anew for each match, and so remember no earlier one
//! executor = "in-process"     # or "network", where all matches take real time; it is that if an entrant is a command
//!
//! [configuration]             # values of the game's parameters; they override those of the preset
//! teamSize = 4
//!
//! [schedule]
//! kind = "round-robin"        # or "gauntlet", "swiss", "knockout"
//! sets = 10                 # seeds per pairing; each is played with every rotation of the sides
//! # champion = "coordinated"  # gauntlet: who meets all others; the first entrant unless given
//! # rounds = 3                # swiss; the base 2 logarithm of the number of entrants, rounded up, unless given
//!
//! [limits]                    # when a match is given up
//! time_ms = 43200000          # game time in milliseconds
//! steps = 10000000            # actions
//! decisions = 10000000        # decisions of all agents, those to wait included
//! refusals = 100              # in games of turns: a mover loses with more refused requests in a row
//! think_limit_ms = 100        # a decision of a program on the wall clock; or think_charge_ms, its game time
//!
//! [early_stop]                # round-robin and gauntlet; leave out this table to play all matches
//! confidence = 0.95           # stop when the order of the standings is settled at this confidence
//!
//! [network]                   # only over the network
//! join_ms = 10000             # how long agents may take to join
//! grace_ms = 2000             # how long commands may take to end after the game, and again after SIGTERM
//! alone_ms = 1000             # how long a match goes on after all agents of a team are gone
//! check_host = true           # repeat matches in which this machine was too slow
//! listen = "127.0.0.1"        # the address at which agents from outside join
//! delay_ms = 0                # how much later each message arrives, in both directions
//!
//! [referee]                   # only over the network, and only of a game whose host has such a table: its settings
//! answerLimitMs = 1000
//!
//! [[entrant]]                 # two or more
//! strategy = "coordinated"    # required: a strategy, or a line-up for the agents of a team
//! name = "coordinated"        # how standings call it; the strategy unless given
//!
//! [[entrant]]
//! strategy = "coordinated*3+liar"
//!
//! [[entrant]]                 # a program in any language; started once for each agent of its team
//! name = "mine"               # required
//! command = ["python3", "agent.py", "--host", "{host}", "--port", "{port}", "--team", "{team}"]
//! folder = "."                # where it runs; relative to the folder of this file
//! confine = false             # whether it may reach its folder, the system's programs and the server alone;
//!                             # "namespaces": not played where it cannot have namespaces of its own
//! may_read = []               # if it is confined, here or by the flag --confine: what else it may read
//! memory_mib = 1024           # the most memory of an agent
//! processes = 32              # the most processes of an agent
//!
//! [[entrant]]                 # agents that join from outside
//! name = "guests"             # required
//! join = true
//! ports = [4001, 4002]        # where they join red and blue; the system chooses unless given
//! ```
//!
//! The room of a game in [`network`](crate::network) knows its table of settings. In a game without a server, all
//! entrants are commands without placeholders, and `join_ms`, `alone_ms`, `listen` and `delay_ms` are faults.
//!
//! Over the network, a match without `time_ms` is given up after ten minutes, and `time_ms` and `steps` are the only
//! limits. Where agents join from outside, `join_ms`
//! is 60000 unless given.

mod document;
mod entrants;
mod fault;
mod table;

use contests::entrant::EntrantId;
use game_env::matches::{MatchLimits, MatchSpec, entrants};
use game_env::{Outcome, Parameters, Ranking, Seed, TeamId};

pub(crate) use self::document::{LONGEST_NETWORKED, check_folders};
use self::document::{read_document, read_league};
pub use self::fault::{Fault, LeagueFileError};
use crate::games::{Games, team_name};
use crate::network::Rules;
use crate::schedule::{Gauntlet, Knockout, MatchId, RoundRobin, Schedule, ScheduledMatch, SeedSource, Swiss};

/// The longest league file, in bytes: a thousand entrants with long commands take a quarter of it.
pub const LONGEST_FILE: u64 = 4 << 20;

/// The most matches of a league.
pub const MOST_MATCHES: u64 = 10_000_000;

/// A league that can be played.
#[derive(Clone, PartialEq, Debug)]
pub struct League {
    /// Name of the league in reports.
    pub name: String,
    /// The game's name in files.
    pub game: String,
    /// The game's configuration, whole.
    pub config: Parameters,
    /// The team of each agent, in the order of agent ids.
    pub teams: Vec<TeamId>,
    /// Seed of the league; all its random numbers are derived from it.
    pub seed: Seed,
    /// Entrants, by id.
    pub entrants: Vec<Entrant>,
    /// Kind of the schedule, which gives the pairings of each round.
    pub schedule: ScheduleKind,
    /// The number of sets of a pairing.
    pub sets: u32,
    /// Limits at which a match is given up.
    pub limits: MatchLimits,
    /// The confidence at which a settled order ends the league early; none to play all matches.
    pub early_stop: Option<f64>,
    /// Whether the replay of every match is kept.
    pub keeps_replays: bool,
    /// Whether programs that play in process are started anew for every match.
    pub restarts_programs: bool,
    /// Kind of the executor that plays the matches.
    pub executor: ExecutorKind,
    /// Rules of hosting for matches over the network.
    pub network: Rules,
    /// The settings of the game's host over the network, whole; empty if it has none.
    pub settings: Parameters,
}

/// The kinds of executors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExecutorKind {
    /// In process, on the virtual clock.
    InProcess,
    /// Over the network, on the real clock.
    Network,
}

/// An entrant of a league.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    /// Name of the entrant in standings. No two entrants have the same name.
    pub name: String,
    /// The strategies of a team of this entrant, as a match names them: one for each agent of the team in the order of
    /// agent ids, repeated for larger teams.
    pub strategies: Vec<String>,
}

/// The kinds of schedules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScheduleKind {
    /// Every entrant meets every other.
    RoundRobin,
    /// This entrant meets all others.
    Gauntlet(EntrantId),
    /// Entrants with like points meet, for this number of rounds.
    Swiss(u32),
    /// Losers are eliminated.
    Knockout,
}

impl League {
    /// Reads a league. `name` is its name unless the file gives another; it is made
    /// [`fit_for_a_log`](game_env::text::fit_for_a_log).
    ///
    /// # Errors
    ///
    /// Names all faults of the file.
    pub fn read(name: &str, text: &str, games: &dyn Games) -> Result<Self, LeagueFileError> {
        read_document(text, |file, faults| read_league(name, file, games, faults))
    }

    /// Returns the number of sides of a match.
    pub fn sides(&self) -> usize {
        TeamId::count(&self.teams)
    }

    /// Returns the strategies and programs of all entrants, as matches name them.
    pub fn strategies(&self) -> Vec<&str> {
        self.entrants.iter().flat_map(|own| &own.strategies).map(String::as_str).collect()
    }

    /// Returns the rounds of this league, from the first on.
    pub fn rounds(&self) -> Schedule {
        schedule(self.schedule, self.entrants.len(), self.sides(), self.sets)
    }

    /// Returns whether the league has rounds whose matches follow from the results of the rounds before.
    pub fn has_later_rounds(&self) -> bool {
        match self.schedule {
            ScheduleKind::RoundRobin | ScheduleKind::Gauntlet(_) => false,
            ScheduleKind::Swiss(_) | ScheduleKind::Knockout => true,
        }
    }

    /// Returns the seeds of its sets.
    pub fn seeds(&self) -> SeedSource {
        SeedSource::new(self.seed, self.entrants.iter().map(|entrant| entrant.name.as_str()))
    }

    /// Returns whether a match of this id can be one of this league.
    pub fn can_have(&self, id: &MatchId) -> bool {
        let entrants = id.pairing.entrants();
        entrants.len() == self.sides() && entrants.iter().all(|entrant| entrant.index() < self.entrants.len())
    }

    /// Returns the name of a team: that of the game, or its number if the game names no teams.
    pub(crate) fn team_name(&self, team: usize) -> String {
        team_name(&self.game, team)
    }

    /// Returns the entrants of a match, that of the first side first.
    ///
    /// # Panics
    ///
    /// If the match is of another league, with other entrants.
    pub fn seated(&self, id: &MatchId) -> Vec<&Entrant> {
        id.seated().map(|entrant| &self.entrants[entrant.index()]).collect()
    }

    /// Returns for each agent of a match the name of its entrant, by which standings call it; none for an agent of a
    /// line-up of different strategies, which its strategy tells from the others.
    ///
    /// # Panics
    ///
    /// If the match is of another league, with other entrants or sides.
    pub(crate) fn agent_names(&self, id: &MatchId) -> Vec<Option<&str>> {
        let seated = self.seated(id);
        let name = |team: &TeamId| {
            let Entrant { name, strategies } = seated[team.index()];
            let are_equal = strategies.windows(2).all(|pair| pair[0] == pair[1]);
            are_equal.then_some(name.as_str())
        };
        self.teams.iter().map(name).collect()
    }

    /// Returns the sides whose agents ended a match; none if no agent is at fault.
    ///
    /// A record names one agent. If an agent is at fault and yet all sides share the first place, every side has
    /// failed: a side that could have played on would have a better place.
    pub fn sides_at_fault(&self, outcome: &Outcome) -> Vec<usize> {
        let Some(agent) = outcome.fault else { return Vec::new() };
        if outcome.ranking == Ranking::tied(self.sides()) {
            return (0..self.sides()).collect();
        }
        self.teams.get(agent.index()).map(|team| team.index()).into_iter().collect()
    }

    /// Returns a match of this league as a value.
    ///
    /// # Panics
    ///
    /// If the match is of another league, with other entrants or sides.
    pub fn spec(&self, scheduled: &ScheduledMatch) -> MatchSpec {
        let seated: Vec<EntrantId> = scheduled.id.seated().collect();
        assert_eq!(seated.len(), self.sides(), "the match is of another league");
        let line_ups: Vec<Vec<String>> =
            seated.iter().map(|entrant| self.entrants[entrant.index()].strategies.clone()).collect();
        MatchSpec {
            game: self.game.clone(),
            config: self.config.clone(),
            seed: scheduled.seed,
            entrants: entrants(&self.teams, &line_ups),
            limits: self.limits,
        }
    }
}

fn schedule(kind: ScheduleKind, entrants: usize, sides: usize, sets: u32) -> Schedule {
    match kind {
        ScheduleKind::RoundRobin => Schedule::RoundRobin(RoundRobin::new(entrants, sides, sets)),
        ScheduleKind::Gauntlet(champion) => {
            Schedule::Gauntlet(Gauntlet::new(champion, entrants, sides, sets))
        }
        ScheduleKind::Swiss(rounds) => Schedule::Swiss(Swiss::new(entrants, sides, sets, rounds)),
        ScheduleKind::Knockout => Schedule::Knockout(Knockout::new(entrants, sets)),
    }
}
