//! Access control, sans-IO: the right to watch a game, and the right to control it.
//!
//! Every client that reaches the port may watch. A page of another site in the same browser also reaches the port,
//! and must neither watch nor control the game: its requests name its own address as their origin, or as their host
//! a domain name of its own that points here (DNS rebinding). Only the operator has the token.

use std::net::{IpAddr, SocketAddr};

use wire::host;
use wire::token::Token;

/// The checks of requests to a page at one address.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The address that was asked for, which may be a name.
    named: String,
    bound: IpAddr,
    /// The token of the operator's requests; none if there is nothing to operate.
    token: Option<Token>,
}

/// Returns a token that nobody has seen.
///
/// # Errors
///
/// If the system has no random bits.
pub fn draw_token() -> Result<Token, getrandom::Error> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits)?;
    Ok(Token::new(bits))
}

impl Guard {
    /// Guards a page at this address; `named` is how the operator named the host.
    pub fn new(named: &str, bound: SocketAddr, token: Option<Token>) -> Self {
        Self { named: named.to_owned(), bound: bound.ip(), token }
    }

    /// Returns the token, if there is one.
    pub fn token(&self) -> Option<Token> {
        self.token
    }

    /// Returns whether a request to this host is meant for this page.
    pub fn admits_host(&self, host: &str) -> bool {
        host::is_own(host, &self.named, self.bound)
    }

    /// Returns whether a request comes from this page, or from no page at all.
    pub fn admits_origin(&self, origin: Option<&str>, host: &str) -> bool {
        origin.is_none_or(|origin| {
            origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host))
        })
    }

    /// Returns whether a request is allowed by what the browser says about the page that caused it (`Sec-Fetch-Site`).
    /// Other sites may link to the page, a navigation, and may not load anything else: for a request without CORS a
    /// browser sends no origin, but it sends this. Programs send nothing.
    pub fn admits_site(&self, site: Option<&str>, is_link_to_page: bool) -> bool {
        site.is_none_or(|site| matches!(site, "same-origin" | "none") || is_link_to_page)
    }

    /// Returns whether it is the operator who asks: with the token behind `Bearer`, or in the address.
    pub fn is_operator(&self, authorization: Option<&str>, query: Option<&str>) -> bool {
        let Some(token) = self.token else { return false };
        let bearer = authorization.and_then(|value| value.strip_prefix("Bearer "));
        let pairs = query.into_iter().flat_map(|query| query.split('&'));
        let named = pairs.filter_map(|pair| pair.strip_prefix("token="));
        bearer.into_iter().chain(named).any(|text| text.parse() == Ok(token))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: &str = "00112233445566778899aabbccddeeff";

    fn guard(named: &str, bound: &str) -> Guard {
        Guard::new(named, bound.parse().unwrap(), Some(DIGITS.parse().unwrap()))
    }

    #[test]
    fn only_the_host_of_the_board_is_answered() {
        let board = guard("Board.example", "10.0.0.1:80");
        assert!(board.admits_host("board.example:80") && board.admits_host("10.0.0.1"));
        assert!(!board.admits_host("10.0.0.2") && !board.admits_host("evil.example"));
    }

    #[test]
    fn pages_of_others_are_not_answered() {
        let own = guard("127.0.0.1", "127.0.0.1:80");
        let from = |origin| own.admits_origin(Some(origin), "127.0.0.1:8000");
        assert!(own.admits_origin(None, "127.0.0.1:8000") && from("http://127.0.0.1:8000"));
        for origin in [
            "null",
            "",
            "http://evil.example",
            "http://127.0.0.1:8001",
            "https://127.0.0.1:8000",
            "http://localhost:8000",
            "http://127.0.0.1:8000.evil.example",
        ] {
            assert!(!from(origin), "{origin}");
        }
    }

    #[test]
    fn other_sites_may_only_link_to_the_page() {
        let own = guard("127.0.0.1", "127.0.0.1:80");
        for site in [None, Some("same-origin"), Some("none")] {
            assert!(own.admits_site(site, false), "{site:?}");
        }
        for site in ["cross-site", "same-site", "", "anything"] {
            assert!(!own.admits_site(Some(site), false) && own.admits_site(Some(site), true), "{site}");
        }
    }

    #[test]
    fn only_the_whole_token_is_the_token() {
        let own = guard("", "127.0.0.1:80");
        assert!(own.is_operator(Some(&format!("Bearer {DIGITS}")), None));
        assert!(own.is_operator(None, Some(&format!("a=b&token={DIGITS}"))));
        let (short, long, other) = (&DIGITS[..31], format!("{DIGITS}0"), DIGITS.replace('f', "e"));
        for wrong in ["", short, &long, &other] {
            assert!(!own.is_operator(Some(&format!("Bearer {wrong}")), None), "{wrong}");
            assert!(!own.is_operator(None, Some(&format!("token={wrong}"))), "{wrong}");
        }
        assert!(
            !own.is_operator(Some(DIGITS), None) && !own.is_operator(Some(&format!("Basic {DIGITS}")), None)
        );
        assert!(
            !own.is_operator(None, Some("")) && !own.is_operator(None, Some(&format!("xtoken={DIGITS}")))
        );
        let nobody = Guard::new("", "127.0.0.1:80".parse().unwrap(), None);
        assert!(!nobody.is_operator(Some("Bearer "), Some("token=")));
    }

    #[test]
    fn tokens_differ() {
        let [one, other] = [(); 2].map(|()| draw_token().unwrap());
        assert_ne!(one, other);
    }
}
