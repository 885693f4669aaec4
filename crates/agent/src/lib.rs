//! Serves a lab on a host that the lab does not run on: about twenty primitives on processes, files, sockets and clocks.
//!
//! The lab makes all decisions, once, in Python: which server is started, what a finding means and when to stop.
//! The agent executes the request of a frame and answers with a value or with a [`Refusal`] that carries the kernel's
//! error.
//!
//! SSH starts a *relay*, whose standard streams carry the lab's frames. The relay hands these streams over to the *daemon*
//! of the session, which it starts if there is none. The daemon outlives the relay: a lab that lost its connection
//! connects again and resends its open requests, and each is executed once. When the lease ends without a
//! word from a lab, the daemon kills the processes that it started, removes the folders and groups that it made for the
//! session, and ends.
//!
//! ```
//! use dbdyno_agent::{read_frame, write_frame};
//!
//! let mut wire = Vec::new();
//! write_frame(&mut wire, br#"{"id":1,"request":{"do":"ping"}}"#, b"").unwrap();
//! let frame = read_frame(&mut wire.as_slice()).unwrap().unwrap();
//! assert_eq!(frame.header.len(), 32);
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod agent;
mod answer;
mod clocks;
mod copy;
mod daemon;
mod describe;
mod error;
mod files;
mod frame;
mod kernel;
mod lab_connection;
mod leftovers;
mod locks;
mod processes;
mod pushes;
mod refusal;
mod relay;
mod replies;
mod request;
mod session;
mod session_folder;
mod spawn;
mod streams;
mod undo;
mod watches;
mod workers;

pub use daemon::serve;
pub use error::AgentError;
pub use frame::{Frame, FrameError, read_frame, write_frame};
pub use refusal::Refusal;
pub use relay::{GREETING, relay};
pub use session::AgentOptions;
