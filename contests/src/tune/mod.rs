//! Search of the best values of a strategy's parameters, by the results of its games.
//!
//! A [`Plan`] names the line-up, its parameters and its opponents. The [`Tuner`] says which values to try, is told the
//! results, and ends with the best values and their intervals; [`Findings`] put these into words. Nothing here plays or
//! stores matches: the same results give the same search on every machine. The book's page "How parameters are tuned"
//! has the reasons.

mod findings;
mod plan;
mod space;
mod surface;
mod tuner;

pub use self::findings::Findings;
pub use self::plan::{Plan, PlanError};
pub use self::space::{Parameter, ParameterError, filled};
pub use self::tuner::{Found, Sample, Size, Tuned, Tuner};
