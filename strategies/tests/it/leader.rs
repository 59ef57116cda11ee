//! `leader`: the distribution of goal fields by its leader, and the treatment of orders by its agents.

use game_env::{AgentId, Environment, Seed};
use game_project::{Action, Preset, RawConfig, State};
use sdk::local::Game;
use sdk::prelude::{Choice, Direction, Information, Question, Strategy, Team, View};
use sdk::testing::Situation;
use strategies::project::registry::{BoxedStrategy, Entry};

/// Each agent of red owns a column: the leader the first, `#1` the second, `#2` the third.
const TWO_ROWS: &str = "
    .  g  .
    g  .  .
    -------
    p  R0! .
    .  R1 R2
    .  .  B3
    -------
    .  .  g
    .  g  .";

/// The same with one goal field for each; `#1` has a piece in hand, and two more below it.
const ONE_ROW: &str = "
    .   g       g
    -------------
    .   ppR1+p  .
    R0! .       R2
    .   .       B3
    -------------
    g   g       .";

/// Each agent of red owns three fields.
const THREE_ROWS: &str = "
    .  g  .
    g  .  .
    .  .  g
    -------
    p  R0! .
    .  R1 R2
    .  .  B3
    -------
    g  .  .
    .  .  g
    .  g  .";

fn leader() -> BoxedStrategy {
    Entry::find("leader").expect("it is shipped").construct()
}

/// Returns the choice of the leader after these actions.
fn choice(after: &[&str]) -> Choice {
    Situation::new(TWO_ROWS).after(after).choose(&mut leader())
}

/// Returns the order in the choice of the leader: its receiver, and its text about red's and blue's goal fields.
fn order(after: &[&str]) -> (AgentId, String) {
    let Choice::Act(Action::Answer { to, information }) = choice(after) else {
        panic!("no answer after {after:?}: {:?}", choice(after));
    };
    let text = information.to_string();
    let (_, goals) = text.split_once(' ').expect("distances, red, blue");
    (to, goals.to_owned())
}

fn ask(agent: u16) -> Choice {
    Choice::Act(Action::Ask(AgentId::new(agent)))
}

const ONE: AgentId = AgentId::new(1);

/// Red's field in the north-east is the mirror image of blue's in the south-west, which is the first of its list.
const NORTH_EAST: &str = "red=?*6 blue=?,N*5";
const NORTH_WEST: &str = "red=?*6 blue=N*2,?,N*3";

/// The agent with the most work left reports first, and gives up the outer half.
#[test]
fn an_agent_without_work_gets_the_outer_half_of_anothers() {
    assert_eq!(choice(&["#1 ask #0"]), ask(2));
    let reported = ["#1 ask #0", "ask #2", "#2 answer #0 distances= red=?*6 blue=?*6"];
    assert_eq!(order(&reported), (ONE, NORTH_EAST.to_owned()));
}

/// The leader knows what it has left itself.
#[test]
fn with_nothing_left_elsewhere_the_leader_gives_of_its_own() {
    let reported = ["#1 ask #0", "ask #2", "#2 answer #0 distances= red=?*2,N,?*2,N blue=?*6"];
    assert_eq!(order(&reported), (ONE, NORTH_WEST.to_owned()));
}

#[test]
fn the_fields_of_a_lost_agent_are_dealt_without_waiting_for_it() {
    assert_eq!(order(&["ask #2", "#1 ask #0"]), (ONE, NORTH_EAST.to_owned()));
}

/// An agent that claims more tries than the time allows is taken to have tried nothing.
#[test]
fn the_claims_of_a_liar_close_no_field() {
    let lied = ["#1 ask #0", "ask #2", "#2 answer #0 distances= red=N*6 blue=?*6"];
    assert_eq!(order(&lied), (ONE, NORTH_EAST.to_owned()));
}

/// It cannot have tried three fields before the leader has tried one, so it plays in an order of its own. What it was
/// dealt stays with it.
#[test]
fn an_agent_that_asks_before_it_can_be_out_of_work_gets_no_order() {
    let asked = Situation::new(THREE_ROWS).after(&["#1 ask #0"]);
    let Choice::Act(Action::Answer { to: ONE, information }) = asked.choose(&mut leader()) else {
        panic!("no answer: {:?}", asked.choose(&mut leader()));
    };
    let text = information.to_string();
    assert!(text.ends_with(" red=?*9 blue=?*9"), "{text}");
}

#[test]
fn an_enemy_gets_neither_an_answer_nor_an_order() {
    assert!(!matches!(choice(&["#3 ask #0"]), Choice::Act(Action::Answer { .. })));
}

fn out_of_work(after: &[&str]) -> Situation {
    let rules = RawConfig { landing_pick_up: false, sham_piece_probability: 0.0, ..RawConfig::default() };
    let tried = ["move N", "put", "move S", "pick-up"];
    Situation::with(ONE_ROW, &rules, ONE).after(&tried).after(after)
}

#[test]
fn an_agent_without_work_asks_its_leader_and_obeys() {
    assert_eq!(out_of_work(&[]).choose(&mut leader()), ask(0));
    let east = out_of_work(&["ask #0", "#0 answer #1 distances= red=?*3 blue=?,N*2"]);
    let told = east.decide(&mut leader());
    assert!(told.contains("2 moves to 2,4"), "{told}");
    let west = out_of_work(&["ask #0", "#0 answer #1 distances= red=?*3 blue=N*2,?*1"]);
    let told = west.decide(&mut leader());
    assert!(told.contains("2 moves to 0,4"), "{told}");
}

/// With a leader of another strategy it goes on as `coordinated` does.
#[test]
fn an_answer_without_an_order_makes_an_agent_coordinated() {
    let plain = out_of_work(&["ask #0", "#0 answer #1 distances= red=N,?*2 blue=?*3"]);
    let mut coordinated = Entry::find("coordinated").expect("it is shipped").construct();
    assert_eq!(plain.choose(&mut leader()), plain.choose(&mut coordinated));
    assert_eq!(plain.choose(&mut leader()), ask(2), "the owner of the only field that is left");
}

/// The agent stands on the outer one of its two fields. When the leader asks, it gives that one up.
#[test]
fn a_question_of_the_leader_takes_the_outer_half() {
    let board =
        TWO_ROWS.replace(".  g  .\n    g  .", ".  gR1+p  .\n    g  .").replace(".  R1 R2", ".  .  R2");
    let rules = RawConfig { sham_piece_probability: 0.0, ..RawConfig::default() };
    let situation = Situation::with(&board, &rules, ONE);
    assert_eq!(situation.choose(&mut leader()), Choice::Act(Action::Put));
    let asked = situation.after(&["#0 ask #1", "answer #0 distances= red=?*6 blue=?*6"]);
    assert_eq!(asked.choose(&mut leader()), Choice::Act(Action::Move(Direction::South)));
}

/// Orders look like knowledge about the other team's goals, which no other strategy uses.
#[test]
fn orders_do_not_mislead_other_strategies() {
    for name in ["coordinated", "greedy", "climber", "scanner", "sweeper", "asker", "liar"] {
        let after = |blue: &str| {
            let answer = format!("#0 answer #1 distances= red=N,?*2 blue={blue}");
            let mut strategy = Entry::find(name).expect("it is shipped").construct();
            out_of_work(&["ask #0", &answer]).choose(&mut strategy)
        };
        assert_eq!(after("?,N*2"), after("?*3"), "{name}");
    }
}

/// Answers its leader and does nothing else, as an agent that cannot move.
struct Jammed;

impl Strategy for Jammed {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        view.wait_for_message()
    }
}

/// Answers no agent, as one that is lost.
struct Lost;

impl Strategy for Lost {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        view.wait_for_message()
    }

    fn answer(&mut self, _: &mut View<'_>, _: Question) -> Option<Information> {
        None
    }
}

/// With a mate that does no work, its share is dealt out to the others, and the team wins.
#[test]
fn a_team_wins_with_an_agent_that_does_no_work() {
    let idle: [fn() -> BoxedStrategy; 2] = [|| Box::new(Jammed), || Box::new(Lost)];
    for make_idle in idle {
        let raw = RawConfig { team_size: 4, goal_area_height: 2, ..Preset::Quick.raw() };
        let config = raw.check().expect("a board that can be played");
        let mut won = 0;
        for seed in (0..6).map(Seed::new) {
            let game = State::new(&config, seed);
            let mut others = AgentId::all(game.agents()).filter(|agent| {
                game.team(*agent) == Team::Red.into() && game.briefing(*agent).leader() != Some(*agent)
            });
            let idle = others.next();
            let played = Game::new(&config, seed).play(|agent, team| {
                if team == Team::Blue || Some(agent) == idle { make_idle() } else { leader() }
            });
            won += u32::from(played.winner() == Some(Team::Red));
        }
        assert!(won >= 5, "{won} of 6: an idle agent may stand on a goal");
    }
}
