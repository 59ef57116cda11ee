//! A program as the policy of a game whose agents see an observation and hear events, and that is all.

use game_env::environment::teams;
use game_env::seat::ReportsBlunders;
use game_env::{
    Addressed as _, AgentId, Choice, Environment, Note, Options as _, Outcome, Policy, Seed, SimTime,
    Termination, TimeModel,
};
use wire::agent::message::{Answer, End, Hello, Message, NoBegin, Thinking};
use wire::agent::{Fault, Peer, Player, Told, chance};

/// An agent that is a program.
pub struct Program<E: Told> {
    player: Player<String, E::Action>,
    agent: AgentId,
    hello: Option<ProgramMessage<E>>,
    note: Option<Note>,
    has_notes: bool,
    options: Vec<E::Action>,
}

/// A message to a program that plays this game.
pub type ProgramMessage<E> = Message<NoBegin, <E as Told>::Observation, String>;

impl<E: Told> Program<E> {
    const IS_TIMELESS: bool = matches!(E::DESCRIPTION.time, TimeModel::Turns);

    /// Creates an agent of a game of this configuration that is about to begin, in process or on a server.
    pub fn new(
        config: &E::Config,
        agent: AgentId,
        seed: Seed,
        peer: Box<dyn Peer>,
        thinking: Thinking,
    ) -> Self {
        let teams = teams::<E>(config);
        let hello = Hello::new::<E>(config, agent, teams, chance(seed, agent), thinking, NoBegin {});
        // In a game without time no answer takes game time.
        let is_charged = matches!(thinking, Thinking::ChargeMs(_));
        let thinking = if Self::IS_TIMELESS && is_charged { Thinking::Free } else { thinking };
        Self {
            player: Player::new(peer, thinking),
            agent,
            hello: Some(Message::Hello(Box::new(hello))),
            note: None,
            has_notes: false,
            options: Vec::new(),
        }
    }

    /// Turns on the notes of the program: its remarks and drawings are kept.
    pub fn with_notes(self) -> Self {
        Self { has_notes: true, ..self }
    }

    fn begin(&mut self, now: SimTime) {
        if let Some(hello) = self.hello.take() {
            self.player.begin(now, self.agent, &hello);
        }
    }

    fn choice(now: SimTime, answer: &Answer) -> Result<Choice<E::Action>, Fault> {
        if Self::IS_TIMELESS && answer.wait.is_some() {
            return Err(Fault::Waits);
        }
        answer.choice(now)?.ok_or_else(|| {
            let reason = "has answered with `walk` or `tell`, which this game does not have: expected `do`";
            Fault::Illegal(reason.to_owned())
        })
    }
}

/// Returns the decision as a text: a line for each part of the observation, then the options.
fn text<E: Told>(told: &<E as Told>::Observation, observation: &<E as Environment>::Observation) -> String {
    let mut text = String::new();
    if let Ok(serde_json::Value::Object(parts)) = serde_json::to_value(told) {
        for (name, part) in parts {
            text += &match part {
                // The rows of a board stand below each other.
                serde_json::Value::Array(rows) if rows.iter().all(serde_json::Value::is_string) => {
                    let rows: Vec<&str> = rows.iter().filter_map(serde_json::Value::as_str).collect();
                    format!("{name}:\n{}\n", rows.join("\n"))
                }
                part => format!("{name}: {part}\n"),
            };
        }
    }
    let mut options = Vec::new();
    observation.options(&mut options);
    let options: Vec<String> = options.iter().map(ToString::to_string).collect();
    text + &format!("options: {}\n", options.join(", "))
}

impl<E: Told> Policy<E> for Program<E> {
    fn choose(
        &mut self,
        now: SimTime,
        _: AgentId,
        observation: &<E as Environment>::Observation,
    ) -> Choice<E::Action> {
        self.begin(now);
        if let Some(choice) = self.player.take_chosen(now) {
            return choice;
        }
        let options = &mut self.options;
        let list = || {
            observation.options(options);
            options.iter().map(ToString::to_string).collect()
        };
        let told = E::tell(observation);
        let written = self.player.wishes().text.then(|| text::<E>(&told, observation));
        let decide = self.player.decide(now, told, list, || written.unwrap_or_default());
        let message = ProgramMessage::<E>::Decide(Box::new(decide));
        // After a fault the agent gives the game up, whatever it chooses.
        let nothing = Choice::Wait(SimTime::NEVER);
        let Some(mut answer) = self.player.ask(now, &message) else { return nothing };
        self.note = answer.take_note().filter(|_| self.has_notes);
        let choice = Self::choice(now, &answer).unwrap_or_else(|fault| {
            self.player.fail(now, fault);
            nothing
        });
        self.player.charged(now, choice)
    }

    fn hear(&mut self, _: SimTime, _: AgentId, event: &E::Event) {
        self.player.hear(event.to_string(), Some(event.is_refusal()));
    }

    fn note(&mut self) -> Option<Note> {
        self.note.take()
    }

    fn gives_up(&mut self) -> Option<Termination> {
        self.player.take_failure()
    }

    fn end(&mut self, now: SimTime, outcome: &Outcome) {
        self.player.finish(|events| ProgramMessage::<E>::End(End::new(now, events, outcome)));
    }
}

/// The failure of the program, and the first line of it that looks like an answer and is none.
impl<E: Told> ReportsBlunders for Program<E> {
    fn blunder_count(&self) -> u64 {
        self.player.failures()
    }

    fn take_blunders(&mut self) -> Vec<String> {
        self.player.take_reports()
    }
}
