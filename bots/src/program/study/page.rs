//! `bots study`: a page over a recorded game, on which its study is asked for.

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use command_line::Failure;
use command_line::signals::Interruption;
use contests::text::with_commas;
use game_env::{AgentId, Seed};
use study::curve::{self, Curve};
use study::differences::Differences;
use study::futures::{Question, team_count};
use study::moment::Moment;
use study::why::{self, search};
use tokio::sync::mpsc;
use viewer::findings::{Findings, Remark};
use viewer::server::{Place, StudyPage, ViewerServer};
use viewer::study::{Offer, StudyRequest, StudyState};

use super::super::screen::Screen;
use super::super::{ANY_PORT, no_page};
use super::curve::{Course, MOMENTS};
use super::diff::{Listing, Plan, measured};
use super::fork::Chances;
use super::output::Report as _;
use super::why::Answer;
use super::{Record, Studied, unplayable};

/// Flags of `bots study`.
#[derive(Args)]
#[command(after_help = "Example: bots study lost.replay --with \"python3 mine.py\"\n\
                        Each study is also a command: `fork`, `curve`, `diff` and `why`.")]
pub(crate) struct Studying {
    #[command(flatten)]
    studied: Studied,
    /// A strategy or program that the page offers besides the shipped strategies; again for each.
    #[arg(long, value_name = "STRATEGY")]
    with: Vec<String>,
    /// The page's address [default: a free port of this machine].
    #[arg(long, value_name = "ADDR:PORT")]
    page: Option<String>,
}

/// The number of differences that are measured, and the number of futures on each side of one.
const DIFFERENCES: usize = 10;
const DIFFERENCE_GAMES: u64 = 100;

/// The largest number of remarks.
const REMARKS: usize = 200;

/// The time between two messages about the progress of a study.
const PACE: Duration = Duration::from_millis(200);

/// Shows the page until a signal ends the program.
///
/// # Errors
///
/// If the replay cannot be played, or the page cannot be shown.
pub(crate) fn study(studying: &Studying, screen: &Screen) -> Result<(), Failure> {
    let record = studying.studied.record(screen)?;
    let teams = (0..team_count(&*record.game)).map(|team| record.team(team)).collect();
    let agents = record.game.header().players.len();
    let offer = Offer { teams, agents, entrants: studying.entrants(&record)?, loser: record.loser() };
    let players = record.game.players();
    // The user can choose other players on the page, so a recorded player that is missing here is no error yet.
    if record.check_players(&players, |_| String::new()).is_ok() {
        record.rehearse(&players, screen)?;
    }
    let (recording, file) = (record.recording()?, record.replay.clone());
    let address = studying.page.as_deref().unwrap_or(ANY_PORT);
    let failed = |error| no_page(address, &error);
    let place = Place::take(address).map_err(failed)?;
    let (server, page, requests) =
        ViewerServer::studied(place, &record.file_name(), recording, file, offer).map_err(failed)?;
    let queue = Queue::new(requests, screen.clone())?;
    screen.say(&format!("the page is at {}; Ctrl-C ends it", server.url()));
    let (seed, jobs) = (studying.studied.seed(), studying.studied.jobs());
    let watch = Watch { page, queue, told: None };
    Session { record: &record, watch, seed, jobs, findings: Findings::default() }.run();
    server.close("the study has ended");
    screen.say("the page is closed");
    Ok(())
}

impl Studying {
    /// Returns the entrants that the page offers: the recorded players, those of the flag, and the shipped strategies;
    /// each once.
    ///
    /// # Errors
    ///
    /// If a value of `--with` is neither a strategy nor a program that is there.
    fn entrants(&self, record: &Record) -> Result<Vec<String>, Failure> {
        let recorded = record.game.players().into_iter().filter(|name| record.room.line_up(name).is_ok());
        let named = self.with.iter().map(|text| record.entrant(text)).collect::<Result<Vec<_>, _>>()?;
        let shipped = record.room.strategies().into_iter().map(|entry| entry.name.to_owned());
        let mut offered = Vec::new();
        for name in recorded.chain(named).chain(shipped) {
            if !offered.contains(&name) {
                offered.push(name);
            }
        }
        Ok(offered)
    }
}

/// A request or a signal; it ends the current study.
enum Event {
    Asked(StudyRequest),
    /// A signal has come.
    Stopped,
}

/// The queue of events.
struct Queue {
    events: Receiver<Event>,
    /// The event that has broken a study off.
    next: Option<Event>,
}

impl Queue {
    /// Begins with these requests; listens for the signal that ends the program.
    ///
    /// # Errors
    ///
    /// If the system does not let the program listen to signals.
    fn new(mut requests: mpsc::Receiver<StudyRequest>, screen: Screen) -> Result<Self, Failure> {
        let (sender, events) = channel();
        let stopped = sender.clone();
        let tell = move || {
            screen.say("ending; Ctrl-C again ends it at once");
            drop(stopped.send(Event::Stopped));
        };
        Interruption::tell(tell).map_err(|error| Failure::without_signals(&error))?;
        thread::spawn(move || {
            while let Some(request) = requests.blocking_recv() {
                if sender.send(Event::Asked(request)).is_err() {
                    break;
                }
            }
        });
        Ok(Self { events, next: None })
    }

    /// Waits for the next event. If several events wait, returns the signal if there is one, else the last request.
    fn wait(&mut self) -> Event {
        if self.next.is_none() {
            self.next = Some(self.events.recv().unwrap_or(Event::Stopped));
        }
        self.drain();
        self.next.take().unwrap_or(Event::Stopped)
    }

    /// Returns `Break` if an event waits: the current study ends then.
    fn flow(&mut self) -> ControlFlow<()> {
        self.drain();
        if self.next.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Takes all events that wait.
    fn drain(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            if !matches!(self.next, Some(Event::Stopped)) {
                self.next = Some(event);
            }
        }
    }
}

/// The page and the queue of events, between which a study goes on.
struct Watch {
    page: StudyPage,
    queue: Queue,
    /// The moment of the last message about progress; none at the beginning of a study.
    told: Option<Instant>,
}

impl Watch {
    /// Returns `Break` if an event waits: the current study ends then. `tell` shows the progress of the study, at
    /// most once every [`PACE`].
    fn flow(&mut self, tell: impl FnOnce(&StudyPage)) -> ControlFlow<()> {
        if self.told.is_none_or(|last| last.elapsed() >= PACE) {
            tell(&self.page);
            self.told = Some(Instant::now());
        }
        self.queue.flow()
    }
}

/// The page, and what was found so far.
struct Session<'a> {
    record: &'a Record,
    watch: Watch,
    seed: Seed,
    jobs: NonZeroUsize,
    findings: Findings,
}

impl Session<'_> {
    /// Serves requests until the program is to end.
    fn run(mut self) {
        while let Event::Asked(request) = self.watch.queue.wait() {
            self.watch.page.show(&self.findings, &StudyState::Working("begins".to_owned()));
            self.watch.told = None;
            let served = match request {
                StudyRequest::Curve {} => self.curve(),
                StudyRequest::Fork { t, teams } => self.fork(t, &teams),
                StudyRequest::Diff { t, agent, entrant } => self.diff(t, agent, &entrant),
                StudyRequest::Why { team } => self.why(team),
                StudyRequest::Stop {} => Ok(()),
            };
            let state =
                served.map_or_else(|error| StudyState::Failed(error.to_string()), |()| StudyState::Idle);
            self.watch.page.show(&self.findings, &state);
        }
    }

    /// Returns the recorded players.
    ///
    /// # Errors
    ///
    /// If one of them cannot play here.
    fn players(&self) -> Result<Vec<String>, Failure> {
        let players = self.record.game.players();
        self.check(&players)?;
        Ok(players)
    }

    fn check(&self, players: &[String]) -> Result<(), Failure> {
        self.record.check_players(players, |_| "choose other players".to_owned())
    }

    fn curve(&mut self) -> Result<(), Failure> {
        let players = self.players()?;
        let moments = usize::from(MOMENTS).min(Moment::all(&self.record.game.moments()).len());
        let games = super::curve::GAMES;
        let setup = curve::Setup { moments, games, seed: self.seed, jobs: self.jobs };
        let Self { record, watch, findings, .. } = self;
        let curve = Curve::play(&*record.game, &players, &setup, |curve| {
            watch.flow(|page| {
                if !curve.points().is_empty() {
                    findings.team = record.team(0);
                    findings.chances = record.marks.chances(curve, 0);
                }
                let progress = format!("{} of {moments} moments", curve.points().len());
                page.show(findings, &StudyState::Working(progress));
            })
        });
        let curve = curve.map_err(|error| unplayable(&error))?;
        let mut found =
            Course { record: self.record, curve: &curve, setup: &setup, is_interrupted: false }.findings();
        let done = curve.points().len();
        self.tell_stop(&mut found, "curve", [done, moments].map(|number| number as u64), "moments");
        self.add(found);
        Ok(())
    }

    fn fork(&mut self, t: u64, teams: &[Option<String>]) -> Result<(), Failure> {
        let mut entrants = self.record.game.players();
        for (player, entrant) in self.record.game.header().players.iter().zip(&mut entrants) {
            if let Some(Some(name)) = teams.get(player.team.index()) {
                name.clone_into(entrant);
            }
        }
        self.check(&entrants)?;
        let (record, inputs) = (self.record, self.record.marks.inputs_at(t));
        let question = Question { game: &*record.game, inputs, entrants, seed: self.seed };
        let games = super::fork::GAMES;
        let Self { watch, findings, .. } = self;
        let futures = record.futures(&question, games, self.jobs, |futures| {
            watch.flow(|page| {
                let progress = format!("{} of {games} futures", futures.games());
                page.show(findings, &StudyState::Working(progress));
            })
        });
        let futures = futures?;
        if futures.games() > 0 {
            self.add(
                Chances { record, question: &question, futures: &futures, is_interrupted: false }.findings(),
            );
        }
        Ok(())
    }

    fn diff(&mut self, t: u64, agent: usize, entrant: &str) -> Result<(), Failure> {
        self.players()?;
        let record = self.record;
        let (asked, count) = (agent, record.game.header().players.len());
        let agent = AgentId::all(count).nth(asked);
        let agent = agent.ok_or_else(|| {
            Failure::misuse(
                format!(
                    "no agent #{asked} plays in {}: expected #0 to #{}",
                    record.name,
                    count.saturating_sub(1)
                ),
                "choose an agent of the list",
            )
        })?;
        record.entrant(entrant)?;
        let game = &*record.game;
        let differences = Differences::of(game, agent, entrant).map_err(|error| unplayable(&error))?;
        let inputs = record.marks.inputs_at(t);
        let ahead = differences.departures.iter().filter(|departure| departure.input >= inputs);
        let chosen: Vec<_> = ahead.take(DIFFERENCES).collect();
        let count = chosen.len();
        let plan = Plan { games: DIFFERENCE_GAMES, seed: self.seed, jobs: self.jobs };
        let Self { watch, findings, .. } = self;
        let listed = measured(game, chosen, entrant, plan, |done| {
            watch.flow(|page| {
                page.show(findings, &StudyState::Working(format!("{done} of {count} differences")));
            })
        });
        let listed = listed.map_err(|error| unplayable(&error))?;
        let done = listed.len();
        let mut found = Listing {
            record,
            differences: &differences,
            version: entrant,
            plan: Some(plan),
            listed,
            is_interrupted: false,
        }
        .findings();
        self.tell_stop(&mut found, "comparison", [done, count].map(|number| number as u64), "differences");
        self.add(found);
        Ok(())
    }

    fn why(&mut self, team: usize) -> Result<(), Failure> {
        self.players()?;
        let record = self.record;
        let (agents, reference) = (record.agents_of(team), record.room.reference().to_owned());
        let (games, seed, jobs) = (super::why::GAMES, self.seed, self.jobs);
        let setup = why::Setup { team, agents, reference, games, seed, jobs };
        let Self { watch, findings, .. } = self;
        let why = search(&*record.game, &setup, |futures| {
            watch.flow(|page| {
                let progress = format!("{} of {} futures", with_commas(futures), with_commas(games));
                page.show(findings, &StudyState::Working(progress));
            })
        });
        let why = why.map_err(|error| unplayable(&error))?;
        let mut found = Answer { record, setup: &setup, why: &why, is_interrupted: false }.findings();
        if self.tell_stop(&mut found, "search", [why.futures, games], "futures") {
            // The curve that is shown may have more moments.
            found.chances.clear();
        }
        self.add(found);
        Ok(())
    }

    /// Begins the findings with a remark if an event has ended the study before all was done; returns whether it has.
    fn tell_stop(&self, found: &mut Findings, study: &str, [done, all]: [u64; 2], what: &str) -> bool {
        let was_stopped = self.watch.queue.next.is_some() && done < all;
        if was_stopped {
            let [done, all] = [done, all].map(with_commas);
            let text = format!("The {study} was stopped after {done} of {all} {what}.");
            found.remarks.insert(0, Remark { text, mark: None });
        }
        was_stopped
    }

    /// Adds findings: their remarks go before those that were there, and chances replace those before.
    fn add(&mut self, new: Findings) {
        let Findings { team, chances, mut remarks } = new;
        if !chances.is_empty() {
            self.findings.team = team;
            self.findings.chances = chances;
        }
        let old = std::mem::take(&mut self.findings.remarks);
        let old: Vec<_> = old.into_iter().filter(|remark| !remarks.contains(remark)).collect();
        remarks.extend(old);
        remarks.truncate(REMARKS);
        self.findings.remarks = remarks;
    }
}
