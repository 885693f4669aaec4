//! Checks what scripts and builtins do on real servers. That takes place only where `DBDYNO_TEST_SERVERS`
//! names some.

#![allow(clippy::unwrap_used, reason = "a test ends where something fails")]

mod builtins;
mod connections;
mod stage;
mod statements;
mod trouble;
