//! Sends, after the last event, the statements that users still owe for completed events.

use super::{Activity, Worker};
use crate::Cause;
use dbdyno_wire::Reply;

impl Worker {
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
        let text = format!("{message} (what events that were counted had left to be sent)");
        self.fail_run(index, code, text, cause);
    }
}
