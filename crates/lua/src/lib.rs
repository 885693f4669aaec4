//! Runs sysbench's scripts, unmodified: a LuaJIT state for each user, and the whole interface that scripts
//! expect.
//!
//! The prelude (`prelude/*.lua`) is the part of that interface that is Lua: `sysbench.*`, the default loop, the names of
//! the second half, C functions that this crate exports under the names that sysbench gives them. A C function finds
//! for whom it acts in the fiber's own word (`Context`), so nothing is handed from Lua; one that waits leaves
//! its fiber, and everything on its stack, the state and compiled code included, simply stays where it is. No C function
//! raises a Lua error or unwinds: it returns what the prelude raises errors from.
//!
//! A [`MainState`] reads a script and answers for its options, commands and hooks in the main thread; its
//! [`ScriptProgram`] makes the users of a run and the states of the reporting threads.
//!
//! Programs that use this crate export what `exports.list` names; the linker is told by their build scripts.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod context;
mod exchange;
mod interrupt;
mod main_state;
mod memory;
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
pub use program::ScriptProgram;
pub use script::Launch;
