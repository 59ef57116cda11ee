//! The study of a replay on its page: findings as the page receives them, and requests as the program does.

use game_env::SimTime;
use serde_json::{Value, json};
use viewer::findings::{ChanceAt, Findings, Mark, Remark};
use viewer::recording::Recording;
use viewer::room::Room;
use viewer::server::{Place, ViewerServer};
use viewer::study::{Offer, StudyRequest, StudyState};

use crate::browser::{Site, Viewer};

fn findings() -> Findings {
    let mark = |steps, millis| Mark { steps, at: SimTime::from_millis(millis) };
    let chance = |mark, value| ChanceAt { mark, value, low: value - 0.1, high: value + 0.100_049 };
    Findings {
        team: "red".to_owned(),
        chances: vec![chance(mark(0, 0), 0.5), chance(mark(3, 450), 0.25)],
        remarks: vec![
            Remark { text: "Nothing <stands> out.".to_owned(), mark: None },
            Remark { text: "`move N` cost 3 points.".to_owned(), mark: Some(mark(2, 300)) },
        ],
    }
}

/// The message for the page of this game.
fn message(game: &str) -> Value {
    serde_json::from_str(&findings().message(Room::named(game).unwrap())).unwrap()
}

#[test]
fn moments_are_those_of_the_game_s_page() {
    // A page of The Project Game shows the game's clock, one of Dots & Boxes a second for each move.
    for (game, [first, second, third]) in [("project", [0, 450, 300]), ("dots", [0, 3000, 2000])] {
        let expected = json!({
            "kind": "study",
            "team": "red",
            "chances": [[first, 0.4, 0.5, 0.6], [second, 0.15, 0.25, 0.35]],
            "remarks": [{ "text": "Nothing <stands> out.", "t": null }, { "text": "`move N` cost 3 points.", "t": third }],
        });
        assert_eq!(message(game), expected, "{game}");
    }
}

#[test]
fn findings_follow_the_game_in_its_recording() {
    let file = include_bytes!("../games/dots.replay");
    let mut recording = Recording::read(&file[..], "dots.replay").unwrap();
    let before = recording.messages.len();
    recording.add(&findings());
    assert_eq!(recording.messages.len(), before + 1);
    let last: Value = serde_json::from_str(recording.messages.last().unwrap()).unwrap();
    assert_eq!(last, message("dots"));
}

/// The next message about the study.
async fn study(viewer: &mut Viewer) -> Value {
    loop {
        let message = viewer.next().await.expect("a message");
        if message["kind"] == "study" {
            return message;
        }
    }
}

#[tokio::test]
async fn the_operator_asks_and_everybody_sees_what_was_found() {
    let file = include_bytes!("../games/dots.replay").to_vec();
    let recording = Recording::read(&file[..], "dots.replay").unwrap();
    let texts = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    let (teams, entrants) = (texts(["one", "two"]), texts(["greedy", "chains"]));
    let offer = Offer { teams, agents: 2, entrants, loser: Some(1) };
    let place = Place::take("127.0.0.1:0").unwrap();
    let (server, page, mut requests) =
        ViewerServer::studied(place, "dots.replay", recording, file, offer).unwrap();
    let site = Site::of(server.url());
    let mut spectator = site.watch(false).await;
    let hello = spectator.next().await.expect("a greeting");
    assert!(hello["timeoutMs"].is_u64(), "findings may follow at any time: {hello}");
    let first = study(&mut spectator).await;
    assert_eq!(
        first["offer"],
        json!({ "teams": ["one", "two"], "entrants": ["greedy", "chains"], "loser": 1 })
    );
    assert_eq!([&first["progress"], &first["fault"]], [&Value::Null, &Value::Null]);

    let curve = r#"{"study": "curve"}"#;
    assert_eq!(site.ask("POST", "/study", curve).await.status, 204);
    assert_eq!(requests.recv().await, Some(StudyRequest::Curve {}));
    assert_eq!(site.request("POST", "/study", "", curve).await.status, 403);
    let told = site.ask("POST", "/study", r#"{"study": "diff", "t": 0, "agent": 0, "entrant": "sh"}"#).await;
    assert_eq!(
        (told.status, &told.json()["why"]),
        (422, &json!("`sh` is not offered: expected greedy, chains"))
    );
    assert_eq!(requests.try_recv().ok(), None);

    page.show(&findings(), &StudyState::Working("1 of 2 moments".to_owned()));
    let mut expected = message("dots");
    expected["offer"] = first["offer"].clone();
    expected["progress"] = json!("1 of 2 moments");
    expected["fault"] = Value::Null;
    assert_eq!(study(&mut spectator).await, expected);
    page.show(&findings(), &StudyState::Failed("no such player".to_owned()));
    assert_eq!(study(&mut spectator).await["fault"], "no such player");
    // A viewer that comes later gets the last message alone.
    assert_eq!(study(&mut site.watch(true).await).await["fault"], "no such player");

    drop(requests);
    assert_eq!(site.ask("POST", "/study", curve).await.status, 503);
    server.close("the test is over");
}

#[tokio::test]
async fn a_replay_that_nobody_studies_takes_no_requests() {
    let file = include_bytes!("../games/dots.replay");
    let recording = Recording::read(&file[..], "dots.replay").unwrap();
    let place = Place::take("127.0.0.1:0").unwrap();
    let server = ViewerServer::replay(place, "dots.replay", recording, None).unwrap();
    let site = Site::of(server.url());
    let hello = site.watch(false).await.next().await.expect("a greeting");
    assert_eq!(hello["timeoutMs"], Value::Null, "a page has all of it at once");
    let told = site.request("POST", "/study", "", r#"{"study": "curve"}"#).await;
    assert_eq!(told.status, 404);
    assert!(told.json()["why"].as_str().unwrap().contains("bots study FILE"), "{:?}", told.json());
}
