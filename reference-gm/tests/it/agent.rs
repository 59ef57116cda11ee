//! An agent for tests: carries on at random over any stream, and obeys its leader and the end.

use game_env::{AgentId, Chance, Seed};
use game_project::{Action, Direction, Information, Team};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Duration, sleep};
use wire::envelope::Envelope;
use wire::frame::{self, Decoder};
use wire::project::{AgentNumber, Dialect, Notice, Request, Writer, read_notice};

/// The end of an agent's game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    /// It received the end of the game: this team has won.
    Told(Team),
    /// Its connection was closed.
    Closed,
    /// It was turned away.
    TurnedAway,
    /// It left by itself.
    Left,
    /// It was killed in the middle of the game.
    Killed,
}

/// The behaviour of an agent.
#[derive(Clone, Copy)]
pub(crate) struct Behaviour {
    pub(crate) team: Team,
    pub(crate) seed: u64,
    /// Leaves after this number of requests.
    pub(crate) patience: u32,
    /// Does not wait for its lock to end.
    pub(crate) floods: bool,
    /// Does not answer its leader.
    pub(crate) deaf: bool,
    /// As a leader, asks everyone of its team first.
    pub(crate) curious: bool,
    /// Is to be killed: its connection breaks off instead of being closed.
    pub(crate) mortal: bool,
}

impl Behaviour {
    pub(crate) fn sensible(team: Team, seed: u64) -> Self {
        Self { team, seed, patience: u32::MAX, floods: false, deaf: false, curious: false, mortal: false }
    }
}

/// Plays until the end, whichever it is.
pub(crate) async fn play<S: AsyncRead + AsyncWrite + Unpin>(stream: S, behaviour: Behaviour) -> End {
    play_observed(stream, behaviour, || {}).await
}

/// The same; `before_request` is called whenever all requests so far are answered and another is to be made.
pub(crate) async fn play_observed<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    behaviour: Behaviour,
    mut before_request: impl FnMut(),
) -> End {
    let mut chance = Seed::new(behaviour.seed).agent(AgentId::new(0));
    let mut decoder = Decoder::new(u16::MAX);
    let mut inbox = [0; 4096];
    let mut left = behaviour.patience;
    let mut last = Action::Discover;
    send(&mut stream, &Request::Join { team: behaviour.team }).await;
    loop {
        let length = match stream.read(&mut inbox).await {
            Ok(0) | Err(_) => return End::Closed,
            Ok(length) => length,
        };
        let mut bytes = &inbox[..length];
        let mut notices = Vec::new();
        while let Some(body) = decoder.next(&mut bytes) {
            let envelope = Envelope::parse(body.unwrap()).unwrap();
            notices.push(read_notice(envelope.message_id, envelope.payload).unwrap());
        }
        for notice in notices {
            if let Notice::GameStart(start) = &notice
                && behaviour.curious
                && start.agent == start.leader
            {
                for ally in &start.allies {
                    send(&mut stream, &Action::Ask(*ally).into()).await;
                }
            }
            let request = match notice {
                Notice::GameOver { winner } => return End::Told(winner),
                Notice::Joined { accepted: false, .. } => return End::TurnedAway,
                // Nothing is asked of the agent, or another message comes with it.
                Notice::Joined { .. } | Notice::Answered { .. } | Notice::QuestionPassedOn { .. } => continue,
                Notice::Asked { by, .. } if !behaviour.deaf => {
                    Action::Answer { to: by, information: Information::default().into() }
                }
                Notice::Asked { .. } => continue,
                Notice::TooEarly { wait_for, .. } if !behaviour.floods => {
                    sleep(Duration::from_millis(wait_for.unwrap_or_default().as_millis().into())).await;
                    last.clone()
                }
                _ => any(&mut chance),
            };
            if left == 0 {
                return End::Left;
            }
            left -= 1;
            before_request();
            last = request;
            send(&mut stream, &last.clone().into()).await;
            if let Action::Ask(_) = last {
                // A question that is passed on is not acknowledged, and may never be answered.
                last = Action::Discover;
                send(&mut stream, &last.clone().into()).await;
            }
        }
    }
}

fn any(chance: &mut Chance) -> Action<AgentNumber> {
    match chance.below(10) {
        0 => Action::Discover,
        1 => Action::PickUp,
        2 => Action::Put,
        3 => Action::Check,
        // Some of these numbers are agents, and some are oneself.
        4 => Action::Ask(AgentNumber(chance.below(6).into())),
        way => Action::Move(Direction::ALL[way as usize % 4]),
    }
}

async fn send<S: AsyncWrite + Unpin>(stream: &mut S, request: &Request) {
    let writer = Writer { dialect: Dialect::Spec, limit: 8192 };
    let mut out = Vec::new();
    frame::write_with(&mut out, |out| writer.request(out, AgentNumber(0), request)).unwrap();
    // A peer that is gone is noticed when reading.
    let _ = stream.write_all(&out).await;
}
