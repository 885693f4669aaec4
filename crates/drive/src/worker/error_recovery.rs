//! Handles events that fail: errors of the server, lost connections, timeouts.

use super::reconnector::{Reconnector, watch_wakeup};
use super::{Activity, WAKEUP_TOKEN, Worker};
use crate::observe::Level;
use crate::pacing::Pace;
use crate::stop::Failure;
use crate::{Cause, DriveError, Fault};
use dbdyno_meter::clock;
use dbdyno_wire::{Reply, ServerError, WireError};
use std::io;

/// The client library's codes for a connection that was gone at a write, and for one
/// that broke while an answer was awaited.
pub(super) const GONE_AWAY: u16 = 2006;
pub(crate) const LOST: u16 = 2013;
/// Codes of a statement that had no reply because its connection was lost.
pub const LOST_CONNECTION_CODES: [u16; 2] = [GONE_AWAY, LOST];
/// The client library's code for an answer that does not follow the protocol.
pub const MALFORMED_PACKET: u16 = 2027;
/// Its code for an answer that takes more memory than there is: here, than a limit allows.
pub const ANSWER_TOO_LARGE: u16 = 2008;
/// Codes of statements that may have had no whole reply, so that they have no time.
pub const UNTIMED_CODES: [u16; 4] = [GONE_AWAY, LOST, MALFORMED_PACKET, ANSWER_TOO_LARGE];

impl Worker {
    /// Handles an OK packet that answered a SELECT, as if tables had no rows and no columns: no such event was done.
    #[cold]
    pub(super) fn refuse_without_rows(&mut self, index: u32, now_ns: u64) {
        let what = "it answered a SELECT with an OK packet, without a result set".to_owned();
        let error = WireError::Protocol(what);
        self.count_statement_error(index, MALFORMED_PACKET);
        self.count_first_attempt(index, now_ns);
        self.fail_event(index);
        let message = format!("{error} (at {})", self.shared.peer);
        self.fail_run(index, Some(MALFORMED_PACKET), message, Cause::of(&error));
    }

    /// Handles an error that answered the statement of an event: repeats it, gives it up, or ends the run.
    pub(super) fn take_error(&mut self, index: u32, error: &ServerError, now_ns: u64) {
        if error.ends_connection() && self.shared.policy.ignores(LOST) {
            return self.lose(index, &WireError::Server(error.clone()), LOST, now_ns);
        }
        self.recorder.outages.hear(false, now_ns);
        self.count_first_attempt(index, now_ns);
        if !self.shared.policy.repeats_after(error) {
            self.fail_event(index);
            return self.fail_run(index, Some(error.code), error.to_string(), Cause::Server);
        }
        let repeat = self.count_repeat(index, error.code, &error.message);
        if self.shared.policy.rollback_first {
            self.roll_back(index, repeat, now_ns);
        } else {
            self.resume(index, repeat, now_ns);
        }
    }

    /// Counts an attempt at the event that ended in an error.
    fn count_first_attempt(&mut self, index: u32, now_ns: u64) {
        let connection = &self.connections[index as usize];
        if connection.attempts == 1 {
            self.recorder.page.transactions[usize::from(connection.transaction)]
                .first_attempt
                .record(now_ns.saturating_sub(connection.begun_ns));
        }
    }

    /// Counts the error of the event, and returns whether the event has a repeat left.
    fn count_repeat(&mut self, index: u32, code: u16, message: &str) -> bool {
        let statement = self.statement_name(index);
        let limit = self.shared.policy.retry_limit;
        let attempts = self.connections[index as usize].attempts;
        let repeat = limit.is_none_or(|limit| attempts <= limit);
        let next = if repeat {
            "repeated"
        } else {
            "the event given up"
        };
        let text = format!("error {code} on {statement}: {message}; counted and {next}");
        self.report_once(code, Level::Info, text);
        let connection = &mut self.connections[index as usize];
        if repeat {
            let counts = &mut self.recorder.page.transactions[usize::from(connection.transaction)];
            counts.retries.add(code);
            connection.attempts = connection.attempts.saturating_add(1);
        }
        repeat
    }

    fn roll_back(&mut self, index: u32, repeat: bool, now_ns: u64) {
        let connection = &mut self.connections[index as usize];
        if let Some(lanes) = &mut connection.lanes {
            connection.activity = Activity::Rollback { repeat };
            let channel = lanes.lane(connection.lane);
            channel.queue_query(b"ROLLBACK");
            self.flush(index, now_ns);
        }
    }

    pub(super) fn take_rollback_reply(
        &mut self,
        index: u32,
        repeat: bool,
        reply: &Reply,
        now_ns: u64,
    ) {
        if let Reply::Error(error) = reply {
            if error.ends_connection() && self.shared.policy.ignores(LOST) {
                return self.lose(index, &WireError::Server(error.clone()), LOST, now_ns);
            }
            self.fail_event(index);
            return self.fail_run(
                index,
                Some(error.code),
                format!("ROLLBACK: {error}"),
                Cause::Server,
            );
        }
        self.recorder.classify(reply);
        self.resume(index, repeat, now_ns);
    }

    /// Goes on after an error, with a repeat or with the next event.
    fn resume(&mut self, index: u32, repeat: bool, now_ns: u64) {
        if !repeat {
            self.fail_event(index);
            self.connections[index as usize].free_since_ns = now_ns;
            return self.offer(index, now_ns);
        }
        let connection = &mut self.connections[index as usize];
        match self.pauses.draw_ns(connection.attempts) {
            0 => self.repeat_event(index, now_ns),
            pause_ns => {
                connection.activity = Activity::Pause;
                self.timers.set(index, now_ns.saturating_add(pause_ns));
            }
        }
    }

    /// Begins the next attempt at an event.
    pub(super) fn repeat_event(&mut self, index: u32, now_ns: u64) {
        let connection = &mut self.connections[index as usize];
        connection.transaction = connection.user.repeat_event(self.shared.policy.draws);
        connection.activity = Activity::Statement;
        self.advance(index, None, now_ns);
    }

    /// Counts an event that was given up. Its user rests as after any other.
    fn fail_event(&mut self, index: u32) {
        let connection = &mut self.connections[index as usize];
        connection.activity = Activity::Free;
        connection.rest_ns = connection.user.give_up_event();
        self.recorder.page.transactions[usize::from(connection.transaction)].failed += 1;
        self.recorder.totals.failed += 1;
        self.in_flight -= 1;
    }

    /// Handles a lost connection. If that may be ignored it is opened again, and the event repeated.
    ///
    /// `lost_code` is the code of connections that end where this one was; a connection that is given up for its answer
    /// is reported by that.
    pub(super) fn lose(&mut self, index: u32, error: &WireError, lost_code: u16, now_ns: u64) {
        let code = match error {
            WireError::Protocol(_) => MALFORMED_PACKET,
            WireError::Excess { .. } => ANSWER_TOO_LARGE,
            _ => lost_code,
        };
        if self.connections[index as usize].activity == Activity::SettlingUp {
            return self.fail_settling(index, Some(code), lost_text(error), Cause::of(error));
        }
        let connection = &self.connections[index as usize];
        let (had_event, activity) = (connection.has_event(), connection.activity);
        self.unplug(index, had_event);
        self.recorder.outages.lose(now_ns, Cause::of(error));
        if activity == Activity::Statement {
            if !matches!(error, WireError::Server(_)) {
                self.count_statement_error(index, code); // the server's own was counted as its reply came
            }
            self.count_first_attempt(index, now_ns);
        }
        if !error.is_connection_lost() || !self.shared.policy.ignores(lost_code) {
            if had_event {
                self.fail_event(index);
            }
            return self.fail_run(index, Some(code), lost_text(error), Cause::of(error));
        }
        let code = match error {
            WireError::Server(server) => server.code,
            _ => code,
        };
        let text = format!("{}; connecting again", lost_text(error));
        self.report_once(code, Level::Warning, text);
        let repeat = match activity {
            Activity::Statement => self.count_repeat(index, code, &lost_text(error)),
            // The attempt had ended by an error of its own, which was counted.
            Activity::Rollback { repeat } => repeat,
            Activity::Pause => true,
            Activity::Free | Activity::SettlingUp | Activity::Down { .. } => false,
        };
        if had_event && !repeat {
            self.fail_event(index);
        }
        self.connections[index as usize].activity = Activity::Down { event: repeat };
        self.connections[index as usize].free_since_ns = now_ns;
        self.reconnect(index);
    }

    fn unplug(&mut self, index: u32, had_event: bool) {
        let connection = &mut self.connections[index as usize];
        let (sent, received) = connection.take_bytes();
        self.recorder.stray_bytes.0 += sent;
        self.recorder.stray_bytes.1 += received;
        connection.lanes = None; // closing them removes them from the epoll set
        connection.is_resting = self.timers.cancel(index) && !had_event;
        if !had_event {
            self.pace.forget(index);
        }
    }

    fn count_statement_error(&mut self, index: u32, code: u16) {
        let connection = &self.connections[index as usize];
        if connection.activity == Activity::Statement {
            let kind = self.shared.statement_meta[usize::from(connection.statement)].kind;
            self.recorder.page.statements[usize::from(kind)]
                .errors
                .add(code);
        }
    }

    /// Requests that a connection be opened again.
    pub(super) fn reconnect(&mut self, index: u32) {
        if self.reconnector.is_none() {
            match self.start_reconnector() {
                Ok(reconnector) => self.reconnector = Some(reconnector),
                Err(error) => return self.shared.failure.put(error.as_failure()),
            }
        }
        if let Some(reconnector) = &self.reconnector {
            reconnector.reconnect(index);
        }
    }

    fn start_reconnector(&self) -> Result<Reconnector, DriveError> {
        let shared = &self.shared;
        let reconnector = Reconnector::start(&shared.opener, &shared.stop, &shared.failure)?;
        watch_wakeup(&reconnector, |wakeup| {
            self.poller.watch(wakeup, WAKEUP_TOKEN)
        })?;
        Ok(reconnector)
    }

    /// Uses connections that were opened again.
    pub(super) fn take_reconnected(&mut self) {
        if let Some(reconnector) = &self.reconnector {
            reconnector.reset_wakeup();
        }
        while let Some((index, result)) = self.reconnector.as_ref().and_then(Reconnector::next) {
            match result {
                Ok(opened) => {
                    self.connections[index as usize].plug(opened);
                    self.put_back_to_work(index);
                }
                Err(error) => self.shared.failure.put(error.as_failure()),
            }
        }
    }

    fn put_back_to_work(&mut self, index: u32) {
        let now_ns = clock::monotonic_ns();
        self.keep_time(now_ns);
        let connection = &mut self.connections[index as usize];
        let has_event = connection.has_event();
        connection.activity = Activity::Free;
        connection.free_since_ns = now_ns;
        let watched = connection.lanes.as_ref().map_or(Ok(()), |lanes| {
            lanes
                .iter()
                .try_for_each(|channel| self.poller.watch(channel, index))
        });
        if let Err(error) = watched {
            return self.fail_by_system("watching a connection", &error);
        }
        self.connections[index as usize].was_reopened = true;
        self.recorder.outages.reopen(now_ns);
        self.recorder.page.tally.reconnects += 1;
        if has_event {
            self.resume(index, true, now_ns);
        } else if self.is_running() {
            self.go_on_resting(index, now_ns);
        }
    }

    /// Lets a rest of the workload's own go on that was under way when the connection was lost. It may be over by now:
    /// its event was due then.
    fn go_on_resting(&mut self, index: u32, now_ns: u64) {
        let connection = &mut self.connections[index as usize];
        let was_resting = std::mem::take(&mut connection.is_resting);
        let is_own = matches!(self.pace, Pace::Closed) && !connection.is_self_paced;
        match was_resting && is_own {
            true => self.timers.set(index, connection.due_ns),
            false => self.offer(index, now_ns),
        }
    }

    /// Handles an unrequested reply: a server sends one only when it closes (shutdown, idle timeout).
    pub(super) fn take_unasked_reply(&mut self, index: u32, reply: &Reply, now_ns: u64) {
        let text = match reply {
            Reply::Error(error) if self.shared.policy.ignores(LOST) => {
                return self.lose(index, &WireError::Server(error.clone()), LOST, now_ns);
            }
            Reply::Error(error) => error.to_string(),
            other => format!("the server sent an unexpected answer: {other:?}"),
        };
        self.fail_run(index, None, text, Cause::Server);
    }

    /// Reports an error once; its counts are in every second.
    fn report_once(&mut self, code: u16, level: Level, text: String) {
        if !self.reported_codes.contains(&code) {
            self.reported_codes.push(code);
            self.recorder.remark(level, text);
        }
    }

    fn statement_name(&self, index: u32) -> &'static str {
        let statement = self.connections[index as usize].statement;
        let kind = self.shared.statement_meta[usize::from(statement)].kind;
        self.shared.workload.spec().statement_types[usize::from(kind)]
    }

    pub(super) fn fail_run(
        &mut self,
        index: u32,
        code: Option<u16>,
        message: String,
        cause: Cause,
    ) {
        self.shared.failure.put(Failure {
            code,
            statement: Some(self.statement_name(index).to_owned()),
            message,
            fault: Fault::World,
            cause,
        });
    }

    pub(super) fn fail_by_system(&mut self, doing: &'static str, error: &io::Error) {
        self.shared.failure.put(Failure {
            code: None,
            statement: None,
            message: format!("{doing}: {error}"),
            fault: Fault::World,
            cause: Cause::Client,
        });
    }
}

fn lost_text(error: &WireError) -> String {
    format!("lost connection to the server: {error}")
}
