//! Finds the end of a reply in a byte stream that comes in pieces of any size.
//!
//! The reader goes from packet header to packet header. What it need not know it passes over without
//! touching it: a row costs one look at five bytes. Packets that it must know (OK, ERR, column count, end
//! of rows), and rows if a [`RowSink`] wants them, are read in place if they came whole and put
//! together in a small buffer if they did not. Text and binary rows look alike from here.

mod packets;
mod preview;
mod results;

use crate::packet::HEADER_BYTES;
use crate::row_sink::RowSink;
use crate::{Reply, SessionChanges, WireError};
pub(crate) use packets::parse_error;
pub(crate) use preview::MAX_CONTROL_BYTES;
use preview::PacketPreview;
use results::ReplyTotals;

/// The first bytes of a packet decide what it is: its header and one byte of payload.
const PREVIEW_BYTES: usize = HEADER_BYTES + 1;

/// Memory kept for the next packet that comes in pieces.
const KEPT_BYTES: usize = 16 * 1024;

/// Describes where in a reply the next packet stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum ReplyStage {
    /// At the beginning of a result: OK, ERR or a column count.
    #[default]
    Head,
    /// So many column definitions are to come.
    Columns(u16),
    /// The EOF packet between columns and rows, which newer servers leave out.
    ColumnsEnd,
    /// A row or the end of rows.
    Rows,
}

/// The state between two pieces of the stream.
#[derive(Debug)]
pub(crate) struct ReplyReader {
    /// Agreed with the server: rows end with an OK packet, and columns with nothing.
    deprecate_eof: bool,
    stage: ReplyStage,
    totals: ReplyTotals,
    /// Sequence number that the next packet must have; any at the start of a reply.
    sequence: Option<u8>,
    /// Under compression servers number packets as their buffers fall, and only frames rightly.
    checks_sequence: bool,
    /// The server waits for a local file, whose first packet must have this sequence number.
    file_wanted: Option<u8>,
    /// Where what changed in the session is noted, if somebody asks.
    changes: Option<Box<SessionChanges>>,
    /// Every result is a separate reply, even where another of the same request follows.
    gives_each_result: bool,
    /// The next packet carries on the row before it.
    is_continued: bool,
    /// Bytes of the packet at hand still to be passed over.
    pass_over: usize,
    /// The beginning of a packet whose rest has not come yet.
    partial: Vec<u8>,
    /// The beginning of a row of several packets that a sink wants.
    long_row: Vec<u8>,
}

impl ReplyReader {
    pub(crate) fn new(deprecate_eof: bool) -> Self {
        Self {
            deprecate_eof,
            stage: ReplyStage::Head,
            totals: ReplyTotals::default(),
            sequence: None,
            checks_sequence: true,
            file_wanted: None,
            changes: None,
            gives_each_result: false,
            is_continued: false,
            pass_over: 0,
            partial: Vec::new(),
            long_row: Vec::new(),
        }
    }

    /// Packets may have any sequence number from now on.
    pub(crate) fn ignore_sequence(&mut self) {
        self.checks_sequence = false;
    }

    /// Gives each result of a request as a reply from now on.
    pub(crate) fn give_each_result(&mut self) {
        self.gives_each_result = true;
    }

    /// Notes what changes in the session from now on, or passes over it.
    pub(crate) fn keep_changes(&mut self, are_kept: bool) {
        self.changes = are_kept.then(Box::default);
    }

    /// Takes what changed in the session since the last call.
    pub(crate) fn take_changes(&mut self) -> SessionChanges {
        self.changes
            .as_deref_mut()
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// Returns whether the server waits for a local file, and which sequence number that begins with.
    pub(crate) fn take_file_wanted(&mut self) -> Option<u8> {
        self.file_wanted.take()
    }

    /// Takes bytes up to the end of the reply or of the piece. Says how many it took, and the reply if
    /// it is complete.
    pub(crate) fn feed<S: RowSink>(
        &mut self,
        piece: &[u8],
        sink: &mut S,
    ) -> Result<(usize, Option<Reply>), WireError> {
        let mut at = 0;
        loop {
            if self.pass_over > 0 {
                let passed = self.pass_over.min(piece.len() - at);
                self.pass_over -= passed;
                at += passed;
            }
            if at == piece.len() {
                return Ok((at, None));
            }
            if !S::WANTS_ROWS && self.partial.is_empty() {
                at += self.pass_over_plain(&piece[at..], sink)?;
            }
            let reply = if self.partial.is_empty() {
                self.read_in_place(&piece[at..], &mut at, sink)?
            } else {
                self.read_from_partial(&piece[at..], &mut at, sink)?
            };
            if reply.is_some() {
                self.start_over();
                return Ok((at, reply));
            }
        }
    }

    /// Counts the column definitions and rows at the front of `rest` that nobody wants, and says how many bytes
    /// they are, the count of columns before them included. What is not whole, not in sequence or not surely
    /// what is due is left to the careful way; this is why a result costs little more than its packets' headers.
    fn pass_over_plain<S: RowSink>(
        &mut self,
        rest: &[u8],
        sink: &mut S,
    ) -> Result<usize, WireError> {
        let mut at = 0;
        if self.stage == ReplyStage::Head
            && let Some(columns) = self.plain_count(rest)
        {
            sink.start(columns)?;
            at = PREVIEW_BYTES;
        }
        let Some(mut due) = self.sequence else {
            return Ok(at);
        };
        if let ReplyStage::Columns(mut left) = self.stage {
            while left > 0 && pass_over_packet(rest, &mut at, &mut due) {
                left -= 1;
            }
            self.stage = match left {
                0 if self.deprecate_eof => ReplyStage::Rows,
                0 => ReplyStage::ColumnsEnd,
                left => ReplyStage::Columns(left),
            };
        }
        if self.stage == ReplyStage::Rows && !self.is_continued {
            while pass_over_packet(rest, &mut at, &mut due) {
                self.totals.rows += 1;
            }
        }
        self.sequence = Some(due);
        Ok(at)
    }

    /// Returns the count of columns that a reply begins with, up to 250.
    #[inline]
    fn plain_count(&mut self, rest: &[u8]) -> Option<u16> {
        let &[1, 0, 0, number, columns @ 1..=0xfa, ..] = rest else {
            return None;
        };
        if self.sequence.is_some() || !self.checks_sequence {
            return None;
        }
        self.sequence = Some(number.wrapping_add(1));
        self.totals.start_rows(columns.into());
        self.stage = ReplyStage::Columns(columns.into());
        Some(columns.into())
    }

    #[inline]
    fn read_in_place<S: RowSink>(
        &mut self,
        rest: &[u8],
        at: &mut usize,
        sink: &mut S,
    ) -> Result<Option<Reply>, WireError> {
        match self.preview(rest, S::WANTS_ROWS)? {
            PacketPreview::Needs(_) => {
                self.partial.extend_from_slice(rest);
                *at += rest.len();
                Ok(None)
            }
            PacketPreview::PassOver(kind, length) => {
                let here = length.min(rest.len());
                self.pass_over = length - here;
                *at += here;
                self.enter(rest)?;
                self.count(kind);
                Ok(None)
            }
            PacketPreview::Whole(kind, length) => {
                *at += length;
                self.enter(rest)?;
                self.read(kind, &rest[HEADER_BYTES..length], sink)
            }
        }
    }

    #[cold]
    fn read_from_partial<S: RowSink>(
        &mut self,
        rest: &[u8],
        at: &mut usize,
        sink: &mut S,
    ) -> Result<Option<Reply>, WireError> {
        match self.preview(&self.partial, S::WANTS_ROWS)? {
            PacketPreview::Needs(length) => {
                let added = (length - self.partial.len()).min(rest.len());
                self.partial.extend_from_slice(&rest[..added]);
                *at += added;
                // The last byte may have come: the stream may pause right after it.
                if self.partial.len() < length {
                    Ok(None)
                } else {
                    self.close_partial(sink)
                }
            }
            PacketPreview::PassOver(..) | PacketPreview::Whole(..) => self.close_partial(sink),
        }
    }

    /// Reads the packet in `partial` if enough of it is there.
    fn close_partial<S: RowSink>(&mut self, sink: &mut S) -> Result<Option<Reply>, WireError> {
        let partial = std::mem::take(&mut self.partial);
        let (is_used, reply) = match self.preview(&partial, S::WANTS_ROWS)? {
            PacketPreview::Needs(_) => (false, None),
            PacketPreview::PassOver(kind, length) => {
                self.pass_over = length - partial.len();
                self.enter(&partial)?;
                self.count(kind);
                (true, None)
            }
            PacketPreview::Whole(kind, length) => {
                self.enter(&partial)?;
                (true, self.read(kind, &partial[HEADER_BYTES..length], sink)?)
            }
        };
        self.partial = partial;
        if is_used {
            self.partial.clear();
            self.partial.shrink_to(KEPT_BYTES);
        }
        Ok(reply)
    }

    #[cfg(any(test, feature = "fuzz"))]
    pub(crate) fn held_bytes(&self) -> usize {
        self.partial.capacity() + self.long_row.capacity()
    }

    fn start_over(&mut self) {
        self.stage = ReplyStage::Head;
        self.totals = ReplyTotals::default();
        self.sequence = None;
        self.file_wanted = None;
        self.is_continued = false;
    }
}

/// Moves on past a packet that is whole, due, and neither the end of rows nor an error.
#[inline]
fn pass_over_packet(rest: &[u8], at: &mut usize, due: &mut u8) -> bool {
    let Some(&[low, middle, high, number, first]) = rest[*at..].first_chunk::<PREVIEW_BYTES>()
    else {
        return false;
    };
    let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
    let is_plain = length > 0 && length < MAX_CONTROL_BYTES && first < 0xfe;
    let end = *at + HEADER_BYTES + length;
    if !is_plain || *due != number || end > rest.len() {
        return false;
    }
    *at = end;
    *due = number.wrapping_add(1);
    true
}

#[cfg(test)]
mod tests;
