//! Serves the MySQL protocol without doing any work.
//!
//! It lets everybody in, reads of each statement only what its reply must look like, and answers at once; or as late,
//! as wrongly or not at all as its [`FaultPlan`] says. The cost left in a run against it is the load generator's own.
//! What a load generator reports of a fault can be compared with the plan.
//!
//! ```
//! use dbdyno_null_server::{NullServer, Settings};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut settings = Settings {
//!     listen: Some("127.0.0.1:0".parse()?),
//!     ..Settings::default()
//! };
//! settings.faults.delays = vec!["exponential:15ms".parse()?];
//! let server = NullServer::start(settings)?;
//! let port = server.address().tcp.map(|address| address.port());
//! assert!(port.is_some_and(|port| port > 0));
//! // … drive it …
//! let statistics = server.stop()?;
//! assert_eq!(statistics.statement_count(), 0);
//! # Ok(())
//! # }
//! ```
//!
//! What statements it knows is a table, `sql/shapes.rs`: a workload's statements are rows of it. There are no data: the
//! same statement has the same reply, regardless of earlier writes. Left out on purpose: TLS, compression, stored
//! procedures, cursors, a check of passwords.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod acceptor;
mod error;
mod faults;
mod listener;
mod log;
mod protocol;
mod record;
mod server;
mod settings;
mod shared;
mod sql;
mod statistics;
mod worker;

pub use error::NullServerError;
pub use faults::{
    DelayDistribution, DropRule, ErrorPlace, ErrorRule, FaultError, FaultPlan, Frequency, Refusal,
    RefusalKind, Stall, TimeWindow, TimedFault, nanoseconds,
};
pub use protocol::Auth;
pub use server::{NullAddress, NullServer};
pub use settings::{Epoch, Settings};
pub use statistics::{Quantiles, Statistics, kinds};
