//! Flags that give values to parameters, e.g. `--set NAME=VALUE`.

use game_env::Parameters;
use game_env::parameter::{self, Parameter};
use game_env::text::fit_for_a_log;

use crate::Failure;

/// Returns the values that the pairs of a flag, e.g. `--set`, give to parameters of this table. A name that the table
/// does not have stays in the list: the reader of the values reports it. `hint` says where the names are.
///
/// # Errors
///
/// If a pair has no name.
pub fn settings(
    flag: &str,
    pairs: &[String],
    table: &[Parameter],
    hint: &str,
) -> Result<Parameters, Failure> {
    let read = |pair: &String| {
        let (name, text) = pair.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| {
            let why = format!("invalid {flag} `{}`: expected NAME=VALUE", fit_for_a_log(pair));
            Failure::misuse(why, hint)
        })?;
        Ok((name.to_owned(), parameter::parse(table, name, text)))
    };
    pairs.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_has_a_name_and_a_value() {
        const TABLE: [Parameter; 2] = [
            Parameter::whole("boardX", "columns of the board", 8, 1, 300),
            Parameter::one_of("note", "a note", &["a", "20"]),
        ];
        let read = |pair: &str| settings("--set", &[pair.to_owned()], &TABLE, "e.g. `--set boardX=20`");
        for (pair, expected) in [
            ("boardX=20", "boardX=20"),
            ("boardX=x", "boardX=\"x\""),
            ("note=20", "note=\"20\""),
            ("note=a=b", "note=\"a=b\""),
            ("note=", "note=\"\""),
            ("other=20", "other=20"),
        ] {
            assert_eq!(read(pair).unwrap().to_string(), expected);
        }
        for pair in ["boardX", "=20", ""] {
            assert_eq!(
                read(pair).unwrap_err().to_string(),
                format!("error: invalid --set `{pair}`: expected NAME=VALUE\nhint: e.g. `--set boardX=20`")
            );
        }
    }
}
