//! Events that go well: start, statement, reply, next statement, end.

use super::{Activity, Stage, Worker};
use crate::login::AS_TEXT;
use crate::pacing::{Due, Pace, Turn};
use dbdyno_meter::clock;
use dbdyno_wire::{Flush, Reply};
use dbdyno_workload::Step;

impl Worker {
    /// Lets the pacing decide what a free connection does now.
    pub(super) fn offer(&mut self, index: u32, now_ns: u64) {
        match self.pace.on_free(index, now_ns) {
            Turn::Start(due) => self.start_event(index, due, now_ns),
            Turn::Rest { until_ns } => self.timers.set(index, until_ns),
            Turn::Wait => {}
        }
    }

    /// The instant has come that a connection waited for.
    pub(super) fn on_timer(&mut self, index: u32, now_ns: u64) {
        match self.connections[index as usize].activity {
            Activity::Free => {
                if let Some(due) = self.pace.on_rested(index) {
                    self.start_due_event(index, due, now_ns);
                }
            }
            Activity::Pause => self.repeat_event(index, now_ns),
            // A timer is cancelled when its connection is lost, and no other activity waits for one.
            Activity::Statement | Activity::Rollback { .. } | Activity::Down { .. } => {}
        }
    }

    /// Starts an event that is due.
    pub(super) fn start_event(&mut self, index: u32, due: Due, now_ns: u64) {
        if self.enter_event(index, due, now_ns) {
            self.advance(index, None, now_ns);
        }
    }

    /// False when the quota of events is used up.
    fn enter_event(&mut self, index: u32, due: Due, now_ns: u64) -> bool {
        if !self.shared.may_start() {
            self.pace = Pace::Over; // what is due after the last event of the quota was not asked for
            return false;
        }
        let connection = &mut self.connections[index as usize];
        connection.transaction = connection.user.start_event(due.wanted);
        connection.activity = Activity::Statement;
        connection.attempts = 1;
        connection.due_ns = due.at_ns;
        connection.begun_ns = now_ns;
        self.book.page.transactions[usize::from(connection.transaction)].started += 1;
        self.book.totals.started += 1;
        self.in_flight += 1;
        true
    }

    /// Asks the user what comes next and sends it. Goes on with the next event when one is complete.
    pub(super) fn advance(&mut self, index: u32, mut reply: Option<&Reply>, mut now_ns: u64) {
        let mut sent_something = reply.is_some();
        loop {
            let connection = &mut self.connections[index as usize];
            match connection.user.next(reply.take(), &mut self.call) {
                Step::Send => return self.send(index, now_ns),
                Step::Done => self.complete(index, now_ns),
            }
            if !sent_something {
                // An event without a statement takes no time that a reply would tell.
                now_ns = clock::monotonic_ns();
                self.keep_time(now_ns);
            }
            sent_something = false;
            match self.pace.on_free(index, now_ns) {
                Turn::Start(due) if self.enter_event(index, due, now_ns) => {}
                Turn::Rest { until_ns } => return self.timers.set(index, until_ns),
                Turn::Start(_) | Turn::Wait => return,
            }
        }
    }

    fn send(&mut self, index: u32, now_ns: u64) {
        let connection = &mut self.connections[index as usize];
        let Some(channel) = &mut connection.channel else {
            return; // a lost connection sends nothing before it is open again
        };
        let place = usize::from(self.call.statement);
        connection.statement = self.call.statement;
        connection.sent_ns = now_ns;
        match connection.ids[place] {
            AS_TEXT => channel.queue_text(&self.shared.texts[place], &self.call.parameters),
            id => channel.queue_execute(id, &self.call.parameters),
        }
        self.flush(index, now_ns);
    }

    /// Writes what is queued; if the socket is full, the rest leaves when it can be written again.
    pub(super) fn flush(&mut self, index: u32, now_ns: u64) {
        let Some(channel) = &mut self.connections[index as usize].channel else {
            return;
        };
        match channel.flush() {
            Ok(Flush::Complete) => {}
            Ok(Flush::WouldBlock) => self.watch_for_room(index, true),
            Err(error) => self.lose(index, &error, super::trouble::GONE_AWAY, now_ns),
        }
    }

    /// The socket has room again.
    pub(super) fn write_on(&mut self, index: u32) {
        let Some(channel) = &mut self.connections[index as usize].channel else {
            return;
        };
        match channel.flush() {
            Ok(Flush::Complete) => self.watch_for_room(index, false),
            Ok(Flush::WouldBlock) => {}
            Err(error) => self.lose(
                index,
                &error,
                super::trouble::GONE_AWAY,
                clock::monotonic_ns(),
            ),
        }
    }

    fn watch_for_room(&mut self, index: u32, write: bool) {
        let Some(channel) = &self.connections[index as usize].channel else {
            return;
        };
        if let Err(error) = self.poller.rewatch(channel, index, write) {
            self.fail_by_system("watching a connection", &error);
        }
    }

    /// Takes what has come for a connection.
    pub(super) fn read(&mut self, index: u32) {
        let Some(channel) = &mut self.connections[index as usize].channel else {
            return;
        };
        match channel.receive(&mut self.read_buffer) {
            Ok(None) => {}
            Ok(Some(reply)) => self.take_reply(index, &reply),
            Err(error) => self.lose(index, &error, super::trouble::LOST, clock::monotonic_ns()),
        }
    }

    fn take_reply(&mut self, index: u32, reply: &Reply) {
        // The one clock read of a statement: its end, and the start of the next.
        let now_ns = clock::monotonic_ns();
        if now_ns >= self.book.boundary_ns {
            self.turn_pages(now_ns);
        }
        self.book.silences.hear(now_ns);
        match self.connections[index as usize].activity {
            Activity::Statement => self.take_statement_reply(index, reply, now_ns),
            Activity::Rollback { repeat } => self.take_rollback_reply(index, repeat, reply, now_ns),
            Activity::Free | Activity::Pause | Activity::Down { .. } => {
                self.take_unasked_reply(index, reply, now_ns)
            }
        }
    }

    fn take_statement_reply(&mut self, index: u32, reply: &Reply, now_ns: u64) {
        let connection = &self.connections[index as usize];
        let kind = self.shared.statement_types[usize::from(connection.statement)];
        let counts = &mut self.book.page.statements[usize::from(kind)];
        counts
            .service
            .record(now_ns.saturating_sub(connection.sent_ns));
        if let Reply::Error(error) = reply {
            counts.errors.add(error.code);
            return self.take_error(index, error, now_ns);
        }
        counts.completed += 1;
        self.book.outages.hear(connection.was_reopened, now_ns);
        self.book.classify(reply);
        self.advance(index, Some(reply), now_ns);
    }

    /// Counts an event that ended well.
    fn complete(&mut self, index: u32, now_ns: u64) {
        let connection = &mut self.connections[index as usize];
        connection.user.finish_event();
        connection.activity = Activity::Free;
        connection.free_since_ns = now_ns;
        let counts = &mut self.book.page.transactions[usize::from(connection.transaction)];
        let response_ns = now_ns.saturating_sub(connection.due_ns);
        let service_ns = now_ns.saturating_sub(connection.begun_ns);
        counts.complete(response_ns, service_ns, connection.attempts);
        self.book.totals.completed += 1;
        self.in_flight -= 1;
    }

    pub(super) fn is_running(&self) -> bool {
        self.stage == Stage::Running
    }
}
