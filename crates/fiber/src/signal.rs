//! Wakes fibers and threads that wait for a notification.

use crate::core::{Waker, current, leave};
use crate::sleep::monotonic_ns;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Any thread can notify it; all waiting fibers and threads wake. Clones are the same signal.
///
/// A waiter first reads the [`generation`](Signal::generation), then checks its condition, then calls
/// [`wait_past`](Signal::wait_past) with that generation, so that it misses no notification in between.
#[derive(Debug, Clone, Default)]
pub struct Signal {
    shared: Arc<SignalShared>,
}

#[derive(Debug, Default)]
struct SignalShared {
    generation: AtomicU64,
    waiting: Mutex<VecDeque<(u64, Waiter)>>,
    /// For threads.
    condition: Condvar,
    next: AtomicU64,
}

#[derive(Debug)]
enum Waiter {
    Fiber(Waker),
    Thread,
}

impl Signal {
    /// Creates a signal that was never notified.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns how often it was notified.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.shared.generation.load(Ordering::Acquire)
    }

    /// Wakes all waiters.
    pub fn notify_all(&self) {
        let mut waiting = self.lock();
        self.shared.generation.fetch_add(1, Ordering::Release);
        waiting.drain(..).for_each(|(_, waiter)| waiter.wake());
        self.shared.condition.notify_all();
    }

    /// Wakes the fiber that has waited longest, if one is enough. (Threads are all woken.)
    pub fn notify_one(&self) {
        let mut waiting = self.lock();
        self.shared.generation.fetch_add(1, Ordering::Release);
        if let Some((_, waiter)) = waiting.pop_front() {
            waiter.wake();
            self.shared.condition.notify_all();
        }
    }

    /// Waits until a notification after `generation`, or until the instant. It may return earlier: check again.
    pub fn wait_past(&self, generation: u64, until_ns: Option<u64>) {
        let mut waiting = self.lock();
        if self.generation() != generation {
            return;
        }
        let number = self.shared.next.fetch_add(1, Ordering::Relaxed);
        match current() {
            Some((core, running)) => {
                let wait = core.begin_wait(running);
                waiting.push_back((number, Waiter::Fiber(core.waker(wait))));
                drop(waiting);
                if let Some(until_ns) = until_ns {
                    core.end_wait_at(wait, until_ns);
                }
                leave(running);
            }
            None => {
                waiting.push_back((number, Waiter::Thread));
                let left_ns = until_ns.map_or(u64::MAX, |ns| ns.saturating_sub(monotonic_ns()));
                let timeout = Duration::from_nanos(left_ns);
                let condition = self.shared.condition.wait_timeout(waiting, timeout);
                drop(condition.unwrap_or_else(PoisonError::into_inner));
            }
        }
        self.lock().retain(|&(other, _)| other != number); // still there if time was up
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(u64, Waiter)>> {
        self.shared
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiter {
    fn wake(&self) {
        if let Self::Fiber(waker) = self {
            waker.wake();
        }
    }
}
