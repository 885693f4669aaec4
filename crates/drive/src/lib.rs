//! Schedules a load: workers, pacing, phases, errors and stopping.
//!
//! [`drive`] takes a [`Load`] (what to run against which server), logs all connections in, prepares
//! their statements, and lets a few worker threads run the workload over one grid of seconds. An [`Observer`]
//! receives the measurements second by second; the [`RunOutcome`] describes the whole run.
//! [`search`](fn@search) does so repeatedly at other rates, on the same connections, until it finds the
//! highest rate that meets an objective.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let (load, mut observer): (dbdyno_drive::Load, Box<dyn dbdyno_drive::Observer>) = todo!();
//! use dbdyno_drive::{Status, StopSwitch, drive};
//!
//! let stop = StopSwitch::default();
//! let outcome = drive(&load, &stop, observer.as_mut())?;
//! assert!(matches!(outcome.status, Status::Complete));
//! # Ok(())
//! # }
//! ```
//!
//! A worker owns everything it touches while it runs: its epoll set, its connections, their users, its
//! interval of counters. The single worker loop queries the pacing as a value, so a new kind of load needs no new loop.
//! `dbdyno-workload` decides which statements are sent, and
//! `dbdyno-load` writes the records.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod client_share;
mod collect;
mod connection_pair;
mod connection_pool;
mod error;
mod grid;
mod limits;
mod load;
mod login;
mod network_path;
mod observe;
mod outage;
mod pacing;
mod poller;
mod run;
mod search;
mod search_result;
mod segment;
mod session_read_back;
mod stop;
mod timers;
mod worker;

pub use client_share::{ClientShare, CommonStart, StartSignal, StartTime};
pub use dbdyno_workload::{counted, form_for};
pub use error::{DriveError, Fault, server_settings_remedy};
pub use load::{ErrorPolicy, FurtherError, Load, Phase, PreparedFull, Protocol, default_workers};
pub use network_path::{NetworkPath, NetworkTraffic};
pub use observe::{
    IntervalRecord, Level, Observer, RunOutcome, SILENCES_KEPT, SilentObserver, Start, Status,
};
pub use outage::{Outage, OutageLog, outages, path_failure};
pub use pacing::{Arrivals, Pacing, RateStream, Stretch, Think, ThinkDistribution};
pub use run::drive;
pub use search::{Search, falls_short, search};
pub use search_result::{Probe, SearchResult};
pub use session_read_back::SessionReadBack;
pub use stop::{Cause, Failure, StopSwitch};
pub use worker::{ANSWER_TOO_LARGE, LOST_CONNECTION_CODES, MALFORMED_PACKET, UNTIMED_CODES};
