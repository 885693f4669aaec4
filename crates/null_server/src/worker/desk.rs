//! Requests taken in, answers given out.

use super::answer::{Answer, Encoder};
use super::connection::{Connection, Reply};
use super::deadlines::Deadlines;
use super::statement::Library;
use super::visit::Visit;
use crate::faults::Faults;
use crate::protocol::{renumber, status};
use crate::record::Recorder;
use crate::shared::Shared;
use crate::sql::{Known, Token};
use dbdyno_meter::clock::monotonic_ns;
use std::sync::Arc;

/// What a client must not be told any more: the connection ends.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Goodbye;

/// Everything of a worker but its connections.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) shared: Arc<Shared>,
    pub(crate) known: Known,
    pub(crate) max_prepared: Option<u32>,
    pub(crate) faults: Faults,
    pub(crate) recorder: Recorder,
    pub(crate) deadlines: Deadlines,
    encoder: Encoder,
    pub(super) library: Library,
    pub(super) tokens: Vec<Token>,
    /// What leaves next.
    pub(crate) out: Vec<u8>,
    /// Something in the plan or the log needs the time.
    pub(crate) is_timed: bool,
}

impl Desk {
    pub(crate) fn new(
        shared: Arc<Shared>,
        known: Known,
        max_prepared: Option<u32>,
        faults: Faults,
        recorder: Recorder,
        is_timed: bool,
    ) -> Self {
        Self {
            shared,
            known,
            max_prepared,
            faults,
            recorder,
            deadlines: Deadlines::default(),
            encoder: Encoder::default(),
            library: Library::default(),
            tokens: Vec::new(),
            out: Vec::new(),
            is_timed,
        }
    }

    /// Answers one request; `place` is the connection's among those of the worker.
    pub(crate) fn request(
        &mut self,
        client: &mut Connection,
        place: u32,
        payload: &[u8],
        sequence: u8,
        arrived_ns: u64,
    ) -> Result<(), Goodbye> {
        let mut visit = Visit {
            desk: self,
            client,
            place,
            arrived_ns,
        };
        if visit.client.is_in {
            visit.command(payload)
        } else {
            visit.welcome(payload, sequence)
        }
    }

    /// Says the first word.
    pub(crate) fn greeting(
        &mut self,
        client: &mut Connection,
        place: u32,
        greeting: Vec<u8>,
        arrived_ns: u64,
    ) -> Result<(), Goodbye> {
        let mut visit = Visit {
            desk: self,
            client,
            place,
            arrived_ns,
        };
        visit.tell(Answer::Bytes(greeting.into()))
    }

    /// Gives out the replies of a connection that are due.
    pub(crate) fn release(&mut self, client: &mut Connection, now_ns: u64) -> Result<(), Goodbye> {
        while client
            .held
            .front()
            .is_some_and(|held| held.due_ns <= now_ns)
        {
            let Some(held) = client.held.pop_front() else {
                break;
            };
            self.recorder.wait_no_more(1);
            self.encode(client, held.arrived_ns, &held.reply)?;
        }
        Ok(())
    }

    /// Writes a reply to what leaves next.
    pub(super) fn encode(
        &mut self,
        client: &mut Connection,
        arrived_ns: u64,
        reply: &Reply,
    ) -> Result<(), Goodbye> {
        let code = match reply.answer {
            Answer::Error(code) => code,
            Answer::Drop => crate::DROPPED,
            _ => 0,
        };
        if let Some(row) = reply.row {
            self.recorder.answered(arrived_ns, client.number, row, code);
        }
        if code == crate::DROPPED {
            return Err(Goodbye);
        }
        let start = self.out.len();
        self.encoder.put(
            &mut self.out,
            &reply.answer,
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
    pub(crate) fn send(&mut self, client: &mut Connection) -> Result<(), Goodbye> {
        let is_there = self.out.is_empty() || client.send(&self.out);
        self.recorder.sent(self.out.len());
        self.out.clear();
        if is_there { Ok(()) } else { Err(Goodbye) }
    }
}

/// The instant, if anybody wants to know.
pub(crate) fn now_if(is_timed: bool) -> u64 {
    if is_timed { monotonic_ns() } else { 0 }
}
