//! Matches of any game on one page, and people who play in them.

use std::time::Duration;

use game_dots::{Config, Edge, State};
use game_env::parameter::{self, Parameter, Reading};
use game_env::replay::{Playback, Player};
use game_env::{
    AgentId, ConfigError, Disruption, Environment, Parameters, RandomPolicy, Rollout, Seed, SimTime,
    Termination, Turn, Witness as _,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;
use viewer::matches::{self, Choice, Column, LiveMatch, Matches, Opening, PersonId, Request, Settings};
use viewer::server::{Place, ServerLimits, ViewerServer};
use viewer::setting::Setting;

use crate::browser::{Site, Viewer};

/// Time within which something must happen that is certain to happen.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A host whose moves are all decided by a test, and its page.
struct Host {
    server: ViewerServer,
    matches: Matches<State>,
    requests: mpsc::Receiver<Request<State>>,
    site: Site,
}

/// A match and its state at the host.
struct Table {
    state: State,
    live: LiveMatch<State>,
}

impl Host {
    fn new(server_limits: ServerLimits) -> Self {
        let place = Place::take("127.0.0.1:0").unwrap();
        let server_limits = ServerLimits { pace: Duration::from_millis(1), ..server_limits };
        let (server, matches, requests) = ViewerServer::matches(place, server_limits).unwrap();
        let site = Site::of(server.url());
        Self { server, matches, requests, site }
    }

    fn open(&self, title: &str, people: Vec<(AgentId, PersonId)>) -> Table {
        let (config, seed) = (Config::new(3, 3).unwrap(), Seed::new(7));
        let state = State::new(&config, seed);
        let players = Player::all(&state, |agent| format!("{title} {}", agent.index()));
        let live = self.matches.open(Opening { title: title.to_owned(), config, seed, players, people });
        Table { state, live }
    }

    async fn watch(&self, query: &str) -> Viewer {
        self.site.connect(query, None).await.expect("a feed")
    }

    async fn request(&mut self) -> Request<State> {
        timeout(TIMEOUT, self.requests.recv()).await.expect("a request").unwrap()
    }

    /// Takes an offer; returns the token, and the person in the host's request.
    async fn join(&mut self, name: &str) -> (String, PersonId) {
        let body = json!({ "offer": "anybody", "name": name }).to_string();
        let told = self.site.request("POST", "/play", "", &body).await;
        assert_eq!(told.status, 200, "{:?}", String::from_utf8_lossy(&told.body));
        let Request::Join { person, name: heard, offer, .. } = self.request().await else {
            panic!("a person joins")
        };
        assert_eq!((heard.as_str(), offer.as_str()), (name, "anybody"));
        (told.json()["seat"].as_str().unwrap().to_owned(), person)
    }

    async fn post(&self, path: &str, seat: &str, body: &Value) -> (u16, Value) {
        let told = self
            .site
            .request("POST", path, &format!("Authorization: Seat {seat}\r\n"), &body.to_string())
            .await;
        let why = if told.body.is_empty() { Value::Null } else { told.json()["why"].clone() };
        (told.status, why)
    }
}

impl Table {
    fn step(&mut self, agent: AgentId, edge: Edge) {
        self.live.action(&self.state, SimTime::START, agent, &edge);
        self.state.step(SimTime::START, agent, edge, &mut ());
    }

    fn legal(&self) -> Vec<Edge> {
        let mut legal = Vec::new();
        self.state.legal_actions(self.state.mover(), &mut legal);
        legal
    }

    /// The first line that may be drawn, this many times.
    fn play(&mut self, moves: usize) {
        for _ in 0..moves {
            self.step(self.state.mover(), self.legal()[0]);
        }
    }

    fn end(&mut self) {
        self.live.end(&self.state, SimTime::START);
    }

    fn query(&self) -> String {
        format!("?match={}", self.live.id())
    }
}

fn entries(messages: &[Value]) -> Vec<Value> {
    messages.iter().filter_map(|message| message["events"].as_array()).flatten().cloned().collect()
}

/// The messages of a feed until this many entries have come.
async fn until_entries(viewer: &mut Viewer, count: usize) -> Vec<Value> {
    let mut messages = Vec::new();
    while entries(&messages).len() < count {
        messages.push(viewer.next().await.expect("more of the feed"));
    }
    messages
}

/// The next list of matches that is as wanted.
async fn list(viewer: &mut Viewer, is_wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let message = viewer.next().await.expect("a list");
        if message["kind"] == "matches" && is_wanted(&message) {
            return message;
        }
    }
}

/// The next table of this kind.
async fn told_table(viewer: &mut Viewer, kind: &str) -> Value {
    loop {
        let message = viewer.next().await.expect("standings");
        if message["kind"] == kind {
            return message["table"].clone();
        }
    }
}

/// The next notice to a person that is as wanted.
async fn notice(viewer: &mut Viewer, is_wanted: impl Fn(&Value) -> bool) -> Value {
    loop {
        let message = viewer.next().await.expect("a notice");
        if message["kind"] == "person" && is_wanted(&message) {
            return message;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_is_followed_from_its_start_from_its_middle_and_after_its_end() {
    let host = Host::new(ServerLimits::default());
    let mut table = host.open("a", Vec::new());
    let mut early = host.watch(&table.query()).await;
    let hello = early.next().await.unwrap();
    assert_eq!(
        (&hello["game"], &hello["match"], &hello["mode"]),
        (&json!("dots"), &json!(1), &json!("live"))
    );
    table.play(5);
    let mut all = until_entries(&mut early, 5).await;
    let mut later = host.watch(&table.query()).await;
    let mut seen = until_entries(&mut later, 5).await;
    let mut policies = [1, 2].map(|seed| RandomPolicy::<Edge>::new(Seed::new(seed).game()));
    Rollout::default().play(&mut table.state, &mut policies, &mut table.live);
    // The rollout has sent the end.
    all.extend(early.until("statistics").await);
    seen.extend(later.until("statistics").await);
    let after = host.watch(&table.query()).await.until("statistics").await;
    assert_eq!(entries(&all).len(), 13, "12 lines and the end");
    assert_eq!((entries(&seen), entries(&after)), (entries(&all), entries(&all)));
    let file = host.site.get(&format!("/feed.json{}", table.query())).await.json();
    assert_eq!(entries(file.as_array().unwrap()), entries(&all));
    // After the end, there are statistics and a replay.
    let statistics = host.site.get(&format!("/statistics.json{}", table.query())).await.json();
    assert_eq!(statistics, after.last().unwrap()["document"]);
    let replay = host.site.get(&format!("/game.replay{}", table.query())).await.body;
    let mut playback = Playback::<State>::open(&replay[..]).unwrap();
    assert!(playback.run(&mut ()).unwrap().completeness.is_complete());
    assert_eq!(playback.state().hash(), table.state.hash());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_that_nobody_watched_is_there_afterwards() {
    let host = Host::new(ServerLimits::default());
    let mut table = host.open("a", Vec::new());
    table.play(12);
    table.end();
    let mut viewer = host.watch("").await;
    let listed = list(&mut viewer, |list| list["matches"][0]["state"] == "over").await;
    let points = table.state.points();
    assert_eq!(listed["matches"][0]["moves"], 12);
    assert_eq!(listed["matches"][0]["outcome"]["points"], json!(points));
    let late = host.watch(&table.query()).await.until("statistics").await;
    assert_eq!(entries(&late).last().unwrap()[4]["points"], json!(points));
    assert_eq!(host.site.get(&format!("/game.replay{}", table.query())).await.status, 200);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_title_has_the_number_of_its_match() {
    let host = Host::new(ServerLimits::default());
    let first = host.open("a", Vec::new());
    let (config, seed) = (Config::new(3, 3).unwrap(), Seed::new(7));
    let players = Player::all(&State::new(&config, seed), |_| "a");
    let second = host.matches.open_with(|id| {
        let title = format!("Duel {id}");
        Opening { title, config, seed, players, people: Vec::new() }
    });
    let mut viewer = host.watch("").await;
    let listed = list(&mut viewer, |list| list["matches"][1] != Value::Null).await;
    assert_eq!((&listed["matches"][0]["id"], &listed["matches"][0]["title"]), (&json!(2), &json!("Duel 2")));
    drop((first, second));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_are_told_to_everybody_until_the_host_takes_them_away() {
    let host = Host::new(ServerLimits::default());
    let duel = host.open("a", Vec::new());
    let mut early = host.watch(&duel.query()).await;
    let told = |won: &str| matches::Table {
        title: "Cup".to_owned(),
        columns: vec![Column::text("player"), Column::number("won"), Column::verbatim("output")],
        rows: vec![vec!["<b>Ada".to_owned(), won.to_owned(), "a\nb".to_owned()]],
        note: String::new(),
    };
    host.matches.standings(Some(told("0")));
    let expected = |won: &str| {
        let columns = json!([
            { "heading": "player", "kind": "text" },
            { "heading": "won", "kind": "number" },
            { "heading": "output", "kind": "verbatim" },
        ]);
        json!({ "title": "Cup", "columns": columns, "rows": [["<b>Ada", won, "a\nb"]], "note": "" })
    };
    assert_eq!(told_table(&mut early, "standings").await, expected("0"));
    host.matches.standings(Some(told("1")));
    assert_eq!(told_table(&mut early, "standings").await, expected("1"));
    host.matches.faults(Some(told("2")));
    assert_eq!(told_table(&mut early, "faults").await, expected("2"));
    // A viewer that comes later receives the last ones, in the feed of any match and beside the list alone.
    for (query, kind, shown) in [("", "standings", "1"), ("", "faults", "2"), (&duel.query(), "faults", "2")]
    {
        let mut late = host.watch(query).await;
        assert_eq!(told_table(&mut late, kind).await, expected(shown));
    }
    host.matches.standings(None);
    assert_eq!(told_table(&mut early, "standings").await, Value::Null);
    host.matches.faults(None);
    assert_eq!(told_table(&mut early, "faults").await, Value::Null);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_matches_are_listed_and_kept_apart() {
    let host = Host::new(ServerLimits { kept: 2, ..ServerLimits::default() });
    let mut tables = ["a", "b", "c", "d", "e"].map(|title| host.open(title, Vec::new()));
    let mut viewer = host.watch("").await;
    let first = viewer.next().await.unwrap();
    assert_eq!((&first["kind"], &first["match"]), (&json!("hello"), &Value::Null));
    for (place, table) in tables.iter_mut().enumerate() {
        table.play(place);
    }
    let [_, _, third, fourth, fifth] = &mut tables;
    let of = host.watch(&third.query()).await;
    let mut of = of;
    assert_eq!(entries(&until_entries(&mut of, 2).await).len(), 2);
    fourth.play(9);
    fourth.end();
    let listed = list(&mut viewer, |list| list["matches"][4]["state"] == "over").await;
    let titles: Vec<_> = listed["matches"].as_array().unwrap().iter().map(|entry| &entry["title"]).collect();
    assert_eq!(
        titles,
        ["e", "c", "b", "a", "d"],
        "those that are played first, the newest before the others"
    );
    assert_eq!((&listed["newest"], &listed["more"]), (&json!(5), &json!(0)));
    assert_eq!(listed["matches"][0]["players"][1], json!({ "name": "e 1", "team": 1, "person": false }));
    // One that the host lets go is broken off, and of those that are over only the two that ended last are kept.
    fifth.play(1);
    let [a, b, c, d, e] = tables;
    drop((b, e));
    let gone = d.query();
    drop(a);
    let listed = list(&mut viewer, |list| list["matches"].as_array().unwrap().len() == 3).await;
    let states: Vec<_> =
        listed["matches"].as_array().unwrap().iter().map(|entry| (&entry["id"], &entry["state"])).collect();
    assert_eq!(
        states,
        [(&json!(3), &json!("playing")), (&json!(1), &json!("broken")), (&json!(5), &json!("broken"))]
    );
    assert_eq!(host.site.get(&format!("/feed.json{gone}")).await.status, 404);
    let mut lost = host.watch(&gone).await;
    assert_eq!(lost.next().await.unwrap()["match"], Value::Null, "a page is told by the greeting");
    drop((c, d));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_match_that_ended_first_is_forgotten() {
    let host = Host::new(ServerLimits { kept: 2, ..ServerLimits::default() });
    let mut tables = ["a", "b", "c"].map(|title| host.open(title, Vec::new()));
    let mut viewer = host.watch("").await;
    for place in [1, 2, 0] {
        tables[place].play(1);
        tables[place].end();
    }
    let is_over = |list: &Value| list["matches"].as_array().unwrap().iter().all(|own| own["state"] == "over");
    let listed = list(&mut viewer, |list| is_over(list) && list["matches"][0]["title"] == "a").await;
    let titles: Vec<_> = listed["matches"].as_array().unwrap().iter().map(|entry| &entry["title"]).collect();
    assert_eq!(titles, ["a", "c"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_that_are_over_have_a_limit_of_bytes_together() {
    let host = Host::new(ServerLimits { kept_bytes: 100, ..ServerLimits::default() });
    let mut tables = ["a", "b", "c"].map(|title| host.open(title, Vec::new()));
    // They keep nothing, as they have no moves.
    tables[0].end();
    tables[1].end();
    // The messages are made for the first viewer. They are too long, and the match has ended first.
    host.watch(&tables[0].query()).await.until("statistics").await;
    let forgotten = host.site.get(&format!("/statistics.json{}", tables[0].query())).await;
    assert_eq!(forgotten.status, 404);
    let mut viewer = host.watch("").await;
    let listed = list(&mut viewer, |list| list["matches"].as_array().unwrap().len() == 2).await;
    let titles: Vec<_> = listed["matches"].as_array().unwrap().iter().map(|entry| &entry["title"]).collect();
    assert_eq!(titles, ["c", "b"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn viewers_of_a_forgotten_match_hear_of_the_end_of_the_host() {
    let host = Host::new(ServerLimits { kept: 0, ..ServerLimits::default() });
    let mut table = host.open("a", Vec::new());
    let mut viewer = host.watch(&table.query()).await;
    table.end();
    viewer.until("statistics").await;
    assert_eq!(host.site.get(&format!("/feed.json{}", table.query())).await.status, 404);
    let Host { server, .. } = host;
    server.close("that was all");
    assert_eq!(viewer.until("gone").await.last().unwrap()["why"], "that was all");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_plays_a_match() {
    let mut host = Host::new(ServerLimits::default());
    host.matches.offer("anybody", "Play against anybody");
    let mut viewer = host.watch("").await;
    let listed = list(&mut viewer, |list| list["offers"] != json!([])).await;
    assert_eq!(listed["offers"], json!([{ "name": "anybody", "text": "Play against anybody" }]));
    let (seat, person) = host.join("Zoë").await;
    let mut page = host.watch(&format!("?seat={seat}")).await;
    let waiting = notice(&mut page, |_| true).await;
    assert_eq!((&waiting["state"], &waiting["name"]), (&json!("waiting"), &json!("Zoë")));
    let own = AgentId::new(0);
    let mut table = host.open("a", vec![(own, person)]);
    while table.state.turn() != (Turn::Act { agent: own, from: SimTime::START, until: None }) {
        table.play(1);
    }
    let edges: Vec<String> = table.legal().iter().map(ToString::to_string).collect();
    let told = notice(&mut page, |notice| notice["options"] == json!(edges)).await;
    assert_eq!((&told["state"], &told["match"], &told["agent"]), (&json!("seated"), &json!(1), &json!(0)));
    // A choice that is no option, or comes from nobody, never reaches the host.
    let action = |text: &str| json!({ "match": 1, "action": text });
    let (status, why) = host.post("/act", &seat, &action("0-8")).await;
    assert_eq!((status, why), (422, json!("`0-8` is not one of your options")));
    assert_eq!(host.post("/act", &seat, &action("nonsense")).await.0, 400);
    // Nor does one after moves that the person has not seen.
    let moves = told["moves"].as_u64().expect("a number");
    let stale = json!({ "match": 1, "moves": moves + 1, "action": edges[0] });
    assert_eq!(host.post("/act", &seat, &stale).await, (409, json!("another move was made before")));
    assert_eq!(host.post("/act", &seat, &json!({ "match": 1 })).await.0, 400);
    assert_eq!(host.post("/act", &seat, &json!({ "match": 2, "action": edges[0] })).await.0, 403);
    for forged in ["", "0", &"0".repeat(32), &host.site.token, &seat[..31]] {
        assert_eq!(host.post("/act", forged, &action(&edges[0])).await.0, 403, "{forged}");
        assert_eq!(host.post("/leave", forged, &json!({})).await.0, 403, "{forged}");
    }
    for header in
        ["Origin: http://evil.example\r\n", "Sec-Fetch-Site: cross-site\r\n", "Host: evil.example\r\n"]
    {
        let headers = format!("Authorization: Seat {seat}\r\n{header}");
        for path in ["/act", "/leave", "/play"] {
            let told = host.site.request("POST", path, &headers, &action(&edges[0]).to_string()).await;
            assert_eq!(told.status, 403, "{path} {header}");
        }
    }
    assert!(host.requests.try_recv().is_err(), "nothing of this is for the host");
    // The host has the last word.
    let post = |seat: String, body: Value, site: Site| {
        tokio::spawn(async move {
            site.request("POST", "/act", &format!("Authorization: Seat {seat}\r\n"), &body.to_string()).await
        })
    };
    let asked = post(seat.clone(), action(&edges[0]), host.site.clone());
    let Request::Action { answer, .. } = host.request().await else { panic!("an action") };
    answer.refuse("the table is closed");
    let told = asked.await.unwrap();
    assert_eq!((told.status, &told.json()["why"]), (409, &json!("the table is closed")));
    let asked = post(seat.clone(), action(&edges[0]), host.site.clone());
    let Request::Action { person: by, id, agent, action: edge, answer } = host.request().await else {
        panic!("an action")
    };
    assert_eq!((by, id, agent, edge.to_string()), (person, table.live.id(), own, edges[0].clone()));
    table.step(agent, edge);
    answer.accept();
    assert_eq!(asked.await.unwrap().status, 204);
    // The end of the match is the end of its options.
    while let Turn::Act { .. } = table.state.turn() {
        table.play(1);
    }
    table.end();
    let over = notice(&mut page, |notice| notice["over"] == true).await;
    assert_eq!(over["options"], json!([]));
    assert_eq!(host.post("/act", &seat, &action(&edges[0])).await, (409, json!("the match is over")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_offer_has_choices_and_a_seat_is_given_to_another_person() {
    let mut host = Host::new(ServerLimits::default());
    let colours = vec!["white".to_owned(), "black".to_owned()];
    let choice = Choice { name: "colour".to_owned(), text: "Colour".to_owned(), options: colours };
    host.matches.offer_with("anybody", "Play", vec![choice]);
    let mut viewer = host.watch("").await;
    let listed = list(&mut viewer, |list| list["offers"] != json!([])).await;
    let told = json!([{ "name": "colour", "text": "Colour", "options": ["white", "black"] }]);
    assert_eq!(listed["offers"], json!([{ "name": "anybody", "text": "Play", "choices": told }]));
    let play = |choices: Value| json!({ "offer": "anybody", "name": "Zoë", "choices": choices });
    for wrong in [json!({}), json!({ "colour": "grey" }), json!({ "color": "black" })] {
        let refused = host.post("/play", "", &play(wrong)).await;
        assert_eq!(refused, (422, json!("Colour: choose white or black")));
    }
    assert!(host.requests.try_recv().is_err(), "nothing of this is for the host");
    let right = play(json!({ "colour": "black", "more": "1" })).to_string();
    let seat =
        host.site.request("POST", "/play", "", &right).await.json()["seat"].as_str().unwrap().to_owned();
    let Request::Join { person, choices, .. } = host.request().await else { panic!("a person joins") };
    assert_eq!(choices.into_iter().collect::<Vec<_>>(), [("colour".to_owned(), "black".to_owned())]);
    let mut page = host.watch(&format!("?seat={seat}")).await;
    host.matches.note(person, "one player is missing");
    let waiting = notice(&mut page, |notice| notice["note"] != Value::Null).await;
    assert_eq!((&waiting["state"], &waiting["note"]), (&json!("waiting"), &json!("one player is missing")));
    // The match has begun without the person.
    let table = host.open("a", Vec::new());
    let mover = table.state.mover();
    table.live.seat(mover, person);
    let seated = notice(&mut page, |notice| notice["state"] == "seated").await;
    let edges: Vec<String> = table.legal().iter().map(ToString::to_string).collect();
    assert_eq!((&seated["options"], &seated["note"]), (&json!(edges), &json!("one player is missing")));
    host.matches.note(person, "");
    let told = notice(&mut page, |notice| notice["note"] == Value::Null).await;
    assert_eq!(told["options"], json!(edges));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_holder_of_a_seat_is_told_its_options() {
    let mut host = Host::new(ServerLimits::default());
    host.matches.offer("anybody", "Play");
    let (seat, person) = host.join("a").await;
    let (other, other_person) = host.join("b").await;
    let seats = vec![(AgentId::new(0), person), (AgentId::new(1), other_person)];
    let mut table = host.open("a", seats);
    let mut pages = [
        host.watch(&format!("{}&seat={seat}", table.query())).await,
        host.watch(&format!("?seat={other}")).await,
    ];
    let mut nobody = host.watch(&format!("{}&seat=0123456789abcdef0123456789abcdef", table.query())).await;
    let mut known = [Value::Null, Value::Null];
    for _ in 0..12 {
        let (mover, legal) = (table.state.mover(), table.legal());
        let texts: Vec<String> = legal.iter().map(ToString::to_string).collect();
        for (agent, page) in pages.iter_mut().enumerate() {
            let wanted = if agent == mover.index() { json!(texts) } else { json!([]) };
            // Unchanged options are not sent again.
            if known[agent] != wanted {
                let told = notice(page, |notice| notice["options"] == wanted).await;
                assert_eq!(told["agent"], json!(agent));
                known[agent] = wanted;
            }
        }
        let seats = [&seat, &other];
        let body = json!({ "match": 1, "action": texts[0] });
        assert_eq!(
            host.post("/act", seats[1 - mover.index()], &body).await,
            (409, json!("it is not your turn"))
        );
        table.step(mover, legal[0]);
    }
    table.end();
    let told = nobody.until("statistics").await;
    assert!(told.iter().all(|message| message["kind"] != "person"), "a forged token is nobody's");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_may_come_back_and_is_gone_after_a_while() {
    let own = AgentId::new(0);
    // Nobody's absence ends during this test.
    let mut host = Host::new(ServerLimits { absence: 10 * TIMEOUT, ..ServerLimits::default() });
    host.matches.offer("anybody", "Play");
    let (seat, person) = host.join("a").await;
    let table = host.open("a", vec![(own, person)]);
    let query = format!("{}&seat={seat}", table.query());
    for _ in 0..3 {
        let mut page = host.watch(&query).await;
        notice(&mut page, |notice| notice["state"] == "seated").await;
    }
    // A person that leaves by itself is gone at once.
    assert_eq!(host.post("/leave", &seat, &json!({})).await.0, 204);
    let Request::Leave { person: gone, seat: of } = host.request().await else { panic!("it is gone") };
    assert_eq!((gone, of), (person, Some((table.live.id(), own))));
    // At this host an absence ends soon.
    let mut host = Host::new(ServerLimits { absence: Duration::from_secs(3), ..ServerLimits::default() });
    host.matches.offer("anybody", "Play");
    let (seat, person) = host.join("a").await;
    let mut table = host.open("a", vec![(own, person)]);
    let Request::Leave { person: gone, seat: of } = host.request().await else { panic!("it is gone") };
    assert_eq!((gone, of), (person, Some((table.live.id(), own))));
    let left = Disruption::Forfeited(own, Termination::Silence);
    table.live.disruption(&table.state, SimTime::START, left);
    table.state.disrupt(SimTime::START, left, &mut ());
    table.end();
    assert_eq!(host.post("/act", &seat, &json!({ "match": 1, "action": "0-1" })).await.0, 403);
    let greeting = host.watch(&format!("?seat={seat}")).await.next().await.unwrap();
    assert_eq!(greeting["seat"], false, "its page is told");
    // So is a person who never had a seat.
    let (_, person) = host.join("b").await;
    assert!(matches!(host.request().await, Request::Leave { person: gone, seat: None } if gone == person));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_feeds_of_all_pages_of_a_person_end_when_it_leaves() {
    let mut host = Host::new(ServerLimits::default());
    host.matches.offer("anybody", "Play");
    let (seat, person) = host.join("a").await;
    let table = host.open("a", vec![(AgentId::new(0), person)]);
    let query = format!("{}&seat={seat}", table.query());
    let mut pages = [host.watch(&query).await, host.watch(&query).await];
    for page in &mut pages {
        notice(page, |notice| notice["state"] == "seated").await;
    }
    assert_eq!(host.post("/leave", &seat, &json!({})).await.0, 204);
    for page in &mut pages {
        while page.next().await.is_some() {}
    }
    // A page connects again, and is told.
    assert_eq!(host.watch(&query).await.next().await.unwrap()["seat"], false);
}

/// One person cannot take the seats of all others with pages of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_has_a_few_pages() {
    let mut host = Host::new(ServerLimits { people: 9, viewers: 0, ..ServerLimits::default() });
    host.matches.offer("anybody", "Play");
    let (greedy, _) = host.join("greedy").await;
    let mut pages = Vec::new();
    for _ in 0..8 {
        let mut page = host.watch(&format!("?seat={greedy}")).await;
        page.next().await.expect("a greeting");
        pages.push(page);
    }
    let door = host.site.request("GET", &format!("/feed/open?seat={greedy}"), "", "").await.json();
    assert_eq!(door["open"], false);
    assert!(door["why"].as_str().is_some_and(|why| why.starts_with("you have as many pages open")), "{door}");
    assert!(host.site.connect(&format!("?seat={greedy}"), None).await.is_err());
    let (other, _) = host.join("other").await;
    host.watch(&format!("?seat={other}")).await.next().await.expect("a greeting");
}

/// Asks for the door of the feed as this person, then begins an action that has no end.
async fn half_a_request(url: &str, seat: &str) -> TcpStream {
    let (host, _) = url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("a URL");
    let mut stream = TcpStream::connect(host).await.expect("the port takes all");
    let door = format!("GET /feed/open?seat={seat} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    stream.write_all(door.as_bytes()).await.expect("it is read");
    let mut answer = [0; 1024];
    timeout(TIMEOUT, stream.read(&mut answer)).await.expect("an answer").expect("it is not closed");
    let begun = format!("POST /act?seat={seat} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\n\r\nx");
    stream.write_all(begun.as_bytes()).await.expect("it is read");
    stream
}

/// Anybody can become a person, and send a request without its end on each connection that the port has.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_with_half_a_request_do_not_keep_the_operator_out() {
    let limits = ServerLimits {
        viewers: 1,
        operators: 1,
        people: 2,
        connections: 5,
        // No connection is closed for its silence during this test.
        idle: 10 * TIMEOUT,
        ..ServerLimits::default()
    };
    let mut host = Host::new(limits);
    host.matches.offer("anybody", "Play");
    let (slow, _) = host.join("slow").await;
    let mut held = Vec::new();
    for _ in 0..5 {
        held.push(half_a_request(host.server.url(), &slow).await);
    }
    assert_eq!(host.site.ask("GET", "/", "").await.status, 200);
}

/// The settings of a host in a test.
struct Sizes;

impl Settings for Sizes {
    fn settings(&self) -> Vec<Setting> {
        let parameter = Parameter::whole("rows", "rows of the board, in dots", 4, 2, 9);
        vec![Setting { parameter, value: game_env::Value::Whole(4), origin: "default".to_owned() }]
    }

    fn check(&self, asked: &Parameters) -> Result<Vec<Setting>, ConfigError> {
        let mut settings = self.settings();
        let table = settings.iter().map(|setting| setting.parameter).collect::<Vec<_>>();
        let Reading { values, mut faults } = parameter::read(&table, asked);
        faults.extend(parameter::check(&table, &values).1);
        if !faults.is_empty() {
            return Err(ConfigError::new(faults));
        }
        for setting in &mut settings {
            if let Some(value) = asked.get(setting.parameter.name) {
                (setting.value, setting.origin) = (value.clone(), "page".to_owned());
            }
        }
        Ok(settings)
    }
}

/// A page can tell a host that has nothing to send from a connection that has gone silent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_hears_of_a_host_that_has_nothing_to_send() {
    let host = Host::new(ServerLimits { patience: Duration::from_secs(1), ..ServerLimits::default() });
    let mut viewer = host.watch("").await;
    let hello = viewer.next().await.unwrap();
    assert_eq!((&hello["kind"], &hello["timeoutMs"]), (&json!("hello"), &json!(1_000)));
    viewer.until("matches").await;
    viewer.pinged(2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_operator_starts_steps_and_stops_what_the_host_allows() {
    let mut host = Host::new(ServerLimits::default());
    let (site, nobody) = (host.site.clone(), json!({}).to_string());
    for path in ["/start", "/next", "/stop", "/settings/check"] {
        assert_eq!(host.site.request("POST", path, "", &nobody).await.status, 403, "{path} without a token");
        let early = host.site.ask("POST", path, &nobody).await.status;
        assert_eq!(early, if path == "/settings/check" { 404 } else { 409 }, "{path}");
    }
    let none = site.get("/settings.json").await;
    assert_eq!((none.status, &none.json()["why"]), (404, &json!("there are no settings here")));
    let change = site.ask("PUT", "/settings", &nobody).await;
    let why = "this host takes settings when something is started: `POST /start`";
    assert_eq!((change.status, &change.json()["why"]), (404, &json!(why)));
    host.matches.settings(Sizes);
    let file = site.get("/settings.json").await;
    assert_eq!((file.status, file.json()), (200, json!({ "rows": 4 })));
    host.matches.by_hand(true);
    let mut viewer = host.watch("").await;
    let told = viewer.until("settings").await.pop().unwrap();
    assert_eq!((&told["parameters"][0]["name"], &told["locked"]), (&json!("rows"), &json!(false)));
    let checked = site.ask("POST", "/settings/check", r#"{"rows": 99}"#).await;
    assert_eq!((checked.status, &checked.json()["faults"][0]["field"]), (200, &json!("rows")));
    let checked = site.ask("POST", "/settings/check", r#"{"rows": 5}"#).await.json();
    assert_eq!((&checked["parameters"][0]["value"], &checked["faults"]), (&json!(5), &json!([])));
    assert_eq!(site.ask("POST", "/start", r#"{"rows": 99}"#).await.status, 422);
    assert_eq!(site.ask("POST", "/start", "nonsense").await.status, 400);
    assert!(host.requests.try_recv().is_err(), "nothing of this is for the host");
    let ask = |path: &'static str, body: &'static str| {
        let site = site.clone();
        tokio::spawn(async move { site.ask("POST", path, body).await.status })
    };
    let asked = ask("/start", r#"{"rows": 5}"#);
    let Request::Start { parameters, answer } = host.request().await else { panic!("an order to start") };
    assert_eq!(parameters.get("rows"), Some(&game_env::Value::Whole(5)));
    host.matches.running(true);
    answer.accept();
    assert_eq!(asked.await.unwrap(), 204);
    assert_eq!(viewer.until("settings").await.pop().unwrap()["locked"], true);
    assert_eq!(site.ask("POST", "/start", "{}").await.status, 409);
    let asked = ask("/next", "{}");
    let Request::Next { answer } = host.request().await else { panic!("the next move") };
    answer.refuse("the match is over");
    assert_eq!(asked.await.unwrap(), 409);
    let asked = ask("/stop", "{}");
    let Request::Stop { answer } = host.request().await else { panic!("an order to stop") };
    answer.accept();
    assert_eq!(asked.await.unwrap(), 204);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_and_numbers_of_people_are_limited() {
    let mut host = Host::new(ServerLimits { people: 2, ..ServerLimits::default() });
    let play = |offer: &str, name: &str| json!({ "offer": offer, "name": name });
    assert_eq!(
        host.post("/play", "", &play("anybody", "a")).await,
        (404, json!("this is not offered any more"))
    );
    host.matches.offer("anybody", "Play");
    let (_, first) = host.join("a").await;
    for name in ["", "  ", "a\nb", "\u{202e}a", &"a".repeat(41)] {
        assert_eq!(host.post("/play", "", &play("anybody", name)).await.0, 422, "{name:?}");
    }
    let (seat, second) = host.join(&"é".repeat(40)).await;
    // Nobody has shown that it is there: the first of them gives way.
    let (other_seat, third) = host.join("c").await;
    let gone = host.request().await;
    assert!(matches!(gone, Request::Leave { person, seat: None } if person == first), "{gone:?}");
    // A person whose page is connected does not.
    let mut pages = Vec::new();
    for seat in [seat, other_seat] {
        let mut page = host.watch(&format!("?seat={seat}")).await;
        notice(&mut page, |notice| notice["state"] == "waiting").await;
        pages.push(page);
    }
    assert_eq!(host.post("/play", "", &play("anybody", "d")).await.0, 503);
    assert!(host.requests.try_recv().is_err());
    assert_ne!(second, third);
    drop(pages);
    host.matches.refuse(second, "no table is free");
    // On a page of replays, or of another host, nobody can play.
    let Host { server, requests, site, .. } = host;
    drop(requests);
    server.close("that was all");
    assert!(TcpStream::connect(site.address).await.is_err());
}
