//! `bots fork`: plays a recorded game on from a moment, many times.

use std::path::PathBuf;

use clap::{ArgMatches, Args};
use command_line::signals::Interruption;
use command_line::{Failure, check_apart, shown, write_file};
use contests::text::{columns, counted};
use game_env::AgentId;
use game_env::text::{escape_hidden, fit_for_a_log};
use serde_json::json;
use study::futures::{Futures, Question};
use study::moment::{Moment, clock};
use viewer::findings::Findings;

use super::super::programs;
use super::super::screen::Screen;
use super::output::{Output, Report, blunder, remark};
use super::{Players, Record, Studied, instead, unplayable};

/// Flags of `bots fork`.
#[derive(Args)]
#[command(after_help = "Example: bots fork lost.replay --at 2:31.5 --red coordinated --games 200\n\
                        The agents first learn what they were told up to the moment; then they decide anew.")]
pub(crate) struct Forking {
    #[command(flatten)]
    studied: Studied,
    /// The moment: a game time such as 2:31.5, or a number of actions such as 120.
    #[arg(long, value_name = "MOMENT")]
    at: Moment,
    #[command(flatten)]
    players: Players,
    /// The number of futures.
    #[arg(long, value_name = "NUMBER", default_value_t = GAMES, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    games: u64,
    /// The file for the replay of a future, with the game before it.
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// The number of that future, from 0 [default: 0].
    #[arg(long, value_name = "NUMBER", requires = "replay")]
    future: Option<u64>,
    #[command(flatten)]
    output: Output,
}

/// The number of futures, unless another is named.
pub(super) const GAMES: u64 = 200;

/// Plays the futures and prints the chances.
///
/// # Errors
///
/// If the replay cannot be played, a flag is faulty, or the file cannot be written.
pub(crate) fn fork(forking: &Forking, flags: &ArgMatches, screen: &Screen) -> Result<(), Failure> {
    let record = forking.studied.record(screen)?;
    forking.output.check(&record)?;
    record.spare(forking.replay.as_deref())?;
    check_apart(&[("--replay", forking.replay.as_deref()), ("--html", forking.output.html())])?;
    let entrants = record.entrants(&forking.players, flags)?;
    let game = &*record.game;
    let inputs = forking.at.inputs(game).map_err(|error| {
        Failure::misuse(error.to_string(), "`reference-gm view FILE` shows the moments of the game")
    })?;
    let question = Question { game, inputs, entrants, seed: forking.studied.seed() };
    if let Some(path) = &forking.replay {
        let mut replay = Vec::new();
        let number = forking.future.unwrap_or(0);
        let future = question.future(number, Some(&mut replay));
        programs::refuse_unready(&record.processes)?;
        future.map_err(|error| unplayable(&error))?;
        write_file(path, replay, "name a file in a folder that exists")?;
        screen.say(&format!("the replay of future {number} is {}", shown(path)));
    }
    let interruption = Interruption::expect()?;
    let futures = record.futures(&question, forking.games, forking.studied.jobs(), |futures| {
        screen.show(&format!("{} of {} futures", futures.games(), forking.games));
        interruption.flow()
    });
    screen.show("");
    let futures = futures?;
    let is_interrupted = interruption.has_come();
    if is_interrupted {
        screen.say(&format!("interrupted after {} of {} futures", futures.games(), forking.games));
    }
    let chances = Chances { record: &record, question: &question, futures: &futures, is_interrupted };
    forking.output.give(&record, &chances, screen)?;
    interruption.finish();
    Ok(())
}

/// The chances at a moment.
pub(super) struct Chances<'a> {
    pub(super) record: &'a Record,
    pub(super) question: &'a Question<'a>,
    pub(super) futures: &'a Futures,
    /// `true` if the user has interrupted the futures.
    pub(super) is_interrupted: bool,
}

impl Report for Chances<'_> {
    fn text(&self) -> String {
        let Self { record, question, futures, .. } = *self;
        let moments = record.game.moments();
        let inputs = counted(question.inputs as u64, "action", "actions");
        let moment = match Moment::after(&moments, question.inputs) {
            Moment::Time(time) => format!("{} (after {inputs})", clock(time)),
            Moment::Inputs(_) => inputs,
        };
        let mut text =
            format!("{} from {moment}: {}\n\n", record.name, counted(futures.games(), "future", "futures"));
        let heading = ["", "wins", "shares", "losses", "chance (95 %)"].map(str::to_owned);
        let rows = futures.counts().iter().zip(futures.chances()).enumerate();
        let rows = rows.map(|(team, ([lost, shared, won], chance))| {
            [record.team(team), won.to_string(), shared.to_string(), lost.to_string(), chance.to_string()]
        });
        text += &columns(&std::iter::once(heading).chain(rows).collect::<Vec<_>>());
        if futures.are_the_same() {
            text += "\nAll futures are the same: nothing in this game is drawn after the moment.\n";
        }
        if let Some(outcome) = record.game.outcome() {
            let end = moments.last().filter(|last| last.as_millis() > 0);
            let end = end.map(|end| format!(", at {}", clock(*end))).unwrap_or_default();
            text += &format!("\nIn the record: {}{end}.\n", outcome.text(record.kind.team_names()));
        }
        text += "\nThe agents before the moment:\n";
        for (place, line) in agents(record, question, futures).into_iter().enumerate() {
            text += &format!("  #{place} {line}\n");
        }
        for blunder in futures.blunders() {
            text += &format!("\n{}\n", blunder.trim_end());
        }
        text
    }

    fn document(&self) -> serde_json::Value {
        let Self { record, question, futures, .. } = *self;
        let departures = futures.departures().iter().map(|departure| {
            json!({
                "after": departure.input, "time_ms": departure.at.as_millis(), "agent": departure.agent.index(),
                "recorded": departure.recorded, "chosen": departure.chosen,
            })
        });
        json!({
            "replay": record.name,
            "after": question.inputs,
            "entrants": question.entrants,
            "seed": question.seed.to_string(),
            "futures": futures.games(),
            "interrupted": self.is_interrupted,
            "teams": record.teams(futures),
            "mean_time_ms": futures.mean_time(),
            "all_the_same": futures.are_the_same(),
            "departures": departures.collect::<Vec<_>>(),
            "blunders": futures.blunders(),
        })
    }

    /// Returns a remark with the chance of each team.
    fn findings(&self) -> Findings {
        let Self { record, question, futures, .. } = *self;
        let chances = futures.chances().into_iter().enumerate();
        let chances: Vec<String> =
            chances.map(|(team, chance)| format!("{} {chance}", record.team(team))).collect();
        let recorded = record.game.players();
        let others: Vec<String> = (0..)
            .zip(&question.entrants)
            .zip(&recorded)
            .filter(|((_, entrant), own)| entrant != own)
            .map(|((place, entrant), _)| format!("#{place} `{}`", fit_for_a_log(entrant)))
            .collect();
        let players = if others.is_empty() { "the recorded players".to_owned() } else { others.join(", ") };
        let moment = Moment::after(&record.game.moments(), question.inputs).named();
        let games = counted(futures.games(), "future", "futures");
        let text = format!("From {moment} on with {players}: {}, by {games}.", chances.join(", "));
        let mut remarks = vec![remark(text, record.marks.after(question.inputs))];
        remarks.extend(blunder(futures.blunders()));
        Findings { team: record.team(0), chances: Vec::new(), remarks }
    }
}

/// Returns a line for each agent: its entrant, and whether it has repeated what was recorded before the moment.
fn agents(record: &Record, question: &Question<'_>, futures: &Futures) -> Vec<String> {
    let (inputs, moments) = (record.game.inputs(), record.game.moments());
    let before = &inputs[..question.inputs];
    let agents = AgentId::all(question.entrants.len());
    agents
        .zip(&question.entrants)
        .map(|(agent, entrant)| {
            let actions = before.iter().filter(|input| input.agent() == Some(agent)).count();
            let mut departures = futures.departures().iter().filter(|departure| departure.agent == agent);
            let others = departures.clone().count();
            let (actions, entrant) = (counted(actions as u64, "action", "actions"), escape_hidden(entrant));
            let Some(first) = departures.next() else {
                return format!("{entrant} repeats its {actions}");
            };
            let at = Moment::after(&moments, first.input + 1).named();
            format!(
                "{entrant} would not have asked for {others} of the {actions} of its agent; first at {at}: {}",
                instead(first)
            )
        })
        .collect()
}
