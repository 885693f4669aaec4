//! Many rows in one INSERT.

use super::connection::{Answer, Connection};

/// No statement of a bulk insert is longer, with the zero byte behind it.
pub const MAX_BULK_BYTES: usize = 512 * 1024;

/// An INSERT that grows.
#[derive(Debug)]
pub(super) struct Bulk {
    sql: Vec<u8>,
    /// Bytes of what stands before the rows.
    head: usize,
    rows: u32,
}

impl Bulk {
    fn new(head: &[u8]) -> Self {
        Self {
            sql: head.to_vec(),
            head: head.len(),
            rows: 0,
        }
    }

    /// Whether a row fits, with a comma and the zero byte that sysbench puts at the end.
    fn fits(&self, row: &[u8]) -> bool {
        self.sql.len() + row.len() + 1 < MAX_BULK_BYTES
    }

    fn push(&mut self, row: &[u8]) {
        if self.rows > 0 {
            self.sql.push(b',');
        }
        self.sql.extend_from_slice(row);
        self.rows += 1;
    }

    fn empty(&mut self) {
        self.sql.truncate(self.head);
        self.rows = 0;
    }
}

impl Connection {
    /// Begins an INSERT of many rows; `head` ends with VALUES. One that was begun before is forgotten.
    pub fn bulk_insert_init(&mut self, head: &[u8]) -> bool {
        if !self.begin() {
            return false;
        }
        self.bulk = Some(Box::new(Bulk::new(head)));
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

    fn add(&mut self, bulk: &mut Bulk, row: &[u8]) -> bool {
        if !bulk.fits(row) && !self.send(bulk) {
            return false;
        }
        if !bulk.fits(row) {
            let text =
                format!("Query length exceeds the maximum value ({MAX_BULK_BYTES}), aborting");
            self.engine.log.fatal(&text);
            return false;
        }
        bulk.push(row);
        true
    }

    fn send(&mut self, bulk: &mut Bulk) -> bool {
        if bulk.rows == 0 {
            return true;
        }
        let sent = self.query(&bulk.sql) != Answer::Failed;
        if sent {
            bulk.empty();
        }
        sent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_cut_where_sysbench_cuts_them() {
        // Rows and bytes of the first statements of bulk_insert, as recorded.
        let mut bulk = Bulk::new(b"INSERT INTO sbtest1 VALUES");
        let mut sizes = Vec::new();
        let mut number = 0;
        while sizes.len() < 3 {
            number += 1;
            let row = format!("({number},{number})");
            if !bulk.fits(row.as_bytes()) {
                sizes.push((bulk.rows, bulk.sql.len()));
                bulk.empty();
            }
            bulk.push(row.as_bytes());
        }
        assert_eq!(
            sizes,
            [(39_033, 524_275), (37_447, 524_283), (35_706, 524_283)]
        );
    }
}
