//! Obeys a script over a stream.

use std::collections::BTreeMap;
use std::time::Duration;

use game_env::{Millis, SimTime};
use game_project::{ActionKind, Penalties, Team};
use sdk::driver::penalty::PenaltyClock;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::time::{Instant, sleep_until, timeout};
use wire::envelope::Envelope;
use wire::frame::{self, Decoder};
use wire::project::{AgentNumber, Dialect, Notice, Request, Writer, read_notice};

use super::script::{Script, Step};

/// End of the play of a script.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Every step was taken, and the agent has left.
    Obeyed,
    /// A winner was announced, and the connection ended.
    Over {
        /// The winner.
        winner: Team,
    },
    /// The game master does not let the agent play.
    TurnedAway,
    /// The connection ended before the script did.
    Closed,
    /// The agent died as it was told to. The stream is to be dropped.
    Died,
}

/// Longest time for the other side to close its end after ours.
const FAREWELL: Duration = Duration::from_secs(2);

/// Most requests of a flood that are written at once.
const WAVE: u32 = 500;

/// Id of the message that tells whether an agent may play.
const JOINED: i64 = 107;
/// Id of the message that tells that a request came too early.
const TOO_EARLY: i64 = 904;
/// Id of the refusal of requests for which no other id fits.
const REFUSED: i64 = 905;

/// Takes the steps of a script over this stream, until its end or that of the connection.
pub async fn obey<S: AsyncRead + AsyncWrite + Unpin>(stream: S, script: &Script) -> End {
    let mut player = Player {
        stream,
        decoder: Decoder::new(u16::MAX),
        inbox: vec![0; 16 * 1024],
        began: Instant::now(),
        clock: PenaltyClock::new(Penalties::new(|_| Millis::ZERO), SimTime::START),
        came: BTreeMap::new(),
        is_turned_away: false,
        wait: None,
        winner: None,
        is_deaf: false,
    };
    match player.play(script).await {
        Ok(()) => {
            player.leave().await;
            End::Obeyed
        }
        Err(end) => end,
    }
}

struct Player<S> {
    stream: S,
    decoder: Decoder,
    inbox: Vec<u8>,
    began: Instant,
    clock: PenaltyClock,
    /// By id: the number of messages that came and that no step has waited for.
    came: BTreeMap<i64, u64>,
    is_turned_away: bool,
    /// Waiting time in the last refusal as too early.
    wait: Option<Millis>,
    winner: Option<Team>,
    is_deaf: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Player<S> {
    async fn play(&mut self, script: &Script) -> Result<(), End> {
        // The steps that are left of the script, and of every repetition that is under way, with the number of
        // times that are left of it.
        let mut under_way = vec![(0, script.steps.as_slice(), script.steps.iter())];
        while let Some((left, all, steps)) = under_way.last_mut() {
            // Steps that wait for nothing may be repeated for hours, and the script is to be stopped.
            tokio::task::consume_budget().await;
            match steps.next() {
                Some(Step::Repeat(count, body)) => under_way.push((*count, body, [].iter())),
                Some(step) => self.take(step).await?,
                None if *left > 0 && !all.is_empty() => {
                    *left -= 1;
                    *steps = all.iter();
                }
                None => {
                    under_way.pop();
                }
            }
        }
        Ok(())
    }

    async fn take(&mut self, step: &Step) -> Result<(), End> {
        tracing::debug!("{step:?}");
        match step {
            Step::Join(team) => {
                self.send(&written(&Request::Join { team: *team })).await?;
                if !self.is_deaf {
                    self.hear_any(&[JOINED], None).await?;
                    if self.is_turned_away {
                        return Err(End::TurnedAway);
                    }
                }
                Ok(())
            }
            Step::Await(id) => self.hear_any(&[*id], None).await.map(drop),
            Step::Request(request) => self.request(request).await,
            Step::Flood(count, request) => {
                let one = written(request);
                let mut left = *count;
                while left > 0 {
                    let wave = left.min(WAVE);
                    self.send(&one.repeat(wave as usize)).await?;
                    left -= wave;
                }
                Ok(())
            }
            Step::Raw(body) => {
                let mut frame = Vec::new();
                frame::write(body, &mut frame).expect("a script holds no longer ones");
                self.send(&frame).await
            }
            Step::Bytes(bytes) => self.send(bytes).await,
            Step::Silent => loop {
                self.listen().await?;
            },
            Step::Deaf => {
                self.is_deaf = true;
                Ok(())
            }
            Step::Pause(span) => self.wait_until(Instant::now() + *span).await,
            Step::Repeat(..) => unreachable!("a repetition is taken apart before its steps are taken"),
            Step::Die => Err(End::Died),
        }
    }

    /// Sends a request when the lock has ended, and waits for the answer if there is to be one.
    async fn request(&mut self, request: &Request) -> Result<(), End> {
        let Some((kind, answers)) = answers(request) else { return self.send(&written(request)).await };
        loop {
            self.wait_until(self.instant(self.clock.ready())).await?;
            // Messages that came before cannot be the answer.
            self.came.retain(|id, _| !answers.contains(id));
            self.send(&written(request)).await?;
            let now = self.now();
            if self.is_deaf || matches!(kind, ActionKind::Ask | ActionKind::Answer) {
                self.clock.sent_unanswered(now, kind);
                return Ok(());
            }
            self.clock.sent(now, kind);
            let give_up = self.instant(self.clock.ready());
            let answer = self.hear_any(&answers, Some(give_up)).await?;
            let now = self.now();
            match answer {
                Some(TOO_EARLY) => {
                    let wait = self.wait.take();
                    self.clock.too_early(now, wait);
                }
                Some(REFUSED) => {
                    self.clock.refused(now);
                    return Ok(());
                }
                _ => {
                    self.clock.answered(now);
                    return Ok(());
                }
            }
        }
    }

    /// Waits for a message with one of these ids, until this moment; none if it has passed.
    async fn hear_any(&mut self, ids: &[i64], until: Option<Instant>) -> Result<Option<i64>, End> {
        loop {
            for id in ids {
                if let Some(count) = self.came.get_mut(id).filter(|count| **count > 0) {
                    *count -= 1;
                    return Ok(Some(*id));
                }
            }
            tokio::select! {
                listened = self.listen() => listened?,
                () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => return Ok(None),
            }
        }
    }

    /// Lets time pass, and reads meanwhile.
    async fn wait_until(&mut self, until: Instant) -> Result<(), End> {
        if self.is_deaf {
            sleep_until(until).await;
            return Ok(());
        }
        while Instant::now() < until {
            tokio::select! {
                listened = self.listen() => listened?,
                () = sleep_until(until) => {}
            }
        }
        Ok(())
    }

    /// Reads the bytes that come next.
    async fn listen(&mut self) -> Result<(), End> {
        match self.stream.read(&mut self.inbox).await {
            Ok(0) | Err(_) => Err(self.lost()),
            Ok(length) => {
                self.hear(length);
                Ok(())
            }
        }
    }

    /// Writes all of this, and reads meanwhile: an agent that floods would otherwise be taken for a slow reader.
    async fn send(&mut self, mut bytes: &[u8]) -> Result<(), End> {
        while !bytes.is_empty() {
            let (mut reader, mut writer) = split(&mut self.stream);
            let heard = tokio::select! {
                sent = writer.write(bytes) => match sent {
                    Ok(0) | Err(_) => return Err(self.lost()),
                    Ok(length) => {
                        bytes = &bytes[length..];
                        None
                    }
                },
                read = reader.read(&mut self.inbox), if !self.is_deaf => Some(read),
            };
            match heard {
                None => {}
                Some(Ok(length)) if length > 0 => self.hear(length),
                Some(_) => return Err(self.lost()),
            }
        }
        match self.stream.flush().await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.lost()),
        }
    }

    /// Takes in the first bytes of the inbox.
    fn hear(&mut self, length: usize) {
        let now = self.now();
        let mut bytes = &self.inbox[..length];
        while let Some(body) = self.decoder.next(&mut bytes) {
            // A script ignores messages that it cannot read.
            let Ok(Ok(envelope)) = body.map(Envelope::parse_leniently) else { continue };
            let id = envelope.message_id;
            tracing::debug!("heard {id}");
            *self.came.entry(id).or_default() += 1;
            match read_notice(id, envelope.payload) {
                Ok(Notice::Joined { accepted, .. }) => self.is_turned_away = !accepted,
                Ok(Notice::GameStart(start)) => {
                    self.clock = PenaltyClock::new(start.penalties, now).with_premature(start.premature);
                }
                Ok(Notice::GameOver { winner }) => self.winner = Some(winner),
                Ok(Notice::TooEarly { wait_for, .. }) => self.wait = wait_for,
                _ => {}
            }
        }
    }

    fn lost(&self) -> End {
        self.winner.map_or(End::Closed, |winner| End::Over { winner })
    }

    /// Closes this end and reads until the other is closed, so that nothing written last is lost.
    async fn leave(&mut self) {
        let farewell = async {
            self.stream.shutdown().await?;
            while !self.is_deaf && self.stream.read(&mut self.inbox).await? > 0 {}
            std::io::Result::Ok(())
        };
        // A peer that takes longer, or is gone already, need not be waited for.
        let _ = timeout(FAREWELL, farewell).await;
    }

    fn now(&self) -> SimTime {
        self.began.elapsed().into()
    }

    fn instant(&self, at: SimTime) -> Instant {
        self.began + Duration::from(at)
    }
}

/// Returns a request as a frame.
fn written(request: &Request) -> Vec<u8> {
    let writer = Writer { dialect: Dialect::Spec, limit: frame::DEFAULT_LIMIT.into() };
    let mut out = Vec::new();
    frame::write_with(&mut out, |out| writer.request(out, AgentNumber(0), request))
        .expect("requests of scripts are short");
    out
}

/// Returns the kind of action of a request, and the ids of the messages that may answer it; none for joining.
fn answers(request: &Request) -> Option<(ActionKind, [i64; 4])> {
    let Request::Play(action) = request else { return None };
    let kind = action.kind();
    let (granted, refused) = match kind {
        ActionKind::Check => (101, REFUSED),
        ActionKind::Destroy => (102, REFUSED),
        ActionKind::Discover => (103, REFUSED),
        ActionKind::Move => (108, 901),
        ActionKind::PickUp => (109, 902),
        ActionKind::Put => (110, 903),
        ActionKind::Ask | ActionKind::Answer => (REFUSED, REFUSED),
    };
    Some((kind, [granted, refused, TOO_EARLY, REFUSED]))
}
