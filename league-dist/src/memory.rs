//! A queue in memory, sans-IO, for simulations: the work of a database on the caller's clock.

use std::collections::{BTreeMap, BTreeSet};

use game_env::{Millis, SimTime};

use crate::chunk::{Chunk, LeagueId};
use crate::dispatch::{
    Dispatch, DispatchError, Lease, Live, MatchResult, OpenLeague, Reported, WorkerName, WorkerState,
};

/// A queue in memory.
#[derive(Clone, Debug)]
pub struct Memory {
    dead_after: Millis,
    leagues: BTreeMap<LeagueId, Table>,
    /// The open leagues in the order in which they were opened.
    order: Vec<LeagueId>,
    workers: BTreeMap<WorkerName, Known>,
    leases: u64,
}

#[derive(Clone, Debug)]
struct Table {
    league: OpenLeague,
    /// By the number of the first match, then in the order in which they came; each with the number of workers that
    /// have died with it.
    waiting: BTreeMap<(u64, u64), (Chunk, u32)>,
    /// Number of chunks that came.
    came: u64,
    leased: BTreeMap<String, (Lease, WorkerName)>,
    /// By serial.
    results: BTreeMap<u64, Reported>,
    /// The serial of each match that has a result.
    numbers: BTreeMap<u64, u64>,
    /// The last serial.
    serial: u64,
    refused: BTreeSet<WorkerName>,
    begun: BTreeMap<u64, BTreeSet<WorkerName>>,
}

#[derive(Clone, Debug)]
struct Known {
    program: String,
    slots: u32,
    since: SimTime,
    seen: SimTime,
}

impl Table {
    fn wait(&mut self, chunk: Chunk, deaths: u32) {
        self.came += 1;
        let first = chunk.matches.first().map_or(0, |(number, _)| *number);
        self.waiting.insert((first, self.came), (chunk, deaths));
    }

    /// Drops the results of which this is true.
    fn drop_results(&mut self, is_dropped: impl Fn(u64, &Reported) -> bool) {
        self.results.retain(|serial, reported| !is_dropped(*serial, reported));
        let results = &self.results;
        self.numbers.retain(|_, serial| results.contains_key(serial));
    }
}

impl Memory {
    /// Creates an empty queue. A worker without a heartbeat for this long is dead.
    pub fn new(dead_after: Millis) -> Self {
        Self { dead_after, leagues: BTreeMap::new(), order: Vec::new(), workers: BTreeMap::new(), leases: 0 }
    }

    fn table(&mut self, league: LeagueId) -> Result<&mut Table, DispatchError> {
        let table = self.leagues.get_mut(&league);
        table.ok_or_else(|| DispatchError::Unusable(format!("there is no league {league}")))
    }
}

impl Dispatch for Memory {
    fn open(&mut self, league: &OpenLeague) -> Result<(), DispatchError> {
        if !self.order.contains(&league.id) {
            self.order.push(league.id);
        }
        self.leagues.entry(league.id).or_insert_with(|| Table {
            league: league.clone(),
            waiting: BTreeMap::new(),
            came: 0,
            leased: BTreeMap::new(),
            results: BTreeMap::new(),
            numbers: BTreeMap::new(),
            serial: 0,
            refused: BTreeSet::new(),
            begun: BTreeMap::new(),
        });
        Ok(())
    }

    fn close(&mut self, league: LeagueId) -> Result<(), DispatchError> {
        self.order.retain(|open| *open != league);
        let table = self.table(league)?;
        table.waiting.clear();
        table.leased.clear();
        table.begun.clear();
        Ok(())
    }

    fn is_open(&mut self, league: LeagueId) -> Result<bool, DispatchError> {
        Ok(self.order.contains(&league))
    }

    fn leagues(&mut self) -> Result<Vec<LeagueId>, DispatchError> {
        Ok(self.order.clone())
    }

    fn league(&mut self, league: LeagueId) -> Result<Option<OpenLeague>, DispatchError> {
        let table = self.leagues.get(&league).filter(|_| self.order.contains(&league));
        Ok(table.map(|table| table.league.clone()))
    }

    fn submit(&mut self, chunks: &[Chunk]) -> Result<(), DispatchError> {
        for chunk in chunks {
            self.table(chunk.league)?.wait(chunk.clone(), 0);
        }
        Ok(())
    }

    fn live(&mut self, league: LeagueId) -> Result<Live, DispatchError> {
        let table = self.table(league)?;
        let waiting = table.waiting.values().map(|(chunk, _)| chunk);
        let chunks = waiting.chain(table.leased.values().map(|(lease, _)| &lease.chunk));
        let matches = chunks.flat_map(|chunk| chunk.matches.iter().map(|(number, _)| *number)).collect();
        Ok(Live { matches, dropped: Vec::new() })
    }

    fn results(&mut self, league: LeagueId, after: u64, most: u32) -> Result<Vec<Reported>, DispatchError> {
        let results = &self.table(league)?.results;
        Ok(results.range(after + 1..).take(most as usize).map(|(_, result)| result.clone()).collect())
    }

    fn drop_results(&mut self, league: LeagueId, serials: &[u64]) -> Result<(), DispatchError> {
        self.table(league)?.drop_results(|serial, _| serials.contains(&serial));
        Ok(())
    }

    fn refuse(&mut self, league: LeagueId, worker: &WorkerName) -> Result<(), DispatchError> {
        let table = self.table(league)?;
        table.refused.insert(worker.clone());
        table.drop_results(|_, reported| reported.worker == *worker);
        let held = table.leased.extract_if(.., |_, (_, holder)| holder == worker);
        for (_, (lease, _)) in held.collect::<Vec<_>>() {
            table.wait(lease.chunk, lease.deaths);
        }
        Ok(())
    }

    fn refused(&mut self, league: LeagueId) -> Result<BTreeSet<WorkerName>, DispatchError> {
        Ok(self.table(league)?.refused.clone())
    }

    fn take_back(&mut self, league: LeagueId, last: u64) -> Result<(), DispatchError> {
        let table = self.table(league)?;
        table.waiting.clear();
        table.leased.clear();
        let late = table.numbers.range(last + 1..).map(|(_, serial)| *serial).collect::<BTreeSet<_>>();
        table.drop_results(|serial, _| late.contains(&serial));
        Ok(())
    }

    fn recover(&mut self, now: SimTime) -> Result<u64, DispatchError> {
        let Self { leagues, workers, dead_after, .. } = self;
        let is_dead =
            |worker: &WorkerName| workers.get(worker).is_none_or(|known| now >= known.seen + *dead_after);
        let mut recovered = 0;
        for table in leagues.values_mut() {
            let dead = |(_, (_, worker)): &(&String, &(Lease, WorkerName))| is_dead(worker);
            let lost: Vec<String> = table.leased.iter().filter(dead).map(|(id, _)| id.clone()).collect();
            for id in lost {
                if let Some((lease, _)) = table.leased.remove(&id) {
                    recovered += 1;
                    table.wait(lease.chunk, lease.deaths + 1);
                }
            }
        }
        Ok(recovered)
    }

    fn workers(&mut self, now: SimTime, league: LeagueId) -> Result<Vec<WorkerState>, DispatchError> {
        let mut matches: BTreeMap<WorkerName, u64> = BTreeMap::new();
        for reported in self.table(league)?.results.values() {
            *matches.entry(reported.worker.clone()).or_default() += 1;
        }
        let state = |(name, known): (&WorkerName, &Known)| WorkerState {
            name: name.clone(),
            slots: known.slots,
            is_alive: now < known.seen + self.dead_after,
            seconds: u64::from(known.seen.since(known.since).as_millis()) / 1_000,
            matches: matches.get(name).copied().unwrap_or(0),
        };
        Ok(self.workers.iter().map(state).filter(|state| state.is_alive || state.matches > 0).collect())
    }

    fn join(
        &mut self,
        now: SimTime,
        worker: &WorkerName,
        program: &str,
        slots: u32,
    ) -> Result<(), DispatchError> {
        let known = Known { program: program.to_owned(), slots, since: now, seen: now };
        self.workers.insert(worker.clone(), known);
        Ok(())
    }

    fn heartbeat(&mut self, now: SimTime, worker: &WorkerName) -> Result<(), DispatchError> {
        if let Some(known) = self.workers.get_mut(worker) {
            known.seen = now;
        }
        Ok(())
    }

    fn lease(&mut self, worker: &WorkerName, league: LeagueId) -> Result<Option<Lease>, DispatchError> {
        self.leases += 1;
        let id = self.leases.to_string();
        let table = self.table(league)?;
        if table.refused.contains(worker) {
            return Ok(None);
        }
        let Some((_, (chunk, deaths))) = table.waiting.pop_first() else { return Ok(None) };
        let lease = Lease { id: id.clone(), chunk, deaths };
        table.leased.insert(id, (lease.clone(), worker.clone()));
        Ok(Some(lease))
    }

    fn begin(&mut self, worker: &WorkerName, league: LeagueId, number: u64) -> Result<u32, DispatchError> {
        let begun = self.table(league)?.begun.entry(number).or_default();
        begun.insert(worker.clone());
        Ok(u32::try_from(begun.len() - 1).unwrap_or(u32::MAX))
    }

    fn report(
        &mut self,
        worker: &WorkerName,
        league: LeagueId,
        results: &[MatchResult],
    ) -> Result<bool, DispatchError> {
        let program = self.workers.get(worker).map_or_else(String::new, |known| known.program.clone());
        if !self.order.contains(&league) {
            return Ok(false);
        }
        let table = self.table(league)?;
        if table.refused.contains(worker) {
            return Ok(false);
        }
        for result in results {
            table.begun.remove(&result.number);
            if !table.numbers.contains_key(&result.number) {
                table.serial += 1;
                let serial = table.serial;
                table.numbers.insert(result.number, serial);
                let (worker, program, result) = (worker.clone(), program.clone(), Ok(result.clone()));
                table.results.insert(serial, Reported { serial, worker, program, result });
            }
        }
        Ok(true)
    }

    fn finish(&mut self, worker: &WorkerName, lease: &Lease) -> Result<(), DispatchError> {
        let table = self.table(lease.chunk.league)?;
        if table.leased.get(&lease.id).is_some_and(|(_, holder)| holder == worker) {
            table.leased.remove(&lease.id);
        }
        Ok(())
    }

    fn give_back(
        &mut self,
        worker: &WorkerName,
        lease: &Lease,
        begun: Option<u64>,
    ) -> Result<(), DispatchError> {
        let table = self.table(lease.chunk.league)?;
        if table.leased.get(&lease.id).is_none_or(|(_, holder)| holder != worker) {
            return Ok(());
        }
        table.leased.remove(&lease.id);
        table.wait(lease.chunk.clone(), lease.deaths);
        if let Some(begun) = begun.and_then(|number| table.begun.get_mut(&number)) {
            begun.remove(worker);
        }
        Ok(())
    }
}
