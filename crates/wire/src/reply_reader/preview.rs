//! Classifies a packet by its first bytes.

use super::{HEADER_BYTES, PREVIEW_BYTES, ReplyReader, ReplyStage};
use crate::WireError;
use crate::packet::{MAX_PAYLOAD, PacketHeader};

/// No packet that must be known whole is longer: only rows are.
pub(crate) const MAX_CONTROL_BYTES: usize = 1 << 20;

/// Describes what a packet is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PacketKind {
    Head,
    Error,
    Column,
    ColumnsEnd,
    Row,
    RowsEnd,
}

/// Describes what the first bytes of a packet say about it.
pub(super) enum PacketPreview {
    /// So many bytes of it must be there before more can be said.
    Needs(usize),
    /// It is to be read, and is there up to this length.
    Whole(PacketKind, usize),
    /// It has this length and nobody wants it.
    PassOver(PacketKind, usize),
}

impl ReplyReader {
    /// Judges a packet by as many of its bytes as have come.
    #[inline]
    pub(super) fn preview(
        &self,
        bytes: &[u8],
        wants_rows: bool,
    ) -> Result<PacketPreview, WireError> {
        let Some(header) = PacketHeader::of(bytes) else {
            return Ok(PacketPreview::Needs(HEADER_BYTES));
        };
        let kind = if self.is_continued {
            PacketKind::Row
        } else if header.length == 0 {
            return Err(WireError::Protocol(format!(
                "an empty packet at {:?}",
                self.stage
            )));
        } else if let Some(&first) = bytes.get(HEADER_BYTES) {
            self.kind(first, header.length)
        } else {
            return Ok(PacketPreview::Needs(PREVIEW_BYTES));
        };
        let length = HEADER_BYTES + header.length;
        if kind != PacketKind::Row && header.length > MAX_CONTROL_BYTES {
            let what = format!("a packet of {} bytes instead of {kind:?}", header.length);
            return Err(WireError::Protocol(what));
        }
        if matches!(kind, PacketKind::Row | PacketKind::Column) && !wants_rows {
            return Ok(PacketPreview::PassOver(kind, length));
        }
        Ok(if bytes.len() < length {
            PacketPreview::Needs(length)
        } else {
            PacketPreview::Whole(kind, length)
        })
    }

    #[inline]
    fn kind(&self, first: u8, length: usize) -> PacketKind {
        // 0xfe also begins a row whose first value has 16 MiB or more, hence the lengths.
        let end_limit = if self.deprecate_eof { MAX_PAYLOAD } else { 9 };
        match (self.stage, first) {
            (_, 0xff) => PacketKind::Error,
            (ReplyStage::Head, _) => PacketKind::Head,
            (ReplyStage::Columns(_), _) => PacketKind::Column,
            (ReplyStage::ColumnsEnd, _) => PacketKind::ColumnsEnd,
            (ReplyStage::Rows, 0xfe) if length < end_limit => PacketKind::RowsEnd,
            (ReplyStage::Rows, _) => PacketKind::Row,
        }
    }

    /// Checks a packet's place in the sequence and notes whether the next one carries it on.
    #[inline]
    pub(super) fn enter(&mut self, packet: &[u8]) -> Result<(), WireError> {
        let Some(header) = PacketHeader::of(packet) else {
            return Ok(());
        };
        if let Some(due) = self.sequence
            && due != header.sequence
        {
            let what = format!("packet {} instead of {due}", header.sequence);
            return Err(WireError::Protocol(what));
        }
        let next = header.sequence.wrapping_add(1);
        self.sequence = self.checks_sequence.then_some(next);
        self.is_continued = header.length == MAX_PAYLOAD;
        Ok(())
    }
}
