//! Plays a shipped strategy as a program: reads and writes the lines of the agent protocol.
//!
//! `shipped_program STRATEGY SEED` plays one agent of any game, in one game after another. The seed is that of the
//! games: the protocol does not tell it, and a strategy in the same process draws its random numbers from it. Thus a
//! match with this program takes the same course as the match with the strategy itself, which the tests check.
//!
//! The line-up `"target/debug/examples/shipped_program greedy 7"` plays it with `bots` and `--seed 7`.

use std::io::{BufRead as _, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use game_env::{AgentId, ByTeam, Choice, Environment, Note, Policy, Seed, SimTime, TeamId};
use game_project::observation::Announcement;
use game_project::{Action, Briefing, Config, Position, Team};
use sdk::driver::actor::Actor;
use serde::Deserialize;
use strategies::programs::ProgramMessage;
use strategies::project::registry::{BoxedStrategy, Shipped};
use strategies::room::{PolicyGame, policy};
use wire::agent::message::{Answer, Hello, Message, NoBegin, Tell};
use wire::agent::{PROTOCOL, Told};
use wire::project::agent::{Begin, Event, ProjectMessage};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [strategy, seed] = &words[..] else {
        eprintln!("error: expected a strategy and a seed, e.g. `greedy 7`");
        return ExitCode::from(2);
    };
    let seed = match seed.parse() {
        Ok(seed) => seed,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(2);
        }
    };
    match serve(ShippedProgram::new(strategy, seed)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers each line of standard input, to its end.
fn serve(mut program: ShippedProgram) -> Result<(), String> {
    let mut answers = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| error.to_string())?;
        if let Some(answer) = program.answer(&line)? {
            let written = writeln!(answers, "{answer}").and_then(|()| answers.flush());
            written.map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

/// A strategy behind the agent protocol.
pub struct ShippedProgram {
    strategy: String,
    seed: Seed,
    game: Option<Box<dyn Game + Send>>,
}

impl ShippedProgram {
    /// A program with this strategy for games with this seed.
    pub fn new(strategy: &str, seed: Seed) -> Self {
        Self { strategy: strategy.to_owned(), seed, game: None }
    }

    /// The answer to a line; none if the line needs none.
    pub fn answer(&mut self, line: &str) -> Result<Option<String>, String> {
        #[derive(Deserialize)]
        struct Kind {
            r#type: String,
            #[serde(default)]
            game: String,
        }

        let kind: Kind = read(line)?;
        if kind.r#type == "hello" {
            let (strategy, seed) = (&self.strategy[..], self.seed);
            self.game = Some(match &kind.game[..] {
                "project" => ProjectGame::begin(line, strategy, seed)?,
                "dots" => PolicyGameOf::<game_dots::State>::begin(line, strategy, seed)?,
                "bricks" => PolicyGameOf::<game_bricks::State>::begin(line, strategy, seed)?,
                "conveyor" => PolicyGameOf::<game_conveyor::State>::begin(line, strategy, seed)?,
                "eriantys" => PolicyGameOf::<game_eriantys::State>::begin(line, strategy, seed)?,
                other => return Err(format!("there is no game `{other}`")),
            });
            return Ok(Some(format!(
                "{{\"type\":\"ready\",\"protocol\":{PROTOCOL},\"options\":false,\"board\":false,\"answers\":true}}"
            )));
        }
        if kind.r#type == "end" {
            self.game = None;
            return Ok(None);
        }
        let game = self.game.as_mut().ok_or("the game has not begun")?;
        let answer = game.answer(line)?;
        serde_json::to_string(&answer).map(Some).map_err(|error| error.to_string())
    }
}

/// One game of the program.
trait Game {
    /// The answer to a `decide` or a `question`.
    fn answer(&mut self, line: &str) -> Result<Answer, String>;
}

fn read<'a, T: Deserialize<'a>>(line: &'a str) -> Result<T, String> {
    serde_json::from_str(line).map_err(|error| format!("{error} in {line}"))
}

/// The answer with this choice.
fn chosen<A: ToString>(now: SimTime, choice: Choice<A>, note: Option<Note>) -> Answer {
    let answer = match choice {
        Choice::Act(action) => Answer::act(action),
        Choice::Wait(until) => Answer::wait(now, until),
    };
    answer.with_note(note)
}

/// A game whose strategies are policies.
struct PolicyGameOf<E: Environment> {
    agent: AgentId,
    policy: Box<dyn Policy<E> + Send>,
}

impl<E: Told + PolicyGame> PolicyGameOf<E> {
    fn begin(line: &str, strategy: &str, seed: Seed) -> Result<Box<dyn Game + Send>, String> {
        let ProgramMessage::<E>::Hello(hello) = read(line)? else { return Err("no hello".to_owned()) };
        let Hello::<NoBegin> { agent, .. } = *hello;
        let agent = AgentId::new(agent);
        Ok(Box::new(Self { agent, policy: policy::<E>(strategy, seed.agent(agent), None)? }))
    }
}

impl<E: Told> Game for PolicyGameOf<E> {
    fn answer(&mut self, line: &str) -> Result<Answer, String> {
        let ProgramMessage::<E>::Decide(decide) = read(line)? else { return Err("no decision".to_owned()) };
        let now = SimTime::from_millis(decide.now);
        let observation = E::read(decide.observation)?;
        let choice = self.policy.choose(now, self.agent, &observation);
        if let Choice::Act(action) = &choice {
            self.policy.sent(now, self.agent, action);
        }
        Ok(chosen(now, choice, self.policy.note()))
    }
}

/// A game of The Project Game: the program has the SDK's agent of its own.
struct ProjectGame {
    actor: Actor,
    strategy: BoxedStrategy,
    /// The choice that waits for the message to which it is the answer: the strategy left questions before it
    /// unanswered.
    choice: Option<Choice<Action>>,
}

impl ProjectGame {
    fn begin(line: &str, strategy: &str, seed: Seed) -> Result<Box<dyn Game + Send>, String> {
        let ProjectMessage::Hello(hello) = read(line)? else { return Err("no hello".to_owned()) };
        let Hello { config, agent, teams, begin: Begin { leader, start: [x, y] }, .. } = *hello;
        let team = |number: u8| Team::try_from(TeamId::new(number)).map_err(|_| "no such team".to_owned());
        let teams = teams.into_iter().map(team).collect::<Result<Vec<_>, _>>()?;
        let own = *teams.get(usize::from(agent)).ok_or("the agent has no team")?;
        let config = Config::read(&config).map_err(|error| error.to_string())?;
        let mut leaders = ByTeam::new([None, None]);
        leaders[own] = leader.map(AgentId::new);
        let briefing = Briefing {
            agent: AgentId::new(agent),
            team: own,
            start: Position::new(x, y),
            game: Arc::new(Announcement { config, teams, leaders }),
        };
        let strategy: Shipped = strategy.parse().map_err(|error| format!("{error}"))?;
        let actor = Actor::new(Arc::new(briefing), seed).with_notes();
        Ok(Box::new(Self { actor, strategy: strategy.construct(), choice: None }))
    }

    fn hear(&mut self, events: Vec<Event>) -> Result<(), String> {
        for event in events {
            let moment = SimTime::from_millis(event.t);
            let teams = &self.actor.briefing().game.teams;
            let notice = event.notice(|agent| teams[agent.index()]).map_err(|error| error.to_string())?;
            self.actor.hear(moment, notice);
        }
        Ok(())
    }

    /// The choice that waits, or a new one.
    fn choose(&mut self, now: SimTime) -> Choice<Action> {
        self.choice.take().unwrap_or_else(|| {
            let choice = self.actor.decide(now, &mut *self.strategy);
            if let Choice::Act(action) = &choice {
                self.actor.sent(action);
            }
            choice
        })
    }
}

impl Game for ProjectGame {
    fn answer(&mut self, line: &str) -> Result<Answer, String> {
        match read::<ProjectMessage>(line)? {
            Message::Decide(decide) => {
                let now = SimTime::from_millis(decide.now);
                self.hear(decide.events)?;
                let choice = self.choose(now);
                Ok(chosen(now, choice, self.actor.take_note()))
            }
            Message::Question(question) => {
                let now = SimTime::from_millis(question.decide.now);
                self.hear(question.decide.events)?;
                let answer = |tell| Answer { tell: Some(tell), ..Answer::default() };
                match self.choose(now) {
                    Choice::Act(Action::Answer { to, information }) if to == AgentId::new(question.by) => {
                        let told = Tell::Information((&*information).into());
                        Ok(answer(Some(told)).with_note(self.actor.take_note()))
                    }
                    other => {
                        self.choice = Some(other);
                        Ok(answer(None))
                    }
                }
            }
            Message::Hello(_) | Message::End(_) => Err("no decision".to_owned()),
        }
    }
}
