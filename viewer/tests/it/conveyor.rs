//! Conveyor on the board: the whole board at first, then where the players are.

use game_conveyor::known::{InitialKnowledge, Known};
use game_conveyor::{Action, Config, Direction, Field, Place, State, Steps};
use game_env::replay::{Player, Writer};
use game_env::{AgentId, Disruption, Environment, Seed, SimTime, TeamId, Termination, Witness};
use serde_json::{Value, json};
use viewer::matches::{Matches, Opening};
use viewer::recording::Recording;
use viewer::server::{Place as PagePlace, ServerLimits, ViewerServer};

use crate::browser::Site;

/// The feed of a game on 7×5 fields with two conveyors; `play` does with the state what is to be recorded.
fn feed(play: impl FnOnce(&mut State, &mut Writer<Vec<u8>>)) -> (State, Vec<Value>) {
    let (config, seed) = (Config::new(7, 5).unwrap().with_conveyors(2).unwrap(), Seed::new(7));
    let first = State::new(&config, seed);
    let mut state = first.clone();
    let mut writer = Writer::in_memory::<State>(&config, seed, "tests", "tests");
    play(&mut state, &mut writer);
    let recording = Recording::read(&writer.finish().unwrap()[..], "conveyor.replay").unwrap();
    (first, recording.messages.iter().map(|message| serde_json::from_str(message).unwrap()).collect())
}

fn act(state: &mut State, writer: &mut Writer<Vec<u8>>, action: Action) {
    let player = AgentId::new(u8::from(!matches!(action, Action::Step(_))).into());
    writer.action(state, SimTime::START, player, &action);
    state.step(SimTime::START, player, action, &mut ());
}

fn entries(feed: &[Value]) -> Vec<&Value> {
    feed.iter().filter_map(|message| message["events"].as_array()).flatten().collect()
}

#[test]
fn the_board_is_told_once_and_then_where_the_players_are() {
    let (first, feed) = feed(|state, writer| {
        act(state, writer, Action::Turn(Direction::Left));
        for _ in 0..7 {
            act(state, writer, Action::Ahead(Steps::One));
        }
        writer.end(state, SimTime::START);
    });
    assert_eq!(
        (&feed[0]["game"], &feed[1]["title"], &feed[1]["turns"]),
        (&json!("conveyor"), &json!("Conveyor"), &json!(true))
    );
    let picture = &feed[1]["picture"];
    let (board, config) = (first.board(), first.board().config());
    let pair = |place: Place| json!([place.column, place.row]);
    assert_eq!((&picture["columns"], &picture["rows"]), (&json!(7), &json!(5)));
    assert_eq!(picture["homes"], json!([pair(board.home(0)), pair(board.home(1))]));
    assert_eq!(picture["places"], json!([pair(first.place(0)), pair(first.place(1))]));
    let special = |is: fn(Field) -> bool| {
        config.places().filter(|place| is(board.field(*place))).map(pair).collect::<Vec<_>>()
    };
    let named =
        |list: &Value| list.as_array().unwrap().iter().map(|entry| entry[0].clone()).collect::<Vec<_>>();
    assert_eq!(named(&picture["hints"]), special(|field| matches!(field, Field::Hint(_))));
    assert_eq!(named(&picture["conveyors"]), special(|field| matches!(field, Field::Start(_))));
    let entries = entries(&feed);
    assert_eq!((&entries[0][0], &entries[0][1], &entries[0][2]), (&json!(1000), &json!("done"), &json!(1)));
    assert_eq!(entries[0][3], json!({ "asked": ["turn", "left"], "hint": null }));
    assert_eq!(entries[1][1], "place");
    assert_eq!(entries[1][4]["heading"], "left");
    assert!(entries[1][4].get("hints").is_none(), "the board is not told again");
    let last = entries.last().unwrap();
    assert_eq!(
        (&last[1], &last[3]),
        (&json!("refusal"), &json!({ "asked": ["ahead", 1], "why": "off-board" }))
    );
}

/// A player's own knowledge on the page is made of entries that do not have places.
#[test]
fn what_a_player_hears_has_no_places() {
    let (_, feed) = feed(|state, writer| {
        for direction in Direction::ALL.into_iter().cycle().take(40) {
            act(state, writer, Action::Step(direction));
            act(state, writer, Action::Turn(direction));
            act(state, writer, Action::Ahead(Steps::Two));
        }
    });
    let entries = entries(&feed);
    let heard =
        entries.iter().filter(|entry| ["done", "hint", "refusal"].contains(&entry[1].as_str().unwrap()));
    for entry in heard {
        let keys: Vec<&String> = entry[3].as_object().unwrap().keys().collect();
        assert!(keys.iter().all(|key| ["asked", "hint", "why"].contains(&key.as_str())), "{entry}");
    }
    assert!(entries.iter().any(|entry| entry[1] == "hint"), "the game has hints");
}

#[test]
fn who_left_and_how_it_ended_is_told() {
    let (_, feed) = feed(|state, writer| {
        for disruption in
            [Disruption::AgentLost(AgentId::new(0)), Disruption::Ended(Termination::Interrupted)]
        {
            Witness::<State>::disruption(writer, state, SimTime::START, disruption);
            state.disrupt(SimTime::START, disruption, &mut ());
        }
        writer.end(state, SimTime::START);
    });
    let entries = entries(&feed);
    assert_eq!((&entries[0][1], &entries[0][2]), (&json!("left"), &json!(0)));
    assert_eq!(entries[1][3], json!({ "winner": null, "termination": "interrupted", "fault": null }));
    assert_eq!(entries[1][4]["over"], true);
}

/// A page shows everything to everybody, so nobody plays a game on it that hides something.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_that_hides_something_is_only_watched() {
    const { assert!(!Matches::<State>::CAN_BE_PLAYED && Matches::<game_dots::State>::CAN_BE_PLAYED) };
    let place = PagePlace::take("127.0.0.1:0").unwrap();
    let (server, matches, _requests) =
        ViewerServer::matches::<State>(place, ServerLimits::default()).unwrap();
    let site = Site::of(server.url());
    matches.offer("play", "Play against hints");
    let config = Config::default();
    let _live = matches.open(Opening {
        title: "a".to_owned(),
        config,
        seed: Seed::new(1),
        players: AgentId::all(2).map(|agent| Player::new(TeamId::of_lone_agent(agent), "a")).collect(),
        people: Vec::new(),
    });
    let mut viewer = site.connect("", None).await.expect("a feed");
    let list = loop {
        let message = viewer.next().await.expect("a list");
        if message["kind"] == "matches" && message["newest"] == 1 {
            break message;
        }
    };
    assert_eq!(list["offers"], json!([]));
    let told =
        site.request("POST", "/play", "", &json!({ "offer": "play", "name": "Ann" }).to_string()).await;
    assert_eq!(told.status, 404);
}

/// A controller's knowledge is drawn like the game itself; unknown things are null.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_controllers_game_begins_without_what_the_board_keeps() {
    let place = PagePlace::take("127.0.0.1:0").unwrap();
    let (server, matches, _requests) =
        ViewerServer::matches::<Known>(place, ServerLimits::default()).unwrap();
    let site = Site::of(server.url());
    let start = Place::new(3, 2);
    let initial = InitialKnowledge {
        homes: [Some(Place::new(9, 9)), None],
        hints: vec![Place::new(2, 2)],
        conveyors: [(start, None)].into(),
        ..InitialKnowledge::new(Config::new(9, 9).unwrap())
    };
    let mut state = Known::new(&initial, Seed::new(0));
    let mut live = matches.open(Opening {
        title: "a".to_owned(),
        config: initial,
        seed: Seed::new(0),
        players: Player::all(&state, |_| "a"),
        people: Vec::new(),
    });
    let mut viewer = site.connect("?match=1", None).await.expect("a feed");
    let hello = viewer.next().await.expect("a greeting");
    assert_eq!(hello["game"], "conveyor");
    let mut first = viewer.next().await.expect("the start");
    while first["kind"] != "start" {
        first = viewer.next().await.expect("the start");
    }
    assert_eq!(first["seed"], Value::Null);
    assert_eq!(
        first["picture"],
        json!({
            "columns": 9, "rows": 9, "homes": [[9, 9], null], "hints": [[[2, 2], [null, null]]],
            "conveyors": [[[3, 2], null]], "places": [[1, 1], [1, 1]], "heading": null, "over": false,
        })
    );
    let player = AgentId::new(0);
    for line in
        ["step up done 1,2", "step right hint right 2,2", "step right done 7,7", "step up refused", "wins"]
    {
        let heard = line.parse().unwrap();
        live.action(&state, SimTime::START, player, &heard);
        state.step(SimTime::START, player, heard, &mut ());
    }
    live.end(&state, SimTime::START);
    let told = viewer.until("statistics").await;
    let kinds: Vec<&Value> = entries(&told).into_iter().map(|entry| &entry[1]).collect();
    assert_eq!(kinds, ["done", "place", "hint", "place", "done", "carried", "refusal", "end"]);
    let carried = entries(&told)[5];
    assert_eq!(carried[3], json!({ "at": [7, 7], "from": [3, 2] }));
    let last = told.last().unwrap();
    assert_eq!((&last["replay"], &last["document"]["seed"]), (&json!(false), &Value::Null));
    assert_eq!(site.get("/game.replay?match=1").await.status, 404);
    // A page that comes now begins with everything that is known, and needs no earlier entries.
    let again = site.connect("?match=1", None).await.expect("a feed").until("statistics").await;
    assert_eq!(entries(&again), entries(&told));
}
