//! The program, killed after each move.

use std::path::Path;

use game_dots::{Config as Grid, State};
use game_env::{Environment as _, Seed, SimTime};

use crate::run::{Run, run};
use crate::served::process::{Lines, Server};

fn start(folder: &Path) -> Server {
    Server::start("dots", &["--rows", "2", "--cols", "3", "--page", ""], folder)
}

struct Client(Lines);

impl Client {
    fn login(server: &Server, text: &str) -> Self {
        let mut client = Self(Lines::connect(server));
        client.send(&format!("login|{text}"));
        assert_eq!(client.read(), "logged|ok");
        client
    }

    fn send(&mut self, text: &str) {
        self.0.send(format!("{text}\n").as_bytes());
    }

    /// The next line that is no ping.
    fn read(&mut self) -> String {
        loop {
            let line = self.0.read().expect("the server is there");
            if !line.starts_with("ping") && !line.starts_with("opponent_connection") {
                return line.trim_end().to_owned();
            }
        }
    }

    fn read_until(&mut self, word: &str) -> String {
        loop {
            let line = self.read();
            if line.starts_with(word) {
                return line;
            }
        }
    }
}

#[test]
fn a_server_that_is_killed_after_any_move_goes_on_with_the_same_game() {
    let folder = tempfile::tempdir().unwrap();
    let grid = Grid::new(2, 3).unwrap();
    let mut state = State::new(&grid, Seed::new(7).child(0));
    let mut server = start(folder.path());
    let mut clients = ["Ada|", "Bob|"].map(|text| Client::login(&server, text));
    let tokens = [0, 1].map(|side| clients[side].read_until("token|")["token|".len()..].to_owned());
    for client in &mut clients {
        client.send("queue");
        assert_eq!(client.read(), "queued|ok");
    }
    for client in &mut clients {
        client.read_until("play|");
    }
    let edges: Vec<_> = grid.all_edges().collect();
    for (played, edge) in edges.iter().enumerate() {
        let mover = state.mover();
        let (one, other) = edge.dots();
        clients[mover.index()].send(&format!("line_coords|{one}|{other}"));
        // Answered is written down: from here on the process may die at any moment.
        assert_eq!(clients[mover.index()].read_until("draw_coords"), format!("draw_coords|{one}|{other}"));
        state.step(SimTime::START, mover, *edge, &mut ());
        server.kill();
        server = start(folder.path());
        if played + 1 == edges.len() {
            break;
        }
        let names = ["Ada", "Bob"];
        clients = [0, 1].map(|side| Client::login(&server, &format!("{}|{}", names[side], tokens[side])));
        for (side, client) in clients.iter_mut().enumerate() {
            let position = state.position();
            let lines: String =
                position.edges.iter().map(|edge| format!("|{}|{}", edge.dots().0, edge.dots().1)).collect();
            let boxes: String = [side, 1 - side]
                .iter()
                .flat_map(|player| &position.boxes[*player])
                .map(|square| format!("|{square}"))
                .collect();
            let [own, others] = [side, 1 - side].map(|player| position.boxes[player].len());
            let expected = format!(
                "resume_game|{}|{}|{}|{own}|{others}{boxes}{lines}",
                side + 1,
                names[1 - side],
                state.mover().index() + 1
            );
            assert_eq!(client.read_until("resume_game"), expected, "after {} moves", played + 1);
        }
    }
    // The game is over. Its replay is written by the next server at the latest, before that one ends in order.
    server.stop();
    let games: Vec<_> = std::fs::read_dir(folder.path().join("games")).unwrap().flatten().collect();
    assert_eq!(games.len(), 1);
    let replay = games[0].path();
    let Run { out: told, code, .. } = run(".".as_ref(), &["verify", replay.to_str().unwrap()]);
    assert!(code == 0 && told.contains("7 actions"), "{told}");
    assert!(told.ends_with("every hash is as recorded\n"), "{told}");
}
