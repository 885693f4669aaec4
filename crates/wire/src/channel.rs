//! The hot path.

use crate::{Parameters, Reply, Session, SessionFacts, StatementText, WireError};
use std::os::fd::{AsRawFd, RawFd};

/// A logged-in connection that never blocks and, once its buffers have grown, never allocates.
#[derive(Debug)]
pub struct Channel {
    facts: Box<SessionFacts>,
}

/// Whether everything queued has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flush {
    /// All of it.
    Complete,
    /// The socket is full: wait until it can be written again.
    WouldBlock,
}

/// Where a worker reads into: one for all of its channels.
#[derive(Debug)]
pub struct ReadBuffer(Vec<u8>);

impl Channel {
    /// What the log-in found out.
    #[must_use]
    pub fn facts(&self) -> &SessionFacts {
        &self.facts
    }

    /// Queues a statement as text.
    pub fn queue_query(&mut self, _sql: &[u8]) {
        todo!()
    }

    /// Queues a statement as text with its values written in.
    pub fn queue_text(&mut self, _text: &StatementText, _parameters: &Parameters) {
        todo!()
    }

    /// Queues an execution of the prepared statement `id`.
    pub fn queue_execute(&mut self, _id: u32, _parameters: &Parameters) {
        todo!()
    }

    /// Queues the closing of the prepared statement `id`; the server does not reply to it.
    pub fn queue_close_statement(&mut self, _id: u32) {
        todo!()
    }

    /// Queues the good-bye; the server closes the connection.
    pub fn queue_quit(&mut self) {
        todo!()
    }

    /// Writes what is queued as far as the socket takes it.
    pub fn flush(&mut self) -> Result<Flush, WireError> {
        todo!()
    }

    /// Reads what has come; `None` while the reply is not complete. Never blocks.
    pub fn receive(&mut self, _shared: &mut ReadBuffer) -> Result<Option<Reply>, WireError> {
        todo!()
    }

    /// Whether something queued has not left yet.
    #[must_use]
    pub fn wants_write(&self) -> bool {
        todo!()
    }

    /// Bytes written to the socket since the connection was made, log-in and encryption included.
    #[must_use]
    pub fn bytes_sent(&self) -> u64 {
        todo!()
    }

    /// Bytes read from the socket since the connection was made, log-in and encryption included.
    #[must_use]
    pub fn bytes_received(&self) -> u64 {
        todo!()
    }

    /// Goes back to the cold path, when no reply is outstanding.
    pub fn into_session(self) -> Result<Session, WireError> {
        todo!()
    }
}

impl AsRawFd for Channel {
    fn as_raw_fd(&self) -> RawFd {
        todo!()
    }
}

impl ReadBuffer {
    /// 64 KiB: larger than almost every reply of an OLTP statement.
    #[must_use]
    pub fn new() -> Self {
        Self(vec![0; 64 * 1024])
    }
}

impl Default for ReadBuffer {
    fn default() -> Self {
        Self::new()
    }
}
