//! Gathers rows for one user, and sends them when the next one has no room.

use super::table_name;
use crate::growing_insert::GrowingInsert;
use crate::{Call, NextAction, Response, RetryValues, TransactionType, User};
use std::io::Write;

/// Place of the only statement.
const INSERT: u16 = 0;

pub(super) struct BulkUser {
    insert: GrowingInsert,
    /// Number of the row that the event adds.
    number: u64,
    /// The row itself.
    row: Vec<u8>,
}

impl BulkUser {
    pub(super) fn new(index: u32) -> Self {
        let head = format!("INSERT INTO {} VALUES", table_name(index));
        Self {
            insert: GrowingInsert::new(head.as_bytes()),
            number: 0,
            row: Vec::new(),
        }
    }

    fn send(&self, call: &mut Call) {
        call.start(INSERT);
        call.text.extend_from_slice(self.insert.sql());
    }
}

impl User for BulkUser {
    fn start_event(&mut self, _wanted: Option<TransactionType>) -> TransactionType {
        self.number += 1;
        self.row.clear();
        // Writing to memory can't fail.
        let _ = write!(self.row, "({0},{0})", self.number);
        0
    }

    /// Keeps the rows until they are in.
    fn repeat_event(&mut self, _draws: RetryValues) -> TransactionType {
        0
    }

    fn next(&mut self, answer: Option<Response<'_>>, call: &mut Call) -> NextAction {
        if answer.is_some() {
            self.insert.empty();
        }
        if !self.insert.fits(&self.row) {
            self.send(call);
            return NextAction::Send;
        }
        self.insert.push(&self.row);
        NextAction::Done
    }

    fn settle_up(&mut self, call: &mut Call) -> bool {
        if self.insert.rows() == 0 {
            return false;
        }
        self.send(call);
        self.insert.empty();
        true
    }

    fn finish_event(&mut self) -> u64 {
        0
    }
}
