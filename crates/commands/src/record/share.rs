//! Records which share of a client a record belongs to, and how accurate this host's clock is.

use crate::order::LoadOrder;
use dbdyno_drive::{Load, StartTime};
use serde::Serialize;
use std::fs;
use std::mem::MaybeUninit;

/// Describes one of several processes that together are one client. `merge` compares it with the other shares.
#[derive(Debug, Serialize)]
pub(crate) struct ShareRecord<'a> {
    /// From 1.
    number: u32,
    count: u32,
    /// Connections of all shares.
    connections: u32,
    host: String,
    /// Unix time that was requested as the start of second 0.
    start_at_ns: Option<u64>,
    /// How far the clock of this host was ahead of the reference clock of the start; 0 if nobody has compared them.
    clock_ahead_ns: i64,
    /// Possible error of that, or of the clock itself; `None`: the clock is not synchronised.
    clock_error_ns: Option<u64>,
    /// Identifies the server.
    server: &'a str,
    /// SHA-256 of all that the shares of one client have in common.
    common_sha256: String,
}

impl<'a> ShareRecord<'a> {
    pub(super) fn of(
        order: &LoadOrder,
        load: &Load,
        start: &'a dbdyno_drive::Start,
    ) -> Option<Self> {
        let common_start = match &load.start {
            StartTime::Common(signal) => signal.start(),
            _ => None,
        };
        load.is_share().then(|| Self {
            number: load.share.index + 1,
            count: load.share.count,
            connections: load.concurrency,
            host: host_name(),
            start_at_ns: common_start
                .map(|start| start.unix_ns)
                .or(order.start_at_ns),
            clock_ahead_ns: common_start.map_or(0, |start| start.clock_ahead_ns),
            clock_error_ns: common_start
                .map_or_else(clock_error_ns, |start| Some(start.clock_error_ns)),
            server: start.session.server_identity.as_deref().unwrap_or_default(),
            common_sha256: order.common_sha256(load),
        })
    }
}

fn host_name() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

/// Returns the kernel's own bound, which the clock service sets; it grows while that service is silent.
fn clock_error_ns() -> Option<u64> {
    let mut state = MaybeUninit::<libc::timex>::zeroed();
    // SAFETY: all zeros are a valid `timex`, whose `modes` of 0 ask for nothing to be changed; the call fills it.
    #[expect(unsafe_code, reason = "only the kernel knows how good its clock is")]
    let (found, state) = unsafe {
        let found = libc::adjtimex(state.as_mut_ptr());
        (found, state.assume_init())
    };
    if found < 0 || found == libc::TIME_ERROR {
        return None;
    }
    u64::try_from(state.maxerror).ok().map(|us| us * 1_000)
}
