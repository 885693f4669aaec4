//! The table at the end of a run.

use super::figures::{grouped, listed, loop_label, milliseconds};
use super::totals::Totals;
use dbdyno_drive::{Load, Outcome, Status};
use dbdyno_meter::{Codes, Histogram};
use std::io::{self, Write};

/// Everything the table is made of.
pub(super) struct Summary<'a> {
    pub(super) load: &'a Load,
    pub(super) window: &'a Totals,
    pub(super) outcome: &'a Outcome,
}

impl Summary<'_> {
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        self.write_rates(out)?;
        self.write_times(out)?;
        self.write_account(out)?;
        self.write_client(out)
    }

    fn write_rates(&self, out: &mut impl Write) -> io::Result<()> {
        let (window, counts) = (self.window, &self.window.counts);
        let ended = match &self.outcome.status {
            Status::Complete => "",
            Status::Interrupted => ", interrupted",
            Status::Failed(_) => ", ended by an error",
        };
        let phase = self
            .load
            .phases
            .last()
            .map_or("window", |phase| phase.name.as_str());
        writeln!(
            out,
            "\n{phase} of {:.1} s{ended}, {}\n",
            window.duration_ns as f64 / 1e9,
            loop_label(self.load)
        )?;
        let mut rate = |name: &str, count: u64| {
            writeln!(
                out,
                "  {name:<22} {:>13} {:>13.2} /s",
                grouped(count),
                window.rate(count)
            )
        };
        rate("transactions", counts.completed())?;
        rate("statements", counts.answered())?;
        rate("  read", counts.tally.reads)?;
        rate("  write", counts.tally.writes)?;
        rate("  other", counts.tally.others)
    }

    fn write_times(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "\n  {:<22} {:>13} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
            "times in ms", "count", "mean", "p50", "p95", "p99", "p99.9", "max"
        )?;
        let workload = &self.load.workload;
        for (name, counts) in workload
            .transaction_types()
            .iter()
            .zip(&self.window.counts.transactions)
        {
            if self.load.pacing.is_open_loop() {
                write_row(out, &format!("{name}, response"), &counts.response)?;
                write_row(out, &format!("{name}, service"), &counts.service)?;
            } else {
                write_row(out, name, &counts.service)?;
            }
        }
        for (name, counts) in workload
            .statement_types()
            .iter()
            .zip(&self.window.counts.statements)
        {
            write_row(out, &format!("  {name}"), &counts.service)?;
        }
        if let Some(lateness) = &self.window.counts.lateness {
            write_row(out, "lateness of the client", lateness)?;
        }
        Ok(())
    }

    fn write_account(&self, out: &mut impl Write) -> io::Result<()> {
        let counts = &self.window.counts;
        let mut retries = Codes::default();
        counts
            .transactions
            .iter()
            .for_each(|counts| retries.merge(&counts.retries));
        writeln!(out)?;
        writeln!(
            out,
            "  errors                 {}",
            listed(&self.window.errors())
        )?;
        writeln!(out, "  repeats                {}", listed(&retries))?;
        let outcome = self.outcome;
        writeln!(
            out,
            "  whole run              scheduled {} = completed {} + failed {} + unsent {}; under way at the end {}",
            grouped(outcome.scheduled),
            grouped(outcome.completed),
            grouped(outcome.failed),
            grouped(outcome.unsent),
            outcome.in_flight_at_end,
        )?;
        writeln!(
            out,
            "  longest silence        {:.0} ms without any reply",
            outcome.longest_silence_ns as f64 / 1e6
        )
    }

    fn write_client(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(
            out,
            "  client                 busiest worker {:.0} % busy, peak memory {:.1} MiB",
            self.window.busiest_share() * 100.0,
            self.outcome.peak_rss_bytes as f64 / f64::from(1 << 20),
        )
    }
}

fn write_row(out: &mut impl Write, name: &str, times: &Histogram) -> io::Result<()> {
    let mean = times
        .mean_ns()
        .map_or_else(|| "-".to_owned(), |ns| format!("{:.3}", ns / 1e6));
    write!(out, "  {name:<22} {:>13} {mean:>9}", grouped(times.count()))?;
    for q in [0.5, 0.95, 0.99, 0.999] {
        write!(out, " {}", milliseconds(times, q))?;
    }
    writeln!(out, " {:>9.3}", times.max_ns() as f64 / 1e6)
}
