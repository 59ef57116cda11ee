//! Queue and games.

use game_dots::{Dot, Edge, Event, State};
use game_env::{Disruption, Environment, Seed, SimTime, Turn};
use wire::dots::{Answer, Notice, Side};

use super::{ConnectionId, Ended, Game, Master, Output, Phase, PlayerId};
use crate::dots::record::{GameId, Record};

impl Master {
    pub(super) fn enqueue(&mut self, id: ConnectionId, player: PlayerId) {
        let is_free = match self.players[&player].phase {
            Phase::Idle => true,
            // In the original, a player is in its game until it leaves it.
            Phase::Finished => !self.settings.compat,
            Phase::Waiting | Phase::Playing(..) => false,
        };
        if is_free && self.may_begin(player) {
            self.wait(player);
        } else {
            self.refuse(id, &Notice::Queued(Answer::Error));
        }
    }

    /// Returns whether the origin of a player may begin one more game. The server's own bots play with all.
    fn may_begin(&self, player: PlayerId) -> bool {
        let player = &self.players[&player];
        player.is_bot || self.budgets.has(self.gate.now(), player.origin)
    }

    /// Puts a player into the queue. The game that it waits for counts from now on: otherwise many players of one
    /// origin could wait for the last game of its budget.
    fn wait(&mut self, id: PlayerId) {
        if let Some(player) = self.players.get_mut(&id) {
            player.phase = Phase::Waiting;
            if !player.is_bot {
                player.charge = Some(self.budgets.spend(self.gate.now(), player.origin));
            }
            self.queue.push_back((self.gate.now(), id));
            self.tell_player(id, &Notice::Queued(Answer::Ok));
        }
    }

    pub(super) fn leave_queue(&mut self, id: ConnectionId, player: PlayerId) {
        if self.wait_no_longer(player) {
            self.tell(id, &Notice::LeftQueue(Answer::Ok));
        } else {
            self.refuse(id, &Notice::LeftQueue(Answer::Error));
        }
    }

    /// Takes a player out of the queue. Returns false if it does not wait.
    pub(super) fn wait_no_longer(&mut self, id: PlayerId) -> bool {
        let Some(player) = self.players.get_mut(&id).filter(|player| player.phase == Phase::Waiting) else {
            return false;
        };
        player.phase = Phase::Idle;
        self.queue.retain(|(_, waiting)| *waiting != id);
        self.refund(id);
        true
    }

    /// The game that a player waited for or played counts no longer.
    fn refund(&mut self, id: PlayerId) {
        if let Some(charge) = self.players.get_mut(&id).and_then(|player| player.charge.take()) {
            self.budgets.give_back(self.gate.now(), charge);
        }
    }

    /// Begins games between waiting players: between the two clients that wait longest, and after a while between a
    /// client and a bot.
    pub(super) fn pair(&mut self) {
        loop {
            let is_bot = |place: &usize| self.players[&self.queue[*place].1].is_bot;
            let mut people = (0..self.queue.len()).filter(|place| !is_bot(place));
            let (first, second) = (people.next(), people.next());
            let bot = (0..self.queue.len()).find(is_bot);
            let pair = match (first, second, bot) {
                (Some(first), Some(second), _) => [first, second],
                (Some(person), None, Some(bot))
                    if self.gate.now() >= self.queue[person].0 + self.settings.bot_wait =>
                {
                    [person.min(bot), person.max(bot)]
                }
                (Some(person), None, None)
                    if self.gate.now() >= self.queue[person].0 + self.settings.bot_wait =>
                {
                    if self.free_bot() {
                        continue;
                    }
                    return;
                }
                _ => return,
            };
            // The later one first: the place of the other one stays.
            let [first, second] = pair;
            let second = self.queue.remove(second);
            let first = self.queue.remove(first);
            if let (Some((_, first)), Some((_, second))) = (first, second) {
                self.begin([first, second]);
            }
        }
    }

    /// Removes the player that has kept a bot waiting for longest, if that is long enough, and returns whether there is
    /// one: the bot then plays against somebody who waits. Otherwise a few clients that never move would have all bots
    /// for good.
    fn free_bot(&mut self) -> bool {
        let patience = self.settings.bot_patience;
        let keeps_waiting = |game: &Game| {
            let mover = game.mover()?;
            let [player, opponent] = [mover, mover.other()].map(|side| game.players[side.index()]);
            let opponent = &self.players[&opponent];
            // A bot without a connection would not be free for the one who waits.
            let is_kept = opponent.is_bot && opponent.connection.is_some();
            let is_late = self.gate.now() - game.turn_since > patience;
            (is_kept && is_late).then_some((game.turn_since, player))
        };
        let Some((_, player)) = self.games.values().filter_map(keeps_waiting).min() else { return false };
        self.tell_player(player, &Notice::DisconnectedInactivity);
        self.remove(player);
        true
    }

    fn begin(&mut self, players: [PlayerId; 2]) {
        let id = self.next_game;
        let (grid, seed) = (self.settings.grid, self.settings.seed.child(id));
        let names = players.map(|player| self.players[&player].name.clone());
        for player in players {
            self.record_player(player);
        }
        self.record(Record::Game {
            id,
            seed,
            rows: grid.rows(),
            columns: grid.columns(),
            names: names.clone(),
        });
        self.add_game(id, State::new(&grid, seed), seed, players);
        for (side, opponent) in Side::BOTH.into_iter().zip(names.into_iter().rev()) {
            let player = players[side.index()];
            self.tell_grid(player);
            self.tell_player(player, &Notice::StartGame { side, opponent });
        }
        self.tell_turn(id);
    }

    /// Writes a player down before its first game, except one of the server's own.
    fn record_player(&mut self, id: PlayerId) {
        let Some(player) = self.players.get_mut(&id).filter(|player| !player.is_bot) else { return };
        if !std::mem::replace(&mut player.is_recorded, true) {
            let record = Record::Player(player.name.clone(), player.token);
            self.record(record);
        }
    }

    pub(super) fn add_game(&mut self, id: GameId, state: State, seed: Seed, players: [PlayerId; 2]) {
        self.next_game = self.next_game.max(id + 1);
        self.games.insert(id, Game { seed, state, players, moves: Vec::new(), turn_since: self.gate.now() });
        for side in Side::BOTH {
            if let Some(player) = self.players.get_mut(&players[side.index()]) {
                player.phase = Phase::Playing(id, side);
            }
        }
    }

    /// A client asks for the line between two numbers.
    pub(super) fn line(&mut self, id: ConnectionId, one: i64, other: i64) {
        let dot = |number: i64| Dot::try_from(number).ok();
        match dot(one).zip(dot(other)) {
            Some((one, other)) => self.draw(id, one, other),
            None => self.refuse(id, &Notice::InvalidCoords),
        }
    }

    /// A client asks for the line between two dots. The rules decide.
    pub(super) fn draw(&mut self, id: ConnectionId, from: Dot, to: Dot) {
        let phase = self.player_of(id).map(|player| self.players[&player].phase);
        let (Some(Phase::Playing(game_id, side)), Some(edge)) = (phase, Edge::between(from, to)) else {
            return self.refuse(id, &Notice::InvalidCoords);
        };
        let Some(boxes) = self.step(game_id, side, edge) else {
            return self.refuse(id, &Notice::InvalidCoords);
        };
        // An accepted move costs nothing of the allowance: the opponent decides how many there can be.
        self.gate.give_back(id);
        self.record(Record::Move(game_id, edge));
        self.tell_both(game_id, &Notice::DrawCoords(from, to));
        if !boxes.is_empty() {
            self.tell_both(game_id, &Notice::DrawSquares { side, squares: boxes });
        }
        self.tell_turn(game_id);
        self.end_if_over(game_id, None);
    }

    /// Plays a move; returns the boxes that it completed, or none if the rules refuse it.
    pub(super) fn step(&mut self, id: GameId, side: Side, edge: Edge) -> Option<Vec<Dot>> {
        let game = self.games.get_mut(&id)?;
        let mut events: Vec<(SimTime, Event)> = Vec::with_capacity(2);
        game.state.step(SimTime::START, side.player(), edge, &mut events);
        let boxes = events.into_iter().find_map(|(_, event)| match event {
            Event::Drew { boxes, .. } => Some(boxes.into_iter().flatten().collect()),
            Event::Refused { .. } | Event::Over(_) => None,
        })?;
        game.moves.push(edge);
        game.turn_since = self.gate.now();
        if let Some(player) = self.players.get_mut(&game.players[side.index()]) {
            player.has_moved = true;
        }
        self.moves += 1;
        Some(boxes)
    }

    pub(super) fn leave_game(&mut self, id: ConnectionId, player: PlayerId) {
        match self.players[&player].phase {
            Phase::Playing(game, side) => {
                self.leave(game, side);
                self.tell(id, &Notice::YouLeftGame(Answer::Ok));
            }
            Phase::Finished => {
                if let Some(player) = self.players.get_mut(&player) {
                    player.phase = Phase::Idle;
                }
                self.tell(id, &Notice::YouLeftGame(Answer::Ok));
            }
            Phase::Idle | Phase::Waiting => self.refuse(id, &Notice::YouLeftGame(Answer::Error)),
        }
    }

    /// A player leaves a game, which is over; its opponent waits again if it came over the network. The game counts for
    /// the leaver alone: otherwise somebody could use up what the address of another player may begin.
    pub(super) fn leave(&mut self, id: GameId, side: Side) {
        let Some(game) = self.games.get(&id) else { return };
        let opponent = game.players[side.other().index()];
        let leaver = game.players[side.index()];
        self.refund(opponent);
        self.record(Record::Left(id, side));
        self.end_if_over(id, Some(Disruption::AgentLost(side.player())));
        if let Some(leaver) = self.players.get_mut(&leaver) {
            leaver.phase = Phase::Idle;
        }
        let connection = self.players.get(&opponent).and_then(|player| player.connection);
        if connection.is_some() {
            self.tell_player(opponent, &Notice::OpponentLeftGame);
        }
        // A person on the page plays one game. With another one, somebody who waits would play against nobody.
        if connection.is_some_and(|connection| !self.gate.is_local(connection)) {
            self.wait(opponent);
        } else if let Some(opponent) = self.players.get_mut(&opponent) {
            opponent.phase = Phase::Idle;
        }
    }

    /// Ends a game that is over, by its last move or by this disruption.
    pub(super) fn end_if_over(&mut self, id: GameId, disruption: Option<Disruption>) {
        let is_over = |game: &Game| disruption.is_some() || matches!(game.state.turn(), Turn::Over(_));
        if !self.games.get(&id).is_some_and(is_over) {
            return;
        }
        let Some(game) = self.games.remove(&id) else { return };
        let names = game.players.map(|player| self.players[&player].name.to_string()).into();
        for player in game.players {
            if let Some(player) = self.players.get_mut(&player) {
                (player.phase, player.charge) = (Phase::Finished, None);
            }
        }
        let (config, Game { seed, moves: actions, .. }) = (game.state.grid(), game);
        if actions.is_empty() {
            return;
        }
        let ended = Ended { kind: "game", id, config, seed, names, actions, disruption };
        self.gate.push(Output::Ended(Box::new(ended)));
    }

    /// Tells both players whose turn it is, or who has won.
    fn tell_turn(&mut self, id: GameId) {
        let Some(game) = self.games.get(&id) else { return };
        let notice = match game.state.turn() {
            Turn::Act { agent, .. } => Notice::Play(Side::of(agent)),
            Turn::Over(outcome) => match outcome.winner() {
                Some(team) => Notice::Winner {
                    side: Some(Side::BOTH[team.index()]),
                    score: game.state.points()[team.index()],
                },
                None => Notice::Winner { side: None, score: 0 },
            },
        };
        self.tell_both(id, &notice);
    }

    fn tell_both(&mut self, id: GameId, notice: &Notice) {
        let Some(game) = self.games.get(&id) else { return };
        game.players.into_iter().for_each(|player| self.tell_player(player, notice));
    }
}
