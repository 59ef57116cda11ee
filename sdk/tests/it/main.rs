//! The SDK's tests.

mod nav;
