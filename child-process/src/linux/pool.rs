//! The idle children of a pool, and the thread that starts and watches all of them.

use std::io;
use std::process;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::piped::Piped;
use crate::child::{Guard, SpawnError};
use crate::command::{Command, Stream};

/// The time in which a child may end by itself, from the end of its input on, before it is stopped.
const AFTER_INPUT: Duration = Duration::from_secs(2);

/// A pool. Clones are the same one.
#[derive(Clone, Debug)]
pub(crate) struct Pool(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    guard: Guard,
    /// The process that made the pool. A fork has copies of the pipes, and no thread.
    owner: u32,
    /// The longest time from the end of a stream to the report of a child's end.
    report_limit: Duration,
    /// Children that were given back, the oldest first.
    idle: Mutex<Vec<Piped>>,
    /// Started with the first child.
    thread: Mutex<Option<Thread>>,
}

/// The thread of a pool. It ends when all children have ended and the channel is closed.
#[derive(Debug)]
struct Thread {
    requests: mpsc::UnboundedSender<Request>,
    handle: JoinHandle<()>,
}

/// A child to be started.
#[derive(Debug)]
struct Request {
    command: Command,
    report_limit: Duration,
    reply: SyncSender<Result<Piped, SpawnError>>,
}

impl Pool {
    pub(crate) fn new(guard: Guard, report_limit: Duration) -> Self {
        let (owner, idle, thread) = (process::id(), Mutex::default(), Mutex::default());
        Self(Arc::new(Inner { guard, owner, report_limit, idle, thread }))
    }

    pub(crate) fn take(&self, command: &Command) -> Result<Piped, SpawnError> {
        let failed = |source| SpawnError::Guard { program: self.0.guard.program().to_owned(), source };
        if self.0.is_of_another_process() {
            return Err(failed(is_a_fork()));
        }
        while let Some(piped) = self.take_idle(command) {
            if piped.is_running() {
                return Ok(piped);
            }
        }
        let (reply, answer) = sync_channel(1);
        let request = Request { command: command.clone(), report_limit: self.0.report_limit, reply };
        self.send(request).map_err(failed)?;
        answer.recv().map_err(|_| failed(thread_has_ended()))?
    }

    pub(crate) fn give_back(&self, mut piped: Piped) {
        if !(piped.is_in_step() && piped.is_running()) {
            return;
        }
        piped.set_given_back();
        let mut idle = lock(&self.0.idle);
        let mut equal = idle.iter().enumerate().filter(|(_, other)| other.command() == piped.command());
        let oldest = equal.next().map(|(place, _)| place);
        let surplus = oldest.filter(|_| equal.count() + 1 >= crate::Pool::MOST_IDLE);
        let surplus = surplus.map(|place| idle.remove(place));
        idle.push(piped);
        drop(idle);
        drop(surplus);
    }

    /// Takes the child that was given back last: the system has most of it in its caches.
    fn take_idle(&self, command: &Command) -> Option<Piped> {
        let mut idle = lock(&self.0.idle);
        let place = idle.iter().rposition(|piped| piped.command() == command)?;
        Some(idle.remove(place))
    }

    /// Sends a request to the thread, and starts the thread if this is the first one.
    fn send(&self, request: Request) -> io::Result<()> {
        let mut thread = lock(&self.0.thread);
        let thread = match &mut *thread {
            Some(thread) => thread,
            nothing => nothing.insert(Thread::start(self.0.guard.clone())?),
        };
        thread.requests.send(request).map_err(|_| thread_has_ended())
    }
}

impl Inner {
    /// Returns whether this process is a fork of the one that made the pool.
    fn is_of_another_process(&self) -> bool {
        self.owner != process::id()
    }
}

/// Stops all children, and waits until none of their processes is left. In a fork it leaves them alone.
impl Drop for Inner {
    fn drop(&mut self) {
        let is_of_another_process = self.is_of_another_process();
        self.idle.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if is_of_another_process {
            // There is no thread to wait for.
            std::mem::forget(thread);
        } else if let Some(Thread { requests, handle }) = thread {
            drop(requests);
            // The panic of a thread was already written to standard error.
            let _ = handle.join();
        }
    }
}

impl Thread {
    fn start(guard: Guard) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (requests, received) = mpsc::unbounded_channel();
        let handle = thread::Builder::new().name("child-pool".to_owned());
        let handle = handle.spawn(move || runtime.block_on(serve(guard, received)))?;
        Ok(Self { requests, handle })
    }
}

/// Starts the children that are asked for, until the channel is closed; then stops all of them.
async fn serve(guard: Guard, mut requests: mpsc::UnboundedReceiver<Request>) {
    let (is_open, pool) = watch::channel(());
    let mut children = JoinSet::new();
    loop {
        tokio::select! {
            request = requests.recv() => match request {
                Some(request) => {
                    children.spawn(attend(guard.clone(), request, pool.clone()));
                }
                None => break,
            },
            Some(_) = children.join_next() => {}
        }
    }
    drop(is_open);
    while children.join_next().await.is_some() {}
}

/// Starts a child, and waits until the child has ended, or the child or its pool is dropped. Then stops the child, and
/// waits until all its processes are gone. A child that is dropped between two exchanges first reads the end of its
/// input, and has the time [`AFTER_INPUT`] to end by itself.
async fn attend(guard: Guard, request: Request, mut pool: watch::Receiver<()>) {
    let Request { command, report_limit, reply } = request;
    let piped = Command { input: Stream::Piped, output: Stream::Piped, ..command.clone() };
    let mut child = match guard.spawn(&piped).await {
        Ok(child) => child,
        Err(error) => {
            let _ = reply.send(Err(error));
            return;
        }
    };
    let (is_held, dropped) = oneshot::channel();
    match Piped::new(command, report_limit, &mut child, is_held) {
        Ok((piped, end)) => {
            // The caller waits for this.
            let _ = reply.send(Ok(piped));
            tokio::select! {
                // Idle children are dropped before their pool.
                biased;
                _ = child.ended() => {}
                dropped = dropped => if dropped.is_err() {
                    let _ = timeout(AFTER_INPUT, child.ended()).await;
                },
                _ = pool.changed() => {}
            }
            // A child that has ended is not stopped any more.
            child.stop();
            end.tell(child.ended().await);
        }
        Err(source) => {
            child.stop();
            child.ended().await;
            let _ = reply.send(Err(SpawnError::Guard { program: guard.program().to_owned(), source }));
        }
    }
}

pub(super) fn is_a_fork() -> io::Error {
    io::Error::other("a fork cannot use the programs of its parent: start them in each process")
}

fn thread_has_ended() -> io::Error {
    io::Error::other("the thread of its pool has ended")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
