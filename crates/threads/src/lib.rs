//! Samples what the threads of a server process do, from the outside and without stopping any of them.
//!
//! Processor time and time on the run queue are exact: the kernel counts them for each thread. Blocked time is sampled:
//! the kernel shows which system call a thread is in, with its arguments and its stack pointer. A call on a file is
//! named by the file. A wait on a futex is named by the functions that led to it: the thread's stack is copied and its
//! frame pointers are followed. What can't be named is counted as [`WaitClass::NotNamed`], never guessed.
//!
//! Session threads are those that read from a socket whose other end belongs to the load generator, or to another host
//! ([`ClientSockets`]). The numbers are averages of threads in a state, so those of all states add up to the number of
//! sessions.
//!
//! Nothing here knows SQL, and nothing writes: `dbdyno-load` prints what a [`Sampler`] returns.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod blocked_call;
mod client_sockets;
mod error;
mod machine_code;
mod memory_map;
mod named_waits;
mod open_files;
mod placement;
mod process;
mod sampler;
mod second_record;
mod stack;
mod stack_namer;
mod symbols;
mod wait_class;

pub use client_sockets::{Client, ClientSockets};
pub use error::ThreadsError;
pub use named_waits::ProbedSite;
pub use placement::Placement;
pub use process::allow_open_files;
pub use sampler::{Sampler, SamplerOptions};
pub use second_record::{GroupSecond, SecondRecord};
pub use stack_namer::{SeenFrame, SeenStack};
pub use wait_class::WaitClass;
