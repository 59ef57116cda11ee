//! The knowledge of a witness: never anything wrong, and everything that the answers show.

use game_conveyor::known::{Heard, InitialKnowledge, Known, KnownEvent};
use game_conveyor::state::{STEPPER, TURNER};
use game_conveyor::{Action, Answer, Config, Direction, Event, Field, Place, State, Steps};
use game_env::{AgentId, Disruption, Environment, Notation, Seed, SimTime, Termination, Turn};

/// The knowledge that a board gives before the first request.
fn initial(state: &State) -> InitialKnowledge {
    let (board, config) = (state.board(), state.board().config());
    let places = |is: fn(Field) -> bool| config.places().filter(move |place| is(board.field(*place)));
    InitialKnowledge {
        config,
        homes: [0, 1].map(|player| Some(board.home(player))),
        hints: places(|field| matches!(field, Field::Hint(_))).collect(),
        conveyors: places(|field| matches!(field, Field::Start(_))).map(|start| (start, None)).collect(),
        places: [0, 1].map(|player| state.place(player)),
    }
}

/// Serves a request. Returns the reports to a witness, and the start of the conveyor if one carried the player.
fn serve(state: &mut State, player: AgentId, action: Action) -> (Vec<Heard>, Option<Place>) {
    let mut events: Vec<(SimTime, Event)> = Vec::new();
    state.step(SimTime::START, player, action, &mut events);
    let (mut answer, mut at, mut start, mut wins) = (Answer::Done, None, None, false);
    for (_, event) in events {
        match event {
            Event::Answered { hint, .. } => answer = hint.map_or(Answer::Done, Answer::Hint),
            Event::Landed { place, carried_from, .. } => (at, start) = (Some(place), carried_from),
            Event::Refused { .. } => answer = Answer::Refused,
            Event::Left(_) => {}
            Event::Over(_) => wins = true,
        }
    }
    // The board does not report the place of a player that has only turned.
    let place = at.filter(|_| !matches!(action, Action::Turn(_)));
    let mut heard = vec![Heard::Answer { action, answer, place }];
    heard.extend(wins.then_some(Heard::Win));
    (heard, start)
}

fn take(known: &mut Known, player: AgentId, heard: Heard) -> Vec<KnownEvent> {
    let mut told: Vec<(SimTime, KnownEvent)> = Vec::new();
    known.step(SimTime::START, player, heard, &mut told);
    told.into_iter().map(|(_, told)| told).collect()
}

#[test]
fn what_is_known_is_true_and_answers_show_it() {
    let (mut directions, mut ends, mut headings, mut wins) = (0, 0, 0, 0);
    for seed in 0..60 {
        let config = Config::new(9, 8).unwrap().with_conveyors(9).unwrap();
        let mut state = State::new(&config, Seed::new(seed));
        let mut known = Known::new(&initial(&state), Seed::new(0));
        let mut chance = Seed::new(seed).child(1).game();
        assert_eq!((known.heading(), known.conveyors().find(|(_, end)| end.is_some())), (None, None));
        for _ in 0..400 {
            let options: Vec<(AgentId, Action)> = Direction::ALL
                .into_iter()
                .flat_map(|direction| [(STEPPER, Action::Step(direction)), (TURNER, Action::Turn(direction))])
                .chain(Steps::ALL.map(|steps| (TURNER, Action::Ahead(steps))))
                .collect();
            let (player, action) = options[chance.index(options.len())];
            let (heard, carried_from) = serve(&mut state, player, action);
            let told: Vec<KnownEvent> =
                heard.into_iter().flat_map(|heard| take(&mut known, player, heard)).collect();
            for told in told {
                let KnownEvent::Landed { carried_from: shown, .. } = told else { continue };
                assert!(shown.is_none() || shown == carried_from, "seed {seed}: {told}");
                assert!(shown == carried_from || player == TURNER, "seed {seed}: a step has one direction");
            }
            let board = state.board();
            assert_eq!([0, 1].map(|player| known.place(player)), [0, 1].map(|player| state.place(player)));
            assert!(known.heading().is_none_or(|heading| heading == state.heading()), "seed {seed}");
            headings += u32::from(known.heading().is_some());
            for (place, ways) in known.hints() {
                let Field::Hint(truth) = board.field(place) else { panic!("{place} is no hint") };
                assert!(ways.iter().zip(truth).all(|(way, truth)| way.is_none_or(|way| way == truth)));
            }
            for (start, end) in known.conveyors() {
                let Field::Start(truth) = board.field(start) else { panic!("{start} is no start") };
                assert!(end.is_none_or(|end| end == truth), "seed {seed}: {start} leads to {truth}");
            }
            if let Turn::Over(outcome) = state.turn() {
                let Turn::Over(heard) = known.turn() else { panic!("seed {seed}: the end was heard") };
                assert_eq!((heard.winner(), heard.termination), (outcome.winner(), outcome.termination));
                wins += 1;
                break;
            }
        }
        directions += known.hints().flat_map(|(_, ways)| ways).flatten().count();
        ends += known.conveyors().filter(|(_, end)| end.is_some()).count();
    }
    assert!(
        wins > 40 && directions > 60 && ends > 60 && headings > 1000,
        "{wins} {directions} {ends} {headings}"
    );
}

/// A board of 9×9 fields with conveyors at these starts, player 1 at 5,5 and a hint at 5,7.
fn board(starts: &[(u8, u8)]) -> Known {
    let conveyors = starts.iter().map(|(column, row)| (Place::new(*column, *row), None)).collect();
    let (places, hints) = ([Place::new(5, 5); 2], vec![Place::new(5, 7)]);
    let initial =
        InitialKnowledge { conveyors, places, hints, ..InitialKnowledge::new(Config::new(9, 9).unwrap()) };
    Known::new(&initial, Seed::new(0))
}

/// The direction in which player 1 looks, and the end of each conveyor, after lines of [`Heard`].
fn after(mut known: Known, lines: &[&str]) -> (Option<Direction>, Vec<Option<Place>>) {
    for line in lines {
        take(&mut known, TURNER, line.parse().unwrap());
    }
    (known.heading(), known.conveyors().map(|(_, end)| end).collect())
}

#[test]
fn a_heading_is_known_when_only_one_fits() {
    let at = |column, row| Some(Place::new(column, row));
    // It went straight there, as there is no other way.
    assert_eq!(after(board(&[]), &["ahead two done 7,5"]).0, Some(Direction::Right));
    assert_eq!(after(board(&[]), &["turn up done"]).0, Some(Direction::Up));
    // A conveyor has turned it.
    let carried = after(board(&[(5, 4)]), &["turn down done", "ahead one done 2,2"]);
    assert_eq!(carried, (None, vec![at(2, 2)]));
    // It went straight to the right, or down and was carried.
    assert_eq!(after(board(&[(5, 3)]), &["ahead two done 7,5"]), (None, vec![None]));
    // No conveyor gives a hint, and nobody lands on a hint without one.
    assert_eq!(after(board(&[(5, 3)]), &["ahead two hint up 5,7"]).0, Some(Direction::Up));
    assert_eq!(after(board(&[(5, 3)]), &["ahead two done 5,7"]), (None, vec![at(5, 7)]));
    // The second conveyor is known to lead elsewhere.
    let lines = ["turn left done", "ahead one done 9,9", "turn up done", "ahead one refused"];
    assert_eq!(after(board(&[(4, 5), (6, 5)]), &lines), (Some(Direction::Up), vec![at(9, 9), None]));
    // Only two directions are off the board from a corner.
    let corner = ["turn left done", "ahead one done 1,1"];
    assert_eq!(after(board(&[(4, 5)]), &[&corner[..], &["ahead one refused"]].concat()).0, None);
    let moved = [&corner[..], &["ahead one refused", "turn up done", "ahead three done 1,4"]].concat();
    assert_eq!(after(board(&[(4, 5)]), &moved).0, Some(Direction::Up));
}

#[test]
fn a_board_that_contradicts_itself_is_followed() {
    let mut known = board(&[]);
    for line in ["turn up done", "ahead one done 9,1", "ahead two done 1,1", "step up done 3,3"] {
        take(&mut known, TURNER, line.parse().unwrap());
    }
    assert_eq!((known.heading(), known.place(1)), (None, Place::new(3, 3)));
}

#[test]
fn the_end_is_the_last_that_is_heard() {
    let mut known = board(&[]);
    let mut told: Vec<(SimTime, KnownEvent)> = Vec::new();
    known.disrupt(SimTime::START, Disruption::AgentLost(STEPPER), &mut told);
    assert!(matches!(known.turn(), Turn::Act { .. }), "another may come");
    known.disrupt(SimTime::START, Disruption::Ended(Termination::Interrupted), &mut told);
    let lines: Vec<String> = told.iter().map(|(_, told)| told.to_string()).collect();
    assert_eq!(lines, ["#0 left", "over nobody interrupted"]);
    let before = known.hash();
    assert_eq!(take(&mut known, TURNER, Heard::Win), []);
    assert_eq!(known.hash(), before);
}

#[test]
fn what_is_not_known_is_a_question_mark() {
    let mut initial = InitialKnowledge::new(Config::new(3, 3).unwrap());
    initial.homes[1] = Some(Place::new(3, 1));
    initial.hints = vec![Place::new(1, 2)];
    initial.conveyors = [(Place::new(2, 2), None)].into();
    let mut known = Known::new(&initial, Seed::new(0));
    assert_eq!(known.scene().to_string(), ".    .  .\n??   c? .\n@0@1 .  h1\n#1 looks ?\n");
    take(&mut known, STEPPER, "step up hint right 1,2".parse().unwrap());
    take(&mut known, STEPPER, "step right done 3,3".parse().unwrap());
    take(&mut known, TURNER, "turn up done".parse().unwrap());
    assert_eq!(known.scene().to_string(), ".  .    @0\n>? c3,3 .\n@1 .    h1\n#1 looks up\n");
}
