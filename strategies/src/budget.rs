//! Budget of a decision: nodes of a search, or time that the caller measures.
//!
//! A number of nodes gives the same decisions on every machine, as matches in process need. A program that plays on a
//! clock passes a function that returns whether to stop, and reads the clock there: no strategy does.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use std::time::{Duration, Instant};
//!
//! use strategies::budget::Budget;
//!
//! // Set before each decision.
//! let deadline = Arc::new(Mutex::new(Instant::now()));
//! let until = Arc::clone(&deadline);
//! let budget = Budget::until(move || Instant::now() >= *until.lock().expect("no holder panics"));
//! *deadline.lock().expect("no holder panics") = Instant::now() + Duration::from_millis(400);
//! # drop(budget);
//! ```

use std::fmt;
use std::sync::Arc;

use game_env::Parameters;
use game_env::parameter::Parameter;

use crate::notation::count;

/// Budget of a strategy for a decision.
#[derive(Clone)]
pub struct Budget {
    nodes: Option<u64>,
    stop: Option<Stop>,
}

type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

impl Budget {
    /// At most this many nodes of the search.
    pub const fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), stop: None }
    }

    /// Until `stop` returns true. The search asks after every few nodes, some microseconds apart, and decides within a
    /// millisecond when it is told to stop; on boards of more than 100 cells a side it may need longer.
    pub fn until(stop: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self { nodes: None, stop: Some(Arc::new(stop)) }
    }

    /// Returns this budget; without one, the nodes that a parameter of the strategy allows.
    pub(crate) fn or_nodes(budget: Option<Self>, values: &Parameters, nodes: &Parameter) -> Self {
        budget.unwrap_or_else(|| Self::nodes(count(values, nodes.name)))
    }

    /// Returns the number of nodes, unless time decides.
    pub(crate) const fn limit(&self) -> Option<u64> {
        self.nodes
    }

    /// Returns whether the time is over. Never, if nodes decide.
    pub(crate) fn is_over(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop())
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.nodes {
            Some(nodes) => write!(f, "{nodes} nodes"),
            None => f.write_str("until it is stopped"),
        }
    }
}

/// A search has used up its nodes or its time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exhausted;

/// Rest of a budget during a search.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    left: u64,
    clock: Budget,
}

/// The number of nodes after which a search asks whether its time is over.
const NODES_BETWEEN_LOOKS: u64 = 32;

impl Meter {
    /// Without nodes; a search on it also ends when the time of this budget is over.
    pub(crate) const fn new(clock: Budget) -> Self {
        Self { left: 0, clock }
    }

    /// Allows this many nodes from now on.
    pub(crate) const fn allow(&mut self, nodes: u64) {
        self.left = nodes;
    }

    /// Returns the number of nodes that are left.
    pub(crate) const fn left(&self) -> u64 {
        self.left
    }

    /// Counts a node.
    #[inline]
    pub(crate) fn spend(&mut self) -> Result<(), Exhausted> {
        self.left = self.left.checked_sub(1).ok_or(Exhausted)?;
        if self.left.is_multiple_of(NODES_BETWEEN_LOOKS) { self.look() } else { Ok(()) }
    }

    /// Asks whether the time is over: before a node that takes much longer than others.
    pub(crate) fn look(&mut self) -> Result<(), Exhausted> {
        if self.clock.is_over() {
            self.left = 0;
            return Err(Exhausted);
        }
        Ok(())
    }
}
