//! Sends rows over a connection, and keeps the INSERT that is prepared for them.

use dbdyno_wire::{BoundRows, PreparedStatement, Session, WireError};
use dbdyno_workload::{RowForm, RowSource};

/// Placeholders of a prepared INSERT. More save the server nothing; more than ten thousand cost it more.
const PLACES: usize = 4096;

/// Rows of a prepared INSERT, even if each needs few placeholders.
const ROWS_MAX: usize = 1000;

/// A batch of long rows is sent once it has this many bytes.
const BATCH_BYTES: usize = 512 * 1024;

/// Sends rows over a connection.
pub(super) struct RowSender {
    pub(super) session: Session,
    prepared: Option<Prepared>,
    /// The statement of the last rows, if no others follow in it.
    unneeded: Option<PreparedStatement>,
}

/// An INSERT for the rows sent at a time.
struct Prepared {
    form: RowForm,
    rows_max: usize,
    statement: PreparedStatement,
}

impl RowSender {
    pub(super) fn over(session: Session) -> Self {
        Self {
            session,
            prepared: None,
            unneeded: None,
        }
    }

    /// Sends rows as the values of a prepared INSERT. A smaller number of rows needs its own statement.
    fn start_insert(
        &mut self,
        form: &RowForm,
        rows: &mut BoundRows,
        rows_max: usize,
    ) -> Result<(), WireError> {
        let statement = if rows.len() < rows_max {
            let statement = self.prepare_rows(form, rows.len())?;
            *self.unneeded.insert(statement)
        } else {
            self.prepare(form, rows_max)?
        };
        self.session.send_rows(&statement, rows)
    }

    /// Waits for the answer to the rows that were sent, and returns how many the server has accepted.
    pub(super) fn finish_insert(&mut self) -> Result<u64, WireError> {
        let answer = self.session.finish_rows()?;
        if let Some(statement) = self.unneeded.take() {
            self.session.close_statement(statement)?;
        }
        Ok(answer.affected_rows)
    }

    /// Prepares the INSERT for so many rows; it is kept as long as rows of the same table follow.
    fn prepare(&mut self, form: &RowForm, rows_max: usize) -> Result<PreparedStatement, WireError> {
        match self.prepared.take() {
            Some(kept) if kept.form == *form && kept.rows_max == rows_max => {
                let statement = kept.statement;
                self.prepared = Some(kept);
                return Ok(statement);
            }
            Some(other) => self.session.close_statement(other.statement)?,
            None => {}
        }
        let statement = self.prepare_rows(form, rows_max)?;
        self.prepared = Some(Prepared {
            form: form.clone(),
            rows_max,
            statement,
        });
        Ok(statement)
    }

    fn prepare_rows(
        &mut self,
        form: &RowForm,
        rows: usize,
    ) -> Result<PreparedStatement, WireError> {
        let (statement, places) = (
            self.session.prepare(&form.prepared(rows))?,
            rows * form.columns(),
        );
        match usize::from(statement.parameter_count) {
            counted if counted == places => Ok(statement),
            counted => Err(WireError::Protocol(format!(
                "it counts {counted} parameters in an INSERT that has {places}"
            ))),
        }
    }
}

/// Groups rows into batches.
pub(super) struct RowBatches<'a> {
    source: &'a mut dyn RowSource,
    form: &'a RowForm,
    rows_max: usize,
    rows: BoundRows,
    /// For rows that don't bind themselves: their statement, and where the next one begins.
    statement: Vec<u8>,
    at: usize,
}

impl<'a> RowBatches<'a> {
    pub(super) fn of(source: &'a mut dyn RowSource, form: &'a RowForm) -> Self {
        let rows_max = (PLACES / form.columns()).clamp(1, ROWS_MAX);
        Self {
            source,
            form,
            rows_max,
            rows: form.bound_rows(rows_max),
            statement: Vec::new(),
            at: 0,
        }
    }

    /// Prepares the next rows, and returns how many; 0 at the end.
    pub(super) fn next(&mut self) -> u64 {
        self.rows.clear();
        if let Some(count) = self.source.bind(&mut self.rows) {
            return count;
        }
        while !self.rows.is_full() && self.rows.encoded().len() < BATCH_BYTES {
            if self.at == self.statement.len() {
                self.at = 0;
                if self.source.next_statement(&mut self.statement) == 0 {
                    self.statement.clear();
                    break;
                }
            }
            self.at = self.form.bind(&self.statement, self.at, &mut self.rows);
        }
        self.rows.len() as u64
    }

    /// Sends the batch. [`RowSender::finish_insert`] waits for the answer.
    pub(super) fn start(&mut self, sender: &mut RowSender) -> Result<(), WireError> {
        sender.start_insert(self.form, &mut self.rows, self.rows_max)
    }
}
