//! Requests to the board: whatever they say, admission follows from the address and the token alone.

use std::net::{IpAddr, SocketAddr};

use proptest::prelude::*;
use viewer::guard::{Guard, draw_token};
use viewer::page;

fn guard() -> Guard {
    let bound: SocketAddr = ([127, 0, 0, 1], 8000).into();
    Guard::new("board.example", bound, Some(draw_token().unwrap()))
}

/// Hosts that are admitted, nearly admitted, or anything.
fn host() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "localhost",
        "LOCALHOST",
        "board.example",
        "127.0.0.1",
        "127.9.9.9",
        "[::1]",
        "[::2]",
        "::1",
        "10.0.0.1",
        "evil.example",
        "localhost.evil.example",
        "",
    ]);
    let port = prop_oneof![Just(String::new()), ":[0-9]{0,6}", ":[a-z@.]{1,9}"];
    prop_oneof![6 => (name, port).prop_map(|(name, port)| name.to_owned() + &port), 1 => any::<String>()]
}

proptest! {
    /// A name that may be anybody's is never admitted, whatever stands around it.
    #[test]
    fn hosts_are_admitted_by_name_or_loopback_address(host in host()) {
        let lower = host.to_ascii_lowercase();
        let port = lower.rfind(':').filter(|at| lower[at + 1..].bytes().all(|byte| byte.is_ascii_digit()));
        let name = &lower[..port.unwrap_or(lower.len())];
        let address: Result<IpAddr, _> = name.trim_start_matches('[').trim_end_matches(']').parse();
        let is_own = ["localhost", "board.example"].contains(&name)
            || address.is_ok_and(|address| address.is_loopback());
        if guard().admits_host(&host) {
            prop_assert!(is_own, "{} is admitted", host);
        }
    }

    #[test]
    fn pages_are_admitted_by_their_own_address(origin in any::<String>(), host in host()) {
        let guard = guard();
        let own = format!("http://{host}");
        prop_assert!(guard.admits_origin(Some(&own), &host));
        let is_own = origin.eq_ignore_ascii_case(&own);
        prop_assert_eq!(guard.admits_origin(Some(&origin), &host), is_own);
    }

    #[test]
    fn nobody_operates_without_the_token(
        authorization in prop_oneof!["(Bearer|bearer|Basic) [0-9a-f]{0,40}", any::<String>()],
        query in prop_oneof!["(token=[0-9a-f]{0,40}&?){0,3}", any::<String>()],
        cut in 0usize..32,
    ) {
        let guard = guard();
        prop_assert!(!guard.is_operator(Some(&authorization), Some(&query)));
        let token = guard.token().unwrap().to_string();
        let part = format!("Bearer {}", &token[..cut]);
        prop_assert!(!guard.is_operator(Some(&part), None));
        let with_token = format!("{query}&token={token}");
        prop_assert!(guard.is_operator(Some(&authorization), Some(&with_token)));
    }

    /// No text of a game ends the element that holds it.
    #[test]
    fn a_feed_stays_in_its_element(
        text in prop_oneof!["(</?script>?|<!--|-->|\\]\\]>|[<>&\"'/]|[a-z]){0,30}", any::<String>()],
    ) {
        let page = page::exported(&serde_json::to_string(&[&text]).unwrap());
        let (_, element) = page.split_once(r#"id="feed">"#).unwrap();
        let (inside, _) = element.split_once("</script>").unwrap();
        let read: [String; 1] = serde_json::from_str(inside).unwrap();
        prop_assert_eq!(&read[0], &text);
    }
}
