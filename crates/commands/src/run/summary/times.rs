//! Prints the times of the window, by transaction and statement type.

use super::Summary;
use crate::run::figures::{grouped, milliseconds};
use dbdyno_meter::{Histogram, TransactionCounts};
use std::io::{self, Write};

impl Summary<'_> {
    pub(super) fn write_times(&self, out: &mut impl Write) -> io::Result<()> {
        if !self.load.pacing.is_open_loop() {
            let silence_ms = self.outcome.longest_silence_ns as f64 / 1e6;
            writeln!(
                out,
                "\n  closed loop: waits behind a stall are not counted; longest time without any reply {silence_ms:.0} ms"
            )?;
        } else {
            writeln!(out)?;
        }
        writeln!(
            out,
            "  {:<22} {:>13} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
            "times in ms", "count", "mean", "p50", "p95", "p99", "p99.9", "max"
        )?;
        let (workload, counts) = (&self.load.workload, &self.window.counts);
        for (name, counts) in workload
            .spec()
            .transaction_types
            .iter()
            .zip(&counts.transactions)
        {
            self.write_transaction(out, name, counts)?;
        }
        for (name, counts) in workload
            .spec()
            .statement_types
            .iter()
            .zip(&counts.statements)
        {
            write_row(out, &format!("  {name}"), &counts.service)?;
        }
        Ok(())
    }

    /// Writes whole events and, if some were repeated, their first attempts.
    fn write_transaction(
        &self,
        out: &mut impl Write,
        name: &str,
        counts: &TransactionCounts,
    ) -> io::Result<()> {
        if self.load.pacing.has_due_instants() {
            write_row(out, &format!("{name}, response"), &counts.response)?;
            write_row(out, &format!("{name}, service"), &counts.service)?;
        } else {
            write_row(out, name, &counts.service)?;
        }
        if counts.retries.is_empty() {
            return Ok(());
        }
        write_row(out, "  of which first attempts", &counts.first_attempt)
    }
}

fn write_row(out: &mut impl Write, name: &str, times: &Histogram) -> io::Result<()> {
    let mean = times
        .mean_ns()
        .map_or_else(|| "-".to_owned(), |ns| format!("{:.3}", ns / 1e6));
    // A long name takes columns from the count.
    let count_width = 36_usize.saturating_sub(name.chars().count().max(22) + 1);
    let count = grouped(times.count());
    write!(out, "  {name:<22} {count:>count_width$} {mean:>9}")?;
    for q in [0.5, 0.95, 0.99, 0.999] {
        write!(out, " {}", milliseconds(times, q))?;
    }
    writeln!(out, " {}", milliseconds(times, 1.0))
}
