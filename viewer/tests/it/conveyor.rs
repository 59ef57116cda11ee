//! Conveyor on the board: the whole board at first, then where the players are.

use game_conveyor::{Action, Config, Direction, Field, State, Steps};
use game_env::replay::{Header, Player, Writer};
use game_env::{AgentId, Disruption, Environment, Seed, SimTime, Termination, Witness};
use serde_json::{Value, json};
use viewer::recording::Recording;

/// The feed of a game on 7×5 fields with two conveyors; `play` does with the state what is to be recorded.
fn feed(play: impl FnOnce(&mut State, &mut Writer<Vec<u8>>)) -> (State, Vec<Value>) {
    let (config, seed) = (Config::new(7, 5).unwrap().with_conveyors(2).unwrap(), Seed::new(7));
    let first = State::new(&config, seed);
    let mut state = first.clone();
    let player = |agent| Player::new(state.team(agent), "tests");
    let header = Header::new::<State>(&config, seed, AgentId::all(2).map(player).collect(), "tests");
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
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
    let pair = |place: game_conveyor::Place| json!([place.column, place.row]);
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

/// What the page shows as a player's own knowledge is made of entries that do not say where anybody is.
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
