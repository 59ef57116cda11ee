//! What every strategy does in situations made by hand, and in the place of an agent of a recorded game.
//!
//! A snapshot shows the board, what the agent knows of it, and what each strategy chooses there.

use bots::contest::lineup;
use bots::registry::{BoxedStrategy, ENTRIES, Entry, Lineup};
use game_env::replay::{Header, Player, Writer};
use game_env::{AgentId, Environment, Rollout, Seed};
use game_project::{RawConfig, State};
use insta::assert_snapshot;
use sdk::local::Seat;
use sdk::testing::{Situation, decisions};

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

/// The situations, with what makes each of them.
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

fn in_all_situations(entry: &Entry) -> String {
    let mut text = String::new();
    for (what, situation) in situations() {
        let mut strategy: BoxedStrategy = (entry.construct)();
        text += &format!("## {what}\n\n{}\n", situation.decide(&mut strategy));
    }
    text
}

#[test]
fn every_strategy_in_every_situation() {
    for entry in &ENTRIES {
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
    let teams: [Lineup; 2] = ["coordinated", "greedy"].map(|text| text.parse().expect("a strategy"));
    let player = |agent: AgentId| Player { team: game.team(agent), name: "recorded".to_owned() };
    let players = AgentId::all(game.agents()).map(player).collect();
    let header = Header::new::<State>(&config, seed, players, "tests 1.0");
    let mut writer = Writer::new(Vec::new(), &header).expect("a vector takes all that is written");
    let mut seats = Seat::all(&game, seed, |agent, team| lineup(&teams[team as usize])(agent.index()));
    Rollout::default().play(&mut game, &mut seats, &mut writer);
    writer.finish().expect("a vector takes all that is written")
}

#[test]
fn every_strategy_in_the_place_of_a_recorded_agent() {
    let replay = recorded(2);
    for entry in &ENTRIES {
        let text =
            decisions(&replay[..], AgentId::new(0), (entry.construct)()).expect("it was just recorded");
        assert_snapshot!(format!("{}_in_a_recorded_game", entry.name), text);
    }
}

/// In its own place a strategy does what it did: it depends on nothing but its view and its chance. (With nobody in
/// its way: a recording does not hold the moments at which somebody chose to wait.)
#[test]
fn a_strategy_repeats_its_own_game() {
    let coordinated = Entry::find("coordinated").expect("it is shipped");
    let text = decisions(&recorded(1)[..], AgentId::new(0), (coordinated.construct)())
        .expect("it was just recorded");
    assert!(text.lines().count() > 40, "{text}");
    assert!(!text.contains(", not "), "{text}");
}
