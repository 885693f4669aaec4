//! Distinguishes a slow server from a lost network path while no reply comes.
//!
//! Nothing here is called while replies come quickly. A worker without a reply for a second asks the kernel about some of
//! the connections that wait for one; a stalled or stopped server still has a kernel that acknowledges. Once
//! a second it looks at each silent connection, and gives up those whose statement has had no answer for too long.

use super::error_recovery::LOST;
use super::{Worker, WorkerConnection};
use crate::observe::Level;
use crate::outage::OutageLog;

/// Time without any reply after which the path is checked.
const SILENT_NS: u64 = 1_000_000_000;

/// Time between two checks.
const BETWEEN_LOOKS_NS: u64 = 500_000_000;

impl Worker {
    /// Handles a wait that ended without input.
    #[inline]
    pub(super) fn wait_on(&mut self, now_ns: u64) {
        if now_ns >= self.look_at_ns && self.in_flight > 0 {
            self.look_at_ns = now_ns + BETWEEN_LOOKS_NS;
            self.look_at_silent(now_ns, false);
            self.look_at_paths(now_ns);
        }
    }

    /// Notes that the path is lost, if the kernel says so for most of the connections checked.
    #[cold]
    pub(super) fn look_at_paths(&mut self, now_ns: u64) {
        let since_ns = self.recorder.silences.last_reply_ns();
        let is_after_the_end = self.ended_ns > 0 && since_ns >= self.ended_ns;
        if now_ns < since_ns + SILENT_NS || is_after_the_end || self.recorder.outages.is_path_lost()
        {
            return;
        }
        let connections = self.connections.iter_mut();
        let waiting = connections.filter_map(WorkerConnection::awaiting);
        let outages = &mut self.recorder.outages;
        let peer = &self.shared.peer;
        let lost = outages.check_path(waiting, |it| it.check_path(), peer, since_ns, now_ns);
        if let Some(text) = lost {
            self.recorder.remark(Level::Warning, text);
        }
    }

    /// Lets a silent server read nothing without its path counting as lost. If asked, gives up the connections whose
    /// statement has had no byte of an answer for too long.
    #[cold]
    pub(super) fn look_at_silent(&mut self, now_ns: u64, ends_unanswered: bool) {
        let limit = self.shared.answer_timeout.filter(|_| ends_unanswered);
        for index in 0..self.connections.len() {
            let connection = &mut self.connections[index];
            let since_ns = connection.sent_ns.max(connection.heard_ns);
            let silent_ns = now_ns.saturating_sub(since_ns);
            let Some(channel) = connection.awaiting().filter(|_| silent_ns >= SILENT_NS) else {
                continue;
            };
            channel.allow_zero_window();
            if let Some(limit) = limit.filter(|limit| u128::from(silent_ns) >= limit.as_nanos()) {
                let error = channel.no_answer(limit);
                self.lose(index as u32, &error, LOST, now_ns);
            }
        }
    }
}

/// Returns since when a request was out or due, the last reply at the earliest; `now_ns` if none was. While a connection
/// was lost, a request may have been due that had none.
#[cold]
pub(super) fn asked_since(
    connections: &[WorkerConnection],
    outages: &OutageLog,
    last_reply_ns: u64,
    now_ns: u64,
) -> u64 {
    let mut all = connections.iter();
    if outages.has_changed_since(last_reply_ns) || all.any(|connection| !connection.is_open()) {
        return last_reply_ns;
    }
    let under_way = connections
        .iter()
        .filter(|connection| connection.has_event());
    let due_ns = under_way.map(|connection| connection.due_ns).min();
    due_ns.unwrap_or(now_ns).max(last_reply_ns)
}
