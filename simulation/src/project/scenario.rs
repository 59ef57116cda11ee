//! Runs without faults, and runs with all of them, drawn from a seed.

use std::ops::RangeInclusive;
use std::time::Duration;

use cs::config::Limits;
use game_env::{Millis, Seed, SimTime};
use game_project::{Config, RawConfig, Team};
use reference_gm::project::{AgentSet, Settings};
use sdk::strategy::Strategy;
use wire::project::{AgentNumber, Dialect};

use super::hostile_agent::HostileBehaviour;
use super::strategies::{Forager, Habits};
use super::{Command, Conduct, Fault, Log, Participant, Simulation};
use crate::network::Conditions;
use crate::sampler::{Quality, Sampler};

/// Returns the settings of a game that starts when its operator says so.
pub fn hosting(config: Config, seed: Seed) -> Settings {
    Settings::new(config, seed, "2026-03-01T12:00:00Z".parse().expect("it is a moment"))
}

/// The time at which a calm game starts: later than the clocks, so that the game's own time is another.
const CALM_START: Duration = Duration::from_millis(1234);

/// Returns a game without delays and faults: two full teams that come at once, red first, so that the order of their
/// numbers is that of their seats.
///
/// It starts by command, and not with the last agent that joins: that agent would learn with one write that it has a
/// seat and that the game begins, and so hear of the beginning before agents whom the seed lets act first.
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

/// Returns the default limits of the communication server on its peers.
pub fn limits() -> Limits {
    cs::config::Config::default().limits
}

/// Time from the operator's stop of the game to the stop of the communication server, if it is still there: it waits
/// without end for a game master that has sent nothing.
const SERVER_STOPS: Duration = Duration::from_secs(120);

/// Time after that at which everything must have ended.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Returns the run that this number stands for: board, penalties, teams, strategies, network and faults.
pub fn draw(number: u64) -> Simulation {
    let seed = Seed::new(number);
    let mut draw = Sampler::new(seed.game());
    let raw = game(&mut draw);
    let config = raw.check().expect("only what can be played is drawn");
    let is_free = raw.move_penalty == 0;
    // If nothing costs anything, everyone acts a thousand times a second.
    let plays = if is_free { draw.millis(50..=500) } else { draw.millis(3_000..=60_000) };
    let start = draw.millis(500..=2_500);
    let stop = start + plays;
    let dialect = if draw.happens(0.5) { Dialect::Spec } else { Dialect::Union };
    let mut acknowledge: AgentSet = Team::ALL.into_iter().filter(|_| draw.happens(0.2)).collect();
    acknowledge.extend((1..=5).filter(|_| draw.happens(0.1)).map(AgentNumber));
    let settings = Settings {
        dialect,
        acknowledge,
        start_when_full: draw.happens(0.3),
        start_after: draw.happens(0.2).then(|| Millis::new(draw.below(3_000))),
        ..hosting(config, seed.child(1))
    };
    let quality = draw.quality();
    let participants = participants(&mut draw, &raw, seed, stop, quality);
    let faults = faults(&mut draw, participants.len(), start, stop);
    Simulation {
        seed: seed.child(2),
        settings,
        limits: drawn_limits(&mut draw),
        participants,
        gm_link: if draw.happens(0.1) { draw.slow_reader() } else { draw.link(quality, stop) },
        gm_comes: if draw.happens(0.5) { Duration::ZERO } else { draw.millis(0..=2_000) },
        faults,
        deadline: stop + SERVER_STOPS + TIMEOUT,
        log: Log::Nothing,
    }
}

fn game(draw: &mut Sampler) -> RawConfig {
    let (columns, rows) = (draw.whole(3..=8), draw.whole(3..=10));
    let goal_rows = draw.whole(1..=((rows - 1) / 2).min(2));
    let is_free = draw.happens(0.2);
    let is_mixed = draw.happens(0.3);
    let mut penalty = || {
        if is_free {
            0
        } else if is_mixed {
            [0, 10, 50, 300, 1500][draw.index(5)]
        } else {
            10 * i64::from(1 + draw.below(30))
        }
    };
    let [information_exchange_penalty, discovery_penalty, put_penalty] = [penalty(), penalty(), penalty()];
    let [check_for_sham_penalty, destroy_piece_penalty] = [penalty(), penalty()];
    RawConfig {
        board_x: columns,
        board_y: rows,
        goal_area_height: goal_rows,
        number_of_goals: draw.whole(1..=(columns * goal_rows).min(4)),
        number_of_pieces: draw.whole(1..=10),
        team_size: draw.whole(1..=((columns * rows - 1) / 2).min(8)),
        sham_piece_probability: [0.0, 0.2, 0.5, 1.0][draw.index(4)],
        // If a move costs nothing, nothing does: agents would act without end between two moves.
        move_penalty: if is_free { 0 } else { draw.whole(1..=50) * 10 },
        information_exchange_penalty,
        discovery_penalty,
        put_penalty,
        check_for_sham_penalty,
        destroy_piece_penalty,
        pick_up_penalty: if is_free || draw.happens(0.7) { 0 } else { draw.whole(1..=10) * 10 },
        landing_pick_up: draw.happens(0.7),
        leader_binds: draw.happens(0.8),
    }
}

fn drawn_limits(draw: &mut Sampler) -> Limits {
    Limits {
        invalid_messages: 1 + draw.below(40),
        agent_buffer_bytes: 3_000 + draw.index(30_000),
        gm_buffer_bytes: if draw.happens(0.5) { 200 } else { 3_000 } + draw.index(3_000),
        gm_wait: whole_millis(draw, 3_000..=20_000),
        first_message: whole_millis(draw, 3_000..=20_000),
        message: whole_millis(draw, 1_000..=10_000),
        stall: whole_millis(draw, 2_000..=30_000),
        report_lost_agents: draw.happens(0.95),
        ..limits()
    }
}

/// Returns a span in this range, in the whole milliseconds of the server's limits.
fn whole_millis(draw: &mut Sampler, range: RangeInclusive<u64>) -> Millis {
    SimTime::from(draw.millis(range)) - SimTime::START
}

fn participants(
    draw: &mut Sampler,
    raw: &RawConfig,
    seed: Seed,
    stop: Duration,
    quality: Quality,
) -> Vec<Participant> {
    let mut teams = Vec::new();
    for team in Team::ALL {
        let least = i64::from(!draw.happens(0.05));
        for _ in 0..draw.whole(least..=raw.team_size) {
            teams.push(team);
        }
    }
    // Further agents, for whom there may be no seat.
    while draw.happens(0.2) {
        teams.push(if draw.happens(0.5) { Team::Red } else { Team::Blue });
    }
    draw.shuffle(&mut teams);
    let has_hostile = draw.happens(0.5);
    let mut participants = Vec::new();
    for (place, team) in (100..).zip(teams) {
        let conduct = if has_hostile && draw.happens(0.3) {
            Conduct::Hostile(hostile_behaviour(draw))
        } else {
            let thinks = if draw.happens(0.8) { Duration::ZERO } else { draw.micros(1..=200_000) };
            Conduct::Plays(Box::new(Forager::new(habits(draw))), thinks)
        };
        let comes = match draw.below(10) {
            0..=4 => Duration::ZERO,
            5..=8 => draw.millis(0..=2_000),
            _ => draw.micros(0..=u64::try_from(stop.as_micros()).expect("runs are short")),
        };
        let mut link = draw.link(quality, stop);
        if matches!(&conduct, Conduct::Hostile(behaviour) if !behaviour.reads) {
            // The system holds little for it, so that the server has to.
            link.window = 200 + draw.index(4_000);
        }
        participants.push(Participant { team, seed: seed.child(place), conduct, comes, link });
    }
    participants
}

fn habits(draw: &mut Sampler) -> Habits {
    let habits = if draw.happens(0.5) { Habits::SENSIBLE } else { Habits::ODD };
    Habits {
        dawdle: if draw.happens(0.2) { 0.2 } else { 0.0 },
        nonsense: if draw.happens(0.05) { 0.1 } else { 0.0 },
        ..habits
    }
}

fn hostile_behaviour(draw: &mut Sampler) -> HostileBehaviour {
    let (remarks, pace) = match draw.below(4) {
        // Says nothing after it has joined, not even to its leader.
        0 => (0, (Duration::ZERO, Duration::ZERO)),
        // A flood.
        1 => (50 + draw.below(400), (Duration::ZERO, draw.micros(0..=5_000))),
        _ => (1 + draw.below(100), (draw.millis(0..=10), draw.millis(10..=500))),
    };
    HostileBehaviour {
        joins: draw.happens(0.8),
        remarks,
        pace,
        sense: [0.0, 0.5, 0.9, 1.0][draw.index(4)],
        reads: draw.happens(0.8),
        leaves: draw.happens(0.8),
    }
}

fn faults(
    draw: &mut Sampler,
    participants: usize,
    start: Duration,
    stop: Duration,
) -> Vec<(Duration, Fault)> {
    // An operator tries again if it was too early.
    let again = [0, 1_000, 3_000].map(|later| start + Duration::from_millis(later));
    let mut faults = again.map(|at| (at, Fault::Operator(Command::Start))).to_vec();
    faults.extend([(stop, Fault::Operator(Command::Stop)), (stop + SERVER_STOPS, Fault::ServerStops)]);
    let end = u64::try_from(stop.as_micros()).expect("runs are short");
    if draw.happens(0.4) {
        for place in 0..participants {
            if draw.happens(0.3) {
                let fault =
                    if draw.happens(0.5) { Fault::AgentLeaves(place) } else { Fault::AgentDies(place) };
                faults.push((draw.micros(0..=end), fault));
            }
        }
    }
    let machine = match draw.below(20) {
        0 => Fault::GmDies,
        1 => Fault::ServerDies,
        2 => Fault::ServerStops,
        // An impatient operator.
        3 => Fault::Operator(Command::Stop),
        4 => Fault::Operator(Command::Start),
        _ => return faults,
    };
    faults.push((draw.micros(0..=end), machine));
    faults
}
