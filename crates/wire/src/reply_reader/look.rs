//! What a packet is, told from its first bytes.

use super::{HEADER_BYTES, LOOK_BYTES, ReplyReader, Stage};
use crate::WireError;
use crate::packet::{Header, MAX_PAYLOAD};

/// No packet that must be known whole is longer: only rows are.
pub(super) const MAX_CONTROL_BYTES: usize = 1 << 20;

/// What a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Head,
    Error,
    Column,
    ColumnsEnd,
    Row,
    RowsEnd,
}

/// What the first bytes of a packet say about it.
pub(super) enum Look {
    /// So many bytes of it must be there before more can be said.
    Needs(usize),
    /// It is to be read, and is there up to this length.
    Whole(Kind, usize),
    /// It has this length and nobody wants it.
    PassOver(Kind, usize),
}

impl ReplyReader {
    /// Judges a packet by as many of its bytes as have come.
    #[inline]
    pub(super) fn look(&self, bytes: &[u8], wants_rows: bool) -> Result<Look, WireError> {
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
        if kind != Kind::Row && header.length > MAX_CONTROL_BYTES {
            let what = format!("a packet of {} bytes where {kind:?} is due", header.length);
            return Err(WireError::Protocol(what));
        }
        if matches!(kind, Kind::Row | Kind::Column) && !wants_rows {
            return Ok(Look::PassOver(kind, length));
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
    pub(super) fn enter(&mut self, packet: &[u8]) -> Result<(), WireError> {
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
        let next = header.sequence.wrapping_add(1);
        self.sequence = self.checks_sequence.then_some(next);
        self.is_continued = header.length == MAX_PAYLOAD;
        Ok(())
    }
}
