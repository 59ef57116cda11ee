//! The program, killed after each round.

use std::path::Path;

use wire::eriantys::notice::LoginReply;
use wire::eriantys::request::{
    LoginAnyMatch, LoginNickname, LoginResumeMatch, LoginTowerColor, LoginWizardFamily, Pong,
};
use wire::eriantys::words::RuleSet;
use wire::eriantys::{Decoder, Message as _, NOTICE_LIMIT, Notice, Request, TableUpdate, Token};

use super::harness::{Chooser, NAMES, is_question};
use crate::served::process::{Lines, Server};

fn start(folder: &Path) -> Server {
    Server::start("eriantys", &["--ping-ms", "60000"], folder)
}

struct Client(Lines);

impl Client {
    fn connect(server: &Server) -> Self {
        Self(Lines::connect(server))
    }

    fn send(&mut self, request: impl Into<Request>) {
        let mut bytes = Vec::new();
        request.into().write(&mut bytes);
        self.0.send(&bytes);
    }

    /// The next message, pings answered; none if the connection is closed.
    fn read(&mut self) -> Option<Notice> {
        loop {
            let line = self.0.read()?;
            let mut decoder = Decoder::<Notice>::new(NOTICE_LIMIT);
            let notice = decoder.next(&mut line.as_bytes()).unwrap().unwrap();
            match notice {
                Notice::Ping(_) => self.send(Pong {}),
                Notice::GenericMessage(_) => {}
                other => return Some(other),
            }
        }
    }

    fn until<T>(&mut self, wanted: impl Fn(&Notice) -> Option<T>) -> T {
        loop {
            let notice = self.read().expect("the connection is open");
            if let Some(found) = wanted(&notice) {
                return found;
            }
        }
    }

    fn login(server: &Server, place: usize) -> (Self, Token) {
        let mut client = Self::connect(server);
        client.send(LoginAnyMatch { players: 2, rules: RuleSet::Expert });
        client.send(LoginNickname { nickname: NAMES[place].parse().unwrap(), token: None });
        let color = client.until(|notice| match notice {
            Notice::LoginTowerColorOptions(options) => Some(options.colors[0]),
            _ => None,
        });
        client.send(LoginTowerColor { color });
        let family = client.until(|notice| match notice {
            Notice::LoginWizardFamilyOptions(options) => Some(options.families[0]),
            _ => None,
        });
        client.send(LoginWizardFamily { family });
        let token = client.until(|notice| match notice {
            Notice::LoginReply(LoginReply { token, .. }) => *token,
            _ => None,
        });
        (client, token)
    }

    /// Goes on as a player; the table that it is shown.
    fn resume(server: &Server, place: usize, token: Token) -> (Self, TableUpdate) {
        let mut client = Self::connect(server);
        client.send(LoginResumeMatch { number: 1 });
        client.send(LoginNickname { nickname: NAMES[place].parse().unwrap(), token: Some(token) });
        let table = client.until(table_in);
        (client, table)
    }
}

fn table_in(notice: &Notice) -> Option<TableUpdate> {
    match notice {
        Notice::TableUpdate(table) => Some(table.clone()),
        _ => None,
    }
}

#[test]
fn a_server_that_is_killed_after_each_round_goes_on_with_the_same_match() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = start(folder.path());
    let (ada, first) = Client::login(&server, 0);
    let (bob, second) = Client::login(&server, 1);
    let tokens = [first, second];
    let mut clients = [ada, bob];
    let mut chooser = Chooser::new(3);
    let mut table = clients[0].until(table_in);
    assert_eq!(clients[1].until(table_in), table);
    let (mut question, mut killed) = (None, 0);
    while let Some(turn) = table.turn.clone() {
        let mover = usize::from(turn.as_str() != NAMES[0]);
        let asked = match question.take() {
            Some(question) => question,
            None => clients[mover].until(|notice| is_question(notice).then(|| notice.clone())),
        };
        clients[mover].send(chooser.answer(&asked));
        // The table after it, or a further question about it.
        let followed = clients[mover].until(|notice| {
            let is_answer = is_question(notice) || table_in(notice).is_some();
            is_answer.then(|| notice.clone())
        });
        let Some(next) = table_in(&followed) else {
            question = Some(followed);
            continue;
        };
        assert_eq!(clients[1 - mover].until(table_in), next);
        let is_new_round = next.round > table.round;
        table = next;
        if is_new_round {
            server.kill();
            server = start(folder.path());
            killed += 1;
            for place in [0, 1] {
                let (client, seen) = Client::resume(&server, place, tokens[place]);
                clients[place] = client;
                assert_eq!(seen, table);
            }
        }
    }
    assert!(killed >= 3, "{killed} rounds");
    let result = |notice: &Notice| match notice {
        Notice::EndMatchMessage(result) => Some(result.clone()),
        _ => None,
    };
    let [ada, bob] = clients.each_mut().map(|client| client.until(result));
    assert_eq!(ada, bob);
    server.kill();
    // Nobody can know which of the clients has received the result. Each learns it from the next server.
    server = start(folder.path());
    let mut late = Client::connect(&server);
    late.send(LoginResumeMatch { number: 1 });
    assert_eq!(late.until(result), ada);
    drop(server);
    // A server has written the replay before it takes a connection: the journal holds the match no more.
    let games: Vec<_> = std::fs::read_dir(folder.path().join("matches")).unwrap().flatten().collect();
    assert_eq!(games.len(), 1);
    start(folder.path()).stop();
}
