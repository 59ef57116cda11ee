//! `league tune`: the best values of the parameters of a line-up.

use std::path::{Path, PathBuf};

use clap::Args;
use command_line::signals::Interruption;
use command_line::{Failure, print, settings, shown, tell, write_file};
use contests::text::with_commas;
use contests::tune::{Findings, Parameter, Plan, Size, Tuner};
use game_env::Seed;
use serde_json::json;
use strategies::programs::has_programs;

use super::arguments::ChangedPrograms;
use super::contest::{self, ContestFlags, PoolFlags, Screen, entrants};
use crate::begin::{self, SEARCH};
use crate::executor::{CannotPlay, Executor as _};
use crate::games::Games as _;
use crate::in_process::InProcess;
use crate::program_files::ProgramFiles;
use crate::report::SearchReport;
use crate::search::{self, MOST_OPPONENTS, SearchError};
use crate::store::{Origin, Store, StoreError};
use crate::trust::{CURRENT_FOLDER, check_programs, with_programs};

#[derive(Args)]
pub(crate) struct Tuning {
    /// The line-up with the names of parameters in braces, e.g. 'coordinated:patience={patience}'.
    #[arg(value_name = "LINE-UP")]
    template: String,
    /// A parameter with its range, e.g. `--param patience=0.2..5`; again for each. Bounds without a point: whole
    /// numbers only. `:log` at the end: equal factors count as equal steps.
    #[arg(long = "param", value_name = "NAME=LOW..HIGH", required = true)]
    parameters: Vec<Parameter>,
    /// The value of a parameter with which the search begins; again for each [default: the middle of its range].
    #[arg(long, value_name = "NAME=VALUE")]
    start: Vec<String>,
    #[command(flatten)]
    pool: PoolFlags,
    /// The number of samples; each is two mirrored pairs of games.
    #[arg(long, value_name = "NUMBER", default_value = "8000", value_parser = clap::value_parser!(u64).range(Size::LEAST_SAMPLES..=10_000_000))]
    samples: u64,
    /// The probability with which the intervals of all parameters together hold the best values.
    #[arg(long, value_name = "SHARE", default_value = "0.98", value_parser = share)]
    confidence: f64,
    /// The number of held-out pairs of games in which the values that were found are compared with those of the start.
    #[arg(long, value_name = "NUMBER", default_value = "1000", value_parser = clap::value_parser!(u64).range(0..=10_000_000))]
    held_out: u64,
    /// The seed of these pairs.
    #[arg(long, value_name = "NUMBER", default_value = "990001")]
    held_out_seed: Seed,
    /// The folder for the matches and the report. A search that it has already goes on.
    #[arg(long, value_name = "DIR", default_value = "tune.results")]
    out: PathBuf,
    #[command(flatten)]
    changed: ChangedPrograms,
    #[command(flatten)]
    flags: ContestFlags,
}

fn share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share: &f64| (0.5..=0.9999).contains(share));
    share.ok_or_else(|| "expected a number from 0.5 to 0.9999".to_owned())
}

/// The page of the report, and the path of the values.
const PAGE: &str = "tune.html";
const PATH: &str = "path.csv";

pub(crate) fn start(tuning: &Tuning, plays: &InProcess) -> Result<(), Failure> {
    let (plan, plays) = &plan(tuning, plays)?;
    let mut store = store(tuning, plan, plays)?;
    let interruption = Interruption::expect()?;
    let line_up = |text: &str| {
        contest::line_up(plays, &tuning.flags.game, text).map_err(|error| CannotPlay(error.to_string()))
    };
    let player = tuning.flags.player(plays)?;
    let play = |spec: &_| player.play(spec);
    let mut screen = Screen::new();
    let mut done = 0;
    let ended = search::run(plan, player.jobs(), (&line_up, &play), &mut store, |tuner, samples| {
        done = samples;
        screen.show(|_| line(plan, tuner, samples));
        interruption.flow()
    });
    screen.finish();
    let (tuner, _) = ended.map_err(|error| match error {
        SearchError::Unplayable(error) => contest::unplayable(&error),
        SearchError::OtherMatch(_) => Failure::undone(
            format!("{}: {error}", shown(&tuning.out)),
            "use that version, or name another folder with `--out`",
        ),
        SearchError::Store(error) => error.into(),
    })?;
    if interruption.has_come() {
        let (done, all) = (with_commas(done), with_commas(tuner.samples()));
        tell(&format!(
            "interrupted after {done} of {all} samples, which are kept in {}; the same command goes on",
            shown(&tuning.out)
        ));
        interruption.finish();
    }
    let Some(found) = tuner.found() else { return Ok(()) };
    let report = SearchReport { plan, tuner: &tuner, found: &found };
    for (name, content) in [(PAGE, report.html()), (PATH, report.path())] {
        let path = tuning.out.join(name);
        write_file(&path, content, "free disk space, or name another `--out`")?;
    }
    print(&Findings::new(plan, &found).to_string())?;
    tell(&format!("{} is the report", shown(&tuning.out.join(PAGE))));
    Ok(())
}

/// Returns the plan of the flags, and the executor, which starts programs.
fn plan(tuning: &Tuning, plays: &InProcess) -> Result<(Plan, InProcess), Failure> {
    let Tuning { template, parameters, flags, pool, .. } = tuning;
    let begin = settings("--start", &tuning.start, &[], "e.g. `--start patience=1`")?;
    let names: Vec<&str> = begin.iter().map(|(name, _)| name).collect();
    if let Some(place) = (1..names.len()).find(|place| names[..*place].contains(&names[*place])) {
        return Err(Failure::misuse(
            format!("`--start {}` is given twice", names[place]),
            "name each parameter once",
        ));
    }
    let start = parameters.iter().map(|own| match begin.get(&own.name) {
        None => Ok(own.value(0.5, 0.5)),
        Some(value) => value.to_string().parse().map_err(|_| {
            Failure::misuse(
                format!("invalid --start `{}={value}`: expected a number", own.name),
                "e.g. `--start patience=1`",
            )
        }),
    });
    let start = start.collect::<Result<Vec<f64>, Failure>>()?;
    if let Some(name) = names.iter().find(|name| parameters.iter().all(|own| own.name != **name)) {
        return Err(Failure::misuse(
            format!("`--start {name}` names no parameter"),
            "name each with `--param`, e.g. `--param patience=0.2..5`",
        ));
    }
    let filled = |value: fn(&Parameter) -> f64| {
        contests::tune::filled(template, parameters, &parameters.iter().map(value).collect::<Vec<_>>())
    };
    let ends = [filled(|own| own.low), filled(|own| own.high)];
    let entrants = entrants(ends.iter().chain(&pool.against));
    let thinking = flags.thinking.rule(has_programs(&entrants))?;
    check_programs(&entrants)?;
    let plays = with_programs(flags.restart_programs, plays)?;
    let pool = pool.read(&plays, flags, thinking)?;
    if pool.len() > MOST_OPPONENTS {
        return Err(Failure::misuse(
            format!("{} opponents: expected at most {MOST_OPPONENTS}", pool.len()),
            "leave out some `--against` or `--preset`",
        ));
    }
    let plan = Plan {
        template: template.clone(),
        parameters: parameters.clone(),
        start,
        pool,
        size: Size {
            samples: tuning.samples,
            confidence: tuning.confidence,
            held_out: tuning.held_out,
            seed: flags.seed,
        },
        held_out_seed: tuning.held_out_seed,
    };
    plan.check().map_err(|error| {
        let example = "a search is e.g. `tune 'coordinated:patience={patience}' --param patience=0.2..5 --against greedy`";
        Failure::misuse(error.to_string(), example)
    })?;
    for text in ends.iter().chain([&plan.line_up(&plan.start)]) {
        contest::line_up(&plays, &flags.game, text)?;
    }
    // The search tries values with decimals of each range that is not of whole numbers.
    plays.line_up(&flags.game, &filled(|own| own.value(INSIDE, 0.5))).map_err(|why| {
        let hint =
            "for a parameter of whole numbers, write bounds without a point, e.g. `--param pushes=0..8`";
        Failure::misuse(why, hint)
    })?;
    Ok((plan, plays))
}

/// The place in a range of a value with decimals.
const INSIDE: f64 = 0.432_173_918;

/// Returns the files of the programs of a search.
fn program_files(plan: &Plan) -> ProgramFiles {
    let end = |value: fn(&Parameter) -> f64| plan.parameters.iter().map(value).collect::<Vec<_>>();
    let own =
        [end(|own| own.low), end(|own| own.high), plan.start.clone()].map(|values| plan.line_up(&values));
    let others = plan.pool.opponents.iter().map(|other| &other.name);
    ProgramFiles::of(&entrants(own.iter().chain(others)), Path::new(CURRENT_FOLDER))
}

/// Returns the store of the search, with the matches that were played before.
fn store(tuning: &Tuning, plan: &Plan, plays: &InProcess) -> Result<Store, Failure> {
    let Tuning { flags, pool, .. } = tuning;
    // Two searches with the same text are the same. Values of JSON are values of TOML too.
    let values = [
        ("line_up", json!(plan.template)),
        ("parameters", json!(plan.parameters.iter().map(ToString::to_string).collect::<Vec<_>>())),
        ("start", json!(plan.start)),
        ("against", json!(pool.against)),
        ("game", json!(flags.game)),
        (
            "configurations",
            json!(plan.pool.games.iter().map(|game| game.config.to_string()).collect::<Vec<_>>()),
        ),
        ("thinking", json!(format!("{:?}", plan.pool.games[0].limits.thinking))),
        ("samples", json!(plan.size.samples)),
        ("confidence", json!(plan.size.confidence)),
        ("seed", json!(plan.size.seed.to_string())),
        ("held_out", json!(plan.size.held_out)),
        ("held_out_seed", json!(plan.held_out_seed.to_string())),
    ];
    let lines = values.map(|(name, value)| format!("{name} = {value}\n"));
    let restarts = if flags.restart_programs { "restart_programs = true\n" } else { "" };
    let file = format!("{SEARCH}{}{restarts}", lines.concat());
    let origin = Origin {
        name: "tune".to_owned(),
        file,
        executor: InProcess::NAME.to_owned(),
        program: plays.program().to_owned(),
        folder: String::new(),
        is_confined: false,
    };
    let mut store = match Store::create(&tuning.out, &origin, &program_files(plan)) {
        Err(StoreError::Exists(_)) => Store::open(&tuning.out)?,
        other => return Ok(other?),
    };
    let found = store.origin()?;
    if found.file != origin.file || found.name != origin.name {
        return Err(Failure::misuse(
            format!("{} has another search, or a league", shown(&tuning.out)),
            "go on with the same flags, or name another folder with `--out`",
        ));
    }
    if found.program != origin.program {
        return Err(Failure::misuse(
            format!("{} was played by {}, and this is {}", shown(&tuning.out), found.program, origin.program),
            "go on with that program, or name another folder with `--out`",
        ));
    }
    let matches = plan.tuner().samples() * Plan::MATCHES as u64;
    if store.count()? < matches {
        let may_change = tuning.changed.changed_programs;
        begin::admit_programs(&mut store, &program_files(plan), "search", may_change)?;
    }
    if let Some(told) = store.programs()?.told_versions("search") {
        tell(&format!("warning: {told}"));
    }
    Ok(store)
}

/// Returns the state of the search in one line: `1,204 of 9,000 samples  patience=1.7,pushes=3`.
fn line(plan: &Plan, tuner: &Tuner, samples: u64) -> String {
    let (done, all) = (with_commas(samples), with_commas(tuner.samples()));
    let present = plan.parameters.iter().zip(tuner.present());
    let present: Vec<String> =
        present.map(|(own, value)| format!("{}={}", own.name, own.text(value))).collect();
    format!("{done} of {all} samples  {}", present.join(","))
}
