//! A small host of Dots & Boxes on the page: matches of random players that go on at a command, and people who play
//! against a random player or against one another.
//!
//!     cargo run -p viewer --example dots_host -- 127.0.0.1:8000
//!
//! It reads commands from its input, one a line: `open TITLE` begins a match of two random players, `move MATCH
//! COUNT` plays some of its moves, `finish MATCH` all that are left, and `drop MATCH` lets it go. `size ROWS COLUMNS`
//! is for matches that begin later. An operator, who opens the address with the token, starts matches on the settings
//! page, and makes the moves of the newest one.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _};
use std::sync::mpsc;
use std::thread;

use game_dots::notation::PARAMETERS;
use game_dots::{Config, Edge, State};
use game_env::parameter::Parameter;
use game_env::replay::Player;
use game_env::{
    AgentId, Chance, ConfigError, Disruption, Environment, Notation as _, Parameters, Seed, SimTime,
    Termination, Turn, Value, Witness as _,
};
use viewer::matches::{Answer, LiveMatch, MatchId, Matches, Opening, PersonId, Request, Settings};
use viewer::server::{Place, ServerLimits, ViewerServer};
use viewer::setting::Setting;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:0".to_owned());
    let (server, matches, mut requests) =
        ViewerServer::matches::<State>(Place::take(&address)?, ServerLimits::default())?;
    println!("{}", server.url());
    matches.offer("random", "Play against random");
    matches.offer("person", "Wait for another person");
    matches.settings(Size);
    matches.by_hand(true);
    let (inputs, input) = mpsc::channel();
    let commands = inputs.clone();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if commands.send(Input::Command(line)).is_err() {
                return;
            }
        }
        // The parent process has closed this program's input, or is gone.
        let _ = commands.send(Input::End);
    });
    thread::spawn(move || {
        while let Some(request) = requests.blocking_recv() {
            if inputs.send(Input::Request(request)).is_err() {
                return;
            }
        }
    });
    let mut host = Host {
        matches,
        config: Config::new(4, 4)?,
        tables: BTreeMap::new(),
        waiting: None,
        chance: Seed::new(5).game(),
    };
    for input in input {
        match input {
            Input::Command(line) => {
                if let Err(error) = host.command(&line) {
                    eprintln!("{line}: {error}");
                }
            }
            Input::Request(request) => host.request(request),
            Input::End => break,
        }
    }
    server.close("its input has ended");
    Ok(())
}

/// The settings of an operator: the configuration of a match.
struct Size;

impl Settings for Size {
    fn settings(&self) -> Vec<Setting> {
        shown(&Parameters::new())
    }

    fn check(&self, asked: &Parameters) -> Result<Vec<Setting>, ConfigError> {
        configured(asked).map(|_| shown(asked))
    }
}

/// Every parameter with these values; those that are missing have their defaults.
fn shown(asked: &Parameters) -> Vec<Setting> {
    let setting = |parameter: &Parameter| {
        let (value, origin) = match asked.get(parameter.name) {
            Some(value) => (value.clone(), "page"),
            None => (Value::from(parameter.default), "default"),
        };
        Setting { parameter: *parameter, value, origin: origin.to_owned() }
    };
    PARAMETERS.iter().map(setting).collect()
}

/// Returns the configuration with these values; those that are missing have their defaults.
fn configured(asked: &Parameters) -> Result<Config, ConfigError> {
    let missing = PARAMETERS
        .iter()
        .filter(|parameter| asked.get(parameter.name).is_none())
        .map(|parameter| (parameter.name.to_owned(), Value::from(parameter.default)));
    let asked = asked.iter().map(|(name, value)| (name.to_owned(), value.clone()));
    State::read_config(&missing.chain(asked).collect())
}

enum Input {
    Command(String),
    Request(Request<State>),
    End,
}

struct Host {
    matches: Matches<State>,
    config: Config,
    tables: BTreeMap<MatchId, Table>,
    /// The person who waits for another one.
    waiting: Option<(PersonId, String)>,
    chance: Chance,
}

struct Table {
    state: State,
    live: LiveMatch<State>,
    people: Vec<(AgentId, PersonId)>,
}

impl Table {
    fn step(&mut self, agent: AgentId, edge: Edge) {
        self.live.action(&self.state, SimTime::START, agent, &edge);
        self.state.step(SimTime::START, agent, edge, &mut ());
    }

    fn is_over(&self) -> bool {
        matches!(self.state.turn(), Turn::Over(_))
    }
}

impl Host {
    fn command(&mut self, line: &str) -> Result<(), Failure> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (first, second) = rest.split_once(' ').unwrap_or((rest, ""));
        match word {
            "open" => drop(self.open(rest, ["red", "blue"].map(str::to_owned), Vec::new())),
            "size" => self.config = Config::new(first.parse()?, second.parse()?)?,
            "move" => self.play(id(&self.tables, first)?, second.parse()?),
            "finish" => self.play(id(&self.tables, first)?, usize::MAX),
            "drop" => drop(self.tables.remove(&id(&self.tables, first)?)),
            _ => return Err("expected open, size, move, finish or drop".into()),
        }
        Ok(())
    }

    fn open(&mut self, title: &str, names: [String; 2], people: Vec<(AgentId, PersonId)>) -> MatchId {
        let seed = Seed::new(7);
        let state = State::new(&self.config, seed);
        let players = Player::all(&state, |agent| &names[agent.index()]);
        let (title, config) = (title.to_owned(), self.config);
        let live = self.matches.open(Opening { title, config, seed, players, people: people.clone() });
        let id = live.id();
        self.tables.insert(id, Table { state, live, people });
        self.answer_people(id);
        id
    }

    /// Random moves, for either player.
    fn play(&mut self, id: MatchId, moves: usize) {
        let Some(table) = self.tables.get_mut(&id) else { return };
        let mut legal = Vec::new();
        for _ in 0..moves {
            if table.is_over() {
                break;
            }
            let mover = table.state.mover();
            table.state.legal_actions(mover, &mut legal);
            let place = self.chance.below(u32::try_from(legal.len()).expect("a board has few lines"));
            table.step(mover, legal[place as usize]);
        }
        self.end_if_over(id);
    }

    /// Moves for players that are not persons, until it is a person's turn.
    fn answer_people(&mut self, id: MatchId) {
        while let Some(table) = self.tables.get(&id) {
            let mover = table.state.mover();
            if table.people.is_empty()
                || table.is_over()
                || table.people.iter().any(|(seat, _)| *seat == mover)
            {
                break;
            }
            self.play(id, 1);
        }
        self.end_if_over(id);
    }

    fn end_if_over(&mut self, id: MatchId) {
        if self.tables.get(&id).is_some_and(Table::is_over)
            && let Some(Table { state, mut live, .. }) = self.tables.remove(&id)
        {
            live.end(&state, SimTime::START);
        }
    }

    fn request(&mut self, request: Request<State>) {
        match request {
            Request::Join { person, name, offer, .. } if offer == "random" => {
                self.open("A person", [name, "random".to_owned()], vec![(AgentId::new(0), person)]);
            }
            Request::Join { person, name, .. } => match self.waiting.take() {
                Some((other, other_name)) => {
                    let people = vec![(AgentId::new(0), other), (AgentId::new(1), person)];
                    self.open("Two people", [other_name, name], people);
                }
                None => self.waiting = Some((person, name)),
            },
            Request::Action { id, agent, action, answer, .. } => self.act(id, agent, action, answer),
            Request::Leave { person, seat } => self.leave(person, seat),
            Request::Start { parameters, answer } => match configured(&parameters) {
                Ok(config) => {
                    self.config = config;
                    self.open("Started", ["red", "blue"].map(str::to_owned), Vec::new());
                    answer.accept();
                }
                Err(error) => answer.refuse(error.to_string()),
            },
            Request::Next { answer } => match self.tables.keys().next_back().copied() {
                Some(newest) => {
                    self.play(newest, 1);
                    answer.accept();
                }
                None => answer.refuse("no match is being played"),
            },
            _ => {}
        }
    }

    fn act(&mut self, id: MatchId, agent: AgentId, edge: Edge, answer: Answer) {
        match self.tables.get_mut(&id) {
            Some(table) if table.state.mover() == agent && !table.state.is_drawn(edge) => {
                table.step(agent, edge);
                answer.accept();
                self.answer_people(id);
            }
            Some(_) => answer.refuse("the line is drawn already"),
            None => answer.refuse("the match is over"),
        }
    }

    fn leave(&mut self, person: PersonId, seat: Option<(MatchId, AgentId)>) {
        self.waiting.take_if(|(waiting, _)| *waiting == person);
        let Some((id, agent)) = seat else { return };
        if let Some(table) = self.tables.get_mut(&id) {
            let left = Disruption::Forfeited(agent, Termination::Silence);
            table.live.disruption(&table.state, SimTime::START, left);
            table.state.disrupt(SimTime::START, left, &mut ());
            self.end_if_over(id);
        }
    }
}

/// Returns the number of a match that is being played.
fn id(tables: &BTreeMap<MatchId, Table>, text: &str) -> Result<MatchId, Failure> {
    let number: u64 = text.parse()?;
    let found = tables.keys().find(|id| id.number() == number);
    found.copied().ok_or_else(|| format!("no match {number} is being played").into())
}
