//! Tests of the workspace as a whole.

mod tidy;
