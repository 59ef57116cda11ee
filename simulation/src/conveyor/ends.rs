//! Boards and players in a simulation: the counterparts of their shells, over simulated connections.

use std::time::Duration;

use clients::ClientSession as _;
use clients::conveyor::{End, Input, Output, Session, Settings};
use game_conveyor::{Action, Config, Observation, State};
use game_env::replay::{Playback, Writer};
use game_env::{AgentId, Chance, Choice, Environment as _, Policy, RandomPolicy, Seed, SimTime};
use reference_gm::conveyor::board::{self, Board};
use wire::conveyor::LONGEST_LINE;
use wire::lines::LineDecoder;

use super::{BOARDS, Machine, Network};
use crate::client_link::ClientLink;
use crate::network::Found;

/// A connection on which senseless lines may be sent.
struct Wire {
    link: ClientLink,
    /// The probability that a senseless line is sent before a line.
    garbles: f64,
    chance: Chance,
}

/// Lines without sense, each in its own way.
const NONSENSE: [&[u8]; 8] = [
    b"\r\n",
    b"LOL WUT?\r\n",
    b"\xff\xfe\x00\x1b[2J\r\n",
    b"KITTEH 1,1\r\n",
    b"K\n",
    b"SUPERCAT WANT TURN UP\r\n",
    b"NOWAI\r\n",
    b"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\r\n",
];

impl Wire {
    fn new(link: usize, garbles: f64, seed: Seed) -> Self {
        Self { link: ClientLink::new(link), garbles, chance: seed.latency() }
    }

    fn send(&mut self, net: &mut Network, bytes: &[u8]) {
        if self.chance.happens(self.garbles) {
            self.link.outbox.extend(NONSENSE[self.chance.index(NONSENSE.len())]);
        }
        self.link.send(net, bytes);
    }
}

/// A board.
pub(super) struct BoardEnd {
    place: usize,
    wire: Wire,
    config: Config,
    seed: Seed,
    board: Board,
    decoder: LineDecoder,
    began: SimTime,
    replay: Option<Writer<Vec<u8>>>,
    requests: u64,
    has_arrived: bool,
    end: Option<board::End>,
}

impl BoardEnd {
    pub(super) fn new(place: usize, config: Config, seed: Seed, garbles: f64) -> Self {
        Self {
            place,
            wire: Wire::new(place, garbles, seed),
            config,
            seed,
            board: Board::new(board::Settings::default(), State::new(&config, seed)),
            decoder: LineDecoder::new(LONGEST_LINE),
            began: SimTime::START,
            replay: None,
            requests: 0,
            has_arrived: false,
            end: None,
        }
    }

    pub(super) fn arrive(&mut self, net: &mut Network) {
        let replay = Writer::in_memory::<State>(&self.config, self.seed, "random", "simulation 1.0");
        self.replay = Some(replay);
        self.has_arrived = true;
        self.began = SimTime::from(net.now());
        self.wire.link.connect(net);
        self.settle(net);
    }

    /// The process is killed.
    pub(super) fn die(&mut self, net: &mut Network) {
        if self.has_arrived && self.end.is_none() {
            let place = self.place;
            net.say(|| format!("board {place} dies"));
            self.wire.link.hang_up(net, true);
            self.handle(net, board::Input::Closed);
        }
    }

    pub(super) fn attend(&mut self, net: &mut Network) {
        self.wire.link.write(net);
        while self.wire.link.is_open() && self.end.is_none() {
            match self.wire.link.read(net, 1024) {
                Found::Nothing => break,
                Found::Bytes(bytes) => {
                    let mut bytes = &bytes[..];
                    while let Some(line) = self.decoder.next(&mut bytes) {
                        self.requests += 1;
                        self.handle(net, board::Input::Line(line.as_deref().map_err(|error| *error)));
                    }
                }
                Found::End(_) => self.handle(net, board::Input::Closed),
            }
        }
    }

    pub(super) fn tick(&mut self, net: &mut Network) {
        self.handle(net, board::Input::Tick);
    }

    fn handle(&mut self, net: &mut Network, input: board::Input<'_>) {
        let now = SimTime::from(net.now().saturating_sub(Duration::from(self.began)));
        if let Some(replay) = &mut self.replay {
            self.board.handle(now, input, replay);
        }
        self.settle(net);
    }

    fn settle(&mut self, net: &mut Network) {
        let place = self.place;
        while let Some(output) = self.board.poll_output() {
            match output {
                board::Output::Send(bytes) => {
                    net.say(|| format!("board {place} > {}", bytes.escape_ascii()));
                    self.wire.send(net, &bytes);
                }
                board::Output::Report(news) => net.say(|| format!("board {place}: {news}")),
                board::Output::Done(end) => {
                    net.say(|| format!("board {place} ends: {end}"));
                    self.end = Some(end);
                    self.wire.link.hang_up(net, false);
                }
            }
        }
        let wake = self.board.wake_at().filter(|_| self.end.is_none() && self.has_arrived);
        net.wake(Machine::Board(self.place), wake.map(|at| Duration::from(self.began) + Duration::from(at)));
    }

    pub(super) fn requests(&self) -> u64 {
        self.requests
    }

    pub(super) fn end(&self) -> Option<&board::End> {
        self.end.as_ref()
    }

    pub(super) fn winner(&self) -> Option<AgentId> {
        if let Some(board::End::Won { winner, .. }) = self.end { Some(winner) } else { None }
    }

    /// Returns the fault in the end of the board, if there is one.
    pub(super) fn fault(&mut self) -> Option<String> {
        let place = self.place;
        if self.has_arrived && self.end.is_none() {
            return Some(format!("board {place} has no end"));
        }
        let file = self.replay.take()?.finish().expect("a buffer takes all that is written");
        let mut playback = match Playback::<State>::open(&file[..]) {
            Ok(playback) => playback,
            Err(error) => return Some(format!("the replay of board {place}: {error}")),
        };
        if let Err(error) = playback.run(&mut ()) {
            return Some(format!("the replay of board {place}: {error}"));
        }
        let is_same = playback.state().hash() == self.board.state().hash();
        (!is_same).then(|| format!("the replay of board {place} ends with another state"))
    }
}

/// A player.
pub(super) struct PlayerEnd {
    pub(super) place: usize,
    wire: Wire,
    session: Session,
    policy: RandomPolicy<Action>,
    /// Time for which the policy thinks.
    thinks: Duration,
    has_arrived: bool,
    end: Option<End>,
}

impl PlayerEnd {
    pub(super) fn new(place: usize, settings: Settings, seed: Seed, thinks: Duration, garbles: f64) -> Self {
        Self {
            place,
            wire: Wire::new(BOARDS + place, garbles, seed),
            session: Session::new(settings),
            policy: RandomPolicy::new(seed.game()),
            thinks,
            has_arrived: false,
            end: None,
        }
    }

    pub(super) fn arrive(&mut self, net: &mut Network) {
        self.has_arrived = true;
        self.settle(net);
    }

    pub(super) fn die(&mut self, net: &mut Network) {
        if self.has_arrived && self.end.is_none() {
            let place = self.place;
            net.say(|| format!("player {place} dies"));
            self.wire.link.hang_up(net, true);
            self.handle(net, Input::Closed);
            self.settle(net);
        }
    }

    pub(super) fn attend(&mut self, net: &mut Network) {
        self.wire.link.write(net);
        while self.wire.link.is_open() && self.end.is_none() {
            match self.wire.link.read(net, 1024) {
                Found::Nothing => break,
                Found::Bytes(bytes) => self.handle(net, Input::Received(&bytes)),
                Found::End(_) => self.handle(net, Input::Closed),
            }
            self.settle(net);
        }
    }

    /// The policy has thought.
    pub(super) fn tick(&mut self, net: &mut Network) {
        let mut seen = Observation::default();
        if self.end.is_none()
            && self.session.observe(&mut seen)
            && let Choice::Act(action) =
                Policy::<State>::choose(&mut self.policy, SimTime::START, seen.player, &seen)
        {
            self.handle(net, Input::Choice(Some(action)));
            self.settle(net);
        }
    }

    fn handle(&mut self, net: &Network, input: Input<'_>) {
        self.session.handle(SimTime::from(net.now()), input);
    }

    fn settle(&mut self, net: &mut Network) {
        let place = self.place;
        while let Some(output) = self.session.poll_output() {
            match output {
                Output::Connect => {
                    self.wire.link.connect(net);
                    self.handle(net, Input::Connected);
                }
                Output::Hear(_) | Output::Over(_) => {}
                Output::Send(bytes) => {
                    net.say(|| format!("player {place} > {}", bytes.escape_ascii()));
                    self.wire.send(net, &bytes);
                }
                Output::Decide => net.wake(Machine::Player(self.place), Some(net.now() + self.thinks)),
                Output::Report(news) => net.say(|| format!("player {place}: {news}")),
                Output::Done(end) => {
                    net.say(|| format!("player {place} ends: {end}"));
                    self.end = Some(end);
                    net.wake(Machine::Player(self.place), None);
                    self.wire.link.hang_up(net, false);
                }
            }
        }
    }

    pub(super) fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    pub(super) fn has_arrived(&self) -> bool {
        self.has_arrived
    }

    /// Returns whether the controller has given it its place as a player.
    pub(super) fn has_joined(&self) -> bool {
        self.session.player().is_some()
    }

    pub(super) fn is_faulty(&self) -> bool {
        self.wire.garbles > 0.0
    }
}
