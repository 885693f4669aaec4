//! Describes a load: what to run, against which server, how hard and for how long.

use crate::{ClientShare, DriveError, Pacing, StartTime};
use dbdyno_wire::{Endpoint, ServerError, SessionOptions};
use dbdyno_workload::{RetryAfter, RetryValues, Workload};
use std::sync::Arc;
use std::time::Duration;

/// How statements reach the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(
    feature = "arguments",
    derive(clap::ValueEnum, serde::Deserialize, serde::Serialize)
)]
#[cfg_attr(feature = "arguments", serde(rename_all = "kebab-case"))]
pub enum Protocol {
    /// Prepared once a connection, then executed by number.
    #[cfg_attr(feature = "arguments", value(alias = "auto"))]
    // the word of sysbench's `--db-ps-mode`
    Prepared,
    /// As text with the values written in.
    #[cfg_attr(feature = "arguments", value(alias = "disable"))]
    Text,
}

/// A named stretch of the run. All phases are driven alike; the reader decides which of them is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// Such as `warm-up` or `window`.
    pub name: String,
    /// Whole seconds, because phases share one grid of seconds.
    pub seconds: u32,
}

/// Says what happens when the server answers with an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorPolicy {
    /// Errors after which the event is repeated or given up. Anything else stops the run.
    /// 2006 and 2013 among the codes mean: connect again, prepare again, repeat.
    pub after: RetryAfter,
    /// Further errors that are treated the same, such as conflicts of one storage engine.
    pub also: Vec<FurtherError>,
    /// Send ROLLBACK before the repeat. sysbench's OLTP scripts don't.
    pub rollback_first: bool,
    /// Repeats of one event after which it counts as failed; `None`: repeated until it succeeds.
    pub retry_limit: Option<u32>,
    /// Which values a repeat has.
    pub draws: RetryValues,
    /// From the third attempt on a repeat waits a random time up to this, doubled with each attempt up to
    /// 64 times, to separate events that keep conflicting. Zero: no repeat waits.
    pub pause: Duration,
}

/// An error after which a load repeats events, in addition to those of the imitated tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "arguments", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "arguments", serde(deny_unknown_fields))]
pub struct FurtherError {
    /// The server's code.
    pub code: u16,
    /// The storage engine's own number, which stands in the message of a code that covers many errors, such as 149 in
    /// `Got error 149 "Lock deadlock; Retry transaction" during COMMIT`; `None`: any message.
    #[cfg_attr(feature = "arguments", serde(default))]
    pub cause: Option<u16>,
}

impl FurtherError {
    /// Returns whether the server answered with it.
    pub fn is(self, error: &ServerError) -> bool {
        self.code == error.code
            && self
                .cause
                .is_none_or(|cause| first_number(&error.message) == Some(cause))
    }
}

/// Returns the first number of a text, if it fits in 16 bits.
fn first_number(text: &str) -> Option<u16> {
    let mut digits = text.split(|letter: char| !letter.is_ascii_digit());
    digits.find(|digits| !digits.is_empty())?.parse().ok()
}

/// What happens when the server holds as many prepared statements as it may.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "arguments",
    derive(clap::ValueEnum, serde::Deserialize, serde::Serialize)
)]
#[cfg_attr(feature = "arguments", serde(rename_all = "kebab-case"))]
pub enum PreparedFull {
    /// Don't start the load.
    #[default]
    Stop,
    /// Send the rest as text, and say so.
    Text,
}

impl Default for ErrorPolicy {
    fn default() -> Self {
        Self {
            after: RetryAfter::Codes(Vec::new()),
            also: Vec::new(),
            rollback_first: false,
            retry_limit: None,
            draws: RetryValues::default(),
            pause: Duration::ZERO,
        }
    }
}

impl ErrorPolicy {
    pub(crate) fn ignores(&self, code: u16) -> bool {
        match &self.after {
            RetryAfter::Codes(codes) => codes.contains(&code),
            RetryAfter::AnyError => !LOST_CONNECTION.contains(&code),
        }
    }

    /// Returns whether an event goes on after an error of the server.
    pub(crate) fn repeats_after(&self, error: &ServerError) -> bool {
        self.ignores(error.code) || self.also.iter().any(|further| further.is(error))
    }
}

/// Errors of the client, and of a server that closes the connection: shutdown, killed, idle for too long.
const LOST_CONNECTION: [u16; 8] = [2006, 2011, 2013, 2055, 1053, 1159, 1927, 4031];

/// Describes one load completely.
#[derive(Debug, Clone)]
pub struct Load {
    /// The server and the user.
    pub endpoint: Endpoint,
    /// The server of the workload's role, where it has one; see [`WorkloadSpec::role`](dbdyno_workload::WorkloadSpec::role).
    pub role_endpoint: Option<Endpoint>,
    /// Settings that each connection agrees on with the server.
    pub session: SessionOptions,
    /// Work of each connection.
    pub workload: Arc<dyn Workload>,
    /// How statements are sent.
    pub protocol: Protocol,
    /// Connections of the whole client, each with at most one event in flight.
    pub concurrency: u32,
    /// The share of connections driven here.
    pub share: ClientShare,
    /// Worker threads; see [`default_workers`].
    pub workers: u32,
    /// Processors that the workers are pinned to, in turn; empty: not pinned.
    pub cpus: Vec<usize>,
    /// When events are due.
    pub pacing: Pacing,
    /// When second 0 begins.
    pub start: StartTime,
    /// Phases of the run, in order.
    pub phases: Vec<Phase>,
    /// What happens after an error.
    pub errors: ErrorPolicy,
    /// What happens when not all statements can be prepared.
    pub prepared_full: PreparedFull,
    /// How long events under way may take to end after the last phase.
    pub drain: Duration,
    /// Ends the run early once so many events were started.
    pub events_limit: Option<u64>,
    /// Seed of the arrivals. The workload holds its own.
    pub seed: u64,
    /// How long a statement may go without any byte of an answer; `None`: for ever. Checked once a second.
    pub answer_timeout: Option<Duration>,
    /// How long a log-in may take.
    pub login_timeout: Duration,
}

impl Load {
    /// Returns whether its record is to be merged with those of other processes, or could be.
    #[must_use]
    pub fn is_share(&self) -> bool {
        self.share.is_part() || matches!(self.start, StartTime::Common(_))
    }

    /// Returns the number of connections driven here.
    #[must_use]
    pub fn connections(&self) -> u32 {
        self.share.connections_of(self.concurrency)
    }

    pub(crate) fn check(&self) -> Result<(), DriveError> {
        let wrong = |what: &str| Err(DriveError::Request(what.to_owned()));
        if self.concurrency == 0 {
            return wrong("concurrency is 0: at least one connection is needed");
        }
        self.share.check(self.concurrency)?;
        if self.workers == 0 || self.workers > self.connections() {
            return wrong("workers must be at least 1 and at most one per connection");
        }
        self.check_role()?;
        self.pacing
            .check(self.workload.spec().transaction_types.len())
    }

    fn check_role(&self) -> Result<(), DriveError> {
        let name = &self.workload.spec().name;
        match (self.workload.spec().role.as_deref(), &self.role_endpoint) {
            (Some(role), None) => Err(DriveError::Request(format!(
                "transactions of {name} go to a server with the role {role}, but no server has it"
            ))),
            (None, Some(_)) => Err(DriveError::Request(format!(
                "a server has a role, but no transaction of {name} has one"
            ))),
            _ => Ok(()),
        }
    }

    /// Returns the server of a user's connection of that number.
    pub(crate) fn endpoint_of(&self, lane: u8) -> &Endpoint {
        match &self.role_endpoint {
            Some(endpoint) if lane > 0 => endpoint,
            _ => &self.endpoint,
        }
    }

    /// Checks that a run has phases; a search makes its own.
    pub(crate) fn check_phases(&self) -> Result<(), DriveError> {
        if self.phases.iter().all(|phase| phase.seconds == 0) {
            return Err(DriveError::Request("the phases last 0 seconds".to_owned()));
        }
        Ok(())
    }
}

/// Returns how many workers suit `concurrency` connections on a machine with `cores` processors: one for every
/// four processors, because the server usually shares the machine and one worker drives hundreds of
/// thousands of statements a second; never more than one for 32 connections, because a worker with few
/// connections wakes up for each reply.
///
/// ```
/// use dbdyno_drive::default_workers;
///
/// assert_eq!(default_workers(1000, 2), 1);
/// assert_eq!(default_workers(1000, 32), 8);
/// assert_eq!(default_workers(64, 32), 2);
/// ```
#[must_use]
pub fn default_workers(concurrency: u32, cores: usize) -> u32 {
    let by_cores = u32::try_from(cores / 4).unwrap_or(u32::MAX);
    by_cores.min(concurrency / 32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: u16, message: &str) -> ServerError {
        ServerError {
            code,
            sql_state: *b"HY000",
            message: message.to_owned(),
        }
    }

    #[test]
    fn a_further_error_is_told_by_code_and_cause() {
        let conflict = r#"Got error 149 "Lock deadlock; Retry transaction" during COMMIT"#;
        let full = r#"Got error 28 "No space left on device" during COMMIT"#;
        let policy = |cause| ErrorPolicy {
            also: vec![FurtherError { code: 1180, cause }],
            ..ErrorPolicy::default()
        };
        assert!(policy(Some(149)).repeats_after(&error(1180, conflict)));
        assert!(
            !policy(Some(149)).repeats_after(&error(1180, full)),
            "a full disk is no conflict"
        );
        assert!(!policy(Some(149)).repeats_after(&error(1030, conflict)));
        assert!(!policy(Some(149)).repeats_after(&error(1180, "")));
        assert!(policy(None).repeats_after(&error(1180, full)));
        assert!(!ErrorPolicy::default().repeats_after(&error(1180, conflict)));
    }
}
