//! Decisions of every strategy in situations made by hand, and in the place of an agent of a recorded game.
//!
//! A snapshot shows the board, the agent's knowledge of it, and the choice of each strategy.

use game_env::replay::Writer;
use game_env::rollout::Limits;
use game_env::{AgentId, Environment, Rollout, Seed, SimTime, Witness};
use game_project::{Action, Question, RawConfig, State};
use insta::assert_snapshot;
use sdk::local::Seat;
use sdk::prelude::{Choice, Direction, GoalBelief, Information, Strategy, Team, View};
use sdk::testing::{Situation, decisions};
use strategies::project::registry::{BoxedStrategy, ENTRIES, Entry, LineUp};

const RED_AT_THE_TOP: &str = "
    . g . . . .
    -----------
    . . . . . .
    . . . p . .
    . R0 . . . .
    . . . . . .
    . . . . B1 .
    -----------
    . . . . g .";

/// The situations, with their descriptions.
fn situations() -> Vec<(&'static str, Situation)> {
    let open = Situation::new(RED_AT_THE_TOP);
    let rules = RawConfig { sham_piece_probability: 0.05, ..RawConfig::default() };
    let way = ["discover", "move N", "move E", "move E"];
    vec![
        ("nothing is known: a look around, or a step that may be wrong", open.clone()),
        ("all is known: nearer by north and by east", open.clone().after(&["discover"])),
        ("a piece lies here", open.clone().after(&way)),
        ("a piece in hand, which every second time is a sham", open.clone().after(&way).after(&["pick-up"])),
        (
            "the same, which hardly ever is a sham",
            Situation::with(RED_AT_THE_TOP, &rules, AgentId::new(0)).after(&way).after(&["pick-up"]),
        ),
        (
            "in the goal area with a real piece, on an untried field",
            open.clone().after(&way).after(&["pick-up", "check", "move N", "move N"]),
        ),
        (
            "the same, the field tried: it is no goal",
            open.clone().after(&way).after(&["pick-up", "check", "move N", "move N", "put"]),
        ),
        (
            "somebody stands in the way home",
            Situation::new(
                "
                . g . .
                -------
                . B1 . .
                . R0+p . .
                . . . .
                -------
                . . g .",
            )
            .after(&["check", "move N?"]),
        ),
        (
            "the leader asks",
            Situation::new(
                "
                . g . .
                -------
                . . . .
                . R0 R1! .
                . . . B2
                -------
                . . g .",
            )
            .after(&["discover", "#1 ask #0"]),
        ),
        (
            "an enemy asks",
            Situation::new(
                "
                . g . .
                -------
                . . . .
                . R0 . .
                . . . B1
                -------
                . . g .",
            )
            .after(&["discover", "#1 ask #0"]),
        ),
    ]
}

/// The liar's answers to two questions, early and late in a game in which much is known.
#[test]
fn the_liar_when_it_is_asked() {
    let mut situation = Situation::new(
        "
        . g . . g .
        . . . . . .
        -----------
        . . . p . .
        . R0 R1 . . .
        . . . . . .
        . . . . B2 .
        -----------
        . . . . g .
        . g . . . .",
    )
    .after(&["discover", "move E?", "move S", "discover", "#1 ask #0"]);
    let liar = Entry::find("liar").expect("it is shipped");
    let mut text = format!("## early\n\n{}\n", situation.decide(&mut liar.construct()));
    // Half an hour of walking to and fro.
    for _ in 0..600 {
        situation = situation.after(&["move N", "move S"]);
    }
    let late = situation.decide(&mut liar.construct());
    text += &format!("## late\n\n{late}\n");
    let answer = |decision: &str| decision.split("chooses: ").nth(1).unwrap().to_owned();
    let said: Information = answer(&late).split_once("#1 ").unwrap().1.trim_end().parse().unwrap();
    let again = situation.after(&["answer #1 distances= red= blue=", "#1 ask #0"]);
    assert_eq!(answer(&again.decide(&mut liar.construct())), answer(&late), "it says the same again");
    let goals = said.goals[Team::Red].iter().filter(|belief| **belief == GoalBelief::Goal).count();
    assert_eq!(goals, 1, "half as many as there are, so that nobody can count them");
    assert_snapshot!(text);
}

/// The leader's columns are the western half. When it has tried them it asks the owner of the next field, and with an
/// answer it goes on as well as without.
#[test]
fn coordinated_when_its_own_share_is_used_up() {
    let rules = RawConfig { landing_pick_up: false, sham_piece_probability: 0.0, ..RawConfig::default() };
    let board = "
        .       g   .   g
        -----------------
        ppR0!+p .   .   .
        .       .   .   .
        .       .   .   R1
        .       .   .   B2
        -----------------
        .       g   g   .";
    let one = Situation::with(board, &rules, AgentId::new(0)).after(&["move N", "put", "move S", "pick-up"]);
    let none = one.clone().after(&["move E", "move N", "put"]).after(&["move S", "move W"]);
    let none = none.after(&["pick-up"]);
    let situations = [
        ("one own field is left: nobody is asked", one),
        ("none is left: the owner of the next is asked", none.clone()),
        (
            "it has tried the next field: the one after that",
            none.after(&["ask #1", "#1 answer #0 distances= red=?*2,N,? blue="]),
        ),
    ];
    let coordinated = Entry::find("coordinated").expect("it is shipped");
    let mut text = String::new();
    for (what, situation) in situations {
        text += &format!("## {what}\n\n{}\n", situation.decide(&mut coordinated.construct()));
    }
    assert_snapshot!(text);
}

/// Two pieces are equally near: each agent takes the one in its own columns, so that mates do not meet.
#[test]
fn coordinated_keeps_to_its_lane() {
    let board = "
        . . g . . . .
        --------------
        . . . . . . .
        . p . AGENT . p .
        . . . . . . .
        MATE . . . . . B2
        --------------
        . . . g . . .";
    let choice = |strategy: &str, agent: &str, mate: &str, id| {
        let board = board.replace("AGENT", agent).replace("MATE", mate);
        let situation = Situation::with(&board, &RawConfig::default(), AgentId::new(id)).after(&["discover"]);
        let strategy: LineUp = strategy.parse().expect("a strategy");
        situation.choose(&mut strategy.construct(0))
    };
    let (west, east) =
        (Choice::Act(Action::Move(Direction::West)), Choice::Act(Action::Move(Direction::East)));
    // `#0` owns the western half, `#1` the eastern one.
    assert_eq!(choice("coordinated", "R0!", "R1", 0), west);
    assert_eq!(choice("coordinated", "R1", "R0!", 1), east);
    // As with the agents of other strategies, the leader's share is that of its id.
    assert_eq!(choice("coordinated", "R0", "R1!", 0), west);
    assert_eq!(choice("coordinated", "R1!", "R0", 1), east);
    let both = ["R0!", "R1"].map(|own| {
        let (mate, id) = if own == "R1" { ("R0!", 1) } else { ("R1", 0) };
        choice("coordinated:lanes=0", own, mate, id)
    });
    assert_ne!(both, [west, east], "without lanes they do not part");
}

/// An agent with a piece repeats a refused move twice before it gives way.
#[test]
fn coordinated_insists_with_a_piece() {
    let board = "
        g . .
        -----
        B1 . .
        R0+p . .
        . . .
        -----
        g . .";
    let rules = RawConfig { sham_piece_probability: 0.0, ..RawConfig::default() };
    let after = |strategy: &str, refused: &[&str]| {
        let strategy: LineUp = strategy.parse().expect("a strategy");
        Situation::with(board, &rules, AgentId::new(0)).after(refused).choose(&mut strategy.construct(0))
    };
    let north = Choice::Act(Action::Move(Direction::North));
    assert_eq!(after("coordinated", &["move N?"]), north);
    assert_ne!(after("coordinated:pushes=0", &["move N?"]), north, "it takes the field for occupied");
}

/// Statements about fields that are a third agent's to try close none of them; statements of an agent about its own
/// fields are believed.
#[test]
fn coordinated_believes_owners_alone() {
    let rules = RawConfig { landing_pick_up: false, sham_piece_probability: 0.0, ..RawConfig::default() };
    let board = "
        .       g   g
        -------------
        ppR0!+p .   .
        .       R1  R2
        .       .   B3
        -------------
        .       g   g";
    let tried = ["move N", "put", "move S", "pick-up"];
    let after = |said: &str| {
        let answer = format!("#2 answer #0 distances= red={said} blue=");
        let situation =
            Situation::with(board, &rules, AgentId::new(0)).after(&tried).after(&["ask #2", &answer]);
        let coordinated = Entry::find("coordinated").expect("it is shipped");
        situation.decide(&mut coordinated.construct())
    };
    // Its own column is the first, those of the others are the second and the third.
    let nearest = after("?,N,?");
    assert!(nearest.contains("2 moves to 1,4"), "{nearest}");
    let own = after("?,?,N");
    assert!(own.contains("2 moves to 1,4"), "{own}");
}

/// An agent that does not answer is given up, and the work goes on without it.
#[test]
fn a_deaf_owner_is_asked_once() {
    struct Deaf;
    impl Strategy for Deaf {
        fn act(&mut self, view: &mut View<'_>) -> Choice {
            view.wait_for_message()
        }

        fn answer(&mut self, _: &mut View<'_>, _: Question) -> Option<Information> {
            None
        }
    }
    /// Counts questions.
    #[derive(Default)]
    struct Questions(u32);
    impl Witness<State> for Questions {
        fn action(&mut self, _: &State, _: SimTime, _: AgentId, action: &Action) {
            self.0 += u32::from(matches!(action, Action::Ask(_)));
        }
    }
    let raw = RawConfig {
        board_x: 6,
        board_y: 10,
        goal_area_height: 2,
        number_of_goals: 4,
        ..RawConfig::default()
    };
    let coordinated = Entry::find("coordinated").expect("it is shipped");
    let mut asked = 0;
    for seed in (0..10).map(Seed::new) {
        let mut game = State::new(&raw.check().expect("a board that can be played"), seed);
        // The leader must be answered, so the leader is the deaf agent.
        let mut seats = Seat::all(&game, seed, |agent, team| -> BoxedStrategy {
            let leads = game.briefing(agent).leader() == Some(agent);
            if leads || team == Team::Blue { Box::new(Deaf) } else { coordinated.construct() }
        });
        let mut questions = Questions::default();
        // In one of these games the deaf agent never leaves the last goal: red leads, but cannot cover it.
        let limits = Limits { steps: 1_000, ..Limits::default() };
        let episode = Rollout { limits, ..Rollout::default() }.play(&mut game, &mut seats, &mut questions);
        assert_eq!(episode.outcome.winner(), Some(Team::Red.into()), "seed {seed}");
        assert!(questions.0 <= 1, "seed {seed}: {} questions", questions.0);
        asked += questions.0;
    }
    assert!(asked > 0, "nobody was asked in any game");
}

/// A strategy that takes no time to decide: the snapshots show what it decides.
fn at_once(entry: &'static Entry) -> BoxedStrategy {
    let thinks = entry.parameters.iter().any(|parameter| parameter.name == "thinkMs");
    let text = if thinks { format!("{}:thinkMs=0", entry.name) } else { entry.name.to_owned() };
    text.parse::<LineUp>().expect("a strategy").construct(0)
}

/// An agent that takes time to decide waits before it acts.
#[test]
fn an_agent_that_thinks_waits_before_each_action() {
    let situation = Situation::new(RED_AT_THE_TOP);
    let make = |text: &str| text.parse::<LineUp>().expect("a strategy").construct(0);
    let waits = situation.choose(&mut make("scanner:thinkMs=40"));
    assert_eq!(waits, Choice::Wait(SimTime::from_millis(40)));
    assert_eq!(situation.choose(&mut make("scanner:thinkMs=0")), Choice::Act(Action::Discover));
}

fn in_all_situations(entry: &'static Entry) -> String {
    let mut text = String::new();
    for (what, situation) in situations() {
        let mut strategy = at_once(entry);
        text += &format!("## {what}\n\n{}\n", situation.decide(&mut strategy));
    }
    text
}

#[test]
fn every_strategy_in_every_situation() {
    for entry in ENTRIES {
        assert_snapshot!(format!("{}_in_situations", entry.name), in_all_situations(entry));
    }
}

/// A game of coordinated agents against greedy ones.
fn recorded(team_size: i64) -> Vec<u8> {
    let raw = RawConfig {
        board_x: 6,
        board_y: 10,
        goal_area_height: 2,
        number_of_goals: 2,
        number_of_pieces: 4,
        sham_piece_probability: 0.25,
        team_size,
        ..RawConfig::default()
    };
    let (config, seed) = (raw.check().expect("a board that can be played"), Seed::new(5));
    let mut game = State::new(&config, seed);
    let teams: [LineUp; 2] = ["coordinated", "greedy"].map(|text| text.parse().expect("a strategy"));
    let mut writer = Writer::in_memory::<State>(&config, seed, "recorded", "tests 1.0");
    let mut seats = Seat::all(&game, seed, |agent, team| teams[team as usize].construct(agent.index()));
    Rollout::default().play(&mut game, &mut seats, &mut writer);
    writer.finish().expect("a vector takes all that is written")
}

#[test]
fn every_strategy_in_the_place_of_a_recorded_agent() {
    let replay = recorded(2);
    for entry in ENTRIES {
        let text = decisions(&replay[..], AgentId::new(0), at_once(entry)).expect("it was just recorded");
        assert_snapshot!(format!("{}_in_a_recorded_game", entry.name), text);
    }
}

/// In its own place a strategy does what it did, although a replay does not hold the moments at which it chose to wait.
#[test]
fn a_strategy_repeats_its_own_game() {
    let coordinated = Entry::find("coordinated").expect("it is shipped");
    for (team_size, agent) in [(1, 0), (2, 0), (2, 1)] {
        let text = decisions(&recorded(team_size)[..], AgentId::new(agent), coordinated.construct())
            .expect("it was just recorded");
        assert!(text.lines().filter(|line| line.contains(" s ")).count() > 20, "{text}");
        assert!(!text.contains(", not "), "{text}");
    }
}
