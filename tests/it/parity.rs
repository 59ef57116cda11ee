//! The same game in process and on the network, event for event.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;

use game_env::replay::{Playback, Writer};
use game_env::{AgentId, Disruption, Environment, Outcome, Rollout, Seed, SimTime, Termination};
use game_project::{Config, Event, RawConfig, State};
use sdk::local::Seat;
use sdk::strategy::Strategy;
use simulation::project::strategies::{Forager, Habits};
use simulation::project::{Command, Fault, Report, header, scenario};
use strategies::project::registry::Entry;
use wire::project::Dialect;

/// A game in process.
struct Local {
    events: Vec<(SimTime, Event)>,
    outcome: Outcome,
    replay: Vec<u8>,
}

type Strategist<'a> = &'a dyn Fn(usize) -> Box<dyn Strategy>;

fn locally(config: &Config, seed: Seed, strategy: Strategist<'_>, rollout: &Rollout) -> Local {
    let mut game = State::new(config, seed);
    let mut seats = Seat::all(&game, seed, |agent, _| strategy(agent.index()));
    let mut witness = (Vec::new(), Writer::new(Vec::new(), &header(&game, seed)).unwrap());
    let episode = rollout.play(&mut game, &mut seats, &mut witness);
    let blunders: Vec<_> = seats.iter_mut().flat_map(Seat::take_blunders).collect();
    assert_eq!(blunders, []);
    Local { events: witness.0, outcome: episode.outcome, replay: witness.1.finish().unwrap() }
}

fn check_same(seed: Seed, local: &Local, networked: &Report) {
    assert_eq!(networked.violations, [""; 0], "seed {seed}");
    let both = local.events.iter().zip(&networked.events);
    if let Some((place, (here, there))) = both.enumerate().find(|(_, (here, there))| here != there) {
        let before: Vec<String> = local.events[place.saturating_sub(12)..place]
            .iter()
            .map(|(at, event)| format!("{at} {event}"))
            .collect();
        panic!(
            "seed {seed}: event {place} differs\n  in process:     {} {}\n  on the network: {} {}\nafter\n{}",
            here.0,
            here.1,
            there.0,
            there.1,
            before.join("\n")
        );
    }
    assert_eq!(local.events.len(), networked.events.len(), "seed {seed}");
    assert_eq!(networked.outcome, Some(local.outcome), "seed {seed}");
    for replay in [&local.replay, networked.replay.as_ref().unwrap()] {
        let mut again = Vec::new();
        let summary = Playback::<State>::open(&replay[..]).unwrap().run(&mut again).unwrap();
        assert!(summary.completeness.is_complete(), "seed {seed}");
        assert_eq!(again, local.events, "seed {seed}");
    }
}

/// Kinds of events in the games of a test: a comparison of games in which nothing happens proves nothing.
#[derive(Default)]
struct Seen(BTreeSet<String>);

impl Seen {
    fn note(&mut self, events: &[(SimTime, Event)]) {
        for (_, event) in events {
            self.0.insert(match event {
                Event::Refused { action, refusal, .. } => format!("{action} {}", variant(refusal)),
                event => variant(event),
            });
        }
    }

    fn has(&self, kinds: &[&str]) {
        for kind in kinds {
            assert!(self.0.contains(*kind), "{kind} did not happen, only {:?}", self.0);
        }
    }
}

/// The name of a variant.
fn variant(value: &impl Debug) -> String {
    format!("{value:?}").split([' ', '(']).next().unwrap_or_default().to_owned()
}

fn quick() -> RawConfig {
    RawConfig {
        board_x: 6,
        board_y: 8,
        goal_area_height: 2,
        number_of_goals: 2,
        number_of_pieces: 6,
        team_size: 2,
        move_penalty: 150,
        information_exchange_penalty: 100,
        discovery_penalty: 70,
        put_penalty: 50,
        check_for_sham_penalty: 70,
        destroy_piece_penalty: 50,
        ..RawConfig::default()
    }
}

fn odd(_: usize) -> Box<dyn Strategy> {
    Box::new(Forager::new(Habits::ODD))
}

/// Plays some seeds in both ways to their own end.
fn compare(raw: &RawConfig, strategy: Strategist<'_>, seeds: u64) -> Seen {
    compare_in(Dialect::Spec, raw, strategy, seeds)
}

fn compare_in(dialect: Dialect, raw: &RawConfig, strategy: Strategist<'_>, seeds: u64) -> Seen {
    let config = raw.check().unwrap();
    let mut seen = Seen::default();
    for number in 0..seeds {
        let seed = Seed::new(number);
        let local = locally(&config, seed, strategy, &Rollout::default());
        assert_eq!(local.outcome.termination, Termination::Normal, "seed {seed}");
        let mut simulation = scenario::calm(&config, seed, |agent, _| strategy(agent));
        simulation.settings.dialect = dialect;
        check_same(seed, &local, &simulation.play());
        seen.note(&local.events);
    }
    seen
}

/// Plays some seeds in both ways, with these disruptions.
fn compare_disrupted(
    raw: &RawConfig,
    strategy: Strategist<'_>,
    seeds: u64,
    disruptions: &dyn Fn(Seed) -> Vec<(SimTime, Disruption)>,
) -> Seen {
    let config = raw.check().unwrap();
    let mut seen = Seen::default();
    for number in 0..seeds {
        let seed = Seed::new(number);
        let disruptions = disruptions(seed);
        let mut simulation = scenario::calm(&config, seed, |agent, _| strategy(agent));
        let (start, _) = simulation.faults[0];
        for (at, disruption) in &disruptions {
            let fault = match disruption {
                Disruption::AgentLost(agent) => Fault::AgentLeaves(agent.index()),
                Disruption::Ended(Termination::Stopped) => Fault::Operator(Command::Stop),
                other => panic!("no fault of the network is {other:?}"),
            };
            simulation.faults.push((start + Duration::from(*at), fault));
        }
        let local = locally(&config, seed, strategy, &Rollout { disruptions, ..Rollout::default() });
        check_same(seed, &local, &simulation.play());
        seen.note(&local.events);
    }
    seen
}

#[test]
fn two_against_two() {
    compare(&quick(), &odd, 30).has(&[
        "Moved",
        "Discovered",
        "PickedUp",
        "Put",
        "Checked",
        "Destroyed",
        "Asked",
        "Answered",
        "Landed",
        "Appeared",
        "Over",
        "move Occupied",
        "pick-up NothingThere",
    ]);
}

#[test]
fn four_against_four() {
    let raw = RawConfig { team_size: 4, board_x: 9, board_y: 9, number_of_goals: 4, ..quick() };
    compare(&raw, &odd, 12).has(&["Landed", "Answered"]);
}

#[test]
fn picking_up_costs_something_nothing_lands_in_hands_and_nobody_has_to_answer() {
    let raw = RawConfig { pick_up_penalty: 30, landing_pick_up: false, leader_binds: false, ..quick() };
    // Message 105 names this penalty only in the dialect of implementations that have one.
    assert!(!compare_in(Dialect::Union, &raw, &odd, 30).0.contains("Landed"));
}

/// Everyone acts again and again at one moment, and rests.
#[test]
fn nothing_costs_anything() {
    let raw = RawConfig {
        move_penalty: 0,
        information_exchange_penalty: 0,
        discovery_penalty: 0,
        put_penalty: 0,
        check_for_sham_penalty: 0,
        destroy_piece_penalty: 0,
        ..quick()
    };
    compare(&raw, &odd, 20).has(&["Landed", "Answered"]);
}

/// With fewer pieces than agents all of them are in hands now and then: there is no distance to tell.
#[test]
fn pieces_are_few() {
    let raw = RawConfig { team_size: 3, number_of_pieces: 2, ..quick() };
    let seen = compare(&raw, &odd, 20);
    seen.has(&["Answered", "Discovered"]);
}

/// A board so large that an answer has no room for distances.
#[test]
fn a_large_board() {
    let raw = RawConfig { board_x: 45, board_y: 45, goal_area_height: 5, number_of_pieces: 300, ..quick() };
    let sober = |_| -> Box<dyn Strategy> { Box::new(Forager::new(Habits { stray: 0.05, ..Habits::ODD })) };
    compare(&raw, &sober, 1).has(&["Answered"]);
}

#[test]
fn agents_leave_and_the_game_is_stopped() {
    let raw = RawConfig { team_size: 3, number_of_goals: 6, ..quick() };
    let disruptions = |seed: Seed| {
        let mut chance = seed.child(1).game();
        let mut all: Vec<_> = (0..3)
            .map(|_| {
                let at = SimTime::from_millis(u64::from(chance.below(400)) * 10);
                (at, Disruption::AgentLost(AgentId::from_index(chance.index(6))))
            })
            .collect();
        all.push((SimTime::from_millis(8_000), Disruption::Ended(Termination::Stopped)));
        all.sort_by_key(|(at, _)| *at);
        all.dedup_by_key(|(_, disruption)| *disruption);
        all
    };
    compare_disrupted(&raw, &odd, 50, &disruptions).has(&["Left", "Landed"]);
}

/// The strategies that are shipped, against each other.
#[test]
fn the_shipped_strategies() {
    let team = |names: [&'static str; 8]| {
        move |agent: usize| -> Box<dyn Strategy> { Entry::find(names[agent]).unwrap().construct() }
    };
    let raw = RawConfig { team_size: 4, board_x: 10, board_y: 14, number_of_goals: 4, ..quick() };
    let mixed =
        ["coordinated", "coordinated", "liar", "coordinated", "greedy", "climber", "random", "greedy"];
    compare(&raw, &team(mixed), 12).has(&["Answered", "move Occupied", "Put"]);
    let [a, b] = ["coordinated", "climber"];
    compare(&raw, &team([a, a, a, a, b, b, b, b]), 12).has(&["Answered", "move Occupied", "Put"]);
}

/// An agent that lets time pass acts in its turn when the time is over, or at once when it hears something.
#[test]
fn agents_wait() {
    let waiting = |agent: usize| -> Box<dyn Strategy> {
        // Some wait for moments at which nobody else's time is up, some for the grain of all penalties.
        let moment = Some(u64::try_from(agent % 3).unwrap());
        Box::new(Forager::new(Habits { dawdle: 0.2, moment, ..Habits::ODD }))
    };
    let raw = RawConfig { team_size: 3, ..quick() };
    let stop = |_: Seed| vec![(SimTime::from_millis(20_000), Disruption::Ended(Termination::Stopped))];
    compare_disrupted(&raw, &waiting, 30, &stop).has(&["Answered", "Put", "Landed"]);
}
