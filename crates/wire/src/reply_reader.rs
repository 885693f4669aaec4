//! Finds the end of a reply in a byte stream that comes in pieces of any size.
//!
//! The reader goes from packet header to packet header. What it need not know it passes over without
//! touching it: a row costs one look at five bytes. Packets that it must know (OK, ERR, column count, end
//! of rows), and rows if a [`RowSink`] wants them, are read in place if they came whole and put
//! together in a small buffer if they did not. Text and binary rows look alike from here.

mod packets;

use crate::packet::{HEADER_BYTES, Header, MAX_PAYLOAD};
use crate::reply::STATUS_MORE_RESULTS;
use crate::{OkReply, Reply, RowsReply, ServerError, WireError};
pub(crate) use packets::{parse_error, parse_ok};

/// The first bytes of a packet decide what it is: its header and one byte of payload.
const LOOK_BYTES: usize = HEADER_BYTES + 1;

/// No packet that must be known whole is longer: only rows are.
const MAX_CONTROL_BYTES: usize = 1 << 20;

/// Memory kept for the next packet that comes in pieces.
const KEPT_BYTES: usize = 16 * 1024;

/// Takes what a reply is made of, where counting rows is not enough.
///
/// Payloads are handed over undecoded: column definitions and rows as the protocol has them, rows of
/// a query in the text form and rows of an execution in the binary form.
pub trait RowSink {
    /// Whether column definitions and rows are wanted at all.
    const WANTS_ROWS: bool = true;

    /// A result set of so many columns begins.
    fn start(&mut self, columns: u16) -> Result<(), WireError>;

    /// The next column's definition.
    fn column(&mut self, definition: &[u8]) -> Result<(), WireError>;

    /// The next row.
    fn row(&mut self, payload: &[u8]) -> Result<(), WireError>;
}

/// Wants nothing: rows are counted and passed over.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CountOnly;

impl RowSink for CountOnly {
    const WANTS_ROWS: bool = false;

    fn start(&mut self, _columns: u16) -> Result<(), WireError> {
        Ok(())
    }

    fn column(&mut self, _definition: &[u8]) -> Result<(), WireError> {
        Ok(())
    }

    fn row(&mut self, _payload: &[u8]) -> Result<(), WireError> {
        Ok(())
    }
}

/// Where in a reply the next packet stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
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

/// What a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Head,
    Error,
    Column,
    ColumnsEnd,
    Row,
    RowsEnd,
}

/// What the first bytes of a packet say about it.
enum Look {
    /// So many bytes of it must be there before more can be said.
    Needs(usize),
    /// It is to be read, and is there up to this length.
    Whole(Kind, usize),
    /// It has this length and nobody wants it.
    PassOver(Kind, usize),
}

/// What the results of the reply so far add up to.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    ok: OkReply,
    rows: u64,
    columns: u16,
    has_rows: bool,
}

/// The state between two pieces of the stream.
#[derive(Debug)]
pub(crate) struct ReplyReader {
    /// Agreed with the server: rows end with an OK packet, and columns with nothing.
    deprecate_eof: bool,
    stage: Stage,
    tally: Tally,
    /// Sequence number that the next packet must have; any at the start of a reply.
    sequence: Option<u8>,
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
            stage: Stage::Head,
            tally: Tally::default(),
            sequence: None,
            is_continued: false,
            pass_over: 0,
            partial: Vec::new(),
            long_row: Vec::new(),
        }
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
            if !S::WANTS_ROWS && self.stage == Stage::Rows && self.partial.is_empty() {
                at += self.pass_over_rows(&piece[at..]);
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

    /// Counts the plain rows at the front of `rest` and says how many bytes they are. What is not whole,
    /// not in sequence or not surely a row is left to the careful way; this loop is why a result of a
    /// hundred rows costs little more than one of one.
    fn pass_over_rows(&mut self, rest: &[u8]) -> usize {
        let (mut at, mut sequence) = (0, self.sequence);
        while let Some(&[low, middle, high, number, first]) = rest[at..].first_chunk::<LOOK_BYTES>()
        {
            let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
            let is_plain = length > 0 && length < MAX_PAYLOAD && first < 0xfe;
            let end = at + HEADER_BYTES + length;
            if !is_plain || self.is_continued || sequence != Some(number) || end > rest.len() {
                break;
            }
            at = end;
            sequence = Some(number.wrapping_add(1));
            self.tally.rows += 1;
        }
        self.sequence = sequence;
        at
    }

    #[inline]
    fn read_in_place<S: RowSink>(
        &mut self,
        rest: &[u8],
        at: &mut usize,
        sink: &mut S,
    ) -> Result<Option<Reply>, WireError> {
        match self.look(rest, S::WANTS_ROWS)? {
            Look::Needs(_) => {
                self.partial.extend_from_slice(rest);
                *at += rest.len();
                Ok(None)
            }
            Look::PassOver(kind, length) => {
                let here = length.min(rest.len());
                self.pass_over = length - here;
                *at += here;
                self.enter(rest)?;
                self.count(kind);
                Ok(None)
            }
            Look::Whole(kind, length) => {
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
        match self.look(&self.partial, S::WANTS_ROWS)? {
            Look::Needs(length) => {
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
            Look::PassOver(..) | Look::Whole(..) => self.close_partial(sink),
        }
    }

    /// Reads the packet in `partial` if enough of it is there.
    fn close_partial<S: RowSink>(&mut self, sink: &mut S) -> Result<Option<Reply>, WireError> {
        let partial = std::mem::take(&mut self.partial);
        let (is_used, reply) = match self.look(&partial, S::WANTS_ROWS)? {
            Look::Needs(_) => (false, None),
            Look::PassOver(kind, length) => {
                self.pass_over = length - partial.len();
                self.enter(&partial)?;
                self.count(kind);
                (true, None)
            }
            Look::Whole(kind, length) => {
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

    /// Judges a packet by as many of its bytes as have come.
    #[inline]
    fn look(&self, bytes: &[u8], wants_rows: bool) -> Result<Look, WireError> {
        let Some(header) = Header::of(bytes) else {
            return Ok(Look::Needs(HEADER_BYTES));
        };
        let kind = if self.is_continued {
            Kind::Row
        } else if header.length == 0 {
            return Err(WireError::Protocol(format!(
                "an empty packet at {:?}",
                self.stage
            )));
        } else if let Some(&first) = bytes.get(HEADER_BYTES) {
            self.kind(first, header.length)
        } else {
            return Ok(Look::Needs(LOOK_BYTES));
        };
        let length = HEADER_BYTES + header.length;
        if matches!(kind, Kind::Row | Kind::Column) && !wants_rows {
            return Ok(Look::PassOver(kind, length));
        }
        if kind != Kind::Row && header.length > MAX_CONTROL_BYTES {
            let what = format!("a packet of {} bytes where {kind:?} is due", header.length);
            return Err(WireError::Protocol(what));
        }
        Ok(if bytes.len() < length {
            Look::Needs(length)
        } else {
            Look::Whole(kind, length)
        })
    }

    #[inline]
    fn kind(&self, first: u8, length: usize) -> Kind {
        // 0xfe also begins a row whose first value has 16 MiB or more, hence the lengths.
        let end_limit = if self.deprecate_eof { MAX_PAYLOAD } else { 9 };
        match (self.stage, first) {
            (_, 0xff) => Kind::Error,
            (Stage::Head, _) => Kind::Head,
            (Stage::Columns(_), _) => Kind::Column,
            (Stage::ColumnsEnd, _) => Kind::ColumnsEnd,
            (Stage::Rows, 0xfe) if length < end_limit => Kind::RowsEnd,
            (Stage::Rows, _) => Kind::Row,
        }
    }

    /// Checks a packet's place in the sequence and notes whether the next one carries it on.
    #[inline]
    fn enter(&mut self, packet: &[u8]) -> Result<(), WireError> {
        let Some(header) = Header::of(packet) else {
            return Ok(());
        };
        if self.sequence.is_some_and(|due| due != header.sequence) {
            let what = format!(
                "packet {} where {:?} was due",
                header.sequence, self.sequence
            );
            return Err(WireError::Protocol(what));
        }
        self.sequence = Some(header.sequence.wrapping_add(1));
        self.is_continued = header.length == MAX_PAYLOAD;
        Ok(())
    }

    /// Moves on past a packet that nobody reads.
    #[inline]
    fn count(&mut self, kind: Kind) {
        match kind {
            Kind::Column => self.next_column(),
            _ if !self.is_continued => self.tally.rows += 1,
            _ => {}
        }
    }

    fn next_column(&mut self) {
        self.stage = match self.stage {
            Stage::Columns(left) if left > 1 => Stage::Columns(left - 1),
            _ if self.deprecate_eof => Stage::Rows,
            _ => Stage::ColumnsEnd,
        };
    }

    fn read<S: RowSink>(
        &mut self,
        kind: Kind,
        payload: &[u8],
        sink: &mut S,
    ) -> Result<Option<Reply>, WireError> {
        match kind {
            Kind::Head => return self.read_head(payload, sink),
            Kind::Error => return Ok(Some(Reply::Error(parse_error(payload)?))),
            Kind::RowsEnd => return self.read_rows_end(payload),
            Kind::ColumnsEnd => {
                packets::parse_eof(payload)?;
                self.stage = Stage::Rows;
            }
            Kind::Column => {
                sink.column(payload)?;
                self.next_column();
            }
            Kind::Row => self.read_row(payload, sink)?,
        }
        Ok(None)
    }

    fn read_head<S: RowSink>(
        &mut self,
        payload: &[u8],
        sink: &mut S,
    ) -> Result<Option<Reply>, WireError> {
        if payload[0] == 0 {
            let ok = parse_ok(payload)?;
            let affected = &mut self.tally.ok.affected_rows;
            *affected = affected.saturating_add(ok.affected_rows);
            self.tally.ok.last_insert_id = ok.last_insert_id;
            return Ok(self.finish_result(ok));
        }
        let columns = packets::parse_column_count(payload)?;
        sink.start(columns)?;
        self.tally.columns = columns;
        self.tally.has_rows = true;
        self.stage = Stage::Columns(columns);
        Ok(None)
    }

    fn read_rows_end(&mut self, payload: &[u8]) -> Result<Option<Reply>, WireError> {
        let end = if self.deprecate_eof {
            parse_ok(payload)?
        } else {
            packets::parse_eof(payload)?
        };
        Ok(self.finish_result(end))
    }

    /// Ends one result: the reply too, unless the server announces another.
    fn finish_result(&mut self, end: OkReply) -> Option<Reply> {
        self.stage = Stage::Head;
        if end.status & STATUS_MORE_RESULTS != 0 {
            return None;
        }
        let OkReply {
            status, warnings, ..
        } = end;
        let Tally {
            ok,
            rows,
            columns,
            has_rows,
        } = self.tally;
        Some(match has_rows {
            true => Reply::Rows(RowsReply {
                rows,
                columns,
                status,
                warnings,
            }),
            false => Reply::Ok(OkReply {
                status,
                warnings,
                ..ok
            }),
        })
    }

    fn read_row<S: RowSink>(&mut self, payload: &[u8], sink: &mut S) -> Result<(), WireError> {
        if self.is_continued || !self.long_row.is_empty() {
            self.long_row.extend_from_slice(payload);
            if self.is_continued {
                return Ok(());
            }
            self.tally.rows += 1;
            return sink.row(&std::mem::take(&mut self.long_row));
        }
        self.tally.rows += 1;
        sink.row(payload)
    }

    fn start_over(&mut self) {
        self.stage = Stage::Head;
        self.tally = Tally::default();
        self.sequence = None;
        self.is_continued = false;
    }
}

#[cfg(test)]
mod tests;
