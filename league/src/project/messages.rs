//! The questions and answers of games as tables, with the truth about each claim.
//!
//! Rows are CSV. This module plays replays back and opens no file.

use std::io::Write;

use contests::text::csv_cell;
use game_env::replay::{Playback, Progress};
use game_env::{AgentId, Environment as _, Notation as _, SimTime, Witness};
use game_project::claims::{Claim, ClaimContent, ClaimCounts, ClaimJudge, Truth, Verdict};
use game_project::{Event, GoalBelief, State};

use crate::export::{ExportError, Game, MessageTables};

/// The tables of The Project Game: each question, order and answer, and each claim of an answer.
pub(crate) const TABLES: MessageTables =
    MessageTables { game: State::GAME, messages: MESSAGES, claims: CLAIMS, write };

/// The head of the table of messages.
const MESSAGES: &str = "match,id,message,time_ms,kind,from,from_team,from_entrant,to,to_team,to_entrant,claims,honest,\
                            stale,mistaken,lies,believed,believed_false,verdict\n";

/// The head of the table of claims.
const CLAIMS: &str = "match,id,message,time_ms,from,to,x,y,about,said,truth,verdict,believed\n";

/// Writes a row for each question and answer of The Project Game, and a row for each claim of an answer.
///
/// # Errors
///
/// Fails if the replay is faulty or of another game, or a row cannot be written.
fn write(game: &Game<'_>, messages: &mut dyn Write, claims: &mut dyn Write) -> Result<(), ExportError> {
    let mut playback = Playback::<State>::open(game.replay)?;
    let mut judge = ClaimJudge::new(playback.state().agents());
    let (mut heard, mut count) = (Heard::default(), 0);
    loop {
        let progress = playback.advance(&mut heard)?;
        let state = playback.state();
        for (now, event) in heard.0.drain(..) {
            let mut made = Vec::new();
            let judged = judge.hear(state, &event, |claim| made.push(claim));
            let Some((kind, from, to)) = message(&event) else { continue };
            count += 1;
            let time = now.as_millis();
            let mut believed = ClaimCounts::default();
            for claim in &made {
                let is_believed = judge.takes_over(state.config().geometry(), to, claim);
                if is_believed {
                    believed.add(claim.verdict);
                }
                let (number, id, is_believed) = (game.number, game.id, u8::from(is_believed));
                let (from, to) = (from.index(), to.index());
                let Claim { at, content, verdict } = claim;
                let (about, said, truth) =
                    (about(*content), words_of_claim(*content), words_of_truth(claim.truth(state)));
                writeln!(
                    claims,
                    "{number},{id},{count},{time},{from},{to},{},{},{about},{said},{truth},{verdict},{is_believed}",
                    at.x, at.y
                )?;
            }
            let (number, id) = (game.number, game.id);
            write!(messages, "{number},{id},{count},{time},{kind}")?;
            for agent in [from, to] {
                let team = state.briefing(agent).team;
                let entrant = game.league.seated(game.id)[game_env::TeamId::from(team).index()];
                write!(messages, ",{},{team},{}", agent.index(), csv_cell(&entrant.name))?;
            }
            match judged {
                None => writeln!(messages, ",,,,,,,,")?,
                Some(counts) => {
                    let [honest, stale, mistaken, lies] = Verdict::ALL.map(|verdict| counts.of(verdict));
                    let (all, taken, worst) = (counts.total(), believed.total(), counts.worst());
                    let taken_false = taken - believed.of(Verdict::Honest);
                    writeln!(
                        messages,
                        ",{all},{honest},{stale},{mistaken},{lies},{taken},{taken_false},{worst}"
                    )?;
                }
            }
        }
        if progress == Progress::Finished {
            return Ok(());
        }
    }
}
/// Events of one record of a replay.
#[derive(Default)]
struct Heard(Vec<(SimTime, Event)>);

impl Witness<State> for Heard {
    fn event(&mut self, now: SimTime, event: &Event) {
        self.0.push((now, event.clone()));
    }
}

/// The kind of a message, its sender and its receiver; none if the event is no message.
fn message(event: &Event) -> Option<(&'static str, AgentId, AgentId)> {
    match event {
        Event::Asked { agent, by, must_answer: true } => Some(("order to answer", *by, *agent)),
        Event::Asked { agent, by, must_answer: false } => Some(("question", *by, *agent)),
        Event::AskedAgain { agent, by } => Some(("repeated question", *by, *agent)),
        Event::Answered { agent, by, .. } => Some(("answer", *by, *agent)),
        _ => None,
    }
}

fn about(said: ClaimContent) -> &'static str {
    match said {
        ClaimContent::Distance(_) => "distance",
        ClaimContent::Goal(_) => "goal",
    }
}

fn words_of_claim(said: ClaimContent) -> String {
    match said {
        ClaimContent::Distance(distance) => distance.to_string(),
        ClaimContent::Goal(GoalBelief::Goal) => "goal".to_owned(),
        ClaimContent::Goal(GoalBelief::NoGoal | GoalBelief::Unknown) => "no goal".to_owned(),
    }
}

fn words_of_truth(truth: Truth) -> String {
    match truth {
        Truth::Distance(distance) => distance.to_string(),
        Truth::Goal => "goal".to_owned(),
        Truth::CoveredGoal => "covered goal".to_owned(),
        Truth::NoGoal => "no goal".to_owned(),
    }
}
