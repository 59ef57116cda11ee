//! What a user sends to end a program that hosts a game.

use std::io;

/// Ready when somebody wants the program to end: Ctrl-C or SIGTERM, which do not end it by themselves from this
/// call on.
///
/// # Errors
///
/// If the system does not let the program listen to them.
///
/// # Panics
///
/// Outside a tokio runtime.
#[cfg(unix)]
pub fn stop() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Ready when somebody wants the program to end: Ctrl-C, which does not end it by itself from this call on.
///
/// # Errors
///
/// If the system does not let the program listen to it.
///
/// # Panics
///
/// Outside a tokio runtime.
#[cfg(not(unix))]
pub fn stop() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    Ok(async move {
        let _ = interrupt.recv().await;
    })
}
