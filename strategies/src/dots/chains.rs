//! `chains`: counts chains and loops, returns boxes to keep the last move, and plays perfectly as soon as it can
//! compute.
//!
//! It takes every box that it can, but for the last two of a chain or four of a loop. These it returns (a double-cross)
//! if that is better, because the opponent then has to open the next chain. Where no box can be taken, it looks for the
//! exact value of the position (see [`values`](super::values)). As long as its [`Budget`] does not suffice for that, it
//! plays many games to their ends at random, with a count of the chains that are left in the end, and takes the move
//! with the best mean.
//!
//! A budget of nodes gives the same game on every machine. On a clock it searches with more and more nodes until it
//! knows the value or is told to stop.

use game_dots::{Config, Edge, Observation, State};
use game_env::parameter::Parameter;
use game_env::{AgentId, Chance, Choice, Policy, Seed, SimTime};

use super::field::{Capture, Field, Last, Opening};
use super::graph::Graph;
use super::values::{Line, Values, list};
use crate::budget::{Budget, Exhausted};

/// Its parameter: the nodes of the search for each move. The default takes less than 0.1 s on a machine of 2024.
pub const NODES: Parameter =
    Parameter::whole("nodes", "the positions that it may search for a move", 20_000, 0, 1_000_000_000);

/// On a clock, the exponents of two of the nodes of the first and the last round. What a round has found stays in the
/// table for the next one.
const FIRST_ROUND: u32 = 10;
const LAST_ROUND: u32 = 40;

/// The size of the table on a clock, and of the largest one: 16 and 64 MiB.
const ON_CLOCK: u32 = 18;
const LARGEST: u32 = 20;

/// Of a random game, the number of edges that cost as much as a node.
const EDGES_OF_A_NODE: usize = 16;

/// On a clock, the nodes of random games from which the number of compared moves follows.
const GAMES_ON_CLOCK: u64 = 1 << 15;

/// The fewest random games for each move that is compared.
const FEWEST_GAMES: u64 = 4;

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Chains {
    chance: Chance,
    budget: Budget,
    values: Values,
    /// The graph of the table, of a part of this board or of all of it.
    graph: Option<(Config, Graph)>,
}

impl Chains {
    /// Spends at most this for each move; draws random games from this source.
    pub fn new(chance: Chance, budget: Budget) -> Self {
        // Twice as many positions as there are nodes, 64 MiB at most.
        let size = budget.limit().map_or(ON_CLOCK, |nodes| (nodes | 1).ilog2().clamp(6, LARGEST + 1) - 1);
        Self { chance, values: Values::new(size, budget.clone()), budget, graph: None }
    }

    /// Returns the edge to draw; none if none is left.
    fn decide(&mut self, seen: &Observation) -> Option<Edge> {
        let field = Field::of(seen);
        let place = match field.capture() {
            Some(Capture::Take(edge)) => edge,
            Some(Capture::Choose(last)) if self.is_return_better(seen.grid, &field, &last) => last.decline,
            Some(Capture::Choose(last)) => last.take,
            None => return self.open(seen, &field),
        };
        Some(field.edge(place))
    }

    /// Returns whether it is better to return the last boxes than to take them and move: if the rest is worth less than
    /// minus their number to the player that has to move.
    fn is_return_better(&mut self, grid: Config, field: &Field, last: &Last) -> bool {
        let rest = field.without(&last.edges);
        if rest.is_empty() {
            return false;
        }
        let threshold = -last.boxes;
        let rest = self.set(grid, &rest);
        let known = self.in_rounds(|policy, nodes| {
            let left = rest.ok_or(Exhausted)?;
            policy.values.allow(nodes);
            let (_, graph) = policy.graph.as_ref().ok_or(Exhausted)?;
            policy.values.is_at_least(graph, left, threshold)
        });
        if let Ok(is_enough) = known {
            return !is_enough;
        }
        let mut field = field.clone();
        field.draw(&last.edges);
        // A move that draws nothing: the games are those of the position itself.
        let nodes = self.budget.limit().unwrap_or(GAMES_ON_CLOCK) / 4;
        let nothing = Opening { edge: 0, edges: Vec::new(), given: 0, returned: 0 };
        let mut games = Games::new(&field, vec![nothing], &mut self.chance, nodes);
        games.play(&field, &mut self.chance, nodes, &self.budget);
        games.tried.first().is_some_and(|tried| tried.rest() < f64::from(threshold))
    }

    /// Returns the best move where no box can be taken.
    fn open(&mut self, seen: &Observation, field: &Field) -> Option<Edge> {
        let openings = field.openings();
        if openings.len() < 2 {
            return openings.first().map(|opening| field.edge(opening.edge));
        }
        let [own, other] = [seen.player, seen.player.opponent()].map(|player| seen.points[player.index()]);
        let ahead = i16::try_from(own).unwrap_or(i16::MAX) - i16::try_from(other).unwrap_or(i16::MAX);
        let left = self.set(seen.grid, &field.without(&[]));
        let nodes = self.budget.limit().unwrap_or(GAMES_ON_CLOCK) / 2;
        let mut games = Games::new(field, openings, &mut self.chance, nodes);
        let mut proved = None;
        let known = self.in_rounds(|policy, nodes| {
            let exact = left.map_or(Err(Exhausted), |left| policy.best(left, ahead, nodes / 2, &mut proved));
            if exact.is_err() {
                games.play(field, &mut policy.chance, nodes / 2, &policy.budget);
            }
            exact
        });
        // A move that is known to win goes before one that may be better.
        known.ok().or(proved).or_else(|| games.best().map(|opening| field.edge(opening.edge)))
    }

    /// Returns the best move, if the nodes suffice; before that, one that wins may be found.
    fn best(
        &mut self,
        left: u64,
        ahead: i16,
        nodes: u64,
        proved: &mut Option<Edge>,
    ) -> Result<Edge, Exhausted> {
        let (_, graph) = self.graph.as_ref().ok_or(Exhausted)?;
        self.values.allow(nodes);
        let boxes = graph.boxes(left);
        let mut lines = Vec::new();
        list(graph, left, &mut lines);
        // The least number of boxes more than the opponent's that wins the game, of the parity that values have.
        let mut number = (1 - ahead).clamp(-boxes, boxes);
        number += (number - boxes).rem_euclid(2);
        let mut best = None;
        loop {
            let found = find(&mut self.values, graph, left, boxes, &lines, number)?;
            match (found, best) {
                (Some(line), _) => {
                    let edge = graph.edge(line.edge);
                    best = Some(edge);
                    *proved = best.filter(|_| number + ahead > 0).or(*proved);
                    number += 2;
                }
                (None, Some(best)) => return Ok(best),
                (None, None) => {
                    number -= 2;
                    // From here on the first number that is reached is the value.
                    if let Some(line) = find(&mut self.values, graph, left, boxes, &lines, number)? {
                        return Ok(graph.edge(line.edge));
                    }
                }
            }
        }
    }

    /// Returns the bits of these edges in the graph of the table, which is made anew if it has not all of them; none if
    /// they are too many.
    fn set(&mut self, grid: Config, edges: &[Edge]) -> Option<u64> {
        let bits =
            |graph: &Graph| edges.iter().try_fold(0, |bits, edge| graph.bit(*edge).map(|bit| bits | bit));
        if let Some((own, graph)) = &self.graph
            && *own == grid
            && let Some(bits) = bits(graph)
        {
            return Some(bits);
        }
        let graph = Graph::board(grid).or_else(|| Graph::of(grid, edges))?;
        let bits = bits(&graph);
        self.values.clear();
        self.graph = Some((grid, graph));
        bits
    }

    /// Searches with the nodes of the budget, or on a clock with more and more of them until the search succeeds.
    fn in_rounds<T>(
        &mut self,
        mut search: impl FnMut(&mut Self, u64) -> Result<T, Exhausted>,
    ) -> Result<T, Exhausted> {
        if let Some(nodes) = self.budget.limit() {
            return search(self, nodes);
        }
        for nodes in FIRST_ROUND..=LAST_ROUND {
            let result = search(self, 1 << nodes);
            if result.is_ok() || self.budget.is_over() {
                return result;
            }
        }
        Err(Exhausted)
    }
}

/// Returns a move that is worth this number, if there is one.
fn find(
    values: &mut Values,
    graph: &Graph,
    left: u64,
    boxes: i16,
    lines: &[Line],
    number: i16,
) -> Result<Option<Line>, Exhausted> {
    if !values.is_at_least(graph, left, number)? {
        return Ok(None);
    }
    // The table has the answer, unless other positions have taken its place.
    let nodes = values.budget();
    values.allow(0);
    let known = lines.iter().find(|line| values.is_line_worth(graph, boxes, **line, number) == Ok(true));
    values.allow(nodes);
    if known.is_some() {
        return Ok(known.copied());
    }
    for line in lines {
        if values.is_line_worth(graph, boxes, *line, number)? {
            return Ok(Some(*line));
        }
    }
    Err(Exhausted)
}

impl Policy<State> for Chains {
    fn choose(&mut self, _: SimTime, _: AgentId, seen: &Observation) -> Choice<Edge> {
        self.decide(seen).map_or(Choice::Wait(SimTime::NEVER), Choice::Act)
    }

    fn reseed(&mut self, player: AgentId, seed: Seed) {
        self.chance = seed.agent(player);
    }
}

/// Random games after each of some moves.
struct Games {
    /// The moves that are still compared.
    tried: Vec<Tried>,
    /// The nodes that a game costs.
    cost: u64,
}

/// A move, the number of its games, and the sum of their values.
struct Tried {
    opening: Opening,
    games: u32,
    sum: i64,
}

impl Tried {
    /// Returns the mean value of the position after the move.
    fn rest(&self) -> f64 {
        self.sum as f64 / f64::from(self.games.max(1))
    }
}

impl Games {
    /// With a number of nodes for each round. If they do not suffice for all moves, some of them, drawn at random,
    /// stand for all.
    fn new(field: &Field, openings: Vec<Opening>, chance: &mut Chance, nodes: u64) -> Self {
        let mut tried: Vec<Tried> =
            openings.into_iter().map(|opening| Tried { opening, games: 0, sum: 0 }).collect();
        let cost = 1 + (field.len() / EDGES_OF_A_NODE) as u64;
        let most = usize::try_from(nodes / cost / FEWEST_GAMES).unwrap_or(usize::MAX).max(1);
        if tried.len() > most {
            let quiet = tried.partition_point(|tried| tried.opening.given == 0);
            chance.shuffle(&mut tried[..quiet]);
            tried.truncate(most);
        }
        Self { tried, cost }
    }

    /// Plays games for this number of nodes, or until the time is over. Moves that fall behind drop out.
    fn play(&mut self, field: &Field, chance: &mut Chance, nodes: u64, clock: &Budget) {
        let rounds = u64::from((self.tried.len() | 1).ilog2()) + 1;
        for _ in 0..rounds {
            let share = (nodes / self.cost / rounds / self.tried.len() as u64).max(1);
            for tried in &mut self.tried {
                for _ in 0..share {
                    if clock.is_over() {
                        return self.sort();
                    }
                    let mut field = field.clone();
                    field.draw(&tried.opening.edges);
                    tried.games += 1;
                    tried.sum += i64::from(field.play_out(chance));
                }
            }
            self.sort();
            self.tried.truncate(self.tried.len().div_ceil(2).max(2));
        }
    }

    /// The best moves first; those without a game last.
    fn sort(&mut self) {
        self.tried.sort_by(|one, other| {
            let worth = |tried: &Tried| tried.opening.worth(tried.rest());
            (one.games == 0).cmp(&(other.games == 0)).then(worth(other).total_cmp(&worth(one)))
        });
    }

    fn best(&self) -> Option<&Opening> {
        self.tried.first().map(|tried| &tried.opening)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    use game_env::{Environment as _, RandomPolicy, Rollout, Seed, TeamId, Turn};

    use super::*;
    use crate::dots::greedy::Greedy;

    fn chains(nodes: u64) -> Chains {
        Chains::new(Seed::new(1).game(), Budget::nodes(nodes))
    }

    fn start(rows: u16, columns: u16) -> State {
        State::new(&Config::new(rows, columns).unwrap(), Seed::new(1))
    }

    fn seen(state: &State) -> Observation {
        let mut seen = Observation::default();
        state.observe(state.mover(), &mut seen);
        seen
    }

    fn draw(state: &mut State, edge: Edge) {
        state.step(SimTime::START, state.mover(), edge, &mut ());
    }

    /// Returns a board after these edges.
    fn after(rows: u16, columns: u16, edges: &[&str]) -> State {
        let mut state = start(rows, columns);
        edges.iter().for_each(|edge| draw(&mut state, edge.parse().unwrap()));
        state
    }

    /// Returns the least number of boxes that `own` has more than the opponent in the end, for all moves of the
    /// opponent.
    fn least(
        policy: &mut Chains,
        state: &State,
        own: AgentId,
        known: &mut BTreeMap<(Vec<Edge>, AgentId), i32>,
    ) -> i32 {
        let margin = |state: &State| {
            let [own, other] = [own, own.opponent()].map(|player| state.points()[player.index()]);
            i32::from(own) - i32::from(other)
        };
        if matches!(state.turn(), Turn::Over(_)) {
            return margin(state);
        }
        let mut open = Vec::new();
        state.legal_actions(state.mover(), &mut open);
        let key = (open.clone(), state.mover());
        if let Some(more) = known.get(&key) {
            return margin(state) + more;
        }
        if state.mover() == own {
            open = vec![policy.decide(&seen(state)).unwrap()];
        }
        let next = |edge: Edge| {
            let mut next = state.clone();
            draw(&mut next, edge);
            least(policy, &next, own, known)
        };
        let result = open.into_iter().map(next).min().unwrap();
        known.insert(key, result - margin(state));
        result
    }

    /// Against every reply, it gets the value of the board.
    #[test]
    fn it_never_loses_a_board_of_three_by_three_dots_that_it_can_win() {
        let state = start(3, 3);
        let (first, second) = (state.mover(), state.mover().opponent());
        // Four boxes are worth 2 to the player that begins.
        let mut policy = chains(1_000_000);
        assert_eq!(least(&mut policy, &state, first, &mut BTreeMap::new()), 2);
        assert_eq!(least(&mut policy, &state, second, &mut BTreeMap::new()), -2);
        // From the middle of games, with either player to move.
        let graph = Graph::board(state.grid()).unwrap();
        let mut won = [0, 0];
        for seed in 0..300 {
            let mut state = state.clone();
            let mut chance = Seed::new(seed).game();
            for _ in 0..2 + seed % 5 {
                let mut open = Vec::new();
                state.legal_actions(state.mover(), &mut open);
                draw(&mut state, open[chance.index(open.len())]);
            }
            let seen = seen(&state);
            if Field::of(&seen).capture().is_some() {
                continue;
            }
            let mut open = Vec::new();
            state.legal_actions(state.mover(), &mut open);
            let left = open.iter().fold(0, |left, edge| left | graph.bit(*edge).unwrap());
            policy.values.allow(u64::MAX);
            let value = i32::from(policy.values.value(&graph, left).unwrap());
            let own = state.mover();
            let ahead = |player: AgentId| i32::from(state.points()[player.index()]);
            let expected = value + ahead(own) - ahead(own.opponent());
            assert_eq!(least(&mut policy, &state, own, &mut BTreeMap::new()), expected, "seed {seed}");
            won[own.index()] += u32::from(value > 0);
        }
        assert!(won[first.index()] > 50 && won[second.index()] > 0, "{won:?} boards are won");
    }

    /// Two rows of three boxes: a chain of three in each. The first chain is open, two of its boxes are left.
    #[test]
    fn it_returns_the_last_two_boxes_of_a_chain_to_keep_the_last_move() {
        let mut state = after(3, 4, &["4-5", "5-6", "6-7", "0-1", "1-2", "2-3", "8-9", "9-10", "10-11"]);
        // The upper chain is opened at its left end: the opponent has it.
        draw(&mut state, "0-4".parse().unwrap());
        let mut drawn = Vec::new();
        let mover = state.mover();
        let mut policy = chains(1_000);
        while state.mover() == mover && !matches!(state.turn(), Turn::Over(_)) {
            let edge = policy.decide(&seen(&state)).unwrap();
            drawn.push(edge.to_string());
            draw(&mut state, edge);
        }
        assert_eq!(drawn, ["1-5", "3-7"]);
        assert_eq!(state.points()[mover.index()], 1);
    }

    /// Plays a game against another strategy; returns the number of boxes that it has more.
    fn margin(state: &State, place: usize, own: &mut Chains, other: Box<dyn Policy<State>>) -> i32 {
        let mut policies: [Box<dyn Policy<State> + '_>; 2] =
            [Box::new(|_, _, seen: &Observation| own.decide(seen).unwrap()), other];
        policies.rotate_right(place);
        let mut state = state.clone();
        let episode = Rollout::default().play(&mut state, &mut policies, &mut ());
        let points = episode.outcome.returns.points().to_vec();
        assert_eq!(
            episode.outcome.winner() == Some(TeamId::new(u8::try_from(place).unwrap())),
            points[place] > points[1 - place]
        );
        points[place] - points[1 - place]
    }

    #[test]
    fn it_beats_the_other_strategies() {
        for seed in 0..10 {
            let state = State::new(&Config::default(), Seed::new(seed));
            let chance = || Seed::new(seed).agent(AgentId::new(0));
            let others: [Box<dyn Policy<State>>; 2] =
                [Box::new(Greedy::new(chance())), Box::new(RandomPolicy::<Edge>::new(chance()))];
            for other in others {
                let mut policy = Chains::new(Seed::new(seed).game(), Budget::nodes(2_000));
                assert!(
                    margin(&state, usize::try_from(seed % 2).unwrap(), &mut policy, other) > 0,
                    "seed {seed}"
                );
            }
        }
    }

    #[test]
    fn it_plays_on_boards_of_every_size() {
        for (rows, columns, nodes) in
            [(2, 2, 0), (2, 3, 0), (2, 100, 100), (100, 2, 100), (6, 7, 1), (5, 5, 0), (12, 12, 50)]
        {
            let state = start(rows, columns);
            let other = Box::new(RandomPolicy::<Edge>::new(Seed::new(2).game()));
            margin(&state, 0, &mut chains(nodes), other);
        }
        // The largest one, in the middle of a game.
        let mut state = start(100, 100);
        let mut random = RandomPolicy::<Edge>::new(Seed::new(2).game());
        for _ in 0..12_000 {
            let Choice::Act(edge) =
                Policy::<State>::choose(&mut random, SimTime::START, state.mover(), &seen(&state))
            else {
                panic!("none")
            };
            draw(&mut state, edge);
        }
        let mut policy = chains(1_000);
        for _ in 0..200 {
            let edge = policy.decide(&seen(&state)).unwrap();
            draw(&mut state, edge);
        }
    }

    /// A clock that allows this number of looks at it.
    #[test]
    fn on_a_clock_it_searches_until_it_knows_or_is_stopped() {
        let looks = Arc::new(AtomicU32::new(0));
        let left = Arc::clone(&looks);
        let budget = Budget::until(move || {
            left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_err()
        });
        let mut policy = Chains::new(Seed::new(1).game(), budget);
        let state = start(4, 4);
        let whole = seen(&state);
        for count in [0, 1, 100] {
            looks.store(count, Ordering::Relaxed);
            assert!(policy.decide(&whole).is_some());
            assert_eq!(looks.load(Ordering::Relaxed), 0);
        }
        looks.store(u32::MAX, Ordering::Relaxed);
        let best = policy.decide(&whole).unwrap();
        assert!(looks.load(Ordering::Relaxed) > u32::MAX / 2, "it knows the value before the time is over");
        let exact = chains(10_000_000).decide(&whole).unwrap();
        assert_eq!(best, exact);
    }
}
