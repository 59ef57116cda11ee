//! The lobby of a game of The Project Game: the agents that have joined, the connection to the communication server,
//! and what starts the game.
//!
//! It writes the messages of this room, and decides when the operator may start. It knows no game master.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use game_env::replay::Player;
use game_env::{AgentId, ByTeam, Millis, Note, Seed};
use game_project::State;
use wire::project::AgentNumber;

use super::feed;
use crate::matches::{Connection, LiveMatch, Lobby, Opening, Settings, SinglePage};

/// The page of a game of The Project Game, as its host uses it. Clones are handles of the same page.
#[derive(Clone, Debug)]
pub struct GamePage {
    page: SinglePage<State>,
    status: Arc<Mutex<Status>>,
}

/// The state of the host beside the game.
#[derive(Debug)]
struct Status {
    team_size: u16,
    members: ByTeam<Vec<AgentNumber>>,
    starts: Starts,
    server: Option<Server>,
    has_begun: bool,
}

/// The automatic start of a game.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Starts {
    /// Whether it starts when both teams are full.
    pub when_full: bool,
    /// Time from the start of the game master to that of the game, if both teams have agents.
    pub after: Option<Millis>,
}

/// The connection to the communication server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Server {
    /// The server's name or address.
    pub host: String,
    /// Its port for the game master.
    pub port: u16,
    /// The state of the connection.
    pub contact: Contact,
}

/// The state of the connection to a communication server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contact {
    /// It is being made.
    Connecting,
    /// It is there.
    Connected,
    /// It cannot be made, or is no communication server's: the parameter that is probably wrong, and what happened.
    Failed(&'static str, String),
    /// It was there and is no more: what happened.
    Lost(String),
}

impl GamePage {
    /// Opens a lobby without agents for teams of at most this size.
    pub fn new(page: SinglePage<State>, team_size: u16, starts: Starts) -> Self {
        let status = Status { team_size, members: ByTeam::default(), starts, server: None, has_begun: false };
        page.lobby(status.lobby());
        Self { page, status: Arc::new(Mutex::new(status)) }
    }

    /// Shows these settings.
    pub fn settings(&self, settings: impl Settings + 'static) {
        self.page.settings(settings);
    }

    /// Shows the agents that have joined: the connections of each team, which has at most this many agents.
    pub fn lobby(&self, team_size: u16, members: ByTeam<Vec<AgentNumber>>) {
        let mut status = self.status();
        (status.team_size, status.members) = (team_size, members);
        self.page.lobby(status.lobby());
    }

    /// Shows what became of the connection to the communication server. A page that never hears of it belongs to a game
    /// whose server is in the same process.
    pub fn server(&self, server: Server) {
        let mut status = self.status();
        if !matches!(server.contact, Contact::Connecting | Contact::Connected) && !status.has_begun {
            // The agents' connections are gone as well.
            status.members = ByTeam::default();
        }
        let connection = connection(&server);
        status.server = Some(server);
        if status.has_begun {
            self.page.connection(connection);
        } else {
            self.page.lobby(status.lobby());
        }
    }

    /// Returns whether the game master is connected to a communication server, so that it can connect to no other one.
    pub fn is_connected(&self) -> bool {
        self.status().server.as_ref().is_none_or(|server| server.contact == Contact::Connected)
    }

    /// Shows a warning, also to those who come later in the game.
    pub fn warn(&self, text: &str) {
        self.page.warn(text);
    }

    /// Begins the game, whose first state follows from its configuration and this seed; `players` are in the order of
    /// agent ids.
    pub fn open(&self, state: &State, seed: Seed, players: Vec<Player>) -> LiveMatch<State> {
        self.status().has_begun = true;
        let (title, config, people) = (String::new(), state.config().clone(), Vec::new());
        self.page.open(Opening { title, config, seed, players, people })
    }

    /// Shows what the strategy of an agent notes. It never waits; if viewers are far behind, the note is lost.
    pub fn note(&self, agent: AgentId, note: Note) {
        self.page.note(agent, note);
    }

    fn status(&self) -> MutexGuard<'_, Status> {
        // Nothing that is done under the lock can panic half-way.
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Status {
    fn lobby(&self) -> Lobby {
        let Self { team_size, members, starts, server, .. } = self;
        let start_refusal = (!may_start(members)).then(|| "a team has no agents yet".to_owned());
        let message = feed::lobby(*team_size, members, *starts);
        Lobby { message, start_refusal, connection: server.as_ref().map(connection) }
    }
}

fn connection(server: &Server) -> Connection {
    Connection { message: feed::server(server), is_connected: server.contact == Contact::Connected }
}

/// Returns whether the operator may start the game: both teams have an agent.
pub(super) fn may_start(members: &ByTeam<Vec<AgentNumber>>) -> bool {
    members.iter().all(|members| !members.is_empty())
}

#[cfg(test)]
mod tests {
    use game_env::{Environment as _, SimTime, Turn, Witness as _};
    use game_project::{Action, RawConfig};

    use super::*;
    use crate::event_queue::{EventQueue, Step};
    use crate::matches::{Change, Matches, SingleFeed};
    use crate::outbox::Limits;

    /// Takes everything that waits; returns whether something was left out.
    fn follow(feed: &mut SingleFeed<State>, queue: &EventQueue<Change<State>>, room: usize) -> bool {
        let changes = queue.take();
        // The match begins and goes on after a gap by entries of their own.
        assert!(changes.len() <= room + 2, "{}", changes.len());
        let mut has_gap = false;
        for change in changes {
            match change {
                Change::Lobby(lobby) => feed.lobby(lobby),
                Change::Opened(_, opening) => feed.open(*opening),
                Change::Step(_, step) => {
                    has_gap |= matches!(step, Step::Lost(_));
                    feed.step(step);
                }
                Change::Over(_, at) => feed.over(at),
                _ => panic!("nothing else is shown"),
            }
        }
        has_gap
    }

    #[test]
    fn a_page_that_is_kept_from_its_queue_stays_bounded_and_goes_on_from_a_later_state() {
        const ROOM: usize = 100;
        let queue = Arc::new(EventQueue::with_room(ROOM));
        let mut feed = SingleFeed::new(Limits::default());
        let page = GamePage::new(SinglePage::new(Matches::new(queue.clone())), 2, Starts::default());
        assert_eq!(feed.start_refusal(), Some("the lobby is not open yet"));
        follow(&mut feed, &queue, ROOM);
        assert_eq!(feed.start_refusal(), Some("a team has no agents yet"));
        // No game of random agents ends here.
        let raw = RawConfig { number_of_goals: 200, number_of_pieces: 60, ..RawConfig::default() };
        let seed = Seed::new(3);
        let mut state = State::new(&raw.check().unwrap(), seed);
        let mut live = page.open(&state, seed, Player::all(&state, |_| "random"));
        follow(&mut feed, &queue, ROOM);
        let mut chance = Seed::new(5).game();
        let mut step = |state: &mut State, live: &mut LiveMatch<State>| {
            let Turn::Act { agent, from, .. } = state.turn() else { panic!("the game goes on") };
            let mut legal = Vec::new();
            state.legal_actions(agent, &mut legal);
            legal.retain(|action| !matches!(action, Action::Ask(_) | Action::Answer { .. }));
            let action = legal.swap_remove(chance.below(u32::try_from(legal.len()).unwrap()) as usize);
            let now = from.max(state.clock());
            live.action(state, now, agent, &action);
            state.step(now, agent, action, &mut ());
        };
        for steps in [50, ROOM, ROOM + 1, 1000, 7] {
            (0..steps).for_each(|_| step(&mut state, &mut live));
            assert!(!follow(&mut feed, &queue, ROOM), "what fits is all there");
            drop(feed.new_messages());
            // The next step tells those who were left behind where the game is.
            step(&mut state, &mut live);
            page.note(AgentId::new(1), Note::default());
            assert_eq!(follow(&mut feed, &queue, ROOM), steps > ROOM, "{steps}");
            assert_eq!(feed.state().map(State::setup), Some(state.setup()));
            let begins_anew = feed.new_messages().any(|message| message.is_fresh_start);
            assert_eq!(begins_anew, steps > ROOM, "{steps}");
        }
        live.end(&state, state.clock().max(SimTime::from_millis(1)));
        follow(&mut feed, &queue, ROOM);
        let end = feed.end().expect("the game is over");
        assert_eq!(end.replay, None, "a part of it is missing");
        assert_eq!(feed.start_refusal(), Some("the game has begun already"));
    }
}
