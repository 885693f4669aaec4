//! Holds what both paths share: a transport, what waits to leave, and how far the replies are read.

use crate::packet::{HEADER_BYTES, PacketHeader};
use crate::prepare_reply::{PrepareReader, whole_payload};
use crate::reply_reader::{MAX_CONTROL_BYTES, ReplyReader};
use crate::row_sink::RowSink;
use crate::stream::WaitReason;
use crate::transport::Transport;
use crate::{PrepareReply, ReadBuffer, Reply, SessionInfo, WireError, capability};
use std::ops::Deref;

/// Memory kept for requests; more was for a bulk INSERT, and is given back.
const KEPT_BYTES: usize = 1 << 20;

/// Says how far a read got.
#[derive(Debug)]
pub(crate) enum ReadProgress {
    /// To the end of a reply.
    Reply(Reply),
    /// To where the server wants a local file, which begins with this sequence number.
    FileWanted(u8),
    /// Some bytes came, and the socket holds no more of them at present.
    Part,
    /// Nothing came.
    Nothing,
}

/// A connection, blocking or not as its socket is set.
#[derive(Debug)]
pub(crate) struct WireConnection {
    pub(crate) transport: Transport,
    pub(crate) info: Box<SessionInfo>,
    pub(crate) reader: ReplyReader,
    prepares: PrepareReader,
    /// Requests queued or on their way out.
    pub(crate) out: Vec<u8>,
    /// How much of `out` has left.
    sent: usize,
    /// Bytes read that belong to what comes next.
    leftover: Leftover,
    /// Requests whose replies have not been read.
    pub(crate) pending_replies: u32,
}

/// Bytes that wait to be taken, from the front. What was taken is given up when others are appended, and not each time:
/// an INSERT of thousands of places is answered by as many packets.
#[derive(Debug, Default)]
struct Leftover {
    bytes: Vec<u8>,
    taken: usize,
}

impl Leftover {
    fn take(&mut self, count: usize) {
        self.taken += count;
        if self.taken == self.bytes.len() {
            self.bytes.clear();
            self.taken = 0;
        }
    }

    fn append(&mut self, more: &[u8]) {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        self.bytes.extend_from_slice(more);
    }
}

impl Deref for Leftover {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[self.taken..]
    }
}

impl WireConnection {
    pub(crate) fn new(transport: Transport) -> Self {
        Self {
            transport,
            info: Box::default(),
            reader: ReplyReader::new(false),
            prepares: PrepareReader::default(),
            out: Vec::new(),
            sent: 0,
            leftover: Leftover::default(),
            pending_replies: 0,
        }
    }

    /// Packs the bytes of the connection from now on.
    pub(crate) fn compressed(mut self) -> Self {
        self.transport = self.transport.compressed();
        self.reader.ignore_sequence();
        self
    }

    /// Writes what is queued. False if the socket is full before that is done.
    #[inline]
    pub(crate) fn flush(&mut self) -> Result<bool, WireError> {
        while self.sent < self.out.len() {
            match self.transport.write(&self.out[self.sent..])? {
                0 => return Ok(false),
                count => self.sent += count,
            }
        }
        self.out.clear();
        self.sent = 0;
        if self.out.capacity() > KEPT_BYTES {
            self.out = Vec::new();
        }
        self.transport.push()
    }

    #[inline]
    pub(crate) fn wants_write(&self) -> bool {
        !self.out.is_empty() || self.transport.wants_write()
    }

    /// Reads up to the end of a reply, or until the socket is empty. A read that does not fill the
    /// buffer has emptied it, so that nothing is read in vain.
    #[inline]
    pub(crate) fn receive<S: RowSink>(
        &mut self,
        shared: &mut ReadBuffer,
        sink: &mut S,
    ) -> Result<ReadProgress, WireError> {
        if !self.leftover.is_empty()
            && let Some(progress) = self.read_leftover(sink)?
        {
            return Ok(progress);
        }
        let mut progress = ReadProgress::Nothing;
        while let Some(count) = self.transport.read(shared)? {
            let (taken, reply) = self.reader.feed(&shared.clear[..count], sink)?;
            if let Some(reply) = reply {
                self.leftover.append(&shared.clear[taken..count]);
                self.pending_replies = self
                    .pending_replies
                    .saturating_sub(u32::from(!reply.has_more()));
                return Ok(ReadProgress::Reply(reply));
            }
            if let Some(sequence) = self.reader.take_file_wanted() {
                return Ok(ReadProgress::FileWanted(sequence));
            }
            progress = ReadProgress::Part;
            if count < shared.clear.len() && matches!(self.transport, Transport::Clear(_)) {
                break;
            }
        }
        Ok(progress)
    }

    #[cold]
    fn read_leftover<S: RowSink>(
        &mut self,
        sink: &mut S,
    ) -> Result<Option<ReadProgress>, WireError> {
        let (taken, reply) = self.reader.feed(&self.leftover, sink)?;
        self.leftover.take(taken);
        let is_last = reply.as_ref().is_some_and(|reply| !reply.has_more());
        self.pending_replies = self.pending_replies.saturating_sub(u32::from(is_last));
        let file_wanted = self.reader.take_file_wanted().map(ReadProgress::FileWanted);
        Ok(reply.map(ReadProgress::Reply).or(file_wanted))
    }

    /// Reads on in the answer to a PREPARE; `None` while it is not complete.
    pub(crate) fn receive_prepared(
        &mut self,
        shared: &mut ReadBuffer,
    ) -> Result<Option<PrepareReply>, WireError> {
        let has_eof = self.info.capabilities & capability::DEPRECATE_EOF == 0;
        loop {
            while let Some(payload) = whole_payload(&self.leftover)? {
                let length = HEADER_BYTES + payload.len();
                let reply = self.prepares.read(payload, has_eof)?;
                self.leftover.take(length);
                if let Some(reply) = reply {
                    self.pending_replies = self.pending_replies.saturating_sub(1);
                    return Ok(Some(reply));
                }
            }
            match self.transport.read(shared)? {
                Some(count) => self.leftover.append(&shared.clear[..count]),
                None => return Ok(None),
            }
        }
    }

    /// Reads one whole payload, blocking, and says which sequence number comes after it.
    pub(crate) fn read_packet(
        &mut self,
        buffer: &mut ReadBuffer,
    ) -> Result<(Vec<u8>, u8), WireError> {
        loop {
            if let Some(header) = PacketHeader::of(&self.leftover) {
                if header.length > MAX_CONTROL_BYTES {
                    let what =
                        format!("a packet of {} bytes instead of a short one", header.length);
                    return Err(WireError::Protocol(what));
                }
                let end = HEADER_BYTES + header.length;
                if self.leftover.len() >= end {
                    let payload = self.leftover[HEADER_BYTES..end].to_vec();
                    self.leftover.take(end);
                    return Ok((payload, header.sequence.wrapping_add(1)));
                }
            }
            match self.transport.read(buffer)? {
                Some(count) => self.leftover.append(&buffer.clear[..count]),
                None => return Err(self.transport.stream().timed_out(WaitReason::Answer)),
            }
        }
    }

    /// Sends what is queued, blocking.
    pub(crate) fn flush_all(&mut self) -> Result<(), WireError> {
        match self.flush()? {
            true => Ok(()),
            false => Err(self.transport.stream().timed_out(WaitReason::Room)),
        }
    }

    /// Sends, blocking, what `packet` holds from `start` on, without copying it. Nothing may be queued.
    pub(crate) fn send_from(
        &mut self,
        packet: &mut Vec<u8>,
        start: usize,
    ) -> Result<(), WireError> {
        debug_assert!(self.out.is_empty());
        let kept = std::mem::replace(&mut self.out, std::mem::take(packet));
        self.sent = start;
        let sent = self.flush_all();
        *packet = std::mem::replace(&mut self.out, kept);
        self.sent = 0;
        sent
    }

    /// Returns whether bytes came that nobody asked for.
    pub(crate) fn has_leftover(&self) -> bool {
        !self.leftover.is_empty()
    }
}
