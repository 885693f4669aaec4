//! Handles calls that fail: what is counted, logged and kept, and whether the event is repeated.

use super::call_result::CallResult;
use super::client_error::{ClientError, SERVER_GONE, SERVER_LOST};
use super::connection::Connection;
use super::link::{Link, LinkError, Loss};
use super::{ErrorKind, login};
use crate::Level;
use crate::figures::Counter;
use dbdyno_fiber::{monotonic_ns, sleep_until};
use dbdyno_wire::ServerError;

/// Lost connections, by the client library's numbers: after these, if they are to be ignored, a new one is made.
const CONNECTION_ERRORS: [u16; 4] = [SERVER_GONE, 2011, SERVER_LOST, 2055];

/// Between attempts to connect again.
const RETRY_NS: u64 = 1_000_000;

/// How long after the end of a run a server is still waited for.
const RECONNECT_TIMEOUT_NS: u64 = 30_000_000_000;

/// Messages are cut at this length, as sysbench cuts them; a bulk INSERT has half a megabyte.
const MESSAGE_BYTES: usize = 4095;

impl Connection {
    /// Counts, reports and keeps the failure of a call. Without `sql` the report names no query: sysbench names the one
    /// that it sent, and none while it takes results.
    #[cold]
    pub(super) fn fail(
        &mut self,
        doing: &str,
        sql: Option<&[u8]>,
        complaint: &ClientError,
    ) -> CallResult {
        let ClientError {
            code,
            state,
            message,
            ..
        } = complaint;
        self.engine.figures.count_code(&self.actor, *code);
        self.error.set(*code, *state, message);
        self.error.kind = if self.connects_again_after(*code) {
            self.count(Counter::Reconnect);
            match self.mend() {
                true => ErrorKind::Ignorable,
                false => ErrorKind::Fatal,
            }
        } else if self.engine.settings.database.ignore.matches(*code) {
            self.count(Counter::Error);
            let text = format!("Ignoring error {code} {message}, ");
            self.engine.log.say(Level::Debug, &text);
            ErrorKind::Ignorable
        } else {
            self.count(Counter::Error);
            self.note_failure(*code);
            let query = sql.map_or_else(String::new, |sql| {
                let sql = String::from_utf8_lossy(&sql[..sql.len().min(MESSAGE_BYTES)]);
                format!(" for query '{sql}'")
            });
            let text = format!("{doing}() returned error {code} ({message}){query}");
            self.engine.log.fatal(cut(&text));
            ErrorKind::Fatal
        };
        CallResult::Failed
    }

    /// Handles an error that the server answered with.
    #[cold]
    pub(super) fn refused(
        &mut self,
        doing: &str,
        sql: Option<&[u8]>,
        error: &ServerError,
    ) -> CallResult {
        let complaint = if error.ends_connection() {
            self.let_go(error);
            self.farewell(error)
        } else {
            error.into()
        };
        self.fail(doing, sql, &complaint)
    }

    /// Handles a broken connection.
    #[cold]
    pub(super) fn lost(&mut self, doing: &str, sql: Option<&[u8]>, how: &LinkError) -> CallResult {
        let complaint = self.broken(how);
        self.fail(doing, sql, &complaint)
    }

    /// Gives the connection up, and says what a client library would say of its end. How it was lost stays known where
    /// it was given up before.
    pub(super) fn broken(&mut self, how: &LinkError) -> ClientError {
        if let Some(link) = self.link.take() {
            self.lost_by = link.into_loss();
            self.is_lost = true;
        }
        self.pending = None;
        match how {
            LinkError::Sending => ClientError::gone(self.dialect()),
            LinkError::Reading => ClientError::lost(self.dialect()),
            LinkError::Malformed => ClientError::malformed(self.dialect()),
            LinkError::Excess(limit) => ClientError::out_of_memory(limit),
        }
    }

    /// Drops the link, of no more use once the server took its leave.
    pub(super) fn let_go(&mut self, error: &ServerError) {
        if let Some(mut link) = self.link.take() {
            link.takes_leave(error);
            self.lost_by = link.into_loss();
            self.is_lost = true;
        }
    }

    /// Notes how the connection was lost that this error, which is not to be ignored, was met without.
    pub(super) fn note_failure(&mut self, code: u16) {
        if let Some(loss) = self.lost_by.take() {
            self.note_loss(code, &loss);
        }
    }

    fn note_loss(&self, code: u16, loss: &Loss) {
        self.engine
            .database
            .note_loss(&self.actor, loss.failure(code));
    }

    /// Maps the message with which the server closed the connection. Client libraries pass it on; but a user that
    /// ignores lost connections means these errors, too.
    pub(super) fn farewell(&self, error: &ServerError) -> ClientError {
        if self.connects_again_after(SERVER_LOST) {
            ClientError::lost(self.dialect())
        } else if self.connects_again_after(SERVER_GONE) {
            ClientError::gone(self.dialect())
        } else {
            error.into()
        }
    }

    /// Returns whether the user wants a new connection after this error.
    pub(super) fn connects_again_after(&self, code: u16) -> bool {
        CONNECTION_ERRORS.contains(&code) && self.engine.settings.database.ignore.matches(code)
    }

    /// Replaces a connection that was lost.
    pub(super) fn mend(&mut self) -> bool {
        self.open_again(true)
    }

    /// Connects again, and again, until it works or the run has failed or is long over. `is_lost`: the connection
    /// before was lost.
    pub(super) fn open_again(&mut self, is_lost: bool) -> bool {
        loop {
            self.unplug();
            match login::log_in(&self.engine, &self.place, is_lost) {
                Ok(link) => {
                    self.plug(link);
                    return true;
                }
                Err(complaint) if self.gives_up() => {
                    self.tell_unconnected(&complaint);
                    return false;
                }
                Err(_) => sleep_until(monotonic_ns() + RETRY_NS),
            }
        }
    }

    /// Returns whether to give up; sysbench waits for a server that does not come back even when the run is over.
    fn gives_up(&self) -> bool {
        let control = &self.engine.control;
        control.has_failed() || control.is_past(monotonic_ns().saturating_sub(RECONNECT_TIMEOUT_NS))
    }

    pub(super) fn tell_unconnected(&self, complaint: &ClientError) {
        let place = self.place.words();
        let text = format!("unable to connect to MySQL server {place}, aborting...");
        self.engine.log.fatal(&text);
        let text = format!("error {}: {}", complaint.code, complaint.message);
        self.engine.log.fatal(&text);
        if let Some(loss) = &complaint.lost_by {
            self.note_loss(complaint.code, loss);
        }
    }

    /// Uses a new log-in: how the one before was lost does not matter any more.
    pub(super) fn plug(&mut self, link: Link) {
        self.link = Some(link);
        self.lost_by = None;
        self.is_lost = false;
        self.actor.take_loss();
    }

    /// Ends the log-in under way, and with it its statements, its transaction and its results.
    pub(super) fn unplug(&mut self) {
        if let Some(link) = self.link.take() {
            link.quit();
        }
        self.generation = self.generation.wrapping_add(1);
        self.pending = None;
        self.in_transaction = false;
    }
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(MESSAGE_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
