//! Checks what scripts and builtins do on the real servers that `DBDYNO_TEST_SERVERS` names: those tests run
//! with `--include-ignored`.

#![allow(clippy::unwrap_used, reason = "a test ends where something fails")]

mod builtins;
mod connections;
mod stage;
mod statements;
mod trouble;
