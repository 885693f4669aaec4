//! The server spoken to by the project's own client.

#![allow(clippy::unwrap_used)]

mod bench;
mod door;
mod faults;
mod nonsense;
mod shapes;
