//! The players of connections: first logins, and players that come back.

use wire::dots::{Answer, LoginToken, Name, Notice, Resumption, Token};

use super::{ConnectionId, Master, Phase, Player, PlayerId};
use crate::server::{Origin, Owner, Pulse};

impl Master {
    pub(super) fn login(&mut self, id: ConnectionId, name: Name, token: LoginToken) {
        let known = self.names.get(&name).copied();
        let is_bot = known.is_some_and(|player| self.players[&player].is_bot);
        // The original counts the fields that are not empty. It has no bots.
        if self.settings.compat && matches!(token, LoginToken::Given(_)) && !is_bot {
            return self.expel(id);
        }
        if let Some(player) = known {
            return if self.may_come_back(id, player, token) {
                self.come_back(id, player);
            } else {
                self.refuse(id, &Notice::Logged(Answer::Error));
            };
        }
        if self.players.len() >= self.settings.players {
            let Some(longest) = self.absent.oldest() else {
                return self.refuse(id, &Notice::Logged(Answer::Error));
            };
            self.remove(longest);
        }
        let own = (self.draw_token)();
        let player = self.add_player(name, own, false);
        self.attach(id, player);
        self.tell(id, &Notice::Logged(Answer::Ok));
        if token != LoginToken::Absent && !self.settings.compat {
            self.tell(id, &Notice::Token(own));
        }
    }

    /// Returns whether a client with this token, or without one, may go on as this player.
    fn may_come_back(&self, id: ConnectionId, player: PlayerId, token: LoginToken) -> bool {
        let player = &self.players[&player];
        let token = match token {
            LoginToken::Given(token) => Some(token),
            LoginToken::Absent | LoginToken::Wanted => None,
        };
        if self.is_compat_with(id) && token.is_none() && !player.is_bot {
            return true;
        }
        let own = player.is_bot.then_some(player.token);
        let owner = Owner { token: player.token, is_connected: player.connection.is_some(), own };
        owner.admit(token, self.settings.resume_by_name).is_ok()
    }

    /// Gives a player another connection. As in the original, a player that waited leaves the queue.
    fn come_back(&mut self, id: ConnectionId, player: PlayerId) {
        if let Some(former) = self.players[&player].connection {
            self.close(former);
        }
        self.attach(id, player);
        self.tell(id, &Notice::Logged(Answer::Ok));
        match self.players[&player].phase {
            Phase::Playing(game, side) => {
                self.tell_grid(player);
                let game = &self.games[&game];
                let position = game.state.position();
                let [first, second] = position.boxes;
                let (own, others) = if side.index() == 0 { (first, second) } else { (second, first) };
                let opponent = self.players[&game.players[side.other().index()]].name.clone();
                let lines = position.edges.iter().map(|edge| edge.dots()).collect();
                let mover = game.mover().unwrap_or(side);
                let resumption = Resumption { side, opponent, mover, own, others, lines };
                self.tell(id, &Notice::ResumeGame(resumption));
            }
            Phase::Finished => {
                if let Some(player) = self.players.get_mut(&player) {
                    player.phase = Phase::Idle;
                }
            }
            Phase::Idle | Phase::Waiting => {}
        }
    }

    /// Connects a player.
    fn attach(&mut self, id: ConnectionId, player: PlayerId) {
        let Some(connection) = self.gate.state_mut(id) else { return };
        connection.player = Some(player);
        let origin = connection.origin;
        self.gate.log_in(id);
        self.absent.remove(player);
        if let Some(player) = self.players.get_mut(&player) {
            player.connection = Some(id);
            player.origin = origin;
            player.pulse = Pulse::new();
        }
    }

    /// Adds a player without a connection.
    pub(super) fn add_player(&mut self, name: Name, token: Token, is_bot: bool) -> PlayerId {
        let id = self.next_player;
        self.next_player += 1;
        self.names.insert(name.clone(), id);
        let player = Player {
            name,
            token,
            connection: None,
            origin: Origin::Unknown,
            phase: Phase::Idle,
            charge: None,
            is_recorded: false,
            has_moved: false,
            pulse: Pulse::new(),
            is_bot,
        };
        self.players.insert(id, player);
        id
    }

    /// Sends the grid to a player, if it is not the original's: it has to come before the first line.
    pub(super) fn tell_grid(&mut self, player: PlayerId) {
        let Phase::Playing(game, _) = self.players[&player].phase else { return };
        let grid = self.games[&game].state.grid();
        if grid != game_dots::Config::default() {
            let notice = Notice::Grid { rows: grid.rows(), columns: grid.columns() };
            self.tell_player(player, &notice);
        }
    }
}
