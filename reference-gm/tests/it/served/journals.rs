//! Journals of the servers of games: every prefix opens, and a server goes on from what is on disk.

use game_env::Chance;
use reference_gm::server::{DrawToken, Master};
use wire::token::Token;

/// Tokens that are never drawn twice.
pub(crate) fn tokens() -> DrawToken {
    let mut number = 0_u128;
    Box::new(move || {
        number += 1;
        Token::new(number.to_le_bytes())
    })
}

/// Checks that every prefix of a journal can be opened, and the snapshot that follows from it as well.
pub(crate) fn check_prefixes<M: Master>(
    records: &[M::Record],
    open: impl Fn(&[M::Record]) -> Result<M, String>,
) {
    for length in 0..=records.len() {
        let records = &records[..length];
        if let Err(error) = open(records).and_then(|master| open(&master.snapshot())) {
            let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
            panic!("{error}\n{}", lines.join("\n"));
        }
    }
}

/// The master that follows one which was killed while it wrote its last records: some of them are lost. The games that
/// it tells of at its beginning are dropped.
pub(crate) fn follow<M: Master>(
    records: &[M::Record],
    chance: &mut Chance,
    open: impl Fn(&[M::Record]) -> Result<M, String>,
) -> M {
    let lost = chance.index(records.len().min(5) + 1);
    let mut master = open(&records[..records.len() - lost]).unwrap();
    while master.poll_output().is_some() {}
    master
}
