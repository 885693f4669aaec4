//! What the packets of a reply say and add up to.

use super::look::Kind;
use super::packets::{parse_column_count, parse_eof, parse_error, parse_ok};
use super::{ReplyReader, Stage};
use crate::reply::{STATUS_MORE_RESULTS, STATUS_OUT_PARAMETERS, STATUS_SESSION_CHANGED};
use crate::row_sink::RowSink;
use crate::{OkReply, Reply, RowsReply, WireError};

/// First byte of a packet in which the server asks for a local file.
const WANTS_FILE: u8 = 0xfb;

/// What the results of the reply so far add up to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    ok: OkReply,
    pub(super) rows: u64,
    columns: u16,
    has_rows: bool,
    /// The rows at hand are OUT parameters, behind which an OK packet always follows.
    is_out: bool,
}

impl Tally {
    #[inline]
    pub(super) fn start_rows(&mut self, columns: u16) {
        self.columns = columns;
        self.has_rows = true;
    }
}

impl ReplyReader {
    /// Moves on past a packet that nobody reads.
    #[inline]
    pub(super) fn count(&mut self, kind: Kind) {
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

    pub(super) fn read<S: RowSink>(
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
                let status = parse_eof(payload)?.status;
                self.tally.is_out = status & STATUS_OUT_PARAMETERS != 0;
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
            let (ok, behind) = parse_ok(payload)?;
            self.note_changes(ok.status, behind)?;
            let affected = &mut self.tally.ok.affected_rows;
            *affected = affected.saturating_add(ok.affected_rows);
            self.tally.ok.last_insert_id = ok.last_insert_id;
            return Ok(self.finish_result(ok));
        }
        if payload[0] == WANTS_FILE {
            // What it is called is the server's idea and of no interest. The reply goes on when it was sent.
            self.file_wanted = Some(self.sequence.unwrap_or_default());
            self.sequence = None;
            return Ok(None);
        }
        let columns = parse_column_count(payload)?;
        sink.start(columns)?;
        self.tally.start_rows(columns);
        self.stage = Stage::Columns(columns);
        Ok(None)
    }

    fn read_rows_end(&mut self, payload: &[u8]) -> Result<Option<Reply>, WireError> {
        if !self.deprecate_eof {
            let mut end = parse_eof(payload)?;
            // MySQL says so at the end of the columns only; its own client remembers it just so.
            if std::mem::take(&mut self.tally.is_out) {
                end.status |= STATUS_MORE_RESULTS;
            }
            return Ok(self.finish_result(end));
        }
        let (end, behind) = parse_ok(payload)?;
        self.note_changes(end.status, behind)?;
        Ok(self.finish_result(end))
    }

    #[inline]
    fn note_changes(&mut self, status: u16, behind: &[u8]) -> Result<(), WireError> {
        match &mut self.changes {
            Some(changes) if status & STATUS_SESSION_CHANGED != 0 => changes.note(behind),
            _ => Ok(()),
        }
    }

    /// Ends one result: the reply too, unless the server announces another.
    fn finish_result(&mut self, end: OkReply) -> Option<Reply> {
        self.stage = Stage::Head;
        if end.status & STATUS_MORE_RESULTS != 0 && !self.gives_each_result {
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
            ..
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
}
