//! Reads the observations of games other than The Project Game: numbers of players, and boards as rows of characters.

use game_env::AgentId;

/// Returns the player with this number.
///
/// # Errors
///
/// If there is no such player among `count`; the error names the field.
pub(crate) fn player(field: &str, number: u8, count: usize) -> Result<AgentId, String> {
    if usize::from(number) < count {
        Ok(AgentId::new(number.into()))
    } else {
        Err(format!("`{field}` is {number}: expected a player from 0 to {}", count - 1))
    }
}

/// Returns the number of a player.
///
/// # Panics
///
/// If it does not fit: these games have at most four players.
pub(crate) fn number(player: AgentId) -> u8 {
    u8::try_from(player.index()).expect("there are at most four players")
}

/// Calls a function with column, row and character of each place of a board, row by row.
///
/// # Errors
///
/// If there are more or fewer rows than `height`, a row has more or fewer characters than `width`, or a character is
/// none of `allowed`.
#[cfg(any(feature = "bricks", feature = "dots"))]
pub(crate) fn characters(
    field: &str,
    rows: &[String],
    (width, height): (u16, u16),
    allowed: &str,
    mut visit: impl FnMut(u16, u16, char),
) -> Result<(), String> {
    if rows.len() != usize::from(height) {
        return Err(format!("`{field}` has {} rows: expected {height}", rows.len()));
    }
    for (y, row) in (0..).zip(rows) {
        let count = row.chars().count();
        if count != usize::from(width) {
            return Err(format!("`{field}`, row {y}, has {count} characters: expected {width}"));
        }
        for (x, letter) in (0..).zip(row.chars()) {
            if !allowed.contains(letter) {
                return Err(format!(
                    "`{field}`, row {y}, has a {letter:?}: expected characters of `{allowed}`"
                ));
            }
            visit(x, y, letter);
        }
    }
    Ok(())
}
