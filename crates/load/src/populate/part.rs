//! Fills a part of a table once, whatever happens to connections.

use super::filling::Filling;
use super::hand::{Hand, Hitch, Step, failed};
use super::line::Line;
use super::queue::{Queue, Unit};
use super::rows::{Taken, send};
use super::way::Way;
use crate::trouble::Trouble;
use dbdyno_wire::Session;
use dbdyno_workload::RowSource;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

impl Filling<'_> {
    /// Fills parts until none is left.
    pub(super) fn load(
        &self,
        hand: &mut Hand<'_>,
        queue: &Queue,
        ways: &[Way],
    ) -> Result<(), Trouble> {
        while let Some(unit) = queue.take() {
            self.load_part(hand, unit, &ways[unit.0 as usize])?;
            queue.done(unit);
        }
        Ok(())
    }

    fn load_part(&self, hand: &mut Hand<'_>, unit: Unit, way: &Way) -> Result<(), Trouble> {
        let (table, part) = unit;
        let step = Step {
            entry: format!("rows {} {part}", self.population.table_name(table)),
            what: self.table(table),
        };
        let sums = match self.was_done(&step.entry) {
            Some(sums) => {
                let rows = sums.first().copied().unwrap_or_default();
                self.rows_done.fetch_add(rows, Ordering::Relaxed);
                sums.clone()
            }
            None => match self.wish.transaction_rows {
                Some(most) => self.load_portions(hand, unit, way, most)?,
                None => hand.write(
                    &step,
                    self.earlier.is_some(),
                    &mut |session| self.undo(session, unit),
                    &mut |line| self.send_part(line, unit, way),
                )?,
            },
        };
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        let table_sums = sent.entry(table).or_insert_with(|| vec![0; sums.len()]);
        for (sum, of_part) in table_sums.iter_mut().zip(sums) {
            *sum = sum.wrapping_add(of_part);
        }
        Ok(())
    }

    fn send_part(
        &self,
        line: &mut Line,
        (table, part): Unit,
        way: &Way,
    ) -> Result<Vec<u64>, Hitch> {
        let mut rows = self.population.rows(table, part);
        self.send_rows(line, &mut *rows, table, way)?;
        Ok(rows.sums())
    }

    /// Sends rows until there are none, and says how many went. All of them must have been taken as they are.
    pub(super) fn send_rows(
        &self,
        line: &mut Line,
        rows: &mut dyn RowSource,
        table: u32,
        way: &Way,
    ) -> Result<u64, Hitch> {
        let mut sent = 0;
        let mut on_rows = |count| {
            self.rows_done.fetch_add(count, Ordering::Relaxed);
            sent += count;
            self.ground.go_on()
        };
        let result = send(line, rows, way, &mut on_rows);
        if result.is_err() {
            self.rows_done.fetch_sub(sent, Ordering::Relaxed);
        }
        match result? {
            Taken {
                rows: taken,
                objection: None,
            } if taken == sent => Ok(sent),
            Taken {
                rows: taken,
                objection,
            } => {
                let why = objection.unwrap_or_else(|| "the server does not say why".to_owned());
                let why = format!("of {sent} rows it took {taken}: {why}");
                Err(failed(&self.table(table), &why).into())
            }
        }
    }

    /// Takes away what an attempt before may have left of a part.
    fn undo(&self, session: &mut Session, (table, part): Unit) -> Result<(), Hitch> {
        let name = self.population.table_name(table);
        if let Some(condition) = self.population.part_condition(table, part) {
            // Mostly there are none, and a DELETE that finds nothing would lock the gap against the other parts.
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

    /// Whether the server takes away itself what an attempt before has left, which it does where a storage engine knows
    /// transactions.
    pub(super) fn undone_by_server(&self, session: &mut Session, table: u32) -> Result<(), Hitch> {
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
        Err(failed(&self.table(table), &"its storage engine knows no transactions, and nothing tells the rows of a part that was broken off from others").into())
    }
}
