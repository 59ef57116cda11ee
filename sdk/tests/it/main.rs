//! The SDK's tests.

mod nav;
mod watched;
