//! Builds an INSERT of many rows that grows until it is as long as sysbench lets a statement become.

/// No statement is longer, with the zero byte that sysbench puts at its end.
pub const STATEMENT_BYTES: usize = 512 * 1024;

/// An INSERT and the rows that it has so far.
///
/// ```
/// use dbdyno_workload::GrowingInsert;
///
/// let mut insert = GrowingInsert::new(b"INSERT INTO t VALUES");
/// insert.push(b"(1)");
/// insert.push(b"(2)");
/// assert_eq!((insert.sql(), insert.rows()), (&b"INSERT INTO t VALUES(1),(2)"[..], 2));
/// ```
#[derive(Debug)]
pub struct GrowingInsert {
    sql: Vec<u8>,
    /// Bytes of what stands before the rows.
    head: usize,
    rows: u32,
}

impl GrowingInsert {
    /// Makes one without rows; `head` ends with VALUES.
    #[must_use]
    pub fn new(head: &[u8]) -> Self {
        let mut sql = Vec::with_capacity(STATEMENT_BYTES);
        sql.extend_from_slice(head);
        Self {
            sql,
            head: head.len(),
            rows: 0,
        }
    }

    /// Returns whether a row, parentheses and all, has room in it.
    #[must_use]
    pub fn fits(&self, row: &[u8]) -> bool {
        row_fits(self.sql.len(), row.len())
    }

    /// Adds a row.
    pub fn push(&mut self, row: &[u8]) {
        if self.rows > 0 {
            self.sql.push(b',');
        }
        self.sql.extend_from_slice(row);
        self.rows += 1;
    }

    /// Takes all rows out.
    pub fn empty(&mut self) {
        self.sql.truncate(self.head);
        self.rows = 0;
    }

    /// Returns the statement.
    #[must_use]
    pub fn sql(&self) -> &[u8] {
        &self.sql
    }

    /// Returns how many rows it has.
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }
}

/// Returns whether a row of so many bytes has room in a statement of so many, with a comma and the zero byte.
pub(crate) fn row_fits(statement_bytes: usize, row_bytes: usize) -> bool {
    statement_bytes + row_bytes + 1 < STATEMENT_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_cut_where_sysbench_cuts_them() {
        // Rows and bytes of the first statements of bulk_insert, as recorded.
        let mut insert = GrowingInsert::new(b"INSERT INTO sbtest1 VALUES");
        let mut sizes = Vec::new();
        for number in 1.. {
            let row = format!("({number},{number})");
            if !insert.fits(row.as_bytes()) {
                sizes.push((insert.rows(), insert.sql().len()));
                insert.empty();
            }
            insert.push(row.as_bytes());
            if sizes.len() == 3 {
                break;
            }
        }
        assert_eq!(
            sizes,
            [(39_033, 524_275), (37_447, 524_283), (35_706, 524_283)]
        );
    }
}
