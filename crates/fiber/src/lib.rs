//! Runs many users on a few threads: each user is a fiber with its own stack, which the thread leaves
//! while the user waits.
//!
//! Code in a fiber reads as if it had its own thread. It waits for a socket with [`SocketWatch`], for an instant
//! with [`sleep_until`], for a notification with [`Signal`], and for blocking calls with
//! [`run_blocking`]; meanwhile the thread's other fibers run. Outside a fiber the same calls simply
//! block, so that a worker's thousand users and the main thread share one code path.
//!
//! Since the stack is switched, code between the user and the wait (an interpreter, a C function, a protected call)
//! needs to know nothing of it. No borrow of a thread-local, no lock guard and no `RefCell` borrow may be held across a
//! wait: another fiber of this thread would meet it.
//!
//! ```
//! use dbdyno_fiber::{Scheduler, sleep_until, monotonic_ns};
//! use std::{cell::RefCell, rc::Rc};
//!
//! let said = Rc::new(RefCell::new(Vec::new()));
//! let mut scheduler = Scheduler::new()?;
//! for (name, pause_ms) in [("slow", 20), ("quick", 5)] {
//!     let said = Rc::clone(&said);
//!     scheduler.spawn(move || {
//!         sleep_until(monotonic_ns() + pause_ms * 1_000_000);
//!         said.borrow_mut().push(name);
//!     })?;
//! }
//! scheduler.run();
//! assert_eq!(*said.borrow(), ["quick", "slow"]);
//! # Ok::<(), std::io::Error>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod blocking;
mod core;
mod inbox;
mod local;
mod poller;
mod scheduler;
mod signal;
mod sleep;
mod stack;
mod stack_overflow;
mod timers;
mod watch;

pub use blocking::run_blocking;
pub use core::in_fiber;
pub use local::{local, set_local};
pub use scheduler::Scheduler;
pub use signal::Signal;
pub use sleep::{monotonic_ns, others_ready, sleep_until, yield_now};
pub use stack::{has_stack_overflowed, trim_stack};
pub use stack_overflow::on_stack_overflow;
pub use watch::SocketWatch;
