//! Eriantys on the board: the whole table with each event.

use game_env::replay::{Player, Writer};
use game_env::{Disruption, Environment, Seed, SimTime, Witness};
use game_eriantys::{Action, Character, Config, Play, State};
use serde_json::{Value, json};
use viewer::matches::{Matches, Opening};
use viewer::recording::Recording;
use viewer::server::{Place, ServerLimits, ViewerServer};

use crate::browser::Site;

/// The feed of a game; `play` does with the state what is to be recorded.
fn feed(config: &Config, play: impl FnOnce(&mut State, &mut Writer<Vec<u8>>)) -> Vec<Value> {
    let seed = Seed::new(7);
    let mut state = State::new(config, seed);
    let mut writer = Writer::in_memory::<State>(config, seed, "tests", "tests");
    play(&mut state, &mut writer);
    let recording = Recording::read(&writer.finish().unwrap()[..], "eriantys.replay").unwrap();
    recording.messages.iter().map(|message| serde_json::from_str(message).unwrap()).collect()
}

fn entries(feed: &[Value]) -> Vec<&Value> {
    feed.iter().filter_map(|message| message["events"].as_array()).flatten().collect()
}

/// The mover does this.
fn act(state: &mut State, writer: &mut Writer<Vec<u8>>, action: Action) {
    let mover = state.table().mover();
    writer.action(state, SimTime::START, mover, &action);
    state.step(SimTime::START, mover, action, &mut ());
}

/// The first legal action of the mover that is wanted.
fn first(state: &State, wanted: impl Fn(&Action) -> bool) -> Action {
    let mut options = Vec::new();
    state.legal_actions(state.table().mover(), &mut options);
    options.into_iter().find(wanted).unwrap()
}

fn sum(counts: &Value) -> u64 {
    counts.as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum()
}

/// All students of a picture.
fn students(picture: &Value) -> u64 {
    let of = |list: &str, name: &str| -> u64 {
        picture[list].as_array().unwrap().iter().map(|one| sum(&one[name])).sum()
    };
    let clouds: u64 = picture["clouds"].as_array().unwrap().iter().map(sum).sum();
    let schools = of("schools", "entrance") + of("schools", "dining");
    of("islands", "students") + clouds + schools + of("cards", "students") + sum(&picture["bag"])
}

#[test]
fn every_picture_has_the_whole_table() {
    let config = Config::new(3, true).unwrap();
    let config = config.with_characters([Character::Jester, Character::Monk, Character::Granny]).unwrap();
    let feed = feed(&config, |state, writer| {
        while state.table().round < 3 {
            let action = first(state, |_| true);
            act(state, writer, action);
        }
    });
    let (start, picture) = (&feed[1], &feed[1]["picture"]);
    assert_eq!(
        (&feed[0]["game"], &start["title"], &start["turns"]),
        (&json!("eriantys"), &json!("Eriantys"), &json!(true))
    );
    let table = State::new(&config, Seed::new(7)).table().to_owned();
    assert_eq!(picture["motherNature"], table.mother_nature().index());
    assert_eq!(
        (&picture["phase"], &picture["round"], &picture["bank"]),
        (&json!("planning"), &json!(1), &json!(17))
    );
    assert_eq!((&picture["towers"], &picture["towersLeft"]), (&json!(6), &json!([6, 6, 6])));
    assert_eq!(picture["mover"], table.mover().index());
    for (place, island) in table.islands().iter().enumerate() {
        let expected = json!({
            "students": island.students.counts(), "owner": null, "towers": 0, "bans": 0, "first": place, "size": 1,
            "influence": [0, 0, 0],
        });
        assert_eq!(picture["islands"][place], expected);
    }
    let hand: Vec<u8> = (1..=10).collect();
    for player in table.players() {
        let school = table.school(player);
        let expected = json!({
            "entrance": school.entrance.counts(), "dining": [0, 0, 0, 0, 0], "hand": hand, "assistant": null, "coins": 1,
        });
        assert_eq!(picture["schools"][player.index()], expected);
    }
    let card = |place: usize, character: &str, price: u8, bans: u8| {
        let students = table.cards()[place].students.counts();
        json!({ "character": character, "price": price, "students": students, "bans": bans, "used": false })
    };
    let cards = [card(0, "jester", 1, 0), card(1, "monk", 1, 0), card(2, "granny", 2, 4)];
    assert_eq!(picture["cards"], json!(cards));
    assert_eq!(picture["does"][2], Character::Granny.summary());
    assert_eq!(students(picture), 130);
    let entries = entries(&feed);
    assert!(entries.iter().all(|entry| students(&entry[4]) == 130), "no student is lost");
    assert!(entries.iter().all(|entry| entry[4].get("does").is_none()), "what cards do is told once");
    let rounds: Vec<&Value> =
        entries.iter().filter(|entry| entry[1] == "round").map(|entry| &entry[3]).collect();
    assert_eq!(rounds, [&json!({ "round": 2 }), &json!({ "round": 3 })]);
    let filled: Vec<u64> =
        entries.iter().filter(|entry| entry[1] == "filled").map(|entry| sum(&entry[3]["students"])).collect();
    assert_eq!(filled, [4; 6]);
}

#[test]
fn what_players_do_is_told_with_its_choices() {
    let config = Config::new(2, true).unwrap();
    let config = config.with_characters([Character::Jester, Character::Monk, Character::Granny]).unwrap();
    let (mut jester, mut monk) = (None, None);
    let feed = feed(&config, |state, writer| {
        for value in ["3", "8"] {
            act(state, writer, Action::Assistant(value.parse().unwrap()));
        }
        jester = Some(first(state, |action| matches!(action, Action::Character(Play::Jester(_)))));
        act(state, writer, jester.unwrap());
        act(state, writer, Action::Steps(9));
        let turn = state.table().mover();
        while state.table().mover() == turn {
            let action = first(state, |action| !matches!(action, Action::Character(_)));
            act(state, writer, action);
        }
        monk = Some(first(state, |action| matches!(action, Action::Character(Play::Monk(..)))));
        act(state, writer, monk.unwrap());
        let left = Disruption::AgentLost(turn);
        Witness::<State>::disruption(writer, state, SimTime::START, left);
        state.disrupt(SimTime::START, left, &mut ());
        writer.end(state, SimTime::START);
    });
    let entries = entries(&feed);
    let of = |kind: &str| entries.iter().find(|entry| entry[1] == kind).unwrap();
    assert_eq!((&entries[0][1], &entries[0][3]), (&json!("assistant"), &json!({ "value": 3, "steps": 2 })));
    assert_eq!(
        entries[1][4]["schools"][usize::try_from(entries[0][2].as_u64().unwrap()).unwrap()]["assistant"],
        json!([3, 2])
    );
    let Some(Action::Character(Play::Jester(exchange))) = jester else { unreachable!("it was chosen so") };
    let (given, taken) = (exchange.given().counts(), exchange.taken().counts());
    let played = json!({ "character": "jester", "given": given, "taken": taken, "price": 1 });
    assert_eq!(of("character")[3], played);
    assert_eq!(of("character")[4]["cards"][0]["price"], 2);
    assert_eq!(of("refusal")[3], json!({ "asked": { "kind": "steps", "steps": 9 }, "why": "other-phase" }));
    let Some(Action::Character(Play::Monk(color, island))) = monk else { unreachable!("it was chosen so") };
    let last = entries.iter().rfind(|entry| entry[1] == "character").unwrap();
    let played =
        json!({ "character": "monk", "color": color.to_string(), "island": island.number(), "price": 1 });
    assert_eq!(last[3], played);
    assert_eq!(of("refilled")[3]["character"], "monk");
    let end = entries.last().unwrap();
    assert_eq!((&end[1], &end[3]["termination"]), (&json!("end"), &json!("agent-lost")));
    assert_eq!((&end[3]["fault"], &end[4]["mover"]), (&entries[2][2], &Value::Null));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_seed_of_a_match_that_people_play_is_not_shown() {
    const { assert!(Matches::<State>::CAN_BE_PLAYED) };
    let place = Place::take("127.0.0.1:0").unwrap();
    let (server, matches, _requests) =
        ViewerServer::matches::<State>(place, ServerLimits::default()).unwrap();
    let (config, seed) = (Config::new(2, false).unwrap(), Seed::new(7));
    let state = State::new(&config, seed);
    let players = Player::all(&state, |_| "tests");
    let live = matches.open(Opening { title: "a".to_owned(), config, seed, players, people: Vec::new() });
    let site = Site::of(server.url());
    let mut viewer = site.connect(&format!("?match={}", live.id()), None).await.expect("a feed");
    let told = viewer.until("start").await;
    assert_eq!(told.last().unwrap()["seed"], Value::Null);
}

#[test]
fn the_replay_of_the_browser_tests_is_one_of_these_rules() {
    let file = include_bytes!("../games/eriantys.replay");
    let recording = Recording::read(&file[..], "eriantys.replay").expect(
        "make it again: cargo run -p viewer --example random_replay eriantys > viewer/tests/games/eriantys.replay",
    );
    assert_eq!(recording.truncated, None);
    assert_eq!(recording.statistics["outcome"]["termination"], "normal");
}
