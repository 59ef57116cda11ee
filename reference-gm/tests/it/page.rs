//! The board for browsers: the viewers, the operator, and that none of them delays the game.

use std::time::Instant;

use game_env::replay::{Playback, Player};
use game_env::{AgentId, ByTeam, Chance, Environment, Note, Parameters, Seed, Shape, SimTime, Witness};
use game_project::{Action, Direction, RawConfig, State};
use insta::assert_snapshot;
use reference_gm::project::config::HostConfig;
use reference_gm::project::link::{Command, Observer as _, Order};
use reference_gm::project::page::{MasterPage, Operated, PageObserver, PageSettings};
use reference_gm::project::{Input, Master, Output};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;
use tokio::time::{Duration, timeout};
use viewer::event_queue::Step;
use viewer::games::project::lobby::{Contact, Server, Starts};
use viewer::matches::{End, Opening, SingleFeed};
use viewer::outbox::Limits;
use viewer::recording::Recording;
use viewer::server::{Place, ServerLimits, ViewerServer};
use wire::project::Dialect;

use crate::browser::Site;
use crate::feed::{Model, replay};
use crate::server::TIMEOUT;

/// A game master with inputs from a test alone, and its board.
struct Table {
    master: Master,
    page: MasterPage,
    observer: PageObserver,
    orders: mpsc::Receiver<Order>,
    board: ViewerServer,
    now: u64,
}

fn small() -> Parameters {
    let text = r#"{"boardX": 6, "boardY": 9, "goalAreaHeight": 2, "numberOfGoals": 6, "numberOfPieces": 12,
        "shamPieceProbability": 0.3, "seed": "7"}"#;
    serde_json::from_str(text).unwrap()
}

/// Limits of a board in a test: events are collected for a moment only.
fn brisk() -> ServerLimits {
    ServerLimits { pace: Duration::from_millis(1), ..ServerLimits::default() }
}

impl Table {
    fn new(server_limits: ServerLimits) -> Self {
        Self::with(server_limits, &small())
    }

    /// A game that has begun and that nobody wins, on a server that drops slow viewers after five seconds.
    fn endless(server_limits: ServerLimits) -> Self {
        let server_limits = ServerLimits { patience: Duration::from_secs(5), ..server_limits };
        let only_shams = [("shamPieceProbability", game_env::Value::Whole(1))].into_iter().collect();
        let mut table = Self::with(server_limits, &only_shams);
        table.join();
        table.input(Input::Start);
        table
    }

    fn with(server_limits: ServerLimits, flags: &Parameters) -> Self {
        let config = HostConfig::layered(&Parameters::new(), flags).unwrap();
        let settings = config.settings(Seed::new(1));
        let (sender, orders) = mpsc::channel(16);
        // It starts by nothing but an operator.
        let operated = Operated { config, orders: sender, starts: Starts::default(), drawn: Seed::new(1) };
        let place = Place::take("127.0.0.1:0").unwrap();
        let (board, page) = MasterPage::serve(place, server_limits, operated).unwrap();
        let observer = PageObserver::new(page.clone(), ByTeam::default());
        Self { master: Master::new(settings), page, observer, orders, board, now: 0 }
    }

    fn site(&self) -> Site {
        Site::of(self.board.url())
    }

    fn input(&mut self, input: Input<'_>) {
        self.master.handle(SimTime::from_millis(self.now), input, &mut self.observer);
        while let Some(output) = self.master.poll_output() {
            if let Output::Report(news) = output {
                self.observer.news(&self.master, &news);
            }
        }
    }

    fn says(&mut self, agent: i64, id: i64, payload: &str) {
        let body = format!(r#"{{"messageID":{id},"agentID":{agent},"payload":{payload}}}"#);
        self.input(Input::Body(body.as_bytes()));
    }

    /// Carries out an order of the page.
    async fn obey(&mut self) -> Order {
        let order = timeout(TIMEOUT, self.orders.recv()).await.expect("an order").unwrap();
        match &order {
            Order::Command(Command::Start) => self.input(Input::Start),
            Order::Command(Command::Stop) => self.input(Input::Stop),
            Order::Command(Command::End(termination)) => self.input(Input::End(*termination)),
            Order::Settings(settings) => self.input(Input::Settings(settings)),
            Order::Connect(..) => {}
        }
        order
    }

    fn join(&mut self) {
        for agent in 1..=4 {
            let team = if agent % 2 == 0 { "blue" } else { "red" };
            self.says(agent, 6, &format!(r#"{{"teamID":"{team}"}}"#));
        }
    }

    /// Serves this number of random requests of agents, a while after each other; fewer if the game is over before.
    fn play(&mut self, requests: u32) {
        let mut chance = Seed::new(u64::from(requests)).game();
        for _ in 0..requests {
            self.now += 200;
            let agent = 1 + i64::from(chance.below(4));
            let (id, payload) = any_request(&mut chance);
            self.says(agent, id, &payload);
        }
    }

    fn state(&self) -> &State {
        self.master.game().unwrap()
    }
}

fn any_request(chance: &mut Chance) -> (i64, String) {
    match chance.below(10) {
        0 => (3, "{}".to_owned()),
        1..4 => (8, "{}".to_owned()),
        4 => (9, "{}".to_owned()),
        5 => (1, "{}".to_owned()),
        way => (7, format!(r#"{{"direction":"{}"}}"#, Direction::ALL[way as usize % 4])),
    }
}

fn kinds(messages: &[Value]) -> String {
    let words: Vec<&str> = messages.iter().map(|message| message["kind"].as_str().unwrap()).collect();
    words.join(" ")
}

/// The entries of all events, whatever messages they came in.
fn entries(messages: &[Value]) -> Vec<Value> {
    let events = messages.iter().filter(|message| message["kind"] == "events");
    events.flat_map(|message| message["events"].as_array().unwrap().clone()).collect()
}

/// Returns the game as a page knows it from the feed.
fn model(messages: &[Value]) -> Model {
    let start = messages.iter().find(|message| message["kind"] == "start").unwrap();
    let mut model = Model::begin(start);
    messages.iter().for_each(|message| model.message(message));
    model
}

fn parameter<'a>(settings: &'a Value, name: &str) -> &'a Value {
    let mut parameters = settings["parameters"].as_array().unwrap().iter();
    parameters.find(|parameter| parameter["name"] == name).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settings_are_checked_changed_and_locked() {
    let mut table = Table::new(brisk());
    let site = table.site();
    let mut viewer = site.watch(true).await;
    let first = viewer.until("lobby").await;
    assert_eq!(kinds(&first), "hello settings lobby");
    assert_eq!(first[0]["operator"], true);
    assert_eq!((&first[1]["locked"], &first[1]["faults"]), (&json!(false), &json!([])));
    assert_snapshot!(serde_json::to_string_pretty(parameter(&first[1], "boardX")).unwrap());
    assert_eq!(
        parameter(&first[1], "dialect")["range"],
        json!({ "type": "text", "values": ["auto", "spec", "union"] })
    );
    assert_eq!(parameter(&first[1], "seed")["value"], "7");
    // Checked and not changed.
    let wrong = r#"{"boardX": 0, "numberOfGoals": 999, "boradY": 3, "CsPort": 1, "movePenalty": "much"}"#;
    let told = site.ask("POST", "/settings/check", wrong).await;
    assert_eq!(told.status, 200);
    assert_snapshot!(serde_json::to_string_pretty(&told.json()["faults"]).unwrap());
    let refused = site.ask("PUT", "/settings", wrong).await;
    assert_eq!((refused.status, &refused.json()["faults"]), (422, &told.json()["faults"]));
    let elsewhere = site.ask("PUT", "/settings", r#"{"CsPort": 1, "CsIP": "example.org"}"#).await;
    assert_eq!((elsewhere.status, elsewhere.json()["faults"].as_array().unwrap().len()), (422, 2));
    let checked = site.ask("POST", "/settings/check", r#"{"boardX": 8}"#).await.json();
    assert_eq!((&parameter(&checked, "boardX")["value"], &checked["faults"]), (&json!(8), &json!([])));
    assert_eq!(site.ask("PUT", "/settings", "[1]").await.status, 400);
    let keys: Vec<String> = (0..1001).map(|number| format!("\"k{number}\":0")).collect();
    let many = format!("{{{}}}", keys.join(","));
    for (method, path) in [("POST", "/settings/check"), ("PUT", "/settings")] {
        let refused = site.ask(method, path, &many).await;
        let why = "no settings: it has 1001 keys: expected at most 1000";
        assert_eq!((refused.status, &refused.json()["why"]), (400, &json!(why)));
    }
    assert!(table.orders.try_recv().is_err(), "nothing was to be changed");
    // Changed.
    table.join();
    assert_eq!(table.master.lobby().unwrap().iter().map(Vec::len).sum::<usize>(), 4);
    let put = |body: &'static str| {
        let site = site.clone();
        tokio::spawn(async move { site.ask("PUT", "/settings", body).await })
    };
    let answer = put(r#"{"boardX": 8, "dialect": "union", "seed": "9"}"#);
    table.obey().await;
    let told = answer.await.unwrap();
    assert_eq!((told.status, &parameter(&told.json(), "boardX")["origin"]), (200, &json!("page")));
    let now = table.master.settings();
    assert_eq!((now.config.geometry().columns(), now.dialect, now.seed), (8, Dialect::Union, Seed::new(9)));
    let file = site.get("/settings.json").await;
    assert!(file.head.contains("attachment; filename=\"project.json\""), "{}", file.head);
    assert_eq!((&file.json()["boardX"], &file.json()["landingPickUp"]), (&json!(8), &json!(false)));
    // Agents that have joined keep their seats.
    let answer = put(r#"{"teamSize": 1}"#);
    table.obey().await;
    let told = answer.await.unwrap();
    assert_eq!((told.status, &told.json()["faults"][0]["field"]), (422, &json!("teamSize")));
    assert_eq!(told.json()["faults"][1]["why"], "2 agents of blue have joined");
    // After the start nothing is.
    table.input(Input::Start);
    let begun = viewer.until("start").await;
    assert_eq!(begun.last().unwrap()["board"]["columns"], 8);
    assert_eq!(begun[begun.len() - 2]["locked"], true);
    assert_eq!(site.ask("PUT", "/settings", r#"{"boardX": 9}"#).await.status, 409);
}

/// The operator's page gets an answer even if the game master ends between a request and its answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_waits_for_a_game_master_that_has_ended() {
    let Table { observer, mut orders, board, .. } = Table::new(brisk());
    let site = Site::of(board.url());
    let put = tokio::spawn({
        let site = site.clone();
        async move { site.ask("PUT", "/settings", r#"{"boardX": 8}"#).await }
    });
    let order = timeout(TIMEOUT, orders.recv()).await.expect("an order");
    assert!(matches!(order, Some(Order::Settings(_))), "{order:?}");
    drop(observer);
    for told in [put.await.unwrap(), site.ask("PUT", "/settings", r#"{"boardX": 9}"#).await] {
        let why = json!("the game master does not listen any more");
        assert_eq!((told.status, &told.json()["why"]), (409, &why));
    }
    assert!(orders.try_recv().is_err(), "nobody would say what came of it");
    drop(orders);
    for path in ["/stop", "/settings"] {
        let method = if path == "/stop" { "POST" } else { "PUT" };
        assert_eq!(site.ask(method, path, "{}").await.status, 409, "{path}");
    }
    assert_eq!(parameter(&site.ask("POST", "/settings/check", "{}").await.json(), "boardX")["value"], 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_game_is_started_watched_and_stopped_from_the_page() {
    let mut table = Table::new(brisk());
    let site = table.site();
    let mut early = site.watch(true).await;
    assert_eq!(early.until("lobby").await.last().unwrap()["mayStart"], false);
    assert_eq!(site.ask("POST", "/start", "").await.status, 409);
    table.join();
    let mut lobby = Value::Null;
    while lobby["mayStart"] != true || lobby["blue"] != json!([2, 4]) {
        lobby = early.until("lobby").await.pop().unwrap();
    }
    assert_eq!((&lobby["red"], &lobby["teamSize"]), (&json!([1, 3]), &json!(2)));
    assert_eq!(site.ask("POST", "/start", "").await.status, 204);
    assert_eq!(table.obey().await, Command::Start.into());
    let mut seen = early.until("start").await;
    let start = seen.pop().unwrap();
    assert_eq!((&start["agents"][1]["name"], &start["seed"]), (&json!("agent 3"), &json!("7")));
    assert_eq!(site.ask("POST", "/start", "").await.status, 409);
    assert_eq!(site.get("/statistics.json").await.status, 404);
    assert_eq!(site.get("/game.replay").await.status, 404);
    table.play(300);
    // One viewer comes in the middle, and one at the end.
    let mut later = site.watch(false).await;
    assert_eq!(later.next().await.unwrap()["operator"], false);
    table.says(0, 906, r#"{"agentID":3}"#);
    table.play(300);
    assert_eq!(site.ask("POST", "/stop", "").await.status, 204);
    assert_eq!(table.obey().await, Command::Stop.into());
    let told: Vec<Vec<Value>> = {
        let mut all = vec![start];
        all.extend(early.until("statistics").await);
        let middle = later.until("statistics").await;
        let late = site.watch(false).await.until("statistics").await;
        let whole = site.get("/feed.json").await.json();
        vec![all, middle, late, whole.as_array().unwrap().clone()]
    };
    let truth = Model::truth(table.state());
    for messages in &told {
        assert_eq!(model(messages), truth);
        assert_eq!(entries(messages), entries(&told[0]));
        assert_eq!(messages.last(), told[0].last());
    }
    assert!(entries(&told[0]).len() > 500, "{}", entries(&told[0]).len());
    // Only the clock is of its moment.
    let still = |messages: &[Value]| -> Vec<Value> {
        messages.iter().filter(|message| message["kind"] != "clock").cloned().collect()
    };
    assert_eq!(still(&told[2]), still(&told[3]));
    // After the end, the page has statistics and a replay, and takes no order.
    assert_eq!(site.ask("POST", "/stop", "").await.status, 409);
    let statistics = site.get("/statistics.json").await.json();
    let last = told[0].last().unwrap();
    assert_eq!(statistics, last["document"]);
    assert_eq!(statistics["requests"], table.master.statistics().unwrap().requests);
    let replay = site.get("/game.replay").await.body;
    let summary = Playback::<State>::open(&replay[..]).unwrap().run(&mut ()).unwrap();
    assert!(summary.completeness.is_complete());
    assert_eq!(
        entries(
            &Recording::read(&replay[..], "x")
                .unwrap()
                .messages
                .iter()
                .map(|text| serde_json::from_str(text).unwrap())
                .collect::<Vec<_>>()
        ),
        entries(&told[0])
    );
    // Goodbye.
    let Table { board, .. } = table;
    let close = tokio::task::spawn_blocking(move || board.close("that was all"));
    assert_eq!(early.next().await.unwrap(), json!({ "kind": "gone", "why": "that was all" }));
    assert_eq!(early.next().await, None);
    drop(later);
    close.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_can_be_chosen_while_there_is_no_connection() {
    let mut table = Table::new(brisk());
    let site = table.site();
    let mut viewer = site.watch(true).await;
    let contact = |table: &Table, contact| {
        table.page.server(Server { host: "127.0.0.1".to_owned(), port: 3728, contact });
    };
    contact(&table, Contact::Failed("CsIP", "no such name".to_owned()));
    let told = viewer.until("server").await.pop().unwrap();
    assert_eq!((&told["state"], &told["field"]), (&json!("failed"), &json!("CsIP")));
    assert_eq!((&told["why"], &told["agentsPort"]), (&json!("no such name"), &json!(3727)));
    // A viewer that comes later gets this as well.
    let late = site.watch(false).await.until("lobby").await;
    assert_eq!(kinds(&late), "hello settings server lobby");
    let faulty = site.ask("PUT", "/settings", r#"{"CsPort": 70000}"#).await;
    assert_eq!((faulty.status, &faulty.json()["faults"][0]["field"]), (422, &json!("CsPort")));
    let put = tokio::spawn({
        let site = site.clone();
        async move { site.ask("PUT", "/settings", r#"{"CsPort": 4000, "CsIP": "cs.example"}"#).await.status }
    });
    table.obey().await;
    assert_eq!(put.await.unwrap(), 200);
    assert_eq!(site.request("POST", "/connect", "", "").await.status, 403);
    assert_eq!(site.ask("POST", "/connect", "").await.status, 204);
    assert_eq!(table.obey().await, Order::Connect("cs.example".to_owned(), 4000));
    contact(&table, Contact::Connected);
    while viewer.until("server").await.pop().unwrap()["state"] != "connected" {}
    assert_eq!(site.ask("POST", "/connect", "").await.status, 409);
    let fixed = site.ask("PUT", "/settings", r#"{"CsPort": 4001}"#).await;
    assert_eq!((fixed.status, &fixed.json()["faults"][0]["field"]), (422, &json!("CsPort")));
    // Agents whose connections are gone have not joined any more.
    table.join();
    while viewer.until("lobby").await.pop().unwrap()["mayStart"] != true {}
    contact(&table, Contact::Lost("it closed the connection".to_owned()));
    let seen = viewer.until("lobby").await;
    let lost = seen.iter().find(|message| message["kind"] == "server").unwrap();
    assert_eq!((&lost["state"], &lost["why"]), (&json!("lost"), &json!("it closed the connection")));
    assert_eq!(seen.last().unwrap()["red"], json!([]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_operator_drives() {
    let mut table = Table::new(brisk());
    table.join();
    let site = table.site();
    let requests = [
        ("POST", "/start"),
        ("POST", "/stop"),
        ("PUT", "/settings"),
        ("POST", "/settings/check"),
        ("POST", "/connect"),
    ];
    for (method, path) in requests {
        for headers in
            ["", "Authorization: Bearer \r\n", "Authorization: Bearer 0123456789abcdef0123456789abcdef\r\n"]
        {
            let told = site.request(method, path, headers, "{}").await;
            assert_eq!(told.status, 403, "{method} {path} {headers}");
            assert!(told.json()["why"].as_str().unwrap().contains("only the operator"));
        }
        assert_eq!(site.request(method, &format!("{path}?token=1"), "", "{}").await.status, 403);
        // Another page that somehow has the token does not drive either.
        let headers = format!("Authorization: Bearer {}\r\nOrigin: http://evil.example\r\n", site.token);
        assert_eq!(site.request(method, path, &headers, "{}").await.status, 403);
    }
    assert!(table.orders.try_recv().is_err());
    // The page of this board does, with the token in its address.
    let headers = format!("Origin: http://{}\r\n", site.address);
    let told = site.request("POST", &format!("/start?token={}", site.token), &headers, "").await;
    assert_eq!(told.status, 204);
    assert_eq!(table.obey().await, Command::Start.into());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_of_others_neither_read_nor_drive() {
    let table = Table::new(brisk());
    let site = table.site();
    let port = site.address.port();
    // A name of theirs that leads here.
    for path in ["/", "/board.js", "/feed.json", "/settings.json", "/nothing"] {
        let headers = format!("Host: evil.example:{port}\r\n");
        assert_eq!(site.request("GET", path, &headers, "").await.status, 403, "{path}");
    }
    assert_eq!(site.request("GET", "/", "Host:\r\n", "").await.status, 403);
    let localhost = format!("Host: localhost:{port}\r\n");
    assert_eq!(site.request("GET", "/feed.json", &localhost, "").await.status, 200);
    // A page of theirs that knows our port.
    for origin in ["http://evil.example", "null", "https://127.0.0.1"] {
        let headers = format!("Origin: {origin}\r\n");
        assert_eq!(site.request("GET", "/feed.json", &headers, "").await.status, 403, "{origin}");
        assert_eq!(site.connect("", Some(origin)).await.err(), Some(403), "{origin}");
    }
    // A page that loads without CORS, as an image does, names no origin.
    for path in ["/", "/feed.json", "/statistics.json", "/board.js"] {
        for asked_by in ["cross-site", "same-site"] {
            let headers =
                format!("Sec-Fetch-Site: {asked_by}\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n");
            assert_eq!(site.request("GET", path, &headers, "").await.status, 403, "{path} {asked_by}");
        }
    }
    // A link to the page may stand anywhere, a link to its files may not; nor may the page stand in a frame.
    for (path, destination, status) in
        [("/", "document", 200), ("/", "iframe", 403), ("/feed.json", "document", 403)]
    {
        let headers = format!(
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: {destination}\r\n"
        );
        assert_eq!(site.request("GET", path, &headers, "").await.status, status, "{path} {destination}");
    }
    assert_eq!(site.request("GET", "/feed.json", "Sec-Fetch-Site: same-origin\r\n", "").await.status, 200);
    let own = format!("http://{}", site.address);
    assert_eq!(site.connect("", Some(&own)).await.unwrap().next().await.unwrap()["operator"], false);
    let page = site.get("/").await;
    assert_eq!(page.status, 200);
    assert!(!page.head.contains("access-control-allow-origin"), "{}", page.head);
    let mut head: Vec<&str> = page.head.lines().filter(|line| !line.starts_with("date: ")).collect();
    head.retain(|line| !line.starts_with("content-length: "));
    assert_snapshot!(head.join("\n").replace(&port.to_string(), "PORT"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_viewer_that_does_not_read_is_dropped_and_the_game_goes_on() {
    let mut table = Table::endless(ServerLimits { viewers: 2, operators: 1, ..brisk() });
    let site = table.site();
    let mut slow = site.watch(false).await;
    assert_eq!(slow.next().await.unwrap()["kind"], "hello");
    let mut quick = site.watch(false).await;
    assert_eq!(site.connect("", None).await.err(), Some(503), "there are two already");
    // A page does not learn why its socket was refused, and asks.
    let why = json!({ "open": false, "why": "it has as many viewers as it can serve" });
    assert_eq!(site.get("/feed/open").await.json(), why);
    assert_eq!(site.ask("GET", "/feed/open", "").await.json(), json!({ "open": true, "why": null }));
    let mut operator = site.watch(true).await;
    assert_eq!(
        operator.next().await.unwrap()["operator"],
        true,
        "a seat is kept for the holder of the token"
    );
    assert_eq!(site.ask("GET", "/feed/open", "").await.json(), why);
    drop(operator);
    // More than all buffers between the page and a client that does not read hold.
    let reading = tokio::spawn(async move { quick.until("statistics").await });
    table.play(120_000);
    table.input(Input::Stop);
    let messages = reading.await.unwrap();
    assert_eq!(model(&messages), Model::truth(table.state()));
    // Its seat is free again: at some time, but without its having read anything.
    let whole = timeout(TIMEOUT, async {
        let mut newcomers = Vec::new();
        while newcomers.len() < 2 {
            match site.connect("", None).await {
                Ok(newcomer) => newcomers.push(newcomer),
                Err(status) => assert_eq!(status, 503),
            }
        }
        newcomers.pop().unwrap().until("statistics").await
    });
    let whole = whole.await.expect("the slow viewer is never dropped");
    assert_eq!(entries(&whole), entries(&messages));
    let mut heard = Vec::new();
    while let Some(message) = slow.next().await {
        heard.push(message);
    }
    assert!(heard.len() < messages.len(), "it has heard everything");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_of_the_whole_feed_are_viewers() {
    let mut table = Table::endless(ServerLimits { viewers: 2, operators: 1, ..brisk() });
    let site = table.site();
    let mut viewer = site.watch(false).await;
    let reading = tokio::spawn(async move { viewer.until("statistics").await });
    table.play(120_000);
    table.input(Input::Stop);
    let messages = reading.await.unwrap();
    assert_eq!(model(&site.get("/feed.json").await.json().as_array().unwrap().clone()), model(&messages));
    let mut slow =
        [site.ask_without_reading("/feed.json").await, site.ask_without_reading("/feed.json").await];
    for stream in &mut slow {
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
    }
    // The seats are taken, but for the one that is the operator's.
    assert_eq!(site.get("/feed.json").await.status, 503);
    assert_eq!(site.connect("", None).await.err(), Some(503));
    assert_eq!(site.ask("GET", "/feed.json", "").await.status, 200);
    // Slow readers are dropped in the middle.
    let free = timeout(TIMEOUT, async { while site.get("/feed.json").await.status != 200 {} });
    free.await.expect("the slow readers are never dropped");
    for mut stream in slow {
        let mut rest = Vec::new();
        let _ = timeout(TIMEOUT, stream.read_to_end(&mut rest)).await.unwrap();
        assert!(!rest.ends_with(b"0\r\n\r\n"), "it got everything: {} bytes", rest.len());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_are_kept_open_do_not_keep_the_operator_out() {
    let mut table = Table::new(ServerLimits { connections: 5, viewers: 2, operators: 1, ..brisk() });
    let site = table.site();
    table.join();
    table.input(Input::Start);
    let mut viewer = site.watch(false).await;
    viewer.until("start").await;
    let mut idle = Vec::new();
    for _ in 0..12 {
        let mut stream = site.ask_without_reading("/style.css").await;
        let mut status = [0; 12];
        stream.read_exact(&mut status).await.unwrap();
        assert_eq!(&status, b"HTTP/1.1 200");
        idle.push(stream);
    }
    let stop = tokio::spawn(async move { site.ask("POST", "/stop", "").await.status });
    assert!(matches!(table.obey().await, Order::Command(Command::Stop)));
    assert_eq!(stop.await.unwrap(), 204);
    // The viewer, who came first, is still there.
    viewer.until("statistics").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_delay_neither_game_nor_viewers() {
    let first_request = Duration::from_secs(3600);
    let server_limits = ServerLimits { connections: 3, viewers: 1, operators: 1, first_request, ..brisk() };
    let mut table = Table::new(server_limits);
    let site = table.site();
    table.join();
    table.input(Input::Start);
    let mut viewer = site.watch(false).await;
    viewer.until("start").await;
    let silent = [(); 9].map(|()| std::net::TcpStream::connect(site.address).unwrap());
    for _ in 0..20 {
        table.play(20);
        viewer.until("events").await;
    }
    assert_eq!(site.get("/").await.status, 200);
    drop(silent);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn silent_connections_do_not_keep_the_operator_out() {
    let first_request = Duration::from_secs(3600);
    let server_limits = ServerLimits { connections: 3, viewers: 1, operators: 1, first_request, ..brisk() };
    let mut table = Table::new(server_limits);
    let site = table.site();
    table.join();
    table.input(Input::Start);
    let silent = [(); 9].map(|()| std::net::TcpStream::connect(site.address).unwrap());
    let stop = tokio::spawn(async move { site.ask("POST", "/stop", "").await.status });
    assert!(matches!(table.obey().await, Order::Command(Command::Stop)));
    assert_eq!(stop.await.unwrap(), 204);
    drop(silent);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_viewer_of_a_lobby_in_which_nothing_happens_is_not_taken_for_silent() {
    let mut table = Table::new(ServerLimits { idle: Duration::from_secs(6), ..brisk() });
    let mut viewer = table.site().watch(false).await;
    viewer.until("lobby").await;
    // One comes after each third of that time: together they last longer than a connection may be silent.
    viewer.pinged(4).await;
    table.join();
    viewer.until("lobby").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_is_shown_by_the_same_page() {
    let (file, _) = replay(&RawConfig::default(), 2000);
    let recording = Recording::read(&file[..], "our game.replay").unwrap();
    let feed: Value = serde_json::from_str(&recording.feed()).unwrap();
    let place = Place::take("127.0.0.1:0").unwrap();
    let board = ViewerServer::replay(place, "our game.replay", recording, Some(file.clone())).unwrap();
    assert!(board.url().ends_with('/'), "there is nothing to operate: {}", board.url());
    let site = Site::of(board.url());
    assert_eq!(site.get("/feed.json").await.json(), feed);
    assert_eq!(Value::Array(site.watch(false).await.until("statistics").await), feed);
    let saved = site.get("/game.replay").await;
    assert!(saved.head.contains("filename=\"our game.replay\""), "{}", saved.head);
    assert_eq!(saved.body, file);
    assert_eq!(
        site.get("/statistics.json").await.json(),
        feed[feed.as_array().unwrap().len() - 1]["document"]
    );
    for path in ["/start", "/stop"] {
        assert_eq!(site.ask("POST", path, "").await.status, 404);
    }
    assert_eq!(site.get("/settings.json").await.status, 404);
}

/// Plays on at random, with a witness.
fn play(state: &mut State, steps: u32, witness: &mut impl Witness<State>) {
    let mut chance = Seed::new(5).game();
    for _ in 0..steps {
        let game_env::Turn::Act { agent, from, .. } = state.turn() else { return };
        let mut legal = Vec::new();
        state.legal_actions(agent, &mut legal);
        legal.retain(|action| !matches!(action, Action::Ask(_) | Action::Answer { .. }));
        let place = chance.below(u32::try_from(legal.len()).unwrap());
        let action = legal.swap_remove(place as usize);
        let now = from.max(state.clock());
        witness.action(state, now, agent, &action);
        state.step(now, agent, action, &mut witness.sink());
    }
}

/// A spectator and its messages, as a board keeps them.
struct Kept {
    feed: SingleFeed<State>,
    messages: Vec<Value>,
    bytes: usize,
}

impl Kept {
    fn new(state: &State, limits: Limits) -> Self {
        let config = HostConfig::layered(&Parameters::new(), &Parameters::new()).unwrap();
        let mut kept = Self { feed: SingleFeed::new(limits), messages: Vec::new(), bytes: 0 };
        kept.feed.settings(Box::new(PageSettings { config, page: None }));
        kept.open(state);
        kept
    }

    /// The game with this first state begins.
    fn open(&mut self, state: &State) {
        let players = Player::all(state, |agent| agent.to_string());
        let (config, seed, people) = (state.config().clone(), Seed::new(3), Vec::new());
        self.feed.open(Opening { title: String::new(), config, seed, players, people });
        self.keep();
    }

    fn step(&mut self, step: Step<State>) {
        self.feed.step(step);
        self.keep();
    }

    fn over(&mut self, state: &State) -> &End {
        self.feed.over(Some(state.clock()));
        self.keep();
        self.feed.end().unwrap()
    }

    fn keep(&mut self) {
        for told in self.feed.new_messages() {
            if told.is_fresh_start {
                self.messages.clear();
                self.bytes = 0;
            }
            self.bytes += told.text.len();
            self.messages.push(serde_json::from_str(&told.text).unwrap());
        }
    }
}

fn game() -> State {
    // No game of random agents ends here.
    let raw = RawConfig { number_of_goals: 200, number_of_pieces: 60, ..RawConfig::default() };
    State::new(&raw.check().unwrap(), Seed::new(3))
}

#[test]
fn what_strategies_remark_is_shown_with_what_happened_last_and_kept() {
    let mut state = game();
    let mut kept = Kept::new(&state, Limits::default());
    let note = |text: &str| Note {
        text: text.to_owned(),
        shapes: vec![Shape::Field(game_env::Place { x: 1, y: 2 })],
    };
    kept.step(Step::Note(AgentId::new(2), note("first")));
    let mut steps = Steps::default();
    play(&mut state, 40, &mut steps);
    for (at, agent, action) in steps.0 {
        kept.step(Step::Action(at, agent, action));
    }
    kept.step(Step::Note(AgentId::new(1), note("then")));
    kept.step(Step::Note(AgentId::new(999), note("nobody's")));
    let entries = entries(&kept.messages);
    let shapes = json!([{ "field": [1, 2] }]);
    assert_eq!(entries[0], json!([0, "note", 2, { "text": "first", "shapes": shapes }, {}]));
    let last = state.clock().as_millis();
    assert_eq!(entries.last(), Some(&json!([last, "note", 1, { "text": "then", "shapes": shapes }, {}])));
    let replay = kept.over(&state).replay.clone().unwrap();
    let recording = Recording::read(&replay[..], "game.replay").unwrap();
    let recorded: Vec<Value> =
        recording.messages.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    assert_eq!(self::entries(&recorded), entries, "the replay has them as well");
}

/// A viewer that comes late is warned too, also if the feed has restarted meanwhile; the next game begins without it.
#[test]
fn warnings_are_kept_for_latecomers() {
    let warnings = |kept: &Kept| -> Vec<Value> {
        kept.messages.iter().filter(|message| message["kind"] == "warning").cloned().collect()
    };
    let mut state = game();
    let mut kept = Kept::new(&state, Limits { feed: 10_000, replay: 5_000 });
    kept.feed.warn("agent 7 has sent no request");
    kept.keep();
    let expected = [json!({ "kind": "warning", "text": "agent 7 has sent no request" })];
    assert_eq!(warnings(&kept), expected);
    let mut steps = Steps::default();
    play(&mut state, 3000, &mut steps);
    let mut restarts = 0;
    for (at, agent, action) in steps.0 {
        let before = kept.messages.len();
        kept.step(Step::Action(at, agent, action));
        restarts += u32::from(kept.messages.len() < before);
    }
    assert!(restarts > 0, "the feed has begun anew");
    assert_eq!(warnings(&kept), expected);
    kept.open(&game());
    assert_eq!(warnings(&kept), Vec::<Value>::new());
}

#[test]
fn what_is_kept_for_latecomers_is_bounded() {
    let limits = Limits { feed: 40_000, replay: 5_000 };
    let mut state = game();
    let mut kept = Kept::new(&state, limits);
    let mut restarts = 0;
    for _ in 0..200 {
        let mut steps = Steps::default();
        play(&mut state, 100, &mut steps);
        for (at, agent, action) in steps.0 {
            kept.step(Step::Action(at, agent, action));
            restarts += u32::from(kept.messages.len() == 2);
            assert!(kept.bytes < limits.feed + 10_000, "{}", kept.bytes);
        }
        // A viewer that comes now knows the game all the same.
        assert_eq!(model(&kept.messages), Model::truth(&state));
    }
    assert!(restarts > 10, "{restarts}");
    let end = kept.over(&state);
    assert_eq!(end.statistics["requests"], 20_000);
    assert_eq!(end.replay, None, "it is longer than that");
}

/// The actions of a game.
#[derive(Default)]
struct Steps(Vec<(SimTime, AgentId, Action)>);

impl Witness<State> for Steps {
    fn action(&mut self, _: &State, now: SimTime, agent: AgentId, action: &Action) {
        self.0.push((now, agent, action.clone()));
    }
}

/// A user that ends the program waits no longer than for a moment: what a flood has left is not told to its end.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backlog_keeps_no_board_from_closing() {
    let mut table = Table::new(ServerLimits { longest_end: 10 * TIMEOUT, ..brisk() });
    let mut viewer = table.site().watch(false).await;
    table.join();
    table.input(Input::Start);
    viewer.until("start").await;
    drop(viewer);
    let body = r#"{"messageID":3,"agentID":1,"payload":{}}"#;
    for _ in 0..500_000 {
        table.input(Input::Body(body.as_bytes()));
    }
    let before = Instant::now();
    table.board.close("the game master has ended");
    let took = before.elapsed();
    // A moment on a machine that does nothing else; on any machine less than all of it takes.
    assert!(took < TIMEOUT, "{took:?}");
}
