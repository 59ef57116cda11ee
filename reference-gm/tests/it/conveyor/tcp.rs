//! Whole games between the programs, over TCP.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::time::Duration;

use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, Signal, kill_process};

use crate::run::program;
use crate::served::process::Program;

/// Time within which anything must happen.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A controller on free ports, and the addresses of boards and of players.
fn controller(flags: &[&str]) -> (Child, [String; 2]) {
    controller_with(Stdio::null(), flags)
}

fn controller_with(errors: Stdio, flags: &[&str]) -> (Child, [String; 2]) {
    let words = ["conveyor", "controller", "--board-port", "0", "--player-port", "0"];
    let mut command = program(".".as_ref(), &words);
    let mut child = command.args(flags).stdout(Stdio::piped()).stderr(errors).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let rest = line.strip_prefix("conveyor: boards on ").unwrap();
    let (boards, players) = rest.trim_end().split_once(", players on ").unwrap();
    (child, [boards.to_owned(), players.to_owned()])
}

/// A player of lines.
struct Player(BufReader<TcpStream>);

impl Player {
    fn join(address: &str, line: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        let mut player = Self(BufReader::new(stream));
        player.say(line);
        player
    }

    fn say(&mut self, line: &str) {
        self.0.get_mut().write_all(format!("{line}\r\n").as_bytes()).unwrap();
    }

    fn hear(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }
}

fn board(folder: &Path, words: &[&str]) -> Child {
    let mut command = program(folder, &["conveyor", "board"]);
    command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn text(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

#[test]
fn a_game_over_tcp_is_played_recorded_and_verified() {
    let folder = tempfile::tempdir().unwrap();
    let (controller, [boards, players]) = controller(&[]);
    let (ip, port) = boards.split_once(':').unwrap();
    fs::write(folder.path().join("BORD.INI"), format!("[Spel]\r\nIP={ip}\r\nPort={port}\r\n")).unwrap();
    // With so many hints, there is no room for the conveyor that the board would have without them.
    let size = ["--size", "4x3", "--hints", "10"];
    let board = board(folder.path(), &[&size[..], &["--seed", "5", "--replay", "game.replay"]].concat());
    let mut kitteh = Player::join(&players, "HAI KITTEH");
    assert_eq!([kitteh.hear(), kitteh.hear()], ["UR KITTEH", "SIZE 4,3"]);
    let mut supercat = Player::join(&players, "HAI");
    assert_eq!([supercat.hear(), supercat.hear()], ["UR SUPERCAT", "SIZE 4,3"]);
    // The steps go over each field, row by row, again and again.
    let words = [
        "LEFT", "LEFT", "LEFT", "DOWN", "DOWN", "RIGHT", "RIGHT", "RIGHT", "UP", "LEFT", "LEFT", "LEFT",
        "UP", "RIGHT", "RIGHT", "RIGHT",
    ];
    let mut answers = Vec::new();
    for word in words.iter().cycle().take(400) {
        kitteh.say(&format!("KITTEH WANT MOVE {word}"));
        answers.push(kitteh.hear());
        supercat.say(&format!("SUPERCAT WANT TURN {word}"));
        match supercat.hear().as_str() {
            "K" => {}
            last => {
                assert_eq!(last, "KITTEH WINS");
                break;
            }
        }
    }
    assert_eq!(kitteh.hear(), "KITTEH WINS");
    assert!(
        answers.iter().all(|answer| ["K", "NOWAI"].contains(&answer.as_str()) || answer.starts_with("HINT "))
    );
    let board = board.wait_with_output().unwrap();
    assert!(board.status.success() && text(&board).contains("KITTEH has won, at "), "{}", text(&board));
    assert_eq!(text(&board).matches("KITTEH").count(), 1, "{}", text(&board));
    let controller = controller.wait_with_output().unwrap();
    assert_eq!((controller.status.code(), text(&controller)), (Some(0), "KITTEH has won\n".to_owned()));
    let verified = program(folder.path(), &["verify", "game.replay"]).output().unwrap();
    assert!(verified.status.success(), "{}", text(&verified));
}

#[test]
fn a_board_that_dies_ends_the_game_for_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let (controller, [boards, players]) = controller(&[]);
    let mut board = board(folder.path(), &["--connect", &boards, "--seed", "7"]);
    let mut player = Player::join(&players, "HAI");
    assert_eq!([player.hear(), player.hear()], ["UR KITTEH", "SIZE 12,9"]);
    board.kill().unwrap();
    board.wait().unwrap();
    assert_eq!(player.hear(), "KTHXBAI");
    let controller = controller.wait_with_output().unwrap();
    assert_eq!(controller.status.code(), Some(1));
    assert!(
        text(&controller).starts_with("the board is gone before anybody has won"),
        "{}",
        text(&controller)
    );
}

#[test]
fn a_controller_that_dies_ends_the_board_and_leaves_a_replay() {
    let folder = tempfile::tempdir().unwrap();
    let (mut controller, [boards, players]) = controller(&["--alone"]);
    let board = board(folder.path(), &["--connect", &boards, "--seed", "7", "--replay", "game.replay"]);
    let mut player = Player::join(&players, "SUPERCAT WANT TURN UP");
    assert_eq!(player.hear(), "K", "it never asked for the size");
    controller.kill().unwrap();
    controller.wait().unwrap();
    let board = board.wait_with_output().unwrap();
    assert_eq!(board.status.code(), Some(1));
    assert!(text(&board).contains("the controller is gone before anybody has won"), "{}", text(&board));
    let verified = program(folder.path(), &["verify", "game.replay"]).output().unwrap();
    assert!(verified.status.success(), "{}", text(&verified));
    let mut rest = String::new();
    let _ = player.0.read_to_string(&mut rest);
    assert_eq!(rest, "");
}

/// The board has ended then, and does not listen any more.
#[test]
fn a_signal_at_the_farewell_of_a_board_ends_its_page() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut board = Program(board(folder.path(), &["--connect", &address, "--page", "127.0.0.1:0"]));
    let (mut controller, _) = listener.accept().unwrap();
    controller.write_all(b"HAI\r\nNOWAI\r\n").unwrap();
    // It has closed its half, and waits for the other one.
    controller.read_to_end(&mut Vec::new()).unwrap();
    kill_process(Pid::from_child(&board), Signal::TERM).unwrap();
    // A page that has not heard the signal stays until it hears another one.
    assert_eq!(board.wait().unwrap().code(), Some(1));
}

/// A controller that has said where its ports are, whose lines nobody reads from then on: the pipe is full. The end of
/// the pipe that is returned must stay open.
fn unread_controller(flags: &[&str]) -> (Program, [String; 2], io::PipeReader) {
    let (reader, mut errors) = io::pipe().unwrap();
    let (controller, places) = controller_with(errors.try_clone().unwrap().into(), flags);
    ioctl_fionbio(&errors, true).unwrap();
    for part in [4096, 1] {
        while errors.write(&vec![b' '; part]).is_ok() {}
    }
    ioctl_fionbio(&errors, false).unwrap();
    (Program(controller), places, reader)
}

#[test]
fn a_controller_whose_lines_nobody_reads_serves_and_ends() {
    let (mut controller, [_, players], _reader) = unread_controller(&[]);
    for _ in 0..3 {
        assert_eq!(Player::join(&players, "I CAN HAZ?").hear(), "LOL WUT?");
    }
    kill_process(Pid::from_child(&controller), Signal::TERM).unwrap();
    assert_eq!(controller.wait().unwrap().code(), Some(1));
}

/// The page stays when the game has ended by itself.
#[test]
fn a_signal_ends_a_page_whose_lines_nobody_reads() {
    let folder = tempfile::tempdir().unwrap();
    let (mut controller, [boards, players], _reader) =
        unread_controller(&["--alone", "--page", "127.0.0.1:0"]);
    let mut board = Program(board(folder.path(), &["--connect", &boards]));
    assert_eq!(Player::join(&players, "SUPERCAT WANT TURN UP").hear(), "K");
    board.kill().unwrap();
    let mut lines = BufReader::new(controller.stdout.as_mut().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("the board is gone")), "the game has ended");
    kill_process(Pid::from_child(&controller), Signal::TERM).unwrap();
    assert_eq!(controller.wait().unwrap().code(), Some(1));
}

#[test]
fn faulty_flags_and_files_are_told() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("BORD.INI"), "[Spel]\nip=127.0.0.1\nport=65536\n").unwrap();
    let connect = ["conveyor", "board", "--connect", "127.0.0.1:9"];
    for (words, flags, fault) in [
        (
            &["conveyor", "board"][..],
            &[][..],
            "BORD.INI: line 3: port = `65536`: expected a number from 1 to 65535",
        ),
        (&["conveyor", "board"], &["--ini", "none.ini"], "cannot read `none.ini`"),
        (&connect, &["--size", "twelve"], "invalid --size `twelve`: expected columns and rows"),
        (&connect, &["--size", "100x9"], "columns = 100"),
        (&connect, &["--size", "5x4", "--conveyors", "3"], "conveyors = 3: 3 conveyors; allowed: at most 2"),
        (&["conveyor", "controller"], &["--compat", "2010"], "no boards of `2010` are known"),
    ] {
        let output = program(folder.path(), words).args(flags).output().unwrap();
        let told = text(&output);
        assert_eq!(output.status.code(), Some(2), "{words:?} {flags:?}: {told}");
        assert!(told.contains(fault), "{words:?} {flags:?}: {told}");
    }
}
