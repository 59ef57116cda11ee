//! One duel: moves bytes between the referee and two programs, reads the clock, and decides nothing.

use std::future::pending;
use std::io;
use std::path::Path;
use std::time::Duration;

use child_process::{Command, Ended, Guard, Isolation, SpawnError};
use game_bricks::State;
use game_env::{AgentId, SimTime, Witness};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use wire::bricks::{Gone, Input, Output, Referee, Settings, Verdict};

use super::config::Confine;
use super::program::{Program, ProgramEvent};

/// A duel that was played.
#[derive(Debug)]
pub struct Played {
    /// The last state of the game.
    pub state: State,
    /// The winner, and the reason.
    pub verdict: Verdict,
    /// The end of each program; none for one that was never started.
    pub programs: [Option<Ended>; 2],
    /// Duration of the duel, with the start and the end of both programs.
    pub took: Duration,
}

/// A reason for which a duel cannot be played, through no player's fault.
#[derive(Debug, thiserror::Error)]
pub enum DuelError {
    /// Programs cannot be started here.
    #[error(transparent)]
    Guard(#[from] SpawnError),
    /// The dialect has no words for the board.
    #[error(transparent)]
    Board(#[from] wire::bricks::dialect::NotExpressible),
}

/// The condition under which the next move begins.
#[derive(Debug)]
pub enum Gate {
    /// Nothing is waited for, except that moves are this far apart at least.
    Open(Duration),
    /// Each move waits for a message.
    Closed(mpsc::Receiver<()>),
}

impl Gate {
    /// Ready when the next move may begin; the last one began at `since`. A gate whose messages cannot come any more
    /// is open.
    async fn pass(&mut self, since: Option<Instant>) {
        match self {
            Self::Open(pace) => {
                if let Some(since) = since.filter(|_| !pace.is_zero()) {
                    sleep_until(since + *pace).await;
                }
            }
            Self::Closed(keys) => {
                if keys.recv().await.is_none() {
                    *self = Self::Open(Duration::ZERO);
                }
            }
        }
    }
}

/// Plays a duel that begins at this state. The witness gets every move; the duel ends early when `stop` becomes true.
///
/// Afterwards no process of the programs is left.
///
/// # Errors
///
/// If it cannot be played here. What goes wrong with a player is in the verdict.
pub async fn play(
    guard: &Guard,
    settings: Settings,
    state: State,
    commands: &[Command; 2],
    gate: &mut Gate,
    stop: &mut watch::Receiver<bool>,
    witness: &mut impl Witness<State>,
) -> Result<Played, DuelError> {
    let began = Instant::now();
    let mut table = Table {
        referee: Referee::new(settings, state)?,
        guard,
        commands,
        programs: [None, None],
        farewells: [Vec::new(), Vec::new()],
        waits: false,
        is_over: false,
        began,
    };
    table.carry_out(witness).await?;
    let (mut moved, mut can_stop) = (None, true);
    while !table.is_over {
        let reads = [0, 1].map(|player| table.referee.reads(AgentId::new(player)));
        let wake = table.referee.wake_at().map(|wake| began + Duration::from(wake));
        let [first, second] = &mut table.programs;
        let input = tokio::select! {
            biased;
            // First: programs may always have something to read.
            stopped = stop.wait_for(|stop| *stop), if can_stop => {
                can_stop = false;
                if stopped.is_ok() { Event::Stop } else { continue }
            }
            happening = next(first, reads[0]) => Event::Of(AgentId::new(0), happening),
            happening = next(second, reads[1]) => Event::Of(AgentId::new(1), happening),
            () = gate.pass(moved), if table.waits => Event::Go,
            () = sleep_until(wake.unwrap_or(began)), if wake.is_some() => Event::Tick,
        };
        if matches!(input, Event::Go) {
            moved = Some(Instant::now());
            table.waits = false;
        }
        table.take(&input, witness);
        table.carry_out(witness).await?;
    }
    let Table { referee, programs: [first, second], farewells, .. } = table;
    let grace = [0, 1].map(|player: usize| commands[player].grace);
    let [to_first, to_second] = &farewells;
    let (first, second) =
        tokio::join!(dismiss(first, to_first, grace[0]), dismiss(second, to_second, grace[1]));
    let verdict = referee.verdict().cloned().expect("the referee is done");
    Ok(Played { state: referee.state().clone(), verdict, programs: [first, second], took: began.elapsed() })
}

/// An event that ends a round of waiting in the loop.
enum Event {
    Of(AgentId, ProgramEvent),
    Go,
    Stop,
    Tick,
}

struct Table<'a> {
    referee: Referee,
    guard: &'a Guard,
    commands: &'a [Command; 2],
    programs: [Option<Program>; 2],
    farewells: [Vec<u8>; 2],
    /// Whether the next move waits at the gate.
    waits: bool,
    is_over: bool,
    began: Instant,
}

impl Table<'_> {
    fn now(&self) -> SimTime {
        self.began.elapsed().into()
    }

    fn take(&mut self, event: &Event, witness: &mut impl Witness<State>) {
        let input = match event {
            Event::Of(player, ProgramEvent::Wrote(bytes)) => Input::Received(*player, bytes),
            Event::Of(player, ProgramEvent::Written) => Input::Written(*player),
            Event::Of(player, ProgramEvent::Gone(gone)) => Input::Gone(*player, gone.clone()),
            Event::Go => Input::Go,
            Event::Stop => Input::Stop,
            Event::Tick => Input::Tick,
        };
        self.referee.handle(self.now(), input, witness);
    }

    /// Carries out all outputs of the referee.
    async fn carry_out(&mut self, witness: &mut impl Witness<State>) -> Result<(), SpawnError> {
        while let Some(output) = self.referee.poll_output() {
            match output {
                Output::Start(player) => self.start(player, witness).await?,
                Output::Write(player, line) => {
                    if let Some(program) = &mut self.programs[player.index()] {
                        program.write(&line);
                    }
                }
                Output::Ready(_) => self.waits = true,
                Output::Farewell(player, line) => self.farewells[player.index()] = line,
                Output::Done => self.is_over = true,
            }
        }
        Ok(())
    }

    async fn start(&mut self, player: AgentId, witness: &mut impl Witness<State>) -> Result<(), SpawnError> {
        let input = match Program::start(self.guard, &self.commands[player.index()]).await {
            Ok(program) => {
                self.programs[player.index()] = Some(program);
                Input::Started(player)
            }
            Err(error @ (SpawnError::Folder { .. } | SpawnError::Nul { .. })) => {
                Input::Gone(player, Gone::CannotStart(error.to_string()))
            }
            Err(error) => return Err(error),
        };
        self.referee.handle(self.now(), input, witness);
        Ok(())
    }
}

async fn next(program: &mut Option<Program>, reads: bool) -> ProgramEvent {
    match program {
        Some(program) => program.next(reads).await,
        None => pending().await,
    }
}

async fn dismiss(program: Option<Program>, farewell: &[u8], grace: Duration) -> Option<Ended> {
    match program {
        Some(program) => Some(program.dismiss(farewell, grace).await),
        None => None,
    }
}

/// Returns the confinement of players' programs here, if any, and a warning if they are confined less than they could
/// be.
///
/// # Errors
///
/// If they must be confined and cannot.
pub fn isolation<'a>(
    confine: Confine,
    guard: &Guard,
    folders: impl IntoIterator<Item = &'a Path>,
) -> io::Result<(Option<Isolation>, Option<String>)> {
    if confine == Confine::Never {
        return Ok((None, None));
    }
    if let Err(why) = child_process::check_confinement() {
        return match confine {
            Confine::Auto => {
                Ok((None, Some(format!("players' programs can read and write all that you can: {why}"))))
            }
            _ => Err(io::Error::other(why)),
        };
    }
    match guard.check_namespaces(folders) {
        Ok(()) => Ok((Some(Isolation::Namespaces), None)),
        Err(why) if confine == Confine::Namespaces => Err(io::Error::other(why)),
        Err(why) => {
            let warning = format!("players' programs are confined without namespaces: {why}");
            Ok((Some(Isolation::Filters), Some(warning)))
        }
    }
}
