//! From a request to the rules and from events back to messages: the game master's answers to requests.

use std::fmt::Write as _;

use game_env::{AgentId, Disruption, Environment, Seed, SimTime, Termination, Turn};
use game_project::{Event, RawConfig, Setup, State};
use insta::assert_snapshot;
use serde_json::value::RawValue;
use wire::project::convert::game_over;
use wire::project::{AgentNumber, Dialect, Notice, Request, Seats, read_request};

use crate::messages::writer;

/// Four agents whose connections have numbers of their own.
fn seats() -> Seats {
    Seats::new([30, 11, 7, 52].map(AgentNumber).to_vec())
}

/// Every request that can be made here, with the messages to each agent in the spec dialect.
#[test]
fn every_request_gets_its_answer() {
    let board = "
        g    R1!  gR0+p
        ---------------
        .    pB2  .
        B3   .    s
        ---------------
        g    .    .";
    let requests = [
        (0, 30, 9, "{}"),
        (0, 11, 7, r#"{"direction":"N"}"#),
        (0, 7, 8, "{}"),
        (0, 52, 7, r#"{"direction":"E"}"#),
        (100, 52, 3, "{}"),
        (500, 7, 1, "{}"),
        (1500, 11, 5, r#"{"askedAgentID":30}"#),
        (1600, 30, 7, r#"{"direction":"S"}"#),
        (1600, 30, 4, r#"{"respondToID":11,"distances":[],"redTeamGoalAreaInformations":["G"]}"#),
        (2600, 30, 4, r#"{"respondToID":11}"#),
        (2700, 11, 5, r#"{"askedAgentID":999}"#),
        (2700, 7, 9, "{}"),
        (2700, 52, 3, "{}"),
        (3300, 7, 9, "{}"),
        (3800, 7, 2, "{}"),
        (3600, 52, 8, "{}"),
        (5000, 30, 8, "{}"),
        (5000, 52, 7, r#"{"direction":"S"}"#),
    ];
    let rules = RawConfig { sham_piece_probability: 0.0, landing_pick_up: false, ..RawConfig::default() };
    let mut state = board.parse::<Setup>().unwrap().play(&rules, Seed::new(3)).unwrap();
    let began = "2026-03-01T12:00:00Z".parse().unwrap();
    let seats = seats();
    let mut told = String::new();
    let mut sorted = requests.to_vec();
    sorted.sort_by_key(|(at, ..)| *at);
    for (at, from, id, payload) in sorted {
        let payload = RawValue::from_string(payload.to_owned()).unwrap();
        let Ok(Request::Play(action)) = read_request(id, Some(&payload)) else { panic!("{id} {payload}") };
        let action = seats.action(action);
        writeln!(told, "{at} {from} asks {id} {payload}").unwrap();
        let mut events: Vec<(SimTime, Event)> = Vec::new();
        let agent = seats.agent(AgentNumber(from)).unwrap();
        state.step(SimTime::from_millis(at), agent, action, &mut events);
        for (_, event) in events {
            if let Some((to, notice)) = seats.notice(&event, &state, began) {
                let mut body = Vec::new();
                writer(Dialect::Spec).notice(&mut body, to, None, &notice);
                writeln!(told, "    {}", String::from_utf8(body).unwrap()).unwrap();
            }
        }
    }
    assert_snapshot!(told);
}

#[test]
fn the_start_tells_every_agent_its_own_view() {
    let state = "R0 R1! .\n. . .\nB2 B3! ."
        .parse::<Setup>()
        .unwrap()
        .play(&RawConfig::default(), Seed::new(1))
        .unwrap();
    let seats = seats();
    let told: Vec<String> = AgentId::all(4)
        .map(|agent| {
            let mut body = Vec::new();
            let notice = Notice::GameStart(Box::new(seats.game_start(agent, &state)));
            writer(Dialect::Spec).notice(&mut body, seats.number(agent), None, &notice);
            String::from_utf8(body).unwrap()
        })
        .collect();
    assert_snapshot!(told.join("\n"));
}

#[test]
fn the_end_is_told_if_somebody_won() {
    let play =
        |board: &str| board.parse::<Setup>().unwrap().play(&RawConfig::default(), Seed::new(1)).unwrap();
    let stop = Disruption::Ended(Termination::Stopped);
    let mut won = play("* g\nR0 .\ngB1 g");
    won.disrupt(SimTime::START, stop, &mut ());
    let told = |game: &State| match game.turn() {
        Turn::Over(outcome) => game_over::<AgentId>(&outcome),
        Turn::Act { .. } => panic!("it was stopped"),
    };
    assert_eq!(told(&won), Some(Notice::GameOver { winner: game_project::Team::Red }));
    let mut even = play("* g\nR0 .\n*B1 g");
    even.disrupt(SimTime::START, stop, &mut ());
    assert_eq!(told(&even), None, "the message knows no tie");
}
