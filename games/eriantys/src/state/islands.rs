//! Resolving islands: influence, conquest, merging, and the ends that take effect at once.

use game_env::{TeamId, Termination};

use super::{Event, State};
use crate::character::Character;
use crate::table::{Island, IslandId, team_id};

/// With this number of islands, or fewer, the game ends at once.
const FEWEST_ISLANDS: u8 = 3;

impl State {
    /// Resolves an island: lifts a ban, or gives the island to the team with strictly most influence.
    #[inline]
    pub(super) fn resolve(&mut self, island: IslandId, tell: &mut impl FnMut(Event)) {
        if self.table.island(island).bans > 0 {
            return self.lift(island, tell);
        }
        if let Some(team) = self.table.strongest(island)
            && self.table.owner(island) != Some(team)
        {
            self.conquer(island, team, tell);
        }
    }

    /// Returns a ban to its card.
    fn lift(&mut self, island: IslandId, tell: &mut impl FnMut(Event)) {
        self.table.islands[island.index()].bans -= 1;
        let cards = self.table.cards.iter_mut().flatten();
        if let Some(granny) = cards.into_iter().find(|card| card.character == Character::Granny) {
            granny.bans += 1;
        }
        tell(Event::Lifted(island));
    }

    /// Puts towers of a team on an island, and merges it with its neighbours.
    fn conquer(&mut self, id: IslandId, team: TeamId, tell: &mut impl FnMut(Event)) {
        let table = &mut self.table;
        let island = &mut table.islands[id.index()];
        let from = island.owner.map(|owner| team_id(owner.into()));
        if let Some(owner) = from {
            table.towers_left[owner.index()] += island.towers;
        }
        // A team that has fewer towers left than it needs puts all of them, and the game is over.
        let left = &mut table.towers_left[team.index()];
        island.towers = island.size.min(*left);
        *left -= island.towers;
        #[expect(clippy::cast_possible_truncation, reason = "there are at most three teams")]
        let owner = team.index() as u8;
        island.owner = Some(owner);
        let has_none = *left == 0;
        tell(Event::Conquered { island: id, team, towers: island.towers, from });
        self.merge(id, tell);
        if has_none || self.table.island_count <= FEWEST_ISLANDS {
            self.end(Termination::Normal, None, tell);
        }
    }

    /// Merges an island with the neighbours on which towers of the same team stand.
    fn merge(&mut self, id: IslandId, tell: &mut impl FnMut(Event)) {
        let mut at = id.index();
        loop {
            let count = usize::from(self.table.island_count);
            if count < 2 {
                return;
            }
            let (next, before) = ((at + 1) % count, (at + count - 1) % count);
            let owner = self.table.islands[at].owner;
            let (first, second) = if self.table.islands[next].owner == owner {
                (at, next)
            } else if self.table.islands[before].owner == owner {
                (before, at)
            } else {
                return;
            };
            at = self.join(first, second, tell);
        }
    }

    /// Joins two neighbours, of which the second follows the first in the ring. Returns the place of the joined island.
    fn join(&mut self, first: usize, second: usize, tell: &mut impl FnMut(Event)) -> usize {
        let table = &mut self.table;
        let gone = table.islands[second];
        let (kept, removed) = (first.min(second), first.max(second));
        let joined = &mut table.islands[first];
        joined.students += gone.students;
        joined.towers += gone.towers;
        joined.bans += gone.bans;
        joined.size += gone.size;
        let joined = *joined;
        table.islands[kept] = joined;
        let count = usize::from(table.island_count);
        table.islands.copy_within(removed + 1..count, removed);
        table.islands[count - 1] = Island::default();
        table.island_count -= 1;
        let mother_nature = usize::from(table.mother_nature);
        if mother_nature == removed {
            #[expect(clippy::cast_possible_truncation, reason = "there are at most twelve islands")]
            let kept = kept as u8;
            table.mother_nature = kept;
        } else if mother_nature > removed {
            table.mother_nature -= 1;
        }
        let id = |place| IslandId::new(place).expect("it is a place in the ring");
        tell(Event::Merged { island: id(kept), gone: id(removed) });
        kept
    }
}
