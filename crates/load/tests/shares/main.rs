//! Checks several processes as one client, and the merging of their records.

#![allow(clippy::unwrap_used)]

mod agents;
mod deal;
mod hosts;
mod merge;
mod merge_refusals;
mod merge_requirements;
