//! Drives the server by the project's own client.

#![allow(clippy::unwrap_used)]

mod acceptor;
mod faults;
mod malformed;
mod shapes;
mod test_server;
