//! Panics of strategies: caught, and told by whoever reports blunders instead of Rust's panic hook.
//!
//! Without this the hook would print a report of its own for each, with a backtrace if the environment says so, in
//! the middle of whatever else is on the screen; a strategy that panics does so at every turn. The hook is put in
//! place when the first strategy is asked. While a strategy is at work on a thread, it prints nothing there and
//! keeps the place; all other panics are told as ever, by the hook that was there before.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Once;
use std::task::Poll;

thread_local! {
    /// Whether a strategy is at work on this thread.
    static IS_AT_WORK: Cell<bool> = const { Cell::new(false) };
    /// Where it panicked last.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

fn silence() {
    static SILENCED: Once = Once::new();
    SILENCED.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if IS_AT_WORK.get() {
                PLACE.set(info.location().map(ToString::to_string).unwrap_or_default());
            } else {
                usual(info);
            }
        }));
    });
}

/// What a strategy makes of a call, or what it said when it panicked, and where.
///
/// What the call leaves behind is looked at by nobody but the strategy itself.
pub(crate) fn catch<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    silence();
    // A strategy may play whole games of its own in its head.
    let outer = IS_AT_WORK.replace(true);
    let done = catch_unwind(AssertUnwindSafe(call));
    IS_AT_WORK.set(outer);
    done.map_err(|panic| in_words(&*panic))
}

/// As [`catch`], of a call that may take its time.
pub(crate) async fn catch_async<T>(call: impl Future<Output = T>) -> Result<T, String> {
    let mut call = pin!(call);
    poll_fn(|context| match catch(|| call.as_mut().poll(context)) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
        Err(message) => Poll::Ready(Err(message)),
    })
    .await
}

fn in_words(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
    match PLACE.take() {
        // It did not begin here, or somebody has put another hook in place.
        place if place.is_empty() => message.to_owned(),
        place => format!("{message} ({place})"),
    }
}
