//! Implements the three calls around an event.

use crate::{Actor, Engine, Level};
use dbdyno_fiber::{monotonic_ns, others_ready, sleep_until, yield_now};
use std::sync::atomic::Ordering;

/// Longest sleep of a user that waits for an arrival, and so the time in which it notices that the run has failed.
const NAP_NS: u64 = 100_000_000;

/// How long a user that never waits keeps its thread when nobody is known to want it.
const TURN_NS: u64 = 1_000_000;

impl Engine {
    /// Returns whether the user may begin an event. With `--rate` it waits for one to arrive.
    #[inline]
    pub fn more_events(&self, actor: &Actor) -> bool {
        let control = &self.control;
        if control.is_stopped() {
            return false;
        }
        if self.figures.asks_again(actor) {
            self.give_way(actor);
        }
        if self.time_is_up(actor) {
            self.log.say(Level::Info, "Time limit exceeded, exiting...");
            return false;
        }
        if control.limits.events > 0 && !self.take_event(actor) {
            self.log
                .say(Level::Info, "Event limit exceeded, exiting...");
            return false;
        }
        control.arrivals.is_none() || self.await_arrival(actor)
    }

    /// Begins an event, with `--rate` when it arrived.
    #[inline]
    pub fn event_start(&self, actor: &Actor) {
        let arrived_ns = match &self.control.arrivals {
            Some(_) => self.figures.take_due(actor),
            None => None,
        };
        let began_ns = arrived_ns.unwrap_or_else(monotonic_ns);
        self.figures.begin_event(actor, began_ns);
    }

    /// Ends an event, which counts.
    ///
    /// sysbench spreads its histogram over several slots and draws which, so an event takes one of the user's random
    /// numbers: the statements of the next one depend on it.
    #[inline]
    pub fn event_stop(&self, actor: &Actor) {
        let now_ns = monotonic_ns();
        if let Some(began_ns) = self.figures.end_event(actor, now_ns) {
            let from_ns = self.control.limits.counts_from_ns.load(Ordering::Relaxed);
            if now_ns >= from_ns {
                self.figures
                    .count_event(actor, now_ns.saturating_sub(began_ns));
            }
        }
        if self.control.limits.draws {
            actor.with_stream(|stream| stream.next_u64());
        }
    }

    /// Lets other users of the thread have their turn when this one never waits. Those that become ready elsewhere are
    /// seen only when the thread looks for them.
    #[inline]
    fn give_way(&self, actor: &Actor) {
        if others_ready() || self.figures.has_kept_thread_for(actor, TURN_NS) {
            yield_now();
        }
    }

    /// Checks the time by the end of the user's last event; the run's own clock wakes users that wait elsewhere.
    #[inline]
    fn time_is_up(&self, actor: &Actor) -> bool {
        let limits = &self.control.limits;
        limits.time_is_up.load(Ordering::Relaxed)
            || self.figures.last_ns(actor) >= limits.end_ns.load(Ordering::Relaxed)
    }

    /// Takes an event. During the warm-up there is no limit, and what ends in it doesn't count. What begins in it and
    /// ends later counts in addition to those that the limit allows.
    fn take_event(&self, actor: &Actor) -> bool {
        let limits = &self.control.limits;
        let from_ns = limits.counts_from_ns.load(Ordering::Relaxed);
        if from_ns > 0 && self.figures.last_ns(actor).max(1) < from_ns {
            return true;
        }
        self.control.begun.0.fetch_add(1, Ordering::Relaxed) < limits.events
    }

    /// Takes the next arrival and waits until it is due. Not if the run ends before.
    fn await_arrival(&self, actor: &Actor) -> bool {
        let Some(arrivals) = &self.control.arrivals else {
            return true;
        };
        let due_ns = arrivals.take();
        loop {
            let now_ns = monotonic_ns();
            if due_ns <= now_ns {
                self.figures.set_due(actor, due_ns);
                return true;
            }
            if self.control.is_stopped() {
                return false;
            }
            let end_ns = self.control.limits.end_ns.load(Ordering::Relaxed);
            if now_ns >= end_ns {
                self.log.say(Level::Info, "Time limit exceeded, exiting...");
                return false;
            }
            sleep_until(due_ns.min(end_ns).min(now_ns + NAP_NS));
        }
    }
}
