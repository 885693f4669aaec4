//! Drives events that succeed: start, statement, reply, next statement, end.

use super::path::asked_since;
use super::{Activity, StatementMeta, Worker, WorkerStage};
use crate::login::AS_TEXT;
use crate::pacing::{Due, FreeAction, Pace};
use dbdyno_meter::clock;
use dbdyno_wire::{Flush, Reply};
use dbdyno_workload::{NextAction, Readiness, Response};

impl Worker {
    /// Asks the pacing what a free connection does now.
    pub(super) fn offer(&mut self, index: u32, now_ns: u64) {
        match self.turn(index, now_ns) {
            FreeAction::Start(due) => self.start_event(index, due, now_ns),
            FreeAction::Rest { until_ns } => self.timers.set(index, until_ns),
            FreeAction::Wait => {}
        }
    }

    /// Decides what a free connection does. In a closed loop the workload may have its user rest (TPC-C's thinking and
    /// keying); otherwise the pacing alone determines when events are due.
    #[inline]
    fn turn(&mut self, index: u32, now_ns: u64) -> FreeAction {
        let connection = &mut self.connections[index as usize];
        if connection.is_self_paced {
            return self.poll_ready(index, now_ns);
        }
        let rest_ns = std::mem::take(&mut connection.rest_ns);
        if rest_ns > 0 && matches!(self.pace, Pace::Closed) {
            let until_ns = now_ns.saturating_add(rest_ns);
            connection.due_ns = until_ns;
            return FreeAction::Rest { until_ns };
        }
        self.pace.on_free(index, now_ns)
    }

    /// Asks the user itself whether its next event begins.
    fn poll_ready(&mut self, index: u32, now_ns: u64) -> FreeAction {
        let start_ns = self.shared.grid.start_ns;
        let connection = &mut self.connections[index as usize];
        let elapsed_ns = now_ns.saturating_sub(start_ns);
        match connection.user.poll_ready(elapsed_ns) {
            Readiness::Ready => self.pace.on_free(index, now_ns),
            Readiness::RestUntil(elapsed_ns) => FreeAction::Rest {
                until_ns: start_ns.saturating_add(elapsed_ns).max(now_ns + 1),
            },
            Readiness::Retired => {
                let was_retired = std::mem::replace(&mut connection.is_retired, true);
                self.retired += usize::from(!was_retired);
                FreeAction::Wait
            }
        }
    }

    /// Returns the event that is due after a rest.
    fn due_after_rest(&mut self, index: u32) -> Option<Due> {
        match self.pace {
            Pace::Closed => Some(Due {
                at_ns: self.connections[index as usize].due_ns,
                wanted: None,
            }),
            _ => self.pace.on_rested(index),
        }
    }

    /// Handles the instant that a connection waited for.
    pub(super) fn on_timer(&mut self, index: u32, now_ns: u64) {
        match self.connections[index as usize].activity {
            Activity::Free if self.connections[index as usize].is_self_paced => {
                self.offer(index, now_ns);
            }
            Activity::Free => {
                if let Some(due) = self.due_after_rest(index) {
                    self.start_due_event(index, due, now_ns);
                }
            }
            Activity::Pause => self.repeat_event(index, now_ns),
            // A timer is cancelled when its connection is lost, and no other activity waits for one.
            Activity::Statement
            | Activity::Rollback { .. }
            | Activity::SettlingUp
            | Activity::Down { .. } => {}
        }
    }

    /// Starts an event that is due.
    pub(super) fn start_event(&mut self, index: u32, due: Due, now_ns: u64) {
        if self.enter_event(index, due, now_ns) {
            self.advance(index, None, now_ns);
        }
    }

    /// Takes an event from the quota; returns false if it is used up.
    fn enter_event(&mut self, index: u32, due: Due, now_ns: u64) -> bool {
        if !self.shared.can_start() {
            self.pace = Pace::Over; // events after the quota were not requested
            return false;
        }
        let connection = &mut self.connections[index as usize];
        connection.transaction = connection.user.start_event(due.wanted);
        connection.activity = Activity::Statement;
        connection.attempts = 1;
        connection.due_ns = due.at_ns;
        connection.begun_ns = now_ns;
        self.recorder.page.transactions[usize::from(connection.transaction)].started += 1;
        self.recorder.totals.started += 1;
        self.in_flight += 1;
        true
    }

    /// Asks the user for the next statement and sends it. Goes on with the next event when one is complete.
    pub(super) fn advance(&mut self, index: u32, mut reply: Option<&Reply>, mut now_ns: u64) {
        let mut sent_something = reply.is_some();
        loop {
            let connection = &mut self.connections[index as usize];
            let answer = reply.take().map(|reply| Response {
                reply,
                rows: &mut connection.rows,
            });
            match connection.user.next(answer, &mut self.call) {
                NextAction::Send => return self.send(index, now_ns),
                NextAction::Done => self.complete(index, now_ns, false),
                NextAction::RolledBack => self.complete(index, now_ns, true),
            }
            if !sent_something {
                // An event without a statement takes no time that a reply would show.
                now_ns = clock::monotonic_ns();
                self.keep_time(now_ns);
            }
            sent_something = false;
            match self.turn(index, now_ns) {
                FreeAction::Start(due) if self.enter_event(index, due, now_ns) => {}
                FreeAction::Rest { until_ns } => return self.timers.set(index, until_ns),
                FreeAction::Start(_) | FreeAction::Wait => return,
            }
        }
    }

    pub(super) fn send(&mut self, index: u32, now_ns: u64) {
        let connection = &mut self.connections[index as usize];
        let Some(lanes) = &mut connection.lanes else {
            return; // a lost connection sends nothing before it is open again
        };
        let place = usize::from(self.call.statement);
        let way = self.shared.statement_meta[place];
        connection.statement = self.call.statement;
        connection.lane = way.lane;
        connection.sent_ns = now_ns;
        if way.keeps_rows {
            connection.rows.expect(connection.ids[place] != AS_TEXT);
        }
        let channel = lanes.lane(way.lane);
        match connection.ids[place] {
            AS_TEXT if way.is_written => channel.queue_query(&self.call.text),
            AS_TEXT => channel.queue_text(&self.shared.texts[place], &self.call.parameters),
            id => channel.queue_execute(id, &self.call.parameters),
        }
        self.flush(index, now_ns);
    }

    /// Writes the queue; if the socket is full, the rest is sent when it can be written again.
    pub(super) fn flush(&mut self, index: u32, now_ns: u64) {
        let connection = &mut self.connections[index as usize];
        let Some(lanes) = &mut connection.lanes else {
            return;
        };
        match lanes.lane(connection.lane).flush() {
            Ok(Flush::Complete) => {}
            Ok(Flush::WouldBlock) => self.watch_for_room(index, true),
            Err(error) => self.lose(index, &error, super::error_recovery::GONE_AWAY, now_ns),
        }
    }

    /// Continues to write when the socket has room again.
    pub(super) fn write_on(&mut self, index: u32) {
        let connection = &mut self.connections[index as usize];
        let Some(lanes) = &mut connection.lanes else {
            return;
        };
        match lanes.lane(connection.lane).flush() {
            Ok(Flush::Complete) => self.watch_for_room(index, false),
            Ok(Flush::WouldBlock) => {}
            Err(error) => self.lose(
                index,
                &error,
                super::error_recovery::GONE_AWAY,
                clock::monotonic_ns(),
            ),
        }
    }

    fn watch_for_room(&mut self, index: u32, write: bool) {
        let connection = &mut self.connections[index as usize];
        let Some(lanes) = &mut connection.lanes else {
            return;
        };
        let channel = lanes.lane(connection.lane);
        if let Err(error) = self.poller.rewatch(&*channel, index, write) {
            self.fail_by_system("watching a connection", &error);
        }
    }

    /// Reads the input of a connection.
    pub(super) fn read(&mut self, index: u32) {
        let connection = &mut self.connections[index as usize];
        let Some(lanes) = &mut connection.lanes else {
            return;
        };
        let channel = lanes.lane(connection.lane);
        let keeps_rows = self.shared.statement_meta[usize::from(connection.statement)].keeps_rows;
        let received = match keeps_rows {
            true => channel.receive_into(&mut self.read_buffer, &mut connection.rows),
            false => channel.receive(&mut self.read_buffer),
        };
        match received {
            Ok(None) => self.read_other_lane(index),
            Ok(Some(reply)) => self.take_reply(index, &reply),
            Err(error) => self.lose(
                index,
                &error,
                super::error_recovery::LOST,
                clock::monotonic_ns(),
            ),
        }
    }

    /// Reads the user's other connection, which may be the readable one: its server closes it, since nothing was asked.
    #[inline]
    fn read_other_lane(&mut self, index: u32) {
        let connection = &mut self.connections[index as usize];
        let other = connection
            .lanes
            .as_mut()
            .and_then(|lanes| lanes.other(connection.lane));
        let Some(channel) = other else {
            return;
        };
        match channel.receive(&mut self.read_buffer) {
            Ok(None) => {}
            Ok(Some(reply)) => self.take_unasked_reply(index, &reply, clock::monotonic_ns()),
            Err(error) => self.lose(
                index,
                &error,
                super::error_recovery::LOST,
                clock::monotonic_ns(),
            ),
        }
    }

    fn take_reply(&mut self, index: u32, reply: &Reply) {
        // The one clock read of a statement: its end, and the start of the next.
        let now_ns = clock::monotonic_ns();
        if now_ns >= self.recorder.boundary_ns {
            self.finish_seconds(now_ns);
        }
        let (connections, outages) = (&self.connections, &self.recorder.outages);
        self.recorder
            .silences
            .record_reply(now_ns, |last_reply_ns| {
                asked_since(connections, outages, last_reply_ns, now_ns)
            });
        match self.connections[index as usize].activity {
            Activity::Statement => self.take_statement_reply(index, reply, now_ns),
            Activity::Rollback { repeat } => self.take_rollback_reply(index, repeat, reply, now_ns),
            Activity::SettlingUp => self.take_settled(index, reply),
            Activity::Free | Activity::Pause | Activity::Down { .. } => {
                self.take_unasked_reply(index, reply, now_ns)
            }
        }
    }

    fn take_statement_reply(&mut self, index: u32, reply: &Reply, now_ns: u64) {
        let connection = &self.connections[index as usize];
        let StatementMeta {
            kind, returns_rows, ..
        } = self.shared.statement_meta[usize::from(connection.statement)];
        let counts = &mut self.recorder.page.statements[usize::from(kind)];
        counts
            .service
            .record(now_ns.saturating_sub(connection.sent_ns));
        if let Reply::Error(error) = reply {
            counts.errors.add(error.code);
            return self.take_error(index, error, now_ns);
        }
        if returns_rows && !matches!(reply, Reply::Rows(_)) {
            return self.refuse_without_rows(index, now_ns);
        }
        counts.completed += 1;
        self.recorder.outages.hear(connection.was_reopened, now_ns);
        self.recorder.classify(reply);
        self.advance(index, Some(reply), now_ns);
    }

    /// Counts an event that succeeded.
    fn complete(&mut self, index: u32, now_ns: u64, rolled_back: bool) {
        let connection = &mut self.connections[index as usize];
        connection.rest_ns = connection.user.finish_event();
        connection.activity = Activity::Free;
        connection.free_since_ns = now_ns;
        let counts = &mut self.recorder.page.transactions[usize::from(connection.transaction)];
        let response_ns = now_ns.saturating_sub(connection.due_ns);
        let service_ns = now_ns.saturating_sub(connection.begun_ns);
        counts.complete(response_ns, service_ns, connection.attempts);
        counts.rolled_back += u64::from(rolled_back);
        self.recorder.totals.completed += 1;
        self.in_flight -= 1;
    }

    pub(super) fn is_running(&self) -> bool {
        self.stage == WorkerStage::Running
    }
}
