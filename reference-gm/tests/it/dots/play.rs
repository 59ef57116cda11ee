//! Games as clients see them.

use std::fmt::Write as _;

use game_dots::{Config as Grid, State};
use game_env::{AgentId, Disruption, Environment as _, SimTime};
use reference_gm::dots::{Input, Master, Record, Settings, archive};
use reference_gm::server::Master as _;

use super::hall::{Hall, counted_tokens, small};

#[test]
fn a_whole_game_reads_as_the_protocol_says() {
    let mut hall = Hall::new(Settings { grid: Grid::new(2, 3).unwrap(), ..small() });
    let clients = hall.game();
    let mut told = String::new();
    loop {
        for (client, name) in clients.iter().zip(["Ada", "Bob"]) {
            for line in hall.take(*client) {
                writeln!(told, "{name} < {line}").unwrap();
            }
        }
        let Some((mover, edge)) = hall.move_on(clients) else { break };
        writeln!(told, "{} > {edge}", ["Ada", "Bob"][mover.index()]).unwrap();
    }
    assert_eq!(hall.ask(clients[0], "leave_game"), ["you_left_game|ok"]);
    assert_eq!(hall.ask(clients[0], "leave_game"), ["you_left_game|error"]);
    assert_eq!(hall.ask(clients[1], "queue"), ["queued|ok"]);
    for record in &hall.records {
        writeln!(told, "{record}").unwrap();
    }
    insta::assert_snapshot!(told);
}

#[test]
fn bytes_may_come_one_by_one_or_all_at_once() {
    let play = |crumbles| {
        let mut hall = Hall::new(small());
        hall.crumbles = crumbles;
        let clients = hall.game();
        while hall.move_on(clients).is_some() {}
        (hall.records.clone(), clients.map(|client| hall.take(client)))
    };
    let (records, told) = play(false);
    assert_eq!(play(true), (records.clone(), told.clone()));
    // Everything that one client sends at once, in front of the other's first word.
    let mut hall = Hall::new(small());
    let client = hall.connect();
    hall.handle(Input::Received(client, b"login|Ada\nqueue\n\0leave_queue\r\nqueue\n\n"));
    assert_eq!(hall.take(client)[1..], ["queued|ok", "left_queue|ok", "queued|ok"]);
}

#[test]
fn moves_are_refused_by_the_rules_and_the_game_goes_on() {
    let mut hall = Hall::new(Settings::default());
    let clients = hall.game();
    let mover = hall.state().mover().index();
    let (own, other) = (clients[mover], clients[1 - mover]);
    hall.take(other);
    for line in ["0|2", "0|0", "0|6", "4|5", "9|10", "24|25", "-1|0", "0|-1", "0|65536", "0|4294967296"] {
        assert_eq!(hall.ask(own, &format!("line_coords|{line}")), ["invalid_coords"], "{line}");
    }
    assert_eq!(hall.ask(other, "line_coords|0|1"), ["invalid_coords"], "not its turn");
    assert_eq!(hall.ask(own, "line_coords|1|0")[0], "draw_coords|1|0", "in either order");
    assert_eq!(hall.take(other), ["draw_coords|1|0", &format!("play|{}", 2 - mover)]);
    assert_eq!(hall.ask(other, "line_coords|0|1"), ["invalid_coords"], "drawn already");
    for (request, answer) in
        [("queue", "queued|error"), ("leave_queue", "left_queue|error"), ("login|Eva", "logged|error")]
    {
        assert_eq!(hall.ask(own, request), [answer]);
    }
    assert!(hall.closed.is_empty(), "refusals close no connection");
    let stranger = hall.connect();
    for (request, answer) in [
        ("queue", "queued|error"),
        ("leave_queue", "left_queue|error"),
        ("leave_game", "you_left_game|error"),
        ("line_coords|0|1", "invalid_coords"),
    ] {
        assert_eq!(hall.ask(stranger, request), [answer]);
    }
    assert_eq!(hall.ask(stranger, "pong"), [""; 0]);
}

#[test]
fn who_leaves_loses_and_the_other_waits_again() {
    let mut hall = Hall::new(small());
    let clients = hall.game();
    hall.move_on(clients);
    hall.take(clients[1]);
    assert_eq!(hall.ask(clients[0], "leave_game"), ["you_left_game|ok"]);
    assert_eq!(hall.take(clients[1]), ["opponent_left_game", "queued|ok"]);
    assert_eq!(hall.master.totals().games, 0);
    let ended = &hall.ended[0];
    assert_eq!((ended.moves.len(), ended.disruption), (1, Some(Disruption::AgentLost(AgentId::new(0)))));
    let eva = hall.login("Eva");
    hall.send(eva, "queue");
    assert!(hall.take(clients[1])[1].starts_with("start_game|1|Eva"));
    assert_eq!(hall.master.totals().games, 1);
}

/// A replay without a move would show nothing.
#[test]
fn a_game_without_a_move_has_no_replay() {
    let mut hall = Hall::new(small());
    let clients = hall.game();
    hall.send(clients[1], "leave_game");
    assert_eq!(hall.master.totals().games, 0);
    assert!(hall.records.iter().any(|record| matches!(record, Record::Left(0, _))), "it has ended");
    assert!(hall.ended.is_empty(), "{:?}", hall.ended);
    // Nor has it one after a restart.
    let mut again = Hall::of(Master::restore(small(), counted_tokens(), hall.records.clone()).unwrap());
    again.handle(Input::Tick);
    assert_eq!((again.master.totals().games, again.ended.len()), (0, 0));
    hall.send(clients[1], "queue");
    hall.move_on(clients);
    hall.send(clients[1], "leave_game");
    assert_eq!(hall.ended.iter().map(|game| (game.id, game.moves.len())).collect::<Vec<_>>(), [(1, 1)]);
}

#[test]
fn many_games_are_played_at_once_and_the_seed_decides_who_begins() {
    let begins = |seed| {
        let mut hall = Hall::new(Settings { seed: game_env::Seed::new(seed), ..small() });
        for number in 0..40 {
            let client = hall.login(&format!("p{number}"));
            hall.send(client, "queue");
        }
        assert_eq!(hall.master.totals().games, 20);
        hall.master.games().map(|(_, state, ..)| state.mover().index()).collect::<Vec<_>>()
    };
    let first = begins(1);
    assert_eq!(begins(1), first);
    assert_ne!(begins(2), first);
    let seconds: usize = first.iter().sum();
    assert!((3..=17).contains(&seconds), "{first:?}");
}

#[test]
fn the_replay_of_a_game_plays_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let mut hall = Hall::new(small());
    let clients = hall.game();
    for _ in 0..5 {
        hall.move_on(clients);
    }
    hall.send(clients[1], "leave_game");
    hall.game_between(clients);
    while hall.move_on(clients).is_some() {}
    assert_eq!(hall.ended.len(), 2);
    for ended in &hall.ended {
        let path = archive::path(folder.path(), ended);
        archive::write(&path, ended).unwrap();
        let reader = game_env::replay::Reader::open(std::fs::File::open(&path).unwrap()).unwrap();
        assert_eq!(reader.header().players[0].name, "Ada");
        let mut playback = game_env::replay::Playback::<State>::of(reader).unwrap();
        let summary = playback.run(&mut ()).unwrap();
        assert!(summary.completeness.is_complete());
        let mut state = State::new(&ended.grid, ended.seed);
        for edge in &ended.moves {
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
    assert!(hall.records.iter().any(|record| matches!(record, Record::Left(0, _))));
}
