//! Servers that flags and files name: a host and a port.

use bots::address::is_host;
use command_line::Failure;
use game_env::text::fit_for_a_log;

/// Returns the host and the port of a server that a flag or a file names.
///
/// # Errors
///
/// If the value is not both. The hint has an example.
pub(crate) fn read_with_port(value: &str, hint: &'static str) -> Result<(String, u16), Failure> {
    let misuse = |expected: String| {
        let value = fit_for_a_log(value);
        Failure::misuse(format!("invalid server `{value}`: expected {expected}"), hint)
    };
    let (host, port) = read_server(value).map_err(misuse)?;
    Ok((host, port.ok_or_else(|| misuse("HOST:PORT".to_owned()))?))
}

/// Returns a host, and its port if the text has one.
pub(crate) fn read_server(text: &str) -> Result<(String, Option<u16>), String> {
    if text.contains("://") {
        return Err("HOST:PORT without the name of a protocol".to_owned());
    }
    if is_host(text) {
        return Ok((text.to_owned(), None));
    }
    let (host, port) = text.rsplit_once(':').ok_or_else(|| "a name or an address".to_owned())?;
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    if !is_host(host) {
        return Err("a name or an address".to_owned());
    }
    Ok((host.to_owned(), Some(read_port(port)?)))
}

pub(crate) fn read_port(text: &str) -> Result<u16, String> {
    let port = text.parse().ok().filter(|port| *port > 0);
    port.ok_or_else(|| "a port from 1 to 65535".to_owned())
}
