//! The status line for people who watch the server.

use std::io::Write;
use std::time::Duration;

use crate::router::Totals;
use crate::server::Live;

/// Time between two writes of the line.
const INTERVAL: Duration = Duration::from_secs(1);

/// Rewrites one line on a terminal every second; never ends. `terminal` must not block: the relay is on the same
/// thread.
pub async fn show(live: Live, mut terminal: impl Write) {
    let mut before = live.totals();
    loop {
        tokio::time::sleep(INTERVAL).await;
        let now = live.totals();
        // The line is cleared and written, and the cursor returns to the first column: the next line of the log
        // overwrites the status line, which is written again below. A single write, so that no line of the log comes
        // in between.
        let text = format!("\r\x1b[K{}\r", line(&before, &now));
        let _ = terminal.write_all(text.as_bytes()).and_then(|()| terminal.flush());
        before = now;
    }
}

/// Returns the status line. `before` are the totals of a second before `now`.
pub fn line(before: &Totals, now: &Totals) -> String {
    let agents = match now.agents {
        1 => "1 agent".to_owned(),
        many => format!("{many} agents"),
    };
    let gm = if now.gm { "" } else { ", no game master" };
    let messages = (now.to_gm + now.to_agents) - (before.to_gm + before.to_agents);
    format!("{agents}{gm}, {messages} messages/s, {} invalid", now.invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_who_is_there_and_how_much_is_going_on() {
        let before = Totals { to_gm: 10, to_agents: 5, ..Totals::default() };
        let now = Totals { agents: 40, gm: true, to_gm: 1010, to_agents: 505, invalid: 2, ..before };
        assert_eq!(line(&before, &now), "40 agents, 1500 messages/s, 2 invalid");
        let now = Totals { agents: 1, ..before };
        assert_eq!(line(&before, &now), "1 agent, no game master, 0 messages/s, 0 invalid");
    }
}
