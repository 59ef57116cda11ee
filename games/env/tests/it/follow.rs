//! Episodes that are taken along a record, and go on freely.

use std::cell::Cell;
use std::rc::Rc;

use game_env::replay::{Fork, Reader, RecordedEpisode, Writer};
use game_env::rollout::{Departure, Input, Progress, Replacement};
use game_env::sink::Listen;
use game_env::{
    AgentId, Choice, Disruption, Environment, Latency, Limits, Millis, Policy, RandomPolicy, Rollout,
    Running, Seed, SimTime, Termination, Witness,
};

use crate::vault::{Config, Event, Guess, Seen, Vault};

/// Makes these decisions in order, then guesses the numbers from 6 on, and keeps all that it hears and sends.
#[derive(Default)]
struct Planned {
    plan: Vec<Choice<Guess>>,
    asked: usize,
    heard: Vec<String>,
    sent: Vec<Guess>,
}

impl Policy<Vault> for Planned {
    fn choose(&mut self, _: SimTime, _: AgentId, _: &Seen) -> Choice<Guess> {
        self.asked += 1;
        self.plan
            .get(self.asked - 1)
            .cloned()
            .unwrap_or(Choice::Act(Guess(6 + u32::try_from(self.asked).unwrap())))
    }

    fn sent(&mut self, _: SimTime, _: AgentId, action: &Guess) {
        self.sent.push(*action);
    }

    fn hear(&mut self, now: SimTime, _: AgentId, event: &Event) {
        self.heard.push(format!("{} {event}", now.as_millis()));
    }
}

fn plans<const N: usize>(plans: [&[Choice<Guess>]; N]) -> [Planned; N] {
    plans.map(|plan| Planned { plan: plan.to_vec(), ..Planned::default() })
}

fn guess(number: u32) -> Choice<Guess> {
    Choice::Act(Guess(number))
}

fn wait(until: u64) -> Choice<Guess> {
    Choice::Wait(SimTime::from_millis(until))
}

/// The number is 5.
fn vault() -> Vault {
    Vault::new(&Config::new(2, 12, Millis::new(100)), Seed::new(2))
}

fn recorded(at: u64, agent: u16, number: u32) -> Input<Guess> {
    Input::Action { at: SimTime::from_millis(at), agent: AgentId::new(agent), action: Guess(number) }
}

/// Keeps the inputs of a game.
#[derive(Default)]
struct Inputs(Vec<Input<Guess>>);

impl Witness<Vault> for Inputs {
    fn action(&mut self, _: &Vault, at: SimTime, agent: AgentId, action: &Guess) {
        self.0.push(Input::Action { at, agent, action: *action });
    }

    fn disruption(&mut self, _: &Vault, at: SimTime, disruption: Disruption) {
        self.0.push(Input::Disruption { at, disruption });
    }
}

/// Takes the policies along the record and on to the end; the departures, and every event as a line.
fn followed(record: &[Input<Guess>], policies: &mut [Planned]) -> (Vec<Departure<Guess>>, Vec<String>) {
    let (mut state, mut departures, mut lines) = (vault(), Vec::new(), Vec::new());
    let limits = Limits { steps: 8, ..Limits::default() };
    let mut run: Running<Vault> = Rollout { limits, ..Rollout::default() }.begin(&state);
    let mut listen = Listen(|now: SimTime, event: &Event| lines.push(format!("{} {event}", now.as_millis())));
    run.follow(&mut state, policies, &mut listen, record, &mut |departure| departures.push(departure));
    assert!(matches!(run.play(&mut state, policies, &mut listen, |_| false), Progress::Over(_)));
    (departures, lines)
}

#[test]
fn the_players_of_a_record_repeat_it_and_go_on_as_they_did() {
    let plan: [&[Choice<Guess>]; 2] =
        [&[guess(0), wait(170), wait(250), guess(1)], &[wait(30), guess(2), guess(3), wait(240), guess(4)]];
    let (mut first, mut state, mut record) = (plans(plan), vault(), Inputs::default());
    let limits = Limits { steps: 8, ..Limits::default() };
    Rollout { limits, ..Rollout::default() }.play(&mut state, &mut first, &mut record);
    let (_, all) = followed(&[], &mut plans(plan));
    for inputs in 0..=record.0.len() {
        let mut again = plans(plan);
        let (departures, lines) = followed(&record.0[..inputs], &mut again);
        assert_eq!((departures, &lines), (vec![], &all), "after {inputs}");
        for (again, first) in again.iter().zip(&first) {
            assert_eq!((&again.heard, &again.sent), (&first.heard, &first.sent), "after {inputs}");
            assert_eq!(again.asked, first.asked, "after {inputs}");
        }
    }
}

#[test]
fn other_players_are_led_and_their_departures_are_told() {
    // #0 would rather guess 8 at its second turn, #1 never plays.
    let record = [recorded(0, 0, 0), recorded(40, 1, 1), recorded(100, 0, 2), recorded(140, 1, 3)];
    let mut policies = plans([&[guess(0), guess(8)], &[const { Choice::Wait(SimTime::NEVER) }; 8]]);
    let (departures, lines) = followed(&record, &mut policies);
    let departed = |input, at, agent, recorded, chosen: Option<u32>| Departure {
        input,
        at: SimTime::from_millis(at),
        agent: AgentId::new(agent),
        recorded: Guess(recorded),
        chosen: chosen.map(Guess),
        gives_up: false,
        decided: SimTime::from_millis(at),
        before: input,
    };
    assert_eq!(
        departures,
        [departed(1, 40, 1, 1, None), departed(2, 100, 0, 2, Some(8)), departed(3, 140, 1, 3, None)]
    );
    assert_eq!(lines[..4], ["0 #0 wrong 0", "40 #1 wrong 1", "100 #0 wrong 2", "140 #1 wrong 3"]);
    assert_eq!(policies[0].sent[..2], [Guess(0), Guess(2)], "it learns what was sent in its name");
    assert_eq!(policies[1].sent[..2], [Guess(1), Guess(3)]);
}

/// Waits, and gives up from 100 ms on.
struct WaitsAndResigns(SimTime);

impl Policy<Vault> for WaitsAndResigns {
    fn choose(&mut self, now: SimTime, _: AgentId, _: &Seen) -> Choice<Guess> {
        self.0 = now;
        Choice::Wait(SimTime::NEVER)
    }

    fn gives_up(&mut self) -> Option<Termination> {
        (self.0 >= SimTime::from_millis(100)).then_some(Termination::Crash)
    }
}

#[test]
fn a_policy_that_gives_up_is_told_from_one_that_waits() {
    let mut state = vault();
    let mut run: Running<Vault> = Rollout::default().begin(&state);
    let record = [recorded(0, 0, 0), recorded(40, 1, 1), recorded(100, 0, 2)];
    let mut policies = [0, 1].map(|_| WaitsAndResigns(SimTime::START));
    let mut departures = Vec::new();
    run.follow(&mut state, &mut policies, &mut (), &record, &mut |departure| {
        departures.push((departure.chosen, departure.gives_up));
    });
    assert_eq!(departures, [(None, false), (None, false), (None, true)]);
}

#[test]
fn a_request_that_was_late_in_the_record_is_a_delay() {
    let record = [recorded(0, 0, 0), recorded(60, 1, 1), recorded(160, 1, 2)];
    let (departures, lines) = followed(&record, &mut plans([&[guess(0)], &[guess(1), guess(3)]]));
    let found: Vec<_> = departures
        .iter()
        .map(|own| (own.is_delay(), own.before, own.decided.as_millis(), own.input, own.at.as_millis()))
        .collect();
    assert_eq!(found, [(true, 1, 0, 1, 60), (false, 2, 160, 2, 160)]);
    assert_eq!(lines[1], "60 #1 wrong 1");
}

/// Counts the requests that are sent in the name of #0, and keeps their number at each decision of #1.
struct Counting {
    plan: Planned,
    sent: Rc<Cell<u32>>,
    seen: Vec<u32>,
}

impl Policy<Vault> for Counting {
    fn choose(&mut self, now: SimTime, agent: AgentId, seen: &Seen) -> Choice<Guess> {
        if agent.index() == 1 {
            self.seen.push(self.sent.get());
        }
        self.plan.choose(now, agent, seen)
    }

    fn sent(&mut self, _: SimTime, agent: AgentId, _: &Guess) {
        if agent.index() == 0 {
            self.sent.set(self.sent.get() + 1);
        }
    }
}

#[test]
fn who_decides_after_an_agent_does_so_whatever_the_other_would_have_chosen() {
    for own in [0, 8] {
        let sent = Rc::new(Cell::new(0));
        let mut policies = plans([&[guess(own)], &[guess(1)]]).map(|plan| Counting {
            plan,
            sent: Rc::clone(&sent),
            seen: Vec::new(),
        });
        let mut state = vault();
        let mut run: Running<Vault> = Rollout::default().begin(&state);
        let record = [recorded(0, 0, 0), recorded(0, 1, 1)];
        run.follow(&mut state, &mut policies, &mut (), &record, &mut |_| ());
        assert_eq!(policies[1].seen, [1], "#0 would have guessed {own}");
    }
}

/// The events of a game, and its policies, if #0 makes this choice at 100 ms.
fn replaced(choice: Choice<Guess>) -> (Vec<String>, [Planned; 2]) {
    let plan: [&[Choice<Guess>]; 2] =
        [&[guess(0), guess(2), guess(4)], &[guess(1), guess(3), guess(6), guess(5)]];
    let file = replay(&Rollout::default(), &mut plans(plan));
    let episode = RecordedEpisode::<Vault>::read(Reader::open(&file[..]).unwrap()).unwrap();
    let (mut policies, mut lines) = (plans(plan), Vec::new());
    let at = SimTime::from_millis(100);
    let fork = Fork::after(2).with_replacement(Replacement { at, agent: AgentId::new(0), choice });
    let mut listen = Listen(|now: SimTime, event: &Event| lines.push(format!("{} {event}", now.as_millis())));
    let limits = Limits { steps: 6, ..Limits::of_matches() };
    let mut departures = 0;
    episode
        .play_on(Fork { limits: Some(limits), ..fork }, &mut policies, &mut listen, &mut |_| departures += 1);
    assert_eq!(departures, 0);
    (lines, policies)
}

#[test]
fn one_choice_is_replaced_and_everybody_goes_on_freely() {
    let (lines, policies) = replaced(guess(7));
    let expected = ["0 #0 wrong 0", "0 #1 wrong 1", "100 #0 wrong 7", "100 #1 wrong 3", "200 #0 wrong 4"];
    assert_eq!(lines[..5], expected);
    assert_eq!(policies[0].sent[..3], [Guess(0), Guess(7), Guess(4)], "it is told what was sent in its name");
    assert_eq!(policies[0].asked, 3, "its own choice was asked for, and does not count");
    let (as_it_was, _) = replaced(guess(2));
    assert_eq!(as_it_was[2..5], ["100 #0 wrong 2", "100 #1 wrong 3", "200 #0 wrong 4"]);
}

#[test]
fn an_agent_waits_in_place_of_its_choice() {
    let (lines, _) = replaced(wait(150));
    let expected = ["0 #0 wrong 0", "0 #1 wrong 1", "100 #1 wrong 3", "150 #0 wrong 4", "200 #1 wrong 6"];
    assert_eq!(lines[..5], expected);
}

#[test]
fn a_choice_after_the_end_changes_nothing() {
    let file = replay(&Rollout::default(), &mut plans([&[guess(5)], &[]]));
    let episode = RecordedEpisode::<Vault>::read(Reader::open(&file[..]).unwrap()).unwrap();
    assert!(episode.outcome().is_some());
    let last = Replacement { at: episode.time(), agent: AgentId::new(1), choice: guess(0) };
    let fork = Fork::after(episode.inputs().len()).with_replacement(last);
    let (_, end) = episode.play_on(fork, &mut plans([&[guess(5)], &[]]), &mut (), &mut |_| ());
    assert_eq!(Some(&end.outcome), episode.outcome());
}

#[test]
fn a_replacement_is_read_or_refused() {
    let at = SimTime::START;
    let replacement = |text: &str| {
        let choice = Choice::Act(text.to_owned());
        Fork::after(0).with_replacement(Replacement { at, agent: AgentId::new(0), choice }).read::<Guess>()
    };
    assert_eq!(replacement("guess 7").unwrap().replacement.unwrap().choice, guess(7));
    let error = replacement("guess seven").unwrap_err().to_string();
    assert!(error.contains("guess seven") && error.contains("`guess` and a number"), "{error}");
}

#[test]
fn a_decision_that_the_record_does_not_hold_any_more_counts_at_once() {
    // #1 decided at 0 ms; its request came at 60 ms, which is not followed.
    let mut policies = plans([&[guess(0), Choice::Wait(SimTime::NEVER)], &[guess(1), guess(5)]]);
    let (_, lines) = followed(&[recorded(0, 0, 0)], &mut policies);
    assert_eq!(lines, ["0 #0 wrong 0", "0 #1 wrong 1", "100 #1 right 5"]);
}

#[test]
fn a_disruption_of_the_record_comes_before_the_decisions_of_its_moment() {
    let gone = Input::Disruption { at: SimTime::START, disruption: Disruption::AgentLost(AgentId::new(0)) };
    let mut policies = plans([&[guess(0)], &[guess(5)]]);
    let (departures, lines) = followed(&[gone], &mut policies);
    assert_eq!((departures, lines), (vec![], vec!["0 #0 gone 0".to_owned(), "0 #1 right 5".to_owned()]));
    assert_eq!(policies[0].asked, 0);
}

/// Gives up at its second decision.
struct Resigns(u32);

impl Policy<Vault> for Resigns {
    fn choose(&mut self, _: SimTime, agent: AgentId, _: &Seen) -> Choice<Guess> {
        self.0 += 1;
        guess(2 * self.0 + u32::try_from(agent.index()).unwrap())
    }

    fn gives_up(&mut self) -> Option<Termination> {
        (self.0 > 1).then_some(Termination::Crash)
    }
}

/// The replay of a game of these policies.
fn replay<P: Policy<Vault>>(rollout: &Rollout, policies: &mut [P]) -> Vec<u8> {
    let (config, seed) = (Config::new(2, 12, Millis::new(100)), Seed::new(2));
    let mut writer = Writer::in_memory::<Vault>(&config, seed, "planned", "tests 1.0");
    rollout.play(&mut vault(), policies, &mut writer);
    writer.finish().unwrap()
}

#[test]
fn a_player_that_gave_up_gives_up_again() {
    let resigning = || [Resigns(0), Resigns(0)];
    let file = replay(&Rollout::default(), &mut resigning());
    let episode = RecordedEpisode::<Vault>::read(Reader::open(&file[..]).unwrap()).unwrap();
    for inputs in 0..=episode.inputs().len() {
        let mut writer = Writer::new(Vec::new(), episode.header()).unwrap();
        let mut departures = 0;
        let (fork, count) = (Fork::after(inputs), &mut |_| departures += 1);
        episode.play_on(fork, &mut resigning(), &mut writer, count);
        assert!(writer.finish().unwrap() == file, "after {inputs}");
        assert_eq!(departures, 0, "after {inputs}");
    }
}

/// Requests take time, which a record does not say: the players are led, and what they chose is what was recorded.
#[test]
fn a_game_with_delays_is_followed_and_goes_on_without_them() {
    let bounds = vec![(Millis::new(5), Millis::new(90)); 2];
    let rollout = Rollout { latency: Latency::drawn(Seed::new(4), bounds), ..Rollout::default() };
    let plan: [&[Choice<Guess>]; 2] =
        [&[guess(0), guess(1), guess(2)], &[guess(3), guess(4), guess(6), guess(5)]];
    let file = replay(&rollout, &mut plans(plan));
    let episode = RecordedEpisode::<Vault>::read(Reader::open(&file[..]).unwrap()).unwrap();
    let mut departures = Vec::new();
    let (_, end) = episode
        .play_on(Fork::after(4), &mut plans(plan), &mut (), &mut |departure| departures.push(departure));
    assert_eq!(departures.len(), 4);
    assert!(departures.iter().all(|departure| departure.is_delay()), "{departures:?}");
    assert_eq!(Some(&end.outcome), episode.outcome());
    assert!(end.time < episode.time(), "{} {}", end.time, episode.time());
}

/// The replay of a future is one: it plays back, and it is repeated when it is followed itself.
#[test]
fn the_replay_of_another_future_is_played_back_and_repeated() {
    let policies = || [7, 8].map(|seed| RandomPolicy::<Guess>::new(Seed::new(seed).game()));
    let file = replay(&Rollout::default(), &mut policies());
    let read = |file: &[u8]| RecordedEpisode::<Vault>::read(Reader::open(file).unwrap()).unwrap();
    let written = |file: &[u8], fork| {
        let episode = read(file);
        let (mut writer, mut departures) = (Writer::new(Vec::new(), episode.header()).unwrap(), 0);
        episode.play_on(fork, &mut policies(), &mut writer, &mut |_| departures += 1);
        assert_eq!(departures, 0);
        writer.finish().unwrap()
    };
    let future = written(&file, Fork::after(2).with_seed(Seed::new(9)));
    assert!(future != file);
    let inputs = read(&future).inputs().to_vec();
    assert_eq!(inputs[2], Input::Reseed { at: inputs[1].at(), seed: Seed::new(9) });
    for count in 0..=inputs.len() {
        let from_the_start = count < 3;
        let again = written(&future, Fork::after(count));
        assert_eq!(again == future, !from_the_start, "after {count}");
    }
}

#[test]
fn another_seed_gives_other_futures_and_the_same_one_the_same() {
    let policies = || [7, 8].map(|seed| RandomPolicy::<Guess>::new(Seed::new(seed).game()));
    let file = replay(&Rollout::default(), &mut policies());
    let episode = RecordedEpisode::<Vault>::read(Reader::open(&file[..]).unwrap()).unwrap();
    let end = |fork| episode.play_on(fork, &mut policies(), &mut (), &mut |_| ()).1;
    assert_eq!(Some(&end(Fork::after(2)).outcome), episode.outcome());
    let with_seeds = || (0..8).map(|seed| end(Fork::after(2).with_seed(Seed::new(seed)))).collect::<Vec<_>>();
    let (ends, again) = (with_seeds(), with_seeds());
    assert_eq!(ends, again);
    assert!(ends.iter().any(|other| other.steps != ends[0].steps), "{ends:?}");
}
