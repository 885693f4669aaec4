//! Counts an event: in a few cells of its user and of its worker thread.

use super::{Counter, Figures};
use crate::Actor;
use std::sync::atomic::Ordering;

impl Figures {
    /// Ends a user, with or without an event in hand.
    pub(crate) fn end_user(&self, actor: &Actor, now_ns: u64) {
        let cells = self.cells(actor);
        cells.over_ns.set(now_ns);
        cells.busy.set(0);
    }

    /// Begins an event.
    #[inline]
    pub(crate) fn begin_event(&self, actor: &Actor, ns: u64) {
        let cells = self.cells(actor);
        cells.began_ns.set(ns);
        cells.busy.set(1);
    }

    /// Ends the event in hand and returns when it began; `None` if none is in hand.
    #[inline]
    pub(crate) fn end_event(&self, actor: &Actor, now_ns: u64) -> Option<u64> {
        let cells = self.cells(actor);
        cells.last_ns.set(now_ns);
        if cells.busy.get() == 0 {
            return None;
        }
        cells.busy.set(0);
        Some(cells.began_ns.get())
    }

    /// Counts an event that took `ns`.
    #[inline]
    pub(crate) fn count_event(&self, actor: &Actor, ns: u64) {
        let cells = self.cells(actor);
        cells.count_event(ns, self.generation.load(Ordering::Relaxed));
        cells.counters[Counter::Event as usize].add(1);
        let worker = &self.workers[cells.worker];
        worker.points[self.points.point_of(ns)].add(1);
        worker.times.record(ns);
    }

    /// Returns when the user's last event ended; 0 before its first.
    #[inline]
    pub(crate) fn last_ns(&self, actor: &Actor) -> u64 {
        self.cells(actor).last_ns.get()
    }

    /// Keeps the instant at which an arrival was due, for the event that follows.
    pub(crate) fn set_due(&self, actor: &Actor, due_ns: u64) {
        self.cells(actor).due_ns.set(due_ns);
    }

    /// Takes that instant, once.
    pub(crate) fn take_due(&self, actor: &Actor) -> Option<u64> {
        let due = &self.cells(actor).due_ns;
        let due_ns = due.get();
        due.set(0);
        (due_ns > 0).then_some(due_ns)
    }

    /// Notes that the user asks for an event. True if none of its worker thread's other users has done so since it
    /// did last: it may be one that never waits.
    #[inline]
    pub(crate) fn asks_again(&self, actor: &Actor) -> bool {
        let worker = &self.workers[self.cells(actor).worker];
        let again = worker.last_user.get() == u64::from(actor.tid);
        if !again {
            worker.last_user.set(u64::from(actor.tid));
        }
        again
    }

    /// Returns whether the user has ended events on its thread for so long since this was last true.
    #[inline]
    pub(crate) fn has_kept_thread_for(&self, actor: &Actor, ns: u64) -> bool {
        let cells = self.cells(actor);
        let (last_ns, turn_ns) = (cells.last_ns.get(), &self.workers[cells.worker].turn_ns);
        let is_long = last_ns >= turn_ns.get() + ns;
        if is_long {
            turn_ns.set(last_ns);
        }
        is_long
    }
}
