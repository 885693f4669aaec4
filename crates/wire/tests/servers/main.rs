//! Talks to real servers. They take place only where `DBDYNO_TEST_SERVERS` names some.

#![allow(clippy::unwrap_used, reason = "a test ends where something fails")]

mod big;
mod compression;
mod hot_path;
mod local_file;
mod log_in;
mod server;
mod session_changes;
mod several;
mod statements;
