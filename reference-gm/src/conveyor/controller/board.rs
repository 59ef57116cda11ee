//! The controller's side of the conversation with the board.

use game_conveyor::{Action, Answer};
use game_env::{AgentId, SimTime};
use wire::conveyor::{Notice, Order, Report, Request, player_of};

use super::list::List;
use super::news::{End, News, port_words};
use super::{Controller, Line, Output, Phase, Role};
use crate::server::ConnectionId;

impl Controller {
    pub(super) fn board_came(&mut self, now: SimTime, id: ConnectionId) {
        let is_first = self.phase == Phase::Alone;
        self.add(id, if is_first { Role::Board } else { Role::SpareBoard });
        // A board waits for the controller.
        self.gate.log_in(id);
        let news = if is_first { News::BoardCame } else { News::SpareBoard };
        self.gate.push(Output::Report(news));
        if is_first {
            self.phase = Phase::Greeting(id, now + self.settings.patience);
        }
        self.order(id, Order::Hello);
    }

    pub(super) fn board_said(&mut self, now: SimTime, id: ConnectionId, line: Line) {
        let is_new = matches!(self.phase, Phase::Greeting(..));
        if is_new && line.as_ref().is_ok_and(|line| Request::read(line).is_ok()) {
            self.order(id, Order::Reject);
            let port = port_words(self.ports.map(|[_, players]| players));
            let why = format!("it asks as a player does; hint: players connect to {port}");
            return self.board_is_gone(now, &why);
        }
        let read = line.map_err(|error| error.to_string());
        let read = read
            .and_then(|line| Report::read(&line, self.settings.dialect).map_err(|error| error.to_string()));
        let taken = read.and_then(|report| self.take(now, report));
        match taken {
            Ok(()) => {}
            // It may be the page of a browser that was made to send the lines of a board later.
            Err(why) if is_new => {
                self.order(id, Order::Senseless);
                let why = format!("its first line is not that of a board: {why}");
                self.board_is_gone(now, &why);
            }
            Err(why) => self.wonder(now, id, why),
        }
    }

    /// Takes a line of the board; an error says why it may not come now, and nothing has changed then.
    fn take(&mut self, now: SimTime, report: Report) -> Result<(), String> {
        let until = now + self.settings.patience;
        // In its place: a copy for each line would take long for a large board.
        if let Phase::Listing(board, due, list) = &mut self.phase {
            if list.take(report)? {
                let (board, list) = (*board, std::mem::take(list));
                self.begin(now, board, list);
            } else {
                *due = until;
            }
            return Ok(());
        }
        match (self.phase.clone(), report) {
            (Phase::Greeting(board, _), Report::Greeting) => {
                self.order(board, Order::Accept);
                self.order(board, Order::Visible);
                self.phase = Phase::Listing(board, until, List::default());
                Ok(())
            }
            (Phase::Winning(_, _, own), Report::Wins(winner)) if winner != own => {
                Err("the other player is the one at home".to_owned())
            }
            (
                Phase::Idle(board)
                | Phase::Asking(board, ..)
                | Phase::Moving(board, ..)
                | Phase::Winning(board, ..),
                Report::Wins(winner),
            ) => {
                self.won(board, until, winner);
                Ok(())
            }
            (Phase::Asking(board, _, action), Report::Refused) => {
                if matches!(action, Action::Turn(_)) {
                    return Err("a turn cannot be refused".to_owned());
                }
                self.answer(now, action, Notice::Refused);
                self.answered(action, Answer::Refused, None);
                self.phase = Phase::Idle(board);
                Ok(())
            }
            (Phase::Asking(board, _, action @ Action::Turn(_)), Report::Done) => {
                self.answer(now, action, Notice::Done);
                self.answered(action, Answer::Done, None);
                self.phase = Phase::Idle(board);
                Ok(())
            }
            (
                Phase::Asking(board, _, action @ (Action::Step(_) | Action::Ahead(_))),
                Report::Done | Report::Hint(_),
            ) => {
                let notice = if let Report::Hint(to) = report { Notice::Hint(to) } else { Notice::Done };
                self.answer(now, action, notice);
                self.phase = Phase::Moving(board, until, action, report);
                Ok(())
            }
            (Phase::Moving(board, _, action, answer), Report::At(player, place))
                if player == player_of(action) =>
            {
                let list = self.list.as_mut().ok_or("there is no list")?;
                let (columns, rows) = list.size.unwrap_or_default();
                if place.column > columns || place.row > rows {
                    return Err(format!("the field {place} lies off a board of {columns}×{rows}"));
                }
                list.places[player.index()] = Some(place);
                let is_home = list.home(player) == Some(place);
                let answer = if let Report::Hint(to) = answer { Answer::Hint(to) } else { Answer::Done };
                self.answered(action, answer, Some(place));
                self.phase = if is_home { Phase::Winning(board, until, player) } else { Phase::Idle(board) };
                Ok(())
            }
            _ => Err("this line may not come now".to_owned()),
        }
    }

    fn begin(&mut self, now: SimTime, board: ConnectionId, list: List) {
        let size = list.size;
        self.gate.push(Output::Report(News::Begun(Box::new(list.clone()))));
        self.list = Some(list);
        // Players who left before have as much time to come back as those who leave later.
        self.deserted = self.deserted.map(|_| now);
        self.phase = Phase::Idle(board);
        if let Some(size) = size {
            self.tell_size(size);
        }
    }

    /// Passes the next request on, if the board has answered the one before.
    pub(super) fn ask_next(&mut self, now: SimTime) {
        if !self.are_complete {
            return;
        }
        while let Phase::Idle(board) = self.phase {
            let Some(player) = self.waiting.pop_front() else { return };
            if let Some(action) = self.take_request(player) {
                self.order(board, Order::Want(action));
                self.phase = Phase::Asking(board, now + self.settings.patience, action);
            }
        }
    }

    fn answered(&mut self, action: Action, answer: Answer, place: Option<game_conveyor::Place>) {
        let player = player_of(action);
        self.gate.push(Output::Report(News::Answered { player, action, answer, place }));
    }

    fn won(&mut self, board: ConnectionId, until: SimTime, winner: AgentId) {
        self.gate.push(Output::Report(News::Won(winner)));
        self.order(board, Order::Goodbye(winner));
        self.phase = Phase::Leaving(board, until, winner);
    }

    /// The board is gone, or as good as that.
    pub(super) fn board_is_gone(&mut self, now: SimTime, why: &str) {
        match self.phase {
            Phase::Alone | Phase::Over => {}
            Phase::Leaving(_, _, winner) => self.finish(End::Won(winner)),
            Phase::Greeting(board, _) | Phase::Listing(board, ..) => {
                self.close(board);
                self.phase = Phase::Alone;
                self.gate.push(Output::Report(News::BoardLeft(why.to_owned())));
                // A board that came in between may play after all.
                let spare = self.gate.states_mut().find(|(_, peer)| matches!(peer.role, Role::SpareBoard));
                if let Some((id, peer)) = spare {
                    peer.role = Role::Board;
                    self.phase = Phase::Greeting(id, now + self.settings.patience);
                }
            }
            Phase::Idle(_) | Phase::Asking(..) | Phase::Moving(..) | Phase::Winning(..) => {
                self.finish(End::BoardLost(why.to_owned()));
            }
        }
    }
}
