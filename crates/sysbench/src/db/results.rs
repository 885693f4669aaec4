//! Reads the results of a connection's last call, one after the other.

use super::call_result::{CallResult, Pending};
use super::connection::Connection;
use super::link::LinkError;
use super::rows::{ResultRow, RowDetector};
use dbdyno_wire::Reply;

impl Connection {
    /// Returns whether the last call has another result (1.1).
    #[must_use]
    pub fn more_results(&self) -> bool {
        self.pending.is_some()
    }

    /// Goes on to the next result of the last call (1.1). [`CallResult::NoRows`] if it has no rows, or if there is none.
    pub fn next_result(&mut self) -> CallResult {
        if !self.begin() {
            return CallResult::Failed;
        }
        let Some(pending) = self.pending.take() else {
            return CallResult::NoRows;
        };
        let Some(link) = &mut self.link else {
            return self.lost("mysql_drv_next_result", None, &LinkError::Reading);
        };
        let (doing, reply) = match pending {
            Pending::Query => {
                let doing = "mysql_drv_next_result";
                (doing, link.next_result(&mut self.rows))
            }
            Pending::Statement(_) => {
                let doing = "mysql_drv_stmt_next_result";
                (doing, link.next_result(&mut RowDetector::default()))
            }
        };
        match reply {
            Ok(Reply::Error(error)) => self.refused(doing, None, &error),
            Ok(reply) => self.take(&reply, pending),
            Err(how) => self.lost(doing, None, &how),
        }
    }

    /// Returns the next row of a query's result; `None` behind the last one, or if there are no rows.
    pub fn fetch_row(&mut self) -> Option<ResultRow<'_>> {
        match self.result {
            None => {
                let text = "attempt to fetch row from an invalid result set";
                self.engine.log.alert(text);
                None
            }
            Some(_) if !self.rows.began => {
                let text = "attempt to fetch row from an empty result set";
                self.engine.log.alert(text);
                None
            }
            Some(result) => {
                if result.row_count == 0 {
                    let text = "attempt to fetch row from an empty result set";
                    self.engine.log.alert(text);
                }
                self.rows.next()
            }
        }
    }

    /// Forgets the result set. False if there is none.
    pub fn free_results(&mut self) -> bool {
        if self.result.take().is_none() {
            let text = "attempt to free an invalid result set";
            self.engine.log.alert(text);
            return false;
        }
        self.rows.clear();
        true
    }
}
