//! Tokens, sans-IO: decides whether a client may take the place of a player.

use wire::token::Token;

/// The owner of a place: a player that has logged in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Owner {
    /// Its token.
    pub token: Token,
    /// Whether it has a connection.
    pub is_connected: bool,
    /// The token of the server's own players, if it is one of them: nobody takes its place without a token.
    pub own: Option<Token>,
}

/// The reason for which a client may not take the place of a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotAdmitted {
    /// The player is one of the server's own.
    Reserved,
    /// The client has another token.
    WrongToken,
    /// The client has no token, and the player has a connection.
    IsThere,
    /// The client has no token, and needs one.
    TokenNeeded,
}

impl Owner {
    /// Decides whether a client with this token, or without one, may go on as this player. With `by_name` it needs no
    /// token if the player has no connection.
    ///
    /// # Errors
    ///
    /// If it may not.
    pub fn admit(&self, token: Option<Token>, by_name: bool) -> Result<(), NotAdmitted> {
        match token {
            Some(token) if token == self.token || Some(token) == self.own => Ok(()),
            _ if self.own.is_some() => Err(NotAdmitted::Reserved),
            Some(_) => Err(NotAdmitted::WrongToken),
            None if self.is_connected => Err(NotAdmitted::IsThere),
            None if !by_name => Err(NotAdmitted::TokenNeeded),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_its_owners() {
        let [token, other, own] = [1, 2, 3].map(|bits| Token::new([bits; 16]));
        let away = Owner { token, is_connected: false, own: None };
        let there = Owner { is_connected: true, ..away };
        for by_name in [false, true] {
            assert_eq!(there.admit(Some(token), by_name), Ok(()));
            assert_eq!(away.admit(Some(other), by_name), Err(NotAdmitted::WrongToken));
            assert_eq!(there.admit(None, by_name), Err(NotAdmitted::IsThere));
        }
        assert_eq!(away.admit(None, true), Ok(()));
        assert_eq!(away.admit(None, false), Err(NotAdmitted::TokenNeeded));
        let bot = Owner { own: Some(own), ..away };
        assert_eq!([token, own].map(|token| bot.admit(Some(token), false)), [Ok(()); 2]);
        assert_eq!([Some(other), None].map(|token| bot.admit(token, true)), [Err(NotAdmitted::Reserved); 2]);
    }
}
