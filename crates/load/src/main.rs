//! Starts the program `dbdyno-load`; `dbdyno-commands` does what it is asked.
//!
//! It is a crate apart since the optimisation that is asked of the crate of a program is also that of all crates when
//! they are linked: the commands are made small, and what drives a load must be fast.

use std::process::ExitCode;

fn main() -> ExitCode {
    dbdyno_commands::run()
}
