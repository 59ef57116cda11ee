//! Games as clients see them.

use std::fmt::Write as _;

use game_dots::{Config as Grid, State};
use game_env::{AgentId, Disruption, Environment as _, SimTime};
use reference_gm::dots::{Input, Master, Record, Settings};
use reference_gm::server::Master as _;

use super::harness::{Harness, small};
use crate::served::counted_tokens;

#[test]
fn a_whole_game_reads_as_the_protocol_says() {
    let mut harness = Harness::new(Settings { grid: Grid::new(2, 3).unwrap(), ..small() });
    let clients = harness.game();
    let mut told = String::new();
    loop {
        for (client, name) in clients.iter().zip(["Ada", "Bob"]) {
            for line in harness.take(*client) {
                writeln!(told, "{name} < {line}").unwrap();
            }
        }
        let Some((mover, edge)) = harness.move_on(clients) else { break };
        writeln!(told, "{} > {edge}", ["Ada", "Bob"][mover.index()]).unwrap();
    }
    assert_eq!(harness.ask(clients[0], "leave_game"), ["you_left_game|ok"]);
    assert_eq!(harness.ask(clients[0], "leave_game"), ["you_left_game|error"]);
    assert_eq!(harness.ask(clients[1], "queue"), ["queued|ok"]);
    for record in &harness.records {
        writeln!(told, "{record}").unwrap();
    }
    insta::assert_snapshot!(told);
}

#[test]
fn bytes_may_come_one_by_one_or_all_at_once() {
    let play = |crumbles| {
        let mut harness = Harness::new(small());
        harness.crumbles = crumbles;
        let clients = harness.game();
        while harness.move_on(clients).is_some() {}
        (harness.records.clone(), clients.map(|client| harness.take(client)))
    };
    let (records, told) = play(false);
    assert_eq!(play(true), (records.clone(), told.clone()));
    // Everything that one client sends at once, in front of the other's first word.
    let mut harness = Harness::new(small());
    let client = harness.connect();
    harness.handle(Input::Received(client, b"login|Ada\nqueue\n\0leave_queue\r\nqueue\n\n"));
    assert_eq!(harness.take(client)[1..], ["queued|ok", "left_queue|ok", "queued|ok"]);
}

#[test]
fn moves_are_refused_by_the_rules_and_the_game_goes_on() {
    let mut harness = Harness::new(Settings::default());
    let clients = harness.game();
    let mover = harness.state().mover().index();
    let (own, other) = (clients[mover], clients[1 - mover]);
    harness.take(other);
    for line in ["0|2", "0|0", "0|6", "4|5", "9|10", "24|25", "-1|0", "0|-1", "0|65536", "0|4294967296"] {
        assert_eq!(harness.ask(own, &format!("line_coords|{line}")), ["invalid_coords"], "{line}");
    }
    assert_eq!(harness.ask(other, "line_coords|0|1"), ["invalid_coords"], "not its turn");
    assert_eq!(harness.ask(own, "line_coords|1|0")[0], "draw_coords|1|0", "in either order");
    assert_eq!(harness.take(other), ["draw_coords|1|0", &format!("play|{}", 2 - mover)]);
    assert_eq!(harness.ask(other, "line_coords|0|1"), ["invalid_coords"], "drawn already");
    for (request, answer) in
        [("queue", "queued|error"), ("leave_queue", "left_queue|error"), ("login|Eva", "logged|error")]
    {
        assert_eq!(harness.ask(own, request), [answer]);
    }
    assert!(harness.closed.is_empty(), "refusals close no connection");
    let stranger = harness.connect();
    for (request, answer) in [
        ("queue", "queued|error"),
        ("leave_queue", "left_queue|error"),
        ("leave_game", "you_left_game|error"),
        ("line_coords|0|1", "invalid_coords"),
    ] {
        assert_eq!(harness.ask(stranger, request), [answer]);
    }
    assert_eq!(harness.ask(stranger, "pong"), [""; 0]);
}

#[test]
fn who_leaves_loses_and_the_other_waits_again() {
    let mut harness = Harness::new(small());
    let clients = harness.game();
    harness.move_on(clients);
    harness.take(clients[1]);
    assert_eq!(harness.ask(clients[0], "leave_game"), ["you_left_game|ok"]);
    assert_eq!(harness.take(clients[1]), ["opponent_left_game", "queued|ok"]);
    assert_eq!(harness.master.totals().games, 0);
    let ended = &harness.ended[0];
    assert_eq!((ended.actions.len(), ended.disruption), (1, Some(Disruption::AgentLost(AgentId::new(0)))));
    let eva = harness.login("Eva");
    harness.send_line(eva, "queue");
    assert!(harness.take(clients[1])[1].starts_with("start_game|1|Eva"));
    assert_eq!(harness.master.totals().games, 1);
}

/// A replay without a move would show nothing.
#[test]
fn a_game_without_a_move_has_no_replay() {
    let mut harness = Harness::new(small());
    let clients = harness.game();
    harness.send_line(clients[1], "leave_game");
    assert_eq!(harness.master.totals().games, 0);
    assert!(harness.records.iter().any(|record| matches!(record, Record::Left(0, _))), "it has ended");
    assert!(harness.ended.is_empty(), "{:?}", harness.ended);
    // Nor has it one after a restart.
    let mut again = Harness::of(Master::restore(small(), counted_tokens(), harness.records.clone()).unwrap());
    again.handle(Input::Tick);
    assert_eq!((again.master.totals().games, again.ended.len()), (0, 0));
    harness.send_line(clients[1], "queue");
    harness.move_on(clients);
    harness.send_line(clients[1], "leave_game");
    assert_eq!(harness.ended.iter().map(|game| (game.id, game.actions.len())).collect::<Vec<_>>(), [(1, 1)]);
}

#[test]
fn many_games_are_played_at_once_and_the_seed_decides_who_begins() {
    let begins = |seed| {
        let mut harness = Harness::new(Settings { seed: game_env::Seed::new(seed), ..small() });
        for number in 0..40 {
            let client = harness.login(&format!("p{number}"));
            harness.send_line(client, "queue");
        }
        assert_eq!(harness.master.totals().games, 20);
        harness.master.games().map(|(_, state, ..)| state.mover().index()).collect::<Vec<_>>()
    };
    let first = begins(1);
    assert_eq!(begins(1), first);
    assert_ne!(begins(2), first);
    let seconds: usize = first.iter().sum();
    assert!((3..=17).contains(&seconds), "{first:?}");
}

#[test]
fn the_replay_of_a_game_plays_the_same() {
    let mut harness = Harness::new(small());
    let clients = harness.game();
    for _ in 0..5 {
        harness.move_on(clients);
    }
    harness.send_line(clients[1], "leave_game");
    harness.game_between(clients);
    while harness.move_on(clients).is_some() {}
    assert_eq!(harness.ended.len(), 2);
    for ended in &harness.ended {
        let replay = ended.replay().unwrap();
        let reader = game_env::replay::Reader::open(&replay[..]).unwrap();
        assert_eq!(reader.header().players[0].name, "Ada");
        let mut playback = game_env::replay::Playback::<State>::of(reader).unwrap();
        let summary = playback.run(&mut ()).unwrap();
        assert!(summary.completeness.is_complete());
        let mut state = State::new(&ended.config, ended.seed);
        for edge in &ended.actions {
            let mover = state.mover();
            state.step(SimTime::START, mover, *edge, &mut ());
        }
        if let Some(disruption) = ended.disruption {
            state.disrupt(SimTime::START, disruption, &mut ());
        }
        assert_eq!(
            summary.outcome,
            match state.turn() {
                game_env::Turn::Over(outcome) => Some(outcome),
                game_env::Turn::Act { .. } => None,
            }
        );
    }
    assert!(harness.records.iter().any(|record| matches!(record, Record::Left(0, _))));
}
