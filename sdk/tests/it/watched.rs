//! The reports to the observer of an agent on the network.

use game_env::Seed;
use game_project::{RawConfig, Team};
use sdk::agent::{Agent, Report};
use sdk::driver::actor::BlunderKind;
use sdk::driver::session::{End, News};
use sdk::prelude::*;
use tokio::io::AsyncWriteExt;
use wire::frame;
use wire::project::{AgentNumber, Dialect, GameStart, Notice, Players, Writer};

/// Fails at everything it is asked for.
struct Clumsy;

impl Strategy for Clumsy {
    fn act(&mut self, _: &mut View<'_>) -> Choice {
        panic!("no idea")
    }

    fn end(&mut self, _: &mut View<'_>, _: Option<Team>) {
        panic!("no farewell")
    }
}

/// The conversation of a game in which nothing is played, as the communication server hands it over.
fn conversation() -> Vec<u8> {
    let config = RawConfig::default().check().expect("the default rules");
    let (own, other) = (AgentNumber(1), AgentNumber(2));
    let start = GameStart {
        agent: own,
        allies: Vec::new(),
        leader: own,
        enemies: vec![other],
        team: Team::Red,
        geometry: config.geometry(),
        players: Players { allies: 1, enemies: 1 },
        pieces: config.pieces(),
        goals: config.goals(),
        premature: Millis::ZERO,
        penalties: config.penalties(),
        sham_probability: config.sham_probability(),
        position: Position::new(3, 20),
    };
    let writer = Writer { dialect: Dialect::Spec, limit: 8192 };
    let mut out = Vec::new();
    let notices = [
        Notice::Joined { accepted: true, agent: Some(own), reason: None },
        Notice::GameStart(Box::new(start)),
    ];
    for notice in notices {
        frame::write_with(&mut out, |out| writer.notice(out, own, None, &notice)).expect("a short message");
    }
    frame::write(b"{}", &mut out).expect("a short message");
    out
}

#[tokio::test]
async fn news_and_every_blunder_are_reported() {
    let (stream, mut server) = tokio::io::duplex(4096);
    let mut told = Vec::new();
    let agent = Agent::builder(Team::Red).seed(Seed::new(7)).over(stream);
    server.write_all(&conversation()).await.unwrap();
    let mut server = Some(server);
    let played = agent
        .play_watched(Clumsy, |report| {
            told.push(match report {
                Report::News(News::Senseless(reason)) => reason,
                Report::News(news) => format!("{news:?}"),
                Report::Blunder(blunder) => {
                    // The connection ends with the first.
                    server = None;
                    match blunder.what {
                        BlunderKind::Panicked(message) => {
                            // With the place in brackets.
                            let message = message.split(" (").next().unwrap();
                            format!("{} panicked: {message}", blunder.agent)
                        }
                        _ => unreachable!("it never comes to an action"),
                    }
                }
                report => unreachable!("{report}"),
            });
        })
        .await;
    assert_eq!(played.end, End::Unannounced { covered: 0, goals: 5 });
    assert_eq!(played.blunders, 2);
    let expected = [
        "Joined",
        "Began",
        "the key `messageID` is missing",
        "#0 panicked: no idea",
        "#0 panicked: no farewell",
    ];
    assert_eq!(told, expected);
}
