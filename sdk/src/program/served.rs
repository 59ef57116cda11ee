//! A strategy as a program: the program's side of the agent protocol.

use std::fmt;
use std::io::{BufRead, Write};
use std::sync::Arc;

use game_env::{AgentId, ByTeam, Choice, Seed, SimTime, TeamId};
use game_project::observation::Announcement;
use game_project::{Action, Briefing, Config, Position, Team};
use wire::agent::message::{Answer, End, Hello, Ready, Tell};
use wire::agent::program::{Agent, AgentError, DecideOf, Program, ProgramError, QuestionOf};
use wire::project::agent::{Begin, Event, ProjectAgent};

use crate::driver::actor::{Actor, BlunderKind};
use crate::strategy::Strategy;

/// Plays strategies as a program: answers each line of the host, to the end of its input. `strategy` makes a fresh one
/// for each game.
///
/// The strategy sees what it sees in process. Its random numbers follow from the number of `hello`. The host counts its
/// blunders, a panic for instance, as those of the agent.
///
/// Pass the standard output without its lock: a strategy that prints from another thread would wait for it without end.
///
/// ```no_run
/// use sdk::prelude::*;
///
/// struct Lookout;
///
/// impl Strategy for Lookout {
///     fn act(&mut self, view: &mut View<'_>) -> Choice {
///         view.discover()
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// sdk::program::serve(|| Lookout, std::io::stdin().lock(), std::io::stdout())?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// If a line is none of The Project Game, or a line cannot be read or written.
pub fn serve<S: Strategy>(
    mut strategy: impl FnMut() -> S,
    input: impl BufRead,
    output: impl Write,
) -> Result<(), ProgramError> {
    let begin = |hello: Hello<Begin>| {
        let seed = Seed::new(hello.chance.into());
        Served::new(hello, seed, strategy())
    };
    Program::new(begin).serve(input, output)
}

/// A strategy as the agent of a program, in one game.
pub struct Served<S> {
    /// The SDK's agent, as a program in another language would have to be one.
    actor: Actor,
    strategy: S,
    /// The choice that waits for the message to which it is the answer: the strategy left questions before it
    /// unanswered.
    choice: Option<Choice<Action>>,
}

impl<S: Strategy> Served<S> {
    /// Returns the agent of a game that begins, whose random numbers follow from this seed.
    ///
    /// # Errors
    ///
    /// If `hello` has faults.
    pub fn new(hello: Hello<Begin>, seed: Seed, strategy: S) -> Result<Self, AgentError> {
        let Hello { config, agent, teams, begin: Begin { leader, start: [x, y] }, .. } = hello;
        let team = |number: u8| {
            Team::try_from(TeamId::new(number))
                .map_err(|_| format!("there is no team {number}: expected 0 or 1"))
        };
        let teams = teams.into_iter().map(team).collect::<Result<Vec<_>, _>>()?;
        let own = *teams
            .get(usize::from(agent))
            .ok_or_else(|| format!("`agent` is {agent}, and `teams` has {} agents", teams.len()))?;
        let config = Config::read(&config)?;
        let start = Position::new(x, y);
        if !config.geometry().contains(start) {
            return Err(format!("`start` is [{x}, {y}], which is not on the board").into());
        }
        let mut leaders = ByTeam::new([None, None]);
        leaders[own] = leader.map(AgentId::new);
        let briefing = Briefing {
            agent: AgentId::new(agent),
            team: own,
            start,
            game: Arc::new(Announcement { config, teams, leaders }),
        };
        Ok(Self { actor: Actor::new(Arc::new(briefing), seed).with_notes(), strategy, choice: None })
    }

    fn hear(&mut self, events: Vec<Event>) -> Result<(), AgentError> {
        let geometry = self.actor.knowledge().geometry();
        for event in events {
            let moment = SimTime::from_millis(event.t);
            let notice = event.notice(|agent| self.team(agent))?.on_board(geometry)?;
            self.actor.hear(moment, notice);
        }
        Ok(())
    }

    /// Returns the team of an agent; that of the opponents if the host has not named it.
    fn team(&self, agent: AgentId) -> Team {
        let Briefing { team, game, .. } = &**self.actor.briefing();
        game.teams.get(agent.index()).copied().unwrap_or(team.opponent())
    }

    /// Returns the choice that waits, or a new one.
    fn choose(&mut self, now: SimTime) -> Choice<Action> {
        self.choice.take().unwrap_or_else(|| {
            let choice = self.actor.decide(now, &mut self.strategy);
            if let Choice::Act(action) = &choice {
                self.actor.sent(action);
            }
            choice
        })
    }

    /// Returns the answer with the note of the strategy and its blunders.
    fn told(&mut self, answer: Answer) -> Answer {
        let note = self.actor.take_note();
        self.blundered(answer.with_note(note))
    }

    /// Returns the answer with the blunders of the strategy.
    fn blundered(&mut self, answer: Answer) -> Answer {
        let blunders = self.actor.take_blunders();
        // The host sees refusals itself.
        let own = blunders.iter().filter(|own| !matches!(own.what, BlunderKind::Repeated { .. }));
        let own: Vec<String> = own.map(ToString::to_string).collect();
        Answer { blunder: (!own.is_empty()).then(|| own.join("\n")), ..answer }
    }
}

impl<S: Strategy> Agent for Served<S> {
    type Game = ProjectAgent;

    /// It keeps its own knowledge, and answers questions.
    fn ready(&self) -> Ready {
        Ready { options: false, board: false, answers: true, ..Ready::default() }
    }

    fn decide(&mut self, decide: DecideOf<ProjectAgent>) -> Result<Answer, AgentError> {
        let now = SimTime::from_millis(decide.now);
        self.hear(decide.events)?;
        let choice = self.choose(now);
        Ok(self.told(Answer::of(now, choice)))
    }

    fn question(&mut self, question: QuestionOf<ProjectAgent>) -> Result<Answer, AgentError> {
        let now = SimTime::from_millis(question.decide.now);
        self.hear(question.decide.events)?;
        let tell = |tell| Answer { tell: Some(tell), ..Answer::default() };
        match self.choose(now) {
            Choice::Act(Action::Answer { to, information }) if to == AgentId::new(question.by) => {
                let told = Tell::Information((&*information).into());
                Ok(self.told(tell(Some(told))))
            }
            other => {
                // The note belongs to the choice.
                self.choice = Some(other);
                Ok(self.blundered(tell(None)))
            }
        }
    }

    fn end(&mut self, end: End<Event>) -> Result<(), AgentError> {
        self.hear(end.events)?;
        let winner = end.winner.and_then(|winner| Team::try_from(TeamId::new(winner)).ok());
        self.actor.end(SimTime::from_millis(end.now), &mut self.strategy, winner);
        Ok(())
    }
}

impl<S> fmt::Debug for Served<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Served").field("actor", &self.actor).finish_non_exhaustive()
    }
}
