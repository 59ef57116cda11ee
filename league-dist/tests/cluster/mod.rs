//! A cluster on a virtual clock: a coordinator and many workers on a queue in memory, with speeds, deaths and
//! partitions that a seed decides. The loops are those of `coordinate` and `serve`, with events in place of waiting.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use game_env::{Chance, Millis, Outcome, Ranking, Returns, Seed, SimTime, TeamId, Termination};
use league::file::League;
use league::in_process::InProcess;
use league::progress::{Next, Progress};
use league_dist::chunk::LeagueId;
use league_dist::coordinator::{self, Coordinator, Ended, Rules};
use league_dist::dispatch::{Dispatch as _, Ending, OpenLeague, WorkerName};
use league_dist::memory::Memory;
use league_dist::worker::{self, DEAD_AFTER, Worker};

/// Settings of a simulation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cluster {
    /// Seed of the simulation; all its random numbers are derived from it.
    pub(crate) seed: u64,
    /// Number of workers, each with one slot.
    pub(crate) workers: usize,
    /// Number of sets of two matches.
    pub(crate) sets: u32,
    /// The mean time of a match on a worker of speed 1.
    pub(crate) match_time: Millis,
    /// The mean time between two deaths of a worker; it starts again after a while, with another name.
    pub(crate) death_every: Millis,
    /// The mean time between two partitions of a worker.
    pub(crate) partition_every: Millis,
    /// The number of a match that ends its worker each time, if there is one.
    pub(crate) poison: Option<u64>,
    /// Whether the coordinator is killed and started again once.
    pub(crate) restart: bool,
}

/// Result of a simulation.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Report {
    /// Number of times that each match was stored, from the first match on.
    pub(crate) stored: Vec<u8>,
    /// The matches that were given up.
    pub(crate) given_up: Vec<u64>,
    /// Number of matches that workers have played to their end.
    pub(crate) played: u64,
    /// Number of deaths of workers and of partitions.
    pub(crate) faults: (u64, u64),
    /// When the league was over.
    pub(crate) end: SimTime,
    /// When it would have been over if all workers had played without a pause and at their speeds.
    pub(crate) ideal: SimTime,
    /// The points of both entrants in half points, and those of the same league counted in order.
    pub(crate) points: [[u64; 2]; 2],
}

/// The time between two polls of the coordinator.
const POLL: Millis = Millis::new(100);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Event {
    Coordinator,
    /// The life of the worker that it concerns comes second: a later one ignores it.
    Wake(usize, u32),
    Ended(usize, u32, u64),
    Dies(usize, u32),
    Starts(usize, u32),
    Partition(usize, u32),
}

struct Machine {
    life: u32,
    /// None while it is dead.
    worker: Option<(Worker, WorkerName)>,
    /// In percent.
    speed: u32,
    cut_off_until: SimTime,
    /// The match that is played, and when it ends.
    playing: BTreeMap<u64, u64>,
    wake_at: SimTime,
}

struct Simulation {
    cluster: Cluster,
    league: League,
    chance: Chance,
    memory: Memory,
    machines: Vec<Machine>,
    events: BinaryHeap<Reverse<(SimTime, u64, Event)>>,
    serial: u64,
    report: Report,
}

const LEAGUE: LeagueId = LeagueId::new(1);

/// Plays a league to its end.
pub(crate) fn play(cluster: Cluster) -> Report {
    let file = format!(
        "game = \"dots\"\n[schedule]\nsets = {}\n[[entrant]]\nstrategy = \"greedy\"\n[[entrant]]\nstrategy = \"random\"\n",
        cluster.sets
    );
    let league = League::read("cluster", &file, &InProcess::new("cluster")).expect("the league is sound");
    let matches = 2 * cluster.sets as usize;
    let mut chance = Seed::new(cluster.seed).game();
    let machine = |_| Machine {
        life: 0,
        worker: None,
        speed: 50 + chance.below(151),
        cut_off_until: SimTime::START,
        playing: BTreeMap::new(),
        wake_at: SimTime::NEVER,
    };
    let machines: Vec<Machine> = (0..cluster.workers).map(machine).collect();
    let speeds: u64 = machines.iter().map(|machine| u64::from(machine.speed)).sum();
    let work: u64 = (1..=matches as u64).map(|number| u64::from(time(&cluster, number))).sum();
    let report = Report {
        stored: vec![0; matches],
        given_up: Vec::new(),
        played: 0,
        faults: (0, 0),
        end: SimTime::START,
        ideal: SimTime::from_millis(100 * work / speeds),
        points: [[0; 2]; 2],
    };
    let memory = Memory::new(DEAD_AFTER);
    let (events, serial) = (BinaryHeap::new(), 0);
    let simulation = Simulation { cluster, league, chance, memory, machines, events, serial, report };
    simulation.run()
}

/// The time of a match on a worker of speed 1: from nothing to twice the mean.
fn time(cluster: &Cluster, number: u64) -> u32 {
    Seed::new(number).game().below(2 * cluster.match_time.as_millis() + 1)
}

/// Returns the outcome of a match, which depends only on its number.
fn outcome(number: u64) -> Outcome {
    let ranking = match Seed::new(number).child(1).game().below(3) {
        0 => Ranking::tied(2),
        side => Ranking::won_by(TeamId::new(u8::try_from(side - 1).expect("one of two")), 2),
    };
    Outcome { ranking, termination: Termination::Normal, fault: None, returns: Returns::new(&[0, 0]) }
}

fn halves(progress: &Progress) -> [u64; 2] {
    [0, 1].map(|place| progress.points().total(contests::entrant::EntrantId::from_index(place)).halves())
}

impl Simulation {
    fn run(mut self) -> Report {
        let open = OpenLeague {
            id: LEAGUE,
            name: "cluster".to_owned(),
            file: String::new(),
            program: "cluster".to_owned(),
            game: "dots".to_owned(),
            rules: 1,
        };
        self.memory.open(&open).expect("memory does not fail");
        let rules = Rules::default();
        let mut coordinator =
            Some(Coordinator::new(SimTime::START, LEAGUE, &self.league, rules, BTreeMap::new()));
        let mut known = BTreeMap::new();
        let mut cursor = 0;
        let mut restart = self.cluster.restart.then_some(self.report.stored.len() / 2);
        for place in 0..self.machines.len() {
            let late = SimTime::from_millis(self.chance.below(1_000).into());
            self.at(late, Event::Starts(place, 0));
        }
        self.at(SimTime::START, Event::Coordinator);
        while let Some(Reverse((now, _, event))) = self.events.pop() {
            match event {
                Event::Coordinator => {
                    let this = coordinator.as_mut().expect("there is one between two polls");
                    if self.coordinate(now, this, &mut cursor, &mut known) {
                        self.report.end = now;
                        self.report.points[0] = halves(this.progress());
                        break;
                    }
                    self.at(now + POLL, Event::Coordinator);
                    // The store of the dead coordinator has all results that it took in.
                    if restart.is_some_and(|after| known.len() >= after) {
                        restart = None;
                        cursor = 0;
                        let (league, known) = (&self.league, known.clone());
                        coordinator = Some(Coordinator::new(now, LEAGUE, league, rules, known));
                    }
                }
                Event::Starts(place, life) => self.start(now, place, life),
                Event::Dies(place, life) => self.die(now, place, life),
                Event::Partition(place, life) => self.cut_off(now, place, life),
                Event::Wake(place, life) => {
                    if now >= self.machines[place].wake_at {
                        self.input(now, place, life, worker::Input::Tick);
                    }
                }
                Event::Ended(place, life, turn) => {
                    if self.machines[place].life == life
                        && let Some(number) = self.machines[place].playing.remove(&turn)
                    {
                        self.report.played += 1;
                        let record = number.to_string();
                        let took_us = u64::from(time(&self.cluster, number)) * 1_000;
                        let ending = Ending::Played { record, replay: None };
                        self.input(now, place, life, worker::Input::Ended(0, turn, ending, took_us));
                    }
                }
            }
        }
        self.report.points[1] = self.counted_in_order();
        self.report
    }

    fn at(&mut self, at: SimTime, event: Event) {
        self.serial += 1;
        self.events.push(Reverse((at, self.serial, event)));
    }

    /// A time with this mean.
    fn span(&mut self, mean: Millis) -> Millis {
        Millis::new(1 + self.chance.below(2 * mean.as_millis()))
    }

    /// One poll of the coordinator; returns whether the league is over.
    fn coordinate(
        &mut self,
        now: SimTime,
        coordinator: &mut Coordinator,
        cursor: &mut u64,
        known: &mut BTreeMap<u64, (league::schedule::MatchId, Ended)>,
    ) -> bool {
        const SOUND: &str = "all results are of this league";
        self.memory.recover(now).expect("memory does not fail");
        let alive = self.machines.iter().filter(|machine| machine.worker.is_some()).count();
        coordinator.handle(now, coordinator::Input::Slots(alive)).expect(SOUND);
        self.read(now, coordinator, cursor, known);
        coordinator.handle(now, coordinator::Input::Tick).expect(SOUND);
        while let Some(output) = coordinator.poll_output() {
            match output {
                coordinator::Output::Submit(chunk) => {
                    self.memory.submit(&[chunk]).expect("memory does not fail");
                }
                coordinator::Output::Compare => {
                    let live = self.memory.live(LEAGUE).expect("memory does not fail");
                    self.read(now, coordinator, cursor, known);
                    coordinator.handle(now, coordinator::Input::Live(live.matches)).expect(SOUND);
                }
                coordinator::Output::Over => return true,
            }
        }
        false
    }

    fn read(
        &mut self,
        now: SimTime,
        coordinator: &mut Coordinator,
        cursor: &mut u64,
        known: &mut BTreeMap<u64, (league::schedule::MatchId, Ended)>,
    ) {
        for reported in self.memory.results(LEAGUE, *cursor, u32::MAX).expect("memory does not fail") {
            *cursor = reported.serial;
            let result = reported.result.expect("memory has sound rows");
            let ended = match result.ending {
                Ending::Played { record, .. } => {
                    assert_eq!(record, result.number.to_string());
                    Ended::Played(outcome(result.number))
                }
                Ending::GivenUp => Ended::GivenUp,
                Ending::Unplayable(reason) => panic!("{reason}"),
            };
            let input = coordinator::Input::Result(result.number, result.id.clone(), ended, result.took_us);
            coordinator.handle(now, input).expect("all results are of this league");
            if coordinator.was_new() {
                self.report.stored[usize::try_from(result.number).expect("a place") - 1] += 1;
                if ended == Ended::GivenUp {
                    self.report.given_up.push(result.number);
                }
                if self.cluster.restart {
                    known.insert(result.number, (result.id, ended));
                }
            }
        }
    }

    fn start(&mut self, now: SimTime, place: usize, life: u32) {
        let name = WorkerName::new("host", u32::try_from(place).expect("few workers"), life);
        self.memory.join(now, &name, "cluster", 1).expect("memory does not fail");
        self.machines[place].worker = Some((Worker::new(now, 1), name));
        let (death, partition) =
            (self.span(self.cluster.death_every), self.span(self.cluster.partition_every));
        self.at(now + death, Event::Dies(place, life));
        self.at(now + partition, Event::Partition(place, life));
        self.input(now, place, life, worker::Input::Tick);
    }

    fn die(&mut self, now: SimTime, place: usize, life: u32) {
        let machine = &mut self.machines[place];
        if machine.life != life || machine.worker.is_none() {
            return;
        }
        self.report.faults.0 += 1;
        machine.worker = None;
        machine.life += 1;
        machine.playing.clear();
        machine.cut_off_until = SimTime::START;
        let down = self.span(Millis::new(20_000));
        self.at(now + down, Event::Starts(place, life + 1));
    }

    fn cut_off(&mut self, now: SimTime, place: usize, life: u32) {
        if self.machines[place].life != life {
            return;
        }
        self.report.faults.1 += 1;
        // Half of them last longer than it takes to be taken for dead.
        let lasts = self.span(DEAD_AFTER);
        let next = self.span(self.cluster.partition_every);
        self.machines[place].cut_off_until = now + lasts;
        self.at(now + lasts + next, Event::Partition(place, life));
    }

    /// Gives a worker an input and carries out its outputs, when its queue can be reached.
    fn input(&mut self, now: SimTime, place: usize, life: u32, input: worker::Input) {
        let machine = &mut self.machines[place];
        if machine.life != life {
            return;
        }
        if now < machine.cut_off_until {
            // The worker waits for the queue; a match that has ended waits with it.
            let until = machine.cut_off_until;
            let event = match input {
                worker::Input::Ended(_, turn, Ending::Played { record, .. }, _) => {
                    machine.playing.insert(turn, record.parse().expect("a number"));
                    self.report.played -= 1;
                    Event::Ended(place, life, turn)
                }
                _ => Event::Wake(place, life),
            };
            machine.wake_at = machine.wake_at.min(until);
            self.at(until, event);
            return;
        }
        let Some((mut worker, name)) = machine.worker.take() else { return };
        worker.handle(now, input);
        let is_alive = self.drain(now, place, life, &mut worker, &name);
        let wake_at = worker.wake_at().unwrap_or(SimTime::NEVER);
        self.machines[place].worker = Some((worker, name));
        if !is_alive {
            self.die(now, place, life);
            return;
        }
        if wake_at != SimTime::NEVER {
            self.machines[place].wake_at = wake_at;
            self.at(wake_at, Event::Wake(place, life));
        }
    }

    /// Carries out the outputs of a worker; returns whether it survives that.
    fn drain(
        &mut self,
        now: SimTime,
        place: usize,
        life: u32,
        worker: &mut Worker,
        name: &WorkerName,
    ) -> bool {
        const SOUND: &str = "memory does not fail";
        while let Some(output) = worker.poll_output() {
            match output {
                worker::Output::Heartbeat => self.memory.heartbeat(now, name).expect(SOUND),
                worker::Output::Ask(slot) => {
                    let lease = self.memory.lease(name, LEAGUE).expect(SOUND);
                    worker.handle(now, worker::Input::Leased(slot, lease));
                }
                worker::Output::Begin(slot, league, number) => {
                    let before = self.memory.begin(name, league, number).expect(SOUND);
                    worker.handle(now, worker::Input::Begun(slot, before));
                }
                worker::Output::Play { turn, id, .. } => {
                    // Matches of one pairing: two for each set.
                    let number = 2 * u64::from(id.set) + u64::from(id.rotation) + 1;
                    if self.cluster.poison == Some(number) {
                        return false;
                    }
                    let lasts = Millis::new(100 * time(&self.cluster, number) / self.machines[place].speed);
                    self.machines[place].playing.insert(turn, number);
                    self.at(now + lasts, Event::Ended(place, life, turn));
                }
                worker::Output::Report(league, results) => {
                    if !self.memory.report(name, league, &results).expect(SOUND) {
                        worker.handle(now, worker::Input::Closed(league));
                    }
                }
                worker::Output::Finish(lease) => self.memory.finish(name, &lease).expect(SOUND),
                worker::Output::GiveBack(lease, begun) => {
                    self.memory.give_back(name, &lease, begun).expect(SOUND);
                }
                worker::Output::Done => return true,
            }
        }
        true
    }

    /// The points of the same league whose matches end one after the other.
    fn counted_in_order(&self) -> [u64; 2] {
        let mut progress = Progress::new(&self.league);
        while let Next::Play(task) = progress.next_task() {
            if self.report.given_up.contains(&task.number) {
                progress.give_up(task.number);
            } else {
                progress.end(task.number, &outcome(task.number));
            }
        }
        halves(&progress)
    }
}
