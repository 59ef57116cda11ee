//! The beliefs of an agent: about goals, with their sources; its answers to others; and the memory that all that takes.

use std::sync::Arc;

use game_env::Environment;
use game_project::{RawConfig, State};
use proptest::collection::vec;
use proptest::prelude::{Just, any, prop_assert, prop_assert_eq, prop_assume, prop_oneof, proptest};
use sdk::driver::actor::Actor;
use sdk::knowledge::{Knowledge, LONGEST_MESSAGE};
use sdk::local::Seat;
use sdk::prelude::*;
use wire::project::{AgentNumber, Dialect, Request, Writer};

/// Red's agent #0 of three, on a board whose goal areas have four fields each: 0,5 to 3,5 are red's. It says of no
/// field that it is a goal, so that any may be.
fn agent() -> Actor {
    on_board(".  .  .  .")
}

/// The same with red's goals as this row says.
fn on_board(goals: &str) -> Actor {
    let board = "
        R0 R1 R2 .
        .  .  .  .
        .  .  .  .
        B3 B4 .  .
        .  .  .  .";
    let rows = board.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = std::iter::once(goals).chain(rows).collect();
    let game = State::from_board(&lines.join("\n"), Seed::new(0)).unwrap();
    Seat::new(&game, AgentId::new(0), Seed::new(0), Deaf).actor_mut().clone()
}

/// The fields of red's goal area, by their columns.
fn field(x: u16) -> Position {
    Position::new(x, 5)
}

fn at(seconds: u64) -> SimTime {
    SimTime::from_millis(1000 * seconds)
}

/// Agent `by` says of red's goal area: `?`, `N` or `G` for each of the four fields.
fn told(actor: &mut Actor, seconds: u64, by: u16, red: &str) {
    let red: Vec<String> = red.chars().map(String::from).collect();
    let information: Information = format!("distances= red={} blue=", red.join(",")).parse().unwrap();
    actor.hear(
        at(seconds),
        Notice::Answered { by: Some(AgentId::new(by)), information: Arc::new(information) },
    );
}

/// The agent puts a real piece on a field.
fn puts(actor: &mut Actor, seconds: u64, x: u16, result: PutResult) {
    actor.hear(at(seconds), Notice::MoveRefused { position: Some(field(x)), reason: None });
    actor.hear(at(seconds), Notice::Put { result: Some(result) });
}

fn trust(actor: &Actor, agent: u16) -> f64 {
    actor.knowledge().trust(AgentId::new(agent))
}

/// Trust at first, without checked statements: in allies, and in enemies.
const AT_FIRST: [f64; 2] = [0.8, 1.0 / 21.0];

fn is_as(trust: f64, expected: f64) -> bool {
    (trust - expected).abs() < f64::EPSILON
}

/// The columns of the fields that are worth a try.
fn open(actor: &Actor) -> Vec<u16> {
    actor.knowledge().open().iter().map(|at| at.x).collect()
}

#[test]
fn what_trusted_agents_say_closes_fields() {
    let mut actor = agent();
    assert_eq!(open(&actor), [0, 1, 2, 3]);
    told(&mut actor, 1, 1, "N???");
    assert_eq!(open(&actor), [1, 2, 3], "no goal");
    told(&mut actor, 2, 1, "?G??");
    assert_eq!(open(&actor), [2, 3], "an ally that knows of a goal has covered it");
    told(&mut actor, 3, 3, "??G?");
    assert_eq!(open(&actor), [2, 3], "an enemy that knows of a goal cannot have");
    told(&mut actor, 4, 3, "???N");
    assert_eq!(open(&actor), [2, 3], "nor does an enemy's word count that nothing has borne out");
    told(&mut actor, 4, 2, "???N");
    assert_eq!(open(&actor), [2]);
    puts(&mut actor, 5, 2, PutResult::OnGoal);
    assert_eq!(actor.knowledge().points(), 1);
    assert_eq!(
        actor.knowledge().goal(field(2)).unwrap().from,
        Source::Own,
        "what it saw itself stands above"
    );
}

#[test]
fn a_lie_that_is_found_out_ends_trust_and_opens_what_it_closed() {
    let mut actor = agent();
    told(&mut actor, 1, 1, "NN??");
    told(&mut actor, 2, 2, "??N?");
    assert_eq!(open(&actor), [3]);
    puts(&mut actor, 3, 0, PutResult::OnGoal);
    assert!(trust(&actor, 1) < Knowledge::TRUSTED, "{}", trust(&actor, 1));
    assert!(is_as(trust(&actor, 2), AT_FIRST[0]), "nobody else is blamed");
    assert_eq!(open(&actor), [1, 3], "what the other one closed stays closed");
    assert_eq!(actor.knowledge().goal(field(1)), None, "what a liar says is not believed");
    told(&mut actor, 4, 1, "?N?N");
    assert_eq!(open(&actor), [1, 3], "nor what it says from then on");
}

#[test]
fn an_enemys_false_claim_is_found_out_either_way() {
    let mut actor = agent();
    told(&mut actor, 1, 3, "G???");
    puts(&mut actor, 2, 0, PutResult::OnNoGoal);
    assert!(trust(&actor, 3) < AT_FIRST[1], "no enemy can have covered it");
    puts(&mut actor, 3, 1, PutResult::OnNoGoal);
    told(&mut actor, 4, 4, "?G??");
    assert!(trust(&actor, 4) < AT_FIRST[1], "the agent knew better when it was said");
    // Of a goal that the agent covered, others rightly find that it is none any more.
    puts(&mut actor, 5, 2, PutResult::OnGoal);
    told(&mut actor, 6, 1, "??N?");
    assert!(is_as(trust(&actor, 1), AT_FIRST[0]));
}

/// The game master says the same of a covered goal and of a field that is none.
#[test]
fn a_goal_that_the_agent_covered_stays_one() {
    let mut actor = agent();
    puts(&mut actor, 1, 2, PutResult::OnGoal);
    puts(&mut actor, 2, 2, PutResult::OnNoGoal);
    assert_eq!(actor.knowledge().goal(field(2)).map(|known| known.value), Some(GoalBelief::Goal));
    assert_eq!((actor.knowledge().points(), actor.knowledge().covered()), (1, 1));
}

/// An ally knows of a goal only by covering it: an agent that finds the goal open has been lied to.
#[test]
fn an_allys_invented_goal_is_found_out() {
    let mut actor = on_board("g g . .");
    told(&mut actor, 1, 1, "G??N");
    assert_eq!(open(&actor), [1, 2]);
    puts(&mut actor, 2, 0, PutResult::OnGoal);
    assert!(trust(&actor, 1) < Knowledge::TRUSTED, "{}", trust(&actor, 1));
    assert_eq!(open(&actor), [1, 2, 3], "nothing else that it said counts");
    // A field that is none any more it may have covered.
    let mut actor = on_board("g g . .");
    told(&mut actor, 1, 1, "G???");
    puts(&mut actor, 2, 0, PutResult::OnNoGoal);
    assert!(is_as(trust(&actor, 1), AT_FIRST[0]));
}

/// No agent knows of more goals than there are, those included that the agent covered itself.
#[test]
fn too_many_goals_are_a_lie() {
    let mut actor = on_board("g g . .");
    told(&mut actor, 1, 1, "GG??");
    assert_eq!((open(&actor), is_as(trust(&actor, 1), AT_FIRST[0])), (vec![2, 3], true), "there are two");
    told(&mut actor, 2, 2, "GGG?");
    assert!(trust(&actor, 2) < Knowledge::TRUSTED, "{}", trust(&actor, 2));
    assert_eq!(open(&actor), [2, 3], "what another one said still counts");
    let mut actor = on_board("g g . .");
    puts(&mut actor, 1, 1, PutResult::OnGoal);
    told(&mut actor, 2, 2, "GG??");
    assert!(is_as(trust(&actor, 2), AT_FIRST[0]), "it repeats what it heard");
    told(&mut actor, 3, 1, "G?G?");
    assert!(trust(&actor, 1) < Knowledge::TRUSTED, "{}", trust(&actor, 1));
    assert_eq!(open(&actor), [2, 3]);
}

/// Trust is a share: a true statement adds to it, an enemy can earn it, and one lie outweighs much.
#[test]
fn trust_grows_with_what_turned_out_to_be_true() {
    let raw = RawConfig { board_x: 40, team_size: 2, ..RawConfig::default() };
    let game = State::new(&raw.check().unwrap(), Seed::new(1));
    let mut actor = Seat::new(&game, AgentId::new(0), Seed::new(1), Deaf).actor().clone();
    let rows = actor.knowledge().geometry().goal_rows();
    let first = actor.knowledge().geometry().goal_area_start(Team::Red);
    for by in [1, 2] {
        let words = vec!["N"; usize::from(rows) * 40].join(",");
        let information: Information = format!("distances= red={words} blue=").parse().unwrap();
        actor
            .hear(at(1), Notice::Answered { by: Some(AgentId::new(by)), information: Arc::new(information) });
    }
    let mut before = trust(&actor, 1);
    assert!(is_as(before, AT_FIRST[0]));
    for x in 0..30 {
        actor.hear(at(2), Notice::MoveRefused { position: Some(Position::new(x, first)), reason: None });
        actor.hear(at(2), Notice::Put { result: Some(PutResult::OnNoGoal) });
        assert!(trust(&actor, 1) > before, "{x}");
        before = trust(&actor, 1);
    }
    assert!(is_as(trust(&actor, 2), AT_FIRST[1]), "it was not the one whose word counted");
    actor.hear(at(3), Notice::MoveRefused { position: Some(Position::new(30, first)), reason: None });
    actor.hear(at(3), Notice::Put { result: Some(PutResult::OnGoal) });
    assert!(trust(&actor, 1) < Knowledge::TRUSTED, "{}", trust(&actor, 1));
}

/// The readings of others count where the agent has nothing newer, as far as they are trusted.
#[test]
fn told_distances_are_believed_with_their_source() {
    let mut actor = on_board("g g . .");
    let says = |actor: &mut Actor, second, by, distance: u16, red: &str| {
        let text = format!("distances={distance}*24 red={red} blue=");
        let information = Arc::new(text.parse().unwrap());
        actor.hear(at(second), Notice::Answered { by: Some(AgentId::new(by)), information });
    };
    let known = |actor: &Actor, x| {
        let learnt = actor.knowledge().distance(Position::new(x, 2));
        learnt.map(|learnt| (learnt.value.moves().unwrap(), learnt.from == Source::Own))
    };
    actor.hear(at(1), Notice::Moved { to: Position::new(1, 2), distance: Some(Distance::new(3)) });
    says(&mut actor, 2, 3, 9, "?*4");
    assert_eq!([known(&actor, 0), known(&actor, 1)], [None, Some((3, true))], "an enemy is not believed");
    says(&mut actor, 3, 1, 7, "?*4");
    assert_eq!(
        [known(&actor, 0), known(&actor, 1)],
        [Some((7, false)), Some((3, true))],
        "the own one is new"
    );
    says(&mut actor, 5, 2, 6, "?*4");
    assert_eq!(known(&actor, 0), Some((6, false)), "the newer word counts");
    says(&mut actor, 100, 1, 5, "N*1,?*3");
    assert_eq!(known(&actor, 1), Some((5, false)), "pieces have come and gone since");
    assert_eq!(actor.view(at(100)).distance(), None, "the agent did not read it itself");
    puts(&mut actor, 101, 0, PutResult::OnGoal);
    assert!(trust(&actor, 1) < Knowledge::TRUSTED);
    assert_eq!([known(&actor, 0), known(&actor, 1)], [None, None], "nothing that a liar said counts");
    says(&mut actor, 102, 1, 4, "?*4");
    assert_eq!(known(&actor, 0), None, "nor what it says from then on");
}

/// The numbers of agents come from a host, which may name any.
#[test]
fn an_agent_that_is_not_in_the_game_contradicts_a_finding() {
    let mut actor = agent();
    puts(&mut actor, 1, 0, PutResult::OnNoGoal);
    told(&mut actor, 2, 999, "G???");
    assert_eq!(actor.knowledge().goal(field(0)).map(|learnt| learnt.from), Some(Source::Own));
}

/// Of two contradicting claims of one agent, the last one counts.
#[test]
fn the_last_word_of_a_source_counts() {
    let mut actor = agent();
    let believed = |actor: &Actor| actor.knowledge().goal(field(0)).map(|learnt| learnt.value);
    told(&mut actor, 1, 1, "N???");
    assert_eq!(believed(&actor), Some(GoalBelief::NoGoal));
    told(&mut actor, 2, 1, "G???");
    assert_eq!(believed(&actor), Some(GoalBelief::Goal));
    assert_eq!(open(&actor), [1, 2, 3]);
}

#[test]
fn with_nothing_left_to_try_somebody_was_wrong() {
    let mut actor = agent();
    puts(&mut actor, 1, 0, PutResult::OnGoal);
    puts(&mut actor, 2, 1, PutResult::OnNoGoal);
    told(&mut actor, 3, 1, "??N?");
    assert_eq!(open(&actor), [3]);
    puts(&mut actor, 4, 3, PutResult::OnNoGoal);
    assert_eq!(open(&actor), [2], "what others said is doubted first");
    puts(&mut actor, 5, 2, PutResult::OnNoGoal);
    assert_eq!(open(&actor), [1, 2, 3], "then all that is not known as a goal");
}

/// A game master that does not report the result of a put leaves the agent to guess, and a guess blames no other agent.
#[test]
fn a_guess_costs_nobody_trust() {
    let mut actor = agent();
    told(&mut actor, 1, 3, "G???");
    actor.hear(at(2), Notice::PickedUp);
    actor.hear(at(2), Notice::Checked { sham: false });
    actor.hear(at(3), Notice::MoveRefused { position: Some(field(0)), reason: None });
    actor.hear(at(3), Notice::Put { result: None });
    assert_eq!(open(&actor), [1, 2, 3], "covered or no goal: there is nothing left to be done");
    assert!(is_as(trust(&actor, 3), AT_FIRST[1]), "it may have been a goal");
    told(&mut actor, 4, 4, "G???");
    assert!(is_as(trust(&actor, 4), AT_FIRST[1]));
}

/// The result of a put elsewhere than in the own goal area says nothing of any goal.
#[test]
fn goals_are_in_goal_areas() {
    let mut actor = agent();
    for at in [Position::new(1, 3), Position::new(1, 0)] {
        actor.hear(SimTime::START, Notice::MoveRefused { position: Some(at), reason: None });
        actor.hear(SimTime::START, Notice::Put { result: Some(PutResult::OnGoal) });
        assert_eq!((actor.knowledge().points(), actor.knowledge().goal(at)), (0, None));
    }
}

/// A board of sixteen columns fills its pages: the field right of the last column is not the first of the next.
#[test]
fn nothing_is_known_off_the_board() {
    let raw = RawConfig { board_x: 16, board_y: 20, goal_area_height: 2, ..RawConfig::default() };
    let game = State::new(&raw.check().unwrap(), Seed::new(1));
    let mut actor = Seat::new(&game, AgentId::new(0), Seed::new(1), Deaf).actor().clone();
    for y in 0..20 {
        let here = Position::new(0, y);
        actor.hear(at(1), Notice::Moved { to: here, distance: Some(Distance::new(3)) });
    }
    let knowledge = actor.knowledge();
    assert_eq!(knowledge.distance(Position::new(0, 7)).unwrap().value, Distance::new(3));
    for off in [(16, 3), (16, 7), (17, 0), (0, 20), (3, 90), (u16::MAX, u16::MAX)] {
        let off = Position::new(off.0, off.1);
        assert_eq!((knowledge.distance(off), knowledge.goal(off)), (None, None), "{off}");
        assert!(!knowledge.is_occupied(off, at(1)), "{off}");
    }
}

/// Statements about goal areas that are repeated over and over take no more memory than one.
#[test]
fn repeated_answers_take_no_memory() {
    let mut actor = agent();
    let strategy = &mut Deaf;
    let mut say = |actor: &mut Actor| {
        told(actor, 1, 1, "NN??");
        actor.decide(at(1), strategy);
    };
    say(&mut actor);
    let first = allocation_counter::measure(|| say(&mut actor)).bytes_current;
    let later = allocation_counter::measure(|| (0..1_000).for_each(|_| say(&mut actor))).bytes_current;
    assert!(later <= first + 64, "{later} bytes after a thousand answers, {first} after one");
}

/// Hears everything and does nothing.
struct Deaf;

impl Strategy for Deaf {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        view.wait_for_message()
    }
}

proptest! {
    /// Agents that report their findings stay trusted, whatever else is said. A field is closed exactly if the agent
    /// knows it itself or a trusted agent settled it, unless there was nothing left.
    #[test]
    fn honest_answers_never_cost_trust(
        goals in vec(any::<bool>(), 4),
        events in vec((0u8..4, 0u16..4, vec(0u8..3, 4)), 1..40),
    ) {
        let mut actor = agent();
        let mut covered = [false; 4];
        // The findings of each of the own team's agents: the truth at the moment of its put.
        let mut found = [["?"; 4]; 3];
        let mut doubted = false;
        for (second, (kind, x, lies)) in (1..).zip(events) {
            let index = usize::from(x);
            let outcome = |covered: &mut [bool; 4]| {
                let is_open = goals[index] && !covered[index];
                covered[index] |= goals[index];
                if is_open { (PutResult::OnGoal, "G") } else { (PutResult::OnNoGoal, "N") }
            };
            match kind {
                0 => puts(&mut actor, second, x, outcome(&mut covered).0),
                // Another agent finds something out, and later says all that it knows. It does not try a field again.
                1 | 2 => {
                    let ally = usize::from(kind);
                    if found[ally][index] == "?" {
                        found[ally][index] = outcome(&mut covered).1;
                    }
                    told(&mut actor, second, kind.into(), &found[ally].concat());
                }
                _ => {
                    let words: String = lies.iter().map(|lie| ["?", "N", "G"][usize::from(*lie)]).collect();
                    told(&mut actor, second, 3, &words);
                }
            }
            for ally in [1, 2] {
                prop_assert!(trust(&actor, ally) >= AT_FIRST[0], "{ally} was honest");
            }
            let knowledge = actor.knowledge();
            prop_assert!(!knowledge.open().is_empty() || goals.iter().all(|goal| *goal), "there is something left to try");
            // The enemy is never believed here, for it earns no trust.
            let is_settled = |x| knowledge.goal(field(x)).is_some();
            let settled = (0..4).filter(|x| is_settled(*x)).count();
            doubted |= settled == 4;
            if !doubted {
                for x in 0..4 {
                    prop_assert_eq!(knowledge.open().contains(field(x)), !is_settled(x), "field {} of {:?}", x, knowledge.goal(field(x)));
                }
            }
        }
    }

    /// An answer that follows the recommendation never has to be cut on its way.
    #[test]
    fn reports_fit_a_message(
        columns in 1i64..400,
        rows in 3i64..400,
        goal_rows in 1i64..100,
        longest in prop_oneof![Just(LONGEST_MESSAGE), 256u16..10_000],
    ) {
        prop_assume!(2 * goal_rows < rows && columns * rows >= 8);
        let raw = RawConfig {
            board_x: columns,
            board_y: rows,
            goal_area_height: goal_rows,
            number_of_goals: 1,
            team_size: 1,
            ..RawConfig::default()
        };
        let Ok(config) = raw.check() else { return Ok(()) };
        let game = State::new(&config, Seed::new(1));
        let briefing = game.briefing(AgentId::new(0)).clone();
        let actor = Actor::new(briefing, Seed::new(1)).with_longest_message(longest);
        let report = Arc::new(actor.knowledge().report());
        let body = |limit| {
            let mut body = Vec::new();
            let to = AgentNumber(99_999);
            let request = Request::Play(game_project::Action::Answer { to, information: report.clone() });
            Writer { dialect: Dialect::Spec, limit }.request(&mut body, AgentNumber(99_999), &request);
            body
        };
        prop_assert_eq!(body(longest.into()), body(usize::MAX));
        // Distances go first, then the goals of the other team, which an agent can only hear of.
        let own = game.briefing(AgentId::new(0)).team;
        let told = [&report.goals[own.opponent()], &report.goals[own]].map(|goals| !goals.is_empty());
        prop_assert!(told[1] >= told[0] && told[0] >= !report.distances.is_empty());
        let own_goals = columns * goal_rows * 6;
        prop_assert!(told[1] || own_goals + 500 > longest.into(), "there is room for the own goal area");
    }
}

/// A report has only the agent's own findings; a report of everything also has the believed statements of others.
#[test]
fn a_report_tells_what_the_agent_saw_itself() {
    let mut actor = agent();
    told(&mut actor, 1, 1, "N?G?");
    told(&mut actor, 1, 2, "?N??");
    told(&mut actor, 1, 3, "???N");
    puts(&mut actor, 2, 3, PutResult::OnGoal);
    actor.hear(at(3), Notice::Moved { to: Position::new(2, 3), distance: Some(Distance::new(2)) });
    let told_all = "distances=-*14,2,-*9";
    assert_eq!(actor.knowledge().report().to_string(), format!("{told_all} red=?*3,G blue=?*4"));
    assert_eq!(actor.knowledge().report_all().to_string(), format!("{told_all} red=N*2,G*2 blue=?*4"));
    puts(&mut actor, 4, 0, PutResult::OnGoal);
    assert_eq!(actor.knowledge().report_all().to_string(), format!("{told_all} red=G,N,?,G blue=?*4"));
}

/// Statements of another agent about single fields are found without counting them.
#[test]
fn answers_can_be_looked_at_by_field() {
    let mut actor = agent();
    let view = actor.view(at(0));
    let said: Information = "distances=-*6,3,-*17 red=N,G,?*2 blue=?*3,N".parse().unwrap();
    let goal = |x, y| view.knowledge.goal_said(&said, Position::new(x, y));
    assert_eq!(
        [goal(0, 5), goal(1, 5), goal(2, 5)],
        [GoalBelief::NoGoal, GoalBelief::Goal, GoalBelief::Unknown]
    );
    assert_eq!([goal(3, 0), goal(2, 0)], [GoalBelief::NoGoal, GoalBelief::Unknown]);
    assert_eq!(
        [goal(0, 3), goal(4, 5), goal(0, 6)],
        [GoalBelief::Unknown; 3],
        "in no goal area, off the board"
    );
    let distance = |x, y| view.knowledge.distance_said(&said, Position::new(x, y));
    assert_eq!([distance(2, 1), distance(3, 1), distance(4, 1)], [Some(Distance::new(3)), None, None]);
    let short: Information = "distances=1 red=N blue=".parse().unwrap();
    assert_eq!(view.knowledge.goal_said(&short, Position::new(0, 5)), GoalBelief::Unknown);
    assert_eq!(view.knowledge.distance_said(&short, Position::new(0, 0)), None);
}

/// A page of 16 by 16 fields takes about 6 kB, of which an agent that walks straight on touches one in 16 steps,
/// and the table of all pages 32 kB: both together stay well below what a table of a million fields would take.
#[test]
fn a_large_board_takes_little_memory() {
    let raw = RawConfig { board_x: 1000, board_y: 1000, number_of_pieces: 1000, ..RawConfig::default() };
    let game = State::new(&raw.check().unwrap(), Seed::new(1));
    let told = game.briefing(AgentId::new(0)).clone();
    let start = told.start;
    let walk = || {
        let mut actor = Actor::new(told.clone(), Seed::new(1));
        for step in 0..100 {
            let to = Position::new(if start.x < 500 { start.x + step } else { start.x - step }, start.y);
            actor.hear(at(1), Notice::Moved { to, distance: Some(Distance::new(20 + step)) });
            actor.decide(at(1), &mut Deaf);
        }
        assert_eq!(actor.position().x.abs_diff(start.x), 99);
    };
    let bytes = allocation_counter::measure(walk).bytes_max;
    assert!(bytes < 100_000, "{bytes} bytes");
}

/// An agent that has left is not asked forever: the refusal of a question is all that an agent learns of it.
#[test]
fn an_agent_to_which_a_question_is_refused_is_silent() {
    let game = State::new(&RawConfig::default().check().unwrap(), Seed::new(1));
    let [mate, other] = [1, 2].map(AgentId::new);
    let refused = || Notice::Refused { position: None, holding: None, reason: None };
    let mut actor = Actor::new(game.briefing(AgentId::new(0)).clone(), Seed::new(1));
    let mut ask = |agent, answer: Notice| {
        actor.sent(&Action::Ask(agent));
        actor.hear(at(1), answer);
        let view = actor.view(at(1));
        (view.is_silent(mate), view.is_silent(other))
    };
    assert_eq!(ask(mate, refused()), (true, false));
    assert_eq!(ask(other, Notice::QuestionPassedOn { succeeded: false }), (true, true));
    let asked = Notice::Asked { by: mate, leader: false, team: Team::Red };
    actor.hear(at(2), asked);
    assert!(!actor.view(at(2)).is_silent(mate), "it asks: it is there");
    // The own leader waits: every other request is refused, which says nothing of the asked agent.
    actor.hear(at(3), Notice::Asked { by: mate, leader: true, team: Team::Red });
    actor.sent(&Action::Ask(AgentId::new(3)));
    actor.hear(at(3), refused());
    assert!(!actor.view(at(3)).is_silent(AgentId::new(3)));
}
