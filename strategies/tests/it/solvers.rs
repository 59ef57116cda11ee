//! Decisions of the strategies that compute: a board as text, and their choices there.

use std::fmt::{Display, Write as _};

use game_env::{AgentId, Chance, Choice, Environment, Notation, Policy, Seed, SimTime};
use insta::assert_snapshot;
use strategies::budget::Budget;
use strategies::room::policy;

/// The board, and the choice of each of these policies for the player to move.
fn decisions<E>(
    title: &str,
    state: &E,
    mover: AgentId,
    policies: impl IntoIterator<Item = (&'static str, Box<dyn Policy<E> + Send>)>,
) -> String
where
    E: Environment<Action: Display> + Notation,
{
    let mut seen = E::Observation::default();
    state.observe(mover, &mut seen);
    let mut text = format!("{title}\n{}", state.scene());
    for (name, mut policy) in policies {
        match policy.choose(state.clock(), mover, &seen) {
            Choice::Act(action) => writeln!(text, "{name}: {action}").unwrap(),
            Choice::Wait(_) => writeln!(text, "{name}: nothing").unwrap(),
        }
    }
    text
}

fn chance() -> Chance {
    Seed::new(1).game()
}

fn dots(title: &str, (rows, columns): (u16, u16), edges: &[&str]) -> String {
    let config = game_dots::Config::new(rows, columns).unwrap();
    let mut state = game_dots::State::new(&config, Seed::new(1));
    for edge in edges {
        let mover = state.mover();
        state.step(SimTime::START, mover, edge.parse().unwrap(), &mut ());
    }
    let policies =
        ["greedy", "chains"].map(|name| (name, policy::<game_dots::State>(name, chance(), None).unwrap()));
    decisions(title, &state, state.mover(), policies)
}

#[test]
fn chains_in_situations() {
    let rows = ["4-5", "5-6", "6-7", "8-9", "9-10", "10-11", "0-1", "1-2", "2-3"];
    let told = [
        dots("nothing is drawn", (3, 3), &[]),
        dots("a box of a chain of one can be taken", (3, 3), &["0-1", "0-3", "1-4", "7-8"]),
        dots(
            "two chains of three, one is opened: all but two boxes are taken",
            (3, 4),
            &[&rows[..], &["0-4"]].concat(),
        ),
        dots(
            "the last two are returned, since the other chain has to be opened",
            (3, 4),
            &[&rows[..], &["0-4", "1-5"]].concat(),
        ),
        dots(
            "nothing is left but these two: they are taken",
            (2, 4),
            &["0-1", "1-2", "2-3", "4-5", "5-6", "6-7", "0-4", "1-5"],
        ),
        dots(
            "chains of one and of four: the short one is given away",
            (2, 6),
            &["6-7", "7-8", "8-9", "9-10", "10-11", "1-7", "2-3", "3-4", "4-5"],
        ),
    ];
    assert_snapshot!(told.join("\n"));
}

/// A board in the notation of the protocol: the size, and cells that are filled.
fn bricks(title: &str, text: &str) -> String {
    let mut parts = text.split('_');
    let config = game_bricks::Config::new(parts.next().unwrap().parse().unwrap()).unwrap();
    let config = config.filled(parts.map(|cell| cell.parse().unwrap())).unwrap();
    let state = game_bricks::State::new(&config, Seed::new(1));
    let policies =
        ["greedy", "perfect"].map(|name| (name, policy::<game_bricks::State>(name, chance(), None).unwrap()));
    decisions(title, &state, state.mover(), policies)
}

#[test]
fn perfect_in_situations() {
    let told = [
        bricks("a corner is filled: two bricks win", "3_0x0"),
        bricks("the opponent wins whatever is done", "3"),
        bricks("eight bricks win", "5_0x0_2x0_4x0_2x1_1x2_3x3"),
        bricks("only the brick on the cells without image makes the board symmetric", "9_4x4_1x2_2x2"),
    ];
    assert_snapshot!(told.join("\n"));
}

#[test]
fn a_policy_is_made_from_a_text_and_a_budget() {
    let refused = |text| policy::<game_bricks::State>(text, chance(), Some(Budget::nodes(1))).err().unwrap();
    let unknown = refused("perfct");
    assert!(unknown.starts_with("unknown strategy `perfct`: expected one of random, "), "{unknown}");
    assert!(unknown.ends_with("; did you mean `perfect`?"), "{unknown}");
    assert_eq!(
        refused("perfect:nodes=-1"),
        "perfect: nodes = -1: it is too small; allowed: a whole number from 0 to 1000000000"
    );
    // The budget goes before the parameter: without nodes nothing is known of a board that one node decides.
    let state = game_dots::State::new(&game_dots::Config::new(2, 2).unwrap(), Seed::new(1));
    let mut seen = game_dots::Observation::default();
    state.observe(state.mover(), &mut seen);
    let mut policy =
        policy::<game_dots::State>("chains:nodes=5", chance(), Some(Budget::until(|| true))).unwrap();
    assert!(matches!(policy.choose(SimTime::START, state.mover(), &seen), Choice::Act(_)));
}
