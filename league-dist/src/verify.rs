//! Verifies results of workers: threads that play matches of the league again and compare.
//!
//! A match in process takes the same course every time, so a result that differs is false. Which results are verified
//! is chosen elsewhere: see [`sample`](crate::sample). What follows from a false result is decided by
//! [`coordinate`](mod@crate::coordinate).

use std::io;
use std::num::{NonZeroU32, NonZeroUsize};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use game_env::Seed;
use game_env::matches::{MatchRecord, MatchSpec};
use game_env::text::fit_for_a_log;
use league::executor::{Executor, difference};
use league::schedule::MatchId;
use strategies::programs::has_programs;

use crate::dispatch::{Ending, WorkerName};
use crate::serve::play;

/// Returns whether a match ends as it should in a process of its own: see [`league::alone`].
///
/// # Errors
///
/// If the process cannot be started.
pub type Survives = dyn Fn(&MatchSpec) -> io::Result<bool> + Send + Sync;

/// Settings of the verification of results.
#[derive(Clone)]
pub struct Verification {
    /// Plays the matches again. It plays the same as the workers' programs.
    pub executor: Arc<dyn Executor + Send + Sync>,
    /// Tries the matches that workers have given up, before this process plays them.
    pub survives: Arc<Survives>,
    /// One result in this number is verified; none to verify none.
    pub every: Option<NonZeroU32>,
    /// Seed of the choice of results. No worker may know it.
    pub seed: Seed,
    /// The number of matches that are played again at a time.
    pub jobs: NonZeroUsize,
}

/// A result to verify.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    pub(crate) number: u64,
    pub(crate) worker: WorkerName,
    pub(crate) spec: MatchSpec,
    pub(crate) said: Statement,
}

/// The statement of a worker about a match.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// It was played, with this record and this replay, if the league keeps replays.
    Played(Box<MatchRecord>, Option<Vec<u8>>),
    /// It cannot be played, with the reason.
    Unplayable(String),
    /// The match of this id was given up: it has ended the processes that played it.
    GivenUp(MatchId),
}

/// The verdict on a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Finding {
    /// It is true.
    True,
    /// It is false, with the difference.
    False(String),
    /// The match cannot be played here, for this reason: that says nothing about the worker.
    Unverifiable(String),
    /// A match that was given up ends like this here.
    Ends(Ending),
}

/// Threads that verify claims, as many at a time as there are threads. They end with this value, each after its match.
pub(crate) struct Verifier {
    claims: Sender<Claim>,
    findings: Receiver<(Claim, Finding)>,
    under_way: usize,
    threads: usize,
}

/// The number of claims for each thread of a verifier from which on it is busy.
const CLAIMS_PER_THREAD: usize = 4;

impl Verifier {
    pub(crate) fn start(verification: &Verification, keeps_replays: bool) -> io::Result<Self> {
        let (claims, received) = mpsc::channel::<Claim>();
        let (sender, findings) = mpsc::channel();
        let received = Arc::new(Mutex::new(received));
        for thread in 0..verification.jobs.get() {
            let (verification, received, sender) =
                (verification.clone(), Arc::clone(&received), sender.clone());
            let work = move || {
                loop {
                    let claim = received.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(claim) = claim else { return };
                    let finding = verify(&verification, &claim, keeps_replays);
                    if sender.send((claim, finding)).is_err() {
                        return;
                    }
                }
            };
            thread::Builder::new().name(format!("verifier {thread}")).spawn(work)?;
        }
        Ok(Self { claims, findings, under_way: 0, threads: verification.jobs.get() })
    }

    /// Verifies this claim as soon as a thread is free.
    pub(crate) fn verify(&mut self, claim: Claim) {
        // The threads end only with this value.
        if self.claims.send(claim).is_ok() {
            self.under_way += 1;
        }
    }

    /// Returns the next finding; none if there is none within this time.
    pub(crate) fn next_finding(&mut self, within: Duration) -> Option<(Claim, Finding)> {
        let found = self.findings.recv_timeout(within).ok()?;
        self.under_way -= 1;
        Some(found)
    }

    /// Returns whether there are so many claims already that further results had better wait.
    pub(crate) fn is_busy(&self) -> bool {
        self.under_way > self.threads * CLAIMS_PER_THREAD
    }

    /// Returns whether there is nothing to verify.
    pub(crate) fn is_idle(&self) -> bool {
        self.under_way == 0
    }
}

/// Plays the match of a claim again, and compares.
fn verify(verification: &Verification, claim: &Claim, keeps_replays: bool) -> Finding {
    let is_given_up = matches!(claim.said, Statement::GivenUp(_));
    // The worker is believed if no process can be started.
    if is_given_up && !matches!((verification.survives)(&claim.spec), Ok(true)) {
        return Finding::Ends(Ending::GivenUp);
    }
    let own = play(&*verification.executor, &claim.spec, keeps_replays);
    match (&claim.said, own) {
        (Statement::GivenUp(_), own) => Finding::Ends(own),
        (Statement::Unplayable(_), Ending::Unplayable(_)) => Finding::True,
        (Statement::Unplayable(reason), _) => {
            let reason = fit_for_a_log(reason);
            Finding::False(format!("it says that the match cannot be played ({reason}), and it can"))
        }
        (Statement::Played(record, replay), Ending::Played { record: own, replay: own_replay }) => {
            match own.parse::<MatchRecord>() {
                Ok(own) => {
                    let differs = difference(record, &comparable(record, own))
                        .or_else(|| (*replay != own_replay).then(|| "it has another replay".to_owned()));
                    differs.map_or(Finding::True, Finding::False)
                }
                Err(error) => Finding::Unverifiable(format!("its record here is faulty: {error}")),
            }
        }
        (Statement::Played(..), Ending::Unplayable(reason)) => Finding::Unverifiable(reason),
        (Statement::Played(..), Ending::GivenUp) => Finding::True,
    }
}

/// Returns the coordinator's own record as it is compared with that of a worker: the reports about a program can have
/// the end of its standard error, which names folders of its machine, so they are taken from the worker. Their number
/// is compared.
fn comparable(said: &MatchRecord, own: MatchRecord) -> MatchRecord {
    if !has_programs(&own.spec.entrants) || own.first_blunders.len() != said.first_blunders.len() {
        return own;
    }
    MatchRecord { first_blunders: said.first_blunders.clone(), ..own }
}

#[cfg(test)]
mod tests {
    use game_env::Termination;
    use league::executor::{CannotPlay, Played};
    use league::in_process::InProcess;

    use super::*;

    fn claim(said: impl FnOnce(MatchRecord, Option<Vec<u8>>) -> Statement) -> Claim {
        let spec = MatchSpec {
            game: "dots".to_owned(),
            config: game_env::Parameters::new(),
            seed: Seed::new(7),
            entrants: vec!["greedy".to_owned(), "random".to_owned()],
            limits: game_env::matches::MatchLimits::default(),
        };
        let played = InProcess::new("tests").play(&spec, true).unwrap();
        let worker = WorkerName::from("ann".to_owned());
        Claim { number: 1, worker, spec, said: said(played.record, played.replay) }
    }

    #[test]
    fn a_false_claim_is_told_from_a_true_one() {
        let told = |claim: &Claim, survives: bool| {
            let verification = Verification {
                executor: Arc::new(InProcess::new("tests")),
                survives: Arc::new(move |_| Ok(survives)),
                every: None,
                seed: Seed::new(1),
                jobs: NonZeroUsize::MIN,
            };
            match verify(&verification, claim, true) {
                Finding::True => "true".to_owned(),
                Finding::False(why) | Finding::Unverifiable(why) => why,
                Finding::Ends(ending) => format!("{ending:?}").chars().take(6).collect(),
            }
        };
        let of = |claim: &Claim| told(claim, true);
        assert_eq!(of(&claim(|record, replay| Statement::Played(Box::new(record), replay))), "true");
        let other = claim(|mut record, replay| {
            record.hash += 1;
            Statement::Played(Box::new(record), replay)
        });
        assert!(of(&other).starts_with("it took another course: stored "), "{}", of(&other));
        assert_eq!(
            of(&claim(|record, _| Statement::Played(Box::new(record), None))),
            "it has another replay"
        );
        let unplayable = claim(|_, _| Statement::Unplayable("no such game".to_owned()));
        assert_eq!(of(&unplayable), "it says that the match cannot be played (no such game), and it can");
        let given_up = claim(|_, _| Statement::GivenUp("1-2/1/0".parse().unwrap()));
        assert_eq!(
            (told(&given_up, false), told(&given_up, true)),
            ("GivenU".to_owned(), "Played".to_owned())
        );
        let mut unknown = unplayable;
        unknown.spec.game = "chess".to_owned();
        assert_eq!(of(&unknown), "true");
    }

    /// A machine that fails a match plays it with another end each time.
    struct Fails;

    impl Executor for Fails {
        fn name(&self) -> &'static str {
            InProcess::NAME
        }

        fn program(&self) -> &'static str {
            "tests"
        }

        fn play(&self, spec: &MatchSpec, with_replay: bool) -> Result<Played, CannotPlay> {
            let mut played = InProcess::new("tests").play(spec, with_replay)?;
            played.record.outcome.termination = Termination::HostFault;
            Ok(played)
        }
    }

    #[test]
    fn a_failure_of_this_machine_says_nothing_about_a_claim() {
        let verification = Verification {
            executor: Arc::new(Fails),
            survives: Arc::new(|_| Ok(true)),
            every: None,
            seed: Seed::new(1),
            jobs: NonZeroUsize::MIN,
        };
        let claim = claim(|record, replay| Statement::Played(Box::new(record), replay));
        let why = "the machine has failed it: it was too slow".to_owned();
        assert_eq!(verify(&verification, &claim, true), Finding::Unverifiable(why));
    }

    /// A program that crashes names its folder, which is another one on each machine.
    #[test]
    fn reports_of_programs_may_differ_in_their_text_alone() {
        let played = |entrant: &str, blunder: &str| {
            let mut spec = claim(|_, _| Statement::Unplayable(String::new())).spec;
            let mut record = InProcess::new("tests").play(&spec, false).unwrap().record;
            spec.entrants[0] = entrant.to_owned();
            (record.spec, record.blunders, record.first_blunders) = (spec, 1, vec![blunder.to_owned()]);
            record
        };
        let differs = |said: &MatchRecord, own| difference(said, &comparable(said, own));
        let said = played("python3 agent.py", "ended in /home/ann");
        assert_eq!(differs(&said, played("python3 agent.py", "ended in /home/bob")), None);
        let other = MatchRecord { hash: said.hash + 1, ..said.clone() };
        assert!(differs(&said, other).is_some_and(|why| why.starts_with("it took another course")));
        let silent = MatchRecord { first_blunders: Vec::new(), ..said.clone() };
        assert!(differs(&said, silent).is_some(), "one has reported nothing");
        let [said, own] = ["ann", "bob"].map(|who| played("greedy", who));
        assert!(differs(&said, own).is_some(), "strategies report the same everywhere");
    }
}
