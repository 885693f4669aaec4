//! Fills a part of a table exactly once, even if connections are lost.

use super::connection::{LoaderConnection, LoggedStep, StepError, failed};
use super::load_method::LoadMethod;
use super::part_queue::{PartQueue, TablePart};
use super::populator::Populator;
use super::row_sender::RowSender;
use super::rows::{AcceptedRows, send};
use crate::cli_error::CliError;
use dbdyno_wire::Session;
use dbdyno_workload::RowSource;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

impl Populator<'_> {
    /// Fills parts until none is left.
    pub(super) fn load(
        &self,
        connection: &mut LoaderConnection<'_>,
        queue: &PartQueue,
        methods: &[LoadMethod],
    ) -> Result<(), CliError> {
        while let Some(unit) = queue.take() {
            self.load_part(connection, unit, &methods[unit.0 as usize])?;
            queue.done(unit);
        }
        Ok(())
    }

    fn load_part(
        &self,
        connection: &mut LoaderConnection<'_>,
        unit: TablePart,
        method: &LoadMethod,
    ) -> Result<(), CliError> {
        let (table, part) = unit;
        let step = LoggedStep {
            entry: format!("rows {} {part}", self.population.table_name(table)),
            what: self.table(table),
        };
        let sums = match self.sums_when_done(&step.entry) {
            Some(sums) => {
                self.count_earlier_rows(sums.first().copied().unwrap_or_default());
                sums.clone()
            }
            None => match self.preference.transaction_rows {
                Some(most) => self.load_in_chunks(connection, unit, method, most)?,
                None => self.load_at_once(connection, &step, unit, method)?,
            },
        };
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let table_sums = sent.entry(table).or_insert_with(|| vec![0; sums.len()]);
        for (sum, of_part) in table_sums.iter_mut().zip(sums) {
            *sum = sum.wrapping_add(of_part);
        }
        Ok(())
    }

    /// Fills a part in one transaction, and returns its sums. Rows that are sent again after their COMMIT failed count
    /// once.
    fn load_at_once(
        &self,
        connection: &mut LoaderConnection<'_>,
        step: &LoggedStep,
        unit: TablePart,
        method: &LoadMethod,
    ) -> Result<Vec<u64>, CliError> {
        let (table, part) = unit;
        let mut counted = 0;
        let mut work = |sender: &mut RowSender| {
            self.rows_done.fetch_sub(counted, Ordering::Relaxed);
            counted = 0;
            let mut rows = self.population.rows(table, part);
            counted = self.send_rows(sender, &mut *rows, table, method)?;
            Ok(rows.sums())
        };
        connection.write(
            step,
            self.earlier.is_some(),
            &mut |session| self.undo(session, unit),
            &mut work,
        )
    }

    /// Sends rows until there are none, and returns how many. The server must have accepted all of them unchanged.
    pub(super) fn send_rows(
        &self,
        sender: &mut RowSender,
        rows: &mut dyn RowSource,
        table: u32,
        method: &LoadMethod,
    ) -> Result<u64, StepError> {
        let mut sent = 0;
        let mut on_rows = |count| {
            self.rows_done.fetch_add(count, Ordering::Relaxed);
            sent += count;
            self.context.check_interrupted()
        };
        let result = send(sender, rows, method, &mut on_rows);
        if result.is_err() {
            self.rows_done.fetch_sub(sent, Ordering::Relaxed);
        }
        match result? {
            AcceptedRows {
                rows: taken,
                warning: None,
            } if taken == sent => Ok(sent),
            AcceptedRows {
                rows: taken,
                warning,
            } => {
                let why = warning.unwrap_or_else(|| "the server does not say why".to_owned());
                let why = format!("it accepted {taken} of {sent} rows: {why}");
                Err(failed(&self.table(table), &why).into())
            }
        }
    }

    /// Removes what an earlier attempt may have left of a part.
    fn undo(&self, session: &mut Session, (table, part): TablePart) -> Result<(), StepError> {
        let name = self.population.table_name(table);
        if let Some(condition) = self.population.part_condition(table, part) {
            // Usually there are none, and a DELETE that finds nothing would lock the gap against the other parts.
            let rows = format!("FROM {name} WHERE {condition}");
            if !session
                .select(&format!("SELECT 1 {rows} LIMIT 1"))?
                .rows
                .is_empty()
            {
                session.query(&format!("DELETE {rows}"))?;
            }
            return Ok(());
        }
        self.undone_by_server(session, table)
    }

    /// Returns whether the server itself undoes an earlier attempt, which it does if the storage engine has
    /// transactions.
    pub(super) fn undone_by_server(
        &self,
        session: &mut Session,
        table: u32,
    ) -> Result<(), StepError> {
        let name = self.population.table_name(table);
        let answer = session.select(&format!(
            "SELECT e.transactions FROM information_schema.tables t \
             JOIN information_schema.engines e ON e.engine = t.engine \
             WHERE t.table_schema = DATABASE() AND t.table_name = '{name}'"
        ))?;
        let knows_transactions = answer.rows.first().and_then(|row| row.first()?.as_deref());
        if knows_transactions == Some(b"YES") {
            return Ok(()); // the server has undone it
        }
        Err(failed(&self.table(table), &"its storage engine has no transactions, so dbdyno-load can't find the rows of an interrupted part").into())
    }
}
