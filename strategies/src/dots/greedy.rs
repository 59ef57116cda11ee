//! `greedy`: completes a box where it can, and otherwise gives away as little as it can.
//!
//! While there is an edge after which no box lacks just one more, it draws such an edge. Then every edge opens a chain,
//! and it opens the shortest. It completes every box that it can and never gives up two boxes to keep the last move, as
//! good players do.

use std::collections::BTreeSet;

use game_dots::{Dot, Edge, Observation, State};
use game_env::parameter::Parameter;
use game_env::{AgentId, Chance, Choice, Options as _, Policy, Seed, SimTime};

/// Probability that it draws any edge instead of a best one.
pub const SLIP: Parameter =
    Parameter::real("slip", "the probability that a decision is random", 0.0, 0.0, 1.0);

/// See the [module](self).
#[derive(Clone, Debug)]
pub struct Greedy {
    slip: f64,
    chance: Chance,
    edges: Vec<Edge>,
    best: Vec<Edge>,
}

impl Greedy {
    /// Draws among equally good edges from this source.
    pub fn new(chance: Chance) -> Self {
        Self::slipping(chance, 0.0)
    }

    /// Creates one that draws any edge with this probability at each decision, from the same source.
    pub fn slipping(chance: Chance, slip: f64) -> Self {
        Self { slip, chance, edges: Vec::new(), best: Vec::new() }
    }

    /// Keeps the edges of the least cost.
    fn keep_cheapest<C: Ord>(&mut self, cost: impl Fn(Edge) -> C) {
        let mut least: Option<C> = None;
        self.best.clear();
        for edge in &self.edges {
            let own = cost(*edge);
            if least.as_ref().is_none_or(|least| own < *least) {
                self.best.clear();
                least = Some(own);
            } else if least.as_ref().is_some_and(|least| own > *least) {
                continue;
            }
            self.best.push(*edge);
        }
    }
}

impl Policy<State> for Greedy {
    fn choose(&mut self, _: SimTime, _: AgentId, seen: &Observation) -> Choice<Edge> {
        seen.options(&mut self.edges);
        if self.slip > 0.0 && self.chance.happens(self.slip) && !self.edges.is_empty() {
            return Choice::Act(self.edges[self.chance.index(self.edges.len())]);
        }
        let completed =
            |edge: Edge| seen.boxes_beside(edge).filter(|corner| seen.drawn_around(*corner) == 3).count();
        let gives_away = |edge: Edge| seen.boxes_beside(edge).any(|corner| seen.drawn_around(corner) == 2);
        self.keep_cheapest(|edge| (std::cmp::Reverse(completed(edge)), gives_away(edge)));
        if let Some(first) = self.best.first()
            && completed(*first) == 0
            && gives_away(*first)
        {
            self.keep_cheapest(|edge| boxes_given(seen, edge));
        }
        match self.best.len() {
            0 => Choice::Wait(SimTime::NEVER),
            count => Choice::Act(self.best[self.chance.index(count)]),
        }
    }

    fn reseed(&mut self, player: AgentId, seed: Seed) {
        self.chance = seed.agent(player);
    }
}

/// Returns the number of boxes that the opponent can complete in a row once this edge is drawn.
fn boxes_given(seen: &Observation, edge: Edge) -> usize {
    let mut drawn = BTreeSet::from([edge]);
    let mut open: Vec<Dot> = seen.boxes_beside(edge).collect();
    let mut given = 0;
    while let Some(corner) = open.pop() {
        let mut missing = seen
            .grid
            .around(corner)
            .into_iter()
            .filter(|edge| !seen.is_drawn(*edge) && !drawn.contains(edge));
        if let (Some(last), None) = (missing.next(), missing.next()) {
            // The last edge of one box is an edge of the next.
            given += seen.boxes_beside(last).filter(|corner| lacks_only(seen, &drawn, *corner, last)).count();
            drawn.insert(last);
            open.extend(seen.boxes_beside(last));
        }
    }
    given
}

fn lacks_only(seen: &Observation, drawn: &BTreeSet<Edge>, corner: Dot, last: Edge) -> bool {
    let around = seen.grid.around(corner).into_iter();
    around.filter(|edge| *edge != last).all(|edge| seen.is_drawn(edge) || drawn.contains(&edge))
}

#[cfg(test)]
mod tests {
    use game_dots::Config;
    use game_env::{Environment as _, RandomPolicy, Rollout, Seed, TeamId, Turn};

    use super::*;

    /// Returns a grid of this many rows and columns after these edges, as the player to move sees it.
    fn after((rows, columns): (u16, u16), edges: &[&str]) -> Observation {
        let mut state = State::new(&Config::new(rows, columns).unwrap(), Seed::new(1));
        for edge in edges {
            let Turn::Act { agent, .. } = state.turn() else { panic!("the game is over before {edge}") };
            state.step(SimTime::START, agent, edge.parse().unwrap(), &mut ());
        }
        let mut seen = Observation::default();
        state.observe(state.mover(), &mut seen);
        seen
    }

    /// Every edge that some chance lets it draw.
    fn choices(size: (u16, u16), edges: &[&str]) -> BTreeSet<String> {
        let seen = after(size, edges);
        let choose = |seed| Greedy::new(Seed::new(seed).game()).choose(SimTime::START, seen.player, &seen);
        (0..60)
            .map(|seed| match choose(seed) {
                Choice::Act(edge) => edge.to_string(),
                Choice::Wait(_) => "none".to_owned(),
            })
            .collect()
    }

    fn set(edges: &[&str]) -> BTreeSet<String> {
        edges.iter().map(|edge| (*edge).to_owned()).collect()
    }

    #[test]
    fn it_completes_a_box_and_rather_two_than_one() {
        assert_eq!(choices((3, 3), &["0-1", "0-3", "1-4"]), set(&["3-4"]));
        // Both upper boxes lack the edge between them.
        assert_eq!(choices((3, 3), &["0-1", "0-3", "3-4", "1-2", "2-5", "4-5"]), set(&["1-4"]));
    }

    #[test]
    fn it_draws_no_third_side_while_another_edge_is_left() {
        let safe = choices((3, 3), &["0-1", "3-4"]);
        assert!(!safe.contains("0-3") && !safe.contains("1-4"), "{safe:?}");
        assert!(safe.len() > 3, "any of the others: {safe:?}");
    }

    /// Five boxes in a row, each with two sides: a chain of one, a wall, and a chain of four.
    #[test]
    fn it_opens_the_shortest_chain() {
        let edges = ["6-7", "7-8", "8-9", "9-10", "10-11", "1-7", "2-3", "3-4", "4-5"];
        let seen = after((2, 6), &edges);
        let given = |edge: &str| boxes_given(&seen, edge.parse().unwrap());
        assert_eq!((given("0-1"), given("0-6")), (1, 1));
        for edge in ["1-2", "2-8", "3-9", "4-10", "5-11"] {
            assert_eq!(given(edge), 4, "{edge}");
        }
        assert_eq!(choices((2, 6), &edges), set(&["0-1", "0-6"]));
    }

    #[test]
    fn it_beats_random_play() {
        let wins = (0..100)
            .filter(|number| {
                let seed = Seed::new(*number);
                let mut state = State::new(&Config::default(), seed);
                let [one, other] = [0, 1].map(|place| seed.agent(AgentId::new(place)));
                let mut policies: [Box<dyn Policy<State>>; 2] =
                    [Box::new(Greedy::new(one)), Box::new(RandomPolicy::<Edge>::new(other))];
                let episode = Rollout::default().play(&mut state, &mut policies, &mut ());
                episode.outcome.winner() == Some(TeamId::new(0))
            })
            .count();
        assert!(wins >= 95, "greedy won {wins} of 100 games");
    }
}
