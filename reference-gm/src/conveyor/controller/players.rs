//! The controller's side of the conversation with players.

use std::collections::VecDeque;

use game_conveyor::Action;
use game_conveyor::state::{STEPPER, TURNER};
use game_env::{AgentId, SimTime};
use wire::conveyor::{Notice, Request, player_of};

use super::news::News;
use super::{Controller, Line, Output, Peer, Phase, Role};
use crate::server::ConnectionId;

/// A player, from its connection on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Player {
    /// Which player it is, once that is known.
    seat: Option<AgentId>,
    /// Requests that the board has not answered; the first may have been passed on.
    asked: VecDeque<Action>,
    /// Whether the first was passed on.
    is_passed_on: bool,
    /// Whether it has said HAI, and is to receive the size of the board.
    is_greeted: bool,
    /// Since when it has said nothing and was answered nothing.
    silent_since: SimTime,
}

impl Player {
    /// Creates a client that connects `now`.
    pub(super) const fn new(now: SimTime) -> Self {
        Self { seat: None, asked: VecDeque::new(), is_passed_on: false, is_greeted: false, silent_since: now }
    }
}

impl Player {
    /// Returns whether it has a place.
    pub(super) const fn has_seat(&self) -> bool {
        self.seat.is_some()
    }
}

impl Controller {
    pub(super) fn player_said(&mut self, now: SimTime, id: ConnectionId, line: Line) {
        let read = line.map_err(|error| error.to_string());
        let read = read.and_then(|line| Request::read(&line).map_err(|error| error.to_string()));
        let Some(player) = self.player(id) else { return };
        let seat = player.seat;
        // A client becomes a player in time, whatever else it says.
        if seat.is_some() {
            player.silent_since = now;
        }
        match (read, seat) {
            (Err(why), Some(_)) => self.wonder(now, id, why),
            (Err(why), None) => {
                self.gate.push(Output::Report(News::Senseless { is_board: false, why }));
                self.say(id, &Notice::Senseless.line());
                self.close(id);
            }
            (Ok(Request::Join(_)), Some(_)) => {
                self.wonder(now, id, "the player is known already".to_owned());
            }
            (Ok(Request::Join(wanted)), None) => {
                if let Some(player) = self.seat(now, id, wanted) {
                    self.say(id, &Notice::Seat(player).line());
                    if let Some(player) = self.player(id) {
                        player.is_greeted = true;
                    }
                    if let Some((columns, rows)) = self.list.as_ref().and_then(|list| list.size) {
                        self.say(id, &Notice::Size { columns, rows }.line());
                    }
                }
            }
            (Ok(Request::Want(action)), Some(seat)) if player_of(action) != seat => {
                self.wonder(now, id, "only the other player moves like this".to_owned());
            }
            (Ok(Request::Want(action)), None) => {
                if self.seat(now, id, Some(player_of(action))).is_some() {
                    self.wait(now, id, action);
                }
            }
            (Ok(Request::Want(action)), Some(_)) => self.wait(now, id, action),
        }
    }

    /// Returns the place that this connection has from now on; none if it must be refused.
    fn seat(&mut self, now: SimTime, id: ConnectionId, wanted: Option<AgentId>) -> Option<AgentId> {
        let is_free = |player: &AgentId| self.seats[player.index()].is_none();
        let free =
            [STEPPER, TURNER].into_iter().filter(|player| wanted.is_none_or(|wanted| wanted == *player));
        let Some(seat) = free.clone().find(is_free) else {
            self.say(id, &Notice::Refused.line());
            self.close(id);
            return None;
        };
        self.seats[seat.index()] = Some(id);
        self.gate.log_in(id);
        self.are_complete |= self.seats.iter().all(Option::is_some);
        self.deserted = None;
        if let Some(player) = self.player(id) {
            player.seat = Some(seat);
            player.silent_since = now;
        }
        self.gate.push(Output::Report(News::Joined(seat)));
        Some(seat)
    }

    /// A request waits for the board.
    fn wait(&mut self, now: SimTime, id: ConnectionId, action: Action) {
        let most = self.settings.ahead;
        let Some(player) = self.player(id) else { return };
        if player.asked.len() >= most {
            let gone = player.clone();
            self.say(id, &Notice::Senseless.line());
            self.close(id);
            return self.player_left(now, &gone);
        }
        player.asked.push_back(action);
        if player.asked.len() == 1 {
            self.waiting.push_back(player_of(action));
        }
    }

    /// Returns the request of a player that is passed on now.
    pub(super) fn take_request(&mut self, player: AgentId) -> Option<Action> {
        let id = self.seats[player.index()]?;
        let player = self.player(id)?;
        player.is_passed_on = true;
        player.asked.front().copied()
    }

    /// Sends a player the board's answer to its request, if the player is still there.
    pub(super) fn answer(&mut self, now: SimTime, action: Action, notice: Notice) {
        let seat = player_of(action);
        let Some(id) = self.seats[seat.index()] else { return };
        let Some(player) = self.player(id) else { return };
        // Another client may have the place by now.
        if !std::mem::take(&mut player.is_passed_on) {
            return;
        }
        player.asked.pop_front();
        player.silent_since = now;
        let has_more = !player.asked.is_empty();
        self.say(id, &notice.line());
        if has_more {
            self.waiting.push_back(seat);
        }
    }

    /// Returns when the next player has said nothing for too long.
    pub(super) fn silent_at(&self) -> Option<SimTime> {
        self.gate.states().filter_map(|(_, peer)| self.silent_until(peer)).min()
    }

    /// Closes the connections of clients that have not become players in time, and of players that have said nothing
    /// for too long.
    pub(super) fn drop_silent(&mut self, now: SimTime) {
        while let Some(id) = self.gate.next_late() {
            self.drop_player(now, id);
        }
        let is_due = |peer: &Peer| self.silent_until(peer).is_some_and(|until| until <= now);
        let due = self.gate.states().filter(|(_, peer)| is_due(peer)).map(|(id, _)| id);
        for id in due.collect::<Vec<_>>() {
            self.drop_player(now, id);
        }
    }

    fn drop_player(&mut self, now: SimTime, id: ConnectionId) {
        self.say(id, &Notice::Refused.line());
        if let Some(Peer { role: Role::Player(player), .. }) = self.close(id) {
            if player.seat.is_some() || !self.may_be_board(&player) {
                self.gate.push(Output::Report(News::Silent(player.seat)));
            }
            self.player_left(now, &player);
        }
    }

    /// Returns until when a player has to say something; none for a board, and for a player that waits itself.
    fn silent_until(&self, peer: &Peer) -> Option<SimTime> {
        let Role::Player(player) = &peer.role else { return None };
        let playable = self.playable.filter(|_| player.seat.is_some() && player.asked.is_empty())?;
        Some(player.silent_since.max(playable) + self.settings.silence)
    }

    /// A player is gone: its place is free.
    pub(super) fn player_left(&mut self, now: SimTime, player: &Player) {
        let Some(seat) = player.seat else {
            if self.may_be_board(player) {
                self.gate.push(Output::Report(News::Mute(self.ports.map(|[boards, _]| boards))));
            }
            return;
        };
        self.seats[seat.index()] = None;
        self.waiting.retain(|waiting| *waiting != seat);
        self.gate.push(Output::Report(News::Left(seat)));
        if self.seats == [None; 2] {
            self.deserted = Some(now);
        }
    }

    /// Returns whether a client at the port for players may be the board that is missing.
    fn may_be_board(&self, player: &Player) -> bool {
        player.seat.is_none() && self.phase == Phase::Alone
    }

    /// Tells everybody who has said HAI how large the board is.
    pub(super) fn tell_size(&mut self, (columns, rows): (u8, u8)) {
        for id in self.seats.into_iter().flatten() {
            if self.player(id).is_some_and(|player| player.is_greeted) {
                self.say(id, &Notice::Size { columns, rows }.line());
            }
        }
    }

    fn player(&mut self, id: ConnectionId) -> Option<&mut Player> {
        match self.gate.state_mut(id) {
            Some(Peer { role: Role::Player(player), .. }) => Some(player),
            _ => None,
        }
    }
}
