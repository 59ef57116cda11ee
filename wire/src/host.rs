//! The `Host` of a request over HTTP: whether the request is meant for this program.
//!
//! A page of another site can let a domain name of its own point to this machine (DNS rebinding). The browser takes the
//! answer of our port for an answer of that site, and lets the page read it. But the request names the domain as its
//! host.
//!
//! ```
//! use std::net::{IpAddr, Ipv4Addr};
//! use wire::host;
//!
//! let bound = IpAddr::V4(Ipv4Addr::LOCALHOST);
//! assert!(host::is_own("localhost:8000", "127.0.0.1", bound));
//! assert!(!host::is_own("evil.example:8000", "127.0.0.1", bound));
//! ```

use std::net::IpAddr;

/// Returns whether a request with this `Host` is meant for a program that listens at the address `bound`; `named` is
/// how the operator named the host. An address is, if it is one of this machine; another name may belong to anybody.
pub fn is_own(host: &str, named: &str, bound: IpAddr) -> bool {
    let name = without_port(host);
    if name.eq_ignore_ascii_case("localhost") || name.eq_ignore_ascii_case(named) {
        return true;
    }
    let address = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    match address.parse::<IpAddr>() {
        Ok(address) => address.is_loopback() || address == bound || bound.is_unspecified(),
        Err(_) => false,
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        // The address in brackets has colons of its own.
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_may_be_anybodys_are_not_own() {
        let own = |host| is_own(host, "127.0.0.1", [127, 0, 0, 1].into());
        for host in ["127.0.0.1", "127.0.0.1:8000", "localhost:1", "LocalHost", "[::1]:8000", "127.9.9.9:1"] {
            assert!(own(host), "{host}");
        }
        for host in [
            "",
            ":80",
            "evil.example",
            "evil.example:80",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "10.0.0.1:80",
            "[::2]",
            "localhost:80@evil.example",
        ] {
            assert!(!own(host), "{host}");
        }
        let everywhere = |host| is_own(host, "0.0.0.0", [0, 0, 0, 0].into());
        assert!(everywhere("10.0.0.1:80") && !everywhere("evil.example"));
        let one = |host| is_own(host, "Board.example", [10, 0, 0, 1].into());
        assert!(one("board.example:80") && one("10.0.0.1") && !one("10.0.0.2"));
    }
}
