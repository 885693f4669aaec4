//! Sends requests to a real agent as a lab does: primitives, lost links, damaged frames, leases.

#![allow(clippy::unwrap_used)]

mod lab;
mod primitives;
mod sessions;
