//! `perfect`: wins every won position that it can compute.
//!
//! It splits the board into regions and looks for a brick after which the opponent is lost. Its [`Budget`] is a number
//! of nodes of the search, which gives the same game on every machine, or time: then it searches with more and more
//! nodes until it knows the winner or has to stop. Before the budget suffices, it answers symmetrically where that
//! wins, and otherwise leaves the most bricks, without those after which the opponent is known to win.

use game_bricks::{Board, Brick, Cell, Observation, State};
use game_env::parameter::Parameter;
use game_env::{AgentId, Chance, Choice, Options as _, Policy, Seed, SimTime};

use super::greedy::blocked;
use super::nimbers::Nimbers;
use super::region::{Rectangle, Region, uncrossed};
use crate::budget::{Budget, Exhausted};

/// Its parameter: the nodes of the search for each move. The default takes at most 0.3 s on a machine of 2024, within
/// the 0.5 s that the game gives for a move.
pub const NODES: Parameter =
    Parameter::whole("nodes", "the positions that it may search for a move", 100_000, 0, 1_000_000_000);

/// On a clock, the exponents of two of the nodes of the first and the last round. What a round has found stays in the
/// table for the next one.
const FIRST_ROUND: u32 = 10;
const LAST_ROUND: u32 = 30;

/// The most regions whose nimbers are not known, and the most bricks, with which it looks for a winning move.
const MOST_UNKNOWN: usize = 4;
const MOST_BRICKS: usize = 1_000;

/// The number of bricks that it compares until it asks whether its time is over.
const BRICKS_BETWEEN_LOOKS: usize = 1_000;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Perfect {
    chance: Chance,
    budget: Budget,
    nimbers: Nimbers,
}

/// Result of the search of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
enum SearchResult {
    /// This brick wins.
    Won(Brick),
    /// The opponent wins after every brick.
    Lost,
    /// The nodes were used up. The winner after these bricks is not known; the opponent wins after all others.
    Unknown(Vec<Brick>),
}

impl Perfect {
    /// Spends at most this for each move; draws among equally good bricks from this source.
    pub fn new(chance: Chance, budget: Budget) -> Self {
        Self { chance, nimbers: Nimbers::on_clock(budget.clone()), budget }
    }

    /// Finds the winner; `bricks` are all that fit.
    fn solve(&mut self, board: &Board, bricks: &[Brick]) -> SearchResult {
        if let Some(brick) = mirroring(board) {
            return SearchResult::Won(brick);
        }
        let unknown = || SearchResult::Unknown(bricks.to_vec());
        let Some(mut parts) = Component::all(board) else { return unknown() };
        parts.sort_by_key(|part| part.rectangle.brick_count());
        let most = parts.last().map_or(0, |part| part.rectangle.brick_count());
        if let Some(nodes) = self.budget.limit() {
            return if is_small(most, nodes) { self.search_with(nodes, &parts, bricks) } else { unknown() };
        }
        let mut result = unknown();
        for nodes in FIRST_ROUND..=LAST_ROUND {
            let nodes = 1 << nodes;
            if self.budget.is_over() {
                break;
            }
            if is_small(most, nodes) {
                result = self.search_with(nodes, &parts, bricks);
                if !matches!(result, SearchResult::Unknown(_)) {
                    break;
                }
            }
        }
        result
    }

    /// Finds the winner, as far as this number of nodes shows it.
    fn search_with(&mut self, nodes: u64, parts: &[Component], bricks: &[Brick]) -> SearchResult {
        let mut left = nodes;
        let mut sum = 0;
        let (mut known, mut unknown) = (Vec::new(), Vec::new());
        for (place, part) in parts.iter().enumerate() {
            // Of the largest part, the search of moves below asks for one number only, which is less work than its
            // nimber.
            let share = if place + 1 == parts.len() { 0 } else { left / 2 };
            let region = part.region();
            match self.search(&mut left, share, |nimbers| nimbers.nimber(region)) {
                Ok(nimber) => {
                    sum ^= nimber;
                    known.push((part, nimber));
                }
                Err(Exhausted) => unknown.push((part, region)),
            }
        }
        let mut moves = Vec::new();
        if unknown.is_empty() {
            // A move in one of the parts whose nimber becomes smaller by the sum wins, and no other one.
            let Some((part, nimber)) = known.iter().find(|(_, nimber)| nimber ^ sum < *nimber) else {
                return SearchResult::Lost;
            };
            part.rectangle.bricks(|bits| moves.push(Move::new(part, bits, &[], sum ^ nimber)));
        } else if unknown.len() > MOST_UNKNOWN || bricks.len() > MOST_BRICKS {
            return SearchResult::Unknown(bricks.to_vec());
        } else {
            let all: Vec<Region> = unknown.iter().map(|(_, region)| *region).collect();
            for (part, nimber) in &known {
                part.rectangle.bricks(|bits| moves.push(Move::new(part, bits, &all, sum ^ nimber)));
            }
            for (place, (part, _)) in unknown.iter().enumerate() {
                let others = [&all[..place], &all[place + 1..]].concat();
                part.rectangle.bricks(|bits| moves.push(Move::new(part, bits, &others, sum)));
            }
        }
        self.try_moves(moves, left)
    }

    /// Looks for a move after which the opponent is lost.
    fn try_moves(&mut self, mut moves: Vec<Move>, mut left: u64) -> SearchResult {
        moves.sort_by_key(|one| one.cost);
        // First the moves that the table decides, then a share for each move, so that no hard one takes all, then the
        // simplest ones as far as the nodes go.
        for share in [0, left / (2 * moves.len().max(1) as u64), u64::MAX] {
            let mut open = Vec::new();
            for one in moves {
                let result =
                    self.search(&mut left, share, |nimbers| nimbers.are_worth(&one.regions, one.needed));
                match result {
                    Ok(true) => return SearchResult::Won(one.brick),
                    Ok(false) => {}
                    Err(Exhausted) => open.push(one),
                }
            }
            moves = open;
        }
        if moves.is_empty() {
            SearchResult::Lost
        } else {
            SearchResult::Unknown(moves.into_iter().map(|one| one.brick).collect())
        }
    }

    /// Searches with at most this share of the nodes that are left.
    fn search<T>(&mut self, left: &mut u64, share: u64, search: impl FnOnce(&mut Nimbers) -> T) -> T {
        let share = share.min(*left);
        self.nimbers.allow(share);
        let result = search(&mut self.nimbers);
        *left -= share - self.nimbers.budget();
        result
    }
}

/// Returns whether the nodes may suffice for a part of this many bricks. A rectangle of 31 bricks takes about 1,500
/// nodes, one of 45 takes 100,000, and one of 58 takes 1.5 million: nearly eleven bricks more for each two digits.
/// Broken shapes take less.
fn is_small(bricks: u32, nodes: u64) -> bool {
    bricks <= 4 + 3 * nodes.checked_ilog2().unwrap_or(0)
}

impl Policy<State> for Perfect {
    fn choose(&mut self, _: SimTime, _: AgentId, seen: &Observation) -> Choice<Brick> {
        let mut bricks = Vec::new();
        seen.options(&mut bricks);
        if bricks.is_empty() {
            return Choice::Wait(SimTime::NEVER);
        }
        let open = match self.solve(&seen.board, &bricks) {
            SearchResult::Won(brick) => return Choice::Act(brick),
            SearchResult::Lost => bricks,
            SearchResult::Unknown(open) => open,
        };
        // The more bricks fit, the more the opponent must compute.
        let (mut least, mut best) = (usize::MAX, Vec::new());
        for (place, brick) in open.into_iter().enumerate() {
            // On a large board even this takes time.
            if place % BRICKS_BETWEEN_LOOKS == BRICKS_BETWEEN_LOOKS - 1 && self.budget.is_over() {
                break;
            }
            let blocked = blocked(&seen.board, brick);
            if blocked < least {
                best.clear();
                least = blocked;
            }
            if blocked == least {
                best.push(brick);
            }
        }
        Choice::Act(best[self.chance.index(best.len())])
    }

    fn reseed(&mut self, player: AgentId, seed: Seed) {
        self.chance = seed.agent(player);
    }
}

/// Returns the brick after which every brick of the opponent can be answered by its image, turned by 180 degrees around
/// the middle of the board: then there is always an answer, and the opponent loses. None if there is no such brick.
fn mirroring(board: &Board) -> Option<Brick> {
    let last = board.size() - 1;
    let image = |cell: Cell| Cell::new(last - cell.column, last - cell.row);
    let middle = Cell::new(last / 2, last / 2);
    // Of each pair, the cells whose images are filled: the brick must cover them.
    let mut alone = board.free_cells().filter(|cell| !board.is_free(image(*cell)));
    let candidates: Vec<Brick> = match (alone.next(), alone.next(), alone.next()) {
        (Some(one), Some(other), None) => vec![Brick::new(one, other)],
        (Some(one), None, None) => vec![Brick::new(one, middle)],
        // Across the edge of a torus two cells may be images of each other.
        (None, None, None) if board.is_torus() => {
            vec![
                Brick::new(Cell::new(0, last / 2), Cell::new(last, last / 2)),
                Brick::new(Cell::new(last / 2, 0), Cell::new(last / 2, last)),
            ]
        }
        _ => return None,
    };
    candidates.into_iter().filter(|brick| board.fits(*brick)).find(|brick| {
        let mut after = board.clone();
        after.put(*brick);
        is_won_by_images(&after)
    })
}

/// Returns whether the board looks the same when it is turned by 180 degrees, and no brick that fits touches its own
/// image.
fn is_won_by_images(board: &Board) -> bool {
    let last = board.size() - 1;
    let middle = last / 2;
    let is_free = |column: u16, row: u16| board.is_free(Cell::new(column, row));
    let is_symmetric = board.free_cells().all(|cell| is_free(last - cell.column, last - cell.row));
    let centre = Cell::new(middle, middle);
    let fits_over_centre = board.is_free(centre) && board.neighbours(centre).any(|near| board.is_free(near));
    let fits_over_edge = board.is_torus() && (is_free(0, middle) || is_free(middle, 0));
    is_symmetric && !fits_over_centre && !fits_over_edge
}

/// A move, and when it wins: if the regions together are worth the number that they need to be.
struct Move {
    brick: Brick,
    regions: Vec<Region>,
    needed: u8,
    cost: u32,
}

impl Move {
    /// Returns the brick on these bits of a part, beside other regions and a heap of the size `needed`.
    fn new(part: &Component, bits: u128, others: &[Region], needed: u8) -> Self {
        let mut regions = others.to_vec();
        part.rectangle.with(part.rectangle.cells() & !bits).split(&mut regions);
        let cost = regions.iter().map(|region| region.rectangle().brick_count()).sum();
        Self { brick: part.brick(bits), regions, needed, cost }
    }
}

/// Connected free cells.
struct Component {
    rectangle: Rectangle,
    /// The cell of the board at the corner of the rectangle.
    corner: Cell,
    size: u16,
}

impl Component {
    /// Returns every part of a board in which a brick fits; none if one of them is too large for a rectangle.
    fn all(board: &Board) -> Option<Vec<Self>> {
        let size = usize::from(board.size());
        let mut is_seen = vec![false; size * size];
        let place = |cell: Cell| usize::from(cell.row) * size + usize::from(cell.column);
        let mut parts = Vec::new();
        for first in board.free_cells() {
            if std::mem::replace(&mut is_seen[place(first)], true) {
                continue;
            }
            let mut cells = vec![first];
            let mut next = 0;
            while let Some(cell) = cells.get(next).copied() {
                next += 1;
                for near in board.neighbours(cell).filter(|near| board.is_free(*near)) {
                    if !std::mem::replace(&mut is_seen[place(near)], true) {
                        cells.push(near);
                    }
                }
                // On a large board this is known at once, and the rest need not be visited.
                if cells.len() > usize::from(Rectangle::MOST_CELLS) {
                    return None;
                }
            }
            if cells.len() > 1 {
                parts.push(Self::of(board, &cells)?);
            }
        }
        Some(parts)
    }

    /// Returns the part of these cells; none if it is too large for a rectangle.
    fn of(board: &Board, cells: &[Cell]) -> Option<Self> {
        let size = usize::from(board.size());
        let places = |of: fn(&Cell) -> (u16, u16)| -> Vec<(usize, usize)> {
            cells.iter().map(of).map(|(at, across)| (at.into(), across.into())).collect()
        };
        let along = [places(|cell| (cell.column, cell.row)), places(|cell| (cell.row, cell.column))];
        // The beginning of a part in each direction, its length, and whether it goes all around a torus.
        let extent = |places: &[(usize, usize)]| {
            let begin = if board.is_torus() {
                uncrossed(size, places)
            } else {
                places.iter().map(|(at, _)| *at).min()
            };
            let Some(begin) = begin else { return (0, size, true) };
            let length =
                places.iter().map(|(at, _)| (at + size - begin) % size).max().map_or(0, |most| most + 1);
            (begin, length, false)
        };
        let [(left, columns, is_ring), (top, rows, is_upright_ring)] =
            along.each_ref().map(|places| extent(places));
        if columns * rows > usize::from(Rectangle::MOST_CELLS) {
            return None;
        }
        let rectangle = Rectangle::new(columns, rows, [is_ring, is_upright_ring]);
        let bits = along[0]
            .iter()
            .map(|(column, row)| rectangle.bit((column + size - left) % size, (row + size - top) % size));
        let bits = bits.fold(0, |all, bit| all | bit);
        let side = |at: usize| u16::try_from(at).expect("on the board");
        Some(Self {
            rectangle: rectangle.with(bits),
            corner: Cell::new(side(left), side(top)),
            size: board.size(),
        })
    }

    fn region(&self) -> Region {
        let mut regions = Vec::new();
        self.rectangle.split(&mut regions);
        *regions.first().expect("the cells of a part hang together")
    }

    /// Returns the brick of the board on these two cells of the rectangle.
    fn brick(&self, bits: u128) -> Brick {
        let cell = |bit: u32| {
            let columns = u16::try_from(self.rectangle.columns()).expect("at most 127");
            let bit = u16::try_from(bit).expect("at most 127");
            let Cell { row, column } = self.corner;
            Cell::new((column + bit % columns) % self.size, (row + bit / columns) % self.size)
        };
        Brick::new(cell(bits.trailing_zeros()), cell(127 - bits.leading_zeros()))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use game_bricks::Config;
    use game_env::{Environment as _, RandomPolicy, Rollout, Seed, TeamId, Turn};

    use super::*;
    use crate::bricks::greedy::Greedy;
    use crate::bricks::position;

    fn perfect(nodes: u64) -> Perfect {
        Perfect::new(Seed::new(1).game(), Budget::nodes(nodes))
    }

    fn seen(state: &State) -> Observation {
        let mut seen = Observation::default();
        state.observe(state.mover(), &mut seen);
        seen
    }

    fn after(state: &State, brick: Brick) -> State {
        let mut next = state.clone();
        next.step(SimTime::START, state.mover(), brick, &mut ());
        next
    }

    fn bricks(state: &State) -> Vec<Brick> {
        let mut bricks = Vec::new();
        state.board().list(&mut bricks);
        bricks
    }

    /// Returns whether the player to move wins, by a search that drives the rules and knows nothing else.
    fn wins(state: &State, known: &mut BTreeMap<Vec<Cell>, bool>) -> bool {
        let free: Vec<Cell> = state.board().free_cells().collect();
        if let Some(wins) = known.get(&free) {
            return *wins;
        }
        let result = bricks(state).into_iter().any(|brick| !wins(&after(state, brick), known));
        known.insert(free, result);
        result
    }

    /// Small boards of all kinds, with some cells filled at random.
    fn boards() -> impl Iterator<Item = State> {
        (0..60).map(|number| {
            let (size, filled) = if number % 3 == 0 { (3, number % 2) } else { (5, 8 + number % 4) };
            let config = Config::new(size).unwrap().torus(number % 2 == 1).filled_at_random(filled).unwrap();
            State::new(&config, Seed::new(number.into()))
        })
    }

    #[test]
    fn it_knows_who_wins_small_boards_and_by_which_brick() {
        let (mut won, mut lost) = (0, 0);
        for state in boards().filter(|state| state.board().brick_count() > 0) {
            let mut known = BTreeMap::new();
            let all = bricks(&state);
            match perfect(100_000).solve(state.board(), &all) {
                SearchResult::Won(brick) => {
                    assert!(!wins(&after(&state, brick), &mut known), "{brick} does not win {state:?}");
                    won += 1;
                }
                SearchResult::Lost => {
                    assert!(!wins(&state, &mut known), "there is a brick that wins {state:?}");
                    lost += 1;
                }
                SearchResult::Unknown(open) => panic!("{} bricks are left open of {state:?}", open.len()),
            }
        }
        assert!(won >= 20 && lost >= 10, "{won} won, {lost} lost");
    }

    /// Wins against every reply, of which the search tries all.
    fn wins_always(policy: &mut Perfect, state: &State) {
        let mut choose = |state: &State| {
            let seen = seen(state);
            policy.choose(SimTime::START, seen.player, &seen)
        };
        let Choice::Act(brick) = choose(state) else { panic!("it has no brick for {state:?}") };
        let next = after(state, brick);
        for reply in bricks(&next) {
            let reached = after(&next, reply);
            assert!(reached.board().brick_count() > 0, "it lost {state:?} by {brick} and {reply}");
            wins_always(policy, &reached);
        }
    }

    #[test]
    fn it_wins_won_boards_against_every_reply() {
        let mut won = 0;
        for state in boards() {
            if wins(&state, &mut BTreeMap::new()) {
                wins_always(&mut perfect(100_000), &state);
                won += 1;
            }
        }
        assert!(won >= 20, "{won} boards were won");
        for text in ["3_0x0", "5_0x0_2x0_4x0_2x1_1x2_3x3"] {
            wins_always(&mut perfect(100_000), &position(text));
        }
    }

    /// Plays a game; whether the policy that is given first wins as this player.
    fn wins_as(player: u8, state: &State, first: &mut Perfect, other: Box<dyn Policy<State>>) -> bool {
        let mut policies: [Box<dyn Policy<State> + '_>; 2] = [
            Box::new(|now: SimTime, agent: AgentId, seen: &Observation| {
                let Choice::Act(brick) = first.choose(now, agent, seen) else { panic!("no brick is left") };
                brick
            }),
            other,
        ];
        policies.rotate_right(player.into());
        let mut state = state.clone();
        let episode = Rollout::default().play(&mut state, &mut policies, &mut ());
        assert!(matches!(state.turn(), Turn::Over(_)));
        episode.outcome.winner() == Some(TeamId::new(player))
    }

    fn opponents(seed: u64) -> [Box<dyn Policy<State>>; 2] {
        let chance = || Seed::new(seed).game();
        [Box::new(Greedy::new(chance())), Box::new(RandomPolicy::<Brick>::new(chance()))]
    }

    #[test]
    fn it_wins_every_won_position_against_the_other_strategies() {
        let (mut games, mut policy) = (0, perfect(100_000));
        for seed in 0..24 {
            let config = Config::new(7).unwrap().torus(seed % 2 == 1).filled_at_random(20).unwrap();
            let state = State::new(&config, Seed::new(seed));
            let result = policy.solve(state.board(), &bricks(&state));
            if !matches!(result, SearchResult::Won(_)) {
                continue;
            }
            for opponent in opponents(seed) {
                assert!(wins_as(0, &state, &mut policy, opponent), "seed {seed}");
                games += 1;
            }
        }
        assert!(games >= 24, "{games} games");
    }

    /// With the middle filled, the player that answers every brick by its image wins without any search.
    #[test]
    fn it_answers_symmetrically_on_boards_of_any_size() {
        for (text, is_torus) in [("5_2x2", false), ("41_20x20", false), ("9_4x4_0x4_8x4_4x0_4x8", true)] {
            let mut parts = text.split('_');
            let config = Config::new(parts.next().unwrap().parse().unwrap()).unwrap();
            let config = config.filled(parts.map(|cell| cell.parse().unwrap())).unwrap().torus(is_torus);
            let state = State::new(&config, Seed::new(0));
            for opponent in opponents(3) {
                assert!(wins_as(1, &state, &mut perfect(0), opponent), "{text}");
            }
        }
        // A brick over the middle has no image: on a whole board the second player cannot begin to answer so.
        let state = position("41");
        assert_eq!(mirroring(after(&state, "20x20_21x20".parse().unwrap()).board()), None);
        assert_eq!(mirroring(state.board()), None);
    }

    /// A position that is symmetric but for two cells: the brick on them wins.
    #[test]
    fn it_makes_a_position_symmetric() {
        let mirrored = mirroring(position("21_10x10_3x4_4x4").board());
        assert_eq!(mirrored, Some("16x16_17x16".parse().unwrap()));
        let through_the_middle = mirroring(position("21_11x10").board());
        assert_eq!(through_the_middle, Some("9x10_10x10".parse().unwrap()));
        // The cells without images are no neighbours, or too many.
        assert_eq!(mirroring(position("21_10x10_3x4_5x4").board()), None);
        assert_eq!(mirroring(position("21_10x10_3x4_4x4_5x4").board()), None);
    }

    /// Returns a clock that allows this many looks at it for each decision.
    fn on_clock(looks: u32) -> (Perfect, Arc<AtomicU32>) {
        let left = Arc::new(AtomicU32::new(looks));
        let own = Arc::clone(&left);
        let budget = Budget::until(move || {
            own.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
        });
        (Perfect::new(Seed::new(1).game(), budget), left)
    }

    #[test]
    fn on_a_clock_it_searches_until_it_knows_or_is_stopped() {
        let state = State::new(&Config::new(7).unwrap().filled_at_random(12).unwrap(), Seed::new(4));
        let all = bricks(&state);
        // Several bricks may win: which one is found first depends on the rounds.
        let is_won = |result| matches!(result, SearchResult::Won(_));
        assert!(is_won(perfect(1_000_000).solve(state.board(), &all)));
        let (mut policy, left) = on_clock(u32::MAX);
        assert!(is_won(policy.solve(state.board(), &all)));
        assert!(left.load(Ordering::Relaxed) < u32::MAX - 1, "it looked at the clock");
        // Stopped after few looks, it goes on from what it has found when it is asked again.
        let (mut policy, left) = on_clock(3);
        assert!(matches!(policy.solve(state.board(), &all), SearchResult::Unknown(_)));
        assert_eq!(left.load(Ordering::Relaxed), 0);
        assert!(matches!(policy.solve(state.board(), &all), SearchResult::Unknown(_)), "no time at all");
        left.store(u32::MAX, Ordering::Relaxed);
        assert!(is_won(policy.solve(state.board(), &all)));
    }

    /// A node on a torus takes so long that it looks at the clock before each one.
    #[test]
    fn on_a_torus_it_looks_at_the_clock_before_each_node() {
        let state = State::new(&Config::new(7).unwrap().torus(true), Seed::new(0));
        let mut before = perfect(0);
        let looks = Arc::new(AtomicU32::new(0));
        let own = Arc::clone(&looks);
        before.nimbers = Nimbers::on_clock(Budget::until(move || {
            own.fetch_add(1, Ordering::Relaxed);
            false
        }));
        before.nimbers.allow(5);
        let regions: Vec<Region> =
            Component::all(state.board()).unwrap().iter().map(Component::region).collect();
        assert_eq!(before.nimbers.nimber(regions[0]), Err(Exhausted));
        assert!(looks.load(Ordering::Relaxed) >= 5, "{looks:?}");
    }

    #[test]
    fn it_plays_on_while_nothing_is_known_and_uses_no_more_nodes_than_it_may() {
        for (nodes, size) in [(0, 5), (50, 7), (500, 11)] {
            let state = State::new(&Config::new(size).unwrap(), Seed::new(0));
            let mut policy = perfect(nodes);
            let result = policy.solve(state.board(), &bricks(&state));
            assert!(matches!(result, SearchResult::Unknown(_)), "{nodes} {size}: {result:?}");
            let seen = seen(&state);
            let Choice::Act(brick) = policy.choose(SimTime::START, seen.player, &seen) else {
                panic!("none")
            };
            assert!(state.board().fits(brick));
        }
    }
}
