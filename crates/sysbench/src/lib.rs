//! Implements sysbench's contract, apart from its scripts: the command line, who runs when, what is counted,
//! what is printed.
//!
//! A [`Settings`] says what a user asked for, in the words of one [`Dialect`]. Everything that acts (a worker's
//! user, the main thread, a reporting thread) is an [`Actor`]: it has a number, its own random numbers and a place
//! for its counts. What users do is left to others: scripts to `dbdyno-lua`, the builtin events to `native`.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod actor;
mod control;
pub mod cpu;
pub mod db;
mod dialect;
mod engine;
pub mod figures;
mod log;
pub mod native;
pub mod options;
mod random;
pub mod run;
mod settings;
pub mod text;

pub use actor::Actor;
pub use control::Control;
pub use dialect::Dialect;
pub use engine::Engine;
pub use figures::Figures;
pub use log::{Level, Log};
pub use random::{Random, RandomType, Seeds};
pub use settings::{DatabaseSettings, Fixes, IgnoreErrors, Settings};
