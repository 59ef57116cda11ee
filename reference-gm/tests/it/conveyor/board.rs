//! A board whose controller is only lines of text.

use game_conveyor::{Config, Direction, State};
use game_env::replay::{Playback, Writer};
use game_env::{AgentId, Environment as _, Millis, Notation as _, Seed, SimTime, Turn};
use reference_gm::conveyor::board::{Board, End, Input, News, Output, Settings};
use wire::lines::TooLong;

pub(super) fn config() -> Config {
    Config::new(5, 4).unwrap().with_conveyors(2).unwrap()
}

/// A board of 5×4 fields, and a replay of what it plays.
struct Talk {
    board: Board,
    now: SimTime,
    replay: Option<Writer<Vec<u8>>>,
    end: Option<End>,
    reports: Vec<News>,
}

impl Talk {
    fn new(settings: Settings) -> Self {
        let (config, seed) = (config(), Seed::new(3));
        let board = Board::new(settings, State::new(&config, seed));
        let replay = Some(Writer::in_memory::<State>(&config, seed, "x", "tests 1.0"));
        Self { board, now: SimTime::START, replay, end: None, reports: Vec::new() }
    }

    fn handle(&mut self, input: Input<'_>) -> String {
        self.now += Millis::new(1);
        self.board.handle(self.now, input, self.replay.as_mut().unwrap());
        let mut told = String::new();
        while let Some(output) = self.board.poll_output() {
            assert_eq!(self.end, None, "nothing follows the end");
            match output {
                Output::Send(bytes) => told += &String::from_utf8(bytes).unwrap(),
                Output::Report(news) => self.reports.push(news),
                Output::Done(end) => self.end = Some(end),
            }
        }
        told
    }

    /// Returns the answer of the board, its lines joined by ` | `.
    fn say(&mut self, line: &str) -> String {
        let told = self.handle(Input::Line(Ok(line.as_bytes())));
        assert!(told.is_empty() || told.ends_with("\r\n"));
        told.trim_end().replace("\r\n", " | ")
    }

    fn playing(settings: Settings) -> Self {
        let mut talk = Self::new(settings);
        assert_eq!(talk.say("HAI"), "ALL YOUR BASE ARE BELONG TO ME");
        assert_eq!(talk.say("K"), "");
        assert_eq!(talk.reports, [News::Begun]);
        talk
    }

    /// The replay plays again to the state of the board.
    fn verify(mut self) {
        let file = self.replay.take().unwrap().finish().unwrap();
        let mut playback = Playback::<State>::open(&file[..]).unwrap();
        let summary = playback.run(&mut ()).unwrap();
        assert!(summary.completeness.is_complete());
        assert_eq!(playback.state().hash(), self.board.state().hash());
    }
}

#[test]
fn a_board_tells_all_that_is_on_it() {
    let mut talk = Talk::playing(Settings::default());
    insta::assert_snapshot!(format!(
        "{}\n{}",
        talk.say("VISIBLE").replace(" | ", "\n"),
        talk.board.state().scene()
    ));
    // Again, and in the middle of the game.
    talk.say("SUPERCAT WANT TURN UP");
    assert!(talk.say("VISIBLE").starts_with("SIZE 5,4 | "));
}

/// Walks the first player home; the answers. Columns and rows change places now and then, so that no conveyor can carry
/// it in a circle without end.
fn walk_home(talk: &mut Talk) -> Vec<String> {
    let mut answers = Vec::new();
    while matches!(talk.board.state().turn(), Turn::Act { .. }) {
        let state = talk.board.state();
        let (at, home) = (state.place(0), state.board().home(0));
        let across = if at.column < home.column { "RIGHT" } else { "LEFT" };
        let along = if at.row < home.row { "UP" } else { "DOWN" };
        let is_across = at.row == home.row || (at.column != home.column && answers.len() % 3 > 0);
        answers.push(talk.say(&format!("KITTEH WANT MOVE {}", if is_across { across } else { along })));
        assert!(answers.len() < 100, "{answers:?}");
    }
    answers
}

#[test]
fn a_player_that_comes_home_has_won_and_the_board_waits_for_the_farewell() {
    let mut talk = Talk::playing(Settings::default());
    let answers = walk_home(&mut talk);
    let home = talk.board.state().board().home(0);
    let last = answers.last().unwrap();
    assert!(last.ends_with(&format!(" | KITTEH {home} | KITTEH WINS")), "{answers:?}");
    assert!(last.starts_with("K ") || last.starts_with("HINT "), "{answers:?}");
    for (answer, place) in
        answers[..answers.len() - 1].iter().map(|answer| (answer, answer.rsplit(' ').next()))
    {
        assert!(answer.contains(" | KITTEH ") && place.is_some_and(|place| place.contains(',')), "{answer}");
    }
    assert_eq!(talk.say("SUPERCAT WINS, GTFO"), "", "nobody else has won");
    assert_eq!(talk.say("KITTEH WANT MOVE UP"), "");
    assert_eq!(talk.end, None);
    assert_eq!(talk.say("KITTEH WINS, GTFO"), "");
    assert_eq!(talk.end, Some(End::Won { winner: AgentId::new(0), is_heard: true }));
    talk.verify();
}

#[test]
fn turns_are_answered_alone_and_moves_off_the_board_refused() {
    let mut talk = Talk::playing(Settings::default());
    for (word, direction) in [
        ("UP", Direction::Up),
        ("DOWN", Direction::Down),
        ("LEFT", Direction::Left),
        ("RIGHT", Direction::Right),
    ] {
        assert_eq!(talk.say(&format!("SUPERCAT WANT TURN {word}")), "K");
        assert_eq!(talk.board.state().heading(), direction);
    }
    let refused = (0..20).find(|_| {
        let before = talk.board.state().place(0);
        let is_refused = talk.say("KITTEH WANT MOVE UP") == "NOWAI";
        is_refused && talk.board.state().place(0) == before
    });
    assert!(refused.is_some(), "the board ends somewhere");
    talk.handle(Input::Stop);
    assert_eq!(talk.end, Some(End::Stopped));
    talk.verify();
}

#[test]
fn nonsense_is_not_answered_and_ends_the_connection_when_it_is_too_much() {
    let lines = [
        "",
        "hai",
        "LOL WUT?",
        "K",
        "NOWAI",
        "HAI",
        "KITTEH WINS, GTFO",
        "KITTEH WANT MOVE ONE",
        "\u{1b}[2J",
    ];
    let mut talk = Talk::playing(Settings { nonsense: 11, ..Settings::default() });
    let hash = talk.board.state().hash();
    for line in lines {
        assert_eq!(talk.say(line), "", "{line:?}");
    }
    assert_eq!(talk.handle(Input::Line(Err(TooLong { limit: 80 }))), "");
    assert_eq!((talk.board.state().hash(), &talk.end), (hash, &None));
    assert_eq!(talk.reports.len(), 1 + 10);
    assert!(talk.reports.iter().all(|news| !news.to_string().contains('\u{1b}')));
    talk.say("\u{ff}");
    assert_eq!(talk.end, Some(End::Senseless));
    talk.verify();
}

#[test]
fn a_board_that_is_not_wanted_goes() {
    let mut talk = Talk::new(Settings::default());
    assert_eq!(talk.say("VISIBLE"), "", "the controller greets first");
    talk.say("HAI");
    assert_eq!(talk.say("NOWAI"), "");
    assert_eq!(talk.end, Some(End::TurnedAway));
    assert!(!talk.reports.contains(&News::Begun));
}

#[test]
fn a_controller_that_is_gone_or_silent_ends_the_game() {
    let mut talk = Talk::playing(Settings::default());
    talk.say("KITTEH WANT MOVE UP");
    talk.handle(Input::Closed);
    assert_eq!(talk.end, Some(End::Lost));
    let Turn::Over(outcome) = talk.board.state().turn() else { panic!("the game is over") };
    assert_eq!((outcome.winner(), outcome.termination.to_string().as_str()), (None, "interrupted"));
    talk.verify();

    for words in [&[][..], &["HAI"]] {
        let mut talk = Talk::new(Settings::default());
        words.iter().for_each(|word| drop(talk.say(word)));
        let wake = talk.board.wake_at().unwrap();
        talk.now = wake;
        talk.handle(Input::Tick);
        assert_eq!(talk.end, Some(End::Silent), "{words:?}");
        assert!(
            talk.end.as_ref().and_then(End::hint).is_some_and(|hint| hint.contains("port for boards, 5000"))
        );
    }
    // Players may think as long as they want.
    assert_eq!(Talk::playing(Settings::default()).board.wake_at(), None);

    let mut talk = Talk::playing(Settings::default());
    walk_home(&mut talk);
    talk.now = talk.board.wake_at().unwrap();
    talk.handle(Input::Tick);
    assert_eq!(talk.end, Some(End::Won { winner: AgentId::new(0), is_heard: false }));
    talk.verify();
}
