//! A conversation of a session with a game master, written down: each message with its sender and its time, the agent's
//! knowledge after it, and the time of its next action.
//!
//! It checks only that requests are readable and frames whole.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::Arc;

use game_env::Millis;
use game_project::{ActionKind, Penalties};
use sdk::driver::session::{End, Input, Output, Session, Settings};
use sdk::knowledge::{Learnt, Source};
use sdk::prelude::*;
use wire::envelope::Envelope;
use wire::frame::Decoder;
use wire::project::{AgentNumber, Dialect, GameStart, Notice, Players, Writer, read_request};

/// Does the actions of a list, and waits without end when it is through.
#[derive(Default)]
pub(crate) struct Script {
    actions: VecDeque<String>,
    /// The messages that it has heard.
    pub(crate) heard: Vec<Notice<AgentId>>,
    /// Whether it does anything at all, sense or nonsense, instead of waiting.
    pub(crate) is_fickle: bool,
}

impl Strategy for Script {
    fn act(&mut self, view: &mut View<'_>) -> Choice {
        match self.actions.pop_front() {
            Some(action) => action.parse::<Action>().unwrap().into(),
            None if self.is_fickle => any_choice(view),
            None => view.wait_for_message(),
        }
    }

    fn hear(&mut self, _: &mut View<'_>, notice: &Notice<AgentId>) {
        self.heard.push(notice.clone());
    }

    fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        view.is_ally(question.by).then(|| view.knowledge.report())
    }
}

/// Every action there is, impossible ones included, and every kind of waiting.
fn any_choice(view: &mut View<'_>) -> Choice {
    let agent = AgentId::new(u16::try_from(view.chance.below(5)).unwrap());
    match view.chance.below(12) {
        0 => view.discover(),
        1 => view.pick_up(),
        2 => view.put(),
        3 => view.check(),
        4 => view.destroy(),
        5 => view.ask(agent),
        6 => Action::Answer { to: agent, information: Arc::new(view.knowledge.report_all()) }.into(),
        7 => Choice::Wait(
            [SimTime::START, view.now, view.now + Millis::new(50), SimTime::NEVER][view.chance.index(4)],
        ),
        _ => Action::Move(Direction::ALL[view.chance.index(4)]).into(),
    }
}

/// A session, the strategy behind it, and the conversation so far.
pub(crate) struct Talk {
    pub(crate) session: Session,
    pub(crate) script: Script,
    pub(crate) log: String,
    /// The requests that were sent since this was last emptied, as their numbers.
    pub(crate) sent: Vec<i64>,
    /// The moment of the next tick, if the session asked for one.
    pub(crate) wake: Option<SimTime>,
    pub(crate) end: Option<End>,
    pub(crate) dialect: Dialect,
    now: SimTime,
    knew: String,
}

impl Talk {
    /// A session of red's that has just asked to be let in.
    pub(crate) fn new() -> Self {
        Self::with(Settings::new(Team::Red, Seed::new(7)))
    }

    /// The same with these settings.
    pub(crate) fn with(settings: Settings) -> Self {
        let mut talk = Self {
            session: Session::new(settings),
            script: Script::default(),
            log: String::new(),
            sent: Vec::new(),
            wake: None,
            end: None,
            dialect: Dialect::Spec,
            now: SimTime::START,
            knew: String::new(),
        };
        talk.drain();
        talk
    }

    /// One whose game began at 10 ms, in this dialect, with these actions to do.
    pub(crate) fn playing(dialect: Dialect, actions: &[&str]) -> Self {
        let mut talk = Self::new();
        talk.dialect = dialect;
        talk.begins(actions);
        talk
    }

    /// The game begins, with these actions to do.
    pub(crate) fn begins(&mut self, actions: &[&str]) -> &mut Self {
        self.will(actions);
        self.notice(5, &Notice::Joined { accepted: true, agent: Some(AgentNumber(3)), reason: None });
        self.notice(10, &Notice::GameStart(Box::new(start())));
        self.sent.clear();
        self
    }

    /// Sets the next actions of the agent. If it waits for something to hear, it hears something unimportant.
    pub(crate) fn will(&mut self, actions: &[&str]) -> &mut Self {
        self.script.actions.extend(actions.iter().map(|action| (*action).to_owned()));
        if self.wake.is_none() && self.session.actor().is_some() {
            let now = self.now.as_millis();
            self.session.handle(self.now, Input::Body(br#"{"messageID":113,"payload":{"succeeded":true}}"#));
            self.drain().until(now);
        }
        self
    }

    /// The game master says this a little later.
    pub(crate) fn later(&mut self, notice: &Notice) -> &mut Self {
        self.notice(self.now.as_millis() + 10, notice)
    }

    /// A piece lands in the agent's hand.
    pub(crate) fn lands(&mut self) -> &mut Self {
        self.later(&Notice::PickedUp)
    }

    /// Lets time pass up to this moment; everything that is due meanwhile happens.
    pub(crate) fn until(&mut self, millis: u64) -> &mut Self {
        let moment = SimTime::from_millis(millis);
        while let Some(wake) = self.wake.filter(|wake| *wake <= moment && self.end.is_none()) {
            self.now = wake.max(self.now);
            self.session.handle(self.now, Input::Tick);
            self.drain();
        }
        self.now = moment.max(self.now);
        self
    }

    /// The game master says this at a moment.
    pub(crate) fn says(&mut self, millis: u64, body: &str) -> &mut Self {
        self.hears(millis, body.as_bytes())
    }

    /// These bytes arrive at a moment.
    pub(crate) fn hears(&mut self, millis: u64, body: &[u8]) -> &mut Self {
        self.until(millis);
        self.line("gm", &String::from_utf8_lossy(body));
        self.session.handle(self.now, Input::Body(body));
        self.drain()
    }

    /// The game master says this in its dialect.
    pub(crate) fn notice(&mut self, millis: u64, notice: &Notice) -> &mut Self {
        let mut body = Vec::new();
        Writer { dialect: self.dialect, limit: 8192 }.notice(&mut body, AgentNumber(3), None, notice);
        self.says(millis, &String::from_utf8(body).unwrap())
    }

    /// Waits for the agent's next request, which the game master answers 20 ms later.
    pub(crate) fn answers(&mut self, notice: &Notice) -> &mut Self {
        let then = self.asked();
        self.notice(then + 20, notice)
    }

    /// The same in the game master's own words.
    pub(crate) fn answers_with(&mut self, body: &str) -> &mut Self {
        let then = self.asked();
        self.says(then + 20, body)
    }

    /// Waits for the agent's next request; the moment at which it was sent.
    pub(crate) fn asked(&mut self) -> u64 {
        while self.sent.is_empty() {
            let wake = self.wake.expect("something is to be asked");
            self.until(wake.as_millis());
        }
        self.sent.clear();
        self.now.as_millis()
    }

    /// The connection ends.
    pub(crate) fn closes(&mut self, millis: u64) -> &mut Self {
        self.until(millis);
        self.line("closed", "");
        self.session.handle(self.now, Input::Closed);
        self.drain()
    }

    /// The connection breaks.
    pub(crate) fn breaks(&mut self, millis: u64) -> &mut Self {
        self.until(millis);
        self.session.handle(self.now, Input::Broken);
        self.drain()
    }

    /// Adds a comment to the log.
    pub(crate) fn title(&mut self, text: &str) -> &mut Self {
        let gap = if self.log.is_empty() { "" } else { "\n" };
        writeln!(self.log, "{gap}# {text}").unwrap();
        self
    }

    /// Returns the log without the game master's messages, which differ between dialects.
    pub(crate) fn without_the_game_master(&self) -> String {
        self.log.lines().filter(|line| !line.contains(" gm ")).map(|line| format!("{line}\n")).collect()
    }

    /// The agent.
    pub(crate) fn actor(&mut self) -> &mut sdk::driver::actor::Actor {
        self.session.actor().unwrap()
    }

    fn drain(&mut self) -> &mut Self {
        while let Some(output) = self.session.poll_output() {
            match output {
                Output::Send(frames) => {
                    let mut decoder = Decoder::new(u16::MAX);
                    let mut bytes = &frames[..];
                    while let Some(body) = decoder.next(&mut bytes) {
                        let text = String::from_utf8(body.unwrap().to_vec()).unwrap();
                        let envelope = Envelope::parse(text.as_bytes()).unwrap();
                        assert!(read_request(envelope.message_id, envelope.payload).is_ok(), "{text}");
                        self.sent.push(envelope.message_id);
                        self.line("agent", &text);
                    }
                    assert!(!decoder.is_inside_frame(), "what is sent are whole frames");
                }
                Output::Decide => {
                    self.show_knowledge();
                    let time = self.session.game_time(self.now);
                    let actor = self.session.actor().expect("who decides plays");
                    let choice = actor.decide(time, &mut self.script);
                    for blunder in actor.take_blunders() {
                        let text = blunder.to_string();
                        self.line("blunder", text.lines().next().unwrap());
                    }
                    if let Choice::Wait(until) = choice {
                        let until = if until == SimTime::NEVER {
                            "something is heard".into()
                        } else {
                            until.to_string()
                        };
                        self.line("waits", &format!("until {until}"));
                    }
                    self.session.handle(self.now, Input::Choice(choice));
                }
                Output::Report(news) => {
                    self.line("news", &format!("{news:?}"));
                }
                Output::Done(end) => self.end = Some(end),
            }
        }
        self.show_knowledge();
        self.wake = self.session.wake_at();
        let next = match (&self.end, self.wake) {
            (Some(end), _) => return self.line("done", &format!("{:?}", end.clone())),
            (None, Some(wake)) => format!("{} ms", wake.as_millis()),
            (None, None) => "when something comes".to_owned(),
        };
        self.line("next", &next)
    }

    fn line(&mut self, who: &str, text: &str) -> &mut Self {
        writeln!(self.log, "{}", format!("{:>6} {who:<7} {text}", self.now.as_millis()).trim_end()).unwrap();
        self
    }

    fn show_knowledge(&mut self) {
        let Some(actor) = self.session.actor() else { return };
        let known = knowledge(actor);
        if known != self.knew {
            self.line("knows", &known);
            self.knew = known;
        }
    }
}

/// Returns the knowledge of an agent, on one line: itself, the agents that wait for an answer, goals, distances, and
/// the possible places of pieces.
pub(crate) fn knowledge(actor: &sdk::driver::actor::Actor) -> String {
    let (own, knowledge) = (actor.own(), actor.knowledge());
    let mut text = format!("{} at {}, {:?}", own.agent, actor.position(), own.hand);
    for question in &own.questions {
        write!(text, ", {} {}", if question.must_answer { "must answer" } else { "asked by" }, question.by)
            .unwrap();
    }
    let source = |from| match from {
        Source::Own => String::new(),
        Source::Told(agent) => format!(" by {agent}"),
    };
    for at in knowledge.geometry().positions() {
        if let Some(Learnt { value, from, .. }) = knowledge.goal(at) {
            write!(text, "; {at} {value:?}{}", source(from)).unwrap();
        }
    }
    let distances: Vec<String> = knowledge
        .geometry()
        .positions()
        .filter_map(|at| {
            knowledge.distance(at).map(|learnt| format!("{at}={}{}", learnt.value, source(learnt.from)))
        })
        .collect();
    if !distances.is_empty() {
        write!(text, "; distances {}", distances.join(" ")).unwrap();
    }
    let candidates: Vec<String> =
        knowledge.piece_search().candidates().iter().map(ToString::to_string).collect();
    if !candidates.is_empty() {
        write!(text, "; a piece on {}", candidates.join(" or ")).unwrap();
    }
    if knowledge.piece_search().is_bare() {
        text += "; no piece anywhere";
    }
    text
}

/// Returns the message at the beginning of the game: agent 3 plays for red with 1, its leader, against 2 and 4, on a
/// board of 4×6 with goal areas of one row. Every penalty is different, and 100 ms or more.
pub(crate) fn start() -> GameStart {
    let penalty = |kind| match kind {
        ActionKind::Move => 100,
        ActionKind::Discover => 200,
        ActionKind::PickUp => 0,
        ActionKind::Put => 300,
        ActionKind::Check => 400,
        ActionKind::Destroy => 500,
        ActionKind::Ask | ActionKind::Answer => 600,
    };
    GameStart {
        agent: AgentNumber(3),
        allies: vec![AgentNumber(1)],
        leader: AgentNumber(1),
        enemies: vec![AgentNumber(2), AgentNumber(4)],
        team: Team::Red,
        geometry: Geometry::new(4, 6, 1).unwrap(),
        players: Players { allies: 2, enemies: 2 },
        pieces: 2,
        goals: 1,
        premature: Millis::ZERO,
        penalties: Penalties::new(|kind| Millis::new(penalty(kind))),
        sham_probability: 0.5,
        position: Position::new(1, 3),
    }
}

/// An answer that knows a goal and some distances.
pub(crate) fn information() -> Arc<Information> {
    let text = "distances=-*8,2,1,0,1,-*12 red=?,G,N,? blue=?*4";
    Arc::new(text.parse().unwrap())
}
