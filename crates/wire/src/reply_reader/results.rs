//! Adds up what the packets of a reply say.

use super::packets::{parse_column_count, parse_eof, parse_error, parse_ok};
use super::preview::PacketKind;
use super::{ReplyReader, ReplyStage};
use crate::reply::{STATUS_MORE_RESULTS, STATUS_OUT_PARAMETERS, STATUS_SESSION_CHANGED};
use crate::row_sink::RowSink;
use crate::{OkReply, Reply, RowsReply, WireError, limits};

/// First byte of a packet in which the server asks for a local file.
const WANTS_FILE: u8 = 0xfb;

/// Sums up the results of the reply so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReplyTotals {
    ok: OkReply,
    pub(super) rows: u64,
    columns: u16,
    has_rows: bool,
    /// How many are over, where the reply is made of several.
    results: u64,
    /// The rows at hand are OUT parameters, behind which an OK packet always follows.
    is_out: bool,
}

impl ReplyTotals {
    #[inline]
    pub(super) fn start_rows(&mut self, columns: u16) {
        self.columns = columns;
        self.has_rows = true;
    }
}

impl ReplyReader {
    /// Moves on past a packet that nobody reads.
    #[inline]
    pub(super) fn count(&mut self, kind: PacketKind) {
        match kind {
            PacketKind::Column => self.next_column(),
            _ if !self.is_continued => self.totals.rows += 1,
            _ => {}
        }
    }

    fn next_column(&mut self) {
        self.stage = match self.stage {
            ReplyStage::Columns(left) if left > 1 => ReplyStage::Columns(left - 1),
            _ if self.deprecate_eof => ReplyStage::Rows,
            _ => ReplyStage::ColumnsEnd,
        };
    }

    pub(super) fn read<S: RowSink>(
        &mut self,
        kind: PacketKind,
        payload: &[u8],
        sink: &mut S,
    ) -> Result<Option<Reply>, WireError> {
        match kind {
            PacketKind::Head => return self.read_head(payload, sink),
            PacketKind::Error => return Ok(Some(Reply::Error(parse_error(payload)?))),
            PacketKind::RowsEnd => return self.read_rows_end(payload),
            PacketKind::ColumnsEnd => {
                let status = parse_eof(payload)?.status;
                self.totals.is_out = status & STATUS_OUT_PARAMETERS != 0;
                self.stage = ReplyStage::Rows;
            }
            PacketKind::Column => {
                sink.column(payload)?;
                self.next_column();
            }
            PacketKind::Row => self.read_row(payload, sink)?,
        }
        Ok(None)
    }

    fn read_head<S: RowSink>(
        &mut self,
        payload: &[u8],
        sink: &mut S,
    ) -> Result<Option<Reply>, WireError> {
        if payload[0] == 0 {
            let (ok, behind) = parse_ok(payload)?;
            self.read_session_changes(ok.status, behind)?;
            let affected = &mut self.totals.ok.affected_rows;
            *affected = affected.saturating_add(ok.affected_rows);
            self.totals.ok.last_insert_id = ok.last_insert_id;
            return self.finish_result(ok);
        }
        if payload[0] == WANTS_FILE {
            // The file name is the server's and is ignored. The reply continues once the file was sent.
            self.file_wanted = Some(self.sequence.unwrap_or_default());
            self.sequence = None;
            return Ok(None);
        }
        let columns = parse_column_count(payload)?;
        sink.start(columns)?;
        self.totals.start_rows(columns);
        self.stage = ReplyStage::Columns(columns);
        Ok(None)
    }

    fn read_rows_end(&mut self, payload: &[u8]) -> Result<Option<Reply>, WireError> {
        if !self.deprecate_eof {
            let mut end = parse_eof(payload)?;
            // MySQL sets the flag only at the end of the columns; its own client keeps it in the same way.
            if std::mem::take(&mut self.totals.is_out) {
                end.status |= STATUS_MORE_RESULTS;
            }
            return self.finish_result(end);
        }
        let (end, behind) = parse_ok(payload)?;
        self.read_session_changes(end.status, behind)?;
        self.finish_result(end)
    }

    #[inline]
    fn read_session_changes(&mut self, status: u16, behind: &[u8]) -> Result<(), WireError> {
        match &mut self.changes {
            Some(changes) if status & STATUS_SESSION_CHANGED != 0 => changes.note(behind),
            _ => Ok(()),
        }
    }

    /// Ends one result: the reply too, unless the server announces another.
    #[inline]
    fn finish_result(&mut self, end: OkReply) -> Result<Option<Reply>, WireError> {
        self.stage = ReplyStage::Head;
        if end.status & STATUS_MORE_RESULTS != 0 && !self.gives_each_result {
            self.totals.results += 1;
            return match self.totals.results < limits::RESULTS.0 {
                true => Ok(None),
                false => Err(WireError::excess(limits::RESULTS.1)),
            };
        }
        let OkReply {
            status, warnings, ..
        } = end;
        let ReplyTotals {
            ok,
            rows,
            columns,
            has_rows,
            ..
        } = self.totals;
        Ok(Some(match has_rows {
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
        }))
    }

    fn read_row<S: RowSink>(&mut self, payload: &[u8], sink: &mut S) -> Result<(), WireError> {
        if self.is_continued || !self.long_row.is_empty() {
            if (self.long_row.len() + payload.len()) as u64 > limits::ROW_BYTES.0 {
                return Err(WireError::excess(limits::ROW_BYTES.1));
            }
            self.long_row.extend_from_slice(payload);
            if self.is_continued {
                return Ok(());
            }
            self.totals.rows += 1;
            return sink.row(&std::mem::take(&mut self.long_row));
        }
        self.totals.rows += 1;
        sink.row(payload)
    }
}
