//! The SDK's tests.

mod answers;
mod nav;
mod watched;
