//! An agent that keeps no rule: floods, lies about lengths, says nothing, reads nothing, never leaves.

use std::time::Duration;

use game_env::{Chance, Seed};
use game_project::{Action, Team};
use wire::envelope::Envelope;
use wire::frame::{self, Decoder};
use wire::project::{AgentNumber, Dialect, Notice, Request, Writer, read_notice};

use super::audit::Audit;
use super::{Machine, Network};
use crate::client_link::ClientLink;
use crate::network::Found;

/// Behaviour of an agent that keeps no rule.
#[derive(Clone, PartialEq, Debug)]
pub struct HostileBehaviour {
    /// Whether it asks for a seat first, as everyone does.
    pub joins: bool,
    /// Number of things that it sends after that.
    pub remarks: u32,
    /// The least and the most time between two of them.
    pub pace: (Duration, Duration),
    /// The share of requests that are in order, but come at any time.
    pub sense: f64,
    /// Whether it reads the messages to it.
    pub reads: bool,
    /// Whether it closes its end when the server has closed its own.
    pub leaves: bool,
}

/// Such an agent and its connection.
pub(super) struct HostileAgent {
    link: ClientLink,
    behaviour: HostileBehaviour,
    chance: Chance,
    left: u32,
    decoder: Decoder,
}

impl HostileAgent {
    /// Creates an agent that connects now.
    pub(super) fn new(
        net: &mut Network,
        link: usize,
        team: Team,
        seed: Seed,
        behaviour: HostileBehaviour,
    ) -> Self {
        let mut link = ClientLink::new(link);
        link.connect(net);
        let left = behaviour.remarks;
        let chance = seed.latency();
        let mut hostile = Self { link, behaviour, chance, left, decoder: Decoder::new(u16::MAX) };
        if hostile.behaviour.joins {
            hostile.request(&Request::Join { team });
        }
        hostile.link.write_all(net);
        hostile.pause(net);
        hostile
    }

    pub(super) fn readable(&mut self, net: &mut Network, audit: &mut Audit) {
        while self.behaviour.reads && self.link.is_open() {
            match self.link.read(net, 1 << 16) {
                Found::Nothing => return,
                Found::Bytes(bytes) => {
                    let mut bytes = &bytes[..];
                    while let Some(body) = self.decoder.next(&mut bytes) {
                        let body = body.expect("the server writes whole frames");
                        audit.heard(self.link.number, body);
                        let notice =
                            Envelope::parse(body).ok().map(|read| read_notice(read.message_id, read.payload));
                        audit.check(matches!(notice, Some(Ok(_))), || {
                            format!("link {} cannot read {}", self.link.number, String::from_utf8_lossy(body))
                        });
                        if let Some(Ok(Notice::GameOver { winner })) = notice {
                            audit.told(self.link.number, winner);
                        }
                    }
                }
                Found::End(_) if self.behaviour.leaves => self.leave(net, false),
                Found::End(_) => return,
            }
        }
    }

    pub(super) fn writable(&mut self, net: &mut Network) {
        self.link.write_all(net);
    }

    /// Sends the next message.
    pub(super) fn woken(&mut self, net: &mut Network) {
        if !self.link.is_open() || self.left == 0 {
            return;
        }
        self.left -= 1;
        // While the server reads nothing, the agent adds nothing.
        if self.link.outbox.len() < 1 << 16 {
            if self.chance.happens(self.behaviour.sense) {
                let request = self.sensible();
                self.request(&request);
            } else {
                nonsense(&mut self.chance, &mut self.link.outbox);
            }
        }
        self.link.write_all(net);
        self.pause(net);
    }

    /// It goes away, or its process dies.
    pub(super) fn leave(&mut self, net: &mut Network, dies: bool) {
        if self.link.is_open() {
            self.link.hang_up(net, dies);
            net.wake(self.machine(), None);
        }
    }

    const fn machine(&self) -> Machine {
        Machine::Agent(self.link.number - 1)
    }

    fn pause(&mut self, net: &mut Network) {
        let (least, most) = self.behaviour.pace;
        let width = u32::try_from((most - least).as_micros()).expect("pauses are below an hour");
        let pause = least + Duration::from_micros(self.chance.below(width + 1).into());
        net.wake(self.machine(), (self.left > 0).then(|| net.now() + pause));
    }

    fn request(&mut self, request: &Request) {
        let writer = Writer { dialect: Dialect::Spec, limit: 8192 };
        let number = AgentNumber(self.chance.below(5).into());
        frame::write_with(&mut self.link.outbox, |out| writer.request(out, number, request))
            .expect("requests are short");
    }

    /// Returns a request of any kind that is in order.
    fn sensible(&mut self) -> Request {
        let chance = &mut self.chance;
        let somebody = AgentNumber(i64::from(chance.below(20)) - 1);
        let action = match chance.below(12) {
            0 => Action::Check,
            1 => Action::Destroy,
            2 => Action::Discover,
            3 => Action::PickUp,
            4 => Action::Put,
            5 => Action::Answer { to: somebody, information: std::sync::Arc::default() },
            6 => Action::Ask(somebody),
            7 => return Request::Join { team: if chance.happens(0.5) { Team::Red } else { Team::Blue } },
            way => Action::Move(game_project::Direction::ALL[way as usize % 4]),
        };
        action.into()
    }
}

/// Adds bytes that are no request: broken frames, broken JSON, messages that make no sense.
///
/// # Panics
///
/// Never: nothing here is longer than a frame.
pub fn nonsense(chance: &mut Chance, outbox: &mut Vec<u8>) {
    let number = i64::from(chance.below(20)) - 1;
    let body: Vec<u8> = match chance.below(21) {
        0 => (0..chance.below(200)).map(|_| any_byte(chance)).collect(),
        // No frame at all: from here on the stream is out of step.
        1 => {
            let bytes: Vec<u8> = (0..1 + chance.below(40)).map(|_| any_byte(chance)).collect();
            return outbox.extend_from_slice(&bytes);
        }
        2 => Vec::new(),
        3 => vec![b'x'; 8193 + chance.index(20_000)],
        // A length and not all of the body.
        4 => {
            outbox.extend_from_slice(&[200, 0]);
            let bytes = vec![b' '; chance.index(200)];
            return outbox.extend_from_slice(&bytes);
        }
        5 => b"{}".to_vec(),
        6 => b"[{\"messageID\":3}]".to_vec(),
        7 => b"{\"messageID\":\"3\",\"agentID\":1,\"payload\":{}}".to_vec(),
        8 => b"{\"messageID\":3,\"agentID\":1,\"AgentID\":2,\"payload\":{}}".to_vec(),
        9 => format!("{{\"messageID\":3,\"agentID\":0,\"payload\":{}1{}}}", "[".repeat(200), "]".repeat(200)).into(),
        // A message that only the communication server may send.
        10 | 11 => format!("{{\"messageID\":906,\"agentID\":{number},\"payload\":{{\"agentID\":{number}}}}}").into(),
        12 => b"{\"messageID\":104,\"agentID\":1,\"payload\":{\"winner\":\"red\"}}".to_vec(),
        13 => b"{\"messageID\":7,\"agentID\":1,\"payload\":{\"direction\":\"up\"}}".to_vec(),
        14 => b"{\"messageID\":7,\"agentID\":null,\"payload\":[1,2,3]}".to_vec(),
        15 => b"{\"messageID\":5,\"payload\":{\"askedAgentID\":99999999999999999999}}".to_vec(),
        16 => b"{\"messageID\":9223372036854775807,\"agentID\":-9223372036854775808,\"payload\":null}".to_vec(),
        // As long as may be, and longer with the agent's own number in it.
        17 => {
            let frame = "{\"messageID\":3,\"payload\":{\"x\":\"\"}}";
            format!("{{\"messageID\":3,\"payload\":{{\"x\":\"{}\"}}}}", "y".repeat(8192 - frame.len())).into()
        }
        // To an agent that has asked: lists of the wrong length with the wrong things in them.
        18 => format!(
            "{{\"messageID\":4,\"agentID\":0,\"payload\":{{\"respondToID\":{number},\"distances\":[1,\"2\",null,-5,1e9],\
             \"redTeamGoalAreaInformations\":[\"G\",3],\"blueTeamGoalAreaInformations\":[]}},\"correlationID\":{{\"a\":[1]}}}}"
        )
        .into(),
        // The correlation id leaves no room for an answer around it.
        19 => format!("{{\"messageID\":3,\"agentID\":0,\"correlationID\":\"{}\"}}", "z".repeat(8120)).into(),
        _ => b"\xff\xfe{\"messageID\":3}".to_vec(),
    };
    frame::write(&body, outbox).expect("nothing here is longer than a frame");
}

fn any_byte(chance: &mut Chance) -> u8 {
    u8::try_from(chance.below(256)).expect("it is below 256")
}
