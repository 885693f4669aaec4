//! Serves a lab on a host that the lab does not run on: about twenty primitives on processes, files, sockets and clocks.
//!
//! Policy is not here: which server is started, what a finding means and when to stop is decided by the lab, once, in
//! Python. The agent does what a frame asks for and answers with a value or with a [`Refusal`] that carries the kernel's
//! error.
//!
//! A lab speaks to a *relay*, a process that SSH starts and whose standard streams carry frames. The relay passes them to
//! the *daemon* of the session, which it starts if there is none. The daemon outlives the relay: a lab whose link was
//! lost connects again and sends its open requests once more, and each is done once. A daemon that no lab has spoken to
//! for the time of the lease kills the processes that it started, removes the folders and groups that it made for the
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
mod clocks;
mod copy;
mod daemon;
mod describe;
mod error;
mod files;
mod frame;
mod kernel;
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

pub use daemon::serve;
pub use error::AgentError;
pub use frame::{Frame, FrameError, MAX_BODY_BYTES, MAX_HEADER_BYTES, read_frame, write_frame};
pub use refusal::Refusal;
pub use relay::{GREETING, relay};
pub use session::{AgentOptions, DEFAULT_LEASE};
