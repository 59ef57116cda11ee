//! `league-dist cancel`: drops the pending matches of a league.

use command_line::{Failure, print, shown};
use league_dist::origin::QueueOrigin;

use super::arguments::Asking;
use super::open_existing;

pub(crate) fn start(asking: &Asking) -> Result<(), Failure> {
    let queue = QueueOrigin::read(&asking.folder)?;
    let mut dispatch = open_existing(&queue.queue)?;
    let is_open = dispatch.is_open(queue.league)?;
    dispatch.close(queue.league)?;
    let folder = shown(&asking.folder);
    print(&if is_open {
        format!(
            "cancelled; what was played is in {folder}, and `league-dist run` with the same file goes on with it\n"
        )
    } else {
        format!("nothing is pending: the league in {folder} is over, or was cancelled before\n")
    })
}
