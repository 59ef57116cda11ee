//! The strategy that asks a program.

use std::fmt;

use game_env::{Note, Outcome, Place, Seed, Shape, SimTime, TeamId, Termination};
use game_project::{Action, Information, Position, Question, State, Team};
use wire::agent::message::{self, Answer, Decide, End, Hello, Tell, Thinking};
use wire::agent::{Fault, Peer, Player, chance};
use wire::project::agent::{Begin, Event, ProjectMessage, from_agent, from_position};

use super::observation::{observation, text};
use crate::strategy::{Choice, Notice, Resignation, Strategy};
use crate::view::View;

/// A program that decides for an agent, in a rollout or on a server.
///
/// A decision blocks the thread until the program has answered: on a server,
/// [`Blocking`](crate::agent::Blocking) calls it. If the program fails, the agent leaves the game.
pub struct Program {
    pub(super) player: Player<Event, Action>,
    /// The seed of the number of `hello` for the program's random choices; the number differs from agent to agent.
    seed: Seed,
    thinking: Thinking,
}

impl Program {
    /// Creates a program that has not heard of the game yet, under this rule for the time of its decisions. Its random
    /// choices follow from the seed and from its agent.
    pub fn new(peer: Box<dyn Peer>, seed: Seed, thinking: Thinking) -> Self {
        Self { player: Player::new(peer, thinking), seed, thinking }
    }

    /// Tells the program that the game is over, and gives it back.
    pub(super) fn finish(&mut self, now: SimTime, outcome: &Outcome) {
        self.player.finish(|events| ProjectMessage::End(End::new(now, events, outcome)));
    }

    fn hello(&self, view: &View<'_>) -> ProjectMessage {
        let briefing = view.briefing;
        let teams = briefing.game.teams.iter().map(|team| TeamId::from(*team));
        let begin = Begin { leader: briefing.leader().map(from_agent), start: from_position(briefing.start) };
        let agent = view.own.agent;
        let chance = chance(self.seed, agent);
        let hello = Hello::new::<State>(&briefing.game.config, agent, teams, chance, self.thinking, begin);
        ProjectMessage::Hello(Box::new(hello))
    }

    fn decide(
        &mut self,
        view: &View<'_>,
        options: fn(&View<'_>) -> Vec<String>,
    ) -> Decide<wire::project::agent::Observation, Event> {
        let observation = observation(view, self.player.wishes().board);
        self.player.decide(view.now, observation, || options(view), || text(view, &options(view)))
    }

    /// Sends a message, and leaves the notes of the answer. None after a fault.
    fn ask(&mut self, view: &mut View<'_>, message: &ProjectMessage) -> Option<Answer> {
        let mut answer = self.player.ask(view.now, message)?;
        if let Some(note) = answer.take_note() {
            leave(view, note);
        }
        Some(answer)
    }

    /// Returns the choice of an answer to `decide`.
    fn choice(view: &mut View<'_>, answer: &Answer) -> Result<Choice, Fault> {
        if let Some(choice) = answer.choice(view.now)? {
            return Ok(choice);
        }
        let Some([x, y]) = answer.walk else {
            let reason = "has answered with `tell`, and no agent has asked: expected `do`, `wait` or `walk`";
            return Err(Fault::Illegal(reason.to_owned()));
        };
        let to = Position::new(x, y);
        if !view.geometry().contains(to) {
            return Err(Fault::Illegal(format!("wants to walk to [{x}, {y}], which is not on the board")));
        }
        Ok(view.walk_to(to))
    }

    /// Returns the information of an answer to `question`.
    fn information(view: &View<'_>, answer: Answer) -> Result<Option<Information>, Fault> {
        let illegal = |reason: String| Fault::Illegal(reason);
        match answer.tell {
            Some(None) => Ok(None),
            Some(Some(Tell::Own(_))) => Ok(Some(view.knowledge.report())),
            Some(Some(Tell::Information(information))) => information
                .try_into()
                .map(Some)
                .map_err(|error| illegal(format!("has answered with invalid information: {error}"))),
            None => Err(illegal("has answered a question without `tell`".to_owned())),
        }
    }
}

impl Strategy for Program {
    fn begin(&mut self, view: &mut View<'_>) {
        let hello = self.hello(view);
        self.player.begin(view.now, view.own.agent, &hello);
    }

    fn hear(&mut self, view: &mut View<'_>, notice: &Notice) {
        let Some(event) = Event::of(view.came_at, notice) else { return };
        let is_refused = match notice {
            Notice::TooEarly { .. } | Notice::Asked { .. } | Notice::Answered { .. } => None,
            _ => Some(notice.is_refusal()),
        };
        self.player.hear(event, is_refused);
    }

    fn answer(&mut self, view: &mut View<'_>, question: Question) -> Option<Information> {
        if !self.player.wishes().answers {
            return view.is_ally(question.by).then(|| view.knowledge.report());
        }
        let message = ProjectMessage::Question(Box::new(message::Question {
            by: from_agent(question.by),
            must_answer: question.must_answer,
            decide: Decide { options: None, ..self.decide(view, |_| Vec::new()) },
        }));
        let answer = self.ask(view, &message)?;
        Self::information(view, answer).unwrap_or_else(|fault| {
            self.player.fail(view.now, fault);
            None
        })
    }

    fn act(&mut self, view: &mut View<'_>) -> Choice {
        if let Some(choice) = self.player.take_chosen(view.now) {
            return choice;
        }
        let message = ProjectMessage::Decide(Box::new(self.decide(view, options)));
        // After a fault the agent gives the game up, whatever it chooses.
        let Some(answer) = self.ask(view, &message) else { return view.wait_for_message() };
        let choice = Self::choice(view, &answer).unwrap_or_else(|fault| {
            self.player.fail(view.now, fault);
            view.wait_for_message()
        });
        self.player.charged(view.now, choice)
    }

    fn gives_up(&mut self) -> Option<Resignation> {
        let termination = self.player.take_failure()?;
        Some(Resignation { termination, why: self.player.report().unwrap_or_default().to_owned() })
    }

    /// In a rollout the program hears the outcome, which has more: see [`Seat`](super::Seat).
    fn end(&mut self, view: &mut View<'_>, winner: Option<Team>) {
        if self.thinking != Thinking::RealTime {
            return;
        }
        let (now, winner) = (view.now, winner.map(TeamId::from));
        let termination = if winner.is_some() { Termination::Normal } else { Termination::Stopped };
        self.player.finish(|events| {
            let winner = winner.map(message::number);
            let (now, points) = (now.as_millis(), Vec::new());
            ProjectMessage::End(End { now, events, winner, points, termination: termination.to_string() })
        });
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("player", &self.player).finish_non_exhaustive()
    }
}

/// Returns the actions that a program may ask for. Questions are answered with `tell`, when they come.
fn options(view: &View<'_>) -> Vec<String> {
    let options = view.options();
    let asked_for = options.iter().filter(|action| !matches!(action, Action::Answer { .. }));
    asked_for.map(ToString::to_string).collect()
}

/// Leaves a note of the program for viewers.
fn leave(view: &mut View<'_>, note: Note) {
    let field = |Place { x, y }: Place| Position::new(x, y);
    if !note.text.is_empty() {
        view.notes.remark(|| note.text);
    }
    for shape in note.shapes {
        match shape {
            Shape::Field(at) => view.notes.mark(field(at)),
            Shape::Line(from, to) => view.notes.line(field(from), field(to)),
            Shape::Label(at, text) => view.notes.label(field(at), || text),
        }
    }
}
