//! `conveyor controller`.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use command_line::{Failure, LineBudget};
use game_conveyor::known::{InitialKnowledge, Known};
use game_env::replay::Player;
use game_env::text::escape_hidden_in_lines;
use game_env::{AgentId, Millis, Seed, SimTime, TeamId};
use reference_gm::conveyor::controller::{self, Controller, News};
use reference_gm::conveyor::follower::Follower;
use reference_gm::conveyor::shells::serve_controller;
use reference_gm::printer::Printer;
use tokio::time::timeout;
use viewer::matches::Opening;
use wire::conveyor::{Dialect, name};

use super::super::serving::listen;
use super::super::{LAST_WORDS, Result, print, printer, runtime, stop_signal};
use super::Page;

pub(super) const CONTROLLER_CODES: &str =
    "Exit codes: 0 a player has won; 1 nobody has, or the ports cannot be used; 2 faulty flags";

#[derive(Args)]
pub(crate) struct ControllerFlags {
    /// The port for boards; 0 for any free port.
    #[arg(long, value_name = "PORT", default_value_t = 5000)]
    board_port: u16,
    /// The port for players; 0 for any free port.
    #[arg(long, value_name = "PORT", default_value_t = 5001)]
    player_port: u16,
    /// The address of both ports; 0.0.0.0 admits other machines.
    #[arg(long, value_name = "ADDR", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    listen: IpAddr,
    /// Take the board's lines as a board of this year means them: 2009.
    #[arg(long, value_name = "YEAR")]
    compat: Option<String>,
    /// Begin as soon as one player has come, instead of waiting for both.
    #[arg(long)]
    alone: bool,
    /// Print every move.
    #[arg(long)]
    moves: bool,
    /// The address of a page on which the game is watched, with all that the board has told; port 0 for any free one.
    /// The page stays until Ctrl-C.
    #[arg(long, value_name = "ADDR:PORT")]
    page: Option<String>,
}

pub(super) fn control(flags: &ControllerFlags) -> Result<ExitCode> {
    let dialect: Dialect = match &flags.compat {
        None => Dialect::default(),
        Some(text) => {
            let read: Result<Dialect, _> = text.parse();
            read.map_err(|error| {
                Failure::misuse(
                    format!("invalid --compat: {error}"),
                    "leave it out for a board of this workspace",
                )
            })?
        }
    };
    let settings = controller::Settings { dialect, alone: flags.alone, ..controller::Settings::default() };
    let page = Page::serve::<Known>(flags.page.as_deref())?;
    let matches = page.as_ref().map(|(_, matches)| matches.clone());
    let mut follower = matches
        .map(|matches| Follower::new(move |initial: &InitialKnowledge| matches.open(opening(initial))));
    let began = Instant::now();
    let mut lines = Lines::new(printer(io::stderr())?, flags.moves);
    let runtime = runtime()?;
    let (end, signal) = runtime.block_on(async {
        let (stop, signal) = (stop_signal()?, stop_signal()?);
        let boards = listen(SocketAddr::new(flags.listen, flags.board_port), "--board-port")?;
        let players = listen(SocketAddr::new(flags.listen, flags.player_port), "--player-port")?;
        let places = [&boards, &players].map(|listener| listener.local_addr().ok());
        let [board_place, player_place] =
            places.map(|place| place.map_or_else(|| "?".to_owned(), |place| place.to_string()));
        let mut controller = Controller::new(settings);
        if let [Some(boards), Some(players)] = places {
            controller = controller.with_ports(boards.port(), players.port());
        }
        print(&format!("conveyor: boards on {board_place}, players on {player_place}\n"))?;
        let heard = |news: &News| {
            if let Some(follower) = &mut follower {
                follower.hear(news);
            }
            lines.say(SimTime::from(began.elapsed()), news);
        };
        let end = serve_controller(controller, boards, players, stop, heard).await;
        lines.finish(SimTime::from(began.elapsed())).await;
        Ok::<_, Failure>((end, signal))
    })?;
    print(&format!("{end}\n"))?;
    if let Some(follower) = &mut follower {
        follower.end(&end);
    }
    if let Some((page, _)) = page {
        page.leave(&runtime, signal, end == controller::End::Stopped, "the controller has ended");
    }
    Ok(ExitCode::from(u8::from(!matches!(end, controller::End::Won(_)))))
}

/// The lines about the game. They hold nothing up, and those that everybody who reaches the ports can cause have a
/// limit.
struct Lines {
    err: Printer,
    /// Whether moves are shown.
    moves: bool,
    /// For lines about clients that are neither the board of the game nor its players.
    strangers: LineBudget,
}

impl Lines {
    /// The most lines about strangers in a second.
    const PER_SECOND: u32 = 100;

    fn new(err: Printer, moves: bool) -> Self {
        Self { err, moves, strangers: LineBudget::new(Self::PER_SECOND) }
    }

    fn say(&mut self, now: SimTime, news: &News) {
        self.sum_up(now);
        let is_shown = match news {
            News::Answered { .. } => self.moves,
            // The result is printed at the end.
            News::Won(_) => false,
            News::Begun(_) | News::Joined(_) | News::Left(_) | News::Silent(Some(_)) => true,
            News::BoardCame
            | News::SpareBoard
            | News::BoardLeft(_)
            | News::Silent(None)
            | News::Mute(_)
            | News::Senseless { .. } => self.strangers.take(now),
        };
        if is_shown {
            self.err.say(escape_hidden_in_lines(&news.to_string()));
        }
    }

    /// Says how many lines were not shown in seconds that are over.
    fn sum_up(&mut self, now: SimTime) {
        if let Some(lines) = self.strangers.withheld(now) {
            self.err.say(format_args!("{lines} more lines not shown"));
        }
    }

    /// Waits until the last line is written, unless nobody reads.
    async fn finish(&mut self, now: SimTime) {
        self.sum_up(now + Millis::new(1_000));
        // A reader that is late gets no more.
        let _ = timeout(LAST_WORDS, self.err.drained()).await;
    }
}

/// Returns the match on the page.
fn opening(initial: &InitialKnowledge) -> Opening<Known> {
    let player = |player| Player::new(TeamId::of_lone_agent(player), name(player));
    Opening {
        title: "The controller".to_owned(),
        config: initial.clone(),
        // The board has drawn everything.
        seed: Seed::new(0),
        players: AgentId::all(2).map(player).collect(),
        people: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use game_conveyor::{Action, Answer, Direction};

    use super::*;

    #[derive(Clone, Default)]
    struct Screen(Arc<Mutex<Vec<u8>>>);

    impl Write for Screen {
        fn write(&mut self, text: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(text);
            Ok(text.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn strangers_cause_some_lines_in_a_second_and_hide_none_about_the_game() {
        let screen = Screen::default();
        let mut lines = Lines::new(Printer::new(screen.clone()).unwrap(), true);
        let player = AgentId::new(0);
        let (action, answer) = (Action::Step(Direction::ALL[0]), Answer::Done);
        let now = SimTime::from_millis;
        for _ in 0..150 {
            lines.say(now(10), &News::Senseless { is_board: false, why: "strange".to_owned() });
            lines.say(now(10), &News::Answered { player, action, answer, place: None });
        }
        lines.say(now(20), &News::Joined(player));
        lines.say(now(1_000), &News::Left(player));
        runtime().unwrap().block_on(lines.finish(now(1_000)));
        let shown = String::from_utf8(screen.0.lock().unwrap().clone()).unwrap();
        let count = |text: &str| shown.lines().filter(|line| line.contains(text)).count();
        assert_eq!((count("strange"), count("50 more lines not shown")), (100, 1), "{shown}");
        assert_eq!(shown.lines().count(), 100 + 150 + 1 + 2, "{shown}");
    }
}
