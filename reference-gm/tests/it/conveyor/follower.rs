//! A controller's game on the page: the board's own state, as far as the board has sent it.

use game_conveyor::known::{Heard, InitialKnowledge, Known, KnownEvent};
use game_conveyor::{Action, Config, Direction, Field, State, Steps};
use game_env::{AgentId, Disruption, Environment as _, Seed, SimTime, Turn, Witness};
use reference_gm::conveyor::board::{self, Board};
use reference_gm::conveyor::controller::{self, Controller, End, Input, News};
use reference_gm::conveyor::follower::Follower;
use reference_gm::server::ConnectionId;
use wire::conveyor::Request;

const BOARD: ConnectionId = ConnectionId(0);
const PLAYERS: [ConnectionId; 2] = [ConnectionId(1), ConnectionId(2)];

/// Keeps all inputs and events, as text.
#[derive(Default)]
struct Shown {
    inputs: Vec<String>,
    has_ended: bool,
}

impl Witness<Known> for Shown {
    fn action(&mut self, _: &Known, _: SimTime, player: AgentId, heard: &Heard) {
        self.inputs.push(format!("{player} {heard}"));
    }

    fn disruption(&mut self, _: &Known, _: SimTime, disruption: Disruption) {
        self.inputs.push(format!("{disruption:?}"));
    }

    fn event(&mut self, _: SimTime, event: &KnownEvent) {
        self.inputs.push(format!("  {event}"));
    }

    fn end(&mut self, _: &Known, _: SimTime) {
        self.has_ended = true;
    }
}

/// A board, its controller, and a page.
struct Harness<F> {
    board: Board,
    controller: Controller,
    follower: Follower<F, Shown>,
    end: Option<End>,
}

fn harness(config: Config, seed: u64) -> Harness<impl FnMut(&InitialKnowledge) -> Shown> {
    let board = Board::new(board::Settings::default(), State::new(&config, Seed::new(seed)));
    let controller = Controller::new(controller::Settings::default());
    let mut harness = Harness {
        board,
        controller,
        follower: Follower::new(|_: &InitialKnowledge| Shown::default()),
        end: None,
    };
    for player in PLAYERS {
        harness.handle(Input::Player(player));
        harness.handle(Input::Received(player, b"HAI\r\n"));
    }
    assert!(harness.follower.state().is_none());
    harness.handle(Input::Board(BOARD));
    harness
}

impl<F: FnMut(&InitialKnowledge) -> Shown> Harness<F> {
    /// Board and controller speak until nothing is left to say.
    fn handle(&mut self, input: Input<'_>) {
        let now = SimTime::START;
        self.controller.handle(now, input);
        while let Some(output) = self.controller.poll_output() {
            match output {
                controller::Output::Send(BOARD, line) => {
                    let line = line.strip_suffix(b"\r\n").unwrap();
                    self.board.handle(now, board::Input::Line(Ok(line)), &mut ());
                    while let Some(output) = self.board.poll_output() {
                        match output {
                            board::Output::Send(bytes) => {
                                self.controller.handle(now, Input::Received(BOARD, &bytes));
                            }
                            board::Output::Report(_) => {}
                            board::Output::Done(_) => self.controller.handle(now, Input::Ended(BOARD)),
                        }
                    }
                }
                controller::Output::Send(..) | controller::Output::Close(_) => {}
                controller::Output::Report(news) => self.follower.hear(&news),
                controller::Output::Done(end) => {
                    self.follower.end(&end);
                    self.end = Some(end);
                }
            }
        }
    }

    fn ask(&mut self, player: usize, action: Action) {
        let line = format!("{}\r\n", Request::Want(action).line());
        self.handle(Input::Received(PLAYERS[player], line.as_bytes()));
    }

    fn known(&self) -> &Known {
        self.follower.state().expect("the game has begun")
    }
}

#[test]
fn the_page_knows_where_everybody_is_until_somebody_wins() {
    let mut wins = 0;
    for seed in 0..20 {
        let config = Config::new(7, 6).unwrap().with_conveyors(4).unwrap();
        let mut harness = harness(config, seed);
        let board = harness.board.state().board().clone();
        assert_eq!(
            [0, 1].map(|player| harness.known().home(player)),
            [0, 1].map(|player| Some(board.home(player)))
        );
        let special = |is: fn(Field) -> bool| config.places().filter(|place| is(board.field(*place))).count();
        assert_eq!(harness.known().hints().count(), special(|field| matches!(field, Field::Hint(_))));
        assert_eq!(harness.known().conveyors().count(), special(|field| matches!(field, Field::Start(_))));
        let mut chance = Seed::new(seed).game();
        while harness.end.is_none() {
            match chance.index(3) {
                0 => harness.ask(0, Action::Step(Direction::ALL[chance.index(4)])),
                1 => harness.ask(1, Action::Turn(Direction::ALL[chance.index(4)])),
                _ => harness.ask(1, Action::Ahead(Steps::ALL[chance.index(3)])),
            }
            let (known, state) = (harness.known(), harness.board.state());
            assert_eq!([0, 1].map(|player| known.place(player)), [0, 1].map(|player| state.place(player)));
            assert!(known.heading().is_none_or(|heading| heading == state.heading()), "seed {seed}");
        }
        let (Turn::Over(shown), Turn::Over(truth)) = (harness.known().turn(), harness.board.state().turn())
        else {
            panic!("seed {seed}: both are over")
        };
        assert_eq!(shown.winner(), truth.winner());
        wins += u32::from(truth.winner().is_some());
    }
    assert_eq!(wins, 20);
}

/// The last thing that a page was shown of a game that is over.
fn last<F: FnMut(&InitialKnowledge) -> Shown>(harness: Harness<F>) -> String {
    assert!(matches!(harness.known().turn(), Turn::Over(_)), "it is over");
    let (_, mut shown) = harness.follower.into_parts().expect("the game has begun");
    assert!(shown.has_ended);
    shown.inputs.pop().expect("something was shown")
}

#[test]
fn what_ends_a_game_is_shown() {
    let begun = || harness(Config::default(), 3);
    let mut harness = begun();
    harness.handle(Input::Ended(BOARD));
    assert_eq!(last(harness), "  over nobody interrupted");
    let mut harness = begun();
    harness.handle(Input::Stop);
    assert_eq!(last(harness), "  over nobody stopped");
    let mut harness = begun();
    PLAYERS.into_iter().for_each(|player| harness.handle(Input::Ended(player)));
    let late = harness.controller.wake_at().expect("the game ends without players");
    harness.controller.handle(late, Input::Tick);
    harness.handle(Input::Tick);
    assert_eq!(last(harness), "  over nobody agent-lost");
}

/// Nothing that is reported before there is a game makes one.
#[test]
fn without_a_board_there_is_nothing_to_show() {
    let mut follower = Follower::new(|_: &InitialKnowledge| Shown::default());
    for news in [News::BoardCame, News::Joined(AgentId::new(0)), News::Left(AgentId::new(0))] {
        follower.hear(&news);
    }
    follower.end(&End::Deserted);
    assert!(follower.state().is_none());
}
