//! Clients of Eriantys and its server, on a virtual clock, with connections that break and a server that is killed.

use std::collections::VecDeque;

use clients::ClientSession as _;
use clients::eriantys::{End, Input as Heard, News, Output as Wanted, Session};
use game_env::{
    Chance, Choice, Environment as _, Millis, Outcome, Policy, RandomPolicy, Seed, SimTime, Turn,
};
use game_eriantys::{Action, Config, Observation, State};
use reference_gm::eriantys::master::DrawToken;
use reference_gm::eriantys::{ConnectionId, Ended, Input, Master, Output, Record, Settings};
use reference_gm::server::{Master as _, Origin};
use wire::eriantys::Token;

struct Client {
    session: Session,
    policy: RandomPolicy<Action>,
    link: Option<ConnectionId>,
    end: Option<End>,
    results: Vec<bool>,
    outcomes: Vec<Outcome>,
}

struct Room {
    master: Master,
    clients: Vec<Client>,
    now: SimTime,
    records: Vec<Record>,
    ended: Vec<Ended>,
    next_link: u64,
    chance: Chance,
    /// Bytes on their way to clients: link, bytes.
    under_way: VecDeque<(ConnectionId, Vec<u8>)>,
}

fn tokens(first: u8) -> DrawToken {
    let mut number = first;
    Box::new(move || {
        number = number.wrapping_add(1);
        Token::new([number; 16])
    })
}

impl Room {
    fn new(seed: u64, config: Config, clients: usize, games: u32) -> Self {
        let settings = Settings { seed: Seed::new(seed), ..Settings::default() };
        let clients = (0..clients).map(|place| {
            let nickname = format!("player {place}").parse().unwrap();
            let settings = clients::eriantys::Settings {
                games: Some(games),
                ..clients::eriantys::Settings::new(nickname, config)
            };
            Client {
                session: Session::new(settings, SimTime::START),
                policy: RandomPolicy::new(Seed::new(seed).child(place as u64).game()),
                link: None,
                end: None,
                results: Vec::new(),
                outcomes: Vec::new(),
            }
        });
        Self {
            master: Master::new(settings, tokens(0)),
            clients: clients.collect(),
            now: SimTime::START,
            records: Vec::new(),
            ended: Vec::new(),
            next_link: 0,
            chance: Seed::new(seed).child(1000).game(),
            under_way: VecDeque::new(),
        }
    }

    fn below(&mut self, count: u32) -> u32 {
        self.chance.below(count)
    }

    fn serve(&mut self, input: Input<'_>) {
        self.master.handle(self.now, input);
        while let Some(output) = self.master.poll_output() {
            match output {
                Output::Record(record) => self.records.push(record),
                Output::Send(id, bytes) => self.under_way.push_back((id, bytes)),
                // An empty piece stands for the end.
                Output::Close(id) => self.under_way.push_back((id, Vec::new())),
                Output::Ended(game) => self.ended.push(*game),
                // No client is local.
                Output::Tell(..) | Output::Done => {}
            }
        }
    }

    /// Does what a client's session wants.
    fn obey(&mut self, place: usize) {
        let mut seen = Observation::default();
        while let Some(wanted) = self.clients[place].session.poll_output() {
            match wanted {
                Wanted::Connect => {
                    let id = ConnectionId(self.next_link);
                    self.next_link += 1;
                    self.clients[place].link = Some(id);
                    self.clients[place].session.handle(self.now, Heard::Connected);
                    self.serve(Input::Connected(id, Origin::Unknown));
                }
                Wanted::Send(bytes) => {
                    if let Some(id) = self.clients[place].link {
                        let cut = self.below(u32::try_from(bytes.len()).unwrap()) as usize;
                        self.serve(Input::Received(id, &bytes[..cut]));
                        self.serve(Input::Received(id, &bytes[cut..]));
                    }
                }
                Wanted::Decide => {
                    let client = &mut self.clients[place];
                    assert!(client.session.observe(&mut seen));
                    let player = client.session.player().unwrap();
                    let Choice::Act(action) =
                        Policy::<State>::choose(&mut client.policy, SimTime::START, player, &seen)
                    else {
                        panic!("a random policy acts");
                    };
                    client.session.handle(self.now, Heard::Choice(Some(action)));
                }
                Wanted::Report(News::Over { has_won, .. }) => self.clients[place].results.push(has_won),
                Wanted::Report(News::Refused(why)) => {
                    // Another client was faster, or a player is missing.
                    let expected =
                        ["waits for", "turn of", "are not free", "is taken: expected", "1 is not open"];
                    assert!(expected.iter().any(|words| why.contains(words)), "{why}");
                }
                Wanted::Report(News::Senseless(why)) => panic!("{why}"),
                Wanted::Over(outcome) => self.clients[place].outcomes.push(outcome),
                Wanted::Hear(_) | Wanted::Report(_) => {}
                Wanted::Done(end) => {
                    self.clients[place].end = Some(end);
                    if let Some(id) = self.clients[place].link.take() {
                        self.serve(Input::Ended(id));
                    }
                }
            }
        }
    }

    fn lose(&mut self, place: usize) {
        if let Some(id) = self.clients[place].link.take()
            && self.clients[place].end.is_none()
        {
            self.serve(Input::Ended(id));
            self.clients[place].session.handle(self.now, Heard::Closed);
        }
    }

    /// The server is killed, and another one goes on with its records.
    fn kill(&mut self) {
        let first = u8::try_from(self.next_link % 200).unwrap();
        let settings = self.master.settings().clone();
        self.master = Master::restore(settings, tokens(first), self.records.clone()).unwrap();
        // Outputs for earlier replays are repeated: they are dropped.
        while self.master.poll_output().is_some() {}
        self.records = self.master.snapshot();
        self.under_way.clear();
        for place in 0..self.clients.len() {
            if self.clients[place].link.take().is_some() && self.clients[place].end.is_none() {
                self.clients[place].session.handle(self.now, Heard::Closed);
            }
        }
    }

    /// Plays until all clients have ended; returns the number of faults.
    fn play(&mut self, mut faults: u32) {
        for _ in 0..200_000 {
            for place in 0..self.clients.len() {
                self.obey(place);
            }
            if self.clients.iter().all(|client| client.end.is_some()) {
                return;
            }
            if let Some((id, bytes)) = self.under_way.pop_front() {
                let place = self.clients.iter().position(|client| client.link == Some(id));
                if let Some(place) = place.filter(|place| self.clients[*place].end.is_none()) {
                    if bytes.is_empty() {
                        self.clients[place].link = None;
                        self.clients[place].session.handle(self.now, Heard::Closed);
                    } else {
                        self.clients[place].session.handle(self.now, Heard::Received(&bytes));
                    }
                }
            } else {
                self.now += Millis::new(50);
                self.serve(Input::Tick);
                for client in self.clients.iter_mut().filter(|client| client.end.is_none()) {
                    client.session.handle(self.now, Heard::Tick);
                }
            }
            if faults > 0 && self.master.matches().next().is_some() && self.below(60) == 0 {
                faults -= 1;
                match self.below(4) {
                    0 => self.kill(),
                    _ => {
                        let place = self.below(u32::try_from(self.clients.len()).unwrap()) as usize;
                        self.lose(place);
                    }
                }
            }
        }
        panic!("the clients do not end at {:?}", self.master.totals());
    }
}

/// Returns the outcome by the rules.
fn check_result(game: &Ended) -> Outcome {
    let mut state = State::new(&game.config, game.seed);
    for action in &game.actions {
        let Turn::Act { agent, .. } = state.turn() else { panic!("it is over before its end") };
        assert_eq!(state.table().refusal(agent, *action), None);
        state.step(SimTime::START, agent, *action, &mut ());
    }
    assert_eq!(game.disruption, None);
    let Turn::Over(outcome) = state.turn() else { panic!("it is not over") };
    outcome
}

#[test]
fn clients_play_whole_matches() {
    for seed in 0..12 {
        let players = u8::try_from(2 + seed % 3).unwrap();
        let config = Config::new(players, seed % 2 == 0).unwrap();
        let mut room = Room::new(seed, config, players.into(), 2);
        room.play(0);
        assert!(room.clients.iter().all(|client| client.end == Some(End::Played)));
        assert_eq!(room.ended.len(), 2);
        let outcomes: Vec<Outcome> = room.ended.iter().map(check_result).collect();
        for client in &room.clients {
            assert_eq!(client.outcomes.len(), outcomes.len());
            for (heard, outcome) in client.outcomes.iter().zip(&outcomes) {
                assert_eq!(
                    (heard.winner(), heard.returns),
                    (outcome.winner(), outcome.returns),
                    "seed {seed}"
                );
            }
        }
        assert!(room.clients.iter().all(|client| client.results.len() == 2));
        assert!(room.clients.iter().any(|client| client.results.contains(&true)));
    }
}

#[test]
fn a_client_that_wants_a_match_that_is_over_learns_its_result() {
    let config = Config::new(2, false).unwrap();
    let mut room = Room::new(1, config, 2, 1);
    room.play(0);
    let mut late = Room::new(2, config, 1, 5).clients.remove(0);
    let nickname = "player 0".parse().unwrap();
    let settings = clients::eriantys::Settings {
        number: Some(1),
        games: Some(5),
        ..clients::eriantys::Settings::new(nickname, config)
    };
    late.session = Session::new(settings, room.now);
    room.clients.push(late);
    room.play(0);
    assert_eq!(room.clients[2].end, Some(End::Played));
    assert_eq!(room.clients[2].results, room.clients[0].results);
}

/// Connections break and the server is killed, at moments that the seed draws: every match comes to its end, with the
/// result of its replay.
#[test]
fn no_fault_changes_a_match() {
    for seed in 0..100 {
        let players = u8::try_from(2 + seed % 3).unwrap();
        let config = Config::new(players, seed % 2 == 0).unwrap();
        let mut room = Room::new(seed, config, players.into(), 1);
        room.play(8);
        let ends: Vec<_> = room.clients.iter().map(|client| client.end.clone().unwrap()).collect();
        // A player that is away at the very end learns the result when it comes back.
        assert!(ends.iter().all(|end| *end == End::Played), "seed {seed}: {ends:?}");
        let [game] = &room.ended[..] else { panic!("seed {seed}: {} matches", room.ended.len()) };
        check_result(game);
    }
}
