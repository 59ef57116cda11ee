//! Duels of Bricks as conversations: the lines of each player with their times, and the referee's reactions.

use game_bricks::{Config, State};
use game_env::{AgentId, Environment as _, Millis, Seed, SimTime, Termination, Turn};
use wire::bricks::{Compat, Dialect, Gone, Input, Line, Output, Referee, Settings, Verdict};

/// A duel, its conversation so far, and how long it took.
struct Duel {
    referee: Referee,
    /// Lines as `0< 7` (the referee to player 0) and `0> OK`.
    told: Vec<String>,
    now: SimTime,
    /// The player whose input is never read.
    deaf: Option<AgentId>,
}

impl Duel {
    fn new(settings: Settings, board: &str) -> Self {
        let mut words = board.split('_');
        let size = words.next().unwrap().parse().unwrap();
        let config = Config::new(size).unwrap().filled(words.map(|cell| cell.parse().unwrap())).unwrap();
        let config = config.torus(settings.dialect.is_torus()).loose(settings.compat == Compat::Year2018);
        let state = State::new(&config, Seed::new(0));
        let referee = Referee::new(settings, state).unwrap();
        Self { referee, told: Vec::new(), now: SimTime::START, deaf: None }
    }

    fn handle(&mut self, input: Input<'_>) {
        self.referee.handle(self.now, input, &mut ());
        while let Some(output) = self.referee.poll_output() {
            let answer = match output {
                Output::Start(player) => Input::Started(player),
                Output::Ready(_) => Input::Go,
                Output::Write(player, line) => {
                    self.told.push(format!("{}< {}", player.index(), line.escape_ascii()));
                    if self.deaf == Some(player) {
                        continue;
                    }
                    Input::Written(player)
                }
                Output::Done => {
                    assert_eq!(self.referee.poll_output(), None, "it is said last");
                    continue;
                }
                Output::Farewell(player, line) => {
                    self.told.push(format!("{}< {}", player.index(), line.escape_ascii()));
                    continue;
                }
            };
            self.referee.handle(self.now, answer, &mut ());
        }
    }

    /// Plays the acts of the players: `MS PLAYER TEXT`, `MS PLAYER dies` or `MS PLAYER absent`; then nothing happens
    /// any more.
    fn play(mut self, script: &[&str]) -> (Verdict, Vec<String>, State) {
        self.handle(Input::Tick);
        for line in script {
            let mut words = line.splitn(3, ' ');
            let (at, player) = (words.next().unwrap(), words.next().unwrap());
            let at = SimTime::from_millis(at.parse().unwrap());
            self.pass_until(at);
            let player = AgentId::new(player.parse().unwrap());
            match words.next().unwrap() {
                "dies" => self.handle(Input::Gone(player, Gone::Ended("ended with exit code 1".to_owned()))),
                "absent" => {
                    self.handle(Input::Gone(player, Gone::CannotStart("no such file".to_owned())));
                }
                "stop" => self.handle(Input::Stop),
                text => {
                    self.told.push(format!("{}> {}", player.index(), text.escape_debug()));
                    self.handle(Input::Received(player, text.as_bytes()));
                }
            }
        }
        self.pass_until(SimTime::NEVER);
        let verdict = self.referee.verdict().expect("the duel is over").clone();
        (verdict, self.told, self.referee.state().clone())
    }

    fn pass_until(&mut self, at: SimTime) {
        while let Some(deadline) = self.referee.wake_at().filter(|deadline| *deadline < at) {
            assert!(deadline >= self.now, "a deadline in the past");
            self.now = deadline;
            self.handle(Input::Tick);
        }
        self.now = if at == SimTime::NEVER { self.now } else { at };
    }
}

/// The loser, the letter and the reason.
fn told(verdict: &Verdict) -> String {
    let letter = verdict.reason.letter().map_or("-".to_owned(), |letter| letter.to_string());
    let winner = verdict.outcome.winner().map(|team| team.index());
    let loser = winner.map_or("nobody".to_owned(), |winner| (1 - winner).to_string());
    format!("{loser} {letter} {}", verdict.reason)
}

fn settings() -> Settings {
    Settings::default()
}

fn check(board: &str, settings: Settings, script: &[&str], expected: &str) {
    let (verdict, lines, state) = Duel::new(settings, board).play(script);
    assert_eq!(told(&verdict), expected, "{script:?}: {lines:#?}");
    let Turn::Over(outcome) = state.turn() else { panic!("the game goes on") };
    assert_eq!(outcome, verdict.outcome, "{script:?}");
}

#[test]
fn a_duel_in_each_dialect() {
    let duel = |dialect, board: &str, script: &[&str]| {
        let (verdict, lines, _) = Duel::new(Settings { dialect, ..settings() }, board).play(script);
        (told(&verdict), lines)
    };
    let script =
        ["9 0 OK\n", "20 1 OK\r\n", "30 0 1x0_0x0\n", "40 1 0x1_0x2\n", "50 0 2x2_1x2\r", "60 1 2x1_2x0\n"];
    let (verdict, lines) = duel(Dialect::Year2018, "3_1x1", &script);
    assert_eq!(verdict, "0 N has no place for a brick");
    assert_eq!(
        lines,
        [
            r"0< 3_1x1\n",
            r"0> OK\n",
            r"1< 3_1x1\n",
            r"1> OK\r\n",
            r"0< START\n",
            r"0> 1x0_0x0\n",
            r"1< 0x0_1x0\n", // normalised
            r"1> 0x1_0x2\n",
            r"0< 0x1_0x2\n",
            r"0> 2x2_1x2\r",
            r"1< 1x2_2x2\n",
            r"1> 2x1_2x0\n",
            r"0< STOP\n",
            r"1< STOP\n",
        ]
    );
    let script =
        ["1 0 PONG\n", "2 1 PONG\n", "3 0 1 2 1 1\n", "4 1 2 1 3 1\n", "5 0 2 2 3 2\n", "6 1 1 3 2 3\n"];
    let (verdict, lines) = duel(Dialect::Year2017, "3", &script);
    assert_eq!(verdict, "0 N has no place for a brick");
    assert_eq!(
        lines,
        [
            r"0< PING\n",
            r"0> PONG\n",
            r"0< 3\n",
            r"1< PING\n",
            r"1> PONG\n",
            r"1< 3\n",
            r"0< ZACZYNAJ\n",
            r"0> 1 2 1 1\n",
            r"1< 1 1 1 2\n",
            r"1> 2 1 3 1\n",
            r"0< 2 1 3 1\n",
            r"0> 2 2 3 2\n",
            r"1< 2 2 3 2\n",
            r"1> 1 3 2 3\n",
        ]
    );
    let script = ["1 0 ok\n", "2 0 OK\n", "3 1 ok\n", "4 1 ok\n", "5 0 {0;0},{0;2}\n", "6 1 {1;0},{0;0}\n"];
    let (verdict, lines) = duel(Dialect::Year2019, "3_1x1", &script);
    assert_eq!(verdict, "1 M put 0x0_1x0 on a filled cell");
    assert_eq!(
        lines,
        [
            r"0< 3\n",
            r"0> ok\n",
            r"0< {1;1}\n",
            r"0> OK\n",
            r"1< 3\n",
            r"1> ok\n",
            r"1< {1;1}\n",
            r"1> ok\n",
            r"0< START\n",
            r"0> {0;0},{0;2}\n", // across the edge of the torus
            r"1< {0;0},{0;2}\n",
            r"1> {1;0},{0;0}\n",
            r"0< STOP\n",
            r"1< STOP\n",
        ]
    );
}

/// Rows stand first in bricks of both players, and in the lines that pass them on.
#[test]
fn the_referee_of_2019_has_rows_first_in_bricks() {
    let settings = Settings { dialect: Dialect::Year2019, compat: Compat::Year2019, ..Settings::default() };
    let script = ["1 0 ok\n", "2 0 ok\n", "3 1 ok\n", "4 1 ok\n", "5 0 {1;0},{2;0}\n", "6 1 {0;1},{0;2}\n"];
    let (verdict, lines, state) = Duel::new(settings, "3_2x1").play(&script);
    let bricks: Vec<String> = state.bricks().iter().map(ToString::to_string).collect();
    assert_eq!(bricks, ["0x1_0x2", "1x0_2x0"], "{}", told(&verdict));
    for line in [r"0< {2;1}\n", r"1< {1;0},{2;0}\n", r"0< {0;1},{0;2}\n"] {
        assert!(lines.contains(&line.to_owned()), "{line}: {lines:?}");
    }
}

/// The opening of both players, at once.
const BOTH: [&str; 2] = ["0 0 OK\n", "0 1 OK\n"];

#[test]
fn each_fault_has_its_letter_and_its_loser() {
    let silent = "0 D wrote no line within 5000 ms";
    let gone = "0 D does not answer: its program ended with exit code 1";
    for (script, expected) in [
        // The opening of the first player.
        (&["0 0 absent"][..], "0 S cannot be started: no such file"),
        (&["0 0 dies"], gone),
        (&[], silent),
        (&["0 0 OK"], silent), // no line end
        (&["0 0 O", "900 0 K\n", "2000 0 x\n"], "1 D wrote no line within 5000 ms"),
        (&["1000 0 OK\n"], "1 D wrote no line within 5000 ms"),
        (&["1001 0 OK\n"], "0 K answered the opening after 1001 ms (limit 1000 ms)"),
        (&["5000 0 no\n"], "0 K answered the opening after 5000 ms (limit 1000 ms)"),
        (&["5002 0 OK\n"], silent),
        (&["0 0 ok\n"], "0 P should have answered OK, and wrote `ok`"),
        (&["0 0 Hello!\nOK\n"], "0 P should have answered OK, and wrote `Hello!`"),
        (&["0 0 \n"], "0 P should have answered OK, and wrote ``"),
        (&["0 0 OK\u{7}\u{1b}[2J\n"], "0 P should have answered OK, and wrote `OK\\u{7}\\u{1b}[2J`"),
        // Of the second player.
        (&["0 0 OK\n", "0 1 absent"], "1 S cannot be started: no such file"),
        (&["0 0 OK\n", "0 1 dies"], "1 D does not answer: its program ended with exit code 1"),
        (&["300 0 OK\n", "1301 1 OK\n"], "1 K answered the opening after 1001 ms (limit 1000 ms)"),
        // The first move.
        (&BOTH, silent),
        (&[BOTH[0], BOTH[1], "500 0 0x0_1x0\n"], "1 D wrote no line within 5000 ms"),
        (&[BOTH[0], BOTH[1], "501 0 0x0_1x0\n"], "0 T moved after 501 ms (limit 500 ms)"),
        (&[BOTH[0], BOTH[1], "499 0 0x0_1x0", "501 0 \n"], "0 T moved after 501 ms (limit 500 ms)"),
        (&[BOTH[0], BOTH[1], "5000 0 0x0_1x0\n"], "0 T moved after 5000 ms (limit 500 ms)"),
        (&[BOTH[0], BOTH[1], "5 0 0x0_1x0"], silent),
        (&[BOTH[0], BOTH[1], "5 0 dies"], gone),
        (&[BOTH[0], BOTH[1], "5 0 0x0_1x0\n", "6 0 dies", "7 1 1x1_2x1\n"], gone),
        (&[BOTH[0], BOTH[1], "1 0 0x0_1x1\n"], "0 M put 0x0_1x1 on cells that are no neighbours"),
        (&[BOTH[0], BOTH[1], "1 0 0x0_2x0\n"], "0 M put 0x0_2x0 on cells that are no neighbours"),
        (&[BOTH[0], BOTH[1], "1 0 3x0_4x0\n"], "0 M put 3x0_4x0, which is not on the board"),
        (&[BOTH[0], BOTH[1], "1 0 1x1_1x2\n", "2 1 1x2_0x2\n"], "1 M put 0x2_1x2 on a filled cell"),
        (
            &[BOTH[0], BOTH[1], "1 0 0x0_1x0 junk\n"],
            "0 P wrote no brick: `0x0_1x0␣junk` is no brick: expected two cells, e.g. `1x2_2x2`",
        ),
        (
            &[BOTH[0], BOTH[1], "1 0 0x0_1x0_1x1_2x1\n"],
            "0 P wrote no brick: `0x0_1x0_1x1_2x1` is no brick: expected two cells, e.g. `1x2_2x2`",
        ),
        // Judged when it is asked again: until then its opponent may make a fault.
        (
            &[BOTH[0], BOTH[1], "1 0 0x0_1x0\n0x1_1x1\n", "2 1 2x1_2x2\n"],
            "0 P wrote `0x1_1x1` before it was asked",
        ),
        (
            &[BOTH[0], BOTH[1], "1 0 0x0_1x0\n0x1_1x1\n", "2 1 x\n"],
            "1 P wrote no brick: `x` is no brick: expected two cells, e.g. `1x2_2x2`",
        ),
        (&["0 0 OK\n0x0_1x0\n", "0 1 OK\n"], "0 P wrote `0x0_1x0` before it was asked"),
        (&["0 0 OK\n", "0 1 OK\n\n", "1 0 0x0_1x0\n"], "1 P wrote `` before it was asked"),
        (&[BOTH[0], BOTH[1], "1 1 2x2_2x1\n", "2 0 0x0_1x0\n"], "1 P wrote `2x2_2x1` before it was asked"),
        // The end.
        (&[BOTH[0], BOTH[1], "3 0 stop"], "nobody - was stopped by the host"),
        // A line behind the last move of the game changes nothing.
        (
            &[BOTH[0], BOTH[1], "1 0 0x0_0x1\n", "2 1 1x0_2x0\n", "3 0 1x1_2x1\n", "4 1 0x2_1x2\nGG\n"],
            "0 N has no place for a brick",
        ),
    ] {
        check("3", settings(), script, expected);
    }
}

#[test]
fn long_and_binary_lines_are_faults_before_they_end() {
    let long = format!("5 0 {}", "x".repeat(1 << 20));
    check(
        "3",
        settings(),
        &[BOTH[0], BOTH[1], &long],
        "0 P wrote no brick, but a line of more than 256 bytes",
    );
    let mut duel = Duel::new(settings(), "3");
    duel.handle(Input::Tick);
    for player in AgentId::all(2) {
        duel.handle(Input::Received(player, b"OK\n"));
    }
    duel.handle(Input::Received(AgentId::new(0), b"\xff\xfe\x00\x1b\n"));
    let verdict = duel.referee.verdict().unwrap();
    assert_eq!(told(verdict), "0 P wrote no brick: `\\xff\\xfe\\u{0}\\u{1b}` is not text");
}

/// A fault of a space at the end of a line can be seen, and so can the whole line of any other fault.
#[test]
fn a_verdict_has_the_line_as_it_came() {
    let long = format!("1 0 {}\n", "x".repeat(257));
    for (script, line) in [
        (&[BOTH[0], BOTH[1], "1 0 0x1_1x1 \n"][..], Some("0x1_1x1␣")),
        (&["0 0 OK \r\n"], Some("OK␣")),
        (&["0 0 OK\n\t\n", "0 1 OK\n"], Some(r"\t")),
        // Late, and not a brick of the board.
        (&["1001 0  OK\n"], Some("␣OK")),
        (&[BOTH[0], BOTH[1], "501 0 0x0_1x0 \n"], Some("0x0_1x0␣")),
        (&[BOTH[0], BOTH[1], "1 0 2x0_1x1\n"], Some("2x0_1x1")),
        // Without a line, or with one that is too long to be kept.
        (&[BOTH[0], BOTH[1], &long], None),
        (&[BOTH[0], BOTH[1], "5 0 dies"], None),
        (&[BOTH[0], BOTH[1], "1 0 0x0_1x0\n"], None),
        (&[BOTH[0], BOTH[1], "1 0 0x0_1x0\n", "3 1 stop"], None),
        (&[BOTH[0], BOTH[1], "1 0 0x0_0x1\n", "2 1 1x0_2x0\n", "3 0 1x1_2x1\n", "4 1 0x2_1x2\n"], None),
    ] {
        let (verdict, ..) = Duel::new(settings(), "3").play(script);
        let text = verdict.line.as_ref().and_then(Line::text);
        assert_eq!(text.as_deref(), line, "{script:?}: {}", verdict.reason);
    }
    check(
        "3",
        settings(),
        &[BOTH[0], BOTH[1], "1 0 0x1_1x1 \n"],
        "0 P wrote no brick: `0x1_1x1␣` is no brick: expected two cells, e.g. `1x2_2x2`",
    );
    check("3", settings(), &["0 0 OK \n"], "0 P should have answered OK, and wrote `OK␣`");
}

#[test]
fn a_player_that_never_reads_is_silent() {
    let mut duel = Duel::new(settings(), "3");
    duel.deaf = Some(AgentId::new(0));
    assert_eq!(told(&duel.play(&[]).0), "0 D did not read its input for 5000 ms");
    // A line that it writes meanwhile is no answer to a line that it has not read.
    let mut duel = Duel::new(settings(), "3");
    duel.deaf = Some(AgentId::new(0));
    assert_eq!(told(&duel.play(&["3 0 OK\n"]).0), "0 D did not read its input for 5000 ms");
}

#[test]
fn the_referee_of_2018_took_more() {
    let compatible = Settings { compat: Compat::Year2018, ..settings() };
    let illegal = "1 M put 0x0_2x0 on cells that are no neighbours";
    for (script, expected) in [
        (&["0 0 ok\n", "0 1 OK\n", "1 0 0x1_1x2\n", "2 1 0x0_2x0\n"][..], illegal),
        (&["0 0 ok\n", "0 1 OK\n", "1 0 0x1_1x2_more\n", "2 1 0x0_2x0\n"], illegal),
        // A line ahead of its turn is an answer.
        (&["0 0 OK\n0x1_1x2\n", "0 1 OK\n0x0_2x0\n"], illegal),
        (&["0 0 OK\n", "0 1 OK\n", "0 0 -1x0_0x0\n"], "0 M put 0x0_65535x0, which is not on the board"),
        (&["0 0 Ok\n"], "0 P should have answered OK, and wrote `Ok`"),
        // A program that is gone still has what it wrote.
        (&["0 0 OK\n0x1_1x2\n", "0 0 dies", "0 1 OK\n0x0_2x0\n"], illegal),
    ] {
        check("3", compatible, script, expected);
    }
    // The letters of a loose brick on the wire.
    let (_, lines, _) = Duel::new(compatible, "3").play(&["0 0 ok\n", "0 1 OK\n", "1 0 1x2_0x0\n"]);
    assert!(lines.contains(&r"1< 0x0_1x2\n".to_owned()), "{lines:?}");
}

#[test]
fn without_room_for_a_brick_nobody_is_started() {
    let (verdict, lines, _) = Duel::new(settings(), "3_1x0_0x1_2x1_1x2").play(&[]);
    assert_eq!((told(&verdict).as_str(), lines.len()), ("0 N has no place for a brick", 0));
}

/// The game's clock counts the time in which players think, and nothing else.
#[test]
fn time_counts_from_the_written_line() {
    let wake = Settings { wake: Millis::new(2000), ..settings() };
    let duel = Duel::new(wake, "3");
    let (verdict, _, state) = duel.play(&[
        "2500 0 OK\n",
        "5400 1 OK\n",
        "5900 0 0x0_1x0\n",
        "6100 1 0x1_0x2\n",
        "9000 0 1x1_2x1\n",
    ]);
    assert_eq!(told(&verdict), "0 T moved after 2900 ms (limit 500 ms)");
    assert_eq!((state.clock(), verdict.outcome.termination), (SimTime::from_millis(3600), Termination::Time));
    // Without a limit a player may think for long; it may not be gone.
    let config = Config::new(3).unwrap().move_limit(None);
    let mut duel = Duel::new(settings(), "3");
    duel.referee = Referee::new(settings(), State::new(&config, Seed::new(0))).unwrap();
    let (verdict, ..) = duel.play(&["0 0 OK\n", "0 1 OK\n", "900000 0 0x0_1x0\n", "900001 1 dies"]);
    assert_eq!(told(&verdict), "1 D does not answer: its program ended with exit code 1");
}

#[test]
fn where_no_time_tells_the_late_from_the_silent_nobody_is_silent() {
    let hasty = Settings { silence_limit: Millis::ZERO, ..settings() };
    check("3", hasty, &[], "0 K answered the opening after 1001 ms (limit 1000 ms)");
    check("3", hasty, &BOTH, "0 T moved after 501 ms (limit 500 ms)");
}

#[test]
fn without_a_silence_limit_a_player_may_take_time_to_read() {
    let hasty = Settings { silence_limit: Millis::ZERO, ..settings() };
    let first = AgentId::new(0);
    let deaf = || {
        let mut duel = Duel::new(hasty, "3");
        duel.deaf = Some(first);
        duel
    };
    assert_eq!(told(&deaf().play(&[]).0), "0 D did not read its input for 1000 ms");
    let mut duel = deaf();
    duel.handle(Input::Tick);
    duel.pass_until(SimTime::from_millis(900));
    duel.deaf = None;
    duel.handle(Input::Written(first));
    let (verdict, ..) = duel.play(&["950 0 OK\n", "951 1 OK\n"]);
    assert_eq!(told(&verdict), "0 T moved after 501 ms (limit 500 ms)");
}

/// However the bytes are cut, the duel is the same.
#[test]
fn pieces_of_lines_make_no_difference() {
    let whole = "OK\r\n0x0_1x0\r\n";
    for cut in 1..whole.len() {
        let mut duel = Duel::new(settings(), "3");
        let (first, second) = (AgentId::new(0), AgentId::new(1));
        duel.handle(Input::Tick);
        let answer = whole.find("0x0").unwrap();
        let mut sent = 0;
        let mut send = |duel: &mut Duel, until: usize| {
            while sent < until {
                let end = if sent < cut { cut.min(until) } else { until };
                duel.handle(Input::Received(first, &whole.as_bytes()[sent..end]));
                sent = end;
            }
        };
        send(&mut duel, answer);
        duel.handle(Input::Received(second, b"OK\n"));
        send(&mut duel, whole.len());
        assert_eq!(duel.referee.state().bricks().len(), 1, "cut at {cut}: {:?}", duel.told);
    }
}

#[test]
fn a_flood_is_not_read_on() {
    let mut duel = Duel::new(settings(), "3");
    duel.handle(Input::Tick);
    let first = AgentId::new(0);
    assert!(duel.referee.reads(first));
    duel.handle(Input::Received(first, "OK\n".repeat(5000).as_bytes()));
    assert!(!duel.referee.reads(first));
    duel.handle(Input::Received(AgentId::new(1), b"OK\n"));
    assert_eq!(told(duel.referee.verdict().unwrap()), "0 P wrote `OK` before it was asked");
    assert!(duel.referee.reads(first), "what it still writes is thrown away");
    for compat in Compat::ALL {
        let mut duel = Duel::new(Settings { compat, ..settings() }, "3");
        duel.handle(Input::Tick);
        // Nothing has been asked of it yet.
        let second = AgentId::new(1);
        duel.handle(Input::Received(second, &[b'x'; 300]));
        assert!(!duel.referee.reads(second), "a line that never ends");
    }
}
