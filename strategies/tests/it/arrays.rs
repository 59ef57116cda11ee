//! Games for programs that learn are the games of matches: the same states, hash by hash.

use std::collections::VecDeque;

use game_env::matches::{MatchLimits, MatchSpec};
use game_env::{AgentId, Choice, Environment, Notation, Parameters, Policy, Rollout, Seed, SimTime};
use game_project::{Action, ActionKind, Preset, RawConfig, State};
use sdk::local;
use sdk::prelude::{Strategy, View};
use strategies::arrays::{ArrayGame, ArrayGameError, Sight};
use strategies::room::{Room, rooms};

/// The number of games of each kind that take the same course twice.
const GAMES: u64 = 200;

/// The default configuration of a room's game, or its first preset for The Project Game, whose default is long.
fn config(room: &dyn Room) -> Parameters {
    let game = room.game();
    let first = game.presets().swap_remove(0);
    game.complete(&first.parameters).expect("a preset is complete")
}

fn agents(room: &dyn Room) -> usize {
    room.game().teams(&config(room)).expect("a preset is a configuration").len()
}

fn names(room: &dyn Room, name: Option<&str>) -> Vec<Option<String>> {
    vec![name.map(str::to_owned); agents(room)]
}

/// Plays by random possible actions; returns the texts of each agent's choices.
fn play_at_random(game: &mut dyn ArrayGame, seed: Seed) -> Vec<VecDeque<String>> {
    let mut chance = seed.child(9).game();
    let mut choices = vec![VecDeque::new(); game.teams().len()];
    game.begin(seed).unwrap();
    while let Some(agent) = game.asked() {
        let possible: Vec<usize> =
            (0..game.mask().len()).filter(|number| game.mask()[*number] == 1).collect();
        let number = possible[chance.index(possible.len())];
        choices[agent.index()].push_back(game.layout().actions[number].clone());
        game.act(number).unwrap();
    }
    choices
}

#[test]
fn strategies_play_the_game_of_a_match() {
    for room in rooms() {
        let name = room.strategies()[0].name;
        let config = config(*room);
        let mut game = room.array_game(&config, &names(*room, Some(name)), Sight::Knowledge).unwrap();
        for number in 0..3 {
            let spec = MatchSpec {
                game: room.game().name().to_owned(),
                config: config.clone(),
                seed: Seed::new(number),
                entrants: vec![name.to_owned(); agents(*room)],
                limits: MatchLimits::default(),
            };
            let record = room.play(&spec, "tests 1.0", None).unwrap();
            game.begin(spec.seed).unwrap();
            let episode = game.episode().unwrap();
            assert_eq!(
                (game.hash(), episode.outcome, episode.steps),
                (record.hash, record.outcome, record.steps)
            );
            assert_eq!((game.asked(), game.now()), (None, record.time));
        }
    }
}

/// Repeats these choices.
struct Repeats(VecDeque<String>);

impl<E: Notation> Policy<E> for Repeats {
    fn choose(&mut self, _: SimTime, _: AgentId, _: &E::Observation) -> Choice<E::Action> {
        Choice::Act(self.0.pop_front().expect("a choice for each decision").parse().unwrap())
    }
}

impl Strategy for Repeats {
    fn act(&mut self, view: &mut View<'_>) -> Choice<Action> {
        match &*self.0.pop_front().expect("a choice for each decision") {
            "wait" => Choice::Wait(view.now + view.penalty(ActionKind::Move)),
            action => Choice::Act(action.parse().unwrap()),
        }
    }
}

fn a_sibling_takes_the_course_of_a_rollout<E: Notation>() {
    let room = strategies::room::find(E::GAME).unwrap();
    let config = config(room);
    let mut game = room.array_game(&config, &names(room, None), Sight::Knowledge).unwrap();
    for seed in (0..GAMES).map(Seed::new) {
        let choices = play_at_random(&mut *game, seed);
        let mut state = E::new(&E::read_config(&config).unwrap(), seed);
        let mut policies: Vec<Repeats> = choices.into_iter().map(Repeats).collect();
        let episode = Rollout::default().play(&mut state, &mut policies, &mut ());
        assert_eq!((game.hash(), game.episode().unwrap()), (state.hash(), episode), "{} {seed}", E::GAME);
    }
}

#[test]
fn the_siblings_take_the_course_of_a_rollout() {
    a_sibling_takes_the_course_of_a_rollout::<game_dots::State>();
    a_sibling_takes_the_course_of_a_rollout::<game_bricks::State>();
    a_sibling_takes_the_course_of_a_rollout::<game_conveyor::State>();
    a_sibling_takes_the_course_of_a_rollout::<game_eriantys::State>();
}

#[test]
fn the_project_game_takes_the_course_of_a_rollout() {
    let room = strategies::room::find(State::GAME).unwrap();
    // On a small board, random games end soon.
    let small = RawConfig {
        board_x: 3,
        board_y: 5,
        goal_area_height: 1,
        number_of_goals: 1,
        number_of_pieces: 4,
        ..Preset::Quick.raw()
    };
    let config = small.check().unwrap();
    let mut game = room.array_game(&config.parameters(), &names(room, None), Sight::Knowledge).unwrap();
    let (mut decisions, mut questions) = (0, 0);
    for seed in (0..GAMES).map(Seed::new) {
        let choices = play_at_random(&mut *game, seed);
        decisions += choices.iter().flatten().count();
        questions += choices.iter().flatten().filter(|choice| choice.starts_with("ask")).count();
        let mut state = State::new(&config, seed);
        let mut seats = local::Seat::all(&state, seed, |agent, _| Repeats(choices[agent.index()].clone()));
        let rollout = Rollout { limits: MatchLimits::default().into(), ..Rollout::default() };
        let episode = rollout.play(&mut state, &mut seats, &mut ());
        assert_eq!((game.hash(), game.episode().unwrap()), (state.hash(), episode), "{seed}");
        assert!(seats.iter().all(|seat| seat.strategy().0.is_empty()), "every choice was asked for");
    }
    assert!(
        decisions > 200_000 && questions > 50_000,
        "{decisions} decisions, {questions} of them questions"
    );
}

/// The agent's own field is in the centre of the window, and the vector says where the board ends.
#[test]
fn the_window_of_the_project_game_is_that_of_the_agent() {
    let room = strategies::room::find(State::GAME).unwrap();
    let mut game =
        room.array_game(&Preset::Quick.parameters(), &names(room, None), Sight::Knowledge).unwrap();
    game.begin(Seed::new(7)).unwrap();
    let layout = game.layout().clone();
    let part = |texts: &[String], text: &str| texts.iter().position(|part| part == text).unwrap();
    let (mut planes, mut vector) = (vec![0; layout.plane_bytes()], vec![0.0; layout.vector.len()]);
    let mut mask = vec![0; layout.actions.len()];
    let board = part(&layout.planes, "1: the field is on the board") * 121;
    let distance = "distance to the nearest piece in moves plus 1: 0 unknown, 255 no piece on the board";
    let distance = part(&layout.planes, distance) * 121;
    let discover = part(&layout.actions, "discover");
    let mut has_discovered = [false; 4];
    let due = AgentId::all(4).filter(|agent| game.is_due(*agent)).count();
    assert_eq!(due, 4, "all agents can act at the beginning");
    while !has_discovered.iter().all(|has| *has) {
        let agent = game.asked().unwrap();
        game.write(agent, &mut planes, &mut vector, &mut mask);
        assert_eq!(mask, game.mask());
        let at = |text: &str| vector[part(&layout.vector, text)];
        let (x, y) = (at("column, from the west"), at("row, from the south"));
        for row in 0..11u8 {
            for column in 0..11u8 {
                let (field_x, field_y) = (x + f32::from(column) - 5.0, y + 5.0 - f32::from(row));
                let is_on_board = (0.0..8.0).contains(&field_x) && (0.0..14.0).contains(&field_y);
                let place = usize::from(row * 11 + column);
                assert_eq!(planes[board + place], u8::from(is_on_board), "agent {agent} at {x},{y}");
            }
        }
        let center = planes[distance + 60];
        assert_eq!(center > 0, has_discovered[agent.index()], "the agent knows its own distance then");
        assert_eq!(at("1: the distance below is known") == 1.0, has_discovered[agent.index()]);
        has_discovered[agent.index()] = true;
        game.act(discover).unwrap();
    }
}

/// If no agent tells another anything, an agent with its own readings sees the planes of the knowledge board. It does
/// not search for the nearest piece.
#[test]
fn own_readings_are_those_of_the_knowledge_board() {
    let room = strategies::room::find(State::GAME).unwrap();
    let [mut known, mut read] = [Sight::Knowledge, Sight::Readings]
        .map(|sight| room.array_game(&Preset::Quick.parameters(), &names(room, None), sight).unwrap());
    let layout = known.layout().clone();
    assert_eq!(&layout, read.layout());
    let search = |text: &String| {
        text.contains("place below")
            || text.contains("nearest piece probably")
            || text.contains("at which it lies")
    };
    let (bytes, numbers, actions) = (layout.plane_bytes(), layout.vector.len(), layout.actions.len());
    let mut views = [0, 1].map(|_| (vec![0; bytes], vec![0.0; numbers], vec![0; actions]));
    for seed in (0..3).map(Seed::new) {
        let mut chance = seed.child(9).game();
        known.begin(seed).unwrap();
        read.begin(seed).unwrap();
        let mut decisions = 0;
        while let Some(agent) = known.asked().filter(|_| decisions < 3_000) {
            assert_eq!((read.asked(), read.now(), read.hash()), (Some(agent), known.now(), known.hash()));
            for (game, (planes, vector, mask)) in [&mut known, &mut read].into_iter().zip(&mut views) {
                game.write(agent, planes, vector, mask);
                for (number, _) in vector.iter_mut().zip(&layout.vector).filter(|(_, text)| search(text)) {
                    *number = 0.0;
                }
            }
            let [one, other] = &views;
            assert_eq!((&one.1, &one.2), (&other.1, &other.2), "agent {agent} at {}", known.now());
            let differs = one.0.iter().zip(&other.0).position(|(one, other)| one != other);
            let differs =
                differs.map(|place| (&layout.planes[place / 121], place % 121, one.0[place], other.0[place]));
            assert_eq!(differs, None, "agent {agent} at {}", known.now());
            // Nobody asks.
            let possible = (0..actions)
                .filter(|number| one.2[*number] == 1 && !layout.actions[*number].starts_with("ask"));
            let possible: Vec<usize> = possible.collect();
            let number = possible[chance.index(possible.len())];
            known.act(number).unwrap();
            read.act(number).unwrap();
            decisions += 1;
        }
        assert!(decisions > 1_000);
    }
}

/// The same choices are the same game, whatever its agents see. The whole board has what the window has, on the same
/// fields; with notices alone, the vector is the same but for the search for pieces.
#[test]
fn all_sights_of_the_project_game_show_one_game() {
    let room = strategies::room::find(State::GAME).unwrap();
    let mut games = [Sight::Knowledge, Sight::Board, Sight::Notices]
        .map(|sight| room.array_game(&Preset::Quick.parameters(), &names(room, None), sight).unwrap());
    let layouts = games.each_ref().map(|game| game.layout().clone());
    let [window, board, notices] = &layouts;
    assert_eq!((board.rows, board.columns), (14, 8));
    assert_eq!(board.planes[..window.planes.len()], window.planes);
    assert_eq!((notices.planes.len(), notices.plane_bytes()), (0, 0));
    let mut views = layouts.each_ref().map(|layout| {
        (vec![0; layout.plane_bytes()], vec![0.0; layout.vector.len()], vec![0; layout.actions.len()])
    });
    let is_of_search =
        |text: &String| text.contains("place below") || text.contains("nearest piece probably");
    let first_of_search = window.vector.iter().position(is_of_search).unwrap();
    for seed in (0..2).map(Seed::new) {
        let mut chance = seed.child(9).game();
        for game in &mut games {
            game.begin(seed).unwrap();
        }
        let (mut decisions, mut answers, mut last) = (0, 0, [SimTime::START; 4]);
        while let Some(agent) = games[0].asked().filter(|_| decisions < 2_000) {
            let now = games[0].now();
            for (game, (planes, vector, mask)) in games.iter_mut().zip(&mut views) {
                assert_eq!((game.asked(), game.now()), (Some(agent), now));
                game.write(agent, planes, vector, mask);
            }
            assert_eq!(games[0].hash(), games[1].hash());
            assert_eq!(games[0].hash(), games[2].hash());
            let [in_window, on_board, told] = &mut views;
            assert_eq!((&in_window.1, &in_window.2), (&on_board.1, &on_board.2));
            in_window.1[first_of_search..first_of_search + 3].fill(0.0);
            assert_eq!((&in_window.1, &in_window.2), (&told.1, &told.2));
            let whole = |number: f32| (0..100_u8).position(|whole| f32::from(whole) == number).unwrap();
            let [x, y] = [1, 2].map(|place| whole(in_window.1[place]));
            for (plane, text) in window.planes.iter().enumerate() {
                for (row, column) in (0..11).flat_map(|row| (0..11).map(move |column| (row, column))) {
                    let at = (x + column).checked_sub(5).zip((y + 5).checked_sub(row));
                    let at = at.filter(|(x, y)| *x < 8 && *y < 14);
                    let expected = at.map_or(0, |(x, y)| on_board.0[(plane * 14 + 13 - y) * 8 + x]);
                    let found = in_window.0[(plane * 11 + row) * 11 + column];
                    assert_eq!(
                        found, expected,
                        "{text}, row {row}, column {column}, agent {agent} at {x},{y}"
                    );
                }
            }
            let own = &on_board.0[window.planes.len() * 14 * 8..];
            assert_eq!(own.iter().position(|is_there| *is_there == 1), Some((13 - y) * 8 + x));
            assert_eq!(own.iter().filter(|is_there| **is_there == 1).count(), 1);
            for notice in games[2].notices(agent) {
                let notice: serde_json::Value = serde_json::from_str(&notice).unwrap();
                let at = SimTime::from_millis(notice["t"].as_u64().unwrap());
                assert!(last[agent.index()] <= at && at <= now, "{notice} at {now}");
                answers += u32::from(notice["type"] == "answered");
            }
            last[agent.index()] = now;
            let mask = &views[0].2;
            let possible: Vec<usize> = (0..mask.len()).filter(|number| mask[*number] == 1).collect();
            let number = possible[chance.index(possible.len())];
            for game in &mut games {
                game.act(number).unwrap();
            }
            decisions += 1;
        }
        assert!(decisions > 500 && answers > 20, "{decisions} decisions, {answers} answers");
    }
}

#[test]
fn only_the_project_game_has_notices() {
    for room in rooms() {
        let game = room.array_game(&config(*room), &names(*room, None), Sight::Notices);
        match room.game().name() {
            State::GAME => assert!(game.is_ok()),
            name => assert_eq!(
                game.err().unwrap().to_string(),
                format!("the game {name} has no notices: expected another observation")
            ),
        }
    }
}

#[test]
fn what_cannot_be_done_is_named_and_changes_nothing() {
    let room = strategies::room::find("dots").unwrap();
    let wrong = room.array_game(&Parameters::new(), &[None], Sight::Knowledge).err().unwrap();
    assert_eq!(wrong.to_string(), "1 entrant for 2 agents");
    let mut game =
        room.array_game(&Parameters::new(), &[None, Some("gredy".to_owned())], Sight::Knowledge).unwrap();
    let unknown = game.begin(Seed::new(1)).unwrap_err().to_string();
    assert!(unknown.starts_with("agent #1: unknown strategy `gredy`"), "{unknown}");
    let mut game = room.array_game(&Parameters::new(), &[None, None], Sight::Knowledge).unwrap();
    assert_eq!(game.act(0), Err(ArrayGameError::NobodyIsAsked));
    game.begin(Seed::new(1)).unwrap();
    let mover = game.asked().unwrap();
    game.act(3).unwrap();
    let hash = game.hash();
    let drawn = game.act(3).unwrap_err();
    let told = format!(
        "agent {} cannot choose action 3, `3-4`, now: expected one that its mask allows",
        mover.opponent()
    );
    assert_eq!(drawn.to_string(), told);
    let none = game.act(40).unwrap_err();
    assert_eq!(none.to_string(), "action 40: expected a number from 0 to 39");
    assert_eq!((game.hash(), game.asked()), (hash, Some(mover.opponent())));
    let program =
        room.array_game(&Parameters::new(), &[None, Some("python3 agent.py".to_owned())], Sight::Knowledge);
    let none = program.unwrap().begin(Seed::new(1)).unwrap_err().to_string();
    assert!(none.contains("starts none"), "{none}");
}
