//! The helpers for tests of single decisions.

use game_project::RawConfig;
use insta::assert_snapshot;
use sdk::prelude::*;
use sdk::testing::{Situation, told};

/// Remarks on its view, and does one thing.
struct Plain(Choice);

impl Strategy for Plain {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        let hand = view.own.hand;
        view.notes.remark(|| format!("hand {hand:?}"));
        self.0.clone()
    }
}

fn plain(action: &str) -> Plain {
    Plain(action.parse::<Action>().unwrap().into())
}

/// A board of every kind of field, with goal areas of two rows.
const BOARD: &str = "
    .   g   .   .   .
    .   .   *   .   .
    -----------------
    p   .   R0  .   R1!
    .   s   .   ps  .
    .   .   .   .   .
    .   B2  .   .   B3!
    -----------------
    .   .   *   .   .
    .   .   .   g   .";

#[test]
fn a_situation_shows_the_board_the_knowledge_and_the_choice() {
    let mut log = String::new();
    let mut show = |what: &str, situation: Situation, mut strategy: Plain| {
        log += &format!("# {what}\n{}\n", situation.decide(&mut strategy));
    };
    show("nothing is known", Situation::new(BOARD), plain("discover"));
    show("after a discovery", Situation::new(BOARD).after(&["discover"]), plain("move W"));
    show(
        "after a way, a piece and a check",
        Situation::new(BOARD).after(&["move W", "move W", "pick-up", "check"]),
        plain("move N"),
    );
    show("blocked by an ally", Situation::new(BOARD).after(&["#1 move W", "move E?"]), plain("move N"));
    show("asked by its leader", Situation::new(BOARD).after(&["#1 ask #0"]), plain("move N"));
    show(
        "told by its leader",
        Situation::new(BOARD).after(&["ask #1", "#1 answer #0 distances= red=?*5,N*5 blue="]),
        plain("move N"),
    );
    show(
        "a goal covered and a field tried",
        Situation::with(
            "
            .   g  g
            ---------
            p  R0+p .
            ---------
            .  B1  g",
            &RawConfig { landing_pick_up: false, ..RawConfig::default() },
            AgentId::new(0),
        )
        .after(&["move N", "put"]),
        Plain(Choice::Wait(SimTime::NEVER)),
    );
    let rules = RawConfig { move_penalty: 200, sham_piece_probability: 0.0, ..RawConfig::default() };
    show(
        "another agent by other rules",
        Situation::with(BOARD, &rules, AgentId::new(2)).after(&["move E"]),
        Plain(Choice::Wait(SimTime::from_millis(5_000))),
    );
    assert_snapshot!(log);
}

/// The signs of a drawn view, as its description names them.
#[test]
fn a_view_is_drawn_with_its_signs() {
    let situation = Situation::new(
        "
        .  *  g  .  g  .  .
        -------------------
        .  p  R0+p R1! .  .  .
        .  .  .  .  .  .  .
        .  .  .  .  B2 .  .
        -------------------
        .  g  g  .  .  .  .",
    );
    let bare = Situation::new(".  g  .\nR0+p . B1\n.  .  .\n.  g  .").after(&["discover"]);
    let told = ["ask #1", "#1 answer #0 distances=-*14,10,-*20 red=?,G,?,?,N,?*2 blue="];
    let known = situation.after(&told).after(&["move N", "put", "move S", "discover", "move E?"]);
    let drawn = [bare, known].map(|situation| situation.decide(&mut plain("discover")));
    assert_snapshot!(drawn.join("\n"));
}

/// The agents that were asked are known to the strategy until they answer.
#[test]
fn who_owes_an_answer_is_known() {
    struct Waiting;
    impl Strategy for Waiting {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            let asked: Vec<String> = view.own.asked.iter().map(ToString::to_string).collect();
            view.notes.remark(|| format!("asked: {}", asked.join(" ")));
            view.discover()
        }
    }
    let asked = |after: &[&str]| {
        let decision = Situation::new(BOARD).after(after).decide(&mut Waiting);
        decision.split("(asked: ").nth(1).unwrap().trim_end_matches(")\n").to_owned()
    };
    assert_eq!(asked(&[]), "");
    assert_eq!(asked(&["ask #1", "ask #2"]), "#1 #2");
    assert_eq!(asked(&["ask #1", "ask #2", "#1 answer #0 distances= red= blue="]), "#2");
}

/// One question without an answer is enough, unless the asked agent talks.
#[test]
fn who_does_not_answer_is_silent() {
    struct Asking;
    impl Strategy for Asking {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            let silent =
                AgentId::all(4).filter(|agent| view.is_silent(*agent)).map(|agent| agent.to_string());
            let silent: Vec<String> = silent.collect();
            view.notes.remark(|| format!("silent: {}", silent.join(" ")));
            view.discover()
        }

        fn answer(&mut self, _: &mut View<'_>, _: Question) -> Option<Information> {
            None
        }
    }
    let silent = |after: &[&str]| {
        let decision = Situation::new(BOARD).after(after).decide(&mut Asking);
        decision.split("(silent: ").nth(1).unwrap().trim_end_matches(")\n").to_owned()
    };
    assert_eq!(silent(&["discover"]), "");
    assert_eq!(silent(&["ask #1", "ask #2"]), "#1 #2");
    assert_eq!(silent(&["ask #1", "ask #2", "#1 answer #0 distances= red= blue="]), "#2");
    assert_eq!(silent(&["ask #1", "ask #2", "#2 ask #0"]), "#1", "it talks");
    assert_eq!(silent(&["ask #2", "#2 ask #0", "ask #2"]), "#2", "and is asked once more");
    assert_eq!(silent(&["#2 ask #0", "ask #2"]), "#2", "what it said before does not count");
}

/// In process as on the network: a fact that the messages have no word for counts as the specification has it.
#[test]
fn a_rollout_tells_what_the_network_tells() {
    struct Reader;
    impl Strategy for Reader {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            assert_eq!(view.penalty(ActionKind::PickUp), Millis::new(660));
            assert_eq!(view.penalty(ActionKind::Move), Millis::new(770));
            assert!(view.briefing.game.config.landing_pick_up());
            assert_eq!(view.briefing.game.config.goals(), 2);
            view.discover()
        }
    }
    let rules =
        RawConfig { pick_up_penalty: 660, move_penalty: 770, landing_pick_up: false, ..RawConfig::default() };
    Situation::with(BOARD, &rules, AgentId::new(0)).choose(&mut Reader);
}

/// The leader of the own team asks. No message tells an agent that a game goes without the rule that this binds it.
#[test]
fn a_leader_is_always_taken_to_need_an_answer() {
    struct Reader;
    impl Strategy for Reader {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            assert!(view.own.questions[0].must_answer && view.briefing.game.config.leader_binds());
            view.discover()
        }
    }
    for leader_binds in [true, false] {
        let rules = RawConfig { leader_binds, ..RawConfig::default() };
        let situation = Situation::with(BOARD, &rules, AgentId::new(0)).after(&["#1 ask #0"]);
        situation.choose(&mut Reader);
    }
}

/// A strategy that is asked after another one is begun and hears everything as well.
#[test]
fn a_situation_can_be_put_to_many() {
    /// Remarks on all messages that it has heard so far.
    #[derive(Default)]
    struct Diary(Vec<String>);

    impl Strategy for Diary {
        fn begin(&mut self, _: &mut View<'_>) {
            self.0.push("begun".to_owned());
        }

        fn hear(&mut self, _: &mut View<'_>, _: &Notice) {
            self.0.push("told".to_owned());
        }

        fn act(&mut self, view: &mut View<'_>) -> Choice {
            let drawn = view.chance.below(1_000_000);
            view.notes.remark(|| format!("{}, {drawn}", self.0.join(", ")));
            view.discover()
        }
    }

    let situation = Situation::new(BOARD).after(&["discover", "move W"]);
    let first = situation.decide(&mut Diary::default());
    assert!(first.contains("(begun, told, told, "), "{first}");
    assert_eq!(situation.decide(&mut Diary::default()), first, "with the same chance");
}

#[test]
fn choices_in_words() {
    assert_eq!(told(&Action::Move(Direction::West).into()), "move W");
    assert_eq!(told(&Choice::Wait(SimTime::from_millis(1_500))), "wait until 1.500 s");
    assert_eq!(told(&Choice::Wait(SimTime::NEVER)), "wait until something is heard");
}

/// The faults of such a test are named at once.
#[test]
fn faults_of_a_test_are_named() {
    let panics = |situation: &dyn Fn()| {
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(situation)).unwrap_err();
        caught.downcast_ref::<String>().cloned().unwrap()
    };
    assert!(panics(&|| drop(Situation::new(BOARD).after(&["fly"]))).contains("fly"));
    assert!(panics(&|| drop(Situation::new(BOARD).after(&["put"]))).starts_with("`put`: "));
    assert!(panics(&|| drop(Situation::new(BOARD).after(&["#1"]))).contains("no action"));
    assert!(panics(&|| drop(Situation::new("R0 ?"))).contains('?'));
    let blunder = panics(&|| drop(Situation::new(BOARD).choose(&mut plain("put"))));
    assert!(blunder.contains("it has no piece") && blunder.contains("@"), "{blunder}");
}

/// A decision may be asked for as often as one likes.
#[test]
fn deciding_changes_nothing() {
    let situation = Situation::new(BOARD).after(&["#1 ask #0"]);
    let first = situation.decide(&mut plain("move N"));
    assert_eq!(situation.decide(&mut plain("move N")), first);
}

#[cfg(feature = "replay")]
mod recorded {
    use game_env::Witness;
    use game_env::replay::Playback;
    use game_project::Event;
    use sdk::local::Seat;
    use sdk::local::replay::Writer;
    use sdk::local::{Environment, Limits, Rollout, State};
    use sdk::testing::decisions;

    use super::*;

    /// Carries pieces home and puts them anywhere.
    struct Carrier {
        checks: bool,
    }

    impl Strategy for Carrier {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            let here = view.position();
            let target = match view.own.hand {
                Hand::Unchecked if self.checks => return view.check(),
                Hand::Unchecked | Hand::Real => view.knowledge.open().nearest(here),
                Hand::Empty if view.area() == Area::Task && view.distance() == Some(Distance::new(0)) => {
                    return view.pick_up();
                }
                Hand::Empty => view.knowledge.nearest_piece(),
            };
            match target {
                Some(field) if field == here => view.put(),
                Some(field) if view.chance.happens(0.9) => {
                    view.direction_to(field).map_or(Action::Discover, Action::Move).into()
                }
                _ => view.discover(),
            }
        }
    }

    fn recorded() -> Vec<u8> {
        let raw = RawConfig {
            board_x: 5,
            board_y: 8,
            goal_area_height: 2,
            number_of_goals: 2,
            number_of_pieces: 3,
            ..RawConfig::default()
        };
        let (config, seed) = (raw.check().unwrap(), Seed::new(5));
        let mut game = State::new(&config, seed);
        let mut writer = Writer::in_memory::<State>(&config, seed, "carrier", "tests");
        let mut seats = Seat::all(&game, seed, |_, _| Carrier { checks: false });
        let limits = Limits { steps: 120, ..Limits::default() };
        Rollout { limits, ..Rollout::default() }.play(&mut game, &mut seats, &mut writer);
        writer.finish().unwrap()
    }

    /// In the place of an agent that plays the same strategy it would have done the same, chance included.
    #[test]
    fn the_same_strategy_decides_as_it_did() {
        let replay = recorded();
        for agent in AgentId::all(4) {
            let told = decisions(&replay[..], agent, Carrier { checks: false }).unwrap();
            assert!(told.lines().count() > 20 && !told.contains(", not "), "{agent}\n{told}");
        }
    }

    /// A recorded decision can be asked for again, with the fields and the chance of that moment.
    #[test]
    fn a_recorded_decision_becomes_a_situation() {
        let replay = recorded();
        let mut playback = Playback::<State>::open(&replay[..]).unwrap();
        let mut actions = Actions::default();
        playback.run(&mut actions).unwrap();
        let of_agent: Vec<_> = actions.0.iter().filter(|(_, agent, _)| agent.index() == 1).collect();
        assert!(of_agent.len() > 20);
        for (number, (at, agent, action)) in of_agent.into_iter().enumerate() {
            let situation = Situation::recorded(&replay[..], *agent, number).unwrap();
            assert_eq!(situation.now(), *at);
            let choice = situation.choose(&mut Carrier { checks: false });
            assert_eq!(choice, Choice::Act(action.clone()), "action {number}");
            assert_eq!(situation.choose(&mut Carrier { checks: false }), choice, "asking changes nothing");
        }
        // With a piece in hand it would have looked at it first.
        let mut of_agent = actions.0.iter().filter(|(_, agent, _)| agent.index() == 1);
        let put = of_agent.position(|(_, _, action)| *action == Action::Put).expect("it puts a piece");
        let situation = Situation::recorded(&replay[..], AgentId::new(1), put).unwrap();
        insta::assert_snapshot!(situation.decide(&mut Carrier { checks: true }));
        // Actions after it count as well.
        let checked = situation.clone().after(&["check"]);
        assert!(checked.now() > situation.now());
        assert_ne!(checked.choose(&mut Carrier { checks: true }), Choice::Act(Action::Check));
        let panics = std::panic::catch_unwind(|| Situation::recorded(&replay[..], AgentId::new(1), 9_999));
        let told = panics.unwrap_err().downcast_ref::<String>().cloned().unwrap();
        assert!(told.starts_with("agent #1 has no action 9999 in this replay: expected 0 to "), "{told}");
    }

    /// The actions of a game with their moments and agents.
    #[derive(Default)]
    struct Actions(Vec<(SimTime, AgentId, Action)>);

    impl Witness<State> for Actions {
        fn event(&mut self, _: SimTime, _: &Event) {}

        fn action(&mut self, _: &State, now: SimTime, agent: AgentId, action: &Action) {
            self.0.push((now, agent, action.clone()));
        }
    }

    /// Waits now and then for a moment that it draws, and draws when it hears something.
    struct Dawdler(u32);

    impl Strategy for Dawdler {
        fn hear(&mut self, view: &mut View<'_>, _: &Notice) {
            self.0 = view.chance.below(2);
        }

        fn act(&mut self, view: &mut View<'_>) -> Choice {
            if view.chance.happens(0.4) {
                return Choice::Wait(view.now + Millis::new(1 + view.chance.below(900)));
            }
            let ways: Vec<_> = Direction::ALL.into_iter().filter(|way| view.is_passable(*way)).collect();
            if self.0 == 0 {
                view.discover()
            } else {
                Action::Move(ways[view.chance.index(ways.len())]).into()
            }
        }
    }

    /// A replay does not hold the moments at which a strategy chose to wait: its random numbers must not depend on
    /// them.
    #[test]
    fn a_strategy_that_waits_repeats_its_own_game() {
        let path = std::env::temp_dir().join(format!("sdk-dawdler-{}.jsonl.zst", std::process::id()));
        let config = RawConfig::default().check().unwrap();
        let game = sdk::local::Game::new(&config, Seed::new(5)).most_decisions(400);
        game.record(&path, |_, _| Dawdler(0)).unwrap();
        for agent in AgentId::all(4) {
            let told = decisions(std::fs::File::open(&path).unwrap(), agent, Dawdler(0)).unwrap();
            assert!(told.lines().count() > 50 && !told.contains(", not "), "{agent}\n{told}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn another_strategy_is_told_where_it_differs() {
        let told = decisions(&recorded()[..], AgentId::new(1), Carrier { checks: true }).unwrap();
        assert_snapshot!(told);
    }

    #[test]
    fn an_agent_that_does_not_play_is_named_with_those_that_do() {
        let replay = recorded();
        let panic = std::panic::catch_unwind(|| {
            decisions(&replay[..], AgentId::new(99), Carrier { checks: true }).map(|_told| ())
        });
        let panic = panic.expect_err("nobody has this id");
        let told = panic.downcast_ref::<String>().expect("it has a message");
        assert!(told.starts_with("no agent #99 plays in this replay: expected #0 to #"), "{told}");
    }

    #[test]
    fn a_file_that_is_no_replay_is_an_error() {
        assert!(decisions(&b"{}"[..], AgentId::new(0), Carrier { checks: true }).is_err());
    }
}

/// Only a part of a large board is drawn, also if the board is large in one direction alone.
#[test]
fn a_drawing_says_which_part_of_a_large_board_it_shows() {
    let drawn = |columns: usize, rows: usize| {
        let row = |first: &str| format!("{first}{}\n", " .".repeat(columns - 1));
        let board = format!("{}---\n{}{}---\n{}", row("."), row("R0"), row(".").repeat(rows - 3), row("."));
        Situation::with(&board, &RawConfig::default(), AgentId::new(0)).see(|view| view.to_string())
    };
    let has_part = |drawn: &str| drawn.lines().nth(1).is_some_and(|line| line.starts_with("around "));
    assert_eq!(
        [(40, 40), (41, 5), (3, 41)].map(|(columns, rows)| has_part(&drawn(columns, rows))),
        [false, true, true]
    );
    assert_eq!(drawn(3, 60).lines().count(), 2 + 40);
}
