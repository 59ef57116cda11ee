//! One duel: the referee of `reference-gm` plays it, and this module makes its record.

use std::any::Any;
use std::time::Duration;

use child_process::Ended;
use game_bricks::{Brick, Config, State};
use game_env::matches::{Blunders, MatchRecord, MatchSpec};
use game_env::replay::{Header, Player, Writer};
use game_env::{
    AgentId, Environment as _, Measured as _, Notation as _, SimTime, TeamId, Termination, Witness,
};
use reference_gm::bricks::doubt::doubt;
use reference_gm::bricks::duel::{self, Gate};
use reference_gm::bricks::report::Report;
use tokio::sync::watch;
use tokio::time::sleep;
use wire::bricks::{Letter, Reason, Settings};

use super::duels_page::DuelsPage;
use crate::executor::{CannotPlay, Failure, HOST_FAULT, Log, Played};
use crate::games::team_name;
use crate::network::commands::CommandEntrant;
use crate::network::host::Measurement;
use crate::network::joining::JoiningEntrant;
use crate::network::programs::{add_crash, has_crashed, last_line, output};
use crate::network::{CRASHED_PROGRAMS, Network, REFEREE, agent_name};

/// A duel that can be played.
pub(super) struct MatchOfTwo {
    network: Network,
    spec: MatchSpec,
    config: Config,
    settings: Settings,
    programs: [CommandEntrant; 2],
}

impl MatchOfTwo {
    pub(super) fn new(network: &Network, spec: &MatchSpec) -> Result<Self, CannotPlay> {
        let config = State::read_config(&spec.config).map_err(|error| CannotPlay(error.to_string()))?;
        let settings = super::settings(&config, &network.settings)
            .map_err(|error| CannotPlay(format!("the table `[referee]`: {error}")))?;
        let [first, second] = &spec.entrants[..] else {
            let found = spec.entrants.len();
            return Err(CannotPlay(format!("{found} entrants: a duel has 2")));
        };
        let program = |name: &String| {
            let command = CommandEntrant::find(name).ok_or_else(|| {
                let what =
                    if JoiningEntrant::find(name).is_some() { "agents from outside" } else { "strategies" };
                CannotPlay(format!("over the network, {what} do not play {}: expected programs", State::GAME))
            })?;
            let command = command.map_err(CannotPlay)?;
            network.check_confinement(&command).map_err(CannotPlay)?;
            Ok(command)
        };
        let programs = [program(first)?, program(second)?];
        Ok(Self { network: network.clone(), spec: spec.clone(), config, settings, programs })
    }

    /// Plays the match. Failures of players are in the record; failures of this machine are errors.
    pub(super) async fn play(self, with_replay: bool) -> Result<Played, CannotPlay> {
        let start = State::new(&self.config, self.spec.seed);
        let mut writer = with_replay.then(|| self.writer()).transpose().map_err(unwritten)?;
        let mut meter = start.meter();
        let (stop, mut stopped) = watch::channel(false);
        let mut steps = Steps { count: 0, most: self.spec.limits.steps, stop: stop.clone() };
        let page = self.page();
        let mut live = page.map(|page| page.open(&self.spec.entrants, &self.config, self.spec.seed));
        let number = live.as_ref().map(|live| live.id().number());
        let mut witness = (&mut writer, &mut meter, &mut steps, &mut live);
        let grace = self.network.rules.grace;
        let mut lacks_namespaces = None;
        let commands = [0, 1].map(|place: usize| {
            let program = &self.programs[place];
            let isolation = self.network.isolation(program).map(|(isolation, why)| {
                lacks_namespaces = lacks_namespaces.take().or(why);
                isolation
            });
            program.command(&self.network.folder, None, grace, isolation)
        });
        let measurement = Measurement::begin(&self.network.limits);
        let played = {
            let mut gate = Gate::Open(Duration::ZERO);
            let guard = &self.network.guard;
            let start = start.clone();
            let duel =
                duel::play(guard, self.settings, start, &commands, &mut gate, &mut stopped, &mut witness);
            let mut duel = std::pin::pin!(duel);
            let limit = Duration::from(self.spec.limits.time);
            tokio::select! {
                played = &mut duel => played,
                () = sleep(limit) => {
                    stop.send_replace(true);
                    duel.await
                }
            }
        };
        let load = measurement.end();
        let played = played.map_err(|error| CannotPlay(error.to_string()))?;
        if played.programs.iter().all(Option::is_none) {
            // Nothing was started: the witness has not heard of the end.
            Witness::end(&mut witness, &played.state, played.state.clock());
        }
        let mut logs = self.logs(&played.programs);
        if let Some(report) = Report::of(&played.verdict) {
            logs.push(Log { source: REFEREE.to_owned(), text: report.to_string() });
        }
        logs.push(Log { source: "host".to_owned(), text: load.to_string() });
        if let Some(why) = lacks_namespaces {
            let text = format!("programs are confined without namespaces: {why}");
            logs.push(Log { source: "confinement".to_owned(), text });
        }
        let metrics = played.state.metrics(&meter);
        let mut record = self.record(&played, metrics, steps.count);
        let failures = self.failures(&played);
        let fault = self
            .network
            .rules
            .checks_host
            .then(|| doubt(&played.verdict.reason, &load, &self.network.limits));
        if let Some(text) = fault.flatten() {
            logs.push(Log { source: HOST_FAULT.to_owned(), text });
            record.outcome.termination = Termination::HostFault;
        } else if let (Some(page), Some(number)) = (page, number) {
            page.add_fault(number, &played, &self.spec.entrants);
        }
        let replay = writer.map(Writer::finish).transpose().map_err(unwritten)?;
        Ok(Played { record, replay, logs, failures })
    }

    fn writer(&self) -> std::io::Result<Writer<Vec<u8>>> {
        let player =
            |(team, program): (u8, &CommandEntrant)| Player::new(TeamId::new(team), program.run.join(" "));
        let players = (0..).zip(&self.programs).map(player).collect();
        let mut header = Header::new::<State>(&self.config, self.spec.seed, players, &self.network.program);
        header.limits = self.spec.limits.into();
        Writer::new(Vec::new(), &header)
    }

    /// Returns the page on which the duel is watched, if there is one.
    fn page(&self) -> Option<&DuelsPage> {
        let page: &dyn Any = self.network.page.as_deref()?;
        page.downcast_ref()
    }

    /// Returns the name of a player in messages.
    fn name(&self, place: usize) -> String {
        agent_name(AgentId::from_index(place), &team_name(&self.spec.game, place))
    }

    /// Returns the ends of the programs, and their output.
    fn logs(&self, programs: &[Option<Ended>; 2]) -> Vec<Log> {
        let log = |(place, ended): (usize, &Option<Ended>)| {
            let ended = ended.as_ref()?;
            let text = format!("its program {ended}\n{}", output(ended));
            Some(Log { source: self.name(place), text: text.trim_end().to_owned() })
        };
        programs.iter().enumerate().filter_map(log).collect()
    }

    /// Returns the player that has lost by a fault, and each player whose program has crashed otherwise.
    fn failures(&self, played: &duel::Played) -> Vec<Failure> {
        let verdict = &played.verdict;
        let is_fault = verdict.reason.letter().is_some_and(|letter| letter != Letter::Normal);
        let winner = verdict.outcome.winner().filter(|_| is_fault);
        let failure = |place: usize| {
            let ended = played.programs[place].as_ref();
            let (how, is_before) = match winner {
                Some(winner) if winner.index() != place => {
                    let before = [Letter::Opening, Letter::Start];
                    let is_before = matches!(verdict.reason, Reason::NoAnswer(..))
                        || verdict.reason.letter().is_some_and(|letter| before.contains(&letter));
                    (verdict.reason.to_string(), is_before)
                }
                _ => (format!("{} after the game", ended.filter(|ended| has_crashed(ended))?), false),
            };
            Some(Failure {
                agent: AgentId::from_index(place),
                at: (!is_before).then(|| played.state.clock()),
                how,
                last_line: ended.map(last_line).unwrap_or_default(),
            })
        };
        [0, 1].into_iter().filter_map(failure).collect()
    }

    fn record(&self, played: &duel::Played, mut metrics: game_env::Metrics, steps: u64) -> MatchRecord {
        let crashed =
            [0, 1].map(|place: usize| played.programs[place].as_ref().filter(|ended| has_crashed(ended)));
        metrics.push(CRASHED_PROGRAMS, crashed.map(|crash| if crash.is_some() { 1.0 } else { 0.0 }));
        let mut blunders = Blunders::default();
        for (place, ended) in crashed.iter().enumerate().filter_map(|(place, ended)| Some((place, (*ended)?)))
        {
            add_crash(&mut blunders, &self.name(place), ended);
        }
        let (blunders, first_blunders) = blunders.into_parts();
        let mut outcome = played.verdict.outcome;
        if played.verdict.reason == Reason::Stopped {
            // Only the limits of the league stop a duel.
            outcome.termination = Termination::Stall;
        }
        MatchRecord {
            spec: self.spec.clone(),
            program: self.network.program.clone(),
            rules: State::RULES,
            outcome,
            time: played.state.clock(),
            steps,
            // Each decision of a player is a move.
            decisions: steps,
            metrics,
            hash: played.state.hash(),
            blunders,
            first_blunders,
            failed: Vec::new(),
        }
    }
}

fn unwritten(error: std::io::Error) -> CannotPlay {
    CannotPlay(format!("cannot write the replay: {error}"))
}

/// Counts the moves, and stops the duel at the limit.
struct Steps {
    count: u64,
    most: u64,
    stop: watch::Sender<bool>,
}

impl Witness<State> for Steps {
    fn action(&mut self, _: &State, _: SimTime, _: AgentId, _: &Brick) {
        self.count += 1;
        if self.count == self.most {
            self.stop.send_replace(true);
        }
    }
}
