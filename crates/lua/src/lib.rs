//! Runs sysbench's scripts, unmodified: a LuaJIT state for each user, and the whole interface that scripts
//! expect.
//!
//! The prelude (`prelude/*.lua`) is the Lua part of that interface: `sysbench.*`, the default loop and the names of
//! the second half. This crate exports C functions under the names that sysbench gives them. A C function finds
//! its actor in the fiber's own word (`Context`), so Lua passes nothing. One that waits leaves its fiber; everything on
//! its stack, the state and compiled code included, stays in place. No C function
//! raises a Lua error or unwinds: it returns the value from which the prelude raises errors.
//!
//! A [`MainState`] reads a script and provides its options, commands and hooks in the main thread; its
//! [`ScriptProgram`] creates the users of a run and the states of the reporting threads.
//!
//! Programs that use this crate export the names in `exports.list`; their build scripts pass it to the linker.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bare_state;
mod context;
mod exchange;
mod interrupt;
mod main_state;
mod memory;
mod module_path;
mod pool;
mod prelude;
mod program;
mod script;
mod script_instance;
mod script_watch;
mod state;
mod symbols;

pub use interrupt::{end_if_told, tell_scripts_of_signals};
pub use main_state::{Command, Function, MainState};
pub use module_path::is_module_replaced;
pub use program::ScriptProgram;
pub use script::Launch;
