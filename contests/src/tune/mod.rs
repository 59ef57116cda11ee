//! Search of the best values of a strategy's parameters, by the results of its games.
//!
//! A [`Tuner`] says which values to try, is told the results, and ends with the best values and their intervals. It
//! plays no matches and stores nothing: the same results give the same search on every machine.

mod space;
mod surface;
mod tuner;

pub use self::space::{Parameter, ParameterError, filled};
pub use self::tuner::{Found, Sample, Size, Tuned, Tuner};
