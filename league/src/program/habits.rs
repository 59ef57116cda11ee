//! `league habits`: the decisions of one kind that cost an entrant most, over many matches.

use std::ops::ControlFlow;
use std::time::Instant;

use command_line::signals::Interruption;
use command_line::{Failure, print, quoted_path, shown, tell};
use contests::text::{columns, counted, matches, with_commas};
use game_env::matches::PlayError;
use game_env::text::indented;
use game_env::{AgentId, Choice};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use strategies::recorded_game::RecordedGame;
use study::futures::{each_once, in_points};
use study::habits::{Case, Habit, Habits, Progress, SearchError, Setup, search};
use study::moment::clock;
use study::suspects::Suspect;

use super::arguments::Asking;
use super::screen::{Due, LINE_INTERVAL};
use super::{log, replay};
use crate::begin;
use crate::file::League;
use crate::games::Games as _;
use crate::in_process::InProcess;
use crate::invocation;
use crate::runner::last_counted;
use crate::store::{Store, StoreError, StoredMatch};
use crate::trust::{Source, check_programs_in, with_programs_in};

/// The matches of an entrant that are studied.
struct Chosen {
    /// The number of its matches with a game.
    all: usize,
    /// The matches: the game, the team and the agents of the entrant.
    games: Vec<(Box<dyn RecordedGame>, usize, Vec<AgentId>)>,
    /// Their numbers in the league.
    numbers: Vec<u64>,
}

pub(crate) fn start(asking: &Asking, plays: &InProcess) -> Result<(), Failure> {
    let store = Store::look(&asking.folder)?;
    let origin = store.origin()?;
    let league = begin::league(&origin, &asking.folder, plays)?;
    let entrant = log::entrant(&league, &asking.entrant, "the standings have them as well")?;
    let entrants = league.strategies();
    let folder = &begin::folder_of_programs(&origin, &league);
    let source = Source {
        path: &asking.folder,
        is_trusted: asking.trust.trust,
        is_confined: false,
        folder,
        restarts: league.restarts_programs,
    };
    source.confirm(&entrants, folder)?;
    begin::warn_of_changes(&store, &entrants, folder)?;
    let plays = &with_programs_in(folder, league.restarts_programs, plays)?;
    let reference = reference(asking, &league, plays)?;
    check_programs_in(folder, &[&entrants[..], &[reference.as_str()]].concat())?;
    let interruption = Interruption::expect()?;
    let chosen = choose(asking, &league, &store, entrant, plays, &interruption)?;
    let (pairs, jobs) = ((asking.games / 2).max(1), asking.jobs.count());
    let setup = Setup { reference, pairs, most: asking.most.into(), seed: asking.seed, jobs };
    let mut screen = Screen::new(asking.games, chosen.games.len());
    let cases = chosen.games.iter().map(|(game, team, agents)| Case {
        game: &**game,
        team: *team,
        agents: agents.clone(),
    });
    let cases: Vec<Case<'_>> = cases.collect();
    let mut unready = None;
    let found = search(&cases, &setup, |progress| {
        screen.show(progress);
        unready = plays.take_unready();
        if unready.is_some() { ControlFlow::Break(()) } else { interruption.flow() }
    });
    screen.bar.finish_and_clear();
    let found = found.map_err(|SearchError { case, error }| {
        let hint = match &error {
            PlayError::Entrant { .. } => "correct it, or name another reference with `--reference`",
            _ => "use the program that played the league",
        };
        Failure::undone(format!("match {}: {error}", chosen.numbers[case]), hint)
    })?;
    if let Some(report) = unready {
        let hint = "the players of the matches play again: put the program back where it was, or correct it";
        return Err(Failure::undone(report, hint));
    }
    let is_interrupted = interruption.has_come();
    if asking.json {
        print(&format!("{:#}\n", document(asking, &setup, &chosen, &found, is_interrupted)))?;
    } else if is_interrupted && found.habits.is_empty() {
        print(&format!(
            "No habit was measured: the search was interrupted after {} of {}.\n",
            with_commas(found.games as u64),
            matches(chosen.games.len() as u64)
        ))?;
    } else {
        print(&text(asking, &setup, &chosen, &found))?;
    }
    if is_interrupted {
        let (played, games) = (with_commas(found.played), with_commas(asking.games));
        tell(&format!("interrupted after {played} of {games} games"));
    }
    interruption.finish();
    Ok(())
}

/// Returns the entrant that judges.
fn reference(asking: &Asking, league: &League, plays: &InProcess) -> Result<String, Failure> {
    let Some(text) = &asking.reference else {
        return Ok(plays.reference(&league.game).unwrap_or_default().to_owned());
    };
    let names = plays
        .line_up(&league.game, text)
        .map_err(|error| Failure::misuse(error, "`bots list` shows the strategies"))?;
    match &names[..] {
        [name] => Ok(name.clone()),
        _ => Err(Failure::misuse(
            format!("`{text}` names {} strategies: decisions are judged by one", names.len()),
            "name one strategy, or the command of one program",
        )),
    }
}

/// Returns some of the matches of an entrant, drawn by the seed: any rule by their numbers may meet one side or one
/// opponent alone.
fn choose(
    asking: &Asking,
    league: &League,
    store: &Store,
    entrant: usize,
    plays: &InProcess,
    interruption: &Interruption,
) -> Result<Chosen, Failure> {
    let mut own: Vec<u64> = Vec::new();
    store.for_each(last_counted(league, store)?, |stored, _| {
        let is_own = stored.id.seated().any(|seated| seated.index() == entrant);
        if is_own && league.can_have(&stored.id) && stored.has_game() && !replay::is_networked(&stored) {
            own.push(stored.number);
        }
        Ok::<(), StoreError>(())
    })?;
    if own.is_empty() {
        return Err(Failure::undone(
            format!("{} has no match of {} that can be played on", shown(store.folder()), asking.entrant),
            "it has not played yet, or its matches were played over the network: agents of `command` or `join` are not here",
        ));
    }
    let all = own.len();
    let mut chosen = Chosen { all, games: Vec::new(), numbers: Vec::new() };
    asking.seed.game().shuffle(&mut own);
    own.truncate(usize::try_from(asking.matches).unwrap_or(usize::MAX));
    own.sort_unstable();
    for number in own {
        if interruption.has_come() {
            break;
        }
        let Some(stored) = store.find(number)? else { continue };
        let content = match store.replay(number)? {
            Some(content) => content,
            None => replay::again(league, &stored, plays)?,
        };
        let seats = stored.id.seated().enumerate();
        for (team, _) in seats.filter(|(_, seated)| seated.index() == entrant) {
            let game = plays.recorded_game(&content).map_err(|error| faulty(&stored, &error))?;
            let agents = AgentId::all(league.teams.len()).zip(&league.teams);
            let agents = agents.filter(|(_, own)| own.index() == team).map(|(agent, _)| agent).collect();
            chosen.games.push((game, team, agents));
            chosen.numbers.push(number);
        }
    }
    Ok(chosen)
}

fn faulty(stored: &StoredMatch, error: &str) -> Failure {
    Failure::undone(
        format!("the replay of match {} is faulty: {error}", stored.number),
        "use the program that played the league",
    )
}

/// Returns the result for people: a sentence, then the costliest habits.
fn text(asking: &Asking, setup: &Setup, chosen: &Chosen, found: &Habits) -> String {
    let (entrant, reference) = (&asking.entrant, &setup.reference);
    let mut text = format!("{}\n", sentence(entrant, setup, found));
    if found.habits.is_empty() {
        return text;
    }
    text += &format!(
        "\n{} of the {} of {entrant} were studied. {reference} would have asked for something else at {} of its {} there. The \
         differences are of {}; by {}:\n",
        with_commas(found.games as u64),
        matches(chosen.all as u64),
        with_commas(found.suspects as u64),
        counted(found.actions as u64, "action", "actions"),
        counted(found.kinds as u64, "kind", "kinds"),
        counted(found.played, "game", "games"),
    );
    let heading =
        ["did", "instead of", "in matches", "per match", "wins", "without it", "cost in points (95 %)"];
    let rows = found.habits.iter().map(|habit| {
        [
            habit.recorded.clone(),
            habit.better.clone(),
            habit.games().to_string(),
            frequency(habit, found),
            habit.pairs.recorded().percent(),
            habit.pairs.better().percent(),
            in_points(habit.pairs.cost(), 1),
        ]
    });
    text += &columns(&std::iter::once(heading.map(str::to_owned)).chain(rows).collect::<Vec<_>>());
    text += "\nThe first of each:\n";
    let examples: Vec<&(usize, Suspect)> =
        found.habits.iter().filter_map(|habit| habit.decisions.first()).collect();
    examples.iter().for_each(|example| text += &format!("  {}\n", told(chosen, example)));
    let write = invocation::command(&format!("replay {} NUMBER", quoted_path(&asking.folder)));
    text += &format!("\n`{write}` writes the replay of a match\n");
    if let Some(blunder) = found.blunders.first() {
        let count = counted(found.blunders.len() as u64, "blunder", "blunders");
        text += &format!("\n{count} of the reference in the matches; the first: {}\n", indented(blunder));
    }
    for blunder in &found.blunders_in_games {
        text += &format!("\nin the games that were played on: {}\n", indented(blunder));
    }
    text
}

/// Returns the sentence about the costliest habit.
fn sentence(entrant: &str, setup: &Setup, found: &Habits) -> String {
    let reference = &setup.reference;
    let certain = found.habits.iter().find(|habit| habit.pairs.stands_out());
    let Some(habit) = certain.or_else(|| found.habits.first()) else {
        let actions = counted(found.actions as u64, "action", "actions");
        return format!(
            "{reference} would have asked for nothing else at any of the {actions} of {entrant}."
        );
    };
    if habit.pairs.cost().value <= 0.0 {
        return format!("No habit of {entrant} was found to cost anything.");
    }
    let (kinds, cost) = (habit.named(), in_points(habit.pairs.cost(), 1));
    if habit.pairs.stands_out() {
        return format!(
            "The costliest habit of {entrant} that chance does not explain: {kinds}, {} times a match; without it, {entrant} would have won {} of the \
             games instead of {}, a cost of {cost} points.",
            frequency(habit, found),
            habit.pairs.better().percent(),
            habit.pairs.recorded().percent(),
        );
    }
    format!(
        "No habit of {entrant} stands out: the costliest may be {kinds}, but its cost of {cost} points can be chance."
    )
}

/// Returns the number of decisions in a match, on average.
fn frequency(habit: &Habit, found: &Habits) -> String {
    format!("{:.1}", habit.decisions.len() as f64 / found.games.max(1) as f64)
}

/// ``match 12, agent #1 at 0:03.4: `move N` instead of `put` ``.
fn told(chosen: &Chosen, (case, suspect): &(usize, Suspect)) -> String {
    let Suspect { agent, recorded, better, .. } = suspect;
    let moment = suspect.moment(&*chosen.games[*case].0).named();
    let recorded = match recorded {
        Choice::Act(action) => format!("`{action}`"),
        Choice::Wait(until) => format!("nothing until {}", clock(*until)),
    };
    format!("match {}, agent {agent} at {moment}: {recorded} instead of `{better}`", chosen.numbers[*case])
}

/// Returns the result for programs.
fn document(
    asking: &Asking,
    setup: &Setup,
    chosen: &Chosen,
    found: &Habits,
    is_interrupted: bool,
) -> serde_json::Value {
    let habits = found.habits.iter().map(|habit| {
        let first = habit.decisions.first().map(|(case, suspect)| {
            let (recorded, waits_until) = match &suspect.recorded {
                Choice::Act(action) => (Some(action), None),
                Choice::Wait(until) => (None, Some(until.as_millis())),
            };
            json!({
                "match": chosen.numbers[*case], "agent": suspect.agent.index(), "after": suspect.inputs,
                "time_ms": suspect.at.as_millis(), "recorded": recorded, "waits_until_ms": waits_until,
                "better": suspect.better,
            })
        });
        json!({
            "recorded": habit.recorded, "better": habit.better,
            "decisions": habit.decisions.len(), "matches_with_it": habit.games(), "first": first,
            "chance": { "recorded": habit.pairs.recorded().0, "better": habit.pairs.better().0 },
            "cost": habit.pairs.cost(), "pairs": habit.pairs.count(), "stands_out": habit.pairs.stands_out(),
        })
    });
    json!({
        "league": shown(&asking.folder),
        "entrant": asking.entrant,
        "reference": setup.reference,
        "seed": asking.seed.to_string(),
        "interrupted": is_interrupted,
        "matches_of_the_entrant": chosen.all,
        "matches_studied": found.games,
        "actions": found.actions,
        "suspects": found.suspects,
        "kinds": found.kinds,
        "games": found.played,
        "habits": habits.collect::<Vec<_>>(),
        "blunders": each_once(&found.blunders, &found.blunders_in_games),
    })
}

/// A bar with the work that is done; without a terminal, a line each minute.
struct Screen {
    bar: ProgressBar,
    games: u64,
    cases: usize,
    due: Due,
}

impl Screen {
    fn new(games: u64, cases: usize) -> Self {
        let bar = ProgressBar::new(games);
        if let Ok(style) = ProgressStyle::with_template("{bar:20} {msg}") {
            bar.set_style(style);
        }
        Self { bar, games, cases, due: Due::new(Instant::now()) }
    }

    fn show(&mut self, progress: Progress) {
        let line = match progress.played {
            0 => format!("{} of {} matches read", progress.games, self.cases),
            played => format!("{} of {} games", with_commas(played), with_commas(self.games)),
        };
        if !self.bar.is_hidden() {
            self.bar.set_position(progress.played);
            self.bar.set_message(line);
        } else if self.due.is_due(Instant::now(), LINE_INTERVAL) {
            tell(&line);
        }
    }
}
