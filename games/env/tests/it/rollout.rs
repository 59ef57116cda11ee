//! Rollouts: the order of agents, the effects of latency and waiting, and the limits.

use game_env::examples::pebbles::{self, Pebbles, Take};
use game_env::sink::Listen;
use game_env::{
    AgentId, Choice, Disruption, Environment, Latency, Limits, Millis, Policy, RandomPolicy, Rollout, Seed,
    SimTime, TeamId, Termination,
};

use crate::vault::{CLAIMS_TURNS, Config, Event, Fault, Guess, Misdescribed, Seen, Vault};

/// Guesses its own share of the numbers in order, and keeps what it hears.
struct Counting {
    next: u32,
    by: u32,
    heard: Vec<(SimTime, Event)>,
}

impl Policy<Vault> for Counting {
    fn choose(&mut self, _: SimTime, _: AgentId, _: &Seen) -> Choice<Guess> {
        self.next += self.by;
        Choice::Act(Guess(self.next - self.by))
    }

    fn hear(&mut self, now: SimTime, _: AgentId, event: &Event) {
        self.heard.push((now, *event));
    }
}

fn counting(agents: u32) -> Vec<Counting> {
    (0..agents).map(|next| Counting { next, by: agents, heard: Vec::new() }).collect()
}

/// The secret of seed 2 among 12 numbers is found by agent 1 of 2 at its third guess.
fn vault() -> Vault {
    Vault::new(&Config::new(2, 12, Millis::new(100)), Seed::new(2))
}

/// Every event as a line.
fn course(rollout: &Rollout, state: &mut Vault, policies: &mut [impl Policy<Vault>]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut listen = Listen(|now: SimTime, event: &Event| lines.push(format!("{} {event}", now.as_millis())));
    rollout.play(state, policies, &mut listen);
    lines
}

#[test]
fn the_agent_served_first_acts_first_when_locks_end_together() {
    let lines = course(&Rollout::default(), &mut vault(), &mut counting(2));
    assert_eq!(
        lines,
        [
            "0 #0 wrong 0",
            "0 #1 wrong 1",
            "100 #0 wrong 2",
            "100 #1 wrong 3",
            "200 #0 wrong 4",
            "200 #1 right 5"
        ]
    );
}

#[test]
fn the_loop_with_a_schedule_plays_the_same_game() {
    let far_off = (SimTime::from_millis(1_000_000), Disruption::Ended(Termination::Stopped));
    let scheduled = Rollout { disruptions: vec![far_off], ..Rollout::default() };
    for seed in 0..20 {
        let config = Config::new(5, 40, Millis::new(100));
        let [directly, by_schedule] = [Rollout::default(), scheduled.clone()]
            .map(|rollout| course(&rollout, &mut Vault::new(&config, Seed::new(seed)), &mut counting(5)));
        assert_eq!(directly, by_schedule, "seed {seed}");
    }
}

#[test]
fn agents_hear_what_is_meant_for_them() {
    let mut policies = counting(2);
    Rollout::default().play(&mut vault(), &mut policies, &mut ());
    let heard: Vec<_> = policies.iter().map(|policy| policy.heard.len()).collect();
    assert_eq!(heard, [3, 3]);
    let own = AgentId::new(1);
    assert_eq!(policies[1].heard.last(), Some(&(SimTime::from_millis(200), Event::Right(own, 5))));
}

#[test]
fn latency_delays_the_request_and_not_the_observation() {
    let fixed = |milliseconds| (Millis::new(milliseconds), Millis::new(milliseconds));
    let latency = Latency::drawn(Seed::new(1), vec![fixed(30), fixed(0)]);
    let lines = course(&Rollout { latency, ..Rollout::default() }, &mut vault(), &mut counting(2));
    assert_eq!(
        lines,
        [
            "0 #1 wrong 1",
            "30 #0 wrong 0",
            "100 #1 wrong 3",
            "160 #0 wrong 2", // locked from 30 to 130, then 30 on the way
            "200 #1 right 5",
        ]
    );
}

/// Of two requests that arrive at the same moment, the one that was sent first is served first.
#[test]
fn requests_arrive_in_the_order_in_which_they_were_sent() {
    let fixed = |milliseconds| (Millis::new(milliseconds), Millis::new(milliseconds));
    let latency = Latency::drawn(Seed::new(1), vec![fixed(30), fixed(160)]);
    let rollout = Rollout { latency, ..Rollout::default() };
    let lines = course(&rollout, &mut vault(), &mut counting(2));
    assert_eq!(lines[..3], ["30 #0 wrong 0", "160 #1 wrong 1", "160 #0 wrong 2"]);
}

/// A decision counts when it is made, not again when its request is served.
#[test]
fn decisions_on_their_way_count_once() {
    let fixed = |milliseconds| (Millis::new(milliseconds), Millis::new(milliseconds));
    let latency = Latency::drawn(Seed::new(1), vec![fixed(30), fixed(0)]);
    for decisions in 1..=4 {
        let limits = Limits { decisions, ..Limits::default() };
        let rollout = Rollout { latency: latency.clone(), limits, ..Rollout::default() };
        let episode = rollout.play(&mut vault(), &mut counting(2), &mut ());
        assert_eq!(episode.decisions, decisions);
    }
    let rollout = Rollout { latency, ..Rollout::default() };
    let episode = rollout.play(&mut vault(), &mut counting(2), &mut ());
    assert_eq!((episode.decisions, episode.steps), (5, 5));
}

/// Guesses numbers that are not the secret. Gives up at its first decision if that is set.
struct Quits(u32, bool);

impl Policy<Vault> for Quits {
    fn choose(&mut self, _: SimTime, agent: AgentId, _: &Seen) -> Choice<Guess> {
        self.0 += 1;
        Choice::Act(Guess(u32::try_from(agent.index()).unwrap()))
    }

    fn gives_up(&mut self) -> Option<Termination> {
        (self.0 == 1 && self.1).then_some(Termination::Crash)
    }
}

/// The host fails one agent: the others have not won.
#[test]
fn an_agent_that_the_host_fails_ends_the_episode_of_all() {
    struct Unstarted;

    impl Policy<Vault> for Unstarted {
        fn choose(&mut self, _: SimTime, _: AgentId, _: &Seen) -> Choice<Guess> {
            Choice::Wait(SimTime::NEVER)
        }

        fn gives_up(&mut self) -> Option<Termination> {
            Some(Termination::HostFault)
        }
    }

    for disruptions in [vec![], vec![(SimTime::NEVER, Disruption::AgentLost(AgentId::new(2)))]] {
        let mut state = Vault::new(&Config::new(3, 100, Millis::new(100)), Seed::new(2));
        let mut policies = [Unstarted, Unstarted, Unstarted];
        let rollout = Rollout { disruptions, ..Rollout::default() };
        let outcome = rollout.play(&mut state, &mut policies, &mut ()).outcome;
        assert_eq!((outcome.termination, outcome.winner()), (Termination::HostFault, None));
    }
}

/// To give up is a decision, with a schedule and without.
#[test]
fn an_agent_that_gives_up_has_decided() {
    for decisions in 1..=6 {
        let limits = Limits { decisions, ..Limits::default() };
        let late = SimTime::from_millis(3_600_000);
        let play = |disruptions| {
            let rollout = Rollout { limits, disruptions, ..Rollout::default() };
            let mut state = Vault::new(&Config::new(3, 100, Millis::new(100)), Seed::new(2));
            let mut policies = [0, 1, 2].map(|place| Quits(0, place == 0));
            (rollout.play(&mut state, &mut policies, &mut ()), state.hash())
        };
        let directly = play(Vec::new());
        assert_eq!((directly.0.decisions, directly.0.steps), (decisions, decisions - 1));
        assert_eq!(play(vec![(late, Disruption::AgentLost(AgentId::new(2)))]), directly);
    }
}

#[test]
fn drawn_latencies_repeat_with_the_seed() {
    let bounds = vec![(Millis::new(0), Millis::new(90)); 5];
    let play = |seed| {
        let latency = Latency::drawn(Seed::new(seed), bounds.clone());
        let mut state = Vault::new(&Config::new(5, 40, Millis::new(100)), Seed::new(3));
        course(&Rollout { latency, ..Rollout::default() }, &mut state, &mut counting(5))
    };
    assert_eq!(play(1), play(1));
    assert_ne!(play(1), play(2));
}

/// Waits until another agent has guessed wrong, then guesses.
struct Patient {
    heard: bool,
    until: SimTime,
}

impl Policy<Vault> for Patient {
    fn choose(&mut self, now: SimTime, agent: AgentId, _: &Seen) -> Choice<Guess> {
        if !self.heard && now < self.until {
            return Choice::Wait(self.until);
        }
        Choice::Act(Guess(u32::try_from(agent.index()).unwrap()))
    }

    fn hear(&mut self, _: SimTime, _: AgentId, _: &Event) {
        self.heard = true;
    }
}

#[test]
fn who_waits_is_asked_again_at_the_moment_it_named() {
    let until = SimTime::from_millis(70);
    let policies = [Patient { heard: true, until }, Patient { heard: false, until }];
    let lines = course(
        &Rollout { limits: Limits { steps: 2, ..Limits::default() }, ..Rollout::default() },
        &mut vault(),
        &mut policies.map(|policy| Box::new(policy) as Box<dyn Policy<Vault>>),
    );
    assert_eq!(lines, ["0 #0 wrong 0", "70 #1 wrong 1"]);
}

#[test]
fn a_rollout_goes_on_from_any_state() {
    let mut state = vault();
    let (first, second) = (AgentId::new(0), AgentId::new(1));
    state.step(SimTime::from_millis(5_000), first, Guess(11), &mut ());
    // The other one has been ready since the start, but the clock does not go back to it.
    let lines = course(&Rollout::default(), &mut state, &mut counting(2));
    assert_eq!(lines[..2], [format!("5000 {second} wrong 1"), format!("5100 {first} wrong 0")]);
}

#[test]
fn when_everyone_waits_for_somebody_else_it_is_a_stall() {
    let mut waiting = [0, 1].map(|_| Patient { heard: false, until: SimTime::NEVER });
    let episode = Rollout::default().play(&mut vault(), &mut waiting, &mut ());
    assert_eq!((episode.outcome.termination, episode.steps), (Termination::Stall, 0));
}

#[test]
fn a_disruption_wakes_and_removes() {
    let disruptions = vec![(SimTime::from_millis(50), Disruption::AgentLost(AgentId::new(1)))];
    let limits = Limits { steps: 20, ..Limits::default() };
    let lines =
        course(&Rollout { disruptions, limits, ..Rollout::default() }, &mut vault(), &mut counting(2));
    assert_eq!(lines[..4], ["0 #0 wrong 0", "0 #1 wrong 1", "50 #1 gone 0", "100 #0 wrong 2"]);
    assert!(lines[4..].iter().all(|line| !line.contains("#1")), "{lines:?}");
}

/// The lock of #0, served first, ends when #1 wants to be asked again: #1 decided to wait after #0 was served.
#[test]
fn who_waits_is_behind_those_who_were_served_before() {
    let patient = Patient { heard: false, until: SimTime::from_millis(100) };
    let mut policies: [Box<dyn Policy<Vault>>; 2] = [Box::new(counting(1).pop().unwrap()), Box::new(patient)];
    let limits = Limits { steps: 3, ..Limits::default() };
    let lines = course(&Rollout { limits, ..Rollout::default() }, &mut vault(), &mut policies);
    let who: Vec<String> =
        lines.iter().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
    assert_eq!(who, ["0 #0", "100 #0", "100 #1"]);
}

/// Makes these decisions, the last one first.
struct Planned(Vec<Choice<Guess>>);

impl Policy<Vault> for Planned {
    fn choose(&mut self, _: SimTime, _: AgentId, _: &Seen) -> Choice<Guess> {
        self.0.pop().unwrap()
    }
}

/// Both agents that wait hear at 50 ms that #0 is gone, and decide again to wait until 100 ms.
#[test]
fn an_agent_that_is_woken_keeps_its_place_if_it_waits_until_the_same_moment() {
    let wait = |until| Choice::Wait(SimTime::from_millis(until));
    let guess = |number| Choice::Act(Guess(number));
    // #1 decides to wait until 100 ms at 10 ms, #2 waits until another moment or until 100 ms at 0 ms.
    let cases = [(100, ["100 #2 wrong 2", "100 #1 wrong 1"]), (90, ["100 #1 wrong 1", "100 #2 wrong 2"])];
    for (until, expected) in cases {
        let mut policies = [
            Planned(vec![Choice::Wait(SimTime::NEVER)]),
            Planned(vec![guess(1), wait(100), wait(100), wait(10)]),
            Planned(vec![guess(2), wait(100), wait(until)]),
        ];
        let disruptions = vec![(SimTime::from_millis(50), Disruption::AgentLost(AgentId::new(0)))];
        let limits = Limits { steps: 2, ..Limits::default() };
        // The number is 5.
        let mut state = Vault::new(&Config::new(3, 12, Millis::new(100)), Seed::new(2));
        let lines = course(&Rollout { disruptions, limits, ..Rollout::default() }, &mut state, &mut policies);
        assert_eq!(lines, ["50 #0 gone 0", expected[0], expected[1]], "{until}");
    }
}

/// Makes the same decision whenever it may act.
struct Stubborn(Choice<Guess>);

impl Policy<Vault> for Stubborn {
    fn choose(&mut self, _: SimTime, _: AgentId, _: &Seen) -> Choice<Guess> {
        self.0.clone()
    }
}

/// The same free decision over and over: the others play on and finish the game.
#[test]
fn no_agent_can_stop_the_clock() {
    for choice in [Choice::Act(Guess(99)), Choice::Wait(SimTime::START)] {
        let sensible = counting(1).pop().unwrap();
        let mut policies: [Box<dyn Policy<Vault>>; 2] =
            [Box::new(Stubborn(choice.clone())), Box::new(sensible)];
        let episode = Rollout::default().play(&mut vault(), &mut policies, &mut ());
        assert_eq!(episode.outcome.winner(), Some(TeamId::new(1)), "{choice:?}");
        assert_eq!(episode.time, SimTime::from_millis(500), "{choice:?}: the sixth guess is right");
        assert!(episode.steps < 2_000, "{choice:?}: {} steps", episode.steps);
    }
}

#[test]
fn where_nothing_costs_time_everyone_acts_all_the_same() {
    let timeless = |agents| Vault::new(&Config::new(agents, 1000, Millis::ZERO), Seed::new(3));
    let mut events: Vec<(SimTime, Event)> = Vec::new();
    let episode = Rollout::default().play(&mut timeless(3), &mut counting(3), &mut events);
    assert_eq!(episode.outcome.termination, Termination::Normal);
    let by = |agent| {
        events.iter().filter(|(_, event)| matches!(event, Event::Wrong(by, _) if by.index() == agent)).count()
    };
    assert!(by(0).abs_diff(by(1)) <= 1 && by(1).abs_diff(by(2)) <= 1);
}

/// The clock is past the moments at which several agents were ready: the agent that waited longest acts first.
#[test]
fn both_loops_agree_on_a_game_that_goes_on() {
    let far_off = (SimTime::from_millis(1_000_000), Disruption::Ended(Termination::Stopped));
    let scheduled = Rollout { disruptions: vec![far_off], ..Rollout::default() };
    let mut begun = Vault::new(&Config::new(4, 40, Millis::new(100)), Seed::new(5));
    for (at, agent, number) in [(0, 2, 39), (700, 0, 38), (1400, 3, 37), (5000, 1, 36)] {
        begun.step(SimTime::from_millis(at), AgentId::new(agent), Guess(number), &mut ());
    }
    let [directly, by_schedule] =
        [Rollout::default(), scheduled].map(|rollout| course(&rollout, &mut begun.clone(), &mut counting(4)));
    assert_eq!(directly, by_schedule);
    assert!(directly[0].starts_with("5000 #2"), "{directly:?}");
}

#[test]
fn who_is_gone_hears_no_more() {
    struct Listening(u32);
    impl Policy<Vault> for Listening {
        fn choose(&mut self, _: SimTime, _: AgentId, _: &Seen) -> Choice<Guess> {
            Choice::Wait(SimTime::NEVER)
        }
        fn hear(&mut self, _: SimTime, _: AgentId, _: &Event) {
            self.0 += 1;
        }
    }
    // Three agents of which #0 and #2 are one team; #0 finds the number, its team hears of it.
    let play = |disruptions| {
        let mut vault = Vault::new(&Config::new(3, 1, Millis::new(100)), Seed::new(1));
        let mut policies = [Listening(0), Listening(0), Listening(0)];
        let right = |_: SimTime, _: AgentId, _: &Seen| Guess(0);
        let [_, second, third] = &mut policies;
        let mut all: [Box<dyn Policy<Vault> + '_>; 3] =
            [Box::new(right), Box::new(Borrowed(second)), Box::new(Borrowed(third))];
        let latency = Latency::drawn(Seed::new(1), vec![(Millis::new(50), Millis::new(50)); 3]);
        Rollout { disruptions, latency, ..Rollout::default() }.play(&mut vault, &mut all, &mut ());
        drop(all);
        policies.map(|policy| policy.0)
    };
    assert_eq!(play(vec![]), [0, 0, 1]);
    assert_eq!(play(vec![(SimTime::from_millis(10), Disruption::AgentLost(AgentId::new(2)))]), [0, 1, 0]);
}

/// A policy that the caller keeps.
struct Borrowed<'a, P>(&'a mut P);

impl<P: Policy<Vault>> Policy<Vault> for Borrowed<'_, P> {
    fn choose(&mut self, now: SimTime, agent: AgentId, seen: &Seen) -> Choice<Guess> {
        self.0.choose(now, agent, seen)
    }

    fn inner(&mut self) -> Option<&mut dyn Policy<Vault>> {
        Some(self.0)
    }
}

#[test]
fn a_long_game_that_takes_no_time_is_no_stall() {
    let one = |_: SimTime, _: AgentId, _: &pebbles::Observation| Take::new(1);
    let episode = Rollout::default().play(&mut Pebbles::new(&50_000, Seed::new(0)), &mut [one, one], &mut ());
    assert_eq!((episode.steps, episode.outcome.termination), (50_000, Termination::Normal));
}

/// Turns without a clock: no other agent can play on, so a mover that gets nowhere gives up the game.
#[test]
fn a_mover_that_does_not_move_forfeits() {
    struct Answers(Choice<Take>);
    impl Policy<Pebbles> for Answers {
        fn choose(&mut self, _: SimTime, _: AgentId, _: &pebbles::Observation) -> Choice<Take> {
            self.0.clone()
        }
    }
    let disruptions = [vec![], vec![(SimTime::from_millis(5), Disruption::Ended(Termination::Stopped))]];
    let cases = [
        (Choice::Act(Take::new(9)), Termination::Illegal, 101),
        (Choice::Wait(SimTime::NEVER), Termination::Silence, 0),
        (Choice::Wait(SimTime::from_millis(10)), Termination::Silence, 0),
    ];
    for (choice, reason, steps) in cases {
        for disruptions in disruptions.clone() {
            let mut policies = [Answers(choice.clone()), Answers(Choice::Act(Take::new(1)))];
            let rollout = Rollout { disruptions, ..Rollout::default() };
            let episode = rollout.play(&mut Pebbles::new(&21, Seed::new(0)), &mut policies, &mut ());
            assert_eq!((episode.outcome.termination, episode.steps), (reason, steps), "{choice:?}");
            assert_eq!(episode.outcome.winner(), Some(TeamId::new(1)), "{choice:?}");
            assert_eq!(episode.outcome.fault, Some(AgentId::new(0)), "{choice:?}");
            assert_eq!(episode.time, SimTime::START, "{choice:?}");
        }
    }
}

/// A game of turns may continue after an agent has forfeited. If its rules leave the turn with that agent, the
/// rollout ends with `Stall`.
#[test]
fn the_others_play_on_without_a_mover_that_forfeits() {
    struct Taking(Option<u32>);
    impl Policy<Misdescribed<CLAIMS_TURNS>> for Taking {
        fn choose(&mut self, _: SimTime, _: AgentId, _: &Seen) -> Choice<Guess> {
            let Some(next) = self.0 else { return Choice::Wait(SimTime::NEVER) };
            self.0 = Some(next + 3);
            Choice::Act(Guess(next))
        }
    }
    let play = |fault| {
        let config = Config { fault, ..Config::new(3, 12, Millis::ZERO) };
        // The number is 5.
        let mut state = Misdescribed::new(&config, Seed::new(2));
        Rollout::default().play(&mut state, &mut [Taking(None), Taking(Some(1)), Taking(Some(2))], &mut ())
    };
    let episode = play(Fault::None);
    assert_eq!((episode.outcome.termination, episode.steps), (Termination::Normal, 4));
    assert_eq!(episode.outcome.winner(), Some(TeamId::new(0)), "the team of #2");
    let stuck = play(Fault::LeavesGhosts);
    assert_eq!((stuck.outcome.termination, stuck.steps), (Termination::Stall, 0));
}

#[test]
fn a_few_refusals_are_forgiven() {
    let mut asked = 0;
    let hasty = move |_: SimTime, _: AgentId, _: &pebbles::Observation| {
        asked += 1;
        Take::new(if asked % 100 == 0 { 1 } else { 0 })
    };
    let one = |_: SimTime, _: AgentId, _: &pebbles::Observation| Take::new(1);
    let mut policies: [Box<dyn Policy<Pebbles>>; 2] = [Box::new(hasty), Box::new(one)];
    let episode = Rollout::default().play(&mut Pebbles::new(&9, Seed::new(0)), &mut policies, &mut ());
    assert_eq!((episode.outcome.termination, episode.steps), (Termination::Normal, 5 * 100 + 4));
}

#[test]
fn a_game_without_time_ignores_latency() {
    let one = |_: SimTime, _: AgentId, _: &pebbles::Observation| Take::new(1);
    let latency = Latency::drawn(Seed::new(1), vec![(Millis::new(5), Millis::new(50)); 2]);
    let rollout = Rollout { latency, ..Rollout::default() };
    let episode = rollout.play(&mut Pebbles::new(&21, Seed::new(0)), &mut [one, one], &mut ());
    assert_eq!((episode.steps, episode.time), (21, SimTime::START));
}

#[test]
fn random_play_needs_observations_alone() {
    let mut policies = [1, 2].map(|seed| RandomPolicy::new(Seed::new(seed).game()));
    let episode = Rollout::default().play(&mut vault(), &mut policies, &mut ());
    assert_eq!(episode.outcome.termination, Termination::Normal);
    let mut policies = [1, 2].map(|seed| RandomPolicy::new(Seed::new(seed).game()));
    let again = Rollout::default().play(&mut vault(), &mut policies, &mut ());
    assert_eq!(episode, again);
}

#[test]
fn limits_of_steps_and_time_end_an_episode() {
    let play =
        |limits| Rollout { limits, ..Rollout::default() }.play(&mut vault(), &mut counting(2), &mut ());
    let episode = play(Limits { steps: 3, ..Limits::default() });
    assert_eq!((episode.steps, episode.outcome.termination), (3, Termination::Stall));
    let episode = play(Limits { time: SimTime::from_millis(150), ..Limits::default() });
    assert_eq!((episode.steps, episode.time), (4, SimTime::from_millis(150)));
}

#[test]
fn strict_turns_and_closures_work_as_well() {
    let two = |_: SimTime, _: AgentId, _: &pebbles::Observation| Take::new(2);
    let one = |_: SimTime, _: AgentId, _: &pebbles::Observation| Take::new(1);
    let mut policies: [Box<dyn Policy<Pebbles>>; 2] = [Box::new(two), Box::new(one)];
    let episode = Rollout::default().play(&mut Pebbles::new(&6, Seed::new(0)), &mut policies, &mut ());
    assert_eq!(episode.outcome.winner(), Some(TeamId::new(1)));
    assert_eq!(episode.steps, 4);
}
