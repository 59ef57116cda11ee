//! The feed of a game: what the messages say, and that a reader that applies them knows the game.

use std::collections::{BTreeMap, BTreeSet};

use game_env::replay::{Player, Writer};
use game_env::{
    AgentId, Disruption, Environment, Limits, Note, Parameters, Place, Rollout, Seed, Shape, SimTime,
    Termination, Witness,
};
use game_project::policy::Random;
use game_project::{Action, Direction, Event, Information, Piece, RawConfig, Setup, State, Team};
use insta::assert_snapshot;
use reference_gm::project::config::HostConfig;
use reference_gm::project::page::PageSettings;
use serde_json::Value;
use viewer::feed;
use viewer::games::project::feed::{self as project_feed, Feed};
use viewer::games::project::lobby::{Contact, Server, Starts};
use viewer::matches::Settings as _;
use viewer::recording::Recording;
use viewer::room::GameFeed as _;

/// The knowledge of a page that applies the entries of a feed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Model {
    columns: u16,
    agents: Vec<Option<Figure>>,
    points: Vec<u64>,
    /// The pieces of each field, shams as true, the lowest first.
    fields: BTreeMap<(u16, u16), Vec<bool>>,
    open: BTreeSet<(u16, u16)>,
    covered: BTreeSet<(u16, u16)>,
    pub(crate) is_over: bool,
}

/// An agent on the board, and whether what it has in hand is a sham.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Figure {
    at: (u16, u16),
    hand: Option<bool>,
}

fn number(value: &Value) -> u16 {
    u16::try_from(value.as_u64().unwrap()).unwrap()
}

fn place(value: &Value) -> (u16, u16) {
    (number(&value[0]), number(&value[1]))
}

impl Model {
    /// Returns the knowledge of a page after this start message.
    pub(crate) fn begin(start: &Value) -> Self {
        assert_eq!(start["kind"], "start");
        let list = |value: &Value| value.as_array().unwrap().clone();
        let places = |areas: &Value| -> BTreeSet<_> {
            ["red", "blue"].iter().flat_map(|team| list(&areas[*team])).map(|at| place(&at)).collect()
        };
        let covered = places(&start["covered"]);
        let mut fields: BTreeMap<_, Vec<bool>> = BTreeMap::new();
        for piece in list(&start["lying"]) {
            fields.entry(place(&piece)).or_default().push(piece[2] == 1);
        }
        let figure = |agent: &Value| {
            let hand = agent["holding"].as_str().map(|piece| piece == "sham");
            (agent.get("gone").is_none())
                .then(|| Figure { at: (number(&agent["x"]), number(&agent["y"])), hand })
        };
        Self {
            columns: number(&start["board"]["columns"]),
            agents: list(&start["agents"]).iter().map(figure).collect(),
            points: list(&start["points"]).iter().map(|points| points.as_u64().unwrap()).collect(),
            fields,
            open: places(&start["goals"]).difference(&covered).copied().collect(),
            covered,
            is_over: false,
        }
    }

    /// Takes in a message, if it says something of the game.
    pub(crate) fn message(&mut self, message: &Value) {
        match message["kind"].as_str().unwrap() {
            "start" => *self = Self::begin(message),
            "events" => message["events"].as_array().unwrap().iter().for_each(|entry| self.entry(entry)),
            _ => {}
        }
    }

    /// Takes over the changes of an entry: no rule of the game is needed.
    fn entry(&mut self, entry: &Value) {
        let changes = entry.as_array().unwrap().last().unwrap();
        let field = |value: &Value| {
            let field = value.as_u64().unwrap();
            let columns = u64::from(self.columns);
            (u16::try_from(field % columns).unwrap(), u16::try_from(field / columns).unwrap())
        };
        if entry[1] == "over" {
            self.is_over = true;
        }
        if !changes["laid"].is_null() {
            let at = field(&changes["laid"][0]);
            self.fields.entry(at).or_default().push(changes["laid"][1] == 1);
        }
        if !changes["taken"].is_null() {
            let at = field(&changes["taken"]);
            let pile = self.fields.get_mut(&at).expect("a piece lies there");
            pile.pop();
            if pile.is_empty() {
                self.fields.remove(&at);
            }
        }
        if !changes["covered"].is_null() {
            let at = field(&changes["covered"]);
            assert!(self.open.remove(&at), "{entry}");
            self.covered.insert(at);
        }
        if let Some(points) = changes["points"].as_array() {
            self.points = points.iter().map(|points| points.as_u64().unwrap()).collect();
        }
        let Some(place) = entry[2].as_u64().filter(|_| entry[1] != "over") else { return };
        let slot = &mut self.agents[usize::try_from(place).unwrap()];
        if let Some(agent) = slot {
            if entry[1] == "moved" {
                agent.at = (number(&entry[3]), number(&entry[4]));
            }
            match changes["hand"].as_u64() {
                Some(0) => agent.hand = None,
                Some(piece) => agent.hand = Some(piece == 2),
                None => {}
            }
        } else {
            assert_eq!(entry[1], "refused", "{entry} of an agent that is gone");
        }
        if changes["gone"] == true {
            *slot = None;
        }
    }

    /// Returns the knowledge that a page should have in this state.
    pub(crate) fn truth(state: &State) -> Self {
        let setup: Setup = state.setup();
        let places = |areas: &game_env::ByTeam<Vec<game_project::Position>>| {
            areas.iter().flatten().map(|at| (at.x, at.y)).collect()
        };
        let mut fields: BTreeMap<_, Vec<bool>> = BTreeMap::new();
        for (at, piece) in &setup.pieces {
            fields.entry((at.x, at.y)).or_default().push(piece.is_sham());
        }
        let mut agents = vec![None; state.agents()];
        for placement in &setup.agents {
            let at = (placement.position.x, placement.position.y);
            agents[placement.agent.index()] = Some(Figure { at, hand: placement.hand.map(Piece::is_sham) });
        }
        Self {
            columns: setup.geometry.columns(),
            agents,
            points: state.points().into_inner().map(u64::from).to_vec(),
            fields,
            open: places(&setup.goals),
            covered: places(&setup.covered),
            is_over: matches!(state.turn(), game_env::Turn::Over(_)),
        }
    }
}

fn parse(message: &str) -> Value {
    serde_json::from_str(message).unwrap()
}

/// A witness that knows the game by its feed alone, and compares it with the truth before every step.
struct Follower {
    feed: Feed,
    model: Model,
    words: BTreeMap<String, u32>,
    last: u64,
}

impl Follower {
    fn new(state: &State) -> Self {
        let feed = Feed::new(state, Seed::new(1), &[]);
        Self { model: Model::begin(&parse(&feed.start(state))), feed, words: BTreeMap::new(), last: 0 }
    }

    fn compare(&mut self, state: &State) {
        self.feed.settle(state);
        while let Some(message) = self.feed.take() {
            let message = parse(&message);
            for entry in message["events"].as_array().unwrap() {
                *self.words.entry(entry[1].as_str().unwrap().to_owned()).or_default() += 1;
                let at = entry[0].as_u64().unwrap();
                assert!(self.last <= at, "time runs back to {entry}");
                self.last = at;
            }
            self.model.message(&message);
        }
        let truth = Model::truth(state);
        assert_eq!(self.model, truth);
        // A viewer that comes now knows as much, except for the end.
        let newcomer = Model::begin(&parse(&self.feed.start(state)));
        assert_eq!(Model { is_over: truth.is_over, ..newcomer }, truth);
    }
}

impl Witness<State> for Follower {
    fn event(&mut self, now: SimTime, event: &Event) {
        self.feed.event(now, event);
    }

    fn action(&mut self, state: &State, now: SimTime, agent: AgentId, action: &Action) {
        self.compare(state);
        self.feed.action(state, now, agent, action);
    }

    fn disruption(&mut self, state: &State, now: SimTime, disruption: Disruption) {
        self.compare(state);
        self.feed.disruption(state, now, disruption);
    }

    fn end(&mut self, state: &State, _: SimTime) {
        self.compare(state);
    }
}

#[test]
fn a_reader_that_applies_the_feed_knows_the_game() {
    let mut words: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..60 {
        let raw = RawConfig {
            board_x: 3 + i64::try_from(seed % 3).unwrap(),
            board_y: 6,
            goal_area_height: 2,
            number_of_goals: 3,
            number_of_pieces: 9,
            team_size: 3,
            landing_pick_up: seed % 4 > 0,
            put_penalty: if seed % 5 == 0 { 0 } else { 500 },
            ..RawConfig::default()
        };
        let seed = Seed::new(seed);
        let mut state = State::new(&raw.check().unwrap(), seed);
        let mut policies: Vec<Random> =
            AgentId::all(state.agents()).map(|agent| Random::new(seed, agent)).collect();
        let lost = |at, agent| (SimTime::from_millis(at), Disruption::AgentLost(AgentId::new(agent)));
        let rollout = Rollout {
            limits: Limits { steps: 400, ..Limits::default() },
            disruptions: vec![lost(20_000, 1), lost(30_000, 4), lost(40_000, 0)],
            ..Rollout::default()
        };
        let mut follower = Follower::new(&state);
        rollout.play(&mut state, &mut policies, &mut follower);
        assert!(follower.model.is_over);
        for (word, count) in follower.words {
            *words.entry(word).or_default() += count;
        }
    }
    // Otherwise little was shown.
    for word in [
        "moved",
        "discovered",
        "picked-up",
        "put",
        "checked",
        "destroyed",
        "refused",
        "landed",
        "appeared",
        "left",
        "over",
    ] {
        assert!(words.get(word).is_some_and(|count| *count >= 10), "{word}: {words:?}");
    }
}

/// A game of a few moments in which something of everything happens.
#[test]
fn every_entry_is_as_the_book_tells() {
    let rules = RawConfig { sham_piece_probability: 1.0, landing_pick_up: false, ..RawConfig::default() };
    let setup: Setup = "
        g   gR0+p
        --------
        sR1! B2
        .   pB3+s
        --------
        g   g"
        .parse()
        .unwrap();
    let seed = Seed::new(3);
    let mut state = setup.play(&rules, seed).unwrap();
    let names = ["greedy", "random", "</script>", "ä"];
    let players = Player::all(&state, |agent| names[agent.index()]);
    let mut feed = Feed::new(&state, seed, &players);
    let mut told = vec![feed.start(&state)];
    let agent = AgentId::new;
    let information: Information = "distances=-*3,inf,0 red=? blue=N,G".parse().unwrap();
    let answer = Action::Answer { to: agent(2), information: information.into() };
    let note = Note {
        text: "home \"now\"".to_owned(),
        shapes: vec![
            Shape::Field(Place { x: 1, y: 2 }),
            Shape::Line(Place { x: 0, y: 0 }, Place { x: 1, y: 3 }),
            Shape::Label(Place { x: 0, y: 1 }, "here".to_owned()),
        ],
    };
    let actions = [
        (0, 1, Action::PickUp),
        (0, 1, Action::Check),
        (0, 1, Action::Discover), // too early
        (0, 2, Action::Ask(agent(3))),
        (10, 3, answer),
        (20, 0, Action::Move(Direction::North)), // off the board
        (700, 1, Action::Discover),
        (1600, 0, Action::Move(Direction::West)),
        (3200, 0, Action::Put),
        (3300, 1, Action::Ask(agent(0))),
        (3800, 0, Action::Put), // the leader waits
        (4400, 2, Action::Destroy),
        (5000, 3, Action::Put),
        (6000, 3, Action::PickUp),
        (6100, 3, Action::Destroy),
    ];
    for (at, who, action) in actions {
        let at = SimTime::from_millis(at);
        feed.action(&state, at, agent(who), &action);
        if let Action::PickUp = action {
            feed.note(&state, at, agent(who), &note);
        }
        state.step(at, agent(who), action, &mut feed.sink());
    }
    for (at, disruption) in
        [(7000, Disruption::AgentLost(agent(2))), (7500, Disruption::Ended(Termination::Stopped))]
    {
        let at = SimTime::from_millis(at);
        feed.disruption(&state, at, disruption);
        state.disrupt(at, disruption, &mut feed.sink());
    }
    feed.end(&state, state.clock());
    told.push(feed.take().unwrap().replace("],[", "],\n["));
    assert_eq!(feed.take(), None);
    assert_snapshot!(told.join("\n"));
    assert_eq!(feed.document(&state)["points"]["red"], 1);
}

/// Two agents on the only two task fields: wherever a new piece appears, it lands in an agent's hand.
#[test]
fn a_piece_that_lands_is_told_with_what_it_is() {
    for (probability, sham) in [(0.0, 0), (1.0, 1)] {
        let rules = RawConfig { sham_piece_probability: probability, ..RawConfig::default() };
        let setup: Setup = "g .\nR0+p B1\n. g".parse().unwrap();
        let mut state = setup.play(&rules, Seed::new(1)).unwrap();
        let mut feed = Feed::new(&state, Seed::new(1), &[]);
        state.step(SimTime::START, AgentId::new(0), Action::Destroy, &mut feed.sink());
        feed.settle(&state);
        let events = parse(&feed.take().unwrap())["events"].clone();
        assert_eq!(events[1][1], "landed", "{events}");
        assert_eq!((&events[1][3], &events[1][4]["hand"]), (&sham.into(), &(1 + sham).into()), "{events}");
    }
}

/// The figures of the entries are those of the document, but for the locks that still run at the end.
#[test]
fn a_reader_that_takes_over_the_figures_has_the_statistics() {
    let small = RawConfig {
        board_x: 5,
        board_y: 7,
        goal_area_height: 2,
        number_of_goals: 5,
        number_of_pieces: 9,
        team_size: 3,
        ..RawConfig::default()
    };
    let (file, _) = replay(&small, 600);
    let recording = Recording::read(&file[..], "game.replay").unwrap();
    let messages: Vec<Value> = recording.messages.iter().map(|message| parse(message)).collect();
    let names = messages[1]["figures"].as_array().unwrap();
    let mut figures = vec![vec![0; names.len()]; 6];
    let mut locked_until = [0; 6];
    let entries = messages.iter().filter_map(|message| message["events"].as_array()).flatten();
    for entry in entries.map(|entry| entry.as_array().unwrap()) {
        let changes = entry.last().unwrap();
        for figure in changes["figures"].as_array().into_iter().flatten().collect::<Vec<_>>().chunks(3) {
            let [agent, place, value] = [0, 1, 2].map(|part| figure[part].as_u64().unwrap());
            figures[usize::try_from(agent).unwrap()][usize::try_from(place).unwrap()] = value;
        }
        let actor =
            if entry[1] == "asked" || entry[1] == "asked-again" || entry[1] == "answered" { 3 } else { 2 };
        if let Some(until) = changes["lock"].as_u64() {
            locked_until[usize::try_from(entry[actor].as_u64().unwrap()).unwrap()] = until;
        }
    }
    let end = recording.statistics["timeMs"].as_u64().unwrap();
    let mut different = BTreeSet::new();
    let mut rests = [0; 6];
    for (agent, figures) in figures.iter().enumerate() {
        let document = &recording.statistics["agents"][agent];
        for (name, value) in names.iter().zip(figures) {
            let name = name.as_str().unwrap();
            let path = format!("/{}", name.replace('.', "/"));
            let rest = if name == "lockedMs" { locked_until[agent].saturating_sub(end) } else { 0 };
            let told = document.pointer(&path).and_then(Value::as_u64).unwrap();
            if name.starts_with("lockedMsBy.") {
                // The lock that still runs belongs to one of the kinds.
                rests[agent] += value - told;
            } else {
                assert_eq!(told, value - rest, "{agent}: {name}");
            }
            if *value > 0 {
                different.insert(name);
            }
        }
    }
    assert_eq!(rests, locked_until.map(|until| until.saturating_sub(end)));
    // The figures of random agents, except those of questions: they ask nobody.
    assert!(different.len() >= 14, "{different:?}");
}

/// A replay of a game of random agents, and the state in which it ended.
pub(crate) fn replay(raw: &RawConfig, steps: u64) -> (Vec<u8>, State) {
    let (config, seed) = (raw.check().unwrap(), Seed::new(3));
    let mut state = State::new(&config, seed);
    let mut policies: Vec<Random> =
        AgentId::all(state.agents()).map(|agent| Random::new(seed, agent)).collect();
    let mut writer = Writer::in_memory::<State>(&config, seed, "random", "tests");
    let limits = Limits { steps, ..Limits::default() };
    Rollout { limits, ..Rollout::default() }.play(&mut state, &mut policies, &mut writer);
    (writer.finish().unwrap(), state)
}

#[test]
fn a_replay_is_shown_to_its_end() {
    let (file, state) = replay(&RawConfig::default(), 20_000);
    let recording = Recording::read(&file[..], "game.replay").unwrap();
    let messages: Vec<Value> = recording.messages.iter().map(|message| parse(message)).collect();
    assert_eq!(messages[0]["kind"], "hello");
    assert_eq!((&messages[0]["mode"], &messages[0]["file"]), (&"replay".into(), &"game.replay".into()));
    assert_eq!(messages[1]["agents"][3]["name"], "random");
    let mut model = Model::begin(&messages[1]);
    messages[2..].iter().for_each(|message| model.message(message));
    assert_eq!(model, Model::truth(&state));
    let last = messages.last().unwrap();
    assert_eq!((&last["kind"], &last["document"]), (&"statistics".into(), &recording.statistics));
    assert_eq!(last["document"]["requests"], 20_000);
    // Long games come in parts.
    assert!(messages.len() > 5, "{}", messages.len());
    assert!(recording.messages.iter().all(|message| message.len() < 100_000));
    let array: Vec<Value> = serde_json::from_str(&recording.feed()).unwrap();
    assert_eq!(array, messages);
}

#[test]
fn a_replay_that_breaks_off_is_shown_up_to_there() {
    let (file, _) = replay(&RawConfig { team_size: 3, ..RawConfig::default() }, 60_000);
    let recording = Recording::read(&file[..file.len() / 2], "cut").unwrap();
    let messages: Vec<Value> = recording.messages.iter().map(|message| parse(message)).collect();
    let [.., truncated, statistics] = &messages[..] else { panic!("{messages:?}") };
    assert_eq!(truncated["kind"], "truncated");
    assert_eq!(truncated["why"].as_str(), recording.truncated.as_deref());
    assert_eq!(statistics["document"]["outcome"], Value::Null);
    assert!(statistics["document"]["requests"].as_u64().unwrap() > 1000, "{statistics}");
    assert_eq!(messages.iter().filter(|message| message["kind"] == "events").count(), messages.len() - 4);
}

/// The pictures in the book show the settings, and the tests of the page invent a game master that has them.
#[test]
fn the_pictures_of_the_page_show_every_parameter_as_it_is() {
    let mut written: Value = parse(include_str!("../../../viewer/tests/browser/settings.json"));
    let config = HostConfig::layered(&Parameters::new(), &Parameters::new()).unwrap();
    let settings = PageSettings { config, page: None }.settings();
    let mut told = parse(&feed::settings(&settings, false, &[]))["parameters"].take();
    for parameter in told.as_array_mut().unwrap() {
        let parameter = parameter.as_object_mut().unwrap();
        parameter.remove("value");
        parameter.remove("origin");
    }
    // JavaScript writes 1.0 as 1.
    as_floats(&mut told);
    as_floats(&mut written);
    assert_eq!(
        told, written,
        "the pictures in book/src/images are older than the parameters: build `cs`, `reference-gm` and `bots`, \
         then run `npm run screenshots` in viewer/tests/browser, and look at them"
    );
}

fn as_floats(value: &mut Value) {
    match value {
        Value::Number(number) => *value = number.as_f64().into(),
        Value::Array(values) => values.iter_mut().for_each(as_floats),
        Value::Object(values) => values.values_mut().for_each(as_floats),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[test]
fn a_lobby_may_start_when_both_teams_have_somebody() {
    use wire::project::AgentNumber;
    let mut members: game_env::ByTeam<Vec<AgentNumber>> = game_env::ByTeam::default();
    members[Team::Red].push(AgentNumber(5));
    let by_operator = Starts::default();
    assert_snapshot!(project_feed::lobby(2, &members, by_operator), @r#"{"blue":[],"kind":"lobby","mayStart":false,"red":[5],"startsAfterMs":null,"startsWhenFull":false,"teamSize":2}"#);
    members[Team::Blue].push(AgentNumber(6));
    let by_itself = Starts { when_full: true, after: Some(game_env::Millis::new(30_000)) };
    assert_snapshot!(project_feed::lobby(2, &members, by_itself), @r#"{"blue":[6],"kind":"lobby","mayStart":true,"red":[5],"startsAfterMs":30000,"startsWhenFull":true,"teamSize":2}"#);
}

#[test]
fn a_server_is_told_with_what_became_of_its_connection() {
    let told = |port, contact| project_feed::server(&Server { host: "cs.example".to_owned(), port, contact });
    assert_snapshot!(told(3728, Contact::Connected), @r#"{"agentsPort":3727,"field":null,"host":"cs.example","kind":"server","port":3728,"state":"connected","why":null}"#);
    assert_snapshot!(told(4000, Contact::Failed("CsPort", "refused".to_owned())), @r#"{"agentsPort":null,"field":"CsPort","host":"cs.example","kind":"server","port":4000,"state":"failed","why":"refused"}"#);
    assert_snapshot!(told(4000, Contact::Lost("it closed".to_owned())), @r#"{"agentsPort":null,"field":null,"host":"cs.example","kind":"server","port":4000,"state":"lost","why":"it closed"}"#);
    assert_eq!(parse(&told(4000, Contact::Connecting))["state"], "connecting");
}
