//! Conversations with real servers. They take place only where `DBDYNO_TEST_SERVERS` names some.

#![allow(clippy::unwrap_used, reason = "a test ends where something fails")]

mod big;
mod hot_path;
mod log_in;
mod server;
mod statements;
