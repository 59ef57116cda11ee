//! The flag `--set NAME=VALUE`.

use game_env::text::fit_for_a_log;
use game_env::{Parameters, Value};

use crate::Failure;

/// Reads the values of all flags `--set`. `hint` says where the names of parameters are.
///
/// # Errors
///
/// If a value has no name.
pub fn settings(pairs: &[String], hint: &str) -> Result<Parameters, Failure> {
    let read = |pair: &String| {
        let (name, value) = setting(pair).map_err(|why| Failure::misuse(why, hint))?;
        Ok((name.to_owned(), Value::guess(value)))
    };
    pairs.iter().map(read).collect()
}

/// Splits the value of a flag `--set` into the name of a parameter and its value.
///
/// # Errors
///
/// The whole text of the error, without a hint, if there is no name.
pub fn setting(pair: &str) -> Result<(&str, &str), String> {
    pair.split_once('=')
        .filter(|(name, _)| !name.is_empty())
        .ok_or_else(|| format!("invalid --set `{}`: expected NAME=VALUE", fit_for_a_log(pair)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_has_a_name_and_a_value() {
        assert_eq!(setting("boardX=20"), Ok(("boardX", "20")));
        assert_eq!(setting("note=a=b"), Ok(("note", "a=b")));
        assert_eq!(setting("note="), Ok(("note", "")));
        for pair in ["boardX", "=20", ""] {
            assert_eq!(setting(pair), Err(format!("invalid --set `{pair}`: expected NAME=VALUE")));
        }
    }
}
