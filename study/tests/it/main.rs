//! The crate's tests.

#![expect(clippy::unwrap_used, reason = "a test that unwraps fails where it should")]
