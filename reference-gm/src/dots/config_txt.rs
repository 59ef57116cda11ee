//! `config.txt`: where the original of 2023 listens.
//!
//! ```text
//! 127.0.0.1
//! 10000
//! ```
//!
//! The first line is an IPv4 address, `localhost` or `any`; the second line is the port. As in the original, further
//! lines are ignored. The original uses its defaults if a line is faulty; here a faulty line is an error.

use std::net::Ipv4Addr;

use game_env::configuration::File;
use game_env::text::fit_for_a_log;
use serde_json::json;
use thiserror::Error;

/// The longest file, in bytes.
pub const LONGEST_FILE: u64 = 4096;

/// A file that does not name an address and a port.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TxtError {
    /// The first line is not an address.
    #[error("line 1, `{}`: expected an IPv4 address, `localhost` or `any`", fit_for_a_log(.0))]
    Address(String),
    /// The second line is not a port.
    #[error("line 2, `{}`: expected a port from 0 to 65535; 0 for any free port", fit_for_a_log(.0))]
    Port(String),
}

/// Reads the file as a configuration with the keys `listen` and `port`.
///
/// # Errors
///
/// Names the first faulty line.
pub fn read(text: &str) -> Result<File, TxtError> {
    let mut lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines().map(str::trim);
    let mut line = || lines.next().unwrap_or_default();
    let (address, port) = (line(), line());
    let address = match address {
        "localhost" => Ipv4Addr::LOCALHOST,
        "any" => Ipv4Addr::UNSPECIFIED,
        other => other.parse().map_err(|_| TxtError::Address(other.to_owned()))?,
    };
    let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
    let number = port.parse::<u16>().ok().filter(|_| is_number);
    let number = number.ok_or_else(|| TxtError::Port(port.to_owned()))?;
    let members = vec![("listen".to_owned(), json!(address.to_string())), ("port".to_owned(), json!(number))];
    Ok(File { members, has_mark: false })
}

#[cfg(test)]
mod tests {
    use game_env::Parameters;

    use super::*;
    use crate::dots::Config;

    #[test]
    fn the_file_of_the_original_names_address_and_port() {
        for (text, listen, port) in [
            ("10.0.0.16\n10000", "10.0.0.16", 10_000),
            ("localhost\r\n0\r\n", "127.0.0.1", 0),
            ("any \n 65535\nignored\n", "0.0.0.0", 65_535),
            ("\u{feff}127.0.0.1\n80", "127.0.0.1", 80),
        ] {
            let config = Config::layered(&read(text).unwrap(), &Parameters::new()).unwrap();
            assert_eq!(
                (config.server.listen.to_string().as_str(), config.server.port),
                (listen, port),
                "{text:?}"
            );
        }
        for text in ["", "\n10000", "somewhere\n10000", "10.0.0\n10000", "::1\n10000", "10000\nany"] {
            let error = read(text).unwrap_err();
            assert!(matches!(error, TxtError::Address(_)), "{text:?}");
            assert!(error.to_string().contains("expected an IPv4 address, `localhost` or `any`"), "{error}");
        }
        for text in ["any", "any\n\n", "any\nport", "any\n65536", "any\n-1", "any\n+80"] {
            let error = read(text).unwrap_err();
            assert!(matches!(error, TxtError::Port(_)), "{text:?}");
            assert!(error.to_string().contains("expected a port from 0 to 65535"), "{error}");
        }
    }
}
