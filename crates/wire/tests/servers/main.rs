//! Talks to the real servers that `DBDYNO_TEST_SERVERS` names: tests run with `--include-ignored`.

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
