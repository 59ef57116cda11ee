//! Runs without faults, and what a seed decides of a run with all of them.

use std::ops::RangeInclusive;
use std::time::Duration;

use cs::config::Limits;
use game_env::{Chance, Millis, Seed};
use game_project::{Config, RawConfig, Team};
use reference_gm::{AgentSet, Settings};
use sdk::strategy::Strategy;
use wire::project::{AgentNumber, Dialect};

use super::network::Conditions;
use super::strategies::{Forager, Habits};
use super::vandal::Mischief;
use super::{Command, Conduct, Fault, Log, Participant, Simulation};

/// How a game is hosted that starts when its operator says so.
pub fn hosting(config: Config, seed: Seed) -> Settings {
    Settings {
        config,
        seed,
        dialect: Dialect::Spec,
        longest_message: 8192,
        foreign_config: None,
        acknowledge: AgentSet::default(),
        long_answers: AgentSet::default(),
        never_asked: AgentSet::default(),
        start_when_full: false,
        start_after: None::<Millis>,
        epoch: "2026-03-01T12:00:00Z".parse().expect("it is a moment"),
    }
}

/// When a calm game starts: later than the clocks, so that the game's own time is another.
const CALM_START: Duration = Duration::from_millis(1234);

/// A game without delays and faults: two full teams that come at once, red first, so that the order of their numbers
/// is that of their seats.
///
/// It starts by command, and not with the last that joins: that one would be told with one write that it has a seat
/// and that the game begins, and so hear of the beginning before those whom the seed lets act first.
pub fn calm(
    config: &Config,
    seed: Seed,
    mut strategy: impl FnMut(usize, Team) -> Box<dyn Strategy>,
) -> Simulation {
    let mut participants = Vec::new();
    for team in Team::ALL {
        for _ in 0..config.agents()[team] {
            let conduct = Conduct::Plays(strategy(participants.len(), team), Duration::ZERO);
            let (comes, link) = (Duration::ZERO, Conditions::default());
            participants.push(Participant { team, seed, conduct, comes, link });
        }
    }
    Simulation {
        seed,
        settings: hosting(config.clone(), seed),
        limits: limits(),
        participants,
        gm_link: Conditions::default(),
        gm_comes: Duration::ZERO,
        faults: vec![(CALM_START, Fault::Operator(Command::Start))],
        deadline: Duration::from_secs(1_000_000),
        log: Log::Nothing,
    }
}

/// What the communication server lets peers do unless it is told otherwise.
pub fn limits() -> Limits {
    cs::config::Config::default().limits
}

/// How long after the operator has stopped the game the communication server is stopped as well, if it is still
/// there: it waits for ever for a game master that has never said a word.
const SERVER_STOPS: Duration = Duration::from_secs(120);

/// How long after that everything must have ended.
const PATIENCE: Duration = Duration::from_secs(120);

/// The run that this number stands for: board, penalties, teams, strategies, network and faults.
pub fn draw(number: u64) -> Simulation {
    let seed = Seed::new(number);
    let mut dice = Dice(seed.game());
    let raw = dice.game();
    let config = raw.check().expect("only what can be played is drawn");
    let is_free = raw.move_penalty == 0;
    // Where nothing costs anything, everyone acts a thousand times a second.
    let plays = if is_free { dice.millis(50..=500) } else { dice.millis(3_000..=60_000) };
    let start = dice.millis(500..=2_500);
    let stop = start + plays;
    let dialect = if dice.happens(0.5) { Dialect::Spec } else { Dialect::Union };
    let mut acknowledge: AgentSet = Team::ALL.into_iter().filter(|_| dice.happens(0.2)).collect();
    acknowledge.extend((1..=5).filter(|_| dice.happens(0.1)).map(AgentNumber));
    let settings = Settings {
        dialect,
        acknowledge,
        start_when_full: dice.happens(0.3),
        start_after: dice.happens(0.2).then(|| Millis::new(dice.below(3_000))),
        ..hosting(config, seed.child(1))
    };
    let weather = dice.weather();
    let participants = dice.participants(&raw, seed, stop, weather);
    let faults = dice.faults(participants.len(), start, stop);
    Simulation {
        seed: seed.child(2),
        settings,
        limits: dice.limits(),
        participants,
        gm_link: if dice.happens(0.1) { dice.slow_gm() } else { dice.link(weather, stop) },
        gm_comes: if dice.happens(0.5) { Duration::ZERO } else { dice.millis(0..=2_000) },
        faults,
        deadline: stop + SERVER_STOPS + PATIENCE,
        log: Log::Nothing,
    }
}

/// How bad a network is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Weather {
    /// No delay, no faults.
    Calm,
    /// Short delays, bytes in any pieces.
    Fair,
    /// Long delays, slow readers, partitions.
    Foul,
}

/// Chance, with the ranges that scenarios are drawn from.
struct Dice(Chance);

impl Dice {
    fn below(&mut self, bound: u32) -> u32 {
        self.0.below(bound)
    }

    fn happens(&mut self, probability: f64) -> bool {
        self.0.happens(probability)
    }

    fn whole(&mut self, range: RangeInclusive<i64>) -> i64 {
        let width = u32::try_from(range.end() - range.start() + 1).expect("ranges are short");
        range.start() + i64::from(self.below(width))
    }

    fn micros(&mut self, range: RangeInclusive<u64>) -> Duration {
        let width = u32::try_from(range.end() - range.start() + 1).expect("spans are below an hour");
        Duration::from_micros(range.start() + u64::from(self.below(width)))
    }

    fn millis(&mut self, range: RangeInclusive<u64>) -> Duration {
        self.micros(range.start() * 1000..=range.end() * 1000)
    }

    /// An even share of a probability.
    fn share(&mut self, most: f64) -> f64 {
        f64::from(self.below(1000)) / 1000.0 * most
    }

    fn game(&mut self) -> RawConfig {
        let (columns, rows) = (self.whole(3..=8), self.whole(3..=10));
        let goal_rows = self.whole(1..=((rows - 1) / 2).min(2));
        let is_free = self.happens(0.2);
        let is_mixed = self.happens(0.3);
        let mut penalty = || match () {
            () if is_free => 0,
            () if is_mixed => [0, 10, 50, 300, 1500][self.0.index(5)],
            () => 10 * i64::from(1 + self.0.below(30)),
        };
        let [information_exchange_penalty, discovery_penalty, put_penalty] =
            [penalty(), penalty(), penalty()];
        let [check_for_sham_penalty, destroy_piece_penalty] = [penalty(), penalty()];
        RawConfig {
            board_x: columns,
            board_y: rows,
            goal_area_height: goal_rows,
            number_of_goals: self.whole(1..=(columns * goal_rows).min(4)),
            number_of_pieces: self.whole(1..=10),
            team_size: self.whole(1..=((columns * rows - 1) / 2).min(8)),
            sham_piece_probability: [0.0, 0.2, 0.5, 1.0][self.0.index(4)],
            // Where a move costs nothing, nothing does: agents would act without end between two moves.
            move_penalty: if is_free { 0 } else { self.whole(1..=50) * 10 },
            information_exchange_penalty,
            discovery_penalty,
            put_penalty,
            check_for_sham_penalty,
            destroy_piece_penalty,
            pick_up_penalty: if is_free || self.happens(0.7) { 0 } else { self.whole(1..=10) * 10 },
            landing_pick_up: self.happens(0.7),
            leader_binds: self.happens(0.8),
        }
    }

    fn weather(&mut self) -> Weather {
        match self.below(10) {
            0 | 1 => Weather::Calm,
            2..=5 => Weather::Fair,
            _ => Weather::Foul,
        }
    }

    fn link(&mut self, weather: Weather, stop: Duration) -> Conditions {
        let fair = match weather {
            Weather::Calm => return Conditions::default(),
            Weather::Fair | Weather::Foul => {
                let least = self.micros(0..=2_000);
                Conditions {
                    delay: (least, least + self.micros(0..=3_000)),
                    split: self.share(0.6),
                    merge: self.share(0.6),
                    partial: self.share(0.6),
                    ..Conditions::default()
                }
            }
        };
        if weather == Weather::Fair {
            return fair;
        }
        let least = self.millis(0..=80);
        // However slow, it has read a full window long before the run must have ended.
        let reading = self.happens(0.1).then(|| (20 + self.0.index(400), self.millis(1..=300)));
        let mut partitions = Vec::new();
        while self.happens(0.3) && partitions.len() < 3 {
            let from = self.millis(0..=u64::try_from(stop.as_millis()).expect("runs are short") + 1_000);
            // Now and then longer than anybody's patience.
            let longest = if self.happens(0.2) { 40_000 } else { 2_000 };
            partitions.push(from..from + self.millis(1..=longest));
        }
        Conditions {
            delay: (least, least + self.millis(0..=200)),
            window: if reading.is_some() || self.happens(0.2) { 100 + self.0.index(3_000) } else { 1 << 16 },
            partitions,
            reading,
            ..fair
        }
    }

    /// The link of a game master that cannot keep up.
    fn slow_gm(&mut self) -> Conditions {
        Conditions {
            window: 200 + self.0.index(2_000),
            reading: Some((20 + self.0.index(400), self.millis(1..=100))),
            ..Conditions::default()
        }
    }

    fn limits(&mut self) -> Limits {
        Limits {
            invalid_messages: 1 + self.below(40),
            agent_buffer_bytes: 3_000 + self.0.index(30_000),
            gm_buffer_bytes: if self.happens(0.5) { 200 } else { 3_000 } + self.0.index(3_000),
            gm_wait: self.millis(3_000..=20_000),
            first_message: self.millis(3_000..=20_000),
            message: self.millis(1_000..=10_000),
            stall: self.millis(2_000..=30_000),
            report_lost_agents: self.happens(0.95),
            ..limits()
        }
    }

    fn participants(
        &mut self,
        raw: &RawConfig,
        seed: Seed,
        stop: Duration,
        weather: Weather,
    ) -> Vec<Participant> {
        let mut teams = Vec::new();
        for team in Team::ALL {
            let least = i64::from(!self.happens(0.05));
            for _ in 0..self.whole(least..=raw.team_size) {
                teams.push(team);
            }
        }
        // Some come for whom there may be no seat.
        while self.happens(0.2) {
            teams.push(if self.happens(0.5) { Team::Red } else { Team::Blue });
        }
        self.0.shuffle(&mut teams);
        let has_vandals = self.happens(0.5);
        let mut participants = Vec::new();
        for (place, team) in (100..).zip(teams) {
            let conduct = if has_vandals && self.happens(0.3) {
                Conduct::Vandal(self.mischief())
            } else {
                let thinks = if self.happens(0.8) { Duration::ZERO } else { self.micros(1..=200_000) };
                Conduct::Plays(Box::new(Forager::new(self.habits())), thinks)
            };
            let comes = match self.below(10) {
                0..=4 => Duration::ZERO,
                5..=8 => self.millis(0..=2_000),
                _ => self.micros(0..=u64::try_from(stop.as_micros()).expect("runs are short")),
            };
            let mut link = self.link(weather, stop);
            if matches!(&conduct, Conduct::Vandal(mischief) if !mischief.reads) {
                // The system holds little for it, so that the server has to.
                link.window = 200 + self.0.index(4_000);
            }
            participants.push(Participant { team, seed: seed.child(place), conduct, comes, link });
        }
        participants
    }

    fn habits(&mut self) -> Habits {
        let habits = if self.happens(0.5) { Habits::SENSIBLE } else { Habits::ODD };
        Habits {
            dawdle: if self.happens(0.2) { 0.2 } else { 0.0 },
            nonsense: if self.happens(0.05) { 0.1 } else { 0.0 },
            ..habits
        }
    }

    fn mischief(&mut self) -> Mischief {
        let (remarks, pace) = match self.below(4) {
            // Says nothing after it has joined, not even to its leader.
            0 => (0, (Duration::ZERO, Duration::ZERO)),
            // A flood.
            1 => (50 + self.below(400), (Duration::ZERO, self.micros(0..=5_000))),
            _ => (1 + self.below(100), (self.millis(0..=10), self.millis(10..=500))),
        };
        Mischief {
            joins: self.happens(0.8),
            remarks,
            pace,
            sense: [0.0, 0.5, 0.9, 1.0][self.0.index(4)],
            reads: self.happens(0.8),
            leaves: self.happens(0.8),
        }
    }

    fn faults(&mut self, participants: usize, start: Duration, stop: Duration) -> Vec<(Duration, Fault)> {
        // An operator tries again if it was too early.
        let again = [0, 1_000, 3_000].map(|later| start + Duration::from_millis(later));
        let mut faults = again.map(|at| (at, Fault::Operator(Command::Start))).to_vec();
        faults.extend([(stop, Fault::Operator(Command::Stop)), (stop + SERVER_STOPS, Fault::ServerStops)]);
        let end = u64::try_from(stop.as_micros()).expect("runs are short");
        if self.happens(0.4) {
            for place in 0..participants {
                if self.happens(0.3) {
                    let fault =
                        if self.happens(0.5) { Fault::AgentLeaves(place) } else { Fault::AgentDies(place) };
                    faults.push((self.micros(0..=end), fault));
                }
            }
        }
        let machine = match self.below(20) {
            0 => Fault::GmDies,
            1 => Fault::ServerDies,
            2 => Fault::ServerStops,
            // An operator who cannot wait.
            3 => Fault::Operator(Command::Stop),
            4 => Fault::Operator(Command::Start),
            _ => return faults,
        };
        faults.push((self.micros(0..=end), machine));
        faults
    }
}
