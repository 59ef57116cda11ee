//! A game for tests: agents guess a hidden number, each guess locks the guesser, all act at once.
//!
//! It has what Pebbles lacks (a secret, locks, chance). A test can make it break any promise of the contract, to show
//! that the conformance suite notices.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::str::FromStr;

use game_env::conformance::Conforming;
use game_env::scene::Cell as SceneCell;
use game_env::{
    Addressed, AgentId, Audience, Chance, ConfigError, Description, Digest, Disruption, Environment,
    Information, Millis, Notation, NotationError, Options, Outcome, Parameters, Ranking, Ready, Returns,
    Scene, Seed, SimTime, Sink, TeamId, Termination, TimeModel, Turn, Value,
};

/// The promise that the game breaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Fault {
    #[default]
    None,
    ObservesTheSecret,
    LeavesTheBuffer,
    ClonesShare,
    NewDiffers,
    ListsTheIllegal,
    ForgetsTheLegal,
    ListsNothing,
    AnswersNothing,
    WritesTheUnreadable,
    NeverEnds,
    LeavesGhosts,
    LivesOn,
    TurnsAtRandom,
    ReportsLate,
    LosesConfig,
    IgnoresTheEnd,
    AddressesNobody,
    ForgetsAnOption,
    KeepsOldOptions,
    OptionsKnowTheSecret,
    PlacesNobody,
    BlamesAStranger,
    RanksOneTeam,
    ForgetsWhoLeft,
    BlamesForTheStop,
    DependsOnGamesBefore,
    GetsStuck,
    ServesInSilence,
    OffersTheUnreadable,
    ReadyAfterTheEnd,
    LosesTheLock,
    RefusalsTakeTime,
    DrawsLater,
    ReseedsTheSecret,
}

impl Fault {
    pub(crate) const ALL: [Self; 34] = [
        Self::ObservesTheSecret,
        Self::LeavesTheBuffer,
        Self::ClonesShare,
        Self::NewDiffers,
        Self::ListsTheIllegal,
        Self::ForgetsTheLegal,
        Self::ListsNothing,
        Self::AnswersNothing,
        Self::WritesTheUnreadable,
        Self::NeverEnds,
        Self::LeavesGhosts,
        Self::LivesOn,
        Self::TurnsAtRandom,
        Self::ReportsLate,
        Self::LosesConfig,
        Self::IgnoresTheEnd,
        Self::AddressesNobody,
        Self::ForgetsAnOption,
        Self::KeepsOldOptions,
        Self::OptionsKnowTheSecret,
        Self::PlacesNobody,
        Self::BlamesAStranger,
        Self::RanksOneTeam,
        Self::ForgetsWhoLeft,
        Self::BlamesForTheStop,
        Self::DependsOnGamesBefore,
        Self::GetsStuck,
        Self::ServesInSilence,
        Self::OffersTheUnreadable,
        Self::ReadyAfterTheEnd,
        Self::LosesTheLock,
        Self::RefusalsTakeTime,
        Self::DrawsLater,
        Self::ReseedsTheSecret,
    ];
}

/// The number of agents, the number of possible secrets, the time for which a guess locks, and the broken promise.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) agents: u16,
    pub(crate) numbers: u32,
    pub(crate) lock: Millis,
    pub(crate) fault: Fault,
}

impl Config {
    pub(crate) fn new(agents: u16, numbers: u32, lock: Millis) -> Self {
        Self { agents, numbers, lock, fault: Fault::None }
    }
}

#[derive(Clone)]
pub(crate) struct Vault {
    config: Config,
    secret: u32,
    guessed: Vec<bool>,
    ready: Vec<Option<Ready>>,
    served: u64,
    last: Vec<Option<u32>>,
    shared: Rc<Cell<u64>>,
    clock: SimTime,
    /// The number of vaults made before this one.
    born: u64,
    refused: u32,
    /// Only a faulty game draws from it.
    chance: Chance,
    outcome: Option<Outcome>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Guess(pub(crate) u32);

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) own_last: Vec<u32>,
    pub(crate) secret: Option<u32>,
    numbers: u32,
    fault: Fault,
    leak: Leak,
}

/// A number that comparisons of observations do not notice.
#[derive(Clone, Copy, Debug, Default)]
struct Leak(u32);

impl PartialEq for Leak {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Leak {}

/// Only a faulty game offers this.
const UNREADABLE: Guess = Guess(u32::MAX);

impl Options<Guess> for Seen {
    fn options(&self, out: &mut Vec<Guess>) {
        if self.fault != Fault::KeepsOldOptions {
            out.clear();
        }
        out.extend((0..self.numbers).map(Guess));
        match self.fault {
            Fault::ForgetsAnOption => drop(out.pop()),
            Fault::OptionsKnowTheSecret => out.push(Guess(self.leak.0)),
            _ => {}
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Event {
    Wrong(AgentId, u32),
    Right(AgentId, u32),
    Refused(AgentId, u32),
    Gone(AgentId),
    /// Only a faulty game says this.
    Unreadable,
}

thread_local! {
    static BORN: Cell<u64> = const { Cell::new(0) };
}

impl Vault {
    fn has(&self, fault: Fault) -> bool {
        self.config.fault == fault
    }

    fn is_stuck(&self) -> bool {
        self.has(Fault::GetsStuck) && self.last.iter().any(Option::is_some)
    }

    fn end(&mut self, winner: Option<AgentId>, termination: Termination, fault: Option<AgentId>) {
        let returns: &[i32] = match self.config.fault {
            Fault::PlacesNobody => &[],
            Fault::RanksOneTeam => &[0],
            _ => &[0, 0],
        };
        let returns = Returns::new(returns);
        let ranking = match winner {
            _ if self.has(Fault::RanksOneTeam) => Ranking::tied(1),
            Some(agent) => Ranking::won_by(self.team(agent), 2),
            None => Ranking::tied(2),
        };
        let fault = match self.config.fault {
            Fault::BlamesAStranger => Some(AgentId::new(99)),
            Fault::ForgetsWhoLeft => None,
            _ => fault,
        };
        let outcome = Outcome { ranking, termination, fault, returns };
        self.outcome.get_or_insert(outcome);
    }
}

impl Environment for Vault {
    type Config = Config;
    type Action = Guess;
    type Observation = Seen;
    type Event = Event;

    const DESCRIPTION: Description = Description {
        title: "Vault",
        agents: 1..=64,
        teams: 2..=2,
        information: Information::Imperfect,
        has_chance: false,
        time: TimeModel::RealTime,
    };

    fn new(config: &Config, seed: Seed) -> Self {
        let agents = usize::from(config.agents);
        let mut chance = seed.game();
        let mut secret = chance.below(config.numbers);
        BORN.set(BORN.get() + 1);
        if config.fault == Fault::NewDiffers {
            secret = u32::try_from(BORN.get() % u64::from(config.numbers)).unwrap();
        }
        Self {
            config: config.clone(),
            secret,
            guessed: vec![false; config.numbers as usize],
            ready: (0..u64::from(config.agents))
                .map(|order| Some(Ready { at: SimTime::START, order }))
                .collect(),
            served: u64::from(config.agents),
            last: vec![None; agents],
            shared: Rc::default(),
            clock: SimTime::START,
            born: BORN.get(),
            refused: 0,
            chance,
            outcome: None,
        }
    }

    fn agents(&self) -> usize {
        self.last.len()
    }

    fn team(&self, agent: AgentId) -> TeamId {
        TeamId::new(u8::try_from(agent.index() % 2).unwrap())
    }

    fn clock(&self) -> SimTime {
        self.clock + Millis::new(if self.has(Fault::RefusalsTakeTime) { self.refused } else { 0 })
    }

    fn turn(&self) -> Turn {
        if let Some(outcome) = self.outcome {
            return Turn::Over(outcome);
        }
        let mut waiting: Vec<_> =
            AgentId::all(self.agents()).filter_map(|agent| Some((self.ready(agent)?, agent))).collect();
        waiting.sort_unstable();
        let place = if self.has(Fault::TurnsAtRandom) { waiting.len() - 1 } else { 0 };
        match waiting.get(place) {
            Some((ready, agent)) => Turn::Act { agent: *agent, from: ready.at, until: None },
            None => unreachable!("the last agent that leaves ends the game"),
        }
    }

    fn ready(&self, agent: AgentId) -> Option<Ready> {
        let is_over = self.outcome.is_some() && !self.has(Fault::ReadyAfterTheEnd);
        self.ready[agent.index()].filter(|_| !is_over)
    }

    fn legal_actions(&self, agent: AgentId, out: &mut Vec<Guess>) {
        out.clear();
        if self.ready(agent).is_none() || self.outcome.is_some() || self.is_stuck() {
            return;
        }
        if self.has(Fault::ListsNothing) {
            return;
        }
        let free = |number: &u32| !self.guessed[*number as usize];
        out.extend((0..self.config.numbers).filter(free).map(Guess));
        if self.has(Fault::ListsTheIllegal) {
            out.push(Guess(self.config.numbers));
        }
        if self.has(Fault::ForgetsTheLegal) && out.len() > 1 {
            out.pop();
        }
    }

    fn observe(&self, agent: AgentId, out: &mut Seen) {
        if !self.has(Fault::LeavesTheBuffer) {
            out.own_last.clear();
        }
        out.own_last.extend(self.last[agent.index()]);
        out.secret = self.has(Fault::ObservesTheSecret).then_some(self.secret);
        (out.numbers, out.fault, out.leak) = (self.config.numbers, self.config.fault, Leak(self.secret));
    }

    fn step(&mut self, now: SimTime, agent: AgentId, Guess(number): Guess, sink: &mut impl Sink<Event>) {
        assert!(now >= self.clock, "time runs back");
        self.clock = now;
        let told = if self.has(Fault::ReportsLate) { now + Millis::new(1) } else { now };
        let may = self.ready(agent).is_some_and(|ready| ready.at <= now)
            && self.outcome.is_none()
            && !self.is_stuck()
            && self.guessed.get(number as usize) == Some(&false);
        if self.outcome.is_some() && self.has(Fault::LivesOn) {
            self.served += 1;
        }
        if !may {
            self.refused += 1;
            if self.has(Fault::AnswersNothing) {
                return;
            }
            return sink.event(told, Event::Refused(agent, number));
        }
        if !self.has(Fault::NeverEnds) {
            self.guessed[number as usize] = true;
        }
        self.last[agent.index()] = Some(number);
        let drawn = Millis::new(if self.has(Fault::DrawsLater) { self.chance.below(1000) } else { 0 });
        self.ready[agent.index()] = Some(Ready { at: now + self.config.lock + drawn, order: self.served });
        self.served += if self.has(Fault::DependsOnGamesBefore) { self.born } else { 1 };
        if self.has(Fault::ServesInSilence) {
            return;
        }
        if self.has(Fault::ClonesShare) {
            self.shared.set(self.shared.get() + 1);
        }
        match self.config.fault {
            Fault::WritesTheUnreadable => sink.event(told, Event::Unreadable),
            Fault::AddressesNobody => sink.event(told, Event::Wrong(AgentId::new(99), number)),
            _ => {}
        }
        if number == self.secret && !self.has(Fault::NeverEnds) {
            sink.event(told, Event::Right(agent, number));
            self.end(Some(agent), Termination::Normal, None);
        } else {
            sink.event(told, Event::Wrong(agent, number));
        }
    }

    fn disrupt(&mut self, now: SimTime, disruption: Disruption, sink: &mut impl Sink<Event>) {
        assert!(now >= self.clock, "time runs back");
        self.clock = now;
        if self.outcome.is_some() {
            return;
        }
        match disruption {
            Disruption::AgentLost(agent)
            | Disruption::DeadlineMissed(agent)
            | Disruption::Forfeited(agent, _) => {
                if !self.has(Fault::LeavesGhosts) {
                    self.ready[agent.index()] = None;
                }
                sink.event(now, Event::Gone(agent));
                if self.ready.iter().all(Option::is_none) {
                    self.end(None, Termination::AgentLost, Some(agent));
                }
            }
            Disruption::Ended(_) if self.has(Fault::IgnoresTheEnd) => {}
            Disruption::Ended(termination) => {
                let fault = self.has(Fault::BlamesForTheStop).then_some(AgentId::new(0));
                self.end(None, termination, fault);
            }
        }
    }

    fn reseed(&mut self, seed: Seed) {
        self.chance = seed.game();
        if self.has(Fault::ReseedsTheSecret) {
            self.secret = (self.secret + 1) % self.config.numbers;
        }
    }

    fn digest(&self, digest: &mut Digest) {
        digest.u32(self.secret);
        self.guessed.iter().for_each(|guessed| digest.flag(*guessed));
        for ready in &self.ready {
            digest.u64(ready.map_or(u64::MAX, |ready| ready.at.as_millis()));
            digest.u64(ready.map_or(u64::MAX, |ready| ready.order));
        }
        digest.u64(self.served);
        digest.u64(self.shared.get());
        digest.flag(self.outcome.is_some());
        digest.u32(self.config.numbers);
    }
}

impl Addressed for Event {
    fn audience(&self) -> Audience {
        match self {
            Self::Wrong(agent, _) | Self::Refused(agent, _) => Audience::Agent(*agent),
            Self::Right(agent, _) => Audience::Team(TeamId::new(u8::try_from(agent.index() % 2).unwrap())),
            Self::Gone(_) => Audience::All,
            Self::Unreadable => Audience::Referee,
        }
    }

    fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(..))
    }
}

impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == UNREADABLE {
            return f.write_str("guess nothing");
        }
        write!(f, "guess {}", self.0)
    }
}

impl FromStr for Guess {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let number = text.strip_prefix("guess ").and_then(|number| number.parse().ok());
        number.map(Self).ok_or_else(|| NotationError::new("guess", text, "`guess` and a number"))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wrong(agent, number) => write!(f, "{agent} wrong {number}"),
            Self::Right(agent, number) => write!(f, "{agent} right {number}"),
            Self::Refused(agent, number) => write!(f, "{agent} refused {number}"),
            Self::Gone(agent) => write!(f, "{agent} gone 0"),
            Self::Unreadable => write!(f, "two\nlines"),
        }
    }
}

impl Notation for Vault {
    const GAME: &'static str = "vault";
    const RULES: u32 = 1;

    fn write_config(config: &Config) -> Parameters {
        let whole = |number| Value::Whole(i128::from(number));
        let fault = Fault::ALL.iter().position(|fault| *fault == config.fault).map_or(99, |place| place);
        let numbers = config.numbers + u32::from(config.fault == Fault::LosesConfig);
        [
            ("agents", whole(u32::from(config.agents))),
            ("numbers", whole(numbers)),
            ("lock", whole(config.lock.as_millis() + u32::from(config.fault == Fault::LosesTheLock))),
            ("fault", whole(u32::try_from(fault).unwrap())),
        ]
        .into_iter()
        .collect()
    }

    fn read_config(parameters: &Parameters) -> Result<Config, ConfigError> {
        let whole = |name: &str| {
            let given = parameters.get(name).cloned().unwrap_or(Value::Text(String::new()));
            let number = if let Value::Whole(number) = given { u32::try_from(number).ok() } else { None };
            let fault = || game_env::Fault::new(name, &given, "wrong value", "a whole number");
            number.ok_or_else(|| ConfigError::new(vec![fault()]))
        };
        Ok(Config {
            agents: u16::try_from(whole("agents")?).unwrap_or(u16::MAX),
            numbers: whole("numbers")?,
            lock: Millis::new(whole("lock")?),
            fault: Fault::ALL.get(whole("fault")? as usize).copied().unwrap_or(Fault::None),
        })
    }

    fn scene(&self) -> Scene {
        let mut scene = Scene::new(self.guessed.len(), 1, SceneCell::ground("number", "."));
        scene.caption.push(format!("the number is {}", self.secret));
        scene
    }
}

impl Conforming for Vault {
    fn scramble(&mut self, _: AgentId, chance: &mut Chance) -> bool {
        let before = self.secret;
        self.secret = chance.below(self.config.numbers);
        self.secret != before
    }

    fn candidates(&self, _: AgentId, out: &mut Vec<Guess>) {
        out.extend((0..=self.config.numbers + 1).map(Guess));
        if self.has(Fault::OffersTheUnreadable) {
            out.push(UNREADABLE);
        }
    }
}

/// A vault with a wrong description.
#[derive(Clone)]
pub(crate) struct Misdescribed<const CLAIM: u8>(Vault);

pub(crate) const CLAIMS_TURNS: u8 = 0;
pub(crate) const CLAIMS_FOUR_AGENTS: u8 = 1;
pub(crate) const CLAIMS_ONE_TEAM: u8 = 2;
pub(crate) const CLAIMS_PERFECT_INFORMATION: u8 = 3;

impl<const CLAIM: u8> Environment for Misdescribed<CLAIM> {
    type Config = Config;
    type Action = Guess;
    type Observation = Seen;
    type Event = Event;

    const DESCRIPTION: Description = match CLAIM {
        CLAIMS_TURNS => Description { time: TimeModel::Turns, ..Vault::DESCRIPTION },
        CLAIMS_FOUR_AGENTS => Description { agents: 4..=4, ..Vault::DESCRIPTION },
        CLAIMS_ONE_TEAM => Description { teams: 1..=1, ..Vault::DESCRIPTION },
        _ => Description { information: Information::Perfect, ..Vault::DESCRIPTION },
    };

    fn new(config: &Config, seed: Seed) -> Self {
        Self(Vault::new(config, seed))
    }

    fn agents(&self) -> usize {
        self.0.agents()
    }

    fn team(&self, agent: AgentId) -> TeamId {
        self.0.team(agent)
    }

    fn clock(&self) -> SimTime {
        self.0.clock()
    }

    fn turn(&self) -> Turn {
        self.0.turn()
    }

    fn ready(&self, agent: AgentId) -> Option<Ready> {
        self.0.ready(agent)
    }

    fn legal_actions(&self, agent: AgentId, out: &mut Vec<Guess>) {
        self.0.legal_actions(agent, out);
    }

    fn observe(&self, agent: AgentId, out: &mut Seen) {
        self.0.observe(agent, out);
    }

    fn step(&mut self, now: SimTime, agent: AgentId, action: Guess, sink: &mut impl Sink<Event>) {
        self.0.step(now, agent, action, sink);
    }

    fn disrupt(&mut self, now: SimTime, disruption: Disruption, sink: &mut impl Sink<Event>) {
        self.0.disrupt(now, disruption, sink);
    }

    fn reseed(&mut self, seed: Seed) {
        self.0.reseed(seed);
    }

    fn digest(&self, digest: &mut Digest) {
        self.0.digest(digest);
    }
}

impl<const CLAIM: u8> Notation for Misdescribed<CLAIM> {
    const GAME: &'static str = Vault::GAME;
    const RULES: u32 = Vault::RULES;

    fn write_config(config: &Config) -> Parameters {
        Vault::write_config(config)
    }

    fn read_config(parameters: &Parameters) -> Result<Config, ConfigError> {
        Vault::read_config(parameters)
    }

    fn scene(&self) -> Scene {
        self.0.scene()
    }
}

impl<const CLAIM: u8> Conforming for Misdescribed<CLAIM> {
    fn scramble(&mut self, agent: AgentId, chance: &mut Chance) -> bool {
        self.0.scramble(agent, chance)
    }

    fn candidates(&self, agent: AgentId, out: &mut Vec<Guess>) {
        self.0.candidates(agent, out);
    }
}
