//! `BORD.INI`: the address of a board's controller.
//!
//! ```text
//! [Spel]
//! IP=127.0.0.1
//! Port=5000
//! ```
//!
//! # Decisions where the source is silent or says two things
//!
//! - The section is `[Spel]` or `[Main]`: the source has both names, in two places. A file with both is refused, as it
//!   would not be clear which one counts.
//! - Section and keys may be in upper or lower case.
//! - An address has four numbers of one to three digits, with zeros before them or not; nothing else, and no name.
//! - A port is a number from 1 to 65535.
//! - A key that is there twice is refused, even with the same value. Other sections and keys are passed over, and so
//!   are empty lines and lines that begin with `;` or `#`.

use std::net::{Ipv4Addr, SocketAddrV4};

use game_env::text::fit_for_a_log;
use thiserror::Error;

/// A file that does not give the address of the controller.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum IniError {
    /// There is no section with this name.
    #[error("there is no section [Spel] or [Main]: expected one of them, with `ip` and `port` in it")]
    NoSection,
    /// There are two.
    #[error(
        "line {second}: another section [{name}], after that of line {first}: expected one section, [Spel] or [Main]"
    )]
    TwoSections {
        /// The line of the first, from 1.
        first: usize,
        /// The line of the second.
        second: usize,
        /// The name of the second, as it is written.
        name: String,
    },
    /// A key is missing.
    #[error("the section [{section}] has no `{key}`: expected `{key}={example}` or the like")]
    NoKey {
        /// The section, as it is written.
        section: String,
        /// The key.
        key: &'static str,
        /// A possible value.
        example: &'static str,
    },
    /// A key is there twice.
    #[error("line {second}: `{key}` is there already, in line {first}: expected it once")]
    Twice {
        /// The key.
        key: &'static str,
        /// The line of the first, from 1.
        first: usize,
        /// The line of the second.
        second: usize,
    },
    /// The value of `ip` is no IPv4 address.
    #[error("line {line}: ip = `{}`: expected four numbers from 0 to 255 with dots between them, e.g. 127.0.0.1", fit_for_a_log(.found))]
    Address {
        /// The line, from 1.
        line: usize,
        /// The text that is there.
        found: String,
    },
    /// The value of `port` is no port.
    #[error("line {line}: port = `{}`: expected a number from 1 to 65535", fit_for_a_log(.found))]
    Port {
        /// The line, from 1.
        line: usize,
        /// The text that is there.
        found: String,
    },
    /// A line of the section is neither a section nor a key.
    #[error("line {line}: `{}`: expected a key, `=` and a value, e.g. port=5000", fit_for_a_log(.found))]
    NoPair {
        /// The line, from 1.
        line: usize,
        /// The text that is there.
        found: String,
    },
}

/// A value and the line where it is.
type Found<'t> = Option<(usize, &'t str)>;

/// Reads the address of the controller from the bytes of a file.
///
/// # Errors
///
/// If the file does not say it, or says it twice.
pub fn read(file: &[u8]) -> Result<SocketAddrV4, IniError> {
    let text = String::from_utf8_lossy(file);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut section: Found<'_> = None;
    let mut is_inside = false;
    let (mut ip, mut port): (Found<'_>, Found<'_>) = (None, None);
    for (line, content) in (1..).zip(text.lines().map(str::trim)) {
        if content.is_empty() || content.starts_with([';', '#']) {
            continue;
        }
        if let Some(name) = content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let name = name.trim();
            is_inside = ["spel", "main"].contains(&name.to_ascii_lowercase().as_str());
            if is_inside && let Some((first, _)) = section.replace((line, name)) {
                return Err(IniError::TwoSections { first, second: line, name: name.to_owned() });
            }
            continue;
        }
        if !is_inside {
            continue;
        }
        let Some((key, value)) = content.split_once('=') else {
            return Err(IniError::NoPair { line, found: content.to_owned() });
        };
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        let (slot, key) = match key.as_str() {
            "ip" => (&mut ip, "ip"),
            "port" => (&mut port, "port"),
            _ => continue,
        };
        if let Some((first, _)) = slot.replace((line, value)) {
            return Err(IniError::Twice { key, first, second: line });
        }
    }
    let (_, section) = section.ok_or(IniError::NoSection)?;
    let missing = |key, example| IniError::NoKey { section: section.to_owned(), key, example };
    let (line, address) = ip.ok_or_else(|| missing("ip", "127.0.0.1"))?;
    let address =
        dotted_quad(address).ok_or_else(|| IniError::Address { line, found: address.to_owned() })?;
    let (line, number) = port.ok_or_else(|| missing("port", "5000"))?;
    let number = port_number(number).ok_or_else(|| IniError::Port { line, found: number.to_owned() })?;
    Ok(SocketAddrV4::new(address, number))
}

/// Numbers of up to this many digits, and nothing but digits.
fn digits(text: &str, most: usize) -> Option<u32> {
    let is_number = !text.is_empty() && text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}

fn dotted_quad(text: &str) -> Option<Ipv4Addr> {
    let parts: Option<Vec<u8>> =
        text.split('.').map(|part| digits(part, 3).and_then(|number| u8::try_from(number).ok())).collect();
    <[u8; 4]>::try_from(parts?).ok().map(Ipv4Addr::from)
}

fn port_number(text: &str) -> Option<u16> {
    digits(text, 5).and_then(|number| u16::try_from(number).ok()).filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_any_case_are_read() {
        for file in [
            "[Spel]\r\nip=127.0.0.1\r\nport=5000\r\n",
            "[Main]\r\nIP=127.0.0.1\r\nPort=5000",
            "[MAIN]\nPORT = 5000\n IP = 127.000.000.001 \n",
            "\u{feff}; of the course\r\n\r\n[Other]\r\nip=nowhere\r\nnonsense\r\n[sPEL]\r\nname=x\r\nip=127.0.0.1\r\nport=05000\r\n[Last]\r\nport=1",
        ] {
            assert_eq!(
                read(file.as_bytes()).map(|address| address.to_string()).as_deref(),
                Ok("127.0.0.1:5000"),
                "{file}"
            );
        }
    }

    #[test]
    fn every_fault_says_what_would_be_right() {
        for (file, fault) in [
            ("", "there is no section"),
            ("ip=127.0.0.1\nport=5000", "there is no section"),
            ("[Game]\nip=127.0.0.1\nport=5000", "there is no section"),
            ("[Spel\nip=127.0.0.1\nport=5000", "there is no section"),
            (
                "[Spel]\nip=127.0.0.1\nport=5000\n[Main]\nip=127.0.0.1\nport=5000",
                "line 4: another section [Main], after that of line 1",
            ),
            (
                "[Spel]\nip=127.0.0.1\n[Spel]\nport=5000",
                "line 3: another section [Spel], after that of line 1",
            ),
            ("[Spel]", "the section [Spel] has no `ip`: expected `ip=127.0.0.1`"),
            ("[Main]\nport=5000", "the section [Main] has no `ip`"),
            ("[SPEL]\nip=127.0.0.1\nprot=5000", "the section [SPEL] has no `port`: expected `port=5000`"),
            ("[Spel]\nip=127.0.0.1\nip=127.0.0.1\nport=5000", "line 3: `ip` is there already, in line 2"),
            ("[Spel]\nip=127.0.0.1\nPort=5000\nport=5001", "line 4: `port` is there already, in line 3"),
            ("[Spel]\nip=localhost\nport=5000", "line 2: ip = `localhost`: expected four numbers"),
            ("[Spel]\nip=127.0.0\nport=5000", "ip = `127.0.0`"),
            ("[Spel]\nip=127.0.0.1.1\nport=5000", "ip = `127.0.0.1.1`"),
            ("[Spel]\nip=127.0.0.256\nport=5000", "ip = `127.0.0.256`"),
            ("[Spel]\nip=127.0..1\nport=5000", "ip = `127.0..1`"),
            ("[Spel]\nip=0127.0.0.1\nport=5000", "ip = `0127.0.0.1`"),
            ("[Spel]\nip=::1\nport=5000", "ip = `::1`"),
            ("[Spel]\nip=+1.0.0.1\nport=5000", "ip = `+1.0.0.1`"),
            ("[Spel]\nip=\nport=5000", "ip = ``"),
            ("[Spel]\nip=127.0.0.1\nport=0", "line 3: port = `0`: expected a number from 1 to 65535"),
            ("[Spel]\nip=127.0.0.1\nport=65536", "port = `65536`"),
            ("[Spel]\nip=127.0.0.1\nport=-1", "port = `-1`"),
            ("[Spel]\nip=127.0.0.1\nport=+5000", "port = `+5000`"),
            ("[Spel]\nip=127.0.0.1\nport=5000 ; the first", "port = `5000 ; the first`"),
            ("[Spel]\nip=127.0.0.1\nport=", "port = ``"),
            ("[Spel]\nip=127.0.0.1\nport 5000", "line 3: `port 5000`: expected a key, `=` and a value"),
            ("[Spel]\nip=\u{1b}[2J\nport=5000", "ip = `\\u{1b}[2J`"),
        ] {
            let told = read(file.as_bytes()).unwrap_err().to_string();
            assert!(told.contains(fault), "{file:?}: {told}");
        }
    }
}
