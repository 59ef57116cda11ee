//! Tokens, which prove who a client is.

use std::fmt;
use std::str::FromStr;

use game_env::NotationError;
use subtle::ConstantTimeEq as _;

/// A secret of 128 bits, as 32 hexadecimal digits: proves that a client is the one that logged in under a name first,
/// or that a request is the operator's.
#[derive(Clone, Copy, Eq)]
pub struct Token([u8; 16]);

impl Token {
    /// Returns the token of these bits.
    pub const fn new(bits: [u8; 16]) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    pub const fn bits(&self) -> &[u8; 16] {
        &self.0
    }
}

/// Takes a time that does not tell how many digits are right.
impl PartialEq for Token {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Without its digits: tokens do not belong into logs.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

impl FromStr for Token {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Self, NotationError> {
        let is_hexadecimal = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = if is_hexadecimal { u128::from_str_radix(text, 16).ok() } else { None };
        let number = number.ok_or_else(|| NotationError::new("token", text, "32 hexadecimal digits"))?;
        Ok(Self(number.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_reads_as_it_is_written_and_hides_in_logs() {
        let text = "00112233445566778899aabbccddeeff";
        let token: Token = text.parse().unwrap();
        assert_eq!(token.to_string(), text);
        assert_eq!(format!("{token:?}"), "Token(…)");
        assert_eq!(text.to_uppercase().parse(), Ok(token));
        assert_ne!(text.replace('f', "e").parse(), Ok(token));
        for wrong in ["", "0", "+0112233445566778899aabbccddeeff", &text[1..], &format!("{text}0")] {
            let error = wrong.parse::<Token>().unwrap_err().to_string();
            assert!(error.contains("expected 32 hexadecimal digits"), "{error}");
        }
    }
}
