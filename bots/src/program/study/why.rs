//! `bots why`: the decision that cost a team most.

use std::ptr;

use clap::Args;
use command_line::signals::Interruption;
use command_line::{Failure, command, quoted};
use contests::text::{columns, counted, with_commas};
use game_env::text::indented;
use game_env::{AgentId, Choice, Outcome};
use serde_json::json;
use study::curve::Point;
use study::futures::{Chance, each_once, in_points, team_count};
use study::habits::Habit;
use study::moment::{Moment, clock};
use study::pairs::Pairs;
use study::suspects::Suspect;
use study::why::{Setup, Trial, Why, search};
use viewer::findings::{Findings, Remark};

use super::super::rooms;
use super::super::screen::Screen;
use super::output::{Marks, Output, Report, blunder, remark};
use super::{Record, Studied, unplayable};

/// Flags of `bots why`.
#[derive(Args)]
#[command(after_help = "Example: bots why lost.replay --team red --games 20000\n\
                        Ctrl-C ends it early; what was measured is printed.")]
pub(crate) struct Asking {
    #[command(flatten)]
    studied: Studied,
    /// The team, by its name or its number from 1 [default: the one that lost].
    #[arg(long, value_name = "NAME")]
    team: Option<String>,
    /// Examine the decisions of this agent alone.
    #[arg(long, value_name = "NUMBER", conflicts_with = "team")]
    agent: Option<u16>,
    /// The strategy or program that judges the decisions [default: the best that is shipped].
    #[arg(long, value_name = "STRATEGY")]
    reference: Option<String>,
    /// The number of futures in all, at least 100.
    #[arg(long, value_name = "NUMBER", default_value_t = GAMES, value_parser = clap::value_parser!(u64).range(100..=100_000_000))]
    games: u64,
    #[command(flatten)]
    output: Output,
}

/// The number of futures, unless another is named.
pub(super) const GAMES: u64 = 8_000;

/// The chance below which a game is as good as lost.
const HOPELESS: f64 = 0.1;

/// The longest action that is shown whole, in characters.
const LONGEST_ACTION: usize = 40;

/// Searches the decision and prints it.
///
/// # Errors
///
/// If the replay cannot be played, or a flag is faulty.
pub(crate) fn why(asking: &Asking, screen: &Screen) -> Result<(), Failure> {
    let record = asking.studied.record(screen)?;
    asking.output.check(&record)?;
    let (team, agents) = asking.examined(&record)?;
    record.rehearse(&record.own_players()?, screen)?;
    let reference = asking.reference.as_deref().map(|text| record.entrant(text)).transpose()?;
    let reference = reference.unwrap_or_else(|| record.room.reference().to_owned());
    let (games, seed, jobs) = (asking.games, asking.studied.seed(), asking.studied.jobs());
    let setup = Setup { team, agents, reference, games, seed, jobs };
    let interruption = Interruption::expect()?;
    let why = search(&*record.game, &setup, |futures| {
        screen.show(&format!("{} of {} futures", with_commas(futures), with_commas(games)));
        interruption.flow()
    });
    screen.show("");
    let why = why.map_err(|error| unplayable(&error))?;
    let is_interrupted = interruption.has_come();
    if is_interrupted {
        let (futures, games) = (with_commas(why.futures), with_commas(games));
        screen.say(&format!("interrupted after {futures} of {games} futures"));
    }
    asking.output.give(
        &record,
        &Answer { record: &record, setup: &setup, why: &why, is_interrupted },
        screen,
    )?;
    interruption.finish();
    Ok(())
}

/// The decision that cost a team most, and how the game went.
pub(super) struct Answer<'a> {
    pub(super) record: &'a Record,
    pub(super) setup: &'a Setup,
    pub(super) why: &'a Why,
    /// `true` if more futures were to be played.
    pub(super) is_interrupted: bool,
}

impl Report for Answer<'_> {
    /// Returns the sentences, the costliest decisions, and the figures of the game.
    fn text(&self) -> String {
        let Self { record, setup, why, .. } = *self;
        let sentences = sentences(record, setup, why, &record.marks);
        let mut text: String = sentences.iter().map(|sentence| format!("{}\n", sentence.text)).collect();
        if !why.trials.is_empty() {
            text += &costliest(record, setup, why);
        }
        for blunder in blunders(why, 1) {
            text += &format!("\n{}\n", indented(blunder));
        }
        let review = rooms::find(Some(record.kind.name())).ok().and_then(|room| room.review());
        if let Some(figures) = review.and_then(|review| review(&record.replay)) {
            text += &format!("\n{figures}");
        }
        text
    }

    fn document(&self) -> serde_json::Value {
        let Self { record, setup, why, .. } = *self;
        let trials = why.trials.iter().map(|trial| {
            let Suspect { agent, inputs, at, recorded, better } = &trial.suspect;
            let (action, waits_until) = match recorded {
                Choice::Act(action) => (Some(action), None),
                Choice::Wait(until) => (None, Some(until.as_millis())),
            };
            json!({
                "agent": agent.index(),
                "after": inputs,
                "time_ms": at.as_millis(),
                "recorded": action,
                "waits_until_ms": waits_until,
                "better": better,
                "chance": { "recorded": trial.pairs.recorded().0, "better": trial.pairs.better().0 },
                "cost": trial.pairs.cost(),
                "pairs": trial.pairs.count(),
                "stands_out": trial.pairs.stands_out(),
            })
        });
        let habits = why.habits.iter().map(|habit| {
            let Habit { recorded, better, decisions, pairs } = habit;
            json!({
                "recorded": recorded, "better": better, "decisions": decisions.len(), "pairs": pairs.count(),
                "chance": { "recorded": pairs.recorded().0, "better": pairs.better().0 },
                "cost": pairs.cost(), "stands_out": pairs.stands_out(),
            })
        });
        let points = why.curve.points().iter().map(|point| {
            let chance = point.futures.chances()[setup.team];
            json!({ "after": point.inputs, "moment": point.moment.to_string(), "chance": chance.0 })
        });
        json!({
            "replay": record.name,
            "seed": setup.seed.to_string(),
            "interrupted": self.is_interrupted,
            "team": record.team(setup.team),
            "reference": setup.reference,
            "agents": setup.agents.iter().map(|agent| agent.index()).collect::<Vec<_>>(),
            "actions": why.actions,
            "suspects": why.suspects,
            "futures": why.futures,
            "stands_out": why.decision().is_some(),
            "decisions": trials.collect::<Vec<_>>(),
            "habits": habits.collect::<Vec<_>>(),
            "curve": points.collect::<Vec<_>>(),
            "blunders": blunders(why, usize::MAX),
        })
    }

    /// Returns the chances of the team, the sentences, the other decisions that were measured to the end, and the first
    /// blunder in the futures.
    fn findings(&self) -> Findings {
        let Self { record, setup, why, .. } = *self;
        let marks = &record.marks;
        // The first sentence is about one of them.
        let named = named(why);
        let others = why.trials.iter().filter(|trial| named.is_none_or(|named| !ptr::eq(named, *trial)));
        let others = others.map(|trial| {
            let (agent, done, better) = (trial.suspect.agent, done(trial), shortened(&trial.suspect.better));
            let text = format!(
                "Agent {agent} {done} instead of `{better}`: a cost of {} percentage points.",
                cost(trial)
            );
            remark(text, marks.after(trial.suspect.inputs))
        });
        Findings {
            team: record.team(setup.team),
            chances: marks.chances(&why.curve, setup.team),
            remarks: sentences(record, setup, why, marks)
                .into_iter()
                .chain(others)
                .chain(blunder(&why.blunders_in_futures))
                .collect(),
        }
    }
}

impl Asking {
    /// Returns the team, and its agents that are examined.
    ///
    /// # Errors
    ///
    /// If there is no such team or agent, or none is named and not exactly one team has lost.
    fn examined(&self, record: &Record) -> Result<(usize, Vec<AgentId>), Failure> {
        if let Some(agent) = self.agent.map(AgentId::new) {
            return Ok((record.team_of(agent)?.index(), vec![agent]));
        }
        let team = match &self.team {
            Some(name) => record.team_called(name)?,
            None => record.loser().ok_or_else(|| {
                let why = format!("not exactly one team has lost {}", record.name);
                Failure::misuse(why, format!("name a team with `--team`: {}", record.all_teams()))
            })?,
        };
        Ok((team, record.agents_of(team)))
    }
}

impl Record {
    /// Returns the agents of a team.
    pub(super) fn agents_of(&self, team: usize) -> Vec<AgentId> {
        let players = &self.game.header().players;
        AgentId::all(players.len()).filter(|agent| players[agent.index()].team.index() == team).collect()
    }

    /// Returns the team that has lost, if it is the only one.
    pub(super) fn loser(&self) -> Option<usize> {
        let places = self.game.outcome()?.ranking.places();
        let mut losers =
            (0..team_count(&*self.game)).filter(|team| places.get(*team).is_some_and(|place| *place > 1));
        losers.next().filter(|_| losers.next().is_none())
    }
}

/// Returns a sentence each about the costliest decision, the costliest habit if there is one, the steepest fall and the
/// end; the habit goes first if it cost more.
fn sentences(record: &Record, setup: &Setup, why: &Why, marks: &Marks) -> Vec<Remark> {
    let team = record.team(setup.team);
    let mut sentences = vec![decision(record, &team, setup, why, marks)];
    if let Some((habit, text)) = habit(record, &team, setup, why) {
        let first = habit.decisions.first().map(|(_, suspect)| marks.after(suspect.inputs));
        let weight = |pairs: &Pairs| (pairs.stands_out(), pairs.cost().value);
        let of_decision = named(why).map_or((false, 0.0), |trial| weight(&trial.pairs));
        let place = usize::from(weight(&habit.pairs) < of_decision);
        sentences.insert(place, Remark { text, mark: first });
    }
    sentences.extend([fall(&team, setup, why, marks), end(record, &team, setup, why, marks)]);
    sentences
}

/// Returns the costliest habit that stands out, or else the one that shows most often of those that were measured. None
/// if no decision is made again and again.
fn habit<'a>(record: &Record, team: &str, setup: &Setup, why: &'a Why) -> Option<(&'a Habit, String)> {
    let costliest = why.habits.iter().find(|habit| habit.pairs.stands_out());
    let named = why.habits.iter().filter(|habit| habit.recorded != habit.better);
    let habit = costliest.or_else(|| named.max_by_key(|habit| habit.decisions.len()))?;
    let examined = examined(record, setup);
    let (kinds, count, reference) = (habit.named(), habit.decisions.len(), &setup.reference);
    let [is, would_be] = [habit.pairs.recorded(), habit.pairs.better()].map(Chance::percent);
    let cost = in_points(habit.pairs.cost(), 0);
    let text = if habit.pairs.stands_out() {
        format!(
            "The costliest habit of {examined} that chance does not explain: {kinds}, {count} times; if {reference} had decided each time, {team} would \
             have won {would_be} of the games from this start instead of {is}, a cost of {cost} percentage points."
        )
    } else if habit.pairs.gains() {
        format!(
            "Of the measured habits of {examined}, the most frequent is no fault: {kinds}, {count} times; if {reference} had decided each time, \
             {team} would have won {would_be} of the games from this start instead of {is}."
        )
    } else {
        format!(
            "Of the measured habits of {examined}, judged by {reference}, the most frequent: {kinds}, {count} times, at a cost of {cost} percentage \
             points, which can be chance."
        )
    };
    Some((habit, text))
}

/// Returns those whose decisions were examined: the team, or one agent of several.
fn examined(record: &Record, setup: &Setup) -> String {
    match setup.agents[..] {
        [agent] if record.agents_of(setup.team).len() > 1 => format!("agent {agent}"),
        _ => record.team(setup.team),
    }
}

/// Returns the costliest decisions, as a table.
fn costliest(record: &Record, setup: &Setup, why: &Why) -> String {
    let (examined, reference) = (examined(record, setup), &setup.reference);
    let mut text = format!(
        "\n{reference} would have decided otherwise at {} of the {} of {examined}; the costliest, with {} in all:\n",
        why.suspects,
        counted(why.actions as u64, "action", "actions"),
        counted(why.futures, "future", "futures"),
    );
    let heading = ["at", "agent", "did", "instead of", "chance", "would be", "cost in points (95 %)"];
    let rows = why.trials.iter().map(|trial| {
        let Suspect { agent, recorded, better, .. } = &trial.suspect;
        [
            trial.suspect.moment(&*record.game).to_string(),
            agent.to_string(),
            did(recorded),
            shortened(better),
            trial.pairs.recorded().percent(),
            trial.pairs.better().percent(),
            cost(trial),
        ]
    });
    text += &columns(&std::iter::once(heading.map(str::to_owned)).chain(rows).collect::<Vec<_>>());
    // A wait is no action of the record.
    let decision = why.decision().map(|trial| &trial.suspect);
    if let Some(suspect) = decision.filter(|suspect| matches!(suspect.recorded, Choice::Act(_))) {
        let (agent, at) = (suspect.agent.index(), suspect.inputs + 1);
        let words = format!("decisions {} --agent {agent} --at {at}", quoted(&record.name));
        let (command, moment) = (command("bots", &words), suspect.moment(&*record.game));
        text += &format!("\n`{command}` turns the decision of agent {agent} at {moment} into a test.\n");
    }
    text
}

/// Returns this number of blunders of the reference in the place of the agents, then the first ones of all players in
/// the futures, in words, each once.
fn blunders(why: &Why, of_reference: usize) -> Vec<&String> {
    let of_reference = of_reference.min(why.blunders.len());
    each_once(&why.blunders[..of_reference], &why.blunders_in_futures)
}

/// Returns the decision that the first sentence names: the costliest that stands out, or else the costliest.
fn named(why: &Why) -> Option<&Trial> {
    why.decision().or_else(|| why.trials.first())
}

/// Returns the sentence about the costliest decision.
fn decision(record: &Record, team: &str, setup: &Setup, why: &Why, marks: &Marks) -> Remark {
    let Some(trial) = named(why) else {
        let actions = counted(why.actions as u64, "action", "actions");
        let reference = &setup.reference;
        let text = match why.suspects {
            0 => format!(
                "No decision stands out: {reference} would have asked for no other action at any of the {actions} of {}.",
                examined(record, setup)
            ),
            _ => format!("No decision was measured: {reference} would have made {} otherwise.", why.suspects),
        };
        return Remark { text, mark: None };
    };
    let Suspect { agent, better, .. } = &trial.suspect;
    let (at, better) = (trial.suspect.moment(&*record.game).named(), shortened(better));
    let (done, cost) = (done(trial), cost(trial));
    let [is, would_be] = [trial.pairs.recorded(), trial.pairs.better()].map(Chance::percent);
    let text = if trial.pairs.stands_out() {
        format!(
            "The costliest decision that chance does not explain: at {at} agent {agent} {done}; with `{better}` {team} would have won {would_be} \
             of the futures instead of {is}, a cost of {cost} percentage points."
        )
    } else if trial.pairs.gains() {
        let reference = &setup.reference;
        format!(
            "No decision stands out: even the costliest that was measured is better than that of {reference}."
        )
    } else {
        format!(
            "No decision stands out: the costliest may be that agent {agent} {done} at {at} instead of `{better}`, but its \
             cost of {cost} percentage points can be chance."
        )
    };
    remark(text, marks.after(trial.suspect.inputs))
}

/// Returns the recorded decision, in a sentence.
fn done(trial: &Trial) -> String {
    match &trial.suspect.recorded {
        Choice::Act(action) => format!("asked for `{}`", shortened(action)),
        Choice::Wait(until) => format!("did nothing until {}", clock(*until)),
    }
}

/// Returns the sentence about the steepest fall of the chance.
fn fall(team: &str, setup: &Setup, why: &Why, marks: &Marks) -> Remark {
    let value = |point: &Point| point.futures.chances()[setup.team];
    let chance = |point: &Point| value(point).percent();
    let points = why.curve.points();
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Remark { text: "The course of the chance was not measured.".to_owned(), mark: None };
    };
    match why.curve.falls(setup.team).first() {
        Some(fall) => {
            let is_in = |trial: &&Trial| (fall.from.inputs..fall.to.inputs).contains(&trial.suspect.inputs);
            let mut inside = why.trials.iter().filter(is_in).filter(|trial| trial.pairs.stands_out());
            let cause = match (inside.next(), why.decision()) {
                (None, _) => "no decision that stands out lies there",
                (Some(_), Some(decision)) if is_in(&decision) => "the decision above lies there",
                (Some(_), _) => "another decision that stands out lies there",
            };
            let text = format!(
                "The chance of {team} fell most from {} to {}, from {} to {}: {cause}.",
                fall.from.moment.named(),
                fall.to.moment.named(),
                chance(fall.from),
                chance(fall.to)
            );
            remark(text, marks.after(fall.from.inputs))
        }
        None => {
            let [from, to] =
                [first, last].map(|point| format!("{} at {}", chance(point), point.moment.named()));
            let text = if points.len() == 1 {
                format!("The chance of {team} was {from}; no other moment was measured.")
            } else {
                format!(
                    "The chance of {team} went from {from} to {to}: no single fall is more than chance explains."
                )
            };
            remark(text, marks.after(first.inputs))
        }
    }
}

/// Returns the sentence about the end, and the moment from which the game was as good as lost.
fn end(record: &Record, team: &str, setup: &Setup, why: &Why, marks: &Marks) -> Remark {
    let moments = record.game.moments();
    let end = Moment::after(&moments, moments.len()).named();
    let outcome = match record.game.outcome() {
        Some(outcome) => format!("At {end} {}", result(record, outcome)),
        None => format!("The record ends at {end}"),
    };
    let value = |point: &Point| point.futures.chances()[setup.team].0.value;
    let points = why.curve.points();
    let hopeless = points.len() - points.iter().rev().take_while(|point| value(point) < HOPELESS).count();
    // The last point is the end, or the last moment that was measured.
    match points.get(hopeless).filter(|_| hopeless + 1 < points.len()) {
        Some(point) => {
            let (from, percent) = (point.moment.named(), 100.0 * HOPELESS);
            let text = format!("{outcome}; from {from} on the chance of {team} was below {percent:.0} %.");
            remark(text, marks.after(point.inputs))
        }
        None => remark(format!("{outcome}."), marks.after(moments.len())),
    }
}

/// Returns the winner and the points.
fn result(record: &Record, outcome: &Outcome) -> String {
    match record.kind.team_names() {
        [] => {
            let winner = outcome.winner().map(|team| record.team(team.index()));
            winner.map_or_else(|| "nobody won".to_owned(), |team| format!("{team} won"))
        }
        names => outcome.text(names),
    }
}

/// Returns a recorded decision, for the table.
fn did(recorded: &Choice<String>) -> String {
    match recorded {
        Choice::Act(action) => shortened(action),
        Choice::Wait(until) => format!("nothing until {}", clock(*until)),
    }
}

/// Returns an action, the end of a long one left out.
fn shortened(action: &str) -> String {
    if action.chars().count() <= LONGEST_ACTION {
        return action.to_owned();
    }
    action.chars().take(LONGEST_ACTION - 1).chain(['…']).collect()
}

fn cost(trial: &Trial) -> String {
    in_points(trial.pairs.cost(), 0)
}
