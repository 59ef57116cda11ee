//! `league-dist cancel`: drops what is pending of a league.

use command_line::{Failure, print, shown};
use league_dist::origin::QueueOrigin;

use super::arguments::Asking;
use super::open_existing;

pub(crate) fn start(asking: &Asking) -> Result<(), Failure> {
    let queue = QueueOrigin::read(&asking.folder)?;
    open_existing(&queue.queue)?.close(queue.league)?;
    print(&format!(
        "cancelled; what was played is in {}, and `league-dist run` with the same file goes on with it\n",
        shown(&asking.folder)
    ))
}
