//! Handles requests and sends replies for all connections of a worker.

use super::connection::{ClientConnection, Reply};
use super::deadlines::Deadlines;
use super::request_context::RequestContext;
use super::response::{Response, ResponseEncoder};
use super::statement_cache::StatementCache;
use crate::faults::FaultInjector;
use crate::protocol::{renumber, status};
use crate::record::TrafficRecorder;
use crate::shared::ServerShared;
use crate::sql::{ServerInfo, Token};
use dbdyno_meter::clock::monotonic_ns;
use std::sync::Arc;

/// Says that a client gets no more replies: the connection ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CloseConnection;

/// Everything of a worker but its connections.
#[derive(Debug)]
pub(crate) struct ConnectionHandler {
    pub(crate) shared: Arc<ServerShared>,
    pub(crate) server_info: ServerInfo,
    pub(crate) max_prepared: Option<u32>,
    pub(crate) faults: FaultInjector,
    pub(crate) recorder: TrafficRecorder,
    pub(crate) deadlines: Deadlines,
    encoder: ResponseEncoder,
    pub(super) cache: StatementCache,
    pub(super) tokens: Vec<Token>,
    /// What leaves next.
    pub(crate) out: Vec<u8>,
    /// Something in the plan or the log needs the time.
    pub(crate) is_timed: bool,
}

impl ConnectionHandler {
    pub(crate) fn new(
        shared: Arc<ServerShared>,
        server_info: ServerInfo,
        max_prepared: Option<u32>,
        faults: FaultInjector,
        recorder: TrafficRecorder,
        is_timed: bool,
    ) -> Self {
        Self {
            shared,
            server_info,
            max_prepared,
            faults,
            recorder,
            deadlines: Deadlines::default(),
            encoder: ResponseEncoder::default(),
            cache: StatementCache::default(),
            tokens: Vec::new(),
            out: Vec::new(),
            is_timed,
        }
    }

    /// Answers one request; `place` is the connection's among those of the worker.
    pub(crate) fn request(
        &mut self,
        client: &mut ClientConnection,
        place: u32,
        payload: &[u8],
        sequence: u8,
        arrived_ns: u64,
    ) -> Result<(), CloseConnection> {
        let mut request_context = RequestContext {
            handler: self,
            client,
            place,
            arrived_ns,
        };
        if request_context.client.is_authenticated {
            request_context.command(payload)
        } else {
            request_context.welcome(payload, sequence)
        }
    }

    /// Says the first word.
    pub(crate) fn greeting(
        &mut self,
        client: &mut ClientConnection,
        place: u32,
        greeting: Vec<u8>,
        arrived_ns: u64,
    ) -> Result<(), CloseConnection> {
        let mut request_context = RequestContext {
            handler: self,
            client,
            place,
            arrived_ns,
        };
        request_context.reply_now(Response::Bytes(greeting.into()))
    }

    /// Gives out the replies of a connection that are due.
    pub(crate) fn release(
        &mut self,
        client: &mut ClientConnection,
        now_ns: u64,
    ) -> Result<(), CloseConnection> {
        while client
            .held
            .front()
            .is_some_and(|held| held.due_ns <= now_ns)
        {
            let Some(held) = client.held.pop_front() else {
                break;
            };
            self.recorder.end_waits(1);
            self.encode(client, held.arrived_ns, &held.reply)?;
        }
        Ok(())
    }

    /// Writes a reply to what leaves next.
    pub(super) fn encode(
        &mut self,
        client: &mut ClientConnection,
        arrived_ns: u64,
        reply: &Reply,
    ) -> Result<(), CloseConnection> {
        let code = match reply.response {
            Response::Error(code) => code,
            Response::Drop => crate::statistics::DROPPED,
            _ => 0,
        };
        if let Some(row) = reply.row {
            self.recorder.answered(arrived_ns, client.number, row, code);
        }
        if code == crate::statistics::DROPPED {
            return Err(CloseConnection);
        }
        let start = self.out.len();
        self.encoder.put(
            &mut self.out,
            &reply.response,
            reply.status,
            client.deprecate_eof,
        );
        let has_more = reply.status & status::MORE_RESULTS != 0;
        if reply.continues || has_more {
            let first = if reply.continues {
                client.next_sequence
            } else {
                1
            };
            client.next_sequence = renumber(&mut self.out[start..], first);
        }
        Ok(())
    }

    /// Writes the replies given out to the client. An error says that it is gone.
    #[inline]
    pub(crate) fn send(&mut self, client: &mut ClientConnection) -> Result<(), CloseConnection> {
        let is_there = self.out.is_empty() || client.send(&self.out);
        self.recorder.sent(self.out.len());
        self.out.clear();
        if is_there {
            Ok(())
        } else {
            Err(CloseConnection)
        }
    }
}

/// Returns the instant, or 0 if it is not needed.
pub(crate) fn now_if(is_timed: bool) -> u64 {
    if is_timed { monotonic_ns() } else { 0 }
}
