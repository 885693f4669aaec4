//! Ends the run: begins the drain, and sends the statements that users still owe for completed events.

use super::path::asked_since;
use super::{Activity, Worker, WorkerStage};
use crate::Cause;
use crate::pacing::Pace;
use dbdyno_wire::Reply;
use std::sync::atomic::Ordering;

/// Ends the messages of a run that fails here.
const NOT_EXECUTED: &str = ": statements of completed events were not executed";

impl Worker {
    #[cold]
    pub(super) fn stop_early(&mut self, now_ns: u64, drain_ns: u64) {
        let gauges = self.gauges(now_ns);
        self.recorder.cut(gauges, now_ns);
        self.drain(now_ns, drain_ns);
    }

    pub(super) fn drain(&mut self, end_ns: u64, drain_ns: u64) {
        let last_reply_ns = self.recorder.silences.last_reply_ns();
        let outages = &self.recorder.outages;
        self.asked_at_end_ns = asked_since(&self.connections, outages, last_reply_ns, end_ns);
        while let Some(due) = self.pace.take_unsent(end_ns) {
            self.unended.record(end_ns - due.at_ns);
            self.asked_at_end_ns = self.asked_at_end_ns.min(due.at_ns);
        }
        self.unsent = self.unended.count();
        self.pace = Pace::Over;
        for connection in self.connections.iter().filter(|c| c.has_event()) {
            let since_due_ns = end_ns.saturating_sub(connection.due_ns);
            self.unended.record(since_due_ns);
        }
        self.in_flight_at_end = self.in_flight;
        self.ended_ns = end_ns;
        self.stage = WorkerStage::Draining {
            until_ns: end_ns.saturating_add(drain_ns),
        };
        self.recorder.close();
    }

    /// Returns whether nothing is left to wait for.
    pub(super) fn is_done(&mut self, now_ns: u64) -> bool {
        if self.stage == WorkerStage::Running && self.in_flight == 0 && self.is_spent() {
            self.pace = Pace::Over;
            self.stop_early(now_ns, self.shared.drain_ns);
        }
        match self.stage {
            WorkerStage::Draining { until_ns } => {
                now_ns >= until_ns || self.in_flight == 0 && !self.settle_up(now_ns)
            }
            WorkerStage::Running => false,
        }
    }

    /// Returns whether no event is left to begin.
    fn is_spent(&self) -> bool {
        let quota = self.shared.quota.as_ref();
        self.retired == self.connections.len()
            || quota.is_some_and(|quota| quota.load(Ordering::Relaxed) == 0)
    }

    /// Asks every user once, when no event is under way any more, and sends what is owed. Returns whether to wait for
    /// anything. It belongs to no interval: the events were counted when they completed.
    pub(super) fn settle_up(&mut self, now_ns: u64) -> bool {
        if std::mem::replace(&mut self.has_settled_up, true) || self.shared.failure.is_filled() {
            return false;
        }
        for index in 0..self.connections.len() as u32 {
            let connection = &mut self.connections[index as usize];
            if !connection.user.settle_up(&mut self.call) {
                continue;
            }
            self.in_flight += 1;
            if connection.is_open() {
                connection.activity = Activity::SettlingUp;
                self.send(index, now_ns);
            } else {
                let text = "the connection is lost".to_owned();
                self.fail_settling(index, None, text, Cause::Server);
            }
        }
        self.in_flight > 0
    }

    /// Fails the run if the drain ended before all that users owe was sent and answered, unless the run was stopped.
    /// Returns how many answers are missing: none of them is an event's.
    pub(super) fn end_settling(&mut self) -> u64 {
        let (mut unanswered, mut owing) = (0, None);
        let was_asked = self.has_settled_up || self.shared.failure.is_filled();
        for (index, connection) in (0..).zip(&mut self.connections) {
            let is_settling = connection.activity == Activity::SettlingUp;
            unanswered += u64::from(is_settling);
            if is_settling || !was_asked && connection.user.settle_up(&mut self.call) {
                owing = Some(index);
            }
        }
        if let Some(index) = owing.filter(|_| !self.shared.stop.is_thrown()) {
            let text = format!("the drain (--drain) ended too early{NOT_EXECUTED}");
            self.fail_run(index, None, text, Cause::Server);
        }
        unanswered
    }

    pub(super) fn take_settled(&mut self, index: u32, reply: &Reply) {
        if let Reply::Error(error) = reply {
            return self.fail_settling(index, Some(error.code), error.to_string(), Cause::Server);
        }
        self.connections[index as usize].activity = Activity::Free;
        self.in_flight -= 1;
    }

    /// Fails the run: events count as completed, but their effects are missing.
    pub(super) fn fail_settling(
        &mut self,
        index: u32,
        code: Option<u16>,
        message: String,
        cause: Cause,
    ) {
        self.connections[index as usize].activity = Activity::Free;
        self.in_flight -= 1;
        self.fail_run(index, code, format!("{message}{NOT_EXECUTED}"), cause);
    }
}
