//! Hostile input: whatever comes in, the game goes on and its invariants hold.

use game_env::replay::{Playback, Writer};
use game_env::{Environment, Seed, SimTime, TeamId};
use game_project::{RawConfig, State};
use proptest::prelude::*;
use reference_gm::project::{Input, Master, News, Output, Settings};
use wire::frame::Decoder;
use wire::project::{AgentNumber, Dialect, Seats};

use crate::conversation::settings;

fn body() -> impl Strategy<Value = Vec<u8>> {
    let number = prop_oneof![4 => (10i64..15).prop_map(|n| n.to_string()), 1 => "-?[0-9]{1,20}", 1 => "null|\"x\"|[0-9]\\.5"];
    let id = prop_oneof![6 => 1i64..10, 1 => 100i64..114, 1 => 900i64..908, 1 => any::<i64>()];
    let payload = prop_oneof![
        6 => Just("{}".to_owned()),
        3 => prop::sample::select(vec!["N", "E", "S", "W", "X"]).prop_map(|way| format!("{{\"direction\":\"{way}\"}}")),
        2 => (8i64..16).prop_map(|agent| format!("{{\"askedAgentID\":{agent},\"respondToID\":{agent},\"agentID\":{agent}}}")),
        1 => (8i64..16).prop_map(|agent| format!("{{\"respondToID\":{agent},\"distances\":[1,null,-1,\"2\"],\"blueTeamGoalAreaInformations\":[\"g\"]}}")),
        1 => Just("{\"teamID\":\"red\"}".to_owned()),
        1 => "[\\[\\]{}\",:a-z0-9]{0,20}",
    ];
    let message = (id, number, payload).prop_map(|(id, agent, payload)| {
        format!("{{\"messageID\":{id},\"agentID\":{agent},\"payload\":{payload}}}").into_bytes()
    });
    prop_oneof![20 => message, 1 => prop::collection::vec(any::<u8>(), 0..60)]
}

proptest! {
    /// Any bodies at any time: no panic, as many pieces as ever, and a replay that plays again.
    #[test]
    fn no_message_stops_the_game(
        seed in any::<u64>(),
        union in any::<bool>(),
        inputs in prop::collection::vec((body(), prop_oneof![Just(0u64), 0u64..2000]), 1..150),
    ) {
        let raw = RawConfig {
            board_x: 5, board_y: 6, goal_area_height: 1, number_of_goals: 2, number_of_pieces: 6, ..RawConfig::default()
        };
        let config = raw.check().unwrap();
        let dialect = if union { Dialect::Union } else { Dialect::Spec };
        let settings = Settings { seed: Seed::new(seed), ..settings(config.clone(), dialect) };
        let state = State::new(&config, settings.seed);
        let mut writer = Writer::in_memory::<State>(&config, settings.seed, "anybody", "tests");
        let seats = Seats::new((10..14).map(AgentNumber).collect());
        let mut master = Master::take_over(settings, state, seats, SimTime::START);
        let mut now = 0;
        for (body, pause) in inputs {
            now += pause;
            master.handle(SimTime::from_millis(now), Input::Body(&body), &mut writer);
            while master.poll_output().is_some() {}
            let setup = master.game().unwrap().setup();
            let in_hand = setup.agents.iter().filter(|agent| agent.hand.is_some()).count();
            prop_assert_eq!(setup.pieces.len() + in_hand, 6);
        }
        master.handle(SimTime::from_millis(now), Input::Stop, &mut writer);
        let file = writer.finish().unwrap();
        let mut playback = Playback::<State>::open(&file[..]).unwrap();
        let summary = playback.run(&mut ()).unwrap();
        prop_assert!(summary.completeness.is_complete());
        prop_assert_eq!(playback.state().hash(), master.game().unwrap().hash());
        prop_assert_eq!(summary.outcome.map(|outcome| outcome.winner().map(TeamId::index)),
            Some(match master.game().unwrap().turn() {
                game_env::Turn::Over(outcome) => outcome.winner().map(TeamId::index),
                game_env::Turn::Act { .. } => panic!("a stopped game goes on"),
            }));
    }
}

/// The communication server takes messages that are too long for a fault of the game master, and drops the game
/// master after some of them.
#[test]
fn nobody_can_make_an_answer_too_long() {
    let config = RawConfig { team_size: 1, ..RawConfig::default() }.check().unwrap();
    let settings = Settings { start_when_full: true, ..settings(config, Dialect::Union) };
    let limit = usize::from(settings.longest_message);
    let mut master = Master::new(settings);
    let mut told = 0;
    let say = |id: i64, agent: i64, payload: &str, correlation: &str| {
        format!(
            r#"{{"messageID":{id},"agentID":{agent},"payload":{payload},"correlationID":"{correlation}"}}"#
        )
    };
    let mut bodies: Vec<String> = [(1, "red"), (2, "blue")]
        .map(|(agent, team)| say(6, agent, &format!(r#"{{"teamID":"{team}"}}"#), "c"))
        .to_vec();
    for length in [8000, 8100, 8120, 65_000] {
        for agent in [1, 77] {
            let requests = [(7, r#"{"direction":"N"}"#), (3, "{}"), (6, r#"{"teamID":"red"}"#), (55, "[]")];
            bodies.extend(requests.map(|(id, payload)| say(id, agent, payload, &"z".repeat(length))));
        }
    }
    let asked = bodies.len() + 2; // two are told the beginning as well
    for body in bodies {
        master.handle(SimTime::START, Input::Body(body.as_bytes()), &mut ());
        while let Some(output) = master.poll_output() {
            match output {
                Output::Send(frames) => {
                    let (mut decoder, mut bytes) = (Decoder::new(u16::MAX), &frames[..]);
                    while let Some(body) = decoder.next(&mut bytes) {
                        assert!(body.unwrap().len() <= limit);
                        told += 1;
                    }
                }
                Output::Report(News::Unsent { .. }) => panic!("an answer is short enough by itself"),
                Output::Report(_) => {}
                Output::Done => {}
            }
        }
    }
    assert_eq!(told, asked);
}
