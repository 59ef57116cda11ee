//! The state of one game, and the rules that change it.

mod characters;
mod event;
mod islands;
mod observation;
mod round;
mod setup;

use game_env::{
    AgentId, Chance, Description, Digest, Disruption, Environment, Information, Outcome, Ranking, Returns,
    Seed, SimTime, Sink, TeamId, Termination, TimeModel, Turn,
};

pub use self::event::Event;
pub use self::observation::Observation;
use crate::action::Action;
use crate::config::Config;
use crate::table::{Card, Effect, Phase, School, Table, team_id};

/// The momentary state of a game: the table, and the source of all that is drawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    table: Table,
    chance: Chance,
}

impl State {
    /// Returns a game that goes on from a table and draws from this source.
    ///
    /// The table is not checked: it should be that of a game, as an [`Observation`] has it, or a possible situation of
    /// a test.
    pub const fn resume(table: Table, chance: Chance) -> Self {
        Self { table, chance }
    }

    /// Returns everything on the table.
    #[inline]
    pub const fn table(&self) -> &Table {
        &self.table
    }

    /// Returns the towers that a team has built, and its professors if towers are equal: more is better.
    fn standing(&self, team: TeamId) -> i32 {
        let built = self.built(team.index());
        built * 16 + i32::from(self.table.professors_of(team))
    }

    fn built(&self, team: usize) -> i32 {
        i32::from(self.table.config.towers()) - i32::from(self.table.towers_left[team])
    }

    /// Ends the game as it stands; a team that has caused the end is last.
    fn end(&mut self, termination: Termination, fault: Option<AgentId>, tell: &mut impl FnMut(Event)) {
        let teams = self.table.config.teams();
        let mut standings = [0; TeamId::MAX];
        let mut built = [0; TeamId::MAX];
        for team in 0..teams {
            standings[team] = self.standing(team_id(team));
            built[team] = self.built(team);
        }
        if let Some(agent) = fault {
            standings[self.team(agent).index()] = -1;
        }
        let outcome = Outcome {
            ranking: Ranking::by_points(&Returns::new(&standings[..teams])),
            termination,
            fault,
            returns: Returns::new(&built[..teams]),
        };
        self.table.outcome = Some(outcome);
        tell(Event::Over(outcome));
    }
}

impl Environment for State {
    type Config = Config;
    type Action = Action;
    type Observation = Observation;
    type Event = Event;

    const DESCRIPTION: Description = Description {
        title: "Eriantys",
        agents: 2..=4,
        teams: 2..=3,
        information: Information::Imperfect,
        has_chance: true,
        time: TimeModel::Turns,
    };

    /// The seed draws the place of Mother Nature, all students, the characters, and the player that begins.
    fn new(config: &Config, seed: Seed) -> Self {
        Self::set_up(*config, seed.game())
    }

    fn agents(&self) -> usize {
        self.table.config.players()
    }

    fn team(&self, player: AgentId) -> TeamId {
        assert!(player.index() < self.agents(), "there is no player {player}");
        self.table.team(player)
    }

    fn clock(&self) -> SimTime {
        SimTime::START
    }

    #[inline]
    fn turn(&self) -> Turn {
        match self.table.outcome {
            Some(outcome) => Turn::Over(outcome),
            None => Turn::Act { agent: self.table.mover(), from: SimTime::START, until: None },
        }
    }

    fn legal_actions(&self, player: AgentId, out: &mut Vec<Action>) {
        self.table.options(player, out);
    }

    #[inline]
    fn observe(&self, player: AgentId, out: &mut Observation) {
        out.player = player;
        out.table = self.table;
    }

    #[inline]
    fn step(&mut self, now: SimTime, player: AgentId, action: Action, sink: &mut impl Sink<Event>) {
        if let Some(refusal) = self.table.refusal(player, action) {
            return sink.event(now, Event::Refused { player, action, refusal });
        }
        let mut tell = |event: Event| sink.event(now, event);
        match action {
            Action::Assistant(assistant) => self.play_assistant(player, assistant, &mut tell),
            Action::ToDining(color) => self.move_to_dining(player, color, &mut tell),
            Action::ToIsland(color, island) => self.move_to_island(player, color, island, &mut tell),
            Action::Steps(steps) => self.move_mother_nature(player, steps, &mut tell),
            Action::Cloud(cloud) => self.take_cloud(player, cloud, &mut tell),
            Action::Character(play) => self.play_character(player, play, &mut tell),
        }
    }

    /// Ends the game as it stands. The team of a player that leaves or forfeits is last.
    fn disrupt(&mut self, now: SimTime, disruption: Disruption, sink: &mut impl Sink<Event>) {
        if self.table.outcome.is_some() {
            return;
        }
        let (fault, termination) = disruption.cause();
        self.end(termination, fault, &mut |event| sink.event(now, event));
    }

    fn reseed(&mut self, seed: Seed) {
        self.chance = seed.game();
    }

    fn digest(&self, digest: &mut Digest) {
        let table = &self.table;
        let players = table.config.players();
        digest.length(players);
        digest.flag(table.config.is_expert());
        digest.bytes(&[table.round, table.place, table.island_count, table.mother_nature, table.bank]);
        digest.bytes(&match table.phase {
            Phase::Planning => [0, 0],
            Phase::Students { left } => [1, left],
            Phase::MotherNature => [2, 0],
            Phase::Cloud => [3, 0],
        });
        digest.bytes(&table.order[..players]);
        digest.flag(table.is_last_round);
        digest.flag(table.are_clouds_short);
        for island in table.islands() {
            digest.bytes(&island.students.counts());
            let owner = island.owner.map_or(0, |team| team + 1);
            digest.bytes(&[owner, island.towers, island.bans, island.first, island.size]);
        }
        digest.bytes(&table.bag.counts());
        table.clouds().iter().for_each(|cloud| digest.bytes(&cloud.counts()));
        digest.bytes(&table.professors.map(|player| player.map_or(0, |player| player + 1)));
        for School { entrance, dining, hand, assistant, coins } in &table.schools[..players] {
            digest.bytes(&entrance.counts());
            digest.bytes(&dining.counts());
            digest.u16(hand.bits());
            digest.bytes(&[assistant.map_or(0, |assistant| assistant.value()), *coins]);
        }
        digest.bytes(&table.towers_left);
        for Card { character, students, bans, is_used } in table.cards() {
            digest.bytes(&[*character as u8, *bans, u8::from(*is_used)]);
            digest.bytes(&students.counts());
        }
        digest.bytes(&match table.effect {
            None => [0, 0],
            Some(Effect::Done) => [1, 0],
            Some(Effect::EqualCounts) => [2, 0],
            Some(Effect::MoreSteps) => [3, 0],
            Some(Effect::NoTowers) => [4, 0],
            Some(Effect::MoreInfluence) => [5, 0],
            Some(Effect::NoColor(color)) => [6, color as u8],
        });
        self.chance.digest(digest);
        digest.flag(table.outcome.is_some());
    }
}
