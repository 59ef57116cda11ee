//! Before the game: accepts and rejects joins.

use std::collections::BTreeMap;

use game_env::{ByTeam, SimTime, Value};
use game_project::{Config, ConfigError, Fault, Team};
use serde_json::value::RawValue;
use wire::project::{AgentNumber, DecodeError, Notice, Request, Seats};

use super::play::Play;
use super::{News, Outgoing, Senseless, Settings};

/// The agents that have joined.
#[derive(Debug, Default)]
pub(super) struct Lobby {
    /// The members of each team, in the order in which they joined.
    members: ByTeam<Vec<AgentNumber>>,
    /// The answer to each agent: asking again gives the same answer.
    answers: BTreeMap<AgentNumber, bool>,
    /// Whether the message about the beginning was too long for these members: until an agent comes or goes, or the
    /// settings change, nothing starts by itself.
    is_refused: bool,
}

impl Lobby {
    pub(super) fn serve(
        &mut self,
        outgoing: &mut Outgoing,
        agent: AgentNumber,
        correlation: Option<&RawValue>,
        request: Result<Request, DecodeError>,
    ) {
        let team = match request {
            Ok(Request::Join { team }) => team,
            Ok(_) => return refuse(outgoing, agent, correlation, Senseless::NotSeated),
            Err(error) => return refuse(outgoing, agent, correlation, Senseless::Payload(error)),
        };
        let room = usize::from(outgoing.settings.config.team_size());
        let accepted = *self.answers.entry(agent).or_insert_with(|| {
            let accepted = self.members[team].len() < room;
            if accepted {
                self.members[team].push(agent);
                self.is_refused = false;
            }
            outgoing.report(match accepted {
                true => News::Joined { agent, team },
                false => News::TurnedAway { agent, team },
            });
            accepted
        });
        outgoing.tell(agent, correlation, &Notice::Joined { accepted, agent: Some(agent), reason: None });
    }

    /// Returns whether an agent has asked for a seat.
    pub(super) fn knows(&self, agent: AgentNumber) -> bool {
        self.answers.contains_key(&agent)
    }

    /// Forgets an agent; returns whether it was known.
    pub(super) fn lose(&mut self, agent: AgentNumber) -> bool {
        self.is_refused = false;
        for team in Team::ALL {
            self.members[team].retain(|member| *member != agent);
        }
        self.answers.remove(&agent).is_some()
    }

    /// Returns the members of each team, in the order in which they joined.
    pub(super) fn members(&self) -> &ByTeam<Vec<AgentNumber>> {
        &self.members
    }

    /// Returns whether everyone who has a seat keeps it in this game. Nobody is sent away again.
    pub(super) fn check(&self, config: &Config) -> Result<(), ConfigError> {
        let size = usize::from(config.team_size());
        let value = Value::Whole(config.team_size().into());
        let faults: Vec<Fault> = Team::ALL
            .into_iter()
            .map(|team| (team, self.members[team].len()))
            .filter(|(_, members)| *members > size)
            .map(|(team, members)| {
                let why = format!("{members} agents of {team} have joined");
                Fault::new("teamSize", &value, why, format!("at least {members}"))
            })
            .collect();
        if faults.is_empty() { Ok(()) } else { Err(ConfigError::new(faults)) }
    }

    /// Returns whether both teams have members, and these are not known to be too many for the message about the
    /// beginning.
    pub(super) fn may_begin(&self) -> bool {
        self.lacking().is_none() && !self.is_refused
    }

    /// The game could not start with these members.
    pub(super) fn refuse_start(&mut self) {
        self.is_refused = true;
    }

    /// Allows the next attempt to start, after the reason against it may be gone.
    pub(super) fn allow_start(&mut self) {
        self.is_refused = false;
    }

    pub(super) fn is_full(&self, config: &Config) -> bool {
        self.members.iter().all(|members| members.len() == usize::from(config.team_size()))
    }

    /// Returns the game of the agents that have joined; a team without agents, if there is one.
    pub(super) fn begin(&self, config: &Config, settings: &Settings, now: SimTime) -> Result<Play, Team> {
        if let Some(team) = self.lacking() {
            return Err(team);
        }
        let seated = ByTeam::new(Team::ALL.map(|team| {
            u16::try_from(self.members[team].len()).expect("a team is not larger than its size")
        }));
        let config = config.clone().seat(seated).expect("a team is not larger than its size");
        // Ids run through red's agents, then blue's, as in a drawn game.
        let seats = Seats::new(self.members.iter().flatten().copied().collect());
        Ok(Play::begin(&config, settings, seats, now))
    }

    fn lacking(&self) -> Option<Team> {
        Team::ALL.into_iter().find(|team| self.members[*team].is_empty())
    }
}

/// Refuses a request that cannot be served, of an agent of which nothing is known.
pub(super) fn refuse(
    outgoing: &mut Outgoing,
    agent: AgentNumber,
    correlation: Option<&RawValue>,
    reason: Senseless,
) {
    let told = Some(reason.to_string().into());
    outgoing.tell(agent, correlation, &Notice::Refused { position: None, holding: None, reason: told });
    outgoing.report(News::Senseless { agent: Some(agent), reason });
}
