//! Defines the record of an outage.

use dbdyno_drive::{Cause, Outage};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Returns what failed, in the words of the contract.
pub(crate) fn word_of(cause: Cause) -> &'static str {
    match cause {
        Cause::Network => "network",
        Cause::NoAnswer => "no-answer",
        Cause::Server => "server",
        Cause::Client => "client",
    }
}

/// A stretch with lost connections, or without a path.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OutageRecord {
    pub(crate) start_ns: u64,
    pub(crate) first_success_ns: Option<u64>,
    pub(crate) restored_ns: Option<u64>,
    pub(crate) connections_lost: u32,
    pub(crate) cause: Cow<'static, str>,
    pub(crate) all_lost: bool,
    pub(crate) former_tps: Option<f64>,
    pub(crate) regained_ns: Option<u64>,
}

impl OutageRecord {
    pub(crate) fn of(outage: &Outage) -> Self {
        Self {
            start_ns: outage.start_ns,
            first_success_ns: outage.first_success_ns,
            restored_ns: outage.restored_ns,
            connections_lost: outage.connections_lost,
            cause: word_of(outage.cause).into(),
            all_lost: outage.all_lost,
            former_tps: outage.former_tps,
            regained_ns: outage.regained_ns,
        }
    }
}
