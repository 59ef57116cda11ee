//! A worker, sans-IO: the chunk that it plays, its reports, and its treatment of matches that end processes.
//!
//! A worker has slots; each plays one match at a time. A slot asks for a chunk, plays its matches in order, and reports
//! results at most [`REPORT_AFTER`] after they were made. A chunk whose worker has died before is played *with care*:
//! each match is noted in the queue before it begins, and its result is reported at once. So the queue knows which
//! match ends processes.
//!
//! It has no clock, no threads and no queue: see [`serve`](crate::serve).

use std::collections::VecDeque;

use game_env::{Millis, SimTime};
use league::schedule::MatchId;

use crate::chunk::LeagueId;
use crate::dispatch::{Ending, Lease, MatchResult};

/// The time between two heartbeats.
pub const HEARTBEAT: Millis = Millis::new(5_000);

/// A worker without a heartbeat for this long is dead: six heartbeats.
pub const DEAD_AFTER: Millis = Millis::new(30_000);

/// A match is given up when this many workers have begun it with care and died: as often as one process
/// repeats a match after faults of the host. Fewer would now and then blame a match for workers that die by themselves.
pub const MOST_CRASHES: u32 = league::runner::MOST_REPETITIONS;

/// Results wait at most this long for others that are reported with them.
pub const REPORT_AFTER: Millis = Millis::new(1_000);

/// Time until a slot that found no chunk asks again for the first time. Each further time it waits twice as long: at
/// the beginning of a league, chunks are small and new ones follow at once.
pub const ASK_SOON: Millis = Millis::new(20);

/// The longest time until a slot that found no chunk asks again.
pub const ASK_AGAIN: Millis = Millis::new(500);

/// The most bytes of results that wait: replays are reported sooner.
const MOST_WAITING: usize = 4 << 20;

/// Inputs of a worker: everything that is reported to it. A slot is its place, from 0.
#[derive(Clone, Debug)]
pub enum Input {
    /// Time has passed.
    Tick,
    /// The answer to [`Output::Ask`]: a lease, if a chunk was waiting.
    Leased(usize, Option<Lease>),
    /// The answer to [`Output::Begin`]: the number of other workers that have begun the match and not ended it.
    Begun(usize, u32),
    /// The match of this slot and turn has ended, after this number of microseconds.
    Ended(usize, u64, Ending, u64),
    /// This league is closed.
    Closed(LeagueId),
    /// The worker is to stop.
    Stop,
}

/// Outputs of a worker: the work that it asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Output {
    /// Send a heartbeat.
    Heartbeat,
    /// Ask for a chunk, and answer with [`Input::Leased`].
    Ask(usize),
    /// Note in the queue that a match begins, and answer with [`Input::Begun`].
    Begin(usize, LeagueId, u64),
    /// Play a match, and say when it has ended.
    Play {
        /// The slot.
        slot: usize,
        /// Tells the matches of a worker apart.
        turn: u64,
        /// The league.
        league: LeagueId,
        /// The match.
        id: MatchId,
    },
    /// Report results; if the league is closed, say so with [`Input::Closed`].
    Report(LeagueId, Vec<MatchResult>),
    /// The chunk of this lease was played.
    Finish(Lease),
    /// The chunk of this lease is for others. The number is that of a match that was noted and has not ended.
    GiveBack(Lease, Option<u64>),
    /// The worker has stopped.
    Done,
}

/// A worker.
#[derive(Clone, Debug)]
pub struct Worker {
    slots: Vec<Slot>,
    heartbeat_at: SimTime,
    is_stopping: bool,
    turn: u64,
    outputs: VecDeque<Output>,
}

#[derive(Clone, Debug)]
enum Slot {
    /// It waits `pause` if it finds no chunk then.
    Idle {
        ask_at: SimTime,
        pause: Millis,
    },
    /// It waits this long if it finds no chunk.
    Asking(Millis),
    Playing(Playing),
}

#[derive(Clone, Debug)]
struct Playing {
    lease: Lease,
    /// The place of the match that is played.
    place: usize,
    /// The turn of the match that is played; none while it is noted in the queue.
    turn: Option<u64>,
    waiting: Vec<MatchResult>,
    waiting_bytes: usize,
    report_at: SimTime,
}

impl Slot {
    /// Returns a slot that asks at this time, and soon again.
    const fn asks_at(ask_at: SimTime) -> Self {
        Self::Idle { ask_at, pause: ASK_SOON }
    }
}

impl Playing {
    fn is_careful(&self) -> bool {
        self.lease.deaths > 0
    }
}

impl Worker {
    /// Creates a worker that has joined, with this number of slots.
    pub fn new(now: SimTime, slots: usize) -> Self {
        Self {
            slots: vec![Slot::asks_at(now); slots],
            heartbeat_at: now,
            is_stopping: false,
            turn: 0,
            outputs: VecDeque::new(),
        }
    }

    /// Takes in an input. An input for a slot that no longer waits for it is ignored.
    ///
    /// # Panics
    ///
    /// If there is no such slot.
    pub fn handle(&mut self, now: SimTime, input: Input) {
        match input {
            Input::Tick => {}
            Input::Leased(slot, lease) => self.leased(now, slot, lease),
            Input::Begun(slot, before) => self.begun(now, slot, before),
            Input::Ended(slot, turn, ending, took_us) => {
                let is_played =
                    matches!(&self.slots[slot], Slot::Playing(playing) if playing.turn == Some(turn));
                if is_played {
                    self.ended(now, slot, ending, took_us);
                }
            }
            Input::Closed(league) => self.closed(now, league),
            Input::Stop => self.stop(),
        }
        self.tick(now);
    }

    /// Returns the next output. All outputs are taken before the next input.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Returns when [`Input::Tick`] is due; none when the worker has stopped.
    pub fn wake_at(&self) -> Option<SimTime> {
        let of_slot = |slot: &Slot| match slot {
            Slot::Idle { ask_at, .. } => *ask_at,
            Slot::Asking(_) => SimTime::NEVER,
            Slot::Playing(playing) if playing.waiting.is_empty() => SimTime::NEVER,
            Slot::Playing(playing) => playing.report_at,
        };
        let first = self.slots.iter().map(of_slot).min().unwrap_or(SimTime::NEVER);
        (!self.is_stopping).then(|| first.min(self.heartbeat_at))
    }

    /// Returns whether no slot has a chunk.
    pub fn is_idle(&self) -> bool {
        self.slots.iter().all(|slot| matches!(slot, Slot::Idle { .. }))
    }

    fn tick(&mut self, now: SimTime) {
        if self.is_stopping {
            return;
        }
        if now >= self.heartbeat_at {
            self.heartbeat_at = now + HEARTBEAT;
            self.outputs.push_back(Output::Heartbeat);
        }
        for (place, slot) in self.slots.iter_mut().enumerate() {
            match slot {
                Slot::Idle { ask_at, pause } if now >= *ask_at => {
                    *slot = Slot::Asking(*pause);
                    self.outputs.push_back(Output::Ask(place));
                }
                Slot::Playing(playing) if !playing.waiting.is_empty() && now >= playing.report_at => {
                    self.outputs.extend(report(playing));
                }
                _ => {}
            }
        }
    }

    fn leased(&mut self, now: SimTime, slot: usize, lease: Option<Lease>) {
        match (lease, &self.slots[slot]) {
            (Some(lease), Slot::Asking(_)) => {
                let waiting = Vec::new();
                let report_at = now + REPORT_AFTER;
                let playing = Playing { lease, place: 0, turn: None, waiting, waiting_bytes: 0, report_at };
                self.slots[slot] = Slot::Playing(playing);
                self.next(now, slot);
            }
            (Some(lease), _) => self.outputs.push_back(Output::GiveBack(lease, None)),
            (None, &Slot::Asking(pause)) => {
                let next = Millis::new(2 * pause.as_millis()).min(ASK_AGAIN);
                self.slots[slot] = Slot::Idle { ask_at: now + pause, pause: next };
            }
            (None, _) => {}
        }
    }

    /// Begins the match at the place of the slot, or finishes its chunk.
    fn next(&mut self, now: SimTime, slot: usize) {
        let Slot::Playing(playing) = &mut self.slots[slot] else { return };
        let league = playing.lease.chunk.league;
        match playing.lease.chunk.matches.get(playing.place) {
            Some((number, _)) if playing.is_careful() => {
                self.outputs.push_back(Output::Begin(slot, league, *number));
            }
            Some(_) => self.play(slot),
            None => {
                self.outputs.extend(report(playing));
                let finished = Output::Finish(playing.lease.clone());
                self.outputs.push_back(finished);
                self.slots[slot] = Slot::asks_at(now);
            }
        }
    }

    fn begun(&mut self, now: SimTime, slot: usize, before: u32) {
        if before >= MOST_CRASHES {
            self.ended(now, slot, Ending::GivenUp, 0);
        } else {
            self.play(slot);
        }
    }

    /// Plays the match at the place of the slot.
    fn play(&mut self, slot: usize) {
        let Slot::Playing(playing) = &mut self.slots[slot] else { return };
        let Some((_, id)) = playing.lease.chunk.matches.get(playing.place) else { return };
        self.turn += 1;
        playing.turn = Some(self.turn);
        let league = playing.lease.chunk.league;
        self.outputs.push_back(Output::Play { slot, turn: self.turn, league, id: id.clone() });
    }

    fn ended(&mut self, now: SimTime, slot: usize, ending: Ending, took_us: u64) {
        let Slot::Playing(playing) = &mut self.slots[slot] else { return };
        let Some((number, id)) = playing.lease.chunk.matches.get(playing.place) else { return };
        if playing.waiting.is_empty() {
            playing.report_at = now + REPORT_AFTER;
        }
        if let Ending::Played { record, replay } = &ending {
            playing.waiting_bytes += record.len() + replay.as_ref().map_or(0, Vec::len);
        }
        playing.waiting.push(MatchResult { number: *number, id: id.clone(), ending, took_us });
        playing.turn = None;
        playing.place += 1;
        if playing.is_careful() || playing.waiting_bytes > MOST_WAITING {
            self.outputs.extend(report(playing));
        }
        self.next(now, slot);
    }

    /// Drops the remaining matches of the chunks of a closed league.
    fn closed(&mut self, now: SimTime, league: LeagueId) {
        for slot in &mut self.slots {
            if let Slot::Playing(playing) = slot
                && playing.lease.chunk.league == league
            {
                self.outputs.push_back(Output::Finish(playing.lease.clone()));
                *slot = Slot::asks_at(now);
            }
        }
    }

    fn stop(&mut self) {
        if self.is_stopping {
            return;
        }
        self.is_stopping = true;
        for slot in &mut self.slots {
            if let Slot::Playing(playing) = slot {
                self.outputs.extend(report(playing));
                let is_noted = playing.is_careful() && playing.turn.is_some();
                let begun = playing.lease.chunk.matches.get(playing.place).filter(|_| is_noted);
                let begun = begun.map(|(number, _)| *number);
                self.outputs.push_back(Output::GiveBack(playing.lease.clone(), begun));
            }
            *slot = Slot::asks_at(SimTime::NEVER);
        }
        self.outputs.push_back(Output::Done);
    }
}

/// Reports the results that wait in a slot.
fn report(playing: &mut Playing) -> Option<Output> {
    let results = std::mem::take(&mut playing.waiting);
    playing.waiting_bytes = 0;
    (!results.is_empty()).then_some(Output::Report(playing.lease.chunk.league, results))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::Chunk;

    const LEAGUE: LeagueId = LeagueId::new(1);

    fn lease(numbers: std::ops::RangeInclusive<u64>, deaths: u32) -> Lease {
        let one = |number: u64| (number, format!("1-2/{number}/0").parse().unwrap());
        let chunk = Chunk { league: LEAGUE, matches: numbers.map(one).collect() };
        Lease { id: "a".to_owned(), chunk, deaths }
    }

    fn played() -> Ending {
        Ending::Played { record: "{}".to_owned(), replay: None }
    }

    fn at(milliseconds: u64) -> SimTime {
        SimTime::from_millis(milliseconds)
    }

    fn outputs(worker: &mut Worker, now: SimTime, input: Input) -> Vec<String> {
        worker.handle(now, input);
        std::iter::from_fn(|| worker.poll_output())
            .map(|output| match output {
                Output::Heartbeat => "heartbeat".to_owned(),
                Output::Ask(slot) => format!("{slot} asks"),
                Output::Begin(slot, _, number) => format!("{slot} notes {number}"),
                Output::Play { slot, turn, id, .. } => format!("{slot} plays {id} in turn {turn}"),
                Output::Report(_, results) => {
                    let ended = results.iter().map(|result| match result.ending {
                        Ending::GivenUp => format!("{} given up", result.number),
                        _ => result.number.to_string(),
                    });
                    format!("report {}", ended.collect::<Vec<_>>().join(" "))
                }
                Output::Finish(_) => "finish".to_owned(),
                Output::GiveBack(_, begun) => format!("give back {begun:?}"),
                Output::Done => "done".to_owned(),
            })
            .collect()
    }

    #[test]
    fn results_are_reported_together_and_before_the_chunk_is_finished() {
        let mut worker = Worker::new(at(0), 1);
        assert_eq!(outputs(&mut worker, at(0), Input::Tick), ["heartbeat", "0 asks"]);
        let leased = outputs(&mut worker, at(1), Input::Leased(0, Some(lease(5..=7, 0))));
        assert_eq!(leased, ["0 plays 1-2/5/0 in turn 1"]);
        let ended =
            |worker: &mut Worker, now, turn| outputs(worker, at(now), Input::Ended(0, turn, played(), 9));
        assert_eq!(ended(&mut worker, 100, 1), ["0 plays 1-2/6/0 in turn 2"]);
        assert_eq!(worker.wake_at(), Some(at(1_100)));
        assert_eq!(outputs(&mut worker, at(1_100), Input::Tick), ["report 5"]);
        assert_eq!(ended(&mut worker, 1_200, 2), ["0 plays 1-2/7/0 in turn 3"]);
        assert_eq!(ended(&mut worker, 1_300, 3), ["report 6 7", "finish", "0 asks"]);
    }

    #[test]
    fn a_chunk_that_ended_a_worker_is_played_with_care() {
        let mut worker = Worker::new(at(0), 1);
        outputs(&mut worker, at(0), Input::Tick);
        assert_eq!(outputs(&mut worker, at(0), Input::Leased(0, Some(lease(5..=6, 1)))), ["0 notes 5"]);
        let most = MOST_CRASHES;
        let begun = outputs(&mut worker, at(0), Input::Begun(0, most - 1));
        assert_eq!(begun, ["0 plays 1-2/5/0 in turn 1"]);
        assert_eq!(outputs(&mut worker, at(0), Input::Ended(0, 1, played(), 9)), ["report 5", "0 notes 6"]);
        let given_up = outputs(&mut worker, at(0), Input::Begun(0, most));
        assert_eq!(given_up, ["report 6 given up", "finish", "0 asks"]);
    }

    #[test]
    fn a_worker_that_stops_keeps_nothing_to_itself() {
        let mut worker = Worker::new(at(0), 2);
        outputs(&mut worker, at(0), Input::Tick);
        outputs(&mut worker, at(0), Input::Leased(0, Some(lease(1..=2, 0))));
        outputs(&mut worker, at(0), Input::Leased(1, Some(lease(3..=4, 1))));
        outputs(&mut worker, at(0), Input::Begun(1, 0));
        outputs(&mut worker, at(0), Input::Ended(0, 1, played(), 9));
        let stopped = outputs(&mut worker, at(1), Input::Stop);
        assert_eq!(stopped, ["report 1", "give back None", "give back Some(3)", "done"]);
        // The worker has given the matches back: their ends are ignored.
        assert!(outputs(&mut worker, at(2), Input::Ended(1, 2, played(), 9)).is_empty());
        assert_eq!(worker.wake_at(), None);
    }

    #[test]
    fn a_closed_league_is_left_at_once_and_its_last_match_is_not_taken_for_another() {
        let mut worker = Worker::new(at(0), 1);
        outputs(&mut worker, at(0), Input::Tick);
        outputs(&mut worker, at(0), Input::Leased(0, Some(lease(1..=9, 0))));
        assert!(outputs(&mut worker, at(9), Input::Closed(LeagueId::new(2))).is_empty());
        assert_eq!(outputs(&mut worker, at(10), Input::Closed(LEAGUE)), ["finish", "0 asks"]);
        outputs(&mut worker, at(10), Input::Leased(0, Some(lease(10..=11, 0))));
        assert!(outputs(&mut worker, at(10), Input::Ended(0, 1, played(), 9)).is_empty());
        let ended = outputs(&mut worker, at(10), Input::Ended(0, 2, played(), 9));
        assert_eq!(ended, ["0 plays 1-2/11/0 in turn 3"]);
    }

    #[test]
    fn an_empty_queue_is_asked_again_soon_at_first() {
        let mut worker = Worker::new(at(0), 1);
        outputs(&mut worker, at(0), Input::Tick);
        let mut now = at(10);
        let mut pauses = Vec::new();
        for _ in 0..7 {
            assert!(outputs(&mut worker, now, Input::Leased(0, None)).is_empty() && worker.is_idle());
            let ask_at = worker.wake_at().unwrap();
            pauses.push(u64::from(ask_at.since(now).as_millis()));
            now = ask_at;
            assert_eq!(outputs(&mut worker, now, Input::Tick), ["0 asks"]);
        }
        assert_eq!(pauses, [20, 40, 80, 160, 320, 500, 500]);
        outputs(&mut worker, now, Input::Leased(0, Some(lease(1..=1, 0))));
        assert_eq!(outputs(&mut worker, now, Input::Ended(0, 1, played(), 9)).last().unwrap(), "0 asks");
        outputs(&mut worker, now, Input::Leased(0, None));
        assert_eq!(worker.wake_at(), Some(now + ASK_SOON));
    }
}
