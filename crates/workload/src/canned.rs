//! Builds replies for runs without a server.

use dbdyno_wire::{OkReply, Reply, RowsReply};

pub(crate) fn changed(affected_rows: u64) -> Reply {
    Reply::Ok(OkReply {
        affected_rows,
        ..OkReply::default()
    })
}

pub(crate) fn rows_reply(rows: u64, columns: u16) -> Reply {
    Reply::Rows(RowsReply {
        rows,
        columns,
        ..RowsReply::default()
    })
}
