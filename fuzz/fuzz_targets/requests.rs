//! Any requests to the board: access depends on the addresses, the site that a browser names, and the token alone, and
//! no text of a feed leaves its element in an exported page.
//!
//! `cargo +nightly fuzz run requests fuzz/corpus/requests fuzz/seeds/requests`
//!
//! The input is the head of a request as it comes over the network: its lines are taken apart here as a server
//! does it, and the body behind the empty line is read as settings and as a request for a study.
//! `reference-gm/tests/it/requests.rs` has a part of this as properties for ordinary tests.

#![no_main]

use std::net::{IpAddr, SocketAddr};
use std::sync::LazyLock;

use game_env::{Parameters, configuration};
use libfuzzer_sys::fuzz_target;
use reference_gm::project::config::HostConfig;
use viewer::guard::Guard;
use viewer::page;
use viewer::study::{Offer, StudyRequest};

/// The token of the operator. The seeds have it.
const TOKEN: &str = "0123456789abcdef0123456789abcdef";

static BOUND: LazyLock<SocketAddr> = LazyLock::new(|| ([127, 0, 0, 1], 8000).into());
static GUARD: LazyLock<Guard> = LazyLock::new(|| {
    Guard::new("board.example", *BOUND, Some(TOKEN.parse().expect("32 hexadecimal digits")))
});
static CONFIG: LazyLock<HostConfig> = LazyLock::new(|| {
    HostConfig::layered(&Parameters::new(), &Parameters::new()).expect("the defaults are allowed")
});

static OFFER: LazyLock<Offer> = LazyLock::new(|| {
    let texts = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    Offer {
        teams: texts(["red", "blue"]),
        agents: 4,
        entrants: texts(["greedy", "\"python3 agent.py\""]),
        loser: None,
    }
});

fuzz_target!(|request: &[u8]| {
    let end = request.windows(4).position(|bytes| bytes == b"\r\n\r\n");
    let (head, body) = end.map_or((request, &b""[..]), |end| (&request[..end], &request[end + 4..]));
    let head = String::from_utf8_lossy(head);
    let mut lines = head.split("\r\n");
    let target = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
    let query = target.split_once('?').map(|(_, query)| query);
    let fields: Vec<(&str, &str)> =
        lines.filter_map(|line| line.split_once(':')).map(|(name, value)| (name, value.trim())).collect();
    let field = |name: &str| {
        fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    };

    let host = field("host").unwrap_or_default();
    if GUARD.admits_host(host) {
        let name = host.to_ascii_lowercase();
        let port = name.rfind(':').filter(|at| name[at + 1..].bytes().all(|byte| byte.is_ascii_digit()));
        let name = &name[..port.unwrap_or(name.len())];
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        assert!(
            ["localhost", "board.example"].contains(&name)
                || address.is_ok_and(|address| address.is_loopback()),
            "{host} is admitted"
        );
    }
    if let Some(origin) = field("origin")
        && GUARD.admits_origin(Some(origin), host)
    {
        assert!(origin.eq_ignore_ascii_case(&format!("http://{host}")), "{origin} is admitted at {host}");
    }
    let site = field("sec-fetch-site");
    assert!(GUARD.admits_site(site, true), "{site:?} may not link to the page");
    if GUARD.admits_site(site, false) {
        assert!(matches!(site, None | Some("same-origin" | "none")), "{site:?} is admitted");
    }
    if GUARD.is_operator(field("authorization"), query) {
        assert!(head.to_ascii_lowercase().contains(TOKEN), "an operator without the token");
    }

    // A request that is not refused is a configuration that can be hosted.
    if let Ok(parameters) = configuration::read(body).and_then(|file| file.parameters()) {
        match CONFIG.changed(&parameters) {
            Ok(config) => drop(config.parameters()),
            Err(error) => assert!(!error.faults().is_empty()),
        }
    }
    // A request for a study names no entrant that is not offered.
    let named: Vec<String> = match OFFER.read(body) {
        Ok(StudyRequest::Fork { teams, .. }) => teams.into_iter().flatten().collect(),
        Ok(StudyRequest::Diff { entrant, .. }) => vec![entrant],
        _ => Vec::new(),
    };
    assert!(named.iter().all(|entrant| OFFER.entrants.contains(entrant)), "{named:?}");
    let feed = serde_json::to_string(&[String::from_utf8_lossy(body)]).expect("text is JSON");
    let exported = page::exported(&feed);
    let (_, element) = exported.split_once(r#"id="feed">"#).expect("the page has its feed");
    let (inside, _) = element.split_once("</script>").expect("the element ends");
    let read: [String; 1] = serde_json::from_str(inside).expect("the element holds all of the feed");
    assert_eq!(read[0], String::from_utf8_lossy(body));
});
