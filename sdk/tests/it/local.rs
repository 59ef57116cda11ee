//! Strategies in rollouts: a game in one call, notes in replays, chance, waiting.

use std::cell::RefCell;
use std::rc::Rc;

use game_env::seat::ReportsBlunders;
use game_env::{Note, Place, Shape};
use sdk::driver::actor::{BlunderKind, KEPT_BLUNDERS};
use sdk::local::{self, Environment, Game, Limits, RawConfig, Rollout, Seat, State, Termination, Witness};
use sdk::prelude::*;

fn small() -> RawConfig {
    RawConfig { board_x: 6, board_y: 9, goal_area_height: 1, number_of_goals: 2, ..RawConfig::default() }
}

/// Goes wherever chance leads it, and records its draws.
struct Stroller(Rc<RefCell<Vec<u32>>>);

impl Strategy for Stroller {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let drawn = view.chance.below(1_000);
        self.0.borrow_mut().push(drawn);
        let ways: Vec<Direction> = Direction::ALL.into_iter().filter(|way| view.is_passable(*way)).collect();
        view.step(ways[drawn as usize % ways.len()])
    }
}

/// Waits without end.
struct Sleeper;

impl Strategy for Sleeper {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        view.wait_for_message()
    }
}

#[test]
fn a_game_in_one_call() {
    let config = small().check().unwrap();
    let played = local::play(&config, Seed::new(1), |_, _| Sleeper);
    assert_eq!((played.winner(), played.episode.outcome.termination), (None, Termination::Stall));
    assert_eq!((played.episode.steps, played.blunders.len()), (0, 0));

    // Different strategies in one game; an agent that puts without a piece is informed, and no other agent.
    struct Eager;
    impl Strategy for Eager {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            if view.now < SimTime::from_millis(5_000) { view.put() } else { view.wait_for_message() }
        }
    }
    let mut asked = Vec::new();
    let played = local::play(&config, Seed::new(1), |agent, team| -> Box<dyn Strategy> {
        asked.push((agent.index(), team));
        if team == Team::Red { Box::new(Eager) } else { Box::new(Sleeper) }
    });
    assert_eq!(asked, [(0, Team::Red), (1, Team::Red), (2, Team::Blue), (3, Team::Blue)]);
    assert!(played.blunders.len() >= 2 && played.blunders.iter().all(|blunder| blunder.agent.index() < 2));
    assert!(matches!(played.blunders[0].what, BlunderKind::Nonsense { .. }));
}

/// The commonest mistakes of beginners: none of them lasts without end, fills the memory or the screen.
#[test]
fn games_of_beginners_end() {
    struct NotYet;
    impl Strategy for NotYet {
        #[expect(clippy::todo, reason = "this is what a beginner has")]
        fn act(&mut self, _: &mut View<'_>) -> Choice {
            todo!()
        }
    }
    /// Waits a little while at a time.
    struct Waiter(u32);
    impl Strategy for Waiter {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            Choice::Wait(view.now + Millis::new(self.0))
        }
    }
    let config = small().check().unwrap();
    let play = |wait: Option<u32>| {
        local::play(&config, Seed::new(1), |_, _| -> Box<dyn Strategy> {
            wait.map_or(Box::new(NotYet), |wait| Box::new(Waiter(wait)))
        })
    };
    sdk::quiet_hook();
    let played = play(None);
    assert_eq!((played.winner(), played.episode.time), (None, local::LONGEST));
    // Four agents, and a turn takes the time of a move.
    assert_eq!((played.blunders.len(), played.blunder_count), (4 * KEPT_BLUNDERS, 4 * 28_801));
    let shown = played.to_string();
    let start = "nobody wins: given up after 43200.000 s and 0 actions (that is the longest time); red covers 0 and \
                 blue 0 of 2 goals\n\
                 115204 blunders, the first: the strategy of agent #0 panicked at 0.000 s: not yet implemented (";
    assert!(shown.starts_with(start), "{shown}");
    assert!(shown.contains("local.rs:"), "the place is told: {shown}");

    let played = play(Some(1_000));
    assert_eq!((played.winner(), played.episode.time, played.blunder_count), (None, local::LONGEST, 0));
    let shown = played.to_string();
    assert!(
        shown.ends_with("0 actions (that is the longest time); red covers 0 and blue 0 of 2 goals"),
        "{shown}"
    );
    let played = play(Some(1));
    let each = local::MOST_DECISIONS / 4;
    assert_eq!(played.episode.time.as_millis(), each, "the decisions have an end as well");
    let few = Game::new(&config, Seed::new(1)).longest(SimTime::NEVER).most_decisions(100);
    assert_eq!(few.play(|_, _| Waiter(1)).episode.time.as_millis(), 25);
}

/// Leaves its goal area, and then picks up where nothing lies, without end.
struct Stubborn;

impl Strategy for Stubborn {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        if view.area() == Area::Task { view.pick_up() } else { view.step(view.homeward().opposite()) }
    }
}

/// A game that went nowhere says what a beginner wants to know: the reason why it was given up, the refused
/// requests, and the place where an agent tried the same over and over.
#[test]
fn a_game_says_what_went_wrong() {
    let config = RawConfig { number_of_pieces: 1, ..small() }.check().unwrap();
    let game = Game::new(&config, Seed::new(1)).most_decisions(4_000);
    let played = game.play(|_, _| Stubborn);
    assert_eq!(played.given_up, Some(local::GivenUp::Decisions));
    let ((action, reason), count) = played.refusals[0];
    assert_eq!((action, reason), (ActionKind::PickUp, "nothing-there"));
    let repeated: Vec<&BlunderKind> = played.blunders.iter().map(|blunder| &blunder.what).collect();
    assert!(!repeated.is_empty());
    let mut agents: Vec<AgentId> = played.blunders.iter().map(|blunder| blunder.agent).collect();
    agents.dedup();
    assert_eq!(agents.len(), repeated.len(), "each agent once");
    let kind = BlunderKind::Repeated { action: Action::PickUp, times: 100 };
    assert!(repeated.iter().all(|what| **what == kind), "{repeated:?}");
    let shown = played.to_string();
    assert!(
        shown.contains(&format!("\nrefused most often: pick-up {count} times (nothing there)")),
        "{shown}"
    );
    assert!(
        shown.contains("(that took all decisions that were allowed); red covers 0 and blue 0 of 2 goals"),
        "{shown}"
    );
    assert!(shown.contains("has tried `pick-up` 100 times in a row by "), "{shown}");
    assert!(!shown.contains("it loses this turn") && shown.contains('@'), "{shown}");

    let waiting = local::play(&config, Seed::new(1), |_, _| Sleeper);
    assert_eq!((waiting.given_up, waiting.refusals.len()), (Some(local::GivenUp::AllWait), 0));
    let won = local::play(&config, Seed::new(1), |_, _| Stroller(Rc::default())).to_string();
    assert!(won.contains("; red covers "), "{won}");
}

/// A moment that has passed cannot be waited for: the strategy would be asked again at once, without end.
#[test]
fn waiting_for_the_past_is_a_blunder() {
    struct Late;
    impl Strategy for Late {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            match view.now.as_millis() {
                0..2_000 => Choice::Wait(view.now),
                2_000..4_000 => Choice::Wait(SimTime::START),
                _ => view.wait_for_message(),
            }
        }
    }
    let config = RawConfig { team_size: 1, ..small() }.check().unwrap();
    let played = local::play(&config, Seed::new(1), |_, _| Late);
    let of_first: Vec<_> = played.blunders.iter().filter(|blunder| blunder.agent.index() == 0).collect();
    let told: Vec<(u64, &BlunderKind)> =
        of_first.iter().map(|blunder| (blunder.at.as_millis(), &blunder.what)).collect();
    let idle = |until| BlunderKind::Idle { until: SimTime::from_millis(until) };
    assert_eq!(told, [(0, &idle(0)), (1_500, &idle(1_500)), (3_000, &idle(0))], "it costs what a move does");
    let shown = of_first[0].to_string();
    assert!(shown.starts_with(
        "agent #0 wanted to wait until 0.000 s at 0.000 s, which is not in the future\nit loses"
    ));
}

/// Matches of any game know a seat only by its reports.
#[test]
fn a_seat_reports_its_blunders_in_words() {
    struct Hasty;
    impl Strategy for Hasty {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            if view.now < SimTime::from_millis(2_000) { view.put() } else { view.wait_for_message() }
        }
    }
    let mut game = State::new(&small().check().unwrap(), Seed::new(1));
    let mut seats = Seat::all(&game, Seed::new(1), |_, _| Hasty);
    Rollout::default().play(&mut game, &mut seats, &mut ());
    let seat: &mut dyn ReportsBlunders = &mut seats[0];
    let reports = seat.take_blunders();
    assert_eq!((reports.len(), seat.blunder_count()), (4, 4), "a put locks for half a second");
    assert!(reports[0].starts_with("agent #0 wanted to `put` at 0.000 s"), "{}", reports[0]);
    assert_eq!(seat.take_blunders(), [""; 0], "each is reported once");
}

#[cfg(feature = "replay")]
#[test]
fn a_game_is_recorded_in_one_call() {
    let folder = std::env::temp_dir().join(format!("sdk-recorded-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("game.jsonl.zst");
    let config = small().check().unwrap();
    let game = Game::new(&config, Seed::new(3)).most_decisions(300);
    let stroll = |_, _| Stroller(Rc::default());
    let recorded = game.record(&path, stroll).unwrap();
    assert_eq!(recorded, game.play(stroll), "recording changes nothing");
    let replay = std::fs::File::open(&path).unwrap();
    let told = sdk::testing::decisions(replay, AgentId::new(1), Stroller(Rc::default())).unwrap();
    assert!(told.lines().count() > 50 && !told.contains(", not "), "{told}");
    let nowhere = game.record(folder.join("missing").join("game"), stroll).unwrap_err();
    assert_eq!(nowhere.kind(), std::io::ErrorKind::NotFound);
    std::fs::remove_dir_all(&folder).unwrap();
}

/// The draws of agent #0 depend on the seed alone, not on the number or the actions of others.
#[test]
fn the_chance_of_an_agent_is_its_own() {
    let config = small().check().unwrap();
    let drawn = |seed, company: &dyn Fn() -> Box<dyn Strategy>| {
        let drawn = Rc::new(RefCell::new(Vec::new()));
        let mut game = State::new(&config, Seed::new(seed));
        let mut seats = Seat::all(&game, Seed::new(seed), |agent, _| -> Box<dyn Strategy> {
            if agent.index() == 0 { Box::new(Stroller(drawn.clone())) } else { company() }
        });
        let limits = Limits { time: SimTime::from_millis(30_000), ..Limits::default() };
        Rollout { limits, ..Rollout::default() }.play(&mut game, &mut seats, &mut ());
        drawn.take()
    };
    let alone = drawn(1, &|| Box::new(Sleeper));
    assert_eq!(alone.len(), 21, "one move in 1.5 s, from 0 to 30 s");
    assert_eq!(drawn(1, &|| Box::new(Stroller(Rc::default()))), alone);
    assert_ne!(drawn(2, &|| Box::new(Sleeper)), alone);
}

/// Waits for a moment, then for news, and says when it was asked.
struct Waiter {
    until: Vec<SimTime>,
    asked: Rc<RefCell<Vec<u64>>>,
}

impl Strategy for Waiter {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        self.asked.borrow_mut().push(view.now.as_millis());
        if self.until.is_empty() { view.wait_for_message() } else { Choice::Wait(self.until.remove(0)) }
    }
}

/// Asks every ally at 4 s, and then never again.
struct Asker {
    left: Vec<AgentId>,
}

impl Strategy for Asker {
    fn begin(&mut self, view: &mut View<'_>) {
        self.left = view.briefing.allies().collect();
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let then = SimTime::from_millis(4_000);
        if view.now < then {
            return Choice::Wait(then);
        }
        self.left.pop().map_or(Choice::Wait(SimTime::NEVER), |ally| view.ask(ally))
    }
}

#[test]
fn who_waits_is_asked_at_its_moment_or_when_it_hears_something() {
    let config = small().check().unwrap();
    let asked = Rc::new(RefCell::new(Vec::new()));
    let until = [1_000, 2_500].map(SimTime::from_millis).to_vec();
    let played = local::play(&config, Seed::new(1), |agent, _| -> Box<dyn Strategy> {
        match agent.index() {
            0 => Box::new(Waiter { until: until.clone(), asked: asked.clone() }),
            1 => Box::new(Asker { left: Vec::new() }),
            _ => Box::new(Sleeper),
        }
    });
    assert_eq!(played.episode.outcome.termination, Termination::Stall, "in the end all wait for each other");
    // At 4 s it is asked by its ally and answers, which locks it for a second.
    assert_eq!(*asked.borrow(), [0, 1_000, 2_500, 5_000]);
}

/// Marks where it goes.
struct Commentator;

impl Strategy for Commentator {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let here = view.position();
        view.notes.remark(|| format!("at {here}"));
        view.notes.remark(|| "all is well".to_owned());
        view.notes.mark(here);
        view.notes.line(here, Position::new(0, 0));
        view.notes.label(here, || "me".to_owned());
        view.discover()
    }
}

/// Keeps the notes of a game.
#[derive(Default)]
struct Notes(Vec<(AgentId, Note)>);

impl Witness<State> for Notes {
    fn note(&mut self, _: &State, _: SimTime, agent: AgentId, note: &Note) {
        self.0.push((agent, note.clone()));
    }
}

#[test]
fn notes_reach_the_observer() {
    let config = small().check().unwrap();
    let play = |is_watched: bool| {
        let mut game = State::new(&config, Seed::new(3));
        let seats = Seat::all(&game, Seed::new(3), |_, _| Commentator);
        let start = seats[0].actor().position();
        let mut seats: Vec<_> =
            seats.into_iter().map(|seat| if is_watched { seat.with_notes() } else { seat }).collect();
        let mut notes = Notes::default();
        let limits = Limits { steps: 8, ..Limits::default() };
        Rollout { limits, ..Rollout::default() }.play(&mut game, &mut seats, &mut notes);
        (start, notes.0)
    };
    let (start, notes) = play(true);
    assert!(notes.len() >= 8, "one with every decision");
    let here = Place { x: start.x, y: start.y };
    let expected = Note {
        text: format!("at {start}; all is well"),
        shapes: vec![
            Shape::Field(here),
            Shape::Line(here, Place { x: 0, y: 0 }),
            Shape::Label(here, "me".to_owned()),
        ],
    };
    assert_eq!(notes.iter().find(|(agent, _)| agent.index() == 0).unwrap().1, expected);
    assert_eq!(play(false).1, [], "nothing is worked out while nobody looks");
}

/// A note is in the replay, beside the action that it was noted with.
#[cfg(feature = "replay")]
#[test]
fn notes_are_recorded() {
    use sdk::local::replay::{Reader, Record, Writer};

    let (config, seed) = (small().check().unwrap(), Seed::new(3));
    let mut game = State::new(&config, seed);
    let mut writer = Writer::in_memory::<State>(&config, seed, "commentator", "tests");
    let mut seats: Vec<_> =
        Seat::all(&game, seed, |_, _| Commentator).into_iter().map(Seat::with_notes).collect();
    let limits = Limits { steps: 4, ..Limits::default() };
    Rollout { limits, ..Rollout::default() }.play(&mut game, &mut seats, &mut writer);
    let file = writer.finish().unwrap();
    let mut reader = Reader::open(&file[..]).unwrap();
    let mut notes = 0;
    while let Some(record) = reader.next_record().unwrap() {
        if let Record::Note { note, .. } = record {
            assert!(note.text.ends_with("; all is well"), "{}", note.text);
            assert_eq!(note.shapes.len(), 3);
            notes += 1;
        }
    }
    assert!(notes >= 4, "{notes} notes");
}
