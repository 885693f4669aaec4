//! Holds the state of one client's connection.

use super::response::Response;
use super::statement_cache::PreparedStatements;
use crate::protocol::status;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};
use std::collections::VecDeque;

/// Memory kept for an unfinished request or reply; more is given back.
const MAX_IDLE_BUFFER_BYTES: usize = 1 << 16;

/// A reply that waits for its time.
#[derive(Debug)]
pub(crate) struct DelayedReply {
    pub(crate) due_ns: u64,
    pub(crate) arrived_ns: u64,
    pub(crate) reply: Reply,
}

/// An answer and what belongs to it.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) response: Response,
    pub(crate) status: u16,
    /// What it is called in logs; `None` for what is no statement.
    pub(crate) row: Option<u8>,
    /// An answer before it belongs to the same request.
    pub(crate) continues: bool,
}

/// A connection and all that is known of it.
#[derive(Debug)]
pub(crate) struct ClientConnection {
    pub(crate) socket: OwnedFd,
    pub(crate) number: u32,
    /// Has logged in.
    pub(crate) is_authenticated: bool,
    pub(crate) deprecate_eof: bool,
    pub(crate) multi_statements: bool,
    pub(crate) autocommit: bool,
    pub(crate) in_transaction: bool,
    pub(crate) prepared: PreparedStatements,
    /// The beginning of a request whose end has not come.
    pub(crate) input: Vec<u8>,
    /// What the socket would not take.
    output: Vec<u8>,
    sent: usize,
    pub(crate) held: VecDeque<DelayedReply>,
    /// When the last reply that was held back is due.
    pub(crate) busy_until_ns: u64,
    /// Of the next result of the same request.
    pub(crate) next_sequence: u8,
}

impl ClientConnection {
    pub(crate) fn new(socket: OwnedFd, number: u32) -> Self {
        Self {
            socket,
            number,
            is_authenticated: false,
            deprecate_eof: false,
            multi_statements: false,
            autocommit: true,
            in_transaction: false,
            prepared: PreparedStatements::default(),
            input: Vec::new(),
            output: Vec::new(),
            sent: 0,
            held: VecDeque::new(),
            busy_until_ns: 0,
            next_sequence: 1,
        }
    }

    /// Status bits of a reply that is given now.
    pub(crate) fn status(&self) -> u16 {
        let bit = |on: bool, bit: u16| if on { bit } else { 0 };
        bit(self.autocommit, status::AUTOCOMMIT) | bit(self.in_transaction, status::IN_TRANSACTION)
    }

    /// Returns whether something waits for the socket to take it.
    pub(crate) fn wants_write(&self) -> bool {
        !self.output.is_empty()
    }

    /// Sends after what still waits, and keeps what the socket does not take. False if the client is gone.
    #[inline]
    pub(crate) fn send(&mut self, bytes: &[u8]) -> bool {
        if self.wants_write() {
            self.output.extend_from_slice(bytes);
            return true;
        }
        match send(
            &self.socket,
            bytes,
            SendFlags::NOSIGNAL | SendFlags::DONTWAIT,
        ) {
            Ok(count) if count == bytes.len() => true,
            Ok(count) => {
                self.output.extend_from_slice(&bytes[count..]);
                true
            }
            Err(Errno::AGAIN) => {
                self.output.extend_from_slice(bytes);
                true
            }
            Err(_) => false,
        }
    }

    /// Sends what waits. False if the client is gone.
    pub(crate) fn push(&mut self) -> bool {
        let rest = &self.output[self.sent..];
        match send(
            &self.socket,
            rest,
            SendFlags::NOSIGNAL | SendFlags::DONTWAIT,
        ) {
            Ok(count) => self.sent += count,
            Err(Errno::AGAIN) => {}
            Err(_) => return false,
        }
        if self.sent == self.output.len() {
            self.sent = 0;
            self.output.clear();
            self.output.shrink_to(MAX_IDLE_BUFFER_BYTES);
        }
        true
    }

    /// Gives the memory of a long request back.
    pub(crate) fn trim(&mut self) {
        if self.input.is_empty() && self.input.capacity() > MAX_IDLE_BUFFER_BYTES {
            self.input = Vec::new();
        }
    }
}
