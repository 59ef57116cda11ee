//! Catches panics of policies, so that one agent's mistake does not end a whole program.
//!
//! A panic is caught whatever the program's panic hook is. Rust's usual hook prints a report for each panic, in the
//! middle of other output; a policy that panics may do so at every turn. A program that reports these panics itself
//! calls [`quiet_hook`] once; a library never does.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Once;
use std::task::Poll;

thread_local! {
    /// Whether a policy is at work on this thread.
    static IS_AT_WORK: Cell<bool> = const { Cell::new(false) };
    /// The place of the last panic of a policy.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes the program's panic hook ignore the panics that are caught here, and adds their places to their messages.
///
/// For programs. All other panics go to the previous hook. Further calls do nothing.
pub fn quiet_hook() {
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

/// Calls code of a policy.
///
/// If the call panics, values that it was changing may be half changed; the caller must not use them.
///
/// # Errors
///
/// Returns the message of a panic; after [`quiet_hook`] with its place.
pub fn catch<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    // A policy may play whole games of its own, with calls of this function inside this one.
    let outer = IS_AT_WORK.replace(true);
    let done = catch_unwind(AssertUnwindSafe(call));
    IS_AT_WORK.set(outer);
    done.map_err(|panic| message(&*panic))
}

/// As [`catch`], for a future.
///
/// # Errors
///
/// As [`catch`].
pub async fn catch_async<T>(call: impl Future<Output = T>) -> Result<T, String> {
    let mut call = pin!(call);
    poll_fn(|context| match catch(|| call.as_mut().poll(context)) {
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(done)) => Poll::Ready(Ok(done)),
        Err(message) => Poll::Ready(Err(message)),
    })
    .await
}

fn message(panic: &(dyn Any + Send)) -> String {
    let message = panic.downcast_ref::<String>().map(String::as_str);
    let message = message.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a message");
    match PLACE.take() {
        // The program has another hook.
        place if place.is_empty() => message.to_owned(),
        place => format!("{message} ({place})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(call: impl FnOnce()) -> String {
        catch(call).unwrap_err()
    }

    #[test]
    fn a_message_has_its_place_where_the_hook_tells_it() {
        // No other test of this binary sets the hook.
        assert_eq!(told(|| panic!("a mistake")), "a mistake");
        assert_eq!(told(|| panic!("mistake {}", 2)), "mistake 2");
        assert_eq!(told(|| panic::panic_any(3)), "without a message");
        quiet_hook();
        let (line, message) = (line!(), told(|| panic!("a mistake")));
        let place = format!("a mistake ({}:{line}:", file!());
        assert!(message.starts_with(&place) && message.ends_with(')'), "{message}");
        // An inner panic that was caught does not end the outer call: a later panic of the outer policy has its place,
        // too.
        let line = line!() + 1;
        let nested = told(|| assert_eq!(told(|| panic!("within")), "nothing"));
        assert!(nested.contains(&format!("({}:{line}:", file!())), "{nested}");
    }
}
