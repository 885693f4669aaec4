//! Holds what all threads of a server share.

use crate::FaultPlan;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Counters and instants of a server; touched once a statement only where a plan asks for it.
#[derive(Debug)]
pub(crate) struct ServerShared {
    /// Where the plan's instants count from, on the monotonic clock; 0 while it is not known.
    epoch_ns: AtomicU64,
    /// Statements seen by each counting rule.
    pub(crate) error_counts: Vec<AtomicU64>,
    pub(crate) drop_counts: Vec<AtomicU64>,
    /// When the one queue of a server with a capacity is free again.
    pub(crate) free_ns: AtomicU64,
    /// Prepared statements that are kept.
    pub(crate) prepared: AtomicU32,
    /// Connections accepted.
    pub(crate) connections: AtomicU32,
    /// The server is to end.
    pub(crate) stop: AtomicBool,
}

impl ServerShared {
    pub(crate) fn new(plan: &FaultPlan) -> Self {
        let counters = |count: usize| (0..count).map(|_| AtomicU64::new(0)).collect();
        Self {
            epoch_ns: AtomicU64::new(0),
            error_counts: counters(plan.errors.len()),
            drop_counts: counters(plan.drops.len()),
            free_ns: AtomicU64::new(0),
            prepared: AtomicU32::new(0),
            connections: AtomicU32::new(0),
            stop: AtomicBool::new(false),
        }
    }

    /// Lets the plan begin, unless it has begun.
    pub(crate) fn begin_epoch(&self, instant_ns: u64) {
        if self.epoch_ns.load(Ordering::Relaxed) == 0 {
            let order = Ordering::Relaxed;
            // Whichever thread is second uses the epoch of the first.
            let _ = self
                .epoch_ns
                .compare_exchange(0, instant_ns.max(1), order, order);
        }
    }

    pub(crate) fn epoch(&self) -> Option<u64> {
        match self.epoch_ns.load(Ordering::Relaxed) {
            0 => None,
            instant => Some(instant),
        }
    }

    /// Nanoseconds since the plan began.
    pub(crate) fn since_epoch(&self, instant_ns: u64) -> Option<u64> {
        instant_ns.checked_sub(self.epoch()?)
    }
}
