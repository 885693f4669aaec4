//! Gathers many rows in one INSERT.

use super::call_result::CallResult;
use super::connection::Connection;
use dbdyno_workload::{GrowingInsert, STATEMENT_BYTES};

impl Connection {
    /// Begins an INSERT of many rows; `head` ends with VALUES. One that was begun before is forgotten.
    pub fn bulk_insert_init(&mut self, head: &[u8]) -> bool {
        if !self.begin() {
            return false;
        }
        self.bulk = Some(Box::new(GrowingInsert::new(head)));
        true
    }

    /// Adds a row, parentheses and all. The statement is sent when the row has no room in it. False if that
    /// failed; the rows are then kept.
    pub fn bulk_insert_next(&mut self, row: &[u8]) -> bool {
        let Some(mut bulk) = self.bulk.take() else {
            let text = "attempt to call bulk_insert_next() before bulk_insert_init()";
            self.engine.log.alert(text);
            return false;
        };
        let added = self.add(&mut bulk, row);
        self.bulk = Some(bulk);
        added
    }

    /// Sends the rows that are left and ends the INSERT.
    pub fn bulk_insert_done(&mut self) -> bool {
        match self.bulk.take() {
            Some(mut bulk) => self.send(&mut bulk),
            None => true,
        }
    }

    fn add(&mut self, bulk: &mut GrowingInsert, row: &[u8]) -> bool {
        if !bulk.fits(row) && !self.send(bulk) {
            return false;
        }
        if !bulk.fits(row) {
            let text =
                format!("Query length exceeds the maximum value ({STATEMENT_BYTES}), aborting");
            self.engine.log.fatal(&text);
            return false;
        }
        bulk.push(row);
        true
    }

    fn send(&mut self, bulk: &mut GrowingInsert) -> bool {
        if bulk.rows() == 0 {
            return true;
        }
        let sent = self.query(bulk.sql()) != CallResult::Failed;
        if sent {
            bulk.empty();
        }
        sent
    }
}
