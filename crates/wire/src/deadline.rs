//! Limits how long the server may keep a blocking connection waiting, and lets a flag end every wait before
//! that.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A wait is cut into pieces of this length, after each of which it is asked whether to go on.
pub(crate) const WAIT_SLICE: Duration = Duration::from_millis(250);

/// Ends the waits of all sessions that were given it, for instance from a signal handler. Clones are the same flag.
///
/// ```
/// use dbdyno_wire::{CancelFlag, SessionOptions};
///
/// let cancel = CancelFlag::default();
/// let options = SessionOptions { cancel: cancel.clone(), ..SessionOptions::default() };
/// cancel.set();
/// assert!(options.cancel.is_set());
/// ```
#[derive(Debug, Clone, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    /// Ends every wait of a session within a fraction of a second.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether waits are to end.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl From<Arc<AtomicBool>> for CancelFlag {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}

impl PartialEq for CancelFlag {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for CancelFlag {}

/// A moment up to which the server may keep us waiting.
#[derive(Debug, Clone, Default)]
pub(crate) struct Deadline {
    /// `None`: for ever.
    end: Option<Instant>,
    /// What the end was made of.
    pub(crate) limit: Option<Duration>,
    pub(crate) cancel: CancelFlag,
}

impl Deadline {
    pub(crate) fn after(limit: Duration, cancel: &CancelFlag) -> Self {
        let mut deadline = Self {
            cancel: cancel.clone(),
            ..Self::default()
        };
        deadline.restart(Some(limit));
        deadline
    }

    /// Begins the next wait now.
    pub(crate) fn restart(&mut self, limit: Option<Duration>) {
        self.limit = limit;
        self.end = limit.and_then(|limit| Instant::now().checked_add(limit));
    }

    /// Returns whether to wait no more: the time is over, or the wait was cancelled.
    pub(crate) fn is_over(&self) -> bool {
        self.cancel.is_set() || self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Returns how long to wait before asking again, at most up to `limit`; `None`: not at all.
    pub(crate) fn piece(&self, limit: Duration) -> Option<Duration> {
        if self.is_over() {
            return None;
        }
        let rest = self.end.map_or(limit, |end| {
            limit.min(end.saturating_duration_since(Instant::now()))
        });
        Some(rest.max(Duration::from_micros(1))) // zero is what sockets take for "for ever"
    }
}
