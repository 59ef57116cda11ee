//! Witnesses in other witnesses.

use std::cell::RefCell;

use game_env::examples::pebbles::{Event, Pebbles, Take};
use game_env::sink::Listen;
use game_env::{
    AgentId, Choice, Disruption, Environment, Note, Policy, Rollout, Seed, SimTime, Termination, Witness,
};

/// Writes its name and what it hears into a list that it shares with others.
struct Named<'a>(&'static str, &'a RefCell<Vec<String>>);

impl Named<'_> {
    fn hear(&self, what: &str) {
        self.1.borrow_mut().push(format!("{} {what}", self.0));
    }
}

impl Witness<Pebbles> for Named<'_> {
    fn event(&mut self, _: SimTime, event: &Event) {
        self.hear(&format!("event {event}"));
    }

    fn action(&mut self, _: &Pebbles, _: SimTime, _: AgentId, action: &Take) {
        self.hear(&format!("action {action}"));
    }

    fn disruption(&mut self, _: &Pebbles, _: SimTime, _: Disruption) {
        self.hear("disruption");
    }

    fn note(&mut self, _: &Pebbles, _: SimTime, _: AgentId, note: &Note) {
        self.hear(&format!("note {}", note.text));
    }

    fn end(&mut self, _: &Pebbles, _: SimTime) {
        self.hear("end");
    }
}

/// Takes one pebble and says so.
struct Chatty;

impl Policy<Pebbles> for Chatty {
    fn choose(&mut self, _: SimTime, _: AgentId, _: &<Pebbles as Environment>::Observation) -> Choice<Take> {
        Choice::Act(Take::new(1))
    }

    fn note(&mut self) -> Option<Note> {
        Some(Note { text: "one".to_owned(), shapes: Vec::new() })
    }
}

/// Two moves and a disruption, which ends the game.
fn play(witness: &mut impl Witness<Pebbles>) {
    let mut game = Pebbles::new(&2, Seed::new(1));
    let stop = (SimTime::START, Disruption::Ended(Termination::Stopped));
    Rollout::default().play(&mut game, &mut [Chatty, Chatty], witness);
    let mut game = Pebbles::new(&2, Seed::new(1));
    let rollout = Rollout { disruptions: vec![stop], ..Rollout::default() };
    rollout.play(&mut game, &mut [Chatty, Chatty], witness);
}

#[test]
fn a_witness_of_witnesses_tells_each_of_them_everything_once_in_order() {
    let alone = RefCell::new(Vec::new());
    play(&mut Named("a", &alone));
    let alone = alone.into_inner();
    for kind in ["event", "action", "disruption", "note", "end"] {
        assert!(alone.iter().any(|line| line.starts_with(&format!("a {kind}"))), "no {kind} in {alone:?}");
    }

    let heard = RefCell::new(Vec::new());
    let named = |name| Named(name, &heard);
    let boxed: Box<dyn Witness<Pebbles> + '_> = Box::new(named("c"));
    let (mut borrowed, nobody) = (named("a"), None::<Named<'_>>);
    play(&mut (
        (&mut borrowed, Some(named("b"))),
        (boxed, nobody, named("d")),
        (named("e"), (), (), named("f")),
    ));
    let expected: Vec<String> = alone
        .iter()
        .flat_map(|line| ["a", "b", "c", "d", "e", "f"].map(|name| line.replacen('a', name, 1)))
        .collect();
    assert_eq!(heard.into_inner(), expected);
}

#[test]
fn lists_closures_and_sinks_of_witnesses_hear_the_same_events() {
    let mut listed: Vec<(SimTime, Event)> = Vec::new();
    let mut listened = Vec::new();
    play(&mut (&mut listed, Listen(|at: SimTime, event: &Event| listened.push((at, *event)))));
    assert_eq!(listed, listened);
    let mut by_sink: Vec<(SimTime, Event)> = Vec::new();
    let mut game = Pebbles::new(&2, Seed::new(1));
    let first = AgentId::new(0);
    game.step(SimTime::START, first, Take::new(1), &mut Witness::<Pebbles>::sink(&mut by_sink));
    assert!(!by_sink.is_empty());
    assert_eq!(by_sink[..], listed[..by_sink.len()]);
}
