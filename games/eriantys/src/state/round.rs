//! Rounds and turns: planning, moving students, taking clouds.

use game_env::{AgentId, Termination};

use super::{Event, State};
use crate::assistant::{Assistant, Hand};
use crate::students::{Color, Students};
use crate::table::{CloudId, IslandId, Phase};

impl State {
    /// Fills the clouds, and lets this player play the first assistant.
    pub(super) fn begin_round(&mut self, first: usize, tell: &mut impl FnMut(Event)) {
        let table = &mut self.table;
        let players = table.config.players();
        table.round += 1;
        for (place, player) in table.order[..players].iter_mut().enumerate() {
            #[expect(clippy::cast_possible_truncation, reason = "there are at most four players")]
            let next = ((first + place) % players) as u8;
            *player = next;
        }
        table.schools.iter_mut().for_each(|school| school.assistant = None);
        (table.phase, table.place) = (Phase::Planning, 0);
        tell(Event::Round { round: table.round, first: AgentId::from_index(first) });
        let size = table.config.moves();
        for (cloud, students) in table.clouds[..players].iter_mut().enumerate() {
            *students = table.bag.draw_many(size, &mut self.chance);
            let cloud = CloudId::new(cloud).expect("there are as many clouds as players");
            if !students.is_empty() {
                tell(Event::Filled { cloud, students: *students });
            }
        }
        self.table.are_clouds_short = self.table.clouds().iter().any(|cloud| cloud.total() < size);
        self.look_at_bag(tell);
    }

    /// Checks the bag after students have left it: the round in which the last one leaves is the last.
    pub(super) fn look_at_bag(&mut self, tell: &mut impl FnMut(Event)) {
        if self.table.bag.is_empty() {
            self.last_round(tell);
        }
    }

    fn last_round(&mut self, tell: &mut impl FnMut(Event)) {
        if !self.table.is_last_round {
            self.table.is_last_round = true;
            tell(Event::LastRound);
        }
    }

    #[inline]
    pub(super) fn play_assistant(
        &mut self,
        player: AgentId,
        assistant: Assistant,
        tell: &mut impl FnMut(Event),
    ) {
        let school = &mut self.table.schools[player.index()];
        school.hand = school.hand.without(Hand::EMPTY.with(assistant));
        school.assistant = Some(assistant);
        let has_none = school.hand.is_empty();
        tell(Event::Assistant { player, assistant });
        if has_none {
            self.last_round(tell);
        }
        self.table.place += 1;
        let players = self.table.config.players();
        if usize::from(self.table.place) == players {
            // The sort is stable: of two equal assistants the one that was played first goes first.
            let schools = &self.table.schools;
            let value = |player: &u8| schools[usize::from(*player)].assistant;
            self.table.order[..players].sort_by_key(value);
            self.table.place = 0;
            self.begin_turn();
        }
    }

    fn begin_turn(&mut self) {
        self.table.phase = Phase::Students { left: self.table.config.moves() };
    }

    #[inline]
    pub(super) fn move_to_dining(&mut self, player: AgentId, color: Color, tell: &mut impl FnMut(Event)) {
        self.table.schools[player.index()].entrance[color] -= 1;
        tell(Event::ToDining { player, color });
        self.seat(player, color, tell);
        self.look_at_professor(color, tell);
        self.student_moved();
    }

    /// Gives a student a seat in a dining room. The third, sixth and ninth of a colour pay a coin, if one is left.
    #[inline]
    pub(super) fn seat(&mut self, player: AgentId, color: Color, tell: &mut impl FnMut(Event)) {
        let school = &mut self.table.schools[player.index()];
        school.dining[color] += 1;
        if school.dining[color].is_multiple_of(3) && self.table.bank > 0 {
            self.table.bank -= 1;
            school.coins += 1;
            tell(Event::Coin(player));
        }
    }

    /// Gives the professor of a colour to the player that has it now.
    #[inline]
    pub(super) fn look_at_professor(&mut self, color: Color, tell: &mut impl FnMut(Event)) {
        let owner = self.table.professor_now(color);
        if owner != self.table.professors[color.index()] {
            self.table.professors[color.index()] = owner;
            if let Some(player) = owner {
                tell(Event::Professor { color, player: AgentId::new(player.into()) });
            }
        }
    }

    #[inline]
    pub(super) fn move_to_island(
        &mut self,
        player: AgentId,
        color: Color,
        island: IslandId,
        tell: &mut impl FnMut(Event),
    ) {
        self.table.schools[player.index()].entrance[color] -= 1;
        self.table.islands[island.index()].students[color] += 1;
        tell(Event::ToIsland { player, color, island });
        self.student_moved();
    }

    #[inline]
    fn student_moved(&mut self) {
        if let Phase::Students { left } = self.table.phase {
            self.table.phase =
                if left > 1 { Phase::Students { left: left - 1 } } else { Phase::MotherNature };
        }
    }

    #[inline]
    pub(super) fn move_mother_nature(&mut self, player: AgentId, steps: u8, tell: &mut impl FnMut(Event)) {
        self.table.mother_nature = (self.table.mother_nature + steps) % self.table.island_count;
        let island = self.table.mother_nature();
        tell(Event::MotherNature { player, steps, island });
        self.resolve(island, tell);
        if self.table.outcome.is_some() {
            return;
        }
        if self.table.are_clouds_short {
            self.end_turn(tell);
        } else {
            self.table.phase = Phase::Cloud;
        }
    }

    #[inline]
    pub(super) fn take_cloud(&mut self, player: AgentId, cloud: CloudId, tell: &mut impl FnMut(Event)) {
        let students = std::mem::replace(&mut self.table.clouds[cloud.index()], Students::NONE);
        self.table.schools[player.index()].entrance += students;
        tell(Event::Cloud { player, cloud, students });
        self.end_turn(tell);
    }

    #[inline]
    fn end_turn(&mut self, tell: &mut impl FnMut(Event)) {
        self.table.effect = None;
        self.table.place += 1;
        if usize::from(self.table.place) < self.table.config.players() {
            return self.begin_turn();
        }
        self.table.place = 0;
        if self.table.is_last_round {
            self.end(Termination::Normal, None, tell);
        } else {
            self.begin_round(self.table.mover().index(), tell);
        }
    }
}
